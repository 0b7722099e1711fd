# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Before anything is created a second time, a lost record is looked up until the settling horizon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import steps
from embedded_here import Killed
from instance_site import yaml_list
from one_machine import Machine, kill_at_the_loss
from playbook import Result

ELIF = "elif.yildiz@nordhain.example"
BERND = "bernd.kowalski@nordhain.example"
LATE = ("504_late", "502_late", "reset_late")
NEVER = ("503", "502_html", "reset_before")
"""Faults after which a request never takes effect, although the client can't know it."""


@dataclass(frozen=True)
class Creation:
    """A record that a module creates.

    :ivar post: the path of its request. :ivar is_repeated: True if the request may be sent again.
    :ivar info: how the records are counted.
    """

    module: str
    options: Mapping[str, Any]
    post: str
    is_repeated: bool = True
    info: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.module


CREATIONS = (
    Creation(
        "field_definition",
        {"template": "asset", "label": "Condition", "type": "TEXT"},
        "/asset-tracking/asset/field-definition",
        info={"template": "asset"},
    ),
    Creation("location", {"fields": {"name": "Mill", "city": "Halle"}}, "/location"),
    Creation("room", {"fields": {"building_id": "Dresden", "number": "9"}}, "/room"),
    Creation("person", {"fields": {"email": "ada@nordhain.example"}}, "/person"),
    Creation("object", {"fields": {"barcode": "7", "inventory_name": "Drill"}}, "/object"),
    Creation(
        "task",
        {
            "title": "Inspect",
            "deadline": "2031-06-30",
            "assignees": [BERND],
            "references": ["100010"],
            "reminders": [{"unit": "days", "value": 1}],
        },
        "/task-management/task",
    ),
    Creation(
        "rental_case",
        {
            "title": "Fair",
            "references": ["100010"],
            "issue_date": "2031-07-05",
            "due_date": "2031-07-09",
            "responsible_user": BERND,
            "renter": {"type": "plain", "value": "Weber"},
        },
        "/rental-management/rental-case",
    ),
    Creation("user_from_person", {"person": ELIF}, "/persons/create-user", False),
    Creation("hub_item", {"object": "100013", "price": 500}, "/circularity-hub/add-objects-to-circularity-hub", False),
    Creation("hub_order", {"items": ["100003"]}, "/circularity-hub/orders", False),
    Creation("file", {"path": "manual.txt"}, "/file", False),
)
creations = pytest.mark.parametrize("creation", CREATIONS, ids=str)


def in_turn(faults: Sequence[str]) -> pytest.MarkDecorator:
    """Pair each creation with one of several faults, and each fault with some creations."""
    pairs = [(creation, faults[number % len(faults)]) for number, creation in enumerate(CREATIONS)]
    return pytest.mark.parametrize(("creation", "fault"), pairs, ids=str)


class Controller(Machine):
    """A machine that creates records."""

    def create(self, creation: Creation) -> Result:
        return self.call(creation.module, **creation.options)

    def count(self, creation: Creation) -> int:
        """Return the number of all records of the kind, when no request is pending any more."""
        self.service.gateway.faults.replace([])
        self.service.clock.forward(60)
        name = {"user_from_person": "user"}.get(creation.module, creation.module)
        return int(self.call(f"{name}_info", **creation.info)["count"])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Controller:
    (tmp_path / "manual.txt").write_text("Switch it on.")
    monkeypatch.chdir(tmp_path)
    return Controller(tmp_path)


def seconds(here: Controller) -> float:
    return here.service.clock.now() - 1000


# ---- one record


@in_turn(LATE)
def test_a_record_that_comes_late_is_found_and_not_created_again(
    here: Controller, creation: Creation, fault: str
) -> None:
    before = here.count(creation)
    here.service.fault(fault, method="POST", path=creation.post, commit_after=25, times=1)
    done = here.create(creation)
    assert not done.failed, done.data
    assert done["changed"]
    assert here.posts(creation.post) == 1
    assert here.count(creation) == before + 1
    assert not here.create(creation)["changed"]


@in_turn(NEVER)
def test_nothing_is_sent_again_before_the_horizon(here: Controller, creation: Creation, fault: str) -> None:
    before = here.count(creation)
    here.service.fault(fault, method="POST", path=creation.post, times=1)
    began = seconds(here)
    done = here.create(creation)
    assert seconds(here) - began == 30
    assert done.failed != creation.is_repeated
    assert here.posts(creation.post) == 1 + creation.is_repeated
    assert here.count(creation) == before + creation.is_repeated


@creations
def test_an_error_of_the_service_itself_is_looked_up_twice_as_ever(here: Controller, creation: Creation) -> None:
    here.service.fault("500", method="POST", path=creation.post)
    done = here.create(creation)
    assert done.failed
    assert here.posts(creation.post) == 1 + creation.is_repeated
    assert seconds(here) == (8 if creation.is_repeated else 4)


@creations
def test_a_request_that_timed_out_is_never_sent_again(here: Controller, creation: Creation) -> None:
    before = here.count(creation)
    began = seconds(here)
    here.service.fault("latency", method="POST", path=creation.post, seconds=45, times=1)
    late = here.create(creation)
    assert not late.failed, late.data
    assert seconds(here) - began <= 60
    assert here.posts(creation.post) == 1
    assert here.count(creation) == before + 1


@creations
def test_a_request_that_timed_out_and_has_no_effect_is_the_error(here: Controller, creation: Creation) -> None:
    here.service.fault("latency", method="POST", path=creation.post, seconds=4000, times=1)
    lost = here.create(creation)
    assert lost.failed
    assert "was not sent again" in lost["msg"]
    assert seconds(here) == 60
    assert here.posts(creation.post) == 1


@creations
def test_nothing_is_waited_for_if_no_answer_was_lost(here: Controller, creation: Creation) -> None:
    assert here.create(creation)["changed"]
    assert not here.create(creation)["changed"]
    assert seconds(here) == 0
    assert here.posts(creation.post) == 1


def test_the_horizon_is_at_least_the_time_out_and_the_option_sets_it(here: Controller) -> None:
    location = CREATIONS[1]
    here.service.fault("503", method="POST", path=location.post, times=1)
    here.client.transport.settle = 90
    done = steps.call(location.module, location.options, False, lambda _options, _check: here.client)
    assert done["changed"]
    assert seconds(here) == 90


# ---- interrupted writers


@creations
def test_what_a_killed_process_sent_is_found_by_the_next_one(here: Controller, creation: Creation) -> None:
    before = here.count(creation)
    began = seconds(here)
    here.service.fault("504_late", method="POST", path=creation.post, commit_after=10, times=1)
    here.client = here.connect()
    kill_at_the_loss(here.client)
    with pytest.raises(Killed):
        steps.call(creation.module, creation.options, False, lambda _options, _check: here.client)
    here.service.clock.forward(5)
    done = here.create(creation)
    assert not done.failed, done.data
    assert seconds(here) - began == 30
    assert here.posts(creation.post) == 1
    assert here.count(creation) == before + 1


@creations
def test_a_mark_that_is_older_than_the_horizon_costs_no_time(here: Controller, creation: Creation) -> None:
    here.service.fault("504_late", method="POST", path=creation.post, commit_after=10, times=1)
    here.client = here.connect()
    kill_at_the_loss(here.client)
    with pytest.raises(Killed):
        steps.call(creation.module, creation.options, False, lambda _options, _check: here.client)
    here.service.clock.forward(40)
    began = seconds(here)
    assert not here.create(creation).failed
    assert seconds(here) == began
    assert here.posts(creation.post) == 1


# ---- a set


LOCATIONS = yaml_list({"name": f"Mill {number}", "city": "Halle"} for number in range(6))
ROOMS = yaml_list({"building_id": f"Mill {number}", "number": f"{number}.1"} for number in range(6))
OBJECTS = yaml_list(
    {"barcode": f"9{number}", "inventory_name": f"Drill {number}", "target_room": f"Mill {number}/{number}.1"}
    for number in range(6)
)
TASKS = yaml_list(
    {"title": f"Inspect {number}", "deadline": "2031-06-30", "assignees": [BERND], "references": [f"9{number}"]}
    for number in range(6)
)
FILES = {"locations": LOCATIONS, "rooms": ROOMS, "objects": OBJECTS, "tasks": TASKS}


def duplicates(dump: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Return the names that exist twice in the canonical dump of an instance, which marks them."""
    names = {f"Mill {number}" for number in range(6)} | {f"{number}.1" for number in range(6)}
    names |= {f"Drill {number}" for number in range(6)} | {f"Inspect {number}" for number in range(6)}
    found = [record["name"].partition("#") for kind in FILES for record in dump[kind]]
    return [name for name, mark, _rest in found if mark and name in names]


def test_a_set_that_was_killed_is_waited_for_once_and_planned_again(here: Controller) -> None:
    here.write(**FILES)
    here.service.fault("504_late", method="POST", path="/location", commit_after=20, times=2)
    with pytest.raises(Killed):
        here.run(kill=True)
    assert here.run().outcome == "changed"
    assert seconds(here) == 30
    assert here.posts("/location") == 6
    assert duplicates(here.service.dump()) == []
    assert here.run().outcome == "unchanged"


def test_without_the_runtime_directory_the_journal_reports_of_a_killed_set(here: Controller) -> None:
    here.runtime = None
    here.runtime = None
    here.write(**FILES)
    here.service.fault("504_late", method="POST", path="/location", commit_after=20, times=2)
    with pytest.raises(Killed):
        here.run(kill=True)
    assert here.run().outcome == "changed"
    # The notes of the journal use the machine's clock, which did not move.
    assert seconds(here) == pytest.approx(30, abs=2)
    assert here.posts("/location") == 6
    assert duplicates(here.service.dump()) == []
