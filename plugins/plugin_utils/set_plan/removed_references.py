# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The references of a plan: those to records that it removes, and all of them for whoever asks what needs a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import is_uuid
from ...module_utils.model.kinds import USER
from ...module_utils.model.types_links import Reference, references_in
from ..desired.entry import Entry
from .aspect import Aspect
from .context import PlanContext
from .marks import mark_of
from .plan import ARCHIVED, Pair, Planned
from .resolver import numbered_references


class RemovedReferences(Aspect):
    """Refuse references to removed records, and references without a target after the apply. Note all on request."""

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        self._unchanged: list[Entry] = []
        self._is_joined = False

    def joined(self, pairs: list[Pair]) -> None:
        """Remember that from now on the removals are known."""
        self._is_joined = True

    def linked(self, planned: Planned) -> None:
        """Check the references of a record. Those of an unchanged record are checked once all removals are known."""
        self._note(planned, planned.desired)
        if self._is_joined:
            self._check(planned.entry, planned.desired)
        elif planned.kind.is_many:
            self._unchanged.append(planned.entry)

    def changed(self, planned: Planned, current: Record | None) -> None:
        """Refuse to remove the person of a user: nothing removes the user."""
        if planned.kind is USER:
            self._note(planned, planned.change.values)
            for reference in references_in(planned.change.values.get("person")):
                if problem := self._problem(reference):
                    self._context.find(planned.entry.place_of("email"), f"email: {problem}")

    def _note(self, planned: Planned, values: Mapping[str, Any]) -> None:
        for key, value in values.items() if self._context.options.is_absorb else ():
            for _number, reference in numbered_references(value):
                mark = mark_of(reference.pending, reference.uuid)
                self._context.result.references.setdefault(mark, []).append((planned.entry, key))

    def complete(self) -> None:
        """Check the references of unchanged records, and of archived ones that need not be read."""
        context, result = self._context, self._context.result
        if not context.removals:
            return
        kept = [note.planned.entry for note in result.table_notes if note.reason == ARCHIVED]
        unread = (entry for entry in context.desired.entries if id(entry) in result.unchecked)
        kept += [entry for entry in unread if entry.state == "archived"]
        for number, entry in enumerate([*self._unchanged, *kept]):
            schema = context.schema(entry.kind)
            values, _fits = context.read(entry)
            context.resolve(values, None)
            left = context.left_alone(schema, entry, exists=True)
            is_active = number < len(self._unchanged)
            self._check(entry, {key: value for key, value in values.items() if key not in left}, is_active)

    def _check(self, entry: Entry, desired: Mapping[str, Any], is_active: bool = True) -> None:
        """Check the compared values of an entry. An archived record may refer to what is archived."""
        for key, value in desired.items() if self._context.removals else ():
            for number, reference in numbered_references(value):
                if problem := self._problem(reference, is_active):
                    self._context.note(self._context.about_reference(entry, key, number, reference, problem))

    def _problem(self, reference: Reference, is_active: bool = True) -> str:
        """Return why a reference has no target once the plan is done, or an empty text if it has one."""
        context = self._context
        other = context.removals.get(str(reference.uuid))
        if other is None:
            return ""
        if other.entry.state == "absent":
            return f"{other} is to be removed at {other.entry.place}"
        if not is_active or is_uuid(reference.written):
            return ""
        return f"{other} is to be archived at {other.entry.place}, and no list shows it any more: write its uuid"
