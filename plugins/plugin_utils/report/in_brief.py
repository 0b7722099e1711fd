# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The meaning of the changes, as small tables at the beginning of every report. Each text is cleaned for printing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from ...module_utils.model.field import in_digits
from ...module_utils.plan.change import ARCHIVE, DELETE
from .parts import counted, key_and_name, one_line, short, undo_words, words_of
from .removals import removal_texts
from .result import RunResult

_MOST = 6
"""Rows of a table; the others are counted."""

_MOST_LEFT = 20
"""Rows of the table of what an undo does not restore."""

_CENTS = 2
_RECIPIENTS = 3
_LONGEST = 80
_LONGEST_REMOVAL = 240

_NO_PLACE = "no place"
_DRIFT_HEADS = ("Files say", "Instance has")
_BOTH = "files say {0} / instance has {1}"


@dataclass(frozen=True)
class Table:
    """One table about the meaning of the changes.

    :ivar heads: title of each column.
    :ivar rows: cells in the order of the columns.
    :ivar form: a row as a line of text.
    :ivar numbers: the columns with numbers.
    :ivar more: the number of rows that are left out.
    :ivar unbroken: the columns whose words stay whole on a narrow page.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    form: str
    numbers: frozenset[int] = frozenset()
    more: int = 0
    unbroken: frozenset[int] = frozenset()

    @property
    def is_long(self) -> bool:
        """Return True if a cell needs a line of its own."""
        return any(len(text) > _LONGEST for row in self.rows for text in row)

    @property
    def lines(self) -> list[str]:
        """The rows as lines of text."""
        lines = [self.form.format(*row) for row in self.rows]
        return [*lines, f"and {self.more:,} more"] if self.more else lines


def is_warned_of(result: RunResult) -> bool:
    """Return True if a change removes something, sends e-mail or can't be undone."""
    return bool(result.mails or result.undo or (not result.is_drift and _removed(result.changes)))


def tables(result: RunResult) -> list[Table]:
    """Return the tables that have rows, the most important first."""
    found = [_moves(result.moves, result.is_drift), _money(result.money, result.is_drift)]
    if not result.is_drift:
        found = [_removals(result.changes), *found, _persons(result.persons), _mails(result.mails)]
        found = [_undone(result.undone), *found, _not_restored(result.not_restored)]
    return [table for table in found if table.rows]


def notes(result: RunResult) -> list[str]:
    """Return what the changes mean besides single removals, in sentences of their own."""
    rows = [f"{table.title}: {line}" for table in tables(replace(result, changes=[])) for line in table.lines]
    return [undo_words(result), *rows] if result.undo else rows


def _removed(changes: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [change for change in changes if change["action"] in (DELETE, ARCHIVE)]


def first_removals(changes: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the removals, those that delete attachments first."""
    return sorted(_removed(changes), key=lambda change: (-_attachments(change), change["action"] != DELETE))


def _removals(changes: Iterable[Mapping[str, Any]]) -> Table:
    removed = _removed(changes)
    files = sum(_attachments(change) for change in removed)
    shown = first_removals(removed)[:_MOST]
    rows = [
        (
            f"{words_of(change['section'])} {key_and_name(change)}",
            change["action"],
            short("; ".join(f"{name} {_printed(text)}" for name, text in _removal_texts(change)), _LONGEST_REMOVAL),
        )
        for change in shown
    ]
    attached = f", {files:,} attachment{'s' if files > 1 else ''}" if files else ""
    number = f"{len(removed):,} record{'s' if len(removed) > 1 else ''}"
    heads = ("Record", "Action", "Details")
    title, form, more = f"Removed ({number}{attached})", "{1} {0}: {2}", len(removed) - len(rows)
    return Table(title, heads, rows, form, more=more, unbroken=frozenset({1}))


def _removal_texts(change: Mapping[str, Any]) -> list[tuple[str, str]]:
    return removal_texts(change.get("removed", {}))


def _attachments(change: Mapping[str, Any]) -> int:
    number = change.get("removed", {}).get("attachments", 0)
    return number if isinstance(number, int) else 0


def _moves(moves: Sequence[Mapping[str, Any]], is_drift: bool) -> Table:
    sides = ("to", "from") if is_drift else ("from", "to")
    number = sum(move["count"] for move in moves)
    if len(moves) > _MOST:
        moves = _by_destination(moves)
    rows = [
        (
            *(_NO_PLACE if move[side] is None else _printed(move[side]) for side in sides),
            counted(move["count"], move["section"]),
            _printed(move["field"]),
        )
        for move in moves[:_MOST]
    ]
    title = "Other places" if is_drift else "Moves"
    heads = _DRIFT_HEADS if is_drift else ("From", "To")
    form = f"{_BOTH if is_drift else '{0} -> {1}'}: {{2}} ({{3}})"
    return Table(f"{title} ({number:,})", (*heads, "Records", "Field"), rows, form, more=len(moves) - len(rows))


def _by_destination(moves: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return one row for each destination, the largest first, with the number of places that records come from."""
    by_destination: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for move in moves:
        by_destination.setdefault((move["section"], move["field"], move["to"]), []).append(move)
    rows = [
        {**mine[0], "count": sum(move["count"] for move in mine)}
        | ({"from": f"{len(mine):,} places"} if len(mine) > 1 else {})
        for mine in by_destination.values()
    ]
    return sorted(rows, key=lambda row: -row["count"])


def _money(totals: Sequence[Mapping[str, Any]], is_drift: bool) -> Table:
    sides = ("after", "before") if is_drift else ("before", "after")
    rows = [
        (
            f"{words_of(total['section'])} {_printed(total['field'])}",
            *_sums(total, sides),
            counted(total["count"], total["section"]),
        )
        for total in totals[:_MOST]
    ]
    heads = _DRIFT_HEADS if is_drift else ("Before", "After")
    form = "{0}: files say {1} / instance has {2} ({3})" if is_drift else "{0}: {1} -> {2} ({3})"
    numbers = frozenset({1, 2})
    return Table("Money", ("Total of", *heads, "Records"), rows, form, numbers, len(totals) - len(rows))


def _sums(total: Mapping[str, Any], sides: tuple[str, str]) -> tuple[str, str]:
    """Return both sums. If the changes cancel each other out, say so in place of the second one."""
    first, second = (in_digits(Decimal(repr(total[side])), _CENTS, ",") for side in sides)
    return first, f"the same in total, {total['count']:,} values differ" if first == second else second


def _persons(persons: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        (_printed(person["person"]), f"{person['gains']:,}", f"{person['loses']:,}", words_of(person["section"]))
        for person in persons[:_MOST]
    ]
    heads, form = ("Person", "Gains", "Loses", "Section"), "{0}: gains {1}, loses {2} ({3})"
    title = "Persons who gain or lose records"
    return Table(title, heads, rows, form, frozenset({1, 2}), len(persons) - len(rows))


def _mails(mails: Sequence[Mapping[str, Any]]) -> Table:
    rows = []
    for mail in mails:
        named = ", ".join(map(_printed, mail["to"][:_RECIPIENTS]))
        rest = len(mail["to"]) - _RECIPIENTS
        more = f" and {rest:,} more" if rest > 0 else ""
        rows.append((counted(mail["count"], mail["section"]), f"{named}{more}" or "unknown"))
    return Table("Sends e-mail", ("Because of", "To"), rows, "{0}: to {1}")


def _undone(apply: Mapping[str, Any]) -> Table:
    # Nothing of a finished undo is undone, so it has no changes here.
    names = ("time", "set", "user", "changes")
    rows = [tuple(_printed(apply[name] or "unknown") for name in names)] if apply.get("changes") else []
    return Table("Undoes an apply", ("Time", "Set", "User", "Changes"), rows, "{0}, set {1}, user {2}, changes: {3}")


def _not_restored(left: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        (f"{words_of(row['section'])} {_printed(row['key'])}", _printed(row["field"] or "whole record"), row["reason"])
        for row in left[:_MOST_LEFT]
    ]
    heads = ("Record", "Field", "Reason")
    return Table(f"Not restored ({len(left):,})", heads, rows, "{0}, {1}: {2}", more=len(left) - len(rows))


def _printed(text: str) -> str:
    return short(one_line(str(text)), _LONGEST)
