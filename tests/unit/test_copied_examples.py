# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A user who copies any example and runs it each night does not change what scans wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from copied_examples import SETS, Copier, evidence, sources
from embedded_here import Embedded
from project import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _reports_in_a_directory_of_the_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def changed_evidence(copier: Copier, before: dict[str, tuple[object, ...]]) -> list[str]:
    """Return the existing objects whose evidence changed."""
    return [uuid for uuid, values in evidence(copier.here).items() if before.get(uuid, values) != values]


@pytest.mark.sample(12)
@pytest.mark.parametrize("path", list(sources()), ids=lambda path: path.stem)
def test_tasks_that_people_copy_change_no_evidence(path: Path, tmp_path: Path) -> None:
    copier = Copier(tmp_path, Embedded.started(data="stocktake"))
    before = evidence(copier.here)
    for _night in range(2):
        copier.copy(path)
        assert changed_evidence(copier, before) == []


@pytest.mark.parametrize(("layers", "variables"), SETS)
def test_files_that_people_copy_change_no_evidence(
    layers: list[str], variables: dict[str, str], tmp_path: Path
) -> None:
    copier = Copier(tmp_path, Embedded.started(data="stocktake"))
    before = evidence(copier.here)
    for _night in range(2):
        copier.apply([ROOT / layer for layer in layers], **variables)
    assert copier.done == 2
    assert changed_evidence(copier, before) == []


def test_most_examples_are_carried_out(tmp_path: Path) -> None:
    copier = Copier(tmp_path, Embedded.started(data="stocktake"))
    for path in sources():
        copier.copy(path)
    assert copier.done > 100


@pytest.mark.parametrize("field", ["actual_room: Leipzig/3.01", "actual_building: Leipzig"])
def test_an_example_that_changes_evidence_is_found(tmp_path: Path, field: str) -> None:
    copier = Copier(tmp_path, Embedded.started(data="stocktake"))
    before = evidence(copier.here)
    copier.run(f"- community.seventhings.object:\n    fields: {{barcode: '100017', {field}}}\n")
    assert len(changed_evidence(copier, before)) == 1


def test_an_example_that_moves_the_actual_room_is_found(tmp_path: Path) -> None:
    copier = Copier(tmp_path, Embedded.started(data="stocktake"))
    before = evidence(copier.here)
    copier.run("- community.seventhings.move: {objects: ['100017'], to: Leipzig/3.01, actual: true}\n")
    assert len(changed_evidence(copier, before)) == 1
