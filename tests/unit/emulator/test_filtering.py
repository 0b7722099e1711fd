# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Section 4.8 of the interface: filtering and sorting, every operator in both forms."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from .bodies import FORMS, NOBODY, JsonMap, asset, attribute, code, constraint, in_brackets, in_json
from .support import Api

# The name of the object and its values. Omitted values are null.
OBJECTS: dict[str, dict[str, Any]] = {
    "ant": {"text": "alpha", "number": 0, "decimal": 1.5, "date": "2024-01-01", "flag": True, "colour": "red"},
    "bee": {"text": "beta", "number": 9, "decimal": 10.25, "date": "2024-06-15", "flag": False, "colour": "green"},
    "cat": {"text": "alphabet", "number": 10, "decimal": 2.0, "date": "2024-12-31", "flag": True, "colour": "red"},
    "dog": {"text": "0", "number": -5, "decimal": 0, "date": "2023-12-31", "flag": False},
    "elk": {"text": "", "number": 100, "decimal": 100.5, "date": "2025-02-28"},
    "fox": {"text": "50% of_all", "number": 7, "decimal": -1.5, "date": "2024-06-15"},
    "gnu": {"text": "Beta", "long": "two\nlines, one comma & a ?"},
    "hen": {},
}
TIMES = {
    "ant": "2024-01-01T10:00:00+00:00",
    "bee": "2024-01-01T12:00:00+00:00",
    "cat": "2024-01-02T10:00:00+00:00",
}
TYPES = {
    "text": "TEXT",
    "long": "LONG_TEXT",
    "number": "NUMBER",
    "decimal": "DECIMAL",
    "date": "DATE",
    "time": "DATETIME",
    "flag": "BOOLEAN",
    "colour": "DROPDOWN",
    "files": "ATTACHMENT",
}


class World:
    """The objects above, in a service that also has others."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.mark = code()
        self.keys = {"name": "inventory_name", "room": "actual_room"}
        for name, kind in TYPES.items():
            options: JsonMap = (
                {"constraints": [constraint("allowed_values", ["red", "green"])]} if kind == "DROPDOWN" else {}
            )
            self.keys[name] = api.define(kind, **options)["field_key"]
        self.keys["mark"] = api.define("TEXT")["field_key"]
        self.room = api.create_room(name="Stable")
        file = api.upload()
        self.uuids = {}
        for name, values in OBJECTS.items():
            fields = {self.keys[key]: value for key, value in values.items()}
            if name in TIMES:
                fields[self.keys["time"]] = TIMES[name]
            if name in ("ant", "bee"):
                fields[self.keys["room"]] = self.room
                fields[self.keys["files"]] = [file]
            self.uuids[name] = api.create_object(inventory_name=name, **{self.keys["mark"]: self.mark, **fields})

    def conditions(self, conditions: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
        return {
            self.keys["mark"]: {"eq": self.mark},
            **{self.keys.get(key, key): ops for key, ops in conditions.items()},
        }

    def names(self, query: str) -> list[str]:
        return [record["inventory_name"] for record in self.api.items("/objects", query)]

    def found(self, form: str, conditions: dict[str, dict[str, Any]]) -> str:
        query = FORMS[form](self.conditions(conditions))
        found = sorted(self.names(query))
        assert self.api.count("/objects", query) == len(found)
        assert self.api.read("/objects", query)["total"] == len(found)
        return " ".join(found)


@pytest.fixture(scope="module")
def world(still: Api) -> World:
    return World(still)


EVERYONE = "ant bee cat dog elk fox gnu hen"

# Field, operators, matches.
CASES: list[tuple[str, dict[str, Any], str]] = [
    # one value
    ("text", {"eq": "alpha"}, "ant"),
    ("text", {"eq": "alph"}, ""),
    ("text", {"eq": "beta"}, "bee"),
    ("text", {"eq": "Beta"}, "gnu"),
    ("text", {"eq": "0"}, "dog"),
    ("text", {"eq": "50% of_all"}, "fox"),
    ("text", {"eq": "%"}, ""),
    ("long", {"eq": "two\nlines, one comma & a ?"}, "gnu"),
    ("number", {"eq": 0}, "ant"),
    ("number", {"eq": 10}, "cat"),
    ("number", {"eq": -5}, "dog"),
    ("decimal", {"eq": 1.5}, "ant"),
    ("decimal", {"eq": 2}, "cat"),
    ("decimal", {"eq": -1.5}, "fox"),
    ("date", {"eq": "2024-06-15"}, "bee fox"),
    ("colour", {"eq": "red"}, "ant cat"),
    ("flag", {"eq": True}, "ant cat"),
    ("flag", {"eq": False}, "bee dog"),
    ("name", {"eq": "hen"}, "hen"),
    # The first filter of each pair excludes null, because the interface does not say whether null differs from a value.
    ("text", {"not_null": True, "neq": "alpha"}, "bee cat dog elk fox gnu"),
    ("number", {"not_null": True, "neq": 0}, "bee cat dog elk fox"),
    ("name", {"neq": "ant"}, "bee cat dog elk fox gnu hen"),
    # order
    ("number", {"gt": 9}, "cat elk"),
    ("number", {"gte": 9}, "bee cat elk"),
    ("number", {"lt": 7}, "ant dog"),
    ("number", {"lte": 7}, "ant dog fox"),
    ("number", {"gt": -6}, "ant bee cat dog elk fox"),
    ("number", {"gt_or_null": 9}, "cat elk gnu hen"),
    ("number", {"gte_or_null": 9}, "bee cat elk gnu hen"),
    ("number", {"lt_or_null": 0}, "dog gnu hen"),
    ("number", {"lte_or_null": 0}, "ant dog gnu hen"),
    ("decimal", {"gt": 2}, "bee elk"),
    ("decimal", {"gte": 2}, "bee cat elk"),
    ("decimal", {"lt": 1.5}, "dog fox"),
    ("decimal", {"lte": 1.5}, "ant dog fox"),
    ("decimal", {"gt_or_null": 10.25}, "elk gnu hen"),
    ("date", {"gt": "2024-06-15"}, "cat elk"),
    ("date", {"gte": "2024-06-15"}, "bee cat elk fox"),
    ("date", {"lt": "2024-01-01"}, "dog"),
    ("date", {"lte": "2024-01-01"}, "ant dog"),
    ("date", {"gt_or_null": "2024-12-31"}, "elk gnu hen"),
    ("date", {"gte_or_null": "2024-12-31"}, "cat elk gnu hen"),
    ("date", {"lt_or_null": "2024-01-01"}, "dog gnu hen"),
    ("date", {"lte_or_null": "2024-01-01"}, "ant dog gnu hen"),
    ("time", {"gt": "2024-01-01 10:00:00"}, "bee cat"),
    ("time", {"gte": "2024-01-01 12:00:00"}, "bee cat"),
    ("time", {"lt": "2024-01-01 12:00:00"}, "ant"),
    ("time", {"lte": "2024-01-01 12:00:00"}, "ant bee"),
    ("time", {"eq": "2024-01-01 12:00:00"}, "bee"),
    ("time", {"lt_or_null": "2024-01-01 10:00:00"}, "dog elk fox gnu hen"),
    # a range
    ("date", {"gt": "2024-01-01", "lt": "2024-12-31"}, "bee fox"),
    ("number", {"gte": 0, "lte": 9}, "ant bee fox"),
    ("time", {"gte": "2024-01-01 00:00:00", "lt": "2024-01-02 00:00:00"}, "ant bee"),
    # several values
    ("text", {"like": ["alpha"]}, "ant cat"),
    ("text", {"like": ["bet"]}, "bee cat"),
    ("text", {"like": ["0"]}, "dog fox"),
    ("text", {"like": ["%"]}, "fox"),
    ("text", {"like": ["_"]}, "fox"),
    ("text", {"like": ["f_a"]}, "fox"),
    ("text", {"like": ["zeta"]}, ""),
    ("name", {"not_like": ["n"]}, "bee cat dog elk fox"),
    ("text", {"not_null": True, "not_like": ["alpha"]}, "bee dog elk fox gnu"),
    ("name", {"in": ["ant", "fox", "zebra"]}, "ant fox"),
    ("name", {"in": ["ant"]}, "ant"),
    ("text", {"in": ["alpha", "beta", "0"]}, "ant bee dog"),
    ("text", {"in": ["alph"]}, ""),
    ("number", {"in": [9, 10]}, "bee cat"),
    ("date", {"in": ["2024-06-15", "2025-02-28"]}, "bee elk fox"),
    ("colour", {"in": ["red", "green"]}, "ant bee cat"),
    ("name", {"nin": ["ant", "bee", "cat"]}, "dog elk fox gnu hen"),
    ("number", {"not_null": True, "nin": [9, 10]}, "ant dog elk fox"),
    # presence
    ("text", {"empty": True}, "elk hen"),
    ("text", {"not_empty": True}, "ant bee cat dog fox gnu"),
    ("text", {"null": True}, "hen"),
    ("text", {"not_null": True}, "ant bee cat dog elk fox gnu"),
    ("number", {"empty": True}, "gnu hen"),
    ("number", {"not_empty": True}, "ant bee cat dog elk fox"),
    ("number", {"null": True}, "gnu hen"),
    ("decimal", {"empty": True}, "gnu hen"),
    ("decimal", {"not_null": True}, "ant bee cat dog elk fox"),
    ("date", {"null": True}, "gnu hen"),
    ("date", {"not_empty": True}, "ant bee cat dog elk fox"),
    ("time", {"not_null": True}, "ant bee cat"),
    ("flag", {"null": True}, "elk fox gnu hen"),
    ("flag", {"not_empty": True}, "ant bee cat dog"),
    ("room", {"null": True}, "cat dog elk fox gnu hen"),
    ("room", {"not_empty": True}, "ant bee"),
    ("files", {"empty": True}, "cat dog elk fox gnu hen"),
    ("files", {"not_empty": True}, "ant bee"),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("field", "operators", "expected"), CASES, ids=str)
def test_operator(world: World, form: str, field: str, operators: dict[str, Any], expected: str) -> None:
    assert world.found(form, {field: operators}) == expected


@pytest.mark.parametrize("form", FORMS)
def test_several_fields(world: World, form: str) -> None:
    conditions: JsonMap = {"colour": {"eq": "red"}, "number": {"gt": 5}, "text": {"like": ["alpha"]}}
    assert world.found(form, conditions) == "cat"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("by", ["id", "uuid"])
def test_linked_field(world: World, form: str, by: str) -> None:
    value = world.room if by == "uuid" else world.api.read(f"/room/{world.room}")["id"]
    assert world.found(form, {"room": {"eq": value}}) == "ant bee"


@pytest.mark.parametrize("form", FORMS)
def test_built_in_keys(world: World, form: str) -> None:
    record = world.api.read(f"/object/{world.uuids['cat']}")
    for key in ("id", "asset_uuid", "barcode"):
        assert world.found(form, {key: {"eq": record[key]}}) == "cat"
        assert world.found(form, {key: {"in": [record[key]]}}) == "cat"


def test_presence_needs_no_value(world: World) -> None:
    key, mark = world.keys["text"], in_brackets(world.conditions({}))
    for tail in (
        f"filter[{key}][null]",
        f"filter[{key}][null]=",
        f"filter[{key}][null]=1",
        f"filter[{key}][null]=true",
    ):
        assert world.names(f"{mark}&{tail}") == ["hen"]


@pytest.mark.parametrize("value", [True, "", None, [], 1], ids=repr)
def test_presence_needs_no_value_in_json(world: World, value: Any) -> None:
    assert world.found("json", {"text": {"null": value}}) == "hen"


def test_brackets_may_be_escaped(world: World) -> None:
    query = in_brackets(world.conditions({"name": {"in": ["ant", "bee"]}}))
    escaped = query.replace("[", "%5B").replace("]", "%5D")
    assert sorted(world.names(escaped)) == sorted(world.names(query)) == ["ant", "bee"]


def test_time_with_a_plus(world: World) -> None:
    mark, key = in_brackets(world.conditions({})), world.keys["time"]
    assert sorted(world.names(f"{mark}&filter[{key}][gte]=2024-01-01+12:00:00")) == ["bee", "cat"]
    assert sorted(world.names(f"{mark}&filter[{key}][gte]=2024-01-01%2012:00:00")) == ["bee", "cat"]


def test_list_operators_take_one_value_in_json(world: World) -> None:
    assert world.found("json", {"text": {"like": "alpha"}}) == "ant cat"
    assert world.found("json", {"name": {"in": "ant"}}) == "ant"


def test_empty_filter(world: World) -> None:
    everything = world.api.count("/objects")
    assert world.api.count("/objects", "filter=" + quote("{}")) == everything
    assert world.api.read("/objects", "filter=" + quote("{}"))["total"] == everything


@pytest.mark.parametrize(
    "query",
    [
        "filter[inventory_name]=x",
        "filter[inventory_name][]=x",
        "filter[inventory_name][is]=x",
        "filter[inventory_name][EQ]=x",
        "filter[no_such_field][eq]=x",
        "filter[inventory_name][eq][deep]=x",
        "filter=x",
        "filter=5",
        "filter=[]x",
        "filter=" + quote('{"inventory_name": "x"}'),
        "filter=" + quote('{"inventory_name": {"is": "x"}}'),
        "filter=" + quote('{"inventory_name": {"eq": ["x"]}}'),
        "filter=" + quote('{"inventory_name": {"eq": {"x": 1}}}'),
        "filter=" + quote('{"no_such_field": {"eq": "x"}}'),
        "filter=" + quote('{"inventory_name": {"eq": "x"}'),
        "filter=" + quote('["inventory_name"]'),
    ],
)
@pytest.mark.parametrize("path", ["/objects", "/objects/count"])
def test_wrong_filter(world: World, path: str, query: str) -> None:
    assert world.api.get(path, query).status_code == 400


@pytest.mark.parametrize(
    ("field", "value"),
    [("number", "x"), ("decimal", "1,5"), ("date", "15.06.2024"), ("date", "x"), ("time", "yesterday")],
)
def test_operand_of_another_type(world: World, field: str, value: str) -> None:
    query = in_brackets({world.keys[field]: {"gt": value}})
    assert world.api.get("/objects", query).status_code == 400


# sorting


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("name:ASC", "ant bee cat dog elk fox"),
        ("name:DESC", "fox elk dog cat bee ant"),
        ("number:ASC", "dog ant fox bee cat elk"),
        ("number:DESC", "elk cat bee fox ant dog"),
        ("decimal:ASC", "fox dog ant cat bee elk"),
        ("decimal:DESC", "elk bee cat ant dog fox"),
        ("date:ASC name:DESC", "dog ant fox bee cat elk"),
        ("date:DESC name:ASC", "elk cat bee fox ant dog"),
        ("date:ASC number:ASC", "dog ant fox bee cat elk"),
        ("date:ASC number:DESC", "dog ant bee fox cat elk"),
    ],
)
def test_sort(world: World, sort: str, expected: str) -> None:
    mark = in_brackets(world.conditions({"number": {"not_null": True}}))
    parts = [part.split(":") for part in sort.split()]
    query = "&".join(f"sort[{world.keys[key]}]={direction}" for key, direction in parts)
    assert " ".join(world.names(f"{mark}&{query}")) == expected
    escaped = query.replace("[", "%5B").replace("]", "%5D")
    assert " ".join(world.names(f"{mark}&{escaped}")) == expected


def test_sort_with_a_filter_in_json(world: World) -> None:
    query = in_json(world.conditions({"name": {"in": ["ant", "bee", "cat"]}}))
    assert world.names(f"{query}&sort[inventory_name]=DESC") == ["cat", "bee", "ant"]


def test_sort_goes_over_pages(world: World) -> None:
    query = in_brackets(world.conditions({})) + "&sort[inventory_name]=DESC&per_page=3"
    pages = [world.names(f"{query}&page={page}") for page in (1, 2, 3, 4)]
    assert pages == [["hen", "gnu", "fox"], ["elk", "dog", "cat"], ["bee", "ant"], []]


@pytest.mark.parametrize(
    "query", ["sort[inventory_name]=UP", "sort[inventory_name]=", "sort[no_such_field]=ASC", "sort=x"]
)
def test_wrong_sort(world: World, query: str) -> None:
    assert world.api.get("/objects", query).status_code == 400


# the other lists


@pytest.mark.parametrize("form", FORMS)
def test_locations(world: World, form: str) -> None:
    api, mark = world.api, code()
    for city in ("Ulm", "Bonn", "Kiel"):
        api.create_location(name=f"{mark} {city}", city=city)
    query = FORMS[form]({"name": {"like": [mark]}, "city": {"nin": ["Kiel"]}})
    assert [site["city"] for site in api.items("/locations", f"{query}&sort[city]=ASC")] == ["Bonn", "Ulm"]
    assert api.count("/locations", query) == 2


@pytest.mark.parametrize("form", FORMS)
def test_rooms(world: World, form: str) -> None:
    api, mark = world.api, code()
    sites = [api.create_location(name=f"{mark} {number}") for number in range(2)]
    rooms = [api.create_room(name=f"{mark} {number}", building_id=sites[number % 2]) for number in range(4)]
    number = api.read(f"/location/{sites[1]}")["id"]
    query = FORMS[form]({"building_id": {"eq": number}})
    assert [room["room_uuid"] for room in api.items("/rooms", f"{query}&sort[name]=DESC")] == [rooms[3], rooms[1]]
    assert api.count("/rooms", query) == 2


@pytest.mark.parametrize("path", ["/rooms", "/locations", "/persons", "/rental-management/rental-cases"])
def test_wrong_filter_of_other_lists(world: World, path: str) -> None:
    for query in (
        "filter[no_such_field][eq]=x",
        "filter[id][is]=1",
        "filter[id]=1",
        "sort[no_such_field]=ASC",
        "filter=x",
    ):
        assert world.api.get(path, query).status_code == 400, query


@pytest.mark.parametrize("path", ["/circularity-hub/items", "/circularity-hub/orders"])
def test_wrong_filter_of_the_hub(world: World, path: str) -> None:
    for query in ("filter[id][is]=1", "filter[id]=1", "filter=x", "sort[id]=UP"):
        assert world.api.get(path, query).status_code == 400, query


@pytest.mark.parametrize("operator", ["eq", "in"])
def test_rental_cases_by_status(world: World, operator: str) -> None:
    api, mark = world.api, code()
    created = api.create_rental_case(title=mark, status="rejected", references=[asset(world.uuids["ant"])])
    value: Any = "rejected" if operator == "eq" else ["rejected", "completed"]
    query = in_brackets({"title": {"eq": mark}, "status": {operator: value}})
    assert [case["uuid"] for case in api.items("/rental-management/rental-cases", query)] == [created]


def test_suggestion(world: World) -> None:
    conditions = {"filter": world.conditions({"number": {"gte": 9}})}
    found = world.api.post("/circularity-hub/suggest-category", conditions).json()
    assert set(found) == {world.uuids[name] for name in ("bee", "cat", "elk")}


def test_hidden_objects_are_not_found(world: World) -> None:
    mark = code()
    created = world.api.create_object(inventory_name=mark)
    world.api.post(f"/object/{created}/archive")
    assert world.names(in_brackets({"inventory_name": {"eq": mark}})) == []
    assert world.api.count("/objects", in_brackets({"asset_uuid": {"in": [created, NOBODY]}})) == 0


def test_label_is_no_key(world: World) -> None:
    label = world.api.define("TEXT", label="Plain label", attributes=[attribute("form_group", "x")])["label"]
    assert world.api.get("/objects", in_brackets({quote(label): {"eq": "x"}})).status_code == 400
