# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random instances, states, weather and faults: an apply always converges, and touches nothing that it need not.

Somebody else's records, which are in no file, are compared before and after.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from emulator_process import Emulator, running
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from instance_site import LONG, Site, yaml_list

from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError

_FAULTS = ("429", "500", "502_html", "503", "504_after", "reset_before", "reset_after", "half_body")
_MOST_RUNS = 12
_LIMITS = {"create_percent": 1000, "update_percent": 1000, "delete_percent": 1000}

_SWITCHES = {
    "list_envelope": ("items", "array"),
    "list_total": ("given", "none"),
    "page_order": ("stable", "unstable"),
    "filter_eq": ("exact", "case_blind"),
    "presence_operators": ("honour", "refuse"),
    "places_filter": ("honour", "ignore"),
    "persons_filter": ("honour", "ignore"),
    "persons_sort_by": ("honour", "ignore"),
    "record_shape": ("flat", "fields", "uuid_fields"),
    "uuid_key": ("both", "named"),
    "link_read": ("object", "integer", "zero"),
    "number_form": ("number", "string"),
    "boolean_form": ("boolean", "integer"),
    "empty_form": ("as_sent", "null", "text", "list"),
    "linked_assets_read": ("list", "one"),
    "linked_assets_name": ("LINKED_ASSETS", "LINKED_ASSET"),
    "datetime_read": ("as_written", "utc"),
    "attachment_name": ("none", "given"),
    "archived_at": ("given", "none"),
    "patch_answer": ("record", "empty_object", "empty", "no_content"),
}

LOCATIONS = ("A", "B", "A/B")
NUMBERS = ("1", "B/2")
BARCODES = tuple(f"{number:03d}" for number in range(8))

_texts = st.one_of(
    st.none(),
    st.sampled_from(["0", "x", " y ", "null", "é", "line\nline", "yes"]),
    st.text("ab\u00df\u2028 #:", max_size=5),
)
_objects = st.dictionaries(
    st.sampled_from(BARCODES),
    st.fixed_dictionaries(
        {"inventory_name": st.sampled_from(["Lamp", "Table", "0"])},
        optional={
            "description": _texts,
            "quantity": st.one_of(st.none(), st.integers(-3, 3)),
            "purchasing_price": st.one_of(st.none(), st.sampled_from(["0", "12.5", "12.50", "1299.00"])),
            "purchase_date": st.one_of(st.none(), st.dates().map(str).filter(lambda day: day >= "1970")),
            "is_loaned": st.one_of(st.none(), st.booleans()),
            "last_inspection": st.sampled_from(["2024-05-31T12:00:00+02:00", "2024-01-01T00:00:00Z"]),
            "actual_room": st.one_of(
                st.none(), st.sampled_from([f"{place}/{one}" for place in "AB" for one in NUMBERS])
            ),
            "accessories": st.lists(st.sampled_from(BARCODES), max_size=3, unique=True),
        },
    ),
    max_size=len(BARCODES),
)
_states = st.dictionaries(st.sampled_from(BARCODES), st.sampled_from(["absent", "archived"]), max_size=2)


class Converging(RuleBasedStateMachine):
    """An instance with records of somebody else, and a managed set whose files change again and again."""

    service: Emulator

    def __init__(self) -> None:
        super().__init__()
        self._root = Path(tempfile.mkdtemp())
        self.service.reset()
        self.site = Site(self._root, self.service)
        self._wanted: dict[str, Any] = {}
        self._gone: dict[str, str] = {}

    def teardown(self) -> None:
        shutil.rmtree(self._root, ignore_errors=True)

    @initialize(number=st.integers(0, 3))
    def somebody_elses_records(self, number: int) -> None:
        """Records that are in no file."""
        theirs = self._root / "theirs"
        site = Site(theirs, self.service)
        site.write(
            {
                "locations.yml": yaml_list([{"name": f"Theirs {one}"} for one in range(number + 1)]),
                "objects.yml": yaml_list([{"barcode": f"T{one}", "inventory_name": "Theirs"} for one in range(number)]),
            }
        )
        site.run()
        shutil.rmtree(theirs)
        self._theirs = self._shown_theirs()

    def _shown_theirs(self) -> list[str]:
        dump = self.site.dump()
        return [
            json.dumps(one, sort_keys=True)
            for kind in ("objects", "locations")
            for one in dump[kind]
            if str(one["fields"].get("name") or one["fields"].get("inventory_name")).startswith("Theirs")
        ]

    @rule(objects=_objects, gone=_states)
    def the_files_change(self, objects: dict[str, dict[str, Any]], gone: dict[str, str]) -> None:
        self._gone = gone
        self._wanted = {barcode: fields for barcode, fields in objects.items() if barcode not in gone}
        for fields in self._wanted.values():
            if "accessories" in fields:
                fields["accessories"] = [one for one in fields["accessories"] if one in self._wanted]

    @rule(
        switches=st.fixed_dictionaries({}, optional={name: st.sampled_from(sides) for name, sides in _SWITCHES.items()})
    )
    def the_weather_changes(self, switches: dict[str, str]) -> None:
        self.service.steer("PUT", "/switches", switches)

    @rule(prune=st.sampled_from(["report", "delete", "archive"]), share=st.sampled_from([0, 0, 0.3]))
    def it_is_applied(self, prune: str, share: float) -> None:
        self.site.write(
            {
                "locations.yml": yaml_list([{"name": name} for name in LOCATIONS]),
                "rooms.yml": yaml_list(
                    {"building_id": place, "number": one, "name": f"R{one}"} for place in "AB" for one in NUMBERS
                ),
                "objects.yml": yaml_list(
                    [
                        *({"barcode": barcode, **fields} for barcode, fields in self._wanted.items()),
                        *({"barcode": barcode, "_state": state} for barcode, state in self._gone.items()),
                    ]
                )
                if self._wanted or self._gone
                else "[]\n",
            }
        )
        rules = [{"fault": fault, "probability": share / len(_FAULTS), "retry_after": 0} for fault in _FAULTS]
        self.service.steer("PUT", "/faults", rules if share else [])
        for _run in range(_MOST_RUNS):
            try:
                account = self.site.run(limits=_LIMITS, prune={"objects": prune}, confirm_empty=True)
            except SeventhingsError:
                continue
            assert account.outcome in ("unchanged", "changed", "partly_applied", "failed"), account.refusals
            assert not account.findings, account.findings
            if account.outcome == "unchanged":
                break
        self.service.steer("DELETE", "/faults")
        again = self.site.plan(limits=_LIMITS, prune={"objects": prune}, confirm_empty=True)
        assert again.outcome == "unchanged", again.changes
        objects = self.site.dump()["objects"]
        active = [one["fields"]["barcode"] for one in objects if not one["archived"]]
        assert set(self._wanted) <= set(active)
        assert not set(self._gone) & set(active)
        barcodes = [one["fields"]["barcode"] for one in objects]
        assert len(barcodes) == len(set(barcodes))

    @invariant()
    def nothing_else_was_touched(self) -> None:
        if hasattr(self, "_theirs"):
            assert self._shown_theirs() == self._theirs


def _machine(make: Callable[[], Emulator]) -> type[Converging]:
    return type("Machine", (Converging,), {"service": make()})


def test_applies_converge_whatever_happens() -> None:
    with running(data="empty") as service:
        machine = _machine(lambda: service).TestCase
        machine.settings = settings(
            max_examples=150 if LONG else 4,
            stateful_step_count=20 if LONG else 8,
            derandomize=not LONG,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        machine("runTest").runTest()
