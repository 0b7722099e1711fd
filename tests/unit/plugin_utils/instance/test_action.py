# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action ``instance`` around the engine: progress, plan files, vaulted files, inline states, reports."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import documentation
import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from instance_site import SETTINGS, Site, yaml_list
from project import ROOT
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.plugin_utils.apply.executor import Progress
from ansible_collections.community.seventhings.plugins.plugin_utils.report import task
from ansible_collections.community.seventhings.plugins.plugin_utils.report.task import progress_printer

_SECRET = VaultSecret(b"open sesame")


def _provision(
    site: Site, check_mode: bool = False, loader: Any = None, module: str = "instance", **written: Any
) -> dict[str, Any]:
    """Run the module as the action does."""
    given = {
        **site.service.options(),
        "rate_limit": 0,
        **{name: str(value) if isinstance(value, Path) else value for name, value in written.items()},
    }
    return run_set(given, check_mode, loader, module=module)


def _objects(*barcodes: str) -> str:
    return yaml_list({"barcode": barcode, "inventory_name": "Thing"} for barcode in barcodes)


# ---- progress


def test_progress_is_a_line_every_few_seconds_with_what_is_left() -> None:
    now = 100.0
    lines: list[str] = []
    report = progress_printer(lines.append, lambda: now)
    for done in range(1, 101):
        now += 0.125
        report(Progress("objects", done, 200, done + 3, 200 - done))
    assert lines == [
        "objects: 32 of 200, 168 requests left this minute, about 21 s left",
        "objects: 64 of 200, 136 requests left this minute, about 17 s left",
        "objects: 96 of 200, 104 requests left this minute, about 13 s left",
    ]


def test_progress_is_silent_when_nothing_takes_long() -> None:
    now = 100.0
    lines: list[str] = []
    report = progress_printer(lines.append, lambda: now)
    for done in range(1, 101):
        now += 0.03
        report(Progress("objects", done, 100, done))
    assert lines == []


def test_progress_of_one_host_of_many_names_it() -> None:
    now = 0.0
    lines: list[str] = []
    printers = [progress_printer(lines.append, lambda: now, host) for host in ("berlin", "localhost")]
    now = 5.0
    for report in printers:
        report(Progress("rooms", 5, 5, 9))
    assert lines == [f"{name}rooms: 5 of 5, no rate limit, about 0 s left" for name in ("berlin: ", "")]


# ---- vault, inline


def test_a_file_that_is_vaulted_as_a_whole_is_decrypted(site: Site) -> None:
    vault = VaultLib([("default", _SECRET)])
    site.write({"objects.yml": vault.encrypt(_objects("1"))})
    loader = DataLoader()
    result = _provision(site, src=site.root, loader=loader)
    assert result["outcome"] == "failed"
    assert result["findings"][0].startswith("objects.yml: can't be read: it is vaulted, and was not decrypted")
    loader.set_vault_secrets([("default", _SECRET)])
    assert _provision(site, src=site.root, loader=loader)["outcome"] == "changed"
    assert [record["name"] for record in site.dump()["objects"]] == ["1"]


def _vaulted(records: list[dict[str, Any]]) -> bytes:
    return bytes(VaultLib([("default", _SECRET)]).encrypt(yaml_list(records)))


def test_beside_vaulted_files_other_records_are_shown_and_references_to_vaulted_ones_are_not(site: Site) -> None:
    loader = DataLoader()
    loader.set_vault_secrets([("default", _SECRET)])
    options: dict[str, Any] = {
        "loader": loader,
        "src": site.root,
        "limits": {"delete_percent": 100},
        "allow": ["empty_sources"],
    }
    desk = {"barcode": "1", "inventory_name": "Desk", "target_room": "A/1", "purchasing_price": "5.00"}
    safe, box, hut = ({"barcode": str(n), "inventory_name": "Safe", "target_room": "A/1"} for n in range(2, 5))
    site.write(
        {
            "instance.yml": f"{SETTINGS}policy: {{prune: {{objects: archive}}}}\n",
            "locations/a.yml": yaml_list({"name": name} for name in "AB"),
            "rooms/a.yml": yaml_list({"building_id": name, "number": "1"} for name in "AB"),
            "locations/b.yml": _vaulted([{"name": "Bunker"}]),
            "rooms/b.yml": _vaulted([{"building_id": "Bunker", "number": "1"}]),
            "objects/a.yml": yaml_list([desk]),
            "objects/b.yml": _vaulted([safe, box, {**hut, "target_room": "Bunker/1"}]),
        }
    )
    result = _provision(site, **options)
    assert result["outcome"] == "changed", result["msg"]
    site.write({"objects/a.yml": yaml_list([{**desk, "target_room": "B/1"}, hut]), "objects/b.yml": _vaulted([safe])})
    changes = {change["key"]: change for change in _provision(site, True, **options)["changes"]}
    assert changes["1"]["before"] == {"target_room": "A/1"}
    assert changes["1"]["after"] == {"target_room": "B/1"}
    assert changes["4"]["before"] == {"target_room": "1"}
    site.write({"objects/a.yml": "[]"})
    result = _provision(site, True, **options)
    assert "Bunker" not in str(result)
    removed = {change["name"]: change["removed"] for change in result["changes"]}
    assert {word: removed["Desk"][word] for word in ("room", "value")} == {"room": "A/1", "value": "5.00"}
    assert removed[""]["room"] == "(vaulted)"
    (site.root / "objects/b.yml").unlink()
    site.write({"objects/a.yml": yaml_list([{"barcode": "4", "_state": "absent"}])})
    result = _provision(site, True, **options)
    assert "Bunker" not in str(result)
    assert {change["key"]: change["removed"]["room"] for change in result["changes"]}["4"] == "1"


# ---- results


@pytest.mark.parametrize(
    ("module", "state"),
    [
        *((module, state) for module in ("instance", "instance_drift") for state in ("new", "equal", "wrong")),
        ("instance_undo", "equal"),
    ],
)
def test_a_result_has_the_members_that_its_module_documents(module: str, state: str, site: Site) -> None:
    site.write({"objects.yml": _objects("1")})
    if state == "equal":
        assert not _provision(site, src=site.root).get("failed")
    if state == "wrong":
        site.write({"objects.yml": "- {barcode: 1}\n"})
    source: dict[str, Any] = {"applied": "last"} if module == "instance_undo" else {"src": site.root}
    result = _provision(site, module=module, **source)
    documented = yaml.safe_load(documentation.block(ROOT / "plugins" / "modules" / f"{module}.py", "RETURN"))
    undocumented = result.keys() - documented.keys() - {"changed", "failed", "warnings", "rc"}
    assert undocumented == set()
    assert state == "wrong" or documented.keys() - result.keys() <= {"findings"}


def test_text_report_and_result_agree(site: Site, tmp_path: Path) -> None:
    site.write({"objects.yml": _objects("1", "2")})
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "POST", "path": "/object", "times": 1}])
    report = tmp_path / "report.json"
    result = _provision(site, src=site.root, report=report, tuning={"workers": 1})
    document = json.loads(report.read_text("utf-8"))
    # Only a validation returns records.
    assert document.pop("records") == []
    assert {name: result[name] for name in document} == document
    assert document["outcome"] == "partly_applied"
    assert result["msg"].splitlines()[-1].startswith("partly_applied, ")
    assert result["changed"]
    assert result["failed"]


def test_a_failed_read_says_how_many_requests_it_took(site: Site) -> None:
    site.write({"objects.yml": _objects("1")})
    site.service.steer("PUT", "/faults", [{"fault": "403", "method": "GET", "path": "*/object*"}])
    result = _provision(site, check_mode=True, src=site.root)
    site.service.steer("DELETE", "/faults")
    assert (result["failed"], result["outcome"]) == (True, "failed")
    assert result["requests"] == len(site.sent()) > 0


def test_a_file_that_can_not_be_read_is_an_error_and_no_crash(site: Site) -> None:
    result = _provision(site, check_mode=True, src="x" * 300)
    assert result["failed"]
    assert "File name too long" in result["msg"]


def test_a_pipe_in_the_place_of_a_report_is_refused_before_anything_is_sent(site: Site, tmp_path: Path) -> None:
    site.write({"objects.yml": _objects("1")})
    os.mkfifo(tmp_path / "report.md")
    result = _provision(site, src=site.root, report=tmp_path / "report.md")
    assert "can't be written; expected a file" in result["msg"]
    assert site.sent() == []


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), InvalidInput("x is a link")])
def test_a_report_that_can_not_be_written_hides_nothing_of_what_was_done(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_arguments: Any, **_options: Any) -> None:
        raise error

    site.write({"objects.yml": _objects("1")})
    report = tmp_path / "report.md"
    monkeypatch.setattr(task, "write_report", fail)
    result = _provision(site, src=site.root, report=report)
    assert result["outcome"] == "changed"
    assert any(text.startswith(f"report: {report} can't be written") for text in result["warnings"])


@pytest.mark.parametrize("step", ["write", "read"])
def test_a_disk_that_fails_under_a_plan_file_is_an_error(
    site: Site, tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.write({"objects.yml": _objects("1")})
    path = tmp_path / "plan.json"
    if step != "write":
        _provision(site, check_mode=True, src=site.root, plan_file=path)

    def fail(*_some: object, **_named: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Folder, step, fail)
    site.service.clear_log()
    result = _provision(site, check_mode=step == "write", plan_file=path, src=site.root)
    words = {"write": "can't be written", "read": "can't be read"}[step]
    assert f"plan_file: {path} {words} (Input/output error)" in str(result)
    if step == "read":
        assert site.sent() == []


def test_what_is_no_address_is_reported_before_anything_is_sent(site: Site) -> None:
    site.write({"objects.yml": _objects("1")})
    for url in ("ci.example/run/7", "javascript:alert(1)"):
        result = _provision(site, src=site.root, report_url=url)
        assert result["msg"].startswith(f"report_url: '{url}' does not fit; expected an address that begins with https")
    assert site.sent() == []


# ---- findings are in the message, the result and the reports


def test_findings_leave_nothing_of_a_plan_in_any_form(site: Site, tmp_path: Path) -> None:
    site.write({"objects.yml": _objects("1") + "- {barcode: 5, inventory_name: x}\n"})
    report = tmp_path / "report.md"
    result = _provision(site, check_mode=True, src=site.root, report=report)
    assert (result["changes"], result["summary"]) == ([], {})
    assert "objects.yml:3:13" in report.read_text("utf-8")
    assert "**+**" not in report.read_text("utf-8")


@pytest.mark.parametrize("is_fine", [True, False])
def test_a_validation_writes_the_report_too(site: Site, tmp_path: Path, is_fine: bool) -> None:
    site.write({"objects.yml": "- {barcode: '1', inventory_name: x}\n" if is_fine else "- {barcode: [}\n"})
    report = tmp_path / "report.md"
    assert _provision(site, src=site.root, module="instance_validate", report=report)["failed"] is not is_fine
    assert ("**Findings**" in report.read_text("utf-8")) is not is_fine
