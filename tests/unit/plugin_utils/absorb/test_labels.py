# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels attached in the application are absorbed into the files: one changed cell for each object."""

from __future__ import annotations

import openpyxl
import pytest
from instance_site import Site, yaml_list
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.layers import load_layers

from .absorbing import take

SETTINGS = (
    "api: seventhings/v1\nset: test\nset_id: c0ffee5ca1ab1e42\nidentity: {objects: [serial_number]}\n"
    'scan_codes: {field: barcode, placeholder: "IMP-"}\n'
)
FREE = {"create_percent": 1000}
CODED = {"serial_number": "A1", "barcode": "IMP-000001", "inventory_name": "Table"}


def attach(site: Site, **codes: str) -> None:
    client = site.client()
    for record in client.list_all(OBJECT):
        if record.flat["serial_number"] in codes:
            client.update(OBJECT, record.uuid, {"barcode": codes[record.flat["serial_number"]]})


def ledger_book(*rows: list[str]) -> bytes:
    """Write a workbook with objects."""
    return workbook_of({"objects": [["serial_number", "barcode", "inventory_name", "accessories"], *rows]})


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
