# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which values of a record count as written by the files, and their digests in a baseline."""

from __future__ import annotations

from collections.abc import Iterable

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import OBJECT
from ..desired.desired import DesiredInstance
from ..desired.lifecycle import NOTHING
from ..desired.parsing import written_as
from .aspect import Aspect
from .baseline import Baseline
from .marks import shield_mark
from .plan import Planned


def noted_keys(planned: Planned, desired: DesiredInstance) -> list[str]:
    """Return the keys of the managed fields of a record that are not hidden.

    A scan code that the instance owns is left out, and so is a record that follows from another one.
    """
    schema, entry = planned.schema, planned.entry
    if schema.kind.created_from:
        return []
    lifecycle = desired.lifecycle.get(planned.section, NOTHING).with_more(entry.lifecycle)
    alone = lifecycle.left_alone(schema, exists=True) - set(planned.keys)
    if desired.scan_codes is not None and schema.kind is OBJECT:
        code = schema.find(desired.scan_codes.field)
        alone |= set() if code is None else {code.key}
    keys = [key for key in planned.desired if key in schema.fields and key not in alone]
    if not desired.hiding.has_any:
        return keys
    return [key for key in keys if not desired.hiding.covers(entry, written_as(schema, entry, key), key)]


def note_record(
    baseline: Baseline, planned: Planned, uuid: str, desired: DesiredInstance, is_part: bool = False
) -> None:
    """Note that a record is now as written in the files, unless it does not exist.

    :param is_part: True if the files have only some fields of the record, as those of an undo.
    """
    if mark := shield_mark(planned.kind, uuid, planned.desired):
        values = {key: planned.desired[key] for key in noted_keys(planned, desired)}
        baseline.note(mark, planned.schema, values, planned.schema.fields.keys() - values.keys() if is_part else ())


class AppliedValues(Aspect):
    """Note the records that are as written in the files already, if the run notes what is applied."""

    @property
    def is_on(self) -> bool:
        return self._context.options.baseline is not None

    def compared(self, planned: Planned, current: Record | None) -> None:
        """Note a record, unless it changes."""
        options = self._context.options
        if options.baseline is None or current is None or planned.change.changed or planned.entry.state != "present":
            return
        note_record(options.baseline, planned, current.uuid, self._context.desired, options.has_changes_only)


def note_applied(baseline: Baseline, changes: Iterable[Planned], desired: DesiredInstance, is_part: bool) -> None:
    """Note the records that an apply changed.

    :param changes: the completed changes. :param is_part: as in :func:`note_record`.
    """
    for planned in changes:
        current = planned.change.current
        uuid = planned.created_uuid or (current.uuid if current is not None else "")
        if planned.entry.state == "present":
            note_record(baseline, planned, uuid, desired, is_part)
