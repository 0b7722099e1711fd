# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run the example of Event-Driven Ansible with the real ansible-rulebook.

Run ``python tests/tools/rulebook.py``.

Its environment is created once, in .build/rulebook. Java 17 or newer must be on PATH.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

from project import BIN, BUILD, ROOT, call, environment

_VENV = BUILD / "rulebook"
_REQUIREMENTS = ("tests/requirements-rulebook.txt", "requirements.txt")


def make() -> Path:
    """Create or find the environment. Return its bin folder."""
    stamp = _VENV / "made-from"
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in _REQUIREMENTS]
    wanted = hashlib.sha256("\n".join([sys.executable, *texts]).encode()).hexdigest()
    if not (stamp.exists() and stamp.read_text(encoding="utf-8") == wanted):
        shutil.rmtree(_VENV, ignore_errors=True)
        call(sys.executable, "-m", "venv", _VENV)
        pip = ("-m", "pip", "--disable-pip-version-check", "install", "--no-input", "--quiet")
        call(_VENV / "bin" / "python", *pip, "-r", ROOT / _REQUIREMENTS[0], env=dict(os.environ))
        stamp.write_text(wanted, encoding="utf-8")
    return _VENV / "bin"


def main() -> None:
    """Run its tests, and exit with the status of pytest."""
    if shutil.which("java") is None:
        sys.exit("ansible-rulebook needs Java 17 or newer: not found")
    path = os.pathsep.join([str(BIN), os.environ["PATH"], str(make())])
    call(
        BIN / "pytest",
        "-q",
        "--color=no",
        "tests/integration/test_events.py",
        *sys.argv[1:],
        env=environment(PATH=path),
    )


if __name__ == "__main__":
    main()
