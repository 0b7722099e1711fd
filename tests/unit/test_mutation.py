# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every file for mutation testing is mutated about once a week, with existing tests."""

from __future__ import annotations

import mutation
from project import ROOT


def test_the_files_and_their_tests_exist() -> None:
    plugins, tests = ROOT / "plugins", ROOT / "tests" / "unit"
    assert [name for name in mutation.SUBJECTS if not (plugins / f"{name}.py").exists()] == []
    used = mutation.tests_of(list(mutation.SUBJECTS))
    files, _selected = mutation.selection(used)
    assert [name for name in files if not (tests / f"{name}.py").exists()] == []
    paths = [path.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests" / "scenarios").glob("*/*.yml")]
    scenarios = [name for name in used if mutation.is_scenario(name)]
    assert [name for name in scenarios if not any(path.startswith(name) for path in paths)] == []


def test_the_shares_of_as_many_nights_are_all_files_once() -> None:
    first = 20_000
    nights = [name for number in range(first, first + mutation.SHARES) for name in mutation.share(number)]
    assert sorted(nights) == sorted(mutation.SUBJECTS)


def test_no_two_files_have_a_name_that_survivors_are_explained_by() -> None:
    names = [name.rpartition("/")[2] for name in mutation.SUBJECTS]
    assert len(set(names)) == len(names)


def test_a_file_is_tested_by_its_own_tests_and_an_unknown_file_by_all() -> None:
    (limits,) = [name for name in mutation.SUBJECTS if name.endswith("/limits")]
    assert mutation.tests_of([limits]) == list(mutation.SUBJECTS[limits])
    assert set(mutation.tests_of(["module_utils/model/types_links"])) == {
        test for tests in mutation.SUBJECTS.values() for test in tests
    }
