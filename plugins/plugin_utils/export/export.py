# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Export a live instance as the data of the files that would create it. Planning an unchanged export yields no changes.

Nothing is written here, neither to the instance nor to a file.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils import errors
from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.model import kinds
from ...module_utils.model.field import EMPTY, Field, edge_blanks, is_generated_key
from ...module_utils.model.names import normal_address
from ...module_utils.model.rooms import RECORDS, implied_locations
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_links import Reference
from ...module_utils.operations.hub_items import asset_id
from ...module_utils.plan.replacing import missing_members
from ...module_utils.resolve.field_visibility import (
    FieldVisibility,
    hidden_field_message,
    identifies,
    sends_empty_members,
)
from ...module_utils.resolve.hidden_records import Visibility
from ...module_utils.resolve.listing import matching_records
from ..desired.desired import SECTIONS
from ..desired.words import OWN_MATCH
from ..set_plan.listed_state import ListedState
from ..set_plan.observed import exported_without
from .downloads import Downloads
from .naming import IdentifiedRecords, Keys, Naming
from .portable import NotPortable, Portable, check_read, check_texts, name_in_files, unwritable_fields, writable_fields

Row = dict[str, Any]


@dataclass
class Exported:
    """The content of an export.

    :ivar sections: section to its records as plain data, in a stable order; ``fields`` has one list for each template,
        named ``fields/asset``.
    :ivar identity: section to the fields that identify its records, if they differ from the default.
    :ivar not_cloned: records that no file can have: kind to names.
    :ivar left_out: single values and records that were left out, and why.
    :ivar schemas: kind of record to its fields on this instance.
    :ivar observed: section to the names of the fields that scans or people write, if some record has a value.
    :ivar columns: section to the possible fields of its records in files, in their order.
    :ivar uuids: section to the uuids of its records, in the same order.
    :ivar visibility: what is known about hidden records, which no file contains.
    """

    sections: dict[str, list[Any]] = dataclasses.field(default_factory=dict)
    identity: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    not_cloned: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    left_out: list[str] = dataclasses.field(default_factory=list)
    schemas: dict[str, Schema] = dataclasses.field(default_factory=dict)
    observed: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    columns: dict[str, list[Field]] = dataclasses.field(default_factory=dict)
    uuids: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    visibility: Visibility = dataclasses.field(default_factory=Visibility)


@dataclass(frozen=True)
class Selection:
    """The selection for an export.

    :ivar only: sections; empty for all. :ivar filters: section to filters, as the info modules accept them.
    :ivar identity: section to the fields that identify its records in an earlier ``instance.yml``.
    :ivar tries_other_keys: True if another natural key may be used if the default is ambiguous.
    :ivar observed: section to the fields that scans or people write in an earlier ``instance.yml``.
    :ivar beside: section to where a location that follows from a room is left out: in :data:`RECORDS`, in whole
        :data:`COLUMNS`, or nowhere.
    """

    only: Sequence[str] = ()
    filters: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    identity: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    tries_other_keys: bool = True
    observed: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    beside: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        for option, names in (("only", self.only), ("filters", self.filters)):
            for name in names:
                if name not in SECTIONS:
                    raise errors.InvalidInput(
                        f"{option}: {name!r} is not a section; expected one of {', '.join(SECTIONS)}"
                    )
        for name, filters in self.filters.items():
            if not isinstance(filters, Mapping):
                raise errors.InvalidInput(
                    f"filters.{name}: {filters!r} does not fit; expected a map of fields to filters"
                )
            if not kinds.KINDS[SECTIONS[name]].is_plain:
                raise errors.InvalidInput(f"filters.{name}: this section is exported as a whole")

    def includes(self, section: str) -> bool:
        """Return True if a section is to be exported."""
        return not self.only or section in self.only


def export_instance(
    client: Client, selection: Selection, downloads: Downloads, state: ListedState | None = None
) -> Exported:
    """Read an instance, each kind once.

    :param state: lists that were read already; None for none.
    :raises InvalidInput: if files cannot name an existing field (a label of two fields).
    :raises IncompleteList: if somebody deletes records while they are read.
    """
    return _Export(client, selection, downloads, state or ListedState(client)).run()


class _Export:
    def __init__(self, client: Client, selection: Selection, downloads: Downloads, state: ListedState) -> None:
        self._client = client
        self._selection = selection
        self._state = state
        self._result = Exported()
        self._portable = Portable(self._state, downloads, self._leave_out)
        self._downloads = downloads
        self._withheld: dict[str, set[str]] = {}
        self._completed: dict[str, list[Record]] = {}
        self._off: dict[str, str] = {}

    def run(self) -> Exported:
        self._write_all()
        if self._selection.includes(kinds.HUB_ITEM.section):
            self._name_orders()
        self._result.left_out = list(dict.fromkeys(self._result.left_out))
        self._result.visibility = self._state.visibility()
        return self._result

    def _write_all(self) -> None:
        """Write all sections. Write them again if a record was left out after another record had named it."""
        while True:
            self._result = Exported()
            self._portable.begin()
            for section in SECTIONS:
                if self._selection.includes(section):
                    self._section(section)
            if not self._portable.is_stale:
                return

    def _leave_out(self, why: str) -> None:
        self._result.left_out.append(why)

    def _add(self, section: str, rows: Sequence[tuple[str, Any]]) -> None:
        """Add the records of a section, each with its uuid."""
        self._result.sections[section] = [row for _uuid, row in rows]
        self._result.uuids[section] = [uuid for uuid, _row in rows]

    def _section(self, section: str) -> None:
        exports: dict[str, Callable[[], None]] = {
            kinds.FIELD_DEFINITION.section: self._definitions,
            kinds.USER.section: self._users,
            kinds.HUB_ITEM.section: self._offers,
        }
        try:
            if section not in self._off:
                exports.get(section, lambda: self._records(section, kinds.KINDS[SECTIONS[section]]))()
        except errors.VersionTooOld as missing:
            # This version may have no such section. The same answer can have another reason, so the user must know.
            self._off[section] = ""
            self._client.transport.warnings.append(f"{section}: no file contains this section. {missing.message}")
        except (errors.FeatureOff, errors.ListMissing) as missing:
            self._off[section] = _why_missing(missing)
        except errors.PermissionMissing:
            # An account that could export everything before this section existed still can.
            if not kinds.KINDS[SECTIONS[section]].is_later:
                raise
            self._off[section] = "this account may not read it"
        if self._off.get(section):
            self._leave_out(f"{section}: {self._off[section]}")

    # ---- field definitions

    def _definitions(self) -> None:
        schema = Schema.for_kind(kinds.FIELD_DEFINITION)
        for template in kinds.TEMPLATES:
            written = {}
            own = self._client.schema(kinds.TEMPLATE_KINDS[template])
            for raw in self._named(template):
                values = schema.read(raw)
                if _is_known_by_label(own, own.fields[str(raw.get("field_key"))]):
                    values.pop("field_key")
                values.pop("relations", None)
                row = self._portable.record(
                    schema, _DEFINITION_ORDER, values, f"{template} field {values.get('label')}"
                )
                if row is None:
                    self._withheld.setdefault(template, set()).add(str(raw.get("field_key")))
                else:
                    written[str(raw.get("uuid"))] = row
            self._relate(template, written)
            rows = sorted(written.items(), key=lambda row: (row[1].get("field_key", "~"), row[1].get("label", "")))
            self._add(f"{kinds.FIELD_DEFINITION.section}/{template}", rows)

    def _relate(self, template: str, written: Mapping[str, Row]) -> None:
        """Add the relations to the definitions. They may refer to any definition that is not left out."""
        schema = Schema.for_kind(kinds.FIELD_DEFINITION)
        show = type_of(schema.fields["relations"]).show
        own = self._client.schema(kinds.TEMPLATE_KINDS[template])
        fields = [field for field in own.fields.values() if not self._is_withheld(own, field)]
        names = {field.uuid: name for field in fields if (name := name_in_files(own, field))}
        for raw in self._named(template):
            row = written.get(str(raw.get("uuid")))
            relations = schema.read(raw).get("relations") or ()
            if row is None or not relations:
                continue
            try:
                check_read(relations)
                shown = [_relation(relation, names) for relation in relations]
                wrong = schema.parse({"relations": show(relations)}, "")[1].errors
                if wrong:
                    raise NotPortable(wrong[0])
                row["relations"] = shown
            except NotPortable as reason:
                self._leave_out(f"{template} field {row['label']}: relations: {reason}")

    def _is_withheld(self, schema: Schema, field: Field) -> bool:
        """Return True if the files can neither create nor name a field, so that they have no values of it."""
        # A key that the service did not generate exists on every instance.
        is_left_out = is_generated_key(field.key) and field.key in self._withheld.get(schema.kind.template, ())
        return is_left_out or (field.key not in kinds.SERVER_KEYS and not name_in_files(schema, field))

    def _named(self, template: str) -> list[Mapping[str, Any]]:
        named = [raw for raw in self._client.definitions(template) if raw.get("field_key") not in kinds.SERVER_KEYS]
        records = [Record.from_answer(kinds.FIELD_DEFINITION, raw) for raw in named]
        whole = self._whole(f"{template} fields", Schema.for_kind(kinds.FIELD_DEFINITION), records, template)
        return [record.flat for record in whole]

    def _whole(self, section: str, schema: Schema, records: Sequence[Record], template: str = "") -> Sequence[Record]:
        """Return records with the members that a list leaves out. Each record takes a request."""
        if not any(missing_members(schema, record) for record in records) or not sends_empty_members(schema, records):
            return records
        if section not in self._completed:
            alone = [self._alone(record, template) for record in records]
            pairs = zip(records, alone, strict=True)
            self._completed[section] = [
                listed if other is None else listed.completed_by(other) for listed, other in pairs
            ]
        whole = self._completed[section]
        for key in dict.fromkeys(key for record in whole for key in missing_members(schema, record)):
            self._leave_out(f"{section}: {key}: the service does not return it, so it is in no file")
        return whole

    def _alone(self, record: Record, template: str) -> Record | None:
        """Return a record that is read by itself, or None if the service refuses that.

        The members that the list leaves out are then named in ``left_out``, and the export continues.
        """
        try:
            return self._client.get(record.kind, record.uuid, template)
        except (errors.InvalidRequest, errors.NotProcessable, errors.PermissionMissing):
            return None

    # ---- records

    def _schema(self, kind: kinds.Kind) -> Schema:
        schema = self._state.learned(kind)
        self._result.schemas[kind.name] = schema
        return schema

    def _records(self, section: str, kind: kinds.Kind) -> None:
        schema = self._schema(kind)
        records = self._whole(section, schema, self._state.records(kind))
        withheld = {key: field for key, field in schema.fields.items() if self._is_withheld(schema, field)}
        read = {record.uuid: schema.read(record.flat) for record in records}
        visibility = self._visibility(section, schema)
        naming = Naming(self._state, self._portable, schema, read, withheld)
        apart = naming.best(records, self._choices(section, schema))
        if apart.keys and not self._selection.identity.get(section):
            self._result.identity[section] = [name_in_files(schema, schema.fields[key]) for key in apart.keys]
        filters = self._selection.filters.get(section, {})
        chosen = matching_records(self._client, schema, filters, records, f"filters.{section}") if filters else records
        others = self._named_otherwise(naming, section, records, apart)
        apart.unnamed = {uuid: why for uuid, why in apart.unnamed.items() if uuid not in others}
        for line in apart.lines(section, [record.uuid for record in chosen]):
            self._leave_out(line)
        name_of_uuid = {
            record.uuid: naming.words(None if record.uuid in others else apart.keys, record)
            for record in chosen
            if record.uuid not in apart.unnamed
        }
        for uuid in {record.uuid for record in chosen} - name_of_uuid.keys():
            self._portable.leave_out(kind.name, uuid)
        definitions = self._client.definitions(kind.template) if kind.template else ()
        visible = [field for field in writable_fields(schema, definitions) if field.key not in visibility.hidden]
        kept = [field for field in visible if field.key not in withheld]
        observed = exported_without(self._selection.observed, section, schema, definitions, lambda: records)
        fields = [field for field in kept if field.key not in observed or field.key in (apart.keys or ())]
        named = {uuid: read[uuid] for uuid in name_of_uuid}
        beside = self._selection.beside.get(section, RECORDS)
        implied = implied_locations(schema, fields, named, beside, self._portable.is_location_of)
        never = set.intersection(*implied.values()) if implied else set()
        self._result.columns[section] = [field for field in fields if field.key not in never]
        rows = {}
        for uuid in sorted(name_of_uuid, key=name_of_uuid.__getitem__):
            own = [field for field in fields if field.key not in implied[uuid]]
            row = self._portable.record(schema, own, read[uuid], f"{kind.name} {'/'.join(name_of_uuid[uuid][0])}")
            if row is None:
                self._portable.leave_out(kind.name, uuid)
            else:
                if uuid in others:
                    row[OWN_MATCH] = [name_in_files(schema, schema.fields[key]) for key in name_of_uuid[uuid][1]]
                rows[uuid] = row
        self._add(section, list(rows.items()))
        scanned = [field for field in kept if field not in fields]
        exported = [read[uuid] for uuid in rows]
        filled = [field for field in scanned if any(record.get(field.key) not in EMPTY for record in exported)]
        names = [name_in_files(schema, field) for field in filled]
        if names:
            self._result.observed[section] = names
        for key in sorted(visibility.hidden):
            self._leave_out(
                f"{section}: {schema.fields[key].called}: {hidden_field_message(key)}, so no file contains it"
            )
        for field in withheld.values():
            self._report_values(section, field, exported, "of a field that is left out")
        for field in unwritable_fields(schema, definitions):
            self._report_values(section, field, exported, f"of the type {field.type}, which nothing here writes")

    def _named_otherwise(
        self, naming: Naming, section: str, records: Sequence[Record], apart: IdentifiedRecords
    ) -> frozenset[str]:
        """Return the uuids of records that only the natural key of their kind identifies, which they then say."""
        if self._selection.tries_other_keys or not self._selection.identity.get(section):
            return frozenset()
        return frozenset(apart.unnamed.keys() - naming.best(records, [None]).unnamed.keys())

    def _visibility(self, section: str, schema: Schema) -> FieldVisibility:
        """Return the fields of a section that the account does not see.

        :raises InvalidInput: if its records could not be distinguished.
        """
        visibility = self._state.field_visibility(schema, keys=schema.fields)
        own = [schema.find(name) for name in self._selection.identity.get(section, ())]
        ways = [[field.key for field in own if field is not None]] if own else schema.kind.match_on
        hidden = [visibility.unidentifying(keys) for keys in ways]
        if all(hidden):
            raise errors.InvalidInput([f"{section}: {key}: {identifies(schema.kind, key)}" for key in hidden[0]])
        return visibility

    def _report_values(self, section: str, field: Field, exported: Sequence[Mapping[str, Any]], reason: str) -> None:
        """Report once how many values of a field are left out."""
        number = sum(values.get(field.key) not in EMPTY for values in exported)
        if number:
            self._leave_out(f"{section}: {field.called}: {number} value(s) {reason}")

    def _choices(self, section: str, schema: Schema) -> Sequence[Keys | None]:
        """Return the natural keys that may identify the records of a section."""
        given = self._selection.identity.get(section)
        if given:
            return [_named_keys(section, schema, given)]
        return [None, *(schema.kind.further_keys if self._selection.tries_other_keys else ())]

    # ---- users and the hub

    def _users(self) -> None:
        """Export the users who can be created from a person.

        The others are only listed, because the interface creates no users in another way.
        """
        persons: dict[str, list[str]] = {}
        for record in self._state.records(kinds.PERSON):
            persons.setdefault(normal_address(str(record.flat.get("email") or "")), []).append(record.uuid)
        users: list[tuple[str, str]] = []
        others = []
        for record in self._state.records(kinds.USER):
            address = str(record.flat.get("email") or "")
            if not address:
                continue
            if normal_address(address) not in persons:
                others.append(address)
                continue
            try:
                self._check_user(address, persons[normal_address(address)])
                users.append((record.uuid, address))
            except NotPortable as reason:
                self._leave_out(f"users: {address}: {reason}")
                self._portable.leave_out(kinds.USER.name, record.uuid)
        self._add(kinds.USER.section, sorted(users, key=lambda row: row[1]))
        if others:
            self._result.not_cloned[kinds.USER.section] = sorted(others)

    def _check_user(self, address: str, persons: Sequence[str]) -> None:
        """Check that files can create a user from a person with the same address.

        :raises NotPortable: if they can't.
        """
        if all(self._portable.is_left_out(kinds.PERSON.name, uuid) for uuid in persons):
            raise NotPortable("the person is left out")
        if address != address.strip():
            raise NotPortable("the address begins or ends with spaces")
        check_texts(address)

    def _offers(self) -> None:
        schema = Schema.for_kind(kinds.HUB_ITEM)
        rows = []
        for record in self._state.records(kinds.HUB_ITEM):
            values = schema.read(record.flat)
            if values.get("deleted"):
                continue
            try:
                offer = {"object": Reference(kinds.OBJECT.name, id=asset_id(record)), "price": values.get("price")}
                written = [field for field in kinds.HUB_ITEM.written if offer.get(field.key) is not None]
                row = {field.key: self._portable.checked(field, offer[field.key]) for field in written}
                rows.append((record.uuid, row))
            except NotPortable as reason:
                self._leave_out(f"hub: item {record.id}: {reason}")
        self._add(kinds.HUB_ITEM.section, sorted(rows, key=lambda row: str(row[1]["object"])))

    def _name_orders(self) -> None:
        try:
            orders = self._client.list_all(kinds.HUB_ORDER)
        except (errors.FeatureOff, errors.ListMissing) as missing:
            if self._off.get(kinds.HUB_ITEM.section) != _why_missing(missing):
                self._leave_out(f"hub_orders: {_why_missing(missing)}")
            return
        if orders:
            self._result.not_cloned["hub_orders"] = sorted(
                str(order.flat.get("order_number") or order.id) for order in orders
            )


_ORDER = ("field_key", "label", "type", "comment", "default_value", "possible_values", "constraints", "attributes")
_DEFINITION_ORDER = [next(field for field in kinds.FIELD_DEFINITION.fields if field.key == key) for key in _ORDER]


def _why_missing(error: errors.FeatureOff | errors.ListMissing) -> str:
    is_off = isinstance(error, errors.FeatureOff)
    return "this part is switched off on the instance" if is_off else "this instance has no such list"


def _is_known_by_label(schema: Schema, field: Field) -> bool:
    """Return True if the label alone finds the definition of a field again.

    Only then does the definition mean the same on other instances, which generate another key.
    """
    has_name = bool(field.label) and not edge_blanks(field.label)
    return is_generated_key(field.key) and has_name and schema.is_unique(field)


def _named_keys(section: str, schema: Schema, names: Sequence[str]) -> Keys:
    fields = [schema.find(name) for name in names]
    if None in fields:
        raise errors.InvalidInput(
            f"identity.{section}: {', '.join(names)}: not all of them are fields of {schema.kind.singular}"
        )
    return tuple(field.key for field in fields if field is not None)


def _relation(relation: tuple[Any, ...], names: Mapping[str, str]) -> dict[str, Any]:
    """Return a relation that names the other field as files do, because its uuid differs between instances.

    :raises NotPortable: if files cannot name the field, or have the value that it is compared with.
    """
    kind, other, compared = relation
    if other not in names:
        raise NotPortable(f"the field {other} is left out, or set by the service")
    written: dict[str, Any] = {"type": kind, "field": names[other]}
    if compared is not None:
        written["comparison_values"] = list(compared)
    check_texts(written)
    return written
