# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The directory of a rendered state. Nothing in it belongs to the user, and nothing outside of it is ever changed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.access import Access
from ...module_utils.local.safe_files import FileType, Folder
from ..desired.desired import BY_TEMPLATE, SECTIONS
from ..desired.loading import ENDINGS
from ..export.file_set import FileSet, listed
from ..export.layout import SCHEMAS
from ..export.manifest import checked, digest, is_attachment, is_digest, note_of, noted
from .rendering import MOVED, SETTINGS, LocalFile

NOTE = ".render.json"
"""The files that a render wrote, by their SHA-256."""

_RENDER = "a render"
_RECORDS = re.compile(r"(?P<section>[a-z_]+)(/[a-z0-9_]+)?\.yml")
_SCHEMA = re.compile(rf"{SCHEMAS}/[a-z_]+\.schema\.json")


@dataclass
class RenderedDirectory:
    """The target directory of a render.

    :ivar files: the files below it.
    :ivar earlier: the files of an earlier render, by their SHA-256; None without one.
    """

    files: FileSet
    earlier: Mapping[str, str] | None
    _digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def at(cls, path: Path, sources: Sequence[Path]) -> RenderedDirectory:
        """Read the directory.

        :param sources: the layers.
        :raises InvalidInput: if it is neither empty nor the result of an earlier render, if it has other files that
            would be read, or if it is in a layer or contains one.
        """
        real = path.resolve()
        for source in (source.resolve() for source in sources):
            if source.is_dir() and source in (real, *real.parents):
                raise InvalidInput(f"dest: {path} is in the layer {source}; render to a directory of its own")
            if real in source.parents:
                raise InvalidInput(f"dest: the layer {source} lies in {path}; render to a directory of its own")
        if real.exists() and not real.is_dir():
            raise InvalidInput(f"dest: {path} is no directory")
        folder = Folder(path)
        existing = {member.name: member.type for member in folder.below()}
        earlier = None
        if NOTE in existing:
            earlier = checked(folder, NOTE, noted(folder, NOTE, _RENDER), "files", _is_rendered, is_digest, _RENDER)
        found = cls(FileSet(folder, existing), earlier)
        found._refuse_strangers()
        return found

    def _refuse_strangers(self) -> None:
        if self.earlier is None:
            if self.files.present:
                raise InvalidInput(
                    f"dest: {self.files.folder.path} is not empty, and no render created it. Render to an empty "
                    "directory."
                )
            return
        strangers = [
            path for path, kind in self.files.present.items() if path not in self.earlier and _is_read(path, kind)
        ]
        if strangers:
            raise InvalidInput(f"dest: {listed(strangers)}: no render wrote it, and a plan would read it; delete it")

    def compare(self, wanted: Mapping[str, bytes | LocalFile]) -> None:
        """Find what is to be written and removed.

        :raises InvalidInput: if something is in the way.
        """
        existing = self.files.present
        self._digests = {path: _digest_of(content) for path, content in wanted.items()}
        blocked = self.files.above(wanted)
        blocked += [path for path in (*wanted, NOTE) if existing.get(path) not in (None, FileType.FILE)]
        if blocked:
            raise InvalidInput(f"dest: {listed(blocked)}: something else is at the path of a file; delete it")
        contents = {path: content if isinstance(content, bytes) else content.read for path, content in wanted.items()}
        self.files.compare(contents, (path for path in self.earlier or {} if path not in wanted and path in existing))

    def carry_out(self) -> None:
        """Write the files."""
        folder = self.files.folder
        if self.files.written or self.files.removed:
            # Write the note first: it may name files that an interrupted run did not write, but must not omit any.
            folder.write(NOTE, note_of(files={**(self.earlier or {}), **self._digests}), Access())
        self.files.write()
        note = note_of(files=self._digests)
        if not folder.has_content(NOTE, note):
            folder.write(NOTE, note, Access())

    def result(self, summary: Mapping[str, int]) -> dict[str, Any]:
        """Return the result of the task.

        :param summary: section to the number of its records.
        """
        files = self.files
        counts = ", ".join(f"{number} {section}" for section, number in summary.items()) or "no records"
        return {
            "changed": files.is_changed,
            "dest": str(files.folder.path),
            "summary": dict(summary),
            "files": {"written": list(files.written), "removed": files.removed, "unchanged": len(files.unchanged)},
            "diff": files.diff,
            "msg": f"{counts}; {files.counts}",
        }


def _digest_of(content: bytes | LocalFile) -> str:
    return digest(content) if isinstance(content, bytes) else content.digest


def _is_rendered(path: str) -> bool:
    """Return True if a render can have written a file of this path, so that the path is below its directory."""
    records = _RECORDS.fullmatch(path)
    is_records = records is not None and records["section"] in {*SECTIONS, *BY_TEMPLATE}
    return path in (SETTINGS, MOVED) or is_records or _SCHEMA.fullmatch(path) is not None or is_attachment(path)


def _is_read(path: str, kind: FileType) -> bool:
    """Return True if a plan would read something as a part of the state."""
    is_hidden = path.startswith(".") or "/." in path
    return not is_hidden and kind is not FileType.FOLDER and path.lower().endswith(ENDINGS)
