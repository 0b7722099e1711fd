# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``kill -9`` in the middle of an apply with real processes: the next run completes it, and creates nothing twice."""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import playbook
import pytest
from instance_site import Site, sample_files
from project import LONG

_SEED = 4242
_SAMPLES = 200 if LONG else 2
_RECORDS = 300
_SECONDS = 240
_BETWEEN_LOOKS = 0.005
_SHARE_WITH_WORKER = 0.5

_PLAY = """\
- hosts: localhost
  gather_facts: false
  tasks:
    - name: Apply
      community.seventhings.instance:
        src: {src}
        rate_limit: 0
        allow: [users]
        tuning: {{workers: {workers}}}
"""


class Apply:
    """``ansible-playbook`` that applies a directory, in a process group of its own."""

    def __init__(self, site: Site, workers: int = 8) -> None:
        self._play = site.root.parent / "play.yml"
        self._play.write_text(_PLAY.format(src=site.root, workers=workers), "utf-8")
        self._output = site.root.parent / "output.txt"
        environment = playbook.environment({**site.service.variables(), "ANSIBLE_FORKS": "1"})
        with self._output.open("w") as output:
            self.process = subprocess.Popen(
                [
                    str(Path(sys.executable).with_name("ansible-playbook")),
                    "-i",
                    "localhost,",
                    "-c",
                    "local",
                    str(self._play),
                ],
                env=environment,
                cwd=site.root.parent,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def finish(self) -> str:
        """Wait for its end, and return its output."""
        status = self.process.wait(_SECONDS)
        text = self._output.read_text("utf-8")
        assert status == 0, text[-2000:]
        return text

    def kill(self, with_worker: bool) -> None:
        """Send ``kill -9`` to the process, with or without its worker."""
        if self.process.poll() is not None:
            return
        if with_worker:
            os.killpg(self.process.pid, signal.SIGKILL)
        else:
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(_SECONDS)

    def wait_for_group(self) -> None:
        """Wait until all processes that it started have ended."""
        deadline = time.monotonic() + _SECONDS
        with contextlib.suppress(ProcessLookupError):
            while True:
                os.killpg(self.process.pid, 0)
                assert time.monotonic() < deadline, "a process was left behind"
                time.sleep(_BETWEEN_LOOKS)


def _until(process: subprocess.Popen[Any], reached: Callable[[], bool]) -> None:
    """Wait until a condition is true or the process has ended."""
    while process.poll() is None and not reached():
        time.sleep(_BETWEEN_LOOKS)


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Any]:
    """Return the result of an undisturbed run, computed by the first test that needs it."""
    return {}


def _reference(site: Site, known: dict[str, Any]) -> dict[str, Any]:
    if not known:
        result = site.run()
        assert result.outcome == "changed", result.failures
        known.update(dump=site.dump(), requests=result.requests, uploads=site.writes().count("POST /file"))
        site.service.reset()
        # Its journal knows records that are gone, and limits count them.
        shutil.rmtree(os.environ["XDG_STATE_HOME"])
    return known


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(_SEED, _SEED + _SAMPLES))
def test_a_run_after_kill_9_ends_where_an_undisturbed_one_does(
    site: Site, undisturbed: dict[str, Any], seed: int
) -> None:
    site.write(sample_files(_RECORDS, 1))
    reference = _reference(site, undisturbed)
    chance = random.Random(seed)
    moment = chance.randrange(1, reference["requests"])
    with_worker = chance.random() < _SHARE_WITH_WORKER
    first = Apply(site)
    _until(first.process, lambda: len(site.service.log()) >= moment)
    time.sleep(chance.random() * _BETWEEN_LOOKS)
    first.kill(with_worker)
    _wait_for_worker(site)
    linked = _linked_files(site)
    print(f"seed {seed}: kill -9 after request {moment}, worker too: {with_worker}, files linked: {linked}")
    site.service.clear_log()
    assert site.run(sleep=_short_pause).outcome in ("changed", "unchanged")
    assert site.dump() == reference["dump"]
    assert site.writes().count("POST /file") <= reference["uploads"] - linked, "a file that was linked was sent again"
    assert site.plan().outcome == "unchanged"


def _linked_files(site: Site) -> int:
    return sum(len(record["fields"].get("documents") or ()) for record in site.dump()["objects"])


def _short_pause(seconds: float) -> None:
    """Shorten the settling horizon: requests in progress at the kill arrived long ago."""
    time.sleep(min(seconds, 0.1))


def _wait_for_worker(site: Site) -> None:
    """Wait until no worker writes any more: then the lock of the journal is free."""
    path = site.journal("sample")
    if path.exists():
        with path.open() as journal:
            fcntl.flock(journal, fcntl.LOCK_EX)


@pytest.mark.sample(0)
def test_a_worker_without_its_parent_stops_before_its_next_write(site: Site) -> None:
    site.write(sample_files(_RECORDS, 2))
    run = Apply(site, workers=1)
    _until(run.process, lambda: len(site.writes()) >= 20)
    run.kill(with_worker=False)
    writes = len(site.writes())
    _wait_for_worker(site)
    # Only the pending write, and for a task or an object with a file the rest of that record.
    assert len(site.writes()) - writes <= 3
    run.wait_for_group()
    Apply(site).finish()
    assert site.plan().outcome == "unchanged"
