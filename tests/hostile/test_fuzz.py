# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fuzz every parser: it reports a finding or a clean error, never a traceback, and its time is linear in the input.

Each test begins with valid input, changes parts of it, and parses it again: in a few dozen cases, or in thousands with
``SEVENTHINGS_TEST_LONG``.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import functools
import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import doors
import openpyxl
import payloads
import pytest
import steps
from emulator_process import Emulator
from hostile_service import HostileService
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from instance_site import SETTINGS, Site
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Response
from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import Journal
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.dialect import Rows
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.lifecycle import Lifecycle
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.export.manifest import FETCHED, MANIFEST, Manifest
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.approval_file import ApprovalFile
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.inventory_cache import plain_records

FUZZED = settings(
    max_examples=2000 if LONG else 40,
    derandomize=not LONG,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)

SCALARS = some.one_of(
    some.none(),
    some.booleans(),
    some.integers(-(10**30), 10**30),
    some.floats(allow_nan=False),
    some.sampled_from(payloads.every()),
    some.text(max_size=20),
)
VALUES = some.recursive(
    SCALARS,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@some.composite
def changed(draw: some.DrawFn, document: Any) -> Any:
    """Return a document with a part replaced, removed or added."""
    document_copy = json.loads(json.dumps(document))
    for _time in range(draw(some.integers(1, 4))):
        node: Any = document_copy
        while isinstance(node, (dict, list)) and node:
            key = draw(some.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
            inner = node[key]
            if isinstance(inner, (dict, list)) and inner and draw(some.booleans()):
                node = inner
                continue
            if draw(some.integers(0, 5)) == 0:
                del node[key]
            else:
                node[key] = draw(VALUES)
            break
    return document_copy


@some.composite
def garbled(draw: some.DrawFn, content: bytes) -> bytes:
    """Return bytes with some of them replaced, removed or doubled."""
    changed = bytearray(content)
    for _time in range(draw(some.integers(1, 6))):
        at = draw(some.integers(0, max(len(changed) - 1, 0)))
        length = draw(some.integers(0, 30))
        some_text = draw(some.sampled_from(payloads.every()))[:50].encode("utf-8", "surrogatepass")
        changed[at : at + length] = draw(some.binary(max_size=6) | some.just(some_text))
    return bytes(changed)


def fuzz(strategy: some.SearchStrategy[Any], check: Callable[[Any], object]) -> None:
    """Check that any input is accepted, or rejected with a printable error."""

    @FUZZED
    @given(strategy)
    def case(value: Any) -> None:
        message = ""
        try:
            check(value)
        except SeventhingsError as refused:
            message = refused.message
        assert [*payloads.steering(message)] == []

    case()


# ---- files that others write


@pytest.fixture
def site(emulator: Emulator, tmp_path: Path) -> Site:
    emulator.reset()
    site = Site(tmp_path / "site", emulator)
    site.write({"objects.yml": "- {barcode: '0990001', inventory_name: New}\n"})
    return site


SOURCES = {
    "instance.yml": f"{SETTINGS}identity: {{objects: [barcode]}}\n"
    "csv: {{preset: excel-de, dates: ['%d.%m.%Y'], empty: clear, files: {{'objects/*.csv': {{preset: plain}}}}}}\n"
    "variables: {{city: {{type: string, default: Ulm}}}}\nlimits: {{create: 5, archive: 10%}}\nprune: [objects]\n",
    "objects.yml": "- barcode: '1'\n  inventory_name: |\n    Two\n  tags: [a, {b: c}]\n  note: &a x\n",
    "objects.csv": 'barcode,inventory_name,tags\n1,"two\nlines","[""a""]"\n\'=1;2,3,{"a": 1}\n',
    "objects.jsonl": '{"barcode": "1", "tags": ["a", {"b": 1.50}]}\n{"_state": "absent", "barcode": "2"}\n',
    "moved.yml": "- {section: rooms, from: {number: '1'}, to: {number: '2'}}\n",
    "fields/asset.yml": "- {label: A, type: TEXT, attributes: {mandatory: true}}\n",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", sorted(SOURCES))
def test_desired_files(tmp_path: Path, name: str) -> None:
    for other, content in {"instance.yml": SETTINGS, name: SOURCES[name]}.items():
        (tmp_path / other).parent.mkdir(exist_ok=True)
        (tmp_path / other).write_text(content)

    def check(content: bytes) -> None:
        (tmp_path / name).write_bytes(content)
        for finding in load(tmp_path).findings:
            assert str(finding.place)

    fuzz(garbled(SOURCES[name].encode()), check)


@functools.cache
def workbook() -> dict[str, bytes]:
    """Return the parts of a workbook with every kind of cell, by name."""
    book = openpyxl.Workbook()
    del book["Sheet"]
    sheet = book.create_sheet("objects")
    sheet.append(["barcode", "inventory_name", "price", "bought_on", "in_use", "tags"])
    sheet.append(["0001", "two\nlines", 1.5, dt.date(2024, 5, 31), True, "=1+1"])
    sheet.append([2, "'=1", 10**15, dt.datetime.fromisoformat("2024-05-31T12:00"), False, None])
    book.create_sheet("rooms").append(["location", "number"])
    content = io.BytesIO()
    book.save(content)
    with zipfile.ZipFile(content) as parts:
        return {name: parts.read(name) for name in parts.namelist()}


def packed(parts: Mapping[str, bytes]) -> bytes:
    """Return a workbook of the given parts."""
    archive_bytes = io.BytesIO()
    with zipfile.ZipFile(archive_bytes, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return archive_bytes.getvalue()


@some.composite
def garbled_workbooks(draw: some.DrawFn) -> bytes:
    """Return workbooks with a garbled or missing part, or a garbled archive."""
    parts = workbook()
    name = draw(some.sampled_from([*sorted(parts), ""]))
    if not name:
        return draw(garbled(packed(parts)))
    if draw(some.integers(0, 4)) == 0:
        return packed({other: content for other, content in parts.items() if other != name})
    return packed({**parts, name: draw(garbled(parts[name]))})


def test_workbooks(tmp_path: Path) -> None:
    (tmp_path / "instance.yml").write_text(SETTINGS, "utf-8")

    def check(content: bytes) -> None:
        (tmp_path / "assets.xlsx").write_bytes(content)
        load(tmp_path)

    fuzz(garbled_workbooks(), check)


@pytest.mark.sample(0)
def test_inline_desired_state() -> None:
    document = {
        "instance": {"api": "seventhings/v1", "set": "x", "identity": {"objects": ["barcode"]}, "policy": {}},
        "fields": {"asset": [{"label": "A", "type": "TEXT"}]},
        "objects": [{"barcode": "1", "accessories": ["2"], "_state": "present"}],
        "moved": [{"section": "rooms", "from": {"number": "1"}, "to": {"number": "2"}}],
    }
    fuzz(
        changed(document), lambda inline: [str(finding) for finding in load(None, inline).findings] if inline else None
    )


# ---- files that the collection keeps


def test_plan_files(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    assert site.plan(plan_file=path).outcome == "changed"
    document, content = json.loads(path.read_text()), path.read_bytes()

    def check(document: Any) -> None:
        path.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
        ApprovalFile(path).read()

    fuzz(changed(document) | garbled(content), check)


def test_journals(site: Site, tmp_path: Path) -> None:
    site.run()
    lines = site.journal().read_bytes().splitlines()
    directory = tmp_path / "journal"
    directory.mkdir(mode=0o700)
    path = directory / site.journal().name

    def check(document: Any) -> None:
        path.write_bytes(
            document
            if isinstance(document, bytes)
            else b"".join(json.dumps(record).encode() + b"\n" for record in document)
        )
        path.chmod(0o600)
        with Journal(directory, site.service.base_url, "test") as journal:
            assert isinstance(journal.warnings, list)

    fuzz(changed([json.loads(line) for line in lines]) | garbled(b"\n".join(lines)), check)


@pytest.mark.parametrize("name", [MANIFEST, FETCHED])
def test_manifests(tmp_path: Path, name: str) -> None:
    noted = {
        "version": 1,
        "files": {"objects/0001.yml": "0" * 64},
        "downloads": {"00000001-0000-4000-8000-000000000001": "files/a.txt"},
        "names": {"00000001-0000-4000-8000-000000000001": "a.txt"},
    }

    (tmp_path / name).parent.mkdir(exist_ok=True)

    def check(document: Any) -> None:
        (tmp_path / name).write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
        Manifest.read(Folder(tmp_path))

    fuzz(changed(noted) | garbled(json.dumps(noted).encode()), check)


def test_caches_of_an_inventory() -> None:
    kept = {
        "question": "q",
        "records": {"rooms": [{"uuid": "u", "name": "Lab"}], "locations": []},
        "hidden": {"rooms": ["name"]},
    }

    def check(document: Any) -> None:
        read = plain_records(document, "q", ("rooms", "locations"))
        records, hidden = read or ({}, {})
        assert all(isinstance(record, dict) for many in records.values() for record in many)
        assert all(isinstance(key, str) for keys in hidden.values() for key in keys)

    fuzz(changed(kept), check)


# ---- answers


@contextlib.contextmanager
def answers(path_of: Callable[[str], Any]) -> Iterator[Callable[[Any, bool], Client]]:
    """Yield a function that creates clients whose requests another function answers, without a network."""

    def connected(options: Any, check_mode: bool) -> Client:
        client = steps.connect_hasty(options, check_mode)

        def request(method: str, path: str, **_more: Any) -> Response:
            body = {"access_token": "t", "refresh_token": "r"} if path == "/auth_token" else path_of(f"{method} {path}")
            return Response(200, {}, json.dumps(body).encode(), f"{method} {path}")

        client.transport.request = request  # type: ignore[method-assign]
        return client

    yield connected


READING = sorted(name for name in doors.MODULES if name.endswith("_info"))


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", READING)
def test_answers(name: str) -> None:
    """Any part of the answers to an info module is changed."""
    service = HostileService()
    service.texts = ["Lab", "0001"]
    lists: dict[str, Any] = {path: {"items": service.records(path), "total": 2, "page": 1} for path in ALL_LISTS}
    definitions = {template: service.definitions(template) for template in ("asset", "room", "person")}
    service.server_close()
    document = {"lists": lists, "definitions": definitions, "one": lists["objects"]["items"][0]}

    def check(document: Any) -> None:
        def answer(line: str) -> Any:
            steps_of_path = line.split("/")
            if steps_of_path[-1] == "field-definitions":
                return _member(document, "definitions", steps_of_path[-2])
            return _member(document, "lists", line.partition("/")[2]) or _member(document, "one")

        with answers(answer) as connected:
            for row in doors.MODULES[name]:
                options = {"base_url": "https://x.example", "access_token": "t", "rate_limit": 0, **row}
                data = steps.call(name, options, client_of=connected).data
                assert payloads.steering_in_results([data]) == []

    fuzz(changed(document), check)


def _member(document: Any, *names: str) -> Any:
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document


ALL_LISTS = (
    "locations", "rooms", "persons", "users", "objects", "task-management/tasks", "rental-management/rental-cases",
    "circularity-hub/items", "circularity-hub/orders", "files",
)  # fmt: skip


# ---- time


def seconds(action: Callable[[], object]) -> float:
    """Return the processor time of a call in seconds."""
    started = time.process_time()
    action()
    return time.process_time() - started


GROWING: dict[str, Callable[[int], tuple[str, bytes]]] = {
    "many records of YAML": lambda n: ("objects.yml", b"- {barcode: '1', a: x}\n" * n),
    "many keys of one record": lambda n: ("objects.yml", b"- " + b"\n  ".join(b"k%d: x" % k for k in range(n))),
    "one key many times": lambda n: ("objects.yml", b"- " + b"\n  ".join([b"k: x"] * n)),
    "a long text": lambda n: ("objects.yml", b'- barcode: "' + b"\\n" * 10 * n + b'"\n'),
    "brackets": lambda n: ("objects.yml", b"- [" * n),
    "many rows": lambda n: ("objects.csv", b"barcode,a\n" + b"1,'=x\n" * n),
    "a row of many cells": lambda n: ("objects.csv", b"barcode\n" + b"1," * n),
    "quotes": lambda n: ("objects.csv", b"barcode\n" + b'"' * (n * 10 + 1)),
    "many lines": lambda n: ("objects.jsonl", b'{"barcode": "1"}\n' * n),
    "one long line": lambda n: ("objects.jsonl", b'{"a": [' + b"1," * n + b"1]}\n"),
    "open brackets": lambda n: ("objects.jsonl", b'{"a":' * n),
    "many settings": lambda n: ("instance.yml", SETTINGS.encode() + b"x: y\n" * n),
    "many columns of a table": lambda n: (
        "instance.yml",
        SETTINGS.encode()
        + b"tables:\n- files: objects/x.csv\n  columns:\n"
        + b"".join(b"    c%d: f%d\n" % (k, k) for k in range(4 * n)),
    ),
}


@pytest.mark.sample(5)
@pytest.mark.parametrize("what", sorted(GROWING))
def test_reading_time_is_linear_in_the_size_of_the_input(tmp_path: Path, what: str) -> None:
    """The tested factor allows for noise: quadratic time would be sixteen times as long."""

    def read(size: int) -> float:
        directory = tmp_path / str(size)
        directory.mkdir()
        name, content = GROWING[what](size)
        for other, text in {"instance.yml": SETTINGS.encode(), name: content}.items():
            (directory / other).write_bytes(text)
        return min(seconds(lambda: load(directory)) for _time in range(2))

    size = 8000 if LONG else 1500
    assert read(4 * size) < 9 * read(size) + 0.3


def test_time_for_row_patterns_is_linear_in_their_number() -> None:
    """The number of rows grows, too. Texts without wildcards are not compared one by one."""

    def measure(size: int) -> float:
        rows = Rows(patterns=("Total *", *(f"Sum {number}" for number in range(size))))

        def act() -> None:
            assert not any(rows.skips(number, f"{number}") for number in range(1, size))
            assert rows.skips(1, "Total of all")
            assert rows.skips(1, "Sum 2")

        return seconds(act)

    assert measure(4800) < 9 * measure(1200) + 0.3


def test_time_for_protections_is_linear_in_their_number() -> None:
    """The number of records grows, too. The factor allows for noise as above."""

    def measure(size: int) -> float:
        names = [f"IMP-{number:06}" for number in range(size)]
        lifecycle = Lifecycle(protect=tuple(names))

        def act() -> None:
            assert lifecycle.idle_protections([*names[1:], "x"]) == [names[0]]
            assert all(lifecycle.protects([name]) == name for name in names)

        return seconds(act)

    assert measure(6000) < 9 * measure(1500) + 0.3
