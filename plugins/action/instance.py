# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the module ``instance`` on the controller, so that progress is visible during the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import INSTANCE
from ansible_collections.community.seventhings.plugins.plugin_utils.action.controller_action import ControllerAction
from ansible_collections.community.seventhings.plugins.plugin_utils.action.instance import provision
from ansible_collections.community.seventhings.plugins.plugin_utils.report.on_screen import on_screen


class ActionModule(ControllerAction):
    """Plan and apply a directory of files, or inline data."""

    spec = INSTANCE
    rules: Mapping[str, Any] = {
        "required_one_of": [("src", "desired", "applied")],
        "required_if": [("mode", "undo", ("applied",))],
    }

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Plan, and apply in a real run."""
        return on_screen(provision(options, self._task.check_mode, self._loader, self._task.args, self.host))
