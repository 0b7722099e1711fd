# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account of a plan or an apply as one page: nothing beside it, no scripts, readable on a phone, light and dark.

All that is put into the template is cleaned and escaped there, and the page's own policy lets a browser take nothing
but its style.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from ansible_collections.community.seventhings.plugins.module_utils.plan.change import ARCHIVE, CREATE, DELETE, UPDATE
from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean

from .groups import as_said, fields_by_number, groups, is_worth_a_table
from .parts import (
    ALONE,
    FIRST,
    SIGNS,
    alone,
    cautions,
    forecast,
    hidden_records,
    key_and_name,
    mark,
    reasons,
    scan_codes,
    sent,
    short,
    warnings,
    words_of,
)
from .removals import removal_texts
from .result import DONE, RunResult

WORDS: dict[str, str] = {
    "created": "new",
    "updated": "changed",
    "deleted": "deleted",
    "archived": "archived",
    "errors": "failed",
    "skipped": "skipped",
    "unchanged": "unchanged",
}
"""Each thing that is counted, to the word for it on the page."""

_OUTCOMES = {
    "unchanged": "Nothing differs",
    "changed": "Changed",
    "drift": "Drift",
    "failed": "Failed",
    "refused": "Refused",
    "partly_applied": "Partly applied",
}
_LEAST_SHARE = 1.5
"""Percent of a bar that the smallest number still gets, so that it is seen."""

_OPEN_AT_ONCE = 40
_OPEN_IF_TAKEN = 10
"""Records of a group that is open whatever else there is, where it tells what is taken away: that is what to look at.
"""

_WITH_PLACES = 1000
_LONGEST_VALUE = 200
_LONGEST_TEXT = 1000
_EXAMPLES = 20
_MOST_FIELDS = 50

_MOST_BYTES = 1_950_000
"""The page stays below 2 MB: whatever is longer a phone does not open."""

_LIST_BYTES = 150_000
"""The part of it that one list of texts may take."""

_LISTED_AT_ONCE = 10
"""Texts of a list that are seen at once; the others open with a click, so that changes are not far below."""

_GROUP_BYTES = 160
"""The markup of a group beside its title."""

_STYLE = """
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --text: #1c2430; --soft: #5a6675; --line: #dde2e8;
  --created: #1a7f4b; --updated: #2563b8; --deleted: #c02f2f; --archived: #7a4fb5; --errors: #8f1313;
  --skipped: #b7791f; --unchanged: #ccd3db; --before: #fbeaea; --after: #e6f5ec; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161c; --card: #1b2129; --text: #e7ebf0; --soft: #9aa7b5; --line: #303a46;
  --created: #43b581; --updated: #6aa5f0; --deleted: #f07070; --archived: #b592ec; --errors: #ff8f8f;
  --skipped: #e0ab55; --unchanged: #3a4653; --before: #3a2226; --after: #1c3528; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
main { max-width: 60rem; margin: 0 auto; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.15rem; margin: 0 0 .75rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem; margin: 1rem 0; }
.soft { color: var(--soft); }
.badge { display: inline-block; border-radius: 1rem; padding: .1rem .8rem; font-weight: 600; color: var(--card); }
.unchanged-badge, .changed-badge { background: var(--created); }
.drift-badge { background: var(--skipped); }
.failed-badge, .refused-badge, .partly_applied-badge { background: var(--deleted); }
.row { display: grid; grid-template-columns: 8rem 1fr; gap: .1rem 1rem; align-items: center; margin: .6rem 0; }
.row svg { width: 100%; height: 1.1rem; border-radius: .25rem; display: block; }
.row .numbers { grid-column: 2; font-size: .9rem; color: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .9rem; margin-top: 1rem; }
.legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; margin-right: .35rem; }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; }
a { color: var(--updated); padding: .4rem 0; }
main:has(.part:target) .part:not(:target) { display: none; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .2rem .5rem .2rem 0; }
td { overflow-wrap: anywhere; } td:first-child, td.number { white-space: nowrap; } td.number { text-align: right; }
meter { width: 100%; min-width: 4rem; }
details { border-top: 1px solid var(--line); }
details:first-of-type { border-top: 0; }
summary { padding: .6rem 0; cursor: pointer; min-height: 2.75rem; }
summary b { margin-right: .5rem; font-family: ui-monospace, monospace; }
small { color: var(--soft); }
i { font-style: normal; font-weight: 600; }
del, ins { text-decoration: none; padding: .1rem .4rem; border-radius: .3rem; font-family: ui-monospace, monospace;
  font-size: .9rem; white-space: pre-wrap; }
del { background: var(--before); } ins { background: var(--after); }
del + ins::before { content: "\\2192\\00a0"; }
ul { padding-left: 1.2rem; margin: 0; } li { margin: .35rem 0; }
.bad { border-left: .35rem solid var(--deleted); }
@media (max-width: 40rem) {
  body { padding: .6rem; } h1 { font-size: 1.3rem; }
  .row { grid-template-columns: 1fr; } .row .numbers { grid-column: 1; }
  meter { min-width: 0; } td:last-child { width: 3rem; }
}
@media print {
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { background: none; padding: 0; font-size: 10pt; } main { max-width: none; } nav { display: none; }
  section { border: 0; padding: 0; } li, tr, .row { break-inside: avoid; }
  details::details-content { content-visibility: visible; height: auto; }
}
"""

_STYLE += "".join(f".{word} {{ fill: var(--{word}); background: var(--{word}); }}\n" for word in WORDS)


def page_head(style: str) -> str:
    """Return the beginning of a page that lets a browser take nothing but one style: no script, no address, no other
    style, whatever a text may bring with it.
    """
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{style}</style>
"""


_BODY = """
{%- macro listed(list, bad) %}
<section id="{{ list.id }}"{% if bad %} class="bad"{% endif %}><h2>{{ list.title }} ({{ list.number }})</h2><ul>
{%- for text in list.texts[:at_once] %}<li>{{ text }}</li>{% endfor %}</ul>
{%- if list.texts[at_once:] %}<details><summary>{{ list.texts[at_once:] | length }} more</summary><ul>
{%- for text in list.texts[at_once:] %}<li>{{ text }}</li>{% endfor %}</ul></details>{% endif %}
{%- if list.hidden %}<p class="soft">and {{ list.hidden }} more in the report as JSON</p>{% endif %}</section>
{% endmacro %}
<title>{{ outcome }}: {{ instance }}{% if made_by %} &middot; {{ made_by }}{% endif %}</title></head><body><main>
<h1>{{ instance }}</h1>
<p><span class="badge {{ badge }}-badge">{{ outcome }}</span> <span class="soft">{{ sent }} &middot;
{{ number }} &middot; {{ requests }} requests &middot; {{ seconds }} s</span></p>
{% if made_by %}<p class="soft">{{ made_by }}</p>
{% endif %}
{% if undo %}<p><strong>{{ undo }}</strong></p>
{% endif %}
{% if forecast %}<p>Forecast: {{ forecast }}</p>
{% endif %}
{% if scan_codes %}<p>{{ scan_codes }}</p>
{% endif %}{% if hidden_records %}<p>Hidden records: {{ hidden_records }}</p>
{% endif %}
{% if plan_digest %}<p class="soft">Plan file: sha256:{{ plan_digest }}</p>
{% endif %}
{% if rows or alike %}
<section><h2>How much changes where</h2>
{% for row in rows %}
<div class="row"><strong>{{ row.name }}</strong>
<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{{ row.name }}: {{ row.told }}">
{%- for word, left, width in row.bars %}<rect class="{{ word }}" x="{{ left }}" y="0" width="{{ width }}" height="10"/>
{%- endfor %}</svg>
<span class="numbers">{{ row.told }}</span></div>
{% endfor %}
{% if legend %}<div class="legend">
{% for word, name in legend %}<span><i class="{{ word }}"></i>{{ name }}</span>
{% endfor %}
</div>
{% endif %}{% if alike %}<p class="soft">All unchanged: {{ alike }}</p>
{% endif %}</section>
{% endif %}
{% for list in wrong %}{{ listed(list, true) }}{% endfor %}
{% if parts %}
<nav><a href="#">All</a>{% for part in parts %}<a href="#{{ part.id }}">{{ part.name }} ({{ part.told }})</a>
{%- endfor %}{% for list in others %}<a href="#{{ list.id }}">{{ list.title }} ({{ list.number }})</a>{% endfor %}</nav>
{% endif %}
{% if fields %}
<section><h2>Fields by number of changes</h2><table>
{% for section, name, number in fields %}
<tr><td>{{ section }}</td><td>{{ name }}</td><td class="number">{{ "{:,}".format(number) }}</td>
<td><meter max="{{ most }}" value="{{ number }}"></meter></td></tr>
{% endfor %}
</table>{% if more_fields %}<p class="soft">and {{ more_fields }} more</p>{% endif %}</section>
{% endif %}
{% for part in parts %}
<section class="part" id="{{ part.id }}"><h2>{{ part.name }} ({{ part.told }})</h2>
{% for group in part.groups %}
<details{% if group.is_open %} open{% endif %}><summary><b>{{ group.sign }}</b>{{ group.title }}</summary>
<ul>{% for record in group.records %}{{ record | safe }}{% endfor %}</ul></details>
{% endfor %}
{% if part.hidden %}<p class="soft">and {{ part.hidden }} more changes in the report as JSON</p>
{% endif %}
</section>
{% endfor %}
{% for list in others %}{{ listed(list, false) }}{% endfor %}
</main></body></html>
"""


def _printable(value: Any) -> Any:
    """A text that is put into the page, whatever was done to it before; markup of the template stays."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_RECORD = """<li>{{ key }}
{%- if place %} <small>{{ place }}</small>{% endif %}
{%- if mark %} <small>{{ mark }}</small>{% endif %}
{%- for name, before, after in fields %}
{%- if name %} <i>{{ name }}</i>{% endif %}
{%- if before is not none %} <del>{{ before }}</del>{% endif %}
{%- if after is not none %} <ins>{{ after }}</ins>{% endif %}
{%- endfor %}</li>"""


def page_environment() -> Environment:
    """Return what pages are rendered in: everything that is put into a template is cleaned and escaped."""
    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@functools.cache
def _templates() -> tuple[Template, Template]:
    environment = page_environment()
    page = f"{{% raw %}}{page_head(_STYLE)}{{% endraw %}}{_BODY}"
    return environment.from_string(page), environment.from_string(_RECORD)


def as_html(account: RunResult) -> str:
    """The page, below 2 MB; of what has no room it says how much there is."""
    first = {FIRST: cautions(account)} if account.cautions else {}
    wrong = [_listed(title, texts) for title, texts in {**first, **reasons(account)}.items()]
    others = [
        _listed(title, texts)
        for title, texts in (("Warnings", warnings(account)), ("Every finding", account.every_finding))
        if texts
    ]
    if account.reported:
        number = sum(map(len, account.reported.values()))
        others.append({**_listed(ALONE, alone(account, _EXAMPLES)), "number": number})
    room = _MOST_BYTES - sum(one["bytes"] for one in (*wrong, *others))
    # What changes stands first, and what does not is no more than a line.
    changing = {
        section: counts
        for section, counts in account.summary.items()
        if any(number for word, number in counts.items() if word != "unchanged")
    }
    alike = {name: counts["unchanged"] for name, counts in account.summary.items() if name not in changing}
    numbers = fields_by_number(account.changes) if is_worth_a_table(account.changes) else []
    return _templates()[0].render(
        **_top(account),
        rows=[_row(section, counts) for section, counts in changing.items()],
        legend=[(word, name) for word, name in WORDS.items() if any(counts.get(word) for counts in changing.values())],
        alike=", ".join(f"{_title(name)} ({number:,})" for name, number in alike.items()),
        wrong=wrong,
        others=others,
        fields=[(words_of(section), name, number) for section, name, number in numbers[:_MOST_FIELDS]],
        more_fields=max(0, len(numbers) - _MOST_FIELDS),
        most=numbers[0][2] if numbers else 1,
        at_once=_LISTED_AT_ONCE,
        parts=_parts(account.changes, room),
    )


def _listed(title: str, texts: Sequence[str]) -> dict[str, Any]:
    """The first of some texts, as many as a list has room for."""
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


def _top(account: RunResult) -> dict[str, Any]:
    outcome = _OUTCOMES.get(account.outcome, account.outcome)
    if account.check_mode and account.outcome == "changed":
        outcome = "Would change"
    return {
        "instance": account.title,
        "badge": account.outcome,
        "outcome": outcome,
        "sent": sent(account),
        "number": _number(account),
        "requests": f"{account.requests:,}",
        "seconds": f"{account.duration:.1f}",
        "plan_digest": account.plan_digest,
        "undo": account.undo,
        "forecast": forecast(account),
        "scan_codes": scan_codes(account),
        "hidden_records": hidden_records(account),
        "made_by": _made_by(account),
    }


def _number(account: RunResult) -> str:
    """The number of changes, and of an apply that did not come to its end how many were done."""
    number = len(account.changes)
    done = sum(1 for change in account.changes if change.get("status") == DONE)
    return f"{done:,} of {number:,} changes done" if 0 < done < number else f"{number:,} changes"


def _made_by(account: RunResult) -> str:
    """The set, the date, the user and the version, as far as they are known."""
    words = {"set": "set {}", "date": "{}", "user": "by {}", "version": "community.seventhings {}"}
    told = (form.format(account.made_by[name]) for name, form in words.items() if account.made_by.get(name))
    return ", ".join(told)


# ---- the picture


def _row(section: str, numbers: Mapping[str, int]) -> dict[str, Any]:
    """The shares of one section's records, as wide as the page."""
    left = 0.0
    bars = []
    for word, share in zip(WORDS, _shares([numbers.get(word, 0) for word in WORDS]), strict=True):
        if share:
            bars.append((word, f"{left:.2f}", f"{share:.2f}"))
            left += share
    told = ", ".join(f"{numbers[word]:,} {name}" for word, name in WORDS.items() if numbers.get(word))
    return {"name": _title(section), "told": told, "bars": bars}


def _title(section: str) -> str:
    return section.replace("_", " ")


def _shares(numbers: Sequence[int]) -> list[float]:
    """Percent of each number; one that is there at all is wide enough to be seen."""
    total = sum(numbers) or 1
    wide = [max(_LEAST_SHARE, 100 * number / total) if number else 0.0 for number in numbers]
    scale = 100 / (sum(wide) or 1)
    return [share * scale for share in wide]


# ---- changes


def _parts(changes: Sequence[Mapping[str, Any]], room: int) -> list[dict[str, Any]]:
    """The changes by what happens to which records, each in its group; as many as there is room for.

    :param room: bytes.
    """
    parts: dict[tuple[str, str], dict[str, Any]] = {}
    are_few, with_places = len(changes) <= _OPEN_AT_ONCE, len(changes) <= _WITH_PLACES
    for group in groups(changes):
        name = f"{words_of(group.section)}: {group.action}"
        part = parts.setdefault(
            (group.action, group.section),
            {"id": f"part-{len(parts) + 1}", "name": name, "number": 0, "hidden": 0, "groups": []},
        )
        part["number"] += len(group.changes)
        title = escape(clean(group.title))
        room -= _bytes(title) + _GROUP_BYTES
        records: list[str] = []
        for change in group.changes if room > 0 else ():
            record = _record(change, group.is_same, with_places)
            room -= _bytes(record)
            if room < 0:
                break
            records.append(record)
        part["hidden"] += len(group.changes) - len(records)
        is_taken = group.action in (DELETE, ARCHIVE) and len(group.changes) <= _OPEN_IF_TAKEN
        is_open = is_taken or (are_few and group.action == UPDATE)
        if records:
            part["groups"].append({"title": title, "sign": SIGNS[group.action], "is_open": is_open, "records": records})
    return [{**part, "told": f"{part['number']:,}"} for part in parts.values()]


def _record(change: Mapping[str, Any], is_same: bool, with_place: bool) -> str:
    """A record with its fields, but for those that the title of its group tells, as HTML with all values escaped."""
    told = [] if is_same else as_said(change, _LONGEST_VALUE)
    key = key_and_name(change)
    shown = [
        # The title of a group of updates names its fields; where it is one, that is enough.
        ("" if len(told) == 1 and change["action"] == UPDATE else name, before, after)
        for name, before, after in told
    ]
    gone = {CREATE: (True, False), DELETE: (False, True)}.get(change["action"], (False, False))
    fields: list[tuple[str, str | None, str | None]] = [
        (name, None if gone[0] else before, None if gone[1] else after) for name, before, after in shown
    ]
    fields += [(name, short(text, _LONGEST_VALUE), None) for name, text in removal_texts(change.get("removed", {}))]
    place = (change.get("place") or "") if with_place else ""
    return _templates()[1].render(key=key, place=place, mark=mark(change), fields=fields)
