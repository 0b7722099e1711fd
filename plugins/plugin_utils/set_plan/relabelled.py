# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of the set that got another natural key in the application.

Then the files have no rename for such a record, and nothing is created.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...module_utils.client.record import Record
from ...module_utils.model.field import first_of
from ...module_utils.model.schema import FieldError
from ...module_utils.model.types_links import Reference, references_in
from ...module_utils.resolve import natural_keys
from .aspect import Aspect
from .context import PlanContext
from .plan import Pair, Planned

_MOST_NAMED = 10
"""Maximum number of named records in a finding about relabelled records."""

_GIST = "a record of this set had this key before, and now has another key"


class RelabelledRecords(Aspect):
    """Refuse to create a record if the record that had its key, or an old one, has another, unclaimed key now."""

    def joined(self, pairs: list[Pair]) -> None:
        """Find records with changed labels, unless a finding may explain why no entry has their keys."""
        context = self._context
        # Absorb takes such a record as a deleted and a new one.
        if context.findings or context.options.note_references:
            return
        uuids = context.options.uuids
        names = {id(planned.entry): planned.journal_name for planned, _current in pairs if uuids}
        relabelled: dict[int, tuple[Planned, Record]] = {}
        for planned, current in pairs if uuids else ():
            if planned.entry.state != "present" or not planned.kind.is_plain:
                continue
            if current is not None:
                if (record := self._swapped(planned, current, names)) is not None:
                    relabelled[id(planned.entry)] = planned, record
                continue
            within = [reference.pending for key in planned.keys for reference in references_in(planned.desired[key])]
            if any(id(place) in relabelled for place in within):
                # Its key changed only because the key of its place did, which is reported once.
                continue
            uuid = next((uuids[name] for name in _names(context, planned) if name in uuids), None)
            if uuid is None or uuid in context.claimed.get(planned.kind.name, {}):
                continue
            record = context.state.find(Reference(planned.kind.name, uuid=uuid))
            if record is not None:
                relabelled[id(planned.entry)] = planned, record
        sections: dict[str, list[tuple[Planned, Record]]] = defaultdict(list)
        for planned, record in relabelled.values():
            sections[planned.section].append((planned, record))
        for group in sections.values():
            context.find(group[0][0].entry.place, FieldError.at((), _words(context, group), _GIST))

    def _swapped(self, planned: Planned, current: Record, names: Mapping[int, str]) -> Record | None:
        """Return the record that had the key of another record before, unless the files follow that.

        They do if one entry has its new key, or if the other record has the values of the files.

        :param names: id of an entry to its name in the journal.
        """
        context, schema, kind = self._context, planned.schema, planned.kind.name
        uuids, baseline = context.options.uuids, context.options.baseline
        uuid = uuids.get(planned.journal_name, current.uuid)
        record = context.state.find(Reference(kind, uuid=uuid)) if uuid != current.uuid else None
        if record is None or baseline is None or planned.kept_as:
            return None
        claim = context.claimed[kind].get(uuid)
        others = {key: value for key, value in planned.desired.items() if key not in planned.keys}
        values = {key: value for key, value in others.items() if not any(references_in((value,)))}
        is_followed = claim is not None and uuids.get(names.get(id(claim), ""), uuid) == uuid
        if is_followed or not values or baseline.is_as_noted(current.uuid, schema, values):
            return None
        is_as_before = baseline.is_as_noted(uuid, schema, natural_keys.read_some(schema, planned.keys, record))
        return record if is_as_before is False else None


def _names(context: PlanContext, planned: Planned) -> Iterator[str]:
    """Yield the names of a record in the journal: that of its key, and those of the old keys in moved.yml."""
    yield planned.journal_name
    for old in context.old_keys.get(id(planned.entry), ()):
        yield replace(planned, key=context.words(planned.schema, tuple(old), old)).journal_name


def _words(context: PlanContext, group: Sequence[tuple[Planned, Record]]) -> str:
    """Describe the relabelled records of one section in one finding."""
    planned, record = group[0]
    named = [f"{other.key} is {_name(context, other, found)}" for other, found in group]
    also = f", one of {len(named):,}: {first_of(named, _MOST_NAMED)}" if len(named) > 1 else ""
    exists = any(entry is planned.entry for entry in context.claimed.get(planned.kind.name, {}).values())
    return (
        f"{planned} {'is another record' if exists else 'does not exist'}, and the record that had this key before is "
        f"now {_name(context, planned, record)} ({record.uuid}): its key was changed{also}. Write the new key here if "
        "it is right, or give it back the old one with a rename in moved.yml"
    )


def _name(context: PlanContext, planned: Planned, record: Record) -> str:
    """Return the present natural key of a record in words."""
    values = natural_keys.read_some(planned.schema, planned.keys, record)
    return context.words(planned.schema, planned.keys, values) or "another key"
