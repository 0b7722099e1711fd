# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for an instance: records with their changes."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Record
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import (
    ARCHIVED_AT,
    HUB_ITEM,
    KINDS,
    SERVER_KEYS,
    Kind,
    Level,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import (
    attachments_in,
    references_in,
)
from ansible_collections.community.seventhings.plugins.module_utils.plan.change import CREATE, UNCHANGED, Change
from ansible_collections.community.seventhings.plugins.module_utils.resolve.hidden_records import NO, Visibility

from ..desired.desired import INLINE, SECTIONS, Source
from ..desired.entry import Entry
from ..desired.hiding import VAULTED, Hiding
from ..desired.parsing import written_as
from ..desired.positions import Finding
from ..rules.rule import RuleSet
from .baseline import Baseline
from .listed_state import ListedState
from .scan_codes import ScanCodeCounts

SAMPLE = 40
"""Number of missing records of a section that are always looked up in the archive."""

MOST_OF_A_RUN = 200
"""Number of missing records up to which a run that applies its plan, or writes it to a file, looks up all of them."""

LEVELS = tuple(Level)
"""The levels. A level may refer to earlier levels, and is applied after them."""


def level_of(section: str) -> int:
    """Return the level at which a section is applied."""
    return KINDS[SECTIONS[section]].level


NO_CHANGE = {name: Change(kind, UNCHANGED) for name, kind in KINDS.items()}
"""Kind to an unchanged :class:`Change`, which most records share."""


@dataclass(slots=True)
class Planned:
    """One desired record with its change.

    :ivar key: its natural key in words, as shown.
    :ivar keys: the fields of its natural key.
    :ivar fingerprint: hash of the record before the change; empty for a new record.
    :ivar made: uuid of the record once it exists.
    :ivar archived: True if the record exists and is archived.
    :ivar after: fields that get a unique value, each with the entry that frees that value.
    :ivar resumed: True for the rest of a record that an interrupted run created from the same files.
    :ivar leaving: of a record to remove, the records whose references to it end in this plan.
    :ivar relations: of a definition, relations to definitions that are still to be created, as written.
    :ivar words: its natural key in words if that must not be shown.
    :ivar kept_as: replaces its vaulted natural key in lasting files.
    :ivar left_alone: keys of the written fields that are not compared.
    """

    section: str
    entry: Entry
    schema: Schema
    desired: dict[str, Any]
    keys: tuple[str, ...]
    key: str
    change: Change
    fingerprint: str = ""
    made: str | None = None
    relations: Sequence[Any] = ()
    archived: bool = False
    resumed: bool = False
    after: tuple[tuple[str, Entry], ...] = ()
    words: str = ""
    kept_as: str = ""
    leaving: tuple[Entry, ...] = ()
    left_alone: frozenset[str] = frozenset()

    @property
    def kind(self) -> Kind:
        return self.schema.kind

    @property
    def noted(self) -> str:
        """Return its natural key in lasting files."""
        return self.kept_as or self.key

    def hide(self, hiding: Hiding) -> Planned:
        """Return a copy with the natural key hidden if a part of it is vaulted: its place replaces it."""
        if any(hiding.covers(self.entry, written_as(self.schema, self.entry, key), key) for key in self.keys):
            self.kept_as = f"{VAULTED} {self.entry.place}"
            if not hiding.show:
                self.words, self.key = self.key, self.kept_as
        return self

    def __str__(self) -> str:
        return f"{self.kind.words} {self.key}"


@dataclass(frozen=True)
class Protection:
    """A record that says whether it must stay.

    :ivar uuid: of the record; empty if it is still to be created.
    """

    planned: Planned
    uuid: str
    is_protected: bool

    @property
    def mark(self) -> str:
        """Return the identifier of the record in the journal; empty until it exists."""
        return shield_mark(self.planned.kind, self.uuid or self.planned.made or "", self.planned.desired)


@dataclass
class InstancePlan:
    """Everything that is to be done to an instance.

    :ivar changes: in order of their levels; what is unchanged is only counted.
    :ivar dropped: changes that were planned, and are not to be made in this run.
    :ivar unchanged: section to number.
    :ivar skipped: section to number of records that are left as they are although they are not as written.
    :ivar existing: section to number of records in scope. :ivar everywhere: to number of all records.
    :ivar unmatched: section to number of entries that shall be absent or archived, and that match no record.
    :ivar visibility: what is known of records that are hidden from the account.
    :ivar set_sizes: section to number of records that belong to the set, where a limit needs it.
    :ivar existing_before: section to the number of records of which limits on creations count.
    :ivar reported: section to natural keys of records that are not in the files and stay.
    :ivar exceeded_limits: reasons why the plan must not be applied as it is.
    :ivar cautions: warnings with which every report begins.
    :ivar protected: reasons why the plan must not be applied that nothing can lift but the files.
    :ivar protections: records that say whether they must stay.
    :ivar live_findings: rules that records break as the instance has them, which no change is to blame for.
    :ivar rule_warnings: what rules of the level warning found, and rules that judge nothing.
    :ivar managed: uuids of records that are in the files and there already.
    :ivar claimed: name of a kind to the uuids of its records that are in the files, whether or not they are managed.
    :ivar names: uuid of such a record to its kind and its natural key in the files, where that may be noted.
    :ivar references: of what is written, by which record or entry it means (:func:`mark_of`): each entry with the field
        in which it refers to that. Empty where nobody asked for it.
    :ivar released: kind, natural key and uuid of records that are no part of the set any more.
    :ivar unchecked: identities of entries that no list shows and that were not looked up in the archive.
    :ivar scan_codes: the labels of objects.
    :ivar lookups: requests that looked records up in the archive. :ivar more_lookups: how many more an apply sends.
    :ivar searched: names of kinds whose lists must be complete: they show that nothing refers to what is taken away, or
        lacked a record that is there.
    :ivar state: the lists that the plan was made from.
    :ivar hiding: what of it must not be shown.
    """

    changes: list[Planned] = field(default_factory=list)
    dropped: list[Planned] = field(default_factory=list)
    unchanged: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    existing: Counter[str] = field(default_factory=Counter)
    everywhere: Counter[str] = field(default_factory=Counter)
    unmatched: Counter[str] = field(default_factory=Counter)
    visibility: Visibility = field(default_factory=Visibility)
    set_sizes: dict[str, int] = field(default_factory=dict)
    existing_before: dict[str, int] = field(default_factory=dict)
    reported: dict[str, list[str]] = field(default_factory=dict)
    exceeded_limits: list[str] = field(default_factory=list)
    protected: list[str] = field(default_factory=list)
    protections: list[Protection] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    live_findings: list[Finding] = field(default_factory=list)
    rule_warnings: list[Finding] = field(default_factory=list)
    managed: list[str] = field(default_factory=list)
    claimed: Mapping[str, Mapping[str, Entry]] = field(default_factory=dict)
    names: dict[str, tuple[str, str]] = field(default_factory=dict)
    references: dict[Any, list[tuple[Entry, str]]] = field(default_factory=dict)
    released: list[tuple[str, str, str]] = field(default_factory=list)
    unchecked: set[int] = field(default_factory=set)
    scan_codes: ScanCodeCounts = field(default_factory=ScanCodeCounts)
    lookups: int = 0
    more_lookups: int = 0
    searched: set[str] = field(default_factory=set)
    state: ListedState | None = None
    hiding: Hiding = field(default_factory=Hiding)

    def origins(self) -> dict[str, str]:
        """Return the file that each record is in, by its uuid. Those that were created have one, too."""
        found = {uuid: entry for claimed in self.claimed.values() for uuid, entry in claimed.items()}
        found |= {one.made: one.entry for one in self.changes if one.made}
        return {uuid: entry.place.file or INLINE for uuid, entry in found.items()}

    def drop_unchanged(self) -> None:
        """Count the records that needed no change in the end, because somebody else created them meanwhile."""
        self.unchanged += Counter(one.section for one in self.changes if not one.change.changed)
        self.changes = [one for one in self.changes if one.change.changed]

    def later_uploads(self, planned: Planned) -> Iterator[str]:
        """Yield the fields of a new record whose files are uploaded once it exists.

        The service deletes no file, and it may refuse the record because a hidden record has its unique values.
        """
        change, fields = planned.change, planned.schema.fields
        may_be_refused = self.visibility.hidden_records != NO and planned.kind.can_be_archived
        for key, value in change.values.items() if may_be_refused and change.action == CREATE else ():
            if not fields[key].mandatory and any(file.uuid is None for file in attachments_in(value)):
                yield key


@dataclass(frozen=True)
class PlanOptions:
    """The options of a plan.

    :ivar only: sections or natural keys; nothing else is planned. :ivar exclude: the opposite.
    :ivar known: uuids of records that belong to the managed set. :ivar protected: of those that must stay.
    :ivar protected_by_others: reads which records must stay because another set says so: uuid to what says so.
    :ivar note_references: True if the plan says which references are written.
    :ivar assume_archived: True if a record that no list shows counts as archived when the instance does not say.
    :ivar resumed: what an interrupted run created from the same files: uuids, and kind and key if no uuid was noted.
    :ivar existing_before: section to the number of records before that run.
    :ivar sources_before: each source of an earlier apply to the number of its records.
    :ivar origins: uuid to the file that a record was in when it was applied last, if that was noted.
    :ivar baseline: takes the hashes of records that are as the files say.
    :ivar names: uuid to the kind and key under which a record was last known to the set.
    :ivar refused: kind and key of records whose creation the service refused because it has their values already.
    :ivar most_lookups: look up all records of a section that are missing in the archive if they are at most so many,
        else a sample; None: all. :ivar most_lookups_of_apply: the same of the run that applies the plan.
    :ivar limited_account: whether the task accepts that the account does not see all records.
    :ivar is_protected: whether the files may be those of strangers.
    :ivar observed: section to the fields that the task says scans or people write.
    :ivar has_changes_only: whether the entries are those that change something, none that stay.
    :ivar rules: the rules of the task; None if it has none. :ivar judges_live: whether they judge all records of the
        instance as they are, too.
    :ivar is_approved: whether the plan comes from a plan file, for which the archive was checked.
    :ivar lists: lists that were read for this plan already.
    :ivar deleted: uuids of records that this set is known to have deleted, so that they are not hidden.
    """

    only: Sequence[str] = ()
    exclude: Sequence[str] = ()
    known: frozenset[str] = frozenset()
    allow_destructive: bool = False
    confirm_empty: bool = False
    resumed: frozenset[str] = frozenset()
    workers: int = 8
    assume_archived: bool = False
    protected: frozenset[str] = frozenset()
    protected_by_others: Callable[[], Mapping[str, str]] = dict
    names: Mapping[str, str] = field(default_factory=dict)
    existing_before: Mapping[str, int] = field(default_factory=dict)
    sources_before: Mapping[Source, int] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    baseline: Baseline | None = None
    note_references: bool = False
    refused: frozenset[str] = frozenset()
    most_lookups: int | None = SAMPLE
    most_lookups_of_apply: int | None = MOST_OF_A_RUN
    limited_account: bool = False
    is_protected: bool = False
    observed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_approved: bool = False
    lists: ListedState | None = None
    deleted: frozenset[str] = frozenset()
    has_changes_only: bool = False
    rules: RuleSet | None = None
    judges_live: bool = False


def mark_of(entry: Entry | None, uuid: str | None) -> Any:
    """Return the identifier of a referenced record: the entry that creates it, else its uuid."""
    return uuid if entry is None else id(entry)


def shield_mark(kind: Kind, uuid: str, values: Mapping[str, Any]) -> str:
    """Return the identifier of a protected record in a journal.

    It is its uuid. An offer has no uuid, so its object's is used. Empty until it exists.
    """
    if not kind.numbered:
        return uuid
    offered = next(references_in(values.get("object")), None)
    return offer_mark(offered.uuid) if offered is not None and offered.uuid else ""


def offer_mark(uuid: str) -> str:
    """Return the identifier of the offer of an object in a journal.

    :param uuid: of the object.
    """
    return f"{HUB_ITEM.name} {uuid}"


def fingerprint_of(schema: Schema, record: Record | None, archived: bool = False) -> str:
    """Return the hash of the present record, without what the service changes by itself.

    :param archived: True if the record is archived, or may be.
    """
    if record is None:
        return ""
    shown: dict[str, Any] = {key: value for key, value in schema.show(record.flat).items() if key not in SERVER_KEYS}
    if archived:
        shown[ARCHIVED_AT] = True
    return hashlib.sha256(json.dumps(shown, sort_keys=True, default=str).encode()).hexdigest()


def drop_changes(result: InstancePlan, dropped: Iterable[Planned]) -> InstancePlan:
    """Return the plan without some of its changes."""
    gone = {id(one): one for one in dropped}
    left = [one for one in result.changes if id(one) not in gone]
    return replace(result, changes=left, dropped=[*result.dropped, *gone.values()])
