# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that create or change a record: changed keys with PATCH, the whole record with PUT."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, Kind
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.request_bodies import (
    create_body,
    update_body,
)

from ..support import JsonMap, definition, uuid_of

ASSET, USER, FILE = uuid_of(1), uuid_of(2), uuid_of(3)

TASK: JsonMap = {
    "uuid": uuid_of(10),
    "status": "closed",
    "author": USER,
    "title": "Check",
    "comment": "All of it",
    "deadline": "2024-05-31",
    "reminders": [{"unit": "days", "value": 1}],
    "recurring_schedule": {"unit": "weeks", "value": 2},
    "assignees": [USER],
    "references": [{"type": "asset", "uuid": ASSET, "name": "Laptop", "id": 1, "status": "open"}],
    "attachments": [{"uuid": FILE, "name": "a.pdf", "type": "application/pdf", "size": 3, "data_uri": "/d"}],
    "slug": "T-1",
    "created_at": None,
}
TASK_WRITTEN: JsonMap = {
    "title": "Check",
    "comment": "All of it",
    "deadline": "2024-05-31",
    "reminders": [{"unit": "days", "value": 1}],
    "recurring_schedule": {"unit": "weeks", "value": 2},
    "assignees": [USER],
    "references": [{"type": "asset", "uuid": ASSET}],
    "attachments": [FILE],
}
RENTAL: JsonMap = {
    "uuid": uuid_of(11),
    "status": "borrowed",
    "title": "Fair",
    "references": [{"type": "asset", "uuid": ASSET, "name": "Laptop", "id": 1}],
    "issue_date": "2024-05-01",
    "issue_date_reminder": {"unit": "days", "value": 1},
    "due_date": "2024-05-31",
    "due_date_reminder": {"unit": "days", "value": 2},
    "responsible_user_uuid": USER,
    "renter": {"type": "plain", "value": "Ada"},
    "comment": "Careful",
    "attachments": [{"uuid": FILE, "size": 3}],
    "author": USER,
    "created_at": "2024-05-01 10:00:00",
}
RENTAL_WRITTEN: JsonMap = {
    "status": "borrowed",
    "title": "Fair",
    "references": [{"type": "asset", "uuid": ASSET}],
    "issue_date": "2024-05-01",
    "issue_date_reminder": {"unit": "days", "value": 1},
    "due_date": "2024-05-31",
    "due_date_reminder": {"unit": "days", "value": 2},
    "responsible_user_uuid": USER,
    "renter": {"type": "plain", "value": "Ada"},
    "comment": "Careful",
    "attachments": [FILE],
}


def parsed(kind: str, written: JsonMap) -> JsonMap:
    values, findings = Schema.for_kind(KINDS[kind]).parse(written, "")
    assert not findings.errors
    assert not findings.unknown
    return values


def update(kind: str, flat: JsonMap, written: JsonMap, extra: JsonMap | None = None) -> JsonMap:
    return update_body(
        Schema.for_kind(KINDS[kind]), Record.from_answer(KINDS[kind], flat), parsed(kind, written), extra or {}
    )


def create(kind: str, written: JsonMap, extra: JsonMap | None = None) -> JsonMap:
    return create_body(Schema.for_kind(KINDS[kind]), parsed(kind, written), extra or {})


# ---- PATCH


def test_patch_sends_the_changed_keys_alone() -> None:
    schema = Schema.for_kind(KINDS["object"], [definition("barcode", "BARCODE"), definition("price", "MONEY")])
    current = Record.from_answer(KINDS["object"], {"asset_uuid": uuid_of(1), "barcode": "1", "price": 5, "other": "x"})
    assert update_body(schema, current, {"price": None}, {}) == {"price": None}


def test_a_create_leaves_out_what_is_empty_but_not_zero_and_false() -> None:
    definitions = [
        definition(key, name) for key, name in (("a", "TEXT"), ("n", "NUMBER"), ("b", "BOOLEAN"), ("f", "ATTACHMENT"))
    ]
    schema = Schema.for_kind(KINDS["object"], definitions)
    values, _findings = schema.parse({"a": None, "n": 0, "b": False, "f": []}, "")
    assert create_body(schema, values, {}) == {"n": 0, "b": False}


# ---- PUT of a task


def test_put_of_a_task_keeps_everything_in_its_write_shape() -> None:
    assert update("task", TASK, {"title": "New"}) == {**TASK_WRITTEN, "title": "New"}


@pytest.mark.parametrize("key", ["uuid", "status", "author", "slug", "created_at", "notify"])
def test_put_of_a_task_leaves_out_what_the_service_manages(key: str) -> None:
    assert key not in update("task", TASK, {"title": "New"})


def test_recurring_schedule_is_always_there_as_null_when_there_is_none() -> None:
    assert create("task", {"title": "a"})["recurring_schedule"] is None
    assert update("task", TASK, {"recurring_schedule": None})["recurring_schedule"] is None
    assert update("task", {**TASK, "recurring_schedule": None}, {"title": "New"})["recurring_schedule"] is None


def test_a_new_task_has_every_member_but_the_status() -> None:
    written = {"title": "a", "deadline": "2024-05-31", "assignees": [USER], "status": "closed"}
    assert create("task", written) == {
        "title": "a",
        "comment": None,
        "deadline": "2024-05-31",
        "reminders": [],
        "recurring_schedule": None,
        "assignees": [USER],
        "references": [],
        "attachments": [],
    }


@pytest.mark.parametrize("notify", [True, False])
def test_notify_is_sent_only_where_it_was_set(notify: bool) -> None:
    assert update("task", TASK, {"title": "New"}, {"notify": notify})["notify"] is notify
    assert create("task", {"title": "New"}, {"notify": notify})["notify"] is notify
    assert "notify" not in create("task", {"title": "New"})


# ---- PUT of a rental case


def test_put_of_a_rental_case_keeps_everything_in_its_write_shape() -> None:
    assert update("rental_case", RENTAL, {"title": "New"}) == {**RENTAL_WRITTEN, "title": "New"}


@pytest.mark.parametrize("key", ["issue_date_reminder", "due_date_reminder"])
def test_a_null_reminder_is_left_out(key: str) -> None:
    assert key not in update("rental_case", RENTAL, {key: None})
    assert key not in update("rental_case", {**RENTAL, key: None}, {"title": "New"})
    assert key not in create("rental_case", {"title": "a"})


@pytest.mark.parametrize("answered", ["", None])
def test_the_comment_of_a_rental_case_is_always_a_text(answered: Any) -> None:
    assert update("rental_case", {**RENTAL, "comment": answered}, {"title": "New"})["comment"] == ""
    assert update("rental_case", RENTAL, {"comment": None})["comment"] == ""
    assert create("rental_case", {"title": "a"})["comment"] == ""


def test_a_renter_left_out_is_left_out_of_the_body() -> None:
    assert "renter" not in create("rental_case", {"title": "a"})
    assert "renter" not in update("rental_case", {**RENTAL, "renter": None}, {"title": "New"})


def test_a_renter_who_is_a_user_stays_one() -> None:
    renter = {"type": "user", "value": USER}
    assert update("rental_case", {**RENTAL, "renter": renter}, {"title": "New"})["renter"] == renter


def test_the_current_status_is_sent_unless_another_one_is_wanted() -> None:
    assert update("rental_case", RENTAL, {"title": "New"})["status"] == "borrowed"
    assert update("rental_case", RENTAL, {"status": "completed"})["status"] == "completed"
    assert "status" not in create("rental_case", {"title": "a"})
    assert create("rental_case", {"title": "a", "status": "confirmed"})["status"] == "confirmed"


def test_a_new_rental_case_has_empty_attachments_and_references_by_uuid() -> None:
    body = create("rental_case", {"title": "a", "references": [ASSET], "responsible_user": USER})
    assert body["attachments"] == []
    assert body["references"] == [{"type": "asset", "uuid": ASSET}]
    assert body["responsible_user_uuid"] == USER
    assert "responsible_user" not in body


# ---- PUT of a field definition


DEFINITION = definition(
    "colour_1",
    "DROPDOWN",
    label="Colour",
    comment="What colour",
    default_value=False,
    possible_values=["red", "green"],
    attributes={"editable": ["web_app", "mobile_app"], "unique": "no", "from_the_future": 5},
    constraints={"allowed_values": ["red", "green"], "from_the_future": "x"},
    relations=[{"type": "actual_field", "field_uuid": uuid_of(5)}],
    position=7,
    hidden=None,
)


def by_type(items: list[JsonMap]) -> list[tuple[str, Any]]:
    return sorted((item["type"], repr(item["value"])) for item in items)


def test_put_of_a_field_definition_keeps_everything_unknown_members_too() -> None:
    body = update("field_definition", DEFINITION, {"label": "Color"})
    assert {**body, "attributes": None, "field_type": None} == {
        **DEFINITION,
        "label": "Color",
        "attributes": None,
        "field_type": None,
    }
    assert by_type(body["attributes"]) == by_type(DEFINITION["attributes"])
    assert body["field_type"]["name"] == "DROPDOWN"
    assert by_type(body["field_type"]["constraints"]) == by_type(DEFINITION["field_type"]["constraints"])


def test_put_of_a_field_definition_has_uuid_and_field_key() -> None:
    body = update("field_definition", DEFINITION, {"comment": None})
    assert (body["uuid"], body["field_key"], body["comment"]) == (DEFINITION["uuid"], "colour_1", None)


def test_unknown_members_of_the_type_are_kept() -> None:
    raw = {**DEFINITION, "field_type": {**DEFINITION["field_type"], "widget": "radio"}}
    assert update("field_definition", raw, {"label": "Color"})["field_type"]["widget"] == "radio"


def test_an_unknown_constraint_with_a_list_is_kept_whole() -> None:
    raw = definition("a", constraints={"from_the_future": [1, 2]})
    body = update("field_definition", raw, {"label": "New"})
    assert body["field_type"]["constraints"] == [{"type": "from_the_future", "value": [1, 2]}]


def test_a_new_definition_has_every_member_but_the_field_key() -> None:
    assert create("field_definition", {"label": "Colour", "type": "TEXT"}) == {
        "label": "Colour",
        "field_type": {"name": "TEXT", "constraints": []},
        "attributes": [],
        "relations": [],
        "comment": None,
        "default_value": None,
        "possible_values": [],
    }


def test_a_new_definition_sends_what_was_written() -> None:
    written = {
        "label": "Colour",
        "type": "DROPDOWN",
        "possible_values": ["red", "green"],
        "constraints": {"allowed_values": ["red", "green"]},
        "attributes": {"mandatory": True, "editable": ["web_app", "mobile_app"]},
        "default_value": "red",
    }
    body = create("field_definition", written)
    assert body["possible_values"] == ["red", "green"]
    assert body["default_value"] == "red"
    assert body["field_type"]["constraints"] == [{"type": "allowed_values", "value": ["red", "green"]}]
    assert body["attributes"] == [
        {"type": "mandatory", "value": "yes"},
        {"type": "editable", "value": "web_app"},
        {"type": "editable", "value": "mobile_app"},
    ]


# ---- a kind that is like none of them


def test_a_new_kind_that_is_replaced_needs_its_declaration_alone() -> None:
    kind = Kind(
        "contract",
        "/contract",
        fields=(Field("number", "TEXT"), Field("amount", "MONEY"), Field("note", "TEXT"), Field("ends_on", "DAY")),
        update="PUT",
        kept_by_leaving_out=("ends_on",),
        texts_without_null=("note",),
    )
    schema = Schema.for_kind(kind)
    whole = {"number": "C-17", "amount": None, "note": ""}
    assert create_body(schema, {"number": "C-17"}, {}) == whole
    current = Record.from_answer(kind, {**whole, "uuid": uuid_of(1), "amount": 5, "ends_on": "2031-05-31"})
    assert update_body(schema, current, {"amount": None}, {}) == {**whole, "ends_on": "2031-05-31"}
