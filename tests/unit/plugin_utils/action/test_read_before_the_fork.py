# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ansible's main process has the engine before it forks a worker for each task."""

from __future__ import annotations

import json
import subprocess
import sys

import playbook
import pytest

_ASK = """
import json, sys
from ansible.plugins.loader import action_loader, init_plugin_loader

init_plugin_loader()
context = action_loader.find_plugin_with_context(sys.argv[1])
prefix = "ansible_collections.community.seventhings.plugins."
names = ("plugin_utils.action.module_action", "module_utils.reconcile.reconcile", "module_utils.client.transport")
print(json.dumps({name: prefix + name in sys.modules for name in names}))
"""


@pytest.mark.sample(1)
@pytest.mark.slow
@pytest.mark.parametrize("module", ["room", "location", "object_info"])
def test_looking_for_the_action_of_a_module_imports_the_engine(module: str) -> None:
    # The main process looks up the action of a task when it reads the play. A worker is forked when the task starts.
    done = subprocess.run(
        [sys.executable, "-c", _ASK, f"community.seventhings.{module}"],
        env=playbook.environment(),
        capture_output=True,
        text=True,
        check=True,
    )

    assert set(json.loads(done.stdout).values()) == {True}
