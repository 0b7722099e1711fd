# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What holds for every switch, fault and record of the calls below ``/_emulator``."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest

from .bodies import asset
from .judge import EMULATOR
from .support import Api, Steering


def test_log_hides_credentials(api: Api, steering: Steering) -> None:
    user = steering.user()
    sso = steering.call("POST", "/sso-codes", {})
    pairs = [api.tokens]
    api.grant(grant_type="refresh_token", refresh_token=api.tokens["refresh_token"])
    api.grant(grant_type="sso_auth_code", **sso)
    form = {"grant_type": "password", **user, "client_id": "x"}
    api.session.post(api.url("/auth_token"), data=form, timeout=30)
    api.session.post(api.url("/auth_token"), data=b'{"password": "' + user["password"].encode() + b'"', timeout=30)
    pairs.append(api.sign_in(**user))
    secrets = [pair[name] for pair in pairs for name in ("access_token", "refresh_token")]
    secrets += [api.about["password"], user["password"], sso["auth_code"]]
    log = json.dumps(steering.log())
    assert "/auth_token" in log
    assert [secret for secret in secrets if secret in log] == []


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


def test_weather_turns_every_switch(steering: Steering) -> None:
    for weather, place in (("rough", -1), ("calm", 0)):
        steering.call("PUT", "/switches", {"weather": weather})
        for name, entry in steering.switches().items():
            assert set(entry) == {"side", "sides"}, name
            assert entry["side"] == entry["sides"][place]
            assert len(set(entry["sides"])) == len(entry["sides"]) >= 2


def test_rough_weather_draws_from_everything(steering: Steering) -> None:
    table, settings = steering.switches(), steering.call("GET", "/settings")
    faults = steering.request("POST", "/faults", json={"fault": "unheard of"}).json()["message"]
    known = set(faults.removeprefix("fault is one of ").split(", "))
    drawn = [steering.call("POST", "/draw", {"seed": seed}) for seed in range(150)]
    sides = {name: {weather["switches"][name] for weather in drawn} for name in table}
    assert sides == {name: set(entry["sides"]) for name, entry in table.items()}
    assert {rule["fault"] for weather in drawn for rule in weather["faults"]} == known
    assert {name for weather in drawn for name in weather["settings"]} == set(settings)
    again = steering.call("POST", "/draw", {"seed": 7})
    assert again == drawn[7]
    assert {name: entry["side"] for name, entry in steering.switches().items()} == again["switches"]
    assert steering.call("GET", "/faults") == again["faults"]
    assert steering.call("GET", "/settings") == {**settings, **again["settings"]}


def test_chances_follow_their_seed(unjudged: Api, steering: Steering) -> None:
    found = []
    for seed in ("1", "1", "2"):
        steering.call("PUT", f"/faults?seed={seed}", [{"fault": "503", "probability": 0.5}])
        found.append([unjudged.get("/locations/count").status_code for _number in range(80)])
    assert found[0] == found[1] != found[2]
    assert 16 <= found[0].count(503) <= 64


@pytest.mark.parametrize("path", ["/objects", "/auth_token"])
def test_half_a_body_is_half_an_answer(unjudged: Api, steering: Steering, path: str) -> None:
    """A client that does not notice the broken connection notices the truncated text."""
    steering.fault(path=path, fault="half_body", times=1)
    login = {"grant_type": "refresh_token", "refresh_token": unjudged.tokens["refresh_token"]}
    for attempt in range(2):
        try:
            answer = unjudged.get(path) if path == "/objects" else unjudged.grant(**login)
            assert answer.json()
        except (OSError, ValueError):
            assert attempt == 0
        else:
            assert attempt == 1


def test_latency_goes_on_with_the_next_rule(unjudged: Api, steering: Steering) -> None:
    steering.call("PUT", "/faults", [{"fault": "latency", "seconds": 0.2}, {"fault": "503", "path": "/rooms"}])
    for path, status in (("/objects", 200), ("/rooms", 503)):
        before = time.monotonic()
        assert unjudged.get(path).status_code == status
        assert time.monotonic() - before >= 0.2


# Dumps


def site(api: Api, name: str) -> None:
    created = api.create_location(name=name)
    api.create_room(name=f"{name} room", number=name, building_id=created)
    thing = api.create_object(inventory_name=name, barcode=name)
    api.create_task(title=f"About {name}", references=[asset(thing)])


def test_dumps_are_sorted_and_have_no_secret(api: Api, steering: Steering) -> None:
    site(api, "North")
    first = steering.request("GET", "/dump").content
    assert steering.request("GET", "/dump").content == first
    assert json.dumps(json.loads(first), sort_keys=True) == json.dumps(json.loads(first))
    secrets = (api.about["password"], api.tokens["access_token"], api.tokens["refresh_token"])
    assert [secret for secret in secrets if secret in first.decode()] == []


def test_equal_instances_have_equal_canonical_dumps(api: Api, steering: Steering) -> None:
    """Two instances with the same content are equal, in whatever order it was created."""
    dumps = []
    for names in (("North", "South"), ("South", "North")):
        steering.call("POST", "/reset")
        api.sign_in()
        for name in names:
            site(api, name)
        dumps.append((steering.dump(), steering.dump(canonical=True)))
    assert dumps[0][0] != dumps[1][0]
    assert dumps[0][1] == dumps[1][1]
    (place, *_others) = api.items("/locations", "filter[name][eq]=North")
    for city, is_equal in (("Ulm", False), (None, True)):
        api.patch(f"/location/{place['uuid']}", {"city": city})
        assert (steering.dump(canonical=True) == dumps[1][1]) is is_equal
