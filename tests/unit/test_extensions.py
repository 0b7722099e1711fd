# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that importers, Automation Platform and hosted CI read in ``extensions``."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import documentation
import platforms
import pytest
import yaml
from project import ROOT

EXTENSIONS = ROOT / "extensions"
PATTERNS = sorted(path.name for path in (EXTENSIONS / "patterns").iterdir())
RULEBOOKS = sorted((EXTENSIONS / "eda" / "rulebooks").iterdir())
CHANGES = EXTENSIONS / "eda" / "plugins" / "event_source" / "changes.py"
KINDS = ("location", "room", "person", "object", "task", "rental_case")
TYPES = ("new", "changed", "archived", "unarchived", "deleted", "due", "overdue")


def load(path: Any) -> Any:
    return yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)


def test_every_directory_of_plugins_is_named() -> None:
    named = {extension["args"]["ext_dir"] for extension in load(ROOT / "meta" / "extensions.yml")["extensions"]}
    folders = {path.parent.relative_to(EXTENSIONS).as_posix() for path in EXTENSIONS.glob("*/plugins/*/*.py")}
    assert named == folders


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_is_complete(name: str) -> None:
    folder = EXTENSIONS / "patterns" / name
    pattern = json.loads((folder / "meta" / "pattern.json").read_text("utf-8"))
    assert pattern["name"] == name
    assert (folder / "README.md").is_file()
    resources = pattern["aap_resources"]
    templates = resources["controller_job_templates"]
    assert [template["primary"] for template in templates].count(True) == 1
    for template in templates:
        assert (folder / "playbooks" / template["playbook"]).is_file()
        options = load(folder / "playbooks" / "meta" / template["playbook"])["argument_specs"]["main"]["options"]
        questions = {question["variable"]: question for question in template["survey"]["spec"]}
        assert set(questions) == set(options)
        assert set(template["labels"]) <= set(resources["controller_labels"])
        assert {name for name, option in options.items() if option.get("required")} <= set(questions)


def test_the_pattern_for_drift_asks_for_options_of_the_role() -> None:
    role = load(ROOT / "roles" / "drift" / "meta" / "argument_specs.yml")["argument_specs"]["main"]["options"]
    survey = load(EXTENSIONS / "patterns" / "drift" / "playbooks" / "meta" / "drift.yml")
    for name, option in survey["argument_specs"]["main"]["options"].items():
        assert option["type"] == role[name]["type"]


@pytest.mark.parametrize("path", RULEBOOKS, ids=lambda path: path.name)
def test_a_rulebook_uses_what_the_source_has(path: Any) -> None:
    options = yaml.load(documentation.block(CHANGES, "DOCUMENTATION"), Loader=yaml.CSafeLoader)["options"]
    for ruleset in load(path):
        for source in ruleset["sources"]:
            given = source["community.seventhings.changes"]
            assert set(given) <= set(options)
            assert set(given["kinds"]) <= set(KINDS)
        for rule in ruleset["rules"]:
            assert any(f'event.type == "{kind}"' in rule["condition"] for kind in TYPES)


def test_hosted_ci_tries_execution_environments_with_the_oldest_and_the_newest_core() -> None:
    sessions = tomllib.loads((ROOT / "antsibull-nox.toml").read_text("utf-8"))["sessions"]
    environments = {session["name"]: session for session in sessions["ee_check"]["execution_environments"]}
    assert environments["oldest"]["ansible_core_package"] == f"ansible-core~={platforms.OLDEST_CORE}.0"
    assert environments["newest"]["ansible_core_package"] == "ansible-core"
    minor = int(environments["oldest"]["python_interpreter_package"].rpartition(".")[2])
    assert minor in platforms.CORES[platforms.OLDEST_CORE]
    assert environments["oldest"]["python_path"] == f"/usr/bin/python3.{minor}"
    for environment in environments.values():
        assert all((ROOT / playbook).is_file() for playbook in environment["test_playbooks"])


def test_hosted_ci_builds_the_execution_environments() -> None:
    jobs = load(ROOT / ".github" / "workflows" / "nightly.yml")["jobs"]
    commands = [step.get("run", "") for step in jobs["environments"]["steps"]]
    assert any("nox --session ee-check" in command for command in commands)
