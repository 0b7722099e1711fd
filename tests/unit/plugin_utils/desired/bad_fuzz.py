# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random bad desired states: lines are changed at random until other parsers reject the file."""

from __future__ import annotations

import csv
import json
import random
import string
from collections.abc import Callable, Iterator

import yaml

from .bad_states import CSV, FILES, JSONL, MISTAKES, YAML, YAML_LINES, Bad, chosen_record, edited
from .bad_traps import TRAPS

_INDICATORS = "[]{}:,&*!|>'\"%@`#-? \\" + string.ascii_lowercase[:3]
_JSON_LETTERS = '{}[]:,"\\ \t' + string.digits[:3] + "tfn"


def _changed(chance: random.Random, text: str, letters: str) -> Iterator[str]:
    """Yield a text with more and more insertions, deletions and replacements."""
    while True:
        at = chance.randrange(len(text) + 1)
        end = at + chance.randrange(3)
        text = text[:at] + "".join(chance.choices(letters, k=chance.randrange(3))) + text[end:]
        if text.strip():
            yield text


def fuzzed_yaml(chance: random.Random) -> Bad:
    line = chosen_record(chance) * YAML_LINES + chance.choice([2, 3, 4])
    key = FILES[YAML].splitlines()[line - 1].partition(":")[0]
    for value in _changed(chance, "x", _INDICATORS):
        try:
            yaml.safe_load(f"{key.strip()}: {value}")
        except yaml.YAMLError:
            return Bad(f"fuzzed YAML {value!r}", edited(YAML, line, f"{key}: {value}"), YAML, line)
    raise AssertionError


def fuzzed_json(chance: random.Random) -> Bad:
    line = chosen_record(chance) + 1
    for text in _changed(chance, FILES[JSONL].splitlines()[line - 1], _JSON_LETTERS):
        try:
            json.loads(text)
        except ValueError:
            return Bad(f"fuzzed JSON {text!r}", edited(JSONL, line, text), JSONL, line)
    raise AssertionError


def fuzzed_csv(chance: random.Random) -> Bad:
    header, *rows = FILES[CSV].splitlines()
    columns, number = header.count(",") + 1, chosen_record(chance)
    for text in _changed(chance, rows[number], ',,"x 1;'):
        try:
            (cells,) = csv.reader([text + "\n"], strict=True)
        except csv.Error:
            cells = []
        # Empty cells at the end of a row, as spreadsheets write them, are no mistake.
        while len(cells) > columns and not cells[-1]:
            cells.pop()
        if len(cells) != columns:
            return Bad(f"fuzzed CSV {text!r}", edited(CSV, number + 2, text), CSV, number + 2)
    raise AssertionError


def no_unicode(chance: random.Random) -> Bad:
    """Return a file with bytes that are not UTF-8. CSV may be in another encoding."""
    file = chance.choice([YAML, JSONL])
    text = FILES[file].encode()
    at = chance.randrange(len(text))
    broken = text[:at] + chance.choice([b"\xff", b"\xe4", b"\xc3\x28", b"\xf0\x9f"]) + text[at:]
    return Bad("no UTF-8", {**FILES, file: broken}, file, text[:at].count(b"\n") + 1)


def _mistake(chance: random.Random) -> Bad:
    while True:
        bad = chance.choice((*MISTAKES, *TRAPS))(chance)
        content = bad.files[bad.file]
        if isinstance(content, str) and content.isprintable() == content.replace("\n", "").isprintable():
            return bad


def with_crlf(chance: random.Random) -> Bad:
    """Return any other mistake, in a file with line ends of Windows."""
    bad = _mistake(chance)
    content = bad.files[bad.file]
    assert isinstance(content, str)
    return Bad(f"CRLF, {bad.name}", {**bad.files, bad.file: content.replace("\n", "\r\n")}, bad.file, bad.line)


def with_bom(chance: random.Random) -> Bad:
    """Return any other mistake, in a file that begins with a byte order mark."""
    bad = _mistake(chance)
    content = bad.files[bad.file]
    assert isinstance(content, str)
    return Bad(f"BOM, {bad.name}", {**bad.files, bad.file: "\ufeff" + content}, bad.file, bad.line)


def behind_long_texts(chance: random.Random) -> Bad:
    """Return any mistake in the objects, after a text with many lines, many letters, or letters of several bytes."""
    while (bad := _mistake(chance)).file != YAML:
        pass
    content = bad.files[YAML]
    assert isinstance(content, str)
    lines = chance.randrange(1, 400)
    text = chance.choice(["\U0001f4a9", "x" * 2000, "\u00e9", "a # b", "- a: b"])
    head = '- barcode: "long"\n  inventory_name: Long\n  description: |\n' + f"    {text}\n" * lines
    return Bad(f"long, {bad.name}", {**bad.files, YAML: head + content}, YAML, bad.line + lines + 3)


FUZZ: tuple[Callable[[random.Random], Bad], ...] = (
    fuzzed_yaml,
    fuzzed_json,
    fuzzed_csv,
    no_unicode,
    with_crlf,
    with_bom,
    behind_long_texts,
)

_ALL = (*MISTAKES, *TRAPS, *FUZZ)


def bad_states(number: int, seed: int) -> list[Bad]:
    """Yield bad states, with every kind of mistake equally often."""
    chance = random.Random(seed)
    return [_ALL[index % len(_ALL)](chance) for index in range(number)]
