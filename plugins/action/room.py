# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a module in the worker where that is possible: ``room``, and all those that ``meta/runtime.yml`` routes here.

Those that do something else beside it have an action plugin of their own name.
"""

from __future__ import annotations

from ansible_collections.community.seventhings.plugins.plugin_utils.action.module_action import ActionModule

__all__ = ["ActionModule"]
