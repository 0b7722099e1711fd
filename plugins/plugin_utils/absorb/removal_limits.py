# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of an absorb: how many records of a section it may remove from the files."""

from __future__ import annotations

from collections.abc import Mapping

from ..desired.desired import Limits


def beyond_limits(
    limits: Limits, removed: Mapping[str, int], in_files: Mapping[str, int], listed: Mapping[str, int]
) -> dict[str, str]:
    """Return the sections from which too many records would be removed, each with the reason.

    :param removed: section to the number of removed records. :param in_files: the same for the records in the files.
    :param listed: the same for the records that the instance lists.
    """
    found = {}
    for section, number in removed.items():
        # An empty list may be the answer of a broken service, so a small number in the files lifts no percentage then.
        is_everything = number == in_files[section] > 1
        base = max(in_files[section], 0 if is_everything else listed[section])
        is_measured = is_everything or base >= limits.from_existing
        words = f"{number} of {base} {section} would leave the files, more than"
        if is_measured and number * 100 > base * limits.delete_percent:
            found[section] = _lifted(f"{words} limits.delete_percent ({limits.delete_percent:g} %)", "delete_percent")
        elif number > limits.deletes:
            found[section] = _lifted(f"{words} limits.deletes ({limits.deletes:g})", "deletes")
    return found


def _lifted(words: str, name: str) -> str:
    return f"{words}; a higher limits.{name} of the task lets this pass"
