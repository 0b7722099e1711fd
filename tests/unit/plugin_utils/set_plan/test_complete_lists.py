# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists that change while their pages are read: no record is created because it moved between two pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from emulator_here import running_here
from emulator_process import Emulator
from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.client.query import PER_PAGE
from ansible_collections.community.seventhings.plugins.module_utils.errors import IncompleteList
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT

pytestmark = pytest.mark.slow

NUMBER = 1300


@pytest.fixture(scope="module")
def _service() -> Iterator[Emulator]:
    with running_here(str(NUMBER)) as service:
        yield service


@pytest.fixture
def site(_service: Emulator, tmp_path: Path) -> Site:
    """Return a directory with all objects of an instance except the newest, which are on the first page."""
    _service.reset()
    site = Site(tmp_path, _service)
    records = site.client().list_all(OBJECT)
    rows = [f"{record.flat['barcode']},{record.flat['inventory_name']}" for record in records[:-10]]
    site.write({"objects.csv": "\n".join(["barcode,inventory_name", *rows, ""])})
    return site


def _delete_meanwhile(site: Site, patch: pytest.MonkeyPatch, times: int) -> None:
    """Delete an object after each of the first pages of objects."""
    other = site.client()
    doomed = [record.uuid for record in other.list_all(OBJECT)[-times:]]
    request = type(other.transport).request

    def meanwhile(transport: Any, method: str, path: str, **options: Any) -> Any:
        answer = request(transport, method, path, **options)
        is_first = ("page", "1") in options.get("pairs", ())
        if transport is not other.transport and path == OBJECT.list_path and is_first and doomed:
            other.delete(OBJECT, doomed.pop(0))
        return answer

    patch.setattr(type(other.transport), "request", meanwhile)


@pytest.mark.parametrize("lookup", ["absent", "present"])
@pytest.mark.parametrize("total", ["given", "none"])
def test_a_record_that_moves_to_an_earlier_page_is_not_created_once_more(
    site: Site, monkeypatch: pytest.MonkeyPatch, total: str, lookup: str
) -> None:
    site.service.steer("PUT", "/switches", {"list_total": total, "later_endpoints": lookup, "archived_at": "given"})
    _delete_meanwhile(site, monkeypatch, 1)
    result = site.run()
    assert (result.outcome, result.summary["objects"]["unchanged"]) == ("unchanged", NUMBER - 10)
    assert "no list" not in "".join(result.warnings)


def test_a_room_is_not_removed_because_a_list_missed_what_is_in_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.service.steer("PUT", "/switches", {"list_total": "none"})
    first_of_a_page = site.client().list_all(OBJECT)[-PER_PAGE - 1].flat["barcode"]
    site.write(
        {"objects.csv": f"barcode,target_room\n{first_of_a_page},North/1\n", "locations.yml": "- {name: North}\n"}
    )
    site.write({"rooms.yml": '- {building_id: North, number: "1"}\n'})
    assert site.run().outcome == "changed"
    (site.root / "objects.csv").unlink()
    site.write({"rooms.yml": '- {building_id: North, number: "1", _state: absent}\n'})
    _delete_meanwhile(site, monkeypatch, 1)
    (finding,) = site.plan(allow=["empty_sources"]).findings
    assert f"object {first_of_a_page} (target_room) refers to it" in finding


@pytest.mark.sample(1)
@pytest.mark.parametrize("total", ["given", "none"])
def test_nothing_is_decided_from_lists_that_are_never_complete(
    site: Site, monkeypatch: pytest.MonkeyPatch, total: str
) -> None:
    site.service.steer("PUT", "/switches", {"list_total": total})
    _delete_meanwhile(site, monkeypatch, 9)
    site.service.clear_log()
    with pytest.raises(IncompleteList, match="Nothing is decided from it"):
        site.run()
    assert not [line for line in site.writes() if not line.startswith("DELETE")]
