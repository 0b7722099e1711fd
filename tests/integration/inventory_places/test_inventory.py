# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inventory, with real ``ansible-inventory`` and ``ansible`` processes on the embedded service."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import emulator_process
import forked
import many_places
import playbook
import pytest
import requests
import yaml
from emulator_process import Emulator
from trust import IS_TEXT_A_TEMPLATE

from ansible_collections.community.seventhings.plugins.inventory import places

TEMPLATE = "{{ lookup('ansible.builtin.pipe', 'id') }}"
NAME = TEMPLATE.replace("{{", "_{") if IS_TEXT_A_TEMPLATE else TEMPLATE
"""TEMPLATE in the name of a host. Before ansible-core 2.19, names are templates, so none begins in them."""
ROOMS = 10_000
LOCATIONS = 500


@dataclass(frozen=True)
class Output:
    """The result of a process: exit status, output and warnings."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def variables(self, host: str) -> dict[str, Any]:
        found: dict[str, Any] = self.json["_meta"]["hostvars"][host]
        return found


@dataclass
class Workplace:
    """A directory with an inventory file, and an instance."""

    emulator: Emulator
    directory: Path

    def run(self, command: str, *options: str, **variables: str) -> Output:
        words = [str(Path(sys.executable).with_name(command)), *options]
        environment = playbook.environment({**self.emulator.variables(), **variables})
        done = forked.run(words, self.directory, environment, 240, is_apart=True)
        return Output(done.returncode, done.stdout, done.stderr)

    def write(self, **options: Any) -> None:
        text = yaml.safe_dump({"plugin": "community.seventhings.places", **options}, allow_unicode=True)
        (self.directory / "lab.seventhings.yml").write_text(text, encoding="utf-8")

    def inventory(self, *options: str, **variables: str) -> Output:
        return self.run("ansible-inventory", "-i", "lab.seventhings.yml", *options, **variables)

    def new_requests(self) -> list[str]:
        """Return the requests since the last time, as ``METHOD path``."""
        found = [f"{entry['method']} {entry['path'].removeprefix('/customer-api/v1')}" for entry in self.emulator.log()]
        self.emulator.clear_log()
        return found


@pytest.fixture
def work(emulator: Emulator, tmp_path: Path) -> Workplace:
    emulator.reset()
    return Workplace(emulator, tmp_path)


@pytest.fixture
def rename(emulator: Emulator) -> Callable[[str, str, str], None]:
    """Rename a room or a location without the collection."""

    def send(kind: str, old: str, new: str) -> None:
        with requests.Session() as session:
            session.trust_env = False
            session.headers["Authorization"] = f"Bearer {emulator.token()}"
            root = f"{emulator.base_url}/customer-api/v1"
            (found,) = (
                record
                for record in session.get(f"{root}/{kind}s", params={"per_page": "1000"}, timeout=30).json()["items"]
                if (record.get("fields") or record)["name"] == old
            )
            answer = session.patch(f"{root}/{kind}/{found[f'{kind}_uuid']}", json={"name": new}, timeout=30)
        answer.raise_for_status()

    return send


def members(graph: str, group: str) -> list[str]:
    """Return the hosts of a group in the output of ``--graph``."""
    block = re.search(rf"^  \|--@{re.escape(group)}:\n((?:  \|  \|--.*\n?)*)", graph, re.MULTILINE)
    assert block, graph
    return [line.removeprefix("  |  |--") for line in block[1].splitlines()]


# ---- what is shown


def test_the_demo_instance_as_a_graph(work: Workplace) -> None:
    work.write()
    shown = work.inventory("--graph")
    assert shown.status == 0
    assert members(shown.out, "seventhings_Werkstatt") == [
        "Werkstatt/Tischlerei",
        "Werkstatt/Werkzeuglager",
        "Werkstatt/Lackiererei",
        "Werkstatt/Gebäude Werkstatt",
    ]
    assert len(members(shown.out, "seventhings_Dresden")) == 9
    assert "Dresden/Serverraum" in members(shown.out, "seventhings_Dresden")
    assert "WARNING" not in shown.err


def test_a_list_has_variables_of_hosts_and_groups(work: Workplace) -> None:
    work.write()
    shown = work.inventory("--list", "--yaml")
    archive = yaml.safe_load(shown.out)["all"]["children"]["seventhings_Leipzig"]["hosts"]["Leipzig/Archiv"]
    assert archive["seventhings_number"] == "3.03"
    assert archive["seventhings_area"] == 17.5
    assert archive["seventhings_city"] == "Leipzig"
    assert archive["seventhings_location_name"] == "Leipzig"
    assert archive["seventhings_building_id"]["display_name"] == "Leipzig"
    assert archive["ansible_connection"] == "local"
    assert "__ansible_unsafe" not in shown.out


def test_five_requests_are_enough(work: Workplace) -> None:
    """One of them proves that the list of definitions is complete."""
    work.write()
    work.new_requests()
    work.inventory("--list")
    assert sorted(work.new_requests()) == [
        "GET /asset-tracking/room/field-definitions",
        "GET /asset-tracking/room/field-definitions",
        "GET /locations",
        "GET /rooms",
        "POST /auth_token",
    ]


def test_an_access_token_saves_the_login(work: Workplace) -> None:
    work.write(hosts="locations")
    token = work.emulator.token()
    work.new_requests()
    assert work.inventory("--list", SEVENTHINGS_TOKEN=token).status == 0
    assert work.new_requests() == ["GET /locations"]


def test_objects_stand_in_rooms_and_rooms_in_locations(work: Workplace) -> None:
    work.write(hosts="objects", hostname="{{ barcode }} {{ inventory_name }}", host_prefix="object/")
    shown = work.inventory("--list").json
    assert "seventhings_Werkstatt_Tischlerei" in shown["seventhings_Werkstatt"]["children"]
    assert "object/100101 Formatkreissäge" in shown["seventhings_Werkstatt_Tischlerei"]["hosts"]
    saw = shown["_meta"]["hostvars"]["object/100101 Formatkreissäge"]
    assert saw["seventhings_room_name"] == {"__ansible_unsafe": "Tischlerei"}
    assert saw["seventhings_location_name"] == {"__ansible_unsafe": "Werkstatt"}
    assert saw["seventhings_purchasing_price"] == 12400


def test_filters_hostname_prefix_and_constructed_together(work: Workplace) -> None:
    work.write(
        filters={"locations": {"city": {"eq": "Dresden"}}, "rooms": {"area": {"gt": 40}}},
        hostname=["{{ location_name }}/{{ number }}"],
        variable_prefix="site_",
        connection_local=False,
        compose={"label": "site_name ~ ', ' ~ site_city"},
        groups={"large": "site_area > 100"},
        keyed_groups=[{"key": "site_country", "prefix": "in"}],
        strict=True,
    )
    shown = work.inventory("--list")
    hosts = {"Dresden/1.01", "Werkstatt/0.01", "Werkstatt/0.02", "Werkstatt/0.03"}
    assert set(shown.json["_meta"]["hostvars"]) == hosts
    assert set(shown.json["large"]["hosts"]) == {"Dresden/1.01", "Werkstatt/0.01"}
    assert set(shown.json["in_Germany"]["hosts"]) == hosts
    assert shown.variables("Werkstatt/0.01")["label"] == {"__ansible_unsafe": "Tischlerei, Dresden"}
    assert "ansible_connection" not in shown.variables("Werkstatt/0.01")


def test_a_reference_in_a_filter_is_resolved(work: Workplace) -> None:
    work.write(filters={"rooms": {"building_id": "Werkstatt"}})
    assert len(work.inventory("--list").json["_meta"]["hostvars"]) == 4


def examples() -> list[dict[str, Any]]:
    """Return the plugin's examples.

    Only the first is not a comment, because older sanity tests read only one document.
    """
    first, *others = re.split(r"^#\n(?=# plugin:)", places.EXAMPLES, flags=re.MULTILINE)
    texts = [first, *(re.sub("^# ?", "", example.partition("\n\n")[0], flags=re.MULTILINE) for example in others)]
    return [yaml.safe_load(text) for text in texts]


@pytest.mark.sample(2)
@pytest.mark.parametrize("number", range(4))
def test_every_example_runs(work: Workplace, number: int) -> None:
    example = examples()[number]
    if "cache_connection" in example:
        example["cache_connection"] = str(work.directory / "cache")
    example.pop("plugin")
    work.write(strict=True, **example)
    shown = work.inventory("--list", ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED="true")
    assert shown.status == 0, shown.err
    assert len(shown.json["_meta"]["hostvars"]) == [21, 13, 4, 60][number]
    assert "WARNING" not in shown.err


def test_tasks_run_on_rooms(work: Workplace) -> None:
    work.write()
    shown = work.run(
        "ansible",
        "seventhings_Leipzig",
        "-i",
        "lab.seventhings.yml",
        "-m",
        "ansible.builtin.command",
        "-a",
        "true",
    )
    assert shown.status == 0, shown.out + shown.err
    assert shown.out.count("CHANGED") == 4


# ---- names


def test_two_places_with_one_name(work: Workplace, rename: Callable[[str, str, str], None]) -> None:
    rename("location", "Werkstatt", "Dresden")
    rename("room", "Tischlerei", "Empfang")
    work.write()
    shown = work.inventory("--list")
    assert len(shown.json["_meta"]["hostvars"]) == 21
    assert shown.json["seventhings_Dresden_2"]["hosts"][0] == "Dresden/Empfang_7"
    # Before ansible-core 2.19, Ansible wraps warnings.
    assert len(re.findall(r"WARNING[^\[]*suffix", shown.err)) == 2


@pytest.mark.parametrize("caching", [False, True], ids=["read", "cached"])
def test_a_template_in_remote_text_is_never_rendered(
    work: Workplace, rename: Callable[[str, str, str], None], caching: bool
) -> None:
    rename("room", "Tischlerei", TEMPLATE)
    work.write(
        compose={"same": "seventhings_name", "longer": "'a ' ~ seventhings_name"},
        hostname="{{ number }}/{{ name }}",
        filters={"locations": {"name": "Werkstatt"}},
        cache=caching,
        cache_plugin="ansible.builtin.jsonfile",
        cache_connection=str(work.directory / "cache"),
    )
    if caching:
        work.inventory("--graph")
        work.new_requests()
    shown = work.inventory("--graph")
    assert f"0.01/{NAME}" in members(shown.out, "seventhings_Werkstatt")
    message = "<< {{ seventhings_name }} | {{ same }} | {{ longer }} | {{ inventory_hostname }} >>"
    debug = work.run(
        "ansible",
        "seventhings_Werkstatt",
        "-i",
        "lab.seventhings.yml",
        "-m",
        "ansible.builtin.debug",
        "-a",
        f'msg="{message}"',
    )
    assert f"<< {TEMPLATE} | {TEMPLATE} | a {TEMPLATE} | 0.01/{NAME} >>" in debug.out
    assert "uid=" not in shown.out + debug.out + debug.err
    assert bool(work.new_requests()) is not caching


# ---- cache


@pytest.fixture
def cached(work: Workplace) -> Workplace:
    """Return a workplace with a warm cache."""
    work.write(cache=True, cache_plugin="jsonfile", cache_connection="cache")
    assert work.inventory("--list").status == 0
    work.new_requests()
    return work


def test_a_warm_cache_makes_no_request_at_all(cached: Workplace) -> None:
    nowhere = {"SEVENTHINGS_PASSWORD": "", "SEVENTHINGS_CLIENT_ID": ""}
    warm = cached.inventory("--list", **nowhere)
    assert cached.new_requests() == []
    assert len(warm.json["_meta"]["hostvars"]) == 21
    for path in (cached.directory / "cache").iterdir():
        path.unlink()
    assert cached.inventory("--list").json == warm.json


def test_the_cache_can_be_flushed(cached: Workplace, rename: Callable[[str, str, str], None]) -> None:
    rename("room", "Tischlerei", "Carpentry")
    cached.new_requests()
    assert "Werkstatt/Tischlerei" in cached.inventory("--graph").out
    assert cached.new_requests() == []
    # Before ansible-core 2.19, ansible-inventory has no such option, but ansible-playbook has.
    (cached.directory / "flush.yml").write_text("- hosts: all\n  gather_facts: false\n", "utf-8")
    fresh = cached.run("ansible-playbook", "-i", "lab.seventhings.yml", "--flush-cache", "--list-hosts", "flush.yml")
    assert "Werkstatt/Carpentry" in fresh.out
    assert cached.new_requests() != []
    assert "Werkstatt/Carpentry" in cached.inventory("--graph").out
    assert cached.new_requests() == []


# ---- weather and errors


@pytest.mark.parametrize("hosts", ["rooms", "locations", "objects"])
def test_the_inventory_is_equal_in_calm_and_rough_weather(work: Workplace, hosts: str) -> None:
    work.write(hosts=hosts, filters={"locations": {"city": "Dresden"}})
    calm = work.inventory("--graph").out
    work.emulator.steer("PUT", "/switches", {"weather": "rough"})
    assert work.inventory("--graph").out == calm


def test_an_unreachable_instance_is_reported_and_can_be_made_an_error(work: Workplace) -> None:
    work.write(base_url="http://127.0.0.1:9", tuning={"retries": 0})
    shown = work.inventory("--graph")
    assert shown.status == 0
    assert "127.0.0.1:9 can't be reached" in shown.err
    strict = work.inventory("--graph", ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED="true")
    assert strict.status == 1
    assert "127.0.0.1:9 can't be reached" in strict.err


def test_a_wrong_password_is_reported_without_it(work: Workplace) -> None:
    work.write(password="Tr0mbone-Quay-17")
    shown = work.inventory("--graph", "-vvvv", ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED="true")
    assert shown.status == 1
    assert "Signing in" in shown.err
    assert "Tr0mbone" not in shown.out + shown.err


def test_no_secret_is_ever_shown(work: Workplace) -> None:
    work.write()
    shown = work.inventory("--list", "-vvvv")
    token = work.emulator.token()
    shown_with_token = work.inventory("--list", "-vvvv", SEVENTHINGS_TOKEN=token)
    everything = shown.out + shown.err + shown_with_token.out + shown_with_token.err
    assert work.emulator.password not in everything
    assert token not in everything


# ---- many


@pytest.fixture
def many(tmp_path: Path) -> Iterator[Workplace]:
    """Yield an instance with the promised number of rooms and locations, written directly into its store."""
    store = tmp_path / "many.sqlite3"
    many_places.fill(store, ROOMS, LOCATIONS)
    with emulator_process.running(data="50", db=str(store)) as service:
        service.clear_log()
        yield Workplace(service, tmp_path)


@pytest.mark.sample(0)
@pytest.mark.slow
def test_ten_thousand_rooms_take_fourteen_requests(many: Workplace) -> None:
    many.write()
    shown = many.inventory("--graph")
    assert shown.out.count("/room ") == ROOMS
    assert shown.out.count("@seventhings_location_") == LOCATIONS
    assert members(shown.out, "seventhings_location_1")[0] == "location 1/room 500"
    # One of them proves that the list of definitions is complete.
    assert len(many.new_requests()) <= 14
