# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The diff of a plan or an apply: the changed records as texts before and after, which Ansible compares and prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils.plan.change import CREATE, DELETE, UPDATE
from ...module_utils.printing.cleaner import clean
from .groups import groups
from .parts import action_words, fields, key_and_name, key_of, keys_of, short
from .removals import removal_texts
from .result import DONE, RunResult, in_figures

_LONGEST = 500
"""Maximum characters of a value."""

_MOST = 1000
"""Maximum number of records. Ansible compares texts in quadratic time, so 6,000 records would take ten seconds."""

_FILES, _INSTANCE = "files", "instance"


def diff_of(result: RunResult) -> dict[str, str]:
    """Return the diff of a run: the present and the planned state, or for a drift, the files and the present state."""
    result = in_figures(result)
    ordered = [change for group in groups(_changes(result), result.is_drift) for change in group.changes]
    before: list[str] = []
    after: list[str] = []
    for change in ordered[:_MOST]:
        now, then = _sides(change, result.is_drift)
        before += now
        after += then
    left = len(ordered) - _MOST
    if left > 0:
        rest = f"and {left:,} more records; msg and a report have all of them\n"
        before.append(rest)
        after.append(rest)
    if result.is_drift:
        before, after = after, before
    heads = (_FILES, _INSTANCE) if result.is_drift else (_INSTANCE, _FILES)
    return {
        "before_header": heads[0],
        "after_header": heads[1],
        "before": "".join(before),
        "after": "".join(after),
    }


def _changes(result: RunResult) -> list[dict[str, Any]]:
    """Return the changes that a diff shows: all of a plan, and after an apply those that were done."""
    if result.check_mode or result.outcome == "refused":
        return result.changes
    return [change for change in result.changes if change.get("status", DONE) == DONE]


def _sides(change: Mapping[str, Any], is_drift: bool) -> tuple[list[str], list[str]]:
    """Return the lines of a record on the instance and as desired.

    Each line names the record, because otherwise equal lines of two records would look like one unchanged line.
    """
    remark = clean(change.get("note", ""))
    if is_drift and change["action"] != UPDATE:
        remark = remark or action_words(change["action"], is_drift)
    head = f"{clean(change['section'])} {key_and_name(change)}{remark and f' ({remark})'}\n"
    before, after = [head], [head]
    for key, (name, now, then) in zip(keys_of(change), fields(change, _LONGEST), strict=True):
        # A missing value has no line.
        before += [] if change["before"].get(key) is None else [f"    {key_of(change)} {name}: {now}\n"]
        after += [] if change["after"].get(key) is None else [f"    {key_of(change)} {name}: {then}\n"]
    before += [] if is_drift else _removed(change)
    if change["action"] == CREATE:
        return [], after
    return (before, []) if change["action"] == DELETE else (before, after)


def _removed(change: Mapping[str, Any]) -> Iterator[str]:
    for name, text in removal_texts(change.get("removed", {})):
        yield f"    {key_of(change)} {name}: {short(clean(text), _LONGEST)}\n"
