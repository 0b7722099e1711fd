# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Merge findings for output: one mistake in thousands of cells of a table gets one line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ...module_utils.model.field import shorten
from ...module_utils.printing.cleaner import clean
from .advice import Advice
from .desired import DesiredInstance
from .positions import CellPlace, Finding, Place

#: Maximum number of findings of one kind that are reported one by one.
_ALONE = 3


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
    advice = Advice(shown_findings, desired)
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, finding in enumerate(findings):
        words = "" if hidden[number] else advice.about(finding)
        is_in_table = isinstance(finding.place, CellPlace) or finding.place.source in desired.delimiters
        same = _reason(finding, shown[number][1], hidden[number], words) if is_in_table else (str(number),)
        groups[words if is_in_table else "", finding.place.source, *same].append(number)
    lines: list[str] = []
    for (words, *_same), members in groups.items():
        if len(members) <= _ALONE and not words:
            lines += [every[number] for number in members]
            continue
        first = members[0]
        grouped = [findings[number] for number in members]
        line = every[first] if len(members) == 1 else _together(grouped, *shown[first], hidden[first])
        lines.append(f"{line}; {words}" if words else line)
    return GroupedFindings([clean(line) for line in lines], shown)


def _line(place: Place, message: str) -> str:
    return f"{place}: {message}"


def _reason(finding: Finding, message: str, is_hidden: bool, words: str) -> tuple[str, ...]:
    """Return the reason that findings on one line share.

    Cells with a text that a program writes in place of a value, such as NULL, are similar in all columns.
    """
    if is_hidden or finding.misfit is None:
        return (message,)
    return (finding.misfit.why, finding.column if words else "")


def _cells(findings: Sequence[Finding]) -> str:
    """Return the columns, the number of their cells, and one of them with its place."""
    first = findings[0]
    such_as = shorten(first.misfit.value) if first.misfit else ""
    columns = ", ".join(dict.fromkeys(finding.column for finding in findings))
    amount = f"{columns}: {len(findings):,} cells" if first.column else f"{len(findings):,} records"
    return f"{amount} such as {such_as} (first at {first.place})"


def _together(findings: Sequence[Finding], place: Place, message: str, is_hidden: bool) -> str:
    """Return one line about findings that differ in their places, and possibly in their values.

    :param place: of the first finding.
    :param message: of the first finding.
    """
    first = findings[0]
    if first.misfit is not None and not is_hidden:
        readings = message.partition(f"{shorten(first.misfit.value)} may mean ")[2]
        return f"{_cells(findings)}{f', which may mean {readings}' if readings else f': {first.misfit.why}'}"
    return f"{message}: {len(findings):,} times (first at {place})"
