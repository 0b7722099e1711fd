# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A source that lost all of its records is a finding. An unread file is never ignored silently."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from instance_site import SETTINGS, Site, yaml_list
from workbooks import workbook_of

from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import load
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.layers import load_layers

PRUNE = "api: seventhings/v1\nset: test\npolicy: {prune: {objects: archive}}\n"
HEAD = "barcode,inventory_name\n"


def csv(numbers: Iterable[int]) -> str:
    return HEAD + "".join(f"{number:03d},Thing {number}\n" for number in numbers)


def records(numbers: Iterable[int]) -> list[dict[str, Any]]:
    return [{"barcode": f"{number:03d}", "inventory_name": f"Thing {number}"} for number in numbers]


@pytest.fixture
def applied(site: Site) -> Site:
    """Apply two files of objects and one of locations."""
    site.write(
        {
            "instance.yml": PRUNE,
            "locations.yml": "- name: North\n",
            "objects/a.csv": csv(range(45)),
            "objects/b.csv": csv(range(45, 50)),
        }
    )
    assert site.run().outcome == "changed"
    site.service.clear_log()
    return site


def lost(state: str, path: str = "objects/a.csv", number: int = 45, section: str = "objects") -> str:
    return (
        f"{path}: {section}: sources that had records when these files were last applied have none now: {path} had "
        f"{number} and {state}; put them back, or set allow: [empty_sources] if this is intended"
    )


def refuses(site: Site, *findings: str) -> None:
    """Check that plan, apply and drift name the lost records, and send nothing."""
    for result in (site.plan(), site.run(), site.run(check_mode=True, drift=True)):
        assert (result.outcome, result.findings) == ("failed", list(findings))
    assert site.writes() == []


# ---- with a journal


@pytest.mark.parametrize("content", [HEAD, "", "\n"])
def test_a_source_that_was_emptied_is_a_finding(applied: Site, content: str) -> None:
    applied.write({"objects/a.csv": content})
    refuses(applied, lost("is empty"))


def test_a_source_that_is_missing_is_a_finding(applied: Site) -> None:
    (applied.root / "objects/a.csv").unlink()
    refuses(applied, lost("is missing"))


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["a.csv.bak", "a.txt", "a.csv~", "a.dat"])
def test_a_source_under_a_suffix_that_is_not_read_is_a_finding(applied: Site, name: str) -> None:
    (applied.root / "objects/a.csv").rename(applied.root / "objects" / name)
    refuses(applied, lost(f"is missing (objects/{name} is not read)"))


def test_a_directory_without_a_section_is_a_finding(applied: Site) -> None:
    shutil.rmtree(applied.root / "objects")
    (finding,) = applied.plan().findings
    assert "objects/a.csv had 45 and is missing, objects/b.csv had 5 and is missing; put them back" in finding


def test_a_wrong_directory_is_a_finding(applied: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    wrong = replace(applied, root=tmp_path_factory.mktemp("wrong"))
    # The same set, because the files name its id.
    for site in (applied, wrong):
        site.write({"instance.yml": PRUNE + 'set_id: "0123456789abcdef"\n', "locations.yml": "- name: North\n"})
    applied.journal().unlink()
    assert applied.run().outcome == "unchanged"
    (finding,) = wrong.run().findings
    assert "objects/a.csv had 45 and is missing" in finding


def test_of_very_many_sources_a_few_are_named(site: Site) -> None:
    site.write({f"objects/{number}.csv": csv([number]) for number in range(10)})
    site.run()
    shutil.rmtree(site.root / "objects")
    (finding,) = site.plan().findings
    assert "objects/2.csv had 1 and is missing, and 7 more; put them back" in finding


def test_the_task_may_confirm_that_a_source_is_empty(applied: Site) -> None:
    (applied.root / "objects/a.csv").unlink()
    lifted: dict[str, Any] = {"allow": ["empty_sources"], "limits": {"delete_percent": 90}}
    assert applied.run(**lifted).summary["objects"]["archived"] == 45
    # Once applied, the source is known to be empty.
    assert applied.run().outcome == "unchanged"


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "files",
    [
        {"objects/c.csv": csv(range(45))},
        {"objects/b.csv": csv(range(50))},
        {"objects.csv": csv(range(45))},
        {"objects/c.csv": csv(range(20)), "objects/d.csv": csv(range(20, 45))},
    ],
)
def test_records_that_are_moved_to_other_sources_are_no_finding(applied: Site, files: dict[str, str]) -> None:
    (applied.root / "objects/a.csv").unlink()
    applied.write(dict(files))
    assert applied.run().outcome == "unchanged"
    # The records are expected in their new sources.
    for name in files:
        applied.write({name: HEAD})
    assert applied.plan().outcome == "failed"


def test_only_limits_stop_a_source_that_lost_some_records(applied: Site) -> None:
    applied.write({"objects/a.csv": csv(range(20))})
    assert "delete 25 of 50 records" in applied.run().refusals[0]
    applied.write({"objects/a.csv": csv(range(43))})
    assert applied.run().outcome == "changed"


def test_lines_that_remove_records_may_be_deleted_with_their_file(applied: Site) -> None:
    applied.write({"objects/gone.csv": "barcode,_state\n044,absent\n", "objects/a.csv": csv(range(44))})
    assert applied.run().summary["objects"]["deleted"] == 1
    (applied.root / "objects/gone.csv").unlink()
    assert applied.run().outcome == "unchanged"


def test_a_file_that_says_of_all_its_records_that_they_are_absent_is_not_empty(applied: Site) -> None:
    table = "barcode,_state\n" + "".join(f"{number:03d},absent\n" for number in range(45))
    applied.write({"objects/a.csv": table})
    assert applied.run(limits={"delete_percent": 90}).outcome == "changed"
    applied.write({"objects/a.csv": HEAD})
    assert applied.run().outcome == "unchanged"


def test_a_run_of_some_sections_notes_nothing(applied: Site) -> None:
    (applied.root / "objects/a.csv").unlink()
    assert applied.run(only=["locations"], allow=["empty_sources"]).outcome == "unchanged"
    refuses(applied, lost("is missing"))


def test_files_without_a_set_share_a_journal_that_notes_no_sources(site: Site) -> None:
    site.write({"instance.yml": "api: seventhings/v1\n", "objects.csv": csv(range(3))})
    site.run()
    site.write({"objects.csv": HEAD})
    assert site.run().outcome == "unchanged"


def test_a_source_that_can_not_be_read_is_not_called_empty(applied: Site) -> None:
    applied.write({"objects/a.csv": b"\xff\xfe\x00"})
    assert not any("had 45" in finding for finding in applied.plan().findings)


def test_a_plan_file_is_compared_with_the_last_apply(applied: Site, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The plan may be created on a machine without a journal."""
    path = tmp_path_factory.mktemp("plan") / "p.plan"
    elsewhere = tmp_path_factory.mktemp("no journal")
    applied.write({"objects/a.csv": HEAD, "locations.yml": "- {name: North, city: Kiel}\n"})
    assert applied.plan(plan_file=path, journal=elsewhere).outcome == "changed"
    result = applied.run(plan_file=path)
    assert (result.outcome, result.findings) == ("failed", [lost("is empty")])
    assert applied.run(plan_file=path, allow=["empty_sources"]).outcome == "changed"
    assert applied.plan().findings == []


HEAD_ROW = HEAD.strip().split(",")


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("sheets", "state"),
    [({"objects": []}, "is empty"), ({"Objekte": [["001", "x"]]}, "is missing"), ({}, "is missing")],
)
def test_a_sheet_of_a_workbook_is_a_source(site: Site, sheets: dict[str, list[list[str]]], state: str) -> None:
    head = {"locations": [["name"], ["North"]]}
    site.write({"book.xlsx": workbook_of({**head, "objects": [HEAD_ROW, ["001", "x"], ["002", "x"]]})})
    assert site.run().outcome == "changed"
    site.service.clear_log()
    with_head = {name: [HEAD_ROW, *rows] for name, rows in sheets.items()}
    site.write({"book.xlsx": workbook_of({**head, **with_head})})
    refuses(site, lost(state, "book.xlsx", 2))


@pytest.mark.parametrize(("rest", "state"), [("objects: []\n", "is empty"), ("", "is missing")])
def test_a_section_of_a_single_file_is_a_source(site: Site, rest: str, state: str) -> None:
    single = site.root / "state.yml"
    head = "instance: {api: seventhings/v1, set: test}\nlocations: [{name: North}]\n"
    single.write_text(head + "objects: [{barcode: '001', inventory_name: x}]\n", "utf-8")
    assert site.run(load(single)).outcome == "changed"
    single.write_text(head + rest, "utf-8")
    result = site.run(load(single))
    assert result.findings == [lost(state, "state.yml", 1)]


def test_a_section_that_is_inline_is_a_source_only_if_the_task_names_it(site: Site) -> None:
    def run(**sections: Any) -> Any:
        return site.run(load(None, {"instance": {"api": "seventhings/v1", "set": "test"}, **sections}))

    assert run(objects=records(range(3)), locations=[{"name": "North"}]).outcome == "changed"
    # Another task may manage the other sections of the set.
    assert run(locations=[{"name": "North"}]).outcome == "unchanged"
    assert run(objects=[]).findings == [lost("is empty", "desired", 3)]


@pytest.fixture
def layers(site: Site) -> Callable[..., Any]:
    """Run two or more layers."""
    site.write(
        {
            "base/instance.yml": SETTINGS,
            "base/objects.csv": csv(range(3)),
            "berlin/objects.csv": csv(range(3, 8)),
            "more/locations.yml": "- name: North\n",
        }
    )

    def run(*names: str, **order: Any) -> Any:
        return site.run(load_layers([site.root / name for name in names]), **order)

    assert run("base", "berlin").outcome == "changed"
    return run


def test_a_file_of_a_layer_is_a_source(layers: Callable[..., Any], site: Site) -> None:
    site.write({"berlin/objects.csv": HEAD})
    assert layers("base", "berlin").findings == [lost("is empty", "berlin/objects.csv", 5)]
    (site.root / "berlin/objects.csv").unlink()
    assert layers("base", "berlin").findings == [lost("is missing", "berlin/objects.csv", 5)]


def test_a_layer_that_is_left_out_is_a_finding(layers: Callable[..., Any]) -> None:
    (finding,) = layers("base", "more").findings
    assert "berlin/objects.csv had 5 and is missing" in finding


def test_layers_that_get_other_names_lose_nothing(site: Site) -> None:
    site.write({"base/instance.yml": SETTINGS, "base/objects.csv": csv(range(3)), "more/locations.yml": "[]\n"})
    assert site.run(load_layers([site.root / "base"])).outcome == "changed"
    assert site.run(load_layers([site.root / "base", site.root / "more"])).outcome == "unchanged"


# ---- without a journal


ASIDE = [
    "objects.csv.bak", "objects.txt", "objects.bak", "objects.csv~", "objects.dat", "objects/a.csv.bak",
    "objects/a.txt", "objects/deep/a.yml.orig", "objects/a.csv~", "rooms.old",
]  # fmt: skip


@pytest.mark.parametrize("name", ASIDE)
def test_a_file_with_the_name_of_a_section_that_is_not_read_is_a_warning(site: Site, name: str) -> None:
    site.write({"objects/b.csv": csv(range(1)), name: csv(range(5))})
    (warning,) = site.load().warnings
    assert warning == f"{name}: is not read; files end in .yml, .yaml, .csv, .jsonl, .xlsx"


@pytest.mark.parametrize("name", ["objects/README.md", "objects/.a.csv.swp", "objects/manual.pdf", "notes.txt"])
def test_other_files_are_no_warning(site: Site, name: str) -> None:
    site.write({"objects/b.csv": csv(range(1)), name: "x"})
    assert site.load().warnings == []


def test_an_attachment_beside_the_records_is_not_a_warning(site: Site) -> None:
    record = {"barcode": "001", "inventory_name": "x", "documents": ["objects/files/manual.txt"]}
    site.write({"objects/a.yml": yaml_list([record]), "objects/files/manual.txt": "Read me\n"})
    assert site.run().outcome == "changed"
    assert site.plan().warnings == []


def test_a_layer_warns_of_its_own_files(site: Site, tmp_path: Path) -> None:
    site.write({"base/instance.yml": SETTINGS, "more/objects.txt": "x"})
    merged = load_layers([tmp_path / "base", tmp_path / "more"])
    assert merged.warnings == ["more/objects.txt: is not read; files end in .yml, .yaml, .csv, .jsonl, .xlsx"]
