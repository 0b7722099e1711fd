# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Carry out a change: its requests, and the recovery if an answer is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client import files as attachments
from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    Ambiguous,
    InvalidRequest,
    NotProcessable,
    OutcomeUnknown,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Attachment
from ansible_collections.community.seventhings.plugins.module_utils.plan.change import (
    ARCHIVE,
    CREATE,
    DELETE,
    Change,
    plan_present,
    plan_removal,
)
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.apply import Applier

from ..support import (
    Clock,
    FakeTransport,
    Invocation,
    JsonMap,
    Looks,
    answer,
    by_uuid,
    client_on,
    created,
    lost,
    record,
    refusal,
    schema_of,
    uuid_of,
)

OBJECT = schema_of("object", Field("barcode", "BARCODE"), Field("name", "TEXT"), Field("files", "ATTACHMENT"))
TASK, RENTAL = Schema.for_kind(KINDS["task"]), Schema.for_kind(KINDS["rental_case"])
POST = "POST /object"
FULL_TASK: JsonMap = {
    "title": "a",
    "deadline": "2024-05-31",
    "assignees": [uuid_of(2)],
    "references": [uuid_of(3)],
    "reminders": [{"unit": "days", "value": 1}],
}
FULL_RENTAL: JsonMap = {
    "title": "a",
    "references": [uuid_of(3)],
    "issue_date": "2024-05-01",
    "due_date": "2024-05-31",
    "responsible_user": uuid_of(2),
    "renter": {"type": "plain", "value": "Ada"},
}


def values_of(schema: Schema, written: JsonMap) -> JsonMap:
    values, findings = schema.parse(written, "")
    assert not findings.errors
    return values


def creation(schema: Schema, written: JsonMap) -> Change:
    return plan_present(schema, values_of(schema, written), None)


def carry_out(
    transport: FakeTransport,
    change: Change,
    clock: Clock | None = None,
    poll_after_lost_response: Looks | None = None,
    schema: Schema = OBJECT,
    known: frozenset[str] = frozenset(),
    **options: Any,
) -> Record | None:
    ticking = clock or Clock()
    transport.sleep = ticking.sleep
    applier = Applier(client_on(transport), schema, **options)
    return applier.carry_out(change, poll_after_lost_response or Looks(ticking), known)


NEW = creation(OBJECT, {"barcode": "1", "name": "a"})


def service(*posts: Any, **more: Any) -> FakeTransport:
    return FakeTransport({POST: list(posts), f"GET /object/{uuid_of(1)}": by_uuid({"asset_uuid": uuid_of(1)}), **more})


# ---- create


def test_a_create_takes_one_write_and_one_read_back() -> None:
    transport = service(created(1))
    found = carry_out(transport, NEW)
    assert found is not None
    assert found.uuid == uuid_of(1)
    assert transport.lines == [POST, f"GET /object/{uuid_of(1)}"]
    assert transport.calls[0].body == {"barcode": "1", "name": "a"}
    assert transport.calls[0].effect is Effect.UNSAFE


def test_a_record_that_can_not_be_looked_for_is_not_sent_again(clock: Clock) -> None:
    def fail() -> list[Record]:
        raise refusal(503)

    transport = service(lost())
    transport.sleep = clock.sleep
    with pytest.raises(OutcomeUnknown) as caught:
        Applier(client_on(transport), OBJECT).carry_out(NEW, fail)
    assert "could not be looked up" in caught.value.message
    assert transport.count(POST) == 1
    assert clock.now - 1000 == 30


def test_a_second_lost_answer_is_looked_for_too(clock: Clock) -> None:
    transport = service(lost(), lost())
    poll_after_lost_response = Looks(clock, [*[[] for _number in range(6)], [record("object", 1)]])
    carry_out(transport, NEW, clock, poll_after_lost_response)
    assert transport.count(POST) == 2


def test_two_new_records_after_a_lost_answer_are_an_error_that_names_both(clock: Clock) -> None:
    transport, poll_after_lost_response = service(lost()), Looks(clock, [[record("object", 2), record("object", 1)]])
    with pytest.raises(Ambiguous, match=f"{uuid_of(1)}, {uuid_of(2)}"):
        carry_out(transport, NEW, clock, poll_after_lost_response)
    assert transport.count(POST) == 1


def test_records_that_had_the_key_before_are_not_adopted(clock: Clock) -> None:
    transport = service(lost())
    poll_after_lost_response = Looks(clock, [[record("object", 7)], [record("object", 7), record("object", 1)]])
    found = carry_out(transport, NEW, clock, poll_after_lost_response, known=frozenset([uuid_of(7)]))
    assert found is not None
    assert found.uuid == uuid_of(1)


@pytest.mark.parametrize("status", [400, 401, 403, 409, 422])
def test_a_refused_create_is_reported_and_neither_looked_for_nor_sent_again(status: int, clock: Clock) -> None:
    transport, poll_after_lost_response = service(refusal(status)), Looks(clock)
    transport.routes["POST /auth_token"] = refusal(status)
    with pytest.raises(SeventhingsError):
        carry_out(transport, NEW, clock, poll_after_lost_response)
    assert transport.count(POST) == 1
    assert poll_after_lost_response.times == []


# ---- tasks and rental cases


TASKS = "POST /task-management/task"
RENTALS = "POST /rental-management/rental-case"


def task_service(*posts: Any) -> FakeTransport:
    return FakeTransport(
        {
            TASKS: list(posts),
            f"GET /task-management/task/{uuid_of(1)}": answer({"uuid": uuid_of(1), "title": "a", "status": "open"}),
            f"PUT /task-management/task/{uuid_of(1)}": answer(None, 204),
            f"PUT /task-management/task/{uuid_of(1)}/status": answer(None, 204),
        }
    )


def rental_service(*posts: Any, now: JsonMap | None = None) -> FakeTransport:
    return FakeTransport(
        {
            RENTALS: list(posts),
            f"GET /rental-management/rental-case/{uuid_of(1)}": answer(
                {"uuid": uuid_of(1), "title": "a", **(now or {})}
            ),
        }
    )


@pytest.mark.parametrize(("status", "calls"), [("closed", 1), ("open", 0), (None, 0)])
def test_a_new_task_is_closed_by_a_call_of_its_own(status: str | None, calls: int) -> None:
    transport = task_service(created(1))
    written = {**FULL_TASK, "status": status} if status else FULL_TASK
    carry_out(transport, creation(TASK, written), schema=TASK)
    assert transport.count(f"PUT /task-management/task/{uuid_of(1)}/status") == calls
    assert "status" not in transport.calls[0].body


@pytest.mark.parametrize(
    ("missing", "words"), [("reminders", "one or two reminders"), ("references", "at least one reference")]
)
def test_a_refused_task_is_reported_with_what_this_instance_may_want(missing: str, words: str) -> None:
    transport = task_service(refusal(400, "Body does not match schema"))
    with pytest.raises(InvalidRequest) as caught:
        carry_out(transport, creation(TASK, {**FULL_TASK, missing: []}), schema=TASK)
    assert words in caught.value.message
    assert "Body does not match schema" in caught.value.message


def test_a_500_to_a_missing_renter_is_explained_and_not_sent_again(clock: Clock) -> None:
    transport = rental_service(lost(500))
    written = {key: value for key, value in FULL_RENTAL.items() if key != "renter"}
    with pytest.raises(OutcomeUnknown) as caught:
        carry_out(transport, creation(RENTAL, written), clock, Looks(clock), RENTAL)
    assert "may require a renter" in caught.value.message
    assert transport.count(RENTALS) == 1


@pytest.mark.parametrize("status", [None, 502, 503])
def test_another_failure_without_a_renter_is_sent_again(status: int | None, clock: Clock) -> None:
    transport = rental_service(lost(status), created(1))
    written = {key: value for key, value in FULL_RENTAL.items() if key != "renter"}
    carry_out(transport, creation(RENTAL, written), clock, Looks(clock), RENTAL)
    assert transport.count(RENTALS) == 2


def test_a_500_with_a_renter_is_sent_again(clock: Clock) -> None:
    transport = rental_service(lost(500), created(1))
    carry_out(transport, creation(RENTAL, FULL_RENTAL), clock, Looks(clock), RENTAL)
    assert transport.count(RENTALS) == 2


# ---- update


def update(schema: Schema, flat: JsonMap, written: JsonMap, archived: bool = False) -> Change:
    current = Record.from_answer(schema.kind, {"uuid": uuid_of(1), **flat})
    current.is_whole = True
    return plan_present(schema, values_of(schema, written), current, archived)


def test_an_update_takes_one_write_and_one_read_back() -> None:
    transport = service(**{f"PATCH /object/{uuid_of(1)}": [answer(None, 204)]})
    carry_out(transport, update(OBJECT, {"barcode": "1", "name": "a"}, {"barcode": "1", "name": "b"}))
    assert transport.lines == [f"PATCH /object/{uuid_of(1)}", f"GET /object/{uuid_of(1)}"]
    assert transport.calls[0].body == {"name": "b"}


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ({"status": "closed"}, ["/status"]),
        ({"title": "b"}, [""]),
        ({"title": "b", "status": "closed"}, ["", "/status"]),
    ],
)
def test_body_and_status_of_a_task_are_two_writes_and_only_those_that_are_needed(
    written: JsonMap, lines: list[str]
) -> None:
    transport = task_service()
    carry_out(transport, update(TASK, {"title": "a", "status": "open"}, written), schema=TASK, extra={"notify": True})
    assert transport.writes == [f"PUT /task-management/task/{uuid_of(1)}{line}" for line in lines]
    bodies = [call.body for call in transport.calls if call.line.endswith(uuid_of(1)) and call.method == "PUT"]
    assert all(body["notify"] is True and "status" not in body for body in bodies)


def test_a_delete_takes_one_request_and_one_check_of_its_effect() -> None:
    path = f"/object/{uuid_of(1)}"
    transport = FakeTransport({f"DELETE {path}": answer(None, 204), f"GET {path}": answer(None)})
    assert carry_out(transport, plan_removal(OBJECT, {}, record("object", 1))) is None
    assert transport.lines == [f"DELETE {path}", f"GET {path}"]


ARCHIVED = {"asset_uuid": uuid_of(1), "id": 1, "archived_at": "2031-01-01 00:00:00"}


@pytest.mark.parametrize("again", [204, 422], ids=["deleted", "refused again"])
@pytest.mark.parametrize("is_planned", [True, False], ids=["planned", "not planned"])
def test_an_archived_object_is_brought_back_to_be_deleted_only_if_that_was_planned(
    is_planned: bool, again: int
) -> None:
    path = f"/object/{uuid_of(1)}"
    transport = FakeTransport(
        {
            f"DELETE {path}": [refusal(422), answer(status=204) if again == 204 else refusal(422)],
            f"GET {path}": answer(ARCHIVED),
            f"POST {path}/unarchive": answer(status=204),
            f"POST {path}/archive": answer(status=204),
        }
    )
    change = Change(KINDS["object"], DELETE, Record.from_answer(KINDS["object"], ARCHIVED), unarchive=is_planned)
    sent = [f"DELETE {path}", f"GET {path}"]
    if not is_planned:
        with pytest.raises(NotProcessable) as caught:
            carry_out(transport, change)
        assert "archived by now, which was not planned" in caught.value.message
    elif again == 204:
        assert carry_out(transport, change) is None
        sent += [f"POST {path}/unarchive", f"DELETE {path}", f"GET {path}"]
    else:
        with pytest.raises(NotProcessable):
            carry_out(transport, change)
        # The object is archived again, as it was.
        sent += [f"POST {path}/unarchive", f"DELETE {path}", f"POST {path}/archive"]
    assert transport.lines == sent


@pytest.mark.parametrize(
    ("kind", "flat"), [("object", {**ARCHIVED, "archived_at": None}), ("room", {"uuid": uuid_of(1)})]
)
def test_a_delete_that_is_refused_for_another_reason_is_the_error(kind: str, flat: JsonMap) -> None:
    found = Record(KINDS[kind], uuid_of(1), 1, flat)
    path = f"/{kind}/{uuid_of(1)}"
    transport = FakeTransport({f"DELETE {path}": refusal(422, "in use"), f"GET {path}": answer(flat)})
    with pytest.raises(NotProcessable, match="in use"):
        carry_out(transport, Change(KINDS[kind], DELETE, found), schema=schema_of(kind, Field("name", "TEXT")))
    assert transport.lines == [f"DELETE {path}", f"GET {path}"]


@pytest.mark.parametrize("kind", ["object", "room"])
def test_a_delete_that_is_refused_because_it_was_carried_out_before_is_done(kind: str) -> None:
    path = f"/{kind}/{uuid_of(1)}"
    transport = FakeTransport({f"DELETE {path}": refusal(422, "not there"), f"GET {path}": refusal(404)})
    found = Record(KINDS[kind], uuid_of(1), 1, {"id": 1})
    change = Change(KINDS[kind], DELETE, found)
    assert carry_out(transport, change, schema=schema_of(kind, Field("name", "TEXT"))) is None
    assert transport.lines == [f"DELETE {path}", f"GET {path}", f"GET {path}"]


# ---- archive


def archiving() -> Change:
    return plan_removal(OBJECT, {}, record("object", 1), ARCHIVE)


def test_archiving_takes_one_write_and_one_read_back() -> None:
    transport = service(**{f"POST /object/{uuid_of(1)}/archive": [answer(None, 204)]})
    carry_out(transport, archiving())
    assert transport.lines == [f"POST /object/{uuid_of(1)}/archive", f"GET /object/{uuid_of(1)}"]


def test_bringing_back_comes_before_the_change() -> None:
    transport = service(
        **{f"POST /object/{uuid_of(1)}/unarchive": answer(None, 204), f"PATCH /object/{uuid_of(1)}": answer(None, 204)}
    )
    carry_out(transport, update(OBJECT, {"name": "a"}, {"name": "b"}, archived=True))
    assert transport.writes == [f"POST /object/{uuid_of(1)}/unarchive", f"PATCH /object/{uuid_of(1)}"]


@pytest.mark.parametrize(("stamp", "times"), [("2024-05-31 10:00:00", 1), (None, 2)])
def test_after_a_lost_answer_the_state_is_read_before_archiving_again(stamp: str | None, times: int) -> None:
    path = f"POST /object/{uuid_of(1)}/archive"
    transport = FakeTransport(
        {
            path: [lost(500), answer(None, 204)],
            f"GET /object/{uuid_of(1)}": answer({"asset_uuid": uuid_of(1), "archived_at": stamp}),
        }
    )
    carry_out(transport, archiving())
    assert transport.count(path) == times
    assert transport.lines[1] == f"GET /object/{uuid_of(1)}"


# ---- reminders of a rental case

DAY = {"unit": "days", "value": 1}
RENTAL_FLAT: JsonMap = {
    "uuid": uuid_of(1),
    "title": "a",
    "status": "borrowed",
    "references": [{"type": "asset", "uuid": uuid_of(3)}],
    "issue_date": "2024-05-01",
    "due_date": "2024-05-31",
    "responsible_user_uuid": uuid_of(2),
    "renter": {"type": "plain", "value": "Ada"},
    "issue_date_reminder": DAY,
    "due_date_reminder": DAY,
    "comment": "",
    "attachments": [],
}
ITEM = f"/rental-management/rental-case/{uuid_of(1)}"


class Rentals:
    """A service with a rental case. If ``keeps`` is set, a PUT without a reminder keeps the old one."""

    def __init__(self, keeps: bool) -> None:
        self.flat: JsonMap = {"uuid": uuid_of(1), **RENTAL_FLAT}
        self.keeps = keeps

    def put(self, call: Invocation) -> Any:
        for key in ("issue_date_reminder", "due_date_reminder"):
            if key in call.body:
                self.flat[key] = call.body[key]
            elif not self.keeps:
                self.flat[key] = None
        self.flat["title"] = call.body["title"]
        return answer(None, 204)

    def transport(self) -> FakeTransport:
        return FakeTransport({f"PUT {ITEM}": self.put, f"GET {ITEM}": lambda _call: answer(self.flat)})


@pytest.mark.parametrize(("keeps", "puts"), [(False, 1), (True, 2)])
def test_a_reminder_that_leaving_out_did_not_clear_is_cleared_with_one_more_put(keeps: bool, puts: int) -> None:
    rentals = Rentals(keeps)
    transport = rentals.transport()
    found = carry_out(transport, update(RENTAL, RENTAL_FLAT, {"due_date_reminder": None}), schema=RENTAL)
    assert transport.count(f"PUT {ITEM}") == puts
    assert rentals.flat["due_date_reminder"] is None
    assert rentals.flat["issue_date_reminder"] == DAY
    assert found is not None
    assert found.flat["due_date_reminder"] is None
    bodies = [call.body for call in transport.calls if call.method == "PUT"]
    assert "due_date_reminder" not in bodies[0]
    assert all(body["issue_date_reminder"] == DAY for body in bodies)


def test_a_reminder_that_an_instance_never_clears_is_explained() -> None:
    rentals = Rentals(keeps=True)
    refuse = [rentals.put, refusal(400, "None is not of type 'object'")]
    transport = FakeTransport({**rentals.transport().routes, f"PUT {ITEM}": refuse})
    with pytest.raises(InvalidRequest) as caught:
        carry_out(transport, update(RENTAL, RENTAL_FLAT, {"due_date_reminder": None}), schema=RENTAL)
    assert "This instance keeps due_date_reminder where it is left out, and refuses null" in caught.value.message


@pytest.mark.parametrize("failure", [refusal(400), lost(500)])
def test_a_refused_put_without_a_renter_is_explained_and_sent_once(failure: Exception) -> None:
    transport = FakeTransport({f"PUT {ITEM}": failure})
    change = update(RENTAL, {**RENTAL_FLAT, "renter": {"type": "plain", "value": "Ada"}}, {"renter": None})
    with pytest.raises(SeventhingsError) as caught:
        carry_out(transport, change, schema=RENTAL)
    assert "may require a renter" in caught.value.message
    assert [call.effect for call in transport.calls] == [Effect.UNSAFE]


@pytest.mark.parametrize("status", [None, 503])
def test_a_put_without_a_renter_whose_answer_is_lost_is_looked_up(status: int | None) -> None:
    flat = {**RENTAL_FLAT, "renter": {"type": "plain", "value": "Ada"}}
    transport = FakeTransport(
        {f"PUT {ITEM}": [lost(status), answer(None, 204)], f"GET {ITEM}": answer({**flat, "renter": None})}
    )
    carry_out(transport, update(RENTAL, flat, {"renter": None}), schema=RENTAL)
    assert [call.effect for call in transport.calls][:2] == [Effect.UNSAFE, Effect.SAFE]
    assert transport.count(f"PUT {ITEM}") == 1


# ---- uploads


@pytest.fixture
def invoice(tmp_path: Path) -> Path:
    path = tmp_path / "invoice.txt"
    path.write_bytes(b"one laptop\n")
    return path


def with_file(path: Path) -> Change:
    wanted = Attachment(path=str(path))
    assert attachments.check_local(wanted, "fields") == []
    return Change(KINDS["object"], CREATE, None, {"barcode": "1", "files": (wanted,)})


def test_a_file_is_uploaded_before_the_record_is_created_and_linked_by_its_uuid(invoice: Path) -> None:
    transport = service(created(1), **{"POST /file": [created(20)]})
    carry_out(transport, with_file(invoice))
    assert transport.lines[:2] == ["POST /file", POST]
    assert transport.calls[0].files == {"data": ("invoice.txt", b"one laptop\n", "text/plain")}
    assert transport.calls[0].effect is Effect.UNSAFE
    assert transport.calls[1].body == {"barcode": "1", "files": [uuid_of(20)]}


def test_a_file_is_uploaded_once_even_where_the_create_is_sent_again(invoice: Path, clock: Clock) -> None:
    transport = service(lost(), created(1), **{"POST /file": [created(20)]})
    carry_out(transport, with_file(invoice), clock, Looks(clock))
    assert transport.count("POST /file") == 1
    assert transport.count(POST) == 2


def test_a_file_that_is_linked_already_is_not_uploaded(invoice: Path) -> None:
    transport = service(created(1))
    wanted = Attachment(uuid=uuid_of(20), path=str(invoice))
    carry_out(transport, Change(KINDS["object"], CREATE, None, {"files": (wanted,)}))
    assert transport.calls[0].body == {"files": [uuid_of(20)]}


@pytest.mark.parametrize("header", ["Location-UUID", "Location"])
def test_the_uuid_of_an_upload_is_in_a_header(header: str, invoice: Path) -> None:
    value = uuid_of(20) if header == "Location-UUID" else f"https://acme.test/customer-api/v1/file/{uuid_of(20)}/data"
    transport = FakeTransport({"POST /file": answer(None, 201, {header: value})})
    wanted = Attachment(path=str(invoice), type="text/plain")
    attachments.upload(client_on(transport), wanted)
    assert wanted.uuid == uuid_of(20)


def test_an_upload_without_a_header_is_an_error(invoice: Path, clock: Clock) -> None:
    transport = FakeTransport({"POST /file": answer(None, 201)})
    transport.routes["GET /files"] = answer([])
    with pytest.raises(OutcomeUnknown, match="no header names the uuid of the new file"):
        attachments.upload(client_on(transport, clock), Attachment(path=str(invoice)))


NEWEST: list[JsonMap] = [
    {"uuid": uuid_of(21), "name": "other.txt", "size": 11},
    {"uuid": uuid_of(22), "name": "invoice.txt", "size": 12},
    {"uuid": uuid_of(23), "name": "invoice.txt", "size": 11},
    {"uuid": uuid_of(24), "name": "invoice.txt", "size": 11},
]


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_lost_upload_is_found_by_name_size_and_content(wrapped: bool, invoice: Path, clock: Clock) -> None:
    transport = FakeTransport(
        {
            "POST /file": [lost()],
            "GET /files": answer({"items": NEWEST} if wrapped else NEWEST),
            f"GET /file/{uuid_of(23)}/data": answer(b"two laptops"),
            f"GET /file/{uuid_of(24)}/data": answer(b"one laptop\n"),
        }
    )
    wanted = Attachment(path=str(invoice))
    attachments.upload(client_on(transport, clock), wanted)
    assert wanted.uuid == uuid_of(24)
    assert transport.count("POST /file") == 1
    assert f"GET /file/{uuid_of(21)}/data" not in transport.lines


@pytest.mark.parametrize(("status", "seconds"), [(None, 30), (503, 30), (500, 4)])
def test_a_lost_upload_that_does_not_exist_is_never_sent_again(
    status: int | None, seconds: float, invoice: Path, clock: Clock
) -> None:
    transport = FakeTransport({"POST /file": lost(status), "GET /files": answer([])})
    with pytest.raises(OutcomeUnknown) as caught:
        attachments.upload(client_on(transport, clock), Attachment(path=str(invoice)))
    assert "was not sent again" in caught.value.message
    assert transport.count("POST /file") == 1
    assert clock.now - 1000 == seconds
