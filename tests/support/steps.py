# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Steps of the integration tests: a task and its expected result. They run as a play or in this process.

A file ``steps/MODULE.yml`` is a list. Its entries are

- ``files``: name to text, or to ``{size: N}``; created before the play in the directory ``{{ directory }}``.
- ``setup``: a task that runs once, and must succeed.
- ``task`` and ``expect``: a task that is predicted (check mode), carried out, and repeated. ``expect`` has

  - ``changed``: of the first run; ``again``: of the second run, by default false,
  - ``error`` in place of it: a part of the message, or a list of parts; ``predicted_error: false`` if check mode
    reports no error, because an earlier task of the play may create what is missing,
  - ``diff``: exactly; ``record``: members of the record; ``result``: members of the result,
  - ``listed``: the values of a field of the listed records, in order; ``warning``: a part of a warning,
  - ``requests``: number of requests in the first and the second run; ``writes``: method and path (with ``*``) of the
    requests of the first run that change something; ``body``: the body of the last of them (with calm switches nothing
    may be read twice without a write in between, whatever is expected),
  - ``calm`` and ``rough``: further expectations for calm or rough switches only; ``weather``: the only set of switches
    with which the step runs.

Tasks may use the variable ``directory`` and the registered results of earlier steps; expectations only the latter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml
from emulator_process import Emulator
from jinja2 import ChainableUndefined, Environment
from playbook import Result
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import (
    MODULES,
    Invocation,
    run_module,
)
from ansible_collections.community.seventhings.plugins.module_utils.client.client import Client
from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect
from ansible_collections.community.seventhings.plugins.plugin_utils.action.arguments import read_arguments

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PREFIX = "/customer-api/v1"
RUNS = ("predicted", "done", "repeated")
WEATHERS = {
    "calm": {"weather": "calm"},
    # Steps also name built-in fields by their labels, not by translation keys.
    "rough": {"weather": "rough", "builtin_labels": "plain"},
}
"""The switches of the embedded service for each weather of the steps."""
NAMESPACE = "community.seventhings."
_EVERY = 3 if LONG else 25
"""One step in this number also runs in a module process, which takes 0.85 s of processor time instead of 0.04 s."""
_EVERY_SAMPLED = 6
"""In a sample, one step in this number is also predicted and repeated."""
_READING_POSTS = ("/auth_token", "/circularity-hub/suggest-category", "/circularity-hub/suggest-rest-price", "/report")
_KEYWORDS = {"name", "register", "check_mode", "vars", "when", "no_log", "ignore_errors"}


@dataclass(frozen=True)
class Step:
    """One task and its expectations. Without ``expect`` it is a setup, which runs once.

    :ivar is_once: True if it is neither predicted nor repeated.
    """

    number: int
    task: dict[str, Any]
    expect: dict[str, Any] = field(default_factory=dict)
    is_once: bool = False

    @property
    def runs(self) -> tuple[str, ...]:
        if not self.expect:
            return ("setup",)
        return ("done",) if self.is_once else RUNS

    def named(self, run: str) -> str:
        return f"{self.number} {run}"

    def is_a_module_process(self, run: str) -> bool:
        """Return True if a step runs in a module process.

        This is one run in three of some steps, and shows that worker and module process do the same.
        """
        round_, rest = divmod(self.number, _EVERY)
        return run in RUNS and rest == _EVERY - 1 and round_ % len(RUNS) == RUNS.index(run)

    @property
    def module(self) -> str:
        (name,) = (key for key in self.task if key not in _KEYWORDS)
        return name


def load(path: Path, directory: Path, weather: str) -> list[Step]:
    """Return the steps of a file for a weather (calm, rough or mixed), and write their files."""
    steps = []
    for number, entry in enumerate(yaml.load(path.read_text("utf-8"), Loader=LOADER)):
        if "files" in entry:
            _make_files(entry["files"], directory)
        elif "setup" in entry:
            steps.append(Step(number, entry["setup"]))
        else:
            expect = {key: value for key, value in entry["expect"].items() if key not in ("calm", "rough")}
            only = expect.pop("weather", weather)
            if only == weather:
                steps.append(Step(number, entry["task"], _with(expect, entry["expect"].get(weather, {}))))
    return steps


def sampled(steps: Iterable[Step]) -> list[Step]:
    """Return the steps, most of them without prediction and repetition.

    A repetition that changes something stays, because later steps expect the change.
    """
    return [
        replace(step, is_once=bool(step.number % _EVERY_SAMPLED) and not step.expect.get("again")) for step in steps
    ]


def _with(expect: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return the expectations for any weather, combined with those for one weather."""
    both = {key: _with(expect[key], more[key]) for key in expect if isinstance(more.get(key), Mapping)}
    return {**expect, **more, **both}


def _make_files(files: Mapping[str, Any], directory: Path) -> None:
    for name, content in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            (directory / name).write_text(content, "utf-8")
        else:
            with (directory / name).open("wb") as stream:
                stream.truncate(content["size"])


# ---- as a play


def tasks_of(steps: Iterable[Step], ends: str) -> list[dict[str, Any]]:
    """Return the tasks of some steps: each is predicted, carried out, and repeated.

    :param ends: ``worker``: all tasks in the worker; ``both``: some of them in a module process.
    """
    tasks: list[dict[str, Any]] = []
    for step in steps:
        for run in step.runs:
            task = {"name": step.named(run), **step.task}
            if step.expect:
                task["check_mode"] = run == "predicted"
                task["ignore_errors"] = True
            if ends == "both" and step.is_a_module_process(run) and "auth_token" not in step.module:
                written = task[step.module] or {}
                tuning = {**(written.get("tuning") or {}), "execution": "module"}
                task[step.module] = {**written, "tuning": tuning}
            tasks.append(task)
    return tasks


def play_of(
    steps: Iterable[Step], defaults: Mapping[str, Any], directory: Path, ends: str = "worker"
) -> dict[str, Any]:
    """Return a play of some steps on this machine, with connection options for every module."""
    return {
        "hosts": "localhost",
        "gather_facts": False,
        "module_defaults": {"group/community.seventhings.all": dict(defaults)},
        "vars": {"directory": str(directory)},
        "tasks": tasks_of(steps, ends),
    }


# ---- in this process


def call(
    name: str,
    options: Mapping[str, Any],
    check_mode: bool = False,
    client_of: Callable[[Mapping[str, Any], bool], Client] | None = None,
) -> Result:
    """Call a module in this process, without Ansible. Pauses take no time."""
    module = MODULES[name]
    read = read_arguments(f"{NAMESPACE}{name}", module.spec, module.rules, options)
    if read.refusal:
        data: dict[str, Any] = {"failed": True, "msg": read.refusal, "requests": 0}
    else:
        data = run_module(name, Invocation(read.options, read.written, check_mode), client_of or connect_hasty)
    return Result(name, "failed" if data.get("failed") else "ok", data)


def connect_hasty(options: Mapping[str, Any], read_only: bool = False) -> Client:
    """Return a client whose pauses take no time."""
    client: Client = connect(options, read_only)
    client.transport.sleep = lambda _seconds: None
    return client


def run_here(steps: Iterable[Step], defaults: Mapping[str, Any], directory: Path) -> list[Result]:
    """Run the steps without Ansible, and return the results that a play would have."""
    variables: dict[str, Any] = {"directory": str(directory)}
    results = []
    for step in steps:
        for run in step.runs:
            results.append(_run_one(step, run, defaults, variables))
            if "register" in step.task:
                variables[step.task["register"]] = results[-1].data
    return results


def _run_one(step: Step, run: str, defaults: Mapping[str, Any], variables: Mapping[str, Any]) -> Result:
    written = _rendered(step.task[step.module] or {}, variables)
    if step.module == "ansible.builtin.assert":
        environment = Environment(undefined=ChainableUndefined)
        broken = [text for text in _as_list(written["that"]) if not environment.compile_expression(text)(**variables)]
        return Result(step.named(run), "failed" if broken else "ok", {"msg": broken})
    name = step.module.removeprefix(NAMESPACE)
    door_options = MODULES[name].spec
    options = {**{key: value for key, value in defaults.items() if key in door_options}, **written}
    done = call(name, options, check_mode=run == "predicted")
    return Result(step.named(run), done.outcome, done.data)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _rendered(value: Any, variables: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return {key: _rendered(member, variables) for key, member in value.items()}
    if isinstance(value, list):
        return [_rendered(item, variables) for item in value]
    if not isinstance(value, str) or "{{" not in value:
        return value
    environment = Environment(undefined=ChainableUndefined)
    whole = re.fullmatch(r"\{\{(?P<expression>(?:(?!\}\}).)*)\}\}", value)
    if whole:
        return environment.compile_expression(whole["expression"])(**variables)
    return environment.from_string(value).render(variables)


# ---- judged


def is_write(entry: Mapping[str, Any]) -> bool:
    """Return True if a logged request changes something."""
    path = entry["path"].removeprefix(PREFIX)
    return entry["method"] != "GET" and not (entry["method"] == "POST" and path in _READING_POSTS)


def read_twice(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return requests that repeat an earlier read without a write in between."""
    reads: set[str] = set()
    twice = []
    for entry in entries:
        line = " ".join(str(entry.get(part)) for part in ("method", "path", "query", "body"))
        if is_write(entry):
            reads.clear()
        elif line in reads:
            twice.append(line)
        reads.add(line)
    return twice


def judge_all(
    steps: Iterable[Step], results: Iterable[Result], log: list[dict[str, Any]], weather: str, output: str = ""
) -> None:
    """Check the results of a run, and its requests, against the expectations of each step."""
    steps = list(steps)
    by_name = {result.name: result for result in results}
    names = [step.named(run) for step in steps for run in step.runs]
    for name in names:
        assert name in by_name, f"{name} did not run\n{output}\n{list(by_name.values())[-1:]}"
    rest = list(log)
    registered: dict[str, Any] = {}
    problems = []
    for step in steps:
        sent: dict[str, list[dict[str, Any]]] = {}
        for run in step.runs:
            count = by_name[step.named(run)].data.get("requests", 0)
            sent[run], rest = rest[:count], rest[count:]
        expected = replace(step, expect=_rendered(step.expect, registered))
        try:
            judge(expected, weather, {run: by_name[step.named(run)] for run in step.runs}, sent)
        except AssertionError as problem:
            problems.append(str(problem))
        if "register" in step.task:
            registered[step.task["register"]] = by_name[step.named(step.runs[-1])].data
    assert not problems, "\n\n".join(problems)
    assert not rest, f"requests that no result counts: {rest}"


def judge(step: Step, weather: str, results: Mapping[str, Result], sent: Mapping[str, list[dict[str, Any]]]) -> None:
    """Check the results of one step, by run, against its expectations."""
    expect = step.expect
    if not expect:
        assert not results["setup"].failed, f"setup {step.number} {step.task}: {results['setup'].data}"
        return
    done = results["done"]
    predicted, repeated = results.get("predicted"), results.get("repeated")
    lines = [f"{entry['method']} {entry['path'].removeprefix(PREFIX)} {entry['status']}" for entry in sent["done"]]
    where = f"step {step.number} {step.task}: {done.data} after {lines}"
    assert not [entry for entry in sent.get("predicted", ()) if is_write(entry)], f"wrote in check mode: {where}"
    if weather == "calm":
        for run in step.runs:
            assert not read_twice(sent[run]), f"read twice, {run}: {read_twice(sent[run])}: {where}"
    if "error" in expect:
        assert done.failed, where
        for part in _as_list(expect["error"]):
            assert part in done["msg"], f"{part!r} is missing: {where}"
        if predicted:
            assert predicted.failed == expect.get("predicted_error", True), f"predicted {predicted.data}: {where}"
        assert not [entry for entry in sent["done"] if is_write(entry)] or expect.get("after_a_write"), where
        return
    assert not done.failed, where
    assert done["changed"] == expect["changed"], where
    if predicted:
        assert not predicted.failed, f"predicted {predicted.data}: {where}"
        assert predicted["changed"] == done["changed"], f"predicted {predicted.data}: {where}"
        assert predicted.data.get("diff") == done.data.get("diff"), f"predicted {predicted.data.get('diff')}: {where}"
    if repeated:
        assert repeated["changed"] == expect.get("again", False), f"second run {repeated.data}: {where}"
    writes = [entry for entry in sent["done"] if is_write(entry)]
    assert bool(writes) == expect["changed"] or expect.get("only_here"), f"{writes}: {where}"
    if "diff" in expect:
        assert done["diff"] == expect["diff"], where
    if weather != "mixed":
        _judge_values(expect, weather, done, repeated, writes, where)


def _judge_values(
    expect: Mapping[str, Any],
    weather: str,
    done: Result,
    repeated: Result | None,
    writes: list[dict[str, Any]],
    where: str,
) -> None:
    if weather == "calm" and repeated and "requests" in expect:
        assert [done["requests"], repeated["requests"]] == expect["requests"], (
            f"{[done['requests'], repeated['requests']]} requests, expected {expect['requests']}: {where}"
        )
    for key, value in expect.get("record", {}).items():
        # Some instances omit the keys of empty fields.
        assert key in done["record"] or not value, f"{key} is missing: {where}"
        assert _holds(value, done["record"].get(key, value)), f"record.{key}, expected {value}: {where}"
    for key, value in expect.get("result", {}).items():
        assert _holds(value, done[key]), f"{key}, expected {value}: {where}"
    for key, values in expect.get("listed", {}).items():
        assert [record[key] for record in done["records"]] == values, f"{key}, expected {values}: {where}"
    if "warning" in expect:
        assert expect["warning"] in " ".join(done.data.get("warnings") or []), where
    if weather == "calm" and "writes" in expect:
        lines = [f"{entry['method']} {entry['path'].removeprefix(PREFIX)}" for entry in writes]
        assert len(lines) == len(expect["writes"]), f"{lines}: {where}"
        for line, pattern in zip(lines, expect["writes"], strict=True):
            assert fnmatchcase(line, pattern), f"{line}, expected {pattern}: {where}"
    if weather == "calm" and "body" in expect:
        assert writes[-1]["body"] == expect["body"], f"{writes[-1]['body']}: {where}"


def _holds(expected: Any, found: Any) -> bool:
    """Return True if a value is the expected value. In a map only the expected members count."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        return all(key in found and _holds(value, found[key]) for key, value in expected.items())
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(_holds, expected, found))
    return bool(expected == found)


def connection(service: Emulator, **more: Any) -> dict[str, Any]:
    """Return connection options for a running service, with a token."""
    return {"base_url": service.base_url, "access_token": service.token(), "rate_limit": 0, **more}
