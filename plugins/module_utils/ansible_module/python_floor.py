# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The oldest Python on which modules run.

Ansible also starts modules on older versions, so those must be able to parse this file and everything imported before
it.
"""

from __future__ import annotations

import json
import sys

FLOOR = (3, 11)


def require_python() -> None:
    """Exit a module in Ansible's way if this Python is too old, before anything is imported that needs a newer one."""
    if sys.version_info[:2] < FLOOR:
        message = (
            f"community.seventhings needs Python {_dotted(FLOOR)} or newer where its modules run; this is Python "
            f"{_dotted(sys.version_info[:3])} at {sys.executable}. Set ansible_python_interpreter to a newer one."
        )
        sys.stdout.write(json.dumps({"failed": True, "changed": False, "msg": message}) + "\n")
        raise SystemExit(1)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
