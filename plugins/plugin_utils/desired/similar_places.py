# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of places that differ only in spaces or case: people mean one place, but the service keeps two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils.model.field import first_of
from ...module_utils.model.kinds import LOCATION, ROOM
from ...module_utils.model.names import shape
from ...module_utils.model.types_links import Reference
from .entry import Entry
from .hiding import Hiding
from .positions import Place

_MOST_NAMED = 5
"""Maximum number of groups of names that the warning quotes."""


class SimilarPlaces:
    """Collects the names of places in files and in references to them."""

    def __init__(self, hiding: Hiding) -> None:
        self._hiding = hiding
        self._names: dict[tuple[str, str], dict[str, tuple[Place, int]]] = {}

    def note(self, entry: Entry, values: Mapping[str, Any]) -> None:
        """Note the names that an entry has or refers to.

        :param values: canonical values by field key.
        """
        if entry.state != "present" or self._hiding.touches(entry):
            return
        for kind, name, key in _names(entry, values):
            normalised = shape(name).replace(" ", "")
            found = self._names.setdefault((kind, normalised), {})
            found.setdefault(name, (entry.place_of(key), id(entry)))

    def warnings(self) -> list[str]:
        """Return one warning about all names that look equal, or nothing if there are none."""
        groups = [
            " and ".join(f"{name!r} ({place})" for name, (place, _entry) in names.items())
            for names in self._names.values()
            if len(names) > 1 and len({entry for _place, entry in names.values()}) > 1
        ]
        if not groups:
            return []
        return [
            (
                f"places: names differ only in spaces or case, and are different places here: "
                f"{first_of(groups, _MOST_NAMED, '; ')}. Use one name if they are the same place."
            )
        ]


def _names(entry: Entry, values: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and field of each place that an entry is or refers to."""
    if entry.kind is LOCATION:
        for key in LOCATION.labels:
            if isinstance(values.get(key), str):
                yield LOCATION.name, values[key], key
    parent = values.get(ROOM.parent_key) if entry.kind is ROOM else None
    if isinstance(parent, Reference) and isinstance(parent.written, str):
        for key in ROOM.labels:
            if isinstance(values.get(key), str):
                yield ROOM.name, f"{parent.written}/{values[key]}", key
    for key, value in values.items():
        is_name = isinstance(value, Reference) and isinstance(value.written, str) and not value.resolved
        if is_name and value.target in (LOCATION.name, ROOM.name):
            yield value.target, value.written, key
