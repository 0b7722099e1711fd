# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The placeholders of scan codes, and the time zone, that the settings of some files name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.model.field import shorten

from ..desired.nodes import Node
from ..desired.positions import Finding
from ..desired.yaml_source import read_yaml

_SETTINGS = "instance.yml"
_LARGEST = 1 << 20
_SHORTEST_PREFIX = 2


@dataclass(frozen=True)
class ScanCodes:
    """The scan codes of a set of files.

    :ivar field: the field that holds them; empty: the default.
    :ivar placeholder: the prefix of codes that stand for a label which is still to be stuck on; empty: none.
    :ivar timezone: of times without an offset; empty: not said.
    """

    field: str = ""
    placeholder: str = ""
    timezone: str = ""

    def is_placeholder(self, code: str) -> bool:
        """Return True for the prefix followed by digits only."""
        digits = code.removeprefix(self.placeholder)
        return bool(self.placeholder) and len(digits) < len(code) and digits.isascii() and digits.isdigit()


def read_scan_codes(sources: Sequence[Path]) -> ScanCodes:
    """Return what the settings in some layers say; a later layer wins.

    :raises InvalidInput: if a file can't be read, or ``scan_codes`` is wrong.
    """
    found = ScanCodes()
    for path in sources:
        node = _settings(path)
        if node is None or not isinstance(node.value, dict):
            continue
        zone = node.value.get("timezone")
        timezone = str(zone) if isinstance(zone, str) else found.timezone
        found = ScanCodes(found.field, found.placeholder, timezone)
        if "scan_codes" in node.value:
            found = _scan_codes(node.member("scan_codes"), timezone)
    return found


def _settings(path: Path) -> Node | None:
    """Return the settings of a layer: a directory has a file with them, a single file a section."""
    findings: list[Finding] = []
    try:
        if path.is_dir():
            folder, name = Folder(path), _SETTINGS
            if folder.type_of(name) is None:
                return None
        elif path.suffix in (".yml", ".yaml"):
            folder, name = Folder(path.parent), path.name
        else:
            return None
        node = read_yaml(folder.read(name, _LARGEST).decode(), name, findings)
    except (InvalidInput, OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"src: {path}: {error}") from error
    if findings:
        raise InvalidInput([f"src: {finding}" for finding in findings])
    if node is None or path.is_dir():
        return node
    return node.member("instance") if isinstance(node.value, dict) and "instance" in node.value else None


def _scan_codes(node: Node, timezone: str) -> ScanCodes:
    value: Any = node.value
    if not isinstance(value, dict):
        raise InvalidInput(f"src: {node.place}: scan_codes: expected a map with field and placeholder")
    field, placeholder = value.get("field", ""), value.get("placeholder", "")
    is_prefix = isinstance(placeholder, str) and len(placeholder) >= _SHORTEST_PREFIX and not placeholder[-1].isdigit()
    if not is_prefix or not isinstance(field, str):
        raise InvalidInput(
            f"src: {node.place}: scan_codes: placeholder: {shorten(placeholder)} does not fit; expected a prefix of at "
            "least two characters that does not end in a digit, such as IMP-"
        )
    return ScanCodes(field, placeholder, timezone)
