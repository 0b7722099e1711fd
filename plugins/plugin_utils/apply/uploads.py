# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Upload files and note them in the journal. A file that many records link to is uploaded once.

The upload of an interrupted run is found among the newest files. The instance lists no others, so after many other
uploads it may be sent again, with a warning.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading

from ...module_utils.client.client import Client
from ...module_utils.client.files import content_of, is_same_file, name_of, upload_content
from ...module_utils.errors import OutcomeUnknown, SeventhingsError
from ...module_utils.model.field import is_uuid
from ...module_utils.model.kinds import FILE
from ...module_utils.model.types_links import Attachment
from ..desired.hiding import scrypted
from .journal import Journal, JournalBroken
from .memory import Upload

_MAY_EXIST = (
    "The outcome of an earlier upload is unknown, and its file is not among the newest files. The instance lists no "
    "others. The file is uploaded again, and may exist twice."
)


class Uploads:
    """Upload files, each once. The service deletes no file, so any number of records may link to the same file."""

    def __init__(self, client: Client, journal: Journal) -> None:
        self._client = client
        self._journal = journal
        self._noted = journal.memory.uploads
        self._mutex = threading.Lock()
        self._under_way: dict[Upload, threading.Lock] = {}
        self._done: dict[Upload, str] = {}
        self._lost: dict[Upload, OutcomeUnknown] = {}

    def upload(self, attachment: Attachment) -> None:
        """Upload a local file, or find the upload of this run or of an earlier run, and note its uuid.

        :raises OutcomeUnknown: if the answer was lost. This run never sends the file again; the next call looks for it.
        :raises SeventhingsError: if the file is no longer the checked file.
        :raises OSError: if it cannot be read.
        """
        content = content_of(attachment)
        upload = _noted_as(attachment, content)
        with self._mutex:
            turn = self._under_way.setdefault(upload, threading.Lock())
        with turn:
            if upload not in self._done:
                name = name_of(attachment)
                self._done[upload] = self._earlier(upload, name, content) or self._upload_again(
                    upload, attachment, content
                )
            attachment.uuid = self._done[upload]

    def _upload_again(self, upload: Upload, attachment: Attachment, content: bytes) -> str:
        if upload in self._lost:
            raise self._lost[upload]
        self._journal.uploading(upload)
        try:
            upload_content(self._client, attachment, content, defers=True)
        except SeventhingsError as error:
            if isinstance(error, OutcomeUnknown) and error.is_lost:
                self._lost[upload] = error
            else:
                # Without this note, the next run would wait for a file that never comes.
                with contextlib.suppress(JournalBroken):
                    self._journal.not_uploaded(upload)
            raise
        self._journal.uploaded(upload, str(attachment.uuid))
        return str(attachment.uuid)

    def _earlier(self, upload: Upload, name: str, content: bytes) -> str | None:
        """Return the file that this run or an earlier one uploaded, if it still exists."""
        uuid = "" if upload in self._lost else self._noted.get(upload)
        if uuid:
            # The journal may be wrong, and must not lead to another file.
            file = self._client.get(FILE, uuid) if is_uuid(uuid) else None
            return uuid if file and is_same_file(self._client, file, name, content) else None
        return None if uuid is None else self._look_for(upload, name, content)

    def _look_for(self, upload: Upload, name: str, content: bytes) -> str | None:
        """Return the file of an upload with an unknown outcome, and never an equal file of somebody else."""
        listed = self._client.list_all(FILE)
        others = (file for file in listed if file.uuid not in self._journal.memory.files)
        found = next((file.uuid for file in others if is_same_file(self._client, file, name, content)), None)
        warnings = self._client.transport.warnings
        if found:
            self._journal.uploaded(upload, found)
        elif upload not in self._lost and len(listed) >= FILE.newest and _MAY_EXIST not in warnings:
            warnings.append(_MAY_EXIST)
        return found


def _noted_as(attachment: Attachment, content: bytes) -> Upload:
    """Return the entry of an upload in the journal: its file name and content.

    A vaulted file name is noted as a hash.
    """
    name, digest = name_of(attachment), hashlib.sha256(content)
    shown = scrypted(name, digest.digest()).hex() if attachment.hidden else name
    return Upload(shown, digest.hexdigest())
