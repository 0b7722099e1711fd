# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger of four quarters and an export of a device manager, both applied as they come, without an edit by hand.

The owner has 3,000 objects in the long tests, and else 300.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded
from instance_site import Site
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS, OBJECT
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.loading import (
    VaultedContent,
    content_of,
    load,
)
from ansible_collections.community.seventhings.plugins.plugin_utils.report.csv_report import as_csv
from ansible_collections.community.seventhings.plugins.plugin_utils.report.html_report import as_html
from ansible_collections.community.seventhings.plugins.plugin_utils.report.markdown_report import as_markdown
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import as_json, as_text

pytestmark = pytest.mark.slow

OBJECTS = 3000 if LONG else 300
BOUGHT, RETIRED, DISPOSED, CORRECTED, REPEATED = OBJECTS // 20, OBJECTS // 75, 60, 12, 3
TABLE = "objects/ledger.csv"

SETTINGS = """\
api: seventhings/v1
set: test
set_id: "c0ffee5ca1ab1e45"
identity: {objects: [Asset number]}
scan_codes: {field: barcode, placeholder: "IMP-"}
policy: {limits: {create_percent: 20, update_percent: 10}}
tables:
  - files: objects/ledger.csv
    preset: excel-de
    columns: {Anlagennummer: Asset number, Etikett: barcode, Bezeichnung: inventory_name, AHK: purchasing_price}
    ignore: [Restbuchwert]
    skip_rows: ["Summe*"]
    match: [Asset number]
    repeated_keys: skip
    archived: keep
    missing_rows: keep
  - files: objects/found.csv
    columns: {Nummer: Asset number, Name: inventory_name}
    match: [Asset number]
    archived: restore
"""


@dataclass
class Books:
    """The ledger of accounting, which knows no labels.

    :ivar rows: the numbers of its assets, in its order. :ivar names: corrected names.
    """

    rows: list[int] = field(default_factory=lambda: list(range(OBJECTS)))
    names: dict[int, str] = field(default_factory=dict)
    next: int = OBJECTS

    def name(self, number: int) -> str:
        return self.names.get(number, f"Thing {number}")

    def quarter(self) -> tuple[list[int], list[int], list[int]]:
        """Buy, retire and correct assets. Return their numbers."""
        bought = list(range(self.next, self.next + BOUGHT))
        retired, kept = self.rows[100 : 100 + RETIRED], self.rows[:100]
        corrected = kept[-CORRECTED:]
        self.rows = [*kept, *self.rows[100 + RETIRED :], *bought]
        self.names |= {number: f"{self.name(number)}!" for number in corrected}
        self.next += BOUGHT
        return bought, retired, corrected

    def table(self, repeated: Sequence[int] = (), shifted: int = 0) -> bytes:
        """Return the table as accounting saves it.

        :param repeated: assets with a second row. :param shifted: by how many rows the prices are too low.
        """
        numbers = [*self.rows, *repeated]
        prices = [price(number) for number in numbers]
        prices = [*prices[shifted:], *prices[:shifted]]
        lines = [
            f"{asset(number)};IMP-{number:06d};{self.name(number)};{text};1,00"
            for number, text in zip(numbers, prices, strict=True)
        ]
        head = "Anlagennummer;Etikett;Bezeichnung;AHK;Restbuchwert"
        return "\r\n".join([head, *lines, "Summe;;;1.234.567,00;", ""]).encode("cp1252")


def asset(number: int) -> str:
    return f"47{number:06d}"


def price(number: int) -> str:
    return f"{100 + number},50"


def label(number: int) -> str:
    return f"{100000 + number}"


def row_of(number: int, place: int) -> tuple[str, str, float, str]:
    """Return how a block names an asset with a label."""
    return label(number), f"Thing {number}", 100.5 + number, f"{TABLE}:{place}"


def named(result: RunResult, reason: str, table: str = TABLE) -> list[tuple[Any, ...]]:
    rows = result.tables.get(table, {}).get(reason, [])
    return [(row["scan_code"], row["name"], row["value"], row["place"]) for row in rows]


def changed(result: RunResult) -> Counter[tuple[str, ...]]:
    return Counter((change["action"], *sorted(change["after"])) for change in result.changes)


def changed_numbers(result: RunResult, action: str) -> list[str]:
    return sorted(change["key"] for change in result.changes if change["action"] == action)


class Owner:
    """The owner of the instance, who edits no file."""

    def __init__(self, root: Path) -> None:
        sides = {"archived_at": "given", "later_endpoints": "present"}
        self.site: Site = Embedded.started(sides, data="empty").site(root)
        self.client = self.site.client()

    def objects(self) -> dict[str, Any]:
        """Return the active objects by their asset numbers."""
        key = next(field.key for field in self.client.schema(OBJECT).fields.values() if field.label == "Asset number")
        return {record.flat[key]: record for record in self.site.client().list_all(OBJECT)}

    def label(self, numbers: Iterable[int]) -> None:
        """Attach labels."""
        objects = self.objects()
        for number in numbers:
            self.client.update(OBJECT, objects[asset(number)].uuid, {"barcode": label(number)})

    def archive(self, numbers: Iterable[int]) -> None:
        """Archive objects in the application."""
        objects = self.objects()
        for number in numbers:
            self.client.archive(OBJECT, objects[asset(number)].uuid)

    def deliver(self, books: bytes) -> RunResult:
        """Put the ledger into the directory as it comes, and plan."""
        self.site.write({TABLE: books})
        return self.site.plan()


def test_four_quarters(tmp_path: Path) -> None:
    owner, books = Owner(tmp_path / "files"), Books()
    owner.site.write({"instance.yml": SETTINGS, "fields/asset.yml": "- {label: Asset number, type: TEXT}\n"})
    assert owner.deliver(books.table()).summary["objects"]["created"] == OBJECTS
    assert owner.site.run().outcome == "changed"
    assert owner.site.plan().outcome == "unchanged"
    owner.client = owner.site.client()
    owner.label(range(OBJECTS))

    # The second quarter: some assets are disposed of, and stay in the books.
    disposed = list(range(OBJECTS // 2, OBJECTS // 2 + DISPOSED))
    owner.archive(disposed)
    bought, retired, corrected = books.quarter()
    repeated = books.rows[:REPEATED]
    planned = owner.deliver(books.table(repeated))
    left = [row_of(number, 2 + number) for number in retired]
    assert (planned.findings, planned.refusals, planned.outcome) == ([], [], "changed")
    assert changed_numbers(planned, "create") == [asset(number) for number in bought]
    assert changed_numbers(planned, "update") == [asset(number) for number in corrected]
    assert named(planned, "left") == left
    assert [row[1] for row in named(planned, "archived")] == [f"Thing {number}" for number in disposed]
    assert Counter(row["key"] for row in planned.tables[TABLE]["repeated_keys"]) == {asset(n): 2 for n in repeated}
    assert_in_every_report(planned, left[0], f"Left the table ledger.csv ({RETIRED})")
    assert_in_every_report(planned, named(planned, "archived")[0], f"Archived, left alone ({DISPOSED})")
    assert planned.never_in_a_table == {}
    assert owner.site.run().outcome == "changed"
    again = owner.site.plan()
    assert (again.outcome, named(again, "left")) == ("unchanged", left)
    # The memory of the set knows the archived assets, so that only a sample of them is looked up.
    assert again.requests < planned.requests - (DISPOSED - 40) + 5
    assert len(named(again, "archived")) == DISPOSED

    # The third quarter: the owner archived what was retired. The column of prices is shifted once.
    owner.archive(retired)
    owner.label(bought)
    bought, retired, corrected = books.quarter()
    shifted = owner.deliver(books.table(shifted=1))
    assert shifted.outcome == "refused"
    assert any("limits.update_percent" in line for line in shifted.refusals), shifted.refusals
    planned = owner.deliver(books.table())
    assert changed_numbers(planned, "create") == [asset(number) for number in bought]
    assert changed_numbers(planned, "update") == [asset(number) for number in corrected]
    assert sorted(row[1] for row in named(planned, "left")) == sorted(f"Thing {number}" for number in retired)
    assert len(named(planned, "archived")) == DISPOSED
    assert owner.site.run().outcome == "changed"

    # The fourth quarter: some of the disposed assets were found again, which another list says.
    found = disposed[:5]
    books.quarter()
    books.rows = [number for number in books.rows if number not in found]
    rows = [f"{asset(number)},Thing {number}" for number in found]
    owner.site.write({"objects/found.csv": "\n".join(["Nummer,Name", *rows, ""])})
    planned = owner.deliver(books.table())
    assert [row[1] for row in named(planned, "restored", "objects/found.csv")] == [f"Thing {n}" for n in found]
    assert_in_every_report(planned, named(planned, "restored", "objects/found.csv")[0], "Back from the archive (5)")
    assert len(named(planned, "archived")) == DISPOSED - len(found)
    assert changed(planned)["create", *sorted(planned.changes[-1]["after"])] in (BOUGHT, CORRECTED)
    assert owner.site.run().outcome == "changed"
    assert owner.site.plan().outcome == "unchanged"
    numbers = owner.objects()
    assert {asset(number) for number in found} <= numbers.keys()
    assert len(numbers) == len(set(map(asset, books.rows))) - (DISPOSED - len(found)) + len(found) + 2 * RETIRED


def assert_in_every_report(result: RunResult, row: tuple[Any, ...], title: str) -> None:
    """Check that each form of a report names a record."""
    code, name, value, place = row
    for report in (as_text(result), as_markdown(result), as_html(result)):
        assert title in report
        assert all(text in report for text in (code, name, f"{value:,.2f}", place)), (title, report)
    assert any(line["key"] and place == line["place"] for line in csv.DictReader(io.StringIO(as_csv(result)[1:])))
    assert place in str(json.loads(as_json(result))["tables"])


def test_the_export_of_a_device_manager(tmp_path: Path) -> None:
    """684 rows update exactly the known devices, and every other row is reported."""
    site = Embedded.started({"archived_at": "given", "later_endpoints": "present"}, data="demo").site(
        tmp_path / "files"
    )
    known = [{"barcode": f"90{number:04d}", "serial_number": f"SN{number:04d}"} for number in range(600)]
    client = site.client()
    for device in known:
        client.create(OBJECT, {**device, "inventory_name": "device"})
    users = [record.flat["email"] for record in client.list_all(KINDS["user"])]
    lines = [f"SN{number:04d},host-{number},{users[number % len(users)]}" for number in range(570)]
    lines += [f"SN{number:04d},host-{number},nobody{number}@example.invalid" for number in range(570, 590)]
    lines += [f"SN0599,twice-{number}," for number in range(2)]
    lines += [f",nameless-{number}," for number in range(30)]
    lines += [f"XX{number:04d},stranger-{number}," for number in range(62)]
    assert len(lines) == 684
    settings = (
        "api: seventhings/v1\nset: test\ntables:\n  - files: objects/devices.csv\n"
        "    columns: {Serial: serial_number, Host: inventory_name, User: responsible_user}\n"
        "    match: [serial_number]\n"
        "    unknown_rows: skip\n    empty_keys: skip\n    repeated_keys: skip\n    unknown_values: skip\n"
    )
    site.write({"instance.yml": settings, "objects/devices.csv": "\n".join(["Serial,Host,User", *lines, ""])})
    planned = site.plan(limits={"update_percent": 100})
    assert (planned.findings, planned.refusals) == ([], [])
    assert {change["action"] for change in planned.changes} == {"update"}
    assert len(planned.changes) == 590
    reported = {reason: len(rows) for reason, rows in planned.tables["objects/devices.csv"].items()}
    assert reported == {"unknown_values": 20, "repeated_keys": 2, "empty_keys": 30, "unknown_rows": 62}
    table = list(csv.DictReader(io.StringIO(as_csv(planned)[1:])))
    assert {line["place"] for line in table if line["action"] in reported} == {
        f"objects/devices.csv:{2 + number}" for number in range(570, 684)
    }
    assert site.run(limits={"update_percent": 100}).outcome == "changed"
    assert site.plan().outcome == "unchanged"


def test_no_report_shows_rows_of_a_vaulted_table(tmp_path: Path) -> None:
    site = Embedded.started({"archived_at": "given", "later_endpoints": "present"}, data="empty").site(tmp_path / "set")
    columns = "{Serial: serial_number, Code: barcode, Host: inventory_name, Room: target_room}"
    skip = "empty_keys: skip, repeated_keys: skip, unknown_values: skip, archived: keep"

    def planned(rule: str, *rows: str, check_mode: bool = True) -> RunResult:
        settings = f"tables: [{{files: objects/a.csv, columns: {columns}, match: [serial_number], {rule}, {skip}}}]\n"
        table = "\n".join(["Serial,Code,Host,Room", *rows, ""])
        site.write({"instance.yml": f"api: seventhings/v1\nset: test\n{settings}", "objects/a.csv": table})
        return site.run(load(site.root, read=_vaulted), check_mode=check_mode)

    rows = [f"SECRET{number},C{number},HIDDEN{number}," for number in (1, 2, 5)]
    assert planned("unknown_rows: create", *rows, check_mode=False).outcome == "changed"
    client = site.client()
    [kept] = [record for record in client.list_all(OBJECT) if record.flat["serial_number"] == "SECRET5"]
    client.archive(OBJECT, kept.uuid)
    rows = [
        "SECRET1,C1,HIDDEN,SECRETROOM",
        "SECRET2,C2,HIDDEN2,",
        "SECRET3,,,",
        "SECRET4,,,",
        "SECRET4,,,",
        ",,HIDDEN6,",
        "SECRET5,C5,,",
    ]
    result = planned("unknown_rows: skip", *rows)
    assert {reason: len(found) for reason, found in result.tables["objects/a.csv"].items()} == {
        "archived": 1,
        "unknown_rows": 1,
        "empty_keys": 1,
        "repeated_keys": 2,
        "unknown_values": 1,
    }
    for report in (as_text(result), as_json(result), as_csv(result), as_html(result), as_markdown(result)):
        assert "SECRET" not in report
        assert "HIDDEN" not in report


def _vaulted(folder: Folder, name: str) -> bytes:
    content = content_of(folder, name)
    return VaultedContent(content) if name.endswith(".csv") else content
