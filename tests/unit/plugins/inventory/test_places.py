# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rooms, locations and objects as hosts and groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleError, AnsibleParserError
from trust import would_render

from ansible_collections.community.seventhings.plugins.inventory import places

TEMPLATE = "{{ lookup('ansible.builtin.pipe', 'id') }}"


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def location(number: int, name: Any, **fields: Any) -> dict[str, Any]:
    return {"id": number, "location_uuid": uuid(100 + number), "name": name, "city": "Berlin", **fields}


def room(number: int, name: Any, place: Any, **fields: Any) -> dict[str, Any]:
    return {
        "id": number,
        "room_uuid": uuid(200 + number),
        "name": name,
        "number": f"0.{number}",
        "building_id": place,
        **fields,
    }


def thing(number: int, place: Any, **fields: Any) -> dict[str, Any]:
    return {
        "id": number,
        "asset_uuid": uuid(300 + number),
        "inventory_name": f"Laptop {number}",
        "barcode": f"B{number}",
        "target_room": place,
        **fields,
    }


@pytest.fixture
def acme(instance: Any) -> Any:
    """Return two locations, three rooms (one without a location), and two objects."""
    instance.locations = [location(1, "Head office"), location(2, "Depot", city="Hamburg")]
    instance.rooms = [room(1, "Lab", 1), room(2, "Store", 2), room(3, "Van", None)]
    instance.objects = [thing(1, 1, purchasing_price="12.50"), thing(2, None)]
    return instance


# ---- rooms


def test_rooms_stand_in_the_groups_of_their_locations(acme: Any, parse: Any) -> None:
    found = parse()
    assert found.hosts("seventhings_Head_office") == ["Head office/Lab"]
    assert found.hosts("seventhings_Depot") == ["Depot/Store"]
    assert found.hosts("ungrouped") == ["room/Van"]
    assert acme.lists == 2
    assert found.warnings == []


def test_fields_are_variables_with_a_prefix(acme: Any, parse: Any) -> None:
    acme.rooms[0]["seats"] = "12"
    found = parse()
    lab = found.variables("Head office/Lab")
    assert lab["seventhings_name"] == "Lab"
    assert lab["seventhings_seats"] == 12
    assert lab["seventhings_uuid"] == uuid(201)
    assert lab["seventhings_building_id"] == {
        "id": 1,
        "uuid": uuid(101),
        "display_name": "Head office",
    }
    assert lab["seventhings_location_name"] == "Head office"
    assert lab["ansible_connection"] == "local"
    assert would_render(lab["ansible_python_interpreter"])
    assert found.variables("room/Van")["seventhings_location_name"] is None
    assert found.group_variables("seventhings_Depot")["seventhings_city"] == "Hamburg"


def test_the_prefix_is_for_groups_too_and_the_connection_is_left_alone(acme: Any, parse: Any) -> None:
    assert acme.rooms
    found = parse(variable_prefix="site_", connection_local=False)
    lab = found.variables("Head office/Lab")
    assert lab["site_number"] == "0.1"
    assert not [name for name in lab if name.startswith("ansible_")]
    assert found.group_variables("seventhings_Depot")["site_city"] == "Hamburg"
    assert not [name for name in lab if name.startswith("seventhings_")]


@pytest.mark.parametrize(
    "link",
    [
        1,
        "1",
        {"id": 1, "uuid": uuid(101), "display_name": "Head office"},
        {"id": None, "uuid": uuid(101).upper(), "display_name": None},
        uuid(101),
        [1],
    ],
    ids=["id", "id as text", "object", "uuid in an object", "uuid", "list of one"],
)
def test_a_link_joins_in_every_shape(instance: Any, parse: Any, link: Any) -> None:
    instance.locations = [location(1, "Head office")]
    instance.rooms = [room(1, "Lab", link)]
    assert parse().hosts("seventhings_Head_office") == ["Head office/Lab"]


@pytest.mark.parametrize("link", [0, None, "", [], 99], ids=["0", "null", "empty", "list", "gone"])
def test_a_room_without_a_location_has_a_name_of_its_own(instance: Any, parse: Any, link: Any) -> None:
    instance.locations = [location(1, "Head office")]
    instance.rooms = [room(1, "Lab", link)]
    assert parse().hosts("ungrouped") == ["room/Lab"]


def test_locations_are_found_by_what_they_are_answered_with(instance: Any, parse: Any) -> None:
    instance.locations = [
        location(1, "By uuid") | {"id": None},
        location(2, "By id") | {"location_uuid": None},
        location(3, "By neither") | {"id": None, "location_uuid": None},
    ]
    instance.rooms = [room(1, "Lab", uuid(101)), room(2, "Lab", 2)]
    found = parse()
    assert found.hosts("seventhings_By_uuid") == ["By uuid/Lab"]
    assert found.hosts("seventhings_By_id") == ["By id/Lab"]
    assert found.hosts("seventhings_By_neither") == []


def test_nothing_without_a_name_is_lost(instance: Any, parse: Any) -> None:
    instance.locations = [location(1, None)]
    instance.rooms = [room(1, None, 1), room(2, "", 1) | {"number": None}]
    assert parse().hosts("seventhings_location_1") == ["location 1/0.1", "location 1/room 2"]


def test_nothing_is_named_by_a_value_that_can_not_be_read(instance: Any, parse: Any) -> None:
    instance.locations = [location(1, {"de": "Head office"})]
    instance.rooms = [room(1, ["Lab"], 1), room(2, {"de": "Lab"}, 1) | {"number": None}]
    assert parse().hosts("seventhings_location_1") == ["location 1/0.1", "location 1/room 2"]


def test_a_name_is_one_line(instance: Any, parse: Any) -> None:
    instance.locations = [location(1, " Head\n office ")]
    instance.rooms = [room(1, "Lab\t1", 1)]
    assert parse().hosts("seventhings_Head_office") == ["Head office/Lab 1"]


def test_groups_have_names_that_ansible_accepts(instance: Any, parse: Any) -> None:
    instance.locations = [location(1, "1 Main St"), location(2, "2 Main St"), location(3, "Köln-Deutz")]
    found = parse()
    assert {"seventhings_1_Main_St", "seventhings_2_Main_St", "seventhings_Köln_Deutz"} <= set(found.inventory.groups)
    assert found.warnings == []
    assert "_1_Main_St" in parse(group_prefix="").inventory.groups


# ---- names that are taken


@pytest.mark.parametrize("name", ["all", "ungrouped"])
def test_a_location_never_takes_over_a_group_of_ansible(instance: Any, parse: Any, name: str) -> None:
    instance.locations = [location(4, name)]
    instance.rooms = [room(1, "Lab", 4)]
    assert parse().hosts(f"seventhings_{name}") == [f"{name}/Lab"]
    with pytest.raises(AnsibleParserError, match=f"group_prefix: no group can be called '{name}'"):
        parse(group_prefix="")


def test_a_host_is_never_called_like_a_group(instance: Any, parse: Any) -> None:
    instance.locations = [location(1, "Lab")]
    instance.rooms = [room(2, "Lab", None)]
    found = parse(hostname="name", group_prefix="", existing="join")
    assert found.hosts("ungrouped") == ["Lab_2"]
    assert len(found.warnings) == 1


def test_many_clashes_are_one_warning(instance: Any, parse: Any) -> None:
    instance.rooms = [room(number, "Lab", None) for number in range(1, 9)]
    found = parse()
    assert len(found.inventory.hosts) == 8
    assert len(found.warnings) == 1
    assert "and 2 more" in found.warnings[0]


def test_a_suffix_that_is_taken_gives_way(instance: Any, parse: Any) -> None:
    instance.rooms = [room(1, "Lab", None), room(2, "Lab_3", None), room(3, "Lab", None)]
    assert set(parse().inventory.hosts) == {"room/Lab", "room/Lab_3", f"room/Lab_{uuid(203).replace('-', '_')}"}


def test_without_id_and_uuid_a_suffix_is_a_number(instance: Any, parse: Any) -> None:
    nameless = {"id": None, "room_uuid": None}
    instance.rooms = [room(number, "Lab", None) | nameless for number in range(3)]
    assert set(parse().inventory.hosts) == {"room/Lab", "room/Lab_2", "room/Lab_3"}


# ---- locations and objects


def test_locations_as_hosts(acme: Any, parse: Any) -> None:
    found = parse(hosts="locations", keyed_groups=[{"key": "seventhings_city", "prefix": "in"}])
    assert set(found.inventory.hosts) == {"location/Head office", "location/Depot"}
    assert found.hosts("in_Hamburg") == ["location/Depot"]
    assert acme.lists == 1


def test_objects_as_hosts_by_room_and_location(acme: Any, parse: Any) -> None:
    found = parse(hosts="objects")
    assert found.hosts("seventhings_Head_office_Lab") == ["object/B1"]
    assert [child.name for child in found.inventory.groups["seventhings_Head_office"].child_groups] == [
        "seventhings_Head_office_Lab"
    ]
    assert found.hosts("ungrouped") == ["object/B2"]
    laptop = found.variables("object/B1")
    assert (laptop["seventhings_room_name"], laptop["seventhings_location_name"]) == ("Lab", "Head office")
    assert laptop["seventhings_purchasing_price"] == 12.5
    assert found.group_variables("seventhings_Head_office_Lab")["seventhings_number"] == "0.1"
    assert acme.lists == 3


def test_an_object_without_a_room_is_in_its_location(acme: Any, parse: Any) -> None:
    acme.objects = [thing(1, None, target_building=2), thing(2, 1, target_building=2), thing(3, None, site=1)]
    found = parse(hosts="objects")
    assert found.hosts("seventhings_Depot") == ["object/B1"]
    assert found.hosts("seventhings_Head_office_Lab") == ["object/B2"]
    assert found.variables("object/B1")["seventhings_location_name"] == "Depot"
    assert found.variables("object/B1")["seventhings_room_name"] is None
    assert parse(hosts="objects", location_field="site").hosts("seventhings_Head_office") == ["object/B3"]
    # A filter on rooms returns only the objects in these rooms.
    assert list(parse(hosts="objects", filters={"rooms": {"name": "Lab"}}).inventory.hosts) == ["object/B2"]


def test_a_new_object_is_in_its_target_room_until_the_actual_room_is_asked_for(acme: Any, parse: Any) -> None:
    acme.objects = [thing(1, 1, actual_room=2), thing(2, 1, actual_room=None)]
    assert parse(hosts="objects").hosts("seventhings_Head_office_Lab") == ["object/B1", "object/B2"]
    actual = parse(hosts="objects", room_field="actual_room")
    assert actual.hosts("seventhings_Depot_Store") == ["object/B1"]
    assert actual.hosts("ungrouped") == ["object/B2"]


def test_a_room_field_that_no_object_has_is_an_error(acme: Any, parse: Any) -> None:
    assert acme.objects
    with pytest.raises(AnsibleParserError, match="room_field: no object has a link to a room in targetroom"):
        parse(hosts="objects", room_field="targetroom")


@pytest.mark.parametrize(
    ("option", "key", "other"),
    [
        ("room_field", "target_building", "a link to a room in target_building"),
        ("room_field", "barcode", "a link to a room in barcode"),
        ("location_field", "target_room", "a link to a location in target_room"),
    ],
)
def test_a_field_that_links_to_something_else_is_an_error(
    option: str, key: str, other: str, acme: Any, parse: Any
) -> None:
    assert acme.objects
    # The ids of places of both kinds are the same numbers.
    with pytest.raises(AnsibleParserError, match=f"{option}: no object has {other}"):
        parse(hosts="objects", **{option: key})


# ---- filters


def test_what_is_in_a_place_that_is_left_out_is_left_out(acme: Any, parse: Any) -> None:
    acme.objects += [thing(3, 2)]
    only_depot = {"locations": {"city": {"eq": "Hamburg"}}}
    assert list(parse(filters=only_depot).inventory.hosts) == ["Depot/Store"]
    assert list(parse(filters=only_depot, hosts="objects").inventory.hosts) == ["object/B3"]


def test_filters_of_rooms_in_the_language_of_the_info_modules(acme: Any, parse: Any) -> None:
    assert acme.rooms
    assert list(parse(filters={"rooms": {"number": {"in": ["0.1", "0.3"]}}}).inventory.hosts) == [
        "Head office/Lab",
        "room/Van",
    ]


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        ({"floors": {}}, r"filters\.floors: no such kind; expected one of locations, rooms, objects"),
        ({"rooms": "Lab"}, r"filters\.rooms: expected a map"),
        (
            {"locations": {"nmae": "Depot"}},
            r"filters\.locations\.nmae: no such field in a location; did you mean name\?",
        ),
        ({"rooms": {"nam": "Lab"}}, "no such field in a room"),
    ],
)
def test_filters_that_can_not_be_right_are_errors(acme: Any, parse: Any, filters: Any, message: str) -> None:
    assert acme.rooms
    with pytest.raises(AnsibleParserError, match=message):
        parse(filters=filters)


def test_a_filter_without_effect_is_reported(acme: Any, parse: Any) -> None:
    assert acme.rooms
    found = parse(filters={"objects": {"barcode": "B1"}})
    assert found.warnings == ["filters.objects has no effect, because hosts is rooms."]


# ---- hostname


@pytest.mark.parametrize(
    ("hostname", "name"),
    [
        ("number", "0.1"),
        ("seventhings_number", "0.1"),
        (["floor", "name"], "Lab"),
        ("{{ location_name }}, {{ seventhings_number }}", "Head office, 0.1"),
        (["{{ nowhere }}", "{{ seats }}", "{{ name | upper }}"], "LAB"),
        (["nowhere", "{{ nowhere }}"], "Head office/Lab"),
        ([], "Head office/Lab"),
    ],
)
def test_the_first_that_gives_a_name_is_taken(acme: Any, parse: Any, hostname: Any, name: str) -> None:
    acme.rooms = [room(1, "Lab", 1, seats=None)]
    assert parse(hostname=hostname, existing="join").hosts("seventhings_Head_office") == [name]


def test_strict_makes_a_failed_hostname_an_error(acme: Any, parse: Any) -> None:
    assert acme.rooms
    with pytest.raises(AnsibleParserError, match=r"hostname: .*nowhere.* can't be rendered"):
        parse(hostname="{{ nowhere }}", strict=True)


# ---- constructed


def test_constructed_sees_the_host_and_its_groups(acme: Any, parse: Any) -> None:
    assert acme.rooms
    found = parse(
        compose={"label": "seventhings_name ~ ' in ' ~ seventhings_city"},
        groups={"labs": "seventhings_name == 'Lab'", "labelled": "label is defined and 'Hamburg' in label"},
        keyed_groups=[{"key": "seventhings_city", "prefix": "city"}],
    )
    assert found.variables("Head office/Lab")["label"] == "Lab in Berlin"
    assert found.hosts("labs") == ["Head office/Lab"]
    assert found.hosts("labelled") == ["Depot/Store"]
    assert found.hosts("city_Berlin") == ["Head office/Lab"]


def test_a_parent_group_may_be_named_by_any_value(acme: Any, parse: Any) -> None:
    """The field with its name may contain a number in some records."""
    acme.rooms[0]["seats"] = 12
    keyed = [{"key": "seventhings_name", "parent_group": "{{ seventhings_seats }}"}]
    groups = parse(keyed_groups=keyed).inventory.groups
    assert [child.name for child in groups["12"].child_groups] == ["_Lab"]


@pytest.mark.slow
def test_strict_is_for_constructed_too(acme: Any, parse: Any) -> None:
    assert acme.rooms
    with pytest.raises(AnsibleError, match="label"):
        parse(compose={"label": "nowhere ~ ''"}, strict=True)


# ---- cache


@pytest.fixture
def cached(tmp_path: Path) -> dict[str, Any]:
    return {"cache": True, "cache_plugin": "jsonfile", "cache_connection": str(tmp_path / "cache")}


def test_an_empty_answer_is_an_answer(instance: Any, parse: Any, cached: dict[str, Any]) -> None:
    parse(**cached)
    parse(**cached)
    assert instance.lists == 2


def test_a_refresh_reads_and_keeps_anew(acme: Any, parse: Any, cached: dict[str, Any]) -> None:
    parse(**cached)
    acme.rooms = [room(4, "New", 1)]
    assert list(parse(refresh=True, **cached).inventory.hosts) == ["Head office/New"]
    acme.rooms = []
    assert list(parse(**cached).inventory.hosts) == ["Head office/New"]


def test_the_cache_is_for_one_question(acme: Any, parse: Any, cached: dict[str, Any]) -> None:
    parse(**cached)
    acme.lists = 0
    parse(**cached, filters={"rooms": {"name": "Lab"}})
    assert acme.lists == 2
    parse(**cached, hosts="locations")
    assert acme.lists == 3
    parse(**cached, hosts="locations", base_url="https://other.example.com")
    assert acme.lists == 4
    parse(
        **cached,
        hosts="locations",
        base_url="https://other.example.com",
        hostname="city",
        variable_prefix="a_",
        existing="join",
    )
    assert acme.lists == 4


def test_the_cache_is_for_one_account(acme: Any, parse: Any, cached: dict[str, Any]) -> None:
    accounts = [{"username": "all@acme.example"}, {"username": "north@acme.example"}, {"access_token": "tok-1"}]
    for number, account in enumerate(accounts, 1):
        parse(**cached, **account)
        assert acme.lists == 2 * number
        parse(**cached, **account, password="Tr0mbone-Quay")
        assert acme.lists == 2 * number


def test_the_cache_has_no_secret(acme: Any, parse: Any, cached: dict[str, Any], tmp_path: Path) -> None:
    assert acme.rooms
    parse(**cached, password="Tr0mbone-Quay", access_token="tok-Tr0mbone")
    kept = "".join(path.read_text() for path in (tmp_path / "cache").iterdir())
    assert "Lab" in kept
    assert "Tr0mbone" not in kept


# ---- options


def test_options_of_the_connection_may_be_templates(acme: Any, parse: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_PLACES_TOKEN", "tok-1")
    monkeypatch.delenv("SEVENTHINGS_USERNAME", raising=False)
    parse(
        access_token="{{ lookup('env', 'TEST_PLACES_TOKEN') }}",
        username="{{ lookup('env', 'TEST_PLACES_NONE') }}",
        timeout=7,
    )
    assert acme.options["access_token"] == "tok-1"
    assert acme.options["username"] is None
    assert acme.options["timeout"] == 7


def test_values_of_the_environment_are_taken_as_they_are(
    acme: Any, parse: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEVENTHINGS_PASSWORD", "{{ 1 + 1 }}")
    parse()
    assert acme.options["password"] == "{{ 1 + 1 }}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": "{{ nowhere }}"}, "base_url: the template can't be rendered"),
        ({"filters": {"rooms": {"name": "{{ nowhere }}"}}}, "filters: the template can't be rendered"),
        ({"hostnames": "name"}, "hostnames: no such option; did you mean hostname"),
        ({"zzz": 1}, "zzz: no such option"),
        ({"max_pages": 3}, "max_pages: no such option"),
        ({"variable_prefix": "a-"}, "variable_prefix: 'a-' does not fit"),
    ],
)
def test_options_that_can_not_be_right_are_errors(acme: Any, parse: Any, options: Any, message: str) -> None:
    assert acme.rooms
    with pytest.raises(AnsibleParserError, match=message):
        parse(**options)


def test_an_empty_prefix_is_the_users_choice(acme: Any, parse: Any) -> None:
    assert acme.rooms
    assert parse(variable_prefix="").variables("Head office/Lab")["number"] == "0.1"


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("lab.seventhings.yml", True),
        ("seventhings.yaml", True),
        ("lab.yml", False),
        ("seventhings.json", False),
    ],
)
def test_the_end_of_the_file_name_decides(tmp_path: Path, name: str, fits: bool) -> None:
    path = tmp_path / name
    path.write_text("plugin: community.seventhings.places\n")
    assert places.InventoryModule().verify_file(str(path)) is fits
    assert not places.InventoryModule().verify_file(str(tmp_path / "gone" / name))
