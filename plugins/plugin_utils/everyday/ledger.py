# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``ledger``: compare the asset ledger with the instance. Only reports are written."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.errors import InvalidInput
from ...module_utils.model.field import EMPTY, Field, Unread, readable
from ...module_utils.model.kinds import KINDS, OBJECT
from ...module_utils.model.schema import Schema, type_of
from ...module_utils.model.types_links import references_in
from ...module_utils.plan.notation import in_one_notation
from ...module_utils.printing.cleaner import amount
from ...module_utils.resolve.field_visibility import keys_in_none, why_unfound
from ...module_utils.resolve.hidden_records import NO
from ...module_utils.resolve.look_alikes import about_unmatched
from ..desired import tables
from ..desired.parsing import DesiredParser
from ..desired.positions import Finding, Place
from ..desired.row_rules import EMPTY_KEYS, REPEATED_KEYS, SKIP, UNKNOWN_ROWS, RowRules
from ..papers.catalogue import ENGLISH, Catalogue
from ..papers.table import MONEY, Cell, Column, Paper, Phrase, Table, Word, amount_columns, amounts_in, moment
from ..papers.writer import paths_of, write_paper
from .call import Call, named, run_call
from .lists import ObjectLists
from .named_table import load_named, read_settings

#: The sums of a comparison. The books without what is only there, with the differences, and with what is only in the
#: instance, are the instance.
SUMS = (
    *("books", "not_found", "doubtful", "skipped", "not_in_scope"),
    *("differences", "not_in_books", "doubtful_objects", "instance"),
)

#: The lists of the result, and their columns.
_PAGE = {
    "not_found": ("key", "name", "place"),
    "not_in_books": ("key", "scan_code", "name"),
    "differences": ("key", "scan_code", "name", "field", "books", "instance", "place"),
    "doubtful": ("key", "place", "reason"),
    "skipped": ("key", "place", "reason"),
}

_COLUMNS = ("finding", "key", "scan_code", "name", "field", "books", "instance", "place")


def compare_ledger(options: Mapping[str, Any], check_mode: bool, host: str = "") -> dict[str, Any]:
    """Run the module ``ledger``. Return its result."""
    return run_call(Call(options, check_mode, host), _run)


def _run(call: Call) -> dict[str, Any]:
    options = call.options
    reports = paths_of(options["report"])
    table, wrong = read_settings("table", options["table"])
    if "files" in options["table"]:
        wrong.append("table.files: the option file names the ledger; leave files out")
    if wrong:
        raise InvalidInput(wrong)
    client = call.connect(read_only=True)
    lists = ObjectLists(client)
    ledger = read_ledger(Path(options["file"]).expanduser(), table, lists.schema)
    comparison = _Comparison(call, lists, ledger, table.rules)
    document = client.without_credentials(
        {
            "instance": client.transport.root,
            "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
            "file": Path(options["file"]).name,
            **comparison.document(),
        }
    )
    if not call.check_mode:
        catalogue = Catalogue(options["language"])
        write_paper(_paper_of(document, lists.schema.fields, catalogue), reports, catalogue)
    call.warnings += comparison.warnings(document["sees"])
    return {"changed": False, **document, "msg": _in_words(document)}


# ---- the file


@dataclass(frozen=True)
class Row:
    """A row of the ledger.

    :ivar values: canonical values by field key; None for an empty cell. :ivar place: file and line.
    :ivar broken: what is wrong with its key, unless an object has it.
    """

    values: dict[str, Any]
    place: str
    broken: Sequence[str] = ()


@dataclass(frozen=True)
class Ledger:
    """The rows of a ledger.

    :ivar columns: keys of the fields of its columns.
    :ivar ignored: columns that are not fields.
    """

    rows: list[Row]
    columns: list[str]
    ignored: list[str]
    warnings: list[str]


def read_ledger(path: Path, table: tables.Table, schema: Schema) -> Ledger:
    """Read a ledger: a CSV file or a workbook.

    :raises InvalidInput: if it can't be read, or with a line for each cell that does not fit its field.
    """
    desired = load_named("file", path, table)
    findings = [*desired.findings]
    unknown: list[Finding] = []

    def find(place: Place, message: str) -> None:
        found = Finding.for_message(place, message)
        is_skipped = table.rules.unknown_values == SKIP and found.misfit is not None and found.misfit.is_unknown
        (unknown if is_skipped else findings).append(found)

    parser = DesiredParser(desired, find)
    rows, columns, ignored = [], dict[str, None](), dict[str, None]()
    for entry in desired.entries:
        cells = (*entry.fields, *entry.empty_cells())
        keys = {name: field.key for name in cells if (field := schema.find(name)) is not None}
        ignored |= dict.fromkeys(name for name in cells if name not in keys)
        values: dict[str, Any] = {keys[name]: None for name in entry.empty_cells() if name in keys}
        skipped = len(unknown)
        values |= parser.parse(schema, entry, {name: entry.fields[name] for name in keys if name in entry.fields})
        for found in unknown[skipped:]:
            values.pop(keys.get(found.column, ""), None)
        columns |= dict.fromkeys(values)
        odd = parser.cells.odd_keys.get(id(entry), {}).items()
        broken = [f"file: {Finding.for_message(entry.place_of(name), error)}" for name, error in odd]
        rows.append(Row(values, str(entry.place.row), broken))
    if findings:
        raise InvalidInput([f"file: {finding}" for finding in findings])
    warnings = [f"{found}; the cell is left out" for found in unknown]
    return Ledger(rows, list(columns), list(ignored), [*desired.warnings, *warnings])


# ---- the comparison


class _Comparison:
    """One comparison of the instance with a table of accounting.

    :raises InvalidInput: if an option names a field that the ledger or the instance does not have, or that may be
        hidden.
    """

    def __init__(self, call: Call, lists: ObjectLists, ledger: Ledger, rules: RowRules) -> None:
        self._lists = lists
        self._ledger = ledger
        self._rules = rules
        self._found: dict[str, list[dict[str, Any]]] = {name: [] for name in _PAGE}
        self._matched: dict[str, Row] = {}
        self._unnamed: set[tuple[str, str, str]] = set()
        self._others = 0
        self._broken: list[str] = []
        options = call.options
        self._choices = self._read_choices()
        keys = list(dict.fromkeys(key for choice in self._choices for key in choice))
        self._compared = self._read_compared(options["compare"]) or [key for key in ledger.columns if key not in keys]
        if lists.objects:
            needed = (lists.schema.fields[key] for key in (*keys, *self._compared))
            lists.check_visible(needed, "it can't be compared")
        self._in_scope = {record.uuid: record for record in lists.in_scope(options["scope"])}
        money = [key for key in self._compared if lists.schema.fields[key].type == MONEY]
        self._sums = {name: dict.fromkeys(money, Decimal(0)) for name in SUMS}

    def document(self) -> dict[str, Any]:
        """Compare, and return the result."""
        self._match()
        for uuid, row in self._matched.items():
            self._compare(self._in_scope[uuid], row)
        left_out = [*self._found["doubtful"], *self._found["skipped"]]
        doubted = {uuid for finding in left_out for uuid in finding["uuids"]} - self._matched.keys()
        for uuid, record in self._in_scope.items():
            self._sum("instance", record)
            if uuid in doubted:
                self._sum("doubtful_objects", record)
            elif uuid not in self._matched:
                self._sum("not_in_books", record)
                self._found["not_in_books"].append({**self._named(record), "amounts": self._amounts(record)})
        return {
            "match": self._choices,
            "compared": self._compared,
            "sees": self._lists.sees(),
            "counts": self._counts(),
            "totals": {name: self._lists.in_texts(amounts) for name, amounts in self._sums.items()},
            **self._found,
        }

    def _read_choices(self) -> list[list[str]]:
        """Return the choices of fields that identify a row.

        :raises InvalidInput: if one is not a field, or if the ledger has no column for each of them.
        """
        written = self._rules.match or OBJECT.match_on[:1]
        choices = [[self._lists.field_named("table.match", name).key for name in names] for names in written]
        missing = [[key for key in keys if key not in self._ledger.columns] for keys in choices]
        if all(missing):
            raise InvalidInput(
                f"table.match: the ledger has no column for {' and '.join(missing[0])}, which identifies its rows; map "
                f"one, such as table: {{columns: {{Number: {missing[0][0]}}}}}, or name other fields in match"
            )
        return choices

    def _read_compared(self, names: Iterable[str]) -> list[str]:
        """Return the keys of the fields to compare.

        :raises InvalidInput: if one is not a field, or the ledger has no column for it.
        """
        keys = [self._lists.field_named("compare", name).key for name in names]
        missing = [key for key in keys if key not in self._ledger.columns]
        if missing:
            raise InvalidInput(f"compare: the ledger has no column for {' and '.join(missing)}")
        return keys

    # ---- rows

    def _match(self) -> None:
        """Find the object of each row. Rows or objects that can't be distinguished are doubtful."""
        rows: dict[str, list[tuple[Row, list[Record]]]] = {}
        fields, state = self._lists.schema.fields, self._lists.state
        for row in self._ledger.rows:
            self._sum("books", row)
            keys = self._full(row.values)
            if not keys:
                self._leave_out(EMPTY_KEYS, "no_key", [row], [fields[key].label or key for key in self._choices[0]])
            elif not self._resolve(row.values, keys):
                self._miss(row)
            else:
                records = state.find_existing(self._lists.schema, tuple(keys), row.values)
                name = records[0].uuid if len(records) == 1 else self._key(row.values)
                rows.setdefault(name, []).append((row, records))
        for same in rows.values():
            records = list({record.uuid: record for _row, records in same for record in records}.values())
            self._match_rows([row for row, _records in same], records)
            self._broken += [line for row, _records in same if not records for line in row.broken]
        if self._broken:
            raise InvalidInput(self._broken)

    def _match_rows(self, rows: Sequence[Row], records: Sequence[Record]) -> None:
        """Match rows that mean the same object, which should be one row.

        :param records: the objects that they may mean.
        """
        uuids = [record.uuid for record in records]
        if len(rows) > 1:
            self._leave_out(REPEATED_KEYS, "repeated", rows, [row.place for row in rows[1:4]], uuids)
        elif len(records) > 1:
            self._leave_out("", "several_objects", rows, [str(len(records))], uuids)
        elif not records:
            self._miss(rows[0])
        elif uuids[0] in self._in_scope:
            self._matched[uuids[0]] = rows[0]
        else:
            self._sum("not_in_scope", rows[0])
            self._others += 1

    def _leave_out(
        self, setting: str, why: str, rows: Sequence[Row], details: Sequence[str] = (), uuids: Sequence[str] = ()
    ) -> None:
        """Note rows that are not compared: they are doubtful, unless a setting of the table skips them.

        :param why: a key of the catalogue, whose text contains ``details``.
        """
        name = "skipped" if setting and getattr(self._rules, setting) == SKIP else "doubtful"
        for row in rows:
            self._sum(name, row)
        found = {"key": self._key(rows[0].values), "place": rows[0].place, "uuids": [*uuids]}
        reason = Catalogue(ENGLISH).say(why, details=", ".join(details))
        self._found[name].append({**found, "reason": reason, "why": why, "details": [*details]})

    def _miss(self, row: Row) -> None:
        """Note a row without an object."""
        if self._rules.unknown_rows == SKIP:
            self._leave_out(UNKNOWN_ROWS, "no_object", [row])
            return
        self._sum("not_found", row)
        values = {key: self._text(key, value) for key, value in row.values.items()}
        not_found = {"key": self._key(row.values), "place": row.place, "values": values}
        self._found["not_found"].append({**not_found, "amounts": self._amounts(row)})

    def _resolve(self, values: dict[str, Any], keys: Iterable[str]) -> bool:
        """Put resolved references into some values, and return True if every reference has a target."""
        linked = {key: values[key] for key in keys if any(references_in(values.get(key)))}
        is_resolved = self._lists.state.put_resolved(linked)
        values |= linked
        if not is_resolved:
            for key, value in linked.items():
                self._unnamed.update((key, *missing) for missing in _missing_names(self._lists, key, value))
        return is_resolved

    def _compare(self, record: Record, row: Row) -> None:
        """Note the fields of an object that differ from its row."""
        for key in self._compared:
            if key not in row.values:
                continue
            of = self._lists.schema.fields[key]
            books, now = row.values[key], self._lists.schema.read_field(key, record.flat)
            if isinstance(now, Unread):
                same = False
            elif books in EMPTY or now in EMPTY:
                same = books in EMPTY and now in EMPTY
            else:
                self._resolve(row.values, [key])
                books = row.values[key]
                if any(references_in((books, now))):
                    books, now = in_one_notation(books, now, self._lists.state.known_name_of)
                same = type_of(of).equal(now, books, of)
            if not same:
                texts = {"books": self._text(key, books), "instance": self._text(key, now), "place": row.place}
                difference = {**self._named(record), "field": key, "label": of.label or key, **texts}
                self._found["differences"].append(difference)
        self._sum("differences", record)
        self._sum("differences", row, sign=-1)

    # ---- sums

    def _money_of(self, side: Row | Record) -> dict[str, Decimal]:
        """Return the compared amounts of a row or of an object."""
        values = side.values if isinstance(side, Row) else self._lists.amounts(side)
        money = ((key, values.get(key)) for key in self._sums["books"])
        return {key: value for key, value in money if isinstance(value, Decimal)}

    def _sum(self, name: str, side: Row | Record, sign: int = 1) -> None:
        for key, money in self._money_of(side).items():
            self._sums[name][key] += sign * money

    def _amounts(self, side: Row | Record) -> dict[str, str]:
        return self._lists.in_texts(self._money_of(side))

    # ---- shown

    def _full(self, values: Mapping[str, Any]) -> Sequence[str]:
        """Return the first choice of fields that all have values; nothing if there is none."""
        return next((keys for keys in self._choices if not any(values.get(key) in EMPTY for key in keys)), ())

    def _key(self, values: Mapping[str, Any]) -> str:
        keys = self._full(values) or self._choices[0]
        return ", ".join(filter(None, (self._text(key, values.get(key)) for key in keys)))

    def _text(self, key: str, value: Any) -> str:
        """Return a value as people read it; empty for no value."""
        if isinstance(value, Unread):
            return readable(value.raw)
        shown = "" if value in EMPTY else self._lists.schema.brief(key, value)
        return ", ".join(map(str, shown)) if isinstance(shown, list) else str(shown)

    def _named(self, record: Record) -> dict[str, Any]:
        described = self._lists.described(record)
        values = {key: self._lists.schema.read_field(key, record.flat) for keys in self._choices for key in keys}
        return {"key": self._key(values), **{name: described[name] for name in ("scan_code", "name", "uuid")}}

    def _counts(self) -> dict[str, int]:
        differing = {row["uuid"] for row in self._found["differences"]}
        return {
            "rows": len(self._ledger.rows),
            "equal": len(self._matched) - len(differing),
            "differ": len(differing),
            **{name: len(self._found[name]) for name in ("not_found", "not_in_books", "doubtful", "skipped")},
            "not_in_scope": self._others,
        }

    def warnings(self, sees: Mapping[str, Any]) -> Iterator[str]:
        """Yield what may be wrong with the comparison."""
        yield from self._ledger.warnings
        if self._ledger.ignored:
            yield f"Columns that are not fields and were left out: {named(self._ledger.ignored)}."
        missing, left = ((found["key"] for found in self._found[name]) for name in ("not_found", "not_in_books"))
        yield from about_unmatched("Keys", missing, left)
        if self._found["not_found"] and sees["hidden_records"] != NO:
            yield f"What was not found may be hidden: {sees['words']}."
        for key, plural, name in sorted(self._unnamed):
            yield (
                f"{key}: none of the {plural} that this account sees has the field {name}. If a role hides it, names "
                f"in the books find nothing, and what differs or was not found may be equal."
            )


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


def _in_words(document: Mapping[str, Any]) -> str:
    counts = document["counts"]
    words = ("equal", "differ", "not_found", "doubtful", "skipped", "not_in_scope")
    numbers = ", ".join(f"{counts[word]:,} {word.replace('_', ' ')}" for word in words)
    missing = f"{amount(counts['not_in_books'], 'object is', 'objects are')} not in the books"
    return f"{amount(counts['rows'], 'row')}: {numbers}\n{missing}\nVisible: {document['sees']['words']}"


# ---- the paper


def _paper_of(document: Mapping[str, Any], fields: Mapping[str, Field], catalogue: Catalogue) -> Paper:
    """Return the paper about a comparison.

    :param fields: of objects, by key.
    """
    counts = document["counts"]
    result = Table("result", [Column(name, is_number=True) for name in counts], [counts], is_counted=False)
    return Paper(
        title="ledger_title",
        subject=document["file"],
        about=(document["file"], document["instance"], moment(document["date"])),
        lines=(("sees", catalogue.visible(document["sees"])),),
        tables=(result, _table_of_sums(document["totals"], fields), *_tables_of_findings(document, fields)),
        sheets={"ledger": _findings(document, fields)},
        signatures=("compared_by", "checked_by", "approved_by"),
        document=document,
    )


def _table_of_sums(totals: Mapping[str, Mapping[str, str]], fields: Mapping[str, Field]) -> Table:
    """Return the totals of the books and of the instance, and their differences."""
    sums = {Word(f"sum_{name}"): {"amounts": totals[name]} for name in SUMS}
    money = amount_columns(sums.values(), fields)
    rows: list[Mapping[str, Cell]] = [{"sum": word, **amounts_in(amounts)} for word, amounts in sums.items() if money]
    return Table("sums", [Column("sum"), *money], rows, is_counted=False)


def _findings(document: Mapping[str, Any], fields: Mapping[str, Field]) -> Table:
    """Return the table with a row for each finding."""
    rows = [
        {**row, "finding": Word(name), "instance": row.get("instance") or row.get("reason")}
        for name in _PAGE
        for row in _rows(document[name])
    ]
    return Table("ledger", [*map(Column, _COLUMNS), *amount_columns(rows, fields)], rows)


def _tables_of_findings(document: Mapping[str, Any], fields: Mapping[str, Field]) -> Iterator[Table]:
    """Yield the findings of each kind."""
    for name, columns in _PAGE.items():
        rows = [{**row, **_values(row, fields)} for row in _rows(document[name])]
        yield Table(f"list_{name}", [*map(Column, columns), *amount_columns(rows, fields)], rows, "cleared_up")


def _rows(findings: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield findings with their amounts, and with the reason and the field in the language of the reader."""
    for finding in findings:
        row = {"amounts": {}, **finding}
        if "why" in row:
            row["reason"] = Phrase(row["why"], ", ".join(row["details"]), row["reason"])
        if "field" in row:
            row["field"] = Column(row["field"], row["label"])
        yield {**row, **amounts_in(row)}


def _values(row: Mapping[str, Any], fields: Mapping[str, Field]) -> dict[str, Cell]:
    """Return the name of the asset in a row of the books, and both values of a difference, in the types of cells."""
    if "values" in row:
        return {"name": row["values"].get("inventory_name")}
    if "field" not in row:
        return {}
    of = fields[str(row["field"])]
    read = Decimal if of.type == MONEY else moment if of.type in ("DATE", "DATETIME") else str
    return {side: row[side] and read(row[side]) for side in ("books", "instance")}
