# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An apply under a limit of requests a minute. Time is virtual: nothing here sleeps."""

from __future__ import annotations

import contextlib
import itertools

import pytest
from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.client.rate_limit import Pausing, RateLimit
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.options import RunOptions
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.run import run_instance

_A_MINUTE = 20


class _Watched(RateLimit):
    """A limit that records when requests were sent, on a clock that moves when somebody sleeps."""

    def __init__(self, per_minute: int) -> None:
        self.now = 0.0
        self.moments: list[float] = []
        super().__init__(per_minute, lambda: self.now, self._move)

    def _move(self, seconds: float) -> None:
        self.now += seconds

    def wait(self, max_pause: float = float("inf"), pausing: Pausing = contextlib.nullcontext) -> float:
        moment = super().wait(max_pause, pausing)
        self.moments.append(moment)
        return moment


def _moments(site: Site, objects: int) -> list[float]:
    """Return the times of the requests of an apply with many new objects."""
    site.write(
        {"objects.csv": "barcode,inventory_name\n" + "".join(f"B{number:05d},Drill\n" for number in range(objects))}
    )
    client = site.client()
    rate = _Watched(_A_MINUTE)
    client.transport.rate = rate
    client.workers = 1
    assert run_instance(client, site.load(), RunOptions()).outcome == "changed"
    return rate.moments


def test_an_apply_that_takes_longer_than_a_minute_never_bursts(site: Site) -> None:
    moments = _moments(site, 3 * _A_MINUTE)
    assert len(moments) > 3 * _A_MINUTE
    for (number, early), (other, late) in itertools.combinations(enumerate(moments), 2):
        assert other - number <= 10 + (late - early) * _A_MINUTE / 60


@pytest.mark.parametrize("objects", [1, 5])
def test_a_small_apply_does_not_wait(site: Site, objects: int) -> None:
    assert max(_moments(site, objects)) == 0
