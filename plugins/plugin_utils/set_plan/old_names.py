# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Old names in references: until everybody writes the new name, a reference may have the name before a rename."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...module_utils.model.kinds import KINDS, Kind
from ...module_utils.model.names import normal_name

_MOST_STEPS = 20
"""Maximum number of renames of a record."""


class OldNames:
    """Translate an old name to the new name.

    :param moved: section to pairs of an old and a new natural key, as written.
    """

    def __init__(self, moved: Mapping[str, Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]]) -> None:
        self._moved = moved

    def now(self, target: str, written: Any) -> Iterator[Any]:
        """Yield possible targets of a reference without a target: its names after one, two or more renames.

        :param target: name of the kind of the target.
        """
        kind = KINDS[target]
        if not self._concern(kind):
            return
        seen: list[Any] = [written]
        for _step in range(_MOST_STEPS):
            renamed = self._after(kind, seen[-1])
            if renamed is None or renamed in seen:
                return
            seen.append(renamed)
            yield renamed

    def _concern(self, kind: Kind) -> bool:
        return bool(self._moved.get(kind.section) or (kind.parent and self._moved.get(KINDS[kind.parent].section)))

    def _after(self, kind: Kind, written: Any) -> Any:
        """Return a name after one rename of the record or of its parent, or None."""
        for old, new in self._moved.get(kind.section, ()):
            if _is_called(kind, written, old):
                return dict(new)
        if not kind.parent:
            return None
        for old, new in self._moved.get(KINDS[kind.parent].section, ()):
            if len(old) != 1 or len(new) != 1:
                continue
            (before,), (after,) = map(normal_name, map(str, old.values())), map(str, new.values())
            if isinstance(written, str) and normal_name(written).startswith(f"{before}/"):
                return f"{after}/{normal_name(written).removeprefix(f'{before}/')}"
            if isinstance(written, Mapping) and normal_name(str(written.get(kind.parent_key))) == before:
                return {**written, kind.parent_key: after}
        return None


def _is_called(kind: Kind, written: Any, key: Mapping[str, Any]) -> bool:
    """Return True if a reference names a record by a natural key."""
    if isinstance(written, Mapping):
        return {name: normal_name(str(value)) for name, value in written.items()} == {
            name: normal_name(str(value)) for name, value in key.items()
        }
    if not isinstance(written, str):
        return False
    own = [str(value) for name, value in key.items() if name != kind.parent_key]
    place = key.get(kind.parent_key) if kind.parent_key else None
    names = ["/".join(own), *(own if len(own) == 1 else [])]
    paths = names if place is None else [f"{place}/{name}" for name in names]
    return normal_name(written) in map(normal_name, paths)
