# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are meant to take long, or that are not text: reading ends soon, with findings and places."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.field import MOST_CHARACTERS
from ansible_collections.community.seventhings.plugins.plugin_utils.desired import loading
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.nodes import Node
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Finding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.csv_source import (
    read_csv,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.json_source import read_json_lines
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.yaml_source import read_yaml

_SECONDS = 2.0
_COLUMNS = 12_000
_KEYS = 20_000

Read = Callable[[str, str, list[Finding]], Any]


def _findings(read: Read, text: str) -> list[str]:
    findings: list[Finding] = []
    found = read(text, "a", findings)
    if isinstance(found, Iterable) and not isinstance(found, Node):
        list(found)
    return list(map(str, findings))


_NAMES = ",".join(f"c{number}" for number in range(_COLUMNS))


@pytest.mark.sample(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (read_csv, ",".join(["abc"] * _COLUMNS), _COLUMNS - 1),
        (read_csv, f"{_NAMES}\n{','.join(['{{ a'] * _COLUMNS)}", _COLUMNS),
        (read_csv, f"{_NAMES}\n" + ",".join(['"[""{{ a""]"'] * _COLUMNS), _COLUMNS),
        (read_yaml, "a:\n" + "  k: 1\n" * _KEYS, _KEYS - 1),
        (read_yaml, "a:\n" + "".join(f"  k{number // 2}: 1\n" for number in range(_KEYS)), _KEYS // 2),
        (read_json_lines, "{" + ",".join(f'"c{number}": "{{{{ a"' for number in range(_KEYS)) + "}", _KEYS),
    ],
    ids=[
        "columns",
        "templates",
        "json cells",
        "keys",
        "pairs of keys",
        "json templates",
    ],
)
def test_many_mistakes_cost_linear_time(read: Read, text: str, expected: int) -> None:
    started = time.process_time()
    findings = _findings(read, text)
    assert time.process_time() - started < _SECONDS
    assert len(findings) == expected


@pytest.mark.parametrize(
    ("read", "text", "finding"),
    [
        (read_csv, "a,b\n1,2\n3,x\0y\n", "a:3:3: b: contains a NUL character, which is not text"),
        (read_csv, "a,b\0\n1,2\n", "a:1:3: the name of this column: contains a NUL character, which is not text"),
        (read_csv, 'a,b\n1,"[""\\u0000""]"\n', "a:2:3: b: contains a NUL character, which is not text"),
        (read_yaml, 'a: 1\nb: "x\\0"\n', "a:2:4: contains a NUL character, which is not text"),
        (read_yaml, 'a: 1\n"b\\x00": 1\n', "a:2:1: the key contains a NUL character, which is not text"),
        (read_json_lines, '{}\n{"a": 1, "b": ["\\u0000"]}', "a:2:15: b: contains a NUL character, which is not text"),
    ],
)
def test_a_nul_character_is_refused_with_its_place(read: Read, text: str, finding: str) -> None:
    assert _findings(read, text) == [finding]


@pytest.mark.parametrize(
    ("read", "text", "place"),
    [
        (read_yaml, "a: 1\nb: {}\n", "a:2:4"),
        (read_yaml, "a: [x, {}]\n", "a:1:8"),
        (read_yaml, "? {}\n: 1\n", "a:1:3"),
        (read_json_lines, '{{}}\n{{"a": ["{}"]}}', "a:2:1"),
        (read_json_lines, '{{"{}": 1}}', "a:1:1"),
        (read_csv, "a\n1\n{}\n", "a:3:1"),
        (read_csv, "a,{}\n1,2\n", "a:1:1"),
    ],
)
def test_a_text_that_no_list_could_answer_is_refused_with_its_place(read: Read, text: str, place: str) -> None:
    assert _findings(read, text.format("x" * MOST_CHARACTERS)) == []
    expected = [f"{place}: expected a text of at most 1,000,000 characters"]
    assert _findings(read, text.format("x" * (MOST_CHARACTERS + 1))) == expected


def test_a_text_that_looks_like_an_escaped_nul_is_none() -> None:
    assert _findings(read_json_lines, '{"a": "\\\\u0000"}') == []


def test_members_beside_a_number_that_python_does_not_read_have_their_places() -> None:
    (node,) = read_json_lines('{"a": ' + "9" * 5000 + ', "b": 1}', "a", [])
    assert node.mark_of("b") == node.mark + 5013


@pytest.mark.parametrize("deep", ["[" * 41 + "]" * 41, '{"a":' * 40 + "[]" + "}" * 40])
def test_deep_json_is_a_finding_and_brackets_in_texts_do_not_count(deep: str) -> None:
    (finding,) = _findings(read_json_lines, deep)
    assert finding.endswith("nested more than 40 deep")
    assert _findings(read_json_lines, '{"a": "' + "[" * 1000 + '\\"' + "[" * 1000 + '"}') == []


def test_the_records_of_a_desired_state_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MOST_RECORDS", 2)
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\n", encoding="utf-8")
    (tmp_path / "locations.csv").write_text("name\na\nb\nc\nd\n", encoding="utf-8")
    findings = list(map(str, loading.load(tmp_path).findings))
    assert findings == ["locations.csv:4:1: expected at most 2 records in one desired state"]
