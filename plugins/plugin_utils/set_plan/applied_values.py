# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which values of a record count as written by the files, and their hashes in a baseline."""

from __future__ import annotations

from collections.abc import Iterable

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import HUB_ITEM, OBJECT
from ...module_utils.model.schema import type_of
from ..desired.desired import DesiredInstance
from ..desired.lifecycle import NOTHING
from ..desired.parsing import written_as
from .aspect import Aspect
from .baseline import Baseline
from .plan import Planned

_ATTACHMENTS = "attachments"


def compared_names(planned: Planned, desired: DesiredInstance) -> dict[str, str]:
    """Return the keys of the managed fields of a record that are not hidden, each with its name in the files.

    Attachments are left out, because files name them by their paths. A scan code that the instance owns is left out,
    too.
    """
    schema, entry = planned.schema, planned.entry
    lifecycle = desired.lifecycle.get(planned.section, NOTHING).with_more(entry.lifecycle)
    alone = lifecycle.left_alone(schema, exists=True) - set(planned.keys)
    if desired.scan_codes is not None and schema.kind is OBJECT:
        code = schema.find(desired.scan_codes.field)
        alone |= set() if code is None else {code.key}
    names = {
        key: written_as(schema, entry, key)
        for key in planned.desired
        if key in schema.fields and key not in alone and type_of(schema.fields[key]).shape != _ATTACHMENTS
    }
    return {key: name for key, name in names.items() if not desired.hiding.hides(entry, name, key)}


def note_record(baseline: Baseline, planned: Planned, uuid: str, desired: DesiredInstance) -> None:
    """Note that a record is now as written in the files."""
    baseline.records[uuid] = baseline.digest(planned.schema, planned.desired, compared_names(planned, desired))


class AppliedValues(Aspect):
    """Note the records that are as written in the files already."""

    @property
    def is_on(self) -> bool:
        return self._context.options.baseline is not None

    def compared(self, planned: Planned, current: Record | None) -> None:
        """Note a record, unless it changes."""
        baseline = self._context.options.baseline
        is_same = current is not None and not planned.change.changed and planned.kind is not HUB_ITEM
        if baseline is not None and current is not None and is_same and planned.entry.state == "present":
            note_record(baseline, planned, current.uuid, self._context.desired)


def note_applied(baseline: Baseline, changes: Iterable[Planned], desired: DesiredInstance) -> None:
    """Note the records that an apply changed.

    :param changes: the completed changes.
    """
    for planned in changes:
        current = planned.change.current
        uuid = planned.created_uuid or (current.uuid if current is not None else "")
        if uuid and planned.entry.state == "present":
            note_record(baseline, planned, uuid, desired)
