# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables from spreadsheets: emptied cells, lost zeros, labels as headers, names in another Unicode form."""

from __future__ import annotations

import json
import unicodedata
from typing import Literal

import pytest
from instance_site import Site
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.plugin_utils.instance.offline import offline_findings

_SETTINGS = "api: seventhings/v1\ncsv: {csv}\n"
_HEAD = "barcode,inventory_name,serial_number\n"


@pytest.fixture
def three(site: Site) -> Site:
    """Apply three objects with leading zeros in their keys."""
    site.write({"objects.csv": _HEAD + "0001,One,x\n0002,Two,y\n0003,Three,z\n"})
    assert site.run().outcome == "changed"
    return site


def test_emptied_cells_are_named_once_for_a_table(three: Site) -> None:
    three.write({"objects.csv": _HEAD + "0001,One,\n0002,Two,\n0003,Three,z\n"})
    result = three.plan()
    assert result.outcome == "unchanged"
    assert result.warnings == [
        "objects.csv: 2 empty cells where the instance has values; `empty: clear` clears them (serial_number: 2)"
    ]
    three.write({"objects.csv": _HEAD + "0001,One,\n0002,Two,y\n"})
    assert three.plan().warnings == [
        "objects.csv: 1 empty cell where the instance has a value; `empty: clear` clears it (serial_number: 1)"
    ]


def test_a_warning_about_emptied_cells_names_columns_that_can_be_cleared(site: Site) -> None:
    settings = "api: seventhings/v1\ntables: [{files: objects.csv, columns: {Serial: serial_number}%s}]\n"
    head = "barcode,inventory_name,target_room,target_building,Serial\n"
    site.write(
        {
            "instance.yml": settings % "",
            "locations.csv": "name\nHall\n",
            "rooms.csv": "building_id,number\nHall,1\n",
            "objects.csv": f"{head}1,Lamp,Hall/1,,x\n",
        }
    )
    assert site.run().outcome == "changed"
    site.write({"objects.csv": f"{head}1,Lamp,Hall/1,,\n"})
    assert site.plan().warnings == [
        "objects.csv: 1 empty cell where the instance has a value; `empty: clear` clears it (Serial: 1)"
    ]
    site.write({"instance.yml": settings % ", empty: {Serial: clear}"})
    result = site.plan()
    assert (result.warnings, [change["after"] for change in result.changes]) == ([], [{"serial_number": None}])


def test_an_empty_cell_clears_where_the_settings_say_so(three: Site) -> None:
    three.write(
        {
            "instance.yml": _SETTINGS.format(csv="{empty: {serial_number: clear}}"),
            "objects.csv": _HEAD + "0001,One,\n0002,Two,y\n0003,Three,z\n",
        }
    )
    result = three.plan()
    assert result.warnings == []
    assert [(change["key"], change["after"]) for change in result.changes] == [("0001", {"serial_number": None})]


def test_a_number_without_its_zeros_is_a_finding_with_both_numbers_and_many_are_one_line(site: Site) -> None:
    keys = [f"{number:05d}" for number in range(1, 30)]
    site.write({"objects.csv": "barcode,inventory_name\n" + "".join(f"{key},x\n" for key in keys)})
    assert site.run().outcome == "changed"
    site.write({"objects.csv": "barcode,inventory_name\n" + "".join(f"{int(key)},x\n" for key in keys)})
    result = site.plan()
    (line,) = result.findings
    assert line.startswith(
        "barcode: 29 cells such as '1' (first at objects.csv:2:1): it looks like the name of another record"
    )
    assert len(result.every_finding) == 29
    site.write({"objects.csv": "barcode,inventory_name\n1,x\n" + "".join(f"{key},x\n" for key in keys[1:])})
    (line,) = site.plan().findings
    assert line.startswith("objects.csv:2:1: barcode: '1' looks like '00001', an object of the instance;")


@pytest.mark.parametrize(("form", "other"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_a_reference_means_the_name_that_looks_the_same(
    site: Site, form: Literal["NFC", "NFD"], other: Literal["NFC", "NFD"]
) -> None:
    name, reference = unicodedata.normalize(form, "Gebäude Süd"), unicodedata.normalize(other, "Gebäude Süd")
    site.write(
        {
            "locations.csv": f"name\n{name}\n",
            "rooms.csv": f"building_id,number\n{reference},1\n",
            "objects.csv": f"barcode,inventory_name,target_room\nA,x,{reference}/1\n",
        }
    )
    result = site.run()
    assert (result.outcome, result.findings) == ("changed", [])
    assert site.plan().outcome == "unchanged"


def test_labels_are_headers_with_an_instance_and_without(site: Site) -> None:
    label = "Anschaffungswert (für Bücher)"
    files = {
        "fields/asset.yml": f"- {{label: '{label}', type: MONEY}}\n",
        "objects.csv": f"barcode,inventory_name,{unicodedata.normalize('NFD', label)}\n1,x,x\n",
    }
    site.write(files)
    found = [str(finding) for finding in offline_findings(site.load())]
    assert [finding.partition(" does not fit")[0] for finding in found] == [
        f"objects.csv:2:5: {unicodedata.normalize('NFD', label)}: 'x'"
    ]
    assert [line.partition(" does not fit")[0] for line in site.plan().findings] == [
        f"objects.csv:2:5: {unicodedata.normalize('NFD', label)}: 'x'"
    ]
    site.write({"objects.csv": f"barcode,inventory_name,{label}\n1,x,12.5\n"})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_cell_that_can_not_be_read_is_no_value_that_is_missing(site: Site) -> None:
    rows = [["barcode", "inventory_name"], ["1", "#REF!"], ["#N/A", "Two"], ["3", "=A2"], ["4", None]]
    site.write({"instance.yml": "api: seventhings/v1\n", "objects.xlsx": workbook_of({"objects": rows})})
    unread = [
        "objects.xlsx:objects!B2: this cell contains the error #REF!; correct or empty it",
        "objects.xlsx:objects!A3: this cell contains the error #N/A; correct or empty it",
        "objects.xlsx:objects!B4: this formula has no stored value",
    ]
    *found, missing = site.plan().findings
    assert [line.partition("; open")[0] for line in found] == unread
    assert missing.startswith(
        "objects.xlsx:objects!A5: This object does not exist yet (this account may be limited to locations) and can't "
        "be created without"
    )
    assert [str(finding).partition("; open")[0] for finding in offline_findings(site.load())] == unread


def test_what_can_not_be_known_without_a_connection_is_reported(site: Site) -> None:
    site.write({"objects.csv": "barcode,Purchasing price\n1,x\n"})
    desired = site.load()
    assert offline_findings(desired) == []
    (warning,) = desired.warnings
    assert warning.startswith(
        "objects: the files do not contain the types of Purchasing price, so their values were not"
    )


def test_a_key_that_a_spreadsheet_shortened_is_a_finding_unless_its_column_has_texts(site: Site) -> None:
    site.write({"objects.csv": "barcode,inventory_name\n4.01E+12,x\n"})
    (finding,) = site.plan().findings
    assert finding.startswith("objects.csv:2:1: barcode: '4.01E+12': a spreadsheet shortened this number; ")
    site.write({"instance.yml": "api: seventhings/v1\nset: test\ncsv: {text_columns: [barcode]}\n"})
    assert site.run().outcome == "changed"


@pytest.mark.parametrize(
    "key", ["4.01E+12", "4E+12", "4.01e+12", "'123", '="0001235"', "#REF!", "100001.0", "1,000,002"]
)
def test_a_text_that_is_the_key_of_a_record_always_means_that_record(site: Site, key: str) -> None:
    quoted = key.replace('"', '""')
    table = f'barcode,inventory_name\n800001,a\n"{quoted}",y\n'
    site.write({"objects.csv": table})
    assert len(site.plan().findings) == 1
    (site.root / "objects.csv").unlink()
    site.write({"objects.yml": json.dumps([{"barcode": key, "inventory_name": "x"}])})
    assert site.run().outcome == "changed"
    (site.root / "objects.yml").unlink()
    site.write({"objects.csv": table})
    result = site.plan()
    assert (result.findings, sorted(change["action"] for change in result.changes)) == ([], ["create", "update"])


def test_an_odd_cell_in_a_key_that_does_not_identify_its_row_is_a_finding(site: Site) -> None:
    tables = "tables: [{files: objects.csv, match: [[serial_number], [barcode]]}]\n"
    site.write(
        {
            "instance.yml": f"api: seventhings/v1\nset: test\n{tables}",
            "objects.csv": "barcode,inventory_name,serial_number\n4.01E+12,x,S1\n",
        }
    )
    (finding,) = site.plan().findings
    assert finding.startswith("objects.csv:2:1: barcode: '4.01E+12': a spreadsheet shortened this number; ")


def test_rows_with_one_unknown_key_are_skipped_without_a_connection(site: Site) -> None:
    table = "{files: objects.csv, columns: {Nr: asset_number}, match: [asset_number], repeated_keys: skip}"
    site.write(
        {
            "instance.yml": f"api: seventhings/v1\nset: test\ntables: [{table}]\n",
            "objects.csv": "Nr,inventory_name\n1,x\n1,y\n2,z\n",
        }
    )
    assert offline_findings(site.load()) == []
