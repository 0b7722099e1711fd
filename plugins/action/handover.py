# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan and apply, on the controller, the handover of everything that a person has."""

from typing import Any

from ansible_collections.community.seventhings.plugins.plugin_utils.action.controller_action import ControllerAction
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.handover import hand_over


class ActionModule(ControllerAction):
    """List the belongings of a person, and give them to another person."""

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Plan and, in a real run, apply."""
        return hand_over(options, self._task.check_mode, self.host)
