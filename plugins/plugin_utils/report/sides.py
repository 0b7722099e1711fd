# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The diff of a plan or an apply: the changed records as texts before and after, which Ansible compares and prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...module_utils.model.field import first_of
from ...module_utils.plan.change import CREATE, DELETE
from ...module_utils.printing.cleaner import clean
from .changes import Change, Group, key_and_name, key_of, remark, values_of
from .result import DONE, RunResult
from .view import View, view_of
from .words import MOST, counted

_MOST = 1000
"""Maximum number of records of a group that do not change equally. Ansible compares texts in quadratic time."""

_FILES, _INSTANCE = "files", "instance"

Lines = Iterator[tuple[str, str]]
"""Lines with the sides on which they are: ``-`` before, ``+`` after, or both."""

_BEFORE, _AFTER, _BOTH = "-", "+", "-+"


def diff_of(result: RunResult) -> dict[str, str]:
    """Return the diff of a run: the present and the planned state, or for a drift, the files and the present state."""
    view = view_of(replace(result, changes=_changes(result)), _MOST)
    lines = [line for group in view.groups for line in _lines(group, view)]
    sides = ["".join(f"{text}\n" for side, text in lines if which in side) for which in (_BEFORE, _AFTER)]
    before, after = reversed(sides) if result.is_drift else sides
    heads = (_FILES, _INSTANCE) if result.is_drift else (_INSTANCE, _FILES)
    return {"before_header": heads[0], "after_header": heads[1], "before": before, "after": after}


def _changes(result: RunResult) -> list[dict[str, object]]:
    """Return the changes that a diff shows: all of a plan, and after an apply those that were done."""
    if result.check_mode or result.outcome == "refused":
        return result.changes
    return [change for change in result.changes if change.get("status", DONE) == DONE]


def _lines(group: Group, view: View) -> Lines:
    """Yield the lines of each record of a group, or of equal changes the values once, with the records below."""
    if group.is_same:
        yield _BOTH, group.title
        yield _BOTH, f"    {first_of([key_and_name(change) for change in group.changes], MOST)}"
        name = f"{key_of(group.changes[0])} and {counted(len(group.changes) - 1, group.section)}"
        yield from _values(name, group.changes[0], view)
        return
    side = {CREATE: _AFTER, DELETE: _BEFORE}.get(group.action, _BOTH)
    for change in group.first:
        text = remark(change, view.result.is_drift) if view.result.is_drift else clean(change.get("note", ""))
        yield side, f"{clean(change['section'])} {key_and_name(change)}{text and f' ({text})'}"
        yield from _values(key_of(change), change, view)
    if group.more:
        yield _BOTH, f"and {group.more:,} more of {group.title}; a report as .csv or .json has all of them"


def _values(name: str, change: Change, view: View) -> Lines:
    """Yield the values of a record, a missing value on no side.

    Each line names the record, because otherwise equal lines of two records would look like one unchanged line.
    """
    for value in values_of(change, view.result.is_drift, view.most):
        for side, text in ((_BEFORE, value.before), (_AFTER, value.after)):
            if text not in (None, _NOTHING):
                yield side, f"    {name} {value.name}: {text}"


_NOTHING = "null"
"""The text of a missing value."""
