# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between versions of ansible-core: texts, vaulted values, ``invocation``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from ansible import constants, context
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from ansible.template import Templar
from trust import IS_TEXT_A_TEMPLATE, as_template, would_render

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import MODULES
from ansible_collections.community.seventhings.plugins.plugin_utils import ansible_compat as compat
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.nodes import plain_node

PAYLOAD = "{{ 6 * 7 }}"


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for item in pair for text in texts(item)]
    return [text for item in value for text in texts(item)] if isinstance(value, list) else [value]


def test_texts_of_the_service_are_data_in_every_place() -> None:
    value = compat.as_data({PAYLOAD: [PAYLOAD, {"deep": PAYLOAD}]})
    assert value == {PAYLOAD: [PAYLOAD, {"deep": PAYLOAD}]}
    assert not any(map(would_render, texts(value)))
    templar = Templar(loader=DataLoader(), variables={"record": value})
    assert templar.template(as_template("{{ record | dict2items | map(attribute='key') | first }}")) == PAYLOAD
    assert templar.template(as_template("{{ record }}")) == value


def test_numbers_booleans_and_nothing_stay() -> None:
    value = compat.as_data({"number": 7, "flag": True, "none": None})
    assert (value["number"], value["flag"], value["none"]) == (7, True, None)
    assert value["flag"] is True


def test_a_map_that_became_a_text_because_of_a_date_is_refused_with_its_option() -> None:
    spec = MODULES["room"].spec
    refusal = read_arguments("room", spec, {}, {"fields": "{'a': datetime.date(2027, 5, 31)}"}).refusal
    assert "fields" in refusal
    assert ("quote the date" in refusal) is IS_TEXT_A_TEMPLATE


@pytest.mark.skipif(IS_TEXT_A_TEMPLATE, reason="below 2.19 texts are marked")
def test_from_2_19_on_nothing_is_wrapped() -> None:
    value = {"name": PAYLOAD}
    assert compat.as_data(value) is value
    kind = type(compat.untrusted(as_template(PAYLOAD)))
    assert kind is str


def test_what_a_template_of_the_user_gave_is_data() -> None:
    assert not would_render(compat.untrusted(as_template(PAYLOAD)))


def test_a_text_of_ours_is_a_template() -> None:
    templar = Templar(loader=DataLoader(), variables={})
    assert str(templar.template(compat.trusted(PAYLOAD))) == "42"


@pytest.mark.skipif(not IS_TEXT_A_TEMPLATE, reason="from 2.19 on a vaulted value is a text")
def test_below_2_19_a_vaulted_value_is_known_and_becomes_a_text() -> None:
    vault = VaultLib([("default", VaultSecret(b"open sesame"))])
    value = import_module("ansible.parsing.yaml.objects").AnsibleVaultEncryptedUnicode(vault.encrypt("4711"))
    value.vault = vault
    vaulted: set[str] = set()
    node = plain_node({"objects": [{"pin": value, "size": 5}]}, "desired", vaulted)
    assert node.value == {"objects": [{"pin": "4711", "size": 5}]}
    assert "desired.objects[0].pin" in vaulted
    assert "desired.objects[0].size" not in vaulted
    assert compat.without_vault_objects({"pin": [value]}) == {"pin": ["4711"]}


@pytest.mark.skipif(not IS_TEXT_A_TEMPLATE, reason="from 2.19 on a name is no template")
@pytest.mark.parametrize("is_inventory", [True, False])
def test_below_2_19_a_name_is_no_template_and_a_name_in_what_is_listed(
    monkeypatch: pytest.MonkeyPatch, is_inventory: bool
) -> None:
    monkeypatch.setattr(context, "CLIARGS", {"export": False} if is_inventory else {})
    name = compat.as_name("room/{{ x }} {% y %} {{{ {# z")
    assert name == "room/_{ x }} _% y %} __{ _# z"
    assert would_render(name) is is_inventory


@pytest.mark.parametrize(("setting", "wanted"), [("true", True), ("false", False)])
def test_invocation_follows_the_setting(monkeypatch: pytest.MonkeyPatch, setting: str, wanted: bool) -> None:
    settings: list[str] = []

    def value(name: str, **_others: Any) -> bool:
        settings.append(name)
        return setting == "true"

    monkeypatch.setattr(compat, "_MAY_LEAVE_OUT", True)
    monkeypatch.setattr(constants.config, "get_config_value", value)
    assert compat.wants_invocation({}, None) is wanted
    assert settings == ["INJECT_INVOCATION"]


def test_invocation_is_in_every_result_where_no_setting_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compat, "_MAY_LEAVE_OUT", False)
    assert compat.wants_invocation({}, None)
