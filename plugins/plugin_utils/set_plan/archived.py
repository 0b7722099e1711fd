# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archived duplicates of a set.

Unlisted records are looked up in the archive before others are created with their natural keys, and before they count
as deleted. Targets of references are looked up in ``resolver.py``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ...module_utils.client.record import Record
from ...module_utils.errors import SeventhingsError
from ...module_utils.plan.allowed import ASSUMED_ARCHIVED
from ...module_utils.plan.archived_duplicate import (
    MayBeHidden,
    archived_duplicate,
    can_be_looked_up,
    is_archived_duplicate,
    second_record,
)
from ...module_utils.resolve.field_visibility import unlisted
from ..desired.hiding import NOT_SHOWN
from ..desired.row_rules import CREATE, KEEP, RowRules
from .aspect import Aspect
from .context import PlanContext
from .plan import MOST_OF_A_RUN, SAMPLE, Pair

Item = TypeVar("Item")


def spread(items: Sequence[Item], number: int) -> Sequence[Item]:
    """Return some items, evenly distributed."""
    return items[:: max(1, len(items) // number)][:number] if number else ()


class Archived(Aspect):
    """Look up archived duplicates, unless a finding may be the reason why records are missing."""

    def joined(self, pairs: list[Pair]) -> None:
        """Look up the records to create, and those to remove."""
        if not self._context.findings:
            match_archived(self._context, pairs, ("present", "absent"))


def match_archived(context: PlanContext, matched: list[Pair], states: Collection[str]) -> None:
    """Pair planned records that no list shows with their archived records.

    :param states: the states of the planned records that are looked up.
    """
    missing: dict[tuple[str, str], list[int]] = {}
    for index, (planned, current) in enumerate(matched):
        state = planned.entry.state
        if current is None and state in states and planned.kind.can_be_archived and not planned.entry.uuid:
            missing.setdefault((planned.kind.name, state), []).append(index)
    for indexes in missing.values():
        _Missing(context, matched, indexes).look_up()


class _Missing:
    """Planned records of one kind with the same state that no list shows.

    :param matched: all planned records; those that are found are paired with their records.
    :param indexes: indexes of the missing records.
    """

    def __init__(self, context: PlanContext, matched: list[Pair], indexes: Sequence[int]) -> None:
        self._context = context
        self._matched = matched
        self._planned = {index: matched[index][0] for index in indexes}
        first = self._planned[indexes[0]]
        self._kind, self._state = first.kind, first.entry.state
        self._noted = {index: context.noted_uuids(planned) for index, planned in self._planned.items()}
        key, free = self._kind.barcode_key, context.state.free_barcodes
        self._checked = {index for index, planned in self._planned.items() if planned.desired.get(key) in free}
        self._with_key = [
            index
            for index, planned in self._planned.items()
            if index not in self._checked and can_be_looked_up(planned.schema, planned.desired)
        ]
        self._has_lookup: bool | None = False

    def look_up(self) -> None:
        """Look up the records, or a sample if there are very many. Note how many were not looked up.

        A run creates no record whose uuid is noted without looking it up. A plan looks up a sample of them first.
        """
        transport = self._context.client.transport
        if self._with_key:
            self._has_lookup = self._looks_up()
        # Each with its noted uuid, or an empty text for a lookup by barcode.
        uuids = {} if self._has_lookup is False else dict.fromkeys(self._with_key, "")
        uuids |= {index: noted[0] for index, noted in self._noted.items() if noted}
        self._trust_notes(uuids)
        options = self._context.options
        chosen = [index for index in uuids if self._planned[index].journal_name in options.looked_up]
        rest = [index for index in uuids if self._planned[index].journal_name not in options.looked_up]
        number = len(rest) if options.most_lookups is None or len(rest) <= options.most_lookups else SAMPLE
        known = [index for index in rest if self._noted[index]]
        others = [index for index in rest if not self._noted[index]]
        is_created = self._state == "present"
        first = known if is_created and options.most_lookups != SAMPLE else spread(known, number)
        chosen += [*first, *spread(others, max(0, number - len(first)))]
        transport.rate.expect(len(chosen) + (0 if transport.read_only else len(self._planned)))
        if self._take({index: uuids[index] for index in chosen}):
            # One archived record in a sample means that there are more.
            looked_up = set(chosen)
            left = [index for index in rest if index not in looked_up]
            more = {*spread(left, max(0, MOST_OF_A_RUN - len(chosen)))}
            more |= {*known} - looked_up if is_created else set()
            self._take({index: uuids[index] for index in sorted(more)})
            chosen += more
        self._report(self._planned.keys() - set(chosen) - self._checked)

    def _trust_notes(self, uuids: dict[int, str]) -> None:
        """Count records as archived that earlier runs found in the archive, if a sample of them is still there.

        Only rows that leave such records alone are counted so. They are taken out of the records to look up.
        """
        options = self._context.options
        noted = {
            index: self._noted[index][0]
            for index in uuids
            if self._rules_of(index).archived == KEEP
            # A hidden key is noted by its place, which says nothing.
            and not self._planned[index].kept_as
            and not options.archived.isdisjoint(self._noted[index][:1])
        }
        if options.most_lookups is None or len(noted) <= SAMPLE:
            return
        sample = {index: noted[index] for index in spread(list(noted), SAMPLE)}
        trusted = noted if self._take(sample) == len(sample) else sample
        self._checked |= set(trusted)
        for index in trusted:
            del uuids[index]
        for index in trusted.keys() - sample.keys():
            planned = self._planned[index]
            planned.archived = True
            self._context.claimed.setdefault(self._kind.name, {}).setdefault(noted[index], planned.entry)
            self._context.state.replace(planned.kind, {id(planned.entry): None})

    def _looks_up(self) -> bool | None:
        """Return True if the instance finds a listed record by its barcode, or None if that is unknown."""
        kind, client = self._kind, self._context.client
        barcodes = (record.flat.get(kind.barcode_key) for record in self._context.state.records(kind))
        try:
            return client.looks_up_barcodes(kind, barcodes)
        except SeventhingsError as error:
            if self._context.hiding.is_on:
                # The path quotes the barcode of a record.
                error.message = NOT_SHOWN
            raise

    # ---- found

    def _take(self, uuids: Mapping[int, str]) -> int:
        """Look records up, and pair those that are found. Return how many are archived."""
        context, number = self._context, 0
        for index, record in self._found(uuids):
            planned = self._planned[index]
            if not context.claim(planned.kind, record.uuid, planned.entry):
                continue
            # A record that should be archived and is in no list needs no change. The set knows what it archived itself.
            is_own = planned.entry.state == "archived" or record.uuid in context.options.archived
            assume = is_own or ASSUMED_ARCHIVED in context.options.allow
            try:
                planned.archived = is_archived_duplicate(context.client, record, assume)
            except MayBeHidden as hidden:
                context.find(planned.entry.place, hidden.message)
                continue
            if not planned.archived:
                # The list should have contained the record.
                context.warn(planned, [unlisted(record)])
            context.state.replace(planned.kind, {id(planned.entry): record})
            context.state.note_unlisted(record)
            self._matched[index] = (planned, record)
            number += planned.archived
        return number

    def _found(self, uuids: Mapping[int, str]) -> Iterable[tuple[int, Record]]:
        def look_up(index: int) -> Record | None:
            planned, client, state = self._planned[index], self._context.client, self._context.state
            try:
                # The record that was noted last may have been deleted.
                noted = [state.read_unlisted(self._kind, uuid) for uuid in self._noted[index]] if uuids[index] else []
                record = archived_duplicate(client, planned.schema, planned.keys, planned.desired, noted)
                for old in self._context.old_keys.get(id(planned.entry), ()):
                    desired = {**planned.desired, **old}
                    record = record or archived_duplicate(client, planned.schema, tuple(old), desired, noted)
                return record
            except SeventhingsError as error:
                # The path contains the barcode.
                error.message = self._context.hiding.reason(planned.entry, error)
                raise

        with ThreadPoolExecutor(max_workers=self._context.client.workers) as pool:
            records = zip(uuids, pool.map(look_up, uuids), strict=True)
            return [(index, record) for index, record in records if record is not None]

    def _rules_of(self, index: int) -> RowRules:
        return self._context.rules_of(self._planned[index].entry)

    # ---- not looked up

    def _report(self, unchecked: Collection[int]) -> None:
        """Report how many records were not looked up, and the possible consequences."""
        result, kind = self._context.result, self._kind
        result.unchecked |= {id(self._planned[index].entry) for index in unchecked}
        if self._state == "archived":
            return
        # A row that creates nothing creates no second record.
        unchecked = {index for index in unchecked if self._rules_of(index).unknown_rows == CREATE}
        outcome = f"An archived {kind.words} stays." if self._state == "absent" else second_record(kind)
        for words, indexes in (
            (f"{kind.barcode_key}s", set(self._with_key)),
            (kind.plural, self._planned.keys() - set(self._with_key)),
        ):
            if number := len(indexes & unchecked):
                why, advice = self._why(words)
                found = f"{kind.section}: {number:,} of {len(indexes):,} {words} were not checked against the archive"
                result.warnings.append(f"{found}{why}. {outcome}{advice}")

    def _why(self, words: str) -> tuple[str, str]:
        """Return why some records were not looked up, and how to look them up."""
        key = self._kind.barcode_key
        if words == self._kind.plural:
            by = f"no {key} is written" if key else f"no list shows archived {words}"
            return f", because {by} and the journal notes no uuid", ""
        if self._has_lookup is False:
            return f", because this instance does not look up a single {key}", ""
        return "", " archived_lookups: all looks up all of them, each with a request."
