# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""References to objects that no list shows, because they are archived: they are looked up by their barcode."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client, Record
from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference
from ansible_collections.community.seventhings.plugins.module_utils.plan.archived import BARCODE
from ansible_collections.community.seventhings.plugins.module_utils.resolve.natural_keys import identity_of
from ansible_collections.community.seventhings.plugins.module_utils.resolve.read_cache import find_by_barcode

from ..desired.hiding import NOT_SHOWN, Hiding

_MOST_IN_VAIN = 40
"""Barcodes that are looked up although none of them was found. The others are taken not to be there."""


class UnlistedObjects:
    """Finds the objects that references mean by their barcode, each barcode once.

    :param hiding: what must not be shown: a barcode stands in the path of its request, which errors tell.
    """

    def __init__(self, client: Client, hiding: Hiding) -> None:
        self._client = client
        self._hiding = hiding
        self._found: dict[str, Record | None] = {}

    def meant_by(self, reference: Reference) -> Record | None:
        """The object that a reference means by its barcode; None where there is none, or something else is written."""
        kind, barcode = KINDS[reference.target], _barcode_of(reference)
        if not kind.barcode_path or not barcode:
            return None
        if barcode not in self._found:
            if len(self._found) >= _MOST_IN_VAIN and not any(self._found.values()):
                return None
            try:
                self._found[barcode] = find_by_barcode(self._client, identity_of(kind), barcode)
            except SeventhingsError as error:
                if self._hiding.is_on:
                    error.message = NOT_SHOWN
                raise
        return self._found[barcode]


def _barcode_of(reference: Reference) -> str:
    written = reference.written
    if isinstance(written, Mapping) and list(written) == [BARCODE]:
        written = written[BARCODE]
    return written if isinstance(written, str) else ""
