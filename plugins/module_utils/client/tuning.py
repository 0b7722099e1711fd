# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The connection option ``tuning``: settings that few users need."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import InvalidInput
from ..model.near import near_names

_LIKENESS = 0.6


def read_seconds(name: str, value: Any) -> float:
    """Return a number of seconds.

    :raises InvalidInput: if the value is no number, negative or infinite.
    """
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = -1.0
    if not 0 <= number < math.inf:
        raise InvalidInput(f"{name}: {value!r} does not fit; expected seconds, 0 or more")
    return number


KEYS: Mapping[str, tuple[str, Callable[[str, Any], Any]]] = {
    "settle": ("SEVENTHINGS_SETTLE", read_seconds),
    "outage_wait": ("SEVENTHINGS_OUTAGE_WAIT", read_seconds),
}
"""Each key with the environment variable that replaces it and the function that reads its value."""


def read_tuning(given: Any, variables: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings of the option ``tuning``, completed from environment variables. Keys without a value are
    left out.

    :raises InvalidInput: if the option is no map, or if a key or a value does not fit.
    """
    if given is not None and not isinstance(given, Mapping):
        raise InvalidInput(f"tuning: {given!r} does not fit; expected a map with {', '.join(KEYS)}")
    given = given or {}
    for name in given:
        if name not in KEYS:
            near = near_names(str(name), KEYS, 1, _LIKENESS)
            hint = f"did you mean {near[0]}?" if near else f"expected {', '.join(KEYS)}"
            raise InvalidInput(f"tuning: unknown key {name!r}; {hint}")
    read = {}
    for name, (variable, convert) in KEYS.items():
        if given.get(name) is not None:
            read[name] = convert(f"tuning.{name}", given[name])
        elif variables.get(variable):
            read[name] = convert(variable, variables[variable])
    return read
