# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare the asset ledger with the instance on the controller, which reads the file."""

from typing import Any

from ansible_collections.community.seventhings.plugins.plugin_utils.action.controller_action import ControllerAction
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.ledger import compare_ledger


class ActionModule(ControllerAction):
    """Compare the ledger with the instance, and never write to it."""

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Read the ledger and the instance, and compare them."""
        return compare_ledger(options, self._task.check_mode, self.host)
