# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the module ``instance_validate`` on the controller, where the files are."""

from ansible_collections.community.seventhings.plugins.plugin_utils.action.instance_validate import validate_files
from ansible_collections.community.seventhings.plugins.plugin_utils.action.set_action import SetAction


class ActionModule(SetAction):
    """Check files without a connection."""

    work = staticmethod(validate_files)
    rules = (("required_one_of", [("src", "desired")]),)
