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
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .access import PRIVATE_FILE, PRIVATE_FOLDER, Access
from .errors import InvalidInput

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK, opening a pipe waits for somebody who writes to it.
_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAKE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20
_LONGEST_NAME = 255


def parts_of(name: str) -> tuple[str, ...]:
    """The steps of a relative path.

    :param name: such as ``files/0a1b/invoice.pdf``, with slashes on every system.
    :raises InvalidInput: where it is empty, absolute, holds ``.``, ``..``, an empty step or a NUL character.
    """
    parts = tuple(name.split("/"))
    if "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise InvalidInput(f"{name!r} is not a path below the directory")
    return parts


class Folder:
    """A directory that the task names, and what lies below it.

    The directory itself may be a link: it is resolved once. Nothing below it may be one.

    :param path: the directory.
    :ivar path: the directory, resolved.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))

    def read(self, name: str, limit: int) -> bytes:
        """The content of a regular file.

        :param name: relative path, with slashes.
        :param limit: bytes; a longer file is refused, and no more than that is ever read.
        :raises FileNotFoundError: where there is none.
        :raises InvalidInput: where it is a link, a directory, a device or a pipe, or longer than the limit.
        :raises OSError: where it can't be read.
        """
        with self._opened(name) as descriptor:
            content = bytearray()
            while len(content) <= limit and (chunk := os.read(descriptor, _CHUNK)):
                content += chunk
            if len(content) > limit:
                raise InvalidInput(f"{self.path / name} has more than {limit} bytes")
            return bytes(content)

    def status(self, name: str) -> os.stat_result:
        """What the system says of a regular file: size, mode, owner. Raises as :meth:`read`."""
        with self._opened(name) as descriptor:
            return os.fstat(descriptor)

    def has_file(self, name: str) -> bool:
        """Whether there is a regular file of this name, with no link on the way to it."""
        try:
            self.status(name)
        except (InvalidInput, OSError):
            return False
        return True

    def found(self, name: str) -> os.stat_result | None:
        """What the system says of whatever stands there: of a link itself, not of what it leads to. None: nothing does.

        :raises InvalidInput: where a directory on the way is a link or no directory.
        """
        *folders, last = parts_of(name)
        try:
            with self._folder(folders) as folder:
                return _found(last, folder)
        except FileNotFoundError:
            return None

    def holds(self, name: str, content: bytes) -> bool:
        """Whether there is a regular file of this name with just these bytes. Raises as :meth:`read`."""
        found = self.found(name)
        if found is None or not stat.S_ISREG(found.st_mode) or found.st_size != len(content):
            return False
        return self.read(name, found.st_size) == content

    def write(self, name: str, content: bytes, mode: int | None = None, folder_mode: int = PRIVATE_FOLDER) -> None:
        """Writes a file: all of it, or nothing. A link of its name is replaced, never followed.

        :param name: relative path, with slashes. The directories on the way are made.
        :param mode: of the file; None: that of the file it replaces, where that is this user's own, or 0600.
        :param folder_mode: of the directories that are made.
        :raises InvalidInput: where a directory on the way is a link or no directory.
        :raises OSError: where it can't be written, and where a directory, a device or a pipe has its name.
        """
        self.place(name, content, Access(mode, folder_mode=folder_mode))

    def place(self, name: str, content: bytes, access: Access) -> None:
        """Writes a file as :meth:`write` does, and says who may do what with it before it holds anything."""
        *folders, last = parts_of(name)
        self._make(access)
        with self._named(name), self._folder(folders, access) as folder:
            replaced = _found(last, folder)
            if replaced and stat.S_IFMT(replaced.st_mode) not in (stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR):
                raise FileExistsError(errno.EEXIST, "Not a regular file")
            with _fresh(f".{secrets.token_hex(8)}.tmp", folder) as (fresh, descriptor):
                access.settle(descriptor, replaced)
                with os.fdopen(descriptor, "wb", closefd=False) as file:
                    file.write(content)
                os.replace(fresh, last, src_dir_fd=folder, dst_dir_fd=folder)

    def differences(self, name: str, access: Access) -> dict[str, tuple[Any, Any]]:
        """What is not as wanted of a regular file's mode, owner and group. Raises as :meth:`read`."""
        return access.differences(self.status(name))

    def adjust(self, name: str, access: Access) -> None:
        """Gives a regular file the wanted mode, owner and group. Raises as :meth:`read`."""
        with self._opened(name) as descriptor, self._named(name):
            access.adjust(descriptor)

    def backup(self, name: str) -> str:
        """Copies a regular file beside itself, with its mode, owner and times.

        :returns: the name of the copy, with the process, the time and a random part, as Ansible's own modules name it.
        :raises OSError: where that can't be done. Nothing is left of the copy then. Else raises as :meth:`read`.
        """
        *folders, last = parts_of(name)
        stamp = time.strftime("%Y-%m-%d@%H:%M:%S")
        ending = f".{os.getpid()}.{stamp}.{secrets.token_hex(3)}~"
        copy = last.encode()[: _LONGEST_NAME - len(ending)].decode(errors="ignore") + ending
        with (
            self._opened(name) as source,
            self._folder(folders) as folder,
            self._named(name),
            _fresh(copy, folder) as (_name, descriptor),
        ):
            with os.fdopen(source, "rb", closefd=False) as old, os.fdopen(descriptor, "wb", closefd=False) as new:
                shutil.copyfileobj(old, new)
            _pass_on(os.fstat(source), descriptor)
        return "/".join([*folders, copy])

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

    def entries(self) -> dict[str, int]:
        """The relative paths of all that stands below the directory, with what the system says it is (``st_mode``).

        Links are not followed; what stands behind them is left out.
        """
        paths = [Path(top, name) for top, folders, files in os.walk(self.path) for name in (*folders, *files)]
        return {path.relative_to(self.path).as_posix(): path.lstat().st_mode for path in sorted(paths)}

    def _make(self, access: Access) -> None:
        """Makes the directory itself where it is missing."""
        if self.path.is_dir():
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with Folder(self.path.parent)._folder([self.path.name], access):
            pass

    @contextlib.contextmanager
    def _named(self, name: str) -> Iterator[None]:
        """Names a file in the errors of the system, which know the last step of its path, or a temporary name."""
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path / name)) from error

    @contextlib.contextmanager
    def _opened(self, name: str) -> Iterator[int]:
        *folders, last = parts_of(name)
        with self._folder(folders) as folder:
            try:
                descriptor = os.open(last, _OPEN_FILE, dir_fd=folder)
            except FileNotFoundError:
                raise
            except OSError as error:
                if self.path.joinpath(*folders, last).is_symlink():
                    raise InvalidInput(f"{self.path / name} is a link; expected a regular file") from error
                raise
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise InvalidInput(f"{self.path / name} is not a regular file")
            yield descriptor
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def _folder(self, folders: list[str], make: Access | None = None) -> Iterator[int]:
        """A directory below, open.

        :param make: who may enter those that are made where they are missing; None: they must be there.
        """
        descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for number, part in enumerate(folders):
                made = make is not None and _made(part, descriptor)
                try:
                    below = os.open(part, _OPEN_FOLDER, dir_fd=descriptor)
                except FileNotFoundError:
                    raise
                except OSError as error:
                    at = self.path.joinpath(*folders[: number + 1])
                    raise InvalidInput(f"{at} is a link or no directory") from error
                os.close(descriptor)
                descriptor = below
                if make is not None and made:
                    make.settle_folder(descriptor)
            yield descriptor
        finally:
            os.close(descriptor)


def _found(name: str, folder: int) -> os.stat_result | None:
    try:
        return os.lstat(name, dir_fd=folder)
    except FileNotFoundError:
        return None


def _made(name: str, folder: int) -> bool:
    """Makes a directory where there is none. Returns whether it did."""
    try:
        os.mkdir(name, PRIVATE_FOLDER, dir_fd=folder)
    except FileExistsError:
        return False
    return True


@contextlib.contextmanager
def _fresh(name: str, folder: int) -> Iterator[tuple[str, int]]:
    """A new file and its descriptor; nothing is left of it where what is done with it fails."""
    descriptor = os.open(name, _MAKE_FILE, PRIVATE_FILE, dir_fd=folder)
    try:
        yield name, descriptor
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise
    finally:
        os.close(descriptor)


def _pass_on(source: os.stat_result, descriptor: int) -> None:
    """Gives a copy the owner, mode and times of its source; only this user may read it where the owner can't be so."""
    try:
        os.fchown(descriptor, source.st_uid, source.st_gid)
    except OSError:
        os.fchmod(descriptor, PRIVATE_FILE)
    else:
        os.fchmod(descriptor, stat.S_IMODE(source.st_mode))
    os.utime(descriptor, ns=(source.st_atime_ns, source.st_mtime_ns))
