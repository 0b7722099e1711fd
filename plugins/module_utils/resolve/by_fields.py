# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find records that no other record refers to (tasks, rental cases, catalog items) by their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..client.client import Client
from ..client.query import Condition
from ..client.record import Record
from ..errors import InvalidInput, NoMatch
from ..model.kinds import Kind
from ..model.suggestions import MOST_NAMED, ROUGH, closest_names
from ..model.types_links import Reference, references_in
from . import natural_keys
from .field_visibility import field_visibility_by, perhaps_hidden
from .read_cache import Reading
from .references import with_targets


class FinderByFields:
    """Find records of one kind by the first field of its natural key, or by a map of fields.

    Lists are read once for all searches.
    """

    def __init__(self, client: Client, kind: Kind, reading: Reading | None = None) -> None:
        self._client = client
        self._kind = kind
        self._schema = client.schema(kind)
        self._reading = reading or Reading(client)
        self._lists: dict[tuple[Condition, ...], list[Record]] = {}

    def find(self, written: str | Mapping[str, Any]) -> Record:
        """Return the one matching record. If several tasks have one title, the open task matches.

        :raises NoMatch: if there is none; ``Ambiguous`` if there are several; ``InvalidInput`` if a value does not fit
            its field.
        """
        name = self._kind.match_on[0][0]
        wanted = {name: written} if isinstance(written, str) else written
        desired, findings = self._schema.parse(wanted, f"{self._kind.name}: ")
        if findings.errors or findings.unknown:
            raise InvalidInput([*findings.errors, *findings.unknown])
        desired = self._with(self._reading.resolve(references_in(tuple(desired.values()))), desired)
        candidates = self._candidates(desired)
        read = [self._schema.read(record.flat) for record in candidates]
        pairs = ((value, have.get(key)) for have in read for key, value in desired.items())
        desired = self._with(self._reading.missing_halves(pairs), desired)
        hits = natural_keys.identified(self._schema, desired, desired, candidates)
        hits = natural_keys.targets_by_status(self._kind, hits, None, lambda _record: False)
        record_in_words = natural_keys.describe(self._schema, desired, desired)
        hit = natural_keys.only_record(
            self._kind, record_in_words, hits, advice="give the uuid, or a map that tells them apart"
        )
        if hit is None:
            if self._kind.has_own_fields:
                field_visibility_by(self._client, self._schema, candidates, {}, desired).check_written(desired)
            suggestions = closest_names(str(wanted.get(name)), self._names(name, candidates), MOST_NAMED, ROUGH)
            hint = f" The nearest are {', '.join(map(repr, suggestions))}." if suggestions else ""
            raise NoMatch(f"There is no {self._kind.words} with {record_in_words}{perhaps_hidden(self._kind)}.{hint}")
        return hit

    @staticmethod
    def _with(targets: Mapping[Reference, Record], values: Mapping[str, Any]) -> dict[str, Any]:
        return {key: with_targets(value, targets) for key, value in values.items()}

    def _names(self, name: str, records: Iterable[Record]) -> list[str]:
        field = self._schema.fields.get(name)
        values = [record.flat.get(field.wire_key) for record in records] if field is not None else []
        return [value for value in values if isinstance(value, str)]

    def _candidates(self, desired: Mapping[str, Any]) -> list[Record]:
        query = self._kind.filters == "query"
        conditions = tuple(natural_keys.conditions(self._schema, desired, desired)) if query else ()
        if conditions not in self._lists:
            self._lists[conditions] = self._client.list_all(self._kind, conditions)
        return self._lists[conditions]
