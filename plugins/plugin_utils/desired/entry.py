# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One desired record as written, with its places."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...module_utils.model.field import Way
from ...module_utils.model.kinds import Kind
from ...module_utils.model.schema import FieldError, Schema
from .dialect import Misspelled
from .lifecycle import NOTHING, Lifecycle
from .nodes import UNKNOWN_PLACES, Node
from .positions import Place
from .row_rules import NO_RULES, RowRules


@dataclass(slots=True)
class Entry:
    """One desired record.

    :ivar fields: field key (or label), or option of the module, to the value as written; None clears.
    :ivar own_place: its place; None if its places have it.
    :ivar places: the place of each field.
    :ivar state: present, absent or archived.
    :ivar template: the template of a field definition.
    :ivar uuid: the target, if an undo names it; else its natural key finds it.
    :ivar misread: True if its meaning is unclear because of a mistake; it is checked and never planned.
    :ivar inline: True if it was written without a directory for local files.
    :ivar pruned: True if it is removed because it is in no file.
    :ivar vaulted: names of the vaulted fields; all of them if the file is vaulted as a whole.
    :ivar root: the directory of its local files if records have different ones.
    :ivar lifecycle: ignored fields and protection, besides the settings.
    :ivar rules: what becomes of it if it is a row of a table of another system.
    """

    kind: Kind
    fields: Mapping[str, Any]
    own_place: Place | None
    places: Node = UNKNOWN_PLACES
    state: str = "present"
    template: str = ""
    uuid: str = ""
    misread: bool = False
    inline: bool = False
    pruned: bool = False
    vaulted: Container[str] = ()
    root: str = ""
    lifecycle: Lifecycle = NOTHING
    rules: RowRules = NO_RULES

    @property
    def place(self) -> Place:
        """Return its place."""
        return self.places.place if self.own_place is None else self.own_place

    def root_of(self, name: str) -> str:
        """Return the directory of the local files of a field; empty if it is the same for all records."""
        return self.places.root_of(name) or self.root

    def place_of(self, name: str) -> Place:
        """Return the place of a field, or of the record if the field was not written."""
        return self.place_in((name,))

    def place_in(self, way: Way) -> Place:
        """Return the place of a part of a field, such as an item of a list, or of its nearest part that was written.

        :param way: it begins with the name of the field.
        """
        return self.places.within(way) if way and way[0] in self.places.value else self.place

    def place_of_name(self, name: str) -> Place:
        """Return the place of the name of a field. In a table it is in the first row."""
        is_written = name in self.places.value or name in self.places.empty_cells()
        return self.places.of_name(name) if is_written else self.place

    def place_of_cell(self, name: str) -> Place | None:
        """Return the place of the cell of a column, empty or not; None if its table has no such column."""
        return self.places.of_cell(name)

    def spelled(
        self, schema: Schema, fields: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, FieldError]]:
        """Return fields as their types accept them, and the mistakes of the others, by name.

        :param fields: some of its fields, or their replacements; None for all.
        """
        found: dict[str, Any] = {}
        wrong: dict[str, FieldError] = {}
        for name, cell in (self.fields if fields is None else fields).items():
            own = self.places.format_of(name)
            field = None if own is None else schema.find(name)
            try:
                found[name] = cell if own is None or field is None else own.spelled(name, field, cell)
            except Misspelled as misspelled:
                wrong[name] = misspelled.error
        return found, wrong

    @property
    def is_table(self) -> bool:
        """Return True if it is a row of a table."""
        return self.places.is_row

    def empty_cells(self) -> Sequence[str]:
        """Return the columns in which it has an empty cell that means "not managed"."""
        return self.places.empty_cells()
