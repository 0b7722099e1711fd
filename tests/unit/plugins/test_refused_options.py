# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invalid options are refused with the same words wherever a task runs."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.testing import patch_module_args
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import (
    MODULES,
    Invocation,
    run_module,
)
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import misshapen, read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec

NAMESPACE = "community.seventhings"
ON_CONTROLLER = sorted({path.stem for path in (ROOT / "plugins" / "action").glob("[a-z]*.py")} - MODULES.keys())
"""The modules that only run on the controller."""


def _rules_of(name: str) -> Mapping[str, Any]:
    return dict(importlib.import_module(f"ansible_collections.{NAMESPACE}.plugins.action.{name}").ActionModule.rules)


SPECS: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
    **{name: (module.spec, module.rules) for name, module in MODULES.items()},
    **{name: (documented_spec(name), _rules_of(name)) for name in ON_CONTROLLER},
}
SECRET = "dont-show-me"


def in_a_process(name: str, options: dict[str, Any], output: pytest.CaptureFixture[str]) -> str:
    """Return the message of the module in its own process."""
    spec, rules = SPECS[name]
    module = importlib.import_module(f"ansible_collections.{NAMESPACE}.plugins.modules.{name}")
    start = partial(AnsibleModule, spec, **rules) if name in ON_CONTROLLER else module.main
    with patch_module_args({**options, "_ansible_module_name": f"{NAMESPACE}.{name}"}), pytest.raises(SystemExit):
        start()
    report = json.loads(output.readouterr().out)
    assert report["failed"]
    return str(report["msg"])


def on_the_controller(name: str, options: dict[str, Any]) -> str:
    """Return the message of the action, before anything is sent."""
    spec, rules = SPECS[name]
    return read_arguments(f"{NAMESPACE}.{name}", spec, rules, options).refusal


def _needed(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return the required options of a task, so that only the tested option is wrong."""
    return {
        option: _needed(of.get("options", {})) if of["type"] == "dict" else "x"
        for option, of in spec.items()
        if of.get("required")
    }


@pytest.mark.parametrize("name", sorted(SPECS))
def test_an_unknown_option_is_reported_with_the_existing_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    spec, _rules = SPECS[name]
    needed = _needed(spec)
    options = {**needed, "fooo": 1, "baar": SECRET}
    assert on_the_controller(name, options) == in_a_process(name, options, capsys)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("room", {"fooo": 1}, "Unsupported parameters for (community.seventhings.room) module: fooo. Supported parameters"),
    ("room", {"fields": {}, "fooo": 1, "timeout": "soon"}, "timeout"),
    ("instance", {"src": ".", "fooo": 1}, "Unsupported parameters for (community.seventhings.instance) module: fooo."),
    ("instance_export", {"dest": ".", "fooo": 1}, "for (community.seventhings.instance_export) module: fooo."),
    ("auth_token", {"fooo": 1}, "Unsupported parameters for (community.seventhings.auth_token) module: fooo."),
    ("field_definition", {"label": "Colour"}, "missing required arguments: template"),
    ("instance", {}, "one of the following is required: src, desired"),
    ("instance_absorb", {}, "missing required arguments: src"),
    ("instance_export", {}, "missing required arguments: dest"),
    ("stocktake", {"mode": "close", "src": "."}, "mode is close but all of the following are missing: accept"),
    ("auth_token", {"grant_type": "sso_auth_code"}, "grant_type is sso_auth_code but all of the following are missing"),
    ("room_info", {"uuid": "x", "filters": {"name": "y"}}, "parameters are mutually exclusive: uuid|filters"),
    ("file_download", {"object": "1", "dest": "/tmp/x"}, "parameters are required together: object, field"),
    ("room_info", {"limit": "many"}, "limit"),
    ("instance", {"src": ".", "protected": "many"}, "protected"),
    ("room", {"fields": {}, "state": "gone"}, "value of state must be one of: present, absent, got: gone"),
    ("task", {"reminders": [{"unit": "days"}]}, "missing required arguments: value found in reminders"),
    ("task", {"reminders": [{"unit": "days", "value": 1, "vlue": 2}]}, "reminders.vlue"),
    ("task", {"title": "x", "fooo": 1, "baar": 2, "reminders": [{"unit": "d"}]}, ""),
]


@pytest.mark.parametrize(("name", "options", "words"), WRONG)
def test_both_ends_say_the_same(
    name: str, options: dict[str, Any], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    message = on_the_controller(name, options)
    assert words in message
    assert message == in_a_process(name, options, capsys)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        (
            "rental_case",
            {"renter": "Bob"},
            "renter: 'Bob' does not fit; expected a map with type (plain or user), value",
        ),
        ("rental_case", {"renter": 5}, "renter: 5 does not fit; expected a map with type (plain or user), value"),
        ("rental_case", {"renter": ["Bob"]}, "renter: ['Bob'] does not fit; expected a map with"),
        (
            "task",
            {"reminders": [{"unit": "days", "value": 1}, "1 day"]},
            "reminders: '1 day' does not fit; expected a map",
        ),
        ("task", {"reminders": "1 day"}, "reminders: '1 day' does not fit; expected a map"),
        ("rental_case", {"renter": SECRET, "password": SECRET}, "renter: '********' does not fit; expected a map"),
        ("rental_case", {"renter": None}, ""),
        ("rental_case", {"renter": '{"type": "plain", "value": "Bob"}'}, ""),
        ("rental_case", {"renter": "type=plain value=Bob"}, ""),
    ],
)
def test_a_text_in_place_of_a_map_is_reported_with_its_option(name: str, options: dict[str, Any], words: str) -> None:
    message = on_the_controller(name, options)
    assert message.startswith(words)
    assert bool(message) is bool(words)
    assert misshapen(SPECS[name][0], options) == message


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("room", {"timeout": 10**400}, "timeout: 1000"),
        ("file_download", {"thumbnail": {"width": float("inf")}}, "thumbnail: "),
        ("hub_order_info", {"id": "inf"}, "id: 'inf' does not fit"),
    ],
)
def test_a_number_beyond_all_bounds_is_reported(name: str, options: dict[str, Any], words: str) -> None:
    assert on_the_controller(name, options).startswith(words)
    assert misshapen(SPECS[name][0], options).startswith(words)


def test_names_that_are_not_texts_become_what_a_module_process_gets() -> None:
    wanted = {1: [{None: "a"}, {True: 1.5}], 2.5: {}, "x": [1]}
    spec, rules = SPECS["room"]
    read = read_arguments("room", spec, rules, {"fields": wanted})
    assert read.written["fields"] == read.options["fields"] == json.loads(json.dumps(wanted))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("file_download", {"uuid": None, "dest": "x"}, "one of the following is required: uuid, object"),
        (
            "file_download",
            {"object": "1", "field": None, "dest": "x"},
            "parameters are required together: object, field",
        ),
        ("user_from_person", {"person": None}, "one of the following is required: person, filters"),
        ("hub_order", {"items": None}, "one of the following is required: items, id, order_number"),
        ("file", {"path": None}, "one of the following is required: path, uuid"),
    ],
)
def test_an_option_that_is_null_is_not_given(name: str, options: dict[str, Any], words: str) -> None:
    """Ansible's check of required options accepts null."""
    spec, rules = SPECS[name]
    read = read_arguments(f"{NAMESPACE}.{name}", spec, rules, options)
    assert not read.refusal
    message = run_module(name, Invocation(read.options, read.written, False), connect)["msg"]
    assert message.startswith(words)


@pytest.mark.parametrize("option", ["password", "access_token", "refresh_token"])
@pytest.mark.parametrize("name", ["room", "instance", "instance_absorb", "instance_export", "auth_token"])
def test_secrets_are_not_in_what_is_reported(name: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = {option: SECRET, "timeout": f"{SECRET} seconds", "src": ".", "dest": "."}
    options = {key: value for key, value in options.items() if key in SPECS[name][0]}
    message = on_the_controller(name, options)
    assert "timeout" in message
    assert SECRET not in message
    assert message == in_a_process(name, options, capsys)


def test_an_alias_is_reported_beside_its_option() -> None:
    spec = {"name": {"type": "str", "aliases": ["title"]}}
    message = read_arguments("a.b.c", spec, {}, {"titel": "x"}).refusal
    assert message == "Unsupported parameters for (a.b.c) module: titel. Supported parameters include: name (title)."


def test_a_default_holds_only_if_neither_the_task_nor_the_environment_has_a_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec, rules = SPECS["room"]

    def read(**written: Any) -> Any:
        return read_arguments("room", spec, rules, written).options["rate_limit"]

    assert read() == 200
    monkeypatch.setenv("SEVENTHINGS_RATE_LIMIT", "17")
    assert read() == 17
    assert read(rate_limit=5) == 5
