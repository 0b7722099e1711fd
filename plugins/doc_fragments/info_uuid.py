# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document how one record is read by its UUID."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  uuid:
    description:
      - UUID of the record to read. If no record has it, the list is empty.
      - Mutually exclusive with O(filters).
    type: str
"""
