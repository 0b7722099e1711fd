# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ignored fields are never compared, and protected records are never removed, whatever the options say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from instance_site import Site
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.layers import load_layers

TASK_LIMITS = {"delete_percent": 100}
"""The limits of every task in this file."""

ALL = {"delete_percent": 100, "create_percent": 1000, "update_percent": 1000}
PRUNE = "policy: {prune: {objects: delete}}\n"
HEAD = "api: seventhings/v1\nset: test\n"


def _records(*records: Mapping[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _thing(barcode: str, **more: Any) -> dict[str, Any]:
    return {"barcode": barcode, "inventory_name": "Thing", **more}


def _names(site: Site, field: str) -> dict[str, Any]:
    return {record["fields"]["barcode"]: record["fields"].get(field) for record in site.dump()["objects"]}


def _call(site: Site, check_mode: bool = False, module: str = "instance", **written: Any) -> dict[str, Any]:
    """Run the module as the action does."""
    given = {**site.service.options(), "rate_limit": 0, **written}
    return run_set(given, check_mode, None, module=module)


# ---- left alone


@pytest.mark.parametrize("inline", [False, True], ids=["settings", "record"])
@pytest.mark.parametrize("name", ["serial_number", "Serial number", "serial_*"])
def test_an_initial_field_is_written_at_creation_and_never_compared(site: Site, inline: bool, name: str) -> None:
    own = {"_lifecycle": {"initial": [name]}} if inline else {}
    settings = "" if inline else f"lifecycle: {{objects: {{initial: ['{name}']}}}}\n"
    site.write({"instance.yml": HEAD + settings, "objects.jsonl": _records(_thing("1", serial_number="A", **own))})
    assert site.run().outcome == "changed"
    assert _names(site, "serial_number") == {"1": "A"}
    site.write({"objects.jsonl": _records(_thing("1", serial_number="B", **own))})
    assert site.plan().outcome == "unchanged"
    site.write({"objects.jsonl": _records(_thing("1", serial_number="B", description="new", **own))})
    assert [change["after"] for change in site.run().changes] == [{"description": "new"}]
    assert _names(site, "serial_number") == {"1": "A"}


@pytest.mark.parametrize("inline", [False, True], ids=["settings", "record"])
def test_an_ignored_field_is_neither_written_nor_compared(site: Site, inline: bool) -> None:
    own = {"_lifecycle": {"ignore": ["serial_number"]}} if inline else {}
    settings = "" if inline else "lifecycle: {objects: {ignore: [serial_number]}}\n"
    site.write({"instance.yml": HEAD + settings, "objects.jsonl": _records(_thing("1", serial_number="A", **own))})
    assert site.run().outcome == "changed"
    assert _names(site, "serial_number")["1"] in (None, "")
    assert site.plan().outcome == "unchanged"


def test_a_plan_file_leaves_alone_what_the_plan_did(site: Site, tmp_path: Path) -> None:
    site.write({"objects.jsonl": _records(_thing("1", serial_number="A"))})
    site.run()
    own = {"initial": ["serial_number"], "ignore": ["quantity"]}
    record = _thing("1", serial_number="B", quantity=7, description="new", _lifecycle=own)
    site.write({"objects.jsonl": _records(record)})
    path = tmp_path / "a.plan"
    site.plan(plan_file=path)
    assert site.run(plan_file=path).outcome == "changed"
    assert (_names(site, "serial_number"), _names(site, "description")) == ({"1": "A"}, {"1": "new"})
    assert site.plan().outcome == "unchanged"


def test_an_empty_cell_of_a_field_that_is_left_alone_is_not_named(site: Site) -> None:
    site.write({"objects.csv": "barcode,inventory_name,serial_number\n1,Thing,A\n"})
    site.run()
    site.write({"objects.csv": "barcode,inventory_name,serial_number\n1,Thing,\n"})
    assert any("empty cell" in warning for warning in site.plan().warnings)
    site.write({"instance.yml": HEAD + "lifecycle: {objects: {ignore: [serial_number]}}\n"})
    assert not any("empty cell" in warning for warning in site.plan().warnings)


# ---- protected


def _removed(site: Site, way: str) -> None:
    """Remove object 2 from the files, in one of the possible ways."""
    if way == "prune":
        site.write({"objects.jsonl": _records(_thing("1"))})
    else:
        site.write({"objects.jsonl": _records(_thing("1"), _thing("2", _state=way))})


@pytest.fixture
def two(site: Site) -> Site:
    """Apply two objects of the set."""
    site.write({"instance.yml": HEAD + PRUNE, "objects.jsonl": _records(_thing("1"), _thing("2"))})
    assert site.run().outcome == "changed"
    return site


@pytest.mark.parametrize("way", ["prune", "absent", "archived"])
@pytest.mark.parametrize("pattern", ["2", "*", "[2]"])
def test_what_the_settings_protect_is_not_removed(two: Site, way: str, pattern: str) -> None:
    two.write({"instance.yml": HEAD + PRUNE + f"lifecycle: {{objects: {{protect: ['{pattern}']}}}}\n"})
    _removed(two, way)
    result = two.run(limits=ALL, allow=["empty_sources", "destructive"])
    assert result.outcome == "refused"
    assert result.refusals[0].startswith("object 2 is protected, and the plan would ")
    assert "lifecycle.objects.protect at instance.yml:4:" in result.refusals[0]
    assert set(_names(two, "barcode")) == {"1", "2"}
    drift = two.plan(drift=True)
    assert (drift.outcome, drift.refusals) == ("drift", [])
    assert any("object 2 is protected" in warning for warning in drift.warnings)


@pytest.mark.parametrize("way", ["prune", "absent", "archived"])
def test_a_protection_in_a_record_lasts_until_it_is_lifted_once(site: Site, way: str) -> None:
    files = _records(_thing("1"), _thing("2", _lifecycle={"protect": True}))
    site.write({"instance.yml": HEAD + PRUNE, "objects.jsonl": files})
    site.run()
    _removed(site, way)
    result = site.run(limits=ALL)
    assert result.outcome == "refused"
    assert "_lifecycle: {protect: false}" in result.refusals[0]
    if way != "prune":
        # Lifting the protection in the run that removes the record is too late.
        own = {"_state": way, "_lifecycle": {"protect": False}}
        site.write({"objects.jsonl": _records(_thing("1"), _thing("2", **own))})
        assert site.run(limits=ALL).outcome == "refused"
    site.write({"objects.jsonl": _records(_thing("1"), _thing("2", _lifecycle={"protect": False}))})
    assert site.plan().outcome == "unchanged"
    _removed(site, way)
    assert site.run(limits=ALL).outcome == "refused", "a plan lifts nothing"
    site.write({"objects.jsonl": _records(_thing("1"), _thing("2", _lifecycle={"protect": False}))})
    assert site.run().outcome == "unchanged"
    _removed(site, way)
    assert site.run(limits=ALL).outcome == "changed"


@pytest.fixture
def guarded(site: Site) -> Site:
    """Apply one object that the files of the set ``test`` protect, and one that they do not."""
    own = {"_lifecycle": {"protect": True}}
    site.write({"instance.yml": HEAD, "objects.jsonl": _records(_thing("1"), _thing("2", **own))})
    assert site.run().outcome == "changed"
    return site


@pytest.mark.parametrize("state", ["absent", "archived"])
@pytest.mark.parametrize("way", ["inline", "set", "journal"])
def test_what_another_set_protects_is_not_removed(guarded: Site, tmp_path: Path, state: str, way: str) -> None:
    options: dict[str, Any] = {"desired": {"objects": [{"barcode": name, "_state": state} for name in "12"]}}
    if way == "set":
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "instance.yml").write_text("api: seventhings/v1\nset: other\n", "utf-8")
        options["src"] = str(tmp_path / "other")
    elif way == "journal":
        guarded.write({"objects.jsonl": _records(*options.pop("desired")["objects"])})
        options |= {"src": str(guarded.root), "journal": str(tmp_path / "elsewhere")}
    for check_mode in (True, False):
        result = _call(guarded, check_mode, **options, limits=ALL)
        assert result["outcome"] == "refused"
        (refusal,) = result["refusals"]
        assert refusal.startswith("object 2 is protected, and the plan would ")
        assert f'the set "test" (journal {guarded.journal()}) protected it' in refusal
    guarded.write({"objects.jsonl": _records(_thing("1"), _thing("2", _lifecycle={"protect": False}))})
    assert guarded.run().outcome == "unchanged"
    if way == "journal":
        guarded.write({"objects.jsonl": _records(_thing("1"), _thing("2", _state=state))})
    assert _call(guarded, **options, limits=ALL)["outcome"] == "changed"


def test_a_protection_without_a_set_applies_to_sets(site: Site) -> None:
    own = {"_lifecycle": {"protect": True}}
    assert _call(site, desired={"objects": [_thing("1", **own)]})["outcome"] == "changed"
    site.write({"instance.yml": HEAD, "objects.jsonl": _records(_thing("1", _state="absent"))})
    (refusal,) = site.run(limits=ALL).refusals
    assert f"files without a set (journal {site.journal('')}) protected it" in refusal


def test_a_protection_on_another_instance_is_none_here(guarded: Site) -> None:
    journal = guarded.journal()
    text = journal.read_text("utf-8").replace(guarded.service.base_url, "https://other.example.org")
    journal.write_text(text, "utf-8")
    assert _call(guarded, desired={"objects": [{"barcode": "2", "_state": "absent"}]})["outcome"] == "changed"


def test_nothing_is_removed_where_a_journal_of_another_set_can_not_be_read(guarded: Site) -> None:
    guarded.journal().chmod(0o666)
    desired = {"objects": [{"barcode": "1", "_state": "absent"}]}
    result = _call(guarded, desired=desired)
    assert result["outcome"] == "refused"
    assert f"{guarded.journal()} can be written by others" in result["msg"]
    assert _call(guarded, desired={"objects": [_thing("3")]})["outcome"] == "changed", "nothing is taken away"
    guarded.journal().unlink()
    guarded.journal().symlink_to("/dev/zero")
    result = _call(guarded, desired=desired)
    assert result["outcome"] == "refused"
    assert f"{guarded.journal()} is a link" in result["msg"]
    guarded.journal().unlink()
    assert _call(guarded, desired=desired)["outcome"] == "changed"


def test_a_record_that_says_both_is_refused(two: Site) -> None:
    own = {"_state": "absent", "_lifecycle": {"protect": True}}
    two.write({"objects.jsonl": _records(_thing("1"), _thing("2", **own))})
    assert "_lifecycle at objects.jsonl:2:1 says so" in two.run().refusals[0]


def test_a_protected_record_is_protected_under_the_name_that_it_has(two: Site) -> None:
    two.write(
        {
            "instance.yml": HEAD + PRUNE + "lifecycle: {objects: {protect: ['2']}}\n",
            "moved.yml": "objects: [{from: {barcode: '2'}, to: {barcode: '3'}}]\n",
            "objects.jsonl": _records(_thing("1"), _thing("3", _state="absent")),
        }
    )
    assert two.run().outcome == "refused"


def test_hiding_its_key_does_not_uncover_a_record(two: Site) -> None:
    two.write({"instance.yml": HEAD + PRUNE + "lifecycle: {objects: {protect: ['2']}}\n"})
    _removed(two, "prune")
    result = _call(two, src=str(two.root), hide=["barcode"], limits=ALL)
    assert result["outcome"] == "refused"
    assert "barcode" not in result["refusals"][0]


@pytest.mark.parametrize(
    "options",
    [
        {"limits": {**ALL, "deletes": 1000}},
        {"prune": {"objects": "delete"}},
        {"allow": ["empty_sources"]},
        {"allow": ["destructive"]},
        {"only": ["objects"]},
        {"exclude": ["1"]},
        {"stale": "skip"},
        {"allow": ["assumed_archived"]},
        {"desired": {"objects": [{"barcode": "2", "_state": "absent"}]}},
        {"expect_instance": True, "limits": {}, "prune": {"objects": "delete"}, "allow": [], "protected": True},
    ],
)  # fmt: skip
def test_no_option_overrides_a_protection(two: Site, options: dict[str, Any]) -> None:
    two.write({"instance.yml": HEAD + PRUNE + "lifecycle: {objects: {protect: ['2']}}\n"})
    _removed(two, "prune")
    if options.get("expect_instance"):
        options = {**options, "expect_instance": [two.service.base_url], "src_below": str(two.root)}
    result = _call(two, src=str(two.root), **options)
    assert result["outcome"] == "refused", result["msg"]
    assert any("is protected" in refusal for refusal in result["refusals"])
    assert set(_names(two, "barcode")) == {"1", "2"}


@pytest.mark.parametrize("how", ["settings", "record", "journal"])
def test_a_plan_from_before_the_protection_is_refused(two: Site, tmp_path: Path, how: str) -> None:
    path = tmp_path / "old.plan"
    _removed(two, "prune")
    assert _call(two, True, src=str(two.root), plan_file=str(path))["outcome"] == "changed"
    if how == "settings":
        two.write({"instance.yml": HEAD + PRUNE + "lifecycle: {objects: {protect: ['2']}}\n"})
    else:
        two.write({"objects.jsonl": _records(_thing("1"), _thing("2", _lifecycle={"protect": True}))})
    if how == "journal":
        assert two.run().outcome == "unchanged"
        two.write({"objects.jsonl": _records(_thing("1"))})
    result = _call(two, src=str(two.root), plan_file=str(path))
    assert result["outcome"] == "refused"
    words = "object 2 was approved, and the files have changed since" if how == "record" else "object 2 is protected"
    assert words in result["msg"]
    assert set(_names(two, "barcode")) == {"1", "2"}


def test_a_plan_file_contains_the_protections(two: Site, tmp_path: Path) -> None:
    path = tmp_path / "new.plan"
    own = {"_lifecycle": {"protect": True}}
    two.write({"objects.jsonl": _records(_thing("1", **own), _thing("2"), _thing("3", **own))})
    two.plan(plan_file=path)
    assert two.run(plan_file=path).outcome == "changed"
    two.write({"objects.jsonl": _records(_thing("2"))})
    assert [refusal.partition(" is ")[0] for refusal in two.run(limits=ALL).refusals if "protected" in refusal] == [
        "object 1",
        "object 3",
    ]


def test_a_protection_is_written_with_the_record_that_is_created(site: Site) -> None:
    own = {"_lifecycle": {"protect": True}}
    site.write({"instance.yml": HEAD + PRUNE, "objects.jsonl": _records(_thing("1"), _thing("2", **own))})
    assert site.run().outcome == "changed"
    _removed(site, "prune")
    assert site.run(limits=ALL).outcome == "refused"


def test_rooms_are_protected_by_all_of_their_key(site: Site) -> None:
    site.write(
        {
            "instance.yml": HEAD
            + "policy: {prune: {rooms: delete}}\n"
            + "lifecycle: {rooms: {protect: ['North/*']}}\n",
            "locations.yml": "- name: North\n- name: South\n",
            "rooms.yml": "- {building_id: North, number: '1'}\n- {building_id: South, number: '1'}\n"
            "- {building_id: South, number: '2'}\n",
        }
    )
    site.run()
    site.write({"rooms.yml": "- {building_id: South, number: '2'}\n"})
    assert [refusal.partition(" is ")[0] for refusal in site.run().refusals] == ["room North/1"]


# ---- offers, which have no uuid

OFFERED = {"objects.jsonl": _records(_thing("1"), _thing("2")), "locations.yml": "[]\n"}


def _offers(**own: Any) -> str:
    return _records({"object": "1", "price": 10, **own})


def test_a_protection_of_an_offer_is_noted_under_its_object(site: Site) -> None:
    site.write({**OFFERED, "hub.jsonl": _offers(_lifecycle={"protect": True})})
    assert site.run().outcome == "changed"
    site.write({"hub.jsonl": _offers(_state="absent")})
    assert "hub item 1 is protected" in site.run(limits=ALL).refusals[0]
    site.write({"hub.jsonl": _offers(_lifecycle={"protect": False})})
    assert site.run().outcome == "unchanged"
    site.write({"hub.jsonl": _offers(_state="absent")})
    assert site.run(limits=ALL).outcome == "changed"


def test_an_offer_that_was_there_is_protected_by_the_files_beside_a_plan(site: Site, tmp_path: Path) -> None:
    site.write({**OFFERED, "hub.jsonl": _offers()})
    assert site.run().outcome == "changed"
    site.write({"hub.jsonl": _offers(_state="absent")})
    path = tmp_path / "a.plan"
    assert _call(site, True, src=str(site.root), plan_file=str(path))["outcome"] == "changed"
    site.write({"hub.jsonl": _offers(_lifecycle={"protect": True})})
    result = _call(site, src=str(site.root), plan_file=str(path), limits=ALL)
    assert "hub item 1 was approved, and the files have changed since" in result["msg"]


@pytest.mark.parametrize("way", ["journal", "settings", "unmanaged"])
def test_an_object_takes_no_protected_offer_along(site: Site, way: str) -> None:
    own: dict[str, Any] = {"_lifecycle": {"protect": True}}
    settings = "lifecycle: {hub: {protect: ['1']}}\n" if way == "settings" else ""
    offers = _offers(**own) if way == "journal" else _offers()
    site.write({"instance.yml": HEAD + settings, **OFFERED, "hub.jsonl": offers})
    assert site.run().outcome == "changed"
    left = _offers(_managed=False, **own) if way == "unmanaged" else ""
    site.write({"objects.jsonl": _records(_thing("1", _state="absent"), _thing("2")), "hub.jsonl": left})
    (refusal,) = site.run(limits=ALL, allow=["empty_sources"]).refusals
    assert refusal.startswith("object 1 is offered on the hub, which is protected, and the plan would remove it: ")
    item = next(record for record in site.client().list_all(KINDS["hub_item"]) if not record.flat["deleted"])
    site.client().delete(KINDS["hub_item"], str(item.id))
    assert site.run(limits=ALL, allow=["empty_sources"]).outcome == "changed", (
        "what is no more on the hub need not stay there"
    )


def test_the_object_of_an_offer_is_never_left_alone(site: Site) -> None:
    site.write({"instance.yml": HEAD + "lifecycle: {hub: {ignore: [object]}}\n", **OFFERED, "hub.jsonl": _offers()})
    assert any("object identifies the hub" in finding for finding in site.plan().findings)
    site.write({"instance.yml": HEAD + "lifecycle: {hub: {ignore: [prize]}}\n"})
    assert any("ignore: prize: no such field" in finding for finding in site.plan().findings)


# ---- left alone as a whole


def _unmanaged(**more: Any) -> dict[str, Any]:
    return {"barcode": "2", "_managed": False, **more}


def test_a_record_outside_the_set_can_be_protected(two: Site) -> None:
    """The record stays in this plan, and because of the journal in later plans."""
    own = {"_lifecycle": {"protect": True}}
    two.write({"objects.jsonl": _records(_thing("1"), _unmanaged(**own))})
    desired = {"objects": [{"barcode": "2", "_state": "absent"}]}
    assert "object 2 is written twice" in _call(two, src=str(two.root), desired=desired, limits=ALL)["msg"]
    assert two.run().outcome == "unchanged"
    assert "object 2 is protected" in _call(two, desired=desired, limits=ALL)["msg"]
    two.write({"objects.jsonl": _records(_thing("1"), _unmanaged(_lifecycle={"protect": False}))})
    assert two.run().outcome == "unchanged"
    assert _call(two, desired=desired, limits=ALL)["outcome"] == "changed"


@pytest.mark.parametrize("own", [{}, {"_lifecycle": {"protect": False}}], ids=["silent", "lifted"])
def test_no_layer_between_lifts_a_protection(site: Site, tmp_path: Path, own: dict[str, Any]) -> None:
    site.write({"objects.jsonl": _records(_thing("1"), _thing("2"))})
    site.run()
    records = ([_thing("2", _lifecycle={"protect": True})], [_unmanaged(**own)], [{"barcode": "2", "_state": "absent"}])
    layers = [tmp_path / name for name in ("base", "middle", "late")]
    for layer, written in zip(layers, records, strict=True):
        Site(layer, site.service).write({"instance.yml": HEAD, "objects.jsonl": _records(*written)})
    result = _call(site, src=[str(layer) for layer in layers], limits=ALL)
    assert result["outcome"] == ("failed" if own else "refused"), result["msg"]
    assert ("a later layer only narrows that" if own else "object 2 is protected") in result["msg"]


# ---- lifted only by what was applied


@pytest.fixture
def lifting(guarded: Site, tmp_path: Path) -> Path:
    """Return a plan file that changes a protected object and lifts its protection."""
    record = _thing("2", serial_number="X", _lifecycle={"protect": False})
    guarded.write({"instance.yml": HEAD + PRUNE, "objects.jsonl": _records(_thing("1"), record)})
    path = tmp_path / "lifting.plan"
    assert guarded.plan(plan_file=path).outcome == "changed"
    return path


def _is_protected(site: Site) -> bool:
    _removed(site, "prune")
    return any("object 2 is protected" in refusal for refusal in site.plan(limits=ALL).refusals)


def test_a_plan_file_lifts_a_protection(guarded: Site, lifting: Path) -> None:
    assert guarded.run(plan_file=lifting).outcome == "changed"
    assert not _is_protected(guarded)


def test_a_plan_file_lifts_nothing_of_what_failed(guarded: Site, lifting: Path) -> None:
    guarded.service.steer("PUT", "/faults?seed=1", [{"fault": "422", "probability": 1, "method": "PATCH"}])
    assert guarded.run(plan_file=lifting).outcome == "failed"
    guarded.service.steer("PUT", "/faults?seed=1", [])
    assert _is_protected(guarded)


def test_a_plan_file_lifts_nothing_of_what_is_stale(guarded: Site, lifting: Path) -> None:
    other = {"objects": [{"barcode": "2", "serial_number": "Y"}]}
    assert _call(guarded, desired=other)["outcome"] == "changed"
    assert guarded.run(plan_file=lifting, stale="skip").outcome == "unchanged"
    assert _is_protected(guarded)


# ---- layers


def test_a_later_layer_leaves_alone_and_protects_more(site: Site) -> None:
    base, late = site.root / "base", site.root / "late"
    Site(base, site.service).write(
        {
            "instance.yml": HEAD + "lifecycle: {objects: {protect: ['1'], initial: [quantity]}}\n",
            "objects.jsonl": _records(_thing("1"), _thing("2", _lifecycle={"ignore": ["quantity"]})),
        }
    )
    Site(late, site.service).write(
        {
            "instance.yml": HEAD + "lifecycle: {objects: {protect: ['2']}, rooms: {ignore: [name]}}\n",
            "objects.jsonl": _records({"barcode": "2", "_lifecycle": {"protect": True}}),
        }
    )
    desired = load_layers([base, late])
    assert desired.findings == []
    assert desired.lifecycle["objects"].protect == ("1", "2")
    assert desired.lifecycle["objects"].initial == ("quantity",)
    assert desired.lifecycle["rooms"].ignore == ("name",)
    own = desired.entries[1].lifecycle
    assert (own.ignore, own.is_protected) == (("quantity",), True)


def test_a_later_layer_lifts_no_protection(site: Site) -> None:
    base, late = site.root / "base", site.root / "late"
    Site(base, site.service).write({"objects.jsonl": _records(_thing("1", _lifecycle={"protect": True}))})
    Site(late, site.service).write({"objects.jsonl": _records({"barcode": "1", "_lifecycle": {"protect": False}})})
    found = [str(finding) for finding in load_layers([base, late]).findings]
    assert len(found) == 1
    assert found[0].startswith("late/objects.jsonl:1:")
    assert "base/objects.jsonl:1:1 protects this record; a later layer only narrows that" in found[0]


# ---- mistakes


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("x", "instance.yml:3:12: lifecycle: expected a map of sections to initial, ignore, protect"),
        ("{objcts: {}}", "lifecycle.objcts: no such section; did you mean objects?"),
        ("{objects: [x]}", "lifecycle.objects: expected a map with initial, ignore, protect"),
        ("{objects: {protct: [x]}}", "lifecycle.objects.protct: no such setting; did you mean protect?"),
        ("{objects: {initial: x}}", "lifecycle.objects.initial: 'x' does not fit; expected a list of field keys or"),
        ("{objects: {protect: []}}", "lifecycle.objects.protect: [] does not fit; expected a list of natural keys"),
        ("{objects: {protect: [[x]]}}", "expected a list of natural keys, in which * stands for anything"),
    ],
)
def test_a_mistake_in_the_settings_is_found_when_they_are_read(site: Site, written: str, expected: str) -> None:
    site.write({"instance.yml": HEAD + f"lifecycle: {written}\n"})
    found = [str(finding) for finding in site.load().findings]
    assert len(found) == 1
    assert expected in found[0]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (3, "_lifecycle: '3' does not fit; expected a map with initial, ignore, protect"),
        ({"protect": "yes"}, "_lifecycle.protect: 'yes' does not fit; expected true or false"),
        ({"ignored": ["x"]}, "_lifecycle.ignored: no such setting; did you mean ignore?"),
        ({"ignore": "x"}, "_lifecycle.ignore: 'x' does not fit; expected a list of field keys or labels"),
    ],
)
def test_a_mistake_in_a_record_is_found_when_it_is_read(site: Site, written: Any, expected: str) -> None:
    site.write({"objects.jsonl": _records(_thing("1", _lifecycle=written))})
    found = [str(finding) for finding in site.load().findings]
    assert len(found) == 1
    assert expected in found[0]
    assert found[0].startswith("objects.jsonl:1:")


@pytest.mark.parametrize(
    ("settings", "own", "expected"),
    [
        ("{objects: {ignore: [serial_nmber]}}", None, "lifecycle.objects.ignore: serial_nmber: "),
        ("{objects: {ignore: [barcode]}}", None, "lifecycle.objects: barcode identifies the objects, so it can't be"),
        (None, {"initial": ["serial_nmber"]}, "_lifecycle.initial: serial_nmber: "),
    ],
)
def test_a_field_that_is_none_is_found_by_the_plan(site: Site, settings: str | None, own: Any, expected: str) -> None:
    site.write(
        {
            "instance.yml": HEAD + (f"lifecycle: {settings}\n" if settings else ""),
            "objects.jsonl": _records(_thing("1", **({"_lifecycle": own} if own else {}))),
        }
    )
    found = site.plan().findings
    assert len(found) == 1
    assert expected in found[0]
