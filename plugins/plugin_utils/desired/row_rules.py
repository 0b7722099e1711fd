# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of the rows of a table of another system: how they find their records, and which of them are skipped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .positions import Place
from .shapes import Unfit

CREATE, REFUSE, SKIP = "create", "refuse", "skip"
KEEP, PRUNE, RESTORE = "keep", "prune", "restore"

#: The settings that can skip a row or a cell, which are the reasons in reports.
SKIPPING = EMPTY_KEYS, REPEATED_KEYS, UNKNOWN_ROWS, UNKNOWN_VALUES = (
    "empty_keys",
    "repeated_keys",
    "unknown_rows",
    "unknown_values",
)

_MATCH = "match"
_NOWHERE = Place("")

#: The names of fields that identify a record together.
Fields = tuple[str, ...]


@dataclass(frozen=True)
class RowRules:
    """The rules for the rows of a table. The defaults are those of entries in other files.

    :ivar match: how a row finds its record, in place of ``identity``: the first fields that all have values decide.
    :ivar unknown_rows: what to do with a row without a record. :ivar empty_keys: with a row without a key.
    :ivar repeated_keys: with rows that have the same key.
    :ivar unknown_values: with a reference or a choice that the instance does not know.
    :ivar archived: with a row that wants an archived record to be active.
    :ivar missing_rows: with a record whose row is missing.
    :ivar setting: the name of the entry of ``tables``, such as ``tables[0]``. :ivar place: where it was written.
    """

    match: tuple[Fields, ...] = ()
    unknown_rows: str = CREATE
    empty_keys: str = REFUSE
    repeated_keys: str = REFUSE
    unknown_values: str = REFUSE
    archived: str = RESTORE
    missing_rows: str = PRUNE
    setting: str = field(default="", compare=False)
    place: Place = field(default=_NOWHERE, compare=False)

    @property
    def names(self) -> frozenset[str]:
        """Return the names of all fields that may identify a row."""
        return frozenset(name for choice in self.match for name in choice)


#: The rules of a record that is not a row of a table of another system.
NO_RULES = RowRules()


def match_of(value: Any) -> tuple[Fields, ...]:
    """Return the choices of fields that a ``match`` names.

    :raises Unfit: if it is neither a list of fields nor a list of such lists.
    """
    expected = "a list of fields such as [asset_number], or a list of such lists such as [[asset_number], [barcode]]"
    written = [value] if isinstance(value, str) else value
    if not isinstance(written, list) or not written:
        raise Unfit(expected)
    choices = written if isinstance(written[0], list) else [written]
    found = []
    for choice in choices:
        if not isinstance(choice, list) or not choice or not all(isinstance(name, str) and name for name in choice):
            raise Unfit(expected)
        found.append(tuple(map(str, choice)))
    return tuple(found)


def _one_of(words: Fields, value: Any) -> str:
    if value not in words:
        default, *others = words
        raise Unfit(f"{', '.join(others)}, or {default} (the default)")
    return str(value)


#: The settings with one of some words, of which the first is the default.
ROW_WORDS: Mapping[str, Fields] = {
    UNKNOWN_ROWS: (CREATE, SKIP, REFUSE),
    EMPTY_KEYS: (REFUSE, SKIP),
    REPEATED_KEYS: (REFUSE, SKIP),
    UNKNOWN_VALUES: (REFUSE, SKIP),
    "archived": (REFUSE, KEEP, RESTORE),
    "missing_rows": (PRUNE, KEEP),
}

#: The settings of an entry of ``tables`` about its rows, each with the function that reads its value.
ROW_SETTINGS: Mapping[str, Callable[[Any], Any]] = {
    _MATCH: match_of,
    **{name: partial(_one_of, words) for name, words in ROW_WORDS.items()},
}

#: The rules of a table without such settings.
OF_TABLES = RowRules(archived=REFUSE)
