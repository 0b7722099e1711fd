# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Aspects: the concerns of a plan, and the example that adds one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from instance_site import Site, yaml_list
from project import ROOT

from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan import planner


def _example() -> Any:
    """Return the aspect in CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    found = re.search(r"^## Add a concern to the plan\n.*?^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    names: dict[str, Any] = {"__name__": "example", "__package__": planner.__package__}
    exec(compile(found[1], "CONTRIBUTING.md", "exec"), names)
    return names["WithoutPerson"]


def test_the_example_of_an_aspect_warns_of_objects_without_a_person(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write(
        {
            "persons.yml": yaml_list([{"email": "ada@acme.example", "first_name": "Ada", "last_name": "Jensen"}]),
            "objects.yml": yaml_list(
                [
                    {"barcode": "1", "inventory_name": "Notebook", "responsible_person": "ada@acme.example"},
                    {"barcode": "2", "inventory_name": "Notebook"},
                ]
            ),
        }
    )
    assert site.plan().warnings == []
    monkeypatch.setattr(planner, "ASPECTS", (*planner.ASPECTS, _example()))
    assert site.plan().warnings == ["objects: 1 without a person"]
    site.run()
    site.write({"objects.yml": yaml_list([{"barcode": code, "inventory_name": "Desk"} for code in ("1", "2", "3")])})
    # The instance has the person of the first object, whatever the files leave out.
    assert site.plan().warnings == ["objects: 2 without a person"]


def test_the_order_of_the_aspects_keeps_what_they_need_of_each_other() -> None:
    names = [aspect.__name__ for aspect in planner.ASPECTS]
    for chain in (
        ("LostSources", "Archived", "TableRows", "RelabelledRecords"),
        ("RemovedReferences", "Users", "RemovalBlockers", "UniqueValues", "Selection", "Lifecycles"),
        ("UniqueValues", "ScanCodes"),
        ("PlanLimits", "HiddenRecords"),
    ):
        assert sorted(chain, key=names.index) == list(chain)
