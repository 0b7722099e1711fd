# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that people type in the files of a set is compared in one Unicode form."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any, Literal

import pytest
from embedded_here import Embedded, SiteHere
from instance_site import yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import LOCATION, OBJECT, ROOM

FORMS: list[tuple[Literal["NFC", "NFD"], Literal["NFC", "NFD"]]] = [("NFC", "NFD"), ("NFD", "NFC")]
PLACE, ROOM_NAME, CHOICE, LABEL = "Gebäude Süd", "Küche", "Grün", "Größe"


@pytest.fixture
def site(tmp_path: Path) -> SiteHere:
    """Return a directory for an instance with the data of the demo."""
    return Embedded.started().site(tmp_path)


def filled(site: SiteHere, form: Literal["NFC", "NFD"]) -> None:
    """Create a field with choices, a location, a room and an object, with their names in one form."""
    definition = {"label": LABEL, "type": "DROPDOWN", "possible_values": [CHOICE, "Blau"]}
    files = {
        "fields/asset.yml": yaml_list([definition]),
        "locations.yml": yaml_list([{"name": PLACE}]),
        "rooms.yml": yaml_list([{"building_id": PLACE, "number": ROOM_NAME, "name": "x"}]),
        "objects.yml": yaml_list(
            [{"barcode": "Ä-1", "inventory_name": "x", LABEL: CHOICE, "target_room": f"{PLACE}/{ROOM_NAME}"}]
        ),
    }
    site.write({name: unicodedata.normalize(form, content) for name, content in files.items()})
    assert site.run().findings == []


@pytest.mark.parametrize(("stored", "typed"), FORMS)
def test_the_same_files_in_another_form_change_nothing(
    site: SiteHere, stored: Literal["NFC", "NFD"], typed: Literal["NFC", "NFD"]
) -> None:
    filled(site, stored)
    for path in site.root.rglob("*.yml"):
        path.write_text(unicodedata.normalize(typed, path.read_text("utf-8")), "utf-8")
    plan = site.plan()
    assert (plan.outcome, plan.findings, plan.warnings) == ("unchanged", [], [])


@pytest.mark.parametrize(("stored", "typed"), FORMS)
def test_choices_keep_their_form_if_another_choice_is_added(
    site: SiteHere, stored: Literal["NFC", "NFD"], typed: Literal["NFC", "NFD"]
) -> None:
    filled(site, stored)
    definition = {"label": LABEL, "type": "DROPDOWN", "possible_values": [CHOICE, "Blau", "Rot"]}
    site.write({"fields/asset.yml": unicodedata.normalize(typed, yaml_list([definition]))})
    assert site.run().outcome == "changed"
    choices = [raw["possible_values"] for raw in site.client().definitions("asset") if "Rot" in str(raw)]
    assert choices == [[unicodedata.normalize(stored, CHOICE), "Blau", "Rot"]]


@pytest.mark.parametrize(("stored", "typed"), FORMS)
def test_settings_of_tables_name_columns_files_and_words_in_any_form(
    site: SiteHere, stored: Literal["NFC", "NFD"], typed: Literal["NFC", "NFD"]
) -> None:
    filled(site, stored)
    (site.root / "objects.yml").unlink()
    settings = (
        "api: seventhings/v1\nset: test\n"
        "tables: [{files: objects/geräte-*.csv, ignore: [Überschrift], null: [Köln], booleans: {true: [größer], "
        "false: [nö]}, empty: {Prüfer: clear}, "
        "columns: {Räume: description, Schlüssel: barcode, Prüfer: link, Größer: is_loaned, "
        "Wörter: serial_number}, "
        f"values: {{{LABEL}: {{grün: {CHOICE}}}}}}}]\n"
    )
    table = f"Schlüssel,inventory_name,Räume,Überschrift,{LABEL},Prüfer,Größer,Wörter\nÄ-1,x,y,?,grün,,größer,Köln\n"
    site.write(
        {
            "instance.yml": unicodedata.normalize(typed, settings),
            unicodedata.normalize(stored, "objects/geräte-1.csv"): unicodedata.normalize(stored, table),
        }
    )
    result = site.run()
    assert (result.findings, [change["action"] for change in result.changes]) == ([], ["update"])
    assert site.plan().outcome == "unchanged"


@pytest.mark.parametrize(("stored", "typed"), FORMS)
def test_only_scope_and_moved_name_records_in_any_form(
    site: SiteHere, stored: Literal["NFC", "NFD"], typed: Literal["NFC", "NFD"]
) -> None:
    filled(site, stored)
    scope = f"api: seventhings/v1\nset: test\nscope: {{rooms: {{building_id: [{PLACE}]}}}}\n"
    inside = f"building_id: {PLACE}, number"
    moved = f"rooms: [{{from: {{{inside}: {ROOM_NAME}}}, to: {{{inside}: Büro}}}}]\n"
    rooms = yaml_list([{"building_id": PLACE, "number": "Büro", "name": "x"}])
    files: dict[str, str] = {"instance.yml": scope, "moved.yml": moved, "rooms.yml": rooms}
    site.write({name: unicodedata.normalize(typed, content) for name, content in files.items()})
    plan = site.plan(only=[unicodedata.normalize(stored, f"{PLACE}/Büro")])
    assert (plan.findings, [change["action"] for change in plan.changes]) == ([], ["update"])


@pytest.mark.parametrize(("stored", "typed"), FORMS)
def test_a_local_file_is_found_in_any_form(
    site: SiteHere, stored: Literal["NFC", "NFD"], typed: Literal["NFC", "NFD"]
) -> None:
    site.write({unicodedata.normalize(stored, "dateien/Prüfung.txt"): "x"})
    files = yaml_list([{"barcode": "100001", "documents": [unicodedata.normalize(typed, "dateien/Prüfung.txt")]}])
    site.write({"objects.yml": files})
    result = site.run()
    assert (result.findings, result.outcome) == ([], "changed")
    assert site.plan().outcome == "unchanged"


@pytest.mark.parametrize("text", ["900001 ", "900001\u200b", "900001\u2028x"])
def test_a_new_key_that_nobody_can_type_is_a_finding_and_an_existing_one_is_that_record(
    site: SiteHere, text: str
) -> None:
    entry: dict[str, Any] = {"barcode": text, "inventory_name": "x"}
    site.write({"objects.yml": yaml_list([entry])})
    (finding,) = site.plan().findings
    assert finding.startswith("objects.yml:1:12: barcode: '900001")
    assert finding.isprintable()
    site.client().create(OBJECT, entry)
    assert site.plan().outcome == "unchanged"


def test_an_integer_that_is_the_number_of_another_room_is_a_finding_with_both_spellings(site: SiteHere) -> None:
    client = site.client()
    place = next(record for record in client.list_all(LOCATION) if record.flat["name"] == "Leipzig")
    client.create(ROOM, {"building_id": place.id, "number": "5", "name": "Five"})
    site.write({"objects.yml": "- {barcode: '100001', target_room: 5}\n"})
    (finding,) = site.plan().findings
    assert "5 is the id of the room 'Dresden/" in finding
    assert "('Leipzig/5'); write {id: 5} if you mean the id, or '5' in quotes if you mean the name" in finding
    site.write({"objects.yml": "- {barcode: '100001', target_room: {id: 5}}\n"})
    (change,) = site.plan().changes
    assert all(str(change[side]["target_room"]).startswith("Dresden/") for side in ("before", "after"))


def test_a_mistyped_room_has_the_same_suggestions_in_files_and_modules(site: SiteHere) -> None:
    for wrong in ("Dresden/Empfagn", "dresden/empfang", "Empfagn"):
        site.write({"objects.yml": yaml_list([{"barcode": "100001", "target_room": wrong}])})
        (finding,) = site.plan().findings
        fields = {"barcode": "100001", "target_room": wrong}
        message = site.embedded.call("object", fields=fields)["msg"]
        assert "Dresden/Empfang" in finding
        assert finding.partition("nearest are ")[2] == message.partition("nearest are ")[2].removesuffix(".")
