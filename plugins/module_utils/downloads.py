# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments of an export: each file downloaded once, named by its content, so that the same file has the same path
on every instance.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .attachments import MAX_SIZE, download
from .client import Client
from .errors import NotFound
from .kinds import FILE
from .links import Attachment

FOLDER = "files"
_LONGEST_NAME = 120
_UNSAFE = re.compile(r"[^\w .()+,=@-]")


class Downloads:
    """Fetches files into a directory of its own.

    :param directory: where the bytes are put until the export is complete.
    :param known: uuid of a file to the path that an earlier export gave it, where it is still there: the content of an
        uploaded file never changes.
    :ivar fetched: path below the export's root to the file with its bytes.
    :ivar paths: uuid of every file that the export refers to, to its path.
    """

    def __init__(self, client: Client, directory: Path, known: Mapping[str, str]) -> None:
        self._client = client
        self._directory = directory
        self._known = known
        self._names: dict[str, str] = {}
        self.fetched: dict[str, Path] = {}
        self.paths: dict[str, str] = {}

    def written(self, attachment: Attachment) -> Any:
        """How a record names a file: its path below the root, with the name where the path can't hold it.

        :raises NotFound: where the service has no such file.
        """
        uuid = str(attachment.uuid)
        name = self._name(uuid, attachment)
        path = self.paths.get(uuid) or self._known.get(uuid) or self._fetch(uuid, name)
        self.paths[uuid] = path
        return path if Path(path).name == name else {"path": path, "name": name}

    def _name(self, uuid: str, attachment: Attachment) -> str:
        if attachment.name:
            return attachment.name
        if uuid not in self._names:
            known = self._known.get(uuid)
            meta = None if known else self._client.get(FILE, uuid)
            self._names[uuid] = Path(known).name if known else str((meta.flat if meta else {}).get("name") or uuid)
        return self._names[uuid]

    def _fetch(self, uuid: str, name: str) -> str:
        content = download(self._client, uuid)
        if not 1 <= len(content) <= MAX_SIZE:
            raise NotFound(404, f"has {len(content)} bytes, which can't be uploaded", f"file {uuid}")
        digest = hashlib.sha256(content).hexdigest()[:16]
        path = f"{FOLDER}/{digest}/{safe_name(name)}"
        if path not in self.fetched:
            held = self._directory / str(len(self.fetched))
            held.write_bytes(content)
            self.fetched[path] = held
        return path


def safe_name(name: str) -> str:
    """A file name that every file system takes and that stays where it is put."""
    cleaned = _UNSAFE.sub("_", name).strip(" .")
    if len(cleaned.encode()) > _LONGEST_NAME:
        stem, dot, ending = cleaned.rpartition(".")
        ending = (dot + ending)[:16] if stem else ""
        room = _LONGEST_NAME - len(ending.encode())
        cleaned = cleaned.encode()[:room].decode(errors="ignore").strip(" .") + ending
    return cleaned or "file"
