# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what to set so that the cells of a column are read.

A setting is tried on the whole table first. It is proposed if it reads the whole column, and reads no other column in
another way.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ...module_utils.model.dates import HOUR_ZERO
from ...module_utils.model.field import Spelling
from .desired import DesiredInstance
from .dialect import PRESETS, Dialect
from .format_settings import READERS
from .positions import Finding

#: Patterns of dates, those of presets first. With another time than midnight, the day may be another one elsewhere.
_PATTERNS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d%m%Y", "%m%d%Y"),
    *(f"{day}{time}" for day in ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y") for time in (" 00:00:00", " 00:00")),
)

#: Maximum number of patterns that are proposed.
_MOST_CHOICES = 3

_GENERAL = "type it so, or set how the file is written: preset, decimal, thousands, currency, dates, booleans or null"


class _Column(NamedTuple):
    """A column of a table with cells that are spelled wrongly.

    :ivar has_hour_zero: True if they are times of 12 hours with hour 0.
    """

    source: str
    name: str
    spelling: Spelling
    has_hour_zero: bool


class Advice:
    """What to do about the cells of tables that have findings.

    :param findings: what is wrong.
    """

    def __init__(self, findings: Iterable[Finding], desired: DesiredInstance) -> None:
        self._desired = desired
        self._wrong: defaultdict[_Column, list[Finding]] = defaultdict(list)
        for finding in findings:
            if (column := _column_of(finding)) is not None:
                self._wrong[column].append(finding)
        self._keeping: dict[tuple[str, str], bool] = {}
        self._known: dict[_Column, str] = {}

    def about(self, finding: Finding) -> str:
        """Return what to do about the cell of a finding; empty if its message says it."""
        column = _column_of(finding)
        if column is None:
            return ""
        if column not in self._known:
            path = finding.place.file
            chosen = " or ".join(self._desired.how_to_set(path, setting) for setting in self._settings(column, path))
            self._known[column] = chosen or ("" if column.has_hour_zero else _GENERAL)
        return self._known[column]

    def _settings(self, column: _Column, path: str) -> list[str]:
        """Return the settings that cure a column."""
        own = self._desired.tables.format_of(path)
        if column.has_hour_zero:
            return self._dates(column, path, own.reader.with_24_hours())[:1]
        texts = (str(finding.misfit.value) for finding in self._wrong[column] if finding.misfit is not None)
        if all(own.reads(column.spelling, text.strip()) for text in texts):
            return []
        presets = [name for name in PRESETS if self._is_cured(column, path, {"preset": name})]
        delimiter = self._desired.delimiters.get(column.source, "")
        likely = [name for name in presets if PRESETS[name].delimiter in ("", delimiter)] or presets
        if likely:
            return [f"preset: {name}" for name in (["plain"] if "plain" in likely else likely)]
        has_days = column.spelling in (Spelling.DATE, Spelling.INSTANT)
        dates = self._dates(column, path, [(*own.dates, pattern) for pattern in (_PATTERNS if has_days else ())])
        return dates if len(dates) <= _MOST_CHOICES else []

    def _dates(self, column: _Column, path: str, choices: Iterable[Sequence[str]]) -> list[str]:
        """Return the settings with those choices of patterns that cure a column."""
        return [
            f"dates: {json.dumps(choice)}" for choice in choices if self._is_cured(column, path, {"dates": [*choice]})
        ]

    @cached_property
    def _tables(self) -> Mapping[str, Mapping[str, dict[str, None]]]:
        """Return the different texts of each column of the tables with findings."""
        found: dict[str, defaultdict[str, dict[str, None]]] = {
            column.source: defaultdict(dict) for column in self._wrong
        }
        for entry in self._desired.entries:
            texts = found.get(entry.place.source)
            for name, cell in entry.fields.items() if texts is not None else ():
                if cell.__class__ is str and texts is not None:
                    texts[name][cell] = None
        return found

    def _is_cured(self, column: _Column, path: str, settings: Mapping[str, Any]) -> bool:
        """Return True if settings read the file, the whole column, and all columns without findings as before."""
        changes = {name: READERS[name](value) for name, value in settings.items()}
        table = self._desired.tables.format_of(path, changes, self._desired.has_own_format(path))
        codec = self._desired.codecs.get(column.source, "utf-8")
        texts = self._tables[column.source].get(column.name, {})
        is_text = codec.startswith("utf") or codec in (table.encoding, table.fallback)
        if not is_text or not all(table.reads(column.spelling, text) for text in texts):
            return False
        # No setting reads a number or a date of a workbook in another way.
        misfits = (finding.misfit for finding in self._wrong[column])
        are_texts = all(misfit is None or str(misfit.value) in texts for misfit in misfits)
        return are_texts and self._keeps_others(column.source, path, table, json.dumps(settings))

    def _keeps_others(self, source: str, path: str, table: Dialect, settings: str) -> bool:
        if (source, settings) not in self._keeping:
            own, wrong = self._desired.tables.format_of(path), {of.name for of in self._wrong if of.source == source}
            others = (texts for column, texts in self._tables[source].items() if column not in wrong)
            self._keeping[source, settings] = all(table.agrees(own, text) for texts in others for text in texts)
        return self._keeping[source, settings]


def _column_of(finding: Finding) -> _Column | None:
    """Return the column of a cell that is spelled wrongly; None for other findings."""
    misfit = finding.misfit
    if misfit is None or not isinstance(misfit.value, str) or misfit.spelling is Spelling.PLAIN:
        return None
    return _Column(finding.place.source, finding.column, misfit.spelling, misfit.why == HOUR_ZERO)
