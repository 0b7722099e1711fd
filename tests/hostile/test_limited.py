# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on untrusted input ends at its limits, and leaves nothing behind."""

from __future__ import annotations

import io
import itertools
import os
import re
import signal
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources import xlsx_source
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.sources.limited import (
    LimitExceeded,
    limited,
)


def killed_by(number: int) -> Iterator[str]:
    yield "first"
    os.kill(os.getpid(), number)


def broken() -> Iterator[str]:
    yield "first"
    raise ValueError("x")


def hungry() -> Iterator[int]:
    yield len(bytearray(1 << 30))


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (hungry, "it takes more than 64 MiB of memory"),
        (lambda: killed_by(signal.SIGXCPU), "it takes more than 5 seconds of the processor"),
        (lambda: killed_by(signal.SIGALRM), "it takes more than 5 seconds of the processor"),
        (lambda: killed_by(signal.SIGKILL), "the process that reads it ended early (-9)"),
        (broken, "the process that reads it ended early (1)"),
    ],
)
def test_what_exceeds_a_limit_ends_with_a_clear_error(work: Callable[[], Iterator[Any]], words: str) -> None:
    with pytest.raises(LimitExceeded) as error:
        list(limited(work, 64, 5))
    assert str(error.value) == words


@pytest.mark.slow
def test_work_without_end_ends_after_its_time_on_the_processor() -> None:
    with pytest.raises(LimitExceeded, match="more than 1 seconds"):
        list(limited(lambda: iter(itertools.count().__next__, -1), 64, 1))


def test_the_child_has_no_open_file_of_its_parent_and_ends(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w", encoding="utf-8") as lock:
        (numbers,) = limited(
            lambda: [[lock.fileno(), *(int(descriptor.name) for descriptor in Path("/dev/fd").iterdir())]], 64, 5
        )
        assert lock.fileno() not in numbers[1:]
    children = limited(lambda: itertools.repeat(os.getpid()), 64, 5)
    child = next(children)
    children.close()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def book(part_of_sheet: Callable[[bytes], bytes]) -> bytes:
    """Return a workbook with one record, whose sheet is changed."""
    workbook, changed = openpyxl.Workbook(), io.BytesIO()
    workbook.worksheets[0].title = "objects"
    for row in (["barcode", "name"], ["1", "x"]):
        workbook.worksheets[0].append(row)
    content = io.BytesIO()
    workbook.save(content)
    with zipfile.ZipFile(content) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, part_of_sheet(part) if name.endswith("sheet1.xml") else part)
    return changed.getvalue()


def found(root: Path, content: bytes) -> str:
    (root / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    (root / "a.xlsx").write_bytes(content)
    desired = load(root)
    assert desired.entries == []
    (finding,) = desired.findings
    return str(finding)


def test_a_long_attribute_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    long = b'<x a="' + b"A " * 600_000 + b'"/><sheetData'
    finding = found(tmp_path, book(lambda part: part.replace(b"<sheetData", long)))
    assert finding.startswith(
        "a.xlsx: xl/worksheets/sheet1.xml has an attribute that is longer than spreadsheet programs"
    )


def test_a_workbook_that_takes_too_much_memory_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_source, "_MEMORY", (24, 0))
    long = b"<x>" + b"A" * (48 << 20) + b"</x><sheetData"
    finding = found(tmp_path, book(lambda part: part.replace(b"<sheetData", long)))
    assert finding == (
        "a.xlsx: this workbook can't be read: it takes more than 24 MiB of memory; split it, or save it as CSV"
    )


def test_a_longer_text_than_a_list_could_answer_is_a_finding(tmp_path: Path) -> None:
    long = b'<c r="B2" t="inlineStr"><is><t>' + b"x" * 1_000_001 + b"</t></is></c>"
    content = book(lambda part: re.sub(rb'<c r="B2".*?</c>', lambda _found: long, part))
    (tmp_path / "instance.yml").write_text("api: seventhings/v1\n", "utf-8")
    (tmp_path / "a.xlsx").write_bytes(content)
    (finding,) = load(tmp_path).findings
    assert str(finding) == "a.xlsx:objects!B2: expected a text of at most 1,000,000 characters"
