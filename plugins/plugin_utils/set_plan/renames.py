# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renames: match a record with an old natural key to the key that the files write now.

A rename stays in the files after it was applied, so that every instance follows. So the old key of a rename may be the
new key of an earlier rename. Until it is applied, other records in the files may refer to a record by its old name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.schema import Schema
from ...module_utils.resolve.natural_keys import Key, normal_key
from ...module_utils.resolve.references import Question
from ..desired.entry import Entry
from ..desired.hiding import NOT_SHOWN, VAULTED
from ..desired.positions import Place
from .aspect import Aspect
from .context import PlanContext
from .listed_state import ListedState
from .plan import Pair

Values = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class _Pair:
    """One rename with its natural keys as canonical values."""

    old: Values
    new: Values
    words: str
    place: Place


class _Renames:
    """The renames of one section by new key."""

    def __init__(self, state: ListedState, schema: Schema, pairs: Iterable[_Pair]) -> None:
        self._state = state
        self._schema = schema
        self.pairs: list[_Pair] = []
        self._to: dict[tuple[str, ...], dict[Key, _Pair]] = {}
        self._from: dict[tuple[tuple[str, ...], Key | None], _Pair] = {}
        for pair in pairs:
            names = tuple(pair.new)
            key = normal_key(state.key_of(schema, names, pair.new))
            old = tuple(pair.old), normal_key(state.key_of(schema, tuple(pair.old), pair.old))
            # The case of some keys and their Unicode form do not matter, so old and new may be the same key.
            if key is not None and old != (names, key):
                self.pairs.append(pair)
                self._to.setdefault(names, {}).setdefault(key, pair)
                self._from.setdefault(old, pair)

    def to(self, values: Values) -> _Pair | None:
        """Return the rename to the natural key of some values."""
        for names, pairs in self._to.items():
            key = normal_key(self._state.key_of(self._schema, names, values))
            if key in pairs:
                return pairs[key]
        return None

    def after(self, names: tuple[str, ...], values: Values) -> _Pair | None:
        """Return the rename from the natural key of some values."""
        return self._from.get((names, normal_key(self._state.key_of(self._schema, names, values))))


class Moved(Aspect):
    """Match records by their old natural keys, and check the renames of the plan.

    Until everybody writes the new name, references may have the old name.
    """

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        context.state.renamed = self._renamed
        self._renames: dict[str, _Renames] = {}
        self._written: dict[tuple[str, tuple[str, ...]], set[Key | None]] = {}

    def found(self, schema: Schema, entry: Entry, values: Values) -> Sequence[Record]:
        """Return the record under the latest old key of an entry, or nothing if no record has any of them."""
        pairs = [*self._behind(schema, values)] if schema.kind.section in self._context.desired.moved else []
        for pair in pairs:
            hits = self._context.state.find_existing(schema, tuple(pair.old), pair.old)
            if hits:
                why = f"; {pair.place} renames it ({pair.words}), so give its old key to another record in a later run"
                self._context.reasons |= dict.fromkeys((record.uuid for record in hits), why)
                return hits
        self._context.old_keys[id(entry)] = [pair.old for pair in pairs]
        return ()

    def joined(self, pairs: list[Pair]) -> None:
        """Check for renames without effect, for those that do not happen, and for entries with an old key."""
        context = self._context
        for section, written in context.desired.moved.items():
            if not context.entries[section]:
                for _old, new in written[:1]:
                    place = context.desired.moved_places.get(id(new), Place("moved.yml"))
                    context.find(place, f"moved.{section}: the files contain no {section}")
                continue
            schema = context.schema_of(section)
            if schema is not None:
                for pair in self._of(schema).pairs:
                    self._check(section, schema, pair)

    def _check(self, section: str, schema: Schema, pair: _Pair) -> None:
        context = self._context
        claimed = context.claimed.get(schema.kind.name, {})
        left = [
            record
            for record in context.state.find_existing(schema, tuple(pair.old), pair.old)
            if record.uuid not in claimed and context.scope.contains(section, record)
        ]
        if not left:
            self._check_old_key(section, schema, pair)
            return
        now = context.state.find_existing(schema, tuple(pair.new), pair.new)
        if any(record.uuid in claimed for record in now):
            words = f"moved.{section}: {pair.words}: both exist, so the old record keeps its key."
            context.result.warnings.append(words)
        elif not context.state.find_planned(schema, tuple(pair.new), pair.new):
            context.find(
                pair.place, f"moved.{section}: {pair.words}: the files contain no {schema.kind.words} with the new key"
            )

    def _check_old_key(self, section: str, schema: Schema, pair: _Pair) -> None:
        """Check for an entry with an old key that would create another record, although the renamed one exists."""
        context, seen, later = self._context, [pair], self._of(schema).after(tuple(pair.new), pair.new)
        while later is not None and later not in seen:
            seen.append(later)
            later = self._of(schema).after(tuple(later.new), later.new)
        now = context.state.find_existing(schema, tuple(seen[-1].new), seen[-1].new)
        is_written = any(record.uuid in context.claimed.get(schema.kind.name, {}) for record in now)
        found = context.state.find_planned(schema, tuple(pair.old), pair.old) if now else []
        for entry in (origin for origin in found if isinstance(origin, Entry)):
            words = f"moved.{section}: {pair.words}: the renamed {schema.kind.words} exists, and this is another one"
            if is_written:
                context.result.warnings.append(f"{context.hiding.shown_place(entry.place)}: {words}.")
            else:
                context.find(entry.place, f"{words}; write the new key, or take the rename out of moved.yml")

    def _renamed(self, question: Question) -> Question | None:
        """Return the natural key that a record gets in place of another one."""
        kind = question.schema.kind
        if kind.section not in self._context.desired.moved:
            return None
        schema, names = self._context.schema(kind), tuple(sorted(question.keys))
        pair = self._of(schema).after(names, question.values)
        return None if pair is None else Question(schema, tuple(pair.new), pair.new)

    def _behind(self, schema: Schema, values: Values) -> Iterator[_Pair]:
        """Yield the renames that led to a key, the latest first. They end if another entry has the old key."""
        renames = self._of(schema)
        pair = renames.to(values)
        while pair is not None:
            yield pair
            earlier = renames.to(pair.old)
            pair = None if earlier is None or self._is_written(schema, pair.old) else earlier

    def _of(self, schema: Schema) -> _Renames:
        section = schema.kind.section
        if section not in self._renames:
            # Natural keys of renames may refer to records that are renamed too.
            self._renames[section] = _Renames(self._context.state, schema, ())
            pairs = [self._read(schema, old, new) for old, new in self._context.desired.moved.get(section, ())]
            known = _Renames(self._context.state, schema, [pair for pair in pairs if pair is not None])
            straight = self._without_circles(section, known)
            self._renames[section] = _Renames(self._context.state, schema, straight)
        return self._renames[section]

    def _read(self, schema: Schema, old: Mapping[str, Any], new: Mapping[str, Any]) -> _Pair | None:
        context = self._context
        place = context.desired.moved_places.get(id(new), Place("moved.yml"))
        was, also_wrong = schema.parse(old, "")
        wanted, wrong = schema.parse(new, "")
        problems = [*wrong.errors, *wrong.unknown, *also_wrong.errors, *also_wrong.unknown]
        is_hidden = context.hiding.hides_place(place) or not context.hiding.shows_all([*old, *new])
        for problem in problems:
            context.find(place, NOT_SHOWN if is_hidden else problem)
        # An interrupted run may have renamed the place that the old key names.
        is_known = not problems and (context.resolve(was, None, before=True) or context.resolve(was, None))
        if not is_known or not context.resolve(wanted, None):
            return None
        sides = (context.words(schema, tuple(side), side) for side in (was, wanted))
        words = VAULTED if is_hidden else " to ".join(sides)
        return _Pair(dict(sorted(was.items())), dict(sorted(wanted.items())), words, place)

    def _without_circles(self, section: str, renames: _Renames) -> list[_Pair]:
        """Leave out circular renames with a finding, because it is unknown which were already carried out."""
        straight = []
        for pair in renames.pairs:
            seen: list[_Pair] = []
            at: _Pair | None = pair
            while at is not None and at not in seen:
                seen.append(at)
                at = renames.to(at.old)
            if at is None:
                straight.append(pair)
            elif at is pair:
                words = "renames in a circle; rename to an unused key first, and to the final key in a later run"
                self._context.find(pair.place, f"moved.{section}: {pair.words} {words}")
        return straight

    def _is_written(self, schema: Schema, key: Values) -> bool:
        """Return True if an entry has a natural key."""
        context, names = self._context, tuple(key)
        if (schema.kind.name, names) not in self._written:
            keys: set[Key | None] = set()
            for entry in context.entries[schema.kind.section]:
                values, _fits = context.read(entry)
                key_values = {name: values[name] for name in names if name in values}
                if context.resolve(key_values, None):
                    keys.add(normal_key(context.state.key_of(schema, names, key_values)))
            self._written[schema.kind.name, names] = keys
        return normal_key(context.state.key_of(schema, names, key)) in self._written[schema.kind.name, names]
