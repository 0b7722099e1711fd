# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Open files below a directory so that no name, link or device leads out of it.

Names come from answers, manifests, plan files and desired-state files, and other users of the machine may create links
in advance. So every step below the directory is opened without following links, and a file is created under a random
name and moved into place.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from ..errors import InvalidInput
from .access import PRIVATE_FILE, PRIVATE_FOLDER, Access

DEEPEST = 100
"""Maximum depth of a file below a directory.

Each step is opened anew for every file, and no set of files is so deep.
"""

WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A user may be allowed to enter a directory but not to read it. Only Linux can open one just to enter it.
_ENTER_FOLDER = _OPEN_FOLDER | getattr(os, "O_PATH", 0)
# Without O_NONBLOCK, opening a pipe waits for a writer.
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_UPDATE_FILE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAKE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20
_LONGEST_NAME = 255
_PRIVATE = Access()
_ROOT = 0
_MOST_LINKS = 40
"""Maximum number of links on the way to a directory; Linux follows as many."""
_LINK = "is a link; expected a regular file"
_NOT_FOLLOWED = "is a link or no directory"


def parts_of(name: str) -> tuple[str, ...]:
    """Return the steps of a relative path.

    :param name: such as ``files/0a1b/invoice.pdf``, with slashes on every system.
    :raises InvalidInput: if it is empty or absolute, or has ``.``, ``..``, an empty step, or a character that no file
        name has.
    """
    parts = tuple(name.split("/"))
    if not _is_possible(name) or any(part in ("", ".", "..") for part in parts):
        raise InvalidInput(f"{name!r} is not a path below the directory")
    return parts


def require_path(path: Path) -> None:
    """Check that a path has no character that is impossible in file names. The system would not say so.

    :raises InvalidInput: if it has such a character.
    """
    if not _is_possible(str(path)):
        raise InvalidInput(f"{str(path)!r} is not a path: it has a character that file names can't contain")


def _is_possible(name: str) -> bool:
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False


class NotOpened(InvalidInput):
    """Raised if a name below a directory is not a readable file: a link, a device, a pipe, too long, or too deep.

    :ivar at: the relative path of what is wrong; a directory on the way if that is a link.
    :ivar why: what it is, in words that follow its name.
    """

    def __init__(self, folder: Path, at: str, why: str) -> None:
        super().__init__(f"{folder / at} {why}")
        self.at = at
        self.why = why


class FileType(Enum):
    """The type of a directory member. A link is a link, whatever it leads to."""

    FILE = "file"
    FOLDER = "directory"
    LINK = "link"
    OTHER = "device, pipe or socket"

    @classmethod
    def from_mode(cls, mode: int) -> FileType:
        """Return the file type that an ``st_mode`` encodes."""
        return _TYPES.get(stat.S_IFMT(mode), cls.OTHER)


_TYPES = {stat.S_IFREG: FileType.FILE, stat.S_IFDIR: FileType.FOLDER, stat.S_IFLNK: FileType.LINK}


@dataclass(frozen=True, slots=True)
class ListResult:
    """A member of a directory, with its type.

    :ivar name: its path, relative to the :class:`Folder`.
    """

    name: str
    type: FileType


class Folder:
    """A directory that the task names, and everything below it.

    The directory itself may be a link, or be reached through links. They are resolved once, unless another user created
    the link where everybody may write. Nothing below the directory may be a link.

    :param path: the directory.
    :param owner: the user that must own the directory and everything below it. Then nobody else may write to it, the
        directory is not a link, and no file has a second name. None: not checked.
    :ivar path: the directory, resolved.
    :raises InvalidInput: if the path has a character that no file name has.
    """

    def __init__(self, path: Path, owner: int | None = None) -> None:
        require_path(path)
        if owner is None:
            self.path, self._foreign = _resolved(path)
        else:
            above, self._foreign = _resolved(path.parent)
            self.path = above / path.name
        self._owner = owner

    @classmethod
    def around(cls, path: Path) -> tuple[Folder, str]:
        """Return the directory of a file that a task names, and its name there. The file may itself be a link.

        :raises NotOpened: if another user created a link on the way where everybody may write.
        :raises InvalidInput: if it has a character that no file name has.
        """
        resolved = cls(path)
        resolved._require_own_way()
        return cls(resolved.path.parent), resolved.path.name

    @classmethod
    def read_named(cls, path: Path, limit: int) -> bytes:
        """Return the content of a regular file that a task names.

        It may itself be a link. Errors as in :meth:`read`.
        """
        folder, name = cls.around(path)
        return folder.read(name, limit)

    # ---- existing files

    def type_of(self, name: str) -> FileType | None:
        """Return the type of a directory member, or None if it does not exist.

        :param name: relative path, with slashes.
        :raises NotOpened: if a directory on the way is a link or is not a directory.
        :raises InvalidInput: if it is not a path below the directory.
        """
        *folders, last = parts_of(name)
        try:
            with self._folder(folders) as folder:
                found = _found(last, folder)
        except FileNotFoundError:
            return None
        return None if found is None else FileType.from_mode(found.st_mode)

    def listed(self, name: str = "") -> list[ListResult]:
        """List a directory, sorted by name.

        :param name: relative path of the directory; empty for this directory.
        :raises NotOpened: if it is a link or is not a directory, or is reached through a link.
        :raises OSError: if it cannot be read.
        """
        with self._folder([*parts_of(name)] if name else []) as folder, os.scandir(folder) as entries:
            found = [ListResult(f"{name}/{entry.name}" if name else entry.name, _type_of(entry)) for entry in entries]
        return sorted(found, key=lambda member: member.name)

    def below(self, name: str = "") -> Iterator[ListResult]:
        """Yield everything below a directory: each directory, then its content.

        An unreadable directory counts as empty.

        :param name: relative path of the directory; empty for this directory.
        """
        found: list[ListResult] = []
        with contextlib.suppress(NotOpened, OSError):
            found = self.listed(name)
        for member in found:
            yield member
            if member.type is FileType.FOLDER:
                yield from self.below(member.name)

    def status(self, name: str) -> os.stat_result:
        """Return the status of a regular file: size, mode, owner. Errors as in :meth:`read`."""
        with self.opened(name) as descriptor:
            return os.fstat(descriptor)

    # ---- reading

    def read(self, name: str, limit: int) -> bytes:
        """Return the content of a regular file.

        :param name: relative path, with slashes.
        :param limit: maximum number of bytes. A longer file is rejected, and no more than that is read.
        :raises FileNotFoundError: if it does not exist.
        :raises NotOpened: if it is a link, a directory, a device, a pipe or a socket, is reached through a link, or is
            longer than the limit.
        :raises InvalidInput: if it is not a path below the directory.
        :raises OSError: if it cannot be read.
        """
        with self.opened(name) as descriptor:
            content = bytearray()
            size = os.fstat(descriptor).st_size
            # Stop at the limit, even if the file grows during the read.
            while size <= limit and len(content) <= limit and (chunk := os.read(descriptor, _CHUNK)):
                content += chunk
            if max(size, len(content)) > limit:
                raise NotOpened(self.path, name, f"has more than {limit} bytes")
            return bytes(content)

    def has_content(self, name: str, content: bytes) -> bool:
        """Return True if there is a regular file of this name with exactly these bytes. Errors as in :meth:`read`."""
        if self.type_of(name) is not FileType.FILE or self.status(name).st_size != len(content):
            return False
        return self.read(name, len(content)) == content

    @contextlib.contextmanager
    def opened(self, name: str) -> Iterator[int]:
        """Open a regular file for reading and yield its descriptor. Errors as in :meth:`read`."""
        *folders, last = parts_of(name)
        with self._named(name), self._folder(folders) as folder:
            descriptor = self._open(name, last, folder, _OPEN_FILE)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    # ---- writing

    def write(self, name: str, content: bytes, access: Access = _PRIVATE) -> None:
        """Write a file atomically. A link with its name is replaced, never followed.

        :param name: relative path, with slashes. Missing directories are created.
        :param access: mode and owners, applied before anything is written, and to created directories. By default a new
            file is private, and a replaced file of this user keeps its mode.
        :raises InvalidInput: if a directory on the way is a link or is not a directory.
        :raises OSError: if it cannot be written, or if a directory, a device or a pipe has its name.
        """
        *folders, last = parts_of(name)
        with self._named(name), self._folder(folders, access) as folder:
            replaced = _found(last, folder)
            if replaced and FileType.from_mode(replaced.st_mode) is FileType.OTHER:
                raise FileExistsError(errno.EEXIST, "Not a regular file")
            with _fresh(f".{secrets.token_hex(8)}.tmp", folder) as (fresh, descriptor):
                access.settle(descriptor, replaced)
                with os.fdopen(descriptor, "wb", closefd=False) as file:
                    file.write(content)
                os.replace(fresh, last, src_dir_fd=folder, dst_dir_fd=folder)

    def open_to_update(self, name: str) -> int:
        """Open a regular file to read and write at any position.

        A missing file, and missing directories, are created with private access.

        :returns: the descriptor, which the caller closes.
        :raises InvalidInput: if it is a link, a directory, a device or a pipe, or does not belong to the owner.
        :raises OSError: if it cannot be written.
        """
        *folders, last = parts_of(name)
        with self._named(name), self._folder(folders, _PRIVATE) as folder:
            return self._open(name, last, folder, _UPDATE_FILE)

    def adjust(self, name: str, access: Access) -> None:
        """Apply mode, owner and group to a regular file. Errors as in :meth:`read`."""
        with self.opened(name) as descriptor, self._named(name):
            access.adjust(descriptor)

    def backup(self, name: str) -> str:
        """Copy a regular file beside itself, with its mode, owner and times.

        :returns: the name of the copy, with the process, the time and a random part, as Ansible's own modules name it.
        :raises OSError: if that fails. No partial copy is left. Other errors as in :meth:`read`.
        """
        *folders, last = parts_of(name)
        stamp = time.strftime("%Y-%m-%d@%H:%M:%S")
        ending = f".{os.getpid()}.{stamp}.{secrets.token_hex(3)}~"
        copy_name = last.encode()[: _LONGEST_NAME - len(ending)].decode(errors="ignore") + ending
        with (
            self.opened(name) as source,
            self._folder(folders) as folder,
            self._named(name),
            _fresh(copy_name, folder) as (_name, descriptor),
        ):
            _copy(source, descriptor)
        return "/".join([*folders, copy_name])

    def rename(self, name: str, new: str) -> None:
        """Rename a file within its directory, and replace a file with the new name.

        :raises InvalidInput: if a directory on the way is a link.
        """
        *folders, last = parts_of(name)
        with self._named(new), self._folder(folders) as folder:
            os.replace(last, parts_of(new)[-1], src_dir_fd=folder, dst_dir_fd=folder)

    def remove(self, name: str) -> None:
        """Remove a file, and the directories on its way that are empty then. A missing file is not an error.

        :raises InvalidInput: if a directory on the way is a link.
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

    @contextlib.contextmanager
    def _named(self, name: str) -> Iterator[None]:
        """Put the name of a file into errors of the system.

        They only have the last step of a path, or a temporary name.
        """
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path / name)) from error

    def _open(self, name: str, last: str, folder: int, flags: int) -> int:
        """Open a regular file.

        :param last: the last step of the name. :param folder: descriptor of its directory.
        """
        # Opening a device may have effects, so check the type first. Check the opened file again, because the name may
        # have been given to another file.
        found = _found(last, folder)
        if found:
            self._require_regular(name, found)
        try:
            descriptor = os.open(last, flags, PRIVATE_FILE, dir_fd=folder)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise NotOpened(self.path, name, _LINK) from error
        try:
            self._require_regular(name, os.fstat(descriptor))
            self._check_owner(name, os.fstat(descriptor))
            if self._owner is not None and os.fstat(descriptor).st_nlink > 1:
                raise NotOpened(self.path, name, "is linked to a file of another name; expected one of its own")
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def _require_regular(self, name: str, found: os.stat_result) -> None:
        kind = FileType.from_mode(found.st_mode)
        if kind is not FileType.FILE:
            raise NotOpened(self.path, name, _LINK if kind is FileType.LINK else "is not a regular file")

    @contextlib.contextmanager
    def _folder(self, folders: list[str], make: Access | None = None) -> Iterator[int]:
        """Open a directory below and yield its descriptor. No step on the way is a link, whoever created it since.

        :param make: access of missing directories, which are created; None: they must exist.
        """
        self._require_own_way()
        if len(folders) > DEEPEST:
            raise NotOpened(self.path, "/".join(folders), f"is more than {DEEPEST} directories deep")
        above = len(self.path.parts) - 1
        descriptor = os.open("/", _ENTER_FOLDER if above else _OPEN_FOLDER)
        try:
            for number, step in enumerate((*self.path.parts[1:], *folders), start=1 - above):
                at = "/".join(folders[: max(number, 0)])
                is_inside = number >= 0
                try:
                    below = _entered(step, descriptor, _OPEN_FOLDER if is_inside else _ENTER_FOLDER, make)
                except OSError as error:
                    raise self._refused(at, error) from error
                os.close(descriptor)
                descriptor = below
                if is_inside:
                    self._check_owner(at, os.fstat(descriptor))
            yield descriptor
        finally:
            os.close(descriptor)

    def _refused(self, at: str, error: OSError) -> Exception:
        """Return the error for a directory that can't be entered.

        :param at: below this directory; empty for the way to it.
        """
        is_link = error.errno in (errno.ELOOP, errno.ENOTDIR)
        if is_link and at:
            return NotOpened(self.path, at, _NOT_FOLLOWED)
        if is_link and self._owner is not None and os.path.lexists(self.path):
            return NotOpened(self.path.parent, self.path.name, _NOT_FOLLOWED)
        return OSError(error.errno, error.strerror, str(self.path / at))

    def _require_own_way(self) -> None:
        if self._foreign is not None:
            raise NotOpened(
                self._foreign.parent,
                self._foreign.name,
                "is a link that another user created in a directory that everybody can write to; name the "
                "directory itself",
            )

    def _check_owner(self, name: str, found: os.stat_result) -> None:
        if self._owner is None:
            return
        if found.st_uid != self._owner:
            raise InvalidInput(f"{self.path / name} belongs to another user (uid {found.st_uid})")
        if found.st_mode & WRITABLE_BY_OTHERS:
            mode = stat.S_IMODE(found.st_mode)
            raise InvalidInput(f"{self.path / name} can be written by others (mode {mode:04o})")


def _resolved(path: Path) -> tuple[Path, Path | None]:
    """Return a path without links, and the link on the way that is not followed, if there is one.

    The kernel protects temporary folders: it follows no link of another user there. Resolving links ourselves bypasses
    that protection. So no link is followed that somebody else created in a directory that everybody may write to.
    """
    at, followed = Path("/"), 0
    steps = [*reversed((path if path.is_absolute() else Path.cwd() / path).parts[1:])]
    while steps:
        step = steps.pop()
        if step == "..":
            at = at.parent
            continue
        beside, at = at, at / step
        try:
            found = at.lstat()
            target = at.readlink() if stat.S_ISLNK(found.st_mode) else None
        except OSError:
            continue
        # A link to itself fails when it is opened.
        if target is None or followed > _MOST_LINKS:
            continue
        if found.st_uid not in (os.geteuid(), _ROOT) and _anybody_may_write(beside):
            return at, at
        followed += 1
        at = beside
        if target.is_absolute():
            at, target = Path("/"), Path(*target.parts[1:])
        steps.extend(reversed(target.parts))
    return at, None


def _anybody_may_write(folder: Path) -> bool:
    """Return True if a stranger can create something in a directory without having been given a place there."""
    for directory in (folder, *folder.parents):
        found = directory.stat()
        if found.st_mode & stat.S_IWOTH:
            return True
        if found.st_uid in (os.geteuid(), _ROOT):
            break
    return False


def _entered(step: str, folder: int, flags: int, make: Access | None) -> int:
    """Open a directory and return its descriptor. Create it if it is missing.

    :param make: the access of a created directory; None: it must exist.
    """
    try:
        return os.open(step, flags, dir_fd=folder)
    except FileNotFoundError:
        if make is None:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(step, PRIVATE_FOLDER, dir_fd=folder)
    descriptor = os.open(step, _OPEN_FOLDER, dir_fd=folder)
    try:
        make.settle_folder(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _type_of(entry: os.DirEntry[str]) -> FileType:
    # The directory has the type, so that a member may be removed meanwhile.
    if entry.is_symlink():
        return FileType.LINK
    if entry.is_dir(follow_symlinks=False):
        return FileType.FOLDER
    return FileType.FILE if entry.is_file(follow_symlinks=False) else FileType.OTHER


def _found(name: str, folder: int) -> os.stat_result | None:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def _fresh(name: str, folder: int) -> Iterator[tuple[str, int]]:
    """Create a file, and yield its name and descriptor. Remove the file if the caller fails."""
    descriptor = os.open(name, _MAKE_FILE, PRIVATE_FILE, dir_fd=folder)
    try:
        yield name, descriptor
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)


def _copy(source: int, descriptor: int) -> None:
    """Copy a file with its owner, mode and times. If the owner cannot be applied, only this user may read the copy.

    It is copied up to its present length, because a file that is still being written would have no end.
    """
    found = os.fstat(source)
    left, mode = found.st_size, stat.S_IMODE(found.st_mode)
    with os.fdopen(descriptor, "wb", closefd=False) as copied:
        while left > 0 and (chunk := os.read(source, min(left, _CHUNK))):
            copied.write(chunk)
            left -= len(chunk)
    try:
        os.fchown(descriptor, found.st_uid, found.st_gid)
    except OSError:
        mode = PRIVATE_FILE
    os.fchmod(descriptor, mode)
    os.utime(descriptor, ns=(found.st_atime_ns, found.st_mtime_ns))
