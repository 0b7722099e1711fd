# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..rules.rule import RuleSet
from ..set_plan.listed_state import ListedState
from ..undo.undo import Undo
from .approving import Approving
from .caps import Caps


@dataclass(frozen=True)
class RunOptions:
    """The options of a run.

    :ivar drift: only compare: limits do not apply, because nothing is applied.
    :ivar archived_lookups: ``all`` looks up all records to create in the archive; ``sample`` looks up some of them if
        there are very many.
    :ivar only: sections or natural keys; nothing else is planned. :ivar exclude: the opposite.
    :ivar rules: the rules that records and changes must keep; None if the task names none.
    :ivar undo: the apply record to undo; None: the files are applied.
    :ivar apply_record: the file for the record of what is applied; None: at the default place.
    :ivar approving: how the plan is approved; None: without an approval.
    :ivar lists: lists for the first plan that were read after :meth:`Creations.watch`; None: the plan reads its own.
    """

    check_mode: bool = False
    drift: bool = False
    journal: Path | None = None
    archived_lookups: str = "sample"
    only: Sequence[str] = ()
    exclude: Sequence[str] = ()
    caps: Caps = field(default_factory=Caps)
    approving: Approving | None = None
    rules: RuleSet | None = None
    undo: Undo | None = None
    apply_record: Path | None = None
    lists: ListedState | None = None

    @property
    def is_whole(self) -> bool:
        """Return True if the whole set is planned."""
        return not self.only and not self.exclude
