# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of a connection: what of them is secret though its option is none."""

from __future__ import annotations

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.client.connection import hidden_in


@pytest.mark.parametrize(
    ("base_url", "hidden"),
    [
        ("https://ada:s3cret@acme.test", ["s3cret", "ada"]),
        ("https://ada@acme.test/", ["ada"]),
        ("https://acme.test", []),
        ("https://[acme.test", []),
        ("", []),
        (None, []),
    ],
)
def test_credentials_in_the_url_are_hidden(base_url: str | None, hidden: list[str]) -> None:
    assert hidden_in({"base_url": base_url}) == hidden


def test_without_a_url_nothing_is_hidden() -> None:
    assert hidden_in({}) == []
