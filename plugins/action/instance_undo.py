# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the module ``instance_undo`` on the controller."""

from ansible_collections.community.seventhings.plugins.plugin_utils.action.instance_undo import undo_apply
from ansible_collections.community.seventhings.plugins.plugin_utils.action.set_action import SetAction


class ActionModule(SetAction):
    """Undo an apply."""

    work = staticmethod(undo_apply)
