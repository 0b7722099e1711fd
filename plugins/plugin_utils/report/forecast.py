# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forecast an apply: requests, and minutes at the rate limit. No requests are made here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from ...module_utils.client.query import PER_PAGE
from ...module_utils.model.types_links import attachments_in, references_in
from ...module_utils.plan.change import CREATE, UPDATE
from ..set_plan.plan import InstancePlan, Planned, level_of

NOTHING: Mapping[str, Any] = {"requests": 0, "minutes": 0.0}


def forecast_of(plan: InstancePlan, read: int, per_minute: int) -> dict[str, Any]:
    """Return the requests of an apply without failures, and their minutes at the limit.

    :param read: requests of planning; an apply plans once more.
    :param per_minute: requests that the limit allows; 0 for no limit, and then the minutes are None.
    """
    if not plan.changes:
        return {"requests": 0, "minutes": 0.0 if per_minute else None}
    writes = sum(_writes(planned, any(plan.later_uploads(planned))) for planned in plan.changes)
    requests = read + writes + _uploads(plan) + _lists_at_the_end(plan)
    return {"requests": requests, "minutes": round(requests / per_minute, 1) if per_minute else None}


def _writes(planned: Planned, has_later_uploads: bool) -> int:
    """Return the usual number of requests for one record, without uploads."""
    change, kind = planned.change, planned.kind
    if change.action not in (CREATE, UPDATE):
        return 1
    is_new = change.action == CREATE
    is_later = is_new and (has_later_uploads or any(_is_later(planned, value) for value in change.values.values()))
    has_status = change.values.get(kind.status_key) not in (None, kind.open_status if is_new else None)
    is_read_back = not is_new and kind.update == "PUT"
    return 1 + is_later + has_status + is_read_back


def _is_later(planned: Planned, value: Any) -> bool:
    """Return True if a link is written after its record, because both ends are created at the same level."""
    return any(
        reference.pending is not None and reference.pending.kind.level == level_of(planned.section)
        for reference in references_in(value)
    )


def _uploads(plan: InstancePlan) -> int:
    """Return the number of local files to upload, each once."""
    values = (value for planned in plan.changes for value in planned.change.values.values())
    return len({str(file.path) for value in values for file in attachments_in(value) if file.uuid is None})


def _lists_at_the_end(plan: InstancePlan) -> int:
    """Return the number of lists in which an apply looks for simultaneous creations of others."""
    created = Counter(
        planned.section for planned in plan.changes if planned.change.action == CREATE and planned.kind.create_path
    )
    return sum(max(1, math.ceil((plan.everywhere[section] + new) / PER_PAGE)) for section, new in created.items())
