# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that an action writes: compare them first, then write them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ...module_utils.local.access import Access, Sides
from ...module_utils.local.safe_files import FileType, Folder
from ...module_utils.printing.cleaner import clean

Content = bytes | Callable[[], bytes]
"""The content of a file, or a function that reads it."""


def bytes_of(content: Content) -> bytes:
    """Return the content of a file."""
    return content if isinstance(content, bytes) else content()


@dataclass
class FileSet:
    """The files below a directory, by path.

    :ivar folder: the directory. :ivar present: path of everything that exists below the directory, to its type.
    :ivar access: the access to written files.
    :ivar adjusted: files that keep their content and get another mode, owner or group.
    """

    folder: Folder
    present: Mapping[str, FileType]
    access: Access = field(default_factory=Access)
    written: dict[str, Content] = field(default_factory=dict)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    adjusted: dict[str, Sides] = field(default_factory=dict)

    def is_file(self, path: str) -> bool:
        """Return True if there is a regular file of this path."""
        return self.present.get(path) is FileType.FILE

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

    def above(self, paths: Iterable[str]) -> list[str]:
        """Return the existing paths that are not directories, but would have to be."""
        folders = {str(parent) for path in paths for parent in PurePosixPath(path).parents if parent != PurePosixPath()}
        return [path for path in sorted(folders) if self.present.get(path) not in (None, FileType.FOLDER)]

    def write(self) -> None:
        """Write and remove the files."""
        # Remove a link in the place of a directory before writing into it. Remove a file after writing its replacement.
        files = [path for path in self.removed if self.is_file(path)]
        for path in self.removed:
            if path not in files:
                self.folder.remove(path)
        for path, content in self.written.items():
            self.folder.write(path, bytes_of(content), self.access)
        for path in files:
            self.folder.remove(path)

    @property
    def is_changed(self) -> bool:
        """Whether a file is written, removed or gets other access."""
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
        return f"{len(self.written)} files written, {len(self.removed)} removed, {len(self.unchanged)} as they were"


def _named(side: Mapping[str, str]) -> Iterator[str]:
    return (f"{clean(path)}{note}\n" for path, note in sorted(side.items()))


def listed(paths: Collection[str]) -> str:
    """Return paths on one line, quoted so that no path looks like other text."""
    return ", ".join(path if path.isprintable() else repr(path) for path in paths)
