# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of a desired state as all layers together write them, each value with its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils.model.field import EMPTY
from ...module_utils.model.schema import Schema
from ..desired.desired import DesiredInstance
from ..desired.entry import Entry
from ..desired.hiding import VAULTED
from .known_schemas import KnownSchemas
from .offline import known_fields


def merged_records(desired: DesiredInstance) -> list[dict[str, Any]]:
    """Return the records for a report, those that are written as unmanaged last. Hidden values are left out."""
    merged = _Merged(desired)
    managed = [merged.record(entry, True) for entry in desired.entries]
    return managed + [merged.record(entry, False) for entry in desired.unmanaged]


class _Merged:
    def __init__(self, desired: DesiredInstance) -> None:
        self._desired = desired
        self._hiding = desired.hiding
        self._schemas = KnownSchemas(desired.entries, known_fields(desired))

    def record(self, entry: Entry, is_managed: bool) -> dict[str, Any]:
        schema = self._schemas.for_kind(entry.kind)
        values = {**entry.fields, **entry.spelled(schema)[0]}
        # A name that is not a field may be a value of a vaulted file. Its finding says where it is.
        hides_names = self._hiding.hides_place(entry.place)
        names = [name for name in values if not hides_names or schema.find(name) is not None]
        shown = {name: self._shown(schema, entry, name, values[name]) for name in names}
        return {
            "section": entry.kind.section,
            "template": entry.template,
            "key": self._key(schema, entry, shown),
            "state": entry.state,
            "managed": is_managed,
            "place": str(self._hiding.shown_place(entry.place)),
            "fields": {
                name: {"value": value, "place": str(self._hiding.shown_place(entry.place_of(name)))}
                for name, value in shown.items()
            },
        }

    def _shown(self, schema: Schema, entry: Entry, name: str, value: Any) -> Any:
        found = schema.find(name)
        names = {name} if found is None else {name, found.key, found.label} - {""}
        return VAULTED if self._hiding.hides(entry, *names) else _as_json(value)

    def _key(self, schema: Schema, entry: Entry, shown: Mapping[str, Any]) -> str:
        """Return the natural key in words, or an empty text if only the instance knows its fields."""
        by_key = {schema.key_of(name): value for name, value in shown.items()}
        for names in self._desired.key_choices(entry.kind, entry.rules):
            parts = [by_key.get(schema.key_of(name)) for name in names]
            if not any(part in EMPTY for part in parts):
                return "/".join(map(str, parts))
        return ""


def _as_json(value: Any) -> Any:
    """Return a value as JSON has it: dates as texts, and the texts of unquoted scalars as they were written."""
    if isinstance(value, Mapping):
        return {str(name): _as_json(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(item) for item in value]
    return value if isinstance(value, (bool, int, float)) or value is None else str(value)
