# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan files and reports are readable only by their owner, and are never written through a planted link."""

from __future__ import annotations

import os
import resource
import stat
from pathlib import Path

import pytest
from emulator_process import Emulator
from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import write_report


@pytest.fixture
def site(emulator: Emulator, tmp_path: Path) -> Site:
    emulator.reset()
    site = Site(tmp_path / "site", emulator)
    site.write({"objects.yml": "- {barcode: '0990001', inventory_name: New}\n"})
    return site


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim"
    path.write_text("of somebody else", "utf-8")
    return path


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.mark.parametrize("ending", ["html", "json", "md"])
def test_a_report_is_for_its_owner_and_replaces_a_link(site: Site, tmp_path: Path, victim: Path, ending: str) -> None:
    report = tmp_path / f"report.{ending}"
    report.symlink_to(victim)
    write_report(site.plan(), report)
    assert victim.read_text("utf-8") == "of somebody else"
    assert (report.is_symlink(), mode_of(report)) == (False, 0o600)


def test_a_plan_file_is_for_its_owner_and_no_link(site: Site, tmp_path: Path, victim: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.symlink_to(victim)
    with pytest.raises(InvalidInput, match="is a link"):
        site.plan(plan_file=plan)
    assert (plan.is_symlink(), victim.read_text("utf-8")) == (True, "of somebody else")
    plan.unlink()
    assert site.plan(plan_file=plan).outcome == "changed"
    assert mode_of(plan) == 0o600


def test_a_report_that_a_pipe_is_for_is_an_error_at_once(site: Site, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "report.md")
    with pytest.raises(InvalidInput, match="can't be written; expected a file"):
        write_report(site.plan(), tmp_path / "report.md")


@pytest.mark.parametrize("ending", ["html", "json", "md"])
def test_a_report_on_a_full_disk_is_whole_or_as_it_was(site: Site, tmp_path: Path, ending: str) -> None:
    report = tmp_path / "reports" / f"report.{ending}"
    report.parent.mkdir()
    report.write_text("of yesterday", "utf-8")
    result = site.plan()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    # The beginning of what is written still fits.
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(OSError, match=f"File too large: .*{report.name}"):
            write_report(result, report)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [(path.name, path.read_text("utf-8")) for path in report.parent.iterdir()] == [(report.name, "of yesterday")]
    write_report(result, report)
    assert "of yesterday" not in report.read_text("utf-8")
