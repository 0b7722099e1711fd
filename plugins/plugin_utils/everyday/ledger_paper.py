# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A comparison with the asset ledger as a paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from ...module_utils.model.field import Field
from ..papers.catalogue import Catalogue
from ..papers.table import MONEY, Cell, Column, Paper, Phrase, Row, Table, Word, amount_columns, amounts_in, moment

SUMS = (
    "books",
    "not_found",
    "doubtful",
    "skipped",
    "not_in_scope",
    "differences",
    "not_in_books",
    "doubtful_objects",
    "instance",
)
"""The sums of a comparison. The books without what is only there, with the differences, and with what is only in the
instance, are the instance."""

_PAGE = {
    "not_found": ("key", "name", "place"),
    "not_in_books": ("key", "scan_code", "name"),
    "differences": ("key", "scan_code", "name", "field", "books", "instance", "place"),
    "doubtful": ("key", "place", "reason"),
    "skipped": ("key", "place", "reason"),
}
"""The lists of the result, and their columns."""

LISTS = tuple(_PAGE)

_COLUMNS = ("finding", "key", "scan_code", "name", "field", "books", "instance", "place")


def paper_of(document: Mapping[str, Any], fields: Mapping[str, Field], catalogue: Catalogue) -> Paper:
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
        tables=(result, _sums(document["totals"], fields), *_lists(document, fields)),
        sheets={"ledger": _findings(document, fields)},
        signatures=("compared_by", "checked_by", "approved_by"),
        document=document,
    )


def _sums(totals: Mapping[str, Mapping[str, str]], fields: Mapping[str, Field]) -> Table:
    """Return the totals of the books and of the instance, and their differences."""
    sums = {Word(f"sum_{name}"): {"amounts": totals[name]} for name in SUMS}
    money = amount_columns(sums.values(), fields)
    rows: list[Row] = [{"sum": word, **amounts_in(amounts)} for word, amounts in sums.items()] if money else []
    return Table("sums", [Column("sum"), *money], rows, is_counted=False)


def _findings(document: Mapping[str, Any], fields: Mapping[str, Field]) -> Table:
    """Return the table with a row for each finding."""
    rows = [
        {**row, "finding": Word(name), "instance": row.get("instance") or row.get("reason")}
        for name in _PAGE
        for row in _rows(document[name])
    ]
    return Table("ledger", [*map(Column, _COLUMNS), *amount_columns(rows, fields)], rows)


def _lists(document: Mapping[str, Any], fields: Mapping[str, Field]) -> Iterator[Table]:
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
