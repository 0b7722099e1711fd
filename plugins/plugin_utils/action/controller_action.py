# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The base class of the actions that run only on the controller."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.action import ActionBase

from ...module_utils.ansible_module.argument_specs import CONNECTION
from ...module_utils.client.connection import from_environment, risks_of, secrets_of
from ...module_utils.client.redaction import hide_in_result
from ...module_utils.client.session import REQUESTS_IMPORT_ERROR, missing_library
from ...module_utils.printing.cleaner import clean, sanitized
from ..ansible_compat import as_data
from ..controller.parent import end_with_parent
from ..desired.desired import SECTIONS
from ..printing.screen import warn
from .arguments import read_arguments
from .documented import documented_spec

_COLLECTION = "community.seventhings"

#: The members of a result that tell what to do.
_MESSAGES = ("msg", "brief", "findings", "refusals", "warnings")

#: A word that is the name of an option: where a message begins, what it tells to set, or a name that is not a word.
_TOLD = re.compile(
    r"^ *(?P<first>\w+)(?:\.\w+)*(?=:)"
    r"|(?<![\w.])(?P<set>\w+)(?:\.\w+ of th(?:e|is) task|: \[\w+\])"
    r"|(?P<missing>\w+)(?=(?:, \w+)* must (?:be given|name) )"
    r"|(?:(?<=\bset )|(?<=\bas )|(?<=\bgive )|(?<=\boption ))(?P<told>\w+)\b"
    r"|(?<![\w.])(?P<unmistakable>[a-z]+_[a-z_]+)\b"
)

#: The variables of roles that do not have the name of the option.
_OTHER_NAMES = {"hosts_hosts": "hosts_names"}

_NOT_IN_ROLES = frozenset(("desired",))


def with_variables(result: dict[str, Any], role: str, options: Set[str], connection: str = "") -> dict[str, Any]:
    """Return a result whose texts name the variable of the role for each option that they are about.

    :param role: the name of a role of this collection; empty if the task belongs to none.
    :param options: the options of the module.
    :param connection: the beginning of the variables for the connection; by default those of the role.
    """
    if not role:
        return result

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(item) for item in value]
        return "\n".join(map(line, value.split("\n"))) if isinstance(value, str) else value

    def line(text: str) -> str:
        """Name the variables: beside what the line tells to set, and at its end for other options."""
        names: dict[str, None] = {}

        def named(found: re.Match[str]) -> str:
            name = found[found.lastgroup or 0]
            # The report of a plan counts the changes of each section.
            if name not in options - _NOT_IN_ROLES or ("outcome" in result and name in SECTIONS):
                return found[0]
            variable = f"{connection or f'{role}_connection.'}{name}" if name in CONNECTION else f"{role}_{name}"
            variable = _OTHER_NAMES.get(variable, variable)
            if found.lastgroup == "set":
                return f"{found[0]} (in the role: {variable})"
            names[variable] = None
            return found[0]

        # Four spaces begin the fields of a change in a report.
        shown = text if text.startswith("    ") else _TOLD.sub(named, text)
        others = ", ".join(name for name in names if f"(in the role: {name})" not in shown)
        return f"{shown} (in the role: {others})" if others else shown

    return {**result, **{name: changed(result[name]) for name in _MESSAGES if name in result}}


class ControllerAction(ActionBase):
    """An action that sends its requests from the controller.

    :cvar rules: rules between its options, as Ansible names them.
    :ivar host: the inventory host of the task.
    :ivar variables: the variables of that host.
    """

    _supports_check_mode = True
    _supports_async = False

    rules: tuple[tuple[str, Any], ...] = ()
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
        read = read_arguments(self._task.action, self.spec, dict(self.rules), given)
        role, connection = self._role_name()
        if read.refusal:
            refused = {**result, "failed": True, "changed": False, "msg": read.refusal}
            return with_variables(refused, role, self.spec.keys(), connection)
        self.variables = task_vars or {}
        self.host = str(self.variables.get("inventory_hostname", ""))
        options = read.options
        for risk in risks_of(options):
            warn(risk)
        carried_out = with_variables(self.carry_out(options), role, self.spec.keys(), connection)
        return {**as_data({**result, **hide_in_result(secrets_of(self.spec, options), sanitized(carried_out))})}

    @property
    def spec(self) -> Mapping[str, Any]:
        """The options of the module with the name of this plugin."""
        return documented_spec(type(self).__module__.rpartition(".")[2])

    def _role_name(self) -> tuple[str, str]:
        """Return the name of the role of this collection whose task this is; empty if it is another task.

        The second name begins the variables for the connection, if another role of this collection sets them.
        """
        role = self._task._role
        if role is None or role._role_collection != _COLLECTION:
            return "", ""
        is_of_fleet = any(parent.get_name(False) == "fleet" for parent in role.get_parents())
        return role.get_name(False), "seventhings_" if is_of_fleet else ""

    def carry_out(self, options: dict[str, Any]) -> dict[str, Any]:
        """Do the work with validated options."""
        raise NotImplementedError
