# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A release uses the checkout in which it is called, and ignores edits that are made meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest
import release
from project import ROOT


def test_the_own_checkout_is_released() -> None:
    release.demand_own_checkout()


def test_an_environment_of_another_checkout_releases_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr(release, "call", lambda *words, **_options: done.append(words))
    monkeypatch.setattr(release, "write_version", done.append)
    with pytest.raises(SystemExit, match=str(ROOT)):
        release.demand_own_checkout(tmp_path / "tests" / "tools" / "release.py")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match="Make one here"):
        release.prepare("9.9.9")
    assert done == []


def test_a_release_commits_its_own_files_alone() -> None:
    assert set(release._RELEASED) == {"galaxy.yml", "CHANGELOG.md", "changelogs"}


def test_the_notes_of_a_version_are_found_as_the_changelog_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text("# T\n\n## v1\\.0\\.1\n\nMended\\.\n\n## v1\\.0\\.0\n\nMade\\.\n", "utf-8")
    monkeypatch.setattr(release, "_CHANGELOG", changelog)
    assert release.notes_of("1.0.0") == "Made\\.\n"
    assert release.notes_of("1.0.1") == "Mended\\.\n"
    with pytest.raises(SystemExit, match="says nothing about 2"):
        release.notes_of("2.0.0")


def test_what_the_importer_warns_of_stops_a_release() -> None:
    output = "Loading role fleet\nWARNING: Failed to find a.b.c playbook.\nImporter processing completed successfully\n"
    assert release.warnings_of(output) == ["WARNING: Failed to find a.b.c playbook."]
