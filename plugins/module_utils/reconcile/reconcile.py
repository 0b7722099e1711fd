# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One record from user input to the report: desired -> match -> compare -> plan -> apply -> report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ..client.client import Client
from ..client.files import require_local
from ..client.record import Record
from ..errors import REFUSED_VALUES, InvalidInput, NotProcessable, ServiceError, unless
from ..model.field import is_uuid, shorten
from ..model.kinds import Kind
from ..model.names import escaped, why_unfit
from ..model.rooms import locations_of_rooms, not_of_room
from ..model.schema import ParseErrors
from ..model.types_links import Reference, attachments_in, references_in, with_references
from ..model.zones import with_offsets, zone_of
from ..plan.allowed import SIMILAR_NAMES, how_to_allow
from ..plan.archived_duplicate import found_by_barcode
from ..plan.change import CREATE, DELETE, UNCHANGED, UPDATE, Change, incomplete
from ..plan.compare import Wanted
from ..plan.record_planner import PlannedRecord, plan_record
from ..plan.relations import related
from ..plan.replacing import unread_members, without_unreadable
from ..plan.state import QueriedState, find_now
from ..resolve import look_alikes, natural_keys
from ..resolve.field_visibility import perhaps_hidden, perhaps_not_deleted
from ..resolve.listing import learn_fields
from ..resolve.read_cache import Reading
from ..resolve.references import with_targets
from .apply import Applier
from .prediction import check_targets, why_not_deleted
from .refusals import named_occupants, perhaps_hidden_owner
from .result import Result


@dataclass(frozen=True)
class DesiredRecord:
    """One record as a user wants it.

    :ivar fields: field key (or label) to value as written; None clears; missing fields are not managed.
    :ivar prefix: text before a field's name in a message.
    :ivar match_on: fields that identify the record, if the user named them.
    :ivar uuid: identifies the record instead of ``match_on``.
    :ivar state: present, absent or archived.
    :ivar extra: members of a body that are only written, never answered (notify).
    :ivar allow: what the task allows.
    :ivar timezone: of times without an offset; empty: each needs its offset.
    """

    kind: Kind
    fields: Mapping[str, Any]
    prefix: str = ""
    match_on: Sequence[str] | None = None
    uuid: str | None = None
    state: str = "present"
    template: str = ""
    allow_unknown_fields: bool = False
    allow: frozenset[str] = frozenset()
    extra: Mapping[str, Any] = field(default_factory=dict)
    timezone: str = ""


def ensure(client: Client, desired: DesiredRecord, check_mode: bool = False, diff_mode: bool = False) -> Result:
    """Bring a record into the desired state, with only the requests that this needs.

    :param diff_mode: read the records that a changed reference means, so that both sides of the diff use the same
        names.
    :raises SeventhingsError: of any kind; nothing was written if the error could be known before.
    """
    return _Ensure(client, desired, check_mode, diff_mode).run()


class _Ensure:
    def __init__(self, client: Client, desired_record: DesiredRecord, check_mode: bool, diff_mode: bool) -> None:
        self._client = client
        self._desired_record = desired_record
        self._kind = desired_record.kind
        self._check_mode = check_mode
        # If a referenced record is missing, so is this record: it is absent as desired.
        self._is_wanted = desired_record.state == "present"
        self._reading = Reading(client, check_mode or not self._is_wanted, self._is_wanted)
        self._state = QueriedState(client, self._reading, reads_names=diff_mode)
        self._schema = client.schema(desired_record.kind)
        self._warnings: list[str] = []

    def run(self) -> Result:
        desired = self._desired()
        keys = self._keys(desired)
        needed = tuple(value for key, value in desired.items() if self._is_wanted or key in keys)
        targets = self._reading.resolve(references_in(needed))
        desired = {key: with_targets(value, targets) for key, value in desired.items()}
        planned = self._planned(desired, keys)
        # Planning may have found the other identifier (id or uuid) of a reference.
        desired = {key: with_references(value, self._state.completed) for key, value in desired.items()}
        self._check_new_key(planned.change, keys)
        self._check_own_key(planned, keys)
        is_missing = planned.change.current is None and not self._is_wanted
        if planned.change.action == CREATE or (is_missing and self._reading.has_whole(self._kind)):
            self._check_look_alikes([key for key in keys if key in desired], desired, None)
        self._check_rooms(planned.change, desired)
        if planned.change.changed:
            self._reading.check_numbers(references_in(needed))
        change = self._with_unknown(planned.change) if self._is_wanted else planned.change
        if self._check_mode:
            self._check_prediction(change)
        if self._check_mode or not change.changed:
            return self._predicted(change)
        applier = Applier(self._client, self._schema, self._desired_record.template, self._desired_record.extra)
        try:
            by_key = self._is_found_at_once(keys, desired)
            find = partial(find_now, self._client, self._schema, keys, desired, self._desired_record.template)
            record = applier.carry_out(change, find, planned.known, by_key)
        except REFUSED_VALUES as refused:
            refused.message += self._explained(change, keys, refused)
            raise
        finally:
            if self._kind.defines_fields:
                self._client.forget_definitions()
        return self._report(change, record)

    # ---- desired

    def _desired(self) -> dict[str, Any]:
        desired_record = self._desired_record
        if desired_record.uuid is not None and not is_uuid(desired_record.uuid):
            raise InvalidInput(
                f"uuid: {desired_record.uuid!r} is not in uuid form, such as 9091afea-81ee-4003-ac76-2ac11e3ddc3f"
            )
        if not desired_record.allow_unknown_fields:
            learn_fields(self._reading, self._schema, desired_record.fields)
        fields = self._with_relations(desired_record.fields)
        zone = zone_of(desired_record.timezone) if desired_record.timezone else None
        fields, unclear = with_offsets(self._schema, fields, zone)
        desired, findings = self._schema.parse(fields, desired_record.prefix, desired_record.allow_unknown_fields)
        self._check(findings, [f"{desired_record.prefix}{words}" for words in unclear.values()])
        for name, value in desired.items():
            require_local(attachments_in(value), f"{desired_record.prefix}{name}")
        return desired

    def _with_relations(self, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of a definition with uuids for related fields, and other fields unchanged."""
        if not self._kind.defines_fields:
            return fields
        definitions = partial(self._client.definitions, self._desired_record.template)
        resolved, missing, unknown = related(fields.get("relations"), definitions)
        if unknown:
            raise InvalidInput([f"{self._desired_record.prefix}{words}" for words in unknown.values()])
        words = [
            f"{self._desired_record.prefix}relations[{number}].field: "
            f"{name!r} names no field of this template, or several"
            for number, name in missing.items()
        ]
        self._refuse(words, "creates it")
        return {**fields, "relations": resolved} if "relations" in fields else fields

    def _check(self, findings: ParseErrors, unclear: Sequence[str]) -> None:
        # In check mode, an earlier task of the play may be about to create the field.
        if findings.errors or unclear or (findings.unknown and not self._check_mode):
            raise InvalidInput([*unclear, *findings.errors, *findings.unknown])
        self._warnings += [
            f"{self._desired_record.prefix}{self._schema.not_yet(str(error.way[0]))}" for error in findings.unknown
        ]

    def _unknown(self) -> dict[str, Any]:
        return {name: value for name, value in self._desired_record.fields.items() if self._schema.find(name) is None}

    # ---- match

    def _keys(self, desired: Mapping[str, Any]) -> tuple[str, ...]:
        if self._desired_record.uuid:
            return ()
        match_on = self._desired_record.match_on
        if match_on:
            missing = [name for name in match_on if self._schema.find(name) is None]
            unknown = [f"match_on: {name}: {self._schema.why_unknown(name)}" for name in missing]
            if unknown and not (self._check_mode and set(match_on) <= set(self._desired_record.fields)):
                raise InvalidInput(unknown)
            if unknown:
                # A field that does not exist yet identifies no record yet.
                return tuple(match_on)
            match_on = [self._schema.key_of(name) for name in match_on]
        return natural_keys.key_fields(self._kind, match_on, desired)

    # ---- plan

    def _planned(self, desired: Mapping[str, Any], keys: Sequence[str]) -> PlannedRecord:
        record = self._desired_record
        wanted = Wanted(self._schema, desired, record.state, record.template, record.allow)
        planned = plan_record(self._state, wanted, keys, record.uuid)
        if missing := planned.change.missing:
            self._refuse([incomplete(self._kind, missing)], "creates it")
        if record.state == "archived" and planned.change.current is None:
            words = f"No {self._kind.words} with {planned.words} was found{perhaps_hidden(self._kind)}"
            self._warnings.append(f"{words}, so there is nothing to archive.")
        if record.state == "absent" and planned.change.current is None and self._kind.can_be_hidden:
            self._warnings.append(perhaps_not_deleted(self._kind))
        return planned

    def _check_new_key(self, change: Change, keys: Sequence[str]) -> None:
        """Refuse a new natural key that people can't tell from another one."""
        own = natural_keys.identifying_fields(self._schema, keys)
        prefix, names = self._desired_record.prefix, self._written_names()
        wrong = [
            f"{prefix}{names.get(key, key)}: {escaped(text)} {why}, and it identifies {self._kind.singular}"
            for key, text in change.values.items()
            if key in own and isinstance(text, str) and (why := why_unfit(text))
        ]
        if wrong:
            raise InvalidInput(wrong)

    def _check_own_key(self, planned: PlannedRecord, keys: Sequence[str]) -> None:
        """Refuse a new natural key that another record has or that looks like it, unless the task uses another one."""
        kind, change, current = self._kind, planned.change, planned.change.current
        values = {**(self._schema.read(current.flat) if current else {}), **change.values}
        # Tasks name a field by its label, although the service identifies it by its key.
        own = kind.match_on[-1] if kind.defines_fields else natural_keys.default_key(kind, values)
        # A room that loses its number is identified by its name from now on.
        decisive = {key for names in kind.match_on[: kind.match_on.index(own) + 1] for key in names}
        is_whole = all(isinstance(values.get(key), (str, Reference)) for key in own)
        named = (own,) if kind.defines_fields else (*kind.match_on, *kind.further_keys)
        is_named = any(set(other) <= set(keys) for other in named)
        if kind.is_named_by_tasks or kind.status_key or is_named or not is_whole or decisive.isdisjoint(change.values):
            return
        found = self._state.find_existing(self._schema, own, values, self._desired_record.template)
        found = found or (found_by_barcode(self._client, self._schema, values) if current else planned.holders)
        words = f"{natural_keys.describe(self._schema, own, values)} already, and it identifies {kind.singular}"
        others = {record.uuid for record in found} - {current.uuid if current else ""}
        self._refuse([f"The {kind.words} {other} has {words}" for other in sorted(others)], "changes that")
        self._check_look_alikes(own, values, current)

    def _check_rooms(self, change: Change, desired: Mapping[str, Any]) -> None:
        """Refuse a room and the location of another room: the service couples them, so each run would change one."""
        names, written = self._written_names(), self._desired_record.fields
        for pair in locations_of_rooms(self._schema).items():
            if not set(pair) <= set(desired) or not set(pair) & set(change.values):
                continue
            beside, inside = (desired[key] for key in pair)
            rooms = self._reading.records_of(references_in(inside)).values()
            place = next(map(natural_keys.parent_of, rooms), None)
            if place is None or (isinstance(beside, Reference) and beside.same(place) is not False):
                continue
            self._reading.read_names([place])
            location, room = (names[key] for key in pair)
            why = not_of_room(room, written[room], self._reading.name_of(place) or place.uuid)
            self._refuse([f"{self._desired_record.prefix}{location}: {shorten(written[location])} {why}"], "moves it")

    def _refuse(self, wrong: Sequence[str], deed: str) -> None:
        """Raise what is wrong. In check mode, warn of it, because an earlier task of the play may solve it.

        :param deed: what that task has to do, as a verb with its object.
        """
        if wrong and not self._check_mode:
            raise InvalidInput(wrong)
        self._warnings += [unless(line, deed) for line in wrong]

    def _check_look_alikes(self, keys: Sequence[str], desired: Mapping[str, Any], current: Record | None) -> None:
        """Refuse a new natural key that looks like the key of another record. This takes at most one request.

        If nothing is found to delete or archive, this is a warning.
        """
        if SIMILAR_NAMES in self._desired_record.allow:
            return
        names, kind, wrong = self._written_names(), self._kind, []
        values = {key: desired[key] for key in keys}
        others = [record for record in self._perhaps_alike(keys, values) if not current or record.uuid != current.uuid]
        for record, have in look_alikes.alike(self._schema, keys, values, others):
            key = [key for key in keys if isinstance(values[key], str)][-1]
            name, where = f"{self._desired_record.prefix}{names.get(key, key)}", f"{kind.singular} ({record.uuid})"
            way_out = f"accept this name with {how_to_allow(SIMILAR_NAMES)}"
            words = look_alikes.about(name, values[key], have[key], where, way_out)
            if not self._is_wanted or look_alikes.may_differ(kind, values[key], have[key]):
                self._warnings.append(f"{words}.")
            else:
                wrong.append(words)
        if wrong:
            raise InvalidInput(wrong)

    def _perhaps_alike(self, keys: Sequence[str], values: Mapping[str, Any]) -> list[Record]:
        """Return the records whose natural key may look like the key in some values."""
        kind = self._kind
        if kind.defines_fields or self._reading.has_whole(kind):
            return self._state.answered(kind, self._desired_record.template)
        has_place = all(reference.resolved for reference in references_in(tuple(values.values())))
        is_narrowed = has_place and kind.filters == "query"
        found = look_alikes.conditions(self._schema, keys, values) if is_narrowed else []
        return self._reading.listed(kind, found) if found else []

    def _is_found_at_once(self, keys: Sequence[str], desired: Mapping[str, Any]) -> bool:
        """Return True if one request lists the records with the natural key, narrowed or as a list of one page."""
        linked = [reference for key in keys if key in desired for reference in references_in(desired[key])]
        # If only the uuid of a reference is known, finding its id costs another list.
        if not keys or any(reference.id is None for reference in linked) or any(key not in desired for key in keys):
            return False
        is_narrowed = self._kind.filters == "query" and bool(natural_keys.conditions(self._schema, keys, desired))
        return is_narrowed or self._kind.defines_fields or self._reading.is_one_page(self._kind)

    def _with_unknown(self, change: Change) -> Change:
        """Predict the written values for fields whose definition check mode does not create."""
        unknown = self._unknown()
        if not unknown:
            return change
        return replace(
            change,
            action=UPDATE if change.action == UNCHANGED else change.action,
            before={**change.before, **({} if change.current is None else dict.fromkeys(unknown))},
            after={**change.after, **unknown},
        )

    def _explained(self, change: Change, keys: Sequence[str], refused: ServiceError) -> str:
        """Return what the service may have refused, in words to append."""
        if change.action != DELETE:
            return perhaps_hidden_owner(self._schema, keys, change.values, refused)
        if change.current is None or not isinstance(refused, NotProcessable):
            return ""
        names = named_occupants(self._client, self._reading, change.current)
        return f" These refer to it: {names}." if names else ""

    # ---- report

    def _check_prediction(self, change: Change) -> None:
        """Raise an error for what the service would refuse, and warn if an earlier task may still prevent that."""
        names = {key: f"{self._desired_record.prefix}{name}" for key, name in self._written_names().items()}
        check_targets(self._client, self._reading, self._schema, change, names)
        if words := why_not_deleted(self._client, self._reading, change):
            self._warnings.append(words)

    def _predicted(self, change: Change) -> Result:
        record: dict[str, Any] = {}
        if change.current is not None and change.action != DELETE:
            record = self._schema.show(change.current.flat, self._state.completed)
        if change.action in (CREATE, UPDATE):
            record |= self._schema.show_canonical(change.values) | self._unknown()
        if change.action == DELETE and change.note:
            self._warnings.append(f"The {self._kind.words} may be archived, so it {change.note} before it is deleted.")
        return self._finish(change, record, change.current.uuid if change.current else None)

    def _report(self, change: Change, record: Record | None) -> Result:
        if record is None:
            return self._finish(change, {}, change.current.uuid if change.current else None)
        change = without_unreadable(change, unread_members(self._schema, change, record) if change.current else ())
        self._warnings += [
            f"{name}: this instance does not know the field and did not keep its value, so every run will send it."
            for name in change.values
            if self._schema.fields[name].type == "ANY" and name not in record.flat
        ]
        return self._finish(change, self._schema.show(record.flat, self._state.completed), record.uuid)

    def _finish(self, change: Change, record: dict[str, Any], uuid: str | None) -> Result:
        if uuid and change.action != DELETE:
            record["uuid"] = uuid
        pending = self._reading.warnings if self._is_wanted else ()
        diff = {side: self._as_written(fields) for side, fields in change.diff.items()}
        return Result(change.changed, record, uuid, diff, (*self._warnings, *pending, *change.warnings))

    def _as_written(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return fields of a diff by the names that the user wrote, keys or labels."""
        names = self._written_names()
        return {names.get(key, key): value for key, value in fields.items()}

    def _written_names(self) -> dict[str, str]:
        """Return the name of each field as the user wrote it, by key."""
        found = {name: self._schema.find(name) for name in self._desired_record.fields}
        return {field.key: name for name, field in found.items() if field is not None}
