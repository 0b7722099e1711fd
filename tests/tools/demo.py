# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Show the main job on real data.

An instance on the embedded service is provisioned from its files. Then the files change, somebody changes the instance
in the application, and these changes are absorbed into the files.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import forked
import requests
from emulator_process import Emulator, running
from playbook import environment
from project import BIN, BUILD, ROOT

_WORK = BUILD / "demo"
_FILES = _WORK / "acme"
_CHANGED_FILE = _FILES / "objects" / "it.yml"
_OLD, _NEW = 'purchasing_price: "849.90"', 'purchasing_price: "799.00"'
_PLAY = ("ansible-playbook", "site.yml")
_SECONDS = 600
_LOG = _WORK / "demo.log"
_REPORT = _WORK / "report.html"
_USER = "ada.jensen@acme.example"

GO_ON = (
    "How to go on: read examples/acme (it is all YAML). Start a service of your own with 'make emulator', paste the",
    "lines that it prints into another terminal, and run there, in this directory:",
    "  .venv/bin/ansible-playbook examples/acme/site.yml --check",
    "  .venv/bin/ansible-playbook examples/acme/site.yml",
    "Then your own instance, with its credentials. To begin with what it has:",
    "  .venv/bin/ansible-playbook community.seventhings.export -e export_dest=my-instance",
)
"""The next steps, with commands that a test runs literally."""


@dataclass
class Demo:
    """Print the story, and check whether each step shows the promised output."""

    service: Emulator
    shown: list[tuple[bool, str]] = field(default_factory=list)
    step: int = 0

    def say(self, text: str) -> None:
        self.step += 1
        print(f"\n{self.step}. {text}", flush=True)

    def quote(self, *lines: str) -> None:
        """Print lines of a command's output below its step."""
        print(*(f"     {line}" for line in lines), sep="\n", flush=True)

    def show(self, is_met: bool, text: str) -> None:
        self.shown.append((is_met, text))

    def run(self, *command: str, fails: bool = False, extra: dict[str, str] | None = None) -> str:
        """Run a command, append its output to the log, and end the demo if it fails or succeeds unexpectedly."""
        shown = shlex.join(part.replace(f"{_WORK}/", "") for part in command)
        print(f"   $ {shown}", flush=True)
        variables = {**self.service.variables(), "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml", **(extra or {})}
        # Keep the journals with the other files of the demo.
        variables["XDG_STATE_HOME"] = str(_WORK / "state")
        done = forked.run([str(BIN / command[0]), *command[1:]], _FILES, environment(variables), _SECONDS)
        with _LOG.open("a", encoding="utf-8") as log:
            log.write(f"$ {shlex.join(command)}\n{done.stdout}\n")
        if (done.returncode != 0) != fails:
            sys.exit(f"{done.stdout}\nThe demo did not show what it promises: the command above ended unexpectedly.")
        return done.stdout


def main() -> int:
    """Run every step. Return 1 if a step does not show the promised output."""
    started = time.monotonic()
    shutil.rmtree(_WORK, ignore_errors=True)
    shutil.copytree(ROOT / "examples" / "acme", _FILES)
    print(
        "The files of examples/acme and an empty embedded service. Its user signed in before, as with single sign-on."
    )
    with running(data="empty") as service, running(data="empty") as other:
        for instance in (service, other):
            instance.add_user(_USER)
        demo = Demo(service)
        _provision(demo)
        _change(demo)
        _drift(demo)
        _export(demo, other)
        demo.say("Rooms and locations as an inventory.")
        graph = demo.run("ansible-inventory", "-i", "lab.seventhings.yml", "--graph")
        demo.quote(*graph.splitlines())
        demo.show("Shipyard" in graph and "Reception" in graph, "inventory     rooms are hosts, locations are groups")
        sent = len(service.log())
    print("\nWhat was shown\n")
    for is_met, text in demo.shown:
        print(f"  {'yes' if is_met else 'NO '}  {text}")
    print(
        f"  {sent} requests to the instance, {time.monotonic() - started:.0f} s",
        "",
        f"Output of all commands: {_LOG.relative_to(ROOT)}",
        f"Report: {(_WORK / 'report.html').relative_to(ROOT)} (open it in a browser)",
        *GO_ON,
        "examples/ci and examples/awx put it into a pipeline.",
        sep="\n",
    )
    return 0 if all(is_met for is_met, _text in demo.shown) else 1


def _recap(printed: str) -> str:
    """Return Ansible's count of changes and failures."""
    found = re.findall(r"changed=\d+ +unreachable=\d+ +failed=\d+", printed)
    return re.sub(r" +(?:unreachable=0 +)?", " ", found[-1]) if found else ""


def _reported(printed: str) -> list[str]:
    """Return the lines of the last task that reports: changes, counts, and the outcome."""
    block = printed.rpartition(": Report] ")[2].partition("\n\n")[0]
    lines = [line.strip().removeprefix("- ") for line in block.splitlines()[3:]]
    return [line[1:-1].replace("''", "'") if line.startswith("'") else line for line in lines]


def _provision(demo: Demo) -> None:
    demo.say("Plan: the files are validated, then compared with an empty instance. Nothing is sent.")
    planned = demo.run(*_PLAY, "--check")
    demo.quote(*_reported(planned))
    created = sum(int(count) for count in re.findall(r"(\d+) created", planned))
    writes = [entry for entry in demo.service.log() if entry["method"] != "GET" and "auth_token" not in entry["path"]]
    demo.show(
        "objects: 6 created" in planned and not writes, f"plan          {created} records to create, nothing was sent"
    )
    demo.say("Apply it, with a report as a page.")
    demo.quote(_reported(demo.run(*_PLAY, "-e", f"provision_report={_REPORT}"))[-1])
    demo.show(_REPORT.exists(), f"apply         all of them created, {_REPORT.name} written")
    demo.say("The same again: nothing to do.")
    recap = _recap(demo.run(*_PLAY))
    demo.quote(recap)
    demo.show(recap == "changed=0 failed=0", f"second run    {recap}")


def _change(demo: Demo) -> None:
    demo.say(f"In objects/it.yml {_OLD} becomes {_NEW}. Check mode shows what would happen.")
    _CHANGED_FILE.write_text(_CHANGED_FILE.read_text("utf-8").replace(_OLD, _NEW), "utf-8")
    predicted = demo.run(*_PLAY, "--check", "--diff")
    demo.quote(*re.findall(r"^ objects .*\n(?:[-+] .*\n)+", predicted, re.MULTILINE)[0].splitlines())
    demo.show("objects: 1 updated, 5 unchanged" in predicted, "check mode    exactly that value, before and after")
    demo.say("Apply it.")
    applied = demo.run(*_PLAY)
    demo.quote(_reported(applied)[-1])
    demo.show("objects: 1 updated, 5 unchanged" in applied, "then applied  exactly that value")


def _drift(demo: Demo) -> None:
    demo.say("Somebody renames an object in the application. The drift job finds it and fails.")
    _rename(demo.service, "Projector Elbe", "Beamer")
    found = demo.run("ansible-playbook", "community.seventhings.drift", "-e", f"drift_src={_FILES}", fails=True)
    demo.quote(*_differing(found))
    says = 'files say "Projector Elbe" / instance has "Beamer"'
    demo.show(says in found, "drift         found, named, not touched")
    demo.say("The files win again.")
    demo.quote(_reported(demo.run(*_PLAY))[-1])


def _differing(printed: str) -> list[str]:
    """Return the record that differs, with its fields below it."""
    found = re.findall(r"~ objects .*\n(?:.*files say .*\n)+", printed)
    records, *values = [line.strip(" -'") for line in found[0].splitlines()] if found else [""]
    return [records, *(f"    {value}" for value in values)]


def _rename(service: Emulator, old: str, new: str) -> None:
    """Rename a record, as a person does in the web application."""
    root = service.base_url + "/customer-api/v1"
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {service.token()}"
        objects = session.get(f"{root}/objects", params={"per_page": 100}, timeout=30).json()["items"]
        uuid = next(found["uuid"] for found in objects if found["inventory_name"] == old)
        session.patch(f"{root}/object/{uuid}", json={"inventory_name": new}, timeout=30).raise_for_status()


def _export(demo: Demo, other: Emulator) -> None:
    demo.say("Export the instance as files, provision another, empty instance from them, and export that instance.")
    first, second = _WORK / "export", _WORK / "export-of-the-copy"
    demo.run("ansible-playbook", "community.seventhings.export", "-e", f"export_dest={first}")
    here = f'{{"provision_src": "{first}", "provision_expect_instance": ["{other.base_url}"]}}'
    copied = demo.run("ansible-playbook", "community.seventhings.provision", "-e", here, extra=other.variables())
    demo.quote(_reported(copied)[-1])
    demo.run("ansible-playbook", "community.seventhings.export", "-e", f"export_dest={second}", extra=other.variables())
    same = [path for path in _records(first) if (second / path).read_bytes() == (first / path).read_bytes()]
    demo.show(
        len(same) == len(_records(first)) == len(_records(second)),
        f"round trip    export, provision a copy, export the copy: {len(same)} files, the same bytes",
    )


def _records(root: Path) -> list[Path]:
    """Return the files of an export with records, except those that name the instance."""
    return sorted(
        path.relative_to(root)
        for path in root.rglob("*.yml")
        if path.name != "instance.yml" and ".seventhings" not in path.parts
    )


if __name__ == "__main__":
    sys.exit(main())
