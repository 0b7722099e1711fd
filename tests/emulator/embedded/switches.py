# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The weather: what real instances do differently, as switches.

One table says it all. The first side of a switch is the calm one, the last is the awkward one. Source says why there
is a switch: a section of the interface document, something that no document states, or what was seen on instances.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True)
class Switch:
    """One thing that instances do differently."""

    name: str
    sides: tuple[str, ...]
    meaning: str
    source: str

    @property
    def calm(self) -> str:
        return self.sides[0]

    @property
    def rough(self) -> str:
        return self.sides[-1]


def _switch(name: str, sides: str, meaning: str, source: str) -> Switch:
    return Switch(name, tuple(sides.split()), meaning, source)


TABLE: tuple[Switch, ...] = (
    # lists and pages
    _switch("list_envelope", "items array", "lists come as {items, ...} or as bare arrays", "interface 2.8, seen"),
    _switch(
        "per_page_cap",
        "none 200 100 50",
        "per_page is honoured up to 1000, or a page has at most this many records",
        "not stated",
    ),
    _switch(
        "list_total", "given text none", "the envelope of a list has the total as a number, as a text, or not", "seen"
    ),
    _switch(
        "list_echo", "both page none", "the envelope of a list has page and per_page, page alone, or neither", "seen"
    ),
    _switch(
        "unpaged_lists",
        "whole refuse paged",
        "tasks and field definitions come whole, or whole and page is 400, or in pages of 2 and of 10",
        "not stated",
    ),
    _switch("page_beyond_end", "empty clamp", "a page past the end is empty, or is the last page again", "not stated"),
    _switch(
        "history_beyond_end",
        "clamp empty",
        "a page past the end of a history is the last page, or is empty",
        "not stated",
    ),
    _switch(
        "page_order",
        "stable unstable",
        "without a sort, records keep their order from page to page, or do not",
        "not stated",
    ),
    _switch(
        "persons_envelope",
        "sort_by sort",
        "the list of persons echoes sort_by, order and sort, or sort alone ([] when empty)",
        "seen",
    ),
    # filters
    _switch("filter_eq", "exact case_blind", "eq, neq, in and nin compare text exactly, or without case", "not stated"),
    _switch(
        "filter_unknown_field",
        "refuse ignore",
        "an unknown field in a filter or a sort is 400, or is ignored",
        "not stated",
    ),
    _switch(
        "filter_without_operator", "refuse error", "filter[KEY]=value and filter[KEY][]=value are 400, or 500", "seen"
    ),
    _switch("presence_operators", "honour refuse", "empty, not_empty, null and not_null are known, or are 400", "seen"),
    _switch(
        "filter_links",
        "either id uuid",
        "a filter on a link compares its id and its uuid, or only one of them",
        "not stated",
    ),
    _switch(
        "places_filter", "honour ignore", "the lists of rooms and locations honour filters, or ignore them", "seen"
    ),
    _switch(
        "persons_filter", "honour ignore", "list and count of persons honour filters, or ignore them", "not stated"
    ),
    _switch(
        "persons_sort_by", "honour ignore", "the list of persons honours sort_by and order, or only sort[KEY]", "seen"
    ),
    _switch("task_filters", "honour ignore", "the list of tasks honours the deadline range, or ignores it", "seen"),
    # records as they are read
    _switch(
        "record_shape",
        "flat fields uuid_fields",
        "records are flat maps, or {fields}, or {uuid, fields}",
        "interface 2.1, seen",
    ),
    _switch("uuid_key", "both named", "records have uuid and asset_uuid (room_uuid, ...), or only the latter", "seen"),
    _switch(
        "record_id",
        "given none",
        "objects, rooms, locations and persons have an integer id, or none; where links are integers, they have one",
        "not stated",
    ),
    _switch("link_read", "object integer zero", "links are objects, or integers, or integers with 0 for none", "seen"),
    _switch(
        "number_form", "number string", "decimals, money and prices are numbers, or texts such as 1.50", "not stated"
    ),
    _switch("boolean_form", "boolean integer", "booleans are true and false, or 1 and 0", "not stated"),
    _switch(
        "empty_form",
        "as_sent null text list",
        "an empty value is read as it was sent, or as null, or '', or []",
        "not stated",
    ),
    _switch("empty_keys", "sent left_out", "records have the keys of empty fields, or not", "not stated"),
    _switch(
        "linked_assets_read",
        "list one",
        "LINKED_ASSETS is always a list, or a single link comes without one",
        "not stated",
    ),
    _switch(
        "linked_assets_name",
        "LINKED_ASSETS LINKED_ASSET",
        "the name of the type of links to objects in definitions",
        "interface 2.1, seen",
    ),
    _switch(
        "datetime_read", "as_written utc", "DATETIME is read as it was written, or as Y-m-d H:i:s in UTC", "not stated"
    ),
    _switch("attachment_read", "objects uuids", "files of a record are objects, or bare uuids", "not stated"),
    _switch("attachment_name", "none given", "files in ATTACHMENT fields come without, or with their name", "seen"),
    _switch(
        "builtin_labels",
        "plain keys",
        "the labels of built-in fields are words, or translation keys such as itexia_scancode",
        "seen, the keys but for scancode inferred",
    ),
    _switch(
        "comparison_read",
        "status boolean",
        "FIELD_VALUE_COMPARISON is ok, deviation, missing, new or unknown, or whether both fields are equal",
        "inferred",
    ),
    _switch("archived_at", "given none", "objects have the time when they were archived, or do not", "not stated"),
    _switch(
        "archived_in_lists",
        "hidden shown",
        "lists and counts leave archived objects out, or show them if archived_at is set",
        "not stated",
    ),
    _switch(
        "hidden_objects",
        "unreadable readable nowhere",
        "objects that an account may not see are in no list and cannot be read; or can be read by uuid and barcode; or "
        "tasks, rental cases and hub items about them are hidden as well",
        "not stated",
    ),
    _switch("user_display_name", "text list", "display_name of a user is a text, or a list of texts", "interface 2.6"),
    # records as they are written
    _switch(
        "patch_answer",
        "record empty_object empty no_content",
        "PATCH of a record answers the record, {}, nothing with 200, or 204",
        "seen",
    ),
    _switch(
        "room_location",
        "coupled independent",
        "writing a room of an object writes its location too, or leaves it",
        "help pages, not stated for the interface",
    ),
    _switch(
        "write_unknown_field", "refuse ignore", "an unknown key in a written record is 400, or is ignored", "not stated"
    ),
    _switch(
        "unique_values",
        "unprocessable bad_request take",
        "a second value of a unique field is 422, or 400, or is accepted",
        "not stated",
    ),
    _switch(
        "archive_repeat", "accept refuse", "archiving twice, unarchiving an active object: 204, or 422", "not stated"
    ),
    _switch("delete_archived", "accept refuse", "deleting an archived object: 204, or 422", "not stated"),
    _switch(
        "delete_referenced",
        "accept refuse",
        "deleting an object or a person that others refer to: 204, or 422",
        "not stated",
    ),
    _switch(
        "delete_occupied",
        "refuse accept",
        "deleting a room or a location with anything in it, archived objects included: 422, or 204",
        "not stated",
    ),
    _switch(
        "missing_record",
        "not_found unprocessable",
        "PATCH and DELETE of a missing record: 404, or 422",
        "not stated",
    ),
    _switch(
        "missing_person", "not_found empty", "GET of a missing user or person: 404, or nothing with 200", "not stated"
    ),
    _switch("duplicate_labels", "accept refuse", "two definitions with one label: accepted, or 422", "not stated"),
    # headers and errors
    _switch("location_header", "url path", "Location is a complete URL, or a path", "seen"),
    _switch("file_location", "plain data", "Location of an upload is the file, or ends in /data", "seen"),
    _switch(
        "error_body",
        "message detail title empty text",
        "errors are JSON with message, detail or title, or have no body, or plain text",
        "interface 7, seen",
    ),
    _switch(
        "retry_after",
        "seconds date none",
        "the rate limit says when to try again, in seconds, as a date, or not",
        "not stated",
    ),
    _switch(
        "rate_headers",
        "none given",
        "answers say nothing about the rate limit, or have X-RateLimit-Limit and X-RateLimit-Remaining",
        "not stated",
    ),
    _switch("cors", "none any_origin", "answers have no CORS header, or allow any origin", "not stated"),
    # tokens and users
    _switch("wrong_password", "unauthorized bad_request", "wrong credentials are 401, or 400", "seen"),
    _switch(
        "refresh_rotation", "once_more single_use", "a used refresh token works once more, or is invalid", "not stated"
    ),
    _switch("revoke", "session user", "DELETE auth_token ends its own session, or all of the user's", "not stated"),
    _switch("refresh_token", "accept refuse", "refresh tokens work, or are always refused", "not stated"),
    _switch(
        "create_user_none",
        "not_found nothing",
        "create-user that finds no person: 404, or 201 and no user",
        "not stated",
    ),
    _switch(
        "create_user_several",
        "all refuse",
        "create-user that finds several persons: all become users, or 400",
        "not stated",
    ),
    _switch(
        "create_user_email",
        "refuse share",
        "create-user for an e-mail address that has a user: 400, or that user is reused",
        "not stated",
    ),
    # files
    _switch(
        "file_results",
        "messages objects",
        "207 of add-file and remove-file has messages, or objects with a status",
        "seen",
    ),
    _switch(
        "unattached_files",
        "keep forget",
        "files that nothing refers to stay, or only the newest 20 of them",
        "not stated",
    ),
    # tasks
    _switch(
        "task_reminders", "zero_to_two one_to_two", "how many reminders a task may have", "interface 2.3, not stated"
    ),
    _switch("task_empty_references", "accept refuse", "a task without references: accepted, or 400", "seen"),
    _switch("task_slug", "given none", "tasks have a slug, or not", "seen"),
    _switch("task_stamps", "none null", "tasks have no created_at and updated_at, or both are null", "seen"),
    _switch(
        "task_put_omitted", "clear keep", "PUT without comment or attachments clears them, or keeps them", "not stated"
    ),
    _switch(
        "task_notify", "when_true always", "assignees are notified of a task if notify is true, or always", "not stated"
    ),
    # rental cases
    _switch(
        "rental_hours",
        "present absent",
        "rental cases have is_full_day, issue_at and due_at, or only days",
        "seen",
    ),
    _switch(
        "rental_day_form",
        "day time",
        "issue_date and due_date are days, or read Y-m-d H:i:s and may be written so",
        "seen",
    ),
    _switch(
        "rental_overlap", "accept refuse", "two rental cases of an object at one time: accepted, or 422", "not stated"
    ),
    _switch("rental_null_reminder", "accept refuse", "null for a reminder of a rental case: accepted, or 400", "seen"),
    _switch("rental_omitted_reminder", "clear keep", "PUT without a reminder clears it, or keeps it", "not stated"),
    _switch("rental_missing_renter", "accept error", "a rental case without a renter: accepted, or 500", "seen"),
    _switch("rental_missing_comment", "accept refuse", "a rental case without a comment: accepted, or 400", "seen"),
    _switch(
        "rental_missing_status", "keep reset", "PUT without a status keeps it, or resets it to requested", "not stated"
    ),
    _switch(
        "rental_overdue_status",
        "accept refuse",
        "a client may set an overdue status, or gets 400 unless the rental case has it already",
        "not stated",
    ),
    _switch(
        "rental_overdue",
        "stay move",
        "a status stays, or becomes overdue by itself when its day has passed",
        "not stated",
    ),
    _switch(
        "rental_renter_read", "object text", "the renter is read as {type, value}, or as a text", "interface 2.4, seen"
    ),
    _switch("rental_references", "full reduced", "references have name and id, or only type and uuid", "seen"),
    _switch("rental_stamps", "given none", "rental cases have author, created_at and updated_at, or not", "seen"),
    # circularity hub
    _switch("hub_nothing", "object list", "nothing to suggest is {}, or []", "not stated"),
    _switch("hub_repeat_offer", "refuse accept", "offering an object twice: 422, or a second item", "not stated"),
    _switch("hub_category", "any known", "any category is accepted, or only those that are suggested", "not stated"),
    _switch(
        "hub_priceless_object",
        "accept error",
        "offering an object without a purchasing price: accepted, or 500",
        "not stated",
    ),
    _switch(
        "hub_billing_keys",
        "camel snake",
        "billing data has firstName and lastName, or first_name and last_name",
        "seen",
    ),
    # versions
    _switch(
        "later_endpoints",
        "present absent",
        "by-barcode, histories, reports and the catalog exist, or are 404",
        "not stated",
    ),
)

BY_NAME: Mapping[str, Switch] = {switch.name: switch for switch in TABLE}


class UnknownSide(ValueError):
    """A switch or a side that does not exist."""


class Weather:
    """The side that every switch is on."""

    def __init__(self, sides: Mapping[str, str] | None = None) -> None:
        self._sides = {switch.name: switch.calm for switch in TABLE}
        if sides:
            self.set(sides)

    def __getitem__(self, name: str) -> str:
        return self._sides[name]

    def set(self, sides: Mapping[str, str]) -> None:
        """Turn the given switches, or none of them if one is unknown. ``weather`` turns all."""
        wanted: dict[str, str] = {}
        if "weather" in sides:
            wanted.update(all_sides(sides["weather"]))
        for name, side in sides.items():
            if name != "weather":
                wanted[name] = _known(name, side)
        self._sides.update(wanted)

    def key(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the sides of some switches, as a key for a cache."""
        return tuple(self._sides[name] for name in names)

    def as_json(self) -> dict[str, object]:
        return {switch.name: {"side": self._sides[switch.name], "sides": list(switch.sides)} for switch in TABLE}


def all_sides(weather: str) -> dict[str, str]:
    """Return the sides of all switches in calm or rough weather."""
    if weather not in ("calm", "rough"):
        raise UnknownSide(f"weather is calm or rough, not {weather!r}")
    return {switch.name: switch.calm if weather == "calm" else switch.rough for switch in TABLE}


def parse(text: str) -> tuple[str, str]:
    """``name=side`` as it is written on the command line."""
    name, equals, side = text.partition("=")
    if not equals:
        raise UnknownSide(f"a switch is written name=side, not {text!r}")
    return name, _known(name, side)


def from_profile(text: str) -> dict[str, str]:
    """Return the sides that a profile of an instance tells, as JSON: ``{"switches": {NAME: {"side": SIDE or null}}}``.

    Raises UnknownSide for what is no profile, or one with switches that are not known here.
    """
    try:
        entries = json.loads(text)["switches"].items()
        sides = {name: entry["side"] for name, entry in entries}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UnknownSide("this is not the profile of an instance") from None
    return {name: _known(name, side) for name, side in sides.items() if side is not None}


def as_markdown() -> str:
    """Return the table for the documentation."""
    lines = ["| Switch | Sides (calm first, rough last) | Meaning | Source |", "|---|---|---|---|"]
    for switch in TABLE:
        sides = ", ".join(f"`{side}`" for side in switch.sides)
        lines.append(f"| `{switch.name}` | {sides} | {switch.meaning} | {switch.source} |")
    return "\n".join(lines) + "\n"


def _known(name: str, side: object) -> str:
    switch = BY_NAME.get(name)
    if switch is None:
        near = get_close_matches(name, BY_NAME, n=3)
        hint = f"; near: {', '.join(near)}" if near else ""
        raise UnknownSide(f"no switch is called {name!r}{hint}")
    if side not in switch.sides:
        raise UnknownSide(f"{name} is one of {', '.join(switch.sides)}, not {side!r}")
    return str(side)
