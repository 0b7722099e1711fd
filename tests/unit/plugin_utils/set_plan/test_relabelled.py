# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A record of the set whose natural key was changed in the application is not created again."""

from __future__ import annotations

from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.client.transport import Response, Transport
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import Creations

OBJECT = {"barcode": "1", "inventory_name": "One"}
FILES: dict[str, str | bytes] = {
    "locations.yml": "- name: North\n",
    "rooms.yml": yaml_list([{"building_id": "North", "number": "1"}]),
    "objects.yml": yaml_list([OBJECT]),
}


def relabel(site: Site, kind: str, **fields: str) -> str:
    """Change the first record of a kind in the application. Return its uuid."""
    client = site.client()
    record = client.list_all(KINDS[kind])[0]
    client.update(KINDS[kind], record.uuid, fields)
    return record.uuid


@pytest.fixture(params=["made", "adopted"])
def house(site: Site, request: pytest.FixtureRequest) -> Site:
    """Return an instance with records that the set created, or that existed before it."""
    site.write(FILES)
    if request.param == "adopted":
        site.write({"instance.yml": "api: seventhings/v1\nset: earlier\n"})
        assert site.run().outcome == "changed"
        site.write({"instance.yml": "api: seventhings/v1\nset: test\n"})
        assert site.run().outcome == "unchanged"
    else:
        assert site.run().outcome == "changed"
    return site


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("kind", "new", "name", "line"),
    [
        (
            "room",
            {"number": "2"},
            "North/2",
            {
                "rooms": [
                    {
                        "from": {"building_id": "North", "number": "2"},
                        "to": {"building_id": "North", "number": "1"},
                    }
                ]
            },
        ),
        ("location", {"name": "East"}, "East", {"locations": [{"from": {"name": "East"}, "to": {"name": "North"}}]}),
    ],
)
def test_a_relabelled_record_is_a_finding_until_a_rename_restores_it(
    house: Site, kind: str, new: dict[str, str], name: str, line: object
) -> None:
    uuid = relabel(house, kind, **new)
    house.service.clear_log()
    result = house.run()
    (finding,) = [finding for finding in result.findings if "its key was changed" in finding]
    assert f"is now {name} ({uuid})" in finding
    assert house.writes() == []
    house.write({"moved.yml": str(line)})
    assert house.run().outcome == "changed"
    assert house.run().outcome == "unchanged"
    assert len(house.client().list_all(KINDS[kind])) == 1


PERSON = {"email": "Ada@acme.example", "first_name": "Ada", "last_name": "Lovelace"}
SAME_PERSON = {**PERSON, "email": "ada@ACME.example"}


def test_the_key_of_a_person_is_the_same_in_another_case(site: Site) -> None:
    site.write({"persons.yml": yaml_list([PERSON])})
    assert site.run().outcome == "changed"
    uuid = relabel(site, "person", email="eva@acme.example")
    site.write({"persons.yml": yaml_list([SAME_PERSON])})
    (finding,) = site.plan().findings
    assert "its key was changed" in finding
    assert uuid in finding


def test_a_lost_creation_is_waited_for_in_another_case(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.write({"persons.yml": yaml_list([PERSON])})
    send = Transport.request

    def killed(transport: Transport, method: str, path: str, *given: Any, **more: Any) -> Response:
        if (method, path) == ("POST", "/person"):
            raise SystemExit
        return send(transport, method, path, *given, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Transport, "request", killed)
        with pytest.raises(SystemExit):
            site.run()
    # The next run is on another machine, and has only the journal.
    monkeypatch.setattr(Creations, "seconds_to_settle", lambda _creations: None)
    waits: list[float] = []
    site.write({"persons.yml": yaml_list([SAME_PERSON])})
    assert site.run(sleep=waits.append).outcome == "changed"
    assert len(waits) == 1
    assert len(site.client().list_all(KINDS["person"])) == 1
