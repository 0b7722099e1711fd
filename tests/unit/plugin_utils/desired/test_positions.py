# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A place is the same after it was written as text."""

from __future__ import annotations

import pytest

from ansible_collections.community.seventhings.plugins.plugin_utils.desired.positions import (
    CellPlace,
    Place,
    SheetSource,
    place_of_text,
)

BOOK = SheetSource.for_sheet("a/assets.xlsx", "objects: new!")


@pytest.mark.parametrize(
    ("place", "file"),
    [
        (Place("objects.yml", 3, 17), "objects.yml"),
        (Place("objects.yml", 3), "objects.yml"),
        (Place("a:x\n.yml", 3, 17), "a:x\n.yml"),
        (CellPlace(BOOK, 12, 1), "a/assets.xlsx"),
        (CellPlace(BOOK, 12, 703), "a/assets.xlsx"),
        (Place("desired.objects[3]"), ""),
        (Place("prune of objects"), ""),
        (Place(""), ""),
    ],
)
def test_a_place_is_read_from_its_text(place: Place, file: str) -> None:
    found = place_of_text(str(place))
    assert (found, found.file, str(found)) == (place, file, str(place))
