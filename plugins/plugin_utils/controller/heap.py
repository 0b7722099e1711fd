# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The objects in memory, and the garbage collector of Python."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator
from dataclasses import dataclass

_MUCH = 1.25
"""Growth after which old objects are collected: a quarter, as in the collector itself."""


@dataclass
class _Heap:
    """The memory of this process in blocks: the collector doesn't count the objects that :func:`many_objects` moves.

    Python knows the number of blocks. To count objects, it would have to visit each of them.

    :ivar kept: blocks after the last full collection, or after the first run.
    :ivar count: blocks after the last run.
    """

    kept: int = 0
    count: int = 0

    def note(self) -> None:
        self.count = sys.getallocatedblocks()
        self.kept = self.kept or self.count

    def collect(self) -> None:
        if self.count > self.kept * _MUCH:
            gc.collect()
            self.kept = self.count = sys.getallocatedblocks()


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
            gc.unfreeze()
            _HEAP.note()
            gc.enable()
