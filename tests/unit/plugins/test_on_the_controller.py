# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that only run on the controller say so if they are started elsewhere, and name missing requirements."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any
from unittest import mock

import pytest
from ansible.errors import AnsibleError
from ansible.module_utils.testing import patch_module_args
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.task import Task

from ansible_collections.community.seventhings.plugins.action.ledger import ActionModule
from ansible_collections.community.seventhings.plugins.plugin_utils.action import controller_action

_MODULES: dict[str, dict[str, Any]] = {
    "handover": {"person": "ada@example.com"},
    "hosts": {"map": {"manufacturer": "system_vendor"}, "key": {"field": "serial_number", "fact": "product_serial"}},
    "instance": {"src": "."},
    "instance_absorb": {"src": "."},
    "instance_export": {"dest": "."},
    "ledger": {"file": "ledger.csv"},
    "move": {"room": "Dresden/1.04", "to": "Leipzig/3.01"},
    "stocktake": {},
}


@pytest.mark.parametrize("name", _MODULES)
def test_a_module_of_the_controller_that_runs_elsewhere_names_its_action(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    module = import_module(f"ansible_collections.community.seventhings.plugins.modules.{name}")
    with patch_module_args(_MODULES[name]), pytest.raises(SystemExit) as ended:
        module.main()
    message = json.loads(capsys.readouterr().out)["msg"]
    assert ended.value.code == 1
    assert message == f"community.seventhings.{name} runs on the controller, through the action of the same name."


def test_an_action_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(controller_action, "REQUESTS_IMPORT_ERROR", "Traceback")
    action = ActionModule(Task(), mock.MagicMock(), mock.MagicMock(), DataLoader(), None, None)
    with pytest.raises(AnsibleError, match=r"the required Python library \(requests\)"):
        action.run(None, {})
