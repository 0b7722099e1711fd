# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The base class of the actions that run only on the controller."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase

from ...module_utils.client.connection import from_environment, risks_of, secrets_of
from ...module_utils.client.redaction import hide_in_result
from ...module_utils.client.session import REQUESTS_IMPORT_ERROR, missing_library
from ...module_utils.printing.cleaner import clean, sanitized
from ..ansible_compat import marked
from ..controller.parent import end_with_parent
from ..printing.screen import warn
from .arguments import read_arguments

_COLLECTION = "community.seventhings"

_MESSAGES = ("msg", "brief", "findings", "refusals", "warnings")
"""The members of a result that tell what to do."""

_OPTION = re.compile(r"(?<![\w.])(limits|prune|allow)(?:\.\w+ of th(?:e|is) task|: \[\w+\])")
"""An option that a message tells to set."""


def with_variables(result: dict[str, Any], role: str) -> dict[str, Any]:
    """Return a result whose texts name the variable of the role beside each option that they tell to set.

    :param role: the name of a role of this collection; empty if the task belongs to none.
    """
    if not role:
        return result

    def changed(value: Any) -> Any:
        if isinstance(value, str):
            return _OPTION.sub(rf"\g<0> (in the role: {role}_\g<1>)", value)
        return [changed(item) for item in value] if isinstance(value, list) else value

    return {**result, **{name: changed(result[name]) for name in _MESSAGES if name in result}}


class ControllerAction(ActionBase):
    """An action that sends its requests from the controller.

    :cvar spec: its options.
    :cvar rules: rules between them.
    :ivar host: the inventory host of the task.
    :ivar variables: the variables of that host.
    """

    _supports_check_mode = True
    _supports_async = False

    spec: Mapping[str, Any]
    rules: Mapping[str, Any] = {}
    host = ""
    variables: Mapping[str, Any] = {}

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run the action; called by Ansible."""
        end_with_parent()
        result: dict[str, Any] = super().run(tmp, task_vars or {})
        if REQUESTS_IMPORT_ERROR is not None:
            raise AnsibleError(clean(missing_library()))
        # A module process gets the environment of its task; here nothing sets it. Read it before defaults are filled
        # in.
        of_the_task: dict[str, Any] = {}
        self._compute_environment_string(of_the_task)
        filled = from_environment(self._task.args, of_the_task)
        given = {name: value for name, value in filled.items() if value is not None or name in self._task.args}
        read = read_arguments(self._task.action, self.spec, self.rules, given)
        if read.refusal:
            return {**result, "failed": True, "changed": False, "msg": read.refusal}
        self.variables = task_vars or {}
        self.host = str(self.variables.get("inventory_hostname", ""))
        options = read.options
        for risk in risks_of(options):
            warn(risk)
        carried_out = with_variables(self.carry_out(options), self._role_name())
        return marked({**result, **hide_in_result(secrets_of(self.spec, options), sanitized(carried_out))})

    def _role_name(self) -> str:
        """Return the name of the role of this collection whose task this is; empty if it is another task."""
        role = self._task._role
        return role.get_name(False) if role is not None and role._role_collection == _COLLECTION else ""

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Do the work with validated options."""
        raise NotImplementedError
