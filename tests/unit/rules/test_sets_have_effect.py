# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A write of a set counts if it had an effect. A record that still has its old value fails, and the others count."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest
from embedded_here import Embedded
from one_machine import SETTINGS, Machine

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

from .test_writes_have_effect import ANSWERS, BERND, PANEL_SAW, records, without_effect

WRITES: Mapping[str, tuple[str, str]] = {
    "object": ("objects", "{barcode: '100005', description: New}"),
    "object archived": ("objects", "{barcode: '100005', _state: archived}"),
    "object deleted": ("objects", "{barcode: '100005', _state: absent}"),
    "location": ("locations", "{name: Werkstatt, city: Halle}"),
    "room": ("rooms", "{building_id: Dresden, number: '0.01', description: New}"),
    "person": ("persons", f"{{email: {BERND}, first_name: New}}"),
    "task": ("tasks", f"{{title: {PANEL_SAW}, comment: New}}"),
    "task status": ("tasks", f"{{title: {PANEL_SAW}, status: closed}}"),
    "task deleted": ("tasks", f"{{title: {PANEL_SAW}, _state: absent}}"),
    "rental case": (
        "rental_cases",
        "{title: Kamera für den Katalog, issue_date: '2027-04-12', comment: New}",
    ),
    "price of an offer": ("hub", "{object: '100003', price: 3}"),
    "offer taken off": ("hub", "{object: '100003', _state: absent}"),
}
writes = pytest.mark.parametrize("write", WRITES)
PROVEN = ("unchanged", "200", "202")
"""Answers to an update that do not show the new values."""
OTHERS = ("task", "offer taken off")
"""Writes whose answers prove nothing."""
MARKER = "- {name: Chemnitz}\n"


@pytest.fixture
def here(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("write", "answer"),
    [*((write, "204") for write in WRITES), *(("object", answer) for answer in PROVEN), *product(OTHERS, ANSWERS)],
)
def test_a_record_without_effect_fails_in_every_run(here: Machine, write: str, answer: str) -> None:
    section, record = WRITES[write]
    without_effect(here, answer)
    here.write(**{section: f"- {record}\n"})
    before = records(here)
    for _run in range(2):
        done = here.run()
        assert done.outcome == "failed", done.document()
        (failure,) = done.failures
        assert "The change had no effect" in failure["reason"]
        (change,) = done.changes
        assert change["status"] == "failed"
        assert not any(count for name, count in done.summary[section].items() if name not in ("errors", "unchanged"))
    assert records(here) == before


@writes
def test_other_records_of_the_set_count(here: Machine, write: str) -> None:
    section, record = WRITES[write]
    without_effect(here, "204")
    if section == "locations":
        here.write(locations=f"- {record}\n{MARKER}")
    else:
        here.write(**{section: f"- {record}\n", "locations": MARKER})
    done = here.run()
    assert done.outcome == "partly_applied"
    assert done.summary["locations"]["created"] == 1
    (failure,) = done.failures
    assert "The change had no effect" in failure["reason"]
    assert sorted(change["status"] for change in done.changes) == ["done", "failed"]


def test_a_record_of_which_one_field_is_as_it_was_fails_and_changed(here: Machine) -> None:
    here.service = Embedded.started({"patch_answer": "no_content"})
    here.write(locations="- {name: Werkstatt, city: Halle, zip: '06108'}\n")
    listed = here.service.client().list_all(KINDS["location"])
    (was,) = (record.flat["city"] for record in listed if record.flat["name"] == "Werkstatt")
    answers = {read: {"set": {"city": was}} for read in ("GET /locations", "GET /location/{locationUuid}")}
    here.service.set(answers=answers)
    done = here.run()
    assert done.outcome == "partly_applied", done.failures + done.findings
    (failure,) = done.failures
    assert "still has its old value of city " in failure["reason"]


@writes
def test_a_write_with_an_effect_counts_once(here: Machine, write: str) -> None:
    section, record = WRITES[write]
    here.write(**{section: f"- {record}\n"})
    assert here.run().outcome == "changed"
    here.service.clock.forward(60)
    assert here.run().outcome == "unchanged"


@pytest.mark.parametrize("side", ["record", "no_content"])
def test_a_third_value_does_not_fail(here: Machine, side: str) -> None:
    here.service = Embedded.started({"patch_answer": side})
    here.write(locations="- {name: Werkstatt, city: Halle}\n")
    here.service.set(answers={"GET /location/{locationUuid}": {"set": {"city": "HALLE"}}})
    assert here.run().outcome == "changed"


@pytest.mark.parametrize("path", ["/location", "/person"])
def test_a_new_record_that_does_not_exist_fails(here: Machine, path: str) -> None:
    here.service.fault("no_effect", method="POST", path=f"*{path}")
    here.write(locations=MARKER, persons="- {email: ada@acme.example, last_name: Jensen}\n")
    for _run in range(2):
        done = here.run()
        assert done.outcome == ("partly_applied" if _run == 0 else "failed")
        (failure,) = done.failures
        assert "does not exist" in failure["reason"]


@writes
def test_a_slow_instance_is_waited_for_with_one_warning(here: Machine, write: str) -> None:
    section, record = WRITES[write]
    here.service = Embedded.started({"patch_answer": "no_content"})
    here.service.set(read_lag_seconds=5)
    here.write(**{section: f"- {record}\n"})
    done = here.run()
    assert done.outcome == "changed", done.failures
    slow = [line for line in here.client.transport.warnings if "some seconds after it accepted it" in line]
    assert len(slow) == 1


def test_a_definition_that_becomes_visible_late_counts(here: Machine) -> None:
    """A new definition is created, too. Definitions are cached, so they are read again."""
    here.service.set(read_lag_seconds=5)
    here.write(**{"fields/asset": "- {field_key: description, comment: New}\n- {label: Shelf, type: TEXT}\n"})
    done = here.run()
    assert done.outcome == "changed", [*done.failures, *done.findings]
    here.service.clock.forward(60)
    assert here.run().outcome == "unchanged"


@pytest.mark.parametrize("side", ["record", "no_content"])
def test_a_record_that_stays_archived_fails(here: Machine, side: str) -> None:
    here.service = Embedded.started({"patch_answer": side})
    client = here.service.client()
    record = client.get_by_barcode(KINDS["object"], "100005")
    assert record is not None
    client.archive(KINDS["object"], record.uuid)
    here.service.fault("no_effect", method="POST", path="*/unarchive", answer="204")
    here.write(objects="- {barcode: '100005', description: New}\n")
    done = here.run()
    assert [change["action"] for change in done.changes] == ["update"], done.findings
    (failure,) = done.failures
    assert "is still archived" in failure["reason"]


# ---- requests


def places(city: str) -> str:
    return "".join(f"- {{name: Place {number}, city: {city}}}\n" for number in range(3))


def reads_after_writes(here: Machine, **files: str) -> list[str]:
    """Return the paths of the requests that follow the last write of a run."""
    here.write(**files)
    begin = len(here.service.log)
    assert here.run().outcome == "changed"
    log = here.service.log[begin:]
    last = max(number for number, (method, _path) in enumerate(log) if method != "GET")
    return [path.partition("/v1")[2] for _method, path in log[last + 1 :]]


def test_an_answer_that_is_the_record_costs_nothing(here: Machine) -> None:
    reads_after_writes(here, locations=places("Halle"))
    assert reads_after_writes(here, locations=places("Jena")) == []


def test_records_of_a_kind_are_checked_with_one_list(here: Machine) -> None:
    here.service = Embedded.started({"patch_answer": "empty_object"})
    reads_after_writes(here, locations=places("Halle"))
    assert reads_after_writes(here, locations=places("Jena")) == ["/locations"]


def test_the_list_that_shows_duplicates_is_read_once(here: Machine) -> None:
    here.service = Embedded.started({"patch_answer": "empty_object"})
    reads_after_writes(here, locations=places("Halle"))
    assert reads_after_writes(here, locations=f"{places('Jena')}{MARKER}") == ["/locations"]


def test_one_record_is_checked_with_one_request(here: Machine) -> None:
    here.service = Embedded.started({"patch_answer": "empty_object"})
    (read,) = reads_after_writes(here, locations="- {name: Werkstatt, city: Halle}\n")
    assert read.startswith("/location/")


def test_a_check_that_fails_is_a_warning(here: Machine) -> None:
    here.service = Embedded.started({"patch_answer": "empty_object"})
    here.service.fault("500", method="GET", path="*/location/*")
    here.write(locations="- {name: Werkstatt, city: Halle}\n")
    done = here.run()
    assert done.outcome == "changed"
    assert any("Whether the changes had an effect" in line for line in done.warnings)


def test_a_removed_record_that_exists_belongs_to_the_set_still(here: Machine) -> None:
    settings = SETTINGS + "policy: {prune: {locations: delete}}\n"
    here.write(instance=settings, locations=f"- {{name: Werkstatt}}\n{MARKER}")
    assert here.run().outcome == "changed"
    here.write(instance=settings, locations="- {name: Werkstatt}\n")
    without_effect(here, "204")
    for _run in range(2):
        done = here.run()
        assert done.outcome == "failed", done.document()
        assert [change["action"] for change in done.changes] == ["delete"]
