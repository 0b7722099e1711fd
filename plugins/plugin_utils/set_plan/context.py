# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The context of a plan for an instance: lists, schemas, claimed records, and findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import Ambiguous
from ...module_utils.model.field import Way, words_of
from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.model.schema import FieldError, Misfit, Schema, cause_of
from ...module_utils.model.types_links import Reference, references_in, with_references
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.references import with_target
from ..desired.desired import SECTIONS, DesiredInstance
from ..desired.entry import Entry
from ..desired.hiding import NOT_SHOWN
from ..desired.parsing import DesiredParser, with_remedy, written_as
from ..desired.positions import Finding, Place
from .listed_state import ListedState, Meaning
from .old_names import OldNames
from .places import Places
from .plan import NO_CHANGE, InstancePlan, Planned, PlanOptions, mark_of
from .prune import Scope
from .uniqueness import Uniqueness
from .unlisted import UnlistedRecords


def numbered_references(value: Any) -> Iterator[tuple[int, Reference]]:
    """Yield every reference in a canonical value, with its index in the list around it."""
    if isinstance(value, Reference):
        yield 0, value
    elif isinstance(value, tuple):
        for number, item in enumerate(value):
            for reference in references_in(item):
                yield number, reference


_MOST_NAMED = 5
"""Maximum number of old names in a warning."""


Check = Callable[["PlanContext"], Iterable[Finding]]
"""Check a plan as a whole."""


class PlanContext:
    """The context of one plan.

    :ivar entries: section to its entries.
    :ivar claimed: name of a kind to the uuids of its records that are in the files.
    :ivar complaints: number of mistakes; the same mistake in many records may be one finding.
    :ivar unmade: template and label of fields that do not exist and are not in the plan.
    :ivar planned_names: natural keys of everything that is planned, if only a part of it is selected.
    """

    def __init__(self, client: Client, desired: DesiredInstance, options: PlanOptions) -> None:
        self.client = client
        self.desired = desired
        self.options = options
        self.state = ListedState(client, self.schema, self._is_named_in_secret)
        if options.lists is not None:
            self.state.take_all(options.lists)
        self.hiding = desired.hiding
        self.result = InstancePlan(state=self.state, hiding=self.hiding)
        self.uniqueness = Uniqueness(self.state, self.find)
        self.wanted = DesiredParser(desired, self.find, client.schema)
        self.scope = Scope(self.state, self.schema, desired.scope, self.meaning)
        self.claimed: dict[str, dict[str, Entry]] = {}
        self.complaints = 0
        self._doubtful: set[tuple[str, str]] = set()
        self.unmade: set[tuple[str, str]] = set()
        self.planned_names: set[str] = set()
        self._unlisted = UnlistedRecords(client, desired.hiding)
        self._old_names = OldNames(desired.moved)
        self.places = Places(self.state, self.find, self.meaning)
        self._carried: dict[tuple[str, str], None] = {}
        self._schemas: dict[str, Schema] = {}
        self._found: dict[Finding, None] = dict.fromkeys(desired.findings)
        self._misread = desired.misread_places()
        self.entries: dict[str, list[Entry]] = {section: [] for section in SECTIONS}
        sections = {kind: section for section, kind in SECTIONS.items()}
        for entry in desired.entries:
            self.entries[sections[entry.kind.name]].append(entry)

    # ---- findings

    def find(self, place: Place, message: str) -> None:
        """Note a finding. A :class:`FieldError` has the message for a hidden value."""
        self.complaints += 1
        if place in self._misread:
            return
        self._found[Finding.for_message(place, message)] = None

    def find_plainly(self, place: Place, message: str) -> None:
        """Note what is wrong in words that quote no value."""
        self.complaints += 1
        self._found[Finding.plain(place, message)] = None

    def check(self, checks: Iterable[Check]) -> None:
        """Note the findings of some checks."""
        for check in checks:
            self.note_all(check(self))

    def note_all(self, findings: Iterable[Finding]) -> None:
        """Note findings, except about entries that have their own mistakes."""
        for finding in findings:
            if finding.place not in self._misread:
                self.note(finding)

    def note(self, finding: Finding) -> None:
        """Note a finding."""
        self.complaints += 1
        self._found[finding] = None

    @property
    def findings(self) -> list[Finding]:
        """Return all findings in the order of their places."""
        return sorted(self._found, key=lambda finding: (finding.place.source, finding.place.line, finding.place.column))

    # ---- schemas

    def schema(self, kind: Kind) -> Schema:
        """Return the fields of a kind on this instance.

        Without definitions these are the fields that its records have.
        """
        if kind.name not in self._schemas:
            schema = self.client.schema(kind)
            if kind.open_fields:
                for record in self.state.records(kind):
                    schema.learn(record.flat)
            self._schemas[kind.name] = schema
            self.hiding.learn(schema.fields.values())
        return self._schemas[kind.name]

    def schema_of(self, section: str) -> Schema | None:
        """Return the fields of the records of a section, if these are records with fields."""
        kind = KINDS[SECTIONS[section]]
        return self.schema(kind) if kind.can_be_looked_up else None

    # ---- which record is meant

    def only_match(
        self, entry: Entry, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], hits: Sequence[Record]
    ) -> Record | None:
        """Return the one record with a natural key. Several are a finding."""
        if len(hits) < 2:
            return hits[0] if hits else None
        try:
            return natural_keys.only_record(schema.kind, natural_keys.describe(schema, keys, values), hits)
        except Ambiguous as twice:
            self.find(entry.place, twice.message)
            return None

    def claim(self, kind: Kind, uuid: str, entry: Entry, why: Callable[[str], str] = lambda _uuid: "") -> bool:
        """Return True if no other entry means the same record.

        :param why: returns text to add to the finding if another entry does.
        """
        earlier = self.claimed.setdefault(kind.name, {}).setdefault(uuid, entry)
        if earlier is not entry:
            self.find(entry.place, f"the {kind.words} {uuid} is described both here and at {earlier.place}{why(uuid)}")
        return earlier is entry

    def resolve(self, values: dict[str, Any], entry: Entry | None, before: bool = False) -> bool:
        """Put resolved references into some values, and return True if all are resolved.

        Note a finding for each other reference if the entry is to be present.

        :param before: use names as they are before anything is renamed.
        """
        fine = True
        for key, value in values.items():
            if not isinstance(value, (Reference, tuple)):
                continue
            meanings = [
                (number, reference, self.meaning(reference, before)) for number, reference in numbered_references(value)
            ]
            known = {written: meaning.reference for _number, written, meaning in meanings}
            values[key] = with_references(value, known.__getitem__)
            for number, _written, (reference, problem) in meanings:
                if problem:
                    fine = False
                    is_doubtful = (reference.target, str(reference.written)) in self._doubtful
                    if entry is not None and entry.state == "present" and not is_doubtful:
                        self.find_reference(entry, key, number, reference, problem)
        return fine

    def note_references(self, values: Mapping[str, Any], entry: Entry) -> None:
        """Note what an entry refers to, if requested."""
        for key, value in values.items() if self.options.note_references else ():
            for _number, reference in numbered_references(value):
                mark = mark_of(reference.pending, reference.uuid)
                self.result.references.setdefault(mark, []).append((entry, key))

    def meaning(self, reference: Reference, before: bool = False) -> Meaning:
        """Resolve a reference, also by the old name of its target, or to an archived record.

        :param before: use names as they are before anything is renamed.
        """
        reference, problem = self.state.resolved(reference, before)
        if not problem or reference.resolved:
            return Meaning(reference, problem)
        for written in () if before else self._old_names.now(reference.target, reference.written):
            if (renamed := self._named(reference, written)) is not None:
                self._carried.setdefault((reference.target, str(reference.written)), None)
                return renamed
        record = None if before else self._unlisted.target_of(reference)
        if record is None:
            return Meaning(reference, problem)
        self.state.note_unlisted(record)
        return Meaning(with_target(reference, record))

    def _named(self, reference: Reference, written: Any, before: bool = False) -> Meaning | None:
        """Return the meaning of a reference by another name; None if it has none."""
        other, problem = self.state.resolved(Reference(reference.target, written=written), before)
        if problem:
            return None
        known = replace(reference, uuid=other.uuid, id=other.id, names=other.names, pending=other.pending)
        return Meaning(known)

    def carried(self) -> list[str]:
        """Return the replaced old names, each with the new name."""
        if not self._carried:
            return []
        if self.hiding.is_on:
            return ["moved: records are referred to by their old names; write the new ones."]
        names: dict[str, list[str]] = {}
        for target, name in self._carried:
            names.setdefault(KINDS[target].section, []).append(repr(name))
        return [
            f"moved.{section}: {', '.join(found[:_MOST_NAMED])}"
            + (f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else "")
            + " in references: read as the renamed records; write the new names there, too."
            for section, found in names.items()
        ]

    def doubt(self, entry: Entry) -> None:
        """Note an entry with its own mistakes. References to it are not reported as mistakes."""
        kind = entry.kind
        schema = self.schema(kind)
        first, *labels = [str(entry.fields.get(written_as(schema, entry, field.key))) for field in kind.identity] or [
            ""
        ]
        self._doubtful |= {(kind.name, name) for name in (first, *labels, *(f"{first}/{label}" for label in labels))}

    def find_reference(self, entry: Entry, key: str, number: int, reference: Reference, problem: str) -> None:
        """Note the problem of a reference; the parameters are those of :meth:`about_reference`."""
        finding = self.about_reference(entry, key, number, reference, problem)
        self.complaints += 1
        if finding.place not in self._misread:
            self._found[finding] = None

    def about_reference(self, entry: Entry, key: str, number: int, reference: Reference, problem: str) -> Finding:
        """Return the finding about a reference, at the place where it was written.

        :param number: its index in the list of its field.
        """
        name = written_as(self.schema(entry.kind), entry, key)
        written = entry.fields.get(name)
        way: Way = (name,)
        if isinstance(written, list):
            way = (name, number)
        elif isinstance(written, Mapping):
            way = (name, *(member for member, value in written.items() if value == reference.written))
        inner = problem.way if isinstance(problem, FieldError) else ()
        gist = "this reference matches no record, or several"
        misfit = Misfit(reference.written, cause_of(problem))
        error = FieldError.at(way, f"{words_of(way)}: {problem}", gist, misfit)
        remedy = self.wanted.cell_checks.remedy(entry, name, written)
        return Finding.for_message(entry.place_in((*way, *inner)), with_remedy(error, remedy))

    def _is_named_in_secret(self, record: Record) -> bool:
        """Return True if a record has its name from a hidden value."""
        entry = self.claimed.get(record.kind.name, {}).get(record.uuid)
        if entry is None or not self.hiding.is_on:
            return False
        schema = self.schema(entry.kind)
        return any(
            self.hiding.hides(entry, written_as(schema, entry, field.key), field.key) for field in entry.kind.identity
        )

    # ---- add to the plan

    def planned(
        self, section: str, entry: Entry, schema: Schema, values: dict[str, Any], keys: tuple[str, ...], words: str
    ) -> Planned:
        """Return an entry in its planned form, before the comparison.

        :param words: its natural key, which is hidden if it must not be shown.
        """
        entry_planned = Planned(section, entry, schema, values, keys, words, NO_CHANGE[schema.kind.name])
        return entry_planned.hide(self.hiding) if self.hiding.has_any else entry_planned

    def warn(self, planned: Planned, warnings: Iterable[str]) -> None:
        """Note warnings about a record."""
        shown = (NOT_SHOWN if self.hiding.touches(planned.entry) else warning for warning in warnings)
        self.result.warnings += [f"{planned}: {warning}" for warning in shown]

    def take(self, planned: Planned) -> None:
        """Add a change to the plan, or count it as unchanged."""
        if self.options.only or self.options.exclude:
            self.planned_names.add(planned.words or planned.key)
        if not planned.change.changed:
            self.result.unchanged[planned.section] += 1
        elif self.is_chosen(planned):
            self.result.changes.append(planned)

    def skip(self, planned: Planned, reason: str) -> None:
        """Leave a record alone, and note the reason."""
        self.result.skipped[planned.section] += 1
        self.result.warnings.append(f"{planned}: {reason}")

    def is_chosen(self, planned: Planned) -> bool:
        """Return True if only and exclude leave a change in the plan."""
        return self.options.selects(planned.kind, lambda: planned.words or planned.key)
