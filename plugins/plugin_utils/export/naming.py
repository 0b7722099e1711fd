# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the records of an instance that files can name, and the reasons why files can't name the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import first_of
from ...module_utils.model.schema import Schema
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.natural_keys import Key
from ..set_plan.listed_state import ListedState
from .portable import NotPortable, Portable

Keys = tuple[str, ...]

_MOST_NAMED = 10


@dataclass
class IdentifiedRecords:
    """The natural keys of the records of one kind.

    :ivar keys: the natural key that identifies most of the records; None for the default.
    :ivar unnamed: uuid of each record that files cannot name by this key, to the reason.
    """

    keys: Keys | None = None
    unnamed: dict[str, str] = field(default_factory=dict)

    def lines(self, section: str, chosen: Iterable[str]) -> list[str]:
        """Describe the records that are left out, one line for each reason.

        :param chosen: the uuids of the records to export.
        """
        by_reason: dict[str, list[str]] = {}
        for uuid in sorted(chosen):
            if uuid in self.unnamed:
                by_reason.setdefault(self.unnamed[uuid], []).append(uuid)
        return [
            f"{section}: {len(left)} record(s) {reason}, so files can't name them: {first_of(left, _MOST_NAMED)}"
            for reason, left in sorted(by_reason.items())
        ]


@dataclass
class Naming:
    """Find the natural key that identifies most of the records of one kind.

    :ivar read: returns the canonical values of each record, by its uuid.
    :ivar withheld: the fields that no file has.
    """

    state: ListedState
    portable: Portable
    schema: Schema
    read: Mapping[str, Mapping[str, Any]]
    withheld: Container[str]

    def best(self, records: Sequence[Record], choices: Iterable[Keys | None]) -> IdentifiedRecords:
        """Return the first of several natural keys that identifies most of some records."""
        found = [IdentifiedRecords(keys, self._unnamed(records, keys)) for keys in choices]
        return min(found, key=lambda identified: len(identified.unnamed))

    def _unnamed(self, records: Sequence[Record], keys: Keys | None) -> dict[str, str]:
        by = " and ".join(keys or self.schema.kind.match_on[0])
        none_of_its_own = f"have no {by} of their own"
        if any(key not in self.schema.fields or key in self.withheld for key in keys or ()):
            return {record.uuid: none_of_its_own for record in records}
        shared: Counter[Any] = Counter()
        keys_of_uuid: dict[str, Any] = {}
        why: dict[str, str] = {}
        for record in records:
            values = self.read[record.uuid]
            for other in (keys,) if keys else self.schema.kind.match_on:
                shared[other, self._displayed_key(other, values)] += 1
            try:
                names = natural_keys.key_fields(self.schema.kind, keys, values)
            except InvalidInput:
                continue
            key = self._displayed_key(names, values)
            if any(isinstance(values[name], str) and values[name] != values[name].strip() for name in names):
                why[record.uuid] = f"have a natural key ({by}) that begins or ends with spaces"
            elif not self._is_writable(names, values):
                why[record.uuid] = f"have a natural key ({by}) that can't be written"
            elif key is not None:
                keys_of_uuid[record.uuid] = (names, key)
        for record in records:
            if record.uuid not in why and shared[keys_of_uuid.get(record.uuid)] != 1:
                why[record.uuid] = none_of_its_own
        return why

    def _is_writable(self, names: Keys, values: Mapping[str, Any]) -> bool:
        """Return True if the natural key of a record can be written in its file."""
        try:
            for name in names:
                self.portable.checked(self.schema.fields[name], values[name])
        except NotPortable:
            return False
        return True

    def _displayed_key(self, names: Keys, values: Mapping[str, Any]) -> Key | None:
        key = self.state.key_of(self.schema, names, values)
        return None if key is None else natural_keys.normal_key(key)

    def words(self, keys: Keys | None, record: Record) -> tuple[tuple[str, ...], Keys]:
        """Return the natural key of a record for messages, and its fields, which sort the records."""
        values = self.read[record.uuid]
        names = natural_keys.key_fields(self.schema.kind, keys, values)
        return tuple(str(self.portable.words(self.schema.fields[name], values.get(name))) for name in names), names
