# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit a failed task on one screen, with the reason last.

For a failed task Ansible prints ``msg`` as an error, and then every member of the result in alphabetical order,
including ``msg``. A report as JSON has all that is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...module_utils.printing.cleaner import amount, clean, cleaned
from .changes import SIGNS
from .result import RunResult
from .text_report import closing, counts
from .view import Block, view_of
from .words import short

#: Number of reasons above the last line of a message, which has the first of them once more.
_LINES = 6

_LONGEST_LINE = 180
_LONGEST = 450
_FEW = 3
#: Number of entries up to which Ansible prints a list in full beside a message, and else the first few.
_ENTRIES = 15

#: Number of warnings that Ansible prints, each on a line.
#:
#: Ansible prints an equal warning of an earlier task only once, so a failure must not cut it in another way.
_WARNINGS = 20

#: The lists that a failed result has on the screen.
_REASONS = ("refusals", "findings", "failures")

_OF_EVERY_TASK = ("msg", "diff", "warnings")
#: The members of a plan. Their lists and maps are left out on the screen of a failure.
_IN_FULL = frozenset(("brief", *RunResult.__dataclass_fields__)).difference(_OF_EVERY_TASK, _REASONS)


def in_short(result: RunResult, reports: Sequence[Path] = (), drifted: bool = False) -> str:
    """Return why a task failed, in a few lines with the most important last.

    :param reports: the files with the full report.
    :param drifted: True if it failed because there are changes.
    """
    view = view_of(result, _LINES)
    lines = [short("; ".join(counts(view)), _LONGEST_LINE)] if view.counts.rows else []
    wrong, why = view.reasons, ""
    if drifted:
        number = len(result.changes)
        rows = [(f"{SIGNS[group.action]} {row.section} {row.name}",) for group in view.groups for row in group.rows][
            :_LINES
        ]
        wrong = [Block("Differs", rows, more=number - len(rows))]
        why = f"fail is on, and {amount(number, 'record differs', 'records differ')} from the files"
    elif result.outcome == "refused" and result.changes:
        planned = amount(len(result.changes), "change was", "changes were")
        lines.append(f"{planned} planned and none was sent; {_hint(reports)}")
    if drifted or sum(block.number for block in wrong) > 1:
        lines += [line for block in wrong for line in _listed(block.cut(_LINES // len(wrong)), reports)]
    return "\n".join([*lines, short(closing(view, why), _LONGEST)])


def findings_in_short(findings: Sequence[str], reports: Sequence[Path] = ()) -> str:
    """Return why files are invalid: the first findings, and their number in the last line."""
    number, first = f"{amount(len(findings), 'finding')}, nothing was sent", clean(findings[0])
    if len(findings) == 1:
        return short(f"{number}: {first}", _LONGEST)
    block = Block("Findings", [(clean(finding),) for finding in findings]).cut(_LINES)
    return "\n".join([*_listed(block, reports), short(f"{number}, the first: {first}", _LONGEST)])


def message_in_short(message: str) -> str:
    """Return the message of an error, which may have a line for each of many problems."""
    lines = message.split("\n")
    longest = _LONGEST if len(lines) == 1 else _LONGEST_LINE
    shown = [short(clean(line), longest) for line in lines[:_LINES]]
    return "\n".join([*shown, *([f"and {len(lines) - _LINES:,} more"] if len(lines) > _LINES else [])])


def _hint(reports: Sequence[Path]) -> str:
    """Say where all reasons and changes are."""
    named = (f"{clean(str(path))} has all of them" for path in reports if path.suffix in (".html", ".json"))
    return next(named, "set report to a .html or .json file for all of them")


def _listed(block: Block, reports: Sequence[Path]) -> list[str]:
    lines = [f"{block.title}:", *(f"  {short(row[0], _LONGEST_LINE)}" for row in block.rows)]
    return [*lines, f"  and {block.more:,} more; {_hint(reports)}"] if block.more else lines


def on_screen(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result for Ansible.

    Of the plan, a failed result keeps single values, the first reasons, and the counts if something was done. A
    comparison that fails because of a few differences keeps them.
    """
    printed = dict(result)
    if "warnings" in result:
        texts = [short(clean(text), _LONGEST) for text in result["warnings"]]
        rest = len(texts) - _WARNINGS
        more = [f"{rest} more warnings; a report as .html or .json has all of them"] if rest > 0 else []
        printed["warnings"] = [*texts[:_WARNINGS], *more]
    if not result.get("failed"):
        return printed
    return {
        name: _first(value) if name in _REASONS else value
        for name, value in printed.items()
        if name not in _IN_FULL
        or not isinstance(value, (list, tuple, Mapping))
        or (name == "summary" and result.get("changed"))
        or (name == "changes" and result.get("outcome") == "drift" and len(value) <= _ENTRIES)
    }


def _first(value: Sequence[Any]) -> list[Any]:
    """Return the first entries of a list, each short enough for a line."""
    first = value if len(value) <= _ENTRIES else value[:_FEW]
    return [
        {name: short(text, _LONGEST_LINE) for name, text in cleaned(entry).items()}
        if isinstance(entry, Mapping)
        else short(clean(entry), _LONGEST)
        for entry in first
    ]
