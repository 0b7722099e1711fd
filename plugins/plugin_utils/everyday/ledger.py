# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``ledger``: compare the asset ledger with the instance. Only reports are written."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import EMPTY, Field, Unread, readable
from ...module_utils.model.kinds import KINDS, OBJECT
from ...module_utils.model.schema import type_of
from ...module_utils.model.types_links import references_in
from ...module_utils.plan.notation import in_one_notation
from ...module_utils.resolve.field_visibility import keys_in_none, why_unfound
from ...module_utils.resolve.hidden_records import NO
from ..desired.row_rules import EMPTY_KEYS, OF_TABLES, REPEATED_KEYS, SKIP, UNKNOWN_ROWS
from ..desired.sources.xlsx_source import openpyxl_library
from .call import Call, named, run_call
from .ledger_file import Ledger, Row, read_ledger, read_table
from .ledger_report import FORMS
from .lists import ObjectLists
from .report_files import paths_of, write_reports


def compare_ledger(options: Mapping[str, Any], check_mode: bool, host: str = "") -> dict[str, Any]:
    """Run the module ``ledger``. Return its result."""
    return run_call(Call(options, check_mode, host), lambda call: _Comparison(call).run())


@dataclass
class _Found:
    """The outcome of a comparison. Each list is in the form of the result.

    :ivar unnamed: fields of the ledger whose references find nothing, with the records and the field by which others
        name them, if no record has that field.
    """

    not_found: list[dict[str, Any]] = field(default_factory=list)
    not_in_books: list[dict[str, Any]] = field(default_factory=list)
    differences: list[dict[str, Any]] = field(default_factory=list)
    doubtful: list[dict[str, Any]] = field(default_factory=list)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    matched: dict[str, Row] = field(default_factory=dict)
    differing: set[str] = field(default_factory=set)
    unnamed: set[tuple[str, str, str]] = field(default_factory=set)
    others: int = 0


class _Comparison:
    """One comparison of the instance with a table of accounting."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._options = call.options
        self._rules = OF_TABLES
        self._found = _Found()

    def run(self) -> dict[str, Any]:
        options = self._options
        reports = paths_of(options["report"], FORMS)
        if any(path.suffix == ".xlsx" for path in reports):
            openpyxl_library()
        table = read_table(options["table"])
        client = self._call.connect(read_only=True)
        lists = ObjectLists(client)
        ledger = read_ledger(Path(options["file"]).expanduser(), table, lists.schema)
        self._rules = table.rules
        choices = self._choices(lists, ledger)
        keys = list(dict.fromkeys(key for choice in choices for key in choice))
        compared = self._compared(lists, ledger, keys)
        if lists.objects:
            lists.check_visible((lists.schema.fields[key] for key in (*keys, *compared)), "it can't be compared")
        in_scope = {record.uuid: record for record in lists.in_scope(options["scope"])}
        self._match(lists, ledger, choices, in_scope)
        for uuid, row in self._found.matched.items():
            self._compare(lists, choices, compared, in_scope[uuid], row)
        doubted = {uuid for finding in self._found.doubtful for uuid in finding["uuids"]}
        self._found.not_in_books = [
            self._named(lists, choices, record)
            for uuid, record in in_scope.items()
            if uuid not in self._found.matched and uuid not in doubted
        ]
        sees = lists.sees()
        document = client.without_credentials(
            {
                "instance": client.transport.root,
                "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
                "file": Path(options["file"]).name,
                "match": choices,
                "compared": compared,
                "sees": sees,
                "counts": self._counts(ledger),
                "not_found": self._found.not_found,
                "not_in_books": self._found.not_in_books,
                "differences": self._found.differences,
                "doubtful": self._found.doubtful,
                "skipped": self._found.skipped,
            }
        )
        if not self._call.check_mode:
            write_reports(document, reports, FORMS)
        self._warn(ledger, sees)
        warnings = self._call.all_warnings(client)
        return {
            "changed": False,
            **document,
            "msg": _in_words(document),
            **({"warnings": warnings} if warnings else {}),
        }

    # ---- fields

    def _choices(self, lists: ObjectLists, ledger: Ledger) -> list[list[str]]:
        """Return the choices of fields that identify a row.

        :raises InvalidInput: if one is not a field, or if the ledger has no column for each of them.
        """
        written = self._rules.match or OBJECT.match_on[:1]
        choices = [[lists.field_named("table.match", name).key for name in names] for names in written]
        missing = [[key for key in keys if key not in ledger.columns] for keys in choices]
        if all(missing) and ledger.rows:
            raise InvalidInput(
                f"table.match: the ledger has no column for {' and '.join(missing[0])}, which identifies its rows; map "
                f"one, such as table: {{columns: {{Number: {missing[0][0]}}}}}, or name other fields in match"
            )
        return choices

    def _compared(self, lists: ObjectLists, ledger: Ledger, keys: Sequence[str]) -> list[str]:
        """Return the keys of the fields that are compared: by default all columns that do not identify a row.

        :raises InvalidInput: if one is not a field, or the ledger has no column for it.
        """
        named_keys = [lists.field_named("compare", name).key for name in self._options["compare"]]
        missing = [key for key in named_keys if key not in ledger.columns]
        if missing and ledger.rows:
            raise InvalidInput(f"compare: the ledger has no column for {' and '.join(missing)}")
        return named_keys or [key for key in ledger.columns if key not in keys]

    # ---- rows

    def _match(
        self, lists: ObjectLists, ledger: Ledger, choices: Sequence[Sequence[str]], in_scope: Mapping[str, Record]
    ) -> None:
        """Find the object of each row. Rows or objects that can't be distinguished are doubtful."""
        rows: dict[str, list[tuple[Row, list[Record]]]] = {}
        for row in ledger.rows:
            keys = _full(choices, row.values)
            if not keys:
                labels = [lists.schema.fields[key].label or key for key in choices[0]]
                self._leave_out(EMPTY_KEYS, _doubt("", row, f"no {' and no '.join(labels)}", []))
            elif not self._resolve(lists, row.values, keys):
                self._miss(lists, keys, row)
            else:
                records = lists.state.find_existing(lists.schema, tuple(keys), row.values)
                name = records[0].uuid if len(records) == 1 else self._key(lists, keys, row.values)
                rows.setdefault(name, []).append((row, records))
        for same in rows.values():
            self._match_rows(lists, choices, in_scope, same)

    def _match_rows(
        self,
        lists: ObjectLists,
        choices: Sequence[Sequence[str]],
        in_scope: Mapping[str, Record],
        same: Sequence[tuple[Row, list[Record]]],
    ) -> None:
        """Match rows that mean the same object, which should be one row."""
        found = self._found
        uuids = list(dict.fromkeys(record.uuid for _row, records in same for record in records))
        row, records = same[0]
        keys = _full(choices, row.values)
        key = self._key(lists, keys, row.values)
        if len(same) > 1:
            places = " and ".join(row.place for row, _records in same[1:4])
            self._leave_out(REPEATED_KEYS, _doubt(key, row, f"is in the books again at {places}", uuids))
        elif len(records) > 1:
            found.doubtful.append(_doubt(key, row, f"{len(records)} objects have it", uuids))
        elif not records:
            self._miss(lists, keys, row)
        elif records[0].uuid in in_scope:
            found.matched[records[0].uuid] = row
        else:
            found.others += 1

    def _miss(self, lists: ObjectLists, keys: Sequence[str], row: Row) -> None:
        """Note a row without an object."""
        if self._rules.unknown_rows == SKIP:
            self._leave_out(UNKNOWN_ROWS, _doubt(self._key(lists, keys, row.values), row, "no object has it", []))
        else:
            self._found.not_found.append(self._row(lists, keys, row))

    def _leave_out(self, setting: str, doubt: dict[str, Any]) -> None:
        """Note a row that is not compared: it is doubtful, unless a setting of the table skips it."""
        is_skipped = getattr(self._rules, setting) == SKIP
        (self._found.skipped if is_skipped else self._found.doubtful).append(doubt)

    def _resolve(self, lists: ObjectLists, values: dict[str, Any], keys: Iterable[str]) -> bool:
        """Put resolved references into some values, and return True if every reference has a target."""
        linked = {key: values[key] for key in keys if any(references_in(values.get(key)))}
        is_resolved = lists.state.put_resolved(linked)
        values |= linked
        if not is_resolved:
            for key, value in linked.items():
                self._found.unnamed.update((key, *missing) for missing in _missing_names(lists, key, value))
        return is_resolved

    def _compare(
        self,
        lists: ObjectLists,
        choices: Sequence[Sequence[str]],
        compared: Sequence[str],
        record: Record,
        row: Row,
    ) -> None:
        """Note the fields of an object that differ from its row."""
        for key in compared:
            if key not in row.values:
                continue
            field = lists.schema.fields[key]
            books, now = row.values[key], lists.schema.read_field(key, record.flat)
            if isinstance(now, Unread):
                same = False
            elif books in EMPTY or now in EMPTY:
                same = books in EMPTY and now in EMPTY
            else:
                self._resolve(lists, row.values, [key])
                books = row.values[key]
                if any(references_in((books, now))):
                    books, now = in_one_notation(books, now, lists.state.known_name_of)
                same = type_of(field).equal(now, books, field)
            if not same:
                self._found.differing.add(record.uuid)
                self._found.differences.append(
                    {
                        **self._named(lists, choices, record),
                        "field": key,
                        "label": field.label or key,
                        "books": _text(field, books),
                        "instance": _text(field, now),
                        "place": row.place,
                    }
                )

    # ---- shown

    def _key(self, lists: ObjectLists, keys: Iterable[str], values: Mapping[str, Any]) -> str:
        return ", ".join(_text(lists.schema.fields[key], values.get(key)) for key in keys)

    def _row(self, lists: ObjectLists, keys: Sequence[str], row: Row) -> dict[str, Any]:
        values = {key: _text(lists.schema.fields[key], value) for key, value in row.values.items()}
        return {"key": self._key(lists, keys, row.values), "place": row.place, "values": values}

    def _named(self, lists: ObjectLists, choices: Sequence[Sequence[str]], record: Record) -> dict[str, Any]:
        values = {key: lists.schema.read_field(key, record.flat) for keys in choices for key in keys}
        return {
            "key": self._key(lists, _full(choices, values) or choices[0], values),
            "scan_code": lists.code_of(record),
            "name": readable(record.flat.get("inventory_name")),
            "uuid": record.uuid,
        }

    def _counts(self, ledger: Ledger) -> dict[str, int]:
        found = self._found
        return {
            "rows": len(ledger.rows),
            "equal": len(found.matched) - len(found.differing),
            "differ": len(found.differing),
            "not_found": len(found.not_found),
            "not_in_books": len(found.not_in_books),
            "doubtful": len(found.doubtful),
            "skipped": len(found.skipped),
            "not_in_scope": found.others,
        }

    def _warn(self, ledger: Ledger, sees: Mapping[str, Any]) -> None:
        warnings = self._call.warnings
        warnings += ledger.warnings
        if ledger.ignored:
            warnings.append(f"Columns that are no fields and were left out: {named(ledger.ignored)}.")
        if self._found.not_found and sees["hidden_records"] != NO:
            warnings.append(f"What was not found may be hidden: {sees['words']}.")
        warnings += [
            f"{key}: none of the {plural} that this account sees has the field {name}. If a role hides it, names in "
            f"the books find nothing, and what differs or was not found may be equal."
            for key, plural, name in sorted(self._found.unnamed)
        ]


def _missing_names(lists: ObjectLists, key: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield each naming field that no possible target of a reference has, with the plural of the target's kind.

    :raises InvalidInput: if such a field is hidden for sure. Otherwise every object would seem to differ.
    """
    for reference in references_in(value):
        kind = KINDS[reference.target]
        records = lists.state.records(kind)
        why = why_unfound(kind, (field.key for field in kind.identity), records, reference.written)
        if why:
            raise InvalidInput([f"{key}: {why}, so it can't be compared"])
        yield from ((kind.plural, name) for name in sorted(keys_in_none(kind.identity, records)))


def _full(choices: Sequence[Sequence[str]], values: Mapping[str, Any]) -> Sequence[str]:
    """Return the first choice of fields that all have values; nothing if there is none."""
    full = (keys for keys in choices if not any(values.get(key) in EMPTY for key in keys))
    return next(full, ())


def _doubt(key: str, row: Row, reason: str, uuids: list[str]) -> dict[str, Any]:
    return {"key": key, "place": row.place, "reason": reason, "uuids": uuids}


def _text(field: Field, value: Any) -> str:
    """Return a value as people read it; empty for no value."""
    if isinstance(value, Unread):
        return readable(value.raw)
    if value in EMPTY:
        return ""
    faces = type_of(field)
    shown = (faces.brief or faces.show)(value)
    return ", ".join(map(str, shown)) if isinstance(shown, list) else str(shown)


def _in_words(document: Mapping[str, Any]) -> str:
    counts = document["counts"]
    words = ("equal", "differ", "not_found", "doubtful", "skipped", "not_in_scope")
    numbers = ", ".join(f"{counts[word]:,} {word.replace('_', ' ')}" for word in words)
    lines = [
        f"{counts['rows']:,} rows: {numbers}",
        f"{counts['not_in_books']:,} objects are not in the books",
        f"Visible: {document['sees']['words']}",
    ]
    return "\n".join(lines)
