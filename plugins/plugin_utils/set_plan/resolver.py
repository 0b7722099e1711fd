# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the records and references of a plan mean: schemas, claimed records, and the targets of references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import Ambiguous, SeventhingsError
from ...module_utils.model.field import Way, first_of, words_of
from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.model.schema import FieldError, Misfit, Schema, cause_of
from ...module_utils.model.types_links import Reference, references_in, with_references
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.natural_keys import Key
from ...module_utils.resolve.read_cache import find_by_barcode
from ...module_utils.resolve.references import with_target
from ..desired.desired import SECTIONS, DesiredInstance
from ..desired.entry import Entry
from ..desired.hiding import NOT_SHOWN
from ..desired.parsing import with_remedy, written_as
from ..desired.positions import Finding
from .listed_state import ListedState, Meaning
from .reading import Reading

#: Maximum number of old names in a warning.
_MOST_NAMED = 5

#: Number of lookups without a result after which the remaining barcodes count as missing.
_MOST_IN_VAIN = 40


def numbered_references(value: Any) -> Iterator[tuple[int, Reference]]:
    """Yield every reference in a canonical value, with its index in the list around it."""
    if isinstance(value, Reference):
        yield 0, value
    elif isinstance(value, tuple):
        for number, item in enumerate(value):
            for reference in references_in(item):
                yield number, reference


class Resolver(Reading):
    """Find which record an entry or a reference means.

    :ivar claimed: name of a kind to the uuids of its records that are in the files.
    :ivar reasons: uuid to a text for the finding about two entries that mean the same record.
    """

    def __init__(self, client: Client, desired: DesiredInstance) -> None:
        self.client = client
        self.state = ListedState(client, self.schema, self._is_named_in_secret)
        super().__init__(desired, client.schema)
        self.claimed: dict[str, dict[str, Entry]] = {}
        self.reasons: dict[str, str] = {}
        self._doubtful: set[tuple[str, str]] = set()
        self._by_barcode: dict[tuple[str, str], Record | None] = {}
        self._carried: dict[tuple[str, str], None] = {}
        self._schemas: dict[str, Schema] = {}

    # ---- schemas

    def schema(self, kind: Kind) -> Schema:
        """Return the fields of a kind on this instance.

        Without definitions these are the fields that its records have.
        """
        if kind.name not in self._schemas:
            self._schemas[kind.name] = schema = self.state.learned(kind)
            self.hiding.learn(schema.fields.values())
        return self._schemas[kind.name]

    def schema_of(self, section: str) -> Schema | None:
        """Return the fields of the records of a section, if these are records with fields."""
        kind = KINDS[SECTIONS[section]]
        return self.schema(kind) if kind.can_be_looked_up else None

    def key_of(self, schema: Schema, keys: Sequence[str], values: Mapping[str, Any]) -> Key | None:
        """Return the natural key of some values in a form for lookups, or None if a part of it is missing."""
        return self.state.key_of(schema, keys, values)

    def known_name_of(self, reference: Reference) -> str | None:
        """Return the natural key of a referenced record, or None if it is unknown."""
        return self.state.known_name_of(reference)

    # ---- which record is meant

    def only_match(
        self, entry: Entry, schema: Schema, keys: Sequence[str], values: Mapping[str, Any], hits: Sequence[Record]
    ) -> Record | None:
        """Return the only record with a natural key. It is a finding if there are several."""
        if len(hits) < 2:
            return hits[0] if hits else None
        try:
            return natural_keys.only_record(schema.kind, natural_keys.describe(schema, keys, values), hits)
        except Ambiguous as twice:
            self.find(entry.place, twice.message)
            return None

    def claim(self, kind: Kind, uuid: str, entry: Entry) -> bool:
        """Return True if no other entry means the same record."""
        earlier = self.claimed.setdefault(kind.name, {}).setdefault(uuid, entry)
        if earlier is not entry:
            why = self.reasons.get(uuid, "")
            self.find(entry.place, f"the {kind.words} {uuid} is described both here and at {earlier.place}{why}")
        return earlier is entry

    def resolve_key(self, keys: Sequence[str], values: dict[str, Any], entry: Entry | None) -> bool:
        """Put resolved references into a natural key, and return True if all are resolved."""
        # Most values are texts, and there are a great many of them.
        linked = {key: values[key] for key in keys if values[key].__class__ is not str}
        if not linked:
            return True
        is_resolved = self.resolve(linked, entry)
        if is_resolved:
            values |= linked
        return is_resolved

    def resolve(self, values: dict[str, Any], entry: Entry | None, before: bool = False) -> bool:
        """Put resolved references into some values, and return True if all are resolved.

        Note a finding for each other reference if the entry is to be present.

        :param before: use names as they are before anything is renamed.
        """
        fine = True
        for key, value in values.items():
            if not isinstance(value, (Reference, tuple)):
                continue
            meanings = [
                (number, reference, self.meaning(reference, before)) for number, reference in numbered_references(value)
            ]
            known = {written: meaning.reference for _number, written, meaning in meanings}
            values[key] = with_references(value, known.__getitem__)
            for number, _written, (reference, problem) in meanings:
                if problem:
                    fine = False
                    is_doubtful = (reference.target, str(reference.written)) in self._doubtful
                    if entry is not None and entry.state == "present" and not is_doubtful:
                        self.note(self.about_reference(entry, key, number, reference, problem))
        return fine

    def meaning(self, reference: Reference, before: bool = False) -> Meaning:
        """Resolve a reference, also by the old name of its target, or to an archived record.

        :param before: use names as they are before anything is renamed.
        """
        number = self.state.old_names_used
        reference, problem = self.state.resolved(reference, before)
        if not problem and self.state.old_names_used > number:
            self._carried.setdefault((reference.target, str(reference.written)), None)
        if not problem or reference.resolved:
            return Meaning(reference, problem)
        record = None if before else self._unlisted_target(reference)
        if record is None:
            return Meaning(reference, problem)
        self.state.note_unlisted(record)
        return Meaning(with_target(reference, record))

    def _unlisted_target(self, reference: Reference) -> Record | None:
        """Return the archived object that a reference means by its barcode, or None. Each barcode is looked up once."""
        kind, found = KINDS[reference.target], self._by_barcode
        barcode = _barcode_of(reference, kind.barcode_key) if kind.labels == (kind.barcode_key,) else ""
        is_known = (kind.name, barcode) in found
        if not barcode or (not is_known and len(found) >= _MOST_IN_VAIN and not any(found.values())):
            return None
        if not is_known:
            try:
                found[kind.name, barcode] = find_by_barcode(self.client, natural_keys.identity_of(kind), barcode)
            except SeventhingsError as error:
                if self.hiding.is_on:
                    # The path quotes the barcode.
                    error.message = NOT_SHOWN
                raise
        return found[kind.name, barcode]

    def carried(self) -> list[str]:
        """Return the replaced old names, each with the new name."""
        if not self._carried:
            return []
        if self.hiding.is_on:
            return ["moved: records are referred to by their old names; write the new ones."]
        names: dict[str, list[str]] = {}
        for target, name in self._carried:
            names.setdefault(KINDS[target].section, []).append(repr(name))
        return [
            f"moved.{section}: {first_of(found, _MOST_NAMED)} in references: read as the renamed records; write the "
            "new names there, too."
            for section, found in names.items()
        ]

    def doubt(self, entry: Entry) -> None:
        """Note an entry with its own mistakes. References to it are not reported as mistakes."""
        kind = entry.kind
        schema = self.schema(kind)
        first, *labels = [str(entry.fields.get(written_as(schema, entry, field.key))) for field in kind.identity] or [
            ""
        ]
        self._doubtful |= {(kind.name, name) for name in (first, *labels, *(f"{first}/{label}" for label in labels))}

    def about_reference(self, entry: Entry, key: str, number: int, reference: Reference, problem: str) -> Finding:
        """Return the finding about a reference, at the place where it was written.

        :param number: its index in the list of its field.
        """
        name = written_as(self.schema(entry.kind), entry, key)
        written = entry.fields.get(name)
        way: Way = (name,)
        if isinstance(written, list):
            way = (name, number)
        elif isinstance(written, Mapping):
            way = (name, *(member for member, value in written.items() if value == reference.written))
        inner = problem.way if isinstance(problem, FieldError) else ()
        gist = getattr(problem, "gist", "") or "this reference matches no record, or several"
        misfit = Misfit(reference.written, cause_of(problem))
        error = FieldError.at(way, f"{words_of(way)}: {problem}", gist, misfit)
        remedy = self.wanted.cells.remedy(entry, name, written)
        return Finding.for_message(entry.place_in((*way, *inner)), with_remedy(error, remedy))

    def _is_named_in_secret(self, record: Record) -> bool:
        """Return True if a record has its name from a hidden value."""
        entry = self.claimed.get(record.kind.name, {}).get(record.uuid)
        if entry is None or not self.hiding.is_on:
            return False
        schema = self.schema(entry.kind)
        return any(
            self.hiding.hides(entry, written_as(schema, entry, field.key), field.key) for field in entry.kind.identity
        )


def _barcode_of(reference: Reference, key: str) -> str:
    written = reference.written
    if isinstance(written, Mapping) and list(written) == [key]:
        written = written[key]
    return written if isinstance(written, str) else ""
