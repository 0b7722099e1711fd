# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tier touch: create scratch records and observe them. Nobody but the caller is notified about them."""

from __future__ import annotations

import uuid as uuids
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    ARCHIVED_AT,
    LOCATION,
    OBJECT,
    RENTAL_CASE,
    ROOM,
    SERVER_KEYS,
    TASK,
    USER,
    Kind,
    flatten,
)

from . import cases
from .evidence import Evidence
from .exchange import Answer, Asker
from .look import UNKNOWN_FIELD, Look
from .records import Sample, is_empty, maps_in
from .scratch import ARCHIVABLE, Scratch, attributes_of, names_of, object_keys

_WRITTEN_MOMENT = "2099-01-01T10:00:00+01:00"
_IN_UTC = "2099-01-01 09:00:00"
_INTERVAL = {"unit": "days", "value": 1}
_SUGGEST = "/circularity-hub/suggest-category"
_TEXTS = ("TEXT", "LONG_TEXT")
_PLACES = ("LINKED_LOCATION", "LINKED_ROOM")
_NO_CALLER = "it is not known who signed in, and a scratch record is assigned to nobody else"


@dataclass
class Touch:
    """Create scratch records, and remove all of them.

    :ivar look: what is known about the instance.
    :ivar caller: uuid of the user who signed in.
    """

    asker: Asker
    evidence: Evidence
    look: Look
    scratch: Scratch
    caller: str | None = None
    location: str | None = None
    room: str | None = None
    object: str | None = None
    more: Sequence[Callable[[Touch], None]] = ()
    _finds: dict[str, bool] = field(default_factory=dict)

    @property
    def object_key(self) -> str | None:
        """Return the field that contains the name of a scratch object."""
        return next(iter(self.object_keys), None)

    @property
    def object_keys(self) -> list[str]:
        """Return the fields of objects that may contain this name."""
        return object_keys(self._definitions("asset"))

    def run(self) -> None:
        """Run all probes, and remove everything, whatever happens.

        :raises SeventhingsError: if something is left, or there was no answer.
        """
        self.scratch.begin()
        try:
            self._probe()
        except Exception:
            self.scratch.remove_all(self.object_keys)
            raise
        self.scratch.remove_all(self.object_keys)

    def _probe(self) -> None:
        self.caller = self._signed_in()
        self._places()
        self._object()
        if self.object:
            for part in (self._patches, self._emptied, self._moments, self._coupled, self._linked, self._unique):
                part(self.object)
        self._tasks()
        self._rental_cases()
        self.look.again([(kind, raw) for kind, uuid in self.scratch.created for raw in self._read_again(kind, uuid)])
        self._archived()
        self._missing()
        self._hub()
        for further in self.more:
            further(self)
        self._occupied()

    # ---- prerequisites

    def _signed_in(self) -> str | None:
        number = self.asker.client.tokens.user_id
        if number is None:
            return None
        found = self.asker.get(USER.by_id_path.format(id=number)).json()
        uuid = found.get("uuid") if isinstance(found, Mapping) else None
        return uuid if isinstance(uuid, str) else None

    def _places(self) -> None:
        self.location = self._create(LOCATION, dict.fromkeys(LOCATION.labels, self._named("location")))
        building = self._id_of(LOCATION, self.location)
        body = {**dict.fromkeys(ROOM.labels, self._named("room")), ROOM.parent_key: building}
        self.room = self._create(ROOM, self._filled("room", body))
        if self.evidence.side("places_filter") is None:
            # A filter can only be tested with two locations.
            self._create(LOCATION, dict.fromkeys(LOCATION.labels, self._named("site")))

    def _object(self) -> None:
        if self.object_key is None:
            self._no_object("objects have no text field for the name of a scratch object")
            return
        if any(
            self._place_of_others(definition) is None
            for definition in self._mandatory("asset")
            if definition.get("type") in _PLACES
        ):
            self._no_object("objects must be in a place, and no visible object shows a place that this account sees")
            return
        self.object = self._new_object("object")
        if self.object is None:
            return
        # Link it to the caller and not to a room: an account limited to locations might no longer see it there.
        caller = self.asker.client.tokens.user_id if self.caller else None
        values = {"DECIMAL": 1.5, "MONEY": 1.5, "NUMBER": 1, "BOOLEAN": True, "LINKED_USER": caller}
        for type_name, value in values.items():
            key = self._field(type_name)
            if key and value is not None:
                self._patch(self.object, {key: value})
        self._observe(OBJECT, self.object)
        if self.room:
            self._observe(ROOM, self.room)

    def _new_object(self, word: str, **more: Any) -> str | None:
        body = self._filled("asset", {str(self.object_key): self._named(word), **more})
        return self._create(OBJECT, body)

    def _no_object(self, why: str) -> None:
        for name in _OF_OBJECTS:
            self.evidence.cannot(name, why)

    def _create(self, kind: Kind, body: Mapping[str, Any]) -> str | None:
        answer, uuid = self.scratch.make(kind, body)
        if uuid:
            self._created(kind, answer)
        if uuid and self._is_found_again(kind, uuid):
            return uuid
        why = f"a scratch {kind.words} was not created, or the answer does not identify it: HTTP {answer.status}"
        if uuid:
            why = f"this account does not see the names of {kind.plural}, by which scratch records are found again"
            if self.asker.write("DELETE", kind.item_path.format(uuid=uuid)).is_good:
                self.scratch.forget(kind, uuid)
        if kind is OBJECT:
            self._no_object(why)
        elif kind in (LOCATION, ROOM):
            self.evidence.cannot("delete_occupied", why)
        return None

    def _is_found_again(self, kind: Kind, uuid: str) -> bool:
        """Return True if a sweep would find a record by its name. The first record of a kind decides."""
        if not self._finds.get(kind.name):
            read = self.scratch.read(kind, uuid)
            self._finds[kind.name] = any(key in read for key in names_of(kind, self.object_keys))
        return self._finds[kind.name]

    def _created(self, kind: Kind, answer: Answer) -> None:
        location = answer.headers.get("location", "")
        request = f"POST {kind.create_path}"
        if location.startswith(("http://", "https://")):
            self.evidence.observe("location_header", "url", request)
        elif location.startswith("/"):
            self.evidence.observe("location_header", "path", request)

    # ---- an object

    def _patches(self, uuid: str) -> None:
        name = {str(self.object_key): self._named("object")}
        answer = self._patch(uuid, name)
        request = f"PATCH {OBJECT.item_path}"
        decoded = answer.json()
        if not answer.is_good:
            self.evidence.cannot("patch_answer", f"a scratch object could not be changed: HTTP {answer.status}")
        elif answer.status == HTTPStatus.NO_CONTENT:
            self.evidence.observe("patch_answer", "no_content", request)
        elif not answer.body.strip():
            self.evidence.observe("patch_answer", "empty", request)
        elif decoded in ({}, []):
            self.evidence.observe("patch_answer", "empty_object", request)
        elif isinstance(decoded, Mapping):
            self.evidence.observe("patch_answer", "record", request)
        else:
            self.evidence.odd("patch_answer", f"{request}: HTTP {answer.status} and something else")
        self._refused_or("write_unknown_field", "ignore", self._patch(uuid, {UNKNOWN_FIELD: "1"}), request)

    def _emptied(self, uuid: str) -> None:
        kept = {self.object_key, *(definition["field_key"] for definition in self._mandatory("asset"))}
        key = next((key for key in self.fields(*_TEXTS) if key not in kept), None)
        if key is None:
            self.evidence.cannot("empty_form", "objects have no text field that may be empty")
            return
        read = []
        for value in (self._named("text"), "", None):
            if not self._patch(uuid, {key: value}).is_good:
                self.evidence.cannot("empty_form", "a text field of a scratch object could not be emptied")
                return
            read.append(self.scratch.read(OBJECT, uuid))
        filled, *emptied = read
        if not all(read):
            self.evidence.cannot("empty_form", "a scratch object was not read again")
            return
        if key not in filled:
            self.evidence.cannot("empty_form", "a text field of a scratch object is hidden")
            return
        is_sent = all(key in record for record in emptied)
        request = f"PATCH {OBJECT.item_path}"
        self.evidence.observe("empty_keys", "sent" if is_sent else "left_out", request, len(emptied))
        if not is_sent:
            self.evidence.cannot("empty_form", "keys of empty fields are left out")
            return
        forms = [record[key] for record in emptied]
        sides = {"as_sent": ["", None], "null": [None, None], "text": ["", ""], "list": [[], []]}
        side = next((name for name, form in sides.items() if form == forms), None)
        if side:
            self.evidence.observe("empty_form", side, request, len(forms))
        else:
            self.evidence.odd("empty_form", f"{request}: empty values are read in another form")

    def _moments(self, uuid: str) -> None:
        key = self._field("DATETIME")
        if key is None or not self._patch(uuid, {key: _WRITTEN_MOMENT}).is_good:
            self.evidence.cannot("datetime_read", "objects have no field for a date and time that could be written")
            return
        read = self.scratch.read(OBJECT, uuid).get(key)
        request = f"PATCH {OBJECT.item_path}"
        if read == _WRITTEN_MOMENT:
            self.evidence.observe("datetime_read", "as_written", request)
        elif read == _IN_UTC:
            self.evidence.observe("datetime_read", "utc", request)
        else:
            self.evidence.odd("datetime_read", f"{request}: a date and time is read in another form")

    def _coupled(self, uuid: str) -> None:
        """Write only the target room.

        The actual room is evidence of a scan, and could hide the object from the account.
        """
        keys = ("target_room", "target_building")
        if not set(keys) <= set(self.fields(*_PLACES)):
            self.evidence.cannot("room_location", "objects have no target room and target location to write")
            return
        if self.room is None or not self.scratch.read(ROOM, self.room).get(ROOM.parent_key):
            self.evidence.cannot("room_location", "there is no scratch room in a scratch location")
            return
        answer = self._patch(uuid, {"target_room": self._id_of(ROOM, self.room)})
        # Without a room the comparison of rooms may be empty, which shows nothing.
        raws = self._observe(OBJECT, uuid)
        read = flatten(OBJECT, raws[0]) if raws else {}
        self._patch(uuid, dict.fromkeys(keys))
        room, location = (read.get(key) or None for key in keys)
        if not answer.is_good or room is None:
            self.evidence.cannot("room_location", "the target room of a scratch object could not be written")
        elif keys[1] not in read and self.evidence.side("empty_keys") != "left_out":
            self.evidence.cannot("room_location", "the target location of a scratch object is hidden")
        else:
            self.evidence.observe(
                "room_location", "coupled" if location else "independent", f"PATCH {OBJECT.item_path}"
            )

    def _linked(self, uuid: str) -> None:
        """Create another object, which a field of this object and a task refer to, if possible."""
        other = self._new_object("linked")
        if other is None:
            return
        # Official clients write a reference as the integer id.
        key, number = self._field("LINKED_ASSETS"), self._id_of(OBJECT, other)
        is_linked = bool(key) and self._patch(uuid, {str(key): [number]}).is_good
        if is_linked:
            self._observe(OBJECT, uuid)
        task = {**self._task("linked"), "deadline": "2099-12-29", "references": [{"type": "asset", "uuid": other}]}
        is_linked |= bool(self.caller) and self.scratch.make(TASK, task)[1] is not None
        if is_linked:
            self._deleting("delete_referenced", OBJECT, other)
        else:
            self.evidence.cannot("delete_referenced", "no record could be set to refer to a scratch object")

    def _unique(self, uuid: str) -> None:
        keys = [
            definition["field_key"]
            for definition in self._definitions("asset")
            if "unique" in attributes_of(definition)
        ]
        key = next((key for key in keys if key in self.fields("BARCODE", "TEXT")), None)
        if key is None:
            self.evidence.cannot("unique_values", "no text field of objects is unique")
            return
        value = self.scratch.read(OBJECT, uuid).get(key)
        if is_empty(value):
            value = self._named("object")
            self._patch(uuid, {key: value})
        body = self._filled("asset", {str(self.object_key): self._named("twin"), key: value})
        answer, _uuid = self.scratch.make(OBJECT, body)
        request = f"POST {OBJECT.create_path}"
        sides = {HTTPStatus.UNPROCESSABLE_ENTITY: "unprocessable", HTTPStatus.BAD_REQUEST: "bad_request"}
        if answer.is_good:
            self.evidence.observe("unique_values", "take", request)
        elif answer.status in sides:
            self.evidence.observe("unique_values", sides[HTTPStatus(answer.status)], request)
        else:
            self.evidence.odd("unique_values", f"{request}: HTTP {answer.status}")

    def _archived(self) -> None:
        """Archive a record of each kind that can be archived. No other record refers to it."""
        for kind in ARCHIVABLE:
            if kind is OBJECT:
                uuid = self._new_object("archived") if self.object else None
            else:
                uuid = self._create(kind, {names_of(kind, ())[0]: self._named("archived")})
            if uuid is not None:
                self._archive(kind, uuid)

    def _archive(self, kind: Kind, uuid: str) -> None:
        path = kind.item_path.format(uuid=uuid) + "/archive"
        request = f"POST {kind.item_path}/archive"
        answer = self.asker.write("POST", path)
        if not answer.is_good:
            for name in ("archived_in_lists", "archive_repeat", "delete_archived"):
                self.evidence.cannot(name, f"a scratch {kind.words} could not be archived: HTTP {answer.status}")
            return
        if kind.template:
            self._observe(kind, uuid)
        if self.evidence.side("archived_at") is None:
            for raw in self._read_again(kind, uuid):
                given = ARCHIVED_AT in flatten(kind, raw)
                self.evidence.observe("archived_at", "given" if given else "none", f"GET {kind.item_path}")
        if kind is OBJECT and self.evidence.side("archived_in_lists") is None:
            self._archived_in_lists(self._named("archived"))
        self._refused_or("archive_repeat", "accept", self.asker.write("POST", path), request)
        self._deleting("delete_archived", kind, uuid)

    def _archived_in_lists(self, name: str) -> None:
        """Determine if a list shows an archived object, by the field with its name."""
        found = self.look.hits(OBJECT, [Condition(str(self.object_key), "eq", (name,))], str(self.object_key))
        request = f"GET {OBJECT.list_path}?filter[FIELD][eq]"
        if self.evidence.side("archived_at") != "given":
            self.evidence.cannot(
                "archived_in_lists",
                "nothing shows whether an object is archived, so lists must leave archived objects out",
            )
        elif found is None or set(found) - {name}:
            self.evidence.cannot("archived_in_lists", "a filter on the name of a scratch object did not find it alone")
        else:
            self.evidence.observe("archived_in_lists", "shown" if found else "hidden", request)

    def _occupied(self) -> None:
        """Create a location with a room in it."""
        if self.location and self.room:
            self._deleting("delete_occupied", LOCATION, self.location)

    def _deleting(self, switch: str, kind: Kind, uuid: str) -> None:
        answer = self.asker.write("DELETE", kind.item_path.format(uuid=uuid))
        self._refused_or(switch, "accept", answer, f"DELETE {kind.item_path}")
        if answer.is_good:
            self.scratch.forget(kind, uuid)

    def _missing(self) -> None:
        answer = self._patch(str(uuids.uuid4()), {str(self.object_key): self._named("missing")})
        request = f"PATCH {OBJECT.item_path}"
        if answer.status == HTTPStatus.NOT_FOUND:
            self.evidence.observe("missing_record", "not_found", request)
        elif answer.status == HTTPStatus.UNPROCESSABLE_ENTITY:
            self.evidence.observe("missing_record", "unprocessable", request)
        else:
            self.evidence.odd("missing_record", f"{request}: HTTP {answer.status}")

    # ---- tasks

    def _tasks(self) -> None:
        if not self.caller or not self.object:
            why = "there is no scratch object that a task could be about" if self.caller else _NO_CALLER
            for name in ("task_reminders", "task_empty_references", "task_put_omitted"):
                self.evidence.cannot(name, why)
            return
        body = self._task("task")
        uuid = self._case(TASK, body, ("task_reminders", "task_empty_references", "task_put_omitted"))
        if uuid is None:
            return
        cases.observe_tasks(self.evidence, f"GET {TASK.item_path}", self._read_again(TASK, uuid))
        omitted = {key: value for key, value in body.items() if key not in ("comment", "attachments")}
        if self._replaced(TASK, uuid, omitted, "task_put_omitted"):
            if "comment" in (read := self.scratch.read(TASK, uuid)):
                kept = not is_empty(read["comment"])
                self.evidence.observe("task_put_omitted", "keep" if kept else "clear", f"PUT {TASK.item_path}")
            else:
                self.evidence.cannot("task_put_omitted", "the comment of a scratch task was not read again")
        without = {**self._task("reminders"), "reminders": [], "deadline": "2099-12-30"}
        self._variant(TASK, without, "task_reminders", "zero_to_two", "one_to_two")
        self._variant(TASK, {**self._task("references"), "references": []}, "task_empty_references")

    def _task(self, word: str) -> dict[str, Any]:
        return {
            "title": self._named(word),
            "comment": self._named("comment"),
            "deadline": "2099-12-31",
            "reminders": [_INTERVAL],
            "recurring_schedule": None,
            "assignees": [self.caller],
            "references": [{"type": "asset", "uuid": self.object}],
            "attachments": [],
            "notify": False,
        }

    # ---- rental cases

    def _rental_cases(self) -> None:
        if not self.caller or not self.object:
            why = "there is no scratch object that could be rented" if self.caller else _NO_CALLER
            for name in _OF_RENTALS:
                self.evidence.cannot(name, why)
            return
        body = self._rental("rental", 1)
        uuid = self._case(RENTAL_CASE, body, _OF_RENTALS)
        if uuid is None:
            return
        request = f"GET {RENTAL_CASE.item_path}"
        cases.observe_rental_cases(self.evidence, request, self._read_again(RENTAL_CASE, uuid), self.look.today)
        self._variant(RENTAL_CASE, self._rental("overlap", 1), "rental_overlap")
        self._replacements(uuid, body)
        empty = {**self._rental("reminder", 2), "issue_date_reminder": None}
        self._variant(RENTAL_CASE, empty, "rental_null_reminder")
        for word, month, key in (("comment", 3, "comment"), ("renter", 4, "renter")):
            omitted = {name: value for name, value in self._rental(word, month).items() if name != key}
            self._variant(
                RENTAL_CASE, omitted, f"rental_missing_{key}", refusal="error" if key == "renter" else "refuse"
            )

    def _replacements(self, uuid: str, body: Mapping[str, Any]) -> None:
        path = f"PUT {RENTAL_CASE.item_path}"
        confirmed = {**body, "status": "confirmed"}
        if not self._replaced(RENTAL_CASE, uuid, confirmed, "rental_missing_status"):
            self.evidence.cannot("rental_omitted_reminder", "a scratch rental case could not be changed")
            self.evidence.cannot("rental_overdue_status", "a scratch rental case could not be changed")
            return
        omitted = {key: value for key, value in body.items() if key != "issue_date_reminder"}
        if self._replaced(RENTAL_CASE, uuid, omitted, "rental_omitted_reminder"):
            read = self.scratch.read(RENTAL_CASE, uuid)
            if "issue_date_reminder" in read:
                kept = not is_empty(read["issue_date_reminder"])
                self.evidence.observe("rental_omitted_reminder", "keep" if kept else "clear", path)
            else:
                self.evidence.cannot("rental_omitted_reminder", "a scratch rental case was not read again")
            statuses = {"confirmed": "keep", "requested": "reset"}
            if (status := str(read.get("status"))) in statuses:
                self.evidence.observe("rental_missing_status", statuses[status], path)
            else:
                self.evidence.odd("rental_missing_status", f"{path}: another status")
        overdue = {**body, "status": "return_overdue"}
        answer = self.asker.write("PUT", RENTAL_CASE.item_path.format(uuid=uuid), overdue)
        self._refused_or("rental_overdue_status", "accept", answer, path)

    def _rental(self, word: str, month: int) -> dict[str, Any]:
        return {
            "title": self._named(word),
            "issue_date": f"2099-{month:02d}-01",
            "due_date": f"2099-{month:02d}-02",
            "issue_date_reminder": _INTERVAL,
            "due_date_reminder": _INTERVAL,
            "references": [{"type": "asset", "uuid": self.object}],
            "responsible_user_uuid": self.caller,
            "renter": {"type": "plain", "value": self._named("renter")},
            "comment": self._named("comment"),
            "attachments": [],
        }

    def _case(self, kind: Kind, body: Mapping[str, Any], switches: Sequence[str]) -> str | None:
        answer, uuid = self.scratch.make(kind, body)
        if uuid is None:
            for name in switches:
                self.evidence.cannot(name, f"a scratch {kind.words} was refused: HTTP {answer.status}")
        return uuid

    def _variant(
        self, kind: Kind, body: Mapping[str, Any], switch: str, accept: str = "accept", refusal: str = "refuse"
    ) -> None:
        """Create another record that differs in one value from an accepted record."""
        answer, _uuid = self.scratch.make(kind, body)
        self._refused_or(switch, accept, answer, f"POST {kind.create_path}", refusal)

    def _replaced(self, kind: Kind, uuid: str, body: Mapping[str, Any], switch: str) -> bool:
        answer = self.asker.write("PUT", kind.item_path.format(uuid=uuid), body)
        if not answer.is_good:
            self.evidence.cannot(switch, f"a scratch {kind.words} could not be changed: HTTP {answer.status}")
        return answer.is_good

    # ---- the hub

    def _hub(self) -> None:
        answer = self.asker.write("POST", _SUGGEST, {"filter": {"id": {"eq": -1}}})
        decoded = answer.json()
        if not answer.is_good:
            self.evidence.cannot("hub_nothing", f"the answer of the hub is HTTP {answer.status}")
        elif decoded in ({}, []):
            self.evidence.observe("hub_nothing", "list" if decoded == [] else "object", f"POST {_SUGGEST}")
        else:
            self.evidence.odd("hub_nothing", f"POST {_SUGGEST}: neither an empty map nor an empty list")

    # ---- small kinds

    def _refused_or(self, switch: str, side: str, answer: Answer, request: str, refusal: str = "refuse") -> None:
        if answer.is_good:
            self.evidence.observe(switch, side, request)
        elif answer.is_refusal or (refusal == "error" and answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR):
            self.evidence.observe(switch, refusal, request)
        else:
            self.evidence.odd(switch, f"{request}: HTTP {answer.status}")

    def _named(self, word: str) -> str:
        return f"{self.scratch.prefix} {word}"

    def _patch(self, uuid: str, body: Mapping[str, Any]) -> Answer:
        return self.asker.write("PATCH", OBJECT.item_path.format(uuid=uuid), body)

    def _read_again(self, kind: Kind, uuid: str) -> list[Mapping[str, Any]]:
        """Return a scratch record as the service returns it, or nothing if it returns none."""
        raw = self.scratch.raw(kind, uuid)
        return [raw] if raw else []

    def _observe(self, kind: Kind, uuid: str) -> list[Mapping[str, Any]]:
        raws = self._read_again(kind, uuid)
        self.look.observed_records.add(
            Sample(kind, f"GET {kind.item_path}", raws, self.look.types.get(kind.template, {}))
        )
        return raws

    def _id_of(self, kind: Kind, uuid: str | None) -> Any:
        """Return the integer id of a scratch record, as official clients write it, or its uuid if it has none."""
        number = self.scratch.read(kind, uuid).get("id") if uuid else None
        return uuid if number is None else number

    def _definitions(self, template: str) -> Sequence[Mapping[str, Any]]:
        return [
            definition
            for definition in self.look.definitions.get(template, ())
            if isinstance(definition.get("field_key"), str)
        ]

    def _mandatory(self, template: str) -> list[Mapping[str, Any]]:
        return [
            definition
            for definition in self._definitions(template)
            if "mandatory" in attributes_of(definition) and definition["field_key"] not in SERVER_KEYS
        ]

    def fields(self, *types: str) -> list[str]:
        """Return the fields of objects of some types that users may write, and that have no constraints."""
        return [
            definition["field_key"]
            for definition in self._definitions("asset")
            if definition.get("type") in types
            and "editable" in attributes_of(definition)
            and not definition.get("constraints")
        ]

    def _field(self, *types: str) -> str | None:
        found = self.fields(*types)
        return found[0] if found else None

    def _filled(self, template: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a body with everything that the instance requires of a record.

        If a field cannot be filled, the service refuses the record.
        """
        filled = dict(body)
        for definition in self._mandatory(template):
            is_in_a_place = template == "asset" and definition.get("type") in _PLACES
            something = self._place_of_others(definition) if is_in_a_place else self._something(definition)
            filled.setdefault(definition["field_key"], something)
        return {key: value for key, value in filled.items() if value is not None}

    def _place_of_others(self, definition: Mapping[str, Any]) -> Any:
        """Return an existing place in which the account sees objects.

        The account may not see a scratch place, and could then not remove the object.
        """
        for raw in self.look.listed.get(OBJECT.name, ()):
            value = flatten(OBJECT, raw).get(definition["field_key"])
            if isinstance(value, Mapping):
                value = value.get("id") or value.get("uuid")
            if value and isinstance(value, int | str):
                return value
        return None

    def _something(self, definition: Mapping[str, Any]) -> Any:
        type_name = definition.get("type")
        rules = {
            str(constraint.get("type")): constraint.get("value")
            for constraint in maps_in(definition.get("constraints"))
        }
        allowed = rules.get("allowed_values") or definition.get("possible_values")
        if type_name == "DROPDOWN" and isinstance(allowed, list) and allowed:
            return allowed[0]
        values = {
            "DATE": "2099-01-01",
            "DATETIME": _WRITTEN_MOMENT,
            "NUMBER": rules.get("min_value") or 1,
            "DECIMAL": rules.get("min_value") or 1.5,
            "MONEY": rules.get("min_value") or 1.5,
            "BOOLEAN": False,
            "LINKED_LOCATION": self._id_of(LOCATION, self.location),
        }
        return values.get(str(type_name), self._named("field") if type_name in (*_TEXTS, "BARCODE") else None)


_OF_OBJECTS = (
    "patch_answer",
    "write_unknown_field",
    "empty_form",
    "datetime_read",
    "room_location",
    "unique_values",
    "archived_in_lists",
    "archive_repeat",
    "delete_archived",
    "delete_referenced",
)
_OF_RENTALS = (
    "rental_overlap",
    "rental_null_reminder",
    "rental_omitted_reminder",
    "rental_missing_renter",
    "rental_missing_comment",
    "rental_missing_status",
    "rental_overdue_status",
)
