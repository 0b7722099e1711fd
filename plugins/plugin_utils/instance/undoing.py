# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a plan that nobody can undo."""

from __future__ import annotations

from collections.abc import Iterable

from ansible_collections.community.seventhings.plugins.module_utils.plan.change import UPDATE

from ..set_plan.plan import Planned
from ..undo.lasting import Lasting, lasting_words


def not_undoable(changes: Iterable[Planned]) -> str:
    """Return what can't be undone, and what only in part; empty if all of it can be."""
    return lasting_words(
        Lasting(one.kind, one.action, one.before, one.after, one.action == UPDATE and one.unarchive)
        for one in (planned.change for planned in changes)
    )
