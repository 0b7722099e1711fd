# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Similar names: new natural keys that people take for the key of another record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...module_utils.client.record import Record
from ...module_utils.model.field import first_of
from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import FieldError, Misfit
from ...module_utils.plan.allowed import SIMILAR_NAMES, how_to_allow
from ...module_utils.resolve import look_alikes, natural_keys
from ...module_utils.resolve.natural_keys import Key, normal_key
from ..desired.desired import SIMILAR
from ..desired.parsing import written_as
from ..desired.positions import Place
from ..desired.row_rules import REPEATED_KEYS, UNKNOWN_ROWS
from ..desired.words import in_yaml
from .aspect import Aspect
from .context import PlanContext
from .plan import Planned

#: Maximum number of pairs of names that the warning quotes.
_MOST_NAMED = 5

#: Maximum number of findings of which each quotes both names.
_MOST_APART = 20

_WHY = "it looks like the name of another record"


@dataclass(frozen=True)
class _Other:
    """A record with a natural key that others may look like.

    :ivar words: the key in words; empty if it must not be shown. :ivar is_pruned: True if prune removes it.
    """

    key: Key
    words: str
    where: str
    is_pruned: bool = False


class SimilarNames(Aspect):
    """Refuse a new natural key that looks like the key of another existing or new record.

    A program may have changed a key of the files, so records that prune removes count, and rows that are skipped must
    not look like them. Numbers of rooms that differ only in zeros, dots and blanks are a warning, unless prune removes
    the other room. ``similar`` in ``instance.yml`` accepts a name.
    """

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        options = context.options
        # An undo restores names that existed, and a comparison gives none.
        self._accepts_all = SIMILAR_NAMES in options.allow or options.has_changes_only or options.is_comparison
        self._accepted = {section: set(map(normal_name, names)) for section, names in context.desired.similar.items()}
        self._new: dict[tuple[str, str, tuple[str, ...]], list[Planned]] = defaultdict(list)
        #: The records that the files identify by other fields, by their identities.
        self._named_otherwise: dict[int, Planned] = {}
        self._doubtful: list[str] = []

    def changed(self, planned: Planned, current: Record | None) -> None:
        """Note a record that gets a natural key, or a field that gets another label."""
        if planned.kind.defines_fields and "label" in planned.change.values:
            planned = replace(planned, keys=("label",), key=f"{planned.entry.template} {planned.desired['label']}")
        self._note(planned)
        own = _key_of_kind(planned)
        if not planned.change.values.keys().isdisjoint(own):
            words = self._context.words(planned.schema, own, planned.desired)
            renamed = replace(planned, keys=own, key=words, words="").hide(self._context.hiding)
            self._named_otherwise[id(renamed)] = renamed
            self._note(renamed)

    def _note(self, planned: Planned) -> None:
        kind = planned.kind
        is_open = not kind.open_status or planned.desired.get(kind.status_key, kind.open_status) == kind.open_status
        # An undo may restore a part of a key, such as the name of a room, which other records may have.
        is_key = planned.keys in kind.match_on or not self._context.options.has_changes_only
        has_new_key = bool(kind.match_on) and not planned.change.values.keys().isdisjoint(planned.keys)
        if has_new_key and is_key and is_open and planned.entry.state == "present" and self._context.is_chosen(planned):
            self._new[kind.name, planned.entry.template, planned.keys].append(planned)

    def complete(self) -> None:
        """Compare the new natural keys with the keys of all records of their kinds."""
        found = [
            error for (_kind, template, keys), new in self._new.items() for error in self._compare(template, keys, new)
        ]
        found += self._skipped()
        is_grouped = len(found) > _MOST_APART
        for place, error in found:
            if not is_grouped:
                # One line about many names would leave out the names that they look like.
                error.misfit = None
            self._context.find(place, error)

    def _compare(
        self, template: str, keys: tuple[str, ...], new: Sequence[Planned]
    ) -> Iterator[tuple[Place, FieldError]]:
        """Yield a finding for each new natural key of a kind that looks like another one."""
        keyed = [(planned, key) for planned in new if (key := self._key(planned)) is not None]
        existing = self._existing(template, keys, keyed) if keyed else {}
        # There may be very many new records, and few of them look alike.
        earlier: dict[Key, tuple[Planned, Key]] = {}
        for planned, key in keyed:
            shapes = list(look_alikes.shapes(planned.kind, key))
            other = next((existing[form] for form in shapes if form in existing), None)
            if other is None and (twin := next((earlier[form] for form in shapes if form in earlier), None)):
                other = _Other(twin[1], twin[0].key, f"at {twin[0].entry.place}")
            error = None if other is None else self._error(planned, key, other)
            if error is not None:
                yield planned.entry.place_of(str(error.way[0])), error
            for form in shapes:
                earlier.setdefault(form, (planned, key))

    def _skipped(self) -> Iterator[tuple[Place, FieldError]]:
        """Yield a finding for each row that is skipped and may mean a record that prune removes.

        A spreadsheet may have changed its key, or the key may look like that of the record.
        """
        context, rows, way_out = self._context, defaultdict(list), f"accept it with {how_to_allow(SIMILAR_NAMES)}"
        pruned = {planned.kind.name for planned in context.removals.values() if planned.entry.pruned}
        for note in context.result.table_notes if not self._accepts_all else ():
            row = note.planned
            if row.kind.name not in pruned or note.reason not in (UNKNOWN_ROWS, REPEATED_KEYS):
                continue
            odd = dict(context.wanted.cells.odd_keys.get(id(row.entry), {}))
            own = natural_keys.default_key(row.kind, row.desired)
            for keys in {row.keys, own}:
                key = context.state.key_of(row.schema, keys, row.desired) if set(keys) <= set(row.desired) else None
                if key is not None and not odd:
                    rows[row.kind.name, row.entry.template, keys].append((row, key))
                elif key is not None and context.state.with_key(row.schema, keys, key):
                    odd = {name: error for name, error in odd.items() if row.schema.key_of(name) not in keys}
            for name, error in odd.items():
                yield row.entry.place_of(name), error
        for (_kind, template, keys), keyed in rows.items():
            existing = self._existing(template, keys, keyed)
            for row, key in keyed:
                forms = look_alikes.shapes(row.kind, key)
                other = next((existing[form] for form in forms if form in existing), None)
                if other is not None and other.is_pruned:
                    meant = f"it may mean {other.words!r}, {other.where} that prune removes"
                    text = f"{row}: this row is skipped, and {meant}; correct the row, or {way_out}"
                    yield row.entry.place, FieldError.at((), text, "a skipped row that may mean a record to remove")

    def warnings(self) -> Iterator[str]:
        """Return one warning about numbers of rooms."""
        if self._doubtful:
            pairs = first_of(self._doubtful, _MOST_NAMED, "; ")
            yield (
                f"rooms: new numbers differ from others only in zeros, dots or blanks: {pairs}. Use one number if they "
                "are the same room."
            )

    def _key(self, planned: Planned) -> Key | None:
        return self._context.state.key_of(planned.schema, planned.keys, planned.desired)

    def _existing(self, template: str, keys: tuple[str, ...], new: Sequence[tuple[Planned, Key]]) -> dict[Key, _Other]:
        """Return the existing records that new natural keys look like, by the forms that they share."""
        kind, schema = new[0][0].kind, new[0][0].schema
        context, found = self._context, {}
        wanted = {form for _planned, key in new for form in look_alikes.shapes(kind, key)}
        leaving = {planned.change.current.uuid for planned, _key in new if planned.change.current is not None}
        for key, record in context.state.keyed(schema, keys, template):
            is_finished = kind.open_status and record.flat.get(kind.status_key) != kind.open_status
            removal = context.removals.get(record.uuid)
            is_dropped = removal is not None and not removal.entry.pruned
            if key is None or is_finished or record.uuid in leaving or is_dropped:
                continue
            for form in look_alikes.shapes(kind, key):
                if form in wanted and form not in found:
                    found[form] = self._other(key, keys, new[0][0], record)
        return found

    def _other(self, key: Key, keys: tuple[str, ...], planned: Planned, record: Record) -> _Other:
        context, schema = self._context, planned.schema
        words = context.words(schema, keys, natural_keys.read_some(schema, keys, record))
        entry = context.claimed.get(record.kind.name, {}).get(record.uuid)
        is_shown = entry is None or not context.hiding.touches(entry)
        places = [str(entry.place)] if entry is not None else []
        places += [] if is_shown else [record.uuid]
        where = f"{record.kind.singular} of the instance" + (f" ({', '.join(places)})" if places else "")
        return _Other(key, words if is_shown else "", where, record.uuid in context.removals)

    def _error(self, planned: Planned, key: Key, other: _Other) -> FieldError | None:
        """Return the finding about a natural key that looks like another key, or None if it is accepted."""
        context = self._context
        # Two keys in other Unicode forms are one key, whatever is accepted.
        is_equal = normal_key(key) == normal_key(other.key)
        if is_equal and (planned.kind.defines_fields or id(planned) in self._named_otherwise):
            # The definitions find equal labels, and equal keys and labels, themselves. Unique values are found, too.
            return None
        accepted = self._accepted.get(planned.section, ())
        if not is_equal and (self._accepts_all or normal_name(planned.words or planned.key) in accepted):
            return None
        if look_alikes.may_differ(planned.kind, key, other.key) and not other.is_pruned:
            is_hidden = context.hiding.touches(planned.entry) or not other.words
            self._doubtful += [] if is_hidden else [f"{planned.key!r} ({planned.entry.place}) and {other.words!r}"]
            return None
        name = written_as(planned.schema, planned.entry, planned.keys[-1])
        line = f"`{SIMILAR}: {{{planned.section}: [{in_yaml(planned.key)}]}}` in instance.yml"
        way_out = f"accept it with {line} or with {how_to_allow(SIMILAR_NAMES)}"
        if other.is_pruned:
            way_out = f"rename the record in moved.yml, or {way_out} (prune removes the record)"
        text = look_alikes.about(name, planned.key, other.words, other.where, "" if is_equal else way_out)
        return FieldError.at((name,), text, "a name that looks like that of another record", Misfit(planned.key, _WHY))


def _key_of_kind(planned: Planned) -> tuple[str, ...]:
    """Return the natural key of the kind if the files identify a record by other fields, as the modules use it."""
    kind = planned.kind
    named = any(set(keys) <= set(planned.keys) for keys in (*kind.match_on, *kind.further_keys))
    is_key = bool(kind.match_on) and not (named or kind.status_key or kind.is_named_by_tasks or kind.defines_fields)
    return natural_keys.default_key(kind, planned.desired) if is_key else ()
