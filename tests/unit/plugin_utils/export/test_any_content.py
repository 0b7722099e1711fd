# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever an instance contains, its export changes nothing there, in any format.

Labels and values are texts of attackers, words of the file format, and texts that formats or programs take for
something else. Every second instance is in rough weather.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import payloads
import pytest
from exports import contents, export_of
from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.client.attempts import Effect
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS

_FORMATS = ("yaml", "csv", "jsonl", "xlsx")
_SHORT = [text for text in payloads.every() if 0 < len(text) <= 60 and text not in payloads.SURROGATES]
_TYPES = ("TEXT", "TEXT", "LONG_TEXT", "DROPDOWN", "BOOLEAN", "LINKED_ROOM", "LINKED_ASSETS", "MONEY", "DATE")


class _Instance:
    """A random instance: fields with hostile labels, and records with hostile values.

    :ivar keys: template to the keys of its new fields, by type.
    """

    def __init__(self, site: Site, seed: int) -> None:
        self._client = site.client()
        self._chance = random.Random(seed)
        self.keys: dict[str, list[tuple[str, str, Sequence[str]]]] = {}
        for template in ("asset", "room", "person"):
            self.keys[template] = [self._define(template) for _field in range(self._chance.randrange(1, 6))]
        self._make("location", name="N")
        rooms = [self._make("room", building_id=1, number=self._text(), **self._values("room", [], [])) for _ in "ab"]
        objects: list[str] = []
        for barcode in dict.fromkeys(self._text() for _object in range(4)):
            values = self._values("asset", rooms, objects)
            objects.append(self._make("object", barcode=barcode, inventory_name=self._text(), **values))
        self._make("person", email=f"{seed}@acme.example", last_name=self._text(), **self._values("person", rooms, []))

    def _text(self) -> str:
        pool = payloads.FORMAT if self._chance.random() < 0.5 else _SHORT
        return self._chance.choice(pool)

    def _define(self, template: str) -> tuple[str, str, Sequence[str]]:
        kind = self._chance.choice(_TYPES)
        choices = list(dict.fromkeys(self._text() for _choice in range(3))) if kind == "DROPDOWN" else []
        definitions = self._client.definitions(template)
        labels = [self._text(), str(self._chance.choice(definitions)["field_key"]), definitions[-1]["label"]]
        body = {
            "label": self._chance.choices(labels, (8, 1, 1))[0],
            "field_type": {"name": kind, "constraints": []},
            "possible_values": choices,
            **dict.fromkeys(("comment", "default_value")),
            "attributes": [],
            "relations": [],
        }
        self._client.send("POST", f"/asset-tracking/{template}/field-definition", Effect.UNSAFE, body=body)
        self._client.forget_definitions()
        return str(self._client.definitions(template)[-1]["field_key"]), kind, choices

    def _values(self, template: str, rooms: Sequence[str], objects: Sequence[str]) -> dict[str, Any]:
        chance = self._chance
        values: dict[str, Any] = {}
        for key, kind, choices in self.keys[template]:
            samples = {
                "DROPDOWN": choices,
                "BOOLEAN": [True, False],
                "LINKED_ROOM": rooms,
                "LINKED_ASSETS": [[uuid] for uuid in objects],
                "MONEY": [1.89, 1890, 0.5],
                "DATE": ["2024-12-31"],
            }
            found = samples.get(kind, [self._text()])
            if found and chance.random() < 0.8:
                values[key] = chance.choice(found)
        return values

    def _make(self, kind: str, **body: Any) -> str:
        return self._client.create(KINDS[kind], body)


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(200))
def test_an_export_changes_nothing_where_it_comes_from(site: Site, seed: int, tmp_path: Path) -> None:
    _Instance(site, seed)
    if seed % 2:
        site.service.steer("PUT", "/switches", {"weather": "rough"})
    before = site.dump()
    for name in _FORMATS:
        first, second = Site(tmp_path / name, site.service), tmp_path / f"{name} again"
        done = export_of(first, format=name)
        assert not done.get("failed"), done
        plan = first.plan()
        assert (plan.findings, plan.changes, plan.outcome) == ([], [], "unchanged"), name
        assert first.run().outcome == "unchanged", name
        export_of(site, second, format=name)
        assert contents(second) == contents(first.root), name
    assert site.dump() == before
