# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CSV as people save it: dialects, encodings, comments, empty cells, and proposed settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field, Plain, Spelling
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.cell_damage import (
    damage_in_table,
    marks_to_name,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance, digest_of
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.dialect import PRESETS, Dialect
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.grouped_findings import group_findings
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.validation import validate

_FIELDS = [
    Field("barcode", "BARCODE", label="Inventory number"),
    Field("inventory_name", "TEXT", label="Name"),
    Field("price", "MONEY", label="Purchasing price"),
    Field("count", "NUMBER"),
    Field("bought", "DATE", label="Gekauft am"),
    Field("seen", "DATETIME"),
    Field("lent", "BOOLEAN"),
]
_SCHEMA = Schema(OBJECT, _FIELDS)


def _load(root: Path, files: Mapping[str, str | bytes], csv: str = "") -> DesiredInstance:
    settings = f"api: seventhings/v1\ntimezone: UTC\n{f'csv: {csv}' if csv else ''}\n"
    for name, content in {"instance.yml": settings, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load(root)


def _judged(desired: DesiredInstance) -> list[str]:
    return group_findings(validate(desired, {"object": _FIELDS}), desired).lines


def _read(desired: DesiredInstance) -> list[dict[str, Any]]:
    """Return the records as types accept them."""
    rows = []
    for entry in desired.entries:
        fields = entry.fields if entry.cells is None else entry.cells.read(_SCHEMA, entry.fields)[0]
        rows.append(dict(fields))
    return rows


# ---- cells


@pytest.mark.parametrize(
    ("preset", "type_name", "text", "read"),
    [
        ("excel-de", "MONEY", "1.299,50", "1299.50"),
        ("excel-de", "MONEY", "-1.299,50 €", "-1299.50"),
        ("excel-de", "MONEY", "€ 5", "5"),
        ("excel-de", "DECIMAL", "45,33", "45.33"),
        ("excel-de", "DECIMAL", "\u22120,5", "-0.5"),
        ("excel-de", "NUMBER", "12.345.678", "12345678"),
        ("excel-de", "NUMBER", " 7 ", "7"),
        ("excel-fr", "MONEY", "1\u202f299,50\u00a0€", "1299.50"),
        ("excel-fr", "MONEY", "1 299,50", "1299.50"),
        ("excel-gb", "MONEY", "-£1,299.50", "-1299.50"),
        ("excel-us", "MONEY", "$1,299.50", "1299.50"),
        ("excel-de", "DATE", "31.12.2024", "2024-12-31"),
        ("excel-de", "DATE", "1.2.24", "2024-02-01"),
        ("excel-de", "DATE", "2024-12-31", "2024-12-31"),
        ("excel-fr", "REMINDER", "31/12/2024", "2024-12-31"),
        ("excel-gb", "DATE", "03/04/2024", "2024-04-03"),
        ("excel-us", "DAY", "03/04/2024", "2024-03-04"),
        ("excel-de", "DATETIME", "31.12.2024 14:30", "2024-12-31 14:30:00"),
        ("excel-us", "DATETIME", "12/31/2024 2:30 PM", "2024-12-31 14:30:00"),
        ("excel-us", "DATETIME", "12/31/2024 12:05:09 AM", "2024-12-31 00:05:09"),
        ("excel-de", "DATETIME", "2024-12-31T14:30:00+01:00", "2024-12-31T14:30:00+01:00"),
        ("excel-de", "BOOLEAN", "WAHR", "true"),
        ("excel-de", "BOOLEAN", "nein", "false"),
        ("excel-de", "BOOLEAN", "true", "true"),
        ("excel-fr", "BOOLEAN", "Faux", "false"),
        ("excel-gb", "BOOLEAN", "yes", "true"),
        ("excel-de", "WHOLE_DAYS", "nein", "false"),
    ],
)
def test_a_preset_reads_what_its_country_writes(preset: str, type_name: str, text: str, read: str) -> None:
    schema = Schema(OBJECT, [Field("it", type_name, label="The label")])
    assert PRESETS[preset].read(schema, {"it": text}) == ({"it": read}, {})
    assert PRESETS[preset].read(schema, {"The label": text}) == ({"The label": read}, {})


@pytest.mark.parametrize(
    ("preset", "type_name", "text"),
    [
        # The point is a thousands separator here, so these amounts are ambiguous.
        ("excel-de", "MONEY", "1299.50"),
        ("excel-de", "MONEY", "1.29"),
        ("excel-de", "MONEY", "12,50 $"),
        ("excel-de", "MONEY", "--5"),
        ("excel-fr", "MONEY", "1 29,5"),
        ("excel-us", "MONEY", "1.299,50"),
        ("excel-de", "DATE", "31/12/2024"),
        ("excel-de", "DATE", "31.02.2024"),
        ("excel-us", "DATE", "31/12/2024"),
        ("excel-de", "BOOLEAN", "oui"),
    ],
)
def test_what_a_preset_does_not_write_is_no_guess(preset: str, type_name: str, text: str) -> None:
    fields, wrong = PRESETS[preset].read(Schema(OBJECT, [Field("it", type_name)]), {"it": text, "other": "1,5"})
    assert fields == {"other": "1,5"}
    assert list(wrong) == ["it"]


def test_texts_are_left_as_they_are_in_every_dialect() -> None:
    fields = {"barcode": "0012", "inventory_name": "1.299,50", "unknown": "31.12.2024"}
    for dialect in PRESETS.values():
        assert dialect.read(_SCHEMA, fields) == (fields, {})


@pytest.mark.parametrize("preset", list(PRESETS))
def test_what_a_preset_writes_it_reads(preset: str) -> None:
    dialect = PRESETS[preset]
    for type_name, value in (
        ("MONEY", Plain("-1299.50")),
        ("NUMBER", 12345678),
        ("DATE", Plain("2024-02-01")),
        ("DATETIME", Plain("2024-02-01T10:00:00+00:00")),
        ("BOOLEAN", True),
        ("BOOLEAN", False),
    ):
        schema = Schema(OBJECT, [Field("it", type_name)])
        fields, wrong = dialect.read(schema, {"it": dialect.write(value)})
        assert (fields["it"], wrong) == (str(value).lower() if isinstance(value, bool) else str(value), {})


# ---- files as programs save them


_GERMAN = (
    "Inventory number;Name;Purchasing price;Gekauft am;lent;# Notiz;;\r\n"
    '0001;"Bohrmaschine ""Größe 5""";1.299,50 €;31.12.2024;WAHR;zählen;;\r\n'
    '0002;"zwei\r\nZeilen";45,33;01.02.2024;FALSCH;;;\r\n'
    ";;;;;;;\r\n;;;;;;;\r\n"
)
_READ = [
    {
        "Inventory number": "0001", "Name": 'Bohrmaschine "Größe 5"', "Purchasing price": "1299.50",
        "Gekauft am": "2024-12-31", "lent": "true",
    },
    {
        "Inventory number": "0002", "Name": "zwei\nZeilen", "Purchasing price": "45.33", "Gekauft am": "2024-02-01",
        "lent": "false",
    },
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("objects/a.csv", _GERMAN.encode()),
        ("objects/a.csv", _GERMAN.encode("utf-8-sig")),
        ("objects/A.CSV", b"sep=;\r\n" + _GERMAN.encode()),
        ("objects.Csv", _GERMAN.replace(";", "\t").encode("utf-16")),
        ("objects.csv", b"\xfe\xff" + _GERMAN.encode("utf-16-be")),
        ("objects.csv", _GERMAN.encode("cp1252")),
        ("objects.csv", ('"sep=;"\r\n' + _GERMAN).encode("utf-8-sig")),
    ],
)
def test_however_a_program_saves_it(tmp_path: Path, name: str, content: bytes) -> None:
    desired = _load(tmp_path, {name: content}, "{preset: excel-de}")
    assert _read(desired) == _READ
    assert _judged(desired) == []
    assert desired.warnings == []


def test_a_long_word_of_another_encoding_is_shortened(tmp_path: Path) -> None:
    content = f"barcode;Bezeichnung\n1;{'ä' * 900_000}\n".encode("cp1252")
    (finding,) = _load(tmp_path, {"objects.csv": content}).findings
    assert len(finding.message) < 500


@pytest.mark.parametrize("text", ["(1" * 20_000, "1 " * 20_000, "1'" * 20_000, "€ " * 20_000, "(" * 40_000])
def test_a_long_text_is_no_damaged_number(text: str) -> None:
    """With some of these patterns, this test takes hours."""
    assert damage_in_table(Spelling.NUMBER, text, str) == ""
    assert marks_to_name(Spelling.NUMBER, [text], Dialect()) == ("", "")


@pytest.mark.parametrize(("known", "has_condition"), [((), False), (("€", "EUR"), True)])
def test_a_further_currency_is_proposed_on_a_condition(known: tuple[str, ...], has_condition: bool) -> None:
    words, setting = marks_to_name(Spelling.NUMBER, ["CHF 12.50"], Dialect(currency=known))
    assert ("if these signs mean one currency" in words) is has_condition
    assert setting == f"currency: [{', '.join((*known, 'CHF'))}]"


def test_lines_and_columns_count_the_line_that_says_sep(tmp_path: Path) -> None:
    desired = _load(tmp_path, {"objects.csv": "sep=;\nbarcode;price\n1;x\n"})
    assert desired.entries[0].place_of("price").line == 3
    assert str(desired.entries[0].place_of_name("price")) == "objects.csv:2:9"
    (line,) = _judged(desired)
    assert line.startswith("objects.csv:3:3: price: 'x' does not fit")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("barcode,,price\n1,,2\n", "objects.csv:1:9: this column has no name"),
        ("barcode,price\n1,2,3\n", "objects.csv:2:1: expected 2 cells as in the first row, found 3"),
        ("barcode,price,,\n1,2,,3\n", "objects.csv:2:1: expected 2 cells as in the first row, found 4"),
        ("barcode,price\n1\n", "objects.csv:2:1: expected 2 cells as in the first row, found 1"),
    ],
)
def test_rows_of_another_width_are_found(tmp_path: Path, text: str, found: str) -> None:
    (finding,) = map(str, _load(tmp_path, {"objects.csv": text}).findings)
    assert finding.startswith(f"{found}; ")


def test_comment_columns_may_share_a_name_and_a_row_with_only_comments_is_no_row(tmp_path: Path) -> None:
    desired = _load(tmp_path, {"objects.csv": "barcode,#,#\n1,a,b\n,c,\n"})
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1"}]
    assert desired.findings == []


def test_a_table_of_one_column_is_parted_as_its_preset_says(tmp_path: Path) -> None:
    desired = _load(tmp_path, {"objects.csv": "barcode\n1,5\n"}, "{preset: excel-de}")
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1,5"}]


def test_commas_in_quoted_names_part_nothing(tmp_path: Path) -> None:
    desired = _load(tmp_path, {"objects.csv": 'barcode;"a,b,c"\n1;2\n'})
    assert [dict(entry.fields) for entry in desired.entries] == [{"barcode": "1", "a,b,c": "2"}]


# ---- settings


def test_columns_that_are_ignored_cleared_or_hold_the_word_for_nothing(tmp_path: Path) -> None:
    text = "barcode,Name,price,junk\n1,,,x\n2,-,,\n"
    desired = _load(tmp_path, {"objects.csv": text}, '{ignore: [junk], empty: {Name: clear}, "null": "-"}')
    assert [dict(entry.fields) for entry in desired.entries] == [
        {"barcode": "1", "Name": None},
        {"barcode": "2", "Name": None},
    ]
    assert [entry.empty_cells() for entry in desired.entries] == [["price"], ["price"]]
    desired = _load(tmp_path, {"objects.csv": text + ",,,\n"}, "{ignore: [junk], empty: clear}")
    assert [dict(entry.fields) for entry in desired.entries] == [
        {"barcode": "1", "Name": None, "price": None},
        {"barcode": "2", "Name": "-", "price": None},
    ]


def test_a_file_has_its_own_dialect(tmp_path: Path) -> None:
    desired = _load(
        tmp_path,
        {"objects/legacy-1.csv": "barcode,bought\n1,12/31/2024\n", "objects/new.csv": "barcode;bought\n2;31.12.2024\n"},
        '{preset: excel-de, "null": "-", files: {"objects/legacy-*.csv": {preset: excel-us}}}',
    )
    assert _read(desired) == [{"barcode": "1", "bought": "2024-12-31"}, {"barcode": "2", "bought": "2024-12-31"}]
    assert desired.tables.format_of("objects/legacy-1.csv").null == "-"


def test_single_keys_override_a_preset(tmp_path: Path) -> None:
    desired = _load(
        tmp_path,
        {"objects.csv": "barcode|price|bought|lent\n1|CHF 1'299.50|2024/12/31|x\n2|5|2024/01/02|-\n"},
        """{preset: excel-de, delimiter: "|", decimal: ".", thousands: "'", currency: CHF, dates: ["%Y/%m/%d"],
            booleans: {true: [x], false: ["-"]}}""",
    )
    assert desired.findings == []
    assert [(record["price"], record["bought"], record["lent"]) for record in _read(desired)] == [
        ("1299.50", "2024-12-31", "true"),
        ("5", "2024-01-02", "false"),
    ]


@pytest.mark.parametrize(
    ("csv", "found"),
    [
        ("5", "csv: expected a map with preset, delimiter"),
        ("{preset: excel}", "csv.preset: 'excel' does not fit; expected one of plain, excel-de, excel-fr"),
        ("{delimter: ','}", "csv.delimter: no such setting; did you mean delimiter?"),
        ("{delimiter: ';;'}", "csv.delimiter: ';;' does not fit; expected one character"),
        ("{encoding: utf-5}", "csv.encoding: 'utf-5' does not fit; expected the name of an encoding"),
        ("{encoding: rot13}", "csv.encoding: 'rot13' does not fit"),
        ("{decimal: x}", "csv.decimal: 'x' does not fit"),
        ("{decimal: ',', thousands: ','}", "csv: decimal and thousands are both ','"),
        ("{thousands: ab}", "csv.thousands: 'ab' does not fit"),
        ("{dates: ['%d.%m']}", "csv.dates: ['%d.%m'] does not fit; expected patterns with day, month and year"),
        ("{dates: []}", "csv.dates: [] does not fit"),
        ("{booleans: ja}", "csv.booleans: 'ja' does not fit; expected words for both"),
        ("{booleans: [[ja], [JA]]}", "csv.booleans: [['ja'], ['JA']] does not fit; expected other words"),
        ("{currency: ['1']}", "csv.currency: ['1'] does not fit; expected signs"),
        ("{empty: keep}", "csv.empty: 'keep' does not fit; expected ignore or clear"),
        ("{'null': null}", "csv.null: None does not fit; expected a word"),
        ("{ignore: {a: b}}", "csv.ignore: {'a': 'b'} does not fit"),
        ("{files: [a.csv]}", "csv.files: expected a map such as"),
        ("{files: {a.csv: {files: {}}}}", "csv.files.a.csv.files: no such setting"),
        ("{files: {a.csv: excel-de}}", "csv.files.a.csv: expected a map"),
    ],
)
def test_a_wrong_setting_is_found(tmp_path: Path, csv: str, found: str) -> None:
    (finding,) = _load(tmp_path, {}, csv).findings
    assert found in str(finding)
    assert str(finding).startswith("instance.yml:3:")


def test_the_word_for_nothing_may_be_written_without_quotes(tmp_path: Path) -> None:
    assert _load(tmp_path, {}, "{null: leer, booleans: [[true, yes], [false]]}").tables.general == Dialect(
        null="leer", true=("true", "yes"), false=("false",)
    )


def test_another_dialect_reads_other_records_from_the_same_file(tmp_path: Path) -> None:
    files = {"objects.csv": "barcode,bought\n1,03/04/2024\n"}
    digests = {digest_of(_load(tmp_path, files, f"{{preset: {name}}}")) for name in ("excel-gb", "excel-us")}
    assert len(digests) == 2


# ---- messages


def test_thousands_of_cells_are_one_line_with_what_to_set(tmp_path: Path) -> None:
    rows = "".join(f"{number:05d};Thing;{number},33;31.12.2024;WAHR\n" for number in range(2500))
    desired = _load(tmp_path, {"objects/assets.csv": f"Inventory number;Name;Purchasing price;Gekauft am;lent\n{rows}"})
    grouped = group_findings(validate(desired, {"object": _FIELDS}), desired)
    proposed = "set `csv: {preset: excel-de}`"
    first = "first at objects/assets.csv"
    assert grouped.lines == [
        f"Purchasing price: 2,500 cells such as '0,33' ({first}:2:13): decimal comma; {proposed}",
        f"Gekauft am: 2,500 cells such as '31.12.2024' ({first}:2:18): dates as DD.MM.YYYY; {proposed}",
        f"lent: 2,500 cells such as 'WAHR' ({first}:2:29): words for true and false; {proposed}",
    ]
    assert len(grouped.every) == 7500
    assert grouped.every[0].startswith("objects/assets.csv:2:13: Purchasing price: '0,33' does not fit")


@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        ("barcode;price\n1;1 299,50\n", "decimal comma; set `csv: {preset: excel-fr}`"),
        ("barcode;count\n1;1 299\n", "thousands separators; set `csv: {preset: excel-fr}`"),
        ('barcode,price\n1,"1,299.50"\n', "separators; set `csv: {preset: excel-gb}` or `csv: {preset: excel-us}`"),
        ("barcode,price\n1,$12.50\n", "currency signs; set `csv: {preset: excel-us}`"),
        ("barcode,bought\n1,12/31/2024\n", "dates as MM/DD/YYYY; set `csv: {preset: excel-us}`"),
        ("barcode,bought\n1,31/12/2024\n", "dates as DD/MM/YYYY; set `csv: {preset: excel-gb}`"),
        ("barcode;bought\n1;31/12/2024\n", "dates as DD/MM/YYYY; set `csv: {preset: excel-fr}`"),
        (
            "barcode,bought\n1,03/04/2024\n2,05/06/2024\n",
            "a date that could mean two days; set `csv: {preset: excel-gb}` or `csv: {preset: excel-us}`",
        ),
    ],
)  # fmt: skip
def test_the_dialect_of_a_file_is_guessed_and_proposed(tmp_path: Path, text: str, proposed: str) -> None:
    (line,) = _judged(_load(tmp_path, {"objects.csv": text}))
    assert proposed in line
    assert line.endswith("`")


def test_where_a_dialect_is_set_another_is_proposed_for_the_file(tmp_path: Path) -> None:
    files = {"objects/a.csv": "barcode,bought\n1,12/31/2024\n", "objects/b.csv": "barcode;bought\n2;31.12.2024\n"}
    (line,) = _judged(_load(tmp_path, files, "{preset: excel-de}"))
    assert line.startswith("objects/a.csv:2:3: bought: '12/31/2024' does not fit; expected a date that exists, such as")
    assert line.endswith('set `csv: {files: {"objects/a.csv": {preset: excel-us}}}`')


def test_for_a_plain_file_among_others_plain_is_proposed(tmp_path: Path) -> None:
    files = {"objects/a.csv": "barcode,price\n1,12.50\n", "objects/b.csv": "barcode;price\n2;12,50\n"}
    (line,) = _judged(_load(tmp_path, files, "{preset: excel-de}"))
    assert line.endswith('decimal point; set `csv: {files: {"objects/a.csv": {preset: plain}}}`')


def test_a_delimiter_that_is_not_that_of_the_file_is_found(tmp_path: Path) -> None:
    (finding,) = _load(tmp_path, {"objects.csv": "barcode;price\n1;2\n"}, "{delimiter: ','}").findings
    assert str(finding) == (
        "objects.csv:1:1: csv.delimiter is ',', and ';' separates the names; set `csv: {delimiter: ';'}`"
    )


def test_mistakes_that_no_dialect_explains_are_grouped_by_column_and_kind(tmp_path: Path) -> None:
    rows = "".join(f"{number},{'x' if number % 2 else 'y'},{number}.5\n" for number in range(8))
    desired = _load(tmp_path, {"objects.csv": f"barcode,price,count\n{rows}"})
    grouped = group_findings(validate(desired, {"object": _FIELDS}), desired)
    price, count = grouped.lines
    assert price.startswith("price: 8 cells such as 'y' (first at objects.csv:2:3): expected a number with a decimal")
    assert count.startswith("count: 8 cells such as '0.5' (first at objects.csv:2:5): expected an integer without")
    assert len(grouped.every) == 16


def test_a_few_mistakes_are_reported_one_by_one_and_those_of_yaml_always(tmp_path: Path) -> None:
    text = "".join(f"- {{barcode: '{number}', price: x}}\n" for number in range(5))
    desired = _load(tmp_path, {"objects/a.csv": "barcode,price\nA,x\nB,x\nC,x\n", "objects/b.yml": text})
    grouped = group_findings(validate(desired, {"object": _FIELDS}), desired)
    assert len(grouped.lines) == 8
    assert grouped.every == []


def test_records_that_are_written_twice_are_one_line(tmp_path: Path) -> None:
    desired = _load(tmp_path, {"objects.csv": "barcode\n" + "7\n" * 6})
    assert _judged(desired) == [
        "5 records such as '7' (first at objects.csv:3:1): object that is written twice",
    ]


def test_nothing_of_a_vaulted_table_is_reported(tmp_path: Path) -> None:
    rows = "".join(f"{number};Secret,{number}\n" for number in range(6))
    desired = _load(tmp_path, {"objects.csv": f"barcode;price\n{rows}"})
    desired.hiding.files.add("objects.csv")
    (line,) = _judged(desired)
    assert "Secret" not in line
    assert "price" not in line
    assert "6 times (first at objects.csv:2)" in line
