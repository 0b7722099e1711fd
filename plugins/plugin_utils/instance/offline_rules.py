# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the task as far as the files alone decide them.

A field that a file does not write may have any value on the instance. Rules that depend on it are left to the plan.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from ...module_utils.model.field import EMPTY, is_uuid
from ...module_utils.model.kinds import KINDS
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference, references_in
from ..desired.entry import Entry
from ..desired.positions import Finding, Place
from ..rules.bound import BoundRule, bind
from ..rules.found import Found
from ..rules.rule import RuleSet
from ..rules.schemas import CHANGES


class OfflineRules:
    """The rules of a task, for files without an instance.

    :param find: the callback for findings about names in rules.
    :param is_complete: whether all fields of a section are known.
    """

    def __init__(
        self, rules: RuleSet, find: Callable[[Place, str], None], is_complete: Callable[[Schema], bool]
    ) -> None:
        self._rules = rules
        self._find = find
        self._is_complete = is_complete
        self._bound: dict[str, list[BoundRule]] = {}
        self._left: Counter[str] = Counter()
        self._names: defaultdict[str, set[str]] = defaultdict(set)
        self._found = Found()

    def check(self, section: str, schema: Schema, entry: Entry, values: Mapping[str, Any]) -> None:
        """Judge a record as it is written.

        :param values: canonical values of the fields whose types are known.
        """
        if section not in self._bound:
            self._bound[section] = self._bind(section, schema)
        if entry.state != "present" or not self._bound[section]:
            return
        record: dict[str, Any] = {}
        known = set()
        for key, value in values.items():
            if key in schema.fields and all(map(_is_certain, references_in(value))):
                known.add(key)
                plain = schema.brief(key, value)
                if plain not in EMPTY:
                    record[key] = plain
        if schema.kind.defines_fields:
            known.add("template")
            record["template"] = entry.template
        for rule in self._bound[section]:
            self._judge(rule, schema, entry, record, known)

    def _bind(self, section: str, schema: Schema) -> list[BoundRule]:
        more = ("template",) if schema.kind.defines_fields else ()
        return bind(self._rules.about(section), [schema], more, self._find if self._is_complete(schema) else _ignore)

    def _judge(self, rule: BoundRule, schema: Schema, entry: Entry, record: Any, known: set[str]) -> None:
        when, require = rule.when.keys, rule.require.keys
        if when is None or not when <= known:
            self._leave(rule, when, known)
        elif require is not None and require <= known:
            if rule.breaks(record):
                self._found.note(rule, entry, schema, record)
        elif rule.is_about(record):
            self._leave(rule, require, known)

    def _leave(self, rule: BoundRule, names: frozenset[str] | None, known: set[str]) -> None:
        """Count a record that the files alone do not decide about."""
        self._left[rule.rule.id] += 1
        self._names[rule.rule.id].update(() if names is None else names - known)

    def close(self) -> tuple[list[Finding], list[Finding]]:
        """Return the findings, and warnings about everything that was not judged."""
        bound = [rule for rules in self._bound.values() for rule in rules]
        self._found.count_rest(bound)
        warnings = self._found.warnings
        used = {rule.rule.id for rule in bound if rule.is_used}
        for rule in self._rules.rules:
            if rule.subject == CHANGES:
                words = "only a plan knows changes, so the rule checked nothing"
            elif rule.id in self._left:
                words = (
                    f"{self._left[rule.id]:,} record(s) not checked, because the files alone do not contain "
                    f"{', '.join(sorted(self._names[rule.id])) or 'all fields'}; a plan checks them"
                )
            elif rule.id not in used:
                warnings.append(rule.idle())
                continue
            else:
                continue
            message = rule.says(words)
            warnings.append(Finding(rule.place, message, message, rule=rule.id))
        return self._found.errors, warnings


def _ignore(_place: Place, _words: str) -> None:
    """Ignore an unknown name. The plan judges it."""


def _is_certain(reference: Reference) -> bool:
    """Return True if a reference is certainly written as the natural key of its record.

    Only the instance knows which slash of several separates the parts of a path.
    """
    written = reference.written
    if not isinstance(written, str) or is_uuid(written):
        return False
    return not KINDS[reference.target].parent or (written.count("/") == 1 and "\\" not in written)
