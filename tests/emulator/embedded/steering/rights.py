# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rights that a user of an instance can have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..faults import BadRule
from ..fieldtypes import is_uuid
from ..kinds import ROUTES
from ..store import Store
from ..templates import WITH_DEFINITIONS, Templates


def known_rights() -> set[str]:
    """Return all rights, such as ``all``, ``read``, ``objects`` and ``objects:write``."""
    exact = {route.right for route in ROUTES if route.right}
    parts: Iterable[str] = (part for right in exact for part in right.split(":"))
    return {"all", *exact, *parts}


def checked_rights(rights: Any) -> list[str]:
    """Return the rights of a new user, by default all. Raise BadRule if one is unknown."""
    if rights is None:
        return ["all"]
    known = known_rights()
    if not isinstance(rights, list) or not all(isinstance(right, str) and right in known for right in rights):
        raise BadRule(f"rights are a list of {', '.join(sorted(known))}")
    return sorted(set(rights))


def checked_texts(texts: Any, name: str) -> list[str]:
    """Return a list of texts without duplicates. Raise BadRule if it is not a list of texts."""
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadRule(f"{name} is a list of texts")
    return sorted(set(texts))


def hidden_fields(given: Mapping[str, Any], templates: Templates) -> list[str]:
    """Return the keys of the fields that are hidden from a new user, named individually or by group.

    Raise BadRule if one is unknown.
    """
    keys = set(checked_texts(given.get("hidden_fields") or [], "hidden_fields"))
    groups = set(checked_texts(given.get("hidden_groups") or [], "hidden_groups"))
    found = {
        (definition.key, attribute["value"])
        for name in WITH_DEFINITIONS
        for definition in templates[name].definitions.values()
        for attribute in definition.body["attributes"]
        if attribute["type"] == "form_group"
    }
    unknown = groups - {group for _key, group in found}
    if unknown:
        raise BadRule(f"no field is in the group {min(unknown)!r}")
    return sorted(keys | {key for key, group in found if group in groups})


def checked_locations(uuids: Any, store: Store) -> list[str] | None:
    """Return the locations to which the access of a new user is limited; None for no limit.

    Raise BadRule if one is unknown.
    """
    if uuids is None:
        return None
    found = [uuid.lower() for uuid in checked_texts(uuids, "locations")]
    for uuid in found:
        if not is_uuid(uuid) or store.value("SELECT 1 FROM location WHERE uuid = ?", (uuid,)) is None:
            raise BadRule(f"there is no location {uuid}")
    return found
