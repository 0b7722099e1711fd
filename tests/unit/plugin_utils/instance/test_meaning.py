# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The meaning of a plan: moves, money, persons who gain or lose things, and recipients of e-mail."""

from __future__ import annotations

from typing import Any

from instance_site import SETTINGS, Site, yaml_list

TASK_LIMITS = {"update_percent": 100, "delete_percent": 100}
"""The limits of every task in this file."""

OPEN = f"{SETTINGS}policy: {{prune: {{objects: archive}}}}\n"
PLACES = {
    "locations.yml": "- name: Head\n",
    "rooms.yml": '- {number: "0.1", building_id: Head}\n- {number: "0.2", building_id: Head}\n',
    "persons.yml": "- {email: ada@acme.example, first_name: Ada}\n- {email: bob@acme.example, first_name: Bob}\n",
}


def thing(number: int, **fields: Any) -> dict[str, Any]:
    """Return an object in room 0.1 that is Ada's."""
    usual = {"target_room": "Head/0.1", "responsible_person": "ada@acme.example", "purchasing_price": 100}
    return {"barcode": str(100001 + number), "inventory_name": "Thing", **usual, **fields}


def test_persons_with_equal_numbers_are_in_the_order_of_their_names(site: Site) -> None:
    """The order of a set of texts differs from process to process, and so would two reports of one plan."""
    names = [f"person{number}@acme.example" for number in range(9)]
    site.write(
        {
            "instance.yml": OPEN,
            **PLACES,
            "persons.yml": yaml_list([{"email": name, "first_name": "P"} for name in names]),
            "objects.yml": yaml_list([thing(number, responsible_person=name) for number, name in enumerate(names)]),
        }
    )
    assert [row["person"] for row in site.plan().persons] == names


def test_a_drift_sends_no_e_mail_and_removes_nothing(site: Site) -> None:
    site.write({"instance.yml": OPEN, **PLACES, "users.yml": "- ada@acme.example\n", "objects.yml": "[]\n"})
    result = site.plan(drift=True)
    assert (result.mails, result.undo) == ([], "")


def test_what_is_archived_without_a_price_changes_no_total(site: Site) -> None:
    things = [thing(number, purchasing_price=None) for number in range(2)]
    site.write({"instance.yml": OPEN, **PLACES, "objects.yml": yaml_list(things)})
    assert site.run().outcome == "changed"
    site.write({"objects.yml": yaml_list([things[0]])})
    planned = site.plan()
    assert (planned.summary["objects"]["archived"], planned.money) == (1, [])
