# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit a failed task on one screen, with the reason last.

For a failed task Ansible prints ``msg`` as an error, and then every member of the result in alphabetical order,
including ``msg``. A report as JSON has all that is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...module_utils.printing.cleaner import clean, cleaned
from .parts import counts, reasons, short
from .result import RunResult
from .text_report import closing, named

_LINES = 6
_CHARACTERS = 800
"""Maximum characters above the last line of a message."""

_LONGEST_LINE = 200
_LONGEST_LAST = 450
_LONGEST_MESSAGE = 900

_MEMBERS = 3000
"""Maximum characters of JSON for members that are lists and maps."""

_MEMBER_LINES = 32
"""Maximum lines of YAML for these members. If Ansible prints results in YAML, each entry takes a line."""

_CUT = 300
"""Maximum characters of JSON for a list of reasons that is too long to be printed as a whole."""

_WARNINGS = (20, 1000)
_WARNINGS_OF_A_FAILURE = (3, 400)
"""Number of warnings that Ansible prints, each on a line, and maximum characters of each.

Ansible prints an equal warning of an earlier task only once, so common warnings must not be cut here.
"""

_REASONS = ("refusals", "findings", "failures")
_BY_WEIGHT = (*_REASONS, "summary", "changes", "reported")

_IN_FULL = ("brief", "every_finding", "forecast", "made_by", "cautions", "undo", "moves", "money", "persons", "mails")
"""Members of a report that are left out on the screen of a failure."""

_BEHIND_THE_REASON = ("summary", "reported")
"""Members that Ansible prints after the reason.

After a refusal they only say that nothing was done. After drift they matter.
"""
_NOTHING_DONE = ("refused", "changed", "drift")
"""The outcomes of a failed task after which nothing was sent. The last two are outcomes of a drift."""
_OF_EVERY_TASK = ("changed", "failed", "msg", "diff", "warnings")


def in_short(result: RunResult, reports: Sequence[Path] = (), drifted: bool = False) -> str:
    """Return why a task failed, in a few lines with the most important last.

    :param reports: the files with the full report.
    :param drifted: True if it failed because there are changes.
    """
    report_hint = _report_hint(reports)
    lines = [short("; ".join(counts(result)), _LONGEST_LINE)] if result.summary else []
    wrong, why = reasons(result), ""
    if drifted:
        wrong = {"Differs": [named(change) for change in result.changes]}
        number = len(result.changes)
        why = f"fail is on, and {'1 record differs' if number == 1 else f'{number} records differ'} from the files"
    elif result.outcome == "refused" and result.changes:
        lines.append(f"{len(result.changes)} changes were planned and none was sent; {report_hint}")
    if drifted or sum(map(len, wrong.values())) > 1:
        for title, texts in wrong.items():
            lines.append(f"{title}:")
            lines += _indented(_first(texts, _LINES // len(wrong), _CHARACTERS // len(wrong), report_hint))
    return "\n".join([*lines, short(closing(result, why), _LONGEST_LAST)])


def findings_in_short(findings: Sequence[str], reports: Sequence[Path] = ()) -> str:
    """Return why files are invalid: as many findings as fit on a screen, and their number in the last line."""
    texts = [clean(finding) for finding in findings]
    number = f"{len(texts)} finding(s), nothing was sent"
    if len(texts) == 1:
        return short(f"{number}: {texts[0]}", _LONGEST_LAST)
    lines = _indented(_first(texts, _LINES, _CHARACTERS, _report_hint(reports)))
    return "\n".join(["Findings:", *lines, short(f"{number}, the first: {texts[0]}", _LONGEST_LAST)])


def message_in_short(message: str) -> str:
    """Return the message of an error, which may have a line for each of many problems."""
    return "\n".join(_first([clean(line) for line in message.split("\n")], _LINES, _LONGEST_MESSAGE))


def _report_hint(reports: Sequence[Path]) -> str:
    """Return where the full report is: the first report that has everything."""
    whole = next((path for path in reports if path.suffix != ".md"), None)
    if whole is not None:
        return f"{clean(str(whole))} has all of them"
    return f"{'a report as .html or .json has' if reports else 'set report to a .html or .json file for'} all of them"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _first(texts: Sequence[str], lines: int, characters: int, report_hint: str = "") -> list[str]:
    """Return the first texts, at least one and as many as fit, and how many are left."""
    shown: list[str] = []
    longest = characters if len(texts) == 1 else _LONGEST_LINE
    for text in texts[:lines]:
        line = short(text, longest)
        characters -= len(line)
        if shown and characters < 0:
            break
        shown.append(line)
    rest = len(texts) - len(shown)
    return [*shown, f"and {rest} more{report_hint and f'; {report_hint}'}"] if rest else shown


def on_screen(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result for Ansible.

    A failed result keeps its single values, and as many of its lists and maps as fit on a screen. It keeps at least the
    first reasons.
    """
    failed = bool(result.get("failed"))
    printed = dict(result)
    if "warnings" in result:
        printed["warnings"] = _warned(result["warnings"], *(_WARNINGS_OF_A_FAILURE if failed else _WARNINGS))
    members = {name: value for name, value in result.items() if name not in _OF_EVERY_TASK}
    long = [name for name in _BY_WEIGHT if name in members]
    if not failed or not long:
        return printed
    room, lines = _MEMBERS, _MEMBER_LINES
    for name in _IN_FULL:
        printed.pop(name, None)
    for name in long:
        del printed[name]
        size = len(json.dumps(members[name], default=str))
        if name in _BEHIND_THE_REASON and members.get("outcome") in _NOTHING_DONE:
            continue
        if size <= room and _lines(members[name]) <= lines:
            printed[name] = cleaned(members[name])
            room -= size
            lines -= _lines(members[name])
        elif name in _REASONS:
            printed[name] = _whole(members[name], _CUT)
    return printed


def _warned(warnings: Sequence[str], most: int, longest: int) -> list[str]:
    shown = [short(clean(text), longest) for text in warnings[:most]]
    rest = len(warnings) - len(shown)
    return [*shown, f"{rest} more warnings; a report as .html or .json has all of them"] if rest else shown


def _lines(value: Any) -> int:
    """Return the number of lines that a value takes in YAML, besides its own name."""
    if isinstance(value, Mapping):
        return sum(1 + _lines(member) for member in value.values())
    if isinstance(value, (list, tuple)):
        return sum(max(1, _lines(item)) for item in value)
    return 0


def _whole(entries: Sequence[Any], room: int) -> list[Any]:
    """Return the first entries that fit completely."""
    kept: list[Any] = []
    for entry in entries:
        cleaned_entry = cleaned(entry)
        room -= len(json.dumps(cleaned_entry, default=str))
        if room < 0 or len(kept) == _LINES:
            break
        kept.append(cleaned_entry)
    return kept
