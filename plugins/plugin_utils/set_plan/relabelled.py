# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of the set that got another natural key in the application.

Then the files have no rename for such a record, and nothing is created.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY, first_of
from ...module_utils.model.kinds import OBJECT
from ...module_utils.model.schema import FieldError
from ...module_utils.model.types_links import Reference, references_in
from ...module_utils.resolve import natural_keys
from ..desired.parsing import written_as
from .aspect import Aspect
from .context import PlanContext
from .plan import Pair, Planned

_MOST_NAMED = 10
"""Maximum number of named records in a finding about relabelled records."""

_GIST = "a record of this set had this key before, and now has another key"


class RelabelledRecords(Aspect):
    """Refuse to create a record whose last noted key belongs to an existing record with another, unclaimed key."""

    def joined(self, pairs: list[Pair]) -> None:
        """Find records with changed labels, unless a finding may explain why no entry has their keys."""
        context = self._context
        if context.findings:
            return
        uuids: dict[str, list[str]] = defaultdict(list)
        for uuid, name in context.options.names.items():
            uuids[name].append(uuid)
        relabelled: dict[int, tuple[Planned, Record]] = {}
        for planned, current in pairs if uuids else ():
            if current is not None or planned.entry.state != "present" or not planned.kind.is_plain:
                continue
            within = [reference.pending for key in planned.keys for reference in references_in(planned.desired[key])]
            if any(id(place) in relabelled for place in within):
                # Its key changed only because the key of its place did, which is reported once.
                continue
            known = uuids.get(planned.journal_name, ())
            claimed = context.claimed.get(planned.kind.name, {})
            references = [Reference(planned.kind.name, uuid=uuid) for uuid in known if uuid not in claimed]
            found = map(context.state.find, references)
            left = [record for record in found if record is not None]
            if len(left) == 1:
                relabelled[id(planned.entry)] = planned, left[0]
        sections: dict[str, list[tuple[Planned, Record]]] = defaultdict(list)
        for planned, record in relabelled.values():
            sections[planned.section].append((planned, record))
        for group in sections.values():
            context.find(group[0][0].entry.place, FieldError.at((), _words(context, group), _GIST))


def _words(context: PlanContext, group: Sequence[tuple[Planned, Record]]) -> str:
    """Describe the relabelled records of one section in one finding."""
    (planned, record), *others = group
    keys = [_keys_of(context, *pair) for pair in group]
    names = ["/".join(map(str, now.values())) or "another key" for now, _wanted in keys]
    named = [f"{other.key} is {name}" for (other, _record), name in zip(group, names, strict=True)]
    also = f", one of {len(named):,}: {first_of(named, _MOST_NAMED)}" if others else ""
    pairs = [{"from": now, "to": wanted} for now, wanted in keys if now][:_MOST_NAMED]
    line = json.dumps({planned.section: pairs}, ensure_ascii=False, default=str)
    advice = f", or give it back the old one with this line in moved.yml: {line}" if pairs else ""
    labels = ""
    if others and planned.kind is OBJECT:
        labels = (
            ". If labels replaced placeholders, let another field identify objects, and set scan_codes in "
            "instance.yml: then no label is a change"
        )
    return (
        f"{planned} does not exist, and the record that had this key before is now {names[0]} ({record.uuid}): "
        f"its key was changed{also}. Write the new key here if it is right{advice}{labels}"
    )


def _keys_of(context: PlanContext, planned: Planned, record: Record) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the present natural key of a record, and the natural key in the files."""
    written = [written_as(planned.schema, planned.entry, key) for key in planned.keys]
    return _key_of(context, planned, record), {name: planned.entry.fields.get(name) for name in written}


def _key_of(context: PlanContext, planned: Planned, record: Record) -> dict[str, Any]:
    """Return the present natural key of a record as files write it; empty if a part of it has no name."""
    values = natural_keys.read_some(planned.schema, planned.keys, record)
    written = {
        written_as(planned.schema, planned.entry, key): _named(context, planned, key, values[key]) for key in values
    }
    return {} if any(value in EMPTY for value in written.values()) else written


def _named(context: PlanContext, planned: Planned, key: str, value: Any) -> Any:
    if isinstance(value, Reference):
        place = context.state.find(value)
        return None if place is None else context.state.name_of(place)
    return None if isinstance(value, tuple) else planned.schema.brief(key, value)
