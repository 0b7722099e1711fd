# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of the instance that are in no file: add them to the files that ``into`` names, or report them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.field import EMPTY, shorten
from ...module_utils.model.kinds import HUB_ITEM, KINDS, Kind
from ...module_utils.model.names import normal_name
from ...module_utils.model.rooms import NOWHERE
from ...module_utils.model.types_links import references_in
from ...module_utils.resolve import natural_keys
from ..desired.desired import SECTIONS
from ..desired.entry import Entry
from ..desired.words import OWN_MATCH, names_of
from ..export.export import Exported, Selection, export_instance
from ..set_plan.hub import schema as offer_schema
from ..set_plan.scope import Scope
from .editing import ALL, ELSEWHERE, Editing
from .files import Fit


def _kind_of(section: str) -> Kind:
    return KINDS[SECTIONS[section.partition("/")[0]]]


class NewRecords:
    """Add records to the files."""

    def __init__(self, edit: Editing) -> None:
        self._edit = edit
        self._result = edit.result
        self._scope = Scope(edit.state, edit.client.schema, edit.desired.scope, edit.state.resolved)

    def run(self) -> None:
        """Add new records."""
        for section, fresh in self._found().items():
            self._add(section, fresh)

    # ---- which

    def _found(self) -> dict[str, list[tuple[Record | None, Any]]]:
        """Return the records that are in no file, by the section of their new file."""
        result, edit = self._result, self._edit
        sections = list(dict.fromkeys(section.partition("/")[0] for section in edit.targets))
        result.reported = {section: keys for section, keys in edit.planned.reported.items() if section not in sections}
        result.offers |= {
            section: f"into: {{{section}: {edit.files.new_file(section)}}}" for section in result.reported
        }
        if not sections:
            return {}
        exported = export_instance(edit.client, self._selection(sections), edit.downloads, state=edit.state)
        found = {section: list(self._fresh(section, exported)) for section in edit.targets}
        result.not_changed += [f"left out: {why}" for why in exported.left_out]
        return found

    def _selection(self, sections: Sequence[str]) -> Selection:
        desired = self._edit.desired
        identity = {section: keys for section, keys in desired.identity.items() if section in sections}
        # A new row of a table has every cell that the table has.
        tables = (name for name, target in self._edit.targets.items() if target.name.endswith((".csv", ".xlsx")))
        # Identify records by the keys that the files use, even if other keys would be unique.
        return Selection(
            only=sections,
            identity=identity,
            observed=desired.observed,
            beside=dict.fromkeys(tables, NOWHERE),
            tries_other_keys=False,
        )

    def _fresh(self, section: str, exported: Exported) -> Iterable[tuple[Record | None, Any]]:
        """Yield the records of a section that are in no file and belong to these files, each with its form in files."""
        top, kind, edit = section.partition("/")[0], _kind_of(section), self._edit
        claimed = edit.planned.claimed.get(kind.name, {})
        for uuid, row in zip(exported.uuids.get(section, ()), exported.sections.get(section, ()), strict=True):
            record = edit.state.of_uuid(kind, uuid) if kind.is_plain else None
            if uuid in claimed or (kind is HUB_ITEM and self._is_offered(row, claimed)):
                continue
            if record is not None and not self._is_ours(top, record):
                continue
            if self._is_new(kind, record):
                yield record, row
            else:
                name = next(iter(row.values()), "") if isinstance(row, Mapping) else row
                self._result.reported.setdefault(top, []).append(str(name))
                self._result.offers[top] = f"new: {ALL}"

    def _is_new(self, kind: Kind, record: Record | None) -> bool:
        """Return True if a record was created since the last apply, or if all new records are added.

        A record of the set is not new, even if its id is higher. If a record has no id, it may be older.
        """
        if self._edit.options["new"] == ALL:
            return True
        number = 0 if record is None or record.uuid in self._edit.memory.known else record.id or 0
        return number > self._result.baseline.highest.get(kind.name, number)

    def _is_ours(self, section: str, record: Record) -> bool:
        """Return False if a record is out of scope or marked for another set."""
        desired, schema = self._edit.desired, self._edit.client.schema(_kind_of(section))
        field = schema.find(desired.marker) if desired.marker else None
        mark = None if field is None else natural_keys.read_some(schema, [field.key], record)[field.key]
        is_own = mark in EMPTY or normal_name(str(mark)) == normal_name(desired.set_name)
        return is_own and self._scope.contains(section, record)

    def _is_offered(self, row: Mapping[str, Any], claimed: Mapping[str, Entry]) -> bool:
        parsed, _findings = offer_schema().parse({"object": row["object"]}, "")
        objects = (self._edit.state.resolved(each).reference.uuid for each in references_in(parsed.get("object")))
        return any(f"of the object {uuid}" in claimed for uuid in objects)

    # ---- edits

    def _fit(self, section: str) -> Fit:
        """Return a function that finds the columns of a record, or None if a column of its natural key is missing."""
        kind = _kind_of(section)
        schema = self._edit.client.schema(kind) if kind.is_plain else None
        given = self._edit.desired.identity.get(section) or kind.written_key
        choices = [tuple(given)] if given else kind.match_on

        def names(name: str) -> Sequence[str]:
            field = schema.find(name) if schema is not None else None
            return (name,) if schema is None or field is None else (name, *names_of(schema, field))

        def needed(record: Mapping[str, Any]) -> Collection[str]:
            if OWN_MATCH in record:
                return {OWN_MATCH, *record[OWN_MATCH]}
            ways = [[names(key) for key in keys] for keys in choices]
            way = next((way for way in ways if any(name in record for name in way[-1])), ways[-1])
            return {name for names in way for name in names}

        def fit(record: Mapping[str, Any], columns: Collection[str]) -> Mapping[str, str] | None:
            by_name = {normal_name(column): column for column in columns}
            ways = {name: [by_name.get(normal_name(way), "") for way in names(name)] for name in record}
            known = {name: next(filter(None, found)) for name, found in ways.items() if any(found)}
            return None if any(name in needed(record) for name in record.keys() - known.keys()) else known

        return fit

    def _add(self, section: str, fresh: Sequence[tuple[Record | None, Any]]) -> None:
        """Write new records into the file of a section."""
        edit, target = self._edit, self._edit.targets[section]
        place = edit.files.label(target)
        left: set[int] = set()

        def leave_out(record: Any, reason: str) -> None:
            name = next(iter(record.values()), "") if isinstance(record, Mapping) else record
            self._result.not_changed.append(f"{place}: {section} {shorten(name)}: {reason}")
            left.add(id(record))

        for _record, row in fresh if edit.options["files_root"] else ():
            if edit.fetched_in(row):
                leave_out(row, ELSEWHERE)
        known = [row for _record, row in fresh if id(row) not in left]
        done = edit.files.append(target, section, known, leave_out, self._fit(section.partition("/")[0]))
        for path, file in edit.fetched_in(done.written).items():
            edit.files.add_file(target.layer, path, file.read_bytes())
        if done.missing_columns:
            missing_columns = ", ".join(f"{name} ({number:,})" for name, number in sorted(done.missing_columns.items()))
            self._result.not_changed.append(
                f"{place}: left out of new {section}, because it has no such column: {missing_columns}"
            )
        edit.count(section, "added", len(done.written))
        missing = done.missing_columns.keys()
        edit.added += [(record, row.keys() - missing) for record, row in fresh if record and id(row) not in left]
