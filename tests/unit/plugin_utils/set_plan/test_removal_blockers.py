# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A place is not removed while a record that stays is in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from instance_site import Site, yaml_list
from records import record_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT, ROOM
from ansible_collections.community.seventhings.plugins.plugin_utils.instance import run
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan import archived, removal_blockers

TASK_LIMITS = {"delete_percent": 100, "update_percent": 100}
"""The limits of every task in this file."""

SETTINGS = (
    "api: seventhings/v1\nset: test\npolicy:\n"
    "  prune: {locations: delete, rooms: delete, persons: delete, objects: delete}\n"
)
LOCATIONS = [{"name": "North"}, {"name": "South"}]
ROOMS = [record_of(ROOM, name) for name in ("North/1", "North/2")]
PERSONS = [{"email": "ada@acme.example"}, {"email": "eva@acme.example"}]


def thing(barcode: str, **fields: Any) -> dict[str, Any]:
    """Return an object as files have it."""
    return {"barcode": barcode, "inventory_name": f"Thing {barcode}", **fields}


def files(**sections: list[dict[str, Any]]) -> dict[str, str | bytes]:
    """Return the files of a directory."""
    return {
        "instance.yml": SETTINGS,
        **{f"{name}.yml": yaml_list(records) or "[]\n" for name, records in sections.items()},
    }


def others(site: Site, *objects: dict[str, Any], **sections: list[dict[str, Any]]) -> None:
    """Create records that this set does not know."""
    root = site.root / ".others"
    root.mkdir(exist_ok=True)
    theirs = Site(root, site.service, site.options)
    settings = "api: seventhings/v1\nset: others\nobserved: {objects: []}\n"
    theirs.write({"instance.yml": settings, "objects.yml": yaml_list(objects) or "[]\n"})
    theirs.write({f"{name}.yml": yaml_list(records) for name, records in sections.items()})
    assert theirs.run().outcome == "changed"


@pytest.fixture
def house(site: Site) -> Site:
    """Apply two locations, two rooms and two persons that belong to the set."""
    site.write(files(locations=LOCATIONS, rooms=ROOMS, persons=PERSONS))
    assert site.run().outcome == "changed"
    return site


def refused(site: Site) -> str:
    """Return the only finding of the plan and of the run. Nothing may be sent."""
    site.service.clear_log()
    (planned,) = site.plan().findings
    result = site.run()
    assert result.outcome == "failed"
    assert result.findings == [planned]
    assert site.writes() == []
    return planned


@pytest.mark.parametrize("links", ["object", "integer", "zero"])
def test_a_room_with_an_unmanaged_object_is_not_removed(house: Site, links: str) -> None:
    others(house, thing("99", target_room="North/2"), thing("98"), thing("97", target_room="North/1"))
    house.service.steer("PUT", "/switches", {"link_read": links})
    house.write(files(locations=LOCATIONS, rooms=ROOMS[:1], persons=PERSONS))
    assert refused(house) == (
        "prune of rooms: room North/2 is to be removed, and object 99 (target_room) refers to it; first move or "
        "clear what refers to it, or keep the room"
    )


def test_a_person_who_is_named_in_an_unmanaged_object_stays(house: Site) -> None:
    others(house, thing("99", responsible_person="eva@acme.example"))
    house.write(files(locations=LOCATIONS, rooms=ROOMS, persons=PERSONS[:1]))
    message = refused(house)
    assert "person eva@acme.example is to be removed, and object 99 (responsible_person) refers to it" in message


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"rooms": [record_of(ROOM, "South/Hall")]}, "room South/Hall (building_id) refers to it"),
        ({"objects": [thing("99", target_building="South")]}, "object 99 (target_building) refers to it"),
        ({"objects": [thing("99", actual_building="South")]}, "object 99 (actual_building) refers to it"),
    ],
)
def test_a_location_with_content_is_not_removed(house: Site, sections: dict[str, Any], words: str) -> None:
    others(house, **{"objects": [], **sections})
    house.write(files(locations=LOCATIONS[:1], rooms=ROOMS, persons=PERSONS))
    message = refused(house)
    assert message.startswith("prune of locations: location South is to be removed, and ")
    assert words in message


def test_a_few_of_many_are_named(house: Site) -> None:
    others(house, *(thing(f"9{number}", target_room="North/2") for number in range(6)))
    house.write(files(locations=LOCATIONS, rooms=ROOMS[:1], persons=PERSONS))
    named = "object 90 (target_room), object 91 (target_room), object 92 (target_room) and 3 more refer to it"
    assert named in refused(house)


def test_a_managed_object_whose_room_is_in_no_file_is_there_too(house: Site) -> None:
    others(house, thing("5", target_room="North/2"))
    house.write(files(locations=LOCATIONS, rooms=ROOMS[:1], persons=PERSONS, objects=[thing("5", serial_number="S")]))
    assert "object 5 (target_room) refers to it" in refused(house)


def test_blockers_of_a_room_that_the_files_remove_by_name_are_found(house: Site) -> None:
    others(house, thing("99", target_room="North/2"))
    rooms = [ROOMS[0], {**ROOMS[1], "_state": "absent"}]
    house.write(files(locations=LOCATIONS, rooms=rooms, persons=PERSONS))
    assert refused(house).startswith("rooms.yml:3:3: room North/2 is to be removed, and object 99 (target_room)")


# ---- what leaves


@pytest.fixture
def full(house: Site) -> Site:
    """Apply an object of the set in the second room."""
    house.write(files(locations=LOCATIONS, rooms=ROOMS, persons=PERSONS, objects=[thing("5", target_room="North/2")]))
    assert house.run().outcome == "changed"
    house.service.clear_log()
    return house


def without_the_room(site: Site, *objects: dict[str, Any], settings: str = SETTINGS) -> None:
    """Remove the second room from the files."""
    written = files(locations=LOCATIONS, rooms=ROOMS[:1], persons=PERSONS, objects=list(objects))
    site.write({**written, "instance.yml": settings})


@pytest.mark.parametrize("room", ["North/1", None])
def test_an_object_that_moves_in_the_same_run_does_not_block_its_old_room(full: Site, room: str | None) -> None:
    without_the_room(full, thing("5", target_room=room))
    assert full.run().outcome == "changed"
    assert [line.split("/")[0:2] for line in full.writes()] == [["PATCH ", "object"], ["DELETE ", "room"]]


def test_a_location_is_removed_together_with_its_content(full: Site) -> None:
    full.write(files(locations=LOCATIONS[1:], rooms=[], persons=PERSONS, objects=[]))
    assert full.run(allow=["empty_sources"]).outcome == "changed"
    assert [len(full.dump()[name]) for name in ("objects", "rooms", "locations")] == [0, 0, 1]


def test_an_archived_object_keeps_its_room(full: Site) -> None:
    settings = SETTINGS.replace("objects: delete", "objects: archive")
    without_the_room(full, settings=settings)
    (finding,) = full.plan(allow=["empty_sources"]).findings
    assert "object 5 (target_room, also when it is archived) refers to it" in finding


def test_excluded_objects_still_block_their_room(full: Site) -> None:
    without_the_room(full, thing("5", target_room="North/1"))
    (finding,) = full.run(exclude=["5"]).findings
    assert "room North/2 is to be removed, and object 5 (target_room) refers to it" in finding
    assert full.run(exclude=["rooms"]).outcome == "changed"


def test_a_room_stays_where_what_is_in_it_could_not_be_moved(full: Site) -> None:
    others(full, thing("6", target_room="North/2"))
    full.service.clear_log()
    without_the_room(full, thing("5", target_room="North/1"), thing("6", target_room="North/1"))
    (uuid,) = (record.uuid for record in full.client().list_all(OBJECT) if record.flat["barcode"] == "5")
    full.service.steer("PUT", "/faults", [{"fault": "422", "method": "PATCH", "path": f"*/object/{uuid}"}])
    result = full.run()
    assert result.outcome == "partly_applied"
    assert [line for line in full.writes() if line.startswith("DELETE")] == []
    assert any("object 5 still refers to it" in str(failure) for failure in result.failures)
    full.service.steer("DELETE", "/faults")
    assert full.run().outcome == "changed"


def test_a_room_with_a_stale_move_is_not_removed(full: Site, tmp_path: Path) -> None:
    without_the_room(full, thing("5", target_room="North/1"))
    path = tmp_path / "plan.json"
    assert full.plan(plan_file=path).outcome == "changed"
    others(full, thing("5", serial_number="changed by somebody else"))
    full.service.clear_log()
    result = full.run(plan_file=path, stale="skip")
    assert full.writes() == []
    assert any(warning.startswith("room North/2 can't be removed") for warning in result.warnings)


# ---- what it takes


def test_objects_are_read_only_where_something_is_removed(house: Site) -> None:
    house.service.clear_log()
    assert house.plan().outcome == "unchanged"
    assert not any(line.endswith(("/objects", "/asset/field-definitions")) for line in house.sent())
    house.write(files(locations=LOCATIONS, rooms=ROOMS[:1], persons=PERSONS))
    assert house.plan().outcome == "changed"
    assert sum(line.endswith("/objects") for line in house.sent()) == 1


def test_archived_objects_without_a_field_for_persons_prevent_no_deletion(
    house: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.write(files(locations=LOCATIONS, rooms=ROOMS, persons=PERSONS[:1]))
    (warning,) = house.plan().warnings
    assert warning.startswith(
        "persons: deleting 1 of them may fail, or leave links to what is deleted: archived objects"
    )
    monkeypatch.setattr(removal_blockers, "TEMPLATE_KINDS", {})
    assert house.plan().warnings == []


def test_a_room_that_is_only_changed_may_be_occupied(full: Site) -> None:
    rooms = [ROOMS[0], {**ROOMS[1], "name": "Hall"}]
    full.write(files(locations=LOCATIONS, rooms=rooms, persons=PERSONS, objects=[thing("5", target_room="North/2")]))
    assert (full.run().outcome, len(full.writes())) == ("changed", 1)


def test_an_archived_object_that_is_brought_back_keeps_its_room(full: Site) -> None:
    client = full.client()
    archived = next(record for record in client.list_all(OBJECT) if record.flat["barcode"] == "5")
    client.archive(OBJECT, archived.uuid)
    full.write(files(rooms=[ROOMS[0]], objects=[thing("5")]))
    assert "object 5 (target_room) refers to it" in "".join(full.plan().findings)


@pytest.mark.parametrize("written", ["North/2", "North/1"])
@pytest.mark.parametrize("left_out", ["observed", "ignored", "ignored in the record", "unmanaged"])
def test_a_written_room_that_is_left_out_of_the_plan_blocks_a_removal(house: Site, left_out: str, written: str) -> None:
    objects = [thing("1", target_room="North/1", actual_room="North/2")]
    house.write({**files(objects=objects), "instance.yml": SETTINGS + "observed: {objects: []}\n"})
    assert house.run().outcome == "changed"
    nothing = SETTINGS + "observed: {objects: []}\n"
    settings = {"observed": SETTINGS, "ignored": f"{nothing}lifecycle: {{objects: {{ignore: [actual_room]}}}}\n"}
    own: dict[str, dict[str, Any]] = {
        "unmanaged": {"_managed": False},
        "ignored in the record": {"_lifecycle": {"ignore": ["actual_room"]}},
    }
    thing_now = {**objects[0], "actual_room": written, **own.get(left_out, {})}
    house.write(files(locations=LOCATIONS, persons=PERSONS, rooms=[ROOMS[0]], objects=[thing_now]))
    house.write({"instance.yml": settings.get(left_out, nothing)})
    house.service.clear_log()
    (message,) = house.plan().findings
    assert "prune of rooms: room North/2 is to be removed, and object 1 (actual_room) refers to it" in message
    assert house.run().outcome == "failed"
    assert house.writes() == []


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_room_is_not_removed_while_the_row_of_an_archived_object_names_it(
    site: Site, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The first run after the archiving reads all objects, and later runs only some of them."""
    monkeypatch.setattr(archived, "SAMPLE", 1)
    columns = "{Code: barcode, Name: inventory_name, Room: target_room}"
    settings = f"tables: [{{files: objects/list.csv, columns: {columns}, archived: keep}}]\n"
    rows = "".join(f"{code},Thing,North/{code}\n" for code in (1, 2, 3))
    rooms = [record_of(ROOM, f"North/{code}") for code in (1, 2, 3)]
    site.write(files(locations=LOCATIONS, rooms=rooms))
    site.write({"instance.yml": SETTINGS + settings, "objects/list.csv": f"Code,Name,Room\n{rows}"})
    site.run()
    client = site.client()
    for record in client.list_all(OBJECT):
        client.archive(OBJECT, record.uuid)
    assert site.run().outcome == "unchanged"
    site.write({"rooms.yml": yaml_list(room for room in rooms if room["number"] != str(number))})
    assert refused(site) == (
        f"objects/list.csv:{number + 1}:9: target_room: room North/{number} is to be removed at prune of rooms"
    )


def test_a_room_is_not_removed_while_an_archived_object_that_nobody_read_names_it(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archived, "SAMPLE", 0)
    monkeypatch.setattr(run, "SAMPLE", 0)
    monkeypatch.setattr(run, "MOST_OF_A_RUN", 0)
    site.write(files(locations=LOCATIONS, rooms=ROOMS, objects=[thing("1", target_room="North/2")]))
    site.run()
    site.write({"objects.yml": yaml_list([thing("1", target_room="North/2", _state="archived")])})
    assert site.run().outcome == "changed"
    site.write({"rooms.yml": yaml_list(ROOMS[:1])})
    assert refused(site).endswith("target_room: room North/2 is to be removed at prune of rooms")
