# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an absorb edits, and the results so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.model.kinds import KINDS
from ..apply.memory import Memory
from ..desired.desired import BY_TEMPLATE, DesiredInstance, Limits
from ..desired.entry import Entry
from ..desired.hiding import VAULTED
from ..desired.positions import Place
from ..export.downloads import Downloads
from ..export.portable import Portable
from ..export.writing import Unwritable
from ..set_plan.baseline import Baseline
from ..set_plan.listed_state import ListedState
from ..set_plan.plan import InstancePlan
from .files import Files, Target

#: Choices for a record in the files that was deleted in the application.
KEEP, REMOVE, ABSENT = "keep", "remove", "absent"

#: Takes the value of the application if both sides changed a record. The alternative is :data:`KEEP`.
TAKE = "take"

#: The new records that are taken: those created since the last apply, or all.
SINCE_APPLY, ALL = "since_apply", "all"

ELSEWHERE = "its attachments come from elsewhere"


@dataclass
class Absorbed:
    """The result: the changes that were written to the files, and those that were not.

    :ivar planned: the plan that compares the files with the instance.
    :ivar baseline: what is known about the last apply. :ivar note: adds what the files have now.
    :ivar not_changed: differences that were not absorbed, each with its place.
    :ivar counts: section to numbers of changed values, and of added and removed records.
    :ivar reported: section to natural keys of records that are in no file and stay out of them.
    :ivar conflicts: fields that both sides changed, each with both values.
    :ivar offers: section to the line that would add reported records.
    :ivar warnings: warnings for the user.
    """

    planned: InstancePlan
    baseline: Baseline
    note: Callable[[], None] = lambda: None
    not_changed: list[str] = field(default_factory=list)
    counts: dict[str, Counter[str]] = field(default_factory=dict)
    reported: dict[str, list[str]] = field(default_factory=dict)
    conflicts: list[str] = field(default_factory=list)
    offers: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def summary(self) -> dict[str, dict[str, int]]:
        """Return the counts of each section."""
        words = ("changed", "added", "removed")
        return {section: {word: counts[word] for word in words} for section, counts in self.counts.items()}


@dataclass
class Editing:
    """The edits of files.

    :ivar options: of the task. :ivar limits: how many records may be removed from the files.
    :ivar memory: what is known about the set. :ivar listed: the lists that the plan has read.
    :ivar targets: section to the file for its new records.
    :ivar absorbed: the fields that have the value of the instance now, with the id of their record.
    :ivar removed: the ids of the records that leave the files.
    :ivar added: the records that the files get, with the names of their fields.
    """

    client: Client
    desired: DesiredInstance
    files: Files
    downloads: Downloads
    options: Mapping[str, Any]
    limits: Limits
    memory: Memory
    result: Absorbed
    listed: ListedState
    targets: Mapping[str, Target]
    absorbed: set[tuple[int, str]] = field(default_factory=set)
    removed: set[int] = field(default_factory=set)
    added: list[tuple[Record, Set[str]]] = field(default_factory=list)

    @property
    def planned(self) -> InstancePlan:
        """Return the plan that compares the files with the instance."""
        return self.result.planned

    @cached_property
    def state(self) -> ListedState:
        """The lists that the plan has read, without the records that the files will add."""
        state = ListedState(self.client)
        state.take_over(self.listed, KINDS)
        return state

    @cached_property
    def portable(self) -> Portable:
        """Converts values of the instance to plain data."""
        return Portable(self.state, self.downloads, lambda _why: None)

    def shown(self, entry: Entry, words: str, *names: str) -> str:
        """Return words about a record, or none of them if something of it is hidden.

        :param names: the names of the field that they quote.
        """
        hiding = self.desired.hiding
        return f"{entry.kind.words} {VAULTED}" if hiding.touches(entry) or hiding.hides(entry, *names) else words

    def leave(self, place: Place, words: str, reason: str) -> None:
        """Report a difference that is not absorbed."""
        self.result.not_changed.append(f"{place}: {words}: not changed, because {reason}")

    def count(self, section: str, word: str, number: int = 1) -> None:
        """Count changes in the summary."""
        if number:
            self.result.counts.setdefault(section.partition("/")[0], Counter())[word] += number

    def fetched_in(self, value: Any) -> dict[str, Path]:
        """Return the downloaded attachments that plain data names, by their paths in the files."""
        texts = set(texts_in(value))
        return {path: file for path, file in self.downloads.fetched.items() if path in texts}

    def require_layer(self, entry: Entry, target: Target) -> None:
        """Check that the task names no file in a later layer for the changes of a section.

        :param target: the file with the record.
        :raises Unwritable: if it does.
        """
        section, by_template = entry.kind.section, entry.kind.section in BY_TEMPLATE
        later = self.targets.get(f"{section}/{entry.template}" if by_template else section)
        if later is not None and later.layer > target.layer:
            raise Unwritable("changes of this section belong in a later layer; write it there")


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in plain data."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from texts_in(member)
    elif isinstance(value, str):
        yield value
