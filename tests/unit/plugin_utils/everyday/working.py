# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared parts of the tests of everyday work: calls like those of the actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from unittest import mock

from embedded.kinds.users import insert_user
from embedded.startdata.builtin import fixed_uuid
from embedded_here import ACCOUNT, ROOT_URL, Embedded

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module import argument_specs as specs
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday import call
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.handover import hand_over
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.hosts import feed_objects
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.ledger import compare_ledger
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.move import move_objects

Result = dict[str, Any]
Facts = Mapping[str, Mapping[str, Any]]


def written(here: Embedded) -> list[tuple[str, str]]:
    """Return the requests that may have changed something."""
    return [(method, path) for method, path in here.log if method != "GET" and "auth_token" not in path]


def fields_of(here: Embedded, code: str) -> dict[str, Any]:
    """Return the fields of an object by its scan code."""
    return next(one["fields"] for one in here.dump()["objects"] if one["fields"]["barcode"] == code)


def limited(here: Embedded, *, locations: Sequence[str] = (), hidden_fields: Sequence[str] = ()) -> dict[str, Any]:
    """Add a user who sees less than all, and return what signs in.

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


def _here(
    module: str, run: Callable[[Mapping[str, Any]], Result], instance: Embedded, check_mode: bool, options: Any
) -> Result:
    account = {name: options.pop(name) for name in ("username", "password") if name in options}
    client = instance.client(**account)
    client.transport.read_only = check_mode
    client.profile = options.pop("profiled", None)
    options = read(module, {"base_url": ROOT_URL, **ACCOUNT, **options})
    with mock.patch.object(call, "connect", return_value=client):
        return run(options)


def read(module: str, written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a task."""
    given = read_arguments(module, getattr(specs, module.upper()), {}, written)
    assert not given.refusal, given.refusal
    return given.options


def feed(here: Embedded, facts: Facts, check_mode: bool = False, **options: Any) -> Result:
    """Call the module ``hosts`` on an instance in this process."""
    return _here("hosts", lambda given: feed_objects(given, check_mode, facts), here, check_mode, options)


def move(here: Embedded, check_mode: bool = False, **options: Any) -> Result:
    """One call of the module ``move``."""
    return _here("move", lambda given: move_objects(given, check_mode), here, check_mode, options)


def hand(here: Embedded, check_mode: bool = False, **options: Any) -> Result:
    """One call of the module ``handover``."""
    return _here("handover", lambda given: hand_over(given, check_mode), here, check_mode, options)


def compare(here: Embedded, check_mode: bool = False, **options: Any) -> Result:
    """One call of the module ``ledger``."""
    return _here("ledger", lambda given: compare_ledger(given, check_mode), here, check_mode, options)
