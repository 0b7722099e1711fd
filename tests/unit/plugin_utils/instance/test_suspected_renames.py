# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""New objects that look like renamed objects are reported, with the line for ``moved.yml``."""

from __future__ import annotations

import json

from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult


def things(*rows: tuple[str, str, str]) -> dict[str, str]:
    """Return objects with barcode, name and serial number."""
    return {
        "objects.yml": yaml_list(
            {"barcode": barcode, "inventory_name": name, "serial_number": serial} for barcode, name, serial in rows
        )
    }


def suspicions(result: RunResult) -> list[str]:
    return [warning for warning in result.warnings if "moved.yml" in warning or "look like renames" in warning]


def test_a_suspected_rename_is_offered_and_the_offered_line_works(site: Site) -> None:
    site.write(things(("1", "Chair", "SN-1"), ("7", "Desk", "SN-7")))
    assert site.run().outcome == "changed"
    site.write(things(("2", "Other", "SN-1"), ("7", "Desk", "SN-7")))
    planned = site.plan()
    (suspicion,) = suspicions(planned)
    assert "object 2 would be new, and looks like 1 with another key (the same serial_number)" in suspicion
    site.write({"moved.yml": suspicion.partition("write into moved.yml: ")[2] + "\n"})
    (change,) = site.plan().changes
    assert change["action"] == "update"
    assert change["before"]["barcode"] == "1"
    assert suspicions(site.plan()) == []


def test_what_is_more_than_once_is_no_sign(site: Site) -> None:
    site.write(things(("1", "Chair", "A"), ("2", "Chair", "B")))
    site.run()
    site.write(things(("3", "Chair", "C")))
    assert suspicions(site.plan()) == []
    site.write(things(("1", "Chair", "A"), ("2", "Chair", "B"), ("3", "Chair", "A")))
    assert suspicions(site.plan()) == [], "a record that is in the files keeps its key"


def test_many_are_counted_and_take_no_request(site: Site) -> None:
    site.write(things(*((f"A{number}", f"Thing {number}", f"SN-{number}") for number in range(13))))
    site.run()
    site.write(things(*((f"B{number}", f"Thing {number}", f"SN-{number}") for number in range(13))))
    site.service.clear_log()
    suspected = suspicions(site.plan())
    assert suspected[-1] == "3 more new objects look like renames."
    assert len(suspected) == 11
    assert json.loads(suspected[0].partition("write into moved.yml: ")[2])["objects"][0]["from"] == {"barcode": "A0"}
    assert len(site.sent()) == len(set(site.sent()))
