# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A failed task on one screen, with the reason last.

Of a task that failed Ansible prints ``msg`` as an error, and then every member of the result, ``msg`` once more among
them, in the order of their names. Only ``diff`` it prints at ``-vvv`` alone, and playbooks can read it all the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean, cleaned

from .parts import counts, reasons, short
from .result import RunResult
from .text_report import closing, named

_LINES = 6
_CHARACTERS = 800
"""The marks above the last line of a message."""

_LONGEST_LINE = 200
_LONGEST_LAST = 450
_LONGEST_MESSAGE = 900

_MEMBERS = 3000
"""Characters of JSON for the members that are lists and maps."""

_MEMBER_LINES = 32
"""Lines of YAML for these. Where Ansible prints results in YAML, each entry takes a line, however short it is."""

_CUT = 300
"""Characters of JSON for a list of reasons that has no room as a whole."""

_WARNINGS = (20, 1000)
_WARNINGS_OF_A_FAILURE = (3, _LONGEST_LINE)
"""How many warnings Ansible prints, each on a line of its own, and how many characters of each."""

_REASONS = ("refusals", "findings", "failures")
_BY_WEIGHT = (*_REASONS, "summary", "changes", "reported")

_IN_FULL = ("every_finding", "forecast", "made_by", "cautions", "undo", "moves", "money", "persons", "mails")
"""Members that a report has, and a screen with a failure has no room for."""

_BEHIND_THE_REASON = ("summary", "reported")
"""Members that Ansible prints after the reason. Those of a refusal say that nothing was done; a drift counts."""
_NOTHING_DONE = ("refused", "changed", "drift")
"""The outcomes of a failed task after which nothing was sent; the last two are those of a drift."""
_OF_EVERY_TASK = ("changed", "failed", "msg", "diff", "warnings")


def in_short(account: RunResult, reports: Sequence[Path] = (), drifted: bool = False) -> str:
    """Says why a task failed, in a few lines of which the last one tells most.

    :param reports: the files that all of it was written to.
    :param drifted: it failed because there are changes, whatever they are.
    """
    report_hint = _report_hint(reports)
    lines = [short("; ".join(counts(account)), _LONGEST_LINE)] if account.summary else []
    wrong, why = reasons(account), ""
    if drifted:
        wrong = {"Differs": [named(change) for change in account.changes]}
        why = f"drift_fail is on, and {len(account.changes)} records are not as the files say"
    elif account.outcome == "refused" and account.changes:
        lines.append(f"{len(account.changes)} changes were planned and none was sent; {report_hint}")
    if drifted or sum(map(len, wrong.values())) > 1:
        for title, texts in wrong.items():
            lines.append(f"{title}:")
            lines += _indented(_first(texts, _LINES // len(wrong), _CHARACTERS // len(wrong), report_hint))
    return "\n".join([*lines, short(closing(account, why), _LONGEST_LAST)])


def findings_in_short(findings: Sequence[str], reports: Sequence[Path] = ()) -> str:
    """Says why files are not valid: as many findings as a screen takes, and in the last line how many there are."""
    texts = [clean(finding) for finding in findings]
    number = f"{len(texts)} finding(s), nothing was sent"
    if len(texts) == 1:
        return short(f"{number}: {texts[0]}", _LONGEST_LAST)
    lines = _indented(_first(texts, _LINES, _CHARACTERS, _report_hint(reports)))
    return "\n".join(["Findings:", *lines, short(f"{number}, the first: {texts[0]}", _LONGEST_LAST)])


def message_in_short(message: str) -> str:
    """The message of an error, which may have a line for each of many problems."""
    return "\n".join(_first([clean(line) for line in message.split("\n")], _LINES, _LONGEST_MESSAGE))


def _report_hint(reports: Sequence[Path]) -> str:
    """Return where all of them are found: in the first report that has room for them."""
    whole = next((path for path in reports if path.suffix != ".md"), None)
    if whole is not None:
        return f"{clean(str(whole))} has all of them"
    return f"{'a report as .html or .json has' if reports else 'set report to a .html or .json file for'} all of them"


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def _first(texts: Sequence[str], lines: int, characters: int, report_hint: str = "") -> list[str]:
    """The first of the texts, at least one and as many as there is room for, and how many are left."""
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
    """A result as it is handed to Ansible.

    One that failed keeps its single values, and of its lists and maps those that a screen has room for. Of the reasons
    it keeps at least the first ones. The whole account stands in ``diff.account``.
    """
    failed = bool(result.get("failed"))
    printed = dict(result)
    if "warnings" in result:
        printed["warnings"] = _warned(result["warnings"], *(_WARNINGS_OF_A_FAILURE if failed else _WARNINGS))
    account = {name: value for name, value in result.items() if name not in _OF_EVERY_TASK}
    long = [name for name in _BY_WEIGHT if name in account]
    if not failed or not long:
        return printed
    room, lines = _MEMBERS, _MEMBER_LINES
    for name in _IN_FULL:
        printed.pop(name, None)
    for name in long:
        del printed[name]
        size = len(json.dumps(account[name], default=str))
        if name in _BEHIND_THE_REASON and account.get("outcome") in _NOTHING_DONE:
            continue
        if size <= room and _lines(account[name]) <= lines:
            printed[name] = cleaned(account[name])
            room -= size
            lines -= _lines(account[name])
        elif name in _REASONS:
            printed[name] = _whole(account[name], _CUT)
    told = {**account, "warnings": result.get("warnings", [])}
    return {**printed, "diff": {**result.get("diff", {}), "account": told}}


def _warned(warnings: Sequence[str], most: int, longest: int) -> list[str]:
    shown = [short(clean(text), longest) for text in warnings[:most]]
    rest = len(warnings) - len(shown)
    return [*shown, f"{rest} more warnings; a report as .html or .json has all of them"] if rest else shown


def _lines(value: Any) -> int:
    """Counts the lines that a value takes in YAML, beside that of its own name."""
    if isinstance(value, Mapping):
        return sum(1 + _lines(one) for one in value.values())
    if isinstance(value, (list, tuple)):
        return sum(max(1, _lines(one)) for one in value)
    return 0


def _whole(entries: Sequence[Any], room: int) -> list[Any]:
    """The first of some entries, none of them cut."""
    kept: list[Any] = []
    for entry in entries:
        one = cleaned(entry)
        room -= len(json.dumps(one, default=str))
        if room < 0 or len(kept) == _LINES:
            break
        kept.append(one)
    return kept
