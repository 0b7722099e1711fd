# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the facts of a set mean. Somebody else may have written them, so a value of another type counts as missing."""

from __future__ import annotations

import math
import secrets
from collections.abc import Collection, Mapping, Set
from typing import Any, NamedTuple

from ...module_utils.runtime.creations import UNKNOWN_MOMENT
from ...module_utils.runtime.facts import Marks
from ..desired.desired import Source
from ..set_plan.baseline import Baseline

# Marks are uuids, or kinds with natural keys, unless a comment says otherwise. The values are in parentheses.
#: Records that belong to the set; that the set archived; that it created (kind and key, which may be empty).
MANAGED, ARCHIVED, CREATED = "managed", "archived", "created"
#: Records that the set took over, because they existed (the time in seconds since 1970).
ADOPTED = "adopted"
#: Records that the set brought back from the archive; that must stay.
UNARCHIVED, PROTECTED = "unarchived", "protected"
#: Records that the set created and could not read (true). Its account does not see them.
UNSEEN = "unseen"
#: Creations without a noted outcome (the time in seconds since 1970).
SENT = "sent"
#: The unfinished run (digest, and numbers for its limits); what it creates, and changes (its digest).
RUN, BEGUN, CHANGING = "run", "begun", "changing"
#: Sources of the last apply, by section and path (number of records); some or all records (file and line).
SOURCE, ORIGIN = "source", "origin"
#: Uploads, by hash and name (uuid, or the time without a noted outcome); the uuids of all uploaded files (true).
UPLOAD, FILE = "upload", "file"
#: The key of the digests; digests of each record as it was last applied; highest id of each kind of record.
KEY, FIELDS, HIGHEST = "key", "fields", "highest"

_KEY_BYTES = 16


class Upload(NamedTuple):
    """A file that is uploaded once for any number of records. It identifies the upload after an interrupted run."""

    name: str
    sha256: str

    @property
    def mark(self) -> str:
        return f"{self.sha256} {self.name}"


class Memory:
    """The facts of one set.

    :ivar marks: the facts by kind and mark. They change while a run notes what it does.
    """

    def __init__(self, marks: Marks | None = None) -> None:
        self.marks: Marks = {} if marks is None else marks

    def _texts(self, kind: str) -> dict[str, str]:
        return {mark: value for mark, value in self.marks.get(kind, {}).items() if isinstance(value, str)}

    def _numbers(self, kind: str) -> dict[str, int]:
        return _numbers_in(self.marks.get(kind, {}))

    def _moments(self, kind: str) -> dict[str, float]:
        """Return the times of requests without a noted outcome."""
        found = self.marks.get(kind, {}).items()
        return {mark: _moment(value) for mark, value in found if not isinstance(value, str)}

    # ---- records

    @property
    def known(self) -> Set[str]:
        """Return the uuids of the records that belong to the set."""
        return self.marks.get(MANAGED, {}).keys()

    @property
    def adopted(self) -> dict[str, float]:
        """Return the time at which the set took over each record that it did not create, by uuid."""
        return self._moments(ADOPTED)

    @property
    def names(self) -> dict[str, str]:
        """Return the last noted kind and key of each record, by uuid. An archived record keeps them."""
        return {uuid: name for kind in (ARCHIVED, MANAGED) for uuid, name in self._texts(kind).items() if name}

    @property
    def created(self) -> dict[str, str]:
        """Return kind and key of each creation of this set, to its uuid; empty if none was noted."""
        return {**dict.fromkeys(self.unresolved, ""), **{name: uuid for uuid, name in self._texts(CREATED).items()}}

    @property
    def unarchived(self) -> Set[str]:
        """Return the uuids of the records that the set brought back from the archive and did not remove."""
        return self.marks.get(UNARCHIVED, {}).keys()

    @property
    def unseen(self) -> Set[str]:
        """Return the uuids of the records that the set created, and that no account has seen since."""
        return self.marks.get(UNSEEN, {}).keys()

    @property
    def protected(self) -> Set[str]:
        """Return the uuids of records that must stay."""
        return self.marks.get(PROTECTED, {}).keys()

    @property
    def sources(self) -> dict[Source, int]:
        """Return each source of the last apply with the number of its records."""
        found = self._numbers(SOURCE).items()
        return {(path, section): number for mark, number in found for section, _space, path in [mark.partition(" ")]}

    @property
    def origins(self) -> dict[str, str]:
        """Return the file of each record in its last apply, by uuid, if it was noted."""
        return self._texts(ORIGIN)

    # ---- the run

    @property
    def run(self) -> str:
        """Return the digest of an unfinished earlier run; empty if everything is done."""
        found = self._run.get("digest", "")
        return found if isinstance(found, str) else ""

    @property
    def existing(self) -> dict[str, int]:
        """Return section to the number of records before that run, as its limits counted them."""
        found = self._run.get("existing")
        return _numbers_in(found) if isinstance(found, Mapping) else {}

    @property
    def _run(self) -> Mapping[str, Any]:
        found = self.marks.get(RUN, {}).get("")
        return found if isinstance(found, Mapping) else {}

    @property
    def creations(self) -> set[str]:
        """Return the uuids of what that run created, and kind and key of what it was about to create."""
        return self._of_run(BEGUN)

    @property
    def touched(self) -> set[str]:
        """Return the same, and the uuids of the records that it began to change."""
        return self._of_run(BEGUN) | self._of_run(CHANGING)

    def _of_run(self, kind: str) -> set[str]:
        run = self.run
        return {mark for mark, of_run in self.marks.get(kind, {}).items() if of_run == run}

    @property
    def unresolved(self) -> dict[str, float]:
        """Return kind and key of sent creations without a noted outcome, to the time in seconds since 1970."""
        return self._moments(SENT)

    # ---- uploads

    @property
    def uploads(self) -> dict[Upload, str]:
        """Return the uploads of earlier runs with their uuids; empty without a noted outcome."""
        found = self.marks.get(UPLOAD, {})
        return {_upload(mark): uuid if isinstance(uuid, str) else "" for mark, uuid in found.items()}

    @property
    def uploading(self) -> Collection[float]:
        """Return the times of uploads without a noted outcome."""
        return self._moments(UPLOAD).values()

    @property
    def files(self) -> Set[str]:
        """Return the uuids of all files that were uploaded for this set."""
        return self.marks.get(FILE, {}).keys()

    # ---- what was applied

    def baseline(self) -> Baseline:
        """Return what was last applied. Without a memory it has a new key and no records."""
        try:
            key = bytes.fromhex(self._texts(KEY).get("", ""))
        except ValueError:
            key = b""
        if len(key) != _KEY_BYTES:
            return Baseline(secrets.token_bytes(_KEY_BYTES))
        # What an interrupted run was changing may have any value, but it was applied before.
        unsure = self.marks.get(CHANGING, {})
        return Baseline(
            key,
            {mark: "" if mark in unsure else text for mark, text in self._texts(FIELDS).items()},
            self._numbers(HIGHEST),
        )


def _upload(mark: str) -> Upload:
    sha256, _space, name = mark.partition(" ")
    return Upload(name, sha256)


def _moment(value: Any) -> float:
    """Return the time of a fact. It is unknown if it is not a number."""
    is_time = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < math.inf
    return float(value) if is_time else UNKNOWN_MOMENT


def _numbers_in(facts: Mapping[str, Any]) -> dict[str, int]:
    return {mark: value for mark, value in facts.items() if type(value) is int}
