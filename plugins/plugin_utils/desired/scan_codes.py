# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scan codes in the settings: objects are imported with placeholders, which labels replace later."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...module_utils.model.field import Plain, shorten
from ...module_utils.model.kinds import OBJECT
from .nodes import Node, find_unknown

SCAN_CODES = "scan_codes"
"""The setting of ``instance.yml``."""

FIELD, PLACEHOLDER = "field", "placeholder"
_SHORTEST_PREFIX = 2


_MOST_DIGITS = 18
"""Maximum digits of a placeholder. A longer number was given to an object by somebody else."""


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


def read_scan_codes(node: Node, find: Callable[[Node, str], None]) -> ScanCodeSettings | None:
    """Read ``scan_codes`` of the settings. Return None if it does not fit, which is a finding."""
    if not isinstance(node.value, dict):
        find(node, f"{SCAN_CODES}: expected a map with {FIELD} and {PLACEHOLDER}")
        return None
    find_unknown(node, (FIELD, PLACEHOLDER), f"{SCAN_CODES}.", find)
    wrong = not {FIELD, PLACEHOLDER}.issuperset(node.value)
    texts = {name: _text(node, name, find) for name in (FIELD, PLACEHOLDER)}
    field, prefix = texts[FIELD], texts[PLACEHOLDER]
    if prefix and (len(prefix) < _SHORTEST_PREFIX or prefix[-1].isdigit() or prefix != prefix.strip()):
        expected = "expected at least two characters that do not end in a digit, such as IMP-"
        find(node.member(PLACEHOLDER), f"{SCAN_CODES}.{PLACEHOLDER}: {shorten(prefix)} does not fit; {expected}")
        wrong = True
    return None if wrong or not field or not prefix else ScanCodeSettings(field, prefix)


def check_identity(
    node: Node,
    settings: ScanCodeSettings | None,
    identity: Mapping[str, Sequence[str]],
    find: Callable[[Node, str], None],
) -> None:
    """Find settings without another field that identifies an object when a label replaces its scan code.

    :param identity: section to the fields that identify its records.
    """
    named = identity.get(OBJECT.section, ())
    if named and (settings is None or settings.field not in named):
        return
    why = f"names {settings.field} itself" if settings is not None and named else "is missing"
    find(
        node,
        f"{SCAN_CODES}: identity.{OBJECT.section} {why}; a label replaces the scan code, so expected another field "
        f"that finds the object then, such as identity: {{{OBJECT.section}: [asset_number]}}",
    )


def _text(node: Node, name: str, find: Callable[[Node, str], None]) -> str:
    if name not in node.value:
        find(node, f"{SCAN_CODES}.{name} is missing; expected {{{FIELD}: barcode, {PLACEHOLDER}: IMP-}}")
        return ""
    value = node.value[name]
    if not isinstance(value, str) or isinstance(value, Plain) or not value:
        find(node.member(name), f"{SCAN_CODES}.{name}: {shorten(value)} does not fit; expected a text")
        return ""
    return str(value)
