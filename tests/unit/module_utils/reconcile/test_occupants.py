# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""If a room can't be deleted because it is not empty, the error names the records in it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import NotProcessable
from ansible_collections.community.seventhings.plugins.module_utils.model.kinds import KINDS
from ansible_collections.community.seventhings.plugins.module_utils.reconcile.reconcile import DesiredRecord, ensure

from ..support import FakeTransport, answer, by_uuid, client_on, definition, listing, refusal, uuid_of

ROOM = {"room_uuid": uuid_of(1), "id": 1, "building_id": 7, "number": "1"}
LINKS = [definition("barcode", "BARCODE"), definition("room", "LINKED_ROOM"), definition("target", "LINKED_ROOM")]


def refused(objects: Any) -> str:
    """Return the error of a deletion that the service refuses."""
    transport = FakeTransport(
        {
            "GET /asset-tracking/room/field-definitions": answer([definition("number")]),
            "GET /asset-tracking/asset/field-definitions": answer(LINKS),
            "GET /asset-tracking/person/field-definitions": answer([]),
            f"GET /room/{uuid_of(1)}": by_uuid(ROOM),
            "GET /objects": objects,
            f"DELETE /room/{uuid_of(1)}": refusal(422, "The room is not empty"),
        }
    )
    with pytest.raises(NotProcessable) as caught:
        ensure(client_on(transport), DesiredRecord(KINDS["room"], {}, uuid=uuid_of(1), state="absent"))
    return caught.value.message


def thing(number: int, **links: Any) -> dict[str, Any]:
    return {"asset_uuid": uuid_of(10 + number), "id": number, "barcode": f"{number:04d}", **links}


def test_referring_records_are_named() -> None:
    two = [thing(1, room=1, target=None), thing(2, room=None, target=1), thing(3, room=2)]
    message = refused(listing(two))
    assert "The room is not empty" in message
    assert message.endswith(" These refer to it: object 0001 (room), object 0002 (target).")
    many = [thing(number, room=1) for number in range(1, 6)]
    assert refused(lambda _call: answer([thing(1, room=1), thing(3, room=2)])).endswith(
        " These refer to it: object 0001 (room)."
    )
    assert refused(listing(many)).endswith(" object 0001 (room), object 0002 (room), object 0003 (room), and more.")


@pytest.mark.parametrize("objects", [listing([]), refusal(403)], ids=["none", "may not look"])
def test_where_none_is_listed_it_says_what_no_list_shows(objects: Any) -> None:
    message = refused(objects)
    assert "Archived objects count too, and no list shows them" in message
    assert "this account may be limited to locations" in message
    assert "These refer" not in message
