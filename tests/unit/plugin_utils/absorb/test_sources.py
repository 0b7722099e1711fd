# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a desired state are edited in place: the new value reads back, and the rest keeps its bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import yaml

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Plain
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.sources import JsonSource, Source, YamlSource
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.splices import is_same
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.text_file import (
    NewValue,
    TextFile,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import Place
from ansible_collections.community.seventhings.plugins.plugin_utils.export.writing import Unwritable

FIRST = Place("objects.yml", 1, 3)
"""The position of the first record of a list."""


def edited(text: str, edit: Callable[[YamlSource], None], has_variables: bool = False) -> str:
    """Return a file of YAML after an edit."""
    source = YamlSource(TextFile(text, "utf-8"), has_variables)
    edit(source)
    source.finish()
    return source.file.content().decode()


def put(source: Source, value: Any) -> None:
    """Change the field a of the first record."""
    source.set(FIRST, "a", _new(value))


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        # Items of a list in brackets.
        ("- {a: [1, 2, 3]} # c\n", [1, 3], "- {a: [1, 3]} # c\n"),
        ("- {a: [1, 2, 3]}\n", [2, 3], "- {a: [2, 3]}\n"),
        ("- {a: [1, 2 ,3]}\n", [1, 2], "- {a: [1, 2]}\n"),
        ("- {a: [1, 2]}\n", [0, 1, 2], "- {a: [0, 1, 2]}\n"),
        ("- {a: [1,  2]}\n", [1, 2, 3], "- {a: [1,  2, 3]}\n"),
        ("- {a: ['1', '2']}\n", ["1", "it's"], "- {a: ['1', 'it''s']}\n"),
        ("- {a: [{x: 1}, {y: 2}]}\n", [{"x": 1}, {"y": 3}], '- {a: [{x: 1}, {"y": 3}]}\n'),
        # Items on lines of their own.
        ("- a:\n    - 1\n    - 2\n", [0, 1, 2], "- a:\n    - 0\n    - 1\n    - 2\n"),
        ("- a:\n    - 1 # one\n    - 2", [1, 2, 3], "- a:\n    - 1 # one\n    - 2\n    - 3"),
        ("- a:\n    - 1\n    - 2 # two\n", [2], "- a:\n    - 2 # two\n"),
        ("- a:\n  - x: 1\n    z: 2\n  - 3\n", [{"x": 2}, 3], "- a:\n  - {x: 2}\n  - 3\n"),
        ("- {a: [1, 2]}\n", [2, 1], "- {a: [2, 1]}\n"),
        # A collection on lines of its own, and another value.
        ("- a:\n  - 1\n  b: 1\n", None, "- a: null\n  b: 1\n"),
        ("- a:\n  - 1\n  b: 1\n", [7, 8], "- a:\n  - 7\n  - 8\n  b: 1\n"),
        ("- a:\n    x: 1\n", "text", "- a: text\n"),
        # Members of a map.
        ("- a: {x: 1, y: 2}\n", {"x": 2, "z": 3}, "- a: {x: 2, z: 3}\n"),
        ("- a: {y: 2, x: 1}\n", {"x": 1}, "- a: {x: 1}\n"),
        ("- a: {x: 1}\n", {"x": 1, "long name": [1]}, "- a: {x: 1, long name: [1]}\n"),
        ("- a:\n    x: 1 # one\n    y: 2\n", {"x": 1, "z": 3}, "- a:\n    x: 1 # one\n    z: 3\n"),
        ("- a:\n    x: 1\n    y: |\n      text\n", {"x": 2, "y": "t"}, "- a:\n    x: 2\n    y: |-\n      t\n"),
        # Block texts, and texts that can't be written as a block.
        ("- a: >\n    x\n\n    y\n", "one\ntwo\n", "- a: >\n    one\n\n    two\n"),
        ("- a: >\n    x\n", "one\n\n two", '- a: "one\\n\\n two"\n'),
        ("- a: |2\n    x\n", "one", "- a: one\n"),
        ("- a: |\n    x\n", "", '- a: ""\n'),
        ("- a: |\n    x\n", "blank \nx", '- a: "blank \\nx"\n'),
        ("- a: |+\n    x\n\n", "y\n", "- a: |\n    y\n\n"),
        # Texts that YAML would read as another type.
        ("- a: x\n", "yes", '- a: "yes"\n'),
        ("- a: x\n", "(null)", '- a: "(null)"\n'),
        ("- {a: x}\n", "<NA>", '- {a: "<NA>"}\n'),
        ("- a: x\n", "12", '- a: "12"\n'),
        ("- {a: x}\n", "1, 2", '- {a: "1, 2"}\n'),
        ("- {a: x}\n", "what?", '- {a: "what?"}\n'),
        ("- a: x\n", "what?", "- a: what?\n"),
        ("- a: 'x'\n", "tab\tand\nline", '- a: "tab\\tand\\nline"\n'),
        ("- a: x\n", True, "- a: true\n"),
        ("- a:\n  b: 1\n", "x", "- a: x\n  b: 1\n"),
        # A collection that begins on the line of its name.
        ("- ? a\n  : - 1\n    - 2\n  ? b\n  : 3\n", None, "- ? a\n  : null\n  ? b\n  : 3\n"),
    ],
)
def test_a_value_is_put_in_the_place_of_another_one(text: str, value: Any, expected: str) -> None:
    written = edited(text, lambda source: put(source, value))
    assert yaml.safe_load(written)[0]["a"] == value
    assert written == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a: 1\n", '- a: 1\n  "1 b": [x]\n'),
        ("- {a: 1}\n", '- {a: 1, "1 b": [x]}\n'),
        ("- a: {}", '- a: {}\n  "1 b": [x]'),
        # Nothing is inserted after a value with lines of its own.
        ("- a: |\n    x\n", '- "1 b": [x]\n  a: |\n    x\n'),
        ("- c: 1\n  a:\n    - 1\n", '- c: 1\n  "1 b": [x]\n  a:\n    - 1\n'),
    ],
)
def test_a_field_is_added_to_a_record(text: str, expected: str) -> None:
    written = edited(text, lambda source: source.add(FIRST, "1 b", ["x"]))
    assert yaml.safe_load(written)[0] == {**yaml.safe_load(text)[0], "1 b": ["x"]}
    assert written == expected


@pytest.mark.parametrize(
    ("text", "edit", "words"),
    [
        ("- b: 1\n", lambda source: put(source, 2), "not written in that place"),
        ("- a: ${site}\n", lambda source: put(source, 2), "came through a variable"),
        ("- a: &x 1\n- a: *x\n", lambda source: source.set(Place("", 2, 3), "a", _new(2)), "came through an anchor"),
        ("- a: {x: {y: 1}}\n", lambda source: source.set(Place("", 9, 9), "a", _new(2)), "not written in that place"),
        ("- a:\n    x: 1\n", lambda source: source.remove(Place("", 2, 5)), "not in a list of records"),
        ("[{a: 1}, {a: 2}]\n", lambda source: source.remove(Place("", 1, 2)), "in one pair of brackets"),
        ("a: 1\n", lambda source: source.append([{}], ["a", "b"]), "no list of records in that place"),
        ("a: 1\n", lambda source: source.append([{}], ["a"]), "no list of records in that place"),
        ("a: {}\n", lambda source: source.append([{}], ["a", "b"]), "no list of records in that place"),
        ("a: &x [1]\nb: *x\n", lambda source: source.append([{}], ["b"]), "came through an anchor"),
        ("- []\n", lambda source: source.add(Place("", 1, 3), "b", 1), "not written"),
        ("- x\n", lambda source: source.add(Place("", 1, 3), "b", 1), "not written as fields and their values"),
        ("- &x {a: 1}\n- *x\n", lambda source: put(source, 2), "came through an anchor"),
        ("- &x {a: 1}\n- *x\n", lambda source: source.add(FIRST, "b", 1), "came through an anchor"),
        ("- &x {a: 1}\n- *x\n", lambda source: source.remove(FIRST), "came through an anchor"),
        ("- ? a\n  : x: 1\n    y: 2\n", lambda source: put(source, {"y": 2}), "x can't be removed in place"),
        ("- ? a\n  : - 1\n    - 2\n", lambda source: put(source, [2]), "begins on the same line as another value"),
        ("- a: 1\n", lambda source: _put_misread(source, "x"), "would be read as another value"),
        # Half of a surrogate pair.
        ("- a: x\n", lambda source: put(source, "\ud800"), "would be read as another value"),
        ("- a: [1]\n", lambda source: _put_misread(source, None), "would be read as another value"),
    ],
)
def test_what_can_not_be_edited_is_reported_and_left(text: str, edit: Callable[[YamlSource], None], words: str) -> None:
    source = YamlSource(TextFile(text, "utf-8"), has_variables=True)
    with pytest.raises(Unwritable, match=words):
        edit(source)
    assert source.file.content().decode() == text


def _new(value: Any) -> NewValue:
    return NewValue(value, partial(is_same, value))


def _put_misread(source: Source, value: Any) -> None:
    """Change the field a of the first record to a value that no text is parsed as."""
    source.set(FIRST, "a", NewValue(value, lambda _loaded: False))


_ONE = [{"barcode": "1"}]


@pytest.mark.parametrize(
    ("text", "way", "expected"),
    [
        ("", [], '- barcode: "1"\n'),
        ("# nothing yet\n", [], '# nothing yet\n- barcode: "1"\n'),
        ("null\n", [], '\n- barcode: "1"\n'),
        ("- a: 1", [], '- a: 1\n- barcode: "1"\n'),
        ("  - a: 1 # c\n", [], '  - a: 1 # c\n  - barcode: "1"\n'),
        ("[]\n", [], '- barcode: "1"\n'),
        ("[{a: 1}]\n", [], '[{a: 1}, {barcode: "1"}]\n'),
        ("objects: []\n", ["objects"], 'objects: [{barcode: "1"}]\n'),
        ("objects: # none\nrooms: []\n", ["objects"], 'objects: [{barcode: "1"}] # none\nrooms: []\n'),
        ("objects:\n  - a: 1\nrooms: []\n", ["objects"], 'objects:\n  - a: 1\n  - barcode: "1"\nrooms: []\n'),
        ("rooms: []\n", ["fields", "asset"], 'rooms: []\nfields: {asset: [{barcode: "1"}]}\n'),
        ("rooms: []\n", ["objects"], 'rooms: []\nobjects: [{barcode: "1"}]\n'),
        ("set: {rooms: []}\n", ["set", "objects"], 'set: {rooms: [], objects: [{barcode: "1"}]}\n'),
        ("", ["a b", "c", "objects"], 'a b: {c: {objects: [{barcode: "1"}]}}\n'),
    ],
)
def test_records_are_added_behind_the_last_one(text: str, way: list[str], expected: str) -> None:
    written = edited(text, lambda source: source.append(_ONE, way))
    found = yaml.safe_load(written)
    for step in way:
        found = found[step]
    assert found[-1] == _ONE[0]
    assert written == expected


@pytest.mark.parametrize(
    ("text", "lines", "expected"),
    [
        ("- a: 1\n# of the second\n- a: 2\n", [1], "# of the second\n- a: 2\n"),
        ("- a: 1\n- a: 2\n", [1, 2], ""),
        ("[ {a: 1} ] # one\n", [1], "[] # one\n"),
        ("---\n- a: 1\n...\n# the end\n", [2], "---\n[]\n...\n# the end\n"),
    ],
)
def test_records_are_removed(text: str, lines: list[int], expected: str) -> None:
    def take(source: YamlSource) -> None:
        for line in lines:
            source.remove(Place("", line, 3))

    assert edited(text, take) == expected


def test_lines_of_json_are_edited_in_place() -> None:
    text = '{"a": [1, "x"], "b": "\\u00e4"}\n{"a": 2}\n'
    source = JsonSource(TextFile(text, "utf-8"), has_variables=False)
    source.set(Place("", 1, 1), "a", _new([1, "y"]))
    source.set(Place("", 1, 1), "b", _new("ö"))
    source.add(Place("", 1, 1), "c d", None)
    source.remove(Place("", 2, 1))
    source.append([{"a": 3}])
    lines = source.file.content().decode().splitlines()
    assert [json.loads(line) for line in lines] == [{"a": [1, "y"], "b": "ö", "c d": None}, {"a": 3}]


def test_a_line_of_json_is_left_where_nothing_is_read_as_the_value() -> None:
    text = '{"a": "x"}\n'
    source = JsonSource(TextFile(text, "utf-8"), has_variables=False)
    with pytest.raises(Unwritable, match="would be read as another value"):
        source.set(Place("", 1, 1), "a", NewValue("y", lambda _loaded: False))
    assert source.file.content().decode() == text


@pytest.mark.parametrize(
    ("value", "loaded", "same"),
    [
        (True, 1, False),
        (None, "", False),
        ({"a": [1, "x"]}, {"a": [Plain("1"), "x"]}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, [1], False),
        ([1, 2], [1], False),
    ],
)
def test_what_is_read_is_the_value_or_it_is_not(value: Any, loaded: Any, same: bool) -> None:
    assert is_same(value, loaded) == same
