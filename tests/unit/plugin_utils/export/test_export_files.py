# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that an export writes, keeps and removes, and the cases in which it writes none."""

from __future__ import annotations

import pytest
from exports import contents, export_of, loaded
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.client import files as client_files
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.errors import NotFound
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, TEMPLATES
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.desired import BY_TEMPLATE, SECTIONS
from ansible_collections.community.seventhings.plugins.plugin_utils.export import downloads


def test_an_export_reads_each_kind_once(demo: Site) -> None:
    done = export_of(demo)
    lists = [line for line in demo.sent() if "/file/" not in line and "auth_token" not in line]
    # The fields of each template, the records of each other section, and the orders.
    assert len(set(lists)) == len(TEMPLATES) + len(SECTIONS) - len(BY_TEMPLATE) + 1
    # Definitions and tasks have no total, so a second request proves once that each list is complete.
    assert len(lists) == len(set(lists)) + len(TEMPLATES) + 1
    assert done["requests"] == len(demo.sent())
    assert demo.writes() == []


def test_only_an_export_of_all_sections_removes_attachments_that_nothing_names_any_more(demo: Site) -> None:
    export_of(demo)
    attachments = {path for path in contents(demo.root) if path.startswith("files/")}
    of_tasks = {path for path in attachments if path.encode() in contents(demo.root)["tasks.yml"]}
    assert of_tasks
    assert attachments - of_tasks
    no_object = {"objects": {"barcode": "none"}}
    done = export_of(demo, only=["objects"], filters=no_object)
    assert done["files"]["removed"] == ["objects/0001.yml"]
    assert not export_of(demo, only=["objects"], filters=no_object)["changed"]
    assert set(export_of(demo, filters=no_object)["files"]["removed"]) == attachments - of_tasks
    assert {path for path in contents(demo.root) if path.startswith("files/")} == of_tasks


def test_a_place_that_is_no_directory_is_an_error(demo: Site) -> None:
    demo.write({"file": "x"})
    done = export_of(demo, demo.root / "file")
    assert (done["failed"], done["msg"].partition(":")[0]) == (True, "dest")


# ---- settings that a person wrote


def test_records_are_distinguished_by_what_the_settings_say(site: Site) -> None:
    things = [{"barcode": number, "inventory_name": "Lamp", "serial_number": f"S{number}"} for number in "12"]
    site.write({"objects.yml": yaml_list(things)})
    site.run()
    for key, found in (("Serial number", 2), ("inventory_name", 0)):
        settings = f"api: seventhings/v1\ninstance: {site.service.base_url}\nidentity: {{objects: [{key}]}}\n"
        site.write({f"{found}/instance.yml": settings})
        done = export_of(site, site.root / str(found))
        assert done["summary"]["objects"] == found
        assert any("have no inventory_name of their own" in line for line in done["left_out"]) == (found == 0)


# ---- what an account or an instance keeps back


def test_a_newer_section_without_permission_is_left_out_and_reported(demo: Site) -> None:
    """Accounts that could export everything before the catalog existed still can."""
    demo.service.steer("POST", "/faults", {"path": "*/catalog*", "fault": "403"})
    try:
        done = export_of(demo)
    finally:
        demo.service.steer("DELETE", "/faults")
    assert "catalog: this account may not read it" in done["left_out"]
    assert done["summary"]["objects"]


@pytest.mark.parametrize("is_deleted", [True, False], ids=["gone", "too long"])
def test_an_attachment_that_can_not_be_taken_along_is_requested_once_and_reported(
    site: Site, is_deleted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    things = [{"barcode": number, "inventory_name": "Lamp", "documents": ["a.txt"]} for number in "12"]
    site.write({"objects.yml": yaml_list(things), "a.txt": "12345"})
    site.run()
    requests = []

    def fetch(_client: Client, uuid: str, _size: int | None) -> bytes:
        requests.append(uuid)
        if is_deleted:
            raise NotFound(404, "no such file", f"file {uuid}")
        return b"12345"

    monkeypatch.setattr(downloads, "download", fetch)
    monkeypatch.setattr(client_files, "MAX_SIZE", 4)
    done = export_of(site, site.root / "out")
    left = [line for line in done["left_out"] if "can't be exported" in line]
    assert len(left) == 2
    assert all(("no such file" if is_deleted else "has 5 bytes; expected 1 to 4") in line for line in left)
    assert len(requests) == 1
    assert not (site.root / "out/files").exists()


def test_a_record_that_no_key_leads_to_is_not_referred_to(site: Site) -> None:
    north = [site.client().create(KINDS["location"], {"name": "North"}) for _time in range(2)]
    site.client().create(KINDS["object"], {"barcode": "1", "inventory_name": "Lamp", "target_building": north[0]})
    done = export_of(site, site.root / "out", only=["objects"])
    assert "target_building: the location" in str(done["left_out"])
    assert "has no natural key of its own" in str(done["left_out"])
    assert loaded(site.root / "out", "objects/0001.yml") == [{"barcode": "1", "inventory_name": "Lamp"}]


def test_a_renter_who_may_be_several_users_is_left_out_and_reported(site: Site) -> None:
    case = {"title": "Loan", "references": ["1"], "issue_date": "2031-05-05", "due_date": "2031-05-09"}
    ada = [{"email": f"ada{number}@acme.example", "first_name": "Ada", "last_name": "Jensen"} for number in "12"]
    site.write(
        {
            "instance.yml": "api: seventhings/v1\nset: test\n",
            "objects.yml": yaml_list([{"barcode": "1", "inventory_name": "Lamp"}]),
            "persons.yml": yaml_list(ada),
            "users.yml": "".join(f"- {person['email']}\n" for person in ada),
            "rental_cases.yml": yaml_list(
                [
                    {
                        **case,
                        "responsible_user": "operator@instance.invalid",
                        "renter": {"type": "plain", "value": "Ada Jensen"},
                    }
                ]
            ),
        }
    )
    assert site.run().outcome == "changed"
    site.service.steer("PUT", "/switches", {"rental_renter_read": "text"})
    done = export_of(site, site.root / "out")
    assert "may mean 2 users, and the instance does not say which" in str(done["left_out"])
