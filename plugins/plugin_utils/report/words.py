# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words that all reports share, each text cleaned for printing."""

from __future__ import annotations

from ...module_utils.model.kinds import KINDS
from ...module_utils.printing.cleaner import clean
from ..desired.desired import SECTIONS
from ..set_plan.baseline import APPLICATION, BOTH, FILES
from .result import ACTIONS

#: Number of records of a group, and of texts of a list, that people read. The others are counted.
MOST = 20

#: The words for each count in a comparison, which changes nothing.
DRIFT_WORDS = {
    "created": "missing in the instance",
    "updated": "different in the instance",
    "deleted": "only in the instance",
    "archived": "not archived in the instance",
}

#: The words for each known side, in the order in which a comparison shows them.
SIDE_WORDS = {APPLICATION: "changed in the application", BOTH: "changed in both", FILES: "changed in the files"}


def short(text: str, longest: int) -> str:
    """Return the beginning of a text that is too long."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def words_of(section: str) -> str:
    """Return the name of a section for people."""
    return clean(section.replace("_", " "))


def counted(number: int, section: str) -> str:
    """Return a number of records of a section for people."""
    return f"{number:,} {KINDS[SECTIONS[section]].words if number == 1 and section in SECTIONS else words_of(section)}"


def count_words(word: str, is_drift: bool) -> str:
    """Return what a count is about."""
    return DRIFT_WORDS.get(word, word) if is_drift else word


def action_words(action: str, is_drift: bool) -> str:
    """Return an action in words. For a comparison, say what differs."""
    return DRIFT_WORDS[ACTIONS[action]] if is_drift else action


def both_sides(before: str, after: str, is_drift: bool) -> str:
    """Return both values of a field. For a comparison, say which side has which value."""
    return f"files say {after} / instance has {before}" if is_drift else f"{before} -> {after}"
