# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets of references that no list shows: archived objects, found by their barcodes."""

from __future__ import annotations

from collections.abc import Mapping

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import SeventhingsError
from ...module_utils.model.kinds import KINDS
from ...module_utils.model.types_links import Reference
from ...module_utils.resolve.natural_keys import identity_of
from ...module_utils.resolve.read_cache import find_by_barcode
from ..desired.hiding import NOT_SHOWN, Hiding

_MOST_IN_VAIN = 40
"""Number of lookups without a result after which the remaining barcodes count as missing."""


class UnlistedRecords:
    """Find the targets of references by barcode, each barcode once.

    :param hiding: hides vaulted barcodes in errors, because errors quote the path of a request.
    """

    def __init__(self, client: Client, hiding: Hiding) -> None:
        self._client = client
        self._hiding = hiding
        self._found: dict[tuple[str, str], Record | None] = {}

    def target_of(self, reference: Reference) -> Record | None:
        """Return the record that a reference means by its barcode, or None without such a record or barcode."""
        kind = KINDS[reference.target]
        barcode = _barcode_of(reference, kind.barcode_key) if kind.labels == (kind.barcode_key,) else ""
        if not barcode:
            return None
        if (kind.name, barcode) not in self._found:
            if len(self._found) >= _MOST_IN_VAIN and not any(self._found.values()):
                return None
            try:
                self._found[kind.name, barcode] = find_by_barcode(self._client, identity_of(kind), barcode)
            except SeventhingsError as error:
                if self._hiding.is_on:
                    error.message = NOT_SHOWN
                raise
        return self._found[kind.name, barcode]


def _barcode_of(reference: Reference, key: str) -> str:
    written = reference.written
    if isinstance(written, Mapping) and list(written) == [key]:
        written = written[key]
    return written if isinstance(written, str) else ""
