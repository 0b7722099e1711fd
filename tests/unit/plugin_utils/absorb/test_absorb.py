# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What was changed in the application goes into the files, in place: the diff has only the changed lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from instance_site import Site

from .absorbing import applied, content, somebody, take


def _thing(barcode: str, **more: Any) -> dict[str, Any]:
    return {"barcode": barcode, "inventory_name": "Thing", **more}


def _lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _told_nothing(site: Site, scratch: Path, **options: Any) -> dict[str, Any]:
    """Takes the changes in, and sees that the patch is what was written, and that nothing differs then."""
    before = content(site.root)
    planned = take(site, check_mode=True, **options)
    assert not planned.get("failed"), planned
    assert content(site.root) == before
    patched = applied(site.root, scratch / "git", planned["patch"])
    done = take(site, **options)
    assert content(site.root) == patched
    assert done["patch"] == planned["patch"]
    again = take(site, **options)
    assert (again["changed"], again["patch"]) == (False, ""), again
    if not done["told"]:
        assert site.plan().outcome == "unchanged", site.plan()
    return done


_YAML = """\
# Things\t
- barcode: '1'   # the first
  inventory_name:   Lamp
  description: "in \\"quotes\\""
  serial_number: 'it''s'

-   barcode: "2"
    inventory_name: Chair  # a seat
    description: |
      line one
      line two
    # between
    quantity: 3
- {barcode: '3', inventory_name: Desk, quantity: 4, purchasing_price: "12.50"}
- barcode: '4'
  inventory_name: >-
    Long
    name
  accessories:
    - '1'   # a lamp
    - '2'
"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
def test_values_of_yaml_are_changed_in_the_quoting_that_was_there(
    site: Site, tmp_path: Path, line_end: str, mark: str
) -> None:
    site.root = tmp_path / "files"
    site.write({"objects.yml": mark + _YAML.replace("\n", line_end)})
    assert site.run().outcome == "changed"
    somebody(
        site,
        {
            "objects.jsonl": _lines(
                {"barcode": "1", "inventory_name": "Lamp, new: red", "serial_number": "o'clock", "description": 'a "b"'},
                {"barcode": "2", "inventory_name": "yes", "description": "one\nthree", "quantity": None},
                {"barcode": "3", "quantity": 5, "purchasing_price": "13.00"},
                {"barcode": "4", "inventory_name": "Short", "accessories": ["1", "3"]},
            )
        },
    )
    done = _told_nothing(site, tmp_path)
    assert done["told"] == []
    assert done["summary"] == {"objects": {"changed": 10, "added": 0, "removed": 0}}
    expected = (
        _YAML.replace("Lamp\n", '"Lamp, new: red"\n')
        .replace('"in \\"quotes\\""', '"a \\"b\\""')
        .replace("'it''s'", "'o''clock'")
        .replace("Chair  #", '"yes"  #')
        .replace("      line one\n      line two\n", "      one\n      three\n")
        .replace("quantity: 3", "quantity: null")
        .replace("quantity: 4", "quantity: 5")
        .replace('"12.50"', '"13.00"')
        .replace(">-\n    Long\n    name", ">-\n    Short")
        .replace("    - '2'\n", "    - '3'\n")
    ).replace("    description: |\n      one", "    description: |-\n      one")
    assert (site.root / "objects.yml").read_bytes().decode() == mark + expected.replace("\n", line_end)
