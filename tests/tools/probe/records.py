# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""Determine switches from records: objects, rooms, locations, persons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    ARCHIVED_AT,
    SERVER_KEYS,
    Kind,
    flatten,
)

from .evidence import Evidence
from .values import LINKS, sides_of_value

_LINK_LIST = "LINKED_ASSETS"


@dataclass(frozen=True)
class Sample:
    """Records of one answer.

    :ivar request: as the profile words it.
    :ivar types: field key to the name of its type, for the listed fields of this kind.
    :ivar is_list: True if the answer was a list.
    """

    kind: Kind
    request: str
    raw: Sequence[Mapping[str, Any]]
    types: Mapping[str, str]
    is_list: bool = False

    @property
    def flat(self) -> list[Mapping[str, Any]]:
        return [flatten(self.kind, record) for record in self.raw]


def is_empty(value: Any) -> bool:
    """Return True if a value is empty in one of the forms of instances."""
    return value is None or value in ("", [])


def maps_in(value: Any) -> list[Mapping[str, Any]]:
    """Return the maps of a list, or nothing if the value is not a list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


@dataclass
class ObservedRecords:
    """All records that were read."""

    evidence: Evidence
    samples: list[Sample] = field(default_factory=list)

    def add(self, sample: Sample) -> None:
        """Note what each record shows by itself."""
        if not sample.raw:
            return
        self.samples.append(sample)
        for raw in sample.raw:
            self._shape(sample, raw)
        for flat in sample.flat:
            for key, type_name in sample.types.items():
                if key in flat:
                    self._value(sample.request, type_name, flat[key])

    def _shape(self, sample: Sample, raw: Mapping[str, Any]) -> None:
        inner = raw.get("fields")
        shape = "flat"
        if isinstance(inner, Mapping):
            shape = "uuid_fields" if "uuid" in raw else "fields"
        self.evidence.observe("record_shape", shape, sample.request)
        fields = inner if isinstance(inner, Mapping) else raw
        uuid_key = sample.kind.uuid_keys[0]
        if uuid_key in fields:
            self.evidence.observe("uuid_key", "both" if "uuid" in fields else "named", sample.request)
        elif "uuid" not in raw and "uuid" not in fields:
            self.evidence.unable.setdefault(
                f"any task about a {sample.kind.words}", "its records have no uuid in any of the known members"
            )
        else:
            self.evidence.odd("uuid_key", f"{sample.request}: uuid alone")

    def _value(self, request: str, type_name: str, value: Any) -> None:
        for switch, side in sides_of_value(type_name, value):
            self.evidence.observe(switch, side, request)
        if type_name == _LINK_LIST and value not in (0, "") and value is not None:
            self._link_list(request, value)

    def _link_list(self, request: str, value: Any) -> None:
        if not isinstance(value, list):
            self.evidence.observe("linked_assets_read", "one", request)
        elif len(value) == 1:
            self.evidence.observe("linked_assets_read", "list", request)

    def conclude(self) -> None:
        """Note what only many records show together."""
        self._links()
        self._empty_keys()
        self._archived_at()
        self._ids()

    def _ids(self) -> None:
        for sample in self.samples:
            given = sum("id" in record for record in sample.flat)
            if not given:
                self.evidence.observe("record_id", "none", sample.request, len(sample.raw))
            elif self.evidence.side("link_read") == "object":
                self.evidence.observe("record_id", "given", sample.request, given)
            else:
                self.evidence.cannot("record_id", "if links are integers, records must have an id")

    def _links(self) -> None:
        forms: Counter[tuple[str, str]] = Counter()
        for sample in self.samples:
            keys = self._shown(sample.kind) & {key for key, name in sample.types.items() if name in LINKS}
            for record in sample.flat:
                for key in keys:
                    forms[_form_of_link(record.get(key)), sample.request] += 1
        sides = {"object": "object", "zero": "zero"}
        has_empty = any(form == "empty" for form, _request in forms)
        if has_empty and not any(form == "zero" for form, _request in forms):
            sides["integer"] = "integer"
        for (form, request), number in forms.items():
            if form in sides:
                self.evidence.observe("link_read", sides[form], request, number)
        if any(form == "integer" for form, _request in forms) and not has_empty:
            self.evidence.cannot("link_read", "links are integers, and no record has an empty link that shows its form")

    def _shown(self, kind: Kind) -> set[str]:
        """Return the listed fields of a kind that some record has. A field without any value may be hidden."""
        samples = [sample for sample in self.samples if sample.kind is kind]
        keys = {key for sample in samples for record in sample.flat for key in record}
        return keys & {key for sample in samples for key in sample.types}

    def _empty_keys(self) -> None:
        left_out: list[tuple[str, int]] = []
        for sample in self.samples:
            records, shown = sample.flat, self._shown(sample.kind)
            empty = sum(any(key in record and is_empty(record[key]) for key in shown) for record in records)
            if empty:
                self.evidence.observe("empty_keys", "sent", sample.request, empty)
            missing = sum(any(key not in record for key in shown) for record in records)
            if missing and not empty:
                left_out.append((sample.request, missing))
        if self.evidence.side("empty_keys") is None:
            for request, missing in left_out:
                self.evidence.observe("empty_keys", "left_out", request, missing)

    def _archived_at(self) -> None:
        for sample in self.samples:
            if not sample.kind.can_be_archived:
                continue
            given = sum(ARCHIVED_AT in record for record in sample.flat)
            if archived := sum(not is_empty(record.get(ARCHIVED_AT)) for record in sample.flat if sample.is_list):
                self.evidence.observe("archived_in_lists", "shown", sample.request, archived)
            if given:
                self.evidence.observe("archived_at", "given", sample.request, given)
            elif self.evidence.side("empty_keys") == "sent":
                self.evidence.observe("archived_at", "none", sample.request, len(sample.raw))
            else:
                self.evidence.cannot("archived_at", "no record is archived, and keys of empty fields may be left out")

    def unlisted(self) -> dict[str, int]:
        """Return, by kind, the number of keys of its records that neither the definitions nor the catalogue know."""
        found: dict[str, set[str]] = {}
        for sample in self.samples:
            known = {*sample.types, *SERVER_KEYS, *sample.kind.uuid_keys}
            keys = {key for record in sample.flat for key in record} - known
            if keys:
                found.setdefault(sample.kind.name, set()).update(keys)
        return {name: len(keys) for name, keys in found.items()}


def _form_of_link(value: Any) -> str:
    if isinstance(value, Mapping):
        return "object"
    if isinstance(value, int) and not isinstance(value, bool):
        return "integer" if value else "zero"
    return "empty" if is_empty(value) else "other"


def types_of(definitions: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return field key to the name of its type, from field definitions."""
    return {
        definition["field_key"]: str(definition.get("type"))
        for definition in definitions
        if isinstance(definition.get("field_key"), str)
    }
