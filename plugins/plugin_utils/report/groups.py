# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Group equal changes, so that a reader sees what happens to how many records before each single change."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from .parts import action_words, both_sides, counted, field_name, fields, keys_of, one_line, short

ACTION_ORDER = (DELETE, ARCHIVE, UPDATE, CREATE)
"""The order of changes: first those that cannot be undone, then those of existing records."""

_ALIKE = 3
"""Minimum number of equal updates for a group."""

_LONGEST = 60
"""Maximum characters of a value in the title of a group."""

_MOST_FIELDS = 4
"""Maximum number of fields that a title names; the others are counted."""


@dataclass(frozen=True)
class Group:
    """Equal changes of one section.

    :ivar title: what happens to how many records: ``quantity 1 -> 2: 999 objects``.
    :ivar is_same: True if the title says everything, so that the name of each record is enough.
    """

    section: str
    action: str
    title: str
    changes: Sequence[Mapping[str, Any]]
    is_same: bool = False


def groups(changes: Iterable[Mapping[str, Any]], is_drift: bool = False) -> list[Group]:
    """Return the changes in groups, the most important first, and the largest groups of updates first.

    :param is_drift: True if they are only a comparison.
    """
    parts: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for change in changes:
        parts.setdefault((change["action"], change["section"]), []).append(change)
    found: list[Group] = []
    for (action, section), mine in sorted(parts.items(), key=lambda part: ACTION_ORDER.index(part[0][0])):
        if action == UPDATE:
            found += _updates(section, mine, is_drift)
        else:
            title = f"{action_words(action, is_drift)}: {counted(len(mine), section)}"
            found.append(Group(section, action, title, mine))
    return found


def _updates(section: str, changes: Sequence[Mapping[str, Any]], is_drift: bool) -> list[Group]:
    by_values = _by(changes, _values)
    same = [mine for mine in by_values.values() if len(mine) >= _ALIKE]
    rest = [change for mine in by_values.values() if len(mine) < _ALIKE for change in mine]
    found = [
        Group(section, UPDATE, f"{_title_of(mine[0], is_drift)}: {counted(len(mine), section)}", mine, True)
        for mine in same
    ]
    found += [
        Group(section, UPDATE, f"{field_names(mine[0])}: {counted(len(mine), section)}", mine)
        for mine in _by(rest, lambda change: json.dumps(sorted(keys_of(change)))).values()
    ]
    return sorted(found, key=lambda group: -len(group.changes))


def _by(
    changes: Iterable[Mapping[str, Any]], mark: Callable[[Mapping[str, Any]], str]
) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for change in changes:
        found.setdefault(mark(change), []).append(change)
    return found


def _values(change: Mapping[str, Any]) -> str:
    """Return the fields of a change with their values. Equal changes have the same."""
    return json.dumps((change["before"], change["after"]), sort_keys=True, default=str)


def field_names(change: Mapping[str, Any]) -> str:
    """Return the names of the fields of a change."""
    names = [field_name(change, key) for key in keys_of(change)]
    rest = len(names) - _MOST_FIELDS
    return ", ".join(names[:_MOST_FIELDS]) + (f" and {rest} more fields" if rest > 0 else "")


def _title_of(change: Mapping[str, Any], is_drift: bool) -> str:
    """Return the fields of a change with their values, as the title of a group."""
    sides = as_said(change, _LONGEST)
    values = [f"{name} {both_sides(before, after, is_drift)}" for name, before, after in sides]
    rest = len(values) - _MOST_FIELDS
    return ", ".join(values[:_MOST_FIELDS]) + (f" and {rest} more fields" if rest > 0 else "")


def as_said(change: Mapping[str, Any], longest: int) -> list[tuple[str, str, str]]:
    """Return name, value before and value after of each field for people.

    Texts have no quotes unless escapes are needed to see how they differ.
    """
    values = []
    for key, (name, before, after) in zip(keys_of(change), fields(change, longest), strict=True):
        was, becomes = _said(change["before"].get(key), before), _said(change["after"].get(key), after)
        values.append((name, before, after) if was == becomes else (name, was, becomes))
    return values


def said(value: Any) -> str:
    """Return a value for people: a text without quotes, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _said(value: Any, text: str) -> str:
    if value is None:
        return "nothing"
    is_plain = isinstance(value, str) and value.strip() and text == json.dumps(value, ensure_ascii=False)
    return one_line(value) if is_plain else text


def fields_by_number(changes: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, int]]:
    """Return section, field name and the number of updates that change it, the largest number first."""
    numbers = Counter(
        (change["section"], field_name(change, key))
        for change in changes
        if change["action"] == UPDATE
        for key in keys_of(change)
    )
    return [(section, name, number) for (section, name), number in numbers.most_common()]


def is_worth_a_table(changes: Sequence[Mapping[str, Any]]) -> bool:
    """Return True if the number of updates justifies a table of their fields."""
    return sum(1 for change in changes if change["action"] == UPDATE) >= _ALIKE


def name_and_fields(change: Mapping[str, Any], name: str) -> str:
    """Return the name of a record and, for an update, the fields that change."""
    return f"{name}: {short(field_names(change), 200)}" if change["action"] == UPDATE else name
