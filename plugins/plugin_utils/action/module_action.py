# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's side of every module: it runs in the worker if the target is this machine, else on the target.

A module process takes about half a second per item, the same code in the worker a few milliseconds. The items of a loop
share session, token, definitions and rate limit.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, ValuesView
from pathlib import Path
from typing import Any

from ansible import constants
from ansible.plugins.action import ActionBase

from ...module_utils.ansible_module.argument_specs import CONNECTION
from ...module_utils.ansible_module.registry import MODULES, Invocation, ModuleSpec, run_module
from ...module_utils.client.client import Client
from ...module_utils.client.connection import ENVIRONMENT, connect, from_environment
from ...module_utils.client.redaction import hide
from ...module_utils.client.session import REQUESTS_IMPORT_ERROR
from ...module_utils.client.tuning import runs_as_module
from ...module_utils.runtime.places import RUN_FOLDER
from ..ansible_compat import as_data, module_of, wants_invocation, was_vaulted
from ..controller.parent import end_with_parent
from .arguments import misshapen, read_arguments

#: The clients of this worker by their options. All items of a loop run in one worker.
_CLIENTS: dict[str, Client] = {}
#: Minimum length of a vaulted value that is hidden. A shorter one may be anywhere, as in a UUID.
_SHORTEST_SECRET = 4
_NO_ASYNC = "async is not possible with a vaulted value, because Ansible would show the value later; leave async out."
_LEFT_OUT = "A warning is left out, because it has a value that must not be shown."


class ActionModule(ActionBase):
    """Choose where a module of this collection runs. Arguments, result, check and diff are the same on both sides."""

    _supports_check_mode = True
    _supports_async = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run the action; called by Ansible."""
        end_with_parent()
        variables = task_vars or {}
        result: dict[str, Any] = super().run(tmp, variables)
        if self._belongs_here(variables):
            result.update(self._run_here(variables))
        elif wrong := misshapen(self._module().spec, self._task.args):
            result.update({"failed": True, "msg": wrong})
        elif self._task.async_val and self._vaulted():
            result.update({"failed": True, "msg": _NO_ASYNC})
        else:
            self._share_run_folder()
            result.update(self._execute_module(task_vars=variables, wrap_async=bool(self._task.async_val)))
        marked: dict[str, Any] = as_data(self._without_hidden(result))
        return marked

    def _without_hidden(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result without vaulted values, which a module process does not know.

        Since 2.19, a failure prints its message in spite of ``no_log``, so the message must have no value of the task.
        """
        vaulted = self._vaulted()
        unlogged = {str(text) for text in self._texts()} if self._task.no_log else vaulted
        found = hide(vaulted, result)
        found |= hide(unlogged, {key: found[key] for key in {"msg", "warnings"} & found.keys()})
        # From 2.19 on, the warnings and the exception of a module process are objects that repeat such texts.
        if "warnings" in found:
            found["warnings"] = [
                one if hide(unlogged, repr(one)) == repr(one) else _LEFT_OUT for one in found["warnings"]
            ]
        if "exception" in found and hide(unlogged, repr(found["exception"])) != repr(found["exception"]):
            del found["exception"]
        return dict(found)

    def _texts(self) -> Iterator[Any]:
        return _leaves({name: value for name, value in self._task.args.items() if name not in CONNECTION})

    def _vaulted(self) -> set[str]:
        """Return the vaulted values of the task, without those of the connection."""
        return {str(text) for text in self._texts() if was_vaulted(text) and len(str(text)) >= _SHORTEST_SECRET}

    def _belongs_here(self, variables: Mapping[str, Any]) -> bool:
        task = self._task
        if runs_as_module(task.args.get("tuning")) or REQUESTS_IMPORT_ERROR is not None:
            return False
        if (
            self._connection.transport != "local"
            or self._play_context.become
            or task.async_val
            # A module process gets the environment of the task, but the worker does not.
            or any(task.environment or ())
        ):
            return False
        interpreter = self._templar.template(variables.get("ansible_python_interpreter"))
        return interpreter is None or str(interpreter).startswith("auto") or _is_ours(Path(str(interpreter)))

    def _share_run_folder(self) -> None:
        """Tell a module process on this machine where the tokens of this run are shared."""
        if self._connection.transport == "local" and not self._play_context.become:
            shared = {RUN_FOLDER: constants.DEFAULT_LOCAL_TMP}
            self._task.environment = [*(self._task.environment or ()), shared]

    def _name(self) -> str:
        return module_of(self._task).rpartition(".")[2]

    def _module(self) -> ModuleSpec:
        return MODULES[self._name()]

    def _run_here(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        name, module_spec = self._name(), self._module()
        read = read_arguments(self._task.action, module_spec.spec, module_spec.rules, self._task.args)
        if read.refusal:
            done = {"failed": True, "msg": read.refusal}
        else:
            invocation = Invocation(read.options, read.written, self._task.check_mode, self._task.diff)
            done = run_module(name, invocation, self._client, read.secrets)
        if wants_invocation(variables, self._templar):
            done["invocation"] = hide(read.secrets, {"module_args": read.options})
        return done

    def _client(self, options: Mapping[str, Any], check_mode: bool) -> Client:
        """Return the client of this worker. A long wait is printed at once."""
        client = _shared_client(options, check_mode)
        client.creations.on_wait = self._display.display
        return client


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the values of the members of an option, at any depth."""
    members = value.values() if isinstance(value, Mapping) else value
    if isinstance(members, (list, tuple, ValuesView)):
        for member in members:
            yield from _leaves(member)
    elif not isinstance(value, bool):
        yield value


def _is_ours(interpreter: Path) -> bool:
    """Return True if a path is the interpreter of this process. The directory distinguishes environments."""
    ours = Path(sys.executable)
    return interpreter.parent == ours.parent and interpreter.resolve() == ours.resolve()


def _shared_client(options: Mapping[str, Any], check_mode: bool) -> Client:
    given = from_environment({**dict.fromkeys(ENVIRONMENT), **options})
    key = repr((check_mode, sorted((name, given.get(name)) for name in CONNECTION)))
    if key not in _CLIENTS:
        _CLIENTS[key] = connect(options, check_mode, Path(constants.DEFAULT_LOCAL_TMP))
    return _CLIENTS[key]
