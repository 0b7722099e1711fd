# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of every call of the engine that may change something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..printing.cleaner import clean


@dataclass(frozen=True)
class Result:
    """The result of a call.

    :ivar record: in its normalised form; predicted in check mode. :ivar uuid: of the record. :ivar diff: before and
        after.
    :ivar backups: paths of the copies of replaced local files.
    """

    changed: bool
    record: Mapping[str, Any] = field(default_factory=dict)
    uuid: str | None = None
    diff: Mapping[str, Any] = field(default_factory=lambda: {"before": {}, "after": {}})
    warnings: tuple[str, ...] = ()
    backups: tuple[str, ...] = ()

    def result(self) -> dict[str, Any]:
        """Return the result as a module returns it."""
        return {
            "changed": self.changed,
            "record": dict(self.record),
            "uuid": self.uuid,
            "diff": dict(self.diff),
            "warnings": [clean(text) for text in self.warnings],
            **({"backup_files": list(self.backups)} if self.backups else {}),
        }
