# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find values in a plan that are valid and probably wrong.

Only changed values are judged, each once. No requests are made here.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ...module_utils.model.field import EMPTY, Spelling, in_digits
from ...module_utils.model.schema import type_of
from ...module_utils.model.types_links import Reference
from ...module_utils.plan.change import CREATE, UPDATE
from ..desired.hiding import Hiding
from ..desired.parsing import written_as
from ..desired.positions import Place
from ..report.words import short, words_of
from ..set_plan.listed_state import ListedState
from ..set_plan.plan import InstancePlan, Planned

_EARLIEST = dt.date(1950, 1, 1)
_YEARS_AHEAD = 20
_LEAST_EXPONENT = 2
#: From how many values on a power of ten is odd. A single amount of money is.
_LEAST_OF_A_FACTOR = 5

_TOLERANCE = Decimal("1e-9")
_LEAST_OF_A_SHIFT = 5
#: The share of the new values of a column that other records had before, from which a shift is likely.
_SHARE_OF_A_SHIFT = 0.8

#: Types of the values that a shifted column of a table can have. Links and lists can't be shifted like that.
_SCALARS = (str, int, float, Decimal, dt.date)

_MOST_IN_A_ROOM = 100
_EXAMPLES = 3
_LONGEST = 60

#: UTF-8 that was read as Windows-1252, and the replacement character.
_MOJIBAKE = re.compile(
    "[\u00c2\u00c3][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]"
    "|\u00e2\u20ac|\u00ef\u00bf\u00bd|\ufffd"
)

_FORMULA_TEXT = re.compile(r'="[^"]*"\Z')


@dataclass(frozen=True)
class Oddity:
    """Values that are probably wrong.

    :ivar text: what is odd, how often, and three examples with their places.
    :ivar places: of the examples.
    :ivar words: what is odd, and how often.
    :ivar values: each changed record and the key of its odd field.
    """

    text: str
    places: Sequence[Place]
    words: str
    values: Sequence[tuple[Planned, str]]


@dataclass
class _Case:
    """One way in which a field of a section is odd.

    :ivar words: what follows the number of values.
    :ivar word: what follows the number 1; empty if a single value is never reported.
    """

    words: str
    word: str = ""
    found: list[tuple[Planned, str, Any]] = field(default_factory=list)

    def counted(self) -> str:
        """Return the number of values, with what is odd about them."""
        return f"{len(self.found):,} {self.word if len(self.found) == 1 else self.words}"


def odd_values(plan: InstancePlan, today: dt.date) -> list[Oddity]:
    """Describe odd values in the changes of a plan, in the order of sections and fields."""
    columns: dict[tuple[str, str], list[tuple[Planned, Any]]] = defaultdict(list)
    for planned in plan.changes:
        if planned.change.action in (CREATE, UPDATE):
            for key, value in planned.change.values.items():
                if value is not None:
                    columns[planned.section, key].append((planned, value))
    last = today.replace(year=today.year + _YEARS_AHEAD, day=min(today.day, 28))
    found = []
    for (section, key), changed in columns.items():
        definition = changed[0][0].schema.fields.get(key)
        if definition is None:
            continue
        shown = [pair for pair in changed if not (plan.hiding.is_on and _is_hidden(plan.hiding, pair[0], key))]
        if not shown:
            continue
        spelling = type_of(definition).spelling
        if spelling in (Spelling.DATE, Spelling.INSTANT):
            cases = _dates(shown, last)
        elif spelling.is_number:
            cases = _factors(shown, key)
        elif isinstance(shown[0][1], Reference):
            cases = _rooms(shown, plan.state)
        else:
            cases = _texts(shown, key)
        found += [_oddity_of(f"{words_of(section)} {definition.called}", key, case) for case in cases if case.found]
    return found


def by_field(oddities: Iterable[Oddity], plan: InstancePlan) -> dict[tuple[int, str], list[str]]:
    """Return what is odd about a value, by the index of its change and the key of its field."""
    numbers = {id(planned.entry): number for number, planned in enumerate(plan.changes)}
    found: dict[tuple[int, str], list[str]] = defaultdict(list)
    for oddity in oddities:
        for planned, key in oddity.values:
            if id(planned.entry) in numbers:
                found[numbers[id(planned.entry)], key].append(oddity.words)
    return found


def _is_hidden(hiding: Hiding, planned: Planned, key: str) -> bool:
    return hiding.hides(planned.entry, written_as(planned.schema, planned.entry, key), key)


def _oddity_of(head: str, key: str, case: _Case) -> Oddity:
    examples, places = [], []
    for planned, text, value in case.found[:_EXAMPLES]:
        place = planned.entry.place_of(written_as(planned.schema, planned.entry, key))
        shown = text or str(value)
        places.append(place)
        examples.append(f"{short(shown, _LONGEST)} ({short(planned.key, _LONGEST)}, {place})")
    rest = len(case.found) - len(examples)
    more = f" and {rest:,} more" if rest > 0 else ""
    return Oddity(
        f"{head}: {case.counted()}: {', '.join(examples)}{more}",
        places,
        case.counted(),
        [(planned, key) for planned, _text, _value in case.found],
    )


def _dates(changed: Sequence[tuple[Planned, Any]], last: dt.date) -> Iterator[_Case]:
    range_of_years = f"before {_EARLIEST.year} or more than {_YEARS_AHEAD} years ahead"
    case = _Case(f"dates {range_of_years}", f"date {range_of_years}")
    for planned, value in changed:
        day = value.date() if isinstance(value, dt.datetime) else value
        if isinstance(day, dt.date) and not _EARLIEST <= day <= last:
            case.found.append((planned, "", day))
    yield case


def _factors(changed: Sequence[tuple[Planned, Any]], key: str) -> Iterator[_Case]:
    """Find values that were multiplied or divided by a power of ten, as if a decimal point was lost."""
    cases: dict[tuple[bool, int], _Case] = {}
    definition = changed[0][0].schema.fields[key]
    for planned, value in changed:
        before = planned.now(key)
        exponent = _power_of_ten(before, value)
        if abs(exponent) >= _LEAST_EXPONENT:
            verb = f"{'multiplied' if exponent > 0 else 'divided'} by {10 ** abs(exponent):,}"
            case = cases.setdefault((exponent < 0, abs(exponent)), _Case(f"values {verb}", f"value {verb}"))
            was, becomes = (in_digits(Decimal(number), definition.shown_digits, ",") for number in (before, value))
            case.found.append((planned, f"{was} -> {becomes}", value))
    least = 1 if definition.type == "MONEY" else _LEAST_OF_A_FACTOR
    yield from (case for _factor, case in sorted(cases.items()) if len(case.found) >= least)
    yield _shifted(changed, key)


def _power_of_ten(before: Any, after: Any) -> int:
    """Return the exponent of the power of ten by which a number changed; 0 if it is no such power."""
    if not all(isinstance(number, (int, Decimal)) and number and number is not True for number in (before, after)):
        return 0
    ratio = Decimal(after) / Decimal(before)
    if ratio <= 0:
        return 0
    exponent = round(ratio.log10())
    return exponent if abs(ratio.scaleb(-exponent) - 1) <= _TOLERANCE else 0


def _shifted(changed: Sequence[tuple[Planned, Any]], key: str) -> _Case:
    """Find values that other records had before, in a unique column that was shifted or sorted on its own."""
    case = _Case("values that other records had before, as if the column was shifted or sorted on its own")
    pairs = [(planned, planned.now(key), value) for planned, value in changed if planned.change.action == UPDATE]
    # A field that was empty has no value that could be shifted.
    pairs = [pair for pair in pairs if all(isinstance(side, _SCALARS) for side in pair[1:]) and pair[1] not in EMPTY]
    before, after = {was for _planned, was, _value in pairs}, {value for _planned, _was, value in pairs}
    moved = [(planned, f"{was} -> {value}", value) for planned, was, value in pairs if value in before]
    is_unique = len(before) == len(after) == len(pairs) >= _LEAST_OF_A_SHIFT
    if is_unique and len(moved) >= max(_LEAST_OF_A_SHIFT - 1, len(pairs) * _SHARE_OF_A_SHIFT):
        case.found = moved
    return case


def _rooms(changed: Sequence[tuple[Planned, Any]], state: ListedState | None) -> Iterator[_Case]:
    rooms: dict[Any, _Case] = {}
    for planned, value in changed:
        if isinstance(value, Reference) and value.target == "room":
            mark = value.uuid or value.id or str(value.written)
            rooms.setdefault(mark, _Case("records newly in one room")).found.append((planned, "", value))
    for case in rooms.values():
        if len(case.found) > _MOST_IN_A_ROOM:
            value = case.found[0][2]
            name = (state.known_name_of(value) if state is not None else None) or value.written or value.display_name
            case.words = f"records newly in one room, {name}"
            case.found = [(planned, planned.schema.kind.words, value) for planned, _text, value in case.found]
            yield case


def _texts(changed: Sequence[tuple[Planned, Any]], key: str) -> Iterator[_Case]:
    mojibake = _Case("texts in a wrong encoding", "text in a wrong encoding")
    formulas = _Case(
        'texts that begin with =", as some exports write them', 'text that begins with =", as some exports write it'
    )
    for planned, value in changed:
        if not isinstance(value, str):
            continue
        if not value.isascii() and _MOJIBAKE.search(value):
            mojibake.found.append((planned, value, value))
        elif value[:1] == "=" and _FORMULA_TEXT.match(value):
            formulas.found.append((planned, value, value))
    yield mojibake
    yield formulas
    yield _shifted(changed, key)
