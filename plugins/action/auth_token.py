# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the tokens that the module returns off the screen; ``register`` has them all the same."""

from __future__ import annotations

from typing import Any

from ansible_collections.community.seventhings.plugins.plugin_utils.action.module_action import (
    ActionModule as _ModuleAction,
)


class ActionModule(_ModuleAction):
    """The module's own result, hidden from display where it holds tokens."""

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ansible's entry point."""
        result = super().run(tmp, task_vars)
        if result.get("access_token"):
            result["_ansible_no_log"] = True
        return result
