# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run examples in this process like a user who copies them: files, and tasks of the collection.

Parts that need a play of Ansible (templates, roles, other collections) are left out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import documentation
import guides
import yaml
from embedded_here import Embedded
from everyday_here import EVERYDAY, run_everyday
from project import ROOT

from ansible_collections.community.seventhings.plugins.module_utils.ansible_module.registry import MODULES
from ansible_collections.community.seventhings.plugins.module_utils.errors import SeventhingsError
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.layers import load_layers

_OURS = "community.seventhings."
_ANY = {"create_percent": 1000, "update_percent": 1000, "delete_percent": 100}

EVIDENCE = (
    "actual_room",
    "actual_building",
    "scan_time",
    "scanned_by_user_id",
    "inventory_time",
    "inventory_user",
)
"""The fields of objects that scans write."""


def evidence(here: Embedded) -> dict[str, tuple[Any, ...]]:
    """Return the values that scans wrote, by the uuids of the objects."""
    rows = here.service.store.rows(f"SELECT uuid, {', '.join(EVIDENCE)} FROM asset")
    return {row["uuid"]: tuple(row) for row in rows}


def tasks_in(text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the modules of the collection that tasks or plays call, with their options."""
    for task in all_tasks(text):
        for name, options in task.items():
            if str(name).startswith(_OURS) and isinstance(options, dict):
                yield name.removeprefix(_OURS), options


def all_tasks(text: str) -> Iterator[Mapping[str, Any]]:
    """Yield the plays, blocks and tasks of a text."""
    for document in yaml.load_all(text, Loader=yaml.CSafeLoader):
        yield from _all_tasks(document)


def _all_tasks(node: Any) -> Iterator[Mapping[str, Any]]:
    for task in node if isinstance(node, list) else []:
        if isinstance(task, dict):
            yield task
            for name in ("pre_tasks", "tasks", "post_tasks", "handlers", "block", "rescue", "always"):
                yield from _all_tasks(task.get(name))


class Copier:
    """A user who copies examples into a directory and runs them on an instance.

    :ivar done: number of completed tasks.
    """

    def __init__(self, root: Path, here: Embedded) -> None:
        self.root = root
        self.here = here
        self.done = 0

    def copy(self, path: Path) -> None:
        """Run a guide or the examples of a module, including repeated tasks."""
        if path.suffix == ".py":
            self.run(documentation.block(path, "EXAMPLES"))
            return
        for snippet in guides.snippets(path):
            verb, _separator, name = snippet.mark.partition(" ")
            if verb == "file":
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                (self.root / name).write_text(snippet.text, "utf-8")
            elif snippet.language == "yaml":
                self.run(snippet.text)

    def run(self, text: str) -> None:
        """Run the tasks in a text."""
        for name, options in tasks_in(text):
            if "{{" in str(options):
                continue
            with contextlib.suppress(SeventhingsError, OSError, AssertionError, TypeError):
                if name in MODULES:
                    self.here.call(name, **options)
                elif name in EVERYDAY:
                    assert not run_everyday(name, self.here, options).get("failed")
                elif name == "instance" and options.get("src"):
                    src = options["src"]
                    self.apply([self.root / path for path in (src if isinstance(src, list) else [src])])
                else:
                    continue
                self.done += 1

    def apply(self, layers: list[Path], **variables: str) -> None:
        """Apply files."""
        site = self.here.site(self.root)
        if site.run(load_layers(layers, variables=variables), limits=_ANY).outcome in ("changed", "unchanged"):
            self.done += 1


SETS: tuple[tuple[list[str], dict[str, str]], ...] = (
    (["examples/acme"], {}),
    (["examples/repository/instance"], {}),
    (["examples/fleet/base", "examples/fleet/overlays/berlin"], {"city": "Berlin"}),
)
"""Directories of files that people copy, as layers, and the variables that they need."""


def sources() -> Iterator[Path]:
    """Yield the guides, and the modules with examples."""
    yield from guides.GUIDES
    yield from (ROOT / "plugins" / "modules" / f"{name}.py" for name in sorted({*MODULES, *EVERYDAY, "instance"}))
