# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Open files below a directory so that no name, link or device below it leads elsewhere.

Names come from answers, manifests, plan files and desired-state files. So each directory on the way is checked before a
file is opened, the last step is opened without following a link, and a file is created under a random name and moved
into place. Who can write to such a directory during a run can still lead it elsewhere: see SECURITY.md.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from ..errors import InvalidInput
from .access import PRIVATE_FILE, PRIVATE_FOLDER, Access, Sides

WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH

# Without O_NONBLOCK, opening a pipe waits for a writer.
_OPEN = os.O_NOFOLLOW | os.O_NONBLOCK
_PRIVATE = Access()
_LONGEST_NAME = 255
_LONGEST_ENDING = 16


def require_path(path: str | Path) -> None:
    """Check that a path has no character that is impossible in file names. The system would not say so.

    :raises InvalidInput: if it has such a character.
    """
    try:
        is_possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_possible = False
    if not is_possible:
        raise InvalidInput(f"{str(path)!r} is not a path: it has a character that file names can't contain")


def parts_of(name: str) -> list[str]:
    """Return the steps of a relative path.

    :param name: such as ``files/0a1b/invoice.pdf``, with slashes on every system.
    :raises InvalidInput: if it is empty or absolute, or has ``.``, ``..``, an empty step, or a character that no file
        name has.
    """
    require_path(name)
    parts = name.split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise InvalidInput(f"{name!r} is not a path below the directory")
    return parts


def file_name(*candidates: str) -> str:
    """Turn a name from the service into a file name that cannot leave its directory and is one line in a terminal.

    :param candidates: the names to try; the first that is not empty after cleaning is used.
    """
    for candidate in candidates:
        name = "".join(sign if sign.isprintable() and sign not in "/\\" else "_" for sign in candidate)
        if name.strip(" ._"):
            # A name that begins with a dot is hidden, and may be a file that a program reads on its own.
            return shortened("_" + name.lstrip(".") if name.startswith(".") else name)
    return "file"


def shortened(name: str, longest: int = _LONGEST_NAME) -> str:
    """Cut a file name to a number of bytes, and keep its ending."""
    if len(name.encode()) <= longest:
        return name
    stem, dot, ending = name.rpartition(".")
    ending = dot + ending if stem and len((dot + ending).encode()) <= _LONGEST_ENDING else ""
    return name.encode()[: longest - len(ending.encode())].decode(errors="ignore") + ending


class NotOpened(InvalidInput):
    """Raised if a name below a directory is not a readable file: a link, a device, a pipe, or too long.

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

    The directory itself may be a link, or be reached through links. Nothing below it may be a link.

    :param path: the directory.
    :param owner: the user that must own the directory and everything below it. Then nobody else may write to it, the
        directory is not a link, and no file has a second name. None: not checked.
    :raises InvalidInput: if the path has a character that no file name has.
    """

    def __init__(self, path: Path, owner: int | None = None) -> None:
        require_path(path)
        self.path = path.absolute()
        self._owner = owner

    @classmethod
    def around(cls, path: Path) -> tuple[Folder, str]:
        """Return the directory of a file that a task names, and its name there. The file may itself be a link.

        :raises InvalidInput: if it has a character that no file name has.
        """
        require_path(path)
        real = Path(os.path.realpath(path))
        return cls(real.parent), real.name

    @classmethod
    def read_named(cls, option: str, path: Path, limit: int) -> bytes:
        """Return the content of a regular file that an option of a task names. It may itself be a link.

        :raises InvalidInput: with the option, if the file can't be read.
        """
        try:
            folder, name = cls.around(path)
            return folder.read(name, limit)
        except InvalidInput as refused:
            raise InvalidInput(f"{option}: {refused.message}") from refused
        except OSError as error:
            raise InvalidInput(f"{option}: {path}: can't be read ({error.strerror or error})") from error

    # ---- existing files

    def type_of(self, name: str) -> FileType | None:
        """Return the type of a directory member, or None if it does not exist.

        :param name: relative path, with slashes.
        :raises NotOpened: if a directory on the way is a link or is not a directory.
        :raises InvalidInput: if it is not a path below the directory.
        """
        return _type(_status(self._path(name)))

    def listed(self, name: str = "") -> list[ListResult]:
        """List a directory, sorted by name.

        :param name: relative path of the directory; empty for this directory.
        :raises NotOpened: if it is a link or is not a directory, or is reached through a link.
        :raises OSError: if it cannot be read.
        """
        path = self._folder(parts_of(name) if name else [])
        types = {entry.name: _type(_status(entry)) for entry in sorted(path.iterdir())}
        return [ListResult(f"{name}/{entry}" if name else entry, type_) for entry, type_ in types.items() if type_]

    def below(
        self, name: str = "", unreadable: Callable[[str, NotOpened | OSError], None] = lambda _name, _error: None
    ) -> Iterator[ListResult]:
        """Yield everything below a directory: each directory, then its content.

        :param name: relative path of the directory; empty for this directory.
        :param unreadable: called for each directory that can't be listed, which counts as empty.
        """
        # No recursion: directories may be nested as deeply as a path is long.
        to_come = [ListResult(name, FileType.FOLDER)]
        while to_come:
            member = to_come.pop()
            if member.name != name:
                yield member
            if member.type is FileType.FOLDER:
                try:
                    to_come += reversed(self.listed(member.name))
                except (NotOpened, OSError) as error:
                    unreadable(member.name, error)

    def status(self, name: str) -> os.stat_result:
        """Return the status of a regular file: size, mode, owner. Errors as in :meth:`read`."""
        with self.opened(name) as descriptor:
            return os.fstat(descriptor)

    # ---- reading

    def read(self, name: str, limit: int) -> bytes:
        """Return the content of a regular file.

        :param name: relative path, with slashes.
        :param limit: maximum number of bytes. A longer file is rejected, and not read.
        :raises FileNotFoundError: if it does not exist.
        :raises NotOpened: if it is a link, a directory, a device, a pipe or a socket, is reached through a link, or is
            longer than the limit.
        :raises InvalidInput: if it is not a path below the directory.
        :raises OSError: if it cannot be read.
        """
        with self.opened(name) as descriptor, open(descriptor, "rb", closefd=False) as file:
            size = os.fstat(descriptor).st_size
            content = file.read() if size <= limit else b""
            if max(size, len(content)) > limit:
                raise NotOpened(self.path, name, f"has more than {limit} bytes")
            return content

    def has_content(self, name: str, content: bytes) -> bool:
        """Return True if there is a regular file of this name with exactly these bytes. Errors as in :meth:`read`."""
        if self.type_of(name) is not FileType.FILE or self.status(name).st_size != len(content):
            return False
        return self.read(name, len(content)) == content

    @contextlib.contextmanager
    def opened(self, name: str) -> Iterator[int]:
        """Open a regular file for reading and yield its descriptor. Errors as in :meth:`read`."""
        descriptor = os.open(self._file(name), os.O_RDONLY | _OPEN)
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    # ---- writing

    def write(self, name: str, content: bytes, access: Access = _PRIVATE) -> None:
        """Write a file atomically. A link with its name is replaced, never followed.

        :param name: relative path, with slashes. Missing directories are created.
        :param access: mode and owners, also of created directories. By default a new file is private, and a replaced
            file of this user keeps its mode.
        :raises InvalidInput: if a directory on the way is a link or is not a directory, or if the access can't be
            given.
        :raises OSError: if it cannot be written, or if a directory, a device or a pipe has its name.
        """
        path = self._path(name, access)
        replaced = _status(path)
        if _type(replaced) is FileType.OTHER:
            raise FileExistsError(errno.EEXIST, "Not a regular file", str(path))
        with _fresh(path) as fresh:
            fresh.write_bytes(content)
            access.settle(fresh, replaced)

    def open_to_update(self, name: str) -> int:
        """Open a regular file to read and write at any position.

        A missing file, and missing directories, are created with private access.

        :returns: the descriptor, which the caller closes.
        :raises InvalidInput: if it is a link, a directory, a device or a pipe, or does not belong to the owner.
        :raises OSError: if it cannot be written.
        """
        return os.open(self._file(name, _PRIVATE), os.O_RDWR | os.O_CREAT | _OPEN, PRIVATE_FILE)

    def adjust(self, name: str, access: Access, check_mode: bool = False) -> Sides:
        """Apply mode, owner and group to a regular file, as :meth:`.Access.adjust` does. Errors as in :meth:`read`."""
        return access.adjust(self._file(name), check_mode)

    def backup(self, name: str) -> str:
        """Copy a regular file beside itself, with its mode, owner and times.

        If the owner can't be given, only this user may read the copy.

        :returns: the path of the copy, with the process, the time and a random part, as Ansible's own modules name it.
        :raises OSError: if that fails. No partial copy is left. Other errors as in :meth:`read`.
        """
        path = self._file(name)
        ending = f".{os.getpid()}.{time.strftime('%Y-%m-%d@%H:%M:%S')}.{secrets.token_hex(3)}~"
        copy = path.with_name(shortened(path.name, _LONGEST_NAME - len(ending)) + ending)
        with _fresh(copy) as fresh:
            shutil.copyfile(path, fresh)
            with contextlib.suppress(PermissionError):
                os.chown(fresh, path.stat().st_uid, path.stat().st_gid)
                shutil.copystat(path, fresh)
        return str(copy)

    def remove(self, name: str) -> None:
        """Remove a file, and the directories on its way that are empty then. A missing file is not an error.

        :raises InvalidInput: if a directory on the way is a link.
        """
        path = self._path(name)
        path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            while (path := path.parent) != self.path:
                path.rmdir()

    def _file(self, name: str, make: Access | None = None) -> Path:
        """Return the path of a regular file, which may be missing.

        :param make: as in :meth:`_folder`.
        """
        path = self._path(name, make)
        found = _status(path)
        if _type(found) not in (FileType.FILE, None):
            is_link = _type(found) is FileType.LINK
            raise NotOpened(self.path, name, f"is {'a link; expected' if is_link else 'not'} a regular file")
        self._require_own(name, found)
        return path

    def _path(self, name: str, make: Access | None = None) -> Path:
        *folders, last = parts_of(name)
        return self._folder(folders, make) / last

    def _folder(self, steps: Sequence[str], make: Access | None = None) -> Path:
        """Return the path of a directory below. No step on the way is a link.

        :param make: access of missing directories, which are created; None: they may be missing.
        """
        for number in range(self._owner is None, len(steps) + 1):
            at = "/".join(steps[:number])
            found = _status(self.path / at)
            if _type(found) not in (FileType.FOLDER, None):
                raise NotOpened(self.path, at, "is a link or no directory")
            self._require_own(at, found)
        path = self.path.joinpath(*steps)
        if make is not None:
            _make(path, make)
        return path

    def _require_own(self, name: str, found: os.stat_result | None) -> None:
        if self._owner is not None and found is not None:
            require_own(self.path, name, found, self._owner)


def require_own(folder: Path, name: str, found: os.stat_result, owner: int) -> None:
    """Check that nobody but a user may have written a file or a directory.

    :raises InvalidInput: if somebody else may.
    """
    if found.st_uid != owner:
        raise InvalidInput(f"{folder / name} belongs to another user (uid {found.st_uid})")
    if found.st_mode & WRITABLE_BY_OTHERS:
        mode = stat.S_IMODE(found.st_mode)
        raise InvalidInput(f"{folder / name} can be written by others (mode {mode:04o})")
    if stat.S_ISREG(found.st_mode) and found.st_nlink > 1:
        raise NotOpened(folder, name, "is linked to a file of another name; expected one of its own")


def _make(folder: Path, access: Access) -> None:
    """Create a directory, and those above it, if they are missing."""
    for path in (*reversed(folder.parents), folder):
        if not path.exists():
            path.mkdir(PRIVATE_FOLDER, exist_ok=True)
            access.settle_folder(path)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def _type(found: os.stat_result | None) -> FileType | None:
    return None if found is None else _TYPES.get(stat.S_IFMT(found.st_mode), FileType.OTHER)


@contextlib.contextmanager
def _fresh(path: Path) -> Iterator[Path]:
    """Yield the path of a new private file, which then takes the place of another. Remove it if the block fails."""
    try:
        descriptor, name = tempfile.mkstemp(".tmp", ".", path.parent)
        os.close(descriptor)
        fresh = Path(name)
        try:
            yield fresh
            fresh.replace(path)
        except BaseException:
            fresh.unlink()
            raise
    except OSError as error:
        # The error has the temporary name.
        raise OSError(error.errno, error.strerror, str(path)) from error
