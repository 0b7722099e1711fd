# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Observed fields of an instance: scans or people write them, so a plan leaves them out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils.client.query import PER_PAGE
from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY
from ...module_utils.model.kinds import KINDS, OBJECT, maps_in
from ...module_utils.model.rooms import TO_LOCATION, TO_ROOM, coupled_locations
from ...module_utils.model.schema import Schema
from ...module_utils.resolve import natural_keys
from ..desired.desired import SECTIONS
from ..desired.entry import Entry
from ..desired.observed import ACTUAL_KEYS, OBSERVED, TARGET_KEY, finding_words, together, warning_words
from ..desired.positions import Place
from .aspect import Aspect
from .context import PlanContext

_COMPARISON = "FIELD_VALUE_COMPARISON"
ACTUAL, EXPECTED = "actual_field", "expected_field"

#: Type of a relation to the uuid, the key or the label of the other field.
Relations = Mapping[str, str]


def compared_rooms(schema: Schema, comparisons: Iterable[Relations]) -> dict[str, None]:
    """Return the keys of the fields that hold an actual room or location, and of the locations coupled to these."""
    by_uuid = {field.uuid: field for field in schema.fields.values() if field.uuid}
    found: dict[str, None] = {}
    for relations in comparisons:
        pair = [relations.get(name, "") for name in (ACTUAL, EXPECTED)]
        fields = [by_uuid.get(name) or (schema.find(name) if name else None) for name in pair]
        types = [None if field is None else field.type for field in fields]
        if fields[0] is not None and types in ([TO_ROOM, TO_ROOM], [TO_LOCATION, TO_LOCATION]):
            found[fields[0].key] = None
            found |= dict.fromkeys(location.key for location in coupled_locations(schema, fields[0]))
    return found


def comparisons_of(definitions: Iterable[Mapping[str, Any]]) -> Iterator[Relations]:
    """Yield the relations of the definitions that compare two fields, as the service returns them."""
    for raw in definitions:
        kind = raw.get("field_type")
        name = kind.get("name") if isinstance(kind, Mapping) else kind
        if name == _COMPARISON:
            yield _related_fields(raw.get("relations"))


def _related_fields(relations: Any) -> Relations:
    return {
        str(relation.get("type")): str(relation.get("field") or relation.get("field_uuid") or "")
        for relation in maps_in(relations)
    }


def uses_target(schema: Schema, records: Sequence[Record]) -> bool:
    """Return True if a record on the first page has a target room."""
    return TARGET_KEY in schema.fields and any(
        natural_keys.read_some(schema, [TARGET_KEY], record)[TARGET_KEY] not in EMPTY for record in records[:PER_PAGE]
    )


def exported_without(
    names: Mapping[str, Sequence[str]],
    section: str,
    schema: Schema,
    definitions: Iterable[Mapping[str, Any]],
    records: Callable[[], Sequence[Record]],
) -> frozenset[str]:
    """Return the keys of the fields that an export leaves out.

    :param names: the observed fields that ``instance.yml`` names. :param records: returns those of the section.
    """
    if section in names:
        found = (schema.find(name) for name in names[section])
        return frozenset(field.key for field in found if field is not None)
    if schema.kind is not OBJECT:
        return frozenset()
    compared = compared_rooms(schema, comparisons_of(definitions))
    if not compared and any(key in schema.fields for key in ACTUAL_KEYS) and uses_target(schema, records()):
        compared = dict.fromkeys(ACTUAL_KEYS)
    return frozenset(compared)


@dataclass
class _Section:
    """The observed fields of a section.

    :ivar named: keys that the task or the files name.
    :ivar detected: keys that the instance defines.
    :ivar keys: both.
    :ivar assumed: keys that are observed if it turns out that the instance has target rooms.
    :ivar free: names of fields that certainly are not observed.
    """

    schema: Schema
    named: frozenset[str] = frozenset()
    detected: frozenset[str] = frozenset()
    assumed: frozenset[str] = frozenset()
    free: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.keys = self.named | self.detected

    def detect(self, keys: frozenset[str]) -> None:
        """Add keys that the instance defines."""
        self.detected |= keys
        self.keys = self.named | self.detected


class ObservedFields(Aspect):
    """Leave out observed fields, and warn of the records that write them."""

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        self._sections: dict[str, _Section] = {}
        self._written: dict[str, dict[str, dict[int, Place]]] = {}
        self._has_target: bool | None = None

    def left_alone(self, schema: Schema, entry: Entry, exists: bool) -> frozenset[str]:
        """Return the keys of the observed fields."""
        return self._of(schema.kind.section).keys if schema.kind.is_plain else frozenset()

    def settings(self) -> None:
        """Find names that mean no field, and fields that identify records."""
        context, task = self._context, self._context.options.observed
        for section, names in together(task, context.desired.observed).items():
            schema = context.schema_of(section) if section in context.desired.sections else None
            setting = f"{OBSERVED}.{section}"
            for name in names if schema is not None else ():
                is_of_task = name in task.get(section, ())
                place = Place(setting) if is_of_task else context.desired.place_of(setting)
                begins = "" if is_of_task else f"{setting}: "
                found = schema.find(name) if schema is not None else None
                if found is None and schema is not None:
                    context.find(place, f"{begins}{name}: {schema.why_unknown(name)}")
                elif found is not None and found.key in self._identity(section, schema):
                    context.find(place, f"{begins}{found.key} identifies the {section}, so files must write it")

    def writable(self, entry: Entry, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields that are not observed; note the others."""
        if not entry.kind.is_plain:
            return fields
        section = entry.kind.section
        own = self._of(section)
        # The rows of a table share their columns.
        if own.free.issuperset(fields):
            return fields
        observed = [
            name for name in fields if (key := own.schema.key_of(name)) in own.keys or self._is_assumed(own, key)
        ]
        own.free |= fields.keys() - observed
        if not observed:
            return fields
        for name in observed if entry.state == "present" else ():
            self._note(section, entry, name, own.schema.key_of(name))
        return {name: value for name, value in fields.items() if name not in observed}

    def warnings(self) -> list[str]:
        """Return warnings: one per section whose files write observed fields, and one for what files can't change."""
        context = self._context
        is_protected = context.options.is_protected
        lines = []
        for section, written in self._written.items():
            fields = {name: (len(places), next(iter(places.values()))) for name, places in written.items()}
            lines.append(
                warning_words(section, fields, is_protected, "is left out" if len(fields) == 1 else "are left out")
            )
        task = context.options.observed
        for section, names in context.desired.observed.items() if is_protected else ():
            kept = sorted(self._of(section).detected)
            if kept and not names and section not in task:
                place = context.desired.place_of(f"{OBSERVED}.{section}")
                lines.append(
                    f"{place}: {OBSERVED}.{section}: only the task may empty it under protected, so {', '.join(kept)} "
                    f"stay observed."
                )
        return lines

    def _note(self, section: str, entry: Entry, name: str, key: str) -> None:
        context = self._context
        if key in self._of(section).named:
            context.find(entry.place_of_name(name), finding_words(context.desired, section, name))
        elif not self._is_ignored(section, entry, key):
            self._written.setdefault(section, {}).setdefault(name, {}).setdefault(id(entry), entry.place_of(name))

    def _is_ignored(self, section: str, entry: Entry, key: str) -> bool:
        """Return True if the files themselves ignore a field."""
        settings = self._context.desired.lifecycle.get(section)
        lifecycle = entry.lifecycle if settings is None else settings.with_more(entry.lifecycle)
        return key in lifecycle.left_alone(self._context.schema(entry.kind), exists=False)

    def _is_assumed(self, own: _Section, key: str) -> bool:
        """Return True if a field is observed because the files or the records say where objects belong."""
        if key not in own.assumed:
            return False
        if self._has_target is None:
            entries = self._context.entries[OBJECT.section]
            is_written = any(own.schema.key_of(name) == TARGET_KEY for entry in entries for name in entry.fields)
            self._has_target = is_written or uses_target(own.schema, self._context.state.records(OBJECT))
        if self._has_target:
            own.detect(own.assumed)
        return self._has_target

    def _of(self, section: str) -> _Section:
        if section not in self._sections:
            self._sections[section] = self._read(section)
        return self._sections[section]

    def _read(self, section: str) -> _Section:
        context = self._context
        schema = context.schema(KINDS[SECTIONS[section]])
        task, files = context.options.observed, context.desired.observed
        fields = [schema.find(name) for name in together(task, files).get(section, ())]
        identity = self._identity(section, schema)
        named = frozenset(field.key for field in fields if field is not None) - identity
        is_decided = section in task or (section in files and not context.options.is_protected)
        found = _Section(schema, named)
        if not is_decided and schema.kind is OBJECT:
            relations = (*comparisons_of(context.client.definitions(OBJECT.template)), *self._planned_comparisons())
            found.detect(frozenset(compared_rooms(schema, relations)) - identity - named)
            if not found.detected:
                found.assumed = frozenset(key for key in ACTUAL_KEYS if key in schema.fields) - identity - named
        return found

    def _planned_comparisons(self) -> Iterator[Relations]:
        """Yield the relations of the definitions in the files that compare two fields."""
        for entry in self._context.desired.entries:
            is_of_objects = entry.kind.defines_fields and entry.template == OBJECT.template
            if is_of_objects and entry.fields.get("type") == _COMPARISON:
                yield _related_fields(entry.fields.get("relations"))

    def _identity(self, section: str, schema: Schema | None) -> frozenset[str]:
        if schema is None:
            return frozenset()
        desired = self._context.desired
        names = desired.identity.get(section) or [k for keys in schema.kind.match_on for k in keys]
        found = (schema.find(name) for name in (*names, *desired.tables.match_names))
        return frozenset(field.key for field in found if field is not None)
