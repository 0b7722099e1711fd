# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Faults by rule: what the client sees, and what was carried out."""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime

import pytest
import requests

from .bodies import code
from .support import Api, Steering

PLAIN = ["401", "403", "406", "422", "500", "503"]
# the fault, whether the request is carried out
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
    made = unjudged.create_location()
    steering.fault(method="DELETE", path="/location/*", fault="reset_after", times=1)
    with pytest.raises(requests.ConnectionError):
        unjudged.delete(f"/location/{made}")
    assert unjudged.delete(f"/location/{made}").status_code == 404


def test_half_a_body(unjudged: Api, steering: Steering) -> None:
    whole = unjudged.get("/objects")
    steering.fault(path="/objects", fault="half_body")
    with pytest.raises((requests.ConnectionError, requests.exceptions.ChunkedEncodingError, ValueError)):
        # a client that does not notice the broken connection notices the broken text
        unjudged.get("/objects").json()
    steering.call("DELETE", "/faults")
    assert unjudged.get("/objects").json() == whole.json()


def test_body_that_is_not_json(unjudged: Api, steering: Steering) -> None:
    steering.fault(path="/objects", fault="not_json")
    response = unjudged.get("/objects")
    assert response.status_code == 200
    with pytest.raises(ValueError, match=r".*"):
        json.loads(response.content)


def test_latency_goes_on_with_the_next_rule(unjudged: Api, steering: Steering) -> None:
    steering.call("PUT", "/faults", [{"fault": "latency", "seconds": 0.2}, {"fault": "503", "path": "/rooms"}])
    slow = unjudged.get("/objects")
    assert slow.status_code == 200
    assert slow.elapsed.total_seconds() >= 0.2
    refused = unjudged.get("/rooms")
    assert refused.status_code == 503
    assert refused.elapsed.total_seconds() >= 0.2


# which requests a rule meets


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


def test_faults_go_away_with_reset_of_the_rules(unjudged: Api, steering: Steering) -> None:
    steering.fault(fault="503")
    assert unjudged.get("/objects", f"x={code()}").status_code == 503
    steering.call("DELETE", "/faults")
    assert unjudged.get("/objects").status_code == 200
