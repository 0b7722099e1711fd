# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens for a play, and users created from persons (sections 4.1, 4.2 rule 2 and 5 of the interface)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..client.attempts import Effect
from ..client.client import Client
from ..client.connection import from_environment
from ..client.record import Record
from ..client.settling import send_once
from ..errors import AccessTokenRefused, InvalidInput, NoMatch, OutcomeUnknown
from ..model.kinds import KINDS
from ..model.schema import Schema
from ..reconcile.result import Result
from ..resolve import natural_keys
from ..resolve.field_visibility import field_visibility_of
from ..resolve.listing import matching_records
from ..resolve.read_cache import Reading, find_records

PERSON, USER = KINDS["person"], KINDS["user"]


def auth_token(client: Client, options: Mapping[str, Any], check_mode: bool) -> dict[str, Any]:
    """Sign in (state present: the token pair, never changed) or revoke every token of the user (state absent)."""
    if options["state"] == "absent":
        return {"changed": _would_revoke(client) if check_mode else client.tokens.revoke()}
    given = from_environment(options)
    grant = options["grant_type"]
    members = {
        "password": ("username", "password"),
        "refresh_token": ("refresh_token",),
        "sso_auth_code": ("provider_name", "auth_code", "app_target"),
    }[grant]
    body = {"grant_type": grant, "client_id": given.get("client_id"), **{name: given.get(name) for name in members}}
    missing = [name for name, value in body.items() if not value and name != "app_target"]
    if missing:
        raise InvalidInput(
            f"The grant {grant} needs {', '.join(missing)}, which is not given (neither as an option nor in the "
            f"environment)."
        )
    return {"changed": False, **client.tokens.grant({name: value for name, value in body.items() if value})}


def _would_revoke(client: Client) -> bool:
    pairs = [("page", "1"), ("per_page", "1")]
    if not client.tokens.is_given:
        # A cached token may come from another process. This request replaces it if it is no longer valid.
        client.send("GET", USER.list_path, pairs=pairs)
        return True
    try:
        client.transport.request("GET", USER.list_path, pairs=pairs, token=client.tokens.current())
    except AccessTokenRefused:
        return False
    return True


def user_to_come(options: Mapping[str, Any]) -> Result:
    """Return the prediction for a person whom an earlier task may create."""
    person = options["person"]
    after = {"email": person} if isinstance(person, str) else {"person": options["filters"] or person}
    return Result(True, diff={"before": {}, "after": after})


def user_from_person(client: Client, options: Mapping[str, Any], check_mode: bool) -> Result:
    """Create a user from exactly one person, once.

    :param options: person (a reference), or filters as the info modules accept them, evaluated on the complete list.
    :raises NoMatch: if no person matches; ``Ambiguous`` if several match or share the e-mail address.
    """
    reading = Reading(client)
    everyone = reading.listed(PERSON)
    if options["filters"] is None:
        [found] = find_records(client, PERSON, {"person": options["person"]}, reading)
    else:
        found = _matching(client, everyone, options["filters"])
    email = found.flat.get("email")
    if "email" not in found.flat:
        field_visibility_of(client, client.schema(PERSON), everyone, ["email"]).check_written(["email"])
    if not isinstance(email, str) or not email:
        raise InvalidInput(f"The person {found.uuid} has no e-mail address; a user can't be created without it.")
    namesakes = natural_keys.identified(Schema(PERSON, PERSON.identity), ["email"], {"email": email}, everyone)
    natural_keys.only_record(
        PERSON,
        f"the e-mail address {email!r}",
        namesakes,
        advice="each of them would become a user, so give every person an address of their own",
    )
    user = _user_of(client, found, email)
    if user is not None:
        return Result(False, _show(user), user.uuid, {"before": {}, "after": {}})
    diff = {"before": {}, "after": {"email": email}}
    if check_mode:
        return Result(True, {"email": email}, None, diff)
    user = make_user(client, email)
    return Result(True, _show(user), user.uuid, diff)


def _matching(client: Client, everyone: Sequence[Record], filters: Mapping[str, Any]) -> Record:
    matching = matching_records(client, client.schema(PERSON), filters, everyone)
    found = natural_keys.only_record(PERSON, f"the filters {dict(filters)!r}", matching, advice="set person instead")
    if found is None:
        raise NoMatch(f"There is no person that fits {dict(filters)!r}.")
    return found


def _user_of(client: Client, person: Record, email: str) -> Record | None:
    linked = person.flat.get("user_uuid")
    user = client.get(USER, linked) if isinstance(linked, str) and linked else None
    return user or _user_with(client, email)


def _user_with(client: Client, email: str) -> Record | None:
    schema = Schema(USER, USER.identity)
    return natural_keys.only_record(
        USER,
        f"the e-mail address {email!r}",
        natural_keys.identified(schema, ["email"], {"email": email}, client.list_all(USER)),
    )


def _show(user: Record) -> dict[str, Any]:
    return {**Schema.for_kind(USER).show(user.flat), "uuid": user.uuid}


def make_user(client: Client, email: str, defers: bool = False) -> Record:
    """Create a user from the person with an e-mail address that only one person has. Send the request once.

    :param defers: raise a lost answer at once; the caller looks for the user later.
    """
    # Every person that the filter finds becomes a user and gets an e-mail, so send the request once, for one address,
    # and never repeat it.
    body = {"filter": {"email": {"eq": email}}}

    def send() -> Record:
        client.send("POST", "/persons/create-user", Effect.UNSAFE, body=body)
        user = _user_with(client, email)
        if user is None:
            raise OutcomeUnknown(f"The service accepted the new user {email}, but its list of users does not show one.")
        return user

    with client.creations.making(USER.name):
        return send_once(client.transport, send, lambda: _user_with(client, email), "it sends an e-mail", defers)
