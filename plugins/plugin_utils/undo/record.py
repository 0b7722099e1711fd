# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The content of an apply record: the changes of an apply, and each record before and after."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from types import NoneType
from typing import Any, NoReturn

from ...module_utils.client.connection import named_root
from ...module_utils.client.limits import KEPT_MEMBERS, decode_json
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import is_uuid, shorten
from ...module_utils.model.kinds import KINDS, TEMPLATES
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ..desired.desired import SECTIONS, states_of
from .values import REFERENCE

RECORD_VERSION = 1
MAX_RECORD = 268_435_456
"""Maximum bytes of a decompressed record."""

DONE, FAILED, SKIPPED, NOT_TRIED = "done", "failed", "skipped", "not_tried"
UNKNOWN = "unknown"
"""The outcome of a change in an interrupted run."""

OUTCOMES = (DONE, FAILED, SKIPPED, NOT_TRIED, UNKNOWN)
ACTIONS = (CREATE, UPDATE, DELETE, ARCHIVE)

_DEEPEST = 72
_SHA256 = re.compile("[0-9a-f]{64}")


class OtherVersion(ValueError):
    """Raised if another version of the collection wrote a record in a form that this version does not know."""


@dataclass(frozen=True)
class RecordedChange:
    """One change of an apply.

    :ivar uuid: of the record; empty if unknown, or if the kind has none.
    :ivar key: its natural key in words.
    :ivar keys: the fields of its natural key.
    :ivar outcome: one of :data:`OUTCOMES`.
    :ivar before: fields before the change: the changed fields of an update, all fields of a deletion.
    :ivar after: the written fields.
    :ivar unarchived: True if the record was in the archive before.
    """

    kind: str
    uuid: str
    key: str
    action: str
    outcome: str
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)
    template: str = ""
    keys: tuple[str, ...] = ()
    unarchived: bool = False

    @property
    def section(self) -> str:
        """The section of the files that lists the records of this kind."""
        return KINDS[self.kind].section

    @property
    def may_have_effect(self) -> bool:
        """Return False if the change was certainly not sent."""
        return self.outcome not in (SKIPPED, NOT_TRIED)

    @property
    def mark(self) -> tuple[str, str]:
        """Return an identifier that the changes of one record in two runs share."""
        return self.kind, f"{self.template} {self.key}"


@dataclass(frozen=True)
class ApplyRecord:
    """The changes of one apply.

    :ivar plan_digest: of the applied plan file; empty if there was none.
    :ivar run: digest of the intended changes, by which the run is resumed.
    :ivar undoes: SHA-256 of the record that the run undid; empty for an apply.
    :ivar is_complete: True if the run came to its end.
    :ivar digest: SHA-256 of the file.
    """

    instance: str
    set_name: str
    set_id: str
    plan_digest: str
    provenance: Mapping[str, str]
    run: str
    undoes: str = ""
    is_complete: bool = False
    changes: tuple[RecordedChange, ...] = ()
    digest: str = ""

    @property
    def deleted(self) -> frozenset[str]:
        """The uuids of the records that the run deleted."""
        return frozenset(change.uuid for change in self.changes if change.action == DELETE and change.outcome == DONE)

    @property
    def added(self) -> int:
        """The number of records that the run created or brought back from the archive, at most."""
        return sum(change.may_have_effect and (change.action == CREATE or change.unarchived) for change in self.changes)

    @property
    def is_spent(self) -> bool:
        """Return True for a finished undo that is the newest record. See :meth:`spent`."""
        return bool(self.undoes) and not self.changes

    def spent(self) -> ApplyRecord:
        """Return a finished undo without its changes, so that selecting the newest record never undoes them."""
        return replace(self, changes=())

    def content(self) -> bytes:
        """Return the compressed bytes of the record.

        :raises InvalidInput: if it is too long.
        """
        document = {
            "version": RECORD_VERSION,
            "instance": self.instance,
            "set": self.set_name,
            "set_id": self.set_id,
            "plan_digest": self.plan_digest,
            "provenance": dict(self.provenance),
            "run": self.run,
            "undoes": self.undoes,
            "is_complete": self.is_complete,
            "changes": [{**asdict(change), "keys": list(change.keys)} for change in self.changes],
        }
        text = json.dumps(document, ensure_ascii=False, default=str) + "\n"
        content = text.encode("utf-8", "backslashreplace")
        if len(content) > MAX_RECORD:
            raise InvalidInput(
                f"apply_record: the record has {len(content)} bytes; expected at most {MAX_RECORD}. Choose less with "
                f"only."
            )
        return gzip.compress(content, mtime=0)

    def continued(self, earlier: ApplyRecord) -> ApplyRecord:
        """Return the record of a run that completes an interrupted run, with the state before the earlier run."""
        mine = {change.mark: change for change in self.changes}
        # A run that only points references elsewhere names records by their uuids.
        marks = {(change.kind, change.uuid): change.mark for change in self.changes if change.uuid}
        both = []
        for change in earlier.changes:
            mark = change.mark if change.mark in mine else marks.get((change.kind, change.uuid), change.mark)
            now = mine.pop(mark, None)
            both.append(change if now is None else _together(change, now))
        return replace(self, changes=(*both, *mine.values()))


def _together(first: RecordedChange, then: RecordedChange) -> RecordedChange:
    if first.action != then.action and not (first.action == CREATE and then.action == UPDATE):
        return then
    return replace(
        first,
        uuid=then.uuid or first.uuid,
        outcome=then.outcome,
        before={**then.before, **first.before},
        after={**first.after, **then.after},
        unarchived=first.unarchived or then.unarchived,
    )


def record_from(content: bytes, digest: str) -> ApplyRecord:
    """Return the record from its compressed bytes.

    :raises OtherVersion: if it is of another version. :raises ValueError: if it is not a record of this collection.
    """
    document = decode_json(_decompressed(content).decode("utf-8"), KEPT_MEMBERS, _DEEPEST, parse_constant=_refuse)
    if not isinstance(document, dict) or "version" not in document:
        raise ValueError("version is missing")
    if document["version"] != RECORD_VERSION or not isinstance(document["version"], int):
        raise OtherVersion(
            f"is of version {shorten(document['version'])}; expected {RECORD_VERSION}. Undo it with the version of the "
            f"collection that applied."
        )
    _check(document, _DOCUMENT, "")
    for number, change in enumerate(document["changes"]):
        _check(change, _CHANGE, f"changes[{number}].")
        _check_change(change, f"changes[{number}].")
    return ApplyRecord(
        instance=document["instance"],
        set_name=document["set"],
        set_id=document["set_id"],
        plan_digest=document["plan_digest"],
        provenance=document["provenance"],
        run=document["run"],
        undoes=document["undoes"],
        is_complete=document["is_complete"],
        changes=tuple(
            RecordedChange(**{**{name: change[name] for name in _CHANGE}, "keys": tuple(change["keys"])})
            for change in document["changes"]
        ),
        digest=digest,
    )


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


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


# ---- shape

_Shape = tuple[Callable[[Any], bool], str]


def _check(value: Any, shapes: Mapping[str, _Shape], prefix: str) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"{prefix.rstrip('.')}: {shorten(value)} does not fit; expected a map")
    for name, (fits, expected) in shapes.items():
        if name not in value:
            raise ValueError(f"{prefix}{name} is missing")
        if not fits(value[name]):
            raise ValueError(f"{prefix}{name}: {shorten(value[name])} does not fit; expected {expected}")


def _check_change(change: Mapping[str, Any], prefix: str) -> None:
    kind = KINDS[change["kind"]]
    if (change["template"] in TEMPLATES) != kind.defines_fields:
        raise ValueError(f"{prefix}template: {shorten(change['template'])} does not fit {kind.section}")
    states = states_of(kind.section)
    if (change["action"] == DELETE and "absent" not in states) or (
        change["action"] == ARCHIVE and "archived" not in states
    ):
        raise ValueError(f"{prefix}action: {change['action']} does not fit; {kind.plural} are never removed so")
    is_known = change["action"] != CREATE and not kind.numbered
    if (change["uuid"] and not is_uuid(change["uuid"])) or (is_known and not change["uuid"]):
        raise ValueError(f"{prefix}uuid: {shorten(change['uuid'])} does not fit; expected that of the record")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and (value.isascii() or not re.search("[\ud800-\udfff]", value))


def _is_root(value: Any) -> bool:
    try:
        return _is_text(value) and named_root(value) == value
    except InvalidInput:
        return False


def _is_fields(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value)) and all(map(_is_value, value.values()))


def _is_value(value: Any) -> bool:
    if isinstance(value, dict):
        return (REFERENCE not in value or _is_reference(value)) and all(map(_is_value, value.values()))
    return all(map(_is_value, value)) if isinstance(value, list) else True


def _is_reference(value: Mapping[str, Any]) -> bool:
    number = value.get("id")
    return (
        _is_text(value[REFERENCE])
        and (value.get("uuid") is None or _is_text(value["uuid"]))
        and (number is None or (isinstance(number, int) and not isinstance(number, bool)))
        and (isinstance(value.get("name"), (dict, NoneType)) or _is_text(value["name"]))
    )


_TEXT: _Shape = (_is_text, "text")
_FLAG: _Shape = (lambda value: isinstance(value, bool), "true or false")
_FIELDS: _Shape = (_is_fields, "a map of fields")
_DIGEST: _Shape = (lambda value: value == "" or (_is_text(value) and bool(_SHA256.fullmatch(value))), "a SHA-256")

_DOCUMENT: Mapping[str, _Shape] = {
    "instance": (_is_root, "the root of an instance"),
    "set": _TEXT,
    "set_id": _TEXT,
    "plan_digest": _DIGEST,
    "provenance": (
        lambda value: isinstance(value, dict) and all(map(_is_text, (*value, *value.values()))),
        "a map of texts",
    ),
    "run": _TEXT,
    "undoes": _DIGEST,
    "is_complete": _FLAG,
    "changes": (lambda value: isinstance(value, list), "a list of maps"),
}
_CHANGE: Mapping[str, _Shape] = {
    "kind": (lambda value: isinstance(value, str) and value in SECTIONS.values(), "a kind of record"),
    "uuid": _TEXT,
    "key": _TEXT,
    "action": (lambda value: value in ACTIONS, f"one of {', '.join(ACTIONS)}"),
    "outcome": (lambda value: value in OUTCOMES, f"one of {', '.join(OUTCOMES)}"),
    "before": _FIELDS,
    "after": _FIELDS,
    "template": _TEXT,
    "keys": (lambda value: isinstance(value, list) and all(map(_is_text, value)), "a list of field keys"),
    "unarchived": _FLAG,
}
