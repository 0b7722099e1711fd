# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Find names close to an unknown name, as suggestions for users."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches

from .names import shape

#: Minimum similarity of two e-mail addresses, without their domains.
_ALIKE = 0.75
#: Minimum similarity of two names of settings or sections for a typo.
LIKELY = 0.6

#: The same for names of records, which people choose.
ROUGH = 0.4

#: Maximum number of records that a message names.
MOST_NAMED = 5

#: Words of at most this length are in too many names.
_FREQUENT = 2


def closest_names(wanted: str, names: Iterable[str], limit: int = 1, likeness: float = LIKELY) -> list[str]:
    """Return the names closest to a wanted name: those that look like it, then by distance.

    :param likeness: minimum similarity, from 0 to 1. If no name has a :data:`ROUGH` likeness, return those with all
        words of the wanted name: people write ``david`` for ``david.okafor@x.example``. E-mail addresses are compared
        without their domains, which most of them share, and need to be more alike.
    """
    is_address = "@" in wanted
    by_shape: dict[str, list[str]] = {}
    for name in filter(None, names):
        by_shape.setdefault(shape(name.partition("@")[0] if is_address else name), []).append(name)
    own = shape(wanted.partition("@")[0] if is_address else wanted)
    cutoff = max(likeness, _ALIKE) if is_address else likeness
    close = [own, *get_close_matches(own, by_shape, n=limit, cutoff=cutoff)]
    found = [name for form in close for name in by_shape.get(form, ())]
    found.sort(key=lambda name: shape(name) != shape(wanted))
    known = [name for same in by_shape.values() for name in same]
    found = list(dict.fromkeys(found))
    return (found if found or likeness > ROUGH else _with_words(own, known))[:limit]


def did_you_mean(wanted: object, names: Collection[str]) -> str:
    """Return the name closest to a wanted name as a question, or all names."""
    closest = closest_names(str(wanted), names)
    return f"did you mean {closest[0]}?" if closest else f"expected one of {', '.join(names)}"


def _with_words(wanted: str, names: Iterable[str]) -> list[str]:
    words = [word for word in re.findall(r"\w+", wanted) if len(word) > _FREQUENT]
    return [name for name in names if words and all(word in shape(name) for word in words)]
