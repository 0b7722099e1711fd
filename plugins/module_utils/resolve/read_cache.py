# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was read for one task: no list and no record is asked for twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from ..client.client import Client, Record
from ..client.query import Condition
from ..model.kinds import Kind

Mark: TypeAlias = "str | int"
"""What one record is known by: its uuid, or its integer id."""


class Reading:
    """Reads lists and records of an instance, and keeps them."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lists: dict[tuple[str, tuple[Condition, ...]], list[Record]] = {}
        self._narrowed: dict[tuple[str, str], tuple[set[Any], list[Record]]] = {}
        self._alone: dict[tuple[str, Mark], Record | None] = {}
        self._some: dict[str, list[Record]] = {}

    def listed(self, kind: Kind, conditions: Sequence[Condition] = ()) -> list[Record]:
        """The records of a kind that the service finds with some conditions, or all that there are where those were
        read already: whoever asks compares again.
        """
        whole, asked = (kind.name, ()), (kind.name, tuple(conditions))
        if whole not in self._lists and asked not in self._lists:
            self._lists[asked] = self._client.list_all(kind, conditions)
        return self._lists[whole if whole in self._lists else asked]

    def narrowed(self, kind: Kind, key: str, values: Iterable[Any]) -> list[Record]:
        """Records among which are those with one of some values in a field; where there are no values, there is nothing
        to ask for.
        """
        wanted = tuple(dict.fromkeys(values))
        asked, records = self._narrowed.get((kind.name, key), (set(), []))
        if not set(wanted) <= asked:
            records = self.listed(kind, [Condition(key, "in" if len(wanted) > 1 else "eq", wanted)])
            self._narrowed[kind.name, key] = (set(wanted), records)
        return records

    def marked(self, kind: Kind, marks: Iterable[Mark]) -> dict[Mark, Record]:
        """The records with some uuids or ids: one alone is read by itself, several in one list where that takes
        filters. An archived one stands in no list, so what is left is read by itself too.
        """
        wanted = list(dict.fromkeys(marks))
        for of_type, key in ((str, kind.uuid_keys[0]), (int, "id")):
            unread = [mark for mark in wanted if isinstance(mark, of_type) and self._in_a_list(kind, mark) is None]
            if len(unread) > 1 and kind.filters:
                self.narrowed(kind, key, unread)
        found = {mark: self._in_a_list(kind, mark) or self._read_alone(kind, mark) for mark in wanted}
        return {mark: record for mark, record in found.items() if record is not None}

    def some(self, kind: Kind) -> list[Record]:
        """A page of a kind: enough to name candidates in a message, not to decide anything."""
        if kind.name not in self._some:
            self._some[kind.name] = self._client.some(kind)
        return self._some[kind.name]

    def _in_a_list(self, kind: Kind, mark: Mark) -> Record | None:
        lists = [records for (name, _conditions), records in self._lists.items() if name == kind.name]
        return next((one for records in lists for one in records if mark in (one.uuid, one.id)), None)

    def _read_alone(self, kind: Kind, mark: Mark) -> Record | None:
        if (kind.name, mark) not in self._alone:
            record = self._client.get(kind, mark) if isinstance(mark, str) else self._client.get_by_id(kind, mark)
            self._alone[kind.name, mark] = record
        return self._alone[kind.name, mark]
