# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Use the built archive like its users.

Run ``python tests/tools/alone.py [2.20 2.16@3.12 ...]``.

For each supported ansible-core, the tool creates an empty environment and an empty home, installs the archive as the
README says, shows all documentation, and runs the embedded service, the README's playbooks, a whole instance, inventory
and lookup, a fleet, and the rulebook for Event-Driven Ansible (if Java is found). Only the archive and the README come
from the checkout.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import archive
import guides
import interpreters
import sanity
import yaml
from emulator_process import Emulator, running
from platforms import CORES, specifier
from project import BUILD, COLLECTION_PATH, ROOT

_WORK = BUILD / "alone"
_WALL_TIME_FACTOR = 60.0
_RULEBOOK = next(
    line
    for line in (ROOT / "tests" / "requirements-rulebook.txt").read_text("utf-8").splitlines()
    if line.startswith("ansible-rulebook")
)
_EXPECTED = re.compile(
    "No inventory was parsed|provided hosts list is empty|.*(which is not created|a new user gets an e-mail)"
    "|Collection at '[^']*/ansible/_internal/"
)
"""Warnings of every play without an inventory, of the README's run, which creates no user, and of Ansible about its own
files.
"""
_LOOK = """
- hosts: all
  gather_facts: false
  tasks:
    - ansible.builtin.assert:
        that: looked == seventhings_name
      vars:
        looked: "{{ lookup('community.seventhings.record', 'room', seventhings_uuid, field='name') }}"
"""
"""A play that looks up every room of the inventory."""
_CLOSE = """
- hosts: localhost
  gather_facts: false
  tasks:
    - community.seventhings.task_info:
        filters: {status: open}
      register: open
    - community.seventhings.task:
        uuid: "{{ open.records[0].uuid }}"
        status: closed
"""


class Alone:
    """An environment with one ansible-core, and a home in which the archive is installed."""

    def __init__(self, core: str, python: Path) -> None:
        self.folder = _WORK / core
        self.bin = self.folder / "venv" / "bin"
        self.home = self.folder / "home"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.home.mkdir(parents=True)
        self.site = self.home / ".ansible" / "collections"
        self.collection = self.site / COLLECTION_PATH
        own = ("ANSIBLE_", "SEVENTHINGS_", "PYTHON", "VIRTUAL_ENV", "XDG_")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        path = os.pathsep.join([str(self.bin), os.defpath.removeprefix(":")])
        self.env.update(HOME=str(self.home), PATH=path, ANSIBLE_NOCOLOR="true", PYTHONUNBUFFERED="1")
        self.run([str(python), "-m", "venv", str(self.folder / "venv")])
        self.run(["pip", "install", "--quiet", specifier(core)])

    def run(self, command: list[str], **variables: str) -> str:
        """Run a command in the home directory, and return its output. A failed command ends the tool."""
        print("$", *command, flush=True)
        program = shutil.which(command[0], path=self.env["PATH"]) or command[0]
        done = subprocess.run(
            [program, *command[1:]],
            cwd=self.home,
            env={**self.env, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{done.stdout}\nThat ended with {done.returncode}.")
        return done.stdout

    def play(self, service: Emulator, *words: str, changed: int | None = None) -> str:
        """Run ansible-playbook. With ``changed``, every host must have this number of changes."""
        printed = self.run(["ansible-playbook", *words], **service.variables())
        counts = set(map(int, re.findall(r"changed=(\d+)", printed)))
        if changed is not None and counts != {changed}:
            sys.exit(f"{printed}\n{changed} changes were expected.")
        _refuse_warnings(printed)
        return printed

    @contextmanager
    def service(self, data: str) -> Iterator[Emulator]:
        """Yield the embedded service of the installed collection."""
        with running(data=data, root=self.collection, python=str(self.bin / "python")) as service:
            yield service


def _refuse_warnings(printed: str) -> None:
    """End the tool if anything is deprecated, or if there is an unexpected warning."""
    words = " ".join(printed.split()).split("[WARNING]: ")[1:]
    unexpected = [text for text in words if not _EXPECTED.match(text[:200])]
    # pip writes warnings in another form. Indexes that are missing are a matter of this machine.
    unexpected += re.findall("^(?:ERROR|WARNING): (?!Location ).*", printed, re.MULTILINE)
    if "DEPRECATION" in printed or unexpected:
        sys.exit(f"{printed}\nNothing should be deprecated, and nothing warned of.")


def install(alone: Alone, built: Path) -> None:
    """Run the commands under "Installation" of the README, with the archive instead of its name on Galaxy."""
    text = guides.README.read_text("utf-8")
    block = re.search(r"## Installation\n.*?```shell\n(.*?)```", text, re.DOTALL)
    assert block is not None
    for line in block[1].splitlines():
        words = line.replace(archive.NAME, str(built), 1).replace("~", str(alone.home)).split()
        _refuse_warnings(alone.run(words))
    alone.run(["pip", "install", "--quiet", "-r", str(alone.collection / "tests" / "emulator" / "requirements.txt")])


def documentation(alone: Alone) -> int:
    """Read the documentation of every plugin and role, as JSON and as text. Return how many there are."""
    names = archive.documented(alone.site)
    for kind, full in names.items():
        for form in ([], ["--json"]):
            printed = alone.run(["ansible-doc", "--type", kind, *form, *full])
            _refuse_warnings(printed)
            absent = [name for name in full if not re.search(rf"{re.escape(name)}\b", printed, re.IGNORECASE)]
            if absent:
                sys.exit(f"{printed}\nansible-doc does not know the {kind} {', '.join(absent)}.")
    return sum(map(len, names.values()))


def first_steps(alone: Alone) -> None:
    """Run the playbooks of the README, and its commands for a whole instance."""
    text = guides.README.read_text("utf-8")
    for name, content in re.findall(r"as `(\w+\.yml)`.*?^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        (alone.home / name).write_text(content, "utf-8")
    acme = f"{alone.collection}/examples/acme"
    with alone.service("demo") as service:
        alone.play(service, "laptop.yml", changed=3)
        alone.play(service, "laptop.yml", changed=0)
        alone.play(service, "move.yml", "--check", "--diff", changed=1)
        provision = ["community.seventhings.provision", "-e", f"provision_src={acme}"]
        alone.play(service, *provision, "--check", changed=1)
        alone.play(service, *provision, changed=1)
        alone.play(service, "community.seventhings.drift", "-e", f"drift_src={acme}", changed=0)
        alone.play(service, "community.seventhings.export", "-e", f"export_dest={alone.home}/my-instance", changed=1)


def readers(alone: Alone) -> None:
    """Run the inventory of the rooms, and the lookup of each."""
    source = alone.home / "lab.seventhings.yml"
    source.write_text("plugin: community.seventhings.places\n", "utf-8")
    (alone.home / "look.yml").write_text(_LOOK, "utf-8")
    with alone.service("demo") as service:
        listed = alone.run(["ansible-inventory", "-i", source.name, "--list"], **service.variables())
        _refuse_warnings(listed)
        hosts = json.loads(listed)["_meta"]["hostvars"]
        alone.play(service, "look.yml", "-i", source.name, changed=0)
        print(f"{len(hosts)} rooms in the inventory, each looked up")


def fleet(alone: Alone) -> None:
    """Run examples/fleet with an embedded service for each instance."""
    folder = alone.home / "fleet"
    shutil.copytree(alone.collection / "examples" / "fleet", folder)
    (alone.home / "password").write_text("demo\n", "utf-8")
    inventory = yaml.safe_load((folder / "instances.yml").read_text("utf-8"))
    words = ["community.seventhings.fleet", "-i", str(folder / "instances.yml")]
    words += ["--vault-password-file", str(alone.home / "password")]
    with ExitStack() as stack:
        for host in inventory["all"]["hosts"].values():
            service = stack.enter_context(alone.service("empty"))
            host["seventhings_base_url"] = service.base_url
        (folder / "instances.yml").write_text(yaml.safe_dump(inventory), "utf-8")
        alone.play(service, *words)
        alone.play(service, *words, changed=0)


def events(alone: Alone) -> str:
    """Run examples/eda: a closed task must be reported. Return the output."""
    if shutil.which("java", path=alone.env["PATH"]) is None:
        return "no Java, so no rulebook"
    alone.run(["pip", "install", "--quiet", _RULEBOOK])
    folder = alone.home / "eda"
    shutil.copytree(alone.collection / "examples" / "eda", folder)
    rulebook = folder / "rulebook.yml"
    rulebook.write_text(rulebook.read_text("utf-8").replace("interval: 60", "interval: 1"), "utf-8")
    (alone.home / "close.yml").write_text(_CLOSE, "utf-8")
    log = alone.folder / "rulebook.log"
    with alone.service("demo") as service, log.open("w") as output:
        # The example watches a field that these files create.
        acme = f"provision_src={alone.collection}/examples/acme"
        alone.play(service, "community.seventhings.provision", "-e", acme, changed=1)
        process = subprocess.Popen(
            [alone.bin / "ansible-rulebook", "--rulebook", "rulebook.yml", "--inventory", "inventory.yml"],
            cwd=folder,
            env={**alone.env, **service.variables()},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        try:
            _wait(process, log, lambda: any(path.stat().st_size for path in alone.home.rglob("changes.jsonl")))
            alone.play(service, "close.yml", changed=1)
            _wait(process, log, lambda: "A task was closed" in log.read_text("utf-8"))
        finally:
            process.terminate()
            process.wait(_WALL_TIME_FACTOR)
    return "rulebook"


def _wait(process: subprocess.Popen[bytes], log: Path, condition: Callable[[], bool]) -> None:
    """Wait for an effect of a process. End the tool if the process ends without it."""
    end = time.monotonic() + _WALL_TIME_FACTOR
    while not condition():
        if process.poll() is not None or time.monotonic() > end:
            sys.exit(log.read_text("utf-8"))
        time.sleep(0.2)


def main() -> None:
    """Run everything on each requested ansible-core, by default on all for which an interpreter is found."""
    built = archive.build()
    lines = []
    for core_version in sys.argv[1:] or CORES:
        core, _at, wish = core_version.partition("@")
        python = interpreters.find().get(int(wish.removeprefix("3."))) if wish else sanity.python_for(core)
        if python is None:
            lines.append(f"{core}: not run, no Python for it")
            continue
        alone = Alone(core, python)
        install(alone, built)
        count = documentation(alone)
        first_steps(alone)
        readers(alone)
        fleet(alone)
        lines.append(f"{core} on {python.name}: {count} documented, first steps, readers, fleet, {events(alone)}")
    print("", *lines, sep="\n")


if __name__ == "__main__":
    main()
