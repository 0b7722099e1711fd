# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An answer with an unexpected shape is an error, and never means "there is none"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import embedded_here
import pytest
from ansible.parsing.dataloader import DataLoader
from embedded.messages import JSON, Answer, answer_json
from everyday_here import run_everyday
from instance_site import yaml_list
from wrong_answers import Exchange, Mutation, Wrong, records_of

from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb import action
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.export.downloads import Downloads
from ansible_collections.community.seventhings.plugins.plugin_utils.export.export import (
    Exported,
    Selection,
    export_instance,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.stocktake import action as stocktake_action

from ..module_utils.support import FakeTransport, answer, client_on, page_of, uuid_of

BERND = "bernd.kowalski@nordhain.example"
OBJECT = "612efdab-b95b-5ebe-962e-4cff2ae0ad54"


def wrong(path: str, value: Any) -> Wrong:
    """Start an instance with a wrong answer at a path."""
    service = Wrong.started()
    service.mutation = Mutation(
        "odd", ("list", "record", "definitions", "question"), lambda _exchange: answer_json(value)
    )
    service.at_path = path
    return service


@pytest.mark.parametrize("value", [None, "maintenance", {"data": []}, {"items": None}, {"0": {}}, 7, ["gone"], [{}]])
def test_a_history_of_another_shape_is_an_error(value: Any) -> None:
    done = wrong(f"/object/{OBJECT}/history", value).call("history_info", kind="object", record=OBJECT)
    assert done["failed"]
    assert "got something else" in done["msg"]


EVENT = {"asset_uuid": OBJECT, "event_name": "created", "occurred_at": "2031-05-31T12:00:00Z", "details": ""}


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([EVENT, {"message": "forbidden"}], "1 items have no event_name, so they may not be events."),
        ([{"data": EVENT}], "1 items name no record."),
        ([{**EVENT, "asset_uuid": "../rooms"}], "1 items are not about the requested object."),
        ([{**EVENT, "asset_uuid": None}], "1 items are not about the requested object."),
        ([EVENT, EVENT], "1 items were returned twice, so others may be missing."),
    ],
)
def test_a_history_with_odd_items_says_so(items: list[dict[str, Any]], words: str) -> None:
    answer = {"items": items, "page": 1, "per_page": 200, "total": len(items)}
    done = wrong(f"/object/{OBJECT}/history", answer).call("history_info", kind="object", record=OBJECT)
    assert any(line.endswith(words) for line in done["warnings"]), done


@pytest.mark.parametrize(
    "more", [{"field_key": None}, {"field_type": None}, {"field_type": "TEXT"}, {"field_type": {}}]
)
def test_a_field_definition_without_a_key_or_a_type_is_reported(more: dict[str, Any]) -> None:
    definition = {"uuid": OBJECT, "field_key": "name", "label": "Name", "field_type": {"name": "TEXT"}, **more}
    service = wrong("/room/field-definitions", [definition])
    done = service.call("field_definition_info", template="room")
    assert any(line.startswith("1 field definition without field_key") for line in done["warnings"]), done


def test_a_history_as_it_is_needs_no_warning() -> None:
    done = embedded_here.Embedded.started().call("history_info", kind="object", record=OBJECT)
    assert (done["count"], done.get("warnings", [])) == (3, [])


@pytest.mark.parametrize("value", [None, "maintenance", {"data": []}, {}, 7, ["gone"], [{"name": "List"}]])
def test_report_templates_of_another_shape_are_an_error(value: Any) -> None:
    done = wrong("/report-template", value).call("report_template_info")
    assert done["failed"]
    assert "got something else" in done["msg"]


@pytest.mark.parametrize("value", [None, "accepted", {"error": "x"}, 7, ["gone"], {"data": {}}])
@pytest.mark.parametrize("suggestion", ["category", "rest-price"])
def test_suggestions_of_another_shape_are_an_error(suggestion: str, value: Any) -> None:
    service = wrong(f"/circularity-hub/suggest-{suggestion}", value)
    for done in (service.call("hub_suggestion_info"), service.call("hub_item", object="100007")):
        assert done["failed"]
        assert "expected suggestions by the uuid of an object, got something else" in done["msg"]


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_an_object_that_is_answered_as_nothing_is_not_missing(value: Any) -> None:
    done = wrong(f"/object/{OBJECT}", value).call("object", uuid=OBJECT, state="absent")
    assert done["failed"]
    assert "expected the requested record, got something else" in done["msg"]


@pytest.mark.parametrize("link", ["somewhere", True, 7.5, {"display_name": "Dresden"}])
def test_a_room_of_which_nobody_knows_the_location_is_not_created_again(link: Any) -> None:
    service = embedded_here.Embedded.started()
    [room] = service.call("room_info", filters={"number": "1.01"})["records"]
    rooms = [{**record, "building_id": link} for record in [room]]
    odd = wrong("/rooms", {"items": rooms, "total": 1, "page": 1, "per_page": 1000})
    done = odd.call("room", fields={"building_id": "Dresden", "number": "1.01", "description": "Large"})
    assert f"The room {room['uuid']} has the building_id" in done["msg"]
    assert "which can't be read" in done["msg"]
    assert not [entry for entry in odd.requests() if entry["method"] in ("POST", "PATCH") and "/room" in entry["path"]]


@pytest.mark.parametrize("name", [["Mill"], {"de": "Mill"}, True])
def test_a_location_of_which_nobody_knows_the_name_is_not_created_again(name: Any) -> None:
    [location, *_others] = embedded_here.Embedded.started().call("location_info")["records"]
    odd = wrong("/locations", {"items": [{**location, "name": name}], "total": 1, "page": 1, "per_page": 1000})
    done = odd.call("location", fields={"name": "Mill"})
    assert f"The location {location['uuid']} has the name" in done["msg"]
    assert not [entry for entry in odd.requests() if entry["method"] == "POST" and entry["path"].endswith("/location")]


@pytest.mark.parametrize("value", [None, "", True, 7, "maintenance", [], {}, {"data": {"status": "OK"}}])
def test_a_service_that_reports_no_status_is_named(value: Any) -> None:
    done = wrong("/customer-api/v1", value).call("service_info")
    assert (done["status"], done["description"]) == (None, None)
    assert done["warnings"] == [
        "GET /customer-api/v1: the answer has no status, so it is unknown whether this service works as documented."
    ]


@pytest.mark.parametrize("value", [None, [], {}])
def test_a_user_who_signed_in_and_is_answered_as_nothing_is_named(value: Any) -> None:
    done = wrong("/user/by-id/1", value).call("service_info")
    assert done["user"] is None
    assert done["warnings"] == ["The service returns nothing about the user who is signed in, with the id 1."]


LOAN: dict[str, Any] = {
    "title": "Loan",
    "issue_date": "2031-07-01",
    "due_date": "2031-07-05",
    "responsible_user": "bernd.kowalski@nordhain.example",
    "references": ["100003"],
}


@pytest.mark.parametrize(
    "date", [1940630400, "1 July 2031", "2031-02-31", {"date": "2031-07-01"}, ["2031-07-01"], True]
)
def test_a_rental_case_of_which_nobody_knows_the_date_is_not_created_again(date: Any) -> None:
    service = embedded_here.Embedded.started()
    service.call("rental_case", **LOAN)
    [case] = service.call("rental_case_info", filters={"title": "Loan"})["records"]
    odd = wrong("/rental-management/rental-cases", {"items": [{**case, "issue_date": date}], "total": 1, "page": 1})
    done = odd.call("rental_case", **LOAN)
    assert f"The rental case {case['uuid']} has the issue_date" in done["msg"]
    assert not [entry for entry in odd.requests() if entry["method"] in ("POST", "PUT") and "rental" in entry["path"]]


@pytest.mark.parametrize(
    ("field", "wanted", "answered"),
    [
        ("purchasing_date", "2024-05-31", 1717113600),
        ("purchasing_date", "2024-05-31", "31 May 2024"),
        ("purchasing_price", 1299, {"amount": 1299}),
        ("purchasing_price", 1299, "EUR 1,299"),
    ],
)
def test_an_object_whose_key_of_another_type_is_odd_is_not_created_again(
    field: str, wanted: Any, answered: Any
) -> None:
    service = embedded_here.Embedded.started()
    [record] = service.call("object_info", uuid=OBJECT)["records"]
    odd = wrong("/objects", {"items": [{**record, field: answered}], "total": 1, "page": 1, "per_page": 1000})
    done = odd.call("object", fields={"barcode": record["barcode"], field: wanted}, match_on=["barcode", field])
    assert f"The object {OBJECT} has the {field}" in done["msg"]
    assert not [entry for entry in odd.requests() if entry["method"] == "POST" and entry["path"].endswith("/object")]


@pytest.mark.parametrize("title", [None, True, 7, ["Oil"], {"de": "Oil"}])
def test_a_task_without_a_title_is_no_task(title: Any) -> None:
    client = client_on(FakeTransport({"GET /task-management/tasks": answer([{"uuid": uuid_of(1), "title": title}])}))
    with pytest.raises(SeventhingsError, match="expected records with a uuid and a title, got something else"):
        client.list_all(KINDS["task"])


def test_different_records_with_one_uuid_are_an_error() -> None:
    records = [{"uuid": uuid_of(1), "id": number, "name": f"Room {number}"} for number in (1, 2)]
    client = client_on(FakeTransport({"GET /rooms": page_of(records, total=1)}))
    with pytest.raises(SeventhingsError, match=f"different records with the identity {uuid_of(1)}"):
        client.list_all(KINDS["room"])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_words_that_only_python_reads_as_numbers_are_not_json(number: str) -> None:
    service = Wrong.started()
    body = f'{{"items": [{{"uuid": "{OBJECT}", "id": {number}, "name": "Mill"}}], "total": 1}}'.encode()
    service.mutation = Mutation("odd", ("list",), lambda _exchange: Answer(200, body, JSON))
    service.at_path = "/locations"
    done = service.call("location_info")
    assert f"the answer can't be used: {number} is not JSON" in done["msg"]


@pytest.mark.parametrize(
    "change",
    [
        {"field_key": None},
        {"field_key": 7},
        {"field_key": True},
        {"field_key": ["email"]},
        {"field_key": {"name": "email"}},
        {"field_type": None},
        {"field_type": "TEXT"},
        {"field_type": {"name": None}},
        {"field_type": {"name": ["TEXT", "MONEY"]}},
    ],
)
def test_a_definition_without_a_key_or_a_type_is_an_error(change: dict[str, Any]) -> None:
    """Otherwise an export would omit the field, and a change of a record would lose its value."""
    [*definitions] = embedded_here.Embedded.started().client().definitions("person")
    odd = wrong("/asset-tracking/person/field-definitions", [{**definitions[0], **change}, *definitions[1:]])
    done = odd.call("person_info")
    assert "of the template person has no field_key or no name of a field_type" in done["msg"]


@pytest.mark.parametrize("label", [7, True, ["E-mail"], {"de": "E-Mail"}])
def test_a_definition_whose_label_is_no_text_is_refused(label: Any) -> None:
    [*definitions] = embedded_here.Embedded.started().client().definitions("person")
    odd = wrong("/asset-tracking/person/field-definitions", [{**definitions[0], "label": label}, *definitions[1:]])
    done = odd.call("person_info")
    assert "expected records with a uuid and a label, got something else" in done["msg"]


# ---- exports

FILE_UUID = "df524b89-3dca-557b-885e-22cfcfa4d2eb"


def exported(service: Wrong, path: Path, section: str) -> Exported:
    client = service.client()
    return export_instance(client, Selection((section,)), Downloads(client, path, {}))


def with_relations_as_text(exchange: Exchange) -> Answer:
    return answer_json([{**definition, "relations": "none"} for definition in exchange.value])


def test_relations_of_another_shape_are_left_out_of_an_export_and_reported(tmp_path: Path) -> None:
    service = Wrong.started()
    service.mutation = Mutation("odd", ("definitions",), with_relations_as_text)
    service.at_path = "/person/field-definitions"
    done = exported(service, tmp_path, "fields")
    odd = [line for line in done.left_out if line.startswith("person field")]
    assert odd, done.left_out
    assert all(
        line.endswith("relations: no file can contain the value that the service returns: 'none'") for line in odd
    ), odd


def test_a_file_whose_name_is_not_answered_is_left_out_of_an_export_and_said(tmp_path: Path) -> None:
    service = Wrong.started()
    service.mutation = Mutation("odd", ("record",), lambda _exchange: answer_json({"uuid": FILE_UUID, "size": 263}))
    service.at_path = f"/file/{FILE_UUID}"
    done = exported(service, tmp_path, "objects")
    words = f"the file {FILE_UUID} can't be exported: GET /file/{FILE_UUID}: the service returns no name for the file"
    assert any(line.endswith(words) for line in done.left_out), done.left_out


def test_a_text_that_is_answered_as_a_map_is_left_out_of_an_export_and_said(tmp_path: Path) -> None:
    service = Wrong.started()
    service.mutation = Mutation("odd", ("list",), with_members("Empfangstresen", description={"de": "Eiche"}))
    service.at_path = "/objects"
    done = exported(service, tmp_path, "objects")
    assert any(
        line.endswith("description: no file can contain the value that the service returns: {'de': 'Eiche'}")
        for line in done.left_out
    ), done.left_out
    assert not any("Eiche'}" in str(row.get("description")) for row in done.sections["objects"])


@pytest.mark.parametrize(
    ("section", "title", "words", "key"),
    [
        ("tasks", "Akkus bestellen", "task", "status"),
        ("tasks", "Akkus bestellen", "task", "deadline"),
        ("rental_cases", "Akkubohrer für die Messe", "rental case", "status"),
        ("rental_cases", "Akkubohrer für die Messe", "rental case", "due_date"),
    ],
)
def test_a_member_of_every_record_that_is_answered_as_null_is_left_out_of_an_export_and_said(
    tmp_path: Path, section: str, title: str, words: str, key: str
) -> None:
    service = Wrong.started()
    service.mutation = Mutation("odd", ("list",), with_members(title, **{key: None}))
    service.at_path = f"/{section.replace('_', '-')}"
    done = exported(service, tmp_path, section)
    message = f"the service returns no {key}, but every {words} has one"
    assert [line for line in done.left_out if line.endswith(message)], done.left_out


def with_members(title: str, **members: Any) -> Any:
    """Return a change of the record with a title in a list."""
    return in_list(lambda record: {**record, **members} if title in record.values() else record)


def in_list(changed: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Exchange], Answer]:
    """Return a change of each record in a list."""

    def change(exchange: Exchange) -> Answer:
        page = exchange.value
        items = [changed(record) for record in records_of(page) or []]
        return answer_json({**page, "items": items} if isinstance(page, dict) else items)

    return change


# ---- absorb


@pytest.mark.parametrize(
    ("kind", "record", "members"),
    [
        ("rental_case", {"renter": {"type": "plain", "value": "Weber"}}, {"renter": {"type": "robot", "value": "X"}}),
        ("rental_case", {"status": "borrowed"}, {"status": "halfway"}),
        ("task", {"status": "open"}, {"status": 3}),
        ("task", {"status": "open"}, {"status": None}),
        ("task", {"comment": "Soon."}, {"comment": {"de": "Bald."}}),
    ],
)
def test_a_value_that_no_file_can_hold_is_not_absorbed(
    tmp_path: Path, kind: str, record: dict[str, Any], members: dict[str, Any]
) -> None:
    names = {"rental_case": "Akkubohrer für die Messe", "task": "Akkus bestellen"}
    dates = {"rental_case": {"issue_date": "2026-11-02"}, "task": {}}
    written = yaml_list([{"title": names[kind], **dates[kind], **record}])
    section = KINDS[kind].section
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\nset: test\n")
    (tmp_path / f"{section}.yml").write_text(written)
    service = Wrong.started()
    service.mutation = Mutation("odd", ("list",), with_members(names[kind], **members))
    service.at_path = KINDS[kind].list_path
    options = {"base_url": embedded_here.ROOT_URL, **embedded_here.ACCOUNT, "src": str(tmp_path)}
    given = read_arguments("instance_absorb", documented_spec("instance_absorb"), {}, options)
    with mock.patch.object(action, "connect", return_value=service.client()):
        done = action.absorb_instance(given.options, False, None, options)
    assert not done["changed"], done["patch"]
    assert any(f"{next(iter(members))} is " in line for line in done["not_changed"]), done
    assert (tmp_path / f"{section}.yml").read_text() == written


# ---- everyday work


def with_changed(values: Mapping[str, Any]) -> Wrong:
    """Start an instance whose lists have other values for some members of every record."""

    def changed(record: dict[str, Any]) -> dict[str, Any]:
        return {**record, **{key: value for key, value in values.items() if record.get(key)}}

    service = Wrong.started()
    service.mutation = Mutation("odd", ("list",), in_list(changed))
    service.at_path = ("/objects", "/persons", "/tasks", "/rental-cases", "/rooms")
    return service


ODD_TEXTS: dict[str, Any] = {
    "inventory_name": {"de": "S\u00e4ge"},
    "serial_number": ["PS-3200-18"],
    "first_name": {"de": "Bernd"},
    "status": ["open"],
    "deadline": {"date": "2026-12-01"},
}
PYTHON_NOTATION = re.compile(r"[\[{]('|&#39;)|Unread|None|True")


def test_a_sheet_of_a_handover_has_no_notation_of_python(tmp_path: Path) -> None:
    sheet = tmp_path / "bernd.html"
    done = run_everyday("handover", with_changed(ODD_TEXTS), {"person": BERND, "sheet": str(sheet)})
    assert not done.get("failed"), done["msg"]
    assert not PYTHON_NOTATION.search(done["msg"])
    page = sheet.read_text("utf-8").split("<body>", 1)[1]
    assert not PYTHON_NOTATION.search(page.replace("None.", "")), page
    assert done["objects"][0]["name"] == '{"de": "S\u00e4ge"}'
    assert done["tasks"], "a task whose status is unclear may be open"


def test_a_report_of_a_ledger_has_no_notation_of_python(tmp_path: Path) -> None:
    books = tmp_path / "books.csv"
    books.write_text("barcode,serial_number\n100101,1\n")
    reports = [tmp_path / f"found.{suffix}" for suffix in ("csv", "html", "json")]
    options = {"file": str(books), "report": [str(path) for path in reports]}
    done = run_everyday("ledger", with_changed(ODD_TEXTS), options)
    assert done["differences"][0]["name"] == '{"de": "S\u00e4ge"}'
    for path in reports:
        assert not PYTHON_NOTATION.search(path.read_text("utf-8")), path.name


@pytest.mark.parametrize("key", ["barcode", "inventory_time", "actual_room"])
@pytest.mark.parametrize("value", [{"de": "1"}, ["1", "2"]])
def test_a_stocktake_is_refused_if_the_answer_can_t_be_read(key: str, value: Any) -> None:
    service = with_changed({key: value})
    client = service.client()
    client.transport.read_only = True
    given = read_arguments(
        "stocktake", documented_spec("stocktake"), {}, {"base_url": embedded_here.ROOT_URL, **embedded_here.ACCOUNT}
    )
    with mock.patch.object(stocktake_action, "connect", return_value=client):
        done = stocktake_action.take_stock(given.options, False, DataLoader(), {})
    assert done["failed"]
    assert f"{key}: the answer of the service is not a " in done["msg"]
