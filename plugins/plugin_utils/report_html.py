# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account of a plan or an apply as one page: nothing beside it, no scripts, readable on a phone, light and dark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.instance_account import Account

from .differing import side_by_side

WORDS: dict[str, str] = {
    "created": "new",
    "updated": "changed",
    "deleted": "deleted",
    "archived": "archived",
    "errors": "failed",
    "skipped": "skipped",
    "unchanged": "unchanged",
}
"""What is counted, to the word for it on the page."""

_SIGNS = {"create": "+", "update": "~", "delete": "-", "archive": "-"}
_OUTCOMES = {
    "unchanged": "Nothing differs",
    "changed": "Changed",
    "failed": "Failed",
    "refused": "Refused",
    "partly_applied": "Partly applied",
}
_LEAST_SHARE = 1.5
"""Percent of a bar that the smallest number still gets, so that it is seen."""

_OPEN_AT_ONCE = 40
_LONGEST_VALUE = 2000

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


def as_html(account: Account) -> str:
    """The page."""
    title = f"{_OUTCOMES.get(account.outcome, account.outcome)}: {account.instance}"
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title><style>{_STYLE}{_fills()}</style></head><body><main>",
        *_head(account),
        *_picture(account.summary),
        *_texts("Refused", account.refusals, bad=True),
        *_texts("Findings", account.findings, bad=True),
        *_texts("Failed", [_failure(one) for one in account.failures], bad=True),
        *_texts("Warnings", account.warnings),
        *_changes(account.changes),
        *_texts(
            "Not in the files, left alone",
            [f"{section}: {', '.join(names)}" for section, names in account.reported.items()],
        ),
        "</main></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _fills() -> str:
    return "".join(f".{word} {{ fill: var(--{word}); background: var(--{word}); }}\n" for word in WORDS)


def _head(account: Account) -> Iterable[str]:
    outcome = _OUTCOMES.get(account.outcome, account.outcome)
    if account.check_mode and account.outcome == "changed":
        outcome = "Would change"
    sent = "plan, nothing was sent" if account.check_mode else "applied"
    if account.outcome in ("failed", "refused"):
        sent = "nothing was applied"
    yield f"<h1>{escape(account.instance)}</h1>"
    yield (
        f'<p><span class="badge {escape(account.outcome)}-badge">{escape(outcome)}</span> '
        f'<span class="soft">{sent} &middot; {len(account.changes)} changes &middot; '
        f"{account.requests} requests &middot; {account.duration:.1f} s</span></p>"
    )
    if account.plan_digest:
        yield f'<p class="soft">Plan file: sha256:{escape(account.plan_digest)}</p>'


# ---- the picture


def _picture(summary: Mapping[str, Mapping[str, int]]) -> Iterable[str]:
    if not summary:
        return
    yield "<section><h2>How much changes where</h2>"
    for section, counts in summary.items():
        told = ", ".join(f"{counts[word]} {name}" for word, name in WORDS.items() if counts.get(word))
        name = section.replace("_", " ")
        yield f'<div class="row"><strong>{escape(name)}</strong>{_bar(name, counts, told)}'
        yield f'<span class="numbers">{escape(told)}</span></div>'
    yield '<div class="legend">'
    for word, name in WORDS.items():
        if any(counts.get(word) for counts in summary.values()):
            yield f'<span><i class="{word}"></i>{name}</span>'
    yield "</div></section>"


def _bar(name: str, counts: Mapping[str, int], told: str) -> str:
    """The shares of one section's records, as wide as the page."""
    shares = _shares([counts.get(word, 0) for word in WORDS])
    left = 0.0
    rects = []
    for word, share in zip(WORDS, shares, strict=True):
        if share:
            rects.append(f'<rect class="{word}" x="{left:.2f}" y="0" width="{share:.2f}" height="10"/>')
            left += share
    label = escape(f"{name}: {told}", quote=True)
    return (
        f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{label}">{"".join(rects)}</svg>'
    )


def _shares(numbers: Sequence[int]) -> list[float]:
    """Percent of each number; one that is there at all is wide enough to be seen."""
    total = sum(numbers) or 1
    wide = [max(_LEAST_SHARE, 100 * number / total) if number else 0.0 for number in numbers]
    scale = 100 / (sum(wide) or 1)
    return [share * scale for share in wide]


# ---- texts and changes


def _texts(title: str, texts: Sequence[str], bad: bool = False) -> Iterable[str]:
    if texts:
        items = "".join(f"<li>{escape(text)}</li>" for text in texts)
        yield f"<section{' class=bad' if bad else ''}><h2>{escape(title)} ({len(texts)})</h2><ul>{items}</ul></section>"


def _failure(one: Mapping[str, str]) -> str:
    place = f" ({one['place']})" if one.get("place") else ""
    return f"{one['change']}{place}: {one['reason']}"


def _changes(changes: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    by_section: dict[str, list[Mapping[str, Any]]] = {}
    for change in changes:
        by_section.setdefault(str(change["section"]), []).append(change)
    for section, mine in by_section.items():
        yield f"<section><h2>{escape(section.replace('_', ' '))} ({len(mine)})</h2>"
        for change in mine:
            yield from _change(change, is_open=len(changes) <= _OPEN_AT_ONCE and change["action"] == "update")
        yield "</section>"


def _change(change: Mapping[str, Any], is_open: bool) -> Iterable[str]:
    sign = _SIGNS[str(change["action"])]
    yield f"<details{' open' if is_open else ''}><summary><b>{sign}</b>{escape(str(change['key']))} "
    yield f'<span class="soft">{escape(str(change["action"]))}</span></summary>'
    if change.get("place"):
        yield f'<p class="place">{escape(str(change["place"]))}</p>'
    before, after = change["before"], change["after"]
    yield "<dl>"
    for name in dict.fromkeys([*before, *after]):
        old, new = side_by_side(before.get(name), after.get(name), _LONGEST_VALUE)
        yield f"<dt>{escape(str(name))}</dt>"
        yield f'<dd class="before">{_value(before, name, old)}</dd><dd class="after">{_value(after, name, new)}</dd>'
    yield "</dl></details>"


def _value(values: Mapping[str, Any], name: str, text: str) -> str:
    if values.get(name) is None:
        return '<span class="soft">nothing</span>'
    # A short text reads best as it is, unless it has something in it that has to be written as an escape.
    is_plain = isinstance(values[name], str) and text == json.dumps(values[name], ensure_ascii=False)
    return escape(values[name] if is_plain else text)
