# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad desired states, each created from a good state by a single mistake, with the line of the mistake."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

YAML = "objects/it.yml"
CSV = "objects/bulk.csv"
JSONL = "objects/scans.jsonl"

FILES: dict[str, str] = {
    "instance.yml": "api: seventhings/v1\nset: test\ntimezone: Europe/Berlin\n",
    "locations.yml": "- name: Head office\n  city: Berlin\n- name: Depot\n  zip: '01067'\n",
    "rooms.yml": '- building_id: Head office\n  number: "0.12"\n  name: Store\n'
    '- building_id: Depot\n  number: "7"\n  name: Shelf\n',
    "persons.yml": "- email: ada@acme.example\n  first_name: Ada\n  last_name: Jensen\n",
    YAML: "".join(
        f'- barcode: "{number:07d}"\n'
        f"  inventory_name: Laptop {number}\n"
        f'  purchasing_price: "{number}.50"\n'
        f"  purchasing_date: 2024-05-{number % 28 + 1:02d}\n"
        f'  target_room: "Head office/0.12"\n'
        for number in range(1, 9)
    ),
    CSV: "barcode,inventory_name,purchasing_price,purchasing_date\n"
    + "".join(f'"C{number:05d}","Chair, {number}",{number}.25,2023-01-{number:02d}\n' for number in range(1, 9)),
    JSONL: "".join(
        f'{{"barcode": "J{number:05d}", "inventory_name": "Scanner {number}", "purchasing_price": {number}.75}}\n'
        for number in range(1, 9)
    ),
}
"""A valid state, which includes the rooms that its records refer to."""

YAML_LINES = 5


@dataclass(frozen=True)
class Bad:
    """One bad state: its files, and the expected place of the finding."""

    name: str
    files: Mapping[str, str | bytes]
    file: str
    line: int


NUMBERS = [
    "0777",
    "12:30:45",
    "12:30",
    "0x1F",
    "1.5",
    "1_000",
    "0089",
    "1e3",
    "12e03",
    "-7",
    "+5",
    ".5",
    "0b11",
    "0o17",
]
WORDS = ["yes", "No", "on", "OFF", "true", "False", "2024-05-31", "2001-12-14t21:59:43.10-05:00", ".inf", ".NaN"]
MONEY = ["12,50", "1.299,00", "EUR 5", "1 000", "0012.5", "1e3", "yes", "2024-05-31", "12.5.1", "ten", "0x10", "--5"]
DATES = ["2024-13-01", "2024-02-30", "31.05.2024", "05/31/2024", "2024-5-1", "20240531", "soon", "0", "1717106400"]


def chosen_record(chance: random.Random) -> int:
    """Return the index of the record, of eight, that has the mistake."""
    return chance.randrange(8)


def _yaml_line(record: int, field: int) -> int:
    """Return the line of a field (from 0) of a record (from 0)."""
    return record * YAML_LINES + field + 1


def edited(file: str, line: int, text: str, extra: bool = False) -> dict[str, str]:
    """Return the files with a line replaced, or with another line after it."""
    lines = FILES[file].splitlines()
    if extra:
        lines.insert(line, text)
    else:
        lines[line - 1] = text
    return {**FILES, file: "\n".join(lines) + "\n"}


def _yaml_value(chance: random.Random, field: int, key: str, value: str) -> Bad:
    line = _yaml_line(chosen_record(chance), field)
    return Bad(f"{key}: {value}", edited(YAML, line, f"{'- ' if not field else '  '}{key}: {value}"), YAML, line)


def number_for_text(chance: random.Random) -> Bad:
    field, key = chance.choice([(0, "barcode"), (1, "inventory_name")])
    return _yaml_value(chance, field, key, chance.choice(NUMBERS + WORDS))


def bad_money(chance: random.Random) -> Bad:
    return _yaml_value(chance, 2, "purchasing_price", chance.choice([*MONEY, *(f'"{amount}"' for amount in MONEY)]))


def bad_date(chance: random.Random) -> Bad:
    return _yaml_value(chance, 3, "purchasing_date", chance.choice([*DATES, *(f'"{date}"' for date in DATES)]))


def wrong_type(chance: random.Random) -> Bad:
    field, key = chance.choice([(0, "barcode"), (1, "inventory_name"), (2, "purchasing_price"), (3, "purchasing_date")])
    return _yaml_value(chance, field, key, chance.choice(["[a, b]", "{a: b}", "[]", "[1]", "{}"]))


def no_key(chance: random.Random) -> Bad:
    return _yaml_value(chance, 0, "barcode", chance.choice(["null", "~", "", '""']))


def blank_around_key(chance: random.Random) -> Bad:
    return _yaml_value(chance, 0, "barcode", chance.choice(['" 1"', '"1 "', '"1\\t"', '"\\u00a01"']))


def dangling(chance: random.Random) -> Bad:
    value = chance.choice(
        [
            "Head office/0.13",
            "Head offise/0.12",
            "head office/0.12",
            "Nowhere",
            "{building_id: Head office, number: '9'}",
            "{building_id: Nowhere, number: '9'}",
            "{building_id: Head office, number: 9}",
            "{nummber: '9'}",
            "4711",
            "11111111-1111-4111-8111-111111111111",
            "[Head office/0.12, Depot/7]",
        ]
    )
    return _yaml_value(chance, 4, "target_room", value)


def unknown_field(chance: random.Random) -> Bad:
    key = chance.choice(
        ["inventory_nam", "purchasingprice", "colour of it", "Barcode", "_stat", "1", "yes", "uuid", "id"]
    )
    line = _yaml_line(chosen_record(chance), 4)
    return Bad(f"unknown {key}", edited(YAML, line, f"  {key}: x", extra=True), YAML, line + 1)


def twice_in_record(chance: random.Random) -> Bad:
    record = chosen_record(chance)
    line = _yaml_line(record, 4)
    key = chance.choice(["barcode", "inventory_name", "target_room", "'barcode'", '"purchasing_date"'])
    return Bad("key twice", edited(YAML, line, f"  {key}: x", extra=True), YAML, line + 1)


def twice_in_files(chance: random.Random) -> Bad:
    first, second = sorted(chance.sample(range(8), 2))
    line = _yaml_line(second, 0)
    return Bad("record twice", edited(YAML, line, f'- barcode: "{first + 1:07d}"'), YAML, line)


def bad_state(chance: random.Random) -> Bad:
    line = _yaml_line(chosen_record(chance), 4)
    value = chance.choice(["gone", "Absent", "true", "null", "1", "[absent]", "{}"])
    return Bad(f"_state {value}", edited(YAML, line, f"  _state: {value}", extra=True), YAML, line + 1)


def tag(chance: random.Random) -> Bad:
    value = chance.choice(
        [
            "!vault abc",
            "!unsafe x",
            "!!python/object/apply:os.system [id]",
            "!!binary aGk=",
            "!!set {a, b}",
            "!foo {a: 1}",
            "!!str 12",
        ]
    )
    return _yaml_value(chance, 1, "inventory_name", value)


def jinja(chance: random.Random) -> Bad:
    value = chance.choice(['"{{ name }}"', "x {{ y }}", "'{% if a %}b{% endif %}'", "{{ name }}", '"{# note #}"'])
    return _yaml_value(chance, 1, "inventory_name", value)


def broken_yaml(chance: random.Random) -> Bad:
    value = chance.choice(
        ['"never closed', "'never closed", "[a, b", "{a: b", "a: b: c", "*nobody", "@x", "`x", "%x", "]"]
    )
    return _yaml_value(chance, 1, "inventory_name", value)


def bad_indent(chance: random.Random) -> Bad:
    line = _yaml_line(chosen_record(chance), chance.choice([1, 2, 3]))
    lead = chance.choice(["\t", "   ", " \t", " "])
    old = FILES[YAML].splitlines()[line - 1].strip()
    return Bad(f"indent {lead!r}", edited(YAML, line, lead + old), YAML, line)


def merge_key(chance: random.Random) -> Bad:
    line = _yaml_line(chosen_record(chance), 4)
    return Bad("merge", edited(YAML, line, "  <<: {inventory_name: x}", extra=True), YAML, line + 1)


def itself(chance: random.Random) -> Bad:
    return _yaml_value(chance, 1, "inventory_name", "&a [*a]")


def unprintable(chance: random.Random) -> Bad:
    letter = chance.choice(["\x00", "\x07", "\x1b", "\x7f", "\ufffe"])
    return _yaml_value(chance, 1, "inventory_name", f"a{letter}b")


def bad_file(chance: random.Random) -> Bad:
    line = _yaml_line(chosen_record(chance), 4)
    value = chance.choice(
        [
            "[../secret.pdf]",
            "[/etc/hostname]",
            "[files/none.pdf]",
            "[~/x]",
            "files/none.pdf",
            "[1]",
            "[objects]",
            "[null]",
        ]
    )
    return Bad(f"documents {value}", edited(YAML, line, f"  documents: {value}", extra=True), YAML, line + 1)


def not_a_record(chance: random.Random) -> Bad:
    line = _yaml_line(chosen_record(chance), 4)
    value = chance.choice(["- just a text", "- 5", "- [a]", "- null", "-"])
    return Bad(value, edited(YAML, line, value, extra=True), YAML, line + 1)


# ---- CSV


def csv_cell(chance: random.Random) -> Bad:
    line = chosen_record(chance) + 2
    row = ['"C99999"', '"A table"', "1.25", "2023-01-01"]
    index, value = chance.choice(
        [
            (0, " C1"),
            (0, ""),
            (0, '"C1 "'),
            (2, '"1,25"'),
            (2, "1e5"),
            (2, "EUR"),
            (2, "007"),
            (3, "01.05.2023"),
            (3, "2023-02-31"),
            (3, "x"),
            (1, '"{{ x }}"'),
            (2, '"[1, 2"'),
            (2, '"[1]"'),
            (3, '"{""a"": 1}"'),
        ]
    )
    row[index] = value
    return Bad(f"cell {value}", edited(CSV, line, ",".join(row)), CSV, line)


def csv_cells(chance: random.Random) -> Bad:
    line = chosen_record(chance) + 2
    row = chance.choice(["C9,x", "C9,x,1,2023-01-01,more", "C9", "C9;x;1;2023-01-01", "C9,x,1,5,2023-01-01"])
    return Bad("cells", edited(CSV, line, row), CSV, line)


def csv_quote(chance: random.Random) -> Bad:
    line = chosen_record(chance) + 2
    row = chance.choice(['"C9,x,1,2023-01-01', 'C9,"x"y,1,2023-01-01', 'C9,"x,1,2023-01-01'])
    return Bad("quote", edited(CSV, line, row), CSV, line)


def csv_header(chance: random.Random) -> Bad:
    header = chance.choice(
        [
            "barcode,inventory_name,purchasing_price,purchasing_price",
            "barcode,inventory_nam,purchasing_price,purchasing_date",
            "barcode,inventory_name,,purchasing_date",
            "barcode,inventory_name,purchasing_price,Purchase",
        ]
    )
    return Bad("header", edited(CSV, 1, header), CSV, 1)


def csv_twice(chance: random.Random) -> Bad:
    first, second = sorted(chance.sample(range(1, 9), 2))
    return Bad("row twice", edited(CSV, second + 1, f"C{first:05d},x,1.25,2023-01-01"), CSV, second + 1)


# ---- JSON Lines


def json_broken(chance: random.Random) -> Bad:
    line = chosen_record(chance) + 1
    text = chance.choice(
        [
            '{"barcode": "J9"',
            '{"barcode": "J9",}',
            "{'barcode': 'J9'}",
            '{"barcode": NaN}',
            '{"barcode": "J9"} {}',
            "{barcode: J9}",
            '{"barcode": "J9", "barcode": "J8"}',
            '{"barcode": "J9\t"}',
            '{"barcode": 0123}',
            "null",
            "[]",
            '"text"',
            "[" * 5000,
        ]
    )
    return Bad(text[:30], edited(JSONL, line, text), JSONL, line)


def json_value(chance: random.Random) -> Bad:
    line = chosen_record(chance) + 1
    text = chance.choice(
        [
            '{"barcode": 123, "inventory_name": "x"}',
            '{"barcode": "J9", "inventory_name": 5}',
            '{"barcode": "J9", "inventory_name": true}',
            '{"barcode": "J9", "inventory_name": "x", "purchasing_price": "1,5"}',
            '{"barcode": "J9", "inventory_name": "x", "purchasing_date": "2024-02-30"}',
            '{"barcode": "J9", "inventory_nam": "x"}',
            '{"barcode": null, "inventory_name": "x"}',
            '{"inventory_name": "x"}',
            '{"barcode": "J9", "inventory_name": "{{ x }}"}',
            '{"barcode": "J9"}',
        ]
    )
    return Bad(text[:60], edited(JSONL, line, text), JSONL, line)


def json_twice(chance: random.Random) -> Bad:
    first, second = sorted(chance.sample(range(1, 9), 2))
    text = f'{{"barcode": "J{first:05d}", "inventory_name": "x"}}'
    return Bad("line twice", edited(JSONL, second, text), JSONL, second)


MISTAKES: tuple[Callable[[random.Random], Bad], ...] = (
    number_for_text,
    bad_money,
    bad_date,
    wrong_type,
    no_key,
    blank_around_key,
    dangling,
    unknown_field,
    twice_in_record,
    twice_in_files,
    bad_state,
    tag,
    jinja,
    broken_yaml,
    bad_indent,
    merge_key,
    itself,
    unprintable,
    bad_file,
    not_a_record,
    csv_cell,
    csv_cells,
    csv_quote,
    csv_header,
    csv_twice,
    json_broken,
    json_value,
    json_twice,
)
