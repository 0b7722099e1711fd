# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The selection of a part of the plan, by ``only`` and ``exclude``."""

from __future__ import annotations

from collections.abc import Iterator

from ...module_utils.model.names import normal_name
from ..desired.desired import SECTIONS
from ..desired.parsing import written_as
from ..desired.positions import Finding, Place
from .aspect import Aspect
from .plan import Planned
from .resolver import numbered_references

_LEFT_OUT = "does not exist yet, and creating it is not part of this plan"


class Selection(Aspect):
    """Refuse names in ``only`` and ``exclude`` that match nothing, and changes that need a record outside."""

    def complete(self) -> None:
        """Check the selection."""
        context, options = self._context, self._context.options
        if not options.only and not options.exclude:
            return
        if not context.findings:
            # The record that only or exclude names may be the one with the finding.
            known = {*SECTIONS, *SECTIONS.values(), *map(normal_name, context.planned_names)}
            for option, names in (("only", options.only), ("exclude", options.exclude)):
                for name in names:
                    if normal_name(name) not in known:
                        words = f"{name!r} is neither a section nor a natural key of what is planned"
                        context.find(Place(option), words)
        chosen = {id(planned.entry) for planned in context.result.changes}
        for planned in context.result.changes:
            for finding in self._left_out(planned, chosen):
                context.note(finding)

    def _left_out(self, planned: Planned, chosen: set[int]) -> Iterator[Finding]:
        """Find the records that a change needs but that no chosen change creates."""
        context, entry = self._context, planned.entry
        for number, relation in enumerate(planned.relations):
            if (entry.template, relation.get("field")) in context.unmade:
                place = entry.place_in(("relations", number, "field"))
                yield Finding.for_message(place, f"relations[{number}].field: {relation['field']} {_LEFT_OUT}")
        for key, value in planned.change.values.items():
            if (planned.kind.template, key) in context.unmade:
                name = written_as(planned.schema, entry, key)
                yield Finding.for_message(entry.place_of(name), f"{name}: this field {_LEFT_OUT}")
            for number, reference in numbered_references(value):
                if reference.pending is not None and id(reference.pending) not in chosen:
                    problem = f"{reference.target} {reference.written!r} {_LEFT_OUT}"
                    yield context.about_reference(entry, key, number, reference, problem)
