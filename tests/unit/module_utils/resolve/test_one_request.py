# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the number of records, and the first of them, in one request if that is safe; otherwise read the whole list."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.resolve.listing import ListResult, list_records

from ..support import FakeTransport, JsonMap, answer, client_on, definition, uuid_of

DEFINITIONS = "GET /asset-tracking/asset/field-definitions"
FIELDS = [
    definition("purchasing_price", "MONEY"),
    definition("inventory_name", "TEXT"),
]


def thing(number: int, price: float | None = None) -> JsonMap:
    created_at = f"2027-01-{number:02d} 10:00:00"
    return {"asset_uuid": uuid_of(number), "id": number, "purchasing_price": price, "created_at": created_at}


def page(records: list[JsonMap], total: int | None, per_page: int = 1000) -> Any:
    return answer({"items": records, "page": 1, "per_page": per_page, **({} if total is None else {"total": total})})


def listed(transport: FakeTransport, kind: str = "object", **options: Any) -> ListResult:
    given = {"identifier": None, "filters": {}, "sort": [], "limit": None, **options}
    return list_records(client_on(transport), KINDS[kind], **given)


def lines(transport: FakeTransport) -> list[str]:
    return [request.line for request in transport.calls]


def test_a_number_is_asked_for_alone() -> None:
    transport = FakeTransport({"GET /objects/count": answer({"count": 4711})})
    assert listed(transport, count_only=True) == ListResult([], 4711)
    assert lines(transport) == ["GET /objects/count"]


def test_the_total_of_a_page_reports_it_where_there_is_no_number() -> None:
    transport = FakeTransport({"GET /users": page([{"uuid": uuid_of(1)}], 12)})
    assert listed(transport, "user", count_only=True) == ListResult([], 12)
    assert len(transport.calls) == 1


@pytest.mark.parametrize("counted", [{}, {"count": None}, {"count": True}, []])
def test_records_are_counted_where_no_number_is_reported(counted: Any) -> None:
    things = page([thing(1), thing(2)], None)
    transport = FakeTransport(
        {"GET /objects/count": answer(counted), DEFINITIONS: answer(FIELDS), "GET /objects": things}
    )
    assert listed(transport, count_only=True) == ListResult([], 2)


@pytest.mark.parametrize(
    ("sort", "records"),
    [
        ("-created_at", [thing(9), thing(8)]),
        ("created_at", [thing(1), thing(2)]),
        ("-purchasing_price", [thing(1, 50.0), thing(2, 5.0)]),
        ("-purchasing_price", [thing(1, 50.0), thing(2, None)]),
    ],
)
def test_only_the_first_records_are_requested(sort: str, records: list[JsonMap]) -> None:
    transport = FakeTransport({DEFINITIONS: answer(FIELDS), "GET /objects": page(records, 700, 2)})
    found = listed(transport, sort=[sort], limit=2)
    assert [record["uuid"] for record in found.records] == [record["asset_uuid"] for record in records]
    assert (found.count, lines(transport)) == (700, [DEFINITIONS, "GET /objects"])


@pytest.mark.parametrize(
    ("sort", "records"),
    [
        # Empty values may sort first or last, and texts sort differently between instances.
        ("purchasing_price", [thing(1, 1.0), thing(2, 2.0)]),
        ("inventory_name", [thing(1), thing(2)]),
        # The service did not sort, or sorts empty values first.
        ("-purchasing_price", [thing(1, 1.0), thing(2, 2.0)]),
        ("-purchasing_price", [thing(1, None), thing(2, 2.0)]),
    ],
)
def test_where_the_order_is_not_certain_the_whole_list_is_sorted(sort: str, records: list[JsonMap]) -> None:
    transport = FakeTransport({DEFINITIONS: answer(FIELDS), "GET /objects": page(records, 2)})
    found = listed(transport, sort=[sort], limit=2)
    by_price = sorted(records, key=lambda record: record["purchasing_price"] or 0, reverse=sort.startswith("-"))
    expected = records if sort == "inventory_name" else by_price
    assert [record["uuid"] for record in found.records] == [record["asset_uuid"] for record in expected]
