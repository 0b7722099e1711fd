# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The place of apply records, and the conditions for trusting a record."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
from dataclasses import replace
from pathlib import Path

from ...module_utils.client.roots import identity_of
from ...module_utils.errors import InvalidInput
from ...module_utils.local.access import PRIVATE_FILE, Access
from ...module_utils.local.safe_files import FileType, Folder, require_own
from ..apply.journal_place import applied_place
from .record import MAX_RECORD, ApplyRecord, record_from

#: The value of ``applied`` that means the newest record at the default place.
LAST = "last"

KEPT = 20
#: Maximum number of records that are kept per set, and their maximum total bytes.
KEPT_BYTES = 200 << 20

NOT_KEPT = "no apply record is kept: this cannot be undone"

_SUFFIX = ".json.gz"


class RecordRefused(InvalidInput):
    """Raised if an apply record can't be trusted, or belongs to another instance or set. Nothing was sent."""


def read_record(path: Path) -> ApplyRecord:
    """Return the record in a file that a task names.

    :raises RecordRefused: if others may have written the file, or if it is not a record.
    """
    return _read(Folder(path.parent), path.name)


def _read(folder: Folder, name: str) -> ApplyRecord:
    path = folder.path / name
    try:
        with folder.opened(name) as descriptor:
            found = os.fstat(descriptor)
        require_own(folder.path, name, found, os.geteuid())
        content = folder.read(name, MAX_RECORD)
    except FileNotFoundError:
        raise RecordRefused(f"applied: there is no {path}") from None
    except InvalidInput as unfit:
        raise RecordRefused(f"applied: {unfit.message}. Check the file, or name another one") from unfit
    except OSError as error:
        raise RecordRefused(f"applied: {path} can't be read ({error.strerror})") from error
    try:
        return record_from(content, hashlib.sha256(content).hexdigest())
    except ValueError as error:
        raise RecordRefused(
            f"applied: {path} is not an apply record of this collection ({error}). Name another file. Undo it with the "
            f"version of the collection that applied it, if that is another one"
        ) from error


class RecordPlace:
    """The file for the record of one run.

    :param path: the file that the task names; None: a new file at the default place.
    :ivar why_none: why no record is kept; empty if one is.
    :raises InvalidInput: if the file is in or below the directory of the journal.
    """

    def __init__(self, path: Path | None, instance: str, set_name: str, journal: Path) -> None:
        self._is_default = path is None
        self.why_none = ""
        self._folder: Folder | None = None
        self._name = ""
        if path is not None:
            if _is_below(path, journal):
                raise InvalidInput(
                    f"apply_record: {path} is in the directory of the journal ({journal}), which pipelines cache, and "
                    f"an apply record contains personal data; name a file elsewhere"
                )
            self._folder, self._name = Folder(path.parent), path.name
            return
        try:
            folder, self._steps = applied_place(instance, set_name)
        except InvalidInput:
            self.why_none = "There is no home directory; set apply_record to a file that outlives the run."
            return
        if _is_below(folder.path / self._steps, journal):
            self.why_none = f"The default place is below the journal ({journal}); set apply_record."
        elif not _can_be_written(folder.path / self._steps):
            self.why_none = f"{folder.path} can't be written; set apply_record to a file that outlives the run."
        else:
            self._folder = folder

    @property
    def path(self) -> Path | None:
        """Return the file for the record, or None if no record is kept."""
        return self._folder.path / self._name if self._folder is not None and self._name else None

    def require_writable(self) -> None:
        """Check that a record can be written, before anything is sent.

        :raises InvalidInput: if there is no such directory, or if the file is something else than a record.
        """
        if self._folder is None or self._is_default:
            return
        path = self._folder.path / self._name
        if not self._folder.path.is_dir():
            raise InvalidInput(f"apply_record: {path} can't be written (there is no such directory)")
        if self._folder.type_of(self._name) is not None:
            try:
                _read(self._folder, self._name)
            except InvalidInput as refused:
                raise InvalidInput(
                    f"apply_record: {path} exists and is not an apply record of this user; name another file"
                ) from refused

    def interrupted(self, head: ApplyRecord, run: str) -> ApplyRecord | None:
        """Return the record of an interrupted run that the next run continues. The next run then replaces the file.

        That may be an apply of other files: only this record has the values before the interrupted run.

        :param head: the record of the next run. :param run: the interrupted run, as the journal has it.
        """
        if self._folder is None:
            return None
        name = next(reversed(_listed(self._folder, self._steps)), "") if self._is_default else self._name
        try:
            found = _read(self._folder, name) if name else None
        except RecordRefused:
            return None
        if found is None or found.is_complete or (found.origin, found.run) != (head.origin, run):
            return None
        self._name = name
        return found

    def write(self, record: ApplyRecord) -> str:
        """Write a record that only its owner can read, and remove the oldest records at the default place.

        :returns: its SHA-256; empty if no record is kept.
        :raises InvalidInput: if it can't be written.
        """
        if self._folder is None:
            return ""
        content = record.content()
        if self._is_default and not self._name:
            moment = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%S.%fZ")
            self._name = f"{self._steps}/{moment}{_SUFFIX}"
        try:
            self._folder.write(self._name, content, Access(mode=PRIVATE_FILE))
            if self._is_default:
                _remove_oldest(self._folder, self._steps)
        except OSError as error:
            raise InvalidInput(f"apply_record: {self.path} can't be written ({error.strerror})") from error
        return hashlib.sha256(content).hexdigest()


def last_record(instance: str, set_name: str | None) -> tuple[Path, ApplyRecord]:
    """Return the newest record of an instance at the default place.

    If it belongs to an interrupted undo, return the record that this run was undoing, because the undo must be
    completed. A finished undo is returned without changes: it is never undone by this name, nor is the apply before it.

    :param set_name: the set of the record; None: any.
    :raises RecordRefused: if there is none.
    """
    folder, below = applied_place(instance, set_name or "")
    if set_name is None:
        below = below.rpartition("/")[0]
    try:
        sets = [below] if set_name is not None else [member.name for member in folder.listed(below)]
    except FileNotFoundError:
        sets = []
    names = sorted(
        (name for folder_name in sets for name in _listed(folder, folder_name)),
        key=lambda name: name.rpartition("/")[2],
    )
    if not names:
        raise RecordRefused(
            f"applied: there is no apply record of {identity_of(instance)} below {folder.path}; name the file"
        )
    record = _read(folder, names[-1])
    if record.is_complete or not record.undoes:
        # The changes of a finished undo are left out, so that selecting the newest record never undoes them.
        return folder.path / names[-1], replace(record, changes=()) if record.undoes else record
    for name in reversed(names[:-1]):
        if hashlib.sha256(folder.read(name, MAX_RECORD)).hexdigest() == record.undoes:
            return folder.path / name, _read(folder, name)
    raise RecordRefused(
        "applied: the last run was an undo of another file, and it was interrupted; name that file again to finish it"
    )


def _listed(folder: Folder, below: str) -> list[str]:
    try:
        found = folder.listed(below)
    except FileNotFoundError:
        return []
    return [member.name for member in found if member.type is FileType.FILE and member.name.endswith(_SUFFIX)]


def _remove_oldest(folder: Folder, below: str) -> None:
    total = 0
    for number, name in enumerate(reversed(_listed(folder, below))):
        total += folder.status(name).st_size
        if number and (number >= KEPT or total > KEPT_BYTES):
            folder.remove(name)


def _is_below(path: Path, directory: Path) -> bool:
    real, above = Path(os.path.realpath(path)), Path(os.path.realpath(directory))
    return above == real or above in real.parents


def _can_be_written(path: Path) -> bool:
    nearest = next(existing for existing in (path, *path.parents) if existing.exists())
    return os.access(nearest, os.W_OK | os.X_OK)
