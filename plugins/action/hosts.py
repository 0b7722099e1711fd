# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write facts of hosts to objects on the controller, which alone knows the facts of all hosts."""

from collections.abc import Mapping
from typing import Any

from ansible_collections.community.seventhings.plugins.plugin_utils.action.controller_action import ControllerAction
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.hosts import feed_objects


class ActionModule(ControllerAction):
    """Plan and apply the objects of all hosts at once."""

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Plan and, in a real run, apply."""
        return feed_objects(options, self._task.check_mode, self._facts(options["hosts"]), self.host)

    def _facts(self, names: list[str] | None) -> dict[str, Mapping[str, Any]]:
        """Return the gathered facts of hosts, with no template in them rendered."""
        known = self.variables["hostvars"]
        hosts = self.variables.get("ansible_play_hosts_all", []) if names is None else names
        found: dict[str, Mapping[str, Any]] = {}
        for host in map(str, hosts):
            facts = known.raw_get(host).get("ansible_facts") if host in known else None
            found[host] = facts if isinstance(facts, Mapping) else {}
        return found
