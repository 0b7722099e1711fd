# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accounts that are limited to fields or locations, at random: no record that exists is taken for gone or for new."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import steps
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    HUB_ITEM,
    LOCATION,
    OBJECT,
    RENTAL_CASE,
    ROOM,
    TASK,
    USER,
)
from ansible_collections.community.seventhings.plugins.module_utils.operations.hub_items import offered_items
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.action import absorb_instance
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load

ANY = {"create_percent": 1000, "update_percent": 1000, "delete_percent": 100}
PRUNE = {"objects": "archive", "tasks": "delete", "rental_cases": "delete", "rooms": "delete"}
SETTINGS = f"api: seventhings/v1\nset: test\npolicy: {{prune: {PRUNE}}}\nobserved: {{objects: []}}\n".replace("'", "")
PLACES = ("North", "South", "West")
OBJECTS = [
    {"barcode": str(number), "inventory_name": f"Thing {number}", "description": "Blue", **where}
    for number, where in enumerate(
        [*({"actual_room": f"{PLACES[number % 3]}/{number % 2}"} for number in range(7)), {}, {}]
    )
]
FIELDED = ("location", "room", "object")
"""Modules that take the fields of a record in one option."""
FIELDS = ("barcode", "name", "number", "building_id", "description", "inventory_name", "actual_room", "title")


def files(email: str) -> dict[str, list[dict[str, Any]]]:
    """Return records about each object: an offer, a task, a rental case."""
    task = {"deadline": "2031-05-31", "assignees": [email]}
    case = {"due_date": "2031-06-02", "responsible_user": email, "renter": {"type": "plain", "value": "Ada"}}
    case |= {"issue_date": "2031-06-01", "status": "requested"}
    barcodes = [str(record["barcode"]) for record in OBJECTS]
    return {
        "locations": [{"name": name} for name in PLACES],
        "rooms": [{"building_id": name, "number": number} for name in PLACES for number in "01"],
        "objects": OBJECTS,
        "tasks": [{**task, "title": f"Look at {code}", "references": [code]} for code in barcodes[::2]],
        "rental_cases": [{**case, "title": f"Lend {code}", "references": [code]} for code in barcodes[1::2]],
        "hub": [{"object": code, "category": "category_it", "price": 4} for code in barcodes[::3]],
    }


@pytest.fixture
def house(site: Site) -> Site:
    """Apply objects in three locations and outside them, with records about each."""
    email = site.client().list_all(USER)[0].flat["email"]
    contents = {f"{section}.yml": yaml_list(records) for section, records in files(email).items()}
    site.write({"instance.yml": SETTINGS, **contents})
    assert site.run().outcome == "changed"
    return site


def records(site: Site) -> dict[str, dict[str, Record]]:
    """Return the records that exist, by kind and identity."""
    client = site.client(read_only=True)
    found = {kind.name: client.list_all(kind) for kind in (LOCATION, ROOM, OBJECT, TASK, RENTAL_CASE)}
    found[HUB_ITEM.name] = offered_items(client)
    return {name: {record.identity: record for record in members} for name, members in found.items()}


def key_of(record: Record) -> str:
    flat = record.flat
    names = ("barcode", "title", "asset_id") if record.kind is not ROOM else ("building_id", "number")
    return " ".join(str(flat[name]) for name in names if name in flat) or str(flat.get("name"))


def check_nothing_twice(now: dict[str, dict[str, Record]], words: Any) -> None:
    for name, members in now.items():
        twice = [key for key, number in Counter(map(key_of, members.values())).items() if number > 1]
        assert not twice, (words, name, twice)


def links(record: Record) -> list[str]:
    return [reference["uuid"] for reference in record.flat.get("references") or ()]


def limited(site: Site, chance: random.Random) -> tuple[Site, dict[str, Any]]:
    """Return the same files for an account with random limits, and these limits."""
    sides = {"hidden_objects": chance.choice(("unreadable", "readable", "nowhere"))}
    sides |= {"empty_keys": chance.choice(("sent", "left_out"))}
    site.service.steer("PUT", "/switches", sides)
    limits: dict[str, Any] = {"hidden_fields": chance.sample(FIELDS, chance.choice((0, 0, 1, 2)))}
    if not limits["hidden_fields"] or chance.random() < 0.5:
        names = chance.sample(PLACES, chance.randrange(3))
        every = site.client(read_only=True).list_all(LOCATION)
        limits["locations"] = [record.uuid for record in every if record.flat["name"] in names]
        sides["locations"] = " ".join(names)
    user = site.service.steer("POST", "/users", limits)
    account = {name: user[name] for name in ("username", "password")}
    return replace(site, options={**site.options, **account}), {**limits, **sides}


def absorb(site: Site, **options: Any) -> dict[str, Any]:
    given = {
        **site.service.options(),
        "tuning": {"token_cache": False},
        "rate_limit": 0,
        **site.options,
        "src": str(site.root),
    }
    chosen = {**given, "limits": ANY, **options}
    documented = documented_spec("instance_absorb")
    spec = {name: chosen.get(name, option.get("default")) for name, option in documented.items()}
    return absorb_instance(spec, False, None, {})


def written(site: Site) -> set[tuple[str, str]]:
    """Return section and key of each record that the files want to exist."""
    names = ("barcode", "title", "object")
    return {
        (entry.kind.section, next((str(entry.fields[name]) for name in names if name in entry.fields), ""))
        for entry in load(site.root).entries
        if entry.state == "present"
    }


def delete_some(house: Site, chance: random.Random) -> set[str]:
    """Delete a task and a rental case in the application. Return their identities."""
    client, deleted = house.client(), set()
    for kind in (TASK, RENTAL_CASE):
        record = chance.choice(client.list_all(kind))
        client.delete(kind, record.uuid)
        deleted.add(record.identity)
    return deleted


@pytest.mark.sample(4)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_absorb_and_apply_decide_nothing_wrong(house: Site, seed: int) -> None:
    chance = random.Random(seed)
    before, wanted = records(house), written(house)
    deleted = delete_some(house, chance)
    gone = [before[kind.name][identity] for kind in (TASK, RENTAL_CASE) for identity in deleted & {*before[kind.name]}]
    account, words = limited(house, chance)

    done = absorb(account, gone=chance.choice(("remove", "absent")))
    assert wanted - written(house) <= {(record.kind.section, str(record.flat["title"])) for record in gone}, words
    result = house.run(allow=["empty_sources"], limits=ANY)
    assert result.outcome in ("changed", "unchanged"), (words, done.get("msg"), result)
    now = records(house)
    for name, members in before.items():
        assert members.keys() - deleted <= now[name].keys(), (words, name)
    check_nothing_twice(now, words)

    before, more = now, {"barcode": "90", "inventory_name": "New"}
    kept = [record for record in OBJECTS if chance.random() < 0.8]
    absent = {**chance.choice(OBJECTS), "_state": "absent"}
    objects = [*(record for record in kept if record["barcode"] != absent["barcode"]), absent, more]
    account.write({"objects.yml": yaml_list(objects)})
    for section in ("tasks", "rental_cases", "hub"):
        (house.root / f"{section}.yml").unlink()
    seen = {record.identity for record in account.client(read_only=True).list_all(OBJECT)}
    planned = account.plan(allow=["empty_sources"], limits=ANY)
    applied = account.run(allow=["empty_sources"], limits=ANY)
    assert planned.hidden_records == applied.hidden_records or applied.outcome == "failed", words
    now = records(house)
    named = {str(record["barcode"]) for record in objects} - {absent["barcode"]}
    for identity, record in before[OBJECT.name].items():
        may_go = record.flat["barcode"] not in named and identity in seen
        assert identity in now[OBJECT.name] or may_go, (words, record.flat, applied)
    for name in (LOCATION.name, ROOM.name, TASK.name, RENTAL_CASE.name):
        assert before[name].keys() == now[name].keys(), (words, name)
        assert list(map(links, before[name].values())) == list(map(links, now[name].values())), (words, name)
    # An offer may end with its object.
    ids = {record.id for record in now[OBJECT.name].values()}
    lasting = {mark for mark, offer in before[HUB_ITEM.name].items() if offer.flat["asset_id"] in ids}
    assert lasting <= now[HUB_ITEM.name].keys() <= before[HUB_ITEM.name].keys(), words
    check_nothing_twice(now, words)


@pytest.mark.sample(4)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_modules_decide_nothing_wrong(house: Site, seed: int) -> None:
    chance = random.Random(seed)
    before = records(house)
    account, words = limited(house, chance)
    options = {**house.service.options(), "rate_limit": 0, "tuning": {"token_cache": False}, **account.options}
    email = house.client(read_only=True).list_all(USER)[0].flat["email"]
    every = files(email)
    hub = [{"object": offer["object"]} for offer in every["hub"]]
    for name, fields in (
        *(("location", record) for record in every["locations"]),
        *(("room", record) for record in every["rooms"]),
        *(("object", record) for record in every["objects"]),
        *(("task", record) for record in every["tasks"]),
        *(("rental_case", record) for record in every["rental_cases"]),
        *(("hub_item", record) for record in hub),
    ):
        given = fields if name == "hub_item" else {"fields": fields} if name in FIELDED else fields
        wanted = steps.call(name, {**options, **given}).data
        assert wanted.get("failed") or not wanted["changed"], (words, name, fields, wanted)
        absent = steps.call(name, {**options, **given, "state": "absent"}, True).data
        is_said = any("account" in line for line in (absent.get("msg", ""), *absent.get("warnings", ())))
        assert absent.get("changed") or is_said, (words, name, fields, absent)
    now = records(house)
    assert {name: members.keys() for name, members in now.items()} == {
        name: members.keys() for name, members in before.items()
    }, words
