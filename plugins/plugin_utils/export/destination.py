# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The directory of an export: its files are compared first, then written."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.local.access import Access, Sides
from ...module_utils.local.safe_files import FileType, Folder
from ...module_utils.printing.cleaner import amount, clean
from ..desired.loading import ENDINGS
from .manifest import FETCHED, MANIFEST, Manifest, digest

#: The content of a file, or a function that reads it.
Content = bytes | Callable[[], bytes]

#: Maximum bytes of a file that is read: larger than any file of an export.
_LARGEST = 1 << 28


def bytes_of(content: Content) -> bytes:
    """Return the content of a file."""
    return content if isinstance(content, bytes) else content()


@dataclass
class Destination:
    """The directory of an export as found, and what happens to its files.

    :ivar folder: the directory. :ivar present: path of everything that exists below it, to its type.
    :ivar access: the access to written files. :ivar earlier: the notes of an earlier export.
    :ivar force: True if files that no export wrote, or that somebody edited, may be replaced and removed.
    :ivar backup: True if a copy is kept of each file that is replaced or removed.
    :ivar after: the notes of this export.
    :ivar adjusted: files that keep their content and get another mode, owner or group.
    """

    folder: Folder
    present: Mapping[str, FileType]
    access: Access
    earlier: Manifest
    force: bool
    backup: bool
    after: Manifest = field(default_factory=Manifest)
    written: dict[str, Content] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    adjusted: dict[str, Sides] = field(default_factory=dict)

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Destination:
        """Return the destination of the options.

        :raises InvalidInput: for an invalid note of an earlier export, mode, owner or group.
        """
        access = Access.from_options(options)
        folder = Folder(Path(options["dest"]).expanduser())
        with at_dest():
            earlier = Manifest.read(folder)
        present = {member.name: member.type for member in folder.below()}
        force, backup = bool(options.get("force")), bool(options.get("backup"))
        return cls(folder, present, access, earlier, force, backup)

    def is_file(self, path: str) -> bool:
        """Return True if there is a regular file of this path."""
        return self.present.get(path) is FileType.FILE

    def data(self) -> Iterator[str]:
        """Yield the paths of the files that a desired state may consist of, links included, hidden names excluded."""
        for path, kind in self.present.items():
            is_hidden = path.startswith(".") or "/." in path
            if not is_hidden and path.lower().endswith(ENDINGS) and kind is not FileType.FOLDER:
                yield path

    def read(self, path: str, limit: int = _LARGEST) -> bytes:
        """Return the content of a regular file.

        :raises InvalidInput: if it is not a regular file, or longer than the limit.
        """
        with at_dest():
            return self.folder.read(path, limit)

    def is_as_noted(self, path: str) -> bool:
        """Return True if a file is as an earlier export wrote it."""
        noted = self.earlier.files.get(path)
        if noted is None or not self.is_file(path):
            return False
        try:
            return digest(self.folder.read(path, _LARGEST)) == noted
        except InvalidInput:
            # The file is longer than any file that an export writes.
            return False

    def compare(self, wanted: Mapping[str, Content], removed: Iterable[str] = ()) -> None:
        """Find the files to write.

        :param removed: the files to remove.
        """
        for path, content in wanted.items():
            if self.is_file(path) and self.folder.has_content(path, bytes_of(content)):
                self.unchanged.append(path)
            else:
                self.written[path] = content
        self.removed = sorted(removed)
        paths = (*self.unchanged, *[note for note in (MANIFEST, FETCHED) if self.is_file(note)])
        differing = {path: self.folder.adjust(path, self.access, check_mode=True) for path in paths}
        self.adjusted = {path: sides for path, sides in differing.items() if sides[1]}

    def above(self, paths: Iterable[str]) -> list[str]:
        """Return the existing paths that are not directories, but would have to be."""
        folders = {str(parent) for path in paths for parent in PurePosixPath(path).parents if parent != PurePosixPath()}
        return [path for path in sorted(folders) if self.present.get(path) not in (None, FileType.FOLDER)]

    def carry_out(self) -> list[str]:
        """Write and remove the files. Return the paths of the backups."""
        # Write the notes first: they may name files that an interrupted run did not write, but must not omit any.
        if self.written or self.removed:
            replace(self.after, files={**self.earlier.files, **self.after.files}).write(self.folder, self.access)
        lost = [path for path in (*self.written, *self.removed) if self.is_file(path)] if self.backup else []
        backups = [self.folder.backup(path) for path in lost]
        # Remove a link in the place of a directory before writing into it. Remove a file after writing its replacement.
        files = [path for path in self.removed if self.is_file(path)]
        for path in self.removed:
            if path not in files:
                self.folder.remove(path)
        for path, content in self.written.items():
            self.folder.write(path, bytes_of(content), self.access)
        for path in files:
            self.folder.remove(path)
        self.after.write(self.folder, self.access)
        for path in self.adjusted:
            self.folder.adjust(path, self.access)
        return backups

    @property
    def is_changed(self) -> bool:
        """True if a file is written, removed or gets other permissions."""
        return bool(self.written or self.removed or self.adjusted)

    @property
    def diff(self) -> dict[str, str]:
        """The names of the files that change, before and after, as Ansible compares and prints them."""
        before = dict.fromkeys(self.removed, "")
        after = dict.fromkeys(self.written, "")
        for path in self.written:
            if path in self.present:
                before[path], after[path] = "", " (written anew)"
        for path, differing in self.adjusted.items():
            before[path], after[path] = (
                f" ({', '.join(f'{name} {value}' for name, value in side.items())})" for side in differing
            )
        return {name: "".join(_named(side)) for name, side in (("before", before), ("after", after))}

    @property
    def counts(self) -> str:
        """The changes in words."""
        written = amount(len(self.written), "file")
        return f"{written} written, {len(self.removed)} removed, {len(self.unchanged)} unchanged"


@contextlib.contextmanager
def at_dest() -> Iterator[None]:
    """Name the option ``dest`` in an error about a file below the directory."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"dest: {error.message}") from error


def _named(side: Mapping[str, str]) -> Iterator[str]:
    return (f"{clean(path)}{note}\n" for path, note in sorted(side.items()))


def listed(paths: Collection[str]) -> str:
    """Return paths on one line, quoted so that no path looks like other text."""
    return ", ".join(path if path.isprintable() else repr(path) for path in paths)
