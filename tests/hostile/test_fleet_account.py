# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a fleet, written by templates of a role, is as clean and private as the reports of the plugins."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import hostile_service
import payloads
import playbook
import pytest
import yaml
from payloads import CANARY, OWN
from project import LONG, ROOT

from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean


def _role(path: str) -> Any:
    return yaml.safe_load((ROOT / "roles" / "fleet" / path).read_text("utf-8"))


def test_the_role_replaces_every_character_that_the_cleaner_escapes() -> None:
    controls = re.compile(_role("vars/main.yml")["fleet_controls"])
    characters = map(chr, range(0x110000))
    assert [
        hex(ord(character))
        for character in characters
        if (clean(character) != character) != bool(controls.fullmatch(character))
    ] == []


def test_the_role_writes_for_its_user_alone() -> None:
    written = [task for task in _role("tasks/result.yml") if "ansible.builtin.template" in task]
    assert [task["ansible.builtin.template"]["mode"] for task in written] == ["0600"]


@pytest.mark.parametrize("ending", ["json", "md", "html"] if LONG else ["md"])
def test_no_text_from_an_instance_is_run(tmp_path: Path, ending: str) -> None:
    """Each instance refuses everything with a payload, which becomes the reason in the report."""
    texts = ["{{ own_secret }}", *payloads.EXECUTION[:3]]
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "instance.yml").write_text("api: seventhings/v1\nset: sites\n", "utf-8")
    (tmp_path / "base" / "locations.yml").write_text("- {name: Depot}\n", "utf-8")
    with hostile_service.running() as service:
        service.mode, service.texts = "refusing", texts
        host = {"base_url": service.base_url, "username": "u", "password": hostile_service.PASSWORD, "client_id": "c"}
        inventory = {"all": {"hosts": {"berlin": host}, "vars": {"own_secret": OWN}}}
        (tmp_path / "instances.yml").write_text(yaml.safe_dump(inventory), "utf-8")
        given = {"fleet_src": ["base"], "fleet_report": f"all.{ending}"}
        (tmp_path / "given.yml").write_text(yaml.safe_dump(given), "utf-8")
        book = ROOT / "playbooks" / "fleet.yml"
        variables = {"CANARY": CANARY, "RAN": str(tmp_path / "ran"), "SEVENTHINGS_RATE_LIMIT": "0"}
        done = playbook.run(tmp_path, book, "-i", "instances.yml", "-e", "@given.yml", variables=variables)
    written = (tmp_path / f"all.{ending}").read_text("utf-8")
    shown = json.loads(written)["instances"][0]["reason"] if ending == "json" else written
    assert "own_secret" in shown, done.output
    for output in (done.output, written):
        assert CANARY not in output
        assert OWN not in output
    assert not (tmp_path / "ran").exists()
