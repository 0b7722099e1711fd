# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources with records in the last apply but none now: emptied, renamed or lost files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath

from ...module_utils.model.field import first_of
from ...module_utils.model.kinds import HUB_ITEM, KINDS
from ...module_utils.plan.allowed import EMPTY_SOURCES, how_to_allow
from ..desired.desired import INLINE, SECTIONS, SourceCount
from ..desired.positions import Place
from .aspect import Aspect
from .context import PlanContext
from .plan import Pair

#: The end of the noted source of a record that is also in another layer. It stays if one layer is lost.
LAYERED = " layered"
_MOST_NAMED = 3


class LostSources(Aspect):
    """Refuse sections whose sources lost their records.

    A source is accepted if other sources have half of its records now: then the files omit the rest on purpose. It is
    also accepted if the files contain all records of the set that may have come from it.
    """

    def joined(self, pairs: list[Pair]) -> None:
        """Compare the sources with those of the last apply."""
        context = self._context
        if context.desired.findings:
            # An unreadable file looks empty.
            return
        now = context.desired.sources
        lost: dict[str, dict[str, int]] = {}
        for source, number in context.options.sources_before.items():
            # A task that omits a section from its inline option manages other sections.
            if not now.get(source, SourceCount()).rows and (source[0] != INLINE or source in now):
                lost.setdefault(source[1], {})[source[0]] = number
        for section, paths in lost.items():
            if gone := _mostly_gone(context, section, paths):
                context.find_plainly(Place(next(iter(gone))), _words(context, section, gone))


def _mostly_gone(context: PlanContext, section: str, paths: Mapping[str, int]) -> Mapping[str, int]:
    """Return the sources of which the files have less than half of the noted records, and a record may be in none."""
    kind, options = KINDS[SECTIONS[section]], context.options
    if kind is HUB_ITEM:
        # No offer is noted.
        before = sum(number for source, number in options.sources_before.items() if source[1] == section)
        return paths if len(context.entries[section]) < before else {}
    claimed = context.claimed.get(kind.name, {})
    files = {uuid: at.rpartition(":")[0] for uuid, at in options.origins.items() if not at.endswith(LAYERED)}
    # A record may be of any kind if its name is not noted, and from any source if its file is not noted.
    known = {uuid for uuid in options.known if options.names.get(uuid, kind.name).partition(" ")[0] == kind.name}
    if context.state.is_listed(kind) and kind.can_be_looked_up:
        listed = {record.uuid for record in context.state.records(kind)}
        if not (known <= listed or context.state.visibility(reads_proof=True).may_hide(kind)):
            known &= listed
    left = {files.get(uuid, "") for uuid in known.difference(claimed)}
    noted = Counter(files.get(uuid) for uuid in known.union(claimed))
    moved = Counter(files.get(uuid) for uuid, entry in claimed.items() if entry.state == "present")
    return {path: n for path, n in paths.items() if 2 * moved[path] < max(1, noted[path]) and left & {path, ""}}


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
