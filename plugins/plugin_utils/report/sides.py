# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The diff of a plan or an apply: the changed records as texts before and after, which Ansible compares and prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...module_utils.model.field import first_of
from ...module_utils.plan.change import CREATE, DELETE
from .changes import Group, Row, key_and_name
from .result import DONE, NOT_TRIED, RunResult
from .view import view_of
from .words import MOST, counted

#: Maximum number of records of a group that do not change equally. Ansible compares texts in quadratic time.
_MOST = 1000

#: Lines with the sides on which they are: ``-`` before, ``+`` after, or both.
Lines = Iterator[tuple[str, str]]

_FIRST, _SECOND, _BOTH = "-", "+", "-+"


def diff_of(result: RunResult) -> dict[str, str]:
    """Return the diff of a run: the present and the planned state, or for a drift, the files and the present state."""
    view = view_of(replace(result, changes=_changes(result)), _MOST)
    lines = [line for group in view.groups for line in _lines(group, result.is_drift)]
    first, second = ["".join(f"{text}\n" for side, text in lines if which in side) for which in (_FIRST, _SECOND)]
    heads = ("files", "instance") if result.is_drift else ("instance", "files")
    return {"before_header": heads[0], "after_header": heads[1], "before": first, "after": second}


def _changes(result: RunResult) -> list[dict[str, object]]:
    """Return the changes that a diff shows: all of a plan, and after an apply those that were done."""
    if result.check_mode or result.outcome == "refused":
        return result.changes
    return [{**change, "status": NOT_TRIED} for change in result.changes if change.get("status", DONE) == DONE]


def _lines(group: Group, is_drift: bool) -> Lines:
    """Yield the lines of each record of a group, or of equal changes the values once, with the records below."""
    if group.is_same:
        yield _BOTH, group.title
        yield _BOTH, f"    {first_of(list(map(key_and_name, group.changes)), MOST)}"
        yield from _values(f"each of {counted(len(group.changes), group.section)}", group.rows[0])
        return
    created, deleted = (_FIRST, _SECOND) if is_drift else (_SECOND, _FIRST)
    side = {CREATE: created, DELETE: deleted}.get(group.action, _BOTH)
    for row in group.rows:
        yield side, row.line
        yield from _values(row.key, row)
    if group.more:
        yield _BOTH, f"and {group.more:,} more of {group.title}; a report as .csv or .json has all of them"


def _values(name: str, row: Row) -> Lines:
    """Yield the values of a record, a missing value on no side.

    Each line names the record, because otherwise equal lines of two records would look like one unchanged line.
    """
    for value in row.values:
        for side, text in ((_FIRST, value.first), (_SECOND, value.second)):
            if text not in (None, "null"):
                yield side, f"    {name} {value.name}: {text}"
