# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects move to a new target room, by their codes, with their room or with their person."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded
from records import name_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT, ROOM

from .working import answer_oddly, fields_of, limited, move, written

ATELIER = name_of(ROOM, building_id="Leipzig", number="3.01", name="Atelier")
FRANK = "frank.petersen@nordhain.example"


@pytest.fixture
def here() -> Embedded:
    """Return the demonstration data."""
    return Embedded.started()


def targets(here: Embedded) -> dict[str, tuple[Any, Any]]:
    """Return scan code to target room and actual room."""
    found = (record["fields"] for record in here.dump()["objects"])
    return {fields["barcode"]: (fields["target_room"], fields["actual_room"]) for fields in found}


def test_objects_get_a_new_target_room_and_keep_the_actual_one(here: Embedded) -> None:
    before = targets(here)
    planned = move(here, check_mode=True, objects=["100007", "100008"], to=ATELIER)
    assert (planned["changed"], planned["summary"]["objects"]["updated"], written(here)) == (True, 2, [])
    assert planned["changes"][0]["after"] == {"target_room": ATELIER}
    move(here, objects=["100007", "100008"], to=ATELIER)
    after = targets(here)
    atelier = after["100026"][0]
    assert after == {**before, **{code: (atelier, before[code][1]) for code in ("100007", "100008")}}
    here.log.clear()
    again = move(here, objects=["100007", "100008"], to=ATELIER)
    assert (again["changed"], written(here)) == (False, [])


def lists_read(here: Embedded) -> Counter[str]:
    """Return how often each list was read, by its name."""
    return Counter(path.rpartition("/")[2] for method, path in here.log if method == "GET")


def test_every_list_is_read_once(here: Embedded) -> None:
    options: dict[str, Any] = {"person": FRANK, "to": ATELIER}
    for check_mode in (True, False):
        here.log.clear()
        assert move(here, check_mode=check_mode, **options)["changed"]
        read = lists_read(here)
        once = dict.fromkeys(("objects", "rooms", "locations", "persons", "users"), 1)
        assert {name: read[name] for name in once} == once, read


def test_the_actual_room_moves_along_only_on_request(here: Embedded) -> None:
    result = move(here, room="Dresden/1.10", to=ATELIER, actual=True)
    assert result["summary"]["objects"]["updated"] == 5, result
    assert sorted(result["moved"]) == ["100013", "100014", "100015", "100039", "100040"]
    after = targets(here)
    assert {after[code] for code in result["moved"]} == {after["100026"]}
    again = move(here, room="Dresden/1.10", to=ATELIER, actual=True)
    assert (again["changed"], again["moved"], again["msg"]) == (False, [], "no object to move")


def test_the_objects_of_a_person_move(here: Embedded) -> None:
    scope = {"objects": {"inventory_group": ["Werkzeug"]}}
    result = move(here, person=FRANK, to="Leipzig/Archiv", scope=scope)
    assert sorted(result["moved"]) == ["100016", "100020", "100021", "100102"]
    assert result["left_out"] == []
    whole = targets(here)
    assert len({whole[code][0] for code in result["moved"]}) == 1


def test_an_object_out_of_scope_stays_and_is_named(here: Embedded) -> None:
    scope = {"objects": {"inventory_group": ["IT"]}}
    result = move(here, objects=["100007", "100101"], to=ATELIER, scope=scope)
    assert (result["moved"], result["left_out"]) == (["100007"], ["100101"])
    assert any("not in scope: 100101" in warning for warning in result["warnings"])


WORKSHOP = {
    "0.01": ATELIER,
    "Werkstatt/Werkzeuglager": "Dresden/1.10",
    "0.03": {"building_id": "Dresden", "number": "1.04"},
}
"""A new room for each room of a location, by number, by path and by name."""


@pytest.mark.parametrize("to", [ATELIER, WORKSHOP], ids=["one room", "a room for each room"])
def test_a_location_is_closed_in_one_plan(here: Embedded, to: Any) -> None:
    before = targets(here)
    result = move(here, from_location="Werkstatt", to=to)
    assert not result.get("failed"), result["msg"]
    assert result["summary"]["objects"]["updated"] == len(result["moved"]) > 10
    after = targets(here)
    assert {code for code in after if after[code] != before[code]} == {*result["moved"]}
    old, new = ({side[code][0] for code in result["moved"]} for side in (before, after))
    assert not old & {room for room, _actual in after.values()}
    assert (len(old), len(new)) == (3, 1 if to is ATELIER else 3)
    assert move(here, from_location="Werkstatt", to=to)["msg"] == "no object to move"


def test_a_location_is_not_closed_in_part(here: Embedded) -> None:
    part = {name: room for name, room in WORKSHOP.items() if name != "0.03"}
    refused = move(here, from_location="Werkstatt", to=part)
    assert refused["failed"]
    assert refused["msg"].startswith("to: no new room for the objects in Werkstatt/0.03 (")
    wrong = move(here, from_location="Werkstatt", to={**WORKSHOP, "1.04": ATELIER, "0.01": "Leipzig/9"})
    assert "to: '1.04' is no room of Werkstatt" in wrong["msg"]
    assert "there is no room 'Leipzig/9'" in wrong["msg"]
    here.call(
        "object",
        fields={"barcode": "100007", "target_room": None, "target_building": "Werkstatt"},
        match_on=["barcode"],
    )
    here.log.clear()
    without = move(here, from_location="Werkstatt", to=WORKSHOP)
    assert "no new room for the objects in no room (1)" in without["msg"]
    assert written(here) == []
    assert "100007" in move(here, from_location="Werkstatt", to=ATELIER)["moved"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"from_location": "Bonn", "to": ATELIER}, "from_location: there is no location 'Bonn'"),
        ({"objects": ["100007", "100202", "1"], "to": ATELIER}, "no object with the scan code '100202'"),
        ({"objects": ["100007"], "to": "Leipzig/9"}, "there is no room 'Leipzig/9'"),
        ({"room": "Leipzig/9", "to": ATELIER}, "room: there is no room 'Leipzig/9'"),
        ({"person": "nobody@nordhain.example", "to": ATELIER}, "there is no person"),
        ({"objects": ["100007"], "to": ATELIER, "scope": {"rooms": {}}}, "scope.rooms: expected objects"),
    ],
)
def test_what_is_not_known_moves_nothing(here: Embedded, options: dict[str, Any], words: str) -> None:
    result = move(here, **options)
    assert result["failed"]
    assert words in result["msg"]
    assert written(here) == []


def test_limits_apply(here: Embedded) -> None:
    result = move(here, room="Dresden/1.10", to=ATELIER, limits={"updates": 4})
    assert (result["failed"], result["outcome"], written(here)) == (True, "refused", [])


def test_a_protocol_is_written_for_the_owner_alone(here: Embedded, tmp_path: Path) -> None:
    paths = [tmp_path / "move.html", tmp_path / "move.csv"]
    move(here, objects=["100007"], to=ATELIER, report=[str(path) for path in paths])
    assert ATELIER in paths[1].read_text("utf-8")
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o600}


def test_an_account_that_is_limited_to_locations_hears_what_it_may_leave_behind(here: Embedded) -> None:
    account = limited(here, locations=["Leipzig"])
    unknown = move(here, objects=["100007"], to=ATELIER, **account)
    assert "this account may be limited to locations" in unknown["msg"]
    result = move(here, person="irina.sokolova@nordhain.example", to="Leipzig/Archiv", **account)
    assert result["moved"]
    assert any("Objects may have been left behind" in warning for warning in result["warnings"])
    nothing = move(here, room="Dresden/1.10", to=ATELIER, **account)
    assert nothing["msg"] == "no object to move among those that this account sees"
    assert fields_of(here, "100018")["target_room"] != fields_of(here, result["moved"][0])["target_room"]


def test_a_hidden_target_room_moves_nothing(here: Embedded) -> None:
    account = limited(here, hidden_fields=["target_room"])
    result = move(here, objects=["100007"], to=ATELIER, **account)
    assert result["failed"]
    assert "target_room" in result["msg"]
    assert written(here) == []


def test_a_location_that_stays_behind_is_no_secret(here: Embedded) -> None:
    assert not move(here, objects=["100007"], to=ATELIER).get("warnings")
    apart = Embedded.started({"room_location": "independent"})
    apart.call("object", fields={"barcode": "100008", "target_building": "Leipzig"}, match_on=["barcode"])
    result = move(apart, objects=["100007"], to=ATELIER)
    assert any("target_building may still have the earlier location" in warning for warning in result["warnings"])


@pytest.mark.parametrize(
    ("chosen_by", "key", "words"),
    [
        ({"room": "Dresden/1.10"}, "target_room", "target_room"),
        ({"person": FRANK}, "responsible_person", "responsible_person"),
    ],
)
def test_objects_in_an_unknown_form_may_be_left_behind(
    here: Embedded, monkeypatch: pytest.MonkeyPatch, chosen_by: dict[str, Any], key: str, words: str
) -> None:
    answer_oddly(monkeypatch, OBJECT, **{key: {"0": "?"}})
    result = move(here, **chosen_by, to=ATELIER)
    assert (result["changed"], result["moved"]) == (False, [])
    assert result["msg"] != "no object to move"
    (warning,) = (warning for warning in result["warnings"] if warning.startswith("Objects may have been left behind"))
    assert words in warning
    assert " is in an unknown form in " in warning
