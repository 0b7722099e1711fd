# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that only tasks, rental cases and field definitions have: intervals, references, renters, attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field, InvalidValue, Unread
from ansible_collections.community.seventhings.plugins.module_utils.model.types_composite import STRUCTURES, Interval
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference

from ..support import RANDOMISED

UUID = "9091afea-81ee-4003-ac76-2ac11e3ddc3f"
OTHER = "a0000000-81ee-4003-ac76-2ac11e3ddc3f"
FIELD = Field("f", "TEXT")
NEVER_WRITTEN = ("ARTICLES", "BILLING")
ATTRIBUTE_TYPES = [
    "form_group",
    "editable",
    "internal",
    "mandatory",
    "mutable",
    "system",
    "name_component",
    "unique",
    "piechart_on_dashboard",
    "visible",
    "preselected",
    "indexed",
    "formatted",
    "sorted",
    "currency_code",
    "fraction_digits",
    "generated",
    "exposed",
]


def parse(name: str, value: Any) -> Any:
    return STRUCTURES[name].parse(value, FIELD)


def read(name: str, value: Any) -> Any:
    return STRUCTURES[name].read(value, FIELD)


def equal(name: str, left: Any, right: Any) -> bool:
    return STRUCTURES[name].equal(left, right, FIELD)


def written(name: str, value: Any) -> Any:
    return STRUCTURES[name].write(parse(name, value))


def refused(name: str, value: Any) -> str:
    with pytest.raises(InvalidValue) as caught:
        parse(name, value)
    return str(caught.value)


def interval(unit: str, value: Any) -> dict[str, Any]:
    return {"unit": unit, "value": value}


# ---- time intervals


@pytest.mark.parametrize("unit", ["days", "weeks", "months", "years"])
@pytest.mark.parametrize("value", [0, 1, 12, "3"])
def test_an_interval_is_a_unit_and_a_number_and_sent_as_such(unit: str, value: Any) -> None:
    assert written("INTERVAL", interval(unit, value)) == interval(unit, int(value))


@pytest.mark.parametrize(
    "value",
    [
        interval("hours", 1),
        interval("day", 1),
        interval("days", -1),
        interval("days", 1.5),
        interval("days", True),
        interval("days", None),
        interval("days", "two"),
        interval("days", "-1"),
        {"unit": "days"},
        {"value": 1},
        {"unit": "days", "value": 1, "more": 1},
        {},
        "2 weeks",
        5,
        True,
        [],
    ],
)
def test_anything_else_is_no_interval(value: Any) -> None:
    message = refused("INTERVAL", value)
    assert "{unit: weeks, value: 2}" in message
    assert "days, weeks, months, years" in message


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (interval("weeks", 1), interval("days", 7), True),
        (interval("weeks", 2), interval("days", 14), True),
        (interval("years", 1), interval("months", 12), True),
        (interval("years", 2), interval("months", 24), True),
        (interval("days", 0), interval("years", 0), True),
        (interval("weeks", 0), interval("months", 0), True),
        (interval("days", 7), interval("days", 8), False),
        (interval("weeks", 1), interval("days", 6), False),
        (interval("months", 1), interval("days", 30), False),
        (interval("years", 1), interval("days", 365), False),
        (interval("months", 1), interval("days", 1), False),
        (interval("years", 1), interval("months", 11), False),
        (interval("days", 1), None, False),
        (None, interval("days", 0), False),
        (None, None, True),
    ],
)
def test_intervals_of_one_length_are_equal_whatever_the_unit(left: Any, right: Any, same: bool) -> None:
    assert equal("INTERVAL", read("INTERVAL", left), read("INTERVAL", right)) is same
    assert equal("INTERVAL", read("INTERVAL", right), read("INTERVAL", left)) is same


@pytest.mark.parametrize("raw", [interval("days", 3), interval("days", "3")])
def test_the_number_of_an_interval_may_be_answered_as_text(raw: Any) -> None:
    assert read("INTERVAL", raw) == Interval("days", 3)


@pytest.mark.parametrize("raw", [None, "", [], {}, {"unit": None, "value": None}])
def test_what_is_no_interval_is_read_as_none(raw: Any) -> None:
    assert read("INTERVAL", raw) is None


@pytest.mark.parametrize("raw", ["P7D", 7, interval("fortnights", 1), {"unit": "days"}, {"unit": "days", "value": -1}])
def test_an_interval_that_can_not_be_represented_is_shown_and_sent_back_as_it_came(raw: Any) -> None:
    for name, answered in (("INTERVAL", raw), ("INTERVALS", [interval("days", 1), raw])):
        value, faces = read(name, answered), STRUCTURES[name]
        assert value == Unread(answered)
        assert (faces.show(value), faces.write(value)) == (answered, answered)
        assert not equal(name, value, faces.empty)
        assert not equal(name, value, read(name, None))
        assert equal(name, value, read(name, answered))


@pytest.mark.parametrize(
    ("name", "raw", "sent"),
    [
        ("RENTER", {"type": "group", "value": "Sales"}, {"type": "group", "value": "Sales"}),
        ("RENTER", {"type": "user", "value": "ada"}, {"type": "user", "value": "ada"}),
        ("RENTER", {"name": "Ada"}, {"name": "Ada"}),
        ("ASSETS", [{"type": "room", "uuid": UUID, "name": "Lab"}], [{"type": "room", "uuid": UUID}]),
        ("ASSETS", [{"type": "asset", "name": "Lab"}], None),
        ("USERS", ["ada@example.com"], ["ada@example.com"]),
        ("USERS", [{"name": "Ada"}], None),
        ("USER", 7, 7),
        ("ATTACHMENTS", [{"uuid": UUID}, {"name": "a.pdf"}], None),
        ("ATTACHMENTS", [{"uuid": UUID}, 7], None),
        ("RENTER", {"type": "user", "value": None}, None),
        ("RENTER", {"type": "plain", "value": None}, None),
        ("SCALARS", "a, b", "a, b"),
        ("SCALARS", {"0": "a"}, {"0": "a"}),
        ("RELATIONS", ["x"], ["x"]),
        (
            "ATTRIBUTES",
            [{"type": "unique", "value": {"scope": "all"}}],
            [{"type": "unique", "value": {"scope": "all"}}],
        ),
    ],
)
def test_what_can_not_be_represented_is_sent_back_as_it_came_or_not_at_all(name: str, raw: Any, sent: Any) -> None:
    faces = STRUCTURES[name]
    value = read(name, raw)
    if sent is None:
        assert isinstance(value, Unread)
        with pytest.raises(InvalidValue, match="can't be sent back"):
            faces.write(value)
    else:
        assert faces.write(value) == sent


@pytest.mark.parametrize("raw", [{"type": "plain", "value": ""}, {"type": None, "value": None}, {}, None, "", 0])
def test_what_is_no_renter_is_read_as_none(raw: Any) -> None:
    assert read("RENTER", raw) is None


@pytest.mark.parametrize(
    ("wish", "raw", "same"),
    [
        ([interval("weeks", 1), interval("days", 1)], [interval("days", 1), interval("days", 7)], True),
        ([], None, True),
        ([], [], True),
        ([interval("days", 0)], [], False),
        ([interval("days", 1)], [interval("days", 1), interval("days", 2)], False),
        ([interval("days", 1), interval("days", 2)], [interval("days", 1), interval("days", 3)], False),
    ],
)
def test_reminders_are_compared_as_sets(wish: Any, raw: Any, same: bool) -> None:
    assert equal("INTERVALS", parse("INTERVALS", wish), read("INTERVALS", raw)) is same


def test_an_empty_list_of_reminders_is_sent_as_an_empty_list() -> None:
    assert written("INTERVALS", []) == []
    assert STRUCTURES["INTERVALS"].write(STRUCTURES["INTERVALS"].empty) == []


# ---- references of tasks and rental cases, users


def test_assets_are_sent_as_type_and_uuid() -> None:
    assert written("ASSETS", [UUID]) == [{"type": "asset", "uuid": UUID}]


def test_an_asset_may_be_written_as_it_is_answered() -> None:
    answered = {"type": "asset", "uuid": UUID, "name": "Laptop", "id": 7, "status": "open"}
    (reference,) = parse("ASSETS", [answered])
    assert (reference.uuid, reference.id) == (UUID, 7)
    assert written("ASSETS", [{"type": "asset", "uuid": UUID}]) == [{"type": "asset", "uuid": UUID}]


@pytest.mark.parametrize("item", [{"type": "asset"}, {"type": "asset", "name": "Laptop"}, 0, True, "", []])
def test_an_asset_without_identity_is_refused(item: Any) -> None:
    assert "(item 1)" in refused("ASSETS", [item])


@pytest.mark.parametrize(
    "raw",
    [
        [{"type": "asset", "uuid": UUID, "name": "Laptop", "id": 7, "status": "open"}],
        [{"type": "asset", "uuid": UUID.upper()}],
        [UUID],
        {"type": "asset", "uuid": UUID},
    ],
)
def test_assets_are_equal_in_every_shape_that_the_service_answers(raw: Any) -> None:
    assert equal("ASSETS", parse("ASSETS", [UUID]), read("ASSETS", raw))


def test_an_asset_is_shown_with_the_name_that_the_service_gave() -> None:
    raw = [{"type": "asset", "uuid": UUID, "name": "Laptop", "id": 7}]
    shown = {"id": 7, "uuid": UUID, "display_name": "Laptop"}
    assert STRUCTURES["ASSETS"].show(read("ASSETS", raw)) == [shown]
    with_status = {**raw[0], "status": "done"}
    assert STRUCTURES["ASSETS"].show(read("ASSETS", [with_status])) == [{**shown, "status": "done"}]
    assert parse("ASSETS", [{**shown, "status": "done"}])[0].uuid == UUID


@pytest.mark.parametrize("name", ["ASSETS", "USERS"])
@pytest.mark.parametrize(
    ("wish", "raw", "same"),
    [
        ([UUID, OTHER], [OTHER, UUID], True),
        ([UUID, UUID], [UUID], True),
        ([UUID, UUID], [UUID, OTHER], False),
        ([UUID, OTHER], [UUID], False),
        ([UUID], [UUID, OTHER], False),
        ([], None, True),
        ([UUID], [], False),
    ],
)
def test_references_are_compared_as_sets(name: str, wish: Any, raw: Any, same: bool) -> None:
    assert equal(name, parse(name, wish), read(name, raw)) is same


def test_users_are_sent_by_their_uuids() -> None:
    assert written("USERS", [UUID, OTHER.upper()]) == [UUID, OTHER]
    assert written("USER", UUID) == UUID


def test_a_user_is_sent_by_uuid_even_where_the_id_is_known() -> None:
    assert STRUCTURES["USER"].write(Reference("user", 7, UUID)) == UUID
    assert STRUCTURES["USERS"].write((Reference("user", 7, UUID),)) == [UUID]


def test_a_user_is_shown_with_id_uuid_and_name() -> None:
    shown = {"id": 7, "uuid": UUID, "display_name": "Ada"}
    assert STRUCTURES["USERS"].show(read("USERS", [shown])) == [{**shown, "email": None}]
    (same,) = parse("USERS", [{**shown, "email": "ada@example.com"}])
    assert (same.id, same.uuid) == (7, UUID)


# ---- renters


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ({"type": "plain", "value": "Ada"}, {"type": "plain", "value": "Ada"}),
        ({"type": "plain", "value": UUID}, {"type": "plain", "value": UUID}),
        ({"type": "user", "value": UUID}, {"type": "user", "value": UUID}),
    ],
)
def test_a_renter_is_a_text_or_a_user_s_uuid(value: Any, sent: Any) -> None:
    assert written("RENTER", value) == sent


def test_a_renter_who_is_a_user_may_be_written_in_every_form_of_a_reference() -> None:
    assert parse("RENTER", {"type": "user", "value": "ada@example.com"})[1].written == "ada@example.com"
    assert parse("RENTER", {"type": "user", "value": 7})[1].id == 7


@pytest.mark.parametrize(
    "value",
    [
        "Ada",
        7,
        [],
        {},
        {"type": "plain"},
        {"value": "Ada"},
        {"type": "plain", "value": ""},
        {"type": "x", "value": "a"},
        {"type": "user", "value": ""},
        {"type": "plain", "value": "a", "more": 1},
        {"type": "plain", "value": None},
    ],
)
def test_anything_else_is_no_renter(value: Any) -> None:
    assert "{type: plain, value: Ada Lovelace}" in refused("RENTER", value)


def test_a_plain_renter_written_as_a_number_is_to_be_quoted() -> None:
    assert "quote it" in refused("RENTER", {"type": "plain", "value": 17})


@pytest.mark.parametrize("raw", [None, "", [], {}, {"type": None, "value": None}, {"type": "plain", "value": ""}])
def test_no_renter_has_many_forms(raw: Any) -> None:
    assert read("RENTER", raw) is None


@pytest.mark.parametrize(
    ("wish", "raw", "same"),
    [
        ({"type": "plain", "value": "Ada"}, {"type": "plain", "value": "Ada"}, True),
        ({"type": "plain", "value": "Ada"}, "Ada", True),
        ({"type": "plain", "value": "Ada"}, {"type": "plain", "value": "Bob"}, False),
        ({"type": "plain", "value": "Ada"}, "Bob", False),
        ({"type": "user", "value": UUID}, {"type": "user", "value": UUID.upper()}, True),
        ({"type": "user", "value": UUID}, {"type": "user", "value": OTHER}, False),
        ({"type": "user", "value": UUID}, UUID, True),
        ({"type": "user", "value": UUID}, OTHER, False),
        ({"type": "plain", "value": UUID}, {"type": "user", "value": UUID}, False),
        ({"type": "plain", "value": "Ada"}, None, False),
        ({"type": "user", "value": UUID}, None, False),
    ],
)
def test_renters_are_equal_in_every_shape_object_text_or_null(wish: Any, raw: Any, same: bool) -> None:
    assert equal("RENTER", parse("RENTER", wish), read("RENTER", raw)) is same
    assert equal("RENTER", read("RENTER", raw), parse("RENTER", wish)) is same


def test_two_records_without_a_renter_are_equal() -> None:
    assert equal("RENTER", None, read("RENTER", None))


def test_a_renter_who_is_a_user_is_shown_in_a_diff_as_written() -> None:
    brief = STRUCTURES["RENTER"].brief
    assert brief is not None
    wish = {"type": "user", "value": "ada@example.com"}
    assert brief(parse("RENTER", wish)) == wish


# ---- status of a rental case


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("borrowed", "return_overdue", True),
        ("return_overdue", "borrowed", True),
        ("confirmed", "pickup_overdue", True),
        ("pickup_overdue", "confirmed", True),
        ("borrowed", "borrowed", True),
        ("borrowed", "pickup_overdue", False),
        ("confirmed", "return_overdue", False),
        ("confirmed", "borrowed", False),
        ("return_overdue", "pickup_overdue", False),
        ("requested", "completed", False),
        ("borrowed", None, False),
        (None, None, True),
    ],
)
def test_a_status_equals_the_status_that_a_passed_date_turns_it_into(left: Any, right: Any, same: bool) -> None:
    assert equal("RENTAL_STATUS", left, right) is same


# ---- attributes of a field definition


def attributes(raw: Any) -> Any:
    return read("ATTRIBUTES", raw)


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ({"mandatory": "yes"}, [{"type": "mandatory", "value": "yes"}]),
        ({"mandatory": True}, [{"type": "mandatory", "value": "yes"}]),
        ({"unique": False}, [{"type": "unique", "value": "no"}]),
        ({"fraction_digits": 2}, [{"type": "fraction_digits", "value": 2}]),
        ({"fraction_digits": 0}, [{"type": "fraction_digits", "value": 0}]),
        ({"fraction_digits": 20}, [{"type": "fraction_digits", "value": 20}]),
        ({"currency_code": "EUR"}, [{"type": "currency_code", "value": "EUR"}]),
        ({"form_group": "General"}, [{"type": "form_group", "value": "General"}]),
        (
            {"editable": ["web_app", "mobile_app"]},
            [{"type": "editable", "value": "web_app"}, {"type": "editable", "value": "mobile_app"}],
        ),
        ({"editable": []}, []),
        ({"editable": None}, []),
        ({}, []),
    ],
)
def test_attributes_are_a_map_and_sent_one_by_one(value: Any, sent: Any) -> None:
    assert written("ATTRIBUTES", value) == sent


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"mandatroy": "yes"}, "did you mean mandatory"),
        ({"xyzzy": "yes"}, "of currency_code"),
        ({"mandatory": "perhaps"}, "for mandatory one of yes, no"),
        ({"mandatory": 1}, "for mandatory one of yes, no"),
        ({"editable": "everywhere"}, "mobile_app, web_app"),
        ({"editable": ["web_app", "desktop"]}, "'desktop'"),
        ({"visible": "web_app"}, "web_app_list_view"),
        ({"fraction_digits": 21}, "0 to 20"),
        ({"fraction_digits": -1}, "0 to 20"),
        ({"fraction_digits": "2"}, "0 to 20"),
        ({"fraction_digits": True}, "0 to 20"),
        ({"currency_code": "EURO"}, "three letters"),
        ({"currency_code": 978}, "three letters"),
        ({"form_group": 5}, "a text"),
        (["mandatory"], "a map of attribute type"),
        ("mandatory", "a map of attribute type"),
    ],
)
def test_a_wrong_attribute_is_refused_with_what_was_expected(value: Any, words: str) -> None:
    assert words in refused("ATTRIBUTES", value)


@pytest.mark.parametrize("name", ATTRIBUTE_TYPES)
def test_every_published_attribute_type_is_known(name: str) -> None:
    assert parse("ATTRIBUTES", {name: None}) == {name: None}


def test_attributes_that_occur_more_than_once_are_one_set() -> None:
    raw = [{"type": "editable", "value": "web_app"}, {"type": "editable", "value": "mobile_app"}]
    assert equal("ATTRIBUTES", attributes(raw), attributes(list(reversed(raw))))
    assert not equal("ATTRIBUTES", attributes(raw), attributes(raw[:1]))


@pytest.mark.parametrize("name", ["ATTRIBUTES", "CONSTRAINTS"])
def test_a_set_with_a_value_twice_is_the_same_set(name: str) -> None:
    once = [{"type": "form_group", "value": "A"}]
    assert equal(name, read(name, once), read(name, once * 2))


Terms = Mapping[str, Any]


@pytest.mark.parametrize("name", ["ATTRIBUTES"])
@pytest.mark.parametrize(
    ("current", "wish", "merged"),
    [
        ({"unique": "yes"}, {"mandatory": "yes"}, {"unique": "yes", "mandatory": "yes"}),
        ({"unique": "yes"}, {"unique": "no"}, {"unique": "no"}),
        ({"unique": "yes", "mandatory": "yes"}, {"unique": None}, {"mandatory": "yes"}),
        ({"editable": ["web_app", "mobile_app"]}, {"editable": "web_app"}, {"editable": "web_app"}),
        ({"editable": "web_app", "unique": "yes"}, {"editable": []}, {"unique": "yes"}),
        ({}, {"unique": None}, {}),
        ({}, {"editable": []}, {}),
        ({"unique": "yes"}, {}, {"unique": "yes"}),
    ],
)
def test_a_type_that_is_not_written_is_kept_null_removes_it_and_a_list_replaces_it(
    name: str, current: Terms, wish: Terms, merged: Terms
) -> None:
    merge = STRUCTURES[name].merge
    assert merge is not None
    found = merge(parse(name, current), parse(name, wish))
    assert equal(name, found, parse(name, merged))


def test_merging_leaves_the_current_attributes_alone() -> None:
    merge = STRUCTURES["ATTRIBUTES"].merge
    assert merge is not None
    current = parse("ATTRIBUTES", {"unique": "yes"})
    merge(current, {"unique": None})
    assert current == {"unique": ("yes",)}


def test_attributes_are_shown_as_one_value_or_a_list() -> None:
    show = STRUCTURES["ATTRIBUTES"].show
    raw = [{"type": "unique", "value": "yes"}, {"type": "editable", "value": "a"}, {"type": "editable", "value": "b"}]
    assert show(attributes(raw)) == {"unique": "yes", "editable": ["a", "b"]}
    assert show({"unique": None}) == {"unique": None}


# ---- constraints of a field definition


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ({"max_length": 5}, [{"type": "max_length", "value": 5}]),
        ({"min_value": 0}, [{"type": "min_value", "value": 0}]),
        ({"max_value": -5}, [{"type": "max_value", "value": -5}]),
        ({"regular_expression": "^a$"}, [{"type": "regular_expression", "value": "^a$"}]),
        ({"date_format": "d.m.Y"}, [{"type": "date_format", "value": "d.m.Y"}]),
        ({"date_time_format": "d.m.Y H:i"}, [{"type": "date_time_format", "value": "d.m.Y H:i"}]),
        ({"allowed_values": ["a", "b"]}, [{"type": "allowed_values", "value": ["a", "b"]}]),
        ({"allowed_values": ["a"]}, [{"type": "allowed_values", "value": ["a"]}]),
        ({"max_length": None}, []),
    ],
)
def test_constraints_are_a_map_and_sent_as_type_and_value(value: Any, sent: Any) -> None:
    assert written("CONSTRAINTS", value) == sent


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"max_lenght": 5}, "did you mean max_length"),
        ({"max_length": "5"}, "for max_length an integer"),
        ({"max_value": 1.5}, "for max_value an integer"),
        ({"min_value": True}, "for min_value an integer"),
        ({"regular_expression": 5}, "for regular_expression a text"),
        ({"allowed_values": "a"}, "a list of texts"),
        ({"allowed_values": ["a", 5]}, "quote numbers"),
        ([], "a map of constraint type"),
    ],
)
def test_a_wrong_constraint_is_refused_with_what_was_expected(value: Any, words: str) -> None:
    assert words in refused("CONSTRAINTS", value)


@pytest.mark.parametrize(
    "raw",
    [
        [{"type": "allowed_values", "value": ["b", "a"]}],
        [{"type": "allowed_values", "value": "a"}, {"type": "allowed_values", "value": "b"}],
    ],
)
def test_allowed_values_are_compared_as_a_set(raw: Any) -> None:
    assert equal("CONSTRAINTS", parse("CONSTRAINTS", {"allowed_values": ["a", "b"]}), read("CONSTRAINTS", raw))


def test_allowed_values_are_always_shown_as_a_list() -> None:
    assert STRUCTURES["CONSTRAINTS"].show(parse("CONSTRAINTS", {"allowed_values": ["a"], "max_length": 5})) == {
        "allowed_values": ["a"],
        "max_length": 5,
    }


@pytest.mark.parametrize("name", ["ATTRIBUTES", "CONSTRAINTS"])
@pytest.mark.parametrize("raw", [None, [], {}, "", [None], [{}]])
def test_an_empty_list_of_type_and_value_is_read_as_none(name: str, raw: Any) -> None:
    assert read(name, raw) == {}


@pytest.mark.parametrize("name", ["ATTRIBUTES", "CONSTRAINTS"])
@pytest.mark.parametrize("raw", ["x", 5, [5], {"unique": "yes"}, [{"type": 5, "value": "x"}]])
def test_what_is_no_list_of_type_and_value_is_kept_as_it_came(name: str, raw: Any) -> None:
    assert read(name, raw) == Unread(raw)


@pytest.mark.parametrize(
    "raw", [[{"type": "allowed_values", "value": None}], [{"type": "allowed_values", "value": []}]]
)
def test_no_allowed_values_are_equal_to_none_at_all(raw: Any) -> None:
    assert equal("CONSTRAINTS", read("CONSTRAINTS", raw), read("CONSTRAINTS", []))


@pytest.mark.parametrize(
    "raw",
    [
        [{"type": "max_length", "value": 5}, {"type": "regular_expression", "value": "x"}],
        [{"type": "allowed_values", "value": ["a", "b"]}],
        [{"type": "from_the_future", "value": 1}],
        [{"type": "from_the_future", "value": [1, 2]}],
        [{"type": "from_the_future", "value": "x"}],
    ],
)
def test_constraints_that_were_read_are_written_back_as_they_were(raw: Any) -> None:
    assert STRUCTURES["CONSTRAINTS"].write(read("CONSTRAINTS", raw)) == raw


def test_attributes_that_were_read_are_written_back_as_they_were() -> None:
    raw = [
        {"type": "editable", "value": "a"},
        {"type": "editable", "value": "b"},
        {"type": "from_the_future", "value": 1},
    ]
    assert STRUCTURES["ATTRIBUTES"].write(attributes(raw)) == raw


# ---- relations, scalars, names of types


@pytest.mark.parametrize(
    "value",
    [
        {"type": "actual_field", "field_uuid": UUID},
        {"type": "expected_field", "field_uuid": UUID},
        {"type": "active_When_value_equals_one_of", "field_uuid": UUID, "comparison_values": ["a", "b"]},
    ],
)
def test_a_relation_is_sent_as_written(value: Any) -> None:
    assert written("RELATIONS", [value]) == [value]
    assert equal("RELATIONS", parse("RELATIONS", [value]), read("RELATIONS", [value]))


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"type": "actual_feild", "field_uuid": UUID}, "did you mean actual_field? (type)"),
        ({"type": "actual_field"}, "or its key or label as field (field_uuid)"),
        ({"type": "actual_field", "field_uuid": "abc"}, "the uuid of a field definition"),
        (
            {"type": "actual_field", "field_uuid": UUID, "comparison_values": ["a"]},
            "only the type active_When_value_equals_one_of compares values (comparison_values)",
        ),
        ({"type": "active_When_value_equals_one_of", "field_uuid": UUID}, "a list of values"),
        ({"type": "actual_field", "field_uuid": UUID, "more": 1}, "no such part; a relation has type, field"),
        (UUID, "a map with type and field"),
    ],
)
def test_what_is_wrong_with_a_relation_is_reported_by_its_position(value: Any, wrong: str) -> None:
    message = refused("RELATIONS", [value])
    assert wrong in message
    assert "(item 1)" in message


def test_everything_that_is_wrong_with_a_relation_is_reported_part_by_part() -> None:
    """The uuid that fits is never quoted, because it may replace a named field."""
    written_one = [{"field_uuid": UUID, "values": ["a"], "comparison_values": 1}]
    with pytest.raises(InvalidValue) as caught:
        parse("RELATIONS", written_one)
    assert [(way, value) for way, value, _why in caught.value.misfits(written_one)] == [
        ((0, "values"), ["a"]),
        ((0, "type"), None),
    ]


def test_relations_are_compared_as_a_set() -> None:
    relation = {"type": "actual_field", "field_uuid": UUID}
    two = {"type": "expected_field", "field_uuid": OTHER.upper()}
    assert equal("RELATIONS", parse("RELATIONS", [relation, two]), read("RELATIONS", [two, relation]))
    assert not equal("RELATIONS", parse("RELATIONS", [relation, two]), read("RELATIONS", [relation]))
    assert equal("RELATIONS", parse("RELATIONS", []), read("RELATIONS", None))


@pytest.mark.parametrize("value", ["a", "", 1, 1.5, True, False])
def test_a_default_value_may_be_any_plain_value(value: Any) -> None:
    assert written("SCALAR", value) == value


@pytest.mark.parametrize("value", [[], {}, ["a"], None])
def test_a_default_value_that_is_no_plain_value_is_refused(value: Any) -> None:
    assert "a text, a number" in refused("SCALAR", value)


@pytest.mark.parametrize(("left", "right", "same"), [(["a", "b"], ["a", "b"], True), (["a", "b"], ["b", "a"], False)])
def test_possible_values_are_a_list_in_order(left: Any, right: Any, same: bool) -> None:
    assert equal("SCALARS", parse("SCALARS", left), read("SCALARS", right)) is same


@pytest.mark.parametrize("raw", [None, [], {}, ""])
def test_no_possible_values_have_many_forms(raw: Any) -> None:
    assert read("SCALARS", raw) == ()


@pytest.mark.parametrize(("left", "right"), [("TEXT", "LONG_TEXT"), ("LINKED_ASSET", "LINKED_ASSETS")])
def test_type_names_differ_and_are_sent_as_written(left: str, right: str) -> None:
    assert not equal("TYPE_NAME", left, right)
    assert written("TYPE_NAME", left) == left


# ---- read and write back


def json_values() -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([UUID, "x", "days", "asset"])
    keys = st.sampled_from(["uuid", "id", "unit", "value", "type", "field_uuid", "comparison_values"])
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=8
    )


@pytest.mark.parametrize("name", sorted(STRUCTURES))
@RANDOMISED
@given(raw=json_values())
def test_whatever_a_service_answers_is_read_without_an_exception(name: str, raw: Any) -> None:
    read(name, raw)


@pytest.mark.parametrize(
    "raw",
    [
        interval("days", "x"),
        interval("days", []),
        [interval("days", {})],
        {"uuid": 5},
        [{"uuid": 5}],
        {"type": "user", "value": 5},
        {"type": "user", "value": {"uuid": 5}},
        [{"type": [], "value": 1}],
        [{"type": "actual_field", "field_uuid": 1, "comparison_values": 5}],
    ],
)
def test_garbage_is_read_without_an_exception(raw: Any) -> None:
    for name in sorted(STRUCTURES):
        read(name, raw)


_uuids = st.uuids().map(str)
_intervals = st.fixed_dictionaries(
    {"unit": st.sampled_from(["days", "weeks", "months", "years"]), "value": st.integers(0, 1000)}
)
_texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10)
WISHES: dict[str, st.SearchStrategy[Any]] = {
    "INTERVAL": _intervals,
    "INTERVALS": st.lists(_intervals, max_size=2),
    "ASSETS": st.lists(_uuids, max_size=4),
    "ATTACHMENTS": st.lists(_uuids, max_size=4),
    "USER": _uuids,
    "USERS": st.lists(_uuids, max_size=2),
    "RENTER": st.fixed_dictionaries({"type": st.just("plain"), "value": _texts})
    | st.fixed_dictionaries({"type": st.just("user"), "value": _uuids}),
    "RENTAL_STATUS": st.sampled_from(["requested", "confirmed", "borrowed"]),
    "WHOLE_DAYS": st.booleans(),
    "ATTRIBUTES": st.fixed_dictionaries(
        {},
        optional={
            "mandatory": st.booleans(),
            "fraction_digits": st.integers(0, 20),
            "form_group": _texts,
            "editable": st.lists(st.sampled_from(["mobile_app", "web_app"]), max_size=2, unique=True),
        },
    ),
    "CONSTRAINTS": st.fixed_dictionaries(
        {},
        optional={
            "max_length": st.integers(0, 100),
            "regular_expression": _texts,
            "allowed_values": st.lists(_texts, max_size=3, unique=True),
        },
    ),
    "RELATIONS": st.lists(
        st.fixed_dictionaries({"type": st.sampled_from(["actual_field", "expected_field"]), "field_uuid": _uuids}),
        max_size=2,
    ),
    "SCALAR": _texts | st.integers() | st.booleans(),
    "SCALARS": st.lists(_texts, max_size=4, unique=True),
    "TYPE_NAME": st.sampled_from(["TEXT", "LINKED_ASSETS", "LINKED_ASSET"]),
    "CHOICE": _texts,
    "DAY": st.dates().map(str),
}


@pytest.mark.parametrize("name", sorted(WISHES))
@RANDOMISED
@given(data=st.data())
def test_what_was_written_is_read_back_as_equal(name: str, data: st.DataObject) -> None:
    faces = STRUCTURES[name]
    wish = faces.parse(data.draw(WISHES[name]), FIELD)
    expected = faces.merge(faces.empty, wish) if faces.merge else wish
    answered = faces.read(faces.write(expected), FIELD)
    assert faces.equal(answered, expected, FIELD)
    assert faces.equal(expected, answered, FIELD)


def test_every_structure_has_a_round_trip() -> None:
    assert set(WISHES) | {"ANY", "TYPES", "WORDS", *NEVER_WRITTEN} == set(STRUCTURES)


@pytest.mark.parametrize(
    ("name", "value", "twice"),
    [
        ("SCALARS", ["a", "b", "a"], "'a' is written twice"),
        ("SCALARS", [1, "1", 1], "1 is written twice"),
        ("CONSTRAINTS", {"allowed_values": ["a", "a"]}, "different values for allowed_values; 'a' is written twice"),
        ("ATTRIBUTES", {"visible": ["mobile_app", "mobile_app"]}, "different values for visible; 'mobile_app' is"),
        ("ATTRIBUTES", {"mandatory": [True, "yes"]}, "different values for mandatory; 'yes' is written twice"),
    ],
)
def test_a_value_that_is_written_twice_is_refused(name: str, value: Any, twice: str) -> None:
    assert twice in refused(name, value)


def test_values_that_only_look_equal_are_different() -> None:
    assert parse("SCALARS", [1, True, "1", "true", 0, False]) == (1, True, "1", "true", 0, False)


def test_what_a_relation_compares_with_is_texts_numbers_or_booleans() -> None:
    relation = {"type": "active_When_value_equals_one_of", "field_uuid": UUID}
    assert "a text, a number" in refused("RELATIONS", [{**relation, "comparison_values": [{"a": 1}]}])


# ---- what orders of the hub hold


@pytest.mark.parametrize("name", NEVER_WRITTEN)
@pytest.mark.parametrize("value", [[], {}, "x", [{"id": 1}]])
def test_articles_and_billing_data_are_never_written(name: str, value: Any) -> None:
    assert "never writes them" in refused(name, value)


@pytest.mark.parametrize("price", [30, "30.00", 30.0, "30"])
def test_the_price_of_an_article_may_be_answered_as_text(price: Any) -> None:
    (article,) = read("ARTICLES", [{"id": "7", "price": price, "asset_id": 5, "mappedAssetData": {"a": 1}}])
    assert article == {"id": 7, "price": 30.0, "asset_id": 5, "mappedAssetData": {"a": 1}}


def test_the_times_of_an_article_have_the_form_of_all_times() -> None:
    (article,) = read("ARTICLES", [{"created_at": "2031-05-02 09:14:11", "updated_at": None}])
    assert article == {"created_at": "2031-05-02T09:14:11+00:00", "updated_at": None}


@pytest.mark.parametrize(
    "raw", [{"firstName": "A", "lastName": "B", "city": "C"}, {"first_name": "A", "last_name": "B", "city": "C"}]
)
def test_names_of_who_pays_have_the_keys_of_the_interface(raw: Any) -> None:
    assert read("BILLING", raw) == {"firstName": "A", "lastName": "B", "city": "C"}
