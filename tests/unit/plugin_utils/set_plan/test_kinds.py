# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Special rules of single kinds (archived duplicates, the hub, users, tasks, definitions), and odd texts."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import HUB_ORDER, OBJECT, TASK, USER
from ansible_collections.community.seventhings.plugins.module_utils.operations.hub_items import asset_ids, is_cancelled
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure


def _object(barcode: str, **fields: Any) -> dict[str, Any]:
    return {"barcode": barcode, "inventory_name": f"Thing {barcode}", **fields}


# ---- archived twins


def _archive(site: Site, barcode: str) -> None:
    client = site.client()
    (record,) = [record for record in client.list_all(OBJECT) if record.flat["barcode"] == barcode]
    client.archive(OBJECT, record.uuid)


@pytest.mark.parametrize("weather", [{}, {"archived_at": "none"}], ids=["reported", "not reported"])
def test_an_archived_twin_is_brought_back_and_changed(site: Site, weather: dict[str, str]) -> None:
    site.write({"objects.yml": yaml_list([_object("1"), _object("2")])})
    site.run()
    _archive(site, "1")
    site.service.steer("PUT", "/switches", weather)
    site.write({"objects.yml": yaml_list([{**_object("1"), "inventory_name": "New"}, _object("2")])})
    if weather:
        (finding,) = site.plan().findings
        assert "Either it is archived, or it is hidden from this account" in str(finding)
        assert "allow: [assumed_archived]" in str(finding)
    (change,) = site.plan(allow=["assumed_archived"] if weather else []).changes
    assert change["before"] == {"archived": True, "inventory_name": "Thing 1"}
    assert change["after"] == {"archived": False, "inventory_name": "New"}
    assert site.run(allow=["assumed_archived"] if weather else []).outcome == "changed"
    assert site.plan().outcome == "unchanged"
    assert [record["archived"] for record in site.dump()["objects"]] == [False, False]


@pytest.mark.parametrize("written", ["1", {"barcode": "1"}], ids=["barcode", "map"])
def test_others_refer_to_an_archived_object_by_its_barcode(site: Site, written: Any) -> None:
    site.write(TASKS)
    site.run()
    (archived,) = [record.uuid for record in site.client().list_all(OBJECT)]
    _archive(site, "1")
    task = {**_task("Ask who has it"), "references": [written]}
    site.write({"objects.yml": yaml_list([_object("2")]), "tasks.yml": yaml_list([task])})
    result = site.run()
    assert result.outcome == "changed", (result.findings, result.failures)
    (read_task,) = site.client().list_all(TASK)
    assert [reference["uuid"] for reference in read_task.flat["references"]] == [archived]
    site.service.clear_log()
    assert site.plan().outcome == "unchanged"
    assert [line for line in site.sent() if "barcode" in line] == ["GET /object/by-barcode/1"]
    assert [line for line in site.sent() if line.startswith("GET /object/") and "barcode" not in line] == []


def test_of_very_many_unknown_barcodes_some_are_looked_up(site: Site) -> None:
    barcodes = [f"gone {number}" for number in range(100)]
    task = {"title": "Ask who has it", "deadline": "2031-05-05", "references": barcodes}
    site.write({"objects.yml": yaml_list([_object("2")]), "tasks.yml": yaml_list([task])})
    site.service.clear_log()
    assert len(site.plan().findings) == 100
    assert len([line for line in site.sent() if line.startswith("GET /object/by-barcode/gone")]) == 40


@pytest.mark.slow
def test_an_archived_twin_among_very_many_new_objects_is_found_when_the_service_refuses(site: Site) -> None:
    objects = [_object(f"{number:04d}") for number in range(150)]
    site.write({"objects.yml": yaml_list(objects)})
    site.run()
    client = site.client()
    for record in client.list_all(OBJECT):
        if record.flat["barcode"] == "0101":
            client.archive(OBJECT, record.uuid)
        else:
            client.delete(OBJECT, record.uuid)
    result = site.run(limits={"create_percent": 100})
    assert result.outcome == "changed", result.failures
    assert site.plan().outcome == "unchanged"
    assert len(site.dump()["objects"]) == 150


def test_others_may_refer_to_an_archived_twin(site: Site) -> None:
    site.write({"objects.yml": yaml_list([_object("1")])})
    site.run()
    _archive(site, "1")
    site.write({"objects.yml": yaml_list([_object("1"), _object("2", accessories=["1"])])})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_archiving_what_is_archived_or_was_never_there_is_unchanged(site: Site) -> None:
    site.write({"objects.yml": yaml_list([_object("1")])})
    site.run()
    site.write({"objects.yml": yaml_list([{"barcode": "1", "_state": "archived"}])})
    assert site.run().outcome == "changed"
    assert site.run().outcome == "unchanged"


@pytest.mark.parametrize("weather", [{}, {"delete_archived": "refuse"}], ids=["calm", "refused"])
def test_an_archived_object_is_only_lost_when_it_is_deleted(site: Site, weather: dict[str, str]) -> None:
    site.service.steer("PUT", "/switches", weather)
    site.write({"objects.yml": yaml_list([_object("1"), _object("2")])})
    site.run()
    _archive(site, "1")
    site.write({"objects.yml": yaml_list([{"barcode": "1", "_state": "absent"}, {"barcode": "9", "_state": "absent"}])})
    result = site.run()
    assert [(change["action"], change["key"]) for change in result.changes] == [("delete", "1")]
    assert [record["name"] for record in site.dump()["objects"]] == ["2"]
    assert site.run().outcome == "unchanged"


# ---- attachments


def test_a_file_that_gets_another_name_is_shown_with_it(site: Site) -> None:
    definition = "- {label: Papers, type: ATTACHMENT}\n"
    site.write({"fields/asset.yml": definition, "files/a.txt": "Terms", "objects.yml": yaml_list([_object("1")])})
    site.run()
    named = {"path": "files/a.txt", "name": "terms of use.txt"}
    site.write({"objects.yml": yaml_list([_object("1", Papers=[named])])})
    (change,) = site.plan().changes
    assert {change["labels"][key]: value for key, value in change["after"].items()} == {"Papers": [named]}


# ---- hub


def test_an_object_is_offered_its_price_changed_and_it_is_taken_off(site: Site) -> None:
    offer = {"object": "1", "category": "office_chair", "price": "12.50"}
    site.write({"objects.yml": yaml_list([_object("1"), _object("2")]), "hub.yml": yaml_list([offer])})
    planned = site.plan()
    assert planned.findings == []
    result = site.run()
    assert result.summary["hub"]["created"] == 1, result.failures
    assert site.plan().outcome == "unchanged"
    assert len(site.dump()["hub_items"]) == 1
    site.write({"hub.yml": yaml_list([{**offer, "price": "9.90"}])})
    (change,) = site.plan().changes
    assert (change["before"], change["after"]) == ({"price": 12.5}, {"price": 9.9})
    site.service.clear_log()
    assert site.run().outcome == "changed"
    assert len(site.writes()) == 1
    assert site.plan().outcome == "unchanged"
    site.write({"hub.yml": yaml_list([{"object": "1", "_state": "absent"}])})
    assert [change["action"] for change in site.plan().changes] == ["delete"]
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_an_object_in_an_order_is_not_offered_again(demo: Site) -> None:
    client = demo.client()
    order = next(record for record in client.list_all(HUB_ORDER) if not is_cancelled(record) and asset_ids(record))
    number = min(asset for asset in asset_ids(order) if asset is not None)
    demo.write({"hub.yml": f"- {{object: {{id: {number}}}, price: 5}}\n"})
    result = demo.run()
    assert result.outcome == "unchanged", result.findings
    assert any("is in the order" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("written", "place", "message"),
    [
        ("- {object: nothing, price: 5}\n", "hub.yml:1:", "object: there is no object 'nothing'"),
        ("- {price: 5}\n", "hub.yml:1:", "object: expected the one object that is offered"),
        ('- {object: "1", price: ten}\n', "hub.yml:1:", "price: 'ten' does not fit"),
        ('- {object: "1", prize: 5}\n', "hub.yml:1:", "prize: no such field"),
        ('- {object: "1"}\n- {object: "1"}\n', "hub.yml:2:", "is described both here and at hub.yml:1:3"),
    ],
)
def test_what_is_wrong_with_an_offer_is_found(site: Site, written: str, place: str, message: str) -> None:
    site.write({"objects.yml": yaml_list([_object("1")]), "hub.yml": written})
    result = site.run()
    assert any(finding.startswith(place) and message in finding for finding in result.findings), result.findings
    assert site.writes() == []


# ---- users


PERSONS = yaml_list(
    {"email": f"P{number}@acme.example", "first_name": "P", "last_name": str(number)} for number in range(12)
)


def test_users_are_created_only_if_the_task_allows_it(site: Site) -> None:
    site.write({"persons.yml": PERSONS, "users.yml": "- p1@acme.example\n"})
    result = site.run(allow=[])
    assert result.summary["persons"]["created"] == 12
    assert any("allow: [users]" in warning for warning in result.warnings)
    assert "POST /persons/create-user" not in site.writes()
    result = site.run()
    assert result.summary["users"]["created"] == 1, result.failures
    assert site.plan().outcome == "unchanged"
    assert len([user for user in site.dump()["users"] if "p1@" in user["email"].lower()]) == 1


def test_what_needs_a_user_that_is_not_created_is_left_alone_and_named(site: Site) -> None:
    task = {"title": "Check", "deadline": "2027-03-01", "reminders": [], "references": ["2"]}
    somebody = site.client().list_all(USER)[0].flat["email"]
    site.write(
        {
            "persons.yml": PERSONS,
            "users.yml": "- p1@acme.example\n",
            "objects.yml": yaml_list(
                [
                    _object("1"),
                    _object("2", responsible_user="P1@acme.example"),
                    _object("3", accessories=["2"]),
                    _object("4", responsible_user=somebody),
                ]
            ),
            "tasks.yml": yaml_list([{**task, "assignees": [somebody]}]),
        }
    )
    planned = site.plan(allow=[])
    assert planned.findings == []
    assert [change["key"] for change in planned.changes if change["section"] != "persons"] == ["1", "4"]
    result = site.run(allow=[])
    assert result.outcome == "changed", result.failures
    skipped = {section: counts["skipped"] for section, counts in result.summary.items() if counts["skipped"]}
    assert skipped == {"users": 1, "objects": 2, "tasks": 1}
    assert "object 2: skipped, because it needs user p1@acme.example, which is not created." in result.warnings
    assert "object 3: skipped, because it needs object 2, which is not created." in result.warnings
    assert "task Check: skipped, because it needs object 2, which is not created." in result.warnings
    assert site.run(allow=[]).outcome == "unchanged"
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"
    assert len(site.dump()["tasks"]) == 1


def test_a_user_needs_exactly_one_person(site: Site) -> None:
    site.write({"instance.yml": "api: seventhings/v1\n", "users.yml": "- nobody@acme.example\n"})
    (finding,) = site.run().findings
    assert finding.startswith(
        "users.yml:1:3: a user is created from a person, but there is no person 'nobody@acme.example'"
    )


# ---- tasks


TASKS = {
    "instance.yml": "api: seventhings/v1\n",
    "persons.yml": "- {email: ada@acme.example, first_name: Ada, last_name: Jensen}\n",
    "users.yml": "- ada@acme.example\n",
    "objects.yml": yaml_list([_object("1")]),
}


def _task(title: str, **fields: Any) -> dict[str, Any]:
    return {
        "title": title,
        "deadline": "2027-03-01",
        "assignees": ["ada@acme.example"],
        "references": ["1"],
        "reminders": [{"unit": "days", "value": 1}],
        **fields,
    }


def test_an_open_task_counts_before_closed_ones_of_the_same_title(site: Site) -> None:
    site.write({**TASKS, "tasks.yml": yaml_list([_task("Count")])})
    assert site.run().outcome == "changed"
    client = site.client()
    (first,) = client.list_all(TASK)
    client.set_status(TASK, first.uuid, "closed")
    # The closed task is the match: it is not opened, and no second task is created.
    assert site.plan().outcome == "unchanged"
    site.write({"tasks.yml": yaml_list([_task("Count", status="open")])})
    assert [change["after"] for change in site.plan().changes] == [{"status": "open"}]
    body = {key: first.flat[key] for key in ("title", "comment", "deadline", "reminders", "recurring_schedule")}
    others = {"assignees": first.flat["assignees"], "attachments": [], "references": first.flat["references"]}
    client.create(TASK, {**body, **others})
    assert site.plan().outcome == "unchanged"
    client.set_status(TASK, first.uuid, "open")
    (finding,) = site.plan().findings
    assert finding.startswith("tasks.yml:1:3: 2 tasks have title 'Count': ")


def test_a_closed_task_is_created_and_closed(site: Site) -> None:
    site.write({**TASKS, "tasks.yml": yaml_list([_task("Count", status="closed")])})
    assert site.run().outcome == "changed"
    assert site.dump()["tasks"][0]["status"] == "closed"
    assert site.plan().outcome == "unchanged"


# ---- time


def test_a_date_and_time_without_an_offset_is_in_the_time_zone_of_the_files(site: Site) -> None:
    site.write(
        {
            "instance.yml": "api: seventhings/v1\ntimezone: Europe/Berlin\n",
            "objects.yml": '- {barcode: "1", inventory_name: a, last_inspection: 2024-07-01 12:00}\n'
            '- {barcode: "2", inventory_name: b, last_inspection: "2024-01-01T12:00:00"}\n'
            '- {barcode: "3", inventory_name: c, last_inspection: "2024-01-01T12:00:00+05:00"}\n',
        }
    )
    result = site.run()
    assert result.outcome == "changed", result.findings
    for side in ("as_written", "utc"):
        site.service.steer("PUT", "/switches", {"datetime_read": side})
        assert site.plan().outcome == "unchanged"
    shown = {change["key"]: change["after"].get("last_inspection") for change in result.changes}
    assert shown["1"].startswith("2024-07-01T12:00:00+02:00")
    assert shown["2"].startswith("2024-01-01T12:00:00+01:00")


def test_a_time_that_needs_an_offset_or_a_time_zone_says_so(site: Site) -> None:
    message = (
        "last_inspection: 2024-07-01 12:00:00 has no offset to UTC; write it with an offset (+02:00), or set timezone"
    )
    wish = {"barcode": "1", "inventory_name": "a", "last_inspection": "2024-07-01 12:00"}
    site.write({"objects.yml": "- {barcode: '1', inventory_name: a, last_inspection: 2024-07-01 12:00}\n"})
    assert any(message in line for line in site.plan().findings)
    with pytest.raises(InvalidInput, match=re.escape(message)):
        ensure(site.client(), DesiredRecord(OBJECT, wish))
    assert ensure(site.client(), DesiredRecord(OBJECT, wish, timezone="Europe/Berlin")).changed


@pytest.mark.parametrize("name", ["Mars/Phobos", "5", "''", "[a]", "../../etc/passwd"])
def test_a_time_zone_that_is_none_is_found(site: Site, name: str) -> None:
    site.write({"instance.yml": f"api: seventhings/v1\ntimezone: {name}\n"})
    (finding,) = site.plan().findings
    assert finding.startswith("instance.yml:2:11: timezone: ")


# ---- odd texts


def test_case_twins_are_two_records_also_where_the_service_compares_without_case(site: Site) -> None:
    site.service.steer("PUT", "/switches", {"filter_eq": "case_blind"})
    site.write({"objects.yml": yaml_list([_object("A1"), _object("a1")]), "locations.yml": "- name: X\n- name: x\n"})
    result = site.run()
    if result.outcome == "changed":
        assert site.plan().outcome == "unchanged"
        assert len(site.dump()["objects"]) == 2


def test_addresses_that_differ_in_case_only_are_one_person(site: Site) -> None:
    site.write({"persons.yml": yaml_list([{"email": "a@x.example"}, {"email": "A@X.example"}])})
    assert any("is written twice, first at persons.yml:1:3" in finding for finding in site.plan().findings)


COMPOSED = unicodedata.normalize("NFC", "Bücher")
DECOMPOSED = unicodedata.normalize("NFD", "Bücher")


def test_texts_that_look_the_same_are_never_two_records(site: Site) -> None:
    site.write({"locations.yml": yaml_list([{"name": COMPOSED}, {"name": DECOMPOSED}])})
    (finding,) = site.plan().findings
    assert finding.startswith("locations.yml:2:3: location ")
    assert "looks the same as the one at locations.yml:1:3" in finding
    site.write({"locations.yml": yaml_list([{"name": DECOMPOSED}])})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"
    site.write({"locations.yml": yaml_list([{"name": COMPOSED}])})
    assert site.plan().outcome == "unchanged"


ODD = ["0", "00", " leading", "trailing ", "a\tb", "a\nb", "yes", "null", "~", "1e3", "\u00e9", "e\u0301", "\U0001f4a9"]
ODD += ["x" * 9000, "#", "- a", "'", '"', "\\", "\u2028"]


@pytest.mark.sample(6)
@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text)[:20])
def test_a_text_arrives_as_it_was_written_and_stays(site: Site, text: str) -> None:
    site.write({"objects.yml": yaml_list([_object("1", description=text)])})
    assert site.run().outcome == "changed"
    assert site.dump()["objects"][0]["fields"]["description"] == text
    assert site.plan().outcome == "unchanged"
    for side in ("null", "text", "list"):
        site.service.steer("PUT", "/switches", {"empty_form": side, "number_form": "string"})
        assert site.plan().outcome == "unchanged"


def test_zero_is_not_nothing_and_null_clears(site: Site) -> None:
    full = {"quantity": 0, "weight": "0.0", "purchasing_price": 0, "is_loaned": False, "serial_number": "0"}
    site.write({"objects.yml": yaml_list([_object("1", **full)])})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"
    fields = site.dump()["objects"][0]["fields"]
    assert (fields["quantity"], fields["is_loaned"], fields["serial_number"]) == (0, False, "0")
    site.write({"objects.yml": yaml_list([_object("1", **dict.fromkeys(full))])})
    (change,) = site.plan().changes
    assert set(change["after"]) == set(full)
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"


# ---- definitions


def test_a_dropdown_value_that_records_use_is_not_removed_without_leave(site: Site) -> None:
    site.write(
        {
            "fields/asset.yml": "- {label: Grade, type: DROPDOWN, possible_values: [A, B]}\n",
            "objects.yml": yaml_list([_object("1", Grade="B")]),
        }
    )
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"
    site.write({"fields/asset.yml": "- {label: Grade, type: DROPDOWN, possible_values: [A]}\n"})
    assert any("would be removed" in finding for finding in site.plan().findings)
    site.write({"objects.yml": yaml_list([_object("1", Grade="C")])})
    site.write({"fields/asset.yml": "- {label: Grade, type: DROPDOWN, possible_values: [A, B]}\n"})
    (finding,) = site.plan().findings
    assert finding.startswith("objects.yml:3:10: Grade: 'C' does not fit")


def test_identity_may_name_other_fields(site: Site) -> None:
    site.write(
        {
            "instance.yml": "api: seventhings/v1\nidentity: {objects: [serial_number]}\n",
            "objects.yml": yaml_list([_object("1", serial_number="S1")]),
        }
    )
    assert site.run().outcome == "changed"
    site.write(
        {
            "objects.yml": yaml_list(
                [_object("2", serial_number="S1"), _object("3", serial_number="S2", accessories=["2"])]
            )
        }
    )
    result = site.run()
    assert result.summary["objects"]["created"] == result.summary["objects"]["updated"] == 1
    assert site.plan().outcome == "unchanged"
    site.write({"instance.yml": "api: seventhings/v1\nidentity: {objects: [serial_numbr]}\n"})
    (finding,) = site.plan().findings
    suggestion = "did you mean serial_number or Serial number?"
    assert finding == f"instance.yml:2:21: identity.objects: serial_numbr: no such field in an object; {suggestion}"


def test_an_archived_object_is_found_by_its_barcode_whatever_identifies_it(site: Site) -> None:
    line = "- {{barcode: '1', serial_number: s1, inventory_name: {}}}\n"
    settings = "api: seventhings/v1\nset: test\nidentity: {objects: [serial_number]}\n"
    site.write({"instance.yml": settings, "objects.yml": line.format("x")})
    site.run()
    for after in ("x, _state: archived", "y", "y, _state: archived", "y, _state: absent"):
        site.write({"objects.yml": line.format(after)})
        assert site.run().outcome == "changed"
        assert site.plan().outcome == "unchanged"
    assert site.dump()["objects"] == []


@pytest.mark.parametrize(
    ("offer", "finding"),
    [
        ("- {price: 10}\n", "object"),
        ("- {object: '', price: 10}\n", "object"),
        ("- {object: nowhere, price: 10}\n", "object: "),
        ("- {object: nowhere, _state: absent}\n", ""),
    ],
)
def test_an_offer_names_the_one_object_that_is_offered(site: Site, offer: str, finding: str) -> None:
    site.write({"objects.yml": "- {barcode: '1', inventory_name: Lamp}\n", "hub.yml": offer})
    planned = site.plan()
    assert len(planned.findings) == bool(finding)
    assert all(line.startswith("hub.yml:1:") and finding in line for line in planned.findings), planned.findings
