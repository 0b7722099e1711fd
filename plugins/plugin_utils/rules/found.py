# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings of rules: each at the place of its value, in words that quote no value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...module_utils.model.field import Way
from ...module_utils.model.schema import Schema
from ..desired.desired import DesiredInstance
from ..desired.entry import Entry
from ..desired.parsing import written_as
from ..desired.positions import Finding, Place
from .bound import BoundRule
from .judging import Problem
from .schemas import ERROR

#: Maximum number of records for which a rule of the level error reports details. The others are counted.
MOST_FINDINGS = 1000
#: The same for a rule of the level warning.
MOST_WARNINGS = 20
_LIVE = "; the instance has it so, and the files do not write it"


class Found:
    """The findings of rules.

    :ivar errors: of the level error.
    :ivar live: the errors about records as the instance has them.
    :ivar warnings: of the level warning.
    """

    def __init__(self) -> None:
        self.errors: list[Finding] = []
        self.live: list[Finding] = []
        self.warnings: list[Finding] = []

    def find(self, rule: BoundRule, place: Place, words: str, name: str = "", is_live: bool = False) -> None:
        """Note a violation of a rule.

        :param name: the field, as it is written.
        """
        message = rule.rule.says(words)
        found = self.warnings if rule.rule.level != ERROR else self.live if is_live else self.errors
        found.append(Finding(place, message, message, name, rule=rule.rule.id))

    def problems(self, rule: BoundRule, record: Any) -> list[Problem]:
        """Return the problems of a record that breaks a rule, or nothing if enough was reported about the rule."""
        rule.broken += 1
        return rule.problems(record) if rule.broken <= _most(rule) else []

    def note(self, rule: BoundRule, entry: Entry | None, schema: Schema, record: Any, about: str = "") -> None:
        """Note the problems of a record, at the places of its values.

        :param entry: the record as written; None if it is in no file.
        :param about: the record in words, if it is judged as the instance has it.
        """
        for problem in self.problems(rule, record):
            place, name = place_of(entry, schema, problem.way) or (rule.rule.place, "")
            more = _LIVE if problem.way and problem.way[0] in record and not name and not about else ""
            self.find(rule, place, about + problem.words + more, name, bool(about))

    def count_rest(self, rules: Iterable[BoundRule]) -> None:
        """Report the number of further records that break each rule."""
        for rule in rules:
            if rule.broken > _most(rule):
                self.find(rule, rule.rule.place, f"{rule.broken - _most(rule):,} more break this rule")


def lines_of(findings: Sequence[Finding], desired: DesiredInstance) -> dict[str, tuple[Place, str]]:
    """Return findings as lines, each with its place and the id of its rule."""
    shown = desired.hiding.shown(findings, desired.entries)
    return {
        f"{place}: {message}": (place, finding.rule) for finding, (place, message) in zip(findings, shown, strict=True)
    }


def _most(rule: BoundRule) -> int:
    return MOST_FINDINGS if rule.rule.level == ERROR else MOST_WARNINGS


def place_of(entry: Entry | None, schema: Schema, way: Way) -> tuple[Place, str] | None:
    """Return the place of a value and the name of its field in the files, or None without an entry.

    The name is empty if the files do not write the field.
    """
    if entry is None:
        return None
    if not way:
        return entry.place, ""
    name = written_as(schema, entry, str(way[0]))
    if name in entry.fields:
        return entry.place_in((name, *way[1:])), name
    for column in entry.empty_cells():
        field, cell = schema.find(column), entry.place_of_cell(column)
        if field is not None and field.key == way[0] and cell is not None:
            return cell, column
    return entry.place, ""
