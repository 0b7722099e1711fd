# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A handover as one printable A4 page, with lines for signatures."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Template

from .paper import paper

_LISTS = (
    (
        "Objects",
        "objects",
        {
            "Code": "scan_code",
            "Name": "name",
            "Serial number": "serial_number",
            "Target room": "target_room",
            "Actual room": "actual_room",
        },
    ),
    ("Rental cases", "rental_cases", {"Title": "title", "Status": "status", "From": "from", "Until": "until"}),
    ("Tasks", "tasks", {"Title": "title", "Status": "status", "Deadline": "until"}),
)
"""The title of a list, its member of the result, and its columns."""


@functools.cache
def _template() -> Template:
    return paper(Path(__file__).with_name("sheet.html.j2"))


def as_sheet(document: Mapping[str, Any], instance: str, date: dt.datetime) -> bytes:
    """Return the page. Every text in it is escaped."""
    lists = [
        {
            "title": title,
            "heads": list(columns),
            "rows": [[record[name] for name in columns.values()] for record in document[member]],
        }
        for title, member, columns in _LISTS
    ]
    text = _template().render(
        name=_called(document["person"]),
        to=_called(document["to"]) if document["to"] else "",
        instance=instance,
        date=date.isoformat(timespec="minutes"),
        sees=document["sees"],
        lists=lists,
    )
    return text.encode()


def _called(person: Mapping[str, Any]) -> str:
    return f"{person['name']} ({person['email']})" if person["email"] else str(person["name"])
