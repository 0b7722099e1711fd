# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A handover names everything of a person, writes a sheet to sign, and gives all of it to another person."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded
from records import name_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    OBJECT,
    PERSON,
    RENTAL_CASE,
    ROOM,
    TASK,
    USER,
    Kind,
)

from .working import answer_oddly, hand, limited, move, written

BERND = "bernd.kowalski@nordhain.example"
DAVID = "david.okafor@nordhain.example"
GRETA = "greta.novak@nordhain.example"
STORE = name_of(ROOM, building_id="Werkstatt", number="0.02", name="Werkzeuglager")
OBJECTS = ["100023", "100025", "100041", "100101", "100103", "100104"]


@pytest.fixture
def here() -> Embedded:
    """Return the demonstration data."""
    return Embedded.started()


def test_everything_of_a_person_is_named(here: Embedded) -> None:
    result = hand(here, person=BERND)
    assert not result["changed"]
    assert [record["scan_code"] for record in result["objects"]] == OBJECTS
    assert [case["title"] for case in result["rental_cases"]] == ["Akkubohrer für die Messe", "Kamera für den Katalog"]
    assert [task["title"] for task in result["tasks"]] == ["Formatkreissäge warten", "Akkus bestellen"]
    assert result["objects"][0]["target_room"] == STORE
    assert (result["is_clear"], written(here)) == (False, [])


def test_all_of_it_goes_to_another_person_and_a_second_run_is_unchanged(here: Embedded) -> None:
    planned = hand(here, check_mode=True, person=BERND, to=DAVID)
    updated = {section: counts["updated"] for section, counts in planned["summary"].items()}
    assert updated == {"objects": 6, "rental_cases": 2, "tasks": 2}
    assert (planned["changed"], written(here)) == (True, [])
    done = hand(here, person=BERND, to=DAVID)
    assert (done["changed"], done["is_clear"]) == (True, True), done
    here.log.clear()
    again = hand(here, person=BERND, to=DAVID, require_clear=True)
    assert (again["changed"], again["is_clear"], again["objects"], written(here)) == (False, True, [], [])
    theirs = {record["scan_code"] for record in hand(here, person=DAVID)["objects"]}
    assert theirs.issuperset(OBJECTS)


def test_a_person_who_still_has_things_is_not_to_be_removed(here: Embedded) -> None:
    result = hand(here, person=GRETA, require_clear=True)
    assert result["failed"]
    assert "still has 4 things" in result["msg"]
    assert written(here) == []


def test_a_successor_who_is_no_user_gets_no_tasks(here: Embedded) -> None:
    result = hand(here, person=BERND, to=GRETA)
    assert result["failed"]
    assert "user_from_person" in result["msg"]
    assert written(here) == []


def test_a_person_hands_nothing_over_to_themselves(here: Embedded) -> None:
    result = hand(here, person=BERND, to=BERND.upper())
    assert result["failed"]
    assert "expected another person" in result["msg"]


def test_objects_out_of_scope_stay_with_the_person(here: Embedded) -> None:
    scope = {"objects": {"inventory_group": ["Maschinen"]}}
    result = hand(here, person=BERND, to=DAVID, scope=scope)
    assert result["summary"]["objects"]["updated"] == 3
    assert (result["is_clear"], "3 objects are not in scope" in result["msg"]) == (False, True)
    refused = hand(here, person=BERND, require_clear=True)
    assert refused["failed"]


def test_the_sheet_is_escaped_prints_on_a4_and_is_for_the_owner_alone(here: Embedded, tmp_path: Path) -> None:
    here.call(
        "object", fields={"barcode": "100023", "inventory_name": "<script>alert(1)</script>"}, match_on=["barcode"]
    )
    sheet = tmp_path / "bernd.html"
    hand(here, check_mode=True, person=BERND, to=DAVID, sheet=str(sheet))
    assert not sheet.exists()
    hand(here, person=BERND, to=DAVID, sheet=str(sheet))
    page = sheet.read_text("utf-8")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "size: A4" in page
    assert all(words in page for words in ("Handed over by", "Received by", "100101", "Akkus bestellen", DAVID))
    assert sheet.stat().st_mode & 0o777 == 0o600
    hand(here, person=BERND, to=DAVID, sheet=str(sheet))
    assert sheet.read_text("utf-8") == page, "what was handed over is not replaced by an empty sheet"


@pytest.mark.parametrize("name", ["bernd.txt", "pipe.html", "missing/bernd.html"])
def test_a_sheet_is_a_page(here: Embedded, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe.html")
    result = hand(here, person=BERND, sheet=str(tmp_path / name))
    assert result["failed"]
    assert result["msg"].startswith(f"sheet: {tmp_path / name} ")
    assert here.log == []


def test_limits_apply(here: Embedded) -> None:
    result = hand(here, person=BERND, to=DAVID, limits={"updates": 5})
    assert (result["failed"], result["outcome"], result["is_clear"]) == (True, "refused", False)
    assert written(here) == []


def test_an_account_that_is_limited_to_locations_never_clears_a_person(here: Embedded) -> None:
    account = limited(here, locations=["Leipzig"])
    result = hand(here, person=BERND, **account)
    assert result["objects"] == []
    assert not result["is_clear"]
    assert "nothing proves that this account sees all objects" in result["msg"]
    refused = hand(here, person="elif.yildiz@nordhain.example", require_clear=True, **account)
    assert refused["failed"]
    assert "must not be removed" in refused["msg"] or "still has" in refused["msg"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("to", [None, DAVID])
def test_a_handover_warns_of_what_the_account_may_not_see(here: Embedded, to: str | None, check_mode: bool) -> None:
    account = limited(here, locations=["Leipzig"])
    result = hand(here, check_mode=check_mode, person=BERND, to=to, **account)
    (warning,) = result["warnings"]
    assert warning.startswith(
        "Bernd Kowalski (bernd.kowalski@nordhain.example) may have more than this: nothing proves"
    )
    assert warning.endswith("it sees none in 4010, Dresden, Werkstatt.")
    assert "warnings" not in hand(here, check_mode=True, person=GRETA)


def test_a_hidden_field_of_persons_is_no_empty_one(here: Embedded) -> None:
    account = limited(here, hidden_fields=["responsible_person"])
    for result in (hand(here, person=BERND, **account), move(here, person=BERND, to="Leipzig/3.01", **account)):
        assert result["failed"]
        assert "responsible_person" in result["msg"]


def test_a_list_that_can_not_be_read_leaves_a_doubt(here: Embedded) -> None:
    here.fault("403", path="*/rental-cases", times=100)
    result = hand(here, person=BERND)
    assert not result["is_clear"]
    assert "rental cases could not be read" in result["msg"]


@pytest.mark.parametrize(
    ("kind", "key", "plural"),
    [(OBJECT, "responsible_person", "objects"), (RENTAL_CASE, "renter", "rental cases"), (TASK, "assignees", "tasks")],
    ids=["objects", "rental cases", "tasks"],
)
def test_people_in_an_unknown_form_leave_a_doubt(
    here: Embedded, monkeypatch: pytest.MonkeyPatch, kind: Kind, key: str, plural: str
) -> None:
    hand(here, person=BERND, to=DAVID)
    answer_oddly(monkeypatch, kind, **{key: {"0": "?"}})
    result = hand(here, person=BERND, require_clear=True)
    assert (result.get("failed"), result["is_clear"]) == (True, False)
    assert f"{plural} could not be read: the people of " in result["msg"]
    assert " of them are in an unknown form" in result["msg"]


@pytest.mark.parametrize("kind", [PERSON, USER], ids=["person", "users"])
def test_an_email_in_an_unknown_form_leaves_a_doubt(
    here: Embedded, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    """Then the user of the person is unknown, and so are the rental cases and tasks."""
    (person,) = (person for person in here.client().list_all(PERSON) if person.flat["email"] == BERND)
    hand(here, person=BERND, to=DAVID)
    answer_oddly(monkeypatch, kind, email=["?"])
    result = hand(here, person=person.uuid, require_clear=True)
    assert (result.get("failed"), result["is_clear"]) == (True, False)
    assert "users could not be read: an e-mail address is in an unknown form" in result["msg"]


@pytest.mark.parametrize("status", ["halfway", 3, None, {"de": "offen"}], ids=str)
@pytest.mark.parametrize("kind", [RENTAL_CASE, TASK], ids=["rental cases", "tasks"])
def test_what_has_an_unknown_status_is_not_handed_over(
    here: Embedded, monkeypatch: pytest.MonkeyPatch, kind: Kind, status: Any
) -> None:
    """It may be finished, and then it is history."""
    answer_oddly(monkeypatch, kind, status=status)
    result = hand(here, person=BERND, to=DAVID, require_clear=True)
    assert (result["failed"], result["is_clear"]) == (True, False)
    assert result[kind.section], "it may be open, so it is shown"
    assert f"{kind.plural}: " in result["msg"]
    assert " of them have an unknown status" in result["msg"]
    assert not any(kind.item_path.partition("{")[0] in path for _method, path in written(here))
