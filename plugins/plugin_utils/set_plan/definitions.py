# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan field definitions. New definitions come first, because other records are written with them.

Relations between definitions are written with the key or the label of the other field. The instance generates the
uuids, and files must mean the same on every instance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import Field
from ...module_utils.model.kinds import FIELD_DEFINITION, KINDS, TEMPLATES, Kind
from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import Schema, field_to_be
from ...module_utils.plan.change import CREATE, UNCHANGED, UPDATE
from ...module_utils.plan.relations import related
from ...module_utils.resolve import natural_keys
from ..desired.desired import SECTIONS
from ..desired.entry import Entry
from .context import PlanContext
from .plan import Planned

_SECTION = "fields"


class Definitions:
    """Plan the definitions of every template.

    :param compare: plans the change of one record.
    """

    def __init__(self, context: PlanContext, compare: Callable[[Planned, Record | None], None]) -> None:
        self._context = context
        self._compare = compare
        self._schema = Schema.for_kind(FIELD_DEFINITION)
        self._final: list[tuple[str, Record | None, Entry]] = []

    def run(self) -> None:
        """Plan all definitions. From now on every field is known as it will be."""
        for template in TEMPLATES:
            entries = self._entries(template)
            other = [field for entry in entries for field in [self._plan(template, entry)] if field is not None]
            self._check_names(template)
            self._check_labels(template)
            for kind in KINDS.values() if other else ():
                if kind.template == template and self._is_used(kind):
                    self._context.schema(kind).take(other)

    def _entries(self, template: str) -> list[Entry]:
        return [entry for entry in self._context.entries[_SECTION] if entry.template == template]

    def _is_used(self, kind: Kind) -> bool:
        return any(
            SECTIONS[section] == kind.name and (entries or section in self._context.desired.sections)
            for section, entries in self._context.entries.items()
        )

    def _plan(self, template: str, entry: Entry) -> Field | None:
        """Plan one definition. Return the field as it will be if it changes. A new field has its label as its key."""
        context, schema = self._context, self._schema
        complaints = context.complaints
        fields, later = self._with_relations(entry)
        values = context.wanted.parse(schema, entry, fields)
        if later is not None:
            values.pop("relations", None)
        keys = ("field_key",) if values.get("field_key") else ("label",)
        if not values.get(keys[0]):
            if "label" not in entry.fields:
                context.find(entry.place, "label must have a value, because a field definition is identified by it")
            return None
        if context.claim_first(schema, keys, values, entry) is None:
            return None
        known = context.state.records(FIELD_DEFINITION, template)
        if entry.uuid:
            hits = [record for record in known if record.uuid == entry.uuid]
        else:
            hits = natural_keys.identified(schema, keys, values, known)
        current = context.only_match(entry, schema, keys, values, hits)
        if current is not None and not context.claim(FIELD_DEFINITION, current.uuid, entry):
            return None
        if current is None and keys == ("field_key",):
            context.find(
                entry.place_of("field_key"), f"there is no field definition with the key {values['field_key']!r}"
            )
        if context.complaints > complaints:
            # A mistake in a field definition must not count against the records with that field.
            return _doubtful(values, current)
        self._final.append((str(values.get("label") or (current.flat.get("label") if current else "")), current, entry))
        planned = context.planned(entry, schema, values, keys, f"{template} {values[keys[0]]}")
        self._compare(planned, current)
        if later is not None:
            self._relate_later(planned, current, later)
        if context.complaints > complaints:
            return _doubtful(values, current)
        if not planned.change.changed:
            return None
        if not context.is_chosen(planned):
            if current is not None:
                return None
            context.unmade.add((template, str(values.get("label"))))
        have = {} if current is None else schema.read(current.flat)
        field = field_to_be({**have, **planned.change.values})
        if field is None:
            return None
        if current is None:
            return replace(field, key=field.label)
        field = replace(field, uuid=current.uuid, retyped="type" in planned.change.values)
        if field.retyped:
            self._check_identity(entry, field)
        return field

    def _check_identity(self, entry: Entry, field: Field) -> None:
        """Refuse another type for a field that identifies records: the service may empty it."""
        for section, entries in self._context.entries.items():
            kind = KINDS[SECTIONS[section]]
            if kind.template != entry.template or not entries:
                continue
            own = self._context.desired.identity.get(section)
            names = own if own is not None else [key for keys in kind.match_on for key in keys]
            if {field.key, field.label} & {name.removeprefix(kind.key_prefix) for name in names}:
                problem = f"{field.key} identifies the {section} in these files, and another type may cost its values"
                self._context.find(entry.place_of("type"), f"type: {problem}; identify them by another field first")

    def _check_names(self, template: str) -> None:
        """Refuse a label that is the label or the key of another field: it would be ambiguous."""
        final, self._final = self._final, []
        written = {current.uuid for _label, current, _entry in final if current is not None}
        owners: dict[str, list[str]] = defaultdict(list)
        for definition in self._context.client.definitions(template) if final else ():
            uuid = str(definition.get("uuid"))
            if uuid not in written:
                owners[normal_name(str(definition.get("label")))].append(uuid)
            owners[str(definition.get("field_key"))].append(uuid)
        for label, _current, entry in final:
            owners[normal_name(label)].append(str(entry.place))
        for label, current, entry in final:
            if "label" not in entry.fields or (current is not None and current.flat.get("label") == label):
                continue
            mine = {str(entry.place), current.uuid if current else ""}
            others = [owner for owner in dict.fromkeys(owners[normal_name(label)]) if owner not in mine]
            if others:
                problem = f"label: {label!r} is the label or the key of another field too ({', '.join(others)})"
                self._context.find(entry.place_of("label"), f"{problem}; records could not name either of them")

    def _check_labels(self, template: str) -> None:
        """Refuse to create a field again that got another label in the application: nobody can delete a field."""
        context, kind = self._context, FIELD_DEFINITION
        created = [planned for planned in context.result.changes if planned.change.action == CREATE]
        for planned in [planned for planned in created if planned.entry.template == template]:
            uuid = context.options.uuids.get(planned.journal_name)
            now = next((record.flat for record in context.state.records(kind, template) if record.uuid == uuid), None)
            claim = context.claimed.get(kind.name, {}).get(str(uuid))
            # Another label of the files may lead to the field. Its key does so on purpose.
            if now is not None and (claim is None or "field_key" not in claim.fields):
                context.find(
                    planned.entry.place_of("label"),
                    f"label: the field with this label is now {now['label']!r}: its label was changed. Give it back "
                    f"this label in the application, or write `field_key: {now['field_key']}` beside the right label",
                )

    def _with_relations(self, entry: Entry) -> tuple[Mapping[str, Any], Any]:
        """Return the fields of an entry, with uuids where relations name other fields.

        If this plan creates some of those fields, the relations stay as written, and all of them are written later.
        """
        context, fields = self._context, entry.fields
        written = fields.get("relations")
        resolved, missing, unknown = related(written, partial(context.client.definitions, entry.template))
        for number, problem in unknown.items():
            context.find(entry.place_in(("relations", number, "field_uuid")), problem)
        labels = [other.fields.get("label") for other in self._entries(entry.template)]
        labels_to_be = {label for label in labels if isinstance(label, str)}
        for number, name in missing.items():
            if name not in labels_to_be:
                place = entry.place_in(("relations", number, "field"))
                context.find(place, f"relations[{number}].field: {name!r} names no field of this template, or several")
        return {**fields, "relations": resolved} if written else fields, written if missing else None

    def _relate_later(self, planned: Planned, current: Record | None, written: Any) -> None:
        planned.relations = written
        was = planned.change
        have = (
            planned.schema.brief("relations", planned.schema.read_field("relations", current.flat)) if current else None
        )
        planned.change = replace(
            was,
            action=UPDATE if was.action == UNCHANGED else was.action,
            current=current,
            before={**was.before, **({"relations": have} if current else {})},
            after={**was.after, "relations": list(planned.relations)},
        )
        if was.action == UNCHANGED:
            self._context.result.unchanged[_SECTION] -= 1
            self._context.take(planned)


def _doubtful(values: Mapping[str, Any], current: Record | None) -> Field | None:
    """Return the existing field of a wrong definition, for which any value is accepted."""
    label = values.get("label") or (current.flat.get("label") if current else None)
    key = str(current.flat.get("field_key")) if current else label
    return Field(key, "ANY", str(label or "")) if isinstance(key, str) else None
