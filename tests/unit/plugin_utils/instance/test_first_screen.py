# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first screen of a report shows what is wrong with a plan, however long the plan is."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded
from instance_site import SETTINGS, yaml_list
from project import LONG

from ansible_collections.community.seventhings.plugins.plugin_utils.report.csv_report import as_csv
from ansible_collections.community.seventhings.plugins.plugin_utils.report.html_report import as_html
from ansible_collections.community.seventhings.plugins.plugin_utils.report.markdown_report import as_markdown
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text

TASK_LIMITS = {"update_percent": 100, "delete_percent": 100}
"""The limits of every task in this file."""

OPEN = f"{SETTINGS}policy: {{prune: {{objects: delete}}}}\n"
PLACES = {
    "locations.yml": "- name: Head\n",
    "rooms.yml": yaml_list({"number": f"0.{number}", "building_id": "Head"} for number in range(20)),
}

_LINES = 40
"""Number of lines of a terminal, or of a comment, that are visible at once."""

_CHARACTERS = 3000
"""Number of characters of a page that are visible at once."""


def thing(number: int, **fields: Any) -> dict[str, Any]:
    """Return an object as the first apply has it."""
    usual = {
        "inventory_name": f"Thing {number}",
        "serial_number": f"SN-{number:05}",
        "purchasing_price": f"{100 + number}.50",
        "purchasing_date": "2024-05-31",
        "target_room": f"Head/0.{number % 19}",
    }
    return {"barcode": str(100001 + number), **usual, **fields}


def mistakes(changes: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """Return the objects before and after, and the number that is new in one room.

    This number of changes has mistakes: a deletion of an object with a file, dates in 2105, prices times 100, a column
    that is shifted by a row, and objects that are all moved into one room.
    """
    share = min(max((changes - 1) // 4, 1), 249)
    first = [thing(number) for number in range(changes)]
    first[0]["documents"] = ["manual.pdf"]
    after = [dict(record) for record in first[1:]]
    for number, record in enumerate(after):
        part = number // share
        if part == 0:
            record["purchasing_date"] = f"2105-01-{number % 28 + 1:02}"
        elif part == 1:
            record["purchasing_price"] = str(float(record["purchasing_price"]) * 100)
        elif part == 2:
            record["serial_number"] = first[number + 2]["serial_number"]
        elif part == 3:
            record["target_room"] = "Head/0.19"
        else:
            record["inventory_name"] = f"Renamed {number}"
    return first, after, share


def planned(changes: int, tmp_path: Path) -> tuple[RunResult, int]:
    """Return a plan with many changes, and mistakes among them."""
    first, after, share = mistakes(changes)
    site = Embedded.started(data="empty").site(tmp_path)
    site.write({"instance.yml": OPEN, **PLACES, "manual.pdf": b"%PDF-1.7\n", "objects.yml": yaml_list(first)})
    result = site.run()
    assert result.outcome == "changed", as_text(result)[-2000:]
    site.write({"objects.yml": yaml_list(after)})
    return site.plan(), share


def first_lines(text: str) -> str:
    """Return the beginning of the output in a terminal."""
    return "\n".join(text.splitlines()[:_LINES])


def seen_in_a_comment(result: RunResult) -> str:
    """Return the visible beginning of a comment before anything is clicked.

    Empty lines and the lines below the heads of tables separate parts. Nobody sees them as lines.
    """
    unfolded = re.sub(r"<details>.*?</details>", "", as_markdown(result), flags=re.DOTALL).replace("`", "")
    return first_lines("\n".join(line for line in unfolded.splitlines() if line.strip("|-: ")))


def seen_on_the_page(result: RunResult) -> str:
    """Return the text of the first screen of the page."""
    body = as_html(result).partition("<body>")[2]
    return html.unescape(re.sub(r"<[^>]*>|\s+", " ", body))[:_CHARACTERS]


FORMS: dict[str, Callable[[RunResult], str]] = {
    "text": lambda account: first_lines(as_text(account)),
    "markdown": seen_in_a_comment,
    "page": seen_on_the_page,
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("changes", [5, 60, 700, *([6000] if LONG else [])])
def test_each_mistake_is_named_on_the_first_screen(changes: int, tmp_path: Path) -> None:
    account, share = planned(changes, tmp_path)
    assert len(account.changes) == changes
    for name, form in FORMS.items():
        screen = form(account)
        words = [f"{share} {'date' if share == 1 else 'dates'} before 1950 or more than 20 years ahead", "2105-01-01"]
        words += ["Head/0.19", "1 attachment", "100001 Thing 0"]
        if changes == 5:
            words += ["10,250.00", "SN-00003", "SN-00004"]
        words.append(f"{share} value{'' if share == 1 else 's'} multiplied by 100")
        if share >= 5:
            words += [f"{share - 1} values that other records had before"]
        if share > 100:
            words.append(f"{share} records newly in one room, Head/0.19")
        words.append("can be undone only in part: 1 deletion")
        for word in words:
            assert word in screen, (name, word, screen)
        assert not re.search(r"\b[0-9a-f]{8}-[0-9a-f]{4}-", screen)
    rows = list(csv.DictReader(io.StringIO(as_csv(account).removeprefix("\ufeff"))))
    marked = [row["field"] for row in rows if row["odd"]]
    assert all(row["odd"] for row in rows[: len(marked)])
    assert rows[len(marked)]["action"] == "delete"
    assert marked.count("purchasing_date") == share
    assert marked.count("purchasing_price") == share
    assert marked.count("target_room") == (share if share > 100 else 0)


def test_a_phone_shows_the_beginning_of_each_finding(tmp_path: Path) -> None:
    page = as_html(planned(60, tmp_path)[0])
    narrow = page.partition("@media (max-width: 40rem)")[2].partition("@media")[0]
    assert "#list-look li { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4;" in narrow
    assert '<section id="list-look" class="first"' in page
    assert '<td class="unbroken">delete</td>' in page
