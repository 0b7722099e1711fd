# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Create a release: python tests/tools/release.py prepare 1.0.0, or files 1.0.0.

``prepare`` writes the version and the changelog, builds the archive and checks it, commits, and tags the commit.
It pushes nothing.
``files`` builds what is published for the tagged version into .build/release: the archive, the list of its parts
(CycloneDX), the notes and the checksums.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import archive
import yaml
from other_core import make as make_core
from platforms import NEWEST_RELEASE, specifier
from project import BIN, BUILD, ROOT, call, environment

RELEASE = BUILD / "release"
_GALAXY = ROOT / "galaxy.yml"
_CHANGELOG = ROOT / "CHANGELOG.md"
_RELEASED = ("galaxy.yml", "CHANGELOG.md", "changelogs")
_TOOLS = BUILD / "release-tools"
_IMPORTER = "galaxy-importer ~= 0.4.31"
_PARTS = "cyclonedx-bom ~= 7.0"


def version_in_galaxy() -> str:
    return str(yaml.safe_load(_GALAXY.read_text(encoding="utf-8"))["version"])


def demand_own_checkout(tool: Path = Path(__file__)) -> None:
    """Refuse an environment of another checkout: its tools would release that checkout.

    :raises SystemExit: if this file does not belong to the checkout to be released.
    """
    own = tool.resolve().parents[2]
    if own != ROOT:
        sys.exit(f"This is {own}, and its environment belongs to {ROOT}. Make one here: make environment")


def demand_clean_tree() -> None:
    """Check that everything is committed.

    :raises SystemExit: if something is not.
    """
    status = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, check=True, capture_output=True, text=True)
    if status.stdout:
        sys.exit(f"Commit or take back first:\n{status.stdout}")


def write_version(version: str) -> None:
    text = _GALAXY.read_text(encoding="utf-8")
    _GALAXY.write_text(re.sub(r"(?m)^version: .*$", f"version: {version}", text), encoding="utf-8")


def notes_of(version: str) -> str:
    """Return the part of the changelog about one version.

    :raises SystemExit: there is none.
    """
    parts = re.split(r"(?m)^## v", _CHANGELOG.read_text(encoding="utf-8"))
    for part in parts[1:]:
        # In Markdown, every dot of a heading is escaped with a backslash.
        if part.split("\n", 1)[0].replace("\\", "").strip() == version:
            return part.split("\n", 1)[1].strip() + "\n"
    return sys.exit(f"{_CHANGELOG.name} says nothing about {version}")


def tools(requirement: str) -> Path:
    """Install a tool beside the newest ansible-core. Return the bin folder."""
    folder = _TOOLS / requirement.split()[0]
    python = make_core(NEWEST_RELEASE) / "python"
    if not (folder / "bin").exists():
        call(python, "-m", "venv", folder, env=dict(os.environ))
        pip = (folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
        call(*pip, requirement, specifier(NEWEST_RELEASE), env=dict(os.environ))
    return folder / "bin"


def check(built: Path) -> None:
    """Check the archive with the importer of Galaxy, as Galaxy does on publication."""
    folder = tools(_IMPORTER)
    settings = BUILD / "galaxy-importer.cfg"
    settings.write_text("[galaxy-importer]\nRUN_ANSIBLE_TEST = False\nCHECK_REQUIRED_TAGS = True\n", encoding="utf-8")
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    env = environment(PATH=path, GALAXY_IMPORTER_CONFIG=str(settings))
    command = [str(folder / "python"), "-m", "galaxy_importer.main", str(built)]
    done = subprocess.run(command, cwd=BUILD, env=env, check=False, text=True, capture_output=True)
    print(done.stdout, done.stderr, sep="", flush=True)
    if done.returncode:
        sys.exit(done.returncode)
    if warned := warnings_of(done.stdout + done.stderr):
        sys.exit("\n".join([f"{built.name} is not clean:", *warned]))


def warnings_of(output: str) -> list[str]:
    """Return the warnings of the importer, which exits with 0 in spite of warnings."""
    return [line for line in output.splitlines() if line.startswith(("WARNING:", "ERROR:"))]


def prepare(version: str) -> None:
    demand_own_checkout()
    demand_clean_tree()
    write_version(version)
    call("antsibull-changelog", "release", "--update-existing", "--version", version)
    built = archive.build()
    if problems := archive.complaints(archive.files_of(built)):
        sys.exit("\n".join([f"{built.name}:", *problems]))
    check(built)
    # Changes that somebody makes meanwhile are not part of the release.
    call("git", "add", "--all", "--", *_RELEASED)
    # The entry of the first release may have been committed before.
    call("git", "commit", "--quiet", "--allow-empty", "--message", f"Release {version}")
    call("git", "tag", "--annotate", "--message", f"Release {version}", version)
    print(f"\n{version} is committed and tagged. Publish it with: git push origin main {version}")


def list_parts(target: Path) -> None:
    """Write the parts of an installation as CycloneDX."""
    installed = BUILD / "release-parts"
    shutil.rmtree(installed, ignore_errors=True)
    call(BIN / "python", "-m", "venv", "--without-pip", installed)
    pip = (
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--python",
        str(installed / "bin" / "python"),
        "install",
        "--quiet",
    )
    call(BIN / "python", *pip, "-r", ROOT / "requirements.txt", env=dict(os.environ))
    call(tools(_PARTS) / "cyclonedx-py", "environment", "--output-file", target, installed / "bin" / "python")


def files(version: str) -> None:
    if version_in_galaxy() != version:
        sys.exit(f"galaxy.yml has version {version_in_galaxy()} and not {version}")
    shutil.rmtree(RELEASE, ignore_errors=True)
    RELEASE.mkdir(parents=True)
    built = archive.build()
    check(built)
    shutil.copy2(built, RELEASE)
    (RELEASE / "NOTES.md").write_text(notes_of(version), encoding="utf-8")
    list_parts(RELEASE / f"{built.name.removesuffix('.tar.gz')}.cdx.json")
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(RELEASE.iterdir())]
    (RELEASE / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    print(f"\n{RELEASE.relative_to(ROOT)}: {', '.join(sorted(path.name for path in RELEASE.iterdir()))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["prepare", "files"])
    parser.add_argument("version", help="such as 1.0.0")
    arguments = parser.parse_args()
    if not re.fullmatch(r"\d+\.\d+\.\d+(-[\w.]+)?", arguments.version):
        parser.error(f"{arguments.version} is no version such as 1.0.0")
    {"prepare": prepare, "files": files}[arguments.step](arguments.version)


if __name__ == "__main__":
    main()
