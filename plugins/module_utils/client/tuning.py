# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The connection option ``tuning``: settings that few users need."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any

from ansible.module_utils.parsing.convert_bool import boolean

from ..errors import InvalidInput
from ..model.suggestions import closest_names

_LIKENESS = 0.6
_WHOLE = 100
_PERCENT = re.compile(r"([0-9]{1,3}) *%")


def read_seconds(name: str, value: Any) -> float:
    """Return a number of seconds.

    :raises InvalidInput: if the value is not a number, negative or infinite.
    """
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = -1.0
    if not 0 <= number < math.inf:
        raise InvalidInput(f"{name}: {value!r} does not fit; expected seconds, 0 or more")
    return number


def read_duration(name: str, value: Any) -> float:
    """Return a number of seconds above 0.

    :raises InvalidInput: if the value is not a number, zero, negative, or more than a thread can wait.
    """
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = 0.0
    if not 0 < number <= threading.TIMEOUT_MAX:
        raise InvalidInput(f"{name}: {value!r} does not fit; expected seconds above 0")
    return number


def _read_count(name: str, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = 0
    if number < 1 or isinstance(value, bool) or (isinstance(value, float) and number != value):
        raise InvalidInput(f"{name}: {value!r} does not fit; expected an integer, 1 or more")
    return number


def _read_number(name: str, value: Any) -> int:
    if isinstance(value, bool) or not str(value).isascii() or not str(value).strip().isdigit():
        raise InvalidInput(f"{name}: {value!r} does not fit; expected an integer, 0 or more")
    return int(value)


def _read_flag(name: str, value: Any) -> bool:
    try:
        return bool(boolean(value))
    except TypeError as error:
        raise InvalidInput(f"{name}: {value!r} does not fit; expected true or false") from error


def _read_place(name: str, value: Any) -> str:
    if value not in (AUTO, MODULE):
        raise InvalidInput(f"{name}: {value!r} does not fit; expected {AUTO} or {MODULE}")
    return str(value)


def runs_as_module(tuning: Any) -> bool:
    """Return True if the option says that the task must run as a module, and not in Ansible's worker."""
    return isinstance(tuning, Mapping) and tuning.get("execution", AUTO) != AUTO


def _read_percentage(name: str, value: Any) -> int:
    percent = _PERCENT.fullmatch(str(value).strip())
    if percent is None or not 1 <= int(percent[1]) <= _WHOLE:
        raise InvalidInput(f"{name}: {value!r} does not fit; expected a percentage from 1% to 100%, such as 50%")
    return int(percent[1])


AUTO, MODULE = "auto", "module"
"""Where a task runs: in Ansible's worker if possible, or always as a module."""

KEYS: Mapping[str, tuple[str, Callable[[str, Any], Any]]] = {
    "settle": ("SEVENTHINGS_SETTLE", read_seconds),
    "outage_wait": ("SEVENTHINGS_OUTAGE_WAIT", read_seconds),
    "lock_wait": ("SEVENTHINGS_LOCK_WAIT", read_seconds),
    "max_answer_size": ("SEVENTHINGS_MAX_ANSWER_SIZE", _read_count),
    "max_list_size": ("SEVENTHINGS_MAX_LIST_SIZE", _read_count),
    "max_pages": ("SEVENTHINGS_MAX_PAGES", _read_count),
    "rate_share": ("SEVENTHINGS_RATE_SHARE", _read_percentage),
    "request_deadline": ("SEVENTHINGS_REQUEST_DEADLINE", read_duration),
    "workers": ("", _read_count),
    "retries": ("", _read_number),
    "rate_limit_wait": ("SEVENTHINGS_RATE_LIMIT_WAIT", read_seconds),
    "token_cache": ("SEVENTHINGS_TOKEN_CACHE", _read_flag),
    "allow_http": ("", _read_flag),
    "execution": ("", _read_place),
}
"""Each key with the environment variable that replaces it, if there is one, and the function that reads its value."""


def fill_tuning(given: Any, variables: Mapping[str, str]) -> Any:
    """Return the option ``tuning``, completed from environment variables. A value that is not a map stays as it is."""
    if given is not None and not isinstance(given, Mapping):
        return given
    filled = {name: value for name, value in (given or {}).items() if value is not None or name not in KEYS}
    for name, (variable, _convert) in KEYS.items():
        if variable and name not in filled and variables.get(variable):
            filled[name] = variables[variable]
    return filled or None


def read_tuning(given: Any, variables: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings of the option ``tuning``, completed from environment variables.

    Keys without a value are left out.

    :raises InvalidInput: if the option is not a map, or if a key or a value does not fit.
    """
    if given is not None and not isinstance(given, Mapping):
        raise InvalidInput(f"tuning: {given!r} does not fit; expected a map with {', '.join(KEYS)}")
    for name in given or {}:
        if name not in KEYS:
            suggestions = closest_names(str(name), KEYS, 1, _LIKENESS)
            hint = f"did you mean {suggestions[0]}?" if suggestions else f"expected {', '.join(KEYS)}"
            raise InvalidInput(f"tuning: unknown key {name!r}; {hint}")
    read = {}
    for name, value in (fill_tuning(given, variables) or {}).items():
        variable, convert = KEYS[name]
        is_given = given is not None and given.get(name) is not None
        read[name] = convert(f"tuning.{name}" if is_given else variable, value)
    return read
