# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts that outlive a process: whatever interrupts a writer, readers find the old or the new facts.

A log appends facts to a file, and a store replaces those of its file. Both have the same laws.
"""

from __future__ import annotations

import contextlib
import copy
import errno
import json
import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deaths import Killed, dying
from hypothesis import given
from hypothesis import strategies as st
from processes import ended, forked, kill

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime import facts as module
from ansible_collections.community.seventhings.plugins.module_utils.runtime.facts import Fact, FactLog, NotFacts
from ansible_collections.community.seventhings.plugins.module_utils.runtime.store import Store

from ..support import RANDOMISED

_TEXTS = st.text(max_size=3)
_VALUES = st.none() | st.integers() | st.text(max_size=200) | st.lists(st.text(), max_size=2)
_FACTS = st.lists(st.tuples(_TEXTS, _TEXTS, _VALUES), max_size=4)
Put = Callable[..., None]


def log_in(folder: Path) -> FactLog:
    return FactLog(Folder(folder), "log.jsonl")


def put_log(folder: Path, *facts: Fact) -> None:
    log_in(folder).put("acme", *facts)


def put_store(folder: Path, *facts: Fact) -> None:
    with Store(Folder(folder)).changing("acme") as found:
        found.put(*facts)


def shorten(folder: Path, *facts: Fact) -> None:
    put_log(folder, *facts)
    log_in(folder).shorten()


def read(folder: Path) -> dict[str, Any]:
    """Return the facts, whichever of both is in a folder."""
    if (folder / "log.jsonl").exists():
        log = log_in(folder)
        found = copy.deepcopy(log.read().get("acme", {}))
        assert not log.unread
        return found
    with Store(Folder(folder)).changing("acme") as facts:
        return dict(facts.marks)


PUTS = pytest.mark.parametrize("put", [put_log, put_store])


@RANDOMISED
@given(st.lists(_FACTS, max_size=9), st.data())
def test_everybody_finds_what_was_put_last_whoever_put_it(
    tmp_path_factory: pytest.TempPathFactory, puts: list[list[Fact]], data: st.DataObject
) -> None:
    folders = [tmp_path_factory.mktemp("facts") for _number in range(2)]
    logs, stores = [log_in(folders[0]) for _number in range(2)], [Store(Folder(folders[1])), Store(Folder(folders[1]))]
    own, expected = Store(), dict[str, dict[str, Any]]()
    for facts in puts:
        data.draw(st.sampled_from(logs)).put("acme", *facts)
        for store in (own, data.draw(st.sampled_from(stores))):
            with store.changing("acme") as found:
                found.put(*facts)
        for kind, mark, value in facts:
            expected.setdefault(kind, {})[mark] = value
            if value is None:
                del expected[kind][mark]
        if data.draw(st.booleans()):
            data.draw(st.sampled_from(logs)).shorten()
    kept = {
        kind: {mark: value for mark, value in marks.items() if value is not None} for kind, marks in expected.items()
    }
    kept = {kind: marks for kind, marks in kept.items() if marks}
    for log in (*logs, log_in(folders[0])):
        assert log.read().get("acme", {}) == kept
        assert not log.unread
    for store in (own, *stores):
        with store.changing("acme") as found:
            assert found.marks == kept
    if kept:
        content = (folders[1] / "facts-acme.json").read_bytes()
        assert json.loads(content)["facts"] == kept
        assert len(content) < 3 * max(len(content.strip()), 3000)


@pytest.mark.parametrize("put", [put_log, put_store, shorten])
@pytest.mark.parametrize("missing", [0, 1, 30])
@pytest.mark.parametrize("size", [1, 400])
def test_a_process_that_is_killed_at_any_write_leaves_the_old_facts_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: Put, missing: int, size: int
) -> None:
    for fatal in range(1, 20):
        folder = tmp_path / str(fatal)
        folder.mkdir()
        # The earlier facts have other lengths, so each place in a file of a store was used.
        for length in (300, 90, 200):
            put(folder, ("name", "1", "x" * length), ("name", "2", "old"))
        before, after = read(folder), {"name": {"1": "y" * size}}
        with monkeypatch.context() as patch:
            was_killed = dying(patch, fatal, missing)
            with contextlib.suppress(Killed):
                put(folder, ("name", "1", "y" * size), ("name", "2", None))
        assert read(folder) in ((before, after) if was_killed() else (after,))
        put(folder, ("name", "1", "z"), ("name", "2", None))
        assert read(folder) == {"name": {"1": "z"}}
        if not was_killed():
            return
    pytest.fail("every write was fatal")


@pytest.mark.parametrize("put", [put_log, put_store, shorten])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ENOLCK, errno.EIO])
def test_facts_that_cannot_be_written_are_an_error_and_leave_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, put: Put, code: int
) -> None:
    put(tmp_path, ("name", "1", "old"))

    def refuse(*_arguments: Any) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr("fcntl.flock" if code == errno.ENOLCK else "os.pwrite", refuse)
        if code == errno.EIO:
            patch.setattr("os.ftruncate", refuse)
        with pytest.raises(OSError, match=os.strerror(code)):
            put(tmp_path, ("name", "1", "new"))
    monkeypatch.setattr(module, "SIZE_LIMIT", 1 << 20)
    with pytest.raises(OSError, match="too large") as caught:
        put(tmp_path, ("name", "1", "x" * (1 << 20)))
    assert caught.value.errno == errno.EFBIG
    assert [caught.value.filename] == list(map(str, tmp_path.iterdir()))
    assert read(tmp_path) == {"name": {"1": "old"}}
    put(tmp_path, ("name", "1", "new"))
    assert read(tmp_path) == {"name": {"1": "new"}}


@PUTS
@pytest.mark.slow
def test_real_kills_lose_nothing_that_was_written(tmp_path: Path, put: Put) -> None:
    """Each process puts a number twice, in facts that fill several pages."""
    rolls = random.Random(5)
    put(tmp_path, *(("filler", str(mark), "x" * 90) for mark in range(200)))

    def work(number: int) -> None:
        while True:
            number += 1
            put(tmp_path, ("number", "", number), ("copy", "", "c" * rolls.randrange(9000)), ("again", "", number))

    for number in range(6):
        processes = [forked(lambda number=number: work(1000 * number)) for _number in range(3)]  # type: ignore[misc]
        time.sleep(rolls.uniform(0.05, 0.15))
        for process in processes:
            kill(process)
        ended(*processes)
        facts = read(tmp_path)
        assert facts.get("number") == facts.get("again")
        assert len(facts["filler"]) == 200
        assert "broken" not in facts


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
        b'["a",' + b",".join([b'["k","m",1]'] * 1001) + b"]",
        b'["' + b"x" * 20_000_000 + b'"]',
    ],
)
def test_hostile_lines_of_a_log_are_reported_and_take_no_time(tmp_path: Path, line: bytes) -> None:
    put_log(tmp_path, ("name", "1", "x"))
    with (tmp_path / "log.jsonl").open("ab") as file:
        file.write(line + b'\n["acme", ["name", "2", "y"]]\n["acme", ["na')
    begun = time.process_time()
    log = log_in(tmp_path)
    assert log.read() == {"acme": {"name": {"1": "x", "2": "y"}}}
    assert log.unread[0] == 2
    assert time.process_time() - begun < 2
    assert not log.is_long
    log.put("acme", ("name", "2", None))
    assert log_in(tmp_path).read() == {"acme": {"name": {"1": "x"}}}


@pytest.mark.parametrize("end", [b"[", b'["acme", ["name", "1", "y"]]', b"\0" * 5000, b'["acme"' + b"\0" * 5000])
def test_a_last_line_without_its_end_is_no_transaction(tmp_path: Path, end: bytes) -> None:
    put_log(tmp_path, ("name", "1", "x"))
    with (tmp_path / "log.jsonl").open("ab") as file:
        file.write(end)
    assert read(tmp_path) == {"name": {"1": "x"}}
    put_log(tmp_path, ("name", "2", "z"))
    assert read(tmp_path) == {"name": {"1": "x", "2": "z"}}


@pytest.mark.parametrize("content", [b"\n" * 5000, b"garbage\n" * 1002, b"[" * ((1 << 20) + 1)])
def test_a_file_of_something_else_is_no_log(tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SIZE_LIMIT", 1 << 20)
    (tmp_path / "log.jsonl").write_bytes(content)
    with pytest.raises(NotFacts, match=r"log\.jsonl has more than (1000 lines|1048576 bytes)"):
        log_in(tmp_path).read()
    with pytest.raises(NotFacts):
        put_log(tmp_path, ("name", "1", "x"))


@pytest.mark.parametrize(
    "content",
    [
        b"garbage",
        b"\0" * 5000,
        b"[" * 1_000_000,
        b'{"facts": {"a": 5}, "number": 1}\n',
        b'{"facts": [], "number": 1}\n',
        b'{"facts": {}, "number": 1e999}\n',
        b'{"facts": {}, "number": 7}',
        b'{"facts": {}, "number": 0}\n',
        b"5\n[]\nnull\n{}\n",
        b"{\n" * 2_000_000,
    ],
)
def test_a_broken_file_of_a_store_is_replaced_and_says_when(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "facts-acme.json"
    path.write_bytes(content)
    path.chmod(0o600)
    begun = time.process_time()
    for moment in (1000.0, 2000.0):
        with Store(Folder(tmp_path), lambda moment=moment: moment).changing("acme") as facts:  # type: ignore[misc]
            facts.put(("name", "1", "x"))
            assert facts.broken_at == 1000.0
    assert time.process_time() - begun < 5
    assert read(tmp_path)["name"] == {"1": "x"}


def test_facts_that_are_nested_too_deep_are_not_written_again(tmp_path: Path) -> None:
    value: list[Any] = []
    for _depth in range(2000):
        value = [value]
    with pytest.raises(NotFacts, match="nested too deep"):
        put_log(tmp_path, ("name", "1", value))
    assert read(tmp_path) == {}


@pytest.mark.parametrize("is_shared", [True, False])
def test_a_block_that_fails_changes_nothing(tmp_path: Path, is_shared: bool) -> None:
    store = Store(Folder(tmp_path) if is_shared else None)
    with store.changing("acme") as facts:
        facts.put(("name", "1", ["old"]))
    with contextlib.suppress(Killed), store.changing("acme") as facts:
        facts.put(("name", "1", ["new"]))
        raise Killed
    with store.changing("acme") as facts:
        assert facts.get("name", "1") == ["old"]


def test_a_store_keeps_one_line_of_a_mebibyte_at_most(tmp_path: Path) -> None:
    def content(value: str, number: int) -> bytes:
        return f'{{"facts":{{"name":{{"1":"{value}"}}}},"number":{number}}}\n'.encode()

    path = tmp_path / "facts-acme.json"
    for number, value in enumerate(("x" * 50, "y", "z" * 50), 1):
        put_store(tmp_path, ("name", "1", value))
        assert path.read_bytes().lstrip(b" ") == content(value, number)
    # The line fits exactly into the space before the earlier one.
    assert path.read_bytes() == content("z" * 50, 3)
    value = "x" * ((1 << 20) - len(content("", 4)))
    with pytest.raises(OSError, match=os.strerror(errno.EFBIG)) as caught:
        put_store(tmp_path, ("name", "1", value + "x"))
    assert (caught.value.errno, caught.value.filename) == (errno.EFBIG, str(path))
    put_store(tmp_path, ("name", "1", value))
    assert read(tmp_path) == {"name": {"1": value}}


def test_the_line_with_the_highest_number_counts(tmp_path: Path) -> None:
    lines = [b'{"facts":{"name":{"1":"%d"}},"number":%d}\n' % (number, number) for number in range(1, 10)]
    path = tmp_path / "facts-acme.json"
    path.write_bytes(b"".join(lines[:8]))
    path.chmod(0o600)
    assert read(tmp_path) == {"name": {"1": "8"}}
    value = "x" * 100
    put_store(tmp_path, ("name", "1", value))
    assert path.read_bytes() == b'{"facts":{"name":{"1":"%s"}},"number":9}\n' % value.encode()
    path.write_bytes(b"".join(lines))
    assert list(read(tmp_path)) == ["broken"]


@pytest.mark.parametrize("name", ["SIZE_LIMIT", "_LINE_LIMIT"])
def test_a_log_and_its_lines_may_have_exactly_their_most_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    line = b'["acme",["run","",{"digest":"0"}]]\n'
    put_log(tmp_path, ("run", "", {"digest": "0"}))
    assert (tmp_path / "log.jsonl").read_bytes() == line
    monkeypatch.setattr(module, name, 2 * len(line) if name == "SIZE_LIMIT" else len(line))
    put_log(tmp_path, ("run", "", {"digest": "1"}))
    assert read(tmp_path) == {"run": {"": {"digest": "1"}}}
    with pytest.raises(OSError, match="too large"):
        put_log(tmp_path, ("run", "", {"digest": "20"}))


def test_a_log_may_have_a_thousand_unreadable_lines(tmp_path: Path) -> None:
    put_log(tmp_path, ("name", "1", "x"))
    with (tmp_path / "log.jsonl").open("ab") as file:
        file.write(b"garbage\n" * 1000)
    assert log_in(tmp_path).read() == {"acme": {"name": {"1": "x"}}}
    with (tmp_path / "log.jsonl").open("ab") as file:
        file.write(b"garbage\n")
    with pytest.raises(NotFacts):
        log_in(tmp_path).read()


def test_a_kind_without_facts_has_none(tmp_path: Path) -> None:
    with Store(Folder(tmp_path)).changing("acme") as facts:
        assert (facts.all("name"), facts.get("name")) == ({}, None)


def test_many_facts_are_lines_of_a_thousand_and_a_log_of_old_facts_is_long(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    for value in range(3):
        log.put("acme", *(("name", str(mark), value) for mark in range(2500)))
        assert log.is_long is (value > 1)
    assert len((tmp_path / "log.jsonl").read_bytes().splitlines()) == 9
    log.shorten()
    assert len((tmp_path / "log.jsonl").read_bytes().splitlines()) == 3
    assert not log.is_long
    assert read(tmp_path) == {"name": {str(mark): 2 for mark in range(2500)}}


def test_a_lock_is_kept_for_several_calls_and_over_a_shortening(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    assert log.try_lock()
    log.put("acme", ("name", "1", "x"))
    log.shorten()
    assert not log_in(tmp_path).try_lock()
    assert ended(forked(lambda: os._exit(log.try_lock()))) == [0]
    assert log.try_lock()
    (tmp_path / "log.jsonl").unlink()
    with pytest.raises(FileNotFoundError, match="was removed"):
        log.put("acme", ("name", "1", "x"))
    assert log.read() == {}
    log.close()
    assert log_in(tmp_path).try_lock()


@pytest.mark.parametrize("process", [1, 4711])
def test_a_closed_log_is_locked_by_whoever_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, process: int
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: process)
    log, other = log_in(tmp_path), log_in(tmp_path)
    assert log.try_lock()
    assert not other.try_lock()
    log.close()
    assert other.try_lock()
    assert not log.try_lock()


@PUTS
def test_processes_that_write_at_the_same_time_lose_nothing(tmp_path: Path, put: Put) -> None:
    def write(writer: int) -> None:
        for number in range(40):
            put(tmp_path, (str(writer), str(number), writer))
            if number % 10 == 9 and put is put_log:
                log_in(tmp_path).shorten()

    assert ended(*[forked(lambda writer=writer: write(writer)) for writer in range(4)]) == [0] * 4  # type: ignore[misc]
    assert read(tmp_path) == {str(writer): {str(number): writer for number in range(40)} for writer in range(4)}
