# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Information about the instance, and the history of a record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..client.client import Client
from ..client.limits import ListLimit, decode_json
from ..client.record import Record
from ..client.transport import Response
from ..errors import FeatureOff, MethodNotAllowed, NoMatch, NotFound, PermissionMissing, SeventhingsError
from ..model.kinds import KINDS, LOCATION, OBJECT, PERSON, ROOM, USER, Kind
from ..model.schema import Schema
from ..resolve.field_visibility import FieldVisibility, perhaps_hidden
from ..resolve.hidden_records import Listed, visibility
from ..resolve.listing import ListResult
from ..resolve.read_cache import find_records
from ..resolve.references import reference_in
from .raw_list import read_to_end

#: The largest page of a history.
_HISTORY_PAGE = 200

#: Parts of the service that may be switched off, each with the first of its kinds.
_FEATURES = {kind.feature: kind for kind in reversed(KINDS.values()) if kind.feature}


def service_info(client: Client) -> dict[str, Any]:
    """Return whether the service answers, who is signed in, the active modules, and what the account does not see."""
    response = client.transport.request("GET", "")
    answer = response.json()
    ping: Mapping[str, Any] = answer if isinstance(answer, Mapping) else {}
    if not isinstance(ping.get("status"), str):
        client.transport.warnings.append(
            f"{response.endpoint}: the answer has no status, so it is unknown whether this service works as documented."
        )
    user = _signed_in(client)
    return {
        "status": ping.get("status"),
        "description": ping.get("description"),
        "user": Schema.for_kind(USER).show(user.flat) if user else None,
        "modules": {feature: _is_on(client, kind) for feature, kind in reversed(_FEATURES.items())},
        **account_visibility(client),
    }


def account_visibility(client: Client) -> dict[str, object]:
    """Return the fields and records that the account does not see.

    Takes two requests for each kind of record with a template, one for locations, and one for each of up to 20 unlisted
    records that others refer to.

    :returns: ``restricted_fields``, kind of record to keys, and ``hidden_records``: yes, no or unknown.
    """
    lists = {
        kind.name: listed
        for kind in (OBJECT, ROOM, LOCATION, PERSON)
        if (listed := _first_page(client, kind)) is not None
    }
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


def _signed_in(client: Client) -> Record | None:
    """Return the user who signed in, or None if the task has only a token."""
    client.tokens.current()
    number = client.tokens.user_id
    if number is None:
        return None
    user = client.get_by_id(USER, number)
    if user is None:
        client.transport.warnings.append(
            f"The service returns nothing about the user who is signed in, with the id {number}."
        )
    return user


def _is_on(client: Client, kind: Kind) -> bool | None:
    """Return True if a module is switched on and has its list, None if the user may not read it."""
    try:
        client.send("GET", kind.list_path, pairs=[("page", "1"), ("per_page", "1")])
    except (FeatureOff, MethodNotAllowed, NotFound):
        return False
    except PermissionMissing:
        return None
    return True


def history_info(client: Client, options: Mapping[str, Any]) -> ListResult:
    """Return the history of a record, newest first.

    It is an error if an instance of an earlier version has no histories.

    :param options: kind, record (a reference), limit.
    """
    kind = KINDS[options["kind"]]
    uuid = _uuid_of(client, kind, options["record"])

    def page(number: int) -> Response:
        pairs = [("page", str(number)), ("per_page", str(_HISTORY_PAGE))]
        return client.read(kind.item_path.format(uuid=uuid) + "/history", pairs)

    try:
        first = page(1)
    except NotFound as missing:
        if client.get(kind, uuid) is None:
            raise NoMatch(f"There is no {kind.words} with the uuid {uuid}{perhaps_hidden(kind)}.") from missing
        raise SeventhingsError(
            f"This instance has no history of {kind.singular}: its version is too old for it."
        ) from missing
    items, is_whole = read_to_end(first, page, ListLimit(client.transport.limits, "events", _HISTORY_PAGE))
    if not all(isinstance(item, Mapping) and item for item in items):
        raise SeventhingsError(f"{first.endpoint}: expected events, got something else.")
    _warn_of_events(client, kind, uuid, items, first.endpoint)
    entries = [_entry(item) for item in items]
    return ListResult(entries[: options.get("limit")], len(entries), is_whole)


def _warn_of_events(client: Client, kind: Kind, uuid: str, items: Sequence[Mapping[str, Any]], endpoint: str) -> None:
    """Warn of items that are not events of a record, and of duplicate events: other events may be missing."""
    own = {f"{kind.name}_uuid", kind.uuid_keys[0]} - {"uuid"}
    nameless = sum(not isinstance(name := item.get("event_name"), str) or not name for item in items)
    others = sum(any(item[key] != uuid for key in own & item.keys()) for item in items)
    homeless = sum(
        not any(key.endswith("_uuid") and key != "user_uuid" and value for key, value in item.items()) for item in items
    )
    equal = len(items) - len({json.dumps(item, sort_keys=True) for item in items})
    problems = {
        "have no event_name, so they may not be events": nameless,
        f"are not about the requested {kind.words}": others,
        "name no record": homeless,
        "were returned twice, so others may be missing": equal,
    }
    client.transport.warnings += [f"{endpoint}: {number} items {why}." for why, number in problems.items() if number]


def _uuid_of(client: Client, kind: Kind, written: Any) -> str:
    uuid: str | None = reference_in("record", kind.name, written).uuid
    return uuid or find_records(client, kind, {"record": written})[0].uuid


def _entry(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return one event. Its details are a JSON text, or empty."""
    details = item.get("details")
    try:
        decoded = decode_json(details) if isinstance(details, str) and details else details or None
    except ValueError:
        decoded = details
    return {**item, "details": decoded}
