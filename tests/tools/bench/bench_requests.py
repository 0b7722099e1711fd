# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Count the requests of a plan, a change and an inventory."""

from __future__ import annotations

import json
import math
import shlex
import shutil
from pathlib import Path

import many_places
import requests
from bench_page import Part
from bench_play import PREFIX, WORK, Sizes, command, instance, play, run, writes
from emulator_process import Emulator, running
from project import ROOT

_DEFINITIONS = 3
_LOGIN = 1


def plan_requests(sizes: Sizes) -> Part:
    """Count the requests of a plan of very many unchanged records, and of changes."""
    part = Part("Requests of a plan and of changes")
    directory = WORK / "everything"
    with running(data=str(sizes.records)) as service:
        play(service, [{"community.seventhings.instance_export": {"dest": str(directory)}}])
        service.clear_log()
        planned = play(service, [instance(directory)], check=True).result
        sent = len(service.log())
        counts = {section: counted["unchanged"] for section, counted in planned["summary"].items()}
        _must_be(planned["outcome"] == "unchanged", f"the plan of an export is {planned['outcome']}")
        lists = {section: math.ceil(number / 1000) for section, number in counts.items() if section != "fields"}
        wanted = sum(lists.values()) + _DEFINITIONS + _LOGIN
        records = sum(counts[section] for section in lists)
        part.exactly(f"requests of the plan of {records:,} unchanged records", sent, wanted)
        part.table(
            ("section", "records", "lists of 1,000"),
            [(section, f"{counts[section]:,}", number) for section, number in lists.items()],
            f"The plan of an instance that matches its files reads {sum(lists.values())} lists of records and "
            f"{_DEFINITIONS} lists of definitions, and sends {_LOGIN} login.",
        )
        _change_behind(service, sizes.changes)
        service.clear_log()
        applied = play(service, [instance(directory)]).result
        _must_be(len(applied["changes"]) == sizes.changes, f"{len(applied['changes'])} changes were planned")
        part.exactly(f"writes of an apply with {sizes.changes} changed objects", writes(service.log()), sizes.changes)
    _example(part)
    return part


def _change_behind(service: Emulator, number: int) -> None:
    """Change some objects in the application, not in the files."""
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {service.token()}"
        root = service.base_url + PREFIX
        listed = session.get(f"{root}/objects", params={"per_page": str(number)}, timeout=60)
        listed.raise_for_status()
        for record in listed.json()["items"]:
            body = {"description": "changed by somebody"}
            session.patch(f"{root}/object/{record['uuid']}", json=body, timeout=60).raise_for_status()


def _example(part: Part) -> None:
    directory = WORK / "acme"
    shutil.copytree(ROOT / "examples" / "acme", directory)
    rows: list[tuple[str, int, int, int]] = []
    with running(data="empty") as service:
        for title, check in (
            ("plan of an empty instance", True),
            ("apply", False),
            ("plan, nothing to change", True),
            ("apply again, nothing to change", False),
        ):
            service.clear_log()
            changes = play(service, [instance(directory, allow=["users"])], check).result["changes"]
            log = service.log()
            rows.append((title, len(changes), len(log), writes(log)))
    part.table(
        ("`examples/acme`", "changes", "requests", "of these writes"),
        rows,
        "The example instance has every kind of record, including a user and links in both directions. One request in "
        "each run proves that a list without a total is complete. The result is reused for a day only for lists with "
        "more than two tasks.",
    )


def inventory(sizes: Sizes) -> Part:
    """Measure an inventory of very many rooms."""
    part = Part("Inventory")
    store = WORK / "places.sqlite3"
    many_places.fill(store, sizes.rooms, sizes.locations)
    (WORK / "lab.seventhings.yml").write_text("plugin: community.seventhings.places\n", "utf-8")
    with running(db=str(store)) as service:
        first, sent, ours, bare, hosts = _listed(service, sizes.rounds)
    _must_be(hosts == sizes.rooms, f"the inventory has {hosts} hosts")
    part.at_most(f"requests of an inventory of {sizes.rooms:,} rooms and {sizes.locations} locations", sent, 13, 0)
    part.at_most("time of the inventory, relative to a script that prints the same JSON", ours / bare, 1.1)
    part.table(
        ("rooms", "locations", "requests", "of the first run of a day", "seconds", "seconds of a script"),
        [(f"{sizes.rooms:,}", sizes.locations, sent, first, f"{ours:.1f}", f"{bare:.1f}")],
        "Every room is a host, and every location is a group. One request of the first run of a day proves that the "
        "list of field definitions, which has no total, is complete. The seconds include the start of Ansible. The "
        "script is an inventory script that only prints the same JSON.",
    )
    return part


def large_inventory(sizes: Sizes) -> Part:
    """Measure an inventory of very many objects."""
    part = Part("A large inventory")
    number = sizes.hosts_of_objects
    (WORK / "lab.seventhings.yml").write_text("plugin: community.seventhings.places\nhosts: objects\n", "utf-8")
    with running(data=str(number)) as service:
        _first, sent, ours, bare, hosts = _listed(service, 1)
    _must_be(hosts == number, f"the inventory has {hosts} hosts")
    what = f"time of an inventory of {number:,} objects, relative to a script that prints the same JSON"
    part.at_most(what, ours / bare, 1.1)
    part.table(
        ("objects", "requests", "seconds", "seconds of a script"),
        [(f"{number:,}", sent, f"{ours:.1f}", f"{bare:.1f}")],
        "Every object is a host, and every room and location is a group. The seconds include the start of Ansible. The "
        "script is an inventory script that only prints the same JSON.",
    )
    return part


def _listed(service: Emulator, rounds: int) -> tuple[int, int, float, float, int]:
    """Measure an inventory.

    Return the requests of its first run and of its second run, its shortest time, that of a script with the same
    output, and its hosts.
    """
    words = [command("ansible-inventory"), "-i", str(WORK / "lab.seventhings.yml"), "--list"]
    outputs, sent = [], []
    for _run in range(2):
        service.clear_log()
        outputs.append(run(words, service, {}).output)
        sent.append(len(service.log()))
    # Ansible may print a warning before the document.
    printed = outputs[1][outputs[1].index("{") :]
    hosts = len(json.loads(printed)["_meta"]["hostvars"])
    script = _script_that_prints(printed)
    again = [command("ansible-inventory"), "-i", str(script), "--list"]
    ours, bare = (min(run(line, service, {}).seconds for _turn in range(rounds)) for line in (words, again))
    return sent[0], sent[1], ours, bare, hosts


def _script_that_prints(text: str) -> Path:
    """Return an inventory script with this output."""
    kept, script = WORK / "places.json", WORK / "places.sh"
    kept.write_text(text, "utf-8")
    script.write_text(f"#!/bin/sh\ncat {shlex.quote(str(kept))}\n", "utf-8")
    script.chmod(0o755)
    return script


def _must_be(is_met: bool, otherwise: str) -> None:
    if not is_met:
        raise RuntimeError(otherwise)
