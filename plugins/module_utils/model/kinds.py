# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue: one declaration for each kind of record that the service has.

Paths, uuid keys, natural keys, the verb for an update and the fixed fields stand here and nowhere else. Paths are
those of section 4 of the interface (and of the published description for what it does not show), below ``/customer-
api/v1``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .field import Field
from .types_basic import FIELD_TYPES

SERVER_KEYS = frozenset(
    [
        "id",
        "uuid",
        "asset_uuid",
        "room_uuid",
        "location_uuid",
        "person_uuid",
        "user_uuid",
        "created_at",
        "updated_at",
        "created_by_user_id",
        "updated_by_user_id",
        "imported_by_user_id",
        "imported_with_template_id",
        "imported_at",
        "created_on_import_with_template_id",
        "deleted",
        "locked_by",
        "archived_at",
        "scan_time",
        "scanned_by_user_id",
        "asset_like_counter",
        "inventory_time",
        "inventory_user",
    ]
)
"""Keys that the service manages: never sent, never required, even where a definition calls them mandatory."""

TEMPLATES = ("asset", "room", "person")
"""The templates that have field definitions (published description)."""


_LINKED = "LINKED_"


@dataclass(frozen=True)
class Kind:
    """One kind of record.

    :ivar name: the interface's word for it, and the name of its module.
    :ivar list_path: where the complete list is; ``{template}`` is filled in for field definitions.
    :ivar item_path: where one record is read, updated and deleted, with ``{uuid}``; empty where the service has none.
    :ivar create_path: where one is made; empty where the service makes none.
    :ivar by_id_path: where one is read by its integer id, with ``{id}``.
    :ivar uuid_keys: where in an answer the uuid stands, the first that is there.
    :ivar template: the template whose definitions are the record's fields; empty for records with fixed ``fields``.
    :ivar match_on: the default natural key; of several, the first whose last field was written.
    :ivar identity: the fields of the natural key by which others refer to the record, with their types.
    :ivar case_blind: whether natural keys are compared without case (e-mail addresses).
    :ivar update: ``PATCH`` sends what changed; ``PUT`` replaces the whole record.
    :ivar filters: ``query`` where the list takes section 4.8's filters, ``parameters`` for the tasks' own, else empty.
    :ivar sort: a key that no two records share, to page in a stable order; empty where the list is not paged.
    :ivar cap: the service cuts the list at so many records.
    :ivar taken_apart: members of an answer that stand in a shown record as fields of their own.
    :ivar numbered: its paths take the integer id; the record has no uuid.
    :ivar newest: the service lists only so many of the newest records.
    :ivar states: what ``state`` may be.
    :ivar wrap: the member that the body of a create is wrapped in.
    :ivar open_fields: whether fields beyond ``fields`` are taken from the records of an answer.
    :ivar barcode_path: where a record is found by its barcode, archived ones included, with ``{barcode}``.
    :ivar status_path: where the status is set, with ``{uuid}``.
    :ivar needed: fields without which some instances answer a create with a 500, though they are optional.
    :ivar cleared_by_leaving_out: fields that a PUT clears by leaving them out, because instances refuse null for them.
    :ivar is_very_many: there may be so many that a list of all is not read for a hint in a message.
    :ivar defines_fields: it is a definition of a field, and what it says changes what other records may have.
    :ivar made_of: the name of the kind of record that it is made of; nothing changes it, and nothing takes it away.
    :ivar hints: field to what to try where it is empty, for refusals that the service does not explain well.
    """

    name: str
    list_path: str
    item_path: str = ""
    create_path: str = ""
    by_id_path: str = ""
    uuid_keys: tuple[str, ...] = ("uuid",)
    template: str = ""
    fields: tuple[Field, ...] = ()
    match_on: tuple[tuple[str, ...], ...] = ()
    identity: tuple[Field, ...] = ()
    case_blind: bool = False
    update: str = "PATCH"
    filters: str = ""
    sort: str = "id"
    cap: int = 0
    newest: int = 0
    numbered: bool = False
    taken_apart: tuple[str, ...] = ()
    states: tuple[str, ...] = ("present", "absent")
    wrap: str = ""
    open_fields: bool = False
    barcode_path: str = ""
    status_path: str = ""
    hints: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    cleared_by_leaving_out: tuple[str, ...] = ()
    is_very_many: bool = False
    defines_fields: bool = False
    made_of: str = ""

    @property
    def words(self) -> str:
        """The name as it stands in a sentence."""
        return self.name.replace("_", " ")

    @property
    def inside(self) -> Field | None:
        """The field of the natural key by which the record is inside of another one: a room in a location."""
        return next((field for field in self.identity if field.type.startswith(_LINKED)), None)

    @property
    def place(self) -> str:
        """The name of the kind of record that it is inside of; empty where it is inside of none."""
        return self.inside.type.removeprefix(_LINKED).lower() if self.inside else ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The fields by which others refer to the record; inside of another one, each of them does."""
        return tuple(field.key for field in self.identity if not field.type.startswith(_LINKED))

    @property
    def is_named_in_texts(self) -> bool:
        """Whether an instance may answer a name of the record in place of a link to it."""
        return any(field.key == "display_name" for field in self.fields)

    @property
    def one(self) -> str:
        """The name with its article."""
        return f"{'an' if self.name[0] in 'aeio' else 'a'} {self.words}"


OBJECT = Kind(
    name="object",
    list_path="/objects",
    item_path="/object/{uuid}",
    create_path="/object",
    uuid_keys=("asset_uuid", "uuid"),
    template="asset",
    match_on=(("barcode",),),
    identity=(Field("barcode", "BARCODE"),),
    filters="query",
    states=("present", "absent", "archived"),
    barcode_path="/object/by-barcode/{barcode}",
    is_very_many=True,
)

LOCATION = Kind(
    name="location",
    list_path="/locations",
    item_path="/location/{uuid}",
    create_path="/location",
    uuid_keys=("location_uuid", "uuid"),
    fields=tuple(Field(key, "TEXT", mandatory=key == "name") for key in ("name", "address", "zip", "city", "country")),
    match_on=(("name",),),
    identity=(Field("name", "TEXT"),),
    filters="query",
    open_fields=True,
)

ROOM = Kind(
    name="room",
    list_path="/rooms",
    item_path="/room/{uuid}",
    create_path="/room",
    uuid_keys=("room_uuid", "uuid"),
    template="room",
    match_on=(("building_id", "number"), ("building_id", "name")),
    identity=(Field("building_id", "LINKED_LOCATION"), Field("number", "TEXT"), Field("name", "TEXT")),
    filters="query",
)

PERSON = Kind(
    name="person",
    list_path="/persons",
    item_path="/person/{uuid}",
    create_path="/person",
    by_id_path="/person/by-id/{id}",
    uuid_keys=("person_uuid", "uuid"),
    template="person",
    match_on=(("email",),),
    identity=(Field("email", "TEXT"),),
    case_blind=True,
    wrap="fields",
)

USER = Kind(
    name="user",
    list_path="/users",
    item_path="/user/{uuid}",
    by_id_path="/user/by-id/{id}",
    made_of="person",
    fields=tuple(Field(key, "TEXT") for key in ("email", "firstname", "lastname", "display_name")),
    match_on=(("email",),),
    identity=(Field("email", "TEXT"),),
    case_blind=True,
)

TASK = Kind(
    name="task",
    list_path="/task-management/tasks",
    item_path="/task-management/task/{uuid}",
    create_path="/task-management/task",
    status_path="/task-management/task/{uuid}/status",
    fields=(
        Field("title", "TEXT", mandatory=True),
        Field("comment", "LONG_TEXT"),
        Field("deadline", "DAY", mandatory=True),
        Field("reminders", "INTERVALS", constraints={"max_items": 2}),
        Field("recurring_schedule", "INTERVAL"),
        Field("assignees", "USERS", mandatory=True, constraints={"min_items": 1, "max_items": 1}),
        Field("references", "ASSETS"),
        Field("attachments", "ATTACHMENTS"),
        Field("status", "CHOICE", allowed=("open", "closed")),
    ),
    match_on=(("title",),),
    update="PUT",
    filters="parameters",
    sort="",
    cap=10000,
    hints={
        "reminders": "this instance may want one or two reminders; none is the default here",
        "references": "this instance may want at least one reference",
    },
)

RENTAL_CASE = Kind(
    name="rental_case",
    list_path="/rental-management/rental-cases",
    item_path="/rental-management/rental-case/{uuid}",
    create_path="/rental-management/rental-case",
    fields=(
        Field("title", "TEXT", mandatory=True),
        Field(
            "status",
            "RENTAL_STATUS",
            allowed=("requested", "confirmed", "borrowed", "rejected", "completed", "return_overdue", "pickup_overdue"),
        ),
        Field("references", "ASSETS", mandatory=True, constraints={"min_items": 1, "max_items": 100}),
        Field("issue_date", "DAY", mandatory=True),
        Field("issue_date_reminder", "INTERVAL"),
        Field("due_date", "DAY", mandatory=True),
        Field("due_date_reminder", "INTERVAL"),
        Field("responsible_user", "USER", mandatory=True, wire="responsible_user_uuid"),
        Field("renter", "RENTER"),
        Field("comment", "LONG_TEXT"),
        Field("attachments", "ATTACHMENTS"),
    ),
    match_on=(("title", "issue_date"),),
    update="PUT",
    filters="query",
    sort="uuid",
    hints={"renter": "this instance may want a renter"},
    needed=("renter",),
    cleared_by_leaving_out=("issue_date_reminder", "due_date_reminder", "renter"),
)

FIELD_DEFINITION = Kind(
    name="field_definition",
    list_path="/asset-tracking/{template}/field-definitions",
    item_path="/asset-tracking/{template}/field-definition/{uuid}",
    create_path="/asset-tracking/{template}/field-definition",
    fields=(
        Field("label", "TEXT", mandatory=True),
        Field("field_key", "TEXT"),
        Field("type", "TYPE_NAME", mandatory=True, allowed=tuple(sorted(FIELD_TYPES))),
        Field("constraints", "CONSTRAINTS"),
        Field("attributes", "ATTRIBUTES"),
        Field("relations", "RELATIONS"),
        Field("comment", "LONG_TEXT"),
        Field("default_value", "SCALAR"),
        Field("possible_values", "SCALARS"),
    ),
    match_on=(("field_key",), ("label",)),
    update="PUT",
    sort="",
    states=("present",),
    taken_apart=("field_type",),
    defines_fields=True,
)

HUB_ITEM = Kind(
    name="hub_item",
    list_path="/circularity-hub/items",
    item_path="/circularity-hub/item/{uuid}",
    fields=(
        Field("id", "NUMBER"),
        Field("asset_id", "NUMBER"),
        Field("price", "MONEY"),
        Field("suggested_price", "MONEY"),
        Field("category_id", "NUMBER"),
        Field("deleted", "BOOLEAN"),
    ),
    filters="query",
    numbered=True,
)

HUB_ORDER = Kind(
    name="hub_order",
    list_path="/circularity-hub/orders",
    item_path="/circularity-hub/order/{uuid}",
    fields=(
        Field("id", "NUMBER"),
        Field("order_number", "TEXT"),
        Field("created_at", "DATETIME"),
        Field("user_id", "NUMBER"),
        Field("total_price", "MONEY"),
        Field("completed", "BOOLEAN"),
        Field("cancelled", "BOOLEAN"),
        Field("cancellation_reason", "LONG_TEXT"),
        Field("billing_data", "BILLING"),
        Field("articles", "ARTICLES"),
    ),
    filters="query",
    numbered=True,
)

FILE = Kind(
    name="file",
    list_path="/files",
    item_path="/file/{uuid}",
    fields=(
        Field("name", "TEXT"),
        Field("type", "TEXT"),
        Field("size", "NUMBER"),
        Field("creator_id", "NUMBER"),
        Field("created_at", "DATETIME"),
    ),
    sort="",
    newest=20,
)

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        FIELD_DEFINITION,
        LOCATION,
        ROOM,
        PERSON,
        USER,
        OBJECT,
        TASK,
        RENTAL_CASE,
        HUB_ITEM,
        HUB_ORDER,
        FILE,
    )
}
"""Every kind by its name, in the order in which one depends on another."""

TEMPLATE_KINDS: dict[str, Kind] = {kind.template: kind for kind in KINDS.values() if kind.template}


def flatten(kind: Kind, raw: Mapping[str, Any]) -> dict[str, Any]:
    """One record of an answer as a flat map, whatever shape it came in: flat, ``{fields}`` or ``{uuid, fields}``; a
    definition's type apart.
    """
    if kind.template or kind.open_fields:
        fields = raw.get("fields")
        if isinstance(fields, Mapping):
            outer = {key: value for key, value in raw.items() if key != "fields"}
            return {**fields, **outer}
    if kind.defines_fields:
        field_type = raw.get("field_type") or {}
        return {**raw, "type": field_type.get("name"), "constraints": field_type.get("constraints")}
    return dict(raw)
