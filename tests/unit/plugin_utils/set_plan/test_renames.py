# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renames: the target keeps its uuid, on every instance, and a rename without effect is reported."""

from __future__ import annotations

from typing import Any

import pytest
from instance_site import Site


def _objects(*barcodes: str) -> str:
    return "".join(f"- {{barcode: '{barcode}', inventory_name: N{barcode}}}\n" for barcode in barcodes)


def _moved(section: str, *pairs: tuple[str, str]) -> dict[str, str | bytes]:
    lines = "".join(f"- {{from: {{{old}}}, to: {{{new}}}}}\n" for old, new in pairs)
    return {"moved.yml": f"{section}:\n{lines}"}


def _changes(site: Site, **order: Any) -> list[tuple[str, str]]:
    planned = site.plan(**order)
    assert not planned.findings
    return [(change["action"], change["key"]) for change in planned.changes]


def _applied(site: Site) -> None:
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_record_may_move_to_one_that_the_same_files_make(site: Site) -> None:
    room = "- {{building_id: {}, number: '1', description: {}}}\n"
    site.write({"locations.yml": "- name: A\n", "rooms.yml": room.format("A", "by hand")})
    site.run()
    site.write(
        {
            **_moved("rooms", ("building_id: A, number: '1'", "building_id: B, number: '1'")),
            "locations.yml": "- name: A\n- name: B\n",
            "rooms.yml": room.format("B", "by hand"),
        }
    )
    assert _changes(site) == [("create", "B"), ("update", "B/1")]
    _applied(site)


@pytest.mark.parametrize("exists", ["1", "2", "3", None])
def test_a_history_of_renames_is_followed_from_wherever_an_instance_is(site: Site, exists: str | None) -> None:
    if exists:
        site.write({"objects.yml": _objects(exists)})
        site.run()
    pairs = [("barcode: '1'", "barcode: '2'"), ("barcode: '2'", "barcode: '3'")]
    site.write({**_moved("objects", *pairs), "objects.yml": "- {barcode: '3', inventory_name: New}\n"})
    assert _changes(site) == [("update" if exists else "create", "3")]
    _applied(site)
    assert len(site.dump()["objects"]) == 1


def test_addresses_are_the_same_in_whatever_case(site: Site) -> None:
    person = "- {{email: {}, first_name: A, last_name: B}}\n"
    site.write({"persons.yml": person.format("anna@acme.example")})
    site.run()
    pair = ("email: anna@acme.example", "email: ann@acme.example")
    site.write({**_moved("persons", pair), "persons.yml": person.format("Ann@acme.example")})
    assert _changes(site) == [("update", "Ann@acme.example")]
    _applied(site)


def test_a_rename_to_what_is_in_no_file_is_found(site: Site) -> None:
    site.write({"objects.yml": _objects("1")})
    site.run()
    site.write({**_moved("objects", ("barcode: '1'", "barcode: '2'")), "objects.yml": _objects("3")})
    (finding,) = site.plan().findings
    assert finding == "moved.yml:2:3: moved.objects: 1 to 2: the files contain no object with the new key"


def test_a_rename_of_a_record_deleted_long_ago_is_not_a_mistake(site: Site) -> None:
    site.write({**_moved("objects", ("barcode: '1'", "barcode: '2'")), "objects.yml": _objects("3")})
    _applied(site)


def test_where_both_are_there_nothing_is_renamed_and_that_is_reported(site: Site) -> None:
    site.write({"objects.yml": _objects("1", "2")})
    site.run()
    site.write({**_moved("objects", ("barcode: '1'", "barcode: '2'")), "objects.yml": _objects("2")})
    planned = site.plan()
    assert planned.outcome == "unchanged"
    (warning,) = planned.warnings
    assert warning.startswith("moved.objects: 1 to 2: both exist, so ")
    # A new record may get the old key.
    site.write({"objects.yml": _objects("1", "2")})
    assert site.plan().warnings == []


def test_a_circle_of_renames_is_found(site: Site) -> None:
    site.write({"objects.yml": _objects("1", "2")})
    site.run()
    site.write(_moved("objects", ("barcode: '1'", "barcode: '2'"), ("barcode: '2'", "barcode: '1'")))
    first, second = site.plan().findings
    assert first.startswith("moved.yml:2:3: moved.objects: 1 to 2 renames in a circle; ")
    assert second.startswith("moved.yml:3:3: moved.objects: 2 to 1 renames in a circle; ")


def test_a_section_of_renames_may_be_empty(site: Site) -> None:
    site.write({"moved.yml": "objects:\n", "objects.yml": _objects("1")})
    _applied(site)


def test_a_rename_that_a_circle_leads_to_is_no_part_of_it(site: Site) -> None:
    pairs = [(f"barcode: '{old}'", f"barcode: '{new}'") for old, new in ("12", "21", "23")]
    site.write({**_moved("objects", *pairs), "objects.yml": _objects("3", "4")})
    findings = site.plan().findings
    circles = [finding.partition(" renames in a circle")[0] for finding in findings if "circle" in finding]
    assert circles == [f"moved.yml:{line}:3: moved.objects: {pair}" for line, pair in ((2, "1 to 2"), (3, "2 to 1"))]


def test_renames_of_records_in_what_does_not_exist_are_findings_and_nothing_else(site: Site) -> None:
    site.write({"locations.yml": "- name: A\n", "rooms.yml": "- {building_id: A, number: '1', name: r}\n"})
    site.run()
    pair = ("building_id: Nowhere, number: '1'", "building_id: A, number: '1'")
    site.write(_moved("rooms", pair))
    assert site.plan().outcome == "unchanged"


def test_renames_in_a_section_of_which_the_files_hold_nothing_are_found(site: Site) -> None:
    site.write({**_moved("objects", ("barcode: '1'", "barcode: '2'")), "locations.yml": "- name: A\n"})
    assert site.plan().findings == ["moved.yml:2:3: moved.objects: the files contain no objects"]


@pytest.mark.parametrize("key", ["number", "name"])
def test_the_file_of_a_plan_may_hold_a_renamed_room_and_what_refers_to_it(
    key: str, site: Site, tmp_path_factory: pytest.TempPathFactory
) -> None:
    room = f"- {{{{building_id: A, {key}: '{{}}'}}}}\n"
    thing = "- {{barcode: '1', inventory_name: {}, target_room: A/{}}}\n"
    site.write({"locations.yml": "- name: A\n", "rooms.yml": room.format(1), "objects.yml": thing.format("x", 1)})
    site.run()
    pair = (f"building_id: A, {key}: '1'", f"building_id: A, {key}: '2'")
    site.write({**_moved("rooms", pair), "rooms.yml": room.format(2), "objects.yml": thing.format("y", 2)})
    path = tmp_path_factory.mktemp("plan") / "plan.json"
    site.plan(plan_file=path)
    result = site.run(plan_file=path)
    assert [(change["action"], change["key"]) for change in result.changes] == [("update", "A/2"), ("update", "1")]
    assert result.outcome == "changed"
    assert site.plan().outcome == "unchanged"


# ---- users of persons whose address changes


USERS = "api: seventhings/v1\nset: test\n"
PERSON = "- {{email: {}, first_name: {}, last_name: B}}\n"


@pytest.mark.parametrize("address", ["ann@acme.example", "Anna@acme.example"])
def test_a_user_is_created_with_the_new_address_of_the_person(site: Site, address: str) -> None:
    site.write({"instance.yml": USERS, "persons.yml": PERSON.format("anna@acme.example", "Anna")})
    site.run()
    site.write(
        {
            **_moved("persons", ("email: anna@acme.example", f"email: {address}")),
            "persons.yml": PERSON.format(address, "Anna"),
            "users.yml": f"- {address}\n",
        }
    )
    _applied(site)
    assert address in [user["email"] for user in site.dump()["users"]]


def test_no_user_is_created_from_a_person_who_takes_over_an_address(site: Site) -> None:
    settings = USERS + "identity: {persons: [first_name]}\n"
    site.write({"instance.yml": settings, "persons.yml": PERSON.format("info@acme.example", "Anna")})
    site.run()
    both = PERSON.format("anna@acme.example", "Anna") + PERSON.format("info@acme.example", "Bob")
    site.write({"persons.yml": both, "users.yml": "- anna@acme.example\n"})
    _applied(site)
    users = {person["fields"]["first_name"]: person["user"] for person in site.dump()["persons"]}
    assert users == {"Anna": "anna@acme.example", "Bob": None}


def test_a_person_with_another_address_keeps_the_user(site: Site) -> None:
    site.write(
        {
            "instance.yml": USERS,
            "persons.yml": PERSON.format("anna@acme.example", "Anna"),
            "users.yml": "- anna@acme.example\n",
        }
    )
    site.run()
    site.write(
        {
            **_moved("persons", ("email: anna@acme.example", "email: ann@acme.example")),
            "persons.yml": PERSON.format("ann@acme.example", "Anna"),
            "users.yml": "- ann@acme.example\n",
            "tasks.yml": "- {title: T, deadline: 2027-01-01, assignees: [ann@acme.example]}\n",
        }
    )
    planned = site.plan()
    assert [(change["action"], change["key"]) for change in planned.changes] == [
        ("update", "ann@acme.example"),
        ("create", "T"),
    ]
    warning = (
        "user ann@acme.example: exists already, as anna@acme.example; this collection does not change the "
        "address of a user"
    )
    assert planned.warnings == [warning]
    _applied(site)
