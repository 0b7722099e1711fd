# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document how a module that changes one record runs in check mode and diff mode."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    support: full
    details:
      - A record that an earlier task of the play would create is a warning, not an error.
  diff_mode:
    support: full
    details:
      - Shows only fields that the task sets and that change.
  idempotent:
    support: full
"""
