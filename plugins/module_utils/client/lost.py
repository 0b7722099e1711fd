# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""After a lost answer: when to look for what the request may have made."""

from __future__ import annotations

from collections.abc import Callable, Iterator

LOOK_AGAIN = (0.0, 1.0, 3.0)
"""Seconds from one look to the next, so at 0, 1 and 4: it may still be on its way."""


def poll_after_lost_response(sleep: Callable[[float], None]) -> Iterator[None]:
    """The moments at which to look; whoever finds it stops."""
    for pause in LOOK_AGAIN:
        if pause:
            sleep(pause)
        yield
