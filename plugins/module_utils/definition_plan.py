# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for field definitions: what is to be made comes first, because other records are written with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from . import plan, relations
from .client import Record
from .desired import SECTIONS, Entry
from .fields import Field
from .ground import Ground
from .kinds import FIELD_DEFINITION, TEMPLATE_KINDS, TEMPLATES, Kind
from .planned import UNCHANGED, Planned
from .schema import Schema, field_to_be

_SECTION = "fields"


class Definitions:
    """Plans the definitions of every template.

    :param compare: plans the change of one record.
    """

    def __init__(self, ground: Ground, compare: Callable[[Planned, Record | None], None]) -> None:
        self._ground = ground
        self._compare = compare
        self._schema = Schema.of(FIELD_DEFINITION)

    def run(self) -> None:
        """Plans them all; from now on every field is known as it will be."""
        for template in TEMPLATES:
            entries = self._entries(template)
            other = [one for entry in entries for one in [self._plan(template, entry)] if one is not None]
            kind = TEMPLATE_KINDS[template]
            if other and self._is_used(kind):
                self._ground.schema(kind).take(other)

    def _entries(self, template: str) -> list[Entry]:
        return [entry for entry in self._ground.entries[_SECTION] if entry.template == template]

    def _is_used(self, kind: Kind) -> bool:
        return any(
            SECTIONS[section] == kind.name and (entries or section in self._ground.desired.sections)
            for section, entries in self._ground.entries.items()
        )

    def _plan(self, template: str, entry: Entry) -> Field | None:
        """Plans one definition. Returns the field as it will be where that is not as it is; one that is still to be
        made has its label as its key.
        """
        ground, schema = self._ground, self._schema
        fields, later = self._with_relations(entry)
        values = ground.wanted.parse(schema, entry, fields)
        if later is not None:
            values.pop("relations", None)
        keys = ("field_key",) if values.get("field_key") else ("label",)
        if not values.get(keys[0]):
            if "label" not in entry.fields:
                ground.find(entry.place, "label must have a value, because a field definition is identified by it")
            return None
        if not ground.claims.claim(schema, keys, values, entry):
            return None
        known = [Record.of(FIELD_DEFINITION, raw) for raw in ground.client.definitions(template)]
        hits = [record for record in known if record.flat.get(keys[0]) == values[keys[0]]]
        if entry.uuid:
            hits = [record for record in known if record.uuid == entry.uuid]
        current = ground.one(entry, schema, keys, values, hits)
        if current is None and hits:
            return None
        if current is None and keys == ("field_key",):
            ground.find(
                entry.place_of("field_key"), f"there is no field definition with the key {values['field_key']!r}"
            )
            return None
        wanted = plan.with_equal_allowed_values(schema, values, current)
        wanted.pop("field_key", None)
        key = f"{template} {values[keys[0]]}"
        planned = Planned(_SECTION, entry, schema, wanted, keys, key, UNCHANGED[schema.kind.name])
        self._compare(planned, current)
        if later is not None:
            self._relate_later(planned, current, later)
        if not planned.change.changed:
            return None
        have = {} if current is None else schema.read(current.flat)
        of = field_to_be({**have, **planned.change.values})
        if of is None:
            return None
        return replace(of, key=of.label) if current is None else replace(of, uuid=current.uuid)

    def _with_relations(self, entry: Entry) -> tuple[Mapping[str, Any], Any]:
        """The fields of an entry, with uuids where relations name other fields; relations as written where some of
        those are yet to be made by this plan, so that all of them come later.
        """
        fields = entry.fields
        written = fields.get("relations") or ()
        if not relations.names_fields(written):
            return fields, None
        resolved, missing = relations.with_uuids(written, self._ground.client.definitions(entry.template))
        coming = {other.fields.get("label") for other in self._entries(entry.template)}
        for number, name in missing.items():
            if name not in coming:
                place = entry.place_in(("relations", number, "field"))
                self._ground.find(
                    place, f"relations[{number}].field: {name!r} is no field of this template, or several"
                )
        return {**fields, "relations": resolved}, written if missing else None

    def _relate_later(self, planned: Planned, current: Record | None, written: Any) -> None:
        planned.relations = written
        was = planned.change
        have = (
            planned.schema.brief("relations", planned.schema.read_one("relations", current.flat)) if current else None
        )
        planned.change = replace(
            was,
            action=plan.UPDATE if was.action == plan.UNCHANGED else was.action,
            current=current,
            before={**was.before, **({"relations": have} if current else {})},
            after={**was.after, "relations": list(planned.relations)},
        )
        if was.action == plan.UNCHANGED:
            self._ground.result.unchanged[_SECTION] -= 1
            self._ground.take(planned)
