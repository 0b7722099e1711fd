# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of an instance as nodes that refer to each other, which get names later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..kinds import MODULES
from ..store import Store
from ..templates import KINDS, Template, Templates


class Ref(NamedTuple):
    """A reference to another node: its kind, and its key in the database."""

    kind: str
    key: Any


@dataclass(frozen=True)
class Node:
    """A record. ``identity`` are the values that the server generated; ``hint`` is a name for people."""

    ref: Ref
    hint: str
    identity: Mapping[str, Any]
    content: Mapping[str, Any]


class Collector:
    """Collect everything that belongs to the state, which excludes tokens, histories, mails and time stamps."""

    def __init__(self, store: Store, templates: Templates) -> None:
        self.store = store
        self.templates = templates
        self.nodes: dict[Ref, Node] = {}
        self.departed: dict[Ref, str] = {}
        self._ids: dict[str, dict[str, int]] = {}

    def collect(self) -> None:
        for row in self.store.rows("SELECT * FROM departed"):
            self.departed[Ref(row["template"], row["id"])] = row["display_name"]
            self._ids.setdefault(row["template"], {})[row["uuid"]] = row["id"]
        for kind in (*KINDS, "user"):
            for row in self.store.rows(f"SELECT id, uuid FROM {kind}"):
                self._ids.setdefault(kind, {})[row["uuid"]] = row["id"]
        self._definitions()
        self._users()
        self._files()
        for name in KINDS:
            self._records(self.templates[name])
        self._tasks()
        self._rental_cases()
        self._hub()
        self._catalog()
        for module in MODULES:
            if hasattr(module, "collect"):
                module.collect(self)

    def add(self, kind: str, key: Any, hint: Any, identity: dict[str, Any], content: dict[Any, Any]) -> None:
        """Add a record: its key in the database, its name for people, its generated identity, its content."""
        ref = Ref(kind, key)
        self.nodes[ref] = Node(ref, str(hint or ""), identity, content)

    def by_id(self, kind: str, number: int | None) -> Ref | None:
        """Return a reference to another record by its id."""
        return None if number is None else Ref(kind, number)

    def by_uuid(self, kind: str, uuid: str | None) -> Ref | None:
        """Return a reference to another record by its uuid."""
        return None if uuid is None else Ref(kind, self._ids.get(kind, {}).get(uuid, uuid))

    def _definitions(self) -> None:
        for row in self.store.rows("SELECT * FROM definition ORDER BY position"):
            body = json.loads(row["body"])
            relations = [
                {**relation, "field_uuid": Ref("definition", relation["field_uuid"].lower())}
                for relation in body["relations"] or []
            ]
            hint = row["field_key"] if row["builtin"] else body["label"]
            identity = {"uuid": row["uuid"], "field_key": row["field_key"]}
            content = {"template": row["template"], **body, "relations": relations}
            self.add("definition", row["uuid"], hint, identity, content)

    def _users(self) -> None:
        for row in self.store.rows("SELECT * FROM user ORDER BY id"):
            content = {key: row[key] for key in ("email", "firstname", "lastname", "refusal")}
            content["hidden_fields"] = json.loads(row["hidden_fields"])
            allowed = None if row["locations"] is None else json.loads(row["locations"])
            content["locations"] = allowed and [self.by_uuid("location", uuid) for uuid in allowed]
            content["rights"] = json.loads(row["rights"])
            self.add("user", row["id"], row["email"], {"id": row["id"], "uuid": row["uuid"]}, content)

    def _files(self) -> None:
        for row in self.store.rows("SELECT id, uuid, name, type, size, sha256 FROM file ORDER BY id"):
            content = {key: row[key] for key in ("name", "type", "size", "sha256")}
            self.add("file", row["uuid"], row["name"], {"uuid": row["uuid"]}, content)

    def _records(self, template: Template) -> None:
        server = [key for key, _kind in template.kind.server_keys]
        for row in self.store.rows(f"SELECT * FROM {template.table} ORDER BY id"):
            fields = {
                self._key(definition): self._value(definition, row[definition.key])
                for definition in template.definitions.values()
            }
            content: dict[str, Any] = {"fields": fields}
            if "archived_at" in server:
                content["archived"] = row["archived_at"] is not None
            if "user_uuid" in server:
                content["user"] = self.by_uuid("user", row["user_uuid"])
            hint = _hint(template.name, row)
            self.add(template.name, row["id"], hint, {"id": row["id"], "uuid": row["uuid"]}, content)

    def _key(self, definition: Any) -> Any:
        return Ref("definition", definition.uuid) if definition.uuid else definition.key

    def _value(self, definition: Any, value: Any) -> Any:
        kind = definition.type
        if kind.is_list:
            entries = json.loads(value) if value else []
            return [Ref("file" if kind.name == "ATTACHMENT" else "asset", entry) for entry in entries]
        if value is not None and hasattr(kind, "template"):
            return Ref(kind.template, value)
        return value

    def _tasks(self) -> None:
        for row in self.store.rows("SELECT * FROM task ORDER BY id"):
            body = json.loads(row["body"])
            content = {
                **{key: row[key] for key in ("status", "title", "deadline")},
                **{key: body[key] for key in ("comment", "reminders", "recurring_schedule")},
                "assignee": self.by_uuid("user", row["assignee"]),
                "references": self._references(body),
                "attachments": [Ref("file", uuid) for uuid in body["attachments"]],
            }
            identity = {key: row[key] for key in ("uuid", "slug", "author")}
            self.add("task", row["id"], row["title"], identity, content)

    def _references(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        return [{**reference, "uuid": self.by_uuid("asset", reference["uuid"])} for reference in body["references"]]

    def _rental_cases(self) -> None:
        for row in self.store.rows("SELECT * FROM rental_case ORDER BY id"):
            body = json.loads(row["body"])
            renter = json.loads(row["renter"]) if row["renter"] else None
            if renter and renter["type"] == "user":
                renter["value"] = self.by_uuid("user", renter["value"])
            content = {
                **{key: row[key] for key in ("status", "title", "comment")},
                **{key: row[key] for key in ("issue_date", "due_date", "issue_at", "due_at")},
                **{key: body[key] for key in ("issue_date_reminder", "due_date_reminder", "day_times")},
                "responsible_user": self.by_uuid("user", row["responsible_user_uuid"]),
                "renter": renter,
                "references": self._references(body),
                "attachments": [Ref("file", uuid) for uuid in body["attachments"]],
            }
            identity = {"uuid": row["uuid"], "author": row["author"]}
            self.add("rental_case", row["id"], row["title"], identity, content)

    def _hub(self) -> None:
        for row in self.store.rows("SELECT * FROM hub_item ORDER BY id"):
            asset = Ref("asset", row["asset_id"])
            content = {key: row[key] for key in ("category", "price", "suggested_price")}
            content.update(object=asset, deleted=bool(row["deleted"]), ordered=row["order_id"] is not None)
            hint = self.nodes[asset].hint if asset in self.nodes else self.departed.get(asset, "")
            self.add("hub_item", row["id"], hint, {"id": row["id"]}, content)
        for row in self.store.rows("SELECT * FROM hub_order ORDER BY id"):
            items = self.store.rows("SELECT item_id FROM hub_article WHERE order_id = ?", (row["id"],))
            content = {
                "total_price": row["total_price"],
                "completed": bool(row["completed"]),
                "cancelled": bool(row["cancelled"]),
                "cancellation_reason": row["cancellation_reason"],
                "billing_data": json.loads(row["billing_data"]),
                "user": Ref("user", row["user_id"]),
                "items": [Ref("hub_item", item["item_id"]) for item in items],
            }
            identity = {"id": row["id"], "order_number": row["order_number"]}
            self.add("hub_order", row["id"], "order", identity, content)

    def _catalog(self) -> None:
        keys = {definition.key: self._key(definition) for definition in self.templates["asset"].definitions.values()}
        for row in self.store.rows("SELECT * FROM catalog_item ORDER BY id"):
            fields = json.loads(row["fields"])
            named = {keys.get(key.removeprefix("catalog_object_"), key): value for key, value in fields.items()}
            hint = fields.get("catalog_object_inventory_name")
            self.add("catalog_item", row["id"], hint, {"id": row["id"], "uuid": row["uuid"]}, {"fields": named})


def _hint(template: str, row: Any) -> Any:
    keys = {"asset": ("barcode", "inventory_name"), "person": ("email", "last_name"), "room": ("number", "name")}
    return next((row[key] for key in keys.get(template, ("name",)) if row[key]), "")
