# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The demonstration data: one company, before and after a stocktake."""

from __future__ import annotations

from typing import Any

import pytest

from .support import Api, Steering, running

TARGET, ACTUAL = "target_room", "actual_room"
AFTER = {
    "100017": ("1.04", "1.04", "ok"),
    "100018": ("1.04", "3.01", "deviation"),
    "100019": ("1.04", None, "missing"),
    "100020": (None, "0.02", "new"),
    "IMP-000001": ("0.12", None, "missing"),
    "IMP-000002": (None, None, "unknown"),
    "999001": ("000", None, "missing"),
    "999002": ("001", None, "missing"),
    "100101": ("0.01", "0.01", "ok"),
    "100102": ("0.02", "0.02", "ok"),
    "100201": ("3.02", "3.02", "ok"),
}
"""Scan code to the numbers of the target room and the actual room, and the status, after the stocktake."""


@pytest.fixture(scope="module")
def states() -> dict[str, Any]:
    """Return the whole state of both data sets."""
    found = {}
    for data in ("demo", "stocktake"):
        with running(data=data) as service:
            found[data] = Steering(service.about).dump()
    return found


def objects(state: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {record["fields"]["barcode"]: record for record in state["objects"]}


def number(state: dict[str, Any], room: str | None) -> str | None:
    return next((candidate["fields"]["number"] for candidate in state["rooms"] if candidate["uuid"] == room), None)


def test_after_the_stocktake(states: dict[str, Any]) -> None:
    state = states["stocktake"]
    found = objects(state)
    for code, expected in AFTER.items():
        fields = found[code]["fields"]
        assert (number(state, fields[TARGET]), number(state, fields[ACTUAL]), fields["status"]) == expected, code
        was_scanned = fields["inventory_time"] is not None and fields["inventory_time"].startswith("2025-11-17")
        assert was_scanned == (fields[ACTUAL] is not None), code


def test_before_the_stocktake_the_rooms_are_those_of_the_last_one(states: dict[str, Any]) -> None:
    found = objects(states["demo"])
    assert {found[code]["fields"]["status"] for code in ("100017", "100018", "100019")} == {"ok"}
    times = {record["fields"]["inventory_time"] for record in found.values()} - {None}
    assert [time[:10] for time in times] == ["2024-11-18"]


def test_a_stocktake_changes_actual_rooms_and_scans_alone(states: dict[str, Any]) -> None:
    before, after = states["demo"], states["stocktake"]
    of_scans = {ACTUAL, "actual_building", "status", "inventory_time", "scan_time", "inventory_user"}
    assert {kind: records for kind, records in before.items() if kind != "objects"} == {
        kind: records for kind, records in after.items() if kind != "objects"
    }
    for code, record in objects(before).items():
        other = objects(after)[code]
        assert record["uuid"] == other["uuid"]
        different = {key for key, value in record["fields"].items() if other["fields"][key] != value}
        assert different <= of_scans, code


def test_what_a_firm_has(states: dict[str, Any]) -> None:
    state = states["demo"]
    found = objects(state)
    assert 55 <= len(found) <= 65
    assert {record["fields"]["name"] for record in state["locations"]} == {"Dresden", "Werkstatt", "Leipzig", "4010"}
    assert {"A 366", "A366"} <= {record["fields"]["number"] for record in state["rooms"]}
    assert {record["fields"]["status"] for record in found.values()} == {"ok", "deviation", "missing", "new", "unknown"}
    assert [code for code, record in found.items() if record["archived"]] == ["100202"]
    assert not [code for code in found if not (code.isdecimal() or code.startswith("IMP-"))]


def test_a_reset_goes_back_to_the_state_that_was_chosen() -> None:
    with running(data="stocktake") as service:
        steering = Steering(service.about)
        api = Api(service.about, steering)
        api.sign_in()
        before = steering.dump()
        steering.call("POST", "/scan", {"code": "100019", "room": "Dresden/1.04"})
        assert steering.dump() != before
        steering.call("POST", "/reset")
        assert steering.dump() == before
