# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Section 4.8 of the interface: filtering and sorting, every operator in both forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from .bodies import FORMS, JsonMap, code, in_brackets
from .support import Api

TABLE = yaml.safe_load(Path(__file__).with_name("filter_table.yml").read_text("utf-8"))


class World:
    """The objects of the table, in a service that also has others."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.mark = code()
        room = api.create_room(name="Stable")
        self._known = {"$room": room, "$room_id": api.read(f"/room/{room}")["id"], "$file": api.upload()}
        for fields in TABLE["objects"]:
            name = fields["inventory_name"]
            uuid = api.create_object(**self._filled(fields), inventory_group=self.mark, barcode=f"{self.mark}{name}")
            number = api.read(f"/object/{uuid}")["id"]
            self._known |= {f"${name}": f"{self.mark}{name}", f"${name}_uuid": uuid, f"${name}_id": number}

    def _filled(self, value: Any) -> Any:
        """Return a part of the table with the identifiers of this service."""
        text = json.dumps(value)
        for name, known in self._known.items():
            text = text.replace(f'"{name}"', json.dumps(known))
        return json.loads(text)

    def conditions(self, row: JsonMap) -> JsonMap:
        """Return the conditions of a row, for the objects of the table alone."""
        own = {key: operators for key, operators in self._filled(row).items() if key != "finds"}
        return {"inventory_group": {"eq": self.mark}, **own}

    def names(self, query: str) -> str:
        found = self.api.read("/objects", query)
        assert self.api.count("/objects", query.partition("&sort")[0]) == found["total"] == len(found["items"])
        return " ".join(record["inventory_name"] for record in found["items"])


@pytest.fixture(scope="module")
def world(still: Api) -> World:
    return World(still)


@pytest.mark.sample(1000)
@pytest.mark.parametrize("row", TABLE["filters"], ids=str)
def test_operator(world: World, row: JsonMap) -> None:
    for form in FORMS.values():
        assert world.names(f"{form(world.conditions(row))}&sort[inventory_name]=ASC") == row["finds"]


@pytest.mark.sample(1000)
@pytest.mark.parametrize("row", TABLE["orders"], ids=str)
def test_order(world: World, row: JsonMap) -> None:
    mark = in_brackets(world.conditions({"quantity": {"not_null": True}}))
    order = "&".join(f"sort[{key}]={direction}" for key, direction in row.items() if key != "finds")
    for query in (order, order.replace("[", "%5B").replace("]", "%5D")):
        assert world.names(f"{mark}&{query}") == row["finds"]
