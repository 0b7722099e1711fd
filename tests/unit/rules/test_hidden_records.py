# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If other records refer to records that no list shows, the lists are incomplete, and no decision depends on them."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    LOCATION,
    OBJECT,
    RENTAL_CASE,
    TASK,
    USER,
)
from ansible_collections.community.seventhings.plugins.module_utils.operations.hub_items import hub_item
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.action import absorb_instance
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.export.action import export
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text, write_report

TASK_LIMITS = {"delete_percent": 100}
"""The limits of every task in this file."""

SETTINGS = "api: seventhings/v1\nset: test\npolicy: {prune: {objects: archive}}\nobserved: {objects: []}\n"
LOCATIONS = [{"name": "North"}, {"name": "South"}]
ROOMS = [{"building_id": name, "number": "1"} for name in ("North", "South")]
OBJECTS = [
    {"barcode": "1", "inventory_name": "One", "actual_room": "North/1"},
    {"barcode": "2", "inventory_name": "Two", "actual_room": "South/1"},
    {"barcode": "3", "inventory_name": "Three", "actual_room": "North/1"},
]
TASKS = [{"title": "Look", "deadline": "2031-05-31", "assignees": ["{user}"], "references": ["2"]}]
FILES: dict[str, str | bytes] = {
    "locations.yml": yaml_list(LOCATIONS),
    "rooms.yml": yaml_list(ROOMS),
    "objects.yml": yaml_list(OBJECTS),
}


@pytest.fixture
def house(site: Site) -> Site:
    """Apply two locations with an object each, a third object, and a task about the object in the south."""
    email = site.client().list_all(USER)[0].flat["email"]
    tasks = yaml_list(TASKS).replace("{user}", email)
    site.write({"instance.yml": SETTINGS, **FILES, "tasks.yml": tasks})
    assert site.run().outcome == "changed"
    return site


def limited(site: Site, *names: str, side: str = "unreadable", **more: Any) -> Site:
    """Return the same files for an account that is limited to some locations."""
    site.service.steer("PUT", "/switches", {"hidden_objects": side})
    uuids = [record.uuid for record in site.client(read_only=True).list_all(LOCATION) if record.flat["name"] in names]
    user = site.service.steer("POST", "/users", {"locations": uuids, **more})
    account = {name: user[name] for name in ("username", "password")}
    site.service.clear_log()
    return replace(site, options={**site.options, **account})


def uuid_of(site: Site, barcode: str) -> str:
    (record,) = (record for record in site.client(read_only=True).list_all(OBJECT) if record.flat["barcode"] == barcode)
    return record.uuid


def evidence(site: Site) -> str:
    """Return the evidence in words: the task refers to the object in the south."""
    (task,) = site.client(read_only=True).list_all(TASK)
    return (
        f"the object {uuid_of(site, '2')} is not archived, and no list shows it, though the task {task.uuid} refers to "
        "it: this account may be limited to locations"
    )


def files(*numbers: int, more: tuple[dict[str, Any], ...] = ()) -> dict[str, str | bytes]:
    return {"objects.yml": yaml_list([*(OBJECTS[number - 1] for number in numbers), *more])}


NEW = {"barcode": "9", "inventory_name": "Nine", "actual_room": "North/1"}


# ---- what it costs, and what is said


def test_an_account_that_sees_an_object_in_every_location_sees_all(house: Site) -> None:
    house.write(files(1, 2, 3, more=(NEW,)))
    house.service.clear_log()
    assert house.plan().hidden_records == "no"
    assert [line for line in house.sent() if line.startswith("GET /object/") and "by-barcode" not in line] == []


def test_at_most_twenty_records_are_read(house: Site) -> None:
    email = house.client().list_all(USER)[0].flat["email"]
    deleted = [{"barcode": f"g{number}", "inventory_name": "Gone", "actual_room": "South/1"} for number in range(30)]
    tasks = [
        {**TASKS[0], "title": str(number), "assignees": [email], "references": [f"g{number}"]} for number in range(30)
    ]
    house.write({"objects.yml": yaml_list([*OBJECTS, *deleted]), "tasks.yml": yaml_list(tasks)})
    assert house.run(allow=["empty_sources"]).outcome == "changed"
    client = house.client()
    for record in client.list_all(OBJECT):
        if record.flat["barcode"].startswith("g"):
            client.archive(OBJECT, record.uuid)
    house.service.clear_log()
    house.write(
        {**files(1, 2, 3, more=(NEW,)), "tasks.yml": yaml_list([{**task, "references": ["1"]} for task in tasks])}
    )
    result = house.plan(limits={"create_percent": 100, "update_percent": 1000})
    assert (result.outcome, result.hidden_records) == ("changed", "no")
    assert sum(line.startswith("GET /object/") and "by-barcode" not in line for line in house.sent()) <= 20


@pytest.mark.parametrize(
    ("side", "words"), [("readable", "yes, this"), ("nowhere", "unknown, nothing shows that this")]
)
def test_every_report_says_what_is_known_of_hidden_records(house: Site, side: str, words: str, tmp_path: Path) -> None:
    account = limited(house, "North", side=side)
    account.write({"objects.yml": yaml_list([OBJECTS[0], OBJECTS[2], NEW]), "tasks.yml": "[]\n"})
    result = account.plan(allow=["empty_sources"])
    line = f"Hidden records: {words} account"
    for name in ("p.md", "p.html"):
        write_report(result, tmp_path / name)
        assert line in (tmp_path / name).read_text()
    assert line in as_text(result)
    write_report(result, tmp_path / "p.json")
    assert json.loads((tmp_path / "p.json").read_text())["hidden_records"] == words.partition(",")[0]
    account.write(files(1, 3))
    assert "Hidden records" not in as_text(account.plan(allow=["empty_sources"]))


# ---- exports and absorb


def exported(site: Site, folder: Path) -> dict[str, Any]:
    options = {
        **site.service.options(),
        "tuning": {"token_cache": False},
        "rate_limit": 0,
        **site.options,
        "dest": str(folder),
    }
    return export(options_of("instance_export", options), False)


@pytest.mark.parametrize(
    ("names", "side", "known"),
    [
        (("North", "South"), "readable", "no"),
        (("North",), "readable", "yes"),
        (("North",), "unreadable", "unknown"),
        (("North",), "nowhere", "unknown"),
    ],
)
def test_an_export_says_what_is_known_of_hidden_records(
    house: Site, names: tuple[str, ...], side: str, known: str, tmp_path: Path
) -> None:
    result = exported(limited(house, *names, side=side), tmp_path / "export")
    assert result["hidden_records"] == known
    assert json.loads((tmp_path / "export/.export.json").read_text())["hidden_records"] == known
    warnings = [f"This export may be short: {evidence(house)}."] if known == "yes" else []
    assert result.get("warnings", []) == warnings


@pytest.mark.parametrize("gone", ["remove", "absent"])
@pytest.mark.parametrize("side", ["unreadable", "readable", "nowhere"])
def test_what_refers_to_a_hidden_object_may_be_hidden_with_it(house: Site, gone: str, side: str) -> None:
    """Offers, tasks and rental cases are in no list of an account that does not see their objects."""
    case: dict[str, Any] = {"title": "Lend", "issue_date": "2031-01-01", "due_date": "2031-01-02", "references": ["2"]}
    case |= {"responsible_user": house.client().list_all(USER)[0].flat["email"]}
    case |= {"renter": {"type": "plain", "value": "Ada"}, "status": "requested"}
    hub = yaml_list([{"object": "2", "category": "category_it", "price": 4}])
    house.write({"rental_cases.yml": yaml_list([case]), "hub.yml": hub})
    assert house.run().outcome == "changed"
    before = {path.name: path.read_text() for path in house.root.glob("*.yml")}
    account = limited(house, "North", side=side)
    # A scope of the files proves nothing.
    scope = "scope: {objects: {actual_room: [North/1, South/1]}}\n"
    account.write({"instance.yml": SETTINGS + scope})
    for settings in (SETTINGS + scope, SETTINGS):
        account.write({"instance.yml": settings})
        done = absorbed(account, gone=gone, limits={"delete_percent": 100})
        assert done["changed"] is False
        assert done["hidden_records"] != "no" or not done["not_changed"]
    assert {path.name: path.read_text() for path in house.root.glob("*.yml")} == before


def absorbed(site: Site, **options: Any) -> dict[str, Any]:
    given = {
        **site.service.options(),
        "tuning": {"token_cache": False},
        "rate_limit": 0,
        **site.options,
        "src": str(site.root),
    }
    return absorb_instance(options_of("instance_absorb", {**given, **options}), False, None, {})


def options_of(module: str, given: dict[str, Any]) -> dict[str, Any]:
    return {name: given.get(name, option.get("default")) for name, option in documented_spec(module).items()}


# ---- modules


@pytest.mark.parametrize("side", ["unreadable", "nowhere"])
def test_a_hidden_object_that_a_module_does_not_find_is_not_absent_without_a_note(house: Site, side: str) -> None:
    account = limited(house, "North", side=side)
    results = [
        ensure(account.client(), DesiredRecord(OBJECT, {"barcode": barcode}, state="absent")) for barcode in ("2", "7")
    ]
    results.append(ensure(account.client(), DesiredRecord(OBJECT, {}, uuid=uuid_of(house, "2"), state="absent")))
    warning = (
        "An object that should be absent and is not found may be hidden: this account may be limited to locations."
    )
    for result in results:
        assert (result.changed, result.warnings) == (False, (warning,))
    archived = ensure(account.client(), DesiredRecord(OBJECT, {"barcode": "2"}, state="archived"))
    assert not archived.changed
    assert "was found (this account may be limited to locations), so there is" in archived.warnings[0]
    assert house.writes() == []


@pytest.mark.parametrize("side", ["unreadable", "readable", "nowhere"])
def test_no_module_finds_a_record_absent_without_a_note_if_it_may_be_hidden(house: Site, side: str) -> None:
    hub = yaml_list([{"object": "2", "category": "category_it", "price": 4}])
    house.write({"hub.yml": hub})
    assert house.run().outcome == "changed"
    house.write({"hub.yml": hub.replace('"2"', '"2"\n  _state: absent')})
    (task,) = house.client().list_all(TASK)
    account = limited(house, "North", side=side)
    client = account.client()
    options = {"object": "2", "category": None, "price": None, "state": "absent"}
    offer = hub_item(client, options, check_mode=True)
    titled = {key: task.flat[key] for key in ("title", "deadline")}
    about = ensure(client, DesiredRecord(TASK, titled, state="absent"), check_mode=True)
    by_uuid = ensure(client, DesiredRecord(TASK, {}, uuid=task.uuid, state="absent"), check_mode=True)
    lent = ensure(
        client,
        DesiredRecord(RENTAL_CASE, {"title": "None", "issue_date": "2031-01-01"}, state="absent"),
        check_mode=True,
    )
    for result in (offer, about, by_uuid, lent):
        assert result.changed or "may be hidden: this account may be limited to locations" in result.warnings[0]
    assert [about.changed, by_uuid.changed] == [side != "nowhere"] * 2
    account.write({"tasks.yml": "- {title: Other, deadline: 2031-01-01, _state: absent}\n"})
    unmatched = [
        line for line in account.plan(allow=["empty_sources"]).warnings if "in no list, and may be hidden" in line
    ]
    expected = ["hub", "tasks"] if side == "unreadable" else ["tasks"]
    assert [line.partition(":")[0] for line in unmatched] == expected or side == "nowhere"
    visible = hub_item(client, {**options, "object": "1"}, check_mode=True)
    assert (visible.changed, visible.warnings) == (False, ())


# ---- at random


@pytest.mark.sample(6)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_no_permission_set_decides_anything_wrong_in_silence(house: Site, seed: int) -> None:
    chance = random.Random(seed)
    weather = {"unique_values": chance.choice(("unprocessable", "bad_request", "take"))}
    house.service.steer("PUT", "/switches", weather)
    names = chance.sample(("North", "South"), chance.randrange(3))
    keys = ("barcode", "name", "number", "building_id", "description", "actual_room")
    more = {"hidden_fields": chance.sample(keys, chance.choice((0, 0, 1, 2)))}
    account = limited(house, *names, side=chance.choice(("unreadable", "readable", "nowhere")), **more)
    kept = chance.sample(OBJECTS, chance.randrange(1, 4))
    account.write({"objects.yml": yaml_list([*kept, NEW])})
    before = {record["fields"]["barcode"]: record for record in house.dump()["objects"]}
    result = account.run(allow=["empty_sources"])
    after = [record for record in house.dump()["objects"] if not record["archived"]]
    barcodes = [record["fields"]["barcode"] for record in after]
    if len(barcodes) != len(set(barcodes)):
        assert result.hidden_records != "no", (names, more, weather)
    if result.hidden_records == "yes":
        assert before.keys() <= set(barcodes), (names, more, weather)
    hidden = {record["barcode"] for record in OBJECTS if record["actual_room"].partition("/")[0] not in names}
    assert hidden <= set(barcodes), (names, more, weather)
    absorb = absorbed(account, gone="remove")
    if absorb.get("hidden_records") in ("yes", "unknown") and not absorb.get("failed"):
        left = (house.root / "objects.yml").read_text()
        assert all(record["barcode"] in left for record in kept if record["barcode"] in barcodes), (
            names,
            more,
            weather,
        )
