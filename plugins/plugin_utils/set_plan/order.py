# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unique values that move between records: a record that gets a value waits for the record that gives it up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from graphlib import CycleError, TopologicalSorter

from ..desired.entry import Entry
from .plan import Planned


def in_turns(level: Sequence[Planned]) -> Iterator[Sequence[Planned]]:
    """Yield the changes of a level in turns. A change comes after the change that frees its unique value.

    :raises CycleError: for a circle, which :func:`waiting_for_ever` finds once everything is planned.
    """
    if not any(planned.after for planned in level):
        yield level
        return
    numbers: dict[int, list[int]] = {}
    for number, planned in enumerate(level):
        numbers.setdefault(id(planned.entry), []).append(number)
    order = TopologicalSorter(
        {
            number: [predecessor for _key, owner in planned.after for predecessor in numbers.get(id(owner), ())]
            for number, planned in enumerate(level)
        }
    )
    order.prepare()
    while order.is_active():
        ready = order.get_ready()
        yield [level[number] for number in sorted(ready)]
        order.done(*ready)


def waiting_for_ever(changes: Iterable[Planned]) -> Iterator[tuple[Planned, str, Entry]]:
    """Yield the changes that wait for each other's unique values, each with its field and the other entry."""
    waiting = {id(planned.entry): planned for planned in changes if planned.after}
    while circle := _circle(waiting):
        members = [waiting.pop(number) for number in list(waiting) if number in circle]
        for planned in members:
            yield from ((planned, key, owner) for key, owner in planned.after if id(owner) in circle)


def _circle(waiting: Mapping[int, Planned]) -> AbstractSet[int]:
    """Return the entries of a cycle; empty if there is none."""
    graph = {number: [id(owner) for _key, owner in planned.after] for number, planned in waiting.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circular:
        return set(circular.args[1])
    return frozenset()
