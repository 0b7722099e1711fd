# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accounts that do not see everything: no twin is made, nothing is changed in vain, and the reason is told."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from instance_site import Site, yaml_list
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.operations.service import service_info
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure
from ansible_collections.community.seventhings.plugins.module_utils.resolve.listing import list_records
from ansible_collections.community.seventhings.plugins.plugin_utils.export.downloads import Downloads
from ansible_collections.community.seventhings.plugins.plugin_utils.export.export import (
    Exported,
    Selection,
    export_instance,
)

UNSEEN = "this account does not see the field {} (a role may hide fields)"
LIMITED = "this account may be limited to locations"

LOCATIONS = [{"name": "North", "city": "Kiel"}, {"name": "South"}]
ROOMS = [{"building_id": name, "number": "1", "description": "Store"} for name in ("North", "South")]
OBJECTS = [
    {"barcode": "1", "inventory_name": "One", "actual_room": "North/1", "serial_number": "S-1", "weight": "1.500"},
    {"barcode": "2", "inventory_name": "Two", "actual_room": "South/1", "description": "Blue"},
    {"barcode": "3", "inventory_name": "Three"},
]
FILES: dict[str, str | bytes] = {
    "locations.yml": yaml_list(LOCATIONS),
    "rooms.yml": yaml_list(ROOMS),
    "objects.yml": yaml_list(OBJECTS),
}


def restricted(site: Site, **limits: Any) -> Site:
    """The same files and instance, for an account with limits."""
    user = site.service.steer("POST", "/users", limits)
    account = {name: user[name] for name in ("username", "password")}
    return replace(site, options={**site.options, **account})


def locations(site: Site, *names: str) -> list[str]:
    """The uuids of locations."""
    client = site.client(read_only=True)
    return [one.uuid for one in client.list_all(KINDS["location"]) if one.flat["name"] in names]


def one(site: Site, kind: str, fields: dict[str, Any], **more: Any) -> Any:
    """The result of the module for one record."""
    return ensure(site.client(), DesiredRecord(KINDS[kind], fields, **more))


@pytest.fixture
def house(site: Site) -> Site:
    """Two locations with a room each, and three objects, one of them in no room."""
    site.write(FILES)
    assert site.run().outcome == "changed"
    return site


# ---- hidden fields


@pytest.mark.parametrize("value", ["Blue", "Red", "", None])
def test_a_hidden_field_is_not_written(house: Site, value: str | None) -> None:
    account = restricted(house, hidden_fields=["description"])
    house.service.clear_log()
    with pytest.raises(SeventhingsError) as refused:
        one(account, "object", {"barcode": "2", "description": value})
    assert UNSEEN.format("description") in refused.value.message
    account.write({"objects.yml": yaml_list([{**OBJECTS[1], "description": value}])})
    for found in (account.plan(), account.run()):
        assert {UNSEEN.format("description") in line for line in found.findings} == {True}
    assert house.writes() == []


def test_a_hidden_field_that_is_not_written_is_not_compared(house: Site) -> None:
    account = restricted(house, hidden_fields=["description", "weight", "city"])
    assert not one(account, "object", {"barcode": "2", "inventory_name": "Two"}).changed
    assert one(account, "object", {"barcode": "2", "inventory_name": "2"}).changed
    thing = {"barcode": "2", "inventory_name": "2"}
    account.write({"locations.yml": "- name: North\n", "rooms.yml": "[]\n", "objects.yml": yaml_list([thing])})
    assert account.run().outcome == "unchanged"


@pytest.mark.parametrize(
    ("kind", "fields", "key"),
    [
        ("object", {"barcode": "1"}, "barcode"),
        ("object", {"barcode": "1", "state": "absent"}, "barcode"),
        ("location", {"name": "North"}, "name"),
    ],
)
@pytest.mark.parametrize("empty_keys", ["sent", "left_out"])
def test_a_hidden_natural_key_is_an_error_at_once(
    house: Site, kind: str, fields: dict[str, Any], key: str, empty_keys: str
) -> None:
    house.service.steer("PUT", "/switches", {"empty_keys": empty_keys})
    account = restricted(house, hidden_fields=[key])
    state = fields.pop("state", "present")
    house.service.clear_log()
    with pytest.raises(SeventhingsError) as refused:
        one(account, kind, dict(fields), state=state)
    fields["state"] = state
    assert UNSEEN.format(key) in refused.value.message
    account.write({"locations.yml": "[]\n", "rooms.yml": "[]\n", "objects.yml": "[]\n"})
    account.write(
        {f"{kind}s.yml": yaml_list([{"_state" if name == "state" else name: fields[name] for name in fields}])}
    )
    assert any(UNSEEN.format(key) in line for line in account.run().findings)
    assert house.writes() == []


def test_what_decides_about_a_set_must_be_seen(house: Site) -> None:
    account = restricted(house, hidden_fields=["serial_number"])
    settings = "api: seventhings/v1\nset: test\n"
    account.write({"objects.yml": yaml_list([{"barcode": "3"}])})
    account.write({"instance.yml": settings + "scope: {objects: {serial_number: [S-1]}}\n"})
    assert any(
        f"scope.objects.serial_number: {UNSEEN.format('serial_number')}" in one for one in account.plan().findings
    )
    prune = "policy: {prune: {objects: archive}}\n"
    account.write({"instance.yml": f"{settings}marker: serial_number\n{prune}"})
    assert any(UNSEEN.format("serial_number") in one for one in account.plan().findings)


def test_a_reference_by_a_hidden_name_says_why_nothing_is_found(house: Site) -> None:
    account = restricted(house, hidden_fields=["name"])
    with pytest.raises(SeventhingsError) as refused:
        one(account, "room", {"building_id": "North", "number": "1"})
    assert UNSEEN.format("name") in refused.value.message
    account.write({"locations.yml": "[]\n", "objects.yml": "[]\n"})
    assert any(UNSEEN.format("name") in line for line in account.plan().findings)


def test_a_filter_by_a_hidden_field_is_an_error(house: Site) -> None:
    def listed(site: Site, **filters: Any) -> int:
        return list_records(site.client(read_only=True), KINDS["object"], None, filters, (), None).count

    assert listed(house, description="Blue") == 1
    account = restricted(house, hidden_fields=["description"])
    with pytest.raises(SeventhingsError) as refused:
        listed(account, description="Blue")
    assert refused.value.message == f"filters.description: {UNSEEN.format('description')}"
    assert listed(account, serial_number="S-1") == 1


# ---- where empty keys are left out


def test_a_new_field_is_filled_where_empty_keys_are_left_out(house: Site) -> None:
    house.service.steer("PUT", "/switches", {"empty_keys": "left_out"})
    house.write({"fields/asset.yml": "- {label: Colour, type: TEXT}\n"})
    house.write({"objects.yml": yaml_list([{**OBJECTS[0], "Colour": "Blue"}, *OBJECTS[1:]])})
    assert house.run().outcome == "changed"
    assert house.run().outcome == "unchanged"
    assert one(house, "object", {"barcode": "1", "cover": []}).changed is False
    assert one(house, "object", {"barcode": "1", "manual": "https://acme.example"}).changed
    assert not one(house, "object", {"barcode": "1", "manual": "https://acme.example"}).changed


def test_a_field_that_is_hidden_after_all_is_written_once_and_told(house: Site) -> None:
    house.service.steer("PUT", "/switches", {"empty_keys": "left_out"})
    account = restricted(house, hidden_fields=["description", "manual"])
    with pytest.raises(SeventhingsError) as lost:
        one(account, "object", {"barcode": "1", "manual": "https://acme.example"})
    assert UNSEEN.format("manual") in lost.value.message
    assert "was written, but" in lost.value.message
    green = [{"barcode": number, "description": "Green"} for number in "12"]
    account.write({"rooms.yml": "[]\n", "objects.yml": yaml_list(green)})
    told = account.run()
    assert told.outcome == "partly_applied"
    assert [UNSEEN.format("description") in one["reason"] for one in told.failures] == [True]
    assert told.summary["objects"]["updated"] == 1


# ---- hidden records


def test_a_duplicate_that_no_list_shows_may_be_in_a_location_that_is_hidden(house: Site) -> None:
    account = restricted(house, locations=locations(house, "North"))
    with pytest.raises(SeventhingsError) as refused:
        one(account, "object", {"barcode": "2", "inventory_name": "Two"})
    assert LIMITED in refused.value.message
    told = account.run()
    assert [LIMITED in one["reason"] for one in told.failures] == [True]
    assert len(house.client().list_all(KINDS["object"])) == len(OBJECTS)
    hidden = next(one.uuid for one in house.client().list_all(KINDS["object"]) if one.flat["barcode"] == "2")
    with pytest.raises(SeventhingsError, match=LIMITED):
        one(account, "object", {"inventory_name": "2"}, uuid=hidden)


def test_an_object_that_goes_out_of_sight_says_so(house: Site) -> None:
    account = restricted(house, locations=locations(house, "North"))
    with pytest.raises(SeventhingsError, match=LIMITED):
        one(account, "object", {"barcode": "9", "inventory_name": "Nine", "actual_room": "South/1"})


# ---- service_info and exports


def test_service_info_tells_what_the_account_does_not_see(house: Site) -> None:
    def told(account: Site) -> tuple[Any, Any]:
        said = service_info(account.client(read_only=True))
        return said["restricted_fields"], said["hidden_records"]

    assert told(house) == ({}, "no")
    assert told(restricted(house, hidden_fields=["weight", "area"])) == ({"object": ["weight"], "room": ["area"]}, "no")
    north = locations(house, "North")
    both = {"object": ["weight"]}
    assert told(restricted(house, hidden_fields=["weight"], locations=north)) == (both, "unknown")


def exported(site: Site) -> Exported:
    """What an export reads."""
    client = site.client(read_only=True)
    site.root.mkdir(exist_ok=True)
    return export_instance(client, Selection(), Downloads(client, site.root / ".held", {}, {}))


def test_an_export_names_a_hidden_field_and_does_not_write_it(house: Site) -> None:
    found = exported(restricted(house, hidden_fields=["description", "city"]))
    for section in ("objects", "rooms"):
        assert f"{section}: description: {UNSEEN.format('description')}, so no file holds it" in found.left_out
        assert "description" not in [field.key for field in found.columns[section]]
        assert not any("description" in row for row in found.sections[section])
    assert "serial_number" in [field.key for field in found.columns["objects"]]
    with pytest.raises(SeventhingsError) as refused:
        exported(restricted(house, hidden_fields=["barcode"]))
    assert f"objects: barcode: {UNSEEN.format('barcode')}" in refused.value.message


# ---- at random


@pytest.mark.parametrize("seed", range(200 if LONG else 8))
def test_no_account_makes_a_twin_or_changes_anything_in_vain(house: Site, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    weather = {"empty_keys": chance.choice(("sent", "left_out")), "places_filter": chance.choice(("honour", "ignore"))}
    house.service.steer("PUT", "/switches", weather)
    keys = ("barcode", "name", "number", "building_id", "description", "serial_number", "city", "weight", "actual_room")
    limits: dict[str, Any] = {"hidden_fields": chance.sample(keys, chance.randrange(4))}
    if chance.random() < 0.5:
        limits["locations"] = locations(house, *chance.sample(("North", "South"), chance.randrange(3)))
    account = replace(restricted(house, **limits), root=tmp_path / "theirs")
    account.root.mkdir()
    account.write(FILES)
    before = house.dump()
    house.service.clear_log()
    planned, told = account.plan(), account.run()
    after = house.dump()
    for section, members in after.items():
        assert len(members) == len(before[section]), (limits, weather, section)
    sent = [line for line in house.writes() if not line.startswith("POST /object")]
    seen_anyway = weather["empty_keys"] == "left_out"
    assert sent == [] or seen_anyway, (limits, weather)
    assert after == before or seen_anyway
    lines = [*planned.findings, *(one["reason"] for one in told.failures)]
    assert told.outcome == "unchanged" or all("this account" in line for line in lines), (limits, weather, lines)
    if told.outcome == "unchanged":
        assert not any(line.startswith("POST") for line in house.writes())
