# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the module ``instance_drift`` on the controller."""

from ansible_collections.community.seventhings.plugins.plugin_utils.action.instance_drift import find_drift
from ansible_collections.community.seventhings.plugins.plugin_utils.action.set_action import SetAction


class ActionModule(SetAction):
    """Compare an instance with its files."""

    work = staticmethod(find_drift)
    rules = (("required_one_of", [("src", "desired")]),)
