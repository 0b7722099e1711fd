# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archived duplicates: no list shows an archived record, so it is looked up before a record with its key is created."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..client.client import Client
from ..client.record import Record
from ..errors import SeventhingsError
from ..model.kinds import Kind
from ..model.schema import Schema
from ..resolve import natural_keys
from ..resolve.field_visibility import LIMITED, unlisted
from ..resolve.read_cache import find_by_barcode
from .allowed import ASSUMED_ARCHIVED, how_to_allow


class MayBeHidden(SeventhingsError):
    """Raised if a record is found although no list shows it, and the reason is unknown."""


def is_archived_duplicate(client: Client, record: Record, assume: bool) -> bool:
    """Return True if a record that was found outside its list is archived.

    A record that was created in the meantime is listed by now.

    :param assume: True to count it as archived if the instance does not say.
    :raises MayBeHidden: if the instance does not say and ``assume`` is False.
    """
    if record.archived is not None:
        return record.archived
    if assume:
        return True
    if client.is_archived(record):
        raise MayBeHidden(
            f"The {record.kind.words} {record.uuid} has this natural key, and no list shows it. Either it is archived, "
            f"or it is hidden from this account: {LIMITED}, and this instance does not send when a record was "
            f"archived. {how_to_allow(ASSUMED_ARCHIVED)} treats it as archived."
        )
    return False


def why_unlisted(client: Client, record: Record) -> tuple[str, ...]:
    """Say why an active record was in no list.

    Return nothing if it was created between the two requests, which happens when many processes ensure one record.
    """
    is_listed = record.archived is None or client.is_listed(record)
    return () if is_listed else (unlisted(record),)


def can_be_looked_up(schema: Schema, desired: Mapping[str, Any]) -> bool:
    """Return True if an archived record with some values is found by one of them."""
    return bool(schema.kind.barcode_key and desired.get(schema.kind.barcode_key))


def found_by_barcode(client: Client, schema: Schema, desired: Mapping[str, Any]) -> list[Record]:
    """Return the record with the barcode of some values, archived or not, in a list."""
    barcode = desired.get(schema.kind.barcode_key)
    record = find_by_barcode(client, schema, str(barcode)) if barcode else None
    return [record] if record else []


def archived_duplicate(
    client: Client, schema: Schema, keys: Sequence[str], desired: Mapping[str, Any], noted: Iterable[Record | None] = ()
) -> Record | None:
    """Return the unlisted record with a natural key, or None if it is not found.

    :param noted: the records that had this key, as they are now. The one with the key may have another barcode.
    """
    found = natural_keys.identified(schema, keys, desired, filter(None, noted))
    # If all of them are gone, another record may have the key.
    found = found or natural_keys.identified(schema, keys, desired, found_by_barcode(client, schema, desired))
    return found[0] if found else None


def second_record(kind: Kind) -> str:
    """Warn of a creation that was not checked against the archive."""
    return f"A service that accepts duplicates creates a second {kind.words} if one with the same key is archived."
