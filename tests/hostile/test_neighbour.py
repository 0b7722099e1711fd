# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Another real user of the same machine can neither read nor write the stored files of the collection.

These tests need root, which can become another user.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from emulator_process import Emulator
from instance_site import Site

from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import write_report

NOBODY = 65534

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root can become another user"
)


@pytest.fixture
def shared() -> Iterator[Path]:
    """Yield a directory that everybody may enter and only its owner may write to, like many home directories."""
    path = Path(tempfile.mkdtemp())
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def as_neighbour(*command: str) -> subprocess.CompletedProcess[str]:
    """Return a command of the other user."""
    become = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
    return subprocess.run([*become, *command], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def site(emulator: Emulator, shared: Path) -> Site:
    emulator.reset()
    site = Site(shared / "site", emulator)
    site.write({"objects.yml": "- {barcode: '0990001', inventory_name: New}\n"})
    return site


def test_a_neighbour_reads_and_changes_nothing_that_is_kept(
    site: Site, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(shared / "state"))
    result = site.plan(plan_file=shared / "plan.json")
    for ending in ("md", "html", "json"):
        write_report(result, shared / f"report.{ending}")
    site.run()
    kept = [shared / "plan.json", *shared.glob("report.*"), *(shared / "state").rglob("*.jsonl"), site.journal()]
    assert len(kept) >= 5
    assert as_neighbour("cat", str(site.root / "objects.yml")).returncode == 0, "the neighbour gets as far as this"
    for path in kept:
        assert path.is_file()
        assert as_neighbour("cat", str(path)).stdout == ""
        assert as_neighbour("sh", "-c", f"echo forged >> '{path}'").returncode != 0
        assert as_neighbour("mv", str(path), str(shared / "taken")).returncode != 0
        assert "forged" not in path.read_text("utf-8")


def test_a_journal_that_a_neighbour_created_first_is_refused(
    site: Site, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This applies to the default directory. A directory that the user names is trusted."""
    public = shared / "public"
    public.mkdir()
    public.chmod(0o1777)
    monkeypatch.setenv("XDG_STATE_HOME", str(public))
    journal = site.journal()
    assert as_neighbour("mkdir", "-p", str(journal.parent)).returncode == 0
    assert as_neighbour("sh", "-c", f"echo '{{}}' > '{journal}'").returncode == 0
    result = site.run()
    assert result.outcome == "refused"
    assert "belongs to another user" in " ".join(result.refusals)
    assert journal.read_text("utf-8") == "{}\n"
    assert not site.writes()


def test_a_link_that_a_neighbour_puts_in_the_place_of_a_report_leads_nowhere(site: Site, shared: Path) -> None:
    public = shared / "public"
    public.mkdir()
    public.chmod(0o777)
    victim = shared / "victim"
    victim.write_text("of somebody else")
    assert as_neighbour("ln", "-s", str(victim), str(public / "report.md")).returncode == 0
    write_report(site.plan(), public / "report.md")
    assert victim.read_text() == "of somebody else"
    assert not (public / "report.md").is_symlink()
    assert as_neighbour("cat", str(public / "report.md")).stdout == ""
