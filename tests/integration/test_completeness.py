# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare the modules with the description of the interface, and with their documentation: nothing is missing.

All steps of all modules run once in this process. They must send every operation of the description and every property
that can be written, except those in the lists below, and return what is documented.
"""

from __future__ import annotations

import fcntl
import pickle
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import documentation
import pytest
import steps
import yaml
from emulator_here import running_here
from emulator_process import Emulator
from playbook import Result
from project import ROOT
from steps import Step

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.argument_specs import CONNECTION
from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import MODULES

STEPS = Path(__file__).with_name("steps")
METHODS = ("get", "post", "put", "patch", "delete")

_ECHO = "what the service says of the object that is referred to; it takes the uuid alone"
_MADE_BY_THE_SERVICE = "made by the service; the record is named in the path"
NOT_WRITTEN = {
    "createTask references.[].id": _ECHO,
    "createTask references.[].name": _ECHO,
    "createTask references.[].status": _ECHO,
    "replaceTask references.[].id": _ECHO,
    "replaceTask references.[].name": _ECHO,
    "replaceTask references.[].status": _ECHO,
    "replaceTask uuid": _MADE_BY_THE_SERVICE,
    "createRentalCase references.[].id": _ECHO,
    "createRentalCase references.[].name": _ECHO,
    "replaceRentalCase references.[].id": _ECHO,
    "replaceRentalCase references.[].name": _ECHO,
    "createFieldDefinition uuid": _MADE_BY_THE_SERVICE,
    "createFieldDefinition field_key": _MADE_BY_THE_SERVICE,
}
"""Properties in the body of an operation that no module writes, with the reason."""


@dataclass
class Walk:
    """Everything that all steps of all modules sent and returned, in calm weather."""

    sent: dict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))
    """Operation to the bodies of its requests."""
    unknown: list[str] = field(default_factory=list)
    results: dict[str, list[Result]] = field(default_factory=lambda: defaultdict(list))
    """Module to its results, without failures."""

    def note(self, log: list[dict[str, Any]]) -> None:
        for entry in log:
            name = operation_of(entry["method"], entry["path"])
            if name is None:
                self.unknown.append(f"{entry['method']} {entry['path']}")
            else:
                self.sent[name].append(entry["body"])


@pytest.fixture(scope="module")
def service() -> Iterator[Emulator]:
    """Yield a service for these tests only, with a directory of its own."""
    with running_here() as started, tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        yield started


@pytest.fixture(scope="module")
def everything(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> Walk:
    """Return the walk. The first worker that needs it does it for all workers."""
    path = tmp_path_factory.getbasetemp().parent / f"walk-{testrun_uid}"
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            path.write_bytes(pickle.dumps(walk_with(request.getfixturevalue("service"))))
    walk: Walk = pickle.loads(path.read_bytes())
    return walk


def walk_with(service: Emulator) -> Walk:
    walk = Walk()
    for path in sorted(STEPS.glob("*.yml")):
        service.reset()
        loaded = steps.load(path, Path.cwd(), "calm")
        defaults = steps.connection(service)
        service.clear_log()
        results = steps.run_here(loaded, defaults, Path.cwd())
        walk.note(service.log())
        for step in loaded:
            walk.results[module_of(step)] += results[: len(step.runs)]
            results = results[len(step.runs) :]
    service.reset()
    walk.results["auth_token"] = tokens(service)
    walk.results["service_info"].append(steps.call("service_info", service.options()))
    walk.note(service.log())
    walk.results = {name: [result for result in results if not result.failed] for name, results in walk.results.items()}
    return walk


def tokens(service: Emulator) -> list[Result]:
    """Return the module whose steps can't be written in a file, because its input is created during the run."""
    client = {"base_url": service.base_url, "client_id": service.client_id}
    code = service.steer("POST", "/sso-codes", {})
    pair = steps.call("auth_token", service.options())
    grants = (
        {"grant_type": "refresh_token", "refresh_token": pair["refresh_token"]},
        {"grant_type": "sso_auth_code", "app_target": "web", **code},
        {"state": "absent", "access_token": pair["access_token"]},
    )
    return [pair, *(steps.call("auth_token", {**client, **grant}) for grant in grants)]


def module_of(step: Step) -> str:
    return step.module.removeprefix(steps.NAMESPACE)


# ---- the description of the interface


@cache
def description() -> dict[str, Any]:
    document: dict[str, Any] = yaml.load(
        (ROOT / "tests" / "emulator" / "openapi.yaml").read_bytes(), Loader=yaml.CSafeLoader
    )
    return document


@cache
def operations() -> dict[str, dict[str, Any]]:
    """Return operation (method and path) to description, operations with few path parameters first."""
    found = [
        {**item[method], "method": method.upper(), "path": path}
        for path, item in description()["paths"].items()
        for method in METHODS
        if method in item
    ]
    return {
        operation["operationId"]: operation
        for operation in sorted(found, key=lambda operation: str(operation["path"]).count("{"))
    }


def operation_of(method: str, path: str) -> str | None:
    """Return the operation of a request."""
    found = (name for name, operation in operations().items() if operation["method"] == method)
    return next((name for name in found if pattern_of(name).fullmatch(path.rstrip("/"))), None)


@cache
def pattern_of(name: str) -> re.Pattern[str]:
    """Return the pattern of the paths of an operation."""
    return re.compile(re.sub(r"\{[^}]+\}", "[^/]+", operations()[name]["path"]))


def followed(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node of the description with its references resolved."""
    result = dict(node)
    while "$ref" in result:
        target: Any = description()
        for step in result.pop("$ref").removeprefix("#/").split("/"):
            target = target[step]
        result = {**target, **result}
    return result


def properties(schema: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of every property that a schema names; ``[]`` means any item of a list."""
    node = followed(schema)
    for word in ("allOf", "anyOf", "oneOf"):
        for part in node.get(word, ()):
            yield from properties(part, above)
    for name, inner in node.get("properties", {}).items():
        yield (*above, name)
        yield from properties(inner, (*above, name))
    if isinstance(node.get("items"), dict):
        yield from properties(node["items"], (*above, "[]"))


def writable(name: str) -> dict[str, tuple[str, ...]]:
    """Return every property in the body of an operation, by name.

    If a body has two forms, both have the same properties.
    """
    content = followed(operations()[name].get("requestBody", {})).get("content", {})
    return {f"{name} {'.'.join(path)}": path for form in content.values() for path in properties(form["schema"])}


def is_written(body: Any, path: tuple[str, ...]) -> bool:
    if not path:
        return True
    if path[0] == "[]":
        return isinstance(body, list) and any(is_written(item, path[1:]) for item in body)
    return isinstance(body, dict) and path[0] in body and is_written(body[path[0]], path[1:])


def test_every_request_is_an_operation_of_the_description(everything: Walk) -> None:
    assert everything.unknown == []


def test_every_operation_is_called(everything: Walk) -> None:
    assert set(operations()) - set(everything.sent) == set()


def test_every_writable_property_is_written_or_is_in_the_list(everything: Walk) -> None:
    missing = {
        label
        for name, bodies in everything.sent.items()
        for label, path in writable(name).items()
        if not any(is_written(body, path) for body in bodies)
    }
    assert missing == set(NOT_WRITTEN)


# ---- the documentation of the modules


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_returns_what_its_documentation_says(everything: Walk, name: str) -> None:
    results = everything.results[name]
    assert results
    documented = documentation.returned(name)
    assert documentation.misfits([result.data for result in results], documented) == []
    assert documentation.never_seen([result.data for result in results], documented) == []


# ---- the proofs


IN_FILES = sorted(set(MODULES) - {"auth_token"})


def steps_of(name: str) -> Path:
    """Return the file with the steps of a module. An info module may share that of its record module."""
    own = STEPS / f"{name}.yml"
    return own if own.exists() else STEPS / f"{name.removesuffix('_info')}.yml"


def test_every_module_has_steps() -> None:
    assert {steps_of(name) for name in IN_FILES} == set(STEPS.glob("*.yml"))


@pytest.mark.parametrize("name", IN_FILES)
def test_the_steps_of_a_module_show_all_that_it_promises(tmp_path: Path, name: str) -> None:
    """Each step is predicted, carried out and repeated. There must be a step for each side of every promise."""
    loaded = steps.load(steps_of(name), tmp_path, "calm")
    own = [step for step in loaded if step.expect and module_of(step) == name]
    changes = not name.endswith("_info")
    states = {str(step.task[step.module].get("state", "present")) for step in own}
    shown = {
        "a change, or none": any(step.expect.get("changed") is changes for step in own),
        "a second run that changes nothing": any(not step.expect.get("again") for step in own),
        "an error": any("error" in step.expect for step in own) or not set(MODULES[name].spec) - set(CONNECTION),
        "a diff": "diff" not in documentation.returned(name) or any("diff" in step.expect for step in own),
        "every state": states >= set(MODULES[name].spec.get("state", {}).get("choices", ())),
    }
    assert [what for what, is_shown in shown.items() if not is_shown] == []


REMOVABLE = [name for name in IN_FILES if "absent" in MODULES[name].spec.get("state", {}).get("choices", ())]


@pytest.mark.parametrize("name", REMOVABLE)
def test_created_records_are_removed_and_created_again(service: Emulator, name: str) -> None:
    """Run the first step that creates something, then ``state: absent`` with the same options, then the step again."""
    service.reset()
    loaded = steps.load(steps_of(name), Path.cwd(), "calm")
    position, making = next(
        (position, step)
        for position, step in enumerate(loaded)
        if module_of(step) == name and step.expect.get("changed") and "state" not in step.task[step.module]
    )
    removing = {making.module: {**making.task[making.module], "state": "absent"}}
    walk = [
        *loaded[: position + 1],
        replace(making, number=1000, task=removing, expect={"changed": True}),
        replace(making, number=1001, expect={"changed": True}),
    ]
    defaults = steps.connection(service)
    service.clear_log()

    results = steps.run_here(walk, defaults, Path.cwd())

    steps.judge_all(walk, results, service.log(), "calm")
