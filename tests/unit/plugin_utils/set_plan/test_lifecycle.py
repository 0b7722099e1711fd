# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ignored fields are never compared, and protected records are never removed, whatever the options say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from instance_site import Site
from set_actions import run_set

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT

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


@pytest.fixture
def guarded(site: Site) -> Site:
    """Apply one object that the files of the set ``test`` protect, and one that they do not."""
    own = {"_lifecycle": {"protect": True}}
    site.write({"instance.yml": HEAD, "objects.jsonl": _records(_thing("1"), _thing("2", **own))})
    assert site.run().outcome == "changed"
    return site


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


def test_the_uuid_of_an_object_protects_its_offer(two: Site) -> None:
    offered = _records(_thing("1"), _thing("2", purchasing_price="90.00"))
    two.write({"objects.jsonl": offered, "hub.yml": "[{object: '2', price: 10}]\n"})
    assert two.run(limits=ALL).outcome == "changed"
    (uuid,) = (record.uuid for record in two.client().list_all(OBJECT) if record.flat["barcode"] == "2")
    two.write({"instance.yml": HEAD + f"lifecycle: {{hub: {{protect: ['{uuid}']}}}}\n"})
    _removed(two, "absent")
    (two.root / "hub.yml").unlink()
    (refusal,) = two.plan(allow=["empty_sources"]).refusals
    assert refusal.startswith("object 2 is offered on the hub, which is protected")


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
        (3, "_lifecycle: expected a map with initial, ignore, protect"),
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
