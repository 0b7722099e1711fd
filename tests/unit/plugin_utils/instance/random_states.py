# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random desired states, and random ways to write a state into files."""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

import hypothesis.strategies as st
from instance_site import yaml_list
from records import record_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import SECTIONS

State = dict[str, dict[str, dict[str, Any]]]
"""A state: section to natural key to fields."""

OPERATOR = "operator@instance.invalid"
LOCATIONS = ("A", "B", "A/B")
ROOMS = ("A/1", "A/B/2", "B/3", "B/B/4")
"""Each number occurs once, because a dump names rooms by their numbers."""

BARCODES = tuple(f"{number:03d}" for number in range(8))
PERSONS = tuple(f"{name}@acme.example" for name in ("ada", "Bo", "cy"))
FILES = {f"files/{name}.txt": f"Text of {name}\n".encode() * 5 for name in "abc"}
FIELDS = "- {label: Shelf mark, type: TEXT}\n- {label: Grade, type: DROPDOWN, possible_values: [A, B]}\n"

_texts = st.one_of(
    st.none(),
    st.sampled_from(["0", "x", " y ", "null", "é", "line\nline", "yes"]),
    st.text("ab\u00df\u2028 #:", max_size=5),
)
_maybe = st.none().__or__
_intervals = st.fixed_dictionaries({"unit": st.sampled_from(["days", "weeks"]), "value": st.integers(1, 3)})
_days = st.dates(min_value=dt.date(1970, 1, 1)).map(str)

_locations = st.fixed_dictionaries(
    {}, optional={"city": _maybe(st.sampled_from(["Berlin", "Köln"])), "zip": _maybe(st.sampled_from(["01067", "0"]))}
)
_rooms = st.fixed_dictionaries({}, optional={"description": _texts})
_persons = st.fixed_dictionaries(
    {"first_name": st.sampled_from(["A", "B"]), "last_name": st.just("Jensen")},
    optional={"department": _maybe(st.sampled_from(["IT", "0"])), "documents": st.lists(st.sampled_from([*FILES]))},
)
_objects = st.fixed_dictionaries(
    {"inventory_name": st.sampled_from(["Lamp", "Table", "0"])},
    optional={
        "description": _texts,
        "quantity": _maybe(st.integers(-3, 3)),
        "purchasing_price": _maybe(st.sampled_from(["0", "12.5", "12.50", "1299.00"])),
        "purchasing_date": _maybe(_days),
        "is_loaned": _maybe(st.booleans()),
        "last_inspection": st.sampled_from(["2024-05-31T12:00:00+02:00", "2024-01-01T00:00:00Z"]),
        "target_room": _maybe(st.sampled_from(ROOMS)),
        "actual_building": _maybe(st.sampled_from(LOCATIONS)),
        "responsible_person": _maybe(st.sampled_from(PERSONS)),
        "accessories": st.lists(st.sampled_from(BARCODES), max_size=3, unique=True),
        "documents": st.lists(st.sampled_from([*FILES]), max_size=2, unique=True),
        "Shelf mark": _texts,
        "Grade": _maybe(st.sampled_from(["A", "B"])),
    },
)
_tasks = st.fixed_dictionaries(
    {
        "deadline": st.sampled_from(["2027-03-01", "2027-03-02"]),
        "assignees": st.just([OPERATOR]),
        "references": st.lists(st.sampled_from(BARCODES), min_size=1, max_size=2, unique=True),
        "reminders": st.lists(_intervals, min_size=1, max_size=2),
    },
    optional={
        "comment": _maybe(st.sampled_from(["Look at it", "0"])),
        "status": st.sampled_from(["open", "closed"]),
        "recurring_schedule": _maybe(_intervals),
        "attachments": st.lists(st.sampled_from([*FILES]), max_size=1),
    },
)
_cases = st.fixed_dictionaries(
    {
        "references": st.lists(st.sampled_from(BARCODES), min_size=1, max_size=2, unique=True),
        "due_date": st.sampled_from(["2027-05-01", "2027-05-02"]),
        "responsible_user": st.just(OPERATOR),
        "renter": st.sampled_from([{"type": "plain", "value": "Bo"}, {"type": "plain", "value": "Cy"}]),
    },
    optional={
        "status": st.sampled_from(["requested", "confirmed", "rejected"]),
        "comment": _maybe(st.sampled_from(["Handle with care", "0"])),
        "due_date_reminder": _intervals,
    },
)
states: st.SearchStrategy[State] = st.fixed_dictionaries(
    {
        "locations": st.fixed_dictionaries(dict.fromkeys(LOCATIONS, _locations)),
        "rooms": st.dictionaries(st.sampled_from(ROOMS), _rooms),
        "persons": st.dictionaries(st.sampled_from(PERSONS), _persons),
        "objects": st.dictionaries(st.sampled_from(BARCODES), _objects),
        "tasks": st.dictionaries(st.sampled_from(["T", "t", "T 2"]), _tasks),
        "rental_cases": st.dictionaries(st.sampled_from(["R", "R 2"]), _cases),
    }
).map(lambda state: consistent({**state}))

removals = st.dictionaries(st.sampled_from(BARCODES), st.sampled_from(["absent", "archived"]), max_size=2)

_LINKS = {
    "target_room": "rooms",
    "actual_building": "locations",
    "responsible_person": "persons",
    "accessories": "objects",
    "references": "objects",
}


def consistent(state: Mapping[str, Any]) -> State:
    """Return the same state without dangling references, and without records that need one."""
    kept: State = {}
    for section, records in state.items():
        kept[section] = {}
        for key, fields in records.items():
            fitting = dict(fields)
            for name, target in _LINKS.items():
                value = fitting.get(name)
                if isinstance(value, list):
                    fitting[name] = [item for item in value if item in state[target]]
                elif value is not None and value not in state[target]:
                    fitting.pop(name)
            if fitting.get("references") != []:
                kept[section][key] = fitting
    return kept


def without(state: State, barcodes: Mapping[str, str]) -> State:
    """Return the same state without some objects, and without references to them."""
    return consistent(
        {**state, "objects": {key: fields for key, fields in state["objects"].items() if key not in barcodes}}
    )


def sections_of(state: State, left_out: Sequence[str]) -> State:
    """Return the same state with some sections emptied, and without references to their records."""
    return consistent({section: {} if section in left_out else records for section, records in state.items()})


def key_of(section: str, name: str) -> dict[str, Any]:
    """Return the natural key of a record."""
    issued = {"issue_date": "2027-04-01"} if section == "rental_cases" else {}
    return record_of(KINDS[SECTIONS[section]], name, **issued)


def as_files(state: State, removals_by_barcode: Mapping[str, str], chance: random.Random) -> dict[str, str | bytes]:
    """Write a state in a random way: with records and keys in any order, in one file or several."""
    files: dict[str, str | bytes] = {**FILES, "fields/asset.yml": FIELDS}
    for section, records in state.items():
        rows = [{**key_of(section, key), **fields} for key, fields in records.items()]
        if section == "objects":
            rows += [{"barcode": barcode, "_state": value} for barcode, value in removals_by_barcode.items()]
        chance.shuffle(rows)
        shuffled = [dict(chance.sample(list(row.items()), len(row))) for row in rows]
        parts = chance.randrange(1, 4)
        for part in range(parts):
            mine = shuffled[part::parts]
            if chance.random() < 0.5:
                text = "".join(json.dumps(row) + "\n" for row in mine)
                files[f"{section}/{chance.randrange(100)}-{part}.jsonl"] = text
            else:
                files[f"{section}/{chance.randrange(100)}-{part}.yml"] = yaml_list(mine) if mine else "[]\n"
    return files
