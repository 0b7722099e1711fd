# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory plugin in this process, on an instance that is a few lists in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible import constants
from ansible.inventory.data import InventoryData
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.doc_fragments.constructed import ModuleDocFragment as Constructed
from ansible.plugins.doc_fragments.inventory_cache import ModuleDocFragment as InventoryCache

from ansible_collections.community.seventhings.plugins.doc_fragments.connection_plugin import (
    ModuleDocFragment as Connection,
)
from ansible_collections.community.seventhings.plugins.inventory import places
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Transport
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import Kind
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema

_TYPES = {
    "room": {"name": "TEXT", "number": "TEXT", "building_id": "LINKED_LOCATION", "seats": "NUMBER"},
    "asset": {
        "inventory_name": "TEXT",
        "barcode": "BARCODE",
        "actual_room": "LINKED_ROOM",
        "target_room": "LINKED_ROOM",
        "purchasing_price": "MONEY",
    },
}


@dataclass
class Instance:
    """An instance in memory. ``lists`` counts how often a complete list was requested."""

    locations: list[dict[str, Any]] = field(default_factory=list)
    rooms: list[dict[str, Any]] = field(default_factory=list)
    objects: list[dict[str, Any]] = field(default_factory=list)
    lists: int = 0
    transport: Transport = field(default_factory=lambda: Transport("https://acme.example"))
    options: dict[str, Any] = field(default_factory=dict)

    def without_credentials(self, value: Any) -> Any:
        return value

    def schema(self, kind: Kind) -> Schema:
        # The account can't see a field that no record has.
        keys = {key for record in getattr(self, f"{kind.name}s", ()) for key in record}
        types = {key: name for key, name in _TYPES.get(kind.template, {}).items() if key in keys}
        definitions = [
            {"field_key": key, "label": key, "field_type": {"name": name, "constraints": []}}
            for key, name in types.items()
        ]
        return Schema.for_kind(kind, definitions)

    def list_all(self, kind: Kind, *_conditions: Any, **_options: Any) -> list[Record]:
        # Like an instance that ignores filters: the engine removes the records that don't match.
        self.lists += 1
        return self.sample(kind)

    def sample(self, kind: Kind) -> list[Record]:
        """Return all records. This instance sends the keys of empty fields."""
        empty = dict.fromkeys(field.wire_key for field in self.schema(kind).fields.values())
        raw: Sequence[Mapping[str, Any]] = getattr(self, f"{kind.name}s", ())
        return [Record.from_answer(kind, {**empty, **record}) for record in raw]


@dataclass
class Parsed:
    """The result of an inventory file."""

    inventory: InventoryData
    warnings: list[str]

    def hosts(self, group: str) -> list[str]:
        return [host.name for host in self.inventory.groups[group].hosts]

    def variables(self, host: str) -> dict[str, Any]:
        return dict(self.inventory.hosts[host].vars)

    def group_variables(self, group: str) -> dict[str, Any]:
        return dict(self.inventory.groups[group].vars)


@pytest.fixture
def instance(monkeypatch: pytest.MonkeyPatch) -> Instance:
    """Return an empty instance that replaces the one in the connection options."""
    instance = Instance()

    def connect(options: dict[str, Any]) -> Instance:
        instance.options = options
        return instance

    monkeypatch.setattr(places, "reader", connect)
    return instance


@pytest.fixture
def parse(instance: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Parsed]:
    """Parse an inventory file with the given options. ``refresh`` does the same as ``meta: refresh_inventory``."""
    assert isinstance(instance, Instance)
    definitions: dict[str, Any] = {}
    for text in (
        Connection.DOCUMENTATION,
        Constructed.DOCUMENTATION,
        InventoryCache.DOCUMENTATION,
        places.DOCUMENTATION,
    ):
        definitions.update(yaml.safe_load(text)["options"])
    constants.config.initialize_plugin_configuration_definitions("inventory", places.InventoryModule.NAME, definitions)

    def parse_file(refresh: bool = False, **options: Any) -> Parsed:
        path = tmp_path / "lab.seventhings.yml"
        path.write_text(yaml.safe_dump({"plugin": places.InventoryModule.NAME, **options}))
        plugin = places.InventoryModule()
        plugin._load_name = plugin.ansible_name = plugin.NAME
        plugin._redirected_names = [plugin.NAME]
        warnings: list[str] = []
        monkeypatch.setattr(plugin.display, "warning", lambda text, *_more, **_named: warnings.append(text))
        inventory = InventoryData()
        assert plugin.verify_file(str(path))
        plugin.parse(inventory, DataLoader(), str(path), cache=not refresh)
        if options.get("cache"):
            plugin.update_cache_if_changed()
        inventory.reconcile_inventory()
        return Parsed(inventory, warnings)

    return parse_file
