# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sections 2.3, 3.1 and 4.5 of the interface: tasks."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import NOBODY, Absent, JsonMap, asset, last_segment
from .support import Api, Steering

TASK = "/task-management/task"
TASKS = "/task-management/tasks"
SHOWN = {
    "uuid",
    "status",
    "author",
    "title",
    "comment",
    "deadline",
    "reminders",
    "recurring_schedule",
    "assignees",
    "references",
    "attachments",
    "slug",
}


def interval(unit: str = "days", value: Any = 1) -> JsonMap:
    return {"unit": unit, "value": value}


def test_create(api: Api) -> None:
    response = api.post(TASK, api.task())
    assert response.status_code == 201
    assert response.content == b""
    created = response.headers["Location-UUID"]
    assert last_segment(response.headers["Location"]) == created
    assert api.read(f"{TASK}/{created}")["uuid"] == created


def test_task(api: Api) -> None:
    thing = api.create_object(inventory_name="Ladder", barcode="LADDER-1")
    note = api.upload("note.txt", b"12345")
    me = api.me()["uuid"]
    body = api.task(
        title="Check the ladder",
        comment="every rung",
        reminders=[interval("weeks", 2), interval("days", 0)],
        recurring_schedule=interval("years", 1),
        references=[asset(thing)],
        attachments=[note],
        notify=True,
    )
    task = api.read(f"{TASK}/{api.create(TASK, body)}")
    assert set(task) == SHOWN
    same = ("title", "comment", "deadline", "reminders", "recurring_schedule", "assignees")
    assert {key: task[key] for key in same} == {key: body[key] for key in same}
    assert (task["status"], task["author"]) == ("open", me)
    reference = task["references"][0]
    assert (reference["type"], reference["uuid"]) == ("asset", thing)
    assert reference["id"] == api.read(f"/object/{thing}")["id"]
    assert "Ladder" in reference["name"]
    assert reference["status"] == "open"
    (file,) = task["attachments"]
    assert set(file) == {"uuid", "name", "type", "size", "data_uri", "thumbnail_uri"}
    assert (file["uuid"], file["name"], file["type"], file["size"]) == (note, "note.txt", "text/plain", 5)


def test_small_task(api: Api) -> None:
    task = api.read(f"{TASK}/{api.create_task()}")
    assert task["comment"] is None
    assert (task["reminders"], task["references"], task["attachments"]) == ([], [], [])
    assert task["recurring_schedule"] is None


def test_slugs_differ(api: Api) -> None:
    slugs = [api.read(f"{TASK}/{api.create_task()}")["slug"] for _number in range(3)]
    assert len(set(slugs)) == 3


def test_list_is_a_bare_array(api: Api) -> None:
    created = api.create_task()
    found = api.read(TASKS)
    assert isinstance(found, list)
    assert api.read(f"{TASK}/{created}") in found


def test_list_is_not_paged(api: Api) -> None:
    for _number in range(3):
        api.create_task()
    assert api.read(TASKS, "page=2&per_page=1") == api.read(TASKS)


@pytest.mark.parametrize("unit", ["days", "weeks", "months", "years"])
@pytest.mark.parametrize("value", [0, 1, 12])
def test_intervals(api: Api, unit: str, value: int) -> None:
    created = api.create_task(reminders=[interval(unit, value)], recurring_schedule=interval(unit, value))
    task = api.read(f"{TASK}/{created}")
    assert task["reminders"] == [interval(unit, value)]
    assert task["recurring_schedule"] == interval(unit, value)


@pytest.mark.parametrize(
    "change", [{"assignees": [NOBODY]}, {"references": [asset(NOBODY)]}, {"attachments": [NOBODY]}], ids=str
)
def test_pointing_at_nothing(api: Api, change: JsonMap) -> None:
    body = {**api.task(), **change}
    assert api.post(TASK, body).status_code in (400, 404, 422)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_number_of_reminders(api: Api, count: int) -> None:
    reminders = [interval("days", number) for number in range(count)]
    assert api.read(f"{TASK}/{api.create_task(reminders=reminders)}")["reminders"] == reminders


# replacing


def test_replace(api: Api, steering: Steering) -> None:
    created = api.create_task(comment="before", reminders=[interval()])
    steering.user()
    other = next(user["uuid"] for user in api.items("/users") if user["uuid"] != api.me()["uuid"])
    thing = api.create_object()
    body = api.task(title="After", comment="after", deadline="2032-01-01", assignees=[other], references=[asset(thing)])
    response = api.put(f"{TASK}/{created}", {**body, "uuid": created, "notify": False})
    assert (response.status_code, response.content) == (204, b"")
    task = api.read(f"{TASK}/{created}")
    assert {key: task[key] for key in ("title", "comment", "deadline", "assignees", "reminders")} == {
        key: body[key] for key in ("title", "comment", "deadline", "assignees", "reminders")
    }
    assert [reference["uuid"] for reference in task["references"]] == [thing]


def test_replace_keeps_what_only_the_service_sets(api: Api) -> None:
    created = api.create_task()
    before = api.read(f"{TASK}/{created}")
    api.put(f"{TASK}/{created}", api.task(title="After"))
    after = api.read(f"{TASK}/{created}")
    assert {key: after[key] for key in ("uuid", "status", "author", "slug")} == {
        key: before[key] for key in ("uuid", "status", "author", "slug")
    }


def test_replace_clears_what_is_absent(api: Api) -> None:
    created = api.create_task(comment="before", attachments=[api.upload()])
    api.put(f"{TASK}/{created}", api.task(comment=Absent, attachments=Absent))
    task = api.read(f"{TASK}/{created}")
    assert (task["comment"], task["attachments"]) == (None, [])


def test_replace_lets_keys_of_the_read_shape_through(api: Api) -> None:
    created = api.create_task(references=[asset(api.create_object())])
    task = api.read(f"{TASK}/{created}")
    assert api.put(f"{TASK}/{created}", {**task, "title": "After", "status": "closed"}).status_code == 204
    assert api.read(f"{TASK}/{created}") == {**task, "title": "After"}


def test_notify_sends_a_mail(api: Api, steering: Steering) -> None:
    created = api.create_task()
    before = len(steering.mails())
    api.put(f"{TASK}/{created}", {**api.task(), "notify": False})
    assert len(steering.mails()) == before
    api.put(f"{TASK}/{created}", {**api.task(), "notify": True})
    assert len(steering.mails()) == before + 1


# status


@pytest.mark.parametrize("states", [["closed"], ["closed", "open"], ["open"], ["closed", "closed"]], ids="-".join)
def test_status(api: Api, states: list[str]) -> None:
    created = api.create_task()
    for state in states:
        response = api.put(f"{TASK}/{created}/status", {"status": state})
        assert (response.status_code, response.content) == (204, b"")
        assert api.read(f"{TASK}/{created}")["status"] == state


def test_status_changes_nothing_else(api: Api) -> None:
    created = api.create_task(comment="kept", reminders=[interval()])
    before = api.read(f"{TASK}/{created}")
    api.put(f"{TASK}/{created}/status", {"status": "closed"})
    assert api.read(f"{TASK}/{created}") == {**before, "status": "closed"}


def test_delete(api: Api) -> None:
    created = api.create_task()
    response = api.delete(f"{TASK}/{created}")
    assert (response.status_code, response.content) == (204, b"")
    assert api.get(f"{TASK}/{created}").status_code == 404
    assert created not in [task["uuid"] for task in api.read(TASKS)]


def test_task_outlives_its_object(api: Api) -> None:
    thing = api.create_object()
    created = api.create_task(references=[asset(thing)])
    assert api.delete(f"/object/{thing}").status_code == 204
    assert [reference["uuid"] for reference in api.read(f"{TASK}/{created}")["references"]] == [thing]


# the filters of the list


@pytest.fixture
def many(api: Api, steering: Steering) -> dict[str, str]:
    """Return tasks that differ in everything that can be filtered, as uuid to name."""
    for task in api.read(TASKS):
        api.delete(f"{TASK}/{task['uuid']}")
    steering.user()
    other = next(user["uuid"] for user in api.items("/users") if user["uuid"] != api.me()["uuid"])
    names = {
        api.create_task(title="early", deadline="2031-01-01"): "early",
        api.create_task(title="middle", deadline="2031-02-01", assignees=[other]): "middle",
        api.create_task(title="late", deadline="2031-03-01", references=[asset(api.create_object())]): "late",
    }
    closed = next(uuid for uuid, name in names.items() if name == "late")
    api.put(f"{TASK}/{closed}/status", {"status": "closed"})
    return {**names, "other": other}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "early late middle"),
        ("status=open", "early middle"),
        ("status=closed", "late"),
        ("deadline_from=2031-02-01", "late middle"),
        ("deadline_from=2031-02-02", "late"),
        ("deadline_to=2031-02-01", "early middle"),
        ("deadline_to=2031-01-31", "early"),
        ("deadline_from=2031-01-02&deadline_to=2031-02-28", "middle"),
        ("deadline_from=2031-03-02", ""),
        ("reference_type=asset", "late"),
        ("assignee={other}", "middle"),
        ("assignee={me}", "early late"),
        ("author={me}", "early late middle"),
        ("author={other}", ""),
        ("assignee={me}&status=open", "early"),
        (f"assignee={NOBODY}", ""),
    ],
)
def test_filter(api: Api, many: dict[str, str], query: str, expected: str) -> None:
    found = api.read(TASKS, query.format(me=api.me()["uuid"], other=many["other"]))
    assert " ".join(sorted(task["title"] for task in found)) == expected
