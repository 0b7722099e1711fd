# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The walk-throughs of docs/walkthroughs.md work: they are carried out literally in a copy of the repository.

The copy has its own embedded service, its own modules and its own tests. An archivable kind includes all steps for a
new kind, so outside the long tests only its records go from files to the instance and back.
"""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import emulator_process
import playbook
import pytest
import yaml
from project import ROOT
from walkthrough import Copy, touches

HEADINGS = ("Add a kind", "Let a kind be archived", "Add a field type")
MOST_TOUCHES_OF_A_KIND = 7
MOST_TOUCHES_OF_A_TYPE = 9
TESTS_OF_KINDS = (
    "tests/hostile/test_doors.py",
    "tests/integration/test_completeness.py",
    "tests/integration/test_steps.py",
    "tests/unit/emulator/test_description.py",
    "tests/unit/emulator/test_errors.py",
    "tests/unit/module_utils/ansible_module/test_catalogue.py",
    "tests/unit/test_docs.py",
)


def copy_with(root: Path, *headings: str) -> Copy:
    """Return a copy after some walk-throughs."""
    copy = Copy.at(root)
    for heading in headings:
        for touch in touches(heading):
            touch.make(root)
    copy.run("tests/tools/generate.py")
    return copy


def play(copy: Copy, directory: Path, service: emulator_process.Emulator, *tasks: dict[str, Any]) -> playbook.Run:
    """Run a real play with the copy's collection and service. Tasks are found by their ``name``."""
    plays = {"hosts": "localhost", "gather_facts": False, "tasks": list(tasks)}
    link = {"ANSIBLE_COLLECTIONS_PATH": str(copy.root / ".build" / "link")}
    run = playbook.run(directory, [plays], variables={**link, **service.variables()})
    assert run.status == 0, run.output
    return run


def instance(name: str, src: Path, **more: Any) -> dict[str, Any]:
    return {"name": name, "community.seventhings.instance": {"src": str(src)}, **more}


@pytest.fixture(scope="module")
def with_contracts(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return copy_with(tmp_path_factory.mktemp("kind") / "seventhings", "Add a kind")


@pytest.fixture
def service(with_contracts: Copy) -> Iterator[emulator_process.Emulator]:
    with emulator_process.running(root=with_contracts.root) as started:
        yield started


def test_every_block_has_its_place(tmp_path: Path) -> None:
    for touch in (touch for heading in HEADINGS for touch in touches(heading)):
        path = tmp_path / touch.path
        path.parent.mkdir(parents=True, exist_ok=True)
        if touch.anchor and not path.exists():
            shutil.copy(ROOT / touch.path, path)
        touch.make(tmp_path)


def test_a_kind_takes_at_most_seven_touches() -> None:
    found = touches("Add a kind")
    assert len({touch.path for touch in found}) == len(found) <= MOST_TOUCHES_OF_A_KIND


@pytest.mark.sample(0)
def test_a_new_kind_passes_the_tests_of_the_copy(with_contracts: Copy) -> None:
    with_contracts.run("-m", "pytest", "-q", *TESTS_OF_KINDS)


@pytest.mark.sample(0)
def test_records_of_a_new_kind_go_from_files_to_the_instance_and_back(
    with_contracts: Copy, service: emulator_process.Emulator, tmp_path: Path
) -> None:
    src, dest = tmp_path / "src", tmp_path / "dest"
    contract = {"number": "C-1", "title": "Cleaning", "starts_on": "2031-05-31", "location": "North"}
    files: dict[str, Any] = {
        "instance.yml": {"api": "seventhings/v1", "set": "test"},
        "contracts.yml": [contract],
        "locations.yml": [{"name": "North"}],
    }
    src.mkdir()
    for name, content in files.items():
        (src / name).write_text(yaml.safe_dump(content), encoding="utf-8")
    export = {"name": "export", "community.seventhings.instance_export": {"dest": str(dest)}}

    run = play(
        with_contracts,
        tmp_path,
        service,
        instance("plan", src, check_mode=True),
        instance("apply", src),
        instance("again", src),
        export,
        instance("of the export", dest, check_mode=True),
    )

    assert run.named("plan")["summary"]["contracts"]["created"] == 1
    assert run.named("apply")["summary"]["contracts"]["created"] == 1
    assert not run.named("again")["changed"]
    assert not run.named("of the export")["changed"]
    assert yaml.safe_load((dest / "contracts.yml").read_text(encoding="utf-8")) == [
        {**contract, "starts_on": dt.date(2031, 5, 31)}
    ]


# ---- a kind that is archived

ARCHIVED = {"_state": "archived"}


@pytest.fixture(scope="module")
def with_archive(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return copy_with(tmp_path_factory.mktemp("archive") / "seventhings", "Add a kind", "Let a kind be archived")


@pytest.mark.sample(0)
def test_a_kind_that_is_archived_passes_the_tests_of_the_copy(with_archive: Copy) -> None:
    """Its steps run in real plays: create, unchanged, change, predict, remove, list.

    Documentation, routing, action group, argument specs and lists follow from the changes of the walk-through. The
    tests of all archivable kinds cover the new kind, too.
    """
    with_archive.run("-m", "pytest", "-q", *TESTS_OF_KINDS)
    with_archive.run("-m", "pytest", "-q", "tests/unit/rules/test_plan_is_executed.py", "-k", "archivable")


@pytest.mark.sample(0)
def test_archived_records_of_a_new_kind_are_found_again(with_archive: Copy, tmp_path: Path) -> None:
    src, dest = tmp_path / "src", tmp_path / "dest"
    contract = {"number": "C-1", "title": "Cleaning"}
    src.mkdir()
    (src / "instance.yml").write_text("api: seventhings/v1\nset: test\n", encoding="utf-8")

    def written(row: dict[str, Any]) -> dict[str, Any]:
        copy = {"content": yaml.safe_dump([row]), "dest": str(src / "contracts.yml"), "mode": "0600"}
        return {"name": "files", "ansible.builtin.copy": copy}

    export = {"name": "export", "community.seventhings.instance_export": {"dest": str(dest)}}
    absorb = {"name": "absorb", "community.seventhings.instance_absorb": {"src": str(src), "gone": "absent"}}
    changed = {**contract, "title": "Garden"}
    with emulator_process.running(root=with_archive.root) as service:
        # Even a service that accepts duplicates gets no second record.
        service.steer("PUT", "/switches", {"unique_values": "take"})
        run = play(
            with_archive,
            tmp_path,
            service,
            written(contract),
            instance("create", src),
            export,
            written({**contract, **ARCHIVED}),
            instance("archive", src),
            export,
            written(changed),
            {**absorb, "check_mode": True},
            instance("plan", src, check_mode=True),
        )
        absorbed = run.named("absorb")
        (planned,) = run.named("plan")["changes"]
        again = play(
            with_archive,
            tmp_path,
            service,
            instance("present", src),
            written({**contract, **ARCHIVED}),
            instance("archive again", src),
            instance("nothing", src),
        )
        contracts = service.steer("GET", "/dump")["contracts"]
    assert (absorbed["not_changed"], "_state: archived" in absorbed["diff"]["after"]) == ([], True)
    assert (planned["note"], planned["after"]) == ("unarchive and update", {"archived": False, "title": "Garden"})
    assert [again.named(name)["changed"] for name in ("present", "archive again", "nothing")] == [True, True, False]
    assert [contract["archived"] for contract in contracts] == [True]


# ---- a field type


@pytest.fixture(scope="module")
def with_addresses(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return copy_with(tmp_path_factory.mktemp("type") / "seventhings", "Add a field type")


def test_a_field_type_takes_few_touches() -> None:
    found = touches("Add a field type")
    assert len(found) <= MOST_TOUCHES_OF_A_TYPE
    assert len({touch.path for touch in found}) == 5


@pytest.mark.sample(0)
def test_a_new_field_type_passes_the_tests_of_the_copy(with_addresses: Copy) -> None:
    folders = ["tests/unit/module_utils/model", "tests/unit/test_docs.py"]
    with_addresses.run("-m", "pytest", "-q", *folders)


@pytest.mark.sample(0)
def test_values_of_a_new_field_type_go_from_files_to_the_instance_and_back(
    with_addresses: Copy, tmp_path: Path
) -> None:
    src, dest = tmp_path / "src", tmp_path / "dest"
    row = {"inventory_name": "Router", "barcode": "R-1", "Address": "2001:DB8:0::7"}
    files: dict[str, Any] = {
        "instance.yml": {"api": "seventhings/v1", "set": "test"},
        "fields/asset.yml": [{"label": "Address", "type": "IP_ADDRESS"}],
        "objects.yml": [row],
    }
    (src / "fields").mkdir(parents=True)
    for name, content in files.items():
        (src / name).write_text(yaml.safe_dump(content), encoding="utf-8")
    export = {"name": "export", "community.seventhings.instance_export": {"dest": str(dest), "only": ["objects"]}}
    wrong = {"inventory_name": "Router", "barcode": "R-1", "Address": "router.example"}
    refused = {"name": "wrong", "community.seventhings.object": {"fields": wrong}, "ignore_errors": True}

    with emulator_process.running(root=with_addresses.root) as service:
        run = play(with_addresses, tmp_path, service, instance("apply", src), instance("again", src), export, refused)

    assert run.named("apply")["summary"]["objects"]["created"] == 1
    assert not run.named("again")["changed"]
    assert "expected an IP address" in run.named("wrong")["msg"]
    exported = "".join(path.read_text(encoding="utf-8") for path in (dest / "objects").glob("*.yml"))
    assert "2001:db8::7" in exported
    assert "#/$defs/ip_address" in (dest / "schema" / "seventhings.schema.json").read_text(encoding="utf-8")
