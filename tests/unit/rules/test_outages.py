# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""While the service is down, only one check every 15 seconds is sent. Then the work continues or stops."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import embedded_here
import pytest
from embedded.faults import RateLimit as ServiceLimit
from instance_site import yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.rate_limit import RateLimit
from ansible_collections.community.seventhings.plugins.module_utils.errors import (
    InternalError,
    InvalidInput,
    ServiceUnavailable,
    SeventhingsError,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.caps import Caps
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.options import RunOptions
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.run import run_instance
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult

Embedded = embedded_here.Embedded
FILE, LOCATION = KINDS["file"], KINDS["location"]
DOWN = ("503", "502_html", "reset_before")
SETTINGS = "api: seventhings/v1\nset: test\n"
PREFIX = "/customer-api/v1"


def signed_in(service: Embedded) -> Client:
    client = service.client()
    client.tokens.current()
    return client


def seconds(service: Embedded, act: Callable[[], object]) -> float:
    """Return how long a call takes."""
    before = service.clock.now()
    act()
    return service.clock.now() - before


def asked_at(service: Embedded, act: Callable[[], object]) -> list[float]:
    """Return a list that collects the times of requests, in seconds from the first."""
    before = len(service.requests())
    act()
    times = [request["time"] for request in service.requests()[before:]]
    return [_seconds_of(time) - _seconds_of(times[0]) for time in times]


def _seconds_of(time: str) -> float:
    hours, minutes, rest = time.partition("T")[2].partition("+")[0].split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


# ---- one record


@pytest.mark.parametrize("fault", DOWN)
@pytest.mark.parametrize("lasts", [1, 20, 200])
def test_a_module_goes_on_after_an_outage(fault: str, lasts: float) -> None:
    service = Embedded.started()
    client = signed_in(service)
    service.fault(fault, lasts=lasts)
    times = asked_at(service, lambda: ensure(client, DesiredRecord(LOCATION, {"name": "Mill"})))
    assert times[-1] <= lasts + 20
    during = [moment for moment in times if 5 < moment < lasts]
    assert all(later - earlier >= 15 for earlier, later in itertools.pairwise(during))
    assert [record.flat["name"] for record in service.client().list_all(LOCATION)].count("Mill") == 1


@pytest.mark.parametrize("begins", [0, 0.5])
def test_the_login_waits_for_the_service_too(begins: float) -> None:
    service = Embedded.started()
    service.fault("503", begins=begins, lasts=60)
    assert seconds(service, lambda: service.client().list_all(LOCATION)) <= 80


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_the_service_says_when_to_come_again(form: str) -> None:
    service = Embedded.started()
    client = signed_in(service)
    service.fault("503", retry_after=40, retry_after_form=form, lasts=40, path="*")
    times = asked_at(service, lambda: client.list_all(LOCATION))
    assert times == pytest.approx([0, 40, 40], abs=1.5)


def test_an_outage_that_lasts_too_long_is_reported() -> None:
    service = Embedded.started()
    client = signed_in(service)
    service.fault("503")
    with pytest.raises(ServiceUnavailable) as caught:
        client.list_all(LOCATION)
    assert caught.value.message.startswith(
        f"GET {PREFIX}/locations: no answer. The service is down: it does not answer, and outage_wait is 300 seconds. "
        f"The last failure: GET {PREFIX}/users?page=1&per_page=1: HTTP 503, internal server error."
    )
    assert len(service.log) == 1 + 4 + 21
    # From now on each request is sent once, without waiting.
    assert seconds(service, lambda: _fails(client)) == 0
    service.gateway.faults.replace([])
    assert client.list_all(LOCATION)


def _fails(client: Client) -> None:
    with pytest.raises(ServiceUnavailable, match=r"not sent\. The service is down"):
        client.list_all(LOCATION)


def test_a_pause_that_is_longer_than_the_time_for_it_is_reported_at_once() -> None:
    service = Embedded.started()
    client = signed_in(service)
    client.transport.outage_wait = 60
    service.fault("503", retry_after=3600)
    with pytest.raises(ServiceUnavailable, match="it asks for a pause of 3600 seconds, and outage_wait is 60 seconds"):
        client.list_all(LOCATION)
    assert len(service.log) == 2


@pytest.mark.parametrize("fault", DOWN)
def test_without_time_for_outages_a_request_is_repeated_as_often_as_retries_say(fault: str) -> None:
    service = Embedded.started()
    client = signed_in(service)
    client.transport.outage_wait = 0
    service.fault(fault)
    assert seconds(service, lambda: _raises(client)) < 5


def _raises(client: Client) -> None:
    with pytest.raises(SeventhingsError):
        client.list_all(LOCATION)


def test_a_failing_path_is_not_an_outage() -> None:
    """Other paths work, so the request fails with its own error, without a pause."""
    service = Embedded.started()
    client = signed_in(service)
    service.fault("502_html", path="/locations")
    with pytest.raises(InternalError):
        client.list_all(LOCATION)
    assert service.clock.now() < 1010


def test_locks_are_released_during_an_outage() -> None:
    service = Embedded.started()
    client = signed_in(service)
    pauses: list[tuple[float, float]] = []

    @contextlib.contextmanager
    def pausing() -> Iterator[None]:
        began = service.clock.now()
        yield
        pauses.append((began, service.clock.now()))

    client.transport.pausing = pausing
    service.fault("503", lasts=50)
    client.list_all(LOCATION)
    assert [end - began for began, end in pauses] == [60]


@pytest.mark.parametrize(("pause", "is_released"), [(1, False), (5, False), (20, True)])
def test_a_short_pause_releases_no_lock(pause: int, is_released: bool) -> None:
    """Otherwise another process would take the lock, and create the record that this process is about to look up."""
    service = Embedded.started()
    client = signed_in(service)
    pauses: list[float] = []

    @contextlib.contextmanager
    def pausing() -> Iterator[None]:
        began = service.clock.now()
        yield
        pauses.append(service.clock.now() - began)

    client.transport.pausing = pausing
    service.fault("503", method="POST", path="/location", retry_after=pause, times=1)
    assert ensure(client, DesiredRecord(LOCATION, {"name": "Mill"})).changed
    assert pauses == ([pause] if is_released else [])


# ---- a set


class Set:
    """A set of locations on an instance. Time passes only when somebody sleeps."""

    def __init__(self, directory: Path, count: int) -> None:
        self.directory = directory
        self.service = Embedded.started()
        (directory / "files").mkdir()
        (directory / "files" / "instance.yml").write_text(SETTINGS)
        records = [{"name": f"Depot {number}"} for number in range(count)]
        (directory / "files" / "locations.yml").write_text(yaml_list(records))

    def run(self) -> RunResult:
        client = self.service.client()
        options = RunOptions(journal=self.directory, caps=Caps(limits={"create_percent": 1000}))
        return run_instance(client, load(self.directory / "files"), options, clock=self.service.clock.now)

    def depots(self) -> list[str]:
        found = [record.flat["name"] for record in self.service.client().list_all(LOCATION)]
        return sorted(name for name in found if name.startswith("Depot"))

    def posts(self) -> int:
        return self.service.log.count(("POST", f"{PREFIX}/location"))


@pytest.mark.parametrize("fault", DOWN)
def test_a_set_goes_on_after_an_outage(fault: str, tmp_path: Path) -> None:
    site = Set(tmp_path, 60)
    # The plan is complete, and some records were created.
    site.service.fault(fault, after=20, times=100, lasts=30)
    result = site.run()
    assert result.outcome == "changed", result.failures
    assert len(site.depots()) == len(set(site.depots())) == 60


@pytest.mark.parametrize("fault", DOWN)
def test_a_set_that_meets_a_long_outage_stops_and_is_resumed(fault: str, tmp_path: Path) -> None:
    site = Set(tmp_path, 60)
    site.service.fault(fault, after=20)
    began = site.service.clock.now()
    result = site.run()
    assert result.failed
    assert site.service.clock.now() - began < 400
    # The pending requests failed, and the rest was not sent.
    tried = [
        failure
        for failure in result.failures
        if not str(failure["reason"]).startswith("not sent, because of an earlier")
    ]
    assert len(tried) <= 20
    site.service.gateway.faults.replace([])
    assert site.run().outcome == "changed"
    assert len(site.depots()) == len(set(site.depots())) == 60


@pytest.mark.parametrize("fault", DOWN)
def test_a_service_that_loses_every_write_is_not_asked_for_hours(fault: str, tmp_path: Path) -> None:
    site = Set(tmp_path, 200)
    site.service.fault(fault, method="POST", path="/location")
    began = site.service.clock.now()
    result = site.run()
    assert result.failed
    assert site.posts() < 40
    assert site.service.clock.now() - began < 60
    reason = f"The service answered none of the last 10 requests POST {PREFIX}/location, though it answers others."
    assert any(reason in str(failure["reason"]) for failure in result.failures)
    site.service.gateway.faults.replace([])
    assert site.run().outcome == "changed"
    assert len(site.depots()) == len(set(site.depots())) == 200


def test_some_lost_writes_stop_nothing(tmp_path: Path) -> None:
    site = Set(tmp_path, 60)
    site.service.fault("502_html", method="POST", path="/location", probability=0.3)
    result = site.run()
    assert result.outcome in ("changed", "partly_applied")
    assert len(site.depots()) >= 50
    assert len(site.depots()) == len(set(site.depots()))


# ---- logins

BROKEN = ("not_json", "empty_body", "html_body", "half_body", "500", "502_html", "503", "reset_before", "reset_after")


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("times", [1, 3])
def test_a_broken_login_is_repeated(fault: str, times: int) -> None:
    service = Embedded.started()
    service.fault(fault, path="/auth_token", times=times)
    assert service.client().list_all(LOCATION)
    assert service.log.count(("POST", f"{PREFIX}/auth_token")) == times + 1


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_renewal_is_repeated(fault: str) -> None:
    service = Embedded.started()
    client = signed_in(service)
    refused = client.tokens.current()
    service.fault(fault, path="/auth_token", times=1)
    assert client.tokens.replace(refused) != refused
    assert service.log.count(("POST", f"{PREFIX}/auth_token")) == 3


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("path", [LOCATION.list_path, FILE.list_path])
def test_a_broken_list_is_read_again(fault: str, path: str) -> None:
    """An answer without a body is broken, too, and not an empty list."""
    service = Embedded.started()
    client = signed_in(service)
    service.fault(fault, path=path, times=3)
    assert client.read(path).body.strip()
    assert service.log.count(("GET", f"{PREFIX}{path}")) == 4
    service.fault(fault, path=path)
    with pytest.raises(SeventhingsError):
        client.read(path)


def test_wrong_credentials_are_never_repeated() -> None:
    service = Embedded.started()
    with pytest.raises(InvalidInput, match=r"Signing in as .* failed"):
        service.client(password="wrong-password").list_all(LOCATION)
    assert service.log == [("POST", f"{PREFIX}/auth_token")]


# ---- the pace


def sent_per_minute(service: Embedded, limit: int, number: int) -> float:
    """Return how many requests a minute are answered if many could be sent at once."""
    client = service.client()
    client.transport.rate = RateLimit(limit, service.clock.now, service.clock.forward)
    client.transport.rate.expect(number)
    token = client.tokens.current()
    began = service.clock.now()
    for _number in range(number):
        client.transport.request("GET", "/users", token=token, pairs=[("page", "1"), ("per_page", "1")])
    return 60 * number / (service.clock.now() - began)


@pytest.mark.sample(1)
@pytest.mark.parametrize(("share", "least"), [(0.0, 198), (0.05, 150), (0.15, 110)])
def test_stray_429_do_not_collapse_the_pace(share: float, least: float) -> None:
    service = Embedded.started()
    service.gateway.rate_limit = ServiceLimit(200, 10, service.clock)
    service.fault("429", probability=share, retry_after=1)
    assert sent_per_minute(service, 200, 1000) >= least


@pytest.mark.parametrize("allowed", [60, 120])
def test_a_lower_limit_than_expected_is_kept(allowed: int) -> None:
    service = Embedded.started()
    service.gateway.rate_limit = ServiceLimit(allowed, 10, service.clock)
    assert sent_per_minute(service, 200, 600) >= 0.9 * allowed
    refused = [request for request in service.requests() if request["status"] == 429]
    assert len(refused) < 70
