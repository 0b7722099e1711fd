# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An aspect: one concern of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.schema import Schema
from ..desired.entry import Entry
from .context import PlanContext
from .plan import Pair, Planned


class Aspect:
    """One concern of a plan. Override the hooks that it needs. Findings go to the context."""

    def __init__(self, context: PlanContext) -> None:
        self._context = context

    @property
    def is_on(self) -> bool:
        """Return False if this plan has nothing to do with the concern, so that no hook is called."""
        return True

    def settings(self) -> None:
        """Check settings. All fields are known, including those that this plan creates."""

    def writable(self, entry: Entry, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of an entry without those that files must not write."""
        return fields

    def found(self, schema: Schema, entry: Entry, values: Mapping[str, Any]) -> Sequence[Record]:
        """Return the records that an entry means although none has its key. The first answer counts."""
        return ()

    def matched(self, planned: Planned, current: Record | None) -> None:
        """Check a record that is to exist, now that its present record is known. Some references are unresolved."""

    def joined(self, pairs: list[Pair]) -> None:
        """Check all records, now that all are matched, or match more of them."""

    def left_alone(self, schema: Schema, entry: Entry, exists: bool) -> frozenset[str]:
        """Return the keys of the fields of an entry that are not compared."""
        return frozenset()

    def known(self, planned: Planned, current: Record | None) -> None:
        """Take references that the instance does not know out of a record that is to exist."""

    def linked(self, planned: Planned) -> None:
        """Check a record that is to exist, now that its references are resolved.

        An unchanged record without references is left out.
        """

    def changed(self, planned: Planned, current: Record | None) -> None:
        """Check or note a record that changes, before all records are."""

    def compared(self, planned: Planned, current: Record | None) -> None:
        """Check or note a record, now that its change is known, even if nothing changes."""

    def complete(self) -> None:
        """Check the plan as a whole, or take changes out."""

    def warnings(self) -> Iterable[str]:
        """Return warnings, whether or not there are findings."""
        return ()


def collect(aspects: Sequence[Aspect]) -> SimpleNamespace:
    """Return the overridden hooks of some concerns by name, in the order of the concerns.

    They are collected once, because calling each concern for each record would cost a fifth of the time.
    """
    on = [aspect for aspect in aspects if aspect.is_on]
    names = [name for name, hook in vars(Aspect).items() if isinstance(hook, FunctionType) and name[0] != "_"]
    own = {
        name: [aspect for aspect in on if getattr(type(aspect), name) is not getattr(Aspect, name)] for name in names
    }
    return SimpleNamespace(**{name: [getattr(aspect, name) for aspect in own[name]] for name in names})
