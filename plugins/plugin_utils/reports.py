# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One account of a plan or an apply as text, JSON, Markdown and a page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.instance_account import Account
from ansible_collections.community.seventhings.plugins.module_utils.safe_files import Folder

from .differing import side_by_side
from .report_html import as_html

_LONGEST = 500
"""Characters of a value that are shown; all of it stands in the report as JSON and in what the task returns."""

_SIGNS = {"create": "+", "update": "~", "delete": "-", "archive": "-"}


def as_text(account: Account) -> str:
    """The account as a person reads it in a terminal: what is wrong, every change with its fields, then the counts."""
    failed = [f"{one['change']} ({one['place']}): {one['reason']}" for one in account.failures]
    lines = [
        *_titled("Findings", account.findings),
        *_titled("Refused", account.refusals),
        *_titled("Failed", failed),
    ]
    for change in account.changes:
        lines.append(f"{_SIGNS[change['action']]} {change['section']} {_line(change['key'])}")
        lines += [f"    {_line(name)}: {before} -> {after}" for name, before, after in _fields(change)]
    lines += _titled("Warnings", account.warnings)
    lines += _titled(_ALONE, _alone(account))
    for section, counts in account.summary.items():
        told = ", ".join(f"{number} {word}" for word, number in counts.items() if number)
        lines.append(f"{section}: {told}")
    lines.append(f"{account.outcome}, {account.requests} requests, {account.duration:.1f} s")
    return "\n".join(lines)


_ALONE = "Not in the files, left alone"


def _alone(account: Account) -> list[str]:
    return [f"{section}: {', '.join(names)}" for section, names in account.reported.items()]


def _line(name: str) -> str:
    """A name on one line, so that none can look like another line."""
    return name if name.isprintable() else json.dumps(name, ensure_ascii=False)


def _titled(title: str, texts: Sequence[str]) -> list[str]:
    return [f"{title}:", *(f"  {text}" for text in texts)] if texts else []


def _fields(change: dict[str, Any]) -> list[tuple[str, str, str]]:
    before, after = change["before"], change["after"]
    names = dict.fromkeys([*before, *after])
    return [(name, *side_by_side(before.get(name), after.get(name), _LONGEST)) for name in names]


_REST = 100
"""Characters for the line that tells of what did not fit."""

_COMMENT_LIMIT = 60_000
"""Characters that a comment on a pull request may have at the big code hosts, with some room for a heading."""


def as_markdown(account: Account, limit: int = _COMMENT_LIMIT) -> str:
    """The account for a pull-request comment: never longer than one may be."""
    lines = [f"### {account.outcome}: {account.instance}", ""]
    if account.summary:
        lines += ["| Section | " + " | ".join(_WORDS) + " |", "|---|" + "---:|" * len(_WORDS)]
    for section, counts in account.summary.items():
        lines.append(f"| {section} | " + " | ".join(str(counts.get(word, 0) or "") for word in _WORDS) + " |")
    failures = [f"{one['change']} ({one['place']}): {one['reason']}" for one in account.failures]
    told: list[tuple[str, str]] = []
    for title, texts in (
        ("Refused", account.refusals),
        ("Findings", account.findings),
        ("Failed", failures),
        ("Warnings", account.warnings),
        (_ALONE, _alone(account)),
    ):
        told += [
            (f"\n\n**{title}**\n" if number == 0 else "", f"\n- {_code(text)}") for number, text in enumerate(texts)
        ]
    told += [("", "\n".join(_markdown_change(change))) for change in account.changes]
    text = "\n".join(lines)
    for number, (title, one) in enumerate(told):
        if len(text) + len(title) + len(one) > limit - _REST:
            return f"{text}\n\nand {len(told) - number} more; the report as .json or .html has all.\n"
        text += title + one
    return text + "\n"


def _markdown_change(change: dict[str, Any]) -> list[str]:
    name = _code(f"{change['section']} {change['key']}")
    lines = ["", "", f"**{_SIGNS[change['action']]}** {name}", ""]
    return lines + [f"- {_code(name)}: {_code(before)} → {_code(after)}" for name, before, after in _fields(change)]


def _code(text: str) -> str:
    """A text as it is, in a fence that nothing in it can close: names from an instance are no markup."""
    flat = " ".join(text.split("\n"))
    longest = max((len(run) for run in re.findall("`+", flat)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {flat} {fence}" if longest or not flat.strip() else f"`{flat}`"


_WORDS = ("created", "updated", "deleted", "archived", "unchanged", "errors", "skipped")


def _as_json(account: Account) -> str:
    return json.dumps(account.document(), indent=1, ensure_ascii=False, default=str) + "\n"


_FORMS: dict[str, Callable[[Account], str]] = {".html": as_html, ".json": _as_json, ".md": as_markdown}


def check_report(path: Path) -> None:
    """Whether a report can be written there, asked before anything is sent.

    :raises InvalidInput: for an ending that means nothing, and where there is no such directory.
    """
    if path.suffix not in _FORMS:
        raise InvalidInput(f"report: {path} ends in {path.suffix or 'nothing'}; expected {' or '.join(_FORMS)}")
    if not path.parent.is_dir() or path.is_dir():
        raise InvalidInput(f"report: {path} can't be written; expected a file in a directory that is there")


def write_report(account: Account, path: Path) -> None:
    """Writes the account as the ending of the file says: a page, JSON or Markdown."""
    check_report(path)
    Folder(path.parent).write(path.name, _FORMS[path.suffix](account).encode())
