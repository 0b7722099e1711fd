# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a profile about the account that probed."""

from __future__ import annotations

from typing import Any

from .look import Look


def account_of(look: Look) -> dict[str, Any]:
    """Tells what this account may not see, as far as one page of each kind tells.

    :returns: ``restricted_fields``: kind to the number of its fields that are in no record; their keys would be text of
        the instance. ``hidden_records``: yes or unknown. ``not_readable``: the kinds whose list is refused.
    """
    return {
        "restricted_fields": look.seen.restricted(),
        "hidden_records": "unknown",
        "not_readable": sorted(set(look.evidence.unread)),
    }
