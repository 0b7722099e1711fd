# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of tables of other systems: those that are skipped, and those whose records are archived."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.schema import FieldError
from ...module_utils.model.types_links import references_in
from ..desired.hiding import NOT_SHOWN
from ..desired.parsing import written_as
from ..desired.positions import Place
from ..desired.row_rules import CREATE, KEEP, NO_RULES, REFUSE, RESTORE, SKIP, UNKNOWN_ROWS, UNKNOWN_VALUES
from ..layers.records import owners_of, row_of
from .aspect import Aspect
from .plan import ARCHIVED, RESTORED, Pair, Planned, TableNote


class TableRows(Aspect):
    """Take rows without a record, and rows of archived records, out of the plan, as the settings of their tables say.

    A record that is named by a skipped row counts as present.
    """

    def joined(self, pairs: list[Pair]) -> None:
        """Decide about each row, now that the archive was searched."""
        pairs[:] = [pair for pair in pairs if self._is_planned(*pair)]
        for note in self._context.skipped.values():
            self._note(note)

    def matched(self, planned: Planned, current: Record | None) -> None:
        """Note the cells with unknown choices. A new record may need their values."""
        unknown = self._context.unknown
        for key, (place, error) in unknown.get(id(planned.entry), {}).items() if unknown else ():
            if self._is_needed(planned, current, key):
                self._context.find(place, error)
            else:
                self._leave_out(planned, place, str(error))

    def known(self, planned: Planned, current: Record | None) -> None:
        """Take unknown references out of a row, if its table skips them, and note their cells."""
        if self._context.rules_of(planned.entry).unknown_values != SKIP:
            return
        for key in [key for key, value in planned.desired.items() if self._is_unknown(value)]:
            if key not in planned.keys and not self._is_needed(planned, current, key):
                name = written_as(planned.schema, planned.entry, key)
                problems = [self._context.meaning(ref).problem for ref in references_in((planned.desired.pop(key),))]
                self._leave_out(planned, planned.entry.place_of(name), f"{name}: {next(filter(None, problems))}")

    def _is_unknown(self, value: Any) -> bool:
        """Return True if the only problem with a value is that the instance does not know a record."""
        problems = [self._context.meaning(reference).problem for reference in references_in((value,))]
        errors = [problem for problem in problems if problem]
        return bool(errors) and all(
            isinstance(error, FieldError) and error.misfit is not None and error.misfit.is_unknown for error in errors
        )

    def _is_needed(self, planned: Planned, current: Record | None, key: str) -> bool:
        is_created = current is None and not self._context.options.is_comparison
        return is_created and planned.schema.fields[key].mandatory

    def _leave_out(self, planned: Planned, place: Place, words: str) -> None:
        shown = NOT_SHOWN if self._context.hiding.touches(planned.entry) else f"{words}; the cell is left out"
        self._context.result.table_notes.append(TableNote(UNKNOWN_VALUES, replace(planned), place, shown))

    def complete(self) -> None:
        """Note which records come back from the archive."""
        result = self._context.result
        result.table_notes += [
            TableNote(RESTORED, planned, row_of(planned.entry))
            for planned in result.changes
            if planned.change.unarchive and planned.entry.state == "present"
        ]

    def _is_planned(self, planned: Planned, current: Record | None) -> bool:
        entry, rules = planned.entry, self._context.rules_of(planned.entry)
        if rules is NO_RULES or entry.state != "present":
            return True
        if current is None and not planned.archived:
            is_wanted = any(owner.rules.unknown_rows == CREATE for owner in owners_of(entry))
            return (is_wanted and rules.unknown_rows != REFUSE) or self._leave_unknown(planned)
        if not planned.archived:
            return True
        if current is not None and rules.archived == RESTORE:
            self._bring_back(planned, current)
            return True
        return self._leave_archived(planned, current)

    def _leave_unknown(self, planned: Planned) -> bool:
        """Skip or refuse a row without a record."""
        context, entry = self._context, planned.entry
        rules = context.rules_of(entry)
        if not planned.kept_as and (uuid := context.options.uuids.get(planned.journal_name)):
            # The record got another key. It stays. A hidden key is noted by its place, which says nothing.
            context.claimed.setdefault(planned.kind.name, {}).setdefault(uuid, entry)
        words = f"no {planned.kind.words} has this key"
        if rules.unknown_rows == REFUSE:
            how = f"{UNKNOWN_ROWS}: create in {rules.setting} creates it, and skip leaves the row out"
            context.find(row_of(entry), f"{planned}: {words}; {how}")
        else:
            self._note(TableNote(UNKNOWN_ROWS, planned, row_of(entry), words))
        return False

    def _leave_archived(self, planned: Planned, current: Record | None) -> bool:
        """Keep or refuse a row whose record is archived. It was not read if an earlier run noted it."""
        context, entry = self._context, planned.entry
        rules = context.rules_of(entry)
        if rules.archived == KEEP:
            change = replace(planned.change, current=current)
            self._note(TableNote(ARCHIVED, replace(planned, change=change), row_of(entry)))
            if current is not None:
                context.result.archived.append((planned.kind.name, planned.journal_key, current.uuid))
        elif current is not None:
            how = f"in {rules.setting}, `archived: keep` leaves it archived, and `archived: restore` brings it back"
            context.find(row_of(entry), f"{planned} is archived ({current.uuid}); {how}")
        return False

    def _bring_back(self, planned: Planned, current: Record) -> None:
        """Run the checks of matched records for a restored record."""
        if self._context.rules_of(planned.entry).unknown_rows != CREATE:
            self._context.state.add_planned(planned.schema, planned.desired, current)
            for matched in self._context.hooks.matched:
                matched(planned, current)

    def _note(self, note: TableNote) -> None:
        result = self._context.result
        result.skipped[note.planned.section] += 1
        result.table_notes.append(note)
