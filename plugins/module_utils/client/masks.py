# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the masks that Ansible writes instead of secrets. A mask is never the value of a record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..model.field import Way
from .redaction import HIDDEN, MASK

MASKED = (
    "Ansible masked a secret here (no_log), so the true text is lost. Do not take this value from the result of a "
    "task; take it from where that task took it"
)
"""What is wrong with a masked value, and what to do."""

_STARS = re.escape(MASK)
_MASK = re.compile(rf"{HIDDEN}|(?<!\*)(?:{_STARS}){{1,3}}(?!\*)")
"""A mask. Equal secrets in a row give several of them; a longer row of stars is a line that somebody drew."""


def is_masked(text: str) -> bool:
    """Return True if a text contains a mask."""
    return _MASK.search(text) is not None


def masked_in(value: Any, way: Way = ()) -> Iterator[Way]:
    """Yield the place of each masked text in a value, at any depth. The key of a map counts as its member.

    :param way: the place of the value itself.
    """
    if isinstance(value, str):
        if is_masked(value):
            yield way
    elif isinstance(value, Mapping):
        for key, member in value.items():
            if isinstance(key, str) and is_masked(key):
                yield (*way, key)
            yield from masked_in(member, (*way, str(key)))
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from masked_in(item, (*way, number))
