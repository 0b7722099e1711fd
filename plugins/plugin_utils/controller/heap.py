# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pause the garbage collector of Python while a run reads and plans."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


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
            gc.enable()
