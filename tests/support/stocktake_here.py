# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Call the module ``stocktake`` in this process, as its action does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest import mock

from ansible.parsing.dataloader import DataLoader
from embedded_here import ACCOUNT, ROOT_URL

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.stocktake import action


def take_stock(
    written: Mapping[str, Any], check_mode: bool, client: Client | None = None, loader: DataLoader | None = None
) -> dict[str, Any]:
    """Call the module.

    :param written: the options of the task. :param client: the client to use; None: as the options say.
    :param loader: reads vaulted files.
    """
    given = {"base_url": ROOT_URL, **ACCOUNT, **written}
    read = read_arguments("stocktake", documented_spec("stocktake"), {}, given)
    assert not read.refusal, read.refusal
    connect = action.__dict__["connect"]
    with mock.patch.object(action, "connect", side_effect=None if client else connect, return_value=client):
        return action.take_stock(read.options, check_mode, loader or DataLoader(), given)
