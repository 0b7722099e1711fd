# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that are gone from the instance: remove them from the files, unless something in the files needs them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Set
from functools import cached_property

from ...module_utils.plan.allowed import LIMITED_ACCOUNT, how_to_allow
from ...module_utils.plan.change import CREATE, UPDATE
from ...module_utils.resolve.field_visibility import LIMITED
from ...module_utils.resolve.hidden_records import Visibility
from ..desired.lifecycle import NOTHING
from ..desired.words import STATE
from ..export.writing import Unwritable
from ..layers.records import owners_of
from ..set_plan.marks import mark_of
from ..set_plan.plan import Planned
from .editing import ABSENT, KEEP, REMOVE, Editing


class Removals:
    """Remove records from the files, or write that they are absent.

    :param existed: returns True if the set had a record that the instance does not have, or only in its archive.
    """

    def __init__(self, edit: Editing, existed: Callable[[Planned], bool]) -> None:
        self._edit = edit
        self._existed = existed
        self._planned = edit.planned
        self._options = edit.options
        self._missing = [
            change
            for change in edit.planned.changes
            if change.change.action == CREATE or (change.change.action == UPDATE and change.archived)
        ]

    def run(self) -> None:
        """Remove deleted records from the files, unless remaining records refer to them."""
        edit = self._edit
        stay = {id(change.entry): why for change in self._missing if (why := self._why_it_stays(change))}
        before = edit.files.mark()
        while found := self._refused(stay) or self._beyond_limits(stay):
            # A record stays if a record that stays refers to it.
            stay |= found
            edit.files.undo(before)
        for change in self._missing:
            entry = change.entry
            if id(entry) in stay:
                words = edit.shown(entry, f"{change} is {self._where(change)} the instance")
                edit.leave(entry.place, words, stay[id(entry)])
            else:
                edit.removed.add(id(entry))
                edit.count(change.section, "removed")

    # ---- which

    def _is_unchecked(self, planned: Planned) -> bool:
        """Return True for an unlisted record that may be archived and was not looked up."""
        return id(planned.entry) in self._planned.unchecked

    def _where(self, planned: Planned) -> str:
        if planned.archived:
            return "archived in"
        return "in no list of" if self._is_unchecked(planned) else "not in"

    def _why_it_stays(self, planned: Planned) -> str:
        """Say why a record must stay in the files; empty if it need not."""
        settings = self._edit.desired.lifecycle.get(planned.section, NOTHING)
        if planned.entry.lifecycle.is_protected or settings.protects((planned.key, planned.words)):
            return "the files protect it"
        if self._options["gone"] == KEEP:
            return "the option gone is keep"
        state = _state_of(planned)
        if self._options["gone"] == ABSENT and state not in planned.kind.states:
            return f"no record of {planned.section} can be {state}"
        if not self._existed(planned):
            may = "the files may bring it back" if planned.archived else "it may be new"
            return f"the memory of the set on this machine has no such record, so {may}"
        # A record that is written as absent would be deleted from the archive.
        if self._options["gone"] == ABSENT and self._is_unchecked(planned):
            return "it may be archived, and it could not be looked up in the archive"
        return "" if LIMITED_ACCOUNT in (self._options["allow"] or ()) else self._why_hidden(planned)

    @cached_property
    def _visibility(self) -> Visibility:
        """What is known about hidden records, with the lists that can prove that there are none."""
        self._planned.visibility = self._edit.listed.visibility(reads_proof=True)
        return self._planned.visibility

    def _why_hidden(self, planned: Planned) -> str:
        """Say why a record may exist although no list shows it; empty if that is impossible."""
        if planned.archived or not planned.kind.can_be_hidden or not self._visibility.may_hide(planned.kind):
            return ""
        why = self._visibility.evidence or f"nothing proves that this account sees all records: {LIMITED}"
        return f"it may be hidden ({why}); {how_to_allow(LIMITED_ACCOUNT)} treats it as deleted"

    def _beyond_limits(self, stay: Mapping[int, str]) -> dict[int, str]:
        """Return the records of which too many would be removed from the files, with reasons."""
        # An archived record was read, so it is certainly archived.
        leaving = [change for change in self._missing if id(change.entry) not in stay and not change.archived]
        in_files = Counter(entry.kind.section for entry in self._edit.desired.entries if entry.state == "present")
        removed = Counter(change.section for change in leaving)
        reasons = {
            section: self._beyond_limit(section, number, in_files[section]) for section, number in removed.items()
        }
        return {id(change.entry): reasons[change.section] for change in leaving if reasons[change.section]}

    def _beyond_limit(self, section: str, number: int, in_files: int) -> str:
        """Say which limit a number of removed records exceeds; empty if none."""
        limits = self._edit.limits
        # An empty list may be the answer of a broken service, so a small number in the files lifts no percentage then.
        is_everything = number == in_files > 1
        base = max(in_files, 0 if is_everything else self._planned.everywhere[section])
        is_measured = is_everything or base >= limits.from_existing
        if is_measured and number * 100 > base * limits.delete_percent:
            name, limit = "delete_percent", f"{limits.delete_percent:g} %"
        elif number > limits.deletes:
            name, limit = "deletes", f"{limits.deletes:g}"
        else:
            return ""
        words = f"{number} of {base} {section} would leave the files, more than limits.{name} ({limit})"
        return f"{words}; a higher limits.{name} of the task lets this pass"

    # ---- edits

    def _refused(self, stay: Mapping[int, str]) -> dict[int, str]:
        """Remove all records except those that stay. Return the records that cannot be removed, with reasons."""
        leaving = {id(change.entry) for change in self._missing} - stay.keys()
        while refused := {
            id(change.entry)
            for change in self._missing
            if id(change.entry) in leaving and self._is_referenced(change, leaving)
        }:
            leaving -= refused
        found = {}
        for change in self._missing:
            if id(change.entry) in leaving:
                try:
                    self._remove(change)
                except Unwritable as reason:
                    found[id(change.entry)] = str(reason)
            elif id(change.entry) not in stay:
                found[id(change.entry)] = "other records in the files refer to it"
        return found

    def _is_referenced(self, planned: Planned, leaving: Set[int]) -> bool:
        """Return True if a remaining record refers to a record."""
        current = planned.change.current
        marks = [mark_of(planned.entry, None), *([current.uuid] if current is not None else [])]
        references = [referring for mark in marks for referring in self._planned.references.get(mark, ())]
        return any(
            id(entry) not in leaving and (id(entry), key) not in self._edit.absorbed
            for entry, key in references
            if entry is not planned.entry
        )

    def _remove(self, planned: Planned) -> None:
        """Remove a record from all files that contain it, or write its state."""
        owners = owners_of(planned.entry)
        if self._options["gone"] == REMOVE:
            for owner in owners:
                self._edit.files.remove(owner)
            return
        self._edit.require_layer(planned.entry, self._edit.files.target(owners[-1].place))
        self._edit.files.put(owners[-1], STATE, _state_of(planned))


def _state_of(planned: Planned) -> str:
    """Return the state that a record gets in the files."""
    return "archived" if planned.archived else ABSENT
