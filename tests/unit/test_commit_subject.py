# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The hook for commit messages refuses subjects that are too long."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from project import ROOT


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Reject lists of unknown shape\n", ""),
        ("Reject lists of unknown shape\n\nA list without a total may be cut.\n# comment\n", ""),
        (f"{'x' * 72}\n", ""),
        (f"{'x' * 73}\n", "the subject has 73 characters; expected at most 72"),
        ("Client: reject lists\n", "the subject has a colon"),
        ("Reject lists.\n", "the subject ends with a full stop"),
        ("Reject lists\nof unknown shape\n", "the second line is not empty"),
        ("\n# comment\n", "the subject is empty"),
        (f"Merge branch {'x' * 80}\n", ""),
    ],
)
def test_a_subject_is_judged(tmp_path: Path, message: str, words: str) -> None:
    path = tmp_path / "message"
    path.write_text(message, "utf-8")
    command = [sys.executable, "hooks/commit_subject.py", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == bool(words)
    assert words in done.stdout


def test_pre_commit_runs_the_hook_on_messages_alone() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    hooks = {hook["id"]: hook for repository in config["repos"] for hook in repository["hooks"]}
    assert hooks["commit-subject"]["stages"] == ["commit-msg"]
    assert config["default_install_hook_types"] == ["pre-commit", "commit-msg"]
    assert config["default_stages"] == ["pre-commit"]
