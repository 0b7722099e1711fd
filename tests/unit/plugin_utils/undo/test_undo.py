# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An apply is undone from its record, and nothing that others did since is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from embedded_here import Embedded, SiteHere
from instance_site import yaml_list

from ansible_collections.community.seventhings.plugins.plugin_utils.instance.outcome import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.inverse import STILL_WANTED, Undo
from ansible_collections.community.seventhings.plugins.plugin_utils.undo.record_file import last_record, read_record

LIMITS = "  limits: {create_percent: 100, update_percent: 100, delete_percent: 100}\n"
SETTINGS = 'api: seventhings/v1\nset: test\nset_id: "5d1c8e07f3a9b264"\npolicy:\n' + LIMITS
EVERYTHING = {"create_percent": 100, "update_percent": 100, "delete_percent": 100}


def thing(number: int, **fields: Any) -> dict[str, Any]:
    """An object as files have it."""
    return {"barcode": str(100000 + number), "inventory_name": f"Thing {number}", **fields}


def undo(site: SiteHere, applied: Path | None = None, **order: Any) -> RunResult:
    """Undo the last apply, or that of a record."""
    changed_since = order.pop("changed_since", "skip")
    path, record = (
        last_record(site.client().transport.root, None) if applied is None else (applied, read_record(applied))
    )
    wanted = Undo(record, str(path), changed_since, order.pop("is_approved", False))
    return site.run(wanted.base(), undo=wanted, **order)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SiteHere:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "files").mkdir()
    site = Embedded.started(data="empty").site(tmp_path / "files")
    site.write({"instance.yml": SETTINGS})
    return site


def values_of(site: SiteHere, field: str) -> dict[str, Any]:
    """The field of every object by barcode."""
    dump = site.dump()
    return {one["barcode"]: one.get(field) for one in dump["objects"]}


def test_wrong_values_return_and_later_edits_stay(here: SiteHere) -> None:
    good = [thing(n, **({"comment": f"c{n}"} if n > 2 else {})) for n in range(20)]
    here.write({"objects.yml": yaml_list(good)})
    assert here.run().outcome == "changed"
    before = here.dump()
    here.write({"objects.yml": yaml_list([{**one, "comment": "wrong"} for one in good])})
    assert here.run().outcome == "changed"
    result = undo(here, check_mode=True)
    assert result.outcome == "changed" and result.summary["objects"]["updated"] == 20
    result = undo(here)
    assert result.outcome == "changed", (result.findings, result.failures, result.refusals, result.warnings)
    assert STILL_WANTED in result.warnings
    assert here.dump() == before
