# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A fleet in real processes: one report about all instances, and a failing instance stops no other."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from emulator_here import running_here
from emulator_process import Emulator
from playbook import Run, run
from project import ROOT

FILES = {
    "base/instance.yml": "api: seventhings/v1\nset: sites\ninstance: ${root}\nvariables: {city: {}, root: {}}\n",
    "base/locations.yml": "- {name: Depot, city: '${city}'}\n",
    "overlays/berlin/locations.yml": "- name: Berlin\n",
    "overlays/bonn/locations.yml": "- name: Bonn\n",
    "overlays/dead/locations.yml": "- name: Dead\n",
    "overlays/locked/locations.yml": "- name: Locked\n",
    "overlays/other/locations.yml": "- name: Other\n",
}


@pytest.fixture(scope="module")
def services() -> Iterator[list[Emulator]]:
    """Two empty instances."""
    with running_here("empty") as first, running_here("empty") as second:
        yield [first, second]


def _fleet(
    root: Path,
    name: str,
    hosts: Mapping[str, Any],
    *options: str,
    environment: Mapping[str, str] | None = None,
    **variables: Any,
) -> Run:
    """Play a playbook of the collection, or another playbook by its path."""
    for file, content in FILES.items():
        path = root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (root / "instances.yml").write_text(yaml.safe_dump({"all": {"hosts": dict(hosts)}}))
    source = ["base", "overlays/{{ inventory_hostname }}"]
    prefix = "fleet_drift" if name == "fleet_drift" else "fleet"
    (root / "given.yml").write_text(yaml.safe_dump({f"{prefix}_src": source, **variables}))
    book = ROOT / "playbooks" / f"{name}.yml" if "/" not in name else Path(name)
    return run(root, book, "-i", "instances.yml", "-e", "@given.yml", *options, variables=environment)


def _hosts(services: list[Emulator]) -> dict[str, dict[str, Any]]:
    prefixed = {f"seventhings_{name}": value for name, value in services[1].options().items()}
    return {
        "berlin": {
            **services[0].options(),
            "seventhings_variables": {"city": "Berlin", "root": services[0].base_url},
        },
        "bonn": {**prefixed, "seventhings_variables": {"city": "Bonn", "root": services[1].base_url}},
    }


def test_all_instances_are_provisioned_and_one_that_is_bad_stops_nobody(
    tmp_path: Path, services: list[Emulator]
) -> None:
    good = _hosts(services)
    bad = {
        "dead": {
            **good["berlin"],
            "base_url": "http://127.0.0.1:9",
            "seventhings_variables": {"city": "Berlin", "root": "http://127.0.0.1:9"},
        },
        "locked": {**good["berlin"], "password": "wr0ng-password"},
        "mistuned": {**good["berlin"], "seventhings_tuning": {"retrys": 1}},
        "nameless": {"seventhings_variables": {"city": "Nowhere"}},
        "other": {
            **good["berlin"],
            "seventhings_variables": {"city": "Berlin", "root": "https://other.example.com"},
        },
    }
    done = _fleet(tmp_path, "fleet", {**good, **bad}, fleet_report=str(tmp_path / "all.json"))
    result = json.loads((tmp_path / "all.json").read_text())
    found = {instance["host"]: (instance["outcome"], instance["failed"]) for instance in result["instances"]}
    assert found == {
        "berlin": ("changed", False),
        "bonn": ("changed", False),
        "dead": ("failed", True),
        "locked": ("failed", True),
        "mistuned": ("failed", True),
        "nameless": ("failed", True),
        "other": ("refused", True),
    }, done.output
    assert (done.status, result["outcome"], result["failed"]) == (2, "failed", 5)
    reasons = {instance["host"]: instance["reason"] for instance in result["instances"]}
    assert "https://other.example.com" in reasons["other"]
    assert "nameless has no base_url" in reasons["nameless"]
    assert "did you mean retries?" in reasons["mistuned"]
    for host, city in (("berlin", "Berlin"), ("bonn", "Bonn")):
        own = json.loads((tmp_path / f"all-{host}.json").read_text())
        assert own["summary"]["locations"]["created"] == 2
        assert [change["after"].get("city") for change in own["changes"] if change["key"] == "Depot"] == [city]
    assert "7 instances, 5 failed: failed" in done.output
    assert "wr0ng-password" not in done.output
    reports = list(tmp_path.glob("all*.json"))
    assert len(reports) > 2
    assert {stat.S_IMODE(report.stat().st_mode) for report in reports} == {0o600}


def test_no_default_of_a_play_is_mixed_into_the_connection_of_a_host(tmp_path: Path, services: list[Emulator]) -> None:
    (play,) = yaml.safe_load((ROOT / "playbooks" / "fleet.yml").read_text())
    others = {**services[0].options(), "client_cert": "/missing"}
    keys = ["group/community.seventhings.all", "community.seventhings.instance"]
    play["module_defaults"] = dict.fromkeys(keys, others)
    (tmp_path / "play.yml").write_text(yaml.safe_dump([play]))
    services[0].clear_log()
    done = _fleet(tmp_path, str(tmp_path / "play.yml"), {"bonn": _hosts(services)["bonn"]})
    assert done.status == 0, done.output
    assert services[0].log() == []


@pytest.mark.parametrize("layers", [["base", "overlays/kiel"], "base,overlays/kiel"])
def test_a_site_needs_no_overlay(tmp_path: Path, services: list[Emulator], layers: list[str] | str) -> None:
    done = _fleet(tmp_path, "fleet", {"kiel": _hosts(services)["berlin"]}, "--check", fleet_src=layers)
    assert "kiel has no overlays/kiel, so the other layers are used alone" in done.output
    assert done.status == 0, done.output


@pytest.mark.sample(0)
@pytest.mark.parametrize("ending", ["md", "html"])
def test_a_plan_of_the_fleet_is_reported_as_one(tmp_path: Path, services: list[Emulator], ending: str) -> None:
    for service in services:
        service.reset()
    done = _fleet(tmp_path, "fleet", _hosts(services), "--check", fleet_report=str(tmp_path / f"all.{ending}"))
    assert done.status == 0, done.output
    text = (tmp_path / f"all.{ending}").read_text()
    assert "changed: 2 instances, 0 failed" in text
    assert "Planned, nothing was written." in text
    assert (tmp_path / f"all-bonn.{ending}").exists()
    assert "2 instances, 0 failed (planned, nothing was written): changed" in done.output


@pytest.mark.sample(0)
def test_a_report_is_in_the_directory_of_the_play_and_says_why_a_host_fails(
    tmp_path: Path, services: list[Emulator]
) -> None:
    """It is not beside the playbook, and replaces the reports of the previous run."""
    host = _hosts(services)["bonn"]
    hosts = {
        "unnamed": {**host, "seventhings_password": "{{ vault_unnamed }}"},
        "unplaced": {**host, "seventhings_base_url": "{{ root_unplaced }}"},
    }
    (tmp_path / "all-unnamed.json").write_text("of an earlier run")
    given: dict[str, Any] = {"fleet_report": "all.json", "fleet_src": ["base", "{{ site }}"]}
    _fleet(tmp_path, "fleet", {"lost": host}, **given)
    assert "'site' is undefined" in _reasons(tmp_path / "all.json")["lost"]
    variables = {"SEVENTHINGS_PASSWORD": services[1].password}
    done = _fleet(tmp_path, "fleet", hosts, fleet_report="all.json", environment=variables)
    reasons = _reasons(tmp_path / "all.json")
    assert "'vault_unnamed' is undefined" in reasons["unnamed"], done.output
    assert "'root_unplaced' is undefined" in reasons["unplaced"]
    assert not (tmp_path / "all-unnamed.json").exists()
    assert list((ROOT / "playbooks").glob("*.json")) == []


def _reasons(account: Path) -> dict[str, str]:
    return {instance["host"]: instance["reason"] for instance in json.loads(account.read_text())["instances"]}


def test_a_report_of_another_kind_is_refused(tmp_path: Path, services: list[Emulator]) -> None:
    services[0].clear_log()
    hosts = {"berlin": _hosts(services)["berlin"]}
    done = _fleet(tmp_path, "fleet", hosts, fleet_report="all.sarif")
    assert (done.status, services[0].log()) == (2, [])
    assert "fleet_report: all.sarif ends in .sarif; expected .json, .md or .html" in done.output


@pytest.mark.sample(0)
def test_each_batch_is_reported_when_it_ends(tmp_path: Path, services: list[Emulator]) -> None:
    """Later batches are not reported as failed, and planned changes are not reported as done."""
    for service in services:
        service.reset()
    hosts = _hosts(services)
    nowhere = "http://127.0.0.1:9"
    hosts["bonn"] |= {"seventhings_base_url": nowhere, "seventhings_variables": {"city": "Bonn", "root": nowhere}}
    hosts["dead"] = hosts["bonn"]
    (tmp_path / "serial.yml").write_text(
        yaml.safe_dump(
            [
                {
                    "hosts": "all",
                    "connection": "local",
                    "gather_facts": False,
                    "serial": 1,
                    "roles": ["community.seventhings.fleet"],
                }
            ]
        )
    )
    # A text, as in -e provision_apply=false.
    given: dict[str, Any] = {"provision_apply": "false", "fleet_report": "all.json"}
    done = _fleet(tmp_path, str(tmp_path / "serial.yml"), hosts, **given)
    result = json.loads((tmp_path / "all.json").read_text())
    assert [(instance["host"], instance["outcome"], instance["failed"]) for instance in result["instances"]] == [
        ("berlin", "changed", False),
        ("bonn", "failed", True),
        ("dead", "pending", False),
    ], done.output
    assert result["check_mode"]
    assert "3 instances, 0 failed (planned, nothing was written): changed" in done.output


@pytest.mark.sample(0)
def test_drift_of_one_instance_fails_the_fleet_and_the_others_are_reported(
    tmp_path: Path, services: list[Emulator]
) -> None:
    for service in services:
        service.reset()
    hosts = _hosts(services)
    assert _fleet(tmp_path, "fleet", {"berlin": hosts["berlin"]}).status == 0
    written = _fleet(tmp_path, "fleet_drift", hosts, fleet_drift_report=str(tmp_path / "drift.md")).output
    report = (tmp_path / "drift.md").read_text()
    assert "| missing in the instance | different in the instance | only in the instance |" in report
    for words in (written, report):
        assert "created" not in words
        assert "ompared, nothing was written" in words
    assert re.search(r"bonn +drift +\d+ missing in the instance", written)
    done = _fleet(tmp_path, "fleet_drift", hosts, fleet_drift_report=str(tmp_path / "drift.json"))
    result = json.loads((tmp_path / "drift.json").read_text())
    assert [(instance["host"], instance["outcome"], instance["failed"]) for instance in result["instances"]] == [
        ("berlin", "unchanged", False),
        ("bonn", "drift", True),
    ], done.output
    assert done.status == 2


@pytest.mark.sample(0)
@pytest.mark.parametrize(("ending", "title"), [("md", ": `berlin: http"), ("html", "<h1>berlin: http")])
def test_the_report_of_each_host_names_it(tmp_path: Path, services: list[Emulator], ending: str, title: str) -> None:
    hosts = {"berlin": _hosts(services)["berlin"]}
    assert _fleet(tmp_path, "fleet", hosts, "--check", fleet_report=str(tmp_path / f"all.{ending}")).status == 0
    own = (tmp_path / f"all-berlin.{ending}").read_text()
    assert title in own


@pytest.mark.sample(0)
def test_names_of_hosts_steer_no_report_and_are_never_too_long_for_one(
    tmp_path: Path, services: list[Emulator]
) -> None:
    dead = {**_hosts(services)["berlin"], "base_url": "http://127.0.0.1:9"}
    hosts = {"bad\r\r# title\x1b\u202e": dead, "\u65e5" * 60: dead}
    done = _fleet(tmp_path, "fleet", hosts, "--check", fleet_report=str(tmp_path / "all.md"))
    text = (tmp_path / "all.md").read_bytes().decode()
    assert "`` bad??# title?? ``" in text, done.output
    assert not set("\r\x1b\u202e") & set(text)
    assert "too long" not in text
