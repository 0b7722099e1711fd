# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Laws of all types of values: what was written is read back as equal, and no answer raises an exception."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import TYPES
from ansible_collections.community.seventhings.plugins.module_utils.model.types_basic import FIELD_TYPES

from ..support import RANDOMISED, uuid_of
from .values import DATES, DECIMALS, LINKS, TEXTS, UNWRITABLE, UUID, interval

NEVER_WRITTEN = {*UNWRITABLE, "ARTICLES", "BILLING", "TYPES", "WORDS", "ANY"}

Shape = Callable[[Any], Any]


def as_is(sent: Any) -> Any:
    return sent


def with_zeros(sent: Any) -> Any:
    text = f"{Decimal(repr(sent)):f}"
    return text + ("0" if "." in text else ".00")


def in_utc(form: str) -> Shape:
    return lambda sent: dt.datetime.fromisoformat(sent).astimezone(dt.UTC).strftime(form)


def linked_object(sent: Any) -> Any:
    uuid = sent.upper() if isinstance(sent, str) else uuid_of(sent)
    return {"id": 7 if isinstance(sent, str) else sent, "uuid": uuid, "display_name": f"Record {sent}"}


def file_objects(sent: list[str]) -> Any:
    return [{"uuid": uuid, "type": "text/plain", "size": 3, "data_uri": "", "thumbnail_uri": ""} for uuid in sent]


def one_in_a_list(sent: Any) -> Any:
    return sent if isinstance(sent, list) else [sent]


def one_out_of_a_list(sent: Any) -> Any:
    return sent[0] if isinstance(sent, list) else sent


def backwards(sent: list[Any]) -> Any:
    return list(reversed(sent))


def empty_as_null(sent: list[Any]) -> Any:
    return sent or None


_texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
_days = st.dates(min_value=dt.date(1000, 1, 1))
_offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: dt.timezone(dt.timedelta(minutes=minutes)))
_instants = st.datetimes(
    dt.datetime.fromisoformat("1000-01-02"), dt.datetime.fromisoformat("9000-01-01"), timezones=_offsets
)
_integers = st.integers(-(10**12), 10**12)
_amounts = st.decimals(-(10**12), 10**12, places=2).map(lambda number: f"{number:f}") | _integers
_ids = st.integers(1, 2**31)
_uuids = st.uuids().map(str)
_intervals = st.builds(interval, st.sampled_from(["days", "weeks", "months", "years"]), st.integers(0, 1000))
_attributes = {
    "mandatory": st.booleans(),
    "fraction_digits": st.integers(0, 20),
    "form_group": _texts,
    "editable": st.lists(st.sampled_from(["mobile_app", "web_app"]), max_size=2, unique=True),
}
_constraints = {
    "max_length": st.integers(0, 100),
    "regular_expression": _texts,
    "allowed_values": st.lists(_texts, max_size=3, unique=True),
}
_relations = st.fixed_dictionaries({"type": st.sampled_from(["actual_field", "expected_field"]), "field_uuid": _uuids})
_renters = st.builds(lambda text: {"type": "plain", "value": text}, _texts) | st.builds(
    lambda uuid: {"type": "user", "value": uuid}, _uuids
)

ROUND_TRIPS: list[tuple[tuple[str, ...], st.SearchStrategy[Any], tuple[Shape, ...]]] = [
    ((*TEXTS, "CHOICE"), _texts, (as_is,)),
    (("NUMBER",), st.integers(-(2**53), 2**53), (as_is, str, float, lambda sent: f"{sent}.0")),
    (DECIMALS, _amounts, (as_is, str, with_zeros)),
    (("BOOLEAN", "WHOLE_DAYS"), st.booleans(), (as_is, int, str, lambda sent: "yes" if sent else "no")),
    ((*DATES, "DAY"), _days.map(str) | _days, (as_is, "{} 00:00:00".format, "{}T00:00:00+02:00".format)),
    (("DATETIME",), _instants, (as_is, in_utc("%Y-%m-%d %H:%M:%S"), in_utc("%Y-%m-%dT%H:%M:%SZ"))),
    (tuple(LINKS), _ids, (as_is, str, linked_object, one_in_a_list, lambda sent: {"id": str(sent)})),
    (tuple(LINKS), _uuids, (as_is, str.upper, linked_object, lambda sent: [{"uuid": sent}])),
    (("LINKED_ASSETS",), _ids, (as_is, one_in_a_list, one_out_of_a_list)),
    (
        ("LINKED_ASSETS",),
        st.lists(_ids, max_size=4),
        (backwards, empty_as_null, lambda sent: list(map(linked_object, sent))),
    ),
    (("ATTACHMENT", "ATTACHMENTS"), st.lists(_uuids, max_size=4), (as_is, file_objects, backwards, empty_as_null)),
    (("INTERVAL",), _intervals, (as_is,)),
    (("INTERVALS",), st.lists(_intervals, max_size=2), (as_is, backwards)),
    (("ASSETS", "USERS"), st.lists(_uuids, max_size=4), (as_is, backwards)),
    (("USER",), _uuids, (as_is,)),
    (("RENTER",), _renters, (as_is,)),
    (("RENTAL_STATUS",), st.sampled_from(["requested", "confirmed", "borrowed"]), (as_is,)),
    (("ATTRIBUTES",), st.fixed_dictionaries({}, optional=_attributes), (as_is, backwards)),
    (("CONSTRAINTS",), st.fixed_dictionaries({}, optional=_constraints), (as_is, backwards)),
    (("RELATIONS",), st.lists(_relations, max_size=2), (as_is, backwards)),
    (("SCALAR",), _texts | st.integers() | st.booleans(), (as_is,)),
    (("SCALARS",), st.lists(_texts, max_size=4, unique=True), (as_is,)),
    (("TYPE_NAME",), st.sampled_from(sorted(FIELD_TYPES)), (as_is,)),
]


@pytest.mark.sample(40)
@pytest.mark.parametrize(
    ("name", "values", "shape"),
    [(name, values, shape) for names, values, shapes in ROUND_TRIPS for name in names for shape in shapes],
)
@RANDOMISED
@given(data=st.data())
def test_what_was_written_is_read_back_as_equal_in_every_shape(
    name: str, values: st.SearchStrategy[Any], shape: Shape, data: st.DataObject
) -> None:
    faces, field = TYPES[name], Field("f", name)
    wish = faces.parse(data.draw(values), field)
    expected = faces.merge(faces.empty, wish) if faces.merge else wish
    answered = faces.read(shape(faces.write(expected)), field)
    assert faces.equal(answered, expected, field)
    assert faces.equal(expected, answered, field)


def test_every_writable_type_has_a_round_trip() -> None:
    assert {name for names, _values, _shapes in ROUND_TRIPS for name in names} == TYPES.keys() - NEVER_WRITTEN


@pytest.mark.parametrize("name", sorted(TYPES.keys() - {"TYPES"}))
def test_nothing_is_written_and_read_back_as_nothing(name: str) -> None:
    faces, field = TYPES[name], Field("f", name)
    assert faces.write(faces.empty) in (None, [])
    assert faces.equal(faces.read(faces.write(faces.empty), field), faces.empty, field)


def json_values() -> st.SearchStrategy[Any]:
    odd = [
        "Infinity",
        "-Infinity",
        "NaN",
        "sNaN",
        "2024-02-30",
        "2024-05-31T99:00:00Z",
        UUID,
        "1e999999",
        "days",
        "asset",
    ]
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(odd)
    names = ["id", "uuid", "display_name", "size", "unit", "value", "type", "name", "field_uuid", "comparison_values"]
    keys = st.sampled_from(names) | st.text(max_size=3)
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=8
    )


@pytest.mark.parametrize("name", sorted(TYPES))
@RANDOMISED
@given(raw=json_values())
def test_whatever_a_service_answers_is_read_without_an_exception(name: str, raw: Any) -> None:
    TYPES[name].read(raw, Field("f", name))


def test_garbage_is_read_without_an_exception() -> None:
    parts: list[Any] = [math.inf, "Infinity", "sNaN", {"uuid": 5}, {"uuid": {}}, {"id": []}, "2024-02-30", [[]]]
    parts += [interval("days", "x"), interval("days", []), interval("days", {})]
    parts += [{"type": "user", "value": odd} for odd in (5, {"uuid": 5})]
    parts += [{"type": [], "value": 1}, {"type": "actual_field", "field_uuid": 1, "comparison_values": 5}]
    for name, faces in TYPES.items():
        for part in parts:
            for raw in (part, [part]):
                faces.read(raw, Field("f", name))
