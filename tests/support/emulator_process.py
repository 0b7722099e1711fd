# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Start and control the embedded service in a process of its own, for tests, the demo and the benchmark."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from project import ROOT

_STOP_SECONDS = 15
_REQUEST_SECONDS = 30

_OWN = threading.local()


def _session() -> requests.Session:
    """Return the connections of this thread and process, because a forked process can't use those of its parent."""
    if getattr(_OWN, "pid", 0) != os.getpid():
        _OWN.session, _OWN.pid = requests.Session(), os.getpid()
        _OWN.session.trust_env = False
    session: requests.Session = _OWN.session
    return session


@dataclass(frozen=True)
class Emulator:
    """A running service: its address, its users, and the steering calls."""

    base_url: str
    username: str
    password: str
    client_id: str
    admin_url: str

    def variables(self) -> dict[str, str]:
        """Return the environment variables with which the collection signs in here."""
        return {
            "SEVENTHINGS_BASE_URL": self.base_url,
            "SEVENTHINGS_USERNAME": self.username,
            "SEVENTHINGS_PASSWORD": self.password,
            "SEVENTHINGS_CLIENT_ID": self.client_id,
        }

    def account(self) -> dict[str, str]:
        """Return the account that signs in, as options of the collection."""
        return {"username": self.username, "password": self.password, "client_id": self.client_id}

    def options(self) -> dict[str, str]:
        """Return the options with which a task of the collection connects here."""
        return {"base_url": self.base_url, **self.account()}

    def token(self) -> str:
        """Return a fresh access token."""
        body = {"grant_type": "password", **self.account()}
        answer = _session().post(self.base_url + "/customer-api/v1/auth_token", json=body, timeout=_REQUEST_SECONDS)
        answer.raise_for_status()
        return str(answer.json()["access_token"])

    def steer(self, method: str, path: str, body: Any = None) -> Any:
        """Send a steering call, such as ``steer("PUT", "/switches", {"weather": "rough"})``.

        Return its answer.
        """
        answer = _session().request(method, self.admin_url + path, json=body, timeout=_REQUEST_SECONDS)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def reset(self, sign_out: bool = False) -> None:
        """Restore the start: data, calm switches, no faults, no rate limit, all modules on, an empty request log.

        :param sign_out: sign out all users, because keeping thousands of tokens takes long.
        """
        self.steer("POST", "/reset", {"sign_out": sign_out, "calm": True})

    def add_user(self, email: str) -> None:
        """Add a user, as single sign-on does at the first login of a person."""
        self.steer("POST", "/users", {"email": email, "rights": ["read"]})

    def log(self) -> list[dict[str, Any]]:
        """Return the requests since the log was cleared, oldest first."""
        entries: list[dict[str, Any]] = self.steer("GET", "/requests")
        return entries

    def clear_log(self) -> None:
        self.steer("DELETE", "/requests")


@contextlib.contextmanager
def running(
    *options: str, data: str = "demo", db: str = ":memory:", root: Path = ROOT, python: str = sys.executable
) -> Iterator[Emulator]:
    """Yield a service on a free port. It runs only inside the block.

    :param root: the repository, or the installed collection, whose service it is.
    :param python: the interpreter that runs it.
    """
    command = [python, str(root / "tests" / "emulator"), "--port", "0", "--db", db, "--data", data, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            first_line = process.stdout.readline() if process.stdout else ""
            if not first_line:
                raise RuntimeError(f"the embedded service did not start: exit status {process.wait(_STOP_SECONDS)}")
            yield Emulator(**json.loads(first_line))
        finally:
            process.terminate()
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
