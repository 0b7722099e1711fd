# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of earlier versions are read, or refused with the reason and a remedy."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import golden
import jsonschema
import pytest
from embedded_here import NOW, ROOT_URL, Embedded
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.client.profile import HIDDEN_RECORDS, Profile
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import Creations
from ansible_collections.community.seventhings.plugins.module_utils.runtime.leftovers import Leftovers
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import TokenStore
from ansible_collections.community.seventhings.plugins.module_utils.runtime.turnstile import SharedTurnstile
from ansible_collections.community.seventhings.plugins.module_utils.runtime.unpaged import UnpagedLists
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import Journal
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.plan_file import PlanFile
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.inverse import Undo
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.record_file import read_record
from ansible_collections.community.seventhings.plugins.plugin_utils.watch.cursor import CursorFile

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
    return {one["name"]: one["fields"]["inventory_name"] for one in embedded.dump()["objects"]}


def changed(path: Path, **members: Any) -> None:
    """Change members of a file of JSON."""
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **members}), "utf-8")


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


def test_a_plan_of_another_form_is_refused_with_a_way_out(kept: Path) -> None:
    changed(kept / "plan.json", version=0)
    with pytest.raises(InvalidInput, match=r"[Pp]lan again"):
        PlanFile(kept / "plan.json").read()


def test_a_journal_is_read_and_goes_on(kept: Path, embedded: Embedded, tmp_path: Path) -> None:
    journal = Journal(kept / "journal", ROOT_URL, "golden", set_id="5d1c8e07f3a9b264")
    # A location, a room and the objects. A field definition has no uuid in the journal.
    assert len(journal.known) >= 2 + len(golden.OBJECTS)
    assert (journal.warnings, journal.memory.run, list(journal.unresolved)) == ([], "", [])
    site = golden.site(tmp_path / "site", embedded)
    result = site.run(journal=kept / "journal")
    assert (result.outcome, result.warnings) == ("changed", [])
    assert site.run(journal=kept / "journal").outcome == "unchanged"


def test_an_apply_record_is_undone(kept: Path, embedded: Embedded, tmp_path: Path) -> None:
    record = read_record(kept / golden.RECORD)
    assert [one.key for one in record.changes if one.kind == "object"] == list(golden.OBJECTS)
    site = golden.site(tmp_path / "site", embedded)
    # Another instance with this name has none of the records.
    result = site.run(Undo(record, "record").base(), undo=Undo(record, "record"), journal=kept / "journal")
    assert (result.outcome, result.refusals) == ("unchanged", [])


def test_an_apply_record_of_another_form_is_refused(kept: Path) -> None:
    path = kept / golden.RECORD
    document = json.loads(gzip.decompress(path.read_bytes()))
    path.write_bytes(gzip.compress(json.dumps({**document, "version": 0}).encode()))
    with pytest.raises(InvalidInput, match="version 0 does not fit; expected 1"):
        read_record(path)


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


def test_a_profile_is_read(kept: Path) -> None:
    said = json.loads((kept / "profile.json").read_text("utf-8"))
    profile = Profile.read(str(kept / "profile.json"), lambda _line: None)
    assert profile.date == said["date"] == NOW.date().isoformat()
    sides = {name: entry["side"] for name, entry in said["switches"].items() if entry.get("side")}
    assert sides
    assert profile.sides == {**sides, HIDDEN_RECORDS: said["account"][HIDDEN_RECORDS]}


def test_a_cursor_is_read(kept: Path) -> None:
    assert CursorFile(str(kept / "cursor.json"), ROOT_URL, "inventory").read() == golden.STATE


def test_a_cursor_of_another_form_is_refused_with_a_way_out(kept: Path) -> None:
    changed(kept / "cursor.json", format=0)
    with pytest.raises(InvalidInput, match="of another version of the collection; remove it to start again"):
        CursorFile(str(kept / "cursor.json"), ROOT_URL, "inventory").read()


def test_kept_tokens_sign_in(kept: Path) -> None:
    assert TokenStore(Folder(kept / "tokens"), golden.KEPT).read() == golden.PAIR


def test_the_mark_of_a_process_that_was_killed_is_seen(kept: Path) -> None:
    creations = Creations([Folder(kept / "locks")], "golden", now=NOW.timestamp)
    creations.watch(["object"])
    creations.hold(["object"])
    # The request of the process may still take effect, so records are read once more before a creation.
    assert creations.seconds_to_settle() is not None
    creations.leave()


def test_the_rate_limit_goes_on(kept: Path) -> None:
    turnstile = SharedTurnstile(Folder(kept / "locks"), "golden", lambda: 101.0)
    with turnstile.turn(), turnstile.pace() as pace:
        assert (pace.sent, pace.limit(101.0)) == ([100.0], 200)


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (lambda locks: "room" in UnpagedLists(locks, "golden", NOW.timestamp), True),
        (lambda locks: Leftovers(locks, ROOT_URL).take(*golden.UPLOAD), golden.UUID),
    ],
)
def test_notes_between_processes_are_read(kept: Path, read: Callable[[Folder], Any], found: Any) -> None:
    assert read(Folder(kept / "locks")) == found
