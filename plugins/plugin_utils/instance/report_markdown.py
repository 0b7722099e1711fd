# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account of a plan or an apply as a comment on a pull request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .markdown import Markdown, cell, word
from .outcome import RunResult
from .report_parts import ALONE, SIGNS, alone, fields, key_of, reasons, short, warnings

_COMMENT_LIMIT = 60_000
"""Characters that a comment on a pull request may have at the big code hosts, with some room for a heading."""

_LONGEST_VALUE = 500
_LONGEST_NAME = 300
_EXAMPLES = 3
_WORDS = ("created", "updated", "deleted", "archived", "unchanged", "errors", "skipped")

_TELLING = ("delete", "archive", "update", "create")
"""The changes that stand first: those that can't be undone, then those of something that is there."""

_ONE = 8
"""The part of the room that one reason, warning or change may take: an eighth."""

_REST = 100
"""Characters for the line that tells of what did not fit."""


def as_markdown(account: RunResult, limit: int = _COMMENT_LIMIT) -> Markdown:
    """The account for a pull-request comment, never longer than one may be.

    What held or went wrong stands first, then the counts and the changes, then the warnings. Where not all of it fits,
    reasons leave half of the room to the changes. Records that are in no file are counted.

    :param limit: characters; ten thousand at least.
    """
    head = Markdown("### {outcome}: {instance}\n").fill(
        outcome=word(account.outcome), instance=short(account.instance, _LONGEST_NAME)
    )
    table = _table(account.summary)
    last = Markdown.of(_points({ALONE: alone(account, _EXAMPLES)}, limit))
    if account.plan_digest:
        digest = Markdown("\n\nPlan file: {digest}").fill(digest=f"sha256:{account.plan_digest}")
        table = Markdown.of([table, digest])
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
    more = Markdown("\n\nand {hidden} more; the report as .json or .html has all.") if hidden else Markdown()
    rest = more.fill(hidden=hidden)
    return Markdown.of([head, *shown_wrong, table, *shown_changes, *shown_warned, last, rest, Markdown("\n")])


def _fitting(texts: Iterable[Markdown], room: int) -> list[Markdown]:
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


def _table(summary: Mapping[str, Mapping[str, int]]) -> Markdown:
    if not summary:
        return Markdown()
    head = Markdown("\n\n| Section | {words} |\n|---|{lines}").fill(
        words=Markdown.of(map(word, _WORDS), " | "), lines=Markdown("---:|" * len(_WORDS))
    )
    rows = (
        Markdown("\n| {section} | {numbers} |").fill(
            section=cell(section), numbers=Markdown.of((_number(numbers.get(name, 0)) for name in _WORDS), " | ")
        )
        for section, numbers in summary.items()
    )
    return Markdown.of([head, *rows])


def _number(number: int) -> Markdown:
    return Markdown("{number}").fill(number=number) if number else Markdown()


def _points(told: Mapping[str, Sequence[str]], longest: int) -> Iterator[Markdown]:
    """Each text as an item of a list; the first of each list brings the title."""
    for title, texts in told.items():
        for number, text in enumerate(texts):
            point = Markdown("\n- {text}").fill(text=short(text, longest))
            yield point if number else Markdown.of([_title(Markdown(title), len(texts)), point])


def _title(title: Markdown, number: int) -> Markdown:
    return Markdown("\n\n**{title}** ({number})\n").fill(title=title, number=number)


def _changes(changes: Sequence[Mapping[str, Any]], longest: int) -> Iterator[Markdown]:
    """Each change with its fields, the most telling first."""
    for number, change in enumerate(sorted(changes, key=lambda one: _TELLING.index(one["action"]))):
        told = _change(change, longest)
        yield told if number else Markdown.of([_title(Markdown("Changes"), len(changes)), told])


def _change(change: Mapping[str, Any], longest: int) -> Markdown:
    """A change, with as many of its fields as one may take."""
    items = [
        Markdown("\n- {field}: {before} → {after}").fill(field=field, before=before, after=after)
        for field, before, after in fields(change, _LONGEST_VALUE)
    ]
    shown = _fitting(items, longest)
    rest = Markdown("\n- and {number} more fields") if len(shown) < len(items) else Markdown()
    return Markdown("\n\n**{sign}** {name}\n{items}{rest}").fill(
        sign=Markdown(SIGNS[change["action"]]),
        name=f"{change['section']} {key_of(change)}",
        items=Markdown.of(shown),
        rest=rest.fill(number=len(items) - len(shown)),
    )
