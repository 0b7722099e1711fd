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
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from ...module_utils.printing.cleaner import amount, clean
from ..desired.desired import SECTIONS
from .changes import ACTION_ORDER, SIGNS, key_and_name
from .result import COUNTS, RunResult
from .view import FEW, is_warned_of, view_of
from .words import action_words, count_words, words_of

#: The directory of the templates and the style.
_FILES = Path(__file__).parent


def _style() -> str:
    """Return the style of the page, with a rule for each choice of the filters."""
    choices = [f"{kind}-{name}" for kind, names in (("s", SECTIONS), ("a", ACTION_ORDER)) for name in names]
    hidden = (f"main:has(#only-{choice}:checked) .change:not(.{choice}) {{ display: none; }}" for choice in choices)
    colours = (f".{word} {{ fill: var(--{word}); background: var(--{word}); }}" for word in COUNTS)
    return "\n".join([(_FILES / "plan.css").read_text("utf-8"), *hidden, *colours, ""])


def _printable(value: Any) -> Any:
    """Return a text for the page, cleaned and escaped; markup of the template stays."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def template_environment(written: Callable[[Any], Any]) -> Environment:
    """Return the environment of templates.

    :param written: is called with everything that is put into a template.
    """
    return Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=written,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def page_template(style: str, body: Path, language: str = "en") -> Template:
    """Return the template of a page from its style and the file of its body.

    It lets a browser load nothing but this style: no script and no address.
    """
    environment = template_environment(_printable)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment.globals |= {"style": style, "digest": digest, "language": language}
    return environment.from_string((_FILES / "head.html.j2").read_text("utf-8") + body.read_text("utf-8"))


@functools.cache
def _template() -> Template:
    return page_template(_style(), _FILES / "plan.html.j2")


def as_html(result: RunResult) -> str:
    """Return the page."""
    view, counts = view_of(result), result.summary.values()
    return _template().render(
        view=view,
        is_drift=result.is_drift,
        badge=_badge(result),
        outcome="Nothing differs" if view.outcome == "unchanged" else view.outcome.replace("_", " ").capitalize(),
        made_by=_made_by(result),
        most=max(map(_changing, counts), default=0) or 1,
        legend=[word for word in COUNTS if any(numbers.get(word) for numbers in counts)],
        is_open=len(result.changes) <= FEW,
        changes=f"{len(result.changes):,}",
        amount=amount,
        action_words=partial(action_words, is_drift=result.is_drift),
        key_and_name=key_and_name,
        count_words=partial(count_words, is_drift=result.is_drift),
        signs=SIGNS,
        words_of=words_of,
    )


def _badge(result: RunResult) -> str:
    """Return the class of the colour that the outcome has."""
    if result.failed:
        return "bad"
    if is_warned_of(result):
        return "warned"
    return "neutral" if result.check_mode and result.changes else "good"


def _made_by(result: RunResult) -> str:
    """Return the set, the date, the user and the version, as far as they are known."""
    words = {"set": "set {}", "date": "{}", "user": "by {}", "version": "community.seventhings {}"}
    return ", ".join(form.format(result.made_by[name]) for name, form in words.items() if result.made_by.get(name))


def _changing(counts: Mapping[str, int]) -> int:
    """Return the number of records of a section that do not stay as they are."""
    return sum(number for word, number in counts.items() if word != "unchanged")
