# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that a plan writes: masks of Ansible, files that do not exist, and odd texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...module_utils.client.redaction import MASKED, masked_in
from ...module_utils.model.field import words_of
from ...module_utils.model.kinds import FILE
from ...module_utils.model.types_links import attachments_in
from ..desired.parsing import written_as
from ..desired.remarks import Remarks
from .aspect import Aspect
from .context import PlanContext
from .plan import Planned

#: Maximum number of files that are looked up. Each of them takes a request.
_MOST_FILES = 20


class WrittenValues(Aspect):
    """Refuse masks and missing files, and warn of values that are allowed, but probably wrong.

    A mask that the instance has too is not written.
    """

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        self._exists: dict[str, bool] = {}

    def complete(self) -> None:
        """Check the values to write."""
        for planned in self._context.result.changes:
            for key, value in planned.change.values.items():
                name = written_as(planned.schema, planned.entry, key)
                for way in masked_in(planned.entry.fields.get(name), (name,)):
                    self._context.find(planned.entry.place_in(way), f"{words_of(way)}: {MASKED}")
                for number, uuid in _new_files(planned, key, value):
                    if self._is_missing(uuid):
                        words = f"{words_of((name, number))}: there is no file with the uuid {uuid}"
                        self._context.find(planned.entry.place_in((name, number)), words)

    def _is_missing(self, uuid: str) -> bool:
        if uuid not in self._exists and len(self._exists) < _MOST_FILES:
            self._exists[uuid] = self._context.client.get(FILE, uuid) is not None
        return not self._exists.get(uuid, True)

    def warnings(self) -> list[str]:
        """Return the remarks about all values to write, in the order of the changes."""
        remarks = Remarks(self._context.hiding)
        for planned in self._context.result.changes:
            remarks.check(planned.schema, planned.entry, planned.change.values)
        return remarks.warnings()


def _new_files(planned: Planned, key: str, value: Any) -> Iterator[tuple[int, str]]:
    """Yield the files by uuid that a field does not have yet, each after its number in the field."""
    linked = {file.uuid for file in attachments_in(planned.now(key))}
    for number, file in enumerate(attachments_in(value)):
        if file.uuid is not None and file.path is None and file.uuid not in linked:
            yield number, file.uuid
