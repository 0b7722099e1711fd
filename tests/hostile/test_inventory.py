# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Texts of the service are only data in the inventory. The tests run real processes of Ansible.

An attacker who can write records has put expressions, templates, paths and names of other hosts into them. Nothing of
it runs, nothing outside is read, and nothing of another source is taken over.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import forked
import playbook
import pytest
import yaml
from project import LONG
from trust import IS_TEXT_A_TEMPLATE, as_template

CANARY = "heron-51-quay"
"""The output of a payload that runs. No payload contains it."""
OWN = "own-71-secret"
"""The value of a variable of the play that no record may show."""

PAYLOADS = (
    "lookup('ansible.builtin.pipe', 'echo $CANARY')",
    "query('ansible.builtin.env', 'CANARY')[0]",
    "{{ lookup('ansible.builtin.pipe', 'echo $CANARY') }}",
    "{% set x = lookup('ansible.builtin.env', 'CANARY') %}{{ x }}",
    "#jinja2:variable_start_string:'[[',variable_end_string:']]'\n[[ lookup('ansible.builtin.env', 'CANARY') ]]",
    "own_secret",
    "{{ own_secret }}",
    "lookup('ansible.builtin.vars', 'own_secret')",
    "hostvars['localhost']['own_secret'] ~ vars.own_secret",
    "' ~ lookup('ansible.builtin.env', 'CANARY') ~ '",
    "x' or lookup('ansible.builtin.env', 'CANARY') or 'x",
)


# ---- a service that says anything


class _Hostile(ThreadingHTTPServer):
    """An instance with given records, which accepts any name."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.lists: dict[str, list[dict[str, Any]]] = {"locations": [], "rooms": [], "objects": []}
        self.requests: list[str] = []
        self.base_url = f"http://127.0.0.1:{self.server_port}"


class _Answer(BaseHTTPRequestHandler):
    server: _Hostile

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        path = address.path.removeprefix("/customer-api/v1/")
        self.server.requests.append(path)
        if path.endswith("field-definitions") or int(parse_qs(address.query).get("page", ["1"])[0]) > 1:
            found = []
        else:
            found = self.server.lists.get(path, [])
        self._say({"items": found, "total": len(found), "count": len(found), "page": 1, "per_page": 1000})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._say({"access_token": "t", "refresh_token": "r", "expires_in": 3600, "token_type": "Bearer"})

    def _say(self, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012d}"


def location(number: int, name: str, **fields: Any) -> dict[str, Any]:
    empty = dict.fromkeys(("address", "zip", "country"))
    return {"id": number, "location_uuid": uuid(100 + number), "name": name, "city": "Berlin", **empty, **fields}


def room(number: int, name: str, place: int | None = None, **fields: Any) -> dict[str, Any]:
    return {"id": number, "room_uuid": uuid(200 + number), "name": name, "number": None, "building_id": place, **fields}


def thing(number: int, name: str, place: int | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "id": number,
        "asset_uuid": uuid(300 + number),
        "inventory_name": name,
        "barcode": None,
        "actual_room": place,
        **fields,
    }


# ---- a workplace


@dataclass(frozen=True)
class Output:
    """The output of a process."""

    status: int
    out: str
    err: str

    @property
    def all(self) -> str:
        return self.out + self.err

    @property
    def words(self) -> str:
        """The output with line breaks as spaces, because warnings are wrapped."""
        return " ".join(self.all.split())

    def refusal_of(self, source: str) -> str:
        """Return the message about a source that the plugin rejected."""
        # Before 2.19 the name of the plugin is not quoted, an asterisk begins the text, and lines also break after
        # hyphens.
        warnings = self.words.replace("- ", "-").replace("'auto'", "auto").split("[WARNING]: ")
        quoted = (text.removeprefix("* ") for text in warnings)
        (found,) = (text for text in quoted if text.startswith("Failed") and f"with auto plugin: {source}:" in text)
        return found

    @property
    def hosts(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = json.loads(self.out)["_meta"]["hostvars"]
        return found


@dataclass(frozen=True)
class Workplace:
    """A directory with inventory sources, and a hostile instance."""

    service: _Hostile
    directory: Path

    def has(self, **lists: list[dict[str, Any]]) -> None:
        self.service.lists = {"locations": [], "rooms": [], "objects": [], **lists}

    def write(self, name: str = "lab.seventhings.yml", **options: Any) -> None:
        text = yaml.safe_dump({"plugin": "community.seventhings.places", "validate_certs": True, **options})
        (self.directory / name).write_text(text)

    def file(self, name: str, text: str) -> None:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(self, command: str, *options: str, **variables: str) -> Output:
        words = [str(Path(sys.executable).with_name(command)), *options]
        environment = playbook.environment({**self._environment(), **variables})
        done = forked.run(words, self.directory, environment, 240, is_apart=True, errors="surrogateescape")
        return Output(done.returncode, done.stdout, done.stderr)

    def inventory(self, *options: str, **variables: str) -> Output:
        sources = [] if "-i" in options else ["-i", "lab.seventhings.yml"]
        return self.run("ansible-inventory", *sources, *options, **variables)

    def play(self, tasks: list[dict[str, Any]], *options: str, hosts: str = "all", **more: Any) -> Output:
        """Run tasks that may fail."""
        plays = [{"hosts": hosts, "gather_facts": False, "ignore_errors": True, "tasks": tasks, **more}]
        self.file("play.yml", yaml.safe_dump(plays, sort_keys=False))
        return self.run("ansible-playbook", "play.yml", *(options or ("-i", "lab.seventhings.yml")))

    def _environment(self) -> dict[str, str]:
        return {
            "CANARY": CANARY,
            "SEVENTHINGS_BASE_URL": self.service.base_url,
            "SEVENTHINGS_TOKEN": "t",
        }


@contextlib.contextmanager
def serving() -> Iterator[_Hostile]:
    service = _Hostile()
    thread = threading.Thread(target=service.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield service
    finally:
        service.shutdown()
        thread.join()
        service.server_close()


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Workplace]:
    with serving() as service:
        yield Workplace(service, tmp_path)


def every_door(expression: str) -> list[dict[str, Any]]:
    """Return tasks that use an expression, or its result, as a template, a test or a name.

    :param expression: such as ``seventhings_name``.
    """
    rendered = "{{ " + expression + " }}"
    no_op = {"ansible.builtin.debug": {"msg": "done"}}
    return [
        {"ansible.builtin.debug": {"var": rendered}},
        {"ansible.builtin.debug": {"var": expression}},
        {"ansible.builtin.debug": {"msg": rendered}},
        {"ansible.builtin.debug": {"msg": "{{ given }}"}, "vars": {"given": rendered}},
        {"ansible.builtin.debug": {"var": "{{ given }}"}, "vars": {"given": rendered}},
        {"ansible.builtin.assert": {"that": rendered}},
        {"ansible.builtin.assert": {"that": [rendered], "fail_msg": rendered, "success_msg": rendered}},
        {"ansible.builtin.assert": {"that": expression}},
        {**no_op, "when": rendered},
        {**no_op, "when": expression},
        {**no_op, "changed_when": rendered},
        {**no_op, "changed_when": expression},
        # Before 2.19, ansible-playbook itself fails if a text decides this.
        *([] if IS_TEXT_A_TEMPLATE else [{**no_op, "failed_when": rendered}]),
        {**no_op, "until": rendered, "retries": 1, "delay": 0},
        {"ansible.builtin.debug": {"msg": "{{ item }}"}, "loop": rendered},
        {"ansible.builtin.debug": {"var": "{{ item }}"}, "loop": ["{{ " + expression + " }}"]},
        {"ansible.builtin.set_fact": {"kept": rendered}},
        {"ansible.builtin.debug": {"var": "{{ kept | default('') }}"}},
        {"ansible.builtin.assert": {"that": "{{ kept | default('') }}"}},
        {"ansible.builtin.debug": {"msg": "{{ lookup('ansible.builtin.vars', 'kept', default='') }}"}},
        {"ansible.builtin.include_vars": {"file": rendered}},
    ]


def assert_nothing_ran(shown: Output) -> None:
    assert CANARY not in shown.all
    assert OWN not in shown.all
    assert "Traceback" not in shown.all


# ---- text is data


CONSTRUCTED: dict[str, Any] = {
    "compose": {
        "same": "seventhings_name",
        "longer": "'{{ ' ~ seventhings_name ~ ' }}'",
        "listed": "[seventhings_name, {'deep': seventhings_name}]",
        "formatted": "'{{ %s }}' | format(seventhings_name)",
    },
    "keyed_groups": [{"key": "seventhings_name", "prefix": "by", "parent_group": "{{ seventhings_name }}"}],
    "groups": {"named": "seventhings_name != ''"},
}
EVERYWHERE = (
    "seventhings_name",
    "seventhings_city",
    "seventhings_location_name",
    "seventhings_extra[0].deep",
    "seventhings_building_id.display_name",
    "same",
    "longer",
    "listed[0]",
    "listed[1].deep",
    "formatted",
    "inventory_hostname",
    "group_names[0]",
    "hostvars[inventory_hostname].seventhings_name",
    "groups.all[0]",
)


def assert_no_door_opens(work: Workplace, payloads: Sequence[str], expressions: Iterable[str]) -> None:
    work.has(
        locations=[location(number, text, city=text) for number, text in enumerate(payloads, 1)],
        rooms=[room(number, text, number, extra=[{"deep": text}]) for number, text in enumerate(payloads, 1)],
    )
    tasks = [task for expression in expressions for task in every_door(expression)]
    shown = work.play(tasks, "-i", "lab.seventhings.yml", "-f", "2", vars={"own_secret": OWN})
    assert shown.out.count("unreachable=0") == len(payloads), shown.all[-2000:]
    assert_nothing_ran(shown)


def test_no_text_of_a_record_runs_through_any_door_of_a_play(work: Workplace) -> None:
    work.write(**CONSTRUCTED, hostname="at/{{ name }}")
    assert_no_door_opens(work, PAYLOADS, EVERYWHERE[:1])


@pytest.mark.sample(0)
def test_no_text_runs_from_any_place_that_a_record_reaches(work: Workplace) -> None:
    work.write(**CONSTRUCTED, hostname="at/{{ name }}")
    assert_no_door_opens(work, [PAYLOADS[0], PAYLOADS[2]], EVERYWHERE[1:] if LONG else EVERYWHERE[1::4])


def test_a_composed_variable_may_be_null(work: Workplace) -> None:
    work.has(rooms=[room(1, "Lab")])
    work.write(compose={"where": "seventhings_location_name", "same": "none"})
    (variables,) = work.inventory("--list").hosts.values()
    # Before 2.19 a template that evaluates to null gives an empty text.
    nothing = {"__ansible_unsafe": ""} if IS_TEXT_A_TEMPLATE else None
    assert (variables["where"], variables["same"]) == (None, nothing)


@pytest.mark.sample(0)
def test_no_text_runs_that_comes_from_the_cache(work: Workplace) -> None:
    work.write(**CONSTRUCTED, cache=True, cache_plugin="ansible.builtin.jsonfile", cache_connection="cache")
    for _time in ("cold", "warm"):
        assert_no_door_opens(work, [PAYLOADS[0], PAYLOADS[2]], ("seventhings_name", "same", "seventhings_city"))
    assert work.service.requests.count("rooms") == 1


@pytest.mark.sample(2)
@pytest.mark.parametrize("form", [["--list"], ["--list", "--yaml"], ["--graph", "--vars"], ["--list", "--export"]])
def test_no_form_of_the_inventory_runs_anything(work: Workplace, form: list[str]) -> None:
    work.has(rooms=[room(number, text) for number, text in enumerate(PAYLOADS, 1)])
    work.write(**CONSTRUCTED)
    shown = work.inventory(*form, "-vvvv")
    assert shown.status == 0
    assert_nothing_ran(shown)


def test_what_the_list_prints_is_data_when_it_comes_back_as_an_inventory(work: Workplace) -> None:
    """AWX does this: it stores the output of ``--list``, and passes it to Ansible from a script."""
    work.has(rooms=[room(1, PAYLOADS[0]), room(2, PAYLOADS[2])])
    work.write(compose={"same": "seventhings_name"})
    work.file("kept.json", work.inventory("--list", "--export").out)
    work.file("kept.sh", "#!/bin/sh\ncat kept.json\n")
    (work.directory / "kept.sh").chmod(0o755)
    tasks = [*every_door("seventhings_name"), *every_door("same")]
    shown = work.play(tasks, "-i", "kept.sh", vars={"own_secret": OWN})
    assert "room/lookup(" in shown.out
    assert_nothing_ran(shown)


def test_numbers_and_booleans_are_never_wrapped(work: Workplace) -> None:
    work.has(rooms=[room(31, PAYLOADS[0])])
    work.write()
    (variables,) = work.inventory("--list").hosts.values()
    assert variables["seventhings_id"] == 31
    assert variables["seventhings_is_active"] is True
    assert variables["seventhings_name"] == {"__ansible_unsafe": PAYLOADS[0]}


# ---- the cache


def warm_cache(work: Workplace, **options: Any) -> Path:
    """Return the cache file of an inventory with one room."""
    work.has(rooms=[room(1, "Lab")])
    work.write(cache=True, cache_plugin="ansible.builtin.jsonfile", cache_connection="cache", **options)
    assert work.inventory("--list").status == 0
    (file,) = (work.directory / "cache").iterdir()
    return file


def forge(file: Path, change: Callable[[str], str]) -> None:
    """Change data that Ansible serialized as a text."""
    text = file.read_text()
    # From 2.19 on, the payload is a text in JSON.
    payload = text if IS_TEXT_A_TEMPLATE else json.loads(text)["__payload__"]
    changed = change(payload)
    assert changed != payload
    file.write_text(changed if IS_TEXT_A_TEMPLATE else json.dumps({"__payload__": changed}))


def forge_trust(file: Path, payload: str) -> None:
    """Mark a text in a cache as a template, in the format of this ansible-core."""
    if IS_TEXT_A_TEMPLATE:
        file.write_text(file.read_text().replace('"Lab"', json.dumps(payload)))
        return
    persistence = import_module("ansible._internal._json._profiles._cache_persistence")
    trusted = json.dumps(as_template(payload), cls=persistence.Encoder)
    forge(file, lambda text: text.replace('"Lab"', trusted))


@pytest.mark.parametrize("payload", [PAYLOADS[0], PAYLOADS[2]])
def test_trust_that_is_written_into_a_cache_is_not_given(work: Workplace, payload: str) -> None:
    forge_trust(warm_cache(work), payload)
    work.service.requests.clear()
    shown = work.play(every_door("seventhings_name"), vars={"own_secret": OWN})
    assert work.service.requests == []
    assert_nothing_ran(shown)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "damage",
    [
        lambda _text: "",
        lambda _text: "{",
        lambda _text: "[]",
        lambda _text: "[" * 100_000,
        # Before 2.19 this is an ordinary map.
        *(
            []
            if IS_TEXT_A_TEMPLATE
            else [lambda text: text.replace('"Lab"', '{"__ansible_type": "datetime", "iso8601": "x"}')]
        ),
        lambda text: text.replace('"rooms": [', '"rooms": [7, '),
        lambda text: text.replace('"rooms"', '"floors"'),
        lambda text: text.replace('"records": {', '"records": [], "other": {'),
    ],
)
def test_what_is_no_cache_of_ours_is_read_anew(work: Workplace, damage: Callable[[str], str]) -> None:
    forge(warm_cache(work), damage)
    work.service.requests.clear()
    shown = work.inventory("--list")
    assert list(shown.hosts) == ["room/Lab"], shown.err
    assert "rooms" in work.service.requests
    assert "Traceback" not in shown.err


def test_the_directory_of_a_cache_is_private(work: Workplace) -> None:
    assert warm_cache(work).parent.stat().st_mode & 0o077 == 0


def assert_left_aside(work: Workplace, why: str) -> None:
    work.service.requests.clear()
    shown = work.inventory("--list")
    assert list(shown.hosts) == ["room/Lab"]
    assert "rooms" in work.service.requests
    assert why in shown.words


def test_a_cache_that_others_can_write_to_is_left_aside(work: Workplace) -> None:
    file = warm_cache(work)
    before = file.read_bytes()
    file.parent.chmod(0o777)
    assert_left_aside(work, "others can write to")
    assert file.read_bytes() == before
    file.parent.chmod(0o755)
    assert "others can read what is kept in" in work.inventory("--list").words


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to another user")
def test_a_cache_that_another_user_created_first_is_left_aside(work: Workplace) -> None:
    file = warm_cache(work)
    os.chown(file.parent, 12345, 12345)
    assert_left_aside(work, "belongs to another user")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a link to another user")
def test_a_cache_behind_a_link_of_another_user_is_left_aside(work: Workplace) -> None:
    warm_cache(work)
    link = work.directory / "link"
    link.symlink_to("cache")
    os.lchown(link, 12345, 12345)
    work.write(cache=True, cache_plugin="ansible.builtin.jsonfile", cache_connection="link")
    assert_left_aside(work, "is a link of another user")


# ---- names own nothing


MACHINES = "[databases]\ndb1 ansible_connection=local fact=machine\n[webservers]\nweb1 ansible_connection=local\n"


@pytest.fixture
def machines(work: Workplace) -> Workplace:
    """Return a workplace with another inventory source that lists machines."""
    work.file("hosts.ini", MACHINES)
    return work


def test_places_never_have_the_names_of_machines(machines: Workplace) -> None:
    machines.has(
        locations=[location(1, "databases"), location(2, "webservers")],
        rooms=[room(1, "db1", 1), room(2, "web1"), room(3, "localhost"), room(4, "all", 2)],
    )
    machines.write()
    for sources in (["hosts.ini", "lab.seventhings.yml"], ["lab.seventhings.yml", "hosts.ini"]):
        shown = machines.inventory("--list", "-i", sources[0], "-i", sources[1])
        groups = json.loads(shown.out)
        assert groups["databases"]["hosts"] == ["db1"]
        assert groups["webservers"]["hosts"] == ["web1"]
        assert set(shown.hosts) == {"db1", "web1", "databases/db1", "room/web1", "room/localhost", "webservers/all"}
        assert "seventhings_name" not in shown.hosts["db1"]
        assert ("put this inventory source last" in shown.words) is (sources[0] == "lab.seventhings.yml")


REFUSED: tuple[tuple[dict[str, Any], list[str], tuple[str, ...]], ...] = (
    ({"hostname": "name"}, ["db1"], ("hostname", "existing: join")),
    ({"hostname": "name", "existing": "join"}, ["localhost"], ("hostname", "host_prefix")),
    ({"hostname": "name", "existing": "join"}, ["127.0.0.1"], ("hostname",)),
    ({"hostname": "name", "existing": "join"}, ["::1"], ("hostname",)),
    ({"hostname": "name", "existing": "join"}, ["all"], ("hostname",)),
    ({"hostname": "name", "existing": "join"}, ["ungrouped"], ("hostname",)),
    ({"hostname": "name", "existing": "join"}, ["hostvars"], ("hostname",)),
    ({"hostname": "name", "existing": "join"}, ["environment"], ("hostname",)),
    # Ansible would set the host's variables on the group.
    ({"hostname": "name", "existing": "join"}, ["databases"], ("hostname", "group")),
    (
        {"keyed_groups": [{"key": "seventhings_name", "separator": ""}]},
        ["webservers"],
        ("keyed_groups", "existing"),
    ),
    ({"keyed_groups": [{"key": "seventhings_name", "separator": ""}]}, ["all"], ("keyed_groups",)),
    ({"keyed_groups": [{"key": "seventhings_name", "separator": ""}]}, ["ungrouped"], ("keyed_groups",)),
    ({"keyed_groups": [{"key": "seventhings_name", "separator": ""}]}, ["db1"], ("keyed_groups", "host")),
    (
        {"keyed_groups": [{"key": "seventhings_id|string", "parent_group": "{{ seventhings_name }}"}]},
        ["webservers"],
        ("keyed_groups", "existing"),
    ),
    (
        {"keyed_groups": [{"key": "seventhings_id|string", "parent_group": "{{ seventhings_name }}"}]},
        ["ungrouped"],
        ("keyed_groups",),
    ),
    ({"groups": {"webservers": "true"}}, ["Lab"], ("groups", "existing")),
    (
        {"hostname": "name", "existing": "join", "keyed_groups": [{"key": "seventhings_name", "separator": ""}]},
        ["mine"],
        ("hostname", "group"),
    ),
    ({}, [".."], ("hostname", "..")),
    ({}, ["."], ("hostname",)),
    ({"hostname": "x/{{ name }}"}, [".."], ("hostname",)),
    ({"hostname": "x/{{ name }}"}, ["../../etc/passwd"], ("hostname",)),
    ({"hostname": "{{ name }}/x"}, ["/etc"], ("hostname",)),
    ({"hostname": "{{ name }}/x"}, ["a/"], ("hostname",)),
    ({"hostname": 5}, ["Lab"], ("hostname: 5 does not fit",)),
    ({"hostname": {"name": "x"}}, ["Lab"], ("hostname:", "does not fit")),
    ({"hostname": [["name"]]}, ["Lab"], ("hostname:", "does not fit")),
    ({"variable_prefix": "ansible_"}, ["Lab"], ("variable_prefix",)),
    ({"group_prefix": "a-"}, ["Lab"], ("group_prefix",)),
)
"""Options of a source, names of rooms, and the expected message."""


def test_names_that_belong_to_somebody_else_are_refused_and_nothing_is_added(machines: Workplace) -> None:
    """One process reads many sources, each with an instance of its own."""
    sources = [f"{number}.seventhings.yml" for number in range(len(REFUSED))]
    with contextlib.ExitStack() as stack:
        for source, (options, names, _said) in zip(sources, REFUSED, strict=True):
            service = stack.enter_context(serving())
            service.lists["rooms"] = [room(number, name) for number, name in enumerate(["Other", *names], 1)]
            machines.write(source, base_url=service.base_url, **options)
        shown = machines.inventory(
            "--list", "-i", "hosts.ini", *(word for source in sources for word in ("-i", source))
        )
    assert set(shown.hosts) == {"db1", "web1"}, shown.all
    groups = json.loads(shown.out)
    assert set(groups) == {"_meta", "all", "databases", "webservers"}
    assert groups["webservers"] == {"hosts": ["web1"]}
    assert "seventhings" not in shown.out
    for source, (options, names, quoted) in zip(sources, REFUSED, strict=True):
        refusal = shown.refusal_of(str(machines.directory / source))
        assert [words for words in quoted if words not in refusal] == [], (options, names, refusal)
    assert "Traceback" not in shown.err


def test_a_location_without_a_prefix_takes_no_group(machines: Workplace) -> None:
    names = ["databases", "all", "ungrouped", "hostvars", "tags", "db1"]
    with contextlib.ExitStack() as stack:
        for name in names:
            service = stack.enter_context(serving())
            service.lists.update(locations=[location(1, name)], rooms=[room(1, "Lab", 1)])
            machines.write(f"{name}.seventhings.yml", base_url=service.base_url, group_prefix="")
        sources = [word for name in names for word in ("-i", f"{name}.seventhings.yml")]
        shown = machines.inventory("--list", "-i", "hosts.ini", *sources)
    assert set(shown.hosts) == {"db1", "web1"}
    for name in names:
        assert "group_prefix" in shown.refusal_of(str(machines.directory / f"{name}.seventhings.yml"))


def test_who_joins_gets_no_connection(machines: Workplace) -> None:
    machines.has(
        locations=[location(1, "databases")], rooms=[room(1, "db1", 1, fact="room"), room(2, "new", 1, fact="room")]
    )
    machines.write(hostname="name", existing="join", group_prefix="")
    machines.file("hosts.ini", MACHINES.replace("db1 ansible_connection=local", "db1 ansible_connection=chroot"))
    shown = machines.inventory("--list", "-i", "hosts.ini", "-i", "lab.seventhings.yml")
    assert shown.hosts["db1"]["ansible_connection"] == "chroot"
    assert shown.hosts["db1"]["fact"] == "machine"
    assert shown.hosts["db1"]["seventhings_fact"] == {"__ansible_unsafe": "room"}
    assert not [name for name in shown.hosts["new"] if name.startswith("ansible_")]
    assert json.loads(shown.out)["databases"]["hosts"] == ["db1", "new"]


def test_an_ad_hoc_command_for_a_group_of_machines_never_reaches_a_room(machines: Workplace) -> None:
    machines.has(locations=[location(1, "databases")], rooms=[room(1, "db1", 1), room(2, "databases")])
    machines.write()
    for pattern in ("databases", "db1"):
        shown = machines.run("ansible", pattern, "-i", "lab.seventhings.yml", "-i", "hosts.ini", "--list-hosts")
        assert shown.out.split() == ["hosts", "(1):", "db1"]


@pytest.mark.parametrize(("other", "is_later"), [("a.hosts", False), ("z.hosts", True)])
def test_in_a_directory_a_source_may_come_later_too(work: Workplace, other: str, is_later: bool) -> None:
    work.has(rooms=[room(1, "Lab")])
    work.file("sources/group_vars/all.yml", "x: 1\n")
    work.file("sources/z.cfg", "")
    work.file(f"sources/{other}", MACHINES)
    work.write("sources/lab.seventhings.yml")
    work.write("sources/more.seventhings.yml", host_prefix="more/", group_prefix="more_")
    shown = work.inventory("--list", "-i", "sources")
    assert set(shown.hosts) == {"db1", "web1", "room/Lab", "more/room/Lab"}
    assert ("put this inventory source last" in shown.words) is is_later
    assert "last" in work.inventory("--list", "-i", "sources", "-i", "db2,db3").words


def test_no_field_sets_a_variable_of_ansible(work: Workplace) -> None:
    fields = {
        "ansible_ssh_common_args": "-o ProxyCommand=id",
        "ansible-connection": "ssh",
        "ansible.python.interpreter": "/tmp/evil",
        "ansible_host": "127.0.0.1",
        "inventory_dir": "/tmp/evil",
        "hostvars": "x",
        "lookup": "x",
    }
    for prefix in ("", "ansible", "ansib"):
        keys = {key.removeprefix(prefix): text for key, text in fields.items() if key.startswith(prefix)}
        work.has(locations=[location(1, "Site", **keys)], rooms=[room(1, "Lab", 1, **keys)])
        work.write(variable_prefix=prefix)
        shown = work.inventory("--list")
        assert "evil" not in shown.out
        assert "ProxyCommand" not in shown.out
        (variables,) = shown.hosts.values()
        assert variables["ansible_connection"] == "local"
        assert "ansible_host" not in variables
        assert "variable_prefix" in shown.words


# ---- files


def test_a_name_reads_no_file_that_is_not_its_own(machines: Workplace) -> None:
    machines.file("vault/x.yml", f"leaked: {OWN}\n")
    machines.file("host_vars/db1/vault.yml", f"leaked: {OWN}\n")
    machines.file("group_vars/databases.yml", f"leaked: {OWN}\n")
    rooms = [("..", "vault"), ("db1", "vault"), ("../vault", "x"), ("x/../../vault", "x"), ("..", "../vault/x")]
    for place, name in rooms:
        machines.has(locations=[location(1, place)], rooms=[room(1, name, 1)])
        machines.write()
        shown = machines.inventory("--list", "-i", "hosts.ini", "-i", "lab.seventhings.yml", "--limit", "!databases")
        assert OWN not in shown.all, (place, name)
    machines.has(rooms=[room(1, "databases"), room(2, "x" * 5000), room(3, "host_vars"), room(4, "db1.yml")])
    shown = machines.inventory("--list", "-i", "hosts.ini", "-i", "lab.seventhings.yml", "--limit", "!databases")
    assert len(shown.hosts) == 5
    assert OWN not in shown.all


@pytest.mark.sample(1)
@pytest.mark.parametrize("hostname", ["", "at/{{ name }}"])
def test_a_name_reads_no_file_by_a_variable_of_the_environment(work: Workplace, hostname: str) -> None:
    """When Ansible looks for the files of a host, it expands environment variables in the host name."""
    work.file("vault.yml", f"leaked: {OWN}\n")
    for folder in ("room", "at"):
        work.file(f"host_vars/{folder}/keep", "")
    work.has(rooms=[room(1, "$ELSEWHERE"), room(2, "${ELSEWHERE}"), room(3, "5 $"), room(4, "x$$ELSEWHERE")])
    work.write(hostname=hostname)
    shown = work.inventory("--list", "-i", "lab.seventhings.yml", ELSEWHERE="../../vault")
    assert len(shown.hosts) == 4
    assert OWN not in shown.all
    start = "at" if hostname else "room"
    assert {f"{start}/_ELSEWHERE", f"{start}/_{{ELSEWHERE}}", f"{start}/5 $"} < set(shown.hosts)


# ---- what is printed


UNSEEN = "A\x1b[2J\x07\x9b31m\u202egnp\u200b\u2028\ud800\x00B"


def test_names_are_one_line_without_control_characters(work: Workplace) -> None:
    work.has(
        locations=[location(1, f"{UNSEEN} @all:\n  |--@databases:\n")],
        rooms=[room(1, f"{UNSEEN}\r\n|--web1", 1), room(2, UNSEEN), room(3, UNSEEN)],
    )
    for hostname in ("", "x/{{ name }}"):
        work.write(hostname=hostname)
        shown = work.inventory("--graph")
        assert shown.status == 0, shown.err
        assert len(shown.out.splitlines()) == 6
        assert not [letter for letter in shown.all if not letter.isprintable() and letter != "\n"]
        assert r"A\u001b[2J\u0007" in shown.out


def test_a_name_is_taken_literally(machines: Workplace) -> None:
    """A name that looks like a pattern matches nothing else in the inventory."""
    names = ["a:22", "a[1:3]", "*", "!db1", "&db1", "~.*", "@hosts.ini", "a,db1", "a db1", "-i"]
    machines.has(rooms=[room(number, name) for number, name in enumerate(names, 1)])
    machines.write()
    shown = machines.inventory("--list", "-i", "hosts.ini", "-i", "lab.seventhings.yml")
    rooms = {f"room/{name}" for name in names}
    assert set(shown.hosts) == {"db1", "web1", *rooms}
    assert [name for name in rooms if "ansible_port" in shown.hosts[name]] == []
