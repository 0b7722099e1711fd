# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Relations of a field definition to other fields, which users name by key or label and the service by uuid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ..model.field import is_uuid

Definition = Mapping[str, Any]

_NOTHING = "00000000-0000-0000-0000-000000000000"


class Related(NamedTuple):
    """Relations with the uuids of the fields that they name.

    :ivar relations: a relation without a known field has a random uuid, so that its other parts can be checked.
    :ivar missing: the names that match no field or several fields, by the index of their relation.
    :ivar unknown: the problems of uuids that belong to no field, by the index of their relation.
    """

    relations: Any
    missing: dict[int, str]
    unknown: dict[int, str]


def related(written: Any, definitions: Callable[[], Iterable[Definition]]) -> Related:
    """Return written relations with uuids. A value that is not a list stays as it is.

    :param definitions: returns the definitions of the template. It is called only if there is a relation.
    """
    found = Related([], {}, {})
    if not isinstance(written, list) or not any(isinstance(relation, Mapping) for relation in written):
        return found._replace(relations=written)
    known = list(definitions())
    uuids = {str(definition.get("uuid")).lower() for definition in known}
    for number, relation in enumerate(written):
        given = relation.get("field_uuid") if isinstance(relation, Mapping) else None
        if is_uuid(given) and given.lower() not in uuids:
            words = f"this template has no field with the uuid {given}"
            found.unknown[number] = f"relations[{number}].field_uuid: {words}"
        if isinstance(relation, Mapping) and "field" in relation and "field_uuid" not in relation:
            name = str(relation["field"])
            uuid = _uuid_of(name, known)
            if uuid is None:
                found.missing[number] = name
            rest = {member: value for member, value in relation.items() if member != "field"}
            relation = {**rest, "field_uuid": uuid or _NOTHING}
        found.relations.append(relation)
    return found


def _uuid_of(name: str, definitions: Iterable[Definition]) -> str | None:
    by_label = []
    for raw in definitions:
        if raw.get("field_key") == name:
            return str(raw.get("uuid"))
        if raw.get("label") == name:
            by_label.append(str(raw.get("uuid")))
    return by_label[0] if len(by_label) == 1 else None
