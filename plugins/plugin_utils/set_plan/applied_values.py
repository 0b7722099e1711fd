# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which values of a record count as written by the files, and their digests in a baseline."""

from __future__ import annotations

from collections.abc import Iterable

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import USER
from ..desired.desired import DesiredInstance
from ..desired.parsing import written_as
from .aspect import Aspect
from .baseline import Baseline
from .marks import shield_mark
from .plan import Planned


def noted_keys(planned: Planned, desired: DesiredInstance) -> list[str]:
    """Return the keys of the fields of a record that are compared from now on, and not hidden."""
    schema, entry = planned.schema, planned.entry
    keys = [key for key in planned.desired if key in schema.fields and key not in planned.left_alone]
    if not desired.hiding.has_any:
        return keys
    return [key for key in keys if not desired.hiding.covers(entry, written_as(schema, entry, key), key)]


def note_record(
    baseline: Baseline, planned: Planned, uuid: str, desired: DesiredInstance, is_part: bool = False
) -> bool:
    """Note that a record is now as written in the files, unless it does not exist. A user has no values of its own.

    :param is_part: True for an undo: the files may have other values of what it does not write, and another key.
    :returns: True if other values of the same fields were noted.
    """
    mark = shield_mark(planned.kind, uuid, planned.desired)
    if not mark or planned.kind is USER:
        return False
    named = set(planned.keys) - planned.change.values.keys() if is_part else ()
    values = {key: planned.desired[key] for key in noted_keys(planned, desired) if key not in named}
    baseline.note(mark, planned.schema, values, planned.schema.fields.keys() - values.keys() if is_part else ())
    is_same = baseline.records.get(mark) == baseline.noted[mark]
    return not is_same and baseline.is_as_noted(mark, planned.schema, values) is False


class AppliedValues(Aspect):
    """Note the records that are as written in the files already, in a plan only some of them."""

    _SAMPLE = 500
    _left = _SAMPLE
    _older = 0

    @property
    def is_on(self) -> bool:
        return self._context.options.baseline is not None

    def compared(self, planned: Planned, current: Record | None) -> None:
        """Note a record, unless it changes. Count it if the memory of the set has other values of it."""
        options, desired = self._context.options, self._context.desired
        is_noted = planned.entry.state == "present" and (options.notes_all or self._left > 0)
        if options.is_absorb and current is not None:
            # An apply notes the new key of a record together with its name in the journal. Absorb notes no names.
            is_noted &= options.names.get(current.uuid, planned.journal_name) == planned.journal_name
        if options.baseline is None or current is None or planned.change.changed or not is_noted:
            return
        self._left -= 1
        self._older += note_record(options.baseline, planned, current.uuid, desired, options.has_changes_only)

    def warnings(self) -> Iterable[str]:
        """Say that the memory is older than the instance."""
        if self._older:
            yield (
                f"the memory of the set has other values of records that are as the files want them "
                f"({self._older:,}): it is older than the instance. Another controller may have applied the files, or "
                f"both sides were changed in the same way. Until the next apply, sides may be wrong."
            )


def note_applied(baseline: Baseline, changes: Iterable[Planned], desired: DesiredInstance, is_part: bool) -> None:
    """Note the records that an apply changed.

    :param changes: the completed changes. :param is_part: as in :func:`note_record`.
    """
    for planned in changes:
        current = planned.change.current
        uuid = planned.created_uuid or (current.uuid if current is not None else "")
        if planned.entry.state == "present":
            note_record(baseline, planned, uuid, desired, is_part)
