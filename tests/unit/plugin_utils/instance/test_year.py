# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The year of an owner: after each step the plan has exactly the right changes.

The owner has 3,000 objects in the long tests, and else 300.
"""

from __future__ import annotations

import functools
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar
from unittest import mock

import pytest
from ansible.parsing.dataloader import DataLoader
from copied_examples import EVIDENCE
from embedded_here import ACCOUNT, ROOT_URL, Embedded, Killed
from instance_site import run_options
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import OBJECT, ROOM
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb import action as absorb_action
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.instance.run import run_instance
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.layers import load_layers
from ansible_collections.community.seventhings.plugins.plugin_utils.report.result import RunResult
from ansible_collections.community.seventhings.plugins.plugin_utils.stocktake import action as stocktake_action

pytestmark = pytest.mark.slow

_HUNDREDS = 30 if LONG else 2
OBJECTS, LABELLED, MOVED, PURCHASES = _HUNDREDS * 100, _HUNDREDS * 98, _HUNDREDS * 7, _HUNDREDS * 2
DEVIATIONS, MISSING = OBJECTS * 5 // 100, OBJECTS * 2 // 100
ROOMS = [f"Plant/{number}.{door:02d}" for number in range(1, 6) for door in range(1, 11)]

SETTINGS = """\
api: seventhings/v1
set: plant
set_id: "c0ffee5ca1ab1e44"
identity: {objects: [Asset number]}
scan_codes: {field: barcode, placeholder: "IMP-"}
policy: {limits: {create_percent: 5, update_percent: 10, delete_percent: 1}}
tables:
  - files: objects/ledger.csv
    preset: excel-de
    columns:
      Anlagennummer: Asset number
      Etiketten-Nummer: barcode
      Bezeichnung: inventory_name
      AHK: purchasing_price
    ignore: [Restbuchwert, "AfA*"]
    missing_rows: keep
"""
HEADER = "Anlagennummer;Etiketten-Nummer;Bezeichnung;AHK;Restbuchwert;AfA-Art\r\n"
FIELDS = "- {label: Asset number, type: TEXT}\n"


NOTHING: Mapping[int, str] = MappingProxyType({})

_FAULTS = ("500", "502_html", "503", "504_after", "504_late", "reset_before", "reset_after", "half_body", "not_json")
_YEARS = ["journal", "stateless", *(f"faults-{seed}" for seed in range(10 if LONG else 0))]

Done = TypeVar("Done")


def asset(number: int) -> str:
    return f"47{number:06d}"


def label(number: int) -> str:
    return f"{100000 + number}"


def room(number: int) -> str:
    return ROOMS[number % len(ROOMS)]


def ledger(numbers: Iterable[int], codes: Mapping[int, str] = NOTHING, prices: Mapping[int, str] = NOTHING) -> str:
    """Return the table of the accounting system, which knows placeholders but no rooms."""
    rows = (
        f"{asset(number)};{codes.get(number, f'IMP-{number:06d}')};Thing {number};"
        f"{prices.get(number, '250,50')};{number},00;LINR\r\n"
        for number in numbers
    )
    return HEADER + "".join(rows)


def rooms_of(rooms: Mapping[int, str]) -> str:
    """Return where the facility managers want each object."""
    return "Asset number,target_room\n" + "".join(f"{asset(number)},{where}\n" for number, where in rooms.items())


class Year:
    """An owner, the files in two layers, and the instance.

    :param is_forgetful: True if each command runs on a new machine, without journal and shared runtime directory.
    :param rolls: the random source for faults in the first attempt of each command; None for no faults.
    """

    def __init__(
        self,
        root: Path,
        here: Embedded,
        is_forgetful: bool,
        patched: pytest.MonkeyPatch,
        rolls: random.Random | None = None,
    ) -> None:
        self._rolls = rolls
        self.root = root
        self.here = here
        self.is_forgetful = is_forgetful
        self._patched = patched
        self._machines = 0
        self.layers = [root / "ledger", root / "rooms"]
        self.start_machine()

    def start_machine(self) -> None:
        """Begin with empty directories of state."""
        self._machines += 1
        for variable in ("XDG_STATE_HOME", "SEVENTHINGS_RUNTIME_DIR"):
            path = self.root / "machines" / f"{variable}-{self._machines}"
            path.mkdir(0o700, parents=True, exist_ok=True)
            self._patched.setenv(variable, str(path))

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def _tried(self, act: Callable[[], Done], is_apply: bool = False) -> Done:
        """Run a command. If it fails under faults, run it again, as its user would."""
        if self._rolls is None:
            return act()
        for _rule in range(self._rolls.randint(1, 4)):
            fault = self._rolls.choice(_FAULTS)
            self.here.fault(fault, probability=0.2, times=self._rolls.randint(1, 6), commit_after=20)
        if is_apply and self._rolls.random() < 0.5:
            self.here.kill_at = len(self.here.log) + self._rolls.randint(1, 100)
        try:
            done: Done | None = act()
        except (SeventhingsError, Killed):
            done = None
        self.here.gateway.faults.replace([])
        self.here.kill_at = 0
        self.here.clock.forward(60)
        return act() if done is None or is_apply else done

    def apply(self) -> None:
        """Apply the files, which must change something unless a failed first attempt already did everything."""
        result = self._tried(self._run, is_apply=True)
        assert result.outcome == "changed" or (self._rolls is not None and result.outcome == "unchanged"), (
            result.failures
        )

    def run(self, **order: Any) -> RunResult:
        """Plan, or apply."""
        return self._tried(functools.partial(self._run, **order))

    def _run(self, **order: Any) -> RunResult:
        if self.is_forgetful:
            self.start_machine()
        client = self.here.client()
        client.transport.read_only = bool(order.get("check_mode"))
        desired = load_layers(self.layers)
        result = run_instance(client, desired, run_options(**order), sleep=self.here.clock.forward)
        assert result.findings == []
        return result

    def plan(self) -> RunResult:
        return self.run(check_mode=True)

    def action(self, module: Any, name: str, function: Any, **written: Any) -> dict[str, Any]:
        return self._tried(lambda: self._action(module, name, function, **written))

    def _action(self, module: Any, name: str, function: Any, **written: Any) -> dict[str, Any]:
        if self.is_forgetful:
            self.start_machine()
        given = {"base_url": ROOT_URL, **ACCOUNT, "src": [str(layer) for layer in self.layers], **written}
        read = read_arguments(name, documented_spec(name), {}, given)
        assert not read.refusal, read.refusal
        client = self.here.client()
        client.transport.read_only = True
        with mock.patch.object(module, "connect", return_value=client):
            result: dict[str, Any] = function(read.options, False, DataLoader(), given)
        if result.get("failed"):
            raise SeventhingsError(result["msg"])
        return result

    def absorb(self, **written: Any) -> dict[str, Any]:
        return self.action(absorb_action, "instance_absorb", absorb_action.absorb_instance, **written)

    def stocktake(self, **written: Any) -> dict[str, Any]:
        return self.action(stocktake_action, "stocktake", stocktake_action.take_stock, **written)

    # ---- the application

    def number_key(self) -> str:
        """Return the key that the service chose for the asset number."""
        definitions = self.here.service.templates["asset"].definitions
        return next(key for key, definition in definitions.items() if definition.body["label"] == "Asset number")

    def objects(self) -> dict[str, Any]:
        """Return all objects by their asset numbers, which must be unique."""
        key = self.number_key()
        found = {record.flat[key]: record for record in self.here.client().list_all(OBJECT)}
        assert len(found) == len(list(self.here.service.store.rows("SELECT uuid FROM asset")))
        return found

    def copied(self) -> Embedded:
        """Return a copy of the instance in its present state."""
        return Embedded.started(store=self.here.service.store)


def evidence(objects: dict[str, Any]) -> dict[str, str]:
    return {number: str([record.flat.get(key) for key in EVIDENCE]) for number, record in objects.items()}


def codes(objects: dict[str, Any]) -> dict[str, str]:
    return {number: record.flat["barcode"] for number, record in objects.items()}


def changed_fields(result: RunResult) -> Counter[tuple[str, ...]]:
    """Return the number of records that change each field."""
    return Counter((change["action"], *sorted(change["after"])) for change in result.changes)


@dataclass(frozen=True)
class Stages:
    """The instance before some steps, and the directory of its owner after the import."""

    files: Path
    imported: Embedded
    labelled: Embedded
    moved: Embedded
    scanned: Embedded


MISSED = range(LABELLED - MISSING, LABELLED)
"""Objects that nobody finds."""

DEVIATING = range(MOVED, MOVED + DEVIATIONS)
"""Objects that are found in a wrong room."""


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    """Play what people do in the application until the end of the stocktake. Return the stages."""
    root = tmp_path_factory.mktemp("year")
    imported = Embedded.started(data="empty")
    with pytest.MonkeyPatch.context() as patched:
        year = Year(root, imported, False, patched)
        year.write("ledger/instance.yml", SETTINGS)
        year.write("ledger/fields/asset.yml", FIELDS)
        year.write("ledger/locations.yml", "- name: Plant\n")
        rooms = [f"- {{building_id: Plant, number: '{room.partition('/')[2]}'}}\n" for room in ROOMS]
        year.write("ledger/rooms.yml", "".join(rooms))
        year.write("ledger/objects/ledger.csv", ledger(range(OBJECTS)))
        year.write("rooms/objects.csv", rooms_of({number: room(number) for number in range(OBJECTS)}))
        result = year.run()
        assert (result.outcome, result.summary["objects"]["created"]) == ("changed", OBJECTS)
        # Missing labels on an empty instance are not reported.
        assert result.scan_codes == {}

        labelled = year.here = year.copied()
        client, objects = labelled.client(), year.objects()
        for number in range(LABELLED):
            client.update(OBJECT, objects[asset(number)].uuid, {"barcode": label(number)})

        moved = year.here = year.copied()
        client = moved.client()
        by_name = {f"Plant/{record.flat['number']}": record for record in client.list_all(ROOM)}
        for number in range(MOVED):
            target = by_name[room(number + 1)]
            client.update(OBJECT, objects[asset(number)].uuid, {"target_room": target.uuid})

        scanned = year.here = year.copied()
        for number in range(LABELLED):
            if number not in MISSED:
                where = number + (1 if number < MOVED else 2 if number in DEVIATING else 0)
                scanned.steer("POST", "/scan", {"code": label(number), "room": room(where)})
    return Stages(root, imported, labelled, moved, scanned)


@pytest.mark.parametrize("kind", _YEARS)
def test_a_year(stages: Stages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    shutil.copytree(stages.files, tmp_path, dirs_exist_ok=True)
    seed = kind.removeprefix("faults-")
    rolls = random.Random(int(seed)) if seed != kind else None
    year = Year(tmp_path, stages.imported, kind == "stateless", monkeypatch, rolls)
    planned = year.plan()
    assert (planned.outcome, planned.scan_codes) == ("unchanged", {"attached": 0, "total": OBJECTS, "differ": 0})

    # All objects but a few got labels.
    year.here = stages.labelled
    planned = year.plan()
    attached = {"attached": LABELLED, "total": OBJECTS, "differ": LABELLED}
    assert (planned.outcome, planned.scan_codes) == ("unchanged", attached)

    # Some objects moved, and people recorded that in the application.
    year.here = stages.moved
    assert changed_fields(year.plan()) == {("update", "target_room"): MOVED}

    # The stocktake found some objects elsewhere and some not at all. Objects without a label can't be scanned.
    year.here = stages.scanned
    year.here = year.copied()
    proof = evidence(year.objects())
    assert changed_fields(year.plan()) == {("update", "target_room"): MOVED}
    stocktake = year.stocktake(mode="evaluate", report=[str(tmp_path / "stocktake.csv")])
    unlabelled = OBJECTS - LABELLED
    assert stocktake["counts"] == {
        "ok": OBJECTS - DEVIATIONS - MISSING - unlabelled,
        "deviation": DEVIATIONS,
        "missing": MISSING + unlabelled,
        "new": 0,
        "unknown": 0,
    }
    assert stocktake["scanned"] == {
        "in_place": OBJECTS - DEVIATIONS - MISSING - unlabelled,
        "elsewhere": DEVIATIONS,
        "not_scanned": MISSING,
        "unlabelled": unlabelled,
    }
    assert set(stocktake["unlabelled"]) == {f"IMP-{number:06d}" for number in range(LABELLED, OBJECTS)}

    # Absorb the labels and moves into the files.
    absorbed = year.absorb()
    table = "ledger/objects/ledger.csv"
    (message,) = absorbed["not_changed"]
    assert message.startswith(f"{table}: {LABELLED:,} scan codes differ from the instance, which owns them")
    assert absorbed["conflicts"] == []
    assert absorbed["summary"]["objects"] == {"changed": MOVED, "added": 0, "removed": 0}
    assert (tmp_path / table).read_bytes().decode() == ledger(range(OBJECTS))
    rooms = {number: room(number + 1 if number < MOVED else number) for number in range(OBJECTS)}
    assert (tmp_path / "rooms/objects.csv").read_text() == rooms_of(rooms)
    planned = year.plan()
    assert (planned.outcome, planned.scan_codes["differ"]) == ("unchanged", LABELLED)

    # Half of the deviations are accepted.
    accepted = DEVIATING[: DEVIATIONS // 2]
    marked = ["code,accept", *(f"{label(number)},{'x' if number in accepted else ''}" for number in range(LABELLED))]
    year.write("accept.csv", "\n".join(marked))
    closed = year.stocktake(mode="close", accept=str(tmp_path / "accept.csv"))
    assert (closed["accepted"], closed["not_changed"]) == (len(accepted), [])
    rooms |= {number: room(number + 2) for number in accepted}
    assert (tmp_path / "rooms/objects.csv").read_text() == rooms_of(rooms)
    planned = year.plan()
    assert changed_fields(planned) == {("update", "target_room"): len(accepted)}
    year.apply()
    stocktake = year.stocktake(mode="evaluate")
    assert stocktake["counts"]["deviation"] == DEVIATIONS - len(accepted)
    assert year.plan().outcome == "unchanged"

    # The next ledger: placeholders as before, new prices, new purchases, and some assets written off.
    removed, total = range(OBJECTS // 3, OBJECTS // 3 + 10), OBJECTS + PURCHASES
    rows = [number for number in range(total) if number not in removed]
    dearer = range(20)
    year.write("ledger/objects/ledger.csv", ledger(rows, prices=dict.fromkeys(dearer, "999,50")))
    created = ("create", *sorted([year.number_key(), "barcode", "inventory_name", "purchasing_price"]))
    planned = year.plan()
    assert changed_fields(planned) == {("update", "purchasing_price"): len(dearer), created: PURCHASES}
    assert planned.scan_codes == {"attached": LABELLED, "total": total, "differ": LABELLED - len(removed)}
    before = codes(year.objects())
    year.apply()
    planned = year.plan()
    assert planned.outcome == "unchanged"
    objects = year.objects()
    assert len(objects) == total
    assert {number: code for number, code in codes(objects).items() if number in before} == before
    assert {number: values for number, values in evidence(objects).items() if number in proof} == proof
