# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of an export is empty, two exports have the same bytes, and a copy exports like its original."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from emulator_here import running_here
from exports import contents, export_of, loaded, records
from instance_site import Site, sample_files
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.export.downloads import safe_name
from ansible_collections.community.seventhings.plugins.plugin_utils.export.portable import name_in_files
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.offline import offline_findings

CREATE_USERS = "api: seventhings/v1\n"
POSITION = "objects: position: 1 value(s) of the type COORDINATES, which nothing here writes"

# ---- the three properties

WEATHERS = [
    {},
    {"link_read": "integer"},
    {"link_read": "zero"},
    {"record_shape": "uuid_fields", "uuid_key": "named"},
    {"number_form": "string", "boolean_form": "integer"},
    {"empty_form": "list"},
    {"empty_form": "text"},
    {"datetime_read": "utc"},
    {"linked_assets_read": "one"},
    {"attachment_name": "given"},
    {"rental_renter_read": "text", "rental_references": "reduced"},
    {"page_order": "unstable", "list_envelope": "array"},
    {"weather": "rough"},
]


@pytest.mark.sample(2)
@pytest.mark.slow
@pytest.mark.parametrize("weather", WEATHERS, ids=lambda weather: " ".join(weather.values()) or "calm")
def test_the_plan_of_an_export_is_empty_and_two_exports_are_equal(
    demo: Site, weather: dict[str, str], tmp_path: Path
) -> None:
    demo.service.steer("PUT", "/switches", weather)
    done = export_of(demo)
    assert done["changed"], done
    assert done["left_out"] == [POSITION]
    plan = demo.plan()
    assert (plan.findings, plan.changes, plan.outcome) == ([], [], "unchanged")
    export_of(demo, tmp_path / "again")
    assert contents(demo.root) == contents(tmp_path / "again")


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("format_name", ["yaml", "csv", "jsonl"])
def test_a_copy_exports_as_its_original(demo: Site, site: Site, format_name: str) -> None:
    # Without observed values a copy has no actual rooms, which limit accounts.
    settings = f"{CREATE_USERS}observed: {{objects: []}}\n"
    for folder in (demo.root, site.root / "copy"):
        folder.mkdir(exist_ok=True)
        (folder / "instance.yml").write_text(settings, "utf-8")
    export_of(demo, format=format_name)
    copy = Site(demo.root, site.service)
    result = copy.run()
    assert (result.outcome, result.failures) == ("changed", [])
    assert copy.plan().outcome == "unchanged"
    export_of(copy, site.root / "copy", format=format_name)
    assert contents(site.root / "copy") == contents(demo.root)


@pytest.mark.sample(0)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12 if LONG else 1))
def test_a_made_up_instance_with_circles_and_documents_is_copied(site: Site, seed: int) -> None:
    site.write({**sample_files(80, seed), "instance.yml": CREATE_USERS})
    assert site.run().outcome == "changed"
    first, second = site.root / "first", site.root / "second"
    assert export_of(site, first)["left_out"] == []
    with running_here("empty") as other:
        (first / "instance.yml").write_text(CREATE_USERS, "utf-8")
        assert Site(first, other).run().outcome == "changed"
        export_of(Site(first, other), second)
    assert contents(second) == contents(first)


# ---- what is written


def test_records_name_others_by_their_natural_keys_and_leave_out_what_is_empty(demo: Site) -> None:
    export_of(demo)
    objects = records(demo.root, "objects/0001.yml", "barcode")
    assert objects["100004"] == {
        "barcode": "100004",
        "inventory_name": "Deckenbeamer",
        "Anlagennummer": "0451-0",
        "Konto": "0640",
        "Kostenstelle": "1000",
        "Nutzungsdauer": 8,
        "Rechnungsnummer": "ER-2021-0004",
        "target_room": "Dresden/0.12",
        "condition": "in use",
        "description": "An der Decke",
        "is_loaned": False,
        "last_inspection": objects["100004"]["last_inspection"],
        "inventory_group": "Technik",
        "link": "https://nordhain.example/anleitung/pj",
        "manufacturer": "Epson",
        "purchasing_date": objects["100004"]["purchasing_date"],
        "purchasing_price": 899.0,
        "quantity": 1,
        "responsible_person": "david.okafor@nordhain.example",
        "responsible_user": "david.okafor@nordhain.example",
        "serial_number": "PJ-77120-A",
        "weight": 3.2,
    }
    assert objects["100007"]["accessories"] == ["100010"]
    assert "position" not in objects["100025"], "coordinates can't be written, so they are not exported"


def test_attachments_are_downloaded_once_and_named_by_their_content(demo: Site) -> None:
    export_of(demo)
    task = records(demo.root, "tasks.yml", "title")["Formatkreissäge warten"]
    thing = records(demo.root, "objects/0001.yml", "barcode")["100101"]
    assert task["attachments"] == thing["documents"]
    (path,) = thing["documents"]
    assert path.endswith("/saege.pdf")
    assert (demo.root / path).read_bytes().startswith(b"%PDF")
    assert sum("/data" in line for line in demo.sent()) == 3
    demo.service.clear_log()
    assert not export_of(demo)["changed"]
    assert not any("/file" in line for line in demo.sent()), "a file that is there is not downloaded again"


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"spoilt")], ids=["gone", "spoilt"])
def test_an_attachment_that_was_spoilt_is_fetched_again(demo: Site, spoil: Callable[[Path], Any]) -> None:
    export_of(demo)
    before = contents(demo.root)
    (path,) = (demo.root / "files").rglob("protokoll.txt")
    spoil(path)
    done = export_of(demo)
    assert done["files"]["written"] == [path.relative_to(demo.root).as_posix()]
    assert contents(demo.root) == before


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("../../etc/passwd", "_.._etc_passwd"),
        ("..", "file"),
        (".hidden", "hidden"),
        ("a/b\\c:d.txt", "a_b_c_d.txt"),
        ("Rechnung für Müller (2).pdf", "Rechnung für Müller (2).pdf"),
        ("x" * 300 + ".tar.gz", "x" * 117 + ".gz"),
        ("line\nbreak\x00.txt", "line_break_.txt"),
    ],
)
def test_names_of_attachments_stay_where_they_are_put(name: str, path: str) -> None:
    assert safe_name(name) == path


def test_a_key_that_the_service_generated_may_stand_in_files_of_one_instance(site: Site) -> None:
    site.write({"fields/asset.yml": "- {label: Shelf, type: TEXT}\n"})
    site.run()
    export_of(site, site.root / "out")
    site.write({"out/objects.yml": '- {barcode: "1", inventory_name: x, custom_99: "7", custom: "7"}\n'})
    assert [finding.message.split(":")[0] for finding in offline_findings(load(site.root / "out"))] == ["custom"]


@pytest.mark.parametrize(
    ("labels", "is_known_by_label"),
    [
        (["_state", "_managed", "_lifecycle", "uuid", "archived_at"], True),
        (["barcode", " _state", "Twice", "Twice", "caf\u00e9", "cafe\u0301"], False),
    ],
)
def test_a_label_that_files_read_otherwise_is_replaced_by_the_key(
    site: Site, labels: list[str], is_known_by_label: bool
) -> None:
    definition: dict[str, Any] = {
        "field_type": {"name": "TEXT", "constraints": []},
        "attributes": [],
        "relations": [],
        **dict.fromkeys(("comment", "default_value", "possible_values")),
    }
    client = site.client()
    for label in labels:
        client.send("POST", "/asset-tracking/asset/field-definition", body={**definition, "label": label})
    keys = [field["field_key"] for field in client.definitions("asset")[-len(labels) :]]
    client.create(KINDS["object"], {"barcode": "1", "inventory_name": "x", **dict.fromkeys(keys, "absent")})
    for format_name in ("yaml", "csv", "jsonl", "xlsx"):
        first = Site(site.root / format_name, site.service)
        done = export_of(first, format=format_name)
        assert done["left_out"] == [], done
        (entry,) = (entry for entry in first.load().entries if entry.kind.name == "object")
        assert [entry.fields[key] for key in keys] == ["absent"] * len(keys)
        assert not set(labels) - {"barcode"} & entry.fields.keys()
        assert (first.run().outcome, site.writes()[-1]) == ("unchanged", "POST /object")
    rows = [row for row in loaded(first.root, "fields/asset.yml") if row["label"] in labels]
    assert ["field_key" in row for row in rows] == [not is_known_by_label] * len(labels)


def test_a_key_that_is_a_word_of_the_format_gives_way_to_the_label() -> None:
    schema = Schema(KINDS["object"], [Field("_state", "TEXT", label="State"), Field("_managed", "TEXT", label="uuid")])
    assert [name_in_files(schema, field) for field in schema.fields.values()] == ["State", ""]


def test_a_relation_to_a_field_that_is_nowhere_is_a_finding(site: Site) -> None:
    site.write({"fields/asset.yml": "- label: A\n  type: TEXT\n  relations: [{type: actual_field, field: Nowhere}]\n"})
    plan = site.plan()
    message = "relations[0].field: 'Nowhere' names no field of this template, or several"
    assert plan.findings == [f"fields/asset.yml:3:43: {message}"]
    assert site.writes() == []


def test_rooms_of_locations_with_one_name_are_left_out_and_reported(site: Site) -> None:
    site.write(
        {
            "locations.yml": "- {name: Depot}\n- {name: Yard}\n",
            "rooms.yml": '- {building_id: Depot, number: "1"}\n- {building_id: Yard, number: "1"}\n',
            "objects.yml": '- {barcode: "1", inventory_name: x, target_room: Depot/1}\n',
        }
    )
    site.run()
    client = site.client()
    (yard,) = [record for record in client.list_all(KINDS["location"]) if record.flat["name"] == "Yard"]
    client.update(KINDS["location"], yard.uuid, {"name": "Depot"})
    done = export_of(site, site.root / "out")
    assert (done["summary"]["locations"], done["summary"]["rooms"], done["summary"]["objects"]) == (0, 0, 1)
    assert [line.split(":")[0] for line in done["left_out"]] == ["locations", "rooms", "object 1", "object 1"]
    assert Site(site.root / "out", site.service).plan().outcome == "unchanged"


def test_what_no_file_can_hold_is_listed(demo: Site) -> None:
    assert export_of(demo)["not_cloned"] == {
        "users": ["operator@instance.invalid"],
        "hub_orders": ["7THX-24-4570-61"],
    }


def test_a_room_whose_only_name_is_that_of_another_is_left_out_and_reported(site: Site) -> None:
    site.write(
        {"locations.yml": "- name: L\n", "rooms.yml": "- {building_id: L, name: A}\n- {building_id: L, number: '1'}\n"}
    )
    site.run()
    client = site.client()
    (numbered,) = [record for record in client.list_all(KINDS["room"]) if record.flat["number"] == "1"]
    client.update(KINDS["room"], numbered.uuid, {"name": "A"})
    done = export_of(site, site.root / "out")
    assert done["summary"]["rooms"] == 1
    assert any(line.startswith("rooms: 1 record(s) have no ") for line in done["left_out"])
    assert Site(site.root / "out", site.service).plan().outcome == "unchanged"


@pytest.mark.parametrize(
    ("barcodes", "why"),
    [
        (("a", "a", "b"), "2 record(s) have no barcode of their own"),
        (("caf\u00e9", "cafe\u0301", "b"), "2 record(s) have no barcode of their own"),
        (("a ", "b"), "1 record(s) have a natural key (barcode) that begins or ends with spaces"),
    ],
)
def test_records_that_no_key_identifies_are_left_out_and_reported(
    site: Site, barcodes: tuple[str, ...], why: str
) -> None:
    site.service.steer("PUT", "/switches", {"unique_values": "take"})
    for barcode in barcodes:
        site.client().create(KINDS["object"], {"barcode": barcode, "inventory_name": "x"})
    done = export_of(site)
    assert any(why in line for line in done["left_out"])
    assert list(records(site.root, "objects/0001.yml", "barcode")) == ["b"]
    assert site.plan().outcome == "unchanged"
