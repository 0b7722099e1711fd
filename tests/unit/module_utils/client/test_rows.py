# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A row is what the answer said, in less memory."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from ansible_collections.community.seventhings.plugins.module_utils.client.rows import Rows

_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 2), st.sampled_from([0.0, 1.0]), st.text("ab", max_size=2)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text("ab", max_size=1), inner, max_size=2)),
)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), _values)))
def test_a_row_holds_what_the_answer_said(records: list[dict[str, Any]]) -> None:
    rows = Rows()
    for record in records:
        row = rows.of(record)
        # As JSON, because to Python 1, 1.0 and true are equal.
        assert json.dumps(dict(row)) == json.dumps({**row}) == json.dumps(record)
        assert (list(row), len(row), dict(row.items()), row == record) == (list(record), len(record), record, True)
        assert [row.get(name, "none") for name in "abcd"] == [record.get(name, "none") for name in "abcd"]
        assert [name in row for name in "abcd"] == [name in record for name in "abcd"]


@pytest.mark.parametrize("number", [8, 30])
def test_records_of_a_page_share_what_is_equal(number: int) -> None:
    """With few fields they are maps, with many they are rows."""

    def page() -> list[Any]:
        link = '{"id": 7, "uuid": "c6e152f2-71a3-5b05-a172-7fc597f4a671", "display_name": "Room 7"}'
        fields = ", ".join([*(f'"field {one}": null' for one in range(number)), f'"room": {link}', '"files": []'])
        answer: list[Any] = json.loads("[" + ", ".join(f'{{"id": {one}, {fields}}}' for one in range(1000)) + "]")
        return answer

    def taken(records: list[Any]) -> int:
        return tracemalloc.get_traced_memory()[0] if records else 0

    tracemalloc.start()
    try:
        plain = page()
        in_full = taken(plain)
        rows = Rows()
        short = [rows.of(record) for record in plain]
        del plain
        assert short[0]["room"] is short[1]["room"]
        assert taken(short) < in_full / 2
    finally:
        tracemalloc.stop()
