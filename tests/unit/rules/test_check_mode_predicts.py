# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode fails if the real run certainly fails. It warns if an earlier task of the play may still prevent that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded

NOTHING = "09158a1e-19b2-49ee-9859-2ffcb73dadbc"
OBJECTS = ["324e18a5-6374-5db1-8f73-658eb527373d", "48c197fa-128d-5647-9393-5d0b6078b387"]
ROOM = "a5466d6c-cd85-50da-adea-a7a590bdcbd4"
USER = "clara.mendes@nordhain.example"
TASK = {"title": "Check it", "deadline": "2032-01-01", "assignees": [USER]}
CASE = {
    "title": "Lend it",
    "issue_date": "2032-01-01",
    "due_date": "2032-01-02",
    "references": ["100001"],
    "responsible_user": USER,
    "renter": {"type": "plain", "value": "A guest"},
}


def changed(**fields: Any) -> dict[str, Any]:
    return {"fields": {"barcode": "100001", **fields}}


CERTAIN: list[tuple[str, dict[str, Any]]] = [
    ("object", changed(target_room=999999)),
    ("object", changed(target_room=NOTHING)),
    ("object", changed(target_building={"id": 999999})),
    ("object", changed(responsible_person=999999)),
    ("object", changed(accessories=[999999])),
    ("object", changed(accessories=["100002", NOTHING])),
    ("object", changed(documents=[NOTHING])),
    ("object", changed(target_room={"building_id": 999999, "number": "5"})),
    ("object", {"fields": {"barcode": "X1", "inventory_name": "New", "target_room": 999999}}),
    ("object", {"uuid": NOTHING, "fields": {"inventory_name": "x"}}),
    ("room", {"fields": {"building_id": 999999, "number": "1", "name": "x"}}),
    ("room", {"fields": {"building_id": NOTHING, "number": "1", "name": "x"}}),
    ("task", {**TASK, "assignees": [NOTHING]}),
    ("task", {**TASK, "references": [NOTHING]}),
    ("task", {**TASK, "references": [999999]}),
    ("task", {**TASK, "attachments": [NOTHING]}),
    ("rental_case", {**CASE, "responsible_user": NOTHING}),
    ("rental_case", {**CASE, "references": [NOTHING]}),
    ("rental_case", {**CASE, "attachments": [NOTHING]}),
    ("rental_case", {**CASE, "renter": {"type": "user", "value": NOTHING}}),
    ("file", {"object": "100001", "field": "documents", "uuid": NOTHING}),
    ("hub_item", {"object": NOTHING, "price": 1}),
    ("hub_order", {"items": [999999]}),
    ("user_from_person", {"person": NOTHING}),
    (
        "field_definition",
        {
            "template": "asset",
            "label": "Condition found",
            "type": "TEXT",
            "relations": [{"type": "actual_field", "field_uuid": NOTHING}],
        },
    ),
]
"""Each refers to a record, or to a file, that does not exist."""


@pytest.mark.parametrize(("module", "options"), CERTAIN)
def test_an_unknown_id_or_uuid_is_an_error_in_check_mode_too(module: str, options: dict[str, Any]) -> None:
    instance = Embedded.started()
    for check_mode in (True, False):
        result = instance.call(module, check_mode, **options)
        assert result.get("failed"), check_mode
        assert any(mark in result["msg"] for mark in (NOTHING, "999999"))


TO_COME: list[tuple[str, dict[str, Any]]] = [
    ("object", changed(Shelf="A1")),
    ("object", changed(accessories=["To come"])),
    ("object", {"fields": {"barcode": "X1"}}),
    ("task", {"title": "Whose?", "deadline": "2032-01-01"}),
    ("rental_case", {**CASE, "responsible_user": "newcomer@partner.example"}),
    ("room", {"fields": {"building_id": "A new place", "number": "1", "name": "x"}}),
    ("field_definition", {"template": "asset", "label": "Which type?"}),
    ("file", {"object": "To come", "field": "documents", "uuid": NOTHING}),
    ("file_download", {"object": "To come", "field": "documents", "dest": "/nowhere/x"}),
    ("hub_item", {"object": "To come", "price": 1}),
    ("user_from_person", {"person": "newcomer@partner.example"}),
]
"""Each would succeed if an earlier task of the play created something."""


@pytest.mark.parametrize(("module", "options"), TO_COME)
def test_check_mode_names_what_an_earlier_task_has_to_create(module: str, options: dict[str, Any]) -> None:
    instance = Embedded.started()
    predicted = instance.call(module, True, **options)
    assert predicted["changed"]
    assert any("the real run fails unless an earlier task" in warning for warning in predicted["warnings"])
    assert instance.call(module, **options)["failed"]


@pytest.mark.parametrize("kind", ["room", "location"])
def test_check_mode_names_what_is_in_a_place_to_delete(kind: str) -> None:
    instance = Embedded.started()
    [place] = instance.call(f"{kind}_info", limit=1)["records"]
    predicted = instance.call(kind, True, uuid=place["uuid"], state="absent")
    [warning] = predicted["warnings"]
    assert predicted["changed"]
    assert "object 100001 (" in warning
    assert "the real run fails unless an earlier task of the play empties it" in warning
    assert instance.call(kind, uuid=place["uuid"], state="absent")["failed"]


def test_an_empty_place_is_deleted_without_a_warning() -> None:
    instance = Embedded.started()
    options: dict[str, Any] = {"fields": {"name": "Empty"}}
    assert instance.call("location", **options)["changed"]
    assert instance.call("location", True, **options, state="absent")["warnings"] == []


@pytest.mark.parametrize(
    ("link", "reads"),
    [
        ({"target_room": ROOM}, 1),
        ({"accessories": OBJECTS}, 1),
        ({"accessories": ["100003"]}, 0),
        ({"inventory_name": "Other"}, 0),
    ],
)
def test_only_check_mode_reads_what_a_new_link_means(link: dict[str, Any], reads: int) -> None:
    predicted, done, again = (
        instance.call("object", check_mode, **changed(**link))["requests"]
        for instance in [Embedded.started()]
        for check_mode in (True, False, True)
    )
    writes_and_reads_back = 2
    assert predicted - reads == done - writes_and_reads_back
    # A link that the record has already is not looked up.
    assert again == predicted - reads


def test_a_target_that_the_account_may_not_read_is_a_warning() -> None:
    instance = Embedded.started()
    instance.fault("403", method="GET", path="*/room/*")
    [warning] = instance.call("object", True, **changed(target_room=ROOM))["warnings"]
    assert "It was not checked whether all references have targets" in warning


HEAD = "api: seventhings/v1\nset: test\nset_id: c0ffee5ca1ab1e42\n"
IN_A_SET: list[tuple[str, str, str]] = [
    ("objects.yml", '- {barcode: "100001", target_room: 999999}', "there is no room with the id 999999"),
    ("objects.yml", f'- {{barcode: "100001", accessories: [{NOTHING}]}}', f"no object with the uuid {NOTHING}"),
    ("objects.yml", f'- {{barcode: "100001", documents: [{NOTHING}]}}', f"no file with the uuid {NOTHING}"),
    ("objects.yml", '- {barcode: "X1"}', "can't be created without inventory_name"),
    ("rooms.yml", '- {building_id: Dresden, number: "0.12", _state: absent}', "refer to it; first move"),
    ("tasks.yml", "- {title: X, deadline: 2032-01-01}", "can't be created without assignees"),
]


@pytest.mark.parametrize(("name", "record", "words"), IN_A_SET)
def test_in_a_set_everything_that_fails_is_a_finding(tmp_path: Path, name: str, record: str, words: str) -> None:
    """A set has no earlier task: it says itself what it creates."""
    site = Embedded.started().site(tmp_path)
    site.write({"instance.yml": HEAD, name: f"{record}\n"})
    result = site.run(check_mode=True)
    assert result.outcome == "failed"
    assert [words in finding for finding in result.findings] == [True]
