# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every file of the plugins can be imported on the ansible-core and the Python of this environment.

This only needs the packages of ansible-core, and code that runs on a target does not even need most of ansible-core.
The sanity test ``import``, which takes twenty times as long, checks the same in the long tests.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import playbook
from project import ROOT

FILES = sorted((ROOT / "plugins").rglob("*.py"))

ON_TARGETS = [path for path in FILES if path.relative_to(ROOT).parts[1] in ("modules", "module_utils")]
CORE = ("ansible", "ansible_collections")
CORE_NEEDS = ("cryptography", "jinja2", "markupsafe", "packaging", "resolvelib", "yaml")
"""Packages that ansible-core itself imports."""
NOT_ON_TARGETS = [
    f"ansible.{name}"
    for name in (
        "cli", "config", "constants", "errors", "executor", "galaxy", "inventory", "parsing", "playbook", "plugins",
        "template", "vars",
    )
]  # fmt: skip

_IMPORT_ALL = """
import importlib, json, sys, traceback

names, absent_parts, present = json.loads(sys.argv[1])

class Absent:
    def find_spec(self, name, path=None, target=None):
        first = name.partition(".")[0]
        known = first in sys.stdlib_module_names or first in present or first.startswith("_")
        if not known or any(name == part or name.startswith(part + ".") for part in absent_parts):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

from ansible.plugins.loader import init_plugin_loader

init_plugin_loader()
if present:
    for name in list(sys.modules):
        if any(name == part or name.startswith(part + ".") for part in absent_parts):
            del sys.modules[name]
    sys.meta_path.insert(0, Absent())
for name in names:
    try:
        importlib.import_module(name)
    except BaseException:
        print(name, traceback.format_exc())
"""


def imported(files: Sequence[Path], absent: Sequence[str] = (), present: Sequence[str] = ()) -> tuple[int, str, str]:
    """Import files in a process of their own. Return its status and output.

    :param absent: modules that can't be imported.
    :param present: the only packages besides the standard library that can be imported; empty for all.
    """
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in files]
    order = [[f"ansible_collections.community.seventhings.{name}" for name in names], absent, present]
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALL, json.dumps(order)],
        env=playbook.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_every_file_can_be_imported() -> None:
    assert imported(FILES) == (0, "", "")


def test_plugins_need_no_package_but_those_of_ansible_core() -> None:
    assert imported(FILES, (), (*CORE, *CORE_NEEDS)) == (0, "", "")


def test_what_runs_on_a_target_needs_nothing_of_the_controller() -> None:
    assert imported(ON_TARGETS, NOT_ON_TARGETS, CORE) == (0, "", "")
