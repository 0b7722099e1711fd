# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The number of requests of a plan and of a change."""

from __future__ import annotations

import pytest
from instance_site import Site, sample_files, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import LOCATION


def _objects(number: int, name: str = "Thing") -> str:
    return "barcode,inventory_name\n" + "".join(f"B{number:05d},{name}\n" for number in range(number))


@pytest.mark.sample(1)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "weather", "lists"),
    [
        (999, {}, 1),
        (1000, {}, 1),
        (1000, {"list_total": "none"}, 2),
        (1000, {"list_envelope": "array"}, 2),
        (1001, {"list_envelope": "array"}, 3),
        (1001, {}, 2),
    ],
)
def test_a_plan_reads_each_kind_once_in_full_pages(
    site: Site, number: int, weather: dict[str, str], lists: int
) -> None:
    site.write({"objects.csv": _objects(number)})
    assert not site.run().failed
    site.service.steer("PUT", "/switches", weather)
    site.service.clear_log()

    planned = site.plan()

    assert planned.outcome == "unchanged"
    sent = site.sent()
    assert sorted(sent) == sorted(
        ["POST /auth_token", "GET /asset-tracking/asset/field-definitions", *["GET /objects"] * lists]
    )
    assert planned.requests == len(sent)


def test_a_plan_of_everything_is_one_list_a_kind_three_definitions_and_a_login(site: Site) -> None:
    site.write(sample_files(120))
    assert site.run().outcome == "changed"
    site.service.clear_log()
    assert site.plan().outcome == "unchanged"
    downloads = [line for line in site.sent() if line.startswith("GET /file/")]
    # Files are compared by content: one download for each linked file of equal size.
    assert len(downloads) == 12
    assert sorted(set(site.sent()) - set(downloads)) == sorted(
        [
            "POST /auth_token",
            *(f"GET /asset-tracking/{template}/field-definitions" for template in ("asset", "room", "person")),
            *(f"GET /{path}" for path in ("locations", "rooms", "persons", "users", "objects")),
            "GET /task-management/tasks",
            "GET /rental-management/rental-cases",
        ]
    )
    assert len(site.sent()) == 11 + 12


def test_a_plan_without_a_module_that_is_off_reads_the_other_lists_once(site: Site) -> None:
    site.write({"locations.yml": "- {name: Mill}\n", "objects.csv": _objects(2)})
    assert not site.run().failed
    site.write({"catalog.yml": "- {inventory_name: Chair}\n"})
    site.service.steer("PUT", "/settings", {"modules_off": ["catalog"]})
    site.service.clear_log()

    assert site.plan(exclude=["catalog"]).outcome == "unchanged"

    read = [line for line in site.sent() if "catalog" not in line]
    assert sorted(read) == sorted(set(read))


def test_a_change_is_exactly_one_write_each(site: Site) -> None:
    site.write({"objects.csv": _objects(20)})
    site.run()
    site.service.clear_log()
    site.write({"objects.csv": _objects(5, "New") + _objects(20).split("\n", 6)[6]})
    result = site.run()
    assert result.summary["objects"]["updated"] == 5
    assert [line.split()[0] for line in site.writes()] == ["PATCH"] * 5
    # Login, definitions and the list. Nothing is read back.
    assert len(site.sent()) == 3 + 5


def test_a_create_is_one_write_and_its_kind_is_listed_once_more(site: Site) -> None:
    site.write({"locations.yml": yaml_list([{"name": "A"}, {"name": "B"}])})
    result = site.run()
    assert result.outcome == "changed"
    assert sorted(site.sent()) == sorted(["POST /auth_token", *["POST /location"] * 2, *["GET /locations"] * 2])


def test_what_replaces_the_whole_record_is_read_before_and_after(site: Site) -> None:
    site.write(sample_files(60))
    site.run()
    text = (site.root / "tasks.yml").read_text("utf-8")
    site.write({"tasks.yml": text.replace("Look at it.", "Look again.", 1)})
    site.service.clear_log()
    result = site.run()
    assert result.summary["tasks"]["updated"] == 1
    lines = [line for line in site.sent() if "/task-management/task/" in line]
    assert [line.split()[0] for line in lines] == ["GET", "PUT", "GET"]


def test_a_file_that_many_records_name_is_uploaded_once_and_read_once(site: Site) -> None:
    records = [
        {"barcode": str(number), "inventory_name": "a", "documents": ["files/manual.txt"]} for number in range(12)
    ]
    site.write({"objects.yml": yaml_list(records), "files/manual.txt": "Text"})
    site.run()
    assert site.writes().count("POST /file") == 1
    site.service.clear_log()
    assert site.run().outcome == "unchanged"
    assert sum("/data" in line for line in site.sent()) == 1


def test_a_key_with_the_id_of_a_place_shows_the_name_of_the_place(site: Site) -> None:
    site.write({"locations.yml": yaml_list([{"name": "A"}])})
    site.run()
    place = site.client().list_all(LOCATION)[0]
    for written in ({"id": place.id}, place.uuid):
        site.write({"rooms.yml": yaml_list([{"building_id": written, "number": "1", "name": "x"}])})
        (change,) = site.plan().changes
        assert (change["key"], change["after"]["building_id"]) == ("A/1", "A")
