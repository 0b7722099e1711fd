# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records that one task reads. Requests are narrow, and no request is sent twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from ..client.client import Client
from ..client.paging import order_pairs
from ..client.query import PER_PAGE, Condition
from ..client.record import Record
from ..errors import Ambiguous, InvalidInput, NoMatch, PermissionMissing, SeventhingsError, unless
from ..model.kinds import KINDS, Kind
from ..model.schema import Schema
from ..model.suggestions import MOST_NAMED, ROUGH, closest_names
from ..model.types_links import Reference, references_in
from . import natural_keys
from .field_visibility import field_visibility_by, perhaps_hidden, unlisted, why_unfound
from .references import (
    Question,
    Unresolved,
    Why,
    at,
    by_name,
    identity_of,
    inside,
    is_number,
    is_text_renter,
    reference_in,
    resolve,
    why_two,
    with_target,
    with_targets,
)

#: The uuid or the integer id of a record.
Mark: TypeAlias = "str | int"

#: Maximum number of records that one task reads one by one only for their names in a diff.
_MOST_FOR_NAMES = 10

_TELL_APART = "refer to it by its uuid, or by a map of fields that tells them apart"


class Reading:
    """Read lists and records of an instance, each only once, and resolve references.

    :ivar warnings: archived records that no list shows, and references without a target, if that is not an error.
    :param allow_missing: True if a missing record is only a warning (check mode: an earlier task may create it).
    :param names_missing: name the nearest records in that warning, and check references by id and uuid.
    """

    def __init__(self, client: Client, allow_missing: bool = False, names_missing: bool = False) -> None:
        self._client = client
        self._allow_missing = allow_missing
        self._names_missing = names_missing
        self._lists: dict[tuple[str, tuple[Condition, ...]], list[Record]] = {}
        self._by_mark: dict[str, dict[Mark, Record]] = {}
        self._narrowed: dict[tuple[str, str], tuple[set[Any], list[Record]]] = {}
        self._alone: dict[tuple[str, Mark], Record | None] = {}
        self._some: dict[str, list[Record]] = {}
        self._left_for_names = _MOST_FOR_NAMES
        self.warnings: list[str] = []

    # ---- lists and records

    def schema(self, kind: Kind) -> Schema:
        """Return the fields of a kind."""
        return self._client.schema(kind)

    def listed(self, kind: Kind, conditions: Sequence[Condition] = ()) -> list[Record]:
        """Return the records of a kind that match some conditions, or all if they were read already.

        The caller compares again. A list that accepts no conditions is read whole.
        """
        whole, narrowed = (kind.name, ()), (kind.name, tuple(conditions) if kind.filters == "query" else ())
        if whole not in self._lists and narrowed not in self._lists:
            self._lists[narrowed] = self._client.list_all(kind, conditions)
            self._note_marks(kind, self._lists[narrowed])
        return self._lists[whole if whole in self._lists else narrowed]

    def _note_marks(self, kind: Kind, records: Iterable[Record]) -> None:
        index = self._by_mark.setdefault(kind.name, {})
        for record in records:
            marks = (record.uuid or None, record.id)
            index.update((mark, record) for mark in marks if mark is not None and mark not in index)

    def read_of(self, kind: Kind) -> list[Record]:
        """Return the records of a kind that were read in lists."""
        lists = [records for (name, _conditions), records in self._lists.items() if name == kind.name]
        return [record for records in lists for record in records]

    def has_whole(self, kind: Kind) -> bool:
        """Return True if the whole list of a kind was read."""
        return (kind.name, ()) in self._lists

    def is_one_page(self, kind: Kind) -> bool:
        """Return True if the whole list of a kind was read, and took one page."""
        return len(self._lists.get((kind.name, ()), range(PER_PAGE))) < PER_PAGE

    def some(self, kind: Kind) -> list[Record]:
        """Return a page of a kind. It suffices to name candidates in a message, but not for a decision."""
        if kind.name not in self._some:
            self._some[kind.name] = self._client.lists.first(kind, PER_PAGE, order_pairs(kind, "ASC")).records
        return self._some[kind.name]

    def _list_narrowed(self, kind: Kind, key: str, values: Iterable[Any]) -> list[Record]:
        """Return the records with one of the values in a field, and possibly more.

        Without values nothing is requested.
        """
        wanted = tuple(dict.fromkeys(values))
        known, records = self._narrowed.get((kind.name, key), (set(), []))
        if not set(wanted) <= known:
            records = self.listed(kind, [natural_keys.by_any_of(key, wanted)])
            self._narrowed[kind.name, key] = (set(wanted), records)
        return records

    def _marked(self, kind: Kind, marks: Iterable[Mark], only_for_names: bool = False) -> dict[Mark, Record]:
        """Return the records with some uuids or ids.

        One record is read by itself, several in one list if it accepts filters. No list shows archived records, so the
        rest is read one by one.

        :param only_for_names: skip the rest if it has too many records.
        """
        wanted = list(dict.fromkeys(marks))
        for mark_type, key in ((str, kind.uuid_keys[0]), (int, "id")):
            unread = [mark for mark in wanted if isinstance(mark, mark_type) and self._read_with(kind, mark) is None]
            if len(unread) > 1 and kind.filters:
                self._list_narrowed(kind, key, unread)
        if only_for_names:
            rest = [
                mark for mark in wanted if self._read_with(kind, mark) is None and (kind.name, mark) not in self._alone
            ]
            if len(rest) > self._left_for_names:
                wanted = [mark for mark in wanted if mark not in rest]
            else:
                self._left_for_names -= len(rest)
        found = {mark: self._read_with(kind, mark) or self._read_alone(kind, mark) for mark in wanted}
        return {mark: record for mark, record in found.items() if record is not None}

    def _read_with(self, kind: Kind, mark: Mark) -> Record | None:
        return self._by_mark.get(kind.name, {}).get(mark)

    def _read_alone(self, kind: Kind, mark: Mark) -> Record | None:
        if (kind.name, mark) not in self._alone:
            record = self._client.get(kind, mark) if isinstance(mark, str) else self._client.get_by_id(kind, mark)
            self._alone[kind.name, mark] = record
            self._note_marks(kind, [] if record is None else [record])
        return self._alone[kind.name, mark]

    # ---- an index for references

    def find(self, kind: Kind, questions: Sequence[Sequence[Question]]) -> list[list[Any]]:
        """Return the records that each reference may mean. One list, narrowed if possible, is read for all of them."""
        found = self._find_active(kind, questions)
        return [hits or self._archived(kind, ways) for hits, ways in zip(found, questions, strict=True)]

    def _find_active(self, kind: Kind, questions: Sequence[Sequence[Question]]) -> list[list[Record]]:
        found = []
        for alternatives, candidates in zip(questions, self._candidates(kind, questions), strict=True):
            hits: dict[str, Record] = {}
            for question in alternatives:
                linked = [key for key, value in question.values.items() if any(references_in(value))]
                targets = self.missing_halves(
                    (question.values[key], question.schema.read_field(key, record.flat))
                    for record in candidates
                    for key in linked
                )
                values = {key: with_targets(value, targets) for key, value in question.values.items()}
                identified = natural_keys.identified(question.schema, question.keys, values, candidates)
                hits.update((hit.uuid, hit) for hit in identified)
            found.append(list(hits.values()))
        return found

    def _archived(self, kind: Kind, questions: Sequence[Question]) -> list[Record]:
        """Return the archived records that a barcode means if no active record has it."""
        key = kind.barcode_key
        by_barcode = [question for question in questions if key and tuple(question.keys) == (key,)]
        records = [find_by_barcode(self._client, question.schema, str(question.values[key])) for question in by_barcode]
        found = [record for record in records if record is not None]
        self._note_marks(kind, found)
        self.warnings += [unlisted(record) for record in found if record.archived is False]
        return found

    def _candidates(self, kind: Kind, questions: Sequence[Sequence[Question]]) -> list[list[Record]]:
        """Return the candidates for each reference."""
        if len(questions) == 1 and len(questions[0]) == 1:
            [[only]] = questions
            return [self.listed(kind, natural_keys.conditions(*only))]
        narrowing = [[natural_keys.narrowing(*question) for question in alternatives] for alternatives in questions]
        ways = [_shared(alternatives) for alternatives in narrowing]
        open_ways = [way for way in ways if way is not None]
        if not kind.filters or not all(open_ways):
            whole = self.listed(kind) if open_ways else []
            return [whole] * len(ways)
        shared = [key for key in next(iter(open_ways), {}) if all(key in way for way in open_ways)]
        fields = [None if way is None else shared[0] if shared else next(iter(way)) for way in ways]
        wanted: dict[str, list[Any]] = {}
        for key, way in zip(fields, ways, strict=True):
            if key is not None and way is not None:
                wanted.setdefault(key, []).extend(form for value in way[key] for form in natural_keys.spellings(value))
        return [[] if key is None else self._list_narrowed(kind, key, wanted[key]) for key in fields]

    def why_removed(self, kind: Kind, questions: Sequence[Question], written: Any) -> str:
        """Return why the names of records are hidden, or an empty text.

        A single record has no plan that could remove a target.
        """
        keys = {key for question in questions for key in question.keys}
        return why_unfound(kind, keys, self.read_of(kind), written, questions[0].schema if questions else None)

    def why_unknown(self, _reference: Reference) -> str:
        """Return an empty text: a reference by id or uuid is trusted, and the service refuses an invalid one."""
        return ""

    def names(self, kind: Kind) -> list[str]:
        """Return the names of the records of a kind for a message.

        If there are very many, only one page is read. None are read if a missing record is only a warning.
        """
        if self._allow_missing and not self._names_missing:
            return []
        if kind.is_many:
            return [name for record in self.some(kind) for name in natural_keys.written_names(record)]
        if kind.parent:
            self.listed(KINDS[kind.parent])
        return [name for record in self.listed(kind) for name in natural_keys.written_names(record, self._known)]

    def path_of(self, record: Record) -> str | None:
        """Return the name of a record with that of its place, for a message."""
        if record.kind.parent:
            self.listed(KINDS[record.kind.parent])
        return next(iter(natural_keys.written_names(record, self._known)), None)

    # ---- references by id or uuid

    def check_numbers(self, references: Iterable[Reference]) -> None:
        """Refuse integers that may be the id of one record and are the natural key of another.

        :raises InvalidInput: with both spellings.
        """
        numbers = [reference for reference in references if is_number(reference)]
        wrong = []
        for kind in (KINDS[name] for name in dict.fromkeys(reference.target for reference in numbers)):
            mine = [reference for reference in numbers if reference.target == kind.name and kind.labels]
            ways = [by_name(kind, str(reference.written)) for reference in mine]
            found = self._find_active(kind, ways) if ways else []
            words = (why_two(*pair, self.path_of) for pair in zip(mine, found, strict=True))
            wrong += [f"{at(reference)}{why}" for reference, why in zip(mine, words, strict=True) if why]
        if wrong:
            raise InvalidInput(wrong)

    def records_of(self, references: Iterable[Reference], only_for_names: bool = False) -> dict[Reference, Record]:
        """Return the records of resolved references. Records that were not read yet are read by uuid or id.

        :param only_for_names: skip records that would take too many requests.
        """
        wanted = list(references)
        found: dict[Reference, Record] = {}
        for target in dict.fromkeys(reference.target for reference in wanted if reference.resolved):
            mine = [(reference, reference.uuid or reference.id) for reference in wanted if reference.target == target]
            marks = {reference: mark for reference, mark in mine if mark is not None}
            records = self._marked(KINDS[target], marks.values(), only_for_names)
            found |= {reference: records[mark] for reference, mark in marks.items() if mark in records}
        return found

    def completed(self, reference: Reference) -> Reference:
        """Return a reference, completed from the records that were read. Nothing is sent."""
        record = self._known(reference)
        return reference if record is None else with_target(reference, record)

    def name_of(self, reference: Reference) -> str | None:
        """Return the natural key of a referenced record, if it was read."""
        record = self._known(reference)
        name = None if record is None else next(iter(natural_keys.written_names(record, self._known)), None)
        # The name of a room may not be unique, so name it with its location or not at all.
        return name if name is None or record is None or not record.kind.parent or "/" in name else None

    def read_names(self, references: Iterable[Reference]) -> None:
        """Read records and their parents, so that their natural keys are known. The others stay unnamed."""
        try:
            records = self.records_of(references, only_for_names=True).values()
            places = [place for record in records if (place := natural_keys.parent_of(record)) is not None]
            self.records_of(places, only_for_names=True)
        except SeventhingsError:
            # The change matters more to the user than the names in its diff.
            return

    def _known(self, reference: Reference) -> Record | None:
        """Return the target of a reference, if it was read."""
        kind, mark = KINDS[reference.target], reference.uuid or reference.id
        return None if mark is None else self._read_with(kind, mark)

    def with_uuid(self, references: Iterable[Reference]) -> dict[Reference, Record]:
        """Return the records of references by integer id, for bodies that accept only uuids.

        :raises NoMatch: if an id has no record.
        """
        by_id = [reference for reference in references if reference.uuid is None and reference.id is not None]
        missing = self._without_target(by_id)
        if missing:
            raise NoMatch(missing, is_final=True)
        return self.records_of(by_id)

    def _without_target(self, references: Sequence[Reference]) -> list[str]:
        """Return a sentence about each resolved reference whose target does not exist or has no uuid.

        :raises InvalidInput: for an integer that is the natural key of a record.
        """
        found = self.records_of(references)
        missing = [reference for reference in references if reference not in found or not found[reference].uuid]
        self.check_numbers(missing)
        return [
            f"{at(reference)}There is no {KINDS[reference.target].words} with the {identity_of(reference)}"
            f"{perhaps_hidden(KINDS[reference.target])}."
            for reference in missing
        ]

    def missing_halves(self, pairs: Iterable[tuple[Any, Any]]) -> dict[Reference, Record]:
        """Return the targets of the wanted references that give only an id where the instance returns only a uuid.

        The reverse is included. A wanted value can be compared with the current value only if its target is known.

        :param pairs: wanted and current values, each with any number of references in it.
        """
        nameless: list[Reference] = []
        halves: list[Reference] = []
        for wanted, current in pairs:
            have = list(references_in(current))
            for reference in references_in(wanted):
                if is_text_renter(current) and not reference.names:
                    nameless.append(reference)
                elif any(reference.same(other) is None for other in have):
                    halves.append(reference)
        halves = [reference for reference in halves if reference.resolved]
        return self.records_of([*nameless, *halves]) | self.with_uuid(halves)

    # ---- references as people write them

    def resolve(self, references: Iterable[Reference]) -> dict[Reference, Record]:
        """Return the records that references by natural key or map mean.

        :raises NoMatch: or ``Ambiguous``, naming candidates; ``InvalidInput`` for a map whose values do not fit.
        """
        wanted = list(references)
        found = resolve(wanted, self)
        if any(problem.reference.written in problem.nearest for problem in found.unresolved):
            # The suggestions were read later and contain the name: the record was created in between. Read lists again.
            self._lists.clear()
            self._narrowed.clear()
            found = resolve(wanted, self)
        unresolved = found.unresolved
        unfit = [_words_of(problem) for problem in unresolved if problem.why is Why.UNFIT]
        if unfit:
            raise InvalidInput(unfit)
        for problem in unresolved:
            if problem.why is Why.AMBIGUOUS:
                raise Ambiguous(f"{_words_of(problem)}. Expected exactly one; {_TELL_APART}.")
        words = [_words_of(problem) for problem in unresolved]
        # If the account can't see the records with that name, the target may exist.
        is_hidden = any(problem.is_explained for problem in unresolved)
        if words and (not self._allow_missing or is_hidden):
            raise NoMatch(words, is_hidden)
        if words and self._names_missing:
            self.require(item.reference for lookup in found.lookups for item in inside(lookup))
        self.warnings += [self._not_yet(problem) for problem in unresolved]
        return found.targets

    def find_by_fields(self, kind: Kind, written: str | Mapping[str, Any]) -> Record:
        """Return the one record of a kind without references. If several tasks have one title, the open one counts.

        :param written: a map of fields, or the first field of its natural key.
        :raises NoMatch: if there is none; ``Ambiguous`` if there are several; ``InvalidInput`` if a value does not fit
            its field.
        """
        name, schema = kind.match_on[0][0], self.schema(kind)
        wanted = {name: written} if isinstance(written, str) else written
        desired, findings = schema.parse(wanted, f"{kind.name}: ")
        if findings.errors or findings.unknown:
            raise InvalidInput([*findings.errors, *findings.unknown])
        targets = self.resolve(references_in(tuple(desired.values())))
        desired = {key: with_targets(value, targets) for key, value in desired.items()}
        [found] = self.find(kind, [[Question(schema, tuple(desired), desired)]])
        hits = natural_keys.targets_by_status(kind, found, None, lambda _record: False)
        in_words = natural_keys.describe(schema, desired, desired)
        hit = natural_keys.only_record(kind, in_words, hits, advice="give the uuid, or a map that tells them apart")
        if hit is not None:
            return hit
        candidates = self.read_of(kind)
        if kind.has_own_fields:
            field_visibility_by(self._client, schema, candidates, {}, desired).check_written(desired)
        named = [record.flat.get(schema.fields[name].wire_key) for record in candidates if name in schema.fields]
        names = [value for value in named if isinstance(value, str)]
        nearest = closest_names(str(wanted.get(name)), names, MOST_NAMED, ROUGH)
        hint = f" The nearest are {', '.join(map(repr, nearest))}." if nearest else ""
        raise NoMatch(f"There is no {kind.words} with {in_words}{perhaps_hidden(kind)}.{hint}")

    def require(self, references: Iterable[Reference]) -> None:
        """Check that references by id or uuid have targets, because in check mode no service refuses them.

        :raises NoMatch: for a reference without a target.
        """
        written = [reference for reference in references if reference.resolved and reference.written is not None]
        try:
            missing = self._without_target(written)
        except PermissionMissing as refused:
            self.warnings.append(f"It was not checked whether all references have targets. ({refused.message})")
            return
        if missing:
            # An earlier task of the play may create a record, but nobody can know its id beforehand.
            raise NoMatch(missing, is_final=True)

    def _not_yet(self, problem: Unresolved) -> str:
        """Return why a reference has no target if an earlier task may create the target."""
        if problem.why is not Why.UNKNOWN_FIELD:
            return unless(_words_of(problem), "creates it")
        kind = KINDS[problem.reference.target]
        return f"{at(problem.reference)}reference to {kind.singular}: {self.schema(kind).not_yet(problem.name)}"


def _shared(ways: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]] | None:
    """Return the fields that all readings of a reference have in common, each with the values of all readings.

    A list can be narrowed by these fields. Return None if there is no reading.
    """
    if not ways:
        return None
    return {key: [way[key] for way in ways] for key in ways[0] if all(key in way for way in ways)}


def _words_of(problem: Unresolved) -> str:
    """Return the problem of a reference in a sentence, with its place."""
    prefix = at(problem.reference)
    if problem.why in (Why.UNFIT, Why.UNKNOWN_FIELD):
        return f"{prefix}reference to {KINDS[problem.reference.target].singular}: {problem.words}"
    if problem.why is Why.AMBIGUOUS:
        return f"{prefix}{problem.words}"
    hint = f" The nearest are {', '.join(map(repr, problem.nearest))}." if problem.nearest else ""
    return f"{prefix}{problem.words[0].upper()}{problem.words[1:]}{problem.doubt}.{hint}"


def find_records(
    client: Client, kind: Kind, written: Mapping[str, Any], reading: Reading | None = None
) -> list[Record]:
    """Return the records that some options refer to, with one list for all of them.

    :param written: name of each option in a message, to the reference in it.
    :param reading: what was read before.
    :raises NoMatch: or ``Ambiguous``, or ``InvalidInput`` for an invalid reference.
    """
    references = [reference_in(option, kind.name, reference) for option, reference in written.items()]
    reading = reading or Reading(client)
    if kind.identity:
        targets = reading.resolve(references)
    else:
        named = [reference for reference in references if not reference.resolved]
        targets = {reference: reading.find_by_fields(kind, reference.written) for reference in named}
    references = [with_targets(reference, targets) for reference in references]
    reading.check_numbers(references)
    found = reading.records_of(references)
    missing = [reference for reference in references if reference not in found]
    if missing:
        words = [
            f"{at(reference)}There is no {kind.words} with the {identity_of(reference)}{perhaps_hidden(kind)}."
            for reference in missing
        ]
        # An earlier task of the play may create the record, but nobody can know its id beforehand.
        raise NoMatch(words, is_final=True)
    return [found[reference] for reference in references]


def find_record(client: Client, kind: Kind, written: Any) -> Record:
    """Return the record of the option named after its kind. Errors as in :func:`find_records`."""
    return find_records(client, kind, {kind.name: written})[0]


def find_by_barcode(client: Client, schema: Schema, barcode: str) -> Record | None:
    """Return the record with this barcode, even if it is archived and no list shows it, or None."""
    key = schema.kind.barcode_key
    for spelling in natural_keys.spellings(barcode):
        found = client.get_by_barcode(schema.kind, spelling)
        if found is not None and natural_keys.identified(schema, [key], {key: barcode}, [found]):
            return found
    return None
