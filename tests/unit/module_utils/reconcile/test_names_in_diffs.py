# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A diff of one record names both sides of a reference alike, and costs requests only if somebody looks at it."""

from __future__ import annotations

from typing import Any

import pytest
from embedded_here import Embedded

IRINA, DAVID = "irina.sokolova@nordhain.example", "david.okafor@nordhain.example"
CHANGES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "room": (
        "object",
        {"barcode": "100234", "inventory_name": "Laptop Ada", "target_room": "Dresden/1.01"},
        {"barcode": "100234", "target_room": "Werkstatt/Werkzeuglager"},
    ),
    "person": (
        "object",
        {"barcode": "100234", "inventory_name": "Laptop Ada", "responsible_person": IRINA},
        {"barcode": "100234", "responsible_person": DAVID},
    ),
}
SHOWN = {
    "room": {"before": {"target_room": "Dresden/1.01"}, "after": {"target_room": "Werkstatt/Werkzeuglager"}},
    "person": {"before": {"responsible_person": IRINA}, "after": {"responsible_person": DAVID}},
}


def started(side: str, first: dict[str, Any], module: str) -> Embedded:
    """Return an instance with the record as it is first."""
    service = Embedded.started({"link_read": side})
    made = service.call(module, fields=first)
    assert made.get("changed"), made
    service.log.clear()
    return service


@pytest.mark.parametrize("link_read", ["object", "integer"])
@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("name", CHANGES)
def test_both_sides_of_a_diff_have_natural_keys(name: str, check_mode: bool, link_read: str) -> None:
    module, first, then = CHANGES[name]
    result = started(link_read, first, module).call(module, check_mode, diff_mode=True, fields=then)
    assert result["diff"] == SHOWN[name]


def test_names_are_not_read_if_nobody_looks_at_the_diff_or_nothing_changes() -> None:
    module, first, then = CHANGES["room"]
    plain, shown = (started("object", first, module) for _ in range(2))
    plain.call(module, fields=then)
    shown.call(module, diff_mode=True, fields=then)
    reads = [[path.split("/")[3] for method, path in one.log if method == "GET"] for one in (plain, shown)]
    assert sorted(reads[1]) == sorted([*reads[0], "room", "location"])
    for service in (plain, shown):
        service.log.clear()
    assert not plain.call(module, fields=then)["changed"]
    assert not shown.call(module, diff_mode=True, fields=then)["changed"]
    assert shown.log == plain.log


def test_a_name_that_cannot_be_read_does_not_stop_the_change() -> None:
    module, first, then = CHANGES["room"]
    service = started("object", first, module)
    service.fault("403", method="GET", path="/room/*")
    result = service.call(module, diff_mode=True, fields=then)
    assert result["changed"]
    assert result["diff"]["after"] == SHOWN["room"]["after"]
