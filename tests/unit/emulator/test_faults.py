# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Faults by rule: the view of the client, and the effect on the data."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest
import requests

from .bodies import code, definition
from .support import Api, Steering, running

PLAIN = ["401", "403", "406", "422", "500", "503"]
# The fault, and whether the request is carried out.
BROKEN = [("reset_before", False), ("reset_after", True)]


@pytest.mark.parametrize("fault", PLAIN)
def test_status(unjudged: Api, steering: Steering, fault: str) -> None:
    steering.fault(path="/objects", fault=fault)
    response = unjudged.get("/objects")
    assert response.status_code == int(fault)
    assert response.json()["message"]
    assert unjudged.get("/rooms").status_code == 200


@pytest.mark.parametrize("fault", [*PLAIN, "429", "502_html"])
def test_refused_request_is_not_carried_out(unjudged: Api, steering: Steering, fault: str) -> None:
    before = unjudged.count("/locations")
    steering.fault(method="POST", path="/location", fault=fault)
    assert unjudged.post("/location", {"name": "x"}).status_code == int(fault[:3])
    steering.call("DELETE", "/faults")
    assert unjudged.count("/locations") == before


def test_expired_token_of_a_fault_can_be_renewed(unjudged: Api, steering: Steering) -> None:
    steering.fault(path="/users", fault="401", times=1)
    assert unjudged.get("/users").status_code == 401
    renewed = unjudged.grant(grant_type="refresh_token", refresh_token=unjudged.tokens["refresh_token"])
    assert renewed.status_code == 200
    assert unjudged.get("/users", token=renewed.json()["access_token"]).status_code == 200


def test_bad_gateway_is_html(unjudged: Api, steering: Steering) -> None:
    steering.fault(fault="502_html")
    response = unjudged.get("/objects")
    assert response.status_code == 502
    assert response.headers["Content-Type"].startswith("text/html")
    assert "<html" in response.text.lower()


def test_retry_after_in_seconds(unjudged: Api, steering: Steering) -> None:
    steering.fault(fault="429", retry_after=7, retry_after_form="seconds")
    response = unjudged.get("/objects")
    assert (response.status_code, response.headers["Retry-After"]) == (429, "7")


def test_retry_after_as_a_date(unjudged: Api, steering: Steering) -> None:
    steering.fault(fault="429", retry_after=60, retry_after_form="date")
    response = unjudged.get("/objects")
    later = parsedate_to_datetime(response.headers["Retry-After"])
    now = parsedate_to_datetime(response.headers["Date"])
    assert 50 <= (later - now).total_seconds() <= 70


def test_no_retry_after(unjudged: Api, steering: Steering) -> None:
    steering.fault(fault="429", retry_after_form="none")
    assert "Retry-After" not in unjudged.get("/objects").headers


@pytest.mark.parametrize(("fault", "carried_out"), BROKEN)
def test_broken_connection(unjudged: Api, steering: Steering, fault: str, carried_out: bool) -> None:
    before = unjudged.count("/locations")
    steering.fault(method="POST", path="/location", fault=fault, times=1)
    with pytest.raises(requests.ConnectionError):
        unjudged.post("/location", {"name": "x"})
    assert unjudged.count("/locations") == before + carried_out


def test_lost_answer(unjudged: Api, steering: Steering) -> None:
    before = unjudged.count("/locations")
    steering.fault(method="POST", path="/location", fault="504_after", times=1)
    assert unjudged.post("/location", {"name": "x"}).status_code == 504
    assert unjudged.count("/locations") == before + 1


def test_lost_delete(unjudged: Api, steering: Steering) -> None:
    created = unjudged.create_location()
    steering.fault(method="DELETE", path="/location/*", fault="reset_after", times=1)
    with pytest.raises(requests.ConnectionError):
        unjudged.delete(f"/location/{created}")
    assert unjudged.delete(f"/location/{created}").status_code == 404


def test_half_a_body(unjudged: Api, steering: Steering) -> None:
    whole = unjudged.get("/objects")
    steering.fault(path="/objects", fault="half_body")
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError, ValueError)):
        # A client that does not notice the broken connection notices the truncated text.
        unjudged.get("/objects").json()
    steering.call("DELETE", "/faults")
    assert unjudged.get("/objects").json() == whole.json()


def test_body_that_is_not_json(unjudged: Api, steering: Steering) -> None:
    steering.fault(path="/objects", fault="not_json")
    response = unjudged.get("/objects")
    assert response.status_code == 200
    with pytest.raises(ValueError, match=r".*"):
        json.loads(response.content)


@pytest.mark.parametrize(("fault", "media"), [("empty_body", "application/json"), ("html_body", "text/html")])
def test_answer_with_nothing_useful(unjudged: Api, steering: Steering, fault: str, media: str) -> None:
    before = unjudged.count("/locations")
    steering.fault(path="/location*", fault=fault)
    for answer in (unjudged.get("/locations"), unjudged.post("/location", {"name": "x"})):
        assert (answer.status_code // 100, answer.headers["Content-Type"]) == (2, media)
        assert ("Please sign in" in answer.text) == (fault == "html_body")
    steering.call("DELETE", "/faults")
    assert unjudged.count("/locations") == before + 1


@pytest.mark.parametrize("fault", ["not_json", "empty_body", "html_body", "half_body"])
@pytest.mark.parametrize("grant_type", ["password", "refresh_token"])
def test_broken_login(unjudged: Api, steering: Steering, fault: str, grant_type: str) -> None:
    """The token was issued, but the answer can't be read."""
    steering.fault(path="/auth_token", fault=fault, times=1)
    refresh = {"grant_type": grant_type, "refresh_token": unjudged.tokens["refresh_token"]}
    about = {"grant_type": grant_type, "username": unjudged.about["username"], "password": unjudged.about["password"]}
    fields = refresh if grant_type == "refresh_token" else about
    with pytest.raises((ValueError, requests.RequestException)):
        unjudged.grant(**fields).json()
    assert unjudged.grant(**fields).json()["access_token"]


@pytest.mark.parametrize(("form", "expected"), [("seconds", "20"), ("date", "GMT"), ("none", "")])
def test_unavailable_for_some_time(unjudged: Api, steering: Steering, form: str, expected: str) -> None:
    """A maintenance window: every request is 503 until it is over."""
    steering.fault(fault="503", begins=5, lasts=20, retry_after=20, retry_after_form=form)
    assert unjudged.get("/objects").status_code == 200
    steering.call("POST", "/forward", {"seconds": 5})
    for answer in (unjudged.get("/objects"), unjudged.post("/location", {"name": "x"})):
        assert answer.status_code == 503
        assert answer.headers.get("Retry-After", "").endswith(expected)
    steering.call("POST", "/forward", {"seconds": 20})
    assert unjudged.get("/objects").status_code == 200


def test_unavailable_without_a_word(unjudged: Api, steering: Steering) -> None:
    steering.fault(fault="503")
    assert "Retry-After" not in unjudged.get("/objects").headers


@pytest.mark.parametrize(
    ("answer", "status", "body"),
    [
        ("claimed", 200, "Changed"),
        ("unchanged", 200, "Before"),
        ("200", 200, None),
        ("202", 202, None),
        ("204", 204, None),
    ],
)
def test_change_without_effect(unjudged: Api, steering: Steering, answer: str, status: int, body: str | None) -> None:
    path = f"/location/{unjudged.create_location(name='Before')}"
    steering.fault(method="PATCH", fault="no_effect", answer=answer, times=1)
    before = steering.dump()
    changed = unjudged.patch(path, {"name": "Changed"})
    assert changed.status_code == status
    assert (changed.json().get("name") if changed.content else None) == body
    assert steering.dump() == before
    assert unjudged.patch(path, {"name": "Changed"}).status_code == 200
    assert unjudged.read(path)["name"] == "Changed"


def test_creation_without_effect(unjudged: Api, steering: Steering) -> None:
    """The answer names a record that does not exist."""
    steering.fault(method="POST", path="/location", fault="no_effect")
    answer = unjudged.post("/location", {"name": "x"})
    assert answer.status_code == 201
    assert unjudged.get(f"/location/{answer.headers['Location-UUID']}").status_code == 404
    assert unjudged.post("/location", {"city": 7}).status_code == 400


def test_new_field_without_effect(unjudged: Api, steering: Steering) -> None:
    steering.fault(method="POST", fault="no_effect", times=1)
    before = steering.dump()
    assert unjudged.post("/asset-tracking/asset/field-definition", definition("TEXT")).status_code == 201
    assert steering.dump() == before
    assert unjudged.create_object()


# Commits that take effect late


LATE = {"504_late": 504, "502_late": 502, "reset_late": None}


def late(api: Api, method: str, path: str, body: Any = None) -> int | None:
    """Return the status of a request that is carried out later; None for a reset."""
    try:
        return api.request(method, path, json=body).status_code
    except requests.ConnectionError:
        return None


@pytest.mark.parametrize(("fault", "status"), LATE.items())
def test_late_commit(unjudged: Api, steering: Steering, fault: str, status: int | None) -> None:
    before = unjudged.count("/locations")
    steering.fault(method="POST", path="/location", fault=fault, commit_after=25, times=1)
    assert late(unjudged, "POST", "/location", {"name": "x"}) == status
    assert unjudged.count("/locations") == before
    (entry,) = [entry for entry in steering.log() if entry["path"].endswith("/location")]
    assert (entry["status"], entry["fault"], entry["carried_out"]) == (status, fault, None)
    steering.call("POST", "/forward", {"seconds": 26})
    assert unjudged.count("/locations") == before + 1
    (entry,) = [entry for entry in steering.log() if entry["path"].endswith("/location")]
    assert entry["carried_out"]["status"] == 201
    waited = datetime.fromisoformat(entry["carried_out"]["time"]) - datetime.fromisoformat(entry["time"])
    assert waited.total_seconds() == pytest.approx(25, abs=0.01)


def test_late_commits_come_in_the_order_in_which_they_are_due(unjudged: Api, steering: Steering) -> None:
    path = f"/location/{unjudged.create_location(name='Before')}"
    for name, seconds in (("Last", 20), ("First", 10)):
        steering.call("PUT", "/faults", [{"method": "PATCH", "fault": "504_late", "commit_after": seconds}])
        unjudged.patch(path, {"name": name})
    steering.call("POST", "/forward", {"seconds": 15})
    assert unjudged.read(path)["name"] == "First"
    steering.call("POST", "/forward", {"seconds": 15})
    assert unjudged.read(path)["name"] == "Last"


def test_late_commit_that_has_become_impossible(unjudged: Api, steering: Steering) -> None:
    path = f"/location/{unjudged.create_location()}"
    steering.call("PUT", "/faults", [{"method": "PATCH", "fault": "504_late", "commit_after": 10}])
    unjudged.patch(path, {"name": "Changed"})
    assert unjudged.delete(path).status_code == 204
    steering.call("POST", "/forward", {"seconds": 15})
    assert unjudged.get(path).status_code == 404
    assert [entry["carried_out"]["status"] for entry in steering.log() if entry["method"] == "PATCH"] == [404]


def test_late_commit_outlives_the_token(unjudged: Api, steering: Steering) -> None:
    """The client was signed in when the request arrived."""
    before = unjudged.count("/locations")
    steering.fault(method="POST", path="/location", fault="504_late", commit_after=10)
    unjudged.post("/location", {"name": "x"})
    steering.call("POST", "/tokens/expire")
    steering.call("POST", "/forward", {"seconds": 15})
    unjudged.sign_in()
    assert unjudged.count("/locations") == before + 1


@pytest.mark.parametrize(("method", "body"), [("GET", None), ("POST", [])])
def test_nothing_to_commit(unjudged: Api, steering: Steering, method: str, body: Any) -> None:
    """This holds for reads, and for requests that are refused at once."""
    steering.fault(path="/location*", fault="504_late", commit_after=10)
    path = "/locations" if method == "GET" else "/location"
    assert late(unjudged, method, path, body) == 504
    assert "carried_out" not in steering.log()[-1]


def test_late_commit_is_dropped_by_a_reset(unjudged: Api, steering: Steering) -> None:
    steering.fault(method="POST", path="/location", fault="504_late", commit_after=10)
    unjudged.post("/location", {"name": "x"})
    steering.clear()
    before = steering.dump(canonical=True)
    steering.call("POST", "/forward", {"seconds": 15})
    assert steering.dump(canonical=True) == before


def test_late_commit_without_further_requests(tmp_path: Path) -> None:
    """Due commits are kept when the process is killed."""
    with running(db=str(tmp_path / "db.sqlite3"), data="empty") as emulator:
        steering = Steering(emulator.about)
        client = Api(emulator.about, steering, judge=False)
        client.sign_in()
        steering.fault(method="POST", path="/location", fault="504_late", commit_after=0.05)
        client.post("/location", {"name": "x"})
        deadline = time.monotonic() + 30
        while not _committed(tmp_path / "db.sqlite3"):
            assert time.monotonic() < deadline
        emulator.kill()
        emulator.start()
        assert len(Steering(emulator.about).dump()["locations"]) == 1


def _committed(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as db:
        return int(db.execute("SELECT count(*) FROM location").fetchone()[0])


def test_client_that_does_not_wait(unjudged: Api, steering: Steering) -> None:
    """The answer comes after some seconds, and the commit later."""
    before = unjudged.count("/locations")
    steering.fault(method="POST", path="/location", fault="504_late", seconds=0.3, commit_after=20)
    with pytest.raises(requests.ReadTimeout):
        unjudged.session.post(
            unjudged.url("/location"),
            json={"name": "x"},
            headers={"Authorization": f"Bearer {unjudged.tokens['access_token']}"},
            timeout=0.05,
        )
    # The request is logged when its answer is due, before or after the test counts.
    while not any(entry["method"] == "POST" and entry["path"].endswith("/location") for entry in steering.log()):
        assert unjudged.count("/locations") == before
    steering.call("POST", "/forward", {"seconds": 20})
    assert unjudged.count("/locations") == before + 1


def test_latency_goes_on_with_the_next_rule(unjudged: Api, steering: Steering) -> None:
    steering.call("PUT", "/faults", [{"fault": "latency", "seconds": 0.2}, {"fault": "503", "path": "/rooms"}])
    slow = unjudged.get("/objects")
    assert slow.status_code == 200
    assert slow.elapsed.total_seconds() >= 0.2
    refused = unjudged.get("/rooms")
    assert refused.status_code == 503
    assert refused.elapsed.total_seconds() >= 0.2


# The requests that a rule matches


def statuses(api: Api, *paths: str) -> list[int]:
    return [api.get(path).status_code for path in paths]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({}, [503, 503, 503]),
        ({"path": "/objects"}, [503, 200, 200]),
        ({"path": "/objects*"}, [503, 503, 200]),
        ({"path": "/obj*"}, [503, 503, 200]),
        ({"path": "/*"}, [503, 503, 503]),
        ({"path": "/rooms", "method": "GET"}, [200, 200, 503]),
        ({"path": "/rooms", "method": "POST"}, [200, 200, 200]),
        ({"probability": 0}, [200, 200, 200]),
        ({"probability": 1}, [503, 503, 503]),
        ({"times": 2}, [503, 503, 200]),
        ({"after": 1}, [200, 503, 503]),
        ({"after": 1, "times": 1}, [200, 503, 200]),
        ({"after": 3}, [200, 200, 200]),
    ],
    ids=str,
)
def test_rule(unjudged: Api, steering: Steering, rule: dict[str, str], expected: list[int]) -> None:
    steering.fault(**rule, fault="503")
    assert statuses(unjudged, "/objects", "/objects/count", "/rooms") == expected


def test_first_rule_with_times_left_acts(unjudged: Api, steering: Steering) -> None:
    rules = [{"fault": "500", "times": 1}, {"fault": "503", "times": 1}, {"fault": "422", "path": "/rooms"}]
    steering.call("PUT", "/faults", rules)
    assert statuses(unjudged, *["/rooms"] * 4) == [500, 503, 422, 422]


def test_probability(unjudged: Api, steering: Steering) -> None:
    steering.fault(fault="503", probability=0.5)
    found = statuses(unjudged, *["/locations/count"] * 200)
    assert 40 <= found.count(503) <= 160


def test_a_seed_brings_the_same_chances_again(unjudged: Api, steering: Steering) -> None:
    found = []
    for seed in ("1", "1", "2"):
        steering.call("PUT", f"/faults?seed={seed}", [{"fault": "503", "probability": 0.5}])
        found.append(statuses(unjudged, *["/locations/count"] * 40))
    assert found[0] == found[1] != found[2]


def test_steering_has_no_faults(unjudged: Api, steering: Steering) -> None:
    steering.fault(fault="reset_before")
    assert steering.log() is not None
    steering.call("DELETE", "/faults")
    assert unjudged.get("/users").status_code == 200


def test_log_shows_requests_with_faults(unjudged: Api, steering: Steering) -> None:
    steering.call("DELETE", "/requests")
    steering.fault(path="/objects", fault="503")
    unjudged.get("/objects")
    assert [entry["status"] for entry in steering.log()] == [503]


def test_faults_end_when_the_rules_are_reset(unjudged: Api, steering: Steering) -> None:
    steering.fault(fault="503")
    assert unjudged.get("/objects", f"x={code()}").status_code == 503
    steering.call("DELETE", "/faults")
    assert unjudged.get("/objects").status_code == 200
