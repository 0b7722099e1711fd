# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings of a plan."""

from __future__ import annotations

from ..desired.desired import DesiredInstance
from ..desired.positions import Finding, Place


class Findings:
    """The findings of one plan, the mistakes of reading among them.

    :ivar complaints: number of mistakes; the same mistake in many records may be one finding.
    """

    def __init__(self, desired: DesiredInstance) -> None:
        self.desired = desired
        self.complaints = 0
        self._found: dict[Finding, None] = dict.fromkeys(desired.findings)
        self._misread = desired.misread_places()

    def find(self, place: Place, message: str) -> None:
        """Note a finding. A :class:`FieldError` has the message for a hidden value."""
        self.note(Finding.for_message(place, message))

    def find_plainly(self, place: Place, message: str) -> None:
        """Note what is wrong in words that quote no value."""
        self.note(Finding.plain(place, message))

    def note(self, finding: Finding) -> None:
        """Note a finding, unless its place could not be read: then it only follows from that."""
        self.complaints += 1
        if finding.place not in self._misread:
            self._found[finding] = None

    @property
    def findings(self) -> list[Finding]:
        """Return all findings in the order of their places."""
        return sorted(self._found, key=lambda finding: (finding.place.source, finding.place.line, finding.place.column))
