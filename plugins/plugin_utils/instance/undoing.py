# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a plan nobody can undo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ansible_collections.community.seventhings.plugins.module_utils.plan.change import CREATE, DELETE

from ..report.parts import counted
from ..set_plan.plan import Planned


def not_undoable(changes: Iterable[Planned]) -> str:
    """Return what can't be undone, and what only in part; empty if all of it can be."""
    lasting: Counter[str] = Counter()
    deletions = 0
    for planned in changes:
        deletions += planned.change.action == DELETE
        if planned.change.action == CREATE and (planned.kind.defines_fields or planned.kind.creation_sends_mail):
            lasting[planned.section] += 1
    parts = []
    if lasting:
        parts.append(f"cannot be undone: {', '.join(counted(number, name) for name, number in lasting.items())}")
    if deletions:
        parts.append(f"only in part: {deletions:,} deletion{'s' if deletions > 1 else ''}")
    return "; ".join(parts)
