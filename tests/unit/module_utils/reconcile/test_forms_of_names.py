# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules find a record in every Unicode form of its name, and create none whose name people can't tell from others."""

from __future__ import annotations

import unicodedata
from typing import Any, Literal

import pytest
from embedded_here import Embedded
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    LOCATION,
    OBJECT,
    PERSON,
    ROOM,
    USER,
    Kind,
)

from ..support import RANDOMISED

DAVID = "david.okafor@nordhain.example"
TASK: dict[str, Any] = {"deadline": "2031-01-01", "assignees": [DAVID]}
CASE = {"references": ["100001"], "issue_date": "2031-01-01", "due_date": "2031-01-02", "responsible_user": DAVID}
NEW: dict[str, tuple[str, dict[str, Any]]] = {
    "object": ("barcode", {"inventory_name": "x"}),
    "room": ("number", {"building_id": "Dresden", "name": "x"}),
    "room by name": ("name", {"building_id": "Dresden", "number": "9.99"}),
    "location": ("name", {}),
    "person": ("email", {"first_name": "D", "last_name": "O"}),
    "task": ("title", TASK),
    "rental_case": ("title", CASE),
    "field_definition": ("label", {"template": "asset", "type": "TEXT"}),
}
UNFIT = ["{} ", "\u00a0{}", "{}\r", "{}\u200b", "\ufeff{}", "{}\u2028b", "{}\u3164"]


def call(service: Embedded, name: str, text: str, check_mode: bool = False) -> dict[str, Any]:
    """Run the module of a kind with a text in the natural key."""
    module = name.partition(" ")[0]
    key, others = NEW[name]
    fields = {**others, key: text}
    is_flat = module in ("task", "rental_case", "field_definition")
    return service.call(module, check_mode, **(fields if is_flat else {"fields": fields}))


@pytest.mark.slow
@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("name", NEW)
def test_no_new_key_has_blanks_at_an_edge_or_invisible_characters(name: str, check_mode: bool) -> None:
    service = Embedded.started()
    before = service.dump()
    for text in UNFIT:
        result = call(service, name, text.format("new@x.example"), check_mode)
        assert result.get("failed"), text
        assert result["msg"].isprintable()
        assert NEW[name][0] in result["msg"]
        assert "and it identifies" in result["msg"]
    assert service.dump() == before


@pytest.mark.parametrize(
    ("kind", "fields"), [(LOCATION, {"name": "{}"}), (OBJECT, {"barcode": "{}", "inventory_name": "x"})]
)
@pytest.mark.parametrize("text", UNFIT)
def test_a_text_that_equals_an_existing_key_means_that_record(kind: Kind, fields: dict[str, str], text: str) -> None:
    service = Embedded.started()
    written = {key: value.format(text.format("700001")) for key, value in fields.items()}
    service.client().create(kind, written)
    assert not service.call(kind.name, fields=written).get("changed", True)
    assert service.call(kind.name, state="absent", fields=written)["changed"]


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize(("stored", "typed"), [("NFC", "NFD"), ("NFD", "NFC")])
def test_another_unicode_form_means_the_same_record_and_takes_no_more_requests(
    name: str, stored: Literal["NFC", "NFD"], typed: Literal["NFC", "NFD"]
) -> None:
    service = Embedded.started()
    text = "müller.gärtner@x.example"
    assert call(service, name, unicodedata.normalize(stored, text))["changed"]
    logs = []
    for form in (stored, typed):
        service.log.clear()
        assert not call(service, name, unicodedata.normalize(form, text)).get("changed", True)
        logs.append(len(service.log))
    assert logs[0] == logs[1]


def test_of_two_records_that_look_the_same_a_text_means_the_one_with_exactly_this_text() -> None:
    service = Embedded.started()
    forms = [unicodedata.normalize("NFC", "München"), unicodedata.normalize("NFD", "München")]
    for form in forms:
        service.client().create(LOCATION, {"name": form})
    for form, city in zip(forms, ("A", "B"), strict=True):
        assert service.call("location", fields={"name": form, "city": city})["changed"]
    listed = {record.flat["name"]: record.flat["city"] for record in service.client().list_all(LOCATION)}
    assert [listed[form] for form in forms] == ["A", "B"]


def test_filters_find_every_unicode_form() -> None:
    service = Embedded.started()
    forms = [unicodedata.normalize("NFC", "Bühl"), unicodedata.normalize("NFD", "Bühl")]
    for form in forms:
        service.client().create(LOCATION, {"name": form})
    for wanted in ({"name": forms[0]}, {"name": {"in": forms[1:]}}, {"name": {"like": forms[1]}}):
        found = service.call("location_info", filters=wanted, sort=[], limit=None, uuid=None)
        assert sorted(record["name"] for record in found["records"]) == sorted(forms)
    rest = service.call("location_info", filters={"name": {"neq": forms[0]}}, sort=[], limit=None, uuid=None)
    assert rest["records"]
    assert not {record["name"] for record in rest["records"]} & set(forms)


def test_a_reference_in_another_form_costs_no_request_more() -> None:
    service = Embedded.started()
    service.client().create(LOCATION, {"name": unicodedata.normalize("NFD", "Köln")})
    fields = {"barcode": "700001", "inventory_name": "x", "target_building": unicodedata.normalize("NFC", "Köln")}
    assert service.call("object", fields=fields)["changed"]
    assert not service.call("object", fields=fields)["changed"]


@RANDOMISED
@given(st.text(st.characters(codec="utf-8", categories=("L", "M", "N", "S")), min_size=1, max_size=8))
def test_a_location_is_created_once_in_whatever_form_its_name_is_typed(name: str) -> None:
    service = Embedded.started()
    forms: tuple[Literal["NFC", "NFD"], ...] = ("NFD", "NFC", "NFD")
    results = [service.call("location", fields={"name": unicodedata.normalize(form, name)}) for form in forms]
    assert not any(result.get("changed") for result in results[1:])


@pytest.mark.parametrize("check_mode", [True, False])
def test_an_integer_that_is_the_name_of_another_record_is_an_error_with_both_spellings(check_mode: bool) -> None:
    service = Embedded.started()
    client = service.client()
    leipzig = next(record for record in client.list_all(LOCATION) if record.flat["name"] == "Leipzig")
    client.create(ROOM, {"building_id": leipzig.id, "number": "5", "name": "Five"})
    client.create(OBJECT, {"barcode": "3", "inventory_name": "Three"})
    room = service.call("object", check_mode, fields={"barcode": "100001", "target_room": 5})
    assert "'Leipzig/5'); write {id: 5} if you mean the id, or '5' in quotes if you mean the name" in room["msg"]
    thing = service.call("history_info", kind="object", record=3, limit=None)
    assert "write {id: 3} if you mean the id, or '3' in quotes if you mean the name" in thing["msg"]
    client.create(PERSON, {"email": "2", "first_name": "Two"})
    user = service.call("user_from_person", check_mode, person=2, filters=None)
    assert user["msg"].startswith("person: 2 means an id, but is also the natural key of a person "), user["msg"]
    task = service.call("task", check_mode, **TASK, title="x", references=[100001])
    assert "100001 means an id, but is also the natural key of an object (" in task["msg"], task
    for wanted in (5, {"in": [5, 6]}):
        options: dict[str, Any] = {"filters": {"target_room": wanted}, "sort": [], "limit": None, "uuid": None}
        found = service.call("object_info", check_mode, **options)
        assert found["msg"].startswith("filters.target_room."), found["msg"]
        assert "write {id: 5} if you mean the id, or '5' in quotes if you mean the name" in found["msg"]
    clear = {"barcode": "100001", "target_room": {"id": 5}}
    result = service.call("object", check_mode, diff_mode=True, fields=clear)
    assert result["changed"]
    assert result["diff"]["after"]["target_room"].startswith("Dresden/")


def test_the_diff_of_a_creation_names_what_ids_and_uuids_mean() -> None:
    service = Embedded.started()
    david = next(record for record in service.client().list_all(USER) if record.flat["email"] == DAVID)
    chair = next(record for record in service.client().list_all(OBJECT) if record.flat["barcode"] == "100003")
    fields = {**TASK, "title": "x", "assignees": [david.uuid], "references": [{"id": chair.id}]}
    after = service.call("task", True, diff_mode=True, **fields)["diff"]["after"]
    assert (after["assignees"], after["references"]) == ([DAVID], ["100003"])


def test_an_integer_costs_a_request_only_if_something_changes() -> None:
    service = Embedded.started()
    fields = {"barcode": "100001", "target_room": 5}
    assert service.call("object", fields=fields)["changed"]
    logs = []
    for written in (fields, {**fields, "target_room": {"id": 5}}):
        service.log.clear()
        assert not service.call("object", fields=written)["changed"]
        logs.append(list(service.log))
    assert logs[0] == logs[1]


def test_an_ambiguous_room_is_named_by_its_paths_and_an_unknown_user_by_the_nearest_address() -> None:
    service = Embedded.started()
    client = service.client()
    places = [record for record in client.list_all(LOCATION) if record.flat["name"] in ("Dresden", "Leipzig")]
    for place in places:
        client.create(ROOM, {"building_id": place.id, "number": "77", "name": "Twin"})
    room = service.call("object", fields={"barcode": "100001", "target_room": "77"})
    assert "2 rooms have the natural key '77': 'Dresden/77', 'Leipzig/77'." in room["msg"]
    task = service.call("task", title="x", deadline="2031-01-01", assignees=["david"])
    assert task["msg"].endswith(f"There is no user 'david'; expected an e-mail address. The nearest are '{DAVID}'.")


def test_a_barcode_with_leading_zeros_and_without_quotes_is_explained_wherever_it_is_written() -> None:
    service = Embedded.started()
    number = int("0042001", 8)
    for result in (
        service.call("object", fields={"barcode": number}),
        service.call("object_info", barcode=number, filters={}, sort=[], limit=None, uuid=None),
        service.call("object_info", filters={"barcode": number}, sort=[], limit=None, uuid=None),
    ):
        assert "17409 does not fit; expected text; quote it where it is written" in result["msg"]
        assert "042001 is read as an octal number" in result["msg"]
