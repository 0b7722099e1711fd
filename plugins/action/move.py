# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan and apply moves of objects on the controller."""

from typing import Any

from ansible_collections.community.seventhings.plugins.plugin_utils.action.controller_action import ControllerAction
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.move import move_objects


class ActionModule(ControllerAction):
    """Give objects a new target room."""

    rules = (
        ("required_one_of", [("objects", "room", "person", "from_location")]),
        ("mutually_exclusive", [("objects", "room", "person", "from_location")]),
    )

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Plan and, in a real run, apply."""
        return move_objects(options, self._task.check_mode, self.host)
