# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desired state of an instance, from files or inline in a playbook."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

from ...module_utils.model.kinds import KINDS, Kind
from .entry import Entry
from .hiding import Hiding
from .lifecycle import Lifecycle
from .positions import Finding, Place
from .row_rules import NO_RULES, RowRules
from .scan_codes import ScanCodeSettings
from .tables import ReadTable, Tables

#: Section of the files (and of inline ``desired``) to the kind of its records, in the order of dependency.
SECTIONS: dict[str, str] = {kind.section: kind.name for kind in KINDS.values() if kind.section}

#: Sections with one part for each template: asset, room, person.
BY_TEMPLATE = tuple(kind.section for kind in KINDS.values() if kind.section and kind.defines_fields)

#: The option with inline records, as the name of their source.
INLINE = "desired"

#: A file, or :data:`INLINE`, and one of its sections.
Source = tuple[str, str]


class SourceCount(NamedTuple):
    """The contents of a source.

    :ivar rows: number of its entries. :ivar records: number of its entries that are to exist and belong to the set.
    """

    rows: int = 0
    records: int = 0


#: The setting that accepts names that look like others.
SIMILAR = "similar"

#: The actions for a record of the set that is in no file.
PRUNE = ("report", "delete", "archive")


def prune_actions(section: str) -> tuple[str, ...]:
    """Return the prune actions that the service can execute for the records of a section."""
    kind = KINDS[SECTIONS[section]]
    if "absent" not in kind.states or not kind.can_be_looked_up:
        return PRUNE[:1]
    return PRUNE if kind.can_be_archived else PRUNE[:2]


@dataclass(frozen=True)
class Limits:
    """The limits for each kind.

    They are percentages of the records in scope (if there are at least ``from_existing``), numbers of changes, and
    users per run.
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
    """Return a written limit as a number, 0 or more, or None if it is no such number."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None


@dataclass(frozen=True)
class Policy:
    """What a run may do besides creating and changing records.

    :ivar prune: section to ``report``, ``delete`` or ``archive``.
    :ivar limits: written limits by name; the others have the defaults of :class:`Limits`.
    :ivar lowered: the limits that the files lower, by name, with what the task allows.
    :ivar create_users: False if files forbid it, True if the task allows it. Otherwise None, which forbids it, too.
    :ivar is_capped: True if the task limits percentages. Files define the scope, and a scope of few records must not
        lift these limits.
    """

    prune: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, float] = field(default_factory=dict)
    create_users: bool | None = None
    notify: bool = False
    is_capped: bool = False
    lowered: Mapping[str, float] = field(default_factory=dict)


@dataclass
class DesiredInstance:
    """The desired state, and what is wrong with it.

    :ivar unmanaged: records that are written as unmanaged: they are never pruned.
    :ivar instances: roots of the instances that it may be applied to; empty for any.
    :ivar set_name: name of the managed set.
    :ivar set_id: distinguishes it from other sets of its name.
    :ivar timezone: for date-times written without an offset.
    :ivar identity: section to the fields that identify its records, if they differ from the default.
    :ivar scope: section to field to the values of records in scope; empty for everything.
    :ivar marker: field with the name of the set in each record, if the files name one.
    :ivar lifecycle: section to ignored fields and protected records.
    :ivar similar: section to new natural keys that may look like those of other records.
    :ivar scan_codes: the scan codes of objects and their placeholders; None without labels.
    :ivar observed: section to the fields that scans or people write; a missing section: as detected.
    :ivar shields: protected records that are not part of it, because an undo has only changes.
    :ivar moved: section to pairs of an old and a new natural key, as maps of fields.
    :ivar moved_places: place of a pair, by the identity of its new key.
    :ivar setting_places: places of settings, by their names with points (``scope.objects.target_room``).
    :ivar src: the directory that was read, or the directory of the file; empty without one.
    :ivar origin: the directory or the file that was read, by which a journal knows it; empty without one.
    :ivar root: the directory of local files; empty without one.
    :ivar sources: each source that was read to what it has.
    :ivar nameless: a source without settings in ``tables`` to its first row that only has cells that are not read.
    :ivar unread: files that are not read because of their suffix.
    :ivar hiding: what must not be shown.
    :ivar tables: how tables were saved, and how those of other systems are mapped.
    :ivar delimiters: the delimiter of each table that was read. :ivar codecs: the encoding of each.
    :ivar tables_read: the tables of other systems that were read.
    :ivar unidentified: the sources of those of them that have no column for the natural key.
    :ivar warnings: things about the files that are not mistakes but worth knowing.
    :ivar rule_warnings: the same for what rules of the task found.
    :ivar declares_variables: True if the settings declare variables: then ``${`` begins a variable.
    :ivar settings: the settings as written, variables replaced; of several layers those of all.
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
    similar: Mapping[str, Sequence[str]] = field(default_factory=dict)
    scan_codes: ScanCodeSettings | None = None
    shields: Sequence[Entry] = ()
    moved: Mapping[str, Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]] = field(default_factory=dict)
    moved_places: dict[int, Place] = field(default_factory=dict)
    setting_places: dict[str, Place] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    src: str = ""
    origin: str = ""
    root: str = ""
    sources: dict[Source, SourceCount] = field(default_factory=dict)
    nameless: dict[Source, Place] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    sections: set[str] = field(default_factory=set)
    hiding: Hiding = field(default_factory=Hiding)
    delimiters: dict[str, str] = field(default_factory=dict)
    codecs: dict[str, str] = field(default_factory=dict)
    tables: Tables = field(default_factory=Tables)
    tables_read: list[ReadTable] = field(default_factory=list)
    unidentified: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)
    rule_warnings: list[Finding] = field(default_factory=list)
    declares_variables: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def key_choices(self, kind: Kind, rules: RowRules = NO_RULES) -> Sequence[Sequence[str]]:
        """Return the choices of fields that identify a record. The first whose fields all have values decides."""
        named = self.identity.get(kind.section)
        return rules.match or ([named] if named else [kind.written_key] if kind.written_key else kind.match_on)

    def without(self, section: str) -> DesiredInstance:
        """Return the desired state without the records of a section, and without what the settings say of them."""
        return replace(
            self,
            entries=[entry for entry in self.entries if entry.kind.section != section],
            sections=self.sections - {section},
            scope={name: fields for name, fields in self.scope.items() if name != section},
            moved={name: pairs for name, pairs in self.moved.items() if name != section},
        )

    def rules_of(self, path: str) -> RowRules:
        """Return the rules of the rows of a file."""
        table = self.tables.for_file(path)
        return NO_RULES if table is None else table.rules

    def how_to_set(self, path: str, setting: str) -> str:
        """Return a setting of a table with its place in instance.yml, ready to be pasted."""
        table = self.tables.for_file(path) or self.tables.in_csv(path)
        if table is not None:
            return f"set `{setting}` in {table.setting}"
        name = self.tables.of_layer(path)[1]
        layer = path.removesuffix(name)
        where = f" in {layer}instance.yml" if layer else ""
        if self.has_own_format(path):
            return f'set `csv: {{files: {{"{name}": {{{setting}}}}}}}`{where}'
        return f"set `csv: {{{setting}}}`{where}"

    def where_to_set(self, path: str) -> str:
        """Return the name of the map with the settings of a table."""
        table = self.tables.for_file(path) or self.tables.in_csv(path)
        if table is not None:
            return table.setting
        return f'csv.files."{path}"' if self.has_own_format(path) else "csv of instance.yml"

    def has_own_format(self, path: str) -> bool:
        """Return True if a setting of ``csv`` for all files would change the format of other tables than a file."""
        tables = {name for name, _section in self.sources if name.lower().endswith((".csv", ".xlsx"))}
        return bool(self.tables.files or tables - {path})

    def place_of(self, setting: str) -> Place:
        """Return the place of a setting."""
        return self.setting_places.get(setting, Place("instance.yml"))


def digest_of(desired: DesiredInstance) -> str:
    """Return the SHA-256 of the settings and the records. It is the same for the same files."""
    digest = hashlib.sha256()
    records = (
        (entry.kind.name, entry.template, entry.state, entry.uuid, entry.rules.match, entry.fields)
        for entry in desired.entries
    )
    for part in chain([desired.settings, desired.moved], records):
        digest.update(json.dumps(part, default=str, skipkeys=True).encode())
    return digest.hexdigest()
