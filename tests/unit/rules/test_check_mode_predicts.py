# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Only check mode reads what a new link means. Scenarios show what it predicts."""

from __future__ import annotations

from typing import Any

import pytest
from embedded_here import Embedded

OBJECTS = ["324e18a5-6374-5db1-8f73-658eb527373d", "48c197fa-128d-5647-9393-5d0b6078b387"]
ROOM = "a5466d6c-cd85-50da-adea-a7a590bdcbd4"


@pytest.mark.parametrize(
    ("link", "reads"),
    [
        ({"target_room": ROOM}, 1),
        ({"accessories": OBJECTS}, 1),
        ({"accessories": ["100003"]}, 0),
        ({"inventory_name": "Other"}, 0),
    ],
)
def test_only_check_mode_reads_what_a_new_link_means(link: dict[str, Any], reads: int) -> None:
    predicted, done, again = (
        instance.call("object", check_mode, fields={"barcode": "100001", **link})["requests"]
        for instance in [Embedded.started()]
        for check_mode in (True, False, True)
    )
    writes_and_reads_back = 2
    assert predicted - reads == done - writes_and_reads_back
    # A link that the record has already is not looked up.
    assert again == predicted - reads
