# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode goes on where an earlier task of the play may be the one to make what is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.module import Call, perform

from .support import FakeTransport, JsonMap, answer, client_on, definition, listing, uuid_of

ROOM: JsonMap = {"room_uuid": uuid_of(11), "id": 11, "building_id": 1, "number": "0.12", "name": "Workshop"}


def ask(name: str, check_mode: bool, **options: Any) -> dict[str, Any]:
    transport = FakeTransport(
        {
            "GET /locations": listing([{"location_uuid": uuid_of(1), "id": 1, "name": "Head office"}]),
            "GET /rooms": listing([ROOM]),
            "GET /objects": listing([]),
            "GET /asset-tracking/room/field-definitions": answer(
                [definition("name"), definition("number"), definition("building_id", "LINKED_LOCATION")]
            ),
            "GET /asset-tracking/asset/field-definitions": answer(
                [definition("barcode"), definition("documents", "ATTACHMENT")]
            ),
        }
    )
    return perform(name, Call(options, options, check_mode), lambda _options, _check_mode: client_on(transport))


ROOMS: dict[str, Any] = {"uuid": None, "sort": [], "limit": None}
READ = [
    ("room_info", {**ROOMS, "filters": {"building_id": "Depot"}}, "There is no location 'Depot'"),
    ("room_info", {**ROOMS, "filters": {"colour": "red"}}, "filters.colour: no such field in a room"),
    ("history_info", {"kind": "room", "record": "Head office/0.99", "limit": None}, "There is no room"),
    ("hub_suggestion_info", {"filters": {"colour": "red"}, "sort": [], "limit": None}, "no such field in an object"),
]


@pytest.mark.parametrize(("name", "options", "words"), READ)
def test_in_check_mode_nothing_is_found_yet(name: str, options: dict[str, Any], words: str) -> None:
    found = ask(name, True, **options)
    assert (found["changed"], found["records"], found["count"]) == (False, [], 0)
    assert [words in warning for warning in found["warnings"]] == [True]


@pytest.mark.parametrize(("name", "options", "words"), READ)
def test_the_real_run_fails(name: str, options: dict[str, Any], words: str) -> None:
    found = ask(name, False, **options)
    assert found["failed"]
    assert words in found["msg"]


def test_a_download_of_a_file_that_is_to_come_is_a_change() -> None:
    options = {"uuid": None, "object": "0900001", "field": "documents", "dest": "/nowhere/manual.pdf"}
    foreseen = ask("file_download", True, **options)
    assert foreseen["changed"]
    assert foreseen["record"] == {"files": [], "dest": "/nowhere/manual.pdf"}
    assert "There is no object '0900001'" in foreseen["warnings"][0]
    assert ask("file_download", False, **options)["failed"]


def test_a_wrong_value_is_an_error_in_check_mode_too() -> None:
    assert ask("room_info", True, **{**ROOMS, "filters": {"name": {"is": "x"}}})["failed"]


@pytest.mark.parametrize("name", ["user_info", "task_info", "file_info", "rental_case_info"])
def test_a_field_that_no_definition_can_make_is_an_error_in_check_mode_too(name: str) -> None:
    assert ask(name, True, **{**ROOMS, "filters": {"surname": "x"}})["failed"]
