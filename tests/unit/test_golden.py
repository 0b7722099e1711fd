# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of earlier versions are read, or refused with the reason and a remedy."""

from __future__ import annotations

import fcntl
import gzip
import json
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import golden
import jsonschema
import pytest
from embedded_here import NOW, ROOT_URL, Embedded
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import Creations, LockTimeout
from ansible_collections.community.seventhings.plugins.module_utils.runtime.store import Store
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import TokenStore
from ansible_collections.community.seventhings.plugins.module_utils.runtime.unpaged import UnpagedLists
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import Journal, JournalRefused
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.export.manifest import Manifest
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.approval_file import ApprovalFile
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.record_file import read_record
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.undo import Undo
from ansible_collections.community.seventhings.plugins.plugin_utils.watch.cursor import CursorFile, State

pytestmark = pytest.mark.slow

VERSIONS = sorted(path.name for path in golden.GOLDEN.iterdir())


@pytest.fixture(params=VERSIONS)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a copy of the files of a version, with their permissions."""
    copy = tmp_path / "kept"
    shutil.copytree(golden.GOLDEN / request.param, copy)
    for path in (copy, *copy.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return copy


@pytest.fixture
def embedded() -> Embedded:
    return Embedded.started(data="empty")


def names(embedded: Embedded) -> dict[str, str]:
    return {record["name"]: record["fields"]["inventory_name"] for record in embedded.dump()["objects"]}


def other_plan(path: Path, version: int) -> None:
    """Change the version of a file of JSON."""
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "version": version}), "utf-8")


def other_approval(path: Path, version: int) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "approval": version}), "utf-8")


def other_record(path: Path, version: int) -> None:
    document = json.loads(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(json.dumps({**document, "version": version}).encode()))


def other_settings(path: Path, version: int) -> None:
    path.write_text(path.read_text("utf-8").replace("seventhings/v1", f"seventhings/v{version}"), "utf-8")


def read_cursor(path: Path) -> State | None:
    with closing(CursorFile(str(path), ROOT_URL, "inventory")) as file:
        return file.read()


def load_settings(path: Path) -> None:
    """Read the settings of an export.

    :raises InvalidInput: with the findings.
    """
    found = load(path.parent).findings
    if found:
        raise InvalidInput("; ".join(finding.message for finding in found))


OTHER_VERSIONS: tuple[tuple[str, Callable[[Path, int], None], Callable[[Path], object], str], ...] = (
    ("plan.json", other_approval, lambda path: ApprovalFile(path).read(), "Plan again"),
    (golden.RECORD, other_record, read_record, "Undo it with the version of the collection that applied"),
    ("export/yaml/.export.json", other_plan, lambda path: Manifest.read(Folder(path.parent)), "or another directory"),
    ("export/yaml/instance.yml", other_settings, load_settings, "need the version of the collection"),
)
"""Each file with a version: how to change the version, how it is read, and the remedy in the refusal."""


def open_journal(kept: Path, **options: Any) -> Journal:
    return Journal(kept / "journal", ROOT_URL, "golden", set_id="5d1c8e07f3a9b264", **options)


def settling(kept: Path) -> float | None:
    """Return how long creations of objects wait for a killed process that left a mark."""
    creations = Creations(Folder(kept / "locks"), "golden", now=NOW.timestamp)
    creations.watch(["object"])
    creations.hold(["object"])
    seconds = creations.seconds_to_settle()
    creations.leave()
    return seconds


def is_unpaged(locks: Folder) -> bool:
    """Return True if a note says that the list of rooms is complete."""
    return UnpagedLists(Store(locks), "golden", NOW.timestamp).has("room", "", 5)


def test_there_are_golden_files_of_the_first_version() -> None:
    assert "1.0.0" in VERSIONS


def test_this_version_writes_the_same_set_of_files(tmp_path: Path) -> None:
    golden.write(tmp_path / "now")

    def kinds(folder: Path) -> set[str]:
        # File names contain random numbers and digests.
        return {path.relative_to(folder).as_posix().rsplit("-", 1)[0] for path in folder.rglob("*") if path.is_file()}

    assert kinds(tmp_path / "now") >= kinds(golden.GOLDEN / "1.0.0")


# ---- a whole instance


def test_a_plan_is_applied(kept: Path, embedded: Embedded, tmp_path: Path) -> None:
    site = golden.site(tmp_path / "site", embedded)
    result = site.run(plan_file=kept / "plan.json", journal=tmp_path / "journal")
    assert (result.outcome, result.refusals) == ("changed", [])
    assert names(embedded) == golden.OBJECTS


def test_a_journal_is_read_and_goes_on(kept: Path, embedded: Embedded, tmp_path: Path) -> None:
    journal = open_journal(kept)
    # A location, a room and the objects. A field definition has no uuid in the journal.
    assert len(journal.known) >= 2 + len(golden.OBJECTS)
    assert (journal.warnings, journal.memory.run, list(journal.memory.unresolved)) == ([], "", [])
    site = golden.site(tmp_path / "site", embedded)
    result = site.run(journal=kept / "journal")
    # The records of the golden instance don't exist on this one.
    assert (result.outcome, result.sides["application"]) == ("changed", 2 + len(golden.OBJECTS))
    assert site.run(journal=kept / "journal").outcome == "unchanged"


def test_an_apply_record_is_undone(kept: Path, embedded: Embedded, tmp_path: Path) -> None:
    record = read_record(kept / golden.RECORD)
    assert [change.key for change in record.changes if change.kind == "object"] == list(golden.OBJECTS)
    site = golden.site(tmp_path / "site", embedded)
    # Another instance with this name has none of the records.
    result = site.run(Undo(record, "record").base(Hiding()), undo=Undo(record, "record"), journal=kept / "journal")
    assert (result.outcome, result.refusals, result.changes) == ("partly_undone", [], [])


def test_what_was_applied_last_is_known(kept: Path) -> None:
    memory = open_journal(kept).memory
    objects = {uuid for uuid, name in memory.names.items() if name.startswith("object ")}
    assert len(objects) == len(golden.OBJECTS)
    assert objects <= set(memory.baseline().records)


def test_an_interrupted_run_is_finished(kept: Path, tmp_path: Path) -> None:
    left = kept / golden.INTERRUPTED
    embedded = golden.interrupted(tmp_path / "now")
    # The location of that run has another uuid than the location of this instance.
    (location,) = embedded.dump(canonical=False)["locations"]
    known = open_journal(left).memory.names.items()
    (uuid,) = [uuid for uuid, name in known if name.startswith("location ")]
    path = left / "journal" / "journal.jsonl"
    path.write_text(path.read_text("utf-8").replace(uuid, location["uuid"]), "utf-8")
    site = golden.site(tmp_path / "site", embedded)
    result = site.run(journal=left / "journal", apply_record=left / golden.RECORD)
    assert (result.outcome, result.warnings) == ("changed", [])
    assert (names(embedded), len(embedded.dump()["rooms"])) == (golden.OBJECTS, 1)
    record = read_record(left / golden.RECORD)
    assert record.is_complete
    # It has the changes of both runs. Nobody knows the outcome of the first.
    assert Counter(change.outcome for change in record.changes) == {"unknown": 3, "done": 2}


def test_a_report_keeps_to_the_schema(kept: Path) -> None:
    schema = json.loads((ROOT / "docs" / "schema" / "report.schema.json").read_text("utf-8"))
    jsonschema.validate(json.loads((kept / "report.json").read_text("utf-8")), schema)


@pytest.mark.parametrize("name", golden.FORMATS)
def test_an_export_means_the_same(kept: Path, embedded: Embedded, name: str) -> None:
    site = embedded.site(kept / "export" / name)
    desired = site.load()
    assert desired.findings == []
    assert site.run(desired).outcome == "changed"
    assert names(embedded) == golden.OBJECTS
    assert site.run().outcome == "unchanged"


# ---- files that the collection keeps for itself


def test_a_cursor_is_read(kept: Path) -> None:
    assert read_cursor(kept / "cursor.jsonl") == golden.STATE


def test_kept_tokens_sign_in(kept: Path) -> None:
    assert TokenStore(Folder(kept / "tokens"), ROOT_URL, golden.KEPT).read() == golden.PAIR


def test_the_mark_of_a_killed_process_is_found(kept: Path) -> None:
    # The request of the process may still take effect, so records are read once more before a creation.
    assert settling(kept) is not None


def test_notes_between_processes_are_read(kept: Path) -> None:
    assert is_unpaged(Folder(kept / "locks"))


# ---- files of a version that does not exist yet


@pytest.mark.parametrize("version", [0, 99])
@pytest.mark.parametrize(("name", "change", "read", "remedy"), OTHER_VERSIONS, ids=[row[0] for row in OTHER_VERSIONS])
def test_another_version_is_refused_with_the_remedy(
    kept: Path,
    name: str,
    change: Callable[[Path, int], None],
    read: Callable[[Path], object],
    remedy: str,
    version: int,
) -> None:
    read(kept / name)
    change(kept / name, version)
    (kept / name).chmod(0o600)
    with pytest.raises(InvalidInput, match=f"(?s)(version|expected seventhings/v1).*{remedy}"):
        read(kept / name)


def test_unknown_facts_of_a_journal_are_skipped(kept: Path) -> None:
    with (kept / "journal" / "journal.jsonl").open("a") as journal:
        journal.write(json.dumps([open_journal(kept).owner, ["later", "mark", {"value": 1}]]) + "\n")
    assert open_journal(kept).known == open_journal(golden.GOLDEN / "1.0.0").known
    assert open_journal(kept).warnings == []


# ---- a process of an earlier version runs


def test_creations_wait_for_a_process_of_an_earlier_version(kept: Path) -> None:
    creations = Creations(Folder(kept / "locks"), "golden", lock_wait=0.0)
    creations.watch(["object"])
    with (kept / "locks" / "create-golden-object").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(LockTimeout):
            creations.hold(["object"])


def test_a_run_waits_for_the_journal_of_an_earlier_version(kept: Path) -> None:
    journal = open_journal(kept, lock_wait=0.0)
    with (kept / "journal" / "journal.jsonl").open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(JournalRefused), journal:
            pytest.fail("The journal is locked.")
