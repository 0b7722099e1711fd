# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random instances, states, switches and faults: an apply always converges, and makes no unnecessary change.

Each swarm draws a random subset of faults, switches and operations from its seed, which it prints. To repeat a swarm,
run the first swarm with its seed: ``SEVENTHINGS_TEST_SEED=4711 pytest "PATH::test_applies_converge[0]"``.

Somebody else's records, which are in no file, are compared before and after. So is every record that the plan does not
name.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from emulator_here import running_here
from emulator_process import Emulator
from hypothesis import HealthCheck, Phase, note, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from instance_site import FAULTS, Site, yaml_list
from project import LONG
from swarm import Swarm, first_seed

from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult

from .random_states import OPERATOR, State, as_files, removals, sections_of, states, without

_SEED = first_seed(5)
_SWARMS = 30 if LONG else 1
_MOST_RUNS = 15
_LIMITS = {"create_percent": 1000, "update_percent": 1000, "delete_percent": 1000}

_SWITCHES = {
    "list_envelope": ("items", "array"),
    "list_total": ("given", "none"),
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
    "datetime_read": ("as_written", "utc"),
    "attachment_name": ("none", "given"),
    "archived_at": ("given", "none"),
    "patch_answer": ("record", "empty_object", "empty", "no_content"),
}

_FAULTS = (*FAULTS, "not_json", "empty_body", "html_body")
_PRUNES = ("delete", "archive")
_GONE = ("absent", "archived")
_SECTIONS = ("rooms", "persons", "objects", "tasks", "rental_cases")
_EXPIRY = "tokens expire"
_OPERATIONS = (
    *(f"prune: {action}" for action in _PRUNES),
    *(f"_state: {state}" for state in _GONE),
    *_SECTIONS,
    _EXPIRY,
)

_THEIRS = "Theirs"
_SHOWN = {
    "objects": "inventory_name",
    "locations": "name",
    "rooms": "name",
    "persons": "last_name",
    "tasks": "title",
    "rental_cases": "title",
}


class Converging(RuleBasedStateMachine):
    """An instance with records of somebody else, and a managed set whose files change again and again."""

    service: Emulator
    swarm: Swarm

    def __init__(self) -> None:
        super().__init__()
        self._root = Path(tempfile.mkdtemp())
        self.service.reset()
        self.site = Site(self._root / "files", self.service)
        self._state: State = {"locations": {}, "objects": {}}
        self._removed: dict[str, str] = {}
        self._theirs: list[str] = []
        # Random names may look alike, and some instances do not send when a record was archived.
        allow = ["empty_sources", "similar_names", "assumed_archived"]
        self._order: dict[str, Any] = {"limits": _LIMITS, "allow": allow, "journal": self._root / "journal"}

    def teardown(self) -> None:
        shutil.rmtree(self._root, ignore_errors=True)

    @initialize(number=st.integers(0, 3))
    def somebody_elses_records(self, number: int) -> None:
        """Create records that are in no file."""
        site = Site(self._root / "theirs", self.service)
        objects = [{"barcode": f"T{number}", "inventory_name": _THEIRS} for number in range(number)]
        task = {"title": _THEIRS, "deadline": "2027-01-01", "assignees": [OPERATOR], "references": ["T0"]}
        site.write(
            {
                "locations.yml": yaml_list([{"name": f"{_THEIRS} {number}"} for number in range(number + 1)]),
                "rooms.yml": yaml_list([{"building_id": f"{_THEIRS} 0", "number": "T", "name": _THEIRS}]),
                "persons.yml": yaml_list(
                    [{"email": f"t{number}@acme.example", "last_name": _THEIRS} for number in range(number)]
                ),
                "objects.yml": yaml_list(objects),
                "tasks.yml": yaml_list([{**task, "reminders": [{"unit": "days", "value": 1}]}] if number else []),
            }
        )
        assert site.run().outcome == "changed"
        self._theirs = self._shown_theirs()
        assert len(self._theirs) >= 2

    def _shown_theirs(self) -> list[str]:
        dump = self.site.dump()
        return [
            json.dumps(_filled(record), sort_keys=True)
            for kind, name in _SHOWN.items()
            for record in dump[kind]
            if str(record.get("fields", record)[name]).startswith(_THEIRS)
        ]

    @rule(
        files=st.one_of(st.tuples(states, removals), st.tuples(states, removals), st.none()),
        switches=st.fixed_dictionaries(
            {}, optional={name: st.sampled_from(sides) for name, sides in _SWITCHES.items()}
        ),
        prune=st.sampled_from(["report", "delete", "archive"]),
        share=st.sampled_from([0, 0.3]),
        number=st.integers(0, 999),
    )
    def it_is_applied(
        self,
        files: tuple[State, dict[str, str]] | None,
        switches: dict[str, str],
        prune: str,
        share: float,
        number: int,
    ) -> None:
        """Change the files (or not) and the switches, and apply everything, with or without faults."""
        operations = self.swarm.operations
        if files is not None:
            self._removed = {key: state for key, state in files[1].items() if f"_state: {state}" in operations}
            left_out = [section for section in _SECTIONS if section not in operations]
            self._state = without(sections_of(files[0], left_out), self._removed)
        self.service.steer(
            "PUT", "/switches", {name: switches[name] for name in self.swarm.switches if name in switches}
        )
        order = {**self._order, "prune": {"objects": prune if f"prune: {prune}" in operations else "report"}}
        if _EXPIRY in operations:
            self.service.steer("POST", "/tokens/expire", {})
        planned = self._planned(random.Random(number), order)
        assert not planned.findings, planned.findings
        before = self.site.dump()
        self.site.disturb(share, number, self.swarm.faults)
        outcome = self._run_until_unchanged(order)
        self.site.disturb(0)
        assert outcome == "unchanged"
        again = self.site.plan(**order)
        assert again.outcome == "unchanged", again.changes
        self._judge(before, planned)

    def _planned(self, chance: random.Random, order: dict[str, Any]) -> RunResult:
        """Return the plan, after checking that it does not depend on the order of files, records, keys and pages."""
        plans = []
        for pages in chance.sample(["stable", "unstable"], 2):
            self.service.steer("PUT", "/switches", {"page_order": pages})
            self._write(chance)
            plans.append(self.site.plan(**order))
        first, second = map(_shown, plans)
        assert first == second
        return plans[0]

    def _write(self, chance: random.Random) -> None:
        shutil.rmtree(self.site.root, ignore_errors=True)
        self.site.write(as_files(self._state, self._removed, chance))

    def _run_until_unchanged(self, order: dict[str, Any]) -> str:
        outcome = ""
        for _run in range(_MOST_RUNS):
            try:
                result = self.site.run(**order)
            except SeventhingsError as failed:
                note(failed.message)
                continue
            outcome = result.outcome
            if outcome == "refused":
                # A link may lead to an object that an earlier run deleted. Such an object may also be a hidden one.
                assert all("allow: [limited_account]" in refusal for refusal in result.refusals), result.refusals
                order = {**order, "allow": [*order["allow"], "limited_account"]}
                continue
            assert outcome in ("unchanged", "changed", "partly_applied", "failed"), result.refusals
            assert not result.findings, result.findings
            if outcome == "unchanged":
                break
        return outcome

    def _judge(self, before: Any, planned: RunResult) -> None:
        """Check that everything desired exists once, and that everything outside of the plan is unchanged."""
        after = self.site.dump()
        active = [record["fields"]["barcode"] for record in after["objects"] if not record["archived"]]
        assert set(self._state["objects"]) <= set(active)
        assert not set(self._removed) & set(active)
        deleted = [json.dumps(change["key"]) for change in planned.changes if change["action"] == "delete"]
        for kind in _SHOWN:
            names = [record["name"].partition("#")[0] for record in after[kind] if kind not in ("rooms", "locations")]
            assert len(names) == len(set(names)), names
            named = {change["key"] for change in planned.changes if change["section"] == kind}
            was, now = ({record["name"]: _filled(record) for record in dump[kind]} for dump in (before, after))
            for name in was:
                # Here a room may be named by its number alone.
                is_named = any(key.startswith(name) or key.endswith(f"/{name}") for key in named)
                # A dump names deleted records in another way.
                if not is_named and not any(key in json.dumps(was[name]) for key in deleted):
                    assert now.get(name) == was[name], (kind, name)

    @invariant()
    def nothing_else_was_touched(self) -> None:
        assert self._shown_theirs() == self._theirs


_TOLD_APART = re.compile(r"#[0-9a-f]{12}")
"""The suffix that a dump adds to equal names. It depends on other records with the same name."""


def _filled(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without its empty fields, because a new definition adds an empty field to every record."""
    plain: dict[str, Any] = json.loads(_TOLD_APART.sub("", json.dumps(record)))
    fields = plain.get("fields")
    return (
        {**plain, "fields": {key: value for key, value in fields.items() if value not in (None, [])}}
        if fields
        else plain
    )


def _shown(result: RunResult) -> Any:
    """Return the content of a plan, without places in files, their order and the forecast."""
    changes = [{name: value for name, value in change.items() if name != "place"} for change in result.changes]
    return result.outcome, result.summary, changes, result.reported, sorted(result.refusals), len(result.findings)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(_SWARMS))
def test_applies_converge(number: int) -> None:
    swarm = Swarm.drawn(_SEED + number, _FAULTS, _SWITCHES, _OPERATIONS)
    print(swarm)
    with running_here("empty") as service:
        machine = seed(swarm.seed)(type("Machine", (Converging,), {"service": service, "swarm": swarm}))
        chosen = settings(
            max_examples=10 if LONG else 4,
            stateful_step_count=6 if LONG else 3,
            deadline=None,
            database=None,
            # Each step sends many requests, so shrinking a failing example would exceed the time limit of a test.
            phases=[Phase.generate],
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        )
        run_state_machine_as_test(machine, settings=chosen)


def test_a_seed_draws_the_same_swarm_and_each_feature_is_drawn() -> None:
    swarms = [Swarm.drawn(number, _FAULTS, _SWITCHES, _OPERATIONS) for number in range(30)]
    assert swarms[7] == Swarm.drawn(7, reversed(_FAULTS), reversed(_SWITCHES), reversed(_OPERATIONS))
    assert len(set(swarms)) == len(swarms)
    assert {fault for swarm in swarms for fault in swarm.faults} == set(_FAULTS)
    assert {switch for swarm in swarms for switch in swarm.switches} == set(_SWITCHES)
    assert {operation for swarm in swarms for operation in swarm.operations} == set(_OPERATIONS)
    assert str(swarms[7]).startswith("SEVENTHINGS_TEST_SEED=7")
