# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wait until it is known whether a write took effect: after a lost answer, or if a change is not visible yet."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TypeVar

from ..errors import Ambiguous, OutcomeUnknown, SeventhingsError
from .transport import Transport

_SLOW = "This instance shows a change only some seconds after it accepted it. Each change waits for that."
_Found = TypeVar("_Found")

#: Seconds in which the result of a request is looked up if the service itself answered with an error.
ANSWERED_SECONDS = 4.0


def poll_after_lost_response(
    transport: Transport, lost: OutcomeUnknown, find: Callable[[], _Found | None], seconds: float | None = None
) -> _Found | None:
    """Look for the result of a request whose answer was lost, at 0, 1, 4, 10, 20, 40 seconds and so on.

    :param find: reads once and returns a false value if nothing was found.
    :param seconds: the time of the last read. None: the settling horizon if the request may still take effect,
        otherwise 4 seconds.
    :returns: the first result, or None if the last read found nothing.
    :raises OutcomeUnknown: the given error, if the last read failed.
    """
    last = seconds if seconds is not None else transport.settle if lost.is_lost else ANSWERED_SECONDS
    failed = None
    for _seconds in _polls(transport, last):
        try:
            found, failed = find(), None
        except Ambiguous:
            raise
        except SeventhingsError as error:
            # A service that loses answers may be down for a while.
            found, failed = None, error
        if found:
            return found
    if failed is not None:
        lost.message += f" Whether it took effect could not be looked up: {failed.message}"
        raise lost from failed
    return None


def send_once(
    transport: Transport,
    send: Callable[[], _Found],
    find: Callable[[], _Found | None],
    reason: str,
    defers: bool = False,
) -> _Found:
    """Send a request that is never repeated. If its answer is lost, look for its result.

    :param find: as in :func:`poll_after_lost_response`. :param reason: why it is not repeated, in words.
    :param defers: raise a lost answer at once; the caller looks for the result later.
    :raises OutcomeUnknown: if there is no result.
    """
    try:
        return send()
    except OutcomeUnknown as lost:
        lost.message += f" It was not sent again, because {reason}. Run it again to try once more."
        if defers and lost.is_lost:
            raise
        found = poll_after_lost_response(transport, lost, find)
        if not found:
            raise
        return found


def await_effect(transport: Transport, read: Callable[[], _Found | None], words: Callable[[], str]) -> _Found:
    """Poll until a write becomes visible, up to the settling horizon, with a warning if the instance is slow.

    :param read: returns None if the write is not visible yet.
    :param words: returns the message of the error, the beginning of a sentence.
    :raises SeventhingsError: if the write never becomes visible.
    """
    found = poll_until_visible(transport, read)
    if found is None:
        raise SeventhingsError(had_no_effect(transport, words()))
    return found


def poll_until_visible(transport: Transport, read: Callable[[], _Found | None]) -> _Found | None:
    """Poll until a write becomes visible, up to the settling horizon. Return None if it never does."""
    for seconds in _polls(transport, transport.settle):
        found = read()
        if found is not None:
            if seconds and _SLOW not in transport.warnings:
                transport.warnings.append(_SLOW)
            return found
    return None


def had_no_effect(transport: Transport, words: str) -> str:
    """Return the message that a write never became visible.

    :param words: what is wrong, as the beginning of a sentence.
    """
    return (
        f"{words} {transport.settle:g} seconds after the service accepted the change. The change had no effect, so "
        "every run would send it again. Look at the record in the application, and at the rights of this account."
    )


def _polls(transport: Transport, last: float) -> Iterator[float]:
    """Yield the times of looks for a result, in seconds after the first, and sleep before each of the others."""
    now = 0.0
    yield now
    for moment in itertools.chain((1.0, 4.0), (10.0 * 2.0**times for times in itertools.count())):
        if now >= last:
            return
        until = min(moment, last)
        transport.sleep(until - now)
        now = until
        yield now
