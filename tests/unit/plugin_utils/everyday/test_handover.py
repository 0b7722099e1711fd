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

from .working import answer_oddly, hand, written

pytestmark = pytest.mark.slow

BERND = "bernd.kowalski@nordhain.example"
DAVID = "david.okafor@nordhain.example"
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


def test_the_user_of_a_person_keeps_its_tasks_if_the_address_of_the_person_changes(here: Embedded) -> None:
    before = hand(here, person=BERND)
    here.call("person", fields={"email": "b.k@nordhain.example"}, uuid=before["person"]["uuid"])
    result = hand(here, person="b.k@nordhain.example")
    assert (result["tasks"], result["is_clear"]) == (before["tasks"], False)


def test_a_user_that_no_list_shows_leaves_a_doubt(here: Embedded, monkeypatch: pytest.MonkeyPatch) -> None:
    (person,) = (person for person in here.client().list_all(PERSON) if person.flat["email"] == BERND)
    hand(here, person=BERND, to=DAVID)
    answer_oddly(monkeypatch, PERSON, user_uuid="5a5e0000-0000-4000-8000-00000000000f", email="b.k@nordhain.example")
    result = hand(here, person=person.uuid, require_clear=True)
    assert (result.get("failed"), result["is_clear"]) == (True, False)
    assert "users could not be read: no list shows the user of this person" in result["msg"]


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


def test_the_sheet_of_a_handover_that_failed_in_part_stays(here: Embedded, tmp_path: Path) -> None:
    sheet = tmp_path / "bernd.json"
    here.fault("422", method="PATCH", path="/object/*", after=2, times=1)
    assert hand(here, person=BERND, to=DAVID, sheet=str(sheet))["failed"]
    whole = sheet.read_text("utf-8")
    planned = hand(here, check_mode=True, person=BERND, to=DAVID, sheet=str(sheet))
    assert f"sheet: {sheet} exists and was kept; name another file for the rest." in planned["warnings"]
    result = hand(here, person=BERND, to=DAVID, sheet=str(sheet))
    assert (result["is_clear"], result["warnings"]) == (True, planned["warnings"])
    assert sheet.read_text("utf-8") == whole
    assert "warnings" not in hand(here, person=BERND, to=DAVID, sheet=str(sheet))


@pytest.mark.parametrize("name", ["bernd.txt", "pipe.html", "missing/bernd.html"])
def test_a_sheet_is_a_page(here: Embedded, tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe.html")
    result = hand(here, person=BERND, sheet=str(tmp_path / name))
    assert result["failed"]
    assert result["msg"].startswith(f"sheet: {tmp_path / name} ")
    assert here.log == []


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
    """Then the user of the person is unknown, and so are the rental cases and tasks, unless the person names it."""
    (person,) = (person for person in here.client().list_all(PERSON) if person.flat["email"] == BERND)
    hand(here, person=BERND, to=DAVID)
    answer_oddly(monkeypatch, kind, email=["?"])
    assert hand(here, person=person.uuid)["is_clear"]
    answer_oddly(monkeypatch, PERSON, user_uuid=None)
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
