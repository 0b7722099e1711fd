# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of an instance, each kind listed once, and found by uuid, id and natural key."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.query import Condition
from ...module_utils.client.record import Record
from ...module_utils.errors import PermissionMissing
from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference, with_references
from ...module_utils.plan.state import InstanceState
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.field_visibility import FieldVisibility, field_visibility_by, with_more_evidence
from ...module_utils.resolve.hidden_records import PROOF, Listed, Visibility, visibility
from ...module_utils.resolve.natural_keys import Key, KeyIndex
from ...module_utils.resolve.references import with_target

_ALL: frozenset[str] = frozenset()
#: Number of lists that are read concurrently. More would be a burst of requests.
_PREFETCHED_LISTS = 2


class ListedRecords(InstanceState):
    """The records of an instance by kind, each kind listed once on demand.

    :param schema_of: returns the fields of a kind, new fields included; None: the existing fields.
    :ivar unread: the kind whose list is being read, or failed; None if there is none.
    :ivar free_barcodes: barcodes that were looked up, and that no object has, archived or not.
    """

    def __init__(self, client: Client, schema_of: Callable[[Kind], Schema] | None = None) -> None:
        super().__init__(client)
        self._schema_of = schema_of or client.schema
        self.unread: Kind | None = None
        self.free_barcodes: set[str] = set()
        self._records: dict[str, list[Record]] = {}
        self._prefetched: dict[str, Future[list[Record]]] = {}
        self._by_id: dict[str, dict[int, Record]] = {}
        self._by_uuid: dict[str, dict[str, Record]] = {}
        self._by_key: dict[tuple[str, str, tuple[str, ...]], KeyIndex[Record]] = {}
        self._unlisted: dict[str, Record | None] = {}
        self._visible_fields: dict[tuple[str, frozenset[str]], FieldVisibility] = {}

    def records(self, kind: Kind, template: str = "") -> list[Record]:
        """Return every record of a kind: one complete list, read when it is first needed."""
        name = f"{kind.name} {template}".strip()
        if name not in self._records:
            self.unread = kind
            if kind.defines_fields:
                found = [Record.from_answer(kind, raw) for raw in self.client.definitions(template)]
            else:
                prefetched = self._prefetched.pop(name, None)
                # Cancel a prefetch that has not started: lists before it in the pool may be long and not needed yet.
                is_begun = prefetched is not None and not prefetched.cancel()
                found = prefetched.result() if prefetched is not None and is_begun else self.client.list_all(kind)
            self._records[name], self.unread = found, None
        return self._records[name]

    def _of_uuid(self, kind: Kind, uuid: str, template: str = "") -> Record | None:
        """Return the record of a list with a uuid."""
        name = f"{kind.name} {template}".strip()
        if name not in self._by_uuid:
            self._by_uuid[name] = {record.uuid: record for record in self.records(kind, template)}
        return self._by_uuid[name].get(uuid)

    def _of_id(self, kind: Kind, number: int) -> Record | None:
        """Return the record of a list with an id."""
        if kind.name not in self._by_id:
            self._by_id[kind.name] = {record.id: record for record in self.records(kind) if record.id is not None}
        return self._by_id[kind.name].get(number)

    @contextlib.contextmanager
    def prefetching(self, kinds: Iterable[Kind]) -> Iterator[None]:
        """List kinds that will be needed while the block does other work.

        A failed list is reported when the kind is needed.
        """
        # Sign in before the threads start, so that a failed login fails only once.
        self.client.tokens.current()
        with ThreadPoolExecutor(max_workers=_PREFETCHED_LISTS) as pool:
            prefetched = [kind for kind in kinds if not self.is_listed(kind)]
            self._prefetched = {kind.name: pool.submit(self.client.list_all, kind) for kind in prefetched}
            try:
                yield
            finally:
                self._prefetched = {}

    def learned(self, kind: Kind) -> Schema:
        """Return the fields of a kind, with those that only its records show."""
        schema = self.client.schema(kind)
        for record in self.records(kind) if kind.open_fields else ():
            schema.learn(record.flat)
        return schema

    def is_listed(self, kind: Kind, template: str = "") -> bool:
        """Return True if the records of a kind were listed already."""
        return f"{kind.name} {template}".strip() in self._records

    def schema(self, kind: Kind) -> Schema:
        """Return the fields of a kind."""
        return self._schema_of(kind)

    # ---- keys

    def key_of(self, schema: Schema, keys: Iterable[str], values: Mapping[str, Any]) -> Key | None:
        """Return the natural key in a form for lookups, or None if a part of the key is missing or unresolved."""
        return natural_keys.key_of(schema, keys, values, self._mark)

    def _mark(self, reference: Reference) -> Any:
        if reference.pending is not None:
            return ("pending", id(reference.pending))
        known = self.completed(reference)
        return known.uuid or known.id

    def find_existing(
        self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], template: str = ""
    ) -> list[Record]:
        """Return the records with the natural key of some values."""
        wanted = self.key_of(schema, keys, values)
        return [] if wanted is None else self._index(schema, tuple(keys), template).find(wanted)

    def with_key(self, schema: Schema, keys: tuple[str, ...], key: Key) -> list[Record]:
        """Return the records with a natural key, as :meth:`key_of` returns it."""
        return self._index(schema, keys).find(key)

    def _index(self, schema: Schema, keys: tuple[str, ...], template: str = "") -> KeyIndex[Record]:
        name = (schema.kind.name, template, keys)
        found = self._by_key.get(name)
        if found is None:
            found = self._by_key[name] = KeyIndex(self.keyed(schema, keys, template))
        return found

    def keyed(self, schema: Schema, keys: tuple[str, ...], template: str = "") -> Iterator[tuple[Key | None, Record]]:
        """Yield the records of a kind, each after its natural key."""
        return natural_keys.keyed(schema, keys, self.records(schema.kind, template), self._mark)

    # ---- the interface of a state

    def listed(self, kind: Kind, _conditions: Sequence[Condition] = ()) -> list[Record]:
        """Return every record of a kind. A complete list is read once."""
        return self.records(kind)

    def some(self, kind: Kind) -> list[Record]:
        """Return all records, because they are read anyway."""
        return self.records(kind)

    def answered(self, kind: Kind, template: str = "") -> list[Record]:
        """Return all records, because they are read anyway."""
        return self.records(kind, template)

    def of_uuid(self, kind: Kind, uuid: str, template: str = "") -> Record | None:
        """Return the record with a uuid if a list shows it, or if it may be archived and can be read."""
        record = self._of_uuid(kind, uuid, template)
        return self.read_unlisted(kind, uuid) if record is None and kind.can_be_archived else record

    def is_archived(self, record: Record) -> bool:
        """Return True if a record is archived. A listed record is not."""
        return self._of_uuid(record.kind, record.uuid) is None and self.client.is_archived(record)

    def may_be_archived(self, record: Record) -> bool:
        """Return False if a list shows a record, or if it says itself that it is not archived."""
        return self._of_uuid(record.kind, record.uuid) is None and super().may_be_archived(record)

    def field_visibility(
        self, schema: Schema, _current: Record | None = None, keys: Collection[str] | None = None
    ) -> FieldVisibility:
        """Return the fields of a kind that the account does not see, as far as its list and the instance show."""
        kind = schema.kind
        known = self._visible_fields.get((kind.name, _ALL))
        if known is None:
            known = self._visible_fields[kind.name, _ALL] = self._field_visibility(kind)
        # Nearly always, the records show all fields.
        if keys is None or known.unproven.isdisjoint(keys):
            return known
        name = (kind.name, frozenset(keys))
        if name not in self._visible_fields:
            self._visible_fields[name] = with_more_evidence(self.client, self.client.schema(kind), known, keys)
        return self._visible_fields[name]

    def _field_visibility(self, kind: Kind) -> FieldVisibility:
        if not kind.has_own_fields:
            return FieldVisibility(kind)
        # Use the fields that exist now: no record has a field that is still to be created.
        schema = self.client.schema(kind)
        if kind.key_prefix:
            return field_visibility_by(self.client, schema, self.records(kind), self._records)
        return FieldVisibility.from_records(schema, self.records(kind))

    def take_over(self, other: ListedRecords, kinds: Iterable[str]) -> None:
        """Reuse the lists of some kinds from another view of the same instance, in which they are still valid."""
        for name in kinds:
            if name in other._records:
                self._records[name] = other._records[name]

    def take_all(self, other: ListedRecords) -> None:
        """Reuse everything that another view of the same instance has just read."""
        self.take_over(other, KINDS)
        self._unlisted |= other._unlisted
        self.free_barcodes |= other.free_barcodes

    def find(self, reference: Reference) -> Record | None:
        """Return the target of a resolved reference, or None if no list shows it (it is archived or deleted)."""
        kind = KINDS[reference.target]
        if reference.uuid:
            return self._of_uuid(kind, reference.uuid)
        if reference.id is not None:
            return self._of_id(kind, reference.id)
        self.records(kind)
        return None

    def completed(self, reference: Reference) -> Reference:
        """Return a reference with its other half, id or uuid, if its kind is listed."""
        if reference.target not in self._records or (reference.uuid and reference.id is not None):
            return reference
        record = self.find(reference)
        return reference if record is None else with_target(reference, record)

    def in_one_notation(self, is_now: Any, written: Any) -> tuple[Any, Any]:
        """Return the values unchanged, because a list that is read later may have more names."""
        return is_now, written

    def comparable(self, _schema: Schema, desired: Mapping[str, Any], _record: Record) -> Mapping[str, Any]:
        """Return the values unchanged: a reference that is resolved here has both its id and its uuid."""
        return desired

    def with_uuids(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Add the uuids that the lists show. Each reference was looked up in them when it was resolved."""
        return {key: with_references(value, self.completed) for key, value in values.items()}

    # ---- what lists do not show

    def note_unlisted(self, record: Record) -> None:
        """Add a record that no list shows, so that references can name it."""
        self._unlisted[record.uuid] = record

    def known(self, kind: Kind, uuid: str) -> Record | None:
        """Return the record with a uuid if a list shows it, or if it was read by itself."""
        return self._of_uuid(kind, uuid) or self._unlisted.get(uuid)

    def unlisted(self, kind: Kind) -> list[Record]:
        """Return the records of a kind that were read although no list shows them: most are archived."""
        return [record for record in self._unlisted.values() if record is not None and record.kind is kind]

    def read_unlisted(self, kind: Kind, uuid: str) -> Record | None:
        """Return a record that no list shows, read once; None if there is none."""
        if uuid not in self._unlisted:
            self._unlisted[uuid] = self.client.get(kind, uuid)
        return self._unlisted[uuid]

    def visibility(self, reads_proof: bool = False) -> Visibility:
        """Return whether the lists prove that records are hidden from the account.

        :param reads_proof: True to read the lists that can prove that no record is hidden.
        """
        for kind in PROOF if reads_proof else ():
            with contextlib.suppress(PermissionMissing):
                self.records(kind)
        found = [record for record in self._unlisted.values() if record is not None]
        return visibility(self.client, self._lists(), self.read_unlisted, found)

    def _lists(self) -> dict[str, Listed]:
        kinds = [kind for kind in KINDS.values() if kind.name in self._records]
        return {kind.name: Listed(self.client.schema(kind), self._records[kind.name]) for kind in kinds}

    def place_of(self, record: Record) -> Record | None:
        """Return the parent of a record, if known."""
        key = record.kind.parent_key
        place = natural_keys.identity_of(record.kind).read_field(key, record.flat) if key else None
        return self.find(place) if isinstance(place, Reference) else None
