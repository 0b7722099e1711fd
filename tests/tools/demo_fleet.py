# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""A fleet, shown on ten embedded instances in one play: a base, overlays and variables; the second run changes nothing;
one instance that is down stops nobody.
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
_ACCOUNT = _WORK / "all.json"
_OVERLAYS = ("berlin", "bonn", "kiel")
_INSTANCES = 10


def main() -> int:
    """Runs the fleet three times; ends with 1 where it does not show what it promises."""
    started = time.monotonic()
    shutil.rmtree(_WORK, ignore_errors=True)
    shutil.copytree(ROOT / "examples" / "fleet", _FILES)
    (_WORK / "password").write_text("demo\n", "utf-8")
    with ExitStack() as stack:
        roots = [stack.enter_context(running(data="empty")).base_url for _number in range(_INSTANCES)]
        hosts = {f"site{number:02d}": _host(number, root) for number, root in enumerate(roots)}
        first = _play(hosts, 0)
        second = _play(hosts, 0)
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
    print("\n=== What was shown\n")
    for holds, text in shown:
        print(f"  {'yes' if holds else 'NO '}  {text}")
    print(f"  {time.monotonic() - started:.0f} s; accounts: {_WORK.relative_to(ROOT)}/all*.json")
    return 0 if all(holds for holds, _text in shown) else 1


def _host(number: int, root: str) -> dict[str, Any]:
    """One instance of the inventory."""
    variables = {"city": f"City {number}", "floors": number % 4 + 1}
    return {"seventhings_base_url": root, "seventhings_variables": variables, "site": _OVERLAYS[number % 3]}


def _play(hosts: dict[str, Any], status: int) -> dict[str, Any]:
    """Provisions the fleet, shows what is printed, and returns the account."""
    (_FILES / "instances.yml").write_text(yaml.safe_dump({"all": {"hosts": hosts}}), "utf-8")
    done = subprocess.run(
        [
            str(BIN / "ansible-playbook"), "community.seventhings.fleet", "-i", "instances.yml", "--forks", "10",
            "--vault-password-file", str(_WORK / "password"), "-e", f"fleet_report={_ACCOUNT}",
        ],
        cwd=_FILES,
        env=environment({"ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml", "XDG_STATE_HOME": str(_WORK / "state")}),
        check=False,
    )  # fmt: skip
    if done.returncode != status:
        sys.exit(f"The demo did not show what it promises: the play ended with {done.returncode}, not with {status}.")
    account: dict[str, Any] = json.loads(_ACCOUNT.read_text("utf-8"))
    return account


def _outcomes(account: dict[str, Any]) -> list[str]:
    return [one["outcome"] for one in account["instances"]]


if __name__ == "__main__":
    sys.exit(main())
