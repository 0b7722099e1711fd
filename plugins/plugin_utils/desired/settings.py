# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contents of ``instance.yml`` and ``moved.yml``: guard, policy, scope, identity, renames.

Every setting protects something, so everything that does not fit is a finding. Nothing is ever ignored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields as members_of
from typing import Any

from ...module_utils.client.connection import named_root
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import Plain, shorten
from ...module_utils.model.kinds import KINDS
from ...module_utils.model.suggestions import did_you_mean
from ...module_utils.model.zones import zone_of
from ...module_utils.plan.allowed import USERS, how_to_allow
from .desired import PRUNE, SECTIONS, SIMILAR, DesiredInstance, Limits, Policy, limit_of, prune_actions
from .format_settings import FormatSettings
from .lifecycle import LIFECYCLE, read_settings
from .nodes import Node, find_unknown
from .observed import OBSERVED, read_names
from .positions import Finding, Place
from .scan_codes import SCAN_CODES, check_identity, read_scan_codes

API = "seventhings/v1"
TABLES = "tables"
_POLICY = ("prune", "limits", "create_users", "notify")
_SETTINGS = (
    "api",
    "instance",
    "set",
    "set_id",
    "timezone",
    "identity",
    "policy",
    "scope",
    "lifecycle",
    "observed",
    SIMILAR,
    "scan_codes",
    "marker",
    "csv",
    TABLES,
    "variables",
)


VARIABLES = "variables"
"""The setting that declares variables. ``layers`` reads it."""


class Settings:
    """Read settings into a desired state, findings included.

    :param is_alone: True if no records are read, so that nothing has to identify them.
    """

    def __init__(self, desired: DesiredInstance, is_alone: bool = False) -> None:
        self._desired = desired
        self._is_alone = is_alone

    def _find(self, node: Node, message: str) -> None:
        self._desired.findings.append(Finding(node.place, message))

    def read(self, node: Node) -> None:
        """Read ``instance.yml``."""
        if not isinstance(node.value, dict):
            self._find(node, f"expected a map with {', '.join(_SETTINGS)}")
            return
        find_unknown(node, _SETTINGS, "", self._find)
        if "api" not in node.value:
            self._find(node, f"api: expected {API}")
        elif node.value["api"] != API:
            way_out = "other files need the version of the collection that they are written for"
            self._find(node.member("api"), f"api: expected {API}; {way_out}")
        desired = self._desired
        desired.settings = node.value
        desired.instances = self._instances(node)
        desired.set_name = self._text(node, "set")
        desired.set_id = self._text(node, "set_id")
        desired.timezone = self._timezone(node)
        desired.marker = self._text(node, "marker")
        desired.identity = self._names(node, "identity", "field keys")
        desired.similar = self._names(node, SIMILAR, "natural keys, quoted where needed")
        desired.scope = self._scope(node)
        if LIFECYCLE in node.value:
            desired.lifecycle = read_settings(node.member(LIFECYCLE), SECTIONS, self._find)
        if OBSERVED in node.value:
            desired.observed = self._observed(node.member(OBSERVED))
        if SCAN_CODES in node.value:
            written = node.member(SCAN_CODES)
            settings = read_scan_codes(written, self._find)
            if not self._is_alone:
                check_identity(written, settings, desired.identity, self._find)
            desired.scan_codes = settings
        desired.setting_places = _places(node)
        desired.declares_variables = VARIABLES in node.value
        formats = FormatSettings(desired.findings)
        for name, read in (("csv", formats.csv), (TABLES, formats.tables)):
            if name in node.value:
                desired.tables = read(node.member(name), desired.tables)
        if "policy" in node.value:
            desired.policy = self._policy(node.member("policy"))

    def _text(self, node: Node, name: str) -> str:
        value = node.value.get(name)
        if name not in node.value:
            return ""
        if not isinstance(value, str) or isinstance(value, Plain) or not value.strip():
            self._find(
                node.member(name), f"{name}: {shorten(value)} does not fit; expected a text, quoted where needed"
            )
            return ""
        return str(value)

    def _instances(self, node: Node) -> list[str]:
        if "instance" not in node.value:
            return []
        member = node.member("instance")
        nodes = member.items() if isinstance(member.value, list) else [member]
        roots = []
        for text in nodes:
            try:
                roots.append(named_root(text.value if isinstance(text.value, str) else ""))
            except InvalidInput:
                self._find(
                    text,
                    f"instance: {shorten(text.value)} does not fit; expected the root of an instance, such as "
                    f"https://acme.seventhings.com, or a list of them",
                )
        if not nodes:
            self._find(member, "instance: expected at least one root; leave it out to allow any instance")
        return roots

    def _timezone(self, node: Node) -> str:
        name = self._text(node, "timezone")
        if not name:
            return ""
        try:
            zone_of(name)
        except InvalidInput as unknown:
            self._find(node.member("timezone"), unknown.message)
            return ""
        return name

    def _by_section(self, node: Node, name: str) -> dict[str, Node]:
        if name not in node.value:
            return {}
        member = node.member(name)
        if not isinstance(member.value, dict):
            self._find(member, f"{name}: expected a map of sections")
            return {}
        found = {}
        for section, action in member.members.items():
            if section in SECTIONS:
                found[section] = action
            else:
                self._find(action, f"{name}.{section}: no such section; {did_you_mean(section, SECTIONS)}")
        return found

    def _names(self, node: Node, setting: str, expected: str) -> dict[str, list[str]]:
        """Return the names that a setting lists for each section."""
        found = {}
        for section, names in self._by_section(node, setting).items():
            if _is_list_of_names(names.value):
                found[section] = names.value
            else:
                self._find(names, f"{setting}.{section}: expected a list of {expected}")
        return found

    def _scope(self, node: Node) -> dict[str, dict[str, list[Any]]]:
        scope: dict[str, dict[str, list[Any]]] = {}
        for section, fields in self._by_section(node, "scope").items():
            if not isinstance(fields.value, dict) or not fields.value:
                self._find(fields, f"scope.{section}: expected a map of field key to the values in scope")
                continue
            for name, values in fields.members.items():
                listed = values.value if isinstance(values.value, list) else [values.value]
                if not listed or any(value is None for value in listed):
                    self._find(values, f"scope.{section}.{name}: expected the values in scope, at least one")
                else:
                    scope.setdefault(section, {})[name] = listed
        return scope

    def _observed(self, node: Node) -> dict[str, list[str]]:
        names, wrong = read_names(node.value)
        for setting, words in wrong:
            section = setting.partition(".")[2]
            self._find(node.member(section) if section in node.members else node, words)
        return names

    # ---- policy

    def _policy(self, node: Node) -> Policy:
        if not isinstance(node.value, dict):
            self._find(node, "policy: expected a map")
            return Policy()
        find_unknown(node, _POLICY, "policy.", self._find)
        create_users = self._flag(node, "create_users")
        if create_users:
            self._find(
                node.member("create_users"),
                f"policy.create_users: files can't allow new users; only the task can, with {how_to_allow(USERS)}. "
                "Delete this line, or write false to forbid new users.",
            )
        notify = self._flag(node, "notify")
        prune = self._prune(node.member("prune")) if "prune" in node.value else {}
        limits = self._limits(node.member("limits")) if "limits" in node.value else {}
        return Policy(prune, limits, create_users, notify is True)

    def _flag(self, node: Node, name: str) -> bool | None:
        if name not in node.value:
            return None
        value = node.value[name]
        if not isinstance(value, bool):
            self._find(node.member(name), f"policy.{name}: {shorten(value)} does not fit; expected true or false")
        return value is True

    def _prune(self, node: Node) -> dict[str, str]:
        if not isinstance(node.value, dict):
            self._find(node, f"policy.prune: expected a map of sections to {', '.join(PRUNE)}")
            return {}
        chosen: dict[str, str] = {}
        for section, names in node.members.items():
            if section not in SECTIONS:
                self._find(names, f"policy.prune.{section}: expected one of the sections {', '.join(SECTIONS)}")
            elif not isinstance(names.value, str) or names.value not in prune_actions(section):
                allowed = " or ".join(prune_actions(section))
                self._find(names, f"policy.prune.{section}: {shorten(names.value)} does not fit; expected {allowed}")
            else:
                chosen[section] = str(names.value)
        return chosen

    def _limits(self, node: Node) -> dict[str, float]:
        if not isinstance(node.value, dict):
            self._find(node, "policy.limits: expected a map of numbers")
            return {}
        known = tuple(member.name for member in members_of(Limits))
        find_unknown(node, known, "policy.limits.", self._find)
        given: dict[str, float] = {}
        for name, member in node.members.items():
            number = limit_of(member.value)
            if name not in known:
                continue
            if number is None:
                self._find(
                    member, f"policy.limits.{name}: {shorten(member.value)} does not fit; expected a number from 0"
                )
            else:
                given[name] = number
        return given

    # ---- renames

    def moved(self, node: Node) -> None:
        """Read ``moved.yml``: section to a list of {from, to}."""
        if not isinstance(node.value, dict):
            self._find(node, "moved: expected a map of sections to lists of {from, to}")
            return
        moved: dict[str, list[tuple[Mapping[str, Any], Mapping[str, Any]]]] = {}
        seen: dict[tuple[str, str, str], Place] = {}
        for section, member in node.members.items():
            if section in _NEVER_MOVED:
                self._find(member, f"moved.{section}: {_NEVER_MOVED[section]}")
                continue
            if section not in SECTIONS:
                known = [name for name in SECTIONS if name not in _NEVER_MOVED]
                self._find(member, f"moved.{section}: no such section; {did_you_mean(section, known)}")
                continue
            if member.value is None:
                continue
            if not isinstance(member.value, list):
                self._find(member, "expected a list of {from: {KEY: OLD}, to: {KEY: NEW}}")
                continue
            for pair in member.items():
                if (
                    isinstance(pair.value, dict)
                    and set(pair.value) == {"from", "to"}
                    and all(isinstance(side, dict) and side for side in pair.value.values())
                ):
                    self._check_duplicate(pair, section, seen)
                    moved.setdefault(section, []).append((pair.value["from"], pair.value["to"]))
                    is_vaulted = self._desired.hiding.is_vaulted(pair.source)
                    self._desired.moved_places[id(pair.value["to"])] = pair.place.row if is_vaulted else pair.place
                else:
                    self._find(pair, "expected {from: {KEY: OLD}, to: {KEY: NEW}}")
        self._desired.moved = moved

    def _check_duplicate(self, node: Node, section: str, seen: dict[tuple[str, str, str], Place]) -> None:
        """Check that no two records get one name, and that no record gets two names."""
        for side in ("from", "to"):
            key = (section, side, json.dumps(node.value[side], sort_keys=True, default=str))
            if key in seen:
                self._find(node, f"moved.{section}: {side} is written twice, first at {seen[key]}")
            else:
                seen[key] = node.place


_NEVER_MOVED = {kind.section: kind.never_moved for kind in KINDS.values() if kind.section and kind.never_moved}
"""Sections whose records cannot be renamed here, and what to do instead."""


def _is_list_of_names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(name, str) and name for name in value)


def _places(node: Node, path: str = "") -> dict[str, Place]:
    """Return the place of every setting, by its name with points."""
    found = {path: node.place}
    for name, member in node.members.items():
        found |= _places(member, f"{path}.{name}".lstrip("."))
    return found
