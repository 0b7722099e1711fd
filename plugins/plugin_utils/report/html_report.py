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
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from ...module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ...module_utils.printing.cleaner import clean
from ..desired.desired import SECTIONS
from .groups import ACTION_ORDER, as_said, fields_by_number, groups, is_worth_a_table
from .in_brief import is_warned_of, tables
from .parts import (
    ALONE,
    DRIFT_WORDS,
    FIRST,
    SIGNS,
    SMALL,
    action_words,
    alone,
    cautions,
    forecast,
    hidden_records,
    key_and_name,
    reasons,
    remark,
    scan_codes,
    sent,
    short,
    undo_words,
    warnings,
    words_of,
)
from .removals import removal_texts
from .result import DONE, RunResult, in_figures

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

_OUTCOMES = {
    "unchanged": "Nothing differs",
    "changed": "Changed",
    "drift": "Drift",
    "failed": "Failed",
    "refused": "Refused",
    "partly_applied": "Partly applied",
    "partly_undone": "Partly undone",
}
_LEAST_SHARE = 1.5
"""Minimum width of a share in percent, so that it is visible."""

_OPEN_AT_ONCE = 40
_OPEN_REMOVALS = 10
"""Maximum number of records in a group with removals that is open from the start: removals must be visible at once."""

_WITH_PLACES = 1000
_LONGEST_VALUE = 200
_LONGEST_TEXT = 1000
_EXAMPLES = 20
_MOST_FIELDS = 50

_MOST_BYTES = 1_950_000
"""Maximum size of the page: a phone does not open a larger page."""

_LIST_BYTES = 150_000
"""Maximum size of one list of texts."""

_LISTED_AT_ONCE = 10
"""Number of visible texts of a list. The others open with a click, so that the changes are not too far down."""

_GROUP_BYTES = 160
"""Size of the markup of a group besides its title."""

_FILES = Path(__file__).parent
"""The directory of the templates and the style."""


def _style() -> str:
    """Return the style of the page, with a rule for each choice of the filters."""
    choices = [f"{kind}-{name}" for kind, names in (("s", SECTIONS), ("a", ACTION_ORDER)) for name in names]
    hidden = (f"main:has(#only-{choice}:checked) .change:not(.{choice}) {{ display: none; }}" for choice in choices)
    colours = (f".{word} {{ fill: var(--{word}); background: var(--{word}); }}" for word in WORDS)
    return "\n".join([(_FILES / "plan.css").read_text("utf-8"), *hidden, *colours, ""])


def page_head(style: str) -> str:
    """Return the beginning of a page that lets a browser load nothing but one style: no script and no address."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
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


def page_template(style: str, body: Path) -> Template:
    """Return the template of a page from its style and the file of its body."""
    return page_environment().from_string(f"{{% raw %}}{page_head(style)}{{% endraw %}}{body.read_text('utf-8')}")


@functools.cache
def _templates() -> tuple[Template, Callable[..., Markup]]:
    """Return the template of the page, and its macro for a record."""
    record = page_environment().from_string((_FILES / "record.html.j2").read_text("utf-8"))
    return page_template(_style(), _FILES / "plan.html.j2"), vars(record.module)["record"]


def as_html(result: RunResult) -> str:
    """Return the page, below 2 MB. What does not fit is counted."""
    result = in_figures(result)
    first = {FIRST: cautions(result)} if result.cautions else {}
    wrong = [_listed(title, texts) for title, texts in {**first, **reasons(result)}.items()]
    others = [
        _listed(title, texts)
        for title, texts in (("Warnings", warnings(result)), ("Every finding", result.every_finding))
        if texts
    ]
    if result.reported:
        number = sum(map(len, result.reported.values()))
        others.append({**_listed(ALONE, alone(result, _EXAMPLES)), "number": number})
    room = _MOST_BYTES - sum(listing["bytes"] for listing in (*wrong, *others))
    # Show changed sections first, and the unchanged ones in one line each.
    changing = {
        section: counts
        for section, counts in result.summary.items()
        if any(number for word, number in counts.items() if word != "unchanged")
    }
    equal = {name: counts["unchanged"] for name, counts in result.summary.items() if name not in changing}
    known = {**WORDS, **DRIFT_WORDS} if result.is_drift else WORDS
    words = {word: name for word, name in known.items() if any(counts.get(word) for counts in changing.values())}
    numbers = fields_by_number(result.changes) if is_worth_a_table(result.changes) else []
    parts = _parts(result, room)
    return _templates()[0].render(
        **_top(result),
        tables=tables(result),
        is_small=len(result.changes) <= SMALL,
        rows=[_row(section, counts, words) for section, counts in changing.items()],
        legend=list(words.items()),
        equal=", ".join(f"{words_of(name)} ({number:,})" for name, number in equal.items()),
        wrong=wrong,
        others=others,
        fields=[(words_of(section), name, number) for section, name, number in numbers[:_MOST_FIELDS]],
        more_fields=max(0, len(numbers) - _MOST_FIELDS),
        most=numbers[0][2] if numbers else 1,
        at_once=_LISTED_AT_ONCE,
        parts=parts,
        changes=f"{len(result.changes):,}",
        sections=[(f"s-{name}", words_of(name)) for name in dict.fromkeys(part["section"] for part in parts)],
        actions=[
            (f"a-{name}", action_words(name, result.is_drift))
            for name in dict.fromkeys(part["action"] for part in parts)
        ],
    )


def _listed(title: str, texts: Sequence[str]) -> dict[str, Any]:
    """Return the first texts that fit."""
    shown: list[Markup] = []
    used = 0
    for text in texts:
        item = escape(clean(short(text, _LONGEST_TEXT)))
        used += _bytes(item)
        if used > _LIST_BYTES:
            break
        shown.append(item)
    name = f"list-{title.partition(' ')[0].strip(',').lower()}"
    return {
        "id": name,
        "title": title,
        "number": len(texts),
        "texts": shown,
        "hidden": len(texts) - len(shown),
        "bytes": used,
    }


def _bytes(text: str) -> int:
    return len(text.encode())


def _top(result: RunResult) -> dict[str, Any]:
    outcome = _OUTCOMES.get(result.outcome, result.outcome)
    if result.check_mode and result.outcome == "changed":
        outcome = "Would change"
    return {
        "instance": result.title,
        "badge": _badge(result),
        "outcome": outcome,
        "sent": sent(result),
        "number": _number(result),
        "requests": f"{result.requests:,}",
        "seconds": f"{result.duration:.1f}",
        "plan_digest": result.plan_digest,
        "undo": undo_words(result),
        "forecast": forecast(result),
        "scan_codes": scan_codes(result),
        "hidden_records": hidden_records(result),
        "made_by": _made_by(result),
    }


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


def _row(section: str, numbers: Mapping[str, int], words: Mapping[str, str]) -> dict[str, Any]:
    """Return the shares of one section's records in the width of the page, and their numbers.

    :param words: the words for the counts of any section.
    """
    left = 0.0
    bars = []
    for word, share in zip(words, _shares([numbers.get(word, 0) for word in words]), strict=True):
        if share:
            bars.append((word, f"{left:.2f}", f"{share:.2f}"))
            left += share
    counts = ", ".join(f"{numbers[word]:,} {name}" for word, name in words.items() if numbers.get(word))
    shown = [f"{numbers[word]:,}" if numbers.get(word) else "" for word in words]
    return {"name": words_of(section), "told": counts, "bars": bars, "numbers": shown}


def _shares(numbers: Sequence[int]) -> list[float]:
    """Return each number in percent. A number above zero is wide enough to be visible."""
    total = sum(numbers) or 1
    wide = [max(_LEAST_SHARE, 100 * number / total) if number else 0.0 for number in numbers]
    scale = 100 / (sum(wide) or 1)
    return [share * scale for share in wide]


# ---- changes


def _parts(result: RunResult, room: int) -> list[dict[str, Any]]:
    """Return the groups of changes that fit.

    :param room: bytes.
    """
    changes, is_drift = result.changes, result.is_drift
    parts: dict[tuple[str, str], dict[str, Any]] = {}
    are_few, with_places = len(changes) <= _OPEN_AT_ONCE, len(changes) <= _WITH_PLACES
    for group in groups(changes, is_drift):
        name = f"{words_of(group.section)}: {action_words(group.action, is_drift)}"
        part = parts.setdefault(
            (group.action, group.section),
            {"section": group.section, "action": group.action, "name": name, "hidden": 0, "groups": []},
        )
        title = escape(clean(group.title))
        room -= _bytes(title) + _GROUP_BYTES
        records: list[str] = []
        for change in group.changes if room > 0 else ():
            record = _record(change, group.is_same, with_places, is_drift)
            room -= _bytes(record)
            if room < 0:
                break
            records.append(record)
        part["hidden"] += len(group.changes) - len(records)
        is_short_removal = group.action in (DELETE, ARCHIVE) and len(group.changes) <= _OPEN_REMOVALS
        is_open = is_short_removal or (are_few and group.action == UPDATE)
        if records:
            part["groups"].append({"title": title, "sign": SIGNS[group.action], "is_open": is_open, "records": records})
    return list(parts.values())


def _record(change: Mapping[str, Any], is_same: bool, with_place: bool, is_drift: bool) -> str:
    """Return a record with its fields, except those in the title of its group, as HTML with all values escaped."""
    values = [] if is_same else as_said(change, _LONGEST_VALUE)
    key = key_and_name(change)
    shown = [
        # The title of a group of updates names its fields, so don't repeat a single field.
        ("" if len(values) == 1 and change["action"] == UPDATE else name, before, after)
        for name, before, after in values
    ]
    if is_drift and change["action"] == UPDATE:
        shown = [(name, f"files say {after}", f"instance has {before}") for name, before, after in shown]
    one_sided = {CREATE: (True, False), DELETE: (False, True)}.get(change["action"], (False, False))
    fields: list[tuple[str, str | None, str | None]] = [
        (name, None if one_sided[0] else before, None if one_sided[1] else after) for name, before, after in shown
    ]
    texts = () if is_drift else removal_texts(change.get("removed", {}))
    fields += [(name, short(text, _LONGEST_VALUE), None) for name, text in texts]
    place = (change.get("place") or "") if with_place else ""
    return _templates()[1](key, place, remark(change, is_drift), fields)
