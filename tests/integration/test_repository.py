# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The example repository, and the hook that checks such repositories."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import playbook
import pytest
import yaml
from emulator_here import running_here
from project import ROOT

EXAMPLE = ROOT / "examples" / "repository"
HOOK = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))[0]


def judged(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the hook in a directory, as pre-commit does."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run(
        [str(ROOT / HOOK["entry"]), *arguments],
        cwd=directory,
        env={**os.environ, "PATH": path, "ANSIBLE_NOCOLOR": "true"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a fresh copy of the example."""
    copy = tmp_path / "harbour"
    shutil.copytree(EXAMPLE, copy)
    subprocess.run(["git", "init", "--quiet"], cwd=copy, check=True)
    return copy


def test_the_hook_passes_the_example_and_names_each_mistake(repository: Path) -> None:
    done = judged(repository)
    assert done.returncode == 0, done.stdout
    # Ansible would load this plugin if it ran inside the repository.
    (repository / "ansible.cfg").write_text("[defaults]\nnonsense\n", "utf-8")
    objects = repository / "instance" / "objects" / "it.yml"
    objects.write_text(objects.read_text("utf-8").replace("100402", "100401"), "utf-8")
    done = judged(repository, "instance")
    assert done.returncode == 1
    assert "objects/it.yml:9" in done.stdout.replace("\n", " ")


def test_git_ignores_plans_reports_and_records(repository: Path) -> None:
    reports = {"plan.html", "plan.md", "plan.json", "plan.sarif", "changes.csv", "findings.sarif", "report.html"}
    names = [*reports, "drift.html", "instance.plan", "applied.json.gz", "exported/rooms.yml", "instance/rooms.yml"]
    ignored = subprocess.run(
        ["git", "check-ignore", *names], cwd=repository, capture_output=True, text=True, check=True
    )
    assert {*names} - {*ignored.stdout.split()} == {"instance/rooms.yml"}


def test_what_the_hook_says_of_itself_is_true() -> None:
    assert os.access(ROOT / HOOK["entry"], os.X_OK)
    used = yaml.safe_load((EXAMPLE / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0]["hooks"][0]
    assert used["id"] == HOOK["id"] == "seventhings-validate"


def test_the_example_is_applied_once(repository: Path) -> None:
    source = f"provision_src={repository / 'instance'}"
    with running_here("empty") as service:
        for changed in (True, False):
            play = ROOT / "playbooks" / "provision.yml"
            run = playbook.run(repository / "run", play, "-e", source, variables=service.variables())
            assert run.status == 0, run.output
            assert any(result.data.get("changed") for result in run.results) == changed, run.output


def test_an_export_lets_the_files_be_checked_against_the_fields(repository: Path) -> None:
    (repository / "ansible.cfg").unlink()
    objects = repository / "instance" / "objects" / "it.yml"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with running_here("demo") as service:
        variables = playbook.environment({**service.variables(), "PATH": path})
        subprocess.run(["make", "export"], cwd=repository, env=variables, check=True)
        objects.write_text(objects.read_text("utf-8") + "  nonsense: 1\n", "utf-8")
        done = subprocess.run(["make", "validate"], cwd=repository, env=variables, capture_output=True, check=False)
    assert done.returncode != 0
    assert b"nonsense" in done.stdout


def test_no_copy_names_the_folder_of_the_example_that_it_was_made_from() -> None:
    texts = {path: path.read_text("utf-8") for path in EXAMPLE.rglob("*") if path.is_file()}
    assert [str(path) for path, text in texts.items() if "acme" in text] == []


def test_pipelines_install_the_release_that_the_example_asks_for() -> None:
    (wanted,) = yaml.safe_load((EXAMPLE / "collections" / "requirements.yml").read_text("utf-8"))["collections"]
    pipelines = sorted((ROOT / "examples" / "ci").glob("*.yml"))
    texts = [re.findall("galaxy collection install (.*)", path.read_text("utf-8")) for path in pipelines]
    assert len(texts) == 2
    assert {line for lines in texts for line in lines} == {f'"{wanted["name"]}:{wanted["version"]}"'}
