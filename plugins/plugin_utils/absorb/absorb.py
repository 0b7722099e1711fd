# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Take changes of the application into the files: changed values, new records, deleted records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput, NotFound
from ...module_utils.model.field import shorten
from ...module_utils.model.schema import type_of
from ...module_utils.plan.allowed import DESTRUCTIVE, EMPTY_SOURCES
from ...module_utils.plan.change import CREATE, UPDATE
from ..apply.memory import Memory
from ..desired.desired import DesiredInstance, Limits
from ..desired.parsing import written_as
from ..export.downloads import Downloads
from ..export.portable import NotPortable
from ..export.writing import Unwritable
from ..instance.sides import Sides
from ..set_plan.applied_values import noted_keys
from ..set_plan.baseline import APPLICATION, BOTH, FILES, TAKEN, UNKNOWN
from ..set_plan.marks import shield_mark
from ..set_plan.plan import SAMPLE, Planned, PlanOptions
from ..set_plan.planner import plan_instance
from .editing import ABSENT, KEEP, TAKE, Absorbed, Editing, texts_in
from .files import Files, Target, section_names
from .gone import Removals
from .labels import Labels
from .new_records import NewRecords
from .values import Values

_CONFLICT = "both sides changed since the last apply"
_UNKNOWN = "it is not known which side changed it"
_OF_FILES = "the files changed it since the last apply, and the application did not"
_NO_MEMORY = (
    "it is not known on this machine what was applied last, so every value that differs is taken from the application, "
    "even if only the files changed it"
)


def absorb(
    client: Client,
    desired: DesiredInstance,
    files: Files,
    downloads: Downloads,
    options: Mapping[str, Any],
    limits: Limits,
    memory: Memory,
) -> Absorbed:
    """Compare an instance with its files, and edit the files until only the reported differences are left.

    :param desired: the desired state in the files.
    :param files: collects the edits; nothing is written.
    :param options: of the task. :param limits: how many records may be removed from the files.
    :param memory: what is known about the set.
    :raises InvalidInput: if an option does not fit.
    """
    targets = _targets(files, options["into"])
    desired.policy = replace(
        desired.policy, prune={}, limits=dict.fromkeys(vars(Limits()), math.inf), create_users=True
    )
    baseline = memory.baseline()
    chosen = PlanOptions(
        allow=frozenset(options["allow"] or ()) | {DESTRUCTIVE, EMPTY_SOURCES},
        is_absorb=True,
        # An archived record must not be written as absent: a later apply would delete it.
        most_lookups=None if options["gone"] == ABSENT else SAMPLE,
        names=memory.names,
        baseline=baseline,
        notes_all=True,
    )
    result = Absorbed(plan_instance(client, desired, chosen), baseline)
    if not result.planned.findings and result.planned.state is not None:
        listed = result.planned.state
        _Absorbing(Editing(client, desired, files, downloads, options, limits, memory, result, listed, targets)).run()
    return result


def _targets(files: Files, into: Mapping[str, Any]) -> dict[str, Target]:
    known = section_names()
    found = {}
    for section, path in into.items():
        if section not in known:
            raise InvalidInput(f"into.{section}: no such section; expected one of {', '.join(known)}")
        if not isinstance(path, str) or not path:
            raise InvalidInput(f"into.{section}: {shorten(path)} does not fit; expected the path of a file")
        found[section] = files.into(section, path)
    return found


class _Absorbing:
    def __init__(self, edit: Editing) -> None:
        self._edit = edit
        self._planned = edit.planned
        self._result = edit.result
        self._files = edit.files
        self._values = Values(edit)
        self._sides = Sides(edit.planned, edit.desired, edit.memory, edit.result.baseline)
        self._decided: list[tuple[Planned, Record]] = []

    def run(self) -> None:
        self._sides.note()
        desired = self._edit.desired
        relabelled = desired.hiding.shown(self._planned.relabelled, desired.entries)
        self._result.not_changed += [f"{place}: {words}" for place, words in relabelled]
        self._result.note = self.note
        for planned in self._planned.changes:
            current = planned.change.current
            if planned.change.action == UPDATE and current is not None and not planned.archived:
                self._decide(planned, current)
            elif planned.change.action not in (UPDATE, CREATE):
                entry = planned.entry
                reason = "it exists again, and the files remove it"
                self._edit.leave(entry.place, self._edit.shown(entry, f"{planned}"), reason)
        Removals(self._edit, self._sides.existed).run()
        self._take_labels()
        NewRecords(self._edit).run()

    # ---- whose change it is

    def _decide(self, planned: Planned, current: Record) -> None:
        """Take the changes of the application, and keep the changes of the files."""
        self._decided.append((planned, current))
        keys = list(planned.change.before)
        if self._result.baseline.records or self._edit.memory.run:
            keys = [key for key in keys if self._is_taken(planned, key)]
        else:
            self._result.warnings = [_NO_MEMORY]
        self._update(planned, current, keys)

    def _is_taken(self, planned: Planned, key: str) -> bool:
        """Return True if the instance decides about a field. A conflict is reported."""
        side = planned.sides.get(key, UNKNOWN)
        if side == APPLICATION:
            return True
        entry, name = planned.entry, written_as(planned.schema, planned.entry, key)
        ours, theirs = shorten(planned.change.after[key]), shorten(planned.change.before[key])
        words = f"{planned}: {name} is {ours} in the files and {theirs} in the instance"
        place, words = entry.place_of(name), self._edit.shown(entry, words, name, key)
        if side == FILES:
            self._edit.leave(place, words, _OF_FILES)
            return False
        why = _CONFLICT if side == BOTH else _UNKNOWN
        self._result.conflicts.append(f"{place}: {words}: {why}")
        is_taken = bool(self._edit.options["on_conflict"] == TAKE)
        if not is_taken:
            self._edit.leave(place, words, f"{why}; on_conflict is {KEEP}")
        return is_taken

    # ---- what both sides share now

    def note(self) -> None:
        """Note the values that were equal, and those that the files take from the instance, which they may lose."""
        baseline, desired = self._result.baseline, self._edit.desired
        for planned, current in self._decided:
            keys = noted_keys(planned, desired)
            left = {key for key in planned.change.before if (id(planned.entry), key) not in self._edit.absorbed}
            values = {key: planned.desired[key] for key in keys if key not in left}
            taken = values.keys() & planned.change.before.keys()
            now = {key: self._sides.read(planned.schema, current, key) for key in taken}
            mark = shield_mark(planned.kind, current.uuid, planned.desired)
            baseline.note(mark, planned.schema, values, left & {*keys}, baseline.digest(planned.schema, now, TAKEN))
        for record, names in self._edit.added:
            schema = self._edit.client.schema(record.kind)
            fields = [schema.find(name) for name in names - desired.hiding.names]
            keys = [field.key for field in fields if field is not None and type_of(field).shape != "attachments"]
            baseline.note(record.uuid, schema, {key: self._sides.read(schema, record, key) for key in keys})

    # ---- changed values

    def _update(self, planned: Planned, current: Record, keys: Iterable[str]) -> None:
        entry = planned.entry
        for key in keys:
            name = written_as(planned.schema, entry, key)
            words = f"{planned}: {name} is {shorten(planned.change.before[key])} in the instance"
            try:
                if not _is_only_retyped(planned, current, key):
                    self._change(planned, current, key, name)
                    self._edit.count(planned.section, "changed")
                self._edit.absorbed.add((id(entry), key))
            except (Unwritable, NotPortable, InvalidInput, NotFound) as reason:
                self._edit.leave(entry.place_of(name), self._edit.shown(entry, words, name, key), str(reason))

    def _change(self, planned: Planned, current: Record, key: str, name: str) -> None:
        if name not in planned.entry.fields or key not in planned.schema.fields:
            raise Unwritable("it is not written, and follows from other fields")
        if any(key in keys for keys in planned.kind.match_on) and self._is_in_use(planned, current, name):
            raise Unwritable("records in the files may refer to it by the old one; write the new one in all of them")
        target = self._files.target_of(planned.entry, name)
        self._edit.require_layer(planned.entry, target)
        new = self._values.new(planned, current, key, name)
        fetched = self._values.attachments(planned, current, key, new)
        self._files.set(planned.entry, name, new)
        for path, content in fetched.items():
            self._files.add_file(target.layer, path, content.read_bytes())

    def _is_in_use(self, planned: Planned, current: Record, name: str) -> bool:
        """Return True if records may be named by the value of a field in the files, or fields by their label."""
        others = [dict(entry.fields) for entry, _key in self._planned.references.get(current.uuid, ())]
        old = str(planned.entry.fields[name] or "")
        return planned.kind.defines_fields or (bool(old) and any(old in text for text in texts_in(others)))

    # ---- labels

    def _take_labels(self) -> None:
        """Write the scan codes of new labels, and update the references to them."""
        written, kept = Labels(self._edit).run()
        for entry, _key in written:
            self._edit.count(entry.kind.section, "changed")
        in_tables: Counter[str] = Counter()
        for code, reason in kept:
            place = code.entry.place_of(code.name)
            if self._files.is_mapped(place):
                in_tables[place.file] += 1
            else:
                words = self._edit.shown(code.entry, f"{code.name} is {shorten(code.now)}")
                self._edit.leave(place, f"{words} in the instance", reason)
        for file, number in in_tables.items():
            words = f"{file}: {number:,} scan codes differ from the instance, which owns them"
            self._result.not_changed.append(f"{words}: not changed, because it is a table of another system")


def _is_only_retyped(planned: Planned, current: Record, key: str) -> bool:
    """Return True if a value would only be written again because its field gets another type."""
    schema, field = planned.schema, planned.schema.fields.get(key)
    if field is None or not field.retyped or key not in planned.desired:
        return False
    return schema.equal(key, planned.desired[key], schema.read_field(key, current.flat))
