# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users, which are read-only and created from persons (interface 2.6, 4.4)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..context import Context
from ..fieldtypes import NUMBER, TEXT
from ..messages import Answer, answer_json
from ..router import Route
from ..selection import Where, page_of
from ..store import Store
from ..switches import Weather
from ..templates import Column

_COLUMNS = {
    "id": Column("id", NUMBER, "id"),
    **{key: Column(key, TEXT, key) for key in ("uuid", "email", "firstname", "lastname")},
}


def insert_user(
    store: Store,
    *,
    uuid: str,
    email: str,
    firstname: str | None,
    lastname: str | None,
    rights: Iterable[str],
    username: str | None = None,
    password: str | None = None,
    refusal: str | None = None,
    hidden_fields: Iterable[str] = (),
    locations: Iterable[str] | None = None,
) -> int:
    return store.insert(
        "user",
        {
            "uuid": uuid,
            "username": username or email,
            "password": password,
            "email": email,
            "firstname": firstname,
            "lastname": lastname,
            "rights": json.dumps(sorted(rights)),
            "refusal": refusal,
            "hidden_fields": json.dumps(sorted(hidden_fields)),
            "locations": None if locations is None else json.dumps(sorted(locations)),
        },
    )


def display_name(row: Any) -> str:
    name = " ".join(part for part in (row["firstname"], row["lastname"]) if part)
    return f"{name} ({row['email']})" if name else str(row["email"])


def shown(row: Any, weather: Weather) -> dict[str, Any]:
    name: Any = display_name(row)
    if weather["user_display_name"] == "list":
        name = [name, row["email"]]
    return {
        "uuid": row["uuid"],
        "id": row["id"],
        "email": row["email"],
        "firstname": row["firstname"],
        "lastname": row["lastname"],
        "display_name": name,
    }


def list_users(context: Context) -> Answer:
    """List users, sorted by ``sort_by`` and ``order``, or like other lists by ``sort[KEY]``."""
    parameters = context.parameters
    sort = context.query.sort or {parameters["sort_by"]: parameters["order"].upper()}
    page = page_of(
        context.store,
        select="*",
        source="user",
        where=Where(),
        order=context.selector.order(sort, _COLUMNS),
        page=parameters["page"],
        per_page=context.per_page,
        beyond=context.weather["page_beyond_end"],
    )
    items = [shown(row, context.weather) for row in page.rows]
    return context.envelope(items, page, sort_by=parameters["sort_by"], order=parameters["order"].lower())


def read_user(context: Context) -> Answer:
    return _read(context, "uuid", context.uuid("userUuid"))


def read_user_by_id(context: Context) -> Answer:
    return _read(context, "id", context.identifier("userId"))


def _read(context: Context, column: str, value: Any) -> Answer:
    row = context.store.row(f"SELECT * FROM user WHERE {column} = ?", (value,))
    if row is None:
        return context.missing_person(f"There is no user {value}")
    return answer_json(shown(row, context.weather))


ROUTES = (
    Route("GET", "/users", list_users, "users:read"),
    Route("GET", "/user/{userUuid}", read_user, "users:read"),
    Route("GET", "/user/by-id/{userId}", read_user_by_id, "users:read"),
)
