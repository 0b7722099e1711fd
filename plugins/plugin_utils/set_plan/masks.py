# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks of Ansible in place of hidden values."""

from __future__ import annotations

from ...module_utils.client.masks import MASKED, masked_in
from ...module_utils.model.field import words_of
from ..desired.parsing import written_as
from .aspect import Aspect


class Masks(Aspect):
    """Refuse to write masks. A mask that the instance has too is not written."""

    def complete(self) -> None:
        """Check the values to write."""
        for planned in self._context.result.changes:
            for key in planned.change.values:
                name = written_as(planned.schema, planned.entry, key)
                for way in masked_in(planned.entry.fields.get(name), (name,)):
                    self._context.find(planned.entry.place_in(way), f"{words_of(way)}: {MASKED}")
