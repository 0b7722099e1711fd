# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The output of a refused or failed task: at most one screen, with the reason last. Playbooks can read all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import playbook
import pytest
from emulator_process import Emulator
from playbook import Run
from trust import IS_TEXT_A_TEMPLATE

_SCREEN_LINES = 50
_SCREEN_CHARACTERS = 4000
_HELD = "objects: create 300 is more than limits.creates (100); a higher limits.creates of the task lets this pass"


@pytest.fixture
def empty(empty_emulator: Emulator) -> Emulator:
    """Return an empty instance."""
    empty_emulator.reset()
    return empty_emulator


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    """Return files with 300 objects."""
    root = tmp_path / "acme"
    root.mkdir()
    (root / "instance.yml").write_text("api: seventhings/v1\nset: acme\n", "utf-8")
    objects = [{"barcode": f"A{number:05}", "inventory_name": "Thing"} for number in range(300)]
    (root / "objects.yml").write_text(json.dumps(objects), "utf-8")
    return root


def task(name: str, module: str = "instance", **options: Any) -> dict[str, Any]:
    return {"name": name, f"community.seventhings.{module}": {"src": "acme", **options}}


def played(
    directory: Path, service: Emulator, *tasks: dict[str, Any], options: tuple[str, ...] = (), **env: str
) -> Run:
    play = {"hosts": "localhost", "gather_facts": False, "tasks": list(tasks)}
    return playbook.run(
        directory, [play], *options, variables={**service.variables(), "SEVENTHINGS_RATE_LIMIT": "0", **env}
    )


def printed(run: Run, name: str) -> str:
    """Return the output of one task."""
    assert run.status == 2, run.output
    _before, _title, rest = run.output.partition(f"TASK [{name}]")
    return rest.partition("\n\nTASK [")[0].partition("\n\nPLAY RECAP")[0].strip("* \n")


def error(run: Run, name: str) -> list[str]:
    """Return the lines of the message that Ansible prints as an error. Before 2.19 they are only in the result."""
    if IS_TEXT_A_TEMPLATE:
        return str(run.named(name.rpartition(" : ")[2])["msg"]).splitlines()
    return printed(run, name).partition("\nOrigin: ")[0].splitlines()


def is_a_screen(text: str) -> bool:
    return len(text.splitlines()) <= _SCREEN_LINES and len(text) <= _SCREEN_CHARACTERS


@pytest.mark.sample(3)
@pytest.mark.parametrize("options", [(), ("--diff",), ("--check", "--diff")])
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_a_refusal_fits_on_one_screen_and_the_reason_is_last(
    empty: Emulator, acme: Path, options: tuple[str, ...], form: str
) -> None:
    refused = task("Apply", limits={"creates": 100})
    run = played(acme.parent, empty, refused, options=options, ANSIBLE_CALLBACK_RESULT_FORMAT=form)
    screen = printed(run, "Apply")
    assert is_a_screen(screen), screen
    assert error(run, "Apply")[-1].endswith(_HELD)
    end = " ".join(screen.split())[-300:]
    assert _HELD in end
    assert "A00000" not in screen


def test_the_role_prints_a_refusal_once(empty: Emulator, acme: Path, tmp_path: Path) -> None:
    role = {
        "name": "Provision",
        "ansible.builtin.include_role": {"name": "community.seventhings.provision"},
        "vars": {
            "provision_src": str(acme),
            "provision_limits": {"creates": 100},
            "provision_report": str(tmp_path / "plan.html"),
        },
    }
    run = played(acme.parent, empty, role)
    screen = printed(run, "community.seventhings.provision : Apply")
    assert is_a_screen(screen), screen
    held = _HELD.replace(" lets", " (in the role: provision_limits) lets")
    assert error(run, "community.seventhings.provision : Apply")[-1].endswith(held)
    assert f"300 changes were planned and none was sent; {tmp_path / 'plan.html'} has all of them" in screen
    assert "limits.creates" not in run.output.partition("TASK [community.seventhings.provision : Apply]")[0]
    assert "A00299" in (tmp_path / "plan.html").read_text("utf-8")


@pytest.mark.parametrize("module", ["instance", "instance_validate"])
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_of_very_many_findings_the_first_are_shown_and_the_others_counted(
    empty: Emulator, acme: Path, module: str, form: str
) -> None:
    objects = "".join(f"- {{barcode: {number}, inventory_name: x}}\n" for number in range(1, 1001))
    (acme / "objects.yml").write_text(objects, "utf-8")
    run = played(acme.parent, empty, task("Apply", module), ANSIBLE_CALLBACK_RESULT_FORMAT=form)
    screen = printed(run, "Apply")
    assert is_a_screen(screen), screen
    lines = error(run, "Apply")
    shown = [line for line in lines if line.startswith("  objects.yml:")]
    assert len(shown) >= 5
    assert f"  and {1000 - len(shown)} more; set report to a .html or .json file for all of them" in lines
    assert "1,000 findings" in lines[-1]
    assert "objects.yml:1:13: barcode: '1' does not fit" in lines[-1]


def test_a_rescue_reads_the_reason_and_a_report_as_json_has_everything(
    empty: Emulator, acme: Path, tmp_path: Path
) -> None:
    that = [
        "ansible_failed_result.outcome == 'refused'",
        "ansible_failed_result.refusals | length == 1",
        "ansible_failed_result.diff.account is not defined",
        "'A00299' in ansible_failed_result.diff.after",
        "whole.refusals == ansible_failed_result.refusals",
        "whole.changes | length == 300 and whole.summary.objects.skipped == 300",
    ]
    report = str(tmp_path / "plan.json")
    whole = f"{{{{ lookup('ansible.builtin.file', '{report}') | from_json }}}}"
    block = {
        "name": "Try",
        "block": [task("Held", limits={"creates": 100}, report=[report])],
        "rescue": [{"name": "Read", "ansible.builtin.assert": {"that": that}, "vars": {"whole": whole}}],
    }
    run = played(acme.parent, empty, block)
    assert run.status == 0, run.output


def test_a_failed_drift_check_fits_on_one_screen(empty: Emulator, acme: Path) -> None:
    run = played(acme.parent, empty, task("Look", "instance_drift", fail=True))
    screen = printed(run, "Look")
    assert is_a_screen(screen), screen
    assert error(run, "Look")[-1].endswith("fail is on, and 300 records differ from the files")
    assert "  + objects A00000 Thing" in error(run, "Look")


def test_very_many_warnings_are_no_flood(empty: Emulator, acme: Path) -> None:
    tasks = [{"title": f"Task {number}", "assignees": [f"{number}@nobody.example"]} for number in range(200)]
    (acme / "tasks.yml").write_text(json.dumps(tasks), "utf-8")
    run = played(acme.parent, empty, task("Plan", only=["tasks"]), options=("--check",))
    assert run.output.count("[WARNING]") <= 21, run.output


def test_nothing_that_is_printed_obeys_what_a_file_says(empty: Emulator, acme: Path) -> None:
    name = "x\\u001b[2J\\r\\n[ERROR]: forged \\u202e\\u009b31m"
    (acme / "objects.yml").write_text(
        f'[{{"barcode": "1", "{name}": "1"}}, {{"barcode": "2", "{name}": "1"}}]', "utf-8"
    )
    run = played(acme.parent, empty, task("Apply"))
    screen = printed(run, "Apply")
    assert "forged" in screen
    assert not {"\x1b", "\r", "\u202e", "\x9b"} & set(run.output)
    assert not [line for line in run.output.splitlines() if line.startswith("[ERROR]: forged")]
