# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""No name, link or device below a directory leads out of it."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.access import Access
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import (
    FileType,
    Folder,
    ListResult,
    NotOpened,
)


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Return a file beside the directory, which must stay unchanged."""
    path = tmp_path / "victim.txt"
    path.write_text("mine", "utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    path = tmp_path / "folder"
    path.mkdir()
    return Folder(path)


@pytest.mark.parametrize(
    "name", ["../victim.txt", "/etc/hostname", "a/../../victim.txt", "", ".", "a//b", "a/", "a\0b", "\ud800"]
)
def test_names_that_lead_elsewhere_are_refused_by_everything(folder: Folder, victim: Path, name: str) -> None:
    for deed in (
        lambda: folder.read(name, 10),
        lambda: folder.write(name, b"x"),
        lambda: folder.remove(name),
        lambda: folder.type_of(name),
        lambda: folder.open_to_update(name),
        lambda: folder.has_content(name, b"mine"),
    ):
        with pytest.raises(InvalidInput):
            deed()
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


def test_removing_a_file_removes_its_empty_directories(folder: Folder) -> None:
    folder.write("a/b/c", b"x")
    folder.write("a/d", b"x")
    folder.remove("a/b/c")
    folder.remove("a/b/c")
    assert sorted(path.name for path in (folder.path / "a").iterdir()) == ["d"]


def test_what_is_refused_says_where_and_why(folder: Folder, victim: Path) -> None:
    folder.write("sub/a", b"x")
    (folder.path / "sub" / "away").symlink_to(victim.parent, target_is_directory=True)
    _make_socket(folder.path)
    for name, at, why in [
        ("sub/away/victim.txt", "sub/away", "is a link or no directory"),
        ("sub/a/b", "sub/a", "is a link or no directory"),
        ("sub/away", "sub/away", "is a link; expected a regular file"),
        ("sub", "sub", "is not a regular file"),
        ("socket", "socket", "is not a regular file"),
    ]:
        with pytest.raises(NotOpened) as refused:
            folder.status(name)
        assert (refused.value.at, refused.value.why) == (at, why)


def _make_socket(where: Path) -> None:
    # The whole path may be too long for a socket.
    with contextlib.chdir(where), socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")


def test_what_is_longer_than_the_limit_is_refused(folder: Folder) -> None:
    with (folder.path / "a").open("wb") as sparse:
        sparse.truncate(1 << 40)
    folder.write("b", b"12345")
    assert folder.read("b", 5) == b"12345"
    with pytest.raises(NotOpened, match="more than 4 bytes"):
        folder.read("b", 4)
    with pytest.raises(NotOpened, match="more than 10 bytes"):
        folder.read("a", 10)


def test_a_directory_lists_what_is_in_it_and_follows_nothing(folder: Folder, victim: Path) -> None:
    folder.write("sub/b/c", b"x")
    folder.write("sub/a", b"x")
    (folder.path / "sub" / "link").symlink_to(victim)
    (folder.path / "sub" / "away").symlink_to(victim.parent, target_is_directory=True)
    os.mkfifo(folder.path / "sub" / "pipe")
    assert folder.listed() == [ListResult("sub", FileType.FOLDER)]
    assert folder.listed("sub") == [
        ListResult("sub/a", FileType.FILE),
        ListResult("sub/away", FileType.LINK),
        ListResult("sub/b", FileType.FOLDER),
        ListResult("sub/link", FileType.LINK),
        ListResult("sub/pipe", FileType.OTHER),
    ]
    for name in ("sub/away", "sub/a"):
        with pytest.raises(NotOpened, match="is a link or no directory"):
            folder.listed(name)
    assert [folder.type_of(name) for name in ("none", "none/deep", "sub/link")] == [None, None, FileType.LINK]
    assert FileType.LINK in [member.type for member in folder.below()]
    assert list(Folder(folder.path / "none").below()) == []
    with pytest.raises(FileNotFoundError):
        folder.listed("none")
    with pytest.raises(InvalidInput):
        folder.listed("..")


def test_what_is_swapped_for_a_link_between_looking_and_opening_is_not_read(
    folder: Folder, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("a", b"x")
    real = os.stat

    def swap(*what: Any, **how: Any) -> os.stat_result:
        found = real(*what, **how)
        (folder.path / "a").unlink()
        (folder.path / "a").symlink_to(victim)
        return found

    monkeypatch.setattr(os, "stat", swap)
    with pytest.raises(OSError, match="symbolic links"):
        folder.read("a", 10)


# ---- what is there, and who may do what with it


@pytest.mark.parametrize(("content", "same"), [(b"abc", True), (b"abd", False), (b"ab", False), (b"", False)])
def test_a_file_has_exactly_its_bytes(folder: Folder, victim: Path, content: bytes, same: bool) -> None:
    folder.write("a", b"abc")
    assert folder.has_content("a", content) is same
    (folder.path / "link").symlink_to(victim)
    assert not folder.has_content("link", victim.read_bytes())
    assert not folder.has_content("none", content)


def test_a_file_that_is_replaced_passes_its_group_on_with_its_mode(folder: Folder) -> None:
    path = folder.path / "a"
    path.write_bytes(b"x")
    path.chmod(0o4640)
    before = path.stat()
    folder.write("a", b"y")
    after = path.stat()
    assert (after.st_gid, stat.S_IMODE(after.st_mode)) == (before.st_gid, 0o640)


def test_a_group_that_can_not_be_passed_on_may_not_read(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder.path / "a"
    path.write_bytes(b"x")
    path.chmod(0o664)

    def refuse(*_arguments: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.chown", refuse)
    copy = Path(folder.backup("a"))
    folder.write("a", b"y")
    assert [stat.S_IMODE(written.stat().st_mode) for written in (path, copy)] == [0o600, 0o600]


def test_an_owner_that_can_not_be_given_is_an_error_that_leaves_what_was_there(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("a", b"x")

    def refuse(*_arguments: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.lchown", refuse)
    with pytest.raises(InvalidInput, match="chown failed"):
        folder.write("a", b"y", Access(owner="1234"))
    assert [(path.name, path.read_bytes()) for path in folder.path.iterdir()] == [("a", b"x")]


@pytest.mark.parametrize(
    ("mode", "file", "directory"),
    [
        (None, 0o600, 0o700),
        (0o644, 0o644, 0o755),
        ("u=rw,g=r", 0o640, 0o750),
        ("g+rw", 0o660, 0o770),
        ("a=r", 0o444, 0o555),
    ],
)
def test_who_may_read_a_file_may_enter_the_directories_that_are_created_for_it(
    tmp_path: Path, mode: int | str | None, file: int, directory: int
) -> None:
    folder = Folder(tmp_path / "new")
    folder.write("sub/a", b"x", Access(mode))
    paths = (folder.path, folder.path / "sub", folder.path / "sub" / "a")
    assert [stat.S_IMODE(path.stat().st_mode) for path in paths] == [directory, directory, file]


@pytest.mark.parametrize("name", ["a", "sub/" + "ä" * 120])
def test_a_backup_has_content_mode_and_time_and_a_name_of_its_own(folder: Folder, name: str) -> None:
    folder.write(name, b"x", Access(0o640))
    os.utime(folder.path / name, (1, 2))
    copies = [Path(folder.backup(name)) for _time in range(2)]
    for copy in copies:
        status = copy.stat()
        assert (copy.read_bytes(), stat.S_IMODE(status.st_mode), status.st_mtime) == (b"x", 0o640, 2)
        assert copy.parent == (folder.path / name).parent
    assert len(set(copies)) == 2


# ---- the way to the directory


def test_the_directory_may_stand_behind_links_of_this_user(tmp_path: Path) -> None:
    (tmp_path / "real" / "in").mkdir(parents=True)
    (tmp_path / "absolute").symlink_to(tmp_path / "real")
    (tmp_path / "real" / "relative").symlink_to("../absolute/./in/../in")
    Folder(tmp_path / "absolute" / "relative").write("file", b"x")
    assert (tmp_path / "real" / "in" / "file").read_bytes() == b"x"


def test_a_link_that_leads_to_itself_is_an_error_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError, match="circle"):
        Folder(tmp_path / "circle").listed()


def test_a_deleted_working_directory_only_affects_relative_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert Folder(tmp_path).listed() == []
    with pytest.raises(FileNotFoundError):
        Folder(Path("x"))


def test_directories_that_are_missing_are_created_whatever_the_mask_of_the_user(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        Folder(tmp_path / "a" / "b").write("c/file", b"x")
        Folder(tmp_path / "d" / "e").write("file", b"x", Access(mode=0o644))
    finally:
        os.umask(mask)
    assert (tmp_path / "a" / "b" / "c" / "file").read_bytes() == b"x"
    modes = {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a", "a/b", "a/b/c", "d", "d/e")}
    assert modes == {"a": 0o700, "a/b": 0o700, "a/b/c": 0o700, "d": 0o755, "d/e": 0o755}


def test_an_access_that_is_none_is_refused() -> None:
    for option, value in [("mode", "rw"), ("mode", ["0600"]), ("owner", "nobody-of-that-name"), ("group", "none-such")]:
        with pytest.raises(InvalidInput, match=r"octal or symbolic form|failed to look up"):
            Access.from_options({option: value})
