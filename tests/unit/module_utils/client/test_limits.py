# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Limits of a JSON text, wherever in the text they are exceeded."""

from __future__ import annotations

import json

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.limits import (
    JSON_DEPTH,
    decode_json,
)
from ansible_collections.community.seventhings.plugins.module_utils.model.field import MOST_DIGITS

ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-32", "utf-32-be")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_long_integer_is_refused_anywhere(encoding: str) -> None:
    for before in range(31):
        text = json.dumps(["x" * before, "here", 1.5])
        fitting, long = (text.replace('"here"', "9" * digits) for digits in (MOST_DIGITS, MOST_DIGITS + 1))
        assert decode_json(fitting.encode(encoding))[1] == int("9" * MOST_DIGITS)
        with pytest.raises(ValueError, match=f"more than {MOST_DIGITS} digits"):
            decode_json(long.encode(encoding))


def test_a_text_of_digits_is_no_integer() -> None:
    assert decode_json(json.dumps({"serial": "9" * 5000})) == {"serial": "9" * 5000}


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a": ', "}"), ('[1, null, "a", {"b": ', "}]")])
def test_depth_is_counted_beside_plain_members(opening: str, closing: str) -> None:
    depth = opening.count("[") + opening.count("{")
    fits = JSON_DEPTH // depth
    assert decode_json(opening * fits + "0" + closing * fits)
    with pytest.raises(ValueError, match=f"nested more than {JSON_DEPTH} deep"):
        decode_json(opening * (fits + depth) + "0" + closing * (fits + depth))
