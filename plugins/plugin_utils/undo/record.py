# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The content of an apply record: the changes of an apply, and each record before and after."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Container, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, get_type_hints

from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import is_uuid, shorten
from ...module_utils.model.kinds import KINDS, TEMPLATES
from ...module_utils.model.names import normal_address, normal_name
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ...module_utils.resolve.natural_keys import ignores_case
from ..apply.strict_json import OptionalDigest, Printable, Root, decode, one_of, read_members
from ..desired.desired import SECTIONS
from ..desired.hiding import VAULTED
from ..desired.nodes import EVERYTHING
from .values import is_fingerprint, mark_of

RECORD_VERSION = 1
#: Maximum bytes of a decompressed record.
MAX_RECORD = 268_435_456

DONE, FAILED, REFUSED, SKIPPED, NOT_TRIED = "done", "failed", "refused", "skipped", "not_tried"
#: The outcome of a change in an interrupted run.
UNKNOWN = "unknown"

_DEEPEST = 72


@dataclass(frozen=True)
class RecordedChange:
    """One change of an apply.

    :ivar uuid: of the record; empty if unknown, or if the kind has none.
    :ivar key: its natural key in words.
    :ivar keys: the fields of its natural key.
    :ivar outcome: what became of it.
    :ivar before: fields before the change: the changed fields of an update with the room or location that may follow
        them, all fields of a deletion.
    :ivar after: the written fields.
    :ivar unarchived: True if the record was in the archive before.
    """

    kind: Annotated[str, one_of(*SECTIONS.values())]
    uuid: str
    key: Printable
    action: Annotated[str, one_of(CREATE, UPDATE, DELETE, ARCHIVE)]
    outcome: Annotated[str, one_of(DONE, FAILED, REFUSED, SKIPPED, NOT_TRIED, UNKNOWN)]
    before: Mapping[Printable, Any] = field(default_factory=dict)
    after: Mapping[Printable, Any] = field(default_factory=dict)
    template: str = ""
    keys: tuple[Printable, ...] = ()
    unarchived: bool = False

    @property
    def section(self) -> str:
        """The section of the files that lists the records of this kind."""
        return KINDS[self.kind].section

    @property
    def words(self) -> str:
        """The record in words."""
        return f"{KINDS[self.kind].words} {self.key}"

    @property
    def journal_name(self) -> str:
        """The name of the record in the memory of the journal."""
        kind = KINDS[self.kind]
        form = str if VAULTED in self.key else normal_address if ignores_case(kind, self.keys) else normal_name
        return f"{kind.name} {form(self.key)}"

    @property
    def may_have_effect(self) -> bool:
        """Return False if the change was certainly not sent, or if the service refused all of it."""
        return self.outcome not in (REFUSED, SKIPPED, NOT_TRIED)

    @property
    def fingerprinted(self) -> tuple[str, ...]:
        """The fields with only a fingerprint on either side."""
        keys = {**self.before, **self.after}
        return tuple(key for key in keys if any(is_fingerprint(side.get(key)) for side in (self.before, self.after)))

    @property
    def hidden(self) -> Container[str]:
        """The fields of the record that must not be shown: all of them if its natural key is vaulted."""
        return EVERYTHING if VAULTED in self.key else self.fingerprinted

    @property
    def mark(self) -> tuple[str, str]:
        """Return an identifier that the changes of one record in two runs share."""
        return mark_of(self.kind, self.template, self.key)


@dataclass(frozen=True)
class ApplyRecord:
    """The changes of one apply.

    :ivar plan_digest: of the applied approval; empty if there was none.
    :ivar run: digest of the intended changes.
    :ivar undoes: SHA-256 of the record that the run undid; empty for an apply.
    :ivar is_complete: True if the run came to its end.
    :ivar digest: SHA-256 of the file.
    """

    instance: Root
    set_name: Printable
    set_id: Printable
    plan_digest: OptionalDigest
    provenance: Mapping[Printable, Printable]
    run: Printable
    undoes: OptionalDigest = ""
    is_complete: bool = False
    changes: tuple[RecordedChange, ...] = ()
    digest: str = ""

    @property
    def origin(self) -> tuple[str, ...]:
        """What the records of an interrupted run and of the run that continues it have in common."""
        return self.instance, self.set_name, self.set_id, self.undoes

    @property
    def deleted(self) -> frozenset[str]:
        """The uuids of the records that the run deleted."""
        return frozenset(change.uuid for change in self.changes if change.action == DELETE and change.may_have_effect)

    @property
    def added(self) -> int:
        """The number of records that the run created or brought back from the archive, at most."""
        return sum(change.may_have_effect and (change.action == CREATE or change.unarchived) for change in self.changes)

    def content(self) -> bytes:
        """Return the compressed bytes of the record.

        :raises InvalidInput: if it is too long.
        """
        document = {"version": RECORD_VERSION, "set": self.set_name, **asdict(self)}
        del document["set_name"], document["digest"]
        text = json.dumps(document, ensure_ascii=False, default=str) + "\n"
        content = text.encode("utf-8", "backslashreplace")
        if len(content) > MAX_RECORD:
            raise InvalidInput(
                f"apply_record: the record has {len(content)} bytes; expected at most {MAX_RECORD}. Choose less with "
                f"only."
            )
        return gzip.compress(content, mtime=0)

    def continued(self, earlier: ApplyRecord, created: Mapping[str, str]) -> ApplyRecord:
        """Return the record of a run that continues an interrupted run, with the state before the earlier run.

        :param created: the name in the journal of each creation, to its uuid; empty if none was noted.
        """
        mine = {change.mark: change for change in self.changes}
        # A run that only points references elsewhere names records by their uuids.
        marks = {(change.kind, change.uuid): change.mark for change in self.changes if change.uuid}
        both: list[RecordedChange] = []
        for change in earlier.changes:
            mark = change.mark if change.mark in mine else marks.get((change.kind, change.uuid), change.mark)
            now = mine.pop(mark, None)
            both += [change] if now is None else _together(change, now, created.get(change.journal_name))
        return replace(self, changes=(*both, *mine.values()))


_TYPES = get_type_hints(ApplyRecord, include_extras=True)
_MEMBERS = {
    "version": int,
    "set": _TYPES.pop("set_name"),
    **{name: kind for name, kind in _TYPES.items() if name != "digest"},
}


def _together(first: RecordedChange, then: RecordedChange, created: str | None) -> list[RecordedChange]:
    """Return the changes of a record in two runs as one change, unless two records had its key one after the other.

    :param created: the uuid that the journal noted for a creation; None if it noted none.
    """
    uuid = then.uuid or first.uuid
    is_unproven = first.action == CREATE and not first.uuid
    is_foreign = is_unproven and (then.action == CREATE or created not in ("", then.uuid))
    if not first.may_have_effect or is_foreign or (first.action == DELETE and then.action == UPDATE):
        # The first run did nothing to it.
        return [then]
    if not then.may_have_effect:
        return [replace(first, uuid=first.uuid or uuid)]
    is_again = first.action == DELETE and then.action == CREATE
    if is_again != (bool(first.uuid) and first.uuid != uuid):
        return [first, then]
    # What the first run created, or brought back from the archive, was not there before.
    was_away = first.action == CREATE or (first.unarchived and then.action == ARCHIVE)
    # What differs from the same wish again is what somebody wrote between the runs, or what was there before both.
    same = [key for key, value in then.after.items() if _is_same(value, first.after.get(key))]
    is_removal = then.action == first.action == DELETE
    # Only the other one of a written room and location is in no value that was written.
    since = {
        key: was for key, was in then.before.items() if is_removal or key in same or (same and key not in then.after)
    }
    return [
        replace(
            first if was_away else then,
            uuid=uuid,
            outcome=then.outcome,
            action=first.action if was_away else UPDATE if is_again else then.action,
            before={**then.before, **first.before, **since},
            after={**first.after, **then.after},
            unarchived=first.unarchived or (then.unarchived and first.action != ARCHIVE),
        )
    ]


def _is_same(now: Any, read: Any) -> bool:
    """Return True if a value is equal to one that was read from a record."""
    return json.dumps(now, default=str) == json.dumps(read, default=str)


def record_from(content: bytes, digest: str) -> ApplyRecord:
    """Return the record from its compressed bytes.

    :raises ValueError: if it is not a record of this version of the collection.
    """
    document = decode(_decompressed(content), _DEEPEST)
    if not isinstance(document, dict) or document.get("version") != RECORD_VERSION:
        raise ValueError(f"expected version: {RECORD_VERSION}")
    members = read_members(document, _MEMBERS)
    for number, change in enumerate(members["changes"]):
        _check_change(change, f"changes[{number}].")
    del members["version"]
    return ApplyRecord(set_name=members.pop("set"), **members, digest=digest)


def _decompressed(content: bytes) -> bytes:
    """Decompress at most the maximum size of a record."""
    stream = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        found = stream.decompress(content, MAX_RECORD + 1)
    except zlib.error as error:
        raise ValueError("it is not compressed with gzip") from error
    if len(found) > MAX_RECORD:
        raise ValueError(f"it has more than {MAX_RECORD} bytes")
    if not stream.eof:
        raise ValueError("its end is missing")
    return found


def _check_change(change: RecordedChange, prefix: str) -> None:
    kind = KINDS[change.kind]
    if (change.template in TEMPLATES) != kind.defines_fields:
        raise ValueError(f"{prefix}template: {shorten(change.template)} does not fit {kind.section}")
    states = kind.states
    if (change.action == DELETE and "absent" not in states) or (change.action == ARCHIVE and "archived" not in states):
        raise ValueError(f"{prefix}action: {change.action} does not fit; {kind.plural} are never removed so")
    is_known = change.action != CREATE and not kind.numbered
    if (change.uuid and not is_uuid(change.uuid)) or (is_known and not change.uuid):
        raise ValueError(f"{prefix}uuid: {shorten(change.uuid)} does not fit; expected that of the record")
