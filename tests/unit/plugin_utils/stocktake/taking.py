# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared parts of the stocktake tests: a call like the action's."""

from __future__ import annotations

from typing import Any

from ansible.parsing.dataloader import DataLoader
from embedded_here import Embedded
from emulator_process import Emulator
from records import name_of
from stocktake_here import take_stock

from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import ROOM

Result = dict[str, Any]
NOVEMBER: dict[str, Any] = {"since": "2025-11-10", "until": "2025-11-21"}
"""The days of the stocktake in the demonstration data."""
ATELIER = name_of(ROOM, building_id="Leipzig", number="3.01", name="Atelier")
BOOKKEEPING = name_of(ROOM, building_id="Dresden", number="1.02", name="Buchhaltung")
DEPOT = name_of(ROOM, building_id="4010", number="A 366", name="Lager")
IT = name_of(ROOM, building_id="Dresden", number="1.04", name="IT-Büro")
STORE = name_of(ROOM, building_id="Werkstatt", number="0.02", name="Werkzeuglager")


def take(
    here: Embedded,
    check_mode: bool = False,
    client: Client | None = None,
    loader: DataLoader | None = None,
    **written: Any,
) -> Result:
    """Call the module in this process, as its action does.

    :param client: the client to use; None: a new one. :param loader: reads vaulted files.
    """
    client = client or here.client()
    client.transport.read_only = True
    return take_stock(written, check_mode, client, loader)


def take_from(service: Emulator, check_mode: bool = False, **written: Any) -> Result:
    """Call the module on an instance in another process. The options may contain those of the connection."""
    given = {**service.options(), "rate_limit": 0, "tuning": {"token_cache": False}, **written}
    return take_stock(given, check_mode)


def by_code(result: Result) -> dict[str, dict[str, Any]]:
    """Return the objects of a result by their scan code."""
    assert not result.get("failed"), result
    return {record["scan_code"]: record for record in result["objects"]}
