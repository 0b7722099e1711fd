# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Remove secrets from texts in every spelling."""

from __future__ import annotations

import base64
import html
import json
import time
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from project import LONG

from ansible_collections.community.seventhings.plugins.module_utils.client.redaction import MASK, hide, without
from ansible_collections.community.seventhings.plugins.module_utils.model.field import shorten

AWKWARD = 'p"a\\s&<w>o/r d+ä%=𝄞'


def _fully_escaped(text: str) -> str:
    utf16 = text.encode("utf-16-be")
    return "".join(f"\\u{utf16[index : index + 2].hex()}" for index in range(0, len(utf16), 2))


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "json": lambda text: json.dumps(text)[1:-1],
    "json with letters": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "json of PHP": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "html": html.escape,
    "html in numbers": lambda text: "".join(f"&#{ord(character)};" for character in text),
    "url": lambda text: quote(text, safe=""),
    "url in lower case": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "url of a form": quote_plus,
    "every character as in JSON": _fully_escaped,
    "base64 in json of PHP": lambda text: base64.b64encode(text.encode()).decode().replace("/", "\\/"),
    "hexadecimal": lambda text: text.encode().hex(),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 of a URL": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
}


@pytest.mark.parametrize(
    "secret",
    [
        AWKWARD,
        "Pa55-of-the-test",
        "a\\\\b",
        "x  y\tz",
        "käse&amp;brot",
        "q$9b < +*b",
        "it's=pw",
        "a- \\b%00",
        "Pa55\u00a0word",
    ],
)
def test_every_spelling_of_a_secret_is_masked(secret: str) -> None:
    for name, spelled in SPELLINGS.items():
        assert without({secret}, f"before {spelled(secret)} after") == f"before {MASK} after", name


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
def test_base64_hides_it_wherever_it_is_in_what_is_encoded(before: str) -> None:
    whole = base64.b64encode(f"{before}{AWKWARD}:more".encode()).decode()
    left = without({AWKWARD}, whole).partition(MASK)
    assert left[1]
    # The rest contains at most the digits that also encode neighbouring bytes.
    assert len(left[0]) + len(left[2]) <= len(base64.b64encode(f"{before}:more".encode())) + 4


@settings(max_examples=2000 if LONG else 100, deadline=None, derandomize=not LONG)
@given(
    secret=st.text(
        st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="*"), min_size=6, max_size=30
    ).filter(lambda text: text.strip() == text),
    spelling=st.sampled_from(sorted(SPELLINGS)),
)
def test_no_secret_is_left(secret: str, spelling: str) -> None:
    assert SPELLINGS[spelling](secret) not in without({secret}, f"x {SPELLINGS[spelling](secret)} y")


def test_the_beginning_of_a_secret_is_masked_where_a_text_was_shortened() -> None:
    token = "Ab1-Cd2_" * 20
    for limit in (40, 80, len(token)):
        words = f"fields.price: {shorten(token, limit)} does not fit"
        assert without({token}, words) in (
            f"fields.price: '{MASK}... does not fit",
            f"fields.price: '{MASK}' does not fit",
        )
    assert without({token}, f"{token[:15]}... {token[:17]}") == f"{token[:15]}... {token[:17]}"


def test_a_text_without_a_secret_stays_as_it_is() -> None:
    text = 'No record: {"name": "M\\u00fchle & Söhne", "path": "a\\\\b"} 100% &lt;b&gt;'
    assert without({AWKWARD, "Pa55-of-the-test", ""}, text) == text


def test_the_longest_secret_is_masked_first() -> None:
    assert without({"abc", "abcdef"}, "abcdef abc") == f"{MASK} {MASK}"


@pytest.mark.parametrize(
    "filler", ["\\", "&amp;", "%25", "&#0000", "0", "9", "<", "&#", "%", " ", "\\\\u0020", 'p"a\\s&<w>o/r ']
)
def test_a_hostile_text_costs_linear_time(filler: str) -> None:
    text = "&#" + filler * (60_000 // len(filler))
    started = time.process_time()
    without({AWKWARD, "\\\\\\\\x", "a b c", "\\ \\ \\ x"}, text)
    assert time.process_time() - started < 2.0


def test_many_secrets_cost_little() -> None:
    secrets = {f"secret number {number}" for number in range(10_000)}
    started = time.process_time()
    assert without(secrets, "a plain text " * 100 + "secret number 77!").endswith(f"{MASK}!")
    assert time.process_time() - started < 2.0


@pytest.mark.parametrize(
    "part",
    ["Tr0ub4dor&3", "Tr0ub4dor&amp;3", "VHIwdWI0ZG9yJjM="],
)
def test_a_secret_is_found_among_very_many_texts(part: str) -> None:
    value = {"objects": [{"name": f"Thing {number}", "at": "10:15:00+01:00"} for number in range(100)]}
    assert hide({"Tr0ub4dor&3"}, value) is value
    value["objects"][50]["name"] = f"see {part}"
    hidden = hide({"Tr0ub4dor&3"}, value)
    assert part not in str(hidden)
    assert hidden["objects"][49] == value["objects"][49]


def test_texts_that_are_a_secret_only_together_stay() -> None:
    value = ["Tr0ub4", "dor&3", {"VHIwdWI0": "ZG9yJjM="}]
    assert hide({"Tr0ub4dor&3"}, value) == value
