# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of things that are not records: all pages, as the service returns them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from ..client.limits import ListLimit
from ..client.transport import Response
from ..errors import SeventhingsError
from ..model.field import integer_of


def items_of(decoded: Any) -> list[Any] | None:
    """Return the items of a page: a bare list, or the ``items`` of an envelope. Return None if it is not a list."""
    items = decoded.get("items") if isinstance(decoded, Mapping) else decoded
    return items if isinstance(items, list) else None


def read_to_end(
    first: Response, following: Callable[[int], Response | None], limit: ListLimit
) -> tuple[list[Any], bool]:
    """Return the items of all pages, and whether their number matches the total, if there is one.

    A list ends when its total is reached, or with a page that is empty or repeats the page before.

    :param following: requests a later page by its number and returns None if there is no such page.
    :param limit: counts the pages.
    :raises SeventhingsError: for a page that is not a list.
    """
    found: list[Any] = []
    last: list[Any] = []
    total: int | None = None
    page: Response | None = first
    for number in itertools.count(2):
        if page is None:
            break
        decoded = page.json()
        items = items_of(decoded)
        if items is None:
            raise SeventhingsError(f"{page.endpoint}: expected a list or {{items: [...]}}, got something else.")
        total = integer_of(decoded.get("total")) if isinstance(decoded, Mapping) else None
        limit.add(len(page.body), len(items), total)
        # Some instances answer with the last page again. Two items may be equal, so compare whole pages.
        if not items or items == last:
            break
        last = items
        found += items
        if total is not None and len(found) >= total:
            break
        page = following(number)
    return found, total is None or total == len(found)
