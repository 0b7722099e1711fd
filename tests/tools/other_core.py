# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run tests on another ansible-core: python tests/tools/other_core.py 2.21 [--python 3.13] [options and paths].

With --every-case it runs every case of each test, as the long run does, and not only a sample.

Without paths it runs the integration and the hostile tests, which play real playbooks. The environment is created once,
in .build/core. On the same version of Python it installs only what that ansible-core needs in another version, and
finds the other packages in the environment of the repository. A pre-release may be named in full: 2.22.0rc1.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
import sysconfig
from pathlib import Path

import interpreters
from platforms import CORES, series, specifier
from project import BUILD, CASES, LONG_VARIABLE, ROOT, call, environment

_REQUIREMENTS = ("requirements.txt", "tests/emulator/requirements.txt", "tests/requirements-test.txt")


def python_for(core: str, wish: str = "") -> Path:
    """Return the newest interpreter of this machine for a version, or the requested interpreter.

    :raises SystemExit: if there is none.
    """
    minors = [minor for minor in CORES[series(core)] if wish in ("", f"3.{minor}")]
    found = interpreters.find()
    for minor in reversed(minors):
        if minor in found:
            return found[minor]
    sys.exit(f"ansible-core {core} needs Python 3.{' or 3.'.join(map(str, minors))}: not found")


def make(core: str, wish: str = "") -> Path:
    """Return the bin folder of the environment, which is created if it does not exist or is outdated."""
    python = python_for(core, wish)
    venv = BUILD / "core" / core
    stamp = venv / "made-from"
    texts = [(ROOT / name).read_text() for name in _REQUIREMENTS]
    runtime = (ROOT / "tests" / "requirements-runtime.txt").read_text().splitlines()
    further = [line for line in runtime if line and not line.startswith(("#", "-r", "ansible-core"))]
    # The test libraries, and a path file that makes the collection visible to processes that are not Ansible commands.
    paths = f"{ROOT / 'tests' / 'support'}\n{BUILD / 'link'}\nimport kept_code\n"
    libraries = sysconfig.get_path("purelib")
    wanted = hashlib.sha256("\n".join([core, str(python), libraries, paths, *texts, *further]).encode()).hexdigest()
    if not (stamp.exists() and stamp.read_text() == wanted):
        shutil.rmtree(venv, ignore_errors=True)
        call(python, "-m", "venv", venv)
        site = next(venv.glob("lib/python3.*/site-packages"))
        if site.parent.name == Path(sysconfig.get_path("stdlib")).name:
            (site / "repository.pth").write_text(libraries)
        files = [word for name in _REQUIREMENTS for word in ("-r", str(ROOT / name))]
        pip = ("-m", "pip", "--disable-pip-version-check", "install", "--no-input", "--no-compile", "--quiet")
        call(venv / "bin" / "python", *pip, specifier(core), *further, *files, env=dict(os.environ))
        (site / "seventhings-tests.pth").write_text(paths)
        stamp.write_text(wanted)
    return venv / "bin"


def main() -> None:
    """Run pytest in that environment, and exit with its status."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("core")
    parser.add_argument("--python", default="")
    parser.add_argument("--every-case", action="store_true")
    arguments, options = parser.parse_known_args()
    bin_folder = make(arguments.core, arguments.python)
    paths = [] if any((ROOT / option).exists() for option in options) else ["tests/integration", "tests/hostile"]
    size = {LONG_VARIABLE: CASES} if arguments.every_case else {}
    env = environment(PATH=os.pathsep.join([str(bin_folder), os.environ["PATH"]]), **size)
    call(bin_folder / "python", "-m", "pytest", "-q", "--color=no", "-n", "2", *options, *paths, env=env)


if __name__ == "__main__":
    main()
