# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account of a plan or an apply as a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.printed import clean

from .outcome import RunResult
from .report_parts import ALONE, SIGNS, alone, fields, key_of, reasons, short, warnings

_COMMENT_LIMIT = 60_000
"""Characters that a comment on a pull request may have at the big code hosts, with some room for a heading."""

_LONGEST_VALUE = 500
_LONGEST_NAME = 300
_EXAMPLES = 3
_WORDS = ("created", "updated", "deleted", "archived", "unchanged", "errors", "skipped")

_TELLING = ("delete", "archive", "update", "create")
"""Which changes stand first: those that can't be undone, then those of something that is there."""

_ONE = 8
"""The part of the room that one reason, warning or change may take: an eighth."""

_REST = 100
"""Characters for the line that tells of what did not fit."""


def as_markdown(account: RunResult, limit: int = _COMMENT_LIMIT) -> str:
    """The account for a pull-request comment, never longer than one may be.

    What held or went wrong stands first, then the counts and the changes, then the warnings. Where not all of it fits,
    reasons leave half of the room to the changes. Records that are in no file are counted.

    :param limit: characters; ten thousand at least.
    """
    head = f"### {clean(account.outcome)}: {_code(short(clean(account.instance), _LONGEST_NAME))}\n"
    table = _table(account.summary)
    last = "".join(_points({ALONE: alone(account, _EXAMPLES)}, limit))
    if account.plan_digest:
        table += f"\n\nPlan file: {_code(clean(f'sha256:{account.plan_digest}'))}"
    room = limit - len(head) - len(table) - len(last) - _REST
    wrong = list(_points(reasons(account), room // _ONE))
    warned = list(_points({"Warnings": warnings(account)}, room // _ONE))
    changes = _fitting(_changes(account.changes, room // _ONE), room)
    shown_wrong = _fitting(wrong, room - min(_length(changes), room // 2))
    room -= _length(shown_wrong)
    shown_changes = _fitting(changes, room - min(_length(warned), room // _ONE))
    shown_warned = _fitting(warned, room - _length(shown_changes))
    shown = len(shown_wrong) + len(shown_changes) + len(shown_warned)
    hidden = len(wrong) + len(account.changes) + len(warned) - shown
    rest = f"\n\nand {hidden} more; the report as .json or .html has all." if hidden else ""
    return "".join([head, *shown_wrong, table, *shown_changes, *shown_warned, last, rest, "\n"])


def _fitting(texts: Iterable[str], room: int) -> list[str]:
    """The first of the texts, as many as fit."""
    fitting = []
    for text in texts:
        room -= len(text)
        if room < 0:
            break
        fitting.append(text)
    return fitting


def _length(texts: Sequence[str]) -> int:
    return sum(map(len, texts))


def _table(summary: Mapping[str, Mapping[str, int]]) -> str:
    if not summary:
        return ""
    lines = ["", "", "| Section | " + " | ".join(_WORDS) + " |", "|---|" + "---:|" * len(_WORDS)]
    for section, numbers in summary.items():
        cells = [_cell(section), *(str(numbers.get(word, 0) or "") for word in _WORDS)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(section: str) -> str:
    # A bar ends a cell even in a code span.
    return section if re.fullmatch(r"\w+", section) else _code(clean(section)).replace("|", "\\|")


def _points(told: Mapping[str, Sequence[str]], longest: int) -> Iterator[str]:
    """Each text as an item of a list; the first of each list brings the title."""
    for title, texts in told.items():
        for number, text in enumerate(texts):
            yield (_title(title, len(texts)) if number == 0 else "") + f"\n- {_code(short(text, longest))}"


def _title(title: str, number: int) -> str:
    return f"\n\n**{title}** ({number})\n"


def _changes(changes: Sequence[Mapping[str, Any]], longest: int) -> Iterator[str]:
    """Each change with its fields, the most telling first."""
    for number, change in enumerate(sorted(changes, key=lambda one: _TELLING.index(one["action"]))):
        yield (_title("Changes", len(changes)) if number == 0 else "") + _change(change, longest)


def _change(change: Mapping[str, Any], longest: int) -> str:
    """A change, with as many of its fields as one may take."""
    name = _code(f"{clean(change['section'])} {key_of(change)}")
    told = fields(change, _LONGEST_VALUE)
    items = [f"\n- {_code(field)}: {_code(before)} → {_code(after)}" for field, before, after in told]
    shown = _fitting(items, longest)
    rest = f"\n- and {len(items) - len(shown)} more fields" if len(shown) < len(items) else ""
    return f"\n\n**{SIGNS[change['action']]}** {name}\n{''.join(shown)}{rest}"


def _code(text: str) -> str:
    """A text of one line as it is, in a fence that nothing in it can close: names from an instance are no markup."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest or not text.strip() else f"`{text}`"
