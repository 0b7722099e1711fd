# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a profile about the account that probed."""

from __future__ import annotations

from typing import Any

from ...module_utils.client.client import Client
from ...module_utils.errors import SeventhingsError
from ...module_utils.operations.account_visibility import account_visibility
from .exchange import SpentAll


def account_of(client: Client) -> dict[str, Any]:
    """Return what is hidden from this account, judged by one page of each kind.

    :returns: ``restricted_fields``: kind to the number of hidden fields; their keys would be text of the instance.
        ``hidden_records``: yes, no or unknown.
    """
    try:
        hidden: dict[str, Any] = account_visibility(client)
    except (SeventhingsError, SpentAll):
        # Other questions of the probe report on the lists.
        hidden = {"restricted_fields": {}, "hidden_records": "unknown"}
    counted = {kind: len(keys) for kind, keys in hidden["restricted_fields"].items()}
    return {**hidden, "restricted_fields": counted}
