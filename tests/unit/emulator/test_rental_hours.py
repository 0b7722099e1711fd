# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rental cases by the hour, optional reminders of tasks, and sizes of thumbnails: the newest version of the service."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import Absent, JsonMap, asset
from .support import Api
from .test_files import PIXEL

CASE = "/rental-management/rental-case"
TASK = "/task-management/task"
TIMES = {"issue_at": "2031-05-20T08:00:00+02:00", "due_at": "2031-05-20T12:00:00+02:00"}
DAYS = {"issue_date": "2031-05-20", "due_date": "2031-05-20"}
WHOLE = (True, None, None)


def hours(api: Api, uuid: str) -> tuple[Any, Any, Any]:
    case = api.read(f"{CASE}/{uuid}")
    return case["is_full_day"], case["issue_at"], case["due_at"]


@pytest.mark.parametrize("fields", [{}, {"is_full_day": True}, {"is_full_day": True, **TIMES}], ids=str)
def test_whole_days(api: Api, fields: JsonMap) -> None:
    assert hours(api, api.create_rental_case(**DAYS, **fields)) == WHOLE


@pytest.mark.parametrize("fields", [TIMES, {"is_full_day": False, **TIMES}], ids=str)
def test_by_the_hour(api: Api, fields: JsonMap) -> None:
    assert hours(api, api.create_rental_case(**DAYS, **fields)) == (False, *TIMES.values())


@pytest.mark.parametrize("moment", ["2031-05-20 08:00:00", "2031-05-20T08:00:00", "2031-05-20", "noon"])
def test_a_time_without_its_offset_is_refused(api: Api, moment: str) -> None:
    body = api.rental_case(**DAYS, **{**TIMES, "issue_at": moment})
    assert api.post(CASE, body).status_code == 400


def test_a_time_may_have_parts_of_a_second(api: Api) -> None:
    moment = "2031-05-20T08:00:00.250+02:00"
    assert hours(api, api.create_rental_case(**DAYS, **{**TIMES, "issue_at": moment}))[1] == moment


def test_left_out_of_a_put_the_kind_and_the_times_stay(api: Api) -> None:
    created = api.create_rental_case(**DAYS, **TIMES)
    assert api.put(f"{CASE}/{created}", api.rental_case(**DAYS, title="Other")).status_code == 204
    assert hours(api, created) == (False, *TIMES.values())
    later = {"due_at": "2031-05-20T13:00:00+02:00"}
    assert api.put(f"{CASE}/{created}", api.rental_case(**DAYS, **later)).status_code == 204
    assert hours(api, created) == (False, TIMES["issue_at"], later["due_at"])


def test_whole_days_in_a_put_clear_the_times(api: Api) -> None:
    created = api.create_rental_case(**DAYS, **TIMES)
    assert api.put(f"{CASE}/{created}", api.rental_case(**DAYS, is_full_day=True)).status_code == 204
    assert hours(api, created) == WHOLE


def test_what_was_read_can_be_written_back(api: Api) -> None:
    for fields in ({}, TIMES):
        created = api.create_rental_case(**DAYS, **fields)
        before = hours(api, created)
        body = api.rental_case(**DAYS, is_full_day=before[0], issue_at=before[1], due_at=before[2])
        assert api.put(f"{CASE}/{created}", body).status_code == 204
        assert hours(api, created) == before


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"is_full_day": False}, 422),
        ({"is_full_day": False, "issue_at": TIMES["issue_at"]}, 422),
        ({"issue_at": TIMES["due_at"], "due_at": TIMES["issue_at"]}, 422),
        ({"issue_at": TIMES["issue_at"], "due_at": TIMES["issue_at"]}, 422),
        ({"issue_at": "2031-05-20", "due_at": 5}, 400),
        ({"is_full_day": "yes"}, 400),
        ({"is_full_day": None}, 400),
    ],
    ids=str,
)
def test_wrong_hours(api: Api, fields: JsonMap, status: int) -> None:
    assert api.post(CASE, api.rental_case(**DAYS, **fields)).status_code == status


def test_filter_by_hours(api: Api) -> None:
    timed, whole = api.create_rental_case(**DAYS, **TIMES), api.create_rental_case(**DAYS)
    for query, expected in (
        ("filter[is_full_day][eq]=false", timed),
        ("filter[is_full_day][eq]=true", whole),
        ("filter[due_at][lte]=2031-05-20+10:00:00", timed),
    ):
        found = {case["uuid"] for case in api.items(f"{CASE}s", f"{query}&per_page=1000")}
        assert {timed, whole} & found == {expected}, query


def test_a_filter_on_the_time_of_change(api: Api) -> None:
    created = {"/objects": api.create_object(), "/rooms": api.create_room(), "/persons": api.create_person()}
    created[f"{CASE}s"] = api.create_rental_case()
    for path, uuid in created.items():
        for query, is_found in (("[gte]=2026-01-01+00:00:00", True), ("[gt]=2999-01-01+00:00:00", False)):
            found = [record["uuid"] for record in api.items(path, f"filter[updated_at]{query}&per_page=1000")]
            assert (uuid in found) == is_found, path


def test_reminders_of_a_task_may_be_left_out(api: Api) -> None:
    created = api.create_task(reminders=Absent)
    assert api.read(f"{TASK}/{created}")["reminders"] == []
    day = {"unit": "days", "value": 0}
    for reminders in ([day], [], Absent):
        body = api.task(reminders=reminders, references=[asset(api.create_object())])
        assert api.put(f"{TASK}/{created}", body).status_code == 204
        assert api.read(f"{TASK}/{created}")["reminders"] == ([] if reminders is Absent else reminders)


def test_thumbnails_come_in_some_sizes(api: Api) -> None:
    file = api.upload("pixel.png", PIXEL, "image/png")
    path = f"/file/{file}/thumbnail"
    first = api.get(path, "width=320&height=240")
    assert (first.status_code, first.headers["Content-Type"]) == (200, "image/png")
    statuses = [api.get(path, f"width={width}&height=9").status_code for width in range(1, 100)]
    refused = statuses.index(422)
    assert set(statuses[:refused]) == {200}
    assert set(statuses[refused:]) == {422}
    assert api.get(path, "width=320&height=240").content == first.content
    assert api.get(path).status_code == 200
    for query in ("width=10", "height=10", "width=0&height=1", "width=2001&height=1"):
        assert api.get(path, query).status_code == 400


def test_a_refusal_has_headers(api: Api) -> None:
    refused = api.get("/object/00000000-0000-4000-8000-000000000000")
    assert refused.status_code == 404
    assert {"Content-Type", "Date"} <= set(refused.headers)
