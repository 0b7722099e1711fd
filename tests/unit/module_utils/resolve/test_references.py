# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""References as people write them are resolved to ids and uuids with as few requests as possible."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import Ambiguous, InvalidInput, NoMatch
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import cause_of
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference, parse_reference
from ansible_collections.community.seventhings.plugins.module_utils.resolve import references
from ansible_collections.community.seventhings.plugins.module_utils.resolve.read_cache import Reading
from ansible_collections.community.seventhings.plugins.module_utils.resolve.references import (
    Lookup,
    Unresolved,
    Why,
    identity_of,
    inside,
    is_number,
    is_text_renter,
    means,
    names_of,
    reference_in,
    renter_of,
    why_two,
    with_target,
    with_targets,
)

from ..support import FakeTransport, JsonMap, answer, by_uuid, client_on, definition, listing, refusal, uuid_of

LOCATIONS: list[JsonMap] = [
    {"location_uuid": uuid_of(1), "id": 1, "name": "Head office"},
    {"location_uuid": uuid_of(2), "id": 2, "name": "Harbour/North"},
    {"location_uuid": uuid_of(3), "id": 3, "name": "Harbour"},
    {"location_uuid": uuid_of(4), "id": 4, "name": "Twin"},
    {"location_uuid": uuid_of(5), "id": 5, "name": "Twin"},
]
ROOMS: list[JsonMap] = [
    {"room_uuid": uuid_of(11), "id": 11, "building_id": 1, "number": "0.12", "name": "Workshop"},
    {"room_uuid": uuid_of(12), "id": 12, "building_id": 1, "number": "0.13", "name": "Store"},
    {"room_uuid": uuid_of(13), "id": 13, "building_id": 2, "number": "1/7", "name": "Crane"},
    {"room_uuid": uuid_of(14), "id": 14, "building_id": 3, "number": "0.12", "name": "Office"},
    {"room_uuid": uuid_of(15), "id": 15, "building_id": 1, "number": "9", "name": "9"},
    {"room_uuid": uuid_of(16), "id": 16, "building_id": 3, "number": "Store", "name": "A"},
    {"room_uuid": uuid_of(17), "id": 17, "building_id": 3, "number": "B", "name": "Store"},
]
PERSONS: list[JsonMap] = [
    {"person_uuid": uuid_of(21), "id": 21, "email": "Ada@Example.com", "last_name": "Lovelace"},
    {"person_uuid": uuid_of(22), "id": 22, "email": "bob@example.com", "last_name": "Miller"},
    {"person_uuid": uuid_of(23), "id": 23, "email": "BOB@example.com", "last_name": "Miller"},
]
USERS: list[JsonMap] = [{"uuid": uuid_of(31), "id": 31, "email": "ada@example.com"}]
OBJECTS: list[JsonMap] = [
    {"asset_uuid": uuid_of(41), "id": 41, "barcode": "0001", "inventory_name": "Laptop"},
    {"asset_uuid": uuid_of(42), "id": 42, "barcode": "17", "inventory_name": "Screen", "room": 14},
]


@pytest.fixture
def transport() -> FakeTransport:
    return FakeTransport(
        {
            "GET /locations": listing(LOCATIONS),
            "GET /rooms": listing(ROOMS),
            "GET /persons": listing(PERSONS),
            "GET /users": listing(USERS),
            "GET /objects": listing(OBJECTS),
            "GET /asset-tracking/person/field-definitions": answer([definition("email"), definition("last_name")]),
            "GET /asset-tracking/asset/field-definitions": answer(
                [definition("barcode"), definition("inventory_name"), definition("room", "LINKED_ROOM")]
            ),
        }
    )


def resolve(transport: FakeTransport, *wanted: tuple[str, Any], **options: Any) -> list[Reference]:
    references = [written(kind, value) for kind, value in wanted]
    targets = Reading(client_on(transport), **options).resolve(references)
    return [with_targets(reference, targets) for reference in references]


def written(kind: str, value: Any) -> Reference:
    reference: Reference = parse_reference(kind)(value, Field("f", "LINK"))
    return reference


# ---- text of digits: never an id, because barcodes have as many digits as ids


@pytest.mark.parametrize(("kind", "written"), [("location", "1"), ("person", "21"), ("room", "11"), ("object", "41")])
def test_text_of_digits_is_no_id(transport: FakeTransport, kind: str, written: str) -> None:
    with pytest.raises(NoMatch, match=re.escape(f"There is no {kind} {written!r}")):
        resolve(transport, (kind, written))
    assert resolve(transport, (kind, {"id": written}))[0].id == int(written)


def test_a_barcode_that_is_the_id_of_another_object_means_the_barcode(transport: FakeTransport) -> None:
    other = {"asset_uuid": uuid_of(43), "id": 17, "barcode": "43"}
    transport.routes["GET /objects"] = listing([*OBJECTS, other])
    assert [reference.id for reference in resolve(transport, ("object", "17"), ("object", {"id": "17"}))] == [42, 17]


@pytest.mark.parametrize(
    ("written", "is_one"), [(17, True), (0, True), (True, False), ("17", False), ({"id": 17}, False)]
)
def test_an_integer_alone_may_mean_a_name(written: Any, is_one: bool) -> None:
    assert is_number(Reference("object", written=written)) is is_one


SEVENTEEN = Record.from_flat(KINDS["object"], OBJECTS[1])
TARGET = Record.from_flat(KINDS["object"], {**OBJECTS[0], "id": 17})
WAY_OUT = "write {id: 17} if you mean the id, or '17' in quotes if you mean the name"


@pytest.mark.parametrize(
    ("hits", "target", "words"),
    [
        ([], None, ""),
        ([], TARGET, ""),
        ([TARGET], TARGET, ""),
        ([Record.from_flat(KINDS["object"], {**OBJECTS[0], "id": 18})], TARGET, ""),
        (
            [SEVENTEEN, TARGET],
            TARGET,
            (
                f"17 is the id of the object '0001' ({uuid_of(41)}) and the natural key of another object "
                f"({uuid_of(42)}); {WAY_OUT}"
            ),
        ),
        ([SEVENTEEN], None, f"17 means an id, but is also the natural key of an object ({uuid_of(42)}); {WAY_OUT}"),
        (
            [SEVENTEEN, Record.from_flat(KINDS["object"], {"asset_uuid": uuid_of(43), "id": 43, "barcode": "Other"})],
            TARGET,
            (
                f"17 is the id of the object '0001' ({uuid_of(41)}) and the natural key of another object "
                f"('Other', {uuid_of(42)}); {WAY_OUT}"
            ),
        ),
        (
            [SEVENTEEN],
            Record.from_flat(KINDS["object"], {"asset_uuid": uuid_of(44), "id": 17}),
            (
                f"17 is the id of the object {uuid_of(44)!r} ({uuid_of(44)}) and the natural key of another object "
                f"({uuid_of(42)}); {WAY_OUT}"
            ),
        ),
    ],
)
def test_an_integer_that_is_an_id_and_a_name_means_neither(hits: list[Any], target: Record | None, words: str) -> None:
    for reference in (Reference("object", written=17), Reference("object", 17, written=17)):
        assert why_two(reference, hits, lambda record: record.flat.get("barcode"), target) == words


def test_an_id_without_a_name_of_another_is_an_id() -> None:
    reference = Reference("object", 17, written=17)
    assert why_two(reference, [TARGET], lambda _record: None) == ""
    assert why_two(Reference("object", uuid=uuid_of(41), written=17), [TARGET], lambda _record: None) == ""


def test_references_in_a_map_are_found_at_any_depth() -> None:
    deep, middle, top = (Lookup(Reference("location", number)) for number in (1, 2, 3))
    middle.inner.append(("building_id", deep))
    top.inner.append(("room", middle))
    assert list(inside(top)) == [middle, deep]


def unresolved(transport: FakeTransport, kind: str, value: Any) -> Unresolved:
    """Return why a reference has no target."""
    reference = written(kind, value)
    [problem] = references.resolve([reference], Reading(client_on(transport))).unresolved
    assert problem.reference is reference
    return problem


@pytest.mark.parametrize(
    ("kind", "value", "removed", "name"),
    [
        ("room", "Old/0.12", "location", "Old"),
        ("room", "Head office/0.99", "room", "Head office/0.99"),
        ("location", "Old", "location", "Old"),
    ],
)
def test_the_reason_for_a_removed_target_or_place_is_the_problem(
    kind: str, value: str, removed: str, name: str, transport: FakeTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    def why_removed(_index: Any, kind: Any, questions: Any, written: Any) -> str:
        is_asked = kind.name == "room" or questions[0].values == {"name": written}
        return "it was archived" if (kind.name, written, is_asked) == (removed, name, True) else ""

    monkeypatch.setattr(Reading, "why_removed", why_removed)
    problem = unresolved(transport, kind, value)
    assert problem == Unresolved(problem.reference, Why.MISSING, "it was archived", is_explained=True)
    other = unresolved(transport, "room", "New/0.12")
    assert (other.is_explained, other.words) == (False, "there is no room 'New/0.12'")


def test_an_identity_that_the_index_does_not_know_is_a_problem(
    transport: FakeTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    def why_unknown(_index: Any, reference: Reference) -> str:
        return "there is no object with the id 7" if reference.id == 7 else ""

    monkeypatch.setattr(Reading, "why_unknown", why_unknown)
    unknown, known = Reference("object", 7), Reference("object", 8)
    found = references.resolve([unknown, known], Reading(client_on(transport)))
    words = "there is no object with the id 7"
    assert found.unresolved == [Unresolved(unknown, Why.MISSING, words)]
    assert found.unresolved[0].cause == cause_of(words)
    assert found.lookups[0].problems == found.unresolved


def test_one_reference_has_one_outcome_with_those_of_its_map_inside(transport: FakeTransport) -> None:
    reference = written("room", {"building_id": {"name": "Harbour"}, "number": "0.12"})
    [outcome] = references.resolve([reference], Reading(client_on(transport))).lookups
    assert outcome.reference is reference
    assert [inner.target.id for inner in inside(outcome)] == [3]


def test_an_unknown_field_keeps_no_other_reference_from_its_target_and_a_value_that_does_not_fit_does(
    transport: FakeTransport,
) -> None:
    good = written("person", "ada@example.com")
    found = references.resolve([written("person", {"colour": "red"}), good], Reading(client_on(transport)))
    assert list(found.targets) == [good]
    found = references.resolve([written("person", {"email": ["x"]}), good], Reading(client_on(transport)))
    assert found.targets == {}


def test_a_slash_in_the_name_of_an_object_names_no_place(transport: FakeTransport) -> None:
    assert unresolved(transport, "object", "Head office/1").why is Why.MISSING
    assert transport.count("GET /locations") == 0


@pytest.mark.parametrize(
    ("kind", "value", "why", "words", "cause"),
    [
        ("location", "Nowhere", Why.MISSING, "there is no location 'Nowhere'", "there is no such location"),
        ("object", "9", Why.MISSING, "there is no object '9'", "there is no such object"),
        (
            "person",
            "Zoe",
            Why.MISSING,
            "there is no person 'Zoe'; expected an e-mail address",
            "there is no such person; expected an e-mail address",
        ),
        (
            "location",
            "Twin",
            Why.AMBIGUOUS,
            f"2 locations have the natural key 'Twin': {uuid_of(4)}, {uuid_of(5)}",
            "",
        ),
    ],
)
def test_a_problem_has_words_and_a_cause_without_the_name(
    kind: str, value: str, why: Why, words: str, cause: str, transport: FakeTransport
) -> None:
    problem = unresolved(transport, kind, value)
    assert (problem.why, problem.words, problem.cause, problem.name) == (why, words, cause, "")
    assert not problem.is_explained
    assert unresolved(transport, "room", "Plant / Hall").is_explained


def test_the_target_of_a_reference_is_a_record_or_an_entry_to_create() -> None:
    user, entry = Reference("user", written="ada@example.com"), object()
    assert with_target(user, entry).pending is entry
    assert with_target(user, Record.from_flat(KINDS["user"], USERS[0])).email == "ada@example.com"
    assert with_target(user, Record.from_flat(KINDS["user"], {"uuid": uuid_of(32), "id": 32})).email is None


@pytest.mark.parametrize(
    ("reference", "words"),
    [(Reference("object", 7), "id 7"), (Reference("object", 7, uuid_of(7)), f"uuid {uuid_of(7)}")],
)
def test_the_identity_is_the_uuid_if_it_is_known(reference: Reference, words: str) -> None:
    assert identity_of(reference) == words


@pytest.mark.parametrize(
    ("value", "is_one"), [(("text", "Ada"), True), (("user", "Ada"), False), ((), False), ("text", False)]
)
def test_a_renter_may_be_only_a_text(value: Any, is_one: bool) -> None:
    assert is_text_renter(value) is is_one


@pytest.mark.parametrize("value", [{"email": ["x"]}, {"colour": "red"}])
def test_a_problem_names_its_member_of_the_map(value: JsonMap, transport: FakeTransport) -> None:
    [problem] = references.resolve([written("person", value)], Reading(client_on(transport))).unresolved
    assert problem.name == next(iter(value))


@pytest.mark.parametrize(
    ("reference", "number", "is_meant"),
    [
        (Reference("object", uuid=uuid_of(1)), 1, True),
        (Reference("object", 1), 1, True),
        (Reference("object", 2, uuid_of(1)), 1, True),
        (Reference("object", 2), 1, False),
        (Reference("object", uuid=uuid_of(2)), 1, False),
        (Reference("object", uuid=uuid_of(2)), None, False),
    ],
)
def test_a_reference_means_the_record_with_its_uuid_or_its_id(
    reference: Reference, number: int | None, is_meant: bool
) -> None:
    assert means(reference, Record(KINDS["object"], uuid_of(1), number, {})) is is_meant


def test_only_what_has_integer_ids_is_referred_to_by_one() -> None:
    with pytest.raises(InvalidInput) as caught:
        reference_in("task", "task", 17)
    assert caught.value.message == "task: 17 does not fit; a task has no integer id"
    assert reference_in("task", "task", {"id": 17, "uuid": uuid_of(17)}).uuid == uuid_of(17)
    assert reference_in("task", "task", uuid_of(17)).uuid == uuid_of(17)
    assert reference_in("object", "object", {"id": 17}).id == 17


# ---- every written form


@pytest.mark.parametrize(
    ("kind", "value", "number"),
    [
        ("location", "Head office", 1),
        ("location", "Harbour/North", 2),
        ("location", {"name": "Harbour"}, 3),
        ("room", "Head office/0.12", 11),
        ("room", "Head office/Workshop", 11),
        ("room", "Head office/9", 15),
        ("room", "Harbour/0.12", 14),
        ("room", "Harbour/North/1/7", 13),
        ("room", "Harbour/North/Crane", 13),
        ("room", "0.13", 12),
        ("room", "Workshop", 11),
        ("room", {"building_id": "Head office", "number": "0.12"}, 11),
        ("room", {"building_id": 3, "number": "0.12"}, 14),
        ("room", {"building_id": {"name": "Harbour"}, "name": "Office"}, 14),
        ("room", {"name": "Crane"}, 13),
        ("person", "ada@example.com", 21),
        ("person", "ADA@EXAMPLE.COM", 21),
        ("person", {"email": "ada@example.com"}, 21),
        ("person", {"last_name": "Lovelace"}, 21),
        ("user", "Ada@example.com", 31),
        ("user", {"email": "ADA@example.com"}, 31),
        ("object", "0001", 41),
        ("object", "17", 42),
        ("object", {"barcode": "0001"}, 41),
        ("object", {"inventory_name": "Screen"}, 42),
        ("object", {"room": {"building_id": {"name": "Harbour"}, "number": "0.12"}}, 42),
    ],
)
def test_a_natural_key_or_a_map_is_turned_into_id_and_uuid(
    kind: str, value: Any, number: int, transport: FakeTransport
) -> None:
    (reference,) = resolve(transport, (kind, value))
    assert (reference.id, reference.uuid) == (number, uuid_of(number))
    assert reference.written == value


@pytest.mark.parametrize("value", [17, uuid_of(17), {"id": 17, "uuid": uuid_of(17), "display_name": "x"}])
def test_an_id_or_a_uuid_takes_no_request(value: Any) -> None:
    resolve(FakeTransport(), ("room", value), ("user", value), ("object", value))


@pytest.mark.parametrize("honours", [True, False])
def test_every_hit_is_compared_again_where_the_service_does_not_filter(honours: bool, transport: FakeTransport) -> None:
    if not honours:
        transport.routes["GET /locations"] = answer(LOCATIONS)
        transport.routes["GET /rooms"] = answer(ROOMS)
    (room,) = resolve(transport, ("room", "Harbour/0.12"))
    assert room.id == 14


@pytest.mark.parametrize("shape", [lambda number: {"id": number}, lambda number: [number], uuid_of])
def test_the_building_of_a_room_may_be_answered_in_every_shape(shape: Any, transport: FakeTransport) -> None:
    transport.routes["GET /rooms"] = answer([{**room, "building_id": shape(room["building_id"])} for room in ROOMS])
    (room,) = resolve(transport, ("room", "Harbour/0.12"))
    assert room.id == 14


def test_a_uuid_in_a_map_is_found_where_the_instance_answers_bare_ids(transport: FakeTransport) -> None:
    transport.routes[f"GET /location/{uuid_of(1)}"] = by_uuid(LOCATIONS[0])

    [room] = resolve(transport, ("room", {"building_id": uuid_of(1), "number": "0.13"}))

    assert room.id == 12
    assert transport.count(f"GET /location/{uuid_of(1)}") == 1


# ---- one request for each kind


@pytest.mark.parametrize(
    ("wanted", "lines"),
    [
        ([("object", "0001"), ("object", {"barcode": "17"})], ["GET /objects"]),
        ([("person", "ada@example.com"), ("person", {"email": "ADA@example.com"})], ["GET /persons"]),
        ([("person", "ada@example.com"), ("user", "ada@example.com")], ["GET /persons", "GET /users"]),
        ([("room", "Workshop"), ("room", {"number": "1/7"})], ["GET /rooms"]),
        (
            [("room", {"building_id": "Head office", "name": "Store"}), ("room", {"building_id": 3, "number": "0.12"})],
            ["GET /locations", "GET /rooms"],
        ),
        (
            [("room", "Harbour/0.12"), ("location", {"name": "Head office"}), ("location", "Harbour")],
            ["GET /locations", "GET /rooms"],
        ),
    ],
)
def test_references_of_one_kind_take_one_request(wanted: Any, lines: list[str], transport: FakeTransport) -> None:
    resolve(transport, *wanted)
    assert transport.lines == lines


def test_natural_keys_are_asked_for_by_filter() -> None:
    transport = FakeTransport({"GET /objects": listing(OBJECTS)})
    resolve(transport, ("object", "0001"), ("object", "17"))
    filters = [(name, value) for name, value in transport.calls[0].pairs if name.startswith("filter")]
    assert filters == [("filter[barcode][in][]", "0001"), ("filter[barcode][in][]", "17")]


def test_rooms_by_path_and_by_map_are_asked_for_by_their_buildings(transport: FakeTransport) -> None:
    path, fields = resolve(
        transport, ("room", "Head office/0.12"), ("room", {"building_id": "Harbour", "number": "0.12"})
    )
    assert (path.id, fields.id) == (11, 14)
    filters = [(name, value) for name, value in transport.calls[1].pairs if name.startswith("filter")]
    assert filters == [("filter[building_id][in][]", "1"), ("filter[building_id][in][]", "3")]


def test_maps_that_share_no_field_take_a_list_for_each_field(transport: FakeTransport) -> None:
    found = resolve(
        transport, ("object", {"inventory_name": "Screen"}), ("object", "0001"), ("object", {"barcode": "17"})
    )
    assert [reference.id for reference in found] == [42, 41, 42]
    assert transport.lines == ["GET /asset-tracking/asset/field-definitions", "GET /objects", "GET /objects"]


def test_a_list_that_was_read_whole_is_not_asked_for_again(transport: FakeTransport) -> None:
    reading = Reading(client_on(transport))
    reading.listed(KINDS["location"])
    reading.resolve([written("location", "Harbour"), written("room", "Head office/0.12")])
    assert transport.lines == ["GET /locations", "GET /rooms"]


def test_no_rooms_are_asked_for_where_no_such_building_is() -> None:
    transport = FakeTransport({"GET /locations": listing(LOCATIONS)})
    references = [written("room", "Nowhere/1")]
    Reading(client_on(transport), allow_missing=True).resolve(references)
    assert transport.lines == ["GET /locations"]


# ---- ambiguous


@pytest.mark.parametrize(
    ("kind", "value", "names"),
    [
        ("location", "Twin", (uuid_of(4), uuid_of(5))),
        ("location", {"name": "Twin"}, (uuid_of(4), uuid_of(5))),
        ("person", "bob@example.com", (uuid_of(22), uuid_of(23))),
        ("person", {"last_name": "Miller"}, (uuid_of(22), uuid_of(23))),
        ("room", "0.12", ("'Head office/0.12'", "'Harbour/0.12'")),
        ("room", "Harbour/Store", (uuid_of(16), "'Harbour/B'")),
    ],
)
@pytest.mark.parametrize("check_mode", [True, False])
def test_more_than_one_hit_is_an_error_that_names_all_in_check_mode_too(
    kind: str, value: Any, names: tuple[str, str], check_mode: bool, transport: FakeTransport
) -> None:
    with pytest.raises(Ambiguous) as caught:
        resolve(transport, (kind, value), allow_missing=check_mode)
    assert all(name in caught.value.message for name in names)


def test_a_path_that_can_be_read_in_two_ways_must_hit_once(transport: FakeTransport) -> None:
    twice = [*ROOMS, {"room_uuid": uuid_of(18), "id": 18, "building_id": 3, "number": "North/1/7", "name": "x"}]
    transport.routes["GET /rooms"] = listing(twice)
    with pytest.raises(Ambiguous):
        resolve(transport, ("room", "Harbour/North/1/7"))


# ---- not found


@pytest.mark.parametrize(
    ("kind", "value", "nearest"),
    [
        ("location", "Head ofice", "Head office"),
        ("room", "Head office/0.14", "Head office/0.12"),
        ("room", "Head ofice/0.12", "Head office/0.12"),
        ("room", "Workshp", "Workshop"),
        ("room", "Somewhere else/Workshp", "Workshop"),
        ("location", "Hed", "Head office"),
        ("room", "A/somewhere else entirely, on the other side of the town/Workshp", "Workshop"),
        ("person", "ada@exmaple.com", "Ada@Example.com"),
        ("user", "ad@example.com", "ada@example.com"),
        ("object", "00001", "0001"),
    ],
)
def test_what_is_not_found_is_an_error_with_the_nearest_candidates(
    kind: str, value: str, nearest: str, transport: FakeTransport
) -> None:
    with pytest.raises(NoMatch) as caught:
        resolve(transport, (kind, value))
    limited = " (this account may be limited to locations)" if kind == "object" else ""
    assert caught.value.message.startswith(f"There is no {kind} {value!r}{limited}.")
    assert nearest in caught.value.message


def test_candidates_for_several_objects_are_read_once(transport: FakeTransport) -> None:
    with pytest.raises(NoMatch) as caught:
        resolve(transport, ("object", "00001"), ("object", "170"))
    assert caught.value.message.count("The nearest are") == 2
    assert transport.count("GET /objects") == 2


def test_all_that_is_not_found_is_reported_at_once(transport: FakeTransport) -> None:
    with pytest.raises(NoMatch) as caught:
        resolve(transport, ("location", "Nowhere"), ("object", "x"), ("user", "nobody"), ("location", "Head office"))
    assert len(caught.value.message.splitlines()) == 3


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_map_whose_value_does_not_fit_is_an_error_in_check_mode_too(
    check_mode: bool, transport: FakeTransport
) -> None:
    with pytest.raises(InvalidInput) as caught:
        resolve(transport, ("room", {"building_id": True}), ("room", {"number": 9}), allow_missing=check_mode)
    assert [line.partition(" ")[0] for line in caught.value.problems] == ["reference", "reference"]
    assert "quote it" in caught.value.message
    assert transport.lines == []


@pytest.mark.parametrize("value", ["Head office", {"building_id": 1, "nmae": "x"}])
def test_a_map_or_text_that_fits_nothing_is_reported(value: Any, transport: FakeTransport) -> None:
    transport.routes["GET /asset-tracking/room/field-definitions"] = answer(
        [definition("building_id", "LINKED_LOCATION"), definition("number"), definition("name")]
    )
    with pytest.raises(NoMatch):
        resolve(transport, ("room", value))


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("location", "Nowhere"),
        ("room", "Head office/99"),
        ("room", "Nowhere/1"),
        ("room", {"building_id": "Nowhere", "number": "1"}),
        ("person", "nobody@example.com"),
        ("object", "9999"),
        ("object", {"barcode": "9999"}),
    ],
)
def test_in_check_mode_what_is_not_found_is_a_warning(kind: str, value: Any, transport: FakeTransport) -> None:
    reference = written(kind, value)
    reading = Reading(client_on(transport), allow_missing=True)
    assert reading.resolve([reference]) == {}
    (warning,) = reading.warnings
    assert "There is no " in warning


def test_a_problem_inside_of_a_map_says_where_and_the_map_is_not_looked_for(transport: FakeTransport) -> None:
    with pytest.raises(NoMatch) as caught:
        resolve(transport, ("object", {"room": {"building_id": "Nowhere", "number": "1"}}), ("object", "0001"))
    head = "reference to an object: room: reference to a room: building_id: "
    assert caught.value.message == f"{head}There is no location 'Nowhere'."
    assert "GET /rooms" not in transport.lines
    assert transport.count("GET /objects") == 1


@pytest.mark.parametrize(
    ("kind", "value", "blanks"),
    [
        ("room", "Plant / Hall", "; 'Plant ' ends with a space; ' Hall' begins with a space"),
        ("location", "Plant / Hall", ""),
        ("location", {"name": " Plant "}, "; ' Plant ' begins and ends with a space"),
    ],
)
def test_a_blank_at_the_edge_of_a_part_of_a_name_is_mentioned(
    kind: str, value: Any, blanks: str, transport: FakeTransport
) -> None:
    with pytest.raises(NoMatch) as caught:
        resolve(transport, (kind, value))
    assert caught.value.message.startswith(f"There is no {kind} {value!r}{blanks}.")
    # No task of the play can create a record with such a name.
    assert caught.value.is_final == bool(blanks)


# ---- uuids for bodies, ids for comparing


def test_a_uuid_is_looked_up_where_a_body_needs_one() -> None:
    transport = FakeTransport({"GET /user/by-id/31": answer(USERS[0])})
    reference, known = Reference("user", 31), Reference("user", 7, uuid_of(7))
    found = Reading(client_on(transport)).with_uuid([reference, known])
    assert {reference: record.uuid for reference, record in found.items()} == {reference: uuid_of(31)}
    assert transport.lines == ["GET /user/by-id/31"]


def test_an_id_that_is_none_is_reported() -> None:
    transport = FakeTransport({"GET /user/by-id/9": refusal(404), "GET /user/by-id/8": refusal(404)})
    with pytest.raises(NoMatch) as caught:
        Reading(client_on(transport)).with_uuid([Reference("user", 8), Reference("user", 9)])
    assert caught.value.message == "There is no user with the id 8.\nThere is no user with the id 9."


@pytest.mark.parametrize(
    ("wanted", "current", "line"),
    [
        (Reference("room", uuid=uuid_of(11)), Reference("room", 11), f"GET /room/{uuid_of(11)}"),
        (Reference("user", 31), Reference("user", uuid=uuid_of(31)), "GET /user/by-id/31"),
    ],
)
def test_the_other_half_of_a_wanted_reference_is_looked_up(wanted: Reference, current: Reference, line: str) -> None:
    transport = FakeTransport({line: by_uuid(ROOMS[0] if wanted.target == "room" else USERS[0])})
    targets = Reading(client_on(transport)).missing_halves([((wanted,), (current,))])
    assert with_targets(wanted, targets).same(current) is True
    assert transport.lines == [line]


@pytest.mark.parametrize(
    ("wanted", "current"),
    [
        (Reference("room", 11), Reference("room", 12)),
        (Reference("room", uuid=uuid_of(11)), Reference("room", 12, uuid_of(12))),
        (Reference("room", 11, uuid_of(11)), Reference("room", 12)),
        (Reference("room", uuid=uuid_of(11)), None),
        (None, Reference("room", 12)),
        (Reference("room", written="not found"), Reference("room", 12)),
        ((), (Reference("object", 1),)),
    ],
)
def test_no_request_is_created_where_two_references_can_be_compared(wanted: Any, current: Any) -> None:
    assert Reading(client_on(FakeTransport())).missing_halves([(wanted, current)]) == {}


def test_a_record_with_two_references_is_read_once() -> None:
    transport = FakeTransport({"GET /user/by-id/31": answer(USERS[0]), "GET /user/by-id/9": refusal(404)})
    reading = Reading(client_on(transport))
    user = Reference("user", 31)
    reading.with_uuid([user])
    assert reading.with_uuid([user])[user].uuid == uuid_of(31)
    for _attempt in range(2):
        with pytest.raises(NoMatch):
            reading.with_uuid([Reference("user", 9)])
    assert transport.lines == ["GET /user/by-id/31", "GET /user/by-id/9"]


def test_a_record_that_is_in_a_list_is_not_read_again(transport: FakeTransport) -> None:
    reading = Reading(client_on(transport))
    reference = Reference("user", 31)
    reading.resolve([written("user", "ada@example.com")])
    assert reading.with_uuid([reference])[reference].uuid == uuid_of(31)
    assert transport.lines == ["GET /users"]


def test_several_records_by_id_or_uuid_take_one_list(transport: FakeTransport) -> None:
    by_id = [Reference("object", 41), Reference("object", 42), Reference("object", 41)]
    found = Reading(client_on(transport)).with_uuid(by_id)
    assert [found[reference].uuid for reference in by_id] == [uuid_of(41), uuid_of(42), uuid_of(41)]
    by_uuid = [(Reference("object", uuid=uuid_of(number)), Reference("object", number)) for number in (41, 42)]
    targets = Reading(client_on(transport)).missing_halves(by_uuid)
    assert all(with_targets(wanted, targets).same(current) for wanted, current in by_uuid)
    assert transport.lines == ["GET /objects", "GET /objects"]
    assert ("filter[asset_uuid][in][]", uuid_of(42)) in transport.calls[1].pairs


def test_one_of_several_that_no_list_shows_is_read_by_itself(transport: FakeTransport) -> None:
    transport.routes[f"GET /object/{uuid_of(43)}"] = answer({"asset_uuid": uuid_of(43), "id": 43})
    pairs = [(Reference("object", uuid=uuid_of(number)), Reference("object", number)) for number in (41, 43)]
    targets = Reading(client_on(transport)).missing_halves(pairs)
    assert all(with_targets(wanted, targets).same(current) for wanted, current in pairs)
    assert transport.lines == ["GET /objects", f"GET /object/{uuid_of(43)}"]


def test_a_wanted_uuid_that_is_none_differs_from_every_id() -> None:
    transport = FakeTransport({f"GET /room/{uuid_of(99)}": by_uuid(None)})
    wanted, current = Reference("room", uuid=uuid_of(99)), Reference("room", 11)
    targets = Reading(client_on(transport)).missing_halves([(wanted, current)])
    assert not with_targets(wanted, targets).same(current)


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_field_that_nothing_can_make_is_an_error_in_check_mode_too(
    check_mode: bool, transport: FakeTransport
) -> None:
    with pytest.raises(InvalidInput, match="emial: no such field in a user; did you mean email"):
        resolve(transport, ("user", {"emial": "x"}), allow_missing=check_mode)


# ---- what instances answer in place of a link

ADA = {"uuid": uuid_of(31), "id": 31, "email": "ada@example.com", "firstname": "Ada", "lastname": "Lovelace"}
BOB = {"uuid": uuid_of(32), "id": 32, "email": "bob@example.com", "display_name": "Bob"}


@pytest.mark.parametrize(
    ("kind", "flat", "names"),
    [
        ("user", ADA, ("ada@example.com", "Ada Lovelace")),
        ("user", BOB, ("bob@example.com", "Bob")),
        ("user", {"display_name": ["Ada", "Lovelace"]}, ("Ada", "Lovelace")),
        ("user", {"firstname": "Ada"}, ("Ada",)),
        ("user", {"lastname": "Lovelace"}, ("Lovelace",)),
        ("user", {}, ()),
        ("person", {"email": "ada@example.com"}, ()),
    ],
)
def test_a_user_may_be_answered_by_its_names(kind: str, flat: JsonMap, names: tuple[str, ...]) -> None:
    assert names_of(Record.from_answer(KINDS[kind], flat)) == names


@pytest.mark.parametrize(("shown", "name"), [("Ada", "Ada"), ("", None), (7, None)])
def test_a_reference_to_a_user_has_the_names_that_an_instance_may_answer(shown: Any, name: str | None) -> None:
    user = Record.from_answer(KINDS["user"], {"uuid": uuid_of(7), "id": 7, "email": "", "display_name": shown})
    found = with_target(Reference("user", id=7), user)
    assert (found.uuid, found.id, found.email, found.display_name) == (uuid_of(7), 7, None, name)
    assert with_target(Reference("user", id=7, display_name="As answered"), user).display_name == "As answered"


def test_a_renter_that_is_a_text_is_the_user_who_is_called_so_or_else_that_text() -> None:
    users = [Record.from_answer(KINDS["user"], user) for user in (ADA, BOB)]
    what, who = renter_of("ADA lovelace", users)
    assert (what, who.target, who.id, who.uuid) == ("user", "user", 31, uuid_of(31))
    assert who.names == ("ada@example.com", "Ada Lovelace")
    assert renter_of(uuid_of(32), users)[1].id == 32
    assert renter_of("Somebody", users) == ("plain", "Somebody")
    with pytest.raises(Ambiguous) as caught:
        renter_of("Bob", [users[1], Record.from_answer(KINDS["user"], {**BOB, "uuid": uuid_of(33)})])
    assert caught.value.message == (
        "renter: 'Bob' may mean 2 users, and the instance does not say which; write renter."
    )


def test_a_reference_in_an_option_knows_its_option() -> None:
    reference = reference_in("object", "object", "0001")
    assert (reference.target, reference.written, reference.location) == ("object", "0001", "object")
    with pytest.raises(InvalidInput) as caught:
        reference_in("keeper", "user", True)
    assert caught.value.message.startswith("keeper: true does not fit; expected a reference to one user: ")
