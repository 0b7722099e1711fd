# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print lines besides the results that Ansible prints."""

from __future__ import annotations

from ansible.utils.display import Display

from ...module_utils.printing.cleaner import clean

_display = Display()


def print_line(line: str) -> None:
    """Print a line, such as progress."""
    _display.display(clean(line))


def warn(line: str) -> None:
    """Print a warning."""
    _display.warning(clean(line))
