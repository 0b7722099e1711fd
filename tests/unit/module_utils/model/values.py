# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of types that behave alike, and values for the tests of types."""

from __future__ import annotations

from typing import Any

UUID = "9091afea-81ee-4003-ac76-2ac11e3ddc3f"
OTHER = "a0000000-81ee-4003-ac76-2ac11e3ddc3f"
TEXTS = ("TEXT", "LONG_TEXT", "BARCODE", "DROPDOWN", "LINK")
DECIMALS = ("DECIMAL", "MONEY")
DATES = ("DATE", "REMINDER")
LINKS = {
    "LINKED_LOCATION": "location",
    "LINKED_ROOM": "room",
    "LINKED_USER": "user",
    "LINKED_PERSON": "person",
    "LINKED_ASSET": "object",
}
UNWRITABLE = ("COORDINATES", "FIELD_VALUE_COMPARISON")


def interval(unit: str, value: Any) -> dict[str, Any]:
    return {"unit": unit, "value": value}
