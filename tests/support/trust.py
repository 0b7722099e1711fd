# Copyright: Contributors to the community.seventhings collection
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find out which texts the ansible-core of the tests renders."""

from __future__ import annotations

from typing import Any

try:
    from ansible.template import is_trusted_as_template, trust_as_template
except ImportError:
    # Before 2.19 every text is a template unless it is marked unsafe.
    IS_TEXT_A_TEMPLATE = True
else:
    IS_TEXT_A_TEMPLATE = False


def would_render(value: Any) -> bool:
    """Return True if Ansible would take this text for a template."""
    if IS_TEXT_A_TEMPLATE:
        return isinstance(value, str) and not hasattr(value, "__UNSAFE__")
    return bool(is_trusted_as_template(value))


def as_template(text: str) -> str:
    """Return a text as if its author had written it in a playbook."""
    return text if IS_TEXT_A_TEMPLATE else trust_as_template(text)
