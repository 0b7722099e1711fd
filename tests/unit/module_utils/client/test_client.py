# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations on kinds of records: single records in every shape."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    OutcomeUnknown,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

from ..support import (
    LISTS,
    OBJECTS,
    FakeTransport,
    JsonMap,
    answer,
    client_on,
    definition,
    listing,
    objects,
    refusal,
    uuid_of,
)

SAME, ONCE = Effect.IDEMPOTENT, Effect.UNSAFE
EMPTY: list[Any] = [None, [], {}, ""]

# ---- one record in every shape


@pytest.mark.parametrize(
    ("kind", "key"),
    [("object", "asset_uuid"), ("room", "room_uuid"), ("location", "location_uuid"), ("person", "person_uuid")],
)
@pytest.mark.parametrize(
    "shape",
    [
        lambda key: {key: uuid_of(1), "id": 5, "name": "a"},
        lambda _key: {"uuid": uuid_of(1), "id": 5, "name": "a"},
        lambda key: {"fields": {key: uuid_of(1), "id": 5, "name": "a"}},
        lambda _key: {"uuid": uuid_of(1), "fields": {"id": 5, "name": "a"}},
        lambda _key: {"uuid": uuid_of(1), "id": 5, "fields": {"name": "a"}},
        lambda key: {key: uuid_of(1).upper(), "id": "5", "name": "a"},
    ],
    ids=["flat", "flat uuid", "fields", "uuid and fields", "uuid, id and fields", "texts"],
)
def test_a_record_may_be_flat_or_in_an_envelope(kind: str, key: str, shape: Any) -> None:
    found = Record.from_answer(KINDS[kind], shape(key))
    assert (found.uuid, found.id, found.flat["name"]) == (uuid_of(1), 5, "a")


def test_the_uuid_of_a_linked_user_is_not_that_of_the_person() -> None:
    assert Record.from_answer(KINDS["person"], {"user_uuid": uuid_of(9), "person_uuid": uuid_of(1)}).uuid == uuid_of(1)


@pytest.mark.parametrize("raw", [{}, {"uuid": None}, {"uuid": 5}, {"uuid": "x"}])
def test_a_record_without_a_uuid_has_none(raw: JsonMap) -> None:
    assert Record.from_answer(KINDS["object"], {"id": None, **raw}).uuid == ""
    assert Record.from_answer(KINDS["object"], raw).id is None


def test_a_field_called_fields_of_a_fixed_record_is_left_alone() -> None:
    raw = {"uuid": uuid_of(1), "fields": {"a": 1}}
    assert Record.from_answer(KINDS["task"], raw).flat == raw


def test_a_definition_has_its_type_and_constraints_apart() -> None:
    flat = Record.from_answer(
        KINDS["field_definition"], definition("a", "DROPDOWN", constraints={"max_length": 5})
    ).flat
    assert (flat["type"], flat["constraints"]) == ("DROPDOWN", [{"type": "max_length", "value": 5}])


@pytest.mark.parametrize("empty", [None, [], {}])
def test_a_definition_without_a_type_has_none(empty: Any) -> None:
    flat = Record.from_answer(KINDS["field_definition"], {"uuid": uuid_of(1), "field_type": empty}).flat
    assert (flat.get("type"), flat.get("constraints")) == (None, None)


ITEMS = {
    "object": f"GET /object/{uuid_of(1)}",
    "location": f"GET /location/{uuid_of(1)}",
    "room": f"GET /room/{uuid_of(1)}",
    "person": f"GET /person/{uuid_of(1)}",
    "user": f"GET /user/{uuid_of(1)}",
    "task": f"GET /task-management/task/{uuid_of(1)}",
    "rental_case": f"GET /rental-management/rental-case/{uuid_of(1)}",
}


@pytest.mark.parametrize(("kind", "line"), ITEMS.items())
def test_one_record_is_read_by_its_uuid_or_does_not_exist(kind: str, line: str) -> None:
    def read(step: Any) -> Record | None:
        return client_on(FakeTransport({line: step})).get(KINDS[kind], uuid_of(1))

    found = read(answer({"uuid": uuid_of(1), "title": "Any", "a": 1}))
    assert found is not None
    assert found.flat["a"] == 1
    assert read(refusal(404)) is None
    for empty in EMPTY:
        # For a missing person or user, instances answer 200 without a body. For other kinds this proves nothing.
        if kind in ("person", "user"):
            assert read(answer(empty)) is None
        else:
            with pytest.raises(SeventhingsError, match="expected the requested record, got something else"):
                read(answer(empty))
    for status in (400, 403, 422, 500):
        with pytest.raises(SeventhingsError):
            read(refusal(status))


@pytest.mark.parametrize(("kind", "line"), [("person", "GET /person/by-id/7"), ("user", "GET /user/by-id/7")])
def test_a_person_and_a_user_are_read_by_id_in_one_request(kind: str, line: str) -> None:
    transport = FakeTransport({line: [answer({"uuid": uuid_of(1), "id": 7})]})
    found = client_on(transport).get_by_id(KINDS[kind], 7)
    assert found is not None
    assert found.id == 7
    assert client_on(FakeTransport({line: refusal(404)})).get_by_id(KINDS[kind], 7) is None


@pytest.mark.parametrize("honoured", [True, False])
def test_other_records_are_found_by_id_in_a_filtered_list_and_compared_again(honoured: bool) -> None:
    step = listing(objects(6, 7, 8)) if honoured else answer(objects(6, 7, 8))
    transport = FakeTransport({OBJECTS: step})
    found = client_on(transport).get_by_id(KINDS["object"], 7)
    assert found is not None
    assert found.uuid == uuid_of(7)
    assert client_on(transport).get_by_id(KINDS["object"], 9) is None


@pytest.mark.parametrize(
    ("code", "path"), [("0001", "0001"), ("a/b c", "a%2Fb%20c"), ("50%", "50%25"), ("{x}", "%7Bx%7D")]
)
def test_a_barcode_is_one_escaped_segment_of_the_path(code: str, path: str) -> None:
    transport = FakeTransport({f"GET /object/by-barcode/{path}": answer(objects(1)[0])})
    found = client_on(transport).get_by_barcode(KINDS["object"], code)
    assert found is not None
    assert found.id == 1


@pytest.mark.parametrize("barcode", ["", ".", ".."])
def test_a_barcode_that_would_lead_to_another_path_is_not_asked_for(barcode: str) -> None:
    transport = FakeTransport()
    assert client_on(transport).get_by_barcode(KINDS["object"], barcode) is None
    assert transport.calls == []


NO_UUID, NO_ID = {"id": 1}, {"uuid": uuid_of(1), "id": "x"}


@pytest.mark.parametrize(
    ("kind", "item", "words"),
    [
        *(
            (kind, item, r"expected records with (a uuid|an id)")
            for kind in LISTS
            for item in ({}, {"name": "Lab"}, {"record": objects(1)[0]}, {"data": {"uuid": uuid_of(1)}})
        ),
        *((kind, NO_UUID, "expected records with a uuid, got something else") for kind in ("object", "person")),
        *((kind, NO_ID, "expected records with an id, got something else") for kind in ("hub_item", "hub_order")),
        *(
            (kind, {"uuid": uuid_of(1), **more}, f"expected records with a uuid and a {key}, got something")
            for kind, key in (("field_definition", "label"), ("task", "title"), ("rental_case", "title"))
            for more in ({}, {"data": {"label": "a", "title": "a"}})
        ),
    ],
)
def test_a_record_of_a_shape_that_is_not_known_is_an_error_and_not_an_unknown_record(
    kind: str, item: JsonMap, words: str
) -> None:
    declared = KINDS[kind]
    path = declared.list_path.format(template="asset")
    transport = FakeTransport({f"GET {path}": answer([item])})
    with pytest.raises(SeventhingsError, match=words):
        client_on(transport).list_all(declared, template="asset")
    if declared.item_path and not declared.missing_is_empty:
        transport.routes[f"GET {declared.item_path.format(template='asset', uuid=uuid_of(1))}"] = answer(item)
        with pytest.raises(SeventhingsError, match="expected the requested record"):
            client_on(transport).get(declared, uuid_of(1), "asset")


@pytest.mark.parametrize(
    "found",
    [
        1,
        "maintenance",
        [1, 1],
        [objects(1)[0]],
        {"error": "maintenance"},
        {"data": objects(1)[0]},
        {"barcode": "0001"},
        objects(2)[0],
    ],
    ids=str,
)
def test_an_answer_with_another_record_is_an_error_and_not_a_missing_record(
    found: Any,
) -> None:
    transport = FakeTransport({f"GET /object/{uuid_of(1)}": answer(found)})
    with pytest.raises(SeventhingsError, match="expected the requested record, got something else"):
        client_on(transport).get(KINDS["object"], uuid_of(1))


def test_a_record_is_the_one_asked_for_in_whatever_case_its_uuid_is_written() -> None:
    uuid = uuid_of(1).replace("0", "A")
    transport = FakeTransport({f"GET /object/{uuid}": answer({**objects(1)[0], "asset_uuid": uuid.lower()})})
    found = client_on(transport).get(KINDS["object"], uuid)
    assert found is not None
    assert found.uuid == uuid.lower()


@pytest.mark.parametrize(("kind", "number"), [("person", 8), ("user", 8)])
def test_a_record_with_another_id_than_the_one_asked_for_is_an_error(kind: str, number: int) -> None:
    path = KINDS[kind].by_id_path.format(id=7)
    transport = FakeTransport({f"GET {path}": answer({"uuid": uuid_of(number), "id": number})})
    with pytest.raises(SeventhingsError, match="expected the requested record"):
        client_on(transport).get_by_id(KINDS[kind], 7)


@pytest.mark.parametrize(
    "write",
    [
        lambda client: client.update(KINDS["object"], "", {"barcode": "1"}),
        lambda client: client.delete(KINDS["object"], ""),
        lambda client: client.archive(KINDS["object"], ""),
        lambda client: client.set_status(KINDS["task"], "", "done"),
    ],
    ids=["update", "delete", "archive", "status"],
)
def test_nothing_is_written_to_a_record_without_a_uuid(write: Callable[[Client], Any]) -> None:
    transport = FakeTransport()
    with pytest.raises(SeventhingsError, match="without a uuid; nothing was sent for it"):
        write(client_on(transport))
    assert transport.calls == []


@pytest.mark.parametrize("is_accepted", [True, False])
def test_the_records_of_a_condition_are_requested_once(is_accepted: bool) -> None:
    transport = FakeTransport({OBJECTS: [answer(objects(1)) if is_accepted else refusal(422)]})
    transport.samples["/objects"] = objects(1)
    client = client_on(transport)
    found = [client.found_by(KINDS["object"], Condition("barcode", "eq", ("0001",))) for _time in range(2)]
    assert found[0] is found[1]
    assert len(transport.calls) == 1


# ---- definitions


def test_definitions_are_read_once_for_each_template() -> None:
    transport = FakeTransport(
        {
            "GET /asset-tracking/asset/field-definitions": [answer([definition("barcode")]), answer([definition("b")])],
            "GET /asset-tracking/room/field-definitions": [answer([definition("number")])],
        }
    )
    client = client_on(transport)
    assert set(client.schema(KINDS["object"]).fields) == {"barcode"}
    assert set(client.schema(KINDS["object"]).fields) == {"barcode"}
    assert set(client.schema(KINDS["room"]).fields) == {"number"}
    client.forget_definitions()
    assert set(client.schema(KINDS["object"]).fields) == {"b"}


@pytest.mark.parametrize("kind", ["location", "task", "rental_case", "user"])
def test_kinds_without_a_template_take_no_request_for_their_fields(kind: str) -> None:
    client_on(FakeTransport()).schema(KINDS[kind])


# ---- writing


@pytest.mark.parametrize(
    "headers",
    [
        {"Location-UUID": uuid_of(1)},
        {"location-uuid": uuid_of(1).upper()},
        {"Location": f"https://acme.test/customer-api/v1/object/{uuid_of(1)}"},
        {"Location": f"https://acme.test/customer-api/v1/object/{uuid_of(1)}/"},
        {"Location": f"https://acme.test/customer-api/v1/file/{uuid_of(1)}/data"},
        {"Location": "https://acme.test/other", "Location-UUID": uuid_of(1)},
    ],
)
def test_the_uuid_of_a_new_record_is_in_a_header(headers: dict[str, str]) -> None:
    transport = FakeTransport({"POST /object": answer(None, 201, headers)})
    assert client_on(transport).create(KINDS["object"], {"a": 1}) == uuid_of(1)
    assert transport.calls[0].body == {"a": 1}
    assert transport.calls[0].effect is Effect.UNSAFE


def test_a_new_record_without_a_header_is_an_error() -> None:
    transport = FakeTransport({"POST /object": answer(None, 201)})
    with pytest.raises(OutcomeUnknown, match="no header names the uuid of the new object"):
        client_on(transport).create(KINDS["object"], {})


UPDATES = {
    "object": f"PATCH /object/{uuid_of(1)}",
    "location": f"PATCH /location/{uuid_of(1)}",
    "room": f"PATCH /room/{uuid_of(1)}",
    "person": f"PATCH /person/{uuid_of(1)}",
    "task": f"PUT /task-management/task/{uuid_of(1)}",
    "rental_case": f"PUT /rental-management/rental-case/{uuid_of(1)}",
    "field_definition": f"PUT /asset-tracking/room/field-definition/{uuid_of(1)}",
}
THING, TASK = KINDS["object"], KINDS["task"]
BODY = {"a": 1}
WRITES: list[tuple[Callable[[Client], Any], str, Any, Effect]] = [
    *(
        (
            partial(Client.update, kind=KINDS[kind], uuid=uuid_of(1), body={"a": 1}, template="room"),
            line,
            {"a": 1},
            SAME,
        )
        for kind, line in UPDATES.items()
    ),
    (lambda client: client.delete(THING, uuid_of(1)), f"DELETE /object/{uuid_of(1)}", None, SAME),
    (
        lambda client: client.set_status(TASK, uuid_of(1), "closed"),
        f"PUT /task-management/task/{uuid_of(1)}/status",
        {"status": "closed"},
        SAME,
    ),
    (lambda client: client.archive(THING, uuid_of(1)), f"POST /object/{uuid_of(1)}/archive", None, Effect.UNSAFE),
    (
        lambda client: client.archive(THING, uuid_of(1), True),
        f"POST /object/{uuid_of(1)}/unarchive",
        None,
        Effect.UNSAFE,
    ),
]


@pytest.mark.parametrize(("write", "line", "body", "effect"), WRITES)
def test_a_write_has_the_verb_and_the_body_of_its_kind_whatever_the_answer_contains(
    write: Callable[[Client], Any], line: str, body: Any, effect: Effect
) -> None:
    for found in (*EMPTY, b""):
        transport = FakeTransport({line: answer(found)})
        write(client_on(transport))
        assert [(call.line, call.body, call.effect) for call in transport.calls] == [(line, body, effect)]


def test_a_new_person_is_wrapped_in_fields() -> None:
    transport = FakeTransport({"POST /person": answer(None, 201, {"Location-UUID": uuid_of(1)})})
    client_on(transport).create(KINDS["person"], {"email": "a"})
    assert transport.calls[0].body == {"fields": {"email": "a"}}


def test_a_delete_that_finds_nothing_is_as_good_and_one_that_is_refused_is_an_error() -> None:
    line = f"DELETE /object/{uuid_of(1)}"
    client_on(FakeTransport({line: refusal(404)})).delete(THING, uuid_of(1))
    for status in (400, 403, 422):
        with pytest.raises(SeventhingsError):
            client_on(FakeTransport({line: refusal(status)})).delete(THING, uuid_of(1))
