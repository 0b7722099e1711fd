# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The identifiers of records in a plan and in the memory of a set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils.model.kinds import HUB_ITEM, Kind
from ...module_utils.model.types_links import references_in
from ..desired.entry import Entry


def mark_of(entry: Entry | None, uuid: str | None) -> Any:
    """Return the identifier of a referenced record: the entry that creates it, else its uuid."""
    return uuid if entry is None else id(entry)


def shield_mark(kind: Kind, uuid: str, values: Mapping[str, Any]) -> str:
    """Return the identifier of a protected record in a journal.

    This is its uuid. An offer has no uuid, so that of its object is used. Empty until the record exists.
    """
    if not kind.numbered:
        return uuid
    offered = next(references_in(values.get("object")), None)
    return offer_mark(offered.uuid) if offered is not None and offered.uuid else ""


def offer_mark(uuid: str) -> str:
    """Return the identifier of the offer of an object in a journal.

    :param uuid: of the object.
    """
    return f"{HUB_ITEM.name} {uuid}"
