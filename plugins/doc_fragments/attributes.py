# Copyright: Contributors to the community.seventhings collection
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Document what every module has: check mode, diff mode, idempotence, and its action group."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
attributes:
  check_mode:
    description: Can run in check mode and predict its result without changing anything on the instance.
  diff_mode:
    description: Shows in diff mode what changes, or in check mode what would change.
  idempotent:
    description: Changes nothing, and reports no change, when it runs again with the same options.
  action_group:
    description: Accepts defaults from C(group/community.seventhings.all) in C(module_defaults).
    support: full
    membership:
      - community.seventhings.all
"""
