# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The README and the guides are correct: their marked snippets run, and print the shown output."""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

import guides
import playbook
import pytest
from emulator_process import Emulator
from trust import IS_TEXT_A_TEMPLATE

_TASK_FAILED = 2
_PLAY = "- hosts: localhost\n  gather_facts: false\n  tasks:\n"


def play(directory: Path, service: Emulator, snippet: guides.Snippet, options: list[str]) -> playbook.Run:
    """Run a playbook, or tasks in one."""
    text = snippet.text
    if not re.search(r"^ +hosts:", text, re.MULTILINE):
        text = _PLAY + textwrap.indent(text, "    ")
    book = directory / "playbook.yml"
    book.write_text(text, encoding="utf-8")
    # The guides show results as printed with the settings of a checkout or of the repository template.
    variables = {**service.variables(), "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml"}
    return playbook.run(directory, book, *options, variables=variables)


def graph(directory: Path, service: Emulator, snippet: guides.Snippet, name: str) -> playbook.Run:
    """Read an inventory file of this name."""
    (directory / name).write_text(snippet.text, encoding="utf-8")
    command = [str(Path(sys.executable).with_name("ansible-inventory")), "-i", name, "--graph"]
    return playbook.finish(command, directory, service.variables())


def _plain(text: str) -> str:
    """Return a text without spaces, line ends, and the quotes that YAML doubles."""
    return "".join(text.split()).replace("''", "'")


def missing_lines(shown: str, printed: str) -> list[str]:
    """Return the lines that were not printed in this order, wrapped or not."""
    if " ".join(shown.split()) in " ".join(printed.split()):
        return []
    wanted = [line.rstrip() for line in shown.splitlines() if line.strip() not in ("", "...")]
    if IS_TEXT_A_TEMPLATE:
        # Before 2.19, long texts are wrapped and their quotes doubled.
        return [line for line in wanted if _plain(line) not in _plain(printed)]
    rest = iter(line.rstrip() for line in printed.splitlines())
    return [line for line in wanted if line not in rest]


def check(directory: Path, service: Emulator, snippet: guides.Snippet, last: list[str]) -> list[str]:
    """Do what the mark of a snippet says. Return the output of the last runs, for ``shows``."""
    verb, _separator, rest = snippet.mark.partition(" ")
    if verb == "shows":
        printed = last[1 if rest == "again" else 0]
        missing = missing_lines(snippet.text, printed)
        assert not missing, f"{snippet}: not printed: {missing}\n{printed}"
        return last
    if verb == "file":
        (directory / rest).parent.mkdir(parents=True, exist_ok=True)
        (directory / rest).write_text(snippet.text, encoding="utf-8")
        return last
    if verb == "run":
        runs = [play(directory, service, snippet, rest.split()) for _time in range(1 if rest else 2)]
    elif verb == "fails":
        runs = [play(directory, service, snippet, [])]
    elif verb == "inventory":
        runs = [graph(directory, service, snippet, rest)]
    else:
        return last
    for run in runs:
        assert run.status == (_TASK_FAILED if verb == "fails" else 0), f"{snippet}\n{run.output}"
    for again in runs[1:]:
        assert "changed=0" in again.output, f"{snippet}\n{again.output}"
    return [run.output for run in runs]


@pytest.mark.sample(1)
@pytest.mark.parametrize("guide", guides.GUIDES, ids=lambda guide: guide.stem)
def test_a_guide_runs_and_shows_what_it_shows(guide: Path, emulator: Emulator, tmp_path: Path) -> None:
    emulator.reset()
    last: list[str] = []
    for snippet in guides.snippets(guide):
        last = check(tmp_path, emulator, snippet, last)


def test_the_getting_started_guide_runs_every_playbook() -> None:
    (guide,) = (guide for guide in guides.GUIDES if guide.stem == "guide_getting_started")
    unmarked = [str(snippet) for snippet in guides.snippets(guide) if snippet.language == "yaml" and not snippet.mark]
    assert unmarked == []
