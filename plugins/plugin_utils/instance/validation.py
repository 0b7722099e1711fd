# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find mistakes in a desired state without an instance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import EMPTY, Field, Plain, edge_blanks, is_generated_key
from ...module_utils.model.kinds import FIELD_DEFINITION, Kind
from ...module_utils.model.schema import Schema, field_to_be
from ...module_utils.plan.change import CREATE, Change, check_choices
from ...module_utils.plan.relations import names_fields, with_uuids
from ...module_utils.resolve import natural_keys
from ..desired.desired import DesiredInstance
from ..desired.entry import Entry
from ..desired.observed import OfflineObserved
from ..desired.parsing import DesiredParser, mark_as_written, written_as
from ..desired.positions import Finding
from ..desired.remarks import Remarks, unfit_keys
from ..desired.similar_places import SimilarPlaces
from ..desired.table_reader import check_identity
from ..rules.rule import RuleSet
from ..set_plan.findings import Findings
from ..set_plan.uniqueness import written_twice
from .offline_rules import OfflineRules

_MERGED = (
    "; rows above have a value there, as exports of merged cells do, so fill it down: write the value into each row"
)
_DEFINITIONS = Schema.for_kind(FIELD_DEFINITION)


def validate(
    desired: DesiredInstance,
    known: Mapping[str, Sequence[Field]] | None = None,
    warns: bool = True,
    rules: RuleSet | None = None,
) -> list[Finding]:
    """Return every finding of reading and validation.

    Validation checks types (if ``fields/`` or the service's own fields define them), missing and duplicate natural
    keys, and missing files.

    :param known: name of a kind to all its fields, if another source knows them.
    :param warns: True to add warnings about things that are not mistakes. A plan warns about these for its changes
        itself.
    :param rules: the rules of the task.
    """
    validation = _Validation(desired, known or {}, rules or RuleSet())
    found = validation.run()
    broken, doubtful = validation.rules.close(warns)
    found += broken
    desired.rule_warnings += doubtful
    desired.warnings += validation.places.warnings()
    desired.warnings += [*validation.remarks.warnings(), *validation.observed.warnings()] if warns else []
    return found


class KnownSchemas:
    """The fields of each kind, as far as ``fields/`` or another source knows them.

    :param known: name of a kind to all its fields, if another source knows them.
    :ivar by_label_alone: name of a kind to the labels of fields whose definitions in the files have no key.
    """

    def __init__(self, entries: Iterable[Entry], known: Mapping[str, Sequence[Field]]) -> None:
        self._definitions = [entry for entry in entries if entry.kind.defines_fields and entry.template]
        self._known = known
        self._schemas: dict[str, Schema] = {}
        self.by_label_alone: dict[str, set[str]] = defaultdict(set)

    def for_kind(self, kind: Kind) -> Schema:
        """Return the fields of one kind."""
        if kind.name not in self._schemas:
            fields = [*kind.fields, *kind.identity] if kind.template else list(kind.written or kind.fields)
            schema = Schema(kind, self._known.get(kind.name, fields))
            for entry in self._definitions:
                if entry.template == kind.template:
                    self._define(schema, entry)
            self._schemas[kind.name] = schema
        return self._schemas[kind.name]

    def _define(self, schema: Schema, entry: Entry) -> None:
        """Add a field to a schema, as the files define it."""
        options = set(_DEFINITIONS.fields) - {"relations"}
        values, _findings = _DEFINITIONS.parse(
            {name: value for name, value in entry.fields.items() if name in options}, ""
        )
        key, label = (str(values.get(name) or "") for name in ("field_key", "label"))
        existing = schema.fields.get(key) if key else schema.find(label)
        field = field_to_be(values) or existing
        if field is None or not (key or label):
            return
        if not key and existing is None:
            self.by_label_alone[schema.kind.name].add(label)
        own = key or (existing.key if existing else label)
        schema.take([replace(field, key=own, label=label or field.label, mandatory=False)])


class _Validation(Findings):
    """The loop of a plan without an instance: settings, entries, and their natural keys."""

    def __init__(self, desired: DesiredInstance, known: Mapping[str, Sequence[Field]], rules: RuleSet) -> None:
        super().__init__(desired)
        self.rules = OfflineRules(rules, self.find, lambda schema: self._is_complete(schema.kind))
        self.remarks = Remarks(desired.hiding)
        self.observed = OfflineObserved(desired)
        self.places = SimilarPlaces(desired.hiding)
        self._known = known
        self._wanted = DesiredParser(desired, self.find)
        self._schemas = KnownSchemas(desired.entries, self._known)
        self._claimed: dict[tuple[Any, ...], Entry] = {}
        # The fields of natural keys that a row of each table had so far.
        self._filled: defaultdict[str, set[str]] = defaultdict(set)

    def run(self) -> list[Finding]:
        for place, words in check_identity(self.desired, self._schemas.for_kind, self._is_complete):
            self.find(place, words)
        unmanaged = {id(entry) for entry in self.desired.unmanaged}
        for entry in (*self.desired.entries, *self.desired.unmanaged):
            before = self.complaints
            values = self._parse(entry)
            self.remarks.check(self._schemas.for_kind(entry.kind), entry, values)
            self.places.note(entry, values)
            written = self.observed.check(entry.kind.section, self._schemas.for_kind(entry.kind), entry)
            if written is not None:
                self.find(*written)
            if self.complaints == before:
                self._claim(entry, values)
            if self.complaints == before and id(entry) not in unmanaged:
                self.rules.check(entry.kind.section, self._schemas.for_kind(entry.kind), entry, values)
        return self.findings

    def _is_complete(self, kind: Kind) -> bool:
        """Return True if all fields of a kind are known."""
        return not kind.template or kind.name in self._known

    def _find_missing(self, entry: Entry, message: str) -> None:
        """Note that a record has no natural key, unless a part of the record is unreadable and may be the reason."""
        if not entry.misread:
            self.find(entry.place, message)

    def _parse(self, entry: Entry) -> dict[str, Any]:
        schema = self._schemas.for_kind(entry.kind)
        fields = entry.fields
        if entry.kind.defines_fields and names_fields(fields.get("relations")):
            fields = {**fields, "relations": with_uuids(fields["relations"], ())[0]}
        is_known = entry.kind.name in self._known
        if is_known:
            # The service generates keys that differ between instances. Such fields are named by their labels.
            fields = {name: value for name, value in fields.items() if schema.find(name) or not is_generated_key(name)}
        partial = (bool(entry.kind.template) and not is_known) or entry.kind.open_fields
        values = self._wanted.parse(schema, entry, fields, partial)
        if entry.kind.defines_fields:
            try:
                check_choices(None, Change(entry.kind, CREATE, values=values))
            except InvalidInput as wrong:
                self.find(entry.place_of("possible_values"), wrong.message)
        return values

    # ---- natural keys

    def _claim(self, entry: Entry, values: Mapping[str, Any]) -> None:
        schema = self._schemas.for_kind(entry.kind)
        have, keys = self._keys(entry, values)
        # An export writes keys of fields, line breaks and invisible characters, so the record probably exists. A plan
        # knows it.
        may_be_new = entry.state == "present" and not entry.kind.defines_fields
        new = keys if keys is not None and may_be_new else ()
        unfit = list(unfit_keys(schema, entry, new, have, self._wanted.cell_checks, edge_blanks))
        for place, error in unfit:
            self.find(place, error)
        if keys is None or unfit:
            return
        if len(keys) > 1 and entry.is_table:
            self._filled[entry.place.source].update(keys)
        key = natural_keys.key_of(schema, keys, {key: _as_written(have.get(key)) for key in keys}, mark_as_written)
        earlier = self._claimed.setdefault((entry.kind.name, entry.template, keys, key), entry)
        if earlier is not entry:
            words = "/".join(str(entry.fields.get(written_as(schema, entry, key))) for key in keys)
            self.find(entry.place, written_twice(entry.kind, words, earlier.place))

    def _keys(self, entry: Entry, values: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...] | None]:
        """Return all values of a record, and the fields that identify it, or None if these are unknown or wrong."""
        schema = self._schemas.for_kind(entry.kind)
        # A value of an unknown type keeps its written form.
        have = {**{name: value for name, value in entry.fields.items() if schema.find(name) is None}, **values}
        is_named = self.desired.identity.get(entry.kind.section)
        return have, self._named(entry, have) if is_named else self._default(entry, have)

    def _named(self, entry: Entry, have: Mapping[str, Any]) -> tuple[str, ...] | None:
        """Return the fields that identify a record by the names in the files, or None if that is unknown or wrong."""
        section = entry.kind.section
        schema = self._schemas.for_kind(entry.kind)
        fields = {name: schema.find(name) for name in self.desired.identity[section]}
        keys = tuple(name if field is None else field.key for name, field in fields.items())
        left_out = [key for key in keys if key not in have]
        if left_out and self._may_have_another_name(entry, left_out):
            return None
        missing = [name for name, key in zip(fields, keys, strict=True) if have.get(key) in EMPTY]
        if missing:
            words = f"{', '.join(missing)} must have a value, because identity.{section} names it"
            self._find_missing(entry, words + self._perhaps_merged(entry, keys, have))
            return None
        return keys

    def _default(self, entry: Entry, have: Mapping[str, Any]) -> tuple[str, ...] | None:
        """Return the fields that identify a record of its kind by default, or None if that is unknown or wrong."""
        kind = entry.kind
        if kind.written_key:
            return kind.written_key
        for keys in kind.match_on:
            # Later keys apply only if all earlier keys are absent.
            if have.get(keys[-1]) is not None:
                break
            if keys[-1] not in have and self._may_have_another_name(entry, keys[-1:]):
                return None
        left_out = [key for key in keys if key not in have]
        if left_out and self._may_have_another_name(entry, left_out):
            return None
        try:
            return natural_keys.key_fields(kind, None, have)
        except InvalidInput as problem:
            self._find_missing(entry, problem.message + self._perhaps_merged(entry, keys, have))
            return None

    def _perhaps_merged(self, entry: Entry, keys: Sequence[str], have: Mapping[str, Any]) -> str:
        """Return why a row of a table probably has only a part of its natural key, or an empty text.

        An export of merged cells has their value in the first row only. A key of a single field is never merged.
        """
        missing = [key for key in keys if have.get(key) in EMPTY]
        above = self._filled[entry.place.source]
        is_likely = entry.is_table and len(missing) < len(keys) and above.issuperset(missing)
        return _MERGED if is_likely else ""

    def _may_have_another_name(self, entry: Entry, keys: Iterable[str]) -> bool:
        """Return True if fields that are not written under their keys may be written under labels.

        The labels of fields whose keys the service generates are known only to the instance, and to a saved schema.
        """
        kind, schema = entry.kind, self._schemas.for_kind(entry.kind)
        if not kind.template:
            return False
        wanted = list(keys)
        is_known = kind.name in self._known
        if any(schema.find(key) is None and (not is_known or is_generated_key(key)) for key in wanted):
            return True
        types = {schema.fields[key].type for key in wanted if key in schema.fields}
        return any(
            schema.find(name) is None
            # A definition without a key may be that of a field whose key the service generated.
            or (not is_known and name in self._schemas.by_label_alone[kind.name] and schema.fields[name].type in types)
            for name in entry.fields
        )


def _as_written(value: Any) -> Any:
    """Return a value of unknown type in a form for lookups. An unquoted scalar is not a text."""
    return (type(value).__name__, repr(value)) if isinstance(value, (Plain, list, dict)) else value
