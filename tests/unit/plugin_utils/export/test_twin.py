# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A twin: what an export of an instance makes of the embedded service is the same instance, and plans the same."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from emulator_process import running
from exports import contents, export_of
from instance_site import Site, sample_files, yaml_list
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

ELSEWHERE = {"instance", "requests", "duration", "plan_digest", "made_by", "forecast"}
"""What an account tells that differs from one service to another, or from one run to another."""


def lines(root: Path) -> list[dict[str, Any]]:
    """The notes for a twin."""
    return [json.loads(line) for line in (root / "twin.jsonl").read_text("utf-8").splitlines()]


def archive(site: Site, *barcodes: str) -> None:
    client = site.client()
    for record in client.list_all(KINDS["object"]):
        if record.flat["barcode"] in barcodes:
            client.archive(KINDS["object"], record.uuid)


def plan(site: Site) -> dict[str, Any]:
    told = asdict(site.plan(expect_instance=[site.service.base_url]))
    return {name: value for name, value in told.items() if name not in ELSEWHERE}


@pytest.mark.parametrize("format_name", ["yaml", "csv", "jsonl"])
def test_a_twin_is_the_instance_that_was_exported(demo: Site, tmp_path: Path, format_name: str) -> None:
    root = tmp_path / "exported"
    assert not export_of(demo, root, format=format_name, twin=True).get("failed")
    with running("--load", str(root)) as service:
        twin = Site(tmp_path / "twin", service)
        for name in ("location", "room", "person", "object", "user", "task", "rental_case"):
            mine, theirs = (
                {one.uuid: (one.id, one.flat) for one in site.client(read_only=True).list_all(KINDS[name])}
                for site in (demo, twin)
            )
            assert {uuid: one[0] for uuid, one in mine.items()} == {uuid: one[0] for uuid, one in theirs.items()}
        again = tmp_path / "again"
        assert not export_of(twin, again, format=format_name, twin=True).get("failed")
        assert contents(again) == contents(root)
        service.steer("POST", "/reset")
        assert not export_of(twin, again, format=format_name, twin=True)["changed"]


def test_a_plan_on_the_twin_is_the_plan_on_the_instance(site: Site, tmp_path: Path) -> None:
    site.write(sample_files(40))
    site.write({"fields/room.yml": yaml_list([{"label": "Inspected on", "type": "DATE"}])})
    assert site.run().outcome == "changed"
    site.write({"objects/c.yml": yaml_list([{"barcode": name, "inventory_name": name} for name in ("OLD", "GONE")])})
    assert site.run().outcome == "changed"
    exported = tmp_path / "exported"
    assert not export_of(site, exported, twin=True).get("failed")
    # Archived since the first export, which noted it.
    archive(site, "OLD")
    assert not export_of(site, exported, twin=True).get("failed")
    assert [line["key"] for line in lines(exported) if "archived" in line] == [{"barcode": "OLD"}]
    with running("--load", str(exported)) as service:
        twin = Site(site.root, service)
        site.write({"locations.yml": yaml_list([{"name": "Site 0", "city": "Bonn"}, {"name": "Site 9"}])})
        site.write({"objects/c.yml": yaml_list([{"barcode": "OLD", "inventory_name": "Back again"}])})
        site.write({"fields/room.yml": yaml_list([{"label": "Inspected on", "type": "DATETIME"}])})
        assert plan(twin) == plan(site)
        site.write({"fields/room.yml": yaml_list([{"label": "Inspected on", "type": "DATE", "comment": "By us"}])})
        site.write({"rooms.yml": yaml_list([{"building_id": "Site 0", "number": "9.9", "Inspected on": "2031-05-31"}])})
        mine = plan(site)
        assert mine["outcome"] == "changed"
        assert plan(twin) == mine
        assert twin.run(expect_instance=[service.base_url]).outcome == "changed"
        assert plan(twin)["outcome"] == "unchanged"


@pytest.mark.parametrize("seed", range(20 if LONG else 2))
def test_a_twin_behaves_like_its_instance(site: Site, tmp_path: Path, seed: int) -> None:
    site.write(sample_files(24, files=2))
    assert site.run().outcome == "changed"
    chance = random.Random(seed)
    there: dict[str, Any] = site.service.steer("GET", "/switches")
    sides = {name: one["sides"][-1] if not seed else chance.choice(one["sides"]) for name, one in there.items()}
    site.service.steer("PUT", "/switches", sides)
    profile = tmp_path / "profile.json"
    profile.write_text(json.dumps({"switches": {name: {"side": side} for name, side in sides.items()}}), "utf-8")
    exported = tmp_path / "exported"
    assert not export_of(site, exported, twin=True).get("failed")
    with running("--load", str(exported), "--like", str(profile)) as service:
        assert {name: one["side"] for name, one in service.steer("GET", "/switches").items()} == sides
        site.write({"rooms.yml": yaml_list([{"building_id": "Site 0", "number": "9.9", "description": "New"}])})
        assert plan(Site(site.root, service)) == plan(site)


def test_an_export_without_notes_is_loaded_too(site: Site, tmp_path: Path) -> None:
    site.write(sample_files(40))
    assert site.run().outcome == "changed"
    exported = tmp_path / "exported"
    assert not export_of(site, exported).get("failed")
    assert not (exported / "twin.jsonl").exists()
    with running("--load", str(exported)) as service:
        twin = Site(exported, service)
        assert twin.plan(expect_instance=[service.base_url]).outcome == "unchanged"


def test_a_twin_is_whole(demo: Site, tmp_path: Path) -> None:
    told = export_of(demo, tmp_path / "exported", twin=True, only=["objects"])
    assert told["msg"] == "twin: a twin is a whole instance; leave out only and filters"
    whole = export_of(demo, tmp_path / "exported", twin=True)
    assert "twin.jsonl" in whole["files"]["written"]
    assert not export_of(demo, tmp_path / "exported", twin=True)["changed"]
    assert export_of(demo, tmp_path / "exported")["files"]["removed"] == ["twin.jsonl"]


@pytest.mark.parametrize("format_name", ["yaml", "csv"])
def test_archived_objects_in_the_files_to_rehearse_are_on_the_twin(
    site: Site, tmp_path: Path, format_name: str
) -> None:
    old = [{"barcode": name, "inventory_name": name} for name in ("OLD", "GONE")]
    site.write({"objects.yml": yaml_list(old)})
    assert site.run().outcome == "changed"
    archive(site, "OLD", "GONE")
    (site.root / "objects.yml").unlink()
    rows = [{"barcode": name, "inventory_name": "Back"} for name in ("OLD", "NEW")]
    table = "Barcode,inventory_name\nOLD,Back\nNEW,Back\n"
    site.write({"objects.yml": yaml_list(rows)} if format_name == "yaml" else {"objects.csv": table})
    exported = tmp_path / "exported"
    assert export_of(site, exported, src=str(site.root))["msg"].startswith("src: these files are read for a twin only")
    site.service.clear_log()
    assert not export_of(site, exported, twin=True, src=str(site.root)).get("failed")
    looked = [entry["path"] for entry in site.service.log() if "by-barcode" in entry["path"]]
    assert [path.rsplit("/", 1)[-1] for path in looked] == ["OLD", "NEW"]
    assert [line["key"] for line in lines(exported) if "archived" in line] == [{"barcode": "OLD"}]
    with running("--load", str(exported)) as service:
        mine = plan(site)
        assert mine["outcome"] == "changed"
        assert plan(Site(site.root, service)) == mine


def test_files_to_rehearse_that_are_wrong_are_told_before_anything_is_read(demo: Site, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "instance.yml").write_text("api: wrong\n", "utf-8")
    told = export_of(demo, tmp_path / "exported", twin=True, src=str(source))
    assert told["failed"]
    assert told["requests"] == 0
    assert "src: " in told["msg"]
    assert "instance.yml" in told["msg"]
