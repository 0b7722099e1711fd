# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An apply does exactly what its plan showed.

So the plan looks up archived duplicates, and reports which it skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from exports import export_of
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, OBJECT, Kind
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure
from ansible_collections.community.seventhings.plugins.module_utils.resolve.listing import list_records
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.executor import Executor
from ansible_collections.community.seventhings.plugins.plugin_utils.instance import run
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan import archived as archived_duplicates

from ..plugin_utils.absorb.absorbing import take

TASK_LIMITS = {"create_percent": 100, "update_percent": 100, "delete_percent": 100}
"""The limits of every task in this file."""

LOOKUP = "GET /object/by-barcode/"
LISTED = {"barcode": "LISTED", "inventory_name": "On the list"}
SECOND = "A service that accepts duplicates creates a second object if one with the same key is archived."


def thing(number: int, **fields: Any) -> dict[str, Any]:
    return {"barcode": f"N{number:05d}", "inventory_name": f"Thing {number}", **fields}


def table(numbers: Iterable[int]) -> str:
    rows = "".join(f"N{number:05d},Thing {number}\n" for number in numbers)
    return f"barcode,inventory_name\nLISTED,On the list\n{rows}"


def archived(site: Site, *objects: dict[str, Any]) -> None:
    """Create and archive objects as somebody else."""
    client = site.client()
    for fields in objects:
        client.archive(OBJECT, client.create(OBJECT, fields))


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    """Let somebody else act once between plan and apply."""

    def executor(*given: Any, **named: Any) -> Any:
        monkeypatch.setattr(run, "Executor", Executor)
        act()
        return Executor(*given, **named)

    monkeypatch.setattr(run, "Executor", executor)


def lookups(site: Site) -> list[str]:
    """Return the barcodes that were looked up since the log was cleared. That of the listed object is first."""
    return [line.removeprefix(LOOKUP) for line in site.sent() if line.startswith(LOOKUP)]


def unchecked(warnings: Iterable[str]) -> list[str]:
    return [line for line in warnings if "not checked against the archive" in line]


@pytest.fixture
def listed(site: Site) -> Site:
    """Return an instance with one object, which the files name."""
    site.client().create(OBJECT, LISTED)
    site.service.clear_log()
    return site


# ---- what is looked up


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("number", "of_a_plan", "of_a_run"),
    [(0, 0, 0), (1, 2, 2), (40, 41, 41), (41, 41, 42), (200, 41, 201), (201, 41, 41), (1000, 41, 41)],
)
def test_requests(listed: Site, tmp_path: Path, number: int, of_a_plan: int, of_a_run: int) -> None:
    """There is one lookup of a listed object, then one for each planned creation, or for a sample of very many."""
    listed.write({"objects.csv": table(range(number))})
    plan = listed.plan()
    assert len(lookups(listed)) == of_a_plan
    assert lookups(listed)[:1] == ["LISTED"] * (number > 0)
    sample = of_a_plan - 1
    words = [] if number <= 40 else [f"objects: {number - sample:,} of {number:,} barcodes"]
    assert [line.partition(" were")[0] for line in unchecked(plan.warnings)] == words
    listed.service.clear_log()
    path = tmp_path / "plan.json"
    assert listed.plan(plan_file=path).outcome == ("changed" if number else "unchanged")
    assert len(lookups(listed)) == of_a_run
    if number > 200:
        return
    listed.service.clear_log()
    result = listed.run(plan_file=path)
    assert result.outcome == ("changed" if number else "unchanged"), result.failures
    assert len(lookups(listed)) == of_a_run


def test_an_apply_without_a_plan_file_looks_up_all_of_200(listed: Site) -> None:
    listed.write({"objects.csv": table(range(60))})
    result = listed.run()
    assert len(lookups(listed)) == 61
    assert unchecked(result.warnings) == []


def test_what_was_not_checked_is_reported_in_numbers(listed: Site) -> None:
    listed.write({"objects.csv": table(range(2_000))})
    planned = listed.plan()
    (line,) = unchecked(planned.warnings)
    assert line == (
        "objects: 1,960 of 2,000 barcodes were not checked against the archive. "
        f"{SECOND} archived_lookups: all looks up all of them, each with a request."
    )
    assert line in as_text(planned)


def test_all_are_looked_up_if_the_task_says_so(listed: Site) -> None:
    archived(listed, thing(249))
    listed.service.clear_log()
    listed.write({"objects.csv": table(range(250))})
    planned = listed.plan(archived_lookups="all")
    assert len(lookups(listed)) == 251
    assert unchecked(planned.warnings) == []
    assert [change["key"] for change in planned.changes if change["note"]] == ["N00249"]


def test_an_instance_without_the_lookup_is_asked_once(listed: Site) -> None:
    listed.service.steer("PUT", "/switches", {"later_endpoints": "absent"})
    listed.write({"objects.csv": table(range(30))})
    planned = listed.plan()
    assert lookups(listed) == ["LISTED"]
    (line,) = unchecked(planned.warnings)
    assert line == (
        "objects: 30 of 30 barcodes were not checked against the archive, because this instance does not look up a "
        f"single barcode. {SECOND}"
    )


def test_records_without_a_barcode_are_reported_as_unchecked(listed: Site) -> None:
    settings = "api: seventhings/v1\nset: test\nidentity: {objects: [serial_number]}\n"
    nameless = [{"serial_number": f"S-{number}", "inventory_name": "Thing"} for number in range(3)]
    listed.write({"instance.yml": settings, "objects.yml": yaml_list(nameless)})
    (line,) = unchecked(listed.plan().warnings)
    assert line.startswith("objects: 3 of 3 objects were not checked against the archive, because no barcode is")


@pytest.mark.parametrize("rule", ["keep", "restore"])
@pytest.mark.parametrize("archive", [range(1, 10), [5]], ids=["most", "one"])
def test_no_object_whose_uuid_is_noted_is_created_unchecked(
    listed: Site, monkeypatch: pytest.MonkeyPatch, rule: str, archive: Iterable[int]
) -> None:
    """However many are missing, none is created a second time. The others were deleted."""
    for module in (run, archived_duplicates):
        monkeypatch.setattr(module, "SAMPLE", 2)
        monkeypatch.setattr(module, "MOST_OF_A_RUN", 4)
    tables = f"tables: [{{files: objects/list.csv, columns: {{}}, archived: {rule}}}]"
    listed.write({"instance.yml": f"api: seventhings/v1\nset: test\n{tables}\n"})
    listed.write({"objects/list.csv": table(range(10))})
    listed.service.steer("PUT", "/switches", {"unique_values": "take"})
    assert listed.run().outcome == "changed"
    client = listed.client()
    records = {record.flat["barcode"]: record for record in client.list_all(OBJECT)}
    for number in range(1, 10):
        act = client.archive if number in archive else client.delete
        act(OBJECT, records[thing(number)["barcode"]].uuid)
    result = listed.run()
    assert unchecked(result.warnings) == []
    created = sorted(change["key"] for change in result.changes if change["action"] == "create")
    assert created == [thing(number)["barcode"] for number in range(1, 10) if number not in archive]
    assert len(listed.dump()["objects"]) == 11
    assert listed.plan().outcome == "unchanged"


# ---- what an apply may do


def test_a_value_that_is_taken_fails_and_the_next_plan_finds_its_record(listed: Site) -> None:
    """One of very many new barcodes belongs to an archived object, and it is not in the sample."""
    new = thing(7, inventory_name="New name")
    listed.write({"objects.yml": yaml_list([LISTED, *map(thing, range(6)), new])})
    listed.service.steer("PUT", "/switches", {"later_endpoints": "absent"})
    archived(listed, thing(7))
    result = listed.run()
    assert result.outcome == "partly_applied"
    (failure,) = result.failures
    assert "already in use" in failure["reason"]
    assert "an archived object, which no list shows, may have barcode 'N00007'" in failure["reason"]
    assert "The next plan looks it up in the archive" in failure["reason"]
    assert not any("unarchive" in line for line in listed.writes())
    listed.service.steer("PUT", "/switches", {"later_endpoints": "present"})
    listed.service.clear_log()
    planned = listed.plan()
    assert lookups(listed) == ["LISTED", "N00007"]
    (change,) = planned.changes
    assert (change["action"], change["note"]) == ("update", "unarchive and update")
    assert change["before"] == {"archived": True, "inventory_name": "Thing 7"}
    assert "~ objects N00007 Thing 7 (unarchive and update)" in as_text(planned)
    assert listed.run().outcome == "changed"
    assert listed.plan().outcome == "unchanged"
    assert len(listed.dump()["objects"]) == 8


def test_a_creation_does_not_become_another_action(listed: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    listed.write({"objects.yml": yaml_list([LISTED, thing(1)])})
    meanwhile(monkeypatch, lambda: archived(listed, thing(1, inventory_name="Theirs")))
    result = listed.run()
    (failure,) = result.failures
    assert "already in use" in failure["reason"]
    (theirs,) = [record for record in listed.dump()["objects"] if record["archived"]]
    assert theirs["fields"]["inventory_name"] == "Theirs"


ABSENT = yaml_list([LISTED, {"barcode": "N00001", "_state": "absent"}])


def test_unarchiving_that_was_not_planned_is_not_done(listed: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    listed.service.steer("PUT", "/switches", {"delete_archived": "refuse"})
    client = listed.client()
    uuid = client.create(OBJECT, thing(1))
    listed.write({"objects.yml": ABSENT})
    meanwhile(monkeypatch, lambda: client.archive(OBJECT, uuid))
    listed.service.clear_log()
    (failure,) = listed.run().failures
    assert "The object is archived by now, which was not planned. Plan again." in failure["reason"]
    assert not any(line.endswith("/unarchive") for line in listed.writes())


# ---- the walk of every kind that can be archived


ARCHIVABLE = [kind for kind in KINDS.values() if kind.can_be_archived]


def of_kind(site: Site, kind: Kind) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a record of a kind, and the same record with another text."""
    schema = site.client().schema(kind)
    (key, *_more), *_others = kind.match_on
    row = {name: f"Walk {name}" for name in (key, *schema.missing({}))}
    text = next(field.key for field in schema.fields.values() if field.type == "TEXT" and field.key != key)
    return row, {**row, text: "Another text"}


def in_service(site: Site, kind: Kind) -> list[bool]:
    """Return for each record of a kind whether it is archived."""
    return [record["archived"] for record in site.dump().get(kind.section, ())]


@pytest.mark.sample(2)
@pytest.mark.parametrize("kind", ARCHIVABLE, ids=lambda kind: kind.name)
@pytest.mark.parametrize("unique_values", ["unprocessable", "take"])
@pytest.mark.parametrize("later_endpoints", ["present", "absent"])
def test_files_walk_every_archivable_kind(site: Site, kind: Kind, unique_values: str, later_endpoints: str) -> None:
    site.service.steer("PUT", "/switches", {"unique_values": unique_values, "later_endpoints": later_endpoints})
    row, changed = of_kind(site, kind)

    def apply(written: dict[str, Any]) -> dict[str, Any]:
        site.write({f"{kind.section}.yml": yaml_list([written])})
        (planned,) = site.plan().changes
        result = site.run()
        assert result.outcome == "changed", result.failures
        assert site.plan().outcome == "unchanged"
        (done,) = result.changes
        assert (done["action"], done["note"]) == (planned["action"], planned["note"])
        return done

    assert apply(row)["action"] == "create"
    for _turn in range(2):
        assert apply({**row, "_state": "archived"})["action"] == "archive"
        assert in_service(site, kind) == [True]
        assert apply(changed)["note"].startswith("unarchive")
        assert in_service(site, kind) == [False]
    apply({**row, "_state": "archived"})
    assert apply({**row, "_state": "absent"})["note"] == "may need unarchiving"
    assert in_service(site, kind) == []


@pytest.mark.parametrize("kind", ARCHIVABLE, ids=lambda kind: kind.name)
@pytest.mark.parametrize("later_endpoints", ["present", "absent"])
def test_modules_walk_every_archivable_kind(site: Site, kind: Kind, later_endpoints: str) -> None:
    """An archived record is unarchived, or its creation is refused. There is never a duplicate."""
    site.service.steer("PUT", "/switches", {"later_endpoints": later_endpoints})
    row, changed = of_kind(site, kind)
    result = ensure(site.client(), DesiredRecord(kind, row))
    for _turn in range(2):
        assert ensure(site.client(), DesiredRecord(kind, row, uuid=result.uuid, state="archived")).changed
        assert in_service(site, kind) == [True]
        wanted = DesiredRecord(kind, changed)
        if later_endpoints == "absent" or not kind.barcode_path:
            with pytest.raises(SeventhingsError) as refused:
                ensure(site.client(), wanted)
            assert f"an archived {kind.words}, which no list shows, may have" in refused.value.message
            wanted = DesiredRecord(kind, changed, uuid=result.uuid)
        assert ensure(site.client(), wanted).uuid == result.uuid
        assert in_service(site, kind) == [False]


# ---- absorb


@pytest.mark.parametrize(
    ("later_endpoints", "has_memory"), [("present", False), ("absent", True), ("absent", False)], ids=str
)
def test_absorb_never_writes_absent_for_a_record_that_may_be_archived(
    listed: Site, tmp_path: Path, later_endpoints: str, has_memory: bool
) -> None:
    listed.root = tmp_path / "files"
    listed.write({"objects.yml": yaml_list([LISTED, *map(thing, range(45))])})
    assert listed.run().outcome == "changed"
    client = listed.client()
    for record in client.list_all(OBJECT):
        if record.flat["barcode"] != "LISTED":
            (client.archive if record.flat["barcode"] == "N00044" else client.delete)(OBJECT, record.uuid)
    listed.service.steer("PUT", "/switches", {"later_endpoints": later_endpoints})
    if not has_memory:
        listed.journal().unlink()
    done = take(listed, gone="absent", limits={"delete_percent": 100})
    written = (listed.root / "objects.yml").read_text()
    assert written.count("_state: absent") == (44 if has_memory else 0)
    assert written.count("_state: archived") == (has_memory or later_endpoints == "present")
    if not has_memory:
        assert done["not_changed"][0].endswith(
            "instance: not changed, because the memory of the set on this machine has no such record, so it may be new"
        )


# ---- lists that show archived records


def test_archived_objects_in_a_list_are_not_treated_as_active(listed: Site, tmp_path: Path) -> None:
    listed.service.steer("PUT", "/switches", {"archived_in_lists": "shown"})
    archived(listed, thing(1))
    client = listed.client()
    assert [record.flat["barcode"] for record in client.list_all(OBJECT)] == ["LISTED"]
    assert list_records(client, OBJECT, None, {}, ["-barcode"], 5).count == 1
    exported = tmp_path / "exported"
    assert not export_of(listed, exported).get("failed")
    texts = "".join(path.read_text() for path in exported.rglob("*.yml"))
    assert "LISTED" in texts
    assert "N00001" not in texts
    listed.write({"objects.yml": yaml_list([LISTED, thing(1)])})
    (change,) = listed.plan().changes
    assert (change["action"], change["note"]) == ("update", "unarchive")
    assert listed.run().outcome == "changed"
    assert listed.plan().outcome == "unchanged"


# ---- references to archived records


def test_references_to_archived_objects_are_not_lost_in_silence(listed: Site, tmp_path: Path) -> None:
    objects = [LISTED, thing(1), thing(2, accessories=["N00001", "LISTED"])]
    task = {"title": "Look", "deadline": "2031-03-01", "references": ["N00001"]}
    listed.write({"objects.yml": yaml_list(objects)})
    assert listed.run().outcome == "changed"
    client = listed.client()
    (caller,) = [record.flat["email"] for record in client.list_all(KINDS["user"])]
    listed.write({"tasks.yml": yaml_list([{**task, "assignees": [caller]}])})
    assert listed.run().outcome == "changed"
    (uuid,) = [record.uuid for record in client.list_all(OBJECT) if record.flat["barcode"] == "N00001"]
    client.archive(OBJECT, uuid)
    left_out = export_of(listed, tmp_path / "exported")["left_out"]
    reason = f"the object {uuid} is in no list (archived or deleted)"
    assert {line.partition(": ")[0] for line in left_out if reason in line} == {"object N00002", "task Look"}
    listed.root = tmp_path / "files"
    listed.write({"objects.yml": yaml_list(objects), "tasks.yml": yaml_list([{**task, "assignees": [caller]}])})
    done = take(listed, gone="absent")
    (message,) = done["not_changed"]
    assert message.endswith(
        "object N00001 is archived in the instance: not changed, because other records in the files refer to it"
    )
