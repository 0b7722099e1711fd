# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the places of shared files: the runtime directory of the user, and a private place for tokens.

Runs from cron, a service, ``su`` and a session have different variables and different directories. A
service may have a temporary folder of its own, and the directory of a session vanishes at logout. So locks are taken in
every place that a process can use: two processes exclude each other if they have one place in common.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..local.access import PRIVATE_FOLDER
from ..local.safe_files import WRITABLE_BY_OTHERS, Folder
from .locks import describe

NAMED = "SEVENTHINGS_RUNTIME_DIR"
"""The environment variable that names the runtime directory."""
RUN_FOLDER = "SEVENTHINGS_RUN_DIR"
"""The environment variable that names the private folder of the Ansible run for module processes."""

NOT_SHARED = (
    "Therefore the rate limit, the locks and the tokens are not shared with the other processes of this user; "
    "SEVENTHINGS_RUNTIME_DIR may name a directory for them."
)
"""The consequence, which follows the reason in a warning."""

_OF_THE_SESSION = "XDG_RUNTIME_DIR"
_NAME = "seventhings"
_DIGITS = 32
_SESSIONS = Path("/run/user")
"""The directory of the session directories, which login managers name in XDG_RUNTIME_DIR."""
_PUBLIC = (Path("/dev/shm"), Path("/tmp"))  # nosec B108
"""Directories that every environment of a user shares, at least one of them.

A service may have a ``/tmp`` of its own, and not every system has ``/dev/shm``. No variable names them, because not
every environment has it.
"""


@dataclass(frozen=True)
class Places:
    """The places of files that processes share.

    :ivar locks: for locks, each of them in every place, in this order.
    :ivar shared: the first writable place, for the rate limit and notes; None: nothing is shared.
    :ivar private: for tokens; None: they stay in memory.
    :ivar problem: why nothing is shared, in words for people; empty if something is.
    :ivar passed: why the directory that the user named is not used; empty if it is, or if none was named.
    """

    locks: tuple[Folder, ...] = ()
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
        names = [f"{_NAME}-{os.geteuid()}"]
        problems: list[str] = []
        named = Path(variables[NAMED]) if variables.get(NAMED) else None
        own = _usable([(named.parent, [named.name])], problems) if named else []
        passed = problems[0] if problems else ""
        if own:
            # Runs with different named directories share no lock. The public directories keep the locks if the named
            # directory is removed.
            names.append(digest_of(str(own[0].path)))
        else:
            # A run from cron also uses the directory of an open session.
            sessions = dict.fromkeys((variables.get(_OF_THE_SESSION), str(_SESSIONS / str(os.geteuid()))))
            own = _usable([(Path(session), [_NAME]) for session in sessions if session], problems)
        locks = (*own, *_usable([(root, names) for root in _PUBLIC], problems))
        return cls(
            locks,
            next(filter(_is_writable, locks), None),
            next(filter(_is_writable, own), None) or _run_folder_of(run_folder, variables),
            "" if any(map(_is_writable, locks)) else "; ".join(problems),
            passed,
        )


def digest_of(*texts: str) -> str:
    """Return a file name for texts, different for different texts."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


class _Unfit(Exception):
    """Raised if a directory does not belong only to this user."""


def _usable(paths: Iterable[tuple[Path, Sequence[str]]], problems: list[str]) -> list[Folder]:
    """Return the directories that belong only to this user.

    :param paths: for each, the directory that must exist, and the names below it, which are created if missing.
    :param problems: collects the reason for every other directory.
    """
    found = []
    for above, names in paths:
        path = above.joinpath(*names)
        try:
            found.append(_private_folder(above, names))
        except _Unfit as unfit:
            problems.append(f"{path} {unfit}")
        except OSError as error:
            problems.append(describe(OSError(error.errno, error.strerror, str(path))))
    return found


def _private_folder(above: Path, names: Sequence[str]) -> Folder:
    """Return a directory, created with mode 0700 if missing.

    :raises _Unfit: if it does not belong only to this user.
    :raises OSError: if it can't be created or read.
    """
    if not above.is_absolute():
        raise _Unfit("is no absolute path")
    # Any user who can write to a link's directory can replace the link, so check every directory on the way.
    for directory in {above, *above.parents, *above.resolve().parents}:
        _require_safe(directory)
    path = above
    for name in names:
        path /= name
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=PRIVATE_FOLDER)
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            raise _Unfit("is a link")
        if not stat.S_ISDIR(found.st_mode):
            raise _Unfit("is no directory")
        if found.st_uid != os.geteuid():
            raise _Unfit("belongs to another user")
        if found.st_mode & WRITABLE_BY_OTHERS:
            raise _Unfit("can be written by others")
    return Folder(path, os.geteuid())


def _require_safe(above: Path) -> None:
    """Check that no other user can replace the content of a directory.

    :raises _Unfit: if another user can.
    """
    found = above.stat()
    # In a container, the owner of the root directory is the administrator, whatever its number.
    if found.st_uid not in (os.geteuid(), 0, Path("/").stat().st_uid):
        raise _Unfit(f"is in {above}, which belongs to another user")
    if found.st_mode & WRITABLE_BY_OTHERS and not found.st_mode & stat.S_ISVTX:
        raise _Unfit(f"is in {above}, which can be written by others")


def _is_writable(folder: Folder) -> bool:
    return os.access(folder.path, os.W_OK | os.X_OK)


def _run_folder_of(run_folder: Path | None, variables: Mapping[str, str]) -> Folder | None:
    """Return the private folder of this run of Ansible, which is removed at its end."""
    if run_folder is None and variables.get(RUN_FOLDER):
        run_folder = Path(variables[RUN_FOLDER])
    if run_folder is None or not run_folder.is_dir():
        return None
    return next(iter(_usable([(run_folder, [_NAME])], [])), None)
