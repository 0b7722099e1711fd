# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the removals of an undo: somebody else may have written the apply record."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from ...module_utils.client.record import Record
from ...module_utils.errors import SeventhingsError
from ...module_utils.model.kinds import HUB_ITEM, KINDS, OBJECT
from ...module_utils.model.types_links import references_in
from ...module_utils.operations.hub_items import asset_id
from ...module_utils.plan.change import ARCHIVE, DELETE
from ...module_utils.printing.cleaner import amount
from ..desired.desired import DesiredInstance
from ..set_plan.hub import offered
from ..set_plan.listed_state import ListedState
from ..set_plan.plan import Planned
from .record import ApplyRecord


def too_many_removals(record: ApplyRecord, changes: Iterable[Planned]) -> list[str]:
    """Return why an undo must not be applied if it removes more records than its apply brought.

    :param record: the apply record to undo.
    """
    removals = sum(planned.change.action in (ARCHIVE, DELETE) for planned in changes)
    if removals <= record.added:
        return []
    added = amount(record.added, "record")
    return [f"applied: the apply created or unarchived {added}, and the undo would remove {removals}."]


def why_referred(state: ListedState, desired: DesiredInstance, withdrawn: Collection[int | None]) -> list[str]:
    """Return why created objects must not be archived: records refer to them now.

    The plan itself looks for references to deleted records.

    :param desired: the state that the undo restores. Kinds that can't be read are added to its warnings.
    :param withdrawn: the ids of objects whose offers the undo takes back.
    """
    archived = {
        entry.uuid: entry
        for entry in desired.entries
        if entry.kind is OBJECT and entry.state == "archived" and entry.uuid
    }
    if not archived:
        return []
    restored = {entry.uuid: entry.fields for entry in desired.entries}
    removed = {entry.uuid for entry in desired.entries if entry.state != "present"}
    found = {uuid: state.of_uuid(OBJECT, uuid) for uuid in archived}
    numbers = {record.id: uuid for uuid, record in found.items() if record is not None}
    refusals = []
    for record in _may_refer(state, desired.warnings):
        if record.uuid and record.uuid in removed:
            continue
        for key, uuid in _objects_in(state, record, numbers):
            is_withdrawn = record.kind is HUB_ITEM and asset_id(record) in withdrawn
            if uuid in archived and not is_withdrawn and key not in restored.get(record.uuid, ()):
                name = state.name_of(record) or record.uuid or record.id
                own = archived[uuid].fields.get(OBJECT.barcode_key, uuid)
                refusals.append(
                    f"{OBJECT.words} {own}: {record.kind.words} {name} refers to it now ({key}), so it is not "
                    f"archived. Clear that first."
                )
    return refusals


def _may_refer(state: ListedState, warnings: list[str]) -> Iterator[Record]:
    for kind in (OBJECT, KINDS["task"], KINDS["rental_case"], HUB_ITEM):
        try:
            yield from offered(state) if kind is HUB_ITEM else state.records(kind)
        except SeventhingsError as error:
            warnings.append(f"{kind.plural}: whether they refer to what is archived was not looked up: {error.message}")


def _objects_in(state: ListedState, record: Record, numbers: Mapping[int | None, str]) -> Iterator[tuple[str, str]]:
    """Yield the fields of a record that refer to objects, each with the uuid of the object.

    :param numbers: integer ids of objects to their uuids.
    """
    if record.kind is HUB_ITEM:
        if uuid := numbers.get(asset_id(record)):
            yield "asset_id", uuid
        return
    for key, value in state.schema(record.kind).read(record.flat).items():
        for reference in references_in(value):
            uuid = reference.uuid or numbers.get(reference.id)
            if reference.target == OBJECT.name and uuid:
                yield key, uuid
