# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the place of shared files: one for each user and machine, and a private place for tokens.

Runs from cron, a service, ``su`` and a session have different variables. So the place follows from the user and the
machine alone, unless a variable names another place for all of them.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
import socket
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput
from ..local.access import PRIVATE_FOLDER
from ..local.safe_files import WRITABLE_BY_OTHERS, Folder, require_own
from .locks import describe

#: The environment variable that names the runtime directory.
NAMED = "SEVENTHINGS_RUNTIME_DIR"
#: The environment variable that names the private folder of the Ansible run for module processes.
RUN_FOLDER = "SEVENTHINGS_RUN_DIR"

#: The consequence, which follows the reason in a warning.
NOT_SHARED = (
    "Therefore the rate limit, the locks and the tokens are not shared with the other processes of this user; "
    "SEVENTHINGS_RUNTIME_DIR may name a directory for them."
)

_OF_THE_SESSION = "XDG_RUNTIME_DIR"
_NAME = "seventhings"
_DIGITS = 32
#: The directory of the session directories, which login managers name in XDG_RUNTIME_DIR.
_SESSIONS = Path("/run/user")
#: Directories that every environment of a user shares, for a user without a home directory.
_PUBLIC = (Path("/dev/shm"), Path("/tmp"))  # nosec B108


@dataclass(frozen=True)
class Places:
    """The places of files that processes share.

    :ivar shared: for locks, the rate limit and marks; None: nothing is shared.
    :ivar private: for tokens; None: they stay in memory.
    :ivar problem: why nothing is shared, in words for people; empty if something is.
    :ivar passed: why the directory that the user named is not used; empty if it is, or if none was named.
    """

    shared: Folder | None = None
    private: Folder | None = None
    problem: str = ""
    passed: str = ""

    @property
    def warning(self) -> str:
        """The warning about the place for the user; empty if it is the expected one."""
        if self.problem:
            return f"{self.problem}. {NOT_SHARED}"
        if self.passed and self.shared:
            return f"{NAMED}: {self.passed}, so {self.shared.path} is used instead."
        return ""

    @classmethod
    def found(cls, run_folder: Path | None = None, environment: Mapping[str, str] | None = None) -> Places:
        """Return the places of this process: directories that belong only to this user, created if missing.

        :param run_folder: the private folder that ansible-core creates for each run, if known.
        :param environment: defaults to the environment of this process.
        """
        variables = os.environ if environment is None else environment
        problems: list[str] = []
        named = _first_usable([Path(variables[NAMED])] if variables.get(NAMED) else [], problems)
        passed = problems[0] if problems else ""
        shared = named or _first_usable(_places_of_the_user(), problems)
        # A run from cron also uses the directory of an open session.
        sessions = filter(None, (variables.get(_OF_THE_SESSION), str(_SESSIONS / str(os.geteuid()))))
        private = named or _first_usable((Path(session, _NAME) for session in sessions), [])
        return cls(
            shared, private or _run_folder_of(run_folder, variables), "" if shared else "; ".join(problems), passed
        )


def _places_of_the_user() -> Iterator[Path]:
    """Yield the places of this user on this machine. Machines may share a home directory."""
    with contextlib.suppress(KeyError):
        yield Path(pwd.getpwuid(os.geteuid()).pw_dir, f"{_NAME}-{digest_of(socket.gethostname())}")
    for folder in _PUBLIC:
        yield folder / f"{_NAME}-{os.geteuid()}"


def digest_of(*texts: str) -> str:
    """Return a file name for texts, different for different texts."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _first_usable(paths: Iterable[Path], problems: list[str]) -> Folder | None:
    """Return the first directory that can be written, and only by this user, or None if there is none.

    :param paths: each is created if missing, in a directory that must exist.
    :param problems: collects the reason for every other directory.
    """
    for path in paths:
        try:
            return _private_folder(path)
        except InvalidInput as unfit:
            problems.append(unfit.message)
        except OSError as error:
            problems.append(describe(OSError(error.errno, error.strerror, str(path))))
    return None


def _private_folder(path: Path) -> Folder:
    """Return a directory, created with mode 0700 if missing.

    :raises InvalidInput: if it can't be written, or by others too.
    :raises OSError: if it can't be created or read.
    """
    above = path.parent
    _require(above.is_absolute(), f"{path} is not an absolute path")
    # Any user who can write to a link's directory can replace the link, so check every directory on the way.
    for directory in {above, *above.parents, *above.resolve().parents}:
        _require_safe(directory, path)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=PRIVATE_FOLDER)
    found = path.lstat()
    _require(stat.S_ISDIR(found.st_mode), f"{path} is a link or no directory")
    require_own(above, path.name, found, os.geteuid())
    _require(os.access(path, os.W_OK | os.X_OK), f"{path} can't be written")
    return Folder(path, os.geteuid())


def _require_safe(above: Path, path: Path) -> None:
    """Check that no other user can replace the content of a directory.

    :param path: the directory in it, for the message.
    :raises InvalidInput: if another user can.
    """
    found = above.stat()
    # In a container, the owner of the root directory is the administrator, whatever its number.
    owners = {os.geteuid(), 0, Path("/").stat().st_uid}
    _require({found.st_uid, above.lstat().st_uid} <= owners, f"{path} is in {above}, which belongs to another user")
    is_open = found.st_mode & WRITABLE_BY_OTHERS and not found.st_mode & stat.S_ISVTX
    _require(not is_open, f"{path} is in {above}, which can be written by others")


def _require(is_so: object, otherwise: str) -> None:
    if not is_so:
        raise InvalidInput(otherwise)


def _run_folder_of(run_folder: Path | None, variables: Mapping[str, str]) -> Folder | None:
    """Return the private folder of this run of Ansible, which is removed at its end."""
    if run_folder is None and variables.get(RUN_FOLDER):
        run_folder = Path(variables[RUN_FOLDER])
    return None if run_folder is None or not run_folder.is_dir() else _first_usable([run_folder / _NAME], [])
