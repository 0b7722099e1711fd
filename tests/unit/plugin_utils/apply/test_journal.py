# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a managed set: its memory, even after an incomplete line, and who may write it."""

from __future__ import annotations

import errno
import fcntl
import itertools
import json
import math
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from processes import ended, forked, kill, note, until

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime import facts
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import (
    UNKNOWN_MOMENT,
    Creations,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import (
    Journal,
    JournalBroken,
    JournalRefused,
    others_of,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal_place import place_of
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.memory import Memory, Upload
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import (
    INLINE,
    DesiredInstance,
    SourceCount,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.baseline import Baseline

from ...module_utils.support import Clock, FakeTransport, client_on

ID = "0123456789abcdef"
PHOTO = Upload("photo.jpg", "00" * 32)


def _journal(directory: Path, instance: str = "https://acme.test", name: str = "set", set_id: str = ID) -> Journal:
    return Journal(directory, instance, name, set_id=set_id)


def _facts(directory: Path) -> list[Any]:
    """Return all facts in the order in which they were noted."""
    lines = (directory / "journal.jsonl").read_text("utf-8").splitlines()
    return [fact for line in lines for fact in json.loads(line)[1:]]


def test_a_create_is_unresolved_until_something_says_what_came_of_it(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.sent("object", "A")
        journal.sent("object", "B")
        journal.note_creation("object", "B", "uuid-b")
    again = _journal(tmp_path)
    assert again.memory.unresolved.keys() == {"object A"}
    assert again.known == {"uuid-b"}


def test_deleted_records_no_longer_belong_to_the_set(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": "", "two": ""})
        journal.note_removal("object", "A", "one")
        journal.managed("object", {"two": ""})
    assert _journal(tmp_path).known == {"two"}


@pytest.mark.parametrize(("instance", "name"), [("https://other.test", "set"), ("https://acme.test", "other")])
def test_notes_of_other_instances_and_sets_are_left_alone(tmp_path: Path, instance: str, name: str) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
        journal.begun("a run")
    other = _journal(tmp_path, instance, name)
    assert (other.known, other.memory.run) == (set(), "")


def test_uploads_are_known_by_name_and_content(tmp_path: Path) -> None:
    first, second = Upload("a.txt", "1"), Upload("b c.txt", "1")
    with _journal(tmp_path) as journal:
        journal.uploading(first)
        journal.uploaded(first, "file-1")
        journal.uploading(second)
    again = _journal(tmp_path)
    assert again.memory.uploads == {first: "file-1", second: ""}
    assert "file-1" in again.memory.files


@pytest.mark.parametrize(
    ("noted", "moment"),
    [(5, 5.0), (0.5, 0.5), *((odd, UNKNOWN_MOMENT) for odd in (True, math.inf, -math.inf, math.nan, ["x"], {"a": 1}))],
)
def test_a_moment_that_is_no_number_is_unknown(noted: Any, moment: float) -> None:
    assert Memory({"sent": {"object A": noted, "object B": "uuid"}}).unresolved == {"object A": moment}


def test_what_was_applied_is_known_but_for_what_a_run_was_changing() -> None:
    key = bytes(range(16))
    marks: dict[str, dict[str, Any]] = {
        "key": {"": key.hex()},
        "fields": {"one": "digest", "two": "digest", "three": 5},
        "highest": {"object": 7, "room": "7"},
    }
    found = Memory(marks).baseline()
    assert (found.key, found.records, found.highest) == (key, {"one": "digest", "two": "digest"}, {"object": 7})
    found = Memory({**marks, "changing": {"two": "a run"}}).baseline()
    assert found.records == {"one": "digest", "two": ""}


@pytest.mark.parametrize("written", [None, 5, "zz", "00" * 15, "00" * 17])
def test_without_a_key_nothing_is_known_to_be_applied(written: Any) -> None:
    marks: dict[str, dict[str, Any]] = {"key": {"": written}, "fields": {"one": "digest"}, "highest": {"object": 7}}
    first, second = (Memory(marks).baseline() for _time in range(2))
    assert (len(first.key), first.records, first.highest) == (16, {}, {})
    assert first.key != second.key


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
        assert list(others_of(own).protected) == ["uuid"]
        other.protect("uuid", False)
    assert others_of(own).protected == {}


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
    with pytest.raises(JournalRefused) as caught, waiting as _locked:
        pass
    kill(process)
    ended(process)
    assert sum(slept) == pytest.approx(90)
    ((after, words),) = reported
    assert after == pytest.approx(5)
    owned = f"another run uses {tmp_path / 'journal.jsonl'}"
    assert words == f"Waiting for the journal: {owned}."
    assert caught.value.message == (
        f"journal: {owned} for more than 90 seconds (tuning.lock_wait); try again when it is done"
    )


@pytest.mark.parametrize("is_given", [True, False])
def test_the_journal_of_files_is_waited_for_like_other_locks(tmp_path: Path, clock: Clock, is_given: bool) -> None:
    """A run gives its own sleep. Without one, the transport has it."""

    def never(_seconds: float) -> None:
        raise AssertionError

    reported: list[str] = []
    client = client_on(FakeTransport())
    client.creations = Creations(lock_wait=90, on_problem=reported.append)
    client.transport.sleep = never if is_given else clock.sleep
    files = DesiredInstance(origin="/files")
    journal = Journal.for_files(client, tmp_path, files, clock.sleep if is_given else None, clock)
    assert journal.owner == "https://acme.test  %2Ffiles"
    with Journal(tmp_path, "https://acme.test", ""), pytest.raises(JournalRefused), journal:
        pass
    assert (clock.now, len(reported)) == (1090, 1)


def test_a_journal_removed_during_a_wait_is_created_again(tmp_path: Path) -> None:
    first = _journal(tmp_path / "kept")

    def remove(_seconds: float) -> None:
        shutil.rmtree(tmp_path / "kept", ignore_errors=True)
        first.__exit__(None, None, None)

    first.__enter__()
    with Journal(tmp_path / "kept", "https://acme.test", "set", remove, set_id=ID) as second:
        second.managed("object", {"one": ""})
        assert second.place.path.read_text("utf-8").count('"managed","one"') == 1
        with second.place.path.open("rb") as stream, pytest.raises(BlockingIOError):
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert _journal(tmp_path / "kept").known == {"one"}


def test_nothing_is_sent_after_the_journal_was_removed(tmp_path: Path) -> None:
    with _journal(tmp_path / "kept") as journal:
        journal.sent("room", "Lab")
        shutil.rmtree(tmp_path / "kept")
        with pytest.raises(JournalBroken, match=r"journal\.jsonl was removed during the run, so nothing more is sent"):
            journal.sent("room", "Hall")


def test_a_link_in_the_place_of_a_journal_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    (tmp_path / "journal.jsonl").symlink_to("mine.txt")
    with pytest.raises(JournalRefused, match=r"^journal: .*is a link"), _journal(tmp_path):
        pass
    assert (tmp_path / "mine.txt").read_text("utf-8") == "mine"


def test_a_directory_that_is_created_in_its_place_is_refused(tmp_path: Path) -> None:
    journal = _journal(tmp_path)
    (tmp_path / "journal.jsonl").mkdir()
    with pytest.raises(JournalRefused, match=r"^journal: .*journal\.jsonl is not a regular file$"), journal as _locked:
        pass


def test_a_journal_that_can_not_grow_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_given: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with _journal(tmp_path) as journal:
        with monkeypatch.context() as patched:
            patched.setattr("os.pwrite", full)
            with pytest.raises(JournalBroken, match=r"journal\.jsonl can't be written \(No space left on device\)$"):
                journal.sent("room", "Lab")
        monkeypatch.setattr(facts, "SIZE_LIMIT", 100)
        with pytest.raises(JournalBroken, match=r"journal\.jsonl has its maximum size; delete it \(then prune removes"):
            journal.sent("room", "Lab")


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), InvalidInput("is a link")])
def test_a_long_journal_is_shortened_after_a_run_without_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """If that fails, the journal is as good as before."""
    path = tmp_path / "journal.jsonl"

    def fail(_log: facts.FactLog) -> None:
        raise error

    def break_off() -> None:
        with _journal(tmp_path) as journal:
            for is_protected in (True, False, True, False, True):
                journal.protect("one", is_protected)
            raise KeyError

    monkeypatch.setattr(facts, "_SHORT", 5)
    with pytest.raises(KeyError):
        break_off()
    with monkeypatch.context() as patched:
        patched.setattr(facts.FactLog, "shorten", fail)
        with _journal(tmp_path):
            pass
    assert len(_facts(tmp_path)) == 6
    with _journal(tmp_path):
        pass
    assert len(_facts(tmp_path)) == 2
    before = path.stat().st_ino
    with _journal(tmp_path) as again:
        assert again.memory.protected == {"one"}
    assert path.stat().st_ino == before


def test_a_journal_that_is_too_long_is_refused_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {f"{number}": "" for number in range(100)})
    monkeypatch.setattr(facts, "SIZE_LIMIT", 300)
    with pytest.raises(JournalRefused, match="has more than 300 bytes; delete it"):
        _journal(tmp_path)


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
        assert others_of(journal).protected == {}


@pytest.mark.usefixtures("state_home")
def test_a_journal_of_another_set_that_can_not_be_trusted_stops_a_run(tmp_path: Path) -> None:
    with Journal(None, "https://acme.test", "other") as journal:
        journal.managed("object", {"one": ""})
    path = place_of(None, "https://acme.test", "other").path
    path.chmod(0o666)
    with _journal(tmp_path) as journal, pytest.raises(JournalRefused) as caught:
        others_of(journal)
    assert caught.value.message.startswith(f"journal: {path} can be written by others")


def test_a_state_directory_that_can_not_be_written_says_what_to_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with pytest.raises(InvalidInput, match=r"can't be written .*; set journal to a directory"):
        Journal(None, "i", "s")


# ---- whose it is


def test_the_journal_creates_an_id_if_the_files_have_none_and_says_so_until_an_apply_ends(tmp_path: Path) -> None:
    for is_first in (True, False):
        with Journal(tmp_path, "i", "s", src="acme") as journal:
            set_id = journal.set_id
            assert journal.warnings[0].endswith(f'Add this line to it: set_id: "{set_id}"')
            if is_first:
                journal.managed("object", {"one": ""})
            else:
                journal.applied({("objects.yml", "objects"): SourceCount(1, 1)})
    with Journal(tmp_path, "i", "s", src="acme") as again:
        assert (again.set_id, again.known, again.warnings) == (set_id, {"one"}, [])
    assert Journal(tmp_path, "i", "s", set_id=set_id, src="elsewhere").known == {"one"}


def test_the_id_that_is_created_is_the_same_for_each_instance_of_a_fleet(tmp_path: Path) -> None:
    set_ids = set()
    for instance in ("https://berlin.test", "https://bonn.test"):
        with Journal(tmp_path / instance[8:12], instance, "s", src="/acme") as journal:
            set_ids.add(journal.set_id)
    assert set_ids == {"c156c217909a0474"}


def test_two_directories_of_one_name_without_an_id_know_nothing_of_each_other(tmp_path: Path) -> None:
    with Journal(tmp_path, "i", "s", src="first") as first:
        first.managed("object", {"one": ""})
    with Journal(tmp_path, "i", "s", src="second") as second:
        second.managed("object", {"two": ""})
    assert first.set_id != second.set_id
    with pytest.raises(JournalRefused, match=f'write set_id: "{first.set_id}"'):
        Journal(tmp_path, "i", "s", src="first", set_id=second.set_id)
    assert Journal(tmp_path, "i", "s", src="first").known == {"one"}
    assert Journal(tmp_path, "i", "s", src="second").known == {"two"}


def test_without_a_set_the_journal_has_no_id(tmp_path: Path) -> None:
    with Journal(tmp_path, "i", "", set_id="mine") as journal:
        journal.sent("object", "A")
    assert journal.owner == "i  "
    again = Journal(tmp_path, "i", "", set_id="theirs")
    assert (again.set_id, list(again.memory.unresolved), again.warnings) == ("", ["object A"], [])


# ---- what is noted


def test_the_writer_knows_what_it_noted(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.note_creation("room", "Lab", "one")
        journal.managed("room", {"two": "Hall", "three": ""})
        assert journal.known == {"one", "two", "three"}
        assert journal.memory.names == {"one": "room Lab", "two": "room Hall"}
        journal.note_removal("room", "Lab", "one")
        journal.archived("room", "Hall", "two")
        journal.note_removal("room", "Other", "four")
        journal.archived("room", "Other", "four")
        assert journal.known == {"three"}
        journal.uploaded(PHOTO, "file-1")
        assert journal.memory.files == {"file-1"}
        journal.protect("three", True)
        assert journal.memory.protected == {"three"}
        journal.protect("three", False)
        assert journal.memory.protected == set()


NOTED: dict[str, dict[str, Any]] = {
    "run": {"": {"digest": "a run", "existing": {}}},
    "sent": {"room Lab": 1000.0},
    "begun": {"room Lab": "a run"},
    "changing": {"one": "a run"},
    "upload": {PHOTO.mark: 1000.0},
    "source": {"rooms a.yml": 3},
    "key": {"": "00" * 16},
    "highest": {"room": 7},
    "archived": {"one": "room Lab", "stored": "room Store"},
    "fields": dict.fromkeys(("one", "same", "seen", "gone", "stored"), "digest"),
    **{kind: {"one": "room Lab"} for kind in ("managed", "created", "unarchived", "origin")},
}
"""A journal with facts of each kind."""
BASELINE = Baseline(
    bytes(16), highest={"room": 7, "person": 8}, noted={"one": "new", "two": "digest", "same": "digest"}
)


@pytest.mark.parametrize(
    ("step", "noted"),
    [
        (lambda journal: journal.begun("a run", {"rooms": 3}), []),
        (
            lambda journal: journal.begun("next", {"rooms": 3}),
            [
                *(["fields", "one", None], ["begun", "room Lab", None], ["changing", "one", None]),
                ["run", "", {"digest": "next", "existing": {"rooms": 3}}],
            ],
        ),
        (
            Journal.ended,
            [["run", "", None], ["fields", "one", None], ["begun", "room Lab", None], ["changing", "one", None]],
        ),
        (
            lambda journal: journal.sent("room", "Hall"),
            [["sent", "room Hall", 1010.0], ["begun", "room Hall", "a run"]],
        ),
        (lambda journal: journal.not_created("room", "Lab"), [["sent", "room Lab", None]]),
        (lambda journal: journal.not_created("room", "Hall"), []),
        (
            lambda journal: journal.note_creation("room", "Lab", "two"),
            [
                *(["managed", "two", "room Lab"], ["created", "two", "room Lab"], ["begun", "two", "a run"]),
                ["sent", "room Lab", None],
            ],
        ),
        (lambda journal: journal.changing("two"), [["changing", "two", "a run"]]),
        (
            lambda journal: journal.note_removal("room", "Lab", "one"),
            [
                *([kind, "one", None] for kind in ("managed", "created", "archived", "unarchived", "origin", "fields")),
                ["sent", "room Lab", None],
            ],
        ),
        (
            lambda journal: journal.archived("room", "Hall", "one"),
            [["archived", "one", "room Hall"], ["managed", "one", None], ["unarchived", "one", None]],
        ),
        (lambda journal: journal.unarchiving("two"), [["unarchived", "two", True]]),
        (
            lambda journal: journal.managed("room", {"one": "Hall", "two": "Lab", "three": ""}),
            [
                *(["managed", "one", "room Hall"], ["archived", "one", None]),
                *(["managed", "two", "room Lab"], ["adopted", "two", 1010.0]),
                *(["managed", "three", ""], ["adopted", "three", 1010.0]),
            ],
        ),
        (lambda journal: journal.managed("room", {"one": ""}), []),
        (lambda journal: journal.protect("one", True), [["protected", "one", True]]),
        (
            lambda journal: journal.applied({("b.yml", "rooms"): SourceCount(2, 1), ("c.yml", "rooms"): SourceCount()}),
            [["source", "rooms a.yml", None], ["source", "rooms b.yml", 1]],
        ),
        (lambda journal: journal.came_from({"one": "a.yml:1"}, 2), [["origin", "one", "a.yml:1"]]),
        (
            lambda journal: journal.note_values(BASELINE),
            [
                *(["fields", "one", "new"], ["fields", "two", "digest"]),
                *(["highest", "person", 8], ["changing", "one", None]),
            ],
        ),
        (
            lambda journal: journal.note_values(Baseline(b"", noted={"two": "digest"}), ["one", "same", "seen"]),
            [["fields", "two", "digest"], ["fields", "gone", None]],
        ),
        (lambda journal: journal.uploading(PHOTO), [["upload", PHOTO.mark, 1010.0]]),
        (lambda journal: journal.not_uploaded(PHOTO), [["upload", PHOTO.mark, None]]),
        (lambda journal: journal.not_uploaded(Upload("b.jpg", "1")), []),
        (lambda journal: journal.uploaded(PHOTO, "file"), [["upload", PHOTO.mark, "file"], ["file", "file", True]]),
    ],
)
def test_a_step_of_a_run_notes_these_facts(
    tmp_path: Path, step: Callable[[Journal], None], noted: list[list[Any]]
) -> None:
    with _journal(tmp_path) as journal:
        line = [journal.owner, *([kind, *fact] for kind, facts in NOTED.items() for fact in facts.items())]
    with (tmp_path / "journal.jsonl").open("a") as stream:
        stream.write(json.dumps(line) + "\n")
    before = len(_facts(tmp_path))
    again = Journal(tmp_path, "https://acme.test", "set", set_id=ID, now=lambda: 1010.0)
    step(again)
    with again:
        step(again)
    step(again)
    assert _facts(tmp_path)[before:] == noted


def test_a_run_without_facts_leaves_an_empty_memory(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.ended()
        assert journal.memory.marks == {}


@pytest.mark.parametrize(
    ("name", "src", "noted"),
    [
        ("s", "/files", [["source", "rooms a.yml", 1], ["key", "", "00" * 16], ["fields", "one", "digest"]]),
        ("", "/files", [["key", "", "00" * 16], ["fields", "one", "digest"]]),
        ("", "", []),
    ],
)
def test_what_was_applied_is_noted_for_files_of_a_set_or_of_one_directory(
    tmp_path: Path, name: str, src: str, noted: list[list[Any]]
) -> None:
    with Journal(tmp_path, "i", name, src=src) as journal:
        journal.applied({("a.yml", "rooms"): SourceCount(1, 1)})
        journal.note_values(Baseline(bytes(16), noted={"one": "digest"}))
    assert [fact for fact in _facts(tmp_path) if fact[0] != "set"] == noted


def test_what_is_noted_already_is_not_noted_again(tmp_path: Path) -> None:
    source = {("a.yml", "rooms"): SourceCount(1, 1)}
    for _time in range(2):
        with _journal(tmp_path) as journal:
            journal.managed("room", {"one": "Lab", "two": ""})
            journal.protect("one", True)
            journal.protect("", True)
            journal.protect("two", False)
            journal.applied(source)
            journal.came_from({"one": "a.yml"}, 2)
            journal.managed("object", {})
        assert [kind for kind, _mark, _value in _facts(tmp_path)] == [
            *("set", "managed", "adopted", "managed", "adopted", "protected", "source", "origin")
        ]


def test_sources_and_origins_are_noted_when_they_change(tmp_path: Path) -> None:
    first, inline = ("a.yml", "rooms"), (INLINE, "rooms")
    with _journal(tmp_path) as journal:
        journal.applied({first: SourceCount(3, 2), inline: SourceCount(1, 1), ("b", "rooms"): SourceCount(4, 0)})
        assert journal.memory.sources == {first: 2, inline: 1}
        journal.applied({})
        assert journal.memory.sources == {inline: 1}
        journal.applied({first: SourceCount(3, 2)})
        journal.applied({first: SourceCount(3, 1)})
        journal.came_from({"one": "a.yml", "two": "a.yml"}, 2)
        journal.came_from({"one": "b.yml", "two": "a.yml"}, 2)
        assert journal.memory.origins == {"one": "b.yml", "two": "a.yml"}
    again = _journal(tmp_path).memory
    assert (again.sources, again.origins) == ({first: 1, inline: 1}, {"one": "b.yml", "two": "a.yml"})


def test_some_records_of_each_file_are_noted_and_those_that_were_before(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.came_from({"d": "a.yml", "c": "a.yml", "b": "a.yml", "a": "b.yml"}, 2)
        assert journal.memory.origins == {"b": "a.yml", "c": "a.yml", "a": "b.yml"}
        journal.came_from(dict.fromkeys("abcd", "b.yml"), 1)
        assert journal.memory.origins == dict.fromkeys("abc", "b.yml")


def test_the_newest_pending_request_decides_how_long_to_wait(tmp_path: Path) -> None:
    for at, key in ((1000.0, "A"), (1010.0, "B"), (1020.0, "C")):
        with Journal(tmp_path, "https://acme.test", "set", set_id=ID, now=itertools.repeat(at).__next__) as journal:
            journal.sent("room", key)
    now = 1025.0
    again = Journal(tmp_path, "https://acme.test", "set", set_id=ID, now=lambda: now)
    assert again.seconds_to_settle([("room", "A"), ("room", "B"), ("person", "C")], 30.0) == 15.0
    assert again.seconds_to_settle([("room", "D")], 30.0) is None
    assert again.seconds_to_settle([("room", "A")], 20.0) is None
    now = 1035.0
    assert again.seconds_to_settle([("room", "A"), ("room", "B")], 30.0) == 5.0
    now = 1090.0
    assert again.seconds_to_settle([("room", "B")], 30.0) == 0.0
    again.settled()
    assert again.seconds_to_settle([("room", "B")], 30.0) is None
    assert again.memory.unresolved.keys() == {"room A", "room B", "room C"}


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_journal_that_others_can_write_is_refused(tmp_path: Path, mode: int) -> None:
    with _journal(tmp_path) as journal:
        journal.sent("room", "Lab")
    path = tmp_path / "journal.jsonl"
    path.chmod(mode)
    with pytest.raises(JournalRefused) as caught:
        _journal(tmp_path)
    assert caught.value.message.startswith(f"journal: {path} can be written by others (mode {mode:04o}); delete it")


def test_a_journal_with_two_names_is_refused(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.sent("room", "Lab")
    path = tmp_path / "journal.jsonl"
    (tmp_path / "second").hardlink_to(path)
    with pytest.raises(JournalRefused) as caught:
        _journal(tmp_path)
    assert f"{path} is linked to a file of another name; expected one of its own" in caught.value.message


def test_a_lock_that_the_system_does_not_have_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", fail)
    journal = _journal(tmp_path)
    with pytest.raises(InvalidInput) as caught, journal as _locked:
        pass
    assert caught.value.message == f"journal: {tmp_path / 'journal.jsonl'} can't be written (No locks available)"


def test_the_refusal_of_another_id_says_what_to_write(tmp_path: Path) -> None:
    with Journal(tmp_path, "i", "s", set_id="mine", src="/files"):
        pass
    with pytest.raises(JournalRefused) as caught:
        Journal(tmp_path, "i", "s", set_id="theirs", src="/elsewhere")
    assert caught.value.message == (
        f'set_id: "theirs" is not that of the journal of the set "s" ({tmp_path / "journal.jsonl"}), which is "mine". '
        f"Two directories of one name would prune each other: give this one another set. If these are the same files "
        f'as before, write set_id: "mine".'
    )


def test_what_another_set_protects_is_reported_with_its_journal(state_home: Path) -> None:
    root = state_home / "seventhings" / "i"
    for name, uuids in (("other", ["one", "two"]), ("", ["three"]), ("own", ["mine"])):
        with Journal(None, "i", name, set_id=ID) as journal:
            for uuid in uuids:
                journal.protect(uuid, True)
    with Journal(None, "j", "other", set_id=ID) as elsewhere:
        elsewhere.protect("four", True)
    with (root / "other" / "journal.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('["j other 1", ["protected", "five", true]]\n["i", ["managed", "protected", true]]\n"protected"\n')
        stream.write('["i od%ED%A0%80 one two", ["protected", "six", true]]\n')
    own = Journal(None, "i", "own", set_id=ID)
    other = f'the set "other" (journal {root / "other" / "journal.jsonl"})'
    assert others_of(own).protected == {
        "one": other,
        "two": other,
        "three": f"files without a set (journal {root / '_' / 'journal.jsonl'})",
        "six": other.replace("other", "od\\ud800", 1),
    }


def test_the_own_journal_protects_for_other_ids(state_home: Path, tmp_path: Path) -> None:
    with Journal(None, "i", "own", set_id="second") as journal:
        journal.protect("one", True)
    path = state_home / "seventhings" / "i" / "own" / "journal.jsonl"
    with path.open("a", encoding="utf-8") as stream:
        stream.write('["i own first", ["protected", "two", true]]\n')
    own = Journal(None, "i", "own", set_id="second")
    assert others_of(own).protected == {"two": f'the set "own" (journal {path})'}
    elsewhere = Journal(tmp_path, "i", "own", set_id="second")
    assert set(others_of(elsewhere).protected) == {"one", "two"}


def test_journals_that_can_not_be_read_stop_a_run(state_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal(None, "i", "other", set_id=ID) as journal:
        journal.protect("one", True)
    own = Journal(None, "i", "own", set_id=ID)
    ending = "; records that it protects can't be distinguished from others"

    def fail(*_given: Any) -> Any:
        raise OSError(errno.EACCES, "Permission denied", "/state")

    with monkeypatch.context() as patched:
        patched.setattr(Folder, "listed", fail)
        with pytest.raises(JournalRefused) as caught:
            others_of(own)
    assert caught.value.message == f"journal: /state: Permission denied{ending}"
    assert isinstance(caught.value.__cause__, OSError)
    path = state_home / "seventhings" / "i" / "other" / "journal.jsonl"
    path.rename(path.with_name("kept"))
    path.symlink_to("kept")
    with pytest.raises(JournalRefused) as caught:
        others_of(own)
    assert caught.value.message.startswith("journal: ")
    assert "is a link" in caught.value.message
    assert caught.value.message.endswith(ending)
