# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of kinds in messages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import PERSON, Kind


@pytest.mark.parametrize(
    ("name", "plural"),
    [
        ("rental_case", "rental cases"),
        ("category", "categories"),
        ("survey", "surveys"),
        ("address", "addresses"),
        ("box", "boxes"),
        ("batch", "batches"),
    ],
)
def test_more_than_one_record_have_a_plural(name: str, plural: str) -> None:
    assert Kind(name, "/list").plural == plural


def test_a_key_of_several_fields_is_never_compared_without_case() -> None:
    with pytest.raises(ValueError, match="person: case_blind compares natural keys of one field"):
        replace(PERSON, match_on=(("email",), ("first_name", "last_name")))
