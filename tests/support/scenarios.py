# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the scenarios of ``tests/scenarios`` in this process. The README of that folder documents their format."""

from __future__ import annotations

import difflib
import itertools
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from unittest import mock

import yaml
from embedded_here import ACCOUNT, ROOT_URL, Embedded, Killed
from everyday_here import EVERYDAY, run_with
from instance_site import SETTINGS, is_write, short
from project import EVERY_CASE, ROOT
from set_actions import SPECS, run_set
from stocktake_here import take_stock

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import (
    MODULES,
    Invocation,
    run_module,
)
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.local.safe_files import Folder
from ansible_collections.community.seventhings.plugins.module_utils.runtime.creations import Creations
from ansible_collections.community.seventhings.plugins.plugin_utils.absorb import action as absorb_action
from ansible_collections.community.seventhings.plugins.plugin_utils.action import set_run
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments
from ansible_collections.community.seventhings.plugins.plugin_utils.action.documented import documented_spec
from ansible_collections.community.seventhings.plugins.plugin_utils.export import action as export_action

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
FOLDER = ROOT / "tests" / "scenarios"
WEATHERS = {"calm": {"weather": "calm"}, "rough": {"weather": "rough", "builtin_labels": "plain"}}
"""The switches of the embedded service. In rough weather files still name built-in fields by their labels."""

_START = "start.yml"
_BEGINNING = frozenset(("shows", "before", "files", "switches", "settings", "accounts", "data", "steps"))
_STEP = frozenset(("files", "switches", "settings", "faults", "kill", "wait", "lose_memory", "by", "check_mode"))
_CHECKS = frozenset(("expect", "again", "predicted"))
_ABSORB = "instance_absorb"
_EXPORT = "instance_export"
_DEST = "files/out"
_SPECS = {**SPECS, _ABSORB: documented_spec(_ABSORB), _EXPORT: documented_spec(_EXPORT)}
_APPLIES = ("instance", "instance_undo")
_ANY_NUMBER = {"create_percent": 1000, "update_percent": 1000, "delete_percent": 100}
_MOST_KILLS = 200
_HORIZON = 120.0
"""Seconds after which no request of a killed process is pending."""
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_GENERATED_KEY = re.compile(r".*_[0-9a-f]{8}")

Result = dict[str, Any]


@dataclass(frozen=True)
class Scenario:
    """A scenario with one side of each of its switches.

    :ivar document: the file, after what all scenarios of its folder begin with.
    """

    name: str
    document: Mapping[str, Any]

    def __str__(self) -> str:
        return self.name


def all_scenarios() -> list[Scenario]:
    """Return all scenarios. A switch with a list of sides makes a scenario for each of them.

    :raises AssertionError: if a key is unknown.
    """
    found = []
    for path in sorted(FOLDER.glob("*/*.yml")):
        if path.name == _START:
            continue
        document = _read(path)
        switches = document.get("switches", {})
        choices = [sides if isinstance(sides, list) else [sides] for sides in switches.values()]
        for sides in itertools.product(*choices):
            chosen = [side for side, listed in zip(sides, choices, strict=True) if len(listed) > 1]
            name = "/".join([path.parent.name, path.stem, *chosen])
            found.append(Scenario(name, {**document, "switches": dict(zip(switches, sides, strict=True))}))
    return found


def _read(path: Path) -> dict[str, Any]:
    """Return a scenario, with what all scenarios of its folder begin with."""
    scenario: dict[str, Any] = {"steps": []}
    for part in (path.with_name(_START), path):
        document = yaml.load(part.read_text("utf-8"), LOADER) if part.exists() else {}
        _known(part.name, document, _BEGINNING)
        for key, value in document.items():
            earlier = scenario.get(key)
            if isinstance(earlier, dict):
                value = {**earlier, **value}
            scenario[key] = [*earlier, *value] if isinstance(earlier, list) else value
    assert scenario["steps"], f"{path}: there are no steps"
    return scenario


def _known(place: str, given: Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = given.keys() - known
    assert not unknown, f"{place}: {sorted(unknown)} is unknown; expected some of {sorted(known)}"


class _Mortal(Embedded):
    """An instance whose clients can be killed at a request: ``POST /object``, or ``after PATCH /object/*``."""

    kill = ""

    def answer(self, call: Any, timeout: float) -> Any:
        when, _space, request = self.kill.rpartition("after ")
        is_here = bool(request) and fnmatch(f"{call.method} {short(call.path)}", request)
        if is_here and not when and not _space:
            raise Killed
        answered = super().answer(call, timeout)
        if is_here:
            raise Killed
        return answered


class Play:
    """One scenario on an instance of its own.

    :param directory: an empty directory, which is the current directory of the test.
    """

    def __init__(self, scenario: Scenario, weather: str, directory: Path) -> None:
        self._name = f"{scenario} in {weather} weather"
        self._scenario = scenario.document
        # In rough weather a prediction must be right in the long run, and in the tests of all switches.
        self._is_predicted = weather == "calm" or EVERY_CASE
        switches = {**WEATHERS[weather], **self._scenario.get("switches", {})}
        self._here = _Mortal.started(switches, self._scenario.get("data", "empty"))
        self._directory = directory
        self._runtime = directory / "runtime"
        self._runtime.mkdir(0o700)
        self._accounts: dict[str, dict[str, str]] = {}
        self._results: Result = {}
        self._place = ""
        self._reasons: list[str] = []
        self._began = 0.0

    def run(self) -> None:
        """Run all steps.

        :raises AssertionError: if something is not as expected.
        """
        self._place = f"{self._name}, before the first step"
        self._here.set(**self._scenario.get("settings", {}))
        if "before" in self._scenario:
            desired = {"desired": self._scenario["before"], "src": None, "allow": ["users"]}
            self._judge({"outcome": "changed"}, self._call("instance", desired))
        self._write({"instance.yml": SETTINGS, **self._scenario.get("files", {})})
        for number, step in enumerate(self._scenario["steps"], 1):
            self._step(number, step)

    # ---- what happens

    def _step(self, number: int, step: Mapping[str, Any]) -> None:
        modules = [name for name in step if name not in _STEP | _CHECKS]
        self._place = f"{self._name}, step {number} ({', '.join(modules) or 'no task'})"
        assert len(modules) < 2, f"{self._place}: expected one task; known keys are {sorted(_STEP | _CHECKS)}"
        self._change(step)
        if not modules:
            return
        options, by, expected = step[modules[0]] or {}, step.get("by", ""), step.get("expect", {})
        is_apply = modules[0] in _APPLIES and not step.get("check_mode")
        predicted = None
        is_predictable = self._is_predicted and step.get("predicted", not {"faults", "kill"} & step.keys())
        if is_apply and is_predictable and not {"plan_file", "plan_digest"} & options.keys():
            predicted = self._call(modules[0], options, by, True)
        result = self._killed(modules[0], options, by, step["kill"]) if "kill" in step else None
        if result is None and "kill" in step:
            return
        if result is None:
            result = self._call(modules[0], options, by, bool(step.get("check_mode")))
        self._judge(expected, result)
        if predicted is not None and not result.get("failures"):
            self._compare("the prediction", _essence(result), _essence(predicted))
        if modules[0] == _EXPORT and not result.get("failed") and not step.get("check_mode"):
            self._place += ", planned and exported again"
            self._judge(
                {"outcome": "unchanged", "findings": []},
                self._call("instance", {"src": options.get("dest", _DEST)}, by, True),
            )
            self._judge({"changed": False}, self._call(_EXPORT, options, by))
        if is_apply and result.get("outcome") == "changed" and step.get("again") is not False:
            self._place += ", applied again"
            repeated = self._call(modules[0], options, by)
            self._judge({"outcome": "unchanged", "requests": [], **step.get("again", {})}, repeated)

    def _change(self, step: Mapping[str, Any]) -> None:
        """Change everything around a task."""
        self._write(step.get("files", {}))
        self._here.service.weather.set(step.get("switches", {}))
        self._here.set(**step.get("settings", {}))
        self._here.gateway.faults.replace(step.get("faults", []))
        self._here.clock.forward(step.get("wait", 0))
        if step.get("lose_memory"):
            shutil.rmtree(os.environ["XDG_STATE_HOME"], ignore_errors=True)

    def _write(self, files: Mapping[str, Any]) -> None:
        for name, content in files.items():
            path = self._directory / "files" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.unlink(missing_ok=True)
            else:
                text = content if isinstance(content, str) else yaml.safe_dump(content, allow_unicode=True)
                path.write_text(text, "utf-8")

    def _killed(self, module: str, options: Mapping[str, Any], by: str, kill: str) -> Result | None:
        """Run a task that is killed at a request, or at each of its requests in turn until it ends.

        :returns: the result; None if the task was killed at a certain request.
        """
        for number in itertools.count(1):
            assert number < _MOST_KILLS, f"{self._place}: the task never ends"
            self._here.kill, self._here.kill_at = ("", number) if kill == "each" else (kill, 0)
            try:
                result = self._call(module, options, by)
                assert kill == "each", f"{self._place}: the task never sent {kill}"
                return result
            except Killed:
                if kill != "each":
                    return None
                self._here.clock.forward(_HORIZON)
            finally:
                self._here.kill, self._here.kill_at = "", 0
        return None

    def _call(self, module: str, given: Mapping[str, Any], by: str = "", check_mode: bool = False) -> Result:
        """Run a task in a process of its own."""
        self._here.log.clear()
        self._began = self._here.clock.now()
        account = self._account(by)
        options = {
            name: self._results[value[1:]] if isinstance(value, str) and value.startswith("$") else value
            for name, value in given.items()
        }
        if module in EVERYDAY:
            facts = options.pop("facts", {})
            return run_with(module, self._client(account, check_mode), options, check_mode, facts)
        if module == "stocktake":
            return take_stock({"src": "files", **account, **options}, check_mode, self._client(account, True))
        if module not in _SPECS:
            result = self._call_single(module, {"base_url": ROOT_URL, **ACCOUNT, **account, **options}, check_mode)
            self._results.update({} if result.get("failed") else result)
            return result
        usual: Result = {"src": "files"}
        if module in ("instance_undo", _EXPORT):
            usual = {"dest": _DEST} if module == _EXPORT else {}
        if "limits" in _SPECS[module]:
            usual["limits"] = _ANY_NUMBER
        written = {name: value for name, value in {**usual, **options}.items() if value is not None}

        def connect(_options: Any, *, read_only: bool = False, **_others: Any) -> Client:
            return self._client(account, read_only)

        written = {"base_url": ROOT_URL, **ACCOUNT, **written}
        patched = [mock.patch.object(action, "connect", connect) for action in (set_run, absorb_action, export_action)]
        with patched[0], patched[1], patched[2]:
            if module in (_ABSORB, _EXPORT):
                read = read_arguments(module, _SPECS[module], {}, written)
                assert not read.refusal, f"{self._place}: {read.refusal}"
                result = (
                    export_action.export(read.options, check_mode)
                    if module == _EXPORT
                    else absorb_action.absorb_instance(read.options, check_mode, None, read.written)
                )
            else:
                result = run_set(written, check_mode, module=module)
        if not result.get("failed"):
            self._results.update(result)
        return result

    def _call_single(self, module: str, written: Mapping[str, Any], check_mode: bool) -> Result:
        assert module in MODULES, f"{self._place}: there is no module {module}"
        read = read_arguments(module, MODULES[module].spec, MODULES[module].rules, written)
        assert not read.refusal, f"{self._place}: {read.refusal}"
        client = self._client({name: written[name] for name in ACCOUNT}, check_mode)
        return run_module(
            module, Invocation(read.options, read.written, check_mode, False), lambda _options, _check: client
        )

    def _client(self, account: Mapping[str, str], read_only: bool) -> Client:
        clock, client = self._here.clock, self._here.client(**account)
        client.transport.read_only = read_only
        client.creations = Creations(Folder(self._runtime), "here", clock=clock.now, sleep=clock.forward, now=clock.now)
        client.transport.on_unsafe, client.transport.on_lost = client.creations.refresh, client.creations.lose
        return client

    def _account(self, name: str) -> Mapping[str, str]:
        """Return an account of the scenario, which is created when it is first used."""
        if name and name not in self._accounts:
            given = dict(self._scenario["accounts"][name] or {})
            if "locations" in given:
                uuids = {place["name"]: place["uuid"] for place in _flat(self._here.dump(canonical=False)["locations"])}
                given["locations"] = [uuids[place] for place in given["locations"]]
            self._accounts[name] = self._here.steer("POST", "/users", given)
        found = self._accounts.get(name, {})
        return {key: found[key] for key in ("username", "password") if key in found}

    # ---- what is expected

    def _judge(self, expected: Mapping[str, Any], result: Result) -> None:
        if not {"outcome", "failed", "msg", "refusals", "findings", "failures"} & expected.keys():
            assert not result.get("failed"), f"{self._place} failed:\n{result.get('msg')}"
        self._reasons = _reasons(result)
        writes = self._writes()
        if result.get("outcome") in ("refused", "drift", "unchanged"):
            self._compare("requests that change something", [], writes)
        for name, wanted in expected.items():
            if name == "after":
                state = self._here.dump()
                for section, records in wanted.items():
                    self._compare_exactly(f"after: {section}", *_records(section, records, state[section]))
            elif name == "files":
                texts = {path: (self._directory / "files" / path).read_text("utf-8") for path in wanted}
                self._compare(name, wanted, texts)
            elif name == "report":
                lines = str(result["msg"]).splitlines()
                found = [text for text in wanted if any(_matches(f"*{text}*", line) for line in lines)]
                self._compare("lines of the report", wanted, found if found == wanted else lines)
            elif name == "requests":
                self._compare(name, sorted(wanted), writes)
            elif name == "seconds":
                self._compare(name, wanted, round(self._here.clock.now() - self._began))
            elif name == "changes":
                self._compare(name, wanted, [_change_line(change) for change in result.get("changes", ())])
            else:
                self._compare(name, wanted, result.get(name))

    def _writes(self) -> list[str]:
        lines = [f"{method} {_UUID.sub('*', short(path))}" for method, path in self._here.log]
        return sorted(line for line in lines if is_write(line))

    def _compare(self, what: str, expected: Any, found: Any) -> None:
        self._compare_exactly(what, expected, _like(expected, found))

    def _compare_exactly(self, what: str, expected: Any, found: Any) -> None:
        if expected != found:
            lines = difflib.unified_diff(_lines(expected), _lines(found), "expected", "found", lineterm="", n=1000)
            raise AssertionError("\n".join([f"{self._place}: {what}", *lines, *self._reasons]))


def _records(section: str, wanted: Sequence[Mapping[str, Any]], dumped: Iterable[Mapping[str, Any]]) -> tuple[Any, Any]:
    """Return the expected records of a section and all that exist, with the same members."""
    keys = dict.fromkeys(
        key for record in wanted for key in (*record, *(("archived",) if section == "objects" else ()))
    )
    found = [{key: record.get(key) for key in keys} for record in _flat(dumped)]
    return _sorted(_filled(record) for record in wanted), _sorted(_filled(record) for record in found)


def _flat(dumped: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield records of a dump, with their fields beside their other members."""
    return ({**record, **record.get("fields", {})} for record in dumped)


def _change_line(change: Mapping[str, Any]) -> Any:
    """Return a change as scenarios write it: ``create objects 1``, or ``{update objects 1: "description, Shelf"}``."""
    line = f"{change['action']} {change['section']} {change['key']}"
    if change["action"] != "update":
        return line
    keys = dict.fromkeys((*change["before"], *change["after"]))
    names = (change["labels"].get(key, key) if _GENERATED_KEY.fullmatch(key) else key for key in keys)
    return {line: ", ".join(sorted(names))}


def _essence(result: Result) -> Result:
    """Return what a prediction and its apply have in common."""
    changes = [_change_line(change) for change in result.get("changes", ())]
    return {"outcome": result["outcome"], "changes": changes, "refusals": result.get("refusals", [])}


def _matches(pattern: str, text: str) -> bool:
    """Return True if a text fits a pattern, in which only ``*`` is special."""
    return bool(re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), text, re.DOTALL))


def _lines(value: Any) -> list[str]:
    return yaml.safe_dump(value, allow_unicode=True, width=1000).removesuffix("...\n").splitlines()


def _reasons(result: Result) -> list[str]:
    """Return why a task did not do what it was to do."""
    return [f"{name}: {result[name]}" for name in ("refusals", "findings", "failures") if result.get(name)]


def _like(expected: Any, found: Any) -> Any:
    """Return what was found in the form of what is expected, so that they differ only in what matters.

    A text that fits its pattern becomes the pattern, and members that are not expected are left out. A change that is
    expected without fields loses them.
    """
    if isinstance(expected, str) and isinstance(found, Mapping) and list(found) == [expected]:
        return expected
    if isinstance(expected, str) and isinstance(found, str):
        return expected if _matches(expected, found) else found
    if isinstance(expected, Mapping) and isinstance(found, Mapping) and expected.keys() & found.keys():
        return {key: _like(expected.get(key), value) for key, value in found.items() if key in expected}
    if isinstance(expected, list) and isinstance(found, (list, tuple)):
        pairs = itertools.zip_longest(expected, found)
        return [_like(wanted, value) for wanted, value in pairs][: len(found)]
    return found


def _filled(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a record that have a value."""
    return {key: value for key, value in record.items() if value not in (None, "", [], False)}


def _sorted(records: Iterable[Mapping[str, Any]]) -> list[Any]:
    return sorted(records, key=lambda record: json.dumps(record, sort_keys=True, default=str))
