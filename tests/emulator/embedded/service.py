# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Process a request: route, token, rights, media type, validation, handler, commit.

Nothing here depends on the web server.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl

from . import query as queries
from .clock import Clock
from .context import Context, User
from .description import Description
from .kinds import ROUTES
from .kinds.tokens import user_of_token
from .messages import JSON, Answer, Call, Refusal, answer_json, bad_request, encoded, parse_json
from .replica import Replica
from .router import Route, Router, accepted
from .settings import Settings, changed_body
from .store import Store
from .switches import Weather
from .templates import Templates

FEATURE_OFF = "The required feature for this endpoint is not active"
NOBODY = User(0, "", "", "", "", frozenset())


@dataclass(frozen=True)
class Accepted:
    """A request that can be carried out: the caller has the right, and body and query are valid."""

    route: Route
    context: Context


class _NotKept(Exception):
    """Raised to undo a transaction of which only the answer is used."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


class Service:
    """An instance of the service with its data."""

    def __init__(self, store: Store, weather: Weather, clock: Clock | None = None) -> None:
        self.store = store
        self.weather = weather
        self.settings = Settings()
        self.templates = Templates(store)
        self.description = Description(weather)
        self.router = Router(ROUTES)
        self.clock = clock or Clock()
        self.replica = Replica(store, self.templates, self.clock)

    def change(self, given: Mapping[str, Any]) -> None:
        """Change settings. Raise BadRule if they are invalid."""
        self.settings = self.settings.changed(given)
        if "read_lag_seconds" in given:
            self.replica.restart(self.settings.read_lag_seconds)

    def answer(self, call: Call, *, keep: bool = True) -> Answer:
        """Process a request. Its changes are committed before it is answered."""
        accepted = self.accept(call)
        return self.carry_out(accepted, keep=keep) if isinstance(accepted, Accepted) else accepted

    def accept(self, call: Call) -> Accepted | Answer:
        """Check a request without carrying it out. Return the answer if it is refused."""
        found: list[Accepted] = []

        def accept() -> Answer:
            found.append(self._accepted(call))
            return Answer(202)

        refused = self._guarded(accept)
        return found[0] if found else refused

    def carry_out(self, accepted: Accepted, moment: datetime | None = None, *, keep: bool = True) -> Answer:
        """Carry out an accepted request.

        :param moment: the time at which it is carried out; by default the time at which it was accepted.
        :param keep: False: undo everything, but return the answer.
        """
        if moment is not None:
            accepted.context.moment = moment
        return self._guarded(lambda: self._carried_out(accepted, keep))

    def _guarded(self, function: Callable[[], Answer]) -> Answer:
        try:
            answer = function()
        except Refusal as refusal:
            answer = self.refused(refusal)
        except Exception:  # Report any bug in the form of the service's errors.
            traceback.print_exc(file=sys.stderr)
            answer = self.refused(Refusal(500, "Internal server error"))
        if self.weather["cors"] == "any_origin":
            answer.headers["Access-Control-Allow-Origin"] = "*"
        return answer

    def _accepted(self, call: Call) -> Accepted:
        route, path = self.router.match(call.method, call.path)
        missing = self.settings.missing_operations.get(route.operation)
        if missing in (404, 405):
            raise Refusal(missing, f"There is no {call.method} {call.path}")
        if route.later and self.weather["later_endpoints"] == "absent":
            raise Refusal(404, f"There is no {call.method} {call.path}")
        user = self._user(route, call)
        produces = accepted(call.headers.get("accept", ""), route.produces)
        # Routes without a media type decide by the record.
        if produces is None and route.produces:
            raise Refusal(406, f"This is to be had as {', '.join(route.produces)} only")
        return Accepted(route, self._validated(route, path, call, user, produces or JSON))

    def _carried_out(self, accepted: Accepted, keep: bool) -> Answer:
        route, context = accepted.route, accepted.context
        if not route.writes:
            return self._changed(route, route.handler(context))
        try:
            with self.store.transaction():
                answer = self._changed(route, route.handler(context))
                if not keep:
                    raise _NotKept(answer)
            self.replica.written()
            return answer
        except BaseException as error:
            # The definitions in memory may come from the transaction that was just rolled back.
            self.templates.forget()
            if isinstance(error, _NotKept):
                return error.answer
            raise

    def _changed(self, route: Route, answer: Answer) -> Answer:
        """Return the answer with the changes that the settings of this instance demand."""
        rules = self.settings.answers.get(route.operation)
        if rules and answer.media == JSON:
            answer.body = encoded(changed_body(json.loads(answer.body), rules))
        return answer

    def _user(self, route: Route, call: Call) -> User:
        if not route.signed_in:
            return NOBODY
        user = user_of_token(self.store, call.headers.get("authorization", ""), self.clock.moment())
        if route.module in self.settings.modules_off or self.settings.missing_operations.get(route.operation) == 403:
            raise Refusal(403, FEATURE_OFF, key="feature")
        if not user.may(route.right):
            raise Refusal(403, f"The right {route.right} is missing")
        return user

    def _validated(self, route: Route, path: dict[str, str], call: Call, user: User, produces: str) -> Context:
        try:
            query = queries.parse(call.query)
        except queries.NoOperator:
            if self.weather["filter_without_operator"] == "error":
                raise Refusal(500, "Array to string conversion") from None
            raise bad_request("A filter is written filter[FIELD][operator]=value") from None
        operation = self.description.operation(route.method, route.full_path)
        parameters = self.description.check_parameters(operation, path, query.parameters)
        body = self._body(route, operation, call)
        return Context(self, call, path, query, parameters, body, user, self.clock.moment(), produces)

    def _body(self, route: Route, operation: Mapping[str, Any], call: Call) -> Any:
        content = self.description.body_media(operation)
        if not content:
            return None
        if call.media not in content:
            raise bad_request(f"A body of type {' or '.join(content)} is needed")
        if call.media == "multipart/form-data":
            return call.parts
        if call.media == "application/x-www-form-urlencoded":
            try:
                value: Any = dict(parse_qsl(call.body.decode(), keep_blank_values=True, strict_parsing=True))
            except ValueError:
                raise bad_request("The body is not a form") from None
        else:
            value = parse_json(call.body)
        name, schema = f"{route.method} {route.path} {call.media}", content[call.media]["schema"]
        self.description.check_body(name, schema, value, secret=not route.signed_in)
        return value

    def refused(self, refusal: Refusal) -> Answer:
        """Return an error in the form of this instance (section 7 of the interface does not show the form)."""
        if refusal.silent:
            return Answer(refusal.status)
        if refusal.key == "login":
            return answer_json({"detail": refusal.message}, refusal.status)
        form = self.weather["error_body"]
        if refusal.key == "feature" or form == "message":
            return Answer(refusal.status, encoded({"message": refusal.message}), JSON)
        if form == "empty":
            return Answer(refusal.status)
        if form == "text":
            return Answer(refusal.status, refusal.message.encode(), "text/plain")
        return answer_json({form: refusal.message}, refusal.status)
