# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for a whole instance: every desired record matched and compared in memory, ordered by what depends on what.

It is the plan of one record, many times; lists are read once for each kind, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

from . import matching, plan, relations
from .attachments import recognise
from .brakes import brakes
from .claims import Claims
from .client import Client, Record
from .desired import SECTIONS, DesiredInstance, Entry, Finding, Place
from .errors import Ambiguous, InvalidInput
from .fields import Field
from .hub_plan import plan_offers
from .hub_plan import schema as hub_schema
from .kinds import (
    FIELD_DEFINITION,
    HUB_ITEM,
    KINDS,
    RENTAL_CASE,
    TASK,
    TEMPLATE_KINDS,
    TEMPLATES,
    USER,
    Kind,
)
from .links import Reference, attachments_in, references_in
from .plan import Change
from .planned import Choices, InstancePlan, Planned, image_of, level_of
from .pruning import Pruning
from .quick import Quick
from .references import is_text_renter, renter_of
from .schema import Schema
from .scope import Scope
from .wanted import Wanted
from .world import World

_SAMPLE = 40
"""How many objects that would be made are looked up by their barcode before the others are taken to be new."""


def plan_instance(client: Client, desired: DesiredInstance, choices: Choices | None = None) -> InstancePlan:
    """Plans everything that was written. What is wrong with it stands in ``findings``; then nothing may be applied."""
    return _Planner(client, desired, choices or Choices()).run()


class _Planner:
    def __init__(self, client: Client, desired: DesiredInstance, choices: Choices) -> None:
        self._client = client
        self._desired = desired
        self._choices = choices
        self._world = World(client)
        self._schemas: dict[str, Schema] = {}
        self._claims = Claims(self._world, self._find)
        self._claimed_uuids: dict[str, dict[str, Entry]] = {}
        self._found: dict[Finding, None] = dict.fromkeys(desired.findings)
        self._quick: dict[str, Quick] = {}
        self._later: dict[int, Any] = {}
        self._seen: set[str] = set()
        self._result = InstancePlan(world=self._world)
        self._wanted = Wanted(desired, self._find)
        self._scope = Scope(self._world, self._schema, desired.scope)
        self._entries: dict[str, list[Entry]] = {section: [] for section in SECTIONS}
        sections = {kind: section for section, kind in SECTIONS.items()}
        for entry in desired.entries:
            self._entries[sections[entry.kind.name]].append(entry)

    def run(self) -> InstancePlan:
        self._plan_definitions()
        self._judge_settings()
        matched = [
            pair for section in SECTIONS if section not in ("fields", "hub") for pair in self._match_section(section)
        ]
        if not self._found:
            matched = self._with_archived_twins(matched)
        self._judge_moved()
        while matched:
            self._compare(*matched.pop())
        self._result.changes.reverse()
        self._plan_hub()
        self._judge_gone()
        for planned in self._pruning().run(self._result):
            self._take(planned)
        self._judge_chosen()
        self._result.brakes += brakes(
            self._desired.policy.limits,
            (
                (planned.section, planned.change.action)
                for planned in self._result.changes
                if planned.section == "users" or planned.approval not in self._choices.approved
            ),
            self._result.existing,
        )
        order = {section: number for number, section in enumerate(SECTIONS)}
        self._result.changes.sort(key=lambda planned: (level_of(planned.section), order[planned.section], planned.key))
        self._result.findings = sorted(self._found, key=_where)
        self._result.warnings.sort()
        return self._result

    def _find(self, place: Place, message: str) -> None:
        self._found[Finding(place, message)] = None

    # ---- settings

    def _judge_settings(self) -> None:
        """Names of fields in scope, marker, identity and moved: a guard that means nothing is an error."""
        at = Place("instance.yml")
        for section, fields in self._desired.scope.items():
            for problem in self._scope.problems(section, fields):
                self._find(at, f"scope.{section}.{problem}")
        for section, names in self._desired.identity.items():
            schema = self._schema_of(section)
            for name in names:
                if schema is None or schema.find(name) is None:
                    nearest = f"; {schema.nearest(name)}" if schema else ""
                    self._find(at, f"identity.{section}: no such field {name}{nearest}")
        for section in self._desired.sections if self._desired.marker else ():
            schema = self._schema_of(section)
            prunes = self._desired.policy.prune.get(section, "report") != "report"
            if prunes and schema is not None and schema.find(self._desired.marker) is None:
                nearest = schema.nearest(self._desired.marker)
                self._find(at, f"marker: no such field {self._desired.marker} in {schema.kind.one}; {nearest}")

    def _schema_of(self, section: str) -> Schema | None:
        kind = KINDS[SECTIONS[section]]
        return None if kind in (FIELD_DEFINITION, HUB_ITEM) else self._schema(kind)

    # ---- field definitions

    def _plan_definitions(self) -> None:
        for template in TEMPLATES:
            entries = [entry for entry in self._entries["fields"] if entry.template == template]
            coming = [one for entry in entries for one in [self._plan_definition(template, entry)] if one is not None]
            kind = TEMPLATE_KINDS[template]
            if coming and self._is_used(kind):
                self._schema(kind).fields.update({one.key: one for one in coming})

    def _is_used(self, kind: Kind) -> bool:
        return any(
            SECTIONS[section] == kind.name and (entries or section in self._desired.sections)
            for section, entries in self._entries.items()
        )

    def _plan_definition(self, template: str, entry: Entry) -> Field | None:
        """Plans one definition. Returns the field as it will be, keyed by its label, where the definition is still to
        be made.
        """
        schema = Schema.of(FIELD_DEFINITION)
        values = self._parse(schema, entry)
        keys = ("field_key",) if values.get("field_key") else ("label",)
        if not values.get(keys[0]):
            self._find(entry.place, "label must have a value, because a field definition is identified by it")
            return None
        if not self._claims.claim(schema, keys, values, entry):
            return None
        known = [Record.of(FIELD_DEFINITION, raw) for raw in self._client.definitions(template)]
        hits = [record for record in known if record.flat.get(keys[0]) == values[keys[0]]]
        if entry.uuid:
            hits = [record for record in known if record.uuid == entry.uuid]
        current = self._one(entry, schema, keys, values, hits)
        if current is None and keys == ("field_key",):
            self._find(
                entry.place_of("field_key"), f"there is no field definition with the key {values['field_key']!r}"
            )
            return None
        wanted = plan.with_equal_allowed_values(schema, values, current)
        wanted.pop("field_key", None)
        key = f"{template} {values[keys[0]]}"
        planned = Planned("fields", entry, schema, wanted, keys, key, _NOTHING[schema.kind.name])
        self._compare(planned, current)
        if id(entry) in self._later:
            self._relate_later(planned, current)
        if current is not None:
            return None
        label = str(values.get("label"))
        allowed = tuple(str(value) for value in values.get("possible_values") or ())
        is_dropdown = values.get("type") == "DROPDOWN"
        return Field(label, str(values.get("type")), label, allowed=allowed if is_dropdown else ())

    def _with_relations(self, fields: Mapping[str, Any], entry: Entry) -> Mapping[str, Any]:
        """Relations that name other fields get their uuids; those to fields that this plan makes come later."""
        written = fields.get("relations") or ()
        if not relations.names_fields(written):
            return fields
        resolved, missing = relations.with_uuids(written, self._client.definitions(entry.template))
        coming = {other.fields.get("label") for other in self._entries["fields"] if other.template == entry.template}
        for name in missing:
            if name not in coming:
                self._find(entry.place_of("relations"), f"relations: {name!r} is no field of this template, or several")
        if not missing:
            return {**fields, "relations": resolved}
        self._later[id(entry)] = written
        return {name: value for name, value in fields.items() if name != "relations"}

    def _relate_later(self, planned: Planned, current: Record | None) -> None:
        planned.relations = self._later[id(planned.entry)]
        was = planned.change
        have = (
            planned.schema.brief("relations", planned.schema.read_one("relations", current.flat)) if current else None
        )
        planned.change = replace(
            was,
            action=plan.UPDATE if was.action == plan.UNCHANGED else was.action,
            current=current,
            before={**was.before, **({"relations": have} if current else {})},
            after={**was.after, "relations": list(planned.relations)},
        )
        if was.action == plan.UNCHANGED:
            self._result.unchanged["fields"] -= 1
            self._take(planned)

    # ---- match

    def _schema(self, kind: Kind) -> Schema:
        if kind.name not in self._schemas:
            schema = self._client.schema(kind)
            if kind.open_fields:
                for record in self._world.records(kind):
                    schema.learn(record.flat)
            self._schemas[kind.name] = schema
        return self._schemas[kind.name]

    def _match_section(self, section: str) -> list[tuple[Planned, Record | None]]:
        entries = self._entries[section]
        if section not in self._desired.sections and not entries:
            return []
        kind = KINDS[SECTIONS[section]]
        self._schema(kind)
        self._result.existing[section] = self._scope.count(section, self._world.records(kind))
        found = [self._match(section, entry) for entry in entries]
        return [pair for pair in found if pair is not None]

    def _is_as_wanted(self, schema: Schema, values: Mapping[str, Any], record: Record) -> bool:
        if not self._resolve(values, None):
            return False
        return not plan.plan_present(schema, values, record, complete=self._world.complete).changed

    def _match(self, section: str, entry: Entry) -> tuple[Planned, Record | None] | None:
        schema = self._schema(entry.kind)
        found = len(self._found)
        values = self._parse(schema, entry)
        if entry.uuid:
            # A plan file says which record is meant.
            keys = tuple(key for key in schema.kind.match_on[0] if key in values)
            hits = self._of_uuid(schema.kind, entry.uuid)
        else:
            keys = self._keys(section, schema, values, entry, len(self._found) == found)
            if (
                not keys
                or not self._resolve({key: values[key] for key in keys}, entry)
                or not self._claims.claim(schema, keys, values, entry)
            ):
                return None
            hits = self._world.having(schema, keys, values) or self._moved_from(section, schema, values)
            if schema.kind is TASK:
                as_wanted = partial(self._is_as_wanted, schema, values)
                hits = matching.task_meant(hits, values.get("status"), as_wanted, entry.state == "absent")
        current = self._one(entry, schema, keys, values, hits)
        if current is not None and not self._claim(schema.kind, current.uuid, entry):
            return None
        if entry.state == "present":
            if current is None and keys:
                self._claims.judge_alike(schema, keys, values, entry)
            # Others may refer to it as it is written here, whatever it is called now.
            self._world.expect(schema, values, current or entry)
        if len(self._found) > found:
            # What follows from a mistake is no mistake of its own.
            return None
        key = self._claims.words(schema, keys, values)
        return Planned(section, entry, schema, values, keys, key, _NOTHING[schema.kind.name]), current

    def _keys(
        self, section: str, schema: Schema, values: Mapping[str, Any], entry: Entry, fits: bool
    ) -> tuple[str, ...]:
        """The fields that identify a record; none where that is wrong."""
        named = [schema.find(name) for name in self._desired.identity.get(section, ())]
        if None in named:
            return ()
        try:
            keys = matching.key_fields(schema.kind, [of.key for of in named if of is not None] or None, values)
        except InvalidInput as missing:
            if fits:
                self._find(entry.place, missing.message.removeprefix("match_on: "))
            return ()
        fine = True
        for key in keys:
            text = values[key]
            if isinstance(text, str) and text != text.strip():
                self._find(
                    entry.place_of(key), f"{key}: {text!r} begins or ends with blanks, and it identifies a record"
                )
                fine = False
        return keys if fine else ()

    def _of_uuid(self, kind: Kind, uuid: str) -> list[Record]:
        record = self._world.of_uuid(kind, uuid)
        if record is None and "archived" in kind.states:
            record = self._client.get(kind, uuid)
        return [record] if record else []

    def _one(
        self, entry: Entry, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], hits: Sequence[Record]
    ) -> Record | None:
        if len(hits) < 2:
            return hits[0] if hits else None
        try:
            return matching.one_of(schema.kind, matching.describe(schema, keys, values), hits)
        except Ambiguous as twice:
            self._find(entry.place, twice.message)
            return None

    def _claim(self, kind: Kind, uuid: str, entry: Entry) -> bool:
        """Whether no other entry means the same record."""
        earlier = self._claimed_uuids.setdefault(kind.name, {}).setdefault(uuid, entry)
        if earlier is not entry:
            self._find(entry.place, f"the {kind.words} {uuid} is meant here and at {earlier.place}")
        return earlier is entry

    def _moved_from(self, section: str, schema: Schema, values: Mapping[str, Any]) -> list[Record]:
        """The record under the old natural key, where ``moved`` says that it was renamed to this one."""
        for old, new in self._desired.moved.get(section, ()):
            wanted, wrong = schema.parse(new, "")
            was, also_wrong = schema.parse(old, "")
            place = self._desired.moved_places.get(id(new), Place("moved.yml"))
            problems = [*wrong.errors, *wrong.unknown, *also_wrong.errors, *also_wrong.unknown]
            for problem in problems:
                self._find(place, problem)
            if problems or not self._resolve(wanted, None) or not self._resolve(was, None):
                continue
            if all(schema.equal(key, value, values.get(key)) for key, value in wanted.items()):
                return self._world.having(schema, tuple(sorted(was)), was)
        return []

    def _judge_moved(self) -> None:
        for section, pairs in self._desired.moved.items():
            if not self._entries[section] and pairs:
                place = self._desired.moved_places.get(id(pairs[0][1]), Place("moved.yml"))
                self._find(place, f"moved.{section}: the files hold no {section}")

    def _resolve(self, values: Mapping[str, Any], entry: Entry | None) -> bool:
        fine = True
        for key, value in values.items():
            for reference in references_in(value):
                problem = self._world.resolve(reference)
                if problem:
                    fine = False
                    if entry is not None and entry.state == "present":
                        self._find(entry.place_of(key), f"{key}: {problem}")
        return fine

    # ---- archived twins

    def _with_archived_twins(self, matched: list[tuple[Planned, Record | None]]) -> list[tuple[Planned, Record | None]]:
        """No list shows archived objects, so those that would be made are looked up by their barcode.

        Of very many only some, evenly spread: where none of them is archived, the others are taken to be new, and the
        service has the last word.
        """
        fresh = [
            index
            for index, (planned, current) in enumerate(matched)
            if current is None
            and planned.kind.barcode_path
            and planned.entry.state == "present"
            and "barcode" in planned.keys
            and not planned.entry.uuid
        ]
        step = max(1, len(fresh) // _SAMPLE) if len(fresh) > 2 * _SAMPLE else 1
        looked = fresh[::step]
        found = self._archived(matched, looked)
        if found and step > 1:
            found |= self._archived(matched, [index for index in fresh if index not in set(looked)])
        for index, record in found.items():
            planned, _none = matched[index]
            if self._claim(planned.kind, record.uuid, planned.entry):
                planned.archived = True
                self._world.replace(planned.kind, planned.entry, record)
                matched[index] = (planned, record)
        return matched

    def _archived(self, matched: Sequence[tuple[Planned, Record | None]], indexes: Sequence[int]) -> dict[int, Record]:
        if not indexes:
            return {}

        def look(index: int) -> Record | None:
            planned, _none = matched[index]
            record = self._client.get_by_barcode(planned.kind, str(planned.desired["barcode"]))
            hits = matching.identified(planned.schema, planned.keys, planned.desired, [record] if record else [])
            return hits[0] if hits else None

        with ThreadPoolExecutor(max_workers=max(1, self._choices.workers)) as pool:
            return {index: record for index, record in zip(indexes, pool.map(look, indexes), strict=True) if record}

    # ---- parse

    def _parse(self, schema: Schema, entry: Entry) -> dict[str, Any]:
        fields = entry.fields
        if schema.kind is FIELD_DEFINITION:
            fields = self._with_relations(fields, entry)
        return self._wanted.parse(schema, entry, fields)

    # ---- compare

    def _compare(self, planned: Planned, current: Record | None) -> None:
        entry = planned.entry
        if entry.state == "present" and not self._resolve(planned.desired, entry):
            return
        try:
            change = self._change(planned, current)
        except InvalidInput as wrong:
            for message in wrong.problems:
                self._find(entry.place, message)
            return
        if not self._is_in_scope(planned, current):
            return
        if current is not None:
            self._result.managed.append(current.uuid)
        self._result.warnings += [f"{planned}: {warning}" for warning in change.warnings]
        planned.change = change
        self._take(planned)

    def _take(self, planned: Planned) -> None:
        """Into the plan with a change, or among the unchanged."""
        if self._choices.only or self._choices.exclude:
            self._seen.add(planned.key)
        if not planned.change.changed:
            self._result.unchanged[planned.section] += 1
        elif self._is_chosen(planned):
            planned.image = planned.image or image_of(planned.schema, planned.change.current)
            self._result.changes.append(planned)

    def _change(self, planned: Planned, current: Record | None) -> Change:
        schema, desired = planned.schema, planned.desired
        if planned.kind is USER:
            return self._user_change(planned, current)
        if planned.entry.state == "absent":
            return plan.plan_gone(schema, {key: desired[key] for key in planned.keys}, current)
        if planned.entry.state == "archived":
            is_archived = current is not None and planned.entry.uuid != "" and self._client.is_archived(current)
            return plan.plan_gone(schema, desired, None if is_archived else current, plan.ARCHIVE)
        if current is not None:
            for key, value in desired.items():
                if not value or not isinstance(value, tuple):
                    continue
                local = [one for one in attachments_in(value) if one.path is not None]
                if local:
                    recognise(self._client, local, list(attachments_in(schema.read_one(key, current.flat))))
            if planned.entry.uuid and "archived" in schema.kind.states and not planned.archived:
                listed = self._world.of_uuid(schema.kind, current.uuid) is not None
                planned.archived = not listed and self._client.is_archived(current)
        if current is not None and not planned.archived:
            quick = self._quick.get(schema.kind.name) or self._quick.setdefault(schema.kind.name, Quick(schema))
            if quick.same(desired, current.flat, self._world.complete):
                return _NOTHING[schema.kind.name]
        change = plan.plan_present(schema, desired, current, planned.archived, complete=self._world.complete)
        plan.check_choices(current, change)
        plan.check_destructive(current, change, self._choices.allow_destructive)
        return self._with_renter(change)

    def _with_renter(self, change: Change) -> Change:
        """A PUT carries the renter along; where the instance answers a text alone, it must be known what it means."""
        if change.current is None or not change.changed or "renter" in change.values or change.kind is not RENTAL_CASE:
            return change
        renter = self._schema(RENTAL_CASE).read_one("renter", change.current.flat)
        if not is_text_renter(renter):
            return change
        return replace(change, values={**change.values, "renter": renter_of(renter[1], self._world.records(USER))})

    def _user_change(self, planned: Planned, current: Record | None) -> Change:
        """Exactly one person must have the address, in whatever case; the user is made of that one."""
        if current is not None:
            return Change(USER, plan.UNCHANGED, current)
        email = str(planned.desired["email"])
        if not self._desired.policy.create_users:
            self._result.warnings.append(
                f"{planned}: not made, because policy.create_users is off (a new user gets an e-mail)."
            )
            return Change(USER, plan.UNCHANGED)
        person = Reference("person", written=email)
        problem = self._world.resolve(person)
        if problem:
            raise InvalidInput(f"a user is made of a person, but {problem}")
        address = email
        if person.awaits is not None:
            address = str(person.awaits.fields.get("email", email))
        elif (record := self._world.find(person)) is not None:
            address = str(record.flat.get("email") or email)
        planned.desired["email"] = address
        return Change(USER, plan.CREATE, None, {"email": address, "person": person}, {}, {"email": email})

    def _is_chosen(self, planned: Planned) -> bool:
        names = {planned.section, planned.key, planned.kind.name}
        if self._choices.only and not names & set(self._choices.only):
            return False
        return not names & set(self._choices.exclude)

    # ---- hub

    def _plan_hub(self) -> None:
        offers = plan_offers(self._world, self._entries["hub"], self._find, self._claim, self._parse)
        for entry, values, key, change, image in offers:
            planned = Planned("hub", entry, hub_schema(), values, ("object",), key, change, image)
            self._result.warnings += [f"{planned}: {warning}" for warning in change.warnings]
            self._take(planned)

    # ---- what does not go together

    def _judge_chosen(self) -> None:
        """Names in only and exclude that mean nothing, and records that need one that was left out."""
        choices = self._choices
        if choices.only or choices.exclude:
            known = {*SECTIONS, *SECTIONS.values()}
            known |= self._seen
            for option, names in (("only", choices.only), ("exclude", choices.exclude)):
                for name in names:
                    if name not in known:
                        self._find(Place(option), f"{name!r} is no section, and no natural key of what is planned")
        taken = {id(planned.entry) for planned in self._result.changes}
        for planned in self._result.changes:
            for key, value in planned.change.values.items():
                for reference in references_in(value):
                    if reference.awaits is not None and id(reference.awaits) not in taken:
                        self._find(
                            planned.entry.place_of(key),
                            f"{key}: {reference.target} {reference.written!r} is not there yet, and making it is not "
                            f"part of this plan",
                        )

    def _is_in_scope(self, planned: Planned, current: Record | None) -> bool:
        """Whether a record is, and stays, in the scope of the set; a finding where not."""
        section, entry = planned.section, planned.entry
        if section not in self._desired.scope or planned.kind in (FIELD_DEFINITION, USER):
            return True
        if current is not None and not planned.archived and not self._scope.holds(section, current):
            self._find(entry.place, f"{planned} is there, but outside of the scope of this set ({current.uuid})")
            return False
        wrong = self._scope.leaves(section, planned.desired, current is None) if entry.state == "present" else ""
        if wrong:
            self._find(entry.place_of(wrong), f"{wrong}: {planned} would be outside of the scope of this set")
        return not wrong

    def _judge_gone(self) -> None:
        """Nothing may refer to a record that the same files take away."""
        gone = {
            planned.change.current.uuid: planned
            for planned in self._result.changes
            if planned.change.action == plan.DELETE and planned.change.current is not None
        }
        for planned in self._result.changes if gone else ():
            for key, value in planned.change.values.items():
                for reference in references_in(value):
                    if reference.uuid in gone:
                        other = gone[str(reference.uuid)]
                        self._find(
                            planned.entry.place_of(key), f"{key}: {other} is to be taken away at {other.entry.place}"
                        )

    def _pruning(self) -> Pruning:
        return Pruning(
            self._world,
            self._desired,
            self._choices,
            self._scope,
            self._schema,
            self._claimed_uuids,
            frozenset(section for section, entries in self._entries.items() if entries),
        )


_NOTHING = {name: Change(kind, plan.UNCHANGED) for name, kind in KINDS.items()}


def _where(finding: Finding) -> tuple[str, int, int]:
    return finding.place.source, finding.place.line, finding.place.column
