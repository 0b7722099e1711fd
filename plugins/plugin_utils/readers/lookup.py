# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find records by reference as users write it: text, uuid, integer id, or a map."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput, NoMatch
from ...module_utils.model.field import Field, InvalidValue, shorten
from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.model.types_links import Reference, parse_reference
from ...module_utils.resolve.field_visibility import field_visibility_of, hidden_field_message, perhaps_hidden
from ...module_utils.resolve.read_cache import Reading
from ...module_utils.resolve.references import with_targets

LOOKED_UP = tuple(kind.name for kind in KINDS.values() if kind.can_be_looked_up)
"""The kinds that a lookup accepts, by name."""

_ANY = Field("", "")


def kind_named(name: Any) -> Kind:
    """Return the kind for a lookup.

    :raises InvalidInput: for another name.
    """
    if name not in LOOKED_UP:
        raise InvalidInput(f"{shorten(name)} is not a kind of record; expected one of {', '.join(LOOKED_UP)}")
    return KINDS[str(name)]


class Finder:
    """Find records of one kind. Lists are read once for all references."""

    def __init__(self, client: Client, kind: Kind) -> None:
        self._client = client
        self._kind = kind
        self._schema = client.schema(kind)
        self._reading = Reading(client)
        self._records_found: list[Record] = []

    def find(self, written: Iterable[Any]) -> list[Record]:
        """Return the record of each reference, in their order.

        :raises NoMatch: if there is none; ``Ambiguous`` if there are several; ``InvalidInput`` for an invalid
            reference.
        """
        references = [self._parsed(reference) for reference in written]
        if self._kind.identity:
            targets = self._reading.resolve(references)
            references = [with_targets(reference, targets) for reference in references]
        self._reading.check_numbers(references)
        records = self._reading.records_of(references)
        found = [self._found(reference, records.get(reference)) for reference in references]
        self._records_found += found
        return found

    def show(self, record: Record, field: str | None = None) -> Any:
        """Return a record as the modules return it, or the value of one field, by its key or its label.

        :raises InvalidInput: for a field that this kind does not have, or that the account does not see.
        """
        shown = {**self._schema.show(record.flat), "uuid": record.uuid or None}
        if field is None:
            return shown
        known = self._schema.find(field)
        key = known.key if known else field
        if known is None and key not in shown:
            raise InvalidInput(f"field: {field}: {self._schema.why_unknown(field)}")
        if key in field_visibility_of(self._client, self._schema, self._records_found, [key]).hidden:
            raise InvalidInput(f"field: {hidden_field_message(key)}")
        return shown.get(key if key in shown else self._kind.key_prefix + key)

    def _parsed(self, written: Any) -> Reference:
        try:
            reference = parse_reference(self._kind.name)(written, _ANY)
        except InvalidValue as unfit:
            raise InvalidInput(f"{shorten(written)} does not fit; expected {unfit}") from unfit
        if reference.id is not None and not reference.uuid and not self._kind.identity:
            raise InvalidInput(f"{shorten(written)} does not fit; {self._kind.singular} has no integer id")
        return reference

    def _found(self, reference: Reference, record: Record | None) -> Record:
        if not reference.resolved:
            return self._reading.find_by_fields(self._kind, reference.written)
        if record is None:
            which = f"the uuid {reference.uuid}" if reference.uuid else f"the id {reference.id}"
            raise NoMatch(f"There is no {self._kind.words} with {which}{perhaps_hidden(self._kind)}.")
        return record
