# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the result of a module as reports. The suffix of a file decides its format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ...module_utils.printing.cleaner import clean
from ..report.text_report import check_report_path, store_report

Form = Callable[[Mapping[str, Any]], bytes]
"""Writes a result in one format."""


def as_json(document: Mapping[str, Any]) -> bytes:
    """Return a result as JSON."""
    lines = json.dumps(document, indent=1, ensure_ascii=False).split("\n")
    return "".join(f"{clean(line)}\n" for line in lines).encode()


def paths_of(written: Iterable[str], forms: Mapping[str, Form]) -> list[Path]:
    """Return the paths of reports, checked before anything is read.

    :param forms: by the suffix of a file.
    :raises InvalidInput: for an unknown suffix, and if a file can't be written there.
    """
    paths = [Path(path).expanduser() for path in written]
    for path in paths:
        check_report_path(path, forms)
    return paths


def write_reports(document: Mapping[str, Any], paths: Iterable[Path], forms: Mapping[str, Form]) -> None:
    """Write a result to files that only their owner can read. Write none if one of them can't have it."""
    contents = [(path, forms[path.suffix](document)) for path in paths]
    for path, content in contents:
        store_report(path, content)
