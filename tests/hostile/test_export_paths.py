# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Export into a directory that an attacker prepared: nothing outside is read, written or removed, and nothing hangs.

The author of a pull request can write the manifest and create links. Other users of the machine can create links in
advance. Files that no export wrote are neither replaced nor removed unless the task says so.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from emulator_process import Emulator
from exports import contents, export_of
from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

MANIFEST = ".export.json"
FETCHED = ".seventhings/export.json"
SECRET = b"of somebody else\n"
UUID = "1b7c8a2e-90a5-4d0c-9c39-7a14d7f2b3e8"


@pytest.fixture
def demo(emulator: Emulator, tmp_path: Path) -> Site:
    emulator.reset()
    return Site(tmp_path / "demo", emulator)


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """Yield a foreign directory beside the export, and check that the test did not change it."""
    victim = tmp_path / "victim"
    (victim / "folder").mkdir(parents=True)
    for name in ("p.txt", "folder/0001.yml", "rooms.yml"):
        (victim / name).write_bytes(SECRET)
    before = state_of(victim)
    yield victim
    assert state_of(victim) == before


def state_of(folder: Path) -> dict[str, Any]:
    """Return everything below a directory, with all attributes that a write would change."""
    found = {}
    for path in sorted(folder.rglob("*")):
        content = path.lstat()
        found[str(path)] = (
            content.st_mode,
            content.st_ino,
            content.st_nlink,
            content.st_mtime_ns,
            path.is_file() and SECRET,
        )
        if path.is_file():
            assert path.read_bytes() == SECRET
    return found


def forge(site: Site, note: str, **content: Any) -> None:
    site.write({note: json.dumps({"version": 1, **content})})


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# ---- what a manifest may name

LEADING_OUT = (
    "files/../../victim/p.txt",
    "../victim/p.txt",
    "files/0123456789abcdef/../../../victim/p.txt",
    "objects/../../victim/p.txt",
    "rooms/../../victim/rooms.yml",
    "schema/../../victim/p.txt",
    "files//p.txt",
    "files/./p.txt",
    "files/0123456789abcdef/..",
    "rooms.yml\0.txt",
    "rooms.yml/",
    "",
    "files/0123456789abcdef/\ud800",
    "files/0123456789abcdef/a\nb",
    "README.md",
    ".git/config",
    "instance.yml",
    "host_vars/all.yml",
    MANIFEST,
)


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("path", LEADING_OUT)
def test_a_manifest_that_names_what_no_export_writes_is_refused(demo: Site, path: str) -> None:
    forge(demo, MANIFEST, files={path: digest(SECRET)})
    done = export_of(demo)
    assert done["failed"]
    assert "was not written by an export" in done["msg"]
    assert sorted(contents(demo.root)) == [MANIFEST]


def test_a_manifest_that_names_an_absolute_path_is_refused(demo: Site, outside: Path) -> None:
    for path in (str(outside / "p.txt"), f"files/{outside / 'p.txt'}"):
        forge(demo, MANIFEST, files={path: digest(SECRET)})
        assert export_of(demo)["failed"]


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize("path", LEADING_OUT)
def test_a_fetch_note_that_names_a_file_elsewhere_is_refused(demo: Site, path: str) -> None:
    forge(demo, MANIFEST, files={})
    forge(demo, FETCHED, downloads={UUID: path}, names={})
    done = export_of(demo)
    assert done["failed"]
    assert "was not written by an export" in done["msg"]


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "null",
        '"files"',
        '{"files": {}}',
        '{"version": 1, "files": []}',
        '{"version": 1, "files": {"rooms.yml": 5}}',
        '{"version": 1, "files": {"rooms.yml": "not a digest"}}',
        '{"version": 1, "files": {"rooms.yml": {"a": "b"}}}',
        '{"version": ' + "9" * 10_000 + "}",
        b"\xff\xfe",
    ],
)
@pytest.mark.parametrize("note", [MANIFEST, FETCHED])
def test_notes_of_another_shape_are_an_error_and_no_traceback(demo: Site, content: str | bytes, note: str) -> None:
    demo.write({note: content})
    done = export_of(demo)
    assert done["failed"]
    assert f"{note} was not written by an export" in done["msg"]
    assert demo.writes() == []


def test_names_that_a_note_reports_are_texts(demo: Site) -> None:
    for names in ({UUID: ["a"]}, {UUID: "\ud800"}, {"no uuid": "a"}):
        forge(demo, FETCHED, downloads={}, names=names)
        assert export_of(demo)["failed"]


@pytest.mark.parametrize("note", [MANIFEST, FETCHED])
def test_a_note_without_end_is_not_read(demo: Site, note: str) -> None:
    demo.write({note: b""})
    with (demo.root / note).open("wb") as stream:
        stream.truncate(1 << 40)
    assert "has more than" in export_of(demo)["msg"]


@pytest.mark.parametrize("note", [MANIFEST, FETCHED, "instance.yml"])
def test_a_note_that_is_a_link_or_a_pipe_is_refused_at_once(demo: Site, outside: Path, note: str) -> None:
    demo.write({"x": b""})
    path = demo.root / note
    path.parent.mkdir(exist_ok=True)
    for is_link in (True, False):
        path.unlink(missing_ok=True)
        if is_link:
            path.symlink_to(outside / "p.txt")
        else:
            os.mkfifo(path)
        done = export_of(demo)
        assert done["failed"]
        assert "is a link" in done["msg"] or "not a regular file" in done["msg"]


# ---- what stands in the place of what is written


@pytest.mark.parametrize("name", ["objects", "files", "schema", "fields", ".seventhings"])
def test_a_linked_directory_is_refused_before_anything_is_written(demo: Site, outside: Path, name: str) -> None:
    demo.root.mkdir()
    (demo.root / name).symlink_to(outside / "folder", target_is_directory=True)
    before = sorted(path.name for path in demo.root.iterdir())
    done = export_of(demo)
    assert done["failed"]
    assert name in done["msg"]
    assert sorted(path.name for path in demo.root.iterdir()) == before


@pytest.mark.parametrize("name", ["rooms.yml", "objects/0001.yml", "objects/more.yml", "fields/asset.yml"])
def test_a_linked_file_is_refused_before_anything_is_written(demo: Site, outside: Path, name: str) -> None:
    path = demo.root / name
    path.parent.mkdir(parents=True)
    path.symlink_to(outside / "rooms.yml")
    done = export_of(demo)
    assert done["failed"]
    assert f"{name}: not written by an export" in done["msg"]
    assert contents(demo.root).keys() == {name}


def test_links_that_a_manifest_claims_are_refused_too(demo: Site, outside: Path) -> None:
    export_of(demo)
    (demo.root / "rooms.yml").unlink()
    (demo.root / "rooms.yml").symlink_to(outside / "rooms.yml")
    done = export_of(demo)
    assert done["failed"]
    assert "rooms.yml: not written by an export" in done["msg"]


def test_with_force_links_are_removed_and_their_targets_remain(demo: Site, outside: Path) -> None:
    demo.root.mkdir()
    (demo.root / "objects").symlink_to(outside / "folder", target_is_directory=True)
    (demo.root / "rooms.yml").symlink_to(outside / "rooms.yml")
    (demo.root / "rooms").symlink_to(outside / "folder", target_is_directory=True)
    done = export_of(demo, force=True)
    assert not done.get("failed"), done
    assert not [path for path in demo.root.rglob("*") if path.is_symlink()]
    assert not export_of(demo)["changed"]


def test_links_at_names_that_a_writer_could_choose_are_not_written_through(demo: Site, outside: Path) -> None:
    for path in ("instance.yml", "rooms.yml", "objects/0001.yml", MANIFEST):
        for name in (f".{Path(path).name}.new", f"{Path(path).name}.tmp", f".{Path(path).name}.tmp"):
            link = demo.root / Path(path).parent / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(outside / "p.txt")
    assert not export_of(demo).get("failed")
    assert (demo.root / "rooms.yml").is_file()


def test_a_link_in_the_place_of_a_schema_or_an_attachment_is_not_written_through(demo: Site, outside: Path) -> None:
    export_of(demo)
    attachment = next(path for path in contents(demo.root) if path.startswith("files/"))
    for name in ("schema/rooms.schema.json", attachment):
        (demo.root / name).unlink()
        (demo.root / name).symlink_to(outside / "p.txt")
        done = export_of(demo)
        assert done["failed"] or not (demo.root / name).is_symlink()
        (demo.root / name).unlink()
        assert not export_of(demo).get("failed")


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ["rooms.yml", "objects/0001.yml", "schema/rooms.schema.json", "schema", "notes.yml"])
@pytest.mark.parametrize("force", [False, True])
def test_pipes_hang_nothing(demo: Site, name: str, force: bool) -> None:
    export_of(demo, only=["tasks"])
    path = demo.root / name
    if path.is_file():
        path.unlink()
    path.parent.mkdir(exist_ok=True)
    if name == "schema":
        for file in path.iterdir():
            file.unlink()
        path.rmdir()
    os.mkfifo(path)
    done = export_of(demo, only=["objects", "rooms"], force=force)
    assert bool(done.get("failed")) == (name != "notes.yml")
    assert stat.S_ISFIFO(path.lstat().st_mode)


def test_the_directory_itself_may_be_a_link(demo: Site, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    demo.root.symlink_to(tmp_path / "real", target_is_directory=True)
    assert export_of(demo)["changed"]
    assert not export_of(demo)["changed"]
    assert (tmp_path / "real" / "rooms.yml").is_file()


# ---- what no export wrote, and what somebody edited


def test_a_file_that_a_forged_manifest_names_is_not_removed_where_an_export_did_not_write_it(demo: Site) -> None:
    mine = "files/0123456789abcdef/mine.txt"
    demo.write({mine: b"mine"})
    forge(demo, MANIFEST, files={mine: digest(b"something else")}, hidden_records="no")
    done = export_of(demo)
    assert not done.get("failed"), done
    assert (demo.root / mine).read_bytes() == b"mine"
    assert mine not in done["files"]["removed"]


def without_cases(site: Site) -> None:
    client = site.client()
    for record in client.list_all(KINDS["rental_case"]):
        client.delete(KINDS["rental_case"], record.uuid)


def test_an_edited_file_is_not_removed_without_force(demo: Site) -> None:
    export_of(demo)
    edited = demo.root / "rental_cases.yml"
    edited.write_bytes(edited.read_bytes() + b"# mine\n")
    without_cases(demo)
    before = contents(demo.root)
    done = export_of(demo)
    assert done["failed"]
    assert "rental_cases.yml: edited since an export wrote it" in done["msg"]
    assert contents(demo.root) == before
    assert export_of(demo, force=True)["files"]["removed"] == ["rental_cases.yml"]
    assert not edited.exists()


def test_a_file_that_no_export_wrote_is_not_replaced_without_force(demo: Site) -> None:
    demo.write({"schema/rooms.schema.json": "{}", "objects/mine.yml": "[]\n"})
    done = export_of(demo)
    assert done["failed"]
    assert "schema/rooms.schema.json" in done["msg"]
    done = export_of(demo, force=True, backup=True)
    assert done["files"]["removed"] == ["objects/mine.yml"]
    kept = {Path(path).name.split(".json.")[0].split(".yml.")[0]: Path(path) for path in done["backup_files"]}
    assert kept["rooms.schema"].read_text("utf-8") == "{}"
    assert kept["mine"].read_text("utf-8") == "[]\n"
    assert not export_of(demo)["changed"]
    assert demo.plan().outcome == "unchanged"


# ---- settings

BOMB = "a: &a [x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in pairwise("abcdefghi")
)
BOMB += "instance: [*i, *i]\n"


@pytest.mark.parametrize(
    "text",
    [
        "instance: &a [x]\nidentity: {objects: [*a, *a]}\n",
        BOMB,
        "instance: !!python/object/apply:os.system [id]\n",
        "instance: " + "x" * (2 << 20) + "\n",
    ],
)
def test_settings_that_mean_harm_are_an_error_and_no_harm(demo: Site, text: str) -> None:
    demo.write({"instance.yml": text})
    assert export_of(demo)["failed"]
    assert contents(demo.root) == {}


# ---- who may read it


def modes(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): f"{stat.S_IMODE(path.stat().st_mode):03o}" for path in root.rglob("*")}


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_an_export_is_for_its_owner_alone_whatever_the_umask(demo: Site, mask: int) -> None:
    before = os.umask(mask)
    try:
        export_of(demo)
        wide = export_of(demo, demo.root / "wide", mode="0644")
    finally:
        os.umask(before)
    found = modes(demo.root)
    assert {mode for path, mode in found.items() if not path.startswith("wide")} == {"600", "700"}
    assert not wide.get("failed")
    assert {mode for path, mode in found.items() if path.startswith("wide/")} == {"644", "755"}
    assert stat.S_IMODE((demo.root / "wide").stat().st_mode) == 0o755


def test_another_mode_alone_is_a_change_that_is_predicted_shown_and_done_once(demo: Site) -> None:
    export_of(demo)
    predicted = export_of(demo, mode="u=rw,g=r", check_mode=True)
    assert set(modes(demo.root).values()) == {"600", "700"}
    done = export_of(demo, mode="u=rw,g=r")
    assert predicted["files"] == done["files"]
    assert predicted["diff"] == done["diff"]
    assert "rooms.yml (mode 0600)\n" in done["diff"]["before"]
    assert "rooms.yml (mode 0640)\n" in done["diff"]["after"]
    assert (done["changed"], done["files"]["written"]) == (True, [])
    assert "rooms.yml" in done["files"]["adjusted"]
    assert {path: mode for path, mode in modes(demo.root).items() if path.endswith("yml")}["rooms.yml"] == "640"
    assert not export_of(demo, mode="u=rw,g=r")["changed"]
    assert not export_of(demo)["changed"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_files_and_directories_belong_to_whom_the_task_names(demo: Site) -> None:
    assert export_of(demo, owner="1234", group="4321")["changed"]
    owners = {(path.stat().st_uid, path.stat().st_gid) for path in [demo.root, *demo.root.rglob("*")]}
    assert owners == {(1234, 4321)}
    assert not export_of(demo, owner="1234", group="4321")["changed"]
    assert export_of(demo, owner="1235", check_mode=True)["files"]["adjusted"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "rw"}, "mode must be in octal or symbolic form"),
        ({"mode": ["0600"]}, "mode must be in octal or symbolic form"),
        ({"owner": "nobody-of-this-name"}, "failed to look up user nobody-of-this-name"),
        ({"group": "nobody-of-this-name"}, "failed to look up group nobody-of-this-name"),
    ],
)
def test_modes_and_owners_that_cannot_be_right_are_refused_before_anything_is_sent(
    demo: Site, options: dict[str, Any], message: str
) -> None:
    done = export_of(demo, check_mode=True, **options)
    assert done["failed"]
    assert message in done["msg"]
    assert done["requests"] == 0
