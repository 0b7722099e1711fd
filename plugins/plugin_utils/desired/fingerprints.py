# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hidden values in lasting files: which fields have them, and slow hashes that reveal nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from .entry import Entry
from .hiding import Hiding

_COST: dict[str, int] = {"n": 2**14, "r": 8, "p": 1, "dklen": 64}


def scrypted(text: str, salt: bytes) -> bytes:
    """Return 64 bytes that reveal nothing about a text. Testing a guess against them is slow."""
    return hashlib.scrypt(text.encode("utf-8", "surrogatepass"), salt=salt, **_COST)


def hidden_names(hiding: Hiding, entry: Entry, key_of: Callable[[str], str] = str) -> list[str]:
    """Return the fields of an entry whose values are in no lasting file, by their names as written.

    :param key_of: returns the key of a field that was named by its label.
    """
    if not entry.vaulted and not hiding.names:
        return []
    return [name for name in entry.fields if hiding.covers(entry, name, key_of(name))]
