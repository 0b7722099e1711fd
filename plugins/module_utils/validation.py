# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a desired state, as far as that can be told without asking an instance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import matching, plan
from .desired import SECTIONS, DesiredInstance, Entry, Finding, Place
from .errors import InvalidInput
from .fields import Field
from .hub_plan import schema as hub_schema
from .kinds import FIELD_DEFINITION, HUB_ITEM, Kind
from .links import Reference
from .portable import is_made
from .relations import names_fields, with_uuids
from .schema import Misfit, Schema, field_to_be
from .wanted import Wanted

_KINDS = {kind: section for section, kind in SECTIONS.items()}


def judge(desired: DesiredInstance, known: Mapping[str, Sequence[Field]] | None = None) -> list[Finding]:
    """Every finding: those of reading, types where ``fields/`` or the service's own fields tell them, natural keys that
    are missing or stand twice, files that are not there.

    :param known: name of a kind to all the fields that it has, where something else tells them.
    """
    return _Judge(desired, known or {}).run()


class _Judge:
    def __init__(self, desired: DesiredInstance, known: Mapping[str, Sequence[Field]]) -> None:
        self._desired = desired
        self._known = known
        self._found = dict.fromkeys(desired.findings)
        self._misread = desired.misread_places()
        self._complaints = 0
        self._wanted = Wanted(desired, self._find)
        self._schemas: dict[str, Schema] = {}
        self._claimed: dict[tuple[Any, ...], Place] = {}

    def run(self) -> list[Finding]:
        for entry in self._desired.entries:
            before = self._complaints
            values = self._parse(entry)
            if self._complaints == before:
                self._claim(entry, values)
        return sorted(self._found, key=lambda one: (one.place.source, one.place.line, one.place.column))

    def _find(self, place: Place, message: str) -> None:
        # What is wrong with many records may be one finding.
        self._complaints += 1
        if place not in self._misread:
            self._found[Finding(place, message, getattr(message, "gist", ""))] = None

    def _parse(self, entry: Entry) -> dict[str, Any]:
        schema = self._schema(entry.kind)
        fields = entry.fields
        if entry.kind is FIELD_DEFINITION and names_fields(fields.get("relations")):
            fields = {**fields, "relations": with_uuids(fields["relations"], ())[0]}
        told = entry.kind.name in self._known
        if told:
            # Fields are known by their labels where the service made their keys, which differ between instances.
            fields = {name: value for name, value in fields.items() if schema.find(name) or not is_made(name)}
        partial = (bool(entry.kind.template) and not told) or entry.kind.open_fields
        values = self._wanted.parse(schema, entry, fields, partial)
        if entry.kind is FIELD_DEFINITION:
            try:
                plan.check_choices(None, plan.Change(FIELD_DEFINITION, plan.CREATE, values=values))
            except InvalidInput as wrong:
                self._find(entry.place_of("possible_values"), wrong.message)
        return values

    def _schema(self, kind: Kind) -> Schema:
        if kind.name not in self._schemas:
            fields = [*kind.fields, *kind.identity] if kind.template else list(kind.fields)
            fields = [*self._known.get(kind.name, fields)]
            schema = hub_schema() if kind is HUB_ITEM else Schema(kind, fields)
            for entry in self._desired.entries:
                if entry.kind is FIELD_DEFINITION and entry.template and entry.template == kind.template:
                    schema.fields.update((one.key, one) for one in _fields_of(entry))
            self._schemas[kind.name] = schema
        return self._schemas[kind.name]

    def _claim(self, entry: Entry, values: Mapping[str, Any]) -> None:
        section = _KINDS[entry.kind.name]
        named = list(self._desired.identity.get(section, ()))
        if named and not all(name in values for name in named):
            missing = ", ".join(name for name in named if name not in entry.fields)
            if missing:
                self._find(entry.place, f"{missing} must have a value, because identity.{section} names it")
            return
        try:
            keys = ("object",) if entry.kind is HUB_ITEM else matching.key_fields(entry.kind, named or None, values)
        except InvalidInput as problem:
            self._find(entry.place, problem.message.removeprefix("match_on: "))
            return
        key = tuple(_part(entry.kind, one, values.get(one)) for one in keys)
        earlier = self._claimed.setdefault((entry.kind.name, entry.template, keys, key), entry.place)
        if earlier is not entry.place:
            words = "/".join(str(entry.fields.get(one)) for one in keys)
            twice = f"is written twice, first at {earlier}"
            self._find(entry.place, Misfit.at((), f"{entry.kind.words} {words} {twice}", f"this record {twice}"))


def _part(kind: Kind, key: str, value: Any) -> Any:
    if isinstance(value, Reference):
        return str(value.written)
    if isinstance(value, tuple):
        return tuple(sorted(str(_part(kind, key, one)) for one in value))
    if isinstance(value, str) and kind.case_blind and (key,) in kind.match_on:
        return value.casefold()
    return value


def _fields_of(entry: Entry) -> Iterable[Field]:
    """A field as its definition says, under its key and under its label."""
    schema = Schema.of(FIELD_DEFINITION)
    values, _findings = schema.parse(
        {name: value for name, value in entry.fields.items() if name in schema.fields and name != "relations"}, ""
    )
    of = field_to_be(values)
    if of is None:
        return
    for name in (values.get("field_key"), values.get("label")):
        if isinstance(name, str) and name:
            yield replace(of, key=name, mandatory=False)
