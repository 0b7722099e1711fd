# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the task: their findings, with places, in a plan, a drift and a validation."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from instance_site import SETTINGS, Site, yaml_list
from project import ROOT
from set_actions import run_set
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.module_utils.model import patterns
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import ROOM
from ansible_collections.community.seventhings.plugins.plugin_utils.rules import found as found_by_rules

TASK_LIMITS = {"update_percent": 100, "delete_percent": 100}
"""The limits of every task in this file."""

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


def beside(site: Site) -> Path:
    """Return a directory outside the files of a site."""
    directory = site.root.with_name(f"{site.root.name}-rules")
    directory.mkdir(exist_ok=True)
    return directory


def run(
    site: Site,
    rules: str | Path | list[str] | None = NUMBERED,
    check_mode: bool = True,
    loader: Any = None,
    module: str = "instance",
    **written: Any,
) -> dict[str, Any]:
    """Run the module with rules, as the action does."""
    path = rules
    if isinstance(rules, str):
        path = beside(site) / "rules.yml"
        path.write_text(rules, "utf-8")
    given = {
        **site.service.options(),
        "rate_limit": 0,
        "src": str(site.root),
        "rules": path if isinstance(path, list) else [] if path is None else [str(path)],
        **{name: str(value) if isinstance(value, Path) else value for name, value in written.items()},
    }
    return run_set(given, check_mode, loader, module=module)


def things(*fields: dict[str, Any]) -> str:
    """Return objects as YAML, with scan codes from 100001 on."""
    return yaml_list(
        {"barcode": str(100001 + number), "inventory_name": "Thing", **some} for number, some in enumerate(fields)
    )


def found(result: dict[str, Any]) -> list[str]:
    """Return the findings up to the name of the field."""
    return [": ".join(line.split(": ")[:3]) for line in result["findings"]]


def test_each_finding_is_at_its_value_in_every_form_of_file(site: Site) -> None:
    rows = [
        ["barcode", "inventory_name", "inventory_group", "serial_number"],
        ["100007", "Thing", "IT", "B7"],
        ["100008", "Thing", "IT", None],
    ]
    line = {"barcode": "100005", "inventory_name": "Thing", "inventory_group": "IT", "serial_number": "B5"}
    site.write(
        {
            "objects/a.csv": "barcode,inventory_name,inventory_group,serial_number\n"
            "100003,Thing,IT,B3\n100004,Thing,IT,\n100009,Thing,IT,A12345\n",
            "objects/b.jsonl": f"{json.dumps(line)}\n",
            "objects/c.xlsx": workbook_of({"objects": rows}),
            "objects/d.yml": things({"inventory_group": "IT", "serial_number": "B1"}),
        }
    )
    rule = "rule it-has-a-serial-number: serial_number"
    assert sorted(found(run(site))) == [
        f"objects/a.csv:2:17: {rule}",
        f"objects/a.csv:3:17: {rule}",
        f"objects/b.jsonl:1:92: {rule}",
        f"objects/c.xlsx:objects!D2: {rule}",
        f"objects/c.xlsx:objects!D3: {rule}",
        f"objects/d.yml:4:18: {rule}",
    ]


def test_reports_name_the_rule_and_its_place(site: Site, tmp_path: Path) -> None:
    site.write({"objects.yml": things({"inventory_group": "IT", "serial_number": "B1"})})
    reports = [tmp_path / f"report.{suffix}" for suffix in ("json", "md", "html", "sarif")]
    result = run(site, report=list(map(str, reports)))
    (line,) = result["findings"]
    assert line in result["msg"]
    assert json.loads(reports[0].read_text("utf-8"))["findings"] == [line]
    for report in reports[1:3]:
        assert "it-has-a-serial-number" in report.read_text("utf-8")
    (sarif_run,) = json.loads(reports[3].read_text("utf-8"))["runs"]
    (shown,) = sarif_run["results"]
    assert shown["ruleId"] == "it-has-a-serial-number"
    assert shown["level"] == "error"
    assert shown["message"]["text"] == line.removeprefix("objects.yml:4:18: ")
    assert shown["locations"][0]["physicalLocation"]["region"] == {"startLine": 4, "startColumn": 18}
    assert {
        "id": "it-has-a-serial-number",
        "shortDescription": {"text": "Accounting books IT by number."},
    } in sarif_run["tool"]["driver"]["rules"]


def test_references_are_natural_keys_however_they_are_written(site: Site) -> None:
    site.write(
        {
            "locations.yml": yaml_list([{"name": "Head office"}, {"name": "Vault"}]),
            "rooms.yml": yaml_list(
                [
                    {"building_id": "Head office", "number": "0.12", "name": "Hall"},
                    {"building_id": "Vault", "number": "0.13", "name": "Safe"},
                ]
            ),
        }
    )
    assert site.run().outcome == "changed"
    safe = next(record for record in site.client().list_all(ROOM) if record.flat["number"] == "0.13")
    written = ["Head office/0.12", "Vault/0.13", "0.13", safe.uuid, safe.id, {"building_id": "Vault", "number": "0.13"}]
    site.write({"objects.yml": things(*({"target_room": room} for room in written))})
    rule = '{id: r, for: objects, require: {properties: {target_room: {pattern: "^Head office/"}}}}'
    assert found(run(site, f"rules: [{rule}]")) == [
        f"objects.yml:{line}:{column}: rule r: target_room"
        for line, column in ((6, 16), (9, 16), (12, 16), (15, 16), (18, 16))
    ]


def test_a_rule_that_thousands_break_says_how_many_more(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(found_by_rules, "MOST_FINDINGS", 2)
    site.write({"objects.yml": things(*({"serial_number": "B1"} for _number in range(5)))})
    rule = "{id: r, for: objects, require: {properties: {serial_number: {pattern: '^A'}}}}"
    lines = run(site, f"rules: [{rule}]")["findings"]
    assert len(lines) == 3
    assert any(line.endswith("rule r: 3 more break this rule") for line in lines)


@pytest.mark.slow
def test_a_plan_judges_each_record_as_a_drift_does_after_the_apply(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules cover every field and type of every kind of record in the example: as it will be, and then as it is."""
    monkeypatch.setattr(found_by_rules, "MOST_WARNINGS", 10_000)
    shutil.copytree(ROOT / "examples" / "acme", site.root, dirs_exist_ok=True)
    given: dict[str, Any] = {"expect_instance": [site.service.base_url]}
    caps: dict[str, Any] = {"limits": {"create_percent": 1000}, "allow": ["users"]}
    planned = run(site, None, **given, **caps)
    fields = {(change["section"], name) for change in planned["changes"] for name in change["after"]}
    types = ("string", "number", "integer", "boolean", "null", "array", "object")
    schemas = [*({"type": name} for name in types), {"pattern": "^[A-Z]"}, False]
    rules = [
        {
            "id": f"{section} {name} {number}",
            "for": section,
            "level": "warning",
            "require": {"properties": {name: schema}},
        }
        for section, name in sorted(fields)
        for number, schema in enumerate(schemas)
    ]

    def broken(result: dict[str, Any]) -> set[str]:
        lines = (line for line in result["warnings"] if ": rule " in line and "as the instance has it" not in line)
        return {line for line in lines if not line.startswith(str(beside(site)))}

    before = broken(run(site, json.dumps({"rules": rules}), **given, **caps))
    assert run(site, None, check_mode=False, **given, **caps)["outcome"] == "changed"
    after = broken(run(site, json.dumps({"rules": rules}), module="instance_drift", **given))
    assert len(before) > 3 * len(fields)
    assert before == after


def test_under_protected_rules_come_from_outside_of_src(site: Site) -> None:
    outside = beside(site)
    site.write({"objects.yml": things({}), "rules.yml": NUMBERED})
    (outside / "link.yml").symlink_to(site.root / "rules.yml")
    (site.root / "out.yml").symlink_to(outside / "other.yml")
    (outside / "other.yml").write_text(NUMBERED, "utf-8")
    caps: dict[str, Any] = {
        "protected": True,
        "src_below": str(site.root),
        "limits": {},
        "prune": {},
        "allow": [],
        "expect_instance": [site.service.base_url],
    }
    for path in (site.root / "rules.yml", outside / "link.yml", site.root / "out.yml"):
        before = len(site.sent())
        result = run(site, path, **caps)
        assert result["failed"]
        assert "is inside of " in result["msg"]
        assert len(site.sent()) == before
    (site.root / "out.yml").unlink()
    (site.root / "rules.yml").unlink()
    assert run(site, outside / "other.yml", **caps)["outcome"] == "changed"
    checkout = run(site, outside / "other.yml", **{**caps, "src_below": site.root.parent})
    assert f"is inside of {site.root.parent}" in checkout["msg"], "the pull request can change the whole checkout"
    single = outside / "state.yml"
    single.write_text(f"objects:\n{things({})}", "utf-8")
    beside_file = run(site, outside / "other.yml", src=single, **{**caps, "src_below": outside})
    assert f"is inside of {outside}" in beside_file["msg"]
    digest = hashlib.sha256(NUMBERED.encode()).hexdigest()
    alone = run(site, outside / "other.yml", src=single, rules_digest=[digest], **{**caps, "src_below": outside})
    assert alone["outcome"] == "changed", alone["msg"]
    pinned = run(site, outside / "other.yml", rules_digest=[digest], **{**caps, "src_below": site.root.parent})
    assert pinned["outcome"] == "changed"


@pytest.mark.parametrize("name", ["rules", "policy.rules", "policy.is_capped"])
def test_no_setting_of_the_files_sets_or_lifts_rules(site: Site, name: str) -> None:
    setting, _dot, member = name.partition(".")
    written = f"{setting}: {{{member}: []}}\n" if member else f"{setting}: []\n"
    site.write({"instance.yml": SETTINGS + written, "objects.yml": things({"inventory_group": "IT"})})
    found = run(site)["findings"]
    assert f"{name}: no such setting" in found[0]
    assert "rule it-has-a-serial-number" in found[1]


def test_an_empty_path_does_not_switch_rules_off(site: Site) -> None:
    site.write({"objects.yml": things({"inventory_group": "IT"})})
    refused = run(site, [""])
    assert refused["msg"] == "rules: '' does not fit; expected the path of a file"


def test_a_digest_pins_the_rules(site: Site) -> None:
    site.write({"objects.yml": things({})})
    digest = hashlib.sha256(NUMBERED.encode()).hexdigest()
    for fits in (digest, f"sha256:{digest.upper()}"):
        assert run(site, rules_digest=[fits])["outcome"] == "changed"
    other = run(site, rules_digest=["0" * 64])
    assert other["failed"]
    assert f"has the digest sha256:{digest}" in other["msg"]
    for odd in ([""], [digest, digest]):
        assert "rules_digest" in run(site, rules_digest=odd)["msg"]
    assert run(site, None, rules_digest=[digest])["msg"].startswith("rules_digest: give rules too")


def test_no_value_of_any_record_is_quoted(site: Site) -> None:
    secret = "S3cretText"
    site.write({"objects.yml": things({"serial_number": secret, "description": secret, "weight": 4711})})
    rules = "\n".join(
        f"  - {{id: r{number}, for: objects, require: {schema}}}"
        for number, schema in enumerate(
            [
                "{properties: {serial_number: {pattern: '^A'}}}",
                "{properties: {serial_number: {const: A, maxLength: 3, minLength: 50, enum: [A, B], type: integer}}}",
                "{properties: {weight: {maximum: 3, multipleOf: 2.5, exclusiveMaximum: 3, not: {type: number}}}}",
                "{not: {required: [serial_number]}}",
                "{anyOf: [{required: [link]}, {properties: {description: {const: A}}}]}",
                "{oneOf: [{required: [link]}, {properties: {description: {const: A}}}]}",
                "{maxProperties: 1}",
                "{dependentRequired: {serial_number: [link]}}",
                "{if: {required: [serial_number]}, then: {required: [link]}}",
                "{properties: {serial_number: false}}",
                "{unevaluatedProperties: false}",
            ]
        )
    )
    result = run(site, f"rules:\n{rules}\n")
    shown = json.dumps(result)
    assert {f"r{number}" for number in range(11)} <= set(re.findall(r"rule (r\d+):", shown))
    assert secret not in shown
    assert "4711" not in shown


def test_a_vaulted_value_is_judged_and_not_shown(site: Site, tmp_path: Path) -> None:
    vault = VaultLib([("default", VaultSecret(b"open sesame"))])
    loader = DataLoader()
    loader.set_vault_secrets([("default", VaultSecret(b"open sesame"))])
    site.write(
        {
            "objects/a.yml": things({"serial_number": "TopSecret-9"}),
            "objects/b.yml": vault.encrypt(
                yaml_list([{"barcode": "100002", "inventory_name": "Hidden thing", "serial_number": "TopSecret-8"}])
            ),
        }
    )
    rule = "{id: r, for: objects, require: {properties: {serial_number: {pattern: '^A'}}}}"
    report = tmp_path / "report.json"
    result = run(site, f"rules: [{rule}]", loader=loader, hide=["serial_number"], report=[str(report)])
    assert found(result) == ["objects/a.yml:3:18: rule r: serial_number", "objects/b.yml:3: rule r: serial_number"]
    for text in (json.dumps(result), report.read_text("utf-8")):
        assert "TopSecret" not in text
        assert "100002" not in text


def test_a_value_that_a_pattern_takes_too_long_for_breaks_the_rule(site: Site) -> None:
    """Otherwise a value could be chosen so that its record escapes the rule."""
    site.write({"objects.yml": things({"serial_number": "a" * 60 + "!"})})
    for schema in (
        "when: {properties: {serial_number: {pattern: '^(a+)+$'}}}, require: true",
        "require: {properties: {serial_number: {pattern: '^(a+)+$'}}}",
    ):
        (line,) = run(site, f"rules: [{{id: r, for: objects, {schema}}}]")["findings"]
        assert line.startswith("objects.yml:1:3: rule r: ")
        assert line.endswith("takes too long for this value, so the value breaks the rule")
    patterns._ENDED.clear()


@pytest.mark.parametrize("beside", ["", ", minProperties: 1"], ids=["comparison", "library"])
@pytest.mark.parametrize(
    ("pattern", "value", "fits"),
    [
        ("^A[0-9]{5}$", "A00017\n", False),
        ("^A[0-9]{5}$", "A00017", True),
        ("^A[$]|B$", "B\n", False),
        ("^A[$]$", "A$", True),
        ("^A[]$]$", "A$", True),
        (r"^A\$$", "A$", True),
        (r"^A\\$", "A\\\n", False),
        ("(?m)^A$", "A\nB", True),
    ],
)
def test_the_end_in_a_pattern_is_the_end_of_the_text(
    site: Site, pattern: str, value: str, fits: bool, beside: str
) -> None:
    """Python's ``$`` also matches before a line end, so a line end would get a value past a rule."""
    site.write({"objects.yml": things({"serial_number": value})})
    schema = f"{{properties: {{serial_number: {{pattern: {json.dumps(pattern)}{beside}}}}}}}"
    result = run(site, f"rules: [{{id: r, for: objects, require: {schema}}}]")
    assert bool(result.get("findings")) is not fits


def test_without_the_library_the_message_says_what_to_install(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    site.write({"objects.yml": things({})})
    assert "jsonschema" in run(site)["msg"]
    assert run(site, None)["outcome"] == "changed"


def test_an_apply_of_a_plan_file_warns_in_the_words_of_the_plan(site: Site, tmp_path: Path) -> None:
    """Ansible shows equal warnings of a play once."""
    rows = "barcode,inventory_name,purchasing_date\n1,GrÃ¶ÃŸe,2105-01-01\n2,Table,1900-01-01\n3,Box,2024-05-31\n"
    site.write({"objects.csv": rows})
    rule = "{id: r, for: objects, level: warning, require: {properties: {inventory_name: {maxLength: 4}}}}"
    path = tmp_path / "plan.json"
    results = [run(site, f"rules: [{rule}]", is_plan, plan_file=path) for is_plan in (True, False)]
    planned, applied = ([line for line in result["warnings"] if "objects.csv:" in line] for result in results)
    assert len(planned) == 4
    assert applied == planned


def test_layers_and_inline_records_are_judged_at_their_places(site: Site, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for directory, text in (
        (first, things({"inventory_group": "IT", "serial_number": "A12345"}, {"inventory_group": "IT"})),
        (second, "- {barcode: '100001', serial_number: B1}\n"),
    ):
        directory.mkdir()
        (directory / "instance.yml").write_text(SETTINGS, "utf-8")
        (directory / "objects.yml").write_text(text, "utf-8")
    inline = {"objects": [{"barcode": "100009", "inventory_name": "x", "inventory_group": "IT", "serial_number": "B9"}]}
    result = run(site, src=[str(first), str(second)], desired=inline)
    assert sorted(found(result)) == [
        "desired.objects[0].serial_number: rule it-has-a-serial-number: serial_number",
        "first/objects.yml:5:3: rule it-has-a-serial-number: serial_number",
        "second/objects.yml:1:38: rule it-has-a-serial-number: serial_number",
    ]


def validated(site: Site, rules: str = NUMBERED, **more: Any) -> dict[str, Any]:
    """Return the result of a validation with rules; nothing may be sent."""
    before = len(site.sent())
    result = run(site, rules, module="instance_validate", **more)
    assert len(site.sent()) == before
    return result


KNOWN = (
    "- {field_key: inventory_group, label: Inventory group, type: TEXT}\n"
    "- {field_key: serial_number, label: Serial number, type: TEXT}\n"
)


def test_a_validation_has_warnings_with_places(site: Site, tmp_path: Path) -> None:
    site.write({"fields/asset.yml": KNOWN, "objects.yml": things({"serial_number": "B1"})})
    rule = "{id: r, for: objects, level: warning, require: {properties: {serial_number: {pattern: '^A'}}}}"
    report = tmp_path / "report.sarif"
    result = validated(site, f"rules: [{rule}]", report=[str(report)])
    assert not result["failed"]
    assert [line.partition(": rule")[0] for line in result["warnings"] if "rule r" in line] == ["objects.yml:3:18"]
    (shown,) = [
        result for result in json.loads(report.read_text("utf-8"))["runs"][0]["results"] if result["ruleId"] == "r"
    ]
    assert shown["locations"][0]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 18}
