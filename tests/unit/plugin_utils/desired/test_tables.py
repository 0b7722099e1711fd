# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as people and programs save them: what is read, and what is found, as the files in ``tables`` say."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import yaml

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.grouped_findings import group_findings
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.parsing import DesiredParser
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.validation import validate

_CASES = Path(__file__).parent / "tables"


def _fields(written: Mapping[str, Any]) -> list[Field]:
    """Return fields: key to a type, or to the members of a field."""
    members = {key: {"type": known} if isinstance(known, str) else known for key, known in written.items()}
    return [Field(key, **{**known, "allowed": tuple(known.get("allowed", ()))}) for key, known in members.items()]


def _content(written: Any) -> bytes:
    """Return a file: a text, a text in an encoding, or sheets to rows of values, or of values with a format."""
    if isinstance(written, str):
        return written.encode()
    if "encoding" in written:
        return str(written["text"]).encode(written["encoding"])
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in written.items():
        sheet = book.create_sheet(title)
        for number, row in enumerate(rows, start=1):
            for column, cell in enumerate(row, start=1):
                is_map = isinstance(cell, dict)
                made = sheet.cell(number, column, cell["value"] if is_map else cell)
                made.number_format = cell["format"] if is_map else made.number_format
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _shown(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_shown(item) for item in value]
    if isinstance(value, Reference):
        return value.written
    return value if value is None or isinstance(value, bool) else str(value)


def _results(root: Path, case: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Read the files of a case. Members of the result are left out if they are empty."""
    for name, content in case["files"].items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(_content(content))
    schema = Schema(OBJECT, _fields(fields))
    desired = load(root)
    findings = group_findings(validate(desired, {"object": list(schema.fields.values())}), desired).lines
    parser = DesiredParser(desired, lambda _place, _message: None)
    records = [
        {key: _shown(value) for key, value in parser.parse(schema, entry, entry.fields, partial=True).items()}
        | ({} if entry.state == "present" else {"_state": entry.state})
        for entry in desired.entries
        if entry.kind is OBJECT
    ]
    found = {"findings": findings, "warnings": desired.warnings, "records": records}
    return {name: value for name, value in found.items() if value}


def _cases() -> Iterator[Any]:
    for path in sorted(_CASES.glob("*.yml")):
        document = yaml.safe_load(path.read_text("utf-8"))
        for behaviour in document["behaviours"]:
            fields = document["fields"] | behaviour.get("fields", {})
            for number, case in enumerate(behaviour["cases"], start=1):
                yield pytest.param(case, fields, id=f"{path.stem}: {behaviour['shows']} ({number})")


@pytest.mark.parametrize(("case", "fields"), list(_cases()))
def test_a_table_is_read_as_its_author_means_it_or_found(
    tmp_path: Path, case: Mapping[str, Any], fields: Mapping[str, Any]
) -> None:
    expected = {name: value for name, value in case.items() if name != "files"}
    assert _results(tmp_path, case, fields) == expected
