# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects in memory, and the garbage collector of Python."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from dataclasses import dataclass

_MUCH = 1.25
"""The collector itself visits old objects when their number has grown by a quarter."""


@dataclass
class _Heap:
    """The number of objects of this process: the collector doesn't count those that :func:`many_objects` moves.

    :ivar kept: objects after the last full collection, or after the first run.
    :ivar count: objects after the last run.
    """

    kept: int = 0
    count: int = 0

    def note(self, count: int) -> None:
        self.kept = self.kept or count
        self.count = count

    def collect(self) -> None:
        if self.count > self.kept * _MUCH:
            self.count -= gc.collect()
            self.kept = self.count


_HEAP = _Heap()


def collect_earlier_runs() -> None:
    """Collect what earlier runs of this process left, if it is much."""
    _HEAP.collect()


@contextlib.contextmanager
def many_objects() -> Iterator[None]:
    """Create very many lasting objects with the garbage collector paused, because it would double the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            # Move the objects to the oldest generation without visiting each of them.
            gc.freeze()
            _HEAP.note(gc.get_freeze_count())
            gc.unfreeze()
            gc.enable()
