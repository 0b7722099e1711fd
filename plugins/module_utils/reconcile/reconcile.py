# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One record from what a person wrote to the report: desired -> match -> compare -> plan -> apply -> report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..client.client import Client, Record
from ..client.files import Contents, recognise, require_local
from ..client.query import Condition
from ..errors import REFUSED_VALUES, InvalidInput, NoMatch, ServiceError, SeventhingsError, may_be_taken
from ..model.field import is_uuid
from ..model.kinds import FIELD_DEFINITION, RENTAL_CASE, TASK, USER, Kind
from ..model.schema import ParseErrors
from ..model.types_links import attachments_in, references_in
from ..model.zones import with_offsets, zone_of
from ..plan import change as plan
from ..plan.change import Change
from ..plan.hours import check_hours_known, needs_hours
from ..resolve import natural_keys
from ..resolve.references import Resolver, is_text_renter, renter_of
from .apply import Applier
from .result import Result

_TELL_APART = "give uuid, or a match_on that tells them apart"
_ADVICE = {FIELD_DEFINITION.name: "give uuid or field_key"}
"""What to do where several records have the natural key: of kinds whose module has no ``match_on`` something else."""


@dataclass(frozen=True)
class DesiredRecord:
    """What a user wants of one record.

    :ivar fields: field key (or label) to value as written; None clears; what is not here is not managed.
    :ivar where: what stands before a field's name in a message.
    :ivar match_on: fields that identify the record, where the user named them.
    :ivar uuid: identifies the record in place of ``match_on``.
    :ivar state: present, absent or archived.
    :ivar extra: members of a body that are only written, never answered (notify).
    :ivar timezone: in which times without an offset are meant; empty: each needs its offset.
    """

    kind: Kind
    fields: Mapping[str, Any]
    where: str = ""
    match_on: Sequence[str] | None = None
    uuid: str | None = None
    state: str = "present"
    template: str = ""
    allow_unknown_fields: bool = False
    allow_destructive: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    timezone: str = ""


def ensure(client: Client, wish: DesiredRecord, check_mode: bool = False) -> Result:
    """Makes a record what the user wants, with the requests that are missing and no others.

    :raises SeventhingsError: one of its kinds; nothing was written where it could be known before.
    """
    return _Ensure(client, wish, check_mode).run()


class _Ensure:
    def __init__(self, client: Client, wish: DesiredRecord, check_mode: bool) -> None:
        self._client = client
        self._wish = wish
        self._kind = wish.kind
        self._check_mode = check_mode
        # What refers to something that is not there is not there either, so it is as absent as it is wanted to be.
        self._resolver = Resolver(client, check_mode or wish.state != "present", wish.state == "present")
        self._schema = client.schema(wish.kind)
        self._warnings: list[str] = []

    def run(self) -> Result:
        desired = self._desired()
        keys = self._keys(desired)
        needed = desired.values() if self._wish.state == "present" else [desired[key] for key in keys if key in desired]
        self._resolver.resolve(references_in(tuple(needed)))
        hits = self._hits(keys, desired)
        named = [key for key in keys if key in desired]
        what = f"the uuid {self._wish.uuid}" if self._wish.uuid else natural_keys.describe(self._schema, named, desired)
        known = frozenset(record.uuid for record in hits)
        meant = self._tasks_meant(hits, desired) if self._kind is TASK and not self._wish.uuid else hits
        current = natural_keys.one_of(self._kind, what, meant, advice=_ADVICE.get(self._kind.name, _TELL_APART))
        archived = False
        if current is None and "archived" in self._kind.states:
            current = self._archived_twin(keys, desired)
            archived = current is not None
        elif current is not None and "archived" in self._kind.states and self._wish.uuid:
            archived = self._wish.state != "absent" and self._client.is_archived(current)
        change = self._plan(desired, what, current, archived)
        if self._check_mode or not change.changed:
            return self._predicted(change)
        applier = Applier(self._client, self._schema, self._wish.template, self._wish.extra)
        try:
            record = applier.carry_out(change, lambda: self._hits(keys, desired, again=True), known)
        except REFUSED_VALUES as refused:
            refused.message += self._who_holds_it(change, keys, refused)
            raise
        finally:
            if self._kind is FIELD_DEFINITION:
                self._client.forget_definitions()
        return self._report(change, record)

    # ---- desired

    def _desired(self) -> dict[str, Any]:
        wish = self._wish
        if wish.uuid is not None and not is_uuid(wish.uuid):
            raise InvalidInput(f"uuid: {wish.uuid!r} is not in uuid form, such as 9091afea-81ee-4003-ac76-2ac11e3ddc3f")
        if (
            self._kind.open_fields
            and not set(wish.fields) <= set(self._schema.fields)
            and not wish.allow_unknown_fields
        ):
            for record in self._resolver.reading.listed(self._kind):
                self._schema.learn(record.flat)
        fields = wish.fields
        if wish.timezone:
            fields, unclear = with_offsets(self._schema, fields, zone_of(wish.timezone))
            if unclear:
                raise InvalidInput([f"{wish.where}{words}" for words in unclear.values()])
        desired, findings = self._schema.parse(fields, wish.where, wish.allow_unknown_fields)
        self._judge(findings)
        for name, value in desired.items():
            require_local(attachments_in(value), f"{wish.where}{name}")
        return desired

    def _judge(self, findings: ParseErrors) -> None:
        # In check mode an earlier task of the play may be the one that makes a definition, so it may be there by then.
        slips = [one for one in findings.unknown if self._schema.is_slip(str(one.way[0]))]
        if findings.errors or slips or (findings.unknown and not self._check_mode):
            raise InvalidInput([*findings.errors, *findings.unknown])
        self._warnings += findings.unknown

    def _unknown(self) -> dict[str, Any]:
        return {name: value for name, value in self._wish.fields.items() if self._schema.find(name) is None}

    # ---- match

    def _keys(self, desired: Mapping[str, Any]) -> tuple[str, ...]:
        if self._wish.uuid:
            return ()
        named = self._wish.match_on
        if named:
            fields = [self._schema.find(name) for name in named]
            unknown = [
                f"match_on: {name}: {self._schema.why_unknown(name)}"
                for name, of in zip(named, fields, strict=True)
                if of is None
            ]
            if unknown and not (self._check_mode and set(named) <= set(self._wish.fields)):
                raise InvalidInput(unknown)
            if unknown:
                # A field that is not made yet identifies nothing yet.
                return tuple(named)
            named = [of.key for of in fields if of is not None]
        return natural_keys.key_fields(self._kind, named, desired)

    def _hits(self, keys: Sequence[str], desired: Mapping[str, Any], again: bool = False) -> list[Record]:
        """The records with the natural key, among those that were read already; with ``again`` they are read anew."""
        if self._wish.uuid:
            record = self._client.get(self._kind, self._wish.uuid, self._wish.template)
            if record is None and self._wish.state == "present":
                raise NoMatch(f"There is no {self._kind.words} with the uuid {self._wish.uuid}.")
            return [record] if record else []
        if any(key not in desired for key in keys):
            return []
        if any(not reference.resolved for key in keys for reference in references_in(desired[key])):
            return []
        if keys == ("field_key",):
            records = [Record.of(self._kind, raw) for raw in self._client.definitions(self._wish.template)]
        else:
            conditions = natural_keys.conditions(self._schema, keys, desired) if self._kind.filters == "query" else []
            parameters, template = self._parameters(keys, desired), self._wish.template
            if again or parameters or template:
                records = self._client.list_all(self._kind, conditions, parameters=parameters, template=template)
            else:
                records = self._resolver.reading.listed(self._kind, conditions)
        read = [self._schema.read(record.flat) for record in records]
        self._resolver.fill_missing_ids((desired[key], have.get(key)) for have in read for key in keys)
        return natural_keys.identified(self._schema, keys, desired, records)

    def _parameters(self, keys: Sequence[str], desired: Mapping[str, Any]) -> dict[str, str]:
        if self._kind.filters != "parameters" or "deadline" not in keys:
            return {}
        day = desired["deadline"].isoformat()
        return {"deadline_from": day, "deadline_to": day}

    def _archived_twin(self, keys: Sequence[str], desired: Mapping[str, Any]) -> Record | None:
        """The archived record with the natural key, where it can be looked up; lists leave it out."""
        if not desired.get("barcode") or not self._kind.barcode_path:
            return None
        record = self._client.get_by_barcode(self._kind, desired["barcode"])
        hits = natural_keys.identified(self._schema, keys, desired, [record] if record else [])
        return hits[0] if hits else None

    def _tasks_meant(self, hits: Sequence[Record], desired: Mapping[str, Any]) -> list[Record]:
        def as_wanted(record: Record) -> bool:
            self._resolver.fill_missing_ids(
                (value, self._schema.read_one(key, record.flat)) for key, value in desired.items()
            )
            return not plan.plan_present(self._schema, desired, record).changed

        return natural_keys.task_meant(hits, desired.get("status"), as_wanted, self._wish.state == "absent")

    # ---- plan

    def _plan(self, desired: Mapping[str, Any], what: str, current: Record | None, archived: bool) -> Change:
        if self._wish.state == "absent":
            return plan.plan_gone(self._schema, desired, current)
        if self._wish.state == "archived":
            if current is None:
                self._warnings.append(f"No {self._kind.words} with {what} was found, so there is nothing to archive.")
            if archived:
                return Change(self._kind, plan.UNCHANGED, current)
            return plan.plan_gone(self._schema, desired, current, plan.ARCHIVE)
        written = tuple(desired)
        if self._kind is FIELD_DEFINITION:
            desired = self._definition_wanted(desired, current)
        if current is not None:
            have = self._schema.read(current.flat)
            self._resolver.fill_missing_ids((value, have.get(key)) for key, value in desired.items())
            contents = Contents(self._client)
            for key, value in desired.items():
                recognise(contents, attachments_in(value), list(attachments_in(have.get(key))))
        elif needs_hours(self._schema, desired):
            check_hours_known(self._schema, desired, self._client.some(self._kind))
        # In check mode an earlier task may be the one that makes the record, with what is mandatory.
        change = plan.plan_present(self._schema, desired, current, archived, may_be_made=self._check_mode)
        plan.check_choices(current, change)
        plan.check_destructive(current, change, self._wish.allow_destructive, self._values_in_use)
        change = self._with_renter(change)
        if change.changed and self._kind.template == "":
            self._resolver.with_uuid(references_in(tuple(change.values.values())))
        if self._kind is FIELD_DEFINITION:
            change = plan.shown_as_written(change, written)
        return self._with_unknown(change)

    def _values_in_use(self, definition: Record, values: list[Any]) -> list[Any]:
        return natural_keys.values_in_use(definition, self._wish.template, values, self._resolver.reading.listed)

    def _with_renter(self, change: Change) -> Change:
        """A PUT carries the renter along; where the instance answers a text alone, it must be known what it means."""
        if change.current is None or not change.changed or "renter" in change.values or self._kind is not RENTAL_CASE:
            return change
        renter = self._schema.read_one("renter", change.current.flat)
        if not is_text_renter(renter):
            return change
        meant = renter_of(renter[1], self._resolver.reading.listed(USER))
        if meant[0] == "plain":
            note = f"renter: the instance answers {renter[1]!r} alone, none of its users; it is kept as that text."
            self._warnings.append(note)
        return replace(change, values={**change.values, "renter": meant})

    def _definition_wanted(self, desired: Mapping[str, Any], current: Record | None) -> dict[str, Any]:
        if current is None and "field_key" in desired:
            raise NoMatch(
                f"There is no field definition with the key {desired['field_key']!r}; the service makes keys "
                f"itself, so leave field_key out to make one."
            )
        wanted = plan.with_equal_allowed_values(self._schema, desired, current)
        return {key: value for key, value in wanted.items() if key != "field_key"}

    def _with_unknown(self, change: Change) -> Change:
        """Check mode: fields of a definition that is not made yet are predicted as written."""
        unknown = self._unknown()
        if not unknown:
            return change
        before = {} if change.current is None else dict.fromkeys(unknown)
        return Change(
            change.kind,
            plan.UPDATE if change.action == plan.UNCHANGED else change.action,
            change.current,
            change.values,
            {**change.before, **before},
            {**change.after, **unknown},
            change.unarchive,
            change.warnings,
        )

    def _who_holds_it(self, change: Change, keys: Sequence[str], refused: ServiceError) -> str:
        """Who may hold a value that an instance refused, where values must be unique: an active record is named."""
        unique = {key: value for key, value in change.values.items() if self._schema.fields[key].unique}
        # That no active record has the natural key is known when one is made.
        unknown = [key for key in unique if change.action == plan.UPDATE or tuple(keys) != (key,)]
        mine = change.current.uuid if change.current else ""
        found = []
        for key in unknown:
            conditions = natural_keys.conditions(self._schema, [key], unique)
            if conditions or not self._kind.filters:
                records = natural_keys.identified(self._schema, [key], unique, self._holders(conditions))
                found += [
                    f" {key} must be unique, and the {self._kind.words} {one.uuid} has {unique[key]!r} already."
                    for one in records
                    if one.uuid != mine
                ]
        held = unique or {key: change.values[key] for key in keys if key in change.values}
        if found or not held or "archived" not in self._kind.states or not self._may_be_taken(refused, held):
            return "".join(found)
        what = natural_keys.describe(self._schema, held, held)
        return f" If a value must be unique: an archived {self._kind.words}, which no list shows, may hold {what}."

    def _may_be_taken(self, refused: ServiceError, held: Mapping[str, Any]) -> bool:
        names = {key: (key, of.label) for key, of in self._schema.fields.items()}
        mine = [*held, *(names[key][1] for key in held), *map(str, held.values())]
        return may_be_taken(refused, mine, [name for key, both in names.items() if key not in held for name in both])

    def _holders(self, conditions: Sequence[Condition]) -> list[Record]:
        try:
            return self._resolver.reading.listed(self._kind, conditions)
        except SeventhingsError:
            # What is told is why the value was refused, not why that can't be explained.
            return []

    # ---- report

    def _predicted(self, change: Change) -> Result:
        record: dict[str, Any] = {}
        if change.current is not None and change.action != plan.DELETE:
            record = self._schema.show(change.current.flat)
        if change.action in (plan.CREATE, plan.UPDATE):
            record |= self._schema.show_canonical(change.values) | self._unknown()
        return self._finish(change, record, change.current.uuid if change.current else None)

    def _report(self, change: Change, record: Record | None) -> Result:
        if record is None:
            return self._finish(change, {}, change.current.uuid if change.current else None)
        self._warnings += [
            f"{name}: this instance does not know the field and did not keep its value, so every run will send it."
            for name in change.values
            if self._schema.fields[name].type == "ANY" and name not in record.flat
        ]
        return self._finish(change, self._schema.show(record.flat), record.uuid)

    def _finish(self, change: Change, record: dict[str, Any], uuid: str | None) -> Result:
        if uuid and change.action != plan.DELETE:
            record["uuid"] = uuid
        pending = self._resolver.warnings if self._wish.state == "present" else ()
        diff = {side: self._as_written(fields) for side, fields in change.diff.items()}
        return Result(change.changed, record, uuid, diff, (*self._warnings, *pending, *change.warnings))

    def _as_written(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Fields of a diff by the names that the user wrote: a label stays one, whether its key is known yet or not."""
        names = {of.key: name for name in self._wish.fields for of in [self._schema.find(name)] if of is not None}
        return {names.get(key, key): value for key, value in fields.items()}
