# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The places of shared files: directories that belong only to this user, and are the same in every environment."""

from __future__ import annotations

import os
import pwd
import socket
import stat
from pathlib import Path

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.runtime import places as module
from ansible_collections.community.seventhings.plugins.module_utils.runtime.places import Places, digest_of

OWN = f"seventhings-{os.geteuid()}"
OF_HOST = f"home/seventhings-{digest_of(socket.gethostname())}"


@pytest.fixture
def variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return variables for places below one directory, with a home and the directories of sessions and of all."""
    for name in ("session", "sessions", "home", "memory", "tmp"):
        (tmp_path / name).mkdir()
    for name in ("memory", "tmp"):
        (tmp_path / name).chmod(0o1777)
    monkeypatch.setattr(module, "_SESSIONS", tmp_path / "sessions")
    monkeypatch.setattr(module, "_PUBLIC", (tmp_path / "memory", tmp_path / "tmp"))
    user = pwd.getpwuid(os.geteuid())[:5]
    monkeypatch.setattr(pwd, "getpwuid", lambda _uid: pwd.struct_passwd((*user, str(tmp_path / "home"), "/bin/sh")))
    return {"SEVENTHINGS_RUNTIME_DIR": str(tmp_path / "named"), "XDG_RUNTIME_DIR": str(tmp_path / "session")}


def found(variables: dict[str, str], tmp_path: Path) -> str:
    """Return the shared place, relative to the directory of the test."""
    shared = Places.found(None, variables).shared
    assert shared is not None
    assert stat.S_IMODE(shared.path.stat().st_mode) == 0o700
    return str(shared.path.relative_to(tmp_path))


def test_the_named_directory_is_the_only_place(variables: dict[str, str], tmp_path: Path) -> None:
    places = Places.found(None, variables)
    assert found(variables, tmp_path) == "named"
    assert places.shared == places.private
    assert places.warning == ""
    assert not list((tmp_path / "home").iterdir())


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"HOME": "/nonexistent", "TMPDIR": "/var/tmp"},
        {"XDG_RUNTIME_DIR": "/run/user/0", "XDG_STATE_HOME": "/root/x"},
        {"USER": "eve", "LOGNAME": "eve", "HOSTNAME": "other"},
    ],
)
def test_a_session_cron_and_su_agree_on_the_place(
    given: dict[str, str], variables: dict[str, str], tmp_path: Path
) -> None:
    assert variables
    assert found(given, tmp_path) == OF_HOST


def test_machines_that_share_a_home_directory_share_nothing_else(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert variables
    monkeypatch.setattr(socket, "gethostname", lambda: "another")
    assert found({}, tmp_path) != OF_HOST


@pytest.mark.parametrize(("missing", "place"), [(["home"], f"memory/{OWN}"), (["home", "memory"], f"tmp/{OWN}")])
def test_without_a_home_directory_a_public_one_is_used_without_a_word(
    missing: list[str], place: str, variables: dict[str, str], tmp_path: Path
) -> None:
    assert variables
    for name in missing:
        (tmp_path / name).rmdir()
    assert found({}, tmp_path) == place
    assert Places.found(None, {}).warning == ""


def test_tokens_lie_in_the_directory_of_an_open_session(variables: dict[str, str], tmp_path: Path) -> None:
    session = tmp_path / "sessions" / str(os.geteuid())
    session.mkdir(0o700)
    for given, path in (({}, session), ({"XDG_RUNTIME_DIR": variables["XDG_RUNTIME_DIR"]}, tmp_path / "session")):
        private = Places.found(None, given).private
        assert private is not None
        assert private.path == path / "seventhings"


@pytest.mark.usefixtures("variables")
def test_tokens_never_lie_where_every_user_may_write(tmp_path: Path) -> None:
    assert Places.found(None, {}).private is None
    run_folder = tmp_path / "ansible-local-1"
    run_folder.mkdir(0o700)
    for folder, given in ((run_folder, {}), (None, {"SEVENTHINGS_RUN_DIR": str(run_folder)})):
        private = Places.found(folder, given).private
        assert private is not None
        assert private.path == run_folder / "seventhings"
    assert Places.found(None, {"SEVENTHINGS_RUN_DIR": str(tmp_path / "gone")}).private is None


WRONG = ["link", "file", "group", "others", "relative", "no parent", "parent for all"]
if os.geteuid() == 0:
    WRONG += ["parent of others", "parent by a link of others"]


@pytest.mark.parametrize("wrong", WRONG)
def test_a_place_that_is_not_this_user_s_alone_is_passed_over(
    wrong: str, variables: dict[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "named"
    if wrong == "link":
        (tmp_path / "real").mkdir(0o700)
        path.symlink_to(tmp_path / "real")
    elif wrong == "file":
        path.write_text("")
    elif wrong == "relative":
        variables["SEVENTHINGS_RUNTIME_DIR"] = "named"
    elif wrong == "no parent":
        variables["SEVENTHINGS_RUNTIME_DIR"] = str(tmp_path / "none" / "named")
    elif wrong.startswith("parent"):
        path = tmp_path / "above" / "named"
        variables["SEVENTHINGS_RUNTIME_DIR"] = str(path)
        path.mkdir(0o700, parents=True)
        if wrong == "parent for all":
            path.parent.chmod(0o777)
        elif wrong == "parent of others":
            os.chown(path.parent, 65534, 65534)
        else:
            link = tmp_path / "link"
            link.symlink_to(path.parent)
            os.chown(link, 65534, 65534, follow_symlinks=False)
            variables["SEVENTHINGS_RUNTIME_DIR"] = str(link / "named")
    else:
        path.mkdir(0o700)
        path.chmod(0o720 if wrong == "group" else 0o702)
    places = Places.found(None, variables)
    assert found(variables, tmp_path) == OF_HOST
    assert places.problem == ""
    assert places.warning.startswith(f"SEVENTHINGS_RUNTIME_DIR: {variables['SEVENTHINGS_RUNTIME_DIR']}")
    assert places.warning.endswith(f", so {tmp_path / OF_HOST} is used instead.")


def test_a_place_of_another_user_is_passed_over(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = os.geteuid() + 1
    for name in ("named", OF_HOST, f"tmp/seventhings-{other}"):
        (tmp_path / name).mkdir(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: other)
    places = Places.found(None, variables)
    assert places.shared is None
    assert places.problem.count("belongs to another user") >= 3


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755])
def test_other_users_may_read_the_directory(mode: int, variables: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "named").mkdir()
    (tmp_path / "named").chmod(mode)
    shared = Places.found(None, variables).shared
    assert shared is not None
    assert shared.path == tmp_path / "named"


def test_a_directory_without_write_access_is_passed_over(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "named").mkdir(0o700)
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path.name != "named" and real(path, mode))
    assert found(variables, tmp_path) == OF_HOST
    assert f"{tmp_path / 'named'} can't be written" in Places.found(None, variables).warning


def test_without_any_place_each_is_named_with_what_is_wrong(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "named").write_text("")

    def full(_path: Path, **_options: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    places = Places.found(None, variables)
    assert (places.shared, places.private) == (None, None)
    assert f"{tmp_path / 'named'}: No space left on device" in places.problem
    assert f"{tmp_path / 'tmp' / OWN}: No space left on device" in places.problem
    assert "Errno" not in places.warning
