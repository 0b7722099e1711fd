# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The connection option ``tuning``: settings that few users need."""

from __future__ import annotations

import contextlib
import math
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ansible.module_utils.parsing.convert_bool import boolean

from ..errors import InvalidInput
from ..model.suggestions import did_you_mean

_WHOLE = 100
_PERCENT = re.compile(r" *([0-9]{1,3}) *% *")

#: Returns the value of an option, given its name and what was written. Raises :class:`InvalidInput`.
Reader: TypeAlias = Callable[[str, Any], Any]


def reader(convert: Callable[[Any], Any], fits: Callable[[Any], bool], expected: str) -> Reader:
    """Return the function that reads one kind of value.

    :param convert: converts what was written, or raises an error. :param fits: checks the converted value.
    :param expected: completes the sentence "expected ..." of the message.
    """

    def read(name: str, value: Any) -> Any:
        with contextlib.suppress(TypeError, ValueError, OverflowError):
            converted = convert(value)
            if fits(converted):
                return converted
        raise InvalidInput(f"{name}: {value!r} does not fit; expected {expected}")

    return read


def whole(value: Any) -> int:
    """Return an integer, which may be written as text. Raise ValueError for anything else."""
    return int(str(value))


def runs_as_module(tuning: Any) -> bool:
    """Return True if the option says that the task must run as a module, and not in Ansible's worker."""
    return isinstance(tuning, Mapping) and tuning.get("execution", AUTO) != AUTO


def _percentage(value: Any) -> int:
    percent = _PERCENT.fullmatch(str(value))
    return int(percent[1]) if percent else 0


#: Where a task runs: in Ansible's worker if possible, or always as a module.
AUTO, MODULE = "auto", "module"

read_duration = reader(float, lambda seconds: 0 < seconds <= threading.TIMEOUT_MAX, "seconds above 0")
_seconds = reader(float, lambda seconds: 0 <= seconds < math.inf, "seconds, 0 or more")
_count = reader(whole, lambda number: number >= 1, "an integer, 1 or more")
_number = reader(whole, lambda number: number >= 0, "an integer, 0 or more")
_flag = reader(boolean, lambda _flag: True, "true or false")
_place = reader(str, (AUTO, MODULE).__contains__, f"{AUTO} or {MODULE}")
_share = reader(_percentage, lambda percent: 1 <= percent <= _WHOLE, "a percentage from 1% to 100%, such as 50%")

#: Each key with the environment variable that replaces it, if there is one, and the function that reads its value.
KEYS: Mapping[str, tuple[str, Reader]] = {
    "settle": ("SEVENTHINGS_SETTLE", _seconds),
    "outage_wait": ("SEVENTHINGS_OUTAGE_WAIT", _seconds),
    "lock_wait": ("SEVENTHINGS_LOCK_WAIT", _seconds),
    "max_answer_size": ("SEVENTHINGS_MAX_ANSWER_SIZE", _count),
    "max_list_size": ("SEVENTHINGS_MAX_LIST_SIZE", _count),
    "max_pages": ("SEVENTHINGS_MAX_PAGES", _count),
    "rate_share": ("SEVENTHINGS_RATE_SHARE", _share),
    "request_deadline": ("SEVENTHINGS_REQUEST_DEADLINE", read_duration),
    "workers": ("", _count),
    "retries": ("", _number),
    "rate_limit_wait": ("SEVENTHINGS_RATE_LIMIT_WAIT", _seconds),
    "token_cache": ("SEVENTHINGS_TOKEN_CACHE", _flag),
    "allow_http": ("", _flag),
    "execution": ("", _place),
}


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
            raise InvalidInput(f"tuning: unknown key {name!r}; {did_you_mean(name, KEYS)}")
    read = {}
    for name, value in (fill_tuning(given, variables) or {}).items():
        variable, convert = KEYS[name]
        is_given = given is not None and given.get(name) is not None
        read[name] = convert(f"tuning.{name}" if is_given else variable, value)
    return read
