# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a plan or an apply as a comment on a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...module_utils.plan.change import UPDATE
from .groups import ACTION_ORDER, Group, fields_by_number, groups, is_worth_a_table
from .in_brief import Table, tables
from .markdown import Markdown, cell, link
from .parts import (
    ALONE,
    DRIFT_WORDS,
    FIRST,
    SIGNS,
    alone,
    cautions,
    fields,
    forecast,
    hidden_records,
    key_and_name,
    mark,
    outcome,
    reasons,
    remark,
    scan_codes,
    sent,
    short,
    shown_fields,
    undo_words,
    warnings,
)
from .result import ACTIONS, RunResult, in_figures

_COMMENT_LIMIT = 60_000
"""Maximum characters of a comment on a pull request at the large code hosts, with some room for a heading."""

_LONGEST_VALUE = 500
_LONGEST_NAME = 300
_EXAMPLES = 3
_WORDS = ("created", "updated", "deleted", "archived", "unchanged", "errors", "skipped")

_OPEN_AT_ONCE = 10
"""Maximum number of changes that are visible without a click."""

_NAMED = 20
"""Maximum number of named records in a group whose title says everything; the others are counted."""

_OF_A_GROUP = (100, 20, 5)
"""Numbers of records per group to try if not all fit. The first with which all groups fit is used."""

_MOST_FIELDS = 15
"""Maximum number of fields in the table of fields."""

_ONE = 8
"""Divisor of the remaining space: one reason, warning or change may take such a part of it."""

_REST = 600
"""Characters for the line about what did not fit, and for the markup that folds the parts."""


def as_markdown(result: RunResult, limit: int = _COMMENT_LIMIT, url: str = "") -> Markdown:
    """Return the report for a pull-request comment within its maximum length.

    The beginning has cautions, refusals and failures, the meaning of the changes, and the counts. Many changes, the
    most important first, and the other warnings open with a click. If not everything fits, the reasons leave half of
    the space to the changes.

    :param limit: characters; ten thousand at least.
    :param url: of the full report; empty if unknown.
    """
    result = in_figures(result)
    whole = link("the whole report", url) if url else Markdown("the report as .json or .html")
    head = Markdown("### {outcome}: {instance}\n\n{sent}\n").fill(
        outcome=Markdown(outcome(result)),
        instance=short(result.title, _LONGEST_NAME),
        sent=Markdown(sent(result)),
    )
    if result.undo:
        head = Markdown.joined([head, Markdown("\n**{undo}**\n").fill(undo=undo_words(result))])
    brief = Markdown.joined([*map(_brief, tables(result)), _table(result), *_remarks(result)])
    by_field = _fields(result.changes)
    last = list(_points({ALONE: alone(result, _EXAMPLES)}, limit))
    room = limit - len(head) - len(brief) - len(by_field) - _length(last) - len(whole) - _REST
    wrong = list(_points({FIRST: cautions(result), **reasons(result)}, room // _ONE))
    warned = list(_points({"Warnings": warnings(result)}, room // _ONE))
    part = _changes_that_fit(result, room)
    changes = [text for _number, text in part]
    shown_wrong = _fitting(wrong, room - min(_length(changes), room // 2))
    room -= _length(shown_wrong)
    shown_changes = _fitting(changes, room - min(_length(warned), room // _ONE))
    shown_warned = _fitting(warned, room - _length(shown_changes))
    records_shown = sum(number for number, _text in part[: len(shown_changes)])
    hidden = len(wrong) - len(shown_wrong) + len(result.changes) - records_shown + len(warned) - len(shown_warned)
    more = (
        Markdown("\n\nand {hidden} more; {whole} has all.") if hidden else Markdown("\n\nSee {whole}." if url else "")
    )
    rest = more.fill(hidden=hidden, whole=whole)
    title = Markdown("{number} changes").fill(number=Markdown(f"{len(result.changes):,}"))
    in_full = _folded(title, shown_changes, is_open=len(result.changes) <= _OPEN_AT_ONCE)
    remarks = _folded(Markdown("Warnings and records that were not changed"), [*shown_warned, *last])
    fields_table = _folded(Markdown("Fields by number of changes"), [by_field])
    return Markdown.joined([head, *shown_wrong, brief, fields_table, in_full, remarks, rest, Markdown("\n")])


def _folded(title: Markdown, parts: Iterable[Markdown], is_open: bool = False) -> Markdown:
    """Return parts that open with a click, or nothing if there are none.

    :param is_open: the parts are open from the start, and close with a click.
    """
    inside = Markdown.joined(parts)
    if not inside:
        return Markdown()
    form = Markdown("\n\n<details{open}><summary>{title}</summary>\n{inside}\n\n</details>")
    return form.fill(open=Markdown(" open" if is_open else ""), title=title, inside=inside)


def _brief(table: Table) -> Markdown:
    """Return one table about the meaning of the changes."""
    lines = (Markdown("---:|" if number in table.numbers else "---|") for number in range(len(table.heads)))
    head = Markdown("\n\n**{title}**\n\n| {heads} |\n|{lines}").fill(
        title=Markdown(table.title), heads=Markdown(" | ".join(table.heads)), lines=Markdown.joined(lines)
    )
    rows = (
        Markdown("\n| {cells} |").fill(cells=Markdown.joined((cell(text) for text in row), " | ")) for row in table.rows
    )
    more = Markdown("\n\nand {more} more").fill(more=table.more) if table.more else Markdown()
    return Markdown.joined([head, *rows, more])


def _remarks(result: RunResult) -> Iterator[Markdown]:
    """Yield the lines below the counts."""
    if forecast(result):
        yield Markdown("\n\nForecast: {text}").fill(text=Markdown(forecast(result)))
    if scan_codes(result):
        yield Markdown("\n\n{codes}").fill(codes=scan_codes(result))
    if hidden_records(result):
        yield Markdown("\n\nHidden records: {known}").fill(known=Markdown(hidden_records(result)))
    if result.plan_digest:
        yield Markdown("\n\nPlan file: {digest}").fill(digest=f"sha256:{result.plan_digest}")


def _fitting(texts: Iterable[Markdown], room: int) -> list[Markdown]:
    """Return the first texts that fit."""
    fitting = []
    for text in texts:
        room -= len(text)
        if room < 0:
            break
        fitting.append(text)
    return fitting


def _length(texts: Sequence[str]) -> int:
    return sum(map(len, texts))


def _table(result: RunResult) -> Markdown:
    if not result.summary:
        return Markdown()
    words = [DRIFT_WORDS.get(name, name) if result.is_drift else name for name in _WORDS]
    head = Markdown("\n\n| Section | {words} |\n|---|{lines}").fill(
        words=Markdown(" | ".join(words)), lines=Markdown("---:|" * len(_WORDS))
    )
    rows = (
        Markdown("\n| {section} | {numbers} |").fill(
            section=cell(section), numbers=Markdown.joined((_number(numbers.get(name, 0)) for name in _WORDS), " | ")
        )
        for section, numbers in result.summary.items()
    )
    return Markdown.joined([head, *rows])


def _number(number: int) -> Markdown:
    return Markdown("{number}").fill(number=number) if number else Markdown()


def _points(points: Mapping[str, Sequence[str]], longest: int) -> Iterator[Markdown]:
    """Yield each text as an item of a list, with a title before each list."""
    for title, texts in points.items():
        for number, text in enumerate(texts):
            point = Markdown("\n- {text}").fill(text=short(text, longest))
            yield point if number else Markdown.joined([_title(Markdown(title), len(texts)), point])


def _title(title: Markdown, number: int) -> Markdown:
    return Markdown("\n\n**{title}** ({number})\n").fill(title=title, number=number)


def _changes_that_fit(result: RunResult, room: int) -> list[tuple[int, Markdown]]:
    """Return the parts about changes that fit: all, or the first of each group."""
    mine = groups(result.changes, result.is_drift)
    for most in (len(result.changes), *(_OF_A_GROUP if len(mine) > 1 else ())):
        parts = []
        left = room
        for number, text in _changes(result, mine, room // _ONE, most):
            left -= len(text)
            if left < 0:
                break
            parts.append((number, text))
        else:
            break
    return parts


def _changes(result: RunResult, mine: Iterable[Group], longest: int, most: int) -> Iterator[tuple[int, Markdown]]:
    """Yield the parts about changes, each with its number of changes.

    A part is a group whose title says everything, or a change with its fields.

    :param most: maximum number of changes shown in a group.
    """
    title: list[Markdown] = [_overview(result)]
    for group in mine:
        for number, text in _parts(group, longest, most, result.is_drift):
            yield number, Markdown.joined([*title, text])
            title = []


def _overview(result: RunResult) -> Markdown:
    """Return the counts of many changes by action, for the beginning."""
    if len(result.changes) <= _NAMED:
        return Markdown()
    counts = Counter(change["action"] for change in result.changes)
    words = DRIFT_WORDS if result.is_drift else {}
    lines = [
        Markdown("{number} {action}").fill(
            number=Markdown(f"{counts[action]:,}"), action=Markdown(words.get(ACTIONS[action], ACTIONS[action]))
        )
        for action in ACTION_ORDER
        if counts[action]
    ]
    return Markdown("\n\n{text}").fill(text=Markdown.joined(lines, ", "))


def _parts(group: Group, longest: int, most: int, is_drift: bool) -> Iterator[tuple[int, Markdown]]:
    """Yield the parts about a group. The last part counts the changes without room."""
    if group.is_same:
        yield len(group.changes), _group(group)
        return
    title = Markdown("\n\n{title}:").fill(title=group.title) if len(group.changes) > 1 else Markdown()
    for change in group.changes[:most]:
        yield 1, Markdown.joined([title, _change(change, longest, is_drift)])
        title = Markdown()
    rest = len(group.changes) - most
    if rest > 0:
        yield 0, Markdown("\n\nand {rest} more of {title}").fill(rest=rest, title=group.title)


def _group(group: Group) -> Markdown:
    """Return a group: its title, the names of the first records, and the reasons of failed changes."""
    first = (Markdown("{key}").fill(key=short(key_and_name(change), _LONGEST_KEY)) for change in group.changes[:_NAMED])
    rest = len(group.changes) - _NAMED
    more = Markdown(" and {rest} more").fill(rest=rest) if rest > 0 else Markdown()
    marks = Counter(filter(None, map(mark, group.changes)))
    lines = [
        Markdown("\n- {number} {mark}").fill(number=number, mark=short(text, _LONGEST_VALUE))
        for text, number in marks.most_common(_MOST_MARKS)
    ]
    return Markdown("\n\n**{sign}** {title}\n- {names}{more}{marks}").fill(
        sign=Markdown(SIGNS[group.action]),
        title=group.title,
        names=Markdown.joined(first, ", "),
        more=more,
        marks=Markdown.joined(lines),
    )


_LONGEST_KEY = 80
"""Maximum characters of a name in the list of a group."""

_MOST_MARKS = 5
"""Maximum number of different reasons for a group."""


def _fields(changes: Sequence[Mapping[str, Any]]) -> Markdown:
    """Return the fields by number of changes."""
    if not is_worth_a_table(changes):
        return Markdown()
    numbers = fields_by_number(changes)
    rows = [
        Markdown("\n| {section} | {name} | {number} |").fill(
            section=cell(section), name=cell(short(name, _LONGEST_NAME)), number=number
        )
        for section, name, number in numbers[:_MOST_FIELDS]
    ]
    rest = len(numbers) - _MOST_FIELDS
    more = Markdown("\n\nand {rest} more fields").fill(rest=rest) if rest > 0 else Markdown()
    return Markdown.joined([Markdown("\n\n| Section | Field | Changes |\n|---|---|---:|"), *rows, more])


def _items(change: Mapping[str, Any], is_drift: bool) -> Iterator[Markdown]:
    """Yield both values of each field that is updated, and one value of a creation or a removal."""
    if change["action"] == UPDATE and not is_drift:
        for field, before, after in fields(change, _LONGEST_VALUE):
            yield Markdown("\n- {field}: {before} → {after}").fill(field=field, before=before, after=after)
        return
    for field, text in shown_fields(change, _LONGEST_VALUE, is_drift):
        yield Markdown("\n- {field}: {text}").fill(field=field, text=text)


def _change(change: Mapping[str, Any], longest: int, is_drift: bool) -> Markdown:
    """Return a change with as many of its fields as fit."""
    items = [*_items(change, is_drift)]
    shown = _fitting(items, longest)
    rest = Markdown("\n- and {number} more fields") if len(shown) < len(items) else Markdown()
    text = remark(change, is_drift)
    became = Markdown(" {mark}").fill(mark=short(text, longest)) if text else Markdown()
    return Markdown("\n\n**{sign}** {name}{became}\n{items}{rest}").fill(
        became=became,
        sign=Markdown(SIGNS[change["action"]]),
        name=f"{change['section']} {key_and_name(change)}",
        items=Markdown.joined(shown),
        rest=rest.fill(number=len(items) - len(shown)),
    )
