# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The listed state of an instance: existing and planned records, and the references to them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY
from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.model.schema import FieldError, Misfit, Schema, cause_of
from ...module_utils.model.types_links import Reference, references_in, with_references
from ...module_utils.resolve import natural_keys, references
from ...module_utils.resolve.field_visibility import LIMITED, perhaps_hidden, why_unfound
from ...module_utils.resolve.hidden_records import NO, visibility
from ...module_utils.resolve.natural_keys import KeyIndex, normal_key
from .listed_records import ListedRecords

_MOST_HINTS = 20
_MOST_NAMES = 20_000


class Meaning(NamedTuple):
    """A reference, resolved as far as possible, and its problem, which is empty if there is none."""

    reference: Reference
    problem: str = ""


class ListedState(ListedRecords):
    """The listed records of an instance, the records that a plan adds, and what references to all of them mean.

    :param schema_of: as for :class:`ListedRecords`.
    :param is_hidden: returns True if the name of a record must not be shown.
    :ivar renamed: returns the new natural key of a record that the files rename, by its old one.
    :ivar old_names_used: how often a record was found by an old natural key.
    """

    def __init__(
        self,
        client: Client,
        schema_of: Callable[[Kind], Schema] | None = None,
        is_hidden: Callable[[Record], bool] = lambda _record: False,
    ) -> None:
        super().__init__(client, schema_of)
        self._is_hidden = is_hidden
        self._planned: dict[str, list[tuple[Schema, Mapping[str, Any], Any]]] = {}
        self._planned_by_key: dict[tuple[str, tuple[str, ...]], KeyIndex[Any]] = {}
        self._becoming: dict[str, Mapping[str, Any]] = {}
        self._to_create: dict[int, Mapping[str, Any]] = {}
        self._found: dict[int, Record | None] = {}
        self._names_to_be: dict[str, str | None] = {}
        self._resolved: dict[str, dict[str, Reference]] = {}
        self._hides: dict[int, bool] = {}
        self._hints = 0
        self._names: dict[str, list[tuple[str, Record]]] = {}
        self.renamed: Callable[[references.Question], references.Question | None] = lambda _question: None
        self.old_names_used = 0

    # ---- planned records

    def add_planned(self, schema: Schema, values: Mapping[str, Any], origin: Any) -> None:
        """Add a record that will have these values.

        :param origin: its source, which is the :class:`Record` if it exists.
        """
        if isinstance(origin, Record):
            # Most values equal the raw answer, and there are a great many of them.
            other = [field.key for field in schema.kind.identity if values.get(field.key) != origin.flat.get(field.key)]
            if any(key in values and key in schema.fields for key in other):
                self._becoming[origin.uuid] = values
                self._names_to_be.clear()
        else:
            self._to_create[id(origin)] = values
        self.add_other_name(schema, values, origin)

    def add_other_name(self, schema: Schema, values: Mapping[str, Any], origin: Any) -> None:
        """Add other values by which references may name a record."""
        name = schema.kind.name
        self._planned.setdefault(name, []).append((schema, values, origin))
        self._resolved.pop(name, None)
        for (kind, keys), index in self._planned_by_key.items():
            if kind == name:
                self._note(index, schema, keys, values, origin)

    def named_as(self, record: Record, key: str) -> Any:
        """Return a field by which others refer to a record, with its value after the plan."""
        return self._becoming.get(record.uuid, {}).get(key) or record.flat.get(key)

    def name_to_be(self, reference: Reference) -> str | None:
        """Return the natural key of a referenced record after the plan, or None if it has none.

        A slash inside a part of a path is escaped, so that rules can distinguish the parts.
        """
        uuid = reference.uuid
        if reference.pending is not None or uuid is None:
            return self._name_to_be(reference)
        if uuid not in self._names_to_be:
            self._names_to_be[uuid] = self._name_to_be(reference)
        return self._names_to_be[uuid]

    def _name_to_be(self, reference: Reference) -> str | None:
        kind = KINDS[reference.target]
        record = self.find(reference) if reference.pending is None else None
        if record is None and reference.pending is None:
            return None
        planned = (
            self._becoming.get(record.uuid, {})
            if record is not None
            else self._to_create.get(id(reference.pending), {})
        )
        have = natural_keys.identity_of(kind).read(record.flat) if record is not None else {}
        label = next((label for key in kind.labels if (label := planned.get(key) or have.get(key))), None)
        inside = planned.get(kind.parent_key) or have.get(kind.parent_key) if kind.parent_key else None
        if not isinstance(inside, Reference) or label is None:
            return None if kind.parent or label is None else str(label)
        head = self.name_to_be(inside)
        return path_of([head, str(label)]) if head else None

    def parent_to_be(self, reference: Reference) -> Reference | None:
        """Return the parent of a referenced record after the plan, or None if it is unknown."""
        record = self.find(reference) if reference.pending is None else None
        origin = id(reference.pending)
        planned = self._to_create.get(origin, {}) if record is None else self._becoming.get(record.uuid, {})
        parent = planned.get(KINDS[reference.target].parent_key)
        if parent is None and record is not None:
            return self.parent_of(record)
        return parent if isinstance(parent, Reference) else None

    def parent_of(self, record: Record) -> Reference | None:
        """Return the present parent of a record, or None if it is unknown."""
        place = self.place_of(record)
        return None if place is None else Reference(place.kind.name, id=place.id, uuid=place.uuid)

    def _still_has(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], record: Record) -> bool:
        """Return True if a record still has its natural key after the renames."""
        becoming = self._becoming.get(record.uuid)
        if becoming is None:
            return True
        after = {
            **natural_keys.read_some(schema, keys, record),
            **{key: becoming[key] for key in keys if key in becoming},
        }
        then, now = (normal_key(self.key_of(schema, keys, side)) for side in (after, values))
        return then == now

    def replace(self, kind: Kind, found: Mapping[int, Record | None]) -> None:
        """Note that planned records exist already.

        :param found: identity of a source to the record; None if that was not read, so that it is looked up.
        """
        self._found |= found
        self._planned[kind.name] = [
            (schema, values, found.get(id(origin), origin))
            for schema, values, origin in self._planned.get(kind.name, [])
            if found.get(id(origin), origin) is not None
        ]
        self._resolved.pop(kind.name, None)
        self._planned_by_key = {name: index for name, index in self._planned_by_key.items() if name[0] != kind.name}

    def _note(
        self, index: KeyIndex[Any], schema: Schema, keys: Sequence[str], values: Mapping[str, Any], origin: Any
    ) -> None:
        key = self.key_of(schema, keys, values) if all(key in schema.fields for key in keys) else None
        if key is not None:
            index.add(key, origin)

    def find_planned(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> list[Any]:
        """Return everything planned with the natural key of some values."""
        if schema.kind.name not in self._planned:
            return []
        name = (schema.kind.name, tuple(keys))
        if name not in self._planned_by_key:
            self._planned_by_key[name] = KeyIndex()
            for own, noted, origin in self._planned.get(schema.kind.name, ()):
                self._note(self._planned_by_key[name], own, keys, noted, origin)
        key = self.key_of(schema, keys, values)
        return self._planned_by_key[name].find(key) if key is not None else []

    # ---- references

    def known_name_of(self, reference: Reference) -> str | None:
        """Return the natural key of a referenced record, if the lists for it were read."""
        kind = KINDS[reference.target]
        if not self.is_listed(kind) or (kind.parent and not self.is_listed(KINDS[kind.parent])):
            return None
        record = self.find(reference)
        return None if record is None else self.name_of(record)

    def resolved(self, reference: Reference, before: bool = False) -> Meaning:
        """Resolve a reference in memory: to a record, or to an entry that is still to be created.

        :param before: use names as they are before anything is renamed.
        """
        if reference.pending is not None:
            record = self._found.get(id(reference.pending))
            return Meaning(
                reference if record is None else references.with_target(replace(reference, pending=None), record)
            )
        if reference.resolved:
            return self.look_up(reference, before)
        written = reference.written
        is_name = isinstance(written, str) and not before
        known = self._resolved.get(reference.target, {}) if is_name else {}
        if is_name and written in known:
            same = known[written]
            return Meaning(same if same.location == reference.location else replace(same, location=reference.location))
        [lookup] = references.resolve([reference], _Names(self, before)).lookups
        problem = _words_of(lookup, self._doubt)
        if lookup.target is not None:
            reference = references.with_target(reference, lookup.target)
            if is_name:
                # Matching a kind adds planned records, which clears this cache.
                self._resolved.setdefault(reference.target, {})[str(written)] = reference
        return Meaning(reference, problem)

    def put_resolved(self, values: dict[str, Any]) -> bool:
        """Put resolved references into some values, and return True if all are resolved."""
        resolved = {reference: self.resolved(reference) for reference in references_in(tuple(values.values()))}
        values |= {
            key: with_references(value, lambda reference: resolved[reference].reference)
            for key, value in values.items()
            if resolved
        }
        return not any(meaning.problem for meaning in resolved.values())

    def look_up(self, reference: Reference, before: bool = False) -> Meaning:
        """Return the meaning of a reference by id or uuid, which needs an existing record.

        An archived object is in no list.
        """
        kind = KINDS[reference.target]
        written = reference.written is not None
        if written or not reference.uuid:
            self.records(kind)
        if written and kind.parent:
            # A plan names the record, and its name begins with that of its place.
            self.records(KINDS[kind.parent])
        reference = self.completed(reference)
        if references.is_number(reference) and not before and (problem := self._why_two(reference)):
            return Meaning(reference, FieldError.at((), problem, misfit=Misfit(reference.written, problem)))
        if not written or self.find(reference) is not None:
            return Meaning(reference)
        record = self.read_unlisted(kind, reference.uuid) if kind.can_be_archived and reference.uuid else None
        if record is not None:
            return Meaning(references.with_target(reference, record))
        doubt = self._doubt(perhaps_hidden(kind))
        cause = Misfit(reference.written, f"there is no such {kind.words}{doubt}", is_unknown=True)
        problem = f"there is no {kind.words} with the {references.identity_of(reference)}{doubt}"
        return Meaning(reference, FieldError.at((), problem, misfit=cause))

    def _why_two(self, reference: Reference) -> str:
        """Say that an integer is the id of one record and the name of another; empty if it is not."""
        ways = references.by_name(KINDS[reference.target], str(reference.written))
        hits = {id(hit): hit for way in ways for hit in self.target_of(way, before=False)[0]}
        return references.why_two(reference, list(hits.values()), self.shown_name_of, self.find(reference))

    def _doubt(self, words: str) -> str:
        """Return why a missing record may exist, or an empty text if the lists prove that no record is hidden.

        :param words: of :func:`perhaps_hidden`.
        """
        if LIMITED not in words:
            return words
        lists = self._lists()
        if len(lists) not in self._hides:
            self._hides[len(lists)] = visibility(self.client, lists, read=None).hidden_records != NO
        return words if self._hides[len(lists)] else ""

    def target_of(self, question: references.Question, before: bool) -> tuple[list[Any], list[Record]]:
        """Find the targets of some fields, existing or planned, and separately the records that lose this natural key.

        :param before: use names as they are before anything is renamed.
        """
        schema, values, keys = question.schema, question.values, tuple(sorted(question.keys))
        # Empty values can't be looked up.
        empty = [key for key in keys if values[key] in EMPTY]
        full = tuple(key for key in keys if key not in empty)
        matches = self.find_existing(schema, full, values) if full else self.records(schema.kind)
        matches = natural_keys.identified(schema, empty, values, matches) if empty else matches
        kept = matches if before else [match for match in matches if self._still_has(schema, keys, values, match)]
        targets = [*kept, *self.find_planned(schema, keys, values)]
        if not targets and not before and (now := self.renamed(question)) is not None:
            targets = self.target_of(now, before)[0]
            self.old_names_used += bool(targets)
        return targets, [match for match in matches if match not in kept]

    def names(self, kind: Kind) -> list[str]:
        """Return the names of the records of a kind for a hint.

        The number of hints is limited, because each hint takes long.
        """
        self._hints += 1
        if self._hints > _MOST_HINTS:
            return []
        if kind.name not in self._names:
            names = ((name, record) for record in self.records(kind) for name in self._names_of(record))
            self._names[kind.name] = list(itertools.islice(names, _MOST_NAMES))
        return [name for name, record in self._names[kind.name] if not self._is_hidden(record)]

    def name_of(self, record: Record) -> str | None:
        """Return the natural key by which others refer to a record, or None if it has none."""
        return next(iter(self._names_of(record)), None)

    def shown_name_of(self, record: Record) -> str | None:
        """Return the name of a record for a message, or None if it has none that may be shown."""
        return None if self._is_hidden(record) else self.name_of(record)

    def _names_of(self, record: Record) -> list[str]:
        if record.kind.parent and self.place_of(record) is None:
            return []
        return natural_keys.written_names(record, self.find)


def path_of(parts: Iterable[str]) -> str:
    """Return the path of some parts, each with its slashes and backslashes escaped by a backslash."""
    return "/".join(re.sub(r"([/\\])", r"\\\1", part) for part in parts)


@dataclass(frozen=True)
class _Names:
    """Resolve references in complete lists and in what a plan adds to them.

    :ivar before: use names as they are before anything is renamed.
    """

    state: ListedState
    before: bool

    def schema(self, kind: Kind) -> Schema:
        return self.state.schema(kind)

    def find(self, _kind: Kind, questions: Sequence[Sequence[references.Question]]) -> list[list[Any]]:
        found = []
        for alternatives in questions:
            hits: dict[Any, Any] = {}
            for question in alternatives:
                for hit in self.state.target_of(question, self.before)[0]:
                    hits[hit.uuid if isinstance(hit, Record) else id(hit)] = hit
            found.append(list(hits.values()))
        return found

    def why_removed(self, kind: Kind, questions: Sequence[references.Question], written: Any) -> str:
        renamed = [record for question in questions for record in self.state.target_of(question, self.before)[1]]
        if not renamed:
            keys = {key for question in questions for key in question.keys}
            return why_unfound(kind, keys, self.state.records(kind), written)
        return f"{kind.words} {written!r} ({renamed[0].uuid}) is renamed by these files; write its new name"

    def why_unknown(self, reference: Reference) -> str:
        return self.state.look_up(reference, self.before).problem

    def names(self, kind: Kind) -> list[str]:
        return self.state.names(kind)

    def path_of(self, record: Record) -> str | None:
        return self.state.shown_name_of(record)


def _words_of(lookup: references.Lookup, doubt: Callable[[str], str]) -> str:
    """Return the problem of a reference and of the references in its map; empty if there is none."""
    reference = lookup.reference
    wrong = [_words_of_problem(problem, doubt(problem.doubt)) for problem in lookup.problems]
    if wrong and not wrong[0].way:
        return wrong[0]
    for key, inner in lookup.inner:
        problem = _words_of(inner, doubt)
        misfit = Misfit(inner.reference.written, cause_of(problem))
        wrong += [FieldError.at((key,), problem, misfit=misfit)] if problem else []
    if not wrong:
        return ""
    # A single wrong member of a map has its own place. Several are reported together.
    way = wrong[0].way if len(wrong) == 1 else ()
    about = f"reference to {KINDS[reference.target].singular}"
    cause = Misfit(reference.written, f"{about}: {'; '.join(map(cause_of, wrong))}")
    return FieldError.at(way, f"{about}: {'; '.join(wrong)}", misfit=cause)


def _words_of_problem(problem: references.Unresolved, doubt: str) -> FieldError:
    words = f"{problem.words}{doubt}"
    if problem.why is references.Why.AMBIGUOUS:
        words += "; expected exactly one"
    if problem.nearest:
        words += f"; the nearest are {', '.join(map(repr, problem.nearest))}"
    return FieldError.at(
        (problem.name,) if problem.name else (),
        words,
        misfit=Misfit(
            problem.reference.written,
            f"{problem.cause}{doubt}" if problem.cause else words,
            is_unknown=problem.why is references.Why.MISSING,
        ),
    )
