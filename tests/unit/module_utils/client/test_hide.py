# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Results with a secret in them."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.redaction import HIDDEN, hide


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("s3cret", HIDDEN),
        ("a s3cret b", "a ******** b"),
        ("s3cret-and-more s3cret", "******** ********"),
        ({"s3cret": ["s3cret", ("x", "s3cret")]}, {"s3cret": [HIDDEN, ["x", HIDDEN]]}),
        ({"x s3cret-and-more y": 1}, {"x ******** y": 1}),
        (4711, HIDDEN),
        (247119, HIDDEN),
        (4712, 4712),
        ({"x": "a s3cret&#45;and&#45;more b"}, {"x": "a ******** b"}),
        ("the digits czNjcmV0 of base64", "the digits ******** of base64"),
        (True, True),
        (None, None),
    ],
)
def test_secrets_are_masked_anywhere_in_a_result(value: Any, shown: Any) -> None:
    assert hide(["s3cret", "s3cret-and-more", "4711", ""], value) == shown


def test_without_secrets_a_result_is_what_it_is() -> None:
    result = {"changed": True, "records": [{"a": 1}]}
    assert hide([""], result) is result
