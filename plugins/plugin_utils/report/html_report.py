# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a plan or an apply as one page without scripts or further files, for phones, in light and dark mode.

Everything that is put into the template is cleaned and escaped there, and the page's own policy lets a browser load
nothing but its style.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from ...module_utils.plan.change import ARCHIVE, DELETE, UPDATE
from ...module_utils.printing.cleaner import clean
from ..desired.desired import SECTIONS
from .changes import ACTION_ORDER, SIGNS, Change, Group, Value, key_and_name, remark, values_of
from .result import DONE, RunResult
from .view import FEW, View, is_warned_of, view_of
from .words import DRIFT_WORDS, action_words, words_of

WORDS: dict[str, str] = {
    "created": "new",
    "updated": "changed",
    "deleted": "deleted",
    "archived": "archived",
    "errors": "failed",
    "skipped": "skipped",
    "unchanged": "unchanged",
}
"""The word on the page for each count."""

_SMALL = 10
"""Maximum number of changes that a reader sees before anything else about them."""

_OPEN_REMOVALS = 10
"""Maximum number of records in a group with removals that is open from the start: removals must be visible at once."""

_MOST_NAMED = 10_000
"""Maximum number of records of a group that are only named."""

_FILES = Path(__file__).parent
"""The directory of the templates and the style."""


def _style() -> str:
    """Return the style of the page, with a rule for each choice of the filters."""
    choices = [f"{kind}-{name}" for kind, names in (("s", SECTIONS), ("a", ACTION_ORDER)) for name in names]
    hidden = (f"main:has(#only-{choice}:checked) .change:not(.{choice}) {{ display: none; }}" for choice in choices)
    colours = (f".{word} {{ fill: var(--{word}); background: var(--{word}); }}" for word in WORDS)
    return "\n".join([(_FILES / "plan.css").read_text("utf-8"), *hidden, *colours, ""])


def page_head(style: str, language: str = "en") -> str:
    """Return the beginning of a page that lets a browser load nothing but one style: no script and no address."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"
    return f"""<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{style}</style>
"""


def _printable(value: Any) -> Any:
    """Return a text for the page, cleaned and escaped; markup of the template stays."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def page_environment() -> Environment:
    """Return the environment that renders pages: everything that is put into a template is cleaned and escaped."""
    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def page_template(style: str, body: Path, language: str = "en") -> Template:
    """Return the template of a page from its style and the file of its body."""
    head = page_head(style, language)
    return page_environment().from_string(f"{{% raw %}}{head}{{% endraw %}}{body.read_text('utf-8')}")


@functools.cache
def _template() -> Template:
    return page_template(_style(), _FILES / "plan.html.j2")


def as_html(result: RunResult) -> str:
    """Return the page."""
    view = view_of(result)
    changing = {section: counts for section, counts in result.summary.items() if _changing(counts)}
    equal = (
        f"{words_of(section)} ({counts['unchanged']:,})"
        for section, counts in result.summary.items()
        if section not in changing
    )
    known = {**WORDS, **DRIFT_WORDS} if result.is_drift else WORDS
    words = {word: name for word, name in known.items() if any(counts.get(word) for counts in changing.values())}
    parts = {(group.section, group.action): None for group in view.groups}
    return _template().render(
        view=view,
        notes=[*view.notes, *view.places],
        badge=_badge(result),
        outcome="Nothing differs" if view.outcome == "unchanged" else view.outcome.replace("_", " ").capitalize(),
        number=_number(result),
        made_by=_made_by(result),
        is_small=len(result.changes) <= _SMALL,
        rows=[_row(section, counts, words, _most(changing)) for section, counts in changing.items()],
        legend=list(words.items()),
        equal=", ".join(equal),
        groups=[_group(group, view) for group in view.groups],
        changes=f"{len(result.changes):,}",
        sections=[(f"s-{name}", words_of(name)) for name in dict.fromkeys(section for section, _action in parts)],
        actions=[
            (f"a-{name}", action_words(name, result.is_drift))
            for name in dict.fromkeys(action for _section, action in parts)
        ],
    )


def _badge(result: RunResult) -> str:
    """Return the class of the colour that the outcome has."""
    if result.failed:
        return "bad"
    if is_warned_of(result):
        return "warned"
    return "neutral" if result.check_mode and result.changes else "good"


def _number(result: RunResult) -> str:
    """Return the number of changes and, for an unfinished apply, how many were done."""
    number = len(result.changes)
    done = sum(1 for change in result.changes if change.get("status") == DONE)
    return f"{done:,} of {number:,} changes done" if 0 < done < number else f"{number:,} changes"


def _made_by(result: RunResult) -> str:
    """Return the set, the date, the user and the version, as far as they are known."""
    words = {"set": "set {}", "date": "{}", "user": "by {}", "version": "community.seventhings {}"}
    origins = (form.format(result.made_by[name]) for name, form in words.items() if result.made_by.get(name))
    return ", ".join(origins)


# ---- the picture


def _changing(counts: Mapping[str, int]) -> int:
    """Return the number of records of a section that do not stay as they are."""
    return sum(number for word, number in counts.items() if word != "unchanged")


def _most(sections: Mapping[str, Mapping[str, int]]) -> int:
    return max(map(_changing, sections.values()), default=1)


def _row(section: str, numbers: Mapping[str, int], words: Mapping[str, str], most: int) -> dict[str, Any]:
    """Return the numbers of one section, and a bar of its changes in the scale of all sections.

    :param words: the words for the counts of any section.
    :param most: the number of changes that is as long as the bar can be.
    """
    left = 0.0
    bars = []
    for word in words:
        width = 0.0 if word == "unchanged" else 100 * numbers.get(word, 0) / most
        if width:
            bars.append((word, f"{left:.3f}", f"{width:.3f}"))
            left += width
    counts = ", ".join(f"{numbers[word]:,} {name}" for word, name in words.items() if numbers.get(word))
    shown = [f"{numbers[word]:,}" if numbers.get(word) else "" for word in words]
    return {"name": words_of(section), "told": counts, "bars": bars, "numbers": shown}


# ---- changes


def _group(group: Group, view: View) -> dict[str, Any]:
    is_short_removal = group.action in (DELETE, ARCHIVE) and len(group.changes) <= _OPEN_REMOVALS
    return {
        "section": group.section,
        "action": group.action,
        "title": group.title,
        "sign": SIGNS[group.action],
        "is_open": len(view.result.changes) <= FEW or is_short_removal,
        "records": [_record(change, group, view) for change in group.first],
        "more": group.more,
        "others": ", ".join(key_and_name(change) for change in group.changes[group.most : group.most + _MOST_NAMED]),
        "unnamed": max(0, group.more - _MOST_NAMED),
    }


def _record(change: Change, group: Group, view: View) -> dict[str, Any]:
    """Return a record with its fields, except those in the title of its group."""
    is_drift, is_update = view.result.is_drift, change["action"] == UPDATE
    values = [] if group.is_same else values_of(change, is_drift, view.most, is_plain=True)
    if is_update and len(values) == 1 and group.title.startswith(values[0].name):
        # The title names the only field.
        values = [values[0]._replace(name="")]
    if is_update and is_drift:
        values = [Value(name, f"files say {after}", f"instance has {before}") for name, before, after in values]
    place = change.get("place") or ""
    return {"key": key_and_name(change), "place": place, "remark": remark(change, is_drift), "values": values}
