# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs between the versions of ansible-core: texts, vaulted values, ``invocation``."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from trust import IS_TEXT_A_TEMPLATE, as_template, would_render

from ansible_collections.community.seventhings.plugins.plugin_utils import ansible_compat as compat

PAYLOAD = "{{ 6 * 7 }}"


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for one in pair for text in texts(one)]
    return [text for one in value for text in texts(one)] if isinstance(value, list) else [value]


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
    assert type(value["flag"]) is bool


@pytest.mark.skipif(IS_TEXT_A_TEMPLATE, reason="below 2.19 texts are marked")
def test_from_2_19_on_nothing_is_wrapped() -> None:
    value = {"name": PAYLOAD}
    assert compat.as_data(value) is value
    assert type(compat.untrusted(as_template(PAYLOAD))) is str


def test_what_a_template_of_the_user_gave_is_data() -> None:
    assert not would_render(compat.untrusted(as_template(PAYLOAD)))


def test_a_text_of_ours_is_a_template() -> None:
    templar = Templar(loader=DataLoader(), variables={})
    assert str(templar.template(compat.trusted(PAYLOAD))) == "42"


@pytest.mark.parametrize(("setting", "wanted"), [("true", True), ("false", False)])
def test_invocation_follows_the_setting(monkeypatch: pytest.MonkeyPatch, setting: str, wanted: bool) -> None:
    asked: list[str] = []

    def value(name: str, **_others: Any) -> bool:
        asked.append(name)
        return setting == "true"

    monkeypatch.setattr(compat, "_MAY_LEAVE_OUT", True)
    monkeypatch.setattr(compat.constants.config, "get_config_value", value)
    assert compat.wants_invocation({}, None) is wanted
    assert asked == ["INJECT_INVOCATION"]


def test_invocation_is_in_every_result_where_no_setting_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compat, "_MAY_LEAVE_OUT", False)
    assert compat.wants_invocation({}, None)
