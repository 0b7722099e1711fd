# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tests of switches, each of which runs on every side of its switch."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Test = Callable[..., None]

# The switches with a test, and the sides that it covers.
SHOWN: dict[str, list[str]] = {}


def every_side(name: str, *sides: str) -> Callable[[Test], Test]:
    """Run a test on each side of a switch, which the fixture ``side`` turns."""

    def decorate(test: Test) -> Test:
        SHOWN[name] = list(sides)
        marked: Test = pytest.mark.parametrize("side", [(name, side) for side in sides], indirect=True, ids=sides)(test)
        return marked

    return decorate
