# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document the time zone of times without an offset."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  timezone:
    description:
      - Time zone of times that are written without an offset to UTC, such as C(Europe/Berlin). Without this option,
        every time needs its offset.
    type: str
"""
