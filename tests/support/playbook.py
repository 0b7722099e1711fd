# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run real playbooks in processes of their own, and read the result of each task."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import forked
import yaml
from project import ROOT

_ABOUT_DATA = (
    r"Non UTF-8 encoded data",
    r"Module \S+\s+returned\s+non\s+UTF-8",
    r"Conditional result at approximate location [^\[]+?\swas\s+of\s+type\s+'dict'",
)
_DEPRECATION = re.compile(rf"\[DEPRECATION WARNING\]: (?!{'|'.join(_ABOUT_DATA)})")
"""A deprecation warning of Ansible, except those of 2.16 about data.

These are lone surrogates, and a text of the service that looks like a dictionary and is used as a condition.
"""
_SECONDS = 240


@dataclass(frozen=True)
class Result:
    """The result of one task.

    It has the name, the outcome ``ok``, ``failed``, ``ignored``, ``skipped`` or ``item``, and the returned values.
    """

    name: str
    outcome: str
    data: dict[str, Any]

    @property
    def failed(self) -> bool:
        return self.outcome in ("failed", "ignored")

    def __getitem__(self, key: str) -> Any:
        return self.data[key]


@dataclass(frozen=True)
class Run:
    """A finished process: its exit status, its output, and the results of its tasks in order."""

    status: int
    output: str
    results: list[Result]

    def named(self, name: str) -> Result:
        """Return the only result of a task."""
        (found,) = (result for result in self.results if result.name == name and result.outcome != "item")
        return found


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for Ansible commands: with this collection, and without the user's own settings."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("ANSIBLE_", "SEVENTHINGS_")) or key == "SEVENTHINGS_RUNTIME_DIR"
    }
    return {
        **kept,
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".build" / "link"),
        "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "ANSIBLE_NOCOLOR": "true",
        # As for users who installed the collection. The settings of a checkout differ.
        "ANSIBLE_CALLBACK_RESULT_FORMAT": "json",
        "ANSIBLE_RETRY_FILES_ENABLED": "false",
        "ANSIBLE_CALLBACK_PLUGINS": str(ROOT / "tests" / "integration" / "callback_plugins"),
        "ANSIBLE_CALLBACKS_ENABLED": "record_results",
        "PYTHONDONTWRITEBYTECODE": "1",
        **(extra or {}),
    }


def run(directory: Path, plays: Any, *options: str, variables: Mapping[str, str] | None = None) -> Run:
    """Run plays with ``ansible-playbook``.

    :param directory: where the playbook and the results are written; also the working directory.
    :param plays: a list of plays, or the path of a playbook.
    :param options: further arguments, such as ``--check``.
    :param variables: further environment variables, such as the connection.
    :raises AssertionError: if they used a deprecated feature of Ansible.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if isinstance(plays, Path):
        book = plays
    else:
        book = directory / "playbook.yml"
        book.write_text(yaml.safe_dump(plays, sort_keys=False, allow_unicode=True), encoding="utf-8")
    noted = directory / "results.jsonl"
    noted.unlink(missing_ok=True)
    more = {"RECORD_RESULTS_FILE": str(noted), **(variables or {})}
    command = [str(Path(sys.executable).with_name("ansible-playbook")), str(book), *options]
    return finish(command, directory, more, noted)


def finish(command: Sequence[str], directory: Path, variables: Mapping[str, str], noted: Path | None = None) -> Run:
    """Run one command of Ansible to its end.

    :raises AssertionError: if it used a deprecated feature of Ansible.
    """
    # One side of an async job looks for it below HOME, the other below the home directory in the password file.
    more = environment({"ANSIBLE_ASYNC_DIR": str(directory / "async"), **variables})
    done = forked.run(command, directory, more, _SECONDS)
    assert not _DEPRECATION.search(done.stdout), done.stdout
    lines = noted.read_text(encoding="utf-8").splitlines() if noted is not None and noted.exists() else []
    entries = [json.loads(line) for line in lines]
    results = [Result(entry["name"], entry["outcome"], entry["result"]) for entry in entries]
    return Run(done.returncode, done.stdout, results)
