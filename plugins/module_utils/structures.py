# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that only tasks, rental cases and field definitions have (sections 2.2, 2.3 and 2.4 of the interface).

They have the same four faces as the field types in :mod:`values`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from .fields import EMPTY, Field, FieldType, Unfit, each, is_uuid, parse_list, read_list, typed
from .links import ATTACHMENTS, Reference, brief_reference, equal_references, link_type, parse_reference, read_reference
from .values import ANY, BOOLEAN, DATE, DECIMAL, INTEGER, TEXT, UNWRITABLE


def _same(value: Any) -> Any:
    return value


# ---- time intervals

_DAYS = {"days": 1, "weeks": 7}
_MONTHS = {"months": 1, "years": 12}
UNITS = (*_DAYS, *_MONTHS)


@dataclass(frozen=True)
class Interval:
    """A lead time or a repeat: so many units (section 2.3)."""

    unit: str
    value: int

    def plain(self) -> dict[str, Any]:
        return {"unit": self.unit, "value": self.value}

    def length(self) -> tuple[str, int]:
        """Two intervals of one length mean the same, whatever the unit."""
        if self.unit in _DAYS:
            return ("days", self.value * _DAYS[self.unit])
        return ("months" if self.value else "days", self.value * _MONTHS[self.unit])


def _parse_interval(value: Any, _field: Field) -> Interval:
    if isinstance(value, Mapping) and set(value) == {"unit", "value"}:
        number = value["value"]
        if isinstance(number, str) and number.isdecimal():
            number = int(number)
        if value["unit"] in UNITS and isinstance(number, int) and not isinstance(number, bool) and number >= 0:
            return Interval(str(value["unit"]), number)
    raise Unfit(f"a time interval such as {{unit: weeks, value: 2}} with one of the units {', '.join(UNITS)}")


def _read_interval(value: Any, _field: Field) -> Interval | None:
    if isinstance(value, Mapping) and value.get("unit") in UNITS:
        number = str(value.get("value") or 0)
        return Interval(value["unit"], int(number)) if number.isdecimal() else None
    return None


def _plain_interval(value: Interval | None) -> Any:
    return value.plain() if value else None


def _equal_interval(left: Interval | None, right: Interval | None, _field: Field) -> bool:
    if left is None or right is None:
        return left is right
    return left.length() == right.length()


def _equal_intervals(left: Sequence[Interval], right: Sequence[Interval], _field: Field) -> bool:
    return sorted(one.length() for one in left) == sorted(one.length() for one in right)


INTERVAL = FieldType(_parse_interval, _read_interval, _plain_interval, _plain_interval, _equal_interval)
INTERVALS = FieldType(
    parse_list(_parse_interval),
    read_list(_read_interval),
    each(_plain_interval),
    each(_plain_interval),
    _equal_intervals,
    None,
    (),
)


# ---- references of tasks and rental cases, users


def _parse_asset(value: Any, of: Field) -> Reference:
    if isinstance(value, Mapping) and value.get("type") == "asset":
        value = {key: member for key, member in value.items() if key in ("uuid", "id")}
    reference: Reference = parse_reference("object")(value, of)
    return reference


def _read_asset(value: Any, of: Field) -> Any:
    reference = read_reference("object")(value, of)
    if reference is not None and isinstance(value, Mapping):
        reference.display_name = value.get("name")
    return reference


def _uuid_of(value: Reference | None) -> Any:
    return value.uuid if value else None


def _show_reference(value: Reference) -> dict[str, Any]:
    return {"id": value.id, "uuid": value.uuid, "display_name": value.display_name}


ASSETS = FieldType(
    parse_list(_parse_asset),
    read_list(_read_asset),
    each(lambda value: {"type": "asset", "uuid": value.uuid}),
    each(_show_reference),
    equal_references,
    each(brief_reference),
    (),
)
_USER = link_type("user")
USER = FieldType(_USER.parse, _USER.read, _uuid_of, _USER.show, _USER.equal, _USER.brief)
USERS = FieldType(
    parse_list(_USER.parse),
    read_list(_USER.read),
    each(_uuid_of),
    each(_show_reference),
    equal_references,
    each(brief_reference),
    (),
)


# ---- the renter of a rental case: ("plain", text) or ("user", Reference)


def _parse_renter(value: Any, of: Field) -> tuple[str, Any]:
    if (
        isinstance(value, Mapping)
        and set(value) == {"type", "value"}
        and value["type"] in ("plain", "user")
        and value["value"]
    ):
        if value["type"] == "user":
            return ("user", _USER.parse(value["value"], of))
        return ("plain", TEXT.parse(value["value"], of))
    raise Unfit("a renter such as {type: plain, value: Ada Lovelace} or {type: user, value: ada@example.com}")


def _read_renter(value: Any, of: Field) -> tuple[str, Any] | None:
    if isinstance(value, Mapping) and value.get("type") and value.get("value"):
        if value["type"] == "user":
            return ("user", _USER.read(value["value"], of))
        return (value["type"], value["value"])
    # Some instances answer a text alone: what was written, or what the user is called.
    return ("text", value) if isinstance(value, str) and value else None


def _plain_renter(of_user: Callable[[Any], Any]) -> Callable[[tuple[str, Any] | None], Any]:
    def plain(value: tuple[str, Any] | None) -> Any:
        if value is None:
            return None
        kind, who = value
        return {"type": None if kind == "text" else kind, "value": of_user(who) if kind == "user" else who}

    return plain


def is_called(user: Reference, text: str) -> bool:
    """Whether a text may stand for a user: uuid, e-mail address or display name."""
    return text.casefold() in {name.casefold() for name in (user.uuid, *user.names) if name}


def _equal_renter(left: Any, right: Any, of: Field) -> bool:
    if left is None or right is None:
        return left is right
    for (kind, who), (other, text) in ((left, right), (right, left)):
        if other == "text":
            return is_called(who, text) if kind == "user" else bool(who == text)
    if left[0] != right[0]:
        return False
    return bool(_USER.equal(left[1], right[1], of) if left[0] == "user" else left[1] == right[1])


RENTER = FieldType(
    _parse_renter,
    _read_renter,
    _plain_renter(_uuid_of),
    _plain_renter(_uuid_of),
    _equal_renter,
    _plain_renter(brief_reference),
)


# ---- attributes and constraints of a field definition: type -> values, compared as sets

YES_NO = ("yes", "no")
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "currency_code": (),
    "editable": ("mobile_app", "web_app"),
    "exposed": ("mobile_app_api",),
    "form_group": (),
    "formatted": ("user_as_email", "user_as_firstname_lastname", "user_as_lastname_firstname"),
    "fraction_digits": (),
    "generated": ("on_create", "on_update", "on_import"),
    "indexed": ("search",),
    "internal": YES_NO,
    "mandatory": YES_NO,
    "mutable": YES_NO,
    "name_component": YES_NO,
    "piechart_on_dashboard": YES_NO,
    "preselected": ("mobile_app",),
    "sorted": ("ascending", "descending"),
    "system": YES_NO,
    "unique": YES_NO,
    "visible": ("mobile_app", "web_app_details_view", "web_app_list_view"),
}
"""Attribute type to its allowed values (published description); empty: judged by its own rule or free text."""

CONSTRAINTS = (
    "allowed_values",
    "date_format",
    "date_time_format",
    "max_length",
    "max_value",
    "min_value",
    "regular_expression",
)
_INTEGER_CONSTRAINTS = ("max_length", "max_value", "min_value")
RELATIONS = ("actual_field", "expected_field", "active_When_value_equals_one_of")

Terms = Mapping[str, "tuple[Any, ...] | None"]
"""Type to its values; None stands for "remove it"."""


def _known(name: Any, names: Sequence[str], what: str) -> str:
    if name in names:
        return str(name)
    near = get_close_matches(str(name), names, n=3)
    raise Unfit(
        f"a known {what}; {name!r} is none"
        + (f", did you mean {' or '.join(near)}?" if near else f" of {', '.join(names)}")
    )


def _parse_terms(
    values_of: Callable[[str, Any], tuple[Any, ...]], names: Sequence[str], what: str
) -> Callable[[Any, Field], Terms]:
    def parse(value: Any, _field: Field) -> Terms:
        if not isinstance(value, Mapping):
            raise Unfit(f"a map of {what} to value or list of values")
        value = typed(value)
        return {
            _known(name, names, what): None if wanted is None else values_of(name, wanted)
            for name, wanted in value.items()
        }

    return parse


def _attribute_values(name: str, wanted: Any) -> tuple[Any, ...]:
    values = [
        _yes_no(value) if ATTRIBUTES[name] == YES_NO else value
        for value in (wanted if isinstance(wanted, list) else [wanted])
    ]
    for value in values:
        if ATTRIBUTES[name] and value not in ATTRIBUTES[name]:
            raise Unfit(f"for {name} one of {', '.join(ATTRIBUTES[name])}, not {value!r}")
        if name == "fraction_digits" and not (
            isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 20
        ):
            raise Unfit("for fraction_digits an integer from 0 to 20")
        if name == "currency_code" and not (isinstance(value, str) and len(value) == 3):
            raise Unfit("for currency_code three letters such as EUR")
        if name == "form_group" and not isinstance(value, str):
            raise Unfit("for form_group a text")
    return tuple(values)


def _yes_no(value: Any) -> Any:
    return ("yes" if value else "no") if isinstance(value, bool) else value


def _constraint_values(name: str, wanted: Any) -> tuple[Any, ...]:
    if name == "allowed_values":
        if not isinstance(wanted, list) or not all(isinstance(value, str) for value in wanted):
            raise Unfit("for allowed_values a list of texts; quote numbers")
        return tuple(wanted)
    if name in _INTEGER_CONSTRAINTS:
        if not isinstance(wanted, int) or isinstance(wanted, bool):
            raise Unfit(f"for {name} an integer")
    elif not isinstance(wanted, str):
        raise Unfit(f"for {name} a text")
    return (wanted,)


def _frozen(value: Any) -> Any:
    """A value that can stand in a set: lists as tuples, maps as the text of them."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return repr(value) if isinstance(value, Mapping) else value


def _thawed(value: Any) -> Any:
    return [_thawed(item) for item in value] if isinstance(value, tuple) else value


def _read_attributes(value: Any, _field: Field) -> Terms:
    terms: dict[str, tuple[Any, ...]] = {}
    for item in value if isinstance(value, list) else ():
        if isinstance(item, Mapping) and isinstance(item.get("type"), str):
            terms[item["type"]] = (*terms.get(item["type"], ()), _frozen(item.get("value")))
    return terms


def _read_constraints(value: Any, of: Field) -> Terms:
    terms = dict(_read_attributes(value, of))
    allowed = terms.get("allowed_values")
    if allowed == (None,):
        terms["allowed_values"] = ()
    elif allowed and isinstance(allowed[0], tuple):
        # One constraint whose value is the list of what is allowed.
        terms["allowed_values"] = allowed[0]
    return terms


def _write_attributes(terms: Terms) -> list[dict[str, Any]]:
    return [{"type": name, "value": _thawed(value)} for name, values in terms.items() for value in values or ()]


def _write_constraints(terms: Terms) -> list[dict[str, Any]]:
    allowed = terms.get("allowed_values")
    others = {name: values for name, values in terms.items() if name != "allowed_values"}
    written = _write_attributes(others)
    return [*written, {"type": "allowed_values", "value": _thawed(allowed)}] if allowed else written


def _show_terms(terms: Terms | None) -> Any:
    if terms is None:
        return None
    return {
        name: None if values is None else _thawed(values if len(values) != 1 or name == "allowed_values" else values[0])
        for name, values in terms.items()
    }


def _merge_terms(current: Terms, written: Terms | None) -> Terms:
    """What is not written is kept; null removes one type, or all of them where it stands for the whole map."""
    merged = {} if written is None else {**current, **written}
    return {name: values for name, values in merged.items() if values}


def _equal_terms(left: Terms, right: Terms, _field: Field) -> bool:
    return _as_sets(left) == _as_sets(right)


def _as_sets(terms: Terms) -> dict[str, set[Any]]:
    return {name: set(values) for name, values in terms.items() if values}


def _parse_scalar(value: Any, _field: Field) -> Any:
    value = typed(value)
    if isinstance(value, (str, bool, int, float)):
        return value
    raise Unfit("a text, a number, or true or false")


def _equal_scalar(left: Any, right: Any, _field: Field) -> bool:
    return bool(left == right) or (left in EMPTY and right in EMPTY)


def _parse_relation(value: Any, _field: Field) -> tuple[Any, ...]:
    if (
        isinstance(value, Mapping)
        and is_uuid(value.get("field_uuid"))
        and set(value) <= {"type", "field_uuid", "comparison_values"}
    ):
        kind = _known(value.get("type"), RELATIONS, "relation type")
        compared = value.get("comparison_values")
        if (kind == RELATIONS[2]) == isinstance(compared, list):
            return (kind, value["field_uuid"].lower(), None if compared is None else tuple(compared))
    raise Unfit(
        f"a relation {{type, field_uuid}}, and comparison_values for {RELATIONS[2]} only; types are "
        f"{', '.join(RELATIONS)}"
    )


def _read_relation(value: Any, _field: Field) -> tuple[Any, ...] | None:
    if not isinstance(value, Mapping):
        return None
    compared = value.get("comparison_values")
    values = None if compared is None else tuple(map(_frozen, compared if isinstance(compared, list) else [compared]))
    return (str(value.get("type")), str(value.get("field_uuid")).lower(), values)


def _plain_relation(value: tuple[Any, ...]) -> dict[str, Any]:
    plain = {"type": value[0], "field_uuid": value[1]}
    return plain if value[2] is None else {**plain, "comparison_values": list(value[2])}


def _equal_type_name(left: Any, right: Any, _field: Field) -> bool:
    # Records call the type LINKED_ASSET, definitions LINKED_ASSETS: one type, two spellings.
    return str(left).removesuffix("S") == str(right).removesuffix("S")


_MOVED_BY_TIME = ({"borrowed", "return_overdue"}, {"confirmed", "pickup_overdue"})


def _equal_rental_status(left: Any, right: Any, _field: Field) -> bool:
    # The service may move a rental case to an overdue status by itself when a day has passed.
    return left == right or {left, right} in _MOVED_BY_TIME


def _definition_type_name(value: str) -> str:
    return "LINKED_ASSETS" if value == "LINKED_ASSET" else value


_BILLING = {"first_name": "firstName", "last_name": "lastName"}


def _read_billing(value: Any, _field: Field) -> Any:
    """Who pays; instances differ in two keys (section 2.5 has firstName and lastName)."""
    return {_BILLING.get(key, key): member for key, member in value.items()} if isinstance(value, Mapping) else None


def _read_article(value: Any, of: Field) -> Any:
    if not isinstance(value, Mapping):
        return None
    prices = {key: DECIMAL.show(DECIMAL.read(value[key], of)) for key in ("price", "suggested_price") if key in value}
    numbers = {
        key: INTEGER.show(INTEGER.read(value[key], of)) for key in ("id", "asset_id", "category_id") if key in value
    }
    return {**value, **prices, **numbers}


STRUCTURES: dict[str, FieldType] = {
    "ANY": ANY,
    "ARTICLES": FieldType(UNWRITABLE.parse, read_list(_read_article), list, list, empty=()),
    "ASSETS": ASSETS,
    "ATTACHMENTS": ATTACHMENTS,
    "ATTRIBUTES": FieldType(
        _parse_terms(_attribute_values, tuple(ATTRIBUTES), "attribute type"),
        _read_attributes,
        _write_attributes,
        _show_terms,
        _equal_terms,
        empty={},
        merge=_merge_terms,
    ),
    "BILLING": FieldType(UNWRITABLE.parse, _read_billing, _same, _same),
    "CHOICE": TEXT,
    "CONSTRAINTS": FieldType(
        _parse_terms(_constraint_values, CONSTRAINTS, "constraint type"),
        _read_constraints,
        _write_constraints,
        _show_terms,
        _equal_terms,
        empty={},
        merge=_merge_terms,
    ),
    "DAY": DATE,
    "FLAG": BOOLEAN,
    "INTERVAL": INTERVAL,
    "INTERVALS": INTERVALS,
    "RELATIONS": FieldType(
        parse_list(_parse_relation),
        read_list(_read_relation),
        each(_plain_relation),
        each(_plain_relation),
        lambda left, right, _field: set(left) == set(right),
        empty=(),
    ),
    "RENTER": RENTER,
    "RENTAL_STATUS": FieldType(TEXT.parse, TEXT.read, TEXT.write, TEXT.show, _equal_rental_status),
    "SCALAR": FieldType(_parse_scalar, ANY.read, ANY.write, ANY.show, _equal_scalar),
    "SCALARS": FieldType(
        parse_list(_parse_scalar),
        read_list(lambda value, _field: value),
        list,
        list,
        empty=(),
    ),
    "TYPE_NAME": FieldType(TEXT.parse, TEXT.read, _definition_type_name, TEXT.show, _equal_type_name),
    "USER": USER,
    "USERS": USERS,
}
"""Type names that the catalogue uses for the fixed fields of tasks, rental cases and field definitions."""
