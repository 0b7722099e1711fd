# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page *How it is tested* shows exactly the tests that were run."""

from __future__ import annotations

import json
from pathlib import Path

import mutation
import planted
import proof
import pytest
from project import ROOT

_REPORT = """\
<testsuites><testsuite timestamp="2031-05-20T02:23:00">
<testcase classname="tests.integration.test_histories" name="test_a[1]" time="1.5"/>
<testcase classname="tests.integration.test_histories" name="test_a[2]" time="2.5"><failure/></testcase>
<testcase classname="tests.hostile.test_fuzz" name="test_b" time="1"><skipped/></testcase>
<testcase classname="tests.hostile.test_plays.TestDoors" name="test_c" time="1"/>
<testcase classname="tests.unit.test_docs" name="test_d" time="1"/>
</testsuite></testsuites>
"""


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file with the recorded results of a run."""
    monkeypatch.setattr(proof, "RESULTS", tmp_path / "proof.json")
    report = tmp_path / "report.xml"
    report.write_text(_REPORT)
    proof.record([report], "abcdef12")
    return tmp_path / "proof.json"


def test_a_run_is_recorded_by_kinds_of_proof(recorded: Path) -> None:
    found = json.loads(recorded.read_text())
    assert list(found) == ["Histories of real processes", "Fuzzing", "Hostile corpus"]
    counts = {
        name: [result[key] for key in ("tests", "failed", "skipped", "seconds")] for name, result in found.items()
    }
    assert counts == {
        "Histories of real processes": [2, 1, 0, 4.0],
        "Fuzzing": [1, 0, 1, 1.0],
        "Hostile corpus": [1, 0, 0, 1.0],
    }
    assert {(result["date"], result["commit"]) for result in found.values()} == {("2031-05-20", "abcdef12")}
    assert [result["seeds"] for result in found.values()] == ["1 to 2", "", ""]


def test_a_run_on_another_core_has_its_own_row(recorded: Path, tmp_path: Path) -> None:
    before = json.loads(recorded.read_text())
    proof.record([tmp_path / "report.xml"], "12345678", "2.16")
    found = json.loads(recorded.read_text())
    assert before.items() <= found.items()
    assert found["Hostile corpus, ansible-core 2.16"] == {**before["Hostile corpus"], "commit": "12345678"}
    assert "  * - Hostile corpus, ansible-core 2.16\n" in proof.results_table()
    assert "Hostile corpus, ansible-core 2.18" not in proof.results_table()


def test_a_run_without_a_proof_leaves_its_result(recorded: Path, tmp_path: Path) -> None:
    before = recorded.read_text()
    empty = tmp_path / "empty.xml"
    empty.write_text("<testsuites/>")
    proof.record([empty], "12345678")
    assert recorded.read_text() == before


@pytest.mark.usefixtures("recorded")
def test_the_page_says_what_failed_and_what_was_never_run() -> None:
    rows = proof.results_table().split("  * - ")
    by_title = {row.splitlines()[0]: row for row in rows}
    assert "2031-05-20" in by_title["Histories of real processes"]
    assert (
        "    - abcdef12\n    - 1 to 2\n    - 2\n    - 1\n    - 0\n    - 0.00\n"
        in by_title["Histories of real processes"]
    )
    assert "not recorded" in by_title["Second service"]


@pytest.mark.parametrize(
    ("names", "seeds"),
    [
        (["test_a[7]"], "7"),
        (["test_a[2000-3999]", "test_a[0-1999]"], "0 to 3,999"),
        (["test_a[faults-0]", "test_a[faults-2]", "test_a[journal]", "test_b"], "0, 2"),
        (["test_a[1]", "test_a[2]", "test_a[1]", "test_a[9]"], "1 to 2, 9"),
    ],
)
def test_the_seeds_of_a_run_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str], seeds: str
) -> None:
    monkeypatch.setattr(proof, "RESULTS", tmp_path / "proof.json")
    report = tmp_path / "report.xml"
    cases = "".join(f'<testcase classname="tests.integration.test_histories" name="{name}"/>' for name in names)
    report.write_text(f'<testsuite timestamp="2031-05-20">{cases}</testsuite>')
    proof.record([report], "abcdef12")
    assert json.loads(proof.RESULTS.read_text())["Histories of real processes"]["seeds"] == seeds


@pytest.mark.parametrize("kind", proof.PROOFS, ids=lambda kind: kind.name)
def test_a_proof_exists_with_its_size_and_its_variable(kind: proof.Proof) -> None:
    assert all((ROOT / name).exists() for name in kind.files)
    assert kind.sizes()
    text = "".join((ROOT / name).read_text("utf-8") for name in kind.files if name.endswith(".py"))
    assert kind.seed.partition("=")[0] in text


def test_the_sums_of_mutation_are_those_of_its_page() -> None:
    page = (ROOT / "docs" / "mutation-testing.md").read_text("utf-8")
    explained = page.count("\n### `")
    assert f"The other {explained:,} survived" in proof.mutation_sums().replace("\n", " ")


def test_the_files_without_a_complete_mutation_run_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    monkeypatch.setattr(proof, "_MUTATION", page)
    names = [name.rpartition("/")[2] for name in mutation.SUBJECTS]
    page.write_text("".join(f"| `{name}.py` | 1 | 1 | 0 |\n" for name in names[1:]))
    assert f"a complete run except ``{names[0]}.py``, whose" in proof.mutation_gaps()
    page.write_text("".join(f"| `{name}.py` | 1 | 1 | 0 |\n" for name in names))
    assert proof.mutation_gaps().startswith(f"Only {len(names)} files that make decisions have a complete run.")


def test_the_number_of_planted_defects_is_on_the_page() -> None:
    assert f"{len(planted.DEFECTS)} defects" in proof.planted_sum()
