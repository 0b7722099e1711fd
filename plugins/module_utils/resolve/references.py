# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolve references as a person wrote them.

:func:`resolve` knows how references are written. An index finds the records: one index sends narrow requests, another
has complete lists and what a plan will add to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, NamedTuple, Protocol, TypeAlias

from ..client.record import Record
from ..errors import Ambiguous, InvalidInput
from ..model.field import Field, InvalidValue, edge_blanks, shorten
from ..model.kinds import KINDS, Kind
from ..model.schema import Schema, cause_of
from ..model.suggestions import MOST_NAMED, ROUGH, closest_names
from ..model.types_composite import is_called
from ..model.types_links import Reference, parse_reference, references_in, with_references
from . import natural_keys
from .field_visibility import perhaps_hidden

#: The order in which kinds are resolved: locations come first, because rooms are found by their location.
_ORDER = tuple(kind for kind in KINDS.values() if kind.identity)


class Question(NamedTuple):
    """One way to read a reference: fields that identify a record, and their values."""

    schema: Schema
    keys: tuple[str, ...]
    values: Mapping[str, Any]


#: The target of a reference: a record, or an entry that is still to be created.
Target: TypeAlias = Any


class Index(Protocol):
    """The index that finds the targets of references."""

    def schema(self, kind: Kind) -> Schema:
        """Return the fields of a kind."""

    def find(self, kind: Kind, questions: Sequence[Sequence[Question]]) -> list[list[Target]]:
        """Return the possible targets of each reference, by all ways to read it."""

    def why_removed(self, kind: Kind, questions: Sequence[Question], written: Any) -> str:
        """Return why a reference has lost its target; empty if no reason is known."""

    def why_unknown(self, reference: Reference) -> str:
        """Return why a reference by id or uuid has no target; empty if it may have a target."""

    def names(self, kind: Kind) -> list[str]:
        """Return the names of the records of a kind, for a message; none if they cost too much."""

    def path_of(self, record: Record) -> str | None:
        """Return the name of a record with that of its place, for a message; None if it must not or can't be named."""


#: The reason why a reference is not resolved.
Why = Enum("Why", "MISSING AMBIGUOUS UNFIT UNKNOWN_FIELD")


@dataclass(frozen=True)
class Unresolved:
    """A reference with no target, or with several possible targets.

    :ivar words: what is wrong, as a sentence that begins with a small letter and has no full stop.
    :ivar name: of a map, the member that the words are about.
    :ivar nearest: existing names that are similar to the written name.
    :ivar is_explained: True if the index knows why it has no target, or if no record can get its name.
    :ivar cause: the words without the name, equal for all references with one cause; empty: ``words``.
    :ivar doubt: why the target may exist all the same, in parentheses; empty if it can't.
    """

    reference: Reference
    why: Why
    words: str
    name: str = ""
    nearest: tuple[str, ...] = ()
    is_explained: bool = False
    cause: str = field(default="", compare=False)
    doubt: str = field(default="", compare=False)


@dataclass(eq=False)
class Lookup:
    """A reference with its outcome.

    :ivar values: the members of the map that it was written as.
    :ivar inner: the references in them, by member.
    :ivar target: its target; None if it has none, or if it was resolved before.
    """

    reference: Reference
    schema: Schema | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    inner: list[tuple[str, Lookup]] = field(default_factory=list)
    target: Target = None
    problems: list[Unresolved] = field(default_factory=list)
    is_waiting: bool = False
    has_failed: bool = False


@dataclass(frozen=True)
class Resolution:
    """The outcome for some references.

    :ivar lookups: the references as given.
    :ivar unresolved: all problems, including those of references in maps.
    """

    lookups: Sequence[Lookup]
    unresolved: Sequence[Unresolved]

    @property
    def targets(self) -> dict[Reference, Target]:
        """The target of each reference that was resolved now."""
        return {item.reference: item.target for item in self.lookups if item.target is not None}


def inside(lookup: Lookup) -> Iterator[Lookup]:
    """Yield the references in the map that a reference was written as, at any depth."""
    for _key, inner in lookup.inner:
        yield inner
        yield from inside(inner)


def resolve(references: Iterable[Reference], index: Index) -> Resolution:
    """Find the targets of references, and of the references in their maps.

    If a value in a map does not fit, nothing is looked up.
    """
    return _Resolver(index).run(references)


class _Resolver:
    def __init__(self, index: Index) -> None:
        self._index = index
        self._all: list[Lookup] = []
        self._unresolved: list[Unresolved] = []

    def run(self, references: Iterable[Reference]) -> Resolution:
        lookups = [Lookup(reference) for reference in references]
        self._all += lookups
        for item in self._all:
            # _read appends the references inside a map to this list.
            self._read(item)
        if not any(problem.why is Why.UNFIT for problem in self._unresolved):
            self._resolve_all()
        return Resolution(lookups, self._unresolved)

    def _note(self, lookup: Lookup, problems: list[Unresolved]) -> None:
        lookup.problems = problems
        lookup.has_failed = bool(lookup.problems)
        self._unresolved += lookup.problems

    def _resolve_all(self) -> None:
        places = self._places(item.reference for item in self._all if item.is_waiting)
        while waiting := [item for item in self._all if item.is_waiting]:
            for kind in _ORDER:
                ready = [
                    item
                    for item in waiting
                    if item.reference.target == kind.name and not any(inner.is_waiting for _key, inner in item.inner)
                ]
                if not (ready or places):
                    continue
                for item in ready:
                    item.is_waiting = False
                    # Don't look up a reference whose map contains an unresolved reference.
                    item.has_failed = any(inner.has_failed for _key, inner in item.inner)
                self._resolve_kind(kind, [item for item in ready if not item.has_failed], places)

    def _read(self, lookup: Lookup) -> None:
        reference = lookup.reference
        if reference.pending is not None:
            return
        if reference.resolved:
            words = self._index.why_unknown(reference)
            self._note(lookup, [Unresolved(reference, Why.MISSING, words, cause=cause_of(words))] if words else [])
            return
        if isinstance(reference.written, Mapping):
            self._note(lookup, self._read_map(lookup, reference.written))
        lookup.is_waiting = not lookup.has_failed

    def _read_map(self, lookup: Lookup, written: Mapping[str, Any]) -> list[Unresolved]:
        reference = lookup.reference
        kind = KINDS[reference.target]
        schema = natural_keys.identity_of(kind)
        if not set(written) <= set(schema.fields):
            schema = self._index.schema(kind)
        values, findings = schema.parse(written, "")
        problems = [Unresolved(reference, Why.UNFIT, words, str(words.way[0])) for words in findings.errors]
        # Only field definitions, or records that create their fields, can add an unknown field.
        why = Why.UNKNOWN_FIELD if kind.template or kind.open_fields else Why.UNFIT
        problems += [Unresolved(reference, why, words, str(words.way[0])) for words in findings.unknown]
        if not problems:
            head = f"{at(reference)}reference to {kind.singular}: "
            lookup.schema = schema
            lookup.values = {
                key: with_references(
                    value, lambda reference: replace(reference, location=f"{head}{reference.location}")
                )
                for key, value in values.items()
            }
            lookup.inner = [
                (key, Lookup(reference)) for key, value in lookup.values.items() for reference in references_in(value)
            ]
            self._all += [inner for _key, inner in lookup.inner]
        return problems

    # ---- one kind at a time

    def _places(self, references: Iterable[Reference]) -> dict[str, list[Reference]]:
        """Return the names of places in paths. They are resolved with their kind."""
        paths = [
            reference.written
            for reference in references
            if reference.target in _INSIDE and isinstance(reference.written, str)
        ]
        return {place: [] for path in paths for place, _label in natural_keys.path_splits(path)}

    def _resolve_kind(self, kind: Kind, references: Sequence[Lookup], places: dict[str, list[Reference]]) -> None:
        questions = [list(self._questions(kind, reference, places)) for reference in references]
        names = list(places) if kind.name in _PLACES else []
        all_questions = [*questions, *(by_name(kind, name) for name in names)]
        if not all_questions:
            return
        found = self._index.find(kind, all_questions)
        for name, hits in zip(names, found[len(references) :], strict=True):
            places[name] = [with_target(Reference(kind.name), hit) for hit in hits]
        for reference, ways, hits in zip(references, questions, found[: len(references)], strict=True):
            if len(hits) == 1:
                reference.target = hits[0]
            else:
                self._note(reference, [self._problem(kind, reference.reference, ways, hits)])

    def _questions(self, kind: Kind, lookup: Lookup, places: Mapping[str, list[Reference]]) -> Iterator[Question]:
        """Yield every way to read a reference."""
        if lookup.schema is not None:
            targets = {inner.reference: inner.target for _key, inner in lookup.inner if inner.target is not None}
            values = {key: with_targets(value, targets) for key, value in lookup.values.items()}
            yield Question(lookup.schema, tuple(values), values)
            return
        text = str(lookup.reference.written)
        if not kind.parent_key:
            yield from by_name(kind, text)
            return
        schema, inside = natural_keys.identity_of(kind), kind.parent_key
        for name, label in natural_keys.path_splits(text):
            for place in places[name]:
                for key in kind.labels:
                    yield Question(schema, (inside, key), {inside: place, key: label})
        if "/" not in text:
            yield from by_name(kind, text)

    def _problem(
        self, kind: Kind, reference: Reference, questions: Sequence[Question], hits: Sequence[Target]
    ) -> Unresolved:
        if hits:
            marks = ", ".join(_marks(hits, self._index.path_of if kind.parent else None, reference.written))
            words = f"{len(hits)} {kind.plural} have the natural key {reference.written!r}: {marks}"
            return Unresolved(reference, Why.AMBIGUOUS, words)
        why_removed = self._index.why_removed(kind, questions, reference.written) or self._why_place_removed(
            kind, reference
        )
        if why_removed:
            return Unresolved(reference, Why.MISSING, why_removed, is_explained=True)
        words = f"there is no {kind.words} {reference.written!r}"
        cause = f"there is no such {kind.words}"
        if "email" in kind.labels and isinstance(reference.written, str) and "@" not in reference.written:
            words, cause = f"{words}; expected an e-mail address", f"{cause}; expected an e-mail address"
        is_impossible = False
        for part in _parts(kind, reference.written):
            if blanks := edge_blanks(part):
                is_impossible = True
                words, cause = f"{words}; {part!r} {blanks}", f"{cause}; its name has a part that {blanks}"
        suggestions = self._nearest(kind, reference.written)
        doubt = perhaps_hidden(kind)
        return Unresolved(reference, Why.MISSING, words, "", suggestions, is_impossible, cause, doubt)

    def _why_place_removed(self, kind: Kind, reference: Reference) -> str:
        """Return why the place in a path has no target, if known."""
        splits = list(natural_keys.path_splits(reference.written)) if isinstance(reference.written, str) else []
        if not kind.parent_key or not splits:
            return ""
        parent, place = KINDS[kind.parent], splits[0][0]
        return self._index.why_removed(parent, by_name(parent, place), place)

    def _nearest(self, kind: Kind, written: Any) -> tuple[str, ...]:
        names = self._index.names(kind) if isinstance(written, str) else []
        if not names:
            return ()
        suggestions = closest_names(written, names, MOST_NAMED, ROUGH)
        if kind.parent_key:
            suggestions = suggestions or closest_names(written.rpartition("/")[2], names, MOST_NAMED, ROUGH)
        return tuple(suggestions)


def is_number(reference: Reference) -> bool:
    """Return True if a reference was written as an integer alone."""
    return isinstance(reference.written, int) and not isinstance(reference.written, bool)


def why_two(
    reference: Reference, hits: Sequence[Target], path_of: Callable[[Record], str | None], target: Record | None = None
) -> str:
    """Say that an integer may be the id of one record and is the natural key of another; empty if it is not.

    :param hits: the records with the text of the integer in their natural key. :param target: the record with the id.
    """
    number, kind = reference.written, KINDS[reference.target]
    own = with_target(reference, target)
    others = [hit for hit in hits if not (isinstance(hit, Record) and (hit.id == own.id or hit.uuid == own.uuid))]
    if not others:
        return ""
    meaning = f"{number} means an id, but is also the natural key of {kind.singular}"
    if target is not None:
        named = f"{kind.words} {(path_of(target) or target.uuid)!r} ({target.uuid})"
        meaning = f"{number} is the id of the {named} and the natural key of another {kind.words}"
    return (
        f"{meaning} ({', '.join(_marks(others, path_of, number))}); write {{id: {number}}} if you mean the id, "
        f"or {str(number)!r} in quotes if you mean the name"
    )


def _marks(hits: Sequence[Target], path_of: Callable[[Record], str | None] | None, written: Any) -> list[str]:
    """Return what tells records apart in a message: their paths, or else their uuids, or where they are written."""
    records = [hit for hit in hits if isinstance(hit, Record)]
    paths = [path_of(record) if path_of else None for record in records]
    marks = [
        repr(path) if path != str(written) and paths.count(path) == 1 and path else record.uuid
        for record, path in zip(records, paths, strict=True)
    ]
    return [*sorted(marks), *(f"the one at {hit.place}" for hit in hits if not isinstance(hit, Record))]


#: The names of the kinds whose records are inside other records.
_INSIDE = {kind.name for kind in _ORDER if kind.parent}

#: The names of the kinds whose records have other records inside.
_PLACES = {kind.parent for kind in _ORDER if kind.parent}


def _parts(kind: Kind, written: Any) -> list[str]:
    """Return the texts in a written reference: the values of a map, the parts of a path, or the text itself."""
    if isinstance(written, Mapping):
        return [text for text in written.values() if isinstance(text, str)]
    return written.split("/") if kind.parent_key else [written]


def by_name(kind: Kind, name: str) -> list[Question]:
    """Return the questions for the record with a natural key of one text."""
    return [Question(natural_keys.identity_of(kind), (key,), {key: name}) for key in kind.labels]


def with_target(reference: Reference, target: Target) -> Reference:
    """Return a reference to a target: with the identity of a record, or awaiting an entry to create."""
    if not isinstance(target, Record):
        return replace(reference, pending=target)
    known: dict[str, Any] = {"uuid": target.uuid or None, "id": target.id, "names": names_of(target)}
    if target.kind.is_named_in_texts:
        name = target.flat.get("display_name")
        known["email"] = str(target.flat.get("email") or "") or None
        known["display_name"] = reference.display_name or (name if isinstance(name, str) and name else None)
    return replace(reference, **known)


def with_targets(value: Any, targets: Mapping[Reference, Target]) -> Any:
    """Return a canonical value whose references have their targets, as far as these are known."""
    return with_references(
        value, lambda reference: with_target(reference, targets[reference]) if reference in targets else reference
    )


def reference_in(option: str, target: str, written: Any) -> Reference:
    """Return the reference in an option.

    :param target: kind of record.
    :raises InvalidInput: for an invalid reference.
    """
    try:
        reference: Reference = parse_reference(target)(written, Field(option, "LINK"))
    except InvalidValue as unfit:
        raise InvalidInput(f"{option}: {shorten(written)} does not fit; expected {unfit}") from unfit
    kind = KINDS[target]
    if reference.id is not None and not reference.uuid and not kind.identity:
        raise InvalidInput(f"{option}: {shorten(written)} does not fit; {kind.singular} has no integer id")
    return replace(reference, location=option)


def means(reference: Reference, record: Record) -> bool:
    """Return True if a resolved reference means a record."""
    return reference.uuid == record.uuid or (reference.id is not None and reference.id == record.id)


def identity_of(reference: Reference) -> str:
    """Return the uuid or the id of a resolved reference in words."""
    return f"uuid {reference.uuid}" if reference.uuid else f"id {reference.id}"


def at(reference: Reference) -> str:
    """Return the place of a reference, as the beginning of a message about it."""
    return f"{reference.location}: " if reference.location else ""


# ---- what instances answer in place of a link


def names_of(record: Record) -> tuple[str, ...]:
    """Return the names of a user, because an instance may return a name instead of a link. Other kinds have none."""
    if not record.kind.is_named_in_texts:
        return ()
    shown = record.flat.get("display_name")
    full = f"{record.flat.get('firstname') or ''} {record.flat.get('lastname') or ''}".strip()
    names = [record.flat.get("email"), full, *(shown if isinstance(shown, list) else [shown])]
    return tuple(str(name) for name in names if name)


def is_text_renter(current: Any) -> bool:
    """Return True if a value is a renter that an instance returned only as a text."""
    return isinstance(current, tuple) and current[:1] == ("text",)


def renter_of(text: str, users: Iterable[Record]) -> tuple[str, Any]:
    """Return the renter that a text of an instance means: one of its users, or a written name.

    :raises Ambiguous: if it may mean more than one user.
    """
    candidates = [Reference("user", user.id, user.uuid, names=names_of(user)) for user in users]
    called = [user for user in candidates if is_called(user, text)]
    if len(called) > 1:
        raise Ambiguous(
            f"renter: {text!r} may mean {len(called)} users, and the instance does not say which; write renter."
        )
    return ("user", called[0]) if called else ("plain", text)
