# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A gate runs after the gates that it needs. If one of them fails, it does not run and counts as failed."""

from __future__ import annotations

import itertools
import runpy
import sys
from pathlib import Path

import gates
import project
import pytest
import sanity
import yaml
from gates import Gate
from platforms import CORES, EVERYDAY, PRERELEASES
from project import ROOT, tracked_files

pytestmark = pytest.mark.slow


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


def test_a_name_of_no_gate_is_refused_with_the_names_of_all() -> None:
    work = [[gate("ruff", ""), gate("mypy, plugins", "")]]
    assert gates.selected(work, ["mypy"]) == [work[0][1:]]
    with pytest.raises(ValueError, match=r"^no gate begins with 'types'; expected one of mypy, plugins, ruff$"):
        gates.selected(work, ["ruff", "types"])


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


def test_long_tests_play_every_case_on_every_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEVENTHINGS_TEST_LONG", raising=False)
    assert [gate.name for gate in gates.core_gates()] == [f"plays, ansible-core {core}" for core in gates._OLD_PLAYS]
    monkeypatch.setenv("SEVENTHINGS_TEST_LONG", "1")
    every = {gate.name: gate.command for gate in gates.core_gates()}
    others = [core for core in CORES if core != EVERYDAY]
    assert list(every) == [
        *(f"plays, ansible-core {core}" for core in others),
        f"hostile texts, ansible-core {min(CORES)}",
    ]
    assert all(("--every-case" in command) == name.startswith("plays") for name, command in every.items())


@pytest.mark.parametrize(
    ("variable", "every_case", "is_long"),
    [(None, False, False), ("0", False, False), ("cases", True, False), ("1", True, True)],
)
def test_every_case_can_run_without_large_numbers(
    monkeypatch: pytest.MonkeyPatch, variable: str | None, every_case: bool, is_long: bool
) -> None:
    if variable is None:
        monkeypatch.delenv("SEVENTHINGS_TEST_LONG", raising=False)
    else:
        monkeypatch.setenv("SEVENTHINGS_TEST_LONG", variable)
    fresh = runpy.run_path(project.__file__)
    assert (fresh["EVERY_CASE"], fresh["LONG"]) == (every_case, is_long)


def test_a_selected_gate_runs_after_what_it_needs() -> None:
    tools, other = gate("tools", ""), gate("other", "")
    user = gate("user", "", tools)
    assert gates.selected([[other], [tools], [user]], ["us"]) == [[], [tools], [user]]
    assert gates.selected([[other], [tools], [user]], ["other"]) == [[other], [], []]


def test_hosted_jobs_run_every_gate_of_the_long_run(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8"))["jobs"]
    words = [job["gates"] for job in jobs["long"]["strategy"]["matrix"]["include"] if job["target"] == "test-long"]
    monkeypatch.delenv("SEVENTHINGS_TEST_LONG", raising=False)
    every_change = {gate.name for gate in itertools.chain(*gates.chains("all")) if not gate.pytest}
    monkeypatch.setenv("SEVENTHINGS_TEST_LONG", "1")
    work = gates.chains("all")
    selected = {gate.name for some in words for gate in itertools.chain(*gates.selected(work, some.split()))}
    assert {gate.name for gate in itertools.chain(*work)} - selected <= every_change


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
