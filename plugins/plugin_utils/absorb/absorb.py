# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Take changes of the application into the files: changed values, new records, deleted records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput, NotFound
from ...module_utils.model.field import EMPTY, Field, shorten
from ...module_utils.model.kinds import HUB_ITEM, KINDS, Kind
from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_links import attachments_in, references_in, with_references
from ...module_utils.plan.allowed import DESTRUCTIVE, EMPTY_SOURCES, LIMITED_ACCOUNT, SIMILAR_NAMES, how_to_allow
from ...module_utils.plan.change import CREATE, UPDATE
from ...module_utils.plan.replacing import missing_members
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.field_visibility import LIMITED, maybe_hidden_message
from ...module_utils.resolve.hidden_records import Visibility
from ..apply.memory import Memory
from ..desired.desired import BY_TEMPLATE, SECTIONS, DesiredInstance, Limits, states_of
from ..desired.entry import Entry
from ..desired.hiding import VAULTED
from ..desired.lifecycle import NOTHING
from ..desired.parsing import written_as
from ..desired.positions import Place
from ..desired.words import OWN_MATCH, STATE, names_of
from ..export.beside_rooms import NOWHERE
from ..export.downloads import Downloads
from ..export.export import Exported, Selection, export_instance
from ..export.portable import NotPortable, Portable, check_read, why_not_empty
from ..instance.sides import Sides
from ..layers.records import MergedPlaces
from ..layers.variables import escaped
from ..set_plan.applied_values import noted_keys
from ..set_plan.baseline import APPLICATION, BOTH, FILES, UNKNOWN, Baseline
from ..set_plan.listed_state import ListedState
from ..set_plan.marks import mark_of, shield_mark
from ..set_plan.plan import SAMPLE, InstancePlan, Planned, PlanOptions
from ..set_plan.planner import plan_instance
from ..set_plan.scope import Scope
from .files import Files, Names, Target, cell_of, section_names
from .labels import Labels
from .removal_limits import beyond_limits
from .splices import is_same
from .text_file import NewValue, NotSpliced

KEEP, REMOVE, ABSENT = "keep", "remove", "absent"
"""Choices for a record in the files that was deleted in the application."""

TAKE = "take"
"""Takes the value of the application if both sides changed a record. The alternative is :data:`KEEP`."""

SINCE_APPLY, ALL = "since_apply", "all"
"""The new records that are taken: those created since the last apply, or all."""

_CONFLICT = "both sides changed since the last apply"
_UNKNOWN = "it is not known which side changed it"
_OF_FILES = "the files changed it since the last apply, and the application did not"

_WORDS = ("changed", "added", "removed")

_NO_MEMORY = (
    "it is not known on this machine what was applied last, so a value that the files and the application both changed "
    "is taken from the application"
)
_ELSEWHERE = "its attachments come from elsewhere"


@dataclass(frozen=True)
class AbsorbOptions:
    """The options of the user.

    :ivar into: section, as an export names it, to the file for its new records.
    :ivar allow: what the task allows.
    :ivar limits: how many records may be removed from the files.
    :ivar memory: what is known about the set.
    :ivar on_conflict: what happens to a field that both sides changed.
    :ivar new: which new records are added.
    :ivar has_files_elsewhere: True if attachments are not read from the directory of the records.
    """

    into: Mapping[str, str] = field(default_factory=dict)
    gone: str = KEEP
    allow: frozenset[str] = frozenset()
    limits: Limits = field(default_factory=Limits)
    has_files_elsewhere: bool = False
    memory: Memory = field(default_factory=Memory)
    on_conflict: str = KEEP
    new: str = SINCE_APPLY


@dataclass
class Absorbed:
    """The result: the changes that were written to the files, and those that were not.

    :ivar planned: the plan that compares the files with the instance.
    :ivar baseline: what is known about the last apply. :ivar note: adds what the files have now.
    :ivar not_changed: differences that were not absorbed, each with its place.
    :ivar summary: section to numbers of changed values, and of added and removed records.
    :ivar reported: section to natural keys of records that are in no file and stay out of them.
    :ivar conflicts: fields that both sides changed, each with both values.
    :ivar offers: section to the line that would add the reported records.
    :ivar warnings: warnings for the user.
    """

    planned: InstancePlan
    baseline: Baseline
    note: Callable[[], None] = lambda: None
    not_changed: list[str] = field(default_factory=list)
    summary: dict[str, dict[str, int]] = field(default_factory=dict)
    reported: dict[str, list[str]] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)
    offers: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def absorb(
    client: Client, desired: DesiredInstance, files: Files, downloads: Downloads, options: AbsorbOptions
) -> Absorbed:
    """Compare an instance with its files, and edit the files until only the reported differences are left.

    :param desired: the desired state in the files.
    :param files: collects the edits; nothing is written.
    :raises InvalidInput: if an option does not fit.
    """
    targets = _targets(files, options.into)
    desired.policy = replace(
        desired.policy, prune={}, limits=dict.fromkeys(vars(Limits()), math.inf), create_users=True
    )
    baseline = options.memory.baseline()
    chosen = PlanOptions(
        allow=options.allow | {DESTRUCTIVE, EMPTY_SOURCES, SIMILAR_NAMES},
        note_references=True,
        # An archived record must not be written as absent: a later apply would delete it.
        most_lookups=None if options.gone == ABSENT else SAMPLE,
        baseline=baseline,
        notes_all=True,
    )
    result = Absorbed(plan_instance(client, desired, chosen), baseline)
    if result.planned.findings or result.planned.state is None:
        return result
    return _Absorbing(client, desired, files, downloads, options, result, result.planned.state, targets).run()


def _targets(files: Files, into: Mapping[str, Any]) -> dict[str, Target]:
    known = section_names()
    found = {}
    for section, path in into.items():
        if section not in known:
            raise InvalidInput(f"into.{section}: no such section; expected one of {', '.join(known)}")
        if not isinstance(path, str) or not path:
            raise InvalidInput(f"into.{section}: {shorten(path)} does not fit; expected the path of a file")
        found[section] = files.into(section, path)
    return found


class _Absorbing:
    def __init__(
        self,
        client: Client,
        desired: DesiredInstance,
        files: Files,
        downloads: Downloads,
        options: AbsorbOptions,
        result: Absorbed,
        listed: ListedState,
        targets: Mapping[str, Target],
    ) -> None:
        self._client = client
        self._desired = desired
        self._files = files
        self._downloads = downloads
        self._options = options
        self._planned = result.planned
        self._listed = listed
        self._targets = targets
        # Only the lists that were read, without the records that the files will add.
        self._state = ListedState(client)
        self._state.take_over(listed, KINDS)
        self._result = result
        self._sides = Sides(result.planned, desired, options.memory, result.baseline)
        self._decided: list[tuple[Planned, Record]] = []
        self._added: list[tuple[Kind, str, Set[str]]] = []
        # The uuids of new records, by the identity of each.
        self._uuids: dict[int, str] = {}
        self._portable = Portable(self._state, downloads, lambda _why: None)
        self._counts: dict[str, Counter[str]] = {}
        self._overrides: dict[str, dict[int, dict[str, Any]]] = {}
        # The overridden members besides the natural key, by the id of the record.
        self._overridden: dict[int, set[str]] = {}
        self._absorbed: set[tuple[int, str]] = set()
        self._removed: set[int] = set()

    def run(self) -> Absorbed:
        self._sides.note()
        self._result.note = self.note
        for planned in self._planned.changes:
            current = planned.change.current
            if planned.change.action == UPDATE and current is not None and not planned.archived:
                self._decide(planned, current)
            elif planned.change.action not in (UPDATE, CREATE):
                self._note_unchanged(
                    planned, planned.entry.place, f"{planned}", "it exists again, and the files remove it"
                )
        self._remove_records()
        self._take_labels()
        fresh = self._new_records()
        for section in self._targets:
            self._add(section, self._overrides.get(section, {}), fresh.get(section, []))
        for section, counts in self._counts.items():
            self._result.summary[section] = {word: counts[word] for word in _WORDS}
        return self._result

    # ---- not changed

    def _note_unchanged(self, planned: Planned, place: Place, words: str, reason: str) -> None:
        is_hidden = self._desired.hiding.touches(planned.entry)
        shown = f"{planned.kind.words} {VAULTED}" if is_hidden else words
        self._result.not_changed.append(f"{place}: {shown}: not changed, because {reason}")

    def _count(self, section: str, word: str, number: int = 1) -> None:
        if number:
            self._counts.setdefault(section.partition("/")[0], Counter())[word] += number

    # ---- whose change it is

    def _decide(self, planned: Planned, current: Record) -> None:
        """Take the changes of the application, and keep the changes of the files."""
        self._decided.append((planned, current))
        keys = list(planned.change.before)
        if not self._result.baseline.records:
            self._result.warnings = [_NO_MEMORY]
        elif not planned.kind.created_from:
            # Nothing is noted about a record that follows from another one, such as an offer.
            keys = [key for key in keys if self._is_taken(planned, key)]
        self._update(planned, current, keys)

    def _is_taken(self, planned: Planned, key: str) -> bool:
        """Return True if the instance decides about a field. A conflict is reported."""
        side = planned.sides.get(key, UNKNOWN)
        if side == APPLICATION:
            return True
        name = written_as(planned.schema, planned.entry, key)
        place, words = planned.entry.place_of(name), f"{planned}: {self._both(planned, key, name)}"
        if side == FILES:
            self._note_unchanged(planned, place, words, _OF_FILES)
            return False
        why = _CONFLICT if side == BOTH else _UNKNOWN
        is_hidden = self._desired.hiding.touches(planned.entry)
        self._result.conflicts.append(f"{place}: {f'{planned.kind.words} {VAULTED}' if is_hidden else words}: {why}")
        if self._options.on_conflict != TAKE:
            self._note_unchanged(planned, place, words, f"{why}; on_conflict is {KEEP}")
        return self._options.on_conflict == TAKE

    def _both(self, planned: Planned, key: str, name: str) -> str:
        """Return a field that differs, with both values."""
        is_hidden = self._desired.hiding.hides(planned.entry, name, key)
        theirs = VAULTED if is_hidden else shorten(planned.change.before[key])
        ours = VAULTED if is_hidden else shorten(planned.entry.fields.get(name))
        return f"{name} is {ours} in the files and {theirs} in the instance"

    # ---- what both sides share now

    def note(self) -> None:
        """Note the values that the files take from the instance, and those that were equal."""
        baseline = self._result.baseline
        for planned, current in self._decided:
            keys = noted_keys(planned, self._desired)
            left = {key for key in planned.change.before if (id(planned.entry), key) not in self._absorbed}
            values = {key: planned.desired[key] for key in keys if key not in left}
            taken = values.keys() & planned.change.before.keys()
            values |= {key: self._sides.read(planned.schema, current, key) for key in taken}
            baseline.note(
                shield_mark(planned.kind, current.uuid, planned.desired), planned.schema, values, left & {*keys}
            )
        for kind, uuid, names in self._added:
            record, schema = self._state.of_uuid(kind, uuid), self._client.schema(kind)
            fields = [] if record is None else [schema.find(name) for name in names - self._desired.hiding.names]
            keys = [field.key for field in fields if field is not None and type_of(field).shape != "attachments"]
            if record is not None:
                baseline.note(uuid, schema, {key: self._sides.read(schema, record, key) for key in keys})

    # ---- changed values

    def _update(self, planned: Planned, current: Record, keys: Iterable[str]) -> None:
        for key in keys:
            name = written_as(planned.schema, planned.entry, key)
            is_hidden = self._desired.hiding.hides(planned.entry, name, key)
            now = VAULTED if is_hidden else shorten(planned.change.before[key])
            words = f"{planned}: {name} is {now} in the instance"
            place = planned.entry.place_of(name)
            if _is_only_retyped(planned, current, key):
                self._absorbed.add((id(planned.entry), key))
                continue
            if name not in planned.entry.fields or key not in planned.schema.fields:
                self._note_unchanged(planned, place, words, "it is not written, and follows from other fields")
                continue
            try:
                self._change(planned, current, key, name)
            except (NotSpliced, NotPortable, InvalidInput, NotFound) as reason:
                self._note_unchanged(planned, place, words, str(reason))
            else:
                self._absorbed.add((id(planned.entry), key))
                self._count(planned.section, "changed")

    def _change(self, planned: Planned, current: Record, key: str, name: str) -> None:
        owner = _owner(planned.entry, name)
        target = self._files.target_of(owner, name)
        override = self._override_layer(planned, target)
        new = self._new_value(planned, current, key, name, keeps=override is None)
        fetched = self._fetched(planned, current, key, new, is_override=override is not None)
        if override is not None:
            self._put_over(planned, name, new.value, override)
        else:
            self._files.source(target).set(cell_of(owner, name), name, new)
        for path, content in fetched.items():
            self._files.add_file((override or target).layer, path, content.read_bytes())

    def _new_value(self, planned: Planned, current: Record, key: str, name: str, keeps: bool) -> NewValue:
        """Return the value of a field in the instance as files write it.

        :param keeps: True if items of a list that stay keep their spelling, such as the path of a file.
        :raises NotPortable: if files cannot have it.
        """
        schema = planned.schema
        definition, written = schema.fields[key], planned.entry.fields[name]
        now = schema.read_field(key, current.flat)
        check_read(now)
        if now in EMPTY and (why := why_not_empty(schema.kind, key)):
            raise NotPortable(why)
        missing = {*self._state.field_visibility(schema).missing, *missing_members(schema, current)}
        if key in missing and written not in EMPTY:
            raise NotSpliced(maybe_hidden_message(key))
        now = with_references(now, self._state.completed)
        # This run may itself change the values that a definition allows, but not those of other kinds.
        allowed = () if schema.kind.template else definition.allowed
        bare = Schema(schema.kind, [replace(definition, allowed=allowed, constraints={}, mandatory=False)])
        if type_of(definition).merge is not None and isinstance(written, Mapping):
            value: Any = self._merged(definition, now or {}, written)
            _check_loads(bare, key, value)
            fits = partial(is_same, value)
            return NewValue(self._escaped(value), lambda loaded: fits(self._unescaped(loaded)))
        nothing: Any = [] if isinstance(written, list) else None
        value = nothing if now in EMPTY else self._portable.checked(definition, now)
        _check_loads(bare, key, value)
        is_linked = any(references_in(now)) or any(attachments_in(now))

        def means_it(loaded: Any) -> bool:
            plain = self._unescaped(loaded)
            if is_linked:
                return is_same(value, plain)
            parsed, findings = bare.parse({key: plain}, "")
            return not findings.errors and not findings.unknown and bare.equal(key, parsed[key], now)

        kept = None
        if isinstance(value, list) and isinstance(written, list) and value:
            value, kept = self._in_order(planned, definition, written, value, now)
            if keeps:
                value = [item if at is None else written[at] for item, at in zip(value, kept, strict=True)]
        return NewValue(self._escaped(value), means_it, kept)

    def _merged(self, definition: Field, now: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
        """Return the present values of the written parts of a map."""
        found: dict[str, Any] = {}
        for part in written:
            value = now.get(part)
            found |= self._portable.checked(definition, {part: value}) if value not in EMPTY else {part: None}
        return found

    def _in_order(
        self, planned: Planned, definition: Field, written: Sequence[Any], value: list[Any], now: Any
    ) -> tuple[list[Any], tuple[int | None, ...]]:
        """Return the items of a list, in the order of the file if the order has no meaning, and which of them stay."""
        schema, key = planned.schema, definition.key
        old: Any = planned.desired.get(key)
        pairs = list(zip(value, now, strict=True)) if isinstance(now, tuple) and len(now) == len(value) else []
        if pairs and (any(references_in(now)) or any(attachments_in(now))):
            # Links are written in a different order.
            pairs = [(self._portable.checked(definition, (item,))[0], item) for item in now]
        is_known = isinstance(old, tuple) and len(old) == len(written)

        def is_item(number: int, item: Any, canonical: Any) -> bool:
            if is_same(item, written[number]):
                return True
            return bool(is_known and pairs and schema.equal(key, (old[number],), (canonical,)))

        items = pairs or [(item, None) for item in value]
        is_set = len(items) < 2 or (bool(pairs) and schema.equal(key, tuple(reversed(now)), now))
        left = list(items)
        found: list[tuple[Any, int | None]] = []
        if is_set:
            for number in range(len(written)):
                hit = next((pair for pair in left if is_item(number, *pair)), None)
                if hit is not None:
                    left.remove(hit)
                    found.append((hit[0], number))
            found += [(item, None) for item, _canonical in left]
        else:
            last = -1
            for item, canonical in items:
                hits = (index for index in range(last + 1, len(written)) if is_item(index, item, canonical))
                number_found = next(hits, None)
                last = last if number_found is None else number_found
                found.append((item, number_found))
        return [item for item, _number in found], tuple(number for _item, number in found)

    def _escaped(self, value: Any) -> Any:
        return escaped(value) if self._desired.declares_variables else value

    def _unescaped(self, loaded: Any) -> Any:
        """Return a value as it was read, with literal dollars escaped if files declare variables."""
        if not self._desired.declares_variables:
            return loaded
        if isinstance(loaded, dict):
            return {key: self._unescaped(member) for key, member in loaded.items()}
        if isinstance(loaded, list):
            return [self._unescaped(item) for item in loaded]
        return loaded.replace("${$}", "$") if loaded.__class__ is str else loaded

    def _fetched(
        self, planned: Planned, current: Record, key: str, new: NewValue, is_override: bool
    ) -> Mapping[str, Path]:
        """Return the attachments of a value that are not in the files yet, by their paths there.

        :param is_override: True if the value goes into another layer, which has none of its attachments.
        """
        now = planned.schema.read_field(key, current.flat)
        field = planned.schema.fields[key]
        fresh = None
        if new.kept and not is_override:
            fresh = [item for item, number in zip(new.value, new.kept, strict=True) if number is None]
        found: dict[str, Path] = {}
        for attachment in attachments_in(now):
            written = self._portable.checked(field, (attachment,) if isinstance(now, tuple) else attachment)
            if fresh is not None and not (isinstance(written, list) and self._escaped(written)[0] in fresh):
                continue
            if self._options.has_files_elsewhere:
                raise NotSpliced(_ELSEWHERE)
            self._downloads.keep([attachment])
            path = self._downloads.paths[str(attachment.uuid)]
            found[path] = self._downloads.fetched[path]
        return found

    # ---- labels

    def _take_labels(self) -> None:
        """Write the scan codes of new labels, and update the references to them."""
        labels = Labels(
            self._planned,
            self._files,
            _owner,
            lambda entry, target: self._later_layer(entry, target) is not None,
            self._escaped,
            self._unescaped,
            self._absorbed,
            self._removed,
        )
        written, kept = labels.run()
        for entry, _key in written:
            self._count(entry.kind.section, "changed")
        in_tables: Counter[str] = Counter()
        for code, reason in kept:
            file = code.entry.place_of(code.name).file
            if self._desired.tables.for_file(file) is not None:
                in_tables[file] += 1
                continue
            is_hidden = self._desired.hiding.touches(code.entry)
            now = VAULTED if is_hidden else f"{code.name} is {shorten(code.now)}"
            self._result.not_changed.append(
                f"{code.entry.place_of(code.name)}: {now} in the instance: not changed, because {reason}"
            )
        for file, number in in_tables.items():
            words = f"{number:,} scan codes differ from the instance, which owns them"
            self._result.not_changed.append(f"{file}: {words}: not changed, because it is a table of another system")

    # ---- layers

    def _override_layer(self, planned: Planned, target: Target) -> Target | None:
        """Return the file in a later layer in which a value is overridden, or None to change it in place."""
        return self._later_layer(planned.entry, target)

    def _later_layer(self, entry: Entry, target: Target) -> Target | None:
        later = self._targets.get(_as_exported(entry.kind.section, entry))
        return later if later is not None and later.layer > target.layer else None

    def _put_over(self, planned: Planned, name: str, value: Any, target: Target) -> None:
        """Write a value into a later layer than its own."""
        for owner in _owners(planned.entry):
            own = self._files.target(owner.place)
            if own.layer == target.layer:
                source = self._files.source(own)
                with source.file.coming_last():
                    source.add(cell_of(owner, name), name, value)
                return
        section = _as_exported(planned.section, planned.entry)
        record = self._overrides.setdefault(section, {}).setdefault(id(planned.entry), {})
        for key in planned.keys:
            identity = written_as(planned.schema, planned.entry, key)
            if identity not in planned.entry.fields:
                raise NotSpliced("its natural key is not written")
            record.setdefault(identity, self._escaped(planned.entry.fields[identity]))
        record[name] = value
        self._overridden.setdefault(id(planned.entry), set()).add(name)

    # ---- records that are gone

    def _remove_records(self) -> None:
        """Remove deleted records from the files, unless remaining records refer to them."""
        deleted = [
            change
            for change in self._planned.changes
            if change.change.action == CREATE or (change.change.action == UPDATE and change.archived)
        ]
        stay = {id(change.entry): why for change in deleted if (why := self._why_it_stays(change))}
        before, overrides = self._files.mark(), deepcopy(self._overrides)
        while found := self._refused(deleted, stay) or self._beyond_limits(deleted, stay):
            # A record stays if a record that stays refers to it.
            stay |= found
            self._files.undo(before)
            self._overrides = deepcopy(overrides)
        for change in deleted:
            if id(change.entry) in stay:
                self._note_unchanged(
                    change,
                    change.entry.place,
                    f"{change} is {self._where(change)} the instance",
                    stay[id(change.entry)],
                )
            else:
                self._removed.add(id(change.entry))
                self._count(change.section, "removed")

    def _is_unchecked(self, planned: Planned) -> bool:
        """Return True for an unlisted record that may be archived and was not looked up."""
        return id(planned.entry) in self._planned.unchecked

    def _where(self, planned: Planned) -> str:
        if planned.archived:
            return "archived in"
        return "in no list of" if self._is_unchecked(planned) else "not in"

    def _why_it_stays(self, planned: Planned) -> str:
        """Say why a record must stay in the files; empty if it need not."""
        if self._is_protected(planned):
            return "the files protect it"
        if self._options.gone == KEEP:
            return "the option gone is keep"
        # A record that is written as absent would be deleted from the archive.
        if self._options.gone == ABSENT and self._is_unchecked(planned):
            return "it may be archived, and it could not be looked up in the archive"
        return "" if LIMITED_ACCOUNT in self._options.allow else self._why_hidden(planned)

    @cached_property
    def _visibility(self) -> Visibility:
        """What is known about hidden records, with the lists that can prove that there are none."""
        self._planned.visibility = self._listed.visibility(reads_proof=True)
        return self._planned.visibility

    def _why_hidden(self, planned: Planned) -> str:
        """Say why a record may exist although no list shows it; empty if that is impossible."""
        if planned.archived or not planned.kind.can_be_hidden or not self._visibility.may_hide(planned.kind):
            return ""
        linked = references_in(tuple(planned.desired.values()))
        if any((reference.uuid or reference.id) in self._visibility.closed_rooms for reference in linked):
            why = f"this account sees no object in its location: {LIMITED}"
        else:
            why = self._visibility.evidence or f"nothing proves that this account sees all records: {LIMITED}"
        return f"it may be hidden ({why}); {how_to_allow(LIMITED_ACCOUNT)} treats it as deleted"

    def _beyond_limits(self, deleted: Sequence[Planned], stay: Mapping[int, str]) -> dict[int, str]:
        """Return the records of which too many would be removed from the files, with reasons."""
        # An archived record was read, so it is certainly archived.
        leaving = [change for change in deleted if id(change.entry) not in stay and not change.archived]
        in_files = Counter(entry.kind.section for entry in self._desired.entries if entry.state == "present")
        removed = Counter(change.section for change in leaving)
        reasons = beyond_limits(self._options.limits, removed, in_files, self._planned.everywhere)
        return {id(change.entry): reasons[change.section] for change in leaving if change.section in reasons}

    def _refused(self, deleted: Sequence[Planned], stay: Mapping[int, str]) -> dict[int, str]:
        """Remove all records except those that stay. Return the records that cannot be removed, with reasons."""
        leaving = {id(change.entry) for change in deleted} - stay.keys()
        while refused := {
            id(change.entry)
            for change in deleted
            if id(change.entry) in leaving and self._is_referenced(change, leaving)
        }:
            leaving -= refused
        found = {}
        for change in deleted:
            if id(change.entry) in leaving:
                try:
                    if self._options.gone == REMOVE:
                        self._remove(change.entry)
                    else:
                        self._say_state(change, "archived" if change.archived else ABSENT)
                except NotSpliced as reason:
                    found[id(change.entry)] = str(reason)
            elif id(change.entry) not in stay:
                found[id(change.entry)] = "other records in the files refer to it"
        return found

    def _is_referenced(self, planned: Planned, leaving: Set[int]) -> bool:
        """Return True if a remaining record refers to a record."""
        current = planned.change.current
        marks = [mark_of(planned.entry, None), *([current.uuid] if current is not None else [])]
        references = [referring for mark in marks for referring in self._planned.references.get(mark, ())]
        return any(
            id(entry) not in leaving and (id(entry), key) not in self._absorbed
            for entry, key in references
            if entry is not planned.entry
        )

    def _remove(self, entry: Entry) -> None:
        """Remove a record from all files that contain it, or from none."""
        owners = list(_owners(entry))
        sources = [self._files.source(self._files.target(owner.place)) for owner in owners]
        before = [source.file.edits for source in sources]
        try:
            for owner, source in zip(owners, sources, strict=True):
                with source.file.coming_last():
                    source.remove(owner.place)
        except NotSpliced:
            for source, number in zip(sources, before, strict=True):
                source.file.undo(number)
            raise

    def _say_state(self, planned: Planned, state: str) -> None:
        if state not in states_of(planned.section):
            raise NotSpliced(f"no record of {planned.section} can be {state}")
        owner = list(_owners(planned.entry))[-1]
        target = self._files.target(owner.place)
        override = self._override_layer(planned, target)
        if override is not None:
            self._put_over(planned, STATE, state, override)
            return
        source = self._files.source(target)
        with source.file.coming_last():
            if STATE in owner.places.names():
                source.set(cell_of(owner, STATE), STATE, NewValue(state, lambda loaded: loaded == state))
            else:
                source.add(cell_of(owner, STATE), STATE, state)

    def _is_protected(self, planned: Planned) -> bool:
        settings = self._desired.lifecycle.get(planned.section, NOTHING)
        return bool(planned.entry.lifecycle.is_protected or settings.protects((planned.key, planned.words)))

    # ---- new records

    def _new_records(self) -> dict[str, list[Any]]:
        """Return the records that are in no file, by the section of their new file."""
        self._result.reported = dict(self._planned.reported)
        for section in self._result.reported:
            if section not in self._options.into:
                self._result.offers[section] = f"into: {{{section}: {section}/new.yml}}"
        sections = list(dict.fromkeys(section.partition("/")[0] for section in self._targets))
        if not sections:
            return {}
        exported = export_instance(self._client, self._selection(sections), self._downloads, state=self._state)
        found: dict[str, list[Any]] = {}
        for section in self._targets:
            self._result.reported.pop(section.partition("/")[0], None)
            found[section] = []
            for uuid, row in self._fresh(section, exported):
                found[section].append(self._escaped(row))
                self._uuids[id(found[section][-1])] = uuid
        self._result.not_changed += [f"left out: {why}" for why in exported.left_out]
        return found

    def _selection(self, sections: Sequence[str]) -> Selection:
        identity = {section: keys for section, keys in self._desired.identity.items() if section in sections}
        # A new row of a table has every cell that the table has.
        beside = {name: NOWHERE for name, target in self._targets.items() if target.name.endswith((".csv", ".xlsx"))}
        # Identify records by the keys that the files use, even if other keys would be unique.
        return Selection(
            only=sections, identity=identity, observed=self._desired.observed, beside=beside, tries_other_keys=False
        )

    def _fresh(self, section: str, exported: Exported) -> Iterable[tuple[str, Any]]:
        """Yield the records of a section that are in no file and belong to these files, each with its uuid."""
        top = section.partition("/")[0]
        kind = KINDS[SECTIONS[top]]
        claimed = self._planned.claimed.get(kind.name, {})
        scope = Scope(self._state, self._client.schema, self._desired.scope)
        for uuid, row in zip(exported.uuids.get(section, ()), exported.sections.get(section, ()), strict=True):
            if uuid in claimed or (kind is HUB_ITEM and self._is_offered(row, claimed)):
                continue
            record = self._state.of_uuid(kind, uuid) if kind.is_plain else None
            if record is not None and not scope.contains(top, record):
                continue
            if record is not None and self._is_of_another_set(self._client.schema(kind), record):
                continue
            if not self._is_new(kind, record):
                name = next(iter(row.values()), "") if isinstance(row, Mapping) else row
                self._result.reported.setdefault(top, []).append(str(name))
                self._result.offers[top] = f"new: {ALL}"
                continue
            yield uuid, row

    def _is_new(self, kind: Kind, record: Record | None) -> bool:
        """Return True if a record was created since the last apply, or if all new records are added.

        Records without an id are added if the last apply is known.
        """
        baseline = self._result.baseline
        if self._options.new == ALL:
            return True
        if kind.name not in baseline.highest:
            return False
        return record is None or record.id is None or record.id > baseline.highest[kind.name]

    def _is_of_another_set(self, schema: Schema, record: Any) -> bool:
        field = schema.find(self._desired.marker) if self._desired.marker else None
        mark = None if field is None else natural_keys.read_some(schema, [field.key], record)[field.key]
        return mark not in EMPTY and normal_name(str(mark)) != normal_name(self._desired.set_name)

    def _is_offered(self, row: Mapping[str, Any], claimed: Mapping[str, Entry]) -> bool:
        field = next(field for field in HUB_ITEM.written if field.key == "object")
        parsed, _findings = Schema(HUB_ITEM, [field]).parse({"object": row["object"]}, "")
        for reference in references_in(parsed.get("object")):
            if f"of the object {self._state.resolved(reference).reference.uuid}" in claimed:
                return True
        return False

    def _names(self, section: str) -> Names:
        """Return the possible names of the fields of a section in a table."""
        kind = KINDS[SECTIONS[section]]
        schema = self._client.schema(kind) if kind.is_plain else None
        given = self._desired.identity.get(section) or kind.written_key
        choices = [tuple(given)] if given else kind.match_on

        def others(name: str) -> Sequence[str]:
            field = schema.find(name) if schema is not None else None
            return () if schema is None or field is None else names_of(schema, field)

        def needed(record: Mapping[str, Any]) -> Collection[str]:
            if OWN_MATCH in record:
                return {OWN_MATCH, *record[OWN_MATCH]}
            ways = [[(key, *others(key)) for key in keys] for keys in choices]
            way = next((names for names in ways if any(name in record for name in names[-1])), ways[-1])
            return {name for names in way for name in names}

        return Names(others, needed)

    def _add(self, section: str, overrides: Mapping[int, Any], fresh: Sequence[Any]) -> None:
        """Write overrides of records, and new records, into the file of a section."""
        target = self._targets[section]
        place = self._files.label(target)
        left: set[int] = set()

        def leave_out(record: Any, reason: str) -> None:
            name = next(iter(record.values()), "") if isinstance(record, Mapping) else record
            self._result.not_changed.append(f"{place}: {section} {shorten(name)}: {reason}")
            left.add(id(record))

        fetched = self._downloads.fetched
        if self._options.has_files_elsewhere:
            for record in fresh:
                if not fetched.keys().isdisjoint(_texts_in(record)):
                    leave_out(record, _ELSEWHERE)
        known = [record for record in fresh if id(record) not in left]
        names = self._names(section.partition("/")[0])
        done = self._files.append(target, section, list(overrides.values()), known, leave_out, names)
        for path in fetched.keys() & set(_texts_in(done.written)):
            self._files.add_file(target.layer, path, fetched[path].read_bytes())
        if done.missing_columns:
            missing_columns = ", ".join(f"{name} ({number:,})" for name, number in sorted(done.missing_columns.items()))
            self._result.not_changed.append(
                f"{place}: left out of new {section}, because it has no such column: {missing_columns}"
            )
        added = [record for record in fresh if id(record) not in left]
        self._count(section, "added", len(added))
        kind = KINDS[SECTIONS[section.partition("/")[0]]]
        for record in added if kind.is_plain else ():
            self._added.append((kind, self._uuids[id(record)], record.keys() - done.missing_columns.keys()))
        for entry, record in overrides.items():
            if id(record) in left:
                # The record was counted when its place was found.
                self._count(section, "changed", -len(self._overridden[entry] - {STATE}))
                self._count(section, "removed", -len(self._overridden[entry] & {STATE}))


def _is_only_retyped(planned: Planned, current: Record, key: str) -> bool:
    """Return True if a value would only be written again because its field gets another type."""
    schema, field = planned.schema, planned.schema.fields.get(key)
    if field is None or not field.retyped or key not in planned.desired:
        return False
    return schema.equal(key, planned.desired[key], schema.read_field(key, current.flat))


def _texts_in(value: Any) -> Iterable[str]:
    """Yield every text in plain data."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from _texts_in(member)
    elif isinstance(value, str):
        yield value


def put_value(files: Files, desired: DesiredInstance, entry: Entry, name: str, value: Any) -> None:
    """Write a field of a record in its file: in place of its value, or as a new member.

    :param name: of the field, as the record has it.
    :param value: plain data, as an export writes it.
    :raises NotSpliced: if that is not possible in place. Nothing is changed then.
    """
    written = escaped(value) if desired.declares_variables else value
    if name in entry.fields:
        owner = _owner(entry, name)
        new = NewValue(written, lambda loaded: is_same(written, loaded))
        files.source(files.target(owner.place_of(name))).set(owner.place, name, new)
    else:
        owner = list(_owners(entry))[-1]
        files.source(files.target(owner.place)).add(owner.place, name, written)


def _owner(entry: Entry, name: str) -> Entry:
    """Return the record of the layer that a field came from."""
    return entry.places.owner_of(name) if isinstance(entry.places, MergedPlaces) else entry


def _owners(entry: Entry) -> Iterable[Entry]:
    """Yield the records of all layers that a record consists of."""
    if not isinstance(entry.places, MergedPlaces):
        return [entry]
    return list({id(owner): owner for owner in map(entry.places.owner_of, entry.places.names())}.values())


def _as_exported(section: str, entry: Entry) -> str:
    """Return the name of a section as an export has it."""
    return f"{section}/{entry.template}" if section in BY_TEMPLATE else section


def _check_loads(schema: Schema, key: str, value: Any) -> None:
    """Check that a file with a value would load.

    :raises NotPortable: if the loader would refuse the value.
    """
    errors = schema.parse({key: value}, "")[1].errors
    if errors:
        raise NotPortable(str(errors[0]))
