# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources with records in the last apply but none now: emptied, renamed or lost files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from ...module_utils.model.field import first_of
from ...module_utils.model.kinds import KINDS
from ...module_utils.plan.allowed import EMPTY_SOURCES, how_to_allow
from ..desired.desired import INLINE, SECTIONS
from ..desired.positions import Place
from .aspect import Aspect
from .context import PlanContext
from .plan import Pair

_MOST_NAMED = 3


class LostSources(Aspect):
    """Refuse sections whose sources lost their records.

    They are accepted if no record of the set is left that the files do not contain: other sources have the records now,
    or they were deleted in the application.
    """

    def joined(self, pairs: list[Pair]) -> None:
        """Compare the sources with those of the last apply."""
        context = self._context
        if context.desired.findings:
            # An unreadable file looks empty.
            return
        now = context.desired.sources
        lost: dict[str, dict[str, int]] = {}
        for (path, section), number in context.options.sources_before.items():
            found = now.get((path, section))
            # A task that omits a section from its inline option manages other sections.
            if (path != INLINE or found is not None) and (found is None or not found.rows):
                lost.setdefault(section, {})[path] = number
        for section, paths in lost.items():
            if _may_be_left(context, section):
                context.find_plainly(Place(next(iter(paths), "")), _words(context, section, paths))


def _may_be_left(context: PlanContext, section: str) -> bool:
    """Return True if a record of the set may exist that the files do not contain."""
    kind = KINDS[SECTIONS[section]]
    if not context.state.is_listed(kind) or not kind.can_be_looked_up:
        return True
    claimed, known = context.claimed.get(kind.name, {}), context.options.known
    return any(record.uuid in known and record.uuid not in claimed for record in context.state.records(kind))


def _words(context: PlanContext, section: str, paths: Mapping[str, int]) -> str:
    named = [f"{path} had {number} and {_state(context, path, section)}" for path, number in paths.items()]
    return (
        f"{section}: sources that had records when these files were last applied have none now: "
        f"{first_of(named, _MOST_NAMED)}; put them back, or set {how_to_allow(EMPTY_SOURCES)} if this is intended"
    )


def _state(context: PlanContext, path: str, section: str) -> str:
    if (path, section) in context.desired.sources:
        return "is empty"
    stem = str(PurePosixPath(path).with_suffix(""))
    aside = [path for path in context.desired.unread if path.startswith(f"{stem}.")]
    return f"is missing ({aside[0]} is not read)" if aside else "is missing"
