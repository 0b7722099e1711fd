# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the modules of a whole set as their actions do, in the process of a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ansible.parsing.dataloader import DataLoader

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import CONNECTION
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.action.instance import provision
from ansible_collections.community.seventhings.plugins.plugin_utils.action.instance_drift import find_drift
from ansible_collections.community.seventhings.plugins.plugin_utils.action.instance_undo import undo_apply
from ansible_collections.community.seventhings.plugins.plugin_utils.action.instance_validate import validate_files
from ansible_collections.community.seventhings.plugins.plugin_utils.action.set_run import SetRun

_WORK: Mapping[str, Callable[[SetRun], dict[str, Any]]] = {
    "instance": provision,
    "instance_drift": find_drift,
    "instance_undo": undo_apply,
    "instance_validate": validate_files,
}

SPECS: Mapping[str, Mapping[str, Any]] = {name: documented_spec(name) for name in _WORK}
"""The options of each module."""


def run_set(
    written: Mapping[str, Any],
    check_mode: bool = False,
    loader: Any = None,
    *,
    module: str = "instance",
    host: str = "",
) -> dict[str, Any]:
    """Run a module with the options as written in a task. A module without a connection gets no options for one.

    :raises AssertionError: if Ansible would refuse an option.
    """
    spec = SPECS[module]
    given = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in written.items()
        if name in spec or name not in CONNECTION
    }
    read = read_arguments(module, spec, {}, given)
    assert not read.refusal, read.refusal
    return SetRun(read.options, check_mode, loader or DataLoader(), given, host).carry_out(_WORK[module])
