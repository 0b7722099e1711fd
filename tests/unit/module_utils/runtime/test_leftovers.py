# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The next task uses the uploads of a failed task, once."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.leftovers import Leftovers

from ..support import uuid_of

ROOT = "https://acme.seventhings.com"


def _of(path: Path, root: str = ROOT) -> Leftovers:
    path.chmod(0o700)
    return Leftovers(Folder(path), root)


def test_what_a_failed_task_uploaded_is_taken_once(tmp_path: Path) -> None:
    failed = _of(tmp_path)
    failed.uploaded("a.txt", b"Terms", uuid_of(1))
    failed.keep()
    assert _of(tmp_path).take("a.txt", b"Terms") == uuid_of(1)
    assert _of(tmp_path).take("a.txt", b"Terms") == ""


def test_what_a_task_uploaded_that_went_well_is_not_kept(tmp_path: Path) -> None:
    session = _of(tmp_path)
    session.uploaded("a.txt", b"Terms", uuid_of(1))
    session.begin()
    session.keep()
    assert list(tmp_path.iterdir()) == []


def test_another_name_content_or_instance_finds_nothing(tmp_path: Path) -> None:
    failed = _of(tmp_path)
    failed.uploaded("a.txt", b"Terms", uuid_of(1))
    failed.keep()
    assert _of(tmp_path).take("b.txt", b"Terms") == ""
    assert _of(tmp_path).take("a.txt", b"Others") == ""
    assert _of(tmp_path, "https://other.seventhings.com").take("a.txt", b"Terms") == ""


def test_a_note_that_is_none_is_no_leftover(tmp_path: Path) -> None:
    failed = _of(tmp_path)
    failed.uploaded("a.txt", b"Terms", uuid_of(1))
    failed.keep()
    (note,) = tmp_path.iterdir()
    note.write_bytes(b"\xff")
    assert _of(tmp_path).take("a.txt", b"Terms") == ""


def test_where_nothing_is_shared_nothing_is_kept() -> None:
    alone = Leftovers()
    alone.uploaded("a.txt", b"Terms", uuid_of(1))
    alone.keep()
    assert alone.take("a.txt", b"Terms") == ""
