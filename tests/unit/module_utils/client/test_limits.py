# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Limits of a JSON text, wherever in the text they are exceeded."""

from __future__ import annotations

import contextlib
import json
import socket
import threading

import processes
import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.limits import (
    JSON_DEPTH,
    Deadline,
    decode_json,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.field import MOST_DIGITS

ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-32", "utf-32-be")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_long_integer_is_refused_anywhere(encoding: str) -> None:
    for before in range(31):
        text = json.dumps(["x" * before, "here", 1.5])
        fitting, long = (text.replace('"here"', "9" * digits) for digits in (MOST_DIGITS, MOST_DIGITS + 1))
        assert decode_json(fitting.encode(encoding))[1] == int("9" * MOST_DIGITS)
        with pytest.raises(ValueError, match=f"more than {MOST_DIGITS} digits"):
            decode_json(long.encode(encoding))


def test_a_text_of_digits_is_no_integer() -> None:
    assert decode_json(json.dumps({"serial": "9" * 5000})) == {"serial": "9" * 5000}


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a": ', "}"), ('[1, null, "a", {"b": ', "}]")])
def test_depth_is_counted_beside_plain_members(opening: str, closing: str) -> None:
    depth = opening.count("[") + opening.count("{")
    fits = JSON_DEPTH // depth
    assert decode_json(opening * fits + "0" + closing * fits)
    with pytest.raises(ValueError, match=f"nested more than {JSON_DEPTH} deep"):
        decode_json(opening * (fits + depth) + "0" + closing * (fits + depth))


def test_a_connection_that_is_established_after_the_deadline_is_cut_off() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, Deadline(0.001) as deadline:
        passed = threading.Event()
        deadline.watch(None)
        while not deadline.has_passed:
            passed.wait(0.001)
        deadline.watch(ours)
        assert ours.recv(1) == b""


def ended(deadline: Deadline) -> bool:
    """Wait until a deadline has passed."""
    passed = threading.Event()
    while not deadline.has_passed:
        passed.wait(0.001)
    return True


def test_one_thread_waits_for_all_deadlines() -> None:
    with Deadline(60):
        threads = threading.active_count()
        with contextlib.ExitStack() as stack:
            for _request in range(50):
                stack.enter_context(Deadline(60))
            assert threading.active_count() == threads


def test_a_deadline_that_begins_later_may_end_earlier() -> None:
    with Deadline(60) as later, Deadline(0.001) as earlier:
        assert ended(earlier)
        assert not later.has_passed


def test_a_request_that_ended_is_not_cut_off_later() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        with Deadline(0.02) as left:
            left.watch(ours)
        with Deadline(0.03) as deadline:
            assert ended(deadline)
        assert not left.has_passed
        theirs.send(b"1")
        assert ours.recv(1) == b"1"


def test_a_forked_process_has_deadlines_of_its_own() -> None:
    def wait() -> None:
        with Deadline(0.001) as deadline:
            assert ended(deadline)

    with Deadline(60):
        assert processes.ended(processes.forked(wait)) == [0]
