# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults during plan and apply: nothing is lost or created twice, and another run converges."""

from __future__ import annotations

import errno
import itertools
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from emulator_process import Emulator
from instance_site import Site, no_pause, run_options, sample_files
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import LOCATION, OBJECT
from ansible_collections.community.seventhings.plugins.module_utils.runtime.facts import Fact, FactLog
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import Journal
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.run import run_instance
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult

_SHARE = 0.3
_SEED = 1000
_WEATHERS = ("calm", "rough")
_RECORDS = 80
_SAMPLES = 40 if LONG else 3
_MOST_RUNS = 12


@pytest.fixture(scope="module")
def undisturbed(empty_emulator: Emulator, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the canonical dump after a run without faults."""
    empty_emulator.reset()
    site = Site(tmp_path_factory.mktemp("undisturbed"), empty_emulator)
    site.write(sample_files(_RECORDS, 1))
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"
    return site.dump()


_KINDS = {
    "locations": "location",
    "rooms": "room",
    "persons": "person",
    "objects": "object",
    "tasks": "task",
    "rental_cases": "rental case",
}


def _names(dump: Any, kind: str) -> list[str]:
    # The part after the mark distinguishes records with the same name.
    return [record["name"].partition("#")[0] for record in dump[kind]]


def _missing(dump: Any, whole: Any) -> dict[str, list[str]]:
    """Return the names of missing records."""
    return {words: sorted({*_names(whole, kind)} - {*_names(dump, kind)}) for kind, words in _KINDS.items()}


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(_SEED, _SEED + _SAMPLES))
def test_random_faults_end_in_the_same_state_or_in_an_honest_list(undisturbed: Any, site: Site, seed: int) -> None:
    # After a run that fails, the next one reads again until no request of that run can take effect.
    site.options["tuning"] = {"settle": 1}
    site.write(sample_files(_RECORDS, 1))
    site.service.steer("PUT", "/switches", {"weather": _WEATHERS[seed % len(_WEATHERS)]})
    # The undisturbed instance also writes the location of a room, which these files do not contain.
    site.service.steer("PUT", "/switches", {"room_location": "coupled"})
    site.disturb(_SHARE, seed)
    outcomes = []
    for _run in range(_MOST_RUNS):
        try:
            result = site.run()
        except SeventhingsError as failed:
            # Planning failed.
            outcomes.append(failed.message)
            continue
        outcomes.append(f"{result.outcome}, {len(result.failures)} failures")
        dump = site.dump()
        for kind in _KINDS:
            assert len(_names(dump, kind)) == len(set(_names(dump, kind))), "something was made twice"
        changes = [failure["change"] for failure in result.failures]
        for words, names in _missing(dump, undisturbed).items():
            assert len([line for line in changes if line.startswith(f"{words} ")]) >= len(names), (
                words,
                names,
                changes,
            )
        if result.outcome in ("unchanged", "changed"):
            assert dump == undisturbed
            break
        assert result.failures
    print(f"seed {seed}, faults on {_SHARE:.0%} of the requests: {outcomes}")
    site.disturb(0)
    assert site.run().outcome in ("unchanged", "changed")
    assert site.dump() == undisturbed
    assert site.plan().outcome == "unchanged"


@pytest.mark.sample(3)
@pytest.mark.parametrize("links", ["object", "integer", "zero"])
@pytest.mark.parametrize("fault", ["504_after", "reset_after", "half_body"])
def test_a_room_whose_answer_was_lost_is_found_in_a_location_that_was_just_made(
    site: Site, links: str, fault: str
) -> None:
    site.write({"locations.yml": "- name: Depot\n", "rooms.yml": '- {building_id: Depot, number: "7", name: Shelf}\n'})
    site.service.steer("PUT", "/switches", {"link_read": links})
    site.service.steer("PUT", "/faults", [{"fault": fault, "method": "POST", "path": "/room", "times": 1}])
    result = site.run()
    assert result.outcome == "changed", result.failures
    assert len(site.dump()["rooms"]) == 1


def test_what_was_done_is_reported_if_duplicates_can_not_be_looked_up(site: Site) -> None:
    site.write({"locations.yml": "- name: Depot\n"})
    site.service.steer("PUT", "/faults", [{"fault": "503", "method": "GET", "path": "/locations", "after": 1}])
    result = site.run()
    assert result.outcome == "changed"
    assert result.summary["locations"]["created"] == 1
    assert any("not looked up" in warning for warning in result.warnings)


def test_what_was_done_is_reported_where_the_keys_of_new_fields_can_not_be_read(site: Site) -> None:
    site.write(
        {
            "fields/asset.yml": "- {label: Shelf mark, type: TEXT}\n",
            "objects.yml": '- {barcode: "1", inventory_name: Lamp, Shelf mark: S}\n',
        }
    )
    path = "/asset-tracking/asset/field-definitions"
    # A plan proves that the definitions are complete, so the run reads them with one request.
    site.plan()
    site.service.steer("PUT", "/faults", [{"fault": "503", "method": "GET", "path": path, "after": 1}])
    result = site.run()
    assert result.outcome == "partly_applied"
    assert result.summary["fields"]["created"] == 1
    (skipped,) = result.failures
    assert skipped["change"] == "object 1"
    assert "the keys of new fields could not be read" in skipped["reason"]
    site.disturb(0)
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_a_token_that_expires_in_the_middle_is_renewed(undisturbed: Any, site: Site) -> None:
    site.write(sample_files(_RECORDS, 1))
    site.service.steer("PUT", "/faults", [{"fault": "401", "path": "/object", "after": 10, "times": 1}])
    site.service.steer("PUT", "/settings", {"access_token_seconds": 600})
    client, clock = site.client(), itertools.count(0.0, 20.0)
    client.tokens._clock = lambda: next(clock)
    assert run_instance(client, site.load(), run_options(allow=["users"]), sleep=no_pause).outcome == "changed"
    assert sum(line.endswith("/auth_token") for line in site.sent()) > 2
    assert site.dump() == undisturbed


def test_a_token_that_is_taken_back_in_the_middle_is_replaced(undisturbed: Any, site: Site) -> None:
    site.write(sample_files(_RECORDS, 1))
    done: list[int] = []

    def expire(_progress: Any) -> None:
        done.append(1)
        if len(done) == 30:
            site.service.steer("POST", "/tokens/expire", {})

    result = run_instance(site.client(), site.load(), run_options(allow=["users"]), expire, sleep=no_pause)
    assert result.outcome == "changed"
    assert site.dump() == undisturbed


def test_without_a_way_to_sign_in_again_the_run_stops_and_names_what_is_left(undisturbed: Any, site: Site) -> None:
    site.write(sample_files(_RECORDS, 1))
    with_token = Site(
        site.root,
        site.service,
        {"access_token": site.service.token(), "username": None, "password": None, "client_id": None},
    )
    site.service.clear_log()
    site.service.steer(
        "PUT", "/faults", [{"fault": "401", "method": "POST", "path": "/object", "after": 10, "probability": 1}]
    )
    result = with_token.run()
    assert result.outcome == "partly_applied"
    assert len(result.failures) > 20
    assert len([line for line in site.sent() if line == "POST /object"]) < 40
    site.service.steer("DELETE", "/faults")
    assert site.run().outcome == "changed"
    assert site.dump() == undisturbed


def test_two_applies_at_once_make_nothing_twice(undisturbed: Any, site: Site) -> None:
    site.write(sample_files(_RECORDS, 1))
    accounts: list[RunResult] = []

    def apply() -> None:
        accounts.append(run_instance(site.client(), site.load(), run_options(allow=["users"])))

    threads = [threading.Thread(target=apply) for _run in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(account.outcome for account in accounts) == ["changed", "unchanged"]
    assert site.dump() == undisturbed


def test_a_second_run_refuses_when_the_first_does_not_let_go(site: Site) -> None:
    site.write(sample_files(20, 1))
    site.options["tuning"] = {"lock_wait": 60}
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)

    with Journal(None, site.service.base_url, "sample"):
        result = run_instance(
            site.client(), site.load(), run_options(allow=["users"]), sleep=wait, clock=lambda: sum(waited)
        )
    assert result.outcome == "refused"
    assert "another run uses" in result.refusals[0]
    assert 59 < sum(waited) < 62
    assert site.writes() == []


def test_what_somebody_else_created_at_the_same_time_is_reported_with_both_uuids(site: Site) -> None:
    site.write({"locations.yml": "- name: Depot\n- name: Dresden\n"})
    theirs: list[str] = []

    def make_the_same(_progress: Any) -> None:
        if not theirs:
            theirs.append(site.client().create(LOCATION, {"name": "Depot"}))

    result = run_instance(site.client(), site.load(), run_options(allow=["users"]), make_the_same, sleep=no_pause)
    assert result.outcome == "partly_applied"
    (mine,) = [change["uuid"] for change in result.changes if change["key"] == "Depot"]
    (failure,) = result.failures
    assert failure["change"] == f"location Depot exists twice: {', '.join(sorted([mine, *theirs]))}"


# ---- the instance changes between plan and apply


def _behind_the_back(site: Site, barcode: str, fields: dict[str, Any]) -> None:
    client = site.client()
    (record,) = [record for record in client.list_all(OBJECT) if record.flat["barcode"] == barcode]
    client.update(OBJECT, record.uuid, fields)


@pytest.fixture
def planned(site: Site, tmp_path: Path) -> Path:
    """Return ten objects with a plan file that renames all of them and adds one.

    Then somebody else changed the third.
    """
    objects = [f'- barcode: "{number:03d}"\n  inventory_name: Old\n' for number in range(10)]
    site.write({"objects.yml": "".join(objects)})
    assert site.run().outcome == "changed"
    renamed = [record.replace("Old", "New") for record in [*objects, '- barcode: "999"\n  inventory_name: Old\n']]
    site.write({"objects.yml": "".join(renamed)})
    path = tmp_path / "plan.json"
    limits = {"create_percent": 100, "update_percent": 100}
    assert site.plan(plan_file=path, limits=limits).outcome == "changed"
    _behind_the_back(site, "002", {"inventory_name": "Theirs"})
    site.service.clear_log()
    return path


def test_a_stale_plan_is_refused_and_nothing_is_sent(site: Site, planned: Path) -> None:
    result = site.run(plan_file=planned)
    assert result.outcome == "refused"
    assert ["002" in refusal for refusal in result.refusals] == [True]
    assert site.writes() == []
    assert planned.exists()


def test_of_a_stale_plan_what_is_stale_can_be_skipped(site: Site, planned: Path) -> None:
    result = site.run(plan_file=planned, stale="skip", limits={"create_percent": 100, "update_percent": 100})
    assert result.outcome == "changed"
    assert len(site.writes()) == 10
    assert any("002" in warning for warning in result.warnings)
    names = {record["fields"]["barcode"]: record["fields"]["inventory_name"] for record in site.dump()["objects"]}
    assert names.pop("002") == "Theirs"
    assert set(names.values()) == {"New"}


# ---- lists


@pytest.mark.sample(0)
def test_unstable_pages_and_records_that_come_while_paging_are_no_reason_to_make_anything_twice(site: Site) -> None:
    number = 1100
    site.write(
        {"objects.csv": "barcode,inventory_name\n" + "".join(f"P{number:05d},Thing\n" for number in range(number))}
    )
    assert site.run().outcome == "changed"
    site.service.steer("PUT", "/switches", {"page_order": "unstable", "list_envelope": "array"})
    stop = threading.Event()

    def insert() -> None:
        client = site.client()
        count = 0
        while not stop.is_set():
            client.create(OBJECT, {"barcode": f"Z{count}", "inventory_name": "Theirs"})
            count += 1

    writer = threading.Thread(target=insert)
    writer.start()
    try:
        accounts = [site.plan() for _run in range(3)]
    finally:
        stop.set()
        writer.join()
    for account in accounts:
        assert account.outcome == "unchanged", account.changes[:3]


# ---- the disk


def test_a_full_disk_stops_the_run_before_anything_is_sent_that_is_not_noted(
    undisturbed: Any, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write(sample_files(_RECORDS, 1))
    put, left = FactLog.put, iter(range(40))

    def noted(log: FactLog, owner: str, *facts: Fact) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        put(log, owner, *facts)

    with monkeypatch.context() as patched:
        patched.setattr(FactLog, "put", noted)
        result = site.run()
    assert result.outcome == "partly_applied"
    assert any("No space left" in failure["reason"] for failure in result.failures)
    assert any("because of an earlier failure: journal:" in failure["reason"] for failure in result.failures)
    sent = len(site.writes())
    assert sent < 40
    assert site.run().outcome == "changed"
    assert site.dump() == undisturbed


def test_a_journal_that_is_lost_causes_nothing_to_be_created_twice(undisturbed: Any, site: Site) -> None:
    site.write(sample_files(_RECORDS, 1))
    assert site.run().outcome == "changed"
    site.journal("sample").unlink()
    assert site.run().outcome == "unchanged"
    assert site.dump() == undisturbed
