# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One record from the desired state to the report: its requests, its errors, and the use of archived duplicates."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    Ambiguous,
    InvalidInput,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.result import Result

from ..support import (
    SAMPLE,
    FakeTransport,
    Invocation,
    JsonMap,
    answer,
    by_uuid,
    client_on,
    created,
    definition,
    listing,
    refusal,
    uuid_of,
)

DEFINITIONS = [
    definition("barcode", "BARCODE", attributes={"unique": "yes"}),
    definition("serial_number", attributes={"unique": "yes"}),
    definition("quantity", "NUMBER", attributes={"unique": "yes"}),
    definition("width", label="Size"),
    definition("height", label="Size"),
]
TEMPLATE = "GET /asset-tracking/asset/field-definitions"
EMPTY: JsonMap = {"quantity": None, "width": None, "height": None, "archived_at": None}
ACTIVE: JsonMap = {"asset_uuid": uuid_of(1), "id": 1, "barcode": "0001", "serial_number": "S-1", **EMPTY}
OTHER: JsonMap = {"asset_uuid": uuid_of(2), "id": 2, "barcode": "0002", "serial_number": "S-2", **EMPTY}
ARCHIVED: JsonMap = {"asset_uuid": uuid_of(3), "id": 3, "barcode": "0003", "archived_at": "2031-01-01 00:00:00"}


def service(**routes: Any) -> FakeTransport:
    """Return an instance with two listed objects, and an archived object that is only found by its barcode or uuid."""
    return FakeTransport(
        {
            TEMPLATE: answer(DEFINITIONS),
            "GET /objects": listing([ACTIVE, OTHER]),
            "GET /object/by-barcode/0003": by_uuid(ARCHIVED),
            "GET /object/by-barcode/0009": by_uuid(None),
            **{f"GET /object/{record['asset_uuid']}": by_uuid(record) for record in (ACTIVE, OTHER, ARCHIVED)},
            **routes,
        }
    )


def wish(transport: FakeTransport, kind: str, fields: JsonMap, check_mode: bool = False, **more: Any) -> Result:
    return ensure(client_on(transport), DesiredRecord(KINDS[kind], fields, "fields.", **more), check_mode)


def refused(transport: FakeTransport, kind: str, fields: JsonMap, check_mode: bool = False, **more: Any) -> str:
    with pytest.raises(SeventhingsError) as caught:
        wish(transport, kind, fields, check_mode, **more)
    return caught.value.message


# ---- archived twins


@pytest.mark.parametrize("check_mode", [True, False])
def test_absent_removes_an_archived_object_that_its_barcode_finds(check_mode: bool) -> None:
    transport = service(**{f"DELETE /object/{uuid_of(3)}": answer(status=204)})
    report = wish(transport, "object", {"barcode": "0003"}, check_mode, state="absent")
    assert (report.changed, report.uuid) == (True, uuid_of(3))
    assert report.diff == {"before": {"barcode": "0003"}, "after": {}}
    assert transport.writes == ([] if check_mode else [f"DELETE /object/{uuid_of(3)}"])


def test_absent_looks_a_barcode_up_once_where_no_list_shows_it() -> None:
    transport = service()
    assert not wish(transport, "object", {"barcode": "0009"}, state="absent").changed
    assert transport.lines == [TEMPLATE, "GET /objects", "GET /object/by-barcode/0009"]


@pytest.mark.parametrize("number", [1, 3])
def test_absent_by_uuid_does_not_ask_whether_the_object_is_archived(number: int) -> None:
    flat = {"asset_uuid": uuid_of(number), "id": number}
    lines = [TEMPLATE, f"GET /object/{uuid_of(number)}", f"DELETE /object/{uuid_of(number)}"]
    transport = service(**{lines[1]: by_uuid(flat), lines[2]: answer(status=204)})
    assert wish(transport, "object", {}, state="absent", uuid=uuid_of(number)).changed
    assert transport.lines == [*lines, lines[1]]


def test_an_object_that_is_archived_already_is_reported_with_its_uuid() -> None:
    report = wish(service(), "object", {"barcode": "0003"}, state="archived")
    assert (report.changed, report.uuid, report.record["barcode"]) == (False, uuid_of(3), "0003")


def test_an_archived_object_is_found_by_its_barcode_whatever_identifies_it() -> None:
    transport = service(**{"GET /object/by-barcode/0003": by_uuid({**ARCHIVED, "serial_number": "S-3"})})
    fields = {"barcode": "0003", "serial_number": "S-3"}
    report = wish(transport, "object", fields, True, match_on=["serial_number"])
    assert (report.changed, report.uuid) == (True, uuid_of(3))
    assert report.diff == {"before": {"archived": True}, "after": {"archived": False}}


# ---- a status beside a uuid, fields that nobody knows


@pytest.mark.parametrize(("given", "status", "is_deleted"), [(True, "open", True), (False, "open", False)])
def test_a_task_that_is_named_by_its_uuid_is_deleted_whatever_its_status(
    given: bool, status: str, is_deleted: bool
) -> None:
    task = {"uuid": uuid_of(4), "title": "Count", "status": "closed"}
    path = f"/task-management/task/{uuid_of(4)}"
    transport = FakeTransport(
        {
            f"GET {path}": answer(task),
            "GET /task-management/tasks": answer([task]),
            f"DELETE {path}": answer(status=204),
        }
    )
    fields = {"status": status, **({} if given else {"title": "Count"})}
    more: JsonMap = {"uuid": uuid_of(4)} if given else {}
    assert wish(transport, "task", fields, state="absent", **more).changed is is_deleted


@pytest.mark.parametrize("kept", [True, False])
def test_a_field_that_an_instance_does_not_keep_is_reported(kept: bool) -> None:
    after = {**ACTIVE, **({"colour": "red"} if kept else {})}
    path = f"/object/{uuid_of(1)}"
    transport = service(**{f"PATCH {path}": answer(after), f"GET {path}": lambda _call: answer(after)})
    report = wish(transport, "object", {"barcode": "0001", "colour": "red"}, allow_unknown_fields=True)
    warning = "colour: this instance does not know the field and did not keep its value, so every run will send it."
    assert report.warnings == (() if kept else (warning,))


@pytest.mark.parametrize("state", ["present", "absent"])
def test_a_record_that_is_listed_without_a_uuid_is_not_written(state: str) -> None:
    listed = {"id": None, **{key: value for key, value in ACTIVE.items() if key not in ("asset_uuid", "id")}}
    transport = service(**{"GET /objects": answer([listed])})
    message = refused(transport, "object", {"barcode": "0001", "quantity": 7}, state=state)
    assert "expected records with a uuid, got something else" in message
    assert {call.method for call in transport.calls} == {"GET"}


# ---- who holds a value that must be unique


def lists_of_objects(transport: FakeTransport) -> list[Invocation]:
    """Return the requests for lists of objects, narrowed or not."""
    return [call for call in transport.calls if call.line == "GET /objects" and SAMPLE not in call.pairs]


def test_an_archived_record_may_have_a_value_that_no_active_record_has() -> None:
    transport = service(**{"POST /object": refusal(422)})
    message = refused(transport, "object", {"barcode": "0009", "serial_number": "S-9"})
    assert "an archived object, which no list shows, may have barcode '0009' and serial_number 'S-9'" in message


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "Body does not match schema"),
        (400, "Body does not match schema: there is no field 'colour'"),
        (422, "Field serial_number is mandatory"),
        (422, "Serial Number: a value is missing"),
        (400, "'S-2' is already in use by serial_number"),
        (422, "The number of objects that this contract allows is reached"),
        (400, "There is no room 17"),
    ],
)
def test_where_the_service_gives_another_cause_nothing_is_reported_of_archived_objects(status: int, words: str) -> None:
    transport = service(**{"POST /object": refusal(status, words)})
    message = refused(transport, "object", {"barcode": "0009", "width": "5"})
    assert message.endswith(f'The service says: "{words}".')


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (422, "Field barcode: '0009' is already in use"),
        (400, "Duplicate entry '0009'"),
        (422, "Barcode must be unique"),
        (409, "Conflict"),
        (422, ""),
    ],
)
def test_where_the_value_may_be_taken_an_archived_object_may_hold_it(status: int, words: str) -> None:
    transport = service(**{"POST /object": refusal(status, words)})
    assert "may have barcode '0009'" in refused(transport, "object", {"barcode": "0009", "width": "5"})


def test_that_no_active_record_has_the_natural_key_is_known_already() -> None:
    transport = service(**{"POST /object": refusal(422)})
    assert "may have barcode '0009'" in refused(transport, "object", {"barcode": "0009"})
    assert len(lists_of_objects(transport)) == 2


def test_rooms_are_never_archived() -> None:
    transport = FakeTransport(
        {
            "GET /asset-tracking/room/field-definitions": answer(
                [definition("building_id", "LINKED_LOCATION"), definition("number", attributes={"unique": "yes"})]
            ),
            "GET /rooms": listing([{"room_uuid": uuid_of(8), "id": 8, "building_id": 1, "number": "7"}]),
            "GET /locations": listing([]),
            "POST /room": refusal(422),
        }
    )
    assert "archived" not in refused(transport, "room", {"building_id": 2, "number": "8"})


# ---- hints name options that there are


def test_two_definitions_with_one_label_are_distinguished_by_uuid_or_field_key() -> None:
    raw = [definition("width", label="Size"), definition("height", label="Size")]
    transport = FakeTransport({TEMPLATE: answer(raw)})
    with pytest.raises(Ambiguous) as caught:
        wish(transport, "field_definition", {"label": "Size"}, template="asset")
    assert caught.value.message.endswith("Expected exactly one; give uuid or field_key.")


def test_two_objects_with_one_key_are_distinguished_by_match_on() -> None:
    transport = service(**{"GET /objects": answer([ACTIVE, {**OTHER, "barcode": "0001"}])})
    assert "give uuid, or a match_on that tells them apart" in refused(transport, "object", {"barcode": "0001"})


@pytest.mark.parametrize(
    ("match_on", "start"), [(None, "barcode must have a value"), (["barcode"], "match_on: barcode must have a value")]
)
def test_a_missing_key_names_match_on_only_where_that_was_written(match_on: list[str] | None, start: str) -> None:
    assert refused(service(), "object", {"serial_number": "S-9"}, match_on=match_on).startswith(start)


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("allowed", [True, False])
def test_a_label_that_two_fields_share_is_an_error_with_both_keys(check_mode: bool, allowed: bool) -> None:
    with pytest.raises(InvalidInput) as caught:
        wish(service(), "object", {"barcode": "0001", "Size": "5"}, check_mode, allow_unknown_fields=allowed)
    assert caught.value.message == (
        "fields.Size: the label of 2 fields, width and height; write the key of the field that you mean"
    )


def test_a_shared_label_in_match_on_is_an_error_with_both_keys() -> None:
    message = refused(service(), "object", {"barcode": "0001"}, match_on=["Size"])
    assert message.startswith("match_on: Size: the label of 2 fields, width and height")


# ---- no list is read twice


def test_the_list_of_persons_is_read_once_for_references_and_the_record() -> None:
    """One list before the creation, and one after it, which shows whether somebody else also created the record."""
    ada = {"person_uuid": uuid_of(5), "id": 5, "email": "ada@example.com", "manager": None}
    bob = {"person_uuid": uuid_of(6), "id": 6, "email": "bob@example.com", "manager": 5}
    transport = FakeTransport(
        {
            "GET /asset-tracking/person/field-definitions": answer(
                [definition("email"), definition("manager", "LINKED_PERSON")]
            ),
            "GET /persons": [listing([ada]), listing([ada, bob])],
            "POST /person": created(6),
        }
    )
    assert wish(transport, "person", {"email": "bob@example.com", "manager": "ada@example.com"}).changed
    assert transport.count("GET /persons") == 2


def test_the_list_that_reports_the_keys_of_a_location_finds_it_too() -> None:
    flat = {"location_uuid": uuid_of(5), "id": 5, "name": "Mill", "floor_area": "46"}
    transport = FakeTransport({"GET /locations": listing([flat])})
    assert not wish(transport, "location", {"name": "Mill", "floor_area": "46"}).changed
    assert transport.lines == ["GET /locations"]
