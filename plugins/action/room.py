# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a module in the worker process if possible: ``room``, and every module that ``meta/runtime.yml`` routes here.

A module with further work on the controller has an action plugin of its own name.
"""

from ansible_collections.community.seventhings.plugins.plugin_utils.action.module_action import ActionModule

__all__ = ["ActionModule"]
