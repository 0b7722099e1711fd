# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Summarize a plan for readers: moves, money, things that change hands, and e-mails.

Each change is read once, and no requests are made. A hidden value is in no row, and its field is in no total.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from ...module_utils.model.rooms import locations_of_rooms
from ...module_utils.model.types_links import Reference, references_in
from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ...module_utils.plan.notation import in_one_notation
from ..desired.entry import Entry
from ..report.reading import PERSON_TYPES
from ..report.removals import SERVICE_FIELDS, Removals, name_in_words
from ..set_plan.plan import InstancePlan, Planned

_PLACES = frozenset({"LINKED_ROOM", "LINKED_LOCATION"})
_MEANINGFUL = _PLACES | PERSON_TYPES | {"MONEY"}

Row = dict[str, Any]


@dataclass
class Meaning:
    """The meaning of a plan, in rows that a report shows unchanged.

    :ivar moves: ``section``, ``field``, ``from``, ``to`` (null: no place) and ``count``, the largest first.
    :ivar money: ``section``, ``field``, the totals ``before`` and ``after`` of all records that change, and ``count``.
    :ivar persons: ``person``, ``section``, and how many of its records the person ``gains`` and ``loses``.
    :ivar mails: ``section``, ``count`` of the records that send e-mail, and the persons ``to`` whom, if they are known.
    """

    moves: list[Row] = field(default_factory=list)
    money: list[Row] = field(default_factory=list)
    persons: list[Row] = field(default_factory=list)
    mails: list[Row] = field(default_factory=list)


def meaning_of(plan: InstancePlan, entries: Iterable[Entry], notifies: bool, is_drift: bool = False) -> Meaning:
    """Return the meaning of a plan.

    :param entries: all records of the files, which decide what is hidden.
    :param notifies: True if the service is asked to notify the assignees of tasks.
    :param is_drift: True if the plan is only a comparison, which sends nothing.
    """
    meaning = _Reader(plan, Removals(plan, entries, plan.hiding), notifies).read()
    return replace(meaning, mails=[]) if is_drift else meaning


@dataclass
class _Total:
    before: Decimal = Decimal()
    after: Decimal = Decimal()
    count: int = 0

    def add(self, was: Any, becomes: Any) -> None:
        """Add the amounts of one record, if they differ."""
        before, after = _amount(was), _amount(becomes)
        if before != after:
            self.before += before
            self.after += after
            self.count += 1


class _Reader:
    def __init__(self, plan: InstancePlan, removals: Removals, notifies: bool) -> None:
        self._plan = plan
        self._removals = removals
        self._notifies = notifies
        # Natural keys of other records may be vaulted.
        self._state = None if plan.hiding.has_any else plan.state
        self._moves: Counter[tuple[str, str, str | None, str | None]] = Counter()
        self._totals: dict[tuple[str, str], _Total] = defaultdict(_Total)
        self._hidden: set[tuple[str, str]] = set()
        self._gains: Counter[tuple[str, str]] = Counter()
        self._losses: Counter[tuple[str, str]] = Counter()
        self._mails: Counter[str] = Counter()
        self._recipients: dict[str, dict[str, None]] = defaultdict(dict)

    def read(self) -> Meaning:
        for planned in self._plan.changes:
            if not planned.kind.defines_fields:
                self._read(planned)
                self._read_mails(planned)
        return Meaning(
            [
                {"section": section, "field": name, "from": was, "to": becomes, "count": count}
                for (section, name, was, becomes), count in self._moves.most_common()
            ],
            [
                {"section": section, "field": name, "before": _number(total.before), "after": _number(total.after)}
                | {"count": total.count}
                for (section, name), total in self._totals.items()
                if total.count and (section, name) not in self._hidden
            ],
            self._persons(),
            [
                {"section": section, "count": count, "to": list(self._recipients[section])}
                for section, count in self._mails.items()
            ],
        )

    def _persons(self) -> list[Row]:
        keys = sorted({*self._gains, *self._losses}, key=lambda key: (-(self._gains[key] + self._losses[key]), key))
        return [
            {"person": person, "section": section, "gains": self._gains[key], "loses": self._losses[key]}
            for key in keys
            for person, section in (key,)
        ]

    def _read(self, planned: Planned) -> None:
        """Read the fields that change. For a removal, read all fields."""
        change, schema = planned.change, planned.schema
        follows = locations_of_rooms(schema)
        lost: set[str] = set()
        gained: set[str] = set()
        for key in schema.fields if change.action in (DELETE, ARCHIVE) else change.values:
            if key not in schema.fields or schema.fields[key].type not in _MEANINGFUL:
                continue
            place = (planned.section, planned.schema.fields[key].called)
            if self._removals.hides(planned, key):
                self._hidden.add(place)
            elif schema.fields[key].type == "MONEY":
                self._totals[place].add(*self._sides(planned, key))
            elif schema.fields[key].type not in _PLACES:
                was, becomes = self._names(*self._sides(planned, key))
                lost.update(was if key not in SERVICE_FIELDS else ())
                gained.update(becomes if key not in SERVICE_FIELDS else ())
            # An object that gets another room gets the location of that room.
            elif change.action == UPDATE and follows.get(key) not in change.values:
                was, becomes = self._names(*self._sides(planned, key))
                if was[:1] != becomes[:1]:
                    self._moves[*place, next(iter(was), None), next(iter(becomes), None)] += 1
        for person in gained - lost:
            self._gains[person, planned.section] += 1
        for person in lost - gained:
            self._losses[person, planned.section] += 1

    @staticmethod
    def _sides(planned: Planned, key: str) -> tuple[Any, Any]:
        return planned.now(key), planned.change.values.get(key)

    def _read_mails(self, planned: Planned) -> None:
        action, section = planned.change.action, planned.section
        if action == CREATE and planned.kind.creation_sends_mail:
            self._mails[section] += 1
            self._recipients[section][planned.key] = None
        elif self._notifies and planned.kind.write_only and action in (CREATE, UPDATE):
            if action == UPDATE and set(planned.change.values) <= {planned.kind.status_key}:
                return
            self._mails[section] += 1
            for key, field in planned.schema.fields.items():
                is_mailed = field.type in PERSON_TYPES and key not in SERVICE_FIELDS
                if is_mailed and not self._removals.hides(planned, key):
                    self._recipients[section].update(dict.fromkeys(self._names(None, planned.desired.get(key))[1]))

    def _names(self, is_now: Any, wanted: Any) -> tuple[list[str], list[str]]:
        """Return the names of the records that two values refer to, equal names for equal records."""
        if self._state is not None:
            is_now, wanted = in_one_notation(is_now, wanted, self._state.known_name_of)
        return _called(is_now), _called(wanted)


def _called(value: Any) -> list[str]:
    return [_in_words(reference) for reference in references_in(value)]


def _in_words(reference: Reference) -> str:
    written = reference.written
    if isinstance(written, Mapping):
        return str(reference.display_name or "/".join(map(str, written.values())))
    return str(written) if written is not None else name_in_words(reference)


def _amount(value: Any) -> Decimal:
    is_number = isinstance(value, (int, Decimal)) and not isinstance(value, bool)
    return Decimal(value) if is_number else Decimal()


def _number(amount: Decimal) -> int | float:
    """Return an amount as JSON has it."""
    return int(amount) if amount == amount.to_integral_value() else float(amount)
