# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The copy of the data that readers see on a slow instance. Each write appears in it after some seconds."""

from __future__ import annotations

from collections import deque

from .clock import Clock
from .store import Store
from .templates import Templates


class Replica:
    """States of the data, each with the moment from which readers see it."""

    def __init__(self, store: Store, templates: Templates, clock: Clock) -> None:
        self._store = store
        self._templates = templates
        self._clock = clock
        self._lag = 0.0
        self._seen = (store, templates)
        self._coming: deque[tuple[float, tuple[Store, Templates]]] = deque()

    def restart(self, lag: float | None = None) -> None:
        """Show readers everything that was written, and later writes after a delay.

        :param lag: None for the same delay as before.
        """
        self._lag = self._lag if lag is None else lag
        self._coming.clear()
        self._seen = self._copy() if self._lag else (self._store, self._templates)

    def written(self) -> None:
        """Store the latest write for later readers."""
        if self._lag:
            self._coming.append((self._clock.now() + self._lag, self._copy()))

    def read(self) -> tuple[Store, Templates]:
        """Return the data that readers see now."""
        while self._coming and self._coming[0][0] <= self._clock.now():
            self._seen = self._coming.popleft()[1]
        return self._seen

    def _copy(self) -> tuple[Store, Templates]:
        copy = Store(":memory:")
        copy.copy_from(self._store)
        return copy, Templates(copy)
