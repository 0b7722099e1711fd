# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run ansible-test sanity of one ansible-core version: python tests/tools/sanity.py 2.19 [--shipped] [its options].

With ``--shipped`` it checks the files of the archive, as Galaxy and Automation Hub do, otherwise also the tests, which
other gates check, too. ansible-test needs the collection in its own git repository under ansible_collections/,
downloads pip for its environments from its own host, and passes on hardly any environment variables. So this tool works
on a copy of the files, with a home folder under .build/ that has a replacement for the pip script and the pip settings
of this machine.
"""

from __future__ import annotations

import ast
import configparser
import filecmp
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import interpreters
import kept_code
from platforms import CORES, NEWEST_RELEASE, specifier
from project import BIN, BUILD, COLLECTION_PATH, ROOT, call, tracked_files

FOREIGN_DATA = (
    "tests/golden",
    "tests/unit/plugin_utils/desired/libreoffice",
    "tests/unit/plugin_utils/desired/tables",
)
"""Folders of test data with what other programs, or version 1.0.0, wrote.

Bytes, line endings and odd texts are what they are for, so rules for source texts do not fit them. Nothing
in them is shipped.
"""

DONE_BY_OTHER_GATES = ("changelog", "compile", "import", "pep8", "pylint", "yamllint")
"""Tests whose rules other gates check: antsibull-changelog, ``tests/unit/test_imports.py``, ruff and yamllint.

ruff has most rules of pylint, but not all.
"""

HOME = BUILD / "home"
_REQUIREMENTS = ROOT / "tests" / "requirements-sanity.txt"
_SHIPPED = "--shipped"
_PIP = HOME / "pip"
_PIP_PATH = "pip.pth"
# Link to the existing pip. Installing it would take three seconds in each of twenty environments.
_GET_PIP = f"""
import pathlib, sysconfig

pathlib.Path(sysconfig.get_path("purelib"), {_PIP_PATH!r}).write_text({str(_PIP)!r})
"""


def python_for(core: str) -> Path | None:
    """Return an interpreter for a version of ansible-core: the newest for the newest core, else the oldest."""
    found = interpreters.find()
    minors = reversed(CORES[core]) if core == NEWEST_RELEASE else CORES[core]
    return next((found[minor] for minor in minors if minor in found), None)


def core_environment(core: str, python: Path) -> Path:
    """Create or find the virtual environment with this version of ansible-core. Return its bin folder."""
    venv = BUILD / "sanity" / f"core-{core}"
    stamp = venv / "made-from"
    texts = [path.read_text() for path in (_REQUIREMENTS, ROOT / "requirements.txt")]
    wanted = hashlib.sha256("\n".join([specifier(core), str(python), *texts]).encode()).hexdigest()
    if not (stamp.exists() and stamp.read_text() == wanted):
        shutil.rmtree(venv, ignore_errors=True)
        call(python, "-m", "venv", venv)
        pip: list[str | Path] = [
            venv / "bin" / "python",
            "-m",
            "pip",
            "--disable-pip-version-check",
            "install",
            "--no-input",
            "--no-compile",
            "--quiet",
        ]
        call(*pip, specifier(core), "-r", _REQUIREMENTS, env=dict(os.environ))
        stamp.write_text(wanted)
    return venv / "bin"


def shipped_files() -> list[Path]:
    """Return the tracked files that the archive contains, relative to the root."""
    folder = BUILD / "sanity" / "dist"
    shutil.rmtree(folder, ignore_errors=True)
    call(BIN / "ansible-galaxy", "collection", "build", "--output-path", folder)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        names = set(archive.getnames())
    # galaxy.yml is in the archive in another form.
    return [name for name in tracked_files() if name.as_posix() in {*names, "galaxy.yml"}]


def source_files() -> list[Path]:
    """Return the tracked files without foreign data, relative to the root."""
    return [name for name in tracked_files() if not any(name.is_relative_to(folder) for folder in FOREIGN_DATA)]


def copy_tree(wanted: list[Path]) -> Path:
    """Update the copy of the collection. Return its root.

    :param wanted: its files, relative to the root.
    """
    tree = BUILD / "sanity" / COLLECTION_PATH
    tree.mkdir(parents=True, exist_ok=True)
    if not (tree / ".git").exists():
        subprocess.run(["git", "init", "--quiet", "."], cwd=tree, check=True)
    kept = set(wanted)
    for present in tree.rglob("*"):
        name = present.relative_to(tree)
        if name.parts[0] != ".git" and name.parts[:2] != ("tests", "output") and present.is_file() and name not in kept:
            present.unlink()
    for name in wanted:
        target = tree / name
        if target.exists() and filecmp.cmp(ROOT / name, target, shallow=False) and _same_mode(ROOT / name, target):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target, follow_symlinks=False)
    return tree


def _same_mode(file: Path, other: Path) -> bool:
    return os.access(file, os.X_OK) == os.access(other, os.X_OK)


def prepare_home(bin_folder: Path) -> None:
    """Write a replacement for get-pip.py, and the pip settings, into the home folder of ansible-test."""
    packages = next(bin_folder.parent.glob("lib/python3.*/site-packages"))
    shutil.rmtree(_PIP, ignore_errors=True)
    shutil.copytree(packages / "pip", _PIP / "pip")
    source = packages / "ansible_test" / "_internal" / "python_requirements.py"
    cache = HOME / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for version in set(re.findall(r"""\bpip=['"]([\d.]+)['"]""", source.read_text())):
        (cache / f"get_pip_{version.replace('.', '_')}.py").write_text(_GET_PIP)
    settings = HOME / ".config" / "pip" / "pip.conf"
    settings.parent.mkdir(parents=True, exist_ok=True)
    with settings.open("w") as file:
        _pip_settings().write(file)


def _pip_settings() -> configparser.RawConfigParser:
    """Return the pip settings of this machine, from files and variables, as one file."""

    def ask(*question: str) -> str:
        pip = [str(BIN / "python"), "-m", "pip", "--disable-pip-version-check", *question]
        return subprocess.run(pip, check=True, capture_output=True, text=True).stdout

    settings = configparser.RawConfigParser()
    kept = ask("cache", "dir").strip()
    settings.read_dict({"global": {"cache-dir": kept, "quiet": "2"}})
    proxy = os.environ.get("HTTPS_PROXY") or os.environ.get("https_proxy")
    if proxy:
        settings.set("global", "proxy", proxy)
    # Variables have precedence over files, as in pip itself.
    for line in sorted(ask("config", "list").splitlines(), key=lambda line: line.startswith(":env:")):
        name, value = line.split("=", 1)
        section, key = name.rsplit(".", 1)
        section = "global" if section == ":env:" else section
        if not settings.has_section(section):
            settings.add_section(section)
        settings.set(section, key, str(ast.literal_eval(value)).replace("\n", "\n  "))
    return settings


def make_quick() -> None:
    """Let the test environments cache compiled code.

    The test ``import`` unloads the collection after each of its files, and compiles it again for the next.

    The environments contain no pip, because ansible-test removes it.
    """
    # Keep the search path, because imports of a test are looked up in it.
    words = (
        "import os, sys",
        f"os.environ[{kept_code.VARIABLE!r}] = {str(BUILD / 'code')!r}",
        f"sys.path.insert(0, {str(ROOT / 'tests' / 'support')!r})",
        "import kept_code",
        "del sys.path[0]",
    )
    for folder in HOME.glob(".ansible/test/venv/*/*/*/lib/python3.*/site-packages"):
        (folder / "seventhings-tests.pth").write_text("; ".join(words) + "\n")
        (folder / _PIP_PATH).unlink(missing_ok=True)


def main(core: str, options: list[str]) -> None:
    python = python_for(core)
    if python is None:
        sys.exit(f"ansible-core {core} needs Python 3.{' or 3.'.join(map(str, CORES[core]))}: not found")
    bin_folder = core_environment(core, python)
    is_shipped = _SHIPPED in options
    tree = copy_tree(shipped_files() if is_shipped else source_files())
    prepare_home(bin_folder)
    path = [str(bin_folder), *interpreters.working_path(CORES[core])]
    env = {**os.environ, "HOME": str(HOME), "PATH": os.pathsep.join(path)}
    for name in [name for name in env if name.startswith("ANSIBLE_")]:
        del env[name]
    own = [option for option in options if option != _SHIPPED]
    sanity: list[str | Path] = ["ansible-test", "sanity", "--local", "--color", "no", *own]
    call(*sanity, "--prime-venvs", cwd=tree, env=env)
    make_quick()
    call(*sanity, cwd=tree, env=env)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
