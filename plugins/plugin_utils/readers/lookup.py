# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find records by reference as users write it: text, uuid, integer id, or a map."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import shorten
from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.resolve.field_visibility import field_visibility_of
from ...module_utils.resolve.read_cache import find_records

#: The kinds that a lookup accepts, by name.
LOOKED_UP = tuple(kind.name for kind in KINDS.values() if kind.can_be_looked_up)


def kind_named(name: Any) -> Kind:
    """Return the kind for a lookup.

    :raises InvalidInput: for another name.
    """
    if name not in LOOKED_UP:
        raise InvalidInput(f"{shorten(name)} is not a kind of record; expected one of {', '.join(LOOKED_UP)}")
    return KINDS[str(name)]


def look_up(client: Client, kind: Kind, written: Iterable[Any], field: str | None = None) -> list[Any]:
    """Return the record of each reference as the modules return it, or one field of it, by its key or its label.

    :raises InvalidInput: also for a field that this kind does not have, or that the account does not see; errors of
        references as in :func:`find_records`.
    """
    # The definitions say which values are unique, so that a list with all of them needs no proof.
    schema = client.schema(kind)
    records = find_records(client, kind, {f"reference {number}": item for number, item in enumerate(written, 1)})
    shown = [{**schema.show(record.flat), "uuid": record.uuid or None} for record in records]
    if field is None:
        return shown
    known = schema.find(field)
    key = known.key if known else field
    if known is None and not all(key in record for record in shown):
        raise InvalidInput(f"field: {field}: {schema.why_unknown(field)}")
    field_visibility_of(client, schema, records, [key]).check_written([key], "field")
    return [record.get(key if key in record else kind.key_prefix + key) for record in shown]
