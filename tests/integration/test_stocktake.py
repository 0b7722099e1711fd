# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Play the examples of the module, the role and the playbook of stocktakes twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import documentation
import playbook
import yaml
from emulator_here import running_here
from project import ROOT
from records import name_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import ROOM

OURS = "community.seventhings."


def play(**content: Any) -> dict[str, Any]:
    return {"hosts": "localhost", "gather_facts": False, **content}


def test_the_examples_run_twice(tmp_path: Path) -> None:
    """The examples run after a stocktake. Nobody marks anything in the report, so no deviation is accepted."""
    (tmp_path / "acme" / "objects").mkdir(parents=True)
    settings = "api: seventhings/v1\nidentity: {objects: [Anlagennummer]}\n"
    settings += 'scan_codes: {field: barcode, placeholder: "IMP-"}\n'
    (tmp_path / "acme" / "instance.yml").write_text(settings, "utf-8")
    rows = "Anlagennummer,barcode,target_room\n4712-0,IMP-000018,Dresden/1.04\n"
    (tmp_path / "acme" / "objects" / "it.csv").write_text(rows, "utf-8")
    (tmp_path / "scanned.csv").write_text("code,room\n100019,Dresden/1.04\n", "utf-8")
    tasks = yaml.safe_load(documentation.block(ROOT / "plugins" / "modules" / "stocktake.py", "EXAMPLES"))
    with running_here("stocktake") as service:
        before = service.steer("GET", "/dump")
        run = playbook.run(tmp_path, [play(tasks=tasks), play(tasks=tasks)], variables=service.variables())
        assert service.steer("GET", "/dump") == before

    assert run.status == 0, run.output
    assert documentation.misfits([result.data for result in run.results], documentation.returned("stocktake")) == []
    assert [result.name for result in run.results if result.data["changed"]] == []
    assert len(run.results) == 2 * len(tasks)
    assert (tmp_path / "acme" / "objects" / "it.csv").read_text("utf-8") == rows
    missing = [result.data["counts"]["missing"] for result in run.results[: len(tasks)]]
    assert missing[2] == missing[1] - 1


def test_the_role_and_the_playbook(tmp_path: Path) -> None:
    """They run in check mode, then twice: evaluate writes reports, and close changes the files once."""
    (tmp_path / "acme").mkdir()
    rows = "- {barcode: '100018', target_room: Dresden/1.04}\n"
    (tmp_path / "acme" / "objects.yml").write_text(rows, "utf-8")
    (tmp_path / "acme" / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    variables = {
        "stocktake_since": "2025-11-10",
        "stocktake_until": "2025-11-21",
        "stocktake_placeholder_rooms": ["Dresden/000"],
        "stocktake_scope": {"objects": {"inventory_group": ["IT"]}},
        "stocktake_report": ["stocktake.json"],
        "stocktake_src": "acme",
        "stocktake_accept": ["100018"],
    }
    roles = [
        play(roles=[{"role": f"{OURS}stocktake", "vars": {"stocktake_mode": mode}}], vars=variables)
        for mode in ("prepare", "evaluate", "close")
    ]
    with running_here("stocktake") as service:
        planned = playbook.run(tmp_path, roles, "--check", "--diff", variables=service.variables())
        assert planned.status == 0, planned.output
        assert (tmp_path / "acme" / "objects.yml").read_text("utf-8") == rows
        assert not (tmp_path / "stocktake.json").exists()
        atelier = name_of(ROOM, building_id="Leipzig", number="3.01", name="Atelier")
        assert f"+- {{barcode: '100018', target_room: {atelier}}}" in planned.output
        run = playbook.run(tmp_path, [*roles, *roles], variables=service.variables())
        assert run.status == 0, run.output
        changed = [result.data["changed"] for result in run.results if "counts" in result.data]
        assert changed == [False, False, True, False, False, False]
        given = json.dumps({**variables, "stocktake_report": ["again.json"]})
        book = ROOT / "playbooks" / "stocktake.yml"
        again = playbook.run(tmp_path, book, "-e", given, variables=service.variables())
        assert again.status == 0, again.output
    reports = [json.loads((tmp_path / name).read_text("utf-8")) for name in ("stocktake.json", "again.json")]
    assert [report["mode"] for report in reports] == ["close", "evaluate"]
    assert reports[0]["counts"] == reports[1]["counts"]
