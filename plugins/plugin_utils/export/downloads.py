# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Attachments of an export: each file downloaded once, and named by its content.

So the same file has the same path on every instance.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.files import check_local, describe, download
from ...module_utils.errors import InvalidInput, NotFound, WrongContent
from ...module_utils.local.safe_files import shortened
from ...module_utils.model.types_links import Attachment

FOLDER = "files"
_LONGEST_NAME = 120
_UNSAFE = re.compile(r"[^\w .()+,=@-]")


class Downloads:
    """Download files into a separate directory.

    :param directory: for the files until the export is complete.
    :param known: uuid of a file to its path in an earlier export, if it still exists: uploaded files never change.
    :param names: uuid of a file to its name, as far as an earlier export noted it.
    :ivar paths: uuid of every file that the export refers to, to its path.
    """

    def __init__(
        self, client: Client, directory: Path, known: Mapping[str, str], names: Mapping[str, str] | None = None
    ) -> None:
        self._client = client
        self._directory = directory
        self._paths = dict(known)
        self._names = dict(names or {})
        self._files: dict[str, Path] = {}
        self._failed: dict[str, InvalidInput | NotFound | WrongContent] = {}
        self.paths: dict[str, str] = {}

    @property
    def fetched(self) -> dict[str, Path]:
        """Return the path below the export's root of every downloaded file that the export refers to."""
        used = set(self.paths.values())
        return {path: file for path, file in self._files.items() if path in used}

    @property
    def names(self) -> dict[str, str]:
        """Return the name of every file that the export refers to, by uuid."""
        return {uuid: self._names[uuid] for uuid in self.paths}

    def written(self, attachment: Attachment) -> Any:
        """Return how records name a file: by its path below the root, and by its name if the path cannot contain that.

        :raises NotFound: if the service has no such file.
        :raises InvalidInput: if no upload could carry it or its name.
        :raises WrongContent: if the service returns something else, or no name.
        """
        uuid, name = str(attachment.uuid), self.name_of(attachment)
        if uuid in self._failed:
            raise self._failed[uuid]
        if uuid not in self._paths:
            try:
                self._paths[uuid] = self._fetch(uuid, attachment.size, name)
            except (InvalidInput, NotFound, WrongContent) as failed:
                self._failed[uuid] = failed
                raise
        path = self._paths[uuid]
        return path if Path(path).name == name else {"path": path, "name": name}

    def keep(self, attachments: Iterable[Attachment]) -> None:
        """Note that the export refers to some files."""
        self.paths |= {str(attachment.uuid): self._paths[str(attachment.uuid)] for attachment in attachments}

    def name_of(self, attachment: Attachment) -> str:
        """Return the name of a file. Request it if neither the record nor an earlier export has it.

        :raises WrongContent: if the service does not return it.
        """
        uuid = str(attachment.uuid)
        name = attachment.name or self._names.get(uuid) or describe(self._client, attachment).name
        if not name:
            raise WrongContent(f"GET /file/{uuid}: the service returns no name for the file")
        self._names[uuid] = name
        return name

    def _fetch(self, uuid: str, size: int | None, name: str) -> str:
        content = download(self._client, uuid, size)
        target = self._directory / str(len(self._files))
        target.write_bytes(content)
        problems = check_local(Attachment(path=str(target), name=name, written=safe_name(name)), "name")
        if problems:
            raise InvalidInput(problems)
        path = f"{FOLDER}/{hashlib.sha256(content).hexdigest()[:16]}/{safe_name(name)}"
        self._files.setdefault(path, target)
        return path


def safe_name(name: str) -> str:
    """Return a file name that every file system accepts and that cannot leave its directory."""
    return shortened(_UNSAFE.sub("_", name).strip(" ."), _LONGEST_NAME).strip(" .") or "file"
