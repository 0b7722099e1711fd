# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths that src may name."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.module_utils.errors import InvalidInput
from ansible_collections.community.seventhings.plugins.plugin_utils.layers.given import sources_of


@pytest.mark.parametrize("src", [5, "", [], [".", ""], [".", {"path": "."}]])
def test_a_src_that_names_no_path_is_refused(src: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^src: .* does not fit; expected a path, or a list of them$"):
        sources_of({"src": src})


def test_no_src_is_no_layer() -> None:
    assert sources_of({"src": None}) == []
