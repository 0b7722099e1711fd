# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One module for each kind of record; each says which operations it answers."""

from __future__ import annotations

from ..router import Route
from . import (
    catalog,
    definitions,
    files,
    histories,
    hub_items,
    hub_orders,
    objects,
    persons,
    records,
    rentals,
    reports,
    suggestions,
    tasks,
    tokens,
    users,
)

ROUTES: tuple[Route, ...] = tuple(
    route
    for module in (
        tokens,
        records,
        objects,
        persons,
        users,
        definitions,
        files,
        tasks,
        rentals,
        suggestions,
        hub_items,
        hub_orders,
        histories,
        reports,
        catalog,
    )
    for route in module.ROUTES
)
