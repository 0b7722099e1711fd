# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All spellings of one root are the same instance, and no other root is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import connect, named_root
from ansible_collections.community.seventhings.plugins.module_utils.client.roots import canonical_root, identity_of
from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput

from ..support import RANDOMISED

SPELLINGS = {
    "https://acme.test": [
        "https://acme.test/", "HTTPS://acme.test", "https://ACME.Test", "https://acme.test:443", "https://acme.test:",
        "https://acme.test.", "https://acme.test.:443/", "https://%61cme.test", "https://acme.test//",
        "https://acme.test/customer-api/v1/", "https://acme.test//customer-api/v1", " https://acme.test ",
        "https://acme.test/customer%2Dapi/v1", "https://acme\uff0etest", "https://\uff41cme.test",
    ],
    "http://acme.test": ["http://acme.test:80", "http://acme.test:080/"],
    "http://acme.test:8080": ["http://acme.test.:8080", "http://acme.test:08080"],
    "https://xn--mller-kva.test": ["https://müller.test", "https://MÜLLER.test", "https://m%C3%BCller.test"],
    "https://xn--strae-oqa.test": ["https://straße.test", "https://STRAẞE.test"],
    "https://acme.test/a~b/x%2Fy": ["https://acme.test/%61%7Eb/x%2fy/", "https://acme.test/a~b/x%2Fy"],
    "https://acme.test/%C3%BC": ["https://acme.test/ü", "https://acme.test/%c3%bc"],
    "http://127.0.0.1:8080": ["http://127.1:8080", "http://2130706433:8080", "http://0x7f.0.0.1:8080"],
    "http://[::1]:8080": ["http://[0:0:0:0:0:0:0:1]:8080", "http://[::0001]:8080"],
    "http://10.0.0.1": ["http://[::ffff:10.0.0.1]", "http://[::FFFF:a00:1]"],
}  # fmt: skip

OTHERS = [
    "https://acme.test", "https://acme.test.evil.test", "https://acme.test:8443", "http://acme.test",
    "https://acme.test/a", "https://acme.test/A", "https://acme.test/a/b", "https://acme.test/a%2Fb",
    "https://strasse.test", "https://straße.test", "https://127.0.0.1.evil.test", "http://localhost:8080",
    "http://127.0.0.1:8080", "http://[::1]:8080", "http://127.0.0.2:8080",
]  # fmt: skip
"""Roots of instances that a guard must distinguish."""


@pytest.mark.parametrize(
    ("root", "spelled"), [(root, spelling) for root, many in SPELLINGS.items() for spelling in many]
)
def test_spellings_of_a_root_have_one_canonical_form(root: str, spelled: str) -> None:
    assert named_root(spelled) == named_root(root) == root
    assert connect({"base_url": spelled, "tuning": {"allow_http": True}}).transport.root == root


def test_different_roots_are_distinguished() -> None:
    assert len({named_root(root) for root in OTHERS}) == len(OTHERS)


@pytest.mark.parametrize(
    "root",
    ["https://acme test", "https://acme%2Fevil.test", "https://a..b", "https://.", "https://acme.test/../x",
     "https://acme.test/%2e%2e/x", "https://[fe80::x]", "https://acme%00.test", "https://\u2028.test"],
)  # fmt: skip
def test_what_is_no_root_is_refused(root: str) -> None:
    with pytest.raises(InvalidInput, match="is not the root of an instance"):
        named_root(root)


@pytest.mark.parametrize("root", ["https://acme.test", "https://gate.test:8443/assets"])
@pytest.mark.parametrize("path", ["/customer-api", "/customer-api/v1/objects", "/customer-api/v1/object/7?x=1"])
def test_a_path_of_the_service_is_no_root(root: str, path: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        named_root(f"{root}{path}")
    assert f"expected the root of an instance, {root}; cut {path.partition('?')[0]}" in caught.value.message


@pytest.mark.parametrize(
    "host", ["localhost", "LocalHost.", "127.0.0.1", "127.1", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]"]
)
def test_names_of_this_machine_share_what_protects_a_run(host: str) -> None:
    assert identity_of(named_root(f"http://{host}:8080/x")) == "http://127.0.0.1:8080/x"
    assert identity_of(named_root(f"http://{host}")) == "http://127.0.0.1"


@pytest.mark.parametrize("root", ["http://127.0.0.2:8080", "http://x.localhost:8080", "https://acme.test"])
def test_other_names_share_nothing(root: str) -> None:
    assert identity_of(named_root(root)) == root


@RANDOMISED
@given(
    st.sampled_from(["http", "https"]),
    st.one_of(
        st.ip_addresses(v=4).map(str),
        st.ip_addresses(v=6).map("[{}]".format),
        st.from_regex(r"\A[A-Za-z0-9-]{1,9}(\.[a-zA-Zäß]{2,5}){0,2}\Z"),
    ),
    st.sampled_from(["", ":80", ":443", ":8080"]),
    st.text(alphabet="/aÄ%2F~. ", max_size=9).map("/{}".format),
)
def test_a_canonical_root_stays_as_it_is(scheme: str, host: str, port: str, path: str) -> None:
    try:
        root = canonical_root(f"{scheme}://{host}{port}{path}")
    except ValueError:
        return
    assert canonical_root(root) == root
    assert identity_of(identity_of(root)) == identity_of(root)


@pytest.mark.parametrize(
    ("url", "cut"),
    [
        ("https://acme.test?token=s3cret", "everything from the ? on"),
        ("https://acme.test/#/login/s3cret", "everything from the # on"),
        (
            "https://acme.test/customer-api/v1/objects?key=s3cret",
            "/customer-api/v1/objects and everything from the ? on",
        ),
    ],
)
def test_more_than_a_root_is_refused_with_the_part_to_cut(url: str, cut: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        named_root(url)
    assert caught.value.message.endswith(f"expected the root of an instance, https://acme.test; cut {cut}")
    assert "s3cret" not in caught.value.message
