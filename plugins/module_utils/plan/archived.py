# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archived records: no list shows them, so they are looked up in another way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..client.client import Client, Record
from ..model.schema import Schema
from ..resolve import natural_keys

_BARCODE = "barcode"


def can_be_looked_up(schema: Schema, desired: Mapping[str, Any]) -> bool:
    """Whether an archived record would be found by its barcode."""
    return bool(schema.kind.barcode_path and desired.get(_BARCODE))


def archived_twin(client: Client, schema: Schema, keys: Iterable[str], desired: Mapping[str, Any]) -> Record | None:
    """The record with a natural key that no list shows, found by its barcode; None where there is none, or where it
    can't be looked up.
    """
    if not can_be_looked_up(schema, desired):
        return None
    record = client.get_by_barcode(schema.kind, str(desired[_BARCODE]))
    hits = natural_keys.identified(schema, keys, desired, [record] if record else [])
    return hits[0] if hits else None
