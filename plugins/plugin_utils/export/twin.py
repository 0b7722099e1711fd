# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes for a twin: what the files of an export leave out because it differs between instances.

With them the embedded service becomes the same instance, including uuids and ids. ``twin.jsonl`` has a line of JSON for
each user, each field, each record of the files, each attachment, and each known archived record. A record is found in
the files by the fields of its natural key, as written there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import EMPTY, is_uuid
from ...module_utils.model.kinds import ARCHIVED_AT, KINDS, SERVER_KEYS, TEMPLATES, USER, Kind
from ..desired.entry import Entry
from ..set_plan.archived import looks_up, number_looked_up, spread
from ..set_plan.listed_state import ListedState
from ..set_plan.plan import MOST_OF_A_RUN
from .portable import Portable, name_in_files, writable_fields
from .writing import json_record

TWIN = "twin.jsonl"
"""The file beside ``instance.yml``."""

_VERSION = 1
_OF_USERS = ("email", "firstname", "lastname")


@dataclass
class TwinNotes:
    """The notes of one export.

    :ivar known: kind and uuid of records of an earlier export: a record that is no longer listed may be archived.
    :ivar rehearsed: the records in the files for a rehearsal. A record that is not listed may be archived.
    """

    known: frozenset[tuple[str, str]] = frozenset()
    rehearsed: Sequence[Entry] = ()
    lines: list[Mapping[str, Any]] = field(default_factory=list)

    def begin(self) -> None:
        """Start again, because the sections are written again."""
        self.lines.clear()

    def record(
        self, record: Record, row: Mapping[str, Any], names: Iterable[str], observed: Mapping[str, Any] | None = None
    ) -> None:
        """Note a record that a row of the files describes.

        :param names: the fields of its natural key, as the row names them. :param observed: its values that no other
            file has, because scans or people write them.
        """
        key = {name: row[name] for name in names if name in row}
        uuid = {} if record.kind.numbered else {"uuid": record.uuid}
        members = {"observed": observed} if observed else {}
        self.lines.append({"kind": record.kind.name, "key": key, **uuid, "id": record.id, **members})

    def content(
        self, client: Client, state: ListedState, portable: Portable, files: Callable[[], Mapping[str, str]]
    ) -> bytes:
        """Return the content of the file.

        Takes a request for each unlisted record of an earlier export or of the rehearsal. The files are stale if they
        refer to an archived record that can't be written.

        :param files: gives the uuid of each attachment of the export to its path.
        """
        archivable = [kind for kind in KINDS.values() if kind.can_be_archived]
        archived = [line for kind in archivable for line in self._archived(kind, client, state, portable)]
        lines: list[Mapping[str, Any]] = [
            {"twin": _VERSION},
            *_users(state),
            *_fields(client),
            *({"kind": "file", "uuid": uuid, "path": path} for uuid, path in sorted(files().items())),
            *sorted(self.lines, key=_order),
            *archived,
        ]
        return "".join(map(json_record, lines)).encode()

    def _archived(
        self, kind: Kind, client: Client, state: ListedState, portable: Portable
    ) -> Iterator[Mapping[str, Any]]:
        schema = client.schema(kind)
        fields = writable_fields(schema, client.definitions(kind.template) if kind.template else ())
        names = [name_in_files(schema.fields[key]) for keys in kind.match_on for key in keys]
        by_barcode = self._by_barcode(kind, client, state)
        known = {uuid for name, uuid in self.known if name == kind.name}
        waiting = known | portable.archived_uuids(kind) | by_barcode.keys()
        waiting -= {record.uuid for record in state.records(kind)} if waiting else set()
        seen: set[str] = set()
        found: dict[str, Mapping[str, Any]] = {}
        while waiting:
            for uuid in sorted(waiting):
                record = portable.archived(kind, uuid, by_barcode.get(uuid))
                if record is None:
                    continue
                row = portable.record(schema, fields, schema.read(record.flat), f"archived {kind.name} {uuid}")
                if row is None:
                    # Write the records that refer to it again, without the link.
                    portable.leave_out(kind.name, uuid)
                    continue
                key = {name: row[name] for name in names if name in row}
                since = record.flat.get(ARCHIVED_AT)
                mark = {"archived": str(since) if since not in EMPTY else True}
                found[uuid] = {"kind": kind.name, "key": key, "uuid": uuid, "id": record.id, **mark, "fields": row}
            seen |= waiting
            # These records may refer to further archived records.
            waiting = portable.archived_uuids(kind) - seen
        yield from (found[uuid] for uuid in sorted(found))

    def _by_barcode(self, kind: Kind, client: Client, state: ListedState) -> dict[str, Record]:
        """Return unlisted records of the files for a rehearsal, by their uuid.

        A run looks up the same number, so the twin has every record that a run would find.
        """
        schema = client.schema(kind)
        written = [
            schema.parse(entry.fields, "")[0].get(kind.barcode_key) for entry in self.rehearsed if entry.kind is kind
        ]
        if not kind.barcode_key or not any(written):
            return {}
        listed = {schema.read_field(kind.barcode_key, record.flat) for record in state.records(kind)}
        sought = list(
            dict.fromkeys(str(barcode) for barcode in written if barcode not in EMPTY and barcode not in listed)
        )
        if not sought or looks_up(client, state, kind) is False:
            return {}
        chosen = spread(sought, number_looked_up(len(sought), MOST_OF_A_RUN))
        records = (client.get_by_barcode(kind, barcode) for barcode in chosen)
        return {record.uuid: record for record in records if record is not None}


def known_records(content: bytes) -> frozenset[tuple[str, str]]:
    """Return kind and uuid of the records that an earlier file notes and that may be archived.

    :raises InvalidInput: if the file has no such notes.
    """
    try:
        lines = [json.loads(line) for line in content.decode().splitlines()]
        if lines[0].get("twin") != _VERSION:
            raise ValueError(f"expected the version {_VERSION}")
        found = [(line.get("kind"), line.get("uuid")) for line in lines]
    except (ValueError, AttributeError, IndexError, RecursionError) as error:
        raise InvalidInput(f"dest: {TWIN} was not written by an export ({error!r}); delete it") from error
    archivable = {kind.name for kind in KINDS.values() if kind.can_be_archived}
    return frozenset((kind, uuid) for kind, uuid in found if kind in archivable and is_uuid(uuid))


def _users(state: ListedState) -> Iterator[Mapping[str, Any]]:
    for record in sorted(state.records(USER), key=lambda record: record.id or 0):
        fields = {name: record.flat.get(name) for name in _OF_USERS}
        yield {"kind": USER.name, "uuid": record.uuid, "id": record.id, **fields}


def _order(line: Mapping[str, Any]) -> tuple[str, str]:
    """Return a sort key: instances list records in any order."""
    return line["kind"], json.dumps(line["key"], sort_keys=True)


def _fields(client: Client) -> Iterator[Mapping[str, Any]]:
    for template in TEMPLATES:
        # Fields that the service manages are in no file, and the twin has its own.
        written = [raw for raw in client.definitions(template) if raw.get("field_key") not in SERVER_KEYS]
        for raw in sorted(written, key=lambda record: str(record.get("field_key"))):
            names = {name: raw.get(name) for name in ("field_key", "label", "uuid")}
            yield {"kind": "field_definition", "template": template, **names}
