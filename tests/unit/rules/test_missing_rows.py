# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A record whose row is missing from a table with ``missing_rows: keep`` is reported, and never pruned."""

from __future__ import annotations

import pytest
from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT

TASK_LIMITS = {"delete_percent": 100}
"""The limits of every task in this file."""

KEEPS = (
    "api: seventhings/v1\nset: test\npolicy: {prune: {objects: archive}}\n"
    "tables: [{files: 'objects/feed*.csv', columns: {Number: barcode, Name: inventory_name}, missing_rows: keep}]\n"
)


def feed(*numbers: int) -> str:
    return "Number,Name\n" + "".join(f"1000{number:02},Thing {number}\n" for number in numbers)


def own(*numbers: int) -> str:
    return feed(*numbers).replace("Number,Name", "barcode,inventory_name")


def barcodes(site: Site) -> set[str]:
    """Return the barcodes of the active objects."""
    return {str(record.flat["barcode"]) for record in site.client().list_all(OBJECT)}


@pytest.fixture
def applied(site: Site) -> Site:
    """Apply a table of another system, and a table of the files themselves."""
    site.write({"instance.yml": KEEPS, "objects/feed.csv": feed(1, 2, 3), "objects/own.csv": own(11, 12, 13)})
    assert site.run().outcome == "changed"
    assert site.run().outcome == "unchanged"
    return site


def test_a_missing_row_is_reported_and_its_record_stays(applied: Site) -> None:
    applied.write({"objects/feed.csv": feed(1), "objects/own.csv": own(11)})
    result = applied.run()
    assert result.reported == {"objects": ["100002", "100003"]}
    assert barcodes(applied) == {"100001", "100002", "100003", "100011"}
    assert applied.run().outcome == "unchanged"


def test_a_plan_file_notes_the_sources_too(site: Site) -> None:
    site.write({"instance.yml": KEEPS, "objects/feed.csv": feed(1, 2, 3), "objects/own.csv": own(11, 12, 13)})
    plan_file = site.root / "changes.plan"
    assert site.run(check_mode=True, plan_file=plan_file).outcome == "changed"
    assert site.run(plan_file=plan_file).outcome == "changed"
    site.write({"objects/feed.csv": feed(1, 2), "objects/own.csv": own(11, 12)})
    result = site.run()
    assert result.reported == {"objects": ["100003"]}
    assert barcodes(site) == {"100001", "100002", "100003", "100011", "100012"}


def test_the_last_source_of_a_record_counts(applied: Site) -> None:
    applied.write({"objects/feed.csv": feed(1, 2, 13), "objects/own.csv": own(3, 11, 12)})
    assert applied.run().outcome == "unchanged"
    applied.write({"objects/feed.csv": feed(1, 2), "objects/own.csv": own(11, 12)})
    result = applied.run()
    assert result.reported == {"objects": ["100013"]}
    assert "100003" not in barcodes(applied)


def test_the_records_of_a_deleted_table_stay(applied: Site) -> None:
    (applied.root / "objects/feed.csv").unlink()
    result = applied.run(allow=["empty_sources"])
    assert (result.outcome, result.reported) == ("unchanged", {"objects": ["100001", "100002", "100003"]})


def test_an_unknown_source_counts_as_a_table_that_keeps(site: Site) -> None:
    settings = KEEPS.partition("tables:")[0]
    site.write({"instance.yml": settings, "objects/own.csv": own(11, 12), "objects/more.csv": own(13)})
    assert site.run().outcome == "changed"
    site.write({"instance.yml": KEEPS, "objects/own.csv": own(11)})
    result = site.run()
    assert result.reported == {"objects": ["100012"]}
    site.write({"instance.yml": KEEPS, "objects/more.csv": own(14)})
    assert site.run().reported == {"objects": ["100012"]}
    assert "100013" not in barcodes(site)
