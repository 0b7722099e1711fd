# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pull request tries to find out a vaulted value piece by piece.

Whatever plain files say, the findings depend neither on the value nor on its length.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from emulator_process import Emulator
from instance_site import Site, yaml_list
from set_actions import run_set

SECRET = VaultSecret(b"open sesame")
PLAIN = [{"label": "Pin", "type": "TEXT"}, {"label": "Size", "type": "NUMBER"}]
VALUES = ("4711", "9999", "123456789")


def pin(**rules: Any) -> list[dict[str, Any]]:
    """Return the definitions of a pull request."""
    return [{"label": "Pin", "type": "TEXT", **rules}, PLAIN[1]]


QUESTIONS: dict[str, dict[str, str]] = {
    "pattern": {"fields/asset.yml": yaml_list(pin(constraints={"regular_expression": "^4"}))},
    "length": {"fields/asset.yml": yaml_list(pin(constraints={"max_length": 5}))},
    "choice": {"fields/asset.yml": yaml_list(pin(type="DROPDOWN", possible_values=["4711", "x"]))},
    "size": {"fields/asset.yml": yaml_list(pin(type="NUMBER", constraints={"max_value": 5000}))},
    "unique": {
        "fields/asset.yml": yaml_list(pin(attributes={"unique": True})),
        "objects/guesses.yml": yaml_list([{"barcode": "0", "inventory_name": "x", "Pin": "4711"}]),
    },
}


@pytest.fixture
def site(empty_emulator: Emulator, tmp_path: Path) -> Site:
    """Return an empty instance."""
    empty_emulator.reset(sign_out=True)
    return Site(tmp_path, empty_emulator)


def vaulted(text: str) -> bytes:
    return bytes(VaultLib([("default", SECRET)]).encrypt(text))


def answered(site: Site, module: str, files: dict[str, str], secret: str) -> dict[str, Any]:
    """Return the output of a run, and all of its reports."""
    site.write({**files, "objects/secret.yml": vaulted(secret)})
    loader = DataLoader()
    loader.set_vault_secrets([("default", SECRET)])
    answers: dict[str, Any] = {}
    for ending in ("sarif", "json"):
        report = site.root / f"report.{ending}"
        given = {**site.service.options(), "rate_limit": 0, "src": str(site.root), "report": str(report)}
        result = run_set(given, True, loader, module=module)
        answers |= {name: result.get(name) for name in ("findings", "failed", "warnings")}
        answers["msg"] = re.sub(r"\d+\.\d+ s", "", result["msg"])
        document = json.loads(report.read_text("utf-8"))
        answers[ending] = [document.get(name) for name in ("runs", "findings", "every_finding", "changes")]
    return answers


@pytest.mark.sample(3)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("module", ["instance_validate", "instance"])
@pytest.mark.parametrize("exists", [False, True], ids=["new field", "field of the instance"])
def test_no_file_asks_what_a_vaulted_value_is(site: Site, question: str, module: str, exists: bool) -> None:
    if exists:
        site.write({"fields/asset.yml": yaml_list(PLAIN)})
        assert site.run().outcome == "changed"
    answers = [
        answered(
            site, module, QUESTIONS[question], f"- {{barcode: '1', inventory_name: x, Pin: '{value}', Size: big}}\n"
        )
        for value in VALUES
    ]
    assert answers[0] == answers[1] == answers[2]
    about = [finding for finding in answers[0]["findings"] if "secret.yml" in finding]
    assert about
    assert all(finding.startswith("objects/secret.yml:1: (vaulted): ") for finding in about)


@pytest.mark.parametrize("rules", [{"constraints": {"regular_expression": "^4"}}, {"allowed": ["4711"]}])
def test_a_saved_schema_asks_nothing_either(site: Site, rules: dict[str, Any]) -> None:
    noted = {
        "key": "Pin",
        "type": "TEXT",
        "label": "Pin",
        "mandatory": False,
        "allowed": [],
        "constraints": {},
        **rules,
    }
    schema = {"$defs": {"objects": {"items": {"properties": {"Pin": {"x-field": noted}}}}}}
    files = {"schema/seventhings.schema.json": json.dumps(schema)}
    answers = [answered(site, "instance_validate", files, f"- {{barcode: '1', Pin: '{value}'}}\n") for value in VALUES]
    assert answers[0] == answers[1] == answers[2]


def test_what_the_instance_demands_of_a_vaulted_value_is_a_finding_without_its_length(site: Site) -> None:
    site.write({"fields/asset.yml": yaml_list(pin(constraints={"max_length": 3}))})
    assert site.run().outcome == "changed"
    secrets = [f"- {{barcode: '1', inventory_name: x, Pin: '{value}', Size: 1}}\n" for value in VALUES]
    answers = [answered(site, "instance", {}, secret) for secret in secrets]
    assert answers[0] == answers[1] == answers[2]
    (finding,) = answers[0]["findings"]
    assert finding.startswith("objects/secret.yml:1: (vaulted): this value does not fit its field")
    fits = answered(site, "instance", {}, "- {barcode: '1', inventory_name: x, Pin: '471', Size: 1}\n")
    assert fits["findings"] == []
