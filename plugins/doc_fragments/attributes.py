# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document what every module has: check mode, diff mode, idempotence, and its action group."""


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: Predicts its result in check mode, and changes nothing on the instance.
  diff_mode:
    description: Shows in diff mode what changes.
  idempotent:
    description: Changes nothing when it runs again with the same options.
  action_group:
    description: Has defaults in C(group/community.seventhings.all) of C(module_defaults).
    support: full
    membership:
      - community.seventhings.all
"""
