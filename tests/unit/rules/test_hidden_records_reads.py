# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If the lists of an account are known to be incomplete, all modules that read them say so, without more requests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import steps
from embedded_here import Embedded

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.profile import Profile
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.inventory import Plan, read_records
from ansible_collections.community.seventhings.plugins.plugin_utils.readers.lookup import Finder

WORDS = "the profile says that records are hidden from it"


def client_of(service: Embedded, directory: Path, hidden_records: Any) -> Client:
    """Return a client with a profile about hidden records, but without sides of switches."""
    path = directory / "profile.json"
    path.write_text(json.dumps({"switches": {}, "date": "2026-11-01", "account": {"hidden_records": hidden_records}}))
    client = service.client()
    client.profile = Profile.read(str(path), lambda _line: None)
    return client


@pytest.mark.parametrize("reported", ["yes", "no", "unknown", None, ["yes"]])
@pytest.mark.parametrize("kind", ["object", "task", "room"])
def test_info_modules_say_what_is_known(tmp_path: Path, reported: Any, kind: str) -> None:
    client = client_of(Embedded.started(), tmp_path, reported)
    done = steps.call(f"{kind}_info", {}, False, lambda _options, _check: client)
    expected = "no" if kind == "room" else "yes" if reported == "yes" else "unknown"
    assert done["hidden_records"] == expected
    assert any(WORDS in line for line in done.data.get("warnings", ())) == (expected == "yes")


@pytest.mark.parametrize(
    "read",
    [
        lambda client: read_records(client, Plan("objects"), {}),
        lambda client: Finder(client, KINDS["object"]).find(["100005", "100003"]),
    ],
    ids=["inventory", "lookup"],
)
def test_other_readers_warn_once(tmp_path: Path, read: Callable[[Client], Any]) -> None:
    service = Embedded.started()
    sent = []
    for reported in ("no", "yes"):
        client = client_of(service, tmp_path, reported)
        begin = len(service.requests())
        read(client)
        read(client)
        sent.append(len(service.requests()) - begin)
        assert sum(WORDS in line for line in client.transport.warnings) == (reported == "yes")
    assert sent[0] == sent[1]
