# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that runs many tasks keeps the garbage of only a few of them."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest
from embedded_here import Embedded

from ansible_collections.community.seventhings.plugins.plugin_utils.controller.controller_run import ControllerRun
from ansible_collections.community.seventhings.plugins.plugin_utils.controller.heap import many_objects

RUNS = 5


class Knot:
    """An object that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def collector() -> Iterator[None]:
    """Enable Python's collector, which the tests pause, and exclude the collected tests from it afterwards."""
    gc.enable()
    yield
    gc.disable()
    gc.collect()
    gc.freeze()


@pytest.mark.sample(0)
@pytest.mark.usefixtures("collector")
def test_the_garbage_of_earlier_runs_is_collected() -> None:
    knots_per_run = (gc.get_freeze_count() + len(gc.get_objects())) // 3
    connect = Embedded.started().client
    ends = []
    for _run in range(RUNS):
        with ControllerRun({}, connect), many_objects():
            knots = [Knot() for _number in range(knots_per_run)]
            ends.append(weakref.ref(knots[0]))
            del knots
    assert sum(end() is not None for end in ends) < RUNS - 1
