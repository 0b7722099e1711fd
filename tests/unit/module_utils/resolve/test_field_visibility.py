# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find out from answers alone which fields are hidden from an account."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference
from ansible_collections.community.seventhings.plugins.module_utils.resolve.field_visibility import (
    FieldVisibility,
)
from ansible_collections.community.seventhings.plugins.module_utils.resolve.read_cache import Reading

from ..support import FakeTransport, by_uuid, client_on, listing, record, schema_of, uuid_of

THINGS = schema_of(
    "object",
    Field("barcode", "BARCODE", mandatory=True),
    Field("notes", "TEXT"),
    Field("price", "MONEY"),
    Field("matches", "FIELD_VALUE_COMPARISON"),
)


def visibility_of(*records: dict[str, Any]) -> FieldVisibility:
    return FieldVisibility.from_records(
        THINGS, [record("object", number, **values) for number, values in enumerate(records)]
    )


@pytest.mark.parametrize(
    ("records", "hidden", "unidentifying"),
    [
        ([], [], []),
        ([{"barcode": "1", "notes": None, "price": None}], [], []),
        ([{"barcode": "1", "notes": ""}], ["price"], []),
        ([{"barcode": "1", "notes": []}, {"barcode": "2", "notes": "x", "price": 1}], [], []),
        ([{"barcode": "1", "notes": "x"}], [], []),
        ([{"barcode": "1", "archived_at": None}], [], []),
        ([{"notes": None}], ["barcode", "price"], ["barcode"]),
        ([{"notes": "x"}], [], ["barcode"]),
    ],
)
def test_a_missing_key_is_not_null(records: list[dict[str, Any]], hidden: list[str], unidentifying: list[str]) -> None:
    visibility = visibility_of(*records)
    assert sorted(visibility.hidden) == hidden
    assert visibility.unidentifying(["barcode"]) == unidentifying


def test_only_what_is_written_is_refused() -> None:
    visibility = visibility_of({"barcode": "1", "notes": None})
    visibility.check_written(["barcode", "notes"])
    with pytest.raises(
        InvalidInput, match=r"^price: this account does not see the field price \(a role may hide fields\)$"
    ):
        visibility.check_written(["barcode", "price"])


def test_what_others_are_created_from_has_the_keys_that_somebody_filled() -> None:
    schema = schema_of("catalog_item", Field("catalog_object_notes", "TEXT"), Field("catalog_object_price", "MONEY"))
    assert (
        FieldVisibility.from_records(schema, [record("catalog_item", 1, catalog_object_notes=None)]).hidden
        == frozenset()
    )


@pytest.mark.parametrize(
    ("members", "is_warned"),
    [({"archived_at": None}, True), ({"archived_at": "2024-05-13 08:00:00"}, False), ({}, False)],
)
def test_an_object_that_only_its_barcode_finds_may_be_hidden(members: dict[str, Any], is_warned: bool) -> None:
    found = {"asset_uuid": uuid_of(9), "id": 9, "barcode": "0009", **members}
    transport = FakeTransport({"GET /objects": listing([]), "GET /object/by-barcode/0009": by_uuid(found)})
    reading = Reading(client_on(transport))
    reference = Reference(KINDS["object"].name, written="0009")
    assert reading.resolve([reference])[reference].uuid == uuid_of(9)
    assert ["this account may be limited to locations" in line for line in reading.warnings] == [True] * is_warned
