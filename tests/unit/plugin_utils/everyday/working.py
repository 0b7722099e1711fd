# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared parts of the tests of everyday work: calls like those of the actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from embedded.kinds.users import insert_user
from embedded.startdata.builtin import fixed_uuid
from embedded_here import Embedded
from everyday_here import Facts, Result, run_everyday

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.record import Record
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import Kind


def written(here: Embedded) -> list[tuple[str, str]]:
    """Return the requests that may have changed something."""
    return [(method, path) for method, path in here.log if method != "GET" and "auth_token" not in path]


def fields_of(here: Embedded, code: str) -> dict[str, Any]:
    """Return the fields of an object by its scan code."""
    return next(record["fields"] for record in here.dump()["objects"] if record["fields"]["barcode"] == code)


def answer_oddly(monkeypatch: pytest.MonkeyPatch, kind: Kind, **odd: Any) -> None:
    """Let each list of a kind answer these fields for all of its records, whatever the instance has."""
    list_all = Client.list_all

    def altered(client: Client, listed: Kind, *given: Any, **more: Any) -> list[Record]:
        records = list_all(client, listed, *given, **more)
        return [Record.from_flat(kind, {**record.flat, **odd}) for record in records] if listed is kind else records

    monkeypatch.setattr(Client, "list_all", altered)


def limited(here: Embedded, *, locations: Sequence[str] = (), hidden_fields: Sequence[str] = ()) -> dict[str, Any]:
    """Add a restricted user, and return its options for signing in.

    :param locations: names of the locations that the user sees; none: all of them.
    """
    insert_user(
        here.service.store,
        uuid="5a5e0000-0000-4000-8000-000000000001",
        email="limited@nordhain.example",
        firstname="Lena",
        lastname="Limited",
        rights=("read", "write"),
        password="limited-to-some",
        hidden_fields=hidden_fields,
        locations=[fixed_uuid("location", name) for name in locations] or None,
    )
    return {"username": "limited@nordhain.example", "password": "limited-to-some"}


def feed(here: Embedded, facts: Facts, check_mode: bool = False, **options: Any) -> Result:
    """Call the module ``hosts`` on an instance in this process."""
    return run_everyday("hosts", here, options, check_mode, facts)


def move(here: Embedded, check_mode: bool = False, **options: Any) -> Result:
    """Call the module ``move``."""
    return run_everyday("move", here, options, check_mode)


def hand(here: Embedded, check_mode: bool = False, **options: Any) -> Result:
    """Call the module ``handover``."""
    return run_everyday("handover", here, options, check_mode)


def compare(here: Embedded, check_mode: bool = False, **options: Any) -> Result:
    """Call the module ``ledger``."""
    return run_everyday("ledger", here, options, check_mode)
