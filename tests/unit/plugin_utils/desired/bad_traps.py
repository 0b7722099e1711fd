# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""More bad desired states, each with a single mistake: settings, renames, the other sections, texts that look alike."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from .bad_states import FILES, YAML, YAML_LINES, Bad, chosen_record, edited

MORE = {
    "fields/asset.yml": "- label: Shelf mark\n  type: TEXT\n"
    "- label: Grade\n  type: DROPDOWN\n  possible_values: [A, B]\n",
    "users.yml": "- ada@acme.example\n",
    "tasks.yml": "- title: Check\n  deadline: 2027-03-01\n  assignees: [ada@acme.example]\n"
    '  references: ["0000001"]\n  reminders: [{unit: days, value: 1}]\n',
    "rental_cases.yml": '- title: Loan\n  references: ["0000001"]\n  issue_date: 2027-03-01\n  due_date: 2027-04-01\n'
    "  responsible_user: ada@acme.example\n  renter: {type: plain, value: Bo}\n",
    "hub.yml": '- object: "0000002"\n  price: 5\n',
}
"""Sections that the first files do not have. A state with all of them is valid."""

SETTINGS = "api: seventhings/v1\nset: test\ntimezone: Europe/Berlin\npolicy: {create_users: false}\n"


def _with(file: str, line: int, text: str) -> Bad:
    """Return the files of all sections, with one line of one file replaced."""
    files = {**FILES, **MORE, "instance.yml": SETTINGS}
    lines = files[file].splitlines()
    lines[line - 1] = text
    return Bad(f"{file}: {text.strip()[:60]}", {**files, file: "\n".join(lines) + "\n"}, file, line)


def setting(chance: random.Random) -> Bad:
    line, text = chance.choice(
        [
            (1, "api: seventhings/v2"),
            (2, "set: 5"),
            (2, "sets: test"),
            (3, "timezone: Europe/Atlantis"),
            (3, "timezone: +01:00"),
            (4, "policy: {create_user: true}"),
            (4, "policy: {create_users: 'yes'}"),
            (4, "policy: {create_users: true}"),
            (4, "policy: {notify: 1}"),
            (4, "policy: {limits: {delete_percent: some}}"),
            (4, "policy: {limits: {deletes: -1}}"),
            (4, "policy: {limits: {percent: 5}}"),
            (4, "policy: {prune: {objects: yes}}"),
            (4, "policy: {prune: {rooms: archive}}"),
            (4, "policy: {prune: {users: delete}}"),
            (4, "identity: {objcts: [barcode]}"),
            (4, "identity: {objects: barcode}"),
            (4, "scope: {objcts: {target_room: [Depot/7]}}"),
            (4, "scope: {objects: []}"),
            (4, "scope: {objects: {target_room: []}}"),
            (4, "instance: ftp//acme"),
            (4, "marker: []"),
        ]
    )
    return _with("instance.yml", line, text)


def rename(chance: random.Random) -> Bad:
    text = chance.choice(
        [
            "- {from: {name: Old}}",
            "- {from: Old, to: {name: Depot}}",
            "- {from: {nam: Old}, to: {name: Depot}}",
            "- {from: {name: Old}, to: {name: 5}}",
            "- Old",
            "- {from: {name: Old}, to: {name: Depot}, why: x}",
        ]
    )
    file = "moved.yml"
    return Bad(f"moved: {text}", {**FILES, file: f"locations:\n{text}\n"}, file, 2)


def definition(chance: random.Random) -> Bad:
    line, text = chance.choice(
        [
            (2, "  type: TEXTT"),
            (2, "  typ: TEXT"),
            (1, "- label: null"),
            (1, "- label: 5"),
            (3, "- label: Shelf mark"),
            (5, "  possible_values: [A, 5]"),
            (5, "  possible_values: A"),
            (5, "  constraints: {max_length: many}"),
            (5, "  attributes: {mandatroy: 'yes'}"),
            (5, "  relations: [{type: actual_field, field: Nobody}]"),
        ]
    )
    return _with("fields/asset.yml", line, text)


def task(chance: random.Random) -> Bad:
    line, text = chance.choice(
        [
            (1, "- title: 5"),
            (1, "- title: null"),
            (1, "- titel: Check"),
            (2, "  deadline: 2027-02-30"),
            (2, "  deadline: 01.03.2027"),
            (3, "  assignees: [nobody@acme.example]"),
            (3, "  assignees: [ada@acme.example, ada@acme.example]"),
            (3, "  assignees: []"),
            (4, "  references: [nothing]"),
            (4, "  references: [5]"),
            (5, "  reminders: [{unit: hours, value: 1}]"),
            (5, "  reminders: [{unit: days, value: soon}]"),
            (5, "  reminders: [{unit: days, value: 1}, {unit: days, value: 2}, {unit: days, value: 3}]"),
            (5, "  status: done"),
            (5, "  recurring_schedule: monthly"),
        ]
    )
    return _with("tasks.yml", line, text)


def rental_case(chance: random.Random) -> Bad:
    line, text = chance.choice(
        [
            (1, "- title: yes"),
            (2, "  references: []"),
            (2, '  references: ["0000009"]'),
            (3, "  issue_date: null"),
            (3, "  issue_date: 2027-3-1"),
            (4, "  due_date: 2027-04-01T00:00:00Z"),
            (5, "  responsible_user: bo@acme.example"),
            (6, "  renter: {type: company, value: Bo}"),
            (6, "  renter: {type: user, value: nobody@acme.example}"),
            (6, "  renter: Bo"),
            (6, "  status: lent"),
        ]
    )
    return _with("rental_cases.yml", line, text)


def offer_or_user(chance: random.Random) -> Bad:
    file, line, text = chance.choice(
        [
            ("hub.yml", 1, "- object: nothing"),
            ("hub.yml", 2, "  price: 5,00"),
            ("hub.yml", 2, "  prize: 5"),
            ("hub.yml", 1, "- object: 2"),
            ("users.yml", 1, "- nobody@acme.example"),
            ("users.yml", 1, "- {email: 5}"),
            ("users.yml", 1, "- 5"),
            ("users.yml", 1, "- {mail: ada@acme.example}"),
        ]
    )
    return _with(file, line, text)


def dropdown(chance: random.Random) -> Bad:
    line = chosen_record(chance) * YAML_LINES + YAML_LINES
    value = chance.choice(["C", "a", '"A "', "[A]", "5", "yes"])
    bad = _with(YAML, line, f"  Grade: {value}")
    return Bad(f"dropdown: {bad.name}", bad.files, YAML, line)


def case_twin(chance: random.Random) -> Bad:
    text = chance.choice(["ADA@acme.example", "Ada@Acme.Example", "ada@acme.example"])
    file = "persons.yml"
    return Bad(f"twin {text}", {**FILES, file: FILES[file] + f"- {{email: {text}, last_name: B}}\n"}, file, 4)


def normal_form(chance: random.Random) -> Bad:
    composed, decomposed = chance.choice(
        [("B\u00fccher", "Bu\u0308cher"), ("\u00e9", "e\u0301"), ("\u1e69", "s\u0323\u0307")]
    )
    file = "locations.yml"
    text = FILES[file] + f"- name: {json.dumps(composed)}\n- name: {json.dumps(decomposed)}\n"
    return Bad(f"normal forms of {composed}", {**FILES, file: text}, file, 6)


def moved_twice(chance: random.Random) -> Bad:
    """Return two renames of the same record, one with its key, one with another spelling of the key."""
    first, second = sorted(chance.sample(range(8), 2))
    line = second * YAML_LINES + 1
    return Bad("same key in single quotes", edited(YAML, line, f"- 'barcode': '{first + 1:07d}'"), YAML, line)


TRAPS: tuple[Callable[[random.Random], Bad], ...] = (
    setting,
    rename,
    definition,
    task,
    rental_case,
    offer_or_user,
    dropdown,
    case_twin,
    normal_form,
    moved_twice,
)
