# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""References as a person wrote them: what each of them means.

The resolver knows how references are written. Where the records come from is the business of a source: one asks the
service narrow questions, another one holds complete lists and what a plan will add to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, NamedTuple, Protocol

from ..client.client import Record
from ..errors import Ambiguous, InvalidInput
from ..model.field import Field, InvalidValue, edge_blanks, shorten
from ..model.kinds import KINDS, Kind
from ..model.schema import Schema, cause_of
from ..model.types_composite import is_called
from ..model.types_links import Reference, parse_reference, references_in
from . import natural_keys
from .sight import perhaps_unseen

_ORDER = tuple(kind for kind in KINDS.values() if kind.identity)
"""Rooms are found by their location, so locations come first."""


class Question(NamedTuple):
    """One way to read a reference: fields that identify a record, and their values."""

    schema: Schema
    keys: tuple[str, ...]
    values: Mapping[str, Any]


class Source(Protocol):
    """The source in which a resolver finds the records that references mean."""

    def schema(self, kind: Kind) -> Schema:
        """The fields that a kind has."""

    def find(self, kind: Kind, questions: Sequence[Sequence[Question]]) -> list[list[Any]]:
        """Finds what each reference may mean, by all ways to read it: records, or entries that are still to be made."""

    def why_gone(self, kind: Kind, questions: Sequence[Question], written: Any) -> str:
        """The reason why a reference means nothing any more that meant something before; empty where none is known."""

    def why_unknown(self, reference: Reference) -> str:
        """The reason why a reference by id or uuid means nothing; empty where it may mean something."""

    def names(self, kind: Kind) -> list[str]:
        """The names of the records of a kind, for a message; none where it is not worth their price."""


class Why(Enum):
    """The reason why a reference is not resolved."""

    MISSING = auto()
    AMBIGUOUS = auto()
    UNFIT = auto()
    UNKNOWN_FIELD = auto()


@dataclass(frozen=True)
class Unresolved:
    """A reference that means nothing, or several.

    :ivar words: what is wrong, as a sentence that begins with a small letter and has no full stop.
    :ivar name: of a map, the member that the words are about.
    :ivar near: names that come nearest to the one that was written.
    :ivar is_explained: whether the source knows why it means nothing.
    :ivar cause: the words without the name, equal for all references with one cause; empty: ``words``.
    """

    reference: Reference
    why: Why
    words: str
    name: str = ""
    near: tuple[str, ...] = ()
    is_explained: bool = False
    cause: str = field(default="", compare=False)


class Resolver:
    """Resolves references among the records of a source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        # The keys are identities (id()) of references. Each reference is kept, so that no other one gets its identity.
        self._maps: dict[int, tuple[Reference, Schema, dict[str, Any]]] = {}

    def resolve(self, references: Iterable[Reference]) -> list[Unresolved]:
        """Fills in the meaning of references: ``uuid`` and ``id`` of a record, or ``awaits`` for an entry that is still
        to be made.

        References in the maps of others are resolved, too. Where a value in a map does not fit, nothing is looked for.

        :returns: those that mean nothing, or several.
        """
        waiting, unresolved = self._with_those_in_maps(references)
        if any(one.why is Why.UNFIT for one in unresolved):
            return unresolved
        failed = {id(one.reference) for one in unresolved}
        places = self._places(waiting.values())
        while waiting:
            for kind in _ORDER:
                ready = [
                    one
                    for one in waiting.values()
                    if one.target == kind.name and not any(id(inner) in waiting for _key, inner in self.inner(one))
                ]
                if not (ready or places):
                    continue
                for one in ready:
                    del waiting[id(one)]
                whole = [one for one in ready if not any(id(inner) in failed for _key, inner in self.inner(one))]
                # A reference that holds an unresolved one is not looked for.
                failed |= {id(one) for one in ready} - {id(one) for one in whole}
                problems = self._resolve_kind(kind, whole, places)
                failed |= {id(one.reference) for one in problems}
                unresolved += problems
        return unresolved

    def inner(self, reference: Reference) -> list[tuple[str, Reference]]:
        """The references in the map that a reference was written as, each with the member that it is in."""
        _own, _schema, values = self._maps.get(id(reference), (None, None, {}))
        return [(key, inner) for key, value in values.items() for inner in references_in(value)]

    def _with_those_in_maps(self, references: Iterable[Reference]) -> tuple[dict[int, Reference], list[Unresolved]]:
        """References that are to be resolved, with those in the maps of others, and those that can't be."""
        waiting: dict[int, Reference] = {}
        unresolved: list[Unresolved] = []
        to_read = list(references)
        for one in to_read:
            if one.awaits is not None:
                continue
            if one.resolved:
                words = self._source.why_unknown(one)
                unresolved += [Unresolved(one, Why.MISSING, words, cause=cause_of(words))] if words else []
                continue
            if isinstance(one.written, Mapping):
                problems = self._read_map(one, one.written)
                unresolved += problems
                if problems:
                    continue
                to_read += [inner for _key, inner in self.inner(one)]
            waiting[id(one)] = one
        return waiting, unresolved

    def _read_map(self, reference: Reference, written: Mapping[str, Any]) -> list[Unresolved]:
        kind = KINDS[reference.target]
        schema = natural_keys.identity_of(kind)
        if not set(written) <= set(schema.fields):
            schema = self._source.schema(kind)
        values, findings = schema.parse(written, "")
        problems = [Unresolved(reference, Why.UNFIT, words, str(words.way[0])) for words in findings.errors]
        # Only where definitions or records make the fields may an unknown one come into being.
        why = Why.UNKNOWN_FIELD if kind.template or kind.open_fields else Why.UNFIT
        problems += [Unresolved(reference, why, words, str(words.way[0])) for words in findings.unknown]
        if not problems:
            self._maps[id(reference)] = (reference, schema, values)
            for _key, inner in self.inner(reference):
                inner.location = f"{at(reference)}reference to {kind.one}: {inner.location}"
        return problems

    # ---- one kind at a time

    def _places(self, waiting: Iterable[Reference]) -> dict[str, list[Reference]]:
        """The names of places in paths; what they mean is filled in with their kind."""
        paths = [one.written for one in waiting if one.target in _INSIDE and isinstance(one.written, str)]
        return {place: [] for path in paths for place, _label in natural_keys.path_splits(path)}

    def _resolve_kind(
        self, kind: Kind, references: Sequence[Reference], places: dict[str, list[Reference]]
    ) -> list[Unresolved]:
        questions = [list(self._questions(kind, one, places)) for one in references]
        names = list(places) if kind.name in _PLACES else []
        asked = [*questions, *(_by_name(kind, name) for name in names)]
        if not asked:
            return []
        found = self._source.find(kind, asked)
        for name, hits in zip(names, found[len(references) :], strict=True):
            places[name] = [_reference_to(kind, hit) for hit in hits]
        return [
            problem
            for one, ways, hits in zip(references, questions, found[: len(references)], strict=True)
            for problem in self._settle(kind, one, ways, hits)
        ]

    def _questions(self, kind: Kind, reference: Reference, places: Mapping[str, list[Reference]]) -> Iterator[Question]:
        """Every way to read a reference."""
        if id(reference) in self._maps:
            _own, schema, values = self._maps[id(reference)]
            yield Question(schema, tuple(values), values)
            return
        text = str(reference.written)
        if not kind.parent_key:
            yield from _by_name(kind, text)
            return
        schema, inside = natural_keys.identity_of(kind), kind.parent_key
        for name, label in natural_keys.path_splits(text):
            for place in places[name]:
                for key in kind.labels:
                    yield Question(schema, (inside, key), {inside: place, key: label})
        if "/" not in text:
            yield from _by_name(kind, text)

    def _settle(
        self, kind: Kind, reference: Reference, questions: Sequence[Question], hits: Sequence[Any]
    ) -> list[Unresolved]:
        if len(hits) == 1:
            _fill(reference, hits[0])
            return []
        if hits:
            marks = sorted(hit.uuid for hit in hits if isinstance(hit, Record))
            marks += [f"the one at {hit.place}" for hit in hits if not isinstance(hit, Record)]
            words = f"{len(hits)} {kind.several} have the natural key {reference.written!r}: {', '.join(marks)}"
            return [Unresolved(reference, Why.AMBIGUOUS, words)]
        gone = self._source.why_gone(kind, questions, reference.written) or self._why_place_gone(kind, reference)
        if gone:
            return [Unresolved(reference, Why.MISSING, gone, is_explained=True)]
        words = f"there is no {kind.words} {reference.written!r}{perhaps_unseen(kind)}"
        cause = f"there is no such {kind.words}{perhaps_unseen(kind)}"
        for part in _parts(kind, reference.written):
            if blanks := edge_blanks(part):
                words, cause = f"{words}; {part!r} {blanks}", f"{cause}; its name has a part that {blanks}"
        near = self._near(kind, reference.written)
        return [Unresolved(reference, Why.MISSING, words, near=near, cause=cause)]

    def _why_place_gone(self, kind: Kind, reference: Reference) -> str:
        """Says why the place in a path means nothing any more, where something is known."""
        splits = list(natural_keys.path_splits(reference.written)) if isinstance(reference.written, str) else []
        if not kind.parent_key or not splits:
            return ""
        parent, place = KINDS[kind.parent], splits[0][0]
        return self._source.why_gone(parent, _by_name(parent, place), place)

    def _near(self, kind: Kind, written: Any) -> tuple[str, ...]:
        names = self._source.names(kind) if isinstance(written, str) else []
        if not names:
            return ()
        near = natural_keys.near_names(written, names)
        if kind.parent_key:
            near = near or natural_keys.near_names(written.rpartition("/")[2], names)
        return tuple(near)


_INSIDE = {kind.name for kind in _ORDER if kind.parent}
"""The names of the kinds of record that are inside of others."""

_PLACES = {kind.parent for kind in _ORDER if kind.parent}
"""The names of the kinds of record that others are inside of."""


def _parts(kind: Kind, written: Any) -> list[str]:
    """Return the texts that a written reference is made of: those of a map, those of a path, or itself."""
    if isinstance(written, Mapping):
        return [one for one in written.values() if isinstance(one, str)]
    return written.split("/") if kind.parent_key else [written]


def _by_name(kind: Kind, name: str) -> list[Question]:
    return [Question(natural_keys.identity_of(kind), (key,), {key: name}) for key in kind.labels]


def _reference_to(kind: Kind, hit: Any) -> Reference:
    reference = Reference(kind.name)
    _fill(reference, hit)
    return reference


def _fill(reference: Reference, hit: Any) -> None:
    """Notes the meaning of a reference: a record, or an entry that is still to be made."""
    if isinstance(hit, Record):
        fill_in(reference, hit)
    else:
        reference.awaits = hit


def fill_in(reference: Reference, record: Record) -> None:
    """Notes the record that a reference means."""
    reference.uuid, reference.id = record.uuid or None, record.id
    reference.names = names_of(record)
    if record.kind.is_named_in_texts:
        reference.email = str(record.flat.get("email") or "") or None
        name = record.flat.get("display_name")
        reference.display_name = reference.display_name or (name if isinstance(name, str) and name else None)


def reference_in(option: str, target: str, written: Any) -> Reference:
    """A reference that stands in an option of its own.

    :param target: kind of record that is meant.
    :raises InvalidInput: for what is no reference.
    """
    try:
        reference: Reference = parse_reference(target)(written, Field(option, "LINK"))
    except InvalidValue as unfit:
        raise InvalidInput(f"{option}: {shorten(written)} does not fit; expected {unfit}") from unfit
    reference.location = option
    return reference


def at(reference: Reference) -> str:
    """The place where a reference was written, to stand before a message about it."""
    return f"{reference.location}: " if reference.location else ""


# ---- what instances answer in place of a link


def names_of(record: Record) -> tuple[str, ...]:
    """The names of a user, which an instance may answer as a text in place of a link; of other kinds nothing."""
    if not record.kind.is_named_in_texts:
        return ()
    shown = record.flat.get("display_name")
    full = f"{record.flat.get('firstname') or ''} {record.flat.get('lastname') or ''}".strip()
    names = [record.flat.get("email"), full, *(shown if isinstance(shown, list) else [shown])]
    return tuple(str(name) for name in names if name)


def is_text_renter(current: Any) -> bool:
    """Tells whether a value is a renter that an instance answered as a text alone."""
    return isinstance(current, tuple) and current[:1] == ("text",)


def renter_of(text: str, users: Iterable[Record]) -> tuple[str, Any]:
    """The renter whom an instance means by a text: one of its users, or a name that was written.

    :raises Ambiguous: where it may mean more than one user.
    """
    meant = [Reference("user", user.id, user.uuid, names=names_of(user)) for user in users]
    called = [user for user in meant if is_called(user, text)]
    if len(called) > 1:
        raise Ambiguous(
            f"renter: {text!r} may mean {len(called)} users, and the instance does not say which; write renter."
        )
    return ("user", called[0]) if called else ("plain", text)
