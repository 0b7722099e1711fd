# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Many requests at once and for a long time. The tests check answers and memory, never the time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from project import LONG

from .bodies import code
from .support import Api, Emulator, Steering, connected

CLIENTS = 100
EACH = 20 if LONG else 3
REQUESTS = 60_000 if LONG else 1_000
BOUND = 48 * 1024 * 1024


@pytest.mark.sample(0)
def test_many_clients_at_once(api: Api, steering: Steering) -> None:
    before = api.count("/locations")

    def work(number: int) -> list[int]:
        client = Api(api.about, steering)
        found = [client.grant(grant_type="password", username=api.about["username"], password=api.about["password"])]
        client.tokens = found[0].json()
        for turn in range(EACH):
            created = client.post("/location", {"name": f"Client {number}, turn {turn}"})
            found += [
                created,
                client.get(f"/location/{created.headers['Location-UUID']}"),
                client.get("/objects", "per_page=5"),
            ]
        return [response.status_code for response in found]

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(work, range(CLIENTS)))
    assert answers == [[200, *[201, 200, 200] * EACH]] * CLIENTS
    assert api.count("/locations") == before + CLIENTS * EACH


def test_writes_at_once_are_apart(api: Api, steering: Steering) -> None:
    """If many requests want one unique value at once, only one gets it."""
    wanted = code()

    def work(_number: int) -> int:
        client = Api(api.about, steering)
        client.tokens = api.tokens
        return client.post("/object", {"inventory_name": "One", "barcode": wanted}).status_code

    with ThreadPoolExecutor(20) as pool:
        answers = sorted(pool.map(work, range(20)))
    assert answers == [201] + [422] * 19


def run(process: Emulator, api: Api, count: int) -> int:
    """Send many requests from concurrent clients. Return the memory of the process afterwards."""

    def work(part: int) -> None:
        client = Api(process.about, api.steering, judge=False)
        client.tokens = api.tokens
        for turn in range(part):
            kind = turn % 4
            if kind == 0:
                client.get("/objects", f"per_page=20&filter[inventory_name][like][]={code()}")
            elif kind == 1:
                client.get(f"/object/{code()}")
            elif kind == 2:
                client.get("/locations", "sort[name]=DESC&per_page=50")
            else:
                client.patch(f"/location/{site}", {"name": code()})

    site = api.items("/locations", "per_page=1")[0]["location_uuid"]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, [count // 8] * 8))
    return process.resident_bytes()


@pytest.mark.sample(0)
@pytest.mark.timeout(3600 if LONG else 300)
def test_memory_does_not_grow() -> None:
    with connected() as (process, api):
        warm = run(process, api, REQUESTS // 2)
        assert run(process, api, REQUESTS) - warm < BOUND


def test_large_data() -> None:
    with connected(data="5000") as (_process, api):
        assert api.count("/objects") == 5000
        found = api.read("/objects", "per_page=1000&page=5&sort[inventory_name]=ASC&filter[id][gt]=0")
        assert (len(found["items"]), found["total"]) == (1000, 5000)
        names = [record["inventory_name"] for record in found["items"]]
        assert names == sorted(names)
        assert api.items("/objects", "per_page=1000&page=6&sort[inventory_name]=ASC") == []


@pytest.mark.sample(0)
def test_late_pages_are_up_to_date() -> None:
    """The order of a list is cached between requests, but only until a write or a reset."""
    with connected(data="9000") as (_process, api):
        query = "per_page=1000&sort[status]=DESC&sort[barcode]=ASC&filter[quantity][gt]=1"

        def late(page: int) -> list[tuple[str, str]]:
            return [(record["status"], record["barcode"]) for record in api.items("/objects", f"{query}&page={page}")]

        everything = [entry for page in range(1, 10) for entry in late(page)]
        assert len(everything) == len(set(everything)) == 8000
        for status in {status for status, _barcode in everything}:
            barcodes = [barcode for state, barcode in everything if state == status]
            assert barcodes == sorted(barcodes)
        assert [status for status, _barcode in everything] == sorted((entry[0] for entry in everything), reverse=True)
        first = api.items("/objects", f"{query}&per_page=1")[0]
        api.delete(f"/object/{first['uuid']}")
        assert late(7) == everything[6001:7001]
        api.steering.call("POST", "/reset")
        assert late(7) == everything[6000:7000]
