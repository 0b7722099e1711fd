# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The differences between real instances, as switches. The sides of all switches together are called the weather.

One table lists all switches. The first side of a switch is the calm side, and the last is the rough side. The source
says why the switch exists: a section of the interface document, a gap in all documents, or an observation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True)
class Switch:
    """A difference between instances."""

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
    _switch("list_envelope", "items array", "a list is {items, ...}, or a bare array", "interface 2.8, seen"),
    _switch(
        "per_page_cap",
        "none 200 100 50",
        "per_page is honoured up to 1000, or a page has at most this number of records",
        "not stated",
    ),
    _switch(
        "list_total",
        "given text none",
        "the envelope of a list has the total as a number, has it as a text, or does not have it",
        "seen",
    ),
    _switch(
        "list_echo", "both page none", "the envelope of a list has page and per_page, only page, or neither", "seen"
    ),
    _switch(
        "unpaged_lists",
        "whole refuse paged",
        "tasks and field definitions are listed as a whole; or as a whole, and the parameter page is answered with "
        "400; or in pages of 2 tasks and 10 definitions",
        "not stated",
    ),
    _switch(
        "page_beyond_end", "empty clamp", "a page after the last page is empty, or is the last page again", "not stated"
    ),
    _switch(
        "history_beyond_end",
        "clamp empty",
        "a page after the last page of a history is the last page again, or is empty",
        "not stated",
    ),
    _switch(
        "page_order",
        "stable unstable",
        "without a sort, the order of records stays the same between pages, or changes",
        "not stated",
    ),
    _switch(
        "persons_envelope",
        "sort_by sort",
        "the list of persons echoes sort_by, order and sort, or only sort ([] if empty)",
        "seen",
    ),
    # filters
    _switch("filter_eq", "exact case_blind", "eq, neq, in and nin compare text exactly, or ignore case", "not stated"),
    _switch(
        "filter_unknown_field",
        "refuse ignore",
        "an unknown field in a filter or a sort is answered with 400, or is ignored",
        "not stated",
    ),
    _switch(
        "filter_without_operator",
        "refuse error",
        "filter[KEY]=value and filter[KEY][]=value are answered with 400, or with 500",
        "seen",
    ),
    _switch(
        "presence_operators",
        "honour refuse",
        "the operators empty, not_empty, null and not_null are accepted, or are answered with 400",
        "seen",
    ),
    _switch(
        "filter_links",
        "either id uuid",
        "a filter on a link compares its id and its uuid, or only its id, or only its uuid",
        "not stated",
    ),
    _switch(
        "places_filter", "honour ignore", "the lists of rooms and locations honour filters, or ignore them", "seen"
    ),
    _switch(
        "persons_filter",
        "honour ignore",
        "the list and the count of persons honour filters, or ignore them",
        "not stated",
    ),
    _switch(
        "persons_sort_by",
        "honour ignore",
        "the list of persons honours sort_by and order, or honours only sort[KEY]",
        "seen",
    ),
    _switch("task_filters", "honour ignore", "the list of tasks honours a range of deadlines, or ignores it", "seen"),
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
        "objects, rooms, locations and persons have an integer id, or have none; if links are integers, they always "
        "have an id",
        "not stated",
    ),
    _switch(
        "link_read", "object integer zero", "links are objects, or integers, or integers with 0 for no link", "seen"
    ),
    _switch(
        "number_form",
        "number string",
        "decimals, amounts of money and prices are numbers, or texts such as 1.50",
        "not stated",
    ),
    _switch("boolean_form", "boolean integer", "booleans are true and false, or 1 and 0", "not stated"),
    _switch(
        "empty_form",
        "as_sent null text list",
        "an empty value is read as it was sent, or as null, or '', or []",
        "not stated",
    ),
    _switch("empty_keys", "sent left_out", "records have the keys of empty fields, or leave them out", "not stated"),
    _switch(
        "linked_assets_read",
        "list one",
        "LINKED_ASSETS is always a list, or a single link is not in a list",
        "not stated",
    ),
    _switch(
        "datetime_read", "as_written utc", "DATETIME is read as it was written, or as Y-m-d H:i:s in UTC", "not stated"
    ),
    _switch("attachment_read", "objects uuids", "the files of a record are objects, or bare uuids", "not stated"),
    _switch("attachment_name", "none given", "files in ATTACHMENT fields have no name, or have their name", "seen"),
    _switch(
        "builtin_labels",
        "plain keys",
        "the labels of built-in fields are words, or translation keys such as itexia_scancode",
        "seen, the keys but for scancode inferred",
    ),
    _switch(
        "comparison_read",
        "status boolean",
        "FIELD_VALUE_COMPARISON is ok, deviation, missing, new or unknown; or it is true if both fields are equal",
        "inferred",
    ),
    _switch("archived_at", "given none", "objects have the time of their archiving, or do not have it", "not stated"),
    _switch(
        "archived_in_lists",
        "hidden shown",
        "lists and counts leave out archived objects, or include them if archived_at is set",
        "not stated",
    ),
    _switch(
        "hidden_objects",
        "unreadable readable nowhere",
        "objects that are hidden from an account are in no list and can't be read; or they can be read by uuid and "
        "barcode; or they can't be read, and their tasks, rental cases and hub items are hidden too",
        "not stated",
    ),
    _switch("user_display_name", "text list", "display_name of a user is a text, or a list of texts", "interface 2.6"),
    # records as they are written
    _switch(
        "patch_answer",
        "record empty_object empty no_content",
        "PATCH of a record is answered with the record, with {}, with 200 and no body, or with 204",
        "seen",
    ),
    _switch(
        "room_location",
        "coupled independent",
        "writing a room of an object also writes its location, or does not change the location",
        "help pages, not stated for the interface",
    ),
    _switch(
        "write_unknown_field",
        "refuse ignore",
        "an unknown key in a written record is answered with 400, or is ignored",
        "not stated",
    ),
    _switch(
        "unique_values",
        "unprocessable bad_request take",
        "a duplicate value of a unique field is answered with 422, is answered with 400, or is accepted",
        "not stated",
    ),
    _switch(
        "archive_repeat",
        "accept refuse",
        "archiving an archived object and unarchiving an active object are answered with 204, or with 422",
        "not stated",
    ),
    _switch(
        "delete_archived",
        "accept refuse",
        "deleting an archived object is answered with 204, or with 422",
        "not stated",
    ),
    _switch(
        "delete_referenced",
        "accept refuse",
        "deleting an object or a person to which other records refer is answered with 204, or with 422",
        "not stated",
    ),
    _switch(
        "delete_occupied",
        "refuse accept",
        "deleting a room or a location with contents, including archived objects, is answered with 422, or with 204",
        "not stated",
    ),
    _switch(
        "missing_record",
        "not_found unprocessable",
        "PATCH and DELETE of a missing record are answered with 404, or with 422",
        "not stated",
    ),
    _switch(
        "missing_person",
        "not_found empty",
        "GET of a missing user or person is answered with 404, or with 200 and no body",
        "not stated",
    ),
    _switch(
        "duplicate_labels",
        "accept refuse",
        "a second definition with the same label is accepted, or is answered with 422",
        "not stated",
    ),
    # headers and errors
    _switch("location_header", "url path", "the header Location is a complete URL, or a path", "seen"),
    _switch(
        "file_location",
        "plain data",
        "the header Location of an upload is the path of the file, or ends in /data",
        "seen",
    ),
    _switch(
        "error_body",
        "message detail title empty text",
        "errors are JSON with message, detail or title, or have no body, or are plain text",
        "interface 7, seen",
    ),
    _switch(
        "retry_after",
        "seconds date none",
        "an answer 429 has Retry-After in seconds, has it as a date, or does not have it",
        "not stated",
    ),
    _switch(
        "rate_headers",
        "none given",
        "answers have no headers about the rate limit, or have X-RateLimit-Limit and X-RateLimit-Remaining",
        "not stated",
    ),
    _switch("cors", "none any_origin", "answers have no CORS header, or allow any origin", "not stated"),
    # tokens and users
    _switch(
        "wrong_password", "unauthorized bad_request", "wrong credentials are answered with 401, or with 400", "seen"
    ),
    _switch(
        "refresh_rotation", "once_more single_use", "a used refresh token works once more, or is invalid", "not stated"
    ),
    _switch(
        "revoke", "session user", "DELETE auth_token ends its own session, or all sessions of the user", "not stated"
    ),
    _switch("refresh_token", "accept refuse", "refresh tokens work, or are always refused", "not stated"),
    _switch(
        "create_user_none",
        "not_found nothing",
        "if create-user finds no person, the answer is 404, or is 201 without a new user",
        "not stated",
    ),
    _switch(
        "create_user_several",
        "all refuse",
        "if create-user finds more than one person, all of them become users, or the answer is 400",
        "not stated",
    ),
    _switch(
        "create_user_email",
        "refuse share",
        "if a user has the e-mail address already, create-user is answered with 400, or reuses that user",
        "not stated",
    ),
    # files
    _switch(
        "file_results",
        "messages objects",
        "the answer 207 of add-file and remove-file has messages, or has objects with a status",
        "seen",
    ),
    _switch(
        "unattached_files",
        "keep forget",
        "files without references are kept, or only the newest 20 of them are kept",
        "not stated",
    ),
    # tasks
    _switch(
        "task_reminders",
        "zero_to_two one_to_two",
        "a task may have 0 to 2 reminders, or 1 to 2",
        "interface 2.3, not stated",
    ),
    _switch(
        "task_empty_references",
        "accept refuse",
        "a task without references is accepted, or is answered with 400",
        "seen",
    ),
    _switch("task_slug", "given none", "tasks have a slug, or do not have it", "seen"),
    _switch("task_stamps", "none null", "tasks have no created_at and updated_at, or have both with null", "seen"),
    _switch(
        "task_put_omitted",
        "clear keep",
        "PUT without a comment or without attachments clears them, or keeps them",
        "not stated",
    ),
    _switch(
        "task_notify", "when_true always", "assignees are notified of a task if notify is true, or always", "not stated"
    ),
    # rental cases
    _switch(
        "rental_hours",
        "present absent",
        "rental cases have is_full_day, issue_at and due_at, or have only days",
        "seen",
    ),
    _switch(
        "rental_day_form",
        "day time",
        "issue_date and due_date are days, or are read as Y-m-d H:i:s and may be written in that form",
        "seen",
    ),
    _switch(
        "rental_overlap",
        "accept refuse",
        "a second rental case of an object at the same time is accepted, or is answered with 422",
        "not stated",
    ),
    _switch(
        "rental_null_reminder",
        "accept refuse",
        "null for a reminder of a rental case is accepted, or is answered with 400",
        "seen",
    ),
    _switch("rental_omitted_reminder", "clear keep", "PUT without a reminder clears it, or keeps it", "not stated"),
    _switch(
        "rental_missing_renter",
        "accept error",
        "a rental case without a renter is accepted, or is answered with 500",
        "seen",
    ),
    _switch(
        "rental_missing_comment",
        "accept refuse",
        "a rental case without a comment is accepted, or is answered with 400",
        "seen",
    ),
    _switch(
        "rental_missing_status", "keep reset", "PUT without a status keeps it, or resets it to requested", "not stated"
    ),
    _switch(
        "rental_overdue_status",
        "accept refuse",
        "a client may set an overdue status, or is answered with 400 unless the rental case already has that status",
        "not stated",
    ),
    _switch(
        "rental_overdue",
        "stay move",
        "the status of a rental case stays, or becomes overdue automatically after its day",
        "not stated",
    ),
    _switch(
        "rental_renter_read", "object text", "the renter is read as {type, value}, or as a text", "interface 2.4, seen"
    ),
    _switch(
        "rental_references",
        "full reduced",
        "references of rental cases have name and id, or have only type and uuid",
        "seen",
    ),
    _switch(
        "rental_stamps",
        "given none",
        "rental cases have author, created_at and updated_at, or do not have them",
        "seen",
    ),
    # circularity hub
    _switch("hub_nothing", "object list", "if there is nothing to suggest, the answer is {}, or is []", "not stated"),
    _switch(
        "hub_repeat_offer",
        "refuse accept",
        "offering an object twice is answered with 422, or creates a second item",
        "not stated",
    ),
    _switch(
        "hub_category",
        "any known",
        "every category is accepted, or only suggested categories are accepted",
        "not stated",
    ),
    _switch(
        "hub_priceless_object",
        "accept error",
        "offering an object without a purchasing price is accepted, or is answered with 500",
        "not stated",
    ),
    _switch(
        "hub_billing_keys",
        "camel snake",
        "billing data has firstName and lastName, or has first_name and last_name",
        "seen",
    ),
    # versions
    _switch(
        "later_endpoints",
        "present absent",
        "by-barcode, histories, reports and the catalog exist, or are answered with 404",
        "not stated",
    ),
)

BY_NAME: Mapping[str, Switch] = {switch.name: switch for switch in TABLE}


class UnknownSide(ValueError):
    """Raised for a switch or a side that does not exist."""


class Weather:
    """The current side of every switch."""

    def __init__(self, sides: Mapping[str, str] | None = None) -> None:
        self._sides = {switch.name: switch.calm for switch in TABLE}
        if sides:
            self.set(sides)

    def __getitem__(self, name: str) -> str:
        return self._sides[name]

    def set(self, sides: Mapping[str, str]) -> None:
        """Set the given switches, or none of them if one is unknown. ``weather`` sets all switches."""
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
    """Parse ``name=side`` from the command line."""
    name, equals, side = text.partition("=")
    if not equals:
        raise UnknownSide(f"a switch is written name=side, not {text!r}")
    return name, _known(name, side)


def from_profile(text: str) -> dict[str, str]:
    """Return the sides in the profile of an instance, which is JSON: ``{"switches": {NAME: {"side": SIDE or null}}}``.

    :raises UnknownSide: if it is not a profile, or has unknown switches.
    """
    try:
        sides = {name: entry["side"] for name, entry in json.loads(text)["switches"].items()}
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
        suggestions = get_close_matches(name, BY_NAME, n=3)
        hint = f"; near: {', '.join(suggestions)}" if suggestions else ""
        raise UnknownSide(f"no switch is called {name!r}{hint}")
    if side not in switch.sides:
        raise UnknownSide(f"{name} is one of {', '.join(switch.sides)}, not {side!r}")
    return str(side)
