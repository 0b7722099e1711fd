# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet that lost all of its records is a finding. Scenarios show the same of other sources."""

from __future__ import annotations

import pytest
from instance_site import Site
from workbooks import workbook_of

HEAD_ROW = ["barcode", "inventory_name"]


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
    for result in (site.plan(), site.run(), site.run(check_mode=True, drift=True)):
        (finding,) = result.findings
        assert f": book.xlsx had 2 and {state}; put them back" in finding
    assert site.writes() == []
