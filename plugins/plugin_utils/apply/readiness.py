# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the changes of a plan that can be written now: everything they need exists. No requests are made here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...module_utils.model.kinds import Level
from ...module_utils.model.types_links import Reference, references_in, with_references
from ...module_utils.plan.change import ARCHIVE, DELETE, UPDATE, Change
from ..desired.hiding import VAULTED, Hiding
from ..set_plan.plan import LEVELS, Planned, level_of

_REMOVALS = (DELETE, ARCHIVE)


@dataclass
class Readiness:
    """Track what was created and what failed, and so what can be written.

    :ivar changes: everything in the plan.
    :ivar hiding: the texts that must not be shown.
    :ivar later_uploads: yields the fields of a new record whose files are uploaded once it exists.
    """

    changes: Sequence[Planned]
    hiding: Hiding
    later_uploads: Callable[[Planned], Iterable[str]] = lambda _planned: ()

    def __post_init__(self) -> None:
        self._of_entry = {id(planned.entry): planned for planned in self.changes}
        self._failed: set[int] = set()
        self._failed_entries: set[int] = set()
        self._links: list[Planned] = []
        self._link_ids: set[int] = set()
        self._only_links: set[int] = set()
        self._fields_to_come = {
            (planned.entry.template, _key_to_come(planned.change)): planned
            for planned in self.changes
            if planned.kind.defines_fields and "type" in planned.change.values
        }

    def batches(self) -> Iterator[tuple[Level | None, Sequence[Planned]]]:
        """Yield the changes in the order of writing. Removals come last, in the opposite order.

        The caller asks for a batch after it has written the previous batch.

        :returns: the level of a batch, if it completes the level.
        """
        writes = [planned for planned in self.changes if planned.change.action not in _REMOVALS]
        removals = [planned for planned in self.changes if planned.change.action in _REMOVALS]
        for level in LEVELS:
            mine = [planned for planned in writes if level_of(planned.section) == level]
            awaited = {id(entry) for planned in mine for _key, entry in planned.after}
            yield None, [planned for planned in removals if id(planned.entry) in awaited]
            removals = [planned for planned in removals if id(planned.entry) not in awaited]
            # A failed record is reported as a whole, with its postponed links.
            links = [link for link in self._links if id(self._of_entry[id(link.entry)]) not in self._failed]
            yield level, links if level == Level.LINKS else mine
        for level in reversed(LEVELS):
            yield None, [planned for planned in removals if level_of(planned.section) == level]

    def fail(self, planned: Planned) -> None:
        """Note that a change was not written."""
        self._failed.add(id(planned))
        self._failed_entries.add(id(planned.entry))

    def has_failed(self, planned: Planned) -> bool:
        """Return True if a change was not written although its turn came."""
        return id(planned) in self._failed

    def is_link(self, planned: Planned) -> bool:
        """Return True if a change writes the postponed links of a record."""
        return id(planned) in self._link_ids

    def completes(self, planned: Planned) -> bool:
        """Return True if this change completes a record.

        Postponed links are a part of it, unless it is nothing else.
        """
        return (id(planned) in self._link_ids) == (id(planned) in self._only_links)

    def begun(self, planned: Planned) -> Planned | None:
        """Return the change that was written in part, if the given change has its postponed links."""
        is_rest = id(planned) in self._link_ids and id(planned) not in self._only_links
        return self._of_entry[id(planned.entry)] if is_rest else None

    def uuid_to_link(self, link: Planned) -> str:
        """Return the uuid of the record whose links are postponed."""
        return str(self._of_entry[id(link.entry)].created_uuid)

    def why_not_ready(self, planned: Planned) -> str:
        """Return which missing record keeps a record from being written; empty if it can be written.

        Fill in the uuids of created records. Records of one section are linked after all of them exist, so in that case
        only the link is missing.
        """
        for key in planned.change.values:
            definition = self._fields_to_come.get((planned.kind.template, key))
            if definition is not None and definition.created_uuid is None:
                return (
                    f"needs {definition}, which was not {'created' if definition.change.current is None else 'changed'}"
                )
        for _key, reference in _awaited(planned):
            other = self._of_entry.get(id(reference.pending))
            if other is None:
                name = VAULTED if self.hiding.touches(planned.entry) else reference.written
                return f"needs {reference.target} {name}, which this run does not create"
            if other.created_uuid:
                _link(planned, reference, other.created_uuid)
            elif self.has_failed(other) and (other.section != planned.section or self.is_link(planned)):
                return f"needs {other}, which was not created"
        for key, owner in planned.after:
            if id(owner) in self._failed_entries:
                return f"{self._of_entry[id(owner)]} still has its {key}, which must be unique"
        staying = [entry for entry in map(id, planned.leaving) if entry in self._failed_entries]
        return f"{self._of_entry[staying[0]]} still refers to it" if staying else ""

    def without_later_links(self, planned: Planned) -> Change:
        """Return the change without the parts of a later pass.

        These are links to records of the same level that do not exist yet, and files that are uploaded once the record
        exists.
        """
        change = planned.change
        later = {key for key, _reference in _awaited(planned)} | {*self.later_uploads(planned)}
        if not later:
            return change
        values = {key: value for key, value in change.values.items() if key not in later}
        rest = {key: change.values[key] for key in later}
        link = replace(planned, change=replace(change, action=UPDATE, values=rest))
        self._link_ids.add(id(link))
        if not values and change.action == UPDATE and not change.unarchive:
            self._only_links |= {id(planned), id(link)}
        self._links.append(link)
        return replace(change, values=values)


def _link(planned: Planned, awaited: Reference, uuid: str) -> None:
    """Fill in the uuid of a created record in the references to it."""

    def linked(reference: Reference) -> Reference:
        return replace(reference, uuid=uuid, pending=None) if reference.pending is awaited.pending else reference

    values = {key: with_references(value, linked) for key, value in planned.change.values.items()}
    planned.change = replace(planned.change, values=values)
    # The outcome shares this map, and the journal notes its values after the apply.
    planned.desired |= {key: with_references(value, linked) for key, value in planned.desired.items()}


def _awaited(planned: Planned) -> Iterable[tuple[str, Reference]]:
    return [
        (key, reference)
        for key, value in planned.change.values.items()
        for reference in references_in(value)
        if reference.pending is not None
    ]


def _key_to_come(change: Change) -> str:
    """Return the name under which records are planned with a field that is created or gets another type."""
    return str(change.values["label"] if change.current is None else change.current.flat.get("field_key"))
