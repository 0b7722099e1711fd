# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules bound to the fields of an instance: names become keys, and schemas become tests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...module_utils.model.field import shorten
from ...module_utils.model.schema import Schema as Fields
from ..desired.desired import SECTIONS
from ..desired.positions import Place
from .judging import NotJudged, Problem, Test, judge_of, problems
from .rule import Rule
from .schemas import Schema, constants_in, judges_all, names_in, parts_at, renamed, with_constants

Find = Callable[[Place, str], None]

CHANGE_MEMBERS = ("section", "action", "key", "before", "after", "fields")
"""The members of a change that rules may judge."""
_SIDES = ("before", "after")

_TOO_LONG = "the pattern {!r} takes too long for this value, so the value breaks the rule"


@dataclass
class BoundRule:
    """A rule whose names are keys.

    :ivar is_used: True if its ``when`` matched anything.
    :ivar broken: number of records that break it.
    :ivar names: keys of the fields that it judges; None: all.
    :ivar when_names: the keys in ``when``.
    :ivar spelled: keys to the names that the rule uses for them.
    :ivar require_names: the keys in ``require``.
    """

    rule: Rule
    when: Schema
    require: Schema
    names: frozenset[str] | None
    spelled: Mapping[str, str] = field(default_factory=dict)
    is_used: bool = False
    broken: int = 0
    when_names: frozenset[str] | None = field(init=False)
    require_names: frozenset[str] | None = field(init=False)
    applies: Test = field(init=False)
    is_met: Test = field(init=False)

    def __post_init__(self) -> None:
        self.when_names, self.require_names = fields_of(self.when), fields_of(self.require)
        self.applies = judge_of(self.when)
        self.is_met = judge_of(self.require)

    def is_about(self, record: Any) -> bool:
        """Return True if the rule is about a record, or if that cannot be decided."""
        try:
            if not self.applies(record):
                return False
        except NotJudged:
            pass
        self.is_used = True
        return True

    def breaks(self, record: Any) -> bool:
        """Return True if a record breaks the rule, or can't be judged by it."""
        try:
            if not self.applies(record):
                return False
            self.is_used = True
            return not self.is_met(record)
        except NotJudged:
            self.is_used = True
            return True

    def problems(self, record: Any) -> list[Problem]:
        """Return what is wrong with a record that breaks the rule."""
        try:
            return problems(self.require, record) if self.applies(record) else []
        except NotJudged as unknown:
            return [Problem((), _TOO_LONG.format(unknown.pattern))]


def bind(rules: Sequence[Rule], views: Sequence[Fields], more: Collection[str], find: Find) -> list[BoundRule]:
    """Return the rules of a section, bound to its fields.

    :param views: its fields after and before the plan. If the plan moves a label to another field, a rule keeps judging
        the field that had the label.
    :param more: names that rules may use besides the fields of a record.
    :param find: the callback for findings about names.
    """
    found = []
    for rule in rules:
        names = _Names(rule, views, more, find)
        when, require = renamed(rule.when, names.key_of), renamed(rule.require, names.key_of)
        found.append(BoundRule(rule, when, require, fields_of(when, require), names.spelled))
    return found


def bind_changes(
    rules: Sequence[Rule], views: Callable[[str], Sequence[Fields]], sections: Collection[str], find: Find
) -> list[BoundRule]:
    """Return the rules about changes, bound to the fields of the sections of each rule.

    :param views: returns the fields of a section, in the form for :func:`bind`.
    :param sections: the sections of the plan.
    """
    return [_bound_change(rule, views, sections, find) for rule in rules]


def _bound_change(
    rule: Rule, views: Callable[[str], Sequence[Fields]], sections: Collection[str], find: Find
) -> BoundRule:
    def place(name: str) -> Place:
        return rule.places.get(name, rule.place)

    named = [value for part in parts_at(rule.when, "section") for value in constants_in(part)]
    for value in named:
        if value not in SECTIONS:
            expected = ", ".join(SECTIONS)
            find(
                place(str(value)),
                f"rule {rule.id}: section: {shorten(value)} is not a section; expected one of {expected}",
            )
    chosen = [section for section in sections if not named or section in named]
    names = _Names(rule, [view for section in chosen for view in views(section)], ("archived",), find)

    def side(schema: Schema) -> Schema:
        return renamed(schema, names.key_of)

    def listed(schema: Schema) -> Schema:
        return with_constants(schema, lambda value: names.key_of(value) if isinstance(value, str) else value)

    def member(name: str) -> str:
        if name not in CHANGE_MEMBERS:
            expected = ", ".join(CHANGE_MEMBERS)
            find(place(name), f"rule {rule.id}: {name}: no member of a change; expected one of {expected}")
        return name

    inner = {**dict.fromkeys(_SIDES, side), "fields": listed}
    when, require = (renamed(schema, member, inner) for schema in (rule.when, rule.require))
    sides = [part for schema in (when, require) for name in _SIDES for part in parts_at(schema, name)]
    return BoundRule(rule, when, require, fields_of(*sides), names.spelled)


def fields_of(*schemas: Schema) -> frozenset[str] | None:
    """Return the fields that some schemas judge; None: all."""
    if any(map(judges_all, schemas)):
        return None
    return frozenset(name for schema in schemas for name in names_in(schema))


class _Names:
    """The keys of the names in a rule.

    :ivar spelled: keys to the names that the rule uses for them.
    :param views: the fields that it may name, by section, before and after the plan; none if nothing is known.
    """

    def __init__(self, rule: Rule, views: Sequence[Fields], more: Collection[str], find: Find) -> None:
        self._rule = rule
        self._views = views
        self._more = more
        self._find = find
        self._reported: set[str] = set()
        self.spelled: dict[str, str] = {}

    def key_of(self, name: str) -> str:
        """Return the key of a field. Note a finding if no field has this name, or if several have."""
        if name in self._more or not self._views:
            return name
        keys = {found.key: None for view in self._views if (found := view.find(name)) is not None}
        if len(keys) == 1:
            (key,) = keys
            self.spelled.setdefault(key, name)
            return key
        if name not in self._reported:
            self._reported.add(name)
            self._find(self._rule.places.get(name, self._rule.place), f"rule {self._rule.id}: {self._why(name, keys)}")
        return name

    def _why(self, name: str, keys: Collection[str]) -> str:
        if keys:
            return f"{name}: means {' or '.join(keys)}, by section or because these files move the label; write a key"
        return "; ".join(dict.fromkeys(f"{name}: {view.why_unknown(name)}" for view in self._views))


def all_names(rules: Sequence[BoundRule]) -> frozenset[str] | None:
    """Return the fields that some rules judge; None: all."""
    if any(rule.names is None for rule in rules):
        return None
    return frozenset(name for rule in rules for name in rule.names or ())
