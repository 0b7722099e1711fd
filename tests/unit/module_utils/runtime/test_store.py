# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts that processes share: whatever interrupts one of them, the others find all of its facts or none."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest
from deaths import Killed, dying
from hypothesis import given
from hypothesis import strategies as st
from processes import ended, forked, kill

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.facts import Fact
from ansible_collections.community.seventhings.plugins.module_utils.runtime.store import Store

from ..support import RANDOMISED

_TEXTS = st.text(max_size=3)
_FACTS = st.lists(st.tuples(_TEXTS, _TEXTS, st.none() | st.integers() | st.text(max_size=200)), max_size=4)


def put(store: Store, *facts: Fact) -> None:
    with store.changing("acme") as found:
        found.put(*facts)


def read(folder: Path) -> dict[str, Any]:
    with Store(Folder(folder)).changing("acme") as facts:
        return dict(facts.marks)


@RANDOMISED
@given(st.lists(_FACTS, max_size=12))
def test_every_process_finds_what_was_put_last(
    tmp_path_factory: pytest.TempPathFactory, puts: list[list[Fact]]
) -> None:
    path = tmp_path_factory.mktemp("store")
    stores = [Store(Folder(path)), Store(Folder(path)), Store()]
    expected: dict[tuple[str, str], Any] = {}
    for number, facts in enumerate(puts):
        for store in (stores[number % 2], stores[2]):
            put(store, *facts)
        expected |= {(kind, mark): value for kind, mark, value in facts}
    for store in stores:
        with store.changing("acme") as found:
            assert {(kind, mark): found.get(kind, mark) for kind, mark in expected} == expected
            assert sum(map(len, found.marks.values())) == sum(value is not None for value in expected.values())
    if any(value is not None for facts in puts for _kind, _mark, value in facts):
        content = (path / "facts-acme.json").read_bytes()
        assert json.loads(content)["facts"] == read(path)
        assert len(content) < 3 * max(len(content.strip()), 3000)


@pytest.mark.parametrize("missing", [0, 1, 4, 30])
@pytest.mark.parametrize("size", [1, 40, 400])
def test_a_process_that_is_killed_at_any_write_leaves_the_old_facts_or_the_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: int, size: int
) -> None:
    for fatal in range(1, 9):
        folder = tmp_path / str(fatal)
        folder.mkdir()
        # The lines before the last have other lengths, so each place in the file was used.
        store = Store(Folder(folder))
        for length in (300, 90, 200):
            put(store, ("name", "1", "x" * length), ("name", "2", "old"))
        before, after = read(folder), {"name": {"1": "y" * size}}
        with monkeypatch.context() as patch:
            was_killed = dying(patch, fatal, missing)
            with contextlib.suppress(Killed):
                put(store, ("name", "1", "y" * size), ("name", "2", None))
        assert read(folder) in ((before, after) if was_killed() else (after,))
        put(Store(Folder(folder)), ("name", "1", "z"), ("name", "2", None))
        assert read(folder) == {"name": {"1": "z"}}
        if not was_killed():
            return
    pytest.fail("every write was fatal")


@pytest.mark.slow
def test_real_kills_lose_nothing_that_was_written(tmp_path: Path) -> None:
    """Each process counts on after the last number that it finds, in a file of facts that fills several pages."""
    rolls = random.Random(5)
    put(Store(Folder(tmp_path)), *(("filler", str(mark), "x" * 90) for mark in range(200)), ("number", "", 0))

    def work() -> None:
        store = Store(Folder(tmp_path))
        while True:
            with store.changing("acme") as facts:
                number = facts.get("number") + 1
                facts.put(("number", "", number), ("copy", "", "c" * rolls.randrange(9000)), ("again", "", number))

    before = 0
    for _round in range(8):
        processes = [forked(work) for _number in range(3)]
        time.sleep(rolls.uniform(0.01, 0.15))
        for process in processes:
            kill(process)
        ended(*processes)
        facts = read(tmp_path)
        assert facts["number"][""] == facts.get("again", {"": 0})[""] >= before
        assert len(facts["filler"]) == 200
        assert "broken" not in facts
        before = facts["number"][""]


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
        b"5\n[]\nnull\n{}\n",
        b"{\n" * 2_000_000,
    ],
)
def test_a_broken_file_is_replaced_and_says_when(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "facts-acme.json"
    path.write_bytes(content)
    path.chmod(0o600)
    begun = time.process_time()
    put(Store(Folder(tmp_path), lambda: 1000.0), ("name", "1", "x"))
    assert time.process_time() - begun < 5
    with Store(Folder(tmp_path), lambda: 2000.0).changing("acme") as facts:
        assert (facts.get("name", "1"), facts.broken_at) == ("x", 1000.0)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ENOLCK, errno.EIO])
def test_facts_that_cannot_be_written_are_an_error_and_leave_the_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    store = Store(Folder(tmp_path))
    put(store, ("name", "1", "old"))

    def refuse(*_arguments: Any) -> int:
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr("fcntl.flock" if code == errno.ENOLCK else "os.pwrite", refuse)
        with pytest.raises(OSError, match=os.strerror(code)):
            put(store, ("name", "1", "new"))
    assert read(tmp_path) == {"name": {"1": "old"}}
    with pytest.raises(OSError, match="too large"):
        put(store, ("name", "1", "x" * (1 << 20)))
    assert read(tmp_path) == {"name": {"1": "old"}}


@pytest.mark.parametrize("is_shared", [True, False])
def test_a_block_that_fails_changes_nothing(tmp_path: Path, is_shared: bool) -> None:
    store = Store(Folder(tmp_path) if is_shared else None)
    put(store, ("name", "1", ["old"]))
    with contextlib.suppress(Killed), store.changing("acme") as facts:
        facts.put(("name", "1", ["new"]))
        raise Killed
    with store.changing("acme") as facts:
        assert facts.get("name", "1") == ["old"]
