# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probe an instance from the controller and write its profile there."""

from __future__ import annotations

from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import PROBE
from ansible_collections.community.seventhings.plugins.plugin_utils.action.controller_action import ControllerAction
from ansible_collections.community.seventhings.plugins.plugin_utils.probe.action import probe


class ActionModule(ControllerAction):
    """Determine the behaviour of an instance."""

    spec = PROBE

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Probe, and write the profile."""
        return probe(options, self._task.check_mode)
