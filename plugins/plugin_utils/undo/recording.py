# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the apply record of one run: written before the first request, and again with the outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ...module_utils.errors import InvalidInput
from ..apply.executor import Outcome
from ..set_plan.plan import InstancePlan
from .record import ApplyRecord
from .record_file import RecordPlace
from .recorder import Hides, recorded_changes


@dataclass
class Recording:
    """The apply record of one run.

    :ivar head: the record without changes.
    :ivar hides: returns True for a field that is stored as a fingerprint.
    :ivar without_credentials: returns data of the instance without credentials.
    :ivar is_resumed: True if the run completes an interrupted run and continues its record.
    :ivar digest: SHA-256 of the written file; empty if nothing was written.
    """

    place: RecordPlace
    head: ApplyRecord
    hides: Hides
    without_credentials: Callable[[Any], Any]
    is_resumed: bool
    digest: str = ""

    def __post_init__(self) -> None:
        self._earlier = self.place.interrupted(self.head.run) if self.is_resumed else None

    def begin(self, plan: InstancePlan) -> None:
        """Write the intended changes.

        :raises InvalidInput: if the record can't be written. Then nothing may be sent.
        """
        self._write(plan, None)

    def end(self, plan: InstancePlan, outcome: Outcome) -> None:
        """Write the outcome. If that fails, it is a warning, because the result must still be reported."""
        try:
            self._write(plan, outcome)
        except InvalidInput as error:
            plan.warnings.append(f"{error.message}. The apply record has no outcomes.")

    def finish(self) -> None:
        """Note that an interrupted run is complete, because nothing is left to do."""
        if self._earlier is not None:
            self.digest = self.place.write(replace(self._earlier, is_complete=True))

    def _write(self, plan: InstancePlan, outcome: Outcome | None) -> None:
        changes = recorded_changes(plan, self.hides, self.without_credentials, outcome)
        record = replace(self.head, changes=changes, is_complete=outcome is not None)
        self.digest = self.place.write(record if self._earlier is None else record.continued(self._earlier))
