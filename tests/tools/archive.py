# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the collection, check the archive, install it elsewhere, and show all of its documentation with ansible-doc."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from project import BUILD, COLLECTION_PATH, ROOT, call, environment

DIST = BUILD / "dist"
INSTALLED = BUILD / "installed"
NAME = "community.seventhings"
WANTED = {
    "LICENSE",
    "README.md",
    "meta/runtime.yml",
    "requirements.txt",
    "SECURITY.md",
    "tests/emulator/requirements.txt",
}
SHIPPED = {
    "plugins",
    "extensions",
    "roles",
    "playbooks",
    "meta",
    "docs",
    "changelogs",
    "examples",
    "tests/emulator",
    "tests/config.yml",
}
ROOT_FILES = {
    ".ansible-lint",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "FILES.json",
    "LICENSE",
    "MANIFEST.json",
    "README.md",
    "SECURITY.md",
    "requirements.txt",
}


def build() -> Path:
    shutil.rmtree(DIST, ignore_errors=True)
    call("ansible-galaxy", "collection", "build", "--output-path", DIST)
    return next(DIST.glob("*.tar.gz"))


def files_of(archive: Path) -> set[str]:
    with tarfile.open(archive) as tar:
        return {member.name for member in tar.getmembers() if member.isfile()}


def complaints(files: set[str]) -> list[str]:
    """List the files that are missing from the archive, and files that must not be in it."""
    missing = [f"missing: {name}" for name in sorted(WANTED - files)]
    stray = [
        f"stray: {name}"
        for name in sorted(files - ROOT_FILES)
        if not any(name == folder or name.startswith(f"{folder}/") for folder in SHIPPED) or "__pycache__" in name
    ]
    return missing + stray


def install(archive: Path) -> dict[str, str]:
    """Install the archive into a folder of its own. Return an environment in which Ansible finds only this copy."""
    shutil.rmtree(INSTALLED, ignore_errors=True)
    env = environment(ANSIBLE_COLLECTIONS_PATH=str(INSTALLED), ANSIBLE_COLLECTIONS_SCAN_SYS_PATH="false")
    call("ansible-galaxy", "collection", "install", "--offline", "-p", INSTALLED, archive, cwd=BUILD, env=env)
    return env


def documented(installed: Path) -> dict[str, list[str]]:
    """Return the names of the plugins and roles that ansible-doc knows, by their type.

    :param installed: the folder with ``ansible_collections``.
    """
    found = {}
    for kind, folder in (("module", "modules"), ("inventory", "inventory"), ("lookup", "lookup"), ("role", "../roles")):
        source = installed / COLLECTION_PATH / "plugins" / folder
        found[kind] = [f"{NAME}.{path.stem}" for path in sorted(source.glob("[!_.]*"))]
    return found


def ask_for_documentation(installed: Path, env: dict[str, str]) -> int:
    """Run ansible-doc on every plugin and role of an installed collection. Return their number.

    :param installed: the folder with ``ansible_collections``.
    """
    names = documented(installed)
    for kind, full in names.items():
        answer = subprocess.run(
            ["ansible-doc", "--type", kind, "--json", *full],
            cwd=BUILD,
            env=env,
            check=False,
            capture_output=True,
            text=True,
        )
        found = json.loads(answer.stdout) if answer.returncode == 0 else {}
        absent = [name for name in full if name not in found]
        if absent:
            sys.exit(f"ansible-doc does not know the {kind} {', '.join(absent)}\n{answer.stderr}")
    return sum(map(len, names.values()))


def main() -> None:
    archive = build()
    files = files_of(archive)
    if problems := complaints(files):
        sys.exit("\n".join([f"{archive.relative_to(ROOT)}:", *problems]))
    count = ask_for_documentation(INSTALLED, install(archive))
    print(f"{archive.name}: {len(files)} files, installed, documentation of {count} plugins and roles read")


if __name__ == "__main__":
    main()
