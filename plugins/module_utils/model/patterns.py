# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Match patterns of the service or of files within a time limit.

Some patterns never finish, such as ``^(a+)+$``. Python's engine checks for signals while it matches, so a timer of
processor time can end it. After that, the pattern is left to the service. So is every pattern outside the main thread,
because no timer is available there.
"""

from __future__ import annotations

import re
import signal
import threading
import time
import warnings
from dataclasses import dataclass
from functools import lru_cache
from types import FrameType

#: Seconds of processor time for one pattern and all of its values, besides the time for each value.
PATTERN_SECONDS = 0.25
#: Seconds of processor time for all patterns that were ended.
ALL_PATTERNS_SECONDS = 1.0
_VALUE_SECONDS = 100e-6
_KEPT = 512


class _TimeIsUp(Exception):
    """Raised if a pattern takes too long."""


@dataclass
class _Used:
    """The cost of a pattern: seconds, and the number of values that it was matched with."""

    seconds: float = 0.0
    values: int = 0


_USED: dict[tuple[str, int], _Used] = {}
_ENDED: set[tuple[str, int]] = set()


def finds(pattern: str, flags: int, text: str) -> bool | None:
    """Return True if a pattern matches a text, or None if that is unknown: it is not a pattern, or takes too long."""
    key = (pattern, flags)
    is_other_thread = threading.current_thread() is not threading.main_thread()
    if is_other_thread or key in _ENDED or len(_ENDED) * PATTERN_SECONDS >= ALL_PATTERNS_SECONDS:
        return None
    used = _USED.setdefault(key, _Used())
    used.values += 1
    left = PATTERN_SECONDS + used.values * _VALUE_SECONDS - used.seconds
    started = time.thread_time()
    try:
        return _finds_within(max(left, _VALUE_SECONDS), pattern, flags, text)
    except _TimeIsUp:
        _ENDED.add(key)
        return None
    except (re.error, OverflowError, RecursionError):
        return None
    finally:
        used.seconds += time.thread_time() - started


def _finds_within(seconds: float, pattern: str, flags: int, text: str) -> bool:
    before = signal.signal(signal.SIGVTALRM, _end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            return _compiled(pattern, flags).search(text) is not None
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)


@lru_cache(maxsize=_KEPT)
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    """Compile a pattern without warnings about its style."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern, flags)


def _end(_signal: int, _frame: FrameType | None) -> None:
    raise _TimeIsUp
