# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A handover as a paper that both sides sign."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from ...module_utils.model.field import Field
from ..papers.catalogue import Catalogue
from ..papers.table import Column, Paper, Table, Word, amount_columns, amounts_in, moment

_OBJECT = ("scan_code", "name", "asset_number", "serial_number", "target_room", "actual_room")
_DATED = ("title", "status", "from", "until")


def paper_of(
    document: Mapping[str, Any], instance: str, date: dt.datetime, fields: Mapping[str, Field], catalogue: Catalogue
) -> Paper:
    """Return the paper about a handover.

    :param fields: of objects, by key.
    """
    money = amount_columns(document["objects"], fields)
    columns = {
        "objects": ("object", [*map(Column, _OBJECT), *money]),
        "rental_cases": ("rental_case", [*map(Column, _DATED)]),
        "tasks": ("task", [Column(name) for name in _DATED if name != "from"]),
    }
    rows = {name: [_row(row, kind) for row in document[name]] for name, (kind, _columns) in columns.items()}
    whole = [row for part in rows.values() for row in part]
    people = [("giver", document["person"]), *([("receiver", document["to"])] if document["to"] else [])]
    return Paper(
        title="handover_title",
        subject=_called(document["person"]),
        about=(instance, date),
        lines=(
            *((role, _called(person)) for role, person in people),
            ("sees", f"{catalogue.visible(document['sees'])} {catalogue.texts['archived']}"),
        ),
        tables=[
            Table(f"list_{name}", columns, rows[name], "handed_over", if_empty="none")
            for name, (_kind, columns) in columns.items()
        ],
        sheets={"handover": Table("handover", [Column("kind"), *map(Column, (*_OBJECT, *_DATED)), *money], whole)},
        signatures=("handed_over_by", "received_by", "checked_by"),
        document=document,
    )


def _row(row: Mapping[str, Any], kind: str) -> dict[str, Any]:
    dated = {name: moment(row[name]) for name in ("from", "until") if name in row}
    status = {"status": Word(row["status"])} if "status" in row else {}
    return {**row, "kind": Word(kind), **dated, **status, **(amounts_in(row) if "amounts" in row else {})}


def _called(person: Mapping[str, Any]) -> str:
    return f"{person['name']} ({person['email']})" if person["email"] else str(person["name"])
