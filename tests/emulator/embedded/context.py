# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The context of a handler: the parsed request, the user, the data, the current switches."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .dates import stamp
from .messages import JSON, PREFIX, Answer, Call, answer_json, bad_request, not_found
from .query import Query, conditions_of, sort_of
from .selection import Page, Selector, Where, page_of
from .templates import Column
from .views import Links, View

if TYPE_CHECKING:
    from .service import Service
    from .store import Store
    from .switches import Weather
    from .templates import Templates

_FAR = 1_000_000
"""The highest page number that can be requested."""


@dataclass(frozen=True)
class User:
    """The caller."""

    id: int
    uuid: str
    email: str
    firstname: str
    lastname: str
    rights: frozenset[str]
    hidden_fields: frozenset[str] = frozenset()
    locations: frozenset[str] | None = None

    def may(self, right: str | None) -> bool:
        """Return True if the user has a right such as ``objects:read``.

        ``read``, ``objects`` and ``all`` include it.
        """
        if right is None or "all" in self.rights:
            return True
        area, _colon, verb = right.partition(":")
        return bool(self.rights & {right, area, verb})


@dataclass
class Context:
    """One request while a handler processes it."""

    service: Service
    call: Call
    path: Mapping[str, str]
    query: Query
    parameters: Mapping[str, Any]
    body: Any
    user: User
    moment: datetime
    produces: str

    @property
    def store(self) -> Store:
        return self.service.store if self.call.method != "GET" else self.service.replica.read()[0]

    @property
    def weather(self) -> Weather:
        return self.service.weather

    @property
    def templates(self) -> Templates:
        return self.service.templates if self.call.method != "GET" else self.service.replica.read()[1]

    @cached_property
    def now(self) -> str:
        return stamp(self.moment)

    @cached_property
    def links(self) -> Links:
        return Links(self.store, self.weather["filter_links"])

    @cached_property
    def selector(self) -> Selector:
        return Selector(self.store, self.weather, self.links)

    @cached_property
    def view(self) -> View:
        return View(self.store, self.weather, self.call.base_url, self.user.hidden_fields)

    def identifier(self, name: str) -> int:
        """Return an integer from the path. If it does not fit into the database, return one that no record has."""
        value = int(self.path[name])
        return value if abs(value) < 2**63 else -1

    def uuid(self, name: str) -> str:
        return self.path[name].lower()

    @property
    def per_page(self) -> int:
        """The number of records on a page: as requested, or fewer if the instance has a lower cap."""
        requested: int = self.parameters["per_page"]
        cap = self.weather["per_page_cap"]
        return requested if cap == "none" else min(requested, int(cap))

    def page(
        self,
        columns: Mapping[str, Column],
        *,
        select: str,
        source: str,
        where: Where | None = None,
        filtered: bool = True,
    ) -> Page:
        """Return the page that the query requests, filtered and sorted."""
        conditions = self.query.conditions if filtered else ()
        return page_of(
            self.store,
            select=select,
            source=source,
            where=self.selector.where(conditions, columns, where),
            order=self.selector.order(self.query.sort, columns),
            page=self.parameters["page"],
            per_page=self.per_page,
            beyond=self.weather["page_beyond_end"],
        )

    def body_where(self, columns: Mapping[str, Column], where: Where | None = None) -> Where:
        """Return the filter of a body, as ``{filter: {KEY: {operator: value}}}``."""
        return self.selector.where(conditions_of(self.body.get("filter") or {}), columns, where)

    def body_order(self, columns: Mapping[str, Column]) -> str:
        """Return the sort of a body, as ``{sort: {KEY: "ASC"}}``."""
        return self.selector.order(sort_of(self.body.get("sort") or {}), columns)

    def listing(self, items: Sequence[Any], page: Page) -> Answer:
        """Return an answer with a page in its envelope (interface 2.8), or as a bare list."""
        if self.weather["list_envelope"] == "array":
            return answer_json(list(items))
        return self.envelope(items, page)

    def envelope(self, items: Sequence[Any], page: Page, **more: Any) -> Answer:
        """Return an answer with a page in an envelope, with the members that this instance has there.

        :param more: further members of the envelope.
        """
        members: dict[str, Any] = {"items": list(items)}
        if self.weather["list_echo"] != "none":
            members["page"] = page.page
        if self.weather["list_echo"] == "both":
            members["per_page"] = page.per_page
        members.update(more)
        if self.weather["list_total"] != "none":
            members["total"] = page.total if self.weather["list_total"] == "given" else str(page.total)
        return answer_json(members)

    def unpaged(self, found: Sequence[Any], size: int) -> Answer:
        """Return an answer with a list that the description calls unpaged.

        :param size: the number of records on a page, on instances that page it anyway.
        """
        side, parameters = self.weather["unpaged_lists"], self.query.parameters
        if side == "refuse" and "page" in parameters:
            raise bad_request("There is no parameter page")
        if side == "paged":
            page, per_page = (
                _counted(parameters.get(name), otherwise) for name, otherwise in (("page", 1), ("per_page", size))
            )
            per_page = min(per_page, size)
            last = max(1, math.ceil(len(found) / per_page))
            if page > last and self.weather["page_beyond_end"] == "clamp":
                page = last
            found = found[(page - 1) * per_page : page * per_page]
        return answer_json(list(found))

    def created(self, path: str, *, uuid: str | None = None, number: int | None = None) -> Answer:
        """Return a 201 with the headers that identify the created record."""
        location = self.view.url(path) if self.weather["location_header"] == "url" else PREFIX + path
        headers = {"Location": location}
        if uuid is not None:
            headers["Location-UUID"] = uuid
        if number is not None:
            headers["Location-ID"] = str(number)
        return Answer(201, headers=headers)

    def missing_person(self, message: str) -> Answer:
        """Return the answer for a missing user or person."""
        if self.weather["missing_person"] == "empty":
            return Answer(200)
        raise not_found(message)


def internal_context(service: Service, user: Any, moment: datetime) -> Context:
    """Return a context for work without a request, such as filling in the start data.

    :param user: the row of the user in whose name it is done.
    """
    caller = User(user["id"], user["uuid"], user["email"], user["firstname"], user["lastname"], frozenset({"all"}))
    return Context(service, Call("POST", "", "", {}, b"", ""), {}, Query(), {}, {}, caller, moment, JSON)


def new_uuid() -> str:
    return str(uuid.uuid4())


def _counted(text: str | None, otherwise: int) -> int:
    """Return the value of a parameter that must be a number from 1."""
    if text is None:
        return otherwise
    if not text.isdecimal() or not 0 < int(text) <= _FAR:
        raise bad_request(f"{text!r} is not a number from 1")
    return int(text)
