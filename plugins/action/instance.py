# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the module ``instance`` on the controller, so that progress is visible during the run."""

from ansible_collections.community.seventhings.plugins.plugin_utils.action.instance import provision
from ansible_collections.community.seventhings.plugins.plugin_utils.action.set_action import SetAction


class ActionModule(SetAction):
    """Plan and apply a directory of files, or inline data."""

    work = staticmethod(provision)
    rules = (("required_one_of", [("src", "desired")]),)
