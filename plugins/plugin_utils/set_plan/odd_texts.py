# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Remarks about the values of a plan."""

from __future__ import annotations

from ..desired.remarks import Remarks
from .aspect import Aspect


class ValueRemarks(Aspect):
    """Warn of values that are allowed, but probably wrong."""

    def warnings(self) -> list[str]:
        """Return the remarks about all values to write, in the order of the changes."""
        remarks = Remarks(self._context.hiding)
        for planned in self._context.result.changes:
            remarks.check(planned.schema, planned.entry, planned.change.values)
        return remarks.warnings()
