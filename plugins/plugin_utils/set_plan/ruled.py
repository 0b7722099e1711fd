# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judge the records and changes of a plan by the rules of the task.

A record is judged as it will be after the apply: the values of the files, and the other values of the instance. A field
without a value is missing from it. No message quotes a value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY
from ...module_utils.model.kinds import KINDS, TEMPLATES
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import Reference, references_in, with_references
from ...module_utils.plan.change import ARCHIVE, DELETE
from ..desired.desired import BY_TEMPLATE, SECTIONS
from ..desired.entry import Entry
from ..rules.bound import BoundRule, all_names, bind, bind_change
from ..rules.found import Found, place_of
from ..rules.rule import RuleSet
from ..rules.schemas import CHANGES
from .aspect import Aspect
from .context import PlanContext
from .listed_state import path_of
from .plan import Planned
from .prune import Pruning
from .reading import position_of

_TEMPLATE = "template"
_ARCHIVED = "archived"


class Rules(Aspect):
    """Judge records and changes by the rules of the task."""

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        self._rules: RuleSet = context.options.rules or RuleSet()
        self._bound: dict[str, tuple[list[BoundRule], frozenset[str] | None]] = {}
        self._hidden: dict[tuple[str, frozenset[str] | None], frozenset[str]] = {}
        self._reported: set[tuple[str, str]] = set()
        self._changes: list[BoundRule] = []
        self._found = Found()
        self._judged: dict[str, set[str]] = {}
        self._pruning = Pruning(context)

    @property
    def is_on(self) -> bool:
        return bool(self._rules.rules)

    # ---- records in the form that rules judge: plain data by field keys, references as natural keys

    def _view_of(
        self, schema: Schema, names: Collection[str] | None, flat: Mapping[str, Any], written: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return a record as rules read it.

        :param names: keys of the fields that matter; None: all.
        :param flat: the record on the instance.
        :param written: canonical values that replace its values.
        """
        record = {}
        for key in schema.fields if names is None else names:
            if key in written:
                value = written[key]
            elif key in schema.fields and schema.fields[key].wire_key in flat:
                value = schema.read_field(key, flat)
            else:
                continue
            if value.__class__ is not str:
                value = self._plain(schema, key, value)
            if value not in EMPTY:
                record[key] = value
        return record

    def _key_of(self, planned: Planned) -> str:
        """Return the natural key of a planned record."""
        values = [planned.desired.get(key) for key in planned.keys]
        if len(values) < 2 or any(value in EMPTY for value in values):
            return planned.words or planned.key
        return path_of(
            str(self._plain(planned.schema, key, value)) for key, value in zip(planned.keys, values, strict=True)
        )

    def _plain(self, schema: Schema, key: str, value: Any) -> Any:
        if value is None or value is True or value is False or value.__class__ is int:
            return value
        if key not in schema.fields:
            return str(value)
        if any(references_in(value)):
            value = with_references(value, self._called)
        return schema.brief(key, value)

    def _called(self, reference: Reference) -> Reference:
        if reference.pending is None:
            reference = self._context.state.completed(reference)
        # A record without a name still needs a text, because a pattern can only judge texts.
        name = self._context.state.name_to_be(reference) or str(reference.uuid or reference.id or reference.written)
        return Reference(reference.target, reference.id, reference.uuid, reference.display_name, name)

    # ---- planned records

    def compared(self, planned: Planned, current: Record | None) -> None:
        """Judge a record as it will be after the apply."""
        if planned.entry.state != "present" or not self._context.is_chosen(planned) or planned.change.missing:
            return
        rules, names = self._rules_of(planned.section, planned.schema)
        if not rules:
            return
        if self._context.options.is_drift and current is not None and not planned.change.changed:
            self._judged.setdefault(planned.section, set()).add(current.uuid)
        record = self._after(planned, current, names)
        for rule in self._visible_rules(planned, rules, current):
            if rule.breaks(record):
                self._found.note(rule, planned.entry, planned.schema, record)

    def _after(self, planned: Planned, current: Record | None, names: Collection[str] | None) -> dict[str, Any]:
        values = planned.change.values
        written = {**planned.desired, **values} if values else planned.desired
        record = self._view_of(planned.schema, names, {} if current is None else current.flat, written)
        if planned.kind.defines_fields:
            record[_TEMPLATE] = planned.entry.template
        return record

    def _rules_of(self, section: str, schema: Schema) -> tuple[list[BoundRule], frozenset[str] | None]:
        if section not in self._bound:
            rules = self._rules.about(section)
            more = (_TEMPLATE,) if section in BY_TEMPLATE else ()
            bound = bind(rules, self._views(schema), more, self._context.find_plainly) if rules else []
            self._bound[section] = bound, all_names(bound)
        return self._bound[section]

    def _views(self, schema: Schema) -> list[Schema]:
        return [schema, self._context.client.schema(schema.kind)] if schema.kind.template else [schema]

    def _visible_rules(self, planned: Planned, rules: list[BoundRule], current: Record | None) -> Iterable[BoundRule]:
        """Return the rules whose fields are written in the files or visible to the account."""
        names = self._bound[planned.section][1]
        hidden = self._hidden_fields(planned.section, planned.schema, names) if current is not None else frozenset()
        if hidden:
            hidden -= planned.desired.keys()
        return [rule for rule in rules if self._can_judge(rule, hidden)] if hidden else rules

    def _hidden_fields(self, section: str, schema: Schema, names: frozenset[str] | None) -> frozenset[str]:
        """Return the hidden fields among the fields that rules judge (None: all)."""
        if (section, names) not in self._hidden:
            own = self._context.client.schema(schema.kind).fields if schema.kind.has_own_fields else {}
            keys = [key for key in (own if names is None else names) if key in own]
            hidden = self._context.state.field_visibility(schema, keys=keys).hidden if keys else frozenset()
            self._hidden[section, names] = frozenset(hidden).intersection(keys)
        return self._hidden[section, names]

    def _can_judge(self, rule: BoundRule, hidden: frozenset[str]) -> bool:
        missing = hidden if rule.names is None else hidden & rule.names
        for key in sorted(missing):
            if (rule.rule.id, key) not in self._reported:
                self._reported.add((rule.rule.id, key))
                words = f"{key}: this account does not see the field, so records that do not write it are not checked"
                self._found.find(rule, rule.rule.place, words)
        return not missing

    # ---- changes

    def complete(self) -> None:
        """Judge all changes of the plan, and the present records of the instance."""
        self._judge_changes(self._context.result.changes)
        self._judge_live()
        self._close()

    def _judge_changes(self, changes: Sequence[Planned]) -> None:
        rules = self._rules.about(CHANGES)
        if not rules or not changes:
            return
        schemas = {planned.section: planned.schema for planned in changes}
        context = self._context
        self._changes = [
            bind_change(rule, lambda section: self._views(schemas[section]), list(schemas), context.find_plainly)
            for rule in rules
        ]
        names = all_names(self._changes)
        for planned in changes:
            document = self._change(planned, names)
            hidden: frozenset[str] = frozenset()
            if planned.change.current is not None:
                hidden = self._hidden_fields(planned.section, planned.schema, names)
            for rule in self._changes:
                if self._can_judge(rule, hidden) and rule.breaks(document):
                    self._note_change(rule, planned, document)

    def _change(self, planned: Planned, names: Collection[str] | None) -> dict[str, Any]:
        change = planned.change
        flat = {} if change.current is None else change.current.flat
        before = self._view_of(planned.schema, names, flat, {})
        after: dict[str, Any] = {}
        if change.action == ARCHIVE:
            after = dict(before)
        elif change.action != DELETE:
            after = self._after(planned, change.current, names)
        for side, shown in ((before, change.before), (after, change.after)):
            if _ARCHIVED in shown and _ARCHIVED not in planned.schema.fields:
                side[_ARCHIVED] = shown[_ARCHIVED]
        return {
            "section": planned.section,
            "action": change.action,
            "key": self._key_of(planned),
            "before": before,
            "after": after,
            "fields": [] if change.action == DELETE else sorted({*change.before, *change.after}),
        }

    def _note_change(self, rule: BoundRule, planned: Planned, document: Mapping[str, Any]) -> None:
        about = f"{planned.change.action} of {planned.section} {planned.key}: "
        for problem in self._found.problems(rule, document):
            is_side = problem.way[:1] in (("before",), ("after",))
            way = problem.way[1:] if is_side else ()
            place, name = place_of(planned.entry, planned.schema, way) or (planned.entry.place, "")
            self._found.find(rule, place, about + problem.words, name)

    # ---- existing records

    def _judge_live(self) -> None:
        """Judge the present records of the instance that the rules are about, unless they were judged already."""
        for section in SECTIONS if self._context.options.is_drift else ():
            if self._rules.about(section):
                for template in TEMPLATES if section in BY_TEMPLATE else ("",):
                    self._judge_section(section, template)

    def _judge_section(self, section: str, template: str) -> None:
        context, kind = self._context, KINDS[SECTIONS[section]]
        schema = Schema.for_kind(kind) if kind.defines_fields else context.schema(kind)
        rules, names = self._rules_of(section, schema)
        hidden = self._hidden_fields(section, schema, names)
        rules = [rule for rule in rules if self._can_judge(rule, hidden)]
        judged, claimed = self._judged.get(section, set()), context.claimed.get(kind.name, {})
        for listed in context.state.records(kind, template):
            if listed.uuid in judged or not context.scope.contains(section, listed):
                continue
            if not self._is_compared(listed):
                continue
            record = self._view_of(schema, names, listed.flat, {})
            if template:
                record[_TEMPLATE] = template
            for rule in rules:
                if rule.breaks(record):
                    entry = claimed.get(listed.uuid)
                    about = f"{section} {self._name_of(schema, listed, entry)}, as the instance has it"
                    self._found.note(rule, entry, schema, record, f"{about}: ")

    def _is_compared(self, record: Record) -> bool:
        """Return True if ``only`` and ``exclude`` select a record."""
        return self._context.options.selects(record.kind, lambda: str(self._context.state.name_of(record)))

    def _name_of(self, schema: Schema, record: Record, entry: Entry | None) -> str:
        """Return the natural key of a record, or its uuid if the key must not be shown."""
        is_hidden = entry is not None and self._context.hiding.touches(entry)
        return record.uuid if is_hidden else self._pruning.named(schema, record)[1]

    # ---- findings

    def _close(self) -> None:
        """Add the findings to the plan."""
        options, result = self._context.options, self._context.result
        bound = [*(rule for rules, _names in self._bound.values() for rule in rules), *self._changes]
        self._found.count_rest(bound)
        for finding in self._found.errors:
            self._context.note(finding)
        result.live_findings += sorted(self._found.live, key=position_of)
        result.rule_warnings += sorted(self._found.warnings, key=position_of)
        if options.only or options.exclude or options.has_changes_only:
            # The records that the rule is about may be excluded.
            return
        used = {rule.rule.id for rule in bound if rule.is_used}
        for rule in self._rules.rules:
            # Changes that a rule forbids are rare, so an unused rule about changes is normal.
            if rule.id not in used and rule.subject != CHANGES:
                result.rule_warnings.append(rule.idle())
