# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work after the creation of field definitions: learn their keys, and write the relations between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ...module_utils.client.client import Client
from ...module_utils.errors import InvalidInput
from ...module_utils.model.kinds import FIELD_DEFINITION
from ...module_utils.plan.change import CREATE, UPDATE, Change
from ...module_utils.plan.relations import related
from ...module_utils.reconcile.apply import Applier
from ..set_plan.plan import Planned


def learn_keys(client: Client, changes: Sequence[Planned]) -> None:
    """Learn the keys that the service gave to new fields. Records are written with these keys from now on."""
    created = [
        planned
        for planned in changes
        if planned.kind.defines_fields and planned.created_uuid and planned.change.action == CREATE
    ]
    if created or any(planned.relations for planned in changes):
        client.forget_definitions()
    keys: dict[tuple[str, str], str] = {}
    for template in {planned.entry.template for planned in created}:
        for definition in client.definitions(template):
            keys[template, definition.get("uuid", "")] = definition.get("field_key", "")
    for planned in created:
        label = str(planned.desired["label"])
        key = keys.get((planned.entry.template, planned.created_uuid or ""), "")
        for schema in {id(other.schema): other.schema for other in changes}.values():
            if schema.kind.template == planned.entry.template and label in schema.fields and key:
                schema.fields[label] = replace(schema.fields[label], wire=schema.kind.key_prefix + key)


def relate(client: Client, planned: Planned) -> None:
    """Write the relations of a definition to definitions of the same run, which have uuids now.

    :raises SeventhingsError: if one of them was not created, or the service refuses.
    """
    uuid = planned.created_uuid or (planned.change.current.uuid if planned.change.current else "")
    template = planned.entry.template
    resolved, missing, _unknown = related(planned.relations, partial(client.definitions, template))
    if missing:
        raise InvalidInput(f"relations: needs {', '.join(missing.values())}, which was not created")
    # Planning found all other mistakes in the relations.
    values, _findings = planned.schema.parse({"relations": resolved}, "")
    current = client.get(FIELD_DEFINITION, uuid, template)
    Applier(client, planned.schema, template).write(Change(FIELD_DEFINITION, UPDATE, current, values), list)
