# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of an export: the file of each record, and its format."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...module_utils.model.kinds import KINDS
from ..desired.dialect import Dialect
from ..desired.tables import Tables
from .writing import PLAIN, Unwritable, csv_header, csv_record, csv_row, json_record, yaml_map, yaml_record

NO_SETTINGS = Tables()

#: Bytes after which the records of a section continue in another file, if it may have several.
FILE_SIZE = 1_000_000

#: The directory of the JSON Schemas.
SCHEMAS = "schema"

#: Sections that are always a directory.
MANY = tuple(kind.section for kind in KINDS.values() if kind.is_many)

#: Sections with records flat enough for CSV, and numerous enough for JSON Lines.
BULK = tuple(kind.section for kind in KINDS.values() if kind.section and kind.has_own_fields)


def schema_name(section: str) -> str:
    """Return the file name of the schema of a section, of ``instance`` or of ``moved``."""
    return f"{section.split('/')[0]}.schema.json"


def section_files(
    section: str, records: Sequence[Any], format_name: str, size: int = FILE_SIZE, tables: Tables = NO_SETTINGS
) -> dict[str, bytes]:
    """Return the files of one section, by their path below the root: one, or a directory if it is too big.

    :param section: such as ``rooms`` or ``fields/asset``.
    :param format_name: yaml, csv or jsonl; records that CSV cannot have go into JSON Lines beside it.
    :param tables: the settings of CSV files.
    """
    if "/" in section:
        # The loader reads one file per template, so never split it.
        size = sys.maxsize
    chosen = format_name if section in BULK else "yaml"
    if chosen == "csv":
        return _csv_files(section, records, size, tables)
    parts = _yaml(section, records, size) if chosen == "yaml" else _parts(map(json_record, records), size)
    return _named(section, parts, chosen)


def more_files(section: str, rest: Sequence[Any], is_directory: bool, size: int = FILE_SIZE) -> dict[str, bytes]:
    """Return the files of records that a table cannot have.

    :param is_directory: True if the other records are in a directory.
    """
    return _named(f"{section}/more" if is_directory else section, _parts(map(json_record, rest), size), "jsonl")


def _csv_files(section: str, records: Sequence[Any], size: int, tables: Tables) -> dict[str, bytes]:
    """Return tables, each in the dialect of its name. The parts of a divided table have the dialect of the first."""
    dialect = tables.format_of(f"{section}/0001.csv" if section in MANY else f"{section}.csv")
    parts, left = csv_texts(records, size, dialect)
    if len(parts) > 1 and section not in MANY:
        dialect = tables.format_of(f"{section}/0001.csv")
        parts, left = csv_texts(records, size, dialect)
    files = _named(section, parts, "csv", dialect)
    rest = [records[number] for number in left]
    return files | (more_files(section, rest, _is_directory(section, parts), size) if rest else {})


def _is_directory(section: str, parts: Sequence[str]) -> bool:
    return section in MANY or len(parts) > 1


def _named(section: str, parts: Sequence[str], format_name: str, dialect: Dialect = PLAIN) -> dict[str, bytes]:
    ending = {"yaml": "yml"}.get(format_name, format_name)
    if not _is_directory(section, parts):
        return {f"{section}.{ending}": dialect.encode(part) for part in parts}
    return {f"{section}/{number:04d}.{ending}": dialect.encode(part) for number, part in enumerate(parts, start=1)}


def _parts(texts: Iterable[str], size: int) -> list[str]:
    """Join texts. Another part begins when a part has reached the size."""
    parts: list[list[str]] = []
    length = size
    for text in texts:
        if length >= size:
            parts.append([])
            length = 0
        parts[-1].append(text)
        length += len(text)
    return ["".join(part) for part in parts]


def _yaml(section: str, records: Sequence[Any], size: int) -> list[str]:
    parts = _parts(map(yaml_record, records), size)
    depth = "../" if _is_directory(section, parts) or "/" in section else ""
    return [yaml_head(section, depth) + part for part in parts]


def yaml_head(section: str, depth: str = "") -> str:
    """Return the first lines of a YAML file, which name its schema for editors.

    :param depth: from the file to the root.
    """
    return f"# yaml-language-server: $schema={depth}{SCHEMAS}/{schema_name(section)}\n---\n"


def csv_texts(records: Sequence[Mapping[str, Any]], size: int, dialect: Dialect) -> tuple[list[str], Sequence[int]]:
    """Return the texts of tables, and the indexes of the records that they cannot have."""
    rows, left = [], []
    try:
        header = csv_header(records, dialect)
        head = csv_row(header, dialect)
    except Unwritable:
        return [], range(len(records))
    for number, record in enumerate(records):
        try:
            rows.append(csv_record(header, record, dialect))
        except Unwritable:
            left.append(number)
    return [head + part for part in _parts(rows, size)], left


def settings_file(root: str, identity: Mapping[str, Sequence[str]], set_id: str = "") -> bytes:
    """Return the ``instance.yml`` of an export: its instance, its natural keys, and its ``set_id``."""
    members: dict[str, Any] = {"api": "seventhings/v1", "instance": root}
    if set_id:
        members["set_id"] = set_id
    if identity:
        members["identity"] = {section: list(keys) for section, keys in sorted(identity.items())}
    head = yaml_head("instance", "") + "# Yours: an export writes this file once, and again only while you leave it.\n"
    return (head + yaml_map(members)).encode()
