# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a write is looked for until the settling horizon, and an effect is awaited as long."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.settling import (
    await_effect,
    poll_after_lost_response,
    poll_until_visible,
    send_once,
)
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    Ambiguous,
    OutcomeUnknown,
    SeventhingsError,
)

from ..support import Clock, FakeTransport, lost, refusal


def at(seconds: float, clock: Clock) -> Callable[[], str | None]:
    """Return a function that finds the result from a time on."""
    return lambda: "found" if clock.now - 1000.0 >= seconds else None


def transport_with(clock: Clock, settle: float = 60.0) -> FakeTransport:
    transport = FakeTransport()
    transport.sleep, transport.settle = clock.sleep, settle
    return transport


@pytest.mark.parametrize(
    ("error", "seconds", "slept"),
    [
        (lost(), None, [1, 3, 6, 10, 20, 20]),
        (lost(500), None, [1, 3]),
        (lost(), 7.0, [1, 3, 3]),
        (lost(), 0.0, []),
    ],
    ids=["lost", "answered", "given", "at once"],
)
def test_a_result_is_looked_for_at_these_times(
    error: OutcomeUnknown, seconds: float | None, slept: list[float]
) -> None:
    clock = Clock()
    assert poll_after_lost_response(transport_with(clock), error, lambda: None, seconds) is None
    assert clock.slept == slept


@pytest.mark.parametrize(("since", "slept"), [(0, []), (1, [1]), (2, [1, 3])])
def test_the_first_result_ends_the_search(since: float, slept: Sequence[float]) -> None:
    clock = Clock()
    assert poll_after_lost_response(transport_with(clock), lost(), at(since, clock)) == "found"
    assert clock.slept == slept


def test_a_look_that_failed_is_forgotten_if_the_next_one_succeeds() -> None:
    clock = Clock()

    def find() -> str | None:
        if clock.now < 1010.0:
            raise refusal(503)
        return None

    assert poll_after_lost_response(transport_with(clock), lost(), find) is None


def test_the_error_says_that_the_last_look_failed() -> None:
    def find() -> None:
        raise SeventhingsError("The list can't be read.")

    error = lost()
    before = error.message
    with pytest.raises(OutcomeUnknown) as caught:
        poll_after_lost_response(transport_with(Clock()), error, find)
    assert caught.value.message == (f"{before} Whether it took effect could not be looked up: The list can't be read.")
    assert isinstance(caught.value.__cause__, SeventhingsError)


def test_two_results_are_an_error_at_once() -> None:
    clock = Clock()

    def find() -> None:
        raise Ambiguous("Two records have this key.")

    with pytest.raises(Ambiguous):
        poll_after_lost_response(transport_with(clock), lost(), find)
    assert clock.slept == []


@pytest.mark.parametrize(("error", "defers"), [(lost(), False), (lost(500), False), (lost(500), True)])
def test_a_request_without_an_answer_is_sent_once_and_its_result_is_looked_for(
    error: OutcomeUnknown, defers: bool
) -> None:
    sent: list[None] = []

    def send() -> str:
        sent.append(None)
        raise error

    clock, before = Clock(), error.message
    transport = transport_with(clock)
    assert send_once(transport, send, at(4, clock), "it sends an e-mail", defers) == "found"
    clock.now = 1000.0
    error.message = before
    with pytest.raises(OutcomeUnknown) as caught:
        send_once(transport, send, lambda: None, "it sends an e-mail", defers)
    assert caught.value.message == (
        f"{before} It was not sent again, because it sends an e-mail. Run it again to try once more."
    )
    assert len(sent) == 2


def test_the_search_for_a_lost_answer_is_left_to_a_caller_who_wants_it_later() -> None:
    def send() -> str:
        raise lost()

    def never() -> None:
        raise AssertionError

    with pytest.raises(OutcomeUnknown):
        send_once(transport_with(Clock()), send, never, "it sends an e-mail", defers=True)
    clock = Clock()
    assert send_once(transport_with(clock), send, at(0, clock), "it sends an e-mail") == "found"


@pytest.mark.parametrize(("since", "slept"), [(0, []), (5, [1, 3, 6]), (60, [1, 3, 6, 10, 20, 20])])
def test_an_effect_is_awaited_and_a_slow_instance_is_warned_of_once(since: float, slept: Sequence[float]) -> None:
    clock = Clock()
    transport = transport_with(clock)
    assert poll_until_visible(transport, at(since, clock)) == "found"
    assert clock.slept == slept
    assert poll_until_visible(transport, at(clock.now - 1000.0 + 1, clock)) == "found"
    assert transport.warnings == [
        "This instance shows a change only some seconds after it accepted it. Each change waits for that."
    ]


def test_an_effect_at_once_is_no_reason_to_warn() -> None:
    transport = transport_with(Clock())
    assert await_effect(transport, lambda: "found", lambda: "never") == "found"
    assert transport.warnings == []


def test_a_write_without_an_effect_is_an_error() -> None:
    with pytest.raises(SeventhingsError) as caught:
        await_effect(transport_with(Clock(), 30.0), lambda: None, lambda: "The room still has the old name")
    assert caught.value.message == (
        "The room still has the old name 30 seconds after the service accepted the change. The change had no effect, "
        "so every run would send it again. Look at the record in the application, and at the rights of this account."
    )
