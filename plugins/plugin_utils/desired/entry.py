# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One desired record as it was written, with its places."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Way
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import Kind

from .dialect import CellReader
from .lifecycle import NOTHING, Lifecycle
from .positions import Place, Positions


@dataclass(slots=True)
class Entry:
    """One record as it shall be.

    :ivar fields: field key (or label), or option of the module, to value as written; None clears.
    :ivar places: where each field was written.
    :ivar state: present, absent or archived.
    :ivar template: of a field definition, the template that it belongs to.
    :ivar uuid: the record that is meant, where a plan file says which; else it is found by its natural key.
    :ivar misread: whether something is wrong with it that leaves open what is meant; it is judged and never planned.
    :ivar inline: whether it was written where no directory of local files is known.
    :ivar pruned: whether it stands in no file, and is taken away because of that.
    :ivar vaulted: names of the fields that are vaulted; all of them where the file is vaulted as a whole.
    :ivar cells: reads its fields where they are cells that types do not take as they are.
    :ivar root: the directory that its local files come from, where that is not the same for all records.
    :ivar lifecycle: what of it is left alone, and whether it must stay, beside what the settings say.
    """

    kind: Kind
    fields: Mapping[str, Any]
    place: Place
    places: Positions = field(default_factory=Positions)
    state: str = "present"
    template: str = ""
    uuid: str = ""
    misread: bool = False
    inline: bool = False
    pruned: bool = False
    vaulted: Container[str] = ()
    cells: CellReader | None = None
    root: str = ""
    lifecycle: Lifecycle = NOTHING

    def root_of(self, name: str) -> str:
        """The directory that the local files of a field come from; empty where that is the same for all records."""
        return self.places.root_of(name) or self.root

    def place_of(self, name: str) -> Place:
        """The place of a field, or of the record where the field was not written."""
        return self.places.get(name, self.place)

    def place_in(self, way: Way) -> Place:
        """The place of a part of a field, such as an item of a list; as near to it as is known.

        :param way: it begins with the name of the field.
        """
        if way and way[0] in self.places:
            return self.places.within(way)
        return self.place

    def place_of_name(self, name: str) -> Place:
        """The place of the name of a field. In a table it is in the first row."""
        return self.places.of_name(name) if name in self.places else self.place

    @property
    def is_table(self) -> bool:
        """Tells whether it is a row of a table."""
        return self.places.is_table

    def empty_cells(self) -> Sequence[str]:
        """Columns of its table in which it has an empty cell that means nothing."""
        return self.places.empty_cells()
