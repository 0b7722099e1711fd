# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the places of shared files: the runtime directory of the user, and a private place for tokens."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput
from ..local.access import PRIVATE_FOLDER
from ..local.safe_files import WRITABLE_BY_OTHERS, Folder

NAMED = "SEVENTHINGS_RUNTIME_DIR"
"""The environment variable that names the runtime directory."""
RUN_FOLDER = "SEVENTHINGS_RUN_DIR"
"""The environment variable by which a module process learns of the private folder of its run of Ansible."""

NOT_SHARED = (
    "So the rate limit, the locks and the tokens are not shared with the other processes of this user; "
    "SEVENTHINGS_RUNTIME_DIR may name a directory for them."
)
"""The consequence, which follows the reason in a warning."""

_OF_THE_SESSION = "XDG_RUNTIME_DIR"
_NAME = "seventhings"
_DIGITS = 32
_NO_ROOM = (errno.EROFS, errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class Places:
    """The places of files that processes share.

    :ivar shared: for the rate limit and locks; None: nothing is shared.
    :ivar private: for tokens; None: they stay in memory.
    :ivar problem: why nothing is shared, in words for people; empty where it is.
    :ivar passed: why the directory that the user named is not the one that is used; empty where it is, or none is used.
    """

    shared: Folder | None = None
    private: Folder | None = None
    problem: str = ""
    passed: str = ""

    @property
    def warning(self) -> str:
        """The warning about the place for the user; empty where it is the one that was to be expected."""
        if self.problem:
            return f"{self.problem}. {NOT_SHARED}"
        if self.passed and self.shared:
            return f"{NAMED}: {self.passed}, so {self.shared.path} is used in its place."
        return ""

    @classmethod
    def found(cls, run_folder: Path | None = None, environment: Mapping[str, str] | None = None) -> Places:
        """The places of this process: the first directory that is this user's alone, made where it is missing.

        :param run_folder: the private folder that ansible-core makes for each run, where it is known.
        :param environment: that of this process, unless it is given.
        """
        variables = os.environ if environment is None else environment
        problems: list[str] = []
        for path, is_private in _candidates(variables):
            try:
                folder = _usable(path)
            except _NotShared as full:
                problems = [str(full)]
                break
            except (_Passed, OSError) as unfit:
                problems.append(_told(path, unfit))
            else:
                passed = problems[0] if problems and variables.get(NAMED) else ""
                return cls(folder, folder if is_private else _of_the_run(run_folder, variables), passed=passed)
        return cls(None, _of_the_run(run_folder, variables), "; ".join(problems))


def digest_of(*texts: str) -> str:
    """A file name for some texts, another one for each."""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


class _Passed(Exception):
    """A directory is not this user's alone, so the next one is looked at."""


class _NotShared(Exception):
    """The directory is the right one, and nothing can be written to it."""


def _candidates(variables: Mapping[str, str]) -> Iterator[tuple[Path, bool]]:
    """Directories in the order in which they are looked at, and whether tokens may lie there."""
    if variables.get(NAMED):
        yield Path(variables[NAMED]), True
    if variables.get(_OF_THE_SESSION):
        yield Path(variables[_OF_THE_SESSION]) / _NAME, True
    # Tasks may have a temporary folder each and would share nothing there, so this is the one of the machine.
    yield Path(variables.get("TMPDIR") or tempfile.gettempdir()) / f"{_NAME}-{os.geteuid()}", False


def _usable(path: Path) -> Folder:
    """The folder, made 0700 where it is missing.

    :raises _Passed: where it is not this user's alone. :raises _NotShared: where nothing can be written to it.
    :raises OSError: where it can't be made or looked at.
    """
    if not path.is_absolute():
        raise _Passed("is no absolute path")
    try:
        with contextlib.suppress(FileExistsError):
            path.mkdir(mode=PRIVATE_FOLDER)
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise _NotShared(_told(path, error)) from error
        raise
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise _Passed("is a link")
    if not stat.S_ISDIR(found.st_mode):
        raise _Passed("is no directory")
    if found.st_uid != os.geteuid():
        raise _Passed("belongs to another user")
    if found.st_mode & WRITABLE_BY_OTHERS:
        raise _Passed("can be written by others")
    if not os.access(path, os.W_OK | os.X_OK):
        raise _NotShared(f"{path} can't be written")
    return Folder(path, os.geteuid())


def _of_the_run(run_folder: Path | None, variables: Mapping[str, str]) -> Folder | None:
    """The private folder of this run of Ansible, gone at its end."""
    if run_folder is None and variables.get(RUN_FOLDER):
        run_folder = Path(variables[RUN_FOLDER])
    if run_folder is None or not run_folder.is_dir():
        return None
    try:
        return _usable(run_folder / _NAME)
    except (_Passed, _NotShared, OSError):
        return None


def _told(path: Path, problem: Exception) -> str:
    reason = problem.strerror or problem if isinstance(problem, OSError) else problem
    return f"{path}: {reason}" if isinstance(problem, OSError) else f"{path} {reason}"


@contextlib.contextmanager
def as_os_errors() -> Iterator[None]:
    """Raises a problem of a shared file (a link, another owner) as an error of the system. Then nothing is shared."""
    try:
        yield
    except InvalidInput as error:
        raise OSError(errno.EPERM, error.message) from error
