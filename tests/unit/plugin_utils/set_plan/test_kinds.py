# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Special rules of single kinds (archived duplicates, the hub, users, tasks, definitions), and odd texts."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

import pytest
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure


def _object(barcode: str, **fields: Any) -> dict[str, Any]:
    return {"barcode": barcode, "inventory_name": f"Thing {barcode}", **fields}


# ---- archived twins


def test_of_very_many_unknown_barcodes_some_are_looked_up(site: Site) -> None:
    barcodes = [f"gone {number}" for number in range(100)]
    task = {"title": "Ask who has it", "deadline": "2031-05-05", "references": barcodes}
    site.write({"objects.yml": yaml_list([_object("2")]), "tasks.yml": yaml_list([task])})
    site.service.clear_log()
    assert len(site.plan().findings) == 100
    assert len([line for line in site.sent() if line.startswith("GET /object/by-barcode/gone")]) == 40


@pytest.mark.slow
def test_an_archived_twin_among_very_many_new_objects_is_found_when_the_service_refuses(site: Site) -> None:
    objects = [_object(f"{number:04d}") for number in range(150)]
    site.write({"objects.yml": yaml_list(objects)})
    site.run()
    client = site.client()
    for record in client.list_all(OBJECT):
        if record.flat["barcode"] == "0101":
            client.archive(OBJECT, record.uuid)
        else:
            client.delete(OBJECT, record.uuid)
    result = site.run(limits={"create_percent": 100})
    assert result.outcome == "changed", result.failures
    assert site.plan().outcome == "unchanged"
    assert len(site.dump()["objects"]) == 150


# ---- hub


# ---- tasks


# ---- time


def test_a_time_that_needs_an_offset_or_a_time_zone_says_so(site: Site) -> None:
    message = (
        "last_inspection: 2024-07-01 12:00:00 has no offset to UTC; write it with an offset (+02:00), or set timezone"
    )
    wish = {"barcode": "1", "inventory_name": "a", "last_inspection": "2024-07-01 12:00"}
    site.write({"objects.yml": "- {barcode: '1', inventory_name: a, last_inspection: 2024-07-01 12:00}\n"})
    assert any(message in line for line in site.plan().findings)
    with pytest.raises(InvalidInput, match=re.escape(message)):
        ensure(site.client(), DesiredRecord(OBJECT, wish))
    assert ensure(site.client(), DesiredRecord(OBJECT, wish, timezone="Europe/Berlin")).changed


@pytest.mark.parametrize("name", ["Mars/Phobos", "5", "''", "[a]", "../../etc/passwd"])
def test_a_time_zone_that_is_none_is_found(site: Site, name: str) -> None:
    site.write({"instance.yml": f"api: seventhings/v1\ntimezone: {name}\n"})
    (finding,) = site.plan().findings
    assert finding.startswith("instance.yml:2:11: timezone: ")


# ---- odd texts


def test_addresses_that_differ_in_case_only_are_one_person(site: Site) -> None:
    site.write({"persons.yml": yaml_list([{"email": "a@x.example"}, {"email": "A@X.example"}])})
    assert any("is written twice, first at persons.yml:1:3" in finding for finding in site.plan().findings)


COMPOSED = unicodedata.normalize("NFC", "Bücher")
DECOMPOSED = unicodedata.normalize("NFD", "Bücher")


def test_texts_that_look_the_same_are_never_two_records(site: Site) -> None:
    site.write({"locations.yml": yaml_list([{"name": COMPOSED}, {"name": DECOMPOSED}])})
    (finding,) = site.plan().findings
    assert finding.startswith("locations.yml:2:9: name: ")
    assert finding.endswith(", at locations.yml:1:3; use one spelling")
    site.write({"locations.yml": yaml_list([{"name": DECOMPOSED}])})
    assert site.run().outcome == "changed"
    assert site.plan().outcome == "unchanged"
    site.write({"locations.yml": yaml_list([{"name": COMPOSED}])})
    assert site.plan().outcome == "unchanged"


ODD = ["0", "00", " leading", "trailing ", "a\tb", "a\nb", "yes", "null", "~", "1e3", "\u00e9", "e\u0301", "\U0001f4a9"]
ODD += ["x" * 9000, "#", "- a", "'", '"', "\\", "\u2028"]


@pytest.mark.sample(6)
@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text)[:20])
def test_a_text_arrives_as_it_was_written_and_stays(site: Site, text: str) -> None:
    site.write({"objects.yml": yaml_list([_object("1", description=text)])})
    assert site.run().outcome == "changed"
    assert site.dump()["objects"][0]["fields"]["description"] == text
    assert site.plan().outcome == "unchanged"
    for side in ("null", "text", "list"):
        site.service.steer("PUT", "/switches", {"empty_form": side, "number_form": "string"})
        assert site.plan().outcome == "unchanged"
