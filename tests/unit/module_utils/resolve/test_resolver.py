# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The resolver by itself: its questions to an index, and its messages about references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, Kind
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import FieldError, Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference, parse_reference
from ansible_collections.community.seventhings.plugins.module_utils.resolve.references import (
    Question,
    Unresolved,
    Why,
    at,
    reference_in,
    with_target,
    with_targets,
)
from ansible_collections.community.seventhings.plugins.module_utils.resolve.references import resolve as resolution

from ..support import uuid_of

DEFINED = {
    "object": (Field("barcode", "BARCODE"), Field("room", "LINKED_ROOM"), Field("parts", "LINKED_ASSETS")),
    "location": (Field("name", "TEXT"), Field("keeper", "LINKED_USER")),
    "user": (Field("email", "TEXT"), Field("phone", "TEXT")),
    "person": (Field("email", "TEXT"), Field("room", "LINKED_ROOM")),
}


@dataclass(frozen=True)
class Coming:
    """A record that is still to be created."""

    place: str


@dataclass
class Known:
    """An index with prepared answers, which records its questions. Ways to read one name are sorted.

    :ivar meanings: a question, as :func:`short` prints it, to its targets.
    :ivar gone: kind and text of a reference to the reason why its target is gone.
    """

    meanings: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    named: Mapping[str, list[str]] = field(default_factory=dict)
    gone: Mapping[tuple[str, str], str] = field(default_factory=dict)
    unknown: Mapping[int, str] = field(default_factory=dict)
    asked: list[tuple[str, list[list[str]]]] = field(default_factory=list)
    schemas: list[str] = field(default_factory=list)
    why_removed_calls: list[list[str]] = field(default_factory=list)

    def schema(self, kind: Kind) -> Schema:
        self.schemas.append(kind.name)
        return Schema(kind, DEFINED[kind.name])

    def find(self, kind: Kind, questions: Sequence[Sequence[Question]]) -> list[list[Any]]:
        self.asked.append((kind.name, [sorted(map(short, ways)) for ways in questions]))
        return [[hit for question in ways for hit in self.meanings.get(short(question), ())] for ways in questions]

    def path_of(self, record: Record) -> str | None:
        return None

    def why_removed(self, kind: Kind, questions: Sequence[Question], written: Any) -> str:
        self.why_removed_calls.append(sorted(map(short, questions)))
        return self.gone.get((kind.name, str(written)), "")

    def why_unknown(self, reference: Reference) -> str:
        return self.unknown.get(reference.id or 0, "")

    def names(self, kind: Kind) -> list[str]:
        return self.named.get(kind.name, [])


def short(question: Question) -> str:
    """Return a question on one line, such as ``room: building_id=1 number=0.12``.

    A reference is shown by its target.
    """
    values = {key: question.values[key] for key in question.keys}
    parts = [f"{key}={_meaning(value)}" for key, value in values.items()]
    return f"{question.schema.kind.name}: {' '.join(parts)}"


def _meaning(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_meaning(item) for item in value]
    if isinstance(value, Reference):
        return value.id if value.pending is None else value.pending.place
    return value


def record(kind: str, number: int, **flat: Any) -> Record:
    return Record(KINDS[kind], uuid_of(number), number, flat)


def ref(kind: str, value: Any, location: str = "") -> Reference:
    reference: Reference = parse_reference(kind)(value, Field("f", "LINK"))
    return replace(reference, location=location)


def resolve(source: Known, *references: Reference) -> list[Unresolved]:
    return [*resolution(references, source).unresolved]


def resolved(source: Known, *references: Reference) -> list[Reference]:
    """Return references with their targets; all must have one."""
    found = resolution(references, source)
    assert not found.unresolved
    return [with_targets(reference, found.targets) for reference in references]


HEAD, DEPOT = record("location", 1), record("location", 2)
ROOM = record("room", 11)
SHED = Coming("locations.yml:3:3")


# ---- what is asked


def test_a_name_is_asked_for_by_the_labels_of_its_kind() -> None:
    source = Known({"location: name=Depot": [DEPOT], "room: name=Hall": [ROOM]})
    place, room = ref("location", "Depot"), ref("room", "Hall")
    room, place = resolved(source, room, place)
    assert source.asked == [
        ("location", [["location: name=Depot"]]),
        ("room", [["room: name=Hall", "room: number=Hall"]]),
    ]
    assert (place.id, place.uuid, room.id, room.uuid) == (2, uuid_of(2), 11, uuid_of(11))
    assert source.schemas == []


def test_a_path_is_asked_for_in_every_way_to_read_it() -> None:
    source = Known(
        {"location: name=A": [HEAD], "location: name=A/B": [DEPOT, SHED], "room: building_id=2 name=C": [ROOM]}
    )
    room = ref("room", "A/B/C")
    [room] = resolved(source, room)
    assert source.asked == [
        ("location", [["location: name=A"], ["location: name=A/B"]]),
        (
            "room",
            [
                [
                    "room: building_id=1 name=B/C",
                    "room: building_id=1 number=B/C",
                    "room: building_id=2 name=C",
                    "room: building_id=2 number=C",
                    f"room: building_id={SHED.place} name=C",
                    f"room: building_id={SHED.place} number=C",
                ]
            ],
        ),
    ]
    assert room.id == 11


def test_places_in_paths_are_resolved_after_referenced_places() -> None:
    meanings = {"location: name=A": [HEAD], "location: name=B": [DEPOT], "room: building_id=2 number=1": [ROOM]}
    place, room = ref("location", "A"), ref("room", "B/1")
    source = Known(meanings)
    place, room = resolved(source, place, room)
    assert source.asked[0] == ("location", [["location: name=A"], ["location: name=B"]])
    assert (place.id, room.id) == (1, 11)


def test_a_place_in_a_path_is_known_to_be_a_place() -> None:
    places: list[Any] = []

    class Kept(Known):
        def find(self, kind: Kind, questions: Sequence[Sequence[Question]]) -> list[list[Any]]:
            places.extend(value for ways in questions for question in ways for value in question.values.values())
            return super().find(kind, questions)

    resolve(Kept({"location: name=A": [HEAD]}), ref("room", "A/1"))
    assert Reference("location", 1, uuid_of(1)) in places


def test_what_only_looks_like_a_path_asks_for_no_place() -> None:
    source = Known()
    resolve(source, ref("location", "A/B"), ref("person", "c/d"))
    assert source.asked == [("location", [["location: name=A/B"]]), ("person", [["person: email=c/d"]])]


def test_nothing_is_asked_where_all_is_resolved() -> None:
    to_come = replace(ref("room", "A/1"), pending=SHED)
    source = Known()
    assert resolve(source, ref("room", 3), to_come) == []
    assert source.asked == []


def test_what_is_behind_a_resolved_reference_is_resolved_too() -> None:
    to_come = replace(ref("location", "A"), pending=SHED)
    source = Known({"location: name=Depot": [DEPOT]})
    last = resolved(source, to_come, ref("room", 3), ref("location", "Depot"))[-1]
    assert last.id == 2
    assert source.asked == [("location", [["location: name=Depot"]])]


def test_a_reference_to_a_planned_record_is_pending() -> None:
    [place] = resolved(Known({"location: name=Shed": [SHED]}), ref("location", "Shed"))
    assert (place.pending, place.resolved) == (SHED, False)


def test_a_referenced_user_gets_its_names() -> None:
    ada = Record(KINDS["user"], "", 31, {"email": "ada@example.com"})
    [user] = resolved(Known({"user: email=ada@example.com": [ada]}), ref("user", "ada@example.com"))
    assert (user.id, user.uuid, user.names) == (31, None, ("ada@example.com",))


# ---- maps


def test_references_in_maps_are_resolved_before_their_maps() -> None:
    source = Known(
        {
            "location: name=Depot": [DEPOT],
            "room: number=1 building_id=2": [ROOM],
            "object: room=11": [record("object", 42)],
        }
    )
    thing = ref("object", {"room": {"number": "1", "building_id": {"name": "Depot"}}})
    [lookup] = resolution([thing], source).lookups
    assert source.asked == [
        ("location", [["location: name=Depot"]]),
        ("room", [["room: number=1 building_id=2"]]),
        ("object", [["object: room=11"]]),
    ]
    assert lookup.target.id == 42
    [(key, room)] = lookup.inner
    assert (key, room.target.id) == ("room", 11)
    [(key, place)] = room.inner
    assert (key, place.target, place.inner) == ("building_id", DEPOT, [])
    assert source.schemas == ["object"]


def test_a_record_may_be_known_by_others_of_its_kind() -> None:
    parts = {"object: barcode=7": [record("object", 41)], "object: barcode=8": [record("object", 42)]}
    source = Known({**parts, "object: parts=[41, 42]": [record("object", 43)]})
    [thing] = resolved(source, ref("object", {"parts": ["7", "8"]}))
    assert source.asked == [
        ("object", [["object: barcode=7"], ["object: barcode=8"]]),
        ("object", [["object: parts=[41, 42]"]]),
    ]
    assert thing.id == 43


def test_definitions_are_read_only_for_fields_beyond_the_natural_key() -> None:
    source = Known()
    resolve(source, ref("room", {"number": "1", "name": "x"}), ref("person", {"email": "a@example.com"}))
    assert source.schemas == []
    resolve(source, ref("user", {"email": "a@example.com", "phone": "1"}))
    assert source.schemas == ["user"]


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("objects[0].room", "objects[0].room: reference to a room: building_id"),
        ("", "reference to a room: building_id"),
    ],
)
def test_a_reference_in_a_map_knows_where_it_was_written(location: str, expected: str) -> None:
    room = ref("room", {"building_id": "Depot", "number": "1"}, location)
    [lookup] = resolution([room], Known()).lookups
    [(_key, place)] = lookup.inner
    assert place.reference.location == expected


@pytest.mark.parametrize("kind", ["user", "room"])
def test_a_value_that_does_not_fit_is_reported_and_nothing_is_asked(kind: str) -> None:
    key = KINDS[kind].labels[0]
    odd, other = ref(kind, {key: 9}), ref("location", "Depot")
    source = Known({"location: name=Depot": [DEPOT]})
    found = resolution((odd, other), source)
    [problem] = found.unresolved
    assert problem.reference is odd
    assert (problem.why, problem.name, problem.nearest) == (Why.UNFIT, key, ())
    assert problem.words.startswith(f"{key}: 9 does not fit; expected ")
    assert source.asked == []
    assert found.targets == {}


@pytest.mark.parametrize(
    ("kind", "why", "asked"),
    [
        ("person", Why.UNKNOWN_FIELD, ["location"]),
        ("location", Why.UNKNOWN_FIELD, ["location"]),
        ("user", Why.UNFIT, []),
    ],
)
def test_a_field_that_is_not_known_may_come_where_fields_do(kind: str, why: Why, asked: list[str]) -> None:
    odd, other = ref(kind, {"emial": "x", "extra": "y"}), ref("location", "Depot")
    source = Known({"location: name=Depot": [DEPOT]})
    found = resolution((odd, other), source)
    problems = found.unresolved
    assert [(problem.reference, problem.why, problem.name) for problem in problems] == [
        (odd, why, "emial"),
        (odd, why, "extra"),
    ]
    assert all(
        problem.words.startswith(f"{problem.name}: no such field in {KINDS[kind].singular}") for problem in problems
    )
    assert [name for name, _questions in source.asked] == asked
    assert found.targets == ({other: DEPOT} if asked else {})


def test_what_refers_to_nothing_is_not_looked_for() -> None:
    source = Known({"room: number=9": [ROOM]})
    lost, found = ref("room", {"building_id": "Nowhere", "number": "1"}), ref("room", {"number": "9"})
    outer = ref("object", {"room": {"building_id": "Nowhere", "number": "1"}})
    resolved_now = resolution((lost, found, outer), source)
    problems = resolved_now.unresolved
    assert [(problem.reference.target, problem.why, problem.words) for problem in problems] == [
        ("location", Why.MISSING, "there is no location 'Nowhere'"),
        ("location", Why.MISSING, "there is no location 'Nowhere'"),
    ]
    assert source.asked == [
        ("location", [["location: name=Nowhere"], ["location: name=Nowhere"]]),
        ("room", [["room: number=9"]]),
    ]
    assert resolved_now.targets == {found: ROOM}


def test_a_map_with_an_unknown_id_is_not_looked_up() -> None:
    source = Known(unknown={7: "there is no location with the id 7", 8: "there is no room with the id 8"})
    place, eight = ref("location", "Depot"), ref("room", 8)
    problems = resolve(source, eight, ref("room", {"building_id": 7, "number": "1"}), place)
    assert problems[:2] == [
        Unresolved(eight, Why.MISSING, "there is no room with the id 8"),
        Unresolved(Reference("location", 7, written=7), Why.MISSING, "there is no location with the id 7"),
    ]
    assert [problem.reference for problem in problems[2:]] == [place]
    assert [kind for kind, _questions in source.asked] == ["location"]


def test_what_refers_to_a_field_that_is_not_known_is_not_looked_for() -> None:
    source = Known()
    [problem] = resolve(source, ref("object", {"room": {"building_id": {"nmae": "x"}, "number": "1"}}))
    assert (problem.reference.target, problem.why, problem.name) == ("location", Why.UNKNOWN_FIELD, "nmae")
    assert source.asked == []


@pytest.mark.parametrize("answers", [0, 2])
@pytest.mark.parametrize(("kind", "value"), [("location", "Depot"), ("room", "Hall/1")])
def test_a_source_must_answer_every_question_once(kind: str, value: str, answers: int) -> None:
    class Sloppy(Known):
        def find(self, _kind: Kind, _questions: Sequence[Sequence[Question]]) -> list[list[Any]]:
            return [[] for _answer in range(answers)]

    with pytest.raises(ValueError, match="zip"):
        resolve(Sloppy(), ref(kind, value))


# ---- what is said


def test_all_possible_targets_are_named() -> None:
    place = ref("location", "Depot")
    hits = [SHED, DEPOT, HEAD, Coming("locations.yml:9:3")]
    assert resolve(Known({"location: name=Depot": hits}), place) == [
        Unresolved(
            place,
            Why.AMBIGUOUS,
            f"4 locations have the natural key 'Depot': {uuid_of(1)}, {uuid_of(2)}, "
            "the one at locations.yml:3:3, the one at locations.yml:9:3",
        )
    ]
    assert not place.resolved


def test_what_lost_its_meaning_says_why() -> None:
    room = ref("room", "Hall")
    source = Known(gone={("room", "Hall"): "it was renamed"}, named={"room": ["Hall"]})
    assert resolve(source, room) == [Unresolved(room, Why.MISSING, "it was renamed", is_explained=True)]
    assert source.why_removed_calls == [["room: name=Hall", "room: number=Hall"]]


def test_a_path_says_why_its_place_lost_its_meaning() -> None:
    room = ref("room", "Depot/Hall")
    source = Known(gone={("location", "Depot"): "it was renamed"})
    assert resolve(source, room) == [Unresolved(room, Why.MISSING, "it was renamed", is_explained=True)]
    assert source.why_removed_calls[1:] == [["location: name=Depot"]]


@pytest.mark.parametrize("written", [{"number": "Hall"}, "Hall"])
def test_what_is_no_path_has_no_place_that_lost_its_meaning(written: Any) -> None:
    source = Known(gone={("location", "Hall"): "it was renamed"})
    (unresolved,) = resolve(source, ref("room", written))
    assert (unresolved.why, len(source.why_removed_calls)) == (Why.MISSING, 1)
    assert "renamed" not in unresolved.words


@pytest.mark.parametrize(
    ("flat", "email", "name"),
    [
        ({"email": "ada@acme.example", "display_name": "Ada"}, "ada@acme.example", "Ada"),
        ({}, None, None),
        ({"email": "", "display_name": ""}, None, None),
        ({"email": None, "display_name": 7}, None, None),
    ],
)
def test_a_user_is_filled_in_with_the_names_that_an_instance_may_answer(
    flat: dict[str, Any], email: str | None, name: str | None
) -> None:
    reference = with_target(Reference("user", id=7), Record(KINDS["user"], uuid_of(7), 7, flat))
    assert (reference.uuid, reference.id, reference.email, reference.display_name) == (uuid_of(7), 7, email, name)
    answered = Reference("user", id=7, display_name="As it was answered")
    filled = with_target(answered, Record(KINDS["user"], uuid_of(7), 7, flat))
    assert filled.display_name == "As it was answered"


@pytest.mark.parametrize(
    ("kind", "value", "names", "nearest"),
    [
        ("location", "Depto", ["Depot", "Harbour"], ("Depot",)),
        ("location", "Somewhere quite far away/Depto", ["Depot"], ()),
        ("location", "Depto", [], ()),
        ("location", {"name": "Depto"}, ["Depot"], ()),
        ("room", "Somewhere else/Hlal", ["Hall", "Xyz"], ("Hall",)),
        ("room", "Depto/H", ["Depot/H", "H"], ("Depot/H",)),
        ("room", "Another place/Far away/Hlal", ["Hall"], ("Hall",)),
        ("room", "Another place/Nothing", ["Hall"], ()),
    ],
)
def test_the_nearest_names_are_reported(kind: str, value: Any, names: list[str], nearest: tuple[str, ...]) -> None:
    reference = ref(kind, value)
    other = "room" if kind == "location" else "location"
    source = Known(named={kind: names, other: ["Depot", "Hall", "Hlal"]})
    word = KINDS[kind].words
    expected = Unresolved(reference, Why.MISSING, f"there is no {word} {value!r}", nearest=nearest)
    assert resolve(source, reference) == [expected]


@pytest.mark.parametrize(
    ("kind", "written", "parts"),
    [
        ("room", "Plant/Hall ", {"Hall ": "ends with a space"}),
        ("room", "Plant / Hall", {"Plant ": "ends with a space", " Hall": "begins with a space"}),
        ("location", " Plant", {" Plant": "begins with a space"}),
        ("location", "Plant / Hall", {}),
        ("location", {"name": " Plant "}, {" Plant ": "begins and ends with a space"}),
    ],
)
def test_a_blank_at_the_edge_of_a_part_of_a_name_is_mentioned(kind: str, written: Any, parts: dict[str, str]) -> None:
    (problem,) = resolve(Known(), ref(kind, written))
    words = [f"{part!r} {blank}" for part, blank in parts.items()]
    assert problem.words == "; ".join([f"there is no {kind} {written!r}", *words])
    causes = [f"its name has a part that {blank}" for blank in parts.values()]
    assert problem.cause == "; ".join([f"there is no such {kind}", *causes])


def test_the_cause_of_a_problem_does_not_contain_the_value() -> None:
    words = FieldError.unfit((), "room", 7, "there is no room with this id")
    eight = "there is no room with the id 8"
    problems = resolve(Known(unknown={7: words, 8: eight}), ref("room", 7), ref("room", 8))
    assert [problem.cause for problem in problems] == ["there is no room with this id", eight]


# ---- a reference by itself


def test_a_reference_says_where_it_was_written() -> None:
    assert at(Reference("room", location="rooms[1]")) == "rooms[1]: "
    assert at(Reference("room")) == ""


@pytest.mark.parametrize("value", [True, {"id": 0}, ""])
def test_what_is_no_reference_is_reported_with_its_option(value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        reference_in("keeper", "user", value)
    shown = value if isinstance(value, bool) else repr(value)
    assert caught.value.message == (
        f"keeper: {shown} does not fit; expected a reference to one user: "
        "its natural key as text, its uuid, its integer id, or a map of field keys"
    )
