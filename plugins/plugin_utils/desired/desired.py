# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desired state of an instance, wherever it was written: in files, or inline in a playbook."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, Kind
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema

from .dialect import Dialects
from .entry import Entry
from .hiding import Hiding
from .lifecycle import Lifecycle
from .positions import Finding, Place
from .scan_codes import ScanCodeSettings
from .tables import ReadTable, Tables

SECTIONS: dict[str, str] = {kind.section: kind.name for kind in KINDS.values() if kind.section}
"""Section of the files (and of inline ``desired``) to the kind of record that it lists, in the order of dependency.
"""

BY_TEMPLATE = tuple(kind.section for kind in KINDS.values() if kind.section and kind.defines_fields)
"""Sections that have one part for each template: asset, room, person."""

INLINE = "desired"
"""The option that holds records inline, as a source of them."""

Source = tuple[str, str]
"""A file, or :data:`INLINE`, and one of its sections."""


class Held(NamedTuple):
    """The contents of a source.

    :ivar rows: number of its entries. :ivar records: number of those that shall exist and belong to the set.
    """

    rows: int = 0
    records: int = 0


PRUNE = ("report", "delete", "archive")
"""The actions for a record that belongs to the set and is not in the files."""


def prune_actions(section: str) -> tuple[str, ...]:
    """The actions of prune for the records of a section: those that the service can carry out."""
    kind = KINDS[SECTIONS[section]]
    if not kind.can_be_pruned:
        return PRUNE[:1]
    return PRUNE if kind.can_be_archived else PRUNE[:2]


def states_of(section: str) -> tuple[str, ...]:
    """The values of ``_state`` in a section."""
    return KINDS[SECTIONS[section]].states


@dataclass(frozen=True)
class Limits:
    """The limits for each kind: percent of the records in scope, where there are at least ``from_existing``; numbers of
    changes; users a run.
    """

    create_percent: float = 30
    update_percent: float = 30
    delete_percent: float = 10
    from_existing: float = 10
    users: float = 10
    creates: float = math.inf
    updates: float = math.inf
    deletes: float = math.inf


def limit_of(value: Any) -> float | None:
    """A limit as it was written, as a number from 0; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


@dataclass(frozen=True)
class Policy:
    """The things that a run may do beyond making and changing records.

    :ivar prune: section to ``report``, ``delete`` or ``archive``.
    :ivar limits: limits that are written, by name; the others are as :class:`Limits` has them.
    :ivar create_users: None where nothing is written about it.
    :ivar is_capped: whether the task limits percents. Files choose the scope: one of few records must not lift these.
    """

    prune: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    create_users: bool | None = None
    notify: bool = False
    is_capped: bool = False


@dataclass
class DesiredInstance:
    """Everything that was written, and what was found to be wrong with it.

    :ivar unmanaged: records that were written to be left alone: they are never pruned.
    :ivar instances: roots of the instances that it may be applied to; empty: any.
    :ivar set_name: name of the managed set.
    :ivar set_id: tells it from other sets of its name.
    :ivar timezone: for date-times written without an offset.
    :ivar identity: section to the fields that identify its records, where the default is not meant.
    :ivar scope: section to field to the values that a record in scope has; empty: all of it.
    :ivar marker: field that names the set in each record, where the files say so.
    :ivar lifecycle: section to what is left alone in its records, and which of them must stay.
    :ivar scan_codes: the scan codes of objects and their placeholders; None if labels are of no concern.
    :ivar observed: section to the fields that scans or people write; a section that is missing: as detected.
    :ivar shields: records that must stay although they are no part of it: a plan file holds changes alone.
    :ivar set_sizes: section to the number of records of the set that a plan file was made for.
    :ivar moved: section to pairs of an old and a new natural key, as maps of fields.
    :ivar old_names: the same, of a plan file, which renames by uuids: others may still refer to what it renames.
    :ivar moved_places: where a pair was written, by the identity of its new key.
    :ivar setting_places: where settings were written, by their names with points (``scope.objects.actual_room``).
    :ivar src: the directory that was read, or that of the file; empty where there is none.
    :ivar origin: the directory or the file that was read, by which a journal knows it; empty where there is none.
    :ivar root: the directory that local files come from; empty where there is none.
    :ivar sources: each source that was read to what it holds.
    :ivar unread: files among them that are not read because of their suffix.
    :ivar hiding: what of it must not be shown.
    :ivar dialects: how tables were saved. :ivar delimiters: of each table that was read, what parts its cells.
    :ivar tables: how tables of other systems are mapped. :ivar tables_read: those that were read.
    :ivar warnings: what should be known of the files, although it is no mistake.
    :ivar declares_variables: whether the settings declare variables: then ``${`` begins one.
    :ivar settings: the settings as they were written, variables filled in; of several layers those of all.
    :ivar merge_anew: merges the records of layers once more with schemas of the instance, whose labels tell which are
        the same, and returns what is wrong then; None where keys alone told that.
    """

    entries: list[Entry] = field(default_factory=list)
    unmanaged: list[Entry] = field(default_factory=list)
    instances: Sequence[str] = ()
    set_name: str = ""
    set_id: str = ""
    timezone: str = ""
    identity: Mapping[str, Sequence[str]] = field(default_factory=dict)
    policy: Policy = field(default_factory=Policy)
    scope: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=dict)
    marker: str = ""
    lifecycle: Mapping[str, Lifecycle] = field(default_factory=dict)
    observed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    scan_codes: ScanCodeSettings | None = None
    shields: Sequence[Entry] = ()
    set_sizes: Mapping[str, int] = field(default_factory=dict)
    moved: Mapping[str, Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]] = field(default_factory=dict)
    old_names: Mapping[str, Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]] = field(default_factory=dict)
    moved_places: dict[int, Place] = field(default_factory=dict)
    setting_places: dict[str, Place] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    src: str = ""
    origin: str = ""
    root: str = ""
    sources: dict[Source, Held] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    sections: set[str] = field(default_factory=set)
    hiding: Hiding = field(default_factory=Hiding)
    dialects: Dialects = field(default_factory=Dialects)
    delimiters: dict[str, str] = field(default_factory=dict)
    tables: Tables = field(default_factory=Tables)
    tables_read: list[ReadTable] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    declares_variables: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    merge_anew: Callable[[Callable[[Kind], Schema]], list[Finding]] | None = field(default=None, compare=False)

    def misread_places(self) -> frozenset[Place]:
        """Lines and columns about which reading found something: what else is wrong with them follows from that."""
        return frozenset(finding.place for finding in self.findings if finding.place.line)

    def how_to_set(self, path: str, setting: str) -> str:
        """Say where to write a setting of a table, ready to be pasted."""
        table = self.tables.of(path)
        if table is not None:
            return f"set `{setting}` in {table.setting}"
        if self.dialects.files:
            return f'set `csv: {{files: {{"{path}": {{{setting}}}}}}}`'
        return f"set `csv: {{{setting}}}`"

    def place_of(self, setting: str) -> Place:
        """The place where a setting was written."""
        return self.setting_places.get(setting, Place("instance.yml"))


def digest_of(desired: DesiredInstance) -> str:
    """The SHA-256 of what the records shall be, and of what tells them apart: the same for the same files."""
    digest = hashlib.sha256()
    for part in (desired.identity, desired.scope, desired.marker, desired.moved):
        digest.update(_as_bytes(part))
    for one in desired.entries:
        digest.update(_as_bytes((one.kind.name, one.template, one.state, one.uuid, one.fields)))
        if one.cells is not None:
            digest.update(_as_bytes(one.cells.spelling))
    return digest.hexdigest()


def _as_bytes(value: Any) -> bytes:
    return json.dumps(value, default=str, skipkeys=True).encode()
