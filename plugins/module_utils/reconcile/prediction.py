# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the service would refuse in a real run. Check mode sends nothing, so it has to read what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..client.client import Client
from ..client.files import require_files
from ..errors import unless
from ..model.kinds import KINDS
from ..model.schema import Schema
from ..model.types_links import Attachment, Reference, attachments_in, references_in
from ..plan.change import DELETE, Change
from ..resolve.read_cache import Reading
from .refusals import named_occupants

#: The kinds that an instance may not delete while other records are in them.
_PLACES = {name for kind in KINDS.values() if kind.parent for name in (kind.name, kind.parent)}


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
    names = named_occupants(client, reading, record)
    return unless(f"The {kind.words} {record.uuid} is not empty: {names}", "empties it") if names else ""
