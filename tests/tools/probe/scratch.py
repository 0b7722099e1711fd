# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scratch records: created under a random name, noted first, and removed in reverse order, even after a kill."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record, created_uuid
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Response
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    FeatureOff,
    InvalidInput,
    NotFound,
    NotJson,
    PermissionMissing,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import FileType, Folder
from ansible_collections.community.seventhings.plugins.module_utils.model.field import is_uuid
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    KINDS,
    LOCATION,
    OBJECT,
    RENTAL_CASE,
    ROOM,
    TASK,
    Kind,
    flatten,
)

from .exchange import Answer, Asker
from .records import maps_in

PREFIX = "zz-probe-"
_NAME = re.compile(rf"{PREFIX}[0-9a-f]{{12}}\b")
_MOST_BYTES = 1 << 20
_ROUNDS = 3
"""Rounds of removal: references to references first, the record itself last."""

ARCHIVABLE = tuple(kind for kind in KINDS.values() if kind.can_be_archived)
"""The kinds whose scratch records are archived."""

_KINDS = (TASK, RENTAL_CASE, *(kind for kind in ARCHIVABLE if kind is not OBJECT), OBJECT, ROOM, LOCATION)
"""The kinds of scratch records, in the order of removal."""
_MADE = {kind.name: kind for kind in _KINDS}


class Journal:
    """The notes of what a probe created, in a file beside the profile, until everything is removed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = Folder(path.parent)

    def read(self, root: str) -> list[str]:
        """Return the noted uuids as ``KIND UUID``, or nothing without a journal.

        :raises InvalidInput: if the journal is of another instance, or is not a journal.
        """
        if self._folder.type_of(self.path.name) is not FileType.FILE:
            return []
        lines = self._folder.read(self.path.name, _MOST_BYTES).decode("utf-8", "replace").splitlines()
        # The last line of an interrupted process may be incomplete.
        entries = [entry for entry in map(_entry, lines) if entry]
        if entries and entries[0].get("root") != root:
            raise InvalidInput(f"dest: {self.path} is the journal of a probe of another instance")
        # The file may come from anybody, so trust none of it.
        created = [(str(entry.get("kind")), entry.get("uuid")) for entry in entries]
        return [f"{kind} {uuid}" for kind, uuid in created if kind in _MADE and is_uuid(uuid)]

    def exists(self) -> bool:
        """Return True if an earlier probe left its journal."""
        return self._folder.type_of(self.path.name) is not None

    def note(self, **entry: str) -> None:
        """Append a line. It is on the disk when this returns."""
        descriptor = self._folder.open_to_update(self.path.name)
        try:
            os.lseek(descriptor, 0, os.SEEK_END)
            os.write(descriptor, (json.dumps(entry) + "\n").encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def remove(self) -> None:
        """Remove the journal when none of the records in it are left."""
        if self.exists():
            self._folder.remove(self.path.name)


def _entry(line: str) -> Mapping[str, Any]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


@dataclass
class Scratch:
    """The scratch records of one probe.

    :ivar prefix: the beginning of each name.
    :ivar created: kind and uuid of each created record, in order.
    """

    asker: Asker
    journal: Journal
    prefix: str = field(default_factory=lambda: PREFIX + secrets.token_hex(6))
    created: list[tuple[Kind, str]] = field(default_factory=list)

    def begin(self) -> None:
        """Note which instance the journal is for."""
        self.journal.note(root=self.asker.transport.root, prefix=self.prefix)

    def make(self, kind: Kind, body: Mapping[str, Any]) -> tuple[Answer, str | None]:
        """Create a record after noting it. Return the answer, and the uuid if it was created."""
        self.journal.note(will_make=kind.name)
        answer = self.asker.write("POST", kind.create_path, body)
        if not answer.is_good:
            return answer, None
        try:
            uuid = created_uuid(Response(answer.status, answer.headers, b"", kind.create_path), kind.words)
        except NotJson:
            # Only its name identifies the record. The search at the end finds it.
            return answer, None
        self.journal.note(kind=kind.name, uuid=uuid)
        self.created.append((kind, uuid))
        return answer, uuid

    def forget(self, kind: Kind, uuid: str) -> None:
        """Note that a record was deleted on purpose."""
        self.created.remove((kind, uuid))

    def read(self, kind: Kind, uuid: str) -> Mapping[str, Any]:
        """Return a scratch record as a flat map, or an empty map if it does not exist."""
        raw = self.raw(kind, uuid)
        return flatten(kind, raw) if raw else {}

    def raw(self, kind: Kind, uuid: str) -> Mapping[str, Any]:
        """Return a scratch record as the service returns it."""
        answer = self.asker.get(kind.item_path.format(uuid=uuid))
        decoded = answer.json()
        return decoded if answer.is_good and isinstance(decoded, Mapping) else {}

    def remove_all(self, keys: Sequence[str]) -> None:
        """Remove everything that was created, check that nothing is left, and end the journal.

        :param keys: the fields of objects that may have the name.
        :raises SeventhingsError: if something is left.
        """
        client, name = self.asker.client, re.compile(re.escape(self.prefix))
        left = _remove_records(client, list(reversed(self.created)))
        # A record whose creation seemed to fail may exist, and may refer to what is left.
        found = found_by_name(client, keys, name)
        left = _remove_records(client, [*found, *(record for record in left if record not in found)])
        if left:
            raise SeventhingsError(_left(left))
        self.journal.remove()


_NAMELESS = (
    "This account does not see their names (a role may hide fields), and deletes nothing that a journal alone names."
)


def sweep(client: Client, journal: Journal, keys: Sequence[str]) -> int:
    """Remove what interrupted probes left: what the journal names, and what lists show under the name of a probe.

    :param keys: the fields of objects that may have the name.
    :returns: the number of records.
    :raises SeventhingsError: if something is left.
    """
    noted = [(_MADE[kind], uuid) for kind, uuid in map(str.split, journal.read(client.transport.root))]
    judged = [(kind, uuid, _is_scratch(client, kind, uuid, keys)) for kind, uuid in noted]
    found = [(kind, uuid) for kind, uuid, is_scratch in judged if is_scratch]
    found += [record for record in found_by_name(client, keys, _NAME) if record not in found]
    found.sort(key=lambda record: _KINDS.index(record[0]))
    if left := _remove_records(client, found) or found_by_name(client, keys, _NAME):
        raise SeventhingsError(_left(left))
    if nameless := [(kind, uuid) for kind, uuid, is_scratch in judged if is_scratch is None]:
        raise SeventhingsError(f"{_left(nameless)} {_NAMELESS}")
    journal.remove()
    return len(found)


def found_by_name(client: Client, object_keys: Sequence[str], name: re.Pattern[str]) -> list[tuple[Kind, str]]:
    """Return the listed records with a name: referring records first, the newest objects first."""
    found: dict[str, Kind] = {}
    places = [(kind, key) for kind in _KINDS for key in names_of(kind, object_keys)]
    for kind, key in places:
        # The service narrows the list if it can. The whole list works as well.
        conditions = [Condition(key, "like", (PREFIX,))] if kind.filters == "query" else []
        try:
            records = client.list_all(kind, conditions)
        except (FeatureOff, PermissionMissing, NotFound):
            continue
        ours = [record for record in records if name.match(str(record.flat.get(key)))]
        found.update((record.uuid, kind) for record in sorted(ours, key=_number, reverse=True) if record.uuid)
    return [(kind, uuid) for uuid, kind in found.items()]


def names_of(kind: Kind, object_keys: Sequence[str]) -> Sequence[str]:
    """Return the fields with the name of a scratch record."""
    if kind is OBJECT:
        return object_keys
    return kind.titles[:1] or kind.match_on[0][:1]


def _is_scratch(client: Client, kind: Kind, uuid: str, object_keys: Sequence[str]) -> bool | None:
    """Return True if a record exists and has the name of a scratch record, or None if its name is hidden.

    A note in the journal is not a sufficient reason to delete a record: anybody may have written it.
    """
    try:
        record = client.get(kind, uuid)
    except (FeatureOff, PermissionMissing):
        return False
    if record is None:
        return False
    shown = [str(record.flat[key]) for key in names_of(kind, object_keys) if key in record.flat]
    return any(map(_NAME.match, shown)) if shown else None


def _number(record: Record) -> int:
    return record.id or 0


def _exists(client: Client, kind: Kind, uuid: str) -> bool:
    try:
        return client.get(kind, uuid) is not None
    except (FeatureOff, PermissionMissing):
        return False


def _remove_records(client: Client, records: Iterable[tuple[Kind, str]]) -> list[tuple[Kind, str]]:
    """Delete records. Repeat the deletion of records that were still referenced. Return the records that are left."""
    left = list(records)
    for _round in range(_ROUNDS):
        left = [(kind, uuid) for kind, uuid in left if not _deleted(client, kind, uuid)]
        if not left:
            break
    return left


def _deleted(client: Client, kind: Kind, uuid: str) -> bool:
    """Delete a record. Return False if the instance does not delete it because it is archived."""
    try:
        client.delete(kind, uuid)
    except SeventhingsError:
        if not _exists(client, kind, uuid):
            return True
        if not kind.can_be_archived:
            return False
        try:
            client.archive(kind, uuid, back=True)
            client.delete(kind, uuid)
        except SeventhingsError:
            return not _exists(client, kind, uuid)
    return True


def _left(left: Sequence[tuple[Kind, str]]) -> str:
    names = ", ".join(f"{kind.words} {uuid}" for kind, uuid in left)
    return (
        f"Scratch records of a probe are left: {names}. Run the probe again with sweep: true, or delete them in the "
        f"application; their names begin with {PREFIX}."
    )


def object_keys(definitions: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the fields of objects that may have the name of a scratch object, the preferred field first.

    :param definitions: of the fields of objects.
    """
    types = {
        str(definition.get("field_key")): definition
        for definition in definitions
        if definition.get("type") in ("BARCODE", "TEXT")
    }
    mandatory = [key for key, definition in types.items() if "mandatory" in attributes_of(definition)]
    names = (*OBJECT.labels, *OBJECT.names, *mandatory)
    return [key for key in dict.fromkeys(names) if key in types]


def attributes_of(definition: Mapping[str, Any]) -> set[str]:
    """Return the names of the attributes of a field, except those that its definition denies."""
    attributes = maps_in(definition.get("attributes"))
    return {str(attribute.get("type")) for attribute in attributes if attribute.get("value") not in ("no", False)}
