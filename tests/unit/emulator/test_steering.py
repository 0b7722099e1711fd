# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The calls below ``/_emulator``, and how the service starts and ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from .bodies import JsonMap, asset, code, definition
from .judge import EMULATOR, PREFIX
from .support import Api, Emulator, Steering, running

# the log


def test_log(api: Api, steering: Steering) -> None:
    steering.call("DELETE", "/requests")
    created = api.create_object(inventory_name="Logged", barcode="LOG-1")
    api.get("/objects", "per_page=1&filter[barcode][eq]=LOG-1")
    api.get("/object/nonsense")
    entries = steering.log()
    assert [(entry["method"], entry["path"], entry["status"]) for entry in entries] == [
        ("POST", f"{PREFIX}/object", 201),
        ("GET", f"{PREFIX}/objects", 200),
        ("GET", f"{PREFIX}/object/nonsense", 400),
    ]
    assert created
    assert "Logged" in json.dumps(entries[0]["body"])
    assert "LOG-1" in json.dumps(entries[1]["query"])
    assert all("time" in entry for entry in entries)


def test_log_hides_credentials(api: Api, steering: Steering) -> None:
    user = steering.user()
    sso = steering.call("POST", "/sso-codes", {})
    secrets = [
        api.tokens["access_token"],
        api.tokens["refresh_token"],
        api.about["password"],
        user["password"],
        sso["auth_code"],
    ]
    api.grant(grant_type="refresh_token", refresh_token=api.tokens["refresh_token"])
    api.grant(grant_type="sso_auth_code", **sso)
    form = {"grant_type": "password", "username": user["username"], "password": user["password"], "client_id": "x"}
    api.session.post(api.url("/auth_token"), data=form, timeout=30)
    api.session.post(api.url("/auth_token"), data=b'{"password": "' + user["password"].encode() + b'"', timeout=30)
    api.sign_in(**user)
    secrets += [api.tokens["access_token"], api.tokens["refresh_token"]]
    log = json.dumps(steering.log())
    assert "/auth_token" in log
    assert [secret for secret in secrets if secret in log] == []


def test_log_can_be_cleared(api: Api, steering: Steering) -> None:
    api.get("/users")
    assert steering.log()
    steering.call("DELETE", "/requests")
    assert steering.log() == []


def test_a_request_from_before_the_log_was_cleared_is_not_in_it() -> None:
    """On a busy machine it may be answered after the log was cleared."""
    program = (
        "import sys\n"
        f"sys.path.insert(0, {str(EMULATOR)!r})\n"
        "from datetime import UTC, datetime\n"
        "from embedded.journal import Journal\n"
        "from embedded.messages import Call\n"
        "journal, before = Journal(lambda: datetime.now(UTC)), datetime.now(UTC)\n"
        "journal.clear()\n"
        "for path, started in (('/before', before), ('/after', datetime.now(UTC))):\n"
        "    journal.note(Call('GET', path, '', {}, b'', ''), 200, started, 0.0, None)\n"
        "print(journal.as_json().decode())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=60)
    assert [entry["path"] for entry in json.loads(done.stdout)] == ["/after"]


def test_steering_is_not_logged(steering: Steering) -> None:
    steering.switches()
    steering.mails()
    assert steering.log() == []


def test_refused_requests_are_logged(api: Api, steering: Steering) -> None:
    steering.call("DELETE", "/requests")
    api.get("/users", headers={"Authorization": None})
    api.get("/nothing")
    assert [entry["status"] for entry in steering.log()] == [401, 404]


# switches


def test_switches(steering: Steering) -> None:
    for name, entry in steering.switches().items():
        assert set(entry) == {"side", "sides"}, name
        assert entry["side"] == entry["sides"][0]
        assert len(set(entry["sides"])) == len(entry["sides"]) >= 2


def test_rough_and_calm(steering: Steering) -> None:
    steering.call("PUT", "/switches", {"weather": "rough"})
    assert all(entry["side"] == entry["sides"][-1] for entry in steering.switches().values())
    steering.call("PUT", "/switches", {"weather": "calm"})
    assert all(entry["side"] == entry["sides"][0] for entry in steering.switches().values())


def test_some_switches(steering: Steering) -> None:
    steering.switch(page_beyond_end="clamp", list_total="none")
    turned = {name for name, entry in steering.switches().items() if entry["side"] != entry["sides"][0]}
    assert turned == {"page_beyond_end", "list_total"}


def test_weather_and_a_switch_at_once(steering: Steering) -> None:
    steering.switch(weather="rough", list_total="given")
    turned = steering.switches()
    assert turned.pop("list_total")["side"] == "given"
    assert all(entry["side"] == entry["sides"][-1] for entry in turned.values())


@pytest.mark.parametrize(
    "body",
    [{"no_such_switch": "x"}, {"list_total": "maybe"}, {"weather": "foggy"}, {"list_total": 1}, [], "x"],
    ids=str,
)
def test_wrong_switch(steering: Steering, body: Any) -> None:
    given = {"page_beyond_end": "clamp", **body} if isinstance(body, dict) else body
    assert steering.request("PUT", "/switches", json=given).status_code == 400
    assert all(entry["side"] == entry["sides"][0] for entry in steering.switches().values())


# faults


RULE = {"method": "GET", "path": "/objects", "fault": "503"}


def test_rules(steering: Steering) -> None:
    assert steering.call("GET", "/faults") == []
    steering.fault(**RULE)
    steering.fault(**{**RULE, "path": "/rooms", "times": 1})
    rules = steering.call("GET", "/faults")
    assert [(rule["path"], rule["fault"]) for rule in rules] == [("/objects", "503"), ("/rooms", "503")]
    steering.call("PUT", "/faults", [{**RULE, "path": "/persons"}])
    assert [rule["path"] for rule in steering.call("GET", "/faults")] == ["/persons"]
    steering.call("DELETE", "/faults")
    assert steering.call("GET", "/faults") == []


@pytest.mark.parametrize(
    "rule",
    [{}, {"fault": "no such fault"}, {"fault": "503", "probability": 2}, {"fault": "503", "nonsense": 1}, [], "x"],
    ids=str,
)
def test_wrong_rule(steering: Steering, rule: Any) -> None:
    assert steering.request("POST", "/faults", json=rule).status_code == 400
    assert steering.call("GET", "/faults") == []


# the rate limit


def test_rate_limit(api: Api, steering: Steering) -> None:
    steering.call("PUT", "/rate-limit", {"per_minute": 1, "burst": 3})
    assert [api.get("/users").status_code for _number in range(5)] == [200, 200, 200, 429, 429]
    refused = api.get("/users")
    assert int(refused.headers["Retry-After"]) >= 1
    steering.call("PUT", "/rate-limit", None)
    assert [api.get("/users").status_code for _number in range(5)] == [200] * 5


def test_refused_request_is_not_taken(api: Api, steering: Steering) -> None:
    before = api.count("/locations")
    steering.call("PUT", "/rate-limit", {"per_minute": 1, "burst": 1})
    assert [api.post("/location", {"name": "x"}).status_code for _number in range(3)] == [201, 429, 429]
    steering.call("PUT", "/rate-limit", None)
    assert api.count("/locations") == before + 1


# users, codes and tokens


def test_user(api: Api, steering: Steering) -> None:
    user = steering.user()
    assert {"username", "password"} <= set(user)
    other = Api(api.about, steering)
    other.sign_in(user["username"], user["password"])
    assert other.tokens["user_id"] != api.tokens["user_id"]
    assert other.get("/objects", "per_page=1").status_code == 200


def test_user_who_may_only_sign_in(api: Api, steering: Steering) -> None:
    other = Api(api.about, steering)
    other.sign_in(**steering.user(rights=[]))
    for path in ("/objects", "/users", "/task-management/tasks"):
        response = other.get(path)
        assert response.status_code == 403
        assert response.json()["message"] != "The required feature for this endpoint is not active"
    assert other.delete("/auth_token").status_code == 204


def test_code(api: Api, steering: Steering) -> None:
    given = steering.call("POST", "/sso-codes", {})
    assert {"provider_name", "auth_code"} == set(given)
    assert api.grant(grant_type="sso_auth_code", **given).status_code == 200
    assert api.grant(grant_type="sso_auth_code", **given).status_code == 401


def test_expire_one_token(api: Api, steering: Steering) -> None:
    other = Api(api.about, steering)
    other.sign_in()
    steering.call("POST", "/tokens/expire", {"access_token": api.tokens["access_token"]})
    assert api.get("/users").status_code == 401
    assert other.get("/users").status_code == 200


@pytest.mark.parametrize("body", [None, {}, "all", {"all": True}, {"access_token": "all"}], ids=str)
def test_expire_all_tokens(api: Api, steering: Steering, body: Any) -> None:
    other = Api(api.about, steering)
    other.sign_in(**steering.user())
    steering.call("POST", "/tokens/expire", body)
    assert api.get("/users").status_code == 401
    assert other.get("/users").status_code == 401
    api.sign_in()
    assert api.get("/users").status_code == 200


# settings


SETTINGS = {
    "access_token_seconds": 3600,
    "modules_off": [],
    "missing_operations": {},
    "answers": {},
    "read_lag_seconds": 0,
}


def test_settings(steering: Steering) -> None:
    assert steering.call("GET", "/settings") == SETTINGS
    steering.call("PUT", "/settings", {"modules_off": ["hub", "rental"]})
    assert steering.call("GET", "/settings") == {**SETTINGS, "modules_off": ["hub", "rental"]}
    steering.call("PUT", "/settings", {"access_token_seconds": 60})
    assert steering.call("GET", "/settings")["access_token_seconds"] == 60


@pytest.mark.parametrize(
    "body",
    [
        *({"nonsense": 1}, {"modules_off": ["x"]}, {"access_token_seconds": "x"}, {"read_lag_seconds": -1}, []),
        *({"missing_operations": ["GET /objects"]}, {"missing_operations": {"GET /object": 404}}),
        *({"missing_operations": {"GET /objects": 500}}, {"answers": {"GET /objects": ["barcode"]}}),
        *({"answers": {"GET /objects": {"leave_out": "x"}}}, {"answers": {"GET /objects": {"drop": []}}}),
        {"answers": {"GET /things": {"leave_out": []}}},
    ],
    ids=str,
)
def test_wrong_settings(steering: Steering, body: Any) -> None:
    before = steering.call("GET", "/settings")
    assert steering.request("PUT", "/settings", json=body).status_code == 400
    assert steering.call("GET", "/settings") == before


@pytest.mark.parametrize("status", [403, 404, 405])
def test_operations_that_this_tenant_does_not_have(unjudged: Api, steering: Steering, status: int) -> None:
    item = unjudged.offer()["id"]
    missing = ["GET /circularity-hub/items", "GET /task-management/task/{taskUuid}", "POST /location"]
    steering.call("PUT", "/settings", {"missing_operations": dict.fromkeys(missing, status)})
    task = unjudged.create_task()
    answers = [
        unjudged.get("/circularity-hub/items"),
        unjudged.get(f"/task-management/task/{task}"),
        unjudged.post("/location", {"name": "x"}),
    ]
    assert [answer.status_code for answer in answers] == [status] * 3
    if status == 403:
        assert {answer.json()["message"] for answer in answers} == {
            "The required feature for this endpoint is not active"
        }
    assert unjudged.get(f"/circularity-hub/item/{item}").status_code == 200
    assert unjudged.get("/locations").status_code == 200


def test_members_that_answers_leave_out(unjudged: Api, steering: Steering) -> None:
    created = unjudged.create_task(reminders=[{"unit": "days", "value": 1}, {"unit": "weeks", "value": 1}])
    path = f"/task-management/task/{created}"
    rules = {"leave_out": ["attachments", "nothing"], "set": {"reminders.unit": "fortnights", "reminders.days": 1}}
    operations = {
        "GET /task-management/tasks": rules,
        "GET /asset-tracking/{template}/field-definitions": {"leave_out": ["field_type.constraints"]},
    }
    steering.call("PUT", "/settings", {"answers": operations})
    (listed,) = [task for task in unjudged.read("/task-management/tasks") if task["uuid"] == created]
    single = unjudged.read(path)
    assert single.keys() - listed.keys() == {"attachments"}
    assert listed["reminders"] == [{"unit": "fortnights", "value": 1}] * 2
    assert [reminder["unit"] for reminder in single["reminders"]] == ["days", "weeks"]
    definitions = unjudged.read("/asset-tracking/asset/field-definitions")
    assert {tuple(definition["field_type"]) for definition in definitions} == {("name",)}
    steering.call("PUT", "/settings", {"answers": {}})
    assert single in unjudged.read("/task-management/tasks")


@pytest.mark.parametrize("path", ["/locations", "/catalog-items"])
def test_members_of_records_in_envelopes(unjudged: Api, steering: Steering, path: str) -> None:
    steering.call("PUT", "/settings", {"answers": {f"GET {path}": {"leave_out": ["uuid"], "set": {"items": 1}}}})
    found = unjudged.items(path)
    assert found
    assert not [record for record in found if "uuid" in record]


def test_writes_that_show_late(api: Api, steering: Steering) -> None:
    steering.call("PUT", "/settings", {"read_lag_seconds": 5})
    before = api.read("/locations")
    created = api.create_location(name="New")
    thing = api.create_object(barcode="LATE-1")
    label = api.post("/asset-tracking/asset/field-definition", definition("TEXT", label="Late")).status_code
    assert label == 201
    assert api.read("/locations") == before
    assert api.get(f"/location/{created}").status_code == 404
    assert "Late" not in [definition["label"] for definition in api.read("/asset-tracking/asset/field-definitions")]
    # Other writes see the change at once.
    assert api.post("/object", {"barcode": "LATE-1", "inventory_name": "x"}).status_code == 422
    assert api.patch(f"/location/{created}", {"name": "Newer"}).json()["name"] == "Newer"
    steering.call("POST", "/forward", {"seconds": 6})
    assert api.read(f"/location/{created}")["name"] == "Newer"
    assert api.read(f"/object/{thing}")["barcode"] == "LATE-1"
    assert "Late" in [definition["label"] for definition in api.read("/asset-tracking/asset/field-definitions")]


def test_writes_show_in_their_order(api: Api, steering: Steering) -> None:
    path = f"/location/{api.create_location(name='0')}"
    steering.call("PUT", "/settings", {"read_lag_seconds": 5})
    reads = []
    for name in "123":
        api.patch(path, {"name": name})
        steering.call("POST", "/forward", {"seconds": 2})
        reads.append(api.read(path)["name"])
    for _turn in range(3):
        steering.call("POST", "/forward", {"seconds": 2})
        reads.append(api.read(path)["name"])
    assert reads == ["0", "0", "1", "2", "3", "3"]
    api.patch(path, {"name": "4"})
    steering.call("PUT", "/settings", {"read_lag_seconds": 0})
    assert api.read(path)["name"] == "4"


def test_rough_weather_draws_from_everything(steering: Steering) -> None:
    table = steering.switches()
    faults = steering.request("POST", "/faults", json={"fault": "unheard of"}).json()["message"]
    known = set(faults.removeprefix("fault is one of ").split(", "))
    drawn = [steering.call("POST", "/draw", {"seed": seed}) for seed in range(150)]
    sides = {name: {weather["switches"][name] for weather in drawn} for name in table}
    assert sides == {name: set(entry["sides"]) for name, entry in table.items()}
    assert {rule["fault"] for weather in drawn for rule in weather["faults"]} == known
    assert {name for weather in drawn for name in weather["settings"]} == set(SETTINGS)
    again = steering.call("POST", "/draw", {"seed": 7})
    assert again == drawn[7]
    assert {name: entry["side"] for name, entry in steering.switches().items()} == again["switches"]
    assert steering.call("GET", "/faults") == again["faults"]
    assert steering.call("GET", "/settings") == {**SETTINGS, **again["settings"]}


# reset, dump and mails


def fill(api: Api) -> None:
    thing = api.create_object()
    api.create_room()
    api.create_person()
    api.create_task(references=[asset(thing)])
    api.create_rental_case(references=[asset(thing)])
    api.define("TEXT")
    api.upload()
    api.offer()


def test_reset(api: Api, steering: Steering) -> None:
    before, mails = steering.dump(), steering.mails()
    fill(api)
    for record in api.items("/locations"):
        api.delete(f"/location/{record['location_uuid']}")
    assert steering.dump() != before
    steering.call("PUT", "/settings", {"modules_off": ["hub"]})
    steering.call("POST", "/reset")
    assert steering.dump() == before
    assert steering.call("GET", "/settings")["modules_off"] == []
    assert steering.log() == []
    assert steering.mails() == mails


def test_dump_is_sorted_and_repeatable(api: Api, steering: Steering) -> None:
    fill(api)
    first = steering.request("GET", "/dump").content
    assert steering.request("GET", "/dump").content == first
    assert json.dumps(json.loads(first), sort_keys=True) == json.dumps(json.loads(first))


def test_dump_shows_every_write(api: Api, steering: Steering) -> None:
    created = api.create_object(inventory_name=f"Thing {code()}")
    before = steering.dump()
    api.patch(f"/object/{created}", {"inventory_name": "Something else"})
    assert steering.dump() != before


def test_dump_has_no_secret(api: Api, steering: Steering) -> None:
    dump = json.dumps(steering.dump())
    for secret in (api.about["password"], api.tokens["access_token"], api.tokens["refresh_token"]):
        assert secret not in dump


@pytest.mark.parametrize(("body", "status"), [(None, 200), ({"sign_out": False}, 200), ({"sign_out": True}, 401)])
def test_a_reset_signs_out_where_that_is_asked_for(api: Api, steering: Steering, body: Any, status: int) -> None:
    steering.call("POST", "/reset", body)
    assert api.get("/locations").status_code == status


@pytest.mark.parametrize("is_calm", [True, False])
def test_a_reset_calms_where_that_is_asked_for(steering: Steering, is_calm: bool) -> None:
    calm = steering.switches()
    steering.switch(weather="rough")
    steering.fault(path="/nowhere", fault="500")
    steering.call("PUT", "/rate-limit", {"per_minute": 200, "burst": 10})
    steering.call("PUT", "/settings", {"access_token_seconds": 60, "modules_off": ["rental"]})

    steering.call("POST", "/reset", {"calm": is_calm})

    assert (steering.switches() == calm) is is_calm
    assert bool(steering.call("GET", "/faults")) is not is_calm
    assert bool(steering.call("GET", "/rate-limit")) is not is_calm
    assert steering.call("GET", "/settings") == {**SETTINGS, "access_token_seconds": 3600 if is_calm else 60}


@pytest.mark.parametrize("body", [[1], {"sign_out": "yes"}, {"calm": 1}, {"signout": True}])
def test_a_reset_that_says_something_else_is_refused(api: Api, steering: Steering, body: Any) -> None:
    api.create_location(name="North")
    assert steering.request("POST", "/reset", json=body).status_code == 400
    assert "North" in [location["name"] for location in api.items("/locations")]


def test_canonical_dump(api: Api, steering: Steering) -> None:
    """Two instances with the same content are equal, in whatever order it was created."""

    def site(name: str) -> None:
        created = api.create_location(name=name)
        api.create_room(name=f"{name} room", number=name, building_id=created)

    def thing(name: str) -> None:
        created_at = api.create_object(inventory_name=name, barcode=name)
        api.create_task(title=f"About {name}", references=[asset(created_at)])

    dumps = []
    for names in (("North", "South"), ("South", "North")):
        steering.call("POST", "/reset")
        api.sign_in()
        for name in names:
            site(name)
            thing(name)
        dumps.append((steering.dump(), steering.dump(canonical=True)))
    assert dumps[0][0] != dumps[1][0]
    assert dumps[0][1] == dumps[1][1]


def test_canonical_dump_shows_differences(api: Api, steering: Steering) -> None:
    site = api.create_location(name="North")
    before = steering.dump(canonical=True)
    api.patch(f"/location/{site}", {"city": "Ulm"})
    assert steering.dump(canonical=True) != before
    api.patch(f"/location/{site}", {"city": None})
    assert steering.dump(canonical=True) == before


def test_mails(api: Api, steering: Steering) -> None:
    before = steering.mails()
    email = f"{code()}@example.org"
    api.create_person(email=email)
    assert steering.mails() == before
    api.post("/persons/create-user", {"filter": {"email": {"eq": email}}})
    (mail,) = [entry for entry in steering.mails() if entry not in before]
    assert email in json.dumps(mail)


@pytest.mark.parametrize(
    ("reminders", "days"),
    [
        ([], []),
        ([{"unit": "days", "value": 0}], ["2031-05-20"]),
        ([{"unit": "days", "value": 1}, {"unit": "weeks", "value": 1}], ["2031-05-13", "2031-05-19"]),
        ([{"unit": "months", "value": 1}, {"unit": "years", "value": 1}], ["2030-05-20", "2031-04-20"]),
    ],
    ids=str,
)
def test_reminders_of_tasks(api: Api, steering: Steering, reminders: list[JsonMap], days: list[str]) -> None:
    title = f"Task {code()}"
    api.create_task(title=title, deadline="2031-05-20", reminders=reminders)
    mails = [json.dumps(mail) for mail in steering.mails() if title in json.dumps(mail)]
    assert len(mails) == len(days)
    assert all(any(day in mail for mail in mails) for day in days)


def test_reminders_of_rental_cases(api: Api, steering: Steering) -> None:
    title = f"Case {code()}"
    api.create_rental_case(
        title=title,
        issue_date="2031-05-20",
        issue_date_reminder={"unit": "days", "value": 2},
        due_date="2031-05-27",
        due_date_reminder={"unit": "days", "value": 0},
    )
    mails = [json.dumps(mail) for mail in steering.mails() if title in json.dumps(mail)]
    assert len(mails) == 2
    assert all(any(day in mail for mail in mails) for day in ("2031-05-18", "2031-05-27"))


@pytest.mark.parametrize("path", ["/nothing", "", "/requests/1"])
def test_unknown_steering_call(steering: Steering, path: str) -> None:
    assert steering.request("GET", path).status_code == 404


# start and end


def test_what_the_start_reports(emulator: Emulator) -> None:
    assert {"base_url", "username", "password", "client_id", "admin_url"} <= set(emulator.about)
    assert urlsplit(emulator.about["base_url"]).hostname == "127.0.0.1"
    assert emulator.about["admin_url"].endswith("/_emulator")
    assert emulator.first_line.endswith(b"\n")


def test_credentials_are_unlike_the_data(emulator: Emulator, steering: Steering) -> None:
    dump = json.dumps(steering.dump()).lower()
    for secret in (emulator.about["password"], emulator.about["client_id"]):
        assert len(secret) >= 20
        assert [secret[at : at + 6] for at in range(len(secret) - 5) if secret[at : at + 6].lower() in dump] == []


def test_demo_data_is_the_same_at_every_start(steering: Steering) -> None:
    with running() as other:
        assert Steering(other.about).dump() == steering.dump()


def test_demo_data_has_everything(api: Api) -> None:
    lists = ["/objects", "/rooms", "/locations", "/persons", "/users", "/files", "/task-management/tasks"]
    lists += ["/rental-management/rental-cases", "/circularity-hub/items", "/circularity-hub/orders"]
    assert [path for path in lists if not api.items(path)] == []


def test_empty_data() -> None:
    with running(data="empty") as process:
        steering = Steering(process.about)
        steering.switches()
        api = Api(process.about, steering)
        api.sign_in()
        assert len(api.items("/users")) == 1
        for path in ("/objects", "/rooms", "/locations", "/persons", "/files", "/task-management/tasks"):
            assert api.items(path) == [], path
        for path in ("/rental-management/rental-cases", "/circularity-hub/items", "/circularity-hub/orders"):
            assert api.items(path) == [], path
        assert api.read("/asset-tracking/asset/field-definitions")


def test_data_by_number() -> None:
    with running(data="300") as process:
        steering = Steering(process.about)
        steering.switches()
        api = Api(process.about, steering)
        api.sign_in()
        assert api.count("/objects") == 300
        for path in ("/rooms", "/locations", "/persons"):
            assert 1 <= api.count(path) < 300


def test_switches_at_the_start() -> None:
    with running("--switch", "page_beyond_end=clamp", "--switch", "list_total=none") as process:
        sides = {name: entry["side"] for name, entry in Steering(process.about).switches().items()}
        assert (sides["page_beyond_end"], sides["list_total"], sides["list_envelope"]) == ("clamp", "none", "items")


@pytest.mark.parametrize(
    "options", [["--switch", "x=y"], ["--data", "much"], ["--port", "x"], ["--nonsense"]], ids=" ".join
)
def test_wrong_option(options: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, str(EMULATOR), "--port", "0", *options], capture_output=True, timeout=60, check=False
    )
    assert done.returncode not in (0, None)
    assert b"Traceback" not in done.stderr
    assert done.stderr.strip()


def test_end() -> None:
    with running() as process:
        assert process.signal(15) == 0


def test_data_outlives_the_process(tmp_path: Path) -> None:
    db = str(tmp_path / "some.sqlite3")
    with running(db=db) as process:
        steering = Steering(process.about)
        steering.switches()
        api = Api(process.about, steering)
        api.sign_in()
        fill(api)
        before = steering.dump()
    with running(db=db) as process:
        assert Steering(process.about).dump() == before
