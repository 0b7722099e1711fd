# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan for an instance: records with their changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import KINDS, Kind, Level
from ...module_utils.model.names import normal_address, normal_name
from ...module_utils.model.schema import Schema
from ...module_utils.model.types_links import attachments_in
from ...module_utils.plan.change import CREATE, UNCHANGED, Change
from ...module_utils.resolve.hidden_records import Visibility
from ...module_utils.resolve.natural_keys import ignores_case
from ..desired.desired import SECTIONS, Source
from ..desired.entry import Entry
from ..desired.hiding import VAULTED, Hiding
from ..desired.parsing import written_as
from ..desired.positions import Finding, Place
from ..layers.records import MergedPlaces, place_with
from ..rules.rule import RuleSet
from .baseline import Baseline
from .listed_state import ListedState
from .marks import shield_mark

#: Number of missing records of a section that are always looked up in the archive.
SAMPLE = 40

#: Number of missing records up to which a run that applies its plan, or writes it to a file, looks up all of them.
MOST_OF_A_RUN = 200

#: The levels. A level may refer to earlier levels, and is applied after them.
LEVELS = tuple(Level)


def level_of(section: str) -> int:
    """Return the level at which a section is applied."""
    return KINDS[SECTIONS[section]].level


#: Kind to an unchanged :class:`Change`, which most records share.
NO_CHANGE = {name: Change(kind, UNCHANGED) for name, kind in KINDS.items()}


@dataclass(frozen=True)
class Asked:
    """What the files of a set ask for.

    :ivar digest: of the desired records and what protects them, independent of the order and the format of the files.
    :ivar key: protects every digest of a record with hidden values; None if nothing is hidden.
    """

    digest: str = ""
    key: bytes | None = None


@dataclass(slots=True)
class Planned:
    """One desired record with its change.

    :ivar key: its natural key in words, as shown.
    :ivar keys: the fields of its natural key.
    :ivar created_uuid: uuid of the record once it exists.
    :ivar archived: True if the record exists and is archived.
    :ivar after: fields that get a unique value, each with the entry that frees that value.
    :ivar resumed: True for the rest of a record that an interrupted run created from the same files.
    :ivar leaving: of a record to remove, the records whose references to it end in this plan.
    :ivar relations: of a definition, relations to definitions that are still to be created, as written.
    :ivar words: its natural key in words if that must not be shown.
    :ivar kept_as: replaces its vaulted natural key in lasting files.
    :ivar left_alone: keys of the fields that are not compared, once the record exists.
    :ivar linked: keys of the values that may refer to records.
    :ivar remark: what happened to the record in the application.
    :ivar sides: key of each differing field to the side that changed it since the last apply.
    :ivar plain: keys of the fields that were not hidden in the last apply.
    :ivar earlier: of a record to create, the uuids that were noted for its key and its old keys, and that no list
        shows.
    :ivar edited: who changed the record in the application, and when, if that is known.
    """

    section: str
    entry: Entry
    schema: Schema
    desired: dict[str, Any]
    keys: tuple[str, ...]
    key: str
    change: Change
    created_uuid: str | None = None
    relations: Sequence[Any] = ()
    archived: bool = False
    resumed: bool = False
    after: tuple[tuple[str, Entry], ...] = ()
    words: str = ""
    kept_as: str = ""
    leaving: tuple[Entry, ...] = ()
    left_alone: frozenset[str] = frozenset()
    linked: Sequence[str] = ()
    remark: str = ""
    sides: Mapping[str, str] = field(default_factory=dict)
    plain: Container[str] = ()
    earlier: Sequence[str] = ()
    edited: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> Kind:
        return self.schema.kind

    def place_of(self, *keys: str) -> Place:
        """Return its place in a layer that has some fields, by default those that change."""
        keys = keys or (*self.change.before, *self.change.after)
        return place_with(self.entry, [written_as(self.schema, self.entry, key) for key in keys])

    @property
    def noted(self) -> str:
        """Return the natural key as the journal and the apply record note it."""
        return self.kept_as or self.key

    @property
    def journal_key(self) -> str:
        """Return its natural key in the journal, equal for all spellings that mean the same record."""
        return self.kept_as or (
            normal_address(self.key) if ignores_case(self.kind, self.keys) else normal_name(self.key)
        )

    @property
    def journal_name(self) -> str:
        """Return the name of the record in the memory of the journal."""
        return f"{self.kind.name} {self.journal_key}"

    def now(self, key: str) -> Any:
        """Return the present value of a field, or None for a new record."""
        current = self.change.current
        return None if current is None else self.schema.read_field(key, current.flat)

    def hide(self, hiding: Hiding) -> Planned:
        """Return a copy in which the place replaces a natural key with a vaulted part."""
        if any(hiding.covers(self.entry, written_as(self.schema, self.entry, key), key) for key in self.keys):
            self.kept_as = f"{VAULTED} {self.entry.place}"
            if not hiding.show:
                self.words, self.key = self.key, self.kept_as
        return self

    def __str__(self) -> str:
        return f"{self.kind.words} {self.key}"


#: A planned record, and its present record.
Pair = tuple[Planned, Record | None]


#: Reasons of a :class:`TableNote` besides the settings that skip rows and cells.
LEFT, RESTORED, ARCHIVED = "left", "restored", "archived"


@dataclass(frozen=True)
class TableNote:
    """A row of a table that is not used as it was written, or a record that left a table.

    :ivar reason: one of the three above, or the setting that skips the row or a cell of it.
    :ivar place: of the row, or of its last row. :ivar words: why, if the reason does not say everything.
    """

    reason: str
    planned: Planned
    place: Place
    words: str = ""


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
        return shield_mark(self.planned.kind, self.uuid or self.planned.created_uuid or "", self.planned.desired)


@dataclass(frozen=True)
class Relabelled:
    """An object whose scan code differs from the code in its row.

    :ivar name: the field as the row names it.
    :ivar written: the code of the row.
    :ivar now: the code of the object.
    """

    entry: Entry
    key: str
    name: str
    written: str
    now: str
    uuid: str


@dataclass
class ScanCodeCounts:
    """The scan codes of the rows of one plan.

    :ivar attached: rows whose object has a label. :ivar total: rows. :ivar differing: objects with another code.
    """

    attached: int = 0
    total: int = 0
    differing: list[Relabelled] = field(default_factory=list)

    def document(self) -> dict[str, int]:
        """Return the numbers for a result, or nothing if there are no rows."""
        if not self.total:
            return {}
        return {"attached": self.attached, "total": self.total, "differ": len(self.differing)}


@dataclass
class InstancePlan:
    """The planned changes of an instance.

    :ivar changes: in the order of their levels; unchanged records are only counted.
    :ivar dropped: changes that were planned and are left out of this run.
    :ivar unchanged: section to number.
    :ivar skipped: section to number of records that are left alone although they differ from the files.
    :ivar existing: section to number of records in scope. :ivar everywhere: section to number of all records.
    :ivar unmatched: section to number of entries with the state absent or archived that match no record.
    :ivar visibility: what is known about records that are hidden from the account.
    :ivar remembered: section to number of records that the journal knows. An account may not see all of them.
    :ivar set_sizes: section to number of records that belong to the set, if a limit needs the number.
    :ivar existing_before: section to the number of records that limits on creations refer to.
    :ivar reported: section to natural keys of records that are in no file and stay.
    :ivar exceeded_limits: limits that the plan exceeds, so that it must not be applied.
    :ivar cautions: warnings with which every report begins.
    :ivar protected: protections that the plan violates, so that it must not be applied. Only the files can lift them.
    :ivar protections: records that say whether they must stay.
    :ivar live_findings: rules that present records break, whatever the plan changes.
    :ivar rule_warnings: findings of rules with the level warning, and rules that match nothing.
    :ivar managed: name of a kind to the uuids of existing records that are in the files, each with its natural key in
        the files, which is empty if it is hidden.
    :ivar claimed: name of a kind to the uuids of its records that are in the files, whether or not they are managed.
    :ivar references: identifier of a referenced record (:func:`mark_of`) to the entries that refer to it, each with its
        field. Empty unless :attr:`PlanOptions.is_absorb` is set.
    :ivar relabelled: why absorb leaves entries alone: their records have other keys now.
    :ivar released: kind, natural key in lasting files, and uuid of records that no longer belong to the set.
    :ivar archived: the same of records that are archived, and stay so.
    :ivar table_notes: what becomes of rows of tables, and of records that left a table.
    :ivar never_in_a_table: section to number of records that are in no file and were in no table.
    :ivar unchecked: identities of entries that no list shows and that were not looked up in the archive.
    :ivar scan_codes: the labels of objects.
    :ivar state: the lists that the plan was made from.
    :ivar rows: entries of later layers, by their identities, each with the skipped row whose place it takes.
    :ivar hiding: the parts that must not be shown.
    :ivar asked: what the files ask for; empty unless :attr:`PlanOptions.is_approvable` is set.
    """

    changes: list[Planned] = field(default_factory=list)
    dropped: list[Planned] = field(default_factory=list)
    unchanged: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    existing: Counter[str] = field(default_factory=Counter)
    everywhere: Counter[str] = field(default_factory=Counter)
    remembered: Counter[str] = field(default_factory=Counter)
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
    managed: dict[str, dict[str, str]] = field(default_factory=dict)
    claimed: Mapping[str, Mapping[str, Entry]] = field(default_factory=dict)
    references: dict[Any, list[tuple[Entry, str]]] = field(default_factory=dict)
    relabelled: list[Finding] = field(default_factory=list)
    released: list[tuple[str, str, str]] = field(default_factory=list)
    archived: list[tuple[str, str, str]] = field(default_factory=list)
    table_notes: list[TableNote] = field(default_factory=list)
    never_in_a_table: Counter[str] = field(default_factory=Counter)
    unchecked: set[int] = field(default_factory=set)
    scan_codes: ScanCodeCounts = field(default_factory=ScanCodeCounts)
    state: ListedState | None = None
    rows: Mapping[int, Entry] = field(default_factory=dict)
    hiding: Hiding = field(default_factory=Hiding)
    asked: Asked = field(default_factory=Asked)

    def in_files(self) -> dict[str, Entry]:
        """Return the entry of each record in the files, by uuid. Created records are among them."""
        found = {uuid: entry for claimed in self.claimed.values() for uuid, entry in claimed.items()}
        return found | {planned.created_uuid: planned.entry for planned in self.changes if planned.created_uuid}

    def places(self) -> dict[Any, Place]:
        """Return the place of each change by its index, and of each field of several layers by index and key."""
        places: dict[Any, Place] = {number: planned.place_of() for number, planned in enumerate(self.changes)}
        for number, planned in enumerate(self.changes):
            if isinstance(planned.entry.places, MergedPlaces):
                places |= {(number, key): planned.place_of(key) for key in planned.change.after}
        return places

    def drop_unchanged(self) -> None:
        """Count the records that needed no change in the end, because somebody else created them meanwhile."""
        self.unchanged += Counter(planned.section for planned in self.changes if not planned.change.changed)
        self.changes = [planned for planned in self.changes if planned.change.changed]

    def later_uploads(self, planned: Planned) -> Iterator[str]:
        """Yield the fields of a new record whose files are uploaded once it exists.

        The service deletes no file, and it may refuse the record because a hidden record has its unique values.
        """
        change, fields = planned.change, planned.schema.fields
        may_be_refused = self.visibility.may_hide(planned.kind) and planned.kind.can_be_archived
        for key, value in change.values.items() if may_be_refused and change.action == CREATE else ():
            if not fields[key].mandatory and any(file.uuid is None for file in attachments_in(value)):
                yield key


@dataclass(frozen=True)
class OtherSets:
    """The records of other sets that this user applied here, by uuid, with the words for the set.

    :ivar protected: those that must stay. :ivar taken: those of this set that another set took over.
    :ivar shared: those that this set took over, and that another set also has.
    """

    protected: dict[str, str] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)
    shared: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PlanOptions:
    """The options of a plan.

    :ivar only: sections or natural keys; nothing else is planned. :ivar exclude: the opposite.
    :ivar known: uuids of records that belong to the managed set. :ivar protected: uuids of records that must stay.
    :ivar others: returns what other sets noted.
    :ivar is_absorb: True to fill :attr:`InstancePlan.references` and :attr:`InstancePlan.relabelled`.
    :ivar allow: what the task allows, see ``module_utils/plan/allowed.py``.
    :ivar resumed: records that an interrupted run created from the same files: uuids, or kind and key if no uuid was
        noted.
    :ivar existing_before: section to the number of records before that run.
    :ivar sources_before: each source of an earlier apply to the number of its records.
    :ivar origins: uuid to the file of a record in its last apply, if noted, a colon, the line if that is noted, and
        what :mod:`~.prune` and :mod:`~.sources` need to know about it.
    :ivar baseline: what was last applied. It collects the records that are as written in the files.
    :ivar notes_all: True to collect all such records, because the run notes them.
    :ivar names: uuid to the last noted kind and key of a record of the set.
    :ivar archived: uuids of records that earlier runs left archived.
    :ivar unseen: uuids of records that this set created, and that no account has seen since.
    :ivar looked_up: kind and key of records that are looked up in the archive in any case.
    :ivar most_lookups: number of missing records of a section up to which all of them are looked up in the archive,
        otherwise a sample; None: no maximum.
    :ivar is_protected: True if strangers may have written the files.
    :ivar observed: section to the fields that scans or people write, according to the task.
    :ivar has_changes_only: True if the entries are only the changes of an undo, not the whole set.
    :ivar rules: the rules of the task; None if it has none. :ivar is_drift: True if the plan is only a
        comparison. Then rules also judge the present records of the instance.
    :ivar is_approvable: True to fill :attr:`InstancePlan.asked`.
    :ivar lists: lists that were already read for this plan.
    :ivar deleted: uuids of records that this set deleted, so that they do not count as hidden.
    """

    only: Sequence[str] = ()
    exclude: Sequence[str] = ()
    known: frozenset[str] = frozenset()
    allow: frozenset[str] = frozenset()
    resumed: frozenset[str] = frozenset()
    protected: frozenset[str] = frozenset()
    others: Callable[[], OtherSets] = OtherSets
    names: Mapping[str, str] = field(default_factory=dict)
    existing_before: Mapping[str, int] = field(default_factory=dict)
    sources_before: Mapping[Source, int] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    baseline: Baseline | None = None
    notes_all: bool = False
    is_absorb: bool = False
    archived: frozenset[str] = frozenset()
    unseen: frozenset[str] = frozenset()
    looked_up: frozenset[str] = frozenset()
    most_lookups: int | None = SAMPLE
    is_protected: bool = False
    observed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_approvable: bool = False
    lists: ListedState | None = None
    deleted: frozenset[str] = frozenset()
    has_changes_only: bool = False
    rules: RuleSet | None = None
    is_drift: bool = False

    @property
    def is_comparison(self) -> bool:
        """Return True if nothing will be applied, whatever the plan is."""
        return self.is_drift or self.is_absorb

    @cached_property
    def noted(self) -> Mapping[str, Sequence[str]]:
        """Return the uuids of :attr:`names` by kind and key, the latest last. Earlier records may have had the key."""
        noted: dict[str, list[str]] = {}
        for uuid, name in self.names.items():
            noted.setdefault(name, []).append(uuid)
        return noted

    @cached_property
    def uuids(self) -> Mapping[str, str]:
        """Return the uuid of each record of :attr:`names` by kind and key."""
        return {name: uuid for uuid, name in self.names.items()}

    def selects(self, kind: Kind, name: Callable[[], str]) -> bool:
        """Return True if ``only`` and ``exclude`` select a record of a kind with a name."""
        if not self.only and not self.exclude:
            return True
        names = {kind.section, kind.name, normal_name(name())}
        return not (self.only and names.isdisjoint(self._only)) and names.isdisjoint(self._exclude)

    def leaves_out(self, kind: Kind) -> bool:
        """Return True if ``only`` and ``exclude`` leave out all records of a kind, whatever their names are."""
        names, sections = {kind.section, kind.name}, {*SECTIONS, *SECTIONS.values()}
        return bool(names & self._exclude or (self._only and self._only <= sections - names))

    @cached_property
    def _only(self) -> frozenset[str]:
        return frozenset(map(normal_name, self.only))

    @cached_property
    def _exclude(self) -> frozenset[str]:
        return frozenset(map(normal_name, self.exclude))


def drop_changes(result: InstancePlan, dropped: Iterable[Planned]) -> InstancePlan:
    """Return the plan without some of its changes. Tables have no notes about what becomes of their records."""
    by_entry = {id(planned.entry): planned for planned in dropped}
    left = [planned for planned in result.changes if id(planned.entry) not in by_entry]
    notes = [note for note in result.table_notes if id(note.planned.entry) not in by_entry]
    skipped = result.skipped + Counter(planned.section for planned in by_entry.values())
    all_dropped = [*result.dropped, *by_entry.values()]
    return replace(result, changes=left, dropped=all_dropped, table_notes=notes, skipped=skipped)
