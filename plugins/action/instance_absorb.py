# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read an instance on the controller and take its changes into the files."""

from typing import Any

from ansible_collections.community.seventhings.plugins.plugin_utils.absorb.action import absorb_instance
from ansible_collections.community.seventhings.plugins.plugin_utils.action.controller_action import ControllerAction


class ActionModule(ControllerAction):
    """Take changes of the application into the files."""

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Compare the instance with its files, and edit the files."""
        return absorb_instance(options, self._task.check_mode, self._loader, self._task.args)
