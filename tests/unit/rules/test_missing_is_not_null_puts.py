# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Missing is not null, unknown is not empty: a PUT sends back everything that the record has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from instance_site import yaml_list
from one_machine import Machine
from playbook import Result

from ansible_collections.community.seventhings.plugins.plugin_utils.export.downloads import Downloads
from ansible_collections.community.seventhings.plugins.plugin_utils.export.export import Selection, export_instance

BERND = "bernd.kowalski@nordhain.example"


@dataclass(frozen=True)
class Replaced:
    """A record that a PUT replaces, with a value in every member.

    :ivar create_options: the options that create it.
    :ivar change: the options that change it.
    :ivar members: its other members in requests and answers.
    :ivar listed: the operation that lists it.
    :ivar read: the operation that reads it.
    """

    module: str
    section: str
    create_options: Mapping[str, Any]
    change: Mapping[str, Any]
    members: tuple[str, ...]
    listed: str
    read: str
    put: str
    info: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.module


DAYS, WEEKS = {"unit": "days", "value": 3}, {"unit": "weeks", "value": 2}
TASK = Replaced(
    "task",
    "tasks",
    {
        "title": "Inspect",
        "deadline": "2031-06-30",
        "comment": "All of it",
        "reminders": [DAYS, WEEKS],
        "recurring_schedule": {"unit": "years", "value": 1},
        "assignees": [BERND],
        "references": ["100010"],
        "attachments": ["manual.txt"],
    },
    {"deadline": "2031-07-31"},
    ("comment", "reminders", "recurring_schedule", "assignees", "references", "attachments"),
    "GET /task-management/tasks",
    "GET /task-management/task/{taskUuid}",
    "/task-management/task/",
)
RENTAL = Replaced(
    "rental_case",
    "rental_cases",
    {
        "title": "Fair",
        "references": ["100010"],
        "issue_date": "2031-07-05",
        "due_date": "2031-07-09",
        "issue_date_reminder": DAYS,
        "due_date_reminder": WEEKS,
        "responsible_user": BERND,
        "renter": {"type": "plain", "value": "Weber"},
        "comment": "With care",
        "attachments": ["manual.txt"],
    },
    {"due_date": "2031-07-11"},
    (
        "references",
        "issue_date_reminder",
        "due_date_reminder",
        "responsible_user_uuid",
        "renter",
        "comment",
        "attachments",
    ),
    "GET /rental-management/rental-cases",
    "GET /rental-management/rental-case/{rentalCaseUuid}",
    "/rental-management/rental-case/",
)
DEFINITION = Replaced(
    "field_definition",
    "fields/asset",
    {
        "template": "asset",
        "label": "Condition",
        "type": "DROPDOWN",
        "possible_values": ["good", "bad"],
        "default_value": "good",
        "constraints": {"allowed_values": ["good", "bad"]},
        "attributes": {"form_group": "general_information", "visible": ["web_app_details_view"]},
    },
    {"comment": "New"},
    ("possible_values", "default_value", "attributes", "relations"),
    "GET /asset-tracking/{template}/field-definitions",
    "GET /asset-tracking/{template}/field-definition/{fieldDefinitionUuid}",
    "/asset-tracking/asset/field-definition/",
    {"template": "asset"},
)
KINDS = (TASK, RENTAL, DEFINITION)
MEMBERS = [(kind, member) for kind in KINDS for member in kind.members]
members = pytest.mark.parametrize(("kind", "member"), MEMBERS, ids=str)


class Office(Machine):
    """A machine, and an instance with a complete record of each kind."""

    def make(self, kind: Replaced) -> str:
        result = self.call(kind.module, **kind.create_options)
        assert not result.failed, result.data
        self.service.log.clear()
        return str(result["uuid"])

    def change(self, kind: Replaced, check_mode: bool = False, **more: Any) -> Result:
        keys = {"field_definition": ("template", "label", "type"), "rental_case": ("title", "issue_date")}
        named = {key: kind.create_options[key] for key in keys.get(kind.module, ("title",))}
        return self.call(kind.module, check_mode, **{**named, **kind.change, **more})

    def leave_out(self, kind: Replaced, members: list[str], *operations: str) -> None:
        self.service.set(answers={operation: {"leave_out": members} for operation in operations})

    def put(self, kind: Replaced) -> list[Any]:
        """Return the bodies of the requests that replaced a record."""
        entries = [
            request for request in self.service.requests() if request["method"] == "PUT" and kind.put in request["path"]
        ]
        return [
            json.loads(request["body"]) if isinstance(request["body"], str) else request["body"] for request in entries
        ]

    def state(self, kind: Replaced) -> Any:
        """Return all records of a kind as the service has them."""
        self.service.set(answers={})
        name = {"task": "tasks", "rental_case": "rental_cases", "field_definition": "field_definitions"}[kind.module]
        return self.service.dump(canonical=False)[name]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    (tmp_path / "manual.txt").write_text("Switch it on.")
    monkeypatch.chdir(tmp_path)
    return Office(tmp_path)


def undisturbed(tmp_path: Path, kind: Replaced) -> tuple[Any, int]:
    """Return the state after the change on an instance that returns all members, and the requests."""
    directory = tmp_path / "undisturbed"
    directory.mkdir()
    office = Office(directory)
    office.make(kind)
    assert office.change(kind)["changed"]
    return comparable(office.state(kind)), len(office.service.log)


def comparable(state: Any) -> Any:
    """Return a state without the parts that differ between two instances."""
    text = json.dumps([{key: value for key, value in record.items() if key not in ("uuid", "id")} for record in state])
    return json.loads(text)


# ---- missing


@pytest.mark.sample(4)
@members
def test_a_member_that_the_list_misses_and_the_record_has_is_sent_back(
    here: Office, tmp_path: Path, kind: Replaced, member: str
) -> None:
    here.make(kind)
    here.leave_out(kind, [member], kind.listed)
    done = here.change(kind)
    assert not done.failed, done.data
    sent = len(here.service.log)
    after = comparable(here.state(kind))
    (body,) = here.put(kind)
    assert member in body
    expected, requests = undisturbed(tmp_path, kind)
    for record, other in zip(after, expected, strict=True):
        record.pop("attachments", None), other.pop("attachments", None)
        record.pop("field_key", None), other.pop("field_key", None)
    assert after == expected
    assert sent == requests


@pytest.mark.sample(6)
@members
@pytest.mark.parametrize("check_mode", [True, False])
def test_a_member_that_no_answer_has_is_not_empty_if_others_are(
    here: Office, kind: Replaced, member: str, check_mode: bool
) -> None:
    here.make(kind)
    before = here.state(kind)
    here.leave_out(kind, [member], kind.listed, kind.read)
    done = here.change(kind, check_mode)
    assert done.failed
    shown = "responsible_user" if member == "responsible_user_uuid" else member
    assert f"{shown}: the service does not return it" in done["msg"]
    assert here.writes() == []
    assert here.state(kind) == before


@pytest.mark.parametrize(("kind", "empty"), [(TASK, ["comment"]), (RENTAL, ["comment", "issue_at", "due_at"])], ids=str)
def test_a_member_that_no_answer_has_is_left_out_if_the_instance_leaves_out_what_is_empty(
    here: Office, kind: Replaced, empty: list[str]
) -> None:
    uuid = here.make(kind)
    here.leave_out(kind, empty, kind.listed, kind.read)
    done = here.call(kind.module, uuid=uuid, **kind.change)
    assert not done.failed, done.data
    (body,) = here.put(kind)
    assert not set(empty) & set(body)
    (warning,) = done["warnings"]
    assert "sets all fields at once" in warning
    assert "comment" in warning


WRITTEN = [
    (kind, member)
    for kind, member in MEMBERS
    if member not in ("attachments", "responsible_user_uuid", "comment", "attributes", "relations")
]


@pytest.mark.sample(6)
@pytest.mark.parametrize(("kind", "member"), WRITTEN, ids=str)
@pytest.mark.parametrize("by_set", [False, True])
def test_a_written_member_that_no_answer_has_is_no_change_of_its_own(
    here: Office, kind: Replaced, member: str, by_set: bool
) -> None:
    here.make(kind)
    here.leave_out(kind, [member], kind.listed, kind.read)
    wanted = {**kind.create_options}
    wanted.pop("attachments", None)

    def ensure(check_mode: bool) -> tuple[bool, str]:
        if not by_set:
            done = here.call(kind.module, check_mode, **wanted)
            assert not done.failed, done.data
            return done["changed"], " ".join(done.data.get("warnings", ()))
        entry = {key: value for key, value in wanted.items() if key != "template"}
        here.write(**{kind.section: yaml_list([entry])})
        run = here.run(check_mode=check_mode)
        assert not run.failed, run.findings
        return run.outcome != "unchanged", " ".join(run.warnings)

    for check_mode in (True, False, False):
        changed, warnings = ensure(check_mode)
        assert (changed, warnings.count(f"{member}: can't be read back")) == (False, 1), warnings
    assert here.writes() == []
    wanted.update(kind.change)
    for check_mode in (True, False):
        assert ensure(check_mode)[0]
    (body,) = here.put(kind)
    assert member in body
    assert not ensure(check_mode=False)[0]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_change_reads_the_record_once_before_it_is_replaced(here: Office, kind: Replaced) -> None:
    uuid = here.make(kind)
    assert not here.call(kind.module, uuid=uuid, **kind.info, **kind.change).failed
    methods = [method for method, path in here.service.log if path.endswith(uuid)]
    assert methods == ["GET", "PUT", "GET"]
    here.service.log.clear()
    assert not here.change(kind)["changed"]
    assert [path for _method, path in here.service.log if path.endswith(uuid)] == []


@pytest.mark.sample(4)
@members
def test_in_a_set_a_member_that_no_answer_has_is_a_finding(
    here: Office, tmp_path: Path, kind: Replaced, member: str
) -> None:
    here.make(kind)
    before = here.state(kind)
    here.leave_out(kind, [member], kind.listed, kind.read)
    entry = {**kind.create_options, **kind.change}
    entry.pop("template", None)
    entry.pop("attachments", None)
    shown = "responsible_user" if member == "responsible_user_uuid" else member
    entry.pop(shown, None)
    if kind is RENTAL and shown in ("references", "responsible_user"):
        return
    (tmp_path / "files" / "fields").mkdir(parents=True)
    here.write(**{kind.section: yaml_list([entry])})
    for check_mode in (True, False):
        result = here.run(check_mode=check_mode)
        assert result.outcome == "failed"
        assert f"{shown}: the service does not return it" in "\n".join(result.findings)
    assert here.writes() == []
    assert here.state(kind) == before


@pytest.mark.sample(4)
@members
def test_in_a_set_a_member_that_the_list_misses_is_sent_back(
    here: Office, tmp_path: Path, kind: Replaced, member: str
) -> None:
    here.make(kind)
    before = here.state(kind)
    here.leave_out(kind, [member], kind.listed)
    entry = {key: value for key, value in kind.create_options.items() if key not in ("template", "attachments")}
    (tmp_path / "files" / "fields").mkdir(parents=True)
    here.write(**{kind.section: yaml_list([entry])})
    assert here.run(check_mode=True).outcome == "unchanged"
    here.write(**{kind.section: yaml_list([{**entry, **kind.change}])})
    result = here.run()
    assert result.outcome == "changed", result.findings
    (change,) = result.changes
    assert set(change["after"]) == set(kind.change)
    for record, other in zip(here.state(kind), before, strict=True):
        assert {key: value for key, value in record.items() if key not in kind.change} == {
            key: value for key, value in other.items() if key not in kind.change
        }


# ---- unknown

UNKNOWN = (
    (TASK, "reminders.unit", "fortnights", "reminders"),
    (TASK, "recurring_schedule.unit", "fortnights", "recurring_schedule"),
    (TASK, "recurring_schedule.value", None, "recurring_schedule"),
    (TASK, "references.type", "room", "references"),
    (RENTAL, "renter.type", "group", "renter"),
    (RENTAL, "renter", ["Weber", "Ada"], "renter"),
    (RENTAL, "issue_date_reminder.unit", "hours", "issue_date_reminder"),
    (RENTAL, "due_date_reminder", "P2W", "due_date_reminder"),
    (DEFINITION, "attributes", {"form_group": "general_information"}, "attributes"),
    (DEFINITION, "attributes.value", {"de": "Allgemeines"}, "attributes"),
    (DEFINITION, "possible_values", "good, bad", "possible_values"),
)
unknown = pytest.mark.parametrize(("kind", "path", "value", "member"), UNKNOWN, ids=str)


def answer_unknown(here: Office, kind: Replaced, path: str, value: Any) -> None:
    here.service.set(answers={operation: {"set": {path: value}} for operation in (kind.listed, kind.read)})


@unknown
def test_a_value_that_can_not_be_represented_is_sent_back_as_it_came(
    here: Office, kind: Replaced, path: str, value: Any, member: str
) -> None:
    here.make(kind)
    answer_unknown(here, kind, path, value)
    here.change(kind)
    (body,) = here.put(kind)
    sent = body[member]
    assert value in (sent, *sent) or any(
        value in body.values() for body in (sent if isinstance(sent, list) else [sent])
    )


@pytest.mark.parametrize(
    ("kind", "path", "value", "member"),
    [
        (TASK, "comment", {"de": "All of it"}, "comment"),
        (RENTAL, "comment", ["With care"], "comment"),
        (TASK, "attachments.uuid", None, "attachments"),
        (TASK, "references.uuid", None, "references"),
        (TASK, "assignees", [{"name": "Bernd"}], "assignees"),
        (RENTAL, "attachments.uuid", "file-1", "attachments"),
        (RENTAL, "references.uuid", "", "references"),
        (RENTAL, "renter", {"type": "user", "value": None}, "renter"),
    ],
    ids=str,
)
def test_a_value_that_can_not_be_sent_back_refuses_the_change(
    here: Office, kind: Replaced, path: str, value: Any, member: str
) -> None:
    here.make(kind)
    before = here.state(kind)
    answer_unknown(here, kind, path, value)
    done = here.change(kind)
    assert done.failed
    assert f"{member}: the value that the service returns" in done["msg"]
    assert here.writes() == []
    assert here.state(kind) == before


def test_choices_that_can_not_be_read_are_not_replaced_unasked(here: Office) -> None:
    here.make(DEFINITION)
    answer_unknown(here, DEFINITION, "possible_values", "good, bad")
    done = here.change(DEFINITION, possible_values=["good", "worn"])
    assert done.failed
    assert "Condition: possible_values: the service returns 'good, bad', which can't be read" in done["msg"]
    assert here.writes() == []


@unknown
def test_a_value_that_can_not_be_represented_is_shown_and_never_taken_for_empty(
    here: Office, kind: Replaced, path: str, value: Any, member: str
) -> None:
    uuid = here.make(kind)
    answer_unknown(here, kind, path, value)
    info = here.call(f"{kind.module}_info", uuid=uuid, **kind.info)
    (record,) = info["records"]
    assert record[member] not in (None, [], {})
    if kind is DEFINITION:
        return
    cleared = here.change(kind, check_mode=True, **{member: None})
    assert cleared["diff"]["before"][member] not in (None, [], {})


@pytest.mark.sample(4)
@unknown
def test_an_export_says_what_no_file_can_hold(
    here: Office, kind: Replaced, path: str, value: Any, member: str, tmp_path: Path
) -> None:
    here.make(kind)
    answer_unknown(here, kind, path, value)
    client = here.connect()
    (tmp_path / "downloads").mkdir()
    exported = export_instance(client, Selection(), Downloads(client, tmp_path / "downloads", {}))
    rows = [
        row
        for row in exported.sections[kind.section]
        if (row.get("title") or row.get("label")) in ("Inspect", "Fair", "Condition")
    ]
    assert all(member not in row for row in rows)
    assert [line for line in exported.left_out if member in line]


@pytest.mark.sample(3)
@members
def test_an_export_reads_a_member_that_the_list_misses_and_names_one_that_nothing_has(
    here: Office, tmp_path: Path, kind: Replaced, member: str
) -> None:
    here.make(kind)
    rows = []
    for operations in ((), (kind.listed,), (kind.listed, kind.read)):
        here.leave_out(kind, [member], *operations)
        client, downloads = here.connect(), tmp_path / f"downloads-{len(operations)}"
        downloads.mkdir()
        exported = export_instance(client, Selection(), Downloads(client, downloads, {}))
        rows.append(exported.sections[kind.section])
    assert rows[1] == rows[0]
    assert [line for line in exported.left_out if "the service does not return it, so it is in no file" in line]


# ---- the catalog


def test_a_change_of_a_catalog_item_sends_back_what_no_type_knows(here: Office) -> None:
    listed, read = "GET /catalog-items", "GET /catalog-item/{catalogItemUuid}"
    uuid = here.call("catalog_item_info")["records"][0]["uuid"]
    here.service.set(answers={listed: {"leave_out": ["fields.catalog_object_description"]}})
    done = here.call("catalog_item", uuid=uuid, fields={"purchasing_price": 5})
    assert not done.failed, done.data
    assert done["record"]["catalog_object_description"]
    here.service.set(
        answers={
            operation: {"set": {"fields.catalog_object_purchasing_price": "on request"}} for operation in (listed, read)
        }
    )
    here.call("catalog_item", uuid=uuid, fields={"description": "New"})
    bodies = [request["body"] for request in here.service.requests() if request["method"] == "PUT"]
    assert "on request" in json.dumps(bodies[-1])
