# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw a random difficult behaviour: a side of every switch, some faults, some settings. Equal seeds draw the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from ..faults import FAULTS, LATE, WITHOUT_EFFECT
from ..settings import MISSING, MODULES
from ..switches import TABLE

_SHARE = 0.03
"""The probability of each fault that is drawn."""
_MOST_FAULTS = 4
_MOST_SECONDS = 25.0
# Lists that no other list depends on, and members of records that a PUT sends back.
_OPTIONAL = ("/task-management/tasks", "/rental-management/rental-cases", "/circularity-hub/items", "/catalog-items")
_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "GET /task-management/task/{taskUuid}": ("reminders", "references", "attachments", "recurring_schedule"),
    "GET /task-management/tasks": ("reminders", "attachments", "recurring_schedule"),
    "GET /rental-management/rental-case/{rentalCaseUuid}": ("renter", "attachments", "issue_date_reminder"),
    "GET /rental-management/rental-cases": ("renter", "attachments", "due_date_reminder"),
    "GET /asset-tracking/{template}/field-definitions": ("possible_values", "field_type.constraints"),
    "GET /asset-tracking/{template}/field-definition/{fieldDefinitionUuid}": ("possible_values", "relations"),
}
_UNKNOWN: Mapping[str, tuple[str, str]] = {
    "GET /task-management/tasks": ("reminders.unit", "fortnights"),
    "GET /rental-management/rental-cases": ("renter.type", "organisation"),
}


def drawn(seed: Any) -> dict[str, Any]:
    """Return the behaviour for a seed, as the steering calls accept it: ``switches``, ``faults``, ``settings``."""
    chance = random.Random(str(seed))
    return {
        "switches": {switch.name: chance.choice(switch.sides) for switch in TABLE},
        "faults": [_fault(chance, name) for name in chance.sample(FAULTS, chance.randint(0, _MOST_FAULTS))],
        "settings": {name: draw(chance) for name, draw in _SETTINGS.items() if chance.random() < 0.25},
    }


def _fault(chance: random.Random, name: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"fault": name, "probability": _SHARE}
    if name in LATE:
        rule["commit_after"] = round(chance.uniform(0, _MOST_SECONDS), 1)
    elif name == "latency":
        rule["seconds"] = 0.1
    elif name == "no_effect":
        rule["answer"] = chance.choice(WITHOUT_EFFECT)
    elif name in ("429", "503"):
        rule.update(retry_after=chance.randint(0, 2), retry_after_form=chance.choice(("seconds", "date", "none")))
        if name == "503" and chance.random() < 0.5:
            rule.update(probability=1, begins=chance.randint(0, 60), lasts=chance.randint(1, 20))
    return rule


def _changed_answers(chance: random.Random) -> dict[str, dict[str, Any]]:
    operation = chance.choice(list(_MEMBERS))
    rules: dict[str, Any] = {"leave_out": chance.sample(_MEMBERS[operation], 1)}
    if operation in _UNKNOWN:
        rules["set"] = dict([_UNKNOWN[operation]])
    return {operation: rules}


_SETTINGS: Mapping[str, Callable[[random.Random], Any]] = {
    "access_token_seconds": lambda chance: chance.choice((2, 60, 3600)),
    "modules_off": lambda chance: chance.sample(MODULES, 1),
    "missing_operations": lambda chance: {f"GET {chance.choice(_OPTIONAL)}": chance.choice(MISSING)},
    "answers": _changed_answers,
    "read_lag_seconds": lambda chance: round(chance.uniform(0.1, 3), 1),
}
