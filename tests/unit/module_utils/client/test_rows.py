# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A row equals the answer, in less memory."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any
from unittest.mock import create_autospec

import hypothesis.strategies as st
import pytest
from hypothesis import given

from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.client.rows import (
    CompressedPage,
    compressed_rows,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT

_texts = st.one_of(st.text("abß", max_size=2), st.sampled_from(["\0", "\ud800", "\U0001f600"]))
_numbers = st.one_of(st.integers(0, 2), st.sampled_from([0.0, 1.0, -(10**40), 1e300, 0.1]))
_values = st.recursive(
    st.one_of(st.none(), st.booleans(), _numbers, _texts),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text("ab", max_size=1), inner, max_size=2)),
)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), _values)), st.lists(st.sampled_from("abcd"), unique=True))
def test_a_row_has_the_values_of_the_answer(records: list[dict[str, Any]], at_hand: list[str]) -> None:
    for row, record in zip(compressed_rows(records, at_hand), records, strict=True):
        # As JSON, because 1, 1.0 and True are equal in Python.
        assert json.dumps(dict(row)) == json.dumps({**row}) == json.dumps(record)
        assert (list(row), len(row), dict(row.items()), row == record) == (list(record), len(record), record, True)
        assert [row.get(name, "none") for name in "abcd"] == [record.get(name, "none") for name in "abcd"]
        assert [name in row for name in "abcd"] == [name in record for name in "abcd"]
        assert {name: row[name] for name in row} == record


def test_what_is_at_hand_needs_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = create_autospec(CompressedPage.open, side_effect=CompressedPage.open)
    monkeypatch.setattr(CompressedPage, "open", opened)
    records = [{"id": 1, "name": "Drill"}, {"id": 2, "name": "Saw"}]
    first, second = compressed_rows(records, ["id", "uuid"])
    assert (first["id"], second.get("id"), first.get("uuid"), opened.call_count) == (1, 2, None, 0)
    assert (first["name"], second["name"], opened.call_count) == ("Drill", "Saw", 1)


def test_all_fields_of_a_record_are_the_same_in_any_form() -> None:
    flat = {"id": 1, "uuid": "u1", "name": "Drill"}
    [row] = compressed_rows([flat], ["uuid"])
    assert Record(OBJECT, "u1", 1, row).opened == Record(OBJECT, "u1", 1, flat).opened == flat


def test_a_page_takes_little_memory() -> None:
    fields = {f"field {number}": None for number in range(30)}
    body = json.dumps([{"id": number, **fields, "room": {"id": 7, "name": "Room 7"}} for number in range(1000)])
    tracemalloc.start()
    try:
        plain = json.loads(body)
        in_full = tracemalloc.get_traced_memory()[0]
        short = compressed_rows(plain, ["id"])
        del plain
        assert len(short) == 1000
        assert tracemalloc.get_traced_memory()[0] < in_full / 4
    finally:
        tracemalloc.stop()
