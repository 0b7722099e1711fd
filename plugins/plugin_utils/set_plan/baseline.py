# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of records after the last apply, as salted hashes. It shows who changed a value since."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...module_utils.model.field import EMPTY
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_links import Reference

_BYTES = 16


@dataclass
class Baseline:
    """The hashes of the last apply.

    :ivar salt: of all hashes.
    :ivar records: uuid to the hash of the managed, not hidden fields of a record.
    :ivar highest: name of a kind to the highest id in its list.
    """

    salt: bytes
    records: dict[str, str] = field(default_factory=dict)
    highest: dict[str, int] = field(default_factory=dict)

    def digest(self, schema: Schema, values: Mapping[str, Any], names: Mapping[str, str]) -> str:
        """Return the hash of some fields. Fields without a value do not count.

        :param values: canonical values; references are resolved.
        :param names: the key of each field to its name in the files, because the key may be generated when the same
            apply creates the field.
        """
        parts = sorted(
            [name, _normal(schema, key, values[key])] for key, name in names.items() if values[key] not in EMPTY
        )
        content = json.dumps([schema.kind.name, parts], sort_keys=True, default=str).encode()
        return hashlib.blake2b(content, digest_size=_BYTES, key=self.salt).hexdigest()


def _normal(schema: Schema, key: str, value: Any) -> Any:
    """Return a value in a form that is equal for all values with the same meaning."""
    definition = schema.fields[key]
    if isinstance(value, tuple):
        items = [_normal(schema, key, item) for item in value]
        is_set = len(value) > 1 and schema.equal(key, tuple(reversed(value)), value)
        return sorted(items, key=str) if is_set else items
    if isinstance(value, Reference):
        return value.uuid or str(value.id)
    same_as = type_of(definition).same_as
    normal = same_as(value, definition) if same_as is not None else value
    return normal if isinstance(normal, (str, bool, int)) else str(normal)
