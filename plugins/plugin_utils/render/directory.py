# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The directory of a rendered state. Nothing in it belongs to the user, and nothing else is ever changed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.access import Access
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import FileType, Folder
from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean

from ..desired.desired import BY_TEMPLATE, SECTIONS
from ..desired.loading import ENDINGS
from ..export.layout import SCHEMAS
from ..export.manifest import checked, digest, is_attachment, is_digest, note_of, noted
from .rendering import MOVED, SETTINGS, LocalFile

NOTE = ".render.json"
"""The files that a render wrote, by their SHA-256."""

_RENDER = "a render"
_RECORDS = re.compile(r"(?P<section>[a-z_]+)(/[a-z0-9_]+)?\.yml")
_SCHEMA = re.compile(rf"{SCHEMAS}/[a-z_]+\.schema\.json")

Content = bytes | LocalFile


@dataclass
class RenderedDirectory:
    """The target directory of a render.

    :ivar folder: the directory. :ivar there: path of everything below it to its type.
    :ivar earlier: the files of an earlier render, by their SHA-256; None without one.
    """

    folder: Folder
    there: Mapping[str, FileType]
    earlier: Mapping[str, str] | None
    written: dict[str, Content] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    _digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, path: Path, sources: Sequence[Path]) -> RenderedDirectory:
        """Read the directory.

        :param sources: the layers.
        :raises InvalidInput: if it is neither empty nor the result of an earlier render, has something else that would
            be
            read, or is in a layer or around a layer.
        """
        real = path.resolve()
        for source in (one.resolve() for one in sources):
            if source.is_dir() and source in (real, *real.parents):
                raise InvalidInput(f"dest: {path} lies in the layer {source}; render to a directory of its own")
            if real in source.parents:
                raise InvalidInput(f"dest: the layer {source} lies in {path}; render to a directory of its own")
        if real.exists() and not real.is_dir():
            raise InvalidInput(f"dest: {path} is no directory")
        folder = Folder(path)
        there = {one.name: one.type for one in folder.below()}
        earlier = None
        if NOTE in there:
            earlier = checked(folder, NOTE, noted(folder, NOTE, _RENDER), "files", _is_rendered, is_digest, _RENDER)
        found = cls(folder, there, earlier)
        found._refuse_strangers()
        return found

    def _refuse_strangers(self) -> None:
        if self.earlier is None:
            if self.there:
                raise InvalidInput(
                    f"dest: {self.folder.path} is not empty, and no render made it. Render to an empty directory."
                )
            return
        strangers = [path for path, kind in self.there.items() if path not in self.earlier and _is_read(path, kind)]
        if strangers:
            raise InvalidInput(
                f"dest: {_listed(strangers)}: no render wrote it, and a plan would read it; take it away"
            )

    def compare(self, wanted: Mapping[str, Content]) -> None:
        """Find what is to be written and removed.

        :raises InvalidInput: if something is in the way.
        """
        earlier = self.earlier or {}
        self._digests = {path: _digest_of(content) for path, content in wanted.items()}
        above = {str(one) for path in wanted for one in PurePosixPath(path).parents if one != PurePosixPath()}
        blocked = [path for path in sorted(above) if self.there.get(path) not in (None, FileType.FOLDER)]
        blocked += [path for path in (*wanted, NOTE) if self.there.get(path) not in (None, FileType.FILE)]
        if blocked:
            raise InvalidInput(f"dest: {_listed(blocked)}: something else stands where a file is to be; take it away")
        for path, content in wanted.items():
            if self.there.get(path) is FileType.FILE and self._holds(path, content):
                self.unchanged += 1
            else:
                self.written[path] = content
        self.removed = sorted(path for path in earlier if path not in wanted and path in self.there)

    def _holds(self, path: str, content: Content) -> bool:
        return self.folder.holds(path, content if isinstance(content, bytes) else content.read())

    def carry_out(self) -> None:
        """Write the files."""
        if self.written or self.removed:
            # What the note names and a broken run did not write is no harm; a file that it lacks is.
            self.folder.write(NOTE, note_of(files={**(self.earlier or {}), **self._digests}), Access())
        for path, content in self.written.items():
            self.folder.write(path, content if isinstance(content, bytes) else content.read(), Access())
        for path in self.removed:
            self.folder.remove(path)
        note = note_of(files=self._digests)
        if not self.folder.holds(NOTE, note):
            self.folder.write(NOTE, note, Access())

    def account(self, summary: Mapping[str, int]) -> dict[str, Any]:
        """Return the result of the task.

        :param summary: section to the number of its records.
        """
        lines = [*(f"~ {path}" for path in self.written), *(f"- {path}" for path in self.removed)]
        told = ", ".join(f"{number} {section}" for section, number in summary.items()) or "no records"
        return {
            "changed": bool(lines),
            "dest": str(self.folder.path),
            "summary": dict(summary),
            "files": {"written": list(self.written), "removed": self.removed, "unchanged": self.unchanged},
            "diff": {"prepared": "".join(clean(line) + "\n" for line in lines)},
            "msg": f"{told}; {len(self.written)} files written, {len(self.removed)} removed, "
            f"{self.unchanged} as they were",
        }


def _digest_of(content: Content) -> str:
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


def _listed(paths: Collection[str]) -> str:
    """Return paths on one line. None can look like another text."""
    return ", ".join(path if path.isprintable() else repr(path) for path in paths)
