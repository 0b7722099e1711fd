# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restricted accounts: no duplicate is created, no useless change is sent, and the reason is reported."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import steps
from exports import contents, export_of
from instance_site import Site, yaml_list
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput, SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure
from ansible_collections.community.seventhings.plugins.plugin_utils.export.downloads import Downloads
from ansible_collections.community.seventhings.plugins.plugin_utils.export.export import (
    Exported,
    Selection,
    export_instance,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.inventory import (
    Plan,
    lay_out,
    read_records,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.lookup import look_up

pytestmark = pytest.mark.slow

UNSEEN = "this account does not see the field {} (a role may hide fields)"
LIMITED = "this account may be limited to locations"

LOCATIONS = [{"name": "North", "city": "Kiel"}, {"name": "South"}]
ROOMS = [{"building_id": name, "number": "1", "description": "Store"} for name in ("North", "South")]
OBJECTS = [
    {"barcode": "1", "inventory_name": "One", "actual_room": "North/1", "serial_number": "S-1", "weight": "1.500"},
    {"barcode": "2", "inventory_name": "Two", "actual_room": "South/1", "description": "Blue"},
    {"barcode": "3", "inventory_name": "Three"},
]
SETTINGS = "api: seventhings/v1\nset: test\nobserved: {objects: []}\n"
"""Access to objects depends on their actual rooms, which these files write."""

FILES: dict[str, str | bytes] = {
    "instance.yml": SETTINGS,
    "locations.yml": yaml_list(LOCATIONS),
    "rooms.yml": yaml_list(ROOMS),
    "objects.yml": yaml_list(OBJECTS),
}


def restricted(site: Site, **limits: Any) -> Site:
    """Return the same files and instance, for an account with limits."""
    user = site.service.steer("POST", "/users", limits)
    account = {name: user[name] for name in ("username", "password")}
    return replace(site, options={**site.options, **account})


def locations(site: Site, *names: str) -> list[str]:
    """Return the uuids of locations."""
    client = site.client(read_only=True)
    return [record.uuid for record in client.list_all(KINDS["location"]) if record.flat["name"] in names]


def first_record(site: Site, kind: str, fields: dict[str, Any], **more: Any) -> Any:
    """Return the result of the module for one record."""
    return ensure(site.client(), DesiredRecord(KINDS[kind], fields, **more))


@pytest.fixture
def house(site: Site) -> Site:
    """Apply two locations with a room each, and three objects, one of which has no room."""
    site.write(FILES)
    assert site.run().outcome == "changed"
    return site


def test_creating_many_records_reads_existing_records_once(house: Site) -> None:
    client = house.client()
    house.service.clear_log()
    for number in range(4):
        ensure(client, DesiredRecord(KINDS["location"], {"name": f"New {number}", "city": "Kiel"}))
    # Two lookups by name per record, one read of the existing records, and each record is created and read back.
    assert len(house.sent()) - len([line for line in house.sent() if "auth_token" in line]) == 4 * 4 + 1


def test_values_of_a_hidden_field_are_not_removed(house: Site) -> None:
    house.write({"fields/asset.yml": "- {label: Colour, type: DROPDOWN, possible_values: [red, blue]}\n"})
    house.write({"objects.yml": yaml_list([{**OBJECTS[0], "Colour": "red"}, *OBJECTS[1:]])})
    assert house.run().outcome == "changed"
    schema = house.client(read_only=True).schema(KINDS["object"])
    field = schema.find("Colour")
    assert field is not None
    account = restricted(house, hidden_fields=[field.key])
    house.service.clear_log()
    wish: dict[str, Any] = {"label": "Colour", "possible_values": ["blue"]}
    with pytest.raises(SeventhingsError) as refused:
        first_record(account, "field_definition", wish, template="asset")
    assert f"possible_values: {UNSEEN.format(field.key)}" in refused.value.message
    account.write({"fields/asset.yml": "- {label: Colour, type: DROPDOWN, possible_values: [blue]}\n"})
    account.write({"objects.yml": "[]\n"})
    assert any(UNSEEN.format(field.key) in line for line in account.plan().findings)
    assert house.writes() == []
    assert first_record(account, "field_definition", wish, template="asset", allow=["destructive"]).changed


def test_many_records_with_a_hidden_field_read_existing_records_once(house: Site) -> None:
    house.service.steer("PUT", "/switches", {"empty_keys": "left_out"})
    account = restricted(house, hidden_fields=["link"])
    green = [{"barcode": number, "link": "https://acme.example"} for number in "12"]
    account.write({"rooms.yml": "[]\n", "objects.yml": yaml_list(green)})
    result = account.run(allow=["empty_sources"])
    assert result.outcome == "partly_applied"
    assert [UNSEEN.format("link") in failure["reason"] for failure in result.failures] == [True]
    assert result.summary["objects"]["updated"] == 1
    house.service.clear_log()
    assert {UNSEEN.format("link") in line for line in account.run().findings} == {True}
    assert house.writes() == []


VALUES = {
    "description": "Blue",
    "weight": "1.500",
    "actual_room": "North/1",
    "purchasing_date": "2024-05-13",
    "Checked": True,
    "Checked at": "2024-05-13T14:30:00+02:00",
}
"""A value for a field of each type that has its own form in filters."""


@pytest.fixture
def typed(site: Site) -> Site:
    """Return an instance that leaves out empty keys, with one object that has a value of each type."""
    own = [{"label": "Checked", "type": "BOOLEAN"}, {"label": "Checked at", "type": "DATETIME"}]
    site.write(
        {
            **FILES,
            "fields/asset.yml": yaml_list(own),
            "objects.yml": yaml_list([{"barcode": "1", "inventory_name": "One", **VALUES}]),
        }
    )
    assert site.run().outcome == "changed"
    site.service.steer("PUT", "/switches", {"empty_keys": "left_out"})
    return site


@pytest.mark.sample(4)
@pytest.mark.slow
@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("value", [True, False], ids=["same", "empty"])
def test_a_value_that_no_record_shows_is_found_by_a_filter(typed: Site, name: str, value: bool) -> None:
    definitions = typed.client(read_only=True).definitions("asset")
    key = next(
        definition["field_key"] for definition in definitions if name in (definition["field_key"], definition["label"])
    )
    account = restricted(typed, hidden_fields=[key])
    typed.service.clear_log()
    wanted = {"barcode": "1", name: VALUES[name] if value else None}
    with pytest.raises(SeventhingsError) as refused:
        first_record(account, "object", wanted)
    assert refused.value.message == f"{key}: {UNSEEN.format(key)}"
    account.write({"fields/asset.yml": "[]\n", "rooms.yml": "[]\n", "objects.yml": yaml_list([wanted])})
    assert any(UNSEEN.format(key) in line for line in account.run().findings)
    assert typed.writes() == []
    assert any(UNSEEN.format(key) in line for line in exported(account).left_out)
    assert not first_record(typed, "object", {"barcode": "1", name: VALUES[name]}).changed


def test_a_set_asks_for_a_field_that_no_record_has_once(house: Site) -> None:
    house.service.steer("PUT", "/switches", {"empty_keys": "left_out"})
    filled = [{**thing, "link": "https://acme.example"} for thing in OBJECTS]
    house.write({"objects.yml": yaml_list(filled)})
    house.plan()
    house.service.clear_log()
    assert house.plan().summary["objects"]["updated"] == len(OBJECTS)
    assert [
        request["query"].count("not_empty") for request in house.service.log() if "not_empty" in request["query"]
    ] == [1]


@pytest.mark.parametrize("switch", [{"places_filter": "ignore"}, {"presence_operators": "refuse"}, {}])
def test_a_filter_that_reports_nothing_hides_no_field(house: Site, switch: dict[str, str]) -> None:
    house.service.steer("PUT", "/switches", {"empty_keys": "left_out", **switch})
    for wanted in ({"name": "North", "zip": "24103"}, {"name": "South", "zip": "80331"}):
        assert first_record(house, "location", wanted).changed
        assert not first_record(house, "location", wanted).changed


def exported(site: Site) -> Exported:
    """Return the content of an export."""
    client = site.client(read_only=True)
    site.root.mkdir(exist_ok=True)
    return export_instance(client, Selection(), Downloads(client, site.root / ".held", {}, {}))


def test_an_export_names_a_hidden_field_and_does_not_write_it(house: Site) -> None:
    found = exported(restricted(house, hidden_fields=["description", "city"]))
    for section in ("objects", "rooms"):
        assert f"{section}: description: {UNSEEN.format('description')}, so no file contains it" in found.left_out
        assert "description" not in [field.key for field in found.columns[section]]
        assert not any("description" in row for row in found.sections[section])
    assert "serial_number" in [field.key for field in found.columns["objects"]]
    with pytest.raises(SeventhingsError) as refused:
        exported(restricted(house, hidden_fields=["barcode"]))
    assert f"objects: barcode: {UNSEEN.format('barcode')}" in refused.value.message


@pytest.mark.parametrize("seed", range(200 if LONG else 3))
def test_no_account_makes_a_twin_or_changes_anything_in_vain(house: Site, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    weather = {"empty_keys": chance.choice(("sent", "left_out")), "places_filter": chance.choice(("honour", "ignore"))}
    house.service.steer("PUT", "/switches", weather)
    account, limits = drawn(house, seed)
    account = replace(account, root=tmp_path / "theirs")
    account.root.mkdir()
    account.write(FILES)
    before = house.dump()
    house.service.clear_log()
    planned, applied = account.plan(), account.run()
    after = house.dump()
    for section, members in after.items():
        assert len(members) == len(before[section]), (limits, weather, section)
    sent = [line for line in house.writes() if not line.startswith("POST /object")]
    may_differ = weather["empty_keys"] == "left_out"
    assert sent == [] or may_differ, (limits, weather)
    assert after == before or may_differ
    lines = [*planned.findings, *(failure["reason"] for failure in applied.failures)]
    assert applied.outcome == "unchanged" or all("this account" in line for line in lines), (limits, weather, lines)
    if applied.outcome == "unchanged":
        assert not any(line.startswith("POST") for line in house.writes())


def drawn(house: Site, seed: int) -> tuple[Site, dict[str, Any]]:
    """Return an account with random limits, and these limits."""
    chance = random.Random(seed)
    limits: dict[str, Any] = {"hidden_fields": chance.sample(KEYS, chance.randrange(4))}
    if chance.random() < 0.6:
        limits["locations"] = locations(house, *chance.sample(("North", "South"), chance.randrange(3)))
    house.service.steer("PUT", "/switches", {"hidden_objects": chance.choice(("unreadable", "readable", "nowhere"))})
    return restricted(house, **limits), limits


KEYS = ("barcode", "name", "number", "building_id", "description", "serial_number", "city", "weight", "actual_room")
SETS = range(30 if LONG else 3)


def module(site: Site, name: str, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    """Return the result of a module."""
    given = {**site.service.options(), "rate_limit": 0, "tuning": {"token_cache": False}, **site.options, **options}
    done: dict[str, Any] = steps.call(name, given, check_mode).data
    return done


def is_said(done: dict[str, Any]) -> bool:
    """Return True if a result says that the account may not see everything."""
    return any("account" in line for line in (done.get("msg", ""), *done.get("warnings", ())))


@pytest.mark.parametrize("seed", SETS)
def test_an_export_of_any_account_says_what_it_leaves_out(house: Site, seed: int, tmp_path: Path) -> None:
    account, limits = drawn(house, seed)
    whole, theirs = tmp_path / "whole", tmp_path / "theirs"
    everything = export_of(house, whole)
    done = export_of(account, theirs, **account.options)
    if done.get("failed"):
        assert is_said(done), (limits, done)
        assert not theirs.exists() or not list(theirs.iterdir())
        return
    before, after = contents(whole), contents(theirs)
    is_short = any(after.get(name) != before[name] for name in before if name.endswith(".yml"))
    left_out = set(done["left_out"]) - set(everything["left_out"])
    lines = [*left_out, *done.get("warnings", ())]
    assert not is_short or any("account" in line for line in lines) or done["hidden_records"] != "no", (limits, done)
    for key in limits["hidden_fields"]:
        for section, template in (("objects", "asset"), ("rooms", "room")):
            if key in {definition["field_key"] for definition in house.client().definitions(template)} and after.get(
                f"{section}.yml"
            ):
                assert f"{section}: {key}: {UNSEEN.format(key)}, so no file contains it" in left_out, limits
                assert f" {key}:".encode() not in after[f"{section}.yml"]
    if len(limits.get("locations", LOCATIONS)) < len(LOCATIONS):
        assert done["hidden_records"] != "no"


@pytest.mark.parametrize("seed", SETS)
def test_an_inventory_of_any_account_shows_nothing_wrong(house: Site, seed: int) -> None:
    account, limits = drawn(house, seed)

    def shown(site: Site) -> tuple[dict[str, Any], str]:
        plan = Plan("objects", filtered=frozenset())
        read = read_records(site.client(read_only=True), plan, {})
        hosts = lay_out(read.records, plan).hosts
        return {str(host.variables["seventhings_uuid"]): host for host in hosts}, "\n".join(read.warnings)

    whole, _warnings = shown(house)
    theirs, visible = shown(account)
    assert set(theirs) <= set(whole)
    for uuid, host in theirs.items():
        for name, value in host.variables.items():
            assert value == whole[uuid].variables[name] or UNSEEN.format("")[:20] in visible, (limits, name, value)
    for key in limits["hidden_fields"]:
        if any(key in record for record in (OBJECTS[0], ROOMS[0], LOCATIONS[0])):
            assert UNSEEN.format(key) in visible, limits


@pytest.mark.parametrize("seed", SETS)
def test_a_lookup_of_any_account_finds_the_right_record_or_says_why_not(house: Site, seed: int) -> None:
    account, limits = drawn(house, seed)
    for kind, written, field in (
        *(("object", room["barcode"], "inventory_name") for room in OBJECTS),
        *(("room", f"{room['building_id']}/1", "uuid") for room in ROOMS),
        *(("location", location["name"], "uuid") for location in LOCATIONS),
    ):
        try:
            found = look_up(account.client(read_only=True), KINDS[kind], [written], field)
        except SeventhingsError as error:
            wrong = "" if "account" in error.message else error.message
            assert not wrong, (limits, kind, written)
        else:
            right = look_up(house.client(read_only=True), KINDS[kind], [written], field)
            assert found == right, (limits, kind, written)


@pytest.mark.parametrize("seed", SETS)
def test_modules_decide_nothing_wrong_for_any_account(house: Site, seed: int) -> None:
    account, limits = drawn(house, seed)
    before = house.dump()
    for name, records in (("location", LOCATIONS), ("room", ROOMS), ("object", OBJECTS)):
        infos = [module(site, f"{name}_info") for site in (house, account)]
        if infos[1].get("failed"):
            assert is_said(infos[1]), (limits, name, infos[1])
        else:
            every, visible = ({record["uuid"]: record for record in info["records"]} for info in infos)
            assert set(visible) <= set(every), (limits, name)
            for uuid, record in visible.items():
                assert record.items() <= every[uuid].items() or is_said(infos[1]), (limits, name, record)
        for fields in records:
            done = module(account, name, fields=fields)
            assert is_said(done) if done.get("failed") else not done["changed"], (limits, name, fields, done)
            deleted = module(account, name, True, fields=fields, state="absent")
            right = deleted.get("changed") or is_said(deleted)
            assert right, (limits, name, fields, deleted)
    assert house.dump() == before


def places(site: Site, hosts: str = "objects", **filters: dict[str, Any]) -> tuple[list[str], list[str], str]:
    """Return the names of groups and hosts of an inventory, and its warnings as one text."""
    plan = Plan(hosts, filtered=frozenset(filters), room_field="actual_room")
    read = read_records(site.client(read_only=True), plan, filters)
    layout = lay_out(read.records, plan)
    return [group.name for group in layout.groups], [host.name for host in layout.hosts], "\n".join(read.warnings)


@pytest.mark.parametrize(
    ("hosts", "kind", "key"),
    [
        ("objects", "objects", "actual_room"),
        ("objects", "objects", "barcode"),
        ("objects", "rooms", "building_id"),
        ("rooms", "rooms", "description"),
        ("locations", "locations", "city"),
    ],
)
def test_an_inventory_reports_what_the_account_does_not_see(house: Site, hosts: str, kind: str, key: str) -> None:
    account = restricted(house, hidden_fields=[key])
    assert places(house, hosts)[2] == ""
    assert (
        places(account, hosts)[2] == f"{kind}: {UNSEEN.format(key)}, so names, groups and variables do not contain it."
    )


@pytest.mark.parametrize(
    ("key", "filters"),
    [("actual_room", {"rooms": {"number": "1"}}), ("building_id", {"locations": {"name": "North"}})],
)
def test_an_inventory_of_some_places_needs_to_see_what_is_in_them(
    house: Site, key: str, filters: dict[str, Any]
) -> None:
    account = restricted(house, hidden_fields=[key])
    assert places(house, **filters)[1]
    with pytest.raises(InvalidInput) as refused:
        places(account, **filters)
    assert UNSEEN.format(key) in refused.value.message


def test_an_inventory_of_some_rooms_has_only_their_objects(house: Site) -> None:
    _groups, hosts, warnings = places(restricted(house, locations=locations(house, "North")))
    assert (sorted(hosts), warnings) == (["object/1", "object/3"], "")
    both = restricted(house, locations=locations(house, "North"), hidden_fields=["weight"])
    _groups, hosts, warnings = places(both)
    assert sorted(hosts) == ["object/1", "object/3"]
    assert UNSEEN.format("weight") in warnings


def test_a_lookup_of_a_field_that_is_hidden_is_an_error(house: Site) -> None:
    account = restricted(house, hidden_fields=["weight"])
    for site, is_visible in ((house, True), (account, False)):
        client = site.client(read_only=True)
        assert look_up(client, KINDS["object"], ["1"], "inventory_name") == ["One"]
        if is_visible:
            assert look_up(client, KINDS["object"], ["1"], "weight") == [1.5]
        else:
            with pytest.raises(InvalidInput, match=re.escape(f"field: {UNSEEN.format('weight')}")):
                look_up(client, KINDS["object"], ["1"], "weight")


@pytest.mark.parametrize("written", [{"serial_number": "S-1"}, {"actual_room": "North/1"}])
def test_a_lookup_by_a_field_that_is_hidden_names_the_cause(house: Site, written: dict[str, Any]) -> None:
    (key,) = written
    account = restricted(house, hidden_fields=[key])
    for site, cause in ((house, ""), (account, UNSEEN.format(key))):
        client = site.client(read_only=True)
        if not cause:
            assert look_up(client, KINDS["object"], [written])
            continue
        with pytest.raises(SeventhingsError, match=re.escape(cause)):
            look_up(client, KINDS["object"], [written])


def test_a_lookup_reads_a_missing_key_as_empty_if_empty_keys_are_left_out(house: Site) -> None:
    house.service.steer("PUT", "/switches", {"empty_keys": "left_out"})
    assert look_up(house.client(read_only=True), KINDS["object"], ["3"], "weight") == [None]
