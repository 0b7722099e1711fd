# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of every object, and the counts and values of every place, as plain data: the source of all reports."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.dates import UnclearDate
from ...module_utils.model.field import Field, InvalidValue, Unread, readable, shorten
from ...module_utils.model.names import normal_name
from ...module_utils.model.schema import type_of
from ..desired.hiding import VAULTED
from ..desired.positions import Finding
from ..desired.scan_codes import ScanCodeSettings
from ..papers.table import total
from .moments import Window, ends_of
from .reading import Doubtful, InstanceLists, Room
from .tables import Scan

PREPARE, EVALUATE, CLOSE = "prepare", "evaluate", "close"

IN_PLACE, ELSEWHERE, NOT_SCANNED, UNLABELLED = "in_place", "elsewhere", "not_scanned", "unlabelled"
#: The possible results of the scans for an object.
SCANNED = (IN_PLACE, ELSEWHERE, NOT_SCANNED, UNLABELLED)

PLACEHOLDER, NO_TARGET, PLACEHOLDER_ROOM = "placeholder", "no_target_room", "placeholder_room"
#: Reasons to look at an object before a stocktake.
REASONS = (PLACEHOLDER, NO_TARGET, PLACEHOLDER_ROOM)


@dataclass(slots=True)
class StocktakeObject:
    """An object in a stocktake.

    :ivar code: the scan code; empty if it has none.
    :ivar actual: the scanned room.
    :ivar amounts: field key to amount of money.
    :ivar shown: the object as the result has it.
    """

    record: Record
    code: str
    target: Room | None
    actual: Room | None
    status: str
    amounts: dict[str, Decimal]
    shown: dict[str, Any]

    @property
    def names(self) -> set[str]:
        """The scan code, and what reports show in its place."""
        return {normal_name(self.code), normal_name(self.shown["scan_code"])}


@dataclass
class Evaluation:
    """The outcome of a stocktake.

    :ivar unknown_codes: scan codes of the list that no object in scope has.
    :ivar left_out: scans outside the window.
    """

    objects: list[StocktakeObject] = field(default_factory=list)
    unknown_codes: list[str] = field(default_factory=list)
    left_out: int = 0

    def document(self, mode: str, window: Window, lists: InstanceLists) -> dict[str, Any]:
        """Return the result of the task."""
        rows = [item.shown for item in self.objects]
        scanned = Counter(row["scanned"] for row in rows)
        of_status = {name: [item for item in self.objects if item.status == name] for name in STATUSES}
        return {
            "mode": mode,
            "instance": lists.client.transport.root,
            "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            "window": {"since": _text(window.since), "until": _text(window.until), "time_field": lists.time_field},
            "sees": lists.sees(),
            "counts": _counts(self.objects),
            "scanned": {word: scanned[word] for word in SCANNED},
            "reasons": {reason: sum(reason in row["reasons"] for row in rows) for reason in REASONS},
            "amounts": _amounts(self.objects, lists),
            "totals": {name: _amounts(items, lists) for name, items in of_status.items()},
            "by_place": _by_place(self.objects, lists),
            "objects": [row for row in rows if row["reasons"]] if mode == PREPARE else rows,
            "unknown_codes": self.unknown_codes,
            "unlabelled": [row["scan_code"] or row["uuid"] for row in rows if row["unlabelled"]],
        }


@dataclass(frozen=True)
class _Scanned:
    """A scan of the list.

    :ivar scan: as written.
    :ivar time: None if it has none.
    """

    scan: Scan
    room: Room
    time: dt.datetime | None


@dataclass
class Evaluator:
    """Compute the status of objects.

    :ivar placeholder_rooms: uuids of rooms for objects without a label or a room.
    :ivar masked: returns the fields of an object that must not be shown, by their wire keys, and what is shown instead.
    :ivar accepted: the scan codes that somebody accepted.
    """

    lists: InstanceLists
    window: Window
    scan_codes: ScanCodeSettings | None
    placeholder_rooms: frozenset[str]
    masked: Callable[[Record], Mapping[str, str]]
    accepted: Iterable[str]
    _findings: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        # A property of every field of every object takes longer than all that is computed from them.
        self._keys = {name: of.wire_key if of else "" for name, of in vars(self.lists.fields).items()}

    def run(self, records: Iterable[Record], scans: Sequence[Scan]) -> tuple[Evaluation, list[Finding]]:
        """Return the status of some objects, and the mistakes in the scans.

        :param records: the objects in scope.
        :raises InvalidInput: if the room of an object is unclear.
        """
        result = Evaluation()
        listed = self._listed(scans, result)
        doubts: list[str] = []
        seen: dict[str, StocktakeObject] = {}
        for record in records:
            try:
                item = self._evaluated(record, listed)
            except Doubtful as doubt:
                doubts.append(f"object {record.uuid}: {doubt}")
                continue
            result.objects.append(item)
            for name in item.names:
                earlier = seen.setdefault(name, item)
                if earlier is not item and name in listed:
                    words = f"code: {shorten(item.code)} is the scan code of two objects, {earlier.record.uuid} and "
                    self._find(listed[name].scan, f"{words}{item.record.uuid}")
        if doubts:
            raise InvalidInput(doubts)
        codes = dict.fromkeys([*(scan.code for scan in scans), *self.accepted])
        result.unknown_codes = [code for code in codes if normal_name(code) not in seen]
        return result, self._findings

    # ---- scans of a list

    def _find(self, scan: Scan, message: str) -> None:
        self._findings.append(Finding(scan.room.place, message))

    def _listed(self, scans: Sequence[Scan], result: Evaluation) -> dict[str, _Scanned]:
        """Return the last scan of each code, by its normal name."""
        found: dict[str, _Scanned] = {}
        rooms: dict[Any, tuple[Room | None, str]] = {}
        for scan in scans:
            try:
                text = scan.time.text
                time = ends_of(scan.reader.moment(text), self.window.zone)[0] if text else None
            except InvalidValue as unfit:
                why = unfit.words if isinstance(unfit, UnclearDate) else f"does not fit; expected {unfit}"
                self._findings.append(Finding(scan.time.place, f"time: {shorten(text)} {why}"))
                continue
            named = (scan.room.text, type(scan.room.value))
            if named not in rooms:
                rooms[named] = self.lists.room_named(scan.room.value)
            room, problem = rooms[named]
            if room is None:
                self._find(scan, f"room: {problem}")
            elif time is not None and not self.window.contains(time):
                result.left_out += 1
            else:
                new = _Scanned(scan, room, time)
                name = normal_name(scan.code)
                found[name] = self._later(found.get(name), new)
        return found

    def _later(self, earlier: _Scanned | None, new: _Scanned) -> _Scanned:
        if earlier is None:
            return new
        if earlier.room.mark == new.room.mark:
            return earlier if earlier.time and new.time and new.time < earlier.time else new
        if earlier.time is None or new.time is None or earlier.time == new.time:
            at = earlier.scan.room.place
            words = f"code: {shorten(new.scan.code)} is in {new.room.path} here and in {earlier.room.path} at {at}"
            self._find(new.scan, f"{words}, and no time says which scan is the last")
        elif new.time < earlier.time:
            return earlier
        return new

    # ---- one object

    def _evaluated(self, record: Record, listed: Mapping[str, _Scanned]) -> StocktakeObject:
        lists, fields, keys, flat = self.lists, self.lists.fields, self._keys, record.flat
        code = _code(keys["code"], flat.get(keys["code"]))
        scan = listed.get(normal_name(code))
        target = lists.room_in(fields.target, flat.get(keys["target"]))
        actual = scan.room if scan else lists.room_in(fields.actual, flat.get(keys["actual"]))
        _check_comparable(target, actual)
        status = status_of(target and target.mark, actual and actual.mark)
        time = scan.time if scan else _time(fields.time, flat.get(keys["time"]))
        said = None if scan else flat.get(keys["status"])
        reasons = self._reasons(code, target, actual)
        is_unlabelled = not code or bool({PLACEHOLDER, PLACEHOLDER_ROOM}.intersection(reasons))
        is_scanned = scan is not None or self.window.contains(time)
        masked = self.masked(record)
        described = replace(record, flat={**flat, **masked}) if masked else record

        def visible(name: str, value: str | None) -> str | None:
            return value and masked.get(keys[name], value)

        shown = {
            **lists.described(described),
            # A code that is hidden must still tell apart the rows in which people accept objects.
            "scan_code": f"{VAULTED} {record.uuid}" if visible("code", code) != code else code,
            "status": status,
            "scanned": _outcome(status, is_scanned, is_unlabelled),
            "target_room": visible("target", target.path if target else None),
            "actual_room": visible("actual", actual.path if actual else None),
            "time": visible("time", _text(time)),
            "from_scans": scan is not None,
            "unlabelled": is_unlabelled,
            "reasons": reasons,
            "service_status": visible("status", readable(said) or None) if differs(status, said) else None,
        }
        place = Room(VAULTED, VAULTED, VAULTED, VAULTED) if target and keys["target"] in masked else target
        return StocktakeObject(record, code, place, actual, status, lists.amounts(described), shown)

    def _reasons(self, code: str, target: Room | None, actual: Room | None) -> list[str]:
        placeholders = self.placeholder_rooms
        found = []
        if self.scan_codes is not None and self.scan_codes.is_placeholder(code):
            found.append(PLACEHOLDER)
        if target is None:
            found.append(NO_TARGET)
        if placeholders and ((target and target.mark in placeholders) or (actual and actual.mark in placeholders)):
            found.append(PLACEHOLDER_ROOM)
        return found


def _check_comparable(target: Room | None, actual: Room | None) -> None:
    """Check that two rooms can be compared.

    :raises Doubtful: if only the uuid of one room is known, and only the id of the other.
    """
    if target is not None and actual is not None and isinstance(target.mark, str) is not isinstance(actual.mark, str):
        raise Doubtful(f"no list shows the room {target.path} or {actual.path}, so it is unknown whether they differ")


def _code(key: str, raw: Any) -> str:
    """Return the scan code of an object.

    :raises Doubtful: if the answer is not a code. The object may then be one that was scanned.
    """
    if isinstance(raw, (Mapping, list)):
        raise Doubtful(f"{key}: the answer of the service is not a scan code: {shorten(raw)}")
    return readable(raw)


def _time(of: Field | None, raw: Any) -> dt.date | None:
    value = None if of is None or raw is None else type_of(of).read(raw, of)
    if of is not None and isinstance(value, Unread):
        raise Doubtful(f"{of.key}: the answer of the service is not a time: {shorten(raw)}")
    return value if isinstance(value, dt.date) else None


def _text(time: dt.date | None) -> str | None:
    if isinstance(time, dt.datetime):
        return time.isoformat(timespec="seconds")
    return None if time is None else time.isoformat()


def _outcome(status: str, is_scanned: bool, is_unlabelled: bool) -> str:
    if is_scanned and status == OK:
        return IN_PLACE
    if is_scanned and status in (DEVIATION, NEW):
        return ELSEWHERE
    return UNLABELLED if is_unlabelled else NOT_SCANNED


def _counts(objects: Iterable[StocktakeObject]) -> dict[str, int]:
    """Return the number of objects of each status."""
    numbers = Counter(item.status for item in objects)
    return {status: numbers[status] for status in STATUSES}


def _amounts(objects: Iterable[StocktakeObject], lists: InstanceLists) -> dict[str, str]:
    return lists.in_texts(total(item.amounts for item in objects))


# ---- places


def _by_place(objects: Iterable[StocktakeObject], lists: InstanceLists) -> list[dict[str, Any]]:
    """Return each location with its rooms, and at the end the objects that are in no room.

    An object is counted where it belongs, otherwise where it was found.
    """
    places: dict[tuple[str, str, str], list[StocktakeObject]] = {}
    visitors: Counter[tuple[str, str, str]] = Counter()
    for item in objects:
        own = _keys_of(item.target or item.actual)
        for key in own:
            places.setdefault(key, []).append(item)
        if item.status == DEVIATION:
            visitors.update(key for key in _keys_of(item.actual) if key not in own)
    found = sorted({**dict.fromkeys(visitors), **places}, key=lambda key: (not key[0], *key))
    return [
        {
            "location": location or None,
            "room": room or None,
            **_counts(places.get((location, room, mark), ())),
            "visitors": visitors[location, room, mark],
            "amounts": _amounts(places.get((location, room, mark), ()), lists),
        }
        for location, room, mark in found
    ]


def _keys_of(room: Room | None) -> list[tuple[str, str, str]]:
    """Return the location, the name and the mark of a room, because two may have the same name, and of its location."""
    keys = [("", "", "")] if room is None else [(room.location, room.name, str(room.mark))]
    return keys + ([(room.location, "", "")] if room is not None and room.location else [])


# ---- the status, which follows from the target room and the actual room

OK, DEVIATION, MISSING, NEW, UNKNOWN = "ok", "deviation", "missing", "new", "unknown"
STATUSES = (OK, DEVIATION, MISSING, NEW, UNKNOWN)

#: The words of the service for a status, in both of its languages.
_WORDS: Mapping[str, str] = {
    **{status: status for status in STATUSES},
    "abweichung": DEVIATION,
    "fehlend": MISSING,
    "neu": NEW,
    "unbekannt": UNKNOWN,
}


def status_of(target: object | None, actual: object | None) -> str:
    """Return the status of an object.

    :param target: identifies the target room; None if the field is empty.
    :param actual: identifies the actual room.
    """
    if target is None:
        return UNKNOWN if actual is None else NEW
    return MISSING if actual is None else OK if target == actual else DEVIATION


def differs(status: str, said: Any) -> bool:
    """Return True if the service reports another status.

    Some instances only report whether both rooms are equal. An unknown word says nothing.
    """
    if isinstance(said, bool):
        return said is not (status in (OK, UNKNOWN))
    known = _WORDS.get(said.strip().casefold()) if isinstance(said, str) else None
    return known is not None and known != status
