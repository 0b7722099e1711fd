# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names on the instance and facts of hosts are only data in the modules of everyday work and their reports."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import payloads
import pytest
from embedded_here import ACCOUNT, ROOT_URL, Embedded

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday import call
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.handover import hand_over
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.hosts import feed_objects
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.ledger import compare_ledger
from ansible_collections.community.seventhings.plugins.plugin_utils.everyday.move import move_objects

FORGED = "ok: nothing is left"
NAME = f"=1+1\n{FORGED}\x1b[2J\u202e<script>x</script>"
EMAIL = "bernd.kowalski@nordhain.example"

MODULES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "handover": lambda options: hand_over(options, False),
    "hosts": lambda options: feed_objects(options, False, {"web": {"serial": "S-7", "model": "X-1", "vendor": NAME}}),
    "ledger": lambda options: compare_ledger(options, False),
    "move": lambda options: move_objects(options, False),
}


@pytest.fixture
def here() -> Embedded:
    """Return an instance on which somebody gave hostile names to everything."""
    service = Embedded.started()
    [person] = service.call("person_info", filters={"email": EMAIL})["records"]
    [thing] = service.call("object_info", filters={"barcode": "100041"})["records"]
    client = service.client()
    for module, options in (
        ("person", {"uuid": person["uuid"], "fields": {"first_name": NAME, "last_name": NAME}}),
        ("object", {"uuid": thing["uuid"], "fields": {"inventory_name": NAME, "serial_number": "S-7"}}),
    ):
        done = service.call(module, **options)
        assert done["changed"], done
    # The application accepts names that the modules refuse.
    client.create(KINDS["location"], {"name": NAME})
    place = next(record for record in client.list_all(KINDS["location"]) if record.flat["name"] == NAME)
    client.create(KINDS["room"], {"building_id": place.id, "number": NAME, "name": NAME})
    return service


def run(service: Embedded, module: str, **options: Any) -> dict[str, Any]:
    given = read_arguments(module, documented_spec(module), {}, {"base_url": ROOT_URL, **ACCOUNT, **options})
    assert not given.refusal, given.refusal
    with mock.patch.object(call, "connect", return_value=service.client()):
        return MODULES[module](given.options)


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("handover", {"person": EMAIL}),
        ("handover", {"person": EMAIL, "require_clear": True}),
        ("handover", {"person": EMAIL, "to": "greta.novak@nordhain.example"}),
        ("handover", {"person": EMAIL, "to": "david.okafor@nordhain.example"}),
        ("move", {"objects": ["100041"], "to": "Dresden/1.01"}),
        ("move", {"objects": [NAME], "to": "Dresden/1.01"}),
        ("move", {"person": EMAIL, "to": "Dresden/1.01"}),
        ("hosts", {"map": {"manufacturer": "vendor"}, "key": {"fact": "serial", "field": "serial_number"}}),
    ],
)
def test_what_is_printed_is_one_line_for_each_name(here: Embedded, module: str, options: dict[str, Any]) -> None:
    done = run(here, module, **options)
    assert payloads.steering_in_results([done]) == []
    assert not [line for line in str(done["msg"]).splitlines() if line.lstrip().startswith(FORGED)]


def test_a_sheet_and_a_ledger_hold_names_as_text(here: Embedded, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.html"
    run(here, "handover", person=EMAIL, sheet=str(sheet))
    assert "<script>" not in sheet.read_text()
    (tmp_path / "books.csv").write_text(f'barcode,inventory_name\n"100041","{NAME}x"\n"=2+2","x"\n')
    reports = [tmp_path / f"report.{ending}" for ending in ("csv", "html", "json")]
    done = run(here, "ledger", file=str(tmp_path / "books.csv"), report=[str(path) for path in reports])
    assert payloads.steering_in_results([done]) == []
    assert "<script>" not in reports[1].read_text()
    for row in csv.reader(io.StringIO(reports[0].read_text())):
        assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@"))]


def test_a_code_of_thousands_of_digits_is_no_placeholder(here: Embedded) -> None:
    here.service.store.run("UPDATE asset SET barcode = ? WHERE barcode = '100041'", ("IMP-" + "9" * 5000,))
    done = run(
        here,
        "hosts",
        map={"inventory_name": "serial"},
        key={"fact": "model", "field": "serial_number"},
        create=True,
        scan_codes={"field": "barcode", "placeholder": "IMP-"},
    )
    assert done["changed"], done
    assert [len(record["scan_code"]) for record in done["created"]] == [10]
