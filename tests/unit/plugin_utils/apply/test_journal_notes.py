# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The notes of a journal: the format of each, their sum, and faults of the disk."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.plugin_utils.apply import journal as journals
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import (
    Journal,
    JournalBroken,
    JournalLocked,
    JournalRefused,
    Memory,
    Upload,
    new_set_id,
    protected_by_others,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import INLINE, SourceCount

ID = "0123456789abcdef"


def _journal(directory: Path, name: str = "set") -> Journal:
    return Journal(directory, "https://acme.test", name, set_id=ID)


def _lines(directory: Path) -> list[str]:
    return (directory / "journal.jsonl").read_text("utf-8").splitlines()


# ---- every note


def _at(directory: Path, now: float = 1800000000.0) -> Journal:
    return Journal(directory, "https://acme.test", "set", set_id=ID, src="/files", now=lambda: now)


AT = "2027-01-15T08:00:00.000+00:00"
PHOTO = Upload("photo.jpg", "00" * 32)


def test_each_note_is_a_line_that_later_versions_read(tmp_path: Path) -> None:
    """The members and their names are a format: earlier and later versions use the same file."""
    with _at(tmp_path) as journal:
        journal.begun("run", {"objects": 3})
        journal.begun("run")
        journal.ended()
        journal.sent("room", "Lab")
        journal.not_created("room", "Lab")
        journal.note_creation("room", "Lab", "uuid-1")
        journal.changing("uuid-1")
        journal.note_removal("room", "Lab", "uuid-1")
        journal.archived("object", "1", "uuid-2")
        journal.refused("object", "2")
        journal.managed("object", {"uuid-3": "", "uuid-4": "4"})
        journal.protect("uuid-4", True)
        journal.protect("uuid-4", False)
        journal.applied({("a.yml", "objects"): SourceCount(5, 4)})
        journal.came_from({"uuid-3": "a.yml", "uuid-4": "a.yml"})
        journal.uploading(PHOTO)
        journal.not_uploaded(PHOTO)
        journal.uploaded(PHOTO, "file-1")
    notes = [json.loads(line) for line in _lines(tmp_path)]
    name = {"instance": "https://acme.test", "set": "set", "set_id": ID}
    assert all(name.items() <= note.items() for note in notes)
    upload = {"name": "photo.jpg", "sha256": "00" * 32}
    assert [{key: value for key, value in note.items() if key not in name} for note in notes] == [
        {"note": "set", "src": "/files"},
        {"note": "begun", "run": "run", "existing": '{"objects": 3}'},
        {"note": "begun", "run": "run", "existing": "{}"},
        {"note": "ended"},
        {"note": "sent", "kind": "room", "key": "Lab", "at": AT},
        {"note": "not_made", "kind": "room", "key": "Lab"},
        {"note": "made", "kind": "room", "key": "Lab", "uuid": "uuid-1"},
        {"note": "changing", "uuid": "uuid-1"},
        {"note": "gone", "kind": "room", "key": "Lab", "uuid": "uuid-1"},
        {"note": "archived", "kind": "object", "key": "1", "uuid": "uuid-2"},
        {"note": "refused", "kind": "object", "key": "2"},
        {"note": "managed", "uuid": "uuid-3"},
        {"note": "managed", "uuid": "uuid-4", "kind": "object", "key": "4"},
        {"note": "protected", "uuid": "uuid-4"},
        {"note": "released", "uuid": "uuid-4"},
        {"note": "source", "path": "a.yml", "section": "objects", "records": "4"},
        {"note": "origin", "path": "a.yml", "uuids": "uuid-3 uuid-4"},
        {"note": "uploading", **upload, "at": AT},
        {"note": "not_uploaded", **upload},
        {"note": "uploaded", **upload, "uuid": "file-1"},
    ]


def _memory(directory: Path, *notes: dict[str, str]) -> Memory:
    """Write notes like an earlier run. Return the memory that a later run has."""
    name = {"instance": "https://acme.test", "set": "set", "set_id": ID}
    path = directory / "journal.jsonl"
    path.write_text("".join(json.dumps({**name, **note}) + "\n" for note in notes), "utf-8")
    path.chmod(0o600)
    journal = _journal(directory)
    assert journal.warnings == []
    return journal.memory


OF_LAB = {"kind": "room", "key": "Lab"}
NOTED = {"note": "begun", "run": "run", "existing": '{"objects": 3}'}
SENT = {"note": "sent", **OF_LAB, "at": AT}
MADE = {"note": "made", **OF_LAB, "uuid": "uuid-1"}
UPLOADED = {"name": "photo.jpg", "sha256": "00" * 32}
STARTED = {"note": "uploading", **UPLOADED, "at": AT}
NOW = 1800000000.0


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        ([], Memory()),
        ([NOTED], Memory(run="run", existing={"objects": 3})),
        ([{"note": "begun", "run": "run"}], Memory(run="run")),
        ([NOTED, {"note": "begun", "run": "run", "existing": "{}"}], Memory(run="run", existing={"objects": 3})),
        ([NOTED, {"note": "begun", "run": "other"}], Memory(run="other")),
        ([NOTED, {"note": "begun", "run": ""}, NOTED], Memory(run="run", existing={"objects": 3})),
        ([{"note": "begun", "run": "", "existing": '{"rooms": 1}'}], Memory(existing={"rooms": 1})),
        ([SENT], Memory(unresolved={"room Lab": NOW}, creations={"room Lab"}, touched={"room Lab"})),
        ([SENT, {"note": "not_made", **OF_LAB}], Memory(creations={"room Lab"}, touched={"room Lab"})),
        ([{"note": "not_made", **OF_LAB}], Memory()),
        (
            [SENT, {"note": "refused", **OF_LAB}],
            Memory(creations={"room Lab"}, touched={"room Lab"}, refused={"room Lab"}),
        ),
        ([{"note": "refused", **OF_LAB}], Memory(refused={"room Lab"})),
        (
            [{"note": "refused", **OF_LAB}, MADE],
            Memory(
                known={"uuid-1"},
                created={"uuid-1"},
                names={"uuid-1": "room Lab"},
                creations={"uuid-1"},
                touched={"uuid-1"},
            ),
        ),
        (
            [NOTED, SENT, MADE, {"note": "ended"}],
            Memory(
                known={"uuid-1"},
                created={"uuid-1"},
                names={"uuid-1": "room Lab"},
                existing={"objects": 3},
            ),
        ),
        ([NOTED, {"note": "changing", "uuid": "x"}], Memory(run="run", existing={"objects": 3}, touched={"x"})),
        (
            [MADE, {"note": "begun", "run": "run"}, {"note": "archived", "kind": "room", "key": "N", "uuid": "uuid-1"}],
            Memory(run="run", names={"uuid-1": "room N"}),
        ),
        ([{"note": "archived", **OF_LAB, "uuid": "x"}], Memory(names={"x": "room Lab"})),
        (
            [
                *({"note": "origin", "path": "a.yml", "uuids": "uuid-1 x"}, MADE, {"note": "begun", "run": "run"}),
                *(SENT, {"note": "gone", **OF_LAB, "uuid": "uuid-1"}),
            ],
            Memory(run="run", creations={"room Lab"}, touched={"room Lab"}, origins={"x": "a.yml"}),
        ),
        ([{"note": "gone", **OF_LAB, "uuid": "x"}], Memory()),
        ([{"note": "managed", "uuid": "x"}], Memory(known={"x"})),
        (
            [{"note": "refused", **OF_LAB}, {"note": "managed", **OF_LAB, "uuid": "x"}],
            Memory(known={"x"}, names={"x": "room Lab"}),
        ),
        ([{"note": "protected", "uuid": "x"}], Memory(protected={"x"})),
        ([{"note": "protected", "uuid": "x"}, {"note": "released", "uuid": "x"}], Memory()),
        ([{"note": "released", "uuid": "x"}], Memory()),
        (
            [{"note": "source", "path": "a", "section": "rooms", "records": "2"}],
            Memory(sources={("a", "rooms"): 2}),
        ),
        (
            [{"note": "source", "path": "a", "section": "rooms", "records": number} for number in ("1", "0")],
            Memory(),
        ),
        ([STARTED], Memory(uploads={PHOTO: ""}, uploading={PHOTO: NOW})),
        ([STARTED, {"note": "not_uploaded", **UPLOADED}], Memory()),
        ([{"note": "not_uploaded", **UPLOADED}], Memory()),
        ([STARTED, {"note": "uploaded", **UPLOADED, "uuid": "f"}], Memory(uploads={PHOTO: "f"}, files={"f"})),
        ([{"note": "uploaded", **UPLOADED, "uuid": "f"}], Memory(uploads={PHOTO: "f"}, files={"f"})),
    ],
)
def test_notes_are_summed_up(tmp_path: Path, notes: list[dict[str, str]], expected: Memory) -> None:
    assert _memory(tmp_path, *notes) == expected


@pytest.mark.parametrize("at", ["", "yesterday", "0001-01-01T00:00:00"])
def test_an_unknown_time_counts_as_the_newest(tmp_path: Path, at: str) -> None:
    assert _memory(tmp_path, {**SENT, "at": at}).unresolved == {"room Lab": math.inf}
    assert _memory(tmp_path, {key: value for key, value in SENT.items() if key != "at"}).unresolved == {
        "room Lab": math.inf
    }


@pytest.mark.parametrize(
    "note",
    [
        {"note": "begun"},
        {"note": "begun", "run": "r", "existing": "[]"},
        {"note": "begun", "run": "r", "existing": '{"objects": true}'},
        {"note": "begun", "run": "r", "existing": '{"objects": "3"}'},
        {"note": "source", "path": "a", "section": "rooms", "records": "many"},
        {"note": "unheard of"},
        {"note": "set"},
    ],
)
def test_notes_that_are_none_are_reported(tmp_path: Path, note: dict[str, str]) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
    with (tmp_path / "journal.jsonl").open("a", encoding="utf-8") as stream:
        name = {"instance": "https://acme.test", "set": "set", "set_id": ID}
        stream.write(json.dumps({**name, **note}) + "\n")
    assert len(_journal(tmp_path).warnings) == 1


# ---- in the memory of the process that writes


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
        assert journal.files == {"file-1"}
        journal.protect("three", True)
        assert journal.memory.protected == {"three"}
        journal.protect("three", False)
        assert journal.memory.protected == set()


def test_what_is_noted_already_is_not_noted_again(tmp_path: Path) -> None:
    source = {("a.yml", "rooms"): SourceCount(1, 1)}
    for _time in range(2):
        with _journal(tmp_path) as journal:
            journal.managed("room", {"one": "Lab", "two": ""})
            journal.protect("one", True)
            journal.protect("", True)
            journal.protect("two", False)
            journal.applied(source)
            journal.came_from({"one": "a.yml"})
            journal.managed("object", {})
        assert [json.loads(line)["note"] for line in _lines(tmp_path)] == [
            *("set", "managed", "managed", "protected", "source", "origin")
        ]


def test_a_record_with_another_key_is_noted_again(tmp_path: Path) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("room", {"one": "Lab", "two": ""})
        journal.managed("room", {"one": "Hall", "two": ""})
        journal.managed("object", {"one": "", "two": ""})
    assert len(_lines(tmp_path)) == 4
    assert _journal(tmp_path).memory.names == {"one": "room Hall"}


def test_sources_and_origins_are_noted_when_they_change(tmp_path: Path) -> None:
    first, inline = ("a.yml", "rooms"), (INLINE, "rooms")
    with _journal(tmp_path) as journal:
        journal.applied({first: SourceCount(3, 2), inline: SourceCount(1, 1), ("b", "rooms"): SourceCount(4, 0)})
        assert journal.memory.sources == {first: 2, inline: 1}
        journal.applied({})
        assert journal.memory.sources == {inline: 1}
        journal.applied({first: SourceCount(3, 2)})
        journal.applied({first: SourceCount(3, 1)})
        journal.came_from({"one": "a.yml", "two": "a.yml"})
        journal.came_from({"one": "b.yml", "two": "a.yml"})
        assert journal.memory.origins == {"one": "b.yml", "two": "a.yml"}
    again = _journal(tmp_path).memory
    assert (again.sources, again.origins) == ({first: 1, inline: 1}, {"one": "b.yml", "two": "a.yml"})
    assert [json.loads(line).get("records") for line in _lines(tmp_path)[1:6]] == ["2", "1", "0", "2", "1"]


def test_files_without_a_set_note_no_sources(tmp_path: Path) -> None:
    with _journal(tmp_path, name="") as journal:
        journal.applied({("a.yml", "rooms"): SourceCount(1, 1)})
        journal.managed("object", {"one": ""})
    assert [json.loads(line)["note"] for line in _lines(tmp_path)] == ["managed"]


def test_a_line_has_at_most_1000_uuids(tmp_path: Path) -> None:
    uuids = [f"{number:04d}" for number in range(2001)]
    with _journal(tmp_path) as journal:
        journal.came_from(dict.fromkeys(uuids, "a.yml"))
    lines = [json.loads(line)["uuids"].split() for line in _lines(tmp_path)[1:]]
    assert [len(line) for line in lines] == [1000, 1000, 1]
    assert list(_journal(tmp_path).memory.origins) == uuids


# ---- creations of this set


def test_created_has_the_last_note_of_each_creation(tmp_path: Path) -> None:
    other = {"note": "made", "kind": "room", "key": "Other", "uuid": "x"}
    _memory(
        tmp_path,
        *({**other, "set": "another"}, {**other, "set_id": "another"}, {**other, "instance": "https://other.test"}),
        *(SENT, {**SENT, "key": "Hall"}, {**SENT, "key": "Gone"}),
        *({"note": "not_made", "kind": "room", "key": "Gone"}, {"note": "not_made", "kind": "room", "key": "None"}),
        *(
            MADE,
            {"note": "managed", "kind": "room", "key": "sent", "uuid": "made"},
        ),
    )
    assert _journal(tmp_path).created == {"room Lab": "uuid-1", "room Hall": ""}
    assert _journal(tmp_path / "none").created == {}


def test_created_passes_over_lines_that_are_no_notes(tmp_path: Path) -> None:
    _memory(tmp_path, MADE)
    with (tmp_path / "journal.jsonl").open("a", encoding="utf-8") as stream:
        keyless = {"instance": "https://acme.test", "set": "set", "set_id": ID, "note": "made", "uuid": "x"}
        stream.write('"made"\n' + json.dumps(keyless) + "\n")
    assert _journal(tmp_path).created == {"room Lab": "uuid-1"}


# ---- requests that may still take effect


def test_the_newest_pending_request_decides_how_long_to_wait(tmp_path: Path) -> None:
    for at, key in ((1000.0, "A"), (1010.0, "B"), (1020.0, "C")):
        with _at(tmp_path, at) as journal:
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
    assert again.unresolved == {"room A", "room B", "room C"}


def test_a_settled_upload_is_waited_for_no_more(tmp_path: Path) -> None:
    with _at(tmp_path) as journal:
        journal.uploading(PHOTO)
    again = _at(tmp_path)
    assert again.seconds_to_settle([], 30.0) == 30.0
    again.settled()
    assert again.seconds_to_settle([], 30.0) is None
    assert again.uploads == {PHOTO: ""}


# ---- writing


def test_a_line_that_a_full_disk_cut_off_is_removed_before_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        write(descriptor, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            with pytest.raises(JournalBroken) as caught:
                journal.managed("object", {"two": ""})
        path = tmp_path / "journal.jsonl"
        assert caught.value.message == f"journal: {path} can't be written (No space left on device)"
        assert isinstance(caught.value.__cause__, OSError)
        journal.managed("object", {"three": ""})
        journal.managed("object", {"four": ""})
    again = _journal(tmp_path)
    assert (again.known, again.warnings) == ({"one", "three", "four"}, [])


def test_a_completed_line_counts_for_the_next_mending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
    path = tmp_path / "journal.jsonl"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    write = os.write
    left = [1, 5]

    def full(descriptor: int, data: bytes) -> int:
        if not left:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[: left.pop(0)])

    with _journal(tmp_path) as journal:
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", full)
            with pytest.raises(JournalBroken):
                journal.managed("object", {"two": ""})
        journal.managed("object", {"three": ""})
    again = _journal(tmp_path)
    assert (again.known, again.warnings) == ({"one", "three"}, [])


def test_a_sound_journal_is_never_shortened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(os, "ftruncate", fail)
    for uuid in ("one", "two"):
        with _journal(tmp_path) as journal:
            journal.managed("object", {uuid: ""})
            journal.changing(uuid)
    assert _journal(tmp_path).known == {"one", "two"}


def test_an_unchanged_journal_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _memory(tmp_path, MADE, MADE)
    parsed = _parsed(monkeypatch)
    journal = _journal(tmp_path)
    assert len(parsed) == 2
    with journal:
        assert len(parsed) == 2


def test_lines_about_something_else_are_not_parsed(state_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("other", "own"):
        with Journal(None, "https://acme.test", name, set_id=ID, src="/files") as journal:
            journal.managed("object", {"one": "", "two": ""})
            journal.protect("one", True)
    assert state_home.exists()
    own = Journal(None, "https://acme.test", "own", src="/files")
    parsed = _parsed(monkeypatch)
    protected_by_others(own)
    assert len(parsed) == 2
    Journal(None, "https://acme.test", "own", src="/files")
    # The lines are read for the id, and then for the notes.
    assert [b'"set", "src"' in line for line in parsed[2:]] == [True, True, False, False, False]


def _parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return a list that collects the lines that are parsed from now on."""
    parsed: list[bytes] = []
    note_of = journals._note_of

    def noted(line: bytes) -> dict[str, str] | None:
        parsed.append(line)
        return note_of(line)

    monkeypatch.setattr(journals, "_note_of", noted)
    return parsed


def test_a_journal_that_became_a_link_to_itself_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with _journal(tmp_path) as journal:
        path.rename(tmp_path / "kept")
        path.symlink_to("kept")
        with pytest.raises(JournalBroken):
            journal.managed("object", {"one": ""})


def test_the_rest_of_a_line_is_written_after_a_partial_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:7]))
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
    assert _journal(tmp_path).known == {"one"}
    assert all(json.loads(line)["set"] == "set" for line in _lines(tmp_path))


def test_a_journal_is_full_at_its_maximum_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
        size = path.stat().st_size
        length = len(path.read_bytes().splitlines(keepends=True)[-1])
        monkeypatch.setattr(journals, "SIZE_LIMIT", size + length)
        journal.managed("object", {"two": ""})
        with pytest.raises(JournalBroken) as caught:
            journal.managed("object", {"six": ""})
        assert caught.value.message == (
            f"journal: {path} has more than {size + length} bytes; delete it (then prune removes nothing that "
            f"was created before)"
        )
    assert _journal(tmp_path).known == {"one", "two"}
    monkeypatch.setattr(journals, "SIZE_LIMIT", size + length - 1)
    with pytest.raises(JournalRefused) as refused:
        _journal(tmp_path)
    assert refused.value.message.startswith(f"journal: {path} has more than {size + length - 1} bytes; ")


def test_a_journal_that_grows_while_it_is_read_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may append to it after its size was checked."""
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
    size = (tmp_path / "journal.jsonl").stat().st_size
    monkeypatch.setattr(journals, "_require_trusted", lambda _path, _found: None)
    monkeypatch.setattr(journals, "SIZE_LIMIT", size)
    assert _journal(tmp_path).known == {"one"}
    monkeypatch.setattr(journals, "SIZE_LIMIT", size - 1)
    with pytest.raises(JournalRefused) as caught:
        _journal(tmp_path)
    assert caught.value.message.startswith(f"journal: {tmp_path / 'journal.jsonl'} has more than {size - 1} bytes; ")


# ---- what is not a journal


def test_an_unended_line_is_reported_only_if_no_run_began_it(tmp_path: Path) -> None:
    _memory(tmp_path, MADE)
    path = tmp_path / "journal.jsonl"
    content = path.read_bytes()
    path.write_bytes(content + b'{"instance": "https')
    assert (_journal(tmp_path).warnings, _journal(tmp_path).known) == ([], {"uuid-1"})
    path.write_bytes(content + b"mine")
    assert _journal(tmp_path).warnings == [
        f"journal: {path} has lines that can't be read and are skipped: 1, the first is line 2."
    ]
    with _journal(tmp_path) as journal:
        journal.managed("object", {"one": ""})
    assert _journal(tmp_path).known == {"uuid-1", "one"}
    assert path.read_bytes().startswith(content)


def test_the_unreadable_lines_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text("none\n" * 3, "utf-8")
    path.chmod(0o600)
    monkeypatch.setattr(journals, "_MOST_UNREADABLE", 3)
    (warning,) = _journal(tmp_path).warnings
    assert warning.endswith("skipped: 3, the first is line 1.")
    monkeypatch.setattr(journals, "_MOST_UNREADABLE", 2)
    with pytest.raises(JournalRefused) as caught:
        _journal(tmp_path)
    assert caught.value.message == (
        f"journal: {path} is not a journal of this version: more than 2 of its lines can't be read. Use the version of "
        "the collection that wrote it, or delete it (then prune removes nothing that was created before)"
    )


def test_a_line_has_a_maximum_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _memory(tmp_path, MADE)
    length = (tmp_path / "journal.jsonl").stat().st_size
    monkeypatch.setattr(journals, "_LINE_LIMIT", length)
    assert _journal(tmp_path).warnings == []
    monkeypatch.setattr(journals, "_LINE_LIMIT", length - 1)
    assert len(_journal(tmp_path).warnings) == 1


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_journal_that_others_can_write_is_refused(tmp_path: Path, mode: int) -> None:
    _memory(tmp_path, MADE)
    path = tmp_path / "journal.jsonl"
    path.chmod(mode)
    with pytest.raises(JournalRefused) as caught:
        _journal(tmp_path)
    assert caught.value.message == (
        f"journal: {path} can be written by others, so anybody may have written it; delete it, or check it and "
        f"run chmod 600"
    )


def test_a_journal_with_two_names_is_refused(tmp_path: Path) -> None:
    _memory(tmp_path, MADE)
    path = tmp_path / "journal.jsonl"
    (tmp_path / "second").hardlink_to(path)
    with pytest.raises(JournalRefused) as caught:
        _journal(tmp_path)
    assert caught.value.message == f"journal: {path} is linked to a file of another name; expected one of its own"


@pytest.mark.parametrize("method", ["opened", "open_to_append"])
def test_what_the_disk_refuses_is_reported_with_the_way_out(
    state_home: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def fail(*_given: Any) -> Any:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Folder, method, fail)
    with pytest.raises(InvalidInput) as caught, Journal(None, "i", "s"):
        pass
    path = state_home / "seventhings" / "i" / "s" / "journal.jsonl"
    assert caught.value.message == (
        f"journal: {path} can't be written (Input/output error); set journal to a directory that can be written"
    )
    assert isinstance(caught.value.__cause__, OSError)


def test_a_lock_that_the_system_does_not_have_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: Any) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", fail)
    journal = _journal(tmp_path)
    with pytest.raises(InvalidInput) as caught, journal as _locked:
        pass
    assert caught.value.message == f"journal: {tmp_path / 'journal.jsonl'} can't be written (No locks available)"
    assert journal._descriptor is None


# ---- ids


def test_the_id_of_files_is_their_last_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    name = {"instance": "https://acme.test", "set": "set", "note": "set"}
    notes = [
        {**name, "src": "/files", "set_id": "first"},
        {**name, "src": "/files", "set_id": "second"},
        {**name, "src": "/files"},
        {**name, "src": "/other", "set_id": "third"},
        {**name, "src": "/files", "set_id": "fourth", "set": "another"},
        {**name, "src": "/files", "set_id": "fifth", "note": "managed", "uuid": "x"},
        {**name, "src": "/files", "set_id": "sixth", "instance": "https://other.test"},
        {**name, "note": "managed", "uuid": "mine", "set_id": "second"},
        {**name, "note": "managed", "uuid": "theirs", "set_id": "first"},
    ]
    path.write_text("".join(json.dumps(note) + "\n" for note in notes), "utf-8")
    path.chmod(0o600)
    journal = Journal(tmp_path, "https://acme.test", "set", src="/files")
    assert (journal.set_id, journal.known) == ("second", {"mine"})
    assert Journal(tmp_path, "https://acme.test", "set", src="/new").set_id == ""
    foreign = {**name, "note": "managed", "uuid": "forged", "set_id": ""}
    path.write_text(path.read_text("utf-8") + json.dumps(foreign) + "\n", "utf-8")
    assert Journal(tmp_path, "https://acme.test", "set", src="/new").known == set()
    assert Journal(tmp_path, "https://acme.test", "set", src="/new", set_id="third").set_id == "third"


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


def test_files_that_are_known_take_no_id_of_others(tmp_path: Path) -> None:
    for src, set_id in (("/files", "mine"), ("/other", "theirs")):
        path = tmp_path / "journal.jsonl"
        note = {"instance": "i", "set": "s", "set_id": set_id, "note": "set", "src": src}
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(note) + "\n")
        path.chmod(0o600)
    with pytest.raises(JournalRefused, match='which is "mine"'):
        Journal(tmp_path, "i", "s", set_id="theirs", src="/files")


def test_a_journal_that_does_not_exist_yet_has_the_id_of_the_files(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "none", "i", "s", set_id="mine")
    assert (journal.set_id, journal.memory) == ("mine", Memory())
    with journal:
        pass
    assert json.loads((tmp_path / "none" / "journal.jsonl").read_text("utf-8"))["src"] == ""


def test_a_locked_journal_is_refused_also_if_the_system_does_not_name_the_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "lock_owner_of", lambda _descriptor: None)
    waiting = Journal(tmp_path, "https://acme.test", "set", set_id=ID, lock_wait=0)
    with _journal(tmp_path), pytest.raises(JournalLocked) as caught:
        waiting.__enter__()
    assert caught.value.message == (
        f"journal: another run uses {tmp_path / 'journal.jsonl'} for more than 0 seconds (tuning.lock_wait); try "
        f"again when it is done"
    )


def test_the_words_about_a_missing_id(tmp_path: Path) -> None:
    with Journal(tmp_path, "i", "s", src="/files") as journal:
        (words,) = journal.warnings
        assert words == (
            "instance.yml has no set_id, by which the journal recognises the records of this set. Add this line to "
            f'it: set_id: "{journal.set_id}"'
        )
        set_id = hashlib.sha256(b"s\0/files").hexdigest()[:16]
        assert journal.set_id == set_id


def test_an_id_is_random() -> None:
    assert len({new_set_id() for _time in range(10)}) == 10
    assert re.fullmatch("[0-9a-f]{16}", new_set_id())


# ---- protected by others


def test_what_another_set_protects_is_reported_with_its_journal(state_home: Path) -> None:
    root = state_home / "seventhings" / "i"
    for name, uuids in (("other", ["one", "two"]), ("", ["three"]), ("own", ["mine"])):
        with Journal(None, "i", name, set_id=ID) as journal:
            for uuid in uuids:
                journal.protect(uuid, True)
    with Journal(None, "j", "other", set_id=ID) as elsewhere:
        elsewhere.protect("four", True)
    with (root / "other" / "journal.jsonl").open("a", encoding="utf-8") as stream:
        foreign = {"instance": "j", "set": "other", "set_id": ID, "note": "protected", "uuid": "five"}
        odd = {"instance": "i", "set": "other", "set_id": ID, "note": "managed", "uuid": '"protected"'}
        short = {"instance": "i", "set": "other", "note": "protected", "uuid": "six"}
        stream.writelines(json.dumps(note) + "\n" for note in (foreign, odd, short))
        stream.write('"protected"\n')
    own = Journal(None, "i", "own", set_id=ID)
    other = f'the set "other" (journal {root / "other" / "journal.jsonl"})'
    assert protected_by_others(own) == {
        "one": other,
        "two": other,
        "three": f"files without a set (journal {root / '_' / 'journal.jsonl'})",
    }


def test_the_own_journal_protects_for_other_ids(state_home: Path, tmp_path: Path) -> None:
    with Journal(None, "i", "own", set_id="second") as journal:
        journal.protect("one", True)
    path = state_home / "seventhings" / "i" / "own" / "journal.jsonl"
    note = {"instance": "i", "set": "own", "set_id": "first", "note": "protected", "uuid": "two"}
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(note) + "\n")
    own = Journal(None, "i", "own", set_id="second")
    assert protected_by_others(own) == {"two": f'the set "own" (journal {path})'}
    elsewhere = Journal(tmp_path, "i", "own", set_id="second")
    assert set(protected_by_others(elsewhere)) == {"one", "two"}


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
            protected_by_others(own)
    assert caught.value.message == f"journal: /state: Permission denied{ending}"
    assert isinstance(caught.value.__cause__, OSError)
    path = state_home / "seventhings" / "i" / "other" / "journal.jsonl"
    path.rename(path.with_name("kept"))
    path.symlink_to("kept")
    with pytest.raises(JournalRefused) as caught:
        protected_by_others(own)
    assert caught.value.message.startswith("journal: ")
    assert "is a link" in caught.value.message
    assert caught.value.message.endswith(ending)
