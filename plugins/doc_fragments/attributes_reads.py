# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document how a module that only reads runs in check mode and diff mode."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    support: full
    details:
      - This action does not change anything. A record that an earlier task of the play would create is missing.
  diff_mode:
    support: N/A
    details:
      - This action does not change anything.
  idempotent:
    support: full
    details:
      - This action does not change anything.
"""
