# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs of facts: whatever interrupts a writer, readers find the old or the new facts, and say what they can't read."""

from __future__ import annotations

import contextlib
import copy
import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest
from deaths import Killed, dying
from hypothesis import given
from hypothesis import strategies as st
from processes import ended, forked

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime import facts as module
from ansible_collections.community.seventhings.plugins.module_utils.runtime.facts import FactLog, NotFacts

from ..support import RANDOMISED

_TEXTS = st.text(max_size=3)
_VALUES = st.none() | st.integers() | st.text() | st.lists(st.text(), max_size=2)
_FACTS = st.tuples(_TEXTS, _TEXTS, _VALUES)


def log_in(folder: Path) -> FactLog:
    return FactLog(Folder(folder), "log.jsonl")


def read(folder: Path) -> dict[str, Any]:
    return copy.deepcopy(dict(log_in(folder).read()))


@RANDOMISED
@given(st.lists(st.tuples(_TEXTS, st.lists(_FACTS, max_size=4)), max_size=9), st.data())
def test_a_log_has_what_was_put_last_whoever_put_and_shortened_it(
    tmp_path_factory: pytest.TempPathFactory, puts: list[tuple[str, list[tuple[str, str, Any]]]], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("log")
    logs, expected = [log_in(folder), log_in(folder)], dict[tuple[str, str, str], Any]()
    for owner, facts in puts:
        log = data.draw(st.sampled_from(logs))
        log.put(owner, *facts)
        expected |= {(owner, kind, mark): value for kind, mark, value in facts}
        if data.draw(st.booleans()):
            data.draw(st.sampled_from(logs)).shorten()
    kept = {name: value for name, value in expected.items() if value is not None}
    for log in (*logs, log_in(folder)):
        found = {
            (owner, kind, mark): value
            for owner, marks in log.read().items()
            for kind, values in marks.items()
            for mark, value in values.items()
        }
        assert found == kept
        assert not log.unread


@pytest.mark.parametrize("act", ["put", "shorten"])
@pytest.mark.parametrize("missing", [0, 1, 7])
def test_a_process_that_is_killed_at_any_write_leaves_the_old_facts_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, missing: int
) -> None:
    for fatal in range(1, 20):
        folder = tmp_path / str(fatal)
        log = log_in(folder)
        log.put("a", ("name", "1", "old"), ("name", "2", "old"))
        log.put("a", ("name", "3", "x"))
        before = read(folder)
        after = {"a": {"name": {"1": "new", "3": "x"}}} if act == "put" else before
        with monkeypatch.context() as patch:
            was_killed = dying(patch, fatal, missing)
            with contextlib.suppress(Killed):
                log.put("a", ("name", "1", "new"), ("name", "2", None)) if act == "put" else log.shorten()
        log.close()
        assert read(folder) in ((before,) if was_killed() and act == "put" else (after,))
        again = log_in(folder)
        again.put("b", ("kind", "mark", 1))
        again.shorten()
        assert read(folder) in ({**before, "b": {"kind": {"mark": 1}}}, {**after, "b": {"kind": {"mark": 1}}})
        assert not again.unread
        if not was_killed():
            return
    pytest.fail("every write was fatal")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ENOLCK, errno.EIO])
def test_facts_that_cannot_be_written_are_an_error_and_leave_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    log = log_in(tmp_path)
    log.put("a", ("name", "1", "old"))

    def refuse(*_arguments: Any) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr("fcntl.flock" if code == errno.ENOLCK else "os.pwrite", refuse)
        with pytest.raises(OSError, match=os.strerror(code)):
            log.put("a", ("name", "1", "new"))
        with pytest.raises(OSError, match=os.strerror(code)):
            log.shorten()
    assert read(tmp_path) == log.read() == {"a": {"name": {"1": "old"}}}
    log.put("a", ("name", "1", "new"))
    assert read(tmp_path) == {"a": {"name": {"1": "new"}}}


@pytest.mark.parametrize(
    "line",
    [
        b"\0" * 100_000,
        b"[" * 1_000_000,
        b'["a", ["b"]]',
        b'["a", ["b", "c", 1, 2]]',
        b'["a", "bcd", ["e", 1, 1]]',
        b'["a", [["b"], "c", 1]]',
        b"9" * 1_000_000,
        b'{"a": 1}',
        b'"\\ud800"',
        b"\xff\xfe",
        b"[" + b",".join([b'["k","m",1]'] * 1001) + b"]",
        b'["' + b"x" * 20_000_000 + b'"]',
    ],
)
def test_hostile_lines_are_reported_and_take_no_time(tmp_path: Path, line: bytes) -> None:
    log_in(tmp_path).put("a", ("name", "1", "x"))
    with (tmp_path / "log.jsonl").open("ab") as file:
        file.write(line + b'\n["b", ["name", "2", "y"]]\n["b", ["na')
    begun = time.process_time()
    log = log_in(tmp_path)
    assert log.read() == {"a": {"name": {"1": "x"}}, "b": {"name": {"2": "y"}}}
    assert log.unread[0] == 2
    assert time.process_time() - begun < 2
    assert not log.is_long
    log.put("b", ("name", "2", None))
    assert read(tmp_path) == {"a": {"name": {"1": "x"}}}


@pytest.mark.parametrize("content", [b"\n" * 5000, b"garbage\n" * 1002])
def test_a_file_of_something_else_is_no_log(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "log.jsonl").write_bytes(content)
    with pytest.raises(NotFacts, match=r"log\.jsonl has more than 1000 lines"):
        log_in(tmp_path).read()
    with pytest.raises(NotFacts):
        log_in(tmp_path).put("a", ("name", "1", "x"))


def test_a_log_that_would_be_too_long_is_not_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SIZE_LIMIT", 100)
    log = log_in(tmp_path)
    with pytest.raises(OSError, match="too large"):
        log.put("a", ("name", "1", "x" * 100))
    assert log.read() == {}
    (tmp_path / "log.jsonl").write_bytes(b"[" * 101)
    with pytest.raises(NotFacts, match="more than 100 bytes"):
        log.read()


def test_many_facts_are_lines_of_a_thousand_and_a_log_of_old_facts_is_long(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    for value in range(3):
        log.put("a", *(("name", str(mark), value) for mark in range(2500)))
        assert log.is_long is (value > 1)
    assert len((tmp_path / "log.jsonl").read_bytes().splitlines()) == 9
    log.shorten()
    assert len((tmp_path / "log.jsonl").read_bytes().splitlines()) == 3
    assert not log.is_long


def test_a_lock_is_kept_for_several_calls_and_over_a_shortening(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    assert log.try_lock()
    log.put("a", ("name", "1", "x"))
    log.shorten()
    assert not log_in(tmp_path).try_lock()
    assert ended(forked(lambda: os._exit(log.try_lock()))) == [0]
    assert log.try_lock()
    (tmp_path / "log.jsonl").unlink()
    with pytest.raises(FileNotFoundError, match="was removed"):
        log.put("a", ("name", "1", "x"))
    assert log.read() == {}
    log.close()
    assert log_in(tmp_path).try_lock()


def test_processes_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    def write(writer: int) -> None:
        log = log_in(tmp_path)
        for number in range(50):
            log.put(str(writer), ("name", str(number), writer))
            if number % 10 == 9:
                log.shorten()

    assert ended(*[forked(lambda writer=writer: write(writer)) for writer in range(4)]) == [0] * 4  # type: ignore[misc]
    assert read(tmp_path) == {
        str(writer): {"name": {str(number): writer for number in range(50)}} for writer in range(4)
    }
