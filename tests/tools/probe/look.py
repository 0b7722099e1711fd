# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tier look: a login and GETs."""

from __future__ import annotations

import datetime as dt
import re
import uuid as uuids
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import ConnectionFailed, SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    CATALOG_ITEM,
    FIELD_DEFINITION,
    FILE,
    HUB_ITEM,
    HUB_ORDER,
    LOCATION,
    OBJECT,
    PERSON,
    RENTAL_CASE,
    ROOM,
    TASK,
    USER,
    Kind,
    flatten,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.types_basic import FIELD_TYPES

from . import cases
from .evidence import Evidence
from .exchange import Answer, Asker, SpentAll
from .records import ObservedRecords, Sample, types_of
from .values import CAPS, echo_side, total_side

_PAGE = 1000
_SMALL_PAGE = 100
_FAR = 10000
"""A page number beyond every list of an instance."""

_IN_ORDER = 5
"""Minimum number of persons: their order is hardly the same twice by chance."""

UNKNOWN_FIELD = "zz_probe_unknown"
"""A field that no instance has."""

_TEXTS = ("TEXT", "BARCODE", "LONG_TEXT")
_BUILT_IN = ("barcode", "inventory_name", "actual_room", "first_name", "building_id")
"""Fields that every instance has. The labels of other fields are words of users."""

_TRANSLATION_KEY = re.compile("[a-z0-9]+([._-][a-z0-9]+)+")


@dataclass
class Look:
    """The first tier, and its results that later tiers need.

    :ivar listed: kind to the records of the first page, as received.
    :ivar types: template to field key to the name of its type.
    :ivar definitions: template to its field definitions.
    """

    asker: Asker
    evidence: Evidence
    observed_records: ObservedRecords
    today: dt.date
    listed: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)
    definitions: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    types: dict[str, dict[str, str]] = field(default_factory=dict)
    unknown: dict[str, list[str]] = field(default_factory=dict)

    def run(self) -> None:
        """Read everything, as far as the number of requests allows."""
        steps: Sequence[Callable[[], None]] = (
            self._definitions,
            self._records,
            self._fixed,
            self._later,
            self._order,
            self._beyond,
            self._filters,
            self._missing,
        )
        try:
            for step in steps:
                step()
        except SpentAll:
            self.evidence.new.append("this tier allows too few requests; the remaining switches were not probed")

    def again(self, created: Sequence[tuple[Kind, Mapping[str, Any]]]) -> None:
        """Repeat what could not be determined, with the scratch records.

        :param created: the scratch records, as received.
        """
        for kind, raw in created:
            self.listed.setdefault(kind.name, []).insert(0, raw)
        steps: Mapping[str, Callable[[], None]] = {
            "page_beyond_end": self._beyond,
            "history_beyond_end": self._histories,
            "filter_eq": self._equality,
            "filter_unknown_field": self._unknown_field,
            "places_filter": lambda: self._honoured("places_filter", (ROOM, LOCATION)),
            "task_filters": self._deadlines,
        }
        for switch, step in steps.items():
            if self.evidence.side(switch) is None:
                self.evidence.reasons.pop(switch, None)
                step()

    def conclude(self) -> None:
        """Note what all records and answers show together."""
        self.observed_records.conclude()
        answers = [answer for answer in self.asker.answers if not answer.is_login]
        self._headers(answers)
        for answer in answers:
            _observe_error_body(self.evidence, answer)

    # ---- reading

    def _definitions(self) -> None:
        for template in ("asset", "room", "person"):
            path = FIELD_DEFINITION.list_path.format(template=template)
            found = self._fields_of(template)
            self.definitions[template] = found
            self.types[template] = types_of(found)
            labels = [str(definition.get("label")) for definition in found if definition.get("field_key") in _BUILT_IN]
            for label in labels:
                self.evidence.observe(
                    "builtin_labels", "keys" if _TRANSLATION_KEY.fullmatch(label) else "plain", f"GET {path}"
                )
            unknown = {name for name in self.types[template].values() if name not in FIELD_TYPES}
            if unknown:
                self.evidence.new.append(f"types of fields that the collection does not know: {len(unknown)}")
        self._unpaged(FIELD_DEFINITION.list_path.format(template="asset"), self.definitions["asset"])

    def _unpaged(self, path: str, found: Sequence[Mapping[str, Any]]) -> None:
        """Note the second page of a list that the description calls unpaged."""
        if len(found) < 3:
            return
        answer = self.asker.get(path, [("page", "2"), ("per_page", str(len(found) - 1))])
        request = f"GET {path}?page=2"
        decoded = answer.json()
        if answer.is_good and isinstance(decoded, list):
            # A list that is longer than requested has no pages. A last page may repeat earlier records.
            side = "whole" if len(decoded) >= len(found) else "paged"
            self.evidence.observe("unpaged_lists", side, request, len(decoded))
        elif answer.is_refusal or answer.is_absent:
            self.evidence.observe("unpaged_lists", "refuse", request)
        else:
            self.evidence.odd("unpaged_lists", f"{request}: HTTP {answer.status}")

    def _fields_of(self, template: str) -> list[dict[str, Any]]:
        """Return the field definitions of a template, which the client caches for the checks of the account."""
        try:
            return self.asker.client.definitions(template)
        except ConnectionFailed:
            raise
        except SeventhingsError as error:
            status = getattr(error, "status", None)
            if status == HTTPStatus.FORBIDDEN:
                self.evidence.unread.append(FIELD_DEFINITION.name)
            else:
                form = "of an unknown form" if status is None else f"HTTP {status}"
                self.evidence.unable[f"any task about a record of the template {template}"] = (
                    f"the answer for its field definitions is {form}"
                )
            return []

    def _records(self) -> None:
        for kind in (OBJECT, ROOM, LOCATION, PERSON):
            request = f"GET {kind.list_path}"
            raw = self._list(kind)
            fixed = {field.key: field.type for field in kind.fields}
            self.observed_records.add(Sample(kind, request, raw, self.types.get(kind.template, fixed), is_list=True))

    def _fixed(self) -> None:
        notes: Mapping[str, Callable[[str, cases.Records], None]] = {
            USER.name: lambda request, raw: cases.observe_users(self.evidence, request, raw),
            TASK.name: lambda request, raw: cases.observe_tasks(self.evidence, request, raw),
            RENTAL_CASE.name: lambda request, raw: cases.observe_rental_cases(self.evidence, request, raw, self.today),
            HUB_ORDER.name: lambda request, raw: cases.observe_orders(self.evidence, request, raw),
        }
        for kind in (USER, TASK, RENTAL_CASE, HUB_ITEM, HUB_ORDER, FILE):
            raw = self._list(kind)
            if kind.name in notes:
                notes[kind.name](f"GET {kind.list_path}", raw)
            if names := cases.unknown_keys(kind.name, raw):
                self.unknown[kind.name] = names

    def _list(self, kind: Kind) -> list[Mapping[str, Any]]:
        """Return the first page of a kind as received. Note what its envelope shows."""
        attempts = [{"page": "1", "per_page": str(_PAGE), **_sorting(kind)}]
        # A thousand records may exceed the largest answer, or the service may reject the sort.
        attempts += [
            {"page": "1", "per_page": str(_SMALL_PAGE), **_sorting(kind)},
            {"page": "1", "per_page": str(_PAGE)},
        ]
        for pairs in attempts if kind.sort else [{}]:
            answer = self.asker.get(kind.list_path, list(pairs.items()))
            if not (answer.is_refusal or (answer.is_good and answer.json() is None)):
                break
        raw = self._items(kind, answer, kind.list_path)
        if answer.is_good:
            self._envelope(kind, answer.json(), raw, pairs.get("per_page"))
        self.listed[kind.name] = raw
        return raw

    def _items(self, kind: Kind, answer: Answer, path: str) -> list[Mapping[str, Any]]:
        decoded = answer.json()
        items = decoded.get("items") if isinstance(decoded, Mapping) else decoded
        if answer.is_good and isinstance(items, list):
            return [item for item in items if isinstance(item, Mapping)]
        words = kind.plural
        if answer.is_absent:
            self.evidence.absent.append(kind.name)
        elif answer.status == HTTPStatus.FORBIDDEN:
            self.evidence.unread.append(kind.name)
        else:
            self.evidence.unable[f"any task that reads {words}"] = (
                f"the answer to GET {path} is HTTP {answer.status} and no list"
            )
        return []

    def _envelope(self, kind: Kind, decoded: Any, raw: Sequence[Any], page_size: str | None) -> None:
        request = f"GET {kind.list_path}"
        if kind in (OBJECT, ROOM, LOCATION, RENTAL_CASE):
            if isinstance(decoded, list):
                self.evidence.observe("list_envelope", "array", request, len(raw))
            elif isinstance(decoded, Mapping) and "items" in decoded:
                self.evidence.observe("list_envelope", "items", request, len(raw))
        if isinstance(decoded, Mapping) and "items" in decoded and kind.sort:
            self.evidence.observe("list_total", total_side(decoded), request, len(raw))
            self.evidence.observe("list_echo", echo_side(decoded), request, len(raw))
        if kind is PERSON and isinstance(decoded, Mapping):
            side = "sort_by" if "sort_by" in decoded else "sort" if "sort" in decoded else None
            if side:
                self.evidence.observe("persons_envelope", side, request, len(raw))
            else:
                self.evidence.odd("persons_envelope", f"{request}: neither sort_by nor sort")
        if page_size == str(_PAGE):
            self._cap(kind, decoded, raw, request)

    def _cap(self, kind: Kind, decoded: Any, raw: Sequence[Mapping[str, Any]], request: str) -> None:
        """Note the largest page: what the answer says, or its number of records if there are more."""
        per_page = decoded.get("per_page") if isinstance(decoded, Mapping) else None
        size = per_page if isinstance(per_page, int) and per_page < _PAGE else len(raw)
        if len(raw) > max(CAPS):
            self.evidence.observe("per_page_cap", "none", request, len(raw))
        elif size in CAPS and (size == per_page or self._goes_on(kind, decoded, raw)):
            self.evidence.observe("per_page_cap", str(size), request, len(raw))
        elif size == per_page:
            self.evidence.odd("per_page_cap", f"{request}: pages of {per_page}")

    def _goes_on(self, kind: Kind, decoded: Any, raw: Sequence[Mapping[str, Any]]) -> bool:
        """Return True if a list has more records than its first page."""
        total = decoded.get("total") if isinstance(decoded, Mapping) else None
        if isinstance(total, (int, str)):
            return str(total) != str(len(raw))
        answer = self.asker.get(kind.list_path, [("page", "2"), ("per_page", str(_PAGE)), *_sorting(kind).items()])
        first = next(iter(self._uuids(kind, self._items(kind, answer, kind.list_path))), None)
        return answer.is_good and first is not None and first not in self._uuids(kind, raw)

    # ---- questions

    def _later(self) -> None:
        for path in ("/report-template", CATALOG_ITEM.list_path):
            answer = self.asker.get(path)
            side = "absent" if answer.status == HTTPStatus.NOT_FOUND else "present"
            self.evidence.observe("later_endpoints", side, f"GET {path}")
        self._histories()

    def _histories(self) -> None:
        if self.evidence.side("later_endpoints") != "present":
            self.evidence.cannot("history_beyond_end", "this instance has no histories")
            return
        record = self._some(LOCATION, ROOM, OBJECT, PERSON)
        if record is None:
            self.evidence.cannot("history_beyond_end", "there is no record that could have a history")
            return
        path = f"{record.kind.item_path}/history"

        def page(number: int) -> Any:
            pairs = [("page", str(number)), ("per_page", "1")]
            return self.asker.get(path.format(uuid=record.uuid), pairs).json()

        first = page(1)
        if not isinstance(first, Mapping) or not first.get("items"):
            self.evidence.cannot("history_beyond_end", "the requested record has no history")
            return
        last = page(_FAR)
        if isinstance(last, Mapping) and isinstance(last.get("items"), list):
            self.evidence.observe("history_beyond_end", "clamp" if last["items"] else "empty", f"GET {path}")

    def _order(self) -> None:
        """Determine if pages without a sort have the same order twice."""
        kind = max((OBJECT, ROOM, LOCATION), key=lambda candidate: len(self.listed.get(candidate.name, ())))
        size = len(self.listed.get(kind.name, ()))
        if size < 2:
            return
        paging = [("page", "1"), ("per_page", str(size))]
        pages = [self._items(kind, self.asker.get(kind.list_path, paging), kind.list_path) for _turn in range(2)]
        before, after = (self._uuids(kind, page) for page in pages)
        common = set(before) & set(after)
        if [mark for mark in before if mark in common] != [mark for mark in after if mark in common]:
            self.evidence.observe("page_order", "unstable", f"GET {kind.list_path}", size)

    def _beyond(self) -> None:
        kind = next((kind for kind in (LOCATION, ROOM, OBJECT) if self.listed.get(kind.name)), None)
        if kind is None:
            self.evidence.cannot("page_beyond_end", "no list contains a record")
            return
        answer = self.asker.get(kind.list_path, [("page", str(_FAR * 100)), ("per_page", "1")])
        request = f"GET {kind.list_path}?page=..."
        if answer.is_good:
            items = self._items(kind, answer, kind.list_path)
            self.evidence.observe("page_beyond_end", "clamp" if items else "empty", request)
        else:
            self.evidence.odd("page_beyond_end", f"{request}: HTTP {answer.status}")

    def _missing(self) -> None:
        self.asker.get(OBJECT.item_path.format(uuid=uuids.uuid4()))
        for kind in (PERSON, USER):
            answer = self.asker.get(kind.item_path.format(uuid=uuids.uuid4()))
            request = f"GET {kind.item_path}"
            if answer.status == HTTPStatus.NOT_FOUND:
                self.evidence.observe("missing_person", "not_found", request)
            elif answer.is_good and not answer.json():
                self.evidence.observe("missing_person", "empty", request)
            elif answer.status != HTTPStatus.FORBIDDEN:
                self.evidence.odd("missing_person", f"{request}: HTTP {answer.status}")

    def _filters(self) -> None:
        self._equality()
        self._unknown_field()
        self._links()
        self._presence()
        for switch, kinds in (("places_filter", (ROOM, LOCATION)), ("persons_filter", (PERSON,))):
            self._honoured(switch, kinds)
        self._sorted_persons()
        self._deadlines()

    def _equality(self) -> None:
        """Determine if a filter ignores upper and lower case."""
        found = self._text_in_one_case()
        if found is None:
            self.evidence.cannot("filter_eq", "no object has a text whose case could be changed")
            return
        key, text = found
        request = f"GET {OBJECT.list_path}?filter[FIELD][eq]"
        exact, swapped = (
            self.hits(OBJECT, [Condition(key, "eq", (spelling,))], key) for spelling in (text, text.swapcase())
        )
        if exact is None or swapped is None or {hit.casefold() for hit in [*exact, *swapped]} != {text.casefold()}:
            self.evidence.cannot("filter_eq", "a filter on a text did not find exactly the records that have it")
        elif text in swapped:
            self.evidence.observe("filter_eq", "case_blind", request, len(swapped))
        else:
            self.evidence.observe("filter_eq", "exact", request)

    def _text_in_one_case(self) -> tuple[str, str] | None:
        """Return a field and one of its texts that no object has in the opposite case."""
        records = [flatten(OBJECT, record) for record in self.listed.get(OBJECT.name, ())]
        for key, type_name in self.types.get("asset", {}).items():
            if type_name not in _TEXTS:
                continue
            texts = {record[key] for record in records if isinstance(record.get(key), str)}
            for text in sorted(texts):
                is_plain = text.isascii() and text.isprintable() and text == text.strip() and len(text) <= _SMALL_PAGE
                if is_plain and text.swapcase() != text and text.swapcase() not in texts:
                    return key, text
        return None

    def hits(self, kind: Kind, conditions: Sequence[Condition], key: str) -> list[str] | None:
        """Return the values of a field in the records found, or None if the filter is rejected."""
        pairs = [
            ("page", "1"),
            ("per_page", str(_SMALL_PAGE)),
            *(pair for condition in conditions for pair in condition.pairs()),
        ]
        answer = self.asker.get(kind.list_path, pairs)
        decoded = answer.json()
        items = decoded.get("items") if isinstance(decoded, Mapping) else decoded
        if not answer.is_good or not isinstance(items, list):
            return None
        records = [flatten(kind, item) for item in items if isinstance(item, Mapping)]
        return [str(record.get(key)) for record in records]

    def _unknown_field(self) -> None:
        if not self.listed.get(OBJECT.name):
            self.evidence.cannot("filter_unknown_field", "there is no object to filter")
            return
        pairs = Condition(UNKNOWN_FIELD, "eq", ("1",)).pairs()
        answer = self.asker.get(OBJECT.list_path, [("page", "1"), ("per_page", "1"), *pairs])
        request = f"GET {OBJECT.list_path}?filter[UNKNOWN][eq]"
        if answer.is_refusal:
            self.evidence.observe("filter_unknown_field", "refuse", request)
        elif answer.is_good and self._items(OBJECT, answer, OBJECT.list_path):
            self.evidence.observe("filter_unknown_field", "ignore", request)
        else:
            self.evidence.odd("filter_unknown_field", f"{request}: HTTP {answer.status}, and nothing is found")

    def _links(self) -> None:
        """Determine what a filter on a link compares."""
        kinds = {f"LINKED_{kind.name.upper()}": kind for kind in (ROOM, LOCATION, PERSON, USER)}
        for key, type_name in self.types.get("asset", {}).items():
            links = [
                flatten(OBJECT, record).get(key) for record in self.listed.get(OBJECT.name, ()) if type_name in kinds
            ]
            both = next(filter(None, (self._both_forms(kinds[type_name], link) for link in links)), None)
            if both is not None:
                self._filtered_by_link(key, both)
                return
        self.evidence.cannot("filter_links", "no listed object links to a record whose id and uuid are known")

    def _filtered_by_link(self, key: str, both: tuple[Any, Any]) -> None:
        by_id, by_uuid = (self.hits(OBJECT, [Condition(key, "eq", (form,))], key) for form in both)
        request = f"GET {OBJECT.list_path}?filter[LINK][eq]"
        if by_id is None or by_uuid is None:
            self.evidence.cannot("filter_links", "a filter on a link was refused")
        elif by_id and by_uuid:
            self.evidence.observe("filter_links", "either", request)
        elif by_id or by_uuid:
            self.evidence.observe("filter_links", "id" if by_id else "uuid", request)
        else:
            self.evidence.odd("filter_links", f"{request}: nothing is found by id, and nothing by uuid")

    def _both_forms(self, kind: Kind, link: Any) -> tuple[Any, Any] | None:
        """Return the id and the uuid of the target of a link, if both are known."""
        if isinstance(link, Mapping):
            both = link.get("id"), link.get("uuid")
            return both if all(both) else None
        records = [Record.from_answer(kind, raw) for raw in self.listed.get(kind.name, ())] if link else []
        return next(((record.id, record.uuid) for record in records if record.id == link and record.uuid), None)

    def _presence(self) -> None:
        key = next((key for key, name in self.types.get("asset", {}).items() if name in _TEXTS), None)
        if key is None or OBJECT.name in self.evidence.unread:
            self.evidence.cannot("presence_operators", "objects have no text field")
            return
        answer = self.asker.get(
            OBJECT.list_path, [("page", "1"), ("per_page", "1"), *Condition(key, "not_empty").pairs()]
        )
        request = f"GET {OBJECT.list_path}?filter[FIELD][not_empty]"
        if answer.is_good:
            self.evidence.observe("presence_operators", "honour", request)
        elif answer.is_refusal:
            self.evidence.observe("presence_operators", "refuse", request)
        else:
            self.evidence.odd("presence_operators", f"{request}: HTTP {answer.status}")

    def _honoured(self, switch: str, kinds: Sequence[Kind]) -> None:
        """Determine if a filter on the id of one record finds exactly that record."""
        kind = next((kind for kind in kinds if len(self._ids(kind)) > 1), None)
        if kind is None:
            self.evidence.cannot(switch, "there are fewer than two records")
            return
        wanted = self._ids(kind)[-1]
        hits = self.hits(kind, [Condition("id", "eq", (wanted,))], "id")
        request = f"GET {kind.list_path}?filter[id][eq]"
        if hits is None:
            self.evidence.cannot(switch, "a filter on the id was refused")
        elif hits == [str(wanted)]:
            self.evidence.observe(switch, "honour", request)
        elif len(hits) > 1:
            self.evidence.observe(switch, "ignore", request, len(hits))
        else:
            self.evidence.odd(switch, f"{request}: another record, or none")

    def _sorted_persons(self) -> None:
        if len(self._ids(PERSON)) < _IN_ORDER:
            self.evidence.cannot("persons_sort_by", f"there are fewer than {_IN_ORDER} persons")
            return
        pages = []
        for order in ("desc", "asc"):
            pairs = [("page", "1"), ("per_page", str(_SMALL_PAGE)), ("sort_by", "id"), ("order", order)]
            answer = self.asker.get(PERSON.list_path, pairs)
            pages.append([_id(PERSON, item) for item in self._items(PERSON, answer, PERSON.list_path)])
        request = f"GET {PERSON.list_path}?sort_by=id"
        downwards, upwards = ([mark for mark in page if mark is not None] for page in pages)
        is_sorted = downwards == sorted(downwards, reverse=True) and upwards == sorted(upwards)
        if len(downwards) >= _IN_ORDER and len(upwards) >= _IN_ORDER:
            self.evidence.observe("persons_sort_by", "honour" if is_sorted else "ignore", request, len(upwards))

    def _deadlines(self) -> None:
        days = sorted({str(task["deadline"])[:10] for task in self.listed.get(TASK.name, ()) if task.get("deadline")})
        if len(days) < 2:
            self.evidence.cannot("task_filters", "there are no two tasks with different deadlines")
            return
        answer = self.asker.get(TASK.list_path, [("deadline_from", days[-1])])
        request = f"GET {TASK.list_path}?deadline_from"
        found = {str(task.get("deadline"))[:10] for task in self._items(TASK, answer, TASK.list_path)}
        if not answer.is_good:
            self.evidence.odd("task_filters", f"{request}: HTTP {answer.status}")
        elif found == {days[-1]}:
            self.evidence.observe("task_filters", "honour", request)
        elif found & set(days[:-1]):
            self.evidence.observe("task_filters", "ignore", request)

    def _headers(self, answers: Sequence[Answer]) -> None:
        """Note what the headers of all answers show."""
        if not answers:
            return
        names = {name.lower() for answer in answers for name in answer.headers}
        limits = {name for name in names if name.startswith(("x-ratelimit", "ratelimit", "x-rate-limit"))}
        self.evidence.observe("rate_headers", "given" if limits else "none", "headers of all answers")
        origins = {answer.headers["access-control-allow-origin"] for answer in answers if _CORS in answer.headers}
        if origins <= {"*"}:
            self.evidence.observe("cors", "any_origin" if origins else "none", "headers of all answers")
        else:
            self.evidence.odd("cors", "the headers allow some origins")
        for answer in self.asker.answers:
            if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
                after = answer.headers.get("retry-after", "")
                form = "none" if not after else "seconds" if after.strip().isdecimal() else "date"
                self.evidence.observe("retry_after", form, "an answer with HTTP 429")

    # ---- records

    def _some(self, *kinds: Kind) -> Record | None:
        for kind in kinds:
            for raw in self.listed.get(kind.name, ()):
                record = Record.from_answer(kind, raw)
                if record.uuid:
                    return record
        return None

    def _uuids(self, kind: Kind, raw: Sequence[Mapping[str, Any]]) -> list[str]:
        return [Record.from_answer(kind, record).uuid for record in raw]

    def _ids(self, kind: Kind) -> list[int]:
        found = (_id(kind, record) for record in self.listed.get(kind.name, ()))
        return [mark for mark in found if mark is not None]


def _sorting(kind: Kind) -> dict[str, str]:
    """Return the parameters that sort the records of a kind in a stable order."""
    if "sort" in kind.sort_parameters:
        return {f"sort[{kind.sort}]": "ASC"}
    return {"sort_by": kind.sort, "order": "asc"}


def _id(kind: Kind, raw: Mapping[str, Any]) -> int | None:
    return Record.from_answer(kind, raw).id


_CORS = "access-control-allow-origin"


def _observe_error_body(evidence: Evidence, answer: Answer) -> None:
    """Note the form of an error that every part of the service words alike."""
    if answer.status not in (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY):
        return
    request = f"an answer with HTTP {answer.status}"
    if not answer.body.strip():
        evidence.observe("error_body", "empty", request)
        return
    decoded = answer.json()
    if isinstance(decoded, Mapping):
        # In the order in which the collection reads them.
        member = next((member for member in ("detail", "message", "title") if decoded.get(member)), None)
        if member:
            evidence.observe("error_body", member, request)
        else:
            evidence.odd("error_body", f"{request}: JSON with none of the known members")
    elif decoded is None:
        evidence.observe("error_body", "text", request)
