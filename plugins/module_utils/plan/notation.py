# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""References on both sides of a change in one notation, so that a diff shows only real differences.

The service names a room by its number or by an id. People write ``Head office/0.12``, or its uuid. Both sides get the
best notation that is possible for both: natural keys, else uuids, else ids.

No requests are made here. A record outside the lists that were read keeps the name that the service gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..model.field import is_uuid
from ..model.types_links import Reference, references_in, with_references

_MARKS = ("uuid", "id")


def in_one_notation(is_now: Any, written: Any, name_of: Callable[[Reference], str | None]) -> tuple[Any, Any]:
    """Return both values with equal names for equal references.

    A reference written as a natural key keeps its words, and the equal reference on the other side gets them.

    :param name_of: returns the natural key of a referenced record, or None if it is unknown.
    """
    ours, theirs = list(references_in(written)), list(references_in(is_now))
    if not ours and not theirs:
        return is_now, written
    words: dict[Reference, Any] = {reference: reference.written for reference in ours if _is_key(reference.written)}
    are_keys = bool(words) or any(_is_by_fields(reference.written) for reference in ours)
    for reference in theirs:
        same = next((words[other] for other in ours if other in words and other.same(reference)), None)
        if same is not None:
            words[reference] = same
    for reference in (*ours, *theirs):
        if reference not in words and reference.resolved and (name := name_of(reference)) is not None:
            words[reference] = name
    both = (*ours, *theirs)
    if ours and not are_keys and not all(reference in words for reference in both):
        mark = next((mark for mark in _MARKS if all(getattr(reference, mark) is not None for reference in both)), None)
        words = {reference: getattr(reference, mark) for reference in both} if mark else words

    def called(reference: Reference) -> Reference:
        return replace(reference, written=words[reference]) if reference in words else reference

    return with_references(is_now, called), with_references(written, called)


def _is_key(written: Any) -> bool:
    return isinstance(written, str) and not is_uuid(written)


def _is_by_fields(written: Any) -> bool:
    """Return True if a record was named by a map of its fields."""
    return isinstance(written, Mapping) and not any(mark in written for mark in _MARKS)
