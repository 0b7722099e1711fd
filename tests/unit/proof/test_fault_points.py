# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fail at every point in turn: the n-th request, write, sync, rename and lock, until a run passes without a failure.

After each failure a second run must finish the work: nothing is created twice, nothing is lost, and the plan is empty.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from exports import export_of
from instance_site import Site
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError

_MOST_POINTS = 250
_STEP = 1 if LONG else 9
"""Every point in the long run, else some of them."""
_FIRST = 1 if LONG else 3
_CALLS = {
    "write": ((os, "write"), (os, "pwrite")),
    "sync": ((os, "fsync"),),
    "rename": ((os, "replace"),),
    "lock": ((fcntl, "flock"),),
}
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
    """The n-th call of some functions of the system fails."""

    def __init__(self, number: int) -> None:
        self._left = number
        self.was_reached = False

    def wrapped(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def fail_once(*given: Any, **named: Any) -> Any:
            self._left -= 1
            if self._left == 0:
                self.was_reached = True
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return call(*given, **named)

        return fail_once


@contextmanager
def failing(what: str, number: int, patch: pytest.MonkeyPatch) -> Iterator[Point]:
    """Let the n-th call of a group fail inside the block."""
    point = Point(number)
    with patch.context() as inside:
        for module, name in _CALLS[what]:
            inside.setattr(module, name, point.wrapped(getattr(module, name)))
        yield point


def attempt(work: Callable[[], object]) -> None:
    """Do the work, or fail with an error that users can read: never with a bare error of the system."""
    with suppress(SeventhingsError):
        work()


def begin(site: Site, directory: Path) -> Site:
    """An instance as the first files describe it, with files that want more."""
    site.service.reset(sign_out=True)
    shutil.rmtree(directory, ignore_errors=True)
    begun = Site(directory / "files", site.service, {"retries": 0})
    begun.write(_BEFORE)
    assert begun.run(journal=directory / "journal", limits={"create_percent": 100}).outcome == "changed"
    begun.write(_AFTER)
    return begun


def apply(site: Site, directory: Path) -> Any:
    return site.run(journal=directory / "journal", limits={"create_percent": 100, "update_percent": 100})


def is_as_wanted(site: Site, directory: Path) -> None:
    """Check that the instance is what the files describe, once."""
    assert site.plan(journal=directory / "journal").outcome == "unchanged"
    dump = site.dump()
    barcodes = sorted(record["fields"]["barcode"] for record in dump["objects"])
    assert barcodes == ["100001", "100002", "100003"]
    assert [record["fields"]["email"] for record in dump["persons"]] == ["ada@acme.example"]


@pytest.mark.parametrize("what", list(_CALLS))
def test_an_apply_recovers_from_a_failure_at_every_call(
    what: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(_FIRST, _MOST_POINTS, _STEP):
        begun = begin(site, tmp_path / "case")
        with failing(what, number, monkeypatch) as point:
            attempt(lambda begun=begun: apply(begun, tmp_path / "case"))
        apply(begun, tmp_path / "case")
        is_as_wanted(begun, tmp_path / "case")
        if not point.was_reached:
            return
    pytest.fail(f"more than {_MOST_POINTS} calls of {what}")


@pytest.mark.parametrize("fault", ["reset_before", "reset_after", "502_html", "500", "not_json"])
def test_an_apply_recovers_from_a_failure_of_every_request(fault: str, site: Site, tmp_path: Path) -> None:
    for number in range(_FIRST - 1, _MOST_POINTS, _STEP):
        begun = begin(site, tmp_path / "case")
        begun.service.clear_log()
        begun.service.steer("PUT", "/faults", [{"fault": fault, "after": number, "times": 1}])
        attempt(lambda begun=begun: apply(begun, tmp_path / "case"))
        sent = len(begun.service.log())
        begun.service.steer("PUT", "/faults", [])
        apply(begun, tmp_path / "case")
        is_as_wanted(begun, tmp_path / "case")
        if sent <= number:
            return
    pytest.fail(f"more than {_MOST_POINTS} requests")


@pytest.mark.parametrize("what", list(_CALLS))
@pytest.mark.parametrize("file_format", ["yaml", "csv", "jsonl"])
def test_an_export_is_whole_or_is_made_whole_by_the_next(
    what: str, file_format: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = begin(site, tmp_path / "case")
    apply(begun, tmp_path / "case")
    for number in range(_FIRST, _MOST_POINTS, _STEP):
        out = tmp_path / "out"
        shutil.rmtree(out, ignore_errors=True)
        with failing(what, number, monkeypatch) as point:
            attempt(lambda out=out: export_of(begun, out, format=file_format))
        again = export_of(begun, out, format=file_format)
        assert "msg" not in again or not again.get("failed"), again
        assert Site(out, site.service).plan().outcome == "unchanged"
        if not point.was_reached:
            return
    pytest.fail(f"more than {_MOST_POINTS} calls of {what}")
