# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pipelines: no secret is an argument of a process, and nothing is installed or fetched that others can replace."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from project import ROOT

EXAMPLES = sorted(
    path
    for folder in ("examples", ".github/workflows", "docs/docsite")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".yml", ".md", ".rst") or path.name == "Makefile"
)
SECRET = r"\$\{?\w*(TOKEN|PASSWORD|SECRET|CLIENT_ID)\w*\}?"
BUILTIN = re.compile(r"^\s*(- )?(test .*\|\| )?(printf|echo|export|\w+=)|askpass")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_secret_is_an_argument(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    found = [line for line in lines if re.search(SECRET, line) and not BUILTIN.search(line)]
    assert [line for line in found if re.search(rf"[\"'@:/= ]{SECRET}", line) and not _is_variable(line)] == []


def _is_variable(line: str) -> bool:
    """Return True if a line sets an environment variable instead of running a command."""
    return re.match(r"\s*(#|- #)|\s*[A-Z_]+: ", line) is not None


def test_an_export_is_fetched_from_a_run_that_is_named() -> None:
    for path in EXAMPLES:
        for line in path.read_text("utf-8").splitlines():
            assert not re.search(r"gh run download(?! \"\$run\")", line), path


def test_the_job_with_the_token_installs_only_what_is_known_by_its_hash() -> None:
    jobs: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))["jobs"]
    with_secrets = {name for name, job in jobs.items() if "secrets." in str(job) or "github.token" in str(job)}
    installs = [
        line
        for name in sorted(with_secrets)
        for step in jobs[name]["steps"]
        for line in str(step.get("run", "")).splitlines()
        if "pip install" in line
    ]
    assert installs == ["pip install --require-hashes --only-binary :all: -r .github/requirements-publish.txt"]
    assert {name for name, job in jobs.items() if "secrets." in str(job)} == {"publish"}
    assert jobs["publish"]["permissions"] == {"contents": "read"}
    requirements = (ROOT / ".github/requirements-publish.txt").read_text("utf-8")
    packages = re.findall(r"^([a-z][^ =]*)==", requirements, re.MULTILINE)
    assert "ansible-core" in packages
    for package in packages:
        assert re.search(rf"^{package}==\S+( ;[^\\]*)? \\\n +--hash=sha256:[0-9a-f]{{64}}", requirements, re.MULTILINE)
