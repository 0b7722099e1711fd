# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The meaning of a plan: moves, money, persons who gain or lose things, and recipients of e-mail."""

from __future__ import annotations

from typing import Any

from instance_site import SETTINGS, Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_text

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


def second_plan(site: Site, first: list[dict[str, Any]], second: list[dict[str, Any]]) -> RunResult:
    """Apply the first objects, and plan the second."""
    site.write({"instance.yml": OPEN, **PLACES, "objects.yml": yaml_list(first)})
    assert site.run().outcome == "changed"
    site.write({"objects.yml": yaml_list(second)})
    return site.plan()


def test_moves_are_counted_from_room_to_room(site: Site) -> None:
    first = [thing(number) for number in range(4)] + [thing(4, target_room=None)]
    second = [thing(number, target_room="Head/0.2") for number in range(3)] + [thing(3), thing(4)]
    assert second_plan(site, first, second).moves == [
        {"section": "objects", "field": "target_room", "from": "Head/0.1", "to": "Head/0.2", "count": 3},
        {"section": "objects", "field": "target_room", "from": None, "to": "Head/0.1", "count": 1},
    ]


def test_a_room_that_is_created_has_its_name(site: Site) -> None:
    site.write({"instance.yml": OPEN, **PLACES, "objects.yml": yaml_list([thing(0)])})
    site.run()
    rooms = '- {number: "0.9", building_id: Head}\n'
    site.write({"rooms.yml": PLACES["rooms.yml"] + rooms, "objects.yml": yaml_list([thing(0, target_room="Head/0.9")])})
    (move,) = site.plan().moves
    assert (move["from"], move["to"]) == ("Head/0.1", "Head/0.9")


def test_money_has_its_total_before_and_after(site: Site) -> None:
    first = [thing(number) for number in range(4)]
    second = [thing(0, purchasing_price="250.50"), thing(1), thing(2), thing(9, purchasing_price="0.25")]
    # One object is archived, one is new, and one has another price.
    assert second_plan(site, first, second).money == [
        {"section": "objects", "field": "purchasing_price", "before": 200, "after": 250.75, "count": 3}
    ]


def test_persons_who_gain_or_lose_things_are_named(site: Site) -> None:
    bob = "bob@acme.example"
    first = [thing(number) for number in range(4)]
    second = [thing(0, responsible_person=bob), thing(1, responsible_person=bob), thing(2), thing(9)]
    assert second_plan(site, first, second).persons == [
        {"person": "ada@acme.example", "section": "objects", "gains": 1, "loses": 3},
        {"person": bob, "section": "objects", "gains": 2, "loses": 0},
    ]


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


def test_new_users_get_e_mail(site: Site) -> None:
    site.write({"instance.yml": OPEN, **PLACES, "users.yml": "- ada@acme.example\n"})
    assert site.plan().mails == [{"section": "users", "count": 1, "to": ["ada@acme.example"]}]


def test_tasks_notify_their_assignees_only_if_the_policy_says_so(site: Site) -> None:
    task = {"title": "Check", "deadline": "2027-03-01", "assignees": ["ada@acme.example"]}
    for policy, mails in (
        ("notify: false", []),
        ("notify: true", [{"section": "tasks", "count": 1, "to": ["ada@acme.example"]}]),
    ):
        files = {**PLACES, "users.yml": "- ada@acme.example\n", "tasks.yml": yaml_list([task])}
        site.write({"instance.yml": f"{SETTINGS}policy: {{{policy}}}\n", **files})
        assert [mail for mail in site.plan().mails if mail["section"] == "tasks"] == mails


def test_hidden_fields_are_in_no_row_and_in_no_total(site: Site) -> None:
    site.write({"instance.yml": OPEN, **PLACES, "objects.yml": yaml_list([thing(0), thing(1)])})
    site.run()
    site.write({"objects.yml": yaml_list([thing(0, target_room="Head/0.2", purchasing_price=7), thing(1)])})
    desired = site.load()
    desired.hiding.names |= {"purchasing_price", "target_room"}
    result = site.run(desired, check_mode=True)
    assert (result.money, result.moves) == ([], [])


def test_a_drift_sends_no_e_mail_and_removes_nothing(site: Site) -> None:
    site.write({"instance.yml": OPEN, **PLACES, "users.yml": "- ada@acme.example\n", "objects.yml": "[]\n"})
    result = site.plan(drift=True)
    assert (result.mails, result.undo) == ([], "")


def test_references_have_names_whatever_was_written(site: Site) -> None:
    site.write({"instance.yml": OPEN, **PLACES, "objects.yml": yaml_list([thing(0)])})
    site.run()
    persons = site.client().list_all(KINDS["person"])
    (ada,) = [person.uuid for person in persons if person.flat["email"] == "ada@acme.example"]
    created = thing(1, responsible_person=ada)
    site.write({"objects.yml": yaml_list([{"barcode": "100001", "_state": "absent"} | thing(0), created])})
    changes = {change["action"]: change for change in site.plan().changes}
    assert changes["create"]["after"]["responsible_person"] == "ada@acme.example"
    assert changes["delete"]["before"]["responsible_person"] == "ada@acme.example"
    assert changes["delete"]["before"]["target_room"] == "Head/0.1"


def test_a_drift_says_what_this_set_created_and_somebody_deleted(site: Site) -> None:
    site.write({"instance.yml": OPEN, **PLACES})
    site.run()
    client = site.client()
    (room,) = [record for record in client.list_all(KINDS["room"]) if record.flat["number"] == "0.2"]
    client.delete(KINDS["room"], room.uuid)
    site.write({"rooms.yml": PLACES["rooms.yml"] + '- {number: "0.3", building_id: Head}\n'})
    result = site.plan(drift=True)
    assert {change["key"]: change["note"] for change in result.changes} == {
        "Head/0.2": "was created by this set and deleted in the application",
        "Head/0.3": "",
    }
    lines = as_text(result).splitlines()
    assert "+ rooms Head/0.2 (was created by this set and deleted in the application)" in lines
    assert "+ rooms Head/0.3 (missing in the instance)" in lines
    assert "rooms: 2 missing in the instance, 1 unchanged" in lines
