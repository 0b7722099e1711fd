# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shortcuts for very many records: most of them fit, and most of them are as they shall be.

A shortcut either comes to what :class:`Schema` and :mod:`plan` come to, or says nothing, and they are asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .field import Field, FieldType, InvalidValue
from .kinds import SERVER_KEYS
from .schema import Schema, type_of
from .types_basic import broken_rules
from .types_links import Reference, references_in


class Quick:
    """The shortcuts for one schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._written: dict[str, tuple[Field, FieldType, bool] | None] = {}
        self._read: dict[str, tuple[str, Field, FieldType] | None] = {}

    def parse(self, fields: Mapping[str, Any]) -> dict[str, Any] | None:
        """Canonical values of a record in which everything fits; None where anything does not, or is not plain."""
        parsed: dict[str, Any] = {}
        for name, value in fields.items():
            known = self._written[name] if name in self._written else self._learn_written(name)
            if known is None or value is None:
                return None
            of, faces, judged = known
            try:
                parsed[of.key] = canonical = faces.parse(value, of)
            except InvalidValue:
                return None
            if judged and broken_rules(canonical, of):
                return None
        return parsed if len(parsed) == len(fields) else None

    def _learn_written(self, name: str) -> tuple[Field, FieldType, bool] | None:
        of = None if name in SERVER_KEYS else self._schema.find(name)
        self._written[name] = (
            None if of is None else (of, type_of(of), bool(of.allowed or of.constraints or of.mandatory))
        )
        return self._written[name]

    def same(self, desired: Mapping[str, Any], flat: Mapping[str, Any], complete: Callable[[Reference], None]) -> bool:
        """Whether a record is as desired beyond doubt."""
        for key, wanted in desired.items():
            known = self._read[key] if key in self._read else self._learn_read(key)
            if known is None:
                return False
            wire, of, faces = known
            raw = flat.get(wire)
            if isinstance(wanted, str) and raw == wanted:
                continue
            is_now = faces.read(raw, of)
            if is_now is None:
                is_now = faces.empty
            elif isinstance(is_now, Reference):
                complete(is_now)
            elif isinstance(is_now, tuple):
                for reference in references_in(is_now):
                    complete(reference)
            if not faces.equal(wanted, is_now, of):
                return False
        return True

    def _learn_read(self, key: str) -> tuple[str, Field, FieldType] | None:
        of = self._schema.fields[key]
        faces = type_of(of)
        # Of these equal is not enough to say that there is nothing to tell.
        special = faces.merge is not None or of.type == "RENTAL_STATUS" or of.retyped
        self._read[key] = None if special else (of.wire_key, of, faces)
        return self._read[key]
