# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes in words, the same in all formats: groups of equal changes, and each record with its fields.

Each text is cleaned for printing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...module_utils.model.field import first_of, is_generated_key
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ...module_utils.printing.cleaner import clean
from ..set_plan.baseline import APPLICATION, BOTH, UNKNOWN, combined
from .removals import removal_texts
from .result import NOT_TRIED
from .value_diff import side_by_side
from .words import MOST, SIDE_WORDS, action_words, both_sides, counted, one_line, short

Change = Mapping[str, Any]

ACTION_ORDER = (DELETE, ARCHIVE, UPDATE, CREATE)
"""The order of changes: first those that cannot be undone, then those of existing records."""

SIGNS = {CREATE: "+", UPDATE: "~", DELETE: "-", ARCHIVE: "-"}

FEW_UPDATES = 3
"""Minimum number of equal updates for a group, and of updates whose fields are counted."""

_LONGEST = 300
"""Maximum characters of a value. The report as JSON and the result of the task have the whole value."""

_LONGEST_IN_TITLE = 60
_MOST_FIELDS = 4
"""Maximum number of fields that a title names; the others are counted."""

_LONGEST_KEY = 300
_LONGEST_NAME = 120


# ---- one record


class Value(NamedTuple):
    """A field of a changed record. ``before`` is None for a new record, and ``after`` for a removed one."""

    name: str
    before: str | None
    after: str | None

    def words(self, is_drift: bool) -> str:
        """Return the value of a creation or of a removal, or both values; empty if there is none."""
        if self.before is None or self.after is None:
            return self.before or self.after or ""
        return both_sides(self.before, self.after, is_drift)

    def line(self, is_drift: bool) -> str:
        """Return the name, and the values if there are any."""
        return ": ".join(filter(None, [self.name, self.words(is_drift)]))


def values_of(change: Change, is_drift: bool, most: int = MOST, is_plain: bool = False) -> list[Value]:
    """Return the fields of a change, and what is removed with its record.

    :param most: maximum number of fields; the others are counted.
    :param is_plain: texts have no quotes, unless escapes are needed to see how they differ.
    """
    action, form = change["action"], as_said if is_plain else _fields
    sides = change.get("sides", {})
    is_mixed = len({*sides.values()} - {UNKNOWN}) > 1
    shown = [
        Value(
            f"{name} ({SIDE_WORDS.get(sides.get(key), UNKNOWN)})" if is_mixed else name,
            None if action == CREATE else before,
            None if action == DELETE else after,
        )
        for key, (name, before, after) in zip(keys_of(change), form(change, _LONGEST), strict=True)
    ]
    if len(shown) > most:
        shown[most:] = [Value(f"and {len(shown) - most:,} more fields", None, None)]
    texts = () if is_drift else removal_texts(change.get("removed", {}))
    return shown + [Value(name, short(clean(text), _LONGEST), None) for name, text in texts]


def keys_of(change: Change) -> list[str]:
    """Return the keys of all fields of a change."""
    return list(dict.fromkeys([*change["before"], *change["after"]]))


def field_name(change: Change, key: str) -> str:
    """Return the name of a field for people: its key, or its label if the service generated the key."""
    label = change.get("labels", {}).get(key) if is_generated_key(key) else None
    return short(one_line(label or key), _LONGEST_KEY)


def _fields(change: Change, longest: int) -> list[tuple[str, str, str]]:
    """Return name, value before and value after of each field as JSON, of at most ``longest`` characters."""
    before, after = change["before"], change["after"]
    return [
        (field_name(change, key), *side_by_side(before.get(key), after.get(key), longest)) for key in keys_of(change)
    ]


def as_said(change: Change, longest: int) -> list[tuple[str, str, str]]:
    """Return name, value before and value after of each field, texts without quotes if nothing is escaped."""
    values = []
    for key, (name, before, after) in zip(keys_of(change), _fields(change, longest), strict=True):
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


def key_of(change: Change) -> str:
    """Return the natural key of a changed record, on one line."""
    return short(one_line(change["key"]), _LONGEST_KEY)


def key_and_name(change: Change) -> str:
    """Return the natural key and the name of a changed record, on one line."""
    name = change.get("name", "")
    return f"{key_of(change)} {short(one_line(name), _LONGEST_NAME)}" if name else key_of(change)


def mark(change: Change) -> str:
    """Return the side effects of a change, its outcome and the reason; empty if there is nothing to say."""
    status, reason = change.get("status", NOT_TRIED), change.get("reason", "")
    fate = "" if status == NOT_TRIED and not reason else f"{status.replace('_', ' ')}{reason and f': {reason}'}"
    return clean(", ".join(filter(None, [change.get("note", ""), fate])))


def remark(change: Change, is_drift: bool) -> str:
    """Return the mark of a change. For a comparison without a mark, say how the record differs.

    For an update say who changed the record, in a plan only if that was not in the files.
    """
    if is_drift and change["action"] != UPDATE:
        return mark(change) or action_words(change["action"], is_drift)
    side = side_of(change) if change["action"] == UPDATE else UNKNOWN
    words = SIDE_WORDS.get(side, "") if is_drift or side in (APPLICATION, BOTH) else ""
    edited = [change.get("edited", {}).get(name, "") for name in ("by", "ago")]
    return ", ".join(filter(None, [words, *map(clean, edited), mark(change)]))


def side_of(change: Change) -> str:
    """Return the side that changed a record since the last apply."""
    return combined(change.get("sides", {}).values())


def named(change: Change) -> str:
    """Return a change on one line, for an update with the names of the changed fields."""
    name = f"{SIGNS[change['action']]} {clean(change['section'])} {key_and_name(change)}"
    return f"{name}: {short(_field_names(change), 200)}" if change["action"] == UPDATE else name


# ---- groups


@dataclass(frozen=True)
class Group:
    """Equal changes of one section.

    :ivar title: what happens to how many records: ``quantity 1 -> 2: 999 objects``.
    :ivar changes: all of them.
    :ivar most: maximum number of changes that people read; the others are counted.
    :ivar is_same: True if the title says everything, so that the name of each record is enough.
    """

    section: str
    action: str
    title: str
    changes: Sequence[Change]
    most: int = MOST
    is_same: bool = False

    @property
    def first(self) -> Sequence[Change]:
        """The changes that people read."""
        return self.changes[: self.most]

    @property
    def more(self) -> int:
        """The number of the other changes."""
        return max(0, len(self.changes) - self.most)


def groups(changes: Iterable[Change], is_drift: bool = False, most: int = MOST) -> list[Group]:
    """Return the changes in groups, the most important first, and the largest groups of updates first.

    :param is_drift: True if they are only a comparison, in which the changes of each side are together.
    :param most: maximum number of changes of a group, and of groups of a section, that people read.
    """
    if not is_drift:
        return _groups(changes, is_drift, most)
    by_side = _by(changes, side_of)
    found = [(side, group) for side in SIDE_WORDS for group in _groups(by_side.get(side, ()), is_drift, most)]
    known = [replace(group, title=f"{SIDE_WORDS[side]}: {group.title}") for side, group in found]
    return [*known, *_groups(by_side.get(UNKNOWN, ()), is_drift, most)]


def _groups(changes: Iterable[Change], is_drift: bool, most: int) -> list[Group]:
    found: list[Group] = []
    parts = _by(changes, lambda change: (ACTION_ORDER.index(change["action"]), change["section"]))
    for (order, section), mine in sorted(parts.items(), key=lambda part: part[0][0]):
        action = ACTION_ORDER[order]
        if action == UPDATE:
            found += _updates(section, mine, is_drift, most)
        else:
            title = f"{action_words(action, is_drift)}: {counted(len(mine), section)}"
            found.append(Group(section, action, title, mine, most))
    return found


def _updates(section: str, changes: Sequence[Change], is_drift: bool, most: int) -> list[Group]:
    by_values = _by(changes, _values)
    same = [mine for mine in by_values.values() if len(mine) >= FEW_UPDATES]
    rest = [change for mine in by_values.values() if len(mine) < FEW_UPDATES for change in mine]
    found = [
        Group(section, UPDATE, f"{_title_of(mine[0], is_drift)}: {counted(len(mine), section)}", mine, most, True)
        for mine in same
    ]
    found += [
        Group(section, UPDATE, f"{_field_names(mine[0])}: {counted(len(mine), section)}", mine, most)
        for mine in _by(rest, lambda change: sorted(keys_of(change))).values()
    ]
    found.sort(key=lambda group: -len(group.changes))
    if len(found) > most:
        left = [change for group in found[most:] for change in group.changes]
        found[most:] = [Group(section, UPDATE, f"other changes: {counted(len(left), section)}", left, most)]
    return found


def _by(changes: Iterable[Change], key: Callable[[Change], Any]) -> dict[Any, list[Change]]:
    """Return the changes by a key, in which lists count by their content."""
    found: dict[Any, list[Change]] = {}
    for change in changes:
        name = key(change)
        found.setdefault(json.dumps(name) if isinstance(name, list) else name, []).append(change)
    return found


def _values(change: Change) -> str:
    """Return the fields of a change with their values. Equal changes have the same."""
    return json.dumps((change["before"], change["after"]), sort_keys=True, default=str)


def _field_names(change: Change) -> str:
    return first_of([field_name(change, key) for key in keys_of(change)], _MOST_FIELDS)


def _title_of(change: Change, is_drift: bool) -> str:
    """Return the fields of a change with their values, as the title of a group."""
    sides = as_said(change, _LONGEST_IN_TITLE)
    return first_of([f"{name} {both_sides(before, after, is_drift)}" for name, before, after in sides], _MOST_FIELDS)
