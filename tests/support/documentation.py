# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the documentation of a module file, and compare it with what the module returned."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from project import ROOT

_OF_ANSIBLE = {"changed", "failed", "invocation", "msg", "warnings"}
_TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "complex": (dict,),
    "dict": (dict,),
    "float": (float, int),
    "int": (int,),
    "list": (list,),
    "str": (str,),
}


def block(path: Path, name: str) -> str:
    """Return the text of a block (DOCUMENTATION, EXAMPLES or RETURN) of a file."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and [
            target.id for target in statement.targets if isinstance(target, ast.Name)
        ] == [name]:
            return str(ast.literal_eval(statement.value))
    raise LookupError(f"{path.name} has no {name}")


def fragment(name: str) -> dict[str, Any]:
    """Return the documentation that modules share, from a documentation fragment."""
    for node in ast.walk(ast.parse((ROOT / "plugins" / "doc_fragments" / f"{name}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign):
            return dict(yaml.load(ast.literal_eval(node.value), Loader=yaml.CSafeLoader))
    raise LookupError(f"{name}.py documents nothing")


def returned(module: str) -> dict[str, Any]:
    """Return the documentation of the values that a module returns."""
    return dict(yaml.load(block(ROOT / "plugins" / "modules" / f"{module}.py", "RETURN"), Loader=yaml.CSafeLoader))


def misfits(results: Iterable[Mapping[str, Any]], documented: Mapping[str, Any]) -> list[str]:
    """List the differences between results and documentation: other types, undocumented or missing values."""
    found: set[str] = set()
    for result in results:
        mine = {key: value for key, value in result.items() if key in documented or not _is_of_ansible(key)}
        found.update(_in_map(mine, documented, ""))
        found |= {
            f"{key} is missing"
            for key, about in documented.items()
            if about["returned"] in ("always", "success") and key not in result
        }
    return sorted(found)


def never_seen(results: Iterable[Mapping[str, Any]], documented: Mapping[str, Any]) -> list[str]:
    """List the documented values that no result has."""
    returned = {path for result in results for path in _seen(result, documented, "")}
    return sorted(set(_members(documented, "")) - returned)


def _is_of_ansible(key: str) -> bool:
    return key in _OF_ANSIBLE or key.startswith("_ansible")


def _in_map(value: Mapping[str, Any], documented: Mapping[str, Any], where: str) -> Iterator[str]:
    yield from (f"{where}{name} is not documented" for name in value.keys() - documented.keys())
    for name in value.keys() & documented.keys():
        yield from _in_value(value[name], documented[name], f"{where}{name}")


def _in_value(value: Any, documented: Mapping[str, Any], where: str) -> Iterator[str]:
    wanted, inner = documented["type"], documented.get("contains", {})
    # If the value may be missing, the text says so.
    if value is None or wanted == "raw":
        return
    if not isinstance(value, _TYPES[wanted]) or (isinstance(value, bool) and wanted != "bool"):
        yield f"{where} is {value!r}, documented as {wanted}"
    elif isinstance(value, list):
        for item in value:
            yield from _in_value(item, {"type": documented["elements"], "contains": inner}, f"{where}[]")
    elif isinstance(value, dict) and inner:
        yield from _in_map(value, inner, f"{where}.")


def _seen(value: Any, documented: Mapping[str, Any], where: str) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        for name, inner in documented.items():
            if isinstance(item, Mapping) and name in item:
                yield f"{where}{name}"
                yield from _seen(item[name], inner.get("contains", {}), f"{where}{name}.")


def _members(documented: Mapping[str, Any], where: str) -> Iterator[str]:
    for name, inner in documented.items():
        yield f"{where}{name}"
        yield from _members(inner.get("contains", {}), f"{where}{name}.")
