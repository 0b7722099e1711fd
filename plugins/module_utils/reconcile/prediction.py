# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the service would refuse in a real run. Check mode sends nothing, so it has to read what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..client.client import Client
from ..client.files import require_files
from ..client.record import Record
from ..errors import InternalError, InvalidRequest, NotProcessable, PermissionMissing, unless
from ..model.kinds import KINDS, Kind
from ..model.schema import Schema
from ..model.types_links import Attachment, Reference, attachments_in, references_in
from ..plan.change import DELETE, Change
from ..resolve.read_cache import Reading
from .refusals import is_linked, links_to, occupants

_PLACES = {name for kind in KINDS.values() if kind.parent for name in (kind.name, kind.parent)}
"""The kinds that an instance may not delete while other records are in them."""

_MOST_NAMED = 3


def check_targets(client: Client, reading: Reading, schema: Schema, change: Change, names: Mapping[str, str]) -> None:
    """Check that new links by id or uuid, and new files by uuid, have targets.

    Targets that were read before cost no request.

    :param names: the name of each field in messages.
    :raises NoMatch: for a link or a file without a target.
    """
    reading.require(reference for item in _new_links(schema, change) for reference in references_in((item[1],)))
    files = [(names.get(key, key), item) for key, item in _new_links(schema, change) if isinstance(item, Attachment)]
    require_files(client, [(name, str(file.uuid)) for name, file in files if file.uuid and file.path is None])


def _new_links(schema: Schema, change: Change) -> Iterator[tuple[str, Reference | Attachment]]:
    """Yield the references and files that a record does not have yet, each with its field."""
    for key, value in change.values.items():
        now = schema.read_field(key, change.current.flat) if change.current else None
        linked, files = list(references_in(now)), {file.uuid for file in attachments_in(now)}
        yield from (
            (key, reference) for reference in references_in(value) if not any(reference.same(other) for other in linked)
        )
        yield from ((key, file) for file in attachments_in(value) if file.uuid not in files)


def why_not_deleted(client: Client, reading: Reading, change: Change) -> str:
    """Return why an instance may refuse a deletion, as a warning of check mode; empty if nothing is known."""
    kind, record = change.kind, change.current
    if record is None or change.action != DELETE or kind.name not in _PLACES:
        return ""
    try:
        names = sorted(set(occupants(client, record, lambda kind, key: _linked(client, reading, kind, key, record))))
    except PermissionMissing:
        return ""
    shown = ", ".join([*names[:_MOST_NAMED], *(["and more"] if len(names) > _MOST_NAMED else [])])
    return unless(f"The {kind.words} {record.uuid} is not empty: {shown}", "empties it") if names else ""


def _linked(client: Client, reading: Reading, kind: Kind, key: str, record: Record) -> list[Record]:
    """Return a few of the records that link to a record by a field, with one small request in each form of links.

    If the instance does not filter by links, return the whole list, read once.
    """
    schema = client.schema(kind)
    for form in ("id", "uuid"):
        condition = links_to(record, key).in_form(form)
        if condition is None:
            continue
        try:
            found = client.lists.first(kind, _MOST_NAMED + 1, condition.pairs()).records
        except (InvalidRequest, NotProcessable, InternalError):
            return reading.listed(kind)
        if found:
            is_filtered = any(is_linked(schema, key, other, record) for other in found)
            return found if is_filtered else reading.listed(kind)
    return []
