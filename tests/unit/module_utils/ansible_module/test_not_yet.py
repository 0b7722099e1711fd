# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode continues only if an earlier task of the play may create what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import (
    Invocation,
    run_module,
)

from ..support import FakeTransport, JsonMap, answer, by_uuid, client_on, definition, listing, uuid_of

ROOM: JsonMap = {"room_uuid": uuid_of(11), "id": 11, "building_id": 1, "number": "0.12", "name": "Workshop"}


def ask(name: str, check_mode: bool, /, **options: Any) -> dict[str, Any]:
    transport = FakeTransport(
        {
            "GET /locations": listing([{"location_uuid": uuid_of(1), "id": 1, "name": "Head office"}]),
            "GET /rooms": listing([ROOM]),
            "GET /objects": listing([]),
            "GET /object/by-barcode/1": by_uuid(None),
            "GET /asset-tracking/room/field-definitions": answer(
                [definition("name"), definition("number"), definition("building_id", "LINKED_LOCATION")]
            ),
            "GET /asset-tracking/asset/field-definitions": answer(
                [definition("barcode"), definition("documents", "ATTACHMENT"), definition("place", "LINKED_ROOM")]
            ),
        }
    )
    return run_module(
        name, Invocation(options, options, check_mode), lambda _options, _check_mode: client_on(transport)
    )


ROOMS: dict[str, Any] = {"uuid": None, "sort": [], "limit": None}
READ = [
    ("room_info", {**ROOMS, "filters": {"building_id": "Depot"}}, "There is no location 'Depot'"),
    ("room_info", {**ROOMS, "filters": {"colour": "red"}}, "filters.colour: no such field in a room"),
    ("room_info", {**ROOMS, "filters": {}, "sort": ["colour"]}, "sort.colour: no such field in a room"),
    ("object_info", {**ROOMS, "filters": {"barcod": "1"}}, "filters.barcod: no such field in an object"),
    ("history_info", {"kind": "room", "record": "Head office/0.99", "limit": None}, "There is no room"),
    ("hub_suggestion_info", {"filters": {"colour": "red"}, "sort": [], "limit": None}, "no such field in an object"),
]


@pytest.mark.parametrize(("name", "options", "words"), READ)
@pytest.mark.parametrize("check_mode", [True, False])
def test_what_only_reads_fails_in_check_mode_as_in_the_real_run(
    name: str, options: dict[str, Any], words: str, check_mode: bool
) -> None:
    found = ask(name, check_mode, **options)
    assert found["failed"]
    assert words in found["msg"]


def test_a_download_of_a_file_that_is_to_come_is_a_change() -> None:
    options = {"uuid": None, "object": "0900001", "field": "documents", "dest": "/nowhere/manual.pdf"}
    foreseen = ask("file_download", True, **options)
    assert foreseen["changed"]
    assert foreseen["record"] == {"files": [], "dest": "/nowhere/manual.pdf"}
    assert "There is no object '0900001'" in foreseen["warnings"][0]
    assert ask("file_download", False, **options)["failed"]


@pytest.mark.parametrize("state", ["present", "absent"])
def test_a_file_in_a_field_that_is_to_come_is_a_change(tmp_path: Path, state: str) -> None:
    (tmp_path / "manual.pdf").write_bytes(b"text")
    named = {"object": "0900001", "room": None, "person": None, "field": "manuals"}
    options = {**named, "path": str(tmp_path / "manual.pdf"), "name": None, "uuid": None, "state": state}
    foreseen = ask("file", True, **options)
    assert foreseen["changed"] is (state == "present")
    assert foreseen["diff"]["after"] == ({"manuals": [options["path"]]} if state == "present" else {})
    assert "manuals: no such field in an object" in foreseen["warnings"][0]
    assert ask("file", False, **options)["failed"]


def test_a_wrong_value_is_an_error_in_check_mode_too() -> None:
    assert ask("room_info", True, **{**ROOMS, "filters": {"name": {"is": "x"}}})["failed"]


@pytest.mark.parametrize("name", ["user_info", "task_info", "file_info", "rental_case_info"])
def test_a_field_that_no_definition_can_make_is_an_error_in_check_mode_too(name: str) -> None:
    assert ask(name, True, **{**ROOMS, "filters": {"surname": "x"}})["failed"]


@pytest.mark.parametrize("empty", [None, ""])
def test_the_uuid_of_a_record_to_come_is_empty_on_every_ansible_core(empty: str | None) -> None:
    options = {**WRITTEN, "fields": {"number": "0.13"}, "uuid": empty}
    predicted = ask("room", True, **options)
    assert predicted["changed"]
    assert predicted["diff"] == {"before": {}, "after": {"number": "0.13"}}
    assert "uuid is empty" in predicted["warnings"][0]


@pytest.mark.parametrize("empty", [None, ""])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("field_definition", {"template": "asset", "field_key": "", "label": None, "uuid": None, "comment": "x"}),
        ("file", {"object": "1", "room": None, "person": None, "field": "documents", "path": None, "name": None}),
        ("file_download", {"object": None, "field": None, "dest": "/nowhere/manual.pdf"}),
    ],
)
def test_the_mark_of_a_field_or_file_to_come_is_empty(name: str, options: dict[str, Any], empty: str | None) -> None:
    mark = "field_key" if name == "field_definition" else "uuid"
    options = {"state": "present", **options, mark: empty}
    written = {option: value for option, value in options.items() if value is not None or option == mark}
    client = client_on(FakeTransport({}))
    predicted = run_module(name, Invocation(options, written, True), lambda _options, _check_mode: client)
    assert predicted["changed"], predicted
    assert f"{mark} is empty" in predicted["warnings"][0]
    assert run_module(name, Invocation(options, written, False), lambda _options, _check_mode: client)["failed"]


def test_an_empty_text_is_no_uuid_in_a_real_run() -> None:
    assert "uuid: '' is not in uuid form" in ask("room", False, **WRITTEN, fields={"number": "0.13"}, uuid="")["msg"]


# ---- names that an earlier task of the play may create


WRITTEN: dict[str, Any] = {"match_on": None, "state": "present", "allow_unknown_fields": False}
TO_COME: list[tuple[str, dict[str, Any], str]] = [
    ("object", {"fields": {"barcode": "1", "documens": []}}, "fields.documens: no such field"),
    ("room", {"fields": {"building_id": "Hed office", "number": "1"}}, "There is no location 'Hed office'"),
    ("room", {"fields": {"building_id": {"nam": "Head office"}, "number": "1"}}, "nam: no such field in a location"),
    ("object", {"fields": {"barcode": "1", "place": "Hed office/0.13"}}, "There is no room 'Hed office/0.13'"),
    ("object", {"fields": {"barcode": "1", "Shelf mark": "A"}}, "fields.Shelf mark: no such field"),
    ("room", {"fields": {"building_id": "Depot", "number": "1"}}, "There is no location 'Depot'"),
    ("room", {"fields": {"building_id": "Head office 2", "number": "1"}}, "There is no location 'Head office 2'"),
    ("object", {"fields": {"barcode": "1", "place": "Head office/0.13"}}, "There is no room 'Head office/0.13'"),
    ("object", {"fields": {"barcode": "1", "place": "Depot/Workshop"}}, "There is no room 'Depot/Workshop'"),
    ("file", {"object": "1", "field": "Manuals", "path": None, "uuid": uuid_of(5)}, "field: Manuals"),
    ("file_download", {"object": "1", "field": "Manuals", "dest": "/tmp/x", "uuid": None}, "field: Manuals"),
]


@pytest.mark.parametrize(("name", "options", "words"), TO_COME)
def test_what_an_earlier_task_may_make_is_a_warning(name: str, options: dict[str, Any], words: str) -> None:
    predicted = ask(name, True, **{**WRITTEN, **options})
    assert predicted["changed"]
    assert any(words in warning for warning in predicted["warnings"])
    assert words in ask(name, False, **{**WRITTEN, **options})["msg"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_record_in_a_missing_place_counts_as_absent(check_mode: bool) -> None:
    options = {**WRITTEN, "fields": {"building_id": "Hed office", "number": "1"}, "state": "absent"}
    assert not ask("room", check_mode, **options)["changed"]


def test_the_warning_about_an_unknown_field_names_the_closest_one() -> None:
    predicted = ask("object", True, **WRITTEN, fields={"barcode": "1", "documens": []})
    (warning,) = predicted["warnings"]
    assert "; did you mean documents or Documents? So the real run fails unless" in warning
