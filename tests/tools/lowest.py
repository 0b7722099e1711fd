# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run some tests and a play with the lowest versions of the packages that requirements.txt allows."""

from __future__ import annotations

import os
import re
import shutil
import sys

from project import BUILD, ROOT, call, environment

FOLDER = BUILD / "lowest"
TESTS = (
    "tests/unit/module_utils/client/test_transport.py",
    "tests/unit/plugin_utils/export/test_json_schema.py",
    "tests/hostile/test_service_limits.py",
    "tests/integration/test_play.py::test_single_modules_provision_an_empty_instance",
)
_BESIDE = ("chardet==5.2.0",)
"""A package of the environment that the lowest version of requests does not support, and warns about."""
_LOWEST = re.compile(r"^([A-Za-z0-9_.-]+) *>= *([0-9.]+)", re.MULTILINE)
_VERSIONS = "import importlib.metadata, sys; [print(name, importlib.metadata.version(name)) for name in sys.argv[1:]]"


def lowest(requirements: str) -> dict[str, str]:
    """Return the packages of a requirements file, each with its lowest version."""
    return dict(_LOWEST.findall(requirements))


def install(versions: dict[str, str]) -> None:
    """Install the packages, without dependencies, into a folder that precedes the environment, once for each set."""
    wanted = "\n".join([*(f"{name}=={version}" for name, version in versions.items()), *_BESIDE])
    noted = FOLDER / "installed.txt"
    if noted.exists() and noted.read_text("utf-8") == wanted:
        return
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input")
    call(*pip, "--no-deps", "--target", FOLDER, *wanted.splitlines())
    noted.write_text(wanted, "utf-8")


def main() -> None:
    versions = lowest((ROOT / "requirements.txt").read_text("utf-8"))
    install(versions)
    before = os.environ.get("PYTHONPATH")
    env = environment(PYTHONPATH=os.pathsep.join([str(FOLDER), before] if before else [str(FOLDER)]))
    call(sys.executable, "-c", _VERSIONS, *versions, env=env)
    # Our own limits decide how much memory an answer takes, not the libraries.
    call("pytest", "--quiet", "--color=no", "-n", "2", "-k", "not memory", *TESTS, env=env)


if __name__ == "__main__":
    main()
