# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that stand in a room or a location: some instances delete neither before it is empty."""

from __future__ import annotations

from collections.abc import Iterator

from ..client.client import Client, Record
from ..client.query import Condition, Link
from ..model.kinds import TEMPLATE_KINDS, Kind
from ..model.types_basic import FIELD_TYPES
from ..model.types_links import Reference, references_in
from ..resolve import natural_keys
from ..resolve.sight import LIMITED

_MOST_NAMED = 3


def link_to(kind: Kind) -> str:
    """The type of the fields in which others say that they are in a record, or with it; of most kinds there is none."""
    return f"LINKED_{kind.name.upper()}"


def why_occupied(kind: Kind) -> str:
    """Says why a record may not be deleted; empty where nothing links to its kind."""
    if link_to(kind) not in FIELD_TYPES:
        return ""
    return (
        f" This instance may keep {kind.one} while anything refers to it, be it as the place where it is or as the one "
        f"where it should be. Archived objects count too, and no list shows them; nor does one show what is hidden "
        f"({LIMITED})."
    )


def named_occupants(client: Client, record: Record) -> str:
    """Says what refers to a record, as far as lists tell. Takes a list for each field that may, and the definitions of
    these.
    """
    found = sorted(dict.fromkeys(_occupants(client, record)))
    rest = len(found) - _MOST_NAMED
    names = [*found[:_MOST_NAMED], *([f"{rest} more"] if rest > 0 else [])]
    return f" These refer to it: {', '.join(names)}." if names else ""


def _occupants(client: Client, record: Record) -> Iterator[str]:
    for kind in TEMPLATE_KINDS.values():
        schema = client.schema(kind)
        for key in [field.key for field in schema.fields.values() if field.type == link_to(record.kind)]:
            for one in client.list_all(kind, [Condition.on_links(key, "eq", [Link(record.id, record.uuid)])]):
                linked = references_in(schema.read_one(key, one.flat))
                if any(_means(reference, record) for reference in linked):
                    name = next(iter(natural_keys.written_names(one)), one.uuid)
                    yield f"{kind.words} {name} ({key})"


def _means(reference: Reference, record: Record) -> bool:
    return reference.uuid == record.uuid or (reference.id is not None and reference.id == record.id)
