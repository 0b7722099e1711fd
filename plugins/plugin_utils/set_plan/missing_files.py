# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a plan attaches by their uuids."""

from __future__ import annotations

from collections.abc import Iterator

from ...module_utils.model.field import words_of
from ...module_utils.model.kinds import FILE
from ...module_utils.model.types_links import attachments_in
from ..desired.parsing import written_as
from .aspect import Aspect
from .plan import Planned

_MOST_FILES = 20


class MissingFiles(Aspect):
    """Refuse files that do not exist. Each of them takes a request, so only the first are looked up."""

    def complete(self) -> None:
        """Check the files to attach."""
        read: dict[str, bool] = {}
        for planned in self._context.result.changes:
            for key, number, uuid in _new_files(planned):
                if uuid not in read and len(read) < _MOST_FILES:
                    read[uuid] = self._context.client.get(FILE, uuid) is not None
                if not read.get(uuid, True):
                    name = written_as(planned.schema, planned.entry, key)
                    words = f"{words_of((name, number))}: there is no file with the uuid {uuid}"
                    self._context.find(planned.entry.place_in((name, number)), words)


def _new_files(planned: Planned) -> Iterator[tuple[str, int, str]]:
    """Yield the files by uuid that a record does not have yet, each with its field and its number in the field."""
    current = planned.change.current
    for key, value in planned.change.values.items():
        now = None if current is None else planned.schema.read_field(key, current.flat)
        linked = {file.uuid for file in attachments_in(now)}
        for number, file in enumerate(attachments_in(value)):
            if file.uuid is not None and file.path is None and file.uuid not in linked:
                yield key, number, file.uuid
