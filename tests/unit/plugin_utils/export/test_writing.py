# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Written data is read back unchanged, and no YAML reader reads a text as something else."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Plain
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.dialect import Dialect
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.format_settings import csv_of
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.nodes import plain_node
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Finding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.csv_source import read_csv
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.json_source import read_json_lines
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.yaml_source import read_yaml
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.tables import Tables
from ansible_collections.community.seventhings.plugins.plugin_utils.export.layout import section_files, settings_file
from ansible_collections.community.seventhings.plugins.plugin_utils.export.portable import TEMPLATE_MARKS
from ansible_collections.community.seventhings.plugins.plugin_utils.export.writing import (
    Unwritable,
    csv_header,
    csv_record,
    csv_row,
    json_record,
    scalar,
    yaml_map,
    yaml_record,
)

RANDOMISED = settings(
    max_examples=2000 if LONG else 60,
    derandomize=not LONG,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)

TRAPS = [
    "yes", "No", "ON", "y", "N", "true", "~", "null", "Null", ".inf", "-.NaN", "0001234", "1_000", "0x1F",
    "0o17", "012", "12:30", "1:20:30", "1e3", "1.", ".5", "+1", "2024-05-31", "2024-05-31T10:00:00Z", "=",
    "<<", "-", "?", ":", "a: b", "a #b", "#a", "- a", "? a", "a:", " a", "a ", "\ta", "a\t", "'a'", '"a"',
    "a'b", 'a"b', "[a]", "{a: b}", "a,b", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a`", "a\\b", "a\nb",
    "a\nb\n", "a\n\nb", "a\n  b", "\na", "a\n\n", "a\n ", "a\rb", "a\r\nb", "\x07", "\x7f", "\x85",
    "\u2028", "\ufeff", "\xa0", "\U0001f600", "Straße", "e\u0301", "---", "...", "a" * 5000, "Ja", "Nein",
    "inf", "nan", "0", "-0", "00", "1,5", "1.299,00", "=1+1", "1-2", "A1", "a1", "a?", "a?b", "a:b", "a=b", "a;b!",
]  # fmt: skip


def _fits(text: str) -> bool:
    """Return True if the loader accepts a text, because others are not exported."""
    return not any(mark in text for mark in (*TEMPLATE_MARKS, "\x00"))


TEXTS = some.one_of(
    some.sampled_from(TRAPS),
    some.text(some.characters(codec="utf-8"), max_size=12),
    some.text(alphabet=" \n\t:#-'\"ab0[]{},&*!|>%@`~.yYnN\r\x85\u2028\ufeff", max_size=10),
).filter(_fits)
NAMES = TEXTS.filter(lambda text: 0 < len(text) < 100)
VALUES = some.recursive(
    some.one_of(TEXTS, some.booleans(), some.integers(-(10**9), 10**9)),
    lambda inner: some.one_of(some.lists(inner, max_size=3), some.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
RECORDS = some.dictionaries(NAMES, VALUES, min_size=1, max_size=4)


def as_read(value: Any) -> Any:
    """Return plain data as readers return it, in which numbers keep their source text."""
    if isinstance(value, dict):
        return {key: as_read(member) for key, member in value.items()}
    if isinstance(value, list):
        return [as_read(item) for item in value]
    return value if isinstance(value, bool) or not isinstance(value, int) else str(value)


@RANDOMISED
@given(some.lists(RECORDS, min_size=1, max_size=3))
def test_yaml_is_read_as_the_same_data_again(records: list[dict[str, Any]]) -> None:
    text = "".join(map(yaml_record, records))
    findings: list[Finding] = []
    node = read_yaml(text, "x.yml", findings)
    assert findings == []
    assert node is not None
    assert node.value == [as_read(record) for record in records]


@RANDOMISED
@given(some.lists(RECORDS, min_size=1, max_size=3))
def test_json_lines_are_read_as_the_same_data_again(records: list[dict[str, Any]]) -> None:
    findings: list[Finding] = []
    nodes = list(read_json_lines("".join(map(json_record, records)), "x.jsonl", findings))
    assert findings == []
    assert [node.value for node in nodes] == [as_read(record) for record in records]


@RANDOMISED
@given(some.lists(RECORDS, min_size=1, max_size=3))
def test_csv_is_read_as_the_same_data_again_or_is_not_written(records: list[dict[str, Any]]) -> None:
    try:
        header = csv_header(records)
        text = csv_row(header)
        text += "".join(csv_record(header, record) for record in records)
    except Unwritable:
        return
    findings: list[Finding] = []
    nodes = list(read_csv(text, "x.csv", findings))
    assert findings == []
    for node, record in zip(nodes, records, strict=True):
        for name, value in record.items():
            if isinstance(value, (dict, list)):
                assert node.value[name] == as_read(value)
            else:
                assert node.value[name] == (str(value).lower() if isinstance(value, bool) else str(value))


@pytest.mark.parametrize("text", [text for text in TRAPS if _fits(text)])
def test_every_trap_stays_a_text_for_an_ordinary_yaml_reader(text: str) -> None:
    record = {"name": text, "list": [text, "x"], "map": {"a": text}}
    for loader in (yaml.SafeLoader, yaml.CSafeLoader):
        assert yaml.load(yaml_record(record), loader) == [record]


def test_numbers_and_dates_stand_as_they_are() -> None:
    written = yaml_record({"price": Plain("1299.00"), "day": Plain("2024-05-31"), "seats": 4, "on": True, "none": None})
    assert written == '- price: 1299.00\n  day: 2024-05-31\n  seats: 4\n  "on": true\n  "none": null\n'


def test_a_text_of_several_lines_is_line_by_line() -> None:
    assert yaml_record({"note": "one\ntwo\n"}) == "- note: |\n    one\n    two\n"
    assert yaml_record({"note": "one\ntwo"}) == "- note: |-\n    one\n    two\n"


def test_a_long_list_is_item_by_item_and_a_short_one_in_a_line() -> None:
    assert yaml_record({"a": ["x", "0012"]}) == '- a: [x, "0012"]\n'
    assert yaml_record({"a": ["word" * 10] * 4}).count("\n    - word") == 4


def test_the_same_data_gives_the_same_bytes() -> None:
    record = {"a": "x", "b": [1, {"c": "d"}]}
    assert yaml_record(record) == yaml_record(dict(record))
    assert yaml_map({"api": "seventhings/v1"}) == "api: seventhings/v1\n"


# ---- files


def test_records_go_on_in_a_further_file_when_one_is_big_enough() -> None:
    records = [{"barcode": f"{number:07d}"} for number in range(100)]
    files = section_files("rooms", records, "yaml", size=1000)
    assert list(files) == [f"rooms/{number:04d}.yml" for number in range(1, len(files) + 1)]
    assert len(files) > 1
    assert all(
        text.startswith(b"# yaml-language-server: $schema=../schema/rooms.schema.json\n") for text in files.values()
    )
    assert sum(text.count(b"- barcode") for text in files.values()) == 100


def test_a_small_section_is_one_file_and_objects_are_a_directory_always() -> None:
    assert list(section_files("rooms", [{"number": "1"}], "yaml")) == ["rooms.yml"]
    assert list(section_files("objects", [{"barcode": "1"}], "yaml")) == ["objects/0001.yml"]


def test_the_definitions_of_a_template_stay_in_the_one_file_that_is_read() -> None:
    records = [{"label": f"Field {number}"} for number in range(100)]
    assert list(section_files("fields/asset", records, "yaml", size=100)) == ["fields/asset.yml"]
    assert list(section_files("fields/asset", [{"label": "A"}], "yaml")) == ["fields/asset.yml"]
    assert section_files("tasks", [], "yaml") == {}


def test_what_csv_cannot_hold_is_written_as_json_lines_beside_it() -> None:
    records = [{"barcode": "1", "name": "fine"}, {"barcode": "2", "name": "[looks like JSON"}]
    files = section_files("objects", records, "csv")
    assert files["objects/0001.csv"] == b"barcode,name\n1,fine\n"
    assert files["objects/more.jsonl"] == b'{"barcode": "2", "name": "[looks like JSON"}\n'


def test_tables_of_a_section_that_is_parted_have_the_dialect_of_the_first() -> None:
    csv = plain_node({"files": {"rooms/*.csv": {"delimiter": ";"}}}, "csv")
    semicolons = Tables(**csv_of(csv, "csv", lambda _node, _words: None))
    rooms = [{"number": f"{number:04d}", "name": "Hall"} for number in range(20)]
    files = section_files("rooms", rooms, "csv", size=100, tables=semicolons)
    assert len(files) > 1
    assert all(text.startswith(b"number;name\n0") for text in files.values())
    assert section_files("rooms", rooms[:1], "csv", tables=semicolons) == {"rooms.csv": b"number,name\n0000,Hall\n"}


@pytest.mark.parametrize(
    ("dialect", "value", "text"),
    [
        (Dialect(null="NIX"), None, "NIX"),
        (Dialect(null="NIX"), "NIX", None),
        (Dialect(encoding="cp1252", writes="cp1252"), "é", "é"),
        (Dialect(encoding="cp1252", writes="cp1252"), "Ł", None),
    ],
)
def test_a_cell_is_read_in_its_dialect_as_what_was_written(dialect: Dialect, value: Any, text: str | None) -> None:
    """A value of None means that no cell of that dialect can contain it."""
    if text is None:
        with pytest.raises(Unwritable):
            csv_record(["a"], {"a": value}, dialect)
    else:
        assert csv_record(["a"], {"a": value}, dialect) == f"{text}\n"


def test_tasks_are_yaml_in_every_format() -> None:
    assert list(section_files("tasks", [{"title": "A"}], "csv")) == ["tasks.yml"]


def test_settings_name_the_instance_and_what_reports_records_apart() -> None:
    text = settings_file("https://acme.seventhings.com", {"tasks": ["title", "deadline"]}, "0123456789012345").decode()
    assert yaml.safe_load(text) == {
        "api": "seventhings/v1",
        "instance": "https://acme.seventhings.com",
        "set_id": "0123456789012345",
        "identity": {"tasks": ["title", "deadline"]},
    }


@pytest.mark.parametrize("name", ["x" * 1000, "x" * 3000, '"\n' * 900, "\u2028" * 300])
@pytest.mark.parametrize("value", ["a", None, ["a", {"b": "c"}], {"d": {"e": "f"}}, "two\nlines"])
def test_a_name_that_is_longer_than_names_may_be_in_yaml_is_read_again(name: str, value: Any) -> None:
    record = {"first": 1, name: value, "outer": {name: value}}
    assert yaml.safe_load(yaml_record(record)) == [record]
    assert yaml.safe_load(yaml_record({name: value})) == [{name: value}]


@pytest.mark.parametrize("number", [-0.0, 1.5, 1e300, float("inf")])
def test_a_number_with_a_fraction_in_another_field_is_a_text(number: float) -> None:
    """Types of numbers get their values unchanged."""
    assert yaml.safe_load(scalar(number)) == str(number)
