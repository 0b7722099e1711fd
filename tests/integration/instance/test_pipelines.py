# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every command of the pipelines in examples/ci, with a checkout that tries to run code."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import playbook
import pytest
import yaml
from emulator_process import Emulator
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.options import RunOptions
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.run import run_instance

pytestmark = pytest.mark.sample(1)
"""Each test runs on one of the hosting services."""

EXAMPLES = ROOT / "examples"
_SECONDS = 240

_TRAP = """
from ansible.plugins.callback import CallbackBase

open({mark!r}, "w").close()

class CallbackModule(CallbackBase):
    CALLBACK_NAME = "trap"
"""

_CONFIGURATION = """
[defaults]
callback_plugins = {directory}/callback_plugins
callbacks_enabled = trap
"""

_CHANGED_ROOM = '- {building_id: Harbour office, number: "0.12", name: Atelier}\n'

_COMMENTING = """#!/bin/sh
test "$1" != api || echo 4711
test ! -f plan.md || cp plan.md {directory}/comment.md
"""


def trapped_checkout(directory: Path) -> Path:
    """Return a checkout of the example, with settings and plugins that leave a mark if Ansible reads them."""
    mark = str(directory / "trapped")
    checkout = directory / "checkout"
    shutil.copytree(EXAMPLES / "acme", checkout / "acme")
    for place in (checkout, checkout / "acme"):
        (place / "ansible.cfg").write_text(_CONFIGURATION.format(directory=place), "utf-8")
        (place / "callback_plugins").mkdir()
        (place / "callback_plugins" / "trap.py").write_text(_TRAP.format(mark=mark), "utf-8")
    for command in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", *command], cwd=checkout, check=True)
    return checkout


class Pipeline(ABC):
    """One pipeline, and the machine that its jobs run on.

    :param directory: where checkout, home and temporary directories are.
    :param service: the instance.
    """

    def __init__(self, directory: Path, service: Emulator) -> None:
        self.directory = directory
        self.service = service
        self.checkout = trapped_checkout(directory)
        self.temporary = directory / "temporary"
        self.temporary.mkdir()
        self.home = directory / "home"
        self.home.mkdir()
        self.commands = directory / "commands"
        self.commands.mkdir()
        for name in ("pip", "ansible-galaxy", "gh", "curl"):
            path = self.commands / name
            path.write_text(_COMMENTING.format(directory=directory), "utf-8")
            path.chmod(0o755)
        self.text: dict[str, Any] = yaml.safe_load((EXAMPLES / "ci" / self.file).read_text("utf-8"))

    @property
    @abstractmethod
    def file(self) -> str:
        """The path of the file that defines the pipeline."""

    @property
    @abstractmethod
    def journal(self) -> Path:
        """Return the journal that is kept between runs."""

    @abstractmethod
    def job(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run the commands of a job until one fails, as a runner does."""

    @property
    def trapped(self) -> bool:
        """True if Ansible ran code of the checkout."""
        return (self.directory / "trapped").exists()

    def account(self, *names: str) -> dict[str, str]:
        """Return the secrets of some accounts."""
        variables = {"CLIENT_ID": self.service.client_id}
        for name in names:
            variables |= {f"{name}_USERNAME": self.service.username, f"{name}_PASSWORD": self.service.password}
        return {f"SEVENTHINGS_{name}": value for name, value in variables.items()}

    def run(self, script: str, cwd: Path, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        environment = playbook.environment({**variables, "HOME": str(self.home)})
        for name in ("ANSIBLE_CONFIG", "ANSIBLE_CALLBACK_PLUGINS", "ANSIBLE_CALLBACKS_ENABLED"):
            del environment[name]
        environment["PATH"] = f"{self.commands}:{Path(sys.executable).parent}:{environment['PATH']}"
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SECONDS,
            check=False,
        )


class GitHub(Pipeline):
    """GitHub: steps with expressions. A step gets only the secrets that it names."""

    file = "github-actions.yml"
    digest = ""

    @property
    def journal(self) -> Path:
        return self.home / "journal"

    def job(self, name: str) -> subprocess.CompletedProcess[str]:
        outputs = self.directory / "outputs"
        machine = {
            "GITHUB_WORKSPACE": str(self.checkout),
            "GITHUB_REPOSITORY": "acme/instance",
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(self.directory / "summary.md"),
            "RUNNER_TEMP": str(self.temporary),
        }
        output, status = "", 0
        for step in self.text["jobs"][name]["steps"]:
            if "run" not in step or (status and step.get("if") != "always()"):
                continue
            assert "${{" not in step["run"], "what others write is no part of a script"
            variables = {**self.text["env"], **step.get("env", {})}
            resolved = {key: self._resolved(value, name) for key, value in variables.items()}
            done = self.run(step["run"], Path(self._resolved(step["working-directory"], name)), {**machine, **resolved})
            output += done.stdout
            status = status or done.returncode
        if outputs.exists():
            self.digest = outputs.read_text("utf-8").strip().removeprefix("digest=")
        return subprocess.CompletedProcess([], status, output)

    def _resolved(self, value: str, job: str) -> str:
        secrets = {} if job == "validate" else self.account("APPLY" if job == "apply" else "PLAN")
        known = {
            "runner.temp": str(self.temporary),
            "vars.SEVENTHINGS_BASE_URL": self.service.base_url,
            "github.token": "token",
            "github.event.pull_request.number": "7",
            "needs.prepare.outputs.digest": self.digest,
            **{f"secrets.{name}": secret for name, secret in secrets.items()},
        }
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], value)


class GitLab(Pipeline):
    """GitLab: lists of commands. The jobs of an environment get its variables."""

    file = "gitlab-ci.yml"

    @property
    def journal(self) -> Path:
        return self.checkout / ".journal"

    def job(self, name: str) -> subprocess.CompletedProcess[str]:
        job = self.text[name]
        environment = job.get("environment", {})
        scope = environment if isinstance(environment, str) else environment.get("name", "")
        secrets = {
            "": {},
            "seventhings-plan": {**self.account("PLAN"), "COMMENT_TOKEN": "token"},
            "seventhings-absorb": {**self.account("PLAN"), "PUSH_TOKEN": "token"},
            "seventhings": self.account("APPLY"),
        }[scope]
        variables = {
            "CI_PROJECT_DIR": str(self.checkout),
            "CI_API_V4_URL": "https://gitlab.example.com/api/v4",
            "CI_PROJECT_ID": "1",
            "CI_MERGE_REQUEST_IID": "7",
            "CI_DEFAULT_BRANCH": "main",
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
            "CI_SERVER_HOST": "gitlab.example.com",
            "CI_PROJECT_PATH": "acme/instance",
            "SEVENTHINGS_BASE_URL": self.service.base_url,
            **secrets,
        }
        if (self.checkout / "out" / "plan.env").exists():
            variables["DIGEST"] = (self.checkout / "out" / "plan.env").read_text("utf-8").strip().partition("=")[2]
        for key, value in self.text["variables"].items():
            variables[key] = re.sub(r"\$(\w+)", lambda found: variables[found[1]], value)
        variables["WORK"] = str(self.temporary / "work")
        done = self.run("\n".join([*self.text["default"]["before_script"], *job["script"]]), self.checkout, variables)
        after = self.run("\n".join(job.get("after_script", [])), self.checkout, variables)
        return subprocess.CompletedProcess([], done.returncode, done.stdout + after.stdout)


def add_remote(pipeline: Pipeline) -> None:
    """Add an origin to a checkout, with a main branch."""
    remote = pipeline.directory / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    for command in (
        ["-c", "user.name=a", "-c", "user.email=a@acme.example", "commit", "--quiet", "-m", "Files"],
        ["remote", "add", "origin", str(remote)],
        ["push", "--quiet", "origin", "HEAD:main"],
    ):
        subprocess.run(["git", *command], cwd=pipeline.checkout, check=True)


@pytest.fixture
def service(empty_emulator: Emulator) -> Emulator:
    """Return an empty instance whose user signed in before."""
    empty_emulator.reset()
    empty_emulator.add_user("ada.jensen@acme.example")
    return empty_emulator


@pytest.fixture(params=[GitHub, GitLab])
def pipeline(request: pytest.FixtureRequest, service: Emulator, tmp_path: Path) -> Pipeline:
    """Return each pipeline."""
    pipeline: Pipeline = request.param(tmp_path, service)
    return pipeline


def writes(service: Emulator) -> list[str]:
    """Return the requests except reads and logins."""
    return [entry["path"] for entry in service.log() if entry["method"] != "GET" and "auth_token" not in entry["path"]]


def test_the_trap_springs_where_ansible_runs_in_the_checkout(pipeline: Pipeline) -> None:
    done = pipeline.run("ansible localhost -m ansible.builtin.ping", pipeline.checkout, {})
    assert done.returncode == 0, done.stdout
    assert pipeline.trapped


@pytest.mark.sample(0)
def test_every_pull_request_is_validated_without_credentials(pipeline: Pipeline) -> None:
    done = pipeline.job("validate")
    assert done.returncode == 0, done.stdout
    assert "nothing wrong" in done.stdout
    (pipeline.checkout / "acme" / "objects" / "bad.yml").write_text("- barcode: 100001\n", "utf-8")
    refused = pipeline.job("validate")
    assert refused.returncode != 0
    assert "objects/bad.yml:1:12: " in refused.stdout
    assert pipeline.service.log() == []
    assert not pipeline.trapped


def test_a_pull_request_gets_its_plan_as_a_comment_and_nothing_else_happens(pipeline: Pipeline) -> None:
    add_remote(pipeline)
    before = sorted(path for path in pipeline.checkout.rglob("*") if ".git" not in path.parts)
    done = pipeline.job("plan")
    assert done.returncode == 0, done.stdout
    assert "| objects | 6 |" in (pipeline.directory / "comment.md").read_text("utf-8")
    assert writes(pipeline.service) == []
    assert not pipeline.trapped
    assert sorted(path for path in pipeline.checkout.rglob("*") if ".git" not in path.parts) == before


@pytest.mark.sample(0)
def test_findings_are_a_comment_too(pipeline: Pipeline) -> None:
    (pipeline.checkout / "acme" / "objects" / "bad.yml").write_text("- barcode: 100001\n", "utf-8")
    done = pipeline.job("plan")
    assert done.returncode != 0
    assert "objects/bad.yml:1:12: " in (pipeline.directory / "comment.md").read_text("utf-8")


def test_a_plan_can_t_be_made_to_decrypt(pipeline: Pipeline) -> None:
    vault = "$ANSIBLE_VAULT;1.1;AES256\n" + "33" * 40 + "\n"
    (pipeline.checkout / "acme" / "objects" / "copied.csv").write_text(vault, "utf-8")
    done = pipeline.job("plan")
    assert done.returncode != 0
    assert "objects/copied.csv: can't be read: it is vaulted, and was not decrypted" in done.stdout
    assert writes(pipeline.service) == []


def test_the_main_branch_is_planned_and_that_plan_is_applied(pipeline: Pipeline) -> None:
    planned = pipeline.job("prepare")
    assert planned.returncode == 0, planned.stdout
    assert writes(pipeline.service) == []
    done = pipeline.job("apply")
    assert done.returncode == 0, done.stdout
    assert "objects: 6 created" in done.stdout
    assert (pipeline.journal / "journal.jsonl").is_file()
    assert pipeline.job("drift").returncode == 0
    assert not pipeline.trapped


def test_nothing_is_applied_if_nobody_has_to_approve(service: Emulator, tmp_path: Path) -> None:
    pipeline = GitHub(tmp_path, service)
    (pipeline.commands / "gh").write_text("#!/bin/sh\necho 0\n", "utf-8")
    planned = pipeline.job("prepare")
    assert planned.returncode == 0, planned.stdout
    done = pipeline.job("apply")
    assert done.returncode != 0
    assert "add required reviewers to the environment seventhings" in done.stdout
    assert writes(service) == []


@pytest.mark.sample(0)
def test_another_plan_than_the_prepared_one_is_not_applied(pipeline: Pipeline) -> None:
    planned = pipeline.job("prepare")
    assert planned.returncode == 0, planned.stdout
    (found,) = [*pipeline.temporary.glob("acme.plan"), *pipeline.checkout.glob("out/acme.plan")]
    found.write_text(found.read_text("utf-8") + "\n", "utf-8")
    done = pipeline.job("apply")
    assert done.returncode != 0
    assert "plan_digest: " in done.stdout
    assert writes(pipeline.service) == []


def test_drift_fails_the_job(pipeline: Pipeline) -> None:
    done = pipeline.job("drift")
    assert done.returncode != 0
    assert "Records that differ: " in done.stdout
    assert writes(pipeline.service) == []


@pytest.mark.sample(0)
def test_what_people_changed_becomes_a_branch_of_its_own(pipeline: Pipeline) -> None:
    """Its diff has only the changed line, and nothing is sent to the instance."""
    assert pipeline.job("prepare").returncode == 0
    assert pipeline.job("apply").returncode == 0
    remote = pipeline.directory / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    subprocess.run(["git", "-C", str(remote), "config", "receive.advertisePushOptions", "true"], check=True)
    identity = ["-c", "user.name=a", "-c", "user.email=a@acme.example"]
    for command in (
        ["add", "acme"],
        [*identity, "commit", "--quiet", "-m", "Files"],
        ["remote", "add", "origin", str(remote)],
        ["config", f"url.{remote}.insteadOf", "https://absorb@gitlab.example.com/acme/instance.git"],
    ):
        subprocess.run(["git", *command], cwd=pipeline.checkout, check=True)
    nothing = pipeline.job("absorb")
    assert nothing.returncode == 0, nothing.stdout
    shown = ["git", "-C", str(remote), "log", "--format=%s", "--numstat", "-1", "absorb"]
    assert subprocess.run(shown, capture_output=True, check=False).returncode != 0, "there is nothing to absorb"
    somebody = pipeline.directory / "somebody"
    (somebody / "acme").mkdir(parents=True)
    (somebody / "acme" / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    (somebody / "acme" / "rooms.yml").write_text(_CHANGED_ROOM, "utf-8")
    client = connect({**pipeline.service.options(), "rate_limit": 0})
    applied = run_instance(client, load(somebody / "acme"), RunOptions())
    assert applied.outcome == "changed", applied
    done = pipeline.job("absorb")
    assert done.returncode == 0, done.stdout
    pushed = subprocess.run(shown, capture_output=True, text=True, check=True).stdout.split()
    assert pushed[-3:] == ["1", "1", "acme/rooms.yml"]
    assert not pipeline.trapped


def test_a_journal_that_a_commit_brings_along_is_none(service: Emulator, tmp_path: Path) -> None:
    pipeline = GitLab(tmp_path, service)
    pipeline.journal.mkdir()
    (pipeline.journal / "journal.jsonl").write_text("{}\n", "utf-8")
    subprocess.run(["git", "add", "."], cwd=pipeline.checkout, check=True)
    assert pipeline.job("prepare").returncode != 0
    assert service.log() == []


def test_secrets_of_the_account_that_writes_are_for_one_job_only() -> None:
    text = yaml.safe_load((EXAMPLES / "ci" / GitHub.file).read_text("utf-8"))
    jobs = [name for name, job in text["jobs"].items() if "SEVENTHINGS_APPLY" in yaml.safe_dump(job)]
    assert jobs == ["apply"]
    assert text["jobs"]["apply"]["environment"] == "seventhings"
    assert "secrets." not in yaml.safe_dump([text["env"], text["jobs"]["validate"]])


def test_the_playbook_of_a_controller_applies_what_its_survey_says(service: Emulator, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "acme", tmp_path / "acme")
    book = tmp_path / "provision.yml"
    shutil.copy(EXAMPLES / "awx" / "provision.yml", book)
    journal = tmp_path / "journal"
    answers = ["-e", f"journal={journal}", "-e", "sections=", "-e", "delete_percent=5"]
    planned = playbook.run(tmp_path, book, *answers, "-e", "awx_apply=false", variables=service.variables())
    assert planned.status == 0, planned.output
    assert writes(service) == []
    done = playbook.run(tmp_path, book, *answers, "-e", "awx_apply=true", variables=service.variables())
    assert done.status == 0, done.output
    assert done.named("Apply")["outcome"] == "changed"
    assert (journal / "journal.jsonl").is_file()
