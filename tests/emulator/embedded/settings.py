# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of one instance: disabled modules, missing operations, and members that answers leave out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from .faults import BadRule
from .kinds import ROUTES

MODULES = ("rental", "hub", "catalog")
OPERATIONS = frozenset(f"{route.method} {route.path}" for route in ROUTES)
MISSING = (403, 404, 405)
"""The possible statuses of a missing operation."""


@dataclass(frozen=True)
class Settings:
    """The settings of an instance.

    :ivar modules_off: the modules that are switched off.
    :ivar missing_operations: operation, as ``METHOD /path`` of the description, to the status that it is answered with.
    :ivar answers: operation to the changes in the records of its answers: ``leave_out`` lists members, ``set`` maps
        members to values. A member is a path such as ``reminders.unit``.
    :ivar read_lag_seconds: seconds after which readers see a write.
    """

    access_token_seconds: int = 3600
    modules_off: list[str] = field(default_factory=list)
    missing_operations: dict[str, int] = field(default_factory=dict)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    read_lag_seconds: float = 0

    def changed(self, given: Mapping[str, Any]) -> Settings:
        """Return a copy with the given settings. Raise BadRule if they are invalid."""
        for name, value in given.items():
            if name not in _CHECKS:
                raise BadRule(f"there is no setting {name!r}; there are {', '.join(_CHECKS)}")
            _CHECKS[name](name, value)
        return replace(self, **given)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def _check_seconds(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise BadRule(f"{name} is an integer from 0")


def _check_lag(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        raise BadRule(f"{name} is a number from 0")


def _check_modules(name: str, value: Any) -> None:
    if not isinstance(value, list) or not set(map(str, value)) <= set(MODULES):
        raise BadRule(f"{name} is a list of {', '.join(MODULES)}")


def _check_operations(name: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise BadRule(f'{name} is {{"METHOD /path": ...}}')
    for operation in value:
        if operation not in OPERATIONS:
            suggestions = get_close_matches(operation, OPERATIONS, n=3)
            raise BadRule(
                f"{name}: there is no operation {operation!r}"
                + (f"; near: {', '.join(suggestions)}" if suggestions else "")
            )


def _check_missing(name: str, value: Any) -> None:
    _check_operations(name, value)
    if not all(status in MISSING for status in value.values()):
        raise BadRule(f"{name}: a missing operation is answered with one of {', '.join(map(str, MISSING))}")


def _check_answers(name: str, value: Any) -> None:
    _check_operations(name, value)
    for rules in value.values():
        is_known = isinstance(rules, dict) and set(rules) <= {"leave_out", "set"}
        left_out, members = (rules.get("leave_out", []), rules.get("set", {})) if is_known else (None, None)
        is_list = isinstance(left_out, list) and all(isinstance(path, str) for path in left_out)
        if not is_list or not isinstance(members, dict):
            raise BadRule(f'{name}: an answer is changed by {{"leave_out": ["member"], "set": {{"member": value}}}}')


_CHECKS: Mapping[str, Callable[[str, Any], None]] = {
    "access_token_seconds": _check_seconds,
    "modules_off": _check_modules,
    "missing_operations": _check_missing,
    "answers": _check_answers,
    "read_lag_seconds": _check_lag,
}


def changed_body(decoded: Any, rules: Mapping[str, Any]) -> Any:
    """Return the body of an answer with members of its records left out or set, in place.

    A member is set only if a record has it, so a missing reminder gets no unit.
    """
    for path in rules.get("leave_out", ()):
        _change(_records(decoded), path.split("."), _LEFT_OUT)
    for path, value in rules.get("set", {}).items():
        _change(_records(decoded), path.split("."), value)
    return decoded


_LEFT_OUT = object()


def _records(decoded: Any) -> Any:
    return decoded["items"] if isinstance(decoded, dict) and isinstance(decoded.get("items"), list) else decoded


def _change(value: Any, path: list[str], new: Any) -> None:
    if isinstance(value, list):
        for item in value:
            _change(item, path, new)
    elif isinstance(value, dict) and path[0] in value:
        if len(path) > 1:
            _change(value[path[0]], path[1:], new)
        elif new is _LEFT_OUT:
            del value[path[0]]
        else:
            value[path[0]] = new
