# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is there, and everything that is to come, found by natural key in memory: complete lists joined, no
single reads.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client, Record
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import FIELD_DEFINITION, KINDS, Kind
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import FieldError, Schema, type_of
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference, references_in
from ansible_collections.community.seventhings.plugins.module_utils.resolve import natural_keys
from ansible_collections.community.seventhings.plugins.module_utils.resolve.references import names_of

Key = tuple[Any, ...]

_LISTS_AHEAD = 2
"""How many lists are read at a time; more would only be a burst of requests."""
_MOST_HINTS = 20
_MOST_NAMES = 20_000


class InstanceState:
    """The records of an instance by kind, each kind listed once when it is first needed, and what a plan will add to
    them.

    :param schema_of: the fields that a kind has, those to come among them; None: those that it has now.
    :param is_hidden: whether the name of a record must not be shown.
    """

    def __init__(
        self,
        client: Client,
        schema_of: Callable[[Kind], Schema] | None = None,
        is_hidden: Callable[[Record], bool] = lambda _record: False,
    ) -> None:
        self._client = client
        self._schema_of = schema_of or client.schema
        self._is_hidden = is_hidden
        self._records: dict[str, list[Record]] = {}
        self._ahead: dict[str, Future[list[Record]]] = {}
        self._by_id: dict[str, dict[int, Record]] = {}
        self._by_uuid: dict[str, dict[str, Record]] = {}
        self._by_key: dict[tuple[str, tuple[str, ...]], dict[Key, list[Record]]] = {}
        self._coming: dict[str, list[tuple[Schema, Mapping[str, Any], Any]]] = {}
        self._coming_by_key: dict[tuple[str, tuple[str, ...]], dict[Key, list[Any]]] = {}
        self._becoming: dict[str, Mapping[str, Any]] = {}
        self._renamed: dict[str, Mapping[str, Any]] = {}
        self._resolved: dict[str, dict[str, Reference]] = {}
        self._hints = 0
        self._names: dict[str, list[tuple[str, Record]]] = {}

    def records(self, kind: Kind, template: str = "") -> list[Record]:
        """Every record of a kind; one complete list the first time."""
        name = f"{kind.name} {template}".strip()
        if name not in self._records:
            if kind is FIELD_DEFINITION:
                found = [Record.of(kind, raw) for raw in self._client.definitions(template)]
            else:
                ahead = self._ahead.pop(name, None)
                found = self._client.list_all(kind) if ahead is None else ahead.result()
            self._records[name] = found
            self._by_id[name] = {record.id: record for record in found if record.id is not None}
            self._by_uuid[name] = {record.uuid: record for record in found}
        return self._records[name]

    @contextlib.contextmanager
    def reading_ahead(self, kinds: Iterable[Kind]) -> Iterator[None]:
        """Inside, some kinds that will be needed are listed while other work is done. Where a list fails, that is told
        when the kind is needed.
        """
        # One login, and one failure of it.
        self._client.tokens.current()
        with ThreadPoolExecutor(max_workers=_LISTS_AHEAD) as pool:
            ahead = [kind for kind in kinds if not self.is_listed(kind)]
            self._ahead = {kind.name: pool.submit(self._client.list_all, kind) for kind in ahead}
            try:
                yield
            finally:
                self._ahead = {}

    def has_missed(self, name: str) -> bool:
        """Whether a kind, listed once more, has records that were there before and are not known here."""
        known = {record.uuid for record in self.records(KINDS[name])}
        newest = max((record.id for record in self.records(KINDS[name]) if record.id is not None), default=0)
        return any(
            record.uuid not in known and (record.id is None or record.id <= newest)
            for record in self._client.list_all(KINDS[name])
        )

    def is_listed(self, kind: Kind) -> bool:
        """Whether the kind was listed already."""
        return kind.name in self._records

    def schema(self, kind: Kind) -> Schema:
        """The fields that a kind has."""
        return self._schema_of(kind)

    # ---- keys

    def key_of(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> Key | None:
        """The natural key as something that can be looked up; None where a part of it is missing or not resolved."""
        parts = []
        by_case = not schema.kind.case_blind
        for key in keys:
            part = values.get(key)
            # Most are texts, and there are very many.
            if not (by_case and isinstance(part, str)):
                part = self._key_part(schema, key, part)
            if part is None:
                return None
            parts.append(part)
        return tuple(parts)

    def _key_part(self, schema: Schema, key: str, value: Any) -> Any:
        if value is None or value == ():
            return None
        if isinstance(value, Reference):
            self.complete(value)
            if value.awaits is not None:
                return ("awaits", id(value.awaits))
            return value.uuid or value.id
        if isinstance(value, tuple):
            parts = [self._key_part(schema, key, item) for item in value]
            return None if None in parts else tuple(sorted(map(str, parts)))
        if isinstance(value, str) and schema.kind.case_blind and (key,) in schema.kind.match_on:
            return value.casefold()
        if isinstance(value, dt.datetime):
            return value.timestamp()
        return value

    def find_existing(
        self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], template: str = ""
    ) -> list[Record]:
        """The records that have the natural key of some values."""
        wanted = self.key_of(schema, keys, values)
        if wanted is None:
            return []
        return self._index(schema, tuple(keys), template).get(wanted, [])

    def _index(self, schema: Schema, keys: tuple[str, ...], template: str = "") -> dict[Key, list[Record]]:
        name = (f"{schema.kind.name} {template}".strip(), keys)
        if name not in self._by_key:
            index: dict[Key, list[Record]] = {}
            for record in self.records(schema.kind, template):
                key = self.key_of(schema, keys, read_some(schema, keys, record))
                if key is not None:
                    index.setdefault(key, []).append(record)
            self._by_key[name] = index
        return self._by_key[name]

    def of_uuid(self, kind: Kind, uuid: str, template: str = "") -> Record | None:
        """The record with a uuid, where a list shows it."""
        self.records(kind, template)
        return self._by_uuid[f"{kind.name} {template}".strip()].get(uuid)

    def take_over(self, other: InstanceState, kinds: Iterable[str]) -> None:
        """Takes the lists of some kinds from another view of the same instance, in which they are still true."""
        for name in kinds:
            if name in other._records:
                self._records[name] = other._records[name]
                self._by_id[name] = other._by_id[name]
                self._by_uuid[name] = other._by_uuid[name]

    # ---- what is to come

    def add_planned(self, schema: Schema, values: Mapping[str, Any], what: Any) -> None:
        """Notes a record that will have these values.

        :param what: what it is to be made from; a :class:`Record` where one that is there will have them.
        """
        name = schema.kind.name
        if isinstance(what, Record):
            # Most are written as they are answered, and there are very many.
            other = [of.key for of in schema.kind.identity if values.get(of.key) != what.flat.get(of.key)]
            named = [key for key in other if key in values and key in schema.fields]
            if named:
                self._becoming[what.uuid] = values
            if named and self._is_renamed(schema, named, values, what):
                self._renamed[what.uuid] = values
        self._coming.setdefault(name, []).append((schema, values, what))
        self._resolved.pop(name, None)
        for (kind, keys), index in self._coming_by_key.items():
            if kind == name:
                self._note(index, schema, keys, values, what)

    def named_as(self, record: Record, key: str) -> Any:
        """A field by which others refer to a record, as it will be once what is planned is done."""
        return self._becoming.get(record.uuid, {}).get(key) or record.flat.get(key)

    def _is_renamed(self, schema: Schema, named: Sequence[str], values: Mapping[str, Any], record: Record) -> bool:
        """Whether others refer to a record in another way once it has some values."""
        return self.key_of(schema, named, values) != self.key_of(schema, named, read_some(schema, named, record))

    def _still_has(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], record: Record) -> bool:
        """Whether a record that has a natural key keeps it."""
        becoming = self._renamed.get(record.uuid)
        if becoming is None:
            return True
        after = {**read_some(schema, keys, record), **{key: becoming[key] for key in keys if key in becoming}}
        return self.key_of(schema, keys, after) == self.key_of(schema, keys, values)

    def replace(self, kind: Kind, what: Any, record: Record) -> None:
        """What was noted to come is there already."""
        noted = self._coming.get(kind.name, [])
        self._coming[kind.name] = [(one[0], one[1], record if one[2] is what else one[2]) for one in noted]
        self._resolved.pop(kind.name, None)
        self._coming_by_key = {name: index for name, index in self._coming_by_key.items() if name[0] != kind.name}

    def _note(
        self, index: dict[Key, list[Any]], schema: Schema, keys: Sequence[str], values: Mapping[str, Any], what: Any
    ) -> None:
        key = self.key_of(schema, keys, values) if all(key in schema.fields for key in keys) else None
        if key is not None:
            index.setdefault(key, []).append(what)

    def find_planned(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> list[Any]:
        """What was noted to come with the natural key of some values."""
        name = (schema.kind.name, tuple(keys))
        if name not in self._coming_by_key:
            self._coming_by_key[name] = {}
            for own, noted, what in self._coming.get(schema.kind.name, ()):
                self._note(self._coming_by_key[name], own, keys, noted, what)
        key = self.key_of(schema, keys, values)
        return self._coming_by_key[name].get(key, []) if key is not None else []

    # ---- references

    def find(self, reference: Reference) -> Record | None:
        """The record that a resolved reference means; None where no list shows it (it is archived, or gone)."""
        kind = KINDS[reference.target]
        self.records(kind)
        if reference.uuid:
            return self._by_uuid[kind.name].get(reference.uuid)
        return self._by_id[kind.name].get(reference.id) if reference.id is not None else None

    def complete(self, reference: Reference) -> None:
        """Fills in the other half of a reference, id or uuid, where its kind is listed."""
        kind = KINDS[reference.target]
        if kind.name not in self._records or (reference.uuid and reference.id is not None):
            return
        record = None
        if reference.uuid:
            record = self._by_uuid[kind.name].get(reference.uuid)
        elif reference.id is not None:
            record = self._by_id[kind.name].get(reference.id)
        if record is not None:
            reference.uuid, reference.id = record.uuid or None, record.id
            reference.names = names_of(record)

    def resolve(self, reference: Reference, before: bool = False) -> str:
        """Resolves a reference in memory: to what is there or to come. Returns what is wrong, or nothing.

        :param before: take names as they are before anything is renamed.
        """
        kind = KINDS[reference.target]
        if reference.awaits is not None:
            return ""
        if reference.resolved:
            return self._look_up(kind, reference)
        known = self._resolved.setdefault(kind.name, {})
        if isinstance(reference.written, str) and reference.written in known and not before:
            same = known[reference.written]
            reference.uuid, reference.id, reference.names = same.uuid, same.id, same.names
            reference.awaits = same.awaits
            return ""
        hits: dict[Any, Any] = {}
        gone: list[Record] = []
        wrong: list[FieldError] = []
        for schema, keys, values in self._readings(kind, reference.written, wrong):
            nested = [
                FieldError.at((key,), problem)
                for key, value in values.items()
                for one in references_in(value)
                if (problem := self.resolve(one, before))
            ]
            if nested:
                wrong += nested if isinstance(reference.written, Mapping) else []
                continue
            named = self.find_existing(schema, keys, values)
            kept = named if before else [one for one in named if self._still_has(schema, keys, values, one)]
            gone += [one for one in named if one not in kept]
            hits.update((record.uuid, record) for record in kept)
            for what in self.find_planned(schema, keys, values):
                hits[what.uuid if isinstance(what, Record) else id(what)] = what
        if wrong:
            # One wrong member of a map has a place of its own; several are told together.
            return FieldError.at(
                wrong[0].way if len(wrong) == 1 else (), f"reference to {kind.one}: {'; '.join(wrong)}"
            )
        if gone and not hits:
            return f"{kind.name} {reference.written!r} ({gone[0].uuid}) is renamed by these files; write its new name"
        problem = self._settle(kind, reference, list(hits.values()))
        if not before and not problem and isinstance(reference.written, str):
            # Matching a kind notes what is to come of it, which makes this list anew.
            self._resolved.setdefault(kind.name, {})[reference.written] = reference
        return problem

    def _look_up(self, kind: Kind, reference: Reference) -> str:
        """A reference by id or uuid must mean something that is there; an archived object is in no list."""
        written = reference.written is not None
        if written or not reference.uuid:
            self.records(kind)
        self.complete(reference)
        if not written or self.find(reference) is not None:
            return ""
        if "archived" in kind.states and reference.uuid and self._client.get(kind, reference.uuid) is not None:
            return ""
        named = f"uuid {reference.uuid}" if reference.uuid else f"id {reference.id}"
        return f"there is no {kind.name} with the {named}"

    def _settle(self, kind: Kind, reference: Reference, hits: Sequence[Any]) -> str:
        if len(hits) > 1:
            uuids = ", ".join(hit.uuid if isinstance(hit, Record) else f"the one at {hit.place}" for hit in hits)
            return f"{len(hits)} {kind.name}s have the natural key {reference.written!r}: {uuids}; expected exactly one"
        if not hits:
            near = self._near(kind, reference.written)
            return f"there is no {kind.name} {reference.written!r}" + (
                f"; the nearest are {', '.join(map(repr, near))}" if near else ""
            )
        if isinstance(hits[0], Record):
            reference.uuid, reference.id = hits[0].uuid or None, hits[0].id
            reference.names = names_of(hits[0])
        else:
            reference.awaits = hits[0]
        return ""

    def _near(self, kind: Kind, written: Any) -> list[str]:
        """The nearest names; looked for only so often, because it takes a while where there are many."""
        self._hints += 1
        if self._hints > _MOST_HINTS or not isinstance(written, str):
            return []
        if kind.name not in self._names:
            named = ((self.name_of(record), record) for record in self.records(kind))
            self._names[kind.name] = list(itertools.islice(((name, one) for name, one in named if name), _MOST_NAMES))
        names = [name for name, record in self._names[kind.name] if not self._is_hidden(record)]
        return natural_keys.near_names(written, names)

    def _readings(
        self, kind: Kind, written: Any, wrong: list[FieldError]
    ) -> Iterable[tuple[Schema, tuple[str, ...], dict[str, Any]]]:
        """Every way to read a reference as field values that identify a record."""
        schema = Schema(kind, kind.identity)
        if isinstance(written, Mapping):
            if not set(written) <= set(schema.fields):
                schema = self._schema_of(kind)
            values, findings = schema.parse(written, "")
            wrong += [*findings.errors, *findings.unknown]
            if not wrong:
                yield schema, tuple(sorted(values)), values
        elif kind.name == "room":
            for place, label in natural_keys.path_splits(written):
                for key in ("number", "name"):
                    building = Reference("location", written=place)
                    yield schema, ("building_id", key), {"building_id": building, key: label}
            if "/" not in written:
                for key in ("number", "name"):
                    yield schema, (key,), {key: written}
        else:
            key = kind.identity[0].key
            yield schema, (key,), {key: written}

    def place_of(self, room: Reference) -> Record | None:
        """The location of a room, where that is known."""
        record = self.find(room)
        schema = Schema(KINDS["room"], KINDS["room"].identity)
        building = None if record is None else schema.read_one("building_id", record.flat)
        return self.find(building) if isinstance(building, Reference) else None

    def name_of(self, record: Record) -> str | None:
        """The natural key by which others refer to a record; None where it has none."""
        kind = record.kind
        schema = Schema(kind, kind.identity)
        values = schema.read(record.flat)
        if kind.name != "room":
            value = values.get(kind.identity[0].key)
            return value if isinstance(value, str) else None
        building = values.get("building_id")
        label = values.get("number") or values.get("name")
        if not isinstance(building, Reference) or not label:
            return None
        self.records(KINDS["location"])
        self.complete(building)
        location = self._by_uuid["location"].get(building.uuid or "")
        return f"{location.flat.get('name')}/{label}" if location else None


def read_some(schema: Schema, keys: Iterable[str], record: Record) -> dict[str, Any]:
    """Some fields of a record as canonical values; reading all of them costs too much for very many records."""
    values = {}
    for key in keys:
        of: Field = schema.fields[key]
        values[key] = type_of(of).read(record.flat.get(of.wire_key), of)
    return values
