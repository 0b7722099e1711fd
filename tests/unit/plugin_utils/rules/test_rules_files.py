# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules files: valid content and findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.plugin_utils.rules.bound import bind
from ansible_collections.community.seventhings.plugins.plugin_utils.rules.judging import validator_of
from ansible_collections.community.seventhings.plugins.plugin_utils.rules.rule import RuleSet, read_rules


def read(directory: Path, text: str) -> RuleSet:
    """Return the rules of one file."""
    path = directory / "rules.yml"
    path.write_text(text, "utf-8")
    return read_rules([path])


def findings(directory: Path, text: str) -> list[str]:
    """Return the findings about a file, without its directory."""
    return [str(finding).removeprefix(f"{directory}/") for finding in read(directory, text).findings]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ("{requird: [a]}", "1:48: requird: no keyword that rules may use; did you mean required?"),
        ("{format: date}", "1:47: format: no keyword that rules may use; expected one of"),
        (
            "{patternProperties: {a: true}}",
            "1:58: patternProperties: no keyword that rules may use; did you mean properties?",
        ),
        ("{pattern: '('}", "1:48: pattern: '(' is not a 'regex'"),
        ("{minimum: '3'}", "1:48: minimum: '3' is not of type 'number'"),
        ("{minLength: -1}", "1:50: minLength: -1 is less than the minimum of 0"),
        ("{required: a}", "1:49: required: 'a' is not of type 'array'"),
        ("{allOf: []}", "1:46: allOf: [] should be non-empty"),
        ("{$ref: 'http://127.0.0.1/x'}", "1:45: $ref: 'http://127.0.0.1/x' does not match '^#/"),
        ("{$ref: other.yml}", "1:45: $ref: 'other.yml' does not match '^#/"),
        ("{$ref: '#/$defs/none'}", "1:45: $ref: nothing in this file is at #/$defs/none"),
        ("{$ref: '#/rules/0/require'}", "1:45: $ref: '#/rules/0/require' does not match '^#/"),
        ("text", "1:38: require: 'text' is not of type 'object', 'boolean'"),
    ],
)
def test_a_schema_that_would_judge_nothing_is_a_finding(tmp_path: Path, schema: str, expected: str) -> None:
    (line,) = findings(tmp_path, f"rules: [{{id: r, for: rooms, require: {schema}}}]")
    assert line.startswith(f"rules.yml:{expected}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "rules.yml: expected rules; found nothing"),
        ("- id: r", "rules.yml:1:1: a rules file: [{'id': 'r'}] is not of type 'object'"),
        ("rules: []\nrule: []", "rules.yml:2:7: rule: no keyword that rules may use; did you mean rules?"),
        ("rules: [text]", "rules.yml:1:9: rules: 'text' is not of type 'object'"),
        (
            "rules: [{id: r, for: room, require: true}]",
            "rules.yml:1:22: for: 'room' is not one of ['fields', 'locations',",
        ),
        ("rules: [{id: ' a', for: rooms, require: true}]", "rules.yml:1:14: id: ' a' does not match"),
        ("rules: [{for: rooms, require: true}]", "rules.yml:1:9: rules: 'id' is a required property"),
        ("rules: [{id: r, for: rooms}]", "rules.yml:1:9: rules: 'require' is a required property"),
        ("rules: [{id: r, for: rooms, require: true, level: info}]", "rules.yml:1:51: level: 'info' is not one of"),
        (
            "rules: [{id: r, for: rooms, require: true, whn: true}]",
            "rules.yml:1:49: whn: no keyword that rules may use; did you mean when?",
        ),
        ("rules: [{id: r, for: rooms, require: true}, {id: r, for: rooms, require: true}]", "rules.yml:1:50: id: r is"),
        ("rules: [", "rules.yml:1:1: this is not YAML"),
    ],
)
def test_what_is_wrong_with_a_file_has_its_place(tmp_path: Path, text: str, expected: str) -> None:
    (line,) = findings(tmp_path, text)
    assert line.startswith(expected)


def test_references_lead_to_other_parts_of_the_file(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "$defs: {number: {pattern: '^A'}, it: {properties: {serial_number: {$ref: '#/$defs/number'}}}}\n"
        "rules: [{id: 7, for: objects, require: {$ref: '#/$defs/it', required: [serial_number]}}]",
    )
    assert found.findings == []
    assert found.rules[0].says("no") == "rule 7: no"
    (rule,) = bind(found.rules, [], (), lambda _place, _words: None)
    assert [rule.breaks({"serial_number": text}) for text in ("A1", "B1")] == [False, True]
    assert rule.breaks({})


def test_references_that_grow_without_end_are_refused(tmp_path: Path) -> None:
    parts = ", ".join(
        f"d{number}: {{allOf: [{', '.join(['{$ref: ' + json.dumps(f'#/$defs/d{number + 1}') + '}'] * 9)}]}}"
        for number in range(9)
    )
    (line,) = findings(
        tmp_path, f"$defs: {{{parts}, d9: true}}\nrules: [{{id: r, for: rooms, require: {{$ref: '#/$defs/d0'}}}}]"
    )
    assert "the schemas are too many or too deep" in line


@pytest.mark.parametrize(("name", "why"), [("none.yml", "can't be read"), ("folder", "is not a regular file")])
def test_a_file_that_can_not_be_read_is_an_error(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInput, match=f"^rules: .*{why}"):
        read_rules([tmp_path / name])


@pytest.mark.parametrize(
    ("value", "step", "expected"),
    [
        (0.3, 0.1, True),
        (12.35, 0.05, True),
        (12.36, 0.05, False),
        (1e308, 3e-308, False),
        (7, 7, True),
        (10**300, 7, False),
    ],
)
def test_multiples_are_those_that_people_write(value: float, step: float, expected: bool) -> None:
    assert validator_of({"multipleOf": step}).is_valid(value) is expected


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ("$defs: {a: {$ref: '#/$defs/b'}, b: {$ref: '#/$defs/a'}}", "#/$defs/a refers to itself"),
        ("$defs: {a: {properties: {b: {$ref: '#/$defs/a'}}}}", "#/$defs/a refers to itself"),
        ("$defs: {a: {not: {requird: [a]}}}", "requird: no keyword that rules may use"),
    ],
)
def test_parts_of_a_file_are_checked_like_its_rules(tmp_path: Path, parts: str, expected: str) -> None:
    (line,) = findings(tmp_path, f"rules: [{{id: r, for: rooms, require: {{$ref: '#/$defs/a'}}}}]\n{parts}")
    assert expected in line


def test_names_of_members_in_a_value_are_not_shown(tmp_path: Path) -> None:
    rule = "{id: r, for: rooms, require: {properties: {hours: {properties: {days: {additionalProperties: false}}}}}}"
    (found,) = bind(read(tmp_path, f"rules: [{rule}]").rules, [], (), lambda _place, _words: None)
    (problem,) = found.problems({"hours": {"days": {"Secret": 1}}})
    assert problem.words == "hours: additionalProperties does not allow this"
    assert problem.way == ("hours", "days")
