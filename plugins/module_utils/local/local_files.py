# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of this machine that a module writes: current content, differences, and how they are reported."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from .access import Access, Sides
from .safe_files import FileType, Folder

LONGEST_NAME = 255
"""Maximum length of a file name in bytes."""

_LONGEST_ENDING = 16
_ASIDE = ("Zl", "Zp")
"""Categories of the characters that end a line, besides control characters (C)."""


@dataclass(frozen=True)
class Target:
    """The place of one file: a name in a directory.

    :ivar folder: may itself be a link, which is resolved once.
    :ivar path: as written in the task.
    """

    folder: Folder
    name: str
    path: Path

    @classmethod
    def at(cls, path: Path) -> Target:
        """Return the place that a path names."""
        return cls(Folder(path.parent), path.name, path)

    def size(self) -> int | None:
        """Return the size of the existing file, or None if there is no file or a link.

        A link is replaced, never followed.

        :raises InvalidInput: if something else exists: a directory, a device, a pipe.
        """
        found = self.folder.type_of(self.name)
        if found in (None, FileType.LINK):
            return None
        if found is not FileType.FILE:
            raise InvalidInput(f"dest: {self.path} is not a regular file")
        return self.folder.status(self.name).st_size

    def exists(self) -> bool:
        """Return True if anything with this name exists, links included."""
        return self.folder.type_of(self.name) is not None

    def has_content(self, content_of: Callable[[], bytes], size: Any = None) -> bool:
        """Return True if the existing file has exactly this content.

        :param content_of: returns the bytes; not called if the size differs.
        :param size: of the content in bytes, if known.
        """
        have = self.size()
        if have is None or size not in (None, have):
            return False
        return self.folder.has_content(self.name, content_of())


@dataclass
class LocalFiles:
    """Write files as the options ``mode``, ``owner``, ``group`` and ``backup`` say.

    :ivar backups: paths of the copies of replaced files.
    """

    access: Access
    backup: bool = False
    check_mode: bool = False
    backups: list[str] = field(default_factory=list)

    @classmethod
    def from_options(cls, options: Mapping[str, Any], check_mode: bool) -> LocalFiles:
        """Create the writer for the options of a task.

        :raises InvalidInput: if mode, owner or group is invalid.
        """
        return cls(Access.from_options(options), bool(options.get("backup")), check_mode)

    def write(self, target: Target, content_of: Callable[[], bytes]) -> Sides:
        """Write a file atomically. Return the changes to mode, owner and group of the replaced file.

        :param content_of: returns the bytes; not called in check mode.
        """
        folder, name, replaces = target.folder, target.name, target.size() is not None
        sides = self.access.differences(folder.status(name)) if replaces else ({}, {})
        if not self.check_mode:
            content = content_of()
            if replaces and self.backup:
                self.backups.append(str(target.path.with_name(folder.backup(name))))
            folder.write(name, content, self.access)
        return sides

    def keep(self, target: Target) -> Sides:
        """Keep a file and apply mode, owner and group. Return their changes."""
        sides = self.access.differences(target.folder.status(target.name))
        if sides[1] and not self.check_mode:
            target.folder.adjust(target.name, self.access)
        return sides


def file_name(*candidates: str) -> str:
    """Turn a name from the service into a file name that cannot leave its directory and is one line in a terminal.

    :param candidates: the names to try; the first that is not empty after cleaning is used.
    """
    return next((_shortened(plain) for plain in map(_plain, candidates) if plain.strip(" ._")), "file")


def _plain(name: str) -> str:
    plain = "".join("_" if _is_aside(character) else character for character in name)
    # A name that begins with a dot is hidden, and may be a file that a program reads on its own.
    return "_" + plain.lstrip(".") if plain.startswith(".") else plain


def _is_aside(character: str) -> bool:
    category = unicodedata.category(character)
    return character in "/\\" or category.startswith("C") or category in _ASIDE


def _shortened(name: str) -> str:
    if len(name.encode()) <= LONGEST_NAME:
        return name
    stem, dot, ending = name.rpartition(".")
    ending = dot + ending if stem and len((dot + ending).encode()) <= _LONGEST_ENDING else ""
    return name.encode()[: LONGEST_NAME - len(ending.encode())].decode(errors="ignore") + ending
