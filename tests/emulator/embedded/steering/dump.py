# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole state as JSON, either unchanged or with names derived from the content.

The canonical form replaces everything that the server generated (uuid, id, field_key, slug, order number, author) by
names. A name is what a person would call a record. If several records have one name, a hash of their content and
references is added. So two instances are equal exactly if their canonical dumps are equal.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..store import Store
from ..templates import Templates
from .state import Collector, Node, Ref

_KINDS = (
    "definition",
    "user",
    "file",
    "asset",
    "room",
    "location",
    "person",
    "task",
    "rental_case",
    "hub_item",
    "hub_order",
    "catalog_item",
)
"""Kinds that a dump always lists. Other kinds follow if they have records."""
_TITLES = {"definition": "field_definitions", "asset": "objects"}
"""Titles of kinds in a dump that are not just the name with an s."""
_MOST_ROUNDS = 20
_SIMPLE = (str, int, float)
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True)

Name = Callable[[Ref], str]


def dump(store: Store, templates: Templates, *, canonical: bool) -> dict[str, Any]:
    collector = Collector(store, templates)
    collector.collect()
    return _canonical(collector) if canonical else _plain(collector)


def _plain(collector: Collector) -> dict[str, Any]:
    def name(ref: Ref) -> str:
        node = collector.nodes.get(ref)
        if node is None:
            return str(ref.key)
        return str(node.identity.get("field_key" if ref.kind == "definition" else "uuid", ref.key))

    return _listed(collector.nodes.values(), lambda node: {**node.identity, **_written(node.content, name)})


def _canonical(collector: Collector) -> dict[str, Any]:
    names = _names(collector)
    state = _listed(
        collector.nodes.values(),
        lambda node: {"name": names(node.ref), **_written(node.content, names, ordered=True)},
    )
    return {kind: sorted(nodes, key=_text) for kind, nodes in state.items()}


def _listed(nodes: Iterable[Node], shown: Callable[[Node], dict[str, Any]]) -> dict[str, Any]:
    state: dict[str, list[Any]] = {_title(kind): [] for kind in _KINDS}
    for node in nodes:
        state.setdefault(_title(node.ref.kind), []).append(shown(node))
    return state


def _title(kind: str) -> str:
    return _TITLES.get(kind, f"{kind}s")


def _names(collector: Collector) -> Name:
    """Return a name for every node: its hint, and a hash if the hint is not unique."""
    nodes = collector.nodes
    places = {ref: _place(node) for ref, node in nodes.items()}
    shared = {place for place, count in Counter(places.values()).items() if count > 1}
    colours = _colours(collector) if shared else {}

    def name(ref: Ref) -> str:
        if ref not in nodes:
            return f"{ref.kind} that is gone: {collector.departed.get(ref, '')}"
        hint = nodes[ref].hint
        return f"{hint}#{colours[ref][:12]}" if places[ref] in shared else hint

    return name


def _place(node: Node) -> tuple[str, str, str]:
    """Return the scope in which a hint must be unique."""
    return node.ref.kind, str(node.content.get("template", "")), node.hint


def _colours(collector: Collector) -> dict[Ref, str]:
    """Return a hash of each node, refined by the hashes of its neighbours until that distinguishes no more nodes."""
    nodes = collector.nodes
    colours = {ref: _hash(*_place(node)) for ref, node in nodes.items()}
    referring = [ref for ref, node in nodes.items() if _refers(node.content)]
    distinct = 0

    def colour(ref: Ref) -> str:
        return colours.get(ref) or f"gone {collector.departed.get(ref, '')}"

    for number in range(_MOST_ROUNDS):
        # After the first round only nodes that refer to others change.
        again = {
            ref: _hash(ref.kind, _text(_written(nodes[ref].content, colour, ordered=True)))
            for ref in (referring if number else nodes)
        }
        colours.update(again)
        if len(set(colours.values())) == distinct:
            break
        distinct = len(set(colours.values()))
    return colours


def _refers(value: Any) -> bool:
    """Return whether a value contains a reference."""
    if isinstance(value, Mapping):
        return any(isinstance(key, Ref) or _refers(member) for key, member in value.items())
    return isinstance(value, Ref) or (isinstance(value, list) and any(_refers(item) for item in value))


def _written(value: Any, name: Name, *, ordered: bool = False) -> Any:
    """Return a value with names in place of references.

    Lists of references are sorted, because their order has no meaning.
    """
    if value is None or isinstance(value, _SIMPLE):
        return value
    if isinstance(value, Ref):
        return name(value)
    if isinstance(value, Mapping):
        return {
            name(key) if isinstance(key, Ref) else key: _written(member, name, ordered=ordered)
            for key, member in value.items()
        }
    if isinstance(value, list):
        entries = [_written(item, name, ordered=ordered) for item in value]
        unordered = any(isinstance(item, Ref) or (isinstance(item, dict) and "uuid" in item) for item in value)
        return sorted(entries, key=_text) if ordered and unordered else entries
    return value


def _text(value: Any) -> str:
    return _ENCODER.encode(value)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
