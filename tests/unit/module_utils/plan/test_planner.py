# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of one record with a queried state: the target, its change, and the requests."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import Ambiguous, NoMatch
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference
from ansible_collections.community.seventhings.plugins.module_utils.plan.change import CREATE, DELETE, UNCHANGED, UPDATE
from ansible_collections.community.seventhings.plugins.module_utils.plan.compare import Comparer, Wanted
from ansible_collections.community.seventhings.plugins.module_utils.plan.record_planner import plan_record
from ansible_collections.community.seventhings.plugins.module_utils.plan.state import QueriedState, find_now

from ..support import SAMPLE, FakeTransport, answer, by_uuid, client_on, listing, record, schema_of, uuid_of

OBJECT = schema_of("object", Field("barcode", "BARCODE"), Field("name", "TEXT"), Field("room", "LINKED_ROOM"))
TASK = schema_of("task")
RENTAL = schema_of("rental_case")
THINGS = [
    {"asset_uuid": uuid_of(1), "id": 1, "barcode": "1", "name": "a", "room": 7},
    {"asset_uuid": uuid_of(2), "id": 2, "barcode": "2", "name": "b"},
    {"asset_uuid": uuid_of(3), "id": 3, "barcode": "2", "name": "c"},
]
OBJECTS = "GET /objects"


def state_on(routes: dict[str, Any]) -> tuple[QueriedState, FakeTransport]:
    transport = FakeTransport(routes)
    return QueriedState(client_on(transport)), transport


def test_a_record_is_found_by_one_filtered_list_and_compared() -> None:
    state, transport = state_on({OBJECTS: listing(THINGS)})
    planned = plan_record(state, Wanted(OBJECT, {"barcode": "1", "name": "x"}), ["barcode"], None)
    assert (planned.change.action, planned.change.values) == (UPDATE, {"name": "x"})
    assert planned.known == {uuid_of(1)}
    assert transport.lines == [OBJECTS]
    assert ("filter[barcode][eq]", "1") in transport.calls[0].pairs


def test_a_missing_record_is_looked_up_in_the_archive() -> None:
    state, transport = state_on({OBJECTS: listing(THINGS), "GET /object/by-barcode/9": by_uuid(None)})
    planned = plan_record(state, Wanted(OBJECT, {"barcode": "9"}), ["barcode"], None)
    assert planned.change.action == CREATE
    assert transport.lines == [OBJECTS, "GET /object/by-barcode/9", OBJECTS]
    assert SAMPLE in transport.calls[-1].pairs


@pytest.mark.parametrize(
    ("wanted", "action", "note"),
    [
        ("present", UPDATE, "unarchive"),
        ("archived", UNCHANGED, ""),
        ("absent", DELETE, "may need unarchiving"),
    ],
)
def test_an_archived_record_is_brought_back_left_or_removed(wanted: str, action: str, note: str) -> None:
    hidden = {"asset_uuid": uuid_of(9), "id": 9, "barcode": "9", "archived_at": "2026-05-04T08:00:00+00:00"}
    state, _transport = state_on({OBJECTS: listing([]), "GET /object/by-barcode/9": answer(hidden)})
    change = plan_record(state, Wanted(OBJECT, {"barcode": "9"}, wanted), ["barcode"], None).change
    assert (change.action, change.note) == (action, note)
    assert change.current is not None
    assert change.current.uuid == uuid_of(9)


@pytest.mark.parametrize(("listed_then", "warned"), [(True, 0), (False, 1)])
def test_a_record_that_was_created_between_the_list_and_the_look_by_barcode_is_nothing_to_warn_of(
    listed_then: bool, warned: int
) -> None:
    created = {"asset_uuid": uuid_of(9), "id": 9, "barcode": "9", "archived_at": None}
    lists = [listing([]), listing([created] if listed_then else [])]
    state, _transport = state_on({OBJECTS: lists, "GET /object/by-barcode/9": answer(created)})
    change = plan_record(state, Wanted(OBJECT, {"barcode": "9"}), ["barcode"], None).change
    assert change.action == UNCHANGED
    assert ["no list shows it" in line for line in change.warnings] == [True] * warned


def test_several_records_of_one_natural_key_are_an_error() -> None:
    state, _transport = state_on({OBJECTS: listing(THINGS)})
    with pytest.raises(Ambiguous, match="2 objects have barcode '2'"):
        plan_record(state, Wanted(OBJECT, {"barcode": "2"}), ["barcode"], None)


def test_a_uuid_without_a_record_is_never_replaced_by_a_barcode() -> None:
    state, transport = state_on({f"GET /object/{uuid_of(5)}": by_uuid(None)})
    assert not plan_record(state, Wanted(OBJECT, {"barcode": "1"}, "absent"), [], uuid_of(5)).change.changed
    assert transport.lines == [f"GET /object/{uuid_of(5)}"]
    with pytest.raises(NoMatch, match=f"no object with the uuid {uuid_of(5)}"):
        plan_record(state, Wanted(OBJECT, {"barcode": "1"}), [], uuid_of(5))


def test_a_link_by_uuid_is_compared_where_the_instance_answers_bare_ids() -> None:
    state, transport = state_on({f"GET /room/{uuid_of(7)}": answer({"room_uuid": uuid_of(7), "id": 7})})
    current = record("object", 1, room=7)
    change = Comparer(state).change(Wanted(OBJECT, {"room": Reference("room", uuid=uuid_of(7))}), current)
    assert not change.changed
    assert transport.lines == [f"GET /room/{uuid_of(7)}"]


@pytest.mark.parametrize(("absent", "expected"), [(False, uuid_of(2)), (True, uuid_of(1))])
def test_the_open_task_matches_unless_a_status_narrows_the_deletion(absent: bool, expected: str) -> None:
    tasks = [
        {**dict.fromkeys(TASK.fields), "uuid": uuid_of(1), "title": "t", "status": "closed"},
        {**dict.fromkeys(TASK.fields), "uuid": uuid_of(2), "title": "t", "status": "open"},
    ]
    state, _transport = state_on({"GET /task-management/tasks": answer(tasks)})
    desired = {"title": "t", "status": "closed"} if absent else {"title": "t", "comment": "x"}
    planned = plan_record(state, Wanted(TASK, desired, "absent" if absent else "present"), ["title"], None)
    assert planned.change.current is not None
    assert planned.change.current.uuid == expected
    assert planned.known == {uuid_of(1), uuid_of(2)}


def test_a_renter_that_is_answered_as_a_text_is_carried_along_with_a_word_about_it() -> None:
    state, _transport = state_on({"GET /users": listing([{"uuid": uuid_of(3), "id": 3, "email": "ada@example.com"}])})
    empty = dict.fromkeys(field.wire_key for field in RENTAL.fields.values())
    current = record("rental_case", 1, **{**empty, "title": "t", "renter": "Somebody"})
    change = Comparer(state).change(Wanted(RENTAL, {"title": "u"}), current)
    assert change.values == {"title": "u", "renter": ("plain", "Somebody")}
    assert change.after == {"title": "u"}
    assert change.warnings == (
        "renter: the instance returns only the text 'Somebody', which matches none of its users; it is kept as text.",
    )
    current = record("rental_case", 1, **{**empty, "title": "t", "renter": "ada@example.com"})
    known = Comparer(state).change(Wanted(RENTAL, {"title": "u"}), current)
    assert known.values["renter"][1].uuid == uuid_of(3)
    assert known.warnings == ()


def test_a_fresh_read_ignores_what_was_read_before() -> None:
    state, transport = state_on({OBJECTS: listing(THINGS)})
    assert state.find_existing(OBJECT, ["barcode"], {"barcode": "2"})
    assert state.find_existing(OBJECT, ["barcode"], {"barcode": "2"})
    assert transport.lines == [OBJECTS]
    assert len(find_now(state.client, OBJECT, ["barcode"], {"barcode": "2"})) == 2
    assert transport.lines == [OBJECTS, OBJECTS]
