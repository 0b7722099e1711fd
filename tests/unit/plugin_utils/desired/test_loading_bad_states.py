# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hundreds of bad desired states, each a good one with one mistake: a finding on its line, and nothing is sent."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from instance_site import Site
from project import LONG

YAML, CSV, JSONL = "objects/it.yml", "objects/bulk.csv", "objects/scans.jsonl"
_RECORDS = 8
_FIRST, _LINES = {CSV: 2}, {YAML: 5}
"""The line of the first record, and the lines of each record, if that is not 1."""

_CASES = yaml.safe_load((Path(__file__).parent / "bad_states.yml").read_text("utf-8"))
_MISTAKES = [{**case, "text": text} for case in _CASES for text in case["texts"]]
_SEED = 20240531
_NUMBER = 450 if LONG else 90

FILES: dict[str, str] = {
    "instance.yml": "api: seventhings/v1\nset: test\ntimezone: Europe/Berlin\n",
    "moved.yml": "locations:\n# none\n",
    "fields/asset.yml": "- label: Shelf mark\n  type: TEXT\n"
    "- label: Grade\n  type: DROPDOWN\n  possible_values: [A, B]\n",
    "locations.yml": "- name: Head office\n  city: Berlin\n- name: Depot\n  zip: '01067'\n",
    "rooms.yml": '- building_id: Head office\n  number: "0.12"\n  name: Store\n'
    '- building_id: Depot\n  number: "7"\n  name: Shelf\n',
    "persons.yml": "- email: ada@acme.example\n  first_name: Ada\n  last_name: Jensen\n",
    "users.yml": "- ada@acme.example\n",
    "tasks.yml": "- title: Check\n  deadline: 2027-03-01\n  assignees: [ada@acme.example]\n"
    '  references: ["O1"]\n  reminders: [{unit: days, value: 1}]\n',
    "rental_cases.yml": '- title: Loan\n  references: ["O1"]\n  issue_date: 2027-03-01\n  due_date: 2027-04-01\n'
    "  responsible_user: ada@acme.example\n  renter: {type: plain, value: Bo}\n",
    "hub.yml": '- object: "O2"\n  price: 5\n',
    "objects/others.csv": "barcode,inventory_name\nO1,Lamp\nO2,Desk\n",
    YAML: "".join(
        f'- barcode: "{number:07d}"\n'
        f"  inventory_name: Laptop {number}\n"
        f'  purchasing_price: "{number}.50"\n'
        f"  purchasing_date: 2024-05-{number:02d}\n"
        f'  target_room: "Head office/0.12"\n'
        for number in range(1, _RECORDS + 1)
    ),
    CSV: "barcode,inventory_name,purchasing_price,purchasing_date\n"
    + "".join(f'"C{number:05d}","Chair, {number}",{number}.25,2023-01-{number:02d}\n' for number in range(1, 9)),
    JSONL: "".join(
        f'{{"barcode": "J{number:05d}", "inventory_name": "Scanner {number}", "purchasing_price": {number}.75}}\n'
        for number in range(1, _RECORDS + 1)
    ),
}
"""A valid state."""


@dataclass(frozen=True)
class _Bad:
    """A bad state: the content of one of its files, and the line of the mistake."""

    file: str
    content: str
    line: int


def _with_line(file: str, line: int, text: str, after: bool = False, found: int = 0) -> _Bad:
    """Return a state with a line replaced, or with other lines after it."""
    lines = FILES[file].splitlines()
    lines[line - (not after) : line] = [text]
    return _Bad(file, "\n".join(lines) + "\n", found or line + after)


def _written(chance: random.Random) -> _Bad:
    mistake: Mapping[str, Any] = chance.choice(chance.choice(_GROUPS))
    file = mistake["file"]
    line = mistake.get("line", 0)
    if not line:
        line = _line_of(file, chance.randrange(_RECORDS)) + mistake["of_record"]
    text = mistake.get("before", "") + mistake["text"]
    return _with_line(file, line, text, mistake.get("after", False), mistake.get("found", 0))


def _line_of(file: str, record: int) -> int:
    return _FIRST.get(file, 1) + record * _LINES.get(file, 1)


_GROUPS = [[mistake for mistake in _MISTAKES if mistake["shows"] == case["shows"]] for case in _CASES]


# ---- lines that are changed at random until another parser rejects them


def _changed(chance: random.Random, text: str, letters: str) -> Iterator[str]:
    """Yield a text with more and more insertions, deletions and replacements."""
    while True:
        at = chance.randrange(len(text) + 1)
        end = at + chance.randrange(3)
        text = text[:at] + "".join(chance.choices(letters, k=chance.randrange(3))) + text[end:]
        if text.strip():
            yield text


def _is_yaml(line: str) -> bool:
    try:
        yaml.safe_load(line)
    except yaml.YAMLError:
        return False
    return True


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _is_row(line: str) -> bool:
    try:
        (cells,) = csv.reader([line + "\n"], strict=True)
    except csv.Error:
        return False
    # Empty cells at the end of a row, as spreadsheets write them, are no mistake.
    while len(cells) > 4 and not cells[-1]:
        cells.pop()
    return len(cells) == 4


_FUZZED: Mapping[str, tuple[str, str, Callable[[str], bool]]] = {
    YAML: ("  inventory_name: ", "[]{}:,&*!|>'%@`#-? \\abc", _is_yaml),
    CSV: ("", ',,"x 1;', _is_row),
    JSONL: ("", '{}[]:,"\\ \t012tfn', _is_json),
}


def _fuzzed(chance: random.Random) -> _Bad:
    file = chance.choice(list(_FUZZED))
    before, letters, is_right = _FUZZED[file]
    line = _line_of(file, chance.randrange(_RECORDS)) + bool(before)
    text = FILES[file].splitlines()[line - 1].removeprefix(before)
    wrong = next(text for text in _changed(chance, text, letters) if not is_right(before + text))
    return _with_line(file, line, before + wrong)


def _dressed(chance: random.Random, bad: _Bad) -> tuple[bytes, int]:
    """Return the content of the bad file as another program saves it, and the line of the mistake in it."""
    text, line = bad.content, bad.line
    if bad.file == YAML and not chance.randrange(4):
        lines = chance.randrange(1, 400)
        long = chance.choice(["\U0001f4a9", "x" * 2000, "\u00e9", "a # b", "- a: b"])
        text = '- barcode: "long"\n  inventory_name: Long\n  description: |\n' + f"    {long}\n" * lines + text
        line += lines + 3
    text = text.replace("\n", "\r\n") if not chance.randrange(4) else text
    return ("\ufeff" + text if not chance.randrange(4) else text).encode(), line


def _broken_bytes(chance: random.Random) -> tuple[str, bytes, int]:
    """Return a file with bytes that are not UTF-8, and their line. CSV may be in another encoding."""
    file = chance.choice([YAML, JSONL])
    text = FILES[file].encode()
    at = chance.randrange(len(text))
    broken = text[:at] + chance.choice([b"\xff", b"\xe4", b"\xc3\x28", b"\xf0\x9f"]) + text[at:]
    return file, broken, text[:at].count(b"\n") + 1


def test_the_state_without_a_mistake_is_valid(site: Site) -> None:
    site.write(FILES)
    assert site.plan().findings == []


@pytest.mark.sample(8)
@pytest.mark.parametrize("number", range(_NUMBER))
def test_a_bad_state_is_found_at_its_line_and_nothing_is_sent(site: Site, number: int) -> None:
    chance = random.Random(_SEED + number)
    if number % 16:
        bad = (_written if number % 8 else _fuzzed)(chance)
        file = bad.file
        content, line = _dressed(chance, bad)
    else:
        file, content, line = _broken_bytes(chance)
    site.write({**FILES, file: content})
    result = site.run()
    assert result.outcome == "failed"
    assert any(finding.startswith(f"{file}:{line}:") for finding in result.findings), (content, result.findings)
    assert site.writes() == []
    assert len(result.findings) <= 3, (content, result.findings)
