# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Downloads and reports: names can't choose a path, links are never followed, and only the owner reads the files."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import (
    Invocation,
    run_module,
)
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Transport
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import Kind
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import Creations

UUID = "1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8"
SECRET = "of somebody else\n"
CONTENT = b"%PDF-1.7 of the service\n"
NEW = b"%PDF-1.7 new"


@dataclass
class Service:
    """A service with one file and one report template, which can have any names."""

    name: Any = "invoice.pdf"
    size: Any = 24
    content: bytes = CONTENT
    transport: Any = field(default_factory=lambda: Transport("https://acme.example"))
    tokens: Any = field(default_factory=lambda: SimpleNamespace(secrets=frozenset()))
    creations: Creations = field(default_factory=Creations)

    def forget_definitions(self) -> None:
        """Forget nothing, because nothing is cached."""

    def get(self, kind: Kind, uuid: str) -> Record:
        return Record(kind, uuid, 7, {"uuid": uuid, "name": self.name, "size": self.size})

    def send(self, *_request: Any, **_options: Any) -> Any:
        self.transport.sent += 1
        return SimpleNamespace(body=self.content, json=lambda: None)

    def read(self, _path: str) -> Any:
        self.transport.sent += 1
        return SimpleNamespace(json=lambda: [{"uuid": UUID, "name": "All"}])


def run(module: str, service: Service, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    given = {"uuid": UUID, "template": "All", "objects": [UUID], "force": None, **options}
    if module == "report":
        given["force"] = bool(given["force"])
    client = cast(Client, service)
    return run_module(module, Invocation(given, given, check_mode), lambda _options, _check: client)


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim.txt"
    path.write_text(SECRET, "utf-8")
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "sub" / "place"
    path.mkdir(parents=True)
    return path


both = pytest.mark.parametrize("module", ["file_download", "report"])

# ---- names of the service


@pytest.mark.parametrize(
    "name",
    [
        "../victim.txt",
        "../../victim.txt",
        "/etc/passwd",
        "..",
        ".",
        "...",
        "",
        None,
        " ",
        "_",
        ".bashrc",
        "..\\..\\victim.txt",
        "a/b",
        "a\0b",
        "\x1b[2Jred",
        "line\nbreak",
        "\u202efdp.exe",
        "zero\u200bwidth",
        "next\u2028line",
        "\ud800",
        "ä" * 300 + ".pdf",
        "a" * 300,
        "a." + "b" * 300,
        ["a"],
        {"a": "b"},
        5,
    ],
)
def test_a_file_comes_to_one_plain_name_in_its_directory(place: Path, victim: Path, name: Any) -> None:
    done = run("file_download", Service(name), dest=str(place))
    assert not done.get("failed"), done
    (path,) = place.iterdir()
    assert path.read_bytes() == CONTENT
    assert path.name.isprintable()
    assert not path.name.startswith(".")
    assert not run("file_download", Service(name), dest=str(place))["changed"]
    assert victim.read_text("utf-8") == SECRET
    assert [path.name for path in place.parent.iterdir()] == ["place"]


@pytest.mark.parametrize("name", ["Rechnung Nr. 7 (Kopie) & mehr.pdf", "Übersicht.ods", "-rf", "请求.txt", "a..b", "~"])
def test_a_name_that_harms_nobody_is_kept(place: Path, name: str) -> None:
    run("file_download", Service(name), dest=str(place))
    assert [path.name for path in place.iterdir()] == [name]


# ---- what stands there already


@both
def test_a_link_at_the_path_of_the_file_is_replaced_and_not_followed(place: Path, victim: Path, module: str) -> None:
    dest = place / "a.pdf"
    dest.symlink_to(victim)
    assert run(module, Service(), dest=str(dest), check_mode=True)["changed"]
    assert dest.is_symlink()
    done = run(module, Service(), dest=str(dest), mode="0644", backup=True)
    assert not done.get("failed"), done
    assert victim.read_text("utf-8") == SECRET
    assert (dest.is_symlink(), dest.read_bytes()) == (False, CONTENT)
    assert stat.S_IMODE(victim.stat().st_mode) != stat.S_IMODE(0o600)
    assert [path.name for path in place.iterdir()] == ["a.pdf"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("same", [True, False])
def test_a_link_of_that_name_in_a_directory_is_another_file(
    place: Path, tmp_path: Path, same: bool, check_mode: bool
) -> None:
    target = tmp_path / "target"
    target.write_bytes(CONTENT if same else b"other")
    (place / "invoice.pdf").symlink_to(target)
    done = run("file_download", Service(), dest=str(place), check_mode=check_mode)
    assert done["failed"]
    assert "something else exists already" in done["msg"]
    if not check_mode:
        assert run("file_download", Service(), dest=str(place), force=True)["changed"]
        assert not (place / "invoice.pdf").is_symlink()
    assert target.read_bytes() == (CONTENT if same else b"other")


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("other", [b"mine", b"x" * len(CONTENT)])
def test_another_file_of_that_name_in_a_directory_is_replaced_with_force_alone(
    place: Path, other: bytes, check_mode: bool
) -> None:
    path = place / "invoice.pdf"
    path.write_bytes(other)
    for force in (None, False):
        done = run("file_download", Service(), dest=str(place), force=force, check_mode=check_mode)
        assert done["failed"]
        assert f"{path}. Delete it, or set force: true" in done["msg"]
        assert path.read_bytes() == other
    assert run("file_download", Service(), dest=str(place), force=True, check_mode=check_mode)["changed"]
    assert path.read_bytes() == (other if check_mode else CONTENT)


def test_at_the_path_of_a_file_force_false_keeps_what_is_there(place: Path) -> None:
    dest = place / "a.pdf"
    dest.write_bytes(b"mine")
    assert not run("file_download", Service(), dest=str(dest), force=False)["changed"]
    assert dest.read_bytes() == b"mine"
    assert run("file_download", Service(), dest=str(dest))["changed"]
    assert dest.read_bytes() == CONTENT


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_directory(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("force", [True, False, None])
@pytest.mark.parametrize("make", [make_pipe, make_directory])
def test_a_pipe_or_a_directory_of_that_name_is_an_error_at_once(
    place: Path, make: Callable[[Path], None], force: bool | None, check_mode: bool
) -> None:
    make(place / "invoice.pdf")
    done = run("file_download", Service(), dest=str(place), force=force, check_mode=check_mode)
    assert done["failed"]
    assert "is not a regular file" in done["msg"]


@both
def test_a_pipe_at_the_path_of_the_file_is_an_error_at_once(place: Path, module: str) -> None:
    os.mkfifo(place / "a")
    for force in (True, False):
        done = run(module, Service(), dest=str(place / "a"), force=force)
        assert done["failed"]
        assert "is not a regular file" in done["msg"]


# ---- who may read it


@both
@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_a_new_file_is_for_its_owner_alone_unless_the_task_says_otherwise(place: Path, module: str, mask: int) -> None:
    before = os.umask(mask)
    try:
        for name, options, mode in (("a", {}, 0o600), ("b", {"mode": "0664"}, 0o664), ("c", {"mode": 0o640}, 0o640)):
            run(module, Service(), dest=str(place / name), **options)
            assert stat.S_IMODE((place / name).stat().st_mode) == mode
    finally:
        os.umask(before)


@both
def test_another_mode_alone_is_a_change_that_is_predicted_shown_and_done_once(place: Path, module: str) -> None:
    options: dict[str, Any] = {"dest": str(place / "a"), "mode": "g+r"}
    run(module, Service(), dest=str(place / "a"))
    predicted = run(module, Service(), check_mode=True, **options)
    assert stat.S_IMODE((place / "a").stat().st_mode) == 0o600
    done = run(module, Service(), **options)
    assert (predicted["changed"], predicted["diff"]) == (done["changed"], done["diff"])
    assert done["changed"]
    assert "'mode': '0600'" in str(done["diff"]["before"])
    assert "'mode': '0640'" in str(done["diff"]["after"])
    assert stat.S_IMODE((place / "a").stat().st_mode) == 0o640
    assert not run(module, Service(), **options)["changed"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@both
def test_a_file_that_another_user_created_first_passes_nothing_on(place: Path, module: str) -> None:
    dest = place / "a"
    dest.write_bytes(b"mine")
    dest.chmod(0o666)
    os.chown(dest, 1234, 1234)
    run(module, Service(), dest=str(dest), force=True)
    assert dest.read_bytes() == CONTENT
    assert (dest.stat().st_uid, stat.S_IMODE(dest.stat().st_mode)) == (0, 0o600)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@both
def test_a_file_belongs_to_whom_the_task_names_and_stays_so(place: Path, module: str) -> None:
    options: dict[str, Any] = {"dest": str(place / "a"), "owner": "1234", "group": "4321", "mode": "0640"}
    run(module, Service(), **options)
    status = (place / "a").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 4321, 0o640)
    assert not run(module, Service(), **options)["changed"]
    assert run(module, Service(content=NEW, size=len(NEW)), force=True, dest=str(place / "a"), owner="1234")["changed"]
    status = (place / "a").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 4321, 0o640)


@both
def test_a_backup_keeps_what_was_there_with_its_mode(place: Path, module: str) -> None:
    dest = place / "a"
    dest.write_bytes(b"mine")
    dest.chmod(0o640)
    assert "backup_files" not in run(module, Service(), dest=str(dest), force=True, backup=True, check_mode=True)
    (copy,) = run(module, Service(), dest=str(dest), force=True, backup=True)["backup_files"]
    assert (Path(copy).read_bytes(), stat.S_IMODE(Path(copy).stat().st_mode)) == (b"mine", 0o640)
    assert (Path(copy).parent, Path(copy).name[:2], copy[-1]) == (place, "a.", "~")
    assert dest.read_bytes() == CONTENT


# ---- a write that fails


@both
def test_no_partly_written_file_remains(place: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    dest = place / "a"
    dest.write_bytes(b"mine")

    def full(*_arguments: Any, **_named: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    done = run(module, Service(), dest=str(dest), force=True)
    assert done["failed"]
    assert done["msg"] == f"[Errno 28] No space left on device: '{dest}'"
    assert [(path.name, path.read_bytes()) for path in place.iterdir()] == [("a", b"mine")]


def test_a_backup_that_fails_leaves_nothing_and_replaces_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "a").write_bytes(b"mine")

    def full(*_arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", full)
    assert run("file_download", Service(), dest=str(place / "a"), backup=True)["failed"]
    assert [(path.name, path.read_bytes()) for path in place.iterdir()] == [("a", b"mine")]


def test_a_device_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileExistsError, match=r"Not a regular file: .*pipe"):
        Folder(tmp_path).write("pipe", b"x")
