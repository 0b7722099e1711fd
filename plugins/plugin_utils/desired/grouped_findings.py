# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Merge findings for output: one mistake in thousands of cells of a table gets one line.

If a table was not saved in the dialect of the settings, a dialect that reads its cells is proposed.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from ...module_utils.model.dates import HOUR_ZERO, DateReader
from ...module_utils.model.field import Spelling, shorten
from ...module_utils.model.schema import Misfit
from ...module_utils.printing.cleaner import clean
from .cell_damage import damage_in_table, damage_in_workbook, family, marks_to_name
from .desired import DesiredInstance
from .dialect import BLANKS, PRESETS, Dialect, ambiguous_date
from .positions import CellPlace, Finding, Place
from .words import in_yaml

_ALONE = 3
"""Maximum number of findings of one kind that are reported one by one."""

Key = tuple[str, ...]


@dataclass(frozen=True)
class GroupedFindings:
    """Findings in words.

    :ivar lines: one for each kind of mistake. :ivar shown: place and message of each finding.
    """

    lines: list[str]
    shown: list[tuple[Place, str]]

    @property
    def every(self) -> list[str]:
        """Return a line for each finding if that is more than one line per kind."""
        return [clean(_line(*finding)) for finding in self.shown] if len(self.lines) < len(self.shown) else []


def group_findings(findings: Sequence[Finding], desired: DesiredInstance) -> GroupedFindings:
    """Return findings in words, equal findings in one line."""
    shown = desired.hiding.shown(findings, desired.entries)
    every = [_line(*finding) for finding in shown]
    hidden = [line != str(finding) for line, finding in zip(every, findings, strict=True)]
    shown_findings = [finding for finding, is_hidden in zip(findings, hidden, strict=True) if not is_hidden]
    advice = _Proposals(shown_findings, desired)
    groups: dict[Key, list[int]] = defaultdict(list)
    for number, finding in enumerate(findings):
        groups[_key(number, finding, shown[number][1], hidden[number], desired, advice)].append(number)
    lines: list[str] = []
    for key, members in groups.items():
        grouped = [findings[number] for number in members]
        if key[0] == _CODED:
            lines += _coded([(findings[number], every[number]) for number in members])
        elif key[0] == _SPELLING and len(members) == 1:
            lines.append(f"{every[members[0]]}: {advice.words(grouped)}")
        elif key[0] == _UNREAD and (how := _how_to_read(grouped, desired)):
            lines.append(f"{every[members[0]] if len(members) == 1 else _examples(grouped)}; {how}")
        elif key[0] == _MARKS:
            what = _marks(grouped, desired)
            lines.append(f"{every[members[0]] if len(members) == 1 else _cells(grouped)}: {what}")
        elif key[0] == _DAMAGE:
            lines.append(f"{every[members[0]] if len(members) == 1 else _cells(grouped)}: {key[-1]}")
        elif len(members) == 1 or (key[0] != _SPELLING and len(members) <= _ALONE):
            lines += [every[number] for number in members]
        elif key[0] == _SPELLING:
            lines.append(f"{_cells(grouped)}: {advice.words(grouped)}")
        else:
            lines.append(_equal_but_for_place(grouped, *shown[members[0]], key[0] == _HIDDEN))
    return GroupedFindings([clean(line) for line in lines], shown)


def _line(place: Place, message: str) -> str:
    return f"{place}: {message}"


_SPELLING, _DAMAGE, _MISFIT, _WORDS, _HIDDEN, _SINGLE = "spelling", "damage", "misfit", "words", "hidden", "single"
_UNREAD = "unread"
"""Dates in a pattern that no preset has, and words in place of a number or a date. A column has one line."""

_MARKS = "marks"
"""Numbers with signs that a setting may name, such as those of a currency. A column has one line."""

_CODED = "coded"
"""Cells with a text that a program writes in place of a value, such as ``NULL``.

A file has one line for all of them.
"""


def _key(
    number: int, finding: Finding, message: str, is_hidden: bool, desired: DesiredInstance, advice: _Proposals
) -> Key:
    """Return the key that findings on one line share."""
    if not isinstance(finding.place, CellPlace) and finding.place.source not in desired.delimiters:
        return (_SINGLE, str(number))
    if is_hidden:
        return (_HIDDEN, finding.place.source, message)
    misfit = finding.misfit
    if misfit is None:
        return (_WORDS, finding.message)
    oddity = Dialect.oddity(misfit.value) if misfit.value.__class__ is str else None
    is_read_otherwise = oddity is not None and oddity.is_shortened and misfit.spelling is not Spelling.PLAIN
    if oddity is not None and not oddity.is_blank and not is_read_otherwise:
        return (_CODED, finding.place.source)
    if misfit.why == HOUR_ZERO:
        return (_UNREAD, finding.column, finding.place.source, HOUR_ZERO)
    if advice.fits(finding):
        return (_SPELLING, finding.column, family(misfit.spelling), advice.proposal(finding.place.source))
    if _is_unread(misfit, finding.place, desired):
        return (_UNREAD, finding.column, finding.place.source, str(_is_word(misfit.value)))
    if _marks([finding], desired):
        return (_MARKS, finding.column, finding.place.source)
    damage = _damage(finding, desired)
    if damage:
        return (_DAMAGE, finding.column, damage)
    return (_MISFIT, finding.column, misfit.why)


def _damage(finding: Finding, desired: DesiredInstance) -> str:
    """Say what a spreadsheet did to a cell, and what to do about it; empty if nothing is known."""
    misfit, source = finding.misfit, finding.place.source
    if misfit is None or misfit.spelling is Spelling.PLAIN or misfit.value.__class__ is not str:
        return ""
    if isinstance(finding.place, CellPlace):
        return damage_in_workbook(misfit.spelling)
    how_to_set = partial(desired.how_to_set, source)
    return damage_in_table(misfit.spelling, misfit.value, how_to_set)


def _marks(findings: Sequence[Finding], desired: DesiredInstance) -> str:
    """Say which signs in the numbers of a column of a CSV file to name in a setting; empty if none reads them."""
    place, spelling = findings[0].place, findings[0].misfit.spelling if findings[0].misfit else Spelling.PLAIN
    texts = [finding.misfit.value for finding in findings if finding.misfit is not None]
    if isinstance(place, CellPlace) or not spelling.is_number or any(text.__class__ is not str for text in texts):
        return ""
    words, setting = marks_to_name(spelling, texts, desired.tables.format_of(place.file))
    parting = ", " if "; " in words else "; "
    return f"{words}{parting}{desired.how_to_set(place.file, setting)}" if setting else ""


def _is_unread(misfit: Misfit, place: Place, desired: DesiredInstance) -> bool:
    """Return True for a date in another form, and for a word that a setting of a table may read."""
    is_text, is_mapped = misfit.value.__class__ is str, desired.tables.for_file(place.file) is not None
    if not isinstance(misfit.value, str) or "#" in misfit.value:
        return False
    if _is_word(misfit.value):
        return is_text and is_mapped and (misfit.spelling is Spelling.DATE or misfit.spelling.is_number)
    return misfit.spelling is Spelling.DATE and (is_mapped or not (is_text and isinstance(place, CellPlace)))


def _is_word(text: str) -> bool:
    return not any(letter.isdecimal() for letter in text)


def _how_to_read(findings: Sequence[Finding], desired: DesiredInstance) -> str:
    """Say which setting reads the cells of a column, which are all words or all dates; empty if that is unknown."""
    path, texts = findings[0].place.file, _texts(findings)
    if _is_word(texts[0]):
        empty = ", ".join(f"{in_yaml(word)}: null" for word in texts)
        setting = f"values: {{{in_yaml(findings[0].column)}: {{{empty}}}}}"
        return f"for an empty field, {desired.how_to_set(path, setting)}" if len(texts) <= _MOST_WORDS else ""
    choices = _date_settings(findings, desired)
    if choices:
        return " or ".join(desired.how_to_set(path, f"dates: {json.dumps(choice)}") for choice in choices)
    if len(findings) == 1 or findings[0].misfit is None or findings[0].misfit.why == HOUR_ZERO:
        return ""
    return _FORMAT_CELLS if isinstance(findings[0].place, CellPlace) else _FORMAT_COLUMN


def _texts(findings: Iterable[Finding]) -> list[str]:
    return list(dict.fromkeys(finding.misfit.value.strip() for finding in findings if finding.misfit is not None))


def _date_settings(findings: Sequence[Finding], desired: DesiredInstance) -> list[tuple[str, ...]]:
    """Return each choice of ``dates`` that reads a whole column, with one more pattern for each form such as 0-0-0000.

    With more than a few choices, or with cells that are no texts, there is none.
    """
    if any(finding.misfit is not None and finding.misfit.value.__class__ is not str for finding in findings):
        return []
    reader, own = _dialect(findings, desired).reader, _dialect(findings, desired).dates
    has_hour_zero = findings[0].misfit is not None and findings[0].misfit.why == HOUR_ZERO
    by_form = [] if has_hour_zero else _patterns_by_form(_texts(findings))
    choices = reader.with_24_hours() if has_hour_zero else [(*own, *patterns) for patterns in by_form]
    spelling = findings[0].misfit.spelling if findings[0].misfit else Spelling.DATE
    column = _column(findings[0], desired)
    fitting = [choice for choice in choices if DateReader(choice).reads(column, spelling is Spelling.INSTANT)]
    return fitting[:1] if has_hour_zero else fitting


def _patterns_by_form(texts: Iterable[str]) -> list[tuple[str, ...]]:
    forms: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        forms[_form(text)].append(text)
    if len(forms) > len(_PATTERNS):
        return []
    fitting = (
        [pattern for pattern in _PATTERNS if DateReader((pattern,)).reads(same, has_times=False)]
        for same in forms.values()
    )
    choices = list(product(*fitting))
    return choices if len(choices) <= _ALONE else []


def _dialect(findings: Sequence[Finding], desired: DesiredInstance) -> Dialect:
    return desired.tables.format_of(findings[0].place.file)


def _column(finding: Finding, desired: DesiredInstance) -> list[str]:
    """Return the different texts of the column of a finding, in all records of its table."""
    entries = (entry for entry in desired.entries if entry.place.source == finding.place.source)
    cells = (entry.fields.get(finding.column) for entry in entries)
    return list(dict.fromkeys(cell for cell in cells if cell and cell.__class__ is str))


def _form(text: str) -> str:
    """Return a text with zeros as digits. A day has the form of a month, and a year has another."""
    return re.sub(r"\b00\b", "0", re.sub(r"\d", "0", text))


_FORMAT_COLUMN = (
    "format the column as YYYY-MM-DD in the spreadsheet, type the cells again that do not change, and save it again"
)
_FORMAT_CELLS = "format the column as a date, and type the cells again that are texts or have a time"

_MOST_WORDS = 8
"""Maximum number of different words in a column that are proposed for an empty field."""

_DATE = "date"

_MIDNIGHT = (" 00:00:00", " 00:00", "T00:00:00")
"""The times of dates. With another time, the day may be another one elsewhere."""

_PATTERNS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d%m%Y", "%m%d%Y"),
    *(f"{day}{time}" for day in ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y") for time in _MIDNIGHT),
)
"""Patterns of dates, those of presets first."""


def _coded(found: Sequence[tuple[Finding, str]]) -> list[str]:
    """Return one line about the cells of a file with similar mistakes.

    A few cells with the same mistake have a line each.

    :param found: each finding with its line.
    """
    causes: dict[str, list[tuple[Finding, str]]] = defaultdict(list)
    for finding, line in found:
        causes[finding.misfit.why if finding.misfit else ""].append((finding, line))
    if len(causes) == 1 and len(found) <= _ALONE:
        return [line for _finding, line in found]
    return [
        "; ".join(
            cells[0][1] if len(cells) == 1 else f"{_cells([finding for finding, _line in cells])}: {why}"
            for why, cells in causes.items()
        )
    ]


def _cells(findings: Sequence[Finding]) -> str:
    """Return the columns, the number of their cells, and one of them with its place."""
    first = findings[0]
    such_as = shorten(first.misfit.value) if first.misfit else ""
    columns = ", ".join(dict.fromkeys(finding.column for finding in findings))
    amount = f"{columns}: {len(findings):,} cells" if first.column else f"{len(findings):,} records"
    return f"{amount} such as {such_as} (first at {first.place})"


def _examples(findings: Sequence[Finding]) -> str:
    """Return a column, the number of its cells, up to three of them with their places, and what was expected.

    Cells in different forms come first.
    """
    forms: dict[str, Finding] = {}
    for found in findings:
        forms.setdefault(_form(str(found.misfit and found.misfit.value)), found)
    others = [found for found in findings[:_ALONE] if found not in forms.values()]
    shown = [*forms.values(), *others][:_ALONE]
    cells = ", ".join(f"{shorten(found.misfit.value)} ({found.place})" for found in shown if found.misfit is not None)
    why = findings[0].misfit.why if findings[0].misfit else ""
    return f"{findings[0].column}: {len(findings):,} cells such as {cells}: {why}"


def _equal_but_for_place(findings: Sequence[Finding], place: Place, message: str, is_hidden: bool) -> str:
    """Return one line about findings that differ in their places, and possibly in their values.

    :param place: of the first finding.
    :param message: of the first finding.
    """
    first = findings[0]
    if first.misfit is not None and not is_hidden:
        readings = message.partition(f"{shorten(first.misfit.value)} may mean ")[2]
        return f"{_cells(findings)}{f', which may mean {readings}' if readings else f': {first.misfit.why}'}"
    return f"{message}: {len(findings):,} times (first at {place})"


class _Proposals:
    """Propose the presets with which some tables may have been saved.

    :param findings: what is wrong with them.
    """

    def __init__(self, findings: Iterable[Finding], desired: DesiredInstance) -> None:
        self._desired = desired
        self._columns: dict[tuple[str, str], list[str]] = {}
        for finding in findings:
            if self._text(finding) is not None and (finding.place.source, finding.column) not in self._columns:
                self._columns[finding.place.source, finding.column] = self._reading(finding)
        self._best = {source: self._of_file(source) for source, _column in self._columns}
        common = [set(best) for best in self._best.values() if best]
        shared = set.intersection(*common) if common else set()
        self._shared = [name for name in PRESETS if name in shared]

    def _text(self, finding: Finding) -> str | None:
        """Return the cell that a finding is about, or None if no dialect could change the finding."""
        misfit = finding.misfit
        is_spelled = misfit is not None and misfit.spelling is not Spelling.PLAIN and misfit.value.__class__ is str
        return str(misfit.value) if misfit and is_spelled and finding.place.source in self._desired.delimiters else None

    def _reading(self, finding: Finding) -> list[str]:
        """Return the other presets that read a whole column."""
        own, texts = self._desired.tables.format_of(finding.place.source).preset, _column(finding, self._desired)
        spelling = finding.misfit.spelling if finding.misfit else Spelling.PLAIN
        return [name for name, dialect in PRESETS.items() if name != own and dialect.reads_all(spelling, texts)]

    def _of_file(self, source: str) -> list[str]:
        """Return the presets that read every column of a file that a preset reads, with its delimiter if possible."""
        columns = [presets for (of, _column), presets in self._columns.items() if of == source and presets]
        best = [name for name in PRESETS if columns and all(name in presets for presets in columns)]
        best = [name for name in best if self._keeps_others(source, PRESETS[name])] if best else []
        return [name for name in best if PRESETS[name].delimiter in ("", self._desired.delimiters[source])] or best

    def _keeps_others(self, source: str, dialect: Dialect) -> bool:
        """Return True if a dialect reads the columns without findings as the settings do."""
        own = self._desired.tables.format_of(source)
        others = {
            cell
            for entry in self._desired.entries
            if entry.place.source == source
            for name, cell in entry.fields.items()
            if cell.__class__ is str and (source, name) not in self._columns
        }
        return all(dialect.agrees(own, cell) for cell in others)

    def _presets(self, source: str) -> list[str]:
        own = self._best.get(source, [])
        return [name for name in self._shared if name in own] or own

    def fits(self, finding: Finding) -> bool:
        """Return True if another preset reads the column of a finding."""
        presets = self._presets(finding.place.source) if self._text(finding) is not None else []
        return bool(presets) and presets[0] in self._columns[finding.place.source, finding.column]

    def proposal(self, source: str) -> str:
        """Say what to set for a file."""
        presets = self._presets(source)
        if self._desired.tables.for_file(source) is not None:
            return " or ".join(self._desired.how_to_set(source, f"preset: {name}") for name in presets)
        is_general = self._shared and self._desired.tables.general.preset == "plain" and not self._desired.tables.files
        names = [f"preset: {name}" for name in presets]
        if not is_general:
            names = [f'files: {{"{source}": {{{name}}}}}' for name in names]
        return "set " + " or ".join(f"`csv: {{{name}}}`" for name in names)

    def words(self, findings: Sequence[Finding]) -> str:
        """Say what is wrong with some cells of a column, and what to set."""
        texts = [text for finding in findings if (text := self._text(finding)) is not None]
        source, misfit = findings[0].place.source, findings[0].misfit
        presets = self._presets(source)
        spelling = misfit.spelling if misfit else Spelling.PLAIN
        kind = family(spelling)
        thousands = self._thousands(source, spelling, texts)
        if thousands:
            return f"thousands separators; {self._desired.how_to_set(source, f'thousands: {thousands}')}"
        return f"{_label(kind, texts, presets)}; {self.proposal(source)}"

    def _thousands(self, source: str, spelling: Spelling, texts: Sequence[str]) -> str:
        """Return a list of thousands separators with which the preset of a file reads numbers; empty without one."""
        dialect = self._desired.tables.format_of(source)
        blanks = [mark for mark in BLANKS if any(mark in text.strip() for text in texts)]
        more = replace(dialect, thousands=(*dialect.thousands, *blanks))
        if dialect.is_plain or not blanks or not all(more.reads(spelling, text) for text in texts):
            return ""
        return json.dumps(more.thousands)


def _label(kind: str, texts: Iterable[str], presets: Sequence[str]) -> str:
    """Return the part of a dialect that differs from the expected dialect, in words."""
    dialect = PRESETS[presets[0]]
    if kind == "flag":
        return "words for true and false"
    if kind == _DATE:
        days = {PRESETS[name].dates[0] for name in presets}
        if len(days) > 1 and any(map(ambiguous_date, texts)):
            return "a date that could mean two days"
        return f"dates as {_DAYS[dialect.dates[0]]}"
    if dialect.is_plain:
        return "decimal point"
    if dialect.decimal == "," and any("," in text for text in texts):
        return "decimal comma"
    is_grouped = any(mark in text.strip() for text in texts for mark in (*dialect.thousands, " "))
    return "thousands separators" if is_grouped else "currency signs"


_DAYS: Mapping[str, str] = {"%d.%m.%Y": "DD.MM.YYYY", "%d/%m/%Y": "DD/MM/YYYY", "%m/%d/%Y": "MM/DD/YYYY"}
