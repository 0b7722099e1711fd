# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fail at each point in turn: the n-th request, write, sync, rename and lock, until a run has no failure.

After each failure a second run must finish the work: nothing is created twice, nothing is lost, and the plan is empty.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded, SiteHere
from exports import export_of
from instance_site import Site
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.token_store import (
    Credentials,
    Pair,
    TokenStore,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.record import ApplyRecord
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.record_file import last_record
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.undo import Undo

from ..plugin_utils.absorb.absorbing import somebody, take

_MOST_POINTS = 400
_STEP = 1 if LONG else 11
"""Step between fault points: 1 in the long run, more otherwise."""
_FIRST = 1 if LONG else 3
_CALLS = {
    "write": ((os, "write"), (os, "pwrite")),
    "sync": ((os, "fsync"),),
    "rename": ((os, "replace"),),
    "lock": ((fcntl, "flock"),),
}
_ANY = {"create_percent": 1000, "update_percent": 1000, "delete_percent": 1000}
_BEFORE = {
    "locations.yml": "- {name: Berlin}\n- {name: Hamburg}\n",
    "rooms.yml": "- {building_id: Berlin, number: '1', name: One}\n",
    "objects.yml": "- {barcode: '100001', inventory_name: Desk, target_room: Berlin/1}\n"
    "- {barcode: '100002', inventory_name: Lamp}\n",
}
_AFTER = {
    **_BEFORE,
    "persons.yml": "- {email: ada@acme.example, last_name: Jensen}\n",
    "objects.yml": "- {barcode: '100001', inventory_name: Table, target_room: Berlin/1}\n"
    "- {barcode: '100002', inventory_name: Lamp, serial_number: S2}\n- {barcode: '100003', inventory_name: Chair}\n",
}


class Point:
    """Make the n-th call of some system functions fail."""

    def __init__(self, number: int) -> None:
        self._left = number
        self.was_reached = False

    def wrapped(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def fail_once(*given: Any, **named: Any) -> Any:
            # Releasing a lock never fails: the kernel can't refuse it.
            self._left -= given[1:] != (fcntl.LOCK_UN,)
            if self._left == 0 and not self.was_reached:
                self.was_reached = True
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return call(*given, **named)

        return fail_once


@contextmanager
def failing(what: str, number: int, patch: pytest.MonkeyPatch) -> Iterator[Point]:
    """Let the n-th call of a group fail inside the block. Only an error that users can read may leave it."""
    point = Point(number)
    with patch.context() as inside:
        for module, name in _CALLS[what]:
            inside.setattr(module, name, point.wrapped(getattr(module, name)))
        with suppress(SeventhingsError):
            yield point


def points() -> Iterator[int]:
    """Yield the numbers of the calls that fail."""
    yield from range(_FIRST, _MOST_POINTS, _STEP)
    pytest.fail(f"more than {_MOST_POINTS} calls")


def begin(directory: Path) -> SiteHere:
    """Return an instance after the first apply, with the files for the next."""
    shutil.rmtree(directory, ignore_errors=True)
    (directory / "files").mkdir(parents=True)
    begun = Embedded.started(data="empty").site(directory / "files")
    begun.write(_BEFORE)
    assert apply(begun).outcome == "changed"
    begun.write(_AFTER)
    return begun


def apply(site: SiteHere) -> Any:
    return site.run(journal=site.root.parent / "journal", limits=_ANY)


def undo(site: SiteHere, path: Path, found: ApplyRecord) -> Any:
    wanted = Undo(found, str(path), "skip", False)
    return site.run(wanted.base(Hiding()), undo=wanted, journal=site.root.parent / "journal")


def records(site: SiteHere) -> tuple[list[str], list[str]]:
    """Return the barcodes of all objects with their names, and the addresses of all persons."""
    dump = site.dump()
    objects = [record.get("fields", record) for record in dump["objects"]]
    persons = [person.get("fields", person) for person in dump["persons"]]
    return sorted(f"{record['barcode']} {record['inventory_name']}" for record in objects), [
        person["email"] for person in persons
    ]


WANTED = ["100001 Table", "100002 Lamp", "100003 Chair"]
AT_FIRST = ["100001 Desk", "100002 Lamp"]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Store apply records below the directory of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.parametrize("what", list(_CALLS))
def test_an_apply_recovers_from_a_failure_at_every_call(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in points():
        begun = begin(tmp_path / "case")
        with failing(what, number, monkeypatch) as point:
            apply(begun)
        apply(begun)
        assert begun.plan().outcome == "unchanged", number
        assert records(begun) == (WANTED, ["ada@acme.example"]), number
        if not point.was_reached:
            return


@pytest.mark.sample(2)
@pytest.mark.parametrize("fault", ["reset_before", "reset_after", "reset_late", "502_html", "500", "not_json"])
def test_an_apply_recovers_from_a_failure_of_every_request(fault: str, tmp_path: Path) -> None:
    for number in points():
        begun = begin(tmp_path / "case")
        begun.embedded.log.clear()
        begun.embedded.fault(fault, after=number - 1, times=1)
        with suppress(SeventhingsError):
            apply(begun)
        sent = len(begun.embedded.log)
        begun.embedded.gateway.faults.replace([])
        apply(begun)
        assert begun.plan().outcome == "unchanged", number
        assert records(begun) == (WANTED, ["ada@acme.example"]), number
        if sent < number:
            return


@pytest.mark.parametrize("what", list(_CALLS))
def test_an_undo_recovers_from_a_failure_at_every_call(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in points():
        begun = begin(tmp_path / "case")
        apply(begun)
        record = last_record(begun.client().transport.root, None)
        with failing(what, number, monkeypatch) as point:
            undo(begun, *record)
        undo(begun, *record)
        objects, persons = records(begun)
        assert [name for name in objects if not name.endswith("Chair")] == AT_FIRST, number
        assert persons == [], number
        if not point.was_reached:
            return


@pytest.mark.sample(2)
@pytest.mark.parametrize("what", list(_CALLS))
@pytest.mark.parametrize("file_format", ["yaml", "csv", "jsonl"])
def test_an_incomplete_export_is_completed_by_the_next(
    what: str, file_format: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.root.mkdir(exist_ok=True)
    site.write(_AFTER)
    assert site.run().outcome == "changed"
    for number in points():
        out = tmp_path / "out"
        shutil.rmtree(out, ignore_errors=True)
        with failing(what, number, monkeypatch) as point:
            export_of(site, out, format=file_format)
        again = export_of(site, out, format=file_format)
        assert not again.get("failed"), (number, again)
        assert Site(out, site.service).plan().outcome == "unchanged", number
        if not point.was_reached:
            return


@pytest.mark.parametrize("what", ["write", "sync", "rename"])
def test_an_absorb_recovers_from_a_failure_at_every_call(
    what: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = Site(tmp_path / "ours", site.service)
    ours.write({**_BEFORE, "persons.yml": "[]\n"})
    assert ours.run().outcome == "changed"
    somebody(site, _AFTER)
    folders = {ours.root: tmp_path / "first files", ours.journal().parent: tmp_path / "first memory"}
    for folder, first in folders.items():
        shutil.copytree(folder, first)
    for number in points():
        for folder, first in folders.items():
            shutil.rmtree(folder)
            shutil.copytree(first, folder)
        with failing(what, number, monkeypatch) as point:
            take(ours)
        again = take(ours)
        assert not again.get("failed"), (number, again)
        assert ours.plan().outcome == "unchanged", number
        if not point.was_reached:
            return


@pytest.mark.parametrize("what", list(_CALLS))
def test_a_token_store_keeps_the_pair_or_none(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 40):
        folder = tmp_path / str(number)
        folder.mkdir(mode=0o700)
        account = Credentials(username="ada", password="secret", client_id="c")
        open_store = partial(TokenStore, Folder(folder), "https://x.example", account)
        first, second = (Pair(name, None, 7, None, 1.0) for name in ("a" * 20, "b" * 20))
        open_store().keep(first)
        with failing(what, number, monkeypatch) as point, open_store().renewing(0.0):
            open_store().keep(second)
        assert open_store().read() in (first, second, None)
        open_store().keep(second)
        assert open_store().read() == second
        if not point.was_reached:
            return
