# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Nothing below a directory leads out of it: no name, no link, no device."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.safe_files import Folder


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file of somebody else, beside the directory."""
    path = tmp_path / "victim.txt"
    path.write_text("mine", "utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    path = tmp_path / "folder"
    path.mkdir()
    return Folder(path)


@pytest.mark.parametrize(
    "name", ["../victim.txt", "/etc/hostname", "a/../../victim.txt", "", ".", "a//b", "a/", "a\0b"]
)
def test_names_that_lead_elsewhere_are_refused_by_everything(folder: Folder, victim: Path, name: str) -> None:
    for deed in (lambda: folder.read(name, 10), lambda: folder.write(name, b"x"), lambda: folder.remove(name)):
        with pytest.raises(InvalidInput):
            deed()
    assert not folder.has_file(name)
    assert victim.read_text("utf-8") == "mine"


def test_a_link_is_not_read_and_is_replaced_by_a_write(folder: Folder, victim: Path) -> None:
    (folder.path / "a").symlink_to(victim)
    with pytest.raises(InvalidInput, match="is a link"):
        folder.read("a", 10)
    folder.write("a", b"x")
    assert (victim.read_text("utf-8"), folder.read("a", 10)) == ("mine", b"x")


def test_a_link_among_the_directories_is_refused(folder: Folder, victim: Path) -> None:
    (folder.path / "sub").symlink_to(victim.parent, target_is_directory=True)
    for deed in (
        lambda: folder.read("sub/victim.txt", 10),
        lambda: folder.write("sub/victim.txt", b"x"),
        lambda: folder.write("sub/deep/new.txt", b"x"),
        lambda: folder.remove("sub/victim.txt"),
    ):
        with pytest.raises(InvalidInput, match="is a link or no directory"):
            deed()
    assert sorted(path.name for path in victim.parent.iterdir()) == ["folder", "victim.txt"]
    assert victim.read_text("utf-8") == "mine"


def test_the_directory_itself_may_be_a_link(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder.path, target_is_directory=True)
    Folder(tmp_path / "link").write("a", b"x")
    assert folder.read("a", 10) == b"x"


def test_pipes_and_devices_are_refused_at_once(folder: Folder) -> None:
    os.mkfifo(folder.path / "pipe")
    with pytest.raises(InvalidInput, match="not a regular file"):
        folder.read("pipe", 10)
    with pytest.raises(InvalidInput, match="not a regular file"):
        Folder(Path("/dev")).read("zero", 10)


def test_what_is_longer_than_the_limit_is_refused(folder: Folder) -> None:
    folder.write("a", b"12345")
    assert folder.read("a", 5) == b"12345"
    with pytest.raises(InvalidInput, match="more than 4 bytes"):
        folder.read("a", 4)


def test_what_is_new_is_for_its_owner_alone_and_what_is_replaced_keeps_its_mode(folder: Folder) -> None:
    folder.write("sub/new", b"x")
    (folder.path / "old").write_bytes(b"y")
    (folder.path / "old").chmod(0o640)
    folder.write("old", b"z")
    folder.write("told", b"z", mode=0o644)
    modes = [stat.S_IMODE((folder.path / name).stat().st_mode) for name in ("sub", "sub/new", "old", "told")]
    assert modes == [0o700, 0o600, 0o640, 0o644]
    assert list(folder.names()) == ["old", "sub/new", "told"]


def test_a_write_that_fails_leaves_what_was_there(folder: Folder) -> None:
    (folder.path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        folder.write("taken", b"x")
    assert [path.name for path in folder.path.iterdir()] == ["taken"]


def test_removing_takes_the_empty_directories_along(folder: Folder) -> None:
    folder.write("a/b/c", b"x")
    folder.write("a/d", b"x")
    folder.remove("a/b/c")
    folder.remove("a/b/c")
    assert sorted(path.name for path in (folder.path / "a").iterdir()) == ["d"]
