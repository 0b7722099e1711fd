# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of kinds in messages."""

from __future__ import annotations

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import Kind


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
