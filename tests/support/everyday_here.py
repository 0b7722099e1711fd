# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Call the modules of everyday work on an instance in this process, as their actions do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from unittest import mock

from embedded_here import ACCOUNT, ROOT_URL, Embedded

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday import call
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.handover import hand_over
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.hosts import feed_objects
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.ledger import compare_ledger
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.move import move_objects

Result = dict[str, Any]
Facts = Mapping[str, Mapping[str, Any]]

_CALLS: dict[str, Callable[[Mapping[str, Any], bool, Facts], Result]] = {
    "handover": lambda options, check_mode, _facts: hand_over(options, check_mode),
    "hosts": feed_objects,
    "ledger": lambda options, check_mode, _facts: compare_ledger(options, check_mode),
    "move": lambda options, check_mode, _facts: move_objects(options, check_mode),
}
EVERYDAY = frozenset(_CALLS)
"""The names of the modules."""


def run_everyday(
    module: str, here: Embedded, options: Mapping[str, Any], check_mode: bool = False, facts: Facts | None = None
) -> Result:
    """Call a module.

    :param options: of the task, and the account.
    :param facts: hosts to their facts.
    """
    written = dict(options)
    account = {name: written.pop(name) for name in ("username", "password") if name in written}
    client = here.client(**account)
    client.transport.read_only = check_mode
    return run_with(module, client, written, check_mode, facts)


def run_with(
    module: str, client: Client, written: Mapping[str, Any], check_mode: bool = False, facts: Facts | None = None
) -> Result:
    """Call a module with a client."""
    given = read_arguments(module, documented_spec(module), {}, {"base_url": ROOT_URL, **ACCOUNT, **written})
    assert not given.refusal, given.refusal
    with mock.patch.object(call, "connect", return_value=client):
        return _CALLS[module](given.options, check_mode, facts or {})
