# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock of the service. It can be put forward, so that tests need not wait for delayed effects."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def _utc() -> datetime:
    return datetime.now(UTC)


class Clock:
    """A clock with seconds since some moment, and with the date and time."""

    def __init__(self, seconds: Callable[[], float] = time.monotonic, moment: Callable[[], datetime] = _utc) -> None:
        self._seconds = seconds
        self._moment = moment
        self._advanced = 0.0

    def now(self) -> float:
        return self._seconds() + self._advanced

    def moment(self) -> datetime:
        return self._moment() + timedelta(seconds=self._advanced)

    def forward(self, seconds: float) -> None:
        """Put the clock forward."""
        self._advanced += seconds
