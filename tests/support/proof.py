# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""The kinds of tests that prove something, the size of each, and the results of their last runs.

The tables of ``docs/proof.rst`` are generated from here. ``docs/proof.json`` has the results, which
``make proof`` takes from the reports that pytest wrote.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mutation
import planted
from platforms import CORES
from project import LONG, ROOT

RESULTS = ROOT / "docs" / "proof.json"
_MUTATION = ROOT / "docs" / "mutation-testing.md"
_UNITS = "tests/unit"
_PLUGINS = f"{_UNITS}/plugin_utils"
_HOSTILE = "tests/hostile"


@dataclass(frozen=True)
class Proof:
    """A kind of proof.

    :ivar files: test files and folders, relative to the repository.
    :ivar size: the text before a pair of numbers in a file, and a phrase for each number; or the whole phrase.
    :ivar seed: the variable that reproduces a run, and an example of its value.
    :ivar has_seeds: True if the parameters of its tests are seeds, or ranges of seeds.
    :ivar sample: what ``make test`` has only some of, if it does.
    """

    name: str
    shows: str
    files: tuple[str, ...]
    size: tuple[str, str] = ("", "the same in both")
    seed: str = ""
    has_seeds: bool = False
    sample: str = ""

    def command(self) -> str:
        """Return the command that runs it, with its seed if it has one."""
        return " ".join(filter(None, [self.seed, "pytest", *self.files]))

    def contains(self, classname: str) -> bool:
        """Return True if a test belongs to it: a report names a file with dots."""
        names = [name.removesuffix(".py").replace("/", ".") for name in self.files]
        return any(classname == name or classname.startswith(f"{name}.") for name in names)

    def sizes(self) -> str:
        """Return the sizes in ``make test`` and ``make test-long``, with the numbers of the test itself."""
        mark, phrase = self.size
        if not mark:
            return phrase
        text = "".join((ROOT / name).read_text("utf-8") for name in self.files)
        found = re.search(re.escape(mark) + r"(?P<long>[\d_]+) if LONG else (?P<short>[\d_]+)", text)
        if found is None:
            raise ValueError(f"{self.files} have no pair of numbers after {mark!r}")
        short, long = (phrase.format(f"{int(found[name]):,}") for name in ("short", "long"))
        return f"{short}{f' for some {self.sample}' if self.sample else ''}; long: {long}"


PROOFS = (
    Proof(
        "State machines",
        "With random subsets of faults, switches and operations, each apply converges, the second run is unchanged, "
        "and records that are in no file stay untouched",
        (f"{_PLUGINS}/instance/test_converges.py",),
        ("_SWARMS = ", "{} at random"),
        "SEVENTHINGS_TEST_SEED=7",
    ),
    Proof(
        "Behaviour of instances",
        "With each side of each switch of the embedded service, alone and in random mixtures, check mode predicts the "
        "run",
        ("tests/integration/test_weather.py",),
        ("SUBSETS = ", "{} mixtures"),
        "SEVENTHINGS_TEST_SEED=7",
    ),
    Proof(
        "Fault points",
        "The first request, write, sync, rename, lock or process start fails, then the second, and so on until a run "
        "passes: nothing is created twice, nothing is lost, and the next run finishes",
        (f"{_UNITS}/proof/test_fault_points.py",),
        ("_STEP = ", "in steps of {}"),
    ),
    Proof(
        "Simulated world",
        "Many processes are simulated in one, with a virtual clock and a seeded scheduler: nothing is created twice, "
        "the pace is kept, and the next run succeeds after all faults end",
        (f"{_UNITS}/proof/test_simulated_world.py",),
        ("HISTORIES = ", "{} histories"),
        'SEVENTHINGS_WORLD="7 100-119"',
        has_seeds=True,
    ),
    Proof(
        "Histories of real processes",
        "Processes create and change the same records while processes are killed and answers are lost: each record "
        "exists once, only one process reports that it created the record, and no update is lost",
        ("tests/integration/test_histories.py",),
        ("range(", "{} at random"),
        'SEVENTHINGS_TEST_SEEDS="7 100-119"',
        has_seeds=True,
    ),
    Proof(
        "The year of an owner",
        "Imports, labels, moves, a stocktake, new ledgers and disposals of an owner are applied, with faults and kills "
        "during each command: after each step, the plan has exactly the right changes",
        (f"{_PLUGINS}/instance/test_year.py",),
        ("range(", "2 years without faults, {} with faults"),
        has_seeds=True,
    ),
    Proof(
        "Second service",
        "Plan, apply, second run, export and inventory pass with a second service. It was written from the interface "
        "description alone, and answers differently wherever the description leaves a choice",
        ("tests/integration/test_second_service.py",),
        ("", "without changes of single records; long: with them"),
    ),
    Proof(
        "Round trips",
        "Random instances are exported in every format: the plan is empty, and the export of a copy equals the export "
        "of the original. Random records in a workbook and in every dialect of CSV are read back as the same values",
        (f"{_PLUGINS}/export/test_round_trips.py",),
        ("_INSTANCES = ", "{} instances"),
        "SEVENTHINGS_TEST_SEED=7",
    ),
    Proof(
        "Absorbs",
        "Random changes to random instances are absorbed into files with random formatting: afterwards the plan is "
        "empty, and nothing else in the files has changed",
        (f"{_PLUGINS}/absorb/test_random_changes.py",),
        ("max_examples=", "{} instances"),
    ),
    Proof(
        "Undos",
        "Random applies are undone: afterwards the instance is in its earlier state",
        (f"{_PLUGINS}/undo/test_random_undos.py",),
        ("range(", "{} instances"),
    ),
    Proof(
        "Permission sets",
        "Accounts with random rights, hidden fields and locations create no duplicates and make no needless changes",
        (f"{_PLUGINS}/instance/test_restricted_accounts.py",),
        ("range(", "{} accounts"),
    ),
    Proof(
        "Wrong answers",
        "Answers of the service are corrupted, one member at a time: no run reports a false success",
        (f"{_HOSTILE}/test_wrong_answers.py",),
        ("", "a sample; long: every change"),
    ),
    Proof(
        "Fuzzing",
        "Everything that reads files or answers gets random bytes and texts: it reports an error, never a traceback",
        (f"{_HOSTILE}/test_fuzz.py",),
        ("max_examples=", "{} inputs"),
        sample="readers",
    ),
    Proof(
        "Hostile corpus",
        "Values from the service contain templates, formulas, paths and markup, and none of them has an effect. No "
        "output contains a secret",
        (_HOSTILE,),
        ("", "a sample; long: every text"),
    ),
    Proof(
        "The vendor's own tests",
        "The live tests of the vendor's client pass unmodified against the embedded service",
        (f"{_UNITS}/emulator/test_vendor_live.py", f"{_UNITS}/emulator/test_vendor_client.py"),
        ("", "the client alone; long: its live tests too"),
    ),
    Proof(
        "Interface description",
        "The embedded service answers generated requests as the interface description says",
        (f"{_UNITS}/emulator/test_schemathesis.py",),
        ("SECONDS = ", "{} seconds at most"),
        sample="phases",
    ),
)


def results() -> dict[str, Any]:
    """Return the recorded results by the name of the proof."""
    return dict(json.loads(RESULTS.read_text("utf-8"))) if RESULTS.exists() else {}


def record(reports: Iterable[Path], commit: str, core: str = "") -> None:
    """Record the results of the proofs that the JUnit reports of a run contain. Other results stay as they are.

    :param commit: the tested commit. :param core: the version of ansible-core, if it is not that of ``.venv``.
    """
    found = results()
    for proof in PROOFS:
        counted = _counted(proof, reports)
        if counted["tests"]:
            found[_name_on(proof, core)] = {**counted, "commit": commit}
    order = {_name_on(proof, core): None for proof in PROOFS for core in ("", *CORES)}
    text = json.dumps({name: found[name] for name in order if name in found}, indent=2)
    RESULTS.write_text(text + "\n", "utf-8")


def _name_on(proof: Proof, core: str) -> str:
    return f"{proof.name}, ansible-core {core}" if core else proof.name


def _counted(proof: Proof, reports: Iterable[Path]) -> dict[str, Any]:
    counted: dict[str, Any] = {"date": "", "run": "long" if LONG else "short", "seeds": ""}
    counted |= {"tests": 0, "failed": 0, "skipped": 0, "seconds": 0.0}
    seeds: set[int] = set()
    for report in reports:
        for suite in ET.parse(report).getroot().iter("testsuite"):
            for case in suite.iter("testcase"):
                if _proof_of(case.get("classname", "")) is proof:
                    counted["date"] = max(counted["date"], suite.get("timestamp", "")[:10])
                    counted["tests"] += 1
                    counted["failed"] += case.find("failure") is not None or case.find("error") is not None
                    counted["skipped"] += case.find("skipped") is not None
                    counted["seconds"] += float(case.get("time", 0))
                    seeds |= set(_seeds_in(case.get("name", "")))
    counted["seconds"] = round(counted["seconds"], 1)
    if proof.has_seeds:
        counted["seeds"] = _ranges(sorted(seeds))
    return counted


def _seeds_in(name: str) -> range:
    """Return the seeds of a test, which are the parameter in its name."""
    found = re.search(r"\[(?:[a-z]+-)?(\d+)(?:-(\d+))?\]$", name)
    return range(int(found[1]), int(found[2] or found[1]) + 1) if found else range(0)


def _ranges(seeds: Sequence[int]) -> str:
    """Return sorted seeds in words, such as ``0 to 99, 107``."""
    ranges: list[list[int]] = []
    for seed in seeds:
        if ranges and seed == ranges[-1][1] + 1:
            ranges[-1][1] = seed
        else:
            ranges.append([seed, seed])
    return ", ".join(f"{first:,} to {last:,}" if first < last else f"{first:,}" for first, last in ranges)


def _proof_of(classname: str) -> Proof | None:
    """Return the proof that a test belongs to: the first match counts, because a folder comes after its files."""
    return next((proof for proof in PROOFS if proof.contains(classname)), None)


def kinds_table() -> str:
    """Return the kinds of proof, as a table of reStructuredText."""
    rows = [(proof.name, proof.shows, proof.sizes(), f"``{proof.command()}``") for proof in PROOFS]
    return _table(("Proof", "What it shows", "Size", "Run it"), (14, 40, 16, 30), rows)


def results_table() -> str:
    """Return the results of the last runs, as a table of reStructuredText."""
    found = results()
    names = [_name_on(proof, core) for proof in PROOFS for core in ("", *CORES)]
    kinds = {proof.name for proof in PROOFS}
    rows = [_result_row(name, found.get(name)) for name in names if name in kinds or name in found]
    head = ("Proof", "Last run", "Commit", "Seeds", "Tests", "Failed", "Skipped", "Hours")
    return _table(head, (26, 20, 10, 14, 8, 8, 8, 8), rows)


def _result_row(name: str, found: Mapping[str, Any] | None) -> tuple[str, ...]:
    if found is None:
        return (name, "not recorded", *[""] * 6)
    run = f"{found['date']}, ``make {'test-long' if found['run'] == 'long' else 'test'}`` size"
    hours = f"{found['seconds'] / 3600:,.2f}"
    return (
        name,
        run,
        found.get("commit", ""),
        found.get("seeds", ""),
        *(f"{found[key]:,}" for key in ("tests", "failed", "skipped")),
        hours,
    )


def mutation_sums() -> str:
    """Return the sums of the last mutation run, as a sentence."""
    rows = list(_mutation_rows())
    mutants, caught, explained = (sum(row[column] for row in rows) for column in range(3))
    return (
        f"Tests caught {caught:,} of {mutants:,} mutants of {len(rows)} files. The other {explained:,} survived, and "
        "the reason is documented for each."
    )


def mutation_gaps() -> str:
    """Return which deciding files have no complete mutation run, as a sentence."""
    text = _MUTATION.read_text("utf-8")
    names = [f"``{path.rpartition('/')[2]}.py``" for path in mutation.SUBJECTS]
    left = [name for name in names if f"| {name.replace('``', '`')} |" not in text]
    if not left:
        return f"Only {len(names)} files that make decisions have a complete run. For all other files, {_COVERED}"
    return (
        f"{len(names)} files make decisions. All of them have a complete run except {', '.join(left)}, whose survivors "
        f"are not known yet. The nightly runs include all of them. For other files, {_COVERED}"
    )


_COVERED = "only the coverage is measured, and a covered line is not necessarily a tested line."


def planted_sum() -> str:
    """Return the number of planted defects, as a sentence."""
    return f"``make planted`` puts {len(planted.DEFECTS)} defects into a copy of the code, one at a time."


def _mutation_rows() -> Iterator[tuple[int, ...]]:
    for row in re.findall(r"^\| `\w+\.py` \|(.*)\|$", _MUTATION.read_text("utf-8"), re.MULTILINE):
        yield tuple(int(cell) for cell in row.split("|")[:3])


def _table(head: tuple[str, ...], widths: tuple[int, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [".. list-table::", "  :header-rows: 1", f"  :widths: {' '.join(map(str, widths))}", ""]
    for row in (head, *rows):
        lines += [f"  {'*' if number == 0 else ' '} - {cell}".rstrip() for number, cell in enumerate(row)]
    return "\n".join(lines)
