# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the lines of the plugins themselves, beside the results that Ansible prints."""

from __future__ import annotations

from ansible.utils.display import Display

from ansible_collections.community.seventhings.plugins.module_utils.printing.cleaner import clean

_display = Display()


def tell(line: str) -> None:
    """Prints a line, such as how far the work is."""
    _display.display(clean(line))


def warn(line: str) -> None:
    """Prints a warning."""
    _display.warning(clean(line))
