# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the task: what a plan, a drift and a validation find by them, and where."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.parsing.dataloader import DataLoader
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import INSTANCE
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.action import provision

NUMBERED = """\
rules:
  - id: it-has-a-serial-number
    for: objects
    when: {properties: {inventory_group: {const: IT}}, required: [inventory_group]}
    require:
      required: [serial_number]
      properties:
        serial_number: {pattern: "^A[0-9]{5}$"}
    because: Accounting books IT by number.
"""


def run(site: Site, rules: str | Path = NUMBERED, check_mode: bool = True, **written: Any) -> dict[str, Any]:
    """One call with rules, as the action makes it."""
    path = rules
    if isinstance(rules, str):
        path = site.root.parent / "rules.yml"
        path.write_text(rules, "utf-8")
    given = {
        **site.service.options(),
        "rate_limit": 0,
        "src": str(site.root),
        "rules": [str(path)],
        **{name: str(value) if isinstance(value, Path) else value for name, value in written.items()},
    }
    options = ArgumentSpecValidator(INSTANCE).validate(given).validated_parameters
    return provision(options, check_mode, DataLoader(), given)


def things(*fields: dict[str, Any]) -> str:
    """Return objects as YAML, with scan codes from 100001 on."""
    return yaml_list(
        {"barcode": str(100001 + number), "inventory_name": "Thing", **some} for number, some in enumerate(fields)
    )


def test_a_record_that_breaks_a_rule_stops_the_plan_at_the_value(site: Site, tmp_path: Path) -> None:
    site.write(
        {
            "objects.yml": things(
                {"inventory_group": "IT", "serial_number": "A12345"},
                {"inventory_group": "IT", "serial_number": "B1"},
                {"inventory_group": "IT"},
                {"inventory_group": "Chairs", "serial_number": "B2"},
            )
        }
    )
    result = run(site)
    print(json.dumps(result["findings"], indent=1), result["msg"])
    assert result["findings"] == [
        "objects.yml:8:18: rule it-has-a-serial-number: serial_number: expected a text that matches the pattern "
        "'^A[0-9]{5}$'. Accounting books IT by number.",
        "objects.yml:9:3: rule it-has-a-serial-number: serial_number: expected a value. Accounting books IT by number.",
    ]
    assert result["outcome"] == "failed"
    assert site.writes() == []
