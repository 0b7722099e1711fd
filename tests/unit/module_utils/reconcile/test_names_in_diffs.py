# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A diff of one record uses the same name for equal references on both sides. It costs requests only in diff mode."""

from __future__ import annotations

from typing import Any

import pytest
from embedded_here import Embedded
from records import name_of

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import ROOM

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
OFFICE = name_of(ROOM, building_id="Dresden", number="1.01", name="Großraumbüro")
SHOWN = {
    "room": {"before": {"target_room": OFFICE}, "after": {"target_room": "Werkstatt/Werkzeuglager"}},
    "person": {"before": {"responsible_person": IRINA}, "after": {"responsible_person": DAVID}},
}


def started(side: str, first: dict[str, Any], module: str) -> Embedded:
    """Return an instance with the record in its initial state."""
    service = Embedded.started({"link_read": side})
    result = service.call(module, fields=first)
    assert result.get("changed"), result
    service.log.clear()
    return service


@pytest.mark.parametrize("link_read", ["object", "integer"])
@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("name", CHANGES)
def test_both_sides_of_a_diff_have_natural_keys(name: str, check_mode: bool, link_read: str) -> None:
    module, first, then = CHANGES[name]
    result = started(link_read, first, module).call(module, check_mode, diff_mode=True, fields=then)
    assert result["diff"] == SHOWN[name]


def test_names_are_not_read_if_no_diff_is_shown_or_nothing_changes() -> None:
    module, first, then = CHANGES["room"]
    plain, shown = (started("object", first, module) for _service in range(2))
    plain.call(module, fields=then)
    shown.call(module, diff_mode=True, fields=then)
    reads = [[path.split("/")[3] for method, path in instance.log if method == "GET"] for instance in (plain, shown)]
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


@pytest.mark.parametrize(("number", "are_archived", "reads"), [(12, False, 1), (8, True, 9), (12, True, 1)])
def test_the_names_of_many_records_take_one_list_and_few_reads(number: int, are_archived: bool, reads: int) -> None:
    codes = [str(200001 + index) for index in range(number + 1)]
    service = Embedded.started()
    for code in codes:
        assert service.call("object", fields={"barcode": code, "inventory_name": "Part"})["changed"]
    case = {"barcode": "100901", "inventory_name": "Case", "accessories": codes[:-1]}
    assert service.call("object", fields=case)["changed"]
    for code in codes[:-1] if are_archived else ():
        assert service.call("object", state="archived", fields={"barcode": code})["changed"]
    counted = []
    for diff_mode in (False, True):
        service.log.clear()
        fields = {"barcode": "100901", "accessories": codes[-1:]}
        result = service.call("object", check_mode=True, diff_mode=diff_mode, fields=fields)
        counted.append(len(service.log))
    assert counted[1] - counted[0] == reads
    before = result["diff"]["before"]["accessories"]
    assert len(before) == number
    assert (before == codes[:-1]) == (not are_archived or number == 8)
