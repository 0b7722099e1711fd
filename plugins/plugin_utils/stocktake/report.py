# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reports of a stocktake, some of them tables. The suffix of a file decides its format.

In the columns ``code`` and ``accept`` a person marks the accepted deviations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...module_utils.printing.cleaner import clean
from ..everyday.report_files import Form, as_csv, as_json, as_workbook
from .report_html import as_html
from .status import STATUSES
from .tables import ACCEPT, CODE


def _objects(document: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the titles of the columns, and a row for each object."""
    money = dict.fromkeys(key for item in document["objects"] for key in item["amounts"])
    fixed = (CODE, ACCEPT, "status", "name", "target_room", "actual_room", "scanned", "time", "service_status")
    columns = [*fixed, "unlabelled", "reasons", *money]
    yield columns
    for item in document["objects"]:
        cells = {
            **item,
            **item["amounts"],
            CODE: item["scan_code"],
            ACCEPT: "",
            "unlabelled": "x" if item["unlabelled"] else "",
            "reasons": ", ".join(item["reasons"]),
        }
        yield [clean(cells.get(name) or "") for name in columns]


def _places(document: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield the titles of the columns, and a row for each place."""
    places = document["by_place"]
    columns = [
        "location",
        "room",
        *STATUSES,
        "visitors",
        *dict.fromkeys(key for row in places for key in row["amounts"]),
    ]
    yield columns
    for place in places:
        cells = {**place, **place["amounts"]}
        yield [clean("" if cells.get(name) is None else str(cells[name])) for name in columns]


FORMS: dict[str, Form] = {
    ".csv": lambda document: as_csv(_objects(document)),
    ".html": as_html,
    ".json": as_json,
    ".xlsx": lambda document: as_workbook({"objects": _objects(document), "# places": _places(document)}),
}
"""The suffix of a report to the function that writes it."""
