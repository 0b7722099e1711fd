# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugins. Ansible's main process imports this package when it reads the first task of the collection.

So the engine is imported here. The worker processes, one per task, are forked from the main process and have the engine
already. Otherwise each of them would compile and import it, which costs a tenth of a second per task.
"""

from ansible_collections.community.seventhings.plugins.plugin_utils.action import module_action

__all__ = ["module_action"]
