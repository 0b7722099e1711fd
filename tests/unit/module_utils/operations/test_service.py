# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Information about the instance, and histories: with more than one page, and on instances without histories."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    FEATURE_OFF_MESSAGE,
    InvalidInput,
    NoMatch,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.operations.service import (
    account_visibility,
    history_info,
    service_info,
)
from ansible_collections.community.seventhings.plugins.module_utils.resolve.listing import ListResult

from ..support import (
    FakeTransport,
    Invocation,
    JsonMap,
    answer,
    by_uuid,
    client_on,
    definition,
    listing,
    refusal,
    uuid_of,
)

TASK = f"/task-management/task/{uuid_of(1)}"
EVENTS: list[JsonMap] = [{"type": f"event {number}", "details": "{}"} for number in range(450)]


def history(transport: FakeTransport, **more: Any) -> ListResult:
    return history_info(client_on(transport), {"kind": "task", "record": uuid_of(1), "limit": None, **more})


@pytest.mark.parametrize(
    ("refused", "is_on"), [(None, True), (refusal(403, FEATURE_OFF_MESSAGE), False), (refusal(403), None)]
)
def test_a_module_is_on_or_off_or_nobody_knows(refused: Exception | None, is_on: bool | None) -> None:
    transport = FakeTransport(
        {
            "GET ": answer({"status": "ok", "description": "d"}),
            "GET /rental-management/rental-cases": refused or listing([]),
            "GET /circularity-hub/items": listing([]),
            **pages_of(),
        }
    )
    returned = service_info(client_on(transport))
    assert returned == {
        "status": "ok",
        "description": "d",
        "user": None,
        "modules": {"rental": is_on, "hub": True},
        "restricted_fields": {},
        "hidden_records": "no",
    }


ASSET = (
    definition("barcode"),
    definition("notes"),
    definition("actual_room", "LINKED_ROOM"),
    definition("target_room", "LINKED_ROOM"),
    definition("price", "MONEY"),
)
ROOMS = [{"room_uuid": uuid_of(20 + number), "id": number, "building_id": number, "number": "1"} for number in (1, 2)]
LOCATIONS = [
    {"location_uuid": uuid_of(30 + number), "id": number, "name": f"L{number}", "city": None} for number in (1, 2)
]


def pages_of(**pages: Any) -> dict[str, Any]:
    """Return the first pages of four kinds, and the definitions of three templates."""
    templates = {"asset": ASSET, "room": (definition("number"), definition("building_id", "LINKED_LOCATION"))}
    return {
        **{
            f"GET /asset-tracking/{name}/field-definitions": answer(list(templates.get(name, ())))
            for name in ("asset", "room", "person")
        },
        **{f"GET /{name}": pages.get(name, listing([])) for name in ("objects", "rooms", "locations", "persons")},
    }


def visible_parts(**pages: Any) -> tuple[Any, Any]:
    """Return the result of ``account_visibility`` for an account that gets these pages."""
    visibility = account_visibility(client_on(FakeTransport(pages_of(**pages))))
    return visibility["restricted_fields"], visibility["hidden_records"]


def thing(number: int, room: Any = None, **fields: Any) -> JsonMap:
    places = {"actual_room": room, "target_room": room}
    return {"asset_uuid": uuid_of(number), "id": number, "barcode": str(number), **places, **fields}


@pytest.mark.parametrize(
    ("objects", "hidden"),
    [
        ([thing(1, notes=None, room=None)], {"object": ["price"]}),
        ([thing(1, notes="", room=None, price=None)], {}),
        ([thing(1, notes="a", room=1)], {}),
        ([thing(1, notes="a", room=1), thing(2, notes=None, room=None, price="1.00")], {}),
        ([thing(1, room=1), thing(2, notes="x", room=[])], {"object": ["price"]}),
        ([], {}),
    ],
    ids=[
        "one record is enough",
        "empty is not hidden",
        "nothing proves it",
        "one record has it",
        "two records",
        "none",
    ],
)
def test_a_field_is_hidden_where_others_are_sent_empty_and_no_record_has_its_key(objects: Any, hidden: Any) -> None:
    assert visible_parts(objects=listing(objects))[0] == hidden


@pytest.mark.parametrize(
    ("rooms", "expected"),
    [([1, 2], "no"), ([1, 1], "unknown"), ([None, None], "unknown"), ([1, None, 2], "no")],
    ids=["in each location", "in one of two", "in none", "one in no room"],
)
def test_records_are_not_hidden_where_each_location_shows_one(rooms: list[Any], expected: str) -> None:
    objects = [thing(number, notes=None, room=room, price=None) for number, room in enumerate(rooms, start=1)]
    pages = {"objects": listing(objects), "rooms": listing(ROOMS), "locations": listing(LOCATIONS)}
    assert visible_parts(**pages)[1] == expected


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ({"actual_room": 2, "target_room": 2}, "no"),
        ({"actual_room": 2, "target_room": None}, "no"),
        ({"actual_room": None, "target_room": 2}, "unknown"),
        ({"actual_room": 1, "target_room": 2}, "unknown"),
        ({"target_room": 2}, "unknown"),
    ],
    ids=["both", "it is there", "it should be there", "it should be elsewhere", "hidden"],
)
def test_an_object_shows_no_location_but_the_one_that_it_is_in(second: dict[str, Any], expected: str) -> None:
    things = [thing(1, room=1, notes=None), thing(2, notes=None)]
    things[1] = {key: value for key, value in things[1].items() if not key.endswith("_room")} | second
    pages = {"objects": listing(things), "rooms": listing(ROOMS), "locations": listing(LOCATIONS)}
    assert visible_parts(**pages)[1] == expected


@pytest.mark.parametrize(
    "place", [{}, {"building_id": None}, {"building_id": 0}], ids=["hidden location", "no location", "zero"]
)
@pytest.mark.parametrize(
    ("existing", "expected"), [([1, 2], "no"), ([1], "unknown")], ids=["in each room", "in one of two"]
)
def test_a_room_of_an_unknown_location_is_for_itself(place: dict[str, Any], existing: list[int], expected: str) -> None:
    rooms = [{"room_uuid": uuid_of(20 + number), "id": number, "number": "1", **place} for number in (1, 2)]
    things = [thing(room, room=room, notes=None) for room in existing]
    pages = {"objects": listing(things), "rooms": listing(rooms), "locations": listing(LOCATIONS)}
    assert visible_parts(**pages)[1] == expected


def test_what_the_account_may_not_list_is_not_known() -> None:
    assert visible_parts(rooms=refusal(403)) == ({}, "unknown")
    assert visible_parts(persons=refusal(403)) == ({}, "no")


def pages(total: bool, clamp: bool) -> Any:
    def play(call: Invocation) -> Any:
        number, size = (int(dict(call.pairs)[name]) for name in ("page", "per_page"))
        last = -(-len(EVENTS) // size)
        shown = min(number, last) if clamp else number
        total_member = {"total": len(EVENTS)} if total else {}
        return answer({"items": EVENTS[(shown - 1) * size : shown * size], "page": shown, **total_member})

    return play


@pytest.mark.parametrize("clamp", [True, False])
@pytest.mark.parametrize("total", [True, False])
def test_a_history_of_several_pages_is_complete(total: bool, clamp: bool) -> None:
    transport = FakeTransport({f"GET {TASK}/history": pages(total, clamp)})
    found = history(transport)
    assert (found.count, [event["type"] for event in found.records]) == (450, [event["type"] for event in EVENTS])
    assert len(transport.calls) == (3 if total else 4)
    assert history(transport, limit=2).records == found.records[:2]


@pytest.mark.parametrize(
    ("details", "read"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", None),
        (None, None),
        ("no JSON", "no JSON"),
        ({"a": 1}, {"a": 1}),
        ("[1]", [1]),
        *((text, text) for text in ("[" * 5000, "9" * 5000)),
    ],
)
def test_details_are_json_where_they_are(details: Any, read: Any) -> None:
    transport = FakeTransport({f"GET {TASK}/history": answer({"items": [{"details": details}]})})
    assert history(transport).records == [{"details": read}]


@pytest.mark.parametrize(
    ("record", "kind", "words"),
    [
        ({"uuid": uuid_of(1), "title": "Any"}, SeventhingsError, "no history of a task: its version is too old"),
        (None, NoMatch, "There is no task"),
    ],
)
def test_a_history_that_does_not_exist_is_distinguished_from_a_record_that_is_not(
    record: JsonMap | None, kind: type[Exception], words: str
) -> None:
    transport = FakeTransport({f"GET {TASK}/history": refusal(404), f"GET {TASK}": by_uuid(record)})
    with pytest.raises(kind) as caught:
        history(transport)
    assert words in json.dumps(str(getattr(caught.value, "message", "")))


def test_a_task_has_no_integer_id() -> None:
    with pytest.raises(InvalidInput, match="a task has no integer id"):
        history(FakeTransport(), record=7)
