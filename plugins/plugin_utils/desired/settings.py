# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read ``instance.yml`` and ``moved.yml``, each setting by its shape.

Every setting protects something, so everything that does not fit is a finding. Nothing is ever ignored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields as members_of
from dataclasses import replace
from typing import Any

from ...module_utils.client.connection import named_root
from ...module_utils.errors import InvalidInput
from ...module_utils.model.kinds import KINDS
from ...module_utils.model.zones import zone_of
from ...module_utils.plan.allowed import USERS, how_to_allow
from .desired import PRUNE, SECTIONS, SIMILAR, DesiredInstance, Limits, Policy, limit_of, prune_actions
from .format_settings import csv_of, tables_of
from .lifecycle import KEYS, LIFECYCLE, of_section
from .nodes import Node
from .observed import NAMES, OBSERVED
from .positions import Finding, Place
from .scan_codes import SCAN_CODES, read_scan_codes
from .shapes import FLAG, TEXT, Find, Shape, Unfit, list_of, map_of, one_that, texts, value_of

API = "seventhings/v1"
TABLES = "tables"
#: The setting that declares variables. ``layers`` reads it.
VARIABLES = "variables"


def _by_section(member: Shape, expected: str = "a map of sections") -> Shape:
    return map_of(dict.fromkeys(SECTIONS, member), expected, "section")


def _api(node: Node, _name: str, find: Find) -> None:
    if node.value != API:
        find(node, f"api: expected {API}; other files need the version of the collection that they are written for")


_ROOT = "the root of an instance, such as https://acme.seventhings.com, or a list of them"


def _root(value: Any) -> str:
    try:
        return named_root(value if isinstance(value, str) else "")
    except InvalidInput as refused:
        raise Unfit(_ROOT) from refused


def _instances(node: Node, name: str, find: Find) -> list[str]:
    if isinstance(node.value, list):
        return list_of(value_of(_root), _ROOT)(node, name, find) or []
    return [root for root in [value_of(_root)(node, name, find)] if root is not None]


def _timezone(node: Node, name: str, find: Find) -> str | None:
    zone: str | None = TEXT(node, name, find)
    try:
        zone_of(zone or "UTC")
    except InvalidInput as unknown:
        find(node, unknown.message)
        return None
    return zone


def _scope(node: Node, name: str, find: Find) -> dict[str, list[Any]]:
    """Read the scope of a section."""
    if not isinstance(node.value, dict) or not node.value:
        find(node, f"{name}: expected a map of field key to the values in scope")
        return {}
    scope: dict[str, list[Any]] = {}
    for key, values in node.members.items():
        listed = values.value if isinstance(values.value, list) else [values.value]
        if not listed or None in listed:
            find(values, f"{name}.{key}: expected the values in scope, at least one")
        else:
            scope[key] = listed
    return scope


def _create_users(node: Node, name: str, find: Find) -> bool | None:
    if node.value is True:
        find(
            node,
            f"{name}: files can't allow new users; only the task can, with {how_to_allow(USERS)}. Delete this line, or "
            "write false to forbid new users.",
        )
    allowed: bool | None = FLAG(node, name, find)
    return allowed


def _prune_of(section: str) -> Shape:
    actions = prune_actions(section)
    return one_that(lambda value: value in actions, " or ".join(actions))


def _limit(value: Any) -> float:
    number = limit_of(value)
    if number is None:
        raise Unfit("a number from 0")
    return number


_LIMITS = map_of(dict.fromkeys((member.name for member in members_of(Limits)), value_of(_limit)), "a map of numbers")
_ACTIONS = {section: _prune_of(section) for section in SECTIONS}
_PRUNE = map_of(_ACTIONS, f"a map of sections to {', '.join(PRUNE)}", "section")
_POLICY = map_of({"prune": _PRUNE, "limits": _LIMITS, "create_users": _create_users, "notify": FLAG}, "a map")


#: The shape of each setting.
_SHAPES: Mapping[str, Shape] = {
    "api": _api,
    "instance": _instances,
    "set": TEXT,
    "set_id": TEXT,
    "timezone": _timezone,
    "identity": _by_section(texts("a list of field keys")),
    "policy": lambda node, name, find: Policy(**(_POLICY(node, name, find) or {})),
    "scope": _by_section(_scope),
    LIFECYCLE: _by_section(of_section, f"a map of sections to {', '.join(KEYS)}"),
    OBSERVED: NAMES,
    SIMILAR: _by_section(texts("a list of natural keys, quoted where needed")),
    SCAN_CODES: read_scan_codes,
    "marker": TEXT,
    "csv": csv_of,
    TABLES: tables_of,
    VARIABLES: lambda _node, _name, _find: True,
}

SETTINGS = tuple(_SHAPES)

#: The members of a desired state that differ in name from their settings.
_MEMBERS = {"instance": "instances", "set": "set_name", VARIABLES: "declares_variables"}


def _finder(desired: DesiredInstance) -> Find:
    return lambda node, message: desired.findings.append(Finding(node.place, message))


def read_settings(node: Node, desired: DesiredInstance) -> None:
    """Read ``instance.yml`` into a desired state, findings included."""
    find = _finder(desired)
    read = map_of(_SHAPES, f"a map with {', '.join(_SHAPES)}")(node, "", find)
    if read is None:
        return
    if "api" not in node.value:
        find(node, f"api: expected {API}")
    desired.tables = replace(desired.tables, **read.pop("csv", {}), **read.pop(TABLES, {}))
    for name, value in read.items():
        setattr(desired, _MEMBERS.get(name, name), value)
    desired.settings = node.value
    desired.setting_places = _places(node)


def read_renames(node: Node, desired: DesiredInstance) -> None:
    """Read ``moved.yml`` into a desired state: section to a list of {from, to}."""
    moved = _MOVED(node, "moved", _finder(desired)) or {}
    for pair in (pair for pairs in moved.values() for pair in pairs):
        is_vaulted = desired.hiding.is_vaulted(pair.source)
        desired.moved_places[id(pair.value["to"])] = pair.place.row if is_vaulted else pair.place
    desired.moved = {
        section: [(pair.value["from"], pair.value["to"]) for pair in pairs] for section, pairs in moved.items() if pairs
    }
    desired.findings += repeated_renames(desired)


def repeated_renames(desired: DesiredInstance) -> Iterator[Finding]:
    """Yield a finding for each rename that gives two records one name, or one record two names."""
    seen: dict[tuple[str, str, str], Place] = {}
    for section, pairs in desired.moved.items():
        for pair in pairs:
            place = desired.moved_places[id(pair[1])]
            for side, key in zip(("from", "to"), pair, strict=True):
                first = seen.setdefault((section, side, json.dumps(key, sort_keys=True, default=str)), place)
                if first is not place:
                    yield Finding(place, f"moved.{section}: {side} is written twice, first at {first}")


_PAIR = "{from: {KEY: OLD}, to: {KEY: NEW}}"


def _pair(node: Node, _name: str, find: Find) -> Node | None:
    is_map = isinstance(node.value, dict) and set(node.value) == {"from", "to"}
    if is_map and all(isinstance(side, dict) and side for side in node.value.values()):
        return node
    find(node, f"expected {_PAIR}")
    return None


def _pairs(node: Node, name: str, find: Find) -> list[Node]:
    """Return the renames of a section."""
    return [] if node.value is None else list_of(_pair, f"a list of {_PAIR}", 0)(node, name, find) or []


def _never(why: str) -> Shape:
    return lambda node, name, find: find(node, f"{name}: {why}")


_MOVED = map_of(
    {
        **{section: _pairs for section in SECTIONS if not KINDS[SECTIONS[section]].never_moved},
        **{kind.section: _never(kind.never_moved) for kind in KINDS.values() if kind.section and kind.never_moved},
    },
    "a map of sections to lists of {from, to}",
    "section",
)


def _places(node: Node, path: str = "") -> dict[str, Place]:
    """Return the place of every setting, by its name with points."""
    found = {path: node.place}
    for name, member in node.members.items():
        found |= _places(member, f"{path}.{name}".lstrip("."))
    return found
