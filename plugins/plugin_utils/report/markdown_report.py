# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a plan or an apply as a comment on a pull request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from .changes import ACTION_ORDER, SIGNS, Change, Group, Value, key_and_name, mark, remark, values_of
from .markdown import Markdown, cell, link
from .result import ACTIONS, RunResult
from .view import Block, View, view_of
from .words import DRIFT_WORDS, MOST, short

_COMMENT_LIMIT = 60_000
"""Maximum characters of a comment on a pull request at the large code hosts, with some room for a heading."""

_LESS = (5, 1, 0)
"""Numbers of changes of a group to try if the usual number makes a comment too long."""

_LONGEST_NAME = 300
_LONGEST_KEY = 80
_WORDS = ("created", "updated", "deleted", "archived", "unchanged", "errors", "skipped")

_OPEN_AT_ONCE = 10
"""Maximum number of changes that are visible without a click."""

_MOST_MARKS = 5
"""Maximum number of different reasons for a group."""


def as_markdown(result: RunResult, limit: int = _COMMENT_LIMIT, url: str = "") -> Markdown:
    """Return the report for a pull-request comment within its maximum length.

    The beginning has cautions, refusals and failures, the meaning of the changes, and the counts. Many changes, the
    most important first, and the other warnings open with a click.

    :param limit: characters; ten thousand at least.
    :param url: of the full report; empty if unknown.
    """
    text = _comment(view_of(result), url)
    for most in _LESS:
        if len(text) > limit:
            text = _comment(view_of(result, most), url)
    return text


def _comment(view: View, url: str) -> Markdown:
    head = Markdown("### {outcome}: {instance}\n\n{sent}\n").fill(
        outcome=Markdown(view.outcome), instance=short(view.result.title, _LONGEST_NAME), sent=Markdown(view.sent)
    )
    undo = Markdown("\n**{undo}**\n").fill(undo=view.undo) if view.undo else Markdown()
    title = Markdown("{number} changes").fill(number=Markdown(f"{len(view.result.changes):,}"))
    parts = [
        *map(_block, view.wrong),
        *map(_block, view.meaning),
        _counts(view),
        *(
            Markdown("\n\n{title}: {text}").fill(title=Markdown(title), text=Markdown(text))
            for title, text in view.facts
        ),
        *(_folded(Markdown(block.title), _fields(block)) for block in view.fields),
        _folded(title, _changes(view), is_open=len(view.result.changes) <= _OPEN_AT_ONCE),
        _folded(Markdown("Warnings and records that were not changed"), map(_block, view.notes)),
    ]
    whole = link("the whole report", url) if url else Markdown("A report as .json has everything")
    last = Markdown("\n\nSee {whole}." if url else "\n\n{whole}.").fill(whole=whole)
    return Markdown.joined([head, undo, *parts, last if url or view.is_cut else Markdown(), Markdown("\n")])


def _folded(title: Markdown, parts: Iterable[Markdown], is_open: bool = False) -> Markdown:
    """Return parts that open with a click, or nothing if there are none.

    :param is_open: the parts are open from the start, and close with a click.
    """
    inside = Markdown.joined(parts)
    if not inside:
        return Markdown()
    form = Markdown("\n\n<details{open}><summary>{title}</summary>\n{inside}\n\n</details>")
    return form.fill(open=Markdown(" open" if is_open else ""), title=title, inside=inside)


def _block(block: Block) -> Markdown:
    """Return a list of texts with its number, or a table."""
    if block.heads:
        title = Markdown("\n\n**{title}**").fill(title=Markdown(block.title))
        rows = ([cell(text) for text in row] for row in block.rows)
        return Markdown.joined([title, _table(block.heads, block.numbers, rows), _more(block.more)])
    title = Markdown("\n\n**{title}** ({number})\n").fill(title=Markdown(block.title), number=block.number)
    points = (Markdown("\n- {text}").fill(text=text) for (text,) in block.rows)
    return Markdown.joined([title, *points, _more(block.more)])


def _fields(block: Block) -> Iterator[Markdown]:
    rows = ([cell(section), cell(name), Markdown(number)] for section, name, number in block.rows)
    yield _table(block.heads, block.numbers, rows)
    yield _more(block.more)


def _more(number: int, of: str = "") -> Markdown:
    if not number:
        return Markdown()
    words = Markdown("\n\nand {number} more of {of}" if of else "\n\nand {number} more")
    return words.fill(number=Markdown(f"{number:,}"), of=of)


def _table(heads: Iterable[str], numbers: Iterable[int], rows: Iterable[Iterable[Markdown]]) -> Markdown:
    heads = list(heads)
    lines = (Markdown("---:|" if number in numbers else "---|") for number in range(len(heads)))
    head = Markdown("\n\n| {heads} |\n|{lines}").fill(heads=Markdown(" | ".join(heads)), lines=Markdown.joined(lines))
    shown = (Markdown("\n| {cells} |").fill(cells=Markdown.joined(row, " | ")) for row in rows)
    return Markdown.joined([head, *shown])


def _counts(view: View) -> Markdown:
    if not view.counts:
        return Markdown()
    words = [DRIFT_WORDS.get(name, name) if view.result.is_drift else name for name in _WORDS]
    rows = (
        [cell(section), *(Markdown(numbers.get(word) or "") for word in words)]
        for section, numbers in view.counts.items()
    )
    return _table(["Section", *words], range(1, len(words) + 1), rows)


# ---- changes


def _changes(view: View) -> Iterator[Markdown]:
    """Yield the counts of many changes by action, and the groups."""
    changes, is_drift = view.result.changes, view.result.is_drift
    if len(changes) > MOST:
        counts = Counter(change["action"] for change in changes)
        words = {action: DRIFT_WORDS[ACTIONS[action]] if is_drift else ACTIONS[action] for action in ACTION_ORDER}
        shown = (f"{counts[action]:,} {words[action]}" for action in ACTION_ORDER if counts[action])
        yield Markdown("\n\n{text}").fill(text=Markdown(", ".join(shown)))
    for group in view.groups:
        yield from [_equal(group)] if group.is_same else _single(group, view)


def _equal(group: Group) -> Markdown:
    """Return equal changes: the title, the names of the first records, and the reasons of failed changes."""
    names = (Markdown("{key}").fill(key=short(key_and_name(change), _LONGEST_KEY)) for change in group.first)
    marks = Counter(filter(None, map(mark, group.changes)))
    lines = [
        Markdown("\n- {number} {mark}").fill(number=number, mark=short(text, _LONGEST_NAME))
        for text, number in marks.most_common(_MOST_MARKS)
    ]
    more = Markdown(f" and {group.more:,} more" if group.more else "")
    return Markdown("\n\n**{sign}** {title}\n- {names}{more}{marks}").fill(
        sign=Markdown(SIGNS[group.action]),
        title=group.title,
        names=Markdown.joined(names, ", "),
        more=more,
        marks=Markdown.joined(lines),
    )


def _single(group: Group, view: View) -> Iterator[Markdown]:
    """Yield the title of several changes, the first changes with their fields, and the number of the others."""
    if len(group.changes) > 1:
        yield Markdown("\n\n{title}:").fill(title=group.title)
    for change in group.first:
        yield _change(change, view)
    yield _more(group.more, group.title)


def _change(change: Change, view: View) -> Markdown:
    """Return a change with its fields."""
    text = remark(change, view.result.is_drift)
    values = values_of(change, view.result.is_drift, view.most)
    return Markdown("\n\n**{sign}** {name}{remark}\n{values}").fill(
        sign=Markdown(SIGNS[change["action"]]),
        name=f"{change['section']} {key_and_name(change)}",
        remark=Markdown(" {text}").fill(text=short(text, _LONGEST_NAME)) if text else Markdown(),
        values=Markdown.joined(_value(value, view.result.is_drift) for value in values),
    )


def _value(value: Value, is_drift: bool) -> Markdown:
    if value.before is None and value.after is None:
        return Markdown("\n- {name}").fill(name=Markdown(value.name))
    if value.before is None or value.after is None or is_drift:
        return Markdown("\n- {name}: {text}").fill(name=value.name, text=value.words(is_drift))
    return Markdown("\n- {name}: {before} → {after}").fill(**value._asdict())
