# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every side of every switch of the embedded service, alone and combined with others.

The tour of ``tour.yml`` uses all record modules. With any switches, check mode predicts the result and sends no write,
the second run changes nothing, and nothing exists twice.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import playbook
import pytest
import steps
from emulator_process import Emulator, running
from project import LONG
from swarm import Swarm, first_seed

HERE = Path(__file__).parent
TOUR = HERE / "tour.yml"
PROFILES = HERE.parent / "emulator" / "profiles"
SUBSETS = 200 if LONG else 2
PLAYS = 4
"""The number of plays: the maximum number of sides of one switch that are not calm."""
SHARES = 64
_SLICE = 20 if LONG else 2
"""Number of mixtures in one test. Garbage is only collected between tests."""
_DIFFERENT = {
    ("record_id", "none"): ("hub_item", "object", "rental_case", "room", "room_info", "task", "user_from_person"),
    ("builtin_labels", "keys"): (
        "file",
        "object",
        "object_info",
        "person",
        "room",
        "room_info",
        "user_from_person",
    ),
}
"""The files with steps that name records by id, or built-in fields by label, which these instances do not have."""
SEED = first_seed(20260930)
"""The seed of the first mixture: always the same, except in long runs, where it is random.

``SEVENTHINGS_TEST_SEED`` names another seed.
"""
Walker = Callable[[], Path]


@pytest.fixture(scope="module")
def sides(emulator: Emulator) -> dict[str, list[str]]:
    """Return every switch and its sides, the calm side first."""
    table = emulator.steer("GET", "/switches")
    return {name: list(switch["sides"]) for name, switch in table.items()}


@pytest.fixture
def service(emulator: Emulator) -> Emulator:
    emulator.reset()
    return emulator


def walk_here(service: Emulator, hasty: Walker, weather: Mapping[str, str], path: Path = TOUR) -> None:
    """Run a file of steps in this process, and judge the results."""
    directory = hasty()
    service.reset()
    service.steer("PUT", "/switches", dict(weather))
    walk = steps.load(path, directory, "mixed")
    defaults = steps.connection(service)
    service.clear_log()
    results = steps.run_here(walk, defaults, directory)
    log = service.log()
    assert_nothing_twice(service)
    steps.judge_all(walk, results, log, "mixed")


def assert_nothing_twice(service: Emulator) -> None:
    """Check that no two records of a step have the same natural key."""
    service.steer("PUT", "/switches", {"weather": "calm"})
    defaults = steps.connection(service)
    keys = {
        "object": ("barcode",),
        "location": ("name",),
        "person": ("email", "first_name", "last_name"),
        "task": ("title", "deadline"),
        "rental_case": ("title", "issue_date"),
        "user": ("email",),
    }
    for kind, names in keys.items():
        found = steps.call(f"{kind}_info", defaults)
        counted = Counter(tuple(record[name] for name in names) for record in found["records"])
        assert not [key for key, count in counted.items() if count > 1], f"{kind}: {counted.most_common(3)}"


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Walker:
    """Make every wait instant. Yield a function that returns an empty directory for relative paths."""

    def fresh() -> Path:
        directory = Path(tempfile.mkdtemp(dir=tmp_path))
        monkeypatch.chdir(directory)
        # Knowledge about the instance is valid for a day, but here the instance changes every few seconds.
        monkeypatch.setenv("SEVENTHINGS_RUNTIME_DIR", tempfile.mkdtemp(dir=tmp_path))
        return directory

    return fresh


def awkward(sides: Mapping[str, list[str]]) -> list[tuple[str, str]]:
    """Return every side that is not calm."""
    return [(name, side) for name, choices in sides.items() for side in choices[1:]]


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES if LONG else 1))
def test_each_side_of_each_switch_alone(
    service: Emulator, hasty: Walker, sides: Mapping[str, list[str]], share: int
) -> None:
    problems = {}
    for name, side in awkward(sides)[share::SHARES]:
        try:
            walk_here(service, hasty, {name: side})
        except AssertionError as problem:
            problems[f"{name}={side}"] = str(problem)

    assert not problems, "\n\n".join(f"{weather}: {problem}" for weather, problem in problems.items())


@pytest.mark.parametrize("first", range(0, SUBSETS, _SLICE))
def test_any_mixture_of_sides(service: Emulator, hasty: Walker, sides: Mapping[str, list[str]], first: int) -> None:
    """A mixture turns a random subset of the switches, each to a random side that is not calm."""
    problems = []
    for seed in range(SEED + first, SEED + first + _SLICE):
        swarm = Swarm.drawn(seed, (), sides, ())
        chance = random.Random(seed)
        try:
            walk_here(service, hasty, {name: chance.choice(sides[name][1:]) for name in swarm.switches})
        except AssertionError as problem:
            problems.append(f"{swarm}\n{problem}")

    assert not problems, "\n\n".join(problems)


@pytest.mark.sample(0)
@pytest.mark.parametrize("number", range(PLAYS))
def test_every_side_in_a_real_play(
    service: Emulator, tmp_path: Path, sides: Mapping[str, list[str]], number: int
) -> None:
    """Each of the plays turns a share of the switches. Together they show every side that is not calm."""
    turned = awkward(sides)[number::PLAYS]
    share = dict(turned)
    assert len(share) == len(turned), "a play shows one side of a switch"
    service.steer("PUT", "/switches", share)
    walk = steps.load(TOUR, tmp_path, "mixed")
    defaults = steps.connection(service)
    service.clear_log()

    run = playbook.run(tmp_path, [steps.play_of(walk, defaults, tmp_path)], "--diff")

    steps.judge_all(walk, run.results, service.log(), "mixed", run.output)


@pytest.mark.sample(0)
@pytest.mark.parametrize("share", range(SHARES))
def test_every_step_under_each_switch(
    service: Emulator, hasty: Walker, sides: Mapping[str, list[str]], share: int
) -> None:
    problems = {}
    for name, side in awkward(sides)[share::SHARES]:
        # The module api creates a record as often as it is told to.
        left_out = {"api", *_DIFFERENT.get((name, side), ())}
        for path in sorted(path for path in (HERE / "steps").glob("*.yml") if path.stem not in left_out):
            try:
                walk_here(service, hasty, {name: side}, path)
            except AssertionError as problem:
                problems[f"{name}={side} {path.stem}"] = str(problem)

    assert not problems, "\n\n".join(f"{weather}: {problem}" for weather, problem in problems.items())


def test_a_reminder_that_leaving_out_keeps_is_cleared_with_null(service: Emulator) -> None:
    service.steer("PUT", "/switches", {"rental_omitted_reminder": "keep"})
    defaults = steps.connection(service)
    case: dict[str, Any] = {
        **defaults,
        "title": "Drill for the fair",
        "issue_date": "2031-05-05",
        "due_date": "2031-05-09",
        "references": ["100016"],
        "responsible_user": "bernd.kowalski@nordhain.example",
        "renter": {"type": "plain", "value": "Weber"},
    }
    steps.call("rental_case", {**case, "due_date_reminder": {"unit": "days", "value": 1}})
    service.clear_log()

    cleared = steps.call("rental_case", {**case, "due_date_reminder": None})
    again = steps.call("rental_case", {**case, "due_date_reminder": None})

    assert cleared["changed"]
    assert cleared["record"]["due_date_reminder"] is None
    assert not again["changed"]
    puts = [entry["body"] for entry in service.log() if entry["method"] == "PUT"]
    assert ["due_date_reminder" in body for body in puts] == [False, True]
    assert puts[-1]["due_date_reminder"] is None


@pytest.mark.sample(0)
def test_pages_of_a_large_instance_are_complete_in_any_weather() -> None:
    """Two full pages, with and without a total, with a repeated last page, and in no stable order."""
    with running(data="2000") as service:
        unstable = {"page_beyond_end": "clamp", "list_envelope": "array", "page_order": "unstable"}
        # Without a total, three pages are read twice.
        for pages, weather in (
            (2, {}),
            (2 * 3, {"list_total": "none"}),
            (2 * 3, {"list_total": "none", **unstable}),
        ):
            service.reset()
            service.steer("PUT", "/switches", weather)
            defaults = steps.connection(service)
            # Prove once that the list of definitions is complete, for all later requests.
            steps.call("field_definition_info", {**defaults, "template": "asset"})
            service.clear_log()

            found = steps.call("object_info", defaults)

            assert found["count"] == 2000
            assert len({record["uuid"] for record in found["records"]}) == 2000
            assert found["requests"] == 1 + pages, f"{weather}: {[entry['query'] for entry in service.log()]}"


def test_an_overdue_case_changes_where_no_client_may_set_its_status(service: Emulator) -> None:
    service.steer("PUT", "/switches", {"rental_overdue": "move", "rental_overdue_status": "refuse"})
    defaults = steps.connection(service)
    case: dict[str, Any] = {**defaults, "title": "Long overdue", "issue_date": "2021-05-05", "status": "borrowed"}
    changes = {
        "due_date": "2021-05-09",
        "references": ["100016"],
        "responsible_user": "bernd.kowalski@nordhain.example",
        "renter": {"type": "plain", "value": "Weber"},
    }
    assert steps.call("rental_case", {**case, **changes})["record"]["status"] == "return_overdue"

    changed = steps.call("rental_case", {**case, "comment": "Call them."})

    assert not changed.failed, changed
    assert changed["record"]["status"] == "return_overdue"
    assert changed["record"]["comment"] == "Call them."
    assert not steps.call("rental_case", {**case, "comment": "Call them."})["changed"]


@pytest.mark.parametrize("path", sorted(PROFILES.glob("*.json")), ids=lambda path: path.stem)
def test_everything_works_on_a_probed_instance(service: Emulator, hasty: Walker, path: Path) -> None:
    """The instance behaves like a real instance that somebody probed."""
    entries = json.loads(path.read_text("utf-8"))["switches"].items()
    walk_here(service, hasty, {name: entry["side"] for name, entry in entries if entry["side"] is not None})
