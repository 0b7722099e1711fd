# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unique values that move between records: a record that gets a value waits for the record that gives it up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
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
    order = TopologicalSorter({number: [id(owner) for _key, owner in waiting[number].after] for number in waiting})
    with suppress(CycleError):
        order.prepare()
    while ready := order.get_ready():
        # A chain in which each change waits for the one before has an end, so remove it.
        order.done(*ready)
        for number in ready:
            waiting.pop(number, None)
    for planned in waiting.values():
        for key, owner in planned.after:
            seen: set[int] = set()
            predecessor = [id(owner)]
            while predecessor:
                at = predecessor.pop()
                if at in waiting and at not in seen:
                    seen.add(at)
                    predecessor += [id(entry) for _key, entry in waiting[at].after]
            if id(planned.entry) in seen:
                yield planned, key, owner
