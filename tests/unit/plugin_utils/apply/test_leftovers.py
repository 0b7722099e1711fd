# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If a write is refused after an upload, the next task that needs the file links it without a second upload."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from instance_site import Site

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import (
    Invocation,
    run_module,
)


def _ensure(site: Site, **fields: Any) -> dict[str, Any]:
    options = {
        **site.service.options(),
        "state": "present",
        "fields": fields,
        "match_on": None,
        "uuid": None,
        "allow_unknown_fields": False,
    }
    return run_module("object", Invocation(options, {"fields": fields}, False), lambda _given, _check: site.client())


def test_a_file_that_was_left_behind_is_taken(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o700)
    monkeypatch.setenv("SEVENTHINGS_RUNTIME_DIR", str(shared))
    terms = tmp_path / "terms.txt"
    terms.write_text("Terms", "utf-8")
    site.service.steer("PUT", "/faults", [{"method": "POST", "path": "*/object", "fault": "422", "times": 1}])
    refused = _ensure(site, barcode="1", inventory_name="Lamp", documents=[str(terms)])
    assert refused.get("failed"), refused
    site.service.steer("PUT", "/faults", [])
    result = _ensure(site, barcode="1", inventory_name="Lamp", documents=[str(terms)])
    assert result["changed"], result
    assert site.writes().count("POST /file") == 1
    assert len(result["record"]["documents"]) == 1
    # The note of the upload is used only once.
    again = _ensure(site, barcode="2", inventory_name="Lamp", documents=[str(terms)])
    assert again["changed"], again
    assert site.writes().count("POST /file") == 2
