# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The catalogue is the only source: modules, actions, documentation and the action group are checked against it."""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import re
from pathlib import Path
from typing import Any

import documentation
import pytest
import yaml

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module import argument_specs as specs
from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import MODULES
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import ENVIRONMENT
from ansible_collections.community.seventhings.plugins.module_utils.client.tuning import KEYS
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    KINDS,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec

from ..support import JsonMap

ROOT = Path(__file__).resolve().parents[4]
COLLECTION = "ansible_collections.community.seventhings.plugins"
ON_CONTROLLER = sorted({path.stem for path in ROOT.glob("plugins/modules/[a-z]*.py")} - MODULES.keys())
"""The modules that only run on the controller. Their documentation is their specification."""

SPECS: dict[str, specs.Spec] = {
    **{name: module.spec for name, module in MODULES.items()},
    **{name: documented_spec(name) for name in ON_CONTROLLER},
}
"""The options of every module."""


@functools.cache
def text_of(path: Path, name: str) -> Any:
    """Return a block of documentation of a file, decoded."""
    return yaml.load(documentation.block(path, name), Loader=yaml.CSafeLoader)


def module_path(name: str) -> Path:
    return ROOT / f"plugins/modules/{name}.py"


@functools.cache
def fragment(name: str) -> JsonMap:
    """Return a fragment as ``extends_documentation_fragment`` names it."""
    file = name.removeprefix("community.seventhings.")
    found = importlib.import_module(f"{COLLECTION}.doc_fragments.{file}").ModuleDocFragment
    decoded: JsonMap = yaml.load(found.DOCUMENTATION, Loader=yaml.CSafeLoader)
    return decoded


@functools.cache
def documented_options(name: str) -> JsonMap:
    """Return the options of a module, including those of its fragments. The module's own text has precedence."""
    documentation = text_of(module_path(name), "DOCUMENTATION")
    options: JsonMap = {}
    for extended in documentation.get("extends_documentation_fragment", []):
        if extended.startswith("community.seventhings."):
            options |= copy.deepcopy(fragment(extended).get("options", {}))
    return {**options, **documentation.get("options", {})}


def as_spec(option: JsonMap) -> JsonMap:
    """Return the argument specification for a documented option."""
    spec: JsonMap = {
        key: option[key] for key in ("type", "elements", "default", "required", "aliases") if key in option
    }
    if "choices" in option:
        spec["choices"] = list(option["choices"])
    if "suboptions" in option:
        spec["options"] = {key: as_spec(sub) for key, sub in option["suboptions"].items()}
    return spec


def as_documented(option: JsonMap) -> JsonMap:
    """Return the expected documentation for a specified option."""
    spec: JsonMap = {
        key: value
        for key, value in option.items()
        if key in ("type", "elements", "default", "required", "choices", "aliases")
    }
    if "options" in option:
        spec["options"] = {key: as_documented(sub) for key, sub in option["options"].items()}
    return spec


# ---- a file for every module, and a module for every file


@pytest.mark.parametrize("name", sorted(MODULES))
def test_every_door_has_a_module_file(name: str) -> None:
    assert module_path(name).exists()


def runtime() -> JsonMap:
    """Return the content of ``meta/runtime.yml``."""
    decoded: JsonMap = yaml.load((ROOT / "meta/runtime.yml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return decoded


@pytest.mark.parametrize("name", sorted(SPECS))
def test_every_module_has_an_action_of_its_own_or_is_routed_to_the_shared_one(name: str) -> None:
    has_own = (ROOT / f"plugins/action/{name}.py").exists()
    routed = runtime()["plugin_routing"]["modules"].get(name)
    assert routed == (None if has_own else {"action_plugin": "community.seventhings.room"})


def test_every_module_file_has_a_door_and_every_action_file_a_module() -> None:
    modules = {path.stem for path in (ROOT / "plugins" / "modules").glob("*.py")} - {"__init__"}
    actions = {path.stem for path in (ROOT / "plugins" / "action").glob("*.py")} - {"__init__"}
    assert modules == set(SPECS) >= actions
    assert set(runtime()["plugin_routing"]["modules"]) == modules - actions


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_binds_its_own_name(name: str) -> None:
    code = module_path(name).read_text(encoding="utf-8")
    assert re.search(rf'\brun\("{name}"\)', code)
    assert text_of(module_path(name), "DOCUMENTATION")["module"] == name


@pytest.mark.parametrize("name", MODULES)
def test_a_module_does_nothing_where_it_is_only_imported(name: str) -> None:
    assert callable(importlib.import_module(f"{COLLECTION}.modules.{name}").main)


def test_the_action_group_all_lists_exactly_the_modules_with_a_connection() -> None:
    groups = runtime()["action_groups"]
    assert set(groups) == {"all", "roles"}
    assert sorted(groups["all"]) == sorted(name for name, spec in SPECS.items() if "base_url" in spec)


# ---- documentation


@pytest.mark.parametrize("name", MODULES)
def test_the_documented_options_are_those_of_the_specification(name: str) -> None:
    assert sorted(documented_options(name)) == sorted(SPECS[name])


@pytest.mark.parametrize("name", MODULES)
def test_a_documented_option_says_what_the_specification_says(name: str) -> None:
    documented = documented_options(name)
    specified = {option: as_documented(spec) for option, spec in SPECS[name].items()}
    assert {option: as_spec(documented.get(option, {})) for option in specified} == specified


@pytest.mark.parametrize("name", SPECS)
def test_every_option_is_described(name: str) -> None:
    assert [key for key, option in documented_options(name).items() if not option.get("description")] == []


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("block", ["EXAMPLES", "RETURN"])
def test_a_module_has_examples_and_returns(name: str, block: str) -> None:
    decoded = text_of(module_path(name), block)
    assert decoded
    if block == "EXAMPLES":
        assert f"community.seventhings.{name}" in decoded[0]
    else:
        assert all(
            value.get("description") and value.get("type") and value.get("returned") for value in decoded.values()
        )


@pytest.mark.parametrize("name", SPECS)
def test_a_module_says_that_it_is_in_the_action_group(name: str) -> None:
    documentation = text_of(module_path(name), "DOCUMENTATION")
    attributes = dict(documentation.get("attributes", {}))
    for extended in documentation["extends_documentation_fragment"]:
        if extended.startswith("community.seventhings."):
            attributes = {**fragment(extended).get("attributes", {}), **attributes}
    assert {"check_mode", "diff_mode", "action_group"} <= set(attributes)
    assert "community.seventhings.all" in attributes["action_group"]["membership"]


@pytest.mark.parametrize("name", SPECS)
def test_a_module_says_in_one_sentence_how_many_requests_it_sends(name: str) -> None:
    notes = [note for note in text_of(module_path(name), "DOCUMENTATION")["notes"] if note.startswith("Sends ")]
    assert [len(re.findall(r"\.( |$)", note)) for note in notes] == [1]


@pytest.mark.parametrize("name", sorted(MODULES))
def test_rules_between_options_name_options(name: str) -> None:
    rules = dict(MODULES[name].rules)
    named = {word for _option, _value, words in rules.pop("required_if", ()) for word in words}
    named |= {option for option, _value, _words in MODULES[name].rules.get("required_if", ())}
    required_by = rules.pop("required_by", {})
    named |= {*required_by, *required_by.values()}
    named |= {word for groups in rules.values() for group in groups for word in group}
    assert named <= set(MODULES[name].spec)


# ---- the connection


def test_the_two_connection_fragments_have_the_same_options() -> None:
    for_modules, for_plugins = fragment("connection")["options"], fragment("connection_plugin")["options"]
    assert list(for_modules) == list(for_plugins)
    for name, option in for_modules.items():
        assert as_spec(option) == as_spec(for_plugins[name])


def test_the_two_connection_fragments_say_the_same_but_for_the_environment() -> None:
    for_modules, for_plugins = fragment("connection")["options"], fragment("connection_plugin")["options"]
    for name, option in for_modules.items():
        spec = [line for line in option["description"] if "environment variable" not in line]
        assert spec == for_plugins[name]["description"]


def test_a_connection_option_is_described_in_two_sentences() -> None:
    texts = {name: " ".join(option["description"]) for name, option in fragment("connection")["options"].items()}
    assert {name: text for name, text in texts.items() if len(re.findall(r"\.( |$)", text)) > 2} == {}


def test_plugins_declare_the_environment_that_modules_read() -> None:
    declared = {
        name: tuple(variable["name"] for variable in option["env"])
        for name, option in fragment("connection_plugin")["options"].items()
        if "env" in option
    }
    assert declared == ENVIRONMENT


@pytest.mark.parametrize(("option", "names"), ENVIRONMENT.items())
def test_the_text_for_modules_names_the_environment(option: str, names: tuple[str, ...]) -> None:
    text = " ".join(fragment("connection")["options"][option]["description"])
    assert all(f"E({name})" in text for name in names)


def test_the_guide_names_each_key_of_tuning_and_its_variable() -> None:
    text = (ROOT / "docs" / "docsite" / "rst" / "guide_connection.rst").read_text(encoding="utf-8")
    missing = [key for key, (variable, _read) in KEYS.items() if f"``{key}``" not in text or variable not in text]
    assert missing == []


def test_the_fragment_for_modules_declares_no_environment() -> None:
    assert [name for name, option in fragment("connection")["options"].items() if "env" in option] == []


@pytest.mark.parametrize("name", SPECS)
def test_every_credential_is_hidden(name: str) -> None:
    secret = {"password", "access_token", "refresh_token", "auth_code"} & set(SPECS[name])
    assert {option for option in secret if SPECS[name][option].get("no_log") is not True} == set()


@pytest.mark.parametrize("name", SPECS)
def test_nothing_else_is_hidden(name: str) -> None:
    hidden = {option for option, spec in SPECS[name].items() if spec.get("no_log")}
    assert hidden <= {"password", "access_token", "refresh_token", "auth_code"}


# ---- the kinds


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: str(kind.name))
def test_every_kind_has_an_info_module_and_every_creatable_kind_a_module(kind: Any) -> None:
    assert f"{kind.name}_info" in MODULES
    assert not kind.create_path or kind.name in MODULES


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: str(kind.name))
def test_paths_are_written_in_the_catalogue_alone(kind: Any) -> None:
    wanted = [path for path in (kind.list_path, kind.create_path) if path]
    files = (ROOT / "plugins").rglob("*.py")
    for path in files:
        if path.name == "kinds.py":
            continue
        assert not [constant for constant in wanted if constant in constants(path)], path


@functools.cache
def constants(path: Path) -> frozenset[Any]:
    """Yield every text and number in a file."""
    return frozenset(
        node.value for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Constant)
    )


@pytest.mark.parametrize("name", SPECS)
def test_no_returned_value_is_called_as_one_of_ansible(name: str) -> None:
    returned = yaml.load(documentation.block(module_path(name), "RETURN"), Loader=yaml.CSafeLoader)
    assert not {"warnings", "changed", "failed", "deprecations", "invocation"} & set(returned)
