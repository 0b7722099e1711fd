# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports: one result in every format, without unescaped markup. Invalid paths are refused before anything is sent."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from markdown_it import MarkdownIt

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.plugin_utils.report.html_report import as_html
from ansible_collections.community.seventhings.plugins.plugin_utils.report.markdown_report import as_markdown
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import (
    as_text,
    check_report,
    write_report,
)

HOSTILE = "<script>alert('x')</script> `code` | [a](javascript:x) <img src=x onerror=y> & \"quoted\""


def change(**members: Any) -> dict[str, Any]:
    """Return a change for the result of a run."""
    return {
        "section": "objects",
        "key": "0001003",
        "action": "update",
        "uuid": "u",
        "before": {"purchasing_price": 849.9},
        "after": {"purchasing_price": 799.0},
        "place": "objects/it.yml:17:3",
        **members,
    }


def own(number: int, **members: Any) -> dict[str, Any]:
    """Return a change of one record to a unique value."""
    return change(**{"key": f"{number:07d}", "after": {"purchasing_price": number}, **members})


RESULT = RunResult(
    outcome="partly_applied",
    instance="https://acme.seventhings.com",
    check_mode=False,
    summary={"objects": {"created": 2, "updated": 1, "unchanged": 997, "errors": 1}, "rooms": {"unchanged": 4}},
    changes=[change(), change(key="0002", action="create", before={}, after={"barcode": "0002"})],
    failures=[{"change": "object 0002", "place": "objects/it.yml:3:3", "reason": "HTTP 422"}],
    refusals=["a brake"],
    findings=["objects/it.yml:1:1: a finding"],
    warnings=["a warning"],
    reported={"rooms": ["Workshop/0.99"]},
    requests=12,
    duration=1.25,
)


class Page(HTMLParser):
    """The content of a page: its tags, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "rect", "input"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """Return the attributes of every tag with a name."""
        return [attributes for name, attributes in self.tags if name == tag]


def test_json_is_what_the_task_returns(tmp_path: Path) -> None:
    write_report(RESULT, tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text("utf-8")) == RESULT.document()


# ---- the page


def test_the_page_is_well_formed_and_needs_nothing_beside_it() -> None:
    page = Page(as_html(RESULT))
    assert page.open == []
    assert not page.named("script")
    assert not page.named("link")
    assert not page.named("img")
    assert not re.search(r"url\(|@import|src=", as_html(RESULT))
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.named("meta")
    assert "prefers-color-scheme: dark" in as_html(RESULT)


def test_nothing_from_an_instance_is_markup_on_the_page() -> None:
    page = Page(as_html(filled(HOSTILE)))
    assert not page.named("script")
    assert not page.named("img")
    assert all(re.fullmatch(r"#(changes|list-\w+)", str(link["href"])) for link in page.named("a"))
    assert page.text.count("<script>") >= 12
    assert all(set(attributes) <= {"class", "open"} for attributes in page.named("details"))


def test_the_picture_shows_how_much_changes_where() -> None:
    page = Page(as_html(RESULT))
    objects, rooms = page.named("svg")
    assert objects["aria-label"] == "objects: 2 created, 1 updated, 997 unchanged, 1 errors"
    assert rooms["aria-label"] == "rooms: 4 unchanged"
    rects = [(tag["class"], float(str(tag["width"]))) for tag in page.named("rect")]
    assert [name for name, _width in rects] == ["created", "updated", "errors"]
    assert [width for _name, width in rects] == [50, 25, 25], "bars are to scale"


@pytest.mark.parametrize(("number", "is_open"), [(40, True), (41, False)])
def test_a_few_removals_are_shown_first(number: int, is_open: bool) -> None:
    removal = {**RESULT.changes[0], "section": "objects", "before": {"barcode": "1"}, "after": {}, "action": "delete"}
    result = replace(RESULT, changes=[{**removal, "key": str(key)} for key in range(number)])
    group = Page(as_html(result)).named("details")[0]
    assert ("open" in group) is is_open


@pytest.mark.parametrize("form", [as_text, as_markdown, as_html])
def test_of_very_long_values_the_part_is_shown_that_differs(form: Callable[[RunResult], str]) -> None:
    old, new = "x" * 5000 + "old" + "y" * 5000, "x" * 5000 + "new" + "y" * 5000
    text = form(replace(RESULT, changes=[change(before={"note": old}, after={"note": new})]))
    assert f"{'x' * 40}old{'y' * 40}" in text
    assert f"{'x' * 40}new{'y' * 40}" in text
    assert "(10005 characters)" in text
    assert "x" * 100 not in text


@pytest.mark.parametrize("form", [as_text, as_markdown, as_html])
@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("a b", "a\u00a0b", "a\\u00a0b"),
        ("e\u0301", "\u00e9", "e\\u0301"),
        ("x", "x\u200b", "x\\u200b"),
        (["x"], ["x\u200b"], "x\\u200b"),
    ],
)
def test_what_looks_the_same_is_shown_as_escapes(
    form: Callable[[RunResult], str], old: Any, new: Any, shown: str
) -> None:
    assert shown in form(replace(RESULT, changes=[change(before={"note": old}, after={"note": new})]))
    assert "\\u00e9" not in form(replace(RESULT, changes=[change(before={"note": "e"}, after={"note": "\u00e9"})]))


# ---- where it is written


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plan.pdf", "ends in .pdf; expected .html or .json or .md"),
        ("plan", "ends in nothing"),
        ("nowhere/plan.md", "can't be written"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused_before_anything_is_sent(
    tmp_path: Path, name: str, message: str
) -> None:
    with pytest.raises(InvalidInput, match=re.escape(message)):
        check_report(tmp_path / name)


# ---- what is not in the files


@pytest.mark.sample(3)
@pytest.mark.slow
@pytest.mark.parametrize("what", ["refusals", "findings", "failures", "warnings"])
@pytest.mark.parametrize("length", [10, 100_000])
def test_a_comment_shows_changes_whatever_else_there_is(what: str, length: int) -> None:
    text = "x" * length
    number = 1_000_000 // length
    many: dict[str, Any] = {what: [text] * number}
    if what == "failures":
        many[what] = [{"change": text, "place": "p", "reason": "r"}] * number
    comment = as_markdown(replace(RESULT, changes=[own(number, key=f"C{number}") for number in range(2000)], **many))
    assert len(comment) <= 60_000
    assert "**~** `objects C0`" in comment
    assert "xxx" in comment
    assert comment.endswith("\n\nA report as .json has everything.\n")


def test_a_comment_shows_a_change_of_very_many_fields() -> None:
    wide = {f"field_{number}": "y" * 400 for number in range(1000)}
    changes = [change(key="WIDE", before={}, after={**wide, "field_0": number}) for number in range(3)]
    comment = as_markdown(replace(RESULT, changes=changes))
    assert len(comment) <= 60_000
    assert comment.count("`objects WIDE`") == 3
    assert re.search(r"\n- `and \d+ more fields`", comment)


# ---- the plan file


# ---- texts of others

_FOREIGN = "a\x00\x07\x1b[2J\x7f\x85\x9b31m\r\r# h\n- objects ALL\u2028\u2029\u200b\u202e\u2066\ufeff\U000e0041\ud800`|"


def filled(text: str) -> RunResult:
    """Return the result of a run with the same text in every place."""
    return RunResult(
        outcome="partly_applied",
        instance=text,
        check_mode=False,
        summary={text: {"created": 1}},
        changes=[
            change(section=text, key=text, place=text, before={text: text}, after={text: {text: [text]}}),
            change(section=text, key=text, action="delete", after={}, name=text, removed={"person": f"p {text}"}),
        ],
        failures=[{"change": text, "place": text, "reason": text}],
        refusals=[text],
        findings=[text],
        warnings=[text],
        reported={text: [text]},
        requests=1,
        duration=0.0,
        moves=[{"section": text, "field": text, "from": text, "to": text, "count": 1}],
        money=[{"section": text, "field": text, "before": 1, "after": 2.5, "count": 1}],
        persons=[{"person": text, "section": text, "gains": 1, "loses": 2}],
        mails=[{"section": text, "count": 1, "to": [f"m {text}"]}],
        undo=f"cannot be undone: {text}",
    )


@pytest.mark.parametrize("form", ["text", "html", "json", "md"])
def test_no_text_of_others_ends_a_line_or_steers_a_terminal(tmp_path: Path, form: str) -> None:
    if form == "text":
        report = as_text(filled(_FOREIGN))
    else:
        write_report(filled(_FOREIGN), tmp_path / f"report.{form}")
        report = (tmp_path / f"report.{form}").read_bytes().decode("utf-8")
    categories = {unicodedata.category(letter) for letter in set(report) - {"\n"}}
    assert not categories & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    # Each line begins with the report's own text.
    assert not re.search(r"^(# h|- objects ALL)", report, re.MULTILINE)
    assert "\\u001b[2J" in report


_MARKUP = (
    "@all #1 !2 GH-3 ~label :smile: https://x.example www.x.example a@b.example",
    "[a](javascript:x) ![i](https://x/y.png) [r]: https://x",
    "<script>alert(1)</script><img src=x onerror=y><!-- c --> &lt;",
    "**b** _i_ ~~s~~ `c` ``d`` # h > q - l 1. n | t | --- \\`",
    "`" * 90 + " @all <img src=x> " + "`" * 100, "a\\|b | c \\\\| d", "##[error]x ::error::y",
    "`", "```", "a`", "`a", " ` ", " ", "", "\\", "$x$", "\r\r# h", "\n\n# h", "\u2028# h",
    "\t```\n<b>x</b>",
)  # fmt: skip


_RENDERERS: dict[str, Callable[[str], str]] = {
    "markdown-it": MarkdownIt("gfm-like", {"html": True, "linkify": True}).render,
    # GitHub's renderer. Other services have the same limits.
    "cmark-gfm": lambda text: str(cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)),
}


@pytest.mark.parametrize("renderer", _RENDERERS)
@pytest.mark.parametrize("text", _MARKUP)
def test_a_renderer_finds_no_markup_of_others_in_a_comment(text: str, renderer: str) -> None:
    def tags(result: RunResult) -> list[tuple[str, dict[str, str | None]]]:
        return Page(_RENDERERS[renderer](as_markdown(result))).tags

    assert tags(filled(text)) == tags(filled("x y"))
    assert len([tag for tag, _attributes in tags(filled(text)) if tag == "code"]) == 28


@pytest.mark.parametrize("renderer", _RENDERERS)
def test_the_name_of_a_table_is_no_markup_in_a_comment(renderer: str) -> None:
    row = dict.fromkeys(("section", "key", "scan_code", "name", "value", "place", "uuid", "why"), "x")
    result = replace(RESULT, tables={"objects/[a](https:x) <b> @all www.x.example.csv": {"left": [row]}})
    tags = {tag for tag, _attributes in Page(_RENDERERS[renderer](as_markdown(result))).tags}
    assert not tags & {"a", "b"}


# ---- the page's own policy


def test_the_page_lets_a_browser_take_nothing_but_its_style() -> None:
    page = as_html(RESULT)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [tag["content"] for tag in Page(page).named("meta") if "http-equiv" in tag]
    assert policy == f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"
    assert not any("style" in attributes for _tag, attributes in Page(page).tags)
    assert page.index("Content-Security-Policy") < page.index("<style>")


@pytest.mark.parametrize("text", ["{{ 7 * 7 }}", "{% raw %}", "{% endraw %}{{ 7 * 7 }}", "{# c #}", "</title><b>"])
def test_nothing_from_an_instance_is_a_template(text: str) -> None:
    page = Page(as_html(replace(RESULT, instance=text, warnings=[text], changes=[change(key=text)])))
    assert page.text.count(text) == 4
    assert not page.named("b") or all(attributes == {} for attributes in page.named("b"))
    assert "49" not in page.text.replace("849.9", "")


# ---- the whole report, and what is left


def test_a_comment_links_to_the_whole_report(tmp_path: Path) -> None:
    url = "https://ci.acme.example/job/1?a=1&b=(2)<script> x"
    write_report(RESULT, tmp_path / "r.md", url=url)
    text = (tmp_path / "r.md").read_text("utf-8")
    assert text.endswith("\n\nSee [the whole report](<https://ci.acme.example/job/1?a=1&b=(2)%3Cscript%3E%20x>).\n")
