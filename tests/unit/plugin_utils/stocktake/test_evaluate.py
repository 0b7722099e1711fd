# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of every object follows from both rooms, and only lists are requested."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from embedded_here import Embedded
from emulator_process import Emulator

from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import Kind
from ansible_collections.community.seventhings.plugins.plugin_utils.stocktake.evaluation import differs

from .taking import ATELIER, IT, NOVEMBER, STORE, by_code, take, take_from


@pytest.fixture
def here() -> Embedded:
    """Return the instance on the day after its stocktake."""
    return Embedded.started(data="stocktake")


@pytest.mark.parametrize(
    ("status", "reported", "is_other"),
    [
        ("ok", "ok", False),
        ("ok", "OK", False),
        ("ok", "missing", True),
        ("deviation", "Abweichung", False),
        ("missing", " Fehlend ", False),
        ("new", "Unbekannt", True),
        ("ok", True, False),
        ("unknown", True, False),
        ("deviation", False, False),
        ("deviation", True, True),
        ("ok", None, False),
        ("ok", "green", False),
    ],
)
def test_the_status_of_the_service_is_only_compared(status: str, reported: Any, is_other: bool) -> None:
    assert differs(status, reported) is is_other


def test_every_status_is_counted(here: Embedded) -> None:
    result = take(here, **NOVEMBER)
    assert result["counts"] == {"ok": 46, "deviation": 5, "missing": 7, "new": 1, "unknown": 1}
    found = by_code(result)
    expected = {
        "100017": ("ok", IT, IT, "in_place"),
        "100018": ("deviation", IT, ATELIER, "elsewhere"),
        "100019": ("missing", IT, None, "not_scanned"),
        "100020": ("new", None, STORE, "elsewhere"),
        "IMP-000002": ("unknown", None, None, "not_scanned"),
    }
    for code, (status, target, actual, scanned) in expected.items():
        item = found[code]
        assert (item["status"], item["target_room"], item["actual_room"], item["scanned"]) == (
            status,
            target,
            actual,
            scanned,
        ), code
        assert item["service_status"] is None
    assert result["changed"] is False
    assert sum(result["scanned"].values()) == sum(result["counts"].values()) == len(result["objects"])


def test_requests_are_the_lists_and_nothing_else(here: Embedded, tmp_path: Path) -> None:
    reports = [str(tmp_path / f"report.{ending}") for ending in ("html", "csv", "xlsx", "json")]
    result = take(here, **NOVEMBER, placeholder_rooms=["Dresden/000"], report=reports)
    # Lists are read in parallel, in any order.
    assert sorted(f"{method} {path.rsplit('/', 1)[1]}" for method, path in here.log) == [
        # Lists of definitions have no documented pages, so a second request proves that this list is complete.
        "GET field-definitions",
        "GET field-definitions",
        "GET locations",
        "GET objects",
        "GET rooms",
        "POST auth_token",
    ]
    assert result["requests"] == len(here.log)


def _place(room: str) -> tuple[str, str]:
    """Return the location and the room of the name of a room."""
    location, _slash, label = room.partition("/")
    return location, label


def test_places_have_their_counts_values_and_visitors(here: Embedded) -> None:
    result = take(here)
    places = {(place["location"], place["room"]): place for place in result["by_place"]}
    leipzig = places[_place(ATELIER)]
    assert (leipzig["visitors"], places["Leipzig", None]["visitors"], places["Dresden", None]["visitors"]) == (1, 1, 0)
    own = [record for record in result["objects"] if record["target_room"] == IT]
    office = places[_place(IT)]
    assert sum(office[status] for status in result["counts"]) == len(own) == 6
    assert office["amounts"]["purchasing_price"] == "3494.00"
    rooms = [place for (location, room), place in places.items() if location == "Dresden" and room]
    assert sum(room["ok"] for room in rooms) == places["Dresden", None]["ok"]
    # A new object counts in its actual room. An object without either room counts in no place.
    assert places[_place(STORE)]["new"] == 1
    assert places[None, None]["unknown"] == 1
    assert result["amounts"] == {"purchasing_price": "530999.90"}


def test_an_object_in_its_room_that_nobody_scanned_is_reported(here: Embedded) -> None:
    result = take(here, since="2025-12-01")
    assert result["counts"]["ok"] == 46
    assert result["scanned"] == {"in_place": 0, "elsewhere": 0, "not_scanned": 60, "unlabelled": 0}


@pytest.mark.parametrize(
    ("window", "number"),
    [
        ({"since": "2025-11-17", "until": "2025-11-17"}, 46),
        ({"until": "2025-11-16"}, 0),
        ({"since": "2025-11-17T08:30:00Z"}, 46),
        ({"since": "2025-11-17T09:30:00+01:00", "until": "17.11.2025 09:00"}, 46),
        ({"since": "2025-11-17T08:30:01"}, 0),
        ({"since": "2025-11-10", "time_field": "Last scan"}, 46),
    ],
)
def test_a_window_has_both_of_its_ends(here: Embedded, window: dict[str, Any], number: int) -> None:
    assert take(here, **window)["scanned"]["in_place"] == number


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"since": "soon"}, "since: 'soon' does not fit; expected a day such as 2025-11-17"),
        ({"since": "2025-12-01", "until": "2025-11-01"}, "until: '2025-11-01' is before since"),
        (
            {"time_field": "inventory_tme"},
            "time_field: inventory_tme: no such field in an object; did you mean inventory",
        ),
        ({"time_field": "inventory_name"}, "time_field: inventory_name is of the type TEXT; expected DATETIME or DATE"),
        ({"placeholder_rooms": ["Dresden/9.99"]}, "placeholder_rooms[0]: there is no room 'Dresden/9.99'"),
        ({"scope": {"rooms": {"name": "x"}}}, "scope.rooms: expected objects, and no other section"),
        ({"scope": {"objects": {"grup": "IT"}}}, "scope.objects.grup: no such field in an object"),
        ({"report": ["report.pdf"]}, "report: report.pdf ends in .pdf; expected .csv or .html or .json or .xlsx"),
        ({"report": ["missing/report.csv"]}, "report: missing/report.csv can't be written"),
        ({"accept": [1]}, "accept: 1 does not fit; expected scan codes in quotes, or the path of a table"),
        ({"accept": ""}, "accept: '' does not fit; expected scan codes in quotes, or the path of a table"),
        ({"accept": {"encoding": "cp1252"}}, "accept.files: "),
        ({"scans": "scans.txt"}, "scans: scans.txt ends in .txt; expected .csv or .xlsx"),
        ({"scans": "scans.csv"}, "scans: scans.csv: "),
    ],
)
def test_an_option_that_does_not_fit_is_refused(here: Embedded, options: dict[str, Any], words: str) -> None:
    result = take(here, **options)
    assert result["failed"]
    assert result["msg"].startswith(words)


def test_a_scope_bounds_what_is_evaluated(here: Embedded) -> None:
    result = take(here, scope={"objects": {"inventory_group": ["IT", "Fuhrpark"], "target_room": "Dresden/1.04"}})
    assert {*by_code(result)} == {"100017", "100018", "100019", "100034", "100035", "100042"}


@pytest.mark.parametrize("name", ["instance.yml", "instance.yaml"])
def test_objects_without_a_label_are_to_be_confirmed_by_hand(here: Embedded, tmp_path: Path, name: str) -> None:
    settings = "api: seventhings/v1\nvariables: {prefix: {default: IMP}}\n"
    settings += 'scan_codes: {field: barcode, placeholder: "${prefix}-"}\n'
    (tmp_path / name).write_text(settings, "utf-8")
    rooms = ["Dresden/000", "Dresden/Lizenzen"]
    result = take(here, **NOVEMBER, src=str(tmp_path), placeholder_rooms=rooms)
    assert result["unlabelled"] == ["IMP-000001", "IMP-000002", "IMP-000003", "999001", "999002"]
    assert result["scanned"] == {"in_place": 46, "elsewhere": 6, "not_scanned": 3, "unlabelled": 5}


@pytest.mark.parametrize("text", ["{placeholder: I}", "{placeholder: IMP-0}", "{field: 1}", "[IMP-]", "IMP-"])
def test_scan_codes_that_are_wrong_are_refused_with_their_place(here: Embedded, tmp_path: Path, text: str) -> None:
    (tmp_path / "instance.yml").write_text(f"api: seventhings/v1\nscan_codes: {text}\n", "utf-8")
    result = take(here, mode="prepare", src=str(tmp_path))
    assert result["failed"]
    assert result["findings"][0].startswith("instance.yml:2:")


def test_an_unknown_time_zone_is_refused(here: Embedded, tmp_path: Path) -> None:
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\ntimezone: Nowhere/X\n", "utf-8")
    result = take(here, src=str(tmp_path))
    assert result["failed"]
    assert result["findings"][0].startswith("instance.yml:2:11: timezone: 'Nowhere/X' is not known")


def test_before_a_stocktake_objects_to_check_are_listed(here: Embedded, tmp_path: Path) -> None:
    single = tmp_path / "acme.yml"
    single.write_text('instance: {api: seventhings/v1, scan_codes: {field: barcode, placeholder: "IMP-"}}\n', "utf-8")
    result = take(here, mode="prepare", src=str(single), placeholder_rooms=["Dresden/001"])
    assert {code: item["reasons"] for code, item in by_code(result).items()} == {
        "100020": ["no_target_room"],
        "IMP-000001": ["placeholder"],
        "IMP-000002": ["placeholder", "no_target_room"],
        "IMP-000003": ["placeholder"],
        "999002": ["placeholder_room"],
    }
    assert result["reasons"] == {"placeholder": 3, "no_target_room": 2, "placeholder_room": 1}
    assert "warnings" not in result


def test_a_preparation_without_placeholders_says_so(here: Embedded) -> None:
    result = take(here, mode="prepare")
    (warning,) = result["warnings"]
    assert warning.startswith("No placeholder of scan codes is known, so none is found: name in src")


def test_a_status_of_the_service_that_differs_is_reported(here: Embedded) -> None:
    client = here.client()
    listed = client.list_all

    def altered(kind: Kind, *given: Any, **more: Any) -> list[Record]:
        records = listed(kind, *given, **more)
        changed = [{**record.flat, "status": "missing"} for record in records if record.flat.get("barcode") == "100017"]
        return [record for record in records if record.flat.get("barcode") != "100017"] + [
            Record.from_flat(kind, flat) for flat in changed
        ]

    with mock.patch.object(client, "list_all", altered):
        result = take(here, client=client)
    assert by_code(result)["100017"]["service_status"] == "missing"
    assert by_code(result)["100017"]["status"] == "ok"
    (warning,) = result["warnings"]
    assert warning.startswith("The service reports another status for 1 object than")


# ---- what the account sees


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    """Return the instance on a working day, in a process of its own."""
    emulator.reset(sign_out=True)
    return emulator


def _signed_in(service: Emulator, **rights: Any) -> dict[str, Any]:
    user = service.steer("POST", "/users", rights)
    return {"username": user["username"], "password": user["password"]}


@pytest.mark.parametrize("field", ["actual_room", "target_room", "barcode"])
def test_nothing_is_evaluated_if_a_field_that_decides_is_hidden(service: Emulator, field: str) -> None:
    result = take_from(service, **_signed_in(service, hidden_fields=[field]))
    assert result["failed"]
    assert field in result["msg"]
    assert "no status can be computed" in result["msg"]


def test_a_window_needs_a_time_that_the_account_sees(service: Emulator) -> None:
    account = _signed_in(service, hidden_fields=["inventory_time"])
    refused = take_from(service, since="2025-11-01", **account)
    assert refused["failed"]
    assert refused["msg"].startswith("time_field: ")
    allowed = take_from(service, **account)
    assert allowed["warnings"] == ["This account sees no time of a scan, so every object counts as not scanned."]


def test_the_report_says_what_an_account_sees_that_is_limited_to_locations(service: Emulator) -> None:
    locations = service.steer("GET", "/dump")["locations"]
    uuid = next(location["uuid"] for location in locations if location["fields"]["name"] == "Leipzig")
    result = take_from(service, **_signed_in(service, locations=[uuid]))
    assert not result.get("failed"), result
    assert result["sees"]["hidden_records"] == "unknown"
    assert result["sees"]["locations_without_objects"] == ["4010", "Dresden", "Werkstatt"]
    assert (
        "it sees no object that belongs in 4010, Dresden, Werkstatt and was scanned there; scan one in each"
        in result["msg"]
    )
    whole = take_from(service)
    assert whole["sees"]["hidden_records"] == "no"
    assert whole["sees"]["objects"] == sum(whole["counts"].values()) > result["sees"]["objects"]
