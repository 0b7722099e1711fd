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
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from ansible_collections.community.seventhings.plugins.module_utils.printed import clean

from .outcome import RunResult
from .report_parts import ALONE, SIGNS, alone, fields, key_of, reasons, warnings

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
_LONGEST_VALUE = 2000
_EXAMPLES = 20
_MOST_FINDINGS = 2000

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
details { border-top: 1px solid var(--line); }
details:first-of-type { border-top: 0; }
summary { padding: .6rem 0; cursor: pointer; min-height: 2.75rem; }
summary b { margin-right: .5rem; font-family: ui-monospace, monospace; }
.place { color: var(--soft); font-size: .85rem; margin: 0 0 .5rem; }
dl { display: grid; grid-template-columns: minmax(7rem, 14rem) 1fr 1fr; gap: .25rem .5rem; margin: 0 0 1rem; }
dt { font-weight: 600; }
dd { margin: 0; padding: .1rem .5rem; border-radius: .3rem; font-family: ui-monospace, monospace; font-size: .9rem;
  white-space: pre-wrap; }
.before { background: var(--before); } .after { background: var(--after); }
ul { padding-left: 1.2rem; margin: 0; } li { margin: .35rem 0; }
.bad { border-left: .35rem solid var(--deleted); }
@media (max-width: 40rem) {
  body { padding: .6rem; } h1 { font-size: 1.3rem; }
  .row { grid-template-columns: 1fr; } .row .numbers { grid-column: 1; }
  dl { grid-template-columns: 1fr; } dd { margin-left: .5rem; } dt { margin-top: .4rem; }
}
"""

_STYLE += "".join(f".{word} {{ fill: var(--{word}); background: var(--{word}); }}\n" for word in WORDS)

_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; "
    f"style-src 'sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}'"
)
"""Nothing but this one style: no script, no address, no other style, whatever a text may bring with it."""

_HEAD = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{_STYLE}</style>
"""

_BODY = """
{%- macro listed(title, texts, number, bad) %}
<section{% if bad %} class="bad"{% endif %}><h2>{{ title }} ({{ number }})</h2><ul>
{%- for text in texts %}<li>{{ text }}</li>{% endfor %}</ul></section>
{% endmacro %}
{%- macro value(text) %}
{%- if text is none %}<span class="soft">nothing</span>{% else %}{{ text }}{% endif %}
{%- endmacro %}
<title>{{ outcome }}: {{ instance }}</title></head><body><main>
<h1>{{ instance }}</h1>
<p><span class="badge {{ badge }}-badge">{{ outcome }}</span> <span class="soft">{{ sent }} &middot;
{{ number }} changes &middot; {{ requests }} requests &middot; {{ seconds }} s</span></p>
{% if plan_digest %}<p class="soft">Plan file: sha256:{{ plan_digest }}</p>
{% endif %}
{% if rows %}
<section><h2>How much changes where</h2>
{% for row in rows %}
<div class="row"><strong>{{ row.name }}</strong>
<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{{ row.name }}: {{ row.told }}">
{%- for word, left, width in row.bars %}<rect class="{{ word }}" x="{{ left }}" y="0" width="{{ width }}" height="10"/>
{%- endfor %}</svg>
<span class="numbers">{{ row.told }}</span></div>
{% endfor %}
<div class="legend">
{% for word, name in legend %}<span><i class="{{ word }}"></i>{{ name }}</span>
{% endfor %}
</div></section>
{% endif %}
{% for title, texts in wrong %}{{ listed(title, texts, texts | length, true) }}{% endfor %}
{% for section in sections %}
<section><h2>{{ section.name }} ({{ section.number }})</h2>
{% for change in section.changes %}
<details{% if change.is_open %} open{% endif %}><summary><b>{{ change.sign }}</b>{{ change.key }} <span class="soft">
{{- change.action }}</span></summary>
{% if change.place %}<p class="place">{{ change.place }}</p>
{% endif %}
<dl>
{% for name, before, after in change.fields %}
<dt>{{ name }}</dt><dd class="before">{{ value(before) }}</dd><dd class="after">{{ value(after) }}</dd>
{% endfor %}
</dl></details>
{% endfor %}
</section>
{% endfor %}
{% if warnings %}{{ listed("Warnings", warnings, warnings | length, false) }}{% endif %}
{% if every %}{{ listed("Every finding", every, every_number, false) }}{% endif %}
{% if alone %}{{ listed(alone_title, alone, alone_number, false) }}{% endif %}
</main></body></html>
"""


def _printable(value: Any) -> Any:
    """A text that is put into the page, whatever was done to it before; markup of the template stays."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@functools.cache
def _template() -> Template:
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.from_string(f"{{% raw %}}{_HEAD}{{% endraw %}}{_BODY}")


def as_html(account: RunResult) -> str:
    """The page."""
    return _template().render(
        **_top(account),
        rows=[_row(section, numbers) for section, numbers in account.summary.items()],
        legend=[
            (word, name)
            for word, name in WORDS.items()
            if any(numbers.get(word) for numbers in account.summary.values())
        ],
        wrong=list(reasons(account).items()),
        sections=_sections(account.changes),
        warnings=warnings(account),
        every=[clean(text) for text in account.every_finding[:_MOST_FINDINGS]],
        every_number=len(account.every_finding),
        alone_title=ALONE,
        alone=alone(account, _EXAMPLES),
        alone_number=sum(map(len, account.reported.values())),
    )


def _top(account: RunResult) -> dict[str, Any]:
    outcome = _OUTCOMES.get(account.outcome, account.outcome)
    if account.check_mode and account.outcome == "changed":
        outcome = "Would change"
    sent = "plan, nothing was sent" if account.check_mode else "applied"
    if account.outcome in ("failed", "refused"):
        sent = "nothing was applied"
    return {
        "instance": account.instance,
        "badge": account.outcome,
        "outcome": outcome,
        "sent": sent,
        "number": len(account.changes),
        "requests": account.requests,
        "seconds": f"{account.duration:.1f}",
        "plan_digest": account.plan_digest,
    }


# ---- the picture


def _row(section: str, numbers: Mapping[str, int]) -> dict[str, Any]:
    """The shares of one section's records, as wide as the page."""
    left = 0.0
    bars = []
    for word, share in zip(WORDS, _shares([numbers.get(word, 0) for word in WORDS]), strict=True):
        if share:
            bars.append((word, f"{left:.2f}", f"{share:.2f}"))
            left += share
    told = ", ".join(f"{numbers[word]} {name}" for word, name in WORDS.items() if numbers.get(word))
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


def _sections(changes: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    by_section: dict[str, list[Mapping[str, Any]]] = {}
    for change in changes:
        by_section.setdefault(change["section"], []).append(change)
    are_few = len(changes) <= _OPEN_AT_ONCE
    for section, mine in by_section.items():
        shown = (_shown(change, are_few) for change in mine)
        yield {"name": _title(section), "number": len(mine), "changes": shown}


def _shown(change: Mapping[str, Any], are_few: bool) -> dict[str, Any]:
    before, after = change["before"], change["after"]
    names = dict.fromkeys([*before, *after])
    return {
        "sign": SIGNS[change["action"]],
        "key": key_of(change),
        "action": change["action"],
        "place": change.get("place") or "",
        "is_open": are_few and change["action"] == "update",
        "fields": [
            (shown, _value(before.get(name), old), _value(after.get(name), new))
            for name, (shown, old, new) in zip(names, fields(change, _LONGEST_VALUE), strict=True)
        ],
    }


def _value(value: Any, text: str) -> str | None:
    """A value as the page shows it; None for nothing."""
    if value is None:
        return None
    # A short text reads best as it is, unless it has something in it that has to be written as an escape.
    is_plain = isinstance(value, str) and text == json.dumps(value, ensure_ascii=False)
    return value if is_plain else text
