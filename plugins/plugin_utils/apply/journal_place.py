# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the place of a journal: a path of the task, else the state directory of the user.

It is never among the files.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from ...module_utils.client.roots import identity_of
from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import FileType, Folder

_FILE = "journal.jsonl"
_NO_SET = "_"
_APPLIED = "applied"
#: Maximum characters of one path segment; file systems allow 255 bytes.
_LONGEST = 200

_DIGEST = 32
_HINT = "; set journal to a directory that can be written"


class JournalPlace(NamedTuple):
    """The place of a journal: a file in a directory.

    :ivar folder: everything below it is opened without following links.
    :ivar name: of the file, relative to it.
    :ivar hint: what to do if it cannot be written.
    """

    folder: Folder
    name: str
    hint: str = ""

    @property
    def path(self) -> Path:
        """Return the path of the journal for messages."""
        return self.folder.path / self.name


def place_of(directory: Path | None, instance: str, set_name: str) -> JournalPlace:
    """Return the place of a journal.

    :param directory: a directory of the task, whose owner is not checked. None: ``INSTANCE/SET`` below
        ``$XDG_STATE_HOME/seventhings``, so that one directory of files may serve many instances.
    :param instance: root of the instance. :param set_name: name of the managed set; empty without one.
    :raises InvalidInput: if there is no home directory.
    """
    if directory is not None:
        return JournalPlace(Folder(directory), _FILE)
    steps = (_instance_step(instance), _step(set_name) if set_name else _NO_SET, _FILE)
    return JournalPlace(_state_folder("journal", _HINT), "/".join(steps), _HINT)


def places_of_all(instance: str) -> Iterator[JournalPlace]:
    """Yield the places of the journals of all sets of an instance, except those that tasks named.

    :raises NotOpened: if a directory is replaced by a link or something else.
    :raises OSError: if a directory cannot be read.
    """
    try:
        folder = _state_folder("journal", _HINT)
    except InvalidInput:
        return
    try:
        found = folder.listed(_instance_step(instance))
    except FileNotFoundError:
        return
    for instance_folder in found:
        name = f"{instance_folder.name}/{_FILE}"
        if instance_folder.type is FileType.FOLDER and folder.type_of(name) is not None:
            yield JournalPlace(folder, name)


def kept_place(option: str, instance: str, *steps: str) -> tuple[Folder, str]:
    """Return the place of another file about an instance, beside its journals.

    :param option: the option for another place.
    :returns: the directory, and the name of the file relative to it.
    :raises InvalidInput: if there is no home directory.
    """
    folder = _state_folder(option, f"; set {option} to a file that can be written")
    # The prefix keeps the name apart from the journal of a set with the same name.
    return folder, "/".join([_instance_step(instance), f"{_NO_SET}{steps[0]}", *map(_step, steps[1:])])


def applied_place(instance: str, set_name: str) -> tuple[Folder, str]:
    """Return the place of the apply records of a set, which is never that of its journal.

    :returns: the state directory, and the directory of the records relative to it.
    :raises InvalidInput: if there is no home directory.
    """
    folder = _state_folder("apply_record", "; set apply_record to a file that can be written")
    return folder, f"{_APPLIED}/{_instance_step(instance)}/{_step(set_name) if set_name else _NO_SET}"


def _state_folder(option: str, hint: str) -> Folder:
    """Return the directory of this collection below the state directory of the user.

    :param option: with which the user names another place. :param hint: what to do if there is none.
    :raises InvalidInput: if there is no home directory.
    """
    return Folder(_state_home(option, hint) / "seventhings", os.geteuid())


def _state_home(option: str, hint: str) -> Path:
    """Return the directory for the state of programs, as the XDG Base Directory Specification says."""
    state_home = Path(os.environ.get("XDG_STATE_HOME", ""))
    # The XDG specification says to ignore a relative path.
    if state_home.is_absolute():
        return state_home
    try:
        home = Path.home()
    except RuntimeError:
        home = Path()
    if not home.is_absolute() or os.environ.get("HOME") == "":
        raise InvalidInput(f"{option}: there is no home directory to keep it in{hint}")
    return home / ".local" / "state"


def _instance_step(root: str) -> str:
    """Return the path segment of an instance, whichever name of this machine its root has."""
    return _step(identity_of(root))


def _step(text: str) -> str:
    """Return a path segment for a text, different for different texts."""
    step = quote(text, safe="", errors="surrogatepass")
    if step in (".", "..", _NO_SET):
        return "".join(f"%{ord(sign):02X}" for sign in step)
    if len(step) <= _LONGEST:
        return step
    return f"{step[: _LONGEST - _DIGEST]}%{hashlib.sha256(step.encode()).hexdigest()[:_DIGEST]}"
