# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that an event may carry.

An event reaches a playbook as an extra variable, and Ansible evaluates every text in it. It is not possible to
distinguish a harmless text from an expression reliably, so an event carries no text that somebody wrote on the
instance: only identifiers, numbers, booleans, dates, words from this source code, and names in the spelling of the
rulebook. A playbook reads the texts of a record by its uuid, because Ansible treats the result of a module as data.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from ...module_utils.client.record import Record
from ...module_utils.model.kinds import Kind
from ...module_utils.model.schema import Schema
from .dates import text_of_date

#: Numbers up to this limit are exact in every reader of JSON.
_LARGEST = 1 << 53

_DIGITS = re.compile(r"[0-9]{1,15}", re.ASCII)


def carried(kind: Kind, key: str, value: Any) -> bool | int | float | str | None:
    """Return the value of a field as an event carries it; None if it is empty or a text of the instance.

    :param value: the canonical value.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float, Decimal)):
        number = float(value)
        if not math.isfinite(number) or abs(number) > _LARGEST:
            return None
        return int(value) if value == int(value) else number
    if isinstance(value, dt.date):
        return text_of_date(value)
    return value if value in _states(kind, key) else None


def status_of(kind: Kind, values: Mapping[str, Any]) -> str | None:
    """Return the status of a task or a rental case; None if the kind has none, or the status is unknown."""
    status = values.get("status")
    return str(status) if status in _states(kind, "status") else None


def key_of(schema: Schema, record: Record) -> dict[str, int | None]:
    """Return the natural key as members of an event, if it has only digits: its number and its length.

    Both are None for other keys. The length distinguishes ``0017`` from ``17``.
    """
    values = schema.show(record.flat)
    kind = schema.kind
    keys = (*kind.titles, *(key for keys in kind.match_on for key in keys))
    texts = (values.get(key) for key in keys)
    text = next((text for text in texts if isinstance(text, str) and text), "")
    is_number = _DIGITS.fullmatch(text) is not None
    return {"key": int(text) if is_number else None, "key_length": len(text) if is_number else None}


def _states(kind: Kind, key: str) -> Sequence[str]:
    """Return the declared states of a field, without the possible values of an instance."""
    return next((field.allowed for field in kind.fields if field.key == key), ())
