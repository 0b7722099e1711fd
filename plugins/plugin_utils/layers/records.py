# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Merge the records of several layers: records with the same natural key are one record."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...module_utils.model.field import EMPTY, Plain, Way
from ...module_utils.model.kinds import Kind
from ...module_utils.model.schema import Schema, field_to_be
from ...module_utils.resolve import natural_keys
from ..desired.desired import SECTIONS, DesiredInstance
from ..desired.dialect import Dialect
from ..desired.entry import Entry
from ..desired.lifecycle import Lifecycle
from ..desired.nodes import EVERYTHING, Node
from ..desired.parsing import mark_as_written
from ..desired.positions import Finding, Place
from ..desired.row_rules import NO_RULES
from ..desired.words import OWN_LIFECYCLE, STATE

Key = tuple[Any, ...]
_SECTION_OF = {kind: section for section, kind in SECTIONS.items()}


class MergedPlaces(Node):
    """The places of the fields of a record in several layers.

    :param owners: name of a field to the record of the layer that it came from.
    """

    __slots__ = ()

    is_mapped = True

    value: Mapping[str, Entry]

    def __init__(self, owners: Mapping[str, Entry]) -> None:
        super().__init__(owners, "", 0)

    def of_field(self, name: str) -> Place:
        return self.value[name].place_of(name)

    def within(self, way: Way) -> Place:
        """Return the place of a part of a field."""
        return self.value[str(way[0])].place_in(way)

    def of_name(self, name: str) -> Place:
        """Return the place of the name of a field."""
        return self.value[name].place_of_name(name)

    def root_of(self, name: str) -> str:
        """Return the directory of the local files of a field."""
        return self.value[name].root_of(name)

    def format_of(self, name: str) -> Dialect | None:
        """Return the format of the table that a field came from; None if it came from no table."""
        return self.value[name].places.format_of(name)

    def owner_of(self, name: str) -> Entry:
        """Return the record of the layer that a field came from."""
        return self.value[name]


class _Found:
    """Records, found by their natural keys.

    :ivar entries: the records by their numbers.
    """

    def __init__(self) -> None:
        self.entries: dict[int, Entry] = {}
        self._next = 0
        self._numbers: dict[Key, list[int]] = {}
        self._keys: dict[int, dict[Key, Key]] = {}

    def put(self, entry: Entry) -> int:
        """Add a record. Return its number."""
        self.entries[self._next] = entry
        self._next += 1
        return self._next - 1

    def know(self, keys: Iterable[Key], number: int) -> None:
        """Find a record by its natural keys. They replace its earlier keys for the same fields."""
        own = self._keys.setdefault(number, {})
        for key in keys:
            fields = _fields_of(key)
            if own.get(fields) != key:
                if fields in own:
                    self._numbers[own[fields]].remove(number)
                own[fields] = key
                self._numbers.setdefault(key, []).append(number)

    def same(self, keys: Sequence[Key]) -> list[int]:
        """Return the records with the same natural key. The first key whose fields both records have decides.

        Rooms with the same name may still have different numbers.
        """
        hits = dict.fromkeys(number for key in keys for number in self._numbers.get(key, ()))
        return [number for number in hits if self._is_same(keys, self._keys[number])]

    def _is_same(self, keys: Sequence[Key], own: Mapping[Key, Key]) -> bool:
        return next(own[_fields_of(key)] == key for key in keys if _fields_of(key) in own)

    def take(self, number: int) -> Entry:
        """Remove a record, and return it."""
        for key in self._keys.pop(number, {}).values():
            self._numbers[key].remove(number)
        return self.entries.pop(number)


class MergedRecords:
    """Merge the records of layers in their order.

    :param identity: section to the fields that identify its records, if they differ from the default.
    :param loaded: all layers: fields that a layer defines are known by their keys and labels.
    :param known: the fields of a kind on the instance, if known; otherwise only the files define labels.
    :ivar findings: settings that a later layer must not have.
    :ivar has_unknown_names: True if only the instance can resolve some names.
    """

    def __init__(
        self,
        identity: Mapping[str, Sequence[str]],
        loaded: Sequence[DesiredInstance],
        known: Callable[[Kind], Schema] | None = None,
    ) -> None:
        self._identity = identity
        self._known = known
        self.has_unknown_names = False
        self._definitions: dict[str, list[Mapping[str, Any]]] = {}
        for layer in loaded:
            for entry in layer.entries:
                if entry.kind.defines_fields:
                    self._definitions.setdefault(entry.template, []).append(entry.fields)
        self._schemas: dict[str, Schema] = {}
        self._managed = _Found()
        self._unmanaged = _Found()
        self.findings: list[Finding] = []
        for layer in loaded:
            self._add(layer)

    def entries(self) -> list[Entry]:
        """Return the records of the set."""
        return list(self._managed.entries.values())

    def unmanaged(self) -> list[Entry]:
        """Return the records that are written as unmanaged."""
        return list(self._unmanaged.entries.values())

    def _add(self, layer: DesiredInstance) -> None:
        """Add the records of the next layer. Duplicates within it stay separate: they are a finding of their own."""
        added: list[tuple[list[Key], int]] = []
        overridden: set[int] = set()
        for entry in layer.entries:
            entry.root = layer.root
            keys = self._keys(entry)
            same = self._managed.same(keys)
            if len(same) == 1 and same[0] not in overridden:
                self._managed.entries[same[0]] = self._merge(self._managed.entries[same[0]], entry)
                overridden.add(same[0])
                added.append((keys, same[0]))
            else:
                self._stay_alone(keys, entry)
                added.append((keys, self._managed.put(entry)))
            self._forget_unmanaged(keys)
        for keys, number in added:
            self._managed.know(keys, number)
        released: list[tuple[list[Key], int]] = []
        of_this_layer = {number for _keys, number in added}
        for entry in layer.unmanaged:
            keys = self._keys(entry)
            self._stay_alone(keys, entry)
            for number in set(self._managed.same(keys)) - of_this_layer:
                entry.lifecycle = self._lifecycle(self._managed.take(number), entry)
            self._forget_unmanaged(keys)
            released.append((keys, self._unmanaged.put(entry)))
        for keys, number in released:
            self._unmanaged.know(keys, number)

    def _forget_unmanaged(self, keys: Sequence[Key]) -> None:
        """Drop unmanaged records of earlier layers that a later layer repeats or takes back."""
        for number in self._unmanaged.same(keys):
            self._unmanaged.take(number)

    def _stay_alone(self, keys: Sequence[Key], later: Entry) -> None:
        """Keep a record protected as an earlier layer says that writes it as unmanaged."""
        for number in self._unmanaged.same(keys)[:1]:
            later.lifecycle = self._lifecycle(self._unmanaged.entries[number], later)

    def _lifecycle(self, earlier: Entry, later: Entry) -> Lifecycle:
        if earlier.lifecycle.is_protected and later.lifecycle.is_protected is False:
            words = f"{OWN_LIFECYCLE}.protect: {earlier.place} protects this record; a later layer only narrows that"
            self.findings.append(Finding.plain(later.place_of(OWN_LIFECYCLE), words))
        return earlier.lifecycle.with_more(later.lifecycle)

    def _merge(self, earlier: Entry, later: Entry) -> Entry:
        """Return a record with the fields that a later layer overrides."""
        kept = self._not_overridden(earlier, later)
        owners = {name: owner_of(earlier, name) for name in kept} | dict.fromkeys(later.fields, later)
        is_hidden = EVERYTHING in (earlier.vaulted, later.vaulted)
        # If one of the two is hidden as a whole, use the place that is not shown.
        place = earlier.place if earlier.vaulted is EVERYTHING else later.place
        says_state = STATE in later.places.value or later.misread
        return replace(
            later,
            fields={**kept, **later.fields},
            own_place=place,
            places=MergedPlaces(owners),
            state=later.state if says_state else earlier.state,
            misread=earlier.misread or later.misread,
            vaulted=EVERYTHING if is_hidden else frozenset(n for n, owner in owners.items() if n in owner.vaulted),
            lifecycle=self._lifecycle(earlier, later),
            rules=earlier.rules if later.rules is NO_RULES else later.rules,
        )

    def _not_overridden(self, earlier: Entry, later: Entry) -> Mapping[str, Any]:
        """Return the fields of an earlier layer, except fields that the later layer names by another key or label."""
        others = later.fields.keys() - earlier.fields.keys()
        if not others or not earlier.kind.template:
            return earlier.fields
        schema = self._schema(earlier.kind)
        said = {field.key for name in others if (field := schema.find(name)) is not None}
        kept = {}
        for name, value in earlier.fields.items():
            field = schema.find(name)
            if field is None or field.key not in said:
                kept[name] = value
            self.has_unknown_names |= field is None and name not in later.fields
        self.has_unknown_names |= any(schema.find(name) is None for name in others)
        return kept

    # ---- natural keys

    def _keys(self, entry: Entry) -> list[Key]:
        """Return the natural keys of a record, the primary key first."""
        own = self._identity.get(_SECTION_OF[entry.kind.name])
        choices = entry.rules.match or ([tuple(own)] if own is not None else _choices(entry.kind))
        schema = self._schema(entry.kind)
        found = []
        for names in choices:
            values = self._values(schema, entry, names)
            if values is not None:
                found.append((entry.kind.name, entry.template, names, values))
        self.has_unknown_names |= not found and bool(entry.kind.template) and not entry.kind.defines_fields
        return found

    def _values(self, schema: Schema, entry: Entry, names: Sequence[str]) -> Key | None:
        parts = []
        for name in names:
            field = schema.find(name)
            wanted = {name} if field is None else {name, field.key, field.label}
            written = next((name for name in entry.fields if name in wanted), None)
            if written is None or entry.fields[written] in EMPTY:
                return None
            parts.append(_part(schema, entry, written))
        return tuple(parts)

    def _schema(self, kind: Kind) -> Schema:
        if kind.name not in self._schemas:
            fields = [*kind.fields, *kind.identity] if kind.template else list(kind.written or kind.fields)
            if self._known is not None and kind.template and not kind.defines_fields:
                fields = list(self._known(kind).fields.values())
            schema = Schema(kind, fields)
            for written in self._definitions.get(kind.template, []) if kind.template else ():
                _define(schema, written)
            self._schemas[kind.name] = schema
        return self._schemas[kind.name]


def _define(schema: Schema, written: Mapping[str, Any]) -> None:
    """Add a field to a schema, as the files define it."""
    names = {name: value for name, value in written.items() if isinstance(value, str)}
    field = field_to_be(names)
    if field is not None and names.get("field_key") and names["field_key"] not in schema.fields:
        label = names.get("label", field.label)
        schema.take([replace(field, key=names["field_key"], label=label, mandatory=False)])


def _choices(kind: Kind) -> list[tuple[str, ...]]:
    return [kind.written_key] if kind.written_key else list(kind.match_on)


def _fields_of(key: Key) -> Key:
    """Return the fields of a natural key."""
    return key[:-1]


def _part(schema: Schema, entry: Entry, name: str) -> Any:
    """Return one part of a natural key in its normalised form."""
    fields, _wrong = entry.spelled(schema, {name: entry.fields[name]})
    field = schema.find(name)
    if field is not None:
        values, findings = schema.parse(fields, "")
        if not findings.errors:
            key = natural_keys.key_of(schema, [field.key], values, mark_as_written)
            if key is not None:
                return natural_keys.normal_key(key)
    return natural_keys.normal_key(_as_written(fields.get(name, entry.fields[name])))


def _as_written(value: Any) -> Any:
    if isinstance(value, (list, dict)):
        return json.dumps(value, sort_keys=True, default=str)
    return ("plain", str(value)) if isinstance(value, Plain) else str(value)


def owner_of(entry: Entry, name: str) -> Entry:
    """Return the record of the layer that a field came from."""
    return entry.places.owner_of(name) if isinstance(entry.places, MergedPlaces) else entry


def owners_of(entry: Entry) -> Sequence[Entry]:
    """Return the records of all layers that a record consists of, the last one last."""
    if not isinstance(entry.places, MergedPlaces):
        return [entry]
    return list({id(owner): owner for owner in map(entry.places.owner_of, entry.places.value)}.values())
