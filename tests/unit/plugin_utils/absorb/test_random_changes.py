# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random instances, files in random spelling, and random changes through the service.

Afterwards the plan is empty except for what was reported, nothing else in the files changed, and a second run changes
nothing.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from emulator_here import running_here
from emulator_process import Emulator
from hypothesis import HealthCheck, Phase, given, note, settings
from instance_site import Site
from project import LONG

from ..instance.random_states import FIELDS, FILES, State, key_of, states
from .absorbing import ANY, applied, content, take

pytestmark = pytest.mark.slow

_SIMPLE = re.compile(r"[A-Za-z][A-Za-z0-9 ]*[A-Za-z0-9]")
_WORDS = {"yes", "no", "on", "off", "null", "true", "false"}
_FLAT = ("locations", "rooms", "persons", "objects")


@pytest.fixture(scope="module")
def empty_service() -> Iterator[Emulator]:
    """Yield an instance that is emptied before each example."""
    with running_here("empty") as service:
        yield service


def _value(value: Any, indent: str, chance: random.Random) -> str:
    """Return a value in one of the YAML spellings that people use."""
    ways = [json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028")]
    if isinstance(value, str):
        if _SIMPLE.fullmatch(value) and value.lower() not in _WORDS:
            ways.append(value)
        if value.isprintable():
            ways.append("'" + value.replace("'", "''") + "'")
        lines = value.split("\n")
        if value and all(line and line == line.strip() and line.isprintable() for line in lines):
            ways.append("|-\n" + "\n".join(f"{indent}  {line}" for line in lines))
            ways.append(">-\n" + "\n\n".join(f"{indent}  {line}" for line in lines))
    if isinstance(value, list) and value:
        ways.append("".join(f"\n{indent}{' ' * chance.randrange(3)}- {json.dumps(item)}" for item in value[:1]))
        pad = " " * chance.randrange(3)
        ways[-1] = "".join(f"\n{indent}{pad}- {json.dumps(item)}" for item in value)
    return chance.choice(ways)


def _yaml(row: Mapping[str, Any], chance: random.Random) -> str:
    if chance.random() < 0.2:
        return "- " + json.dumps(row, ensure_ascii=False).replace("\u2028", "\\u2028") + "\n"
    gap = " " * chance.randrange(1, 4)
    indent = " " * (1 + len(gap))
    lines = []
    for key, value in row.items():
        text = _value(value, indent, chance)
        blank = "" if text.startswith("\n") else " " * chance.randrange(1, 3)
        comment = f"  # {chance.randrange(99)}" if chance.random() < 0.2 and "\n" not in text else ""
        lines.append(f"{key}:{blank}{text}{comment}\n")
    above = "# a comment\n" if chance.random() < 0.2 else ""
    return above + f"-{gap}" + indent.join(lines)


def _json(row: Mapping[str, Any], chance: random.Random) -> str:
    parts = (", ", ": ") if chance.random() < 0.5 else (",", ":")
    return json.dumps(row, separators=parts, ensure_ascii=chance.random() < 0.5) + "\n"


def _table(rows: Sequence[Mapping[str, Any]], chance: random.Random) -> list[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    delimiter = chance.choice(",;\t")
    stream = io.StringIO()
    quoting: dict[str, Any] = {"quoting": csv.QUOTE_ALL} if chance.random() < 0.5 else {}
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n", **quoting)
    chunks = []
    for cells in [names, *([_cell(row.get(name)) for name in names] for row in rows)]:
        stream.seek(0)
        stream.truncate()
        writer.writerow(cells)
        chunks.append(stream.getvalue())
    return chunks


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (list, dict)):
        return json.dumps(value)
    return value if isinstance(value, str) else json.dumps(value)


def _is_flat(row: Mapping[str, Any]) -> bool:
    return all(value is not None and (not isinstance(value, str) or value.isprintable()) for value in row.values())


def _files(state: State, chance: random.Random) -> tuple[dict[str, bytes], dict[str, list[tuple[str, str]]]]:
    """Return a state in files of all formats, and for each file the text and key of every record."""
    files: dict[str, bytes] = {**FILES, "fields/asset.yml": FIELDS.encode()}
    chunks: dict[str, list[tuple[str, str]]] = {}
    for section, records in state.items():
        keys = list(records)
        chance.shuffle(keys)
        half = chance.randrange(len(keys) + 1)
        for number, mine in enumerate((keys[:half], keys[half:])):
            rows = [{**key_of(section, key), **records[key]} for key in mine]
            forms = ["yml", "jsonl"]
            if section in _FLAT and rows and all(map(_is_flat, rows)):
                forms.append("csv")
            form = chance.choice(forms)
            name = f"{section}/{number}.{form}"
            head = ""
            if form == "csv":
                head, *texts = _table(rows, chance)
            else:
                texts = [(_yaml if form == "yml" else _json)(row, chance) for row in rows]
                head = "---\n" if form == "yml" and chance.random() < 0.3 else ""
            chunks[name] = list(zip(mine, texts, strict=True))
            text = head + "".join(texts)
            text = text or ("[]\n" if form == "yml" else "")
            # Carriage returns inside values are not line ends of the file.
            line_end = "\r\n" if chance.random() < 0.3 else "\n"
            mark = "\ufeff" if chance.random() < 0.2 else ""
            chunks[name] = [(key, text.replace("\n", line_end)) for key, text in chunks[name]]
            files[name] = (mark + text.replace("\n", line_end)).encode()
    return files, chunks


@pytest.mark.timeout(3600 if LONG else 300)
@settings(
    max_examples=300 if LONG else 4,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate) if not LONG else tuple(Phase),
    suppress_health_check=list(HealthCheck),
)
@given(
    before=states,
    after=states,
    spelled=st.integers(0, 2**32),
    if_deleted=st.sampled_from(["keep", "remove", "absent"]),
    ending=st.sampled_from(["yml", "jsonl", "csv"]),
)
def test_files_follow_the_instance(
    empty_service: Emulator, before: State, after: State, spelled: int, if_deleted: str, ending: str
) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        _follow(Site(root / "files", empty_service), root, before, after, random.Random(spelled), if_deleted, ending)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _follow(
    site: Site, root: Path, before: State, after: State, chance: random.Random, if_deleted: str, ending: str
) -> None:
    site.service.reset()
    order: dict[str, Any] = {**ANY, "journal": root / "journal"}
    files, chunks = _files(before, chance)
    site.write(files)
    result = site.run(**order)
    if result.outcome != "changed":
        # Not every state can be reached: a completed task is created again each time.
        note(f"{result.outcome}: {result.findings} {result.failures}")
        return
    other = Site(root / "other", site.service)
    # Change only some of the common records, and remove some of those that no longer exist.
    other.write(_files(after, chance)[0])
    deleted = [key for key in before["objects"] if key not in after["objects"] and chance.random() < 0.5]
    other.write(
        {"objects/away.jsonl": "".join(json.dumps({"barcode": key, "_state": "absent"}) + "\n" for key in deleted)}
    )
    done = other.run(**ANY)
    note(f"somebody: {done.outcome} {done.findings[:3]} {done.failures[:3]}")
    differing = {(change["section"], change["key"]) for change in site.plan(**order).changes}
    into = {section: f"{section}/new.{ending if section in _FLAT else 'yml'}" for section in before}
    untouched = content(site.root)
    planned = take(site, check_mode=True, gone=if_deleted, into=into)
    assert not planned.get("failed"), planned["msg"]
    assert content(site.root) == untouched
    patched = applied(site.root, root, planned["patch"])
    absorbed = take(site, gone=if_deleted, into=into)
    assert content(site.root) == patched
    note("\n".join(absorbed["not_changed"]))
    _only_what_differs(site, chunks, differing)
    again = take(site, gone=if_deleted, into=into)
    assert (again["changed"], again["patch"]) == (False, b"")
    left = site.plan(**order)
    assert left.findings == [] or absorbed["not_changed"], left.findings
    for change in left.changes:
        assert any(str(change["key"]) in line for line in absorbed["not_changed"]), (change, absorbed["not_changed"])


def _only_what_differs(
    site: Site, chunks: Mapping[str, Sequence[tuple[str, str]]], differing: set[tuple[str, str]]
) -> None:
    """Check that every record without differences stayed in its place, with all spaces, quotes and comments."""
    for name, records in chunks.items():
        text = (site.root / name).read_bytes().decode()
        section = name.partition("/")[0]
        at = 0
        for key, chunk in records:
            if (section, key) in differing or any(
                place.startswith(f"{key}/") for kind, place in differing if kind == section
            ):
                continue
            found = text.find(chunk, at)
            assert found >= 0, (name, key, chunk, text)
            at = found + len(chunk)
