# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a managed set: its memory, even after an incomplete line, and who may write it."""

from __future__ import annotations

import datetime as dt
import fcntl
import json
import re
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from processes import ended, forked, kill, note, until

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.plugin_utils.apply import journal as journals
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import (
    Journal,
    JournalBroken,
    JournalLocked,
    JournalRefused,
    Upload,
    protected_by_others,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal_place import place_of

ID = "0123456789abcdef"


def _journal(directory: Path, instance: str = "https://acme.test", name: str = "set", set_id: str = ID) -> Journal:
    return Journal(directory, instance, name, set_id=set_id)


def _lines(directory: Path) -> list[str]:
    return (directory / "journal.jsonl").read_text("utf-8").splitlines()


def test_a_create_is_unresolved_until_something_says_what_came_of_it(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.sent("object", "A")
        journal.sent("object", "B")
        journal.note_creation("object", "B", "uuid-b")
    again = _journal(tmp_path)
    assert again.unresolved == {"object A"}
    assert again.known == {"uuid-b"}


def test_deleted_records_no_longer_belong_to_the_set(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": "", "two": ""})
        journal.note_removal("object", "A", "one")
        journal.managed("object", {"two": ""})
    assert _journal(tmp_path).known == {"two"}
    assert [json.loads(line)["note"] for line in _lines(tmp_path)] == ["set", "managed", "managed", "gone"]


@pytest.mark.parametrize(("instance", "name"), [("https://other.test", "set"), ("https://acme.test", "other")])
def test_notes_of_other_instances_and_sets_are_left_alone(tmp_path: Path, instance: str, name: str) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
        journal.begun("a run")
    other = _journal(tmp_path, instance, name)
    assert (other.known, other.memory.run) == (set(), "")


def test_a_line_that_was_cut_off_swallows_no_other(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
    path = tmp_path / "journal.jsonl"
    with path.open("a", encoding="utf-8") as stream:
        stream.write('{"instance": "https://acme.te')
    with _journal(tmp_path) as journal:
        journal.managed("object", {"two": ""})
    again = _journal(tmp_path)
    assert (again.known, again.warnings) == ({"one", "two"}, [])


def test_a_last_line_that_misses_nothing_but_its_end_counts(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
    path = tmp_path / "journal.jsonl"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    with _journal(tmp_path) as journal:
        journal.managed("object", {"two": ""})
    again = _journal(tmp_path)
    assert (again.known, again.warnings) == ({"one", "two"}, [])


@pytest.mark.parametrize(
    "line",
    ["\x00\x00", "[]", "5", '"text"', "{}", '{"note": "made"}', "\udcff", pytest.param("[" * 100_000, id="deep")],
)
def test_odd_lines_are_passed_over_and_reported(tmp_path: Path, line: str) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
    with (tmp_path / "journal.jsonl").open("ab") as stream:
        stream.write(line.encode("utf-8", "surrogateescape") + b"\n")
    again = _journal(tmp_path)
    assert again.known == {"one"}
    (warning,) = again.warnings
    assert warning.endswith("journal.jsonl has lines that can't be read and are skipped: 1, the first is line 3.")


def test_uploads_are_known_by_name_and_content(tmp_path: Path) -> None:
    first, second = Upload("a.txt", "1"), Upload("b.txt", "1")
    with _journal(tmp_path) as journal:
        journal.uploading(first)
        journal.uploaded(first, "file-1")
        journal.uploading(second)
    again = _journal(tmp_path)
    assert again.uploads == {first: "file-1", second: ""}
    assert "file-1" in again.files


def test_a_run_is_known_until_all_of_it_was_done(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {"there": ""})
        journal.begun("a run")
        journal.sent("object", "A")
        journal.note_creation("object", "A", "uuid-a")
        journal.sent("object", "B")
    memory = _journal(tmp_path).memory
    assert (memory.run, memory.creations) == ("a run", {"object A", "uuid-a", "object B"})
    with _journal(tmp_path) as journal:
        journal.ended()
    memory = _journal(tmp_path).memory
    assert (memory.run, memory.creations) == ("", set())


def test_a_resumed_run_keeps_the_numbers_that_its_limits_counted_at_first(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.begun("a run", {"objects": 10})
        journal.begun("a run", {"objects": 12})
    assert _journal(tmp_path).memory.existing == {"objects": 10}
    with _journal(tmp_path) as journal:
        journal.begun("another run", {"objects": 15})
    assert _journal(tmp_path).memory.existing == {"objects": 15}


def test_an_upload_without_an_outcome_is_waited_for(tmp_path: Path) -> None:
    upload = Upload("photo.jpg", "00" * 32)
    with Journal(tmp_path, "https://acme.test", "set", set_id=ID, now=lambda: 1000.0) as journal:
        journal.uploading(upload)
    again = Journal(tmp_path, "https://acme.test", "set", set_id=ID, now=lambda: 1010.0)
    assert again.seconds_to_settle([], 30.0) == 20.0
    with _journal(tmp_path) as journal:
        journal.uploaded(upload, "uuid")
    assert _journal(tmp_path).seconds_to_settle([], 30.0) is None


def test_another_set_protects_a_record_until_it_releases_it() -> None:
    other, own = (Journal(None, "https://acme.test", name, set_id=ID) for name in ("other", "own"))
    with other:
        other.protect("uuid", True)
        assert list(protected_by_others(own)) == ["uuid"]
        other.protect("uuid", False)
    assert protected_by_others(own) == {}


def test_only_one_run_owns_the_journal_and_the_next_reads_its_notes(tmp_path: Path) -> None:
    first = _journal(tmp_path)
    second = Journal(tmp_path, "https://acme.test", "set", lambda _seconds: first.__exit__(None, None, None), set_id=ID)
    first.__enter__()
    first.managed("object", {"one": ""})
    with second:
        assert second.known == {"one"}


def test_a_journal_that_stays_locked_is_refused_after_lock_wait(tmp_path: Path) -> None:
    """The wait is reported after 5 seconds, and both messages name the lock owner."""
    slept: list[float] = []
    reported: list[tuple[float, str]] = []
    waiting = Journal(
        tmp_path,
        "https://acme.test",
        "set",
        slept.append,
        lambda: sum(slept),
        lock_wait=90,
        on_wait=lambda words: reported.append((sum(slept), words)),
    )

    def keep() -> None:
        with _journal(tmp_path):
            note(tmp_path / "held", "yes")
            signal.pause()

    process = forked(keep)
    until((tmp_path / "held").exists)
    with pytest.raises(JournalLocked) as caught, waiting as _locked:
        pass
    kill(process)
    ended(process)
    assert sum(slept) == pytest.approx(90)
    owned = f"another run uses {tmp_path / 'journal.jsonl'}"
    moment = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d"
    who = f": process {process}, running since {moment}" if sys.platform == "linux" else ""
    ((after, words),) = reported
    assert after == pytest.approx(5)
    assert re.fullmatch(f"Waiting for the journal: {re.escape(owned)}{who}\\.", words)
    assert re.fullmatch(
        f"journal: {re.escape(owned)} for more than 90 seconds \\(tuning.lock_wait\\){who}; try again when it is done",
        caught.value.message,
    )
    began = re.search(moment, caught.value.message)
    assert began is None or abs(dt.datetime.fromisoformat(began[0]).timestamp() - time.time()) < 60


def test_a_journal_removed_during_a_wait_is_created_again(tmp_path: Path) -> None:
    first = _journal(tmp_path / "kept")

    def remove(_seconds: float) -> None:
        shutil.rmtree(tmp_path / "kept", ignore_errors=True)
        first.__exit__(None, None, None)

    first.__enter__()
    with Journal(tmp_path / "kept", "https://acme.test", "set", remove, set_id=ID) as second:
        second.managed("object", {"one": ""})
        assert second.place.path.read_text("utf-8").count("one") == 1
        with second.place.path.open("rb") as stream, pytest.raises(BlockingIOError):
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert _journal(tmp_path / "kept").known == {"one"}


def test_nothing_is_sent_after_the_journal_was_removed(tmp_path: Path) -> None:
    with _journal(tmp_path / "kept") as journal:
        journal.sent("room", "Lab")
        shutil.rmtree(tmp_path / "kept")
        with pytest.raises(JournalBroken, match=r"journal\.jsonl was removed during the run, so nothing more is sent"):
            journal.sent("room", "Hall")


def test_a_directory_that_can_not_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(InvalidInput, match="can't be written"), _journal(tmp_path / "file"):
        pass


def test_a_link_in_the_place_of_a_journal_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    (tmp_path / "journal.jsonl").symlink_to("mine.txt")
    with pytest.raises(JournalRefused, match=r"^journal: .*is a link"), _journal(tmp_path):
        pass
    assert (tmp_path / "mine.txt").read_text("utf-8") == "mine"


@pytest.mark.parametrize("is_link", [True, False], ids=["link", "no directory"])
def test_a_journal_that_became_something_else_is_not_written(tmp_path: Path, is_link: bool) -> None:
    folder = tmp_path / "journal"
    folder.mkdir()
    with _journal(folder) as journal:
        journal.managed("object", {"one": ""})
    again, lines = _journal(folder), _lines(folder)
    (folder / "journal.jsonl").rename(tmp_path / "kept")
    if is_link:
        (folder / "journal.jsonl").symlink_to(tmp_path / "kept")
    else:
        folder.rmdir()
        folder.write_text("", "utf-8")
    with pytest.raises(JournalRefused, match=r"^journal: .*is a link"), again:
        pass
    assert (tmp_path / "kept").read_text("utf-8").splitlines() == lines


def test_a_journal_that_can_not_be_opened_any_more_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: Any) -> int:
        raise OSError(28, "No space left on device")

    journal = _journal(tmp_path)
    monkeypatch.setattr(Folder, "open_to_append", fail)
    with pytest.raises(InvalidInput, match=r"journal\.jsonl can't be written \(No space left on device\)"), journal:
        pass


def test_a_journal_that_is_too_long_is_refused_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {f"{number}": "" for number in range(100)})
    monkeypatch.setattr(journals, "SIZE_LIMIT", 300)
    with pytest.raises(JournalRefused, match="has more than 300 bytes; delete it"):
        _journal(tmp_path).known.copy()


def test_the_journal_keeps_only_the_notes_that_it_needs(tmp_path: Path) -> None:
    with Journal(tmp_path, "https://acme.test", "set", set_id=ID, now=lambda: 1800000000.0) as journal:
        journal.sent("object", "A")
    _set, line = _lines(tmp_path)
    assert json.loads(line) == {
        "instance": "https://acme.test",
        "set": "set",
        "set_id": ID,
        "note": "sent",
        "kind": "object",
        "key": "A",
        "at": "2027-01-15T08:00:00.000+00:00",
    }
    assert (tmp_path / "journal.jsonl").stat().st_mode & 0o077 == 0


def test_what_a_run_touched_is_known_until_another_run_begins(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.note_creation("object", "A", "before")
        journal.begun("plan-1")
        journal.note_creation("object", "B", "made")
        journal.changing("changed")
        journal.begun("plan-1")
    again = _journal(tmp_path)
    assert (again.memory.run, again.memory.touched) == ("plan-1", {"made", "changed"})
    assert "changed" not in again.known
    with again:
        again.begun("plan-2")
    assert (_journal(tmp_path).memory.run, _journal(tmp_path).memory.touched) == ("plan-2", set())


# ---- where it lies


def test_there_is_one_for_each_instance_and_set_and_nobody_else_can_read_it(state_home: Path) -> None:
    with Journal(None, "https://acme.test", "head office") as journal:
        journal.managed("object", {"one": ""})
    path = state_home / "seventhings" / quote("https://acme.test", safe="") / "head%20office" / "journal.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600
    while path != state_home / "seventhings":
        path = path.parent
        assert path.stat().st_mode & 0o777 == 0o700, path


@pytest.mark.parametrize("name", [".", "..", "_", "../../x", "/etc", "a/b", "\0", "\ud800", "%2E%2E", "ä" * 500, "~"])
def test_the_name_of_a_set_is_one_step_of_the_path_and_another_one_for_each(name: str, state_home: Path) -> None:
    place = place_of(None, "https://acme.test", name)
    above = state_home / "seventhings" / quote("https://acme.test", safe="")
    assert place.path.parent.parent == above
    assert place.path != place_of(None, "https://acme.test", "").path
    assert place.path != place_of(None, "https://acme.test", f"{name}x").path
    with Journal(None, "https://acme.test", name) as journal:
        journal.managed("object", {"one": ""})
        set_id = journal.set_id
    assert place.path.resolve() == place.path
    assert Journal(None, "https://acme.test", name, set_id=set_id).known == {"one"}


def test_the_journal_is_below_home_without_another_state_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for value in ("", "relative/path"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert (
            place_of(None, "i", "s").path == tmp_path / ".local" / "state" / "seventhings" / "i" / "s" / "journal.jsonl"
        )


def test_without_a_home_directory_the_message_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "")
    with pytest.raises(InvalidInput, match=r"no home directory .*; set journal to a directory"):
        Journal(None, "i", "s")


def test_a_user_whom_the_system_does_not_know_is_reported_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(Path, "home", unknown)
    with pytest.raises(InvalidInput, match=r"no home directory .*; set journal to a directory"):
        Journal(None, "i", "s")


def test_where_there_is_no_home_directory_no_other_set_protects_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "")
    with _journal(tmp_path) as journal:
        assert protected_by_others(journal) == {}


@pytest.mark.usefixtures("state_home")
def test_a_journal_of_another_set_that_can_not_be_trusted_stops_a_run(tmp_path: Path) -> None:
    with Journal(None, "https://acme.test", "other") as journal:
        journal.managed("object", {"one": ""})
    path = place_of(None, "https://acme.test", "other").path
    path.chmod(0o666)
    with _journal(tmp_path) as journal, pytest.raises(JournalRefused) as caught:
        protected_by_others(journal)
    assert caught.value.message.startswith(f"journal: {path} can be written by others")


@pytest.mark.usefixtures("state_home")
def test_a_journal_of_another_set_that_is_too_long_stops_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal(None, "https://acme.test", "other") as journal:
        journal.managed("object", {"one": ""})
    path = place_of(None, "https://acme.test", "other").path
    own = _journal(tmp_path)
    monkeypatch.setattr(journals, "SIZE_LIMIT", 10)
    with pytest.raises(JournalRefused) as caught:
        protected_by_others(own)
    assert caught.value.message.startswith(f"journal: {path} has more than 10 bytes")


def test_a_state_directory_that_can_not_be_written_says_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(InvalidInput, match=r"can't be written .*; set journal to a directory"):
        Journal(None, "i", "s")


# ---- whose it is


def test_the_journal_creates_an_id_if_the_files_have_none_and_says_so_once(tmp_path: Path) -> None:
    with Journal(tmp_path, "i", "s", src="acme") as journal:
        set_id = journal.set_id
        journal.managed("object", {"one": ""})
        assert journal.warnings[0].endswith(f'Add this line to it: set_id: "{set_id}"')
    with Journal(tmp_path, "i", "s", src="acme") as again:
        assert (again.set_id, again.known, again.warnings) == (set_id, {"one"}, [])
    assert Journal(tmp_path, "i", "s", set_id=set_id, src="elsewhere").known == {"one"}


def test_the_id_that_is_created_is_the_same_for_each_instance_of_a_fleet(tmp_path: Path) -> None:
    set_ids = set()
    for instance in ("https://berlin.test", "https://bonn.test"):
        with Journal(tmp_path / instance[8:12], instance, "s", src="acme") as journal:
            set_ids.add(journal.set_id)
    assert len(set_ids) == 1


def test_another_id_is_refused_and_the_message_reports_both(tmp_path: Path) -> None:
    with Journal(tmp_path, "i", "s", set_id="mine"):
        pass
    with pytest.raises(
        JournalRefused, match=r"^set_id: \"theirs\" is not that of the journal .* write set_id: \"mine\"\.$"
    ):
        Journal(tmp_path, "i", "s", set_id="theirs")


def test_two_directories_of_one_name_without_an_id_know_nothing_of_each_other(tmp_path: Path) -> None:
    with Journal(tmp_path, "i", "s", src="first") as first:
        first.managed("object", {"one": ""})
    with Journal(tmp_path, "i", "s", src="second") as second:
        second.managed("object", {"two": ""})
    assert first.set_id != second.set_id
    assert Journal(tmp_path, "i", "s", src="first").known == {"one"}
    assert Journal(tmp_path, "i", "s", src="second").known == {"two"}


def test_without_a_set_the_journal_has_no_id(tmp_path: Path) -> None:
    with Journal(tmp_path, "i", "", set_id="mine") as journal:
        journal.sent("object", "A")
    again = Journal(tmp_path, "i", "", set_id="theirs")
    assert (again.set_id, again.unresolved, again.warnings) == ("", {"object A"}, [])
