# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A gate runs after the gates that it needs. If one of them fails, it does not run and counts as failed."""

from __future__ import annotations

import sys
from pathlib import Path

import gates
import pytest
import sanity
import yaml
from gates import Gate
from platforms import CORES, PRERELEASES
from project import ROOT, tracked_files


@pytest.fixture(autouse=True)
def _logs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(gates, "LOGS", tmp_path)


def gate(name: str, code: str, needs: Gate | None = None) -> Gate:
    return Gate(name, [sys.executable, "-c", code], needs=needs)


def test_what_needs_another_chain_waits_for_it(tmp_path: Path) -> None:
    path = tmp_path / "made"
    before = [gate(name, "") for name in "abc"]
    tools = gate("tools", f"open({str(path)!r}, 'w')")
    user = gate("user", f"open({str(path)!r})", tools)
    gates.run([[user], [*before, tools]])
    assert (tools.result, user.result) == ("passed", "passed")
    assert gates.summary([tools, user], 0.0) == 0


def test_what_needs_something_that_failed_does_not_run_and_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "made"
    tools = gate("tools", "raise SystemExit(1)")
    user = gate("user", f"open({str(path)!r}, 'w')", tools)
    gates.run([[user], [tools]])
    assert (tools.result, user.result, path.exists()) == ("failed", "not run", False)
    assert gates.summary([tools, user], 0.0) == 1
    assert "tools failed" in capsys.readouterr().out


def test_the_samples_on_old_cores_are_there_and_ask_for_old_cores() -> None:
    for core, sample in gates._OLD_PLAYS.items():
        assert core in CORES
        assert tuple(map(int, core.split("."))) < (2, 19)
        assert all((ROOT / name.partition("::")[0]).exists() for name in sample)
    assert {min(CORES)} == set(gates._OLD_PLAYS)


def test_long_tests_play_on_every_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEVENTHINGS_TEST_LONG", "1")
    assert [gate.name for gate in gates.core_gates()] == [f"plays, ansible-core {core}" for core in CORES]
    monkeypatch.delenv("SEVENTHINGS_TEST_LONG")
    assert [gate.name for gate in gates.core_gates()] == [f"plays, ansible-core {core}" for core in gates._OLD_PLAYS]


def test_sanity_runs_in_full_on_every_core_in_long_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEVENTHINGS_TEST_LONG", raising=False)
    (oldest,) = gates.sanity_gates()
    assert oldest.name == f"sanity, ansible-core {min(CORES)}"
    assert {"import", "pep8", "pylint"} <= set(oldest.command)
    monkeypatch.setenv("SEVENTHINGS_TEST_LONG", "1")
    every = {gate.name.split()[-1]: set(gate.command) for gate in gates.sanity_gates()}
    assert set(every) == set(CORES)
    assert [core for core, words in every.items() if "--skip-test" in words] == [*PRERELEASES]


def test_sanity_leaves_out_only_data_that_is_never_shipped() -> None:
    left_out = set(tracked_files()) - set(sanity.source_files())
    unshipped = {Path(name) for name in yaml.safe_load((ROOT / "galaxy.yml").read_text("utf-8"))["build_ignore"]}
    assert all(unshipped & {name, *name.parents} for name in left_out)
    assert all((ROOT / folder).is_dir() for folder in sanity.FOREIGN_DATA)
