# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find mistakes in a desired state without an instance.

This is the beginning of a plan with an empty index: settings, written values, and natural keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import EMPTY, Field, Plain, edge_blanks, is_generated_key, shorten
from ...module_utils.model.kinds import OBJECT, Kind
from ...module_utils.model.schema import Schema
from ...module_utils.plan.change import CREATE, Change, check_choices
from ...module_utils.plan.relations import related
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.natural_keys import Key
from ..desired.desired import DesiredInstance
from ..desired.entry import Entry
from ..desired.lifecycle import NOTHING
from ..desired.observed import ACTUAL_KEYS, finding_words, warning_words
from ..desired.parsing import mark_as_written
from ..desired.positions import Finding, Place
from ..desired.remarks import Remarks, unfit_keys
from ..desired.table_reader import check_identity
from ..rules.rule import RuleSet
from ..set_plan.aspect import collect
from ..set_plan.plan import NO_CHANGE, Planned
from ..set_plan.reading import Reading
from .known_schemas import KnownSchemas
from .offline_rules import OfflineRules


def validate(
    desired: DesiredInstance, known: Mapping[str, Sequence[Field]] | None = None, rules: RuleSet | None = None
) -> list[Finding]:
    """Return every finding of reading and validation. Warnings go to the desired state.

    Validation checks types (if ``fields/`` or the service's own fields define them), missing and duplicate natural
    keys, and missing files.

    :param known: name of a kind to all its fields, if another source knows them.
    :param rules: the rules of the task.
    """
    reading = FileReading(desired, known or {})
    for place, words in check_identity(desired, reading.schema, reading.is_complete):
        reading.find(place, words)
    observed, remarks = OfflineObserved(desired), Remarks(desired.hiding)
    of_task = OfflineRules(rules or RuleSet(), reading.find, lambda schema: reading.is_complete(schema.kind))
    for entry in desired.entries:
        planned = reading.claim(entry, observed)
        if planned is not None and entry.state == "present":
            remarks.check(planned.schema, entry, planned.desired)
            of_task.check(planned.section, planned.schema, entry, planned.desired)
    for entry in desired.unmanaged:
        reading.claim(entry, observed)
    broken, doubtful = of_task.close()
    for finding in broken:
        reading.note(finding)
    desired.rule_warnings += doubtful
    desired.warnings += [*remarks.warnings(), *observed.warnings()]
    return reading.findings


class OfflineObserved:
    """Judge observed fields by their names, because there is no instance that knows them."""

    def __init__(self, desired: DesiredInstance) -> None:
        self._desired = desired
        self._written: dict[str, tuple[int, Place]] = {}

    def check(self, section: str, schema: Schema, entry: Entry) -> tuple[Place, str] | None:
        """Note what an entry writes. Return a finding with its place if the settings name one of its fields."""
        desired = self._desired
        if entry.state != "present" or (section not in desired.observed and entry.kind is not OBJECT):
            return None
        named = set(map(schema.key_of, desired.observed.get(section, ())))
        ignored = desired.lifecycle.get(section, NOTHING).ignore
        for name in entry.fields:
            key = schema.key_of(name)
            if key in named:
                return entry.place_of_name(name), finding_words(desired, section, name)
            if section not in desired.observed and key in ACTUAL_KEYS and not {key, name, "*"} & {*ignored}:
                number, place = self._written.get(name, (0, entry.place_of(name)))
                self._written[name] = (number + 1, place)
        return None

    def warnings(self) -> list[str]:
        """Return one warning about everything that was noted."""
        return [warning_words(OBJECT.section, self._written, False, "may be left out")] if self._written else []


class FileReading(Reading):
    """The entries of a set without an instance.

    :param known: name of a kind to all its fields, if another source knows them.
    """

    hooks = collect(())

    def __init__(self, desired: DesiredInstance, known: Mapping[str, Sequence[Field]]) -> None:
        super().__init__(desired)
        self._known = known
        self._schemas = KnownSchemas(desired.entries, known)

    def schema(self, kind: Kind) -> Schema:
        """Return the fields of a kind as far as the files know them."""
        return self._schemas.for_kind(kind)

    def is_complete(self, kind: Kind) -> bool:
        """Return True if all fields of a kind are known."""
        return not kind.template or kind.name in self._known

    def parse(self, schema: Schema, entry: Entry, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the canonical values of the fields whose types are known. Other values are findings."""
        kind = entry.kind
        if kind.defines_fields and fields.get("relations"):
            fields = {**fields, "relations": related(fields["relations"], tuple).relations}
        if kind.name in self._known:
            # The service generates keys that differ between instances. Such fields are named by their labels.
            fields = {name: value for name, value in fields.items() if schema.find(name) or not is_generated_key(name)}
        partial = not self.is_complete(kind) or kind.open_fields
        before = len(self.findings)
        values = self.wanted.parse(schema, entry, fields, partial)
        address = values.get(kind.short_key, "@")
        if "@" not in address:
            self.find(entry.place, f"{shorten(address)} does not fit; expected an e-mail address")
        if kind.defines_fields and len(self.findings) == before:
            try:
                check_choices(None, Change(kind, CREATE, values=values))
            except InvalidInput as wrong:
                self.find(entry.place_of("possible_values"), wrong.message)
        return values

    # ---- natural keys

    def key_of(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> Key | None:
        """Return the natural key of some values as they are written, because no record is known."""
        return natural_keys.key_of(schema, keys, {key: _as_written(values.get(key)) for key in keys}, mark_as_written)

    def claim(self, entry: Entry, observed: OfflineObserved) -> Planned | None:
        """Read an entry, and claim its natural key. Return None after a finding."""
        schema = self.schema(entry.kind)
        found = observed.check(entry.kind.section, schema, entry)
        if found is not None:
            self.find(*found)
        values, is_valid = self.read(entry)
        complaints = self.complaints
        if not is_valid or found is not None:
            return None
        # A value of an unknown type keeps its written form.
        unknown = {name: value for name, value in entry.fields.items() if schema.find(name) is None}
        keys, _key = self.claim_key(schema, {**unknown, **values}, entry)
        if self.complaints > complaints:
            return None
        return Planned(entry.kind.section, entry, schema, values, keys, "", NO_CHANGE[entry.kind.name])

    def key_fields(self, schema: Schema, values: Mapping[str, Any], entry: Entry) -> tuple[str, ...]:
        """Return the fields that identify a record, or nothing after a finding, or if they are unknown."""
        is_named = entry.rules.match or self.desired.identity.get(entry.kind.section)
        keys = self._named(entry, values) if is_named else self._default(entry, values)
        return keys if keys is not None and self._are_fit(schema, entry, keys, values) else ()

    def _are_fit(self, schema: Schema, entry: Entry, keys: Sequence[str], values: Mapping[str, Any]) -> bool:
        """Return True if a new record may have a natural key.

        An export writes keys of fields, line breaks and invisible characters, so the record probably exists. A plan
        knows it.
        """
        new = keys if entry.state == "present" and not entry.kind.defines_fields else ()
        unfit = list(unfit_keys(schema, entry, new, values, self.wanted.cells, edge_blanks))
        for place, error in unfit:
            self.find(place, error)
        return not unfit

    def _named(self, entry: Entry, have: Mapping[str, Any]) -> tuple[str, ...] | None:
        """Return the fields that identify a record by the names in the files, or None if that is unknown or wrong."""
        schema = self.schema(entry.kind)
        choices = [
            {name: schema.key_of(name) for name in names} for names in self.desired.key_choices(entry.kind, entry.rules)
        ]
        full = (names for names in choices if not any(have.get(key) in EMPTY for key in names.values()))
        fields = next(full, choices[0])
        keys = tuple(fields.values())
        left_out = [key for key in keys if key not in have]
        if left_out and self._may_have_another_name(entry, left_out):
            return None
        missing = [name for name, key in fields.items() if have.get(key) in EMPTY]
        if missing:
            named_by = (
                f"{entry.rules.setting}.match".strip(".") if entry.rules.match else f"identity.{entry.kind.section}"
            )
            words = f"{', '.join(missing)} must have a value, because {named_by} names it"
            self.without_key(schema, have, entry, words)
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
            self.without_key(self.schema(kind), have, entry, problem.message)
            return None

    def _may_have_another_name(self, entry: Entry, keys: Iterable[str]) -> bool:
        """Return True if fields that are not written under their keys may be written under labels.

        The labels of fields whose keys the service generates are known only to the instance, and to a saved schema.
        """
        kind, schema = entry.kind, self.schema(entry.kind)
        # A definition without a key may be that of a field whose key the service generated.
        labels = set() if kind.name in self._known else self._schemas.by_label_alone[kind.name]
        types = {None if (field := schema.find(key)) is None else field.type for key in keys}
        return bool(kind.template) and (
            None in types
            or any(
                (field := schema.find(name)) is None or (name in labels and field.type in types)
                for name in entry.fields
            )
        )


def _as_written(value: Any) -> Any:
    """Return a value of unknown type in a form for lookups. An unquoted scalar is not a text."""
    return (type(value).__name__, repr(value)) if isinstance(value, (Plain, list, dict)) else value
