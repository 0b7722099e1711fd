# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scan codes in the settings: objects are imported with placeholders, which labels replace later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...module_utils.model.field import Plain
from .nodes import Node
from .shapes import TEXT, Find, Unfit, map_of, value_of

#: The setting of ``instance.yml``.
SCAN_CODES = "scan_codes"

_MEMBERS = FIELD, PLACEHOLDER = "field", "placeholder"

#: Maximum digits of a placeholder. A longer number was given to an object by somebody else.
_MOST_DIGITS = 18


@dataclass(frozen=True)
class ScanCodeSettings:
    """The scan codes of objects.

    :ivar field: key or label of the field that holds them.
    :ivar placeholder: the prefix of a placeholder; digits follow it.
    """

    field: str
    placeholder: str

    def is_placeholder(self, code: object) -> bool:
        """Return True if a code is the placeholder of a label that is not attached yet."""
        if not isinstance(code, str) or not code.startswith(self.placeholder):
            return False
        digits = code.removeprefix(self.placeholder)
        return len(digits) <= _MOST_DIGITS and digits.isascii() and digits.isdecimal()


def _prefix(value: Any) -> str:
    is_text = isinstance(value, str) and not isinstance(value, Plain) and value == value.strip()
    if not is_text or not value[1:] or value[-1].isdigit():
        raise Unfit("a text of at least two characters that does not end in a digit, such as IMP-")
    return str(value)


_SHAPE = map_of({FIELD: TEXT, PLACEHOLDER: value_of(_prefix)}, f"a map with {FIELD} and {PLACEHOLDER}")


def read_scan_codes(node: Node, _name: str, find: Find) -> ScanCodeSettings | None:
    """Read ``scan_codes`` of the settings. Return None if it does not fit, which is a finding."""
    read = _SHAPE(node, SCAN_CODES, find)
    for name in _MEMBERS:
        if read is not None and name not in node.value:
            find(node, f"{SCAN_CODES}.{name} is missing; expected {{{FIELD}: barcode, {PLACEHOLDER}: IMP-}}")
    return ScanCodeSettings(**read) if read and len(read) == len(node.value) == len(_MEMBERS) else None
