# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The origin of a report: unknown parts stay empty, and cause no failure."""

from __future__ import annotations

import getpass
from pathlib import Path

import pytest

from ansible_collections.community.seventhings.plugins.plugin_utils.report import provenance


def test_a_user_that_has_no_name_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def nameless() -> str:
        raise KeyError("getpwuid(): uid not found: 1234")

    monkeypatch.setattr(getpass, "getuser", nameless)
    origin = provenance.made_by("test", "localhost")
    assert (origin["set"], origin["user"], origin["host"]) == ("test", "", "")


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, ""),
        ({"galaxy.yml": "- 1.2.3\n"}, ""),
        ({"galaxy.yml": "{"}, ""),
        ({"galaxy.yml": "version: 1.2.3\n"}, "1.2.3"),
        ({"galaxy.yml": "version: 1.2.3\n", "MANIFEST.json": '{"collection_info": {"version": "2.0.0"}}'}, "2.0.0"),
        ({"galaxy.yml": "version: 1.2.3\n", "MANIFEST.json": "{}"}, "1.2.3"),
    ],
)
def test_the_version_is_that_of_the_archive_or_of_the_checkout(
    files: dict[str, str], found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    monkeypatch.setattr(provenance, "_COLLECTION", tmp_path)
    assert provenance.version.__wrapped__() == found
