# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files below a directory, opened so that no name, no link and no device leads out of it.

Names come from answers, manifests, plan files and desired-state files, and other users of the machine may make links
before we do. So every step below the directory is opened without following links, and a file is made under a name that
nobody can guess and moved into place.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from .errors import InvalidInput

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe waits for somebody who writes to it.
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_APPEND_FILE = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAKE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20
_LINK = "is a link; expected a regular file"


def parts_of(name: str) -> tuple[str, ...]:
    """The steps of a relative path.

    :param name: such as ``files/0a1b/invoice.pdf``, with slashes on every system.
    :raises InvalidInput: where it is empty, absolute, holds ``.``, ``..``, an empty step, or a character that no file
        name holds.
    """
    parts = tuple(name.split("/"))
    if "\0" in name or not _is_encodable(name) or any(part in ("", ".", "..") for part in parts):
        raise InvalidInput(f"{name!r} is not a path below the directory")
    return parts


def _is_encodable(name: str) -> bool:
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return True


class NotOpened(InvalidInput):
    """Something below a directory is there, and is not what is read: a link, a device, a pipe, or too long.

    :ivar at: the relative path of what is wrong; a directory on the way, where that is a link.
    :ivar why: what it is, in words that follow its name.
    """

    def __init__(self, folder: Path, at: str, why: str) -> None:
        super().__init__(f"{folder / at} {why}")
        self.at = at
        self.why = why


class FileType(Enum):
    """What a name in a directory stands for. Nothing is told of where a link leads."""

    FILE = "file"
    FOLDER = "directory"
    LINK = "link"
    OTHER = "device, pipe or socket"


@dataclass(frozen=True, slots=True)
class Found:
    """What stands in a directory.

    :ivar name: its path, relative to the :class:`Folder`.
    """

    name: str
    type: FileType


class Folder:
    """A directory that the task names, and what lies below it.

    The directory itself may be a link: it is resolved once. Nothing below it may be one.

    :param path: the directory.
    :param owner: the user that everything below must belong to, and that nobody else may write to it; None: not judged.
    :ivar path: the directory, resolved.
    """

    def __init__(self, path: Path, owner: int | None = None) -> None:
        self.path = Path(os.path.realpath(path))
        self._owner = owner

    def read(self, name: str, limit: int) -> bytes:
        """The content of a regular file.

        :param name: relative path, with slashes.
        :param limit: bytes; a longer file is refused, and no more than that is ever read.
        :raises FileNotFoundError: where there is none.
        :raises NotOpened: where it is a link, a directory, a device, a pipe or a socket, stands behind a link, or is
            longer than the limit.
        :raises InvalidInput: where it is no path below the directory.
        :raises OSError: where it can't be read.
        """
        with self.opened(name) as descriptor:
            content = bytearray()
            size = os.fstat(descriptor).st_size
            # One that grows meanwhile is read no further than the limit.
            while size <= limit and len(content) <= limit and (chunk := os.read(descriptor, _CHUNK)):
                content += chunk
            if max(size, len(content)) > limit:
                raise NotOpened(self.path, name, f"has more than {limit} bytes")
            return bytes(content)

    def listed(self, name: str = "") -> list[Found]:
        """What stands in a directory, sorted by name.

        :param name: relative path of the directory; empty: this one.
        :raises NotOpened: where it is a link or no directory, or stands behind a link.
        :raises OSError: where it can't be read.
        """
        with self._folder([*parts_of(name)] if name else []) as folder, os.scandir(folder) as entries:
            found = [Found(f"{name}/{one.name}" if name else one.name, _type_of(one)) for one in entries]
        return sorted(found, key=lambda one: one.name)

    def status(self, name: str) -> os.stat_result:
        """What the system says of a regular file: size, mode, owner. Raises as :meth:`read`."""
        with self.opened(name) as descriptor:
            return os.fstat(descriptor)

    def has_file(self, name: str) -> bool:
        """Whether there is a regular file of this name, with no link on the way to it."""
        try:
            self.status(name)
        except (InvalidInput, OSError):
            return False
        return True

    def write(self, name: str, content: bytes, mode: int | None = None, folder_mode: int = PRIVATE_FOLDER) -> None:
        """Writes a file: all of it, or nothing. A link of its name is replaced, never followed.

        :param name: relative path, with slashes. The directories on the way are made.
        :param mode: of the file; None: that of the file it replaces, or 0600.
        :param folder_mode: of the directories that are made.
        :raises InvalidInput: where a directory on the way is a link or no directory.
        :raises OSError: where it can't be written.
        """
        *folders, last = parts_of(name)
        self.path.mkdir(mode=folder_mode, parents=True, exist_ok=True)
        with self._folder(folders, folder_mode) as folder:
            fresh = f".{secrets.token_hex(8)}.tmp"
            descriptor = os.open(fresh, _MAKE_FILE, PRIVATE_FILE, dir_fd=folder)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    os.fchmod(file.fileno(), _mode_of(last, folder) if mode is None else mode)
                    file.write(content)
                os.replace(fresh, last, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(fresh, dir_fd=folder)
                raise

    def remove(self, name: str) -> None:
        """Takes a file away, and the directories on the way to it that are empty then. One that is not there is fine.

        :raises InvalidInput: where a directory on the way is a link.
        """
        *folders, last = parts_of(name)
        try:
            with self._folder(folders) as folder:
                os.unlink(last, dir_fd=folder)
        except FileNotFoundError:
            return
        while folders:
            *above, empty = folders
            try:
                with self._folder(above) as folder:
                    os.rmdir(empty, dir_fd=folder)
            except OSError:
                return
            folders = above

    def names(self) -> list[str]:
        """The relative paths of all regular files below the directory, sorted; links are left out."""
        paths = [Path(top, name) for top, _folders, files in os.walk(self.path) for name in files]
        regular = [path for path in paths if stat.S_ISREG(path.lstat().st_mode)]
        return sorted(path.relative_to(self.path).as_posix() for path in regular)

    def open_to_append(self, name: str) -> int:
        """A regular file, open to be read and appended to. It is made where it is not there, and so are the directories
        on the way, for nobody else to read.

        :returns: the descriptor, which the caller closes.
        :raises InvalidInput: where it is a link, a directory, a device or a pipe, or does not belong to the owner.
        :raises OSError: where it can't be written.
        """
        *folders, last = parts_of(name)
        path = self.path / name
        self.path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        with self._folder(folders, PRIVATE_FOLDER) as folder:
            # To open a device may do something, so it is looked at before.
            with contextlib.suppress(FileNotFoundError):
                self._require_regular(name, os.lstat(last, dir_fd=folder))
            descriptor = os.open(last, _APPEND_FILE, PRIVATE_FILE, dir_fd=folder)
        try:
            self._require_regular(name, os.fstat(descriptor))
            self._judge_owner(os.fstat(descriptor), path)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    @contextlib.contextmanager
    def opened(self, name: str) -> Iterator[int]:
        """The descriptor of a regular file, open to be read. Raises as :meth:`read`."""
        *folders, last = parts_of(name)
        with self._folder(folders) as folder:
            # Opening a device may have effects, so it is looked at first. What was opened may be another, so again.
            self._require_regular(name, os.stat(last, dir_fd=folder, follow_symlinks=False))
            try:
                descriptor = os.open(last, _OPEN_FILE, dir_fd=folder)
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
                raise NotOpened(self.path, name, _LINK) from error
        try:
            self._require_regular(name, os.fstat(descriptor))
            self._judge_owner(os.fstat(descriptor), self.path / name)
            yield descriptor
        finally:
            os.close(descriptor)

    def _require_regular(self, name: str, found: os.stat_result) -> None:
        if stat.S_ISLNK(found.st_mode):
            raise NotOpened(self.path, name, _LINK)
        if not stat.S_ISREG(found.st_mode):
            raise NotOpened(self.path, name, "is not a regular file")

    @contextlib.contextmanager
    def _folder(self, folders: list[str], make_mode: int | None = None) -> Iterator[int]:
        """A directory below, open.

        :param make_mode: the mode of those that are made where they are missing; None: they must be there.
        """
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for number, part in enumerate(folders):
                if make_mode is not None:
                    with contextlib.suppress(FileExistsError):
                        os.mkdir(part, make_mode, dir_fd=descriptor)
                try:
                    below = os.open(part, _OPEN_FOLDER, dir_fd=descriptor)
                except OSError as error:
                    if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                        raise
                    at = "/".join(folders[: number + 1])
                    raise NotOpened(self.path, at, "is a link or no directory") from error
                os.close(descriptor)
                descriptor = below
                self._judge_owner(os.fstat(descriptor), self.path.joinpath(*folders[: number + 1]))
            yield descriptor
        finally:
            os.close(descriptor)

    def _judge_owner(self, found: os.stat_result, path: Path) -> None:
        if self._owner is None:
            return
        if found.st_uid != self._owner:
            raise InvalidInput(f"{path} belongs to another user (uid {found.st_uid})")
        if found.st_mode & WRITABLE_BY_OTHERS:
            raise InvalidInput(f"{path} can be written by others (mode {stat.S_IMODE(found.st_mode):04o})")


def _type_of(entry: os.DirEntry[str]) -> FileType:
    if entry.is_symlink():
        return FileType.LINK
    if entry.is_dir(follow_symlinks=False):
        return FileType.FOLDER
    return FileType.FILE if entry.is_file(follow_symlinks=False) else FileType.OTHER


def _mode_of(name: str, folder: int) -> int:
    """The mode of the regular file that is about to be replaced, else 0600."""
    try:
        found = os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return PRIVATE_FILE
    return stat.S_IMODE(found.st_mode) if stat.S_ISREG(found.st_mode) else PRIVATE_FILE
