# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of an instance: everything that a plan reads.

There are two implementations. For one record the state is *queried*: it sends as few requests as possible. For many
records it is *listed*: it reads complete lists, and finds everything in them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..client.client import Client
from ..client.query import Condition
from ..client.record import Record
from ..model.kinds import OBJECT, Kind
from ..model.schema import Schema
from ..model.types_links import Reference, references_in
from ..resolve import natural_keys
from ..resolve.field_visibility import FieldVisibility, field_visibility_by, field_visibility_of
from ..resolve.read_cache import Reading
from ..resolve.references import with_targets
from .notation import in_one_notation


class InstanceState(ABC):
    """The records of an instance as a plan needs them."""

    def __init__(self, client: Client) -> None:
        self.client = client

    @abstractmethod
    def schema(self, kind: Kind) -> Schema:
        """Return the fields of a kind."""

    @abstractmethod
    def listed(self, kind: Kind, conditions: Sequence[Condition] = ()) -> list[Record]:
        """Return the records of a kind that match some conditions, and possibly more.

        Archived records are not among them.
        """

    @abstractmethod
    def some(self, kind: Kind) -> list[Record]:
        """Return some records of a kind, to learn in which form the instance returns them."""

    @abstractmethod
    def answered(self, kind: Kind, template: str = "") -> list[Record]:
        """Return the records of a kind that lists have shown so far."""

    @abstractmethod
    def find_existing(
        self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], template: str = ""
    ) -> list[Record]:
        """Return the records with the natural key of some values, or nothing if they refer to a missing record."""

    @abstractmethod
    def of_uuid(self, kind: Kind, uuid: str, template: str = "") -> Record | None:
        """Return the record with a uuid, even if it is archived, or None."""

    @abstractmethod
    def is_archived(self, record: Record) -> bool:
        """Return True if a record that was read by its uuid is archived."""

    def may_be_archived(self, record: Record) -> bool:
        """Return False if a record that was read by its uuid is certainly not archived. Nothing is sent."""
        return record.archived is not False

    @abstractmethod
    def field_visibility(
        self, schema: Schema, current: Record | None = None, keys: Collection[str] | None = None
    ) -> FieldVisibility:
        """Return which fields of a kind the account does not see.

        :param current: one of its records. :param keys: the fields that matter; all by default.
        """

    @abstractmethod
    def completed(self, reference: Reference) -> Reference:
        """Return a reference with its other half, id or uuid, if that is known already."""

    @abstractmethod
    def in_one_notation(self, is_now: Any, written: Any) -> tuple[Any, Any]:
        """Return an existing and a desired value. Equal references have equal names if they are known."""

    @abstractmethod
    def comparable(self, schema: Schema, desired: Mapping[str, Any], record: Record) -> Mapping[str, Any]:
        """Return desired values whose references can be compared with those of a record."""

    @abstractmethod
    def with_uuids(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values whose references have uuids, for bodies that accept only uuids.

        :raises NoMatch: if an id has no record.
        """


class QueriedState(InstanceState):
    """Send narrow requests for the plan of one record.

    :ivar reading: the lists and records that were read.
    :param reading: defaults to a new :class:`Reading`. :param reads_names: read the names that a diff shows.
    """

    def __init__(self, client: Client, reading: Reading | None = None, reads_names: bool = False) -> None:
        super().__init__(client)
        self._reads_names = reads_names
        self.reading = reading or Reading(client)

    def schema(self, kind: Kind) -> Schema:
        return self.reading.schema(kind)

    def listed(self, kind: Kind, conditions: Sequence[Condition] = ()) -> list[Record]:
        return self.reading.listed(kind, conditions)

    def some(self, kind: Kind) -> list[Record]:
        return self.reading.some(kind)

    def answered(self, kind: Kind, template: str = "") -> list[Record]:
        if kind.defines_fields:
            return [Record.from_answer(kind, raw) for raw in self.client.definitions(template)]
        return self.reading.read_of(kind)

    def find_existing(
        self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], template: str = ""
    ) -> list[Record]:
        if any(not reference.resolved for key in keys for reference in references_in(values[key])):
            return []
        records = self._candidates(schema, keys, values, template)
        FieldVisibility.from_records(schema, records).check_identifies(keys)
        values = {key: values[key] for key in keys}
        for record in records:
            values = self.comparable(schema, values, record)
        return natural_keys.identified(schema, keys, values, records)

    def _candidates(
        self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], template: str
    ) -> list[Record]:
        kind = schema.kind
        if kind.defines_fields:
            return [Record.from_answer(kind, raw) for raw in self.client.definitions(template)]
        if kind.filters == "parameters" and "deadline" in keys:
            day = values["deadline"].isoformat()
            return self.client.list_all(kind, parameters={"deadline_from": day, "deadline_to": day})
        return self.reading.listed(kind, natural_keys.conditions(schema, keys, values))

    def of_uuid(self, kind: Kind, uuid: str, template: str = "") -> Record | None:
        return self.client.get(kind, uuid, template)

    def is_archived(self, record: Record) -> bool:
        return self.client.is_archived(record)

    def field_visibility(
        self, schema: Schema, current: Record | None = None, keys: Collection[str] | None = None
    ) -> FieldVisibility:
        """Return the visibility that the records read so far show. If there are none, a few records are read."""
        kind, records = schema.kind, self.reading.read_of(schema.kind) or ([] if current is None else [current])
        is_reported = bool(records) or self.reading.has_whole(kind)
        if not kind.has_own_fields or (is_reported and not kind.key_prefix):
            return field_visibility_of(self.client, schema, records, keys)
        if (
            current is not None
            and keys is not None
            and all(schema.fields[key].wire_key in current.flat for key in keys)
        ):
            return FieldVisibility(kind)
        return field_visibility_by(self.client, schema, records, {OBJECT.name: self.reading.read_of(OBJECT)}, keys)

    def completed(self, reference: Reference) -> Reference:
        return self.reading.completed(reference)

    def in_one_notation(self, is_now: Any, written: Any) -> tuple[Any, Any]:
        if self._reads_names:
            self.reading.read_names((*references_in(is_now), *references_in(written)))
        return in_one_notation(is_now, written, self.reading.name_of)

    def comparable(self, schema: Schema, desired: Mapping[str, Any], record: Record) -> dict[str, Any]:
        linked = [(key, value) for key, value in desired.items() if any(references_in(value))]
        targets = self.reading.missing_halves((value, schema.read_field(key, record.flat)) for key, value in linked)
        return {key: with_targets(value, targets) for key, value in desired.items()}

    def with_uuids(self, values: Mapping[str, Any]) -> dict[str, Any]:
        targets = self.reading.with_uuid(references_in(tuple(values.values())))
        return {key: with_targets(value, targets) for key, value in values.items()}


def find_now(
    client: Client, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], template: str = ""
) -> list[Record]:
    """Return the present records with a natural key, ignoring everything that was read before."""
    if schema.kind.defines_fields:
        client.forget_definitions()
    reading = Reading(client)
    linked = [reference for key in keys for reference in references_in(values[key])]
    # A filter needs the id of a link, because some instances return nothing else.
    targets = reading.records_of(reference for reference in linked if reference.id is None)
    values = {key: with_targets(value, targets) for key, value in values.items()}
    return QueriedState(client, reading).find_existing(schema, keys, values, template)
