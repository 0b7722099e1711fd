# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What identifies the records of a set: natural keys, and the marker. A safeguard without effect is no safeguard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...module_utils.plan.change import CREATE
from ...module_utils.printing.cleaner import amount
from ..desired.desired import SECTIONS
from ..desired.row_rules import SKIP, SKIPPING
from ..desired.table_reader import check_identity
from ..desired.words import OWN_MATCH
from .aspect import Aspect


class Identity(Aspect):
    """The settings ``identity``, ``marker``, ``scope`` and ``hide``, and the columns of natural keys in tables."""

    def settings(self) -> None:
        """Check for names that are not fields, and for tables without a column for a natural key."""
        self._check_identity()
        self._check_matches()
        if self._context.desired.marker:
            self._check_marker()
        context = self._context
        odd_keys = context.wanted.cells.odd_keys
        for place, words in check_identity(context.desired, context.schema, context.is_complete, odd_keys):
            context.find(place, words)

    def _check_identity(self) -> None:
        context, desired = self._context, self._context.desired
        for section, names in desired.identity.items():
            for name, why in self._unfit(section, names):
                context.find(desired.place_of(f"identity.{section}"), f"identity.{section}: {name}: {why}")

    def _check_matches(self) -> None:
        """Check the fields by which rows of tables and single records are matched."""
        context = self._context
        first = {(entry.kind.section, id(entry.rules)): entry for entry in reversed(context.desired.entries)}
        for (section, _mark), entry in first.items():
            rules, is_own = entry.rules, OWN_MATCH in entry.places.value
            setting = OWN_MATCH if is_own else f"{rules.setting}.match"
            if context.schema_of(section) is None and any(getattr(rules, name) == SKIP for name in SKIPPING):
                # Offers are matched by their objects, and users by their persons.
                context.find(rules.place, f"{rules.setting}: rows of {section} are never skipped; leave that out")
            for name, why in self._unfit(section, sorted(rules.names)):
                context.find(entry.place_of(OWN_MATCH) if is_own else rules.place, f"{setting}: {name}: {why}")

    def _unfit(self, section: str, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the names that can't identify the records of a section, each with the reason."""
        schema = self._context.schema_of(section)
        for name in names:
            if schema is None:
                yield name, "the records of this section are identified in one way only"
            elif schema.find(name) is None:
                yield name, schema.why_unknown(name)

    def _check_marker(self) -> None:
        context, desired = self._context, self._context.desired
        schemas = {name: found for name in SECTIONS if name in desired.sections and (found := context.schema_of(name))}
        without = [section for section, schema in schemas.items() if schema.find(desired.marker) is None]
        for section in without:
            prunes = desired.policy.prune.get(section, "report") != "report"
            if prunes or len(without) == len(schemas):
                words = f"marker: {desired.marker}: {schemas[section].why_unknown(desired.marker)}"
                context.find(desired.place_of("marker"), words)

    def warnings(self) -> Iterator[str]:
        """Warn of a scope without records, and of names to hide that are not fields. A finding may be the reason."""
        context = self._context
        if context.findings:
            return
        created = {planned.section for planned in context.result.changes if planned.change.action == CREATE}
        for section in context.desired.scope:
            number = context.result.everywhere[section]
            if number and not context.result.existing[section] and section not in created:
                yield (
                    f"scope.{section}: none of the {amount(number, 'record')} that this account sees is in the scope, "
                    "so nothing is compared and nothing is removed. Look at the values of the scope."
                )
        for name in context.hiding.idle(context.desired.entries):
            yield (
                f"hide: {name!r} is not a field of the sections in these files, so it hides nothing. Write the key or "
                "the label of a field."
            )
