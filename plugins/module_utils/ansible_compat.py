# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What differs in a module process, and on the controller alike, between the supported versions of ansible-core.

From 2.22 on Ansible takes registered secrets out of everything that it prints. Options of plugins do without
``secret: true``, because the sanity tests of the versions below refuse it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

try:
    from ansible.module_utils import secrets as _secrets
except ImportError:
    # Below 2.22. Ansible masks nothing, and the collection hides secrets by itself on every version.
    _secrets = None

SHORTEST_SECRET = 4
"""Characters from which on a secret is registered. Ansible masks it in the middle of words as well."""


def register_secrets(values: Iterable[str]) -> None:
    """Let Ansible mask some texts in all that it prints from now on, in this process and in those that follow."""
    if _secrets is not None:
        _secrets.register_secrets([str(value) for value in values if len(value) >= SHORTEST_SECRET])


def masked_values(value: Any) -> Any:
    """Return data in whose texts Ansible masked every secret that it knows; names in maps stay."""
    if _secrets is None:
        return value
    if isinstance(value, str):
        return _secrets.mask_secrets(value)
    if isinstance(value, dict):
        return {name: masked_values(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(masked_values(one) for one in value)
    return value
