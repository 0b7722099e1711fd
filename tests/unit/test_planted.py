# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every planted defect still fits the code, and has a test."""

from __future__ import annotations

from collections import Counter

import planted
from project import ROOT


def test_each_defect_fits_one_place_of_the_code() -> None:
    texts = {one.path: (ROOT / one.path).read_text("utf-8") for one in planted.DEFECTS}
    assert [f"{one.path}: {one.old}" for one in planted.DEFECTS if texts[one.path].count(one.old) != 1] == []


def test_each_defect_has_a_test_file() -> None:
    assert [one.test for one in planted.DEFECTS if not (ROOT / one.selection[0]).exists()] == []


def test_there_are_defects_of_every_area_and_most_need_no_long_run() -> None:
    areas = Counter(one.area for one in planted.DEFECTS)
    assert areas.keys() >= {"paging", "settling", "journal", "limits", "undo", "absorb", "pace"}
    assert areas.total() >= 30
    assert sum(not one.needs_long for one in planted.DEFECTS) * 6 >= areas.total() * 5
