# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The beginning of a plan: settings, written values, and natural keys. It needs no record of an instance.

A plan goes on with the records of the instance. The validation of files ends here (``instance/validation.py``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import EMPTY
from ...module_utils.model.kinds import Kind
from ...module_utils.model.schema import FieldError, Misfit, Schema
from ...module_utils.model.types_links import Reference
from ...module_utils.plan.notation import in_one_notation
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.natural_keys import Key
from ..desired.desired import SECTIONS, DesiredInstance
from ..desired.entry import Entry
from ..desired.parsing import DesiredParser
from ..desired.positions import Finding, Place
from ..desired.row_rules import EMPTY_KEYS, NO_RULES, REPEATED_KEYS, SKIP, Fields, RowRules
from .plan import NO_CHANGE, Planned, TableNote


class Reading:
    """Read the entries of a set, and note findings.

    :param own: returns the fields of a kind on the instance; None: there is no instance.
    :ivar complaints: number of mistakes; the same mistake in many records may be one finding.
    :ivar entries: section to its entries.
    :ivar hooks: what aspects do, see ``aspect.py``.
    :ivar unknown: unknown choices in cells that their tables skip, by the identities of their entries and by field key.
    :ivar skipped: rows of tables that are not used, by the identities of their entries.
    :ivar rows: entries of later layers, by their identities, each with the skipped row whose place it takes.
    """

    hooks: SimpleNamespace

    def __init__(self, desired: DesiredInstance, own: Callable[[Kind], Schema] | None = None) -> None:
        self.desired = desired
        self.complaints = 0
        self._found: dict[Finding, None] = dict.fromkeys(desired.findings)
        # Other mistakes at a place that could not be read only follow from that.
        self._misread = frozenset(finding.place for finding in desired.findings if finding.place.line)
        self.hiding = desired.hiding
        self.wanted = DesiredParser(desired, self._find_in_cell, own)
        self.unknown: dict[int, dict[str, tuple[Place, FieldError]]] = {}
        self._row: Entry | None = None
        self._claimed_keys: dict[tuple[Any, ...], dict[Key, Entry]] = defaultdict(dict)
        self.skipped: dict[int, TableNote] = {}
        self.rows: dict[int, Entry] = {}
        self._choices: dict[tuple[str, Sequence[Fields]], Sequence[Sequence[str] | None]] = {}
        self.entries: dict[str, list[Entry]] = {section: [] for section in SECTIONS}
        for entry in desired.entries:
            self.entries[entry.kind.section].append(entry)

    # ---- findings

    def find(self, place: Place, message: str) -> None:
        """Note a finding. A :class:`FieldError` has the message for a hidden value."""
        self.note(Finding.for_message(place, message))

    def find_plainly(self, place: Place, message: str) -> None:
        """Note what is wrong in words that quote no value."""
        self.note(Finding.plain(place, message))

    def note(self, finding: Finding) -> None:
        """Note a finding, unless its place could not be read: then it only follows from that."""
        self.complaints += 1
        if finding.place not in self._misread:
            self._found[finding] = None

    @property
    def findings(self) -> list[Finding]:
        """Return all findings in the order of their places."""
        return sorted(self._found, key=position_of)

    # ---- what an instance knows, or the files alone

    def schema(self, kind: Kind) -> Schema:
        """Return the fields of a kind."""
        raise NotImplementedError

    def is_complete(self, kind: Kind) -> bool:
        """Return True if all fields of a kind are known."""
        return True

    def parse(self, schema: Schema, entry: Entry, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the canonical values of some fields of an entry. Other values are findings."""
        return self.wanted.parse(schema, entry, fields)

    def resolve_key(self, keys: Sequence[str], values: dict[str, Any], entry: Entry | None) -> bool:
        """Put resolved references into a natural key, and return True if all are resolved."""
        return True

    def key_of(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> Key | None:
        """Return the natural key of some values in a form for lookups, or None if a part of it is missing."""
        raise NotImplementedError

    def known_name_of(self, reference: Reference) -> str | None:
        """Return the natural key of a referenced record, or None if it is unknown."""
        return None

    # ---- the beginning

    def check_settings(self) -> None:
        """Check the settings. All fields are known, including those that this plan creates."""
        for check in self.hooks.settings:
            check()

    def read(self, entry: Entry) -> tuple[dict[str, Any], bool]:
        """Return the values of an entry that files may write, and True if nothing is wrong with them."""
        complaints, fields = self.complaints, entry.fields
        for writable in self.hooks.writable:
            fields = writable(entry, fields)
        self._row = entry if entry.rules.unknown_values == SKIP else None
        schema = self.schema(entry.kind)
        if entry.rules.empty_keys == SKIP:
            fields = self._without_cleared_key(schema, entry, fields)
        values = self.parse(schema, entry, fields)
        if self._row is not None:
            self._row = None
            for key in self.unknown.get(id(entry), ()):
                values.pop(key, None)
        is_valid = self.complaints == complaints and not entry.misread
        # Mistakes of this entry must not count against another entry that is being matched.
        self.complaints = complaints
        return values, is_valid

    def _without_cleared_key(self, schema: Schema, entry: Entry, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of a row without the cleared parts of its key, if these leave it without a key."""
        written = {schema.key_of(name): value for name, value in fields.items()}
        choices = [keys for keys in self.key_choices(schema, entry.rules) if keys] or schema.kind.match_on
        if any(all(written.get(key) not in EMPTY for key in keys) for keys in choices):
            return fields
        own = {key for keys in choices for key in keys}
        return {name: value for name, value in fields.items() if value not in EMPTY or schema.key_of(name) not in own}

    def _find_in_cell(self, place: Place, message: str) -> None:
        """Note a finding, unless it is about an unknown choice and the table skips such cells."""
        row, misfit = self._row, message.misfit if isinstance(message, FieldError) else None
        if row is None or misfit is None or not misfit.is_unknown or not isinstance(message, FieldError):
            self.find(place, message)
            return
        schema = self.schema(row.kind)
        field = schema.find(str(message.way[0]))
        # The choices of keys that the files name, or those of the kind.
        all_keys: Sequence[Sequence[str] | None] = self.key_choices(schema, row.rules) or row.kind.match_on
        if field is None or any(field.key in (keys or ()) for keys in all_keys):
            self.find(place, message)
        else:
            self.unknown.setdefault(id(row), {})[field.key] = place, message

    def key_fields(self, schema: Schema, values: Mapping[str, Any], entry: Entry) -> tuple[str, ...]:
        """Return the fields that identify a record, or nothing after a finding."""
        choices = self.key_choices(schema, entry.rules)
        if None in choices:
            return ()
        chosen = first_full(choices, values)
        try:
            return natural_keys.key_fields(schema.kind, chosen, values)
        except InvalidInput as missing:
            if self.read(entry)[1]:
                self.without_key(schema, values, entry, missing.message.removeprefix("match_on: "))
            return ()

    def without_key(self, schema: Schema, values: Mapping[str, Any], entry: Entry, words: str) -> None:
        """Note an entry without a natural key: a finding, unless its table skips such rows."""
        if entry.rules.empty_keys == SKIP:
            self._skip(schema, values, entry, EMPTY_KEYS, "")
        else:
            self.find(entry.place, words)

    def identify(self, entry: Entry) -> tuple[Schema, tuple[str, ...], dict[str, Any]]:
        """Return the fields of the natural key of an entry, and their values. It has none if it is not resolved."""
        schema, (values, _fits) = self.schema(entry.kind), self.read(entry)
        keys = self.key_fields(schema, values, entry)
        identity = {key: values[key] for key in keys}
        return schema, keys if self.resolve_key(keys, identity, None) else (), identity

    def claim_first(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], entry: Entry) -> Key | None:
        """Return the natural key of the first entry that has it, and None for a later one.

        An entry of a later layer takes the place of rows that are skipped, and follows their rules.
        """
        key = self.key_of(schema, keys, values)
        if key is None:
            return None
        claims = self._claimed_keys[schema.kind.name, entry.template, tuple(keys)]
        earlier = claims.setdefault(key, entry)
        if earlier is entry:
            return key
        if id(earlier) in self.skipped and entry.rules is NO_RULES and entry.root != earlier.root:
            self.rows[id(entry)], claims[key] = earlier, entry
            return key
        self._repeated(schema, keys, values, earlier, entry)
        return None

    def rules_of(self, entry: Entry) -> RowRules:
        """Return the rules that an entry follows: its own, or those of the row whose place it takes."""
        return self.rows.get(id(entry), entry).rules

    def _repeated(
        self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], earlier: Entry, entry: Entry
    ) -> None:
        """Note two entries with one natural key: a finding, unless their tables skip such rows."""
        if entry.rules.repeated_keys == earlier.rules.repeated_keys == SKIP:
            for row, other in ((earlier, entry), (entry, earlier)):
                # Without a connection, the fields of the key may be unknown.
                found = {**values, **self.read(row)[0]}
                self._skip(schema, found, row, REPEATED_KEYS, f"{other.place.row} has the same key", keys)
            return
        kind, name = schema.kind, self.words(schema, keys, values)
        words = f"{kind.words} {name} is written twice, first at {earlier.place}"
        misfit = Misfit(name, f"{kind.words} that is written twice")
        self.find(entry.place, FieldError.at((), words, "this record is written twice", misfit))

    def words(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> str:
        """Return a natural key for people. References in it are named, even if they are written as ids."""
        return "/".join([_word(schema.brief(key, self._called(values.get(key)))) for key in keys])

    def _called(self, value: Any) -> Any:
        return value if isinstance(value, str) else in_one_notation((), value, self.known_name_of)[1]

    def _skip(
        self,
        schema: Schema,
        values: Mapping[str, Any],
        entry: Entry,
        setting: str,
        words: str,
        keys: Sequence[str] = (),
    ) -> None:
        """Note a row that is not used."""
        key = self.words(schema, keys, values) if keys else ""
        planned = self.planned(entry, schema, dict(values), tuple(keys), key)
        self.skipped.setdefault(id(entry), TableNote(setting, planned, entry.place, words))

    def planned(
        self, entry: Entry, schema: Schema, values: dict[str, Any], keys: tuple[str, ...], words: str
    ) -> Planned:
        """Return an entry in its planned form, before the comparison.

        :param words: its natural key, which is hidden if it must not be shown.
        """
        entry_planned = Planned(schema.kind.section, entry, schema, values, keys, words, NO_CHANGE[schema.kind.name])
        return entry_planned.hide(self.hiding) if self.hiding.has_any else entry_planned

    def key_choices(self, schema: Schema, rules: RowRules) -> Sequence[Sequence[str] | None]:
        """Return the choices of keys that the files name for a kind; None for one with an unknown field."""
        named = (schema.kind.name, rules.match)
        if named not in self._choices:
            own = self.desired.identity.get(schema.kind.section)
            found = [[schema.find(name) for name in names] for names in rules.match or ([own] if own else ())]
            self._choices[named] = [
                None if None in fields else [field.key for field in fields if field is not None] for fields in found
            ]
        return self._choices[named]

    def claim_key(self, schema: Schema, values: Mapping[str, Any], entry: Entry) -> tuple[tuple[str, ...], Key | None]:
        """Claim the natural key of an entry. Return its fields, which are empty after a finding, and the key."""
        keys = self.key_fields(schema, values, entry)
        identity = {name: values[name] for name in keys}
        if not keys or not self.resolve_key(keys, identity, entry):
            return (), None
        key = self.claim_first(schema, keys, identity, entry)
        return ((), None) if key is None else (keys, key)


def position_of(finding: Finding) -> tuple[str, int, int]:
    """Return the place of a finding for an order."""
    return finding.place.source, finding.place.line, finding.place.column


def first_full(choices: Sequence[Sequence[str] | None], values: Mapping[str, Any]) -> Sequence[str] | None:
    """Return the first keys that all have values, else the first keys; None without choices."""
    if not choices:
        return None
    return next((keys for keys in choices if keys and not any(values.get(key) in EMPTY for key in keys)), choices[0])


def _word(value: Any) -> str:
    """Return a part of a natural key. A reference written as a map is named by the content of the map."""
    if value.__class__ is str:
        return str(value)
    if isinstance(value, Mapping):
        return "/".join(map(_word, value.values()))
    return ", ".join(map(_word, value)) if isinstance(value, list) else str(value)
