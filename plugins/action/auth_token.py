# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the tokens of the module off the screen. ``register`` still has them."""

from typing import Any

from ansible_collections.community.seventhings.plugins.plugin_utils.action.module_action import (
    ActionModule as _ModuleAction,
)


class ActionModule(_ModuleAction):
    """Run the module, and hide a result with tokens from the display.

    Ansible would keep the result of an asynchronous task in a file, and show it later without this action.
    """

    _supports_async = False

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run the action; called by Ansible."""
        result = super().run(tmp, task_vars)
        if result.get("access_token"):
            result["_ansible_no_log"] = True
        return result
