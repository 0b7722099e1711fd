# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Merge the records of several layers: records with the same natural key are one record."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...module_utils.model.field import EMPTY, Plain, Way
from ...module_utils.model.kinds import Kind
from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import Schema
from ...module_utils.resolve import natural_keys
from ..desired.desired import SECTIONS, DesiredInstance
from ..desired.dialect import Dialect
from ..desired.entry import Entry
from ..desired.nodes import EVERYTHING, Node
from ..desired.parsing import mark_as_written
from ..desired.positions import Finding, Place
from ..desired.row_rules import KEEP, NO_RULES
from ..desired.words import OWN_LIFECYCLE, STATE

Key = tuple[Any, ...]
_SECTION_OF = {kind: section for section, kind in SECTIONS.items()}


class MergedPlaces(Node):
    """The places of the fields of a record in several layers.

    :param owners: name of a field to the record of the layer that it came from.
    :param layers: the records of all layers, also of those without a field that counts.
    """

    __slots__ = ("layers",)

    is_mapped = True

    value: Mapping[str, Entry]

    def __init__(self, owners: Mapping[str, Entry], layers: Sequence[Entry]) -> None:
        super().__init__(owners, "", 0)
        self.layers = layers

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

    def is_cell(self, name: str) -> bool:
        """Return True if a field was read from a row of a table, or of another system."""
        return self.value[name].places.is_cell(name)

    def owner_of(self, name: str) -> Entry:
        """Return the record of the layer that a field came from."""
        return self.value[name]


class _Numbers:
    """The numbers of records, found by natural keys."""

    def __init__(self) -> None:
        self._numbers: dict[Key, list[int]] = {}
        self._keys: dict[int, dict[Key, Key]] = {}

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


class MergedRecords:
    """Merge the records of layers in their order.

    Only names that the files have in common show that two records are the same, or two fields. If the instance knows
    better, the plan finds what is written twice.

    :param identity: section to the fields that identify its records, if they differ from the default.
    :ivar findings: settings that a later layer must not have.
    """

    def __init__(self, identity: Mapping[str, Sequence[str]], loaded: Iterable[DesiredInstance]) -> None:
        self._identity = identity
        self._schemas: dict[str, Schema] = {}
        self._numbers = _Numbers()
        self._records: list[tuple[Entry, bool]] = []
        self.findings: list[Finding] = []
        for layer in loaded:
            self._add(layer)

    def entries(self, is_managed: bool = True) -> list[Entry]:
        """Return the records of the set, or those that are written as unmanaged."""
        return [entry for entry, is_of_set in self._records if is_of_set is is_managed]

    def _add(self, layer: DesiredInstance) -> None:
        """Add the records of the next layer. Duplicates within it stay separate: they are a finding of their own."""
        added: list[tuple[list[Key], int]] = []
        overridden: set[int] = set()
        managed = len(layer.entries)
        for position, entry in enumerate((*layer.entries, *layer.unmanaged)):
            is_managed = position < managed
            entry.root = layer.root
            keys = self._keys(entry)
            found = self._numbers.same(keys)
            layers = Counter(self._records[number][0].root for number in found)
            # Records that one layer repeats are a finding or are skipped: what is written after them stays.
            same = [number for number in found if layers[self._records[number][0].root] == 1]
            if len(same) == 1 and same[0] not in overridden:
                number = same[0]
                overridden.add(number)
                self._records[number] = self._override(*self._records[number], entry, is_managed), is_managed
            else:
                number = len(self._records)
                self._records.append((entry, is_managed))
            added.append((keys, number))
        for keys, number in added:
            self._numbers.know(keys, number)

    def _override(self, earlier: Entry, was_managed: bool, later: Entry, is_managed: bool) -> Entry:
        """Return the record of a later layer, with the other fields of the earlier one if both are of the set."""
        if earlier.lifecycle.is_protected and later.lifecycle.is_protected is False:
            words = f"{OWN_LIFECYCLE}.protect: {earlier.place} protects this record; a later layer only narrows that"
            self.findings.append(Finding.plain(later.place_of(OWN_LIFECYCLE), words))
        later.lifecycle = earlier.lifecycle.with_more(later.lifecycle)
        return _merged(earlier, later) if was_managed and is_managed else later

    # ---- natural keys

    def _keys(self, entry: Entry) -> list[Key]:
        """Return the natural keys of a record, the primary key first."""
        own = self._identity.get(_SECTION_OF[entry.kind.name])
        choices = entry.rules.match or ([tuple(own)] if own is not None else _choices(entry.kind))
        parts = [(names, [self._part(entry, name) for name in names]) for names in choices]
        return [
            (entry.kind.name, entry.template, names, tuple(values)) for names, values in parts if None not in values
        ]

    def _part(self, entry: Entry, name: str) -> Any:
        """Return one part of a natural key in its normalised form, or None if it has no value."""
        if entry.fields.get(name) in EMPTY:
            return None
        schema = self._schema(entry.kind)
        fields, _wrong = entry.spelled(schema, {name: entry.fields[name]})
        if name in schema.fields:
            values, findings = schema.parse(fields, "")
            key = None if findings.errors else natural_keys.key_of(schema, [name], values, mark_as_written)
            if key is not None:
                return natural_keys.normal_key(key)
        return natural_keys.normal_key(_as_written(fields.get(name, entry.fields[name])))

    def _schema(self, kind: Kind) -> Schema:
        if kind.name not in self._schemas:
            fields = (*kind.fields, *kind.identity) if kind.template else kind.written or kind.fields
            self._schemas[kind.name] = Schema(kind, list(fields))
        return self._schemas[kind.name]


def _merged(earlier: Entry, later: Entry) -> Entry:
    """Return a record with the fields that a later layer overrides."""
    # A later layer may write a label in another Unicode form.
    said = set(map(normal_name, later.fields))
    before = {n: value for n, value in earlier.fields.items() if n in later.fields or normal_name(n) not in said}
    owners = {name: owner_of(earlier, name) for name in before} | dict.fromkeys(later.fields, later)
    is_hidden = EVERYTHING in (earlier.vaulted, later.vaulted)
    says_state = STATE in later.places.value or later.misread
    return replace(
        later,
        fields={**before, **later.fields},
        # If one of the two is hidden as a whole, use the place that is not shown.
        own_place=earlier.place if earlier.vaulted is EVERYTHING else later.place,
        places=MergedPlaces(owners, (*owners_of(earlier), later)),
        state=later.state if says_state else earlier.state,
        misread=earlier.misread or later.misread,
        vaulted=EVERYTHING if is_hidden else frozenset(n for n, owner in owners.items() if n in owner.vaulted),
        rules=earlier.rules if later.rules is NO_RULES else later.rules,
    )


def _choices(kind: Kind) -> list[tuple[str, ...]]:
    return [kind.written_key] if kind.written_key else list(kind.match_on)


def _fields_of(key: Key) -> Key:
    """Return the fields of a natural key."""
    return key[:-1]


def _as_written(value: Any) -> Any:
    if isinstance(value, (list, dict)):
        return json.dumps(value, sort_keys=True, default=str)
    return ("plain", str(value)) if isinstance(value, Plain) else str(value)


def owner_of(entry: Entry, name: str) -> Entry:
    """Return the record of the layer that a field came from."""
    return entry.places.owner_of(name) if isinstance(entry.places, MergedPlaces) else entry


def owners_of(entry: Entry) -> Sequence[Entry]:
    """Return the records of all layers that a record consists of, the last one last."""
    return entry.places.layers if isinstance(entry.places, MergedPlaces) else [entry]


def place_with(entry: Entry, names: Iterable[str]) -> Place:
    """Return the place of a record in a layer that some fields came from, in the last layer if it has one of them."""
    places = [owner_of(entry, name).place for name in names if name in entry.fields]
    return entry.place if entry.vaulted is EVERYTHING or not places or entry.place in places else places[-1]


def origin_of(entry: Entry) -> Place:
    """Return the place of a record that decides whether it is pruned: its row in a table that keeps it, if it has one.

    No report shows this place.
    """
    rows = _rows_of(entry) or [entry]
    return next((row for row in reversed(rows) if row.rules.missing_rows == KEEP), rows[-1]).place


def row_of(entry: Entry) -> Place:
    """Return the place of the row of a table whose rules a record follows, or of the record in its last layer."""
    rows = [] if entry.vaulted is EVERYTHING else _rows_of(entry)
    return (rows or [entry])[-1].place


def _rows_of(entry: Entry) -> Sequence[Entry]:
    """Return the rows of tables that a record consists of, the last one last."""
    return [owner for owner in owners_of(entry) if owner.rules is not NO_RULES]
