# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what is wrong with the cells of a column, and what to do about it.

A setting is tried on the whole table first. It is proposed if it reads the whole column, and reads no other column in
another way.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple
from unicodedata import category

from ...module_utils.model.dates import HOUR_ZERO, DateReader
from ...module_utils.model.field import Spelling
from .desired import DesiredInstance
from .dialect import BLANKS, PRESETS, Dialect, ambiguous_date
from .format_settings import tried
from .positions import CellPlace, Finding

_GROUPING = "".join((*BLANKS, "'", "\u2019"))
"""Characters that only separate thousands."""

_NUMBERS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r".*\d\s*[%\u2030].*|[%\u2030]\s*\d.*", re.DOTALL),
        "percentages; write plain numbers: format the column as a number, which turns 19% into 0.19",
    ),
    (
        re.compile(r".*\d\s*[.,]\s*[-\u2013\u2014\u2212]{1,2}.*", re.DOTALL),
        "a dash in place of the cents; format the column as a number with two decimals, which turns 5.- into 5.00",
    ),
    (
        re.compile(r".*\(.*\d.*\).*|.*\d[-\u2212]\s*", re.DOTALL),
        "brackets or a minus behind a negative number; format the column so that the minus comes first: -5.00",
    ),
    (
        re.compile(r"[-+]?\d+([.,]\d+)?E[-+]?\d+", re.IGNORECASE),
        "a shortened long number; format the column as a number, and widen it",
    ),
    (re.compile(r"#{3,}"), "the column was too narrow for its numbers; widen it"),
    (
        re.compile(r"[^\d]*\+.*\d.*", re.DOTALL),
        "a plus in front of the number; format the column as a number, or write it without",
    ),
    (
        re.compile(rf"[^\d]*\d{{1,3}}([{_GROUPING}]\d{{3}})+\b.*", re.DOTALL),
        "spaces or apostrophes in a number; format the column as a number without thousands separators",
    ),
)
"""Numbers in the form in which spreadsheets show them, and what to do about them."""

_CURRENCY = re.compile(
    r"([^\d\s.,'()%#+-]{1,5}\.?)\s*[-\u2212]?\d[\d.,'\u2019\s]*"
    r"|[-\u2212]?\d[\d.,'\u2019\s]*?\s*([^\d\s.,'\u2019()%#+-]{1,5}\.?)"
)
_CURRENCY_WORDS = frozenset(("fr", "sfr", "kr", "k\u010d", "z\u0142", "lei", "ft", "rs", "chf", "eur"))

_LONGEST_NUMBER = 100
"""Maximum length of a text that may be a number. The patterns take too long for long texts."""

_MIDNIGHT = (" 00:00:00", " 00:00", "T00:00:00")
"""The times of dates. With another time, the day may be another one elsewhere."""

_PATTERNS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d%m%Y", "%m%d%Y"),
    *(f"{day}{time}" for day in ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y") for time in _MIDNIGHT),
)
"""Patterns of dates, those of presets first."""

_DAYS: Mapping[str, str] = {"%d.%m.%Y": "DD.MM.YYYY", "%d/%m/%Y": "DD/MM/YYYY", "%m/%d/%Y": "MM/DD/YYYY"}

_MOST_CHOICES = 3
"""Maximum number of choices of ``dates`` that are proposed."""

_AS_TEXT = {
    "number": "the cell contains text, not a number; format the column as a number, and type it again",
    "date": "the cell contains text, not a date; format the column as a date, and type it again",
    "flag": (
        "the cell contains neither true nor false; type it again as the spreadsheet writes it (such as TRUE or WAHR)"
    ),
}
_FORMAT_COLUMN = (
    "format the column as YYYY-MM-DD in the spreadsheet, type the cells again that do not change, and save it again"
)
_FORMAT_CELLS = "format the column as a date, and type the cells again that are texts or have a time"


class _Cells(NamedTuple):
    """The cells of a column of a table with findings: words, or cells with digits.

    :ivar texts: the different cells with findings. :ivar column: all different cells of the column.
    """

    first: Finding
    spelling: Spelling
    texts: list[str]
    column: list[str]


class Advice:
    """What to do about the cells of tables that have findings.

    :param findings: what is wrong.
    """

    def __init__(self, findings: Iterable[Finding], desired: DesiredInstance) -> None:
        self._desired = desired
        self._columns: defaultdict[tuple[str, str, str], list[Finding]] = defaultdict(list)
        for finding in findings:
            if (mark := _mark_of(finding)) is not None:
                self._columns[mark].append(finding)
        self._keeping: dict[tuple[str, str], bool] = {}
        self._known: dict[tuple[str, str, str, str], tuple[bool, str]] = {}

    def about(self, finding: Finding) -> tuple[bool, str]:
        """Return what to do about the cell of a finding; empty if nothing is known.

        The first value is True if it is only about the form of a date, so that the expected form is shown
        beside it.
        """
        mark, misfit = _mark_of(finding), finding.misfit
        if mark is None or misfit is None:
            return False, ""
        damage = self._damage(finding)
        if (*mark, damage) not in self._known:
            found = self._columns[mark]
            texts = list(dict.fromkeys(str(each.misfit.value).strip() for each in found if each.misfit is not None))
            cells = _Cells(found[0], misfit.spelling, texts, self._texts(finding.place.source, finding.column))
            self._known[*mark, damage] = self._about(cells, len(found) == 1, damage)
        return self._known[*mark, damage]

    def _about(self, cells: _Cells, is_one: bool, damage: str) -> tuple[bool, str]:
        is_text = _is_text(cells.first)
        is_csv = is_text and cells.first.place.source in self._desired.delimiters
        is_blank = all(self._own(cells).reads(cells.spelling, text) for text in cells.texts)
        if is_csv and not is_blank and not _has_hour_zero(cells.first):
            words = self._marks(cells, is_chosen=True) or self._preset(cells)
            if words:
                return False, words
        if self._is_form(cells):
            return True, self._form(cells, is_one)
        return False, (self._marks(cells, is_chosen=False) if is_text else "") or damage

    def _texts(self, source: str, column: str) -> list[str]:
        """Return the different texts of a column, in all records of its table."""
        return list(self._tables[source].get(column, ()))

    @cached_property
    def _tables(self) -> Mapping[str, Mapping[str, dict[str, None]]]:
        """Return the different texts of each column of the tables with findings."""
        sources = {source for source, _column, _kind in self._columns}
        found: dict[str, defaultdict[str, dict[str, None]]] = {source: defaultdict(dict) for source in sources}
        for entry in self._desired.entries:
            texts = found.get(entry.place.source)
            for name, cell in entry.fields.items() if texts is not None else ():
                if cell.__class__ is str and texts is not None:
                    texts[name][cell] = None
        return found

    # ---- settings, each tried on the whole table

    def _own(self, cells: _Cells) -> Dialect:
        return self._desired.tables.format_of(cells.first.place.file)

    def _is_cured(self, cells: _Cells, settings: Mapping[str, Any]) -> bool:
        """Return True if settings read the file, the whole column, and all columns without findings as before."""
        table = tried(self._desired, cells.first.place.file, settings)
        codec = self._desired.codecs.get(cells.first.place.source, "utf-8")
        is_text = codec.startswith("utf") or codec in (table.encoding, table.fallback)
        is_read = is_text and all(table.reads(cells.spelling, text) for text in cells.column)
        return is_read and self._keeps_others(cells.first, table, json.dumps(settings))

    def _keeps_others(self, finding: Finding, table: Dialect, settings: str) -> bool:
        source, own = finding.place.source, self._desired.tables.format_of(finding.place.file)
        if (source, settings) not in self._keeping:
            wrong = {column for of, column, _kind in self._columns if of == source}
            others = (texts for column, texts in self._tables[source].items() if column not in wrong)
            self._keeping[source, settings] = all(table.agrees(own, text) for texts in others for text in texts)
        return self._keeping[source, settings]

    def _set(self, cells: _Cells, *settings: str) -> str:
        return " or ".join(self._desired.how_to_set(cells.first.place.file, setting) for setting in settings)

    def _preset(self, cells: _Cells) -> str:
        """Propose the presets that read a column, those with the delimiter of the table if there are some."""
        fitting = [name for name in PRESETS if self._is_cured(cells, {"preset": name})]
        delimiter = self._desired.delimiters.get(cells.first.place.source, "")
        likely = [name for name in fitting if PRESETS[name].delimiter in ("", delimiter)] or fitting
        presets = ["plain"] if "plain" in fitting else likely
        if not presets:
            return ""
        return f"{_label(cells, presets)}; {self._set(cells, *(f'preset: {name}' for name in presets))}"

    def _marks(self, cells: _Cells, *, is_chosen: bool) -> str:
        """Propose to name the signs of currencies and the separators of thousands in numbers."""
        own = self._own(cells)
        is_sheet = isinstance(cells.first.place, CellPlace)
        if is_sheet or not cells.spelling.is_number or own.is_plain is is_chosen:
            return ""
        signs, marks = _signs_in(cells.texts, own)
        settings = {"currency": [*own.currency, *signs]} if signs else {}
        settings |= {"thousands": [*own.thousands, *marks]} if marks else {}
        if not settings or not self._is_cured(cells, settings):
            return ""
        words = (
            ["a currency that the settings do not name" if len(signs) == 1 else "signs of currencies"] if signs else []
        )
        words += ["thousands separators"] if marks else []
        # Amounts are read without their signs, so those of different currencies would become equal.
        condition = "; if these signs mean one currency, " if len(settings.get("currency", ())) > 1 else "; "
        pasted = ", ".join(f"{name}: {_pasted(name, value)}" for name, value in settings.items())
        return f"{' and '.join(words)}{condition}{self._set(cells, pasted)}"

    # ---- dates in another form

    def _is_form(self, cells: _Cells) -> bool:
        """Return True for dates in another form."""
        if _has_hour_zero(cells.first):
            return True
        if cells.spelling is not Spelling.DATE or _is_word(cells.texts[0]) or any("#" in text for text in cells.texts):
            return False
        is_mapped = self._desired.tables.for_file(cells.first.place.file) is not None
        return is_mapped or not (_is_text(cells.first) and isinstance(cells.first.place, CellPlace))

    def _form(self, cells: _Cells, is_one: bool) -> str:
        choices = self._dates(cells) if _is_text(cells.first) else []
        if choices:
            return self._set(cells, *(f"dates: {json.dumps(choice)}" for choice in choices))
        if is_one or _has_hour_zero(cells.first):
            return ""
        return _FORMAT_CELLS if isinstance(cells.first.place, CellPlace) else _FORMAT_COLUMN

    def _dates(self, cells: _Cells) -> list[tuple[str, ...]]:
        """Return each choice of ``dates`` that reads a column, with one more pattern for each form such as 0-0-0000.

        With more than a few choices there is none.
        """
        own = self._own(cells)
        has_hour_zero = _has_hour_zero(cells.first)
        by_form = [] if has_hour_zero else _patterns_by_form(cells.texts)
        choices = own.reader.with_24_hours() if has_hour_zero else [(*own.dates, *patterns) for patterns in by_form]
        fitting = [choice for choice in choices if self._is_cured(cells, {"dates": list(choice)})]
        return fitting[:1] if has_hour_zero else fitting

    # ---- what a spreadsheet did

    def _damage(self, finding: Finding) -> str:
        """Say what a spreadsheet did to a cell, and what to do about it; empty if nothing is known."""
        if finding.misfit is None or not _is_text(finding):
            return ""
        spelling, text = finding.misfit.spelling, finding.misfit.value.strip()
        if isinstance(finding.place, CellPlace):
            return _AS_TEXT[_family(spelling)]
        if spelling.is_number:
            forms = _NUMBERS if len(text) <= _LONGEST_NUMBER else ()
            return next((words for form, words in forms if form.fullmatch(text)), "")
        if spelling is Spelling.DATE and re.fullmatch(r"#{3,}", text):
            return "the column was too narrow for its dates; widen it"
        if spelling is Spelling.FLAG:
            setting = self._desired.how_to_set(finding.place.file, "booleans: {true: [...], false: [...]}")
            return f"words for true and false; {setting}"
        return ""


def _mark_of(finding: Finding) -> tuple[str, str, str] | None:
    """Return source and column of a cell that is spelled wrongly, and the kind of mistake; None for other findings."""
    misfit = finding.misfit
    if misfit is None or not isinstance(misfit.value, str) or misfit.spelling is Spelling.PLAIN:
        return None
    kind = HOUR_ZERO if misfit.why == HOUR_ZERO else "word" if _is_word(misfit.value) else ""
    return finding.place.source, finding.column, kind


def _is_text(finding: Finding) -> bool:
    """Return True if a cell is a text: cells of workbooks may have other types."""
    return finding.misfit is not None and finding.misfit.value.__class__ is str


def _has_hour_zero(finding: Finding) -> bool:
    return finding.misfit is not None and finding.misfit.why == HOUR_ZERO


def _is_word(text: str) -> bool:
    return not any(letter.isdecimal() for letter in text)


def _patterns_by_form(texts: Iterable[str]) -> list[tuple[str, ...]]:
    forms: defaultdict[str, list[str]] = defaultdict(list)
    for text in texts:
        forms[_form_of(text)].append(text)
    if len(forms) > len(_PATTERNS):
        return []
    fitting = (
        [pattern for pattern in _PATTERNS if DateReader((pattern,)).reads(same, has_times=False)]
        for same in forms.values()
    )
    choices = list(product(*fitting))
    return choices if len(choices) <= _MOST_CHOICES else []


def _form_of(text: str) -> str:
    """Return a text with zeros as digits. A day has the form of a month, and a year has another."""
    return re.sub(r"\b00\b", "0", re.sub(r"\d", "0", text))


def _signs_in(texts: Sequence[str], table: Dialect) -> tuple[list[str], list[str]]:
    """Return the signs of currencies in numbers, and the separators of thousands, that a format does not name."""
    if max(map(len, texts)) > _LONGEST_NUMBER:
        return [], []
    found = [sign[1] or sign[2] for text in texts if (sign := _CURRENCY.fullmatch(text)) is not None]
    signs = [sign for sign in dict.fromkeys(found) if _is_currency(sign) and sign not in table.currency]
    marks = [mark for mark in _GROUPING if any(re.search(rf"\d{mark}\d", text) for text in texts)]
    return signs, [mark for mark in marks if mark not in table.thousands]


def _pasted(name: str, value: Sequence[str]) -> str:
    """Return the value of a setting as YAML: signs of currencies need no quotes."""
    return f"[{', '.join(value)}]" if name == "currency" else json.dumps(value if len(value) > 1 else value[0])


def _is_currency(sign: str) -> bool:
    """Return True for a sign or a word of a currency. Other words, such as "ca.", change what a number means."""
    is_sign = any(category(letter) == "Sc" for letter in sign)
    return is_sign or re.fullmatch("[A-Z]{3}", sign) is not None or sign.casefold().rstrip(".") in _CURRENCY_WORDS


def _family(spelling: Spelling) -> str:
    """Return the word for the group of values with a spelling: number, flag or date."""
    return "number" if spelling.is_number else "flag" if spelling is Spelling.FLAG else "date"


def _label(cells: _Cells, presets: Sequence[str]) -> str:
    """Return the part of a format that differs from the expected format, in words."""
    table = PRESETS[presets[0]]
    if cells.spelling is Spelling.FLAG:
        return "words for true and false"
    if not cells.spelling.is_number:
        days = {PRESETS[name].dates[0] for name in presets}
        if len(days) > 1 and any(map(ambiguous_date, cells.texts)):
            return "a date that could mean two days"
        return f"dates as {_DAYS[table.dates[0]]}"
    if table.decimal == "," and any("," in text for text in cells.texts):
        return "decimal comma"
    if any(mark in text for text in cells.texts for mark in (*table.thousands, " ")):
        return "thousands separators"
    has_signs = any(sign in text for text in cells.texts for sign in table.currency)
    return "currency signs" if has_signs else "decimal point"
