# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A live instance as the data of the files that would make it: what was exported and planned again changes nothing.

Nothing is written here, neither to the instance nor to a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import matching
from .claims import composed
from .client import Client, Record
from .desired import SECTIONS
from .downloads import Downloads
from .errors import FeatureOff, InvalidInput
from .fields import Field
from .info import matching_records
from .kinds import FIELD_DEFINITION, HUB_ITEM, HUB_ORDER, KINDS, SERVER_KEYS, TEMPLATES, USER, Kind
from .portable import IDENTITIES, Portable, is_made, name_in_files, writable_fields
from .schema import Schema, field_from_definition
from .world import Key, World

Row = dict[str, Any]


@dataclass
class Exported:
    """What an export holds.

    :ivar sections: section to its records as plain data, in a stable order; ``fields`` has one list for each template,
        named ``fields/asset``.
    :ivar identity: section to the fields that tell its records apart, where it is not the default.
    :ivar not_cloned: what an instance holds that no file can: kind to names.
    :ivar left_out: single values and records that were left out, and why.
    :ivar schemas: kind of record to its fields on this instance.
    """

    sections: dict[str, list[Any]] = field(default_factory=dict)
    identity: dict[str, list[str]] = field(default_factory=dict)
    not_cloned: dict[str, list[str]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    schemas: dict[str, Schema] = field(default_factory=dict)


@dataclass(frozen=True)
class Selection:
    """What is to be exported.

    :ivar only: sections; empty: all. :ivar filters: section to filters, as the info modules take them.
    :ivar identity: section to the fields that identify its records, where an earlier ``instance.yml`` says so.
    """

    only: Sequence[str] = ()
    filters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    identity: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for option, names in (("only", self.only), ("filters", self.filters)):
            for name in names:
                if name not in SECTIONS:
                    raise InvalidInput(f"{option}: {name!r} is no section; expected one of {', '.join(SECTIONS)}")
        for name, filters in self.filters.items():
            if not isinstance(filters, Mapping):
                raise InvalidInput(f"filters.{name}: {filters!r} does not fit; expected a map of fields to filters")
            if name in ("fields", "users", "hub"):
                raise InvalidInput(f"filters.{name}: this section is exported as a whole")

    def holds(self, section: str) -> bool:
        """Whether a section is to be exported."""
        return not self.only or section in self.only


def export_instance(
    client: Client,
    selection: Selection,
    downloads: Downloads,
    tell: Callable[[str, int], None] = lambda _section, _number: None,
) -> Exported:
    """Reads an instance, each kind once.

    :param tell: is told each section with the number of its records when it is done.
    :raises InvalidInput: where files could not name what is there (a label of two fields).
    """
    return _Export(client, selection, downloads, tell).run()


class _Export:
    def __init__(
        self, client: Client, selection: Selection, downloads: Downloads, tell: Callable[[str, int], None]
    ) -> None:
        self._client = client
        self._selection = selection
        self._world = World(client)
        self._tell = tell
        self._result = Exported()
        self._portable = Portable(self._world, downloads, self._result.left_out.append)

    def run(self) -> Exported:
        for template in TEMPLATES:
            self._check_labels(template)
        for section in SECTIONS:
            if self._selection.holds(section):
                self._section(section)
        if self._selection.holds("hub"):
            self._name_orders()
        return self._result

    def _section(self, section: str) -> None:
        exports: dict[str, Callable[[], None]] = {
            "fields": self._definitions,
            "users": self._users,
            "hub": self._offers,
        }
        try:
            exports.get(section, lambda: self._records(section, KINDS[SECTIONS[section]]))()
        except FeatureOff:
            self._result.left_out.append(f"{section}: this part is switched off on the instance")
            return
        self._tell(section, sum(len(rows) for name, rows in self._result.sections.items() if name.startswith(section)))

    # ---- field definitions

    def _check_labels(self, template: str) -> None:
        """Files name a field whose key the service made by its label, so no other field may have that label."""
        definitions = [raw for raw in self._client.definitions(template) if raw.get("field_key") not in SERVER_KEYS]
        labels = Counter(str(raw.get("label") or "") for raw in definitions)
        keys = {str(raw.get("field_key")) for raw in definitions}
        for raw in definitions:
            key, label = str(raw.get("field_key")), str(raw.get("label") or "")
            if is_made(key) and (labels[label] > 1 or label in keys or not label):
                raise InvalidInput(
                    f"The label {label!r} of the {template} field {key} is used twice or empty, so files can't tell "
                    f"which field is meant. Give each field a label of its own."
                )

    def _definitions(self) -> None:
        schema = Schema.of(FIELD_DEFINITION)
        for template in TEMPLATES:
            rows = []
            names = {str(raw.get("uuid")): name_in_files(field_from_definition(raw)) for raw in self._named(template)}
            for raw in self._named(template):
                values = schema.read(raw)
                if is_made(str(values.get("field_key"))):
                    values.pop("field_key")
                relations = values.pop("relations", ())
                where = f"{template} field {values.get('label')}"
                row = self._portable.record(schema, _DEFINITION_ORDER, values, where)
                if row is None:
                    continue
                related = [_relation(one, names) for one in relations if one[1] in names]
                rows.append({**row, "relations": related} if related else row)
            rows.sort(key=lambda row: (row.get("field_key", "~"), row.get("label", "")))
            self._result.sections[f"fields/{template}"] = rows

    def _named(self, template: str) -> list[Mapping[str, Any]]:
        return [raw for raw in self._client.definitions(template) if raw.get("field_key") not in SERVER_KEYS]

    # ---- records

    def _schema(self, kind: Kind) -> Schema:
        schema = self._client.schema(kind)
        if kind.open_fields:
            for record in self._world.records(kind):
                schema.learn(record.flat)
        self._result.schemas[kind.name] = schema
        return schema

    def _records(self, section: str, kind: Kind) -> None:
        records = self._world.records(kind)
        schema = self._schema(kind)
        fields = writable_fields(schema, self._client.definitions(kind.template) if kind.template else ())
        read = {id(record): schema.read(record.flat) for record in records}
        keys, alone = self._told_apart(section, schema, records, read)
        filters = self._selection.filters.get(section, {})
        if filters:
            chosen = matching_records(self._client, schema, filters, records, f"filters.{section}")
            named = {record.uuid for record in alone}
            alone = [record for record in chosen if record.uuid in named]
        rows = [(self._sort_key(schema, keys, read[id(record)]), record) for record in alone]
        found = [
            self._portable.record(schema, fields, read[id(record)], f"{kind.name} {words}")
            for words, record in sorted(rows, key=lambda row: row[0])
        ]
        self._result.sections[section] = [one for one in found if one is not None]

    def _told_apart(
        self, section: str, schema: Schema, records: Sequence[Record], read: Mapping[int, Mapping[str, Any]]
    ) -> tuple[tuple[str, ...] | None, list[Record]]:
        """The natural key that tells most of the records apart, and the records that it does."""
        given = self._selection.identity.get(section)
        choices: Sequence[tuple[str, ...] | None] = (
            [self._named_keys(section, schema, given)] if given else [None, *IDENTITIES.get(section, ())]
        )
        best: tuple[tuple[str, ...] | None, list[Record]] | None = None
        for keys in choices:
            alone = self._alone(schema, keys, records, read)
            if best is None or len(alone) > len(best[1]):
                best = (keys, alone)
        if best is None:
            return None, []
        keys, alone = best
        if keys and not given:
            self._result.identity[section] = [name_in_files(schema.fields[key]) for key in keys]
        left = {record.uuid for record in records} - {record.uuid for record in alone}
        if left:
            by = " and ".join(keys or schema.kind.match_on[0])
            self._result.left_out.append(
                f"{section}: {len(left)} record(s) have no {by} of their own, so files can't name them: "
                f"{', '.join(sorted(left)[:_MOST_NAMED])}{' ...' if len(left) > _MOST_NAMED else ''}"
            )
        return keys, alone

    @staticmethod
    def _named_keys(section: str, schema: Schema, names: Sequence[str]) -> tuple[str, ...]:
        fields = [schema.find(name) for name in names]
        if None in fields:
            raise InvalidInput(
                f"identity.{section}: {', '.join(names)}: not all of them are fields of {schema.kind.one}"
            )
        return tuple(of.key for of in fields if of is not None)

    def _alone(
        self,
        schema: Schema,
        keys: tuple[str, ...] | None,
        records: Sequence[Record],
        read: Mapping[int, Mapping[str, Any]],
    ) -> list[Record]:
        if keys and not set(keys) <= set(schema.fields):
            return []
        shared: Counter[Any] = Counter()
        named = []
        for record in records:
            values = read[id(record)]
            for other in (keys,) if keys else schema.kind.match_on:
                shared[other, self._looks(schema, other, values)] += 1
            try:
                names = matching.key_fields(schema.kind, keys, values)
            except InvalidInput:
                continue
            key = self._looks(schema, names, values)
            if any(isinstance(values[name], str) and values[name] != values[name].strip() for name in names):
                continue
            # What a record is found by must stand in its file, so it must have a name there itself.
            if key is not None and all(self._portable.words(schema.fields[name], values[name]) for name in names):
                named.append((record, (names, key)))
        return [record for record, name in named if shared[name] == 1]

    def _looks(self, schema: Schema, names: tuple[str, ...], values: Mapping[str, Any]) -> Key | None:
        key = self._world.key_of(schema, names, values)
        return None if key is None else composed(key)

    def _sort_key(self, schema: Schema, keys: tuple[str, ...] | None, values: Mapping[str, Any]) -> str:
        names = matching.key_fields(schema.kind, keys, values)
        return "/".join(str(self._portable.words(schema.fields[name], values.get(name))) for name in names)

    # ---- users and the hub

    def _users(self) -> None:
        """Those who can be made from a person; the others are listed, because the interface makes users only so."""
        persons = {str(record.flat.get("email") or "").casefold() for record in self._world.records(KINDS["person"])}
        addresses = [str(record.flat.get("email") or "") for record in self._world.records(USER)]
        self._result.sections["users"] = sorted(one for one in addresses if one.casefold() in persons and one)
        others = sorted(one for one in addresses if one.casefold() not in persons and one)
        if others:
            self._result.not_cloned["users"] = others

    def _offers(self) -> None:
        schema = Schema.of(HUB_ITEM)
        rows = []
        for record in self._world.records(HUB_ITEM):
            values = schema.read(record.flat)
            if values.get("deleted"):
                continue
            name = self._portable.named("object", values.get("asset_id"))
            if name is None:
                self._result.left_out.append(f"hub: the object of the item {record.id} stands in no list")
                continue
            price = values.get("price")
            rows.append({"object": name} | ({} if price is None else {"price": self._portable.value(_PRICE, price)}))
        self._result.sections["hub"] = sorted(rows, key=lambda row: str(row["object"]))

    def _name_orders(self) -> None:
        try:
            orders = self._client.list_all(HUB_ORDER)
        except FeatureOff:
            return
        if orders:
            self._result.not_cloned["hub_orders"] = sorted(
                str(order.flat.get("order_number") or order.id) for order in orders
            )


_MOST_NAMED = 10
_PRICE = Field("price", "MONEY", fraction_digits=2)
_DEFINITION_ORDER = [
    next(of for of in FIELD_DEFINITION.fields if of.key == key)
    for key in (
        "field_key",
        "label",
        "type",
        "comment",
        "default_value",
        "possible_values",
        "constraints",
        "attributes",
    )
]


def _relation(relation: tuple[Any, ...], names: Mapping[str, str]) -> dict[str, Any]:
    """A relation that names the other field as files do, because its uuid differs from instance to instance."""
    written: dict[str, Any] = {"type": relation[0], "field": names[relation[1]]}
    return written if relation[2] is None else {**written, "comparison_values": list(relation[2])}
