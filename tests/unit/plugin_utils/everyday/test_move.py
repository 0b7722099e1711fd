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

from .working import answer_oddly, move

ATELIER = name_of(ROOM, building_id="Leipzig", number="3.01", name="Atelier")
FRANK = "frank.petersen@nordhain.example"


@pytest.fixture
def here() -> Embedded:
    """Return the demonstration data."""
    return Embedded.started()


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


def test_a_protocol_is_written_for_the_owner_alone(here: Embedded, tmp_path: Path) -> None:
    paths = [tmp_path / "move.html", tmp_path / "move.csv"]
    move(here, objects=["100007"], to=ATELIER, report=[str(path) for path in paths])
    assert ATELIER in paths[1].read_text("utf-8")
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o600}


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
