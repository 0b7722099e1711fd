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
from typing import Any

from ...module_utils.client.limits import KEPT_MEMBERS, decode_json
from ...module_utils.client.roots import identity_of
from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder
from ...module_utils.model.field import is_uuid
from ..apply.journal_place import kept_place

_FORMAT = 1
_LARGEST = 1 << 30
_SALT = re.compile("[0-9a-f]{32}")
_BEGIN_ANEW = "remove it to start again from the present state"


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
    dates: dict[str, str] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    out_of_sight: str = ""


@dataclass(slots=True)
class KindState:
    """What the cursor remembers about a kind.

    :ivar stamp: the latest time of change in an answer. :ivar watched: the fields whose dates are watched.
    """

    stamp: str = ""
    watched: list[str] = field(default_factory=list)
    records: dict[str, Known] = field(default_factory=dict)

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
            kept = decode_json(content, KEPT_MEMBERS)
            if kept["format"] != _FORMAT:
                raise InvalidInput(f"cursor: {self._path} is of another version of the collection; {_BEGIN_ANEW}")
            if kept["instance"] != self._instance:
                raise InvalidInput(f"cursor: {self._path} is about another instance, {kept['instance']}")
            return _state(kept)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidInput(f"cursor: {self._path} can't be read; {_BEGIN_ANEW}") from error

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


def _state(kept: dict[str, Any]) -> State:
    """Create a state from its members.

    :raises KeyError: if one is missing. :raises TypeError: if one has another type.
    :raises ValueError: if one is impossible.
    """
    if not _SALT.fullmatch(kept["salt"]):
        raise ValueError
    return State(kept["salt"], {name: _kind_state(kind) for name, kind in kept["kinds"].items()})


def _kind_state(kept: dict[str, Any]) -> KindState:
    if not all(map(is_uuid, kept["records"])):
        raise ValueError
    records = {uuid: _known(record) for uuid, record in kept["records"].items()}
    _require_texts(kept["stamp"], *kept["watched"])
    return KindState(kept["stamp"], kept["watched"], records)


def _known(kept: dict[str, Any]) -> Known:
    known = Known(**kept)
    _require_texts(known.out_of_sight, *known.told, *known.digests.values(), *known.dates.values())
    if not isinstance(known.told, list) or isinstance(known.number, bool) or not isinstance(known.number, int | None):
        raise TypeError
    for date in known.dates.values():
        dt.datetime.fromisoformat(date)
    return known


def _require_texts(*kept: object) -> None:
    if not all(isinstance(text, str) for text in kept):
        raise TypeError
