# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An embedded service started from an export with twin notes is the same instance, and has the same plans."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from emulator_here import running_here
from emulator_process import running
from exports import contents, export_of
from instance_site import Site, sample_files, yaml_list
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.export.twin import known_records

pytestmark = pytest.mark.slow

ELSEWHERE = {"instance", "requests", "duration", "plan_digest", "made_by", "forecast"}
"""Members of a result that differ between services or runs."""


def lines(root: Path) -> list[dict[str, Any]]:
    """Return the notes for a twin."""
    return [json.loads(line) for line in (root / "twin.jsonl").read_text("utf-8").splitlines()]


def archive(site: Site, *barcodes: str) -> None:
    client = site.client()
    for record in client.list_all(KINDS["object"]):
        if record.flat["barcode"] in barcodes:
            client.archive(KINDS["object"], record.uuid)


def plan(site: Site, **order: Any) -> dict[str, Any]:
    result = asdict(site.plan(expect_instance=[site.service.base_url], **order))
    for change in result["changes"]:
        # The records of a twin are only as old as the twin.
        change.get("removed", {}).pop("changed_last", None)
    return {name: value for name, value in result.items() if name not in ELSEWHERE}


@pytest.mark.sample(1)
@pytest.mark.parametrize("format_name", ["yaml", "csv", "jsonl"])
def test_a_twin_is_the_instance_that_was_exported(demo: Site, tmp_path: Path, format_name: str) -> None:
    root = tmp_path / "exported"
    assert not export_of(demo, root, format=format_name, twin=True).get("failed")
    with running_here(export=root) as service:
        twin = Site(tmp_path / "twin", service)
        for name in ("location", "room", "person", "object", "user", "task", "rental_case"):
            mine, theirs = (
                {record.uuid: (record.id, record.flat) for record in site.client(read_only=True).list_all(KINDS[name])}
                for site in (demo, twin)
            )
            assert {uuid: pair[0] for uuid, pair in mine.items()} == {uuid: pair[0] for uuid, pair in theirs.items()}
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
    # The object was archived after the first export, which noted it.
    archive(site, "OLD")
    assert not export_of(site, exported, twin=True).get("failed")
    assert [line["key"] for line in lines(exported) if "archived" in line] == [{"barcode": "OLD"}]
    with running_here(export=exported) as service:
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


@pytest.mark.sample(0)
def test_records_that_refer_to_archived_objects_are_on_the_twin(demo: Site, tmp_path: Path) -> None:
    written: list[dict[str, Any]] = [
        {"inventory_name": "Inner", "barcode": "IN"},
        {"inventory_name": "Outer", "barcode": "OUT", "accessories": ["IN"]},
    ]
    demo.write({"objects.yml": yaml_list(written)})
    assert demo.run().outcome == "changed"
    client = demo.client()
    objects = {record.flat["inventory_name"]: record for record in client.list_all(KINDS["object"])}
    task = {
        "title": "Look for it",
        "deadline": "2031-03-01",
        "assignees": [client.list_all(KINDS["user"])[0].flat["email"]],
        "references": [objects["Outer"].uuid],
    }
    (demo.root / "objects.yml").unlink()
    demo.write({"tasks.yml": yaml_list([task])})
    assert demo.run(confirm_empty=True).outcome == "changed"
    archive(demo, "100026", "IN", "OUT")
    exported = tmp_path / "exported"
    result = export_of(demo, exported, twin=True)
    assert not result.get("failed")
    assert not [line for line in result["left_out"] if "is in no list" in line]
    archived = [line["fields"]["inventory_name"] for line in lines(exported) if "archived" in line]
    assert sorted(archived) == sorted(["Inner", "Outer", "Studiokamera"])
    with running_here(export=exported) as service:
        twin = Site(tmp_path / "twin", service)
        for name in ("task", "rental_case"):
            original, copied = (
                {
                    record.uuid: {linked["uuid"] for linked in record.flat["references"]}
                    for record in site.client(read_only=True).list_all(KINDS[name])
                }
                for site in (demo, twin)
            )
            assert original == copied
        again = tmp_path / "again"
        assert not export_of(twin, again, twin=True).get("failed")
        assert contents(again) == contents(exported)
        # Applying the export changes nothing on either instance.
        mine = plan(Site(exported, demo.service))
        assert mine["outcome"] == "unchanged"
        assert plan(Site(exported, service)) == mine
        rows = [task | {"comment": "New"}]
        demo.write({"tasks.yml": yaml_list(rows)})
        mine = plan(demo)
        assert mine["outcome"] == "changed"
        assert plan(Site(demo.root, service)) == mine


def test_offers_of_archived_objects_are_on_the_twin(demo: Site, tmp_path: Path) -> None:
    items = [record.flat for record in demo.client().list_all(KINDS["hub_item"]) if not record.flat["deleted"]]
    offered = str(items[0]["object_data"]["barcode"])
    archive(demo, offered)
    exported = tmp_path / "exported"
    result = export_of(demo, exported, twin=True)
    assert not result.get("failed")
    assert not [line for line in result["left_out"] if line.startswith("hub:")]
    with running_here(export=exported) as service:
        twin = Site(tmp_path / "twin", service)
        offers = [record.flat for record in twin.client(read_only=True).list_all(KINDS["hub_item"])]
        assert [(item["id"], item["asset_id"], item["price"]) for item in offers] == [
            (item["id"], item["asset_id"], item["price"]) for item in items
        ]
        # Applying the export changes nothing on either instance.
        mine = plan(Site(exported, demo.service))
        assert mine["outcome"] == "unchanged"
        assert plan(Site(exported, service)) == mine
        for rows in ([{"object": offered, "price": "3.00"}], [{"object": offered, **GONE}]):
            demo.write({"hub.yml": yaml_list(rows)})
            mine = plan(demo)
            assert mine["outcome"] == "changed"
            assert plan(Site(demo.root, service)) == mine


def test_a_barcode_means_the_active_object_on_the_twin_too(demo: Site, tmp_path: Path) -> None:
    client = demo.client()
    task = {
        "deadline": "2031-03-01",
        "assignees": [client.list_all(KINDS["user"])[0].flat["email"]],
        "references": ["BOTH"],
    }
    expected = []
    for title in ("Old", "New"):
        demo.write({"objects.yml": yaml_list([{"barcode": "BOTH", "inventory_name": title}])})
        demo.write({"tasks.yml": yaml_list([{**task, "title": title}])})
        assert demo.run().outcome == "changed"
        expected += [
            record.uuid for record in demo.client().list_all(KINDS["object"]) if record.flat["barcode"] == "BOTH"
        ]
        if title == "Old":
            archive(demo, "BOTH")
            demo.service.steer("PUT", "/switches", {"unique_values": "take"})
            demo.client().create(KINDS["object"], {"barcode": "BOTH", "inventory_name": "New"})
    exported = tmp_path / "exported"
    assert not export_of(demo, exported, twin=True).get("failed")
    with running_here(export=exported) as service:
        tasks = Site(tmp_path / "twin", service).client(read_only=True).list_all(KINDS["task"])
        links = {task.flat["title"]: [linked["uuid"] for linked in task.flat["references"]] for task in tasks}
    assert [links["Old"], links["New"]] == [[uuid] for uuid in expected]


def test_an_archived_object_that_no_file_can_hold_is_reported_and_referred_to_by_nothing(
    demo: Site, tmp_path: Path
) -> None:
    client = demo.client()
    camera = next(record for record in client.list_all(KINDS["object"]) if record.flat["barcode"] == "100026")
    client.update(KINDS["object"], camera.uuid, {"barcode": "{{ mark }}"})
    client.archive(KINDS["object"], camera.uuid)
    exported = tmp_path / "exported"
    result = export_of(demo, exported, twin=True)
    assert not result.get("failed")
    assert [
        line for line in result["left_out"] if f"archived object {camera.uuid}: left out, because its barcode" in line
    ]
    assert [line for line in result["left_out"] if f"the object {camera.uuid} is left out" in line]
    assert not [line for line in lines(exported) if "archived" in line]
    with running_here(export=exported) as service:
        assert plan(Site(exported, service))["outcome"] == "unchanged"


@pytest.mark.parametrize("seed", range(20 if LONG else 1))
def test_a_twin_behaves_like_its_instance(site: Site, tmp_path: Path, seed: int) -> None:
    site.write(sample_files(24, files=2))
    assert site.run().outcome == "changed"
    chance = random.Random(seed)
    switches: dict[str, Any] = site.service.steer("GET", "/switches")
    sides = {
        name: switch["sides"][-1] if not seed else chance.choice(switch["sides"]) for name, switch in switches.items()
    }
    site.service.steer("PUT", "/switches", sides)
    profile = tmp_path / "profile.json"
    profile.write_text(json.dumps({"switches": {name: {"side": side} for name, side in sides.items()}}), "utf-8")
    exported = tmp_path / "exported"
    assert not export_of(site, exported, twin=True).get("failed")
    with running("--load", str(exported), "--like", str(profile)) as service:
        assert {name: switch["side"] for name, switch in service.steer("GET", "/switches").items()} == sides
        site.write({"rooms.yml": yaml_list([{"building_id": "Site 0", "number": "9.9", "description": "New"}])})
        assert plan(Site(site.root, service)) == plan(site)


@pytest.mark.sample(0)
def test_an_export_without_notes_is_loaded_too(site: Site, tmp_path: Path) -> None:
    site.write(sample_files(40))
    assert site.run().outcome == "changed"
    exported = tmp_path / "exported"
    assert not export_of(site, exported).get("failed")
    assert not (exported / "twin.jsonl").exists()
    with running_here(export=exported) as service:
        twin = Site(exported, service)
        assert twin.plan(expect_instance=[service.base_url]).outcome == "unchanged"


def test_a_twin_is_whole(demo: Site, tmp_path: Path) -> None:
    result = export_of(demo, tmp_path / "exported", twin=True, only=["objects"])
    assert result["msg"] == "twin: a twin is a whole instance; leave out only and filters"
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
    lookups = [entry["path"] for entry in site.service.log() if "by-barcode" in entry["path"]]
    assert [path.rsplit("/", 1)[-1] for path in lookups] == ["OLD", "NEW"]
    assert [line["key"] for line in lines(exported) if "archived" in line] == [{"barcode": "OLD"}]
    with running_here(export=exported) as service:
        mine = plan(site)
        assert mine["outcome"] == "changed"
        assert plan(Site(site.root, service)) == mine


def test_files_to_rehearse_that_are_wrong_are_reported_before_anything_is_read(demo: Site, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "instance.yml").write_text("api: wrong\n", "utf-8")
    result = export_of(demo, tmp_path / "exported", twin=True, src=str(source))
    assert result["failed"]
    assert result["requests"] == 0
    assert "src: " in result["msg"]
    assert "instance.yml" in result["msg"]


EVERYTHING: dict[str, Any] = {
    "fields/room": [{"label": "Inspected on", "type": "DATE"}],
    "fields/asset": [{"label": "Colour", "type": "DROPDOWN", "possible_values": ["red", "blue"]}],
    "locations": [{"name": "Depot", "city": "Bonn"}, {"name": "Annex"}],
    "rooms": [
        {"building_id": "Depot", "number": "1", "name": "Tools", "Inspected on": "2031-05-31"},
        {"building_id": "Depot", "number": "2", "name": "Spare"},
    ],
    "persons": [
        {"email": f"{name}@acme.example", "first_name": name, "last_name": "Jensen"} for name in ("a", "b", "c")
    ],
    "users": ["a@acme.example"],
    "objects": [
        {"barcode": "1", "inventory_name": "Drill", "target_room": "Depot/1", "purchasing_price": "9.90"},
        {"barcode": "2", "inventory_name": "Saw", "accessories": ["1"], "Colour": "red"},
        {"barcode": "3", "inventory_name": "Old"},
    ],
    "tasks": [
        {"title": title, "deadline": "2031-03-01", "assignees": ["a@acme.example"], "references": ["1"]}
        for title in ("Check", "Clean")
    ],
    "rental_cases": [
        {
            "title": f"Loan {number}",
            "references": ["2"],
            "issue_date": f"2031-0{number}-01",
            "due_date": f"2031-0{number}-02",
            "responsible_user": "a@acme.example",
            "renter": {"type": "plain", "value": "Somebody"},
        }
        for number in (1, 2)
    ],
    "catalog": [{"inventory_name": "Drill", "description": "Loud"}, {"inventory_name": "Saw"}],
    "hub": [{"object": number, "category": "office_chair", "price": "12.50"} for number in ("1", "2")],
}
"""Files with records of every section. Each change below replaces some of them."""


def changed(section: str, position: int, **values: Any) -> dict[str, Any]:
    """Return the files with other values in a record."""
    rows = [dict(row) if isinstance(row, dict) else row for row in EVERYTHING[section]]
    rows[position] |= values
    return {section: rows}


def added(section: str, *new: Any) -> dict[str, Any]:
    """Return the files with more records."""
    return {section: [*EVERYTHING[section], *new]}


def without(section: str) -> dict[str, Any]:
    """Return the files without the last record of a section."""
    return {section: EVERYTHING[section][:-1]}


def renamed(section: str, number: int, was: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return the files with another natural key of a record."""
    return {**changed(section, number, **now), "moved": {section: [{"from": was, "to": now}]}}


PRUNED = ("locations", "rooms", "persons", "objects", "tasks", "rental_cases", "catalog")
GONE = {"_state": "absent"}
CHANGES = {
    "unchanged": {},
    "new field": added("fields/asset", {"label": "Weight", "type": "NUMBER"}),
    "field of another type": changed("fields/room", 0, type="DATETIME"),
    "field with another value": changed("fields/asset", 0, possible_values=["red", "green"]),
    "new location": added("locations", {"name": "Yard"}),
    "location": changed("locations", 0, city="Köln"),
    "location gone": changed("locations", 1, **GONE),
    "location that holds rooms gone": changed("locations", 0, **GONE),
    "location renamed": renamed("locations", 1, {"name": "Annex"}, {"name": "Wing"}),
    "new room": added("rooms", {"building_id": "Annex", "number": "1"}),
    "room": changed("rooms", 0, **{"Inspected on": "2032-01-01"}),
    "room gone": changed("rooms", 1, **GONE),
    "room that holds objects gone": changed("rooms", 0, **GONE),
    "room renamed": renamed(
        "rooms", 1, {"building_id": "Depot", "number": "2"}, {"building_id": "Annex", "number": "9"}
    ),
    "new person": added("persons", {"email": "d@acme.example", "first_name": "d", "last_name": "Smith"}),
    "person": changed("persons", 1, last_name="Smith"),
    "person gone": changed("persons", 2, **GONE),
    "person renamed": renamed("persons", 1, {"email": "b@acme.example"}, {"email": "x@acme.example"}),
    "new user": added("users", "b@acme.example"),
    "user of nobody": added("users", "nobody@acme.example"),
    "new object": added("objects", {"barcode": "4", "inventory_name": "Plane", "target_room": "Depot/2"}),
    "object": changed("objects", 1, purchasing_price="1.5", accessories=["3"], Colour="blue"),
    "object cleared": changed("objects", 0, target_room=None, purchasing_price=None),
    "object archived": changed("objects", 2, _state="archived"),
    "object gone": changed("objects", 2, **GONE),
    "object renamed": renamed("objects", 2, {"barcode": "3"}, {"barcode": "33"}),
    "object of a room that is not there": changed("objects", 0, target_room="Depot/7"),
    "object with a value that is not allowed": changed("objects", 1, Colour="pink"),
    "new task": added("tasks", {**EVERYTHING["tasks"][0], "title": "Paint"}),
    "task": changed("tasks", 0, deadline="2032-01-01", references=["2", "3"], status="closed"),
    "task gone": changed("tasks", 1, **GONE),
    "new rental case": added("rental_cases", {**EVERYTHING["rental_cases"][0], "title": "Loan 3"}),
    "rental case": changed("rental_cases", 0, comment="Later", references=["1"]),
    "rental case gone": changed("rental_cases", 1, **GONE),
    "new catalog item": added("catalog", {"inventory_name": "Plane"}),
    "catalog item": changed("catalog", 0, description="Quiet"),
    "catalog item gone": changed("catalog", 1, **GONE),
    "new offer": added("hub", {"object": "3", "category": "office_chair", "price": "1"}),
    "offer": changed("hub", 0, price="3.00"),
    "offer gone": changed("hub", 1, **GONE),
    **{f"{section} pruned": without(section) for section in PRUNED},
}
"""Name of a change to the files that it replaces."""


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Site]]:
    """Yield an instance that equals its files, and its twin."""
    root = tmp_path_factory.mktemp("pair")
    with running_here("empty") as service:
        site = Site(root / "site", service)
        site.write(files_of({}))
        result = site.run(create_users=True, journal=root / "journal")
        assert result.outcome == "changed", (result.findings, result.failures)
        assert site.plan(create_users=True).outcome == "unchanged"
        exported = root / "exported"
        assert not export_of(site, exported, twin=True).get("failed")
        with running_here(export=exported) as other:
            yield site, Site(root / "site", other)


def files_of(change: dict[str, Any]) -> dict[str, str]:
    """Return all files, with those that a change replaces."""
    return {f"{name}.yml": json.dumps(rows) for name, rows in {**EVERYTHING, "moved": {}, **change}.items()}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_planned_on_the_twin_as_on_the_instance(pair: tuple[Site, Site], name: str) -> None:
    site, twin = pair
    site.write(files_of(CHANGES[name]))
    given: dict[str, Any] = {
        "create_users": True,
        "prune": dict.fromkeys(PRUNED, "delete"),
        "limits": {"deletes": 50},
    }
    mine = plan(site, journal=site.root.parent / "journal", **given)
    assert (mine["outcome"] == "unchanged") == (name == "unchanged"), mine
    given |= {"journal": site.root.parent / "journal", "twin_of": site.service.base_url}
    assert plan(twin, **given) == mine


def test_what_belongs_to_the_set_is_rehearsed_and_noted_nowhere(site: Site, tmp_path: Path) -> None:
    rows = [{"barcode": name, "inventory_name": name} for name in ("KEPT", "GONE", "OLD", "GUARDED")]
    site.write({"objects.yml": yaml_list(rows)})
    assert site.run().outcome == "changed"
    # Another set protects one object, and somebody gave another object a new label.
    site.write({"objects.yml": yaml_list([{**rows[3], "_lifecycle": {"protect": True}}])})
    site.write({"instance.yml": "api: seventhings/v1\nset: other\nset_id: other\n"})
    assert site.run().outcome == "unchanged"
    site.write({"instance.yml": "api: seventhings/v1\nset: test\n"})
    old = next(record for record in site.client().list_all(KINDS["object"]) if record.flat["barcode"] == "OLD")
    site.client().update(KINDS["object"], old.uuid, {"barcode": "NEW"})
    exported = tmp_path / "exported"
    assert not export_of(site, exported, twin=True).get("failed")
    state = Path(os.environ["XDG_STATE_HOME"])
    noted = {path: path.read_bytes() for path in state.rglob("journal.jsonl")}
    assert len(noted) == 2
    given: dict[str, Any] = {"prune": {"objects": "delete"}, "limits": {"delete_percent": 100, "deletes": 9}}
    with running_here(export=exported) as service:
        twin = Site(site.root, service)
        rehearsed = {**given, "twin_of": f"{site.service.base_url}/customer-api/v1/"}
        for kept, reason in ((rows[:3], "its key was changed"), (rows[:1], "protected")):
            site.write({"objects.yml": yaml_list(kept)})
            mine = plan(site, **given)
            assert reason in json.dumps(mine), mine
            assert plan(twin, **rehearsed) == mine
        site.write({"objects.yml": yaml_list([rows[0], rows[3]])})
        mine = plan(site, **given)
        assert plan(twin, **rehearsed) == mine
        done = twin.run(expect_instance=[service.base_url], **rehearsed)
        assert (done.outcome, len(twin.client().list_all(KINDS["object"]))) == ("changed", 2)
        assert plan(twin, **rehearsed)["outcome"] == "unchanged"
    assert {path: path.read_bytes() for path in state.rglob("journal.jsonl")} == noted


def test_the_instance_itself_is_no_twin(site: Site) -> None:
    site.service.clear_log()
    with pytest.raises(InvalidInput, match=r"twin_of: the connection is to .* itself"):
        site.run(twin_of=site.service.base_url.upper().replace("HTTP", "http"))
    with pytest.raises(InvalidInput, match=r"twin_of: 'nonsense' is not the root of an instance"):
        site.run(twin_of="nonsense")
    assert site.service.log() == []


@pytest.mark.parametrize("content", [b"", b"[]\n", b'{"twin": 99}\n', b"no JSON\n", b"\xff", b"[" * 100_000])
def test_a_file_of_somebody_else_is_no_twin(content: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"was not written by an export .*; delete it"):
        known_records(content)
