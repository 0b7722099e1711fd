# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels replace placeholders in the application: no object is created twice, and no label is overwritten."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, OBJECT
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text

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


def test_a_label_is_no_change_and_no_second_object(imported: Site) -> None:
    labelled(imported, 1, "100001")
    labelled(imported, 2, "100002")
    planned = imported.plan()
    assert planned.outcome == "unchanged"
    assert planned.scan_codes == {"attached": 2, "total": 4, "differ": 2}
    assert "scan codes: 2 of 4 attached, 2 differ from the files" in as_text(planned)
    imported.write({"objects.csv": ledger(1, 2, 3, 4).replace("Thing 1", "Table")})
    assert [change["after"] for change in imported.run().changes] == [{"inventory_name": "Table"}]
    assert codes(imported) == {"A1": "100001", "A2": "100002", "A3": "IMP-000003", "A4": "IMP-000004"}


def test_an_old_label_in_a_file_is_no_change(imported: Site) -> None:
    labelled(imported, 1, "100500")
    imported.write({"objects.csv": ledger(1, 2, 3, 4, n1="100001")})
    result = imported.run()
    assert (result.outcome, result.scan_codes["differ"]) == ("unchanged", 1)
    assert codes(imported)["A1"] == "100500"


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


def test_a_plan_file_finds_what_a_placeholder_means(imported: Site, tmp_path: Path) -> None:
    uuid = labelled(imported, 1, "100001")
    task = [
        {
            "title": "Check",
            "deadline": "2027-03-01",
            "assignees": ["operator@acme.example"],
            "references": ["IMP-000001"],
        }
    ]
    assert KINDS["user"]
    site_user = imported.client().list_all(KINDS["user"])[0].flat["email"]
    task[0]["assignees"] = [site_user]
    imported.write({"tasks.yml": yaml_list(task)})
    path = tmp_path / "a.plan"
    assert imported.plan(plan_file=path).outcome == "changed"
    assert imported.run(plan_file=path).outcome == "changed"
    assert uuid in str(imported.client().list_all(KINDS["task"])[0].flat["references"])


def test_a_code_of_another_object_is_a_finding_that_names_both(imported: Site) -> None:
    uuid = labelled(imported, 1, "100001")
    imported.write({"objects.csv": ledger(1, 2, 3, 4, n2="100001")})
    (found,) = imported.run().findings
    assert found.startswith("objects.csv:3:1: barcode: '100001'")
    assert "A1" in found
    assert "A2" in found
    assert uuid in found
    imported.write({"objects.csv": ledger(1, 2, 3, 4, 5, n5="100001")})
    (found,) = imported.run().findings
    assert "A5" in found
    assert uuid in found
    assert len(codes(imported)) == 4


def test_a_code_that_two_rows_have_is_a_finding_that_names_both(imported: Site) -> None:
    imported.write({"objects.csv": ledger(1, 2, 3, 4, 5, 6, n6="IMP-000005")})
    (found,) = imported.run().findings
    assert "objects.csv:7:1" in found
    assert "objects.csv:6:1" in found


def test_two_rows_of_one_object_are_a_finding_that_names_both(imported: Site) -> None:
    imported.write({"objects.csv": ledger(1, 2, 3, 4) + "IMP-000009,A4,Other\n"})
    (found,) = imported.run().findings
    assert "objects.csv:6" in found
    assert "objects.csv:5" in found


def test_a_rename_writes_a_deliberate_code(imported: Site) -> None:
    labelled(imported, 1, "100001")
    files: dict[str, str | bytes] = {"objects.csv": ledger(1, 2, 3, 4, n1="100500")}
    imported.write(files)
    assert imported.plan().outcome == "unchanged"
    imported.write({"moved.yml": 'objects: [{from: {barcode: "100001"}, to: {barcode: "100500"}}]\n'})
    assert [change["after"] for change in imported.run().changes] == [{"barcode": "100500"}]
    assert imported.plan().outcome == "unchanged"
    labelled(imported, 1, "100777")
    assert imported.plan().outcome == "unchanged"


def test_absent_rows_and_rows_without_a_code_are_no_concern(imported: Site) -> None:
    labelled(imported, 1, "100001")
    text = ledger(1, 2, 3, 4).replace("IMP-000001,A1", ",A1")
    imported.write({"objects.csv": text})
    planned = imported.plan()
    assert (planned.outcome, planned.scan_codes) == ("unchanged", {"attached": 1, "total": 4, "differ": 0})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("scan_codes: {field: barcode, placeholder: IMP-}\n", "identity.objects is missing"),
        ("identity: {objects: [barcode]}\nscan_codes: {field: barcode, placeholder: IMP-}\n", "names barcode itself"),
        ("identity: {objects: [barcode, serial_number]}\nscan_codes: {field: barcode, placeholder: IMP-}\n", "itself"),
        ("identity: {objects: [Barcode]}\nscan_codes: {field: barcode, placeholder: IMP-}\n", "names barcode itself"),
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


@pytest.mark.parametrize(
    ("code", "is_one"), [("IMP-000001", True), ("IMP-", False), ("IMP-1a", False), ("IMPORT-1", False)]
)
def test_a_placeholder_is_the_prefix_and_digits(imported: Site, code: str, is_one: bool) -> None:
    labelled(imported, 1, code)
    assert imported.plan().scan_codes["attached"] == (0 if is_one else 1)


def everything(site: Site) -> Any:
    return site.dump()["objects"]


def test_relabelled_objects_without_a_second_identity_are_one_finding(site: Site) -> None:
    site.write({"instance.yml": "api: seventhings/v1\nset: test\n", "objects.csv": ledger(1, 2, 3)})
    assert site.run().outcome == "changed"
    for number in (1, 2):
        labelled(site, number, f"10000{number}")
    (found,) = site.run(limits=FREE).findings
    assert "IMP-000001 is 100001" in found
    assert "IMP-000002 is 100002" in found
    assert '{"objects": [{"from": {"barcode": "100001"}, "to": {"barcode": "IMP-000001"}}' in found
    assert len(everything(site)) == 3


def test_a_scan_code_that_the_account_does_not_see_is_a_finding(site: Site) -> None:
    site.write({"instance.yml": SETTINGS, "objects.csv": ledger(1, 2)})
    assert site.run().outcome == "changed"
    user = site.service.steer("POST", "/users", {"hidden_fields": ["barcode"]})
    result = replace(site, options={name: user[name] for name in ("username", "password")})
    found = result.run().findings
    assert any("scan_codes: this account does not see the field barcode" in line for line in found), found
