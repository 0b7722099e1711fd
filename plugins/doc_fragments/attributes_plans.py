# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document how a module that plans a whole set runs in check mode and diff mode."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    support: full
    details:
      - The plan. Nothing is written to the instance.
  diff_mode:
    support: full
    details:
      - Every change with its fields, as text.
  idempotent:
    support: full
"""
