# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue: one declaration for each kind of record of the service.

Paths, uuid keys, natural keys, the verb for an update and the fixed fields are declared only here. Paths are from
section 4 of the interface (and from the published description for what it does not show), below ``/customer-api/v1``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

from .field import Field
from .types_basic import FIELD_TYPES

#: Key of an answer with the time of archiving: empty if the record is not archived, missing on some instances.
ARCHIVED_AT = "archived_at"

#: Keys that the service manages. They are never sent and never required, even if a definition calls them mandatory.
SERVER_KEYS = frozenset(
    (
        *("id", "uuid", "asset_uuid", "room_uuid", "location_uuid", "person_uuid", "user_uuid"),
        *("created_at", "created_by_user_id", "updated_at", "updated_by_user_id", "locked_by", "deleted", ARCHIVED_AT),
        *("imported_at", "imported_by_user_id", "imported_with_template_id", "created_on_import_with_template_id"),
        *("scan_time", "scanned_by_user_id", "inventory_time", "inventory_user", "asset_like_counter"),
    )
)

_SERVER_TYPES = {"id": "NUMBER"} | dict.fromkeys(("created_at", "updated_at", ARCHIVED_AT, "imported_at"), "DATETIME")
#: The same keys as fields for filters and sorting.
SERVER_FIELDS = {key: Field(key, _SERVER_TYPES.get(key, "TEXT")) for key in SERVER_KEYS}

#: The templates with field definitions (published description).
TEMPLATES = ("asset", "room", "person")


_LINKED = "LINKED_"


class Level(IntEnum):
    """The order in which a plan is applied: records of a level refer to records of earlier levels.

    ``LINKS`` has no kinds: it writes references to records of the same level.
    """

    FIELDS = 0
    LOCATIONS = 1
    IN_LOCATIONS = 2
    USERS = 3
    OBJECTS = 4
    LINKS = 5
    ABOUT_OBJECTS = 6


@dataclass(frozen=True)
class Hours:
    """The fields of a record that lasts whole days, or from one instant to another.

    :ivar whole_days: the flag for whole days.
    :ivar days: the first and the last day; both are always set.
    :ivar times: the instants on those days; null for whole days.
    """

    whole_days: str
    days: tuple[str, str]
    times: tuple[str, str]

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the fields that instances of earlier versions do not have."""
        return (self.whole_days, *self.times)


@dataclass(frozen=True)
class Kind:
    """One kind of record, and what it can do.

    The engine asks a kind for its abilities, never for its name.

    :ivar name: the word of the interface, and the name of the module.
    :ivar path: the beginning of its paths in the singular; ``{template}`` is filled in for field definitions.
    :ivar by_id_path: path with ``{id}`` to read a record by its integer id.
    :ivar missing_is_empty: True if some instances answer 200 without a body if a record does not exist.
    :ivar uuid_keys: keys of the uuid in an answer. The first key that the answer has counts.
    :ivar template: the template whose definitions are the fields of the record; empty if its ``fields`` are fixed.
    :ivar match_on: the default natural keys. The first key whose last field was written counts.
    :ivar identity: the fields of the natural key by which others refer to the record, with their types.
    :ivar names: further fields that name the record to people.
    :ivar case_blind: True if natural keys of one field are compared without case (e-mail addresses).
    :ivar update: ``PATCH`` sends the changed fields; ``PUT`` replaces the whole record.
    :ivar filters: ``query`` if the list accepts the filters of section 4.8, ``parameters`` if it has filters of its own
        (tasks), empty if it has none.
    :ivar sort: a unique key that keeps pages in a stable order; empty if the list is not paged.
    :ivar cap: the number of records after which the service cuts the list.
    :ivar split_members: members of an answer that a shown record has as separate fields.
    :ivar numbered: True if paths contain the integer id because the record has no uuid.
    :ivar newest: the number of newest records that the service lists; older records are in no list.
    :ivar states: the values of ``state``. Records of a kind with ``archived`` are archived at ``item_path`` and
        ``/archive``, and restored at ``/unarchive``. No list shows an archived record. It is looked up by
        ``barcode_path`` or, without that path, by the uuid that the journal of a set noted.
    :ivar wrap: the member that contains the body of a create.
    :ivar open_fields: True if records of an answer add fields to ``fields``.
    :ivar count_path: path of the number of records; empty if the service has none.
    :ivar barcode_path: path that finds a record, archived or not, by the field in braces, such as ``{barcode}``; empty
        if the service has none.
    :ivar status_path: path with ``{uuid}`` that sets the status.
    :ivar needed: optional fields without which some instances answer a create with a 500.
    :ivar cleared_by_leaving_out: fields that a PUT clears by omitting them, because instances refuse null.
    :ivar kept_by_leaving_out: fields that are never null. If a PUT omits them, the service fills them in or keeps them.
    :ivar texts_without_null: texts that a body sends as empty, never as null.
    :ivar hints: field to what to try if it is empty, for refusals that the service does not explain well.
    :ivar section: the part of the files that lists the records; empty if files contain none.
    :ivar level: when a plan applies the records.
    :ivar has_history: True if the service has the history of a record below its ``item_path``.
    :ivar created_from: the kind from whose records this kind is created, if a create takes more than a body.
    :ivar creation_sends_mail: True if a creation sends an e-mail.
    :ivar further_keys: natural keys that an export tries if the default key does not distinguish the records.
    :ivar is_many: True if instances have very many records: an export writes a directory, and names are read early.
    :ivar open_status: the status of a new record. If several records have the same natural key, only records with this
        status count. Requires a ``status_path``.
    :ivar never_empty: fields that every record has, because the service sets them.
    :ivar write_only: members of a body that no answer has, as options of the module.
    :ivar carried_along: fields that a PUT sends back unchanged, so their answered values must be understood.
    :ivar shown_user: field whose user a list shows with name and address; the service returns only the uuid.
    :ivar feature: the part of the service that must be switched on; empty if it always is.
    :ivar sort_parameters: parameters that sort a page: ``sort`` means ``sort[KEY]``, ``sort_by`` a key and an order.
    :ivar filter_parameters: field and operator to the parameters that filter a list of ``filters`` ``parameters``.
    :ivar answered: further fields of answers, with their types. They are read and filtered, and never written.
    :ivar filter_names: other names of fields in filters.
    :ivar written: the fields in files, if the service answers other fields. The mandatory fields are the natural key.
    :ivar short_key: the field that a text in a file gives, if it is enough to create the record.
    :ivar key_prefix: prefix of the keys of the template's fields in requests and answers, for records from which
        objects, rooms or persons are created. No field is mandatory or unique in them.
    :ivar is_named_by_tasks: True if a task names the fields that identify a record, because no natural key holds on
        every instance. ``match_on`` is then the default of files.
    :ivar is_later: True if instances of earlier versions have no such records.
    :ivar hours: the fields for days and times, if a record may last hours.
    :ivar never_moved: why files can't rename the records, and what to do instead.
    """

    name: str
    path: str
    by_id_path: str = ""
    missing_is_empty: bool = False
    uuid_keys: tuple[str, ...] = ("uuid",)
    template: str = ""
    fields: tuple[Field, ...] = ()
    match_on: tuple[tuple[str, ...], ...] = ()
    identity: tuple[Field, ...] = ()
    names: tuple[str, ...] = ()
    case_blind: bool = False
    update: str = "PATCH"
    filters: str = ""
    sort: str = "id"
    cap: int = 0
    newest: int = 0
    numbered: bool = False
    split_members: tuple[str, ...] = ()
    states: tuple[str, ...] = ("present", "absent")
    wrap: str = ""
    open_fields: bool = False
    count_path: str = ""
    barcode_path: str = ""
    status_path: str = ""
    hints: Mapping[str, str] = field(default_factory=dict)
    needed: tuple[str, ...] = ()
    cleared_by_leaving_out: tuple[str, ...] = ()
    kept_by_leaving_out: tuple[str, ...] = ()
    texts_without_null: tuple[str, ...] = ()
    section: str = ""
    level: Level = Level.ABOUT_OBJECTS
    has_history: bool = False
    created_from: str = ""
    creation_sends_mail: bool = False
    further_keys: tuple[tuple[str, ...], ...] = ()
    is_many: bool = False
    open_status: str = ""
    never_empty: tuple[str, ...] = ()
    write_only: tuple[Field, ...] = ()
    carried_along: tuple[str, ...] = ()
    shown_user: str = ""
    feature: str = ""
    sort_parameters: tuple[str, ...] = ("sort",)
    filter_parameters: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    answered: tuple[Field, ...] = ()
    filter_names: Mapping[str, str] = field(default_factory=dict)
    written: tuple[Field, ...] = ()
    short_key: str = ""
    key_prefix: str = ""
    is_named_by_tasks: bool = False
    is_later: bool = False
    hours: Hours | None = None
    never_moved: str = ""

    @cached_property
    def defines_fields(self) -> bool:
        """Return True if its records are the fields of other kinds, with one list for each template."""
        return "{template}" in self.list_path

    @property
    def can_be_hidden(self) -> bool:
        """Return True if an account limited to locations may not see all records.

        These are objects and records that refer to them.
        """
        return self.level >= Level.OBJECTS

    @cached_property
    def has_own_fields(self) -> bool:
        """Return True if its fields differ between instances. Otherwise they are those of the catalogue."""
        return bool(self.template) or self.open_fields

    @cached_property
    def can_be_looked_up(self) -> bool:
        """Return True if a record can be found by a natural key of its own values in a list of all records."""
        return bool(self.match_on) and not self.defines_fields

    @cached_property
    def can_be_created(self) -> bool:
        """Return True if a record can be created from written values alone. Such kinds have a module for one record."""
        return bool(self.create_path)

    @cached_property
    def is_plain(self) -> bool:
        """Return True if its records are created, found and exported by their own fields alone."""
        return self.can_be_created and self.can_be_looked_up

    @property
    def can_be_archived(self) -> bool:
        """Return True if records can be archived. Then a record that no list shows may exist."""
        return "archived" in self.states

    @cached_property
    def barcode_key(self) -> str:
        """Return the field by which ``barcode_path`` finds a record, or an empty text without such a path."""
        return self.barcode_path.partition("{")[2].rstrip("}")

    @property
    def list_path(self) -> str:
        """Return the path of the complete list."""
        return f"{self.path}s"

    @property
    def create_path(self) -> str:
        """Return the path to create a record; empty if a body is not enough."""
        return self.path if self.match_on and not self.created_from else ""

    @property
    def item_path(self) -> str:
        """Return the path with ``{uuid}`` to read, update and delete a record."""
        return f"{self.path}/{{uuid}}"

    @property
    def written_key(self) -> tuple[str, ...]:
        """Return the natural key in files, if it differs from the natural key in answers."""
        return tuple(field.key for field in self.written if field.mandatory)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Return the fields by which others refer to a record, besides the field that names its parent.

        They are in the order of the natural keys: the first that has a value names the record.
        """
        own = {field.key for field in self.identity} - {self.parent_key}
        return tuple(dict.fromkeys(key for keys in self.match_on for key in keys if key in own))

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Return the labels in the order in which people prefer them: a name before a number."""
        return tuple(sorted(self.labels, key=lambda key: key != "name"))

    @cached_property
    def is_named_in_texts(self) -> bool:
        """Return True if an instance may return the name of a record in place of a link to it."""
        return any(field.key == "display_name" for field in self.fields)

    @cached_property
    def parent(self) -> str:
        """Return the name of the parent kind, or an empty text if there is none."""
        types = {field.key: field.type for field in self.identity}
        return types[self.parent_key].removeprefix(_LINKED).lower() if self.parent_key else ""

    @cached_property
    def parent_key(self) -> str:
        """Return the field of the natural key that names the parent, or an empty text if there is none."""
        return next((field.key for field in self.identity if field.type.startswith(_LINKED)), "")

    @cached_property
    def guaranteed_key(self) -> str:
        """Return the key that every answer of this kind has, whatever a role hides.

        That is the key of a mandatory field of the natural key, if the fields are the same on every instance. Otherwise
        it is empty.
        """
        by_name = {field.key: field for field in self.fields}
        firsts = (by_name[names[0]] for names in self.match_on if names[0] in by_name)
        return next((field.wire_key for field in firsts if field.mandatory), "") if not self.has_own_fields else ""

    @property
    def status_key(self) -> str:
        """Return the field that has a request of its own, or an empty text if the record is written as a whole."""
        return "status" if self.status_path else ""

    @property
    def words(self) -> str:
        """Return the name as it appears in a sentence."""
        return self.name.replace("_", " ")

    @property
    def plural(self) -> str:
        """Return the plural as it appears in a sentence."""
        if re.search("[^aeiou]y$", self.words):
            return f"{self.words[:-1]}ies"
        return f"{self.words}es" if self.words.endswith(("s", "x", "ch", "sh")) else f"{self.words}s"

    @property
    def singular(self) -> str:
        """Return the name with its article: ``a room``."""
        return f"{'an' if self.name[0] in 'aeio' else 'a'} {self.words}"


def _fields(**types: str) -> tuple[Field, ...]:
    """Return optional fields by key and type."""
    return tuple(Field(key, type_name) for key, type_name in types.items())


FIELD_DEFINITION = Kind(
    name="field_definition",
    path="/asset-tracking/{template}/field-definition",
    fields=(
        Field("label", "TEXT", mandatory=True),
        Field("field_key", "TEXT"),
        Field("type", "TYPE_NAME", mandatory=True, allowed=tuple(sorted(FIELD_TYPES))),
        *_fields(constraints="CONSTRAINTS", attributes="ATTRIBUTES", relations="RELATIONS", comment="LONG_TEXT"),
        *_fields(default_value="SCALAR", possible_values="SCALARS"),
    ),
    match_on=(("field_key",), ("label",)),
    update="PUT",
    sort="",
    states=("present",),
    split_members=("field_type",),
    section="fields",
    level=Level.FIELDS,
    never_moved="a field gets another label by its field_key: write {field_key: KEY, label: NEW} among the fields",
)

LOCATION = Kind(
    name="location",
    path="/location",
    count_path="/locations/count",
    uuid_keys=("location_uuid", "uuid"),
    fields=tuple(Field(key, "TEXT", mandatory=key == "name") for key in ("name", "address", "zip", "city", "country")),
    match_on=(("name",),),
    identity=(Field("name", "TEXT"),),
    filters="query",
    open_fields=True,
    section="locations",
    level=Level.LOCATIONS,
    has_history=True,
    further_keys=(("name", "address"), ("name", "address", "zip", "city")),
)

ROOM = Kind(
    name="room",
    path="/room",
    count_path="/rooms/count",
    uuid_keys=("room_uuid", "uuid"),
    template="room",
    match_on=(("building_id", "number"), ("building_id", "name")),
    identity=(Field("building_id", "LINKED_LOCATION"), Field("number", "TEXT"), Field("name", "TEXT")),
    filters="query",
    section="rooms",
    level=Level.IN_LOCATIONS,
    has_history=True,
    further_keys=(("building_id", "number", "name"),),
)

PERSON = Kind(
    name="person",
    path="/person",
    count_path="/persons/count",
    by_id_path="/person/by-id/{id}",
    missing_is_empty=True,
    uuid_keys=("person_uuid", "uuid"),
    template="person",
    match_on=(("email",),),
    identity=(Field("email", "TEXT"),),
    names=("first_name", "last_name"),
    case_blind=True,
    wrap="fields",
    section="persons",
    level=Level.IN_LOCATIONS,
    has_history=True,
    further_keys=(("email", "first_name", "last_name"),),
    # Some instances sort persons by sort_by, others by sort.
    sort_parameters=("sort_by", "sort"),
)

USER = Kind(
    name="user",
    path="/user",
    by_id_path="/user/by-id/{id}",
    missing_is_empty=True,
    fields=(*(Field(key, "TEXT") for key in ("email", "firstname", "lastname")), Field("display_name", "WORDS")),
    match_on=(("email",),),
    identity=(Field("email", "TEXT"),),
    case_blind=True,
    states=("present",),
    section="users",
    level=Level.USERS,
    created_from="person",
    creation_sends_mail=True,
    sort_parameters=("sort_by",),
    short_key="email",
    never_moved="the address of a user is that of the person; write the rename of the person",
)

OBJECT = Kind(
    name="object",
    path="/object",
    count_path="/objects/count",
    uuid_keys=("asset_uuid", "uuid"),
    template="asset",
    match_on=(("barcode",),),
    identity=(Field("barcode", "BARCODE"),),
    names=("inventory_name",),
    filters="query",
    states=("present", "absent", "archived"),
    barcode_path="/object/by-barcode/{barcode}",
    section="objects",
    level=Level.OBJECTS,
    has_history=True,
    further_keys=(("barcode", "inventory_name"),),
    is_many=True,
)

TASK = Kind(
    name="task",
    path="/task-management/task",
    status_path="/task-management/task/{uuid}/status",
    fields=(
        Field("title", "TEXT", mandatory=True),
        Field("comment", "LONG_TEXT"),
        Field("deadline", "DAY", mandatory=True),
        Field("reminders", "INTERVALS", constraints={"max_items": 2}),
        Field("recurring_schedule", "INTERVAL"),
        Field("assignees", "USERS", mandatory=True, constraints={"min_items": 1, "max_items": 1}),
        *_fields(references="ASSETS", attachments="ATTACHMENTS"),
        Field("status", "CHOICE", allowed=("open", "closed")),
    ),
    match_on=(("title",),),
    update="PUT",
    filters="parameters",
    sort="",
    cap=10000,
    hints={
        "reminders": "this instance may require one or two reminders; the default of this collection is none",
        "references": "this instance may require at least one reference",
    },
    section="tasks",
    has_history=True,
    further_keys=(("title", "deadline"), ("title", "deadline", "assignees"), ("title", "deadline", "references")),
    open_status="open",
    never_empty=("status",),
    write_only=(Field("notify", "BOOLEAN"),),
    filter_parameters={
        ("status", "eq"): ("status",),
        ("deadline", "gte"): ("deadline_from",),
        ("deadline", "lte"): ("deadline_to",),
        ("deadline", "eq"): ("deadline_from", "deadline_to"),
        ("assignees", "eq"): ("assignee",),
        ("author", "eq"): ("author",),
        ("reference_type", "eq"): ("reference_type",),
    },
    answered=(Field("author", "USER"), Field("slug", "TEXT"), Field("reference_type", "TYPES", wire="references")),
    filter_names={"assignee": "assignees"},
)

RENTAL_CASE = Kind(
    name="rental_case",
    path="/rental-management/rental-case",
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
        *_fields(is_full_day="WHOLE_DAYS", issue_at="DATETIME", due_at="DATETIME"),
        Field("responsible_user", "USER", mandatory=True, wire="responsible_user_uuid"),
        *_fields(renter="RENTER", comment="LONG_TEXT", attachments="ATTACHMENTS"),
    ),
    match_on=(("title", "issue_date"),),
    update="PUT",
    filters="query",
    sort="uuid",
    hints={"renter": "this instance may require a renter"},
    needed=("renter",),
    cleared_by_leaving_out=("issue_date_reminder", "due_date_reminder", "renter"),
    kept_by_leaving_out=("status", "is_full_day", "issue_at", "due_at"),
    texts_without_null=("comment",),
    section="rental_cases",
    has_history=True,
    further_keys=(("title", "issue_date", "due_date"), ("title", "issue_date", "references")),
    answered=(Field("author", "USER"),),
    carried_along=("renter",),
    shown_user="responsible_user",
    hours=Hours("is_full_day", ("issue_date", "due_date"), ("issue_at", "due_at")),
    feature="rental",
    never_empty=("status",),
)

CATALOG_ITEM = Kind(
    name="catalog_item",
    path="/catalog-item",
    template="asset",
    key_prefix="catalog_object_",
    match_on=(("inventory_name",),),
    is_named_by_tasks=True,
    update="PUT",
    wrap="fields",
    filters="query",
    section="catalog",
    is_later=True,
)

HUB_ITEM = Kind(
    name="hub_item",
    path="/circularity-hub/item",
    fields=_fields(
        id="NUMBER", asset_id="NUMBER", price="MONEY", suggested_price="MONEY", category_id="NUMBER", deleted="BOOLEAN"
    ),
    filters="query",
    numbered=True,
    section="hub",
    created_from="object",
    feature="hub",
    written=(
        Field("object", "LINKED_ASSET", mandatory=True),
        Field("category", "TEXT"),
        Field("price", "MONEY", constraints={"min_value": 0, "max_decimals": 2}, fraction_digits=2),
    ),
    never_moved="an offer is identified by its object; write the rename of the object",
)

HUB_ORDER = Kind(
    name="hub_order",
    path="/circularity-hub/order",
    fields=(
        *_fields(id="NUMBER", order_number="TEXT", created_at="DATETIME", user_id="NUMBER", total_price="MONEY"),
        *_fields(completed="BOOLEAN", cancelled="BOOLEAN", cancellation_reason="LONG_TEXT"),
        *_fields(billing_data="BILLING", articles="ARTICLES"),
    ),
    filters="query",
    numbered=True,
    feature="hub",
)

FILE = Kind(
    name="file",
    path="/file",
    fields=_fields(name="TEXT", type="TEXT", size="NUMBER", creator_id="NUMBER", created_at="DATETIME"),
    sort="",
    newest=20,
)

#: All declared kinds by name. A kind comes after the kinds that it depends on.
KINDS: dict[str, Kind] = {kind.name: kind for kind in list(globals().values()) if isinstance(kind, Kind)}

#: The kinds whose records have the fields of a template, by template.
TEMPLATE_KINDS: dict[str, Kind] = {
    kind.template: kind for kind in KINDS.values() if kind.template and not kind.key_prefix
}


def flatten(kind: Kind, raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return one record of an answer as a flat map, from any of its shapes: flat, ``{fields}`` or ``{uuid, fields}``.

    A definition keeps its type apart.
    """
    if kind.has_own_fields and "fields" in raw and isinstance(raw["fields"], Mapping):
        outer = {key: value for key, value in raw.items() if key != "fields"}
        return {**raw["fields"], **outer}
    if kind.defines_fields:
        given = raw.get("field_type")
        field_type = given if isinstance(given, Mapping) else {}
        members = (("type", "name"), ("constraints", "constraints"))
        apart = {key: field_type[member] for key, member in members if member in field_type}
        return {**raw, **apart}
    return raw


def maps_in(value: Any) -> list[Mapping[str, Any]]:
    """Return the maps of a list. Nothing else belongs there."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []
