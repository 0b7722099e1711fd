# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Faults between the collection and the service: nothing is created twice, and nothing is lost silently.

The engine runs in this process, and pauses take no time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import steps
from emulator_process import Emulator
from playbook import Result

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.client.rate_limit import RateLimit

USER = "bernd.kowalski@nordhain.example"


@dataclass(frozen=True)
class Making:
    """A record that a module creates: the options, the request, and how the record is found afterwards."""

    module: str
    options: Mapping[str, Any]
    post: str
    filters: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.module


MAKINGS = (
    Making(
        "field_definition",
        {"template": "asset", "label": "Condition", "type": "TEXT"},
        "/asset-tracking/asset/field-definition",
        {"label": "Condition"},
        {"template": "asset"},
    ),
    Making("location", {"fields": {"name": "Mill", "city": "Halle"}}, "/location", {"name": "Mill"}),
    Making("room", {"fields": {"building_id": "Werkstatt", "number": "9"}}, "/room", {"number": "9"}),
    Making("person", {"fields": {"email": "ada@nordhain.example"}}, "/person", {"email": "ada@nordhain.example"}),
    Making("object", {"fields": {"barcode": "7", "inventory_name": "Drill"}}, "/object", {"barcode": "7"}),
    Making(
        "task",
        {
            "title": "Inspect",
            "deadline": "2031-05-31",
            "assignees": [USER],
            "references": ["100016"],
            "reminders": [{"unit": "days", "value": 1}],
        },
        "/task-management/task",
        {"title": "Inspect"},
    ),
    Making(
        "rental_case",
        {
            "title": "Fair",
            "references": ["100016"],
            "issue_date": "2031-05-05",
            "due_date": "2031-05-09",
            "responsible_user": USER,
            "renter": {"type": "plain", "value": "Weber"},
        },
        "/rental-management/rental-case",
        {"title": "Fair"},
    ),
)
ONCE = (
    Making(
        "user_from_person",
        {"person": "elif.yildiz@nordhain.example"},
        "/persons/create-user",
        {"email": "elif.yildiz@nordhain.example"},
    ),
    Making(
        "hub_item",
        {"object": "100007", "price": 500},
        "/circularity-hub/add-objects-to-circularity-hub",
        {"price": 500},
    ),
    Making("hub_order", {"items": ["100003"]}, "/circularity-hub/orders", {"total_price": 95}),
)
INFO = {"user_from_person": "user_info"}


@dataclass
class Desk:
    """A service, and calls of modules on it."""

    service: Emulator
    defaults: dict[str, Any]
    pauses: list[float] = field(default_factory=list)

    def connect(self, options: Mapping[str, Any], read_only: bool = False) -> Client:
        client: Client = connect(options, read_only)
        client.transport.sleep = self.pauses.append
        client.transport.rate = RateLimit(0, lambda: sum(self.pauses), self.pauses.append)
        return client

    def call(self, module: str, options: Mapping[str, Any], check_mode: bool = False) -> Result:
        """Call a module. Afterwards the log has only its requests."""
        self.service.clear_log()
        self.pauses.clear()
        return steps.call(module, {**self.defaults, **options}, check_mode, self.connect)

    def make(self, making: Making) -> Result:
        return self.call(making.module, making.options)

    def sent(self, method: str, path: str) -> list[dict[str, Any]]:
        """Return the requests of the last call."""
        return [
            entry for entry in self.service.log() if (entry["method"], entry["path"]) == (method, steps.PREFIX + path)
        ]

    def lines(self) -> list[str]:
        return [f"{entry['method']} {entry['path'].removeprefix(steps.PREFIX)}" for entry in self.service.log()]

    def found(self, making: Making) -> int:
        """Return the number of present records of a kind."""
        self.service.steer("DELETE", "/faults")
        module = INFO.get(making.module, f"{making.module}_info")
        listed = steps.call(module, {**self.defaults, "filters": dict(making.filters), **making.more})
        return int(listed["count"])

    def fault(self, fault: str, **rule: Any) -> None:
        self.service.steer("POST", "/faults", {"fault": fault, **rule})


@pytest.fixture
def desk(emulator: Emulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Desk:
    """Return the service in its initial state, and a token."""
    emulator.reset()
    monkeypatch.chdir(tmp_path)
    return Desk(emulator, steps.connection(emulator))


# ---- what is made


@pytest.mark.parametrize("fault", ["reset_after", "504_after", "half_body"])
@pytest.mark.parametrize("making", MAKINGS, ids=str)
def test_a_record_whose_answer_was_lost_is_adopted(desk: Desk, making: Making, fault: str) -> None:
    desk.fault(fault, method="POST", path=making.post)

    result = desk.make(making)

    assert not result.failed, result.data
    assert result["changed"]
    assert result["uuid"]
    assert len(desk.sent("POST", making.post)) == 1
    assert desk.found(making) == 1
    assert not desk.make(making)["changed"]


@pytest.mark.sample(10)
@pytest.mark.parametrize("fault", ["reset_before", "500", "502_html", "503"])
@pytest.mark.parametrize("making", MAKINGS, ids=str)
def test_a_record_that_was_not_created_is_sent_once_more(desk: Desk, making: Making, fault: str) -> None:
    desk.fault(fault, method="POST", path=making.post, times=1)

    result = desk.make(making)

    assert not result.failed, result.data
    assert result["changed"]
    assert len(desk.sent("POST", making.post)) == 2
    assert desk.found(making) == 1


@pytest.mark.parametrize("making", MAKINGS, ids=str)
def test_a_second_failure_is_the_error(desk: Desk, making: Making) -> None:
    desk.fault("500", method="POST", path=making.post)

    result = desk.make(making)

    assert result.failed
    assert "HTTP 500" in result["msg"]
    assert "Internal server error" in result["msg"]
    assert len(desk.sent("POST", making.post)) == 2
    assert desk.found(making) == 0


def test_two_records_after_a_lost_answer_are_an_error(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another controller creates the same record at the same time. It shares nothing with this controller."""
    making = MAKINGS[1]
    client = desk.connect(desk.defaults)
    original = client.create

    def create_with_a_rival(*arguments: Any, **named: Any) -> str:
        monkeypatch.setenv("SEVENTHINGS_RUNTIME_DIR", str(tmp_path / "other"))
        steps.call("location", {**desk.defaults, "fields": {"name": "Rival"}})
        rival = steps.call("location_info", {**desk.defaults, "filters": {"name": "Rival"}})["records"][0]["uuid"]
        steps.call("location", {**desk.defaults, "uuid": rival, "fields": {"name": "Mill"}})
        desk.fault("504_after", method="POST", path="/location", times=1)
        return str(original(*arguments, **named))

    client.create = create_with_a_rival  # type: ignore[method-assign]

    result = steps.call("location", {**desk.defaults, **making.options}, client_of=lambda _options, _check: client)

    assert result.failed
    assert "2 new locations have the natural key" in result["msg"]


@pytest.mark.parametrize("making", ONCE, ids=str)
@pytest.mark.parametrize("fault", ["reset_after", "504_after", "half_body"])
def test_what_is_never_sent_twice_is_found_after_a_lost_answer(desk: Desk, making: Making, fault: str) -> None:
    desk.fault(fault, method="POST", path=making.post)

    result = desk.make(making)

    assert not result.failed, result.data
    assert result["changed"]
    assert len(desk.sent("POST", making.post)) == 1
    assert desk.found(making) == 1
    assert not desk.make(making)["changed"]


@pytest.mark.parametrize("making", ONCE, ids=str)
@pytest.mark.parametrize("fault", ["reset_before", "500", "502_html", "503"])
def test_what_is_never_sent_twice_is_not_sent_twice(desk: Desk, making: Making, fault: str) -> None:
    desk.fault(fault, method="POST", path=making.post)

    result = desk.make(making)

    assert result.failed
    assert "not sent again" in result["msg"]
    assert len(desk.sent("POST", making.post)) == 1
    assert desk.found(making) == 0


@pytest.mark.parametrize("making", ONCE, ids=str)
def test_too_many_requests_means_that_it_was_not_taken(desk: Desk, making: Making) -> None:
    desk.fault("429", method="POST", path=making.post, times=2, retry_after=1)

    result = desk.make(making)

    assert not result.failed, result.data
    assert [entry["status"] for entry in desk.sent("POST", making.post)] == [429, 429, 201]
    assert desk.found(making) == 1


@pytest.mark.parametrize("fault", ["reset_after", "504_after", "reset_before", "half_body"])
def test_a_file_is_uploaded_once(desk: Desk, tmp_path: Path, fault: str) -> None:
    (tmp_path / "manual.txt").write_text("Switch it on.")
    before = steps.call("file_info", desk.defaults)["count"]
    desk.fault(fault, method="POST", path="/file", times=1)

    done = desk.call("object", {"fields": {"barcode": "100001", "documents": ["manual.txt"]}})

    assert len(desk.sent("POST", "/file")) == 1
    if fault == "reset_before":
        assert "was not sent again" in done["msg"]
        return
    assert not done.failed, done.data
    assert steps.call("file_info", desk.defaults)["count"] == before + 1
    assert len(done["record"]["documents"]) == 1


@pytest.mark.parametrize("fault", ["reset_after", "504_after", "reset_before", "500"])
@pytest.mark.parametrize("state", ["present", "absent"])
def test_a_file_is_linked_once(desk: Desk, tmp_path: Path, fault: str, state: str) -> None:
    (tmp_path / "manual.txt").write_text("Switch it on.")
    options = {"object": "100001", "field": "documents", "path": "manual.txt"}
    if state == "absent":
        desk.call("file", options)
    desk.fault(fault, method="POST", path="/object/*-file", times=1)

    done = desk.call("file", {**options, "state": state})

    assert not done.failed, done.data
    assert done["changed"]
    assert not desk.call("file", {**options, "state": state})["changed"]


@pytest.mark.parametrize("fault", ["reset_after", "504_after", "reset_before", "500"])
@pytest.mark.parametrize("repeat", ["accept", "refuse"])
def test_archiving_reads_the_record_before_it_is_sent_again(desk: Desk, fault: str, repeat: str) -> None:
    desk.service.steer("PUT", "/switches", {"archive_repeat": repeat})
    found = steps.call("object_info", {**desk.defaults, "filters": {"barcode": "100001"}})
    desk.fault(fault, method="POST", path="/object/*/archive", times=1)
    desk.fault(fault, method="POST", path="/object/*/unarchive", times=1)

    archived = desk.call("object", {"uuid": found["records"][0]["uuid"], "state": "archived"})
    again = desk.call("object", {"uuid": found["records"][0]["uuid"], "state": "archived"})
    back = desk.call("object", {"uuid": found["records"][0]["uuid"]})

    assert [archived["changed"], again["changed"], back["changed"]] == [True, False, True], (archived, back)


@pytest.mark.parametrize("fault", ["reset_before", "reset_after", "500", "502_html", "503", "504_after", "half_body"])
def test_a_change_and_a_deletion_are_repeated(desk: Desk, fault: str) -> None:
    steps.call("location", {**desk.defaults, "fields": {"name": "Mill", "city": "Halle"}})
    desk.fault(fault, method="PATCH", times=1)
    desk.fault(fault, method="DELETE", times=1)

    changed = desk.call("location", {"fields": {"name": "Mill", "city": "Bremen"}})
    deleted = desk.call("location", {"fields": {"name": "Mill"}, "state": "absent"})

    assert changed["record"]["city"] == "Bremen", changed
    assert deleted["changed"], deleted
    assert desk.found(MAKINGS[1]) == 0


# ---- what is read


@pytest.mark.parametrize("fault", ["500", "502_html", "503", "reset_before", "reset_after", "half_body", "not_json"])
def test_reading_is_repeated_and_counted(desk: Desk, fault: str) -> None:
    desk.fault(fault, method="GET", times=2)

    found = desk.call("location_info", {})

    assert not found.failed, found.data
    assert found["count"] == 4
    assert found["requests"] == 3
    assert len(desk.service.log()) == 3
    assert len(desk.pauses) == 2


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("500", "HTTP 500, internal server error"),
        ("502_html", 'HTTP 502, internal server error. The service says: "502 Bad Gateway'),
        ("503", "HTTP 503"),
        ("403", "HTTP 403, the signed-in user is not permitted to do this"),
        ("406", "HTTP 406, the requested representation has no acceptable format"),
        ("422", "HTTP 422, the requested entry is not processable"),
        ("429", "HTTP 429, too many requests"),
        ("reset_before", "the exchange with 127.0.0.1"),
        ("half_body", "GET /customer-api/v1/locations"),
        ("not_json", "the answer is not JSON; it starts with"),
    ],
)
def test_an_error_of_every_attempt_names_the_request_and_the_answer(desk: Desk, fault: str, words: str) -> None:
    desk.fault(fault, method="GET", path="/locations")

    found = desk.call("location_info", {})

    assert found.failed
    assert words in found["msg"]
    assert "GET /customer-api/v1/locations" in found["msg"]
    if fault == "429":
        # The client waits until a time limit, not for a number of attempts.
        assert 200 < sum(desk.pauses) < 400
    else:
        # Four attempts, and one request that checks whether the service is down.
        is_outage = fault in ("502_html", "503", "reset_before")
        assert found["requests"] == (1 if fault in ("403", "406", "422") else 5 if is_outage else 4)


def test_nothing_is_repeated_with_zero_retries(desk: Desk) -> None:
    desk.fault("503", method="GET", times=1)

    found = desk.call("location_info", {"tuning": {"retries": 0}})

    assert found.failed
    assert found["requests"] == 1


@pytest.mark.parametrize(
    ("rule", "pauses"),
    [
        ({"retry_after": 0}, []),
        ({"retry_after": 1}, [1.0]),
        ({"retry_after_form": "none"}, [0.25]),
    ],
)
def test_the_service_says_when_to_come_again(desk: Desk, rule: dict[str, Any], pauses: list[float]) -> None:
    desk.fault("429", times=1, **rule)

    found = desk.call("location_info", {})

    assert not found.failed, found.data
    assert desk.pauses == pytest.approx(pauses, abs=0.3)


def test_a_pause_longer_than_anybody_waits_is_an_error_at_once(desk: Desk) -> None:
    desk.fault("429", times=1, retry_after=3000)

    found = desk.call("location_info", {})

    assert found.failed
    assert "3000 seconds" in found["msg"]
    assert (desk.pauses, found["requests"]) == ([], 1)


def test_the_service_may_say_it_as_a_date(desk: Desk) -> None:
    desk.fault("429", times=1, retry_after=30, retry_after_form="date")

    desk.call("location_info", {})

    # Slightly more, so that not all clients come back at once.
    assert desk.pauses == pytest.approx([32], abs=4)


def test_no_answer_in_time(desk: Desk) -> None:
    desk.fault("latency", method="GET", path="/locations", seconds=0.5)

    found = desk.call("location_info", {"timeout": 0.1, "tuning": {"retries": 0}})

    assert found.failed
    assert "no answer within 0.1 seconds" in found["msg"]


# ---- tokens


def test_a_token_that_expires_half_way_is_renewed_once(desk: Desk) -> None:
    desk.defaults |= desk.service.account()
    desk.fault("401", method="POST", path="/object", times=1)

    result = desk.make(MAKINGS[4])

    assert not result.failed, result.data
    # The created record is read back by its key, which would show a duplicate from another controller.
    assert desk.lines()[-4:] == ["POST /object", "POST /auth_token", "POST /object", "GET /objects"]
    assert desk.found(MAKINGS[4]) == 1


def test_a_refresh_token_takes_precedence_over_the_password(desk: Desk) -> None:
    token = steps.call("auth_token", {**desk.defaults, **desk.service.account()})
    desk.defaults |= {
        **desk.service.account(),
        "access_token": token["access_token"],
        "refresh_token": token["refresh_token"],
    }
    desk.service.steer("POST", "/tokens/expire", {})

    found = desk.call("location_info", {})

    assert not found.failed, found.data
    assert [entry["body"]["grant_type"] for entry in desk.sent("POST", "/auth_token")] == ["refresh_token"]
    assert found["requests"] == 3


def test_where_the_refresh_token_is_refused_the_password_is_used(desk: Desk) -> None:
    desk.service.steer("PUT", "/switches", {"refresh_token": "refuse"})
    desk.defaults |= {**desk.service.account(), "access_token": "expired", "refresh_token": "refused"}

    found = desk.call("location_info", {})

    assert not found.failed, found.data
    grants = [entry["body"]["grant_type"] for entry in desk.sent("POST", "/auth_token")]
    assert grants == ["refresh_token", "password"]


def test_nothing_to_renew_a_token_with(desk: Desk) -> None:
    desk.service.steer("POST", "/tokens/expire", {})

    found = desk.call("location_info", {})

    assert found.failed
    assert "The access token was refused (HTTP 401" in found["msg"]
    assert "username, password and client_id" in found["msg"]


def test_a_token_that_is_refused_again_after_a_login_is_the_error(desk: Desk) -> None:
    desk.defaults |= desk.service.account()
    desk.fault("401", method="GET", path="/locations")

    found = desk.call("location_info", {})

    assert found.failed
    assert "HTTP 401, the access token is missing or invalid" in found["msg"]
    assert desk.lines() == ["GET /locations", "POST /auth_token", "GET /locations"]


def test_a_token_is_renewed_before_it_expires(desk: Desk) -> None:
    """It is renewed if less than a tenth of its life is left, so no request is refused."""
    desk.service.steer("PUT", "/settings", {"access_token_seconds": 100})
    client = desk.connect({**desk.defaults, "access_token": None, **desk.service.account()})
    desk.service.clear_log()
    clock = [0.0]
    client.tokens._clock = lambda: clock[0]

    for moment in (0.0, 50.0, 95.0):
        clock[0] = moment
        client.send("GET", "/locations")

    assert [line for line in desk.lines() if "auth_token" in line] == ["POST /auth_token", "POST /auth_token"]
    assert all(entry["status"] in (200, 201) for entry in desk.service.log())


# ---- rights and modules


@pytest.mark.parametrize(("module", "off"), [("rental_case_info", "rental"), ("hub_item_info", "hub")])
def test_a_module_that_is_off_is_distinguished_from_missing_rights(desk: Desk, module: str, off: str) -> None:
    desk.service.steer("PUT", "/settings", {"modules_off": [off]})
    user = desk.service.steer("POST", "/users", {"rights": []})
    nobody = {**desk.service.account(), "access_token": None, **{k: user[k] for k in ("username", "password")}}

    switched_off = desk.call(module, {})
    desk.service.steer("PUT", "/settings", {"modules_off": []})
    not_permitted = desk.call(module, nobody)

    assert "this module is switched off on the instance" in switched_off["msg"]
    assert "the signed-in user is not permitted to do this" in not_permitted["msg"]


def test_the_state_of_the_service(desk: Desk) -> None:
    desk.service.steer("PUT", "/settings", {"modules_off": ["hub"]})

    state = desk.call("service_info", {"access_token": None, **desk.service.account()})

    assert state["modules"] == {"rental": True, "hub": False}
    assert state["user"]["email"] == "operator@instance.invalid"
