# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Relations of a field definition to other fields, which users name by key or label and the service by uuid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..model.field import is_uuid

Definition = Mapping[str, Any]

_NOTHING = "00000000-0000-0000-0000-000000000000"


def names_fields(written: Any) -> bool:
    """Return True if relations name other fields instead of their uuids."""
    return isinstance(written, list) and any(
        isinstance(relation, Mapping) and "field" in relation for relation in written
    )


def with_uuids(written: Iterable[Any], definitions: Iterable[Definition]) -> tuple[list[Any], dict[int, str]]:
    """Return relations with the uuids of the named fields, and the names that match no field or several fields.

    These names have the index of their relation as key. Such a relation gets a random uuid, so that its other parts can
    be checked.
    """
    known = list(definitions)
    resolved: list[Any] = []
    missing: dict[int, str] = {}
    for number, relation in enumerate(written):
        if isinstance(relation, Mapping) and "field" in relation and "field_uuid" not in relation:
            name = str(relation["field"])
            uuid = _uuid_of(name, known)
            if uuid is None:
                missing[number] = name
            rest = {member: value for member, value in relation.items() if member != "field"}
            relation = {**rest, "field_uuid": uuid or _NOTHING}
        resolved.append(relation)
    return resolved, missing


def unknown_uuids(written: Any, definitions: Callable[[], Iterable[Definition]]) -> dict[int, str]:
    """Map the index of each relation whose uuid belongs to no field to its problem.

    :param definitions: returns the definitions of the template. It is called only if a relation has a uuid.
    """
    given = {
        number: relation["field_uuid"]
        for number, relation in enumerate(written if isinstance(written, list) else ())
        if isinstance(relation, Mapping) and is_uuid(relation.get("field_uuid"))
    }
    known = {str(definition.get("uuid")).lower() for definition in definitions()} if given else set()
    return {
        number: f"relations[{number}].field_uuid: this template has no field with the uuid {uuid}"
        for number, uuid in given.items()
        if uuid.lower() not in known
    }


def _uuid_of(name: str, definitions: Iterable[Definition]) -> str | None:
    by_label = []
    for raw in definitions:
        if raw.get("field_key") == name:
            return str(raw.get("uuid"))
        if raw.get("label") == name:
            by_label.append(str(raw.get("uuid")))
    return by_label[0] if len(by_label) == 1 else None
