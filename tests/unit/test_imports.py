# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every file of the plugins can be imported on the ansible-core and the Python of this environment."""

from __future__ import annotations

import subprocess
import sys

import playbook
from project import ROOT

FILES = sorted((ROOT / "plugins").rglob("*.py"))

_IMPORT_ALL = """
import importlib, sys, traceback

from ansible.plugins.loader import init_plugin_loader

init_plugin_loader()
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except BaseException:
        print(name, traceback.format_exc())
"""


def test_every_file_can_be_imported() -> None:
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in FILES]
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALL, *(f"ansible_collections.community.seventhings.{name}" for name in names)],
        env=playbook.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
