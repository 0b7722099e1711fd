# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scan codes: files set the code of an object when they create it, and labels change it in the application later.

An object is found by its second identity, so a placeholder or an old label in a file is not a change. References by
such a code mean the object of the row with that code.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY, shorten
from ...module_utils.model.kinds import OBJECT
from ...module_utils.model.schema import FieldError, Misfit, Schema
from ...module_utils.printing.cleaner import amount
from ...module_utils.resolve import natural_keys
from ...module_utils.resolve.field_visibility import hidden_field_message
from ..desired.entry import Entry
from ..desired.parsing import written_as
from ..desired.scan_codes import FIELD, SCAN_CODES, ScanCodeSettings
from .aspect import Aspect
from .context import PlanContext
from .plan import Pair, Planned, Relabelled, ScanCodeCounts

_SECTION = OBJECT.section


class ScanCodes(Aspect):
    """Compare the scan codes of one plan with the instance."""

    def __init__(self, context: PlanContext) -> None:
        super().__init__(context)
        self._settings = context.desired.scan_codes or ScanCodeSettings("", "")
        self._written: dict[str, Entry] = {}
        self._placeholders: set[int] = set()
        self._labelled = 0
        self._labels = 0
        self._missing: list[Entry] = []
        self._deliberate: set[int] = set()

    @property
    def is_on(self) -> bool:
        return self._context.desired.scan_codes is not None and _SECTION in self._context.desired.sections

    @cached_property
    def key(self) -> str:
        """Return the key of the field with scan codes; empty if there is no such field."""
        found = self._context.schema(OBJECT).find(self._settings.field)
        return "" if found is None else found.key

    def settings(self) -> None:
        """Find a field that does not exist, that identifies objects, or that this account does not see."""
        settings, context = self._settings, self._context
        schema, setting = context.schema(OBJECT), f"{SCAN_CODES}.{FIELD}"
        place = context.desired.place_of(setting)
        if not self.key:
            context.find(place, f"{setting}: {settings.field}: {schema.why_unknown(settings.field)}")
            return
        named = [schema.find(name) for name in context.desired.identity.get(_SECTION, ())]
        if not named or any(field is not None and field.key == self.key for field in named):
            other = f"another field in identity.{_SECTION} that finds the object then, such as [asset_number]"
            context.find(place, f"{SCAN_CODES}: a label replaces the scan code, so expected {other}")

    def joined(self, pairs: list[Pair]) -> None:
        """Check all rows. Nothing is known about labels if this account does not see the field with scan codes."""
        context = self._context
        if self.key and self.key in context.state.field_visibility(context.schema(OBJECT), keys=[self.key]).hidden:
            place = context.desired.place_of(f"{SCAN_CODES}.{FIELD}")
            context.find(place, f"{SCAN_CODES}: {hidden_field_message(self.key)}")
        self._check_identity(pairs)

    # ---- rows

    def matched(self, planned: Planned, current: Record | None) -> None:
        """Note a row and its mistakes. References may name an existing object by the code in its row."""
        schema, entry, values = planned.schema, planned.entry, planned.desired
        if entry.kind is not OBJECT or not self.key or entry.uuid:
            return
        key, counts = self.key, self._context.result.scan_codes
        code = values.get(key)
        counts.total += 1
        now = None if current is None else natural_keys.read_some(schema, [key], current)[key]
        if now not in EMPTY and not self._settings.is_placeholder(now):
            counts.attached += 1
        if code not in EMPTY and not self._is_free(entry, schema, planned.keys, values, current):
            return
        if current is None:
            self._missing.append(entry)
        if self._settings.is_placeholder(code):
            self._placeholders.add(id(entry))
        elif code not in EMPTY:
            self._labelled += 1
            self._labels += current is not None
        if current is None or code == now:
            return
        if code not in EMPTY and (now, code) in self._moved(schema):
            self._deliberate.add(id(entry))
            return
        if code not in EMPTY:
            name = written_as(schema, entry, key)
            if now not in EMPTY:
                counts.differing.append(Relabelled(entry, key, name, str(code), str(now), current.uuid))
            self._context.state.add_other_name(schema, {key: code}, current)
        planned.desired = {name: value for name, value in values.items() if name != key}

    def _is_free(
        self, entry: Entry, schema: Schema, keys: tuple[str, ...], values: Mapping[str, Any], current: Record | None
    ) -> bool:
        """Return True if no other row and no other object has the code of a row."""
        context, key = self._context, self.key
        code, name = values[key], written_as(schema, entry, key)
        earlier = self._written.setdefault(str(code), entry)
        if earlier is not entry:
            # Two rows with a value of a unique field have a finding already.
            if not schema.fields[key].unique:
                place = earlier.place_of(written_as(schema, earlier, key))
                self._find(entry, name, code, f"is written at {place} too; expected another code for each object")
            return False
        mine = "" if current is None else current.uuid
        for other in context.state.find_existing(schema, (key,), values):
            if other.uuid != mine:
                fields = "/".join(written_as(schema, entry, key) for key in keys)
                its = natural_keys.read_some(schema, keys, other)
                has_none = all(value in EMPTY for value in its.values())
                named = f"no {fields}" if has_none else f"the {fields} {context.words(schema, keys, its)}"
                own = context.words(schema, keys, values)
                means = f"the object {own} ({mine})" if mine else f"{own}, which does not exist yet"
                self._find(
                    entry,
                    name,
                    code,
                    f"is the code of the object {other.uuid} with {named}, and this row means {means}; write the code "
                    f"or the {fields} that belong together",
                )
                return False
        return True

    def _find(self, entry: Entry, name: str, code: Any, why: str) -> None:
        gist = "this scan code belongs to another object"
        words = f"{name}: {shorten(code)} {why}"
        self._context.find(entry.place_of(name), FieldError.at((name,), words, gist, Misfit(code, why)))

    def _moved(self, schema: Schema) -> list[tuple[Any, Any]]:
        pairs = []
        for pair in self._context.desired.moved.get(_SECTION, ()):
            old, new = (schema.parse(side, "")[0] for side in pair)
            if set(old) == set(new) == {self.key}:
                pairs.append((old[self.key], new[self.key]))
        return pairs

    def left_alone(self, schema: Schema, entry: Entry, exists: bool) -> frozenset[str]:
        """Return the scan code of a row whose object exists, because the instance owns it."""
        is_owned = exists and self.key and schema.kind is OBJECT and not entry.uuid
        return frozenset({self.key}) if is_owned and id(entry) not in self._deliberate else frozenset()

    # ---- all rows

    def _check_identity(self, pairs: Iterable[Pair]) -> None:
        """Refuse to create objects for placeholders unless matched rows prove that other fields identify the objects.

        Otherwise a changed asset number would create each object a second time.
        """
        context, result = self._context, self._context.result
        if not self.key:
            return
        if not result.existing[_SECTION]:
            # An empty instance never has labels, so don't report it.
            result.scan_codes = ScanCodeCounts()
            return
        missing = {id(planned.entry) for planned, current in pairs if current is None}
        created = [entry for entry in self._missing if id(entry) in missing and id(entry) in self._placeholders]
        # The others are in the archive.
        matched = result.scan_codes.total - len(missing.intersection(map(id, self._missing)))
        if created and (why := self._why_unproven(matched)):
            names = " and ".join(context.desired.identity.get(_SECTION, ()))
            words = (
                f"{SCAN_CODES}: {amount(len(created), 'row')} with a placeholder (first at {created[0].place}) would "
                f"be created, although there are {result.existing[_SECTION]:,} objects and {why}. Most likely they are "
                f"the same objects: check whether {names} is unchanged on both sides"
            )
            context.find_plainly(context.desired.place_of(SCAN_CODES), words)

    def _why_unproven(self, matched: int) -> str:
        """Return why the matched rows do not prove that objects are identified; empty if they do."""
        policy = self._context.desired.policy
        if not matched:
            is_limited = "creates" in policy.limits and policy.lowered.get("creates") != math.inf
            how = "if they are new, limits.creates of the task lets them pass"
            return "" if is_limited else f"no row matches any of them ({how})"
        if self._labels * 2 < self._labelled:
            return f"only {self._labels:,} of {self._labelled:,} rows with a label match one"
        return ""
