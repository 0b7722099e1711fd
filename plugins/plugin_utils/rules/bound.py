# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules bound to the fields of an instance. Records have keys, and rules judge them under the names that they use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from ...module_utils.model.field import Way, shorten, words_of
from ...module_utils.model.schema import Schema as Fields
from ..desired.desired import SECTIONS
from ..desired.positions import Place
from .judging import NotJudged, Problem, problems, validator_of
from .rule import Rule
from .schemas import CHANGES, Clause

Find = Callable[[Place, str], None]

#: The members of a change that rules may judge.
CHANGE_MEMBERS = ("section", "action", "key", "before", "after", "fields")
_SIDES = ("before", "after")

_TOO_LONG = "a pattern takes too long for this value, so the value breaks the rule"


class _BoundClause:
    """A clause whose names are bound to fields.

    :ivar keys: keys of the fields that it judges; None: all.
    """

    def __init__(self, clause: Clause, is_of_changes: bool, names: _Names) -> None:
        self._is_of_changes = is_of_changes
        sides = [side for name in _SIDES for side in clause.at(name)] if is_of_changes else [clause]
        self._keys = {name: names.key_of(name, place) for side in sides for name, place in side.names.items()}
        self.keys = None if any(side.judges_all for side in sides) else frozenset(self._keys.values())
        listed = [part.constants for part in (clause.at("fields") if is_of_changes else ())]
        self._keys |= {name: names.key_of(name, place) for part in listed for name, place in part.items()}
        self._names: dict[str, list[str]] = {}
        for name, key in self._keys.items():
            self._names.setdefault(key, []).append(name)
        self._has_labels = any(names != [key] for key, names in self._names.items())
        self._validator = validator_of(clause.schema)
        # The latest record and its result, because several rules may share this clause.
        self._latest: tuple[Any, bool | None] = (None, None)

    def _seen(self, record: Any) -> Any:
        """Return a record, or a change, with the names that the rule uses instead of keys."""
        if not self._has_labels:
            return record
        if not self._is_of_changes:
            return self._named(record)
        fields = [name for key in record["fields"] for name in self._names.get(key, (key,))]
        return {**record, **{side: self._named(record[side]) for side in _SIDES}, "fields": fields}

    def _named(self, record: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for key, value in record.items() for name in self._names.get(key, (key,))}

    def fits(self, record: Any) -> bool | None:
        """Return True if a record satisfies the clause, or None if a pattern takes too long."""
        if self._latest[0] is not record:
            try:
                self._latest = record, bool(self._validator.is_valid(self._seen(record)))
            except NotJudged:
                self._latest = record, None
        return self._latest[1]

    def problems(self, record: Any) -> list[Problem]:
        """Return what is wrong with a record, each with a way that consists of keys.

        The names of members in a map may come from the files, so the words contain only the name of the field.
        """
        found = []
        for problem in problems(self._validator, self._seen(record)):
            own = 2 if self._is_of_changes and problem.way[:1] in (("before",), ("after",)) else 1
            shown = problem.way[:own] + tuple(takewhile(lambda step: isinstance(step, int), problem.way[own:]))
            way: Way = tuple(self._keys.get(str(step), step) for step in problem.way[:own]) + problem.way[own:]
            found.append(Problem(way, f"{words_of(shown)}: {problem.words}" if shown else problem.words))
        return found


class BoundRule:
    """A rule whose names are bound to fields.

    :ivar is_used: True if its ``when`` matched anything.
    :ivar broken: number of records that break it.
    :ivar names: keys of the fields that it judges; None: all.
    """

    def __init__(self, rule: Rule, names: _Names) -> None:
        self.rule = rule
        self.when, self.require = (
            _BoundClause(clause, rule.subject == CHANGES, names) for clause in (rule.when, rule.require)
        )
        self.names = _union([self.when.keys, self.require.keys])
        self.is_used = False
        self.broken = 0

    def is_about(self, record: Any) -> bool:
        """Return True if the rule is about a record, or if that cannot be decided."""
        is_about = self.when.fits(record) is not False
        self.is_used |= is_about
        return is_about

    def breaks(self, record: Any) -> bool:
        """Return True if a record breaks the rule, or can't be judged by it."""
        fits = self.when.fits(record)
        self.is_used |= fits is not False
        return fits is None or (fits and not self.require.fits(record))

    def problems(self, record: Any) -> list[Problem]:
        """Return what is wrong with a record that breaks the rule."""
        try:
            found = self.require.problems(record) if self.when.fits(record) else []
        except NotJudged:
            found = []
        return found or [Problem((), _TOO_LONG)]


def bind(rules: Sequence[Rule], views: Sequence[Fields], more: Collection[str], find: Find) -> list[BoundRule]:
    """Return the rules of a section, bound to its fields.

    :param views: its fields after and before the plan. If the plan moves a label to another field, a rule keeps judging
        the field that had the label.
    :param more: names that rules may use besides the fields of a record.
    :param find: the callback for findings about names.
    """
    bound = [BoundRule(rule, _Names(rule, views, more, find)) for rule in rules]
    # Many rules have the same condition, which is then judged once for each record.
    conditions = {repr(rule.rule.when.schema): rule.when for rule in bound}
    for rule in bound:
        rule.when = conditions[repr(rule.rule.when.schema)]
    return bound


def bind_change(
    rule: Rule, views: Callable[[str], Sequence[Fields]], sections: Collection[str], find: Find
) -> BoundRule:
    """Return a rule about changes, bound to the fields of its sections.

    :param views: returns the fields of a section, in the form for :func:`bind`.
    :param sections: the sections of the plan.
    """
    named = {name: place for part in rule.when.at("section") for name, place in part.constants.items()}
    for name, place in named.items():
        if name not in SECTIONS:
            words = f"section: {shorten(name)} is not a section; expected one of {', '.join(SECTIONS)}"
            find(place, f"rule {rule.id}: {words}")
    for name, place in (rule.when.names | rule.require.names).items():
        if name not in CHANGE_MEMBERS:
            expected = ", ".join(CHANGE_MEMBERS)
            find(place, f"rule {rule.id}: {name}: no member of a change; expected one of {expected}")
    chosen = [section for section in sections if not named or section in named]
    return BoundRule(rule, _Names(rule, [view for section in chosen for view in views(section)], ("archived",), find))


class _Names:
    """The keys of the names in a rule.

    :param views: the fields that it may name, by section, before and after the plan; none if nothing is known.
    """

    def __init__(self, rule: Rule, views: Sequence[Fields], more: Collection[str], find: Find) -> None:
        self._rule = rule
        self._views = views
        self._more = more
        self._find = find
        self._reported: set[str] = set()

    def key_of(self, name: str, place: Place) -> str:
        """Return the key of a field. Note a finding if no field has this name, or if several have."""
        if name in self._more or not self._views:
            return name
        keys = {found.key: None for view in self._views if (found := view.find(name)) is not None}
        if len(keys) == 1:
            return next(iter(keys))
        if name not in self._reported:
            self._reported.add(name)
            self._find(place, f"rule {self._rule.id}: {self._why(name, keys)}")
        return name

    def _why(self, name: str, keys: Collection[str]) -> str:
        if keys:
            return f"{name}: means {' or '.join(keys)}, by section or because these files move the label; write a key"
        return "; ".join(dict.fromkeys(f"{name}: {view.why_unknown(name)}" for view in self._views))


def all_names(rules: Sequence[BoundRule]) -> frozenset[str] | None:
    """Return the fields that some rules judge; None: all."""
    return _union([rule.names for rule in rules])


def _union(sets: Iterable[frozenset[str] | None]) -> frozenset[str] | None:
    found: frozenset[str] = frozenset()
    for names in sets:
        if names is None:
            return None
        found |= names
    return found
