# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels replace placeholders in the application: no object is created twice, and no label is overwritten."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT

HEAD = "api: seventhings/v1\nset: test\nset_id: c0ffee5ca1ab1e42\nidentity: {objects: [serial_number]}\n"
SETTINGS = HEAD + 'scan_codes: {field: barcode, placeholder: "IMP-"}\n'
FREE = {"create_percent": 1000, "update_percent": 100, "delete_percent": 100}


def ledger(*numbers: int, **codes: str) -> str:
    """Return a ledger with a row for each number. ``n2="100002"`` gives the second row another code."""
    rows = [f"{codes.get(f'n{number}', f'IMP-{number:06d}')},A{number},Thing {number}" for number in numbers]
    return "\n".join(["barcode,serial_number,inventory_name", *rows, ""])


def labelled(site: Site, number: int, code: str) -> str:
    """Attach a label in the application. Return the uuid of the object."""
    client = site.client()
    record = next(record for record in client.list_all(OBJECT) if record.flat["serial_number"] == f"A{number}")
    client.update(OBJECT, record.uuid, {"barcode": code})
    return record.uuid


def codes(site: Site) -> dict[str, str]:
    return {record["fields"]["serial_number"]: record["fields"]["barcode"] for record in site.dump()["objects"]}


@pytest.fixture(params=["journal", "stateless"])
def imported(site: Site, request: pytest.FixtureRequest) -> Site:
    """Apply four objects with placeholders. Without state, each run is the first run of its runner."""
    site.write({"instance.yml": SETTINGS, "objects.csv": ledger(1, 2, 3, 4)})
    result = site.run()
    assert (result.outcome, result.warnings, result.scan_codes) == ("changed", [], {})
    if request.param == "stateless":
        site.journal().unlink()
    return site


@pytest.mark.parametrize("written", ["IMP-000001", "100001"])
def test_references_by_a_placeholder_or_a_label_mean_the_object_of_the_row(imported: Site, written: str) -> None:
    uuid = labelled(imported, 1, "100001")
    rows = yaml_list(
        [{"barcode": "IMP-000005", "serial_number": "A5", "inventory_name": "Dock", "accessories": [written]}]
    )
    imported.write({"objects.csv": "", "objects/a.csv": ledger(1, 2, 3, 4), "objects/b.yml": rows})
    (imported.root / "objects.csv").unlink()
    assert imported.run(limits=FREE).outcome == "changed"
    found = {record.flat["serial_number"]: record.flat for record in imported.client().list_all(OBJECT)}
    assert uuid in str(found["A5"]["accessories"])
    assert imported.plan().outcome == "unchanged"


def test_an_empty_code_is_no_emptied_cell(imported: Site) -> None:
    imported.write({"objects.csv": ledger(1, 2, 3, 4, n1="")})
    assert (imported.plan().outcome, imported.plan().warnings) == ("unchanged", [])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("scan_codes: {field: barcode, placeholder: IMP-}\n", "expected another field in identity.objects"),
        (
            "identity: {objects: [barcode]}\nscan_codes: {field: barcode, placeholder: IMP-}\n",
            "expected another field in identity.objects",
        ),
        ("identity: {objects: [barcode, serial_number]}\nscan_codes: {field: barcode, placeholder: IMP-}\n", "another"),
        (
            "identity: {objects: [Barcode]}\nscan_codes: {field: barcode, placeholder: IMP-}\n",
            "expected another field in identity.objects",
        ),
        ("identity: {objects: [serial_number]}\nscan_codes: {field: barcode, placeholder: I}\n", "two characters"),
        ("identity: {objects: [serial_number]}\nscan_codes: {field: barcode, placeholder: IMP0}\n", "end in a digit"),
        ("identity: {objects: [serial_number]}\nscan_codes: {field: barcode}\n", "placeholder is missing"),
        ("identity: {objects: [serial_number]}\nscan_codes: {field: barcode, placeholder: 12}\n", "expected a text"),
        ("identity: {objects: [serial_number]}\nscan_codes: {field: barcod, placeholder: IMP-}\n", "barcod"),
        (
            "identity: {objects: [serial_number]}\nscan_codes: {fild: barcode, placeholder: IMP-}\n",
            "did you mean field",
        ),
        ("identity: {objects: [serial_number]}\nscan_codes: IMP-\n", "expected a map"),
    ],
)
def test_a_setting_that_does_not_fit_is_a_finding(site: Site, settings: str, words: str) -> None:
    site.write({"instance.yml": f"api: seventhings/v1\n{settings}", "objects.csv": ledger(1)})
    found = site.run().findings
    assert all(line.startswith("instance.yml:") for line in found)
    assert any(words in line for line in found), found
    assert site.writes() == []


def everything(site: Site) -> Any:
    return site.dump()["objects"]


def test_relabelled_objects_without_a_second_identity_are_not_created_again(site: Site) -> None:
    site.write({"instance.yml": "api: seventhings/v1\nset: test\n", "objects.csv": ledger(1, 2, 3)})
    assert site.run().outcome == "changed"
    for number in (1, 2):
        labelled(site, number, f"10000{number}")
    for number, found in enumerate(site.run(limits=FREE).findings, 1):
        assert f"IMP-00000{number} does not exist" in found
        assert f"is now 10000{number} " in found
    assert len(everything(site)) == 3


def test_a_scan_code_that_the_account_does_not_see_is_a_finding(site: Site) -> None:
    site.write({"instance.yml": SETTINGS, "objects.csv": ledger(1, 2)})
    assert site.run().outcome == "changed"
    user = site.service.steer("POST", "/users", {"hidden_fields": ["barcode"]})
    result = replace(site, options={name: user[name] for name in ("username", "password")})
    found = result.run().findings
    assert any("scan_codes: this account does not see the field barcode" in line for line in found), found
