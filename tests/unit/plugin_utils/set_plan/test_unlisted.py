# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Unlisted objects are looked up by barcode, each once, and only a limited number without a result."""

from __future__ import annotations

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import PermissionMissing
from ansible_collections.community.seventhings.plugins.module_utils.model.types_links import Reference
from ansible_collections.community.seventhings.plugins.plugin_utils.desired.hiding import NOT_SHOWN, Hiding
from ansible_collections.community.seventhings.plugins.plugin_utils.set_plan.unlisted import UnlistedRecords

from ...module_utils.support import FakeTransport, by_uuid, client_on, refusal, uuid_of

_PATH = "GET /object/by-barcode/4711"
_HIDDEN = Hiding(names={"barcode"})


def _unlisted(transport: FakeTransport, hiding: Hiding | None = None) -> UnlistedRecords:
    return UnlistedRecords(client_on(transport), hiding or Hiding())


@pytest.mark.parametrize("exists", [True, False])
def test_each_barcode_is_looked_up_once(exists: bool) -> None:
    found = by_uuid({"asset_uuid": uuid_of(1), "id": 1, "barcode": "4711"})
    transport = FakeTransport({_PATH: found if exists else refusal(404)})
    unlisted = _unlisted(transport)
    for written in ("4711", {"barcode": "4711"}):
        record = unlisted.target_of(Reference("object", written=written))
        assert (record is not None) == exists
    assert transport.lines == [_PATH]


@pytest.mark.parametrize(
    "reference", [Reference("object", written=7), Reference("object", written=""), Reference("room", written="4711")]
)
def test_what_is_no_barcode_is_not_looked_up(reference: Reference) -> None:
    transport = FakeTransport()
    assert _unlisted(transport).target_of(reference) is None
    assert transport.calls == []


@pytest.mark.parametrize("hiding", [Hiding(), _HIDDEN], ids=["shown", "hidden"])
def test_a_refusal_shows_no_hidden_barcode(hiding: Hiding) -> None:
    transport = FakeTransport({_PATH: PermissionMissing(403, "no", "GET /object/by-barcode/4711")})
    with pytest.raises(PermissionMissing) as caught:
        _unlisted(transport, hiding).target_of(Reference("object", written="4711"))
    assert (caught.value.message == NOT_SHOWN) == hiding.is_on
    assert ("4711" in caught.value.message) != hiding.is_on
