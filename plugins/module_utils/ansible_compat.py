# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hide differences between the supported versions of ansible-core, in module processes and on the controller.

From 2.22 on, Ansible masks registered secrets in everything that it prints. Options of plugins have no ``secret:
true``, because the sanity tests of older versions reject it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

try:
    from ansible.module_utils import secrets as _secrets
except ImportError:
    # Before ansible-core 2.22. Ansible masks nothing there; the collection hides secrets itself on every version.
    _secrets = None

#: Minimum length of a secret to register. Ansible also masks it in the middle of words.
SHORTEST_SECRET = 4


def register_secrets(values: Iterable[str]) -> None:
    """Have Ansible mask texts in all output of this process and of the processes that follow."""
    if _secrets is not None:
        _secrets.register_secrets([str(value) for value in values if len(value) >= SHORTEST_SECRET])


def masked_values(value: Any) -> Any:
    """Mask every secret that Ansible knows in some data. Keys of maps stay unchanged."""
    if _secrets is None:
        return value
    if isinstance(value, str):
        return _secrets.mask_secrets(value)
    if isinstance(value, dict):
        return {name: masked_values(member) for name, member in value.items()}
    return type(value)(masked_values(item) for item in value) if isinstance(value, (list, tuple)) else value
