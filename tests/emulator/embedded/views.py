# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Look up linked records and files for reading and writing, for a whole page at once."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .fieldtypes import LARGEST
from .messages import PREFIX
from .store import Store
from .switches import Weather

# The display name of a record in a reference.
DISPLAY_NAME: Mapping[str, str] = {
    "asset": (
        "coalesce(inventory_name, '') || CASE WHEN coalesce(barcode, '') = '' THEN '' ELSE ' (' || barcode || ')' END"
    ),
    "location": "coalesce(name, '')",
    "room": "coalesce(nullif(name, ''), number, '')",
    "person": "coalesce(nullif(trim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), ''), email, '')",
    "user": (
        "CASE WHEN coalesce(firstname, '') = '' AND coalesce(lastname, '') = '' THEN email"
        " ELSE trim(coalesce(firstname, '') || ' ' || coalesce(lastname, '')) || ' (' || email || ')' END"
    ),
}


class Links:
    """Find the records that a written value refers to.

    :ivar compared: the identifier that a filter on a link compares: ``id``, ``uuid`` or ``either``.
    """

    def __init__(self, store: Store, compared: str = "either") -> None:
        self.store = store
        self.compared = compared

    def find(self, template: str, reference: Any, *, departed: bool = False) -> int | None:
        """Return the id of a record that is given by id or uuid, optionally also of a deleted record."""
        if isinstance(reference, int):
            if not 0 < reference <= LARGEST:
                return None
            column: str = "id"
        else:
            column, reference = "uuid", reference.lower()
        found: int | None = self.store.value(f"SELECT id FROM {template} WHERE {column} = ?", (reference,))
        if found is None and departed:
            found = self.store.value(
                f"SELECT id FROM departed WHERE template = ? AND {column} = ?", (template, reference)
            )
        return found

    def file_exists(self, uuid: str) -> bool:
        return self.store.value("SELECT 1 FROM file WHERE uuid = ?", (uuid.lower(),)) is not None


class View:
    """Everything that decides how records are read: the switches, the address of the service, and the caller."""

    def __init__(
        self, store: Store, weather: Weather, base_url: str, hidden_fields: frozenset[str] = frozenset()
    ) -> None:
        self.store = store
        self.weather = weather
        self.base_url = base_url
        self.hidden_fields = hidden_fields
        self._linked: dict[str, dict[Any, Any]] = {}

    def url(self, path: str) -> str:
        return f"{self.base_url}{PREFIX}{path}"

    def linked(self, template: str, ids: Iterable[Any]) -> dict[Any, Any]:
        """Return, by id, the value of a link to each of some records."""
        side = self.weather["link_read"]
        wanted = {identifier for identifier in ids if identifier is not None}
        if side != "object":
            shown: dict[Any, Any] = {identifier: identifier for identifier in wanted}
            if side == "zero":
                shown[None] = 0
            return shown
        known = self._linked.setdefault(template, {})
        for row in self._named(template, wanted - known.keys()):
            known[row["id"]] = {"id": row["id"], "uuid": row["uuid"], "display_name": row["display_name"]}
        return known

    def _named(self, template: str, ids: set[Any]) -> list[Any]:
        rows = self._among(
            f"SELECT id, uuid, {DISPLAY_NAME[template]} AS display_name FROM {template} WHERE id IN", ids
        )
        deleted = ids - {row["id"] for row in rows}
        if deleted:
            rows += self._among(
                f"SELECT id, uuid, display_name FROM departed WHERE template = '{template}' AND id IN", deleted
            )
        return rows

    def files(self, uuids: Iterable[str]) -> dict[str, Any]:
        """Return files as ATTACHMENT fields show them, by uuid."""
        rows = self._among("SELECT uuid, name, type, size FROM file WHERE uuid IN", set(uuids))
        named = self.weather["attachment_name"] == "given"
        if self.weather["attachment_read"] == "uuids":
            return {row["uuid"]: row["uuid"] for row in rows}
        shown = {}
        for row in rows:
            shown_file = {
                "uuid": row["uuid"],
                "type": row["type"],
                "size": row["size"],
                "data_uri": self.url(f"/file/{row['uuid']}/data"),
                "file_uri": self.url(f"/file/{row['uuid']}"),
                "thumbnail_uri": self.url(f"/file/{row['uuid']}/thumbnail"),
            }
            if named:
                shown_file["name"] = row["name"]
            shown[row["uuid"]] = shown_file
        return shown

    def file_objects(self, uuids: Iterable[str]) -> list[Any]:
        """Return files as tasks and rental cases show them (interface 2.3), in the given order."""
        wanted = list(uuids)
        if self.weather["attachment_read"] == "uuids":
            return wanted
        rows = {
            row["uuid"]: row for row in self._among("SELECT uuid, name, type, size FROM file WHERE uuid IN", wanted)
        }
        return [
            {
                "uuid": uuid,
                "name": rows[uuid]["name"],
                "type": rows[uuid]["type"],
                "size": rows[uuid]["size"],
                "data_uri": self.url(f"/file/{uuid}/data"),
                "thumbnail_uri": self.url(f"/file/{uuid}/thumbnail"),
            }
            for uuid in wanted
            if uuid in rows
        ]

    def assets_named(self, uuids: Iterable[str]) -> dict[str, tuple[int, str]]:
        """Return id and display name of objects by uuid, including deleted objects."""
        wanted = set(uuids)
        rows = self._among("SELECT id, uuid, display_name FROM departed WHERE template = 'asset' AND uuid IN", wanted)
        rows += self._among(
            f"SELECT id, uuid, {DISPLAY_NAME['asset']} AS display_name FROM asset WHERE uuid IN", wanted
        )
        return {row["uuid"]: (row["id"], row["display_name"]) for row in rows}

    def _among(self, sql: str, values: Collection[Any]) -> list[Any]:
        """Return the rows with one of many values in a column.

        However many there are, the statement has one parameter.
        """
        if not values:
            return []
        return self.store.rows(f"{sql} (SELECT value FROM json_each(?))", (json.dumps(list(values)),))
