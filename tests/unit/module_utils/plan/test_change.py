# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare desired and current values: only written fields that differ change.

A missing field is not managed, and null clears a field.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field, Unread
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import FIELD_DEFINITION, KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import FieldError, Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Attachment, Reference
from ansible_collections.community.seventhings.plugins.module_utils.plan.change import (
    ARCHIVE,
    CREATE,
    DELETE,
    UNCHANGED,
    UPDATE,
    Change,
    ValuesInUse,
    check_choices,
    check_destructive,
    incomplete,
    plan_present,
    plan_removal,
    shown_as_written,
    with_equal_allowed_values,
)

from ..support import JsonMap, definition, record, schema_of, uuid_of

OBJECT = schema_of(
    "object",
    Field("barcode", "BARCODE", mandatory=True),
    Field("name", "TEXT", mandatory=True),
    Field("price", "MONEY", fraction_digits=2),
    Field("room", "LINKED_ROOM"),
    Field("parts", "LINKED_ASSETS"),
    Field("files", "ATTACHMENT"),
    Field("active", "BOOLEAN"),
    Field("size", "NUMBER"),
)
CURRENT = record(
    "object",
    1,
    barcode="1",
    name="Laptop",
    price="12.50",
    room={"id": 7, "uuid": uuid_of(7), "display_name": "Workshop"},
    parts=[8, 9],
    files=[{"uuid": uuid_of(20), "size": 3}],
    active="1",
    size=0,
    other="x",
)
DEFINITION = Schema.for_kind(FIELD_DEFINITION)
RENTAL = Schema.for_kind(KINDS["rental_case"])


def present(desired: JsonMap, current: Record | None = CURRENT, archived: bool = False) -> Change:
    return plan_present(OBJECT, desired, current, archived)


def defined(*, current: bool = True, **more: Any) -> Record | None:
    return Record.from_answer(FIELD_DEFINITION, definition("colour", "DROPDOWN", **more)) if current else None


def wish(written: JsonMap) -> JsonMap:
    values, findings = DEFINITION.parse(written, "")
    assert not findings.errors
    return values


def test_differences_are_shown_with_references_in_one_notation() -> None:
    requested = []

    def in_one_notation(is_now: Any, written: Any) -> tuple[Any, Any]:
        requested.append((is_now, written))
        return "as it is", "as it was written"

    change = plan_present(OBJECT, {"name": "Desk", "active": True}, CURRENT, in_one_notation=in_one_notation)
    assert change.diff == {"before": {"name": "as it is"}, "after": {"name": "as it was written"}}
    assert requested == [("Laptop", "Desk")]
    assert change.values == {"name": "Desk"}


def test_a_new_record_is_shown_with_references_in_one_notation() -> None:
    requested = []

    def in_one_notation(is_now: Any, written: Any) -> tuple[Any, Any]:
        requested.append((is_now, written))
        return "no value", f"{written} as it was written"

    desired = {"barcode": "2", "name": "Desk"}
    change = plan_present(OBJECT, desired, None, in_one_notation=in_one_notation)
    assert change.diff["after"] == {"barcode": "2 as it was written", "name": "Desk as it was written"}
    assert requested == [((), "2"), ((), "Desk")]
    assert change.values == desired


def test_terms_in_another_notation_are_shown_in_it() -> None:
    written = wish({"constraints": {"max_length": 5}})
    change = plan_present(DEFINITION, written, defined(), in_one_notation=lambda _is_now, _written: ("none", "five"))
    assert change.diff == {"before": {"constraints": "none"}, "after": {"constraints": "five"}}


# ---- to make one


def test_where_there_is_no_record_one_is_created_with_all_that_was_written() -> None:
    desired = {"barcode": "2", "name": "Screen", "price": Decimal("12.50"), "room": None}
    change = present(desired, None)
    assert (change.action, change.current, change.changed) == (CREATE, None, True)
    assert dict(change.values) == desired
    assert change.diff == {"before": {}, "after": {"barcode": "2", "name": "Screen", "price": 12.5, "room": None}}
    assert change.kind is KINDS["object"]
    assert not change.unarchive


@pytest.mark.parametrize(
    ("desired", "missing"),
    [({"barcode": "2"}, "name"), ({"barcode": "2", "name": None}, "name"), ({}, "barcode, name")],
)
def test_a_record_is_not_created_without_its_mandatory_fields(desired: JsonMap, missing: str) -> None:
    assert incomplete(OBJECT.kind, present(desired, None).missing) == (
        "This object does not exist yet (this account may be limited to locations) and can't be created without "
        f"{missing}: mandatory, but not given."
    )


# ---- nothing to do


@pytest.mark.parametrize(
    "desired",
    [
        {},
        {"barcode": "1"},
        {"price": Decimal("12.5")},
        {"price": Decimal("12.499")},
        {"room": Reference("room", 7)},
        {"room": Reference("room", uuid=uuid_of(7), written="Head office/0.12")},
        {"parts": (Reference("object", 9), Reference("object", 8))},
        {"files": (Attachment(uuid=uuid_of(20), path="a.pdf"),)},
        {"active": True},
        {"size": 0},
        {"barcode": "1", "name": "Laptop", "price": Decimal("12.500"), "active": True},
    ],
)
def test_what_means_the_same_is_unchanged(desired: JsonMap) -> None:
    change = present(desired)
    assert (change.action, change.changed) == (UNCHANGED, False)
    assert change.current is CURRENT
    assert dict(change.values) == {}
    assert change.diff == {"before": {}, "after": {}}
    assert change.warnings == ()


@pytest.mark.parametrize("empty", [None, "", [], {}])
@pytest.mark.parametrize(
    ("key", "nothing"),
    [("name", None), ("price", None), ("room", None), ("parts", ()), ("files", ()), ("active", None)],
)
def test_clearing_what_is_empty_in_any_form_is_unchanged(key: str, nothing: Any, empty: Any) -> None:
    assert present({key: nothing}, record("object", 1, **{key: empty})).action == UNCHANGED


@pytest.mark.parametrize(
    ("retyped", "wanted", "is_now", "action"),
    [
        (True, 5, "5", UPDATE),
        (True, 5, 6, UPDATE),
        (False, 5, "5", UNCHANGED),
        (True, None, None, UNCHANGED),
        (True, None, 5, UPDATE),
    ],
)
def test_what_is_written_for_a_field_that_gets_another_type_is_sent(
    retyped: bool, wanted: Any, is_now: Any, action: str
) -> None:
    schema = schema_of("object", Field("size", "NUMBER", retyped=retyped))
    change = plan_present(schema, {"size": wanted}, record("object", 1, size=is_now))
    assert change.action == action
    assert dict(change.values) == ({"size": wanted} if action == UPDATE else {})
    # The diff shows the current value as it is, not as the future type reads it.
    assert dict(change.before) == ({"size": is_now} if action == UPDATE else {})
    assert dict(change.after) == ({"size": wanted} if action == UPDATE else {})


# ---- to change one


def test_a_change_has_only_written_fields_that_differ() -> None:
    change = present({"barcode": "1", "name": "Screen", "price": Decimal("12.5"), "size": 5})
    assert (change.action, change.changed) == (UPDATE, True)
    assert dict(change.values) == {"name": "Screen", "size": 5}
    assert change.diff == {"before": {"name": "Laptop", "size": 0}, "after": {"name": "Screen", "size": 5}}
    assert change.current is CURRENT


@pytest.mark.parametrize(
    ("desired", "before", "after"),
    [
        ({"price": Decimal("12.49")}, 12.5, 12.49),
        ({"price": None}, 12.5, None),
        ({"room": Reference("room", 8, uuid_of(8), written="Head office/0.13")}, "Workshop", "Head office/0.13"),
        ({"room": None}, "Workshop", None),
        ({"parts": (Reference("object", 8, written=8),)}, [8, 9], [8]),
        ({"parts": ()}, [8, 9], []),
        ({"files": ()}, [uuid_of(20)], []),
        ({"files": (Attachment(path="a.pdf"),)}, [uuid_of(20)], ["a.pdf"]),
        ({"active": False}, True, False),
        ({"active": None}, True, None),
        ({"size": None}, 0, None),
        ({"name": None}, "Laptop", None),
    ],
)
def test_a_diff_shows_the_fields_as_they_are_and_as_they_were_written(
    desired: JsonMap, before: Any, after: Any
) -> None:
    (key,) = desired
    change = present(desired)
    assert dict(change.values) == desired
    assert change.diff == {"before": {key: before}, "after": {key: after}}


def test_a_field_that_was_not_answered_is_nothing_before() -> None:
    change = present({"name": "Laptop", "parts": (Reference("object", 8, written=8),)}, record("object", 1))
    assert change.diff == {"before": {"name": None, "parts": []}, "after": {"name": "Laptop", "parts": [8]}}


def test_what_the_service_did_not_say_of_a_reference_is_filled_in_before_it_is_compared() -> None:
    def completed(reference: Reference) -> Reference:
        return replace(reference, uuid=uuid_of(reference.id or 0))

    wanted = {"room": Reference("room", uuid=uuid_of(7)), "parts": (Reference("object", uuid=uuid_of(8)),)}
    current = record("object", 1, room=7, parts=[8])
    assert plan_present(OBJECT, wanted, current).action == UPDATE
    assert plan_present(OBJECT, wanted, current, completed=completed).action == UNCHANGED


# ---- archived ones


def test_an_archived_record_is_brought_back_and_changed() -> None:
    change = present({"name": "Screen"}, archived=True)
    assert (change.unarchive, dict(change.values)) == (True, {"name": "Screen"})
    assert change.diff == {
        "before": {"archived": True, "name": "Laptop"},
        "after": {"archived": False, "name": "Screen"},
    }


# ---- to remove one


def test_a_missing_record_counts_as_deleted() -> None:
    for action in (DELETE, ARCHIVE):
        change = plan_removal(OBJECT, {"barcode": "1"}, None, action)
        assert (change.action, change.changed, change.current) == (UNCHANGED, False, None)
        assert change.diff == {"before": {}, "after": {}}
        assert change.kind is KINDS["object"]


def test_a_delete_shows_the_written_fields_as_they_are_now_and_nothing_after() -> None:
    desired = {"barcode": "1", "name": "Screen", "price": None, "room": Reference("room", 1, written="x"), "parts": ()}
    change = plan_removal(OBJECT, desired, CURRENT)
    assert (change.action, change.changed, change.current) == (DELETE, True, CURRENT)
    assert change.kind is KINDS["object"]
    assert change.diff == {
        "before": {"barcode": "1", "name": "Laptop", "price": 12.5, "room": "Workshop", "parts": [8, 9]},
        "after": {},
    }
    assert dict(change.values) == {}


def test_a_delete_shows_what_means_the_same_in_the_words_that_were_written() -> None:
    room = Reference("room", 7, uuid_of(7), written="Head office/0.12")
    change = plan_removal(OBJECT, {"room": room, "price": Decimal("12.500")}, CURRENT)
    assert change.diff["before"] == {"room": "Head office/0.12", "price": 12.5}


@pytest.mark.parametrize("archived", [True, False])
def test_a_record_that_may_be_archived_may_need_unarchiving_before_a_delete(archived: bool) -> None:
    change = plan_removal(OBJECT, {"barcode": "1"}, CURRENT, archived=archived)
    assert (change.action, change.unarchive) == (DELETE, archived)
    assert not plan_removal(OBJECT, {"barcode": "1"}, CURRENT).unarchive


def test_archiving_shows_that_and_nothing_else() -> None:
    change = plan_removal(OBJECT, {"barcode": "1", "name": "x"}, CURRENT, ARCHIVE)
    assert (change.action, change.changed, change.current) == (ARCHIVE, True, CURRENT)
    assert change.kind is KINDS["object"]
    assert change.diff == {"before": {"archived": False}, "after": {"archived": True}}
    assert dict(change.values) == {}


# ---- rental cases that last hours


def test_written_times_are_compared_with_the_times_of_the_record() -> None:
    times = {"issue_at": "2026-05-04T08:00:00+00:00", "due_at": "2026-05-04T10:00:00+00:00"}
    current = record("rental_case", 1, is_full_day=False, issue_date="2026-05-04", due_date="2026-05-04", **times)
    later, _errors = RENTAL.parse({"due_at": "2026-05-04T12:00:00+00:00"}, "")
    change = plan_present(RENTAL, later, current)
    assert (change.action, set(change.values)) == (UPDATE, {"due_at"})
    too_early, _errors = RENTAL.parse({"due_at": "2026-05-04T07:00:00+00:00"}, "")
    with pytest.raises(InvalidInput, match="due_at"):
        plan_present(RENTAL, too_early, current)


# ---- rental cases that the day has moved


@pytest.mark.parametrize(
    ("wanted", "now"), [("borrowed", "return_overdue"), ("confirmed", "pickup_overdue"), ("return_overdue", "borrowed")]
)
def test_a_status_that_the_day_has_moved_is_left_with_a_warning(wanted: str, now: str) -> None:
    change = plan_present(RENTAL, {"status": wanted}, record("rental_case", 1, status=now))
    assert change.action == UNCHANGED
    assert change.warnings == (
        f"status is {now}, which the service sets in place of {wanted} when the day has passed; left unchanged.",
    )


def test_a_status_that_differs_is_changed_without_a_warning() -> None:
    change = plan_present(RENTAL, {"status": "completed"}, record("rental_case", 1, status="return_overdue"))
    assert (change.action, change.warnings) == (UPDATE, ())
    assert change.diff == {"before": {"status": "return_overdue"}, "after": {"status": "completed"}}


# ---- attributes and constraints of a field definition


def on_definition(written: JsonMap, **more: Any) -> Change:
    return plan_present(DEFINITION, wish(written), defined(**more))


def test_an_attribute_that_is_not_written_is_kept() -> None:
    change = on_definition({"attributes": {"mandatory": True}}, attributes={"unique": "yes", "mandatory": "no"})
    assert dict(change.values) == {"attributes": {"unique": ("yes",), "mandatory": ("yes",)}}


def test_a_diff_of_attributes_shows_only_types_that_were_written_and_differ() -> None:
    now = {"unique": "yes", "mandatory": "no", "editable": ["web_app", "mobile_app"]}
    written = {"attributes": {"mandatory": True, "editable": ["mobile_app", "web_app"], "fraction_digits": 2}}
    assert on_definition(written, attributes=now).diff == {
        "before": {"attributes": {"mandatory": "no", "fraction_digits": None}},
        "after": {"attributes": {"mandatory": "yes", "fraction_digits": 2}},
    }


def test_attributes_that_nobody_can_read_are_not_merged() -> None:
    current = Record.from_answer(FIELD_DEFINITION, {**definition("colour"), "attributes": "none"})
    with pytest.raises(InvalidInput) as caught:
        plan_present(DEFINITION, wish({"attributes": {"mandatory": True}}), current)
    [problem] = caught.value.problems
    assert problem == (
        "attributes: the service returns 'none', which can't be read, so a change would lose it. Change it in the "
        "application."
    )
    assert isinstance(problem, FieldError)
    assert (problem.way, problem.gist) == (("attributes",), problem)


def test_a_new_definition_has_the_attributes_that_were_written_without_those_that_are_null() -> None:
    change = plan_present(
        DEFINITION, wish({"label": "A", "type": "TEXT", "attributes": {"unique": None, "mandatory": True}}), None
    )
    body = DEFINITION.write(change.values)
    assert body["attributes"] == [{"type": "mandatory", "value": "yes"}]
    assert change.action == CREATE


# ---- what may cost data


def all_of_them(definition: Record, values: list[Any]) -> list[Any]:
    """Return all values, because records use every value."""
    assert definition.flat["field_key"] == "colour"
    return values


def check(written: JsonMap, allowed: bool = False, used: ValuesInUse = all_of_them, **more: Any) -> None:
    current = defined(**more)
    check_destructive(current, plan_present(DEFINITION, wish(written), current), allowed, used)


def test_records_are_asked_only_where_a_value_would_be_removed() -> None:
    def nobody(_definition: Record, _values: list[Any]) -> list[Any]:
        raise NotImplementedError

    check({"possible_values": ["b", "a", "c"]}, used=nobody, possible_values=["a", "b"])


def test_a_diff_shows_only_fields_that_were_written() -> None:
    values = {"a": 1, "b": 2}
    change = Change(KINDS["object"], UPDATE, None, values, {"a": 0, "b": 0}, {"a": 1, "b": 2}, warnings=("w",))
    shown = shown_as_written(change, iter(["b", "c"]))
    assert shown == Change(KINDS["object"], UPDATE, None, values, {"b": 0}, {"b": 2}, warnings=("w",))


def test_a_value_that_no_record_has_may_be_removed() -> None:
    check({"possible_values": ["b"]}, used=lambda _definition, _values: [], possible_values=["a", "b", "c"])


def problems(written: JsonMap, **more: Any) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        check(written, **more)
    return caught.value.problems


def test_another_type_is_refused_unless_it_is_allowed() -> None:
    assert problems({"type": "TEXT"}) == [
        (
            "Colour: type would change from DROPDOWN to TEXT, and records keep values of the old type. "
            "Set allow: [destructive] if this is intended."
        )
    ]
    check({"type": "TEXT"}, allowed=True)


def test_removing_a_possible_value_is_refused_and_names_it() -> None:
    assert problems({"possible_values": ["b"]}, possible_values=["a", "b", "c"]) == [
        (
            "Colour: possible_values: the value(s) 'a', 'c' would be removed, and records use them. "
            "Set allow: [destructive] if this is intended."
        )
    ]
    check({"possible_values": ["b"]}, allowed=True, possible_values=["a", "b", "c"])


def test_possible_values_that_nobody_can_read_are_not_replaced() -> None:
    assert problems({"possible_values": ["a", "b", "c"]}, possible_values="a, b") == [
        (
            "Colour: possible_values: the service returns 'a, b', which can't be read, so it is unknown which values "
            "would be removed. Set allow: [destructive] if this is intended."
        )
    ]
    check({"possible_values": ["a", "b", "c"]}, allowed=True, possible_values="a, b")
    check({"label": "New"}, possible_values="a, b")


def test_possible_values_that_nobody_can_read_may_be_sent_back() -> None:
    current = defined(possible_values="a, b")
    change = Change(FIELD_DEFINITION, UPDATE, current, {"label": "New", "possible_values": Unread("a, b")})
    check_choices(current, change)
    check_destructive(current, change, False, all_of_them)


@pytest.mark.parametrize("values", [["b", "a"], ["a", "b", "c"], ["c", "b", "a"]])
def test_adding_and_ordering_possible_values_is_not_destructive(values: list[str]) -> None:
    check({"possible_values": values}, possible_values=["a", "b"])


def test_removing_an_allowed_value_is_refused_and_names_it_once() -> None:
    now: JsonMap = {"possible_values": ["a", "b"], "constraints": {"allowed_values": ["a", "b", "c"]}}
    (line,) = problems({"constraints": {"allowed_values": ["b"]}}, **now)
    assert "'a', 'c'" in line
    (line,) = problems({"possible_values": ["b"], "constraints": {"allowed_values": ["b"]}}, **now)
    assert line.count("'a'") == 1
    assert line.count("'c'") == 1


@pytest.mark.parametrize("written", [{"allowed_values": None}, {"max_length": 5}, {"allowed_values": ["b", "a", "c"]}])
def test_lifting_the_limit_and_other_constraints_are_not_destructive(written: JsonMap) -> None:
    check({"constraints": written}, constraints={"allowed_values": ["a", "b"]})


def test_a_new_definition_and_another_kind_are_never_destructive() -> None:
    new = plan_present(DEFINITION, wish({"label": "A", "type": "TEXT"}), None)
    check_destructive(None, new, False, all_of_them)
    check_destructive(CURRENT, present({"name": None}), False, all_of_them)


@pytest.mark.parametrize(("label", "words"), [("Paint", "Paint: type would"), ("", "colour: type would")])
def test_what_would_be_lost_is_reported_with_the_label_of_the_definition_else_its_key(label: str, words: str) -> None:
    (line,) = problems({"type": "TEXT"}, label=label)
    assert line.startswith(words)


# ---- values of a DROPDOWN are texts


def chosen(written: JsonMap, current: Record | None) -> None:
    check_choices(current, plan_present(DEFINITION, wish(written), current))


@pytest.mark.parametrize(
    ("written", "current"),
    [
        ({"possible_values": ["a", 5, True]}, defined()),
        ({"label": "A", "type": "DROPDOWN", "possible_values": [5, True]}, None),
        (
            {"type": "DROPDOWN", "possible_values": [5, True]},
            Record.from_answer(FIELD_DEFINITION, definition("a", "TEXT")),
        ),
    ],
    ids=["there", "new", "becoming one"],
)
def test_possible_values_of_a_dropdown_that_are_no_texts_are_refused(written: JsonMap, current: Record | None) -> None:
    with pytest.raises(InvalidInput) as caught:
        chosen(written, current)
    assert caught.value.message == "possible_values: 5, True: the values of a DROPDOWN are texts; quote them"


@pytest.mark.parametrize(
    ("written", "current"),
    [
        ({"possible_values": ["a", "5"]}, defined()),
        ({"label": "A"}, defined()),
        ({"label": "A", "type": "NUMBER", "possible_values": [5]}, None),
        ({"possible_values": [5]}, Record.from_answer(FIELD_DEFINITION, definition("a", "NUMBER"))),
        ({"type": "NUMBER", "possible_values": [5]}, defined()),
    ],
    ids=["texts", "not written", "new number", "number", "becoming a number"],
)
def test_texts_and_values_of_another_type_pass(written: JsonMap, current: Record | None) -> None:
    chosen(written, current)


@pytest.mark.parametrize(
    ("written", "current"),
    [
        ({"default_value": "c"}, {"possible_values": ["a", "b"]}),
        ({"default_value": "c"}, {"constraints": {"allowed_values": ["a", "b"]}}),
    ],
)
def test_a_default_value_that_is_no_choice_is_refused(written: JsonMap, current: JsonMap) -> None:
    with pytest.raises(InvalidInput) as caught:
        chosen(written, defined(**current))
    assert caught.value.message == "default_value: 'c' does not fit; expected one of 'a', 'b'"


def test_the_default_value_of_a_field_stays_a_choice() -> None:
    with pytest.raises(
        InvalidInput, match=r"^possible_values: 'c' is missing, the default_value of this field; give ano"
    ):
        chosen({"possible_values": ["a", "b"]}, defined(possible_values=["a", "c"], default_value="c"))


@pytest.mark.parametrize(
    ("name", "value", "fits"),
    [
        *(("NUMBER", value, True) for value in (5, "5", 0)),
        *(("NUMBER", value, False) for value in ("five", True)),
        *(("BOOLEAN", value, True) for value in (False, "false", 1)),
        ("BOOLEAN", "perhaps", False),
        *(("DATE", value, True) for value in ("2024-05-31", "today")),
        *(("LINKED_LOCATION", value, True) for value in ("Dresden", 5)),
        ("TEXT", 5, True),
    ],
)
def test_a_default_value_has_the_type_of_its_field(name: str, value: Any, fits: bool) -> None:
    written = {"label": "A", "type": name, "default_value": value}
    with nullcontext() if fits else pytest.raises(InvalidInput, match=f"expected a value of the type {name}"):
        chosen(written, None)


def test_a_default_value_that_does_not_fit_may_stay() -> None:
    chosen({"label": "A", "default_value": None}, defined(possible_values=["a"], default_value="c"))
    chosen({"label": "A"}, defined(possible_values=["a"], default_value="c"))


# ---- allowed values follow possible values


def followed(written: JsonMap, current: Record | None) -> JsonMap:
    return with_equal_allowed_values(DEFINITION, wish(written), current)


def test_allowed_values_of_a_dropdown_follow_its_possible_values() -> None:
    found = followed({"possible_values": ["a", "b"]}, defined(constraints={"allowed_values": ["a"], "max_length": 5}))
    assert found == {"possible_values": ("a", "b"), "constraints": {"allowed_values": ("a", "b")}}


@pytest.mark.parametrize("where", ["possible_values", "allowed_values"])
@pytest.mark.parametrize(
    ("written", "existing", "found"),
    [
        (["gru\u0308n", "rot"], ["gr\u00fcn", "rot"], ("gr\u00fcn", "rot")),
        # Both forms exist, so each is itself.
        (["gru\u0308n", "gr\u00fcn"], ["gru\u0308n", "gr\u00fcn"], ("gru\u0308n", "gr\u00fcn")),
        (["gr\u00fcn", "new"], ["gru\u0308n"], ("gru\u0308n", "new")),
    ],
)
def test_existing_choices_keep_their_unicode_form(
    where: str, written: list[str], existing: list[str], found: tuple[str, ...]
) -> None:
    def at(values: Any) -> JsonMap:
        return {where: values} if where == "possible_values" else {"constraints": {where: values}}

    assert followed(at(written), defined(**at(existing))) == at(found)


@pytest.mark.parametrize(
    ("name", "written", "existing", "found"),
    [
        ("NUMBER", "5", 5, 5),
        ("NUMBER", "6", 5, "6"),
        ("DECIMAL", 5.5, "5.50", "5.50"),
        ("BOOLEAN", "false", False, False),
        ("DATE", "2024-05-31", "2024-05-31T00:00:00", "2024-05-31T00:00:00"),
        ("TEXT", "gru\u0308n", "gr\u00fcn", "gr\u00fcn"),
        ("LINKED_LOCATION", "Dresden", None, "Dresden"),
        ("NUMBER", None, 5, None),
    ],
)
def test_an_existing_default_value_keeps_its_notation(name: str, written: Any, existing: Any, found: Any) -> None:
    current = Record.from_answer(FIELD_DEFINITION, definition("a", name, default_value=existing))
    assert followed({"default_value": written}, current) == {"default_value": found}


def test_choices_that_are_no_text_are_themselves() -> None:
    assert followed({"possible_values": [1, "a"]}, defined(possible_values=["1", "a"])) == {"possible_values": (1, "a")}


def test_other_constraints_that_were_written_stay() -> None:
    found = followed(
        {"possible_values": ["a"], "constraints": {"max_length": 5}}, defined(constraints={"allowed_values": ["x"]})
    )
    assert found["constraints"] == {"max_length": (5,), "allowed_values": ("a",)}


@pytest.mark.parametrize(
    ("written", "now"),
    [
        (
            {"possible_values": ["a"], "constraints": {"allowed_values": ["z"]}},
            {"constraints": {"allowed_values": ["x"]}},
        ),
        (
            {"possible_values": ["a"], "constraints": {"allowed_values": None}},
            {"constraints": {"allowed_values": ["x"]}},
        ),
        ({"possible_values": ["a"]}, {}),
        ({"label": "A"}, {"constraints": {"allowed_values": ["x"]}}),
        ({"possible_values": ["a"], "type": "TEXT"}, {"constraints": {"allowed_values": ["x"]}}),
        ({"possible_values": ["a"], "type": "DROPDOWN"}, {"current": False}),
    ],
    ids=["written", "removed", "has none", "not managed", "no dropdown", "new"],
)
def test_allowed_values_follow_only_if_they_exist_and_are_not_written(written: JsonMap, now: JsonMap) -> None:
    assert followed(written, defined(**now)) == wish(written)


def test_they_do_not_follow_for_another_type() -> None:
    current = Record.from_answer(FIELD_DEFINITION, definition("a", "TEXT", constraints={"allowed_values": ["x"]}))
    assert followed({"possible_values": ["a"]}, current) == {"possible_values": ("a",)}
    becoming = followed({"possible_values": ["a"], "type": "DROPDOWN"}, current)
    assert becoming["constraints"] == {"allowed_values": ("a",)}
