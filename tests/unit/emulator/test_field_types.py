# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Section 2.1 of the interface: the values of each field type in requests and answers."""

from __future__ import annotations

from typing import Any

import pytest

from .bodies import NOBODY, JsonMap, constraint
from .support import Api

# Type, written value, read value.
SIMPLE: list[tuple[str, Any, Any]] = [
    ("BARCODE", "A-1", "A-1"),
    ("TEXT", "words", "words"),
    ("TEXT", " spaces stay ", " spaces stay "),
    ("TEXT", "0", "0"),
    ("LONG_TEXT", "one\ntwo\r\nthree", "one\ntwo\r\nthree"),
    ("LINK", "https://example.org/?a=1&b=2", "https://example.org/?a=1&b=2"),
    ("DROPDOWN", "red", "red"),
    ("DATE", "2024-02-29", "2024-02-29"),
    ("REMINDER", "2031-12-31", "2031-12-31"),
    ("DATETIME", "2024-02-29T23:59:59+02:00", "2024-02-29T23:59:59+02:00"),
    ("DATETIME", "2024-02-29T00:00:00+00:00", "2024-02-29T00:00:00+00:00"),
    ("DATETIME", "2024-02-29T12:00:00-05:30", "2024-02-29T12:00:00-05:30"),
    ("NUMBER", 0, 0),
    ("NUMBER", -7, -7),
    ("NUMBER", 123456789012, 123456789012),
    ("DECIMAL", 1.23, 1.23),
    ("DECIMAL", -0.5, -0.5),
    ("DECIMAL", 3, 3),
    ("MONEY", 1234.56, 1234.56),
    ("MONEY", 0, 0),
    ("BOOLEAN", True, True),
    ("BOOLEAN", False, False),
]

# Type, rejected value.
WRONG: list[tuple[str, Any]] = [
    ("BARCODE", 5),
    ("BARCODE", ["A-1"]),
    ("TEXT", 5),
    ("TEXT", True),
    ("TEXT", ["words"]),
    ("LONG_TEXT", 1.5),
    ("LINK", 5),
    ("DROPDOWN", 5),
    ("DROPDOWN", ["red"]),
    ("DATE", "29.02.2024"),
    ("DATE", "2024-2-9"),
    ("DATE", "2023-02-29"),
    ("DATE", "2024-02-29T00:00:00+00:00"),
    ("DATE", "2024-02-29 10:00:00"),
    ("DATE", "tomorrow"),
    ("DATE", 20240229),
    ("REMINDER", "31.12.2031"),
    ("REMINDER", "2031-13-01"),
    ("REMINDER", 5),
    ("DATETIME", "2024-02-29"),
    ("DATETIME", "2024-02-29 10:00:00"),
    ("DATETIME", "2024-02-29T10:00:00"),
    ("DATETIME", "2024-02-30T10:00:00+00:00"),
    ("DATETIME", "2024-02-29T25:00:00+00:00"),
    ("DATETIME", 5),
    ("NUMBER", "5"),
    ("NUMBER", 1.5),
    ("NUMBER", True),
    ("NUMBER", [5]),
    ("DECIMAL", "1.23"),
    ("DECIMAL", "x"),
    ("DECIMAL", False),
    ("MONEY", "10"),
    ("MONEY", True),
    ("MONEY", [1]),
    ("BOOLEAN", "yes"),
    ("BOOLEAN", 2),
    ("LINKED_ROOM", "a room"),
    ("LINKED_ROOM", 1.5),
    ("LINKED_ROOM", True),
    ("LINKED_ROOM", {"id": 1, "uuid": NOBODY, "display_name": "x"}),
    ("LINKED_LOCATION", "a location"),
    ("LINKED_PERSON", "a person"),
    ("LINKED_USER", "a user"),
    ("LINKED_USER", [1]),
    ("LINKED_ASSETS", "an asset"),
    ("LINKED_ASSET", [1]),
    ("ATTACHMENT", "not a list"),
    ("ATTACHMENT", ["not a uuid"]),
    ("ATTACHMENT", [5]),
    ("ATTACHMENT", {"uuid": NOBODY}),
]

COLOURS = [constraint("allowed_values", ["red", "green"])]


def field(api: Api, kind: str) -> str:
    options: JsonMap = {"constraints": COLOURS, "possible_values": ["red", "green"]} if kind == "DROPDOWN" else {}
    return str(api.define(kind, **options)["field_key"])


@pytest.mark.parametrize(("kind", "value", "shown"), SIMPLE, ids=repr)
def test_round_trip(api: Api, kind: str, value: Any, shown: Any) -> None:
    key = field(api, kind)
    created = api.create_object(**{key: value})
    assert api.read(f"/object/{created}")[key] == shown
    changed = api.create_object()
    answer = api.patch(f"/object/{changed}", {key: value}).json()
    assert answer[key] == shown
    assert type(answer[key]) is type(shown)
    assert [record[key] for record in api.items("/objects", f"filter[asset_uuid][eq]={changed}")] == [shown]


@pytest.mark.parametrize(("kind", "value"), WRONG, ids=repr)
def test_wrong_value(api: Api, kind: str, value: Any) -> None:
    key = field(api, kind)
    created = api.create_object()
    before = api.read(f"/object/{created}")
    assert api.patch(f"/object/{created}", {key: value}).status_code == 400
    assert api.read(f"/object/{created}") == before
    assert api.post("/object", {"inventory_name": "T", "barcode": "wrong", key: value}).status_code == 400


KINDS = sorted({kind for kind, *_rest in SIMPLE})


@pytest.mark.parametrize("kind", [*KINDS, "LINKED_ROOM", "LINKED_LOCATION", "LINKED_USER", "LINKED_PERSON"])
def test_field_without_a_value(api: Api, kind: str) -> None:
    key = field(api, kind)
    assert api.read(f"/object/{api.create_object()}")[key] is None
    assert api.read(f"/object/{api.create_object(**{key: None})}")[key] is None


@pytest.mark.parametrize(
    ("kind", "value", "_shown"), [SIMPLE[0], SIMPLE[1], SIMPLE[7], SIMPLE[9], SIMPLE[12], SIMPLE[20]], ids=repr
)
def test_null_clears(api: Api, kind: str, value: Any, _shown: Any) -> None:
    key = field(api, kind)
    created = api.create_object(**{key: value})
    assert api.patch(f"/object/{created}", {key: None}).status_code == 200
    assert api.read(f"/object/{created}")[key] is None


# links


def target(api: Api, kind: str) -> tuple[int, str]:
    """Return id and uuid of a record to which a field of this type can link."""
    if kind == "LINKED_USER":
        user = api.items("/users")[0]
        return user["id"], user["uuid"]
    kind_name = {"LINKED_ASSETS": "object", "LINKED_ASSET": "object"}.get(kind, kind.removeprefix("LINKED_").lower())
    created = getattr(api, f"create_{kind_name}")()
    return api.read(f"/{kind_name}/{created}")["id"], created


@pytest.mark.parametrize("by", ["id", "uuid"])
@pytest.mark.parametrize("kind", ["LINKED_ROOM", "LINKED_LOCATION", "LINKED_USER", "LINKED_PERSON", "LINKED_ASSET"])
def test_link(api: Api, kind: str, by: str) -> None:
    key = field(api, kind)
    number, name = target(api, kind)
    created = api.create_object(**{key: number if by == "id" else name})
    link = api.read(f"/object/{created}")[key]
    assert set(link) == {"id", "uuid", "display_name"}
    assert (link["id"], link["uuid"]) == (number, name)
    assert link["display_name"]
    assert api.patch(f"/object/{created}", {key: None}).json()[key] is None


@pytest.mark.parametrize("value", [999999, NOBODY], ids=["id", "uuid"])
@pytest.mark.parametrize("kind", ["LINKED_ROOM", "LINKED_LOCATION", "LINKED_USER", "LINKED_PERSON"])
def test_link_to_nothing(api: Api, kind: str, value: Any) -> None:
    key = field(api, kind)
    created = api.create_object()
    assert api.patch(f"/object/{created}", {key: value}).status_code in (400, 404, 422)
    assert api.read(f"/object/{created}")[key] is None


def test_display_name_follows_the_record(api: Api) -> None:
    room = api.create_room(name="Before")
    created = api.create_object(actual_room=room)
    assert "Before" in api.read(f"/object/{created}")["actual_room"]["display_name"]
    api.patch(f"/room/{room}", {"name": "After"})
    assert "After" in api.read(f"/object/{created}")["actual_room"]["display_name"]


@pytest.mark.parametrize("by", ["id", "uuid"])
def test_linked_assets(api: Api, by: str) -> None:
    key = field(api, "LINKED_ASSETS")
    pairs = [target(api, "LINKED_ASSETS") for _number in range(2)]
    created = api.create_object(**{key: [number if by == "id" else name for number, name in pairs]})
    links = api.read(f"/object/{created}")[key]
    assert [(link["id"], link["uuid"]) for link in links] == pairs
    assert all(set(link) == {"id", "uuid", "display_name"} for link in links)


@pytest.mark.parametrize("by", ["id", "uuid"])
def test_a_single_linked_asset_need_not_be_in_a_list(api: Api, by: str) -> None:
    key = field(api, "LINKED_ASSETS")
    number, other = target(api, "LINKED_ASSETS")
    created = api.create_object(**{key: number if by == "id" else other})
    assert [(link["id"], link["uuid"]) for link in api.read(f"/object/{created}")[key]] == [(number, other)]


# attachments


def test_attachment(api: Api) -> None:
    key = field(api, "ATTACHMENT")
    first, second = api.upload("a.txt", b"a"), api.upload("b.txt", b"bb")
    created = api.create_object(**{key: [first]})
    shown = api.read(f"/object/{created}")[key]
    assert [entry["uuid"] for entry in shown] == [first]
    assert {"uuid", "type", "size", "data_uri", "file_uri", "thumbnail_uri"} <= set(shown[0])
    assert (shown[0]["type"], shown[0]["size"]) == ("text/plain", 1)
    assert all(isinstance(shown[0][name], str) for name in ("data_uri", "file_uri", "thumbnail_uri"))
    replaced = api.patch(f"/object/{created}", {key: [second]}).json()[key]
    assert [(entry["uuid"], entry["size"]) for entry in replaced] == [(second, 2)]
    assert not api.patch(f"/object/{created}", {key: []}).json()[key]


def test_attachment_that_does_not_exist(api: Api) -> None:
    key = field(api, "ATTACHMENT")
    created = api.create_object()
    assert api.patch(f"/object/{created}", {key: [NOBODY]}).status_code in (400, 404, 422)


# Constraints of the definition, a valid value, an invalid value.
CONSTRAINED: list[tuple[str, list[JsonMap], Any, Any]] = [
    ("DROPDOWN", [constraint("allowed_values", ["red", "green"])], "green", "blue"),
    ("DROPDOWN", [constraint("allowed_values", ["red", "green"])], "red", "Red"),
    ("TEXT", [constraint("allowed_values", ["x", "y"])], "x", "z"),
    ("NUMBER", [constraint("min_value", 3)], 3, 2),
    ("NUMBER", [constraint("max_value", 3)], 3, 4),
    ("NUMBER", [constraint("min_value", -1), constraint("max_value", 1)], 0, -2),
    ("DECIMAL", [constraint("min_value", 0)], 0.0, -0.01),
    ("DECIMAL", [constraint("max_value", 1)], 1.0, 1.01),
    ("MONEY", [constraint("max_value", 100)], 99.99, 100.01),
    ("TEXT", [constraint("max_length", 4)], "äöüß", "äöüßx"),
    ("LONG_TEXT", [constraint("max_length", 2)], "ab", "abc"),
    ("TEXT", [constraint("regular_expression", "^[A-Z]{2}-\\d+$")], "AB-12", "ab-12"),
    ("DATE", [constraint("date_format", "Y-m-d")], "2024-02-29", "29.02.2024"),
    ("DATETIME", [constraint("date_time_format", "Y-m-d\\TH:i:sP")], "2024-02-29T10:00:00+00:00", "2024-02-29 10:00"),
]


@pytest.mark.parametrize(("kind", "constraints", "good", "bad"), CONSTRAINED, ids=repr)
def test_constraint(api: Api, kind: str, constraints: list[JsonMap], good: Any, bad: Any) -> None:
    key = api.define(kind, constraints=constraints)["field_key"]
    created = api.create_object(**{key: good})
    assert api.patch(f"/object/{created}", {key: bad}).status_code in (400, 422)
    assert api.read(f"/object/{created}")[key] == good
    assert api.post("/object", {"inventory_name": "T", "barcode": "constrained", key: bad}).status_code in (400, 422)
    assert api.patch(f"/object/{created}", {key: None}).status_code == 200


@pytest.mark.parametrize("template", ["room", "person"])
def test_fields_of_other_templates(api: Api, template: str) -> None:
    key = api.define("NUMBER", template, constraints=[constraint("max_value", 5)])["field_key"]
    created = getattr(api, f"create_{template}")(**{key: 4})
    assert api.read(f"/{template}/{created}")[key] == 4
    assert api.patch(f"/{template}/{created}", {key: 6}).status_code in (400, 422)
    assert api.patch(f"/{template}/{created}", {key: "4"}).status_code == 400
    assert api.post("/object", {"inventory_name": "T", "barcode": "other", key: 4}).status_code == 400
