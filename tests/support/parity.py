# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The page that compares the vendor's Python client with this collection."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from project import ROOT

PAGE = ROOT / "docs" / "parity.md"
_DATA = Path(__file__).with_name("parity.yml")
_LINK = re.compile(r"\{(?P<module>\w+)(?:(?P<mark>[:=])(?P<name>\w+))?\}")
_LITERAL = re.compile(r"(`[^`]*`)")
_CODE = re.compile(r"C\(([^)]*)\)")
_HEAD = """\
<!--
Copyright: Contributors to the community.seventhings collection
SPDX-License-Identifier: GPL-3.0-or-later

Generated from tests/support/parity.yml. Run "make generate" after a change there.
-->

# The vendor's Python client, and this collection

The vendor publishes a Python client, `seventhings-customer-api`. These tables list everything that version 1.5.0 of the
client can do, and the module, option or return value (`module.name`) that does the same here. Tests compare the tables
with the client and with the interface description, so nothing is missing.
"""


class Link(NamedTuple):
    """A module named in a text, with one of its options (mark ``:``) or return values (mark ``=``)."""

    module: str
    mark: str
    name: str


def table() -> dict[str, Any]:
    """Return the table from its file."""
    return dict(yaml.load(_DATA.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))


def requests() -> set[str]:
    """Return method and path of every request that an operation of the client sends."""
    return {
        _request(request)
        for service in table()["operations"].values()
        for sent, _text in service.values()
        for request in sent
    }


def _request(written: str) -> str:
    method, _space, path = written.partition(" ")
    return f"{method} {path.strip(chr(34))}".strip()


def fields() -> Iterator[tuple[str, str, str]]:
    """Yield every field of a model with its text: model, field, text."""
    for model, about in table()["models"].items():
        for field, written in about["fields"].items():
            yield model, field, _expanded(about, field, written)


def _expanded(about: Mapping[str, Any], field: str, written: str) -> str:
    """Return the text of a field, with marks replaced by return values or options of the module."""
    if written.startswith("~"):
        return written.removeprefix("~").strip()
    texts = []
    for part in written.split():
        name = part[1:] or field
        if part[0] == ":":
            texts.append(f"{{{about['write']}:{name}}}")
        else:
            texts.append(f"C({name}) in {{{about['read']}}}")
    return ", ".join(texts)


def texts() -> Iterator[str]:
    """Yield every text about an equivalent in this collection."""
    whole = table()
    for service in whole["operations"].values():
        yield from (text for _requests, text in service.values())
    yield from (text for _model, _field, text in fields())
    yield from whole["values"].values()
    yield from whole["options"].values()


def links(text: str) -> list[Link]:
    """Return the modules, options and return values that a text names."""
    return [Link(match["module"], match["mark"] or "", match["name"] or "") for match in _LINK.finditer(text)]


def page() -> str:
    """Return the expected page."""
    whole = table()
    operations = [
        (f"`{service}.{name}`", ", ".join(f"`{_request(request)}`" for request in sent) or "none", text)
        for service, methods in whole["operations"].items()
        for name, (sent, text) in methods.items()
    ]
    parts = [
        _HEAD,
        _section("Operations", ("Operation", "Request", "Here"), operations),
        _section(
            "Fields of the models",
            ("Field", "Here"),
            [(f"`{model}.{field}`", text) for model, field, text in fields()],
        ),
        _section("Filters and other fixed values", ("Values", "Here"), _named(whole["values"])),
        _section("Options of the client", ("Option", "Here"), _named(whole["options"])),
    ]
    return "\n".join(parts)


def _named(rows: Mapping[str, str]) -> list[tuple[str, ...]]:
    return [(f"`{name}`", text) for name, text in rows.items()]


def _section(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [f"## {title}", "", _row(head), "|---" * len(head) + "|", *map(_row, rows)]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "".join(f"| {_written(cell)} " for cell in cells) + "|"


def _written(text: str) -> str:
    def named(found: re.Match[str]) -> str:
        return f"`{found['module']}.{found['name']}`" if found["mark"] else f"`{found['module']}`"

    # Text in braces inside a path names no module.
    parts = (part if part.startswith("`") else _LINK.sub(named, part) for part in _LITERAL.split(text))
    return _CODE.sub(r"`\1`", "".join(parts))
