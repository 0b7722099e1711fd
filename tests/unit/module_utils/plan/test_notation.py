# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Both sides of a diff use the same name for a referenced record."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import (
    Reference,
    brief_reference,
    references_in,
)
from ansible_collections.community.seventhings.plugins.module_utils.plan.notation import in_one_notation

from ..support import uuid_of


def ref(number: int, written: Any = None, has_uuid: bool = True, name: str | None = None) -> Reference:
    """Return a reference to a record with a uuid derived from its id."""
    return Reference("room", number, uuid_of(number) if has_uuid else None, name, written)


def words(is_now: Any, written: Any, known: dict[int, str]) -> tuple[list[Any], list[Any]]:
    """Return the names on both sides.

    :param known: names by id.
    """
    before, after = (
        list(references_in(side))
        for side in in_one_notation(is_now, written, lambda reference: known.get(reference.id or 0))
    )
    return [brief_reference(reference) for reference in before], [brief_reference(reference) for reference in after]


@pytest.mark.parametrize(
    ("is_now", "written", "known", "before", "after"),
    [
        # Natural keys were written, so the other side also gets natural keys if they are known.
        (ref(8, name="Store"), ref(2, "Lab/2"), {8: "Mill/8"}, ["Mill/8"], ["Lab/2"]),
        (ref(8, has_uuid=False), ref(2, "Lab/2"), {8: "Mill/8"}, ["Mill/8"], ["Lab/2"]),
        (ref(8), ref(2, {"number": "2"}), {2: "Lab/2", 8: "Mill/8"}, ["Mill/8"], ["Lab/2"]),
        # No natural key is known: use the best available name.
        (ref(8, name="Store"), ref(2, "Lab/2"), {}, ["Store"], ["Lab/2"]),
        # The same record is written the same way on both sides.
        ((ref(1), ref(8)), (ref(1, "lab/1"),), {1: "Lab/1", 8: "Mill/8"}, ["lab/1", "Mill/8"], ["lab/1"]),
        # Uuids or ids were written: use names if both are known, otherwise the form that both have.
        (ref(8), ref(2, uuid_of(2)), {2: "Lab/2", 8: "Mill/8"}, ["Mill/8"], ["Lab/2"]),
        (ref(8, name="Store"), ref(2, uuid_of(2)), {2: "Lab/2"}, [uuid_of(8)], [uuid_of(2)]),
        (ref(8, has_uuid=False), ref(2, uuid_of(2)), {}, [8], [2]),
        ((ref(8), ref(9)), (ref(2, 2, has_uuid=False),), {}, [8, 9], [2]),
        # A single side uses the best form that it has.
        (ref(8, name="Store"), None, {}, ["Store"], []),
        (None, ref(2, "Lab/2"), {}, [], ["Lab/2"]),
        (None, ref(2, uuid_of(2)), {2: "Lab/2"}, [], ["Lab/2"]),
    ],
)
def test_both_sides_use_one_notation(
    is_now: Any, written: Any, known: dict[int, str], before: list[Any], after: list[Any]
) -> None:
    assert words(is_now, written, known) == (before, after)


def test_values_without_references_and_the_values_themselves_stay_as_they_are() -> None:
    assert in_one_notation("a", ("b",), lambda _reference: None) == ("a", ("b",))
    reference = ref(2, uuid_of(2))
    _before, after = in_one_notation(None, (reference,), lambda _reference: "Lab/2")
    assert (after[0].written, reference.written) == ("Lab/2", uuid_of(2))
    _before, after = in_one_notation(None, ("user", reference), lambda _reference: "Lab/2")
    assert after[0] == "user"
