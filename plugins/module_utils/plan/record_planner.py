# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan one record. Matching and comparison are shared with plans of many records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..client.record import Record
from ..errors import NoMatch
from ..resolve import natural_keys
from ..resolve.field_visibility import perhaps_hidden
from .allowed import ASSUMED_ARCHIVED
from .archived_duplicate import found_by_barcode, is_archived_duplicate, second_record, why_unlisted
from .change import Change
from .compare import Comparer, Wanted
from .state import InstanceState


@dataclass(frozen=True)
class PlannedRecord:
    """One record with its change.

    :ivar words: the record in words, as it was looked up.
    :ivar known: uuids of earlier records with its natural key.
    :ivar holders: records with its barcode that were looked up and no list shows.
    """

    change: Change
    words: str
    known: frozenset[str]
    holders: list[Record]


def possible_targets(wanted: Wanted, hits: Sequence[Record], is_as_wanted: Callable[[Record], bool]) -> list[Record]:
    """Return the possible targets among records with one natural key: finished records only if there are no others.

    :param is_as_wanted: returns True if nothing would have to change in a record.
    """
    kind = wanted.schema.kind
    status = wanted.desired.get(kind.status_key)
    return natural_keys.targets_by_status(kind, hits, status, is_as_wanted, wanted.state == "absent")


def is_archived(state: InstanceState, wanted: Wanted, current: Record | None) -> bool:
    """Return True if a record that was named by its uuid is archived.

    If it will be deleted, return whether it may be archived.
    """
    if current is None or not wanted.schema.kind.can_be_archived:
        return False
    return state.may_be_archived(current) if wanted.state == "absent" else state.is_archived(current)


def plan_record(state: InstanceState, wanted: Wanted, keys: Sequence[str], uuid: str | None) -> PlannedRecord:
    """Plan one record.

    :param keys: the fields that identify it. A field without a desired value does not exist yet.
    :param uuid: identifies it instead.
    :raises NoMatch: if a record with this uuid must exist; ``Ambiguous`` if several records match.
    """
    comparer, schema, kind = Comparer(state), wanted.schema, wanted.schema.kind
    warnings: tuple[str, ...] = ()
    holders: list[Record] = []
    written_keys = [key for key in keys if key in wanted.desired]
    if uuid:
        words = f"the uuid {uuid}"
        current = state.of_uuid(kind, uuid, wanted.template)
        if current is None and wanted.state == "present":
            raise NoMatch(f"There is no {kind.words} with {words}{perhaps_hidden(kind)}.")
        archived = is_archived(state, wanted, current)
        hits = [current] if current else []
    else:
        words = natural_keys.describe(schema, written_keys, wanted.desired)
        hits = (
            state.find_existing(schema, keys, wanted.desired, wanted.template) if len(written_keys) == len(keys) else []
        )
        targets = possible_targets(wanted, hits, partial(comparer.is_as_wanted, wanted))
        # Field definitions have no match_on.
        advice = "give uuid or field_key" if kind.defines_fields else "give uuid, or a match_on that tells them apart"
        current = natural_keys.only_record(kind, words, targets, advice)
        archived = False
        if current is None and len(written_keys) == len(keys):
            holders = found_by_barcode(state.client, schema, wanted.desired)
            current = next(iter(natural_keys.identified(schema, keys, wanted.desired, holders)), None)
            # A record that should be archived and is in no list needs no change.
            assume = ASSUMED_ARCHIVED in wanted.allow or wanted.state == "archived"
            archived = current is not None and is_archived_duplicate(state.client, current, assume)
            warnings = () if current is None or archived else why_unlisted(state.client, current)
    if kind.defines_fields and current is None and wanted.state == "present" and "field_key" in wanted.desired:
        raise NoMatch(
            f"There is no field definition with the key {wanted.desired['field_key']!r}; the service creates keys "
            "itself; leave out field_key to create a definition."
        )
    if current is None and wanted.state == "present":
        # If the account can't see the natural key, the record may exist although nothing is found.
        state.field_visibility(schema, keys=written_keys).check_identifies(written_keys)
        if kind.can_be_archived and kind.barcode_key not in written_keys:
            warnings += (f"It was not checked against the archive. {second_record(kind)}",)
    change = comparer.change(wanted, current, archived)
    change = replace(change, warnings=(*warnings, *change.warnings)) if warnings else change
    return PlannedRecord(change, words, frozenset(record.uuid for record in hits), holders)
