# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the removals of an undo: somebody else may have written the apply record."""

from __future__ import annotations

from collections.abc import Iterable

from ...module_utils.plan.change import ARCHIVE, DELETE
from ..apply.memory import Memory
from ..set_plan.plan import Planned
from .record import ApplyRecord


class Removable:
    """The records that an undo may remove: the journal knows that this set created or unarchived them.

    :param is_approved: True if the task names the SHA-256 of the apply record.
    """

    def __init__(self, memory: Memory, is_approved: bool) -> None:
        self._is_approved = is_approved
        self._created = {} if is_approved else memory.created
        self._uuids = {*filter(None, self._created.values()), *memory.unarchived}

    def refusal(self, words: str, name: str, uuid: str | None) -> str:
        """Return why a record must not be removed; empty if it may be.

        :param words: the record in words. :param name: its name in the journal. :param uuid: None without one.
        """
        # A creation without a noted outcome has no uuid.
        is_known = uuid in self._uuids or self._created.get(name) == "" or (uuid is None and name in self._created)
        if self._is_approved or is_known:
            return ""
        return (
            f"{words}: the journal does not know it as created by this set, so it is not removed. Check the apply "
            f"record, and give its SHA-256 as record_digest."
        )


def too_many_removals(record: ApplyRecord, changes: Iterable[Planned]) -> list[str]:
    """Return why an undo must not be applied if it removes more records than its apply brought.

    :param record: the apply record to undo.
    """
    removals = sum(planned.change.action in (ARCHIVE, DELETE) for planned in changes)
    if removals <= record.added:
        return []
    return [f"applied: the apply created or unarchived {record.added} records, and the undo would remove {removals}."]
