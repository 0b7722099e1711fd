# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Send a request that changes a record, once, even if its answer is lost.

A lost request may still be carried out. It is sent again only when it no longer can, and only if the record is still as
it was. Otherwise it would overwrite what somebody else wrote meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..client.client import Client
from ..client.record import Record
from ..client.settling import poll_after_lost_response
from ..errors import OutcomeUnknown


@dataclass(frozen=True)
class Step:
    """One request of a change.

    :ivar record: identifies the record, as in paths. :ivar send: sends the request. It gets the record as it was read.
    :ivar read: reads the record; None if it does not exist.
    :ivar is_done: returns True if the record has the change.
    :ivar is_open: returns True if the record is still as it was before the change.
    :ivar repeats: send it again even if the service itself failed, and did not carry it out.
    """

    record: str
    send: Callable[[Record], object]
    read: Callable[[], Record | None]
    is_done: Callable[[Record | None], bool]
    is_open: Callable[[Record], bool]
    repeats: bool = False


def carry_out(
    client: Client, step: Step, current: Record, defers: bool = False, lost: OutcomeUnknown | None = None
) -> None:
    """Send the request of a step. If its answer is lost, look for its outcome up to the settling horizon.

    :param current: the record as it was read last.
    :param defers: raise a lost answer at once. The caller waits, and then calls this function with the error.
    :param lost: the error of an earlier attempt that can no longer take effect.
    :raises OutcomeUnknown: if the record was changed by somebody else, or may still be changed by the request.
    """
    seconds: float | None = 0.0
    if lost is None:
        try:
            step.send(current)
        except OutcomeUnknown as error:
            if defers if error.is_lost else not step.repeats:
                raise
            lost, seconds = error, None
        else:
            return
    now = _unchanged(client, step, lost, seconds)
    if now is not None:
        step.send(now)


def _unchanged(client: Client, step: Step, lost: OutcomeUnknown, seconds: float | None) -> Record | None:
    """Return the record if a lost request did not change it, or None if it did."""
    now: Record | None = None

    def is_done() -> bool:
        nonlocal now
        now = step.read()
        return step.is_done(now)

    if poll_after_lost_response(client.transport, lost, is_done, seconds):
        client.creations.outcome_known(step.record)
        return None
    if now is None or not step.is_open(now):
        lost.message += (
            " The change was not sent again, because somebody else changed the record meanwhile. Run it again if it is "
            "still wanted."
        )
        raise lost
    if lost.may_follow:
        lost.message += (
            " The record is unchanged. The change was not sent again, because the service may still be working on it. "
            "Run it again to try once more."
        )
        raise lost
    client.creations.outcome_known(step.record)
    return now
