# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is hidden from the current account, judged by one page of each kind of record."""

from __future__ import annotations

from ..client.client import Client
from ..errors import PermissionMissing
from ..model.kinds import LOCATION, OBJECT, PERSON, ROOM, Kind
from ..resolve.field_visibility import FieldVisibility
from ..resolve.hidden_records import Listed, visibility

_READ = (OBJECT, ROOM, LOCATION, PERSON)


def account_visibility(client: Client) -> dict[str, object]:
    """Return the fields and records that the account does not see.

    Takes two requests for each kind of record with a template, one for locations, and one for each of up to 20 unlisted
    records that others refer to.

    :returns: ``restricted_fields``, kind of record to keys, and ``hidden_records``: yes, no or unknown.
    """
    lists = {kind.name: listed for kind in _READ if (listed := _first_page(client, kind)) is not None}
    hidden = {
        name: sorted(FieldVisibility.from_records(listed.schema, listed.records).hidden)
        for name, listed in lists.items()
    }
    return {
        "restricted_fields": {name: keys for name, keys in hidden.items() if keys},
        "hidden_records": visibility(client, lists, client.get).hidden_records,
    }


def _first_page(client: Client, kind: Kind) -> Listed | None:
    try:
        schema = client.schema(kind)
        records, is_whole = client.lists.first_page(kind)
    except PermissionMissing:
        return None
    return Listed(schema, records, is_whole)
