# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes about lists that an instance returns whole, in one answer.

A note saves the request that proves it. Without notes that request is sent again, and nothing else changes.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

from ..errors import InvalidInput
from ..local.access import PRIVATE_FILE, Access
from ..local.safe_files import Folder

_DAY = 24 * 60 * 60.0
_MOST_BYTES = 64


class UnpagedLists:
    """The kinds of record whose list an instance returned whole within the last day.

    :param folder: where processes share the notes; None: this process keeps its own.
    :param name: of the instance, fit for a file name.
    """

    def __init__(self, folder: Folder | None = None, name: str = "", clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._name = name
        self._clock = clock
        self._proven: dict[str, float] = {}

    def note(self, kind: str) -> None:
        """Note that the list of a kind is whole."""
        self._proven[kind] = self._clock()
        if self._folder is not None:
            with contextlib.suppress(OSError, InvalidInput):
                self._folder.write(self._file(kind), str(self._clock()).encode(), Access(mode=PRIVATE_FILE))

    def __contains__(self, kind: str) -> bool:
        if kind not in self._proven and self._folder is not None:
            with contextlib.suppress(OSError, InvalidInput, ValueError):
                self._proven[kind] = float(self._folder.read(self._file(kind), _MOST_BYTES))
        return 0 <= self._clock() - self._proven.get(kind, float("-inf")) < _DAY

    def _file(self, kind: str) -> str:
        return f"unpaged-{self._name}-{kind}"
