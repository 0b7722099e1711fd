# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The notes of an export about itself, for the next export.

Anybody who can change the directory can change the notes, so notes that an export could not have written are rejected.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.access import Access
from ...module_utils.local.safe_files import Folder
from ..apply.strict_json import Digest, Fits, Printable, Uuid, decode, read_members, version_of
from ..desired.desired import SECTIONS
from .downloads import FOLDER, safe_name
from .layout import SCHEMAS

#: The workbook of an export, beside ``instance.yml``.
BOOK = "instance.xlsx"

#: The files that an export wrote, by their SHA-256. It is the same for the same records of another instance.
MANIFEST = ".export.json"

#: The uuid and the name of each attachment on the instance. This only saves requests.
FETCHED = ".seventhings/export.json"

_VERSION = 1
#: Maximum bytes of a note: some hundred thousand attachments.
_LARGEST = 64 << 20

_DEEPEST = 4
_ATTACHMENT = re.compile(f"{FOLDER}/[0-9a-f]{{16}}/(?P<name>[^/]+)")
_RECORDS = re.compile(r"(?P<section>[a-z_]+)(/[a-z0-9_]+){0,3}\.(yml|csv|jsonl)")
_SCHEMA = re.compile(rf"{SCHEMAS}/[a-z_]+\.schema\.json")


@dataclass
class Manifest:
    """The notes of an earlier export about itself.

    :ivar files: path of every file that it wrote, except the settings, to its SHA-256.
    :ivar hidden_records: whether records were hidden from the account: yes, no or unknown; empty if not noted.
    :ivar downloads: uuid of a file of the instance to the path of the attachment. :ivar names: to its name.
    """

    files: dict[str, str] = field(default_factory=dict)
    downloads: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    hidden_records: str = ""

    @classmethod
    def read(cls, folder: Folder) -> Manifest:
        """Return the manifest of a directory; an empty one if nothing was exported there.

        :raises InvalidInput: if a note is not a regular file, is too large, or has content that no export writes.
        """
        manifest, fetched = _read(folder, MANIFEST, _MANIFEST), _read(folder, FETCHED, _FETCHED)
        return cls(manifest.get("files", {}), fetched.get("downloads", {}), fetched.get("names", {}))

    def write(self, folder: Folder, access: Access) -> None:
        """Write the notes into the directory. A note that would stay the same is not written."""
        notes = {MANIFEST: note_of(files=self.files, hidden_records=self.hidden_records)}
        if self.downloads or folder.type_of(FETCHED):
            notes[FETCHED] = note_of(downloads=self.downloads, names=self.names)
        for name, content in notes.items():
            if not folder.has_content(name, content):
                folder.write(name, content, access)


def is_exported_path(path: str) -> bool:
    """Return True if an export can have written a file of this path, so that the path is below its directory."""
    records = _RECORDS.fullmatch(path)
    is_ours = path == BOOK or (records is not None and records["section"] in SECTIONS)
    return is_ours or _SCHEMA.fullmatch(path) is not None or is_attachment(path)


def digest(content: bytes) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(content).hexdigest()


def is_attachment(path: str) -> bool:
    """Return True if a path is that of an attachment, below the directory of attachments."""
    found = _ATTACHMENT.fullmatch(path)
    return found is not None and safe_name(found["name"]) == found["name"]


_MANIFEST = {
    "version": int,
    "files": dict[Annotated[str, Fits(is_exported_path, "a path of an export")], Digest],
    "hidden_records": str,
}
_FETCHED = {
    "version": int,
    "downloads": dict[Uuid, Annotated[str, Fits(is_attachment, "a path of an attachment")]],
    "names": dict[Uuid, Printable],
}


def _read(folder: Folder, note: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a note; none if there is no note.

    :raises InvalidInput: if it is not a note, or of another version.
    """
    try:
        said = decode(folder.read(note, _LARGEST), _DEEPEST)
        version = version_of(said, "version")
        if version is None:
            raise ValueError(f"expected a map with the version {_VERSION}")
        if version != _VERSION:
            raise InvalidInput(
                f"{folder.path / note} is of version {version}; expected {_VERSION}. Use the version of the collection "
                f"that wrote it, or another directory"
            )
        return read_members(said, members)
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise InvalidInput(f"{folder.path / note} was not written by an export ({error}); delete it") from error


def note_of(**noted: Mapping[str, str] | str) -> bytes:
    """Return the text of a note."""
    return (json.dumps({"version": _VERSION, **noted}, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()
