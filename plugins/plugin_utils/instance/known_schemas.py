# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of each kind of record without an instance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...module_utils.model.field import Field
from ...module_utils.model.kinds import FIELD_DEFINITION, Kind
from ...module_utils.model.schema import Schema, field_to_be
from ..desired.entry import Entry

_DEFINITIONS = Schema.for_kind(FIELD_DEFINITION)


class KnownSchemas:
    """The fields of each kind, as far as ``fields/`` or another source knows them.

    :param known: name of a kind to all its fields, if another source knows them.
    :ivar by_label_alone: name of a kind to the labels of fields whose definitions in the files have no key.
    """

    def __init__(self, entries: Iterable[Entry], known: Mapping[str, Sequence[Field]]) -> None:
        self._definitions = [entry for entry in entries if entry.kind.defines_fields and entry.template]
        self._known = known
        self._schemas: dict[str, Schema] = {}
        self.by_label_alone: dict[str, set[str]] = defaultdict(set)

    def for_kind(self, kind: Kind) -> Schema:
        """Return the fields of one kind."""
        if kind.name not in self._schemas:
            own = kind.identity if kind.short_key else kind.written or kind.fields
            fields = [*kind.fields, *kind.identity] if kind.template else own
            schema = Schema(kind, self._known.get(kind.name, fields))
            for entry in self._definitions:
                if entry.template == kind.template:
                    self._define(schema, entry)
            self._schemas[kind.name] = schema
        return self._schemas[kind.name]

    def _define(self, schema: Schema, entry: Entry) -> None:
        """Add a field to a schema, as the files define it."""
        options = set(_DEFINITIONS.fields) - {"relations"}
        values, _findings = _DEFINITIONS.parse(
            {name: value for name, value in entry.fields.items() if name in options}, ""
        )
        key, label = (str(values.get(name) or "") for name in ("field_key", "label"))
        existing = schema.fields.get(key) if key else schema.find(label)
        field = field_to_be(values) or existing
        if field is None or not (key or label):
            return
        if not key and existing is None:
            self.by_label_alone[schema.kind.name].add(label)
        own = key or (existing.key if existing else label)
        schema.take([replace(field, key=own, label=label or field.label, mandatory=False)])
