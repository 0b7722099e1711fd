# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renames: match a record with an old natural key to the key that the files write now.

A rename stays in the files after it was applied, so that every instance follows. So the old key of a rename may be the
new key of an earlier rename. Until it is applied, other records in the files may refer to a record by its old name.

A record of the set may also get another key in the application. Then the files have no rename for it, and nothing is
created.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY
from ...module_utils.model.kinds import OBJECT
from ...module_utils.model.schema import FieldError, Schema
from ...module_utils.model.types_links import Reference, references_in
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.natural_keys import Key, normal_key
from ..desired.hiding import NOT_SHOWN, VAULTED
from ..desired.parsing import written_as
from ..desired.positions import Finding, Place
from .context import PlanContext
from .listed_state import ListedState
from .plan import Planned

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
        for pair in pairs:
            names = tuple(pair.new)
            key = normal_key(state.key_of(schema, names, pair.new))
            # The case of some keys and their Unicode form do not matter, so old and new may be the same key.
            same = names == tuple(pair.old) and key == normal_key(state.key_of(schema, names, pair.old))
            if key is not None and not same:
                self.pairs.append(pair)
                self._to.setdefault(names, {}).setdefault(key, pair)

    def to(self, values: Values) -> _Pair | None:
        """Return the rename to the natural key of some values."""
        for names, pairs in self._to.items():
            key = normal_key(self._state.key_of(self._schema, names, values))
            if key in pairs:
                return pairs[key]
        return None


class Moved:
    """The renames of one plan."""

    def __init__(self, context: PlanContext) -> None:
        self._context = context
        self._renames: dict[str, _Renames] = {}
        self._found: dict[str, _Pair] = {}
        self._written: dict[tuple[str, tuple[str, ...]], set[Key | None]] = {}

    def record_of(self, section: str, schema: Schema, values: Values, written: Iterable[Values]) -> list[Record]:
        """Return the record under the latest old key of a new key, or nothing if no record has any of them.

        :param values: the values with the new key. :param written: everything that is written in this section.
        """
        for pair in self._behind(section, schema, values, written):
            hits = self._context.state.find_existing(schema, tuple(pair.old), pair.old)
            if hits:
                self._found.update((record.uuid, pair) for record in hits)
                return hits
        return []

    def why_twice(self, uuid: str) -> str:
        """Return why two entries mean the same record, if a rename is the reason."""
        pair = self._found.get(uuid)
        if pair is None:
            return ""
        return f"; {pair.place} renames it ({pair.words}), so give its old key to another record in a later run"

    def check(self) -> None:
        """Check for renames without effect, and for renames that do not happen although a record has the old key."""
        context = self._context
        for section, written in context.desired.moved.items():
            if not context.entries[section]:
                for _old, new in written[:1]:
                    place = context.desired.moved_places.get(id(new), Place("moved.yml"))
                    context.find(place, f"moved.{section}: the files contain no {section}")
                continue
            schema = context.schema_of(section)
            if schema is not None:
                for pair in self._of(section, schema).pairs:
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
            return
        now = context.state.find_existing(schema, tuple(pair.new), pair.new)
        if any(record.uuid in claimed for record in now):
            words = f"moved.{section}: {pair.words}: both exist, so {left[0].uuid} keeps its old key."
            context.result.warnings.append(words)
        elif not context.state.find_planned(schema, tuple(pair.new), pair.new):
            context.find(
                pair.place, f"moved.{section}: {pair.words}: the files contain no {schema.kind.words} with the new key"
            )

    def _behind(self, section: str, schema: Schema, values: Values, written: Iterable[Values]) -> Iterator[_Pair]:
        """Yield the renames that led to a key, the latest first. They end if another entry has the old key."""
        renames = self._of(section, schema)
        pair = renames.to(values)
        while pair is not None:
            yield pair
            earlier = renames.to(pair.old)
            pair = None if earlier is None or self._is_written(section, schema, pair.old, written) else earlier

    def _of(self, section: str, schema: Schema) -> _Renames:
        if section not in self._renames:
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
        if problems or not context.resolve(wanted, None) or not context.resolve(was, None, before=True):
            return None
        sides = (context.uniqueness.words(schema, tuple(side), side) for side in (was, wanted))
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

    def _is_written(self, section: str, schema: Schema, key: Values, written: Iterable[Values]) -> bool:
        state, names = self._context.state, tuple(key)
        if (section, names) not in self._written:
            keys: set[Key | None] = set()
            for values in written:
                key_values = {name: values[name] for name in names if name in values}
                if self._context.resolve(key_values, None):
                    keys.add(normal_key(state.key_of(schema, names, key_values)))
            self._written[section, names] = keys
        return normal_key(state.key_of(schema, names, key)) in self._written[section, names]


# ---- records with another key in the application

_MOST_NAMED = 10
"""Maximum number of named records in a finding about relabelled records."""

_GIST = "a record of this set had this key before, and now has another key"


def check_relabelled(context: PlanContext, matched: Iterable[tuple[Planned, Record | None]]) -> Iterator[Finding]:
    """Refuse to create a record whose last noted key belongs to an existing record with another, unclaimed key."""
    uuids: dict[str, list[str]] = defaultdict(list)
    for uuid, name in context.options.names.items():
        uuids[name].append(uuid)
    relabelled: dict[int, tuple[Planned, Record]] = {}
    for planned, current in matched if uuids else ():
        if current is not None or planned.entry.state != "present" or not planned.kind.is_plain:
            continue
        within = [reference.pending for key in planned.keys for reference in references_in(planned.desired[key])]
        if any(id(place) in relabelled for place in within):
            # Its key changed only because the key of its place did, which is reported once.
            continue
        known = uuids.get(planned.journal_name, ())
        claimed = context.claimed.get(planned.kind.name, {})
        found = [context.state.find(Reference(planned.kind.name, uuid=uuid)) for uuid in known if uuid not in claimed]
        left = [record for record in found if record is not None]
        if len(left) == 1:
            relabelled[id(planned.entry)] = planned, left[0]
    sections: dict[str, list[tuple[Planned, Record]]] = defaultdict(list)
    for planned, record in relabelled.values():
        sections[planned.section].append((planned, record))
    for group in sections.values():
        words = _relabelled_words(context, *group[0]) if len(group) == 1 else _words_of_records(context, group)
        yield Finding.for_message(group[0][0].entry.place, FieldError.at((), words, _GIST))


def _relabelled_words(context: PlanContext, planned: Planned, record: Record) -> str:
    now, wanted = _keys_of(context, planned, record)
    words = "/".join(map(str, now.values())) if now else "another key"
    line = json.dumps({planned.section: [{"from": now, "to": wanted}]}, ensure_ascii=False, default=str)
    advice = f", or give it back the old one with this line in moved.yml: {line}" if now else ""
    return (
        f"{planned} does not exist, and the record that had this key before is now {words} ({record.uuid}): "
        f"its key was changed. Write the new key here if it is right{advice}"
    )


def _words_of_records(context: PlanContext, found: Sequence[tuple[Planned, Record]]) -> str:
    """Describe relabelled records of one section in one finding."""
    kind = found[0][0].kind
    keys = [(planned, *_keys_of(context, planned, record)) for planned, record in found]
    named = [f"{planned.key} is {'/'.join(map(str, now.values())) or 'another key'}" for planned, now, _wanted in keys]
    more = f" and {len(named) - _MOST_NAMED:,} more" if len(named) > _MOST_NAMED else ""
    pairs = [{"from": now, "to": wanted} for _planned, now, wanted in keys if now][:_MOST_NAMED]
    line = json.dumps({found[0][0].section: pairs}, ensure_ascii=False, default=str)
    advice = f", or give them back the old ones with lines such as these in moved.yml: {line}" if pairs else ""
    labels = ""
    if kind is OBJECT:
        labels = (
            ". If labels replaced placeholders, let another field identify objects, and set scan_codes in "
            "instance.yml: then no label is a change"
        )
    return (
        f"{len(found):,} {kind.plural} do not exist, and the records that had these keys before now have "
        f"others: {', '.join(named[:_MOST_NAMED])}{more}. Their keys were changed. Write the new keys "
        f"here if they are right{advice}{labels}"
    )


def _keys_of(context: PlanContext, planned: Planned, record: Record) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the present natural key of a record, and the natural key in the files."""
    written = [written_as(planned.schema, planned.entry, key) for key in planned.keys]
    return _key_of(context, planned, record), {name: planned.entry.fields.get(name) for name in written}


def _key_of(context: PlanContext, planned: Planned, record: Record) -> dict[str, Any]:
    """Return the present natural key of a record as files write it; empty if a part of it has no name."""
    values = natural_keys.read_some(planned.schema, planned.keys, record)
    written = {
        written_as(planned.schema, planned.entry, key): _named(context, planned, key, values[key]) for key in values
    }
    return {} if any(value in EMPTY for value in written.values()) else written


def _named(context: PlanContext, planned: Planned, key: str, value: Any) -> Any:
    if isinstance(value, Reference):
        place = context.state.find(value)
        return None if place is None else context.state.name_of(place)
    return None if isinstance(value, tuple) else planned.schema.brief(key, value)
