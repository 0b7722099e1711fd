# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Desired records with the natural key that their kind declares, so that tests need not know it."""

from __future__ import annotations

from typing import Any

from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import Kind


def key_in_words(kind: Kind) -> str:
    """Return the fields of the natural key as messages name them."""
    return " and ".join(kind.match_on[0])


def record_of(kind: Kind, name: str, /, **fields: Any) -> dict[str, Any]:
    """Return a desired record.

    :param name: by which others refer to it, such as ``North/1`` for a room.
    :param fields: further fields. If the natural key has more fields than the name gives, they are among these.
    """
    place, _slash, label = name.partition("/") if kind.parent else ("", "", name)
    return {**({kind.parent_key: place} if kind.parent else {}), _label_of(kind): label, **fields}


def name_of(kind: Kind, /, **fields: str) -> str:
    """Return the name by which others refer to a record that has all these fields."""
    return "/".join(fields[key] for key in (kind.parent_key, _label_of(kind)) if key)


def _label_of(kind: Kind) -> str:
    return next(key for key in kind.match_on[0] if key != kind.parent_key)
