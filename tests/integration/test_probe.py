# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The probe in real processes, and an embedded service that behaves like the probed instance."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import documentation
import playbook
import pytest
import yaml
from emulator_process import Emulator, running
from playbook import Run
from project import ROOT

PREFIX = "/customer-api/v1"
OURS = "community.seventhings."
CALM = ROOT / "tests" / "emulator" / "profiles" / "embedded_calm.json"
_PROBE = f"""\
import json, sys
from ansible_collections.{OURS}plugins.plugin_utils.probe.action import probe
print(json.dumps(probe(json.loads(sys.argv[1]), False)))
"""


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    emulator.reset()
    return emulator


def by_name(directory: Path, service: Emulator, **variables: Any) -> Run:
    """Run the playbook of the collection."""
    noted = directory / "results.jsonl"
    noted.unlink(missing_ok=True)
    (directory / "variables.yml").write_text(yaml.safe_dump(variables), "utf-8")
    environment = {
        **service.variables(),
        "ANSIBLE_CALLBACK_PLUGINS": str(ROOT / "tests" / "integration" / "callback_plugins"),
        "ANSIBLE_CALLBACKS_ENABLED": "record_results",
        "RECORD_RESULTS_FILE": str(noted),
    }
    command = [str(Path(sys.executable).with_name("ansible-playbook")), f"{OURS}probe", "-e", "@variables.yml"]
    return playbook.finish(command, directory, environment, noted)


def writes(service: Emulator) -> list[str]:
    """Return all requests except GETs."""
    lines = (f"{entry['method']} {entry['path'].removeprefix(PREFIX)}" for entry in service.log())
    return [line for line in lines if not line.startswith("GET ")]


def test_a_playbook_probes_and_writes_the_profile(service: Emulator, tmp_path: Path) -> None:
    service.clear_log()
    run = by_name(tmp_path, service)
    assert run.status == 0, run.output
    probed = run.named("Probe the instance")
    assert probed["changed"]
    assert probed["outcome"] == "fine"
    assert writes(service) == ["POST /auth_token"]
    assert len(service.log()) == probed["requests"] <= 80
    assert json.loads((tmp_path / "profile.json").read_text("utf-8")) == probed["profile"]
    assert "Outcome: fine." in run.output
    assert service.password not in run.output


def test_the_instance_that_is_written_to_may_stand_in_the_environment(service: Emulator, tmp_path: Path) -> None:
    before = service.steer("GET", "/dump?canonical=1")
    run = by_name(tmp_path, service, probe_tier="touch", probe_allow_writes=service.base_url)
    assert run.status == 0, run.output
    switches = run.named("Probe the instance")["profile"]["switches"]
    # This tier signs in once more, with the credentials from the environment.
    assert switches["refresh_rotation"]["state"] == "yes"
    assert service.steer("GET", "/dump?canonical=1") == before


def test_the_module_keeps_its_promises(service: Emulator, tmp_path: Path) -> None:
    before = service.steer("GET", "/dump?canonical=1")
    tasks: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("predicted", {"mode": "0640"}, {"check_mode": True}),
        ("looked", {"mode": "0640"}, {}),
        ("looked again", {"mode": "0640"}, {}),
        ("no leave", {"tier": "touch"}, {"ignore_errors": True}),
        ("other leave", {"tier": "trace", "allow_writes": "https://other.example"}, {"ignore_errors": True}),
        ("sweep without leave", {"sweep": True}, {"ignore_errors": True}),
        ("nowhere", {"dest": "none/profile.json"}, {"ignore_errors": True}),
        ("touch predicted", {"tier": "touch", "allow_writes": f"{service.base_url}/"}, {"check_mode": True}),
        ("touched", {"tier": "touch", "allow_writes": f"{service.base_url}/", "dest": "touched.json"}, {}),
        ("swept", {"sweep": True, "allow_writes": service.base_url}, {}),
        ("sweep predicted", {"sweep": True, "allow_writes": service.base_url}, {"check_mode": True}),
        ("kept a copy", {"dest": "touched.json", "backup": True}, {}),
    ]
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {f"group/{OURS}all": {**service.options(), "rate_limit": 0}},
        "tasks": [{"name": name, f"{OURS}probe": options, **more} for name, options, more in tasks],
    }
    service.clear_log()
    run = playbook.run(tmp_path, [play])
    assert run.status == 0, run.output
    named = {name: run.named(name) for name, _options, _more in tasks}

    changed = {name: result.data.get("changed") for name, result in named.items()}
    assert [name for name in changed if changed[name]] == [
        "predicted",
        "looked",
        "touched",
        "kept a copy",
    ]
    assert named["predicted"]["diff"] == {"before": {}, "after": {"dest": "profile.json"}}
    assert named["looked again"]["diff"] == {"before": {}, "after": {}}
    assert (tmp_path / "profile.json").stat().st_mode & 0o777 == 0o640
    assert "allow_writes is missing: the tier touch writes" in named["no leave"]["msg"]
    words = "allow_writes does not name the instance that base_url names, and the tier trace writes; expected"
    assert f"{words} {service.base_url}" in named["other leave"]["msg"]
    assert "allow_writes is missing: sweep: true deletes" in named["sweep without leave"]["msg"]
    assert "dest: the directory none does not exist" in named["nowhere"]["msg"]
    assert named["touch predicted"]["profile"]["tier"] == "look"
    assert named["touched"]["profile"]["tier"] == "touch"
    assert named["swept"]["swept"] == 0
    assert len(named["kept a copy"]["backup_files"]) == 1
    assert service.steer("GET", "/dump?canonical=1") == before
    assert [path.name for path in tmp_path.glob("*.journal")] == []
    results = [result.data for result in run.results if not result.failed]
    assert documentation.misfits(results, documentation.returned("probe")) == []
    assert documentation.never_seen(results, documentation.returned("probe")) == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("after", [5, 25])
def test_a_process_that_is_killed_leaves_nothing_that_a_sweep_does_not_find(
    service: Emulator, tmp_path: Path, after: int
) -> None:
    before = service.steer("GET", "/dump?canonical=1")
    options = {
        **service.options(),
        "rate_limit": 0,
        "tier": "touch",
        "dest": str(tmp_path / "profile.json"),
        "allow_writes": service.base_url,
        "sweep": False,
    }
    service.clear_log()
    with subprocess.Popen([sys.executable, "-c", _PROBE, json.dumps(options)], env=_environment()) as process:
        while process.poll() is None:
            if len(writes(service)) >= after:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
    assert process.returncode == -signal.SIGKILL
    journal = tmp_path / "profile.json.journal"
    assert journal.exists()
    assert service.steer("GET", "/dump?canonical=1") != before
    command = [sys.executable, "-c", _PROBE, json.dumps({**options, "sweep": True})]
    done = subprocess.run(command, env=_environment(), capture_output=True, check=True, text=True)
    swept = json.loads(done.stdout)
    assert swept["changed"], swept
    assert service.steer("GET", "/dump?canonical=1") == before
    assert not journal.exists()


def _environment() -> dict[str, str]:
    return {**playbook.environment(), "PYTHONPATH": str(ROOT / ".build" / "link")}


def test_the_service_starts_like_a_profile(tmp_path: Path) -> None:
    profile = json.loads(CALM.read_text("utf-8"))
    profile["switches"]["link_read"]["side"] = "zero"
    profile["switches"]["number_form"]["side"] = "string"
    written = tmp_path / "profile.json"
    written.write_text(json.dumps(profile), "utf-8")
    with running("--weather", "rough", "--like", str(written), "--switch", "number_form=number") as service:
        sides = {name: switch["side"] for name, switch in service.steer("GET", "/switches").items()}
    assert (sides["link_read"], sides["number_form"], sides["link_read"]) == ("zero", "number", "zero")
    expected = {name: switch["side"] for name, switch in profile["switches"].items() if switch["side"]}
    assert {name: side for name, side in sides.items() if name in expected} == {**expected, "number_form": "number"}
    # The other switches are unknown.
    assert sides["revoke"] == "user"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{}", "this is not the profile of an instance"),
        ("[1]", "this is not the profile of an instance"),
        ("[" * 100_000, "this is not the profile of an instance"),
        ('{"switches": {}' + " " * (1 << 20) + "}", "this is not the profile of an instance"),
        ('{"switches": {}, "version": {"profile": 2}}', "this profile is of version 2; expected 1. Probe the instance"),
        ('{"switches": {"list_totl": {"side": "none"}}}', "no switch is called 'list_totl'; near: list_total"),
        ('{"switches": {"list_total": {"side": "few"}}}', "list_total is one of given, text, none, not 'few'"),
    ],
)
def test_what_is_no_profile_is_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "profile.json"
    path.write_text(content, "utf-8")
    command = [sys.executable, str(ROOT / "tests" / "emulator"), "--like", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"{path}: {words}" in done.stderr


def test_a_pipe_in_place_of_a_profile_delays_no_probe(tmp_path: Path) -> None:
    path = tmp_path / "profile.json"
    os.mkfifo(path)
    command = [sys.executable, str(ROOT / "tests" / "emulator"), "--like", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert f"{path}: this is not a regular file" in done.stderr
