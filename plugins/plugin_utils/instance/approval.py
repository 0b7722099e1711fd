# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Approvals: the digests of a plan's changes. An apply makes the plan again and executes what has the same digests.

An approval has no value to write. So a forged approval changes nothing that the files do not ask for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any

from ...module_utils.client.files import Contents
from ...module_utils.model.field import first_of
from ...module_utils.model.kinds import ARCHIVED_AT, KINDS, Kind
from ...module_utils.model.names import normal_address, normal_name
from ...module_utils.model.rooms import locations_of_rooms
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Attachment, Reference, attachments_in, references_in
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ...module_utils.plan.relations import related
from ...module_utils.printing.cleaner import amount
from ..apply.strict_json import Digest, one_of
from ..desired.desired import SECTIONS, DesiredInstance
from ..desired.entry import Entry
from ..desired.hiding import VAULTED
from ..set_plan import canonical
from ..set_plan.plan import InstancePlan, Planned, drop_changes
from ..set_plan.removal_blockers import without_blocked

VERSION = 1
#: What to do with an approved change whose record changed since the approval.
REFUSE, SKIP = "refuse", "skip"

_REMOVALS = (DELETE, ARCHIVE)
#: The forms in which the journal may note a key, that of the key itself last.
_NOTED: Sequence[Callable[[str], str]] = (normal_address, normal_name, str)
#: Maximum number of records that a warning names.
_MOST_NAMED = 3


@dataclass(frozen=True)
class ApprovedChange:
    """An approved change of one record.

    :ivar key: its natural key in lasting files.
    :ivar uuid: of the record before the change; empty for a new record.
    :ivar digest: of the record before the change and of everything that the change writes.
    :ivar wanted: digest of what the files ask for, whatever the record is like.
    :ivar fields: the fields to change, by label if the service generates their keys.
    """

    section: Annotated[str, one_of(*SECTIONS)]
    key: str
    action: Annotated[str, one_of(CREATE, UPDATE, DELETE, ARCHIVE)]
    uuid: str
    digest: Digest
    wanted: Digest
    fields: tuple[str, ...]

    @property
    def name(self) -> Name:
        """Return the record that the change concerns."""
        return name_of(self.section, self.key, self.action, self.uuid)

    def __str__(self) -> str:
        return f"{KINDS[SECTIONS[self.section]].words} {self.key}"


#: Section and key of a change, or section and uuid. Several records to remove may have one key, so these have both.
Name = tuple[str, str, str]


def name_of(section: str, key: str, action: str, uuid: str) -> Name:
    """Return the name under which a change is approved."""
    return section, key, uuid if action in _REMOVALS else ""


@dataclass(frozen=True)
class Approval:
    """The approved changes of a plan.

    :ivar instance: root of the instance.
    :ivar files: digest of what the files asked for; of an undo, the SHA-256 of the apply record.
    :ivar notify: True if the assignees of tasks may be notified.
    :ivar digest: the SHA-256 of the approval file.
    """

    instance: str
    set_name: str
    set_id: str
    files: str
    notify: bool
    changes: tuple[ApprovedChange, ...] = ()
    digest: str = field(default="", compare=False)

    @classmethod
    def from_plan(
        cls, plan: InstancePlan, desired: DesiredInstance, root: str, files: str, digests: Digests
    ) -> Approval:
        """Return the approval of a plan.

        :param files: digest of what the files ask for.
        """
        changes = tuple(map(digests.approved, plan.changes))
        head = cls(root, desired.set_name, desired.set_id, files, desired.policy.notify, changes)
        return replace(head, digest=hashlib.sha256(head.content()).hexdigest())

    def content(self) -> bytes:
        """Return the approval as an approval file has it: JSON, with a line for each change."""
        head = {
            "approval": VERSION,
            "instance": self.instance,
            "set": self.set_name,
            "set_id": self.set_id,
            "files": self.files,
            "notify": self.notify,
        }
        lines = ",\n".join(json.dumps(asdict(change), ensure_ascii=False) for change in self.changes)
        text = f'{json.dumps(head, ensure_ascii=False)[:-1]}, "changes": [\n{lines}]}}\n'
        # Services may return halves of surrogate pairs.
        return text.encode(errors="backslashreplace")

    @property
    def creations(self) -> dict[str, str]:
        """Return section and key of the records that it creates, by the forms in which the journal may note them."""
        names = [f"{change.section} {change.key}" for change in self.changes if change.action == CREATE]
        return {form(name): name for form in _NOTED for name in names}

    @property
    def removed(self) -> frozenset[str]:
        """Return the uuids of the records that it removes."""
        return frozenset(change.uuid for change in self.changes if change.action in _REMOVALS)

    @property
    def unarchived(self) -> frozenset[str]:
        """Return kind and key, as the journal names them, of the archived records that it restores."""
        return frozenset(
            form(f"{SECTIONS[change.section]} {change.key}")
            for change in self.changes
            if change.action == UPDATE and ARCHIVED_AT in change.fields
            for form in _NOTED
        )


@dataclass
class Digests:
    """The digests of planned changes.

    :ivar key: protects the digests of records with hidden values; None if nothing is hidden.
    :ivar creations: section and key of the records that count as created by the approval, if they exist by now, as
        the journal notes them and as the approval has them.
    """

    plan: InstancePlan
    contents: Contents
    key: bytes | None
    creations: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._created: dict[Any, str] = {
            id(planned.entry): f"{planned.section} {planned.noted}"
            for planned in self.plan.changes
            if planned.change.action == CREATE
        }
        for uuid, name in _existing(self.plan):
            if name in self.creations:
                self._created[uuid] = self.creations[name]
        self._canon = canonical.Canon(self._reference, self._file, self._name)

    def approved(self, planned: Planned) -> ApprovedChange:
        """Return a planned change as an approval has it."""
        change, entry, schema = planned.change, planned.entry, planned.schema
        key = self.key if canonical.hides_values(self.plan.hiding, schema, entry) else None
        uuid = change.current.uuid if change.current is not None else ""
        about = [planned.kind.name, entry.template, entry.pruned]
        written = {name: value for name, value in planned.desired.items() if name not in planned.left_alone}
        before = self._before(planned)
        values = self._canon.values(schema, canonical.without_relations(entry, change.values))
        wanted = self._canon.values(schema, canonical.without_relations(entry, written))
        relations = self._relations(entry)
        return ApprovedChange(
            planned.section,
            planned.noted,
            change.action,
            uuid,
            canonical.digest_of_text(
                canonical.as_text([*about, change.action, uuid, change.unarchive, before, values, relations]), key
            ),
            canonical.digest_of_text(canonical.as_text([*about, entry.state, wanted, relations]), key),
            tuple(sorted(self._fields(planned))),
        )

    def _relations(self, entry: Entry) -> dict[str, Any]:
        """Return the relations of a definition: to existing fields by uuid, to those of the approval as written."""
        written = canonical.relations_of(entry)
        if not written:
            return {}
        found = related(entry.fields["relations"], lambda: self.contents.client.definitions(entry.template))
        parts = [
            written["relations"][number]
            if number in found.missing or resolved.get("field_uuid") in self._created
            else self._canon.value(resolved)
            for number, resolved in enumerate(found.relations)
        ]
        return {"relations": parts}

    def _before(self, planned: Planned) -> Any:
        """Return the data of the record before the change, without what changes by itself.

        The hub suggests other prices, and an object gets another location if its room is moved.
        """
        change, follows = planned.change, locations_of_rooms(planned.schema)
        if planned.kind.numbered:
            return self._canon.value(dict(change.before))
        data = self._canon.record(planned.schema, change.current, change.unarchive)
        moved = {key for key, room in follows.items() if data.get(room) and key not in change.values}
        return {key: value for key, value in data.items() if key not in moved}

    def _fields(self, planned: Planned) -> Iterator[str]:
        for name in planned.change.values:
            yield canonical.lasting_name(planned.schema, name)
        if planned.relations:
            yield "relations"
        if planned.change.unarchive:
            yield ARCHIVED_AT

    def _name(self, schema: Schema, key: str) -> str:
        """Return the key of a field, or its label if the approval creates the field. Others may swap labels."""
        field = schema.fields.get(key)
        return key if field is None or field.uuid not in self._created else canonical.lasting_name(schema, key)

    def is_created(self, reference: Reference) -> bool:
        """Return True if a reference leads to a record that the approval creates."""
        return not self._created.keys().isdisjoint((reference.uuid, id(reference.pending)))

    def _reference(self, reference: Reference) -> Any:
        mark = reference.uuid if reference.pending is None else id(reference.pending)
        created = self._created.get(mark)
        target = {"created": created} if created else {"uuid": reference.uuid, "id": None if mark else reference.id}
        return {**target, "status": reference.status}

    def _file(self, file: Attachment) -> Any:
        # A local file that an interrupted run has linked has a uuid by now.
        return {"uuid": file.uuid} if file.path is None else {"sha256": self.contents.local(file), "name": file.name}


def _existing(plan: InstancePlan) -> Iterator[tuple[str, str]]:
    """Yield the uuid of each existing record of the files, with its section and its key as the journal notes it."""
    for kind, keys in plan.managed.items():
        for uuid, key in keys.items():
            entry = plan.claimed.get(kind, {}).get(uuid)
            yield uuid, f"{KINDS[kind].section} {key or f'{VAULTED} {entry.place if entry is not None else None}'}"


@dataclass(frozen=True)
class Gate:
    """Compares a new plan with an approval.

    :ivar files: digest of what the files ask for now.
    :ivar is_begun: returns True if an earlier run under this approval began to change a record.
    :ivar is_whole: True unless only a part of the set is planned.
    :ivar why_hidden: says why a record with a uuid that no list shows may exist; empty if it does not.
    """

    approval: Approval
    digests: Digests
    files: str
    is_begun: Callable[[Planned], bool]
    is_whole: bool = True
    stale: str = REFUSE
    why_hidden: Callable[[Kind, str], str] = lambda _kind, _uuid: ""

    def judge(self, plan: InstancePlan) -> tuple[InstancePlan, list[str]]:
        """Return the approved part of a plan, or why it must not be applied."""
        approved = {change.name: change for change in self.approval.changes}
        # An interrupted run may have changed keys: that of a room begins with that of its location.
        approved |= {(change.section, "", change.uuid): change for change in self.approval.changes if change.uuid}
        found = [(planned, _approved_as(planned, approved)) for planned in plan.changes]
        unapproved = [planned for planned, change in found if change is None]
        stale = [
            (planned, change)
            for planned, change in found
            if change is not None and not self._is_approved(change, planned)
        ]
        planned_changes = {change for _planned, change in found}
        missing = [change for change in self.approval.changes if change not in planned_changes]
        reasons = [self._why_stale(change, planned) for planned, change in stale]
        reasons += list(self._not_done(missing, plan)) if self.is_whole else []
        left = drop_changes(plan, [*unapproved, *(planned for planned, _change in stale)])
        blocked = list(without_blocked(plan.state, left.changes)) if plan.state is not None and left.dropped else []
        reasons += [why for _planned, why in blocked]
        if unapproved:
            names = first_of(list(map(str, unapproved)), _MOST_NAMED)
            number = amount(len(unapproved), "change was not approved, and is", "changes were not approved, and are")
            left.warnings = [f"{number} left out: {names}.", *left.warnings]
        if reasons and self.stale != SKIP:
            return left, [f"{reason}. Plan again, or set stale: skip." for reason in reasons]
        left.warnings = [*(f"{reason}, and is skipped." for reason in reasons), *left.warnings]
        return drop_changes(left, (planned for planned, _why in blocked)), []

    def _is_approved(self, approved: ApprovedChange, planned: Planned) -> bool:
        """Return True if a change is the approved change, or the rest of it that an interrupted run left."""
        now = self.digests.approved(planned)
        if now.digest == approved.digest:
            return True
        # If all fields are left, nothing was done, and somebody else changed the record.
        is_rest = now.wanted == approved.wanted and set(now.fields) < set(approved.fields)
        return is_rest and self.is_begun(planned) and self._is_sent_later(approved, planned)

    def _is_sent_later(self, approved: ApprovedChange, planned: Planned) -> bool:
        """Return True if a change has only what is sent after other fields, so that nobody else must have changed it.

        These are links to what is new, files, a status other than that of a new record, and all fields after a record
        came back from the archive as it was.
        """
        kind, change = planned.kind, planned.change
        archived = replace(planned, change=replace(change, unarchive=True))
        if ARCHIVED_AT in approved.fields and self.digests.approved(archived).digest == approved.digest:
            return True
        values = dict(change.values)
        if approved.action == UPDATE or change.before.get(kind.status_key) == kind.open_status:
            values.pop(kind.status_key, None)
        later = (value for key, value in values.items() if key != "relations")
        return all(any(attachments_in(one)) or any(map(self.digests.is_created, references_in(one))) for one in later)

    def _why_stale(self, approved: ApprovedChange, planned: Planned) -> str:
        """Say what changed since the approval: the record in the instance, or what the files ask for."""
        is_same = self.files == self.approval.files
        is_other = planned.change.action != approved.action
        if is_other and approved.action in _REMOVALS:
            return f"{planned} was approved to be {approved.action}d, and this plan would {planned.change.action} it"
        if self.digests.approved(planned).wanted == approved.wanted or (is_other and is_same):
            return f"{planned} was changed in the instance since the plan was created"
        why = ", because a name means another record or file by now" if is_same else ""
        return f"{planned} ({planned.entry.place}): the files ask for something else than the approved plan{why}"

    def _not_done(self, missing: Sequence[ApprovedChange], plan: InstancePlan) -> Iterator[str]:
        """Yield why approved changes are not in the plan, unless the records are already as wanted."""
        for change in missing:
            if self.files != self.approval.files:
                yield f"{change} was approved, and the files have changed since"
            elif change.action in _REMOVALS and (why := self._why_not_removed(change, plan)):
                yield f"{change} was approved to be removed, {why}, and is not removed by this plan"

    def _why_not_removed(self, change: ApprovedChange, plan: InstancePlan) -> str:
        """Say why a record to remove exists, or may exist; empty if it was removed."""
        kind = KINDS[SECTIONS[change.section]]
        if plan.state is None or kind.numbered or not plan.state.is_listed(kind):
            return ""
        record = plan.state.of_uuid(kind, change.uuid)
        if record is not None:
            return "" if change.action == ARCHIVE and plan.state.is_archived(record) else "exists"
        why = self.why_hidden(kind, change.uuid)
        return f"may be hidden ({why})" if why else ""


def _approved_as(planned: Planned, approved: Mapping[Name, ApprovedChange]) -> ApprovedChange | None:
    """Return the approved change of the same record, or else of a record with the same key."""
    change, section = planned.change, planned.section
    uuid = change.current.uuid if change.current is not None else ""
    return approved.get((section, "", uuid)) or approved.get(name_of(section, planned.noted, change.action, uuid))
