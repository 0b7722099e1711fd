# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the removals of an undo: somebody else may have written the apply record."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from ...module_utils.client.record import Record
from ...module_utils.errors import SeventhingsError
from ...module_utils.model.kinds import HUB_ITEM, HUB_ORDER, OBJECT, RENTAL_CASE, TASK, Kind
from ...module_utils.model.types_links import references_in
from ...module_utils.operations.hub_items import asset_id, asset_ids, is_cancelled
from ...module_utils.plan.change import ARCHIVE, DELETE
from ...module_utils.printing.cleaner import amount
from ..desired.desired import DesiredInstance
from ..set_plan.hub import offered
from ..set_plan.listed_state import ListedState
from ..set_plan.plan import Planned
from .record import ApplyRecord

#: The kinds besides objects and offers whose records refer to objects.
ABOUT_OBJECTS = (TASK, RENTAL_CASE)


def too_many_removals(record: ApplyRecord, changes: Iterable[Planned]) -> list[str]:
    """Return why an undo must not be applied if it removes more records than its apply brought.

    :param record: the apply record to undo.
    """
    removals = sum(planned.change.action in (ARCHIVE, DELETE) for planned in changes)
    if removals <= record.added:
        return []
    added = amount(record.added, "record")
    return [f"applied: the apply created or unarchived {added}, and the undo would remove {removals}."]


def why_referred(
    state: ListedState, desired: DesiredInstance, withdrawn: Collection[int | None], unarchived: Collection[str]
) -> list[str]:
    """Return why objects must not be archived: records refer to them now.

    The plan itself looks for references to deleted records.

    :param desired: the state that the undo restores. Kinds that can't be read are added to its warnings.
    :param withdrawn: the ids of objects whose offers the undo takes back.
    :param unarchived: the uuids of objects that were in the archive before. References to these may be as old, and the
        archive keeps them; but nobody can order what is in the archive.
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
    for record in may_refer(state, (OBJECT, *ABOUT_OBJECTS, HUB_ITEM, HUB_ORDER), desired.warnings):
        if record.uuid and record.uuid in removed:
            continue
        for key, uuid in _objects_in(state, record, numbers):
            is_withdrawn = record.kind is HUB_ITEM and asset_id(record) in withdrawn
            may_stay = is_withdrawn or (uuid in unarchived and record.kind not in (HUB_ITEM, HUB_ORDER))
            if uuid in archived and not may_stay and key not in restored.get(record.uuid, ()):
                name = state.name_of(record) or record.uuid or record.id
                own = archived[uuid].fields.get(OBJECT.barcode_key, uuid)
                refusals.append(
                    f"{OBJECT.words} {own}: {record.kind.words} {name} refers to it now ({key}), so it is not "
                    f"archived. Clear that first."
                )
    return refusals


def may_refer(state: ListedState, kinds: Iterable[Kind], warnings: list[str]) -> Iterator[Record]:
    """Yield the records of kinds that may refer to objects. Kinds that can't be read are added to the warnings."""
    for kind in kinds:
        try:
            yield from offered(state) if kind is HUB_ITEM else state.records(kind)
        except SeventhingsError as error:
            warnings.append(f"{kind.plural}: whether they refer to these objects was not looked up: {error.message}")


def _objects_in(state: ListedState, record: Record, numbers: Mapping[int | None, str]) -> Iterator[tuple[str, str]]:
    """Yield the fields of a record that refer to objects, each with the uuid of the object.

    :param numbers: integer ids of objects to their uuids.
    """
    if record.kind in (HUB_ITEM, HUB_ORDER):
        ids = {asset_id(record)} if record.kind is HUB_ITEM else asset_ids(record)
        if record.kind is HUB_ITEM or not (is_cancelled(record) or record.flat.get("completed")):
            yield from (("asset_id", numbers[number]) for number in numbers.keys() & ids - {None})
        return
    for key, value in state.schema(record.kind).read(record.flat).items():
        for reference in references_in(value):
            uuid = reference.uuid or numbers.get(reference.id)
            if reference.target == OBJECT.name and uuid:
                yield key, uuid
