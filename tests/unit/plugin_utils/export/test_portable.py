# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values in files: each has one form, and none is read as something else."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field, FieldType, Plain
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import TYPES
from ansible_collections.community.seventhings.plugins.plugin_utils.export.portable import NotPortable, plain

FIELD = Field("f", "TEXT")
NOON = dt.datetime(2024, 5, 31, 14, 0, 0, 5, tzinfo=dt.timezone(dt.timedelta(hours=2)))


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, True),
        (0, 0),
        ("a", "a"),
        (dt.date(2024, 5, 31), Plain("2024-05-31")),
        (NOON, Plain("2024-05-31T12:00:00+00:00")),
        (Decimal("12.50"), Plain("12.5")),
        (Decimal("1E+3"), Plain("1000")),
        (0.1, Plain("0.1")),
        (1e22, Plain("10000000000000000000000")),
    ],
)
def test_a_value_is_exported_in_one_form(value: Any, written: Any) -> None:
    found = plain(FIELD, value)
    assert found == written
    assert type(found) is type(written)


@pytest.mark.parametrize(
    ("value", "written"), [("12.5", "12.50"), ("12", "12.00"), ("12.504", "12.504"), ("0", "0.00"), ("-1.1", "-1.10")]
)
def test_a_number_has_the_digits_that_its_field_keeps_where_that_is_exact(value: str, written: str) -> None:
    assert plain(Field("f", "MONEY", fraction_digits=2), Decimal(value)) == written


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("{{ lookup('pipe', 'id') }}", "it looks like a template"),
        ("{% if %}", "it looks like a template"),
        ("\ud83d", "it contains half a character"),
        ("a\x00b", "it contains a NUL character"),
        (Decimal("NaN"), "NaN is not a number"),
        (float("inf"), "Infinity is not a number"),
        (["a"], r"\['a'\] is not a value that a file can contain"),
    ],
)
def test_what_a_file_can_not_hold_is_reported(value: Any, reason: str) -> None:
    with pytest.raises(NotPortable, match=reason):
        plain(FIELD, value)


def test_a_value_that_is_no_text_number_or_date_is_written_as_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def minutes(value: dt.timedelta) -> str:
        return f"PT{value // dt.timedelta(minutes=1)}M"

    faces = FieldType(lambda value, _field: value, lambda value, _field: value, minutes, minutes)
    monkeypatch.setitem(TYPES, "DURATION", faces)
    assert plain(Field("f", "DURATION"), dt.timedelta(hours=1.5)) == "PT90M"
