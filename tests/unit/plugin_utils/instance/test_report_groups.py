# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of very many changes begin with what happens to how many records."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.plugin_utils.report.changes import (
    groups,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.report.html_report import as_html
from ansible_collections.community.seventhings.plugins.plugin_utils.report.markdown_report import as_markdown
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text

_STORE, _OFFICE = {"target_room": "Store"}, {"target_room": "Head office/0.12"}


def update(key: str, before: dict[str, Any], after: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {
        "section": "objects", "key": key, "action": "update", "uuid": "u", "before": before, "after": after,
        "place": "o.yml:1:1", "labels": {}, "status": "not_tried", "reason": "", **members,
    }  # fmt: skip


def result_of(changes: list[dict[str, Any]], **members: Any) -> RunResult:
    given: dict[str, Any] = {
        "outcome": "changed", "instance": "https://acme.example", "check_mode": True,
        "summary": {"objects": {"updated": len(changes), "unchanged": 7}}, "changes": changes, "requests": 1,
    }  # fmt: skip
    return RunResult(**{**given, **members})


MANY = [
    *(update(f"M{number:02}", _STORE, _OFFICE) for number in range(14)),
    *(update(f"Q{number:03}", {"quantity": 1}, {"quantity": 2}) for number in range(999)),
    *(update(f"N{number}", {"note": "a"}, {"note": str(number)}) for number in range(2)),
    update("D", {"barcode": "D"}, {}, action="delete"),
    update("C", {}, {"barcode": "C"}, action="create"),
]


# ---- the page


def wide(number: int, fields: int = 3, length: int = 40) -> list[dict[str, Any]]:
    """Return updates that all differ."""
    return [
        update(
            f"{index:07d}",
            {f"field_{field}": f"{index:07d}".rjust(length, "a") for field in range(1 + index % fields)},
            {f"field_{field}": f"{index:07d}".rjust(length, "b") for field in range(1 + index % fields)},
        )
        for index in range(number)
    ]


@pytest.mark.parametrize("form", [as_text, as_markdown, as_html])
@pytest.mark.parametrize("number", [40, 41, 1100])
def test_the_first_20_of_a_group_are_shown_and_the_others_counted(
    form: Callable[[RunResult], str], number: int
) -> None:
    """Up to 40 changes are all shown."""
    report = form(result_of(wide(number, fields=1, length=5000)))
    shown = 40 if number == 40 else 20
    assert len(re.findall(r"(?:<li>|objects )\d{7}", report)) == shown
    assert (f"and {number - shown:,} more" in report) == (number > shown)
    assert "a" * 301 not in report
    texts = [f"{line}: {'<' * 900}" for line in range(1100)]
    long = form(result_of(wide(number), refusals=texts, findings=texts, warnings=texts))
    assert long.count("and 1,080 more") == 3 or form is as_markdown
    assert "0000000" in long


def choices(page: str, name: str) -> list[tuple[str, str]]:
    """Return id and text of each choice of a filter."""
    return re.findall(rf'<input type="radio" name="{name}" id="([\w-]+)">([^<]*)<', page)


def test_a_page_is_filtered_by_section_and_action_without_a_script() -> None:
    rooms = [{**update("R", {"name": 1}, {"name": 2}), "section": "rooms"}]
    page = as_html(result_of([*MANY, *rooms]))
    assert choices(page, "section") == [("only-s-objects", "objects"), ("only-s-rooms", "rooms")]
    assert choices(page, "action") == [
        ("only-a-delete", "delete"),
        ("only-a-update", "update"),
        ("only-a-create", "create"),
    ]
    for name, _text in (*choices(page, "section"), *choices(page, "action")):
        hidden = name.removeprefix("only-")
        assert f"main:has(#{name}:checked) .change:not(.{hidden}) {{ display: none; }}" in page
        assert re.search(rf'<details class="change [^"]*\b{hidden}\b', page)
    assert choices(as_html(result_of([update("1", {"a": 1}, {"a": 2})])), "action") == [], "one action needs no filter"
    assert "@media print" in page


def test_no_group_crowds_out_the_others_in_a_comment() -> None:
    deletions = [update(f"D{number:04}", {"note": "x" * 60}, {}, action="delete") for number in range(2000)]
    odd = [update(f"N{number:04}", {"note": "a"}, {"note": str(number)}) for number in range(2000)]
    comment = as_markdown(result_of([*deletions, *odd, *MANY]))
    assert len(comment) <= 60_000
    for number, title in ((1981, "delete: 2,001 objects"), (1982, "note: 2,002 objects")):
        assert f"\n\nand {number:,} more of `{title}`\n" in comment
    assert "`quantity 1 -> 2: 999 objects`" in comment
    assert "`objects C`" in comment


def test_of_many_groups_the_largest_are_shown_and_the_others_together() -> None:
    changes = [
        update(f"{number}-{group}", {f"f{group}": 1}, {f"f{group}": 2}) for group in range(30) for number in range(3)
    ]
    found = groups(changes)
    assert len(found) == 21
    assert (found[-1].title, len(found[-1].changes)) == ("other changes: 30 objects", 30)


def test_the_order_of_written_fields_splits_no_group() -> None:
    changes = [
        update(str(number), {}, {"a": number, "b": number} if number % 2 else {"b": number, "a": number})
        for number in range(6)
    ]
    assert [group.title for group in groups(changes)] == ["b, a: 6 objects"]


@pytest.mark.parametrize(
    ("members", "badge"),
    [
        ({"changes": [update("1", {"a": 1}, {"a": 2})]}, "neutral"),
        ({"changes": [update("1", {"a": 1}, {}, action="delete")]}, "warned"),
        ({"changes": [update("1", {}, {}, action="archive")]}, "warned"),
        ({"changes": MANY[:1], "undo": "cannot be undone: 1 user"}, "warned"),
        ({"changes": MANY[:1], "mails": [{"section": "users", "count": 1, "to": ["a@acme.example"]}]}, "warned"),
        ({"changes": [], "outcome": "unchanged"}, "good"),
        ({"changes": MANY[:1], "outcome": "refused", "refusals": ["no"]}, "bad"),
    ],
)
def test_the_colour_warns_of_what_is_lost_or_sent(members: dict[str, Any], badge: str) -> None:
    assert f'<span class="badge {badge}">' in as_html(result_of(**{"changes": [], **members}))


# ---- colours


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, as WCAG defines it."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[index : index + 2], 16) / 255 for index in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_every_text_has_a_contrast_of_4_5_in_both_themes() -> None:
    page = as_html(result_of(MANY))
    blocks = re.findall(r":root \{(.*?)\}", page, re.DOTALL)
    themes = [colours for block in blocks if (colours := dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", block)))]
    pairs = [
        *((text, background) for text in ("text", "soft") for background in ("page", "card")),
        *(("text", background) for background in ("before", "after")),
        *(("on-badge", background) for background in ("good", "neutral", "warned", "bad")),
        ("link", "page"),
    ]
    assert len(themes) == 2
    for theme in themes:
        for text, background in pairs:
            darker, lighter = sorted((luminance(theme[text]), luminance(theme[background])))
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (text, background, theme)


def test_a_page_has_landmarks_and_tables_have_heads() -> None:
    given = result_of(MANY, moves=[{"section": "objects", "field": "r", "from": None, "to": "A/1", "count": 2}])
    page = as_html(given)
    assert re.findall(r"<(header|main)\b", page) == ["header", "main"]
    for table in re.findall(r"<table>.*?</table>", page, re.DOTALL):
        assert '<th scope="col"' in table
        assert '<th scope="row"' in table
