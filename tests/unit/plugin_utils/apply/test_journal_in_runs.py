# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal of a managed set in whole runs: its id, other instances and plan files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from embedded_here import Embedded, SiteHere
from emulator_process import Emulator
from exports import export_of
from instance_site import SETTINGS, Site, yaml_list

from ansible_collections.community.seventhings.plugins.plugin_utils.apply.journal import Journal

ID = "0123456789abcdef"


@pytest.fixture
def site(tmp_path: Path) -> SiteHere:
    """Return an empty directory and an empty instance in this process."""
    return Embedded.started(data="empty").site(tmp_path / "files")


def _objects(*numbers: int) -> str:
    return yaml_list({"barcode": f"{number:03d}", "inventory_name": f"Thing {number}"} for number in numbers)


def test_one_directory_serves_many_instances(demo: Site, empty_emulator: Emulator) -> None:
    empty_emulator.reset()
    demo.write({"locations.yml": "- name: North\n"})
    for service in (empty_emulator, demo.service):
        assert Site(demo.root, service).run().outcome == "changed"
        assert Site(demo.root, service).journal().exists()
    assert not (demo.root / ".seventhings").exists()


def test_a_run_reports_the_line_missing_from_instance_yml_and_accepts_it(site: SiteHere) -> None:
    site.write({"objects.yml": _objects(1, 2)})
    (message,) = site.run().warnings
    line = message.partition("Add this line to it: ")[2]
    site.write(
        {"instance.yml": f"{SETTINGS}{line}\npolicy: {{prune: {{objects: delete}}}}\n", "objects.yml": _objects(1)}
    )
    result = site.run()
    assert (result.outcome, result.warnings) == ("changed", [])
    assert [(change["key"], change["action"]) for change in result.changes] == [("002", "delete")]


@pytest.mark.parametrize("check_mode", [True, False])
def test_files_with_another_id_are_refused_before_anything_is_sent(site: SiteHere, check_mode: bool) -> None:
    site.write({"instance.yml": f'{SETTINGS}set_id: "{ID}"\n', "objects.yml": _objects(1)})
    site.run()
    site.write({"instance.yml": f'{SETTINGS}set_id: "another"\n', "objects.yml": _objects(1, 2)})
    site.embedded.log.clear()
    result = site.run(check_mode=check_mode)
    assert result.outcome == "refused"
    assert 'set_id: "another" is not that of the journal of the set "test"' in result.refusals[0]
    assert site.sent() == []


def test_without_a_set_prune_only_reports_and_says_so(site: SiteHere) -> None:
    site.write(
        {"instance.yml": "api: seventhings/v1\npolicy: {prune: {objects: delete}}\n", "objects.yml": _objects(1, 2)}
    )
    assert site.run().warnings == []
    site.write({"objects.yml": _objects(1)})
    result = site.run(prune={"objects": "archive"})
    assert (result.outcome, result.reported) == ("unchanged", {"objects": ["002"]})
    (warning,) = result.warnings
    assert warning.startswith("objects: prune removes nothing, because instance.yml names no set")


def test_an_id_that_is_no_text_is_a_finding(site: SiteHere) -> None:
    site.write({"instance.yml": f"{SETTINGS}set_id: 12345678\n"})
    assert any("set_id: '12345678' does not fit; expected a text" in finding for finding in site.plan().findings)


def test_an_export_writes_an_id_and_keeps_it(demo: Site, tmp_path: Path) -> None:
    export_of(demo)
    path = demo.root / "instance.yml"
    first = path.read_bytes()
    assert len(yaml.safe_load(first)["set_id"]) == 16
    assert not export_of(demo)["changed"]
    assert path.read_bytes() == first
    export_of(demo, tmp_path / "other")
    assert (tmp_path / "other" / "instance.yml").read_bytes() != first


def test_a_plan_file_belongs_to_the_set_that_it_was_created_for(site: SiteHere, tmp_path: Path) -> None:
    path = tmp_path / "p.plan"
    site.write({"instance.yml": f'{SETTINGS}set_id: "{ID}"\n', "objects.yml": _objects(1)})
    site.plan(plan_file=path)
    assert json.loads(path.read_text("utf-8"))["set_id"] == ID
    with Journal(None, site.service.base_url, "test", set_id="another"):
        pass
    result = site.run(plan_file=path)
    assert result.outcome == "refused"
    assert site.writes() == []
