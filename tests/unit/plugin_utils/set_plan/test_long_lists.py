# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A very long list is stored compressed, and the plan is the same."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from instance_site import SETTINGS, Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.client import paging
from ansible_collections.community.seventhings.plugins.module_utils.client.rows import CompressedPage, Flat
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import LOCATION, OBJECT, ROOM
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.listed_state import ListedState

_PLACES = {
    "locations.yml": yaml_list([{"name": "Berlin"}]),
    "rooms.yml": yaml_list([{"building_id": "Berlin", "number": name} for name in ("One", "Two")]),
}


def _objects(order: random.Random, **more: object) -> str:
    """Return forty objects in any order, each with further fields."""
    rows = [{"barcode": f"A{number:04}", "inventory_name": f"Thing {number}", **more} for number in range(40)]
    order.shuffle(rows)
    return yaml_list(rows)


@pytest.fixture
def stored(site: Site) -> Site:
    """Create forty objects in a room, two of which nobody manages."""
    more = yaml_list([{"barcode": f"B{number}", "inventory_name": "Other"} for number in range(2)])
    site.write({**_PLACES, "objects.yml": _objects(random.Random(1), target_room="Berlin/One") + more})
    ran = site.run()
    assert ran.outcome == "changed", ran.findings
    return site


def _files(order: random.Random) -> list[dict[str, str]]:
    """Return the next version of the files."""
    same = _objects(order, target_room="Berlin/One")
    return [
        {"objects.yml": same},
        {"objects.yml": _objects(order, target_room="Berlin/Two")},
        {"objects.yml": same.replace("Thing 7", "Thing 8").replace("A0003", "A0300")},
        {
            "objects.yml": same.replace("A0003", "A0300"),
            "moved.yml": 'objects: [{"from": {"barcode": "A0003"}, "to": {"barcode": "A0300"}}]\n',
        },
        {"objects.yml": same + yaml_list([{"barcode": "B0", "_state": "archived"}])},
        {"instance.yml": f"{SETTINGS}identity: {{objects: [inventory_name]}}\n", "objects.yml": same},
        {"instance.yml": f"{SETTINGS}scope: {{objects: {{target_room: Berlin/Two}}}}\n", "objects.yml": same},
        # Unchanged objects are in the removed room.
        {"rooms.yml": yaml_list([{"building_id": "Berlin", "number": "One", "_state": "absent"}])},
    ]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[CompressedPage]:
    """Return a list that collects the pages that are opened, in order."""
    pages: list[CompressedPage] = []
    unpack = CompressedPage.open

    def note(page: CompressedPage) -> Sequence[Flat]:
        pages.append(page)
        return unpack(page)

    monkeypatch.setattr(CompressedPage, "open", note)
    return pages


@pytest.mark.sample(3)
@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_the_plan_is_the_same(
    stored: Site, monkeypatch: pytest.MonkeyPatch, opened: list[CompressedPage], number: int
) -> None:
    stored.write(_files(random.Random(number))[number])
    plain = stored.plan()
    monkeypatch.setattr(paging, "_MANY", 0)
    compressed = stored.plan()
    times = {"duration": plain.duration, "made_by": plain.made_by}
    assert {**compressed.document(), **times} == plain.document()
    assert opened
    assert (plain.outcome == "unchanged") == (number in (0, 5))


_TABLE = "barcode,inventory_name,serial_number\n" + "".join(f"A{number:04},Thing {number},\n" for number in range(40))


def test_what_is_as_it_was_written_is_read_once(
    stored: Site, monkeypatch: pytest.MonkeyPatch, opened: list[CompressedPage]
) -> None:
    (stored.root / "objects.yml").unlink()
    stored.write({"objects.csv": _TABLE.replace("A0007,Thing 7,", "A0007,Thing 7,S7")})
    assert stored.run(allow=["empty_sources"]).outcome == "changed"
    # An empty cell means "not managed", which is reported if the record has a value.
    stored.write({"objects.csv": _TABLE})
    plain = stored.plan()
    monkeypatch.setattr(paging, "_MANY", 40)
    monkeypatch.setattr(paging, "PER_PAGE", 10)
    compressed = stored.plan()
    assert compressed.outcome == plain.outcome == "unchanged"
    assert compressed.warnings == plain.warnings
    assert any("1 empty cell" in warning for warning in plain.warnings)
    # One page shows which fields the account can see.
    assert len(opened) == 1
    stored.write({"objects.csv": _TABLE.replace("Thing 33,", "Thing 34,")})
    assert [change["key"] for change in stored.plan().changes] == ["A0033"]
    # The page with the change.
    assert len(opened) == 2


def test_a_list_that_is_needed_waits_for_none_that_is_not(stored: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "_MANY", 0)
    state = ListedState(stored.client(read_only=True))
    with state.prefetching([LOCATION, ROOM, OBJECT]):
        assert len(state.records(OBJECT)) == 42
