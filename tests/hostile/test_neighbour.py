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
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from emulator_process import Emulator
from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.access import Access
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import check_report, write_report

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


# ---- links to a directory


def hold(way: str, shared: Path) -> Path:
    """Return the link of the neighbour to a directory of this user, or to a directory behind it."""
    (shared / "victim" / "in").mkdir(parents=True)
    public = shared / "public"
    public.mkdir()
    public.chmod(0o1777)
    if way == "below one of the neighbour":
        public /= "made"
        assert as_neighbour("mkdir", str(public)).returncode == 0
    assert as_neighbour("ln", "-s", str(shared / "victim"), str(public / "link")).returncode == 0
    return public / "link" / "in" if way == "above" else public / "link"


links = pytest.mark.parametrize("way", ["itself", "above", "below one of the neighbour"])


@links
def test_a_link_that_another_user_creates_where_everybody_may_write_is_not_followed(way: str, shared: Path) -> None:
    """The kernel follows no such link in a temporary folder, but a path that was resolved before contains no link."""
    named = hold(way, shared)
    for attempt in (
        lambda: Folder(named).write("file.txt", b"x"),
        lambda: Folder(named).open_to_update("journal.jsonl"),
        lambda: Folder(named).listed(),
        lambda: Folder(named / "more").write("file.txt", b"x"),
    ):
        with pytest.raises(
            InvalidInput, match="link is a link that another user created in a directory that everybody can write to"
        ):
            attempt()
    assert [str(path.relative_to(shared)) for path in (shared / "victim").rglob("*")] == ["victim/in"]


@links
def test_a_report_behind_such_a_link_is_refused_before_a_run_begins(way: str, shared: Path) -> None:
    with pytest.raises(InvalidInput, match=r"^report: .*link is a link that another user created"):
        check_report(hold(way, shared) / "report.md")


def test_a_link_in_a_directory_that_is_the_neighbour_s_place_is_followed(shared: Path) -> None:
    """The user named it deliberately. Links of this user and of root are followed, too."""
    (shared / "theirs").mkdir()
    os.chown(shared / "theirs", NOBODY, NOBODY)
    (shared / "real").mkdir()
    assert as_neighbour("ln", "-s", str(shared / "real"), str(shared / "theirs" / "link")).returncode == 0
    Folder(shared / "theirs" / "link").write("file.txt", b"x")
    assert (shared / "real" / "file.txt").read_bytes() == b"x"


_SWAPPER = """
import os, random, sys
inside, outside = sys.argv[1:]
choose = random.Random(1).randrange
deeds = [
    lambda: os.rename(f"{inside}/a", f"{inside}/aside{choose(3)}"),
    lambda: os.symlink(outside, f"{inside}/a"),
    lambda: (os.mkdir(f"{inside}/a"), os.chmod(f"{inside}/a", 0o777)),
    lambda: os.symlink(f"{outside}/f", f"{inside}/a/f"),
    lambda: os.symlink(outside, f"{inside}/a/d"),
    lambda: os.unlink(f"{inside}/a"),
]
while True:
    try:
        deeds[choose(len(deeds))]()
    except OSError:
        pass
"""
"""A program that swaps directories and files for links, as fast as it can."""


def test_links_that_a_neighbour_swaps_in_meanwhile_lead_nowhere(shared: Path) -> None:
    inside, outside = shared / "inside", shared / "outside"
    for path in (inside, outside, outside / "d"):
        path.mkdir()
    inside.chmod(0o777)
    for path in (outside / "f", outside / "d" / "f"):
        path.write_bytes(b"secret")
    kept = sorted((str(path), path.stat().st_mode, path.stat().st_ctime_ns) for path in outside.rglob("*"))
    folder, deeper = Folder(inside), inside / "a" / "d"
    deeds: list[Callable[[], Any]] = [
        lambda: folder.read("a/f", 10),
        lambda: folder.read("a/d/f", 10),
        lambda: folder.write("a/f", b"x"),
        lambda: folder.write("a/d/f", b"x"),
        lambda: folder.adjust("a/f", Access(0o666)),
        lambda: folder.backup("a/f"),
        lambda: folder.remove("a/f"),
        lambda: os.close(folder.open_to_update("a/g")),
        lambda: Folder(deeper).read("f", 10),
        lambda: Folder(deeper).write("f", b"x"),
    ]
    outcomes = Counter[str]()
    become = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
    with subprocess.Popen([*become, sys.executable, "-c", _SWAPPER, str(inside), str(outside)]) as swapper:
        while min(outcomes["done"], outcomes["refused"]) < 50:
            assert swapper.poll() is None
            for deed in deeds:
                try:
                    assert deed() != b"secret"
                    outcomes["done"] += 1
                except (InvalidInput, OSError):
                    outcomes["refused"] += 1
        swapper.kill()
    assert kept == sorted((str(path), path.stat().st_mode, path.stat().st_ctime_ns) for path in outside.rglob("*"))
