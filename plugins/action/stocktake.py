# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluate a stocktake on the controller, which reads the tables and writes the reports."""

from typing import Any

from ansible_collections.community.seventhings.plugins.plugin_utils.action.controller_action import ControllerAction
from ansible_collections.community.seventhings.plugins.plugin_utils.stocktake.action import take_stock


class ActionModule(ControllerAction):
    """Prepare, evaluate or close a stocktake."""

    rules = (("required_if", [("mode", "close", ("src", "accept"))]),)

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Read the instance; closing a stocktake also edits the files."""
        return take_stock(options, self._task.check_mode, self._loader, self._task.args)
