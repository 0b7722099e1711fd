# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The types of fields: how their values are written, stored, read and compared.

Shapes are those of section 2.1 of the interface. A stored value is one column of SQLite: text, a number, NULL, or JSON
for lists. Types without a ``show`` of their own are read exactly as they are stored.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from . import dates
from .messages import Refusal, bad_request, unprocessable

if TYPE_CHECKING:
    from .definitions import Definition
    from .views import Links, View

UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\Z")
_COORDINATES = re.compile(r"\s*(-?\d{1,2}(?:\.\d+)?)\s*,\s*(-?\d{1,3}(?:\.\d+)?)\s*\Z")
_INTEGER = re.compile(r"[+-]?\d{1,30}\Z")
LARGEST = 2**63 - 1
_NO_RECORD = -1
"""The id that no record has."""


def is_uuid(value: object) -> bool:
    return isinstance(value, str) and bool(UUID.match(value))


def invalid(key: str, expected: str) -> Refusal:
    """Return the refusal of a value with the wrong shape: a 400, like for every body that violates its schema."""
    return Refusal(400, f"Body does not match schema for field {key}: expected {expected}", key=key)


class FieldType:
    """A type whose stored value equals the written and the read value."""

    is_list = False
    computed = False
    textual = False

    def __init__(self, name: str) -> None:
        self.name = name

    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        """Return the column value for a written value other than null. Raise Refusal if it is invalid."""
        raise NotImplementedError

    def show(self, values: Sequence[Any], definition: Definition | None, view: View) -> Sequence[Any]:
        """Return the values to read for a column of a page."""
        return values

    def shows(self, view: View) -> bool:
        """Return True if ``show`` changes values."""
        return False

    def operand(self, value: Any, key: str, links: Links) -> Any:
        """Turn a value into the operand that the column is compared with.

        Raise a 400 for a value of another type.
        """
        raise NotImplementedError

    def comparable(self, sql: str) -> str:
        """Return the SQL expression for comparing and sorting."""
        return sql


class Text(FieldType):
    textual = True

    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        if not isinstance(value, str):
            raise invalid(definition.key, "a string")
        return value

    def operand(self, value: Any, key: str, links: Links) -> Any:
        return _as_text(value)


class Coordinates(Text):
    """COORDINATES: latitude and longitude in degrees, as one text."""

    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        match = _COORDINATES.match(value) if isinstance(value, str) else None
        if match is None or abs(float(match.group(1))) > 90 or abs(float(match.group(2))) > 180:
            raise invalid(definition.key, 'a string "latitude,longitude" in degrees')
        return value


class Date(FieldType):
    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        if not isinstance(value, str):
            raise invalid(definition.key, "a date Y-m-d")
        form = definition.constraint("date_format")
        if not (dates.matches_format(value, form) if form else dates.is_date(value)):
            raise invalid(definition.key, f"a date {form or 'Y-m-d'}")
        return value

    def operand(self, value: Any, key: str, links: Links) -> Any:
        text = _as_text(value)
        if text and not dates.is_date(text):
            raise bad_request(f"Filter on {key}: {text!r} is not a date YYYY-MM-DD")
        return text


class DateTime(FieldType):
    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        if not isinstance(value, str):
            raise invalid(definition.key, "a date-time Y-m-d\\TH:i:sP")
        form = definition.constraint("date_time_format")
        if not (dates.matches_format(value, form) if form else dates.is_date_time(value)):
            raise invalid(definition.key, f"a date-time {form or 'Y-m-d' + chr(92) + 'TH:i:sP'}")
        return value

    def shows(self, view: View) -> bool:
        return view.weather["datetime_read"] == "utc"

    def show(self, values: Sequence[Any], definition: Definition | None, view: View) -> Sequence[Any]:
        moments = [dates.instant(value) if value else None for value in values]
        return [value if moment is None else dates.stamp(moment) for value, moment in zip(values, moments, strict=True)]

    def operand(self, value: Any, key: str, links: Links) -> Any:
        text = _as_text(value)
        moment = dates.filter_instant(text) if text else ""
        if moment is None:
            raise bad_request(f"Filter on {key}: {text!r} is not a date-time YYYY-MM-DD hh:mm:ss")
        return moment

    def comparable(self, sql: str) -> str:
        # SQLite's datetime() parses every stored form and returns the instant in UTC.
        return f"coalesce(datetime({sql}), {sql})"


class Stamp(DateTime):
    """A time of the server. It is always Y-m-d H:i:s in UTC, so it is compared as text."""

    def shows(self, view: View) -> bool:
        return False

    def comparable(self, sql: str) -> str:
        return sql


class Integer(FieldType):
    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST:
            raise invalid(definition.key, "an integer")
        return value

    def operand(self, value: Any, key: str, links: Links) -> Any:
        return _number(value, key)

    def shows(self, view: View) -> bool:
        return view.weather["number_form"] == "string"

    def show(self, values: Sequence[Any], definition: Definition | None, view: View) -> Sequence[Any]:
        # The server's own ids have no definition and stay integers everywhere.
        return values if definition is None else [_number_text(value, 0) for value in values]


class Number(FieldType):
    """DECIMAL and MONEY: numbers as received, not rounded."""

    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise invalid(definition.key, "a number")
        return value if isinstance(value, float) or abs(value) <= LARGEST else float(value)

    def operand(self, value: Any, key: str, links: Links) -> Any:
        return _number(value, key)

    def shows(self, view: View) -> bool:
        return view.weather["number_form"] == "string"

    def show(self, values: Sequence[Any], definition: Definition | None, view: View) -> Sequence[Any]:
        digits = 2 if definition is None else definition.fraction_digits
        return [_number_text(value, digits) for value in values]


class Boolean(FieldType):
    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        if not isinstance(value, bool):
            raise invalid(definition.key, "true or false")
        return int(value)

    def shows(self, view: View) -> bool:
        return True

    def show(self, values: Sequence[Any], definition: Definition | None, view: View) -> Sequence[Any]:
        if view.weather["boolean_form"] == "integer":
            return values
        return [None if value is None else bool(value) for value in values]

    def operand(self, value: Any, key: str, links: Links) -> Any:
        text = _as_text(value).lower()
        if text not in ("true", "false", "1", "0", ""):
            raise bad_request(f"Filter on {key}: {text!r} is not true or false")
        return "" if text == "" else int(text in ("true", "1"))


_AGREES: Mapping[Any, int] = {"ok": 1, "deviation": 0, "missing": 0, "new": 0}


class Comparison(Text):
    """FIELD_VALUE_COMPARISON: the status that follows from an actual and an expected field. The service computes it."""

    computed = True

    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        raise invalid(definition.key, "nothing: the service computes it")

    def shows(self, view: View) -> bool:
        return view.weather["comparison_read"] == "boolean"

    def show(self, values: Sequence[Any], definition: Definition | None, view: View) -> Sequence[Any]:
        return BOOLEAN.show([_AGREES.get(value) for value in values], definition, view)


class Link(FieldType):
    """A reference to another record, stored as its integer id."""

    def __init__(self, name: str, template: str) -> None:
        super().__init__(name)
        self.template = template

    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        return _linked(value, self.template, definition, links)

    def shows(self, view: View) -> bool:
        return True

    def show(self, values: Sequence[Any], definition: Definition | None, view: View) -> Sequence[Any]:
        shown = view.linked(self.template, values)
        return [shown.get(value) for value in values]

    def operand(self, value: Any, key: str, links: Links) -> Any:
        return _link_operand(value, self.template, key, links)


class LinkList(FieldType):
    """LINKED_ASSETS: references to objects, stored as a JSON list of ids."""

    is_list = True

    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        values = value if isinstance(value, list) else [value]
        ids = [_linked(item, "asset", definition, links) for item in values]
        return json.dumps(list(dict.fromkeys(ids)))

    def shows(self, view: View) -> bool:
        return True

    def show(self, values: Sequence[Any], definition: Definition | None, view: View) -> Sequence[Any]:
        lists = [json.loads(value) if value else [] for value in values]
        shown = view.linked("asset", [identifier for ids in lists for identifier in ids])
        alone = view.weather["linked_assets_read"] == "one"
        records = [[shown[identifier] for identifier in ids if identifier in shown] for ids in lists]
        return [record[0] if alone and len(record) == 1 else record for record in records]

    def operand(self, value: Any, key: str, links: Links) -> Any:
        return _link_operand(value, "asset", key, links)


class FileList(FieldType):
    """ATTACHMENT: uploaded files, stored as a JSON list of uuids."""

    is_list = True

    def store(self, value: Any, definition: Definition, links: Links) -> Any:
        if not isinstance(value, list) or not all(is_uuid(item) for item in value):
            raise invalid(definition.key, "a list of file uuids")
        uuids = list(dict.fromkeys(item.lower() for item in value))
        for uuid in uuids:
            if not links.file_exists(uuid):
                raise unprocessable(f"Field {definition.key}: there is no file {uuid}")
        return json.dumps(uuids)

    def shows(self, view: View) -> bool:
        return True

    def show(self, values: Sequence[Any], definition: Definition | None, view: View) -> Sequence[Any]:
        lists = [json.loads(value) if value else [] for value in values]
        shown = view.files([uuid for uuids in lists for uuid in uuids])
        return [[shown[uuid] for uuid in uuids if uuid in shown] for uuids in lists]

    def operand(self, value: Any, key: str, links: Links) -> Any:
        return _as_text(value).lower()


def _linked(value: Any, template: str, definition: Definition, links: Links) -> int:
    if isinstance(value, bool) or not (isinstance(value, int) or is_uuid(value)):
        raise invalid(definition.key, f"the integer id or the uuid of a {template}")
    found = links.find(template, value)
    if found is None:
        raise unprocessable(f"Field {definition.key}: there is no {template} {value}")
    return found


def _link_operand(value: Any, template: str, key: str, links: Links) -> Any:
    text = _as_text(value)
    if text == "":
        return ""
    if _INTEGER.match(text):
        return _number(text, key) if links.compared != "uuid" else _NO_RECORD
    if is_uuid(text):
        return (links.compared != "id" and links.find(template, text, departed=True)) or _NO_RECORD
    raise bad_request(f"Filter on {key}: {text!r} is neither an id nor a uuid")


def _number(value: Any, key: str) -> Any:
    text = _as_text(value)
    if text == "":
        return text
    if _INTEGER.match(text) and abs(int(text)) <= LARGEST:
        return int(text)
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text:
        raise bad_request(f"Filter on {key}: {text!r} is not a number")
    return number


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _number_text(value: Any, digits: int | None) -> Any:
    if not isinstance(value, (int, float)):
        return value
    number = Decimal(repr(value))
    if digits and -(number.as_tuple().exponent or 0) < digits:  # type: ignore[operator]
        number = number.quantize(Decimal(1).scaleb(-digits))
    return f"{number:f}"


def _table() -> Mapping[str, FieldType]:
    types: list[FieldType] = [Text(name) for name in ("BARCODE", "DROPDOWN", "LINK", "LONG_TEXT", "TEXT")]
    types += [Date("DATE"), Date("REMINDER"), DateTime("DATETIME")]
    types += [Integer("NUMBER"), Number("DECIMAL"), Number("MONEY"), Boolean("BOOLEAN")]
    types += [Link(f"LINKED_{name.upper()}", name) for name in ("location", "room", "user", "person")]
    types += [Link("LINKED_ASSET", "asset"), LinkList("LINKED_ASSETS"), FileList("ATTACHMENT")]
    types += [Comparison("FIELD_VALUE_COMPARISON"), Coordinates("COORDINATES")]
    return {field_type.name: field_type for field_type in types}


TYPES: Mapping[str, FieldType] = _table()
STAMP = Stamp("DATETIME")
TEXT, DATE, NUMBER, MONEY, BOOLEAN = (TYPES[name] for name in ("TEXT", "DATE", "NUMBER", "MONEY", "BOOLEAN"))
