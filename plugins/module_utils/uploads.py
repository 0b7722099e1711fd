# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Uploads that a journal keeps account of, so that a run that was killed leaves no file behind and sends none twice."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

from .attachments import download, newest_files, upload
from .client import Client
from .journal import Journal, Upload
from .kinds import FILE
from .links import Attachment
from .lost import looks


class Uploads:
    """Uploads files for records, each once."""

    def __init__(self, client: Client, journal: Journal, sleep: Callable[[float], None]) -> None:
        self._client = client
        self._journal = journal
        self._sleep = sleep
        self._mutex = threading.Lock()

    def upload(self, attachment: Attachment, kind: str, key: str) -> None:
        """Uploads a local file for a record, or finds it where an earlier run did, and notes its uuid.

        :raises OSError: where the file can't be read.
        """
        path = Path(str(attachment.path)).expanduser()
        content = path.read_bytes()
        what = Upload(kind, key, attachment.name or path.name, hashlib.sha256(content).hexdigest())
        with self._mutex:
            # The same file in two fields of one record is two files.
            earlier = self._journal.uploads.pop(what, None)
        if earlier:
            found = self._client.get(FILE, earlier)
            attachment.uuid = found.uuid if found else None
        elif earlier is not None:
            attachment.uuid = self._lost(what, content)
        if attachment.uuid is None:
            self._journal.uploading(what)
            upload(self._client, attachment, self._sleep)
        self._journal.uploaded(what, str(attachment.uuid))

    def _lost(self, what: Upload, content: bytes) -> str | None:
        """The file that a run uploaded right before it was killed; nobody else's that is the same."""
        for _look in looks(self._sleep):
            for file in newest_files(self._client):
                uuid = str(file.get("uuid")).lower()
                alike = file.get("name") == what.name and file.get("size") == len(content)
                with self._mutex:
                    if not alike or uuid in self._journal.files:
                        continue
                if download(self._client, uuid) == content:
                    self._journal.files.add(uuid)
                    return uuid
        return None
