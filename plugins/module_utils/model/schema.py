# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fields of a kind of record on an instance, and the meaning of a person's fields in it (section 2.2 of the
interface).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .field import EMPTY, BrokenCell, Field, FieldType, InvalidValue, Spelling, Way, edge_blanks, shorten, words_of
from .kinds import FIELD_DEFINITION, SERVER_FIELDS, SERVER_KEYS, Kind
from .near import composed, near_names, slips
from .types_basic import FIELD_TYPES, UNWRITABLE, broken_rules
from .types_composite import STRUCTURES
from .types_links import Reference, references_in

TYPES: dict[str, FieldType] = {**FIELD_TYPES, **STRUCTURES}
"""Every type by its name: those of the fields that instances define, and those of the catalogue."""


def type_of(field: Field) -> FieldType:
    """The faces of a field's type; a type that this collection does not know is read as it comes and never written."""
    return TYPES.get(field.type, UNWRITABLE)


def field_from_definition(definition: Mapping[str, Any]) -> Field:
    """A field from its definition as answered (section 2.2).

    Allowed values of a DROPDOWN are the union of the constraint allowed_values and possible_values, because instances
    use either.
    """
    field_type = definition.get("field_type")
    described: Mapping[str, Any] = field_type if isinstance(field_type, Mapping) else {}
    name = _text(described.get("name"))
    constraints = {_text(item.get("type")): item.get("value") for item in _maps(described.get("constraints"))}
    attributes: dict[str, list[Any]] = {}
    for item in _maps(definition.get("attributes")):
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
        fraction_digits=_whole(digits[0]) if digits else None,
        has_default=definition.get("default_value") not in EMPTY,
    )


def _text(value: Any) -> str:
    """A value that should be a text; empty for anything else that an instance may answer."""
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _maps(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in _list(value) if isinstance(item, Mapping)]


def _whole(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


_NEAR = 0.65
"""How much alike two names must be for one to be taken for a slip of the other."""


_UNFIT = "this value does not fit its field"


@dataclass(frozen=True)
class Misfit:
    """A value that is wrong, apart from why: of many alike, one is told.

    :ivar value: as it was written. :ivar why: what is wrong with it, which is the same for all alike.
    :ivar spelling: the kind of value that its field wants.
    """

    value: Any
    why: str
    spelling: Spelling = Spelling.PLAIN


class FieldError(str):
    """A mistake in one value of a desired record, in words.

    :ivar way: from the record to the value; it begins with the name of a field as it was written.
    :ivar gist: what may be told of it where the value must not be shown.
    :ivar misfit: the value and why, where many records may have the same mistake.
    """

    way: Way
    gist: str
    misfit: Misfit | None

    @classmethod
    def at(cls, way: Way, words: str, gist: str = "", misfit: Misfit | None = None) -> FieldError:
        """The words about the value that a way leads to."""
        error = cls(words)
        error.way = way
        error.gist = gist
        error.misfit = misfit
        return error

    @classmethod
    def unfit(cls, way: Way, location: str, value: Any, why: str, spelling: Spelling = Spelling.PLAIN) -> FieldError:
        """Return the error for a value that does not fit its field.

        :param location: what the value is called. :param why: what would fit.
        :param spelling: the kind of value that its field wants.
        """
        blanks = edge_blanks(value) if isinstance(value, str) else ""
        why = f"{why}; it {blanks}" if blanks else why
        return cls.at(way, f"{location}: {shorten(value)} does not fit; {why}", _UNFIT, Misfit(value, why, spelling))


def cause_of(problem: str) -> str:
    """Return what is wrong without the value: equal for all values that are wrong for the same reason."""
    misfit = problem.misfit if isinstance(problem, FieldError) else None
    return misfit.why if misfit else problem


def _look(name: str) -> str:
    """A label as it looks, one blank between its words."""
    return composed(" ".join(name.split()))


def _unfit(way: Way, location: str, value: Any, expected: str, field: Field) -> FieldError:
    if isinstance(value, BrokenCell):
        return FieldError.at(way, f"{location}: this is not JSON: {value.why}", _UNFIT)
    return FieldError.unfit(way, location, value, f"expected {expected}", type_of(field).spelling)


@dataclass
class ParseErrors:
    """The mistakes in a desired record: ``errors`` stop it; ``unknown`` are fields that may come into being (check
    mode). ``fitting`` has the lists of which only some items fit, by field key, with None in place of the others.
    """

    errors: list[FieldError] = field(default_factory=list)
    unknown: list[FieldError] = field(default_factory=list)
    fitting: dict[str, tuple[Any, ...]] = field(default_factory=dict)


_MOST_KEPT = 4096
"""Dates, numbers and flags repeat themselves. Of a field whose values do not, no more than these are kept."""


class _Known:
    """A field with what its texts came to before: most values of very many records are equal.

    :ivar has_rules: whether values must meet more than their type.
    :ivar is_special: whether values may be equal, and still there is something to say.
    :ivar parsed: the text of a person to its canonical value. :ivar read: the text of an answer to the same.
    """

    __slots__ = ("_is_kept", "faces", "field", "has_rules", "is_special", "parsed", "read")

    def __init__(self, field: Field) -> None:
        self.field = field
        self.faces = type_of(field)
        self.has_rules = bool(field.allowed or field.constraints or field.mandatory)
        self.is_special = self.faces.merge is not None or bool(self.faces.made_by_time) or field.retyped
        self.parsed: dict[str, Any] = {}
        self.read: dict[str, Any] = {}
        # A plain text is no work, and a reference is another value each time.
        self._is_kept = self.faces.spelling is not Spelling.PLAIN

    def keep(self, values: dict[str, Any], text: Any, value: Any) -> None:
        """Keep what a text came to."""
        if self._is_kept and text.__class__ is str and len(values) < _MOST_KEPT:
            values[text] = value


class Schema:
    """The fields of one kind of record on one instance, by key and, where it is unique, by label."""

    def __init__(self, kind: Kind, fields: Iterable[Field]) -> None:
        self.kind = kind
        self.fields: dict[str, Field] = {}
        self._by_name: dict[str, _Known] = {}
        self._by_key: dict[str, _Known] = {}
        self.take(fields)

    @classmethod
    def of(cls, kind: Kind, definitions: Iterable[Mapping[str, Any]] = ()) -> Schema:
        """The schema of a kind: from its definitions where it has a template, else from the catalogue."""
        if not kind.template:
            return cls(kind, kind.fields)
        return cls(kind, [field_from_definition(one) for one in definitions])

    def take(self, fields: Iterable[Field]) -> None:
        """Adds fields, or has them in place of those with the same keys."""
        prefix = self.kind.key_prefix
        if prefix:
            fields = [
                replace(
                    one,
                    wire=prefix + one.wire_key.removeprefix(prefix),
                    mandatory=False,
                    unique=False,
                    has_default=False,
                )
                for one in fields
            ]
        self.fields.update((one.key, one) for one in fields)
        labels = Counter(one.label for one in self.fields.values())
        self._by_label = {one.label: one for one in self.fields.values() if one.label and labels[one.label] == 1}
        looks = Counter(map(_look, self._by_label))
        self._by_look = {_look(name): one for name, one in self._by_label.items() if looks[_look(name)] == 1}
        self._by_name.clear()
        self._by_key.clear()

    def learn(self, keys: Iterable[str]) -> None:
        """Takes every key that a record has as a field, for kinds without definitions."""
        for key in keys:
            if key not in SERVER_KEYS:
                self.fields.setdefault(key, Field(key, "TEXT"))

    def find(self, name: str) -> Field | None:
        """The field with this key, with or without the prefix of its kind; else the field with this label.

        A label may be in any normal form of Unicode, and have any blanks and line feeds between its words: spreadsheets
        wrap headers.
        """
        prefix = self.kind.key_prefix
        found = (
            self.fields.get(name)
            or (self.fields.get(name.removeprefix(prefix)) if prefix else None)
            or self._by_label.get(name)
        )
        return found if found is not None else self._by_look.get(_look(name))

    def _sharing(self, label: str) -> list[str]:
        """The keys of the fields with one label, where there are several."""
        keys = [one.key for one in self.fields.values() if one.label == label and label]
        return keys if len(keys) > 1 else []

    def why_unknown(self, name: str) -> str:
        """Says in words why a name means none of the fields: there is none, or its label is shared."""
        keys = self._sharing(name)
        if keys:
            return f"the label of {len(keys)} fields, {' and '.join(keys)}; write the key of the one that is meant"
        return f"no such field in {self.kind.one}; {self.nearest(name)}"

    def not_yet(self, name: str) -> str:
        """Says in words that a field is not there, where somebody may make it before it is written."""
        return f"{name}: no such field in {self.kind.one} yet; an earlier task may be the one that makes it."

    def nearest(self, name: str) -> str:
        """The names that come nearest to one that is not known, in words."""
        near = near_names(name, self._names(), 3, _NEAR)
        if near:
            return f"did you mean {' or '.join(near)}?"
        return f"known are {', '.join(sorted(self.fields))}" if self.fields else "this template has no fields"

    def is_slip(self, name: str) -> bool:
        """Return True if an unknown name is most likely a typo of a known one.

        A key in capitals is no typo: ``Condition`` may be the label of a field to come, beside the key ``condition``.
        """
        return any(one not in self.fields or one != name.casefold() for one in slips(name, self._names()))

    def _names(self) -> list[str]:
        return list(dict.fromkeys([*self.fields, *self._by_label]))

    def parse(
        self, written: Mapping[str, Any], prefix: str, allow_unknown: bool = False
    ) -> tuple[dict[str, Any], ParseErrors]:
        """Turns what a person wrote into canonical values by field key.

        :param written: field key (or label) to value; None clears.
        :param prefix: what stands before the field's name in a message, such as ``fields.``.
        :param allow_unknown: pass a key that the template does not know as it is.
        :returns: the values that fit, and the findings about those that do not.
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
            if name in SERVER_KEYS:
                words = f"{at}: this field is made by the service and can't be written"
                findings.errors.append(FieldError.at((name,), words))
            elif field is None and self._sharing(name):
                findings.errors.append(FieldError.at((name,), f"{at}: {self.why_unknown(name)}"))
            elif field is None and allow_unknown:
                self.fields[name] = Field(name, "ANY")
                parsed[name] = value
            elif field is None:
                gist = f"no such field in {self.kind.one}"
                findings.unknown.append(FieldError.at((name,), f"{at}: {self.why_unknown(name)}", gist))
            elif field.key in parsed:
                words = f"{at}: the field {field.key} is written twice, by its key and by its label"
                findings.errors.append(FieldError.at((name,), words))
            else:
                try:
                    parsed[field.key] = self._parse_one(value, field, at)
                except InvalidValue as unfit:
                    findings.fitting[field.key] = unfit.fitting
                    findings.errors += [
                        _unfit((name, *way), words_of((at, *way)), part, expected, field)
                        for way, part, expected in unfit.each_one(value)
                    ]
                else:
                    known = known or self._by_name.setdefault(name, _Known(field))
                    broken = broken_rules(parsed[field.key], field) if known.has_rules else ()
                    findings.errors += [FieldError.unfit((name,), at, value, rule) for rule in broken]
                    if not broken:
                        known.keep(known.parsed, value, parsed[field.key])
        return parsed, findings

    def _parse_one(self, value: Any, field: Field, location: str) -> Any:
        faces = type_of(field)
        if value is None and faces.writable:
            # A map is merged: "nothing" clears all of it, and an empty map changes nothing.
            return None if faces.merge else faces.empty
        parsed = faces.parse(value, field)
        if parsed.__class__ is not str:
            for reference in references_in(parsed):
                reference.location = location
        return parsed

    def missing(self, parsed: Mapping[str, Any]) -> list[str]:
        """The keys of mandatory fields without a value, for a record that is to be made."""
        return [
            field.key for field in self.fields.values() if field.mandatory and parsed.get(field.key) in (None, (), "")
        ]

    def read(self, flat: Mapping[str, Any]) -> dict[str, Any]:
        """A flat record of an answer to canonical values by field key; keys that are no fields are left out."""
        return {
            key: type_of(field).read(flat.get(field.wire_key), field)
            for key, field in self.fields.items()
            if field.wire_key in flat
        }

    def read_one(self, key: str, flat: Mapping[str, Any]) -> Any:
        """One field of a flat record as its canonical value; "nothing" where it is not there."""
        field = self.fields[key]
        faces = type_of(field)
        value = faces.read(flat.get(field.wire_key), field)
        return faces.empty if value is None else value

    def holds(self, desired: Mapping[str, Any], flat: Mapping[str, Any], complete: Callable[[Reference], None]) -> bool:
        """Return True if a flat record certainly has some values, and there is nothing else to say about them."""
        for key, value in desired.items():
            known = self._by_key.get(key) or self._by_key.setdefault(key, _Known(self.fields[key]))
            if known.is_special:
                return False
            raw = flat.get(known.field.wire_key)
            if isinstance(value, str) and raw == value:
                continue
            if raw.__class__ is str and raw in known.read:
                is_now = known.read[raw]
            else:
                is_now = known.faces.read(raw, known.field)
                known.keep(known.read, raw, is_now)
            if is_now is None:
                is_now = known.faces.empty
            elif not isinstance(is_now, str):
                for reference in references_in(is_now):
                    complete(reference)
            if not known.faces.equal(value, is_now, known.field):
                return False
        return True

    def show(
        self, flat: Mapping[str, Any], complete: Callable[[Reference], None] = lambda _one: None
    ) -> dict[str, Any]:
        """A flat record of an answer in its normalised read shape: one for each type, however it came.

        :param complete: fills in what the service did not say of a reference, where that is known.
        """
        hidden = {*self.kind.uuid_keys, *self.kind.taken_apart, *(field.wire_key for field in self.fields.values())}
        shown = {key: value for key, value in flat.items() if key not in hidden}
        answered = {**SERVER_FIELDS, **{field.key: field for field in self.kind.answered}}
        for key in answered.keys() & shown.keys():
            shown[key] = _shown_as_typed(shown[key], answered[key], complete)
        values = self.read(flat)
        for reference in references_in(tuple(values.values())):
            complete(reference)
        return shown | self.show_canonical(values)

    def show_canonical(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Canonical values in the same read shape, for a record that is not there yet."""
        prefix = self.kind.key_prefix
        known = [(self.fields[key], value) for key, value in values.items() if key in self.fields]
        return {prefix + field.key: type_of(field).show(value) for field, value in known}

    def write(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Canonical values by field key to what is sent, by key on the wire."""
        return {self.fields[key].wire_key: type_of(self.fields[key]).write(value) for key, value in values.items()}

    def equal(self, key: str, left: Any, right: Any) -> bool:
        """Tells whether two canonical values of a field mean the same."""
        field = self.fields[key]
        return type_of(field).equal(left, right, field)

    def brief(self, key: str, value: Any) -> Any:
        """A canonical value as it stands in a diff."""
        faces = type_of(self.fields[key])
        return (faces.brief or faces.show)(value)


def _shown_as_typed(value: Any, field: Field, complete: Callable[[Reference], None]) -> Any:
    """A value that only answers have, in the shape of its type; nothing as null. A text stays what it is."""
    if value in EMPTY:
        return None
    faces = type_of(field)
    read = faces.read(value, field)
    for reference in references_in(read):
        complete(reference)
    return value if faces.is_text else faces.show(read)


def field_to_be(values: Mapping[str, Any]) -> Field | None:
    """A field as it is once its definition has some values.

    :param values: canonical values of a field definition; None where its type is not among them.
    """
    if not isinstance(values.get("type"), str):
        return None
    schema = Schema.of(FIELD_DEFINITION)
    raw = schema.write({key: value for key, value in values.items() if value is not None and key != "relations"})
    raw["field_type"] = {"name": values["type"], "constraints": raw.get("constraints")}
    return field_from_definition(raw)
