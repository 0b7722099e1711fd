# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action ``instance`` does around the engine: progress, plan files, vaulted files, inline states, reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.parsing.dataloader import DataLoader
from ansible.parsing.vault import VaultLib, VaultSecret
from instance_site import Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.levels import Progress
from ansible_collections.community.seventhings.plugins.module_utils.specs import INSTANCE
from ansible_collections.community.seventhings.plugins.plugin_utils.provisioning import provision, teller

_SECRET = VaultSecret(b"open sesame")


def _provision(site: Site, check_mode: bool = False, loader: Any = None, **written: Any) -> dict[str, Any]:
    """One call, as the action makes it."""
    given = {
        **site.service.options(),
        "rate_limit": 0,
        **{name: str(value) if isinstance(value, Path) else value for name, value in written.items()},
    }
    options = ArgumentSpecValidator(INSTANCE).validate(given).validated_parameters
    return provision(options, check_mode, loader or DataLoader(), given)


def _objects(*barcodes: str) -> str:
    return yaml_list({"barcode": barcode, "inventory_name": "Thing"} for barcode in barcodes)


# ---- progress


def test_progress_is_a_line_every_few_seconds_with_what_is_left() -> None:
    now = 100.0
    lines: list[str] = []
    tell = teller(lines.append, lambda: now)
    for done in range(1, 101):
        now += 0.125
        tell(Progress("objects", done, 200, done + 3, 200 - done))
    assert lines == [
        "objects: 32 of 200, 168 requests left this minute, about 21 s left",
        "objects: 64 of 200, 136 requests left this minute, about 17 s left",
        "objects: 96 of 200, 104 requests left this minute, about 13 s left",
    ]


def test_progress_is_silent_when_nothing_takes_long() -> None:
    now = 100.0
    lines: list[str] = []
    tell = teller(lines.append, lambda: now)
    for done in range(1, 101):
        now += 0.03
        tell(Progress("objects", done, 100, done))
    assert lines == []


def test_progress_without_a_rate_limit_says_so() -> None:
    now = 0.0
    lines: list[str] = []
    tell = teller(lines.append, lambda: now)
    now = 5.0
    tell(Progress("rooms", 5, 5, 9))
    assert lines == ["rooms: 5 of 5, no rate limit, about 0 s left"]


# ---- plan files


def test_a_plan_file_alone_must_be_there(site: Site, tmp_path: Path) -> None:
    result = _provision(site, plan_file=tmp_path / "none.json")
    assert result["failed"]
    assert "neither src nor desired says what to plan" in result["msg"]
    assert site.sent() == []


def test_check_mode_never_makes_a_plan_of_nothing(site: Site, tmp_path: Path) -> None:
    site.write({"objects.yml": _objects("1")})
    path = tmp_path / "plan.json"
    assert _provision(site, check_mode=True, src=site.root, plan_file=path)["outcome"] == "changed"
    before = path.read_bytes()
    result = _provision(site, check_mode=True, plan_file=path)
    assert result["failed"]
    assert path.read_bytes() == before
    assert _provision(site, plan_file=path)["outcome"] == "changed"
    assert not path.exists()


def test_a_plan_that_was_applied_in_part_can_be_applied_again(site: Site, tmp_path: Path) -> None:
    site.write({"objects.yml": _objects("1", "2", "3")})
    path = tmp_path / "plan.json"
    _provision(site, check_mode=True, src=site.root, plan_file=path)
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "POST", "path": "/object", "times": 1}])
    result = _provision(site, plan_file=path, workers=1)
    assert result["outcome"] == "partly_applied"
    assert result["failed"]
    assert _provision(site, plan_file=path)["summary"]["objects"]["created"] == 1
    assert len(site.dump()["objects"]) == 3


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
    assert [one["name"] for one in site.dump()["objects"]] == ["1"]


def test_findings_inline_name_their_path(site: Site) -> None:
    desired = {"objects": [{"barcode": "1", "inventory_name": "a"}, {"barcode": 2, "inventory_name": "b"}]}
    result = _provision(site, desired=desired)
    (finding,) = result["findings"]
    assert finding.startswith("desired.objects[1].barcode: barcode: 2 does not fit; expected text; quote it")
    assert site.writes() == []


# ---- results


def test_drift_fails_only_where_it_is_asked_for(site: Site) -> None:
    site.write({"objects.yml": _objects("1")})
    assert "failed" not in _provision(site, check_mode=True, src=site.root)
    assert _provision(site, check_mode=True, src=site.root, drift_fail=True)["failed"]
    _provision(site, src=site.root)
    assert "failed" not in _provision(site, check_mode=True, src=site.root, drift_fail=True)


def test_text_report_and_result_agree(site: Site, tmp_path: Path) -> None:
    site.write({"objects.yml": _objects("1", "2")})
    site.service.steer("PUT", "/faults", [{"fault": "422", "method": "POST", "path": "/object", "times": 1}])
    report = tmp_path / "report.json"
    result = _provision(site, src=site.root, report=report, workers=1)
    told = json.loads(report.read_text("utf-8"))
    assert {name: result[name] for name in told} == told
    assert told["outcome"] == "partly_applied"
    assert result["msg"].splitlines()[-1].startswith("partly_applied, ")
    assert result["changed"]
    assert result["failed"]


@pytest.mark.parametrize("name", ["report.txt", "none/report.md"])
def test_a_report_that_can_not_be_written_is_refused_before_anything_is_sent(
    site: Site, tmp_path: Path, name: str
) -> None:
    site.write({"objects.yml": _objects("1")})
    assert _provision(site, src=site.root, report=tmp_path / name)["failed"]
    assert site.sent() == []


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


def test_a_report_that_can_not_be_written_hides_nothing_of_what_was_done(site: Site, tmp_path: Path) -> None:
    site.write({"objects.yml": _objects("1")})
    report = tmp_path / "report.md"
    report.symlink_to(tmp_path / "none" / "report.md")
    result = _provision(site, src=site.root, report=report)
    assert result["outcome"] == "changed"
    assert any(text.startswith(f"report: {report} can't be written") for text in result["warnings"])


def test_a_plan_file_that_can_not_be_written_or_read_is_an_error(site: Site, tmp_path: Path) -> None:
    site.write({"objects.yml": _objects("1")})
    where = tmp_path / "none" / "plan.json"
    assert "can't be written" in _provision(site, check_mode=True, src=site.root, plan_file=where)["msg"]
    where.parent.mkdir()
    where.mkdir()
    assert "can't be read" in _provision(site, src=site.root, plan_file=where)["msg"]
