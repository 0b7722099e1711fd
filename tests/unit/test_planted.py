# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every planted defect still fits the code, and has a test."""

from __future__ import annotations

from collections import Counter

import planted
from project import ROOT


def test_each_defect_fits_one_place_of_the_code() -> None:
    texts = {defect.path: (ROOT / defect.path).read_text("utf-8") for defect in planted.DEFECTS}
    assert [
        f"{defect.path}: {defect.old}" for defect in planted.DEFECTS if texts[defect.path].count(defect.old) != 1
    ] == []


def test_each_defect_has_a_test_file() -> None:
    assert [defect.test for defect in planted.DEFECTS if not (ROOT / defect.selection[0]).exists()] == []


def test_there_are_defects_of_every_area_and_most_need_no_long_run() -> None:
    areas = Counter(defect.area for defect in planted.DEFECTS)
    assert areas.keys() >= {"paging", "settling", "journal", "limits", "undo", "absorb", "pace"}
    assert areas.total() >= 30
    assert sum(not defect.needs_long for defect in planted.DEFECTS) * 6 >= areas.total() * 5
