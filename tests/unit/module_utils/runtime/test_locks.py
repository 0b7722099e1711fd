# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks between processes: one owner, even after a file was removed, and no lock is kept while waiting for another."""

from __future__ import annotations

from pathlib import Path

import pytest
from processes import ended, forked, note, noted

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.locks import Lock, SharedFile


@pytest.fixture
def folders(tmp_path: Path) -> list[Folder]:
    """Return two private places."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir(0o700)
    return [Folder(tmp_path / name) for name in ("one", "two")]


def test_a_lock_of_a_removed_file_excludes_nobody(folders: list[Folder]) -> None:
    early, late = SharedFile(folders[0], "lock"), SharedFile(folders[0], "lock")
    early.descriptor()
    early.path.unlink()
    assert late.try_lock()
    assert not early.try_lock()
    late.release()
    assert early.try_lock()


def test_nothing_is_locked_while_one_of_the_places_is_busy(folders: list[Folder]) -> None:
    busy = SharedFile(folders[1], "lock")
    assert busy.try_lock()
    waiting = Lock(folders, "lock")
    assert not waiting.try_acquire()
    assert not waiting.is_held
    assert SharedFile(folders[0], "lock").try_lock()


def test_a_forked_process_does_not_share_a_lock(folders: list[Folder], tmp_path: Path) -> None:
    file = SharedFile(folders[0], "lock")
    assert file.try_lock()
    assert ended(forked(lambda: note(tmp_path / "child", file.try_lock()))) == [0]
    assert list(noted(tmp_path / "child")) == ["False"]
