# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Another controller created the same record at the same time, or no list shows the record."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import Ambiguous, SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure

from ..support import SAMPLE, FakeTransport, answer, client_on, created, definition, listing, page_of, uuid_of

MILL = {"location_uuid": uuid_of(7), "id": 7, "name": "Mill"}
OTHER = {"location_uuid": uuid_of(3), "id": 8, "name": "Mill"}
WISH = DesiredRecord(KINDS["location"], {"name": "Mill"})


def transport_with(*after: Any) -> FakeTransport:
    return FakeTransport({"GET /locations": [page_of([]), page_of([]), listing(after)], "POST /location": created(7)})


def test_what_was_created_is_read_back_by_its_key_with_as_many_requests() -> None:
    transport = transport_with(MILL)
    assert ensure(client_on(transport), WISH).uuid == uuid_of(7)
    assert transport.lines == [*["GET /locations"] * 3, "POST /location", "GET /locations"]
    assert SAMPLE in transport.calls[1].pairs
    assert ("filter[name][eq]", "Mill") in transport.calls[-1].pairs


def test_a_second_record_is_reported_with_both_uuids_and_which_one_is_newer() -> None:
    with pytest.raises(Ambiguous) as caught:
        ensure(client_on(transport_with(MILL, OTHER)), WISH)
    assert caught.value.message == (
        f"Somebody else created the same location at the same time: {uuid_of(3)} and {uuid_of(7)} have the natural key "
        f"now. The newer record is {uuid_of(3)}. Nothing was deleted. Delete one of them."
    )


def test_a_record_that_the_list_does_not_show_yet_is_read_by_its_uuid() -> None:
    transport = transport_with()
    transport.routes[f"GET /location/{uuid_of(7)}"] = answer(MILL)
    assert ensure(client_on(transport), WISH).uuid == uuid_of(7)


# ---- found by its barcode, and in no list


def ensured(state: str, assume: bool = False, listed: bool = False, **members: Any) -> tuple[Any, FakeTransport]:
    found = {"asset_uuid": uuid_of(5), "id": 5, "barcode": "7", **members}
    later = listing([found] if listed else [])
    transport = FakeTransport(
        {
            "GET /asset-tracking/asset/field-definitions": answer([definition("barcode", "BARCODE")]),
            "GET /objects": [page_of([]), later, later],
            "GET /object/by-barcode/7": answer(found),
            f"GET /object/{uuid_of(5)}": answer(found),
            f"POST /object/{uuid_of(5)}/unarchive": answer(None, 204),
            f"DELETE /object/{uuid_of(5)}": answer(None, 204),
        }
    )
    wish = DesiredRecord(
        KINDS["object"], {"barcode": "7"}, state=state, allow=frozenset(["assumed_archived"] if assume else [])
    )
    return ensure(client_on(transport), wish), transport


@pytest.mark.parametrize("state", ["present", "absent"])
def test_where_the_instance_does_not_report_nothing_is_done_and_both_causes_are_named(state: str) -> None:
    with pytest.raises(SeventhingsError, match="Either it is archived, or it is hidden") as caught:
        ensured(state)
    assert "allow: [assumed_archived]" in caught.value.message


@pytest.mark.parametrize(
    ("state", "write"),
    [("present", f"POST /object/{uuid_of(5)}/unarchive"), ("absent", f"DELETE /object/{uuid_of(5)}")],
)
@pytest.mark.parametrize("members", [{}, {"archived_at": "2026-05-01 10:00:00"}], ids=["assumed", "reported"])
def test_what_is_archived_is_brought_back_or_deleted(state: str, write: str, members: dict[str, Any]) -> None:
    report, transport = ensured(state, assume=not members, **members)
    assert report.changed
    assert transport.writes == [write]


@pytest.mark.parametrize("members", [{"archived_at": None}, {}], ids=["reported", "listed by now"])
def test_what_was_created_meanwhile_is_not_archived(members: dict[str, Any]) -> None:
    report, transport = ensured("present", listed=True, **members)
    assert not report.changed
    assert transport.writes == []


# ---- lists that nothing narrows


def people(after: list[Any], before: int = 0) -> FakeTransport:
    first = [{"person_uuid": uuid_of(number), "id": number, "email": f"{number}@b.de"} for number in range(before)]
    return FakeTransport(
        {
            "GET /asset-tracking/person/field-definitions": answer([definition("email", "TEXT")]),
            "GET /persons": [listing(first), listing(after)],
            "POST /person": created(2007),
            f"GET /person/{uuid_of(2007)}": answer(ADA),
        }
    )


ADA = {"person_uuid": uuid_of(2007), "id": 2007, "email": "ada@example.org"}
ADA_WISH = DesiredRecord(KINDS["person"], {"email": "ada@example.org"})


def test_a_list_of_one_page_that_nothing_narrows_is_read_again_in_place_of_the_record() -> None:
    transport = people([ADA])
    assert ensure(client_on(transport), ADA_WISH).uuid == uuid_of(2007)
    assert [line for line in transport.lines if "definitions" not in line] == [
        "GET /persons",
        "POST /person",
        "GET /persons",
    ]
    with pytest.raises(Ambiguous, match="Somebody else created the same person at the same time"):
        ensure(client_on(people([ADA, {**ADA, "person_uuid": uuid_of(2003), "id": 2003}])), ADA_WISH)


def test_a_longer_list_is_not_read_again() -> None:
    transport = people([ADA], before=1000)
    assert ensure(client_on(transport), ADA_WISH).uuid == uuid_of(2007)
    assert transport.lines[-1] == f"GET /person/{uuid_of(2007)}"
