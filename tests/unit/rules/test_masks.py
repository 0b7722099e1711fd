# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible masks secrets in the results of tasks. No task and no set writes such a mask into the instance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.parameters import remove_values
from embedded_here import Embedded

from ansible_collections.community.seventhings.plugins.module_utils.client.query import Condition
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT

SECRET = "Dresden-4711"
WHOLE, PART, TWICE = (remove_values(text, {SECRET}) for text in (SECRET, f"At {SECRET}", f"At {SECRET * 2}"))
RULE = {"type": "active_When_value_equals_one_of", "field": "condition", "comparison_values": [PART]}

WRITTEN: list[tuple[str, dict[str, Any], str]] = [
    ("object", {"fields": {"barcode": "100001", "description": WHOLE}}, "fields.description"),
    ("object", {"fields": {"barcode": "100001", "description": TWICE}}, "fields.description"),
    ("object", {"fields": {"barcode": PART}, "state": "absent"}, "fields.barcode"),
    ("object", {"fields": {"barcode": "100001", PART: "x"}}, f"fields.{PART}"),
    ("object", {"fields": {"barcode": "100001", "target_room": {"name": PART}}}, "fields.target_room.name"),
    ("location", {"fields": {"name": "X", PART: "x"}, "allow_unknown_fields": True}, f"fields.{PART}"),
    ("task", {"title": PART, "deadline": "2032-01-01", "assignees": [WHOLE]}, "assignees[0]"),
    ("rental_case", {"title": "X", "renter": {"type": "plain", "value": PART}}, "renter.value"),
    ("field_definition", {"template": "asset", "label": "X", "type": "TEXT", "relations": [RULE]}, "relations[0]"),
    ("file", {"object": "100001", "field": "documents", "path": "x", "name": PART}, "name"),
    ("hub_order", {"items": ["100001"], "cancelled": True, "cancellation_reason": PART}, "cancellation_reason"),
    ("api", {"method": "POST", "path": "/location", "body": {"name": [PART]}}, "body.name[0]"),
]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(("module", "options", "place"), WRITTEN)
def test_no_module_writes_a_mask(module: str, options: dict[str, Any], place: str, check_mode: bool) -> None:
    instance = Embedded.started()
    result = instance.call(module, check_mode, **options)
    assert result["failed"]
    assert place in result["msg"]
    assert "Ansible masked a secret here (no_log)" in result["msg"]
    assert instance.log == []


@pytest.mark.parametrize("text", ["***", "*" * 7, "*" * 9, "*" * 72, "** Note **"])
def test_other_stars_are_text(text: str) -> None:
    instance = Embedded.started()
    fields = {"barcode": "100001", "description": text}
    assert instance.call("object", fields=fields)["record"]["description"] == text


def test_what_only_reads_may_search_for_stars() -> None:
    assert not Embedded.started().call("object_info", filters={"description": PART}).get("failed")


HEAD = "api: seventhings/v1\nset: test\nset_id: c0ffee5ca1ab1e42\n"
FILES = {
    "objects.yml": f'- barcode: "100001"\n  description: "{PART}"\n',
    "objects.csv": f"barcode,description\n100001,{PART}\n",
    "objects.jsonl": json.dumps({"barcode": "100001", "description": PART}) + "\n",
    "fields/asset.yml": f"- {{label: X, type: DROPDOWN, possible_values: [a, '{WHOLE}']}}\n",
    "tasks.yml": f"- {{title: '{PART}', deadline: 2032-01-01, assignees: [clara.mendes@nordhain.example]}}\n",
}


@pytest.mark.parametrize("name", FILES)
def test_a_mask_in_a_file_is_a_finding(tmp_path: Path, name: str) -> None:
    site = Embedded.started().site(tmp_path)
    site.write({"instance.yml": HEAD, name: FILES[name]})
    result = site.run()
    assert result.outcome == "failed"
    [finding] = result.findings
    assert finding.startswith(f"{name}:")
    assert "Ansible masked a secret here (no_log)" in finding


def test_stars_that_the_instance_has_already_are_not_written(tmp_path: Path) -> None:
    instance = Embedded.started()
    [thing] = instance.client().list_all(OBJECT, [Condition("barcode", "eq", ("100001",))])
    instance.client().update(OBJECT, thing.uuid, {"description": PART})
    site = instance.site(tmp_path)
    site.write({"instance.yml": HEAD, "objects.csv": FILES["objects.csv"]})
    assert site.run().outcome == "unchanged"
