# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inverse of an apply record: a desired state that restores what the apply changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import SeventhingsError
from ...module_utils.model import types_links
from ...module_utils.model.field import EMPTY, is_uuid
from ...module_utils.model.kinds import FILE, HUB_ITEM, KINDS, OBJECT, SERVER_KEYS, TEMPLATE_KINDS, USER, Kind
from ...module_utils.model.rooms import TO_LOCATION, locations_of_rooms
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_links import ATTACHMENTS, Reference, attachments_in, references_in
from ...module_utils.operations.hub_items import asset_id
from ...module_utils.plan.archived_duplicate import archived_duplicate
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE
from ...module_utils.printing.cleaner import amount
from ...module_utils.resolve.field_visibility import LIMITED, hidden_field_message
from ...module_utils.resolve.references import renter_of, with_target
from ..apply.memory import Memory
from ..desired.desired import DesiredInstance
from ..desired.entry import Entry
from ..desired.hiding import VAULTED
from ..desired.positions import Place
from ..desired.row_rules import NO_RULES, RowRules
from ..set_plan.hub import offer_of
from ..set_plan.hub import schema as hub_schema
from ..set_plan.listed_state import ListedState
from .lasting import drops_values, kept_by_archived, lasting_words, stays
from .record import DONE, FAILED, ApplyRecord, RecordedChange
from .removals import ABOUT_OBJECTS, may_refer, why_referred
from .undo import FORCE, REFUSE, Undo
from .values import REFERENCE, is_fingerprint, stored, with_references, with_removed_parts

STILL_WANTED = (
    "The files still want what was undone, so the next apply makes the same changes again. Change the files, too."
)

_TAKEN = "another record has its key now"


@dataclass
class Inverse:
    """The desired state before an apply, and what can't be restored.

    :ivar state: the lists that were read for it.
    :ivar refusals: why nothing may be undone.
    :ivar not_restored: section, key, field and reason of each record or field that keeps what the apply wrote.
    """

    desired: DesiredInstance
    state: ListedState
    refusals: list[str] = field(default_factory=list)
    not_restored: list[dict[str, str]] = field(default_factory=list)


def inverse_of(client: Client, undo: Undo, base: DesiredInstance, memory: Memory, is_resumed: bool) -> Inverse:
    """Return the inverse of a record for the instance as it is now.

    :param base: the desired state that receives the entries.
    :param is_resumed: True if this run continues an interrupted undo of the same record.
    """
    return _Inverter(client, undo, base, memory, is_resumed).run()


class _Inverter:
    def __init__(self, client: Client, undo: Undo, base: DesiredInstance, memory: Memory, is_resumed: bool) -> None:
        self._client = client
        self._undo = undo
        self._sent = memory.created
        self._creations = memory.creations
        self._is_resumed = is_resumed
        self._state = ListedState(client)
        self._desired = replace(
            base, entries=[], warnings=[], findings=list(base.findings), identity=_identity(undo.record)
        )
        self._own = {*filter(None, memory.created.values()), *memory.unarchived}
        self._uploaded = memory.files
        self._refusals: list[str] = []
        self._not_restored: list[dict[str, str]] = []
        changes = undo.record.changes
        self._sent_changes = [change for change in changes if change.may_have_effect]
        self._restored = {change.uuid: change for change in self._sent_changes if change.action == DELETE}
        self._kept = kept_by_archived(self._sent_changes)
        self._hidden: Counter[str] = Counter()
        self._schemas: dict[str, Schema] = {}
        self._files: dict[str, bool] = {}
        self._created_again: dict[str, dict[str, Any]] = {}
        self._withdrawn: set[int | None] = set()

    def run(self) -> Inverse:
        why_nothing = self._undo.why_nothing()
        if why_nothing:
            self._warn(why_nothing)
            return Inverse(self._desired, self._state)
        lasting = lasting_words(self._sent_changes)
        if lasting:
            self._warn(lasting)
        for number, change in enumerate(self._undo.record.changes):
            if change.may_have_effect:
                change = self._with_renter(self._by_keys(change))
                self._desired.entries += self._entries(change, self._undo.place_of(number))
        for section, count in self._hidden.items():
            self._warn(
                f"{section}: {amount(count, 'vaulted, hidden or unreadable value')} can't be undone, "
                f"because the apply record has only fingerprints."
            )
        self._refer_again()
        unarchived = {change.uuid for change in self._sent_changes if change.unarchived}
        self._refusals += why_referred(self._state, self._desired, self._withdrawn, unarchived)
        self._warn(STILL_WANTED)
        return Inverse(self._desired, self._state, self._refusals, self._not_restored)

    def _warn(self, words: str) -> None:
        self._desired.warnings.append(words)

    def _keep(self, change: RecordedChange, reason: str, *fields: str, warning: str = "") -> None:
        """Note what is not restored.

        :param fields: the keys of the fields; none: the whole record.
        :param warning: what the user should know about the record.
        """
        if warning:
            self._warn(f"{change.words}: {warning}.")
        self._not_restored += [
            {"section": change.section, "key": change.key, "field": key, "reason": reason} for key in fields or ("",)
        ]

    def _keep_gone(self, kind: Kind, change: RecordedChange) -> None:
        words = "does not exist any more" + (f", or is hidden: {LIMITED}" if self._may_hide(kind) else "")
        self._keep(change, f"it {words}", warning=words)

    def _may_hide(self, kind: Kind) -> bool:
        return kind.can_be_hidden and self._state.visibility(reads_proof=True).may_hide(kind)

    def _keep_hidden(self, change: RecordedChange, key: str) -> None:
        self._hidden[change.section] += 1
        self._keep(change, "the apply record has only a fingerprint of the vaulted, hidden or unreadable value", key)

    def _by_keys(self, change: RecordedChange) -> RecordedChange:
        """Return a change whose fields have their present keys.

        An apply that creates a field knows only its label until the service has given it a key.
        """
        if not KINDS[change.kind].template:
            return change
        name = self._schema(KINDS[change.kind]).key_of
        return replace(
            change,
            before={name(key): value for key, value in change.before.items()},
            after={name(key): value for key, value in change.after.items()},
            keys=tuple(map(name, change.keys)),
        )

    def _with_renter(self, change: RecordedChange) -> RecordedChange:
        """Return a change with what the text means that some instances return in place of a renter."""
        before = dict(change.before)
        for key in KINDS[change.kind].carried_along:
            was = before.get(key)
            if isinstance(was, Mapping) and was.get("type") == "text":
                try:
                    meant = renter_of(str(was.get("value")), self._state.records(USER))
                except SeventhingsError:
                    del before[key]
                    why = "the instance returned only a text, and it is unknown which user that means"
                    self._keep(change, why, key, warning=f"{key} can't be restored, because {why}")
                else:
                    before[key] = stored(self._schema(KINDS[change.kind]), key, meant, self._state)
        return replace(change, before=before)

    def _changed(self, change: RecordedChange, what: str, *fields: str) -> None:
        """Note what somebody changed since the apply.

        :param fields: the keys of the fields; none: the whole record.
        """
        self._keep(change, "it was changed since the apply", *fields)
        words = f"{change.words}: {what}"
        if self._undo.changed_since == REFUSE:
            self._refusals.append(f"{words} was changed since the apply. Set changed_since: skip or force.")
        else:
            self._warn(f"{words} was changed since the apply, and is left as it is.")

    @cached_property
    def _created(self) -> dict[tuple[str, Any], str]:
        """The uuids of the records that the apply created, by kind and natural key.

        Only the journal knows those of an interrupted run.
        """
        made = [change for change in self._sent_changes if change.action == CREATE]
        return {(one.kind, one.key): one.uuid or self._sent.get(one.journal_name, "") for one in made}

    # ---- one change

    def _entries(self, change: RecordedChange, place: Place) -> Iterator[Entry]:
        kind = KINDS[change.kind]
        if kind.numbered:
            yield from self._offer(kind, change, place)
        elif change.action == CREATE:
            yield from self._created_record(kind, change, place)
        elif change.action == DELETE:
            yield from self._deleted_record(kind, change, place)
        else:
            yield from self._changed_record(kind, change, place)

    def _changed_record(self, kind: Kind, change: RecordedChange, place: Place) -> Iterator[Entry]:
        current = self._state.of_uuid(kind, change.uuid, change.template)
        if current is None:
            self._keep_gone(kind, change)
            return
        is_archived = kind.can_be_archived and self._state.is_archived(current)
        if change.action == ARCHIVE:
            if is_archived and not self._is_key_taken(change, change.before):
                # An interrupted run before it may have written fields, too.
                written = {key: was for key, was in change.before.items() if key not in change.keys}
                fields = self._restored_fields(self._schema(kind), replace(change, before=written), current)
                found = self._found(change, current, place)
                yield replace(found, fields={**found.fields, **fields})
            return
        if change.unarchived:
            may_archive = not is_archived and self._may_remove(change, current.uuid in self._own)
            if may_archive and self._is_as_applied(kind, change, current):
                words = "is archived again, with the values of the apply"
                self._keep(change, "it has the values of the apply in the archive", *change.before, warning=words)
                yield self._found(change, current, place, "archived")
            return
        fields = self._restored_fields(self._schema(kind), change, current)
        named = {**self._present_key(change, current), **fields}
        may_be_taken = kind.can_be_looked_up and not kind.open_status and not fields.keys().isdisjoint(change.keys)
        if fields and is_archived:
            self._changed(change, "archived since; it")
        elif fields and not (may_be_taken and self._is_key_taken(change, named)):
            if drops_values(change):
                self._keep(change, "records that lost a value do not get it back", "possible_values")
            entry = Entry(kind, named, place, template=change.template, uuid=current.uuid, vaulted=change.fingerprinted)
            yield replace(entry, rules=self._rules(change, named))

    def _is_key_taken(self, change: RecordedChange, fields: Mapping[str, Any]) -> bool:
        """Return True if a record that the apply did not change has the key of a changed record by now."""
        other = self._with_same_key(self._schema(KINDS[change.kind]), change, fields)
        is_taken = other is not None and all(other.uuid != sent.uuid for sent in self._sent_changes)
        if is_taken:
            self._keep(change, _TAKEN, warning=_TAKEN)
        return is_taken

    def _present_key(self, change: RecordedChange, current: Record) -> dict[str, Any]:
        """Return the fields of the natural key by which messages name a record, with their present values."""
        if current.kind.defines_fields:
            return {"field_key": current.flat.get("field_key")}
        schema = self._schema(current.kind)
        values = {key: schema.read_field(key, current.flat) for key in change.keys if key in schema.fields}
        if VAULTED in change.key or not all(map(self._state.find, references_in(tuple(values.values())))):
            # Only the uuid identifies the record, because no list shows its location.
            return {}
        return {key: with_references(stored(schema, key, now, self._state), _compared) for key, now in values.items()}

    def _created_record(self, kind: Kind, change: RecordedChange, place: Place) -> Iterator[Entry]:
        if stays(change):
            sent = ", and the e-mail was sent" if kind.creation_sends_mail else ""
            self._keep(change, f"{kind.plural} can't be removed by an undo{sent}")
            return
        name = change.journal_name
        uuid = change.uuid or self._sent.get(name)
        current = self._state.of_uuid(kind, uuid) if uuid else None
        if not uuid and name in self._sent:
            # The request was sent, but its outcome is unknown.
            current = self._with_same_key(self._schema(kind), change, change.after)
        if current is None:
            if uuid in self._own and self._may_hide(kind):
                self._keep_gone(kind, change)
            return
        if kind.can_be_archived and self._state.is_archived(current):
            return
        if change.mark in self._kept:
            reason = "records that are not deleted refer to it"
            self._keep(change, reason, warning=f"stays, because {reason}")
            return
        # A creation without a noted outcome has no uuid.
        is_known = uuid in self._own or self._sent.get(name) == ""
        if self._may_remove(change, is_known) and self._is_as_applied(kind, change, current):
            yield self._found(change, current, place, "archived" if kind.can_be_archived else "absent")

    def _may_remove(self, change: RecordedChange, is_known: bool) -> bool:
        """Return True if the journal knows that this set created a record, or if the task approves the apply record.

        :param is_known: True if the journal knows it.
        """
        if self._undo.is_approved or is_known:
            return True
        self._refusals.append(
            f"{change.words}: the journal does not know it as created by this set, so it is not removed. Check the "
            f"apply record, and give its SHA-256 as record_digest."
        )
        return False

    def _found(self, change: RecordedChange, current: Record, place: Place, state: str = "present") -> Entry:
        fields = self._present_key(change, current)
        entry = Entry(current.kind, fields, place, state=state, uuid=current.uuid, vaulted=change.hidden)
        return replace(entry, rules=self._rules(change, fields))

    def _is_as_applied(self, kind: Kind, change: RecordedChange, current: Record) -> bool:
        """Return True if a record still has everything that the apply wrote, and nothing else that a removal loses.

        A value that somebody changed since is never removed.
        """
        schema = self._schema(kind)
        hidden = [key for key in change.after if self._is_hidden(schema, key)]
        changed = [
            key
            for key, value in change.after.items()
            if key not in schema.fields
            or not (
                is_fingerprint(value)
                or key in hidden
                or self._is_now(schema, key, value, current)
                or _may_follow(schema, change, key, current)
            )
        ]
        if not (kind.can_be_archived or kind.numbered):
            changed += [key for key in _filled_in(schema, current) if key not in change.after]
        if changed:
            self._changed(change, ", ".join(sorted(changed)), *sorted(changed))
        if hidden and not kind.can_be_archived:
            # A deletion would lose what somebody wrote there.
            reason = hidden_field_message(hidden[0])
            self._keep(change, reason, warning=f"stays, because {reason}")
            return False
        return not changed

    def _deleted_record(self, kind: Kind, change: RecordedChange, place: Place) -> Iterator[Entry]:
        if self._state.of_uuid(kind, change.uuid) is not None:
            return
        if change.unarchived:
            self._keep(change, "it was in the archive", warning="was in the archive, so it is not created again")
            return
        if any(sent.mark == change.mark and sent.uuid in self._created_again for sent in self._sent_changes):
            # The next run of an interrupted one deleted another record with this key.
            self._keep(change, _TAKEN, warning=_TAKEN)
            return
        schema = self._schema(kind)
        fields: dict[str, Any] = {}
        for key, was in change.before.items():
            if is_fingerprint(was):
                self._keep_hidden(change, key)
            elif was in EMPTY:
                continue
            elif key not in schema.fields:
                reason = "the field does not exist any more"
                self._keep(change, reason, key, warning=f"{key} can't be restored, because {reason}")
            elif self._is_seen(schema, change, key):
                value = self._written(schema, change, key, was)
                if value not in EMPTY and self._fits(schema, change, key, value):
                    fields[key] = value
        existing_record = self._with_same_key(schema, change, fields)
        if existing_record is not None:
            # If the answer was lost, the journal knows the key and no uuid.
            marks = {existing_record.uuid, change.journal_name}
            if self._is_resumed and not marks.isdisjoint(self._creations):
                self._created_again[change.uuid] = _key_of(change, fields)
                changed = [key for key in fields if self._is_changed_again(schema, change, key, existing_record)]
                if changed:
                    self._changed(change, ", ".join(changed), *changed)
                fields = {key: value for key, value in fields.items() if key not in changed}
                yield Entry(kind, fields, place, uuid=existing_record.uuid, rules=self._rules(change, fields))
            elif existing_record.uuid not in self._own and not all(
                self._is_again(schema, key, change.before[key], existing_record) for key in fields
            ):
                self._keep(change, _TAKEN, warning=_TAKEN)
            return
        missing = schema.missing(fields)
        if missing:
            words = f"can't be created again without {', '.join(missing)}"
            self._keep(change, f"it {words}", warning=words)
            return
        self._keep(change, "it is created again with another uuid and without its history", "uuid")
        self._created_again[change.uuid] = _key_of(change, fields)
        yield Entry(kind, fields, place, rules=self._rules(change, fields))

    def _is_changed_again(self, schema: Schema, change: RecordedChange, key: str, current: Record) -> bool:
        """Return True if somebody changed a field that an interrupted undo restored. An empty one may still follow."""
        now, blank = schema.read_field(key, current.flat), (*EMPTY, schema.kind.open_status)
        is_left = self._undo.changed_since == FORCE or now in blank
        return not is_left and not self._is_again(schema, key, change.before[key], current)

    def _rules(self, change: RecordedChange, fields: Mapping[str, Any]) -> RowRules:
        """Return how a record is identified. Other records of its section may be identified by other fields."""
        is_own = change.section in self._desired.identity and fields.keys() >= set(change.keys)
        return RowRules(match=(change.keys,)) if is_own else NO_RULES

    def _with_same_key(self, schema: Schema, change: RecordedChange, fields: Mapping[str, Any]) -> Record | None:
        """Return the present record with the natural key of a changed record; None if a part of the key is unknown.

        The key of a deleted record is looked up in the archive, too.
        """
        key = _key_of(change, fields)
        values = _parsed(schema, {name: with_references(part, self._present) for name, part in key.items()})
        if not key or not self._state.put_resolved(values):
            return None
        listed = next(iter(self._state.find_existing(schema, change.keys, values)), None)
        if listed is not None or change.action != DELETE or not values.keys() >= set(change.keys):
            return listed
        return archived_duplicate(self._client, schema, change.keys, values)

    def _offer(self, kind: Kind, change: RecordedChange, place: Place) -> Iterator[Entry]:
        """Return the entry of an offer. It is found by its object, and only its price can be read back."""
        schema = self._schema(kind)
        given = change.after if change.action == CREATE else change.before
        offered = self._written(schema, change, "object", given.get("object"))
        values = _parsed(schema, {"object": offered})
        if offered is None or not self._state.put_resolved(values):
            return
        item = offer_of(self._state, values)
        price = replace(change, before=_price_in(change.before), after=_price_in(change.after))
        if change.action == DELETE:
            if item is None:
                yield Entry(kind, {**change.before, "object": offered}, place)
        elif item is None:
            return
        elif change.action == CREATE:
            if self._is_as_applied(kind, price, item) and self._may_remove(change, change.journal_name in self._sent):
                self._withdrawn.add(asset_id(item))
                yield Entry(kind, {"object": offered}, place, state="absent")
        elif fields := self._restored_fields(schema, price, item):
            yield Entry(kind, {"object": offered, **fields}, place)

    # ---- values

    def _schema(self, kind: Kind) -> Schema:
        """Return the fields of a kind, including fields that only its records show."""
        if kind.name not in self._schemas:
            self._schemas[kind.name] = hub_schema() if kind is HUB_ITEM else self._state.learned(kind)
        return self._schemas[kind.name]

    def _is_hidden(self, schema: Schema, key: str) -> bool:
        return key in self._state.field_visibility(schema, keys=(key,)).hidden

    def _is_seen(self, schema: Schema, change: RecordedChange, key: str) -> bool:
        """Return True if the account sees a field. Otherwise note that its value stays."""
        is_hidden = self._is_hidden(schema, key)
        if is_hidden:
            why = hidden_field_message(key)
            self._keep(change, why, key, warning=f"{key} can't be restored, because {why}")
        return not is_hidden

    def _restored_fields(self, schema: Schema, change: RecordedChange, current: Record) -> dict[str, Any]:
        """Return the fields of an update with their values before the apply."""
        fields: dict[str, Any] = {}
        followed = _followed(schema, change)
        for key, was in change.before.items():
            then = change.after.get(key)
            if is_fingerprint(was) or is_fingerprint(then):
                self._keep_hidden(change, key)
            elif key not in schema.fields:
                self._changed(change, key, key)
            elif key in followed or not self._is_seen(schema, change, key) or self._is_again(schema, key, was, current):
                # An interrupted undo may have restored it, with references to records that it created again.
                continue
            elif self._undo.changed_since != FORCE and not self._is_now(schema, key, then, current):
                self._changed(change, key, key)
            else:
                value = self._written(schema, change, key, was)
                if (value is not None or was in EMPTY) and self._fits(schema, change, key, value):
                    fields[key] = with_removed_parts(schema, key, value, then)
        self._restore_followed(change, current, fields)
        return fields

    def _restore_followed(self, change: RecordedChange, current: Record, fields: dict[str, Any]) -> None:
        """Restore each room or location that the apply did not write, and that followed the other one of them.

        :param fields: what is restored otherwise.
        """
        schema = self._schema(current.kind)
        for key, other in _followed(schema, change).items():
            was = change.before.get(key)
            if other not in fields or was in EMPTY or is_fingerprint(was) or not self._is_seen(schema, change, key):
                continue
            if schema.fields[key].type == TO_LOCATION:
                if fields[other] in EMPTY and self._is_of_room(schema, key, other, was, current):
                    fields[key] = self._written(schema, change, key, was)
            elif self._is_again(schema, key, was, current):
                continue
            elif schema.read_field(key, current.flat) in EMPTY:
                why = "the service or somebody emptied it"
                self._keep(change, why, key, warning=f"{key} is not restored, because {why}")
            elif self._is_of_room(schema, other, key, None, current):
                # Another location could empty the room that somebody wrote.
                self._changed(change, key, key, other)
                del fields[other]

    def _is_again(self, schema: Schema, key: str, was: Any, current: Record) -> bool:
        """Return True if a field has its value before the apply, with references to records that are created again."""
        return self._is_now(schema, key, with_references(was, self._present), current)

    def _is_of_room(self, schema: Schema, key: str, room: str, was: Any, current: Record) -> bool:
        """Return True if the location of an object is the one before the apply, or follows the room that it wrote."""
        if self._is_now(schema, key, was, current):
            return True
        rooms = map(self._state.find, references_in(schema.read_field(room, current.flat)))
        places = {place.uuid for place in map(self._state.place_of, filter(None, rooms)) if place}
        links = references_in(schema.read_field(key, current.flat))
        return {self._state.completed(link).uuid for link in links} == places

    def _is_now(self, schema: Schema, key: str, value: Any, current: Record) -> bool:
        """Return True if a record now has a value of the apply record."""
        then, now = _recorded(schema, key, value), schema.read_field(key, current.flat)
        if any(file.path for file in attachments_in(then)):
            # The apply record of an interrupted run contains no uuids of its uploads.
            known = {*self._uploaded, *(file.uuid for file in attachments_in(then))}
            uuids = [file.uuid for file in attachments_in(now)]
            return known.issuperset(uuids) and len(uuids) == len(tuple(attachments_in(then)))
        then, now = (types_links.with_references(value, self._identified) for value in (then, now))
        return then == now if then is None else schema.equal(key, then, now)

    def _identified(self, reference: Reference) -> Reference:
        if reference.uuid:
            return reference
        if not reference.resolved:
            found = self._state.resolved(reference)
            # No list shows a record that the apply created and an interrupted undo archived.
            may_be_created = found.problem and isinstance(reference.written, str)
            uuid = self._created.get((reference.target, reference.written)) if may_be_created else None
            created = self._state.of_uuid(KINDS[reference.target], uuid) if uuid else None
            return found.reference if created is None else with_target(reference, created)
        return with_target(reference, self._state.find(reference))

    def _written(self, schema: Schema, change: RecordedChange, key: str, value: Any) -> Any:
        """Return a value as files write it. References use the present natural keys.

        :returns: None if a referenced record no longer exists.
        """
        lost: list[str] = []

        def now(reference: Mapping[str, Any]) -> Any:
            found = self._named_now(reference)
            if found is None:
                lost.append(str(reference.get("name") or reference.get("uuid") or reference.get("id")))
            return found

        written = with_references(value, now)
        if type_of(schema.fields[key]).shape == ATTACHMENTS.shape and isinstance(written, list):
            # The loader refuses anything else.
            files = [str(path) for path in written]
            lost = [f"the file {path}" for path in files if not self._has_file(path)]
            written = [path for path in files if self._has_file(path)]
        if lost:
            reason = f"{', '.join(lost)} does not exist any more"
            self._keep(change, reason, key, warning=f"{key} can't be restored in full, because {reason}")
            return [item for item in written if item is not None] if isinstance(written, list) else None
        return written

    def _fits(self, schema: Schema, change: RecordedChange, key: str, written: Any) -> bool:
        """Return True if a field can have its earlier value again. Otherwise note why not."""
        field, why = schema.fields[key], ""
        values, misfits = schema.parse({key: written}, "") if not schema.kind.defines_fields else ({}, None)
        if misfits is not None and misfits.errors:
            # The undo may restore the definition that the value fits.
            if all(sent.uuid != field.uuid for sent in self._sent_changes):
                why = "its earlier value does not fit the field any more"
        elif (
            field.unique
            and change.keys != (key,)
            and values
            and self._state.put_resolved(values)
            and not self._is_given_up(schema, key, values, {change.uuid})
        ):
            why = "another record has its earlier value now, which must be unique"
        if why:
            self._keep(change, why, key, warning=f"{key} can't be restored, because {why}")
        return not why

    def _is_given_up(self, schema: Schema, key: str, values: Mapping[str, Any], asking: Collection[str]) -> bool:
        """Return True if no record keeps a unique value.

        The undo archives what the apply created or brought back, and the archive keeps values. A changed record gives
        its value up only if it gets back its own.

        :param asking: uuids of the records that wait for values of each other.
        """
        sent = {change.uuid: change for change in self._sent_changes if key in change.after}
        for record in self._state.find_existing(schema, (key,), values):
            if record.uuid in asking:
                continue
            change = sent.get(record.uuid)
            if change is None:
                return False
            if change.action == CREATE or change.unarchived:
                if schema.kind.can_be_archived:
                    return False
                continue
            was = change.before.get(key)
            if is_fingerprint(was) or is_fingerprint(change.after[key]):
                return False
            before, _findings = schema.parse({key: was}, "")
            if not self._is_given_up(schema, key, before, {*asking, record.uuid}):
                return False
        return True

    def _present(self, reference: Mapping[str, Any]) -> Any:
        """Return a reference of the apply record for a comparison with present values."""
        return self._named_now(reference) or _compared(reference)

    def _named_now(self, reference: Mapping[str, Any]) -> Any:
        kind = KINDS.get(str(reference.get(REFERENCE)))
        uuid, name, number = reference.get("uuid"), reference.get("name"), reference.get("id")
        if kind is None:
            return None
        # A name may be one that the undo itself changes back, or begin with one.
        if is_uuid(uuid) and self._state.of_uuid(kind, str(uuid)) is not None:
            return uuid
        if uuid in self._restored:
            again = self._restored[uuid]
            return with_references(_key_of(again, again.before), self._named_now)
        if name is None:
            return number if uuid is None else None
        return None if self._state.resolved(Reference(kind.name, written=name)).problem else name

    def _has_file(self, uuid: str) -> bool:
        """Return True if the service still has an uploaded file."""
        if uuid not in self._files:
            self._files[uuid] = is_uuid(uuid) and self._client.get(FILE, uuid) is not None
        return self._files[uuid]

    def _refer_again(self) -> None:
        """Make records that still refer to a deleted record refer to its replacement."""
        if not self._created_again:
            return
        entries = {entry.uuid: number for number, entry in enumerate(self._desired.entries) if entry.uuid}
        known = [record for kind in TEMPLATE_KINDS.values() for record in self._state.unlisted(kind)]
        for record in [*self._referring(), *(record for record in known if record.uuid in entries)]:
            fields = self._referring_again(self._schema(record.kind), record)
            if not fields:
                continue
            if record.uuid not in entries:
                place = Place(f"references of {self._undo.source}")
                self._desired.entries.append(Entry(record.kind, fields, place, uuid=record.uuid))
                continue
            entry = self._desired.entries[entries[record.uuid]]
            if entry.state == "present":
                self._desired.entries[entries[record.uuid]] = replace(entry, fields={**fields, **entry.fields})

    def _referring(self) -> Iterator[Record]:
        """Yield the listed records of the kinds that may refer to what is created again."""
        for kind in TEMPLATE_KINDS.values():
            yield from self._state.records(kind)
        if any(change.kind == OBJECT.name and change.uuid in self._created_again for change in self._sent_changes):
            yield from may_refer(self._state, ABOUT_OBJECTS, self._desired.warnings)

    def _referring_again(self, schema: Schema, record: Record) -> dict[str, Any]:
        found = {}
        for key, definition in schema.fields.items():
            value = schema.read_field(key, record.flat) if definition.type.startswith(("LINKED_", "ASSETS")) else None
            if any(reference.uuid in self._created_again for reference in references_in(value)):
                written = with_references(
                    stored(schema, key, value, self._state),
                    lambda reference: self._created_again.get(str(reference.get("uuid"))) or self._named_now(reference),
                )
                found[key] = [item for item in written if item is not None] if isinstance(written, list) else written
        return found


def _followed(schema: Schema, change: RecordedChange) -> dict[str, str]:
    """Return each room or location that an apply did not write, although it wrote the other one of them."""
    pairs = [both for pair in locations_of_rooms(schema).items() for both in (pair, pair[::-1])]
    return {key: other for key, other in pairs if key not in change.after and other in change.after}


def _may_follow(schema: Schema, change: RecordedChange, key: str, current: Record) -> bool:
    """Return True if a creation may have ended before a field was written.

    Files, a status, and links to records that are created together with it follow.
    """
    if change.action != CREATE or change.outcome == DONE:
        return False
    value = schema.read_field(key, current.flat)
    if key == schema.kind.status_key:
        # After a kill, somebody may have opened it again.
        return change.outcome == FAILED and bool(value == schema.kind.open_status)
    targets = [KINDS[link.target] for link in references_in(_recorded(schema, key, change.after.get(key)))]
    has_files = type_of(schema.fields[key]).shape == ATTACHMENTS.shape
    return value in EMPTY and (has_files or any(target.level == schema.kind.level for target in targets))


def _price_in(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the price of an offer if it has one."""
    return {key: value for key, value in fields.items() if key == "price" and value is not None}


def _filled_in(schema: Schema, record: Record) -> Iterator[str]:
    """Yield the fields of a record with a value that the service does not set by itself."""
    by_service = {*SERVER_KEYS, *schema.kind.kept_by_leaving_out, *locations_of_rooms(schema)}
    for key, definition in schema.fields.items():
        may_be_written = type_of(definition).writable and not definition.has_default and key not in by_service
        if may_be_written and schema.read_field(key, record.flat) not in (*EMPTY, False, schema.kind.open_status):
            yield key


def _key_of(change: RecordedChange, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the natural key of a record that is created again."""
    return {key: fields[key] for key in change.keys if key in fields}


def _parsed(schema: Schema, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return written fields as canonical values, without those that do not fit."""
    values, _findings = schema.parse(fields, "")
    return values


def _recorded(schema: Schema, key: str, value: Any) -> Any:
    """Return a value of the apply record as a canonical value; None if it does not fit."""
    return _parsed(schema, {key: with_references(value, _compared)}).get(key)


def _compared(reference: Mapping[str, Any]) -> Any:
    """Return a reference of the apply record for a comparison: by what identified the record at that time."""
    return reference.get("uuid") or reference.get("id") or reference.get("name")


def _identity(record: ApplyRecord) -> dict[str, tuple[str, ...]]:
    """Return the fields that identify records, by section, if they differ from the default."""
    return {
        change.section: change.keys
        for change in record.changes
        if change.keys and KINDS[change.kind].can_be_looked_up and change.keys not in KINDS[change.kind].match_on
    }
