# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Layers with the role in real processes: planned, stored in a plan file, applied, with files of both layers."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret
from emulator_process import Emulator
from playbook import Run, run
from steps import is_write
from trust import IS_TEXT_A_TEMPLATE


@pytest.fixture
def service(empty_emulator: Emulator) -> Emulator:
    """Return an empty instance."""
    empty_emulator.reset()
    return empty_emulator


FILES = {
    "base/instance.yml": "api: seventhings/v1\nset: sites\n",
    "base/locations.yml": "- name: HQ\n- name: Depot\n",
    "base/files/terms.txt": "terms of all\n",
    "base/objects/it.csv": 'barcode,inventory_name,documents\nA,Desk,"[""files/terms.txt""]"\nB,Lamp,\n',
    "overlays/berlin/locations.yml": "- {name: HQ, city: Berlin}\n- {name: Depot, _managed: false}\n",
    "overlays/berlin/files/terms.txt": "terms of Berlin\n",
    "overlays/berlin/objects.yml": "- {barcode: B, documents: [files/terms.txt]}\n- {barcode: C, inventory_name: X}\n",
}


def _write(root: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def _play(root: Path, service: Emulator, apply: bool) -> Run:
    variables = {
        "provision_src": ["base", "overlays/berlin"],
        "provision_apply": apply,
        "provision_plan_file": "sites.plan",
    }
    plays = [
        {
            "hosts": "localhost",
            "gather_facts": False,
            "vars": variables,
            "roles": ["community.seventhings.provision"],
        }
    ]
    return run(root, plays, variables=service.variables())


def test_layers_are_planned_and_applied_as_one_and_change_nothing_twice(tmp_path: Path, service: Emulator) -> None:
    _write(tmp_path, FILES)
    planned = _play(tmp_path, service, apply=False).named("Plan")
    assert planned["changes"], planned["msg"]
    places = {change["key"]: change["place"] for change in planned["changes"]}
    assert places == {
        "HQ": "overlays/berlin/locations.yml:1:3",
        "A": "base/objects/it.csv:2:1",
        "B": "overlays/berlin/objects.yml:1:3",
        "C": "overlays/berlin/objects.yml:2:3",
    }
    done = _play(tmp_path, service, apply=True)
    assert done.status == 0, done.output
    assert done.named("Apply")["summary"]["objects"]["created"] == 3
    again = _play(tmp_path, service, apply=True).named("Apply")
    assert again["outcome"] == "unchanged"


def test_what_is_wrong_in_a_layer_is_reported_with_its_place_before_anything_is_sent(
    tmp_path: Path, service: Emulator
) -> None:
    wrong = {
        "overlays/berlin/instance.yml": "api: seventhings/v1\nset: others\n",
        "overlays/berlin/objects.yml": "- {barcode: B, _managed: no}\n",
    }
    _write(tmp_path, {**FILES, **wrong})
    service.reset()
    done = _play(tmp_path, service, apply=False)
    assert done.status != 0
    assert not [entry for entry in service.log() if is_write(entry)]
    places = [finding.partition(": ")[0] for finding in done.named("Plan")["findings"]]
    assert places == ["overlays/berlin/instance.yml:2:6", "overlays/berlin/objects.yml:1:26"]


_VARIED = "api: seventhings/v1\nset: varied\nvariables: {city: {}, floor: {type: integer, default: 3}}\n"


def _varied(root: Path, service: Emulator, variables: str) -> Run:
    """Run with variables, and export with the same settings."""
    _write(root, {"src/instance.yml": _VARIED, "out/instance.yml": _VARIED})
    _write(root, {"src/locations.yml": "- {name: '${city} ${$}{x}', address: 'F-${floor}'}\n", "secret": "s3cret"})
    play = f"""
    - hosts: localhost
      gather_facts: false
      vars:
        provision_src: src
        provision_variables: {variables}
        export_dest: out
      roles:
        - community.seventhings.provision
        - community.seventhings.export
    """
    (root / "play.yml").write_text(textwrap.dedent(play))
    return run(root, root / "play.yml", "--vault-password-file", "secret", variables=service.variables())


def test_variables_are_filled_in_and_an_export_escapes_what_looks_like_a_variable(
    tmp_path: Path, service: Emulator
) -> None:
    service.reset()
    done = _varied(tmp_path, service, "{city: Berlin, floor: 4}")
    assert done.status == 0, done.output
    written = (tmp_path / "out/locations.yml").read_text()
    assert "Berlin ${$}{x}" in written
    assert "F-4" in written


@pytest.mark.skipif(IS_TEXT_A_TEMPLATE, reason="below 2.19 a template of a vaulted value is an ordinary text")
def test_a_vaulted_variable_is_refused_before_anything_is_sent(tmp_path: Path, service: Emulator) -> None:
    service.reset()
    vault = VaultLib([("default", VaultSecret(b"s3cret"))])
    lines = vault.encrypt("hunter2").decode().splitlines()
    hidden = "".join(f"\n            {line}" for line in ["city: !vault |", *(f"  {line}" for line in lines)])
    done = _varied(tmp_path, service, hidden)
    assert done.status != 0
    assert not [entry for entry in service.log() if is_write(entry)]
    assert "hunter2" not in done.output
    assert done.named("Apply")["findings"] == [
        "variables.city: is vaulted; write vaulted values in files or in desired (in the role: provision_variables)"
    ]
