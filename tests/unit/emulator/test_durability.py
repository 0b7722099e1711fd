# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Killed at any moment, under load: answered writes exist, no record is incomplete, and the service starts again."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import requests
from project import LONG

from .bodies import code
from .support import Api, connected

ROUNDS = 100 if LONG else 2
WRITERS = 4


class Writer(threading.Thread):
    """A client that writes, and remembers the answered writes and the last write without an answer."""

    def __init__(self, api: Api, progress: threading.Semaphore) -> None:
        super().__init__(daemon=True)
        self.api = api
        self.answered: dict[str, str] = {}
        self.deleted: set[str] = set()
        self.open: tuple[str, str] | None = None
        self.attempts: set[str] = set()
        self.failure: Exception | None = None
        self.progress = progress

    def run(self) -> None:
        try:
            while True:
                self._write()
        except requests.RequestException:
            return
        except Exception as error:  # The test reports it.
            self.failure = error
        finally:
            self.progress.release()

    def _write(self) -> None:
        # Name and city always have the same mark, so a record in which they differ is incomplete.
        mark = code()
        self.attempts.add(mark)
        created = self.api.create("/location", {"name": mark, "city": mark})
        self.answered[created] = mark
        self.progress.release()
        mark = code()
        self.attempts.add(mark)
        self.open = (created, mark)
        assert self.api.patch(f"/location/{created}", {"name": mark, "city": mark}).status_code == 200
        self.answered[created] = mark
        self.open = None
        if len(self.answered) % 3 == 0:
            self.open = (created, "")
            del self.answered[created]
            assert self.api.delete(f"/location/{created}").status_code == 204
            self.deleted.add(created)
            self.open = None


def sites(api: Api) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    page = 1
    while records := api.items("/locations", f"page={page}&per_page=1000&sort[id]=ASC"):
        found.update({record["location_uuid"]: record for record in records})
        page += 1
    return found


@pytest.mark.sample(0)
@pytest.mark.timeout(1800 if LONG else 300)
def test_kill_under_load(tmp_path: Path) -> None:
    db = str(tmp_path / "killed.sqlite3")
    dice = random.Random(20310520)
    expected: dict[str, str] = {}
    for round_number in range(ROUNDS):
        with connected(db=db, data="empty") as (process, main):
            found = sites(main)
            assert {uuid: record["name"] for uuid, record in found.items()} == expected, f"before round {round_number}"
            progress = threading.Semaphore(0)
            writers = []
            for _number in range(WRITERS):
                client = Api(process.about, main.steering)
                client.tokens = main.tokens
                writers.append(Writer(client, progress))
            for writer in writers:
                writer.start()
            for _number in range(dice.randint(1, 60)):
                assert progress.acquire(timeout=60)
            process.kill()
            for writer in writers:
                writer.join(60)
                assert not writer.is_alive()
        assert [writer.failure for writer in writers if writer.failure] == []
        with connected(db=db, data="empty") as (process, main):
            found = sites(main)
            # No record is incomplete.
            assert [record for record in found.values() if record["name"] != record["city"]] == []
            # No answered write is lost, except by a later write whose answer was lost.
            for writer in writers:
                pending_uuid, mark = writer.open or ("", "")
                for uuid, name in writer.answered.items():
                    if uuid == pending_uuid:
                        assert found[uuid]["name"] in (name, mark)
                    else:
                        assert found[uuid]["name"] == name
                assert not writer.deleted & set(found)
            # Every record was requested by a writer.
            wanted = set().union(*(writer.attempts for writer in writers)) | set(expected.values())
            assert {record["name"] for record in found.values()} <= wanted
            expected = {uuid: record["name"] for uuid, record in found.items()}
            history = next(iter(expected), None)
            if history:
                assert main.read(f"/location/{history}/history")["total"] >= 1
    assert expected


def test_answered_write_is_on_disk(tmp_path: Path) -> None:
    db = str(tmp_path / "one.sqlite3")
    with connected(db=db) as (process, api):
        created = api.create_object(inventory_name="Kept")
        file = api.upload("kept.txt", b"kept")
        refresh = api.tokens["refresh_token"]
        process.kill()
    with connected(db=db) as (_process, api):
        assert api.grant(grant_type="refresh_token", refresh_token=refresh).status_code == 200
        assert api.read(f"/object/{created}")["inventory_name"] == "Kept"
        assert api.get(f"/file/{file}/data").content == b"kept"


def test_late_commit_without_further_requests(tmp_path: Path) -> None:
    """A due commit is carried out without a request, and is kept when the process is killed."""
    db = str(tmp_path / "late.sqlite3")
    with connected(db=db, data="empty") as (process, api):
        api.steering.fault(method="POST", path="/location", fault="504_late", commit_after=0.05)
        unjudged = Api(process.about, api.steering, judge=False)
        assert unjudged.post("/location", {"name": "x"}, token=api.tokens["access_token"]).status_code == 504
        deadline = time.monotonic() + 30
        while not _locations(db):
            assert time.monotonic() < deadline
        process.kill()
    assert _locations(db) == 1


def _locations(db: str) -> int:
    with contextlib.closing(sqlite3.connect(db)) as connection:
        return int(connection.execute("SELECT count(*) FROM location").fetchone()[0])


def test_refused_write_leaves_nothing(tmp_path: Path) -> None:
    """A request is one transaction: if one of two objects is refused, neither is offered."""
    with connected(db=str(tmp_path / "two.sqlite3")) as (_process, api):
        item = api.offer()
        other = api.create_object(purchasing_price=1)
        before = api.steering.dump()
        entry = {"category": "category_furniture", "price": 1}
        response = api.post(
            "/circularity-hub/add-objects-to-circularity-hub", {other: entry, item["asset_uuid"]: entry}
        )
        assert response.status_code == 422
        assert api.steering.dump() == before
