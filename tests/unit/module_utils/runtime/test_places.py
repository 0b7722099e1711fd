# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The places of shared files: directories that belong only to this user, and are the same in every environment."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.runtime import places as module
from ansible_collections.community.seventhings.plugins.module_utils.runtime.places import Places, digest_of

OWN = f"seventhings-{os.geteuid()}"


@pytest.fixture
def variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Return variables for places below one directory: named, of the session, of all sessions, and two public ones."""
    for name in ("session", "sessions", "memory", "tmp"):
        (tmp_path / name).mkdir()
    for name in ("memory", "tmp"):
        (tmp_path / name).chmod(0o1777)
    monkeypatch.setattr(module, "_SESSIONS", tmp_path / "sessions")
    monkeypatch.setattr(module, "_PUBLIC", (tmp_path / "memory", tmp_path / "tmp"))
    return {"SEVENTHINGS_RUNTIME_DIR": str(tmp_path / "named"), "XDG_RUNTIME_DIR": str(tmp_path / "session")}


def found(variables: dict[str, str], tmp_path: Path, run_folder: Path | None = None) -> list[str]:
    """Return the places of locks, relative to the directory of the test."""
    return [str(lock.path.relative_to(tmp_path)) for lock in Places.found(run_folder, variables).locks]


def test_the_named_directory_goes_first_and_is_created_for_this_user_alone(
    variables: dict[str, str], tmp_path: Path
) -> None:
    places = Places.found(None, variables)
    assert places.shared == places.private == places.locks[0]
    assert places.locks[0].path == tmp_path / "named"
    assert {stat.S_IMODE(lock.path.stat().st_mode) for lock in places.locks} == {0o700}
    assert places.warning == ""


def test_locks_of_a_named_directory_outlive_it_and_belong_to_no_other_directory(
    variables: dict[str, str], tmp_path: Path
) -> None:
    digest = digest_of(str(tmp_path / "named"))
    beside = [f"memory/{OWN}/{digest}", f"tmp/{OWN}/{digest}"]
    assert found(variables, tmp_path) == ["named", *beside]
    (tmp_path / "named").rmdir()
    assert found(variables, tmp_path) == ["named", *beside]
    variables["SEVENTHINGS_RUNTIME_DIR"] = str(tmp_path / "other")
    assert not set(found(variables, tmp_path)) & {"named", *beside}


@pytest.mark.parametrize("environment", ["session", "cron", "service", "su"])
def test_every_environment_of_a_user_has_places_in_common(
    environment: str, variables: dict[str, str], tmp_path: Path
) -> None:
    del variables["SEVENTHINGS_RUNTIME_DIR"]
    common = [f"memory/{OWN}", f"tmp/{OWN}"]
    if environment == "session":
        assert found(variables, tmp_path) == ["session/seventhings", *common]
    elif environment == "cron":
        assert found({"HOME": "/nonexistent", "TMPDIR": str(tmp_path / "session")}, tmp_path) == common
    elif environment == "service":
        (tmp_path / "tmp").rename(tmp_path / "private")
        assert found({}, tmp_path) == common[:1]
    else:
        # Variables of another user, whose session directory is not usable.
        variables["XDG_RUNTIME_DIR"] = str(tmp_path / "nowhere")
        assert found(variables, tmp_path) == common


def test_without_its_variable_the_directory_of_an_open_session_is_used(
    variables: dict[str, str], tmp_path: Path
) -> None:
    session = tmp_path / "sessions" / str(os.geteuid())
    session.mkdir(0o700)
    for given in ({}, {"XDG_RUNTIME_DIR": str(session)}):
        places = Places.found(None, given)
        assert places.shared is not None
        assert places.shared == places.private == places.locks[0]
        assert places.shared.path == session / "seventhings"
    assert (
        Places.found(None, {"XDG_RUNTIME_DIR": variables["XDG_RUNTIME_DIR"]}).locks[1].path == session / "seventhings"
    )


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
    WRONG.append("parent of others")


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
        else:
            os.chown(path.parent, 65534, 65534)
    else:
        path.mkdir(0o700)
        path.chmod(0o720 if wrong == "group" else 0o702)
    places = Places.found(None, variables)
    used = tmp_path / "session" / "seventhings"
    assert [lock.path for lock in places.locks[:1]] == [used]
    assert places.problem == ""
    assert places.warning.startswith(f"SEVENTHINGS_RUNTIME_DIR: {variables['SEVENTHINGS_RUNTIME_DIR']}")
    assert places.warning.endswith(f", so {used} is used instead.")


def test_a_place_of_another_user_is_passed_over(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("named", "session/seventhings", f"tmp/{OWN}"):
        (tmp_path / name).mkdir(0o700)
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    (tmp_path / "tmp" / OWN).rename(tmp_path / "tmp" / f"seventhings-{other}")
    places = Places.found(None, variables)
    assert [lock.path for lock in places.locks] == []
    assert places.problem.count("belongs to another user") >= 3


def test_a_place_that_nobody_named_is_passed_over_without_a_word(variables: dict[str, str], tmp_path: Path) -> None:
    del variables["SEVENTHINGS_RUNTIME_DIR"]
    (tmp_path / "session" / "seventhings").symlink_to(tmp_path)
    assert found(variables, tmp_path) == [f"memory/{OWN}", f"tmp/{OWN}"]
    assert Places.found(None, variables).warning == ""


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755])
def test_other_users_may_read_the_directory(mode: int, variables: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "named").mkdir()
    (tmp_path / "named").chmod(mode)
    assert found(variables, tmp_path)[0] == "named"


def test_a_directory_without_write_access_is_used_for_locks_only(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "named").mkdir(0o700)
    real = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: path.name != "named" and real(path, mode))
    places = Places.found(None, variables)
    assert places.locks[0].path == tmp_path / "named"
    assert places.shared == places.locks[1]
    assert places.private is None


def test_without_any_place_each_is_named_with_what_is_wrong(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "named").write_text("")

    def full(_path: Path, **_options: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    places = Places.found(None, variables)
    assert (places.locks, places.shared, places.private) == ((), None, None)
    assert f"{tmp_path / 'named'}: No space left on device" in places.problem
    assert f"{tmp_path / 'tmp' / OWN}: No space left on device" in places.problem
    assert "Errno" not in places.warning
