# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Observed fields in the settings, and in files that are read without a connection.

Scans and people write an observed field, and files must not. The actual room of an object is the evidence of a
stocktake: files that write it turn an object that nobody found into one that was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...module_utils.errors import InvalidInput
from ...module_utils.model.kinds import KINDS
from .desired import DesiredInstance
from .nodes import plain_node
from .positions import Place
from .shapes import map_of, texts

#: The setting of ``instance.yml``, and the option of the task.
OBSERVED = "observed"

#: The fields of an object that are observed if no definition of the instance says which are.
ACTUAL_KEYS = ("actual_room", "actual_building")

#: The field that says in which room an object belongs.
TARGET_KEY = "target_room"

#: Section to the keys or labels of its observed fields.
Names = Mapping[str, Sequence[str]]

#: The sections that may have observed fields.
SECTIONS_WITH_FIELDS = tuple(kind.section for kind in KINDS.values() if kind.section and kind.is_plain)


_KEYS = texts("a list of field keys; an empty list says that nothing is observed", least=0)
#: The shape of the observed fields by section.
NAMES = map_of(dict.fromkeys(SECTIONS_WITH_FIELDS, _KEYS), "a map of sections to field keys", "section")


def of_task(given: Mapping[str, Any] | None) -> Names:
    """Return the observed fields that the option of a task names.

    :raises InvalidInput: if the option does not fit.
    """
    wrong: list[str] = []
    found: Names = NAMES(plain_node(given or {}, OBSERVED), OBSERVED, lambda _node, words: wrong.append(words))
    if wrong:
        raise InvalidInput(wrong)
    return found


def together(task: Names, files: Names) -> dict[str, list[str]]:
    """Return the fields that the task and the files name, for each section that one of them has."""
    sections = dict.fromkeys((*task, *files))
    return {section: list(dict.fromkeys((*task.get(section, ()), *files.get(section, ())))) for section in sections}


def finding_words(desired: DesiredInstance, section: str, name: str) -> str:
    """Say that files write a field which the settings name as observed."""
    setting = f"{OBSERVED}.{section}"
    place = desired.setting_places.get(setting)
    where = f" ({place})" if place is not None else ""
    target = f"write {TARGET_KEY}, or " if name in ACTUAL_KEYS else ""
    return (
        f"{name}: {setting}{where} says that scans or people write this field, so files can't; {target}remove {name} "
        f"from the file or from {OBSERVED}"
    )


def warning_words(section: str, fields: Mapping[str, tuple[int, Place]], is_protected: bool, verb: str) -> str:
    """Say which fields are left out of a plan, and both remedies.

    :param fields: name to the number of records that write it and the first place.
    :param is_protected: True if files must not widen a plan.
    """
    names = " and ".join(fields)
    number = max(count for count, _place in fields.values())
    place = next(iter(fields.values()))[1]
    written = f"{number:,} records, first at {place}" if number > 1 else str(place)
    setting = f"{OBSERVED}: {{{section}: []}}"
    where = f"`{setting}` on the task" if is_protected else f"`{setting}` in instance.yml"
    return (
        f"{section}: {names} ({written}) {verb}, because scans and people write it: it is the evidence of a stocktake. "
        f"Write {TARGET_KEY}, the room in which an object belongs; or set {where} if you run no stocktakes."
    )
