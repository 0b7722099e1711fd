# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON values that a stored plan may contain."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.community.seventhings.plugins.plugin_utils.instance.plan_shape import is_value


@pytest.mark.parametrize("value", [1.5, [1.5, "a"], {"a": [None, True, {"b": "c"}]}])
def test_what_is_planned_fits(value: Any) -> None:
    assert is_value(value)


@pytest.mark.parametrize("value", ["1e999", "[-1e999]", '{"a": NaN}', "[" * 200 + "]" * 200])
def test_numbers_without_end_and_nests_without_bottom_do_not_fit(value: str) -> None:
    assert not is_value(json.loads(value))
