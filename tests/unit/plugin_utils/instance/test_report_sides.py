# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every report says which side changed a record, and who."""

from __future__ import annotations

from pathlib import Path

import pytest
from embedded_here import Embedded

from ansible_collections.community.seventhings.plugins.plugin_utils.report.text_report import write_report

FILES = {"objects.csv": "barcode,inventory_name\n" + "".join(f"{number},Thing\n" for number in range(8))}


@pytest.mark.parametrize("ending", ["md", "html", "csv", "sarif", "json"])
def test_a_report_of_a_drift_groups_by_side(tmp_path: Path, ending: str) -> None:
    here = Embedded.started(data="empty")
    site = here.site(tmp_path / "files")
    site.write(FILES)
    assert site.run().outcome == "changed"
    for number in range(4):
        here.call("object", fields={"barcode": str(number), "inventory_name": "Theirs"})
    site.write({"objects.csv": FILES["objects.csv"].replace("6,Thing", "6,Ours").replace("7,Thing", "7,Ours")})
    result = site.plan(drift=True)
    path = tmp_path / f"report.{ending}"
    write_report(result, path)
    text = path.read_text("utf-8")
    words = (
        ("application", "files")
        if ending in ("csv", "json")
        else ("changed in the application", "changed in the files")
    )
    assert all(word in text for word in words), text
    if ending in ("md", "html"):
        assert 0 <= text.index(words[0]) < text.index(words[1])
