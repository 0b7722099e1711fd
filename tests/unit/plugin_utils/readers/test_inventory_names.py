# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of variables from keys of fields."""

from __future__ import annotations

import pytest
from ansible.utils.vars import isidentifier

from ansible_collections.community.seventhings.plugins.plugin_utils.readers.inventory_names import Variables


@pytest.mark.parametrize("key", ["straße", "a²", "\u3164", "\u0430dmin", "a-b", "", "x" * 300])
def test_a_variable_has_a_name_that_ansible_accepts(key: str) -> None:
    ((_key, name),) = Variables("seventhings_").named([key])
    assert isidentifier(name)
