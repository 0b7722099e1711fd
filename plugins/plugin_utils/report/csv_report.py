# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The changes of a plan or an apply as a table for spreadsheets, with a row for each field of each change."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean

from ..desired.sources.formulas import escaped
from .groups import said
from .parts import field_name, keys_of
from .removals import removal_texts
from .result import RunResult

_COLUMNS = ("section", "action", "key", "name", "field", "before", "after", "place", "note", "status", "reason")

_BYTE_ORDER_MARK = "\ufeff"
"""Spreadsheets read UTF-8 only after this mark."""


def as_csv(result: RunResult) -> str:
    """Return the changes as CSV in UTF-8, with no cell that a spreadsheet runs as a formula."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for change in result.changes:
        rows.writerows([escaped(clean(cell)) for cell in row] for row in _rows(change))
    return _BYTE_ORDER_MARK + text.getvalue()


def _rows(change: Mapping[str, Any]) -> Iterator[list[str]]:
    head = [change["section"], change["action"], change["key"], change.get("name", "")]
    last = [str(change.get(name, "")) for name in ("place", "note", "status", "reason")]
    before, after = change["before"], change["after"]
    for key in keys_of(change):
        yield [*head, field_name(change, key), _cell(before.get(key)), _cell(after.get(key)), *last]
    for name, text in removal_texts(change.get("removed", {})):
        yield [*head, name, text, "", *last]
    if not keys_of(change):
        yield [*head, "", "", "", *last]


def _cell(value: Any) -> str:
    return "" if value is None else said(value)
