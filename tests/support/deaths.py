# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Let a process die at one of its writes to files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

_CALLS = ("ftruncate", "pwrite", "replace")


class Killed(BaseException):
    """Raised in place of a signal that ends a process."""


def dying(monkeypatch: pytest.MonkeyPatch, fatal: int, missing: int) -> Callable[[], bool]:
    """Let a process die at the write with a number, and carry nothing out afterwards.

    :param missing: number of bytes that the system did not write any more. 0: none of the write is carried out.
    :returns: a function that returns True if the process died.
    """
    calls = 0

    def interrupt(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == fatal and name == "pwrite" and missing:
                descriptor, data, offset = arguments
                real(descriptor, data[: max(len(data) - missing, 0)], offset)
            if calls >= fatal:
                raise Killed
            return real(*arguments, **named)

        return call

    for name in _CALLS:
        monkeypatch.setattr(os, name, interrupt(name, getattr(os, name)))
    return lambda: calls >= fatal
