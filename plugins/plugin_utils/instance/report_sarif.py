# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings of an account as SARIF 2.1.0, so that each stands at its line in a review."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean, cleaned

from .outcome import RunResult

_RULE = "finding"
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>[0-9]+):(?P<column>[0-9]+): (?P<message>.*)", re.DOTALL)
_CELL = re.compile(r"(?P<file>.+?\.xlsx):(?P<message>.*)", re.DOTALL | re.IGNORECASE)
_FILE = re.compile(r"(?P<file>[^:]+\.(?:ya?ml|csv|tsv|jsonl|xls\w?|ods)): (?P<message>.*)", re.DOTALL | re.IGNORECASE)
_SETTINGS = "instance.yml"
"""The file at which findings stand that are about no other one: code hosts take none without a place."""


def as_sarif(account: RunResult, src: Path | None = None) -> str:
    """Each finding as a result.

    :param src: the directory of the files. Where it lies in a checkout, files are place_alone from the root of that, as
        reviews name them.
    """
    base = _from_checkout(src)
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "community.seventhings",
                        "version": account.made_by.get("version", ""),
                        "rules": [
                            {"id": _RULE, "shortDescription": {"text": "The files can't be applied as they are"}}
                        ],
                    }
                },
                "results": [_result(text, base) for text in account.every_finding or account.findings],
            }
        ],
    }
    lines = json.dumps(cleaned(document), indent=1, ensure_ascii=False).split("\n")
    return "".join(f"{clean(line)}\n" for line in lines)


def _result(finding: str, base: PurePosixPath) -> dict[str, Any]:
    found = {"ruleId": _RULE, "level": "error"}
    place = _PLACE.fullmatch(finding)
    if place is not None:
        region = {"startLine": int(place["line"]), "startColumn": int(place["column"])}
        return {**found, "message": {"text": place["message"]}, "locations": [_location(base, place["file"], region)]}
    place_alone = _CELL.fullmatch(finding) or _FILE.fullmatch(finding)
    message, file = (
        (place_alone["message"].strip(), place_alone["file"]) if place_alone is not None else (finding, _SETTINGS)
    )
    return {**found, "message": {"text": message}, "locations": [_location(base, file, {})]}


def _location(base: PurePosixPath, file: str, region: dict[str, int]) -> dict[str, Any]:
    artifact = {"artifactLocation": {"uri": quote((base / file).as_posix(), errors="surrogatepass")}}
    return {"physicalLocation": {**artifact, "region": region} if region else artifact}


def _from_checkout(src: Path | None) -> PurePosixPath:
    """The way from the root of the checkout to the files."""
    if src is None:
        return PurePosixPath()
    folder = src.absolute()
    root = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)
    return PurePosixPath(folder.relative_to(root).as_posix())
