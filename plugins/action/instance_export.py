# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read an instance on the controller and write its files there."""

from typing import Any

from ansible_collections.community.seventhings.plugins.plugin_utils.action.controller_action import ControllerAction
from ansible_collections.community.seventhings.plugins.plugin_utils.export.action import export


class ActionModule(ControllerAction):
    """Export an instance as files that can be planned and applied again."""

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Read the whole instance, then write the files."""
        return export(options, self._task.check_mode)
