# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the files that a stocktake uses: scan codes, and the time zone. The records are not read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...module_utils.errors import InvalidInput
from ...module_utils.local.safe_files import Folder
from ..desired.encodings import WrongEncoding, decoded
from ..desired.loading import SETTINGS
from ..desired.nodes import Node
from ..desired.positions import Finding
from ..desired.scan_codes import SCAN_CODES, ScanCodeSettings, read_scan_codes
from ..desired.sources.yaml_source import read_yaml

_LARGEST = 1 << 20


@dataclass(frozen=True)
class StocktakeSettings:
    """The settings of a set of files.

    :ivar scan_codes: None if the files have none. :ivar timezone: of times without an offset; empty if not said.
    """

    scan_codes: ScanCodeSettings | None = None
    timezone: str = ""


def read_settings(sources: Sequence[Path]) -> StocktakeSettings:
    """Return the settings of some layers.

    The first layer with scan codes decides, and the last time zone counts.

    :raises InvalidInput: if a file can't be read, or ``scan_codes`` is wrong.
    """
    scan_codes, timezone = None, ""
    findings: list[Finding] = []
    for path in sources:
        node = _settings(path)
        if node is None or not isinstance(node.value, dict):
            continue
        zone = node.value.get("timezone")
        timezone = str(zone) if isinstance(zone, str) else timezone
        if SCAN_CODES in node.value:
            read = read_scan_codes(
                node.member(SCAN_CODES), lambda place, message: findings.append(Finding(place.place, message))
            )
            scan_codes = scan_codes or read
    if findings:
        raise InvalidInput([f"src: {finding}" for finding in findings])
    return StocktakeSettings(scan_codes, timezone)


def _settings(path: Path) -> Node | None:
    """Return the settings of a layer: from a file in a directory, or a section of a single file."""
    findings: list[Finding] = []
    try:
        if path.is_dir():
            folder = Folder(path)
            found = [name for name in SETTINGS if folder.type_of(name) is not None]
            if not found:
                return None
            name = found[0]
        elif path.suffix in (".yml", ".yaml"):
            folder, name = Folder(path.parent), path.name
        else:
            return None
        node = read_yaml(decoded(folder.read(name, _LARGEST))[0], name, findings)
    except (InvalidInput, OSError, WrongEncoding) as error:
        raise InvalidInput(f"src: {path}: {error}") from error
    if findings:
        raise InvalidInput([f"src: {finding}" for finding in findings])
    if node is None or path.is_dir():
        return node
    return node.member("instance") if isinstance(node.value, dict) and "instance" in node.value else None
