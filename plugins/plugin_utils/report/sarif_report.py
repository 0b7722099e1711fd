# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings, warnings and changes as SARIF 2.1.0, so that each is shown at its line in a review."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from ...module_utils.plan.change import ARCHIVE, DELETE
from ...module_utils.printing.cleaner import clean, cleaned
from ..desired.positions import CellPlace, Place
from .changes import row_of
from .result import RunResult, for_people
from .view import FEW
from .words import action_words

_FINDING, _WARNING, _REMOVAL, _CHANGE = "finding", "warning", "removal", "change"
_RULES = {
    _FINDING: "The files can't be applied as they are",
    _WARNING: "A warning that is not an error",
    _REMOVAL: "A record that is deleted or archived",
    _CHANGE: "Another change, if there are few",
}
_LEVELS = {_FINDING: "error", _CHANGE: "note"}
_BROKEN = "A rule of the task"
#: The file for findings without a file, because code hosts reject findings without a place.
_SETTINGS = "instance.yml"


def as_sarif(result: RunResult, src: Path | None = None) -> str:
    """Return each finding, warning and removal as a result, and the other changes if there are few.

    :param src: the directory of the files. In a checkout, files are named from its root, as reviews name them.
    """
    base = _from_checkout(src)
    # If a run failed before planning, its findings have no place.
    findings = result.located or [(Place(""), text) for text in result.findings]
    rules = result.rules
    found = [
        *((_FINDING, place, text) for place, text in findings),
        *((_WARNING, result.warning_places.get(text, Place("")), text) for text in result.warnings),
        *_changes(for_people(result)),
    ]
    if result.undone:
        # A place without a line is one in the apply record, which is not a file of the checkout.
        found = [(kind, place if place.line else Place(""), text) for kind, place, text in found]
    described = {**_RULES, **{rule.id: rule.because or _BROKEN for rule in rules.values()}}
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "community.seventhings",
                        "version": result.made_by.get("version", ""),
                        "rules": [{"id": name, "shortDescription": {"text": text}} for name, text in described.items()],
                    }
                },
                "results": [
                    _result(rules[text].id if text in rules else kind, _LEVELS.get(kind, "warning"), place, text, base)
                    for kind, place, text in found
                ],
            }
        ],
    }
    lines = json.dumps(cleaned(document), indent=1, ensure_ascii=False).split("\n")
    return "".join(f"{clean(line)}\n" for line in lines)


def _changes(result: RunResult) -> Iterator[tuple[str, Place, str]]:
    for number, change in enumerate(result.changes):
        is_removal = change["action"] in (DELETE, ARCHIVE)
        if is_removal or len(result.changes) <= FEW:
            row, words = row_of(change, result.is_drift), action_words(change["action"], result.is_drift)
            place = result.places.get(number, Place(""))
            remark = f" ({row.remark})" if row.remark not in ("", words) else ""
            texts = "; ".join(value.line for value in row.values)
            head = f"{words}: {row.section} {row.name}{remark}"
            kind = _REMOVAL if is_removal else _CHANGE
            yield kind, place if place.file else Place(""), ": ".join(filter(None, [head, texts]))


def _result(rule: str, level: str, place: Place, message: str, base: PurePosixPath) -> dict[str, Any]:
    region: dict[str, int] = {}
    if isinstance(place, CellPlace):
        message = f"{str(place).removeprefix(f'{place.file}:')}: {message}"
    elif place.line:
        region = {"startLine": place.line} | ({"startColumn": place.column} if place.column else {})
    elif not place.file and place.source:
        message = f"{place}: {message}"
    location = _location(base, place.file or _SETTINGS, region)
    return {"ruleId": rule, "level": level, "message": {"text": message}, "locations": [location]}


def _location(base: PurePosixPath, file: str, region: dict[str, int]) -> dict[str, Any]:
    artifact = {"artifactLocation": {"uri": quote((base / file).as_posix(), errors="surrogatepass")}}
    return {"physicalLocation": {**artifact, "region": region} if region else artifact}


def _from_checkout(src: Path | None) -> PurePosixPath:
    """Return the path from the root of the checkout to the files."""
    if src is None:
        return PurePosixPath()
    folder = src.absolute()
    root = next((directory for directory in (folder, *folder.parents) if (directory / ".git").exists()), folder)
    return PurePosixPath(folder.relative_to(root).as_posix())
