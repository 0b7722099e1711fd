# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A catalogue of mutated answers: wrong in shape, truncated, or about something else.

A mutation never turns an answer into another answer that a correct service could give about another state, such as
another value of a field or a list without its last record and with a total that fits. No client can detect such an
answer.
"""

from __future__ import annotations

import copy
import json
import random
import uuid as uuids
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import embedded_here
from embedded.messages import JSON, Answer, Call

LIST, RECORD, DEFINITIONS, WRITE, LOGIN, QUESTION = "list", "record", "definitions", "write", "login", "question"
SORTS = (LIST, RECORD, DEFINITIONS, WRITE, LOGIN, QUESTION)
_NOTHING = object()
_NEW = str(uuids.UUID(int=0x0BAD_0BAD_4000_8000_0000_0000_0000_0BAD))


@dataclass(frozen=True)
class Exchange:
    """A request and its answer.

    :ivar others: other exchanges of the same run, whose answers are about something else.
    """

    call: Call
    answer: Answer
    others: Sequence[Answer]
    chance: random.Random

    @property
    def sort(self) -> str:
        """The subject of the answer."""
        if self.call.path.endswith("/auth_token"):
            return LOGIN
        if "/suggest-" in self.call.path:
            return QUESTION
        if self.call.method != "GET":
            return WRITE
        if self.call.path.endswith("/field-definitions"):
            return DEFINITIONS
        return LIST if records_of(self.value) is not None else RECORD

    @property
    def value(self) -> Any:
        """The decoded body, or a marker if it is not JSON."""
        return decoded(self.answer)


def decoded(answer: Answer) -> Any:
    try:
        return json.loads(answer.body)
    except ValueError:
        return _NOTHING


def records_of(value: Any) -> list[Any] | None:
    """Return the records of a list, or None."""
    if isinstance(value, dict):
        value = value.get("items")
    return value if isinstance(value, list) else None


Change = Callable[[Exchange], Answer | None]
"""Returns the wrong answer, or None if the mutation does not apply."""


@dataclass(frozen=True)
class Mutation:
    """A mutation, and the sorts of answers to which it applies.

    :ivar shows: True if a run that only shows the record may show it as received, because only a member is odd.
    """

    name: str
    sorts: tuple[str, ...]
    change: Change
    shows: bool = False


MUTATIONS: list[Mutation] = []


def _add(name: str, change: Change, *sorts: str, shows: bool = False) -> None:
    MUTATIONS.append(Mutation(name, sorts or SORTS, change, shows))


# ---- the body as a whole


def _raw(name: str, body: Callable[[bytes], bytes], *sorts: str, media: str = JSON, status: int = 200) -> None:
    def change(exchange: Exchange) -> Answer | None:
        answer = exchange.answer
        if answer.status >= 300:
            return None
        wrong = body(answer.body)
        return None if wrong == answer.body and answer.media == media else Answer(status, wrong, media, answer.headers)

    _add(name, change, *sorts)


_PAGE = b"<!DOCTYPE html><html><head><title>Maintenance</title></head><body>Back soon</body></html>"
_READ = (LIST, RECORD, DEFINITIONS, LOGIN, QUESTION)

_raw("truncated to a half", lambda body: body[: len(body) // 2] or b"{", *SORTS)
_raw("truncated by a byte", lambda body: body[:-1] or b"[", *SORTS)
_raw("an HTML page", lambda _body: _PAGE, media="text/html")
_raw("an HTML page as JSON", lambda _body: _PAGE)
_raw("nothing with 200", lambda _body: b"", *_READ)
_raw("blanks", lambda _body: b"  \r\n ", *_READ)
_raw("random bytes", lambda _body: bytes(range(128, 200)), *SORTS)
_raw("two documents", lambda body: body + body if body else b"{}{}", *SORTS)
_raw("a trailing comma", lambda body: body[:-1] + b"," + body[-1:] if body else b"{,}", *SORTS)
_raw("a text of JSON", lambda body: json.dumps(body.decode(errors="replace")).encode(), *_READ)
_raw("UTF-16 without a mark", lambda body: body.decode(errors="replace").encode("utf-16-le"), *_READ)
_raw("single quotes", lambda body: body.replace(b'"', b"'") or b"'", *SORTS)
_raw("a callback", lambda body: b"callback(" + body + b")", *SORTS)
_raw("JSON Lines", lambda body: body.replace(b"},{", b"}\n{"), LIST)
_raw("no number", lambda body: body.replace(b":1,", b":NaN,", 1), LIST, RECORD)
_raw("a proxy's words", lambda _body: b"upstream connect error or disconnect", media="text/plain")


def _status(status: int, body: bytes = b'{"message": "No."}') -> Change:
    """Replace a successful status. The request was still carried out."""
    answer = Answer(status, body, JSON if body else None)
    return lambda exchange: answer if exchange.answer.status < 300 else None


for _number in (202, 204, 304):
    _add(f"{_number} in place of an answer", _status(_number, b""), *_READ)
for _number in (400, 403, 405, 406, 409, 415, 422, 500, 501, 502, 503, 504):
    _add(f"status {_number}", _status(_number), LIST, RECORD, DEFINITIONS, WRITE)
_add("status 429", _status(429), LIST, RECORD, DEFINITIONS)
_add("404 for a list", _status(404), DEFINITIONS, LIST)
_ELSEWHERE = Answer(302, b"", None, {"Location": "https://elsewhere.invalid/login"})
_add("a redirect", lambda _exchange: _ELSEWHERE)
_add("404 after a creation", lambda exchange: _if_post(exchange, Answer(404, b"{}", JSON)), WRITE)


def _if_post(exchange: Exchange, answer: Answer) -> Answer | None:
    return answer if exchange.call.method == "POST" else None


# ---- the value as a whole


def _value(name: str, wrong: Callable[[Any, random.Random], Any], *sorts: str, shows: bool = False) -> None:
    """Add a mutation of the decoded body. ``wrong`` gets a copy, and may change it or return another value."""

    def change(exchange: Exchange) -> Answer | None:
        value = exchange.value
        if value is _NOTHING or exchange.answer.status >= 300:
            return None
        found = wrong(copy.deepcopy(value), exchange.chance)
        if found is _NOTHING or found == value:
            return None
        return replace(exchange.answer, body=json.dumps(found).encode())

    _add(name, change, *(sorts or (LIST, RECORD, DEFINITIONS, LOGIN, QUESTION)), shows=shows)


_WHOLE: dict[str, Any] = {
    "null": None,
    "true": True,
    "a number": 7,
    "a text": "OK",
    "a message": {"message": "Internal server error"},
    "a list of errors": {"errors": [{"code": "E1"}]},
    "no success": {"success": False},
    "a status": {"status": "error", "code": 500},
}


def _always(constant: Any) -> Callable[[Any, random.Random], Any]:
    return lambda _value, _chance: constant


def _wrapped(key: str) -> Callable[[Any, random.Random], Any]:
    return lambda value, _chance: {key: value}


for _name, _constant in _WHOLE.items():
    _value(f"{_name} in place of the answer", _always(_constant))
_value("an empty object in place of the answer", lambda _v, _c: {}, LIST, RECORD, DEFINITIONS, LOGIN)
_value("an empty list in place of a record", lambda _v, _c: [], RECORD, LOGIN)
for _wrapping in ("data", "result", "response", "value", "payload"):
    _value(f"wrapped as {_wrapping}", _wrapped(_wrapping))
_value("wrapped twice", lambda value, _c: {"result": {"data": value}})
_value("in a list", lambda value, _c: [value])
_value("a list of texts", lambda _v, _c: ["a", "b"], LIST, RECORD, DEFINITIONS)
_value("a list of numbers", lambda _v, _c: [1, 2], LIST, DEFINITIONS)
_value("a list of lists", lambda value, _c: [records_of(value)] if records_of(value) else _NOTHING, LIST, DEFINITIONS)
_value("a map of records", lambda value, _c: dict(enumerate(records_of(value) or [])), LIST, DEFINITIONS)


# ---- pages


def _page(name: str, wrong: Callable[[dict[str, Any], random.Random], object], *sorts: str) -> None:
    """Add a mutation of the envelope of a list with records."""

    def change(value: Any, chance: random.Random) -> Any:
        if not isinstance(value, dict) or not records_of(value) or "total" not in value:
            return _NOTHING
        return _NOTHING if wrong(value, chance) is _NOTHING else value

    _value(name, change, *(sorts or (LIST,)))


def _set(**members: Any) -> Callable[[dict[str, Any], random.Random], object]:
    return lambda page, _chance: page.update(members)


def _items(change: Callable[[list[Any]], object]) -> Callable[[dict[str, Any], random.Random], object]:
    return lambda page, _chance: page.update(items=change(page["items"]))


_page("no total", lambda page, _c: page.pop("total"))
_page("a total as text", lambda page, _c: page.update(total=str(page["total"])))
_page("a total beyond the records", lambda page, _c: page.update(total=page["total"] + 1))
_page("a total of twice the records", lambda page, _c: page.update(total=page["total"] * 2))
_page("a total below the records", lambda page, _c: page.update(total=page["total"] - 1))
_page("a total of 0", _set(total=0))
_page("a total below 0", _set(total=-1))
_page("a total of null", _set(total=None))
_page("a total with a fraction", lambda page, _c: page.update(total=page["total"] + 0.5))
_page("a total as a list", lambda page, _c: page.update(total=[page["total"]]))
_page("a total as words", _set(total="many"))
_page("a total of true", _set(total=True))
_page("no echo", lambda page, _c: [page.pop("page", None), page.pop("per_page", None)])
_page("another page", lambda page, _c: page.update(page=page.get("page", 1) + 1))
_page("a page of 0", _set(page=0))
_page("a per_page of 0", _set(per_page=0))
_page("a per_page of 1", _set(per_page=1))
_page("a page as text", lambda page, _c: page.update(page=str(page.get("page", 1)), per_page="many"))
_page("no items", lambda page, _c: page.pop("items"))
_page("items of null", _set(items=None))
_page("items as a text", _set(items="none"))
_page("items under another name", lambda page, _c: page.update(records=page.pop("items")))
_page("items as a map", lambda page, _c: page.update(items={str(n): item for n, item in enumerate(page["items"])}))
_page("items in a list", _items(lambda items: [items]))
_page("items as texts", _items(lambda items: [json.dumps(item) for item in items]))
_page("empty items with a total", _set(items=[]))
_page("short by its last record", _items(lambda items: items[:-1]))
_page("short by its first record", _items(lambda items: items[1:]))
_page("cut to a half", _items(lambda items: items[: len(items) // 2]))
_page("a record twice", _items(lambda items: [*items, items[0]]))
_page("a record twice in place of another", _items(lambda items: [*items[:-1], items[0]] if len(items) > 1 else items))
_page("all records twice", _items(lambda items: items + items))
_page("null after the records", _items(lambda items: [*items, None]))
_page("an empty object after the records", _items(lambda items: [*items, {}]))


def _at(name: str, wrong: Callable[[Any], Any], *sorts: str, shows: bool = False) -> None:
    """Add a mutation of one record of a list."""

    def change(value: Any, chance: random.Random) -> Any:
        records = records_of(value)
        if not records:
            return _NOTHING
        number = chance.randrange(len(records))
        records[number] = wrong(records[number])
        return value

    _value(name, change, *(sorts or (LIST, DEFINITIONS)), shows=shows)


_at("null in place of a record", lambda _record: None)
_at("a text in place of a record", lambda _record: "record")
_at("a number in place of a record", lambda _record: 7)
_at("true in place of a record", lambda _record: True)
_at("a list in place of a record", lambda record: [record])
_at("an empty object in place of a record", lambda _record: {})
_at("a message in place of a record", lambda _record: {"message": "forbidden"})
_at("a wrapped record", lambda record: {"data": record})
_at("a record as text", json.dumps)


# ---- one record, alone or in a list


def _record(
    name: str, wrong: Callable[[dict[str, Any], random.Random], object], *sorts: str, shows: bool = False
) -> None:
    """Add a mutation of a record. ``wrong`` changes it, or returns the marker that it does not apply."""

    def change(value: Any, chance: random.Random) -> Any:
        records = records_of(value)
        if records is not None and not records:
            return _NOTHING
        record = value if records is None else records[chance.randrange(len(records))]
        if not isinstance(record, dict) or not _marks(record):
            return _NOTHING
        return _NOTHING if wrong(record, chance) is _NOTHING else value

    _value(name, change, *(sorts or (LIST, RECORD)), shows=shows)


def _marks(record: dict[str, Any]) -> list[str]:
    """Return the members that identify a record."""
    return [key for key in record if key == "uuid" or (key.endswith("_uuid") and isinstance(record[key], str))]


def _mark(value: Callable[[Any], Any]) -> Callable[[dict[str, Any], random.Random], object]:
    return lambda record, _chance: record.update({key: value(record[key]) for key in _marks(record)})


_record("no uuid", lambda record, _c: [record.pop(key) for key in _marks(record)])
_record("a uuid of null", _mark(lambda _uuid: None))
_record("an empty uuid", _mark(lambda _uuid: ""))
_record("a uuid as a number", _mark(lambda _uuid: 7))
_record("a uuid as a list", _mark(lambda uuid: [uuid]))
_record("a uuid as a map", _mark(lambda uuid: {"uuid": uuid}))
_record("half a uuid", _mark(lambda uuid: uuid[:13]))
_record("a path as uuid", _mark(lambda _uuid: "../rooms"))
_record("another uuid", _mark(lambda _uuid: _NEW), RECORD)


def _same(page: Any, _chance: random.Random) -> Any:
    records = records_of(page)
    if not records or len(records) < 2 or not isinstance(records[0], dict) or not _marks(records[0]):
        return _NOTHING
    if "event_name" in records[0]:
        # The uuids of an event are those of what it is about.
        return _NOTHING
    records[-1].update({key: records[0][key] for key in _marks(records[0])})
    return page


_value("two records with one uuid", _same, LIST, DEFINITIONS)


def _member(name: str, wrong: Callable[[Any], Any], fits: Callable[[str, Any], bool], *sorts: str) -> None:
    """Add a mutation of a member of a record."""

    def change(record: dict[str, Any], chance: random.Random) -> object:
        keys = [key for key, value in record.items() if fits(key, value) and key not in _marks(record)]
        if not keys:
            return _NOTHING
        key = chance.choice(keys)
        record[key] = wrong(record[key])
        return None

    _record(name, change, *sorts, shows=True)


def _is_link(_key: str, value: Any) -> bool:
    return isinstance(value, dict) and "uuid" in value


_member("a link without identity", lambda link: {"display_name": link.get("display_name")}, _is_link)
_member("a link as a list", lambda link: [link, link], _is_link)
_member("a link as words", lambda _link: "somewhere", _is_link)
_member("a link to 7.5", lambda _link: 7.5, _is_link)
_member("a link of true", lambda _link: True, _is_link)
_NUMBERS = ("purchasing_price", "weight", "quantity", "price", "total_price", "suggested_price", "area")
_member("a number as words", lambda _number: "many", lambda key, value: key in _NUMBERS and value is not None)
_member("a number as a map", lambda number: {"value": number}, lambda key, value: key in _NUMBERS and value is not None)
_DATES = ("deadline", "issue_date", "due_date", "purchasing_date", "next_maintenance")
_member("a date as words", lambda _date: "soon", lambda key, value: key in _DATES and value is not None)
_member("a date as a number", lambda _date: 20310531, lambda key, value: key in _DATES and value is not None)
_member("a date as a map", lambda date: {"date": date}, lambda key, value: key in _DATES and value is not None)
_TITLES = ("title", "name", "inventory_name", "barcode", "email", "number", "catalog_object_inventory_name")
_member("a title of null", lambda _text: None, lambda key, _value: key == "title")
_member("a key as a list", lambda text: [text], lambda key, value: key in _TITLES and isinstance(value, str))
_member("a key as a map", lambda text: {"text": text}, lambda key, value: key in _TITLES and isinstance(value, str))
# No object is found by its inventory name, and true is "true" in a text.
_member(
    "a key of true",
    lambda _text: True,
    lambda key, value: key in _TITLES and key != "inventory_name" and isinstance(value, str),
)
_member("a text as a map", lambda text: {"de": text}, lambda _key, value: isinstance(value, str) and value != "")
_member("a list as a map", lambda _list: {"0": "x"}, lambda _key, value: isinstance(value, list))
_member("a list as a text", lambda _list: "none", lambda _key, value: isinstance(value, list))
_member("null in a list", lambda some: [*some, None], lambda _key, value: isinstance(value, list))
_member("an unknown status", lambda _status: "halfway", lambda key, _value: key == "status")
_member("a status of null", lambda _status: None, lambda key, _value: key == "status")
_member("a status as a number", lambda _status: 3, lambda key, _value: key == "status")


def _is_reminder(key: str, value: Any) -> bool:
    return (key.endswith("_reminder") or key == "recurring_schedule") and isinstance(value, dict)


_member("an unknown unit", lambda value: {**value, "unit": "fortnights"}, _is_reminder)
_member("a unit of null", lambda value: {**value, "unit": None}, _is_reminder)
_member("a reminder without a value", lambda value: {"unit": value["unit"]}, _is_reminder)
_member("a reminder as a number", lambda _one: 2, _is_reminder)
_member("a reminder of words", lambda value: {**value, "value": "two"}, _is_reminder)
_member("more in a reminder", lambda value: {**value, "weekday": "mon"}, _is_reminder)


def _is_renter(key: str, value: Any) -> bool:
    return key == "renter" and isinstance(value, dict)


_member("an unknown renter", lambda value: {**value, "type": "robot"}, _is_renter)
_member("a renter of null", lambda value: {**value, "value": None}, _is_renter)


def _drop(record: dict[str, Any], chance: random.Random) -> object:
    keys = [key for key, value in record.items() if value not in (None, "", [], {}) and key not in _marks(record)]
    return record.pop(chance.choice(keys)) if keys else _NOTHING


def _drop_title(record: dict[str, Any], _chance: random.Random) -> object:
    return record.pop("title", _NOTHING)


_record("no title", _drop_title)
_record("a member left out", _drop, RECORD, shows=True)

# ---- definitions


def _definition(name: str, key: str, wrong: Callable[[Any], Any], shows: bool = False) -> None:
    def change(record: Any) -> Any:
        value = wrong(record.get(key))
        rest = {name: value for name, value in record.items() if name != key}
        return rest if value is _NOTHING else {**rest, key: value}

    _at(f"a definition {name}", change, DEFINITIONS, shows=shows)


_definition("without a key", "field_key", lambda _key: _NOTHING)
_definition("with a key of null", "field_key", lambda _key: None)
_definition("without a type", "field_type", lambda _type: _NOTHING)
_definition("with a type of null", "field_type", lambda _type: None)
_definition("with a type as text", "field_type", lambda value: value["name"])
_definition("with a type of no name", "field_type", lambda value: {"constraints": value["constraints"]})
_definition("with a type of two names", "field_type", lambda value: {**value, "name": [value["name"], "MONEY"]})
_definition("with constraints as a text", "field_type", lambda value: {**value, "constraints": "none"}, shows=True)
_definition("without a label", "label", lambda _label: _NOTHING)
_definition("with attributes as a text", "attributes", lambda _some: "none", shows=True)
_definition("with relations as a text", "relations", lambda _some: "none", shows=True)
_definition("with possible values as a text", "possible_values", lambda _some: "a, b", shows=True)

# ---- writes: the answer is about something else, says less, or says that it failed although it was carried out

_add("nothing for a creation", lambda exchange: _if_post(exchange, Answer(201)), WRITE)
_add("{} for a creation", lambda exchange: _if_post(exchange, Answer(201, b"{}", JSON)), WRITE)
_add("[] for a creation", lambda exchange: _if_post(exchange, Answer(201, b"[]", JSON)), WRITE)
_add("200 {} for a write", lambda exchange: _well(exchange, Answer(200, b"{}", JSON)), WRITE)
_add("200 [] for a write", lambda exchange: _well(exchange, Answer(200, b"[]", JSON)), WRITE)
_add("200 null for a write", lambda exchange: _well(exchange, Answer(200, b"null", JSON)), WRITE)
_add("200 and words for a write", lambda exchange: _well(exchange, Answer(200, b'"accepted"', JSON)), WRITE)
_add("200 and an error for a write", lambda exchange: _well(exchange, Answer(200, b'{"error": "x"}', JSON)), WRITE)
_add("200 and a list for a write", lambda exchange: _well(exchange, Answer(200, b'[{"a": 1}]', JSON)), WRITE)
_add("202 for a write", lambda exchange: _well(exchange, Answer(202)), WRITE)
_add("204 for a write", lambda exchange: _well(exchange, Answer(204)), WRITE)
_add("207 for a write", lambda exchange: _well(exchange, Answer(207, b'["failed"]', JSON)), WRITE)


def _well(exchange: Exchange, answer: Answer) -> Answer | None:
    return answer if exchange.answer.status < 300 else None


def _location(name: str, wrong: Callable[[str], str]) -> None:
    def change(exchange: Exchange) -> Answer | None:
        if exchange.answer.status >= 300 or "Location" not in exchange.answer.headers:
            return None
        headers = {**exchange.answer.headers, "Location": wrong(exchange.answer.headers["Location"])}
        return replace(exchange.answer, headers=headers)

    _add(name, change, WRITE)


_location("a Location of nothing", lambda _place: "")
_location("a Location of words", lambda _place: "created")
_location("a Location of another uuid", lambda place: place[:-36] + _NEW)
_location("a Location of half a uuid", lambda place: place[:-20])
_location("a Location of another kind", lambda place: "/customer-api/v1/nothing/" + place[-36:])
_location("a Location of another host", lambda _place: "https://elsewhere.invalid/x/" + _NEW)
_location("a Location of the list", lambda place: place[:-37] + "s")


def _other_record(exchange: Exchange) -> Answer | None:
    """Return an answer about another record of a list that was read in the same run."""
    value = exchange.value
    if not isinstance(value, dict) or records_of(value) is not None:
        return None
    keys = set(value)
    for other in exchange.others:
        for record in records_of(decoded(other)) or []:
            if (
                isinstance(record, dict)
                and set(record) >= keys
                and _marks(record)
                and record.get("uuid") != value.get("uuid")
            ):
                return replace(exchange.answer, body=json.dumps(record).encode())
    return None


_add("another record", _other_record, RECORD, WRITE)


# ---- logins


def _login(name: str, **members: Any) -> None:
    def change(value: Any, _chance: random.Random) -> Any:
        return {key: value for key, value in {**value, **members}.items() if value is not _NOTHING}

    _value(name, change, LOGIN)


_login("no token", access_token=_NOTHING)
_login("a token of null", access_token=None)
_login("an empty token", access_token="")
_login("a token as a list", access_token=["x"])
_login("a token as a number", access_token=7)
_login("a token with a line break", access_token="a\r\nX: y")
_login("a lifetime of words", expires_in="soon")
_login("a lifetime below 0", expires_in=-5)


# ---- the service


@dataclass
class Wrong(embedded_here.Embedded):
    """An instance with one wrong answer, or with wrong answers to one operation.

    :ivar at: the number of the wrong answer.
    :ivar at_path: instead of ``at``: the end of the path of each wrong answer.
    :ivar always: True if later answers of the same operation are wrong, too.
    :ivar exchanges: method, path, and sort of each answer.
    """

    mutation: Mutation | None = None
    at: int = -1
    at_path: str | tuple[str, ...] = ()
    always: bool = False
    seed: int = 0
    touched: int = 0

    def __post_init__(self) -> None:
        self.exchanges: list[tuple[str, str, str]] = []
        self._answers: list[Answer] = []
        self._operation: tuple[str, str] | None = None

    def answer(self, call: Call, timeout: float) -> Any:
        gateway, answer = super().answer(call, timeout)
        number = len(self.exchanges)
        exchange = Exchange(call, answer, self._answers, random.Random(self.seed))
        self.exchanges.append((call.method, call.path, exchange.sort))
        operation = (call.method, operation_of(call.path))
        is_target = number == self.at or (self.always and operation == self._operation)
        is_target = is_target or (bool(self.at_path) and call.path.endswith(self.at_path))
        if self.mutation is not None and is_target and exchange.sort in self.mutation.sorts:
            wrong = self.mutation.change(exchange)
            if wrong is not None:
                self.touched += 1
                self._operation = operation
                return gateway, wrong
        self._answers.append(answer)
        return gateway, answer


def operation_of(path: str) -> str:
    """Return a path without the identifiers in it."""
    parts = path.split("/")
    return "/".join("*" if any(letter.isdigit() for letter in part) and part != "v1" else part for part in parts)
