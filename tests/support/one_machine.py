# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One user on one machine with the embedded service in this process.

Every call is a process of its own, and time passes only while a client sleeps.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import steps
from embedded_here import Embedded, Killed
from playbook import Result

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.plan.allowed import USERS
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import Creations
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.caps import Caps
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.options import RunOptions
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.run import run_instance
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult

SETTINGS = "api: seventhings/v1\nset: test\n"


class Machine:
    """One user on one machine. Time passes only when somebody sleeps.

    :ivar runtime: where processes share their locks and marks; None: nothing is shared.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.service = Embedded.started()
        self.runtime: Path | None = directory / "runtime"
        self.runtime.mkdir(0o700)
        self.client = self.connect()

    def connect(self) -> Client:
        """Return the connection of a new process."""
        clock, client = self.service.clock, self.service.client()
        if self.runtime is not None:
            client.creations = Creations(
                Folder(self.runtime), "here", clock=clock.now, sleep=clock.forward, now=clock.now
            )
            client.transport.on_unsafe = client.creations.refresh
            client.transport.on_lost = client.creations.lose
        return client

    def call(self, module: str, check_mode: bool = False, **options: Any) -> Result:
        """Run a module in a process of its own."""
        self.client = self.connect()
        self.client.transport.read_only = check_mode
        return steps.call(module, options, check_mode, lambda _options, _check: self.client)

    def write(self, **files: str) -> None:
        """Write the files of a desired state. The settings are added if they are missing."""
        for name, text in {"instance": SETTINGS, **files}.items():
            path = self.directory / "files" / f"{name}.yml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def run(self, kill: bool = False, check_mode: bool = False) -> RunResult:
        """Apply the files in a process of its own, or plan them (check mode).

        :param kill: kill it when it sleeps for the first time.
        """
        self.client = self.connect()
        self.client.transport.read_only = check_mode
        if kill:
            kill_at_the_loss(self.client)
        caps = Caps(limits={"create_percent": 1000, "delete_percent": 100}, allow=frozenset({USERS}))
        options = RunOptions(check_mode, journal=self.directory, caps=caps)
        return run_instance(self.client, load(self.directory / "files"), options, clock=self.service.clock.now)

    def writes(self) -> list[tuple[str, str]]:
        """Return method and path of each request that changes something, except logins."""
        return [(method, path) for method, path in self.service.log if method != "GET" and "auth_token" not in path]

    def posts(self, path: str) -> int:
        """Return the number of POST requests to a path."""
        return self.service.log.count(("POST", f"/customer-api/v1{path}"))

    def lists(self, path: str) -> int:
        """Return how often a list was read."""
        return self.service.log.count(("GET", f"/customer-api/v1{path}"))


def kill_at_the_loss(client: Client) -> None:
    """Kill the process of a client when it sleeps for the first time."""

    def killed(_seconds: float) -> None:
        raise Killed

    client.transport.sleep = killed
