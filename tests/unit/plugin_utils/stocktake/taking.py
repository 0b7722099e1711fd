# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of stocktakes share: a call as the action makes it, on an instance in this process."""

from __future__ import annotations

from typing import Any
from unittest import mock

from ansible.parsing.dataloader import DataLoader
from embedded_here import ACCOUNT, ROOT_URL, Embedded

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import STOCKTAKE
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.stocktake import action


def take(here: Embedded, check_mode: bool = False, account: dict[str, str] | None = None, **written: Any) -> Any:
    """One call of the module, as its action carries it out.

    :param account: who signs in; None: the first user.
    """
    given = {"base_url": ROOT_URL, **ACCOUNT, **written}
    read = read_arguments("stocktake", STOCKTAKE, {}, given)
    assert not read.refusal, read.refusal
    client = here.client(**(account or {}))
    client.transport.read_only = True
    with mock.patch.object(action, "connect", lambda *_given, **_more: client):
        return action.take_stock(read.options, check_mode, DataLoader(), given)


def by_code(result: Any) -> dict[str, Any]:
    """The objects of a result by their scan code."""
    assert not result.get("failed"), result["msg"]
    return {one["scan_code"]: one for one in result["objects"]}
