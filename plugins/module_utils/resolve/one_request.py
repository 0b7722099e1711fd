# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the first records of a list in one request, if the service certainly has the same order as this code.

Texts are ordered in many ways, and empty values come first here, so only numbers and times are left to the service.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from ..client.client import Client
from ..client.query import PER_PAGE
from ..client.record import Record
from ..model.field import Field
from ..model.kinds import Kind
from ..model.schema import type_of

_NEVER_EMPTY = ("id", "created_at", "updated_at")


def first_records(
    client: Client,
    kind: Kind,
    order: Sequence[tuple[Field, bool]],
    limit: int | None,
    rank_of: Callable[[Field, Record], tuple[Any, ...]],
) -> tuple[list[Record], int] | None:
    """Return the first records in some order and the number of all, or None if one request cannot find them.

    :param order: fields, with True for descending.
    :param limit: the number of wanted records.
    :param rank_of: returns the sort key of a record for a field.
    """
    if limit is None or not 0 < limit <= PER_PAGE or kind.filters != "query" or len(order) != 1:
        return None
    [(field, is_descending)] = order
    is_filled = field.mandatory or field.key in _NEVER_EMPTY
    if not type_of(field).spelling.has_order or not (is_descending or is_filled):
        return None
    pairs = [(f"sort[{field.wire_key}]", "DESC" if is_descending else "ASC")]
    if field.key != kind.sort:
        pairs.append((f"sort[{kind.sort}]", "ASC"))
    page = client.lists.first(kind, limit, pairs)
    ranks = [rank_of(field, record) for record in page.records]
    in_order = all((after <= before) if is_descending else (before <= after) for before, after in pairwise(ranks))
    if page.total is None or not in_order or len(page.records) != min(limit, page.total):
        return None
    if any(record.archived for record in page.records):
        # A list omits archived records.
        return None
    return page.records, page.total
