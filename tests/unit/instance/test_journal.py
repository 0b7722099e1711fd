# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a managed set: what it remembers, also where a line was cut off, and who may write it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.journal import Journal, JournalHeld, Upload


def _journal(directory: Path, instance: str = "https://acme.test", name: str = "set") -> Journal:
    return Journal(directory, instance, name)


def _lines(directory: Path) -> list[str]:
    return (directory / "journal.jsonl").read_text("utf-8").splitlines()


def test_a_create_is_unresolved_until_something_says_what_came_of_it(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.sent("object", "A")
        journal.sent("object", "B")
        journal.made("object", "B", "uuid-b")
    again = _journal(tmp_path)
    assert again.unresolved == {"object A"}
    assert again.known == {"uuid-b"}


def test_what_is_gone_belongs_to_the_set_no_more(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.managed(["one", "two"])
        journal.gone("object", "A", "one")
        journal.managed(["two"])
    assert _journal(tmp_path).known == {"two"}
    assert len(_lines(tmp_path)) == 3


@pytest.mark.parametrize(("instance", "name"), [("https://other.test", "set"), ("https://acme.test", "other")])
def test_notes_of_other_instances_and_sets_are_left_alone(tmp_path: Path, instance: str, name: str) -> None:
    with _journal(tmp_path) as journal:
        journal.managed(["one"])
        journal.begun(["write objects A"])
    other = _journal(tmp_path, instance, name)
    assert (other.known, other.approved) == (set(), frozenset())


def test_a_line_that_was_cut_off_swallows_no_other(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.managed(["one"])
    path = tmp_path / "journal.jsonl"
    with path.open("a", encoding="utf-8") as stream:
        stream.write('{"instance": "https://acme.te')
    with _journal(tmp_path) as journal:
        journal.managed(["two"])
    assert _journal(tmp_path).known == {"one", "two"}


@pytest.mark.parametrize(
    "line",
    ["\x00\x00", "[]", "5", '"text"', "{}", '{"note": "made"}', "\udcff", pytest.param("[" * 100_000, id="deep")],
)
def test_odd_lines_are_passed_over(tmp_path: Path, line: str) -> None:
    with _journal(tmp_path) as journal:
        journal.managed(["one"])
    with (tmp_path / "journal.jsonl").open("ab") as stream:
        stream.write(line.encode("utf-8", "surrogateescape") + b"\n")
    assert _journal(tmp_path).known == {"one"}


def test_uploads_are_known_by_name_and_content(tmp_path: Path) -> None:
    first, second = Upload("a.txt", "1"), Upload("b.txt", "1")
    with _journal(tmp_path) as journal:
        journal.uploading(first)
        journal.uploaded(first, "file-1")
        journal.uploading(second)
    again = _journal(tmp_path)
    assert again.uploads == {first: "file-1", second: ""}
    assert "file-1" in again.files


def test_what_was_approved_stays_so_until_all_of_it_was_done(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.begun(["write objects A", "remove rooms B"])
    assert _journal(tmp_path).approved == {"write objects A", "remove rooms B"}
    with _journal(tmp_path) as journal:
        journal.ended()
    assert _journal(tmp_path).approved == frozenset()


def test_one_at_a_time_and_the_second_knows_what_the_first_noted(tmp_path: Path) -> None:
    first, second = (
        _journal(tmp_path),
        Journal(tmp_path, "https://acme.test", "set", lambda _seconds: first.__exit__(None, None, None)),
    )
    first.__enter__()
    first.managed(["one"])
    with second:
        assert second.known == {"one"}


def test_a_journal_that_nobody_lets_go_of_is_refused_after_a_minute(tmp_path: Path) -> None:
    slept: list[float] = []
    waiting = Journal(tmp_path, "https://acme.test", "set", slept.append, lambda: sum(slept))
    with (
        _journal(tmp_path),
        pytest.raises(JournalHeld, match=r"another run holds .* for more than 60 seconds"),
        waiting,
    ):
        pass
    assert sum(slept) == 60


def test_a_directory_that_can_not_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InvalidInput, match="can't be written"), _journal(tmp_path / "file"):
        pass


def test_it_holds_no_more_than_it_needs(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.sent("object", "A")
    (line,) = _lines(tmp_path)
    assert json.loads(line) == {
        "instance": "https://acme.test",
        "set": "set",
        "note": "sent",
        "kind": "object",
        "key": "A",
    }
    assert (tmp_path / "journal.jsonl").stat().st_mode & 0o077 == 0


def test_what_a_run_of_a_plan_file_touched_is_known_until_another_run_begins(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.made("object", "A", "before")
        journal.begun([], "plan-1")
        journal.made("object", "B", "made")
        journal.changing("changed")
        journal.begun([], "plan-1")
    again = _journal(tmp_path)
    assert (again.plan, again.touched) == ("plan-1", {"made", "changed"})
    assert "changed" not in again.known
    with again:
        again.begun([])
    assert (_journal(tmp_path).plan, _journal(tmp_path).touched) == ("", set())
