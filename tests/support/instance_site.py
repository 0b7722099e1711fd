# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Helpers for tests of whole instances: files, one run in this process, and its requests."""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from emulator_process import Emulator

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.module_utils.plan.allowed import USERS
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal_place import place_of
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import DesiredInstance
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.approval_file import ApprovalFile
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.approving import Approving
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.caps import Caps
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.options import RunOptions
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.run import run_instance
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult

SETTINGS = "api: seventhings/v1\nset: test\n"
"""A minimal instance.yml."""

FAULTS = ("429", "500", "502_html", "503", "504_after", "reset_before", "reset_after", "half_body")
"""The faults that may affect any request or answer."""

_READS = ("/suggest-category", "/suggest-rest-price", "/auth_token")


task_limits: dict[str, float] = {}
"""The limits of tasks that name none; a fixture sets them from the constant TASK_LIMITS of a test file."""


def no_pause(_seconds: float) -> None:
    """Replace ``sleep``, but return at once."""


@dataclass
class Site:
    """A directory of files, and the instance that it is applied to."""

    root: Path
    service: Emulator
    options: dict[str, Any] = field(default_factory=dict)

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files into the directory, and instance.yml if it is missing."""
        for name, content in {"instance.yml": SETTINGS, **files}.items():
            path = self.root / name
            if name == "instance.yml" and name not in files and path.exists():
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def journal(self, set_name: str = "test") -> Path:
        """Return the default path of the journal."""
        return place_of(None, self.service.base_url, set_name).path

    def client(self, read_only: bool = False) -> Client:
        """Return a new connection, which never waits between two attempts."""
        given = {**self.service.options(), "rate_limit": 0, **self.options}
        given["tuning"] = {"retries": 6, "token_cache": False, **self.options.get("tuning", {})}
        client = connect(given, read_only=read_only)
        client.transport.sleep = no_pause
        return client

    def load(self) -> DesiredInstance:
        """Load the files."""
        return load(self.root)

    def run(self, desired: DesiredInstance | None = None, **order: Any) -> RunResult:
        """Plan (``check_mode=True``) or apply the files."""
        wanted = desired if desired is not None else self.load()
        sleep = order.pop("sleep", no_pause)
        # Most tests are not about e-mails to new users.
        order.setdefault("allow", [USERS])
        client = self.client(read_only=bool(order.get("check_mode")))
        client.workers = order.pop("workers", client.workers)
        return run_instance(client, wanted, run_options(**order), sleep=sleep)

    def plan(self, **order: Any) -> RunResult:
        """Return the plan of the files."""
        return self.run(check_mode=True, **order)

    def disturb(self, share: float, seed: int = 0, faults: Sequence[str] = FAULTS) -> None:
        """From now on, let a share of all requests fail, with each fault equally often."""
        rules = [{"fault": fault, "probability": share / len(faults), "retry_after": 0} for fault in faults]
        self.service.steer("PUT", f"/faults?seed={seed}", rules if share else [])

    def sent(self) -> list[str]:
        """Return method and path of every request since the log was cleared."""
        return [f"{entry['method']} {short(entry['path'])}" for entry in self.service.log()]

    def writes(self) -> list[str]:
        """Return the requests that change something."""
        return [line for line in self.sent() if is_write(line)]

    def dump(self) -> Any:
        """Return the canonical dump of the instance."""
        return self.service.steer("GET", "/dump?canonical=1")


def run_options(**given: Any) -> RunOptions:
    """Return the options of a run for the given options of a task."""
    approving = _approving(given)
    own = {field.name for field in fields(RunOptions)}
    given.setdefault("limits", task_limits)
    caps = Caps.from_task({name: given.pop(name) for name in list(given) if name not in own})
    return RunOptions(**given, caps=caps, approving=approving)


def _approving(given: dict[str, Any]) -> Approving | None:
    """Take the options of an approval out of the options of a task."""
    path, digest = given.pop("plan_file", None), given.pop("plan_digest", "")
    stale = given.pop("stale", "refuse")
    if path is None:
        return Approving(digest=digest) if digest else None
    if given.get("check_mode"):
        return Approving(ApprovalFile(path))
    return Approving(None, ApprovalFile(path).read(), digest, stale)


def is_write(line: str) -> bool:
    """Return True if a request, as method and path, changes something."""
    return not line.startswith("GET ") and not line.endswith(_READS)


def short(path: str) -> str:
    """Return a path without the prefix of the service."""
    return path.removeprefix("/customer-api/v1")


def yaml_list(records: Iterable[Mapping[str, Any]]) -> str:
    """Return records as a YAML list in which every value is JSON."""
    lines = []
    for record in records:
        lead = "- "
        for key, value in record.items():
            # YAML 1.1 reads this character as a line end, and folds lines in quotes.
            text = json.dumps(value, ensure_ascii=False).replace("\u2028", "\\u2028")
            lines.append(f"{lead}{key}: {text}")
            lead = "  "
    return "\n".join(lines) + "\n"


# ---- a believable state of some size


def sample_files(number: int, seed: int = 1, files: int = 12) -> dict[str, str | bytes]:
    """Return a directory with about this number of records.

    It has rooms in locations, persons, objects with links (some of them in circles) and documents, tasks, rental cases
    and a custom field.
    """
    chance = random.Random(seed)
    locations = [f"Site {index}" for index in range(max(2, number // 60))]
    rooms = [(chance.choice(locations), f"0.{index}") for index in range(max(3, number // 12))]
    persons = [f"person{index}@acme.example" for index in range(max(3, number // 20))]
    extra = max(2, number // 30)
    objects = number - len(locations) - len(rooms) - len(persons) - 2 * extra - 2
    contents = {f"files/{index:03d}.txt": f"Document {index} of {seed}\n".encode() * 20 for index in range(files)}
    files_of = dict(zip(chance.sample(range(objects), min(files, objects)), contents, strict=False))
    records: list[dict[str, Any]] = []
    for index in range(objects):
        record: dict[str, Any] = {
            "barcode": f"{seed:02d}{index:06d}",
            "inventory_name": f"Thing {index}",
            "target_room": "/".join(chance.choice(rooms)),
            "purchasing_price": f"{chance.randrange(1, 9999)}.{chance.randrange(100):02d}",
            "responsible_person": chance.choice(persons),
            "Shelf mark": f"S-{index % 7}",
        }
        if index % 5 == 0:
            # A cycle: the next object links back.
            record["accessories"] = [f"{seed:02d}{(index + 1) % objects:06d}"]
        if index % 5 == 1:
            record["accessories"] = [f"{seed:02d}{index - 1:06d}"]
        if index in files_of:
            record["documents"] = [files_of[index]]
        records.append(record)
    barcodes = [record["barcode"] for record in records]
    tasks = [
        {
            "title": f"Check {index}",
            "deadline": f"2027-03-{index % 28 + 1:02d}",
            "assignees": ["person0@acme.example"],
            "references": [chance.choice(barcodes)],
            "reminders": [{"unit": "days", "value": 2}],
            "comment": "Look at it.",
        }
        for index in range(extra)
    ]
    cases = [
        {
            "title": f"Loan {index}",
            "status": "requested",
            "references": [chance.choice(barcodes)],
            # The cases don't overlap, because an instance may reject that.
            "issue_date": str(dt.date(2027, 4, 1) + dt.timedelta(2 * index)),
            "due_date": str(dt.date(2027, 4, 2) + dt.timedelta(2 * index)),
            "responsible_user": "person0@acme.example",
            "renter": {"type": "plain", "value": f"Renter {index}"},
        }
        for index in range(extra)
    ]
    half = len(records) // 2
    return {
        "instance.yml": "api: seventhings/v1\nset: sample\n",
        "fields/asset.yml": yaml_list([{"label": "Shelf mark", "type": "TEXT"}]),
        "locations.yml": yaml_list({"name": name, "city": "Berlin"} for name in locations),
        "rooms.yml": yaml_list(
            {"building_id": place, "number": label, "name": f"Room {label}"} for place, label in rooms
        ),
        "persons.yml": yaml_list(
            {"email": email, "first_name": email[:7].title(), "last_name": "Jensen"} for email in persons
        ),
        "users.yml": yaml_list([{"email": "person0@acme.example"}]),
        "objects/a.yml": yaml_list(records[:half]),
        "objects/b.jsonl": "".join(json.dumps(record) + "\n" for record in records[half:]),
        "tasks.yml": yaml_list(tasks),
        "rental_cases.yml": yaml_list(cases),
        **contents,
    }
