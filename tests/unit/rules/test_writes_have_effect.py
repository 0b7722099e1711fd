# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A write counts if it had an effect. A task fails if the record still has its old value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from one_machine import Machine

BERND = "bernd.kowalski@nordhain.example"
ANSWERS = ("claimed", "unchanged", "200", "202", "204")
PANEL_SAW = "Laserdrucker reparieren"

WRITES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "object": ("object", {"fields": {"barcode": "100005", "description": "New"}}),
    "object archived": ("object", {"fields": {"barcode": "100005"}, "state": "archived"}),
    "object deleted": ("object", {"fields": {"barcode": "100005"}, "state": "absent"}),
    "location": ("location", {"fields": {"name": "Werkstatt", "city": "Halle"}}),
    "room": ("room", {"fields": {"building_id": "Dresden", "number": "0.01", "description": "New"}}),
    "person": ("person", {"fields": {"email": BERND, "first_name": "New"}}),
    "task": ("task", {"title": PANEL_SAW, "comment": "New"}),
    "task status": ("task", {"title": PANEL_SAW, "status": "closed"}),
    "task deleted": ("task", {"title": PANEL_SAW, "state": "absent"}),
    "rental case": (
        "rental_case",
        {"title": "Kamera für den Katalog", "issue_date": "2027-04-12", "comment": "New"},
    ),
    "definition": ("field_definition", {"template": "asset", "field_key": "description", "comment": "New"}),
    "price of an offer": ("hub_item", {"object": "100003", "price": 3}),
    "offer taken off": ("hub_item", {"object": "100003", "state": "absent"}),
    "order completed": ("hub_order", {"id": 1, "completed": True}),
    "file": ("file", {"object": "100005", "field": "documents", "path": "manual.txt"}),
    "file of a person": ("file", {"person": BERND, "field": "picture", "path": "manual.txt"}),
    "catalog item": (
        "catalog_item",
        {"match_on": ["inventory_name"], "fields": {"inventory_name": 'Monitor 27"', "description": "New"}},
    ),
}
writes = pytest.mark.parametrize("write", WRITES)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    (tmp_path / "manual.txt").write_text("Switch it on.")
    monkeypatch.chdir(tmp_path)
    return Machine(tmp_path)


def without_effect(here: Machine, answer: str = "claimed") -> None:
    for method in ("PATCH", "PUT", "DELETE", "POST"):
        for path in (
            "*/object/*",
            "*/location/*",
            "*/room/*",
            "*/person/*",
            "*task/*",
            "*rental-case/*",
            "*definition/*",
            "*item/*",
            "*order/*",
        ):
            here.service.fault("no_effect", method=method, path=path, answer=answer)


def records(here: Machine) -> dict[str, Any]:
    """Return everything except uploaded files, because an upload has an effect even if its link has none."""
    return {kind: found for kind, found in here.service.dump().items() if kind != "files"}


@pytest.mark.sample(6)
@writes
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_write_without_effect_fails(here: Machine, write: str, answer: str) -> None:
    module, options = WRITES[write]
    without_effect(here, answer)
    before = records(here)
    for _run in range(2):
        done = here.call(module, **options)
        assert done.failed, done.data
        assert "The change had no effect" in done["msg"]
    assert records(here) == before


@writes
def test_a_write_that_shows_late_counts_with_one_warning(here: Machine, write: str) -> None:
    module, options = WRITES[write]
    here.service.set(read_lag_seconds=5)
    done = here.call(module, **options)
    assert not done.failed, done.data
    assert done["changed"]
    assert [line for line in done["warnings"] if "some seconds after it accepted it" in line]
    here.service.clock.forward(60)
    assert not here.call(module, **options)["changed"]


@writes
def test_a_write_with_an_effect_costs_no_time(here: Machine, write: str) -> None:
    module, options = WRITES[write]
    assert here.call(module, **options)["changed"]
    assert here.service.clock.now() == 1000


def test_a_third_value_does_not_fail(here: Machine) -> None:
    read = "GET /location/{locationUuid}"
    here.service.set(answers={read: {"set": {"city": "HALLE"}}})
    assert not here.call("location", fields={"name": "Werkstatt", "city": "Halle"}).failed


def test_a_new_record_that_does_not_exist_fails(here: Machine) -> None:
    here.service.fault("no_effect", method="POST", path="/person")
    done = here.call("person", fields={"email": "ada@example.com"})
    assert done.failed
    assert "does not exist 30 seconds after" in done["msg"]


def test_a_file_that_somebody_attaches_during_an_upload_stays(here: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = here.service.answer
    (here.directory / "other.txt").write_text("Switch it off.")
    others = ["other.txt"]

    def answered(call: Any, timeout: float) -> Any:
        found = answer(call, timeout)
        if others and (call.method, call.path.rpartition("/")[2]) == ("POST", "file"):
            # Another machine shares no locks.
            here.runtime = None
            assert here.call("file", person=BERND, field="documents", path=others.pop())["changed"]
        return found

    monkeypatch.setattr(here.service, "answer", answered)
    assert here.call("file", person=BERND, field="documents", path="manual.txt")["changed"]
    for name in ("manual.txt", "other.txt"):
        done = here.call("file", person=BERND, field="documents", path=name)
        assert (done.failed, done["changed"]) == (False, False), done.data
