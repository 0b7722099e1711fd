# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A message in a role names the variable that the caller sets, for every option of every role."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from project import ROOT
from set_actions import SPECS

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import CONNECTION
from ansible_collections.community.seventhings.plugins.plugin_utils.action.controller_action import with_variables

_MODULE = "community.seventhings."


def _tasks(found: Any) -> list[dict[str, Any]]:
    """Return all tasks, also those in blocks."""
    return [task for outer in found for task in [outer, *_tasks(outer.get("block", []))]]


def _options() -> list[tuple[str, str, str]]:
    """Return role, option and variable of each option that a role passes to its module."""
    found = []
    for path in sorted((ROOT / "roles").glob("*/tasks/main.yml")):
        for task in _tasks(yaml.safe_load(path.read_text("utf-8"))):
            for module, options in task.items():
                if module.startswith(_MODULE):
                    texts = {option: re.search(r"\{\{ *(\w+)", str(value)) for option, value in options.items()}
                    role = path.parents[1].name
                    found += [(role, option, text[1]) for option, text in texts.items() if text and role in text[1]]
    return found


@pytest.mark.parametrize(("role", "option", "variable"), _options())
def test_each_option_of_a_role_has_its_variable_in_a_message(role: str, option: str, variable: str) -> None:
    told = with_variables({"msg": f"{option}: 5 does not fit"}, role, {option})
    assert told["msg"] == f"{option}: 5 does not fit (in the role: {variable})"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "protected: limits, prune must be given too",
            "{} (in the role: provision_protected, provision_limits, provision_prune)",
        ),
        ("only with allow: [destructive]", "{} (in the role: provision_allow)"),
        ("These files are for b. expect_instance overrides it.", "{} (in the role: provision_expect_instance)"),
        ("a higher limits.x of the task helps", "a higher limits.x of the task (in the role: provision_limits) helps"),
        ("write that directory as src", "{} (in the role: provision_src)"),
        ("set report to a .html file", "{} (in the role: provision_report)"),
        ("objects: 3 updated", "{}"),
        ("only objects are in it", "{}"),
    ],
)
def test_a_message_names_the_variables_once_on_each_line(text: str, shown: str) -> None:
    told = with_variables({"msg": f"{text}\n{text}"}, "provision", SPECS["instance"].keys())["msg"]
    assert told.splitlines() == [shown.format(text)] * 2
    assert with_variables({"msg": text}, "", SPECS["instance"].keys())["msg"] == text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("objects: 2 record(s) in no file; set into: {objects: a.yml} to add them", "into"),
        ("objects.yml:1:3: object 1 is not in the instance: not changed, because the option gone is keep", "gone"),
    ],
)
def test_a_hint_of_absorb_names_its_variables(text: str, names: str) -> None:
    told = with_variables({"msg": text}, "absorb", {"into", "new", "gone"})["msg"]
    assert told == f"{text} (in the role: absorb_{names})"


def test_sections_and_fields_in_the_report_of_a_plan_are_no_options() -> None:
    report = '~ objects 100301\n    room: "1.10" -> "3.03"\n    from_location: null -> "4010"\nobjects: 1 updated'
    options = {"objects", "room", "from_location"}
    assert with_variables({"msg": report, "outcome": "changed"}, "move", options)["msg"] == report
    refused = with_variables({"msg": "objects: no object has the scan code 3"}, "move", options)
    assert refused["msg"].endswith(" (in the role: move_objects)")


@pytest.mark.parametrize("option", CONNECTION)
def test_options_of_the_connection_are_in_one_variable(option: str) -> None:
    told = with_variables({"msg": f"{option}: is missing"}, "drift", SPECS["instance_drift"].keys())["msg"]
    assert f"(in the role: drift_connection.{option})" in told


def test_the_variables_of_a_host_are_named_if_a_fleet_runs_the_role() -> None:
    told = with_variables({"msg": "timeout: 0 does not fit"}, "provision", {"timeout"}, "seventhings_")
    assert told["msg"].endswith(" (in the role: seventhings_timeout)")


def test_each_role_connects_by_defaults_that_leave_those_of_the_play() -> None:
    modules = set()
    for path in (ROOT / "roles").glob("*/tasks/main.yml"):
        role, text = path.parents[1].name, path.read_text("utf-8")
        if found := re.findall(rf"(?m)^ *{re.escape(_MODULE)}(\w+):$", text):
            modules.update(found)
            assert f'group/{_MODULE}roles: "{{{{ {role}_defaults }}}}"' in text
            options = re.findall(r"'(\w+)'", (path.parents[1] / "vars" / "main.yml").read_text("utf-8"))
            assert sorted(options) == sorted(CONNECTION)
    assert sorted(modules) == yaml.safe_load((ROOT / "meta/runtime.yml").read_text("utf-8"))["action_groups"]["roles"]
