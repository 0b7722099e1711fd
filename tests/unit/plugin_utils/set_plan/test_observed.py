# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scans own the actual room: no plan of files writes, compares or exports it unless the settings say so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from exports import export_of, loaded
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, OBJECT
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.offline import offline_findings

from ..absorb.absorbing import take

HEAD = "api: seventhings/v1\nset: test\n"
PLACES = {
    "locations.yml": "- name: Dresden\n",
    "rooms.yml": yaml_list({"building_id": "Dresden", "number": number} for number in ("1.04", "3.01")),
}


def thing(**more: Any) -> dict[str, Any]:
    return {"barcode": "100017", "inventory_name": "Notebook", **more}


def objects(site: Site, *records: Mapping[str, Any], **files: str) -> None:
    site.write({**PLACES, "objects.yml": yaml_list(records), **files})


def rooms_of(site: Site) -> tuple[Any, Any]:
    """Return the target room and the actual room of the only object."""
    (found,) = site.dump()["objects"]
    return found["fields"].get("target_room"), found["fields"].get("actual_room")


def scan(site: Site, room: str = "Dresden/3.01") -> None:
    site.service.steer("POST", "/scan", {"code": "100017", "room": room})


def without_comparison(site: Site) -> None:
    """Remove the relation to the actual room from the definition of the status."""
    client = site.client()
    (raw,) = (definition for definition in client.definitions("asset") if definition["field_key"] == "status")
    body = {**{key: value for key, value in raw.items() if key not in ("type", "constraints")}, "relations": []}
    client.update(KINDS["field_definition"], raw["uuid"], body, template="asset")


def warning(result: Any) -> list[str]:
    return [line for line in result.warnings if "evidence of a stocktake" in line]


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("{objects: actual_room}", "expected a list of field keys"),
        ("{object: []}", "did you mean objects?"),
        ("[actual_room]", "expected a map of sections"),
        ("{objects: [actual_rom]}", "did you mean actual_room"),
        ("{objects: [barcode]}", "identifies the objects"),
    ],
)
def test_a_setting_that_does_not_fit_is_a_finding(site: Site, setting: str, words: str) -> None:
    objects(site, thing(), **{"instance.yml": HEAD + f"observed: {setting}\n"})
    (found,) = site.run().findings
    assert found.startswith("instance.yml:3")
    assert words in found


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("actual_rom", "actual_rom: no such field in an object; did you mean actual_room"),
        ("barcode", "barcode identifies"),
    ],
)
def test_an_option_that_names_no_observed_field_is_a_finding(site: Site, name: str, words: str) -> None:
    objects(site, thing())
    (found,) = site.run(observed={"objects": [name]}).findings
    assert found.startswith(f"observed.objects: {words}")


def test_under_protected_the_files_may_name_more(site: Site) -> None:
    settings = HEAD + "observed: {objects: [quantity]}\n"
    objects(site, thing(target_room="Dresden/1.04", quantity=3), **{"instance.yml": settings})
    assert "quantity" in site.run(protected=True, observed={"objects": []}).findings[0]


@pytest.mark.parametrize("used", ["files", "record", "nobody"])
def test_without_a_comparison_the_names_decide_if_target_rooms_are_used(site: Site, used: str) -> None:
    target = {"target_room": "Dresden/1.04"}
    objects(site, thing(**(target if used == "record" else {})))
    site.run()
    without_comparison(site)
    objects(site, thing(actual_room="Dresden/3.01", **(target if used == "files" else {})))
    result = site.run()
    assert rooms_of(site)[1] == ("3.01" if used == "nobody" else None)
    assert bool(warning(result)) == (used != "nobody")


def test_another_pair_of_rooms_is_detected_by_its_comparison(site: Site) -> None:
    fields: list[dict[str, Any]] = [
        {"label": "Lager-Raum", "type": "LINKED_ROOM"},
        {"label": "Lager-Standort", "type": "LINKED_LOCATION"},
        *(
            {
                "label": f"{actual} stimmt",
                "type": "FIELD_VALUE_COMPARISON",
                "relations": [
                    {"type": "actual_field", "field": actual},
                    {"type": "expected_field", "field": expected},
                ],
            }
            for actual, expected in (("Lager-Raum", "target_room"), ("Lager-Standort", "target_building"))
        ),
    ]
    record = thing(**{"Lager-Raum": "Dresden/1.04", "Lager-Standort": "Dresden"})
    objects(site, record, **{"fields/asset.yml": yaml_list(fields)})
    (line,) = warning(site.plan())
    assert "Lager-Raum and Lager-Standort" in line
    site.run()
    assert warning(site.plan()) == [line]


def test_an_export_leaves_it_out(site: Site, tmp_path: Path) -> None:
    objects(site, thing(target_room="Dresden/1.04"))
    site.run()
    scan(site)
    done = export_of(site, tmp_path / "out")
    assert done["observed"] == {"objects": ["actual_building", "actual_room"]}
    (record,) = loaded(tmp_path / "out", "objects/0001.yml")
    assert (record["target_room"], {"actual_room", "actual_building"} & set(record)) == ("Dresden/1.04", set())
    settings = tmp_path / "out/instance.yml"
    settings.write_text(settings.read_text() + "observed: {objects: []}\n")
    assert export_of(site, tmp_path / "out")["observed"] == {}
    assert loaded(tmp_path / "out", "objects/0001.yml")[0]["actual_room"] == "Dresden/3.01"


def test_absorb_writes_no_scan_into_the_files(site: Site) -> None:
    objects(site, thing(target_room="Dresden/1.04", actual_room="Dresden/1.04"))
    site.run()
    scan(site)
    client = site.client()
    room = client.list_all(KINDS["room"])[0]
    client.create(OBJECT, {"barcode": "100020", "inventory_name": "Drill", "actual_room": room.id})
    result = take(site, into={"objects": "objects/new.yml"})
    assert result["summary"] == {"objects": {"changed": 0, "added": 1, "removed": 0}}
    assert "actual" not in (site.root / "objects/new.yml").read_text()
    assert not [line for line in result["not_changed"] if "actual" in line]


@pytest.mark.parametrize(
    ("settings", "field", "is_warned"),
    [
        ("", "actual_room", True),
        ("", "target_room", False),
        ("observed: {objects: []}\n", "actual_room", False),
        ("lifecycle: {objects: {ignore: [actual_room]}}\n", "actual_room", False),
    ],
)
def test_validate_warns_by_the_names(site: Site, settings: str, field: str, is_warned: bool) -> None:
    objects(site, thing(**{field: "Dresden/1.04"}), **{"instance.yml": HEAD + settings})
    desired = site.load()
    assert offline_findings(desired) == []
    lines = [line for line in desired.warnings if "evidence of a stocktake" in line]
    assert len(lines) == is_warned
    assert all("may be left out" in line and "objects.yml:3:" in line for line in lines)


def test_validate_finds_a_field_that_the_settings_name(site: Site) -> None:
    objects(site, thing(quantity=3), **{"instance.yml": HEAD + "observed: {objects: [quantity]}\n"})
    (found,) = offline_findings(site.load())
    assert str(found.place).startswith("objects.yml:3:")
    assert "observed.objects" in found.message
