# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""No example that people copy overwrites a stocktake, removes records or sends e-mails."""

from __future__ import annotations

from pathlib import Path

import pytest
from project import ROOT
from safe_examples import harms, sources

pytestmark = pytest.mark.slow

_EXEMPT = {
    ("docs/docsite/rst/guide_instance.rst", "prune"): "one of its sections explains pruning",
    ("docs/docsite/rst/guide_references.rst", "scan code"): "it shows what YAML makes of a leading zero",
}
"""Pages that explain unsafe content, each with the reason for its exemption."""


@pytest.mark.sample(30)
@pytest.mark.parametrize("path", [Path(), *sorted({path.parent for path in sources()})], ids=str)
def test_nothing_that_people_copy_does_harm(path: Path) -> None:
    found = [
        harm
        for source in sources()
        if source.parent == path
        for harm in harms(source, (ROOT / source).read_text("utf-8"))
        if (harm.path, harm.rule) not in _EXEMPT
    ]
    assert [str(harm) for harm in found] == []


def test_each_exempt_page_needs_to_be_exempt() -> None:
    used = {
        (harm.path, harm.rule)
        for path, _rule in _EXEMPT
        for harm in harms(Path(path), (ROOT / path).read_text("utf-8"))
    }
    assert used == set(_EXEMPT)


def test_one_section_alone_prunes() -> None:
    path = Path("docs/docsite/rst/guide_instance.rst")
    lines = (ROOT / path).read_text("utf-8").splitlines()
    (harm,) = [harm for harm in harms(path, "\n".join(lines)) if harm.rule == "prune"]
    headings = [lines[number - 1] for number, line in enumerate(lines[: harm.line]) if line and set(line) == {"-"}]
    assert headings[-1] == "Records that are no longer in the files"


MUTATIONS = [
    ("README.md", "          target_room: Dresden/1.11", "          actual_room: Dresden/1.11", "observed field"),
    (
        "docs/docsite/rst/guide_instance.rst",
        "purchasing_price,target_room",
        "purchasing_price,actual_room",
        "observed field",
    ),
    (
        "docs/docsite/rst/guide_files.rst",
        "    target_room: Plant/1.01 ",
        "    actual_room: Plant/1.01 ",
        "observed field",
    ),
    ("plugins/modules/object.py", "\n      target_room:", "\n      actual_building:", "observed field"),
    ("plugins/modules/move.py", "\n    to: Leipzig/3.03", "\n    actual: true", "observed field"),
    ("docs/docsite/rst/guide_leaving.rst", "move_to: Leipzig/3.01", "move_actual: true", "observed field"),
    ("docs/docsite/rst/guide_leaving.rst", "-e move_room=Dresden/1.10", "-e move_actual=true", "observed field"),
    ("roles/move/README.md", "-e move_room=Dresden/1.10", "-e move_actual=yes", "observed field"),
    ("roles/move/defaults/main.yml", "move_actual: false", "move_actual: true", "observed field"),
    ("examples/acme/objects/it.yml", "  target_room: Harbour", "  actual_room: Harbour", "observed field"),
    ("examples/repository/instance/instance.yml", "objects: report", "objects: archive", "prune"),
    ("examples/awx/provision.yml", "objects: report", "objects: delete", "prune"),
    ("examples/ci/gitlab-ci.yml", '{"objects": "report"}', '{"objects": "archive"}', "prune"),
    ("docs/docsite/rst/guide_strangers.rst", "    objects: report", "    objects: archive", "prune"),
    ("plugins/modules/instance.py", "      objects: report", "      objects: archive", "prune"),
    ("examples/awx/provision.yml", "allow: []", "allow: [users]", "users"),
    ("examples/ci/github-actions.yml", '_allow": []', '_allow": ["users"]', "users"),
    ("tests/tools/demo.py", '_USER = "ada', '_ALLOW = "allow: [users]"  # "', "users"),
    ("roles/export/README.md", "To make a copy", "    -e '{export_allow: [users]}'", "users"),
    ("examples/acme/fields/asset.yml", "label: Condition", "label: Status", "status"),
    ("docs/docsite/rst/guide_files.rst", "      initial: [condition]", "      initial: [status]", "status"),
    ("docs/docsite/rst/guide_files.rst", "      condition: [in use", "      status: [in use", "status"),
    ("examples/acme/objects/it.yml", '"100401"', '"0001001"', "scan code"),
    ("examples/acme/tasks.yml", '"100403"', '"0001003"', "scan code"),
    ("examples/repository/instance/objects/it.yml", '"100401"', '"H-0001"', "scan code"),
    ("docs/docsite/rst/guide_instance.rst", "100901,Laptop 1", "0900001,Laptop 1", "scan code"),
    ("docs/docsite/rst/guide_instance.rst", "  +objects 100903", "  +objects 0900003", "scan code"),
    ("plugins/modules/object.py", '      barcode: "100234"', '      barcode: "1234"', "scan code"),
    ("plugins/modules/user_from_person.py", "  register: yildiz", "  register: elif", "register"),
    ("docs/docsite/rst/guide_overdue.rst", "register: overdue_tasks", "register: tasks", "register"),
    ("plugins/modules/hub_item.py", '    object: "100005"', '    object: "{{ laptop.record.id | int }}"', "id as text"),
    ("plugins/modules/report.py", '    objects: ["100007"]', '    objects: ["{{ laptop.record.id }}"]', "id as text"),
]


@pytest.mark.parametrize(("name", "safe", "harmful", "rule"), MUTATIONS)
def test_harm_is_found_with_its_line(name: str, safe: str, harmful: str, rule: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    before, found, after = text.partition(safe)
    assert found, f"{name} does not have {safe!r}"
    line = before.count("\n") + 1 + len(harmful) - len(harmful.lstrip("\n"))
    mutated = {str(harm) for harm in harms(Path(name), before + harmful + after)}
    added = mutated - {str(harm) for harm in harms(Path(name), text)}
    assert any(harm.startswith(f"{name}:{line}: {rule}: ") for harm in added), added


def test_reading_an_observed_field_is_no_harm() -> None:
    text = "- community.seventhings.object_info:\n    filters: {actual_room: Dresden/1.11}\n"
    assert list(harms(Path("examples/read.yml"), text)) == []
