# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cursor: what a source has read and reported, as a log of facts that survives restarts."""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any

from ...module_utils.client.record import Record
from ...module_utils.client.roots import identity_of
from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder
from ...module_utils.model.schema import Schema
from ...module_utils.runtime.facts import Fact, FactLog, Marks
from ...module_utils.runtime.locks import describe
from ..apply.journal_place import kept_place
from ..apply.strict_json import Fits, Printable, Uuid, read_members
from ..set_plan.canonical import Canon, as_text, lasting_name
from .dates import Watch, dates_in

_KIND = "kind"
_OF_SALT = "salt"
#: Members that are not changes themselves: they show that something changed, or that somebody views the record.
_NO_CHANGE = frozenset({"updated_at", "updated_by_user_id", "locked_by"})

_DIGEST_BYTES = 6
_CANON = Canon(lambda reference: reference.uuid or reference.id, lambda file: file.uuid, lasting_name)

_BEGIN_ANEW = "remove it to start again from the present state"


def _is_date(text: str) -> bool:
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


Date = Annotated[str, Fits(_is_date, "a day or an instant")]


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

    @classmethod
    def from_record(cls, schema: Schema, record: Record, salt: str, watches: Sequence[Watch]) -> Known:
        """Return the remembered part of a record."""
        values = schema.read(record.flat)
        keys = {of.wire_key for of in schema.fields.values()}
        others = {name: value for name, value in record.flat.items() if name not in keys}
        digests = {name: _digest(value, salt) for name, value in {**others, **values}.items() if name not in _NO_CHANGE}
        return cls(record.id, digests, dates_in(watches, values))

    def changed_fields(self, now: Known) -> list[str]:
        """Return the fields that differ.

        A field that only one of the two has counts only if its value is not empty, because instances omit empty fields.
        """
        names = self.digests.keys() | now.digests.keys()
        return sorted(name for name in names if self.digests.get(name, "") != now.digests.get(name, ""))


@dataclass(slots=True)
class KindState:
    """What the cursor remembers about a kind.

    :ivar stamp: the latest time of change in an answer. :ivar watched: the fields whose dates are watched.
    :ivar since: the latest time of change that was known when the last read began; empty if that was the first.
    """

    stamp: str = ""
    watched: list[str] = field(default_factory=list)
    records: dict[Uuid, Known] = field(default_factory=dict)
    since: str = ""

    def copy(self) -> KindState:
        """Return a copy. Replacing records in it does not change this state."""
        return KindState(self.stamp, self.watched, dict(self.records), self.since)


@dataclass(slots=True)
class State:
    """The remembered state of an instance.

    :ivar salt: makes the digests useless to anybody who only has the file.
    """

    salt: str = field(default_factory=lambda: secrets.token_hex(16))
    kinds: dict[str, KindState] = field(default_factory=dict)


_MEMBERS = {"salt": Printable, "kinds": dict[str, KindState]}


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
            folder, file = Folder(target.parent), target.name
        else:
            folder, file = kept_place("cursor", instance, "events", f"{name}.jsonl")
        self._path = folder.path / file
        self._log = FactLog(folder, file)
        try:
            if not self._log.try_lock():
                raise InvalidInput(
                    f"cursor: another source uses {self._path}; give each source a cursor of its own, or another name"
                )
        except OSError as error:
            raise InvalidInput(f"cursor: {describe(error)}") from error

    def read(self) -> State | None:
        """Return the state, or None if there is none yet.

        :raises InvalidInput: if the file is unreadable or of another instance. Starting again would silently lose
            events.
        """
        try:
            found = self._log.read()
            if self._log.unread:
                raise ValueError(f"line {self._log.unread[0]} is not a fact")
            if found and self._instance not in found:
                raise InvalidInput(f"cursor: {self._path} is about another instance, {next(iter(found))}")
            return _state(found[self._instance]) if found else None
        except OSError as error:
            raise InvalidInput(f"cursor: {describe(error)}") from error
        except ValueError as error:
            raise InvalidInput(f"cursor: {self._path} can't be read ({error}); {_BEGIN_ANEW}") from error

    def write(self, state: State) -> None:
        """Store what changed.

        If that is interrupted, the latest times of change stay as they were, so that the records are read again.

        :raises InvalidInput: if it cannot be written.
        """
        try:
            known = self._log.read().get(self._instance, {})
            now = {(kind, mark): value for kind, mark, value in _facts(state)}
            gone = [(kind, mark, None) for kind, marks in known.items() for mark in marks if (kind, mark) not in now]
            news = [(*of, value) for of, value in now.items() if known.get(of[0], {}).get(of[1]) != value]
            self._log.put(self._instance, *gone, *news)
            if self._log.is_long:
                self._log.shorten()
        except OSError as error:
            raise InvalidInput(f"cursor: {describe(error)}") from error

    def close(self) -> None:
        """Release the cursor for another source."""
        self._log.close()


def _facts(state: State) -> Iterator[Fact]:
    """Yield the facts of a state, the latest times of change last."""
    yield _OF_SALT, "", state.salt
    for name, kind in state.kinds.items():
        for uuid, known in kind.records.items():
            yield name, uuid, {member.name: getattr(known, member.name) for member in fields(known)}
    for name, kind in state.kinds.items():
        yield _KIND, name, {"stamp": kind.stamp, "watched": kind.watched}


def _state(marks: Marks) -> State:
    """Return the state that facts describe.

    :raises ValueError: if they describe something else.
    """
    # The first read after a start is whole, so since is not stored.
    kinds = {
        name: {**_map(value), "records": marks.get(name, {}), "since": ""}
        for name, value in marks.get(_KIND, {}).items()
    }
    members = read_members({"salt": marks.get(_OF_SALT, {}).get(""), "kinds": kinds}, _MEMBERS)
    return State(members["salt"], members["kinds"])


def _map(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("expected a map")
    return value


def _digest(value: Any, salt: str) -> str:
    """Return a short text that differs for different values; empty for nothing."""
    data = _CANON.value(value)
    text = as_text(data).encode("utf-8", "surrogatepass")
    return "" if data is None else hashlib.blake2b(text, key=salt.encode(), digest_size=_DIGEST_BYTES).hexdigest()
