# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that only tasks, rental cases and hub lists have (sections 2.3 to 2.5 of the interface).

They have the same four representations as the field types in :mod:`types_basic`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from .field import (
    Field,
    FieldType,
    InvalidValue,
    cannot_send,
    each,
    equal_by,
    faithful,
    integer_of,
    is_nothing,
    is_uuid,
    list_of,
    parse_list,
    parse_parts,
    read_list,
)
from .names import normal_address
from .types_basic import ANY, BOOLEAN, DATE, DATETIME, DECIMAL, INTEGER, TEXT, UNWRITABLE, WORDS
from .types_definition import DEFINITIONS
from .types_links import (
    ATTACHMENTS,
    REFERENCES_SHAPE,
    Reference,
    brief_reference,
    equal_references,
    link_type,
    parse_reference,
    read_reference,
)

# ---- time intervals

_DAYS = {"days": 1, "weeks": 7}
_MONTHS = {"months": 1, "years": 12}
UNITS = (*_DAYS, *_MONTHS)


@dataclass(frozen=True)
class Interval:
    """A lead time or a repeat: a number of units (section 2.3)."""

    unit: str
    value: int

    def length(self) -> tuple[str, int]:
        """Return the length. Two intervals of the same length mean the same, whatever the unit."""
        if self.unit in _DAYS:
            return ("days", self.value * _DAYS[self.unit])
        return ("months" if self.value else "days", self.value * _MONTHS[self.unit])


def _parse_interval(value: Any, _field: Field) -> Interval:
    expected = InvalidValue(
        f"a time interval such as {{unit: weeks, value: 2}} with one of the units {', '.join(UNITS)}"
    )
    if not isinstance(value, Mapping) or set(value) != {"unit", "value"}:
        raise expected

    def parse_part(name: str | int, part: Any) -> Any:
        number = integer_of(part)
        if name == "value" and number is not None and number >= 0:
            return number
        if name == "unit" and part in UNITS:
            return str(part)
        raise expected

    found = parse_parts(value.items(), parse_part)
    return Interval(found["unit"], found["value"])


def _read_interval(value: Any, _field: Field) -> Interval | None:
    if isinstance(value, Mapping) and value.get("unit") in UNITS:
        number = integer_of(value.get("value"))
        return None if number is None or number < 0 else Interval(value["unit"], number)
    return None


def _plain_interval(value: Interval | None) -> Any:
    return asdict(value) if value else None


def _length(value: Interval | None, _field: Field) -> Any:
    return value.length() if value else None


_INTERVAL_OPTIONS = {
    "unit": {"type": "str", "choices": list(UNITS), "required": True},
    "value": {"type": "int", "required": True},
}
INTERVAL = FieldType(
    _parse_interval,
    _read_interval,
    _plain_interval,
    _plain_interval,
    equal_by(_length),
    same_as=_length,
    option={"type": "dict", "options": _INTERVAL_OPTIONS},
    shape="interval",
    json_schema={
        "type": ["object", "null"],
        "properties": {
            "unit": {"enum": list(UNITS)},
            "value": {"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]+$"},
        },
        "required": ["unit", "value"],
        "additionalProperties": False,
    },
)
INTERVALS = list_of(
    INTERVAL,
    equal=lambda left, right, _field: sorted(map(Interval.length, left)) == sorted(map(Interval.length, right)),
    same_as=_length,
    option={"type": "list", "elements": "dict", "options": _INTERVAL_OPTIONS},
    shape="intervals",
    json_schema={"type": ["array", "null"], "items": {"$ref": "#/$defs/interval", "not": {"type": "null"}}},
)


# ---- references of tasks and rental cases, users


def _parse_asset(value: Any, field: Field) -> Reference:
    if isinstance(value, Mapping) and value.get("type") == "asset":
        value = {key: member for key, member in value.items() if key in ("uuid", "id")}
    reference: Reference = parse_reference("object")(value, field)
    return reference


def _read_asset(value: Any, field: Field) -> Any:
    if isinstance(value, Mapping) and value.get("type", "asset") != "asset":
        return None
    reference = read_reference("object")(value, field)
    if reference is not None and isinstance(value, Mapping):
        return replace(reference, display_name=value.get("name"), status=value.get("status"))
    return reference


def _uuid_of(value: Reference | None) -> Any:
    # An instance that returns ids accepts ids.
    return (value.uuid or value.id) if value else None


def _assets_as_answered(raw: Any) -> Any:
    """Return references to other kinds than assets in the form in which they are sent back."""
    items = raw if isinstance(raw, list) else [raw]
    if not all(
        isinstance(item, Mapping) and isinstance(item.get("type"), str) and is_uuid(item.get("uuid")) for item in items
    ):
        return cannot_send(raw)
    return [{"type": item["type"], "uuid": item["uuid"]} for item in items]


def _users_as_answered(raw: Any) -> Any:
    """Return unreadable users in the form in which they are sent back: texts, but no maps."""
    items = raw if isinstance(raw, list) else [raw]
    return cannot_send(raw) if any(isinstance(item, (Mapping, list)) for item in items) else raw


def _show_asset(value: Reference) -> dict[str, Any]:
    shown = {"id": value.id, "uuid": value.uuid, "display_name": value.display_name}
    return shown if value.status is None else {**shown, "status": value.status}


def _show_user(value: Reference) -> dict[str, Any]:
    """Return a user for output. The service returns only the uuid; other members are added if known."""
    return {"id": value.id, "uuid": value.uuid, "email": value.email, "display_name": value.display_name}


ASSETS = FieldType(
    parse_list(_parse_asset),
    read_list(_read_asset),
    each(lambda value: {"type": "asset", "uuid": value.uuid}),
    each(_show_asset),
    equal_references,
    each(brief_reference),
    (),
    option={"type": "list", "elements": "raw"},
    shape="references",
    json_schema=REFERENCES_SHAPE,
)
_USER = link_type("user")
USER = replace(_USER, write=_uuid_of, show=lambda value: _show_user(value) if value else None, narrows=False)
USERS = list_of(
    USER,
    equal=equal_references,
    option={"type": "list", "elements": "raw"},
    shape="references",
    json_schema=REFERENCES_SHAPE,
)


def _read_types(value: Any, _field: Field) -> tuple[str, ...]:
    """Return the kinds of record that references lead to."""
    found = value if isinstance(value, list) else ()
    return tuple(str(reference.get("type")) for reference in found if isinstance(reference, Mapping))


# ---- the renter of a rental case: ("plain", text) or ("user", Reference)


def _parse_renter(value: Any, field: Field) -> tuple[str, Any]:
    if (
        not isinstance(value, Mapping)
        or set(value) != {"type", "value"}
        or value["type"] not in ("plain", "user")
        or not value["value"]
    ):
        raise InvalidValue(
            "a renter such as {type: plain, value: Ada Lovelace} or {type: user, value: ada@example.com}"
        )
    faces = _USER if value["type"] == "user" else TEXT
    who = parse_parts([("value", value["value"])], lambda _name, who: faces.parse(who, field))["value"]
    return str(value["type"]), who


def _read_renter(value: Any, field: Field) -> tuple[str, Any] | None:
    if isinstance(value, Mapping) and value.get("type") and value.get("value"):
        if value["type"] != "user":
            return (value["type"], value["value"])
        user = _USER.read(value["value"], field)
        return None if user is None else ("user", user)
    # Some instances return only a text: the written text or the name of the user.
    return ("text", value) if isinstance(value, str) and value else None


def _is_no_renter(raw: Any) -> bool:
    """Return True if a case has no renter."""
    if is_nothing(raw):
        return True
    return isinstance(raw, Mapping) and "value" in raw and is_nothing(raw["value"]) and not _is_hidden_renter(raw)


def _is_hidden_renter(raw: Any) -> bool:
    """Return True if a case has a renter that this answer does not show: a user without a name, or a text of null."""
    if not isinstance(raw, Mapping) or not raw.get("type"):
        return False
    return not raw.get("value") if raw["type"] == "user" else "value" in raw and raw["value"] is None


def _plain_renter(of_user: Callable[[Any], Any]) -> Callable[[tuple[str, Any] | None], Any]:
    def plain(value: tuple[str, Any] | None) -> Any:
        if value is None:
            return None
        kind, who = value
        return {"type": None if kind == "text" else kind, "value": of_user(who) if kind == "user" else who}

    return plain


def is_called(user: Reference, text: str) -> bool:
    """Return True if a text may name a user: by uuid, e-mail address or display name."""
    return normal_address(text) in {normal_address(name) for name in (user.uuid, *user.names) if name}


def _equal_renter(left: Any, right: Any, field: Field) -> bool:
    if left is None or right is None:
        return left is right
    for (kind, who), (other, text) in ((left, right), (right, left)):
        if other == "text":
            return (
                is_called(who, text) if kind == "user" and isinstance(who, Reference) else TEXT.equal(who, text, field)
            )
    faces = _USER if left[0] == "user" else TEXT
    return bool(left[0] == right[0] and faces.equal(left[1], right[1], field))


RENTER = FieldType(
    _parse_renter,
    _read_renter,
    _plain_renter(_uuid_of),
    _plain_renter(_uuid_of),
    _equal_renter,
    _plain_renter(brief_reference),
    option={
        "type": "dict",
        "options": {
            "type": {"type": "str", "choices": ["plain", "user"], "required": True},
            "value": {"type": "raw", "required": True},
        },
    },
    shape="renter",
    json_schema={
        "type": ["object", "null"],
        "properties": {"type": {"enum": ["plain", "user"]}, "value": {"type": ["string", "integer", "object"]}},
        "required": ["type", "value"],
        "additionalProperties": False,
        "if": {"properties": {"type": {"const": "plain"}}, "required": ["type"]},
        "then": {"properties": {"value": {"type": "string"}}},
    },
    in_files=lambda value, called: {"type": value[0], "value": called(value[1])},
)


# ---- the status of a rental case

#: Statuses that the service sets itself when a day has passed, each with the status before it.
BY_TIME = {"return_overdue": "borrowed", "pickup_overdue": "confirmed"}


def _before_its_day(value: Any, _field: Field) -> Any:
    return BY_TIME.get(value, value)


# ---- orders on the hub

_BILLING = {"first_name": "firstName", "last_name": "lastName"}


def _read_billing(value: Any, _field: Field) -> Any:
    """Return the party that pays. Instances differ in two keys (section 2.5 has firstName and lastName)."""
    return {_BILLING.get(key, key): member for key, member in value.items()} if isinstance(value, Mapping) else None


def _read_article(value: Any, field: Field) -> Any:
    if not isinstance(value, Mapping):
        return None
    parts = (
        (DECIMAL, ("price", "suggested_price")),
        (INTEGER, ("id", "asset_id", "category_id")),
        (DATETIME, ("created_at", "updated_at")),
    )
    read = {key: kind.show(kind.read(value[key], field)) for kind, keys in parts for key in keys if key in value}
    return {**value, **read}


#: Type names of the catalogue for fields that are the same on every instance.
STRUCTURES: dict[str, FieldType] = {
    **DEFINITIONS,
    "ANY": ANY,
    "ARTICLES": replace(UNWRITABLE, read=read_list(_read_article), write=list, show=list, empty=()),
    "ASSETS": faithful(ASSETS, _assets_as_answered),
    "ATTACHMENTS": faithful(ATTACHMENTS, cannot_send),
    "BILLING": replace(UNWRITABLE, read=_read_billing),
    "CHOICE": TEXT,
    "DAY": DATE,
    "INTERVAL": faithful(INTERVAL),
    "INTERVALS": faithful(INTERVALS),
    "RENTER": faithful(RENTER, lambda raw: cannot_send(raw) if _is_hidden_renter(raw) else raw, _is_no_renter),
    "RENTAL_STATUS": replace(
        TEXT,
        equal=equal_by(_before_its_day),
        same_as=_before_its_day,
        changed_by_time=BY_TIME,
        in_files=lambda value, _called: BY_TIME.get(value, value),
    ),
    "TYPES": replace(TEXT, parse=parse_list(TEXT.parse), read=_read_types, empty=(), narrows=False),
    "USER": faithful(USER, _users_as_answered),
    "USERS": faithful(USERS, _users_as_answered),
    # Not written: the times of a record already say whether it lasts whole days.
    "WHOLE_DAYS": replace(BOOLEAN, computed=True),
    "WORDS": WORDS,
}
