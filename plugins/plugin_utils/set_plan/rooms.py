# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields that link to a room, and the fields that the service couples to them: a room is in one location."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...module_utils.model.field import Field
from ...module_utils.model.schema import Schema

TO_ROOM, TO_LOCATION = "LINKED_ROOM", "LINKED_LOCATION"
_WORDS = (("room", "building"), ("room", "location"), ("raum", "standort"))
"""The words that distinguish the key or label of a room field from that of its location field."""


def coupled_locations(schema: Schema, room: Field) -> Iterator[Field]:
    """Yield the locations that belong to a room: their key or label only differs in the word for room."""
    names = {
        re.sub(old, new, name.casefold())
        for name in (room.key, room.label)
        for old, new in _WORDS
        if old in name.casefold()
    }
    for field in schema.fields.values():
        if field.type == TO_LOCATION and not names.isdisjoint((field.key.casefold(), field.label.casefold())):
            yield field
