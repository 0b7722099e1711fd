# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What records refer to, for those who ask which records need another record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import USER
from .aspect import Aspect
from .marks import mark_of
from .plan import Planned
from .resolver import numbered_references


class NotedReferences(Aspect):
    """Note the references of all records in the plan."""

    @property
    def is_on(self) -> bool:
        return self._context.options.note_references

    def linked(self, planned: Planned) -> None:
        """Note the written references of a record."""
        self._note(planned, planned.desired)

    def compared(self, planned: Planned, current: Record | None) -> None:
        """Note the person of a user, which no file names."""
        if planned.kind is USER:
            self._note(planned, planned.change.values)

    def _note(self, planned: Planned, values: Mapping[str, Any]) -> None:
        for key, value in values.items():
            for _number, reference in numbered_references(value):
                mark = mark_of(reference.pending, reference.uuid)
                self._context.result.references.setdefault(mark, []).append((planned.entry, key))
