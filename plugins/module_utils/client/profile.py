# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The profile of an instance as a probe wrote it.

An answer that contradicts the profile shows that the instance has changed. This check sends no requests. The profile
also saves requests that guard against behaviour that this instance does not have.

A member in an answer proves something. A missing member proves something only if every record has it.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ..errors import InvalidInput, NotJson
from ..local.safe_files import Folder
from ..model.field import EMPTY, Spelling, shorten
from ..model.kinds import (
    ARCHIVED_AT,
    FILE,
    KINDS,
    LOCATION,
    OBJECT,
    PERSON,
    RENTAL_CASE,
    ROOM,
    SERVER_KEYS,
    TASK,
    TEMPLATE_KINDS,
    USER,
    Kind,
    flatten,
)
from ..model.types_basic import FIELD_TYPES, UNWRITABLE
from ..model.types_links import ATTACHMENTS
from .transport import Response

PROFILE_VERSION = 1
"""The version of the form of a profile."""

_LARGEST = 1 << 20
_MOST_CHECKED = 20
"""Number of records of one answer that are checked."""

_IN_ENVELOPES = (OBJECT, ROOM, LOCATION, RENTAL_CASE)
_BY_FIELDS = (*TEMPLATE_KINDS.values(), LOCATION)
CAPS = (200, 100, 50)
"""The largest pages of instances with a cap, as the switches name them."""
_DAY = len("2031-05-31")
_NUMBER_TEXT = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_SIDE = re.compile("[A-Za-z0-9_]{1,64}")
_DATE = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")
_STATUSES = ("ok", "deviation", "missing", "new", "unknown")
"""The statuses computed from an expected and an actual field."""

LINKS = tuple(name for name, field_type in FIELD_TYPES.items() if field_type.shape == "reference")
"""Types of fields that link to one record."""

HIDDEN_RECORDS = "hidden_records"
"""The member of a profile that says whether records are hidden from the account."""

ObservedSides = Iterator[tuple[str, str]]
"""Switches, each with the observed side."""


@dataclass
class Profile:
    """The behaviour of an instance when it was probed.

    :ivar sides: switch to side, and :data:`HIDDEN_RECORDS` for the account that probed.
    :ivar date: the day of the probe.
    :ivar note: called once with each contradiction.
    """

    sides: Mapping[str, str]
    date: str = ""
    note: Callable[[str], None] = lambda _line: None
    _reported: set[str] = field(default_factory=set)
    _mutex: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def read(cls, path: str, note: Callable[[str], None]) -> Profile:
        """Return the profile in a file.

        :raises InvalidInput: if there is none.
        """
        try:
            content = Folder.read_named(Path(path).expanduser(), _LARGEST)
        except InvalidInput as error:
            raise InvalidInput(f"profile: {error.message}") from error
        except OSError as error:
            raise InvalidInput(f"profile: {path} can't be read: {error.strerror or error}") from error
        try:
            said = json.loads(content)
            entries = {str(name): dict(entry) for name, entry in said["switches"].items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            # The file may be anything, such as a private key, so show none of its content.
            raise InvalidInput(
                f"profile: {path} is not the profile of an instance, as community.seventhings.probe writes it: "
                f"expected JSON with a map of switches, each with its side"
            ) from error
        form = said.get("version")
        if isinstance(form, Mapping) and form.get("profile") != PROFILE_VERSION:
            raise InvalidInput(
                f"profile: {path} is of version {shorten(form.get('profile'))}; expected {PROFILE_VERSION}. Probe the "
                f"instance again."
            )
        sides = {name: entry["side"] for name, entry in entries.items() if _is_side(entry.get("side"))}
        date, account = said.get("date"), said.get("account")
        if isinstance(account, Mapping) and _is_side(account.get(HIDDEN_RECORDS)):
            sides[HIDDEN_RECORDS] = account[HIDDEN_RECORDS]
        return cls(sides, date if isinstance(date, str) and _DATE.fullmatch(date) else "", note)

    def check_answer(
        self, method: str, path: str, answer: Response, types: Callable[[Kind], Mapping[str, str]]
    ) -> None:
        """Check an answer that was needed anyway.

        :param types: returns the types of the fields of a kind by key, as far as they are known already.
        """
        try:
            for switch, side in _observed(method, path, answer, types):
                if switch in self.sides and not _agree(switch, self.sides[switch], side):
                    self._report(switch, side, f"{method} {_shown(path)}")
        except NotJson:
            # The caller reports this error.
            return

    def _report(self, switch: str, side: str, request: str) -> None:
        with self._mutex:
            if switch in self._reported:
                return
            self._reported.add(switch)
        when = f" since it was probed on {self.date}" if self.date else ""
        self.note(
            f"profile: this instance has changed{when}: {switch} was {self.sides[switch]}, and {request} shows {side}. "
            "Probe it again."
        )


def _is_side(value: Any) -> bool:
    """Return True if a value is a valid name of a side. A profile may be foreign, and its names appear in warnings."""
    return isinstance(value, str) and _SIDE.fullmatch(value) is not None


def _agree(switch: str, was: str, now: str) -> bool:
    # "integer" and "zero" are both numbers. Only an empty link distinguishes them.
    return was == now or (switch == "link_read" and {was, now} == {"integer", "zero"} and now == "integer")


def _shown(path: str) -> str:
    """Return a path without the identifier of a record."""
    kind = _kind_of_item(path)
    return path if kind is None else kind.item_path


def _kind_of_item(path: str) -> Kind | None:
    for kind in KINDS.values():
        before, _mark, after = kind.item_path.partition("{uuid}")
        if before and not after and not kind.defines_fields and path.startswith(before):
            return kind
    return None


_LISTS = {kind.list_path: kind for kind in KINDS.values()}
_CREATIONS = {kind.create_path: kind for kind in KINDS.values() if kind.create_path and not kind.defines_fields}


def _observed(method: str, path: str, answer: Response, types: Callable[[Kind], Mapping[str, str]]) -> ObservedSides:
    """Return the sides that an answer shows."""
    yield from _headers(answer)
    listed, item = _LISTS.get(path), _kind_of_item(path)
    if method == "POST":
        yield from _created(path, answer)
    elif method == "PATCH" and item in _BY_FIELDS:
        yield from _patched(answer)
    elif method == "GET" and listed is not None:
        decoded = answer.json()
        items = decoded.get("items") if isinstance(decoded, Mapping) else decoded
        records = [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
        yield from _envelope(listed, decoded, len(records))
        yield from _records(listed, records[:_MOST_CHECKED], types)
    elif method == "GET" and item is not None and "/" not in path.removeprefix(item.item_path.partition("{")[0]):
        decoded = answer.json()
        yield from _records(item, [decoded] if isinstance(decoded, Mapping) else [], types)


def _headers(answer: Response) -> ObservedSides:
    names = {name.casefold() for name in answer.headers}
    if any(name.startswith("x-ratelimit") for name in names):
        yield "rate_headers", "given"
    if "access-control-allow-origin" in names:
        yield "cors", "any_origin"


def _created(path: str, answer: Response) -> ObservedSides:
    location = answer.headers.get("Location", "")
    kind = _CREATIONS.get(path)
    if location and kind is not None:
        yield "location_header", "url" if "://" in location else "path"
    if location and path == FILE.item_path.partition("/{")[0]:
        yield "file_location", "data" if location.rstrip("/").endswith("/data") else "plain"


def _patched(answer: Response) -> ObservedSides:
    if answer.status == HTTPStatus.NO_CONTENT:
        yield "patch_answer", "no_content"
    elif not answer.body.strip():
        yield "patch_answer", "empty"
    else:
        yield "patch_answer", "record" if answer.json() else "empty_object"


def _envelope(kind: Kind, decoded: Any, number: int) -> ObservedSides:
    if kind in _IN_ENVELOPES:
        is_bare = isinstance(decoded, list)
        yield "list_envelope", "array" if is_bare else "items"
        if isinstance(decoded, Mapping):
            yield "list_total", total_side(decoded)
            yield "list_echo", echo_side(decoded)
    if kind is PERSON and isinstance(decoded, Mapping) and not {"sort", "sort_by"}.isdisjoint(decoded):
        yield "persons_envelope", "sort_by" if "sort_by" in decoded else "sort"
    per_page = decoded.get("per_page") if isinstance(decoded, Mapping) else None
    if number > max(CAPS):
        yield "per_page_cap", "none"
    elif kind in _IN_ENVELOPES and number == per_page and per_page in CAPS:
        yield "per_page_cap", str(per_page)


def total_side(envelope: Mapping[str, Any]) -> str:
    """Return the form of the total in an envelope."""
    if "total" not in envelope:
        return "none"
    return "text" if isinstance(envelope["total"], str) else "given"


def echo_side(envelope: Mapping[str, Any]) -> str:
    """Return what an envelope repeats of the requested page."""
    if "per_page" in envelope:
        return "both"
    return "page" if "page" in envelope else "none"


def _records(
    kind: Kind, records: Sequence[Mapping[str, Any]], types: Callable[[Kind], Mapping[str, str]]
) -> ObservedSides:
    observers: Mapping[str, Callable[[Mapping[str, Any]], ObservedSides]] = {
        TASK.name: _task,
        RENTAL_CASE.name: _rental_case,
        USER.name: _user,
    }
    known = types(kind) if kind in _BY_FIELDS else {}
    for raw in records:
        if kind in _BY_FIELDS:
            yield from _shape(kind, raw)
            yield from _fields(kind, flatten(kind, raw), known)
        elif kind.name in observers:
            yield from observers[kind.name](raw)


def _shape(kind: Kind, raw: Mapping[str, Any]) -> ObservedSides:
    inner = raw.get("fields")
    has_fields = isinstance(inner, Mapping)
    yield "record_shape", ("uuid_fields" if "uuid" in raw else "fields") if has_fields else "flat"
    fields: Mapping[str, Any] = inner if isinstance(inner, Mapping) else raw
    if kind.uuid_keys[0] in fields:
        yield "uuid_key", "both" if "uuid" in fields else "named"


def _fields(kind: Kind, flat: Mapping[str, Any], types: Mapping[str, str]) -> ObservedSides:
    sends_empty = False
    for key, type_name in types.items():
        if key in flat and key not in SERVER_KEYS:
            sends_empty = sends_empty or flat[key] in EMPTY
            yield from sides_of_value(type_name, flat[key])
            yield from _link(type_name, flat[key])
    if sends_empty:
        yield "empty_keys", "sent"
    if kind.can_be_archived and ARCHIVED_AT in flat:
        yield "archived_at", "given"
    elif kind.can_be_archived and sends_empty:
        yield "archived_at", "none"


def sides_of_value(type_name: str, value: Any) -> ObservedSides:
    """Return the sides that one value of a field shows by itself.

    :param type_name: the name of the field's type.
    """
    field_type = FIELD_TYPES.get(type_name, UNWRITABLE)
    if field_type.spelling.is_number:
        if _is_number(value):
            yield "number_form", "number"
        elif isinstance(value, str) and _NUMBER_TEXT.fullmatch(value):
            yield "number_form", "string"
    elif (field_type.spelling is Spelling.FLAG or field_type.computed) and isinstance(value, int):
        yield "boolean_form", "boolean" if isinstance(value, bool) else "integer"
        if field_type.computed:
            yield "comparison_read", "boolean"
    elif field_type.computed and value in _STATUSES:
        yield "comparison_read", "status"
    elif field_type.shape == ATTACHMENTS.shape and isinstance(value, list):
        for item in value:
            if isinstance(item, Mapping):
                yield "attachment_read", "objects"
                yield "attachment_name", "given" if "name" in item else "none"
            elif isinstance(item, str):
                yield "attachment_read", "uuids"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _link(type_name: str, value: Any) -> ObservedSides:
    if type_name in LINKS and isinstance(value, Mapping):
        yield "link_read", "object"
    elif type_name in LINKS and _is_number(value):
        yield "link_read", "integer" if value else "zero"


def _task(raw: Mapping[str, Any]) -> ObservedSides:
    yield "task_slug", "given" if "slug" in raw else "none"
    yield "task_stamps", "null" if "created_at" in raw else "none"


def _rental_case(raw: Mapping[str, Any]) -> ObservedSides:
    yield "rental_hours", "present" if "is_full_day" in raw else "absent"
    yield "rental_stamps", "given" if "created_at" in raw else "none"
    if isinstance(raw.get("issue_date"), str):
        yield "rental_day_form", "day" if len(raw["issue_date"]) == _DAY else "time"
    if isinstance(raw.get("renter"), (str, Mapping)):
        yield "rental_renter_read", "text" if isinstance(raw["renter"], str) else "object"
    references = raw.get("references")
    for reference in references if isinstance(references, list) else ():
        if isinstance(reference, Mapping) and "name" in reference:
            yield "rental_references", "full"


def _user(raw: Mapping[str, Any]) -> ObservedSides:
    if isinstance(raw.get("display_name"), (str, list)):
        yield "user_display_name", "text" if isinstance(raw["display_name"], str) else "list"
