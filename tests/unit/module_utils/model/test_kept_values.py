# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that a schema keeps are the values that it would parse or read again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.model import schema as schema_module
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field, Plain
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema

from ..support import RANDOMISED

FIELDS = {
    "name": Field("name", "TEXT"),
    "price": Field("price", "MONEY", fraction_digits=2, constraints={"max_value": 100}),
    "bought": Field("bought", "DATE"),
    "seen": Field("seen", "DATETIME"),
    "count": Field("count", "NUMBER"),
    "lent": Field("lent", "BOOLEAN"),
}
TEXTS = ("", "1", "1.0", "1.001", "01", "true", "True", "no", "2024-05-31", "2024-02-30", "2024-05-31T14:30:00Z", "101")
written = st.one_of(
    st.sampled_from(TEXTS), st.sampled_from(TEXTS).map(Plain), st.sampled_from([1, 1.0, True, 101, [], {}])
)
record = st.dictionaries(st.sampled_from(sorted(FIELDS)), written, min_size=1)


def new_schema() -> Schema:
    schema = Schema(KINDS["location"], ())
    schema.fields.update(FIELDS)
    return schema


def same_with_types(left: Any, right: Any) -> bool:
    return left.keys() == right.keys() and all(
        (value, type(value)) == (right[key], type(right[key])) for key, value in left.items()
    )


@RANDOMISED
@given(st.lists(record, min_size=2, max_size=12), st.sampled_from([0, 1, 2, 4096]))
def test_a_cached_value_equals_a_newly_parsed_value(records: list[dict[str, Any]], most: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schema_module, "_MOST_KEPT", most)
        schema = new_schema()
        for written in [*records, *records]:
            values, findings = schema.parse(written, "")
            fresh_values, fresh_findings = new_schema().parse(written, "")
            assert same_with_types(values, fresh_values)
            assert (findings.errors, findings.unknown) == (fresh_findings.errors, fresh_findings.unknown)


@RANDOMISED
@given(st.lists(st.tuples(record, record), min_size=2, max_size=12), st.sampled_from([0, 1, 4096]))
def test_a_cached_comparison_equals_a_new_comparison(
    pairs: list[tuple[dict[str, Any], dict[str, Any]]], most: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schema_module, "_MOST_KEPT", most)
        schema = new_schema()
        for written, answered in [*pairs, *pairs]:
            values, _findings = schema.parse(written, "")
            is_same = all(schema.equal(key, value, schema.read_field(key, answered)) for key, value in values.items())
            assert schema.has_values(values, answered, lambda reference: reference) == is_same
