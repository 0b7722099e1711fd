# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of modules that only run on the controller name missing requirements."""

from __future__ import annotations

from unittest import mock

import pytest
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.task import Task

from ansible_collections.community.seventhings.plugins.action.ledger import ActionModule
from ansible_collections.community.seventhings.plugins.plugin_utils.action import controller_action


def test_an_action_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(controller_action, "REQUESTS_IMPORT_ERROR", "Traceback")
    action = ActionModule(Task(), mock.MagicMock(), mock.MagicMock(), DataLoader(), None, None)
    with pytest.raises(AnsibleError, match=r"the required Python library \(requests\)"):
        action.run(None, {})
