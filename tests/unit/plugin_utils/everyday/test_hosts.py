# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts of hosts reach the mapped fields of the object that has their serial number, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from embedded_here import Embedded
from everyday_here import Facts

from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import Creations

from .working import feed, fields_of, limited

pytestmark = pytest.mark.slow

KEY = {"field": "serial_number", "fact": "product_serial"}
MAP = {"manufacturer": "system_vendor", "description": "product_name"}
CODES = {"field": "barcode", "placeholder": "IMP-"}
FLEET: Facts = {
    "pc1": {"product_serial": "LT-4410-0091", "system_vendor": "LENOVO", "product_name": "ThinkPad T14"},
    "pc2": {"product_serial": "LT-4410-0092", "system_vendor": "LENOVO", "product_name": "ThinkPad T14"},
    "nas": {"product_serial": "SV-1U-20871", "system_vendor": "Dell Inc.", "product_name": "PowerEdge R250"},
    "new": {"product_serial": "NEW-1", "system_vendor": "HP", "product_name": "EliteDesk"},
}


@pytest.fixture
def here() -> Embedded:
    """Return the demonstration data."""
    return Embedded.started()


@pytest.mark.parametrize(
    ("vendor", "why"),
    [
        ("x" * 1001, "has more than 1,000 characters"),
        ("x\x1b[2J", "has characters that can't be printed"),
        ("\ud800", "has characters that can't be printed"),
        (["LENOVO"], "is a map or a list"),
        (None, ""),
        ("Not Specified", ""),
        ("LENOVO ********", "was masked by Ansible (no_log)"),
    ],
)
def test_a_fact_that_is_not_usable_is_left_out_with_a_warning(here: Embedded, vendor: Any, why: str) -> None:
    facts = {"pc1": {**FLEET["pc1"], "system_vendor": vendor}}
    result = feed(here, facts, map={"manufacturer": "system_vendor"}, key=KEY)
    assert not result["changed"]
    expected = [f"system_vendor {why}, so the field was left alone. Hosts: pc1."] if why else []
    assert result.get("warnings", []) == expected


def test_facts_are_texts_of_strangers(here: Embedded) -> None:
    texts = ["{{ lookup('pipe', 'id') }}", "=cmd|' /C calc'!A0", "a" * 5000, "x\x1b[2J"]
    hosts = {
        f"host{number}": {"product_serial": serial, "system_vendor": text}
        for number, (serial, text) in enumerate(
            zip(["LT-4410-0091", "LT-4410-0092", "SV-1U-20871", "PJ-77120-A"], texts, strict=True)
        )
    }
    result = feed(here, hosts, map={"manufacturer": "system_vendor"}, key=KEY)
    assert result["changed"], result
    assert fields_of(here, "100007")["manufacturer"] == texts[0]
    assert fields_of(here, "100008")["manufacturer"] == texts[1]
    assert fields_of(here, "100013")["manufacturer"] == "Dell", "no property of a device is so long"
    assert fields_of(here, "100004")["manufacturer"] == "Epson"


def test_the_plan_is_reported(here: Embedded, tmp_path: Path) -> None:
    report = tmp_path / "hosts.csv"
    feed(here, FLEET, check_mode=True, map=MAP, key=KEY, report=[str(report)])
    assert "LENOVO" in report.read_text("utf-8")
    assert report.stat().st_mode & 0o777 == 0o600


@pytest.mark.sample(0)
def test_two_thousand_hosts_are_one_plan(here: Embedded) -> None:
    here.service.store.run(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
        "INSERT INTO asset (uuid, created_at, updated_at, barcode, inventory_name, serial_number, manufacturer) "
        "SELECT printf('5a5e0000-0000-4000-8000-%012d', i), '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', "
        "200000 + i, 'Box', 'SN-' || i, 'ACME' FROM n"
    )
    facts = {f"host{number}": {"product_serial": f"SN-{number}", "vendor": "ACME"} for number in range(1, 2001)}
    mapped = {"manufacturer": "vendor"}
    result = feed(here, facts, map=mapped, key=KEY)
    assert (result["changed"], result["matched"], result["summary"]["objects"]["unchanged"]) == (False, 2000, 2000)
    few = {"host1": facts["host1"]}
    requests = len(here.log)
    here.log.clear()
    feed(here, few, map=mapped, key=KEY)
    assert len(here.log) == requests == 8, "the lists, three pages of objects, and nothing for a host"
    other = {host: {**fact, "vendor": "Other"} for host, fact in facts.items()}
    planned = feed(here, other, check_mode=True, map=mapped, key=KEY, limits={"update_percent": 100})
    assert planned["summary"]["objects"]["updated"] == 2000


def test_two_thousand_new_hosts_are_one_plan(here: Embedded) -> None:
    facts = {f"host{number}": {"product_serial": f"SN-{number}", "vendor": "ACME"} for number in range(2000)}
    options: dict[str, Any] = {"map": {"inventory_name": "vendor"}, "key": KEY, "create": True, "scan_codes": CODES}
    result = feed(here, facts, check_mode=True, **options, limits={"create_percent": 100000})
    assert result["summary"]["objects"]["created"] == 2000, result["msg"]
    assert len(here.log) < 100, "the lists, the first placeholders, and a sample of the archive"
    assert "objects: 1,920 of 1,960 barcodes were not checked" in result["warnings"][-1]


def test_an_account_that_is_limited_is_warned_before_devices_have_two_objects(here: Embedded) -> None:
    account = limited(here, locations=["Leipzig"])
    options: dict[str, Any] = {"map": {"inventory_name": "product_name"}, "key": KEY, "scan_codes": CODES}
    result = feed(here, FLEET, check_mode=True, create=True, limits={"create_percent": 100}, **options, **account)
    assert any("that device then has two objects" in warning for warning in result["warnings"]), result


CREATES: dict[str, Any] = {
    "map": {"inventory_name": "product_name"},
    "key": KEY,
    "create": True,
    "scan_codes": CODES,
    "limits": {"create_percent": 100},
}


def hides_the_next_placeholder(here: Embedded) -> dict[str, Any]:
    rooms = dict.fromkeys(("target_room", "actual_room"), "Dresden/1.10")
    assert here.call("object", fields={"barcode": "IMP-000004", "inventory_name": "Laptop", **rooms})["changed"]
    return {}


def hides_a_linked_object(here: Embedded) -> dict[str, Any]:
    assert here.call("object", fields={"barcode": "100026", "accessories": ["100013"]})["changed"]
    return {}


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        (hides_the_next_placeholder, "is not archived, and no list shows it: this account may be limited"),
        (hides_a_linked_object, "is not archived, and no list shows it, though the object"),
    ],
)
def test_no_object_is_created_if_objects_are_certainly_hidden(here: Embedded, proof: Any, words: str) -> None:
    """Serial numbers need not be unique, so the service would not refuse a second object for a device."""
    options = {**CREATES, **proof(here)}
    here.steer("PUT", "/switches", {"hidden_objects": "readable"})
    account = limited(here, locations=["Leipzig"])
    before = here.dump()["objects"]
    for check_mode in (True, False):
        result = feed(here, FLEET, check_mode=check_mode, **options, **account)
        assert (result["failed"], result["outcome"], result["sees"]["hidden_records"]) == (True, "refused", "yes")
        assert "objects: 4 would be created by a natural key that need not be unique" in result["msg"]
        assert words in result["sees"]["words"]
        assert "allow: [limited_account] lets this pass" in result["msg"]
    assert here.dump()["objects"] == before
    here.log.clear()
    result = feed(here, FLEET, allow=["limited_account"], **options, **account)
    assert (result["summary"]["objects"]["created"], result["sees"]["hidden_records"]) == (4, "yes")
    assert any("that device then has two objects" in warning for warning in result["warnings"])


def test_a_plan_says_that_nothing_is_hidden_from_an_account_that_sees_all(here: Embedded, tmp_path: Path) -> None:
    report = tmp_path / "hosts.md"
    feed(here, FLEET, check_mode=True, report=[str(report)], **CREATES)
    assert "Hidden records" not in report.read_text("utf-8")
    account = limited(here, locations=["Leipzig"])
    feed(here, FLEET, check_mode=True, report=[str(report)], **CREATES, **account)
    assert "Hidden records: unknown" in report.read_text("utf-8")


def test_what_others_create_after_the_lists_is_found_and_keeps_its_scan_code(here: Embedded) -> None:
    """The lists are read once, before the kinds are locked.

    If others created objects meanwhile, they are read again.
    """
    moved: list[set[str]] = [{"object"}, set()]

    def hold(_self: Creations, _kinds: Any) -> set[str]:
        if moved[0]:
            fields = {"barcode": "100900", "serial_number": "NEW-1", "inventory_name": "EliteDesk"}
            here.call("object", fields=fields, match_on=["barcode"])
        return moved.pop(0)

    with mock.patch.object(Creations, "hold", hold):
        result = feed(here, {"new": FLEET["new"]}, **CREATES)
    assert (result["changed"], moved) == (False, []), result
    assert [record["fields"]["serial_number"] for record in here.dump()["objects"]].count("NEW-1") == 1
    assert fields_of(here, "100900")["inventory_name"] == "EliteDesk"


SERIALS: dict[Any, bool] = {
    "  A  1 ": True, 12: True, "0": False, "X": False, "XXXXXXXX": False, "0123456789": False, "12345678": False,
    "123456781": True, "...": False, "To Be Filled By O.E.M": False, "Default string": False, "Not Specified": False,
    "N.A.": False, "(none)": False, "System Serial Number": False, "Chassis S/N: none": True, "NNNNNNN": False,
    "00-00-00": False, "1": False, "123456": False, "0123456789ABCDEF": False, "SN-123456": True, "NOTEBOOK-7": True,
    True: False, "": False,
}  # fmt: skip
"""What firmware has for a serial number, and whether that is one."""


def test_only_a_serial_number_identifies_a_device(here: Embedded) -> None:
    """Dots in the name of a fact lead into maps."""
    facts: Facts = {repr(raw): {"board": {"serial": raw}} for raw in SERIALS}
    others: Facts = {"list": {"board": {"serial": []}}, "flat": {"board.serial": "SN-7"}, "none": {"board": "SN-8"}}
    key = {"field": "serial_number", "fact": "board.serial"}
    result = feed(here, {**facts, **others}, map={"manufacturer": "vendor"}, key=key)
    assert set(result["without_record"]) == {*(repr(raw) for raw, is_one in SERIALS.items() if is_one), "flat"}
