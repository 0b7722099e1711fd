# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that were uploaded for a write that was refused. The service deletes none, so the next task uses them.

If nothing can be shared, they are forgotten, and the next task uploads them once more.
"""

from __future__ import annotations

import contextlib
import hashlib

from ..errors import InvalidInput
from ..local.access import PRIVATE_FILE, Access
from ..local.safe_files import Folder
from .places import digest_of

_FILE = "upload-"
_MOST_BYTES = 64


class Leftovers:
    """The uploads of one process at one instance, and those that earlier processes of this user left behind.

    :param folder: the directory of their notes; None: nothing is shared.
    :param root: of the instance.
    """

    def __init__(self, folder: Folder | None = None, root: str = "") -> None:
        self._folder = folder
        self._root = root
        self._sent: dict[str, str] = {}

    def begin(self) -> None:
        """Forget uploads of earlier tasks."""
        self._sent.clear()

    def uploaded(self, name: str, content: bytes, uuid: str) -> None:
        """Remember that a file was uploaded."""
        self._sent[self._note(name, content)] = uuid

    def keep(self) -> None:
        """Write a note of every file of this task, because the task failed."""
        for note, uuid in self._sent.items():
            with contextlib.suppress(OSError, InvalidInput):
                if self._folder is not None:
                    self._folder.write(note, uuid.encode(), Access(mode=PRIVATE_FILE))

    def take(self, name: str, content: bytes) -> str:
        """Return the uuid of a left file with this name and content, and remove its note.

        Return an empty text if there is none.

        The caller checks the file first: a note may be wrong.
        """
        note = self._note(name, content)
        with contextlib.suppress(OSError, InvalidInput, UnicodeDecodeError):
            if self._folder is not None:
                uuid = self._folder.read(note, _MOST_BYTES).decode("ascii")
                self._folder.remove(note)
                return uuid
        return ""

    def _note(self, name: str, content: bytes) -> str:
        return f"{_FILE}{digest_of(self._root, name, hashlib.sha256(content).hexdigest())}"
