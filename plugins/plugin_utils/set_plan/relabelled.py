# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of the set that got another natural key in the application.

Then the files have no rename for such a record. Nothing is created, and no record gets the values of another one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import KINDS
from ...module_utils.model.schema import FieldError, Misfit
from ...module_utils.model.types_links import Reference, references_in
from ...module_utils.resolve import natural_keys
from ..desired.hiding import VAULTED
from ..desired.positions import Finding
from .aspect import Aspect
from .context import PlanContext
from .plan import Pair, Planned
from .resolver import numbered_references

_GIST = "a record of this set had this key before, and now has another key"
_FOLLOW = "Write the present keys of the records here, and change nothing else, or give them back their keys"


class RelabelledRecords(Aspect):
    """Refuse to create or change a record if its key belonged to a record that has another key now.

    The journal notes the keys. The files follow the application if an entry has the new key, or if nothing changes.
    Absorb refuses nothing: it leaves such an entry alone, with a note.
    """

    #: Uuid to the name in the journal of the entry that claims the record, if it may change something.
    _claims: dict[str, str]

    #: Names in the journal of the entries without a record.
    _unmatched: set[str]

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        self._left: set[int] = set()

    def joined(self, pairs: list[Pair]) -> None:
        """Find records with changed labels, unless a finding may explain why no entry has their keys."""
        context = self._context
        self._claims = {current.uuid: planned.journal_name for planned, current in pairs if current is not None}
        self._unmatched = {planned.journal_name for planned, current in pairs if current is None}
        if context.findings or not context.options.names:
            return
        relabelled = {id(planned.entry): (planned, record) for planned, record in self._given_away()}
        for planned, current in pairs:
            if current is not None or planned.entry.state != "present" or not planned.kind.is_plain:
                continue
            known = (context.state.known(planned.kind, uuid) for uuid in context.noted_uuids(planned))
            record = next(filter(None, known), None)
            if record is not None and not self._is_followed(planned, record):
                relabelled[id(planned.entry)] = planned, record
        self._left |= relabelled.keys()
        for planned, record in relabelled.values():
            within = [reference.pending for key in planned.keys for reference in references_in(planned.desired[key])]
            # If its key changed only because the key of its place did, that is reported once.
            if self._left.isdisjoint(map(id, within)):
                self._find(planned, record)
            # Absorb goes on: the record is neither new nor deleted, and references by the old key mean it.
            context.claimed.setdefault(planned.kind.name, {}).setdefault(record.uuid, planned.entry)
        found = {mark: record for mark, (_planned, record) in relabelled.items()}
        for kind in {record.kind.name: record.kind for record in found.values()}.values():
            context.state.replace(kind, found)
        pairs[:] = [(planned, current or found.get(id(planned.entry))) for planned, current in pairs]

    def _given_away(self) -> Iterator[tuple[Planned, Record]]:
        """Yield each entry whose record has the key of a record in no entry, with that record."""
        context = self._context
        left: dict[str, Record] = {}
        for uuid, name in context.options.names.items():
            kind = KINDS.get(name.partition(" ")[0])
            is_read = kind is not None and kind.is_plain and context.state.is_listed(kind)
            if kind is not None and is_read and uuid not in context.claimed.get(kind.name, {}):
                record = context.state.find(Reference(kind.name, uuid=uuid))
                left |= {} if record is None else {name: record}
        for kind_name in {record.kind.name for record in left.values()}:
            for uuid, entry in context.claimed.get(kind_name, {}).items():
                record = left.get(self._claim(kind_name, uuid))
                if record is not None and entry.state == "present" and not entry.uuid:
                    schema, keys, values = context.identify(entry)
                    planned = context.planned(entry, schema, values, keys, context.words(schema, keys, values))
                    if self._has_new_key(planned, record):
                        yield planned, record

    def changed(self, planned: Planned, current: Record | None) -> None:
        """Refuse to give a record the values of another record, whose key it has now."""
        context, options = self._context, self._context.options
        uuid, entry = options.uuids.get(planned.journal_name), planned.entry
        # An undo identifies records by uuid.
        if current is None or entry.uuid or entry.state != "present" or id(entry) in self._left:
            return
        self._stays(planned)
        if uuid in (None, current.uuid) or context.findings or planned.kept_as or not planned.kind.is_plain:
            return
        record = context.state.of_uuid(planned.kind, str(uuid))
        if record is not None and not self._is_followed(planned, record) and self._has_new_key(planned, record):
            self._find(planned, record)
        elif record is None and current.uuid in options.names and self._has_new_key(planned, current):
            words = f"{planned} is another record, which had another key; no list shows the record that had this key"
            self._note(planned, Finding.for_message(entry.place, FieldError.at((), f"{words}. {_FOLLOW}", _GIST)))

    def complete(self) -> None:
        """Take the entries that absorb leaves alone out of the plan."""
        result = self._context.result
        result.changes = [planned for planned in result.changes if id(planned.entry) not in self._left]
        codes = result.scan_codes
        codes.differing = [code for code in codes.differing if id(code.entry) not in self._left]

    def _note(self, planned: Planned, finding: Finding) -> None:
        """Refuse the plan, or note why absorb leaves an entry alone."""
        if self._context.options.is_absorb:
            self._left.add(id(planned.entry))
            self._context.result.relabelled.append(finding)
        else:
            self._context.note(finding)

    def _find(self, planned: Planned, record: Record) -> None:
        """Note that a record with the key of an entry before has another key now."""
        context = self._context
        exists = any(entry is planned.entry for entry in context.claimed.get(planned.kind.name, {}).values())
        advice = "Write the new key here and wherever files refer to it, or give it back the old one in moved.yml"
        words = (
            f"{planned} {'is another record' if exists else 'does not exist'}, and the record that had this key before "
            f"is now {_name(context, planned, record)} ({record.uuid}): its key was changed. "
            f"{_FOLLOW if exists else advice}"
        )
        error = FieldError.at((), words, _GIST, Misfit(planned.key, _GIST))
        self._note(planned, Finding.for_message(planned.entry.place, error))

    def _stays(self, planned: Planned) -> None:
        """Refuse to change a reference only because another record has the name of its target now."""
        context, state = self._context, self._context.state
        for key, value in planned.desired.items():
            kept = {target.uuid for target in references_in(value)}
            targets = map(state.find, references_in(planned.now(key))) if kept else ()
            left = {record.uuid: record for record in targets if record and record.uuid not in kept}
            for number, target in numbered_references(value):
                record = left.get(context.options.uuids.get(self._claim(target.target, str(target.uuid)), ""))
                if record is not None:
                    name = f"{record.kind.words} {state.shown_name_of(record) or record.uuid}"
                    words = f"another record has this name now, and {planned} refers to {name}. {_FOLLOW}"
                    problem = FieldError.at((), words, _GIST)
                    self._note(planned, context.about_reference(planned.entry, key, number, target, problem))

    def _claim(self, kind: str, uuid: str) -> str:
        """Return the name in the journal of the entry that claims a record."""
        return self._claims.get(uuid) or f"{kind} {self._context.result.managed.get(kind, {}).get(uuid, '')}"

    def _is_followed(self, planned: Planned, record: Record, *seen: str) -> bool:
        """Return True if an entry has the new key of a record, and so has that of the record with this key before."""
        kind, uuid = record.kind.name, record.uuid
        entry = self._context.claimed.get(kind, {}).get(uuid)
        if entry is None or id(entry) in self._left or uuid in seen:
            return replace(planned, key=_name(self._context, planned, record)).journal_name in self._unmatched
        before = self._context.options.uuids.get(self._claim(kind, uuid), uuid)
        other = None if before == uuid else self._context.state.find(Reference(kind, uuid=before))
        if other is None:
            # A plan that gives the values of a deleted record to another one is refused later, if anything changes.
            return before == uuid or not self._context.options.is_absorb
        return not self._has_new_key(planned, other) or self._is_followed(planned, other, uuid, *seen)

    def _has_new_key(self, planned: Planned, record: Record) -> bool:
        """Return True if a record was applied last with another key than it has now."""
        options, values = self._context.options, natural_keys.read_some(planned.schema, planned.keys, record)
        noted, baseline = options.names.get(record.uuid, ""), options.baseline
        is_as_noted = baseline and baseline.is_as_noted(record.uuid, planned.schema, values)
        if is_as_noted is None and noted and VAULTED not in noted and not any(references_in(tuple(values.values()))):
            # An interrupted run was changing the record, so only its name is known.
            return noted != replace(planned, key=_name(self._context, planned, record)).journal_name
        return is_as_noted is False


def _name(context: PlanContext, planned: Planned, record: Record) -> str:
    """Return the present natural key of a record in words."""
    values = natural_keys.read_some(planned.schema, planned.keys, record)
    return context.words(planned.schema, planned.keys, values) or "another key"
