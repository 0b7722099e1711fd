# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archived records: no list shows them, so they are looked up in another way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..client.client import Client, Record
from ..errors import SeventhingsError
from ..model.field import EMPTY
from ..model.schema import Schema
from ..resolve import natural_keys
from ..resolve.sight import LIMITED, unlisted

BARCODE = "barcode"
"""The field by which archived objects are found."""

_TOLD = "archived_at"


class MayBeHidden(SeventhingsError):
    """A record is found by its barcode and stands in no list, and nothing tells why."""

    @classmethod
    def of(cls, record: Record) -> MayBeHidden:
        words = record.kind.words
        return cls(
            f"The {words} {record.uuid} has this barcode, and no list shows it. Either it is archived, or it is hidden "
            f"from this account: {LIMITED}, and this instance sends no {_TOLD}, so nothing tells. assume_archived: "
            "true takes it to be archived."
        )


def is_archived_twin(client: Client, record: Record, assume: bool) -> bool:
    """Tells whether a record that was found by its barcode is archived. A record that was made meanwhile is listed by
    now.

    :param assume: take it to be archived where the instance does not tell.
    :raises MayBeHidden: where nothing tells, and nothing is assumed.
    """
    if _TOLD in record.flat:
        return record.flat[_TOLD] not in EMPTY
    if assume:
        return True
    if client.is_archived(record):
        raise MayBeHidden.of(record)
    return False


def why_unlisted(client: Client, record: Record) -> tuple[str, ...]:
    """Says what an active record may be that was found by its barcode alone; nothing where it was made between the two
    requests, as it is when many processes ensure one.
    """
    is_listed = _TOLD not in record.flat or client.is_listed(record)
    return () if is_listed else (unlisted(record),)


def can_be_looked_up(schema: Schema, desired: Mapping[str, Any]) -> bool:
    """Tells whether an archived record would be found by its barcode."""
    return bool(schema.kind.barcode_path and desired.get(BARCODE))


def archived_twin(client: Client, schema: Schema, keys: Iterable[str], desired: Mapping[str, Any]) -> Record | None:
    """The record with a natural key that no list shows, found by its barcode; None where there is none, or where it
    can't be looked up.
    """
    if not can_be_looked_up(schema, desired):
        return None
    record = client.get_by_barcode(schema.kind, str(desired[BARCODE]))
    hits = natural_keys.identified(schema, keys, desired, [record] if record else [])
    return hits[0] if hits else None
