# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks between processes: one owner, even after a file was removed, and a number without content."""

from __future__ import annotations

from pathlib import Path

import pytest
from processes import ended, forked, note, noted

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.facts import FactLog
from ansible_collections.community.seventhings.plugins.module_utils.runtime.locks import SharedFile
from ansible_collections.community.seventhings.plugins.module_utils.runtime.store import Store


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return a private place."""
    (tmp_path / "one").mkdir(0o700)
    return Folder(tmp_path / "one")


def test_a_lock_of_a_removed_file_excludes_nobody(folder: Folder) -> None:
    early, late = SharedFile(folder, "lock"), SharedFile(folder, "lock")
    early.descriptor()
    early.path.unlink()
    assert late.try_lock()
    assert not early.try_lock()
    late.release()
    assert early.try_lock()


def test_the_number_of_a_lock_changes_with_each_count_for_all_processes(folder: Folder) -> None:
    files = [SharedFile(folder, "lock") for _number in range(2)]
    numbers = [files[0].number]
    for file in files * 2:
        file.count()
        assert files[0].number == files[1].number
        numbers.append(file.number)
    assert sorted(set(numbers)) == numbers


def test_a_forked_process_does_not_share_a_lock(folder: Folder, tmp_path: Path) -> None:
    file = SharedFile(folder, "lock")
    assert file.try_lock()
    assert ended(forked(lambda: note(tmp_path / "child", file.try_lock()))) == [0]
    assert list(noted(tmp_path / "child")) == ["False"]


def test_a_process_with_many_connections_keeps_no_file_open(folder: Folder) -> None:
    def use(number: int) -> None:
        with Store(folder).changing("one") as facts:
            facts.put(("number", "", number))
        FactLog(folder, "log").put("one", ("number", "", number))
        with (
            SharedFile(folder, "lock").locked(0.0),
            pytest.raises(OSError, match="is locked by another process"),
            SharedFile(folder, "lock").locked(0.0),
        ):
            raise AssertionError

    before = len(list(Path("/dev/fd").iterdir()))
    for number in range(3):
        use(number)
    assert len(list(Path("/dev/fd").iterdir())) == before
