# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read a page as people read it: its texts, its headings and its tables."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """A page.

    :ivar tags: the names of its tags.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.language = ""
        self._texts: list[tuple[str, str]] = []
        self._tag = ""
        self._tables: list[tuple[str, list[list[str]]]] = []
        self.feed(text)

    def texts(self, tag: str = "") -> list[str]:
        """Return all texts, or those in a tag."""
        return [text for name, text in self._texts if not tag or name == tag]

    def tables(self, title: str = "") -> list[list[list[str]]]:
        """Return the rows of each table below a heading that begins so."""
        return [rows for heading, rows in self._tables if heading.startswith(title)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a table, a row or a cell."""
        self.tags.add(tag)
        self._tag = tag
        if tag == "html":
            self.language = dict(attrs)["lang"] or ""
        if tag == "table":
            self._tables.append((self.texts("h2")[-1], []))
        elif tag == "tr":
            self._tables[-1][1].append([])
        elif tag in ("td", "th"):
            self._tables[-1][1][-1].append("")

    def handle_endtag(self, _tag: str) -> None:
        """End a text."""
        self._tag = ""

    def handle_data(self, data: str) -> None:
        """Note a text."""
        if data.strip() and self._tag != "style":
            self._texts.append((self._tag, data.strip()))
        if self._tag in ("td", "th"):
            self._tables[-1][1][-1][-1] += data.strip()
