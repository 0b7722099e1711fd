# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of a kind of record on an instance, and the meaning of written fields (section 2.2 of the interface)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import unless
from .field import (
    EMPTY,
    BrokenCell,
    Field,
    FieldType,
    InvalidValue,
    Spelling,
    Way,
    edge_blanks,
    integer_of,
    shorten,
    words_of,
)
from .kinds import FIELD_DEFINITION, SERVER_FIELDS, SERVER_KEYS, Kind, maps_in
from .names import normal_name
from .suggestions import closest_names
from .types_basic import FIELD_TYPES, UNWRITABLE, broken_rules, is_choice
from .types_composite import STRUCTURES
from .types_links import Reference, with_references

#: Every type by name: of the fields that instances define, and of the catalogue.
TYPES: dict[str, FieldType] = {**FIELD_TYPES, **STRUCTURES}


def type_of(field: Field) -> FieldType:
    """Return the representations of a field's type.

    A type that this collection does not know is read as is, never written.
    """
    return TYPES.get(field.type, UNWRITABLE)


def field_from_definition(definition: Mapping[str, Any]) -> Field:
    """Create a field from its definition as answered (section 2.2).

    Allowed values of a DROPDOWN are the union of the constraint allowed_values and possible_values, because instances
    use either.
    """
    field_type = definition.get("field_type")
    described: Mapping[str, Any] = field_type if isinstance(field_type, Mapping) else {}
    name = _text(described.get("name"))
    constraints = {_text(item.get("type")): item.get("value") for item in maps_in(described.get("constraints"))}
    attributes: dict[str, list[Any]] = {}
    for item in maps_in(definition.get("attributes")):
        attributes.setdefault(_text(item.get("type")), []).append(item.get("value"))
    allowed = _list(constraints.pop("allowed_values", None))
    if name == "DROPDOWN":
        allowed = [*allowed, *_list(definition.get("possible_values"))]
    digits = attributes.get("fraction_digits")
    key = str(definition.get("field_key"))
    return Field(
        key=key,
        type=name,
        label=_text(definition.get("label")),
        uuid=_text(definition.get("uuid")),
        mandatory="yes" in attributes.get("mandatory", ()) and key not in SERVER_KEYS,
        unique="yes" in attributes.get("unique", ()),
        allowed=tuple(dict.fromkeys(value for value in allowed if isinstance(value, str))),
        constraints={rule: limit for rule, limit in constraints.items() if limit is not None},
        fraction_digits=integer_of(digits[0]) if digits else None,
        has_default=definition.get("default_value") not in EMPTY,
    )


def _text(value: Any) -> str:
    """Return a value that should be a text, or an empty text for anything else that an instance may answer."""
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


#: Minimum similarity of two names for a typo.
_SIMILARITY = 0.65


_UNFIT = "this value does not fit its field"


@dataclass(frozen=True)
class Misfit:
    """A wrong value, and the reason apart from it. Of many values with the same reason, only one is reported.

    :ivar value: as written.
    :ivar why: what is wrong with it; equal for all with the same reason.
    :ivar spelling: how programs spell the values of its field.
    :ivar is_unknown: True for a choice or the name of a record that the instance does not know.
    """

    value: Any
    why: str
    spelling: Spelling = Spelling.PLAIN
    is_unknown: bool = False


class FieldError(str):
    """A mistake in one value of a desired record, in words.

    :ivar way: path from the record to the value; it begins with the field name as written.
    :ivar gist: the message if the value must not be shown.
    :ivar misfit: the value and the reason, if many records may have the same mistake.
    """

    way: Way
    gist: str
    misfit: Misfit | None

    @classmethod
    def at(cls, way: Way, words: str, gist: str = "", misfit: Misfit | None = None) -> FieldError:
        """Create the error about the value at a path."""
        error = cls(words)
        error.way = way
        error.gist = gist
        error.misfit = misfit
        return error

    @classmethod
    def unfit(
        cls,
        way: Way,
        location: str,
        value: Any,
        why: str,
        spelling: Spelling = Spelling.PLAIN,
        is_unknown: bool = False,
    ) -> FieldError:
        """Create the error for a value that does not fit its field.

        :param location: what the value is called. :param why: what would fit.
        :param spelling: how programs spell the values of its field.
        :param is_unknown: True for a choice that the instance does not know.
        """
        blanks = edge_blanks(value) if isinstance(value, str) else ""
        why = f"{why}; it {blanks}" if blanks else why
        return cls.at(
            way, f"{location}: {shorten(value)} does not fit; {why}", _UNFIT, Misfit(value, why, spelling, is_unknown)
        )


def cause_of(problem: str) -> str:
    """Return the reason without the value: it is equal for all values that are wrong in the same way."""
    misfit = problem.misfit if isinstance(problem, FieldError) else None
    return misfit.why if misfit else problem


def _as_shown(name: str) -> str:
    """Return a label as people see it, with one space between its words."""
    return normal_name(" ".join(name.split()))


def _as_allowed(value: Any, field: Field) -> Any:
    """Return a written value in the spelling of the choice that it means."""
    if value in field.allowed or not isinstance(value, str):
        return value
    return next((choice for choice in field.allowed if normal_name(choice) == normal_name(value)), value)


def _unfit(way: Way, location: str, value: Any, expected: str, field: Field) -> FieldError:
    if isinstance(value, BrokenCell):
        return FieldError.at(way, f"{location}: this is not JSON: {value.why}", _UNFIT)
    return FieldError.unfit(way, location, value, f"expected {expected}", type_of(field).spelling)


@dataclass
class ParseErrors:
    """The mistakes in a desired record.

    :ivar errors: stop the record. :ivar unknown: fields that may be created later (check mode).
    :ivar fitting: by field key, the lists with only some items that fit, with None in place of the others.
    """

    errors: list[FieldError] = field(default_factory=list)
    unknown: list[FieldError] = field(default_factory=list)
    fitting: dict[str, tuple[Any, ...]] = field(default_factory=dict)


#: Returns a reference with more known members, or the reference itself.
Completed = Callable[[Reference], Reference]

#: Maximum number of cached values per field.
#:
#: Only dates, numbers and flags repeat, so other fields must not fill the memory.
_MOST_KEPT = 4096


class _Known:
    """A field with the parsed values of earlier texts, because most values of very many records repeat.

    :ivar has_rules: True if values must meet more than their type.
    :ivar is_special: True if equal values may still have a finding.
    :ivar parsed: user input to its canonical value.
    :ivar read: answer to its canonical value.
    """

    __slots__ = ("_is_kept", "faces", "field", "has_rules", "is_special", "parsed", "read", "wire_key")

    def __init__(self, field: Field) -> None:
        self.field, self.wire_key = field, field.wire_key
        self.faces = type_of(field)
        self.has_rules = bool(field.allowed or field.constraints or field.mandatory)
        self.is_special = self.faces.merge is not None or bool(self.faces.changed_by_time) or field.retyped
        self.parsed: dict[str, Any] = {}
        self.read: dict[str, Any] = {}
        # Plain texts cost nothing to parse, and each reference must be an object of its own.
        self._is_kept = self.faces.spelling is not Spelling.PLAIN

    def keep(self, values: dict[str, Any], text: Any, value: Any) -> None:
        """Cache the value of a text."""
        if self._is_kept and text.__class__ is str and len(values) < _MOST_KEPT:
            values[text] = value


class Schema:
    """The fields of one kind of record on one instance, by key and, if unique, by label.

    :ivar revision: how often fields were added or replaced.
    """

    def __init__(self, kind: Kind, fields: Iterable[Field]) -> None:
        self.kind = kind
        self.revision = 0
        self.fields: dict[str, Field] = {}
        self._by_name: dict[str, _Known] = {}
        self._by_key: dict[str, _Known] = {}
        self.take(fields)

    @classmethod
    def for_kind(cls, kind: Kind, definitions: Iterable[Mapping[str, Any]] = ()) -> Schema:
        """Create the schema of a kind: from its definitions if it has a template, else from the catalogue."""
        if not kind.template:
            return cls(kind, kind.fields)
        return cls(kind, [field_from_definition(definition) for definition in definitions])

    def take(self, fields: Iterable[Field]) -> None:
        """Add fields, and replace fields with the same keys."""
        prefix = self.kind.key_prefix
        if prefix:
            fields = [
                replace(
                    field,
                    wire=prefix + field.wire_key.removeprefix(prefix),
                    mandatory=False,
                    unique=False,
                    has_default=False,
                )
                for field in fields
            ]
        self.fields.update((field.key, field) for field in fields)
        labels = [(_as_shown(field.label), field) for field in self.fields.values() if field.label]
        shared = Counter(label for label, _field in labels)
        self._by_label = {label: field for label, field in labels if shared[label] == 1}
        self._by_name.clear()
        self._by_key.clear()
        self.revision += 1
        self.has_instants = any(type_of(field).spelling is Spelling.INSTANT for field in self.fields.values())

    def learn(self, keys: Iterable[str]) -> None:
        """Add every key of a record as a field, for kinds without definitions."""
        for key in keys:
            if key not in SERVER_KEYS:
                self.fields.setdefault(key, Field(key, "TEXT"))

    def find(self, name: str) -> Field | None:
        """Return the field with this key, with or without the prefix of its kind, else the field with this label.

        A label may be in any Unicode normal form and have any spaces and line feeds between its words: spreadsheets
        wrap headers.
        """
        prefix = self.kind.key_prefix
        return (
            self.fields.get(name)
            or (self.fields.get(name.removeprefix(prefix)) if prefix else None)
            or self._by_label.get(_as_shown(name))
        )

    def key_of(self, name: str) -> str:
        """Return the key of the field with this key or label. A name that means no field stays as it is."""
        found = self.find(name)
        return name if found is None else found.key

    def is_unique(self, field: Field) -> bool:
        """Return True if no other field has a key or a label that looks like the label of a field."""
        label = _as_shown(field.label)
        others = (other for other in self.fields.values() if other.key != field.key)
        return all(label not in (_as_shown(other.key), _as_shown(other.label)) for other in others)

    def _sharing(self, label: str) -> list[str]:
        """Return the keys of the fields that share a label, if it is not unique."""
        shown = _as_shown(label)
        keys = [field.key for field in self.fields.values() if shown and _as_shown(field.label) == shown]
        return keys if len(keys) > 1 else []

    def why_unknown(self, name: str) -> str:
        """Return why a name is not a field: it does not exist, or several fields share the label."""
        keys = self._sharing(name)
        if keys:
            return f"the label of {len(keys)} fields, {' and '.join(keys)}; write the key of the field that you mean"
        known = f"known are {', '.join(sorted(self.fields))}" if self.fields else "this template has no fields"
        return f"no such field in {self.kind.singular}; {self._closest(name) or known}"

    def not_yet(self, name: str) -> str:
        """Return the message for a missing field that somebody may create in time."""
        problem = f"{name}: no such field in {self.kind.singular} yet"
        return unless("; ".join(filter(None, (problem, self._closest(name)))), "creates it")

    def _closest(self, name: str) -> str:
        """Return the names closest to an unknown name as a question; empty if none is close."""
        suggestions = self._on_the_wire(name) or closest_names(name, self._names(), 3, _SIMILARITY)
        return f"did you mean {' or '.join(suggestions)}?" if suggestions else ""

    def _on_the_wire(self, name: str) -> list[str]:
        """Return the field that bodies of the service call by a name, if the name is not a field."""
        is_split = name in self.kind.split_members
        return [
            field.key
            for field in self.fields.values()
            if field.wire_key == name or (is_split and name.endswith(f"_{field.key}"))
        ]

    def _names(self) -> list[str]:
        return list(dict.fromkeys([*self.fields, *(field.label for field in self._by_label.values())]))

    def parse(
        self, written: Mapping[str, Any], prefix: str, allow_unknown: bool = False
    ) -> tuple[dict[str, Any], ParseErrors]:
        """Convert written values to canonical values by field key.

        :param written: field key (or label) to value; None clears.
        :param prefix: text before the field's name in a message, such as ``fields.``.
        :param allow_unknown: pass a key that the template does not know unchanged.
        :returns: the values that fit, and the findings about the others.
        """
        parsed: dict[str, Any] = {}
        findings = ParseErrors()
        for name, value in written.items():
            known = self._by_name.get(name)
            if known is not None and value.__class__ is str and value in known.parsed and known.field.key not in parsed:
                parsed[known.field.key] = known.parsed[value]
                continue
            field = self.find(name) if known is None else known.field
            at = f"{prefix}{name}"
            if name in SERVER_KEYS or (field is not None and field.key in SERVER_KEYS):
                words = f"{at}: this field is set by the service and can't be written"
                findings.errors.append(FieldError.at((name,), words))
            elif field is None and self._sharing(name):
                findings.errors.append(FieldError.at((name,), f"{at}: {self.why_unknown(name)}"))
            elif field is None and allow_unknown:
                self.fields[name] = Field(name, "ANY")
                parsed[name] = value
            elif field is None:
                gist = f"no such field in {self.kind.singular}"
                findings.unknown.append(FieldError.at((name,), f"{at}: {self.why_unknown(name)}", gist))
            elif field.key in parsed:
                words = f"{at}: the field {field.key} is written twice, by its key and by its label"
                findings.errors.append(FieldError.at((name,), words))
            else:
                try:
                    parsed[field.key] = self.parse_value(value, field, at)
                except InvalidValue as unfit:
                    findings.fitting[field.key] = unfit.fitting
                    findings.errors += [
                        _unfit((name, *way), words_of((at, *way)), part, expected, field)
                        for way, part, expected in unfit.misfits(value)
                    ]
                else:
                    known = known or self._by_name.setdefault(name, _Known(field))
                    broken = broken_rules(parsed[field.key], field) if known.has_rules else ()
                    is_unknown = bool(broken) and not is_choice(parsed[field.key], field)
                    findings.errors += [
                        FieldError.unfit((name,), at, value, rule, is_unknown=is_unknown) for rule in broken
                    ]
                    if not broken:
                        known.keep(known.parsed, value, parsed[field.key])
        return parsed, findings

    def parse_value(self, value: Any, field: Field, location: str) -> Any:
        """Convert one written value to its canonical value, without the rules of its field.

        :param location: the name of the field in messages.
        :raises InvalidValue: if it does not fit the type.
        """
        faces = type_of(field)
        if value is None and faces.writable:
            # Maps are merged: None clears the whole map, and an empty map changes nothing.
            return None if faces.merge else faces.empty
        parsed = faces.parse(value, field)
        if not isinstance(parsed, (Reference, tuple)):
            return _as_allowed(parsed, field) if field.allowed else parsed
        return with_references(parsed, lambda reference: replace(reference, location=location))

    def missing(self, parsed: Mapping[str, Any]) -> list[str]:
        """Return the keys of mandatory fields without a value, for a record to create."""
        return [
            field.key for field in self.fields.values() if field.mandatory and parsed.get(field.key) in (None, (), "")
        ]

    def read(self, flat: Mapping[str, Any]) -> dict[str, Any]:
        """Convert a flat record of an answer to canonical values by field key. Leave out keys that are not fields."""
        return {
            key: type_of(field).read(flat.get(field.wire_key), field)
            for key, field in self.fields.items()
            if field.wire_key in flat
        }

    def read_field(self, key: str, flat: Mapping[str, Any]) -> Any:
        """Return one field of a flat record as its canonical value, or "nothing" if it is missing."""
        field = self.fields[key]
        faces = type_of(field)
        value = faces.read(flat.get(field.wire_key), field)
        return faces.empty if value is None else value

    def has_values(self, desired: Mapping[str, Any], flat: Mapping[str, Any], completed: Completed) -> bool:
        """Return True if a flat record certainly has these values, and none of them is a finding."""
        for key, value in desired.items():
            known = self._by_key.get(key) or self._by_key.setdefault(key, _Known(self.fields[key]))
            if known.is_special:
                return False
            raw = flat.get(known.wire_key)
            if isinstance(value, str) and raw == value:
                continue
            if raw.__class__ is str and raw in known.read:
                is_now = known.read[raw]
            else:
                is_now = known.faces.read(raw, known.field)
                known.keep(known.read, raw, is_now)
            if is_now is None:
                is_now = known.faces.empty
            elif isinstance(is_now, (Reference, tuple)):
                is_now = with_references(is_now, completed)
            if not known.faces.equal(value, is_now, known.field):
                return False
        return True

    def show(self, flat: Mapping[str, Any], completed: Completed = lambda reference: reference) -> dict[str, Any]:
        """Return a flat record of an answer in its normalised form: one form for each type.

        :param completed: adds known members to a reference if the service did not return them.
        """
        hidden = {*self.kind.uuid_keys, *self.kind.split_members, *(field.wire_key for field in self.fields.values())}
        shown = {key: value for key, value in flat.items() if key not in hidden}
        answered = {**SERVER_FIELDS, **{field.key: field for field in self.kind.answered}}
        for key in answered.keys() & shown.keys():
            shown[key] = _shown_as_typed(shown[key], answered[key], completed)
        values = {key: with_references(value, completed) for key, value in self.read(flat).items()}
        return shown | self.show_canonical(values)

    def show_canonical(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return canonical values in the same form, for a record that does not exist yet."""
        prefix = self.kind.key_prefix
        known = [(self.fields[key], value) for key, value in values.items() if key in self.fields]
        return {prefix + field.key: type_of(field).show(value) for field, value in known}

    def write(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Convert canonical values by field key to the values to send, by key in requests."""
        return {self.fields[key].wire_key: type_of(self.fields[key]).write(value) for key, value in values.items()}

    def equal(self, key: str, left: Any, right: Any) -> bool:
        """Return True if two canonical values of a field mean the same."""
        field = self.fields[key]
        return type_of(field).equal(left, right, field)

    def brief(self, key: str, value: Any) -> Any:
        """Return a canonical value as a diff shows it. A text is shown as it is."""
        if value.__class__ is str:
            return value
        faces = type_of(self.fields[key])
        return (faces.brief or faces.show)(value)


def _shown_as_typed(value: Any, field: Field, completed: Completed) -> Any:
    """Return a value that occurs only in answers in the form of its type.

    An empty value is null, a text stays unchanged.
    """
    if value in EMPTY:
        return None
    faces = type_of(field)
    return value if faces.is_text else faces.show(with_references(faces.read(value, field), completed))


def field_to_be(values: Mapping[str, Any]) -> Field | None:
    """Return a field as it will be after the change of its definition.

    :param values: canonical values of a field definition; None if its type is not among them.
    """
    if not isinstance(values.get("type"), str):
        return None
    schema = Schema.for_kind(FIELD_DEFINITION)
    raw = schema.write({key: value for key, value in values.items() if value is not None and key != "relations"})
    raw["field_type"] = {"name": values["type"], "constraints": raw.get("constraints")}
    return field_from_definition(raw)
