# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker of Ansible ends soon after ansible-playbook was killed."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest
from processes import ended, forked, kill, note, noted, until

from ansible_collections.community.seventhings.plugins.plugin_utils.controller import parent


def _blocked(started: Path) -> None:
    """Do what a worker does when nobody reads its results: write into a full pipe, of which it has both ends."""
    parent.end_with_parent()
    _reading, writing = os.pipe()
    note(started, os.getpid())
    os.write(writing, b"x" * (1 << 20))


def _playbook(started: Path) -> None:
    worker = multiprocessing.get_context("fork").Process(target=_blocked, args=(started,))
    worker.start()
    worker.join()


def _lives(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_worker_that_is_blocked_on_its_pipe_ends_with_ansible_playbook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parent, "_GRACE", 0.05)
    monkeypatch.setattr(parent, "_LOOK_EVERY", 0.05)
    started = tmp_path / "started"
    playbook = forked(lambda: _playbook(started))
    until(lambda: any(noted(started)))
    worker = int(next(noted(started)))
    assert _lives(worker)
    kill(playbook)
    assert ended(playbook) == [-9]
    until(lambda: not _lives(worker))


def test_a_process_that_is_no_worker_is_not_watched() -> None:
    before = set(parent._WATCHED)
    parent.end_with_parent()
    assert before == parent._WATCHED
