# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""New labels of the application: write their codes into the files, and into the references to them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..desired.entry import Entry
from ..desired.parsing import written_as
from ..export.writing import Unwritable
from ..set_plan.marks import mark_of
from ..set_plan.plan import Relabelled
from .editing import Editing
from .splices import is_same
from .text_file import NewValue

#: A record of the files and the key of one of its fields.
Field = tuple[Entry, str]


class Labels:
    """Write the scan codes of the instance into the files."""

    def __init__(self, edit: Editing) -> None:
        self._edit = edit
        self._planned = edit.planned
        self._files = edit.files
        self._changing = {
            (id(planned.entry), key)
            for planned in edit.planned.changes
            for key in planned.change.before
            if planned.change.current
        }

    def run(self) -> tuple[list[Field], list[tuple[Relabelled, str]]]:
        """Write the codes and the references to them.

        A code is written only if all references to it can be rewritten. Otherwise the old references would lead
        nowhere.

        :returns: the written fields, and the codes that were not written, each with the reason.
        """
        codes = self._planned.scan_codes.differing
        kept: dict[int, str] = {}
        before = self._files.mark()
        while True:
            written, failed = self._write([code for code in codes if id(code.entry) not in kept])
            if not failed:
                return written, [(code, kept[id(code.entry)]) for code in codes if id(code.entry) in kept]
            kept |= failed
            self._files.undo(before)

    def _write(self, codes: list[Relabelled]) -> tuple[list[Field], dict[int, str]]:
        written: list[Field] = []
        failed: dict[int, str] = {}
        for code in codes:
            try:
                self._set(code.entry, code.name, code.now)
                written.append((code.entry, code.key))
            except Unwritable as reason:
                failed[id(code.entry)] = str(reason)
        now = {code.written: code.now for code in codes}
        done: set[tuple[int, str]] = set()
        for code in codes:
            for entry, key in self._references(code):
                if (id(entry), key) in done:
                    continue
                done.add((id(entry), key))
                try:
                    if self._refer(entry, key, now):
                        written.append((entry, key))
                except Unwritable as reason:
                    name = self._name(entry, key)
                    failed[id(code.entry)] = f"{name} at {entry.place_of(name)} refers to it, and {reason}"
        return written, failed

    def _references(self, code: Relabelled) -> list[Field]:
        """Return the fields that refer to an object and whose values are not written anyway."""
        marks = (mark_of(code.entry, None), code.uuid)
        found = [field for mark in marks for field in self._planned.references.get(mark, ())]
        return [(entry, key) for entry, key in found if id(entry) not in self._edit.removed]

    def _refer(self, entry: Entry, key: str, now: Mapping[str, str]) -> bool:
        """Write a field that refers to objects by their codes. Return False if it names none of these objects."""
        mark = (id(entry), key)
        if mark in self._edit.absorbed:
            return False
        name = self._name(entry, key)
        written = entry.fields.get(name)
        value = _renamed(written, now)
        if is_same(value, written):
            return False
        if mark in self._changing:
            raise Unwritable("its value in the instance could not be absorbed")
        self._set(entry, name, value)
        return True

    def _name(self, entry: Entry, key: str) -> str:
        state = self._planned.state
        return key if state is None or key in entry.fields else written_as(state.schema(entry.kind), entry, key)

    def _set(self, entry: Entry, name: str, value: Any) -> None:
        if self._files.is_mapped(entry.place_of(name)):
            raise Unwritable("it is in a table of another system")
        self._edit.require_layer(entry, self._files.target_of(entry, name))
        self._files.set(entry, name, NewValue(value, partial(is_same, value)))


def _renamed(written: Any, now: Mapping[str, str]) -> Any:
    """Return a reference, or a list of references, with the present codes of the objects."""
    if isinstance(written, Mapping):
        return {name: _renamed(member, now) for name, member in written.items()}
    if isinstance(written, list):
        return [_renamed(item, now) for item in written]
    return now.get(written, written) if isinstance(written, str) else written
