# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for a whole instance. It reads each list once, in memory, and writes nothing.

The loop::

    check settings and field definitions
    for each section, in the order of dependency:
        while its list is read:
            parse the values of each desired record, and claim its natural key
        join desired and listed records by natural key
        for each desired record, in the order of the list:
            several listed records  -> finding
            two desired records     -> finding
            no listed record        -> renamed? a user from a person? else it is new
            equal, whatever else is planned
                                    -> count it, and keep nothing but the entry
            otherwise               -> note it for references, and keep it as a candidate
        claim the records that are released from the set
    look up candidates without a record in the archive
    list the records to prune: claimed by nobody, in the set, in scope
    for each candidate:
        resolve its references, now that all records are known
        compare it field by field -> change
        check references to removals, unique values, scope
    check unchanged records for references to removals
    plan offers of the hub
    add prunes
    check the plan as a whole: references to removals, order, choices, protection, rules, limits, hidden records
    sort the changes by level

Parents are matched before children, so a reference to a parent has its meaning when a child is compared. A record with
a reference to its own section, or to a later one, stays a candidate until all lists are read.

There is one loop for every size of list. The records of a very long list are compressed by the page
(``client/rows.py``), which is why the loop follows the order of the list: each page is then opened once. Of an
unchanged record nothing is kept but its entry, and of the list its identity: uuid, id and natural key.

A set of one record takes the same loop. The modules for one record (``plan/record_planner.py``) have their own,
because they send narrow requests instead of reading lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import Ambiguous, InvalidInput
from ...module_utils.model.kinds import HUB_ITEM, KINDS
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference, references_in
from ...module_utils.plan.allowed import DESTRUCTIVE, USERS, how_to_allow
from ...module_utils.plan.change import ARCHIVE, DELETE, UPDATE, Change
from ...module_utils.plan.compare import Comparer, Wanted
from ...module_utils.plan.record_planner import is_archived, possible_targets
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.field_visibility import identifies
from ...module_utils.resolve.natural_keys import Key, has_one_form, normal_key
from ..desired.desired import SECTIONS, DesiredInstance
from ..desired.entry import Entry
from ..desired.lifecycle import NOTHING
from ..desired.parsing import written_as
from ..desired.remarks import Remarks
from ..desired.table_reader import check_identity
from .applied_values import note_record
from .archived import with_archived
from .asked import asked_by_files
from .cells import EmptiedCells, LostDigits
from .checks import (
    check_chosen,
    check_files,
    check_masks,
    check_needs,
    check_order,
    check_scope,
    check_settings,
    check_unique,
    check_user,
    check_visibility,
    has_fit_key,
    idle_settings,
    is_in_scope,
    removals_of,
)
from .context import Check, PlanContext, numbered_references
from .definitions import Definitions
from .hidden_records import check_hidden_records
from .hub import offered, plan_offers
from .hub import schema as hub_schema
from .lifecycle import Lifecycles
from .limits import MANY_UPDATES, LimitCheck
from .observed import ObservedFields
from .plan import NO_CHANGE, InstancePlan, Planned, PlanOptions, level_of
from .prune import Pruning
from .removal_blockers import check_removal_blockers, may_be_occupied
from .renames import Moved, check_relabelled
from .ruled import RuleCheck
from .scan_codes import ScanCodes
from .sources import check_sources
from .users import plan_user, user_of_person, without_dependants_of_users

_BY_THEMSELVES = ("fields", "hub")
"""Sections with their own way to match records."""

_MOST_KEPT = 400_000
"""Maximum number of entries whose values are kept while a list is read. Values of more entries are parsed again."""

SCOPE: tuple[Check, ...] = (check_scope, check_visibility)
"""The checks before records are pruned."""

CHANGES: tuple[Check, ...] = (check_order, check_chosen, check_masks, check_files)
"""The checks of all changes."""


def plan_instance(client: Client, desired: DesiredInstance, options: PlanOptions | None = None) -> InstancePlan:
    """Plan the whole desired state. Mistakes are in ``findings``; with findings nothing may be applied."""
    if desired.merge_again is not None:
        desired.findings += [
            finding for finding in desired.merge_again(client.schema) if finding not in desired.findings
        ]
        desired.merge_again = None
    return _Planner(PlanContext(client, desired, options or PlanOptions())).run()


class _Planner:
    def __init__(self, context: PlanContext) -> None:
        self._context = context
        self._desired = context.desired
        self._state = context.state
        self._result = context.result
        self._comparer = Comparer(context.state)
        self._moved = Moved(context)
        self._observed = ObservedFields(context)
        self._scan_codes = ScanCodes(context)
        self._lifecycles = Lifecycles(context, self._observed, self._pruning().words_of)
        self._dropped: list[Entry] = []
        self._unchanged: list[Entry] = []
        self._kept: dict[int, dict[str, Any]] = {}
        self._sections = [section for section in SECTIONS if self._is_matched(section)]
        self._unmatched = {SECTIONS[section] for section in self._sections}
        self._removals: dict[str, Planned] = {}
        self._emptied = EmptiedCells()
        self._lost_digits = LostDigits(context.state)
        self._rules = RuleCheck(context)

    def run(self) -> InstancePlan:
        context, result = self._context, self._result
        Definitions(context, self._compare).run()
        context.check([check_settings])
        for settings in (self._observed, self._scan_codes, self._lifecycles):
            context.note_all(settings.check_settings())
        kinds = [KINDS[SECTIONS[section]] for section in self._sections]
        for kind in kinds:
            if kind.template:
                context.schema(kind)
        for place, words in check_identity(self._desired, context.schema, lambda _kind: True):
            context.find(place, words)
        with self._state.prefetching(kinds):
            matched = [pair for section in self._sections for pair in self._match_section(section)]
        context.check([check_sources])
        if not context.findings:
            matched = with_archived(context, matched, ("present", "absent"))
            context.note_all(check_relabelled(context, matched))
        context.check(SCOPE)
        context.note_all(self._scan_codes.check_visibility())
        context.note_all(self._scan_codes.check())
        self._moved.check()
        pruned = list(self._pruning().run(result))
        self._removals = removals_of(context, matched, pruned)
        if not context.findings and any(map(may_be_occupied, self._removals.values())):
            # An archived record keeps its links.
            matched = with_archived(context, matched, ("archived",))
        while matched:
            self._compare(*matched.pop())
        self._check_unchanged()
        for entry in reversed(self._dropped):
            # By now every possible target of a reference is known.
            context.resolve(self._read(entry)[0], entry)
        result.changes.reverse()
        self._plan_hub()
        for planned in pruned:
            context.take(planned)
        without_dependants_of_users(context)
        context.check((partial(check_removal_blockers, lifecycles=self._lifecycles, observed=self._observed), *CHANGES))
        if not context.findings:
            self._lifecycles.check_protected()
            result.warnings += idle_settings(context)
        result.protected = list(self._lifecycles.refusals(self._shielded))
        self._rules.judge_changes(result.changes)
        self._rules.judge_live()
        self._rules.close()
        self._check_limits()
        check_hidden_records(context)
        order = {section: number for number, section in enumerate(SECTIONS)}
        result.changes.sort(key=lambda planned: (level_of(planned.section), order[planned.section], planned.key))
        result.findings = context.findings
        if context.options.is_approvable and not result.findings:
            result.asked = asked_by_files(context)
        result.claimed = context.claimed
        result.warnings += self._emptied.warnings(self._desired)
        result.warnings += context.carried()
        result.warnings += self._observed.warnings()
        remarks = Remarks(context.hiding)
        for planned in result.changes:
            remarks.check(planned.schema, planned.entry, planned.change.values)
        result.warnings += remarks.warnings()
        result.warnings.sort()
        return result

    def _check_limits(self) -> None:
        result = self._result
        actions = Counter((planned.section, planned.change.action) for planned in result.changes)
        for (section, action), number in actions.items():
            if action in (DELETE, ARCHIVE) or (action == UPDATE and number > MANY_UPDATES):
                self._measure_set(section)
        options = self._context.options
        names = (options.names.get(uuid, "").partition(" ")[0] for uuid in options.known)
        result.remembered = Counter(KINDS[name].section for name in names if name in KINDS)
        check = LimitCheck(result, self._desired.policy, options.existing_before)
        result.exceeded_limits += check.exceeded()
        result.cautions = check.mass_updates()
        result.existing_before = check.existing()

    def _measure_set(self, section: str) -> None:
        """Count the records in scope that this plan matches, or that the journal or the marker knows."""
        kind = KINDS[SECTIONS[section]]
        if not kind.can_be_looked_up:
            return
        unmanaged = {id(entry) for entry in self._desired.unmanaged}
        matched = {
            uuid for uuid, entry in self._context.claimed.get(kind.name, {}).items() if id(entry) not in unmanaged
        }
        self._result.set_sizes[section] = self._pruning().size_of_set(section, matched)

    # ---- match

    def _is_matched(self, section: str) -> bool:
        exists = section in self._desired.sections or bool(self._context.entries[section])
        return exists and section not in _BY_THEMSELVES

    def _match_section(self, section: str) -> list[tuple[Planned, Record | None]]:
        """Pair each entry of a section that may change something with its record, and count the unchanged records."""
        kind = KINDS[SECTIONS[section]]
        schema = self._context.schema(kind)
        entries = self._context.entries[section]
        identities: dict[tuple[str, ...], None] = {}
        others: list[tuple[Entry, tuple[str, ...] | None]] = []
        # The list is read in the background meanwhile.
        for entry in entries:
            claimed, has_key = self._claim(section, schema, entry)
            if claimed is not None and has_key:
                identities.setdefault(claimed)
            else:
                others.append((entry, claimed))
        listed = self._state.records(kind)
        self._result.everywhere[section] = len(listed)
        self._result.existing[section] = self._context.scope.count(section, listed)
        # A chain of renames ends at a written key.
        written = [self._read(entry)[0] for entry in entries] if section in self._desired.moved else []
        found = []
        for entry, fields, hits in self._in_list_order(schema, identities, others, listed):
            match = None if fields is None else self._match(section, entry, fields, hits, written)
            if match is None:
                self._dropped.append(entry)
                self._context.doubt(entry)
                continue
            planned, record, is_unchanged = match
            # Keep only the entry of an unchanged record.
            if is_unchanged and record is not None:
                self._count(planned, record)
                self._unchanged.append(entry)
            else:
                found.append((planned, record))
        self._leave_alone(section)
        self._unmatched.discard(kind.name)
        return found

    def _claim(self, section: str, schema: Schema, entry: Entry) -> tuple[tuple[str, ...] | None, bool]:
        """Claim the natural key of an entry.

        Return the fields of the key, which are None after a finding, and False if the entry is found by its uuid.
        """
        values, is_valid = self._read(entry)
        if is_valid and len(self._context.entries[section]) <= _MOST_KEPT:
            self._kept[id(entry)] = values
        if entry.uuid:
            # A plan file identifies the record by its uuid.
            own = [schema.find(name) for name in self._desired.identity.get(section, ())]
            chosen = [field.key for field in own if field is not None] or natural_keys.default_key(schema.kind, values)
            return tuple(key for key in chosen if key in values), False
        keys = self._keys(section, schema, values, entry)
        key = {name: values[name] for name in keys}
        is_resolved = bool(keys) and self._resolve_key(keys, key, entry)
        is_claimed = is_resolved and self._context.uniqueness.claim(schema, keys, key, entry) is not None
        return keys if is_claimed else None, True

    def _resolve_key(self, keys: Iterable[str], values: dict[str, Any], entry: Entry | None) -> bool:
        """Put resolved references into a natural key, and return True if all are resolved."""
        # Most values are texts, and there are a great many of them.
        linked = {key: values[key] for key in keys if values[key].__class__ is not str}
        if linked and not self._context.resolve(linked, entry):
            return False
        values |= linked
        return True

    def _in_list_order(
        self,
        schema: Schema,
        identities: Iterable[tuple[str, ...]],
        others: Iterable[tuple[Entry, tuple[str, ...] | None]],
        listed: Sequence[Record],
    ) -> Iterator[tuple[Entry, tuple[str, ...] | None, list[Record]]]:
        """Yield each entry with the fields of its natural key, and with the listed records that have this key.

        They are in the order of the list. Entries without a record are at the end, with the others.

        The fields of a natural key are in memory for every list. All other fields of a page are only available while it
        is open.
        """
        new = list(others)
        for keys in identities:
            claimed = self._context.uniqueness.claimed(schema.kind, keys)
            owners = _owners(claimed, [key for key, _record in self._state.keyed(schema, keys, listed)])
            numbers = Counter(id(entry) for entry in owners if entry is not None)
            new += [(entry, keys) for entry in claimed.values() if id(entry) not in numbers]
            several: dict[int, list[Record]] = {mark: [] for mark, number in numbers.items() if number > 1}
            del numbers
            for number, entry in enumerate(owners):
                if id(entry) in several:
                    several[id(entry)].append(listed[number])
            for number, entry in enumerate(owners):
                hits = several.get(id(entry), [listed[number]])
                if entry is not None and hits[0] is listed[number]:
                    yield entry, keys, hits
        for entry, fields in new:
            yield entry, fields, []

    def _is_unchanged(
        self, schema: Schema, entry: Entry, values: dict[str, Any], linked: Iterable[str], current: Record | None
    ) -> bool:
        """Return True if a record is as it was written, whatever else is planned.

        :param linked: keys of the values that may refer to records.
        """
        if current is None or not schema.kind.is_many:
            return False
        if entry.uuid or entry.lifecycle is not NOTHING:
            return False
        resolved = {key: values[key] for key in linked}
        if linked and not self._settle(resolved):
            return False
        values |= resolved
        return self._is_as_written(schema, entry, values, current)

    def _settle(self, values: dict[str, Any]) -> bool:
        """Resolve references, and return True if no record that is still unmatched can change their targets."""
        references = (reference for value in values.values() for _number, reference in numbered_references(value))
        is_open = any(reference.target in self._unmatched for reference in references)
        return not is_open and self._context.resolve(values, None)

    def _check_unchanged(self) -> None:
        """Check unchanged records for references to removed records, which were not known when they were compared."""
        for entry in self._unchanged if self._removals else ():
            schema = self._context.schema(entry.kind)
            values, _fits = self._read(entry)
            self._context.resolve(values, None)
            left = self._lifecycles.left_alone(entry.kind.section, schema, entry, exists=True)
            compared = {key: value for key, value in values.items() if key not in left}
            check_needs(self._context, entry, compared, self._removals)

    def _leave_alone(self, section: str) -> None:
        """Claim the records that are written as unmanaged, so that nothing prunes them."""
        context = self._context
        for entry in self._desired.unmanaged:
            if entry.kind.section != section:
                continue
            schema = context.schema(entry.kind)
            values, _fits = self._read(entry)
            keys = self._keys(section, schema, values, entry)
            identity = {key: values[key] for key in keys}
            if not keys or not context.resolve(identity, None):
                continue
            if context.uniqueness.claim(schema, keys, identity, entry) is None:
                continue
            for record in self._state.find_existing(schema, keys, identity):
                context.claimed.setdefault(entry.kind.name, {}).setdefault(record.uuid, entry)
                key = context.uniqueness.words(schema, keys, identity)
                planned = context.planned(section, entry, schema, identity, keys, key)
                self._result.released.append((entry.kind.name, planned.journal_key, record.uuid))
                # The record may still have to stay.
                self._lifecycles.note(planned, record)

    def _read(self, entry: Entry) -> tuple[dict[str, Any], bool]:
        """Return the values of an entry, and True if nothing is wrong with them."""
        context = self._context
        complaints = context.complaints
        fields = self._observed.without(entry.kind.section, entry, entry.fields)
        values = context.wanted.parse(context.schema(entry.kind), entry, fields)
        return values, context.complaints == complaints and not entry.misread

    def _match(
        self,
        section: str,
        entry: Entry,
        keys: tuple[str, ...],
        hits: list[Record],
        written: Iterable[dict[str, Any]],
    ) -> tuple[Planned, Record | None, bool] | None:
        """Return an entry with its record, and True if that is as written; None after a finding.

        :param hits: the listed records with its natural key.
        """
        context = self._context
        schema = context.schema(entry.kind)
        complaints = context.complaints
        kept = self._kept.pop(id(entry), None)
        values, is_valid = (kept, True) if kept is not None else self._read(entry)
        if entry.uuid:
            record = self._state.of_uuid(schema.kind, entry.uuid)
            hits = [record] if record else []
        elif not self._resolve_key(keys, values, None) or self._is_hidden(schema, keys, entry):
            # Claiming the key noted the problems of its references.
            return None
        else:
            hits = hits or self._moved.record_of(section, schema, values, written)
            if schema.kind.created_from and not hits and "email" in values:
                hits = user_of_person(self._state, str(values["email"]))
            if schema.kind.open_status:
                left = self._lifecycles.left_alone(section, schema, entry, exists=True)
                compared = {key: value for key, value in values.items() if key not in left}
                wanted = Wanted(schema, compared, entry.state)
                hits = possible_targets(wanted, hits, partial(self._is_as_wanted, wanted))
        current = context.only_match(entry, schema, keys, values, hits)
        if current is None and hits:
            return None
        if current is not None and not context.claim(schema.kind, current.uuid, entry, self._moved.why_twice):
            return None
        is_unchanged = entry.state == "present" and self._note_present(schema, entry, keys, values, current)
        if not is_valid or context.complaints > complaints:
            # Don't report the consequence of a mistake as another mistake.
            return None
        key = context.uniqueness.words(schema, keys, values)
        return context.planned(section, entry, schema, values, keys, key or entry.uuid), current, is_unchanged

    def _note_present(
        self, schema: Schema, entry: Entry, keys: tuple[str, ...], values: dict[str, Any], current: Record | None
    ) -> bool:
        """Check and note the values of a record that is to exist, and return True if it is as written."""
        context = self._context
        if current is None:
            self._check_zeros(schema, keys, values, entry)
        context.uniqueness.claim_others(schema, keys, values, entry)
        context.uniqueness.claim_unique(schema, keys, values, entry)
        linked = [key for key, value in values.items() if isinstance(value, (Reference, tuple))]
        if linked:
            # Other records may refer to it by the written name, whatever its current name is.
            identity = {field.key: values[field.key] for field in schema.kind.identity if field.key in linked}
            context.resolve(identity, None)
            values |= identity
        is_unchanged = self._is_unchanged(schema, entry, values, linked, current)
        context.places.note(entry, values, current)
        to_be = self._scan_codes.values_to_be(entry, schema, keys, values, current)
        if not is_unchanged:
            self._state.add_planned(schema, to_be, current or entry)
        return is_unchanged

    def _shielded(self, entry: Entry) -> tuple[Schema, dict[str, Any], tuple[str, ...]]:
        """Return the schema, the values and the natural key of a protected record."""
        if entry.kind is HUB_ITEM:
            schema = hub_schema()
            values = self._context.wanted.parse(schema, entry, entry.fields)
            return schema, values, entry.kind.written_key if "object" in values else ()
        values, _fits = self._read(entry)
        schema = self._context.schema(entry.kind)
        return schema, values, self._keys(entry.kind.section, schema, values, entry)

    def _is_hidden(self, schema: Schema, keys: tuple[str, ...], entry: Entry) -> bool:
        """Return True if the natural key is hidden, so that existing records would be created again."""
        hidden = self._state.field_visibility(schema, keys=keys).unidentifying(keys)
        for key in hidden:
            name = written_as(schema, entry, key)
            self._context.find(entry.place_of(name), f"{name}: {identifies(schema.kind, key)}")
        return bool(hidden)

    def _check_zeros(self, schema: Schema, keys: tuple[str, ...], values: dict[str, Any], entry: Entry) -> None:
        """Note a key that most likely lost its leading zeros in a spreadsheet."""
        lost = self._lost_digits.found(schema, keys, values, entry)
        if lost is not None:
            self._context.find(entry.place_of(written_as(schema, entry, lost[0])), lost[1])

    def _keys(self, section: str, schema: Schema, values: Mapping[str, Any], entry: Entry) -> tuple[str, ...]:
        """Return the fields that identify a record, or nothing after a finding."""
        identity = [schema.find(name) for name in self._desired.identity.get(section, ())]
        if None in identity:
            return ()
        chosen = [field.key for field in identity if field is not None] or None
        try:
            return natural_keys.key_fields(schema.kind, chosen, values)
        except InvalidInput as missing:
            _values, fits = self._read(entry)
            if fits:
                self._context.find(entry.place, missing.message.removeprefix("match_on: "))
            return ()

    def _is_as_wanted(self, wanted: Wanted, record: Record) -> bool:
        desired = dict(wanted.desired)
        is_resolved = self._context.resolve(desired, None)
        return is_resolved and self._comparer.is_as_wanted(replace(wanted, desired=desired), record)

    # ---- compare

    def _compare(self, planned: Planned, current: Record | None) -> None:
        """Compare a record, and add it to the plan."""
        context, entry = self._context, planned.entry
        self._narrow(planned, current)
        if entry.state == "present":
            if not context.resolve(planned.desired, entry):
                return
            self._check_links(planned)
            if not has_fit_key(context, planned, current):
                return
        if planned.kind.created_from and current is None and not self._desired.policy.create_users:
            context.skip(planned, f"not created, because a new user gets an e-mail; {how_to_allow(USERS)} creates it.")
            return
        try:
            planned.change = self._change(planned, current)
        except (InvalidInput, Ambiguous) as wrong:
            self._find(planned, wrong)
            return
        if not is_in_scope(context, planned, current):
            return
        context.warn(planned, planned.change.warnings)
        if current is not None:
            self._resume(planned, current)
        if planned.kind.created_from:
            check_user(context, planned, self._removals)
            context.note_references(planned.change.values, entry)
        elif planned.kind.template:
            check_unique(context, planned, self._removals)
        self._take(planned, current)

    def _count(self, planned: Planned, current: Record) -> None:
        """Count a record that is as written, whatever else is planned."""
        self._narrow(planned, current)
        self._check_links(planned)
        try:
            self._check_visible(planned)
        except InvalidInput as wrong:
            self._find(planned, wrong)
            return
        if is_in_scope(self._context, planned, current):
            self._take(planned, current)

    def _narrow(self, planned: Planned, current: Record | None) -> None:
        """Remove the fields that are not compared. Count the empty cells of a row."""
        self._lifecycles.narrow(planned, current is not None)
        self._scan_codes.leave_alone(planned, current)
        if planned.entry.state == "present" and current is not None:
            self._emptied.count(planned, current)

    def _check_links(self, planned: Planned) -> None:
        check_needs(self._context, planned.entry, planned.desired, self._removals)
        self._context.places.check_pair(planned)
        self._context.note_references(planned.desired, planned.entry)

    def _check_visible(self, planned: Planned) -> None:
        """Refuse fields to write that are hidden from the account.

        :raises InvalidInput: naming them.
        """
        self._state.field_visibility(planned.schema, keys=planned.desired).check_written(planned.desired)

    def _find(self, planned: Planned, wrong: InvalidInput | Ambiguous) -> None:
        """Note what is wrong with the fields of a record."""
        entry = planned.entry
        for message in wrong.problems if isinstance(wrong, InvalidInput) else [wrong.message]:
            # Most messages begin with the field that they are about.
            name = message.partition(":")[0]
            self._context.find(entry.place_of(written_as(planned.schema, entry, name)), message)

    def _take(self, planned: Planned, current: Record | None) -> None:
        """Add a compared record to the plan."""
        baseline = self._context.options.baseline
        if current is not None:
            managed = self._result.managed.setdefault(planned.kind.name, {})
            managed[current.uuid] = "" if planned.kept_as else planned.journal_key
            if baseline is not None and planned.entry.state == "present" and not planned.change.changed:
                note_record(baseline, planned, current.uuid, self._desired)
        elif planned.entry.state != "present":
            self._result.unmatched[planned.section] += 1
        self._lifecycles.note(planned, current)
        self._rules.judge(planned, current)
        self._context.take(planned)

    def _change(self, planned: Planned, current: Record | None) -> Change:
        schema, entry = planned.schema, planned.entry
        if schema.kind.created_from:
            return plan_user(self._state, planned, current)
        allow = self._context.options.allow
        if not self._context.is_chosen(planned):
            allow |= {DESTRUCTIVE}
        wanted = Wanted(schema, planned.desired, entry.state, entry.template, allow)
        if entry.uuid:
            planned.archived = is_archived(self._state, wanted, current)
        if entry.state == "present":
            self._check_visible(planned)
        if (
            current is not None
            and not planned.archived
            and self._is_as_written(schema, entry, planned.desired, current)
        ):
            return NO_CHANGE[schema.kind.name]
        return self._comparer.change(wanted, current, planned.archived)

    def _is_as_written(self, schema: Schema, entry: Entry, values: Mapping[str, Any], current: Record) -> bool:
        """Return True if a record certainly is as written. Most records are, and there are very many."""
        kind = schema.kind
        if entry.state != "present" or kind.defines_fields:
            return False
        return schema.has_values(values, current.opened, self._state.completed)

    def _resume(self, planned: Planned, current: Record) -> None:
        """Note that a change completes a record. An interrupted run of the same files created that record."""
        marks = (current.uuid, planned.journal_name)
        is_known = not planned.archived and not self._context.options.resumed.isdisjoint(marks)
        planned.resumed = is_known and planned.change.is_half_created

    # ---- hub, prune

    def _plan_hub(self) -> None:
        context = self._context
        offers = plan_offers(
            self._state,
            context.entries["hub"],
            context.find,
            context.claim,
            lambda schema, entry: context.wanted.parse(schema, entry, entry.fields),
            context.meaning,
        )
        without_object = {id(entry) for entry in context.entries["hub"] if entry.state == "absent"}
        for entry, values, key, change in offers:
            if all(reference.pending is None for reference in references_in(values["object"])):
                without_object.discard(id(entry))
            planned = context.planned("hub", entry, hub_schema(), values, ("object",), key)
            planned.change = change
            self._lifecycles.narrow(planned, change.current is not None)
            if change.action == UPDATE and planned.left_alone.issuperset(change.values):
                planned.change = NO_CHANGE[planned.kind.name]
            if entry.state == "present":
                check_needs(context, entry, planned.desired, self._removals)
                context.note_references(planned.desired, entry)
            context.warn(planned, change.warnings)
            # An item has no uuid.
            self._lifecycles.note(planned, None)
            self._rules.judge(planned, change.current)
            if change.current is not None:
                self._resume(planned, change.current)
            context.take(planned)
        if without_object:
            self._result.unmatched["hub"] = len(without_object)
        if any(planned.kind is HUB_ITEM for planned in self._result.changes):
            # The scope does not apply to the hub.
            self._result.existing["hub"] = len(offered(self._state))

    def _pruning(self) -> Pruning:
        context = self._context
        return Pruning(
            self._state,
            self._desired,
            context.options,
            context.scope,
            context.schema,
            context.claimed,
            frozenset(section for section, entries in context.entries.items() if entries),
        )


def _owners(claimed: Mapping[Key, Entry], keys: Sequence[Key | None]) -> list[Entry | None]:
    """Return the entry that means the record with each natural key: exactly, else in another Unicode form."""
    owners = [claimed.get(key) for key in keys]
    exact = {id(entry) for entry in owners}
    others = {key: entry for key, entry in claimed.items() if id(entry) not in exact}
    unowned = (key for key, owner in zip(keys, owners, strict=True) if owner is None)
    if all(map(has_one_form, others)) and all(map(has_one_form, unowned)):
        return owners
    others = {normal_key(key): entry for key, entry in others.items()}
    return [others.get(normal_key(key)) if owner is None else owner for owner, key in zip(owners, keys, strict=True)]
