# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The undo that a task wants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...module_utils.client.roots import identity_of
from ..desired.desired import DesiredInstance
from ..desired.hiding import Hiding
from ..desired.lifecycle import Lifecycle
from ..desired.positions import Place
from .record import ApplyRecord

#: What to do with a field that somebody changed since the apply.
SKIP, REFUSE, FORCE = "skip", "refuse", "force"


@dataclass(frozen=True)
class Undo:
    """The undo of one apply record.

    :ivar record: the record to undo.
    :ivar source: the file, in words.
    :ivar changed_since: what to do with a field that somebody changed since the apply.
    :ivar is_approved: True if the task names the SHA-256 of the record.
    """

    record: ApplyRecord
    source: str
    changed_since: str = SKIP
    is_approved: bool = False

    def apply(self) -> dict[str, Any]:
        """Return what people need to recognise the apply: its time, set and user, and its number of changes."""
        origin, record = self.record.provenance, self.record
        return {
            "time": origin.get("date", ""),
            "set": record.set_name,
            "user": origin.get("user", ""),
            "changes": sum(change.may_have_effect for change in record.changes),
            "record": self.source,
        }

    def why_nothing(self) -> str:
        """Return why nothing is undone; empty if something may be."""
        if not self.record.undoes or self.record.changes:
            return ""
        return (
            f"applied: last is itself a finished undo ({self.source}), so nothing is undone. To undo that undo, or an "
            f"earlier apply, name the file of its apply record."
        )

    def place_of(self, number: int) -> Place:
        """Return the place of a change of the record."""
        return Place(f"changes[{number}] of {self.source}")

    def base(self, hiding: Hiding) -> DesiredInstance:
        """Return a desired state of the same set, without records.

        :param hiding: what the task hides. It receives the changes with values that the apply hid.
        """
        record = self.record
        hiding.paths |= {self.place_of(number).source for number, change in enumerate(record.changes) if change.hidden}
        return DesiredInstance(
            instances=[record.instance], set_name=record.set_name, set_id=record.set_id, hiding=hiding
        )

    @staticmethod
    def protect(desired: DesiredInstance, files: Iterable[DesiredInstance]) -> None:
        """Note which records the present files protect.

        :param desired: the state that the undo restores. :param files: empty if the task names no files.
        """
        for written in files:
            desired.lifecycle = {
                section: Lifecycle(protect=lifecycle.protect) for section, lifecycle in written.lifecycle.items()
            }
            desired.setting_places = dict(written.setting_places)
            every = (*written.entries, *written.unmanaged)
            desired.shields = [entry for entry in every if entry.lifecycle.is_protected]

    def wrong_instance(self, root: str) -> str:
        """Return why the connected instance is not the instance of the record; empty if it is."""
        if identity_of(self.record.instance) == identity_of(root):
            return ""
        return f"applied: {self.source} is a record of {self.record.instance}, and the connection is to {root}."
