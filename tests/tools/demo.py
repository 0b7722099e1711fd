# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The main job, shown on real data: an instance from its directory of files, on the embedded service; then what changes
in the files, what changes behind their back, and the way back into files.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import requests
from emulator_process import Emulator, running
from playbook import environment
from project import BIN, BUILD, ROOT

_WORK = BUILD / "demo"
_FILES = _WORK / "acme"
_CHANGED_FILE = _FILES / "objects" / "it.yml"
_OLD, _NEW = 'purchasing_price: "849.90"', 'purchasing_price: "799.00"'
_PLAY = ("ansible-playbook", "site.yml")

GO_ON = (
    "How to go on: read examples/acme (it is all YAML). Start a service of your own with 'make emulator', paste the",
    "lines that it prints into another terminal, and run there, in this directory:",
    "  .venv/bin/ansible-playbook examples/acme/site.yml --check",
    "  .venv/bin/ansible-playbook examples/acme/site.yml",
    "Then your own instance, with its credentials. To begin with what it has:",
    "  .venv/bin/ansible-playbook community.seventhings.export -e export_dest=my-instance",
)
"""The next steps, with commands that a test runs as they are written."""


@dataclass
class Demo:
    """The steps, and whether each showed what it promises."""

    service: Emulator
    shown: list[tuple[bool, str]] = field(default_factory=list)
    step: int = 0

    def say(self, text: str) -> None:
        self.step += 1
        print(f"\n=== {self.step}. {text}\n", flush=True)

    def show(self, holds: bool, text: str) -> None:
        self.shown.append((holds, text))

    def run(self, *command: str, fails: bool = False, extra: dict[str, str] | None = None) -> str:
        """Runs a command and shows what it prints; ends the demo where it fails and should not."""
        print("$", *command, flush=True)
        variables = {**self.service.variables(), "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml", **(extra or {})}
        # The journals go with the other files of the demo.
        variables["XDG_STATE_HOME"] = str(_WORK / "state")
        with subprocess.Popen(
            [str(BIN / command[0]), *command[1:]],
            cwd=_FILES,
            env=environment(variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            lines = []
            for line in process.stdout or ():
                lines.append(line)
                print(line, end="", flush=True)
        if (process.returncode != 0) != fails:
            sys.exit("The demo did not show what it promises: the command above should have ended otherwise.")
        return "".join(lines)


def main() -> int:
    """Runs every step; ends with 1 where one of them does not show what it promises."""
    started = time.monotonic()
    shutil.rmtree(_WORK, ignore_errors=True)
    shutil.copytree(ROOT / "examples" / "acme", _FILES)
    with running(data="empty") as service, running(data="empty") as other:
        demo = Demo(service)
        _provision(demo)
        _change(demo)
        _drift(demo)
        _export(demo, other)
        demo.say("Rooms and locations as an inventory")
        graph = demo.run("ansible-inventory", "-i", "lab.seventhings.yml", "--graph")
        demo.show("Shipyard" in graph and "Reception" in graph, "inventory     rooms are hosts, locations are groups")
        sent = len(service.log())
    print("\n=== What was shown\n")
    for holds, text in demo.shown:
        print(f"  {'yes' if holds else 'NO '}  {text}")
    print(
        f"  {sent} requests to the instance, {time.monotonic() - started:.0f} s",
        "",
        f"Report: {(_WORK / 'report.html').relative_to(ROOT)} (open it in a browser)",
        *GO_ON,
        "examples/ci and examples/awx put it into a pipeline.",
        sep="\n",
    )
    return 0 if all(holds for holds, _text in demo.shown) else 1


def _recap(printed: str) -> str:
    """Ansible's own count of the last line."""
    found = re.findall(r"changed=\d+ +unreachable=\d+ +failed=\d+", printed)
    return re.sub(" +", " ", found[-1]) if found else ""


def _provision(demo: Demo) -> None:
    demo.say("Plan: the files are judged without a connection, then compared with an empty instance. Nothing is sent")
    planned = demo.run(*_PLAY, "--check")
    writes = [one for one in demo.service.log() if one["method"] != "GET" and "auth_token" not in one["path"]]
    demo.show(
        "objects: 6 created" in planned and not writes, "plan          25 records would be made, nothing was sent"
    )
    demo.say("Apply, with a report as a page")
    demo.run(*_PLAY, "-e", f"provision_report={_WORK / 'report.html'}")
    written = (_WORK / "report.html").exists()
    demo.show(written, "apply         all of them made, report.html written")
    demo.say("The same again: nothing to do")
    recap = _recap(demo.run(*_PLAY))
    demo.show(recap == "changed=0 unreachable=0 failed=0", f"second run    {recap.replace('unreachable=0 ', '')}")


def _change(demo: Demo) -> None:
    demo.say(f"One value changed in objects/it.yml ({_OLD} is now {_NEW}): what would happen?")
    _CHANGED_FILE.write_text(_CHANGED_FILE.read_text("utf-8").replace(_OLD, _NEW), "utf-8")
    predicted = demo.run(*_PLAY, "--check", "--diff")
    demo.show("objects: 1 updated, 5 unchanged" in predicted, "check mode    exactly the one value, before and after")
    demo.say("Apply it")
    applied = demo.run(*_PLAY)
    demo.show("objects: 1 updated, 5 unchanged" in applied, "then applied  exactly the one value")


def _drift(demo: Demo) -> None:
    demo.say("Somebody renames an object behind the files' back; the drift job finds it and fails")
    _rename(demo.service, "Projector Elbe", "Beamer")
    found = demo.run("ansible-playbook", "community.seventhings.drift", "-e", f"drift_src={_FILES}", fails=True)
    demo.show('"Beamer" -> "Projector Elbe"' in found, "drift         found, named, not touched")
    demo.say("The files win again")
    demo.run(*_PLAY)


def _rename(service: Emulator, old: str, new: str) -> None:
    """Renames a record, as a person does in the web application."""
    root = service.base_url + "/customer-api/v1"
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {service.token()}"
        objects = session.get(f"{root}/objects", params={"per_page": 100}, timeout=30).json()["items"]
        uuid = next(one["uuid"] for one in objects if one["inventory_name"] == old)
        session.patch(f"{root}/object/{uuid}", json={"inventory_name": new}, timeout=30).raise_for_status()


def _export(demo: Demo, other: Emulator) -> None:
    demo.say("Export the instance as files, provision another, empty instance from them, and export that one")
    first, second = _WORK / "export", _WORK / "export-of-the-copy"
    demo.run("ansible-playbook", "community.seventhings.export", "-e", f"export_dest={first}")
    settings = first / "instance.yml"
    settings.write_text(settings.read_text("utf-8") + "policy: {create_users: true}\n", "utf-8")
    here = f'{{"provision_src": "{first}", "provision_expect_instance": ["{other.base_url}"]}}'
    demo.run("ansible-playbook", "community.seventhings.provision", "-e", here, extra=other.variables())
    demo.run("ansible-playbook", "community.seventhings.export", "-e", f"export_dest={second}", extra=other.variables())
    same = [path for path in _records(first) if (second / path).read_bytes() == (first / path).read_bytes()]
    demo.show(
        len(same) == len(_records(first)) == len(_records(second)),
        f"round trip    export, provision a copy, export the copy: {len(same)} files, the same bytes",
    )


def _records(root: Path) -> list[Path]:
    """The files of an export that hold records: not what names the instance."""
    return sorted(
        path.relative_to(root)
        for path in root.rglob("*.yml")
        if path.name != "instance.yml" and ".seventhings" not in path.parts
    )


if __name__ == "__main__":
    sys.exit(main())
