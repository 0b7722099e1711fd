# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Persons, and users created from persons (interface 2.7, 4.2)."""

from __future__ import annotations

from typing import Any

from ..context import Context, new_uuid
from ..messages import Answer, answer_json, bad_request, not_found
from ..query import conditions_of
from ..router import Route
from ..selection import Where, page_of
from ..templates import KINDS, Template
from . import records
from .histories import record_event
from .mails import record_notice
from .users import insert_user

_EVERYTHING = frozenset({"all"})


def list_persons(context: Context) -> Answer:
    """List persons, sorted by ``sort[KEY]``, else by ``sort_by`` and ``order``."""
    template = context.templates["person"]
    parameters = context.parameters
    sort = dict(context.query.sort)
    is_sorted = "sort_by" in context.query.parameters or "order" in context.query.parameters
    if not sort and is_sorted and context.weather["persons_sort_by"] == "honour":
        sort = {parameters["sort_by"]: parameters["order"].upper()}
    page = page_of(
        context.store,
        select=template.select,
        source="person",
        where=_where(context, template),
        order=context.selector.order(sort, template.columns),
        page=parameters["page"],
        per_page=context.per_page,
        beyond=context.weather["page_beyond_end"],
    )
    items = records.wrapped(context.view, template.kind, records.shown(context.view, template, page.rows))
    echo: dict[str, Any] = {"sort": context.query.sort or []}
    if context.weather["persons_envelope"] == "sort_by":
        echo.update(sort_by=parameters["sort_by"], order=parameters["order"].lower())
    return context.envelope(items, page, **echo)


def count_persons(context: Context) -> Answer:
    where = _where(context, context.templates["person"])
    return answer_json(
        {"count": context.store.value(f"SELECT count(*) FROM person WHERE {where.sql}", where.parameters)}
    )


def _where(context: Context, template: Template) -> Where:
    honoured = context.weather["persons_filter"] == "honour"
    return context.selector.where(context.query.conditions if honoured else (), template.columns)


def create_person(context: Context) -> Answer:
    """Create a person. This is the only record whose body is wrapped in ``fields``."""
    uuid = records.insert(context, context.templates["person"], context.body["fields"])[1]
    return context.created(f"/person/{uuid}", uuid=uuid)


def read_person(context: Context) -> Answer:
    return _read(context, "uuid", context.uuid("personUuid"))


def read_person_by_id(context: Context) -> Answer:
    return _read(context, "id", context.identifier("personId"))


def _read(context: Context, column: str, value: Any) -> Answer:
    template = context.templates["person"]
    row = context.store.row(f"SELECT {template.select} FROM person WHERE {column} = ?", (value,))
    if row is None:
        return context.missing_person(f"There is no person {value}")
    return records.one(context, template, row)


def create_user(context: Context) -> Answer:
    """Create a user from every person that the filter finds. Each new user gets an e-mail."""
    template = context.templates["person"]
    where = context.selector.where(conditions_of(context.body["filter"]), template.columns)
    rows = context.store.rows(f"SELECT {template.select} FROM person WHERE {where.sql} ORDER BY id", where.parameters)
    if not rows and context.weather["create_user_none"] == "not_found":
        raise not_found("The filter finds no person")
    if len(rows) > 1 and context.weather["create_user_several"] == "refuse":
        raise bad_request(f"The filter finds {len(rows)} persons")
    for row in rows:
        _user_of(context, row)
    return Answer(201)


def _user_of(context: Context, person: Any) -> None:
    email = person["email"]
    if person["user_uuid"]:
        raise bad_request(f"The person {person['uuid']} already has a user")
    if not isinstance(email, str) or not email.strip():
        raise bad_request(f"The person {person['uuid']} has no e-mail address")
    uuid = context.store.value("SELECT uuid FROM user WHERE lower(email) = lower(?)", (email,))
    if uuid is not None and context.weather["create_user_email"] == "refuse":
        raise bad_request(f"There is already a user with the e-mail address {email}")
    if uuid is None:
        uuid = new_uuid()
        insert_user(
            context.store,
            uuid=uuid,
            email=email,
            firstname=person["first_name"],
            lastname=person["last_name"],
            rights=_EVERYTHING,
        )
        record_notice(context, "create_user", email, "Your new account", person=person["uuid"], user=uuid)
    context.store.update("person", person["id"], {"user_uuid": uuid, "updated_at": context.now})
    record_event(context, "person", person["uuid"], "user created", "A user was created", {"user_uuid": uuid})


ROUTES = (
    *(route for route in records.routes_of(KINDS["person"]) if route.method in ("PATCH", "DELETE")),
    Route("GET", "/persons", list_persons, "persons:read"),
    Route("GET", "/persons/count", count_persons, "persons:read"),
    Route("POST", "/person", create_person, "persons:write"),
    Route("GET", "/person/{personUuid}", read_person, "persons:read"),
    Route("GET", "/person/by-id/{personId}", read_person_by_id, "persons:read"),
    Route("POST", "/persons/create-user", create_user, "users:write"),
)
