# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files are read as intended, or a finding names the place and the cause."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from exports import export_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from instance_site import Site, yaml_list
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field, InvalidValue
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, Kind
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import TYPES, Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_definition import DEFINITIONS
from ansible_collections.community.seventhings.plugins.plugin_utils.export.json_schema import static_schema
from ansible_collections.community.seventhings.plugins.plugin_utils.export.portable import writable_fields
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.offline import offline_findings
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import write_report

LABELS = ["#", "#Inv", "##", "# note", "'#Inv", "''#", "#N/A", "sep=;", "=1+1", "a;=1", "barcode #", "[x", "_x0041_"]
PLACES = {"locations.yml": "- name: Plant\n- name: Twin\n", "rooms.yml": "- {building_id: Plant, number: '1'}\n"}


def _labelled(names: Sequence[str]) -> dict[str, str]:
    """Return an object with a value in each field."""
    return {"barcode": "1", "inventory_name": "One"} | {name: f"value of {name}" for name in names}


# ---- spaces at the edges of texts

KEYS = {"blank": "9 ", "tab": "\t9", "no-break": "9\xa0", "both": " 9 "}
TAKES_BLANKS = "api: seventhings/v1\nset: test\ncsv: {trim: false}\n"
FORMS = ("objects.yml", "objects.csv", "objects.jsonl", "assets.xlsx")


def _files(name: str, record: dict[str, str]) -> dict[str, str | bytes]:
    """Return a file of some form with one record."""
    if name.endswith("csv"):
        return {name: ",".join(record) + "\n" + ",".join(record.values()) + "\n"}
    if name.endswith("jsonl"):
        return {name: json.dumps(record) + "\n"}
    if name.endswith("yml"):
        return {name: yaml_list([record])}
    return {name: workbook_of({"objects": [[*record], [*record.values()]]})}


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_a_natural_key_with_a_blank_is_a_finding_with_and_without_a_connection(site: Site, name: str, key: str) -> None:
    site.write(_files(name, {"barcode": key, "inventory_name": "Nine"}))
    planned, judged = site.plan().findings, [str(finding) for finding in offline_findings(site.load())]
    assert planned == judged
    (finding,) = planned
    assert finding.startswith(name)
    assert f"barcode: {key!r} " in finding
    assert "a space, and it identifies a record" in finding


@pytest.mark.parametrize("name", FORMS)
def test_a_reference_and_an_allowed_value_with_a_blank_are_findings_that_name_it(site: Site, name: str) -> None:
    choices = "- {label: Grade, type: DROPDOWN, possible_values: [A, B]}\n"
    site.write({**PLACES, "fields/asset.yml": choices})
    site.run()
    site.write(_files(name, {"barcode": "9", "inventory_name": "x", "target_room": "Plant/1 ", "Grade": "A "}))
    findings = site.plan().findings
    assert any(
        "Grade: 'A ' does not fit; expected one of 'A', 'B'; it ends with a space" in finding for finding in findings
    )
    assert any("there is no room 'Plant/1 '; '1 ' ends with a space" in finding for finding in findings)


@pytest.mark.parametrize("name", FORMS)
def test_another_text_with_a_blank_is_written_as_it_is_with_one_warning(site: Site, name: str) -> None:
    site.write({"instance.yml": TAKES_BLANKS, "fields/asset.yml": "- {label: Note, type: TEXT}\n"})
    site.write(_files(name, {"barcode": "9", "inventory_name": "Nine", "Note": "x "}))
    desired = site.load()
    assert offline_findings(desired) == []
    judged, planned, applied = desired.warnings, site.plan().warnings, site.run().warnings
    for warnings in (judged, planned, applied):
        (warning,) = [warning for warning in warnings if "Note: " in warning]
        assert warning.startswith(name)
        assert warning.endswith("Note: 'x ' ends with a space; it is written unchanged")
    assert "x " in site.dump()["objects"][0]["fields"].values()
    assert site.plan().warnings == []


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("character", ["\u200b", "\u00ad", "\ufeff", "\u202e", "\u2061"])
def test_a_character_that_nobody_sees_is_one_warning(site: Site, name: str, character: str) -> None:
    site.write({"instance.yml": TAKES_BLANKS})
    site.write(_files(name, {"barcode": "91", "inventory_name": f"Ni{character}ne"}))
    (warning,) = [warning for warning in site.plan().warnings if "inventory_name" in warning]
    assert warning.startswith(name)
    assert warning.endswith(f"has an invisible character (U+{ord(character):04X}); it is written unchanged")


def test_the_end_of_the_last_line_of_a_long_text_is_no_blank(site: Site) -> None:
    site.write({"objects.yml": "- barcode: '9'\n  inventory_name: Nine\n  description: |\n    a\n    b\n"})
    assert site.plan().warnings == []


# ---- names of columns


@pytest.mark.sample(1)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sets(st.sampled_from(LABELS) | st.text("#'=;, aé\"_x0041", min_size=1, max_size=12), min_size=6, max_size=12))
@pytest.mark.parametrize("form", ["xlsx", "csv"])
def test_no_label_loses_the_values_of_its_field_in_a_table(site: Site, form: str, labels: set[str]) -> None:
    site.service.reset(sign_out=True)
    names = sorted({" ".join(label.split()) for label in labels if label.strip()})
    client = site.client()
    definitions = [{"label": name, "type": "TEXT"} for name in names]
    written = {"fields/asset.yml": yaml_list(definitions), "objects.jsonl": json.dumps(_labelled(names))}
    with tempfile.TemporaryDirectory() as directory:
        source = Site(Path(directory), site.service)
        source.write(written)
        assert source.run().outcome == "changed"
        out = Site(Path(directory) / "out", site.service)
        done = export_of(out, format=form)
        assert done["left_out"] == []
        assert out.plan().outcome == "unchanged"
        read = [entry.fields for entry in out.load().entries if entry.kind.name == "object"]
    keys = {
        definition["label"]: definition["field_key"]
        for definition in client.definitions("asset")
        if definition["label"] in names
    }
    (record,) = read
    found = {name: record.get(name, record.get(keys[name])) for name in names}
    assert found == {name: f"value of {name}" for name in names}


# ---- amounts that may mean two numbers


def _priced(name: str, cell: str) -> dict[str, str | bytes]:
    return _files(name, {"barcode": "9", "inventory_name": "Nine", "purchasing_price": cell})


@pytest.mark.parametrize("name", ["objects.csv", "assets.xlsx"])
@pytest.mark.parametrize("cell", ["1.890", "12.345", "1890.000", "0.890", "-1.890"])
def test_an_amount_with_one_separator_before_three_digits_is_a_finding(site: Site, name: str, cell: str) -> None:
    site.write(_priced(name, cell))
    (finding,) = site.plan().findings
    assert finding.startswith(name)
    assert f"purchasing_price: {cell!r} may mean {cell.replace('.', '').lstrip('-')} or " in finding
    assert "set a preset or a decimal for this file" in finding


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["objects.csv", "assets.xlsx"])
@pytest.mark.parametrize(
    ("csv", "cell", "number"),
    [
        ("{preset: excel-de}", "1.890", 1890),
        ("{preset: excel-de}", "1,890", 1.89),
        ("{preset: excel-gb}", "1,890", 1890),
        ("{preset: plain}", "1.890", 1.89),
        ("{decimal: '.'}", "1.890", 1.89),
        ("{decimal: ','}", "1,890", 1.89),
        ("{files: {'*': {preset: excel-de}}}", "1.890", 1890),
    ],
)
def test_the_settings_of_the_file_decide_what_an_amount_means(
    site: Site, name: str, csv: str, cell: str, number: float
) -> None:
    files = _priced(name, f'"{cell}"' if name.endswith("csv") else cell)
    site.write({"instance.yml": f"api: seventhings/v1\ncsv: {csv}\n", **files})
    (planned,) = [warning for warning in site.plan().warnings if "purchasing_price" in warning]
    assert planned.startswith(name)
    assert f"purchasing_price: {cell!r} is read as {str(number)[:4]}" in planned
    assert site.run().outcome == "changed"
    assert site.dump()["objects"][0]["fields"]["purchasing_price"] == number
    assert site.plan().warnings == []


@pytest.mark.parametrize("name", ["objects.csv", "assets.xlsx"])
@pytest.mark.parametrize("cell", ["1.89", "1890", "1.8900", "1890.5"])
def test_other_amounts_mean_one_number(site: Site, name: str, cell: str) -> None:
    site.write(_priced(name, cell))
    result = site.plan()
    assert (result.findings, [warning for warning in result.warnings if "purchasing_price" in warning]) == ([], [])


def test_numbers_of_yaml_and_json_mean_one_number(site: Site) -> None:
    lines = [
        f'{{"barcode": "{number}", "inventory_name": "x", "purchasing_price": {price}}}'
        for number, price in enumerate(["1.890", '"1.890"'])
    ]
    site.write(
        {
            "objects/a.yml": "".join(f"- {line.replace('0', '3', 1).replace('1', '4', 1)}\n" for line in lines),
            "objects/b.jsonl": "\n".join(lines),
        }
    )
    assert site.plan().findings == []
    rows = [["barcode", "inventory_name", "purchasing_price"], ["9", "Nine", 1.890]]
    site.write({"more.xlsx": workbook_of({"objects": rows})})
    assert site.plan().findings == []


def test_only_amounts_with_fewer_than_three_digits_are_ambiguous(site: Site) -> None:
    exact = {"label": "Exact", "type": "MONEY", "attributes": {"fraction_digits": 3, "currency_code": "EUR"}}
    site.write({"fields/asset.yml": yaml_list([exact])})
    record = {"barcode": "9", "inventory_name": "Nine", "Exact": "1.890", "weight": "1.890"}
    site.write(_files("objects.csv", record))
    assert site.plan().findings == []


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_an_amount_with_three_digits_is_exported_so_that_it_means_one_number(site: Site, form: str) -> None:
    loose = yaml_list([{"label": "Loose", "type": "MONEY"}])
    site.write({"fields/asset.yml": loose, "objects.yml": "- {barcode: '9', inventory_name: Nine, Loose: 1.895}\n"})
    site.run()
    assert 1.895 in site.dump()["objects"][0]["fields"].values()
    out = Site(site.root / "out", site.service)
    export_of(out, format=form)
    assert out.plan().outcome == "unchanged"


# ---- merged cells


def _merged(*ranges: str) -> dict[str, str | bytes]:
    """Return a workbook with a title, a header and four rows, and merged cells."""
    rows = [["barcode", "inventory_name", "serial_number", "# note"], ["1", "A", "x", "n"], ["2", "B", "y", "o"]]
    rows += [["3", "C", "z", "p"], ["4", "D", "w", "q"]]
    return {"assets.xlsx": workbook_of({"objects": rows}, lambda book: [*map(book["objects"].merge_cells, ranges)])}


@pytest.mark.parametrize(
    ("cells", "place"), [("B2:B5", "B2"), ("C3:C4", "C3"), ("B2:C2", "B2"), ("C2:D3", "C2"), ("A2:C5", "A2")]
)
def test_merged_cells_in_the_data_are_a_finding_that_names_the_range(site: Site, cells: str, place: str) -> None:
    site.write(_merged(cells))
    for findings in (site.plan().findings, [str(finding) for finding in offline_findings(site.load())]):
        (finding,) = findings
        assert finding.startswith(
            f"assets.xlsx:objects!{place}: {cells}: merged cells have a value in the first one only"
        )


@pytest.mark.parametrize("cells", ["D2:D5", "C4:D4", "F2:F5", "B7:B9"])
def test_merged_cells_that_hide_no_value_are_fine(site: Site, cells: str) -> None:
    site.write(_merged(cells))
    assert site.plan().findings == []


def test_many_merged_cells_are_one_line(site: Site) -> None:
    site.write(_merged("B2:C2", "B3:C3", "B4:C4", "B5:C5"))
    (finding,) = site.plan().findings
    assert finding.startswith(
        "inventory_name: 4 cells such as 'B2:C2' (first at assets.xlsx:objects!B2): merged cells "
    )


# ---- the JSON Schema of the files says what the loader accepts

UUID = "9091afea-81ee-4003-ac76-2ac11e3ddc3f"
INTERVAL = {"unit": "days", "value": 2}
SINGLE: list[Any] = [
    None, "", " ", "x", "true", "False", "yes", True, False, 0, 1, -3, 5, 1.5, "5", "1.50", "01", "-0", "1e3",
    "2024-05-31", "2024-05-31T14:30:00+02:00", UUID, "a\nb", {}, {"barcode": "1"}, {"id": 5}, {"uuid": UUID},
    {"path": "a"}, {"path": "a", "name": "b"}, INTERVAL, {**INTERVAL, "value": "2"}, {**INTERVAL, "unit": "x"},
    {"type": "plain", "value": "x"}, {"type": "user", "value": "x"}, {"type": "user", "value": 5},
    {"type": "plain", "value": 5},
]  # fmt: skip
SHAPED = st.one_of(
    st.sampled_from(SINGLE),
    st.lists(st.sampled_from(SINGLE), max_size=3),
    st.integers(-10, 10),
    st.text(max_size=3).filter(lambda text: text.isascii()),
)
JUDGED = sorted(name for name, faces in TYPES.items() if faces.writable and name not in {*DEFINITIONS, "TYPES"})
DOCUMENT = static_schema()["$defs"]


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", JUDGED)
@given(SHAPED)
@settings(deadline=None, max_examples=60)
def test_the_schema_of_a_type_accepts_what_the_loader_accepts(name: str, value: Any) -> None:
    faces = TYPES[name]
    validator = jsonschema.Draft202012Validator({"$ref": f"#/$defs/{faces.shape}", "$defs": DOCUMENT})
    try:
        accepted = value is None or faces.parse(value, Field("f", name)) is not faces
    except InvalidValue:
        accepted = False
    assert validator.is_valid(value) == accepted


def test_one_link_is_written_without_a_list(site: Site) -> None:
    first, second = {"barcode": "1", "inventory_name": "a"}, {"barcode": "2", "inventory_name": "b", "accessories": "1"}
    site.write({"objects.yml": yaml_list([first, second])})
    assert site.run().outcome == "changed"
    out = Site(site.root / "out", site.service)
    export_of(out)
    document = json.loads((out.root / "schema" / "seventhings.schema.json").read_text("utf-8"))
    validator = jsonschema.Draft202012Validator({"$ref": "#/$defs/objects", "$defs": document["$defs"]})
    for links in ("1", ["1"], ["1", "2"], None, []):
        assert validator.is_valid([{**second, "accessories": links}])
    assert not validator.is_valid([{**second, "accessories": [None]}])


@pytest.mark.parametrize("suffix", [".html", ".json", ".md", ".sarif"])
@pytest.mark.parametrize("mode", [0o644, 0o666, 0o400])
def test_a_report_that_replaces_a_file_is_private_whatever_that_file_was(
    site: Site, tmp_path: Path, suffix: str, mode: int
) -> None:
    """A report contains data of records, and everybody may have been allowed to read the earlier file."""
    site.write(PLACES)
    report = tmp_path / f"report{suffix}"
    report.touch()
    report.chmod(mode)
    write_report(site.plan(), report)
    assert report.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS.values() if kind.template and kind.section], ids=lambda kind: kind.name
)
def test_an_export_begins_with_the_fields_that_name_a_record(kind: Kind) -> None:
    """Only the kind declares these fields."""
    named = [*dict.fromkeys([*(key for keys in kind.match_on for key in keys), *kind.labels, *kind.names])]
    definitions = [
        {"field_key": key, "label": key, "field_type": {"name": "TEXT"}} for key in ["a", *named[::-1], "zz"]
    ]
    schema = Schema.for_kind(replace(kind, key_prefix=""), definitions)
    assert [field.key for field in writable_fields(schema, definitions)][: len(named)] == named
