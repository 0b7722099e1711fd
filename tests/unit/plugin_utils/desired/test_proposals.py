# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every cell is read as its author meant it, or is a finding, and every proposal to paste cures its finding."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from project import LONG
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.module_utils.model.field import Field
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.module_utils.model.schema import Schema
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.dialect import PRESETS
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.grouped_findings import group_findings
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.parsing import DesiredParser
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.words import NULL_WORDS
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.validation import validate

_FIELDS = [
    Field("barcode", "BARCODE"),
    Field("inventory_name", "TEXT"),
    Field("price", "MONEY"),
    Field("bought", "DATE"),
    Field("lent", "BOOLEAN"),
    Field("condition", "DROPDOWN", allowed=("None", "Good")),
]
_MOST_STEPS = 8
_ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "mac_roman", "cp850", "iso-8859-15"]

_Record = Mapping[str, Any]


def _number(amount: Decimal, decimal: str, thousands: str) -> str:
    return f"{amount:,.2f}".replace(",", "\0").replace(".", decimal).replace("\0", thousands)


def _cells(record: _Record, preset: str, day: str) -> list[str]:
    dialect = PRESETS[preset]
    number = _number(record["price"], dialect.decimal, "".join(dialect.thousands[-1:]))
    words = (dialect.true or ("true",)) if record["lent"] else (dialect.false or ("false",))
    cells = [record["barcode"], record["inventory_name"], number, record["bought"].strftime(day)]
    return [*cells, words[0], record["condition"]]


def _content(suffix: str, rows: Sequence[Sequence[str]], encoding: str) -> bytes:
    """Return a table with texts in all of its cells. Only CSV has an encoding."""
    if suffix == "csv":
        return "\r\n".join("|".join(row) for row in rows).encode(encoding)
    if suffix == "jsonl":
        return "\n".join(json.dumps(dict(zip(rows[0], row, strict=True))) for row in rows[1:]).encode()
    return workbook_of({"Sheet": rows})


def _read(root: Path, suffix: str, content: bytes, settings: Mapping[str, Any]) -> DesiredInstance:
    table = {"files": f"objects/l.{suffix}", **settings}
    (root / "instance.yml").write_text(f"api: seventhings/v1\ntables: [{json.dumps(table)}]\n", "utf-8")
    (root / "objects").mkdir(exist_ok=True)
    (root / f"objects/l.{suffix}").write_bytes(content)
    return load(root)


def _judged(desired: DesiredInstance) -> tuple[list[str], set[str]]:
    """Return the findings as users see them, and the columns that they are about."""
    findings = validate(desired, {"object": _FIELDS})
    return group_findings(findings, desired).lines, {finding.column for finding in findings}


def _values(desired: DesiredInstance) -> list[dict[str, Any]]:
    """Return the values that are read, without those that are findings."""
    parser = DesiredParser(desired, lambda _place, _message: None)
    schema = Schema(OBJECT, _FIELDS)
    return [dict(parser.parse(schema, entry, entry.fields)) for entry in desired.entries]


def _proposed(line: str) -> list[dict[str, Any]]:
    """Return the settings that a line proposes to paste into the entry of tables."""
    found = []
    for text in re.findall(r"`([^`]*)`", line):
        setting = yaml.safe_load(text if text.startswith("encoding") else f"{{{text}}}")
        found += [{name: value for name, value in setting.items() if "..." not in str(value)}]
    return [setting for setting in found if setting and "encoding" not in setting.get("tables", ())]


def _is_right(values: Sequence[_Record], records: Sequence[_Record]) -> bool:
    """Return True if every value that was read is that of its author."""
    return all(
        value == record[name] or (value is None and record[name] in NULL_WORDS)
        for read, record in zip(values, records, strict=True)
        for name, value in read.items()
    )


def _is_as_written(chosen: Mapping[str, Any], encoding: str, preset: str, day: str) -> bool:
    """Return True if settings do not contradict how a table was written: their user says how to read its cells."""
    named = PRESETS[chosen.get("preset", "plain")]
    days = chosen.get("dates", named.dates) or [day]
    codec = chosen.get("encoding") or named.fallback or encoding
    return (
        chosen.get("preset") in (None, preset)
        and (codec == encoding or encoding.startswith("utf"))
        and (day == "%Y-%m-%d" or day in days)
    )


_RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "inventory_name": st.sampled_from(["B\u00fcro", "M\u00f6bel", "Lamp", "Stra\u00dfe", *sorted(NULL_WORDS)]),
            "price": st.decimals("1", "99999", places=2),
            "bought": st.dates(dt.date(2000, 1, 1), dt.date(2030, 12, 31)),
            "lent": st.booleans(),
            "condition": st.sampled_from(["None", "Good"]),
        }
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.slow
@pytest.mark.timeout(3600 if LONG else 300)
@settings(max_examples=2000 if LONG else 75, deadline=None, derandomize=not LONG, database=None)
@given(
    records=_RECORDS,
    encoding=st.sampled_from(_ENCODINGS),
    preset=st.sampled_from([*PRESETS]),
    day=st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y"]),
    said=st.sampled_from([None, *PRESETS]),
    choice=st.integers(0, 10),
    suffix=st.sampled_from(["csv", "csv", "xlsx", "jsonl"]),
)
def test_a_cell_is_read_as_meant_or_found_and_a_proposal_cures_its_finding(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[dict[str, Any]],
    encoding: str,
    preset: str,
    day: str,
    said: str | None,
    choice: int,
    suffix: str,
) -> None:
    root = tmp_path_factory.mktemp("set")
    records = [{"barcode": f"80000{number}", **record} for number, record in enumerate(records)]
    rows = [[field.key for field in _FIELDS], *(_cells(record, preset, day) for record in records)]
    content = _content(suffix, rows, encoding)
    chosen: dict[str, Any] = {} if said is None else {"preset": said}
    cured: set[str] = set()
    number = 0
    for _step in range(_MOST_STEPS):
        desired = _read(root, suffix, content, chosen)
        lines, wrong = _judged(desired)
        values = _values(desired)
        for entry, read in zip(desired.entries, values, strict=True):
            assert entry.misread or {field.key for field in _FIELDS} <= read.keys() | wrong
        assert len(desired.entries) in (number, len(records))
        number = len(desired.entries)
        assert cured.isdisjoint(lines)
        if _is_as_written(chosen, encoding, preset, day):
            assert not desired.entries or _is_right(values, records)
        proposals = [(line, setting) for line in lines for setting in _proposed(line)]
        if not proposals:
            break
        line, setting = proposals[choice % len(proposals)]
        cured.add(line)
        chosen = {**chosen, **setting}
    assert not proposals
    assert suffix == "csv" or number == len(records)


def test_no_setting_is_proposed_if_a_cell_of_a_workbook_has_another_type(tmp_path: Path) -> None:
    """A preset reads texts, and leaves the number 45323 in a column of dates a mistake."""
    rows = [["barcode", "bought"], ["1", "01.02.2024"], ["2", dt.date(2024, 2, 1)], ["3", 45323]]
    lines, _columns = _judged(_read(tmp_path, "xlsx", workbook_of({"Sheet": rows}), {}))
    assert [line for line in lines if "preset: excel-de" in line] == []
    lines, _columns = _judged(_read(tmp_path, "xlsx", workbook_of({"Sheet": rows[:3]}), {}))
    assert [line for line in lines if "`preset: excel-de`" in line] == lines
    assert len(lines) == 1
