# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that files can't name are left out and reported, no other record refers to them, and the rest is copied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from emulator_here import running_here
from emulator_process import Emulator
from exports import contents, export_of, loaded, records
from instance_site import Site
from records import key_in_words, record_of

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, ROOM, TEMPLATES

CREATE_USERS = "api: seventhings/v1\n"
_MEMBERS = (
    "uuid",
    "field_key",
    "label",
    "field_type",
    "comment",
    "default_value",
    "possible_values",
    "attributes",
    "relations",
)
UNNAMED = "so files can't name them"
TEMPLATE = "it looks like a template, and files contain no templates"


@pytest.fixture(scope="module")
def _other_service() -> Iterator[Emulator]:
    with running_here("empty") as service:
        yield service


@pytest.fixture
def other(_other_service: Emulator) -> Emulator:
    """Return a second instance that is empty."""
    _other_service.reset()
    return _other_service


def make(site: Site, kind: str, **body: Any) -> str:
    """Create a record from values in the form of requests. Return its uuid."""
    return site.client().create(KINDS[kind], body)


def define(site: Site, template: str, label: str, type_name: str = "TEXT", **attributes: str) -> str:
    """Create a field with attributes in the form of requests. Return its key."""
    body = {
        "label": label,
        "field_type": {"name": type_name, "constraints": []},
        "comment": None,
        "default_value": None,
        "possible_values": [],
        "attributes": [{"type": name, "value": value} for name, value in attributes.items()],
        "relations": [],
    }
    site.client().send("POST", f"/asset-tracking/{template}/field-definition", Effect.UNSAFE, body=body)
    (key,) = [
        definition["field_key"] for definition in site.client().definitions(template) if definition["label"] == label
    ]
    return str(key)


def redefine(site: Site, template: str, field: str, mandatory: bool = False, **members: Any) -> str:
    """Change members of a field, in the form of requests. Return its uuid."""
    (found,) = [
        definition
        for definition in site.client().definitions(template)
        if field in (definition["label"], definition["field_key"])
    ]
    path = f"/asset-tracking/{template}/field-definition/{found['uuid']}"
    kept = {name: found[name] for name in _MEMBERS if name in found}
    if mandatory:
        members["attributes"] = [*found["attributes"], {"type": "mandatory", "value": "yes"}]
    site.client().send("PUT", path, Effect.IDEMPOTENT, body={**kept, **members})
    return str(found["uuid"])


def upload(site: Site, name: str, content: bytes) -> str:
    """Upload a file with any name that the service accepts. Return its uuid."""
    part = {"data": (name, content, "text/plain")}
    answer = site.client().send("POST", "/file", Effect.UNSAFE, files=part)
    return str(answer.headers["Location"].removesuffix("/data").rpartition("/")[2])


def copied(site: Site, other: Emulator, **options: Any) -> dict[str, Any]:
    """Export an instance without changing it, and create a copy whose export is equal. Return the result."""
    out = site.root / "out"
    done = export_of(site, out, **options)
    assert not done.get("failed"), done
    assert len(done["left_out"]) == len(set(done["left_out"]))
    plan = Site(out, site.service).plan()
    assert (plan.findings, plan.changes, plan.outcome) == ([], [], "unchanged")
    (out / "instance.yml").write_text(CREATE_USERS, "utf-8")
    copy = Site(out, other)
    result = copy.run()
    assert (result.findings, result.failures, result.outcome) == ([], [], "changed")
    assert copy.plan().outcome == "unchanged"
    export_of(copy, site.root / "copy", **options)
    assert _records_of(site.root / "copy") == _records_of(out)
    return done


def _records_of(root: Path) -> Mapping[str, bytes]:
    return {path: text for path, text in contents(root).items() if not path.startswith(("schema/", "."))}


# ---- nothing refers to what is left out


def test_an_object_with_blanks_in_its_barcode_is_no_accessory_of_others(site: Site, other: Emulator) -> None:
    blank = make(site, "object", barcode="16 ", inventory_name="A")
    plain = make(site, "object", barcode="18", inventory_name="C")
    make(site, "object", barcode="17", inventory_name="B", accessories=[blank, plain])
    assert copied(site, other)["left_out"] == [
        f"objects: 1 record(s) have a natural key (barcode) that begins or ends with spaces, {UNNAMED}: {blank}",
        f"object 17: accessories: the object {blank} is left out",
    ]
    assert "accessories" not in records(site.root / "out", "objects/0001.yml", "barcode")["17"]


def test_a_record_whose_mandatory_value_can_not_be_written_is_no_accessory_either(site: Site, other: Emulator) -> None:
    odd = make(site, "object", barcode="17", inventory_name="{{ x }}")
    # One object before it and one after it.
    for barcode in ("16", "18"):
        make(site, "object", barcode=barcode, inventory_name="B", accessories=[odd])
    assert copied(site, other)["left_out"] == [
        f"object 16: accessories: the object {odd} is left out",
        f"object 17: left out, because its inventory_name can't be written: {TEMPLATE}",
        f"object 18: accessories: the object {odd} is left out",
    ]


def test_rooms_of_a_location_that_is_left_out_are_left_out_and_what_refers_to_them(site: Site, other: Emulator) -> None:
    north = make(site, "location", name="North ")
    room = make(site, "room", **{**record_of(ROOM, "North/1"), "building_id": north})
    make(site, "object", barcode="17", inventory_name="B", target_room=room, target_building=north)
    done = copied(site, other)
    assert done["left_out"] == [
        f"locations: 1 record(s) have a natural key (name) that begins or ends with spaces, {UNNAMED}: {north}",
        f"rooms: 1 record(s) have a natural key ({key_in_words(ROOM)}) that can't be written, {UNNAMED}: {room}",
        f"object 17: target_building: the location {north} is left out",
        f"object 17: target_room: the room {room} is left out",
    ]
    assert (done["summary"]["locations"], done["summary"]["rooms"], done["summary"]["objects"]) == (0, 0, 1)


def test_a_user_of_a_person_who_is_left_out_is_left_out_with_tasks_and_loans(site: Site, other: Emulator) -> None:
    rest = "issue_date: 2027-01-01, due_date: 2027-02-01, references: ['1']"
    site.write(
        {
            "instance.yml": CREATE_USERS,
            "persons.yml": "".join(
                f"- {{email: {name}@acme.example, first_name: {name}, last_name: L}}\n" for name in ("ada", "ben")
            ),
            "users.yml": "- ada@acme.example\n- ben@acme.example\n",
            "objects.yml": "- {barcode: '1', inventory_name: One, responsible_user: ada@acme.example}\n",
            "tasks.yml": "".join(
                f"- {{title: T {name}, deadline: 2027-01-01, assignees: [{name}@acme.example]}}\n"
                for name in ("ada", "ben")
            ),
            "rental_cases.yml": f"- {{title: R1, {rest}, responsible_user: ada@acme.example}}\n"
            f"- {{title: R2, {rest}, responsible_user: ben@acme.example, "
            f"renter: {{type: user, value: ada@acme.example}}}}\n",
        }
    )
    assert site.run().outcome == "changed"
    redefine(site, "person", "last_name", mandatory=True)
    client = site.client()
    persons = {record.flat["email"]: record for record in client.list_all(KINDS["person"])}
    client.update(KINDS["person"], persons["ada@acme.example"].uuid, {"last_name": "{{ x }}"})
    done = copied(site, other)
    left_out = "\n".join(done["left_out"])
    assert "users: ada@acme.example: the person is left out" in left_out
    assert "task T ada: left out, because its assignees can't be written: the user " in left_out
    assert "R1/" in left_out
    assert done["summary"]["users"] == 1
    assert list(records(site.root / "out", "tasks.yml", "title")) == ["T ben"]
    assert list(records(site.root / "out", "rental_cases.yml", "title")) == ["R2"]


def test_what_is_left_out_goes_on_from_record_to_record_and_round_in_circles(site: Site, other: Emulator) -> None:
    key = define(site, "asset", "Part of", "LINKED_ASSETS")
    last = before = make(site, "object", barcode="4", inventory_name="{{ x }}")
    for barcode in ("3", "2", "1"):
        before = make(site, "object", barcode=barcode, inventory_name="A", **{key: [before]})
    site.client().update(KINDS["object"], last, {key: [before]})
    redefine(site, "asset", "Part of", mandatory=True)
    make(site, "location", name="N")
    done = copied(site, other)
    assert (done["summary"]["objects"], done["summary"]["locations"]) == (0, 1)
    assert [line.partition(" can't be")[0] for line in done["left_out"]] == [
        "object 1: left out, because its Part of",
        "object 2: left out, because its Part of",
        "object 3: left out, because its Part of",
        "object 4: left out, because its inventory_name",
    ]


def test_an_offer_of_an_object_that_is_left_out_is_left_out(site: Site) -> None:
    site.write(
        {
            "objects.yml": "- {barcode: '1', inventory_name: One}\n- {barcode: '2', inventory_name: Two}\n",
            "hub.yml": "- {object: '1', category: IT, price: 5}\n- {object: '2', category: IT, price: 5}\n",
        }
    )
    assert site.run().outcome == "changed"
    client = site.client()
    (uuid,) = [record.uuid for record in client.list_all(KINDS["object"]) if record.flat["barcode"] == "1"]
    client.update(KINDS["object"], uuid, {"inventory_name": "{{ x }}"})
    done = export_of(site, site.root / "out")
    (message,) = [line for line in done["left_out"] if line.startswith("hub")]
    assert message.endswith(f": the object {uuid} is left out")
    assert [row["object"] for row in loaded(site.root / "out", "hub.yml")] == ["2"]
    assert Site(site.root / "out", site.service).plan().outcome == "unchanged"


def test_records_that_were_not_asked_for_are_still_referred_to(site: Site) -> None:
    blank = make(site, "person", email="a@b.example ", first_name="x", last_name="y")
    make(site, "object", barcode="1", inventory_name="A", responsible_person=blank)
    done = export_of(site, site.root / "only", only=["objects"])
    assert done["left_out"] == []
    assert records(site.root / "only", "objects/0001.yml", "barcode")["1"]["responsible_person"] == "a@b.example "
    done = export_of(site, site.root / "filters", filters={"persons": {"first_name": "z"}})
    assert done["left_out"] == []
    assert records(site.root / "filters", "objects/0001.yml", "barcode")["1"]["responsible_person"] == "a@b.example "


def test_files_of_records_that_are_left_out_are_not_taken_along(site: Site, other: Emulator) -> None:
    document = upload(site, "a.txt", b"a")
    make(site, "object", barcode="16", documents=[document], inventory_name="{{ x }}")
    blank = make(site, "object", barcode="17 ", inventory_name="B")
    make(site, "object", barcode="18", inventory_name="B", documents=[upload(site, "b.txt", b"b")], accessories=[blank])
    site.service.clear_log()
    copied(site, other)
    assert [path.name for path in (site.root / "out" / "files").rglob("*.txt")] == ["b.txt"]


def test_what_is_written_twice_is_read_and_fetched_once(site: Site) -> None:
    make(
        site, "object", barcode="1", inventory_name="A", documents=[upload(site, "a.txt", b"a")],
        accessories=[make(site, "object", barcode="2", inventory_name="{{ x }}")],
    )  # fmt: skip
    site.service.steer("PUT", "/settings", {"modules_off": ["rental", "hub"]})
    site.service.clear_log()
    done = export_of(site, site.root / "out")
    sent = site.sent()
    # A second request proves that each list of definitions is complete.
    assert len(sent) == len(set(sent)) + len(TEMPLATES) == done["requests"]
    assert len(done["left_out"]) == 4


# ---- values that the loader refuses


def test_a_field_that_is_left_out_has_no_values_in_records(site: Site, other: Emulator) -> None:
    key = define(site, "room", "{{X}}")
    north = make(site, "location", name="N")
    for number in ("1", "2"):
        make(site, "room", building_id=north, number=number, **{key: "v"})
    assert copied(site, other)["left_out"] == [
        f"room field {{{{X}}}}: left out, because its label can't be written: {TEMPLATE}",
        "rooms: {{X}}: 2 value(s) of a field that is left out",
    ]


def test_a_relation_to_a_field_that_is_left_out_is_left_out(site: Site, other: Emulator) -> None:
    site.write(
        {
            "fields/asset.yml": "- label: Is right\n  type: FIELD_VALUE_COMPARISON\n  relations:\n"
            "    - {type: actual_field, field: Where it is}\n    - {type: expected_field, field: target_room}\n"
            "- {label: Where it is, type: LINKED_ROOM}\n"
        }
    )
    assert site.run().outcome == "changed"
    uuid = redefine(site, "asset", "Where it is", label="{{ x }}")
    assert copied(site, other)["left_out"] == [
        f"asset field {{{{ x }}}}: left out, because its label can't be written: {TEMPLATE}",
        f"asset field Is right: relations: the field {uuid} is left out, or set by the service",
    ]


def test_of_attributes_only_what_can_not_be_written_is_left_out(site: Site, other: Emulator) -> None:
    define(site, "room", "X", form_group="{{x}}", unique="yes")
    assert copied(site, other)["left_out"] == [f"room field X: attributes: form_group: {TEMPLATE}"]
    written = records(site.root / "out", "fields/room.yml", "label")["X"]
    assert "form_group" not in written["attributes"]
    assert written["attributes"]["unique"] in (True, "yes")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("{{ x }}.txt", TEMPLATE),
        (
            "tab\tx.txt",
            "name: tab_x.txt: the name 'tab\\tx.txt' has quotes or control characters, which an upload can't",
        ),
    ],
)
def test_files_with_names_that_no_file_can_hold_are_left_out(
    site: Site, other: Emulator, name: str, reason: str
) -> None:
    document = upload(site, name, b"x")
    # Some HTTP libraries encode such a name differently.
    stored_name = site.client().send("GET", f"/file/{document}").json()["name"]
    assert stored_name == name
    make(site, "object", barcode="1", inventory_name="A", documents=[document, upload(site, "b.txt", b"b")])
    (line,) = copied(site, other)["left_out"]
    assert line.startswith(f"object 1: documents: the file {document} can't be exported: {reason}")
    assert not (site.root / "out" / "files").exists()


# ---- names of attachments


@pytest.fixture
def named(site: Site) -> Site:
    """Return an instance with a file whose path can't have its name, and whose records don't show it.

    It was already exported once.
    """
    make(site, "object", barcode="1", inventory_name="A", documents=[upload(site, "Invoice #12.pdf", b"x")])
    export_of(site, site.root / "out")
    return site


def test_names_of_attachments_are_still_known_when_an_export_is_created_again(named: Site, other: Emulator) -> None:
    before = contents(named.root / "out")
    (document,) = records(named.root / "out", "objects/0001.yml", "barcode")["1"]["documents"]
    assert document["name"] == "Invoice #12.pdf"
    named.service.clear_log()
    assert not export_of(named, named.root / "out")["changed"]
    assert not any("/file" in line for line in named.sent())
    assert contents(named.root / "out") == before
    copied(named, other)


# ---- order, and types that are never written


def test_values_of_types_that_are_never_written_are_reported_once(site: Site) -> None:
    for barcode in ("1", "2", "3"):
        uuid = make(site, "object", barcode=barcode, inventory_name="A")
        site.client().update(KINDS["object"], uuid, {"position": "51.06,13.73"})
    make(site, "object", barcode="4", inventory_name="A")
    left_out = export_of(site, site.root / "out")["left_out"]
    assert left_out == ["objects: position: 3 value(s) of the type COORDINATES, which nothing here writes"]
    assert export_of(site, site.root / "only", only=["rooms"])["left_out"] == []


@pytest.mark.slow
def test_users_whose_address_no_file_can_hold_are_left_out_where_persons_are_not_asked_for(site: Site) -> None:
    for email in ("{{x}}@acme.example", "ada@acme.example "):
        make(site, "person", email=email, first_name="x", last_name="y")
        filters = {"filter": {"email": {"eq": email}}}
        site.client().send("POST", "/persons/create-user", Effect.UNSAFE, body=filters)
    done = export_of(site, site.root / "out", only=["users"])
    assert done["left_out"] == [
        f"users: {{{{x}}}}@acme.example: {TEMPLATE}",
        "users: ada@acme.example : the address begins or ends with spaces",
    ]
    assert Site(site.root / "out", site.service).plan().findings == []
