# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers that contradict the profile of an instance are reported, and no others."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from instance_site import Site, yaml_list
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure

READ = ("location", "room", "person", "object", "user", "task", "rental_case")
TOLD = {
    "list_envelope": "array",
    "list_total": "none",
    "persons_envelope": "sort",
    "record_shape": "fields",
    "uuid_key": "named",
    "link_read": "integer",
    "number_form": "string",
    "boolean_form": "integer",
    "attachment_name": "given",
    "archived_at": "none",
    "user_display_name": "list",
    "patch_answer": "no_content",
    "location_header": "path",
    "rate_headers": "given",
    "cors": "any_origin",
    "task_slug": "none",
    "task_stamps": "null",
    "rental_hours": "absent",
    "rental_day_form": "time",
    "rental_renter_read": "text",
    "rental_stamps": "none",
}
"""Switches whose side ordinary answers show, each with a side that is not calm."""


def sides(site: Site) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = site.service.steer("GET", "/switches")
    return found


def profile_of(site: Site) -> Path:
    """Return a profile with the current side of every switch."""
    switches = {
        name: {"state": "yes", "side": switch["side"], "seen": "", "why": ""} for name, switch in sides(site).items()
    }
    path = site.root / "profile.json"
    path.write_text(json.dumps({"switches": switches, "date": "2031-05-31"}), "utf-8")
    return path


def warnings(site: Site, profile: Path) -> list[str]:
    """Return the warnings while everything is read, one record is changed and one is created."""
    site.options["profile"] = str(profile)
    client = site.client()
    client.definitions("asset")
    for name in READ:
        client.list_all(KINDS[name])
    for state in ("present", "absent"):
        for city in ("Bonn", "Kiel"):
            ensure(client, DesiredRecord(KINDS["location"], {"name": "Harbour", "city": city}, state=state))
    return [line for line in client.transport.notes() if line.startswith("profile: ")]


@pytest.mark.sample(5)
@pytest.mark.slow
@pytest.mark.parametrize(("switch", "side"), TOLD.items())
def test_what_has_changed_is_reported(demo: Site, switch: str, side: str) -> None:
    demo.root.mkdir()
    profile = profile_of(demo)
    assert warnings(demo, profile) == []
    was = sides(demo)[switch]["side"]
    demo.service.steer("PUT", "/switches", {switch: side})
    reported = warnings(demo, profile)
    assert len(reported) == len(set(reported))
    (line,) = [warning for warning in reported if f": {switch} was {was}, and " in warning]
    assert line.startswith("profile: this instance has changed since it was probed on 2031-05-31: ")
    assert line.endswith(f" shows {side}. Probe it again.")
    assert len(reported) == 1 or switch in ("list_envelope", "link_read")


@pytest.mark.parametrize("seed", range(60 if LONG else 4))
def test_an_instance_that_is_as_it_was_is_not_reported_of(demo: Site, seed: int) -> None:
    chance = random.Random(seed)
    demo.root.mkdir()
    weather = (
        {name: chance.choice(switch["sides"]) for name, switch in sides(demo).items()} if seed else {"weather": "rough"}
    )
    demo.service.steer("PUT", "/switches", {**weather, "write_unknown_field": "refuse"})
    assert warnings(demo, profile_of(demo)) == []
    demo.write({"objects.yml": yaml_list([{"barcode": "77", "inventory_name": "New", "target_room": "Workshop/0.01"}])})
    result = demo.run()
    assert [line for line in result.warnings if line.startswith("profile: ")] == []


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"switches": []}', '{"switches": {"a": 1}}'])
def test_what_is_no_profile_is_an_error(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "profile.json"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(InvalidInput, match=r"^profile: .*profile.json (can't be read|is not the profile)"):
        connect({"base_url": "https://acme.example", "profile": str(path)})
