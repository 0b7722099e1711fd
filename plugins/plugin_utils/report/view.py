# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The view of a result that every format for people renders: blocks of rows, and groups of changes.

A new fact is one function that returns a block, and its name in one of the lists of :func:`view_of`.
Each text is cleaned for printing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from ...module_utils.model.field import first_of, in_digits
from ...module_utils.model.kinds import KINDS
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ...module_utils.printing.cleaner import amount, clean
from ...module_utils.resolve.hidden_records import UNKNOWN, YES
from ..desired.desired import SECTIONS
from ..desired.row_rules import SKIPPING
from ..set_plan.plan import ARCHIVED, LEFT, RESTORED
from .changes import Change, Group, groups, key_and_name
from .removals import removal_texts
from .result import COUNTS, RunResult, for_people
from .words import MOST, both_sides, count_words, counted, short, words_of

#: Number of changes up to which every report shows all of them.
FEW = 40

#: Number of rows of a table about what the changes mean: all tables fit on the first screen.
_TOP = 6

_EXAMPLES = 3
_CENTS = 2
_LONGEST = 80
_LONGEST_REMOVAL = 240
_LONGEST_TEXT = 1000

_NO_PLACE = "no place"
_DRIFT_HEADS = ("Files say", "Instance has")


@dataclass(frozen=True)
class Block:
    """A part of a report: a table, or a list of texts, which has no heads.

    :ivar rows: the first rows, each with its cells in the order of the columns.
    :ivar heads: title of each column.
    :ivar form: a row as a line of text.
    :ivar numbers: the columns with numbers.
    :ivar unbroken: the columns that stay on one line on a narrow page.
    :ivar more: number of rows that are left out.
    :ivar total: number that the title has, if that is not the number of rows.
    :ivar is_ours: False if the title has a name from somebody else.
    """

    title: str
    rows: Sequence[Sequence[str]]
    heads: Sequence[str] = ()
    form: str = "{0}"
    numbers: frozenset[int] = frozenset()
    unbroken: frozenset[int] = frozenset()
    more: int = 0
    total: int = 0
    is_ours: bool = True

    @property
    def number(self) -> int:
        """Return the number in the title, which is usually the number of rows."""
        return self.total or len(self.rows) + self.more

    @property
    def lines(self) -> list[str]:
        """Return the rows as lines of text."""
        lines = [self.form.format(*row) for row in self.rows]
        return [*lines, f"and {self.more:,} more"] if self.more else lines

    def cut(self, most: int) -> Block:
        """Return the block with its first rows only."""
        return replace(self, rows=self.rows[:most], more=self.more + len(self.rows[most:]))


def _texts(title: str, texts: Iterable[str]) -> Block:
    return Block(title, [(short(clean(text), _LONGEST_TEXT),) for text in texts])


@dataclass(frozen=True)
class View:
    """A report in words. Blocks without rows are left out.

    :ivar result: with amounts as people read them.
    :ivar undo: what can't be undone, as a sentence; empty if everything can be.
    :ivar cautions: what is odd, if anything is.
    :ivar reasons: why the run was refused or failed.
    :ivar meaning: what the changes mean, the most important first.
    :ivar counts: the number of records of each section by what becomes of them.
    :ivar facts: title and text of further facts about the whole run.
    :ivar groups: the changes in groups.
    :ivar notes: warnings, and records that were not changed.
    """

    result: RunResult
    outcome: str
    undo: str
    cautions: list[Block]
    reasons: list[Block]
    meaning: list[Block]
    counts: Block
    facts: list[tuple[str, str]]
    groups: list[Group]
    notes: list[Block]

    @property
    def wrong(self) -> list[Block]:
        """What a reader must see first."""
        return [*self.cautions, *self.reasons]


def view_of(result: RunResult, most: int = MOST) -> View:
    """Return the view of a result.

    :param most: maximum number of changes of a group and of rows of a block; few changes are all shown.
    """
    result = for_people(result)
    shown = max(most, FEW) if most == MOST and len(result.changes) <= FEW else most

    def some(blocks: Iterable[Block], rows: int = most) -> list[Block]:
        return [block.cut(rows) for block in blocks if block.rows]

    failed = _texts("Failed", map(_failure, result.failures))
    warnings = _texts("Warnings", (text for text in result.warnings if text not in result.cautions))
    return View(
        result=result,
        outcome="would change" if result.check_mode and result.outcome == "changed" else result.outcome,
        undo=f"{'can be undone ' if result.undo.startswith('only in part') else ''}{clean(result.undo)}",
        cautions=some([_texts("Look at this first", result.cautions)]),
        reasons=some([_texts("Refused", result.refusals), _texts("Findings", result.findings), failed]),
        meaning=some(_meaning(result), min(most, _TOP)),
        counts=_counts(result),
        facts=[(title, text) for title, text in _facts(result) if text],
        groups=groups(result.changes, result.is_drift, shown),
        notes=some([warnings, *_tables(result), _alone(result)]),
    )


def _failure(failure: Mapping[str, str]) -> str:
    place = f" ({failure['place']})" if failure.get("place") else ""
    return f"{failure['change']}{place}: {failure['reason']}"


# ---- counts and facts


def _counts(result: RunResult) -> Block:
    """Return the number of records of each section by what becomes of them."""
    counts = result.summary.values()
    words = [word for word in COUNTS if any(numbers.get(word) for numbers in counts)]
    rows = [
        (clean(section), *(f"{numbers.get(word, 0):,}" for word in words))
        for section, numbers in result.summary.items()
    ]
    heads = ("Section", *(count_words(word, result.is_drift) for word in words))
    return Block("", rows, heads, numbers=frozenset(range(1, len(heads))))


def _facts(result: RunResult) -> list[tuple[str, str]]:
    never = sum(result.never_in_a_table.values())
    left = sum(len(reasons.get(LEFT, ())) for reasons in result.tables.values())
    return [
        ("scan codes", _scan_codes(result)),
        ("Left a table", f"{left:,}" if left else ""),
        ("In no file and never in a table", f"{never:,}" if never else ""),
        ("Hidden records", _HIDDEN.get(result.hidden_records, "") if any(map(_rests_on_lists, result.changes)) else ""),
        ("Forecast", _forecast(result)),
        ("Plan file", _sha256(result.plan_digest)),
        ("Apply record", _sha256(result.apply_record_digest)),
    ]


def _sha256(digest: str) -> str:
    return f"sha256:{clean(digest)}" if digest else ""


def _scan_codes(result: RunResult) -> str:
    """Say how many labels are attached; empty if nothing is known about labels."""
    if not result.scan_codes:
        return ""
    attached, total, differ = (result.scan_codes[name] for name in ("attached", "total", "differ"))
    return f"{attached:,} of {total:,} attached, {differ:,} differ from the files"


_HIDDEN = {
    YES: "yes, this account does not see all records",
    UNKNOWN: "unknown, nothing shows that this account sees all records",
}


def _rests_on_lists(change: Change) -> bool:
    """Return True if a change may be wrong because a list is not complete."""
    action, section = change["action"], change["section"]
    can_be_hidden = section not in SECTIONS or KINDS[SECTIONS[section]].can_be_hidden
    return action != UPDATE and (action != CREATE or can_be_hidden)


def _forecast(result: RunResult) -> str:
    """Return the forecast of an apply in words; empty if nothing is to be applied."""
    requests, minutes = result.forecast.get("requests"), result.forecast.get("minutes")
    if not result.check_mode or result.is_drift or not requests:
        return ""
    words = f"at least {amount(requests, 'request')}"
    return words if minutes is None else f"{words}, {'1 minute' if minutes == 1 else f'{minutes:,.1f} minutes'}"


# ---- notes


def _alone(result: RunResult) -> Block:
    """Count the records of each section that are in no file and were left alone."""
    lines = (
        f"{counted(len(names), section)}: {first_of([_printed(name) for name in names], _EXAMPLES)}"
        for section, names in result.reported.items()
    )
    return replace(_texts("Not in the files, left alone", lines), total=sum(map(len, result.reported.values())))


# ---- rows of tables


def _tables(result: RunResult) -> list[Block]:
    """Return what becomes of rows of tables, and of records that left a table."""
    restored = "Archived in the instance" if result.is_drift else "Back from the archive"
    titles = {RESTORED: restored, ARCHIVED: "Archived, left alone"}
    found: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for reason in (LEFT, RESTORED, ARCHIVED, *SKIPPING):
        for table, reasons in result.tables.items():
            left = f"Left the table {_short_name(table)}" if reason == LEFT else "Skipped rows"
            found.setdefault(titles.get(reason, left), []).extend((reason, row) for row in reasons.get(reason, ()))
    return [_of_table(title, rows) for title, rows in found.items()]


def _of_table(title: str, found: Sequence[tuple[str, Mapping[str, Any]]]) -> Block:
    is_skipped = any(reason in SKIPPING for reason, _row in found)
    rows = [
        (
            _printed(row["scan_code"] or row["key"] or "no key"),
            _printed(row["name"]),
            _amount(row["value"]),
            _printed(row["place"]),
            *([_why(reason, row)] if is_skipped else []),
        )
        for reason, row in found
    ]
    heads = ("Scan code", "Name", "Value", "Row", *(["Reason"] if is_skipped else []))
    form = f"{{0}} {{1}}, {{2}} ({{3}}){': {4}' if is_skipped else ''}"
    is_ours = not title.startswith("Left")
    return Block(f"{title} ({len(rows):,})", rows, heads, form, frozenset({2}), frozenset({0}), is_ours=is_ours)


def _why(reason: str, row: Mapping[str, Any]) -> str:
    return short(clean(f"{reason}: {row['why']}" if row["why"] else reason), _LONGEST_REMOVAL)


def _short_name(table: str) -> str:
    """Return the name of a table in the directory of its section."""
    section, _slash, name = table.partition("/")
    return _printed(name if section in SECTIONS and name else table)


def _amount(value: Any) -> str:
    """Return the value of a record with its cents."""
    if isinstance(value, (int, float)):
        return in_digits(Decimal(repr(value)), _CENTS, ",")
    return _printed(value or "no value")


# ---- what the changes mean


def _meaning(result: RunResult) -> list[Block]:
    if result.is_drift:
        return [_moves(result), _money(result)]
    return [
        _undone(result.undone),
        _removals(result.changes),
        _moves(result),
        _money(result),
        _persons(result.persons),
        _mails(result.mails),
        _not_restored(result.not_restored),
    ]


def is_warned_of(result: RunResult) -> bool:
    """Return True if a change removes something, sends e-mail or can't be undone."""
    return bool(result.mails or result.undo or (not result.is_drift and first_removals(result.changes)))


def first_removals(changes: Iterable[Change]) -> list[Change]:
    """Return the removals, those that delete attachments first."""
    removed = [change for change in changes if change["action"] in (DELETE, ARCHIVE)]
    return sorted(removed, key=lambda change: (-_attachments(change), change["action"] != DELETE))


def _attachments(change: Change) -> int:
    return int(change.get("removed", {}).get("attachments", 0))


def _removals(changes: Iterable[Change]) -> Block:
    removed = first_removals(changes)
    files = sum(map(_attachments, removed))
    rows = [
        (f"{words_of(change['section'])} {key_and_name(change)}", change["action"], _details(change))
        for change in removed
    ]
    attached = f", {amount(files, 'attachment')}" if files else ""
    title = f"Removed ({amount(len(removed), 'record')}{attached})"
    return Block(title, rows, ("Record", "Action", "Details"), "{1} {0}: {2}", unbroken=frozenset({1}))


def _details(change: Change) -> str:
    texts = (f"{name} {_printed(text)}" for name, text in removal_texts(change.get("removed", {})))
    return short("; ".join(texts), _LONGEST_REMOVAL)


def _moves(result: RunResult) -> Block:
    rows = [
        (
            *(_NO_PLACE if move[side] is None else _printed(move[side]) for side in _in_order("from", "to", result)),
            counted(move["count"], move["section"]),
            _printed(move["field"]),
        )
        for move in result.moves
    ]
    number = sum(move["count"] for move in result.moves)
    title = f"{'Other places' if result.is_drift else 'Moves'} ({number:,})"
    heads = _DRIFT_HEADS if result.is_drift else ("From", "To")
    form = both_sides(*_in_order("{0}", "{1}", result), result.is_drift)
    return Block(title, rows, (*heads, "Records", "Field"), f"{form}: {{2}} ({{3}})")


def _in_order(before: str, after: str, result: RunResult) -> tuple[str, str]:
    """Return both sides in the order of a report: a comparison begins with the files."""
    return (after, before) if result.is_drift else (before, after)


def _money(result: RunResult) -> Block:
    rows = [
        (
            f"{words_of(total['section'])} {_printed(total['field'])}",
            *_sums(total, _in_order("before", "after", result)),
            counted(total["count"], total["section"]),
        )
        for total in result.money
    ]
    heads = ("Total of", *(_DRIFT_HEADS if result.is_drift else ("Before", "After")), "Records")
    form = both_sides(*_in_order("{1}", "{2}", result), result.is_drift)
    return Block("Money", rows, heads, f"{{0}}: {form} ({{3}})", numbers=frozenset({1, 2}))


def _sums(total: Mapping[str, Any], sides: tuple[str, str]) -> tuple[str, str]:
    """Return both totals. If the changes cancel each other out, say so instead of the second total."""
    first, second = (in_digits(Decimal(repr(total[side])), _CENTS, ",") for side in sides)
    return first, f"the same in total, {total['count']:,} values differ" if first == second else second


def _persons(persons: Sequence[Mapping[str, Any]]) -> Block:
    rows = [
        (_printed(person["person"]), f"{person['gains']:,}", f"{person['loses']:,}", words_of(person["section"]))
        for person in persons
    ]
    heads, form = ("Person", "Gains", "Loses", "Section"), "{0}: gains {1}, loses {2} ({3})"
    return Block("Persons who gain or lose records", rows, heads, form, numbers=frozenset({1, 2}))


def _mails(mails: Sequence[Mapping[str, Any]]) -> Block:
    rows = [
        (
            counted(mail["count"], mail["section"]),
            first_of([_printed(name) for name in mail["to"]], _EXAMPLES) or "unknown",
        )
        for mail in mails
    ]
    return Block("Sends e-mail", rows, ("Because of", "To"), "{0}: to {1}")


def _undone(apply: Mapping[str, Any]) -> Block:
    # Nothing of a finished undo is undone, so it has no changes here.
    heads = ("Time", "Set", "User", "Changes")
    rows = [[_printed(apply[head.lower()] or "unknown") for head in heads]] if apply.get("changes") else []
    return Block("Undoes an apply", rows, heads, "{0}, set {1}, user {2}, changes: {3}")


def _not_restored(left: Sequence[Mapping[str, Any]]) -> Block:
    rows = [
        (f"{words_of(row['section'])} {_printed(row['key'])}", _printed(row["field"] or "whole record"), row["reason"])
        for row in left
    ]
    return Block(f"Not restored ({len(left):,})", rows, ("Record", "Field", "Reason"), "{0}, {1}: {2}")


def _printed(text: str) -> str:
    return short(clean(str(text)), _LONGEST)
