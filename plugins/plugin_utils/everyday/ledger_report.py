# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reports of a comparison with the ledger. The suffix of a file decides its format."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Template

from ...module_utils.printing.cleaner import clean
from .paper import paper
from .report_files import Form, as_csv, as_json, as_workbook

_COLUMNS = ("finding", "key", "scan_code", "name", "field", "books", "instance", "place")

_MOST_ROWS = 5000
"""Maximum rows of a page. Browsers can't print a longer page."""

_LISTS = (
    ("In the books, and not found", "not_found", {"Key": "key", "Row": "place"}),
    ("Found, and not in the books", "not_in_books", {"Key": "key", "Code": "scan_code", "Name": "name"}),
    (
        "Different values",
        "differences",
        {
            "Key": "key",
            "Code": "scan_code",
            "Name": "name",
            "Field": "label",
            "Books": "books",
            "Instance": "instance",
            "Row": "place",
        },
    ),
    ("Doubtful", "doubtful", {"Key": "key", "Row": "place", "Reason": "reason"}),
    ("Skipped rows", "skipped", {"Key": "key", "Row": "place", "Reason": "reason"}),
)
"""The title of a list, its member of the result, and its columns."""


def _rows(document: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    """Yield the titles of the columns, and a row for each finding."""
    yield _COLUMNS
    for _title, member, _columns in _LISTS:
        for finding in document[member]:
            cells = {**finding, "finding": member, "instance": finding.get("instance") or finding.get("reason")}
            yield [clean(str(cells.get(name) or "")) for name in _COLUMNS]


@functools.cache
def _template() -> Template:
    return paper(Path(__file__).with_name("ledger.html.j2"))


def _as_html(document: Mapping[str, Any]) -> bytes:
    room, lists = _MOST_ROWS, []
    for title, member, columns in _LISTS:
        found = document[member]
        rows = [[finding[name] for name in columns.values()] for finding in found[:room]]
        room -= len(rows)
        if found:
            lists.append({"title": title, "heads": list(columns), "rows": rows, "number": len(found)})
    shown = {name: document[name] for name in ("instance", "file", "date", "sees", "counts")}
    return _template().render(lists=lists, **shown).encode()


FORMS: dict[str, Form] = {
    ".csv": lambda document: as_csv(_rows(document)),
    ".html": _as_html,
    ".json": as_json,
    ".xlsx": lambda document: as_workbook({"ledger": _rows(document)}),
}
"""The suffix of a report to the function that writes it."""
