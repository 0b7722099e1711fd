# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Relations between definitions that name the other field instead of its uuid."""

from __future__ import annotations

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.plan.relations import related

from ...module_utils.support import uuid_of

NOTHING = "00000000-0000-0000-0000-000000000000"
DEFINITIONS = [
    {"field_key": "colour", "label": "Shade", "uuid": uuid_of(1)},
    {"field_key": "f_2", "label": "Size", "uuid": uuid_of(2)},
    {"field_key": "f_3", "label": "Twin", "uuid": uuid_of(3)},
    {"field_key": "f_4", "label": "Twin", "uuid": uuid_of(4)},
    {"field_key": "Shade", "label": "Third", "uuid": uuid_of(5)},
]


@pytest.mark.parametrize(
    ("name", "number"),
    [("colour", 1), ("f_2", 2), ("Size", 2), ("Shade", 5), ("Third", 5)],
    ids=["key", "another key", "label", "a key goes before a label", "its label"],
)
def test_a_field_is_named_by_its_key_or_its_label(name: str, number: int) -> None:
    relation = {"type": "actual_field", "field": name, "comparison_values": [1]}
    expected = {"type": "actual_field", "field_uuid": uuid_of(number), "comparison_values": [1]}
    assert related([relation], lambda: DEFINITIONS) == ([expected], {}, {})


@pytest.mark.parametrize("name", ["Twin", "none", "size"])
def test_a_name_of_no_field_or_of_several_is_reported(name: str) -> None:
    written = [{"type": "actual_field", "field": "colour"}, {"type": "actual_field", "field": name}]
    resolved, missing, _unknown = related(written, lambda: iter(DEFINITIONS))
    assert resolved == [{"type": "actual_field", "field_uuid": uuid} for uuid in (uuid_of(1), NOTHING)]
    assert missing == {1: name}
