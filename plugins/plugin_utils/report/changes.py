# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes in words, the same in all formats: groups of equal changes, and each record with its fields.

Each text is cleaned for printing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...module_utils.model.field import first_of, is_generated_key, is_uuid
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ...module_utils.printing.cleaner import clean
from ..set_plan.baseline import APPLICATION, BOTH, UNKNOWN, combined
from .removals import removal_texts
from .result import NOT_TRIED
from .value_diff import side_by_side
from .words import MOST, SIDE_WORDS, action_words, both_sides, counted, short

Change = Mapping[str, Any]

#: The order of changes: first those that cannot be undone, then those of existing records.
ACTION_ORDER = (DELETE, ARCHIVE, UPDATE, CREATE)

_SIDES = (*SIDE_WORDS, UNKNOWN)

SIGNS = {CREATE: "+", UPDATE: "~", DELETE: "-", ARCHIVE: "-"}

#: Minimum number of equal updates for a group of their own.
_FEW_EQUAL = 3

#: Maximum characters of a value. The report as JSON and the result of the task have the whole value.
_LONGEST = 300

_LONGEST_IN_TITLE = 60
#: Maximum number of fields that a title names; the others are counted.
_MOST_FIELDS = 4

_LONGEST_KEY = 300
_LONGEST_NAME = 120


# ---- one record


class Value(NamedTuple):
    """A field of a changed record.

    :ivar first: the value before; in a comparison, that of the files. None if there is no such record.
    :ivar second: the value after; in a comparison, that of the instance.
    :ivar words: both values, or the only one.
    """

    name: str
    first: str | None = None
    second: str | None = None
    words: str = ""

    @property
    def line(self) -> str:
        """Return the name, and the values if there are any."""
        return ": ".join(filter(None, [self.name, self.words]))


@dataclass(frozen=True)
class Row:
    """A changed record as reports show it.

    :ivar key: its natural key, on one line.
    :ivar name: its natural key and its name.
    :ivar remark: the side that changed it, the side effects, the outcome and the reason.
    :ivar values: its fields, and what is removed with it.
    """

    section: str
    key: str
    name: str
    place: str
    remark: str
    values: Sequence[Value]

    @property
    def line(self) -> str:
        """Return the record on one line."""
        return f"{self.section} {self.name}{self.remark and f' ({self.remark})'}"


def row_of(change: Change, is_drift: bool, most: int = MOST) -> Row:
    """Return a change as reports show it.

    :param most: maximum number of fields; the others are counted.
    """
    return Row(
        section=clean(change["section"]),
        key=short(clean(change["key"]), _LONGEST_KEY),
        name=key_and_name(change),
        place=change.get("place", ""),
        remark=remark(change, is_drift),
        values=_values_of(change, is_drift, most),
    )


def _values_of(change: Change, is_drift: bool, most: int) -> list[Value]:
    sides = change.get("sides", {})
    is_mixed = len({*sides.values()} - {UNKNOWN}) > 1
    shown = [
        _value(change, f"{name} ({SIDE_WORDS.get(sides.get(key), UNKNOWN)})" if is_mixed else name, texts, is_drift)
        for key, name, texts in _fields(change, _LONGEST)
    ]
    if len(shown) > most:
        shown[most:] = [Value(f"and {len(shown) - most:,} more fields")]
    removed = [(name, short(clean(text), _LONGEST)) for name, text in removal_texts(change.get("removed", {}))]
    return shown + [Value(name, text, words=text) for name, text in removed if not is_drift]


def _value(change: Change, name: str, texts: tuple[str, str], is_drift: bool) -> Value:
    action = change["action"]
    before, after = None if action == CREATE else texts[0], None if action == DELETE else texts[1]
    first, second = (after, before) if is_drift else (before, after)
    words = both_sides(*texts, is_drift) if first is not None and second is not None else first or second or ""
    return Value(name, first, second, words)


def keys_of(change: Change) -> list[str]:
    """Return the keys of all fields of a change."""
    return list(dict.fromkeys([*change["before"], *change["after"]]))


def field_name(change: Change, key: str) -> str:
    """Return the name of a field for people: its key, or its label if the service generated the key."""
    label = change.get("labels", {}).get(key) if is_generated_key(key) else None
    return short(clean(label or key), _LONGEST_KEY)


def _fields(change: Change, longest: int) -> list[tuple[str, str, tuple[str, str]]]:
    """Return key, name, and the values before and after of each field as JSON, of at most ``longest`` characters."""
    before, after = change["before"], change["after"]
    return [
        (key, field_name(change, key), side_by_side(before.get(key), after.get(key), longest))
        for key in keys_of(change)
    ]


def key_and_name(change: Change) -> str:
    """Return the natural key and the name of a changed record, on one line. A uuid is no help beside a name."""
    key, name = short(clean(change["key"]), _LONGEST_KEY), short(clean(change.get("name", "")), _LONGEST_NAME)
    return name or key if is_uuid(key) else f"{key} {name}".rstrip()


def remark(change: Change, is_drift: bool) -> str:
    """Return the side effects of a change, its outcome and the reason; empty if there is nothing to say.

    For a comparison, say how the record differs. For an update say who changed the record, in a plan only if that was
    not in the files.
    """
    status, reason = change.get("status", NOT_TRIED), change.get("reason", "")
    fate = "" if status == NOT_TRIED and not reason else f"{status.replace('_', ' ')}{reason and f': {reason}'}"
    mark = ", ".join(filter(None, [change.get("note", ""), fate]))
    if change["action"] != UPDATE:
        return clean(mark) or (action_words(change["action"], is_drift) if is_drift else "")
    side = side_of(change)
    words = SIDE_WORDS.get(side, "") if is_drift or side in (APPLICATION, BOTH) else ""
    edited = [change.get("edited", {}).get(name, "") for name in ("by", "ago")]
    return clean(", ".join(filter(None, [words, *edited, mark])))


def side_of(change: Change) -> str:
    """Return the side that changed a record since the last apply."""
    return combined(change.get("sides", {}).values())


# ---- groups


@dataclass(frozen=True)
class Group:
    """Equal changes of one section.

    :ivar title: what happens to how many records: ``quantity 1 -> 2: 999 objects``.
    :ivar changes: all of them. :ivar rows: the changes that people read.
    :ivar is_same: True if the title says everything, so that the name of each record is enough.
    """

    section: str
    action: str
    title: str
    changes: Sequence[Change]
    rows: Sequence[Row]
    is_same: bool = False

    @property
    def more(self) -> int:
        """The number of the other changes."""
        return len(self.changes) - len(self.rows)


def groups(changes: Iterable[Change], is_drift: bool = False, most: int = MOST) -> list[Group]:
    """Return the changes in groups, the most important first, and the largest groups of updates first.

    :param is_drift: True if they are only a comparison, in which the changes of each side are together.
    :param most: maximum number of changes of a group, and of groups of a section, that people read.
    """
    parts = _by(changes, lambda change: (*_rank(change, is_drift), change["section"]))
    found = []
    for _part, mine in sorted(parts.items(), key=lambda part: part[0][:2]):
        kinds = sorted(_kinds(mine), key=len, reverse=True)
        if len(kinds) > most:
            kinds[most:] = [[change for kind in kinds[most:] for change in kind]]
        found += [_group(kind, is_drift, most) for kind in kinds]
    return found


def _rank(change: Change, is_drift: bool) -> tuple[int, int]:
    return _SIDES.index(side_of(change)) if is_drift else 0, ACTION_ORDER.index(change["action"])


def _group(changes: list[Change], is_drift: bool, most: int) -> Group:
    section, action = changes[0]["section"], changes[0]["action"]
    is_same = action == UPDATE and len(changes) >= _FEW_EQUAL and len({*map(_values, changes)}) == 1
    side = SIDE_WORDS.get(side_of(changes[0]), "") if is_drift else ""
    title = f"{side and f'{side}: '}{_title(changes, is_same, is_drift)}: {counted(len(changes), section)}"
    rows = [row_of(change, is_drift, most) for change in changes[:most]]
    return Group(section, action, title, changes, rows, is_same)


def _title(changes: Sequence[Change], is_same: bool, is_drift: bool) -> str:
    first = changes[0]
    if first["action"] != UPDATE:
        return action_words(first["action"], is_drift)
    if is_same:
        texts = [f"{name} {both_sides(*sides, is_drift)}" for _key, name, sides in _fields(first, _LONGEST_IN_TITLE)]
    elif len({*map(_keys, changes)}) == 1:
        texts = [field_name(first, key) for key in keys_of(first)]
    else:
        texts = ["other changes"]
    return first_of(texts, _MOST_FIELDS)


def _by(changes: Iterable[Change], key: Callable[[Change], Any]) -> dict[Any, list[Change]]:
    found: dict[Any, list[Change]] = {}
    for change in changes:
        found.setdefault(key(change), []).append(change)
    return found


def _kinds(changes: list[Change]) -> Iterable[list[Change]]:
    """Return equal updates, the other updates by their fields, and all other changes together."""
    if changes[0]["action"] != UPDATE:
        return [changes]
    equal = {values for values, number in Counter(map(_values, changes)).items() if number >= _FEW_EQUAL}
    return _by(changes, lambda change: values if (values := _values(change)) in equal else _keys(change)).values()


def _values(change: Change) -> str:
    """Return the fields of a change with their values. Equal changes have the same."""
    return json.dumps((change["before"], change["after"]), sort_keys=True, default=str)


def _keys(change: Change) -> str:
    return json.dumps(sorted(keys_of(change)))
