# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Show a fleet of ten embedded instances in one play.

It has a base, overlays and variables. The second run changes nothing, and an unreachable instance does not stop the
others.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import Any

import yaml
from emulator_process import running
from playbook import environment
from project import BIN, BUILD, ROOT

_WORK = BUILD / "demo-fleet"
_FILES = _WORK / "fleet"
_RESULT = _WORK / "all.json"
_LOG = _WORK / "demo.log"
_OVERLAYS = ("berlin", "bonn", "kiel")
_INSTANCES = 10


def main() -> int:
    """Provision the fleet three times. Return 1 if it does not show the promised output."""
    started = time.monotonic()
    shutil.rmtree(_WORK, ignore_errors=True)
    shutil.copytree(ROOT / "examples" / "fleet", _FILES)
    (_WORK / "password").write_text("demo\n", "utf-8")
    with ExitStack() as stack:
        roots = [stack.enter_context(running(data="empty")).base_url for _number in range(_INSTANCES)]
        hosts = {f"site{number:02d}": _host(number, root) for number, root in enumerate(roots)}
        print(f"The files of examples/fleet and {_INSTANCES} empty embedded services, one for each site.")
        print("\n1. Provision all of them in one play.")
        first = _play(hosts, 0)
        print("\n2. The same again: nothing to do.")
        second = _play(hosts, 0)
        print("\n3. One site can't be reached.")
        hosts["site03"]["seventhings_base_url"] = "http://127.0.0.1:9"
        third = _play(hosts, 2)
    shown = [
        (_outcomes(first) == ["changed"] * _INSTANCES, f"first run     {_INSTANCES} instances provisioned in one play"),
        (_outcomes(second) == ["unchanged"] * _INSTANCES, "second run    nothing to do on any of them"),
        (
            sorted(_outcomes(third)) == ["failed"] + ["unchanged"] * (_INSTANCES - 1),
            "one is down   it is named, and the others went on",
        ),
    ]
    print("\nWhat was shown\n")
    for is_met, text in shown:
        print(f"  {'yes' if is_met else 'NO '}  {text}")
    print(f"  {time.monotonic() - started:.0f} s", "", f"Output of all commands: {_LOG.relative_to(ROOT)}", sep="\n")
    return 0 if all(is_met for is_met, _text in shown) else 1


def _host(number: int, root: str) -> dict[str, Any]:
    """Return one instance of the inventory."""
    variables = {"city": f"City {number}", "floors": number % 4 + 1}
    return {"seventhings_base_url": root, "seventhings_variables": variables, "site": _OVERLAYS[number % 3]}


def _play(hosts: dict[str, Any], status: int) -> dict[str, Any]:
    """Provision the fleet, print the outcome of each instance, and return the result."""
    (_FILES / "instances.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}), "utf-8")
    print("   $ ansible-playbook community.seventhings.fleet -i instances.yml --forks 10", flush=True)
    done = subprocess.run(
        [
            str(BIN / "ansible-playbook"), "community.seventhings.fleet", "-i", "instances.yml", "--forks", "10",
            "--vault-password-file", str(_WORK / "password"), "-e", f"fleet_report={_RESULT}",
        ],
        cwd=_FILES,
        env=environment({"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml", "XDG_STATE_HOME": str(_WORK / "state")}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )  # fmt: skip
    with _LOG.open("a", encoding="utf-8") as log:
        log.write(done.stdout)
    if done.returncode != status:
        sys.exit(f"{done.stdout}\nThe demo did not show what it promises: exit status {done.returncode}, not {status}.")
    result: dict[str, Any] = json.loads(_RESULT.read_text("utf-8"))
    for instance in result["instances"]:
        counts = ", ".join(f"{count} {what}" for what, count in instance["counts"].items() if count)
        print(f"     {instance['host']}  {instance['outcome']}: {instance['reason'] or counts}")
    return result


def _outcomes(result: dict[str, Any]) -> list[str]:
    return [instance["outcome"] for instance in result["instances"]]


if __name__ == "__main__":
    sys.exit(main())
