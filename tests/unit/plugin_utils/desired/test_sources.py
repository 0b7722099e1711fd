# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML, CSV and JSON Lines as plain values with their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import hypothesis.strategies as st
import pytest
import yaml
from hypothesis import given, settings
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Plain
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.nodes import Node
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Finding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.csv_source import read_csv
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.json_source import read_json_lines
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.yaml_source import read_yaml


def _yaml(text: str) -> tuple[Any, list[str]]:
    findings: list[Finding] = []
    node = read_yaml(text, "a.yml", findings)
    return None if node is None else node.value, list(map(str, findings))


def _rows(read: Callable[..., Iterable[Node]], text: str) -> tuple[list[Any], list[str]]:
    findings: list[Finding] = []
    rows = [node.value for node in read(text, "a", findings)]
    return rows, list(map(str, findings))


# ---- YAML


@pytest.mark.parametrize(
    "text",
    [
        "0777", "0o17", "0089", "0001234", "12:30", "12:30:45", "190:20:30.15", "0x1F", "0b101", "1_000", "1.5",
        "1.", ".5", "1e3", "12e03", "6.02E+23", "-7", "+5", "-.5", ".inf", "-.Inf", ".NaN", "2024-05-31",
        "2024-05-31 12:00:00",
        "2001-12-14t21:59:43.10-05:00", "yes", "No", "ON", "off", "0",
    ],
)  # fmt: skip
def test_what_yaml_reads_as_something_else_keeps_its_source_text(text: str) -> None:
    value, findings = _yaml(f"a: {text}\n")
    assert isinstance(value["a"], Plain)
    assert value["a"] == text
    assert findings == []
    quoted, _findings = _yaml(f'a: "{text}"\n')
    assert not isinstance(quoted["a"], Plain)


@pytest.mark.parametrize(
    "text",
    ["1.2.3", "0.12a", "A1", "-", "+", ".", "..", "1-2", "12:75", "nan", "y", "n", "None", "2024-05", "e3", "0x"],
)
def test_everything_else_is_text(text: str) -> None:
    value, _findings = _yaml(f"a: {text} \n") if text != "-" else _yaml("a: '-'\n")
    assert not isinstance(value["a"], Plain)
    assert value["a"] == text


@pytest.mark.parametrize("text", ["null", "~", "Null", "NULL", ""])
def test_null_is_null(text: str) -> None:
    assert _yaml(f"a: {text}\nb: x\n")[0] == {"a": None, "b": "x"}


def test_true_and_false_are_what_they_are() -> None:
    assert _yaml("[true, True, TRUE, false, False, FALSE]")[0] == [True] * 3 + [False] * 3


@pytest.mark.parametrize(
    "text", ["\ufeffa: x\n", "a: x\r\n", "---\na: x\n...\n", "%YAML 1.1\n---\na: x\n", "# c\n\na:   x  # c\n"]
)
def test_what_editors_leave_in_files_does_not_matter(text: str) -> None:
    assert _yaml(text) == ({"a": "x"}, [])


@pytest.mark.parametrize("text", ["", "\n", "# only a comment\n", "---\n", "\ufeff", "--- ~\n"])
def test_an_empty_file_is_nothing(text: str) -> None:
    assert _yaml(text) == (None, [])


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("a: 1\nb: x\na: 2\n", "a.yml:3:1: a is written twice, first at a.yml:1:4"),
        ("a: !vault x\n", "a.yml:1:4: !vault: tags are not allowed"),
        (
            "a: !!python/object/apply:os.system [id]\n",
            "a.yml:1:4: tag:yaml.org,2002:python/object/apply:os.system: tags",
        ),
        ("a: !!str 5\n", "a.yml:1:4: tag:yaml.org,2002:str: tags"),
        ("a: '{{ b }}'\n", "a.yml:1:4: no templates"),
        ("a: x\nb: |\n  {% if a %}\n", "a.yml:2:4: no templates"),
        ("a: {{ b }}\n", "a.yml:1:5: expected a text as the key"),
        ("a: {? [b] : c}\n", "a.yml:1:7: expected a text as the key"),
        ("a: &x {b: c}\nd:\n  <<: *x\n", "a.yml:3:3: <<: maps are not merged"),
        ("a: &x [*x]\n", "a.yml:1:4: nested more than 40 deep"),
        ("a: x\n---\nb: y\n", "a.yml:2:1: this is not YAML: expected a single document"),
        ("a: 'x\nb: y\n", "a.yml:1:4: this is not YAML: while scanning a quoted scalar"),
        ('a: "x\n', "a.yml:1:4: this is not YAML"),
        ("a: [1,\nb: 2\n", "a.yml:1:4: this is not YAML: while parsing a flow"),
        ("a: x\n\tb: y\n", "a.yml:2:1: this is not YAML: a tab; YAML indents with spaces"),
        ("a:\n\tb: y\n", "a.yml:2:1: this is not YAML: a tab; YAML indents with spaces"),
        ("a:\r\n- b: x\r\n  \tc: y\r\n", "a.yml:3:3: this is not YAML: a tab; YAML indents with spaces"),
        ("-\ta: x\n", "a.yml:1:2: this is not YAML: a tab; YAML indents with spaces"),
        ("a: |\n\tx\n", "a.yml:2:1: this is not YAML: a tab; YAML indents with spaces"),
        ("a:\n  b: @x\n", "a.yml:2:6: this is not YAML: while scanning for the next token, found character"),
        ("a:\n  b: x\n c: y\n", "a.yml:3:2: this is not YAML"),
        ("a: b: c\n", "a.yml:1:5: this is not YAML: mapping values are not allowed"),
        ("a: *nobody\n", "a.yml:1:4: this is not YAML: found undefined alias"),
        ("a: x\nb: \x07\n", "a.yml:2:4: this is not YAML"),
        ("a: " + "[" * 60 + "]" * 60, "a.yml:1:44: nested more than 40 deep"),
    ],
)
def test_a_mistake_is_found_where_it_is(text: str, finding: str) -> None:
    _value, findings = _yaml(text)
    assert len(findings) == 1, findings
    assert findings[0].startswith(finding), findings


def test_aliases_mean_the_same_again() -> None:
    assert _yaml("a: &x {b: [1]}\nc: *x\nd: &y text\ne: *y\n") == (
        {"a": {"b": ["1"]}, "c": {"b": ["1"]}, "d": "text", "e": "text"},
        [],
    )


def test_aliases_of_aliases_do_not_fill_the_memory() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 9)}]" for number in range(1, 12)]
    _value, findings = _yaml("\n".join(lines))
    assert len(findings) == 1
    assert "aliases of aliases expand this file too much" in findings[0]


def test_members_know_their_places() -> None:
    findings: list[Finding] = []
    node = read_yaml("- a: x\n  b:\n    c: [1,\n      2]\n- text\n", "a.yml", findings)
    assert node is not None
    first, second = node.items()
    assert (str(first.place), str(second.place)) == ("a.yml:1:3", "a.yml:5:3")
    assert str(first.member("a").place) == "a.yml:1:6"
    assert str(first.member("b").member("c").member(1).place) == "a.yml:4:7"
    assert str(first.within(("a",))) == "a.yml:1:6"
    assert str(first.within(("b",))) == "a.yml:3:5"
    assert list(first.value) == ["a", "b"]


_plain = st.recursive(
    st.one_of(
        st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=8).filter(
            lambda text: "{" not in text
        )
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@settings(max_examples=500 if LONG else 50, deadline=None, derandomize=not LONG, database=None)
@given(_plain)
def test_texts_are_read_as_they_were_written(value: Any) -> None:
    written = yaml.safe_dump([value], allow_unicode=True, default_style='"')
    read, findings = _yaml(written.replace("!!null ", ""))
    assert findings == []
    assert read == [value]


@settings(max_examples=2000 if LONG else 150, deadline=None, derandomize=not LONG, database=None)
@given(st.text(st.sampled_from("ab:-[]{}\"'\n &*!|>%@`#,?\t\\\u0007é0"), max_size=40))
def test_whatever_is_in_a_file_it_is_read_or_found(text: str) -> None:
    _value, findings = _yaml(text)
    lines = text.count("\n") + 2
    for finding in findings:
        _name, line, column = finding.split(":")[:3]
        assert 1 <= int(line) <= lines
        assert int(column) >= 1


# ---- CSV


def test_cells_are_texts_and_empty_ones_are_not_managed() -> None:
    rows, findings = _rows(read_csv, 'a,b,c\n0012,,"x, y"\n\n"1\n2",yes,"[1, ""2""]"\n')
    assert rows == [{"a": "0012", "c": "x, y"}, {"a": "1\n2", "b": "yes", "c": ["1", "2"]}]
    assert findings == []


@pytest.mark.parametrize("text", ["\ufeffa;b\r\n1;2\r\n", "a\tb\n1\t2\n", "a,b\r\n1,2", "\na , b\n1,2\n"])
def test_however_a_table_was_saved(text: str) -> None:
    assert _rows(read_csv, text) == ([{"a": "1", "b": "2"}], [])


def test_a_cell_is_found_at_its_column_also_behind_quotes_and_line_breaks() -> None:
    findings: list[Finding] = []
    first, second = read_csv('a,b,c\n"x,""y""",2,3\n"1\n2",yes,z\n', "a", findings)
    assert [str(first.within((name,))) for name in "abc"] == ["a:2:1", "a:2:11", "a:2:13"]
    assert [str(second.within((name,))) for name in "abc"] == ["a:3:1", "a:4:4", "a:4:8"]
    assert str(second.of_name("b")) == "a:1:3"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a,b\n1\n", "a:2:1: expected 2 cells as in the first row, found 1"),
        ("a,b\n1,2,3\n", "a:2:1: expected 2 cells as in the first row, found 3"),
        ("a,a\n1,2\n", "a:1:3: the column a is written twice"),
        ("a,,b\n1,2,3\n", "a:2:3: this column has no name"),
        ('a,b\n1,"2\n3,4\n', "a:2:1: this is not CSV"),
        ('a,b\n1,"2"x\n', "a:2:1: this is not CSV"),
        ("a,b\n1,{{ x }}\n", "a:2:3: b: no templates"),
        ("a,b\n1,x {{ x }}\n", "a:2:3: b: no templates"),
    ],
)
def test_a_mistake_in_a_table_is_found(text: str, found: str) -> None:
    _values, findings = _rows(read_csv, text)
    assert findings[0].startswith(found), findings


def test_a_very_long_cell_is_no_mistake() -> None:
    rows, findings = _rows(read_csv, "a\n" + "x" * 300_000 + "\n")
    assert (len(rows[0]["a"]), findings) == (300_000, [])


# ---- JSON Lines


def test_numbers_keep_their_source_text() -> None:
    rows, findings = _rows(read_json_lines, '\ufeff{"a": 1.50, "b": [1e300, {"c": 7}]}\n')
    assert rows == [{"a": "1.50", "b": ["1e300", {"c": "7"}]}]
    assert isinstance(rows[0]["a"], Plain)
    assert findings == []


def test_numbers_that_a_program_wrote_with_an_exponent_are_as_a_person_writes_them() -> None:
    long = "1.000000000000000000000000000001"
    rows, findings = _rows(read_json_lines, f'{{"a": [1e-7, 1.5e+3, 1.50E3, -2.0e+16, {long}e30]}}\n')
    assert rows == [{"a": ["0.0000001", "1500", "1500", "-20000000000000000", f"{10**30 + 1}"]}]
    assert findings == []


def test_a_line_ends_at_a_line_feed_only() -> None:
    rows, findings = _rows(read_json_lines, '{"a": "x\u2028y\x85z"}\r\n\n{"a": "b"}')
    assert rows == [{"a": "x\u2028y\x85z"}, {"a": "b"}]
    assert findings == []


def test_a_member_is_found_at_its_column() -> None:
    findings: list[Finding] = []
    (node,) = read_json_lines('{"a": {"b": 1}, "c" : ["}"],"b":2}', "a", findings)
    assert [str(node.within((name,))) for name in "acb"] == ["a:1:7", "a:1:23", "a:1:33"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1', "a:1:8: this is not JSON: Expecting ',' delimiter"),
        ('{"a": 1}\n{"a": NaN}', "a:2:1: this is not JSON: NaN is not JSON"),
        ('{"a": 1, "a": 2}', "a:1:1: this is not JSON: a is written twice"),
        ('{"a": {"b": 1, "b": 2}}', "a:1:1: this is not JSON: b is written twice"),
        ('{"a": "{{ b }}"}', "a:1:7: a: no templates"),
        ('{"a": ["x {% b %}"]}', "a:1:7: a: no templates"),
        ("[" * 100_000, "a:1:1: this is not JSON: nested more than 40 deep"),
        ('{"a": ["\\ud800"]}', "a:1:1: this is not JSON: half of a surrogate pair"),
    ],
)
def test_a_mistake_in_a_line_is_found(text: str, found: str) -> None:
    _values, findings = _rows(read_json_lines, text)
    assert len(findings) == 1
    assert findings[0].startswith(found), findings
