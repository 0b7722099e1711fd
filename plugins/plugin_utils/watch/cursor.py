# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cursor: what a source has read and reported, in a file that survives restarts."""

from __future__ import annotations

import datetime as dt
import fcntl
import json
import os
import re
import secrets
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

from ...module_utils.client.roots import identity_of
from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder
from ..apply.journal_place import kept_place
from ..apply.strict_json import Fits, Uuid, decode, read_members, version_of

_FORMAT = 1
_LARGEST = 1 << 30
_DEEPEST = 8
_SALT = re.compile("[0-9a-f]{32}")
_BEGIN_ANEW = "remove it to start again from the present state"


def _is_date(text: str) -> bool:
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


Date = Annotated[str, Fits(_is_date, "a day or an instant")]
Salt = Annotated[str, Fits(lambda text: _SALT.fullmatch(text) is not None, "a salt")]


@dataclass(frozen=True, slots=True)
class Known:
    """The remembered part of one record. Its only values are the integer id and the watched dates.

    :ivar number: its integer id; None if the answers have none.
    :ivar digests: field to a salted digest of its value.
    :ivar dates: watched field to its day or instant.
    :ivar told: the reported dates.
    :ivar out_of_sight: why no list shows it: ``archived``, or ``hidden`` from this user; empty: it is listed.
    """

    number: int | None
    digests: dict[str, str]
    dates: dict[str, Date] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    out_of_sight: str = ""


@dataclass(slots=True)
class KindState:
    """What the cursor remembers about a kind.

    :ivar stamp: the latest time of change in an answer. :ivar watched: the fields whose dates are watched.
    """

    stamp: str = ""
    watched: list[str] = field(default_factory=list)
    records: dict[Uuid, Known] = field(default_factory=dict)

    def copy(self) -> KindState:
        """Return a copy. Replacing records in it does not change this state."""
        return KindState(self.stamp, self.watched, dict(self.records))


@dataclass(slots=True)
class State:
    """The remembered state of an instance.

    :ivar salt: makes the digests useless to anybody who only has the file.
    """

    salt: str = field(default_factory=lambda: secrets.token_hex(16))
    kinds: dict[str, KindState] = field(default_factory=dict)


_MEMBERS = {"format": int, "instance": str, "salt": Salt, "kinds": dict[str, KindState]}


class CursorFile:
    """The file of a cursor. Only one source may use it.

    :param path: if the source names a file. None: in the state directory of the user.
    :param instance: root of the instance. :param name: of the source.
    :raises InvalidInput: if it cannot be stored there, or another source uses it.
    """

    def __init__(self, path: str | None, instance: str, name: str) -> None:
        self._instance = identity_of(instance)
        if path:
            target = Path(path).expanduser()
            self._folder, self._name = Folder(target.parent), target.name
        else:
            self._folder, self._name = kept_place("cursor", instance, "events", f"{name}.json")
        self._lock = self._locked()

    def read(self) -> State | None:
        """Return the state, or None if there is no file yet.

        :raises InvalidInput: if the file is unreadable or of another instance. Starting again would silently lose
            events.
        """
        try:
            content = self._folder.read(self._name, _LARGEST)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InvalidInput(f"cursor: {error}") from error
        try:
            kept = decode(content, _DEEPEST)
            if not isinstance(kept, dict):
                raise ValueError("expected a map")
            if version_of(kept, "format") != _FORMAT:
                raise InvalidInput(f"cursor: {self._path} is of another version of the collection; {_BEGIN_ANEW}")
            if kept.get("instance") != self._instance:
                raise InvalidInput(f"cursor: {self._path} is about another instance, {kept.get('instance')}")
            members = read_members(kept, _MEMBERS)
        except ValueError as error:
            raise InvalidInput(f"cursor: {self._path} can't be read ({error}); {_BEGIN_ANEW}") from error
        return State(members["salt"], members["kinds"])

    def write(self, state: State) -> None:
        """Store a state atomically and durably.

        :raises InvalidInput: if it cannot be written.
        """
        kept = {"format": _FORMAT, "instance": self._instance, **_members(state)}
        try:
            content = json.dumps(kept, separators=(",", ":"), default=_members).encode()
            self._folder.write(self._name, content, is_durable=True)
        except OSError as error:
            raise InvalidInput(f"cursor: {error}") from error

    def close(self) -> None:
        """Release the cursor for another source."""
        os.close(self._lock)

    @property
    def _path(self) -> Path:
        return self._folder.path / self._name

    def _locked(self) -> int:
        try:
            descriptor = self._folder.open_to_update(f"{self._name}.lock")
        except OSError as error:
            raise InvalidInput(f"cursor: {error}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(descriptor)
            raise InvalidInput(
                f"cursor: another source uses {self._path}; give each source a cursor of its own, or another name"
            ) from error
        return descriptor


def _members(state: State | KindState | Known) -> dict[str, Any]:
    return {member.name: getattr(state, member.name) for member in fields(state)}
