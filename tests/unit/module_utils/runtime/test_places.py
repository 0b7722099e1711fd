# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime directory: the first place that is this user's alone, and never an error."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.runtime.places import Places


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """All three places: named, of the session, the temporary folder."""
    for name in ("session", "tmp"):
        (tmp_path / name).mkdir()
    return {
        "SEVENTHINGS_RUNTIME_DIR": str(tmp_path / "named"),
        "XDG_RUNTIME_DIR": str(tmp_path / "session"),
        "TMPDIR": str(tmp_path / "tmp"),
    }


def shared(variables: dict[str, str], run_folder: Path | None = None) -> str | None:
    found = Places.found(run_folder, variables)
    return str(found.shared.path) if found.shared else None


def private(variables: dict[str, str], run_folder: Path | None = None) -> str | None:
    found = Places.found(run_folder, variables)
    return str(found.private.path) if found.private else None


def test_the_named_directory_goes_first_and_is_made_for_this_user_alone(
    variables: dict[str, str], tmp_path: Path
) -> None:
    assert shared(variables) == private(variables) == str(tmp_path / "named")
    assert stat.S_IMODE((tmp_path / "named").stat().st_mode) == 0o700


def test_then_the_one_of_the_session_and_then_the_temporary_folder(variables: dict[str, str], tmp_path: Path) -> None:
    del variables["SEVENTHINGS_RUNTIME_DIR"]
    assert shared(variables) == private(variables) == str(tmp_path / "session" / "seventhings")
    del variables["XDG_RUNTIME_DIR"]
    assert shared(variables) == str(tmp_path / "tmp" / f"seventhings-{os.geteuid()}")


def test_tokens_never_lie_in_the_temporary_folder_of_the_machine(variables: dict[str, str], tmp_path: Path) -> None:
    only = {"TMPDIR": variables["TMPDIR"]}
    assert private(only) is None
    run_folder = tmp_path / "ansible-local-1"
    run_folder.mkdir(0o700)
    assert private(only, run_folder) == str(run_folder / "seventhings")
    assert private({**only, "SEVENTHINGS_RUN_DIR": str(run_folder)}) == str(run_folder / "seventhings")
    assert private({**only, "SEVENTHINGS_RUN_DIR": str(tmp_path / "gone")}) is None


@pytest.mark.parametrize("wrong", ["link", "file", "group", "others", "owner", "relative", "no parent"])
def test_a_place_that_is_not_this_user_s_alone_is_passed_over(
    wrong: str, variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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
    else:
        path.mkdir(0o700)
    if wrong in ("group", "others"):
        path.chmod(0o720 if wrong == "group" else 0o702)
    if wrong == "owner":
        other = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: other)
        assert Places.found(None, {"SEVENTHINGS_RUNTIME_DIR": str(path), "TMPDIR": str(path)}).shared is None
        return
    found = Places.found(None, variables)
    assert found.shared is not None
    used = tmp_path / "session" / "seventhings"
    assert (found.shared.path, found.problem) == (used, "")
    assert found.warning.startswith(f"SEVENTHINGS_RUNTIME_DIR: {variables['SEVENTHINGS_RUNTIME_DIR']}")
    assert found.warning.endswith(f", so {used} is used in its place.")


def test_a_place_that_nobody_named_is_passed_over_without_a_word(variables: dict[str, str], tmp_path: Path) -> None:
    assert Places.found(None, variables).warning == ""
    del variables["SEVENTHINGS_RUNTIME_DIR"]
    (tmp_path / "session" / "seventhings").symlink_to(tmp_path)
    assert shared(variables) == str(tmp_path / "tmp" / f"seventhings-{os.geteuid()}")
    assert Places.found(None, variables).warning == ""


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755])
def test_others_may_look(mode: int, variables: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "named").mkdir()
    (tmp_path / "named").chmod(mode)
    assert shared(variables) == str(tmp_path / "named")


def test_one_that_can_not_be_written_means_that_nothing_is_shared(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "named").mkdir(0o700)
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)
    found = Places.found(None, variables)
    assert (found.shared, found.private) == (None, None)
    assert found.problem == f"{tmp_path / 'named'} can't be written"


def test_a_full_disk_means_that_nothing_is_shared(variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_path: Path, **_options: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "mkdir", full)
    found = Places.found(None, variables)
    assert found.shared is None
    assert "No space left on device" in found.problem


def test_without_any_place_each_is_named_with_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    none = {"SEVENTHINGS_RUNTIME_DIR": str(tmp_path / "a"), "TMPDIR": str(tmp_path / "b")}
    problem = Places.found(None, none).problem
    assert f"{tmp_path / 'a'} is no directory" in problem
    assert f"{tmp_path / 'b' / 'seventhings-'}" in problem
