# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert one record as written to values: types, local files, time zone. Each finding has its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from ...module_utils.client.files import check_local, name_inside
from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder
from ...module_utils.model.field import Spelling, Way, first_of, shorten, words_of
from ...module_utils.model.kinds import SERVER_KEYS, Kind
from ...module_utils.model.schema import FieldError, Misfit, Schema
from ...module_utils.model.types_links import Attachment, Reference
from ...module_utils.model.zones import with_offsets, zone_of
from .cells import Cells
from .desired import DesiredInstance
from .entry import Entry
from .positions import Place
from .sources.rows import TITLED
from .words import BareWord


def written_as(schema: Schema, entry: Entry, key: str) -> str:
    """Return the name of a field in an entry: its key, or its label."""
    if key in entry.fields:
        return key
    return next((name for name in entry.fields if (field := schema.find(name)) is not None and field.key == key), key)


def _as_written(error: FieldError, written: Any) -> FieldError:
    """Return a mistake with the cell as written, if a dialect converted its value. Another dialect would not help."""
    misfit = error.misfit or Misfit(written, "")
    words = f"{words_of(error.way)}: {shorten(written)} does not fit; {misfit.why}"
    return FieldError.at(error.way, words, error.gist, Misfit(written, misfit.why, is_unknown=misfit.is_unknown))


def with_remedy(error: FieldError, remedy: str) -> FieldError:
    """Return a mistake with the remedy at the end of its message.

    :param remedy: empty if nothing is known.
    """
    if not remedy:
        return error
    misfit = None if error.misfit is None else replace(error.misfit, why=error.misfit.why + remedy)
    return FieldError.at(error.way, f"{error}{remedy}", error.gist, misfit)


#: Number of columns without a field from which a table counts as one of another system.
_MANY_FOREIGN = 3

#: Maximum number of columns that a finding names.
_MOST_NAMED = 8


class DesiredParser:
    """Convert records as written to desired values.

    :param find: called with each mistake and its place.
    :param own: returns the fields of a kind on the instance; None: there is no instance.
    """

    def __init__(
        self, desired: DesiredInstance, find: Callable[[Place, str], None], own: Callable[[Kind], Schema] | None = None
    ) -> None:
        self._find = find
        self._own = own
        self._judges: dict[tuple[str, str], Schema] = {}
        self._zone = zone_of(desired.timezone) if desired.timezone else None
        self._hiding = desired.hiding
        self._folders: dict[str, Folder] = {}
        self.cells = Cells(desired)
        self._desired = desired
        self._foreign: dict[str, tuple[Place, FieldError | None]] = {}

    def parse(self, schema: Schema, entry: Entry, fields: Mapping[str, Any], partial: bool = False) -> dict[str, Any]:
        """Return the canonical values of everything that fits.

        :param fields: those of the entry, or their replacements.
        :param partial: True if the schema may not have all fields, so that an unknown field is not a finding.
        """
        fields = self.cells.wanted(schema, entry, fields)
        vaulted = self._vaulted(schema, entry, fields) if entry.vaulted else []
        if not vaulted:
            return self._parse(schema, entry, fields, partial)
        values = self._parse(schema, entry, {name: fields[name] for name in fields if name not in vaulted}, partial)
        for name in vaulted:
            values |= self._parse(self._judge(schema, name), entry, {name: fields[name]}, partial)
        return values

    def _vaulted(self, schema: Schema, entry: Entry, fields: Mapping[str, Any]) -> list[str]:
        """Return the fields with values that files must not be able to test."""
        if self._hiding.show or not schema.kind.template:
            return []
        return [name for name in fields if name in entry.vaulted and schema.find(name) is not None]

    def _judge(self, schema: Schema, name: str) -> Schema:
        """Return the schema for checking a vaulted value: the instance's own schema.

        A finding reveals whether the value fits. If files could define what fits, they could find out the value piece
        by piece. A field that only files define has its type and no constraints.
        """
        kind = schema.kind
        if (kind.name, name) not in self._judges:
            own = self._own(kind) if self._own else Schema(kind, [*kind.fields, *kind.identity])
            field = schema.find(name)
            if own.find(name) is None and field is not None:
                own = Schema(kind, [replace(field, constraints={}, allowed=(), mandatory=False)])
            self._judges[kind.name, name] = own
        return self._judges[kind.name, name]

    def _parse(self, schema: Schema, entry: Entry, fields: Mapping[str, Any], partial: bool) -> dict[str, Any]:
        if partial:
            known = (name for name in fields if name in SERVER_KEYS or schema.find(name) is not None)
            fields = {name: fields[name] for name in known}
        if not entry.is_table:
            return self._parse_each(schema, entry, fields, fields)
        certain, others = self.cells.certain(schema, entry, fields)
        if not others:
            return certain
        values = self._parse_each(schema, entry, others, fields)
        if not certain:
            return values
        values |= certain
        written = (schema.find(name) for name in fields)
        return {field.key: values[field.key] for field in written if field is not None and field.key in values}

    def _parse_each(
        self, schema: Schema, entry: Entry, fields: Mapping[str, Any], written: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the canonical values of some fields.

        :param written: all fields that are parsed together.
        """
        as_written = fields
        if entry.is_table or entry.places.is_mapped or any(value.__class__ is BareWord for value in fields.values()):
            wrong = dict(self.cells.odd(schema, entry, fields))
            fields, misspelled = entry.spelled(schema, {name: fields[name] for name in fields if name not in wrong})
            for name, error in (wrong | misspelled).items():
                self._find(entry.place_of(name), error)
        fields, unclear = with_offsets(schema, fields, self._zone)
        for name, words in unclear.items():
            self._find(entry.place_of(name), words)
        values, findings = schema.parse(fields, "")
        if findings.errors or findings.unknown:
            for misfit in findings.errors:
                name = str(misfit.way[0]) if misfit.way else ""
                if misfit.misfit is not None and fields.get(name) is not as_written.get(name):
                    misfit = _as_written(misfit, as_written[name])
                if misfit.misfit is not None and misfit.misfit.spelling is Spelling.PLAIN:
                    misfit = with_remedy(misfit, self.cells.remedy(entry, name, as_written.get(name)))
                self._find(entry.place_in(misfit.way), misfit)
            for misfit in self._unknown(schema, entry, written, findings.unknown):
                self._find(entry.place_of_name(str(misfit.way[0])), misfit)
            values |= {key: fitting for key, fitting in findings.fitting.items() if fitting}
        for key, value in values.items():
            if value and isinstance(value, tuple):
                for number, attachment in enumerate(value):
                    if isinstance(attachment, Attachment) and attachment.path is not None:
                        self._localise(attachment, entry, (written_as(schema, entry, key), number))
        return values

    def _unknown(
        self, schema: Schema, entry: Entry, fields: Mapping[str, Any], unknown: list[FieldError]
    ) -> list[FieldError]:
        """Return the mistakes about unknown fields.

        If a table has many unknown columns, note one mistake for all of them. If it has no column for the natural key,
        the finding about that names its unknown columns.
        """
        if not unknown or not entry.is_table:
            return unknown
        if entry.place.source in self._desired.unidentified:
            return []
        source = entry.place.source
        if source not in self._foreign:
            columns = list(dict.fromkeys((*fields, *entry.empty_cells())))
            in_file = attrgetter("line", "column")
            columns.sort(key=lambda name: in_file(entry.place_of_name(name)))
            place = replace(entry.place_of_name(columns[0]), column=1)
            self._foreign[source] = place, self._foreign_columns(schema, place, columns)
        place, mistake = self._foreign[source]
        if mistake is None:
            return unknown
        self._find(place, mistake)
        return []

    def _foreign_columns(self, schema: Schema, place: Place, columns: list[str]) -> FieldError | None:
        """Say that the columns of a table are those of another system, and how to map them; None if they are not.

        The names of the columns are texts of the file, so the message about a vaulted table does not contain them.
        """
        foreign = [name for name in columns if schema.find(name) is None]
        table = self._desired.tables.for_file(place.file)
        if table is None and len(foreign) < min(len(columns), _MANY_FOREIGN):
            return None
        setting = "an entry of tables in instance.yml" if table is None else table.setting
        remedy = f"map them in columns of {setting}"
        if len(foreign) == len(columns):
            number = f"no column is a field of {schema.kind.singular}; {TITLED}"
            return FieldError.at((), f"{number}; or {remedy}", number)
        are = "is not a field" if len(foreign) == 1 else "are not fields"
        number = f"{len(foreign)} of {len(columns)} columns {are} of {schema.kind.singular}"
        words = f"{number}: {first_of(foreign, _MOST_NAMED)}; {remedy}, or name them in ignore"
        return FieldError.at((), words, number)

    def _localise(self, attachment: Attachment, entry: Entry, way: Way) -> None:
        """Find a local file below the directory of attachments. A path that leads out of it is refused."""
        attachment.written = str(attachment.path)
        attachment.hidden = self._hiding.covers(entry, str(way[0]))
        location = words_of(way)
        root = entry.root_of(str(way[0])) or self._desired.root
        if not root or entry.inline:
            words = (
                f"{location}: {attachment.written} is a local file, and no directory for them is known; set files_root"
            )
            self._find(entry.place_in(way), words)
            return
        attachment.folder = self._folders.get(root) or self._folders.setdefault(root, Folder(Path(root)))
        try:
            attachment.path = name_inside(attachment.written, root)
        except InvalidInput as refused:
            self._find(entry.place_in(way), f"{location}: {refused.message}")
            return
        for problem in check_local(attachment, location, root):
            self._find(entry.place_in(way), problem)


def mark_as_written(reference: Reference) -> str:
    """Return the identifier of a reference that nothing resolved. An integer is an id; quoted digits are a name."""
    return repr(reference.written)
