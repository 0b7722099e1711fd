# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels attached in the application are absorbed into the files: one changed cell for each object."""

from __future__ import annotations

import io

import openpyxl
import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, OBJECT
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.layers import load_layers

from .absorbing import take

SETTINGS = (
    "api: seventhings/v1\nset: test\nset_id: c0ffee5ca1ab1e42\nidentity: {objects: [serial_number]}\n"
    'scan_codes: {field: barcode, placeholder: "IMP-"}\n'
)
LEDGER = "serial_number;barcode;inventory_name;condition\r\n" + "".join(
    f"A{number};IMP-00000{number};Thing {number};in use\r\n" for number in range(1, 6)
)
CSV = 'csv: {delimiter: ";"}\n'
FREE = {"create_percent": 1000}
CODED = {"serial_number": "A1", "barcode": "IMP-000001", "inventory_name": "Table"}


@pytest.fixture(params=["journal", "stateless"])
def imported(site: Site, request: pytest.FixtureRequest) -> Site:
    """Return five objects with placeholders, a dock that refers to two of them, and a task about one."""
    dock = {"serial_number": "D1", "barcode": "IMP-000010", "inventory_name": "Dock"}
    site.write(
        {
            "instance.yml": SETTINGS + CSV,
            "objects/a.csv": LEDGER,
            "objects/b.yml": yaml_list([{**dock, "accessories": ["IMP-000001", "IMP-000002"]}]),
        }
    )
    operator = site.client().list_all(KINDS["user"])[0].flat["email"]
    task = {"title": "Check", "deadline": "2027-03-01", "assignees": [operator], "references": ["IMP-000001"]}
    site.write({"tasks.yml": yaml_list([task])})
    assert site.run(limits=FREE).outcome == "changed"
    if request.param == "stateless":
        site.journal().unlink()
    return site


def attach(site: Site, **codes: str) -> None:
    client = site.client()
    for record in client.list_all(OBJECT):
        if record.flat["serial_number"] in codes:
            client.update(OBJECT, record.uuid, {"barcode": codes[record.flat["serial_number"]]})


def test_codes_and_references_come_into_the_files(imported: Site) -> None:
    attach(imported, A1="100001", A3="100003")
    before = {path.name: path.read_bytes().decode() for path in imported.root.rglob("*.*") if path.is_file()}
    result = take(imported)
    assert result["summary"] == {
        "objects": {"changed": 3, "added": 0, "removed": 0},
        "tasks": {"changed": 1, "added": 0, "removed": 0},
    }
    after = {path.name: path.read_bytes().decode() for path in imported.root.rglob("*.*") if path.is_file()}
    assert after["a.csv"] == before["a.csv"].replace("IMP-000001", "100001").replace("IMP-000003", "100003")
    assert after["b.yml"] == before["b.yml"].replace("IMP-000001", "100001")
    assert after["tasks.yml"] == before["tasks.yml"].replace("IMP-000001", "100001")
    plan = imported.plan()
    assert (plan.outcome, plan.scan_codes) == ("unchanged", {"attached": 2, "total": 6, "differ": 0})
    assert take(imported)["changed"] is False


def test_a_label_that_was_replaced_comes_into_the_files_too(imported: Site) -> None:
    attach(imported, A1="100001")
    take(imported)
    attach(imported, A1="100500")
    assert imported.plan().outcome == "unchanged"
    take(imported)
    assert "A1;100500;" in (imported.root / "objects/a.csv").read_text()
    assert "100500" in (imported.root / "tasks.yml").read_text()


def test_a_code_stays_if_a_reference_to_it_can_not_be_written(imported: Site) -> None:
    path = imported.root / "objects/b.yml"
    path.write_text(
        "- barcode: IMP-000010\n  serial_number: D1\n  inventory_name: Dock\n"
        "  accessories: &all [IMP-000001, IMP-000002]\n"
        "- barcode: IMP-000011\n  serial_number: D2\n  inventory_name: Dock\n  accessories: *all\n"
    )
    assert imported.run(limits=FREE).outcome == "changed"
    attach(imported, A1="100001", A3="100003")
    result = take(imported)
    text = (imported.root / "objects/a.csv").read_text()
    assert "A1;IMP-000001;" in text
    assert "A3;100003;" in text
    assert any("100001" in line and "refers to it" in line for line in result["not_changed"])
    assert imported.plan().outcome == "unchanged"


def test_a_label_is_no_change_of_the_files(imported: Site) -> None:
    attach(imported, A1="100001")
    client = imported.client()
    (record,) = (record for record in client.list_all(OBJECT) if record.flat["serial_number"] == "A1")
    client.update(OBJECT, record.uuid, {"inventory_name": "Table"})
    result = take(imported)
    assert (result["not_changed"], result["conflicts"]) == ([], [])
    assert "A1;100001;Table;in use" in (imported.root / "objects/a.csv").read_text("utf-8")


def ledger_book(*rows: list[str]) -> bytes:
    """Write a workbook with objects."""
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "objects"
    for row in [["serial_number", "barcode", "inventory_name", "accessories"], *rows]:
        sheet.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def test_codes_and_references_come_into_a_workbook(site: Site) -> None:
    rows = [["A1", "IMP-000001", "Table", ""], ["A2", "IMP-000002", "Chair", '["IMP-000001", "IMP-000003"]']]
    site.write({"instance.yml": SETTINGS, "all.xlsx": ledger_book(*rows, ["A3", "IMP-000003", "Lamp", ""])})
    assert site.run(limits=FREE).outcome == "changed"
    attach(site, A1="100001", A2="100002")
    result = take(site)
    assert (result["not_changed"], result["summary"]["objects"]["changed"]) == ([], 3)
    sheet = openpyxl.load_workbook(site.root / "all.xlsx")["objects"]
    assert [[cell.value or "" for cell in row] for row in sheet.iter_rows(min_row=2)] == [
        ["A1", "100001", "Table", ""],
        ["A2", "100002", "Chair", '["100001", "IMP-000003"]'],
        ["A3", "IMP-000003", "Lamp", ""],
    ]
    plan = site.plan()
    assert (plan.outcome, plan.scan_codes) == ("unchanged", {"attached": 2, "total": 3, "differ": 0})
    assert take(site)["changed"] is False


@pytest.mark.parametrize("layer", ["base", "over"])
def test_codes_and_references_come_into_the_layers_that_have_them(site: Site, layer: str) -> None:
    """One of the layers has the code. The later layer changes other fields, and refers to the object."""
    code = {"barcode": "IMP-000001"}
    own = {"base": code, "over": {}} if layer == "base" else {"base": {}, "over": code}
    first = {"serial_number": "A1", "inventory_name": "Table"}
    over = {"serial_number": "A1", "quantity": 2}
    dock = {"inventory_name": "Dock", "accessories": ["IMP-000001"]}
    docks = [{**dock, "serial_number": f"D{number}", "barcode": f"IMP-00001{number}"} for number in (1, 2)]
    site.write(
        {
            "base/instance.yml": SETTINGS,
            "base/objects.yml": yaml_list([{**first, **own["base"]}, docks[0]]),
            "over/objects.yml": yaml_list([{**over, **own["over"]}, docks[1]]),
        }
    )
    (site.root / "instance.yml").unlink()
    sources = [site.root / "base", site.root / "over"]
    done = site.run(load_layers(sources), limits=FREE)
    assert done.outcome == "changed", done.findings
    before = {name: (site.root / name).read_text("utf-8") for name in ("base/objects.yml", "over/objects.yml")}
    attach(site, A1="100001", D2="100012")
    result = take(site, src=[str(source) for source in sources])
    assert result["not_changed"] == []
    for name, text in before.items():
        after = text.replace("IMP-000001", "100001").replace("IMP-000012", "100012")
        assert (site.root / name).read_text("utf-8") == after
    plan = site.run(load_layers(sources), check_mode=True)
    assert (plan.outcome, plan.scan_codes) == ("unchanged", {"attached": 2, "total": 3, "differ": 0})
    assert take(site, src=[str(source) for source in sources])["changed"] is False


def test_a_code_stays_if_a_later_layer_takes_what_changes(site: Site) -> None:
    site.write({"base/instance.yml": SETTINGS, "base/objects.yml": yaml_list([CODED]), "over/objects.yml": "[]\n"})
    (site.root / "instance.yml").unlink()
    sources = [site.root / "base", site.root / "over"]
    done = site.run(load_layers(sources), limits=FREE)
    assert done.outcome == "changed", done.findings
    attach(site, A1="100001")
    result = take(site, src=[str(source) for source in sources], into={"objects": "over/objects.yml"})
    assert result["changed"] is False
    assert "changes of this section belong in a later layer" in result["not_changed"][0]
    assert site.run(load_layers(sources), check_mode=True).outcome == "unchanged"
